// SPDX-License-Identifier: Apache-2.0
// array.test.mjs -- arrays of values of JavaScript and back, the class Array and jax-js's names, what writes in place.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {close, is, kiln, np} from './support.mjs';

const {Array: KilnArray, Slice, lax, scipy, ops} = kiln;

test('lists of numbers are float32, of truth values bool, of BigInts int64, of complex numbers complex64', () => {
    is(np.array([1, 2.5]), 'float32', [2], [1, 2.5]);
    is(np.array([[true, false]]), 'bool', [1, 2], [true, false]);
    is(np.array([1n, -2n]), 'int64', [2], [1, -2]);
    is(np.array([2n ** 63n]), 'uint64', [1], [2n ** 63n]);
    is(np.array([{re: 1, im: 2}, 3]), 'complex64', [2], [1, 2, 3, 0]);
    is(np.array(5), 'float32', [], [5]);
    is(np.array([]), 'float32', [0], []);
});
test('a typed array keeps its dtype, in and out', () => {
    const all = {int8: Int8Array, int16: Int16Array, int32: Int32Array, uint8: Uint8Array, uint16: Uint16Array,
        uint32: Uint32Array, float32: Float32Array, float64: Float64Array};
    for (const [dtype, Typed] of Object.entries(all)) {
        const x = np.array(new Typed([1, 2, 3]));
        is(x, dtype, [3], [1, 2, 3]);
        assert.deepEqual(x.dataSync(), new Typed([1, 2, 3]));
    }
    assert.deepEqual(np.array(new BigInt64Array([-1n, 2n ** 62n])).dataSync(), new BigInt64Array([-1n, 2n ** 62n]));
    is(np.array(new Float32Array(6), {shape: [2, 3]}), 'float32', [2, 3], new Array(6).fill(0));
    is(np.array(new Float64Array(8).subarray(2, 4)), 'float64', [2], [0, 0]);
});
test('a dtype is applied with one rounding', () => {
    is(np.array([0.1], {dtype: 'float64'}), 'float64', [1], [0.1], {rtol: 0, atol: 0});
    is(np.array([1.9, -1.9], {dtype: 'int32'}), 'int32', [2], [1, -1]);
    is(np.array([2 ** 53], {dtype: 'int64'}), 'int64', [1], [2n ** 53n]);
    assert.throws(() => np.array([300], {dtype: 'uint8'}), {name: 'OverflowError'});
    assert.throws(() => np.array([1], {dtype: 'int3'}), TypeError);
});
test('lists that are no arrays are refused', () => {
    assert.throws(() => np.array([[1, 2], [3]]), /inhomogeneous/);
    assert.throws(() => np.array(['1']), TypeError);
    assert.throws(() => np.array([null]), TypeError);
    assert.throws(() => np.array({}), TypeError);
    const self = [];
    self.push(self);
    assert.throws(() => np.array(self));
});
test('arrays and numbers mix in lists', () => is(np.array([np.array([1, 2]), [3, 4]]), 'float32', [2, 2],
    [1, 2, 3, 4]));
test('what is read: numbers, BigInts beyond 2^53, nested lists, NaN and infinities, complex numbers', async () => {
    assert.equal(np.array(2 ** 53, {dtype: 'int64'}).item(), 2n ** 53n);
    assert.equal(np.array(7, {dtype: 'int64'}).item(), 7);
    assert.deepEqual(np.array([[1, 2], [3, 4]]).js(), [[1, 2], [3, 4]]);
    assert.deepEqual(await np.array([NaN, Infinity]).jsAsync(), [NaN, Infinity]);
    assert.deepEqual(np.array([{re: 1, im: -2}]).tolist(), [{re: 1, im: -2}]);
    assert.deepEqual(await np.array([1, 2]).data(), new Float32Array([1, 2]));
    assert.equal(JSON.stringify(np.array([[true]])), '[[true]]');
    assert.equal(np.array([[1, 2], [3, 4]]).item(2), 3);
    assert.equal(np.array([[1, 2], [3, 4]]).item(1, 1), 4);
    assert.equal(+np.array(3), 3);
    assert.equal(np.array(3) + 1, 4);
    assert.equal(`${np.array([1, 2])}`, '[1. 2.]');
    close(np.array([0.5, -0, 65504], {dtype: 'float16'}), [0.5, -0, 65504]);
    close(np.array([0.5, 3], {dtype: 'bfloat16'}), [0.5, 3]);
    assert.throws(() => np.array([1, 2]).item(), {name: 'ValueError'});
    assert.throws(() => np.array(1).length, TypeError);
});
test('an array is iterated by its rows', () => {
    const [a, b] = np.array([[1, 2], [3, 4]]);
    assert.deepEqual([a.js(), b.js()], [[1, 2], [3, 4]]);
});
test('attributes', () => {
    const x = np.zeros([2, 3]);
    assert.deepEqual([x.ndim, x.size, x.length, x.nbytes, x.itemsize, x.dtype, x.weakType],
        [2, 6, 2, 24, 4, 'float32', false]);
    assert.deepEqual(x.T.shape, [3, 2]);
    assert.ok(x instanceof KilnArray && x instanceof np.Array);
    assert.throws(() => { 'use strict'; x.shape[0] = 5; });
    const z = np.array([{re: 1, im: 2}]);
    assert.deepEqual([z.real.js(), z.imag.js()], [[1], [2]]);
});

test("jax-js's methods", () => {
    const x = np.array([[3, -1], [2, 5]]);
    const same = (got, expected) => assert.deepEqual(got.js(), expected);
    same(x.neg(), [[-3, 1], [-2, -5]]);
    same(x.add(1), [[4, 0], [3, 6]]);
    same(x.sub(1), [[2, -2], [1, 4]]);
    same(x.mul([1, 2]), [[3, -2], [2, 10]]);
    same(x.div(2), [[1.5, -0.5], [1, 2.5]]);
    same(x.mod(2), [[1, 1], [0, 1]]);
    same(x.greater(2), [[true, false], [false, true]]);
    same(x.less(2), [[false, true], [false, false]]);
    same(x.equal(2), [[false, false], [true, false]]);
    same(x.notEqual(2), [[true, true], [false, true]]);
    same(x.greaterEqual(2), [[true, false], [true, true]]);
    same(x.lessEqual(2), [[false, true], [true, false]]);
    same(x.sum(), 9);
    same(x.sum(0), [5, 4]);
    same(x.sum(-1, {keepdims: true}), [[2], [7]]);
    same(x.prod(1), [-3, 10]);
    same(x.mean([0, 1]), 2.25);
    same(x.min(0), [2, -1]);
    same(x.max(null), 5);
    same(x.greater(0).all(1), [false, true]);
    same(x.greater(0).any(0), [true, true]);
    same(x.transpose(), [[3, 2], [-1, 5]]);
    same(x.transpose([1, 0]), [[3, 2], [-1, 5]]);
    same(x.reshape(4), [3, -1, 2, 5]);
    same(x.reshape([-1, 1]), [[3], [-1], [2], [5]]);
    assert.equal(x.astype(np.int32).dtype, 'int32');
    assert.equal(x.view('int32').dtype, 'int32');
    same(x.view(), [[3, -1], [2, 5]]);
    same(x.diagonal(), [3, 5]);
    same(x.diagonal(1), [-1]);
    same(x.flatten(), [3, -1, 2, 5]);
    same(x.ravel(), [3, -1, 2, 5]);
    same(x.sort(), [[-1, 3], [2, 5]]);
    same(x.sort(0), [[2, -1], [3, 5]]);
    same(x.argsort(), [[1, 0], [0, 1]]);
    same(x.slice(0), [3, -1]);
    same(x.slice([], 0), [3, 2]);
    same(x.clip(0, 3), [[3, 0], [2, 3]]);
    same(x.clip({max: 2}), [[2, -1], [2, 2]]);
    same(x.pow(2), [[9, 1], [4, 25]]);
    same(x.abs(), [[3, 1], [2, 5]]);
    same(x.round(), [[3, -1], [2, 5]]);
    same(x.cumsum(1), [[3, 2], [2, 7]]);
    same(x.matmul([[1, 0], [0, 1]]), [[3, -1], [2, 5]]);
    same(x.take(new Int32Array([1]), 1), [[-1], [5]]);
    assert.equal(x.argmax().item(), 3);
    assert.equal(x.ref, x);
});
test("jax-js's calls of np", () => {
    const same = (got, expected) => close(got, expected);
    same(np.meshgrid([np.array([1, 2]), np.array([3, 4, 5])], {indexing: 'ij'})[0], [1, 1, 1, 2, 2, 2]);
    same(np.pad([1, 2], [[1, 0]]), [0, 1, 2]);
    same(np.pad([[1]], {0: [1, 0]}), [0, 1]);
    same(np.clip([1, 5], 2), [2, 5]);
    same(np.vander([1, 2, 3], {N: 2}), [1, 1, 2, 1, 3, 1]);
    same(np.where([true, false], 1, 2), [1, 2]);
    same(np.einsum('i,i->', [1, 2], [3, 4]), 11);
    same(np.hann(5), [0, 0.5, 1, 0.5, 0]);
    assert.equal(np.allclose([1, 2], [1, 2]), true);
    assert.deepEqual(np.broadcastShapes([3, 1], [4]), [3, 4]);
    assert.deepEqual([np.ndim([[1]]), np.size([[1, 2]]), np.isscalar(3)], [2, 2, true]);
    const {real, imag} = np.fft.fft({real: np.array([1, 2]), imag: np.array([0, 1])});
    same(real, [3, -1]);
    same(imag, [1, -1]);
    same(np.fromfunction((i, j) => np.add(i.mul(10), j), [2, 2]), [0, 1, 10, 11]);
    assert.equal(np.finfo('float32').eps, 2 ** -23);
    assert.equal(np.iinfo(np.int32).max, 2 ** 31 - 1);
});
test('defaults: what is made of nothing is float32, ranges of whole numbers int32', () => {
    for (const x of [np.zeros(2), np.ones([2]), np.empty(2), np.full(2, 7), np.eye(2), np.identity(2),
        np.linspace(0, 1, 3),
        np.logspace(0, 1, 3), np.tri(2), np.fft.fftfreq(4), np.hanning(3)]) assert.equal(x.dtype, 'float32');
    for (const x of [np.arange(3), np.arange(1, 9, 2), np.indices([2, 2])]) assert.equal(x.dtype, 'int32');
    assert.equal(np.arange(0, 1, 0.25).dtype, 'float32');
    assert.equal(np.full(2, true).dtype, 'bool');
    assert.equal(np.arange(2 ** 32, 2 ** 32 + 2).dtype, 'int64');
    assert.equal(np.zeros(2, {dtype: 'uint8'}).dtype, 'uint8');
    assert.equal(np.zerosLike(np.arange(3)).dtype, 'int32');
});
test('a number takes the dtype of the array beside it; numbers alone are floats', () => {
    assert.equal(np.arange(3).add(1).dtype, 'int32');
    assert.equal(np.arange(3).mul(0.5).dtype, 'float32');
    assert.equal(np.array([1], {dtype: 'float16'}).add(1.5).dtype, 'float16');
    is(np.add(1, 2), 'float32', [], [3]);
    is(np.power(2, -1), 'float32', [], [0.5]);
    is(np.where([true, false], 1, 0), 'float32', [2], [1, 0]);
    is(np.leftShift(1, 3), 'int64', [], [8]);
    is(np.add(true, true), 'bool', [], [true]);
});

test('in-place operators write to the array, and views of it show it', () => {
    const x = np.array([1, 2, 3, 4]), tail = x.slice([2]);
    assert.equal(x.iadd(10), x);
    assert.deepEqual(tail.js(), [13, 14]);
    x.isub(1).imul(2).idiv(4).ipow(2);
    close(x, [25, 30.25, 36, 42.25]);
    tail.imod(5);
    close(x, [25, 30.25, 1, 2.25]);
    const i = np.arange(4);
    i.iadd(1).ilshift(2).ior(1).iand(13).ixor(2).irshift(1).ifloordiv(2);
    assert.deepEqual(i.js(), [1, 2, 3, 0]); // ((((i + 1) << 2 | 1) & 13) ^ 2) >> 1 // 2, by NumPy
    assert.throws(() => np.arange(2).iadd(0.5), TypeError);
});
test('functions that write in place', () => {
    const x = np.zeros(4);
    np.copyto(x, [1, 2, 3, 4]);
    assert.deepEqual(x.js(), [1, 2, 3, 4]);
    np.put(x, [0, -1], [9, 8]);
    assert.deepEqual(x.js(), [9, 2, 3, 8]);
    np.putmask(x, x.greater(8), 0);
    assert.deepEqual(x.js(), [0, 2, 3, 8]);
    np.place(x, [true, false, true, false], [5, 6]);
    assert.deepEqual(x.js(), [5, 2, 6, 8]);
    np.putAlongAxis(x, np.array([1], {dtype: 'int64'}), 7, 0);
    assert.deepEqual(x.js(), [5, 7, 6, 8]);
    const m = np.zeros([2, 2]);
    np.fillDiagonal(m, 3);
    assert.deepEqual(m.js(), [[3, 0], [0, 3]]);
    m.fill(1);
    assert.deepEqual(m.js(), [[1, 1], [1, 1]]);
    const out = np.zeros(3);
    assert.equal(np.add([1, 2, 3], 1, {out}), out);
    assert.deepEqual(out.js(), [2, 3, 4]);
    assert.deepEqual(np.sum(np.ones([2, 3]), 0, {out}).js(), [2, 2, 2]);
    assert.throws(() => np.add([1], 1, {out: [0]}), TypeError);
});
test('ufuncs have methods, where and dtype', () => {
    close(np.add.reduce([[1, 2], [3, 4]]), [4, 6]);
    close(np.multiply.accumulate([1, 2, 3]), [1, 2, 6]);
    close(np.subtract.outer([1, 2], [1, 10]), [0, -9, 1, -8]);
    close(np.add.reduceat([1, 2, 3, 4], [0, 2]), [3, 7]);
    const x = np.zeros(3);
    np.add.at(x, new Int32Array([0, 0, 2]), 1);
    assert.deepEqual(x.js(), [2, 0, 1]);
    assert.deepEqual([np.add.nin, np.divmod.nout, np.matmul.signature], [2, 2, '(n?,k),(k,m?)->(n?,m?)']);
    const out = np.array([7, 7]);
    np.add([1, 2], 1, {out, where: [true, false]});
    assert.deepEqual(out.js(), [2, 7]);
    assert.equal(np.add([1], 1, {dtype: 'float64'}).dtype, 'float64');
});
test('functions of functions', () => {
    close(np.applyAlongAxis(v => v.sum(), 0, [[1, 2], [3, 4]]), [4, 6]);
    close(np.applyOverAxes(np.sum, np.ones([2, 3]), [0, 1]), [6]);
    close(np.vectorize((a, b) => (a > b ? a : b))([1, 5], 3), [3, 5]);
    close(np.vectorize((a, b) => a.matmul(b), {signature: '(n),(n)->()'})(np.ones([2, 3]), np.ones(3)), [3, 3]);
    close(np.piecewise([-2, 0, 2], [[true, false, false], [false, false, true]], [v => v.neg(), 1]), [2, 0, 1]);
    close(np.fromiter(new Set([1, 2])), [1, 2]);
    assert.throws(() => np.vectorize(3), TypeError);
    const boom = new Error('mine');
    assert.throws(() => np.vectorize(() => { throw boom; })([1]), e => e === boom);
});
test('grids and joins by slices', () => {
    close(np.mgrid([0, 2], [0, 2]), [0, 0, 1, 1, 0, 1, 0, 1]);
    close(np.mgrid([0, 1, {re: 0, im: 3}]), [0, 0.5, 1]);
    assert.deepEqual(np.ogrid([0, 2], [0, 3]).map(x => x.shape), [[2, 1], [1, 3]]);
    close(np.r_(new Slice(1, 4), 0, [7, 8]), [1, 2, 3, 0, 7, 8]);
    close(np.c_([1, 2], [3, 4]), [1, 3, 2, 4]);
    assert.deepEqual([...np.ndindex(2, 2)], [[0, 0], [0, 1], [1, 0], [1, 1]]);
    assert.deepEqual([...np.ndenumerate([[5, 6]])], [[[0, 0], 5], [[0, 1], 6]]);
    close(np.block([[np.ones([1, 1]), np.zeros([1, 1])], [np.zeros([1, 2])]]), [1, 0, 0, 0]);
});
test('polynomials', () => {
    const p = np.poly1d([1, 2, 3]);
    close(p.at(2), 11);
    close(p.mul(p).coeffs, [1, 4, 10, 12, 9]);
    close(p.deriv().coeffs, [2, 2]);
    assert.ok(np.polyadd(p, [1]).equals(np.poly1d([1, 2, 4])));
    assert.equal(`${np.poly1d([1, -2, 0])}`, '1 x**2 - 2 x');
    close(np.polyfit([0, 1, 2], [1, 3, 5], 1), [2, 1], {atol: 1e-5});
});
test('functions that JAX or NumPy name, of which no call is compared elsewhere', () => {
    close(lax.unstack(np.array([[1, 2], [3, 4]]))[1], [3, 4]);
    close(lax.stack([np.array([1, 2]), np.array([3, 4])]), [1, 2, 3, 4]);
    close(lax.broadcastLike(np.array([1, 2]), np.zeros([2, 2])), [1, 2, 1, 2]);
    assert.deepEqual(lax.empty([2], 'int32').shape, [2]);
    assert.equal(lax.mulhi(np.array(2 ** 20, {dtype: 'int32'}), np.array(2 ** 20, {dtype: 'int32'})).item(),
        256); // 2^40 >> 32
    const ids = np.array([0, 1, 0], {dtype: 'int32'}), data = np.array([1, 2, 3]);
    close(ops.segmentSum(data, ids), [4, 2]);
    close(ops.segmentProd(data, ids), [3, 2]);
    close(ops.segmentMax(data, ids), [3, 2]);
    close(ops.segmentMin(data, ids), [1, 2]);
    // associated Legendre functions at 0.5: P_0^0 = 1, P_1^0 = x, P_1^1 = -sqrt(1 - x^2)
    close(scipy.special.lpmn(1, 1, np.array([0.5]))[0].slice('...', 0), [1, 0.5, 0, -Math.sqrt(0.75)]);
    close(scipy.special.lpmnValues(1, 1, np.array([0.5]), false).ravel(), [1, 0.5, 0, -Math.sqrt(0.75)]);
    const s = np.array([[4, 1], [1, 3]]), [qr, taus] = [np.array([[2, 0], [0.5, 3]]), np.array([1.6, 0])];
    // Householder's reflection of v = (1, 0.5) with tau 1.6 is I - 1.6 v v^T
    close(lax.linalg.householderProduct(qr, taus), [-0.6, -0.8, -0.8, 0.6]);
    close(lax.linalg.ormqr(qr, taus, np.eye(2)), [-0.6, -0.8, -0.8, 0.6]);
    close(scipy.linalg.eigBanded(np.array([[4, 3], [1, 0]]), {lower: true})[0], np.linalg.eigvalsh(s));
    const [T, Z] = scipy.linalg.rsf2csf(...scipy.linalg.schur(s));
    close(np.real(np.matmul(np.matmul(Z, T), np.conj(Z).T)), s, {atol: 1e-5});
    assert.equal(np.formatFloatPositional(np.array(1.5)), '1.5');
    assert.equal(typeof np.seterr({}).divide, 'string');
    assert.equal(np.errstate({divide: 'ignore'}, () => np.geterr().divide), 'ignore');
});
