/* SPDX-License-Identifier: Apache-2.0
 * reference_linalg.c -- Cholesky and LU factors and triangular systems by their definitions, in long double. Errors are
 * measured against the largest element of a matrix. */
#include "cases.h"

#include <math.h>

static num times(num a, num b) { return (num){.re = a.re * b.re - a.im * b.im, .im = a.re * b.im + a.im * b.re}; }
static num minus(num a, num b) { return (num){.re = a.re - b.re, .im = a.im - b.im}; }
static num conjugate(num a) { return (num){.re = a.re, .im = -a.im}; }
static num over(num a, num b)
{
    long double s = b.re * b.re + b.im * b.im;
    num p = times(a, conjugate(b));
    return (num){.re = p.re / s, .im = p.im / s};
}

/* Matrix number k of a stack. */
static num *matrix_at(const tensor *t, int64_t k) { return t->at + k * t->dim[t->ndim - 1] * t->dim[t->ndim - 2]; }
static int64_t stack_size(const tensor *t)
{
    int64_t n = 1;
    for (int i = 0; i < t->ndim - 2; i++)
        n *= t->dim[i];
    return n;
}

static void set_scale(num *x, int64_t n)
{
    long double most = 0;
    for (int64_t i = 0; i < n; i++)
        most = fmaxl(most, hypotl(x[i].re, x[i].im));
    for (int64_t i = 0; i < n; i++)
        x[i].scale = most;
}

/* Of x with 2 n + 2 added to the diagonal: see build_cholesky. */
void ref_cholesky(call *c)
{
    const tensor *x = &c->x[0];
    tensor *y = result(c, x->dtype, x->ndim, x->dim);
    int64_t n = x->dim[x->ndim - 1];
    for (int64_t k = 0; k < stack_size(x); k++) {
        const num *a = matrix_at(x, k);
        num *l = matrix_at(y, k);
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = j; i < n; i++) {
                num v = a[i * n + j];
                v.re += i == j ? 2 * n + 2 : 0;
                for (int64_t p = 0; p < j; p++)
                    v = minus(v, times(l[i * n + p], conjugate(l[j * n + p])));
                num d = l[j * n + j];
                l[i * n + j] = i == j ? (num){.re = sqrtl(v.re)} : (num){.re = v.re / d.re, .im = v.im / d.re};
            }
        set_scale(l, n * n);
    }
}

static int64_t pivot_of(const num *a, int64_t m, int64_t n, int64_t j)
{
    int64_t best = j;
    for (int64_t i = j + 1; i < m; i++) {
        num x = a[i * n + j], y = a[best * n + j];
        if (fabsl(x.re) + fabsl(x.im) > fabsl(y.re) + fabsl(y.im))
            best = i;
    }
    return best;
}

static void lu_of(num *a, int64_t m, int64_t n, num *pivots, num *permutation)
{
    for (int64_t i = 0; i < m; i++)
        permutation[i].bits = (uint64_t)i;
    for (int64_t j = 0; j < m && j < n; j++) {
        int64_t p = pivot_of(a, m, n, j);
        num t = permutation[j];
        pivots[j].bits = (uint64_t)p;
        permutation[j] = permutation[p];
        permutation[p] = t;
        for (int64_t k = 0; k < n; k++) {
            t = a[j * n + k];
            a[j * n + k] = a[p * n + k];
            a[p * n + k] = t;
        }
        for (int64_t i = j + 1; i < m; i++) {
            num l = a[i * n + j] = over(a[i * n + j], a[j * n + j]);
            for (int64_t k = j + 1; k < n; k++)
                a[i * n + k] = minus(a[i * n + k], times(l, a[j * n + k]));
        }
    }
    set_scale(a, m * n);
}

/* With `raised` of another matrix: see build_lu. */
static void factors(call *c, bool raised)
{
    const tensor *x = &c->x[0];
    int64_t dim[MAX_RANK], m = x->dim[x->ndim - 2], n = x->dim[x->ndim - 1], least = m < n ? m : n;
    for (int i = 0; i < x->ndim; i++)
        dim[i] = x->dim[i];
    tensor *lu = result(c, x->dtype, x->ndim, dim);
    dim[x->ndim - 2] = least;
    tensor *pivots = result(c, KN_DT(I32), x->ndim - 1, dim);
    dim[x->ndim - 2] = m;
    tensor *permutation = result(c, KN_DT(I32), x->ndim - 1, dim);
    for (int64_t k = 0; k < stack_size(x); k++) {
        num *a = matrix_at(lu, k);
        for (int64_t i = 0; i < m * n; i++) {
            int64_t row = raised ? m - 1 - i / n : i / n;
            a[i] = matrix_at(x, k)[row * n + i % n];
            a[i].re += raised && row == i % n ? LU_RAISED : 0;
        }
        lu_of(a, m, n, pivots->at + k * least, permutation->at + k * m);
    }
}
void ref_lu(call *c) { factors(c, false); }
void ref_raised_lu(call *c) { factors(c, true); }

void ref_lu_pivots_to_permutation(call *c)
{
    const tensor *x = &c->x[0];
    int64_t dim[MAX_RANK], k = x->dim[x->ndim - 1];
    int64_t m = ((const kni_p_lu_pivots_to_permutation *)c->params)->permutation_size;
    for (int i = 0; i < x->ndim; i++)
        dim[i] = i < x->ndim - 1 ? x->dim[i] : m;
    tensor *y = result(c, KN_DT(I32), x->ndim, dim);
    for (int64_t e = 0; e < y->n; e++) { /* the element is followed through the swaps from the last to the first */
        const num *pivot = x->at + e / m * k;
        int64_t at = e % m;
        for (int64_t i = k; i-- > 0;) {
            int64_t other = (int64_t)pivot[i].bits;
            if (other >= 0 && other < m)
                at = at == i ? other : at == other ? i : at;
        }
        y->at[e].bits = (uint64_t)at;
    }
}

/* Element i,k of op(a), with zeros where the triangle is not. */
static num element(const kni_p_triangular_solve *p, const num *a, int64_t m, int64_t i, int64_t k)
{
    int64_t row = p->transpose_a ? k : i, column = p->transpose_a ? i : k;
    if (row == column && p->unit_diagonal)
        return (num){.re = 1};
    if (p->lower ? row < column : row > column)
        return (num){.re = 0};
    return p->conjugate_a ? conjugate(a[row * m + column]) : a[row * m + column];
}

void ref_triangular_solve(call *c)
{
    const kni_p_triangular_solve *p = c->params;
    const tensor *a = &c->x[0], *b = &c->x[1];
    tensor *y = result(c, b->dtype, b->ndim, b->dim);
    int64_t m = a->dim[a->ndim - 1], rows = b->dim[b->ndim - 2], columns = b->dim[b->ndim - 1];
    int64_t n = p->left_side ? columns : rows;
    bool forward = (p->lower != p->transpose_a) == p->left_side;
    for (int64_t i = 0; i < b->n; i++)
        y->at[i] = b->at[i];
    for (int64_t k = 0; k < stack_size(b); k++) {
        const num *t = matrix_at(a, k);
        num *x = matrix_at(y, k);
        for (int64_t s = 0; s < m; s++)
            for (int64_t j = 0; j < n; j++) {
                int64_t i = forward ? s : m - 1 - s, step = p->left_side ? n : 1;
                num *v = x + (p->left_side ? j : j * m);
                for (int64_t q = 0; q < s; q++) {
                    int64_t known = forward ? q : m - 1 - q;
                    num e = p->left_side ? element(p, t, m, i, known) : element(p, t, m, known, i);
                    v[i * step] = minus(v[i * step], times(e, v[known * step]));
                }
                v[i * step] = over(v[i * step], element(p, t, m, i, i));
            }
        set_scale(x, rows * columns);
    }
}

/* ---- What factors make together. */

static num plus(num a, num b) { return (num){.re = a.re + b.re, .im = a.im + b.im}; }

/* Element i,j of matrix k as it is, or of the Hermitian matrix whose lower triangle it has. */
static num entry(const tensor *x, int64_t k, int64_t i, int64_t j, bool hermitian)
{
    int64_t n = x->dim[x->ndim - 1];
    const num *a = matrix_at(x, k);
    if (!hermitian || i > j)
        return a[i * n + j];
    return i == j ? (num){.re = a[i * n + j].re} : conjugate(a[j * n + i]);
}

static void same(call *c, bool hermitian)
{
    const tensor *x = &c->x[0];
    tensor *y = result(c, x->dtype, x->ndim, x->dim);
    int64_t m = x->dim[x->ndim - 2], n = x->dim[x->ndim - 1];
    for (int64_t k = 0; k < stack_size(x); k++) {
        for (int64_t i = 0; i < m * n; i++)
            matrix_at(y, k)[i] = entry(x, k, i / n, i % n, hermitian);
        set_scale(matrix_at(y, k), m * n);
    }
}

/* x^H x, or (outer) x x^H */
static void gram(call *c, bool outer, bool hermitian)
{
    const tensor *x = &c->x[0];
    int64_t dim[MAX_RANK], m = x->dim[x->ndim - 2], n = x->dim[x->ndim - 1], size = outer ? m : n, sum = outer ? n : m;
    for (int i = 0; i < x->ndim; i++)
        dim[i] = i < x->ndim - 2 ? x->dim[i] : size;
    tensor *y = result(c, x->dtype, x->ndim, dim);
    for (int64_t k = 0; k < stack_size(x); k++) {
        for (int64_t i = 0; i < size; i++)
            for (int64_t j = 0; j < size; j++) {
                num v = {0};
                for (int64_t p = 0; p < sum; p++) {
                    num a = entry(x, k, outer ? i : p, outer ? p : i, hermitian);
                    num b = entry(x, k, outer ? j : p, outer ? p : j, hermitian);
                    v = plus(v, outer ? times(a, conjugate(b)) : times(conjugate(a), b));
                }
                matrix_at(y, k)[i * size + j] = v;
            }
        set_scale(matrix_at(y, k), size * size);
    }
}

void ref_unchanged(call *c) { same(c, false); }
void ref_unchanged_twice(call *c)
{
    same(c, false);
    same(c, false);
}
void ref_gram_alone(call *c) { gram(c, false, false); }
void ref_gram(call *c)
{
    same(c, false);
    gram(c, false, false);
}
void ref_outer_gram(call *c)
{
    same(c, false);
    gram(c, true, false);
}
void ref_hermitian(call *c)
{
    same(c, true);
    gram(c, false, true);
}

void ref_row_sums(call *c)
{
    const tensor *x = &c->x[0];
    int64_t m = x->dim[x->ndim - 2], n = x->dim[x->ndim - 1];
    tensor *y = result(c, x->dtype, x->ndim - 1, x->dim);
    for (int64_t k = 0; k < stack_size(x); k++) {
        for (int64_t i = 0; i < m; i++) {
            num v = {0};
            for (int64_t j = 0; j < n; j++)
                v = plus(v, matrix_at(x, k)[i * n + j]);
            y->at[k * m + i] = v;
        }
        set_scale(y->at + k * m, m);
    }
}

/* Of the Hermitian matrix: the trace, and the sum of the squares of all elements. */
void ref_trace(call *c)
{
    const tensor *x = &c->x[0];
    int64_t n = x->dim[x->ndim - 1];
    for (int which = 0; which < 2; which++) {
        tensor *y = result(c, knx_component(x->dtype), x->ndim - 2, x->dim);
        for (int64_t k = 0; k < stack_size(x); k++) {
            num v = {0};
            for (int64_t i = 0; i < n * n; i++) {
                num a = entry(x, k, i / n, i % n, true);
                if (which)
                    v.re += a.re * a.re + a.im * a.im;
                else if (i / n == i % n)
                    v.re += a.re;
            }
            v.scale = which ? v.re : (long double)n;
            y->at[k] = v;
        }
    }
}

/* The traces of the matrix and of its square; of the complex dtype, if wanted. */
static void traces(call *c, kn_dtype d)
{
    const tensor *x = &c->x[0];
    int64_t n = x->dim[x->ndim - 1];
    for (int which = 0; which < 2; which++) {
        tensor *y = result(c, d, x->ndim - 2, x->dim);
        for (int64_t k = 0; k < stack_size(x); k++) {
            num v = {0};
            for (int64_t i = 0; i < n; i++)
                for (int64_t j = 0; j < n; j++)
                    if (which)
                        v = plus(v, times(entry(x, k, i, j, false), entry(x, k, j, i, false)));
                    else if (i == j)
                        v = plus(v, entry(x, k, i, i, false));
            v.scale = (long double)(n * n);
            y->at[k] = v;
        }
    }
}
void ref_traces(call *c) { traces(c, c->x[0].dtype); }
void ref_complex_traces(call *c)
{
    kn_dtype d = c->x[0].dtype;
    traces(c, knx_is_complex(d) ? d : d->size == 4 ? KN_DT(C64) : KN_DT(C128));
}

/* Of x with 2 n + 2 added to the diagonal. */
void ref_raised(call *c)
{
    const tensor *x = &c->x[0];
    tensor *y = result(c, x->dtype, x->ndim, x->dim);
    int64_t n = x->dim[x->ndim - 1];
    for (int64_t i = 0; i < x->n; i++) {
        y->at[i] = x->at[i];
        y->at[i].re += i % (n * n) / n == i % n ? (long double)(2 * n + 2) : 0;
    }
    for (int64_t k = 0; k < stack_size(x); k++)
        set_scale(matrix_at(y, k), n * n);
}

/* r^T r + w w^T for the upper triangle r */
void ref_update(call *c)
{
    const tensor *r = &c->x[0], *w = &c->x[1];
    tensor *y = result(c, r->dtype, r->ndim, r->dim);
    int64_t n = r->dim[r->ndim - 1];
    for (int64_t k = 0; k < stack_size(r); k++) {
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) {
                num v = times(w->at[k * n + i], w->at[k * n + j]);
                for (int64_t p = 0; p <= i && p <= j; p++)
                    v = plus(v, times(entry(r, k, p, i, false), entry(r, k, p, j, false)));
                matrix_at(y, k)[i * n + j] = v;
            }
        set_scale(matrix_at(y, k), n * n);
    }
}

/* x of a x = b by elimination, in place; a: n x n with a large diagonal, b: n x columns. */
enum { MOST_UNKNOWNS = 20 };
static void eliminate(num *a, int64_t n, num *b, int64_t columns)
{
    for (int64_t k = 0; k < n; k++)
        for (int64_t i = 0; i < n; i++) {
            num f = over(a[i * n + k], a[k * n + k]);
            if (i == k)
                continue;
            for (int64_t j = 0; j < n; j++)
                a[i * n + j] = minus(a[i * n + j], times(f, a[k * n + j]));
            for (int64_t j = 0; j < columns; j++)
                b[i * columns + j] = minus(b[i * columns + j], times(f, b[k * columns + j]));
        }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < columns; j++)
            b[i * columns + j] = over(b[i * columns + j], a[i * n + i]);
}

void ref_tridiagonal_solve(call *c)
{
    const tensor *b = &c->x[3];
    tensor *y = result(c, b->dtype, b->ndim, b->dim);
    int64_t n = b->dim[b->ndim - 2], columns = b->dim[b->ndim - 1];
    for (int64_t i = 0; i < b->n; i++)
        y->at[i] = b->at[i];
    for (int64_t k = 0; k < stack_size(b); k++) {
        num a[MOST_UNKNOWNS * MOST_UNKNOWNS] = {{0}};
        for (int64_t i = 0; i < n; i++) {
            a[i * n + i] = c->x[1].at[k * n + i];
            if (i)
                a[i * n + i - 1] = c->x[0].at[k * n + i];
            if (i + 1 < n)
                a[i * n + i + 1] = c->x[2].at[k * n + i];
        }
        eliminate(a, n, matrix_at(y, k), columns);
        set_scale(matrix_at(y, k), n * columns);
    }
}

/* Row i of the first operand has the elements (i + j - 1, j); those of its second row, the diagonal, are raised. */
void ref_banded_solve(call *c)
{
    const tensor *ab = &c->x[0], *b = &c->x[1];
    tensor *y = result(c, b->dtype, b->ndim, b->dim);
    int64_t n = b->dim[b->ndim - 2], columns = b->dim[b->ndim - 1];
    for (int64_t i = 0; i < b->n; i++)
        y->at[i] = b->at[i];
    for (int64_t k = 0; k < stack_size(b); k++) {
        num a[MOST_UNKNOWNS * MOST_UNKNOWNS] = {{0}};
        for (int64_t row = 0; row < 4; row++)
            for (int64_t j = 0; j < n; j++) {
                int64_t i = row + j - 1;
                if (i >= 0 && i < n)
                    a[i * n + j] = matrix_at(ab, k)[row * n + j];
                if (i == j)
                    a[i * n + j].re += BAND_RAISED;
            }
        eliminate(a, n, matrix_at(y, k), columns);
        set_scale(matrix_at(y, k), n * columns);
    }
}

/* The unknowns of a x + x b = c are one vector, row after row. */
void ref_sylvester(call *c)
{
    const tensor *e = &c->x[2];
    tensor *y = result(c, e->dtype, e->ndim, e->dim);
    int64_t m = e->dim[e->ndim - 2], n = e->dim[e->ndim - 1], all = m * n;
    for (int64_t i = 0; i < e->n; i++)
        y->at[i] = e->at[i];
    for (int64_t k = 0; k < stack_size(e); k++) {
        num a[MOST_UNKNOWNS * MOST_UNKNOWNS] = {{0}};
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) {
                num *row = a + (i * n + j) * all;
                for (int64_t p = 0; p < m; p++)
                    row[p * n + j] = plus(row[p * n + j], entry(&c->x[0], k, i, p, false));
                for (int64_t p = 0; p < n; p++)
                    row[i * n + p] = plus(row[i * n + p], entry(&c->x[1], k, p, j, false));
            }
        eliminate(a, all, matrix_at(y, k), 1);
        set_scale(matrix_at(y, k), all);
    }
}

/* Matrix number k of x with 2 n + 2 added to its diagonal. */
static void raise_diagonal(const tensor *x, int64_t k, num *a)
{
    int64_t n = x->dim[x->ndim - 1];
    for (int64_t i = 0; i < n * n; i++) {
        a[i] = matrix_at(x, k)[i];
        a[i].re += i / n == i % n ? (long double)(2 * n + 2) : 0;
    }
}

static void solve_raised(call *c, const tensor *right)
{
    const tensor *x = &c->x[0], *like = right ? right : x;
    tensor *y = result(c, like->dtype, like->ndim, like->dim);
    int64_t n = x->dim[x->ndim - 1], columns = like->dim[like->ndim - 1];
    for (int64_t k = 0; k < stack_size(x); k++) {
        num a[MOST_UNKNOWNS * MOST_UNKNOWNS] = {{0}}, *b = matrix_at(y, k);
        raise_diagonal(x, k, a);
        for (int64_t i = 0; i < n * columns; i++)
            b[i] = right ? matrix_at(right, k)[i] : (num){.re = i / n == i % n};
        eliminate(a, n, b, columns);
        set_scale(b, n * columns);
    }
}
void ref_inverse(call *c) { solve_raised(c, NULL); }
void ref_system(call *c) { solve_raised(c, &c->x[1]); }

void ref_det(call *c)
{
    const tensor *x = &c->x[0];
    tensor *y = result(c, x->dtype, x->ndim - 2, x->dim);
    int64_t n = x->dim[x->ndim - 1];
    for (int64_t k = 0; k < stack_size(x); k++) {
        num a[MOST_UNKNOWNS * MOST_UNKNOWNS] = {{0}}, pivots[MOST_UNKNOWNS], permutation[MOST_UNKNOWNS];
        long double det = 1;
        raise_diagonal(x, k, a);
        lu_of(a, n, n, pivots, permutation);
        for (int64_t i = 0; i < n; i++)
            det *= a[i * n + i].re * (pivots[i].bits == (uint64_t)i ? 1 : -1);
        y->at[k] = (num){.re = det};
    }
}
