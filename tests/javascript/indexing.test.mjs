// SPDX-License-Identifier: Apache-2.0
// indexing.test.mjs -- parts of arrays, writing to them, x.at(...). Expected values are NumPy's (JAX's for x.at).
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {close, kiln, np} from './support.mjs';

const {Slice, Ellipsis} = kiln;
const x = np.arange(12).reshape([3, 4]);
const same = (got, expected) => assert.deepEqual(got.js(), expected);
const ints = (...n) => new Int32Array(n);

test('integers, slices, new axes, "..."', () => {
    same(x.slice(1), [4, 5, 6, 7]);
    same(x.slice(-1, -1), 11);
    same(x.slice([1]), [[4, 5, 6, 7], [8, 9, 10, 11]]);
    same(x.slice([], [1, 3]), [[1, 2], [5, 6], [9, 10]]);
    same(x.slice([null, null, -1], 0), [8, 4, 0]);
    same(x.slice([null, -1], 0), [0, 4]);
    same(x.slice([0, 3, 2], 0), [0, 8]);
    same(x.slice('...', 0), [0, 4, 8]);
    same(x.slice(Ellipsis, 0), [0, 4, 8]);
    same(x.slice(new Slice(null, null, 2), 1), [1, 9]);
    assert.deepEqual(x.slice(null, 0, null).shape, [1, 1, 4]);
    assert.deepEqual(x.slice().shape, [3, 4]);
    same(x.slice([5, 9]), []);
    same(x.slice(1n), [4, 5, 6, 7]);
});
test('arrays of positions and masks', () => {
    same(x.slice(ints(0, 2, 0), 1), [1, 9, 1]);
    same(x.slice(np.array([2, 0], {dtype: 'int32'})), [[8, 9, 10, 11], [0, 1, 2, 3]]);
    same(x.slice(np.array([2, 0])), [[8, 9, 10, 11], [0, 1, 2, 3]]);
    same(x.slice(ints(0, 1), ints(1, 2)), [1, 6]);
    same(x.slice(np.array([[0], [2]], {dtype: 'int64'}), ints(1, 3)), [[1, 3], [9, 11]]);
    same(x.slice(x.greater(8)), [9, 10, 11]);
    same(x.slice([true, false, true], 0), [0, 8]);
    same(x.slice([[true, false, false, false], [false, true, false, false], [false, false, true, false]]), [0, 5, 10]);
    same(x.slice(...np.ix_([0, 2], [1, 3])), [[1, 3], [9, 11]]);
});
test('what is no index says so', () => {
    assert.throws(() => x.slice(3), {name: 'IndexError', message: /index 3 is out of bounds for axis 0 with size 3/});
    assert.throws(() => x.slice(0, 0, 0), {name: 'IndexError'});
    assert.throws(() => x.slice(0.5), {name: 'IndexError'});
    assert.throws(() => x.slice('a'), {name: 'IndexError'});
    assert.throws(() => x.slice([0, 1, 2, 3]), /typed array/);
    assert.throws(() => x.slice([null, null, 0]), {name: 'ValueError'});
    assert.throws(() => x.slice([true]), {name: 'IndexError'});
});
test('parts are views; positions make copies', () => {
    const y = np.zeros(4), head = y.slice([0, 2]), copy = y.slice(ints(0, 1));
    head.set('...', 5);
    copy.set(0, 9);
    assert.deepEqual(y.js(), [5, 5, 0, 0]);
});
test('set writes to the array', () => {
    const y = np.zeros([2, 3]);
    y.set(0, [1, 2, 3]).set([1, 2], 9).set([1, [0, 2]], -1).set(['...', 0], 7);
    same(y, [[7, 2, 3], [7, -1, 9]]);
    y.set(y.less(3), 0);
    same(y, [[7, 0, 3], [7, 0, 9]]);
    y.set([[], ints(0, 2)], [[1, 2], [3, 4]]);
    same(y, [[1, 0, 2], [3, 0, 4]]);
    assert.throws(() => y.set(5, 1), {name: 'IndexError'});
    assert.throws(() => y.set(0, [1, 2]), {name: 'ValueError'});
});
test('x.at(...) leaves x as it is', () => {
    const y = np.array([1, 2, 3, 4]);
    same(y.at(1).set(9), [1, 9, 3, 4]);
    same(y.at([1, 3]).add(10), [1, 12, 13, 4]);
    same(y.at(ints(0, 0, 3)).add(1), [3, 2, 3, 5]);
    same(y.at(0).multiply(5), [5, 2, 3, 4]);
    same(y.at(0).mul(5), [5, 2, 3, 4]);
    same(y.at(3).subtract(1), [1, 2, 3, 3]);
    same(y.at(3).divide(2), [1, 2, 3, 2]);
    same(y.at(3).power(2), [1, 2, 3, 16]);
    same(y.at([0, 2]).max(1.5), [1.5, 2, 3, 4]);
    same(y.at(y.greater(2)).min(0), [1, 2, 0, 0]);
    same(y.at(-1).apply(v => v.mul(v)), [1, 2, 3, 16]);
    same(y.at(2).get(), 3);
    same(y, [1, 2, 3, 4]);
});
test('x.at: positions beyond the array are left out, or the nearest ones count', () => {
    const y = np.array([1, 2, 3]);
    same(y.at(7).set(9), [1, 2, 3]);
    same(y.at(ints(0, 5)).set(9), [9, 2, 3]);
    same(y.at(ints(0, 5)).add([1, 1], {mode: 'clip'}), [2, 2, 4]);
    same(y.at(7).get(), 3);
    same(y.at(7).get({mode: 'fill'}), NaN);
    same(y.at(ints(1, 7)).get({mode: 'fill', fillValue: -1}), [2, -1]);
    assert.throws(() => y.at(0).set(1, {mode: 'nothing'}), {name: 'ValueError'});
});
test('x.at inside of jit and grad', () => {
    const f = kiln.jit((a, v) => a.at(1).set(v).sum());
    close(f(np.array([1, 2, 3]), 5), 9);
    close(kiln.grad((a, v) => a.at(1).set(v).mul([1, 2, 3]).sum(), {argnums: 1})(np.array([1, 2, 3]), np.array(5)), 2);
});
test('insert and delete take slices and lists', () => {
    close(np.delete([1, 2, 3, 4], new Slice(1, 3)), [1, 4]);
    close(np.delete([1, 2, 3], [0, 2]), [2]);
    close(np.insert([1, 4], 1, [2, 3]), [1, 2, 3, 4]);
    close(np.delete([[1, 2], [3, 4]], 0, {axis: 1}), [2, 4]);
});
test('bounds and integers beyond 64 bits', () => {
    assert.deepEqual(np.arange(5).slice([0, 2 ** 63]).js(), [0, 1, 2, 3, 4]);
    assert.deepEqual(np.arange(5).slice([null, 2n ** 64n]).js(), [0, 1, 2, 3, 4]);
    assert.deepEqual(np.arange(5).slice([2n ** 63n, null]).js(), []);
    assert.throws(() => np.arange(5).slice(2n ** 64n), {name: 'OverflowError'});
});
test('lists of different depth are refused', () => {
    for (const x of [[[], 1], [1, []], [[[], []], [true, true]], [[1], 2]])
        assert.throws(() => np.array(x), {name: 'ValueError'}, JSON.stringify(x));
});
test('integers that no dtype holds are refused', () => {
    for (const [x, dtype] of [[[2 ** 63], 'int64'], [[2 ** 64], 'uint64'], [[2n ** 64n], null], [[2n ** 63n, -1n], null]])
        assert.throws(() => np.array(x, {dtype}), {name: 'OverflowError'}, String(x));
    assert.throws(() => np.full([2], 2 ** 31, {dtype: 'int32'}), {name: 'OverflowError'});
    assert.deepEqual(np.full([2], 2 ** 31 - 1, {dtype: 'int32'}).js(), [2 ** 31 - 1, 2 ** 31 - 1]);
});
