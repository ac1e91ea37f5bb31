// SPDX-License-Identifier: Apache-2.0
// webgpu.test.mjs -- the package with the device webgpu:0, in Node by the package `webgpu` of npm, which KILN_WASM_WEBGPU
// names (bindings/javascript/run.mjs). Expected values are NumPy's.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
const {defaultDevice, devicePut, devices, gpuBuffer, grad, init, jit, np, onDevice, random, whyNoWebGPU} =
    await import(new URL(`${process.env.KILN_PACKAGE ?? '../../build/wasm/package'}/kiln/index.js`, import.meta.url));

const skip = process.env.KILN_WASM_WEBGPU ? false : 'KILN_WASM_WEBGPU is not set';
const suspends = typeof WebAssembly.Suspending === 'function';
let gpu;

before(async () => {
    if (skip) return;
    const {create, globals} = await import(process.env.KILN_WASM_WEBGPU);
    Object.assign(globalThis, globals);
    gpu = create([]);
    const names = await init({devices: ['webgpu'], webgpu: {gpu}, env: {KILN_WEBGPU_EXACT: '1'}});
    assert.deepEqual(names, ['host', 'webgpu:0']);
});
after(() => skip || setTimeout(() => process.exit(), 100).unref()); // its driver has threads

test('devices are told by name', {skip}, () => {
    assert.deepEqual(devices(), ['host', 'webgpu:0']);
    assert.equal(whyNoWebGPU(), '');
    assert.equal(defaultDevice(), 'host');
    assert.equal(defaultDevice('webgpu'), 'webgpu:0');
    assert.equal(np.ones([3]).device, 'webgpu:0');
    assert.equal(defaultDevice('wasm'), 'host');
    assert.equal(onDevice('webgpu:0', () => defaultDevice()), 'webgpu:0');
    assert.equal(defaultDevice(), 'host');
    assert.throws(() => defaultDevice('webgpu:7'), /ValueError.*no device 'webgpu:7'|no device 'webgpu:7'/);
});

test('arrays that are put there are computed with there, and read with await', {skip}, async () => {
    const x = devicePut(np.arange(0, 5, 1).astype('float32'), 'webgpu');
    assert.equal(x.device, 'webgpu:0');
    const y = x.mul(x).add(0.5);
    assert.equal(y.device, 'webgpu:0');
    assert.deepEqual([...await y.data()], [0.5, 1.5, 4.5, 9.5, 16.5]);
    assert.deepEqual(await x.sum().jsAsync(), 10);
});

test('trees go there', {skip}, () => {
    const {a, b} = devicePut({a: np.ones([2]), b: [1, 2]}, 'webgpu');
    assert.equal(a.device, 'webgpu:0');
    assert.equal(b[0].device, 'webgpu:0');
});

test('who looks without await has an error that says so', {skip}, async () => {
    const y = devicePut(np.ones([3]), 'webgpu').mul(2);
    assert.throws(() => y.dataSync(), /webgpu:0.*is to be waited for.*await/);
    assert.deepEqual([...await y.data()], [2, 2, 2]);
    assert.deepEqual([...y.dataSync()], [2, 2, 2]);
});

test('many reads are under way at once', {skip}, async () => {
    const x = devicePut(np.arange(0, 4, 1).astype('float32'), 'webgpu');
    const all = await Promise.all(Array.from({length: 20}, (_, i) => x.add(i).data()));
    all.forEach((data, i) => assert.deepEqual([...data], [i, i + 1, i + 2, i + 3]));
});

test('training there is the host\'s, bit for bit', {skip}, async () => {
    const loss = (w, x, y) => np.mean(np.square(np.tanh(np.matmul(x, w)).sub(y)));
    const learn = async device => {
        const key = random.key(3);
        let w = devicePut(random.normal(key, [8, 4]), device);
        const x = devicePut(random.normal(random.key(4), [32, 8]), device);
        const y = devicePut(np.tanh(random.normal(random.key(5), [32, 4])), device);
        const step = jit((w, x, y) => w.sub(grad(loss)(w, x, y).mul(0.3)));
        for (let i = 0; i < 10; i++) w = step(w, x, y);
        assert.equal(w.device, device);
        return new Uint8Array((await w.data()).buffer);
    };
    assert.deepEqual(await learn('webgpu:0'), await learn('host'));
});

test('what the device cannot do the host does, in an awaited call', {skip: skip || !suspends}, async () => {
    const x = devicePut(np.arange(0, 8, 1).astype('float32'), 'webgpu').mul(2);
    const y = np.fft.fft(x);
    assert.deepEqual(await np.real(y).jsAsync(), [56, -8, -8, -8, -8, -8, -8, -8]);
});

test('indices outside are told of with the line of the operation', {skip}, async () => {
    const x = devicePut(np.arange(0, 4, 1).astype('float32'), 'webgpu');
    const at = devicePut(np.array(Array.from({length: 64}, () => 9)).astype('int32'), 'webgpu');
    const y = np.take(x, at);
    await assert.rejects(y.data(), e => /index 9 is out of bounds for axis 0 with size 4/.test(e.message));
});

test('others find the elements in a buffer of the device', {skip}, async () => {
    const x = devicePut(np.arange(0, 8, 1).astype('float32'), 'webgpu').mul(2);
    const {device, buffer, offset, bytes} = gpuBuffer(x);
    assert.equal(bytes, 32);
    const read = device.createBuffer({size: bytes, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST});
    const commands = device.createCommandEncoder();
    commands.copyBufferToBuffer(buffer, offset, read, 0, bytes);
    device.queue.submit([commands.finish()]);
    await read.mapAsync(GPUMapMode.READ);
    assert.deepEqual([...new Float32Array(read.getMappedRange())], [0, 2, 4, 6, 8, 10, 12, 14]);
    assert.throws(() => gpuBuffer(np.ones([2])), /the array is on host, which has no handles/);
});

test('blockUntilReady waits for the device', {skip}, async () => {
    const x = devicePut(np.ones([64, 64]), 'webgpu');
    const y = np.matmul(x, x);
    assert.equal(await y.blockUntilReady(), y);
    assert.equal((await y.data())[5], 64);
});
