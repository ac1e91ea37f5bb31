// SPDX-License-Identifier: Apache-2.0
// nn.test.mjs -- nn under transformations, initializers as functions, refusals. Numbers are in jax.test.mjs.
import assert from 'node:assert/strict';
import test from 'node:test';
import {close, is, kiln, np} from './support.mjs';

const {grad, jit, nn, random, vmap} = kiln;
const x = np.array([-2, -0.5, 0, 0.5, 2]);

test('slopes', () => {
    close(grad(v => nn.relu(v).sum())(x), [0, 0, 0, 1, 1]);
    close(grad(v => nn.leakyRelu(v, 0.2).sum())(x), [0.2, 0.2, 1, 1, 1]);
    close(grad(v => nn.sigmoid(v).sum())(np.zeros([1])), [0.25]);
    close(grad(v => nn.softplus(v).sum())(np.zeros([1])), [0.5]);
    close(grad(v => nn.logsumexp(v))(np.zeros([4])), [0.25, 0.25, 0.25, 0.25]);
    close(grad(v => nn.softmax(v).sum())(x), [0, 0, 0, 0, 0], {atol: 1e-6});
});
test('a softmax sums to 1, over one axis, two, or all', () => {
    const y = np.array([[1, 2, 3], [1000, 1001, 1002]]);
    close(nn.softmax(y).sum(-1), [1, 1]);
    close(nn.softmax(y, 0).sum(0), [1, 1, 1]);
    close(nn.softmax(y, [0, 1]).sum(), [1]);
    close(nn.softmax(y, null).sum(), [1]);
    assert.equal(nn.logSoftmax(y, null).shape.length, 2);
});
test('under jit and vmap', () => {
    const y = np.array([[1, 2, 3], [3, 1, 0]]);
    close(jit(nn.softmax)(y), nn.softmax(y));
    close(vmap(v => nn.softmax(v))(y), nn.softmax(y));
    close(jit(v => nn.gelu(v, {approximate: false}))(x), nn.gelu(x, {approximate: false}));
});
test('attention of a causal mask looks at what was before', () => {
    const q = np.ones([1, 3, 1, 2]), v = np.arange(6).reshape([1, 3, 1, 2]).astype('float32');
    close(nn.dotProductAttention(q, q, v, {isCausal: true}), [0, 1, 1, 2, 2, 3]);
    close(nn.dotProductAttention(q, q, v, null, null, {isCausal: true}), [0, 1, 1, 2, 2, 3]);
});
test('slopes of attention are those of its formula', () => {
    const [q, k, v] = [1, 2, 3].map(i => random.normal(random.key(i), [1, 4, 2, 3]));
    const formula = (q, k, v) => {
        const scores = np.einsum('btnh,bsnh->bnts', q, k).div(Math.sqrt(3));
        return np.einsum('bnts,bsnh->btnh', nn.softmax(scores), v);
    };
    const slopes = f => grad((...a) => np.sum(np.sin(f(...a))), {argnums: [0, 1, 2]})(q, k, v);
    slopes((...a) => nn.dotProductAttention(...a)).forEach((g, i) =>
        close(g, slopes(formula)[i], {rtol: 1e-4, atol: 1e-5}));
});
test('oneHot is of float32 and has zeros for what is out of range', () => {
    is(nn.oneHot(np.array([1, 3, -1], {dtype: 'int32'}), 3), 'float32', [3, 3], [0, 1, 0, 0, 0, 0, 0, 0, 0]);
});
test('initializers are functions of key, shape and dtype', () => {
    const key = random.key(0), init = nn.initializers.heNormal();
    assert.equal(init(key, [64, 32]).dtype, 'float32');
    assert.equal(init(key, [64, 32], 'float64').dtype, 'float64');
    assert.equal(nn.initializers.he_normal, nn.initializers.heNormal);
    const spread = np.std(nn.initializers.heNormal()(key, [400, 300])).item();
    assert.ok(Math.abs(spread - Math.sqrt(2 / 400)) < 0.002);
    is(nn.initializers.zeros(key, [2]), 'float32', [2], [0, 0]);
    is(nn.initializers.constant(3)(key, [2]), 'float32', [2], [3, 3]);
});
test('what makes no sense is refused', () => {
    assert.throws(() => nn.glu(np.ones([3])), /divisible by 2/);
    assert.throws(() => nn.relu(), /misses its argument 'x'/);
    assert.throws(() => nn.dotProductAttention(np.ones([1, 2, 2, 4]), np.ones([1, 2, 2, 4]), np.ones([1, 3, 2, 4])),
        kiln.ValueError);
    assert.throws(() => nn.initializers.varianceScaling(1, 'fan_up', 'normal')(random.key(0), [2, 2]), kiln.ValueError);
});
