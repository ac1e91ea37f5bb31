// SPDX-License-Identifier: Apache-2.0
// cache.js -- files that were downloaded, kept for the next time. What is kept is bounded, the files that were used
// least recently go first; what was downloaded is compared with its SHA-256; a download that broke off goes on where it
// was.
//
// In the store a file is pieces, "ID.0", "ID.1", ..., each written once, and an entry "KEY.json" of its address.
// Nothing is changed in place and nothing is in one list, so pages beside each other cannot spoil it.
import {errorOf} from './errors.js';
import {Sha256, sha256} from './sha256.js';
import {rangeOf, readerOf, stampOf, streamOf, whole} from './source.js';
import {locked, openStore} from './store.js';

const PIECE = 32 << 20; // what a page that is closed loses of a download at most
const TOUCH = 60e3; // how exactly the last use is known, in milliseconds
const encoder = new TextEncoder();
const keyOf = name => sha256(encoder.encode(name)).slice(0, 32);
const isHash = x => typeof x === 'string' && /^[0-9a-f]{64}$/.test(x);
const hexOf = b => Array.from(b, x => x.toString(16).padStart(2, '0')).join('');
const newId = () => hexOf(crypto.getRandomValues(new Uint8Array(12)));
const newEntry = name => ({name, id: newId(), sizes: [], stamp: null, used: Date.now()});
const sum = list => list.reduce((n, x) => n + x, 0);
const sizeOf = entries => sum([...new Map(entries.map(e => [e.id, sum(e.sizes)])).values()]);
const final = (e, more) => Object.assign(e, {isFinal: true, ...more}); // no reason to keep what is there of a download
const tooLarge = (name, size, most) => final(errorOf('ValueError',
    `${name}: ${size === null ? 'it' : `its ${size} bytes`} would be more than maxBytes (${most}) allows`));

function fullName(name) {
    try {
        return new URL(name, globalThis.location?.href).href;
    } catch {
        return String(name);
    }
}
async function hashBlob(hash, blob) {
    const reader = await readerOf(blob);
    for (let b; (b = await reader.chunk()); ) hash.update(b);
}

/** Blobs one behind the other, with what a Blob has. */
class Pieces {
    #list;
    constructor(name, list) {
        this.#list = list;
        this.name = name;
        this.size = sum(list.map(b => b.size));
    }
    slice(from = 0, to = this.size) {
        const inside = i => Math.max(0, Math.min(this.size, i < 0 ? this.size + i : i));
        const a = inside(from), b = inside(to), list = [];
        let at = 0;
        for (const p of this.#list) {
            if (at < b && at + p.size > a) list.push(p.slice(Math.max(0, a - at), Math.min(p.size, b - at)));
            at += p.size;
        }
        return new Pieces(this.name, list);
    }
    async *#chunks() {
        for (const p of this.#list) {
            const reader = await readerOf(p);
            try {
                for (let b; (b = await reader.chunk()); ) yield b;
            } finally {
                reader.close();
            }
        }
    }
    stream() { return streamOf(this.#chunks()); }
    bytes() { return whole(this); }
    async arrayBuffer() { return (await whole(this)).buffer; }
    async text() { return new TextDecoder().decode(await whole(this)); }
}

function wanted({sha256: hash = null}) {
    if (hash === null) return null;
    const low = String(hash).toLowerCase().replace(/^sha256[:-]/, '');
    if (!isHash(low)) throw errorOf('ValueError', `sha256 has to be 64 hexadecimal digits, not ${hash}`);
    return low;
}

/** Files by name or address. options: folder, maxBytes (2 GiB), store ("memory": nothing is kept) */
export class Cache {
    #options;
    #opening = null;
    constructor(options = {}) {
        this.#options = options;
        this.maxBytes = options.maxBytes ?? 2 ** 31;
    }
    #store() {
        this.#opening ??= openStore(this.#options.folder, this.#options.store);
        return this.#opening;
    }
    #lock(key, f) { return locked(`kiln-cache:${this.#options.folder ?? ''}:${key}`, f); }

    // ---- Entries: {name, id, sizes, sha256, stamp, created, used}; of a download that is not complete: partial.
    async #entry(store, file) {
        const blob = await store.read(file);
        if (!blob) return null;
        try {
            const e = JSON.parse(await blob.text());
            return typeof e.name === 'string' && /^[0-9a-f]{24}$/.test(e.id) && Array.isArray(e.sizes) ? e : null;
        } catch {
            return null; // what is damaged is not there
        }
    }
    async #write(store, file, entry) {
        const out = await store.create(file);
        await out.write(encoder.encode(JSON.stringify(entry)));
        await out.close();
    }
    async #entries(store) {
        const all = await Promise.all((await store.names()).filter(n => n.endsWith('.json')).map(async file => {
            const entry = await this.#entry(store, file);
            return entry && {file, ...entry};
        }));
        return all.filter(Boolean);
    }
    // The file of an entry; null if a piece is missing or has another size.
    async #blob(store, entry, verify = false) {
        const pieces = await Promise.all(entry.sizes.map((_, i) => store.read(`${entry.id}.${i}`)));
        if (pieces.some((p, i) => p?.size !== entry.sizes[i])) return null;
        if (verify) {
            const hash = new Sha256();
            for (const p of pieces) await hashBlob(hash, p);
            if (hash.hex() !== entry.sha256) return null;
        }
        return pieces.length === 1 ? pieces[0] : new Pieces(entry.name, pieces);
    }
    async #touch(store, key, entry) {
        if (Date.now() - entry.used > TOUCH) await this.#write(store, `${key}.json`, {...entry, used: Date.now()});
    }
    async #find(store, key, options) {
        const hash = wanted(options);
        let entry = await this.#entry(store, `${key}.json`);
        if (entry && hash && entry.sha256 !== hash) entry = null;
        if (!entry && hash) { // the same file from another address
            const other = (await this.#entries(store)).find(e => !e.partial && e.sha256 === hash);
            if (other) entry = {...other, file: undefined, name: options.name, used: 0};
        }
        const blob = entry && !entry.partial ? await this.#blob(store, entry, options.verify) : null;
        if (blob) await this.#touch(store, key, entry);
        return blob;
    }

    // ---- What it does.
    /** The file of an address as a Blob, downloaded if it is not there.
     * @param options sha256 (what it has to be; else it is only noted), signal, onProgress({loadedBytes, totalBytes}),
     * headers, refresh (download it anew), verify (compare the sum of what is there, too) */
    async get(url, options = {}) {
        const name = new URL(url, globalThis.location?.href).href, key = keyOf(name), store = await this.#store();
        wanted(options);
        const there = options.refresh ? null : await this.#find(store, key, {...options, name});
        if (there) return there;
        return this.#lock(key, async () => { // of two pages one downloads
            const now = options.refresh ? null : await this.#find(store, key, {...options, name});
            return now ?? this.#download(store, name, key, options);
        });
    }
    /** The file of a name or address as a Blob, or null. options: verify */
    async match(name, options = {}) {
        const full = fullName(name);
        return this.#find(await this.#store(), keyOf(full), {...options, name: full});
    }
    async has(name) { return (await this.match(name)) !== null; }
    /** Keeps a file under a name. source: what files are read from. options: sha256, signal, onProgress */
    async put(name, source, options = {}) {
        const full = fullName(name), key = keyOf(full), store = await this.#store();
        return this.#lock(key, async () => {
            const reader = await readerOf(source, options), entry = newEntry(full);
            try {
                return await this.#keep(store, key, entry, reader, new Sha256(), options);
            } catch (e) {
                await this.#drop(store, entry);
                throw e;
            } finally {
                reader.close();
            }
        });
    }
    /** What is there: [{name, size, sha256, created, used}], the last used first. */
    async list() {
        const all = (await this.#entries(await this.#store())).filter(e => !e.partial);
        return all.sort((a, b) => b.used - a.used).map(({name, sizes, sha256: hash, created, used}) =>
            ({name, size: sum(sizes), sha256: hash, created: new Date(created), used: new Date(used)}));
    }
    /** Removes a file; was it there? */
    async delete(name) {
        const store = await this.#store(), key = keyOf(fullName(name));
        return this.#lock(key, async () => {
            let was = false;
            for (const file of [`${key}.json`, `${key}.part.json`]) {
                const entry = await this.#entry(store, file);
                was = (await store.remove(file)) && !entry?.partial || was;
                if (entry) await this.#drop(store, entry);
            }
            return was;
        });
    }
    /** Removes all files. */
    async clear() {
        const store = await this.#store();
        for (const name of await store.names()) await store.remove(name);
    }
    /** {bytes, maxBytes, kind}: how full it is, and of what kind its store ("opfs", "folder", "memory"). */
    async info() {
        const store = await this.#store();
        return {bytes: sizeOf(await this.#entries(store)), maxBytes: this.maxBytes, kind: store.kind};
    }

    // ---- Downloads.
    async #download(store, name, key, options) {
        const part = `${key}.part.json`, kept = await this.#entry(store, part), hash = wanted(options);
        // who takes the note away has the pieces
        const mine = kept && (await store.remove(part)) ? kept : null;
        if (mine && (mine.stamp || hash) && mine.sizes.length && (await this.#blob(store, mine))) {
            const blob = await this.#fetch(store, key, mine, true, options);
            if (blob) return blob;
        }
        if (mine) await this.#drop(store, mine);
        return this.#fetch(store, key, newEntry(name), false, options);
    }
    // resume: null if the server has another file by now, or gives no parts
    async #fetch(store, key, entry, resume, options) {
        const from = sum(entry.sizes), {signal = null, headers = {}} = options;
        let r;
        try {
            r = await fetch(entry.name, {headers: resume ? {...headers, Range: `bytes=${from}-`} : headers, signal});
        } catch (e) {
            if (resume) await this.#write(store, `${key}.part.json`, entry);
            if (signal?.aborted) throw e;
            throw errorOf('FileError', `${entry.name}: ${e.cause?.message ?? e.message}`);
        }
        const range = rangeOf(r), coded = r.headers.get('Content-Encoding');
        if (resume && (r.status !== 206 || range?.from !== from || coded ||
            (entry.stamp && stampOf(r) !== entry.stamp))) {
            r.body?.cancel().catch(() => {});
            return null;
        }
        if (!r.ok) {
            r.body?.cancel().catch(() => {});
            throw errorOf('FileError', `${entry.name}: ${r.status} ${r.statusText}`.trimEnd());
        }
        const left = coded ? null : range ? range.total - from : +r.headers.get('Content-Length') || null;
        if (left !== null && from + left > this.maxBytes) {
            r.body?.cancel().catch(() => {});
            if (resume) await this.#drop(store, entry);
            throw tooLarge(entry.name, from + left, this.maxBytes);
        }
        entry.stamp = coded ? null : stampOf(r);
        const hash = new Sha256(), progress = options.onProgress, reader = await readerOf(r.body ?? [], {
            signal, total: left,
            onProgress: progress && (({loadedBytes}) =>
                progress({loadedBytes: from + loadedBytes, totalBytes: left === null ? undefined : from + left})),
        });
        try {
            for (let i = 0; i < entry.sizes.length; i++) await hashBlob(hash, await store.read(`${entry.id}.${i}`));
            return await this.#keep(store, key, entry, reader, hash, options, left);
        } catch (e) {
            if (e.isFinal || coded || !entry.sizes.length) await this.#drop(store, entry);
            else await this.#write(store, `${key}.part.json`, {...entry, partial: true, created: Date.now()});
            if (resume && e.isSum) return null; // the first pieces may have been of another file
            if (signal?.aborted || ('file' in e && 'line' in e)) throw e;
            throw errorOf('FileError', `${entry.name}: ${e.cause?.message ?? e.message}`);
        } finally {
            reader.close();
        }
    }
    // Writes what a reader has as pieces behind those that are there, compares, and makes the entry.
    async #keep(store, key, entry, reader, hash, options, left = null) {
        let size = sum(entry.sizes);
        const end = left === null ? null : size + left;
        for (let ended = false; !ended; ) {
            const out = await store.create(`${entry.id}.${entry.sizes.length}`);
            let got = 0, failed = null;
            try {
                for (let b; got < PIECE; got += b.length) {
                    if (!(b = await reader.chunk())) {
                        ended = true;
                        break;
                    }
                    if (size + got + b.length > this.maxBytes) throw tooLarge(entry.name, null, this.maxBytes);
                    await out.write(b);
                    hash.update(b);
                }
            } catch (e) {
                failed = e;
            }
            if (got && !failed?.isFinal) {
                try {
                    await out.close();
                    entry.sizes.push(got);
                    size += got;
                } catch (e) {
                    failed ??= e;
                }
            } else
                await out.abort();
            if (failed?.name === 'QuotaExceededError')
                throw errorOf('MemoryError',
                    `${entry.name}: the browser has no more room for it (cache.clear() makes some)`);
            if (failed) throw failed;
        }
        if (end !== null && size < end)
            throw errorOf('FileError', `${entry.name}: it ends after ${size} of ${end} bytes`);
        entry.sha256 = hash.hex();
        const want = wanted(options);
        if (want && want !== entry.sha256) {
            throw final(errorOf('ValueError', `${entry.name}: its SHA-256 is ${entry.sha256}, not ${want}`),
                {isSum: true});
        }
        delete entry.partial;
        entry.created = entry.used = Date.now();
        const before = await this.#entry(store, `${key}.json`);
        await this.#write(store, `${key}.json`, entry);
        if (before && before.id !== entry.id) await this.#drop(store, before);
        await this.#lock('', () => this.#evict(store, entry.id));
        return this.#blob(store, entry);
    }
    // The pieces of an entry that is gone, unless another one has them, too.
    async #drop(store, entry) {
        if ((await this.#entries(store)).some(e => e.id === entry.id)) return;
        for (let i = 0; i <= entry.sizes.length; i++) await store.remove(`${entry.id}.${i}`);
    }

    // ---- Making room.
    async #evict(store, keep) {
        const all = (await this.#entries(store)).sort((a, b) => a.used - b.used);
        while (sizeOf(all) > this.maxBytes) {
            const i = all.findIndex(e => e.id !== keep);
            if (i < 0) break;
            await store.remove(all[i].file);
            await this.#drop(store, all[i]);
            all.splice(i, 1);
        }
        await this.#sweep(store);
    }
    // Pieces of downloads whose page was closed have no entry; those of running ones have none yet, but are young.
    async #sweep(store) {
        const names = await store.names(), ids = new Set((await this.#entries(store)).map(e => e.id));
        for (const name of names) {
            const m = /^([0-9a-f]{24})\.\d+$/.exec(name);
            if (!m || ids.has(m[1])) continue;
            const blob = await store.read(name);
            if (blob && Date.now() - blob.lastModified > 86400e3) await store.remove(name);
        }
    }
}

/** The cache of this page's origin, or of this user. */
export const cache = new Cache();
