// SPDX-License-Identifier: Apache-2.0
// tree.test.mjs -- trees: structures, paths, registered classes. What is expected is JAX's, with JavaScript's
// containers.
import assert from 'node:assert/strict';
import {close, fails, kiln, test} from './check.mjs';

const {np, tree, jit, grad, blockUntilReady} = kiln;

test('flatten, unflatten: keys in order, null without leaves, complex numbers are leaves', () => {
    const [leaves, def] = tree.flatten({b: [1, null, [2, 3]], a: {}, c: {re: 1, im: 2}});
    assert.deepEqual(leaves, [1, 2, 3, {re: 1, im: 2}]);
    assert.equal(String(def), 'JsTreeDef({a: {}, b: [*, null, [*, *]], c: *})');
    assert.equal(def.size, 4);
    assert.equal(def.numNodes, 9);
    assert.deepEqual(tree.unflatten(def, [5, 6, 7, 8]), {a: {}, b: [5, null, [6, 7]], c: 8});
    assert.equal(tree.unflatten(tree.structure(1), [4]), 4);
    fails(() => tree.unflatten(def, [1]), 'ValueError', 'Too few leaves for JsTreeDef');
    fails(() => tree.unflatten(def, [1, 2, 3, 4, 5]), 'ValueError', 'Too many leaves');
    fails(() => tree.unflatten({}, [1]), 'TypeError', 'structure of a tree is wanted');
});
test('structures are equal by what they are', () => {
    const s = tree.structure;
    assert.ok(s({a: 1, b: 2}).equals(s({b: 3, a: 4})));
    assert.ok(!s({a: 1}).equals(s({b: 1})));
    assert.ok(!s([1]).equals(s([[1]])));
    assert.ok(!s([1, 2]).equals(s([1])));
    assert.ok(!s([]).equals(s({})));
    assert.ok(!s({'a,b': 1}).equals(s({a: 1, b: 2})));
    assert.ok(!s([null]).equals(s([1])));
    assert.ok(!s({'*': [1]}).equals(s([{'*': 1}])));
});
test("structures by jax-js's constructor", () => {
    const {JsTreeDef, NodeType} = tree, def = new JsTreeDef(NodeType.Array, null, [JsTreeDef.leaf, JsTreeDef.leaf]);
    assert.equal(String(def), 'JsTreeDef([*, *])');
    assert.ok(def.equals(tree.structure([1, 2])) && tree.structure([1, 2]).equals(def));
    assert.ok(!def.equals(tree.structure([1])));
    assert.deepEqual(tree.unflatten(def, [1, 2]), [1, 2]);
    assert.equal(tree.structure({'a b': 1, c: 2}).toString(), 'JsTreeDef({"a b": *, c: *})');
});
test('trees that contain themselves, hostile keys', () => {
    const a = [];
    a.push(a);
    fails(() => tree.leaves(a), 'ValueError', 'contains itself');
    const x = JSON.parse('{"__proto__": 1, "constructor": 2}'), y = tree.map(v => v + 1, x);
    assert.deepEqual(Object.entries(y).sort(), [['__proto__', 2], ['constructor', 3]]);
    assert.equal(Object.getPrototypeOf(y), Object.prototype);
});
test('map', () => {
    assert.deepEqual(tree.map((a, b, c) => a + b + c.k, {x: [1, 2]}, {x: [10, 20]}, {x: [{k: 100}, {k: 200}]}), {x:
        [111, 222]});
    assert.deepEqual(tree.map(x => x.length, [[1, 2], [3]], x => Array.isArray(x) && typeof x[0] === 'number'), [2, 1]);
    fails(() => tree.map((a, b) => a, {a: [1, 2]}, {a: [1, 2, 3]}), 'ValueError',
          "different lengths of Array at key path\n    tree.map tree['a']\n");
    fails(() => tree.map((a, b) => a, [1, {x: 1}], [1, [1]]), 'ValueError', 'different types at key path\n    ' +
        'tree.map tree[1]\n');
    fails(() => tree.map((a, b) => a, {a: 1}, {b: 1}), 'ValueError', 'symmetric difference on key sets is\n    a b');
    fails(() => tree.map(1, [1]), 'TypeError', 'a function is wanted');
});
test('paths', () => {
    const t = {b: [1, {c: 2}], "it's": 3};
    assert.deepEqual(tree.leavesWithPath(t).map(([p, x]) => [tree.keystr(p), x]), [["['b'][0]", 1],
        ["['b'][1]['c']", 2], ["['it\\'s']", 3]]);
    assert.deepEqual(tree.mapWithPath((p, x) => `${tree.keystr(p)}=${x}`, [7, [8]]), ['[0]=7', ['[1][0]=8']]);
    assert.equal(tree.flatten_with_path, tree.flattenWithPath);
});
test('reduce, all, transpose, broadcast, allLeaves', () => {
    assert.equal(tree.reduce((a, b) => a + b, {a: 1, b: [2, 3]}), 6);
    assert.equal(tree.reduce((a, b) => a + b, [], 5), 5);
    fails(() => tree.reduce((a, b) => a, []), 'TypeError', 'no initial value');
    assert.ok(tree.all([1, {a: true}]) && !tree.all([1, 0]) && tree.all([]));
    const outer = tree.structure([0, 0]), inner = tree.structure({a: 0, b: 0});
    assert.deepEqual(tree.transpose(outer, inner, [{a: 1, b: 2}, {a: 3, b: 4}]), {a: [1, 3], b: [2, 4]});
    assert.deepEqual(tree.transpose(outer, null, [{a: 1, b: 2}, {a: 3, b: 4}]), {a: [1, 3], b: [2, 4]});
    fails(() => tree.transpose(outer, inner, [{a: 1, b: 2}, {a: 3, c: 4}]), 'TypeError', 'Mismatch');
    assert.deepEqual(tree.broadcast([1, 2], [[0, 0], {a: 0}]), [[1, 1], {a: 2}]);
    fails(() => tree.broadcast([1, 2], [0]), 'ValueError', 'tree.broadcast prefix');
    assert.ok(tree.allLeaves([1, 'a']) && !tree.allLeaves([1, [2]]));
});
test('registered classes', () => {
    class Point { constructor(x, y, name) { Object.assign(this, {x, y, name}); } }
    tree.registerNode(Point, p => [[p.x, p.y], p.name], (name, [x, y]) => new Point(x, y, name), {keys: () =>
        ['.x', '.y']});
    const p = new Point(1, 2, 'p'), q = tree.map(v => v * 10, p);
    assert.ok(q instanceof Point);
    assert.deepEqual([q.x, q.y, q.name], [10, 20, 'p']);
    assert.deepEqual(tree.leavesWithPath([p]).map(([k]) => tree.keystr(k)), ['[0].x', '[0].y']);
    assert.ok(tree.structure(p).equals(tree.structure(new Point(3, 4, 'p'))));
    assert.ok(!tree.structure([p]).equals(tree.structure([new Point(3, 4, 'q')])));
    let traced = 0;
    const f = jit(v => (traced++, v.x.mul(v.y)));
    close([f(p), f(new Point(3, 4, 'p')), f(new Point(5, 6, 'other'))], [2, 12, 30]);
    assert.equal(traced, 2);
    const g = grad(v => v.x.mul(v.y))(p);
    assert.ok(g instanceof Point);
    close([g.x, g.y], [2, 1]);
    fails(() => tree.registerNode(Point, () => 0, () => 0), 'ValueError', 'Duplicate custom registration');

    class Bad {}
    tree.registerNode(Bad, () => 1, () => new Bad());
    fails(() => tree.leaves(new Bad()), 'TypeError', 'has to return [children, data]');
});
test('registerDataclass, registerStatic, registerNodeClass', () => {
    class Layer { constructor() { throw new Error('not called'); } size() { return this.w.length; } }
    tree.registerDataclass(Layer, ['w'], ['kind']);
    const a = Object.assign(Object.create(Layer.prototype), {w: [1, 2], kind: 'dense'}), b = tree.map(x => x + 1, a);
    assert.deepEqual([b.w, b.kind, b.size()], [[2, 3], 'dense', 2]);
    fails(() => tree.registerDataclass(class {}, ['a'], ['a']), 'ValueError', 'must not overlap');
    const Config = tree.registerStatic(class Config { constructor(n) { this.n = n; } });
    assert.deepEqual(tree.leaves([new Config(1), 2]), [2]);
    let traced = 0;
    const f = jit((c, x) => (traced++, x.mul(c.n)));
    close([f(new Config(2), 3), f(new Config(2), 4), f(new Config(3), 3)], [6, 8, 9]);
    assert.equal(traced, 2);
    class Pair {
        constructor(a, b) { Object.assign(this, {a, b}); }
        treeFlatten() { return [[this.a, this.b], null]; }
        static treeUnflatten(_, [a, b]) { return new Pair(a, b); }
    }
    tree.registerNodeClass(Pair);
    assert.deepEqual({...tree.map(x => -x, new Pair(1, 2))}, {a: -1, b: -2});
});
test('ref, dispose, blockUntilReady', async () => {
    const t = {a: np.ones([2]), b: [np.zeros([1]), 3, null]};
    assert.equal(tree.ref(t), t);
    tree.dispose(t);
    close(t.a, [1, 1]);
    assert.equal(await blockUntilReady(t), t);
    tree.dispose(t);
    assert.ok(t.a.isDisposed && t.b[0].isDisposed);
    tree.dispose(null);
});
test('typed arrays, functions and texts are leaves', () => {
    const f = () => 0, data = new Float32Array(2);
    assert.deepEqual(tree.leaves({a: data, b: 'x', c: f}), [data, 'x', f]);
    close(jit(t => t.a.mul(2))({a: new Float32Array([1, 2])}), [2, 4]);
});
