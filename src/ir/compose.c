/* SPDX-License-Identifier: Apache-2.0
 * compose.c -- the small compositions of primitives that rules and libraries share: numbers, zeros, NumPy's
 * broadcasting, axes. */
#include "ir/ops.h"

kni_atom knb_number(kni_builder *b, kn_dtype d, double v)
{
    return knb_literal(b, d, false, knx_scalar_from_double(d, v));
}
KNX_HOT kni_atom knb_integer(kni_builder *b, kn_dtype d, int64_t v)
{
    return knb_literal(b, d, false, knx_scalar_from_int(d, v));
}
kni_atom knb_like(kni_builder *b, kni_atom x, double v) { return knb_number(b, knb_type(b, x).dtype, v); }

kni_atom knb_dimension(kni_builder *b, kn_dtype d, int64_t n)
{
    if (knx_is_symbolic(n))
        return knb_convert(b, knb_dim_as_value(b, n), d);
    return knx_is_integer(d) ? knb_integer(b, d, n) : knb_number(b, d, (double)n);
}

kni_atom knb_full(kni_builder *b, kni_type t, double v)
{
    if (t.dtype == KN_DT(KEY) || (knx_is_stored(t.dtype) && v != 0)) {
        knb_fail(b, knx_error_new(KN_ERROR_TYPE, "random keys are not numbers"));
        return KN_ATOM_NONE;
    }
    kni_atom number = knb_literal(b, t.dtype, t.weak, knx_scalar_from_double(t.dtype, v));
    return t.ndim ? knb_broadcast_in_dim(b, number, t.ndim, t.dim, NULL) : number;
}

kni_atom knb_zeros(kni_builder *b, kni_type t) { return knb_full(b, t, 0); }
kni_atom knb_instantiate(kni_builder *b, kni_atom a, kni_type t) { return a == KN_ATOM_ZERO ? knb_zeros(b, t) : a; }

KNX_HOT kni_atom knb_broadcast_to(kni_builder *b, kni_atom x, kni_type shape_of)
{
    kni_type t = knb_type(b, x);
    int64_t dimensions[KN_MAX_NDIM];
    int lead = shape_of.ndim - t.ndim, misfit = lead < 0;
    if (b->error || kni_type_surely_same_shape(t, shape_of))
        return b->error ? KN_ATOM_NONE : x;
    for (int i = 0; i < t.ndim && !misfit; i++) {
        misfit = t.dim[i] != 1 && !knx_dim_eq(t.dim[i], shape_of.dim[lead + i]) && !knx_dim_eq(t.dim[i], 1);
        dimensions[i] = lead + i;
    }
    if (misfit) {
        knx_text from = {0}, to = {0};
        knb_fail(b,
                 knx_error_new(KN_ERROR_VALUE, "operands could not be broadcast together with shapes %s %s",
                               knx_show_shape(&from, t.ndim, t.dim), knx_show_shape(&to, shape_of.ndim, shape_of.dim)));
        return KN_ATOM_NONE;
    }
    return knb_broadcast_in_dim(b, x, shape_of.ndim, shape_of.dim, dimensions);
}

kni_atom knb_expand_dims(kni_builder *b, kni_atom x, int axis)
{
    kni_type t = knb_type(b, x);
    int64_t shape[KN_MAX_NDIM], dimensions[KN_MAX_NDIM];
    if (axis < 0)
        axis += t.ndim + 1;
    if (axis < 0 || axis > t.ndim || t.ndim >= KN_MAX_NDIM) {
        knb_fail(b,
                 knx_error_new(KN_ERROR_AXIS, "axis %d is out of bounds for array of dimension %d", axis, t.ndim + 1));
        return KN_ATOM_NONE;
    }
    shape[axis] = 1;
    for (int i = 0; i < t.ndim; i++) {
        dimensions[i] = i + (i >= axis);
        shape[dimensions[i]] = t.dim[i];
    }
    return knb_broadcast_in_dim(b, x, t.ndim + 1, shape, dimensions);
}

kni_atom knb_move_axis(kni_builder *b, kni_atom x, int from, int to)
{
    int64_t permutation[KN_MAX_NDIM];
    int ndim = knb_type(b, x).ndim;
    from += from < 0 ? ndim : 0;
    to += to < 0 ? ndim : 0;
    if (from < 0 || from >= ndim || to < 0 || to >= ndim) {
        knb_fail(b, knx_error_new(KN_ERROR_AXIS, "axes %d and %d do not fit an array of dimension %d", from, to, ndim));
        return KN_ATOM_NONE;
    }
    for (int i = 0, old = 0; i < ndim; i++) {
        old += old == from;
        permutation[i] = i == to ? from : old++;
    }
    return knb_transpose(b, x, permutation);
}

kni_atom(knb_abs_derivative)(kni_builder *b, kni_atom x, kni_atom y, kni_atom t)
{
    if (!knx_is_complex(knb_type(b, x).dtype))
        return knb_select(b, knb_ge(b, x, knb_like(b, x, 0)), t, knb_neg(b, t));
    kni_atom along = knb_real(b, knb_mul(b, knb_conj(b, x), t));
    kni_atom length = knb_select(b, knb_eq(b, y, knb_like(b, y, 0)), knb_like(b, y, 1), y); /* 0 / 1 where x is 0 */
    return knb_div(b, along, length);
}

kni_atom(knb_acosh_derivative)(kni_builder *b, kni_atom x, kni_atom t)
{
    kni_atom one = knb_like(b, x, 1);
    if (!knx_is_complex(knb_type(b, x).dtype))
        return knb_mul(b, t, knb_rsqrt(b, knb_sub(b, knb_square(b, x), one)));
    kni_atom below = knb_sqrt(b, knb_sub(b, x, one)), above = knb_sqrt(b, knb_add(b, x, one));
    return knb_div(b, t, knb_mul(b, below, above));
}

/* 1 over the density; at the ends 0, as in JAX. */
kni_atom(knb_ndtri_derivative)(kni_builder *b, kni_atom y, kni_atom t)
{
    kni_atom inside = knb_is_finite(b, y), zero = knb_like(b, y, 0), safe = knb_select(b, inside, y, zero);
    kni_atom power = knb_exp(b, knb_mul(b, knb_square(b, safe), knb_like(b, y, 0.5)));
    kni_atom slope = knb_mul(b, power, knb_like(b, y, 2.5066282746310002)); /* sqrt(2 pi) */
    return knb_mul(b, t, knb_select(b, inside, slope, zero));
}

kni_atom(knb_i1e_derivative)(kni_builder *b, kni_atom x, kni_atom y, kni_atom t)
{
    kn_dtype d = knb_type(b, x).dtype;
    double eps = d == KN_DT(F64) ? 0x1p-52 : d == KN_DT(F32) ? 0x1p-23 : d == KN_DT(F16) ? 0x1p-10 : 0x1p-7;
    kni_atom plain = knb_gt(b, knb_abs(b, x), knb_like(b, x, eps)), safe = knb_select(b, plain, x, knb_like(b, x, eps));
    kni_atom slope = knb_add(b, knb_sign(b, safe), knb_integer_pow(b, safe, -1));
    kni_atom derivative = knb_sub(b, knb_bessel_i0e(b, safe), knb_mul(b, y, slope));
    return knb_mul(b, t, knb_select(b, plain, derivative, knb_like(b, x, 0.5)));
}
