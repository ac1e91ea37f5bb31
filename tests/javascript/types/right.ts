// SPDX-License-Identifier: Apache-2.0
// right.ts -- programs that have to compile under tsc --strict.
import {Array, debug, DType, grad, hessian, init, io, jacrev, jit, jvp, keep, lax, makeJaxpr, liveCount, nn, np, numpy, ops, scipy, settings, Slice, tidy, tree, valueAndGrad, vjp,
    vmap, KilnError, ValueError} from "kiln-arrays";

await init({fma: "exact"});
const x: Array = np.array([[1, 2], [3, 4]], {dtype: np.float32});
const y: Array = np.sum(x, 0), z: Array = np.sum(x, {axis: [0, 1], keepdims: true}), w: Array = np.sum(x, null, "float64", {keepdims: true});
const shape: readonly number[] = x.shape;
const n: number = np.ndim(x), ok: boolean = np.allclose(x, [[1, 2], [3, 4]]);
const [values, edges] = np.histogram(y, {bins: 4});
const [q, r] = np.linalg.eigh(x);
const {eigenvalues} = np.linalg.eigh(x);
const parts: Array[] = np.split(np.arange(6), 2);
const stacked = np.stack([x, x.ref], 1).reshape([2, -1]).slice([], [0, 2], null, "...").at(0).add(1);
const mixed = np.where(x.greater(2), x, 0).mul(2).add(new Float32Array([1, 2])).iadd(1);
np.add.reduce(x, 0).item();
np.expand_dims(x, 0);
np.broadcastTo(x, [3, 2, 2]);
np.concatenate([x, [[5, 6]]], {axis: 0});
np.einsum("ij,jk->ik", x, x, {optimize: false});
np.meshgrid([1, 2], [3, 4], {indexing: "ij"});
np.pad(x, [[1, 1], [0, 0]], {mode: "edge"});
np.clip(x, 0, 1);
np.finfo("float32").eps.toFixed();
np.r_(new Slice(0, 3), 5);
np.poly1d([1, 2]).mul(np.poly1d([1])).at(3);
np.printoptions({precision: 3}, () => String(x));
const total: number = tidy(() => np.square(x).sum().item());
keep(x).dispose();

// functions of trees
interface Params { w: Array; b: Array; layers: {scale: Array}[] }
const loss = (p: Params, a: Array) => nn.relu(a.matmul(p.w).add(p.b)).mul(p.layers[0].scale).mean();
const params: Params = {w: np.ones([2, 2]), b: np.zeros(2), layers: [{scale: np.ones(2)}]};
const g: Params = grad(loss)(params, x);
const [l, gs]: [Array, Params] = valueAndGrad(loss)(params, x);
const [g0, g1]: [Params, Array] = grad(loss, {argnums: [0, 1]})(params, x);
const gx: Array = grad(loss, {argnums: 1})(params, x);
const [ga, aux]: [Array, {s: Array}] = grad((a: Array): [Array, {s: Array}] => [a.sum(), {s: a}], {hasAux: true})(x);
const fast = jit((a: Array, b: Array) => ({sum: a.add(b)}), {staticArgnums: []});
const out: Array = fast([1, 2], 3).sum;
const hypot = jit(function hypot(a: Array, b: Array) { return np.sqrt(np.square(a).add(np.square(b))); });
hypot(x, 2).js();
const [value, pull] = vjp(loss, [params, x]);
const [gp, gq]: [Params, Array] = pull(1);
const [primal, tangent]: [Array, Array] = jvp((a: Array) => np.sin(a), [x], [np.ones([2, 2])]);
const batched: Array = vmap((a: Array, b: Array) => a.mul(b), [0, null])(x, 2);
const h: Array = hessian((a: Array) => a.mul(a).sum())(y), j: Array = jacrev((a: Array) => a.mul(a))(y);
const [carry, ys]: [Array, Array] = lax.scan((c: Array, a: Array): [Array, Array] => [c.add(a), c], 0, x);
const counted: Array = lax.foriLoop(0, 3, (i: Array, c: Array) => c.add(i), 0);
const text: string = makeJaxpr((a: Array) => a.add(1))(x).toString();
debug.print("{}", value);
const tensors: {[name: string]: Array} = await io.safetensors.load(new Uint8Array(0));
const cached = await io.cache.get('https://example.org/x', {sha256: '0', onProgress: p => p.loadedBytes + (p.totalBytes ?? 0)});
const file = await io.safetensors.open(cached, {float8: null}), rows: Array = await file.rows('x', 0, file.info('x').shape[0]);
const archive = await io.npz.load(new Blob([]), {maxBytes: 100}), member: Uint8Array = await archive.bytes('x');
await io.npy.save(new WritableStream(), [1, 2], {version: 2});
await np.savez('x', {a: rows, b: [1]}, {compress: true});
void member;
console.log(gp, gq, primal, tangent, batched, h, j, carry, ys, counted, text, tensors);
const mapped = tree.map((a: Array) => a.mul(2), params);
const special: Array = scipy.special.erf(x);
const made: Array = lax.concatenate([x, x], 0);
const segments: Array = ops.segmentSum([1, 2, 3], new Int32Array([0, 0, 1]));
const d: DType = x.dtype;
const data: Float32Array = await x.data();
try {
    numpy.reshape(x, [3]);
} catch (e) {
    if (e instanceof ValueError) console.log(e.file, e.line, e instanceof KilnError);
}
settings.lines = false;
for (const row of x) row.sum().toString();
console.log(shape, n, ok, values, edges, q, r, eigenvalues, parts, stacked, mixed, total, g, l, gs, g0, g1, gx, ga, aux, out, mapped,
    special, made, segments, d, data, z, w, liveCount());

// optimizers
import {adamw, applyUpdates} from "kiln-arrays/optim";
import {optim, random} from "kiln-arrays";
const o = optim.chain(optim.clipByGlobalNorm(1), adamw(optim.cosineDecaySchedule(0.1, 100), {weightDecay: 1e-4}));
const [moved, after] = o.update(params, o.init(params), params);
const newParams: Params = applyUpdates(params, moved);
optim.adam(step => 0.1 * step).update(x, after, null, {value: 3});
optim.sgd({learningRate: 0.1, momentum: 0.9}), optim.sgd(0.1, 0.9, true), new optim.MultiSteps(o, 4);
const key: Array = random.key(0), [k1, k2] = random.split(key), sample: Array = random.normal(k1, [2, 3], {dtype: "float32"});
const kernel: Array = nn.initializers.heNormal({inAxis: 0})(k2, [3, 4]), attended: Array = nn.dotProductAttention(x, x, x, {isCausal: true});

// meshes
import {devicePut, Mesh, NamedSharding, P, PartitionSpec, makeMesh, pmap, shardMap} from "kiln-arrays";
const mesh: Mesh = makeMesh([4, 2], ['x', 'y']), spec: PartitionSpec = P('x', null, ['y']), onMesh = new NamedSharding(mesh, spec);
const shared: Array = shardMap((a: Array) => lax.psum(a, 'x'), {mesh, inSpecs: P('x'), outSpecs: P()})(x);
const lanes: Array = pmap((a: Array) => a.mul(2), 'i', {inAxes: 0})(x);
const lying: Array = lax.withShardingConstraint(devicePut(x, onMesh), onMesh);
console.log(mesh.shape.x + mesh.size, [...spec], onMesh.shardShape([8, 3])[0], shared, lanes, lying);
