// SPDX-License-Identifier: Apache-2.0
// measure.mjs -- measures libraries in turns: of each case first the results are compared, then all compute it round
// after round, so that a machine that slows down slows all of them.
import {cases, digest} from './inputs.mjs';

let now = () => performance.now();
const median = list => [...list].sort((a, b) => a - b)[list.length >> 1];

// Calls of a case, at least for some milliseconds; milliseconds of one.
async function batch(c, times) {
    await c.begin?.();
    const start = now();
    for (let i = 0; i < times; i++) {
        const y = c.once();
        if (c.wait) await c.wait(y);
        c.free(y);
    }
    return (now() - start) / times;
}
/** A case in a library, ready to run: {once(times) -> milliseconds of a call, digest}, or {error}. */
async function prepare(library, {kind, n}) {
    if (library.remote) return library.remote.prepare(kind, n);
    if (!library[kind]) return {missing: true};
    try {
        await library.begin?.();
        const c = library[kind](n), y = c.once();
        if (c.wait) await c.wait(y);
        const result = digest(await c.values(y));
        if (kind !== 'mlp') { // its values have been given away, or are its state
            try { c.free(y); } catch { /* values() gave it back */ }
        }
        return {digest: result, run: times => batch(c, times)};
    } catch (e) {
        return {error: String(e?.message ?? e).split('\n')[0]};
    }
}
const agree = (a, b) => a.every((x, i) => Math.abs(x - b[i]) <= 2e-3 * Math.max(b[1], b[2]));

/** Rows of {name, of: {library: {min, median} or {error}}}. log: what happens, as it happens; clock: milliseconds, by
 * default those of the wall. */
export async function measure(libraries, {rounds = 9, milliseconds = 30, most = 3000, only = null, log = () => {},
    clock = null} = {}) {
    now = clock ?? now;
    const rows = [];
    for (const c of cases) {
        if (only && !only.some(o => c.name.includes(o) || c.kind === o)) continue;
        const all = [], row = {name: c.name, of: {}};
        for (const library of libraries) {
            const p = await prepare(library, c);
            if (p.missing) continue;
            if (p.error) {
                row.of[library.name] = {error: p.error};
                log(`${c.name}: ${library.name}: ${p.error}`);
                continue;
            }
            const wanted = all[0]?.p.digest ?? p.digest;
            if (!agree(p.digest, wanted)) {
                const [is, not] = [p.digest, wanted].map(d => d.map(x => x.toPrecision(5)));
                row.of[library.name] = {error: `another result: ${is}, not ${not}`};
                log(`${c.name}: ${library.name}: ${row.of[library.name].error}`);
                continue;
            }
            const first = await p.run(1);
            if (first > most) { // once is enough
                row.of[library.name] = {min: first, median: first};
                continue;
            }
            const once = await p.run(1);
            all.push({library, p, times: Math.max(1, Math.min(100000, Math.round(milliseconds / once))), got: [],
                spent: 0});
        }
        for (const a of all) { // engines get faster while they run
            const once = await a.p.run(a.times);
            a.times = Math.max(1, Math.min(100000, Math.round(milliseconds / once)));
        }
        for (let r = 0; r < rounds; r++) {
            for (const a of all) { // three rounds are enough for what takes seconds
                if (r >= 3 && a.spent > most) continue;
                a.got.push(await a.p.run(a.times));
                a.spent += a.got.at(-1) * a.times;
            }
        }
        for (const a of all) row.of[a.library.name] = {min: Math.min(...a.got), median: median(a.got)};
        log(`${c.name}: ${all.map(a => `${a.library.name} ${text(row.of[a.library.name].min)}`).join(', ')}`);
        rows.push(row);
    }
    return rows;
}

const text = ms => (ms < 0.1 ? `${(ms * 1000).toPrecision(3)} us` : ms < 1000 ? `${ms.toPrecision(3)} ms`
    : `${(ms / 1000).toPrecision(3)} s`);
/** As a table in Markdown: minimum (median), and Kiln beside the best of the others (some of which have threads, so Kiln
 * may, too) and, on one thread, beside native Kiln. */
export function table(rows, names) {
    const others = names.filter(n => !/^(Kiln|native)/.test(n)), natives = names.filter(n => n.startsWith('native'));
    const heads = [...names, 'best other / Kiln', ...natives.map(n => `${n} / Kiln`)];
    const out = [`| | ${heads.join(' | ')} |`, `|---|${'---:|'.repeat(heads.length)}`];
    for (const {name, of} of rows) {
        const cell = n => (of[n]?.min !== undefined ? `${text(of[n].min)} (${text(of[n].median)})`
            : of[n]?.error ? 'fails' : '');
        const least = list => Math.min(...list.map(n => of[n]?.min ?? Infinity)), mine = of.Kiln?.min;
        const ratio = (x, y) => (Number.isFinite(x) && Number.isFinite(y) ? (x / y).toFixed(2) : '');
        const ratios = [ratio(least(others), least(names.filter(n => n.startsWith('Kiln')))),
            ...natives.map(n => ratio(of[n]?.min, mine))];
        out.push(`| ${name} | ${[...names.map(cell), ...ratios].join(' | ')} |`);
    }
    return out.join('\n');
}
