// SPDX-License-Identifier: Apache-2.0
// transforms.test.mjs -- jit, derivatives, vmap and custom rules of functions of trees. Numbers are JAX's (float32).
import assert from 'node:assert/strict';
import {close, collect, fails, kiln, live, memory, test} from './check.mjs';

const {np, lax, jit, grad, valueAndGrad, vmap, jvp, vjp, linearize, linearTranspose, jacfwd, jacrev, hessian,
    checkpoint,
    checkpointPolicies, evalShape, ShapeDtypeStruct, customJvp, customVjp, customGradient, stopGradient,
        namedCall} = kiln;
const array = x => (Array.isArray(x) ? np.array(x) : np.full([], x, {dtype: 'float32'}));
const loss = (x, y) => np.sum(np.sin(x).mul(np.square(y)));
const mlp = (p, x) => np.sum(np.dot(np.tanh(np.dot(x, p.w1).add(p.b1)), p.w2));
const params = () => ({w1: array([[0, .1], [.2, .3], [.4, .5]]), b1: array([.1, -.2]), w2: array([1, 2])});

// ---- jit
test('jit: records once for each type', () => {
    let n = 0;
    const f = jit(x => (n++, x.mul(2)));
    close(f(array([1, 2])), [2, 4]);
    close(f(array([3, 4])), [6, 8]);
    close(f(array([[3]])), [[6]]);
    assert.equal(n, 2);
    assert.equal(f.traceCount, 2);
});
test('jit: trees in and out', () => {
    const f = jit(({a, b}, [c]) => ({sum: a.add(b), list: [c, null]}));
    close(f({a: array([1]), b: 2}, [3]), {sum: [3], list: [3, null]});
    close(f({b: 5, a: array([1])}, [4]), {sum: [6], list: [4, null]});
    assert.equal(f.traceCount, 1);
});
test('undefined stays undefined: defaults of arguments hold', () => {
    const f = (x, n = 3, {k = 2} = {}) => x.mul(n).mul(k);
    for (const g of [jit(f), grad(f), checkpoint(f)])
        close([g(1), g(1, undefined), g(1, undefined, {k: undefined})].map(x => np.sum(x)), [6, 6, 6]);
    close(jit((x, n) => (n === null ? x : x.add(1)))(1, null), 1);
    assert.equal(jit(() => undefined)(), undefined);
});
test('jit: a number is a float whatever its value is', () => {
    const f = jit((x, n) => x.mul(n));
    for (const n of [2, 2.5, 3]) assert.equal(f(array([1]), n).dtype, 'float32');
    assert.equal(f.traceCount, 1);
});
test('jit: a number promotes weakly, an array of one does not', () => {
    const f = jit((x, n) => x.mul(n)), half = np.ones([2], {dtype: 'float16'});
    assert.equal(f(half, 2.5).dtype, 'float16');
    assert.equal(f(half, array(2.5)).dtype, 'float32');
    assert.equal(f(half, 3).dtype, 'float16');
    assert.equal(f.traceCount, 2);
    assert.equal(jit(({n}, x) => x.add(n))({n: 1}, half).dtype, 'float16');
});
test('jit: static arguments count by value', () => {
    let n = 0;
    const f = jit((x, mode, k) => (n++, mode === 'double' ? x.mul(2) : x.add(k.by)), {staticArgnums: [1, -1]});
    const k = {by: 10};
    close(f(1, 'double', k), 2);
    close(f(5, 'double', k), 10);
    close(f(1, 'add', k), 11);
    assert.equal(n, 2);
    close(f(1, 'add', {by: 20}), 21);
    close(f(2, 'add', {by: 20}), 22);
    assert.equal(n, 3);
    const g = jit((x, {axes: [a], on}) => np.sum(x, a).mul(on(2)), {staticArgnums: [1]}), on = v => v + 1;
    close([g(np.ones([2, 3]), {axes: [0], on}), g(np.ones([2, 3]), {axes: [0], on})], [[6, 6, 6], [6, 6, 6]]);
    close(g(np.ones([2, 3]), {on, axes: [1]}), [9, 9]);
    assert.equal(g.traceCount, 2);
});
test('jit: -0 and 0, "1" and 1 are other static values', () => {
    const f = jit((x, k) => x.add(Object.is(k, -0) ? 1 : typeof k === 'string' ? 2 : 3), {staticArgnums: 1});
    close([f(0, 0), f(0, -0), f(0, '0'), f(0, 0)], [3, 1, 2, 3]);
});
test('jit: an array cannot be static, a string not dynamic', () => {
    fails(() => jit((x, y) => x.add(y), {staticArgnums: 1})(1, array(1)), 'ValueError', 'Non-hashable static');
    fails(() => jit((x, y) => x)(1, 'abc'), 'TypeError', 'argument 1');
    fails(() => jit(x => 'abc')(1), 'TypeError', 'returned "abc"');
});
test('jit: options', () => {
    fails(() => jit(x => x, {statics: 1}), 'TypeError', "unexpected argument 'statics'");
    fails(() => jit(3), 'TypeError', 'Expected a callable');
    fails(() => jit(x => x, {staticArgnums: 0, donateArgnums: 0}), 'ValueError', 'cannot intersect');
    close(jit({static_argnums: [1]})((x, n) => x.mul(n))(2, 3), 6);
});
test('jit: donated arguments are gone', () => {
    const f = jit((x, y) => x.add(y), {donateArgnums: 0}), x = np.ones([4]), y = np.ones([4]);
    close(f(x, y), [2, 2, 2, 2]);
    close(y, [1, 1, 1, 1]);
    fails(() => x.jsSync(), 'RuntimeError', 'It was donated to f');
});
test('jit: symbolic extents are recorded once', () => {
    const f = jit(x => np.sum(x), {symbolic: 'n'});
    close([f(np.ones([3])), f(np.ones([5]))], [3, 5]);
    assert.equal(f.traceCount, 1);
    assert.match(f.explain(), /n/);
});
test('jit: clearCache, clearCaches and dispose', () => {
    let n = 0;
    const f = jit(x => (n++, x.add(1)));
    f(1), f.clearCache(), f(1);
    assert.equal(n, 2);
    kiln.clearCaches();
    f(1), f(1);
    assert.equal(n, 3);
    f.dispose();
    f.dispose();
    fails(() => f(1), 'ValueError', 'was disposed of');
});
test('jit: methods have programs for each object', () => {
    class Model {
        constructor(w) { this.w = w; }
        apply = jit(Model.scale);
        static scale(x) { return x.mul(this.w); }
    }
    const shared = jit(function (x) { return x.mul(this.w); });
    const a = {w: array(2), f: shared}, b = {w: array(3), f: shared};
    close([a.f(1), b.f(1), a.f(2), new Model(array(5)).apply(2)], [2, 3, 4, 10]);
});
test('jit: the structure of the result may depend on the types', () => {
    const f = jit(x => (x.ndim ? [x, {a: x}] : {b: x}));
    close([f(1), f(array([1])), f(2), f(array([3]))], [{b: 1}, [[1], {a: [1]}], {b: 2}, [[3], {a: [3]}]]);
    const g = jit(x => (x.ndim ? x : [x, x]));
    close([g(array([1])), g(array([2])), g(1), g(array([2])), g(2)], [[1], [2], [1, 1], [2], [2, 2]]);
});
test('jit: no arguments, no results, many arguments', () => {
    close(jit(() => np.ones([2]))(), [1, 1]);
    close(jit(() => [])(), []);
    assert.equal(jit(() => null)(), null);
    const many = jit((...xs) => xs.reduce((a, b) => a.add(b))), xs = Array.from({length: 40}, (_, i) => array(i));
    close([many(...xs), many(...xs)], [780, 780]);
});
test('jit in jit, grad of jit of vmap', () => {
    const inner = jit(x => np.sin(x)), outer = jit(x => inner(x).add(inner(x)));
    close(outer(1), 2 * Math.sin(1));
    const x = array([1, 2, 3]);
    close(grad(w => np.sum(jit(vmap(a => np.tanh(a.mul(w))))(x)))(0.3), 3.799044 / 1, 1e-6);
});
test('jit: it calls Kiln while it is recorded', () => {
    const f = jit(x => x.add(grad(y => y.mul(y))(3)).add(np.array([1, 2]).sum().item()));
    close(f(1), 10);
});
test('namedCall', () => assert.match(String(kiln.makeJaxpr(namedCall(x => np.sin(x), {name: 'sine'}))(1)),
    /name=sine/));

// ---- errors
test('an exception comes out as the same object, and Kiln goes on', () => {
    const mine = new Error('mine');
    const thrower = () => { throw mine; };
    const x = array([1, 2]);
    for (const call of [() => jit(thrower)(x), () => grad(thrower)(x), () => vmap(thrower)(x), () => jvp(thrower,
        [x], [x]),
        () => vjp(thrower, [x]), () => linearize(thrower, [x]), () => jacfwd(thrower)(x), () => hessian(thrower)(x),
        () => jit(grad(jit(thrower)))(x), () => evalShape(thrower, x), () => checkpoint(thrower)(x),
        () => lax.scan(thrower, 0, x), () => lax.cond(true, thrower, thrower, x), () => lax.whileLoop(thrower,
            thrower, 0),
        () => lax.foriLoop(0, 3, thrower, 0), () => lax.map(thrower, x), () => kiln.makeJaxpr(thrower)(x)]) {
        assert.throws(call, e => e === mine, String(call));
        close(np.add(x, 1), [2, 3]);
    }
});
test('an exception that the function catches is its own business', () => {
    const f = jit(x => {
        try {
            jit(() => { throw new Error('inner'); })(x);
        } catch {
            return x.add(1);
        }
        return x;
    });
    close(f(1), 2);
});
test('throwing undefined', () => {
    let caught = false;
    try {
        grad(() => { throw undefined; })(1);
    } catch (e) {
        caught = e === undefined;
    }
    assert.ok(caught);
});
test('a traced value that escaped', () => {
    let out = null;
    jit(function steal(x) { out = x; return x.mul(2); })(1);
    fails(() => out.add(1), 'LeakedTracerError', 'escaped from steal');
    grad(x => (out = np.sin(x)))(1);
    try {
        out.add(1);
        assert.fail();
    } catch (e) {
        assert.match(`${e.file}`, /transforms\.test\.mjs/);
    }
});
test('a value that is not known yet', () => {
    fails(() => jit(x => x.item())(1), 'ConcretizationError',
          /^the value of float32\[\] is not known while f is traced by jit; use lax.cond or np.where$/);
    fails(() => jit(x => x.set([0], 1))(array([1])), 'MutationError', 'copy it first with np.copy');
    fails(() => jit(x => (x > 0 ? x : x.neg()))(1), 'ConcretizationError');
    fails(() => vmap(x => x.dataSync())(array([1, 2])), 'ConcretizationError');
});

// ---- gradients
test('grad, valueAndGrad: numbers of JAX', () => {
    const x = array([1, 2, 3]);
    close(valueAndGrad(loss, {argnums: [0, 1]})(x, 2), [7.5675535, [[2.161209, -1.6645874, -3.95997], 7.5675535]]);
    close(grad(loss)(x, 2), [2.161209, -1.6645874, -3.95997]);
    close(grad(loss, {argnums: -1})(x, 2), 7.5675535);
    close(valueAndGrad(mlp)(params(), x), [2.8634644, {
        b1: [0.12500986, 0.14130163], w1: [[0.12500986, 0.14130163], [0.25001973, 0.28260326], [0.3750296, 0.4239049]],
        w2: [0.93540907, 0.9640276]}]);
    close(jit(grad(mlp))(params(), x).w2, [0.93540907, 0.9640276]);
});
test('grad of whole numbers', () => close([grad(x => x.mul(x))(3), jit(grad(x => x.mul(x)))(3), grad(grad(x =>
    np.power(x, 3)))(2)], [6, 6, 12]));
test('grad: hasAux', () => {
    const f = x => [np.sum(x.mul(x)), {half: x.div(2), list: [1]}];
    close(grad(f, {hasAux: true})(array([1, 2])), [[2, 4], {half: [.5, 1], list: [1]}]);
    close(valueAndGrad(f, {hasAux: true})(array([1, 2])), [[5, {half: [.5, 1], list: [1]}], [2, 4]]);
    fails(() => grad(x => x, {hasAux: true})(1), 'TypeError', 'two-element array');
});
test('grad: holomorphic', () => {
    close(grad(z => z.mul(z).mul(z), {holomorphic: true})({re: 1, im: 2}), {re: -9, im: 12});
    fails(() => grad(z => z, {holomorphic: true})(1), 'TypeError', 'requires inputs with complex dtype');
    fails(() => grad(z => z.mul(z))({re: 1, im: 2}), 'TypeError', 'requires real-valued outputs');
});
test('grad: integers', () => {
    const n = np.array([1, 2], {dtype: 'int32'});
    fails(() => grad(x => np.sum(x))(n), 'TypeError', 'requires real- or complex-valued inputs (input dtype that is ' +
        'a sub-dtype of np.inexact), but got int32');
    close(grad(x => np.sum(x.mul(1.5)), {allowInt: true})(n), [0, 0]);
    fails(() => grad(x => np.sum(x).astype('int32'))(1), 'TypeError', 'requires real-valued outputs');
});
test('grad: what is no scalar', () => {
    fails(() => grad(x => x)(array([1, 2, 3])), 'TypeError', 'Gradient only defined for scalar-output functions. ' +
        'Output had shape: (3,).');
    fails(() => grad(x => [x])(1), 'TypeError', 'Gradient only defined for scalar-output');
    fails(() => grad(x => x, {argnums: 1})(1), 'TypeError', 'requires at least 2 positional arguments');
    fails(() => grad(x => x, {argnums: []})(1), 'ValueError', 'argnums is empty');
    fails(() => grad(x => x)('abc'), 'TypeError', 'not a valid array');
});
test('grad: arguments that are no arrays stay what they are', () =>
    close(grad((x, mode, {k}) => (mode === 'sin' && k(2) === 3 ? np.sin(x) : x))(0, 'sin', {k: v => v + 1}), 1));
test('stopGradient of a tree', () => close(grad(x => {
    const {a} = stopGradient({a: x});
    return a.mul(x);
})(3), 3));
test('jvp', () => {
    close(jvp((x, y) => np.exp(x).mul(y), [1, 2], [0.5, 0.25]), [5.4365635, 3.3978522]);
    close(jvp(x => [{y: x.mul(2)}, x], [3], [1], {hasAux: true}), [{y: 6}, {y: 2}, 3]);
    fails(() => jvp(x => x, [1], [[1]]), 'TypeError', 'same tree structure');
    fails(() => jvp(x => x, [array([1])], [array([1, 2])]), 'ValueError', 'primal shape (1,) and tangent shape (2,)');
    fails(() => jvp(x => x, 1, [1]), 'TypeError', 'must be an array of arguments');
});
test('vjp', () => {
    const [y, back] = vjp((x, y) => [x.mul(y), np.sum(x)], [array([1, 2, 3]), 2]);
    close(y, [[2, 4, 6], 6]);
    close([back([array([1, 0, 2]), 3]), back([array([1, 0, 2]), 3])], [[[5, 3, 7], 7], [[5, 3, 7], 7]]);
    fails(() => back(array([1])), 'ValueError', 'unexpected tree structure');
    fails(() => back([array([1]), 3]), 'ValueError', 'got float32[1], but expected float32[3]');
    back.dispose();
    fails(() => back([array([1, 0, 2]), 3]), 'ValueError', 'disposed');
    const [z, pull, aux] = vjp(x => [x.mul(x), {twice: x.mul(2)}], [3], {hasAux: true});
    close([z, pull(1), aux], [9, [6], {twice: 6}]);
});
test('linearize', () => {
    const [y, f] = linearize(x => np.sin(x).mul(x), [array([1, 2, 3])]);
    close(y, [0.841471, 1.8185949, 0.42336], 1e-5);
    close(f(np.ones([3])), [1.3817732, 0.07700372, -2.8288574]);
    fails(() => f(np.ones([2])), 'ValueError', 'inconsistent with the original primal values');
    f.dispose();
    fails(() => f(np.ones([3])), 'ValueError', 'disposed');
});
test('linearTranspose', () => {
    const f = linearTranspose(x => x.mul(2).add(np.sum(x)), [new ShapeDtypeStruct([3], 'float32')]);
    close(f(array([1, 2, 3])), [[8, 10, 12]]);
    fails(() => linearTranspose(x => x.mul(x), [array([1])])(array([1])), 'TypeError', 'not linear');
});
test('jacfwd, jacrev, hessian', () => {
    const x = array([1, 2, 3]), f = (x, y) => ({a: x.mul(y), b: np.sum(x)});
    for (const jac of [jacfwd, jacrev])
        close(jac(f, {argnums: [0, 1]})(x, 2), {a: [[[2, 0, 0], [0, 2, 0], [0, 0, 2]], [1, 2, 3]], b: [[1, 1, 1], 0]});
    close(jacrev(x => [x.mul(x), np.sum(x)], {hasAux: true})(x), [[[2, 0, 0], [0, 4, 0], [0, 0, 6]], 6]);
    close(hessian(x => np.prod(x).mul(x.slice(0)))(x), [[12, 6, 4], [6, 0, 1], [4, 1, 0]]);
    close(jit(hessian(x => np.sum(np.square(np.sin(x)))))(x), [[-0.8322936, 0, 0], [0, -1.3072871, 0], [0, 0,
        1.9203405]]);
    fails(() => jacfwd(x => x, {argnums: 2})(x), 'ValueError', 'argument numbers must have values');
});
test('checkpoint', () => {
    let n = 0;
    const f = checkpoint(x => (n++, np.sin(np.sin(x))));
    close(grad(f)(1), Math.cos(Math.sin(1)) * Math.cos(1));
    const g = checkpoint((x, k) => np.sin(x.mul(k.n)), {policy: checkpointPolicies.dotsSaveable, staticArgnums: [1]});
    close(jit(grad(x => g(x, {n: 2})))(1), 2 * Math.cos(2));
    assert.ok(n > 0);
});
test('evalShape', () => {
    const out = evalShape((x, {y}) => ({a: np.dot(x, y), b: [x]}), new ShapeDtypeStruct([2, 3], 'float32'), {y:
        np.ones([3, 4])});
    assert.deepEqual(out.a.shape, [2, 4]);
    assert.equal(String(out.b[0]), 'ShapeDtypeStruct(shape=(2, 3), dtype=float32)');
    fails(() => new ShapeDtypeStruct([2]), 'ValueError', 'dtype must be specified');
});

// ---- vmap
test('vmap', () => {
    close(vmap(np.dot)(np.ones([2, 3]), np.ones([2, 3])), [3, 3]);
    close(vmap(grad(x => np.sin(x).mul(x)))(array([1, 2, 3])), [1.3817732, 0.07700372, -2.8288574]);
    close(vmap((x, y) => x.add(y), [0, null])(array([1, 2]), 10), [11, 12]);
    close(vmap(x => x.mul(2), 1)(array([[1, 2], [3, 4]])), [[2, 6], [4, 8]]);
    close(vmap(x => x.mul(2), {inAxes: 1, outAxes: -1})(array([[1, 2], [3, 4]])), [[2, 4], [6, 8]]);
    close(vmap(x => x, 1, 1)(array([[1, 2], [3, 4]])), [[1, 2], [3, 4]]);
});
test('vmap: trees of axes', () => {
    const f = ({a, b}, c) => ({sum: a.add(b).add(c), b});
    const out = vmap(f, [{a: 0, b: null}, null], {outAxes: {sum: 0, b: null}})({a: array([1, 2]), b: array(10)}, 100);
    close(out, {sum: [111, 112], b: 10});
    fails(() => vmap(f, [{a: 0}, null])({a: array([1]), b: 1}, 1), 'ValueError', 'tree prefix');
    fails(() => vmap(x => x, {outAxes: null})(array([1, 2])), 'ValueError', 'the output is mapped');
});
test('vmap: axisSize alone', () => close(vmap(() => np.ones([2]), {inAxes: [], axisSize: 3})(), [[1, 1], [1, 1],
    [1, 1]]));
test('vmap: errors', () => {
    fails(() => vmap((x, y) => x)(array([1, 2, 3]), np.ones([4])), 'ValueError',
          'vmap got inconsistent sizes for array axes to be mapped:\n  * one axis had size 3: axis 0 of args[0] of ' +
              'type float32[3]');
    fails(() => vmap(x => x)(1), 'ValueError', 'rank should be at least 1, but is only 0');
    fails(() => vmap(x => x, null)(1), 'ValueError', 'at least one non-null');
    fails(() => vmap(x => x, [0])(1, 2), 'ValueError', 'inAxes.length=1, args.length=2');
    fails(() => vmap(x => x, 'a'), 'TypeError', 'inAxes must be');
    fails(() => vmap(x => x, 0.5), 'TypeError', 'inAxes must be');
});
test('collectives over named axes', () => {
    const x = array([1, 2, 3]), over = f => vmap(f, {axisName: 'i'})(x);
    close(over(v => v.div(lax.psum(v, 'i')).add(lax.axisIndex('i'))), [0.16666667, 1.3333334, 2.5]);
    close(over(v => lax.ppermute(v, 'i', [[0, 1], [1, 2], [2, 0]])), [3, 1, 2]);
    close(over(v => lax.allGather(v, 'i')), [[1, 2, 3], [1, 2, 3], [1, 2, 3]]);
    close(over(v => lax.pmax({a: v}, 'i').a), [3, 3, 3]);
    close(over(v => lax.pmean(v, 'i')), [2, 2, 2]);
    fails(() => over(v => lax.psum(v, 'j')), 'NameError', 'j');
});

// ---- rules
test('customJvp', () => {
    const f = customJvp(x => x.mul(x)).defjvp(([x], [t]) => [f(x), t.mul(100)]);
    close([f(3), grad(f)(3), jit(grad(f))(3), grad(jit(f))(3), jvp(f, [3], [2])[1]], [9, 100, 100, 100, 200]);
    close(vmap(grad(f))(array([1, 2])), [100, 100]);
    const g = customJvp((x, y) => ({z: x.mul(y)}));
    g.defjvps((t, out, x, y) => ({z: t.mul(y)}), null);
    close(grad((x, y) => g(x, y).z, {argnums: [0, 1]})(2, 3), [3, 0]);
    const h = customJvp((k, x) => x.mul(k.n), {nondiffArgnums: [0]}).defjvp((k, [x], [t]) => [x.mul(k.n),
        t.mul(k.n * 10)]);
    close(grad(x => h({n: 2}, x))(1), 20);
    fails(() => customJvp(x => x)(1), 'RuntimeError', 'No JVP defined');
    fails(() => grad(customJvp(x => x).defjvp(() => 1))(1), 'TypeError', 'must produce a pair');
    fails(() => grad(customJvp(x => x).defjvp(([x]) => [x, [x]]))(1), 'TypeError', 'equal container');
});
test('customVjp', () => {
    const f = customVjp((x, y) => np.sin(x).mul(y));
    f.defvjp((x, y) => [f(x, y), {c: np.cos(x), y}], (r, g) => [r.c.mul(g).mul(r.y), null]);
    close([f(0, 3), grad(f)(0, 3), grad(f, {argnums: 1})(0, 3), jit(grad(f))(0, 3), grad(jit(f))(0, 3)], [0, 3, 0,
        3, 3]);
    const clip = customVjp((lo, hi, x) => x, {nondiffArgnums: [0, 1]});
    clip.defvjp((lo, hi, x) => [x, null], (lo, hi, _, g) => [np.minimum(np.maximum(g, lo), hi)]);
    close(grad(x => np.sum(clip(-1, 1, x).mul(array([5, -5, .5]))))(array([1, 1, 1])), [1, -1, .5]);
    fails(() => grad(customVjp(x => x).defvjp(x => [x, []], (r, g) => g))(1), 'TypeError', 'bwd rule must produce');
    fails(() => grad(customVjp(x => x).defvjp(x => x, (r, g) => [g]))(1), 'TypeError', 'must produce a pair');
    fails(() => grad(customVjp(x => x).defvjp(x => [x, []], (r, g) => [np.ones([2])]))(1), 'ValueError', 'float32[2]');
    fails(() => jvp(f, [1, 2], [1, 1]), 'TypeError');
});
test('customGradient', () => close(grad(customGradient(x => [x.mul(x), g => g.mul(x)]))(3), 3));
test('a rule is called after what was recorded with it, while others come and go', async () => {
    const f = customVjp(x => x.mul(2)).defvjp(x => [x.mul(2), x], (x, g) => [g.mul(x)]);
    const g = jit(x => f(x));
    close(g(5), 10);
    await collect();
    close([grad(g)(5), grad(x => g(x).add(g(x)))(5)], [5, 10]);
});

// ---- memory
test('10^4 gradients of new functions in one turn leave nothing', () => {
    const x = array([1, 2, 3]);
    const step = i => grad(v => np.sum(np.sin(v).mul(i)))(x).dispose();
    for (let i = 0; i < 200; i++) step(i);
    const before = [live(), memory()];
    for (let i = 0; i < 10000; i++) step(i);
    assert.deepEqual([live(), memory()], before);
});
test('jitted functions that nobody has are forgotten', async () => {
    const x = array([1, 2, 3]), round = async n => {
        for (let i = 0; i < n; i++) jit(v => v.mul(i % 10).add(1))(x).dispose();
        await collect();
    };
    for (let i = 0; i < 3; i++) await round(500);
    await collect();
    const before = live(), bytes = memory();
    for (let i = 0; i < 10; i++) await round(500);
    await collect();
    assert.equal(live(), before);
    assert.ok(memory() - bytes <= 1 << 20, `${memory() - bytes} bytes more`);
});
