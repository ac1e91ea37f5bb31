// SPDX-License-Identifier: Apache-2.0
// jaxpr.test.mjs -- jaxprs as values. The texts are those that JAX 0.9 prints for the same functions.
import assert from 'node:assert/strict';
import {close, fails, kiln, test} from './check.mjs';

const {np, lax, grad, jit, vmap, Jaxpr, makeJaxpr, ShapeDtypeStruct} = kiln;
const vector = new ShapeDtypeStruct([3], 'float32'), scalar = new ShapeDtypeStruct([], 'float32');
const squeeze = text => String(text).replace(/\s+/g, ' ');
const is = (jaxpr, text) => assert.equal(squeeze(jaxpr), squeeze(text));

test('texts as JAX has them', () => {
    is(makeJaxpr(x => np.sin(x).mul(2))(vector), '{ lambda ; a:f32[3]. let b:f32[3] = sin a; c:f32[3] = mul b ' +
        '2.0:f32[] in (c,) }');
    is(makeJaxpr(vmap((a, b) => np.dot(a, b)))(np.ones([2, 3]), np.ones([2, 3])), `{ lambda ; a:f32[2,3] b:f32[2,3]. let
        c:f32[2] = dot_general[ dimension_numbers=(([1], [1]), ([0],
            [0])) preferred_element_type=float32 ] a b in (c,) }`);
    is(makeJaxpr(x => lax.whileLoop(v => v.less(10), v => v.mul(2), x))(scalar), `{ lambda ; a:f32[]. let
        b:f32[] = while[ body_jaxpr={ lambda ; c:f32[]. let d:f32[] = mul c 2.0:f32[] in (d,) } body_nconsts=0
        cond_jaxpr={ lambda ; e:f32[]. let f:bool[] = lt e 10.0:f32[] in (f,) } cond_nconsts=0 ] a in (b,) }`);
    is(makeJaxpr(x => lax.cond(x.greater(0), v => np.sin(v), v => np.cos(v), x))(scalar), `{ lambda ; a:f32[]. let
        b:bool[] = gt a 0.0:f32[] c:i32[] = convert_element_type[new_dtype=int32 weak_type=False] b
        d:f32[] = cond[ branches=( { lambda ; e:f32[]. let f:f32[] = cos e in (f,) } { lambda ; g:f32[]. let h:f32[] = sin g in (h,) } ) ] c a
        in (d,) }`);
    is(makeJaxpr(x => lax.scan((c, a) => [c.add(a), c.mul(a)], 0.0, x))(vector), `{ lambda ; a:f32[3]. let
        b:f32[] c:f32[3] = scan[ jaxpr={ lambda ; d:f32[] e:f32[]. let f:f32[] = add d e g:f32[] = mul d e in (f, g) }
        length=3 num_carry=1 num_consts=0 reverse=False unroll=1 ] 0.0:f32[] a in (b, c) }`);
});
test('equations are walked', () => {
    const k = np.array([1, 2, 3]), jaxpr = makeJaxpr(x => ({y:
        jit(function inner(v) { return np.sin(v).mul(2.5); })(x).add(k)}))(vector);
    assert.deepEqual(jaxpr.eqns.map(e => e.primitive), ['jit', 'add']);
    const [call, add] = jaxpr.eqns, [inner] = call.jaxprs;
    assert.match(call.params, /name=inner/);
    assert.equal(add.invars[0].number, call.outvars[0].number);
    assert.deepEqual(inner.eqns.map(e => e.primitive), ['sin', 'mul']);
    assert.equal(inner.eqns[1].invars[1].val, 2.5);
    assert.equal(String(jaxpr.inAvals), 'float32[3]');
    assert.equal(String(jaxpr.outAvals), 'float32[3]');
    assert.equal(jaxpr.constvars.length, 1);
    close(jaxpr.consts, [[1, 2, 3]]);
    assert.match(add.place.file, /jaxpr\.test\.mjs$/);
    assert.equal(String(jaxpr.treedef), 'JsTreeDef({y: *})');
    assert.equal(jaxpr.jaxpr, jaxpr);
});
test('it runs', () => {
    const k = np.array([10, 20, 30]), jaxpr = makeJaxpr((x, y) => [x.mul(y).add(k), np.sum(x)])(vector, scalar);
    close(jaxpr.eval(np.array([1, 2, 3]), 2), [[12, 24, 36], 6]);
    close(jaxpr.evalWith([np.zeros([3])], np.array([1, 2, 3]), 2), [[2, 4, 6], 6]);
    close(grad(x => jaxpr.eval(x, 2)[0].sum())(np.array([1, 2, 3])), [2, 2, 2]);
    fails(() => jaxpr.eval(1), 'TypeError', 'takes 2 arguments, but 1 were given');
    const many = makeJaxpr((...xs) => xs.reduce((a, b) => a.add(b)))(...Array(12).fill(scalar));
    close(many.eval(...Array(12).fill(1)), [12]);
});
test('forms, parsing, equality', () => {
    const f = x => np.sin(x).mul(2), a = makeJaxpr(f)(vector), b = makeJaxpr(f)(vector), c = makeJaxpr(f)(scalar);
    assert.ok(a.equals(b) && !a.equals(c));
    assert.ok(Jaxpr.parse(a.text('full')).equals(a));
    assert.match(a.text('classic'), /lambda ; a\.\s+let b = sin a/);
    fails(() => a.text('other'), 'ValueError', 'form has to be');
    assert.match(a.graphviz(), /digraph/);
    assert.ok(a.program().length > 10);
});
test('options', () => {
    is(makeJaxpr((x, n) => (n > 1 ? x : x.neg()), {staticArgnums: 1})(scalar, 2), '{ lambda ; a:f32[]. let in (a,) }');
    const [, shapes] = makeJaxpr(x => ({a: x}), {returnShape: true})(vector);
    assert.deepEqual(shapes.a.shape, [3]);
    fails(() => makeJaxpr(x => x, {statics: 1}), 'TypeError', "unexpected argument 'statics'");
    const s = makeJaxpr(x => x.mul(2), {symbolic: 'n'})(vector);
    assert.match(String(s), /f32\[n\]/);
});
test('dispose', () => {
    const jaxpr = makeJaxpr(x => x.mul(2))(vector);
    jaxpr.eval(np.ones([3]));
    jaxpr.dispose();
    jaxpr.dispose();
    fails(() => jaxpr.text(), 'ValueError', 'disposed');
});
