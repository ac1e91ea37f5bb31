// SPDX-License-Identifier: Apache-2.0
// webgl.test.mjs -- the package with the device webgl:0, in browsers that have WebGL 2 in a Worker (tests/web/package.mjs).
// The host is the referee: integers to the bit, floats to some units of the last place; what is exact in float32 is NumPy's.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {kiln, load} from './support.mjs';
const {defaultDevice, devicePut, devices, grad, init, jit, lax, nn, np, onDevice, scipy, tidy, whyNoWebGL} = kiln;

await init({devices: ['webgl']});
const {engine} = await load('kiln/engine.js');
const skip = whyNoWebGL() || false;

const sines = (...shape) => np.sin(np.arange(0, shape.reduce((a, b) => a * b, 1), 1).astype('float32')).reshape(shape);
const numbers = x => [x.js()].flat(9).flatMap(v => (typeof v === 'object' ? [v.re, v.im] : [v]));

/** f of arrays there is what it is on the host. */
function same(f, ...operands) {
    const want = f(...operands), got = f(...operands.map(x => devicePut(x, 'webgl')));
    assert.equal(got.device, 'webgl:0');
    assert.equal(got.dtype, want.dtype);
    assert.deepEqual([...got.shape], [...want.shape]);
    const a = numbers(got), b = numbers(want);
    a.forEach((x, i) => {
        const near = Object.is(x, b[i]) || x === b[i] || Math.abs(x - b[i]) <= 1e-6 * Math.abs(b[i]);
        assert.ok(near, `${x} instead of ${b[i]} at ${i}`);
    });
}

test('the device has its name', {skip}, () => {
    assert.deepEqual(devices(), ['host', 'webgl:0']);
    assert.equal(defaultDevice(), 'host');
    assert.equal(onDevice('webgl', () => np.ones([3]).device), 'webgl:0');
    assert.throws(() => defaultDevice('webgl:1'), /no device 'webgl:1'/);
});

test('arrays are computed with there, and read at once', {skip}, () => {
    const x = devicePut(np.arange(0, 5, 1).astype('float32'), 'webgl'), y = x.mul(x).add(0.5);
    assert.equal(y.device, 'webgl:0');
    assert.deepEqual(y.js(), [0.5, 1.5, 4.5, 9.5, 16.5]);
    assert.equal(x.sum().item(), 10);
    assert.deepEqual([...x.add(1).dataSync()], [1, 2, 3, 4, 5]);
});

test('views and outputs of any layout', {skip}, () => {
    same((x, y) => x.mul(y), sines(7, 5), sines(5));
    same(x => np.transpose(x).add(1), sines(7, 5));
    same(x => np.flip(x, 0).add(1), sines(7, 5));
    same(x => np.concatenate([x, x.mul(2)]), sines(10, 3));
    same(x => np.concatenate([np.greater(x, 0), np.less(x, 0)]), sines(7)); // bools of one word in two parts
});

test('all dtypes that it has', {skip}, () => {
    const all = 'bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 complex64'.split(' ');
    for (const d of all) {
        same(x => x.mul(100).astype(d), sines(77));
        same(x => np.add(x, x), sines(77).mul(100).astype(d));
        same(x => np.sum(x), sines(77).mul(100).astype(d));
    }
    same(x => x.mul(x).mul(12345678901n), np.arange(0, 50, 1).astype('int64'));
    same(x => np.floor_divide(x, 7), np.arange(-50, 50, 1).astype('int32'));
    same(x => np.remainder(x, 7), np.arange(-50, 50, 1).astype('int64'));
});

test('float64 stays on the host, and belongs to the device', {skip}, () => {
    const x = devicePut(np.arange(0, 3, 1).astype('float64'), 'webgl').div(3);
    assert.equal(x.device, 'webgl:0');
    assert.deepEqual(x.js(), [0, 1 / 3, 2 / 3]);
});

test('functions are the programs of the kernel', {skip}, () => {
    for (const f of [np.exp, np.tanh, np.sin, np.log1p, np.sqrt, np.cbrt, scipy.special.erf]) same(x => f(np.abs(x)), sines(300));
    same(x => np.power(np.abs(x), 2.5), sines(300));
    same(x => np.fmod(x, 0.3), sines(300));
    same(x => np.divide(1, x), sines(300).add(2));
});

test('reductions join in the order of the host: equal to the bit where sums round', {skip}, () => {
    const long = sines(100_000), bits = x => new Uint32Array(Float32Array.from([x.item()]).buffer)[0];
    assert.equal(bits(np.sum(devicePut(long, 'webgl'))), bits(np.sum(long)));
    for (const axis of [0, 1]) {
        same(x => np.sum(x, {axis}), sines(30, 40));
        same(x => np.max(x, {axis}), sines(3, 1000));
        same(x => np.var(x, {axis}), sines(3, 1000));
        same(x => np.prod(x.add(1.5), {axis}), sines(3, 20));
    }
    same(x => nn.softmax(x), sines(30, 300));
    same(x => nn.softmax(x), sines(3, 2000));
});

test('jitted functions, loops and gradients', {skip}, () => {
    same(jit(x => np.sum(np.sin(x).mul(np.exp(x)).add(1))), sines(5000));
    same(jit(x => lax.fori_loop(0, 10, (i, v) => v.mul(1.5).add(1), x)), sines(100));
    same(grad(x => np.sum(np.sin(x).mul(x))), sines(100));
});

test('what it refuses the host does', {skip}, () => {
    same(x => np.sort(x), sines(100));
    same(x => np.matmul(x, np.transpose(x)), sines(10, 30));
    same(x => np.cumsum(x), sines(1000));
    same(x => np.real(np.fft.fft(x)).mul(2), sines(8));
});

test('numbers of the program are copied to arrays there', {skip}, () => onDevice('webgl', () => {
    assert.deepEqual(np.block([[np.ones([1, 1]), np.zeros([1, 1])], [np.zeros([1, 2])]]).js(), [[1, 0], [0, 0]]);
    assert.deepEqual(np.concatenate([np.array([1, 2]), np.array([0]), np.array([7, 8])]).js(), [1, 2, 0, 7, 8]);
}));

test('textures go with their arrays', {skip}, () => {
    const x = devicePut(sines(100), 'webgl');
    const work = () => tidy(() => { for (let i = 0; i < 20; i++) x.mul(i).add(np.sum(x)).js(); });
    work();
    const {objects} = engine.webgl.count;
    work();
    assert.equal(engine.webgl.count.objects, objects);
});

test('a context that is lost is an error of what is there alone', {skip}, () => {
    const x = devicePut(np.arange(0, 3, 1).astype('float32'), 'webgl'), read = x.mul(2), alone = x.add(1);
    read.js();
    engine.exports.kn_eval(alone.handle);
    engine.webgl.context.getExtension('WEBGL_lose_context').loseContext();
    assert.throws(() => alone.js(), /RuntimeError|the WebGL context is lost/);
    assert.throws(() => devicePut(np.ones([3]), 'webgl').mul(3).js(), /the WebGL context is lost/);
    assert.deepEqual(read.js(), [0, 2, 4]);
    assert.match(whyNoWebGL(), /lost/);
    assert.deepEqual(np.ones([3]).mul(3).js(), [3, 3, 3]);
});
