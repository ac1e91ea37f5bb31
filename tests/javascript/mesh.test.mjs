// SPDX-License-Identifier: Apache-2.0
// mesh.test.mjs -- meshes, specs, shardings, shardMap and pmap, which are worked out for all devices together here. What
// numbers and texts have to be is JAX's (tests of Python run the same with eight devices).
import assert from 'node:assert/strict';
import test from 'node:test';
import {close, is, kiln, np} from './support.mjs';

const {devicePut, grad, jit, lax, makeJaxpr, makeMesh, Mesh, NamedSharding, P, PartitionSpec, pmap, shardMap, tree, vmap} = kiln;
const XY = new Mesh([4, 2], ['x', 'y']), A = np.arange(24).reshape([8, 3]).astype('float32');
const on = (...spec) => new NamedSharding(XY, P(...spec));

test('texts are those of JAX', () => {
    const texts = [[P(), 'P()'], [P('x'), "P('x',)"], [P('x', null), "P('x', None)"], [P(['x', 'y']), "P(('x', 'y'),)"],
        [P(null, ['x', 'y'], null), "P(None, ('x', 'y'), None)"], [P(['x']), "P('x',)"]];
    for (const [spec, text] of texts) assert.equal(`${spec}`, text);
    assert.equal(`${XY}`, "Mesh('x': 4, 'y': 2, axis_types=(Auto, Auto))");
    assert.equal(`${makeMesh(8, 'i')}`, "Mesh('i': 8, axis_types=(Auto,))");
    assert.equal(`${on('x', null)}`, "NamedSharding(mesh=Mesh('x': 4, 'y': 2, axis_types=(Auto, Auto)), spec=P('x', None), " +
        'memory_kind=device)');
});
test('specs and meshes tell their parts', () => {
    assert.deepEqual([...P('x', null, ['x', 'y'])], ['x', null, ['x', 'y']]);
    assert.ok(P('x') instanceof PartitionSpec && P('x').equals(P(['x'])) && !P('x').equals(P('x', null)));
    assert.deepEqual([XY.shape, XY.size, [...XY.axisNames]], [{x: 4, y: 2}, 8, ['x', 'y']]);
    assert.ok(XY.equals(makeMesh([4, 2], ['x', 'y'])) && !XY.equals(makeMesh([2, 4], ['x', 'y'])));
    assert.deepEqual(on('x', 'y').shardShape([8, 3]), [2, 2]);
    assert.deepEqual(on(['x', 'y']).shardShape([8, 3]), [1, 3]);
});
test('what is no mesh, spec or sharding', () => {
    assert.throws(() => new Mesh([4], ['x', 'y']), /Length of axis_names/);
    assert.throws(() => new Mesh([4, 2], ['x', 'x']), /two axes of a mesh are named 'x'/);
    assert.throws(() => new Mesh([0], ['x']), /positive integers/);
    assert.throws(() => new Mesh([1], ['a b']), /cannot be the name/);
    assert.throws(() => new Mesh([1], [3]), /have to be texts/);
    assert.throws(() => on('z'), /Resource axis: z of P\('z',\) is not found in mesh: \('x', 'y'\)\./);
    assert.throws(() => on('x', 'x'), /duplicate entries for `x`/);
    assert.throws(() => new NamedSharding(XY, 'x'), /PartitionSpec/);
    assert.throws(() => new NamedSharding(3, P()), /wants a Mesh/);
    assert.throws(() => on('x', null, 'y').shardShape([8, 3]), /rank at least 3/);
});
test('arrays lie on a mesh of one device alone', () => {
    const one = new NamedSharding(new Mesh([1], ['x']), P('x'));
    is(devicePut(A, one).add(1), 'float32', [8, 3], np.arange(24).add(1));
    close(devicePut({a: [A]}, one).a[0], A);
    assert.throws(() => devicePut(A, on('x')), /has no devices for arrays/);
});
test('a constraint stands in jaxprs, and changes nothing', () => {
    const f = x => lax.withShardingConstraint(x.mul(2), on('x'));
    close(f(A), A.mul(2));
    close(jit(f)(A), A.mul(2));
    close(grad(x => f(x).sum())(A), np.full([8, 3], 2));
    assert.match(`${makeJaxpr(f)(A)}`, /sharding_constraint\[/);
    assert.throws(() => lax.withShardingConstraint(A, P('x')), /NamedSharding/);
    assert.throws(() => lax.with_sharding_constraint(A, on('x', null, 'y')), /rank at least 3/);
});

const ring = [[0, 1], [1, 2], [2, 3], [3, 0]];
const sums = A.reshape([4, 2, 3]).sum(0);
const bodies = {
    psum: [a => lax.psum(a, 'x'), P('x'), P(), () => sums],
    pmean: [a => lax.pmean(a, 'x'), P('x'), P(), () => sums.div(4)],
    pmax: [a => lax.pmax(a, 'x'), P('x'), P(), () => A.reshape([4, 2, 3]).max(0)],
    ppermute: [a => lax.ppermute(a, 'x', ring), P('x'), P('x'), () => np.roll(A, 2, 0)],
    allGather: [a => lax.allGather(a, 'x', {tiled: true}), P('x'), P('x'), () => np.tile(A, [4, 1])],
    allToAll: [a => lax.allToAll(a, 'x', 0, 1, {tiled: true}), P(null, 'x'), P('x'), null],
    axisIndex: [a => a.mul(0).add(lax.axisIndex('x')), P('x'), P('x'), () => np.repeat(np.arange(4), 6).reshape([8, 3])],
    trees: [a => ({s: lax.psum(a, 'x'), r: [a, a.mul(2)]}), P('x'), {s: P(), r: P('x')}, () => ({s: sums, r: [A, A.mul(2)]})],
};
for (const [name, [f, inSpecs, outSpecs, want]] of Object.entries(bodies))
    test(`shardMap of ${name}, also compiled and as a gradient`, () => {
        const x = name === 'allToAll' ? np.arange(32).reshape([4, 8]).astype('float32') : A;
        const g = shardMap(f, {mesh: XY, inSpecs, outSpecs}), y = g(x);
        const expected = want ? want() : x;
        tree.leaves(y).forEach((leaf, i) => close(leaf, tree.leaves(expected)[i]));
        tree.leaves(jit(g)(x)).forEach((leaf, i) => close(leaf, tree.leaves(y)[i]));
        if (!['pmax', 'axisIndex'].includes(name)) {
            const total = a => tree.leaves(g(a)).reduce((s, leaf) => s.add(leaf.mul(leaf).sum()), np.array(0));
            assert.deepEqual([...grad(total)(x).shape], [...x.shape]);
        }
    });
test('a product whose inner axis is cut', () => {
    const a = np.arange(32).reshape([8, 4]).astype('float32'), b = np.arange(8).reshape([4, 2]).astype('float32');
    const f = shardMap((p, q) => lax.psum(np.matmul(p, q), 'y'), {mesh: XY, inSpecs: [P('x', 'y'), P('y')], outSpecs: P('x')});
    close(f(a, b), np.matmul(a, b));
    close(vmap(f, [0, null])(np.stack([a, a.mul(2)]), b), np.stack([np.matmul(a, b), np.matmul(a, b).mul(2)]));
});
test('the jaxpr of shardMap', () => {
    const f = kiln.shard_map(a => lax.psum(a, 'x'), {mesh: XY, in_specs: P('x'), out_specs: P(), check_vma: false});
    assert.equal(`${makeJaxpr(f)(A)}`, `{ lambda ; a:f32[8,3]. let
    b:f32[2,3] = shard_map[
      check_vma=False
      in_specs=(P('x',),)
      jaxpr={ lambda ; c:f32[2,3]. let
          d:f32[2,3] = psum[axes=('x',) axis_index_groups=None] c
        in (d,) }
      mesh=Mesh('x': 4, 'y': 2, axis_types=(Auto, Auto))
      newly_manual_axes=frozenset({'x', 'y'})
      out_specs=(P(),)
    ] a
  in (b,) }`);
});
test('specs that do not fit', () => {
    const id = a => a, run = (inSpecs, outSpecs, f = id) => shardMap(f, {mesh: XY, inSpecs, outSpecs})(A);
    assert.throws(() => run(P('z'), P()), /inSpecs refers to 'z'/);
    assert.throws(() => run(P('x'), P('z')), /outSpecs refers to 'z'/);
    assert.throws(() => run(P('x'), P()), /out_specs is P\(\) which implies/);
    assert.throws(() => run(P(null, 'x'), P()), /4 does not evenly divide 3/);
    assert.throws(() => run(P('x', null, 'y'), P()), /rank 2/);
    assert.throws(() => run([P('x'), P()], P()), /tree prefix/);
    assert.throws(() => run(P('x'), [P('x')], a => [a, a]), /tree prefix/);
    assert.throws(() => run('x', P()), /PartitionSpec/);
    assert.throws(() => shardMap(id, {inSpecs: P(), outSpecs: P()}), /wants a Mesh/);
    assert.throws(() => shardMap(id, {mesh: XY, inSpecs: P(), outSpecs: P(), axes: 1}), /unexpected argument 'axes'/);
    assert.throws(() => run(P('x'), P('x'), () => { throw new RangeError('mine'); }), /mine/);
    assert.throws(() => run(P('x'), P('x'), a => lax.psum(a, 'z')), /z/);
});
test('pmap is a compiled vmap', () => {
    const v = np.array([1, 3]);
    close(pmap(a => a.div(lax.psum(a, 'i')), 'i')(v), [0.25, 0.75]);
    close(pmap((a, b) => a.mul(b), null, {inAxes: [0, null]})(v, 3), [3, 9]);
    close(pmap(a => a.mul(2), {inAxes: 1, outAxes: 1})(A), A.mul(2));
    let recorded = 0;
    const f = pmap(a => { recorded++; return a.add(1); });
    close(f(v), [2, 4]);
    close(f(v.mul(2)), [3, 7]);
    assert.equal(recorded, 1);
    assert.match(`${makeJaxpr(pmap(a => lax.psum(a, 'i'), 'i'))(v)}`, /xla_pmap\[/);
    assert.throws(() => pmap(a => a, {axis: 1}), /unexpected argument 'axis'/);
});
