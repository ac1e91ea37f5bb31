// SPDX-License-Identifier: Apache-2.0
// npz.js -- NumPy's archives of arrays: each is read when it is asked for.
import {ensure} from './engine.js';
import {errorOf} from './errors.js';
import {randomSource, streamOf, writeTo} from './source.js';
import {Elements, about, bytesOf, drop} from './elements.js';
import {npyParts, readNpy} from './npy.js';
import {Archive, zipParts} from './zip.js';

/** The arrays of an npz file: `files` has their names; get(name) reads one. */
export class Npz {
    #archive;
    #options;
    constructor(archive, options) {
        this.#archive = archive;
        this.#options = options;
        this.name = archive.source.name;
        this.files = [...archive.entries.keys()].map(n => n.replace(/\.npy$/, ''));
    }
    get length() { return this.files.length; }
    keys() { return this.files.values(); }
    [Symbol.iterator]() { return this.keys(); }
    has(name) { return this.#entry(name) !== null; }
    #entry(name) {
        const {entries} = this.#archive;
        return entries.has(`${name}.npy`) ? `${name}.npy` : entries.has(name) ? name : null;
    }
    async #read(name, options, f) {
        const entry = this.#entry(name), all = {...this.#options, ...options};
        if (entry === null) throw errorOf('KeyError', `${name} is not a file in the archive ${this.name}`);
        try {
            const reader = await this.#archive.read(entry, all);
            try {
                return await f(reader, this.#archive.entries.get(entry), all);
            } finally {
                reader.close();
            }
        } catch (e) {
            throw about(this.name, about(`entry '${entry}'`, e));
        }
    }
    /** The array of a name. A file's sums are compared. options: signal, onProgress, maxHeaderSize */
    get(name, options = {}) {
        return this.#read(name, options, async (reader, entry, all) => {
            const x = await readNpy(reader, all);
            try {
                if (await reader.chunk()) throw errorOf('ValueError', 'there are bytes behind the array');
            } catch (e) {
                x.dispose();
                throw e;
            }
            return x;
        });
    }
    /** The bytes of a member, also of one that is no array. */
    bytes(name, options = {}) {
        return this.#read(name, options, (reader, entry) => reader.take(entry.size));
    }
    /** All arrays, as an object. */
    async all(options = {}) {
        const out = [];
        for (const name of this.files) out.push([name, await this.get(name, options)]);
        return Object.fromEntries(out);
    }
    async *[Symbol.asyncIterator]() {
        for (const name of this.files) yield [name, await this.get(name)];
    }
}

/** numpy.load of an npz file. Of a Blob, a path or a URL only what is asked for is read; streams are read first.
 * @param options maxBytes (2 ** 32: of an array, uncompressed), maxHeaderSize, signal, onProgress, headers */
export async function load(source, options = {}) {
    ensure();
    const s = await randomSource(source, options);
    try {
        return new Npz(await Archive.open(s, options), options);
    } catch (e) {
        throw about(s.name, e);
    }
}

async function* entriesOf(arrays) {
    for (const [name, x] of arrays) {
        const parts = npyParts(x);
        try {
            yield {name: `${name}.npy`, parts};
        } finally {
            drop(parts);
        }
    }
}
function named(arrays) {
    const list = Array.isArray(arrays) ? arrays.map((x, i) => [`arr_${i}`, x])
        : arrays instanceof Map ? [...arrays] : Object.entries(arrays);
    if (new Set(list.map(([name]) => String(name))).size < list.length)
        throw errorOf('ValueError', 'two arrays have one name');
    return list;
}
async function* chunks(arrays, compress) {
    for await (const p of zipParts(entriesOf(named(arrays)), compress)) {
        if (p instanceof Elements) yield* p.pieces();
        else yield p;
    }
}
/** numpy.savez: writes arrays, an object by name or a list (arr_0, arr_1, ...), to a path, a handle of a file or a
 * WritableStream. options: compress (numpy.savez_compressed), signal */
export async function save(to, arrays, {compress = false, signal = null} = {}) {
    ensure();
    await writeTo(to, chunks(arrays, compress), {signal});
}
/** The bytes of an npz file. */
export async function toBytes(arrays, {compress = false} = {}) {
    ensure();
    const parts = [];
    for await (const b of chunks(arrays, compress)) parts.push(b);
    return bytesOf(parts);
}
/** The same as a ReadableStream, in pieces. */
export function toStream(arrays, {compress = false} = {}) {
    ensure();
    return streamOf(chunks(arrays, compress));
}
