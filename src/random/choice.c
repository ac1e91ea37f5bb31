/* SPDX-License-Identifier: Apache-2.0
 * choice.c -- elements of an array at random, with or without replacement, equally or not (jax.random.choice). */
#include "kiln/random.h"
#include "lib/internal.h"
#include "random/draw.h"

typedef struct choosing {
    knrandom_draw *w;
    kn_random_choice_opts o;
    kn_array a;
    kni_type t; /* of a */
    int axis;
    int64_t n, draws; /* to choose from, to choose */
} choosing;

/* How many numbers of an ascending vector are smaller than each element of r. */
static kni_atom rank_in(kni_builder *b, kni_atom ascending, kni_atom r, const kn_shape *shape, int64_t n)
{
    kn_shape table = knrandom_shape_and(shape, n);
    kni_type t = kni_type_of(knb_type(b, r).dtype, table.ndim, table.dim);
    int64_t last = shape->ndim, dims[KN_MAX_NDIM];
    for (int i = 0; i < shape->ndim; i++)
        dims[i] = i;
    kni_atom wide = knb_broadcast_in_dim(b, r, t.ndim, t.dim, dims);
    kni_atom less = knb_lt(b, knb_broadcast_to(b, ascending, t), wide);
    return knb_reduce_sum(b, knb_convert(b, less, KN_DT(I64)), 1, &last);
}

/* Positions with the probabilities p. */
static kni_atom unequal(choosing *c)
{
    knrandom_draw *w = c->w;
    kni_builder *b = w->b;
    kni_atom p = knrandom_inexact(w, c->o.p);
    kni_type t = knb_type(b, p);
    knx_text text = {0}, size = {0};
    if (!kna_failed(&w->op) && (t.ndim != 1 || !knx_dim_eq(t.dim[0], c->n)))
        kna_fail(&w->op, KN_ERROR_VALUE,
                 "p must be None or a 1D vector with the same size as a.shape[axis]. p has shape %s and a.shape[axis] "
                 "is %s.",
                 knx_show_shape(&text, t.ndim, t.dim), knx_dim_show(&size, c->n));
    if (kna_failed(&w->op))
        return KN_ATOM_NONE;
    if (c->o.replace) {
        kni_atom sums = knb_cumsum(b, p, 0, false), u = knrandom_unit(b, w->key, t.dtype, &w->shape);
        kni_atom total = knb_slice(b, sums, (int64_t[]){c->n - 1}, (int64_t[]){c->n}, NULL);
        total = knb_reshape(b, total, 0, NULL);
        kni_atom r = knb_mul(b, total, knb_sub(b, knb_number(b, t.dtype, 1), u));
        return rank_in(b, sums, r, &w->shape, c->n);
    }
    kn_shape all = {1, {c->n}};
    kni_atom noise = knrandom_gumbel(&w->op, w->key, t.dtype, &all, c->o.mode), top[2] = {KN_ATOM_NONE, KN_ATOM_NONE};
    if (kna_failed(&w->op))
        return KN_ATOM_NONE;
    knb_top_k(b, knb_add(b, noise, knb_log(b, p)), 0, c->draws, top);
    return knb_convert(b, top[1], KN_DT(I64));
}

static kni_atom elements_at(choosing *c, kni_atom index)
{
    kni_builder *b = c->w->b;
    if (c->t.ndim == 0 || kna_failed(&c->w->op))
        return index;
    return knl_take_axis(&c->w->op, kna_in(&c->w->op, c->a), knb_reshape(b, index, 1, &c->draws), c->axis,
                         KN_GATHER_PROMISE);
}

/* Without replacement and with equal probabilities: the first ones of a permutation. */
static kni_atom shuffled(choosing *c)
{
    kni_builder *b = c->w->b;
    int64_t start[KN_MAX_NDIM] = {0}, limit[KN_MAX_NDIM];
    if (c->t.ndim == 0)
        return knb_slice(b, knrandom_shuffled_range(b, c->w->key, c->n), start, &c->draws, NULL);
    kni_atom x = knrandom_shuffled(b, c->w->key, kna_in(&c->w->op, c->a), c->axis);
    for (int i = 0; i < c->t.ndim; i++)
        limit[i] = i == c->axis ? c->draws : c->t.dim[i];
    return kna_failed(&c->w->op) ? KN_ATOM_NONE : knb_slice(b, x, start, limit, NULL);
}

/* a's own shape with the samples' one in the place of the axis. */
static kn_shape result_shape(const choosing *c)
{
    kn_shape y = {.ndim = 0};
    for (int i = 0; i < (c->t.ndim ? c->t.ndim : 1); i++)
        if (i != c->axis)
            y.dim[y.ndim++] = c->t.dim[i];
        else
            for (int j = 0; j < c->w->shape.ndim && y.ndim < KN_MAX_NDIM; j++)
                y.dim[y.ndim++] = c->w->shape.dim[j];
    return y;
}

/* The number of elements: the axis' extent, or the number a itself. */
static bool count(choosing *c)
{
    kna_op *op = &c->w->op;
    c->axis = kna_axis(op, c->o.axis, c->t.ndim ? c->t.ndim : 1, 0);
    if (kna_failed(op))
        return false;
    c->n = c->t.ndim ? c->t.dim[c->axis] : 0;
    if (c->t.ndim)
        return true;
    kni_type t;
    knx_text text = {0};
    const void *data = kna_look(op, c->a, &t);
    knx_scalar_bits bits = {.u = {0}};
    if (data && !knx_is_integer(t.dtype))
        kna_fail(op, KN_ERROR_TYPE, "a must be an integer or at least 1-dimensional, but is %s",
                 kni_type_text(&text, t, true));
    if (!data || kna_failed(op))
        return false;
    knx_convert(t.dtype, data, KN_DT(I64), &bits);
    c->n = bits.i64;
    return true;
}

kn_array kn_random_choice(kn_array key, kn_array a, const kn_shape *shape, const kn_random_choice_opts *opts)
{
    knrandom_draw w;
    choosing c = {.w = &w, .o = opts ? *opts : kn_random_choice_opts_default(), .a = a, .draws = 1};
    if (!knrandom_begin(&w, "random_choice", key, KNRANDOM_ANY, NULL, shape, 0, NULL))
        return knrandom_failed(&w);
    c.t = kna_type(&w.op, a);
    if (!count(&c))
        return knrandom_failed(&w);
    for (int i = 0; i < w.shape.ndim; i++)
        c.draws = knx_dim_mul(c.draws, w.shape.dim[i]);
    if (c.draws == 0) /* of this shape whatever a's is, as in JAX */
        return kna_end(&w.op,
                       knb_zeros(w.b, kni_type_of(c.t.ndim ? c.t.dtype : KN_DT(I64), w.shape.ndim, w.shape.dim)));
    knx_text few = {0}, many = {0};
    if (!knx_dim_lt(0, c.n))
        kna_fail(&w.op, KN_ERROR_VALUE, "a must be greater than 0 unless no samples are taken");
    else if (!c.o.replace && !knx_dim_le(c.draws, c.n))
        kna_fail(&w.op, KN_ERROR_VALUE,
                 "Cannot take a larger sample (size %s) than population (size %s) when 'replace=False'",
                 knx_dim_show(&many, c.draws), knx_dim_show(&few, c.n));
    if (kna_failed(&w.op))
        return knrandom_failed(&w);
    kn_shape y = result_shape(&c);
    kni_atom x = c.o.p         ? elements_at(&c, unequal(&c))
                 : c.o.replace ? elements_at(&c, knrandom_below(&w, c.n))
                               : shuffled(&c);
    return kna_end(&w.op, kna_failed(&w.op) ? KN_ATOM_NONE : knb_reshape(w.b, x, y.ndim, y.dim));
}
