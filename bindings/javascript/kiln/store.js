// SPDX-License-Identifier: Apache-2.0
// store.js -- where the cache has its files: a folder of the origin's private file system in a page, a folder of the
// file system in Node, else memory. A store has small names and whole files: a file that is being written is not there
// yet.
import {fileSystem, PathBlob} from './source.js';

/** read(name) -> Blob or null; create(name) -> {write(bytes), close(), abort()}; remove(name) -> was it there?;
 * names(). */
class MemoryStore {
    kind = 'memory';
    #files = new Map();
    async names() { return [...this.#files.keys()]; }
    async read(name) { return this.#files.get(name) ?? null; }
    async create(name) {
        const parts = [];
        return {
            write: async b => { parts.push(b.slice()); },
            close: async () => { this.#files.set(name, new File(parts, name)); }, // a Blob with the time
            abort: async () => {},
        };
    }
    async remove(name) { return this.#files.delete(name); }
}

class OriginStore {
    kind = 'opfs';
    #folder;
    constructor(folder) { this.#folder = folder; }
    static async open(name) {
        const root = await navigator.storage.getDirectory();
        return new OriginStore(await root.getDirectoryHandle(name, {create: true}));
    }
    async names() {
        const all = [];
        for await (const [name, handle] of this.#folder.entries()) // ".crswap" are files that Chromium is writing
            if (handle.kind === 'file' && !name.endsWith('.crswap')) all.push(name);
        return all;
    }
    async read(name) {
        try {
            return await (await this.#folder.getFileHandle(name)).getFile();
        } catch (e) {
            if (e.name === 'NotFoundError') return null;
            throw e;
        }
    }
    async create(name) {
        const handle = await this.#folder.getFileHandle(name, {create: true}), stream = await handle.createWritable();
        return {
            write: b => stream.write(b),
            close: () => stream.close(),
            abort: async () => {
                await stream.abort();
                await this.remove(name);
            },
        };
    }
    async remove(name) {
        try {
            await this.#folder.removeEntry(name);
            return true;
        } catch (e) {
            if (e.name === 'NotFoundError') return false;
            throw e;
        }
    }
}

class FolderStore {
    kind = 'folder';
    constructor(fs, path) { Object.assign(this, {fs: fs.promises, path}); }
    static async open(path) {
        const fs = await fileSystem();
        await fs.promises.mkdir(path, {recursive: true});
        return new FolderStore(fs, path);
    }
    at(name) { return `${this.path}/${name}`; }
    async names() { return (await this.fs.readdir(this.path)).filter(n => !n.endsWith('.new')); }
    async read(name) {
        try {
            const {size, mtimeMs} = await this.fs.stat(this.at(name));
            return Object.assign(new PathBlob(this.at(name), size), {lastModified: mtimeMs});
        } catch (e) {
            if (e.code === 'ENOENT') return null;
            throw e;
        }
    }
    async create(name) {
        const beside = this.at(`${name}.${Math.random().toString(36).slice(2)}.new`);
        const file = await this.fs.open(beside, 'wx');
        return {
            write: async b => { for (let at = 0; at < b.length; ) at += (await file.write(b, at)).bytesWritten; },
            close: async () => {
                await file.close();
                await this.fs.rename(beside, this.at(name));
            },
            abort: async () => {
                await file.close();
                await this.fs.rm(beside, {force: true});
            },
        };
    }
    async remove(name) {
        try {
            await this.fs.unlink(this.at(name));
            return true;
        } catch (e) {
            if (e.code === 'ENOENT') return false;
            throw e;
        }
    }
}

/** The store that there is here. folder: a path in Node, a name in a page; null: kiln-cache, in Node below the user's
 * cache. */
export async function openStore(folder = null, kind = null) {
    if (kind === 'memory') return new MemoryStore();
    if (await fileSystem()) {
        const env = globalThis.process.env, os = globalThis.process.getBuiltinModule('node:os');
        return FolderStore.open(folder ?? `${env.XDG_CACHE_HOME || `${os.homedir()}/.cache`}/kiln-cache`);
    }
    if (typeof globalThis.navigator?.storage?.getDirectory === 'function') {
        try {
            return await OriginStore.open(folder ?? 'kiln-cache');
        } catch (e) { // a private window may refuse it
            if (e.name !== 'SecurityError' && e.name !== 'InvalidStateError') throw e;
        }
    }
    return new MemoryStore();
}

// ---- Locks: of all pages of the origin where there are Web Locks, else of this program.
const held = new Map();
export async function locked(name, f) {
    if (globalThis.navigator?.locks) return navigator.locks.request(name, f);
    const before = held.get(name) ?? Promise.resolve(), mine = before.then(f, f), settled = mine.catch(() => {});
    held.set(name, settled);
    try {
        return await mine;
    } finally {
        if (held.get(name) === settled) held.delete(name);
    }
}
