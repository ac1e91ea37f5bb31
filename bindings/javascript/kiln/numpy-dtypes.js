// SPDX-License-Identifier: Apache-2.0
// numpy-dtypes.js -- what dtypes are among each other, their limits, print options, and what becomes of errors of
// floats.
import {engine, ensure, get, get8, getInt, mark, put, put8, putInt, release, room, text, textAt} from './engine.js';
import {isNumber, operand, shapeAt} from './convert.js';
import {DType, dtypeHandle, dtypeName} from './dtype.js';
import {describe, errorOf} from './errors.js';
import {Handle, check, scoped} from './handles.js';
import {rowCall} from './call.js';
import {here} from './place.js';
import {defineAll} from './signature.js';

const np = (name, ...args) => rowCall('kiln.numpy', name, args);

/** f(n, addresses of kn_arrays) */
function withHandles(list, f) {
    return scoped(() => {
        const owned = [], at = room(4 * list.length + 4);
        try {
            list.forEach((x, i) => {
                const o = operand(x);
                if (o.owned) owned.push(o.h);
                put(at + 4 * i, o.h);
            });
            return f(list.length, at);
        } finally {
            for (const h of owned) engine.exports.kn_release(h);
        }
    });
}
/** The dtype that these arrays, dtypes and numbers have together; numbers adapt. */
export function resultType(...all) {
    ensure();
    if (!all.length) throw errorOf('ValueError', 'at least one array or dtype is required');
    const {L, exports: c} = engine, arrays = all.filter(x => typeof x !== 'string');
    return withHandles(arrays, (_, handles) => {
        const at = room(L.kn_dtype_like * all.length);
        let k = 0;
        all.forEach((x, i) => {
            const like = at + i * L.kn_dtype_like;
            if (typeof x === 'string') put(like + L['kn_dtype_like.text'], text(x));
            else put(like + L['kn_dtype_like.array'], get(handles + 4 * k++));
        });
        here(resultType);
        const d = c.kn_result_type(all.length, at);
        check();
        return dtypeName(d >>> 0);
    });
}
function commonType(...arrays) {
    ensure();
    return withHandles(arrays, (n, at) => {
        here(commonType);
        const d = engine.exports.kn_common_type(n, at);
        check();
        return dtypeName(d >>> 0);
    });
}
/** The shape that these have together. */
export function broadcastShapes(...shapes) {
    ensure();
    const {L, exports: c} = engine, m = mark();
    try {
        const at = room(L.kn_shape * (shapes.length + 1)), out = room(L.kn_shape);
        shapes.forEach((s, i) => shapeAt(typeof s === 'number' ? [s] : s, at + i * L.kn_shape));
        here(broadcastShapes);
        c.kn_broadcast_shapes(out, shapes.length, at);
        check();
        return Array.from({length: Math.max(0, get(out) | 0)}, (_, i) => getInt(out + L['kn_shape.dim'] + 8 * i));
    } finally {
        release(m);
    }
}

const like = x => (typeof x === 'string' ? x : x instanceof Handle ? x.dtype : x);
/** Limits of a dtype of floats, or of complex numbers of such. */
function finfo(dtype) {
    const r = np('_finfo', like(dtype)), all = {};
    for (const name of ['dtype', 'bits', 'nmant', 'nexp', 'iexp', 'machep', 'negep', 'maxexp', 'minexp', 'precision',
        'eps',
        'epsneg', 'max', 'min', 'resolution', 'smallestNormal', 'smallestSubnormal', 'tiny']) all[name] = r[name];
    return Object.freeze(all);
}
/** Limits of a dtype of integers; those of 64 bits are BigInts. */
function iinfo(dtype) {
    const r = np('_iinfo', like(dtype)), unsigned = r.kind === 'u';
    const wide = x => (r.bits < 64 ? Number(x) : unsigned ? BigInt.asUintN(64, BigInt(x)) : BigInt(x));
    return Object.freeze({dtype: r.dtype, bits: r.bits, kind: r.kind, key: r.key, min: wide(r.min), max: wide(r.max)});
}

// ---- Print options.
const optionNames = ['precision', 'threshold', 'edgeitems', 'linewidth', 'suppress', 'floatmode', 'sign', 'nanstr',
    'infstr'];
const otherNames = {max_line_width: 'linewidth', maxLineWidth: 'linewidth', suppress_small: 'suppress',
    suppressSmall: 'suppress'};
const unset = -0x80000000; // KN_AS_SET
const modes = ['fixed', 'unique', 'maxprec', 'maxprec_equal'];
/** The address of a kn_print_opts of these options, in scratch memory; 0 for none. */
export function printOptions(options) {
    const {L} = engine, at = room(L.kn_print_opts), of = n => at + L[`kn_print_opts.${n}`];
    const given = Object.entries(options ?? {}).filter(([, v]) => v !== null && v !== undefined);
    put(at, L.kn_print_opts);
    for (const n of ['precision', 'edgeitems', 'linewidth', 'suppress']) put(of(n), unset);
    putInt(of('threshold'), unset);
    for (const [key, value] of given) {
        const name = otherNames[key] ?? key;
        if (!optionNames.includes(name)) throw errorOf('TypeError', `there is no print option '${name}'`);
        if (name === 'floatmode' && !modes.includes(value))
            throw errorOf('ValueError', `floatmode option must be one of ${modes.map(m => `"${m}"`).join(', ')}`);
        if (name === 'sign' && !['-', '+', ' '].includes(value))
            throw errorOf('ValueError', "sign option must be one of ' ', '+', or '-'");
        if (['floatmode', 'nanstr', 'infstr'].includes(name)) put(of(name), text(value));
        else if (name === 'sign') put8(of(name), value.charCodeAt(0));
        else if (name === 'threshold') putInt(of(name), value === Infinity ? 2n ** 62n : value);
        else if (name !== 'suppress' && !Number.isInteger(value))
            throw errorOf('TypeError', `${name} must be an integer`);
        else put(of(name), Number(value));
    }
    return at;
}
export function getPrintoptions() {
    ensure();
    return scoped(() => {
        const {L, exports: c} = engine, at = room(L.kn_print_opts), of = n => at + L[`kn_print_opts.${n}`], all = {};
        c.kn_get_printoptions(at);
        for (const n of ['precision', 'edgeitems', 'linewidth']) all[n] = get(of(n)) | 0;
        all.threshold = getInt(of('threshold'));
        all.suppress = get(of('suppress')) !== 0;
        for (const n of ['floatmode', 'nanstr', 'infstr']) all[n] = textAt(get(of(n)));
        all.sign = String.fromCharCode(get8(of('sign')));
        return all;
    });
}
/** How arrays are shown from now on: precision, threshold, edgeitems, linewidth, suppress, floatmode, sign, ... */
export function setPrintoptions(options = {}) {
    ensure();
    const m = mark();
    try {
        engine.exports.kn_set_printoptions(printOptions(options));
        check();
    } finally {
        release(m);
    }
}
/** f() with these options; without f an object for `using`, which puts the former ones back. */
export function printoptions(options, f = null) {
    if (f !== null && typeof f !== 'function')
        throw errorOf('TypeError', `printoptions: a function is wanted second, not ${describe(f)}`);
    const before = getPrintoptions(), back = () => setPrintoptions(before);
    setPrintoptions(options);
    if (!f) return {dispose: back, [Symbol.dispose ?? Symbol('dispose')]: back};
    try {
        return f();
    } finally {
        back();
    }
}
const textOf = (name, x, options) => scoped(() => {
    const o = operand(x);
    try {
        const s = textAt(engine.exports[name](o.h, options ? printOptions(options) : 0));
        check();
        return s;
    } finally {
        if (o.owned) engine.exports.kn_release(o.h);
    }
});

// ---- Divisions by zero, overflows, underflows, invalid values.
const kinds = ['divide', 'over', 'under', 'invalid'];
const modesOf = r => Object.fromEntries(kinds.map(k => [k, r[k]]));
function seterr(options) {
    const before = modesOf(np('geterr'));
    np('seterr', options);
    return before;
}
/** f() with other modes: errstate({divide: "raise"}, () => ...); without f an object for `using`. */
function errstate(options, f = null) {
    ensure();
    const before = seterr(options), back = () => void seterr(before);
    if (!f) return {dispose: back, [Symbol.dispose ?? Symbol('dispose')]: back};
    try {
        return f();
    } finally {
        back();
    }
}

const aliases = {
    bool: 'bool', bool_: 'bool', byte: 'int8', short: 'int16', intc: 'int32', int_: 'int64', intp: 'int64',
        long: 'int64',
    ubyte: 'uint8', ushort: 'uint16', uintc: 'uint32', uint: 'uint64', half: 'float16', single: 'float32',
    double: 'float64', csingle: 'complex64', cdouble: 'complex128',
};
const abstract = ['generic', 'number', 'integer', 'signedinteger', 'unsignedinteger', 'inexact', 'floating',
    'complexfloating'];

const kindNames = ['bool', 'signed integer', 'unsigned integer', 'integral', 'real floating', 'complex floating',
    'numeric'];
function isSame(d, name) {
    if (!Object.values(DType).includes(name))
        throw errorOf('ValueError', `kind argument is a string, but '${name}' is not a known kind name.`);
    return dtype(d) === name;
}
/** @returns {string} the name of a dtype: dtype("f4") is "float32" */
function dtype(x) {
    ensure();
    return x instanceof Handle ? x.dtype : dtypeName(dtypeHandle(x));
}

export const dtypes = {
    ...Object.fromEntries(Object.values(DType).map(d => [d, d])), ...aliases,
        ...Object.fromEntries(abstract.map(n => [n, n])),
    DType, dtype, resultType, result_type: resultType, commonType, common_type: commonType, printoptions, errstate,
    getPrintoptions, get_printoptions: getPrintoptions, setPrintoptions, set_printoptions: setPrintoptions,
    ...defineAll([
        ['finfo(dtype)', finfo],
        ['iinfo(type)', iinfo],
        ['isdtype(dtype, kind)', (d, kind) => (Array.isArray(kind) ? kind : [kind]).some(k =>
            (typeof k === 'string' && !kindNames.includes(k) ? isSame(d, k) : np('isdtype', d, k)))],
        ['can_cast(from_, to, casting=)', (from, to, casting = 'safe') => {
            if (isNumber(from)) throw errorOf('TypeError', 'can_cast() does not support numbers of JavaScript');
            return np('can_cast', from, to, casting);
        }],
        ['geterr()', () => modesOf(np('geterr'))],
        ['seterr(*, all=, divide=, over=, under=, invalid=)', (all, divide, over, under, invalid) =>
            seterr({all, divide, over, under, invalid})],
        ['array_str(a, **options)', (a, options) => textOf('kn_array_str', a, options)],
        ['array_repr(a, **options)', (a, options) => textOf('kn_array_repr', a, options)],
    ]),
};
