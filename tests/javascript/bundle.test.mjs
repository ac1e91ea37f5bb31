// SPDX-License-Identifier: Apache-2.0
// bundle.test.mjs -- the package in one file (tools/bundle.py): it has what the modules have, and runs alone.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {kiln, load} from './support.mjs';

test('the one file exports what the modules export, of the same kinds', async () => {
    const one = await load('kiln/kiln.min.js'), kinds = k => Object.entries(k).map(([n, v]) => `${n}: ${typeof v}`).sort();
    assert.deepEqual(kinds(one), kinds(kiln));
    for (const name of ['tree', 'io']) assert.deepEqual(Object.keys(one[name]).sort(), Object.keys(kiln[name]).sort());
});
test('its threads, errors and lines are those of the package', async () => {
    const {init, np, jit, ValueError} = await load('kiln/kiln.min.js');
    await init();
    assert.deepEqual(jit(x => np.sin(x).mul(2))(np.zeros(3)).js(), [0, 0, 0]);
    assert.throws(() => np.ones(3).add(np.ones(4)), e => e instanceof ValueError && e.file.endsWith('bundle.test.mjs'));
});
