// SPDX-License-Identifier: Apache-2.0
// creation.js -- arrays of values of JavaScript, of ranges, grids and functions. Numbers without a dtype become float32
// (of truth values bool), as jax-js has it; ranges of integers are int32.
import {ensure} from './engine.js';
import {isNumber, newHandle} from './convert.js';
import {describe, errorOf, explaining} from './errors.js';
import {KilnArray} from './array.js';
import {rowCall} from './call.js';
import {Slice} from './indexing.js';
import {defineAll} from './signature.js';
import {broadcastShapes, resultType} from './numpy-dtypes.js';

const np = (name, ...args) => rowCall('kiln.numpy', name, args);
const isInt = n => typeof n === 'bigint' || Number.isInteger(n);
const isInt32 = n => isInt(n) && n >= -(2 ** 31) && n < 2 ** 31;

/** np.array: a new array of nested lists, a typed array (of its dtype), a number or an array. {dtype, shape, copy,
 * ndmin, device} */
export function array(x, options = {}) {
    if (options === null || typeof options !== 'object')
        throw errorOf('TypeError', `array: options are an object, not ${describe(options)}`);
    const {dtype = null, shape = null, copy = true, ndmin = 0, device = null} = options;
    ensure();
    let y = new KilnArray(newHandle(x, dtype));
    if (copy && x instanceof KilnArray && y.handle === x.handle) y = np('copy', y);
    if (device) y = np('asarray', y, {device});
    if (shape) y = np('reshape', y, shape);
    return y.ndim < ndmin ? np('reshape', y, [...new Array(ndmin - y.ndim).fill(1), ...y.shape]) : y;
}
/** np.asarray: the same, but an array that has the dtype is itself. */
export function asarray(x, dtype = null, options = {}) {
    if (dtype !== null && typeof dtype === 'object') return asarray(x, dtype.dtype ?? null, dtype);
    ensure();
    if (options.copy === false && !(x instanceof KilnArray && (!dtype || x.dtype === dtype)))
        throw errorOf('ValueError', 'Unable to avoid copy while creating an array as requested.');
    return x instanceof KilnArray && (!dtype || x.dtype === dtype) && !options.device ? x
        : array(x, {...options, dtype, copy: false});
}

function range(start, stop, step, dtype, device) {
    if (stop === undefined) [start, stop] = [0, start];
    start ??= 0, step ??= 1;
    for (const n of [start, stop, step])
        if (!isNumber(n) && !(n instanceof KilnArray))
            throw errorOf('TypeError', `arange() takes numbers, not ${describe(n)}`);
    const all = [start, stop, step];
    dtype ??= all.every(isInt32) ? 'int32' : all.every(isInt) ? 'int64' : undefined;
    return np('arange', start, stop, step, {dtype, device});
}
const axisOf = s => {
    const {start, stop, step} = s instanceof Slice ? s : {start: s[0], stop: s[1], step: s[2]};
    if (step !== null && typeof step === 'object') return np('linspace', start ?? 0, stop, Math.abs(step.im));
    return range(start ?? 0, stop, step ?? 1);
};
const shared = axes => {
    const dtype = axes.length ? resultType(...axes) : null;
    return axes.map(a => np('astype', a, dtype));
};
/** np.mgrid([0, 3], [0, 1, {re: 0, im: 5}]): grids by [start, stop, step]; an imaginary step is a number of points. */
export function mgrid(...slices) {
    ensure();
    if (slices.length === 1) return axisOf(slices[0]);
    return np('stack', np('_meshgrid', shared(slices.map(axisOf)), {indexing: 'ij'}));
}
export function ogrid(...slices) {
    ensure();
    if (slices.length === 1) return axisOf(slices[0]);
    return np('_meshgrid', shared(slices.map(axisOf)), {indexing: 'ij', sparse: true});
}
// np.r_ and np.c_: slices, arrays and numbers joined along an axis; "axis,ndmin,trans1d" may come first.
function joiner(axis, ndmin, trans1d) {
    return (...items) => {
        ensure();
        let [a, n, t] = [axis, ndmin, trans1d];
        if (typeof items[0] === 'string') {
            const numbers = items.shift().split(',').map(Number);
            if (numbers.some(Number.isNaN)) throw errorOf('ValueError', "matrices ('r' and 'c') are not supported");
            [a, n, t] = [numbers[0], numbers[1] ?? ndmin, numbers[2] ?? -1];
        }
        const parts = items.map(i => (i instanceof Slice ? axisOf(i) : asarray(i)));
        const dtype = resultType(...items.map((i, k) => (isNumber(i) ? i : parts[k])));
        return np('concatenate', parts.map(p => np('astype', widened(p, n, t), dtype)), a);
    };
}
function widened(part, ndmin, trans1d) {
    if (!part.ndim) return np('reshape', part, new Array(Math.max(ndmin, 1)).fill(1));
    const more = Math.max(ndmin - part.ndim, 0), wide = np('reshape', part,
        [...new Array(more).fill(1), ...part.shape]);
    if (!more || trans1d === -1) return wide;
    const at = trans1d >= 0 ? trans1d : trans1d + more + 1, order = Array.from({length: more}, (_, i) => i);
    order.splice(at, 0, ...Array.from({length: part.ndim}, (_, i) => more + i));
    return np('transpose', wide, order);
}
export const r_ = joiner(0, 1, -1), c_ = joiner(-1, 2, 0);

function block(arrays) {
    const depthOf = x => {
        if (!Array.isArray(x)) return 0;
        if (!x.length) throw errorOf('ValueError', 'List at arrays cannot be empty');
        const depths = x.map(depthOf);
        if (depths.some(d => d !== depths[0])) throw errorOf('ValueError', 'List depths are mismatched.');
        return 1 + depths[0];
    };
    const widest = x => (Array.isArray(x) ? Math.max(...x.map(widest)) : asarray(x).ndim);
    const depth = depthOf(arrays), ndmin = Math.max(depth, widest(arrays));
    const join = (x, level) => (level === depth ? array(x, {copy: false, ndmin})
        : np('concatenate', x.map(y => join(y, level + 1)), {axis: level - depth}));
    return join(arrays, 0);
}
function meshgrid(xs, {indexing = 'xy', sparse = false} = {}) {
    if (!['xy', 'ij'].includes(indexing)) throw errorOf('ValueError', "Valid values for `indexing` are 'xy' and 'ij'.");
    return xs.length ? np('_meshgrid', xs, {indexing, sparse}) : [];
}
const indices = (dimensions, dtype = 'int32', sparse = false) =>
    np(sparse ? '_indices_sparse' : '_indices', dimensions, {dtype});
/** All positions of a shape, in C order. */
export function* ndindex(...shape) {
    const extents = shape.length === 1 && Array.isArray(shape[0]) ? shape[0] : shape;
    if (extents.some(n => n < 0)) throw errorOf('ValueError', 'negative dimensions are not allowed');
    const at = extents.map(() => 0);
    for (let n = extents.reduce((a, b) => a * b, 1); n > 0; n--) {
        yield [...at];
        for (let i = at.length - 1; i >= 0 && ++at[i] === extents[i]; i--) at[i] = 0;
    }
}
export function* ndenumerate(x) {
    const y = asarray(x), all = y.flatten().tolist();
    let i = 0;
    for (const at of ndindex(y.shape)) yield [at, all[i++]];
}
// Positions of a Slice or of a list in an array, as integers.
function positionsOf(arr, obj, axis) {
    if (Array.isArray(obj) && !obj.length) return new BigInt64Array(0);
    if (!(obj instanceof Slice)) return obj;
    const x = asarray(arr), n = axis === undefined ? x.size : x.shape[axis < 0 ? axis + x.ndim : axis];
    return np('arange', 0, n, 1, {dtype: 'int64'}).slice(obj);
}

export const creation = {
    array, asarray, mgrid: explaining('mgrid', mgrid), ogrid: explaining('ogrid', ogrid), r_, c_, ndindex, ndenumerate,
    s_: (...index) => (index.length === 1 ? index[0] : index),
    ...defineAll([
        ['asanyarray(a, dtype=, *, device=)', (a, dtype, device) => asarray(a, dtype ?? null, {device})],
        ['ascontiguousarray(a, dtype=)', (a, dtype) => array(np('ascontiguousarray', asarray(a, dtype ?? null)),
            {copy: false, ndmin: 1})],
        ['asfortranarray(a, dtype=)', (a, dtype) => array(np('asfortranarray', asarray(a, dtype ?? null)),
            {copy: false, ndmin: 1})],
        ['arange(start, stop=, step=, *, dtype=, device=)', range],
        ['full(shape, fill_value, dtype=, *, device=)', (shape, value, dtype, device) => np('full', shape,
            Number.isInteger(value) || typeof value === 'bigint' ? array(value, {dtype: dtype ?? null})
                : dtype === undefined && (typeof value === 'number' || Array.isArray(value)) ? array(value) : value,
            {dtype, device})],
        ['frombuffer(buffer, dtype=, count=, offset=)', (buffer, dtype = 'float32', count = -1, offset = 0) => {
            const all = ArrayBuffer.isView(buffer) ? new Uint8Array(buffer.buffer, buffer.byteOffset,
                buffer.byteLength) : new Uint8Array(buffer);
            const size = np('zeros', [], {dtype}).itemsize;
            if (count < 0 && (all.length - offset) % size)
                throw errorOf('ValueError', 'buffer size must be a multiple of element size');
            if (count >= 0 && offset + count * size > all.length)
                throw errorOf('ValueError', 'buffer is smaller than requested size');
            const part = all.slice(offset, count < 0 ? undefined : offset + count * size);
            return part.length ? np('_view', new KilnArray(newHandle(part)), dtype) : np('zeros', [0], {dtype});
        }],
        ['fromfunction(function, shape, *, dtype=)', (f, shape, dtype = 'float32') => f(...indices(shape, dtype)),
            {callsUser: true}],
        ['fromiter(iter, dtype=, count=)', (iter, dtype = null, count = -1) => {
            const all = [];
            for (const x of iter) {
                if (count >= 0 && all.length === count) break;
                all.push(x);
            }
            if (all.length < count)
                throw errorOf('ValueError',
                    `iterator too short: Expected ${count} but iterator had only ${all.length} items.`);
            return array(all, {dtype});
        }, {callsUser: true}],
        ['fromstring(string, dtype=, count=, *, sep=)', (s, dtype, count, sep = ' ') =>
            np('_fromstring', s, sep, {dtype, count})],
        ['indices(dimensions, dtype=, sparse=)', indices],
        ['meshgrid(*xi, indexing=, sparse=)', (xi, indexing, sparse) =>
            meshgrid(xi.length === 1 && Array.isArray(xi[0]) &&
                xi[0].some(x => x instanceof KilnArray || Array.isArray(x) || ArrayBuffer.isView(x))
                ? xi[0] : xi, {indexing, sparse})],
        ['block(arrays)', block],
        ['size(a, axis=)', (a, axis) => {
            const x = asarray(a);
            if (axis === undefined) return x.size;
            return [axis].flat().reduce((n, k) => n * x.shape[np('_normalize_axis_index', k, x.ndim)], 1);
        }],
        ['mask_indices(n, mask_func, k=)', (n, f, k = 0) => np('nonzero',
            np('not_equal', f(np('ones', [n, n], {dtype: 'int32'}), k), 0)),
            {callsUser: true}],
        ['broadcast_shapes(*shapes)', shapes => broadcastShapes(...shapes)],
        ['delete(arr, obj, axis=)', (arr, obj, axis) => np('delete', arr, positionsOf(arr, obj, axis), axis ?? null)],
        ['insert(arr, obj, values, axis=)', (arr, obj, values, axis) =>
            np('insert', arr, positionsOf(arr, obj, axis), values, axis ?? null)],
    ]),
};
