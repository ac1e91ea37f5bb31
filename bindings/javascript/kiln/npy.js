// SPDX-License-Identifier: Apache-2.0
// npy.js -- NumPy's files of one array, versions 1 to 3. The header is read and written by the library (src/io), the
// elements are streamed into its memory and out of it.
import {bytes, engine, ensure, get, get8, getInt, mark, put, release, room} from './engine.js';
import {rowCall} from './call.js';
import {dtypeName} from './dtype.js';
import {errorOf} from './errors.js';
import {check} from './handles.js';
import {readerOf, streamOf, writeTo} from './source.js';
import {Elements, about, arrayOf, bytesOf, chunksOf, readElements} from './elements.js';

const MAX_HEADER = 10000;

// What the bytes of a header say: {dtype, shape, fortran, swapped}. The elements are behind it.
async function readHeader(reader, most) {
    const begin = await reader.take(10), wide = begin.length > 6 && begin[6] > 1;
    const more = wide ? await reader.take(2) : new Uint8Array(0), prefix = Uint8Array.of(...begin, ...more);
    const at = 8, length = prefix.length < (wide ? 12 : 10) ? 0
        : new DataView(prefix.buffer)[wide ? 'getUint32' : 'getUint16'](at, true);
    const isNpy = prefix[0] === 0x93 && prefix[1] === 0x4e; // else the library says what it is not
    if (isNpy && most >= 0 && length > most)
        throw errorOf('ValueError', `the header has ${length} bytes, more than maxHeaderSize (${most}) allows`);
    const text = isNpy ? await reader.take(length) : new Uint8Array(0);
    const {exports: c, L} = engine, size = prefix.length + text.length, m = mark();
    const out = room(L.kn_npy_header), head = c.malloc(size || 1) >>> 0;
    try {
        if (!head) throw errorOf('MemoryError', `no memory for ${size} bytes`);
        bytes().set(prefix, head), bytes().set(text, head + prefix.length);
        const status = c.kjs_npy_read(head, size, out);
        check();
        if (status) throw errorOf('ValueError', 'no header of an npy file');
        const shape = out + L['kn_npy_header.shape'], n = get(shape);
        return {
            dtype: dtypeName(get(out)),
            shape: Array.from({length: n}, (_, i) => getInt(shape + L['kn_shape.dim'] + 8 * i)),
            fortran: get8(out + L['kn_npy_header.fortran_order']) !== 0,
            swapped: get8(out + L['kn_npy_header.swapped']) !== 0,
        };
    } finally {
        c.free(head);
        release(m);
    }
}

/** The next array of a reader. expected: how many bytes it may have, header included; more or fewer are an error. */
export async function readNpy(reader, {maxHeaderSize = MAX_HEADER} = {}) {
    return readElements(reader, await readHeader(reader, maxHeaderSize));
}

/** numpy.load of an npy file: its array. Reads no further than the array goes, so a stream may go on behind it.
 * @param source a path, URL, Blob, File, typed array, Response, stream or iterable of bytes
 * @param options maxHeaderSize (10000; -1: any), signal, onProgress({loadedBytes, totalBytes}), headers (of requests)
 * */
export async function load(source, options = {}) {
    ensure();
    const reader = await readerOf(source, options);
    try {
        return await readNpy(reader, options);
    } catch (e) {
        throw about(reader.name, e);
    } finally {
        reader.close();
    }
}
/** The arrays of an npy file with one or more, one behind the other, as an async iterator. */
export async function* loadAll(source, options = {}) {
    ensure();
    const reader = await readerOf(source, options);
    try {
        for (let b; (b = await reader.chunk()); ) {
            reader.return(b);
            yield await readNpy(reader, options);
        }
    } catch (e) {
        throw about(reader.name, e);
    } finally {
        reader.close();
    }
}

/** The parts of the file of an array. */
export function npyParts(x, version = 1) {
    if (![1, 2, 3].includes(version)) throw errorOf('ValueError', `version has to be 1, 2 or 3, not ${version}`);
    const {exports: c} = engine, m = mark(), out = room(16), own = arrayOf(x);
    try {
        put(out, 0);
        const at = c.kjs_npy_write(own.handle, version, out, out + 4) >>> 0;
        check();
        if (!at) throw errorOf('MemoryError', 'no memory for a header');
        const head = bytes().slice(at, at + get(out));
        c.free(at);
        if (version === 3) head[6] = 3; // its texts are UTF-8; Kiln's headers are ASCII
        const turned = get(out + 4) !== 0 ? rowCall('kiln.numpy', 'transpose', [own]) : null;
        const parts = [head, new Elements(turned ?? own)];
        turned?.dispose();
        return parts;
    } finally {
        if (own !== x) own.dispose();
        release(m);
    }
}
/** The bytes of an npy file, those that numpy.save writes. options: version (1, 2, 3) */
export function toBytes(x, {version = 1} = {}) {
    ensure();
    return bytesOf(npyParts(x, version));
}
/** The same as a ReadableStream, in pieces. */
export function toStream(x, {version = 1} = {}) {
    ensure();
    return streamOf(chunksOf(npyParts(x, version)));
}
/** numpy.save: writes an array to a path, a handle of a file or a WritableStream. options: version, signal */
export async function save(to, x, {version = 1, signal = null} = {}) {
    ensure();
    await writeTo(to, chunksOf(npyParts(x, version)), {signal});
}
