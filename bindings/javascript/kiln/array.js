// SPDX-License-Identifier: Apache-2.0
// array.js -- the class Array. Its methods are the functions of np with the array first, under NumPy's and jax-js's
// names; nothing is consumed: `.ref` is the array itself, and dispose() after it gives back one of the references.
import {engine, get, getInt, mark, put, putInt, release, room, text, textAt, whenLoaded} from './engine.js';
import {elements, nest, numberAt, onArray, operand, newHandle} from './convert.js';
import {dtypeName} from './dtype.js';
import {errorOf} from './errors.js';
import {Handle, check, isTracing, scoped} from './handles.js';
import {camel, invoke, onWrap, rowCall, rowOf, rowsOf, wrap} from './call.js';
import {here} from './place.js';

export class KilnArray extends Handle {
    #shape = null;
    #dtype = null;
    #refs = 1;

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
        here(this.dataSync);
        return elements(this.handle, this.size, this.dtype);
    }
    /** The elements in C order as a promise. */
    async data() { return this.dataSync(); }
    /** Nested arrays of numbers (a number of a 0-d array); integers beyond 2^53 are BigInts. */
    jsSync() { return nest(this.dataSync(), this.shape, this.dtype); }
    async js() { return this.jsSync(); }
    tolist() { return this.jsSync(); }
    /** The one element as a number, or that at a position. */
    item(...index) {
        if (index.length) return this.slice(...index.flat()).item();
        if (this.size !== 1) throw errorOf('ValueError', 'can only convert an array of size 1 to a JavaScript number');
        return numberAt(this.dataSync(), 0, this.dtype);
    }
    /** Runs what the array waits for; returns it. */
    async blockUntilReady() {
        here(this.blockUntilReady);
        engine.exports.kn_eval(this.handle);
        check();
        return this;
    }

    // ---- Indexing.
    /** x[...index] of NumPy: an integer, [start, stop] or [start, stop, step] (null: from the end), [] for all of an
     * axis, null for a new one, "..." for the axes between, an array of positions or a mask. Parts are views. */
    slice(...index) { return this.#indexed('kn_at', index, null, this.slice); }
    /** Writes to the array itself: x.set([0], value) is NumPy's x[0] = value. Views of it show it. */
    set(index, value) {
        this.#indexed('kn_set_at', globalThis.Array.isArray(index) ? index : [index], value, this.set);
        return this;
    }
    #indexed(name, index, value, entry) {
        const {exports: c, L} = engine, m = mark(), owned = [], parts = [], args = [];
        try {
            for (const i of index) parts.push(indexText(i, args, owned));
            const list = room(L.kn_index_arg * (args.length + 1));
            args.forEach(({kind, integer, array}, i) => {
                const at = list + i * L.kn_index_arg;
                put(at, kind);
                if (array) put(at + L['kn_index_arg.array'], array);
                else putInt(at + L['kn_index_arg.integer'], integer);
            });
            const how = text(parts.join(',') || '...'), mine = this.handle;
            if (name === 'kn_at') {
                here(entry);
                const h = c.kn_at(mine, how, args.length, list);
                if (h === mine) c.kn_retain(h);
                return wrap(h);
            }
            const v = operand(value);
            if (v.owned) owned.push(v.h);
            here(entry);
            c.kn_set_at(mine, v.h, how, args.length, list);
            check();
            return null;
        } finally {
            for (const h of owned) c.kn_release(h);
            release(m);
        }
    }
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
    toJSON() { return this.jsSync(); }
    [Symbol.toPrimitive](hint) {
        if (hint === 'string') return this.toString();
        if (isTracing() && hint === 'default') return this.toString();
        return this.item();
    }
}

// The text of one part of an index, with its arguments; bounds are arguments, so a loop over them compiles once.
const [INT, BOOL, ARRAY] = [0, 2, 4];
function indexText(i, args, owned) {
    const push = a => (args.push(a), '%');
    const bound = b => (b === null || b === undefined ? '' : b instanceof KilnArray ? push({kind: ARRAY, array: b.handle})
        : push({kind: INT, integer: whole(b)}));
    if (i === null) return 'None';
    if (i === '...' || i === Ellipsis) return '...';
    if (typeof i === 'boolean') return push({kind: BOOL, integer: i ? 1 : 0});
    if (typeof i === 'number' || typeof i === 'bigint') return push({kind: INT, integer: whole(i)});
    if (i instanceof KilnArray) return push({kind: ARRAY, array: i.handle});
    if (i instanceof Slice || (globalThis.Array.isArray(i) && i.length <= 3 && i.every(b => b === null || typeof b === 'number'))) {
        const [start, stop, step] = i instanceof Slice ? [i.start, i.stop, i.step] : i;
        if (!(i instanceof Slice) && i.length === 1) return `${bound(start)}:`;
        const from = bound(start), to = bound(stop);
        return step === undefined || step === null ? `${from}:${to}` : `${from}:${to}:${bound(step)}`;
    }
    if (ArrayBuffer.isView(i) || globalThis.Array.isArray(i)) {
        const h = newHandle(i, globalThis.Array.isArray(i) && typeof i.flat(Infinity)[0] === 'number' ? 'int64' : null, 'int64');
        owned.push(h);
        return push({kind: ARRAY, array: h});
    }
    throw errorOf('IndexError', 'only integers, [start, stop, step], "...", null and arrays of integers or truth values are valid indices');
}
function whole(i) {
    if (typeof i !== 'bigint' && !Number.isInteger(i)) throw errorOf('IndexError', `an index has to be an integer, not ${i}`);
    return i;
}
/** A slice as a value: new Slice(start, stop, step), where a list would be positions. */
export class Slice {
    constructor(start = null, stop = null, step = null) {
        Object.assign(this, {start, stop, step});
    }
}
export const Ellipsis = Symbol('...');

onArray(x => x instanceof KilnArray);
onWrap(h => new KilnArray(h));

// ---- Methods of the table: np's functions with the array first.
const operators = {
    add: 'add', sub: 'subtract', mul: 'multiply', div: 'divide', mod: 'remainder', pow: 'power', floorDivide: 'floor_divide',
    neg: 'negative', matmul: 'matmul', dot: 'dot', greater: 'greater', less: 'less', equal: 'equal', notEqual: 'not_equal',
    greaterEqual: 'greater_equal', lessEqual: 'less_equal', abs: 'absolute', not: 'logical_not',
};
const functional = ['all', 'any', 'argmax', 'argmin', 'argpartition', 'argsort', 'astype', 'choose', 'clip', 'compress', 'conj',
    'cumprod', 'cumsum', 'diagonal', 'max', 'mean', 'min', 'nonzero', 'partition', 'prod', 'ravel', 'repeat', 'round',
    'searchsorted', 'sort', 'squeeze', 'std', 'sum', 'swapaxes', 'take', 'trace', 'var', 'copy'];
const own = ['reshape', 'transpose', 'flatten', 'view', 'fill'];
whenLoaded(() => {
    const method = (name, module, row) => {
        const r = rowOf(module, row);
        const f = {[name](...args) { return invoke(r, [this, ...args], f); }}[name];
        Object.defineProperty(KilnArray.prototype, name, {value: f, writable: true, configurable: true});
    };
    for (const [name, row] of Object.entries(operators)) method(name, 'kiln.numpy', row);
    const known = new Set(rowsOf('kiln.numpy'));
    for (const name of functional.filter(n => known.has(n))) method(camel(name), 'kiln.numpy', name);
    for (const name of own) method(name, 'Array', name);
});
