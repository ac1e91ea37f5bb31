// SPDX-License-Identifier: Apache-2.0
// control.test.mjs -- loops, branches, callbacks. Numbers are JAX's (float32).
import assert from 'node:assert/strict';
import {close, collect, fails, kiln, live, test} from './check.mjs';

const {np, lax, jit, grad, vmap, jvp, customJvp, customVjp, debug, pureCallback, pureCallbackWith, ioCallback,
    ioCallbackWith,
    ShapeDtypeStruct} = kiln;
const xs = () => np.array([1, 2, 3]);
const struct = (shape, dtype = 'float32') => new ShapeDtypeStruct(shape, dtype);

test('scan', () => {
    close(lax.scan((c, x) => [c.add(x), c.mul(x)], 0, np.array([0, 1, 2, 3])), [6, [0, 0, 2, 9]]);
    close(lax.scan((c, a) => [c.mul(.5).add(a), c], 1, xs(), {reverse: true}), [2.875, [3.75, 3.5, 1]]);
    close(lax.scan(c => [c.add(1), {n: c, none: null}], 0, null, 3), [3, {n: [0, 1, 2], none: null}]);
    close(lax.scan((c, x) => [[], x.mul(2)], [], xs()), [[], [2, 4, 6]]);
    close(lax.scan(({a, b}, [x, y]) => [{a: b, b: a.add(x)}, [x.add(y)]], {a: .5, b: 1.5}, [xs(), xs()]), [{a: 3.5,
        b: 4.5}, [[2, 4, 6]]]);
    close(jit(x => lax.scan((c, a) => [c.add(a), null], 0, x, {unroll: 2})[0])(xs()), 6);
    close(lax.scan((c, x) => [c.add(x), x], 0, np.zeros([0])), [0, []]);
});
test('scan: derivatives', () => {
    const last = (x, o) => lax.scan((c, a) => [np.sin(c).add(a), c], 0, x, o)[0];
    const expected = [-0.516151, -0.9553005, 1];
    close(grad(x => last(x))(xs()), expected);
    close(jit(grad(x => last(x, {checkpoint: -1})))(xs()), expected);
    close(vmap(grad(x => last(x)))(np.stack([xs(), xs()])), [expected, expected]);
});
test('scan: errors', () => {
    fails(() => lax.scan(c => [c, c], 0), 'ValueError', 'no values to scan over and `length` not provided');
    fails(() => lax.scan((c, x) => [c, x], 0, [xs(), np.ones([2])]), 'ValueError', 'different leading axis sizes: ' +
        '3, 2');
    fails(() => lax.scan((c, x) => [c, x], 0, xs(), 4), 'ValueError', 'disagrees with leading axis sizes [3]');
    fails(() => lax.scan((c, x) => [c, x], 0, 1), 'ValueError', 'no leading axis to scan over');
    fails(() => lax.scan((c, x) => c, 0, xs()), 'TypeError', 'scan body output must be a pair');
    fails(() => lax.scan((c, x) => [[c], x], 0, xs()), 'TypeError', 'must have the same tree structure');
    fails(() => lax.scan((c, x) => [np.ones([2]), x], 0, xs()), 'TypeError', 'the shapes do not match');
    fails(() => lax.scan(1, 0, xs()), 'TypeError', 'Expected a callable');
    fails(() => lax.scan((c, x) => [c, x], 0, xs(), {steps: 1}), 'TypeError', "unexpected argument 'steps'");
});
test('whileLoop', () => {
    close(lax.whileLoop(x => x.less(100), x => x.mul(2), 3), 192);
    close(lax.while_loop(({x}) => x.less(100), ({x, n}) => ({x: x.mul(2), n: n.add(1)}), {x: 3, n: 0}), {x: 192, n: 6});
    close(jvp(x => lax.whileLoop(v => v.less(100), v => v.mul(x), x), [3], [1]), [243, 405]);
    close(grad(x => lax.whileLoop(v => v.less(100), v => v.mul(x), x, {maxSteps: 10}))(3), 405);
    close(vmap(x => lax.whileLoop(v => v.less(100), v => v.mul(3), x))(xs()), [243, 162, 243]);
    fails(() => grad(x => lax.whileLoop(v => v.less(100), v => v.mul(x), x))(3), 'ValueError');
    fails(() => lax.whileLoop(x => [x, x], x => x, 1), 'TypeError', 'must return a boolean scalar');
    fails(() => lax.whileLoop(x => x.less(3), x => [x], 1), 'TypeError', 'same tree structure');
    fails(() => lax.whileLoop(1, x => x, 1), 'TypeError', 'should be callable');
});
test('foriLoop', () => {
    close(lax.foriLoop(0, 10, (i, c) => c.mul(1.1).add(1), 1), 18.531168);
    close(lax.foriLoop(2, 5, (i, {n, x}) => ({n: n.add(i), x: x.set ? x.add(1) : x}), {n: 0, x: xs()}), {n: 9, x:
        [4, 5, 6]});
    close(jit(n => lax.foriLoop(0, n, (i, c) => c.add(2), 0))(np.full([], 4, {dtype: 'int32'})), 8);
    close(lax.fori_loop(5, 0, (i, c) => c.add(1), 7), 7);
    close(grad(x => lax.foriLoop(0, 3, (i, c) => c.mul(x), 1))(2), 12);
    fails(() => lax.foriLoop(0, 1.5, (i, c) => c, 0), 'TypeError', 'must be integers');
    fails(() => lax.foriLoop(0, 2, (i, c) => [c], 0), 'TypeError', 'same tree structure');
});
test('foriLoop: the index promotes as a number does where the bounds are numbers', () => {
    close(lax.foriLoop(0, 4, (i, x) => x.add(i), xs()), [7, 8, 9]);
    assert.equal(lax.foriLoop(0, 4, (i, x) => x.add(i), np.ones([1], {dtype: 'float16'})).dtype, 'float16');
    close(lax.foriLoop(0, 4, (i, x) => x.add(i), 0.5), 6.5);
    close(lax.foriLoop(0, 4, (i, x) => x.add(i), 0), 6);
    close(jit(x => lax.foriLoop(0, 3, (i, c) => c.add(x.slice(i)), 0))(xs()), 6);
    close(grad(x => lax.foriLoop(0, 3, (i, c) => c.add(x.slice(i).mul(i)), 0))(xs()), [0, 1, 2]);
    close(lax.foriLoop(0, 3, (i, x) => i, 7), 2);
});
test('cond: numbers promote as numbers', () =>
    assert.equal(lax.cond(true, (x, n) => x.mul(n), (x, n) => x, np.ones([1], {dtype: 'float16'}), 2).dtype,
        'float16'));
test('cond', () => {
    const f = p => lax.cond(p, x => x.add(1), x => x.sub(1), 3);
    close([f(true), f(false), f(1), f(0), jit(f)(false), jit(f)(true)], [4, 2, 4, 2, 2, 4]);
    close(lax.cond(true, ({a}, b) => ({sum: a.add(b)}), ({a}, b) => ({sum: a.mul(b)}), {a: 2}, 5), {sum: 7});
    close(lax.cond(false, 1, x => x.add(1), 10, x => x.mul(2)), 20);
    close(lax.cond(true, () => 1, () => 2), 1);
    close(vmap(x => lax.cond(x.greater(1), v => v.mul(10), v => v.neg(), x))(xs()), [-1, 20, 30]);
    close(grad(x => lax.cond(x.greater(0), v => np.sin(v), v => np.cos(v), x))(1), Math.cos(1));
    fails(() => lax.cond(true, x => [x, x], x => x, 1), 'TypeError', 'must have identical types');
    fails(() => lax.cond(true, x => x, x => np.ones([2]), 1), 'TypeError');
    fails(() => lax.cond(np.ones([2]), x => x, x => x, 1), 'TypeError', 'Pred must be a scalar');
    fails(() => lax.cond(true, 1, 2), 'TypeError', 'should be callable');
});
test('switch', () => {
    const f = i => lax.switch(i, [x => x, x => x.neg(), x => x.mul(10)], 3);
    close([f(0), f(1), f(2), f(99), f(-5)], [3, -3, 30, 30, 3]);
    close(lax.switch(7, [x => x.add(1)], np.full([], 2)), 3);
    fails(() => lax.switch(0, []), 'ValueError', 'Empty branch sequence');
    fails(() => lax.switch(0, [1]), 'TypeError', 'sequence of callables');
    fails(() => lax.switch(0, [x => x, x => [x]], 1), 'TypeError', 'branch 0 and branch 1');
});
test('map, associativeScan', () => {
    close(lax.map(x => ({twice: x.mul(2)}), xs()), {twice: [2, 4, 6]});
    close(lax.map(([x, y]) => x.mul(y), [xs(), xs()], {batchSize: 2}), [1, 4, 9]);
    close(lax.associativeScan(([a, b], [c, d]) => [a.mul(c), b.mul(c).add(d)], [xs(), np.array([2, 3, 4])]), [[1,
        2, 6], [2, 7, 25]]);
    close(lax.associativeScan(np.maximum, np.array([3, 1, 2]), {reverse: true}), [3, 2, 2]);
    close(lax.associative_scan(np.add, np.array([[1, 2], [3, 4]]), false, 1), [[1, 3], [3, 7]]);
    fails(() => lax.associativeScan(([a, b], [c, d]) => [a, b], [xs(), np.ones([2])]), 'ValueError', 'same first ' +
        'dimension');
});
test('rules inside of loops', () => {
    const f = kiln.customVjp(x => x.mul(2)).defvjp(x => [x.mul(2), x], (x, g) => [g.mul(100)]);
    close(grad(x => lax.scan((c, _) => [f(c), null], x, null, 2)[0])(1), 10000);
    close(jit(grad(x => lax.cond(true, v => f(v), v => v, x)))(1), 100);
});

// ---- callbacks
test('pureCallback', () => {
    const f = x => pureCallback(v => v.mul(2), struct([3]), x);
    close([f(xs()), jit(f)(xs())], [[2, 4, 6], [2, 4, 6]]);
    close(jit(x => pureCallback(({a}) => [a.item() + 1, {b: [true]}], [struct([]), {b: [struct([], 'bool')]}], {a:
        x}))(3), [4, {b: [true]}]);
    close(vmap(x => pureCallback(v => v.item() * 2, struct([]), x))(xs()), [2, 4, 6]);
    close(vmap(x => pureCallbackWith({vmapMethod: 'expand_dims'}, v => v.mul(2), struct([]), x))(xs()), [2, 4, 6]);
    fails(() => pureCallback(v => [v], struct([3]), xs()), 'ValueError', 'structure [*]'.slice(0, 9));
    fails(() => pureCallback(v => np.ones([2]), struct([3]), xs()), 'TypeError', /2/);
    fails(() => grad(x => pureCallback(v => v, struct([]), x))(1), 'ValueError');
    fails(() => pureCallback(3, struct([])), 'TypeError', 'callable');
});
test('a callback calls Kiln, and jits', () => {
    const g = jit(x => x.mul(3));
    close(jit(x => pureCallback(v => grad(u => g(u))(v), struct([]), x))(2), 3);
});
test('ioCallback runs once a call, in order', () => {
    const seen = [], f = jit(x => {
        ioCallback(v => (seen.push(v.item()), null), null, x);
        return ioCallbackWith({ordered: true}, v => (seen.push(-v.item()), v), struct([]), x);
    });
    close([f(1), f(2)], [1, 2]);
    assert.deepEqual(seen, [1, -1, 2, -2]);
});
test('debug.callback runs with each program, also after a collection', async () => {
    const seen = [], f = jit(x => (debug.callback(v => seen.push(v.jsSync()), x), x.add(1)));
    f(1);
    await collect();
    f(2);
    lax.foriLoop(0, 2, (i, c) => (debug.callback(v => seen.push(v.item()), i), c), 0);
    assert.deepEqual(seen, [1, 2, 0, 1]);
});
test('an exception in a callback comes out as the same object', () => {
    const mine = new Error('mine'), f = jit(x => pureCallback(() => { throw mine; }, struct([]), x));
    for (let i = 0; i < 3; i++) assert.throws(() => f(1).jsSync(), e => e === mine);
    const g = jit(x => (debug.callback(() => { throw mine; }, x), x));
    assert.throws(() => g(1).jsSync(), e => e === mine);
    close(jit(x => x.add(1))(1), 2);
});
test('debug.print', () => {
    const written = [], {write} = process.stdout, {log} = console;
    process.stdout.write = x => (written.push(typeof x === 'string' ? x : Buffer.from(x).toString()), true);
    console.log = x => written.push(`${x}\n`);
    try {
        jit(x => {
            debug.print('x = {x}, twice {} {{}} {:.2f}', x.mul(2), x, {x});
            debug.print('{} {}', 'text', {a: x});
            return x;
        })(3);
    } finally {
        process.stdout.write = write;
        console.log = log;
    }
    assert.equal(written.join(''), 'x = 3.0, twice 6.0 {} 3.00\ntext {"a":3}\n');
    fails(() => debug.print('{y}', {x: 1}), 'KeyError', 'y');
    fails(() => debug.print('{}'), 'IndexError', 'out of range');
    fails(() => debug.print('{x}', {x: 1, y: 2}), 'ValueError', 'Unused keyword arguments');
    fails(() => debug.print('{', 1), 'ValueError', "expected '}'");
});
test('reductions by functions', () => {
    const mul = (a, b) => a.mul(b), x = np.array([[1, 2, 3], [4, 5, 6]]);
    close(lax.reduce(x, 1, mul, [1]), [6, 120]);
    close(lax.reduce([x, x], [0, 1], ([a, b], [c, d]) => [a.add(c), b.mul(d)], [0, 1]), [21, 720]);
    close(lax.reduceWindow(np.array([1, 2, 3, 4, 5]), 1, mul, [2], [2]), [2, 12]);
    close(lax.reduceWindow(np.array([1, 5, 2, 4]), np.max, [2], [1]), [5, 5, 4]);
    fails(() => lax.reduce(x, [1], mul, [1]), 'ValueError', 'same tree structure as init_values');
});

test('loops and branches in one turn leave nothing', () => {
    const x = xs(), step = () => {
        const all = [lax.scan((c, a) => [c.add(a), c], 0, x), lax.whileLoop(v => v.less(9), v => v.mul(2), 1),
            lax.foriLoop(0, 3, (i, c) => c.add(i), .5), lax.cond(true, v => v.mul(2), v => v, 1), lax.map(v =>
                v.mul(2), x),
            lax.switch(1, [v => v, v => v.add(1)], x), lax.associativeScan(np.add, x), vmap(v => v.mul(2))(x),
            jvp(v => v.mul(2), [3], [1]), lax.reduce(x, 0, (a, b) => a.add(b), [0])];
        kiln.tree.dispose(all);
        const [y, back] = kiln.vjp(v => v.mul(2), [3]);
        kiln.tree.dispose([y, back(1)]);
        back.dispose();
        kiln.tree.dispose(kiln.hessian(v => np.sum(v.mul(v)))(x));
        kiln.tree.dispose(pureCallback(v => (v.dispose(), 2), struct([]), x));
    };
    const f = customJvp(v => v.mul(2)).defjvp(([v], [t]) => [v.mul(2), t]);
    const g = customVjp(v => v.mul(2)).defvjp(v => [v.mul(2), v], (r, t) => [t.mul(r)]);
    const rules = () => {
        kiln.tree.dispose([grad(f)(3), grad(g)(3)]);
        const h = jit(grad(v => f(g(v))));
        h(3).dispose();
        h.dispose();
    };
    for (let i = 0; i < 20; i++) step(), rules();
    const before = live();
    for (let i = 0; i < 200; i++) step(), rules();
    assert.equal(live(), before);
});
