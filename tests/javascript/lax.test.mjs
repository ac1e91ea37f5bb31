// SPDX-License-Identifier: Apache-2.0
// lax.test.mjs -- lax in the forms of JAX and of jax-js, under transformations, and its refusals. Numbers are in
// jax.test.mjs.
import assert from 'node:assert/strict';
import test from 'node:test';
import {close, is, kiln, np} from './support.mjs';

const {grad, jit, lax, scipy, vmap} = kiln;
const X = np.array([[1, 2, 3], [4, 5, 6]]);

test("a dot in JAX's form and in jax-js's", () => {
    is(lax.dot(X, X.T), 'float32', [2, 2], [14, 32, 32, 77]);
    is(lax.dot(X, X, {lhsContractingDims: [1], rhsContractingDims: [1]}), 'float32', [2, 2], [14, 32, 32, 77]);
    is(lax.dot(X, X, {lhsContractingDims: [-1], rhsContractingDims: [-1]}), 'float32', [2, 2], [14, 32, 32, 77]);
    is(lax.dot(X, X, {lhsBatchDims: [0], rhsBatchDims: [0], lhsContractingDims: [1], rhsContractingDims: [1]}),
        'float32', [2], [14, 77]);
    is(lax.dot(X, X, {dimensionNumbers: [[[1], [1]], [[], []]]}), 'float32', [2, 2], [14, 32, 32, 77]);
});
test("windows in JAX's form and in jax-js's", () => {
    const x = np.array([1, 2, 3, 4, 5]);
    close(lax.reduceWindow(x, 0, (a, b) => a.add(b), [2], [1], 'VALID'), [3, 5, 7, 9]);
    close(lax.reduceWindow(x, w => w.sum(), [2]), [3, 5, 7, 9]);
    close(lax.reduceWindow(x, w => np.max(w), [2], [2]), [2, 4]);
    close(lax.reduceWindow(X, w => w.sum(), [2, 2]), [12, 16]);
});
test('axes of a convolution by words, by objects, and swapped', () => {
    const image = np.arange(32).reshape([1, 2, 4, 4]).astype('float32'), kernel = np.ones([3, 2, 2, 2]);
    const plain = lax.conv(image, kernel, [1, 1], 'VALID');
    const nhwc = lax.convGeneralDilated(np.transpose(image, [0, 2, 3, 1]), np.transpose(kernel, [2, 3, 1, 0]), [1, 1],
        'VALID',
                                        {dimensionNumbers: ['NHWC', 'HWIO', 'NHWC']});
    close(np.transpose(nhwc, [0, 3, 1, 2]), plain);
    const numbers = lax.convDimensionNumbers([1, 4, 4, 2], [2, 2, 2, 3], ['NHWC', 'HWIO', 'NHWC']);
    assert.deepEqual(numbers, {lhsSpec: [0, 3, 1, 2], rhsSpec: [3, 2, 0, 1], outSpec: [0, 3, 1, 2]});
    close(lax.convGeneralDilated(np.transpose(image, [0, 2, 3, 1]), np.transpose(kernel, [2, 3, 1, 0]), [1, 1], 'VALID',
                                 {dimensionNumbers: numbers}), nhwc);
});
test('a transposed convolution is the slope of a convolution', () => {
    const image = np.arange(25).reshape([1, 1, 5, 5]).astype('float32'),
        kernel = np.arange(9).reshape([1, 1, 3, 3]).astype('float32');
    const back = grad(x => lax.conv(x, kernel, [2, 2], 'VALID').sum())(image);
    close(lax.convTranspose(np.ones([1, 1, 2, 2]), kernel, [2, 2], 'VALID', {transposeKernel: true}), back);
});
test('gather and scatter by JAX names, and by words for what is outside', () => {
    const x = np.array([1, 2, 3]), at = np.array([[0], [5]], {dtype: 'int32'});
    const numbers = {offsetDims: [], collapsedSliceDims: [0], startIndexMap: [0]};
    close(lax.gather(x, at, numbers, [1], {mode: 'clip'}), [1, 3]);
    close(lax.gather(x, at, numbers, [1], {mode: 'fill'}), [1, NaN]);
    close(lax.gather(x, at, [[], [0], [0], [], []], [1], {mode: lax.GatherScatterMode.CLIP}), [1, 3]);
    const places = {updateWindowDims: [], insertedWindowDims: [0], scatterDimsToOperandDims: [0]};
    close(lax.scatter(x, at, [7, 8], places), [7, 2, 3]);
    close(lax.scatterMax(x, at, [0, 8], places), [1, 2, 3]);
    assert.throws(() => lax.gather(x, at, numbers, [1], {mode: 'wrap'}), /Unknown gather mode "wrap"/);
});
test('sorts of several by the first ones', () => {
    const [a, b] = lax.sort([np.array([2, 1, 2]), np.array([9, 8, 7])], {numKeys: 2});
    close(a, [1, 2, 2]);
    close(b, [8, 7, 9]);
    assert.throws(() => lax.sort([]), /at least one operand/);
    assert.throws(() => lax.sort(X, {numKeys: 2}), /between 1 and 1/);
    const [top, at] = lax.topK(X, 2);
    close(top, [3, 2, 6, 5]);
    close(at, [2, 1, 2, 1]);
    close(lax.topK(X, 1, 0)[0], [4, 5, 6]);
});
test('starts of a slice are numbers, arrays, or recorded', () => {
    close(lax.dynamicSlice(X, [0, 1], [2, 2]), [2, 3, 5, 6]);
    close(lax.dynamicSlice(X, np.array([0, 9], {dtype: 'int32'}), [1, 2]), [2, 3]);
    close(jit(i => lax.dynamicSlice(X, [i, 0], [1, 2]))(1), [4, 5]);
    close(jit(i => lax.dynamicSliceInDim(X, i, 2, 1))(1), [2, 3, 5, 6]);
    close(jit(i => lax.dynamicIndexInDim(X, i, 0, false))(1), [4, 5, 6]);
    close(jit(i => lax.dynamicUpdateIndexInDim(np.zeros([3]), 7, i, 0))(2), [0, 0, 7]);
    close(jit(i => lax.dynamicUpdateSliceInDim(np.zeros([3]), [7, 8], i, 0))(1), [0, 7, 8]);
    close(vmap(i => lax.dynamicUpdateSlice(np.zeros([3]), [1], [i]))(np.array([0, 2], {dtype: 'int32'})),
        [1, 0, 0, 0, 0, 1]);
});
test('parts of decompositions', () => {
    const S = np.array([[4, 1], [1, 3]]);
    const [u, s, vh] = lax.linalg.svd(S);
    close(u.mul(s).matmul(vh), S);
    const [q, r] = lax.linalg.qr(S);
    close(q.matmul(r), S);
    const [v, w] = lax.linalg.eigh(S);
    close(S.matmul(v), v.mul(w));
    const [p, l, up] = scipy.linalg.lu(S);
    close(p.matmul(l).matmul(up), S);
    const [form, vectors] = scipy.linalg.schur(S);
    close(vectors.matmul(form).matmul(vectors.T), S);
    assert.equal(lax.linalg.svd(S, {computeUv: false}).ndim, 1);
    assert.equal(scipy.linalg.qr(S, {mode: 'r'}).length, 1);
    assert.throws(() => scipy.linalg.qr(S, {mode: 'thin'}), /Unsupported QR/);
});
test('spectra', () => {
    const t = np.arange(256).mul(0.1), x = np.sin(t.mul(2 * Math.PI));
    const [f, p] = scipy.signal.welch(x.astype('float32'), 10, {nperseg: 128});
    assert.ok(Math.abs(f.slice(np.argmax(p)).item() - 1) < 0.05);
    const [, , z] = scipy.signal.stft(x.astype('float32'), {nperseg: 32});
    const [, back] = scipy.signal.istft(z, {nperseg: 32});
    close(back.slice([0, 256]), x.astype('float32'), {atol: 1e-5});
});
test('what makes no sense is refused', () => {
    assert.throws(() => lax.conv(np.ones([1, 1, 3]), np.ones([1, 2, 3]), [1], 'VALID'), /feature dimension size/);
    assert.throws(() => lax.conv(np.ones([1, 1, 3]), np.ones([1, 1, 3]), [1], 'MOST'), /padding type/);
    assert.throws(() => lax.dot(X, X, {lhsContractingDims: [0, 1], rhsContractingDims: [0]}), /differ in length/);
    assert.throws(() => lax.topK(X, 9), /no larger than size/);
    assert.throws(() => lax.reduceWindow(X, w => w, [1, 1, 1]), kiln.ValueError);
});
