// SPDX-License-Identifier: Apache-2.0
// call.js -- calls of the public functions. A row of the table (bindings/shared/rows.h) says what a function takes
// under which names; the code here binds arguments to it, converts each by its kind, calls, and wraps the result by
// its kind.
//
// Arguments come by position, as in NumPy; a plain object at the end has those that come by name, in NumPy's spelling
// or in camelCase: np.sum(x, {axis: 0, keepdims: true}), np.sum(x, 0).
import {engine, get, get16, get8, getDouble, getInt, mark, put, put8, putDouble, putFloat, putInt, release, room,
        text, textAt, whenLoaded} from './engine.js';
import {isComplex, newHandle, numberHandle, onCast, onStack, operand, shapeAt, valuesFor} from './convert.js';
import {dtypeHandle, dtypeName} from './dtype.js';
import {describe, errorOf} from './errors.js';
import {Handle, check, scoped} from './handles.js';
import {here} from './place.js';
import {quickly} from './quick.js';

export const camel = name => name.replace(/_+([a-z0-9])/gi, (_, c) => c.toUpperCase());
export const isPlain = x => x !== null && typeof x === 'object' &&
    [Object.prototype, null].includes(Object.getPrototypeOf(x));

let K, L; // kinds, layout

// ---- The rows.
class Row {
    constructor(at, module) {
        this.module = module;
        this.name = textAt(get(at + L['knb_row.name']));
        this.call = get(at + L['knb_row.call']);
        this.defaults = get(at + L['knb_row.defaults']);
        this.nPositional = get16(at + L['knb_row.n_positional']);
        this.result = get8(at + L['knb_row.result']);
        this.structure = get(at + L['knb_row.structure']);
        const n = get16(at + L['knb_row.n_params']), params = get(at + L['knb_row.param']);
        this.params = Array.from({length: n}, (_, i) => {
            const p = params + i * L.knb_param;
            return {
                name: textAt(get(p + L['knb_param.name'])), kind: get8(p + L['knb_param.kind']),
                option: get8(p + L['knb_param.option']) !== 0, keywordOnly: get8(p + L['knb_param.keyword_only']) !== 0,
                required: get8(p + L['knb_param.required']) !== 0, rest: get8(p + L['knb_param.rest']) !== 0,
                at: get16(p + L['knb_param.at']),
            };
        });
        this.byName = new Map(this.params.flatMap((p, i) => [[p.name, i], [camel(p.name), i]]));
        // Lists and structures of arrays, texts and trees belong to a scope.
        this.integers = new Set(integerParams[this.name]);
        this.numeric = module === 'kiln.numpy' && !integerParams[this.name] && this.name !== 'arange';
        this.operands = this.params.flatMap((p, i) => ([K.ARRAY, K.OPTIONAL_ARRAY].includes(p.kind) &&
            p.name !== 'condition' &&
            p.name !== 'where' ? [i] : []));
        this.scoped = [K.ARRAYS, K.STRUCT, K.STRING, K.TREE].includes(this.result);
    }
}
const tables = new Map(); // module -> name -> address, later Row
function readTables() {
    ({K, L} = engine);
    for (let t = engine.exports.kjs_tables() >>> 0; get(t + L['knb_table.name']); t += L.knb_table) {
        const rows = new Map(), list = get(t + L['knb_table.row']), module = textAt(get(t + L['knb_table.name']));
        for (let i = 0; i < get16(t + L['knb_table.n']); i++) {
            const at = get(list + 4 * i);
            rows.set(textAt(get(at + L['knb_row.name'])), at);
        }
        tables.set(module, rows);
    }
}
whenLoaded(readTables);
export const rowsOf = module => [...(tables.get(module)?.keys() ?? [])];
export function rowOf(module, name) {
    const rows = tables.get(module);
    let row = rows?.get(name);
    if (typeof row === 'number') rows.set(name, (row = new Row(row, module)));
    if (!row) throw new Error(`no row ${module}.${name}`);
    return row;
}

// ---- Binding.
function bind(row, args) {
    const {params} = row, values = new Array(params.length).fill(undefined);
    let n = args.length, rest = null;
    const last = n ? args[n - 1] : null;
    if (isPlain(last) && !isComplex(last)) {
        const keys = Object.keys(last), at = params[n - 1];
        const tree = at && n <= row.nPositional && (at.kind === K.TREE || at.kind === K.OBJECT);
        if (!tree || (keys.length && keys.every(k => row.byName.has(k)))) {
            n--;
            for (const k of keys) {
                const i = row.byName.get(k);
                if (i === undefined) throw errorOf('TypeError', `${row.name}() got an unexpected argument '${k}'`);
                values[i] = last[k];
            }
        }
    }
    for (let i = 0, at = 0; i < n; i++, at++) {
        if (at < params.length && params[at].rest) {
            rest = args.slice(i, n);
            values[at] = rest;
            break;
        }
        if (at >= row.nPositional) {
            throw errorOf('TypeError', `${row.name}() takes at most ${row.nPositional} arguments by position, ` +
                `not ${n}; others come by name, in an object at the end`);
        }
        if (args[i] === undefined) continue;
        if (values[at] !== undefined) throw errorOf('TypeError', `${row.name}() got '${params[at].name}' twice`);
        values[at] = args[i];
    }
    for (let i = 0; i < params.length; i++)
        if (params[i].required && values[i] === undefined)
            throw errorOf('TypeError', `${row.name}() misses its argument '${params[i].name}'`);
    return values;
}

// ---- Conversion: a value put where C wants it.
function integer(x, name) {
    if (typeof x === 'bigint') return x;
    if (x instanceof Handle && x.size === 1) x = x.item();
    if (!Number.isInteger(x) && typeof x !== 'bigint') throw errorOf('TypeError', `${name} has to be an integer, not ${describe(x)}`);
    return x;
}
const list = (x, name) => {
    if (Array.isArray(x)) return x;
    if (ArrayBuffer.isView(x)) return Array.from(x, Number);
    if (x instanceof Handle && x.ndim) return x.js();
    throw errorOf('TypeError', `${name} has to be an array, not ${describe(x)}`);
};
function float(x, name) {
    if (x instanceof Handle && x.size === 1) return Number(x.item());
    if (typeof x !== 'number' && typeof x !== 'bigint' && typeof x !== 'boolean')
        throw errorOf('TypeError', `${name} has to be a number, not ${describe(x)}`);
    return Number(x);
}
function string(x, name) {
    if (x === null) return 0;
    if (typeof x !== 'string') throw errorOf('TypeError', `${name} has to be a string, not ${describe(x)}`);
    return text(x);
}
export function putAxes(at, x, name = 'axis') { // n: -1 none, else 1 + the count
    if (x === null) return put(at, -1);
    const axes = typeof x === 'number' ? [x] : list(x, name);
    if (axes.length > 64) throw errorOf('ValueError', `${name}: more than 64 axes`);
    put(at, axes.length + 1);
    axes.forEach((a, i) => put(at + L['kn_axes.axis'] + 4 * i, clamp(integer(a, name))));
}
const clamp = x => Number(x > 0x7fffffff ? 0x7fffffff : x < -0x80000000 ? -0x80000000 : x);
const putShape = (at, x, name) => shapeAt((typeof x === 'number' ? [x] : list(x, name)).map(n => integer(n, name)), at);
function numberRows(x, columns, name) { // rows of integers of 64 bits
    const rows = list(x, name), at = room(8 * columns * rows.length + 8);
    rows.forEach((row, i) => {
        if (list(row, name).length !== columns)
            throw errorOf('ValueError', `${name} has to consist of groups of ${columns} numbers`);
        row.forEach((v, j) => putInt(at + 8 * (i * columns + j), integer(v, name)));
    });
    return {at, n: rows.length};
}

const emptyIntegers = x => (Array.isArray(x) && x.length === 0 ? new BigInt64Array(0) : x);
// Lists of positions and counts are of integers, as nobody writes fractions there.
function positions(x) {
    if (Array.isArray(x) && x.flat(Infinity).every(v => typeof v === 'number' && Number.isInteger(v)))
        return {h: newHandle(x, 'int64'), owned: true};
    // np.array([2, 0]) is float32, as in jax-js, and meant as positions here
    if (x instanceof Handle && /^float/.test(x.dtype)) return {h: newHandle(x, 'int64'), owned: true};
    return operand(emptyIntegers(x));
}

// What each kind does: (call, value, address, parameter).
const put_ = {
    ARRAY: (s, x, to) => put(to, s.hold(operand(x))),
    POSITIONS: (s, x, to) => put(to, s.hold(positions(x))),
    VALUES: (s, x, to) => put(to, s.hold(valuesFor(dtypeName(engine.exports.kn_dtype_of(s.held[0].h)), x))),
    OPTIONAL_ARRAY: (s, x, to) => put(to, x === null ? 0 : s.hold(operand(x))),
    ARRAYS: (s, x, to) => {
        const all = x instanceof Handle ? [...x] : list(x, 'a list of arrays'), at = room(4 * all.length + 4);
        all.forEach((v, i) => put(at + 4 * i, s.hold(operand(v))));
        const h = engine.exports.kn_list_from(at, all.length);
        check();
        put(to, s.hold({h, owned: true}));
    },
    SHAPE: (s, x, to, p) => putShape(to, x, p.name),
    AXES: (s, x, to, p) => putAxes(to, x, p.name),
    SHAPE_POINTER: (s, x, to, p) => put(to, x === null ? 0 : putShape(room(L.kn_shape), x, p.name)),
    AXES_POINTER: (s, x, to, p) => {
        const at = room(L.kn_axes);
        putAxes(at, x, p.name);
        put(to, at);
    },
    DTYPE: (s, x, to) => put(to, dtypeHandle(x)),
    BOOL: (s, x, to) => put8(to, x ? 1 : 0),
    INT: (s, x, to, p) => putInt(to, integer(x, p.name)),
    DIAGONAL: (s, x, to, p) => putInt(to, integer(x, p.name)),
    INT32: (s, x, to, p) => put(to, clamp(integer(x, p.name))),
    FLOAT: (s, x, to, p) => putDouble(to, float(x, p.name)),
    FLOAT32: (s, x, to, p) => putFloat(to, float(x, p.name)),
    STRING: (s, x, to, p) => put(to, string(x, p.name)),
    CHARACTER: (s, x, to) => put8(to, x === null ? 0 : String(x).charCodeAt(0)),
    DTYPE_LIKE: (s, x, to) => {
        if (typeof x === 'string') put(to + L['kn_dtype_like.text'], text(x));
        else put(to + L['kn_dtype_like.array'], s.hold(operand(x)));
    },
    INTERVAL: (s, x, to, p) => list(x, p.name).slice(0, 2).forEach((v, i) => putDouble(to + 8 * i, float(v, p.name))),
    INTERVALS: (s, x, to, p) => list(x, p.name).flat().slice(0, 4)
        .forEach((v, i) => putDouble(to + 8 * i, float(v, p.name))),
    OUT_ARRAY: (s, x, to) => { if (x) put(to, s.outPlace()); },
    OUT_PAIR: (s, x, to) => { if (x) put(to, s.outPlace()), put(to + 4, s.outPlace()); },
    OUT: (s, x) => { s.out = x; },
    DEVICE: (s, x) => { s.device = x; },
    HINT: () => {},
    IGNORED: (s, x, to, p) => {
        if (x !== null && x !== false) throw errorOf('TypeError', `the argument '${p.name}' is not supported`);
    },
    TREE: (s, x, to) => { if (x !== null) put(to, s.hold({h: treeOf(x), owned: true})); },
    SHAPE_OR_NULL: (s, x, to, p) => putShape(to, x, p.name),
    FUNCTION: (s, x, to, p) => {
        if (!(x instanceof Handle)) throw errorOf('TypeError', `${p.name} has to be a function of Kiln`);
        put(to, x.handle);
    },
    OBJECT: (s, x, to, p) => {
        if (!(x instanceof Handle))
            throw errorOf('TypeError', `${p.name} has to be an object of Kiln, not ${describe(x)}`);
        put(to, x.handle);
    },
    PADS: (s, x, to, p) => {
        if (x === null) return;
        if (typeof x === 'string') return put(to + L['kn_lax_pads.type'], text(x));
        const {at, n} = numberRows(x, 2, p.name);
        put(to + L['kn_lax_pads.pair'], at), put(to + L['kn_lax_pads.n'], n);
    },
    PADDING: (s, x, to, p) => {
        const {at, n} = numberRows(x, 3, p.name);
        put(to + L['kn_lax_padding_config.axis'], at), put(to + L['kn_lax_padding_config.n'], n);
    },
    CONV_NUMBERS: (s, x, to, p) => {
        if (x === null) return;
        if (list(x, p.name).length !== 3) throw errorOf('TypeError', `${p.name} has to have three entries`);
        ['lhs', 'rhs', 'out'].forEach((name, i) => {
            if (typeof x[i] === 'string') put(to + L[`kn_lax_conv_numbers.${name}`], text(x[i]));
            else if (x[i] !== null) putAxes(to + L[`kn_lax_conv_numbers.${name}_spec`], x[i], p.name);
        });
    },
    FOUR_AXES: (s, x, to, p) => {
        let all = list(x, p.name);
        if (all.length === 2) all = [...all[0], ...all[1]];
        if (all.length !== 4) throw errorOf('ValueError', `${p.name} have to be four lists of axes`);
        all.forEach((a, i) => { if (a !== null) putAxes(to + i * L.kn_axes, a, p.name); });
    },
    FIVE_AXES: (s, x, to, p) => {
        if (list(x, p.name).length !== 5) throw errorOf('ValueError', `${p.name} have to be five lists of axes`);
        x.forEach((a, i) => { if (a !== null) putAxes(to + i * L.kn_axes, a, p.name); });
    },
    AXIS_NAMES: (s, x, to, p) => {
        const names = typeof x === 'string' ? [x] : list(x, p.name);
        if (names.length > 8) throw errorOf('ValueError', `${p.name}: at most 8 names of axes`);
        put(to + L['kn_axis_names.n'], names.length);
        names.forEach((n, i) => put(to + L['kn_axis_names.name'] + 4 * i, string(n, p.name)));
    },
    AXIS_GROUPS: (s, x, to, p) => {
        if (x === null) return;
        const rows = list(x, p.name), size = rows.length ? rows[0].length : 0, at = room(4 * rows.length * size + 4);
        rows.flat().forEach((v, i) => put(at + 4 * i, integer(v, p.name)));
        put(to + L['kn_axis_groups.n'], rows.length), put(to + L['kn_axis_groups.size'], size);
        put(to + L['kn_axis_groups.lane'], at);
    },
    LANE_PAIRS: (s, x, to, p) => {
        const {at, n} = numberRows(x, 2, p.name);
        put(to + L['kn_lane_pairs.n'], n), put(to + L['kn_lane_pairs.pair'], at);
    },
    LANES: (s, x, to, p) => {
        const {at, n} = numberRows(list(x, p.name).map(v => [v]), 1, p.name);
        put(to + L['kn_lanes.n'], n), put(to + L['kn_lanes.lane'], at);
    },
};
let putters = [], argumentBytes = [], special = [], placeless = [];
whenLoaded(() => {
    for (const [name, k] of Object.entries(K)) putters[k] = put_[name];
    const sizes = {SHAPE: L.kn_shape, AXES: L.kn_axes, SHAPE_OR_NULL: L.kn_shape, PADS: L.kn_lax_pads,
                   PADDING: L.kn_lax_padding_config, CONV_NUMBERS: L.kn_lax_conv_numbers, FOUR_AXES: 4 * L.kn_axes,
                   FIVE_AXES: 5 * L.kn_axes, AXIS_NAMES: L.kn_axis_names, AXIS_GROUPS: L.kn_axis_groups,
                   LANE_PAIRS: L.kn_lane_pairs, LANES: L.kn_lanes, DTYPE_LIKE: L.kn_dtype_like};
    for (const [name, k] of Object.entries(K)) argumentBytes[k] = sizes[name] ?? 16;
    for (const k of [K.OUT, K.DEVICE, K.HINT, K.IGNORED]) placeless[k] = true;
    special = [K.TREE, K.FUNCTION, K.OBJECT, K.PADS, K.PADDING, K.CONV_NUMBERS, K.FOUR_AXES, K.FIVE_AXES, K.AXIS_NAMES,
               K.AXIS_GROUPS, K.LANE_PAIRS, K.LANES];
});
/** A tree of C's of a flat list of arrays. */
export function treeOf(list) {
    const {exports: c} = engine, at = room(4 * list.length + 4);
    list.forEach((x, i) => {
        const {h, owned} = operand(x);
        put(at + 4 * i, c.kn_tree_leaf(h));
        if (owned) c.kn_release(h);
    });
    const tree = c.kn_tree_tuple(list.length, at);
    check();
    return tree;
}

class Call {
    held = [];
    temporary = [];
    outs = [];
    out = null;
    device = null;
    hold({h, owned}) {
        if (!h) check();
        this.held.push({h, owned});
        return h;
    }
    made(x) {
        this.temporary.push(x);
        return x;
    }
    outPlace() {
        const at = room(4);
        this.outs.push(at);
        return at;
    }
    drop() {
        for (const {h, owned} of this.held) if (owned && h) engine.exports.kn_release(h);
        for (const x of this.temporary) x.dispose();
    }
}

// null stands for what is not given, but where it is a value of its own.
const notGiven = (p, x) => x === null && p.option && ![K.AXES, K.AXES_POINTER, K.BOOL].includes(p.kind);

// Lists of whole numbers are integers where nothing else makes sense.
const integerParams = {
    choose: ['a'], bincount: ['x'], ravel_multi_index: ['multi_index'], searchsorted: ['sorter'], packbits: ['a'],
    unpackbits: ['a'], left_shift: ['x1', 'x2'], right_shift: ['x1', 'x2'], bitwise_and: ['x1', 'x2'],
    bitwise_or: ['x1', 'x2'],
    bitwise_xor: ['x1', 'x2'], bitwise_left_shift: ['x1', 'x2'], bitwise_right_shift: ['x1', 'x2'], bitwise_not: ['x'],
    bitwise_invert: ['x'], bitwise_count: ['x'], invert: ['x'], gcd: ['x1', 'x2'], lcm: ['x1', 'x2'], ldexp: ['x2'],
    min_scalar_type: ['a'], unravel_index: ['indices'], binary_repr: ['num'], base_repr: ['number'], ix_: ['args'],
};
const isWhole = x => typeof x === 'number' && Number.isInteger(x);
const isWholes = x => Array.isArray(x) && x.length > 0 && x.every(i => isWhole(i) || isWholes(i));
const integersOf = (s, x) => (isWholes(x) ? s.made(wrapArray(newHandle(x, 'int64')))
    : Array.isArray(x) ? x.map(i => (isWholes(i) ? integersOf(s, i) : i)) : x);
// Numbers that stand alone, with no array beside them, are floats: np.power(2, -1) is 0.5, np.where(m, 1, 0) is
// float32.
function alone(row, values) {
    if (!row.numeric) return null;
    const given = row.operands.filter(i => values[i] !== undefined && values[i] !== null);
    return given.length && given.every(i => typeof values[i] === 'number') ? given.filter(i => isWhole(values[i]))
        : null;
}

function convert(s, row, values, call, options) {
    const floats = alone(row, values);
    row.params.forEach((p, i) => {
        let x = values[i];
        const byName = !p.option && p.kind === K.SHAPE_OR_NULL;
        if (byName) put(call + 4 * p.at, 0);
        if (x === undefined && p.rest) x = [];
        if (x === undefined && !p.option && special.includes(p.kind)) x = null;
        if (x === undefined || notGiven(p, x)) return;
        const lists = [K.SHAPE, K.AXES, K.AXES_POINTER].includes(p.kind);
        if (p.rest && lists && x.length === 1 && typeof x[0] !== 'number') [x] = x;
        else if (p.rest && lists && p.option && x.length === 0) return;
        if (byName && x === null) return;
        let to = options + p.at;
        if (!p.option && !placeless[p.kind]) put(call + 4 * p.at, (to = room(argumentBytes[p.kind])));
        if (floats?.includes(i)) put(to, s.hold({h: numberHandle(x, true), owned: true}));
        else putters[p.kind](s, row.integers.has(p.name) ? integersOf(s, x) : x, to, p);
    });
}

// ---- Results.
let wrapArray = h => h;
/** How a handle becomes an Array (array.js). */
export const onWrap = f => { wrapArray = f; };
/** The handle, which is taken over, as an Array; throws what went wrong. */
export function wrap(h) {
    const {exports: c} = engine;
    if (!h || c.kn_error_pending()) {
        if (h) c.kn_release(h);
        check();
        throw errorOf('RuntimeError', 'no result');
    }
    return wrapArray(h);
}
export function wrapList(list) {
    const {exports: c} = engine, n = c.kn_list_count(list);
    return Array.from({length: n}, (_, i) => wrapArray(c.kn_list_get(list, i)));
}
function value(kind, at) {
    switch (kind) {
    case K.ARRAY: return wrap(get(at));
    case K.OPTIONAL_ARRAY: return get(at) || engine.exports.kn_error_pending() ? wrap(get(at)) : null;
    case K.ARRAYS: return wrapList(get(at));
    case K.SHAPE: return Array.from({length: get(at)}, (_, i) => getInt(at + L['kn_shape.dim'] + 8 * i));
    case K.AXES: return Array.from({length: Math.max(0, (get(at) | 0) - 1)},
        (_, i) => get(at + L['kn_axes.axis'] + 4 * i) | 0);
    case K.DTYPE: return get(at) ? dtypeName(get(at)) : null;
    case K.BOOL: return get8(at) !== 0;
    case K.INT: return getInt(at);
    case K.INT32: return get(at) | 0;
    case K.FLOAT: return getDouble(at);
    case K.STRING: return textAt(get(at));
    case K.CHARACTER: return String.fromCharCode(get8(at));
    case K.OBJECT: return new Handle(get(at));
    case K.TREE: return wrapList(engine.exports.kn_tree_leaves(get(at)));
    default: return undefined;
    }
}
const structures = new Map();
function structure(at, from) {
    let members = structures.get(at);
    if (!members) {
        const list = get(at + L['knb_struct.member']);
        members = Array.from({length: get16(at + L['knb_struct.n'])}, (_, i) => {
            const m = list + i * L.knb_member;
            return {name: textAt(get(m + L['knb_member.name'])), kind: get8(m + L['knb_member.kind']),
                    at: get16(m + L['knb_member.at'])};
        });
        structures.set(at, members);
    }
    // an array of the members that has their names, too: const [q, r] = ...; const {q, r} = ...
    const all = members.map(m => value(m.kind === K.ARRAY ? K.OPTIONAL_ARRAY : m.kind, from + m.at));
    members.forEach((m, i) => Object.defineProperty(all, camel(m.name), {value: all[i]}));
    return all;
}

/** What is done around a call whose result is put on a device (device.js). */
let onDevice = (device, f) => f();
export const setOnDevice = f => { onDevice = f; };

function run(row, args, entry) {
    const m = mark(), s = new Call();
    try {
        const values = bind(row, args);
        const call = room(L.knb_call), options = row.defaults ? room(4096) : 0;
        const table = engine.exports.__indirect_function_table;
        if (options) table.get(row.defaults)(options);
        put(call + L['knb_call.options'], options);
        convert(s, row, values, call + L['knb_call.arg'], options);
        here(entry);
        const go = () => table.get(row.call)(call);
        if (s.device) onDevice(s.device, go);
        else go();
        const result = call + L['knb_call.result'];
        if (row.result === K.ARRAY && s.held.some(x => x.h === get(result) && x.h))
            engine.exports.kn_retain(get(result));
        if (row.result !== K.ARRAY) check();
        let y = row.result === K.STRUCT ? structure(row.structure, result) : value(row.result, result);
        if (s.out) y = writeOut(s.out, y);
        return s.outs.length ? [y, ...s.outs.map(at => wrap(get(at)))] : y;
    } finally {
        s.drop();
        release(m);
    }
}
function writeOut(out, y) {
    if (!(out instanceof Handle)) throw errorOf('TypeError', 'out has to be an array of Kiln');
    rowCall('kiln.numpy', 'copyto', [out, y]);
    y.dispose();
    return out;
}

/** Calls the function of this row. entry: the function that the user called. */
export function invoke(row, args, entry = invoke) {
    const h = quickly(row, args, entry);
    if (h) return wrap(h);
    return row.scoped ? scoped(() => run(row, args, entry)) : run(row, args, entry);
}
export const rowCall = (module, name, args, entry = rowCall) => invoke(rowOf(module, name), args, entry);

onCast((h, dtype) => {
    const x = wrapArray(h); // borrowed: what it is of is released by the caller
    engine.exports.kn_retain(h);
    const y = rowCall('kiln.numpy', 'astype', [x, dtype]);
    x.dispose();
    const out = y.handle;
    engine.exports.kn_retain(out);
    y.dispose();
    return out;
});
onStack((x, dtype) => {
    const y = rowCall('kiln.numpy', 'stack', [x.map(v => wrapArray(newHandle(v, dtype)))]);
    const out = y.handle;
    engine.exports.kn_retain(out);
    y.dispose();
    return out;
});
