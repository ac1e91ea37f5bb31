// SPDX-License-Identifier: Apache-2.0
// plot.mjs -- plots as SVG: lines, points and bars, with axes that read well.

const W = 640, H = 380, M = {left: 62, right: 16, top: 14, bottom: 42};
const svg = (name, attributes = {}, ...children) => {
    const node = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes))
        if (value !== undefined)
            node.setAttribute(key, value);
    node.append(...children);
    return node;
};

/** Round numbers that span from lo to hi, about n of them. */
export function ticks(lo, hi, n = 6) {
    if (!(hi > lo))
        return [lo];
    const raw = (hi - lo) / n, power = 10 ** Math.floor(Math.log10(raw)), unit = raw / power;
    const step = (unit < 1.5 ? 1 : unit < 3 ? 2 : unit < 7 ? 5 : 10) * power, list = [];
    for (let i = Math.ceil(lo / step - 1e-9); i * step <= hi + step * 1e-9; i++)
        list.push(i * step);
    return list;
}

const label = x => (x === 0 ? '0' : Math.abs(x) >= 1e5 || Math.abs(x) < 1e-3 ?
    x.toExponential(1).replace('.0e', 'e').replace('+', '') :
    String(Number(x.toPrecision(6))));

function range(lists, log) {
    let lo = Infinity, hi = -Infinity;
    for (const list of lists)
        for (const x of list)
            if (Number.isFinite(x) && (!log || x > 0)) {
                lo = Math.min(lo, x);
                hi = Math.max(hi, x);
            }
    if (lo > hi)
        return log ? [1, 10] : [0, 1];
    if (lo === hi)
        return log ? [lo / 2, lo * 2] : [lo - (Math.abs(lo) / 2 || 1), hi + (Math.abs(hi) / 2 || 1)];
    return [lo, hi];
}

/** An axis: from a value to a place; marks. */
function scale(lists, log, from, to, around) {
    const [lo, hi] = range(lists, log);
    if (log) {
        const a = Math.log10(lo), b = Math.log10(hi), whole = ticks(a, b, 6).filter(t => Number.isInteger(t));
        return {at: x => from + (Math.log10(x) - a) / (b - a) * (to - from),
            marks: whole.length > 1 ? whole.map(t => 10 ** t) : [lo, hi]};
    }
    const extra = around * (hi - lo), a = lo - extra, b = hi + extra;
    return {at: x => from + (x - a) / (b - a) * (to - from), marks: ticks(a, b, 6), zero: a <= 0 && b >= 0};
}

function axes(x, y, {xlabel, ylabel, title}, top) {
    const parts = [];
    for (const v of x.marks)
        parts.push(svg('line', {class: 'grid', x1: x.at(v), x2: x.at(v), y1: top, y2: H - M.bottom}),
            svg('text', {x: x.at(v), y: H - M.bottom + 16, 'text-anchor': 'middle'}, label(v)));
    for (const v of y.marks)
        parts.push(svg('line', {class: 'grid', x1: M.left, x2: W - M.right, y1: y.at(v), y2: y.at(v)}),
            svg('text', {x: M.left - 7, y: y.at(v) + 4, 'text-anchor': 'end'}, label(v)));
    parts.push(svg('line', {class: 'axis', x1: M.left, x2: W - M.right, y1: H - M.bottom, y2: H - M.bottom}),
        svg('line', {class: 'axis', x1: M.left, x2: M.left, y1: top, y2: H - M.bottom}));
    if (xlabel)
        parts.push(svg('text', {x: (M.left + W - M.right) / 2, y: H - 8, 'text-anchor': 'middle'}, xlabel));
    if (ylabel)
        parts.push(svg('text', {transform: `translate(14 ${(top + H - M.bottom) / 2}) rotate(-90)`,
            'text-anchor': 'middle'}, ylabel));
    if (title)
        parts.push(svg('text', {class: 'title', x: M.left, y: 18}, title));
    return parts;
}

/** A path over the points; a gap where a number is not finite; at most some thousand points. */
function path(xs, ys, x, y, log) {
    let d = '', pen = false;
    const step = Math.max(1, Math.floor(xs.length / 4000));
    for (let i = 0; i < xs.length; i += step) {
        const fine = Number.isFinite(xs[i]) && Number.isFinite(ys[i]) && (!log || ys[i] > 0);
        if (fine)
            d += `${pen ? 'L' : 'M'}${x.at(xs[i]).toFixed(1)} ${y.at(ys[i]).toFixed(1)}`;
        pen = fine;
    }
    return d;
}

function points(xs, ys, x, y, colour) {
    const marks = [], size = xs.length > 500 ? 1.6 : 3;
    for (let i = 0; i < Math.min(xs.length, 20000); i++)
        if (Number.isFinite(xs[i]) && Number.isFinite(ys[i]))
            marks.push(svg('circle', {cx: x.at(xs[i]).toFixed(1), cy: y.at(ys[i]).toFixed(1), r: size}));
    return svg('g', {style: `fill: ${colour}`, 'fill-opacity': 0.75}, ...marks);
}

function bars(xs, ys, x, y, colour) {
    const width = Math.max(1, xs.length > 1 ? Math.abs(x.at(xs[1]) - x.at(xs[0])) * 0.8 : 40), base = y.at(0);
    return svg('g', {style: `fill: ${colour}`}, ...Array.from(xs, (v, i) => svg('rect', {
        x: (x.at(v) - width / 2).toFixed(1), width: width.toFixed(1), y: Math.min(base, y.at(ys[i])).toFixed(1),
        height: Math.abs(base - y.at(ys[i])).toFixed(1),
    })));
}

const kinds = {points, bars, line: (xs, ys, x, y, colour, log) =>
    svg('path', {d: path(xs, ys, x, y, log), style: `stroke: ${colour}`, fill: 'none', 'stroke-width': 1.8})};

/**
 * A plot. spec: {title, xlabel, ylabel, logx, logy, series: [{x, y, label, kind: 'line' | 'points' | 'bars'}]}; x and y
 * are lists of numbers.
 */
export function plot({series, logx = false, logy = false, ...texts}) {
    const named = series.filter(s => s.label), top = M.top + (texts.title ? 14 : 0) + (named.length ? 18 : 0);
    const x = scale(series.map(s => s.x), logx, M.left, W - M.right, series.some(s => s.kind === 'bars') ? 0.05 : 0.02);
    const zero = series.some(s => s.kind === 'bars') ? [[0]] : [];
    const y = scale([...series.map(s => s.y), ...zero], logy, H - M.bottom, top, 0.05);
    const colour = i => `var(--series-${i % 6 + 1})`;
    const drawn = series.map((s, i) => (kinds[s.kind] ?? kinds.line)(s.x, s.y, x, y, colour(i), logy));
    let at = M.left;
    const legend = named.map(s => {
        const group = svg('g', {transform: `translate(${at} ${top - 10})`},
            svg('rect', {width: 14, height: 4, y: -4, style: `fill: ${colour(series.indexOf(s))}`}),
                svg('text', {x: 19}, s.label));
        at += 34 + 7 * s.label.length;
        return group;
    });
    const told = `${texts.title ?? 'Plot'}: ${series.map((s, i) => {
        const [lo, hi] = range([s.y], false);
        return `${s.label ?? `series ${i + 1}`}, ${s.x.length} points, from ${label(lo)} to ${label(hi)}`;
    }).join('; ')}`;
    return svg('svg', {class: 'plot', viewBox: `0 0 ${W} ${H}`, role: 'img', 'aria-label': told},
        ...axes(x, y, texts, top), ...drawn, ...legend);
}
