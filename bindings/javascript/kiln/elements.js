// SPDX-License-Identifier: Apache-2.0
// elements.js -- elements of arrays in files: read into Kiln's memory as they come, and read out of it in pieces.
import {bytes, engine} from './engine.js';
import {KilnArray} from './array.js';
import {asarray} from './creation.js';
import {rowCall} from './call.js';
import {dtypeHandle, dtypeSize} from './dtype.js';
import {errorOf} from './errors.js';
import {check} from './handles.js';

export const countOf = shape => shape.reduce((n, d) => n * d, 1);

/** The error of the same kind with the name of what it is about before its message. */
export function about(name, e) {
    const own = e instanceof Error && 'file' in e && 'line' in e; // Bun gives lines to others, too
    if (!own || e.message.startsWith(`${name}: `)) return e;
    e.message = `${name}: ${e.message.replace(/^format_read_\w+: /, '')}`;
    return e;
}

// Bytes of each element the other way round, in units of `unit` bytes.
function swap(at, size, unit) {
    const b = bytes().subarray(at, at + size);
    for (let i = 0; i < size; i += unit)
        for (let j = i, k = i + unit - 1; j < k; j++, k--) [b[j], b[k]] = [b[k], b[j]];
}
function normalise(at, size) { // truth values from outside become 0 and 1
    const b = bytes();
    for (let i = at; i < at + size; i++) if (b[i] > 1) b[i] = 1;
}

/** An array of the next elements of a reader. fortran, swapped: how they lie there. */
export async function readElements(reader, {dtype, shape, fortran = false, swapped = false}) {
    const item = dtypeSize(dtype), size = countOf(shape) * item;
    if (!Number.isSafeInteger(size) || size > 0xffffffff)
        throw errorOf('MemoryError', `an array of ${size} bytes has no room in the memory of WebAssembly`);
    const lying = fortran ? [...shape].reverse() : shape;
    const x = rowCall('kiln.numpy', 'empty', [lying, {dtype}]);
    try {
        const at = engine.exports.kn_data_mut_bytes(x.handle, dtypeHandle(dtype)) >>> 0;
        check();
        const got = await reader.into(at, size);
        if (got < size) throw errorOf('ValueError', `EOF: reading array data, expected ${size} bytes got ${got}`);
        if (dtype === 'bool') normalise(at, size);
        if (swapped) swap(at, size, dtype.startsWith('complex') ? item / 2 : item);
        if (!fortran || shape.length < 2) return x;
    } catch (e) {
        x.dispose();
        throw e;
    }
    const y = rowCall('kiln.numpy', 'transpose', [x]);
    x.dispose();
    return y;
}

// ---- Out of memory. A file is a list of parts: Uint8Arrays and Elements.
const PIECE = 1 << 20;
/** The elements of an array in C order, in Kiln's memory for as long as this lives. */
export class Elements {
    #x;
    constructor(x) {
        this.#x = rowCall('kiln.numpy', 'ascontiguousarray', [x]);
        this.dtype = x.dtype;
        this.length = x.size * dtypeSize(x.dtype);
        this.look();
    }
    /** A look at all of them, until the next call of Kiln. */
    look() {
        const at = engine.exports.kn_data_bytes(this.#x.handle, 0) >>> 0;
        check();
        return bytes().subarray(at, at + this.length);
    }
    *pieces() {
        for (let at = 0; at < this.length; at += PIECE) yield this.look().slice(at, at + PIECE);
    }
    dispose() { this.#x.dispose(); }
}
/** Something to write as an array of Kiln's. */
export const arrayOf = x => (x instanceof KilnArray ? x : asarray(x));

export async function* chunksOf(parts) {
    try {
        for (const p of parts) {
            if (p instanceof Elements) yield* p.pieces();
            else yield p;
        }
    } finally {
        drop(parts);
    }
}
/** All parts as one Uint8Array. */
export function bytesOf(parts) {
    try {
        const all = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
        let at = 0;
        for (const p of parts) all.set(p instanceof Elements ? p.look() : p, at), at += p.length;
        return all;
    } finally {
        drop(parts);
    }
}
export function drop(parts) {
    for (const p of parts) if (p instanceof Elements) p.dispose();
}
