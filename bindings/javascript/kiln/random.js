// SPDX-License-Identifier: Apache-2.0
// random.js -- random numbers from keys (jax.random): the same bits as JAX's. A key is an array of two uint32, as in
// jax-js; with {impl} it is one of JAX's typed keys. Integers are int32 and floats float32 unless a dtype is given.
import {isNumber} from './convert.js';
import {errorOf} from './errors.js';
import {asarray} from './creation.js';
import {rowCall} from './call.js';
import {defineAll} from './signature.js';

const call = (name, ...args) => rowCall('kiln.random', name, args);
const cast = x => {
    const y = rowCall('kiln.numpy', 'astype', [x, 'int32']);
    x.dispose();
    return y;
};
const isWhole = x => isNumber(x) && typeof x !== 'boolean';

function randint(key, shape = [], minval, maxval, dtype = 'int32') {
    if (minval === undefined || maxval === undefined)
        throw errorOf('TypeError',
            'randint() misses its bounds: randint(key, shape, minval, maxval) or {minval, maxval}');
    return call('randint', key, shape, minval, maxval, dtype);
}
/** Of numbers below a, or of the entries of an array. Those with replacement are JAX's positions of 32 bits. */
function choice(key, a, shape = [], replace = true, p, axis = 0, mode) {
    const whole = isWhole(a), from = whole ? a : asarray(a);
    if (!replace || p !== undefined) {
        const y = call('choice', key, from, {shape, replace, p, axis, mode});
        return whole ? cast(y) : y;
    }
    const n = whole ? Number(a) : from.shape.at(axis);
    if (!(n > 0)) throw errorOf('ValueError', 'a must be greater than 0 unless no samples are taken');
    const at = call('randint', key, shape, 0, n, 'int32');
    return whole ? at : rowCall('kiln.numpy', 'take', [from, at, {axis}]);
}

/** What is more than a row of the table, under the names of both spellings. */
export const own = defineAll([
    ['key(seed, *, impl=)', (seed, impl) => (impl === undefined ? call('PRNGKey', seed) : call('key', seed, {impl}))],
    ['split(key, num=)', (key, num = 2) => (Array.isArray(num) ? call('_split_shape', key, num)
        : call('_split', key, num))],
    ['bits(key, shape=, dtype=)', (key, shape = [], dtype = 'uint32') => call('_bits', key, shape, dtype)],
    ['bernoulli(key, p=, shape=, mode=)', (key, p = 0.5, shape, mode) => call('bernoulli', key, p, {shape, mode})],
    ['randint(key, shape=, minval=, maxval=, dtype=)', randint],
    ['rademacher(key, shape=, dtype=)', (key, shape = [], dtype = 'int32') => call('rademacher', key, shape, dtype)],
    ['geometric(key, p, shape=, dtype=)', (key, p, shape, dtype = 'int32') =>
        call('geometric', key, p, {shape, dtype})],
    ['poisson(key, lam, shape=, dtype=)', (key, lam, shape, dtype = 'int32') =>
        call('poisson', key, lam, {shape, dtype})],
    ['categorical(key, logits, axis=, shape=, replace=, mode=)', (key, logits, axis, shape, replace, mode) =>
        cast(call('categorical', key, logits, {axis, shape, replace, mode}))],
    ['permutation(key, x, axis=, independent=)', (key, x, axis, independent) => {
        const y = call('permutation', key, x, {axis, independent});
        return isWhole(x) ? cast(y) : y;
    }],
    ['choice(key, a, shape=, replace=, p=, axis=, mode=)', choice],
    ['lognormal(key, sigma=, shape=, dtype=)', (key, sigma = 1, shape, dtype) =>
        call('lognormal', key, sigma, {shape, dtype})],
    ['rayleigh(key, scale=, shape=, dtype=)', (key, scale = 1, shape, dtype) =>
        call('rayleigh', key, scale, {shape, dtype})],
    ['orthogonal(key, n, shape=, dtype=, m=)', (key, n, shape, dtype, m = -1) =>
        call('_orthogonal', key, n, {shape, dtype, m})],
]);
