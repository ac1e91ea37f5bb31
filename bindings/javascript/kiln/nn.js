// SPDX-License-Identifier: Apache-2.0
// nn.js -- functions of neural networks (jax.nn) that are more than a row of the table, and initializers.
import {rowCall} from './call.js';
import {defineAll} from './signature.js';

const call = (name, ...args) => rowCall('kiln.nn', name, args);

/** logsumexp(a, {axis, b, keepdims, returnSign, where}): with returnSign [value, sign of the sum] */
export function logsumexp(a, axis, b, keepdims, returnSign, where) {
    return returnSign ? [...call('_logsumexp_sign', a, {axis, b, keepdims, where})]
        : call('_logsumexp', a, {axis, b, keepdims, where});
}
/** softmax(query key^T scale + bias) value */
function dotProductAttention(query, key, value, bias, mask, scale, isCausal, queryLengths, keyLengths, window,
    implementation,
                             returnResidual) {
    const out = call(returnResidual ? '_dot_product_attention_residual' : '_dot_product_attention', query, key, value, {
        bias, mask, scale, is_causal: isCausal, query_seq_lengths: queryLengths, key_value_seq_lengths: keyLengths,
        local_window_size: typeof window === 'number' ? [window, window] : window,
    });
    return returnResidual ? [...out] : out;
}
export const own = defineAll([
    ['logsumexp(a, axis=, b=, keepdims=, return_sign=, where=)', logsumexp],
    ['dot_product_attention(query, key, value, bias=, mask=, *, scale=, is_causal=, query_seq_lengths=, ' +
        'key_value_seq_lengths=, local_window_size=, implementation=, return_residual=)', dotProductAttention],
]);

// ---- Initializers: functions of (key, shape, dtype) that make parameters, and functions that make those.
const made = (name, given, options) => {
    const init = {[name]: (key, shape, dtype = given) => rowCall('kiln.nn.initializers', name,
        [key, shape, {...options, dtype}])};
    return init[name];
};
const fans = name => [`${name}(in_axis=, out_axis=, batch_axis=, dtype=)`, (inAxis, outAxis, batchAxis, dtype) =>
    made(name, dtype, {in_axis: inAxis, out_axis: outAxis, batch_axis: batchAxis})];
export const initializers = {
    zeros: made('zeros'), ones: made('ones'),
    ...defineAll([
        ['constant(value, dtype=)', (value, dtype) => made('constant', dtype, {value})],
        ['uniform(scale=, dtype=)', (scale, dtype) => made('uniform', dtype, {scale})],
        ['normal(stddev=, dtype=)', (stddev, dtype) => made('normal', dtype, {stddev})],
        ['truncated_normal(stddev=, dtype=, lower=, upper=)', (stddev, dtype, lower, upper) =>
            made('truncated_normal', dtype, {stddev, lower, upper})],
        ['variance_scaling(scale, mode, distribution, in_axis=, out_axis=, batch_axis=, dtype=)',
            (scale, mode, distribution, inAxis, outAxis, batchAxis, dtype) => made('variance_scaling', dtype,
                {scale, mode, distribution, in_axis: inAxis, out_axis: outAxis, batch_axis: batchAxis})],
        ['orthogonal(scale=, column_axis=, dtype=)', (scale, columnAxis, dtype) =>
            made('orthogonal', dtype, {scale, column_axis: columnAxis})],
        ['delta_orthogonal(scale=, column_axis=, dtype=)', (scale, columnAxis, dtype) =>
            made('delta_orthogonal', dtype, {scale, column_axis: columnAxis})],
        ...['glorot_uniform', 'glorot_normal', 'xavier_uniform', 'xavier_normal', 'lecun_uniform', 'lecun_normal',
            'he_uniform', 'he_normal', 'kaiming_uniform', 'kaiming_normal'].map(fans),
    ]),
};
