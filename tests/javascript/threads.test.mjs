// SPDX-License-Identifier: Apache-2.0
// threads.test.mjs -- the package with threads: the same numbers, workers that are there, and a program that ends by itself.
import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {spawnSync} from 'node:child_process';
import {test} from 'node:test';
import {resolve} from 'node:path';
import {pathToFileURL} from 'node:url';

const folder = process.env.KILN_PACKAGE ? pathToFileURL(`${resolve(process.env.KILN_PACKAGE)}/`)
    : new URL('../../build/wasm-threads/package/', import.meta.url);
const kiln = new URL('kiln/index.js', folder).href;
const there = existsSync(new URL('kiln/kiln-threads.wasm', folder));

const program = n => `
    import {init, grad, jit, np, threads} from '${kiln}';
    await init({threads: ${n}});
    const x = np.linspace(-3, 3, 1 << 20);
    const f = jit(x => np.tanh(np.add(np.multiply(x, x), 0.5)));
    const g = jit(grad(x => np.sum(np.sin(np.multiply(x, x)))));
    const bytes = y => new Uint8Array(y.dataSync().buffer, y.dataSync().byteOffset, y.dataSync().byteLength);
    const sum = b => b.reduce((s, v) => (Math.imul(s, 31) + v) >>> 0, 7);
    const a = np.reshape(np.linspace(-1, 1, 300 * 300), [300, 300]);
    console.log(JSON.stringify({...threads(), bits: [f(x), g(x), np.matmul(a, a), np.sort(g(x))].map(y => sum(bytes(y)))}));
`;
const run = n => {
    const {status, stdout, stderr} = spawnSync(process.execPath, ['--input-type=module', '-e', program(n)], {timeout: 60_000});
    assert.equal(status, 0, String(stderr));
    return JSON.parse(stdout);
};

test('programs with 2 and 4 threads have their workers, the bits of one, and an end', {skip: !there && 'a package without threads'}, () => {
    const results = [2, 4].map(run);
    assert.deepEqual(results.map(r => [r.threads, r.workers, r.reason]), [[2, 1, null], [4, 3, null]]);
    assert.deepEqual(results[0].bits, results[1].bits);
    if (existsSync(new URL('kiln/kiln.wasm', folder))) assert.deepEqual(run(1).bits, results[0].bits);
});

test('a package without threads says so', {skip: there && 'a package with threads'}, () => {
    const {threads, workers, reason} = run(1);
    assert.deepEqual([threads, workers], [1, 0]);
    assert.match(reason, /one thread/);
});
