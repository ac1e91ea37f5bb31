// SPDX-License-Identifier: Apache-2.0
// source.js -- where bytes come from: typed arrays, Blobs and Files, URLs, Responses, streams, iterables, and paths
// where there is a file system. All are read alike, from front to back or by parts, a chunk at a time, without being
// whole in memory.
import {bytes} from './engine.js';
import {describe, errorOf} from './errors.js';

const isPath = x => typeof x === 'string' || x instanceof URL;
const isBuffer = x => x instanceof ArrayBuffer || (globalThis.SharedArrayBuffer && x instanceof SharedArrayBuffer);
export const asBytes = x => (x instanceof Uint8Array ? x : isBuffer(x) ? new Uint8Array(x)
    : new Uint8Array(x.buffer, x.byteOffset, x.byteLength));

/** Node's fs, also of Deno and Bun; null in a page. */
export async function fileSystem() {
    return globalThis.process?.versions?.node ? process.getBuiltinModule('node:fs') : null;
}
/** Does this text name a file of the file system? Everything does there but what has a scheme. */
async function asPath(x) {
    const fs = await fileSystem();
    if (!fs) return null;
    if (x instanceof URL || /^file:/i.test(x))
        return String(x).startsWith('file:') ? process.getBuiltinModule('node:url').fileURLToPath(String(x)) : null;
    return /^[a-z][a-z0-9+.-]+:/i.test(x) ? null : x;
}

// ---- Chunks: async iterators of Uint8Arrays.
function ofStream(stream) { // closing it cancels a read that waits, which a generator could not
    const reader = stream.getReader();
    const close = () => { reader.cancel().catch(() => {}); };
    return {
        [Symbol.asyncIterator]() { return this; },
        next: () => reader.read(),
        return: async () => (close(), {done: true, value: undefined}),
    };
}
async function* ofIterable(x) {
    for await (const part of x) yield part;
}
async function* ofBytes(b) { yield b; }

// ---- Sources that can be read from anywhere: {name, size, stream(from, to, signal)}.
class BytesSource {
    constructor(b) {
        Object.assign(this, {name: 'the bytes', size: b.length, b});
    }
    stream(from, to) { return ofBytes(this.b.subarray(from, to)); }
}
class BlobSource {
    constructor(blob) {
        Object.assign(this, {name: blob.name ?? 'the blob', size: blob.size, blob});
    }
    stream(from, to) { return ofStream(this.blob.slice(from, to).stream()); }
}

const PIECE = 1 << 20;
/** A file of the file system, with what a Blob has: size, slice, stream, arrayBuffer, text. */
export class PathBlob {
    #range;
    constructor(path, size, range = [0, size]) {
        Object.assign(this, {path, name: path.replace(/.*[\\/]/, ''), size: range[1] - range[0], lastModified: 0});
        this.#range = range;
    }
    static async open(path) {
        const fs = await fileSystem();
        try {
            const stat = await fs.promises.stat(path);
            if (!stat.isFile()) throw new Error('not a regular file');
            return new PathBlob(path, stat.size);
        } catch (e) {
            throw errorOf('FileError', `${path}: ${e.message}`);
        }
    }
    slice(from = 0, to = this.size) {
        const inside = i => Math.max(0, Math.min(this.size, i < 0 ? this.size + i : i));
        const [start] = this.#range, a = inside(from), b = Math.max(a, inside(to));
        return new PathBlob(this.path, this.size, [start + a, start + b]);
    }
    async *chunks() {
        const fs = await fileSystem();
        let [at, end] = this.#range, file;
        try {
            file = await fs.promises.open(this.path, 'r');
            while (at < end) {
                const room = new Uint8Array(Math.min(PIECE, end - at));
                const {bytesRead: n, buffer} = await file.read(room, {position: at});
                if (!n) return;
                yield buffer.subarray(0, n);
                at += n;
            }
        } catch (e) {
            if (typeof e?.code === 'string') throw errorOf('FileError', `${this.path}: ${e.message}`);
            throw e;
        } finally {
            await file?.close();
        }
    }
    stream() { return streamOf(this.chunks()); }
    async arrayBuffer() { return (await whole(this)).buffer; }
    async bytes() { return whole(this); }
    async text() { return new TextDecoder().decode(await whole(this)); }
}
class PathSource extends BlobSource {
    stream(from, to) { return this.blob.slice(from, to).chunks(); }
}

/** A file of a server, which is asked for parts of it where it can give them. */
class UrlSource {
    constructor(url, {headers = {}} = {}) {
        Object.assign(this, {name: url, url, size: null, headers, ranges: null, stamp: null, whole: null});
    }
    async ask(headers, signal) {
        let r;
        try {
            r = await fetch(this.url, {headers: {...this.headers, ...headers}, signal});
        } catch (e) {
            if (signal?.aborted) throw e;
            throw errorOf('FileError', `${this.url}: ${e.cause?.message ?? e.message}`);
        }
        if (!r.ok) {
            r.body?.cancel().catch(() => {});
            throw errorOf('FileError', `${this.url}: ${r.status} ${r.statusText}`.trimEnd());
        }
        return r;
    }
    /** How long it is. Asks for its first byte: servers without ranges answer with everything, which is kept. */
    async open(signal) {
        const r = await this.ask({Range: 'bytes=0-0'}, signal);
        const total = r.status === 206 ? rangeOf(r)?.total : null;
        this.stamp = stampOf(r);
        if (total != null) {
            await r.arrayBuffer();
            Object.assign(this, {size: total, ranges: true});
        } else if (r.status === 206) { // the range cannot be seen from here
            await r.body?.cancel();
            this.whole = await (await this.ask({}, signal)).blob();
        } else
            this.whole = await r.blob();
        if (this.whole) Object.assign(this, {size: this.whole.size, ranges: false});
    }
    async *stream(from, to, signal) {
        if (this.whole) return yield* ofStream(this.whole.slice(from, to).stream());
        if (from === 0 && to === null) return yield* ofStream((await this.ask({}, signal)).body);
        if (from >= to) return;
        const r = await this.ask({Range: `bytes=${from}-${to - 1}`}, signal), range = rangeOf(r);
        if (r.status !== 206 || (range && range.from !== from))
            throw errorOf('FileError', `${this.url}: the server gives no parts of it any more`);
        if (this.stamp && stampOf(r) && stampOf(r) !== this.stamp)
            throw errorOf('FileError', `${this.url}: the file was changed while it was read`);
        yield* ofStream(r.body);
    }
}
/** {from, to, total} of an answer with a part of a file; null where the header cannot be read. */
export function rangeOf(response) {
    const m = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(response.headers.get('Content-Range') ?? '');
    return m ? {from: +m[1], to: +m[2] + 1, total: +m[3]} : null;
}
/** What tells one version of a file from another: a strong ETag, or the date. */
export function stampOf(response) {
    const tag = response.headers.get('ETag');
    return tag && !tag.startsWith('W/') ? tag : response.headers.get('Last-Modified');
}

const isIterable = x => typeof x?.[Symbol.asyncIterator] === 'function' || typeof x?.[Symbol.iterator] === 'function';
const isBlob = x => typeof x?.slice === 'function' && typeof x?.stream === 'function' && typeof x?.size === 'number';

// A source that is read once: {name, size: null or what the sender says, stream()}.
async function onceOf(x) {
    if (typeof Response !== 'undefined' && x instanceof Response) {
        if (!x.ok) throw errorOf('FileError', `${x.url}: ${x.status} ${x.statusText}`.trimEnd());
        const coded = x.headers.get('Content-Encoding'), size = +(x.headers.get('Content-Length') ?? NaN);
        const name = x.url || 'the response';
        return {name, size: null, total: coded || !size ? null : size,
            stream: () => ofStream(x.body ?? new Blob([]).stream())};
    }
    if (typeof x?.getReader === 'function') return {name: 'the stream', size: null, stream: () => ofStream(x)};
    if (isIterable(x) && typeof x !== 'string') return {name: 'the stream', size: null, stream: () => ofIterable(x)};
    return null;
}
async function anywhereOf(x, options) {
    if (isBuffer(x) || ArrayBuffer.isView(x)) return new BytesSource(asBytes(x));
    if (x instanceof PathBlob) return new PathSource(x);
    if (isBlob(x)) return new BlobSource(x);
    if (typeof x?.getFile === 'function') return new BlobSource(await x.getFile()); // a handle of the file system's
    if (!isPath(x)) return null;
    const path = await asPath(x);
    if (path !== null) return new PathSource(await PathBlob.open(path));
    return new UrlSource(new URL(x, globalThis.location?.href).href, options);
}
const refuse = x => errorOf('TypeError',
    `bytes are read from typed arrays, Blobs, URLs, Responses, streams and iterables, not from ${describe(x)}`);

/** A source that can be read from anywhere, with its size; streams are read to their end first. */
export async function randomSource(x, options = {}) {
    const {signal} = options, s = await anywhereOf(x, options);
    signal?.throwIfAborted();
    if (s instanceof UrlSource) await s.open(signal);
    if (s) return s;
    const once = await onceOf(x);
    if (!once) throw refuse(x);
    const parts = [], reader = new Reader(once.stream(), {...options, name: once.name, total: once.total});
    for (let b; (b = await reader.chunk()); ) parts.push(b);
    return Object.assign(new BlobSource(new Blob(parts)), {name: once.name});
}
/** Reads from the front to the back. */
export async function readerOf(x, options = {}) {
    const s = (await anywhereOf(x, options)) ?? (await onceOf(x));
    if (!s) throw refuse(x);
    return new Reader(s.stream(0, s.size, options.signal), {...options, name: s.name, total: s.total ?? s.size});
}
/** Reads a part of a source that can be read from anywhere. */
export const partOf = (source, from, to, options = {}) =>
    new Reader(source.stream(from, to, options.signal), {...options, name: source.name, total: to - from});

/** Bytes one behind the other, a chunk at a time. options: name, total, signal, onProgress({loadedBytes, totalBytes})
 * */
export class Reader {
    #chunks;
    #rest = null;
    #aborted = null;
    #ended = false;
    constructor(chunks, {name = 'the stream', total = null, signal = null, onProgress = null} = {}) {
        Object.assign(this, {name, total, signal, onProgress, loaded: 0, used: 0});
        this.#chunks = chunks[Symbol.asyncIterator]();
        if (signal) {
            this.#aborted = new Promise((_, no) => {
                if (signal.aborted) no(signal.reason);
                else signal.addEventListener('abort', () => no(signal.reason), {once: true});
            });
            this.#aborted.catch(() => {});
        }
    }
    /** The next bytes, as many as there are at once; null at the end. */
    async chunk() {
        let b = this.#rest;
        this.#rest = null;
        while (!b?.length) {
            if (this.#ended) return null;
            this.signal?.throwIfAborted();
            const next = this.#chunks.next();
            const {done, value} = await (this.#aborted ? Promise.race([next, this.#aborted]) : next);
            if (done) {
                this.#ended = true;
                return null;
            }
            if (!ArrayBuffer.isView(value) && !isBuffer(value))
                throw errorOf('TypeError', `${this.name} gave ${describe(value)} where bytes were expected`);
            b = asBytes(value);
            this.loaded += b.length;
            this.onProgress?.({loadedBytes: this.loaded, totalBytes: this.total ?? undefined});
        }
        this.used += b.length;
        return b;
    }
    /** Gives back the end of a chunk. */
    return(b) {
        if (!b.length) return;
        this.#rest = b;
        this.used -= b.length;
    }
    /** The next n bytes, fewer at the end. What a file says of itself asks for no memory before the bytes are there. */
    async take(n) {
        const parts = [];
        let got = 0;
        for (let b; got < n && (b = await this.chunk()); ) {
            if (b.length > n - got) {
                this.return(b.subarray(n - got));
                b = b.subarray(0, n - got);
            }
            parts.push(b);
            got += b.length;
        }
        return parts.length === 1 ? parts[0] : joined(parts, got);
    }
    /** Copies up to n bytes into Kiln's memory; returns how many there were. */
    async into(at, n) {
        let got = 0;
        for (let b; got < n && (b = await this.chunk()); got += b.length) {
            if (b.length > n - got) {
                this.return(b.subarray(n - got));
                b = b.subarray(0, n - got);
            }
            bytes().set(b, at + got);
        }
        return got;
    }
    async skip(n) {
        let left = n;
        for (let b; left > 0 && (b = await this.chunk()); left -= b.length) {
            if (b.length > left) {
                this.return(b.subarray(left));
                return;
            }
        }
    }
    /** No more of it is wanted. */
    close() {
        this.#ended = true;
        this.#rest = null;
        Promise.resolve(this.#chunks.return?.()).catch(() => {});
    }
}

function joined(parts, size) {
    const all = new Uint8Array(size);
    let at = 0;
    for (const b of parts) all.set(b, at), at += b.length;
    return all;
}
/** All bytes of something that chunks() or stream() gives in pieces. */
export async function whole(x) {
    const parts = [];
    let size = 0;
    for await (const b of x.chunks?.() ?? ofStream(x.stream())) parts.push(b), size += b.length;
    return joined(parts, size);
}
/** An async iterator as a ReadableStream. */
export function streamOf(chunks) {
    return new ReadableStream({
        async pull(controller) {
            const {done, value} = await chunks.next();
            if (done) controller.close();
            else controller.enqueue(value);
        },
        async cancel(reason) { await chunks.return?.(reason); },
    }, {highWaterMark: 0});
}

// ---- Where bytes go to.
/** Writes chunks to a path, a handle of a file, or a WritableStream. A file is there as a whole or not at all. */
export async function writeTo(to, chunks, {signal = null} = {}) {
    const stream = typeof to?.createWritable === 'function' ? await to.createWritable()
        : typeof to?.getWriter === 'function' ? to : null;
    if (!stream && !isPath(to)) {
        throw errorOf('TypeError',
            `files are written to paths, handles of files and WritableStreams, not to ${describe(to)}`);
    }
    if (!stream) return writePath(to, chunks, signal);
    const writer = stream.getWriter();
    try {
        for await (const b of chunks) {
            signal?.throwIfAborted();
            await writer.ready;
            await writer.write(b);
        }
        await writer.close();
    } catch (e) {
        await writer.abort(e).catch(() => {});
        throw e;
    }
}
async function writePath(to, chunks, signal) {
    const fs = await fileSystem(), path = await asPath(to);
    if (path === null) throw errorOf('FileError', `${to}: there is no file system to write it to`);
    const beside = `${path}.kiln-${Math.random().toString(36).slice(2)}`;
    let file = null;
    try {
        file = await fs.promises.open(beside, 'wx');
        for await (const b of chunks) {
            signal?.throwIfAborted();
            for (let at = 0; at < b.length; ) at += (await file.write(b, at)).bytesWritten;
        }
        await file.close();
        file = null;
        await fs.promises.rename(beside, path);
    } catch (e) {
        await file?.close().catch(() => {});
        await fs.promises.rm(beside, {force: true}).catch(() => {});
        throw typeof e?.code === 'string' ? errorOf('FileError', `${path}: ${e.message}`) : e;
    }
}
