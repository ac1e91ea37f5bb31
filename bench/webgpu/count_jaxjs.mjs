// SPDX-License-Identifier: Apache-2.0
// count_jaxjs.mjs -- how many dispatches, pipelines and submits jax-js needs for a training step, for docs/devices.md.
// In a folder with npm's packages `@jax-js/jax` and `webgpu`, and a Vulkan driver that Dawn takes (SwiftShader):
//     VK_DRIVER_FILES=/usr/lib/chromium/vk_swiftshader_icd.json node count_jaxjs.mjs
import { create, globals } from 'webgpu';
Object.assign(globalThis, globals);
const counts = {dispatch: 0, pipelines: 0, submits: 0, copies: 0};
const gpu = create(process.env.DAWN ? process.env.DAWN.split(' ') : []);
Object.defineProperty(globalThis, 'navigator', {value: {gpu, userAgent: 'node'}, configurable: true});
const hook = (cls, name, key) => { const f = cls.prototype[name]; cls.prototype[name] = function (...a) { counts[key]++; return f.apply(this, a); }; };
hook(GPUComputePassEncoder, 'dispatchWorkgroups', 'dispatch');
hook(GPUDevice, 'createComputePipeline', 'pipelines');
hook(GPUDevice, 'createComputePipelineAsync', 'pipelines');
hook(GPUQueue, 'submit', 'submits');
hook(GPUCommandEncoder, 'copyBufferToBuffer', 'copies');
const jax = await import('@jax-js/jax');
const {init, defaultDevice, numpy: np, nn, jit, valueAndGrad, blockUntilReady, tree} = jax;
await init('webgpu');
defaultDevice('webgpu');
const W = (r, c, s) => np.sin(np.arange(r * c).astype(np.float32).mul(1.7)).mul(s).reshape([r, c]);
const loss = (net, images, labels) => {
  const h = nn.relu(np.matmul(images, net.w1).add(net.b1));
  const logp = nn.logSoftmax(np.matmul(h, net.w2).add(net.b2), -1);
  return logp.mul(nn.oneHot(labels, 10)).sum(-1).mean().mul(-1);
};
const net = () => ({w1: W(64, 128, 0.15), b1: np.zeros([128]), w2: W(128, 10, 0.1), b2: np.zeros([10])});
const images = () => np.sin(np.arange(128 * 64).astype(np.float32)).reshape([128, 64]), labels = () => np.zeros([128]).astype(np.int32);
const count = async (what, f) => {
  await f(); await f();
  for (const k in counts) counts[k] = 0;
  await f();
  console.log(what, JSON.stringify(counts));
};
const step = jit(valueAndGrad(loss));
const n = net(); 
await count('value and gradient, jitted', async () => { const r = step(tree.ref(n), images(), labels()); await blockUntilReady(r); });
const eager = valueAndGrad(loss);
await count('inputs alone', async () => { await blockUntilReady([images(), labels()]); });
await count('value and gradient, eager', async () => { const r = eager(tree.ref(n), images(), labels()); await blockUntilReady(r); });
const soft = jit(x => nn.softmax(x, -1));
const X = np.ones([128, 64]); await blockUntilReady(X);
await count('softmax', async () => { await blockUntilReady(soft(X.ref)); });
const sgd = jit((net, images, labels) => {
  const [v, g] = valueAndGrad(loss)(tree.ref(net), images, labels);
  return [v, tree.map((p, d) => p.sub(d.mul(0.01)), net, g)];
});
const ii = images(), ll = labels(); await blockUntilReady([ii, ll]);
await count('SGD step in one jit', async () => { await blockUntilReady(sgd(tree.ref(n), ii.ref, ll.ref)); });
process.exit(0);
