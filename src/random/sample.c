/* SPDX-License-Identifier: Apache-2.0
 * sample.c -- random numbers: bits, uniform, normal. Step for step what jax.random does, so that the bits are the
 * same. */
#include "kiln/random.h"
#include "random/draw.h"

kn_array kn_random_bits(kn_array key, const kn_shape *shape, const kn_random_bits_opts *opts)
{
    kna_op op;
    kna_begin(&op, "random_bits");
    shape = kna_shape(&op, shape);
    kn_dtype d = opts && opts->dtype ? opts->dtype : KN_DT(U32);
    kn_atom k = knrand_key_in(&op, key);
    if (d->kind != KN_KIND_UINT)
        kna_fail(&op, KN_ERROR_VALUE, "dtype argument to `bits` must be an unsigned int dtype, got %s", d->name);
    if (!knrand_shape_ok(&op, shape) || kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    return kna_end(&op, knb_random_bits(op.b, k, d->size * 8, shape->ndim, shape->dim));
}

/* ---- Uniform numbers. */

kn_array kn_random_uniform(kn_array key, const kn_shape *shape, const kn_random_uniform_opts *opts)
{
    knrand_draw w;
    kn_random_uniform_opts o = opts ? *opts : kn_random_uniform_opts_default();
    if (!knrand_begin(&w, "random_uniform", key, KNRAND_FLOAT, o.dtype, shape, 0, NULL))
        return knrand_failed(&w);
    if (!o.minval && !o.maxval) /* times one, plus zero: the same bits */
        return kna_end(&w.op, knrand_unit(w.b, w.key, w.d, &w.shape));
    kn_atom lo = o.minval ? kna_in_as(&w.op, o.minval, w.d) : knrand_number(&w, 0);
    kn_atom hi = o.maxval ? kna_in_as(&w.op, o.maxval, w.d) : knrand_number(&w, 1);
    return kna_end(&w.op, knrand_between(w.b, w.key, w.d, &w.shape, lo, hi));
}

/* ---- Normal numbers. */

kn_atom knrand_normal(kn_builder *b, kn_atom key, kn_dtype d, int ndim, const int64_t *shape)
{
    return knb_random_normal(b, key, d, ndim, shape);
}

kn_atom knrand_any_gauss(kn_builder *b, kn_atom key, kn_dtype d, const kn_shape *shape)
{
    if (!knx_is_complex(d))
        return knrand_gauss(b, key, d, shape);
    kn_atom half[2], part[2];
    kn_dtype real = knx_component(d);
    double scale =
        real == KN_DT(F32) ? 1 / 1.4142135623730951f : 1 / 1.4142135623730951; /* the root rounded first: JAX's bits */
    knrand_split2(b, key, half);
    for (int i = 0; i < 2; i++)
        part[i] = knb_mul(b, knrand_gauss(b, half[i], real, shape), knb_number(b, real, scale));
    return knb_complex(b, part[0], part[1]);
}

kn_array kn_random_normal(kn_array key, const kn_shape *shape, const kn_random_normal_opts *opts)
{
    knrand_draw w;
    if (!knrand_begin(&w, "random_normal", key, KNRAND_INEXACT, opts ? opts->dtype : NULL, shape, 0, NULL))
        return knrand_failed(&w);
    return kna_end(&w.op, knrand_any_gauss(w.b, w.key, w.d, &w.shape));
}
