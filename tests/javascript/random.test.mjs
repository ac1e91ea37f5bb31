// SPDX-License-Identifier: Apache-2.0
// random.test.mjs -- keys, arguments and dtypes of random; its numbers are in jax.test.mjs.
import assert from 'node:assert/strict';
import test from 'node:test';
import {flat, is, kiln, np} from './support.mjs';

const {jit, random, vmap} = kiln;
const key = random.key(7);

test('a key is an array of two uint32, as in jax-js', () => {
    is(random.key(5), 'uint32', [2], [0, 5]);
    is(random.split(key), 'uint32', [2, 2], random.split(key, 2).js());
    const [a, b, c] = random.split(key, 3);
    assert.notDeepEqual(a.js(), b.js());
    assert.notDeepEqual(b.js(), c.js());
    is(random.split(key, [2, 3]), 'uint32', [2, 3, 2], random.split(key, 6).js());
});
test('typed keys where the generator is named', () => {
    const typed = random.key(7, {impl: 'threefry2x32'});
    assert.match(typed.dtype, /^key/);
    assert.deepEqual(random.keyData(typed).js(), [0, 7]);
    assert.deepEqual(random.normal(typed, [3]).js(), random.normal(key, [3]).js());
    assert.deepEqual(random.normal(random.wrapKeyData(key), [3]).js(), random.normal(key, [3]).js());
});
test('dtypes are those of JAX without 64 bits', () => {
    assert.equal(random.bits(key).dtype, 'uint32');
    for (const x of [random.randint(key, [2], 0, 9), random.rademacher(key), random.geometric(key, 0.5),
        random.poisson(key, 3),
                     random.categorical(key, [1, 2]), random.permutation(key, 4),
                         random.choice(key, 4)]) assert.equal(x.dtype, 'int32');
    for (const f of ['uniform', 'normal', 'gumbel', 'exponential', 'cauchy', 'laplace', 'logistic'])
        assert.equal(random[f](key, [2]).dtype, 'float32', f);
    assert.equal(random.normal(key, [2], 'float64').dtype, 'float64');
    assert.equal(random.randint(key, [2], 0, 9, 'int64').dtype, 'int64');
    assert.equal(random.bernoulli(key).dtype, 'bool');
});
test('both spellings, and arguments by name', () => {
    assert.deepEqual(random.foldIn(key, 1).js(), random.fold_in(key, 1).js());
    assert.equal(random.splitKey, undefined);
    assert.deepEqual(random.normal(key, {shape: [3]}).js(), random.normal(key, [3]).js());
    assert.deepEqual(random.uniform(key, {shape: [3], minval: 1, maxval: 2}).js(),
        random.uniform(key, [3], null, 1, 2).js());
});
test('under jit and vmap the numbers are the same', () => {
    assert.deepEqual(jit(k => random.normal(k, [3]))(key).js(), random.normal(key, [3]).js());
    assert.deepEqual(jit(k => random.choice(k, 10, {shape: [3]}))(key).js(), random.choice(key, 10, {shape: [3]}).js());
    const keys = random.split(key, 4), rows = [...keys].map(k => random.uniform(k, [3]).js());
    assert.deepEqual(vmap(k => random.uniform(k, [3]))(keys).js(), rows);
    assert.deepEqual(vmap(random.key)(np.arange(3)).js(), [[0, 0], [0, 1], [0, 2]]);
});
test('a permutation has all rows, a choice without replacement no row twice', () => {
    assert.deepEqual(random.permutation(key, 50).js().sort((a, b) => a - b), Array.from({length: 50}, (_, i) => i));
    const some = random.choice(key, 20, {shape: [12], replace: false}).js();
    assert.equal(new Set(some).size, 12);
    const x = np.arange(12).reshape([4, 3]);
    assert.deepEqual(random.permutation(key, x).js().map(r => r[0]).sort((a, b) => a - b), [0, 3, 6, 9]);
});
test('moments of what is drawn', () => {
    const n = 20000, mean = x => flat(x).reduce((a, b) => a + Number(b), 0) / n;
    assert.ok(Math.abs(mean(random.normal(key, [n]))) < 0.03);
    assert.ok(Math.abs(mean(random.uniform(key, [n])) - 0.5) < 0.01);
    assert.ok(Math.abs(mean(random.poisson(key, 3, [n])) - 3) < 0.05);
    assert.ok(Math.abs(mean(random.bernoulli(key, 0.3, [n])) - 0.3) < 0.01);
    assert.ok(Math.abs(mean(random.gamma(key, 2.5, [n])) - 2.5) < 0.05);
});
test('what makes no sense is refused', () => {
    assert.throws(() => random.normal(np.ones([3]), [2]), /a random key is wanted/);
    assert.throws(() => random.normal(key, -1), /non-negative/);
    assert.throws(() => random.normal(key, {size: [2]}), /unexpected argument 'size'/);
    assert.throws(() => random.randint(key, [2]), /misses its bounds/);
    assert.throws(() => random.key(1.5), TypeError);
    assert.throws(() => random.choice(key, 0), /greater than 0/);
    assert.throws(() => random.choice(key, 5, {shape: [9], replace: false}), /larger sample/);
});
