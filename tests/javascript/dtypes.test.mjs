// SPDX-License-Identifier: Apache-2.0
// dtypes.test.mjs -- dtypes are their names: promotion, limits, kinds. Expected values are NumPy's.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {kiln, np} from './support.mjs';

test('dtypes are texts under NumPy\'s and jax-js\'s names', () => {
    assert.deepEqual([np.float32, np.DType.Float32, kiln.DType.Int32, np.bool_, np.bool, np.double], [
        'float32', 'float32', 'int32', 'bool', 'bool', 'float64']);
    assert.equal(np.dtype('f4'), 'float32');
    assert.equal(np.dtype(np.zeros(1)), 'float32');
    assert.throws(() => np.zeros(1, {dtype: 'float31'}), {message: /float31/});
    assert.throws(() => np.zeros(1, {dtype: 7}), TypeError);
});
test('promotion', () => {
    for (const [a, b, c] of [['int8', 'uint8', 'int16'], ['int32', 'float32', 'float64'],
        ['float16', 'float32', 'float32'],
        ['uint64', 'int64', 'float64'], ['bool', 'int8', 'int8'], ['complex64', 'float64', 'complex128'],
            ['int16', 'float16', 'float32']]) {
        assert.equal(np.promoteTypes(a, b), c);
        assert.equal(np.resultType(a, b), c);
        assert.equal(np.zeros(1, {dtype: a}).add(np.zeros(1, {dtype: b})).dtype, c);
    }
    assert.equal(np.resultType('int8', 1.5), 'float32'); // the default float, where NumPy has float64
    assert.equal(np.resultType(np.zeros(2, {dtype: 'float16'}), 3), 'float16');
    assert.equal(np.commonType(np.zeros(1), np.zeros(1, {dtype: 'float64'})), 'float64');
    assert.throws(() => np.resultType(), {name: 'ValueError'});
});
test('kinds', () => {
    assert.equal(np.issubdtype('float32', np.floating), true);
    assert.equal(np.issubdtype('int8', 'floating'), false);
    assert.equal(np.isdtype('float32', ['real floating', 'int8']), true);
    assert.equal(np.isdtype('int8', ['real floating', 'int8']), true);
    assert.equal(np.isdtype('int8', 'unsigned integer'), false);
    assert.throws(() => np.isdtype('int8', 'a kind'), {name: 'ValueError'});
    assert.equal(np.canCast('int8', 'int16'), true);
    assert.equal(np.canCast('float64', 'int8'), false);
    assert.equal(np.canCast('float64', 'float32', 'same_kind'), true);
    assert.equal(np.minScalarType(300), 'uint16');
});
test('limits', () => {
    const f = np.finfo('float16');
    assert.deepEqual([f.bits, f.max, f.eps, f.smallestSubnormal, f.dtype], [16, 65504, 2 ** -10, 2 ** -24, 'float16']);
    assert.deepEqual([np.iinfo('uint64').max, np.iinfo('int64').min, np.iinfo('int8').min],
        [2n ** 64n - 1n, -(2n ** 63n), -128]);
    assert.throws(() => np.iinfo('float32'), {name: 'ValueError'});
    assert.throws(() => np.finfo('int32'), {name: 'ValueError'});
});
test('every dtype goes through an array and back', () => {
    for (const dtype of Object.values(kiln.DType)) {
        const x = np.array([0, 1, 1], {dtype}), y = x.astype('float64');
        assert.equal(x.dtype, dtype);
        assert.deepEqual(y.js(), [0, 1, 1], dtype);
        assert.equal(x.dataSync().byteLength, x.nbytes);
    }
});
test('how arrays are shown', () => {
    assert.equal(`${np.array([1 / 3, 2])}`, '[0.33333334 2.        ]');
    assert.equal(np.printoptions({precision: 2}, () => `${np.array([1 / 3])}`), '[0.33]');
    assert.equal(np.arrayRepr(np.array([1, 2])), 'array([1., 2.], dtype=float32)');
    assert.equal(np.arrayStr(np.array([1e-10, 1]), {suppress: true}), '[0. 1.]');
    const before = np.getPrintoptions();
    np.setPrintoptions({threshold: 5, edgeitems: 1});
    assert.equal(`${np.arange(9)}`, '[0 ... 8]');
    np.setPrintoptions(before);
    assert.equal(`${np.arange(9)}`, '[0 1 2 3 4 5 6 7 8]');
    assert.throws(() => np.setPrintoptions({floatmode: 'nothing'}), {name: 'ValueError'});
    assert.throws(() => np.setPrintoptions({digits: 3}), TypeError);
});
test('the default float', async () => {
    await kiln.init({defaultFloat: 'float64'});
    assert.deepEqual([np.zeros(1).dtype, np.linspace(0, 1, 2).dtype, np.array([1]).dtype],
        ['float64', 'float64', 'float32']);
    await kiln.init({defaultFloat: 'float32'});
    assert.equal(np.zeros(1).dtype, 'float32');
    await assert.rejects(kiln.init({defaultFloat: 'int32'}), RangeError);
});
test('integers that a dtype does not hold are an OverflowError, wherever they come in', () => {
    const x = () => np.array([1, 2, 3], {dtype: 'int8'}), u = () => np.array([1, 2], {dtype: 'uint8'});
    const at = new Int32Array([0, 2]), big = np.array([1], {dtype: 'int64'});
    const ways = [
        ...['set', 'add', 'subtract', 'multiply', 'min', 'max', 'divide', 'power'].map(name => () => x().at(0)[name](300)),
        () => x().at(at).set([300, 1]), () => x().at(9).get({mode: 'fill', fillValue: 300}), () => u().at(0).set(-1),
        () => x().at(0).set(300.5), () => x().at(0).set(Infinity), () => big.at(0).set(2n ** 63n),
        () => x().set([0], 300), () => x().set([at], [300, 1]), () => x().set([0], 300.5), () => x().fill(300),
        () => np.array([300], {dtype: 'int8'}), () => np.array([[1], [1e10]], {dtype: 'int32'}),
        () => np.asarray([-1], 'uint16'), () => np.array([300.5], {dtype: 'int8'}),
        () => np.full(2, 300, {dtype: 'int8'}), () => np.fullLike(x(), 300), () => np.add(x(), 300),
        () => np.arange(300, 303, 1, {dtype: 'int8'}), () => np.pad(x(), 1, {mode: 'constant', constantValues: 300}),
        () => np.put(x(), [0], [300]), () => np.put(x(), [0], 300), () => np.place(x(), x().greater(1), [300]),
        () => np.putmask(x(), x().greater(1), 300), () => np.copyto(x(), 300), () => np.insert(x(), 0, 300),
        () => np.sum(x(), {initial: 300, dtype: 'int8'}), () => kiln.jit(a => a.add(300))(x()),
    ];
    for (const way of ways) assert.throws(way, {name: 'OverflowError'}, String(way));
    assert.throws(() => x().at(0).set(NaN), {name: 'ValueError'});
    assert.throws(() => np.array([NaN], {dtype: 'int8'}), {name: 'ValueError'});
    assert.deepEqual(x().at(0).set(127.9).js(), [127, 2, 3]); // fractions are cut off
    assert.deepEqual(np.array([-128.9, 1.5], {dtype: 'int8'}).js(), [-128, 1]);
    const y = x();
    np.put(y, [0, 1], [-5, 7]);
    y.set([new Int32Array([2])], [9]);
    assert.deepEqual(y.js(), [-5, 7, 9]);
});
