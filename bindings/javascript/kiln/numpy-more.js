// SPDX-License-Identifier: Apache-2.0
// numpy-more.js -- functions of np that jax-js takes in a form of its own: names of arguments, arguments by position
// that NumPy takes by name alone, defaults.
import {rowCall} from './call.js';
import {define, defineAll} from './signature.js';

const np = (name, ...args) => rowCall('kiln.numpy', name, args);
const spaced = (name, more) => [`${name}(start, stop, num=, ${more.map(m => `${m}=`).join(', ')})`,
    (start, stop, num = 50, ...values) => np(name, start, stop, num,
        Object.fromEntries(more.map((m, i) => [m, values[i]])))];
const compared = name => [`${name}(a1, a2, equal_nan=, *, equalNaN=)`, (a, b, equalNan, equalNaN) =>
    np(name, a, b, ...(equalNan === undefined && equalNaN === undefined ? [] : [{equal_nan: equalNan ?? equalNaN}]))];

export const more = {
    ...defineAll([
        spaced('linspace', ['endpoint', 'retstep', 'dtype', 'axis']),
        spaced('logspace', ['endpoint', 'base', 'dtype', 'axis']),
        spaced('geomspace', ['endpoint', 'dtype', 'axis']),
        ['unwrap(p, discont=, axis=, period=)', (p, discont, axis, period) => np('unwrap', p, {discont, axis, period})],
        ['unstack(x, axis=)', (x, axis) => np('unstack', x, {axis})],
        ['vander(x, N=, increasing=, *, n=)', (x, N, increasing, n) => np('vander', x, {N: N ?? n, increasing})],
        ['take_along_axis(arr, indices, axis=)', (x, indices, axis = -1) => np('take_along_axis', x, indices, axis)],
        compared('array_equal'),
    ]),
    var_: define('var(a, axis=, dtype=, out=, ddof=, keepdims=, *, where=, mean=, correction=)',
        (a, axis, dtype, out, ddof, keepdims, where, mean, correction) =>
            np('var', a, {axis, dtype, out, ddof, keepdims, where, mean, correction})),
};
