// SPDX-License-Identifier: Apache-2.0
// optim.test.mjs -- optimizers as objects: states, trees, masks, functions of the step, compiled steps, refusals. Their
// numbers are in jax.test.mjs.
import assert from 'node:assert/strict';
import test from 'node:test';
import {close, flat, kiln, load, np} from './support.mjs';

const {grad, jit, liveCount, nn, optim, random, tree} = kiln;
const params = () => ({w: np.array([1, -2, 3]), b: [np.array([0.5])]});
const slopes = () => ({w: np.array([0.1, 0.2, -0.3]), b: [np.array([1])]});

test('states are plain trees with the fields of optax', () => {
    const state = optim.adam(0.1).init(params());
    assert.deepEqual(Object.keys(state[0]), ['count', 'mu', 'nu']);
    assert.deepEqual(state[0].mu.b.map(x => x.js()), [[0]]);
    assert.deepEqual(state[1], []);
    assert.equal(state[0].count.dtype, 'int32');
    assert.deepEqual(Object.keys(optim.amsgrad(0.1).init(params())[0]), ['count', 'mu', 'nu', 'nuMax']);
    assert.deepEqual(optim.sgd(0.1).init(params()), [[], []]);
    assert.deepEqual(Object.keys(optim.trace(0.9).init(params())), ['trace']);
});
test('a state goes on after JSON, and in another optimizer of the same kind', () => {
    const one = optim.adam(0.1), two = optim.adam(0.1);
    let [, state] = one.update(slopes(), one.init(params()));
    const read = JSON.parse(JSON.stringify(state), (k, v) => (Array.isArray(v) && typeof v[0] === 'number' ? np.array(v)
        : k === 'count' ? np.array(v, {dtype: 'int32'}) : v));
    const [a] = one.update(slopes(), state), [b] = two.update(slopes(), read);
    assert.deepEqual(flat(tree.leaves(a)), flat(tree.leaves(b)));
});
test('a step can be compiled, state and all, and gives the same', () => {
    const adam = optim.chain(optim.clipByGlobalNorm(1), optim.adamw(0.1));
    const loss = p => np.sum(np.square(p.w)).add(np.sum(np.cos(p.b[0])));
    const step = (p, s) => {
        const [u, next] = adam.update(grad(loss)(p), s, p);
        return [optim.applyUpdates(p, u), next];
    };
    const fast = jit(step);
    let p = params(), q = params(), s = adam.init(p), t = adam.init(q);
    for (let i = 0; i < 5; i++) [p, s] = step(p, s), [q, t] = fast(q, t);
    close(tree.leaves(p), tree.leaves(q), {rtol: 1e-6});
    assert.equal(t[1][0].count.item(), 5);
});
test('rates are numbers, arrays, schedules and functions of the step', () => {
    const run = rate => {
        const o = optim.sgd(rate);
        let state = o.init(params()), u;
        for (let i = 0; i < 3; i++) [u, state] = o.update(slopes(), state);
        return flat(u.b[0]);
    };
    close(run(0.5), [-0.5]);
    close(run(np.array(0.5)), [-0.5]);
    close(run(optim.linearSchedule(1, 0, 4)), [-0.5]);
    close(run(n => 1 - n / 4), [-0.5]);
    close(run(n => np.array(1 - n / 4)), [-0.5]);
});
test('a function of the step gets the recorded number in a compiled step', () => {
    const o = optim.adam(n => np.power(0.5, n)), step = jit((g, s) => o.update(g, s));
    let state = o.init(params()), other = state, u, v;
    for (let i = 0; i < 3; i++) [u, state] = step(slopes(), state), [v, other] = o.update(slopes(), other);
    close(tree.leaves(u), tree.leaves(v));
    assert.equal(state.count.item(), 3);
});
test('masks are trees, prefixes of them, functions, or numbers for each element', () => {
    const p = params(), decay = mask => {
        const o = optim.addDecayedWeights({weightDecay: 0.1, mask});
        return flat(tree.leaves(o.update(tree.map(x => np.zerosLike(x), p), o.init(p), p)[0]));
    };
    close(decay({w: true, b: false}), [0, 0.1, -0.2, 0.3]);
    close(decay({w: false, b: [true]}), [0.05, 0, 0, 0]);
    close(decay(q => tree.map(x => x.size > 1, q)), [0, 0.1, -0.2, 0.3]);
    close(decay({w: np.array([1, 0, 1]), b: false}), [0, 0.1, 0, 0.3]);
});
test('masked leaves out and keeps the structure', () => {
    const o = optim.masked(optim.sgd(1), {w: true, b: false}), p = params();
    const [u] = o.update(slopes(), o.init(p), p);
    close(tree.leaves(u), [1, -0.1, -0.2, 0.3]);
    assert.deepEqual(optim.masked(optim.adam(1), {w: true, b: false}).init(p).innerState[0].mu.b, [null]);
});
test('transformations of JavaScript are parts of a chain, with a state of their own', () => {
    const counting = {init: () => ({n: 0}), update: (u, {n}, p) => [tree.map((x, y) => x.add(y.mul(n)), u, p),
        {n: n + 1}]};
    const o = optim.chain(counting, optim.scale(2)), p = params();
    let state = o.init(p), u;
    [u, state] = o.update(slopes(), state, p);
    [u, state] = o.update(slopes(), state, p);
    close(u.b[0], [3]);
    assert.deepEqual(state[0], {n: 2});
});
test('lookahead has fast and slow parameters', () => {
    const o = optim.lookahead(optim.sgd(1), 2, 0.5);
    let p = optim.lookaheadParams.initSynced(params()), state = o.init(p), u;
    for (let i = 0; i < 2; i++) {
        [u, state] = o.update(slopes(), state, p);
        p = optim.applyUpdates(p, u);
    }
    close(p.slow.b[0], [0.5 - 0.5 * 2]);
    close(p.fast.b[0], [-0.5]);
});
test('updates and new parameters keep dtypes', () => {
    const p = [np.ones([2], {dtype: 'float16'}), np.ones([2], {dtype: 'float64'})], o = optim.adam(0.1);
    const [u] = o.update(p, o.init(p), p), q = optim.applyUpdates(p, u);
    assert.deepEqual(u.map(x => x.dtype), ['float16', 'float64']);
    assert.deepEqual(q.map(x => x.dtype), ['float16', 'float64']);
});
test('what makes no sense is refused, with the reason', () => {
    const o = optim.adam(0.1), p = params(), g = slopes();
    const wrong = (f, error, text) => assert.throws(f, e => e instanceof error && text.test(e.message));
    wrong(() => optim.adam(), TypeError, /learning_rate/);
    wrong(() => optim.adam('fast'), TypeError, /learning_rate has to be a number/);
    wrong(() => optim.adam(0.1, {b1: 2}), kiln.ValueError, /b1 and b2 must be/);
    wrong(() => optim.adam(0.1, {beta: 2}), TypeError, /unexpected argument 'beta'/);
    wrong(() => optim.chain(o, 3), TypeError, /an optimizer is wanted, not 3/);
    wrong(() => optim.masked({init() {}, update() {}}, true), TypeError, /transformation of Kiln/);
    wrong(() => o.update(g, [], p), kiln.ValueError, /begin with init/);
    wrong(() => o.update(g, o.init(p), [p.w]), kiln.ValueError, /structure/);
    wrong(() => o.update({w: np.ones([4]), b: g.b}, o.init(p), p), kiln.ValueError, /shape/);
    wrong(() => optim.adamw(0.1).update(g, optim.adamw(0.1).init(p)), kiln.ValueError, /needs the parameters/);
    wrong(() => optim.applyUpdates(p, [p.w]), kiln.ValueError, /structure/);
    wrong(() => optim.adam(0.1, {muDtype: 'float16'}), kiln.NotImplementedError, /muDtype/);
    wrong(() => optim.joinSchedules([() => 1, optim.constantSchedule(1)], [2]), TypeError, /schedule of Kiln/);
});
test('an exception in a function of the step comes out as it is', () => {
    const o = optim.adam(() => { throw new RangeError('no rate today'); });
    assert.throws(() => o.update(slopes(), o.init(params())), RangeError);
    close(optim.sgd(1).update([np.ones([1])], optim.sgd(1).init([np.ones([1])]))[0], [-1]);
});
test('the names of optax by themselves', async () => {
    const optax = await load('kiln/optax.js');
    assert.equal(optax.adam, optim.adam);
    close(optax.l2Loss(np.array([2])), [2]);
    for (const [name, f] of Object.entries(optax)) if (name !== 'default') assert.equal(typeof f, 'function', name);
});
test('steps leave nothing behind', () => {
    const o = optim.adam(0.1);
    let p = params(), state = o.init(p), before = 0;
    for (let i = 0; i < 200; i++) {
        const g = slopes(), [u, next] = o.update(g, state, p), q = optim.applyUpdates(p, u);
        for (const old of [g, u, p, state]) tree.dispose(old);
        [p, state] = [q, next];
        if (i === 20) before = liveCount();
    }
    assert.ok(liveCount() <= before, `${liveCount()} handles instead of ${before}`);
});
test('a network learns', () => {
    const key = random.key(0), x = random.normal(key, [64, 2]), y = np.sign(x.slice([], 0).mul(x.slice([], 1)));
    let net = {w: random.normal(random.foldIn(key, 1), [2, 16]), v: random.normal(random.foldIn(key, 2), [16])};
    const loss = n => np.mean(np.square(nn.relu(x.matmul(n.w)).matmul(n.v).sub(y))), o = optim.adam(0.03);
    const step = jit((n, s) => {
        const [u, t] = o.update(grad(loss)(n), s, n);
        return [optim.applyUpdates(n, u), t];
    });
    const first = loss(net).item();
    let state = o.init(net);
    for (let i = 0; i < 300; i++) [net, state] = step(net, state);
    assert.ok(loss(net).item() < 0.15 * first);
});
test('helpers of trees leave no temporary arrays', () => {
    const p = params(), o = optim.addDecayedWeights({weightDecay: 0.1, mask: {w: np.array([1, 0, 1]), b: true}});
    const state = o.init(p), s = optim.scale(np.array(0.5));
    const once = () => {
        const all = [optim.treeNorm(p, 1), optim.treeMax(p), optim.treeSum(p), optim.applyUpdates(p, p),
            o.update(p, state, p)[0], optim.treeUpdateMoment(p, p, 0.9, 2), optim.treeBiasCorrection(p, 0.9, 3),
            s.update(p, [])[0]];
        tree.dispose(all);
    };
    once();
    const before = liveCount();
    for (let i = 0; i < 10; i++) once();
    assert.equal(liveCount(), before);
});
