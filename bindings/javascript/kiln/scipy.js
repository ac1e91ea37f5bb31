// SPDX-License-Identifier: Apache-2.0
// scipy.js -- jax.scipy and more of scipy: what is more than a row of the table. Results of several parts are arrays.
import {rowCall} from './call.js';
import {errorOf} from './errors.js';
import {defineAll} from './signature.js';
import {FlatFunction} from './function.js';
import {logsumexp} from './nn.js';

const special = (name, ...args) => rowCall('kiln.scipy.special', name, args);
const linalg = (name, ...args) => rowCall('kiln.scipy.linalg', name, args);
const pair = c => (Array.isArray(c) && c.length === 2 && typeof c[0] === 'object' ? c : [c, null]);

export const specialOwn = defineAll([
    ['logsumexp(a, axis=, b=, keepdims=, return_sign=, where=)', logsumexp],
    ['sici(x)', x => [...special('sici', x)]],
    ['fresnel(x)', x => [...special('fresnel', x)]],
    ['lpmn(m, n, z)', (m, n, z) => [...special('lpmn', m, n, z)]],
    ['softmax(x, axis=)', (x, axis) => special('softmax', x, {axis})],
    ['log_softmax(x, axis=)', (x, axis) => special('log_softmax', x, {axis})],
]);

function qr(a, overwriteA, lwork, mode = 'full', pivoting = false) {
    const modes = {full: 'complete', r: 'r', economic: 'reduced'};
    if (!(mode in modes)) throw errorOf('ValueError', `Unsupported QR decomposition mode '${mode}'`);
    const {q, r, p} = linalg('_qr', a, modes[mode], pivoting);
    return [...(mode === 'r' ? [] : [q]), r, ...(pivoting ? [p] : [])];
}
function eigh(a, b, lower = true, valuesOnly = false, type, byIndex, byValue) {
    const y = linalg(valuesOnly ? '_eigvalsh' : '_eigh', a,
                     {uplo: lower ? 'L' : 'U', b, type, subset_by_index: byIndex, subset_by_value: byValue});
    return valuesOnly ? y : [...y];
}
function eighTridiagonal(d, e, valuesOnly = false, select = 'a', range) {
    if (!['a', 'i', 'v'].includes(select)) throw errorOf('ValueError', "'select must have a value in {'a', 'i', 'v'}.");
    const y = linalg(valuesOnly ? '_eigvalsh_tridiagonal' : '_eigh_tridiagonal', d, e,
                     {subset_by_index: select === 'i' ? range : undefined, subset_by_value: select === 'v' ? range
                         : undefined});
    return valuesOnly ? y : [...y];
}
function funm(a, func, disp = true) {
    const f = FlatFunction.of(([x]) => [func(x)], [1], {name: func.name, promised: 1});
    const y = linalg('_funm', a, f);
    return disp ? y[0] : [...y];
}
export const linalgOwn = defineAll([
    ['cholesky(a, lower=, overwrite_a=, check_finite=)', (a, lower = false) => linalg('_cholesky', a, {upper: !lower})],
    ['cho_factor(a, lower=, overwrite_a=, check_finite=)', (a, lower = false) =>
        [linalg('_cho_factor', a, lower), lower]],
    ['cho_solve(c_and_lower, b, overwrite_b=, check_finite=)', ([c, lower], b) => linalg('_cho_solve', c, b, lower)],
    ['lu(a, permute_l=, overwrite_a=, check_finite=)', (a, permuteL = false) => {
        const all = linalg('_lu', a, permuteL);
        return permuteL ? all.slice(1) : [...all];
    }],
    ['lu_factor(a, overwrite_a=, check_finite=)', a => [...linalg('lu_factor', a)]],
    ['lu_solve(lu_and_piv, b, trans=, overwrite_b=, check_finite=)', ([lu, piv], b, trans) =>
        linalg('_lu_solve', lu, piv, b, {trans})],
    ['qr(a, overwrite_a=, lwork=, mode=, pivoting=, check_finite=)', qr],
    ['qr_multiply(a, c, mode=, pivoting=, conjugate=, overwrite_a=, overwrite_c=)',
        (a, c, mode = 'right', pivoting = false, conjugate = false) =>
        [...linalg('_qr_multiply', a, c, mode, pivoting, conjugate)].slice(0, pivoting ? 3 : 2)],
    ['eigh(a, b=, lower=, eigvals_only=, type=, subset_by_index=, subset_by_value=)', eigh],
    ['eigvalsh(a, b=, lower=, type=, subset_by_index=, subset_by_value=)', (a, b, lower, type, byIndex, byValue) =>
        eigh(a, b, lower, true, type, byIndex, byValue)],
    ['eigh_tridiagonal(d, e, *, eigvals_only=, select=, select_range=, tol=)', eighTridiagonal],
    ['eigvalsh_tridiagonal(d, e, select=, select_range=)', (d, e, select, range) =>
        eighTridiagonal(d, e, true, select, range)],
    ['schur(a, output=)', (a, output) => [...linalg('schur', a, output)]],
    ['rsf2csf(T, Z, check_finite=)', (t, z) => [...linalg('rsf2csf', t, z)]],
    ['hessenberg(a, *, calc_q=, overwrite_a=, check_finite=)', (a, calcQ) => {
        const [h, q] = linalg('_hessenberg', a);
        return calcQ ? [h, q] : h;
    }],
    ['svd(a, full_matrices=, compute_uv=, overwrite_a=, check_finite=, lapack_driver=)',
        (a, fullMatrices = true, computeUv = true) => {
        const y = linalg('_svd', a, fullMatrices, computeUv);
        return computeUv ? [...y] : y.s;
    }],
    ['solve_triangular(a, b, trans=, lower=, unit_diagonal=, overwrite_b=, debug=, check_finite=)',
        (a, b, trans, lower, unit) =>
        linalg('_solve_triangular', a, b, {trans: {N: 0, T: 1, C: 2}[trans] ?? trans, lower, unit_diagonal: unit})],
    ['expm_frechet(A, E, *, method=, compute_expm=)', (a, e, method, computeExpm = true) => {
        const y = linalg('_expm_frechet', a, e);
        return computeExpm ? [...y] : y[1];
    }],
    ['funm(A, func, disp=)', funm, {callsUser: true}],
    ['polar(a, side=, *, method=, eps=, max_iterations=)', (a, side) => [...linalg('polar', a, side)]],
    ['hadamard(n, dtype=)', (n, dtype = 'int32') => linalg('_hadamard', n).astype(dtype)],
    ['solve_banded(l_and_u, ab, b)', ([l, u], ab, b) => linalg('_solve_banded', l, u, ab, b)],
    ['solve_toeplitz(c_or_cr, b)', (c, b) => linalg('_solve_toeplitz', ...pair(c), b)],
    ['matmul_toeplitz(c_or_cr, x)', (c, x) => linalg('_matmul_toeplitz', ...pair(c), x)],
]);

// ---- Spectra. A window is a name or its numbers; no detrending is a word in C.
const signal = (name, ...args) => rowCall('kiln.scipy.signal', name, args);
function windowed(window, detrend, more) {
    const named = window === undefined || typeof window === 'string';
    return {...more, window: named ? window : undefined, win: named ? undefined : window,
            ...(detrend === undefined ? {} : {detrend: detrend === false ? 'none' : detrend})};
}
const welchOptions = (window, nperseg, noverlap, nfft, detrend, onesided, scaling, axis, average) =>
    windowed(window, detrend, {nperseg, noverlap, nfft, return_onesided: onesided, scaling, axis, average});
export const signalOwn = defineAll([
    ['stft(x, fs=, window=, nperseg=, noverlap=, nfft=, detrend=, return_onesided=, boundary=, padded=, axis=)',
        (x, fs, window, nperseg, noverlap, nfft, detrend = false, onesided, boundary, padded, axis) =>
            [...signal('_stft', x,
            windowed(window, detrend, {fs, nperseg, noverlap, nfft, return_onesided: onesided,
                                       boundary: boundary === false ? 'none' : boundary, padded, axis}))]],
    ['istft(Zxx, fs=, window=, nperseg=, noverlap=, nfft=, input_onesided=, boundary=, time_axis=, freq_axis=)',
        (z, fs, window, nperseg, noverlap, nfft, onesided, boundary, timeAxis, freqAxis) => [...signal('_istft', z,
            windowed(window, undefined, {fs, nperseg, noverlap, nfft, input_onesided: onesided, boundary,
                                         time_axis: timeAxis, freq_axis: freqAxis}))]],
    ['csd(x, y, fs=, window=, nperseg=, noverlap=, nfft=, detrend=, return_onesided=, scaling=, axis=, average=)',
        (x, y, fs, ...how) => [...signal('_csd', x, y, {fs, ...welchOptions(...how)})]],
    ['welch(x, fs=, window=, nperseg=, noverlap=, nfft=, detrend=, return_onesided=, scaling=, axis=, average=)',
        (x, fs, ...how) => [...signal('_welch', x, {fs, ...welchOptions(...how)})]],
    ['periodogram(x, fs=, window=, nfft=, detrend=, return_onesided=, scaling=, axis=)',
        (x, fs, window, nfft, detrend, onesided, scaling, axis) => [...signal('_periodogram', x,
            windowed(window, detrend, {fs, nfft, return_onesided: onesided, scaling, axis}))]],
]);
