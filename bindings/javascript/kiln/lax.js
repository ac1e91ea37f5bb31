// SPDX-License-Identifier: Apache-2.0
// lax.js -- what jax.lax has beside the rows of the table, loops and branches: dimension numbers in the forms of JAX
// and of jax-js, words for modes, sums over mapped axes.
import {KilnArray} from './array.js';
import {asarray} from './creation.js';
import {rowCall} from './call.js';
import {errorOf} from './errors.js';
import {broadcastShapes} from './numpy-dtypes.js';
import {defineAll} from './signature.js';
import {stopGradient} from './transforms.js';
import * as tree from './tree.js';

const call = (name, ...args) => rowCall('kiln.lax', name, args);
const np = (name, ...args) => rowCall('kiln.numpy', name, args);

// ---- Words.
const MODES = {clip: 1, fill: 2, drop: 2, promise_in_bounds: 3, promiseInBounds: 3};
function modeOf(mode) {
    if (mode === undefined) return 0;
    if (typeof mode === 'number') return mode;
    if (!(mode in MODES)) throw errorOf('ValueError', `Unknown gather mode "${mode}"`);
    return MODES[mode];
}
/** What becomes of places outside of the array. */
export const GatherScatterMode = Object.freeze({CLIP: 1, FILL_OR_DROP: 2, PROMISE_IN_BOUNDS: 3});
/** What becomes of halves. */
export const RoundingMethod = Object.freeze({AWAY_FROM_ZERO: 0, TO_NEAREST_EVEN: 1});
export const FftType = Object.freeze({FFT: 'FFT', IFFT: 'IFFT', RFFT: 'RFFT', IRFFT: 'IRFFT'});
/** Generators of rngBitGenerator. */
export const RandomAlgorithm = Object.freeze({RNG_DEFAULT: 0, RNG_THREE_FRY: 1, RNG_PHILOX: 2});
/** Taken and not needed: products are as precise as their dtype. */
export const Precision = Object.freeze({DEFAULT: 0, HIGH: 1, HIGHEST: 2});

const isPlain = x => x !== null && typeof x === 'object' && Object.getPrototypeOf(x) === Object.prototype;
const member = (o, snake, camelName) => o[camelName] ?? o[snake] ?? [];

/** Positions of axes, {lhsSpec, rhsSpec, outSpec}, from words as ["NCHW", "OIHW", "NCHW"]. */
function convDimensionNumbers(lhsShape, rhsShape, numbers = null) {
    if (isPlain(numbers)) return numbers;
    const {lhsSpec, rhsSpec, outSpec} = call('_conv_dimension_numbers', lhsShape, rhsShape, numbers);
    return {lhsSpec, rhsSpec, outSpec};
}
const specOf = numbers => (isPlain(numbers) ? [numbers.lhsSpec, numbers.rhsSpec, numbers.outSpec] : numbers);
// JAX's names, as objects or five lists in this order
const gatherNumbers = n => (isPlain(n) ? [member(n, 'offset_dims', 'offsetDims'),
    member(n, 'collapsed_slice_dims', 'collapsedSliceDims'), member(n, 'start_index_map', 'startIndexMap'),
    member(n, 'operand_batching_dims', 'operandBatchingDims'),
    member(n, 'start_indices_batching_dims', 'startIndicesBatchingDims')] : n);
const scatterNumbers = n => (isPlain(n) ? [member(n, 'update_window_dims', 'updateWindowDims'),
    member(n, 'inserted_window_dims', 'insertedWindowDims'),
    member(n, 'scatter_dims_to_operand_dims', 'scatterDimsToOperandDims'),
    member(n, 'operand_batching_dims', 'operandBatchingDims'),
    member(n, 'scatter_indices_batching_dims', 'scatterIndicesBatchingDims')] : n);

const scatter = name =>
    [`${name}(operand, scatter_indices, updates, dimension_numbers, *, indices_are_sorted=, unique_indices=, mode=)`,
    (operand, at, updates, numbers, sorted, unique, mode) => call(`_${name}`, operand, at, updates,
        scatterNumbers(numbers),
        {indices_are_sorted: sorted, unique_indices: unique, mode: modeOf(mode)})];

// ---- Products.
/** JAX's lax.dot; with jax-js's lists of axes, {lhsContractingDims, rhsContractingDims, lhsBatchDims, rhsBatchDims}, or
 * JAX's {dimensionNumbers}, the general product. */
function dot(lhs, rhs, dimensionNumbers, lc, rc, lb, rb) {
    if ([lc, rc, lb, rb].some(d => d !== undefined)) {
        const [x, y] = [asarray(lhs), asarray(rhs)];
        const axes = (list, a) => (list ?? []).map(i => (i < 0 ? i + a.ndim : i));
        dimensionNumbers = [[axes(lc, x), axes(rc, y)], [axes(lb, x), axes(rb, y)]];
        if (dimensionNumbers.some(([a, b]) => a.length !== b.length)) {
            throw errorOf('ValueError', `dot: lists of dimensions that belong together differ in length: ${
                JSON.stringify(dimensionNumbers)}`);
        }
    }
    return dimensionNumbers === undefined ? call('_dot', lhs, rhs) : call('dot_general', lhs, rhs, dimensionNumbers);
}
// jax-js's axes are those of convGeneralDilated, N C and O I first; JAX's are NHWC unless they are given.
function convTranspose(lhs, rhs, strides, padding, rhsDilation, numbers, transposeKernel, useConsistentPadding) {
    const spatial = 'DHW'.slice(-strides.length) || '';
    if (numbers === undefined && strides.length <= 3)
        numbers = [`NC${spatial}`, `OI${spatial}`, `NC${spatial}`];
    return call('conv_transpose', lhs, rhs, strides, padding, {
        rhs_dilation: rhsDilation, dimension_numbers: specOf(numbers), transpose_kernel: transposeKernel ?? false,
        use_consistent_padding: useConsistentPadding ?? true,
    });
}

// ---- Sums over mapped axes.
const over = (row, x, ...rest) => tree.map(v => call(row, v, ...rest), x);
const collective = (name, row = `_${name}`) => [`${name}(x, axis_name, *, axis_index_groups=)`, (x, axis, groups) =>
    over(row, x, axis, {axis_index_groups: groups})];

// Positions: a number that jit gets is a float, as in jax-js, and means a position here.
const position = x => (x instanceof KilnArray && x.dtype.startsWith('float') ? np('astype', x, 'int32') : x);
const starts = x => (x?.ndim === 1 || Array.isArray(x) ? [...x].map(position) : position(x));

export const own = defineAll([
    ['conv_dimension_numbers(lhs_shape, rhs_shape, dimension_numbers=)', convDimensionNumbers],
    ['conv_general_permutations(dimension_numbers)', n => {
        const shape = Array(n[0].length).fill(1), {lhsSpec, rhsSpec, outSpec} = convDimensionNumbers(shape, shape, n);
        return [lhsSpec, rhsSpec, outSpec];
    }],
    ['conv_general_dilated(lhs, rhs, window_strides, padding, lhs_dilation=, rhs_dilation=, dimension_numbers=, ' +
        'feature_group_count=, batch_group_count=, precision=, preferred_element_type=)',
        (lhs, rhs, strides, padding, lhsDilation, rhsDilation, numbers, groups, batchGroups, precision, type) =>
            call('conv_general_dilated', lhs, rhs, strides, padding, {
                lhs_dilation: lhsDilation, rhs_dilation: rhsDilation, dimension_numbers: specOf(numbers),
                feature_group_count: groups, batch_group_count: batchGroups, precision, preferred_element_type: type,
            })],
    ['conv_with_general_padding(lhs, rhs, window_strides, padding, lhs_dilation=, rhs_dilation=)',
        (lhs, rhs, strides, padding, lhsDilation, rhsDilation) => call('conv_general_dilated', lhs, rhs, strides,
            padding,
            {lhs_dilation: lhsDilation, rhs_dilation: rhsDilation})],
    ['conv_transpose(lhs, rhs, strides, padding, rhs_dilation=, dimension_numbers=, transpose_kernel=, ' +
        'use_consistent_padding=)',
        convTranspose],
    ['dot(lhs, rhs, *, dimension_numbers=, lhs_contracting_dims=, rhs_contracting_dims=, lhs_batch_dims=, ' +
        'rhs_batch_dims=)', dot],
    ['gather(operand, start_indices, dimension_numbers, slice_sizes, *, unique_indices=, ' +
        'indices_are_sorted=, mode=, fill_value=)',
        (operand, at, numbers, sizes, unique, sorted, mode, fill) =>
            call('_gather', operand, at, gatherNumbers(numbers), sizes,
            {unique_indices: unique, indices_are_sorted: sorted, mode: modeOf(mode), fill_value: fill})],
    ...['scatter', 'scatter_add', 'scatter_sub', 'scatter_mul', 'scatter_min', 'scatter_max'].map(scatter),
    ['round(x, rounding_method=)', (x, method = 0) => call('_round', x, method)],
    ['fft(x, fft_type, fft_lengths)', (x, type, lengths) =>
        call('_fft', x, typeof type === 'number' ? ['FFT', 'IFFT', 'RFFT', 'IRFFT'][type] : String(type).toUpperCase(),
            lengths)],
    ['rng_bit_generator(key, shape, dtype=, algorithm=)', (key, shape, dtype, algorithm) =>
        [...call('_rng_bit_generator', key, shape, {dtype, algorithm})]],
    ['full_like(x, fill_value, dtype=, shape=)', (x, value, dtype, shape) =>
        call('_full_like', x, value, {dtype, shape})],
    ['sort(operand, dimension=, is_stable=, num_keys=)', (operand, dimension = -1, isStable = true, numKeys = 1) => {
        const isList = Array.isArray(operand), n = isList ? operand.length : 1;
        if (isList && !n) throw errorOf('TypeError', 'Sort requires at least one operand');
        if (numKeys < 1 || numKeys > n) throw errorOf('ValueError', `numKeys=${numKeys} must be between 1 and ${n}`);
        return isList ? call('_sort', operand, dimension, isStable, numKeys)
            : call('_sort_one', operand, dimension, isStable);
    }],
    ['dynamic_slice(operand, start_indices, slice_sizes=)', (operand, at, sizes) =>
        call('_dynamic_slice', operand, starts(at), sizes)],
    ['dynamic_update_slice(operand, update, start_indices)', (operand, update, at) =>
        call('_dynamic_update_slice', operand, update, starts(at))],
    ['dynamic_index_in_dim(operand, index, axis=, keepdims=)', (operand, at, axis, keepdims) =>
        call('dynamic_index_in_dim', operand, position(at), {axis, keepdims})],
    ['dynamic_slice_in_dim(operand, start_index, slice_size, axis=)', (operand, at, size, axis) =>
        call('dynamic_slice_in_dim', operand, position(at), size, {axis})],
    ['dynamic_update_index_in_dim(operand, update, index, axis)', (operand, update, at, axis) =>
        call('dynamic_update_index_in_dim', operand, update, position(at), axis)],
    ['dynamic_update_slice_in_dim(operand, update, start_index, axis)', (operand, update, at, axis) =>
        call('dynamic_update_slice_in_dim', operand, update, position(at), axis)],
    ['top_k(operand, k, axis=)', (operand, k, axis) => [...call('top_k', operand, k, {axis})]],
    ['approx_max_k(operand, k, reduction_dimension=, recall_target=)', (x, k, axis) =>
        [...call('_approx_max_k', x, k, {reduction_dimension: axis})]],
    ['approx_min_k(operand, k, reduction_dimension=, recall_target=)', (x, k, axis) =>
        [...call('_approx_min_k', x, k, {reduction_dimension: axis})]],
    ['broadcast_shapes(*shapes)', shapes => broadcastShapes(...shapes)],
    ['optimization_barrier(operand)', x => {
        const [leaves, def] = tree.flatten(x);
        return def.unflatten(call('_optimization_barrier', leaves));
    }],
    ['stop_gradient(x)', stopGradient],
    ...['psum', 'pmean', 'pmax', 'pmin'].map(n => collective(n)),
    ['all_gather(x, axis_name, *, axis_index_groups=, axis=, tiled=)', (x, name, groups, axis, tiled) =>
        over('_all_gather', x, name, {axis_index_groups: groups, axis, tiled})],
    ['all_to_all(x, axis_name, split_axis, concat_axis, *, axis_index_groups=, tiled=)',
        (x, name, split, concat, groups, tiled) =>
        over('_all_to_all', x, name, split, concat, {axis_index_groups: groups, tiled})],
    ['psum_scatter(x, axis_name, *, scatter_dimension=, axis_index_groups=, tiled=)',
        (x, name, dimension, groups, tiled) =>
        over('_psum_scatter', x, name, {scatter_dimension: dimension, axis_index_groups: groups, tiled})],
    ['ppermute(x, axis_name, perm)', (x, name, perm) => over('_ppermute', x, name, perm)],
    ['pshuffle(x, axis_name, perm)', (x, name, perm) => over('_pshuffle', x, name, perm)],
    ['pswapaxes(x, axis_name, axis)', (x, name, axis) => over('_pswapaxes', x, name, axis)],
    ['pbroadcast(x, axis_name, source)', (x, name, source) => over('_pbroadcast', x, name, source)],
]);
Object.assign(own, {GatherScatterMode, RoundingMethod, FftType, RandomAlgorithm, Precision});

// ---- lax.linalg
const la = (name, ...args) => rowCall('kiln.lax.linalg', name, args);
const given = list => list.filter(v => v !== null);
export const linalg = defineAll([
    ['cholesky(x, *, upper=, symmetrize_input=)', (x, upper = false, symmetrize) => {
        const l = la('cholesky', x, {symmetrize_input: symmetrize});
        return upper ? np('conj', np('swapaxes', l, -1, -2)) : l;
    }],
    ['svd(x, *, full_matrices=, compute_uv=, subset_by_index=)', (x, fullMatrices = false, computeUv = true,
        subset) => {
        const y = la('_svd', x, fullMatrices, computeUv, {subset_by_index: subset});
        return computeUv ? [...y] : y.s;
    }],
    ['qr(x, *, pivoting=, full_matrices=)', (x, pivoting = false, fullMatrices = true) =>
        [...la('qr', x, {pivoting, full_matrices: fullMatrices})].slice(0, pivoting ? 3 : 2)],
    ['eig(x, *, compute_left_eigenvectors=, compute_right_eigenvectors=)', (x, left, right) =>
        given([...la('eig', x, {compute_left_eigenvectors: left, compute_right_eigenvectors: right})])],
    ['schur(x, *, compute_schur_vectors=)', (x, vectors) =>
        given([...la('schur', x, {compute_schur_vectors: vectors})])],
]);
