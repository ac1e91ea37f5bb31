// SPDX-License-Identifier: Apache-2.0
// quick.js -- the quick way of the most frequent calls: a function of arrays that gives an array, called with arrays
// and numbers beside them. Each row has memory of its own for its call, where the options are as they are by default.
import {engine, get, put} from './engine.js';
import {isKilnArray, numberHandle} from './convert.js';
import {check} from './handles.js';
import {here} from './place.js';

const none = {n: -1, own: []};
/** Of a row of call.js: how many arrays it takes by position, its memory and its function; n is -1 of others. */
function prepared(row) {
    const {K, L, exports: c} = engine, {params} = row, placeless = [K.OUT, K.DEVICE, K.HINT, K.IGNORED];
    const isOperand = p => p && p.kind === K.ARRAY && p.required && !p.option && !p.rest && !p.keywordOnly;
    const mayLack = p => !p.required && (p.option || placeless.includes(p.kind));
    let n = 0;
    while (isOperand(params[n])) n++;
    if (row.result !== K.ARRAY || row.scoped || !n || n > 4 || !params.slice(n).every(mayLack)) return none;
    const options = row.defaults ? 4096 : 0;
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
    const q = (row.quick ??= prepared(row)), {n, cells} = q, {exports: c} = engine;
    if (args.length !== n) return 0;
    let numbers = 0;
    for (let i = 0; i < n; i++) {
        if (isKilnArray(args[i])) put(cells[i], args[i].handle);
        else if (typeof args[i] === 'number') numbers++;
        else return 0;
    }
    if (numbers === n) return 0;
    const own = numbers ? [] : none.own; // the cells may be another call's when it returns
    for (let i = 0; i < n && numbers; i++) {
        if (isKilnArray(args[i])) continue;
        own.push(numberHandle(args[i]));
        put(cells[i], own[own.length - 1]);
    }
    here(entry);
    q.call(q.at);
    const h = get(q.result);
    for (let i = 0; i < n; i++) if (h && isKilnArray(args[i]) && h === args[i].handle) c.kn_retain(h);
    for (const x of own) c.kn_release(x);
    if (!h) check();
    return h;
}
