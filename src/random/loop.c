/* SPDX-License-Identifier: Apache-2.0
 * loop.c -- while loops in the making. */
#include "random/loop.h"

void knrandom_loop_begin(knrandom_loop *l, kni_builder *outer, int n_const, int n, const kni_atom *init)
{
    *l = (knrandom_loop){.outer = outer, .n_const = n_const, .n = n};
    knb_init(&l->cond);
    knb_init(&l->body);
    for (int i = 0; i < n_const + n; i++) {
        kni_type t = knb_type(outer, init[i]);
        l->init[i] = init[i];
        l->c[i] = knb_invar(&l->cond, t);
        l->x[i] = knb_invar(&l->body, t);
    }
}

void knrandom_loop_end(knrandom_loop *l, kni_atom more, const kni_atom *next, kni_atom *out)
{
    kni_atom in[2 * KNRANDOM_MAX_LOOP];
    int k = 0;
    for (int i = 0; i < l->n_const; i++) /* once for each jaxpr */
        in[k++] = l->init[i];
    for (int i = 0; i < l->n_const + l->n; i++)
        in[k++] = l->init[i];
    for (int i = 0; i < l->n; i++)
        out[i] = KN_ATOM_NONE;
    kni_jaxpr *cond = knb_finish_for(l->outer, &l->cond, 1, &more),
              *body = knb_finish_for(l->outer, &l->body, l->n, next);
    if (cond && body)
        knb_while(l->outer, &(kni_p_while){body, l->n_const, cond, l->n_const, 0, 0, 0}, in, out);
    kni_release(cond);
    kni_release(body);
}

kni_atom knrandom_any(kni_builder *b, kni_atom x)
{
    int64_t axes[KN_MAX_NDIM];
    kni_type t = knb_type(b, x);
    for (int i = 0; i < t.ndim; i++)
        axes[i] = i;
    return t.ndim ? knb_reduce_or(b, x, t.ndim, axes) : x;
}

static void start_of(kni_builder *b, kni_atom i, int ndim, kni_atom *start)
{
    for (int d = 0; d < ndim; d++)
        start[d] = d ? knb_integer(b, KN_DT(I64), 0) : i;
}

kni_atom knrandom_read_row(kni_builder *b, kni_atom x, kni_atom i, kni_type one)
{
    kni_atom start[KN_MAX_NDIM];
    int64_t size[KN_MAX_NDIM] = {1};
    if (b->error || one.ndim >= KN_MAX_NDIM)
        return KN_ATOM_NONE;
    start_of(b, i, one.ndim + 1, start);
    for (int d = 0; d < one.ndim; d++)
        size[d + 1] = one.dim[d];
    return knb_reshape(b, knb_dynamic_slice(b, x, start, size), one.ndim, one.dim);
}

kni_atom knrandom_write_row(kni_builder *b, kni_atom x, kni_atom i, kni_atom row)
{
    kni_atom start[KN_MAX_NDIM];
    if (b->error)
        return KN_ATOM_NONE;
    start_of(b, i, knb_type(b, x).ndim, start);
    return knb_dynamic_update_slice(b, x, knb_expand_dims(b, row, 0), start);
}
