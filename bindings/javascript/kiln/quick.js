// SPDX-License-Identifier: Apache-2.0
// quick.js -- the quick way of the most frequent calls: a function of arrays that gives an array, called with arrays
// alone. Each row has memory of its own for its call, where the options are as they are by default.
import {engine, get, put} from './engine.js';
import {isKilnArray} from './convert.js';
import {check} from './handles.js';
import {here} from './place.js';

const none = {n: -1};
/** Of a row of call.js: how many arrays it takes by position, its memory and its function; n is -1 of others. */
function prepared(row) {
    const {K, L, exports: c} = engine, {params} = row;
    let n = 0;
    while (n < params.length && params[n].kind === K.ARRAY && !params[n].option && !params[n].rest && !params[n].keywordOnly) n++;
    const rest = params.slice(n), options = row.defaults ? 4096 : 0;
    if (row.result !== K.ARRAY || row.scoped || !n || n > 4 || rest.some(p => p.required || (!p.option && p.kind !== K.OUT &&
        p.kind !== K.DEVICE && p.kind !== K.HINT && p.kind !== K.IGNORED)) || params.some((p, i) => i < n && !p.required))
        return none;
    const table = c.__indirect_function_table, head = (L.knb_call + 15) & ~15;
    const at = c.calloc(head + 16 * n + options, 1) >>> 0;
    if (!at) return none;
    const cells = params.slice(0, n).map((p, i) => {
        const cell = at + head + 16 * i;
        put(at + L['knb_call.arg'] + 4 * p.at, cell);
        return cell;
    });
    if (options) {
        const to = at + head + 16 * n;
        table.get(row.defaults)(to);
        put(at + L['knb_call.options'], to);
    }
    return {n, at, cells, result: at + L['knb_call.result'], call: table.get(row.call)};
}

/** The handle of row(...args), or 0: not for these arguments. */
export function quickly(row, args, entry) {
    const q = (row.quick ??= prepared(row)), {n, cells} = q;
    if (args.length !== n) return 0;
    for (let i = 0; i < n; i++) if (!isKilnArray(args[i])) return 0;
    for (let i = 0; i < n; i++) put(cells[i], args[i].handle);
    here(entry);
    q.call(q.at);
    const h = get(q.result);
    if (!h) check();
    for (let i = 0; i < n; i++) if (h && h === args[i].handle) engine.exports.kn_retain(h);
    return h;
}
