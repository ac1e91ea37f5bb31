// SPDX-License-Identifier: Apache-2.0
// jax.test.mjs -- random, nn, lax, scipy and optim beside JAX and optax: rows of data/jax.txt, values of data/jax.json.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import test from 'node:test';
import {close, flat, kiln, np} from './support.mjs';

const {random, nn, lax, scipySpecial, scipyLinalg, optim, tree} = kiln;
const read = name => readFileSync(new URL(`data/${name}`, import.meta.url), 'utf8');
const expected = JSON.parse(read('jax.json'));
const inputs = Object.fromEntries(Object.entries(JSON.parse(read('jax_inputs.json'))).map(([k, v]) =>
    [k, np.array(v)]));
const {X} = inputs;

function run(optimizer) {
    let params = {w: X.slice(0), b: [X.slice(1)]}, state = optimizer.init(params), updates;
    for (let i = 0; i < 3; i++) {
        const grads = tree.map(p => p.mul(2).add(np.cos(p)), params);
        [updates, state] = optimizer.update(grads, state, params);
        params = optim.applyUpdates(params, updates);
    }
    return params;
}
const steps = schedule => Array.from({length: 10}, (_, n) => schedule(n));
const scope = {...inputs, key: random.key(7), random, nn, lax, scipySpecial, scipyLinalg, optim, tree, np, run, steps};
const NUMBERS = {inf: Infinity, '-inf': -Infinity, nan: NaN};

for (const line of read('jax.txt').split('\n')) {
    if (!line || line.startsWith('#')) continue;
    const [name, , program] = line.split(' | ');
    test(name, () => {
        const got = tree.leaves(new Function(...Object.keys(scope), `return ${program};`)(...Object.values(scope)));
        assert.equal(got.length, expected[name].length);
        got.forEach((y, i) => {
            const {dtype, shape, values} = expected[name][i], isArray = y instanceof kiln.Array;
            if (isArray) {
                assert.deepEqual([...y.shape], shape);
                if (!name.startsWith('optim.') && y.dtype !== 'int64') assert.equal(y.dtype, dtype);
            }
            const wanted = values.map(v => NUMBERS[v] ?? v);
            if (dtype.startsWith('float') || dtype.startsWith('complex')) close(y, wanted, {rtol: 3e-5, atol: 2e-6},
                name);
            else assert.deepEqual(flat(y).map(Number), wanted);
        });
    });
}
