// SPDX-License-Identifier: Apache-2.0
// loading.test.mjs -- several calls of init, calls that fail, and modules with threads that are not there.
import test from 'node:test';
import assert from 'node:assert/strict';
import {load} from './support.mjs';

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
