// SPDX-License-Identifier: Apache-2.0
// zip.js -- archives of files: reading entry by entry, and writing; stored or deflated, also above 4 GiB (zip64). What
// an archive says of itself is checked before memory is asked for: extents, overlaps, duplicates, sums.
import {errorOf} from './errors.js';
import {Reader, partOf} from './source.js';
import {Elements} from './elements.js';

const [LOCAL, CENTRAL, END, END64, LOCATOR] = [0x04034b50, 0x02014b50, 0x06054b50, 0x06064b50, 0x07064b50];
const STORED = 0, DEFLATED = 8, UTF8 = 0x800, ENCRYPTED = 1;
const MAX_RATIO = 1032; // more than that no deflated byte can say
const MAX_DIRECTORY = 64 << 20;

// ---- CRC-32, eight bytes at a time.
const tables = Array.from({length: 8}, () => new Uint32Array(256));
for (let i = 0; i < 256; i++) {
    let c = i;
    for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
    tables[0][i] = c;
}
for (let t = 1; t < 8; t++)
    for (let i = 0; i < 256; i++) tables[t][i] = tables[0][tables[t - 1][i] & 255] ^ (tables[t - 1][i] >>> 8);
const [t0, t1, t2, t3, t4, t5, t6, t7] = tables;
/** The sum of bytes behind those that `before` is the sum of. */
export function crc32(b, before = 0) {
    let c = ~before, i = 0;
    for (; i + 8 <= b.length; i += 8) {
        c ^= b[i] | (b[i + 1] << 8) | (b[i + 2] << 16) | (b[i + 3] << 24);
        c = t7[c & 255] ^ t6[(c >>> 8) & 255] ^ t5[(c >>> 16) & 255] ^ t4[c >>> 24] ^
            t3[b[i + 4]] ^ t2[b[i + 5]] ^ t1[b[i + 6]] ^ t0[b[i + 7]];
    }
    for (; i < b.length; i++) c = t0[(c ^ b[i]) & 255] ^ (c >>> 8);
    return ~c >>> 0;
}

// ---- Reading.
const cp437 = 'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟' +
    '╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';
const nameOf = (b, utf8) => (utf8 ? new TextDecoder().decode(b)
    : Array.from(b, c => (c < 128 ? String.fromCharCode(c) : cp437[c - 128])).join(''));
const long = (v, at) => {
    const x = v.getBigUint64(at, true);
    return x <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(x) : Infinity;
};
const viewOf = b => new DataView(b.buffer, b.byteOffset, b.byteLength);

async function readAt(source, from, n, options) {
    const reader = partOf(source, from, Math.min(source.size, from + n), {signal: options.signal});
    try {
        return await reader.take(n);
    } finally {
        reader.close();
    }
}
// Where the directory is: {at, size, count, base}; base: where the archive begins in the file.
async function findDirectory(source, options) {
    const from = Math.max(0, source.size - 65557), tail = await readAt(source, from, source.size - from, options);
    const v = viewOf(tail);
    let at = tail.length - 22;
    while (at >= 0 && (v.getUint32(at, true) !== END || at + 22 + v.getUint16(at + 20, true) !== tail.length)) at--;
    if (at < 0) throw errorOf('ValueError', 'it is no zip file: the end of its directory is not there');
    let count = v.getUint16(at + 10, true), size = v.getUint32(at + 12, true), offset = v.getUint32(at + 16, true);
    let end = from + at;
    if (v.getUint16(at + 4, true) || v.getUint16(at + 6, true)) {
        if (v.getUint16(at + 4, true) !== 0xffff)
            throw errorOf('NotImplementedError', 'archives of several disks are not read');
    }
    if (end >= 20 && (count === 0xffff || size === 0xffffffff || offset === 0xffffffff)) {
        const locator = viewOf(await readAt(source, end - 20, 20, options));
        if (locator.getUint32(0, true) === LOCATOR) {
            const where = long(locator, 8);
            if (!(where + 56 <= end - 20))
                throw errorOf('ValueError', 'the zip64 end of its directory is outside of the file');
            const w = viewOf(await readAt(source, where, 56, options));
            if (w.getUint32(0, true) !== END64)
                throw errorOf('ValueError', 'the zip64 end of its directory is not where it should be');
            count = long(w, 32), size = long(w, 40), offset = long(w, 48), end = where;
        }
    }
    const base = end - size - offset;
    if (!(base >= 0) || !Number.isSafeInteger(base))
        throw errorOf('ValueError', 'its directory reaches beyond the file');
    if (size > MAX_DIRECTORY)
        throw errorOf('ValueError', `its directory has ${size} bytes, more than the ${MAX_DIRECTORY} that are read`);
    if (count * 46 > size) throw errorOf('ValueError', `${count} entries cannot be in a directory of ${size} bytes`);
    return {at: offset + base, size, count, base};
}
function extent64(entry, extra) { // sizes and offset that have no room in 32 bits
    const v = viewOf(extra);
    for (let at = 0; at + 4 <= extra.length; ) {
        const id = v.getUint16(at, true), n = v.getUint16(at + 2, true);
        if (at + 4 + n > extra.length) throw errorOf('ValueError', `entry '${entry.name}' has a damaged extra field`);
        if (id === 1) {
            let from = at + 4;
            for (const key of ['size', 'packed', 'offset']) {
                if (entry[key] !== 0xffffffff) continue;
                if (from + 8 > at + 4 + n)
                    throw errorOf('ValueError', `entry '${entry.name}' has a damaged zip64 field`);
                entry[key] = long(v, from);
                from += 8;
            }
        }
        at += 4 + n;
    }
}
function readEntries(b, {count, base, at: directory}) {
    const v = viewOf(b), entries = new Map();
    let at = 0;
    for (let i = 0; i < count; i++) {
        if (at + 46 > b.length || v.getUint32(at, true) !== CENTRAL)
            throw errorOf('ValueError', `entry ${i} of its directory is damaged`);
        const flags = v.getUint16(at + 8, true), n = v.getUint16(at + 28, true), extra = v.getUint16(at + 30, true);
        const next = at + 46 + n + extra + v.getUint16(at + 32, true);
        if (next > b.length) throw errorOf('ValueError', `entry ${i} of its directory reaches beyond it`);
        const raw = b.subarray(at + 46, at + 46 + n);
        const entry = {
            name: nameOf(raw, flags & UTF8), raw, flags,
            method: v.getUint16(at + 10, true), crc: v.getUint32(at + 16, true),
            packed: v.getUint32(at + 20, true), size: v.getUint32(at + 24, true), offset: v.getUint32(at + 42, true),
        };
        extent64(entry, b.subarray(at + 46 + n, at + 46 + n + extra));
        entry.offset += base;
        if (entries.has(entry.name)) throw errorOf('ValueError', `there are two entries '${entry.name}'`);
        entries.set(entry.name, entry);
        at = next;
    }
    const sorted = [...entries.values()].sort((x, y) => x.offset - y.offset);
    sorted.forEach((e, i) => {
        e.limit = i + 1 < sorted.length ? sorted[i + 1].offset : directory;
        if (e.offset + 30 + e.raw.length + e.packed > e.limit)
            throw errorOf('ValueError', i + 1 === sorted.length ? `entry '${e.name}' overlaps the directory`
                : `entries '${e.name}' and '${sorted[i + 1].name}' overlap`);
    });
    return entries;
}

/** An archive: `entries` by name, in the order of its directory. */
export class Archive {
    constructor(source, entries, options) {
        Object.assign(this, {source, entries, maxBytes: options.maxBytes ?? 2 ** 32});
    }
    static async open(source, options = {}) {
        const where = await findDirectory(source, options);
        return new Archive(source, readEntries(await readAt(source, where.at, where.size, options), where), options);
    }
    /** A reader of an entry's bytes. At their end the sum is compared. */
    async read(name, options = {}) {
        const e = this.entries.get(name);
        if (e.flags & ENCRYPTED) throw errorOf('NotImplementedError', 'it is encrypted');
        if (e.method !== STORED && e.method !== DEFLATED)
            throw errorOf('NotImplementedError', `compression method ${e.method} is not read`);
        if (e.size > this.maxBytes)
            throw errorOf('ValueError', `it has ${e.size} bytes, more than maxBytes (${this.maxBytes}) allows`);
        if (e.method === STORED ? e.size !== e.packed : e.size > e.packed * MAX_RATIO)
            throw errorOf('ValueError', `${e.packed} bytes in the file cannot be ${e.size} bytes`);
        const head = await readAt(this.source, e.offset, 30 + e.raw.length, options), v = viewOf(head);
        if (head.length < 30 || v.getUint32(0, true) !== LOCAL)
            throw errorOf('ValueError', 'it does not begin where the directory says');
        const n = v.getUint16(26, true), from = e.offset + 30 + n + v.getUint16(28, true);
        if (n !== e.raw.length || e.raw.some((c, i) => head[30 + i] !== c))
            throw errorOf('ValueError', 'the directory has another name for it');
        if (from + e.packed > e.limit) throw errorOf('ValueError', 'it overlaps what is behind it');
        const packed = this.source.stream(from, from + e.packed, options.signal);
        const chunks = checked(e.method === STORED ? packed : inflated(packed), e);
        return new Reader(chunks, {...options, name, total: e.size});
    }
}
async function* inflated(chunks) {
    const stream = new DecompressionStream('deflate-raw');
    const writer = stream.writable.getWriter(), reader = stream.readable.getReader();
    let wrong = null;
    const feeding = (async () => {
        for await (const b of chunks) await writer.write(b);
        await writer.close();
    })().catch(e => { wrong ??= e; });
    let ended = false;
    try {
        for (;;) {
            const {done, value} = await reader.read();
            if ((ended = done)) break;
            yield value;
        }
        await feeding;
    } catch (e) {
        const cause = wrong ?? e;
        if ('line' in cause || cause?.name === 'AbortError') throw cause;
        throw errorOf('ValueError', `the deflated bytes are damaged (${cause.message})`);
    } finally {
        if (!ended) {
            reader.cancel().catch(() => {});
            writer.abort().catch(() => {});
            chunks.return?.().catch(() => {});
        }
    }
}
async function* checked(chunks, e) {
    let sum = 0, size = 0;
    for await (const b of chunks) {
        size += b.length;
        if (size > e.size) throw errorOf('ValueError', `it has more than the ${e.size} bytes that the directory says`);
        sum = crc32(b, sum);
        // the last bytes are given away when the sum is known
        if (size === e.size && sum !== e.crc)
            throw errorOf('ValueError', 'its bytes are damaged: their sum is another one');
        yield b;
    }
    if (size < e.size) throw errorOf('ValueError', `it ends after ${size} of ${e.size} bytes`);
    if (sum !== e.crc) throw errorOf('ValueError', 'its bytes are damaged: their sum is another one');
}

// ---- Writing.
async function deflated(parts) {
    const stream = new CompressionStream('deflate-raw');
    const writer = stream.writable.getWriter(), reader = stream.readable.getReader();
    const feeding = (async () => {
        for (const p of parts) {
            if (p instanceof Elements) for (const b of p.pieces()) await writer.write(b);
            else await writer.write(p);
        }
        await writer.close();
    })();
    feeding.catch(e => reader.cancel(e).catch(() => {}));
    const out = [];
    for (let r; !(r = await reader.read()).done; ) out.push(r.value);
    await feeding;
    return out;
}
const sizeOf = parts => parts.reduce((n, p) => n + p.length, 0);
const small = n => Math.min(n, 0xffffffff);

class Bytes {
    #b = [];
    u16(...all) { for (const x of all) this.#b.push(x & 255, (x >>> 8) & 255); return this; }
    u32(...all) { for (const x of all) this.u16(x & 0xffff, x >>> 16); return this; }
    u64(...all) { for (const x of all) this.u32(x % 2 ** 32, Math.floor(x / 2 ** 32)); return this; }
    raw(b) { for (const x of b) this.#b.push(x); return this; }
    get done() { return Uint8Array.from(this.#b); }
}
const DATE = 0x21; // 1980-01-01, so that equal arrays are equal files

/** The parts of an archive one after the other. entries: async iterable of {name, parts}; compress: deflates them. */
export async function* zipParts(entries, compress) {
    const directory = [], encoder = new TextEncoder();
    let offset = 0;
    for await (const {name, parts} of entries) {
        const raw = encoder.encode(name), flags = raw.length === name.length ? 0 : UTF8;
        if (raw.length > 0xffff) throw errorOf('ValueError', `a name of ${raw.length} bytes is too long`);
        const size = sizeOf(parts), crc = parts.reduce((c, p) => crc32(p instanceof Elements ? p.look() : p, c), 0);
        const out = compress ? await deflated(parts) : parts, method = compress ? DEFLATED : STORED,
            packed = sizeOf(out);
        const big = size >= 0xffffffff || packed >= 0xffffffff, version = big ? 45 : 20;
        const head = new Bytes().u32(LOCAL).u16(version, flags, method, 0, DATE)
            .u32(crc, big ? 0xffffffff : packed, big ? 0xffffffff : size).u16(raw.length, big ? 20 : 0).raw(raw);
        if (big) head.u16(1, 16).u64(size, packed);
        directory.push({raw, flags, method, crc, packed, size, offset});
        yield head.done;
        yield* out;
        offset += head.done.length + packed;
    }
    const begin = offset;
    for (const e of directory) {
        const wide = [e.size, e.packed, e.offset].filter(x => x >= 0xffffffff), version = wide.length ? 45 : 20;
        const row = new Bytes().u32(CENTRAL).u16(version, version, e.flags, e.method, 0, DATE)
            .u32(e.crc, small(e.packed), small(e.size))
            .u16(e.raw.length, wide.length ? 4 + 8 * wide.length : 0, 0, 0, 0)
            .u32(0, small(e.offset)).raw(e.raw);
        if (wide.length) row.u16(1, 8 * wide.length).u64(...wide);
        yield row.done;
        offset += row.done.length;
    }
    const size = offset - begin, n = directory.length, tail = new Bytes();
    if (n >= 0xffff || size >= 0xffffffff || begin >= 0xffffffff) {
        tail.u32(END64).u64(44).u16(45, 45).u32(0, 0).u64(n, n, size, begin);
        tail.u32(LOCATOR, 0).u64(offset).u32(1);
    }
    const most = Math.min(n, 0xffff);
    yield tail.u32(END).u16(0, 0, most, most).u32(small(size), small(begin)).u16(0).done;
}
