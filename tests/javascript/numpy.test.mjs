// SPDX-License-Identifier: Apache-2.0
// numpy.test.mjs -- each call of data/numpy-calls.json (made by tools/port-calls.py of what NumPy gives) gives what
// NumPy gives: values, shapes, structure, dtypes where no list of JavaScript's numbers is in it; or an error of its
// kind.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';
import {close, kiln, np} from './support.mjs';

await kiln.init({defaultFloat: 'float64'});
const {operands, calls} = JSON.parse(readFileSync(new URL('data/numpy-calls.json', import.meta.url)));
const more = JSON.parse(readFileSync(new URL('data/more-calls.json', import.meta.url))).calls;

const special = {nan: NaN, inf: Infinity, '-inf': -Infinity};
const numberOf = x => (Array.isArray(x) ? {re: numberOf(x[0]), im: numberOf(x[1])} : typeof x !== 'string' ? x
    : x in special ? special[x] : BigInt(x.slice(0, -1)));
const make = ({dtype, shape, data}) => np.array(data.map(numberOf), {dtype, shape});

/** x[index] of an array or of a list. */
const part = (x, ...index) => (x instanceof kiln.Array ? x.slice(...index) : index.length === 1 &&
    typeof index[0] === 'number'
    ? x.at(index[0]) : x.slice(index[0].start ?? 0, index[0].stop ?? undefined));
const ints = x => np.array(x, {dtype: 'int64'});
const names = Object.keys(operands);
const run = js => new Function('np', 'lax', 'scipy', 'Slice', 'part', 'ints', ...names, `return ${js}`)(
    np, kiln.lax, kiln.scipy, kiln.Slice, part, ints, ...names.map(n => make(operands[n])));

function check(got, gives, what, dtypes) {
    if ('list' in gives) {
        assert.ok(Array.isArray(got) || got instanceof kiln.Array, `${what}: a list is wanted, not ${got}`);
        const list = [...got];
        assert.equal(list.length, gives.list.length, what);
        return list.forEach((x, i) => check(x, gives.list[i], `${what} [${i}]`, dtypes));
    }
    if ('text' in gives) return assert.equal(got ?? null, gives.text, what);
    if (got instanceof kiln.Array) {
        assert.deepEqual([...got.shape], gives.shape, `${what}: shape`);
        if (dtypes && gives.dtype) assert.equal(got.dtype, gives.dtype, what);
    }
    close(got, gives.data.map(numberOf), {rtol: 2e-5, atol: 1e-5}, what);
}
// What differs, and why.
const texts = 'dtypes are texts', python = 'a way of Python to say it', jax = 'as jax-js has it';
const differences = new Map([
    ['np.clip(a, 1)', jax], ['np.power(2, -1)', 'numbers alone are floats'],
        ['a.to_device("cpu")', 'devices are asynchronous'],
    ['np.poly1d([1, 2, 3])(2)', python], ['np.poly1d([1, 2, 3])[2]', python],
        ['np.poly1d([1, 2]) == np.poly1d([1, 2])', python],
    ['np.vectorize(lambda x, k=2: x * k)(v, k=3)', python], ['np.add.__name__', python], ['np.abs.__name__', python],
    ['np.add.identity', python], ['np.add.ntypes > 5', python], ['np.modf(v, out=(None, np.zeros(5)))', python],
]);
const reasonOf = line => differences.get(line) ?? (/^np\.dtype\(/.test(line) ||
    /^np\.(bool|float32|int8|complex128)\(/.test(line) ? texts
    : line.startsWith('str(np.poly1d(') ? python : null);
// Literals and ranges have other dtypes here.
const literal = /[[(, ][-\d.]+[\]), ]|true|arange|indices|fromfunction|grid|nanToNum|\[\]/;
for (const {python: line, js, gives, error} of [...calls, ...more]) {
    test(line, {skip: reasonOf(line) ?? false}, () => {
        if (error)
            return assert.throws(() => { const y = run(js); [y].flat().forEach(x => x?.dataSync?.()); },
                `${js} has to throw ${error[0]}`);
        check(run(js), gives, js, !literal.test(js));
    });
}
