// SPDX-License-Identifier: Apache-2.0
// load.mjs -- how long a page waits for Kiln's first result, of an empty page and nothing in the browser's cache, and
// what it loads; beside jax-js where that is. The server is this machine: what a network adds is by the bytes.
//     node tests/web/load.mjs chromium|firefox PACKAGE [JAXJS]       JAXJS: the folder of @jax-js/jax
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import {main, open} from './browser.mjs';
import {serve} from './serve.mjs';

const ROUNDS = 7;
const page = Buffer.from('<!doctype html><meta charset="utf-8"><title>Loading</title><link rel="icon" href="data:,">');
const cases = { // [name, folder, its file, device]
    'Kiln, one file': ['/kiln/', 'kiln/kiln.min.js', null],
    'Kiln, modules': ['/kiln/', 'kiln/index.js', null],
    'jax-js': ['/jaxjs/', 'dist/index.js', 'wasm'],
};

/** In the page: milliseconds until each step is done, and the addresses that were loaded. */
async function measured(address, device) {
    const start = performance.now(), at = [], lap = () => at.push(performance.now() - start);
    const k = await import(address), np = k.numpy;
    lap();
    await k.init();
    if (device) k.defaultDevice(device);
    lap();
    await np.array([1, 2, 3]).add(1).data();
    lap();
    await k.jit(x => np.sin(x).mul(2).add(1))(np.ones([1000])).data();
    lap();
    return {at, loaded: performance.getEntriesByType('resource').map(e => new URL(e.name).pathname)};
}
const median = list => list.sort((a, b) => a - b)[list.length >> 1];
const kB = n => Math.round(n / 1000).toString();

await main(async () => {
    const [name, folder, jaxjs] = process.argv.slice(2), mounts = {'/kiln/': path.resolve(folder)};
    if (jaxjs) mounts['/jaxjs/'] = path.resolve(jaxjs);
    const server = await serve({mounts, routes: new Map([['/page.html', page]])}), browser = await open(name);
    console.log('| | imported | ready | first result | first compiled | files | kB | gzip | brotli |');
    console.log('|---|--:|--:|--:|--:|--:|--:|--:|--:|');
    try {
        for (const [title, [mount, file, device]] of Object.entries(cases)) {
            if (!mounts[mount]) continue;
            const rounds = [];
            for (let i = 0; i < ROUNDS; i++) {
                const p = await browser.page();
                await p.goto(`${server.url}/page.html`);
                rounds.push(await p.evaluate(measured, mount + file, device));
                if (p.complaints.length) throw new Error(p.complaints.join('\n'));
                await p.close();
            }
            const files = rounds[0].loaded.map(f => fs.readFileSync(path.join(mounts[mount], f.slice(mount.length))));
            const sum = f => kB(files.reduce((s, b) => s + f(b).length, 0));
            const times = rounds[0].at.map((_, i) => `${median(rounds.map(r => r.at[i])).toFixed(0)} ms`);
            console.log(`| ${[title, ...times, files.length, sum(b => b), sum(b => zlib.gzipSync(b, {level: 9})),
                sum(b => zlib.brotliCompressSync(b))].join(' | ')} |`);
        }
    } finally {
        await browser.close();
        await server.close();
    }
});
