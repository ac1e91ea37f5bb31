/* SPDX-License-Identifier: Apache-2.0
 * reference_scan.c -- what the cumulative primitives mean, in the order of docs/determinism.md; and barriers, which
 * change nothing. */
#include "cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* As it lies in memory. */
static num rounded(kn_dtype d, num v)
{
    uint64_t memory[2] = {0, 0};
    num scale = v;
    tensor_store(d, v, memory);
    v = tensor_load(d, memory);
    v.scale = scale.scale;
    return v;
}

typedef num step_fn(kn_dtype d, num a, num b);

/* Steps of a line, numbered from where it begins: in groups of 16, these in blocks of 16,384 (docs/determinism.md). */
static void cumulate_line(kn_dtype d, step_fn *step, num *y, int64_t n)
{
    enum { GROUP = 16, BLOCK = 16384 };
    num carry = {0}, prefix = {0};
    for (int64_t first = 0; first < n; first += GROUP) {
        num *z = y + first;
        int64_t count = n - first < GROUP ? n - first : GROUP;
        for (int64_t half = 1; half < GROUP; half *= 2)
            for (int64_t l = 0; l < count; l++)
                if (l / half % 2)
                    z[l] = rounded(d, step(d, z[l / half * half - 1], z[l]));
        for (int64_t l = 0; first % BLOCK && l < count; l++)
            z[l] = rounded(d, step(d, carry, z[l]));
        carry = z[count - 1];
        for (int64_t l = 0; first >= BLOCK && l < count; l++)
            z[l] = rounded(d, step(d, prefix, z[l]));
        if (first % BLOCK == BLOCK - GROUP)
            prefix = z[count - 1];
    }
}

static void cumulate(call *c, step_fn *step)
{
    const kni_p_cumulative *p = c->params;
    const tensor *x = &c->x[0];
    kn_dtype d = knx_is_inexact(x->dtype) && x->dtype->size == 2 ? KN_DT(F32) : x->dtype;
    int64_t length = x->dim[p->axis], inner = 1;
    for (int k = (int)p->axis + 1; k < x->ndim; k++)
        inner *= x->dim[k];
    tensor *y = result(c, x->dtype, x->ndim, x->dim);
    num *steps = malloc((size_t)(length + 1) * sizeof *steps);
    for (int64_t line = 0; length && line < x->n / length; line++) {
        int64_t first = line / inner * inner * length + line % inner;
        for (int64_t i = 0; i < length; i++)
            steps[i] = x->at[first + (p->reverse ? length - 1 - i : i) * inner];
        cumulate_line(d, step, steps, length);
        for (int64_t i = 0; i < length; i++)
            y->at[first + (p->reverse ? length - 1 - i : i) * inner] = rounded(x->dtype, steps[i]);
    }
    free(steps);
}

static num join_max(kn_dtype d, num a, num b)
{
    return num_is_nan(d, a) || (!num_is_nan(d, b) && num_less(d, b, a)) ? a : b;
}

static num join_min(kn_dtype d, num a, num b)
{
    return num_is_nan(d, a) || (!num_is_nan(d, b) && num_less(d, a, b)) ? a : b;
}

void ref_cumsum(call *c) { cumulate(c, num_add); }
void ref_cumprod(call *c) { cumulate(c, num_mul); }
void ref_cummax(call *c) { cumulate(c, join_max); }
void ref_cummin(call *c) { cumulate(c, join_min); }

/* In extended precision. An error of the sum is as large in its logarithm, whatever that is. */
void ref_cumlogsumexp(call *c)
{
    const kni_p_cumulative *p = c->params;
    const tensor *x = &c->x[0];
    tensor *y = result(c, x->dtype, x->ndim, x->dim);
    for (int64_t i = 0; i < x->n; i++) {
        int64_t at[MAX_RANK], from[MAX_RANK];
        long double sum = 0, most = -INFINITY;
        tensor_index(x, i, at);
        int64_t begin = p->reverse ? at[p->axis] : 0, end = p->reverse ? x->dim[p->axis] : at[p->axis] + 1;
        for (int pass = 0; pass < 2; pass++)
            for (int64_t k = begin; k < end; k++) {
                memcpy(from, at, sizeof from);
                from[p->axis] = k;
                long double v = x->at[tensor_offset(x, from)].re;
                if (pass)
                    sum += v == most ? 1 : expl(v - most);
                else if (!(v <= most))
                    most = isnan(most) ? most : v;
            }
        long double v = isinf(most) || isnan(most) ? most : most + logl(sum);
        y->at[i] = (num){.re = v, .scale = isfinite(v) ? 1 + fabsl(v) : 0};
    }
}

void ref_optimization_barrier(call *c)
{
    for (int i = 0; i < c->n_in; i++) {
        tensor *y = result(c, c->x[i].dtype, c->x[i].ndim, c->x[i].dim);
        memcpy(y->at, c->x[i].at, (size_t)y->n * sizeof *y->at);
    }
}

/* reduce over the first axis, or over the first and the last one: the computations of cases_scan.c, one element after
 * the other; x[i] meets what was found before. */
typedef void meet_fn(const call *c, num *sum, const num *x);

static void reduce_by(call *c, int n, bool last, meet_fn *meet)
{
    const tensor *x = &c->x[0];
    int from = 1, to = last && x->ndim > 1 ? x->ndim - 1 : x->ndim;
    tensor *y[2] = {NULL, NULL};
    for (int i = 0; i < n; i++)
        y[i] = result(c, c->x[i].dtype, to - from, x->dim + from);
    for (int64_t k = 0; k < y[0]->n; k++)
        for (int i = 0; i < n; i++)
            y[i]->at[k] = c->x[n + i].at[0];
    for (int64_t k = 0; k < x->n; k++) {
        int64_t at[MAX_RANK];
        num sum[2], element[2];
        tensor_index(x, k, at);
        int64_t where = tensor_offset(y[0], at + from);
        for (int i = 0; i < n; i++) {
            sum[i] = y[i]->at[where];
            element[i] = c->x[i].at[k];
        }
        meet(c, sum, element);
        for (int i = 0; i < n; i++)
            y[i]->at[where] = sum[i];
    }
}

static num times(kn_dtype d, num a, num b)
{
    if (!knx_is_inexact(d))
        return num_mul(d, a, b);
    num y = {.re = a.re * b.re - a.im * b.im, .im = a.re * b.im + a.im * b.re};
    return knx_is_complex(d) ? y : (num){.re = y.re};
}

static num plus(kn_dtype d, num a, num b)
{
    return knx_is_inexact(d) ? (num){.re = a.re + b.re, .im = a.im + b.im} : num_add(d, a, b);
}

static void meet_shifted(const call *c, num *sum, const num *x)
{
    kn_dtype d = c->x[0].dtype;
    sum[0] = plus(d, times(d, sum[0], x[0]), plus(d, sum[0], x[0]));
    sum[0].scale = 1;
}

static void meet_dual(const call *c, num *sum, const num *x)
{
    kn_dtype d = c->x[0].dtype;
    sum[1] = plus(d, times(d, sum[0], x[1]), times(d, sum[1], x[0]));
    sum[0] = times(d, sum[0], x[0]);
}

static void meet_larger(const call *c, num *sum, const num *x)
{
    kn_dtype d = c->x[0].dtype;
    bool less = num_less(d, sum[0], x[0]), more = num_less(d, x[0], sum[0]);
    if (less || (!more && (int64_t)x[1].bits < (int64_t)sum[1].bits)) {
        sum[0] = x[0];
        sum[1] = x[1];
    }
}

void ref_reduce_shifted(call *c) { reduce_by(c, 1, false, meet_shifted); }
void ref_reduce_shifted_all(call *c) { reduce_by(c, 1, true, meet_shifted); }
void ref_reduce_dual(call *c) { reduce_by(c, 2, false, meet_dual); }
void ref_reduce_larger(call *c) { reduce_by(c, 2, false, meet_larger); }
