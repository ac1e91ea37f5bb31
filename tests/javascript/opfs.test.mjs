// SPDX-License-Identifier: Apache-2.0
// opfs.test.mjs -- the cache in the origin's private file system, which browsers have: tests/web/package.mjs runs it there.
import assert from 'node:assert/strict';
import {after, test} from 'node:test';
import {kiln, np} from './support.mjs';

await kiln.init();
const {io} = kiln, skip = typeof globalThis.navigator?.storage?.getDirectory === 'function' ? false : 'no such file system here';
const name = `test-${Date.now()}`, make = (options = {}) => new io.Cache({folder: name, ...options});
const bytesOf = async blob => new Uint8Array(await blob.arrayBuffer());
const body = Uint8Array.from({length: 100000}, (_, i) => (i * 7919) % 251);
const address = new URL('/file.bin', globalThis.location?.href ?? 'http://localhost').href;
after(async () => { if (!skip) await (await navigator.storage.getDirectory()).removeEntry(name, {recursive: true}); });

/** f(requests) with a server that has the one file, and breaks off after so many bytes. */
async function served(f, {breaks = Infinity, contents = body, tag = '"1"'} = {}) {
    const {fetch} = globalThis, requests = [];
    globalThis.fetch = async (url, {headers = {}} = {}) => {
        const range = new Headers(headers).get('Range'), from = range ? Number(/^bytes=(\d+)-/.exec(range)[1]) : 0;
        requests.push(range ?? 'all');
        let at = from;
        const stream = new ReadableStream({pull(c) {
            if (at - from >= breaks) return c.error(new TypeError('the connection broke'));
            if (at === contents.length) return c.close();
            c.enqueue(contents.slice(at, at = Math.min(at + 10000, contents.length)));
        }});
        const answer = new Response(stream, {status: range ? 206 : 200, headers: {ETag: tag,
            'Content-Length': String(contents.length - from),
            ...(range ? {'Content-Range': `bytes ${from}-${contents.length - 1}/${contents.length}`} : {})}});
        return Object.defineProperty(answer, 'url', {value: String(url)});
    };
    try {
        return await f(requests);
    } finally {
        globalThis.fetch = fetch;
    }
}

test('opfs: arrays are kept under names, and are there for the next cache', {skip}, async () => {
    const c = make();
    await c.put('weights', io.npy.toBytes(np.arange(5).astype('float32')));
    assert.equal((await c.info()).kind, 'opfs');
    const again = make();
    assert.deepEqual((await io.npy.load(await again.match('weights'))).js(), [0, 1, 2, 3, 4]);
    assert.deepEqual((await again.list()).map(e => e.name.replace(/.*\//, '')), ['weights']); // an address, in a page
    await c.put('weights', io.npy.toBytes(np.zeros([2])));
    assert.deepEqual((await io.npy.load(await again.match('weights'))).js(), [0, 0]);
    assert.equal(await c.delete('weights'), true);
    assert.equal(await again.match('weights'), null);
});
test('opfs: what was downloaded once is not asked for again', {skip}, () => served(async requests => {
    assert.deepEqual(await bytesOf(await make().get(address)), body);
    assert.deepEqual(await bytesOf(await make().get(address)), body);
    assert.deepEqual(requests, ['all']);
    await make().clear();
    assert.deepEqual(await make().list(), []);
}));
test('opfs: a download that broke off goes on where it was', {skip}, async () => {
    await served(() => assert.rejects(make().get(address), {name: 'FileError'}), {breaks: 40000});
    assert.equal(await make().match(address), null);
    await served(async requests => {
        assert.deepEqual(await bytesOf(await make().get(address)), body);
        assert.match(requests[0], /^bytes=[1-9]\d*-$/);
    });
    await make().clear();
});
test('opfs: the files that were used least recently go first', {skip}, async () => {
    const c = make({maxBytes: 250000});
    for (const [i, n] of ['a', 'b', 'c'].entries()) {
        await c.put(n, body.map(x => x ^ i));
        await new Promise(done => { setTimeout(done, 5); });
    }
    assert.deepEqual((await c.list()).map(e => e.name.at(-1)), ['c', 'b']); // names are addresses in a page
    await c.clear();
});
test('opfs: a damaged file is as if it was not there', {skip}, async () => {
    const c = make();
    await c.put('a', body);
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle(name);
    for await (const [file, handle] of folder.entries())
        if (!file.endsWith('.json')) {
            const w = await handle.createWritable();
            await w.write(new Uint8Array(10));
            await w.close();
        }
    assert.equal(await c.match('a'), null);
    await c.clear();
});
