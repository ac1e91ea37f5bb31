/* SPDX-License-Identifier: Apache-2.0
 * iterate.c -- loops over arrays that run until every element is done. An element that is done does not change any
 * more, so that its value does not depend on its neighbours. */
#include "prim/iterate.h"

void knp_iterate(knp_iteration *it, kni_builder *outer, int n_const, int n, const kni_atom *init)
{
    *it = (knp_iteration){.outer = outer, .n_const = n_const, .n = n};
    knb_init(&it->body);
    for (int i = 0; i < n_const + n; i++) {
        kni_type t = knb_type(outer, init[i]);
        it->init[i] = init[i];
        it->in[i] = knb_invar(&it->body, t);
        if (i >= n_const)
            it->carry[i - n_const] = t;
    }
}

/* Is any element not done? */
static kni_jaxpr *condition(const knp_iteration *it)
{
    kni_builder b;
    int64_t axes[KN_MAX_NDIM];
    knb_init(&b);
    kni_atom mask = knb_invar(&b, it->carry[0]);
    for (int i = 1; i < it->n; i++)
        knb_invar(&b, it->carry[i]);
    for (int d = 0; d < it->carry[0].ndim; d++)
        axes[d] = d;
    if (it->carry[0].ndim)
        mask = knb_reduce_or(&b, mask, it->carry[0].ndim, axes);
    return knb_finish_for(it->outer, &b, 1, &mask);
}

void knp_iterate_end(knp_iteration *it, const kni_atom *next, kni_atom *out)
{
    kni_atom y[KNP_MAX_ITERATED];
    const kni_atom *old = it->in + it->n_const;
    y[0] = knb_and(&it->body, old[0], next[0]);
    for (int i = 1; i < it->n; i++) /* a scalar counts rounds */
        y[i] = it->carry[i].ndim < it->carry[0].ndim ? next[i] : knb_select(&it->body, old[0], next[i], old[i]);
    kni_jaxpr *body = knb_finish_for(it->outer, &it->body, it->n, y), *cond = body ? condition(it) : NULL;
    kni_atom end[KNP_MAX_ITERATED];
    for (int i = 0; i < it->n; i++)
        end[i] = KN_ATOM_NONE;
    if (body && cond)
        knb_while(it->outer, &(kni_p_while){body, it->n_const, cond, 0, 0, 0, 0}, it->init, end);
    for (int i = 0; i < it->n; i++) /* out may be it->init */
        out[i] = end[i];
    kni_release(body);
    kni_release(cond);
}

kn_dtype knp_widen_operands(const kni_rule *r, kni_atom *x)
{
    kn_dtype d = r->yt[0].dtype->size == 2 ? KN_DT(F32) : r->yt[0].dtype;
    for (int i = 0; i < r->n_in; i++)
        x[i] = knb_broadcast_to(r->b, knb_convert(r->b, r->x[i], d), r->yt[0]);
    return d;
}

kni_atom knp_narrow_result(const kni_rule *r, kni_atom y) { return knb_convert(r->b, y, r->yt[0].dtype); }

double knp_epsilon(kn_dtype d) { return d->size == 4 ? 0x1p-23 : 0x1p-52; }

double knp_log_of_most(kn_dtype d) { return d->size == 4 ? 88.722839052068353 : 709.78271289338397; }

kni_atom knp_is_nan(kni_builder *b, kni_atom x) { return knb_ne(b, x, x); }

knx_error *knp_floats_type(kni_rule *r, kni_type *y)
{
    KN_TRY(knp_accepts(r->xt[0].dtype, KNP_FLOAT));
    return knp_join(r->n_in, r->xt, r->arena, y);
}
