// SPDX-License-Identifier: Apache-2.0
// numpy-linalg.js -- linear algebra, Fourier transforms and polynomials: what NumPy has in another form than the table.
import {describe, errorOf} from './errors.js';
import {isComplex, isNumber} from './convert.js';
import {dtypeKind} from './dtype.js';
import {isTracing} from './handles.js';
import {isPlain, rowCall} from './call.js';
import {asarray} from './creation.js';
import {tensordotOf} from './numpy-functional.js';
import {ensure} from './engine.js';
import {defineAll} from './signature.js';
import {registerNode} from './tree.js';

const np = (name, ...args) => rowCall('kiln.numpy', name, args);
const la = (name, ...args) => rowCall('kiln.numpy.linalg', name, args);

/** Complex results whose imaginary parts are all 0, as real ones; inside of a trace nobody knows. */
function realIfReal(...x) {
    if (isTracing() || dtypeKind(x[0].dtype) !== 'c' || np('any', np('not_equal', x[0].imag, 0)).item()) return x;
    return x.map(y => np('copy', y.real));
}
const isReal = a => dtypeKind(a.dtype) !== 'c';
const named = (all, ...names) => names.reduce((o, n, i) => Object.defineProperty(o, n, {value: o[i]}), [...all]);
const order = (ord, name = 'ord') => (typeof ord === 'string' ? {named: ord === 'f' ? 'fro' : ord} : {[name]: ord});
const isTolerances = t => t !== undefined && !isNumber(t) && asarray(t).ndim > 0;
const cutoff = (s, relative) => np('multiply', np('max', s, {axis: -1, keepdims: true, initial: 0}),
    asarray(relative).slice('...', null));

function norm(x, ord, axis, keepdims = false) {
    const a = asarray(x), n = axis === undefined ? a.ndim : [axis].flat().length;
    if (typeof ord === 'string' && n === 1) throw errorOf('ValueError', `Invalid norm order '${ord}' for vectors`);
    if (typeof ord === 'string' && n === 2 && !['fro', 'f', 'nuc'].includes(ord))
        throw errorOf('ValueError', 'Invalid norm order for matrices.');
    return la('norm', a, {axis, keepdims, ...order(ord)});
}
function qr(a, mode = 'reduced') {
    if (!['reduced', 'complete', 'r', 'raw'].includes(mode)) throw errorOf('ValueError', `Unrecognized mode '${typeof mode === 'string' ? mode : describe(mode)}'`);
    const [q, r] = la('qr', a, mode);
    return mode === 'r' ? r : named([q, r], 'Q', 'R');
}
function matrixRank(A, tol, hermitian = false, rtol) {
    if (tol !== undefined && rtol !== undefined) throw errorOf('ValueError', "`tol` and `rtol` can't be both set.");
    const x = asarray(A);
    if (x.ndim < 2 || !(isTolerances(tol) || isTolerances(rtol))) return la('matrix_rank', x, {tol, hermitian, rtol});
    const s = la('svd', x, true, false, hermitian)[1];
    return np('count_nonzero', np('greater', s, rtol === undefined ? asarray(tol).slice('...', null)
        : cutoff(s, rtol)), {axis: -1});
}
function pinv(a, rcond, hermitian = false, rtol) {
    if (rcond !== undefined && rtol !== undefined) throw errorOf('ValueError', "`rtol` and `rcond` can't be both set.");
    const x = asarray(a), relative = rtol ?? rcond;
    if (!isTolerances(relative)) return la('pinv', x, {rcond, hermitian, rtol});
    const [u, s, vh] = la('svd', np('conj', x), false, true, hermitian), kept = np('greater', s, cutoff(s, relative));
    const inverse = np('where', kept, np('divide', 1, np('where', kept, s, 1)), 0);
    return np('matmul', vh.mT, np('multiply', np('astype', inverse, s.dtype).slice('...', null), u.mT));
}
const svd = (a, fullMatrices = true, computeUv = true, hermitian = false) => {
    const all = la('svd', a, fullMatrices, computeUv, hermitian);
    return computeUv ? named(all, 'U', 'S', 'Vh') : all[1];
};
const eig = a => {
    const x = asarray(a), both = la('eig', x);
    return named(isReal(x) ? realIfReal(...both) : both, 'eigenvalues', 'eigenvectors');
};
const eigvals = a => {
    const x = asarray(a), w = la('eigvals', x);
    return isReal(x) ? realIfReal(w)[0] : w;
};
export const linalg = defineAll([
    ['eig(a)', eig],
    ['eigvals(a)', eigvals],
    ['eigh(a, UPLO=)', (a, UPLO = 'L') => named(la('eigh', a, UPLO), 'eigenvalues', 'eigenvectors')],
    ['slogdet(a)', a => named(la('slogdet', a), 'sign', 'logabsdet')],
    ['svd(a, full_matrices=, compute_uv=, hermitian=)', svd],
    ['qr(a, mode=)', qr],
    ['norm(x, ord=, axis=, keepdims=)', norm],
    ['matrix_norm(x, *, keepdims=, ord=)', (x, keepdims = false, ord = 'fro') =>
        la('matrix_norm', x, {keepdims, ...order(ord)})],
    ['cond(x, p=)', (x, p) => la('cond', x, order(p, 'p'))],
    ['matrix_rank(A, tol=, hermitian=, *, rtol=)', matrixRank],
    ['pinv(a, rcond=, hermitian=, *, rtol=)', pinv],
    ['tensordot(x1, x2, axes=)', tensordotOf('kiln.numpy.linalg')],
    ['lstsq(a, b, rcond=)', (a, b, rcond) => {
        const [x, residuals, rank, s] = la('lstsq', a, b, rcond);
        return named([x, residuals, np('astype', rank, 'int32'), s], 'x', 'residuals', 'rank', 's');
    }],
]);

// ---- Fourier transforms: jax-js's take and return {real, imag}; arrays have these two, so that results are such
// pairs.
const isPair = x => isPlain(x) && x.real !== undefined && x.imag !== undefined;
const joined = x => (isPair(x) ? rowCall('kiln.lax', 'complex', [asarray(x.real), asarray(x.imag)]) : x);
const transforms = ['fft', 'fft2', 'fftn', 'ifft', 'ifft2', 'ifftn', 'irfft', 'irfft2', 'irfftn', 'hfft', 'rfft',
    'rfft2', 'rfftn', 'ihfft'];
export const fft = Object.fromEntries(transforms.map(name => [name, {[name](a, ...rest) {
    ensure();
    if (isPair(a) && typeof rest[0] === 'number') rest = [{axis: rest[0]}]; // jax-js: fft(pair, axis)
    return rowCall('kiln.numpy.fft', name, [joined(a), ...rest]);
}}[name]]));

// ---- Polynomials of one variable, by their coefficients from the highest power on.
const coefficients = p => (p instanceof Poly1d ? p.coeffs : p);
export class Poly1d {
    #coeffs;
    constructor(c, {r = false, variable = 'x'} = {}) {
        ensure();
        this.#coeffs = c instanceof Poly1d ? c.coeffs : np('_poly1d', asarray(c), {r});
        this.variable = variable;
    }
    get coeffs() { return this.#coeffs; }
    get c() { return this.#coeffs; }
    get order() { return this.#coeffs.length - 1; }
    get roots() { return roots(this); }
    #with(other, name) { return new Poly1d(np(name, this.#coeffs, new Poly1d(other).coeffs)); }
    neg() { return new Poly1d(np('negative', this.#coeffs)); }
    add(other) { return this.#with(other, 'polyadd'); }
    sub(other) { return this.#with(other, 'polysub'); }
    mul(other) { return isNumber(other) ? new Poly1d(np('multiply', this.#coeffs, other))
        : this.#with(other, 'polymul'); }
    div(other) {
        if (isNumber(other)) return new Poly1d(np('divide', this.#coeffs, other));
        return np('polydiv', this.#coeffs, new Poly1d(other).coeffs).map(p => new Poly1d(p));
    }
    pow(n) {
        if (!Number.isInteger(n) || n < 0) throw errorOf('ValueError', 'Power to non-negative integers only.');
        let y = new Poly1d([1]);
        for (let i = 0; i < n; i++) y = y.mul(this);
        return y;
    }
    /** The polynomial's value. */
    at(x) { return np('polyval', this.#coeffs, x); }
    /** The coefficient of a power. */
    coefficient(power) { return power > this.order || power < 0 ? 0 : this.#coeffs.item(this.order - power); }
    equals(other) { return other instanceof Poly1d && np('array_equal', this.#coeffs, other.coeffs); }
    integ(m = 1, k = 0) { return new Poly1d(np('polyint', this.#coeffs, {m, k})); }
    deriv(m = 1) { return new Poly1d(np('polyder', this.#coeffs, {m})); }
    toString() {
        return this.#coeffs.tolist().map((v, i) => [v, this.order - i]).filter(([v]) => v !== 0)
            .map(([v, n]) =>
                `${isComplex(v) ? `(${v.re}+${v.im}j)` : v}${n ? ` ${this.variable}${n > 1 ? `**${n}` : ''}` : ''}`)
            .join(' + ').replaceAll('+ -', '- ') || '0';
    }
}
registerNode(Poly1d, p => [[p.coeffs], p.variable], (variable, [c]) => new Poly1d(c, {variable}));
const roots = p => realIfReal(np('roots', coefficients(p)))[0];
const made = (name, ...polys) => {
    const last = isPlain(polys.at(-1)) ? [polys.pop()] : [], y = np(name, ...polys.map(coefficients), ...last);
    if (!polys.some(p => p instanceof Poly1d)) return Array.isArray(y) ? [...y] : y;
    return Array.isArray(y) ? y.map(p => new Poly1d(p)) : new Poly1d(y);
};
function polyfit(x, y, deg, rcond, full = false, w, cov = false) {
    if (full) {
        const [c, residuals, rank, s] = np('_polyfit', x, y, deg,
            {rcond, w, residuals: true, rank: true, singular_values: true});
        const a = asarray(x), eps = np('_finfo', 'fc'.includes(dtypeKind(a.dtype)) ? a.dtype : 'float64').eps;
        return [c, residuals, np('astype', rank, 'int32'), s, rcond ?? a.length * eps];
    }
    const all = np('_polyfit', x, y, deg, {rcond, w, ...(cov ? {cov: true, unscaled: cov === 'unscaled'} : {})});
    return cov ? [...all] : all;
}
export const polynomials = {
    Poly1d, poly1d: (c, r = false, variable = 'x') => new Poly1d(c, {r, variable}),
    ...defineAll([
        ['polyfit(x, y, deg, rcond=, full=, w=, cov=)', polyfit],
        ['polyadd(a1, a2)', (a, b) => made('polyadd', a, b)],
        ['polysub(a1, a2)', (a, b) => made('polysub', a, b)],
        ['polymul(a1, a2)', (a, b) => made('polymul', a, b)],
        ['polydiv(u, v)', (a, b) => made('polydiv', a, b)],
        ['polyder(p, m=)', (p, m = 1) => made('polyder', p, {m})],
        ['polyint(p, m=, k=)', (p, m = 1, k) => made('polyint', p, {m, k})],
        ['polyval(p, x)', (p, x) => np('polyval', coefficients(p), x)],
        ['roots(p)', roots],
    ]),
};
