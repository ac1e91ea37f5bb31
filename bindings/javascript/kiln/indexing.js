// SPDX-License-Identifier: Apache-2.0
// indexing.js -- parts of arrays: what an index says to C, reading and writing by it, and x.at(...), which leaves x as
// it is.
import {engine, mark, put, putInt, release, room, text} from './engine.js';
import {newHandle, onArray, operand, valuesFor} from './convert.js';
import {dtypeKind} from './dtype.js';
import {errorOf} from './errors.js';
import {check} from './handles.js';
import {rowCall, wrap} from './call.js';
import {here} from './place.js';
import {tidy} from './tidy.js';

/** A slice as a value: new Slice(start, stop, step), where a list would be positions. */
export class Slice {
    constructor(start = null, stop = null, step = null) {
        Object.assign(this, {start, stop, step});
    }
}
export const Ellipsis = Symbol('...');

let isArray = () => false; // of array.js
onArray(f => { isArray = f; });
const np = (name, ...args) => rowCall('kiln.numpy', name, args);

// The text of one part of an index, with its arguments; bounds are arguments, so a loop over them compiles once.
const [INT, BOOL, ARRAY] = [0, 2, 4], FAR = 2n ** 62n;
const isBound = b => b === null || b === undefined || typeof b === 'number' || typeof b === 'bigint';
const isBounds = i => Array.isArray(i) && i.length <= 3 && i.every(isBound);
function whole(i) {
    if (typeof i !== 'bigint' && !Number.isInteger(i))
        throw errorOf('IndexError', `an index has to be an integer, not ${i}`);
    return i;
}
function partText(i, args, owned) {
    const push = a => (args.push(a), '%');
    const bound = b => (b === null || b === undefined || b === Infinity || b === -Infinity ? ''
        : isArray(b) ? push({kind: ARRAY, array: b.handle})
            : push({kind: INT, integer: whole(b) > FAR ? FAR : b < -FAR ? -FAR : b}));
    if (i === null) return 'None';
    if (i === '...' || i === Ellipsis) return '...';
    if (typeof i === 'boolean') return push({kind: BOOL, integer: i ? 1 : 0});
    if (typeof i === 'number' || typeof i === 'bigint') return push({kind: INT, integer: whole(i)});
    if (isArray(i)) {
        if (!/^float/.test(i.dtype)) return push({kind: ARRAY, array: i.handle});
        const h = newHandle(i, 'int64'); // np.array([2, 0]) is float32, as in jax-js, and meant as positions here
        owned.push(h);
        return push({kind: ARRAY, array: h});
    }
    if (i instanceof Slice || isBounds(i)) {
        const [start, stop, step] = i instanceof Slice ? [i.start, i.stop, i.step] : i;
        const range = `${bound(start)}:${bound(stop)}`;
        return step === undefined || step === null ? range : `${range}:${bound(step)}`;
    }
    if (ArrayBuffer.isView(i) || Array.isArray(i)) {
        const numbers = Array.isArray(i) && typeof i.flat(Infinity)[0] === 'number';
        if (numbers && typeof i[0] === 'number')
            throw errorOf('IndexError',
                'a list is [start, stop, step]; positions are a typed array or an array of integers: ' +
                `new Int32Array([${i.slice(0, 3)}, ...])`);
        const h = newHandle(i, numbers ? 'int64' : null, 'int64');
        owned.push(h);
        return push({kind: ARRAY, array: h});
    }
    throw errorOf('IndexError',
        'only integers, [start, stop, step], "...", null and arrays of integers or truth values ' +
        'are valid indices');
}

/** f(text, n, arguments, owned) of an index; handles that it puts into `owned` live until it ends, as scratch
 * memory. */
function withIndex(index, f) {
    const {L, exports: c} = engine, m = mark(), owned = [], args = [], parts = [];
    try {
        for (const i of index) parts.push(partText(i, args, owned));
        const list = room(L.kn_index_arg * (args.length + 1));
        args.forEach(({kind, integer, array}, i) => {
            const at = list + i * L.kn_index_arg;
            put(at, kind);
            if (array) put(at + L['kn_index_arg.array'], array);
            else putInt(at + L['kn_index_arg.integer'], integer);
        });
        return f(text(parts.join(',') || '...'), args.length, list, owned);
    } finally {
        for (const h of owned) c.kn_release(h);
        release(m);
    }
}
/** x[index]; a view where that is possible. */
export function read(x, index, entry = read) {
    return withIndex(index, (how, n, args) => {
        here(entry);
        const c = engine.exports, h = c.kn_at(x.handle, how, n, args);
        if (h === x.handle) c.kn_retain(h);
        return wrap(h);
    });
}
/** Writes to x itself. name: "set", or of a ufunc, which does it again where indices repeat. */
export function write(x, index, value, name = 'set', entry = write) {
    withIndex(index, (how, n, args, owned) => {
        const c = engine.exports, v = name === 'set' ? valuesFor(x.dtype, value) : operand(value);
        if (v.owned) owned.push(v.h);
        const ufunc = name === 'set' ? 0 : c.kn_ufunc_named(text(name));
        here(entry);
        if (name === 'set') c.kn_set_at(x.handle, v.h, how, n, args);
        else c.kn_ufunc_at(ufunc, x.handle, v.h, how, n, args);
        check();
    });
}

// ---- x.at(...index): positions beyond the array are left out when it writes; when it reads, the nearest ones count,
// or fillValue with {mode: "fill"} (jax.numpy.ndarray.at).
const isMask = k => isArray(k) && k.dtype === 'bool';
const widthOf = k => (k === null || k === '...' || k === Ellipsis || typeof k === 'boolean' ? 0 : isMask(k) ? k.ndim
    : 1);

const asPositions = k => {
    const isNumbers = Array.isArray(k) && typeof k.flat(Infinity)[0] === 'number';
    return wrap(newHandle(k, isNumbers ? 'int64' : null));
};

/** The index with its positions moved inside, and which of them were not: false where all were. */
class Walk {
    key = [];
    outside = false;
    axis = -1; // along which the first positions go
    item = -1; // which they are in the key
    constructor(x, index) {
        this.x = x;
        const items = index.map(k => (ArrayBuffer.isView(k) || (Array.isArray(k) && !isBounds(k)) ? asPositions(k)
            : k));
        const width = items.reduce((n, k) => n + widthOf(k), 0);
        let axis = 0;
        for (const k of items) {
            const w = widthOf(k), plain = !(k instanceof Slice) && !isBounds(k) && !isMask(k);
            this.key.push(w === 1 && plain && width <= x.ndim ? this.#moved(k, axis) : k);
            axis += k === '...' || k === Ellipsis ? x.ndim - width : w;
        }
    }
    #moved(k, axis) {
        const n = this.x.shape[axis];
        let here, key;
        if (isArray(k)) {
            if (!'iu'.includes(dtypeKind(k.dtype)))
                throw errorOf('TypeError',
                    `Indexer must have integer or boolean type, got indexer with type ${k.dtype}`);
            k = np('astype', k, 'int64');
            k = np('where', np('less', k, 0), np('add', k, n), k);
            here = np('logical_or', np('less', k, 0), np('greater_equal', k, n));
            key = np('_clip', k, 0, Math.max(n - 1, 0));
        } else {
            if (n === 0) throw errorOf('IndexError', 'index is out of bounds for axis 0 with size 0');
            k = Number(whole(k));
            k = k < 0 ? k + n : k;
            here = k < 0 || k >= n;
            key = Math.min(Math.max(k, 0), n - 1);
        }
        if (this.item < 0) this.item = this.key.length, this.axis = axis;
        this.outside = this.outside === false ? here : here === false ? this.outside
            : np('logical_or', this.outside, here);
        return key;
    }
    /** The key into an array with one more row along the axis, which is where the positions outside are. */
    extended() {
        const key = [...this.key], n = this.x.shape[this.axis];
        key[this.item] = np('astype', np('where', this.outside, n, key[this.item]), 'int64');
        return key;
    }
    /** Which elements of the result are from outside. */
    lost() {
        const {axis, x} = this, n = x.shape[axis], along = new Array(x.ndim).fill(1), shape = [...x.shape];
        along[axis] = shape[axis] = n + 1;
        const rows = np('reshape', np('equal', np('arange', 0, n + 1, 1), n), along);
        return read(np('broadcast_to', rows, shape), this.extended());
    }
}

const modes = [null, undefined, 'clip', 'fill', 'drop', 'promise_in_bounds'];
function modeOf(mode) {
    if (!modes.includes(mode)) throw errorOf('ValueError', `Unknown gather mode "${mode}"`);
    return mode === 'drop' ? 'fill' : mode ?? null;
}
function fillOf(dtype) {
    const kind = dtypeKind(dtype);
    if (kind === 'b') return true;
    if (!'iu'.includes(kind)) return NaN;
    const limits = np('_iinfo', {type: dtype});
    return kind === 'i' ? limits.min : BigInt.asUintN(64, BigInt(limits.max));
}

export class At {
    #x;
    #index;
    constructor(x, index) {
        this.#x = x;
        this.#index = index;
    }
    /** x[index]; options: mode ("clip", "fill"), fillValue */
    get(options = {}) { return tidy(() => this.#read(options)); }
    #read({mode = null, fillValue = null}) {
        const x = this.#x, how = modeOf(mode), walk = new Walk(x, this.#index);
        if (walk.outside === false || how !== 'fill') return read(x, walk.key);
        const fill = isArray(fillValue) ? np('astype', fillValue, x.dtype) : wrap(newHandle(fillValue ?? fillOf(x.dtype), x.dtype));
        return np('where', walk.lost(), fill, x.size ? read(x, walk.key) : fill);
    }
    #write(values, name, {mode = null} = {}) {
        const x = this.#x, how = modeOf(mode), walk = new Walk(x, this.#index);
        const keeps = how !== 'clip' && how !== 'promise_in_bounds';
        if (walk.outside === true && keeps) return np('copy', x);
        const v = isArray(values) ? values : wrap(newHandle(values, x.dtype));
        const y = walk.outside === false || !keeps ? np('copy', x) : null;
        if (y) {
            write(y, walk.key, np('astype', v, x.dtype), name);
            return y;
        }
        const pads = x.shape.map((_, i) => [0, i === walk.axis ? 1 : 0]);
        const wide = np('pad', x, wrap(newHandle(pads, 'int64')));
        write(wide, walk.extended(), np('astype', v, x.dtype), name);
        return np('copy', read(wide, x.shape.map((n, i) => (i === walk.axis ? [0, n] : []))));
    }
    /** x with x[index] = values */
    set(values, options) { return tidy(() => this.#write(values, 'set', options)); }
    /** x with x[index] += values, again and again where indices repeat */
    add(values, options) { return tidy(() => this.#write(values, 'add', options)); }
    subtract(values, options) { return tidy(() => this.#write(values, 'subtract', options)); }
    multiply(values, options) { return tidy(() => this.#write(values, 'multiply', options)); }
    mul(values, options) { return tidy(() => this.#write(values, 'multiply', options)); }
    min(values, options) { return tidy(() => this.#write(values, 'minimum', options)); }
    max(values, options) { return tidy(() => this.#write(values, 'maximum', options)); }
    divide(values, options) { return tidy(() => np('divide', this.#x, this.#factors(values, options))); }
    power(values, options) { return tidy(() => np('power', this.#x, this.#factors(values, options))); }
    #factors(values, options) { return new At(np('ones_like', this.#x), this.#index).multiply(values, options); }
    /** x with x[index] = f(x[index]) */
    apply(f, options) { return this.set(f(this.get({mode: 'clip'})), options); }
}
