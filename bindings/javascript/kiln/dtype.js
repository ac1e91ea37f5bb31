// SPDX-License-Identifier: Apache-2.0
// dtype.js -- dtypes are their names, as in NumPy and jax-js; what typed array has the elements of each.
import {engine, mark, release, text, textAt} from './engine.js';
import {describe, errorOf} from './errors.js';

export const DType = Object.freeze({
    Bool: 'bool', Int8: 'int8', Int16: 'int16', Int32: 'int32', Int64: 'int64', Uint8: 'uint8', Uint16: 'uint16',
    Uint32: 'uint32', Uint64: 'uint64', BFloat16: 'bfloat16', Float16: 'float16', Float32: 'float32',
    Float64: 'float64', Complex64: 'complex64', Complex128: 'complex128',
});

/** Of a dtype's elements in memory. bool: 0 and 1; complex: real and imaginary parts side by side. */
export const typedArrays = {
    bool: Uint8Array, int8: Int8Array, int16: Int16Array, int32: Int32Array, int64: BigInt64Array, uint8: Uint8Array,
    uint16: Uint16Array, uint32: Uint32Array, uint64: BigUint64Array, float32: Float32Array, float64: Float64Array,
    complex64: Float32Array, complex128: Float64Array, float16: globalThis.Float16Array ?? Uint16Array,
    bfloat16: Uint16Array, key: Uint32Array,
};
const ofTyped = new Map([
    [Int8Array, 'int8'], [Int16Array, 'int16'], [Int32Array, 'int32'], [BigInt64Array, 'int64'], [Uint8Array, 'uint8'],
    [Uint8ClampedArray, 'uint8'], [Uint16Array, 'uint16'], [Uint32Array, 'uint32'], [BigUint64Array, 'uint64'],
    [Float32Array, 'float32'], [Float64Array, 'float64'],
    ...(globalThis.Float16Array ? [[globalThis.Float16Array, 'float16']] : []),
]);
/** "float32" of a Float32Array; null for what is none. */
export const dtypeOfTyped = x => (ArrayBuffer.isView(x) ? ofTyped.get(x.constructor) ?? null : null);

const known = new Map(), names = new Map();
/** C's dtype of a name; null: not given. Unknown names are a TypeError. */
export function dtypeHandle(name) {
    if (name === null || name === undefined) return 0;
    let d = known.get(name);
    if (d === undefined) {
        if (typeof name !== 'string') throw errorOf('TypeError', `${describe(name)} is no dtype`);
        const m = mark();
        d = engine.exports.kn_dtype_named(text(name)) >>> 0;
        release(m);
        if (!d) {
            engine.exports.kn_error_clear();
            throw errorOf('TypeError', `data type '${name}' not understood`);
        }
        known.set(name, d);
    }
    return d;
}
export function dtypeName(handle) {
    let name = names.get(handle);
    if (name === undefined) names.set(handle, (name = textAt(engine.exports.kn_dtype_name(handle))));
    return name;
}
/** 'b', 'i', 'u', 'f', 'c' as NumPy's dtype.kind. */
export const dtypeKind = name => String.fromCharCode(engine.exports.kn_dtype_kind(dtypeHandle(name)));
export const dtypeSize = name => engine.exports.kn_dtype_size(dtypeHandle(name));
