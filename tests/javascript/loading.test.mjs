// SPDX-License-Identifier: Apache-2.0
// loading.test.mjs -- several calls of init, calls that fail, and modules with threads that are not there.
import test from 'node:test';
import assert from 'node:assert/strict';
import {load} from './support.mjs';

test('options of init are those that there are, and of their kinds', async () => {
    const {init, defaultDevice} = await load('kiln/index.js');
    const wrong = {thread: 2, threads: '4', fma: 'fast', devices: 3, defaultFloat: 32, wasm: 7, kernels: 'no', print: 'log',
        env: {A: 1}, webgpu: 'yes', webgl: 2, imports: 'none', fs: 1};
    for (const [name, value] of Object.entries(wrong))
        await assert.rejects(init({[name]: value}), e => e instanceof TypeError && e.message.includes(name), name);
    await assert.rejects(init({devices: ['webgpu', 2]}), TypeError);
    await assert.rejects(init(7), TypeError);
    await assert.rejects(init({devices: 'cuda'}), {name: 'ValueError', message: /host.*webgpu/});
    await init({threads: null, fma: undefined, webgpu: null, webgl: {}});
    assert.equal(defaultDevice(), 'host');
});
test('init that fails leaves the way free for another; several at once load one module', async () => {
    const {np, init, threads} = await load('kiln/index.js');
    await assert.rejects(init({defaultFloat: 'int32'}), {name: 'RangeError'});
    let x = null;
    const first = init({threads: 3}).then(() => { x = np.array([7, 8]); });
    await Promise.all([first, init({fma: 'exact'}), init()]);
    assert.deepEqual(x.add(1).js(), [8, 9]);
    assert.ok(threads().threads >= 1);
    assert.ok(threads().workers > 0 || typeof threads().reason === 'string');
});
