// SPDX-License-Identifier: Apache-2.0
// files.test.mjs -- npy, npz and safetensors beside the files that NumPy and the safetensors package wrote
// (data/make-files.py), all kinds of sources, and files that lie.
import {after, before, test} from 'node:test';
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import zlib from 'node:zlib';
import {pathToFileURL} from 'node:url';

const folder = process.env.KILN_PACKAGE ?? new URL('../../build/wasm/package', import.meta.url).pathname;
const {init, io, np, ValueError, KeyError, FileError, NotImplementedError, IndexError} =
    await import(pathToFileURL(path.join(folder, 'kiln/index.js')));
await init();

const data = JSON.parse(fs.readFileSync(new URL('data/files.json', import.meta.url)));
const decode = text => new Uint8Array(Buffer.from(text, 'base64'));
const raw = async x => { const d = await x.data(); return Buffer.from(d.buffer, d.byteOffset, d.byteLength); };
async function isIt(x, {dtype, shape, elements}) {
    assert.equal(x.dtype, dtype);
    assert.deepEqual([...x.shape], shape);
    assert.equal((await raw(x)).toString('hex'), Buffer.from(elements, 'base64').toString('hex'));
}
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'kiln-files-'));
after(() => fs.rmSync(scratch, {recursive: true}));

// ---- npy.
for (const f of data.npy) {
    test(`npy: ${f.name} is read`, async () => isIt(await io.npy.load(decode(f.file)), f));
    if (f.same) {
        test(`npy: ${f.name} is written as NumPy writes it`, async () => {
            const x = await io.npy.load(decode(f.file));
            assert.deepEqual(io.npy.toBytes(x, {version: f.version ?? 1}), decode(f.file));
        });
    }
}
test('npy: an array that lies in Fortran order is written so, as NumPy does it', async () => {
    for (const f of data.npy.filter(g => g.name.endsWith('Fortran order')))
        assert.deepEqual(io.npy.toBytes(await io.npy.load(decode(f.file))), decode(f.file), f.name);
});
test('npy: a view with strides is written by its elements', async () => {
    const x = np.reshape(np.arange(0, 24, 1, {dtype: 'float32'}), [4, 6]), y = x.slice([0, 4, 2], [5, null, -2]);
    assert.deepEqual((await io.npy.load(io.npy.toBytes(y))).jsSync(), [[5, 3, 1], [17, 15, 13]]);
});
test('npy: numbers and lists are written, too', async () => {
    assert.deepEqual((await io.npy.load(io.npy.toBytes([[1, 2], [3, 4]]))).jsSync(), [[1, 2], [3, 4]]);
});
test('npy: truth values from outside become 0 and 1', async () => {
    const b = io.npy.toBytes(np.array([true, false, true]));
    b.set([7, 0, 255], b.length - 3);
    assert.deepEqual([...(await io.npy.load(b)).dataSync()], [1, 0, 1]);
});
test('npy: arrays one behind the other', async () => {
    const all = [], b = Buffer.concat([io.npy.toBytes([1, 2]), io.npy.toBytes([[3]])]);
    for await (const x of io.npy.loadAll(b)) all.push(x.jsSync());
    assert.deepEqual(all, [[1, 2], [[3]]]);
    assert.deepEqual((await io.npy.load(b)).jsSync(), [1, 2]);
});

// ---- Sources.
const sample = decode(data.npy.find(f => f.name === 'five axes').file),
    expected = data.npy.find(f => f.name === 'five axes');
async function* dribble(b, n = 1) { for (let i = 0; i < b.length; i += n) yield b.subarray(i, i + n); }
function streamOf(b, n) {
    const parts = dribble(b, n);
    return new ReadableStream({async pull(c) {
        const {done, value} = await parts.next();
        if (done) c.close();
        else c.enqueue(value);
    }});
}
const sources = {
    'an ArrayBuffer': () => sample.slice().buffer,
    'a DataView': () => new DataView(sample.slice().buffer),
    'a view within a buffer': () => new Uint8Array([0, ...sample, 0]).subarray(1, -1),
    'a Blob': () => new Blob([sample]),
    'a File': () => new File([sample], 'x.npy'),
    'a stream': () => streamOf(sample, 7),
    'an async iterable of single bytes': () => dribble(sample),
    'an iterable of parts': () => [sample.subarray(0, 5), new Uint8Array(0), sample.subarray(5)],
    'a Response': () => new Response(sample),
    'a handle of a file': () => ({getFile: async () => new File([sample], 'x.npy')}),
    'a path': () => { const p = path.join(scratch, 'a.npy'); fs.writeFileSync(p, sample); return p; },
    'a file: URL': () => {
        const p = path.join(scratch, 'b.npy');
        fs.writeFileSync(p, sample);
        return pathToFileURL(p);
    },
    'a data: URL': () => `data:application/octet-stream;base64,${Buffer.from(sample).toString('base64')}`,
};
for (const [name, make] of Object.entries(sources)) {
    test(`sources: ${name}`, async () => {
        await isIt(await io.npy.load(make()), expected);
        await isIt(await io.load(make()), expected);
    });
}
test('sources: what is none', async () => {
    await assert.rejects(io.npy.load(5), {name: 'TypeError', message: /bytes are read from/});
    await assert.rejects(io.npy.load(['text']), {name: 'TypeError', message: /where bytes were expected/});
    await assert.rejects(io.npy.load(path.join(scratch, 'none.npy')), FileError);
});
test('progress and an AbortSignal', async () => {
    const seen = [], b = new Blob([sample]);
    await io.npy.load(b, {onProgress: p => seen.push(p)});
    assert.deepEqual(seen.at(-1), {loadedBytes: sample.length, totalBytes: sample.length});
    await assert.rejects(io.npy.load(b, {signal: AbortSignal.abort()}), {name: 'AbortError'});
    const c = new AbortController(), silent = new ReadableStream({pull: () => new Promise(() => {})});
    setTimeout(() => c.abort(), 10);
    await assert.rejects(io.npy.load(silent, {signal: c.signal}), {name: 'AbortError'});
});
test('paths and streams to write to; a file that cannot be written leaves the old one', async () => {
    const at = path.join(scratch, 'saved');
    await np.save(at, [1, 2, 3]);
    assert.deepEqual((await np.load(`${at}.npy`)).jsSync(), [1, 2, 3]);
    await np.savez(at, {a: [1], b: [2]});
    assert.deepEqual((await np.load(`${at}.npz`)).files, ['a', 'b']);
    const got = [];
    await io.npy.save(new WritableStream({write: b => { got.push(b); }}), [1, 2, 3]);
    assert.deepEqual(new Uint8Array(Buffer.concat(got)), io.npy.toBytes([1, 2, 3]));
    assert.deepEqual(new Uint8Array(await new Response(io.npy.toStream([1, 2, 3])).arrayBuffer()),
        io.npy.toBytes([1, 2, 3]));
    await assert.rejects(io.npy.save(path.join(scratch, 'no/folder.npy'), [1]), FileError);
    await assert.rejects(io.npy.save(`${at}.npy`, [4], {signal: AbortSignal.abort()}), {name: 'AbortError'});
    assert.deepEqual((await np.load(`${at}.npy`)).jsSync(), [1, 2, 3]);
    assert.deepEqual(fs.readdirSync(scratch).filter(n => n.includes('.kiln-')), []);
});

// ---- npz.
for (const kind of ['stored', 'deflated']) {
    test(`npz: ${kind}, as NumPy wrote it`, async () => {
        const z = await io.npz.load(decode(data.npz[kind]));
        for (const [name, member] of Object.entries(data.npz.members)) await isIt(await z.get(name), member);
        assert.deepEqual(z.files.slice(0, 4), ['w', 'b', 'ünï', 'sub/dir']);
        await assert.rejects(z.get('v'), KeyError);
    });
}
test('npz: members that are no arrays, and comments', async () => {
    const z = await io.npz.load(decode(data.npz.deflated));
    assert.equal(new TextDecoder().decode(await z.bytes('notes.txt')), 'no array');
    await assert.rejects(z.get('notes.txt'), {name: 'ValueError', message: /entry 'notes.txt': .*magic string/});
});
test('npz: zip64', async () => isIt(await (await io.npz.load(decode(data.npz.zip64))).get('x'), data.npz.members.w));
test('npz: what is written is read again, stored and deflated', async () => {
    const arrays = await (await io.npz.load(decode(data.npz.stored))).all();
    for (const compress of [false, true]) {
        const b = await io.npz.toBytes(arrays, {compress}), z = await io.npz.load(b);
        for (const [name, member] of Object.entries(data.npz.members)) await isIt(await z.get(name), member);
        assert.deepEqual(await io.npz.toBytes(arrays, {compress}), b, 'equal arrays are equal files');
    }
    assert.deepEqual((await io.npz.load(await io.npz.toBytes([[1], [2]]))).files, ['arr_0', 'arr_1']);
    assert.deepEqual((await io.npz.load(await io.npz.toBytes({}))).files, []);
});
test('npz: only what is asked for is read', async () => {
    const b = await io.npz.toBytes({a: np.zeros([10000]), b: np.ones([3])});
    let asked = 0;
    class Counting extends Blob { slice(from, to) { asked += to - from; return super.slice(from, to); } }
    const z = await io.npz.load(new Counting([b]));
    asked = 0;
    assert.deepEqual((await z.get('b')).jsSync(), [1, 1, 1]);
    assert.ok(asked < 500, `${asked} bytes`);
});

// A zip file by hand: entries {name, data, ...what lies}.
function zip(entries, more = {}) {
    const parts = [], rows = [];
    let at = 0;
    for (const e of entries) {
        const name = Buffer.from(e.name), packed = e.method === 8 ? zlib.deflateRawSync(e.data) : Buffer.from(e.data);
        const head = Buffer.alloc(30), row = Buffer.alloc(46);
        head.writeUInt32LE(0x04034b50), head.writeUInt16LE(e.method ?? 0, 8), head.writeUInt16LE(name.length, 26);
        row.writeUInt32LE(0x02014b50), row.writeUInt16LE(e.flags ?? 0, 8), row.writeUInt16LE(e.method ?? 0, 10);
        row.writeUInt32LE(e.crc ?? crc(e.data), 16), row.writeUInt32LE(e.packed ?? packed.length, 20);
        row.writeUInt32LE(e.size ?? e.data.length, 24), row.writeUInt16LE(name.length, 28),
            row.writeUInt32LE(e.at ?? at, 42);
        parts.push(head, Buffer.from(e.local ?? e.name), packed);
        rows.push(row, name);
        at += 30 + name.length + packed.length;
    }
    const directory = Buffer.concat(rows), end = Buffer.alloc(22);
    end.writeUInt32LE(0x06054b50), end.writeUInt16LE(more.count ?? entries.length, 8),
        end.writeUInt16LE(more.count ?? entries.length, 10);
    end.writeUInt32LE(more.size ?? directory.length, 12), end.writeUInt32LE(more.at ?? at, 16);
    return new Uint8Array(Buffer.concat([...parts, directory, end]));
}
function crc(b) {
    let c = ~0;
    for (const x of b) {
        c ^= x;
        for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
    }
    return ~c >>> 0;
}
const one = {name: 'x.npy', data: Buffer.from(io.npy.toBytes([1, 2, 3]))};
const lies = {
    'no zip file': [() => new Uint8Array(100), /end of its directory is not there/],
    'an empty file': [() => new Uint8Array(0), /end of its directory/],
    'a truncated file': [() => zip([one]).slice(0, -1), /end of its directory/],
    'two entries of one name': [() => zip([one, one]), /two entries 'x.npy'/],
    'entries that overlap': [() => zip([one, {...one, name: 'y.npy', at: 10}]), /'x.npy' and 'y.npy' overlap/],
    'an entry over the directory': [() => zip([{...one, packed: 1e6, size: 1e6}]), /'x.npy' overlaps the directory/],
    'a directory beyond the file': [() => zip([one], {at: 1e9}), /beyond the file/],
    'more entries than there is room for': [() => zip([one], {count: 60000}), /60000 entries cannot be/],
    'another name at the entry': [() => zip([{...one, local: 'z.npy'}]),
        /entry 'x.npy': the directory has another name/],
    'a false sum': [() => zip([{...one, crc: 1}]), /entry 'x.npy': its bytes are damaged/],
    'a false sum, deflated': [() => zip([{...one, crc: 1, method: 8}]), /entry 'x.npy': its bytes are damaged/],
    'a stored entry of another size': [() => zip([{...one, size: 5}]), /bytes in the file cannot be 5 bytes/],
    'more bytes than said': [() => zip([{...one, method: 8, size: 50}]), /more than the 50 bytes/],
    'fewer bytes than said': [() => zip([{...one, method: 8, size: 500}]), /ends after 140 of 500/],
    'a size no deflated bytes can have': [() => zip([{...one, method: 8, size: 3e9}]), /cannot be 3000000000 bytes/],
    'an unknown compression': [() => zip([{...one, method: 12}]), /compression method 12/],
    'an encrypted entry': [() => zip([{...one, flags: 1}]), /encrypted/],
    'bytes behind the array': [() => zip([{name: 'x.npy', data: Buffer.concat([one.data, Buffer.from('more')])}]),
        /behind the array/],
    'damaged deflated bytes': [() => { const b = zip([{...one, method: 8}]); b.fill(0xff, 40, 60); return b; },
        /damaged|more than the/],
};
for (const [name, [make, message]] of Object.entries(lies)) {
    test(`npz: ${name} is refused`, async () => {
        await assert.rejects(async () => (await io.npz.load(make())).get('x'), e => {
            assert.ok(e instanceof ValueError || e instanceof NotImplementedError, String(e));
            assert.match(e.message, message);
            return true;
        });
    });
}
test('npz: a bomb is refused before it is unpacked', async () => {
    const data_ = Buffer.concat([Buffer.from(io.npy.toBytes(np.zeros([1]))), Buffer.alloc(1 << 24)]);
    const z = await io.npz.load(zip([{name: 'x.npy', data: data_, method: 8}]), {maxBytes: 1e6});
    await assert.rejects(z.get('x'), {name: 'ValueError', message: /more than maxBytes \(1000000\)/});
});

// ---- safetensors.
const safe = decode(data.safetensors.file);
test('safetensors: as the reference package wrote them, at once and one by one', async () => {
    const all = await io.safetensors.load(streamOf(safe, 100)), file = await io.safetensors.open(new Blob([safe]));
    assert.deepEqual(Object.keys(all).sort(), Object.keys(data.safetensors.tensors).sort());
    assert.deepEqual(file.metadata, {format: 'np'});
    for (const [name, t] of Object.entries(data.safetensors.tensors)) {
        await isIt(all[name], t);
        await isIt(await file.get(name), t);
        assert.deepEqual(file.info(name).shape, t.shape);
    }
});
test('safetensors: what is written is what the reference package writes', async () => {
    assert.deepEqual(io.safetensors.toBytes(await io.safetensors.load(safe), {metadata: {format: 'np'}}), safe);
    const without = decode(data.safetensors.without);
    assert.deepEqual(io.safetensors.toBytes(await io.safetensors.load(without)), without);
});
test('safetensors: float8 by conversion, or as it is', async () => {
    for (const [theirs, f] of Object.entries(data.safetensors.float8)) {
        const x = (await io.safetensors.load(decode(f.file))).x, want = new Float32Array(decode(f.elements).buffer);
        assert.equal(x.dtype, 'float32');
        x.dataSync().forEach((v, i) => assert.ok(Object.is(v, want[i]), `${theirs} ${i}: ${v}, not ${want[i]}`));
        const half = (await io.safetensors.load(decode(f.file), {float8: 'bfloat16'})).x;
        assert.equal(half.dtype, 'bfloat16');
        const kept = await io.safetensors.load(decode(f.file), {float8: null});
        assert.deepEqual(io.safetensors.toBytes(kept).slice(-256), decode(f.file).slice(-256));
    }
});
test('safetensors: rows alone', async () => {
    const file = await io.safetensors.open(io.safetensors.toBytes({x: np.reshape(np.arange(0, 12, 1, {dtype: 'int32'}),
        [4, 3])}));
    assert.deepEqual((await file.rows('x', 1, 3)).jsSync(), [[3, 4, 5], [6, 7, 8]]);
    await assert.rejects(file.rows('x', 3, 5), IndexError);
    await assert.rejects(file.get('y'), KeyError);
});
function tensors(header, body = 0, length = null) {
    const text = Buffer.from(typeof header === 'string' ? header : JSON.stringify(header)), head = Buffer.alloc(8);
    head.writeBigUInt64LE(BigInt(length ?? text.length));
    return new Uint8Array(Buffer.concat([head, text, Buffer.alloc(body)]));
}
const f32 = (shape, from, to) => ({dtype: 'F32', shape, data_offsets: [from, to]});
const U8 = '{"dtype":"U8","shape":[],"data_offsets":[0,1]}';
const hostile = {
    'an empty file': [new Uint8Array(0), /ends after 0 bytes/],
    'a header longer than the file': [tensors('{}', 0, 1000), /the header has 1000 bytes/],
    'a header of 100 MB and more': [tensors('{}', 0, 100000001), /more than the 100000000/],
    'a header of 2^63 bytes': [tensors('{}', 0, 2n ** 63n), /more than the 100000000/],
    'no JSON': [tensors('{"x"'), /no JSON/],
    'no object': [tensors('[1]'), /does not begin with '{'/],
    'white space first': [tensors(' {}'), /does not begin/],
    'no UTF-8': [tensors('{}').map((b, i) => (i === 9 ? 0xff : b)), /UTF-8/],
    'a key twice': [tensors(`{"x":${U8},"x":${U8}}`, 1), /key twice/],
    'a key twice inside': [tensors('{"x":{"dtype":"U8","dtype":"U8","shape":[],"data_offsets":[0,1]}}', 1),
        /key twice/],
    'an escaped key twice': [tensors(`{"x":${U8},"\\u0078":${U8}}`, 1), /key twice/],
    'an unknown dtype': [tensors({x: {dtype: 'F4', shape: [2], data_offsets: [0, 1]}}, 1), /dtype F4/],
    'a negative extent': [tensors({x: f32([-1], 0, 4)}, 4), /no valid shape/],
    'a broken extent': [tensors({x: f32([1.5], 0, 4)}, 4), /no valid shape/],
    'too many elements': [tensors({x: f32([2 ** 40, 2 ** 40], 0, 4)}, 4), /too many elements/],
    'another size than the shape': [tensors({x: f32([2], 0, 4)}, 4),
        /tensor 'x' has 4 bytes in the file, but F32 of shape \[2\] has 8/],
    'offsets the wrong way': [tensors({x: f32([1], 4, 0)}, 4), /data_offsets/],
    'a hole': [tensors({x: f32([1], 0, 4), y: f32([1], 8, 12)}, 12), /unused bytes/],
    'an overlap': [tensors({x: f32([2], 0, 8), y: f32([1], 4, 8)}, 8), /overlaps/],
    'bytes behind': [tensors({x: f32([1], 0, 4)}, 8), /describes|behind the last/],
    'fewer bytes': [tensors({x: f32([1], 0, 4)}, 2), /describes|EOF/],
    'metadata of numbers': [tensors({__metadata__: {a: 1}}), /__metadata__/],
    'an unknown key': [tensors({x: {...f32([1], 0, 4), more: 1}}, 4), /unknown key 'more'/],
    'null for a tensor': [tensors({x: null}), /not described/],
};
for (const [name, [b, message]] of Object.entries(hostile)) {
    test(`safetensors: ${name} is refused`, async () => {
        for (const f of [io.safetensors.load, io.safetensors.open]) {
            await assert.rejects(f(b), e => {
                assert.ok(e instanceof ValueError || e instanceof NotImplementedError, String(e));
                assert.match(e.message, message);
                return true;
            });
        }
    });
}
test('safetensors: a name that is a word of JavaScript', async () => {
    const all = await io.safetensors.load(tensors('{"__proto__":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}', 1));
    assert.deepEqual(Object.keys(all), ['__proto__']);
});
test('safetensors: nested names there and back', () => {
    const flat = {'layers.0.w': 1, 'layers.0.b': 2, 'layers.1.w': 3, 'out': 4};
    assert.deepEqual(io.safetensors.toNested(flat), {layers: [{w: 1, b: 2}, {w: 3}], out: 4});
    assert.deepEqual(io.safetensors.fromNested(io.safetensors.toNested(flat)), flat);
    assert.throws(() => io.safetensors.toNested({a: 1, 'a.b': 2}), ValueError);
});

// ---- A server, with parts of files and without.
let server, base, requests = [];
before(async () => {
    server = http.createServer((q, r) => {
        const url = new URL(q.url, 'http://x'), b = Buffer.from(served.get(url.pathname) ?? '');
        requests.push({path: url.pathname, range: q.headers.range ?? null});
        if (!served.has(url.pathname)) return r.writeHead(404).end();
        const m = url.searchParams.has('whole') ? null : /^bytes=(\d+)-(\d*)$/.exec(q.headers.range ?? '');
        if (!m) return r.writeHead(200, {'Content-Length': b.length, ETag: '"1"'}).end(b);
        const from = +m[1], to = m[2] ? Math.min(+m[2] + 1, b.length) : b.length;
        r.writeHead(206, {'Content-Range': `bytes ${from}-${to - 1}/${b.length}`, 'Content-Length': to - from,
            ETag: '"1"'});
        return r.end(b.subarray(from, to));
    });
    await new Promise(done => server.listen(0, '127.0.0.1', done));
    base = `http://127.0.0.1:${server.address().port}`;
});
after(() => server.close());
const served = new Map([['/m.safetensors', safe], ['/z.npz', decode(data.npz.stored)], ['/x.npy', sample]]);
test('URLs: tensors and entries by requests of ranges', async () => {
    for (const query of ['', '?whole']) {
        requests = [];
        const file = await io.safetensors.open(`${base}/m.safetensors${query}`),
            t = data.safetensors.tensors['t.int64'];
        await isIt(await file.get('t.int64'), t);
        if (!query) assert.ok(requests.every(q => q.range), 'never the whole file');
        else assert.equal(requests.length, 1, 'once the whole file');
        await isIt(await (await io.npz.load(`${base}/z.npz${query}`)).get('w'), data.npz.members.w);
        await isIt(await io.npy.load(`${base}/x.npy${query}`), expected);
    }
    await assert.rejects(io.npy.load(`${base}/none.npy`), {name: 'FileError', message: /none.npy: 404/});
    await assert.rejects(io.npy.load('http://127.0.0.1:1/x.npy'), FileError);
});
test('safetensors: several files with an index, by URL and by path', async () => {
    const a = io.safetensors.toBytes({u: [1, 2]}), b = io.safetensors.toBytes({v: [3]});
    const index = Buffer.from(JSON.stringify({metadata: {total_size: 12},
        weight_map: {u: 'a.safetensors', v: 'b.safetensors'}}));
    for (const [name, x] of [['a.safetensors', a], ['b.safetensors', b], ['model.safetensors.index.json', index]]) {
        served.set(`/m/${name}`, x);
        fs.writeFileSync(path.join(scratch, name), x);
    }
    for (const where of [`${base}/m/model.safetensors.index.json`,
        path.join(scratch, 'model.safetensors.index.json')]) {
        const all = await (await io.safetensors.openSharded(where)).all();
        assert.deepEqual([all.u.jsSync(), all.v.jsSync()], [[1, 2], [3]]);
    }
    const outside = Buffer.from(JSON.stringify({weight_map: {u: '../secret.safetensors'}}));
    await assert.rejects(io.safetensors.openSharded(outside), {name: 'ValueError', message: /no plain name/});
});

// ---- Files that were changed somewhere: an error of Kiln's or an array, never anything else.
test('mutated files give errors with kinds', async () => {
    const files = [sample, decode(data.npz.stored), decode(data.npz.deflated), decode(data.npz.zip64), safe];
    let state = 12345;
    const next = n => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) % n;
    const until = Date.now() + +(process.env.KILN_FUZZ_SECONDS ?? 2) * 1000;
    let runs = 0, refused = 0;
    for (; Date.now() < until; runs++) {
        const b = files[next(files.length)].slice(0, next(4) ? undefined : next(2000));
        for (let k = 1 + next(4); b.length &&
            k > 0; k--) b[next(next(2) ? Math.min(400, b.length) : b.length)] = next(3) ? next(256) : [0, 255][next(2)];
        try {
            const x = await io.load(b, {maxBytes: 1e6});
            if (x.get) for (const y of Object.values(await x.all())) y.dispose();
            else x.dispose();
        } catch (e) {
            refused++;
            assert.ok('line' in e && (e.constructor.name.endsWith('Error')),
                `${e.stack}\n${Buffer.from(b).toString('base64')}`);
        }
    }
    assert.ok(runs > 50 && refused > 0, `${runs} files, ${refused} refused`);
});
test('nothing leaks', async () => {
    const {engine} = await import(pathToFileURL(path.join(folder, 'kiln/engine.js')));
    const round = async () => {
        for (const b of [sample, safe, decode(data.npz.deflated)]) {
            const x = await io.load(b);
            if (x.get) {
                for (const n of x.files ?? x.names) {
                    try { (await x.get(n)).dispose(); } catch (e) { assert.match(e.message, /notes.txt/); }
                }
            } else x.dispose();
            await assert.rejects(io.npy.load(b.slice(0, 150)));
        }
        io.npy.toBytes([1, 2, 3]), io.safetensors.toBytes({a: [1]}), await io.npz.toBytes({a: [1]}, {compress: true});
    };
    await round();
    const n = engine.exports.kjs_live_count();
    for (let i = 0; i < 20; i++) await round();
    assert.ok(engine.exports.kjs_live_count() <= n); // fewer: the collector found others meanwhile
});
