/* SPDX-License-Identifier: Apache-2.0
 * sample.c -- random numbers: bits, uniform, normal. Step for step what jax.random does, so that the bits are the
 * same. */
#include "kiln/random.h"
#include "random/keys.h"
#include <math.h>

static kn_dtype unsigned_of_size(int bytes)
{
    return bytes == 1 ? KN_DT(U8) : bytes == 2 ? KN_DT(U16) : bytes == 4 ? KN_DT(U32) : KN_DT(U64);
}

kn_random_bits_opts kn_random_bits_opts_default(void)
{
    return (kn_random_bits_opts){.size_ = sizeof(kn_random_bits_opts)};
}

kn_array kn_random_bits(kn_array key, const kn_shape *shape, const kn_random_bits_opts *opts)
{
    kna_op op;
    kna_begin(&op, "random_bits");
    kn_dtype d = opts && opts->dtype ? opts->dtype : KN_DT(U32);
    kn_atom k = knrand_key_in(&op, key);
    if (d->kind != KN_KIND_UINT)
        kna_fail(&op, KN_ERROR_TYPE, "dtype argument must be an unsigned int dtype, got %s", d->name);
    if (!knrand_shape_ok(&op, shape) || kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    return kna_end(&op, knb_random_bits(op.b, k, d->size * 8, shape->ndim, shape->dim));
}

/* ---- Uniform numbers. */

/* Bits stored, and the distance from one to the next number below. */
typedef struct float_form {
    int mantissa;
    double below_one;
} float_form;

static float_form form_of(kn_dtype d)
{
    int m = d == KN_DT(F16) ? 10 : d == KN_DT(BF16) ? 7 : d == KN_DT(F32) ? 23 : 52;
    return (float_form){m, ldexp(1, -m - 1)};
}

/* Numbers in [0, 1): random mantissas with the exponent of one, less one. */
static kn_atom unit(kn_builder *b, kn_atom key, kn_dtype d, const kn_shape *shape)
{
    int mantissa = form_of(d).mantissa, width = mantissa < 8 ? 8 : d->size * 8;
    kn_dtype u = unsigned_of_size(d->size);
    kn_scalar_bits one = knx_scalar_from_double(d, 1);
    kn_atom bits = knb_convert(b, knb_random_bits(b, key, width, shape->ndim, shape->dim), u);
    bits = knb_shift_right_logical(b, bits, knb_integer(b, u, width - mantissa));
    bits = knb_or(b, bits, knb_literal(b, u, false, one));
    return knb_sub(b, knb_bitcast(b, bits, d), knb_number(b, d, 1));
}

/* In [lo, hi): scalars, or arrays that broadcast to the shape. */
static kn_atom between(kn_builder *b, kn_atom key, kn_dtype d, const kn_shape *shape, kn_atom lo, kn_atom hi)
{
    kn_type full = kni_type(d, shape->ndim, shape->dim);
    kn_atom x = unit(b, key, d, shape);
    if (knb_type(b, lo).ndim || knb_type(b, hi).ndim) {
        lo = knb_broadcast_to(b, lo, full);
        hi = knb_broadcast_to(b, hi, full);
    }
    return knb_max(b, lo, knb_add(b, knb_mul(b, x, knb_sub(b, hi, lo)), lo));
}

static kn_dtype float_dtype(kna_op *op, kn_dtype given, bool complex)
{
    kn_dtype d = kna_lookup_dtype(given, kna_default_float());
    if (knx_is_float(d) || (complex && knx_is_complex(d)))
        return d;
    kna_fail(op, KN_ERROR_TYPE, "dtype argument must be a float%s dtype, got %s", complex ? " or complex" : "",
             d->name);
    return KN_DT(F32);
}

kn_random_uniform_opts kn_random_uniform_opts_default(void)
{
    return (kn_random_uniform_opts){.size_ = sizeof(kn_random_uniform_opts)};
}

kn_array kn_random_uniform(kn_array key, const kn_shape *shape, const kn_random_uniform_opts *opts)
{
    kna_op op;
    kna_begin(&op, "random_uniform");
    kn_random_uniform_opts o = opts ? *opts : kn_random_uniform_opts_default();
    kn_dtype d = float_dtype(&op, o.dtype, false);
    kn_atom k = knrand_key_in(&op, key), result;
    if (!knrand_shape_ok(&op, shape) || kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    if (!o.minval && !o.maxval) { /* times one, plus zero: the same bits */
        result = unit(op.b, k, d, shape);
    } else {
        kn_atom lo = o.minval ? kna_in_as(&op, o.minval, d) : knb_number(op.b, d, 0);
        kn_atom hi = o.maxval ? kna_in_as(&op, o.maxval, d) : knb_number(op.b, d, 1);
        result = between(op.b, k, d, shape, lo, hi);
    }
    return kna_end(&op, result);
}

/* ---- Normal numbers, by the inverse of the error function. */

static kn_atom normal(kn_builder *b, kn_atom key, kn_dtype d, const kn_shape *shape)
{
    kn_atom lo = knb_number(b, d, form_of(d).below_one - 1), hi = knb_number(b, d, 1);
    return knb_mul(b, knb_number(b, d, 1.4142135623730951), knb_erf_inv(b, between(b, key, d, shape, lo, hi)));
}

kn_atom knrand_normal(kn_builder *b, kn_atom key, kn_dtype d, int ndim, const int64_t *shape)
{
    kn_shape full = {.ndim = ndim};
    for (int i = 0; i < ndim; i++)
        full.dim[i] = shape[i];
    return normal(b, key, d, &full);
}

kn_random_normal_opts kn_random_normal_opts_default(void)
{
    return (kn_random_normal_opts){.size_ = sizeof(kn_random_normal_opts)};
}

kn_array kn_random_normal(kn_array key, const kn_shape *shape, const kn_random_normal_opts *opts)
{
    kna_op op;
    kna_begin(&op, "random_normal");
    kn_dtype d = float_dtype(&op, opts ? opts->dtype : NULL, true);
    kn_atom k = knrand_key_in(&op, key);
    if (!knrand_shape_ok(&op, shape) || kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    if (!knx_is_complex(d))
        return kna_end(&op, normal(op.b, k, d, shape));
    kn_atom half[2], part[2];
    kn_dtype real = knx_component(d);
    double scale =
        real == KN_DT(F32) ? 1 / 1.4142135623730951f : 1 / 1.4142135623730951; /* the root rounded first: JAX's bits */
    knrand_split2(op.b, k, half);
    for (int i = 0; i < 2; i++)
        part[i] = knb_mul(op.b, normal(op.b, half[i], real, shape), knb_number(op.b, real, scale));
    return kna_end(&op, knb_complex(op.b, part[0], part[1]));
}
