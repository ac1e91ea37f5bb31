// SPDX-License-Identifier: Apache-2.0
// cache.test.mjs -- the cache of downloads: what is kept, compared, thrown away, and taken up again.
import {after, before, beforeEach, test} from 'node:test';
import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

const folder = process.env.KILN_PACKAGE ?? new URL('../../build/wasm/package', import.meta.url).pathname;
const {init, io, np, ValueError, FileError} = await import(pathToFileURL(path.join(folder, 'kiln/index.js')));
const {sha256, Sha256} = await import(pathToFileURL(path.join(folder, 'kiln/sha256.js')));
await init();

const hashOf = b => crypto.createHash('sha256').update(b).digest('hex');
test('SHA-256 is what crypto.subtle says, in one piece and in many', async () => {
    const b = crypto.randomBytes(1000);
    for (const n of [0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 128, 1000]) {
        const want = Buffer.from(await crypto.subtle.digest('SHA-256', b.subarray(0, n))).toString('hex'),
            parts = new Sha256();
        assert.equal(sha256(b.subarray(0, n)), want);
        for (let i = 0; i < n; i += 7) parts.update(b.subarray(i, Math.min(n, i + 7)));
        assert.equal(parts.hex(), want);
    }
});

// A server whose answers break off after `breaks` bytes, if that is set.
const files = new Map();
let server, base, requests = [], breaks = 0, tag = '"1"', delay = 0;
before(async () => {
    server = http.createServer(async (q, r) => {
        const b = files.get(q.url);
        if (q.url !== '/given-up') requests.push(q.headers.range ?? 'all'); // which may come at any time
        if (delay) await new Promise(done => setTimeout(done, delay));
        if (!b) return r.writeHead(404).end();
        const m = /^bytes=(\d+)-$/.exec(q.headers.range ?? ''), from = m ? +m[1] : 0, head = tag ? {ETag: tag} : {};
        if (m && from >= b.length) return r.writeHead(416).end();
        head['Content-Length'] = b.length - from;
        if (m) head['Content-Range'] = `bytes ${from}-${b.length - 1}/${b.length}`;
        r.writeHead(m ? 206 : 200, head);
        if (!breaks) return r.end(b.subarray(from));
        r.write(b.subarray(from, from + breaks), () => setTimeout(() => r.destroy(), 150));
    });
    await new Promise(done => server.listen(0, '127.0.0.1', done));
    base = `http://127.0.0.1:${server.address().port}`;
});
after(() => server.close());
const root = fs.mkdtempSync(path.join(os.tmpdir(), 'kiln-cache-'));
after(() => fs.rmSync(root, {recursive: true}));
let count = 0;
beforeEach(() => { requests = [], breaks = 0, tag = '"1"', delay = 0; });
const fresh = (options = {}) => new io.Cache({folder: path.join(root, String(count++)), ...options});
const bytesOf = async blob => new Uint8Array(await blob.arrayBuffer());
const body = crypto.randomBytes(100000);
files.set('/a', body), files.set('/given-up', body);

for (const store of ['folder', 'memory']) {
    const make = (options = {}) => fresh({store: store === 'memory' ? 'memory' : null, ...options});
    test(`${store}: what was downloaded once is not asked for again`, async () => {
        const c = make();
        assert.equal(await c.match(`${base}/a`), null);
        for (let i = 0; i < 2; i++) assert.deepEqual(Buffer.from(await bytesOf(await c.get(`${base}/a`))), body);
        assert.deepEqual(requests, ['all']);
        const [entry] = await c.list();
        assert.equal(entry.name, `${base}/a`);
        assert.equal(entry.size, body.length);
        assert.equal(entry.sha256, hashOf(body));
        assert.deepEqual(await c.info(), {bytes: body.length, maxBytes: 2 ** 31, kind: store});
        await c.get(`${base}/a`, {refresh: true});
        assert.equal(requests.length, 2);
        assert.equal((await c.info()).bytes, body.length);
    });
    test(`${store}: names of one's own, delete and clear`, async () => {
        const c = make();
        await c.put('weights', io.npy.toBytes(np.ones([3])));
        assert.deepEqual((await io.npy.load(await c.match('weights'))).jsSync(), [1, 1, 1]);
        await c.put('weights', io.npy.toBytes(np.zeros([2])));
        assert.deepEqual((await io.npy.load(await c.match('weights'))).jsSync(), [0, 0]);
        assert.equal((await c.list()).length, 1);
        assert.equal(await c.delete('weights'), true);
        assert.equal(await c.delete('weights'), false);
        assert.equal(await c.has('weights'), false);
        await c.put('x', [body]), await c.clear();
        assert.equal((await c.info()).bytes, 0);
    });
    test(`${store}: the files that were used least recently go first`, async () => {
        const c = make({maxBytes: 250000});
        for (const name of ['x', 'y']) {
            await c.put(name, body);
            await new Promise(done => setTimeout(done, 5));
        }
        await c.put('z', crypto.randomBytes(100000));
        assert.deepEqual((await c.list()).map(e => e.name), ['z', 'y']);
        await assert.rejects(c.put('big', crypto.randomBytes(300000)),
            {name: 'ValueError', message: /maxBytes \(250000\)/});
        assert.deepEqual((await c.list()).map(e => e.name), ['z', 'y']);
        files.set('/big', crypto.randomBytes(300000));
        await assert.rejects(c.get(`${base}/big`), {name: 'ValueError', message: /its 300000 bytes would be more/});
    });
    test(`${store}: a download that broke off goes on where it was`, async () => {
        const c = make();
        breaks = 40000;
        await assert.rejects(c.get(`${base}/a`), FileError);
        assert.equal(await c.match(`${base}/a`), null);
        breaks = 0;
        const seen = [];
        assert.deepEqual(Buffer.from(await bytesOf(await c.get(`${base}/a`, {onProgress: p => seen.push(p)}))), body);
        assert.match(requests[1], /^bytes=[1-9]\d*-$/);
        assert.deepEqual(seen.at(-1), {loadedBytes: body.length, totalBytes: body.length});
        assert.equal((await c.list())[0].sha256, hashOf(body));
    });
    test(`${store}: not if the file was changed meanwhile`, async () => {
        const c = make(), other = crypto.randomBytes(100000);
        files.set('/b', body);
        breaks = 40000;
        await assert.rejects(c.get(`${base}/b`), FileError);
        breaks = 0, tag = '"2"';
        files.set('/b', other);
        assert.deepEqual(Buffer.from(await bytesOf(await c.get(`${base}/b`))), other);
        assert.equal((await c.info()).bytes, other.length);
    });
    test(`${store}: without a tag only where the SHA-256 is known, which finds a changed file`, async () => {
        const c = make(), other = crypto.randomBytes(100000);
        files.set('/c', body);
        tag = null, breaks = 40000;
        await assert.rejects(c.get(`${base}/c`), FileError);
        breaks = 0, requests = [];
        await c.get(`${base}/c`);
        assert.deepEqual(requests, ['all']);
        await c.clear();
        breaks = 40000;
        await assert.rejects(c.get(`${base}/c`, {sha256: hashOf(other)}), FileError);
        breaks = 0, requests = [];
        files.set('/c', other);
        assert.deepEqual(Buffer.from(await bytesOf(await c.get(`${base}/c`, {sha256: hashOf(other)}))), other);
        assert.equal(requests.at(-1), 'all');
    });
    test(`${store}: another SHA-256 than wanted is an error, and nothing is kept`, async () => {
        const c = make();
        await assert.rejects(c.get(`${base}/a`, {sha256: '0'.repeat(64)}),
            {name: 'ValueError', message: /its SHA-256 is/});
        assert.equal((await c.info()).bytes, 0);
        await assert.rejects(c.get(`${base}/a`, {sha256: 'x'}), ValueError);
        await c.get(`${base}/a`, {sha256: `sha256-${hashOf(body).toUpperCase()}`});
        requests = [];
        await c.get(`${base}/elsewhere`, {sha256: hashOf(body)});
        assert.deepEqual(requests, [], 'the same file from another address is there');
        assert.equal((await c.info()).bytes, body.length);
        await c.delete(`${base}/a`);
        assert.deepEqual(Buffer.from(await bytesOf(await c.get(`${base}/elsewhere`))), body, 'and stays');
    });
    test(`${store}: two at once download once`, async () => {
        const c = make();
        delay = 20;
        const [x, y] = await Promise.all([c.get(`${base}/a`), c.get(`${base}/a`)]);
        assert.equal(x.size, y.size);
        assert.deepEqual(requests, ['all']);
    });
    test(`${store}: errors of the server and an abort`, async () => {
        const c = make(), control = new AbortController();
        await assert.rejects(c.get(`${base}/none`), {name: 'FileError', message: /none: 404/});
        await assert.rejects(c.get('http://127.0.0.1:1/x'), FileError);
        delay = 200;
        setTimeout(() => control.abort(), 20);
        await assert.rejects(c.get(`${base}/given-up`, {signal: control.signal}), {name: 'AbortError'});
        assert.deepEqual(await c.list(), []);
    });
}
test('folder: damaged pieces and entries are as if they were not there', async () => {
    const c = fresh();
    await c.get(`${base}/a`);
    const at = path.join(root, String(count - 1)), piece = fs.readdirSync(at).find(n => /\.0$/.test(n));
    const b = fs.readFileSync(path.join(at, piece));
    b[5] ^= 1;
    fs.writeFileSync(path.join(at, piece), b);
    assert.equal(await c.match(`${base}/a`, {verify: true}), null);
    fs.truncateSync(path.join(at, piece), 10);
    assert.equal(await c.match(`${base}/a`), null);
    assert.deepEqual(Buffer.from(await bytesOf(await c.get(`${base}/a`))), body);
    fs.writeFileSync(path.join(at, fs.readdirSync(at).find(n => n.endsWith('.json'))), '{');
    assert.equal(await c.match(`${base}/a`), null);
    await c.get(`${base}/a`);
    assert.equal(requests.length, 3);
});
test('folder: pieces of downloads that nobody ended go after a day', async () => {
    const c = fresh();
    await c.put('x', body);
    const at = path.join(root, String(count - 1));
    const [young, old] = ['a', 'b'].map(n => path.join(at, `${n.repeat(24)}.0`));
    for (const f of [young, old]) fs.writeFileSync(f, 'lost');
    fs.utimesSync(old, 0, 0);
    await c.put('y', body);
    assert.deepEqual([fs.existsSync(young), fs.existsSync(old)], [true, false]);
});
test('a file of several pieces can be read from anywhere', async () => {
    const c = fresh(), all = crypto.randomBytes(200000);
    files.set('/parts', all);
    breaks = 60000;
    for (let i = 0; i < 2; i++) await assert.rejects(c.get(`${base}/parts`), FileError);
    breaks = 0;
    const blob = await c.get(`${base}/parts`);
    for (const [a, b] of [[0, 200000], [50000, 70000], [59999, 60001], [130000, 131000], [-10, undefined], [5, 5]])
        assert.deepEqual(Buffer.from(await bytesOf(blob.slice(a, b))), all.subarray(a, b), `${a} to ${b}`);
    assert.equal(blob.size, 200000);
});
