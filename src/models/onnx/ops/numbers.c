/* SPDX-License-Identifier: Apache-2.0
 * numbers.c -- what operators of numbers share: dtypes, constants, shapes along one axis. */
#include "models/onnx/ops/numbers.h"
#include "kiln/numpy/dtypes.h"
#include <string.h>

/* ---- Dtypes. */

static bool is_between(kn_dtype dtype, int first, int last)
{
    for (int id = first; id <= last; id++)
        if (dtype && dtype == kn_dtype_builtin(id))
            return true;
    return false;
}

bool knonnx_is_stored(kn_dtype dtype) { return is_between(dtype, 16, 32); }
bool knonnx_is_small_float(kn_dtype dtype) { return is_between(dtype, 16, 26); }

kn_array knonnx_as(kn_array x, kn_dtype dtype)
{
    if (!x || !dtype || kn_dtype_of(x) == dtype)
        return x;
    kn_astype_opts o = kn_astype_opts_default();
    return kn_astype(x, dtype, &o);
}

kn_array knonnx_plain(kn_array x)
{
    kn_dtype d = kn_dtype_of(x);
    if (!knonnx_is_stored(d))
        return x;
    return knonnx_as(x, knonnx_is_small_float(d) ? KN_F32 : KN_I32);
}

kn_array knonnx_wide(kn_array x)
{
    kn_dtype d = kn_dtype_of(x);
    if (d == KN_F32 || d == KN_F64 || kn_dtype_kind(d) == 'c')
        return x;
    return knonnx_as(x, kn_dtype_kind(d) == 'f' ? KN_F32 : KN_F64);
}

/* ---- Casts. */

/* The largest number of a float8 that has a sign; 0 for others. */
static double largest(kn_dtype d)
{
    return d == KN_F8_E4M3FN ? 448 : d == KN_F8_E4M3FNUZ ? 240 : d == KN_F8_E5M2 || d == KN_F8_E5M2FNUZ ? 57344 : 0;
}

static kn_array bits32(uint32_t v) { return kn_strong(&v, KN_U32); }

/* float8e8m0 is an exponent: the bits of float32 between the fraction and the sign, one more where the fraction
 * rounds up. Below 2^-126 float32 has no exponent of its own: there the least power, 2^-127, is the fraction's first
 * bit. */
static kn_array to_e8m0(kn_array x, bool saturate, const char *mode)
{
    kn_array bits = kn_bitwise_and(kn_lax_bitcast_convert_type(knonnx_as(x, KN_F32), KN_U32), bits32(0x7fffffff));
    kn_array exponent = kn_right_shift(bits, bits32(23)), fraction = kn_bitwise_and(bits, bits32(0x7fffff));
    kn_array tiny = kn_equal(exponent, bits32(0)), next = exponent;
    if (strcmp(mode, "down")) {
        bool up = !strcmp(mode, "up");
        kn_array more = up ? kn_where(tiny, kn_greater(fraction, bits32(0x400000)), kn_greater(fraction, bits32(0)))
                           : kn_greater_equal(fraction, kn_where(tiny, bits32(0x600000), bits32(0x400000)));
        next = kn_add(exponent, knonnx_as(more, KN_U32));
    }
    kn_array nan = kn_greater(bits, bits32(0x7f800000));
    if (saturate)
        next = kn_minimum(next, bits32(254));
    else
        nan = kn_logical_or(nan, kn_less(bits, bits32(0x400000)));
    next = kn_where(nan, bits32(255), kn_minimum(next, bits32(255)));
    return kn_lax_bitcast_convert_type(knonnx_as(next, KN_U8), KN_F8_E8M0FNU);
}

kn_array knonnx_cast(kn_array x, kn_dtype to, bool saturate, const char *round_mode)
{
    kn_dtype from = kn_dtype_of(x);
    if (from == to)
        return x;
    if (knonnx_is_stored(from))
        x = knonnx_plain(x);
    else if (knonnx_is_small_float(to) && !knonnx_is_float(x))
        x = knonnx_as(x, KN_F32);
    if (to == KN_F8_E8M0FNU)
        return to_e8m0(x, saturate, round_mode);
    double most = saturate ? largest(to) : 0;
    if (most > 0)
        x = kn_clip(x, kn_like_double(-most), kn_like_double(most));
    return knonnx_as(x, to);
}

/* ---- Constants. */

static kn_array vector(const void *x, int64_t n, kn_dtype dtype)
{
    kn_shape s = {.ndim = 1, .dim = {n}};
    return kn_from_memory(n ? x : "", &s, dtype);
}

kn_array knonnx_of_floats(const float *x, int64_t n) { return vector(x, n, KN_F32); }
kn_array knonnx_of_doubles(const double *x, int64_t n) { return vector(x, n, KN_F64); }
kn_array knonnx_of_ints(const int64_t *x, int64_t n) { return vector(x, n, KN_I64); }

kn_dtype knonnx_dtype_of(knonnx_call *c, const char *name, kn_dtype otherwise)
{
    if (!knonnx_given(c, name))
        return otherwise;
    int64_t elem = knonnx_int(c, name, 0);
    kn_dtype d = elem > 0 && elem < KNONNX_ELEM_COUNT ? knonnx_dtype((knonnx_elem)elem) : NULL;
    if (!d)
        knonnx_fail(c, KN_ERROR_VALUE, "%s=%lld is no type of numbers", name, (long long)elem);
    return d;
}

/* ---- Shapes. */

kn_array knonnx_shaped(kn_array x, int ndim, const int64_t *dim)
{
    kn_reshape_opts o = kn_reshape_opts_default();
    kn_shape s = {.ndim = ndim};
    if (ndim)
        memcpy(s.dim, dim, (size_t)ndim * sizeof *dim);
    return kn_reshape(x, &s, &o);
}

kn_array knonnx_along(kn_array x, int axis, int ndim)
{
    int64_t dim[KN_MAX_NDIM];
    for (int k = 0; k < ndim; k++)
        dim[k] = k == axis ? -1 : 1;
    return knonnx_shaped(x, ndim, dim);
}

kn_array knonnx_part(kn_array x, int axis, int64_t start, int64_t stop)
{
    kn_shape s = kn_shape_of(x);
    if (s.ndim < 0)
        return x;
    kn_shape lo = {.ndim = s.ndim}, hi = s;
    lo.dim[axis] = start;
    hi.dim[axis] = stop;
    kn_lax_slice_opts o = kn_lax_slice_opts_default();
    return kn_lax_slice(x, &lo, &hi, &o);
}

kn_array knonnx_join(kn_array a, kn_array b, int axis)
{
    kn_array both[] = {a, b};
    kn_concatenate_opts o = kn_concatenate_opts_default();
    o.axis = (kn_axes){.n = 2, .axis = {axis}};
    return kn_concatenate(kn_list_from(both, 2), &o);
}

kn_array knonnx_total(kn_array x, int axis, bool keepdims)
{
    kn_sum_opts o = kn_sum_opts_default();
    o.axis = (kn_axes){.n = 2, .axis = {axis}};
    o.keepdims = keepdims;
    o.dtype = kn_dtype_of(x);
    return kn_sum(x, &o);
}
