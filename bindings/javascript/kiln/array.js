// SPDX-License-Identifier: Apache-2.0
// array.js -- the class Array. Its methods are the functions of np with the array first, under NumPy's and jax-js's
// names; nothing is consumed: `.ref` is the array itself, and dispose() after it gives back one of the references.
import {engine, get, getInt, mark, release, room, textAt, whenLoaded} from './engine.js';
import {elements, nest, numberAt, onArray, operand, setIsArray} from './convert.js';
import {arrive, deviceOf, ready} from './device.js';
import {dtypeName, dtypeSize} from './dtype.js';
import {errorOf} from './errors.js';
import {Handle, breath, check, isTracing, scoped} from './handles.js';
import {camel, invoke, onWrap, rowCall, rowOf, rowsOf} from './call.js';
import {At, read, write} from './indexing.js';
import {here} from './place.js';
import {noteMade} from './tidy.js';

export class KilnArray extends Handle {
    #shape = null;
    #dtype = null;
    #refs = 1;
    constructor(handle) {
        super(handle);
        noteMade(this);
    }

    /** The extents, one number for each axis. */
    get shape() {
        if (this.#shape) return this.#shape;
        const m = mark(), at = room(engine.L.kn_shape), from = at + engine.L['kn_shape.dim'];
        engine.exports.kn_shape_of(at, this.handle);
        const n = get(at) | 0, shape = Array.from({length: Math.max(0, n)}, (_, i) => getInt(from + 8 * i));
        release(m);
        if (n < 0) check();
        return (this.#shape = Object.freeze(shape));
    }
    /** The name of the dtype, as "float32". */
    get dtype() {
        this.#dtype ??= dtypeName(engine.exports.kn_dtype_of(this.handle) >>> 0);
        return this.#dtype;
    }
    get ndim() { return this.shape.length; }
    get size() { return this.shape.reduce((a, b) => a * b, 1); }
    /** The number of rows. */
    get length() {
        if (!this.shape.length) throw errorOf('TypeError', 'a 0-d array has no length');
        return this.shape[0];
    }
    get nbytes() { return this.size * this.itemsize; }
    get itemsize() { return dtypeSize(this.dtype); }
    /** Does it wait for the dtype of what it meets? Arrays that programs see do not. */
    get weakType() { return false; }
    get refCount() { return this.isDisposed ? 0 : this.#refs; }
    /** The real parts; of real arrays the array itself. With `imag` this is the pair that jax-js's fft takes. */
    get real() { return rowCall('kiln.numpy', 'real', [this]); }
    get imag() { return rowCall('kiln.numpy', 'imag', [this]); }
    get mT() { return rowCall('kiln.numpy', 'matrix_transpose', [this]); }
    get T() { return rowCall('kiln.numpy', 'transpose', [this]); }

    /** jax-js counts references, since its operations consume their operands. Here they do not: this is the array. */
    get ref() {
        this.#refs++;
        return this;
    }
    /** Gives the memory back now. Arrays that nobody disposes of are found by the collector. */
    dispose() {
        if (this.#refs > 0 && --this.#refs > 0) return;
        super.dispose();
    }

    // ---- Reading.
    /** The elements in C order, a copy: Float32Array of float32, ... Waits here until they are there. */
    dataSync() {
        return elements(this.handle, this.size, this.dtype);
    }
    /** The elements in C order as a promise: the way to read what a device has, for which nobody waits in a page. */
    async data() {
        await arrive(this);
        const all = this.dataSync(), late = breath();
        if (late) await late;
        return all;
    }
    /** The name of the device that it is on. */
    get device() { return deviceOf(this); }
    /** Nested arrays of numbers (a number of a 0-d array); integers beyond 2^53 are BigInts. */
    js() { return nest(this.dataSync(), this.shape, this.dtype); }
    jsSync() { return this.js(); }
    async jsAsync() { return nest(await this.data(), this.shape, this.dtype); }
    tolist() { return this.js(); }
    /** The one element as a number, or that at a position. */
    item(...index) {
        if (index.length === 1 && typeof index[0] === 'number' && this.ndim > 1)
            return rowCall('Array', 'ravel', [this]).item(index[0]);
        if (index.length) return this.slice(...index.flat()).item();
        if (this.size !== 1) throw errorOf('ValueError', 'can only convert an array of size 1 to a JavaScript number');
        return numberAt(this.dataSync(), 0, this.dtype);
    }
    /** Runs what the array waits for; returns it. */
    async blockUntilReady() {
        await ready(this);
        const late = breath();
        if (late) await late;
        return this;
    }

    // ---- Indexing.
    /** x[...index] of NumPy: an integer, [start, stop] or [start, stop, step] (null: from the end), [] for all of an
     * axis, null for a new one, "..." for the axes between, an array of positions or a mask. Parts are views. */
    slice(...index) { return read(this, index, this.slice); }
    /** Writes to the array itself: x.set([0], value) is NumPy's x[0] = value. Views of it show it. */
    set(index, value) {
        write(this, globalThis.Array.isArray(index) ? index : [index], value, 'set', this.set);
        return this;
    }
    /** x.at(...index).set(v), add, mul, min, max, ...: another array, x stays as it is. */
    at(...index) { return new At(this, index); }
    *[Symbol.iterator]() {
        const n = this.length;
        for (let i = 0; i < n; i++) yield this.slice(i);
    }

    // ---- Texts.
    /** As NumPy prints it. */
    toString() { return this.#text('kn_array_str'); }
    [Symbol.for('nodejs.util.inspect.custom')]() {
        return this.isDisposed ? 'Array (disposed)' : this.#text('kn_array_repr');
    }
    #text(name) {
        return scoped(() => {
            const s = textAt(engine.exports[name](this.handle, 0));
            check();
            return s;
        });
    }
    toJSON() { return this.js(); }
    [Symbol.toPrimitive](hint) {
        if (hint === 'string') return this.toString();
        if (isTracing() && hint === 'default') return this.toString();
        return this.item();
    }
}

setIsArray(x => x instanceof KilnArray);
onWrap(h => new KilnArray(h));

// ---- Methods: np's functions with the array first, as jax-js and NumPy have them. sort() gives another array.
const operators = {
    add: 'add', sub: 'subtract', mul: 'multiply', div: 'divide', mod: 'remainder', pow: 'power',
        floorDivide: 'floor_divide',
    neg: 'negative', abs: 'absolute', not: 'logical_not', invert: 'invert', and: 'bitwise_and', or: 'bitwise_or',
    xor: 'bitwise_xor', leftShift: 'left_shift', rightShift: 'right_shift', matmul: 'matmul', dot: 'dot',
    greater: 'greater', less: 'less', equal: 'equal', notEqual: 'not_equal', greaterEqual: 'greater_equal',
    lessEqual: 'less_equal',
};
const functional = ['all', 'any', 'argmax', 'argmin', 'argpartition', 'argsort', 'astype', 'choose', 'conj', 'cumprod',
    'cumsum', 'diagonal', 'max', 'mean', 'min', 'nonzero', 'partition', 'prod', 'ravel', 'repeat', 'round',
        'searchsorted',
    'sort', 'squeeze', 'std', 'sum', 'swapaxes', 'take', 'trace', 'var', 'copy'];
const own = ['reshape', 'transpose', 'flatten', 'fill', 'put', 'byteswap', 'compress', 'resize', 'setflags',
    'conjugate'];
// x += y and its kin, which write to the array itself; views of it show it.
const inPlace = ['add', 'sub', 'mul', 'div', 'pow', 'mod', 'floordiv', 'and', 'or', 'xor', 'lshift', 'rshift',
    'matmul'];

const put = (name, f) => Object.defineProperty(KilnArray.prototype, name,
    {value: f, writable: true, configurable: true});
whenLoaded(() => {
    const method = (name, module, row) => {
        const r = rowOf(module, row);
        const f = {[name](...args) { return invoke(r, [this, ...args], f); }}[name];
        put(name, f);
        if (camel(name) !== name) put(camel(name), f);
    };
    for (const [name, row] of Object.entries(operators)) method(name, 'kiln.numpy', row);
    const known = new Set(rowsOf('kiln.numpy'));
    for (const name of functional) method(name, known.has(name) ? 'kiln.numpy' : 'Array', name);
    for (const name of own) method(name, 'Array', name);
    for (const op of inPlace) {
        const name = `i${op}`, c = engine.exports[`kn_${name}`];
        const f = {[name](other) {
            const v = operand(other);
            try {
                here(f);
                c(this.handle, v.h);
                check();
            } finally {
                if (v.owned) engine.exports.kn_release(v.h);
            }
            return this;
        }}[name];
        put(name, f);
    }
    const view = rowOf('kiln.numpy', '_view');
    put('view', function (dtype = this.dtype) { return invoke(view, [this, dtype], this.view); });
});
