// SPDX-License-Identifier: Apache-2.0
// convert.js -- values of JavaScript as arrays, and arrays as values of JavaScript.
//
// A number is an operand that waits for its dtype, as in JAX: an integer takes the dtype of the array beside it, others
// make integers floats. Arrays of numbers become float32, of truth values bool, of BigInts int64, unless a dtype is
// given. A complex number is {re, im}.
import {bytes, engine, mark, put, putInt, release, room} from './engine.js';
import {dtypeHandle, dtypeOfTyped, dtypeSize, typedArrays} from './dtype.js';
import {describe, errorOf} from './errors.js';
import {check} from './handles.js';

let isArray = () => false; // of array.js
const askers = [];
/** f(isArray) when array.js says what an array is. */
export const onArray = f => askers.push(f);
export const setIsArray = f => {
    isArray = f;
    for (const ask of askers) ask(f);
};

export const isKilnArray = x => isArray(x);
export const isComplex = x => x !== null && typeof x === 'object' && typeof x.re === 'number' &&
    typeof x.im === 'number';
export const isNumber = x => typeof x === 'number' || typeof x === 'bigint' || typeof x === 'boolean' || isComplex(x);
export const isArrayLike = x => isArray(x) || Array.isArray(x) || dtypeOfTyped(x) !== null || isNumber(x);

/** A new handle of a number: weak but for truth values. */
export function numberHandle(x, floats = false) {
    const c = engine.exports;
    if (typeof x === 'number')
        return Number.isSafeInteger(x) && !floats && !Object.is(x, -0) ? c.kjs_like_int(x) : c.kn_like_double(x);
    if (typeof x === 'boolean') {
        const m = mark(), at = room(1);
        bytes()[at] = x ? 1 : 0;
        const h = c.kn_strong(at, dtypeHandle('bool'));
        release(m);
        return h;
    }
    if (typeof x === 'bigint') {
        if (x < -(2n ** 63n) || x >= 2n ** 64n) throw errorOf('OverflowError', `${x} has more than 64 bits`);
        return x < 2n ** 63n ? c.kn_like_int(x) : c.kn_like_uint(x);
    }
    return c.kn_like_complex(x.re, x.im);
}

export function shapeAt(shape, at = room(engine.L.kn_shape)) {
    if (shape.length > 64) throw errorOf('ValueError', `${shape.length} axes are more than 64`);
    put(at, shape.length);
    shape.forEach((n, i) => {
        if (!Number.isSafeInteger(n)) throw errorOf('TypeError', `an extent has to be an integer, not ${describe(n)}`);
        putInt(at + engine.L['kn_shape.dim'] + 8 * i, n);
    });
    return at;
}

function fromBytes(view, shape, dtype) {
    const c = engine.exports, m = mark();
    const at = c.malloc(view.byteLength || 1) >>> 0;
    if (!at) throw errorOf('MemoryError', `no memory for ${view.byteLength} bytes`);
    bytes().set(new Uint8Array(view.buffer, view.byteOffset, view.byteLength), at);
    const h = c.kn_from_memory(at, shapeAt(shape), dtypeHandle(dtype));
    c.free(at);
    release(m);
    check();
    return h;
}

function survey(x, shape, kinds, axis = 0) {
    if (!Array.isArray(x)) {
        if (axis !== shape.length) inhomogeneous(shape, axis);
        const kind = isComplex(x) ? 'complex' : typeof x;
        if (!['number', 'boolean', 'bigint', 'complex'].includes(kind))
            throw errorOf('TypeError', `an element of an array cannot be ${describe(x)}`);
        kinds.add(kind);
        return;
    }
    if (axis > 64) throw errorOf('ValueError', 'too many dimensions: an array that contains itself?');
    if (axis >= shape.length) {
        if (kinds.size) inhomogeneous(shape, axis);
        shape.push(x.length);
    } else if (shape[axis] !== x.length)
        inhomogeneous(shape, axis);
    for (const item of x) survey(item, shape, kinds, axis + 1);
}
function inhomogeneous(shape, axis) {
    const found = `(${shape.slice(0, axis).join(', ')}${axis === 1 ? ',' : ''})`;
    throw errorOf('ValueError', 'setting an array element with a sequence. The requested array has an inhomogeneous ' +
        `shape after ${axis} dimensions. The detected shape was ${found} + inhomogeneous part.`);
}
const hasArrays = x => Array.isArray(x) && x.some(i => isArray(i) || dtypeOfTyped(i) !== null || hasArrays(i));

/** A new handle of nested arrays of numbers; empty ones are of `empty`. */
export function nestedHandle(x, dtype = null, empty = 'float32') {
    const shape = [], kinds = new Set();
    survey(x, shape, kinds);
    const flat = Array.isArray(x) ? x.flat(Infinity) : [x];
    let natural = kinds.has('complex') ? 'complex64' : kinds.has('number') ? 'float32' : kinds.has('bigint') ? 'int64'
        : kinds.has('boolean') ? 'bool' : empty;
    if (natural === 'int64' && flat.some(v => typeof v === 'bigint' && v >= 2n ** 63n)) natural = 'uint64';
    const whole = dtype ?? (natural.endsWith('int64') ? natural : null);
    if (limits[whole]) checkRange(flat, whole);
    if (dtype && natural === 'complex64') natural = 'complex128';
    if (dtype && natural === 'float32') natural = 'float64'; // one rounding, to the dtype that is wanted
    if (dtype && typedArrays[dtype] && (dtype.startsWith('int64') || dtype === 'uint64') && !kinds.has('complex')) {
        const all = flat.map(v => (typeof v === 'bigint' ? v : toBig(v, dtype)));
        return fromBytes((dtype === 'int64' ? BigInt64Array : BigUint64Array).from(all), shape, dtype);
    }
    const typed = typedArrays[natural];
    const items = natural.startsWith('complex')
        ? typed.from(flat.flatMap(v => (isComplex(v) ? [v.re, v.im] : [Number(v), 0])))
        : natural.endsWith('int64') ? typed.from(flat.map(v => BigInt(v))) : typed.from(flat, Number);
    const h = fromBytes(items, shape, natural);
    return dtype && dtype !== natural ? castHandle(h, dtype) : h;
}
function toBig(v, dtype) {
    if (!Number.isFinite(Number(v))) throw errorOf('ValueError', `cannot convert ${v} to ${dtype}`);
    return typeof v === 'number' ? BigInt(Math.trunc(v)) : BigInt(v);
}
const bits = {int8: 8, int16: 16, int32: 32, int64: 64};
const limits = Object.fromEntries(Object.entries(bits).flatMap(([name, n]) =>
    [[name, [-(2n ** BigInt(n - 1)), 2n ** BigInt(n - 1) - 1n]], [`u${name}`, [0n, 2n ** BigInt(n) - 1n]]]));
function checkRange(flat, dtype) { // as NumPy has it; fractions are cut off
    const [low, high] = limits[dtype];
    for (const v of flat) {
        if (typeof v !== 'bigint' && typeof v !== 'number') continue;
        if (v !== v) throw errorOf('ValueError', 'cannot convert float NaN to integer');
        if (v === Infinity || v === -Infinity) throw errorOf('OverflowError', 'cannot convert float infinity to integer');
        const whole = typeof v === 'number' ? Math.trunc(v) : v;
        if (whole < low || whole > high) throw errorOf('OverflowError', `integer ${whole} out of bounds for ${dtype}`);
    }
}
/** {h, owned}: what is written to elements of this dtype; each number of a list has to fit. */
export function valuesFor(dtype, x) {
    if (!limits[dtype] || !Array.isArray(x) || hasArrays(x)) return operand(x);
    return {h: newHandle(x, dtype), owned: true};
}
let cast = null; // of call.js: a row of the table
export const onCast = f => { cast = f; };
/** The array in another dtype; the handle is taken over. */
export function castHandle(h, dtype) {
    try {
        return cast(h, dtype);
    } finally {
        engine.exports.kn_release(h);
    }
}
let stack = null;
export const onStack = f => { stack = f; };

/** A new handle of anything that is like an array. Throws a TypeError for the rest. */
export function newHandle(x, dtype = null, empty = 'float32') {
    const c = engine.exports;
    if (isArray(x)) {
        const h = x.handle;
        c.kn_retain(h);
        return dtype && dtype !== x.dtype ? castHandle(h, dtype) : h;
    }
    const typed = dtypeOfTyped(x);
    if (typed) {
        const h = fromBytes(x, [x.length], typed);
        return dtype && dtype !== typed ? castHandle(h, dtype) : h;
    }
    if (Array.isArray(x)) return hasArrays(x) ? stack(x, dtype) : nestedHandle(x, dtype, empty);
    if (isNumber(x)) return nestedHandle(x, dtype);
    throw errorOf('TypeError', `${describe(x)} is no array`);
}

/** {h, owned}: an operand; owned ones are released after the call. */
export function operand(x) {
    if (isArray(x)) return {h: x.handle, owned: false};
    const h = isNumber(x) ? numberHandle(x) : newHandle(x);
    if (!h) check();
    return {h, owned: true};
}

/** Elements in memory, a copy: a typed array of the dtype's kind. */
export function elements(h, count, dtype) {
    const c = engine.exports, size = count * dtypeSize(dtype), Typed = typedArrays[dtype] ?? Uint8Array;
    const at = c.malloc(size || 1) >>> 0;
    if (!at) throw errorOf('MemoryError', `no memory for ${size} bytes`);
    try {
        c.kn_copy_to(h, at, size);
        check();
        const out = new Uint8Array(size);
        out.set(bytes().subarray(at, at + size));
        return new Typed(out.buffer);
    } finally {
        c.free(at);
    }
}

// Numbers of a typed array as JavaScript has them: bools, safe integers as numbers, complex numbers as {re, im}.
function half(u) {
    const s = u & 0x8000 ? -1 : 1, e = (u >> 10) & 31, m = u & 1023;
    return e === 31 ? (m ? NaN : s * Infinity) : e ? s * 2 ** (e - 15) * (1 + m / 1024) : s * 2 ** -14 * (m / 1024);
}
const word = new Uint32Array(1), single = new Float32Array(word.buffer);
const brain = u => ((word[0] = u << 16), single[0]);
export function numberAt(data, i, dtype) {
    if (dtype === 'bool') return data[i] !== 0;
    if (dtype.startsWith('complex')) return {re: data[2 * i], im: data[2 * i + 1]};
    if (dtype === 'bfloat16') return brain(data[i]);
    if (dtype === 'float16' && data instanceof Uint16Array) return half(data[i]);
    const x = data[i];
    return typeof x === 'bigint' && x >= Number.MIN_SAFE_INTEGER && x <= Number.MAX_SAFE_INTEGER ? Number(x) : x;
}
export function nest(data, shape, dtype, axis = 0, from = 0) {
    if (axis === shape.length) return numberAt(data, from, dtype);
    let step = 1;
    for (let i = axis + 1; i < shape.length; i++) step *= shape[i];
    return Array.from({length: shape[axis]}, (_, i) => nest(data, shape, dtype, axis + 1, from + i * step));
}
