// SPDX-License-Identifier: Apache-2.0
// memory-files.mjs -- files in memory, with the names of Node's `fs` that wasi.mjs calls: what a program in a page
// reads and writes.

const constants = {O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024};
const fail = (code, path) => { throw Object.assign(new Error(`${code}: ${path}`), {code}); };

/** The parts of a path, without "." and "..". */
function parts(path) {
    const list = [];
    for (const part of String(path).split('/'))
        if (part === '..')
            list.pop();
        else if (part !== '' && part !== '.')
            list.push(part);
    return list;
}

class File {
    data = new Uint8Array(0); // room for the content
    size = 0;
    time = Date.now();
    isFile = () => true;
    isDirectory = () => false;

    resize(size) {
        if (size > this.data.length) {
            const wider = new Uint8Array(Math.max(size, 2 * this.data.length, 256));
            wider.set(this.data.subarray(0, this.size));
            this.data = wider;
        }
        if (size < this.size)
            this.data.fill(0, size, this.size);
        this.size = size;
        this.time = Date.now();
    }
}

class Folder {
    entries = new Map();
    time = Date.now();
    isFile = () => false;
    isDirectory = () => true;
}

/** A tree of files, empty at first. All calls are synchronous; errors have Node's codes. */
export class MemoryFiles {
    constants = constants;
    #root = new Folder();
    #open = new Map(); // number -> {file, flags}
    #next = 3;

    #find(path) {
        let at = this.#root;
        for (const part of parts(path)) {
            if (!at.isDirectory())
                fail('ENOTDIR', path);
            at = at.entries.get(part) ?? fail('ENOENT', path);
        }
        return at;
    }

    /** The folder that a path is in, and its last name. */
    #place(path) {
        const list = parts(path), name = list.pop() ?? fail('EINVAL', path), folder = this.#find(list.join('/'));
        return folder.isDirectory() ? {folder, name} : fail('ENOTDIR', path);
    }

    #opened(fd) { return this.#open.get(fd) ?? fail('EBADF', fd); }

    /** Puts a file there, with the folders above it; `bytes` is not copied. */
    put(path, bytes) {
        const list = parts(path), name = list.pop(), file = new File();
        let at = this.#root;
        for (const part of list) {
            if (!at.entries.has(part))
                at.entries.set(part, new Folder());
            at = at.entries.get(part);
        }
        [file.data, file.size] = [bytes, bytes.length];
        at.entries.set(name, file);
    }

    /** The content of a file; a copy. */
    readFileSync(path) {
        const file = this.#find(path);
        return file.isFile() ? file.data.slice(0, file.size) : fail('EISDIR', path);
    }

    existsSync(path) {
        try {
            return Boolean(this.#find(path));
        } catch {
            return false;
        }
    }

    openSync(path, flags) {
        const {folder, name} = this.#place(path);
        let file = folder.entries.get(name);
        if (file && flags & constants.O_CREAT && flags & constants.O_EXCL)
            fail('EEXIST', path);
        if (file?.isDirectory())
            fail('EISDIR', path);
        if (!file)
            folder.entries.set(name, file = flags & constants.O_CREAT ? new File() : fail('ENOENT', path));
        if (flags & constants.O_TRUNC)
            file.resize(0);
        this.#open.set(this.#next, {file, flags});
        return this.#next++;
    }

    closeSync(fd) {
        if (!this.#open.delete(fd))
            fail('EBADF', fd);
    }

    readSync(fd, bytes, offset, length, position) {
        const {file} = this.#opened(fd), n = Math.max(0, Math.min(length, file.size - position));
        bytes.set(file.data.subarray(position, position + n), offset);
        return n;
    }

    /** `position` null: at the end. */
    writeSync(fd, bytes, offset, length, position) {
        const {file, flags} = this.#opened(fd), at = position ?? file.size;
        if ((flags & 3) === constants.O_RDONLY)
            fail('EBADF', fd);
        if (at + length > file.size)
            file.resize(at + length);
        file.data.set(bytes.subarray(offset, offset + length), at);
        return length;
    }

    ftruncateSync(fd, size) { this.#opened(fd).file.resize(size); }
    fstatSync(fd) { return this.#stat(this.#opened(fd).file); }
    statSync(path) { return this.#stat(this.#find(path)); }
    lstatSync(path) { return this.statSync(path); }

    #stat(file) {
        const {isFile, isDirectory, size = 0, time} = file;
        return {isFile, isDirectory, size, mtimeMs: time};
    }

    readdirSync(path) {
        const folder = this.#find(path);
        if (!folder.isDirectory())
            fail('ENOTDIR', path);
        return [...folder.entries].map(([name, {isFile, isDirectory}]) => ({name, isFile, isDirectory}));
    }

    mkdirSync(path) {
        const {folder, name} = this.#place(path);
        if (folder.entries.has(name))
            fail('EEXIST', path);
        folder.entries.set(name, new Folder());
    }

    rmdirSync(path) {
        const {folder, name} = this.#place(path), gone = this.#find(path);
        if (!gone.isDirectory())
            fail('ENOTDIR', path);
        if (gone.entries.size)
            fail('ENOTEMPTY', path);
        folder.entries.delete(name);
    }

    unlinkSync(path) {
        const {folder, name} = this.#place(path);
        if (this.#find(path).isDirectory())
            fail('EISDIR', path);
        folder.entries.delete(name);
    }

    renameSync(from, to) {
        const moved = this.#find(from), a = this.#place(from), b = this.#place(to);
        a.folder.entries.delete(a.name);
        b.folder.entries.set(b.name, moved);
    }
}
