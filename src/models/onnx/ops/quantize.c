/* SPDX-License-Identifier: Apache-2.0
 * quantize.c -- ONNX's QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear, of integers from 2 to 16 bits and
 * floats from 4 to 8 bits. A scale is one number, one for each place of an axis (13), or one for each block of an
 * axis (21). */
#include "models/onnx/ops/numbers.h"
#include "kiln/numpy/dtypes.h"
#include <math.h>

/* ---- Scales and zero points in the shape of what they scale. */

/* The number of blocks times their size is at least the axis's extent; the last block may be shorter. */
static kn_array of_blocks(knonnx_call *c, kn_array scale, const kn_shape *s, int axis, int64_t block)
{
    kn_shape t = kn_shape_of(scale);
    bool fits = t.ndim == s->ndim;
    for (int k = 0; k < s->ndim && fits; k++)
        fits = k == axis || kn_dim_eq(t.dim[k], s->dim[k]);
    if (!fits || !kn_dim_le(s->dim[axis], kn_dim_mul(t.dim[axis], block))) {
        knonnx_fail(c, KN_ERROR_VALUE,
                    "scales of blocks have the shape of the input but for axis %d, where each is for %lld elements",
                    axis, (long long)block);
        return NULL;
    }
    kn_shape wide = t;
    for (int k = t.ndim; k > axis + 1; k--)
        wide.dim[k] = t.dim[k - 1];
    wide.ndim++;
    wide.dim[axis + 1] = 1;
    kn_array y = knonnx_shaped(scale, wide.ndim, wide.dim);
    wide.dim[axis + 1] = block;
    y = kn_broadcast_to(y, &wide);
    t.dim[axis] = kn_dim_mul(t.dim[axis], block);
    return knonnx_part(knonnx_shaped(y, t.ndim, t.dim), axis, 0, s->dim[axis]);
}

static kn_array spread(knonnx_call *c, kn_array scale, const kn_shape *s)
{
    kn_shape t = kn_shape_of(scale);
    int64_t block = c->version >= 21 ? knonnx_int(c, "block_size", 0) : 0;
    if (t.ndim <= 0 || s->ndim < 0)
        return scale;
    if (t.ndim == 1 && kn_dim_eq(t.dim[0], 1) && !block)
        return knonnx_shaped(scale, 0, NULL);
    int64_t given = c->version >= 13 ? knonnx_int(c, "axis", 1) : 1;
    int axis = s->ndim == 1 && given == 1 ? 0 : knonnx_axis(c, given, s->ndim);
    if (axis < 0)
        return NULL;
    if (block > 0)
        return of_blocks(c, scale, s, axis, block);
    if (block < 0 || t.ndim != 1 || c->version < 13 || !kn_dim_eq(t.dim[0], s->dim[axis])) {
        knonnx_fail(c, KN_ERROR_VALUE, "a scale is a number%s",
                    c->version < 13 ? "" : ", a vector as long as the axis, or, with block_size, one for each block");
        return NULL;
    }
    return knonnx_along(scale, axis, s->ndim);
}

/* ---- To fewer bits. */

static bool limits(kn_dtype d, double *low, double *high)
{
    int bits = d == KN_U2 || d == KN_I2 ? 2 : d == KN_U4 || d == KN_I4 ? 4 : 8 * (int)kn_dtype_size(d);
    *low = -INFINITY;
    *high = INFINITY;
    if (bits > 16)
        return false;
    bool negative = kn_dtype_kind(d) == 'i' || d == KN_I2 || d == KN_I4;
    *low = negative ? -(double)(1 << (bits - 1)) : 0;
    *high = negative ? (double)(1 << (bits - 1)) - 1 : (double)(1 << bits) - 1;
    bool whole = kn_dtype_kind(d) == 'u' || kn_dtype_kind(d) == 'i' || knonnx_is_stored(d);
    return whole && !knonnx_is_small_float(d);
}

/* Rounded first, half to even, then moved by the zero point and kept within what the dtype has. */
static kn_array to_integers(kn_array ratio, kn_array zero, kn_dtype to)
{
    double low, high;
    limits(to, &low, &high);
    kn_array y = knonnx_wide(kn_rint(ratio));
    if (zero)
        y = kn_add(y, knonnx_as(knonnx_plain(zero), kn_dtype_of(y)));
    y = kn_clip(y, kn_like_double(low), kn_like_double(high));
    return knonnx_as(knonnx_as(y, KN_I32), to);
}

static kn_array to_floats(kn_array ratio, kn_array zero, kn_dtype to, bool saturate)
{
    if (zero)
        ratio = kn_add(knonnx_wide(ratio), knonnx_as(zero, KN_F32));
    return knonnx_cast(ratio, to, saturate, "up");
}

static kn_dtype quantized(knonnx_call *c)
{
    double low, high;
    kn_dtype zero = knonnx_has(c, 2) ? kn_dtype_of(knonnx_in(c, 2)) : NULL;
    kn_dtype given =
        c->version >= 21 && knonnx_int(c, "output_dtype", 0) ? knonnx_dtype_of(c, "output_dtype", NULL) : NULL;
    kn_dtype to = given ? given : zero ? zero : KN_U8;
    if (given && zero && given != zero)
        return knonnx_fail(c, KN_ERROR_TYPE, "output_dtype is %s and the zero point's %s", kn_dtype_name(given),
                           kn_dtype_name(zero)),
               NULL;
    bool fits = knonnx_is_small_float(to) ? to != KN_F8_E8M0FNU : limits(to, &low, &high);
    if (!fits)
        return knonnx_fail(c, KN_ERROR_TYPE, "%s is no dtype of quantised numbers", kn_dtype_name(to)), NULL;
    return to;
}

static int op_quantize(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0), scale = knonnx_in(c, 1);
    kn_shape s = kn_shape_of(x);
    kn_dtype to = quantized(c), precision = NULL;
    if (c->version >= 23 && knonnx_int(c, "precision", 0))
        precision = knonnx_dtype_of(c, "precision", NULL);
    if (!x || !scale || !to || knonnx_done(c))
        return -1;
    kn_array zero = knonnx_has(c, 2) ? spread(c, knonnx_in(c, 2), &s) : NULL;
    scale = spread(c, knonnx_plain(scale), &s);
    if (!scale || (knonnx_has(c, 2) && !zero))
        return -1;
    if (!precision)
        precision = knonnx_is_float(scale) ? kn_dtype_of(scale) : knonnx_is_float(x) ? kn_dtype_of(x) : KN_F32;
    kn_array ratio = kn_divide(knonnx_as(x, precision), knonnx_as(scale, precision));
    if (knonnx_is_small_float(to))
        return knonnx_set(c, 0, to_floats(ratio, zero, to, knonnx_int(c, "saturate", 1)));
    return knonnx_set(c, 0, to_integers(ratio, zero, to));
}

/* ---- Back. */

static int op_dequantize(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0), scale = knonnx_in(c, 1);
    kn_shape s = kn_shape_of(x);
    if (!x || !scale)
        return -1;
    kn_dtype to = knonnx_is_stored(kn_dtype_of(scale)) ? KN_F32 : kn_dtype_of(scale);
    if (c->version >= 23 && knonnx_int(c, "output_dtype", 0))
        to = knonnx_dtype_of(c, "output_dtype", to);
    kn_array wide = knonnx_plain(x);
    if (!knonnx_is_float(wide))
        wide = knonnx_as(wide, KN_I32);
    if (knonnx_has(c, 2)) {
        kn_array zero = knonnx_in(c, 2);
        if (zero && kn_dtype_of(zero) != kn_dtype_of(x))
            return knonnx_fail(c, KN_ERROR_TYPE, "the zero point is %s and the input %s",
                               kn_dtype_name(kn_dtype_of(zero)), kn_dtype_name(kn_dtype_of(x)));
        zero = spread(c, zero, &s);
        if (!zero)
            return -1;
        wide = kn_subtract(wide, knonnx_as(knonnx_plain(zero), kn_dtype_of(wide)));
    }
    scale = spread(c, knonnx_plain(scale), &s);
    if (!scale || !to)
        return -1;
    kn_array y = kn_multiply(knonnx_as(wide, KN_F32), knonnx_as(scale, KN_F32));
    return knonnx_set(c, 0, knonnx_as(y, to));
}

/* ---- With a scale of its own: that of the input's range, which always has 0; 1 where there is nothing but 0. */

static int op_dynamic_quantize(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0);
    kn_max_opts o = kn_max_opts_default();
    o.initial = kn_like_double(0);
    kn_array low = kn_min(x, &o), high = kn_max(x, &o);
    kn_array scale = kn_divide(kn_subtract(high, low), kn_like_double(255));
    scale = kn_where(kn_equal(scale, kn_like_double(0)), kn_like_double(1), scale);
    kn_array zero = kn_rint(kn_clip(kn_negative(kn_divide(low, scale)), kn_like_double(0), kn_like_double(255)));
    zero = knonnx_as(knonnx_as(zero, KN_I32), KN_U8);
    if (knonnx_set(c, 0, to_integers(kn_divide(x, scale), zero, KN_U8)) || knonnx_set(c, 1, scale))
        return -1;
    return knonnx_set(c, 2, zero);
}

const knonnx_row knonnx_rows_quantize[] = {
    {"DequantizeLinear", 10, op_dequantize, 2, 3, 1, 1},
    {"DynamicQuantizeLinear", 11, op_dynamic_quantize, 1, 1, 3, 3},
    {"QuantizeLinear", 10, op_quantize, 2, 3, 1, 1},
    {NULL, 0, NULL, 0, 0, 0, 0},
};
