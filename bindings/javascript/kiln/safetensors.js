// SPDX-License-Identifier: Apache-2.0
// safetensors.js -- files of named tensors: eight bytes with the length of a header in JSON, the header, the elements.
// Tensors of a Blob, a path or a URL are read one by one where they are; what a header says is checked before.
import {ensure} from './engine.js';
import {rowCall} from './call.js';
import {dtypeSize} from './dtype.js';
import {errorOf} from './errors.js';
import {partOf, randomSource, readerOf, streamOf, writeTo} from './source.js';
import {Elements, about, arrayOf, bytesOf, chunksOf, countOf, readElements} from './elements.js';

const MAX_HEADER = 100e6; // of the format
// In the format's order, in which tensors are written from the last to the first.
const ofFormat = new Map([
    ['BOOL', 'bool'], ['U8', 'uint8'], ['I8', 'int8'], ['F8_E5M2', 'float8_e5m2'], ['F8_E4M3', 'float8_e4m3fn'],
    ['F8_E8M0', 'float8_e8m0fnu'], ['F8_E4M3FNUZ', 'float8_e4m3fnuz'], ['F8_E5M2FNUZ', 'float8_e5m2fnuz'],
    ['I16', 'int16'], ['U16', 'uint16'], ['F16', 'float16'], ['BF16', 'bfloat16'], ['I32', 'int32'], ['U32', 'uint32'],
    ['F32', 'float32'], ['C64', 'complex64'], ['F64', 'float64'], ['I64', 'int64'], ['U64', 'uint64'],
]);
const toFormat = new Map([...ofFormat].map(([theirs, ours], i) => [ours, {name: theirs, rank: i}]));
const isFloat8 = dtype => dtype.startsWith('float8');

// ---- The header.
const bad = message => errorOf('ValueError', message);
const isObject = x => x !== null && typeof x === 'object' && !Array.isArray(x);
const isCount = x => Number.isSafeInteger(x) && x >= 0;

// JSON.parse keeps the last of two equal keys: then there are fewer keys in its result than in the text.
function countKeys(text) {
    let n = 0;
    for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) {
        for (;;) {
            at = text.indexOf('"', at + 1);
            let slashes = 0;
            while (text.charCodeAt(at - 1 - slashes) === 92) slashes++;
            if (slashes % 2 === 0) break;
        }
        let next = at + 1;
        while (text.charCodeAt(next) <= 32) next++;
        if (text.charCodeAt(next) === 58) n++;
    }
    return n;
}
function parseHeader(bytes) {
    if (bytes[0] !== 0x7b) throw bad("the header does not begin with '{'");
    let text, all;
    try {
        text = new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(bytes);
    } catch {
        throw bad('the header is not UTF-8');
    }
    try {
        all = JSON.parse(text);
    } catch (e) {
        throw bad(`the header is no JSON (${e.message})`);
    }
    return {all, text};
}
function metadataOf(x) {
    if (x === undefined) return {};
    if (!isObject(x) || Object.values(x).some(v => typeof v !== 'string'))
        throw bad('__metadata__ has to be an object of texts');
    return x;
}
function infoOf(name, x) {
    const what = `tensor '${name.length > 100 ? `${name.slice(0, 100)}...` : name}'`;
    if (!isObject(x)) throw bad(`${what} is not described by an object`);
    for (const key of Object.keys(x))
        if (!['dtype', 'shape', 'data_offsets'].includes(key))
            throw bad(`${what} has an unknown key '${key.slice(0, 100)}'`);
    const {dtype, shape, data_offsets: offsets} = x, ours = ofFormat.get(dtype);
    if (typeof dtype !== 'string') throw bad(`${what} has no dtype`);
    if (!ours) throw errorOf('NotImplementedError', `${what} has the dtype ${dtype.slice(0, 100)}, which is not read`);
    if (!Array.isArray(shape) || !shape.every(isCount)) throw bad(`${what} has no valid shape`);
    if (shape.length > 64) throw bad(`${what} has ${shape.length} axes, more than 64`);
    if (!Array.isArray(offsets) || offsets.length !== 2 || !offsets.every(isCount) || offsets[0] > offsets[1])
        throw bad(`${what} has no valid data_offsets`);
    const size = countOf(shape) * dtypeSize(ours);
    if (!Number.isSafeInteger(size)) throw bad(`${what} has too many elements`);
    if (size !== offsets[1] - offsets[0])
        throw bad(`${what} has ${offsets[1] - offsets[0]} bytes in the file, ` +
            `but ${dtype} of shape [${shape}] has ${size}`);
    return {name, dtype: ours, shape, from: offsets[0], to: offsets[1]};
}
// {tensors: Map by name in the order of the bytes, metadata, length: of the elements}
function readTensors(bytes) {
    const {all, text} = parseHeader(bytes), tensors = [];
    const metadata = metadataOf(Object.hasOwn(all, '__metadata__') ? all.__metadata__ : undefined);
    let keys = 0;
    for (const [name, x] of Object.entries(all)) {
        keys += 1 + Object.keys(x ?? {}).length;
        if (name !== '__metadata__') tensors.push(infoOf(name, x));
    }
    if (keys !== countKeys(text)) throw bad('the header has a key twice');
    tensors.sort((a, b) => a.from - b.from || a.to - b.to);
    let at = 0;
    for (const t of tensors) {
        if (t.from < at) throw bad(`tensor '${t.name}' overlaps the one before it`);
        if (t.from > at) throw bad(`tensor '${t.name}' has unused bytes before it`);
        at = t.to;
    }
    return {tensors: new Map(tensors.map(t => [t.name, t])), metadata, length: at};
}
async function readHeader(reader, size) {
    const head = await reader.take(8);
    if (head.length < 8) throw bad(`it ends after ${head.length} bytes, before the length of the header`);
    const n = new DataView(head.buffer, head.byteOffset).getBigUint64(0, true);
    if (n > MAX_HEADER) throw bad(`the header has ${n} bytes, more than the ${MAX_HEADER} of the format`);
    const length = Number(n);
    if (size !== null && length > size - 8) throw bad(`the header has ${length} bytes, the file ${size}`);
    const text = await reader.take(length);
    if (text.length < length)
        throw bad(`the header has ${length} bytes, but the file ends after ${text.length} of them`);
    const header = readTensors(text), all = 8 + length + header.length;
    if (size !== null && size !== all) throw bad(`the header describes ${all} bytes, the file has ${size}`);
    return {...header, start: 8 + length};
}

// ---- Reading.
const converted = (x, {float8 = 'float32'}) => {
    if (!isFloat8(x.dtype) || float8 === null) return x;
    const y = rowCall('kiln.numpy', 'astype', [x, float8]);
    x.dispose();
    return y;
};
async function readTensor(reader, t, options) {
    try {
        return converted(await readElements(reader, t), options);
    } catch (e) {
        throw about(`tensor '${t.name}'`, e);
    }
}

/** The tensors of a file: `names`, `metadata`, info(name) -> {dtype, shape}; get(name) reads one. */
export class SafeTensors {
    #source;
    #header;
    #options;
    constructor(source, header, options) {
        this.#source = source, this.#header = header, this.#options = options;
        this.name = source.name;
        this.names = [...header.tensors.keys()];
        this.metadata = header.metadata;
    }
    get length() { return this.names.length; }
    [Symbol.iterator]() { return this.names.values(); }
    has(name) { return this.#header.tensors.has(name); }
    #find(name) {
        const t = this.#header.tensors.get(name);
        if (!t) throw errorOf('KeyError', `${this.name}: there is no tensor '${name}'`);
        return t;
    }
    /** {dtype, shape, bytes} of a tensor, without reading it. */
    info(name) {
        const t = this.#find(name);
        return {dtype: t.dtype, shape: [...t.shape], bytes: t.to - t.from};
    }
    async #part(name, rows, options) {
        const all = {...this.#options, ...options}, t = this.#find(name), {start} = this.#header;
        const item = (t.to - t.from) / (t.shape[0] || 1); // of a row
        const [a, b] = rows ?? [0, 0], [from, to] = rows ? [t.from + a * item, t.from + b * item] : [t.from, t.to];
        const reader = partOf(this.#source, start + from, start + to, all);
        try {
            return await readTensor(reader, rows ? {...t, shape: [b - a, ...t.shape.slice(1)]} : t, all);
        } catch (e) {
            throw about(this.name, e);
        } finally {
            reader.close();
        }
    }
    /** The array of a name. Float8 becomes float32, or what options.float8 says (null: stays). options: signal,
     * onProgress */
    get(name, options = {}) { return this.#part(name, null, options); }
    /** Rows start to stop of a tensor, which are read alone. */
    async rows(name, start, stop, options = {}) {
        const {shape} = this.#find(name);
        if (!shape.length) throw errorOf('IndexError', `tensor '${name}' has no rows`);
        if (![start, stop].every(isCount) || start > stop || stop > shape[0])
            throw errorOf('IndexError', `rows ${start} to ${stop} are not within the ${shape[0]} of tensor '${name}'`);
        return this.#part(name, [start, stop], options);
    }
    /** All arrays, as an object by name. */
    async all(options = {}) {
        const out = [];
        for (const name of this.names) out.push([name, await this.get(name, options)]);
        return Object.fromEntries(out);
    }
}

/** Opens a file; of a Blob, a path or a URL (by requests of ranges) only the header is read, and then what is asked
 * for.
 * @param options float8 ("float32": what they become; null: they stay), signal, onProgress, headers */
export async function open(source, options = {}) {
    ensure();
    const s = await randomSource(source, options), reader = partOf(s, 0, s.size, {signal: options.signal});
    try {
        return new SafeTensors(s, await readHeader(reader, s.size), options);
    } catch (e) {
        throw about(s.name, e);
    } finally {
        reader.close();
    }
}
/** All tensors of a file, as an object of arrays by name: read once from front to back, into Kiln's memory as they
 * come. */
export async function load(source, options = {}) {
    ensure();
    const reader = await readerOf(source, options), out = new Map();
    try {
        const {tensors} = await readHeader(reader, null);
        for (const t of tensors.values()) out.set(t.name, await readTensor(reader, t, options));
        if (await reader.chunk()) throw bad('there are bytes behind the last tensor');
        return Object.fromEntries(out);
    } catch (e) {
        for (const x of out.values()) x.dispose();
        throw about(reader.name, e);
    } finally {
        reader.close();
    }
}

// ---- Several files with an index.
/** The tensors of several files, opened when one of theirs is asked for. */
export class ShardedSafeTensors {
    #open;
    #files = new Map();
    constructor(map, metadata, opener) {
        this.#open = opener, this.map = map, this.metadata = metadata;
        this.names = [...map.keys()];
    }
    get length() { return this.names.length; }
    [Symbol.iterator]() { return this.names.values(); }
    has(name) { return this.map.has(name); }
    /** The file that has the tensor, opened. */
    async file(name) {
        const file = this.map.get(name);
        if (file === undefined) throw errorOf('KeyError', `there is no tensor '${name}' in the index`);
        if (!this.#files.has(file)) {
            const opening = this.#open(file);
            this.#files.set(file, opening);
            opening.catch(() => this.#files.delete(file));
        }
        return this.#files.get(file);
    }
    async info(name) { return (await this.file(name)).info(name); }
    async get(name, options = {}) { return (await this.file(name)).get(name, options); }
    async rows(name, start, stop, options = {}) { return (await this.file(name)).rows(name, start, stop, options); }
    async all(options = {}) {
        const out = [];
        for (const name of this.names) out.push([name, await this.get(name, options)]);
        return Object.fromEntries(out);
    }
}
/** Opens model.safetensors.index.json. Its files are beside it, where it is a URL or a path; else options.shard(name)
 * is a source of each, or a promise of one. Other options are those of open(). */
export async function openSharded(index, options = {}) {
    ensure();
    const reader = await readerOf(index, {signal: options.signal, headers: options.headers}), all = [];
    try {
        let size = 0;
        for (let b; (b = await reader.chunk()); all.push(b))
            if ((size += b.length) > MAX_HEADER) throw bad(`an index of more than ${MAX_HEADER} bytes is not read`);
        const {weight_map: map, metadata = {}} = parseHeader(bytesOf(all)).all;
        if (!isObject(map)) throw bad('the index has no weight_map');
        for (const [name, file] of Object.entries(map)) {
            if (typeof file !== 'string' || !/^[^/\\:]+\.safetensors$/.test(file))
                throw bad(`tensor '${name.slice(0, 100)}' is in a file of no plain name: ` + String(file).slice(0, 100));
        }
        const beside = options.shard ?? (file => {
            if (typeof index === 'string' && !/^[a-z][a-z0-9+.-]+:/i.test(index) && !globalThis.location)
                return index.replace(/[^\\/]*$/, '') + file;
            if (typeof index === 'string' || index instanceof URL)
                return new URL(file, new URL(index, globalThis.location?.href));
            throw errorOf('TypeError', 'where the files of an index are has to be said by options.shard');
        });
        const opener = async file => open(await beside(file), options);
        return new ShardedSafeTensors(new Map(Object.entries(map)), metadata, opener);
    } catch (e) {
        throw about(reader.name, e);
    } finally {
        reader.close();
    }
}

// ---- Writing: the file that the reference implementation writes, byte for byte.
const encoder = new TextEncoder();
function byBytes(a, b) {
    const n = Math.min(a.length, b.length);
    for (let i = 0; i < n; i++) if (a[i] !== b[i]) return a[i] - b[i];
    return a.length - b.length;
}
function partsOf(tensors, metadata) {
    const list = [...(tensors instanceof Map ? tensors : Object.entries(tensors))].map(([name, x]) => {
        if (name === '__metadata__') throw bad("no tensor can have the name '__metadata__'");
        const array = arrayOf(x), format = toFormat.get(array.dtype);
        if (!format) throw errorOf('TypeError', `tensor '${name}': ${array.dtype} is no dtype of safetensors`);
        return {name: String(name), raw: encoder.encode(name), own: array !== x, array, format};
    });
    list.sort((a, b) => b.format.rank - a.format.rank || byBytes(a.raw, b.raw));
    const rows = [], parts = [];
    if (metadata !== null) {
        const sorted = Object.keys(metadata).sort().map(k => [k, metadata[k]]);
        rows.push(`"__metadata__":${JSON.stringify(Object.fromEntries(sorted))}`);
        metadataOf(metadata);
    }
    let at = 0;
    for (const {name, array, format, own} of list) {
        const part = new Elements(array), {shape} = array;
        const info = {dtype: format.name, shape, data_offsets: [at, at + part.length]};
        rows.push(`${JSON.stringify(name)}:${JSON.stringify(info)}`);
        at += part.length;
        parts.push(part);
        if (own) array.dispose();
    }
    const text = encoder.encode(`{${rows.join(',')}}`), length = (text.length + 7) & ~7;
    const head = new Uint8Array(8 + length).fill(32);
    if (length > MAX_HEADER) throw bad(`a header of ${length} bytes is longer than the format allows`);
    new DataView(head.buffer).setBigUint64(0, BigInt(length), true);
    head.set(text, 8);
    return [head, ...parts];
}
/** The bytes of a file of arrays, an object by name. options: metadata (an object of texts) */
export function toBytes(tensors, {metadata = null} = {}) {
    ensure();
    return bytesOf(partsOf(tensors, metadata));
}
/** The same as a ReadableStream, in pieces. */
export function toStream(tensors, {metadata = null} = {}) {
    ensure();
    return streamOf(chunksOf(partsOf(tensors, metadata)));
}
/** Writes them to a path, a handle of a file or a WritableStream. options: metadata, signal */
export async function save(to, tensors, {metadata = null, signal = null} = {}) {
    ensure();
    await writeTo(to, chunksOf(partsOf(tensors, metadata)), {signal});
}

// ---- Names as paths.
/** {"layers.0.w": x} as {layers: [{w: x}]}. */
export function toNested(tensors) {
    const root = new Map();
    for (const [path, x] of Object.entries(tensors)) {
        const keys = path.split('.');
        let at = root;
        keys.forEach((key, i) => {
            if (!(at instanceof Map)) throw bad(`'${path}' is below an array`);
            const last = i === keys.length - 1;
            if (last && at.has(key)) throw bad(`'${path}' is an array and has others below it`);
            if (last) at.set(key, x);
            else if (!at.has(key)) at.set(key, new Map());
            at = at.get(key);
        });
    }
    const made = x => {
        if (!(x instanceof Map)) return x;
        const keys = [...x.keys()], isList = keys.length && keys.every((_, i) => x.has(String(i)));
        if (isList) return keys.map((_, i) => made(x.get(String(i))));
        return Object.fromEntries(keys.map(k => [k, made(x.get(k))]));
    };
    return made(root);
}
/** {layers: [{w: x}]} as {"layers.0.w": x}. */
export function fromNested(nested, prefix = '') {
    const plain = x => Array.isArray(x) || (isObject(x) && [Object.prototype, null].includes(Object.getPrototypeOf(x)));
    return Object.fromEntries(Object.entries(nested).flatMap(([k, x]) =>
        (plain(x) ? Object.entries(fromNested(x, `${prefix}${k}.`)) : [[`${prefix}${k}`, x]])));
}
