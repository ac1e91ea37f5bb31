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
    kni_atom k = knrandom_key_in(&op, key);
    if (d->kind != KN_KIND_UINT)
        kna_fail(&op, KN_ERROR_VALUE, "dtype argument to `bits` must be an unsigned int dtype, got %s", d->name);
    if (!knrandom_shape_ok(&op, shape) || kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    return kna_end(&op, knb_random_bits(op.b, k, d->size * 8, shape->ndim, shape->dim));
}

/* ---- Uniform numbers. */

kn_array kn_random_uniform(kn_array key, const kn_shape *shape, const kn_random_uniform_opts *opts)
{
    knrandom_draw w;
    kn_random_uniform_opts o = opts ? *opts : kn_random_uniform_opts_default();
    if (!knrandom_begin(&w, "random_uniform", key, KNRANDOM_FLOAT, o.dtype, shape, 0, NULL))
        return knrandom_failed(&w);
    if (!o.minval && !o.maxval) /* times one, plus zero: the same bits */
        return kna_end(&w.op, knrandom_unit(w.b, w.key, w.d, &w.shape));
    kni_atom lo = o.minval ? kna_in_as(&w.op, o.minval, w.d) : knrandom_number(&w, 0);
    kni_atom hi = o.maxval ? kna_in_as(&w.op, o.maxval, w.d) : knrandom_number(&w, 1);
    return kna_end(&w.op, knrandom_between(w.b, w.key, w.d, &w.shape, lo, hi));
}

/* ---- Normal numbers. */

kni_atom knrandom_any_gauss(kni_builder *b, kni_atom key, kn_dtype d, const kn_shape *shape)
{
    if (!knx_is_complex(d))
        return knrandom_gauss(b, key, d, shape);
    kni_atom half[2], part[2];
    kn_dtype real = knx_component(d);
    double scale =
        real == KN_DT(F32) ? 1 / 1.4142135623730951f : 1 / 1.4142135623730951; /* the root rounded first: JAX's bits */
    knrandom_split2(b, key, half);
    for (int i = 0; i < 2; i++)
        part[i] = knb_mul(b, knrandom_gauss(b, half[i], real, shape), knb_number(b, real, scale));
    return knb_complex(b, part[0], part[1]);
}

kni_atom knrandom_normal(kni_builder *b, kni_atom key, kn_dtype d, int ndim, const int64_t *shape)
{
    kn_shape all = {.ndim = ndim};
    for (int i = 0; i < ndim; i++)
        all.dim[i] = shape[i];
    return knrandom_any_gauss(b, key, d, &all);
}

kn_array kn_random_normal(kn_array key, const kn_shape *shape, const kn_random_normal_opts *opts)
{
    knrandom_draw w;
    if (!knrandom_begin(&w, "random_normal", key, KNRANDOM_INEXACT, opts ? opts->dtype : NULL, shape, 0, NULL))
        return knrandom_failed(&w);
    return kna_end(&w.op, knrandom_any_gauss(w.b, w.key, w.d, &w.shape));
}
