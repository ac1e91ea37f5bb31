/* SPDX-License-Identifier: Apache-2.0
 * quantize.c -- weights as integers of 8 or 4 bits with a scale for each group of a row, and products with them.
 *
 * Going back is elementwise arithmetic over the integers, so that what reads the weights reads the integers. */
#include "kiln/nn.h"
#include "base/options.h"
#include "nn/operand.h"

enum { LOWEST_8 = -128, HIGHEST_8 = 127, MIDDLE_4 = 8, HIGHEST_4 = 15 };

/* ---- Shapes. */

/* Weights (..., K) as (..., G, K / G); the number of axes is one more. */
static int in_groups(kni_type t, int64_t k, int64_t groups, int64_t dim[KN_MAX_NDIM])
{
    for (int i = 0; i < t.ndim - 1; i++)
        dim[i] = t.dim[i];
    dim[t.ndim - 1] = groups;
    dim[t.ndim] = groups ? knx_dim_floordiv(k, groups) : 0;
    return t.ndim + 1;
}

/* (..., G) beside (..., G, K / G), or beside more axes behind G */
static kni_atom each_group(kni_builder *b, kni_atom x, int ndim, const int64_t *dim)
{
    int64_t front[KN_MAX_NDIM];
    int n = b->error ? 0 : knb_type(b, x).ndim;
    for (int i = 0; i < n; i++)
        front[i] = i;
    return knb_broadcast_in_dim(b, x, ndim, dim, front);
}

/* ---- To integers. */

typedef struct grid {
    kni_builder *b;
    kni_atom x; /* (..., G, K / G) in the dtype that is computed in */
    int ndim;
    int64_t dim[KN_MAX_NDIM], last; /* of x */
    bool four;                      /* bits; else eight */
    kni_atom scale, zero;           /* (..., G) */
} grid;

static kni_atom number(grid *g, double v) { return knb_like(g->b, g->x, v); }

/* 1 / x, 0 for 0 */
static kni_atom inverse(grid *g, kni_atom x)
{
    kni_builder *b = g->b;
    kni_atom none = knb_eq(b, x, number(g, 0));
    return knb_select(b, none, number(g, 0), knb_div(b, number(g, 1), knb_select(b, none, number(g, 1), x)));
}

static kni_atom clipped(grid *g, kni_atom x, double lo, double hi)
{
    return knb_min(g->b, knb_max(g->b, x, number(g, lo)), number(g, hi));
}

/* x in steps of the scale */
static kni_atom steps(grid *g) { return knb_mul(g->b, g->x, each_group(g->b, inverse(g, g->scale), g->ndim, g->dim)); }

/* Four bits: what is farthest from 0 becomes 0 of 0 .. 15, and 8 is 0, so that one more step is used (GGUF's Q4_0). */
static kni_atom symmetric(grid *g, kni_atom lo, kni_atom hi)
{
    kni_builder *b = g->b;
    if (g->four) {
        kni_atom far = knb_select(b, knb_ge(b, hi, knb_neg(b, lo)), hi, lo);
        g->scale = knb_mul(b, far, number(g, -0.125));
        return clipped(g, knb_floor(b, knb_add(b, steps(g), number(g, MIDDLE_4 + 0.5))), 0, HIGHEST_4);
    }
    g->scale = knb_div(b, knb_max(b, knb_abs(b, hi), knb_abs(b, lo)), number(g, HIGHEST_8));
    return clipped(g, knb_round(b, steps(g), true), -HIGHEST_8, HIGHEST_8);
}

static kni_atom affine(grid *g, kni_atom lo, kni_atom hi)
{
    kni_builder *b = g->b;
    double low = g->four ? 0 : LOWEST_8, high = g->four ? HIGHEST_4 : HIGHEST_8;
    lo = knb_min(b, lo, number(g, 0)), hi = knb_max(b, hi, number(g, 0));
    g->scale = knb_div(b, knb_sub(b, hi, lo), number(g, high - low));
    kni_atom zero = knb_round(b, knb_mul(b, lo, inverse(g, g->scale)), true);
    g->zero = clipped(g, knb_sub(b, number(g, low), zero), low, high);
    kni_atom q = knb_add(b, knb_round(b, steps(g), true), each_group(b, g->zero, g->ndim, g->dim));
    return clipped(g, q, low, high);
}

/* Bytes (..., K), each below 16, as bytes (..., K / 2): the first of two in the low half. */
static kni_atom packed(kni_builder *b, kni_atom x)
{
    kni_type t = knb_type(b, x);
    int64_t lo[KN_MAX_NDIM] = {0}, hi[KN_MAX_NDIM], by[KN_MAX_NDIM];
    if (b->error)
        return KN_ATOM_NONE;
    for (int i = 0; i < t.ndim; i++)
        hi[i] = t.dim[i], by[i] = 1;
    by[t.ndim - 1] = 2;
    kni_atom first = knb_slice(b, x, lo, hi, by);
    lo[t.ndim - 1] = 1;
    kni_atom second = knb_slice(b, x, lo, hi, by);
    return knb_or(b, first, knb_shift_left(b, second, knb_full(b, knb_type(b, second), 4)));
}

static bool begin_quantize(kna_op *op, kn_array w, const kn_nn_quantize_opts *o, knnn_float *d, kni_type *t)
{
    kna_begin(op, "nn_quantize");
    *d = knnn_floats(op, 1, &w);
    *t = kna_type(op, w);
    if (kna_failed(op))
        return false;
    int64_t k = t->ndim ? t->dim[t->ndim - 1] : 0, group = o->group_size ? o->group_size : k;
    knx_text s = {0};
    if (o->bits != 8 && o->bits != 4)
        kna_fail(op, KN_ERROR_VALUE, "bits must be 8 or 4, but is %d", o->bits);
    else if (t->ndim < 1 || t->ndim == KN_MAX_NDIM)
        kna_fail(op, KN_ERROR_VALUE, "weights of shape (..., K) are needed, but they have %d axes", t->ndim);
    else if (o->group_size < 0 || (group && !knx_dim_eq(knx_dim_mod(k, group), 0)))
        kna_fail(op, KN_ERROR_VALUE, "the last axis, %s, must be a multiple of group_size, %lld", knx_dim_show(&s, k),
                 (long long)o->group_size);
    else if (o->bits == 4 && !knx_dim_eq(knx_dim_mod(k, 2), 0))
        kna_fail(op, KN_ERROR_VALUE, "the last axis must be even for 4 bits, but is %s", knx_dim_show(&s, k));
    else if (o->dtype && !knx_is_float(o->dtype))
        kna_fail(op, KN_ERROR_TYPE, "scales must be of a float dtype, but got %s", o->dtype->name);
    else if (knx_dim_eq(k, 0))
        kna_fail(op, KN_ERROR_VALUE, "rows without elements have no scale");
    return !kna_failed(op);
}

kn_nn_quantized kn_nn_quantize(kn_array w, const kn_nn_quantize_opts *opts)
{
    kna_op op;
    KNX_OPTS(kn_nn_quantize_opts, o, opts);
    knnn_float d;
    kni_type t;
    kn_array out[3] = {NULL, NULL, NULL};
    kni_atom y[3] = {0};
    if (begin_quantize(&op, w, &o, &d, &t)) {
        int64_t k = t.dim[t.ndim - 1];
        grid g = {.b = op.b, .four = o.bits == 4};
        g.ndim = in_groups(t, k, o.group_size ? knx_dim_floordiv(k, o.group_size) : 1, g.dim);
        g.last = g.ndim - 1;
        g.x = knb_reshape(op.b, knb_stop_gradient(op.b, kna_in_as(&op, w, d.wide)), g.ndim, g.dim);
        kni_atom lo = knb_reduce_min(op.b, g.x, 1, &g.last), hi = knb_reduce_max(op.b, g.x, 1, &g.last);
        kni_atom q = o.symmetric ? symmetric(&g, lo, hi) : affine(&g, lo, hi);
        kn_dtype byte = g.four ? KN_DT(U8) : KN_DT(I8);
        y[0] = knb_convert(op.b, knb_reshape(op.b, q, t.ndim, t.dim), byte);
        y[0] = g.four ? packed(op.b, y[0]) : y[0];
        y[1] = knb_convert(op.b, g.scale, kna_lookup_dtype(o.dtype, d.wide));
        if (!o.symmetric)
            y[2] = knb_convert(op.b, g.zero, byte);
    }
    kna_end_n(&op, o.symmetric ? 2 : 3, y, out);
    return (kn_nn_quantized){out[0], out[1], out[2]};
}

/* ---- Back. */

/* Bytes (..., N) as bytes (..., N, 2) below 16: the low half first. */
static kni_atom halves(kni_builder *b, kni_atom x)
{
    kni_type t = knb_type(b, x);
    int64_t dim[KN_MAX_NDIM];
    if (b->error)
        return KN_ATOM_NONE;
    for (int i = 0; i < t.ndim; i++)
        dim[i] = t.dim[i];
    dim[t.ndim] = 1;
    x = knb_reshape(b, x, t.ndim + 1, dim);
    kni_atom low = knb_and(b, x, knb_integer(b, KN_DT(U8), HIGHEST_4)),
             high = knb_shift_right_logical(b, x, knb_full(b, knb_type(b, x), 4));
    return knb_concatenate(b, 2, (kni_atom[]){low, high}, t.ndim);
}

typedef struct quantized {
    kni_type values, scales;
    int64_t k;
    bool four;
} quantized;

static bool read_quantized(kna_op *op, kn_array values, kn_array scales, kn_array zero_points, quantized *q)
{
    *q = (quantized){kna_type(op, values), kna_type(op, scales), 0, false};
    kni_type z = zero_points ? kna_type(op, zero_points) : q->scales;
    if (kna_failed(op))
        return false;
    q->four = q->values.dtype == KN_DT(U8);
    knx_text s = {0}, u = {0}, v = {0};
    int n = q->values.ndim;
    if (!q->four && q->values.dtype != KN_DT(I8))
        kna_fail(op, KN_ERROR_TYPE, "values must be int8, or uint8 with two numbers each, but got %s",
                 q->values.dtype->name);
    else if (!knx_is_float(q->scales.dtype))
        kna_fail(op, KN_ERROR_TYPE, "scales must be of a float dtype, but got %s", q->scales.dtype->name);
    else if (zero_points && !knx_is_integer(z.dtype))
        kna_fail(op, KN_ERROR_TYPE, "zero_points must be integers, but got %s", z.dtype->name);
    if (kna_failed(op))
        return false;
    bool fits = n >= 1 && n < KN_MAX_NDIM && q->scales.ndim == n;
    q->k = !fits ? 0 : q->four ? knx_dim_mul(2, q->values.dim[n - 1]) : q->values.dim[n - 1];
    for (int i = 0; i < n - 1 && fits; i++)
        fits = knx_dim_eq(q->values.dim[i], q->scales.dim[i]);
    fits = fits && !knx_dim_eq(q->scales.dim[n - 1], 0) && knx_dim_eq(knx_dim_mod(q->k, q->scales.dim[n - 1]), 0);
    if (!fits)
        kna_fail(op, KN_ERROR_VALUE,
                 "scales must have the axes of the values, and a number for each group in the last one, but got %s "
                 "beside values of %s",
                 knx_show_shape(&s, q->scales.ndim, q->scales.dim), knx_show_shape(&u, n, q->values.dim));
    else if (!kni_type_same_shape(z, q->scales))
        kna_fail(op, KN_ERROR_VALUE, "zero_points must have the shape of the scales, %s, but have %s",
                 knx_show_shape(&s, n, q->scales.dim), knx_show_shape(&v, z.ndim, z.dim));
    return !kna_failed(op);
}

/* Integers in their groups: (..., G, K / G), of four bits (..., G, K / G / 2, 2) if groups are of whole bytes, so that
 * one kernel works out weights from bytes. */
static kni_atom grouped(kni_builder *b, const quantized *q, kni_atom x, int *ndim, int64_t *dim)
{
    int n = *ndim = in_groups(q->values, q->k, q->scales.dim[q->scales.ndim - 1], dim);
    int64_t size = dim[n - 1];
    if (!q->four)
        return knb_reshape(b, x, n, dim);
    if (n == KN_MAX_NDIM || !knx_dim_eq(knx_dim_mod(size, 2), 0))
        return knb_reshape(b, halves(b, x), n, dim);
    dim[n - 1] = knx_dim_floordiv(size, 2);
    x = halves(b, knb_reshape(b, x, n, dim));
    dim[n] = 2;
    *ndim = n + 1;
    return x;
}

/* (value - zero point) scale, computed in at least float32, as d */
static kni_atom dequantized(kna_op *op, const quantized *q, kn_array values, kn_array scales, kn_array zero_points,
                            kn_dtype d)
{
    kni_builder *b = op->b;
    kn_dtype wide = d == KN_DT(F64) ? d : KN_DT(F32);
    int64_t dim[KN_MAX_NDIM];
    int n, last = q->values.ndim - 1;
    kni_atom x = knb_convert(b, grouped(b, q, kna_in(op, values), &n, dim), wide);
    if (zero_points)
        x = knb_sub(b, x, each_group(b, kna_in_as(op, zero_points, wide), n, dim));
    else if (q->four)
        x = knb_sub(b, x, knb_like(b, x, MIDDLE_4));
    x = knb_mul(b, x, each_group(b, kna_in_as(op, scales, wide), n, dim));
    dim[last] = q->k;
    return knb_convert(b, knb_reshape(b, x, last + 1, dim), d);
}

kn_array kn_nn_dequantize(kn_array values, kn_array scales, const kn_nn_dequantize_opts *opts)
{
    kna_op op;
    kna_begin(&op, "nn_dequantize");
    KNX_OPTS(kn_nn_dequantize_opts, o, opts);
    quantized q;
    bool ok = read_quantized(&op, values, scales, o.zero_points, &q);
    kn_dtype d = ok ? kna_lookup_dtype(o.dtype, q.scales.dtype) : NULL;
    if (ok && !knx_is_float(d))
        kna_fail(&op, KN_ERROR_TYPE, "dtype must be a float, but is %s", d->name);
    return kna_end(&op, kna_failed(&op) ? KN_ATOM_NONE : dequantized(&op, &q, values, scales, o.zero_points, d));
}

kn_array kn_nn_quantized_matmul(kn_array x, kn_array values, kn_array scales, const kn_nn_quantized_matmul_opts *opts)
{
    kna_op op;
    kna_begin(&op, "nn_quantized_matmul");
    KNX_OPTS(kn_nn_quantized_matmul_opts, o, opts);
    knnn_float d = knnn_floats(&op, 1, &x);
    kni_type t = kna_type(&op, x);
    quantized q;
    knx_text s = {0}, u = {0};
    bool ok = read_quantized(&op, values, scales, o.zero_points, &q);
    if (ok && (q.values.ndim != 2 || t.ndim < 1 || !knx_dim_eq(t.dim[t.ndim - 1], q.k)))
        kna_fail(&op, KN_ERROR_VALUE,
                 "x of shape (..., K) and weights of shape (N, K) are needed, but got %s and "
                 "values of %s",
                 knx_show_shape(&s, t.ndim, t.dim), knx_show_shape(&u, q.values.ndim, q.values.dim));
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    int64_t last = t.ndim - 1, one = 1;
    kni_p_dot_general p = {.lhs_contract = {1, &last}, .rhs_contract = {1, &one}};
    kni_atom a = kna_in_as(&op, x, d.stored);
    return kna_end(&op, knb_dot_general(op.b, a, dequantized(&op, &q, values, scales, o.zero_points, d.stored), &p));
}
