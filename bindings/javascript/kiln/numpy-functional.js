// SPDX-License-Identifier: Apache-2.0
// numpy-functional.js -- functions of functions, and those whose arguments or results NumPy gives another form than the
// C library: other words for the same calls.
import {engine, get, put, putInt, room, text, textAt} from './engine.js';
import {isNumber, operand} from './convert.js';
import {dtypeHandle, dtypeKind} from './dtype.js';
import {describe, errorOf, explaining} from './errors.js';
import {check, scoped} from './handles.js';
import {isPlain, rowCall, wrap} from './call.js';
import {KilnArray} from './array.js';
import {array, asarray, ndindex} from './creation.js';
import {broadcastShapes} from './numpy-dtypes.js';
import {define, defineAll} from './signature.js';
import {here} from './place.js';

const np = (name, ...args) => rowCall('kiln.numpy', name, args);
const isList = x => Array.isArray(x) || ArrayBuffer.isView(x);
const callable = f => {
    if (typeof f !== 'function') throw errorOf('TypeError', `a function is wanted, not ${describe(f)}`);
};

// ---- Functions of JavaScript, element by element or line by line.
const columnsOf = arrays => {
    const shape = broadcastShapes(...arrays.map(a => a.shape));
    return [shape, arrays.map(a => np('broadcast_to', a, shape).flatten().tolist())];
};
function elementwise(f, args, nout, dtypes) {
    const [shape, columns] = columnsOf(args.map(a => asarray(a))), n = shape.reduce((a, b) => a * b, 1);
    const results = Array.from({length: n}, (_, i) => f(...columns.map(c => c[i])));
    if (!n && !dtypes) throw errorOf('ValueError', 'cannot call `vectorize` on size 0 inputs unless `otypes` is set');
    const many = nout ?? (Array.isArray(results[0]) ? results[0].length : 0);
    const made = i => array(results.map(r => (many ? r[i] : r)), {dtype: dtypes?.[i] ?? null, shape});
    return many ? Array.from({length: many}, (_, i) => made(i)) : made(0);
}
function parseSignature(signature) {
    const core = '\\((?:\\w+(?:,\\w+)*)?\\)', s = signature.replace(/\s+/g, '');
    if (!new RegExp(`^(?:${core}(?:,${core})*)?->${core}(?:,${core})*$`).test(s))
        throw errorOf('ValueError', `not a valid gufunc signature: ${signature}`);
    return s.split('->').map(side => (side.match(new RegExp(core, 'g')) ?? []).map(p => p.match(/\w+/g) ?? []));
}
function generalized(f, [ins, outs], arrays, otypes) {
    if (arrays.length !== ins.length)
        throw errorOf('TypeError',
            `wrong number of positional arguments: expected ${ins.length}, got ${arrays.length}`);
    const sizes = new Map(), loops = arrays.map((a, i) => {
        const at = a.ndim - ins[i].length;
        if (at < 0) throw errorOf('ValueError', `${a.ndim}-dimensional argument does not have enough dimensions`);
        ins[i].forEach((n, k) => {
            const size = a.shape[at + k];
            if ((sizes.get(n) ?? size) !== size)
                throw errorOf('ValueError', `inconsistent size for core dimension '${n}': ${size} vs ${sizes.get(n)}`);
            sizes.set(n, size);
        });
        return a.shape.slice(0, at);
    });
    const loop = broadcastShapes(...loops);
    const wide = arrays.map((a, i) => np('broadcast_to', a, [...loop, ...a.shape.slice(a.ndim - ins[i].length)]));
    const results = [...ndindex(loop)].map(at => {
        const r = f(...wide.map(w => w.slice(...at))), all = outs.length > 1 ? r : [r];
        if (!Array.isArray(all) || all.length !== outs.length)
            throw errorOf('ValueError', `wrong number of outputs from pyfunc: expected ${outs.length}`);
        return all;
    });
    if (!results.length) throw errorOf('ValueError', 'cannot call `vectorize` on size 0 inputs unless `otypes` is set');
    const made = outs.map((_, i) => {
        const y = np('stack', results.map(r => asarray(r[i])));
        return np('reshape', otypes ? y.astype(otypes[i]) : y, [...loop, ...y.shape.slice(1)]);
    });
    return outs.length > 1 ? made : made[0];
}
/** A function of numbers (with a signature: of arrays) as one of arrays. options: otypes, signature */
function vectorize(f, {otypes = null, signature = null} = {}) {
    callable(f);
    const core = signature === null ? null : parseSignature(signature), types = typeof otypes === 'string' ? [otypes]
        : otypes;
    return (...args) => (core ? generalized(f, core, args.map(a => asarray(a)), types)
        : elementwise(f, args, types && types.length > 1 ? types.length : null, types));
}
function applyAlongAxis(f, axis, arr, ...args) {
    callable(f);
    const x = asarray(arr), at = np('_normalize_axis_index', axis, x.ndim), moved = np('moveaxis', x, at, -1);
    const results = [...ndindex(moved.shape.slice(0, -1))].map(i => asarray(f(moved.slice(...i), ...args)));
    if (!results.length) throw errorOf('ValueError', 'Cannot apply_along_axis when any iteration dimensions are 0');
    const made = np('reshape', np('stack', results), [...moved.shape.slice(0, -1), ...results[0].shape]),
        n = results[0].ndim;
    const from = Array.from({length: n}, (_, i) => made.ndim - n + i);
    return n ? np('moveaxis', made, from, from.map((_, i) => at + i)) : made;
}
function applyOverAxes(f, a, axes) {
    callable(f);
    let x = asarray(a);
    for (let axis of [axes].flat()) {
        axis = axis < 0 ? axis + x.ndim : axis;
        let y = asarray(f(x, axis));
        if (y.ndim !== x.ndim) y = np('expand_dims', y, axis);
        if (y.ndim !== x.ndim) throw errorOf('ValueError', 'function is not returning an array of the correct shape');
        x = y;
    }
    return x;
}
function piecewise(a, condlist, funclist, ...args) {
    const x = asarray(a);
    const single = condlist instanceof KilnArray ? condlist.ndim === x.ndim : typeof condlist[0] === 'boolean' &&
        x.ndim !== 0;
    const conditions = [...(single ? [condlist] : condlist)].map(c => asarray(c, 'bool')), n = conditions.length;
    if (n === funclist.length - 1)
        conditions.push(np('logical_not', conditions.reduce((p, q) => np('logical_or', p, q))));
    else if (n !== funclist.length)
        throw errorOf('ValueError', `with ${n} condition(s), either ${n} or ${n + 1} functions are expected`);
    const y = np('zeros_like', x);
    conditions.forEach((c, i) => {
        const f = funclist[i], values = typeof f === 'function' ? x.slice(c) : null;
        if (!values) y.set(c, f);
        else if (values.size) y.set(c, f(values, ...args));
    });
    return y;
}

// ---- einsum.
const labels = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
function subscripts(operands) {
    if (typeof operands[0] === 'string') return [operands[0], operands.slice(1)];
    if (operands.length < 2)
        throw errorOf('ValueError', 'must provide at least an operand and a subscripts list to einsum');
    const said = list => list.map(s => (s === '...' || typeof s === 'symbol' ? '...' : labels[s] ?? (() => {
        throw errorOf('ValueError', 'subscript is not within the valid range [0, 52)');
    })())).join('');
    const n = operands.length >> 1, lists = Array.from({length: n}, (_, i) => said(operands[2 * i + 1]));
    const out = operands.length % 2 ? `->${said(operands[2 * n])}` : '';
    return [lists.join(',') + out, Array.from({length: n}, (_, i) => operands[2 * i])];
}
const planOf = optimize => (optimize === true || optimize === null ? 'greedy' : optimize === false ? null
    : typeof optimize === 'string' ? optimize
        : `['einsum_path', ${optimize.slice(1).map(p => `(${p.join(', ')}${p.length === 1 ? ',' : ''})`).join(', ')}]`);
function contract(operands, {optimize, dtype = null, memoryLimit = 0}, f) {
    const [how, list] = subscripts(operands);
    return scoped(() => {
        const {L} = engine, owned = [], at = room(4 * list.length + 4), opts = room(L.kn_einsum_opts),
            plan = planOf(optimize);
        try {
            list.forEach((x, i) => {
                const o = operand(x);
                if (o.owned) owned.push(o.h);
                put(at + 4 * i, o.h);
            });
            put(opts, L.kn_einsum_opts);
            if (plan !== null) put(opts + L['kn_einsum_opts.optimize'], text(plan));
            putInt(opts + L['kn_einsum_opts.memory_limit'], memoryLimit);
            put(opts + L['kn_einsum_opts.dtype'], dtypeHandle(dtype));
            here(einsum);
            return f(text(how), list.length, at, opts);
        } finally {
            for (const h of owned) engine.exports.kn_release(h);
        }
    });
}
const einsum = define('einsum(*operands, out=, optimize=, dtype=)', (operands, out, optimize = true, dtype = null) => {
    const y = contract(operands, {optimize, dtype}, (...args) => wrap(engine.exports.kn_einsum(...args)));
    if (out === undefined) return y;
    np('copyto', out, y);
    return out;
});
/** [["einsum_path", [0, 1], ...], costs as a text] */
const einsumPath = define('einsum_path(*operands, optimize=)', (operands, optimize = 'greedy') =>
    contract(operands, {optimize}, (...args) => {
        const out = room(engine.L.kn_einsum_path_result);
        engine.exports.kn_einsum_path(out, ...args);
        check();
        const path = textAt(get(out)), costs = textAt(get(out + engine.L['kn_einsum_path_result.string_repr']));
        const steps = [...path.matchAll(/\(([\d, ]*)\)/g)].map(m => m[1].match(/\d+/g).map(Number));
        return [['einsum_path', ...steps], costs];
    }));

// ---- Histograms.
const binsOf = bins => (typeof bins === 'string' ? {estimator: bins} : {bins});
function checkRange(range) {
    if (range === undefined) return undefined;
    const [first, last] = range;
    if (first > last) throw errorOf('ValueError', 'max must be larger than min in range parameter.');
    if (!Number.isFinite(first) || !Number.isFinite(last))
        throw errorOf('ValueError', `supplied range of [${first}, ${last ?? 'nothing'}] is not finite`);
    return first === last ? [first - 0.5, last + 0.5] : range;
}
const binEdges = (a, bins = 10, range, weights) => np('histogram_bin_edges', a,
    {range: checkRange(range), weights, ...binsOf(bins)});
function histogramdd(sample, bins = 10, range, density = false, weights) {
    let x = Array.isArray(sample) ? np('stack', sample.map(s => asarray(s)), {axis: -1}) : asarray(sample);
    if (x.ndim === 1) x = np('reshape', x, [-1, 1]);
    const n = x.shape[1], all = typeof bins === 'number' ? new Array(n).fill(bins) : bins;
    if (all.length !== n)
        throw errorOf('ValueError', 'The dimension of bins must be equal to the dimension of the sample x.');
    if (range && range.length !== n) throw errorOf('ValueError', 'range argument must have one entry per dimension');
    const edges = all.map((b, i) => (typeof b === 'number' ? binEdges(x.slice([], i), b, range?.[i] ?? undefined)
        : asarray(b)));
    return [np('_histogramdd', x, {bins: edges, density, weights})[0], edges];
}

// ---- pad.
const padOptions = {
    empty: [], edge: [], wrap: [], constant: ['constant_values'], linear_ramp: ['end_values'], maximum: ['stat_length'],
    mean: ['stat_length'], median: ['stat_length'], minimum: ['stat_length'], reflect: ['reflect_type'],
    symmetric: ['reflect_type'],
};
const snake = name => name.replace(/[A-Z]/g, c => `_${c.toLowerCase()}`);
const integers = x => (x instanceof KilnArray ? x : array(x, {dtype: 'int64'}));
function pad(a, padWidth, mode = 'constant', options = {}) {
    const x = asarray(a);
    if (isPlain(padWidth)) { // {axis: width}
        const widths = x.shape.map(() => [0, 0]);
        for (const [axis, w] of Object.entries(padWidth))
            widths[np('_normalize_axis_index', Number(axis), x.ndim)] = typeof w === 'number' ? [w, w] : w;
        padWidth = widths;
    }
    if ([padWidth].flat(Infinity).some(w => typeof w === 'number' && !Number.isInteger(w)))
        throw errorOf('TypeError', '`pad_width` must be of integral type.');
    const given = Object.fromEntries(Object.entries(options).map(([k, v]) => [snake(k), v]));
    if (typeof mode === 'function') return padBy(x, integers(padWidth), mode, options);
    if (!padOptions[mode]) throw errorOf('ValueError', `mode '${mode}' is not supported`);
    const wrong = Object.keys(given).filter(k => !padOptions[mode].includes(k));
    if (wrong.length)
        throw errorOf('ValueError', `unsupported keyword arguments for mode '${mode}': {'${wrong.join("', '")}'}`);
    if ('stat_length' in given) given.stat_length = integers(given.stat_length);
    return np('pad', x, integers(padWidth), mode, given);
}
function padBy(x, width, f, options) { // f(line, [before, after], axis, options) writes to the line
    const widths = np('broadcast_to', width, [x.ndim, 2]).tolist(), y = np('pad', x, width, 'constant');
    for (let axis = 0; axis < y.ndim; axis++) {
        const moved = np('moveaxis', y, axis, -1);
        for (const at of ndindex(moved.shape.slice(0, -1))) f(moved.slice(...at), widths[axis], axis, options);
    }
    return y;
}

function tensordot(module, a, b, axes = 2) {
    if (typeof axes === 'number') return rowCall(module, 'tensordot', [a, b, {axes}]);
    return rowCall(module, 'tensordot', [a, b, {a_axes: axes[0], b_axes: axes[1]}]);
}
export const tensordotOf = module => (a, b, axes) => tensordot(module, a, b, axes);
const atleast = n => arys => {
    const made = arys.map(a => np(`atleast_${n}d`, a));
    return made.length === 1 ? made[0] : made;
};
function gradient(f, spacing, axis, edgeOrder = 1) {
    const x = asarray(f), n = axis === undefined ? x.ndim : [axis].flat().length;
    if (![0, 1, n].includes(spacing.length)) throw errorOf('TypeError', 'invalid number of arguments');
    let given = spacing;
    if (given.length === 1 && n > 1) {
        if (!isNumber(given[0])) throw errorOf('TypeError', 'invalid number of arguments');
        given = new Array(n).fill(given[0]);
    }
    const slopes = np('_gradient', x, {axis, spacing: given.length ? given : undefined, edge_order: edgeOrder});
    return n === 1 ? slopes[0] : [...slopes];
}
function trimZeros(filt, trim = 'fb', axis) {
    const made = np('trim_zeros', filt, trim, axis ?? null);
    return Array.isArray(filt) ? made.tolist() : made;
}
function nanToNum(x, copy = true, nan, posinf, neginf) {
    const y = np('_nan_to_num', x, {nan, posinf, neginf});
    if (copy || !(x instanceof KilnArray) || !'fc'.includes(dtypeKind(x.dtype))) return y;
    return x.set('...', y);
}
function clip(a, aMin, aMax, out, min, max) {
    if ((aMin !== undefined || aMax !== undefined) && (min !== undefined || max !== undefined))
        throw errorOf('ValueError',
            'Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is forbidden.');
    return np('_clip', a, {lo: aMin ?? min, hi: aMax ?? max, out});
}

/** x.clip(min, max) */
const clipped = define('clip(self, min=, max=, out=)', (self, min, max, out) => clip(self, min, max, out));
Object.defineProperty(KilnArray.prototype, 'clip', {configurable: true, writable: true,
    value(...args) { return clipped(this, ...args); }});

export const functional = {
    vectorize: explaining('vectorize', vectorize), applyAlongAxis, apply_along_axis: applyAlongAxis, applyOverAxes, apply_over_axes: applyOverAxes,
        piecewise: explaining('piecewise', piecewise),
    einsum, einsumPath, einsum_path: einsumPath,
    isscalar: isNumber,
    iterable: x => typeof x?.[Symbol.iterator] === 'function',
    where(condition, x, y) {
        if (x === undefined && y === undefined) return np('nonzero', condition);
        if (x === undefined || y === undefined)
            throw errorOf('ValueError', 'either both or neither of x and y should be given');
        return np('where', condition, x, y);
    },
    frompyfunc(f, nin, nout) {
        callable(f);
        return (...args) => {
            if (args.length !== nin) throw errorOf('TypeError', `${f.name} takes ${nin} arguments, not ${args.length}`);
            return elementwise(f, args, nout > 1 ? nout : null, null);
        };
    },
    ...defineAll([
        ['atleast_1d(*arys)', atleast(1)],
        ['atleast_2d(*arys)', atleast(2)],
        ['atleast_3d(*arys)', atleast(3)],
        ['clip(a, a_min=, a_max=, out=, *, min=, max=)', clip],
        ['nan_to_num(x, copy=, nan=, posinf=, neginf=)', nanToNum],
        ['gradient(f, *varargs, axis=, edge_order=)', gradient],
        ['pad(array, pad_width, mode=, **options)', pad, {callsUser: true}],
        ['tensordot(a, b, axes=)', tensordotOf('kiln.numpy')],
        ['trim_zeros(filt, trim=, axis=)', trimZeros],
        ['histogram(a, bins=, range=, density=, weights=)', (a, bins = 10, range, density = false, weights) =>
            [...np('histogram', a, {range: checkRange(range), density, weights, ...binsOf(bins)})]],
        ['histogram_bin_edges(a, bins=, range=, weights=)', binEdges],
        ['histogram2d(x, y, bins=, range=, density=, weights=)', (x, y, bins = 10, range, density = false, weights) => {
            if (asarray(x).length !== asarray(y).length)
                throw errorOf('ValueError', 'x and y must have the same length.');
            const two = isList(bins) && bins.length === 2 ? bins : [bins, bins];
            return [...np('histogram2d', x, y, {bins: two.map(b =>
                (typeof b === 'number' ? array(b, {dtype: 'int64'}) : b)), range, density, weights})];
        }],
        ['histogramdd(sample, bins=, range=, density=, weights=)', histogramdd],
        ['top_k(x, k, *, axis=, mode=, sorted=)', (x, k, axis = -1, mode = 'largest', sorted = true) =>
            [...np('_top_k', x, k, {axis, mode, sorted})]],
        ['sliding_window_view(x, window_shape, axis=)', (x, shape, axis) =>
            np('_sliding_window_view', x, shape, {axis})],
        ['astype(x, dtype, *, copy=)', (x, dtype, copy = true) => {
            const y = asarray(x);
            return !copy && y.dtype === dtype ? y : np('astype', y, dtype);
        }],
        ['permute_dims(a, axes=)', (a, axes) => np('transpose', a, axes)],
        ['hann(M)', M => np('hanning', M)],
    ]),
};
