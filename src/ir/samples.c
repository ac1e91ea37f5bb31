/* SPDX-License-Identifier: Apache-2.0
 * samples.c -- uniform and normal numbers from random bits: compositions that jax.random's functions and rows share.
 * Step for step what JAX does, so that the bits are the same. */
#include "ir/ops.h"
#include <math.h>

static kn_dtype unsigned_of_size(int bytes)
{
    return bytes == 1 ? KN_DT(U8) : bytes == 2 ? KN_DT(U16) : bytes == 4 ? KN_DT(U32) : KN_DT(U64);
}

static int mantissa_bits(kn_dtype d) { return d == KN_DT(F16) ? 10 : d == KN_DT(BF16) ? 7 : d == KN_DT(F32) ? 23 : 52; }

/* Random mantissas with the exponent of one, less one. */
kni_atom knb_random_unit(kni_builder *b, kni_atom keys, kn_dtype d, int ndim, const int64_t *shape)
{
    int mantissa = mantissa_bits(d), width = mantissa < 8 ? 8 : d->size * 8;
    kn_dtype u = unsigned_of_size(d->size);
    knx_scalar_bits one = knx_scalar_from_double(d, 1);
    kni_atom bits = knb_convert(b, knb_random_bits(b, keys, width, ndim, shape), u);
    bits = knb_shift_right_logical(b, bits, knb_integer(b, u, width - mantissa));
    bits = knb_or(b, bits, knb_literal(b, u, false, one));
    return knb_sub(b, knb_bitcast(b, bits, d), knb_number(b, d, 1));
}

kni_atom knb_random_uniform(kni_builder *b, kni_atom keys, kn_dtype d, int ndim, const int64_t *shape, kni_atom lo,
                            kni_atom hi)
{
    kni_atom x = knb_random_unit(b, keys, d, ndim, shape);
    if (knb_type(b, lo).ndim || knb_type(b, hi).ndim) {
        lo = knb_broadcast_to(b, lo, knb_type(b, x));
        hi = knb_broadcast_to(b, hi, knb_type(b, x));
    }
    return knb_max(b, lo, knb_add(b, knb_mul(b, x, knb_sub(b, hi, lo)), lo));
}

/* By the inverse of the error function. */
kni_atom knb_random_normal(kni_builder *b, kni_atom keys, kn_dtype d, int ndim, const int64_t *shape)
{
    kni_atom lo = knb_number(b, d, ldexp(1, -mantissa_bits(d) - 1) - 1), hi = knb_number(b, d, 1);
    kni_atom u = knb_random_uniform(b, keys, d, ndim, shape, lo, hi);
    return knb_mul(b, knb_number(b, d, 1.4142135623730951), knb_erf_inv(b, u));
}

kni_atom knb_random_exponential(kni_builder *b, kni_atom keys, kn_dtype d, int ndim, const int64_t *shape)
{
    return knb_neg(b, knb_log1p(b, knb_neg(b, knb_random_unit(b, keys, d, ndim, shape))));
}

kni_atom knb_subkey(kni_builder *b, kni_atom keys, int i)
{
    return knb_random_fold_in(b, keys, knb_integer(b, KN_DT(U32), i));
}
