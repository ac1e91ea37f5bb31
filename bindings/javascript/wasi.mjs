// SPDX-License-Identifier: Apache-2.0
// wasi.mjs -- what a program of wasi-libc finds around itself (WASI preview 1, as far as Kiln uses it): a clock, random bytes, arguments,
// an environment, and files through an object with Node's names (open, read, write, ...), or none.
const [BADF, EXIST, INVAL, IO, ISDIR, NOENT, NOTDIR, NOSYS, ACCES, NOTEMPTY] = [8, 20, 28, 29, 31, 44, 54, 52, 2, 55];
const codes = {EBADF: BADF, EEXIST: EXIST, EINVAL: INVAL, EIO: IO, EISDIR: ISDIR, ENOENT: NOENT, ENOTDIR: NOTDIR, EACCES: ACCES, ENOTEMPTY: NOTEMPTY};

export class Exit extends Error {
  constructor(code) { super(`the program ended with ${code}`); this.code = code; }
}

// options: resolve(path) where a path leads, which has lost its first slash: this C library does not keep it; memory() the module's memory; write(stream, bytes) for streams 1 and 2; args, env; fs; read(bytes) for standard input; since: of what time origin the clock is (a thread has the first one's)
export function wasi({memory, write, args = ['kiln'], env = {}, fs = null, folders = {'/': '/'}, resolve = null, read = () => 0, since = performance.timeOrigin}) {
  const view = () => new DataView(memory().buffer), bytes = () => new Uint8Array(memory().buffer);
  const text = (p, n) => new TextDecoder().decode(bytes().slice(p, p + n));
  const files = new Map(); // number -> {fd, path, folder, at}
  let next = 3;
  if (fs)
    for (const [name, path] of Object.entries(folders)) files.set(next++, {folder: path, name});
  const attempt = f => {
    try { return f() ?? 0; } catch (e) { if (e instanceof Exit) throw e; return codes[e.code] ?? IO; }
  };
  const strings = list => list.map(s => new TextEncoder().encode(s + '\0'));
  const sizes = list => (count, size) => {
    view().setUint32(count, list.length, true);
    view().setUint32(size, strings(list).reduce((n, s) => n + s.length, 0), true);
    return 0;
  };
  const fill = list => (pointers, buffer) => {
    for (const s of strings(list)) {
      view().setUint32(pointers, buffer, true);
      bytes().set(s, buffer);
      pointers += 4, buffer += s.length;
    }
    return 0;
  };
  const pieces = (iovs, n) => Array.from({length: n}, (_, i) => {
    const at = view().getUint32(iovs + 8 * i, true), size = view().getUint32(iovs + 8 * i + 4, true);
    return new Uint8Array(memory().buffer, at, size);
  });
  const stat = (p, s) => { // filestat
    const v = view();
    v.setBigUint64(p, BigInt(s.dev ?? 0), true), v.setBigUint64(p + 8, BigInt(s.ino ?? 0), true);
    v.setUint8(p + 16, s.isDirectory() ? 3 : s.isFile() ? 4 : s.isSymbolicLink?.() ? 7 : 2);
    v.setBigUint64(p + 24, BigInt(s.nlink ?? 1), true), v.setBigUint64(p + 32, BigInt(s.size), true);
    for (let i = 0; i < 3; i++) v.setBigUint64(p + 40 + 8 * i, BigInt(Math.round((s.mtimeMs ?? 0) * 1e6)), true);
  };
  const where = (dir, p, n) => {
    const f = files.get(dir), path = text(p, n);
    if (!f?.folder) throw Object.assign(new Error(), {code: 'EBADF'});
    return resolve ? resolve(f.folder, path) : path.startsWith('/') ? path : f.folder.replace(/\/$/, '') + '/' + path;
  };
  const env_list = Object.entries(env).map(([k, v]) => `${k}=${v}`);
  const known = {
    args_sizes_get: sizes(args), args_get: fill(args), environ_sizes_get: sizes(env_list), environ_get: fill(env_list),
    clock_time_get(id, precision, out) {
      const ms = id === 0 ? Date.now() : performance.now() + (performance.timeOrigin - since);
      view().setBigUint64(out, BigInt(Math.round(ms * 1e6)), true);
      return 0;
    },
    clock_res_get(id, out) { view().setBigUint64(out, 1000n, true); return 0; },
    random_get(p, n) {
      for (let i = 0; i < n; i += 65536) bytes().set(crypto.getRandomValues(new Uint8Array(Math.min(n - i, 65536))), p + i); // which may be shared
      return 0;
    },
    sched_yield: () => 0,
    proc_exit(code) { throw new Exit(code); },
    fd_write: (fd, iovs, n, out) => attempt(() => {
      let count = 0;
      const f = files.get(fd);
      if (fd > 2 && !f) return BADF;
      for (const b of pieces(iovs, n)) {
        if (fd <= 2) {
          write(fd, b.slice());
          count += b.length;
          continue;
        }
        const got = fs.writeSync(f.fd, b, 0, b.length, f.append ? null : f.at);
        count += got;
        f.at = f.append ? fs.fstatSync(f.fd).size : f.at + got;
        if (got < b.length) break; // as much as there was room for
      }
      view().setUint32(out, count, true);
    }),
    fd_read: (fd, iovs, n, out) => attempt(() => {
      let count = 0;
      const f = files.get(fd);
      if (fd > 2 && f?.fd === undefined) return f ? ISDIR : BADF;
      for (const b of pieces(iovs, n)) {
        const got = fd <= 2 ? read(b) : fs.readSync(f.fd, b, 0, b.length, f.at);
        if (f) f.at += got;
        count += got;
        if (got < b.length) break;
      }
      view().setUint32(out, count, true);
    }),
    fd_seek: (fd, offset, whence, out) => attempt(() => {
      const f = files.get(fd);
      if (fd <= 2) return 70; // a pipe
      if (f?.fd === undefined) return BADF;
      const base = whence === 0 ? 0 : whence === 1 ? f.at : fs.fstatSync(f.fd).size, at = base + Number(offset);
      if (at < 0) return INVAL;
      f.at = at;
      view().setBigUint64(out, BigInt(at), true);
    }),
    fd_tell: (fd, out) => attempt(() => { view().setBigUint64(out, BigInt(files.get(fd).at), true); }),
    fd_close: fd => attempt(() => {
      const f = files.get(fd);
      if (f?.fd !== undefined) fs.closeSync(f.fd);
      return f && files.delete(fd) ? 0 : fd <= 2 ? 0 : BADF;
    }),
    fd_sync: () => 0, fd_datasync: () => 0, fd_advise: () => 0, fd_fdstat_set_flags: () => 0,
    fd_fdstat_get(fd, out) {
      const f = files.get(fd), v = view();
      if (fd > 2 && !f) return BADF;
      for (let i = 0; i < 24; i++) v.setUint8(out + i, 0);
      v.setUint8(out, fd <= 2 ? 2 : f.folder ? 3 : 4);
      v.setBigUint64(out + 8, 0xffffffffn, true), v.setBigUint64(out + 16, 0xffffffffn, true);
      return 0;
    },
    fd_filestat_get: (fd, out) => attempt(() => {
      const f = files.get(fd);
      if (f?.fd === undefined) return f ? (stat(out, fs.statSync(f.folder)), 0) : BADF;
      stat(out, fs.fstatSync(f.fd));
    }),
    fd_filestat_set_size: (fd, size) => attempt(() => fs.ftruncateSync(files.get(fd).fd, Number(size))),
    fd_prestat_get(fd, out) {
      const f = files.get(fd);
      if (!f?.folder) return BADF;
      view().setUint32(out, 0, true), view().setUint32(out + 4, f.name.length, true);
      return 0;
    },
    fd_prestat_dir_name(fd, p, n) {
      bytes().set(new TextEncoder().encode(files.get(fd).name).subarray(0, n), p);
      return 0;
    },
    path_open: (dir, follow, p, n, flags, rights, inherit, fdflags, out) => attempt(() => {
      const path = where(dir, p, n), writes = (rights & 64n) !== 0n, reads = (rights & 2n) !== 0n;
      const [creat, folder, excl, trunc] = [1, 2, 4, 8].map(b => (flags & b) !== 0), append = (fdflags & 1) !== 0;
      if (folder) {
        if (!fs.statSync(path).isDirectory()) return NOTDIR;
        files.set(next, {folder: path, name: path});
      } else {
        const c = fs.constants;
        const how = (writes ? reads ? c.O_RDWR : c.O_WRONLY : c.O_RDONLY) | (creat ? c.O_CREAT : 0) | (excl ? c.O_EXCL : 0) |
          (trunc ? c.O_TRUNC : 0) | (append ? c.O_APPEND : 0);
        const fd = fs.openSync(path, how, 0o666);
        files.set(next, {fd, path, at: 0, append});
      }
      view().setUint32(out, next++, true);
    }),
    fd_readdir: (fd, at, room, cookie, out) => attempt(() => {
      const list = fs.readdirSync(files.get(fd).folder, {withFileTypes: true});
      let used = 0;
      for (let i = Number(cookie); i < list.length && used < room; i++) {
        const name = new TextEncoder().encode(list[i].name), entry = new Uint8Array(24 + name.length), v = new DataView(entry.buffer);
        v.setBigUint64(0, BigInt(i + 1), true), v.setUint32(16, name.length, true);
        v.setUint8(20, list[i].isDirectory() ? 3 : list[i].isFile() ? 4 : 0);
        entry.set(name, 24);
        const part = entry.subarray(0, room - used);
        bytes().set(part, at + used);
        used += part.length;
      }
      view().setUint32(out, used, true);
    }),
    path_filestat_get: (dir, flags, p, n, out) => attempt(() =>
      stat(out, fs[flags & 1 ? 'statSync' : 'lstatSync'](where(dir, p, n)))),
    path_unlink_file: (dir, p, n) => attempt(() => fs.unlinkSync(where(dir, p, n))),
    path_remove_directory: (dir, p, n) => attempt(() => fs.rmdirSync(where(dir, p, n))),
    path_create_directory: (dir, p, n) => attempt(() => fs.mkdirSync(where(dir, p, n))),
    path_rename: (d0, p0, n0, d1, p1, n1) => attempt(() => fs.renameSync(where(d0, p0, n0), where(d1, p1, n1))),
  };
  // Numbers of WebAssembly come with a sign; addresses have none. (Offsets and clocks of 64 bits are BigInts.)
  const unsigned = f => (...args) => f(...args.map(x => (typeof x === 'number' ? x >>> 0 : x)));
  return new Proxy(known, {get: (o, name) => (o[name] ? unsigned(o[name]) : () => NOSYS), has: () => true});
}
