/* SPDX-License-Identifier: Apache-2.0
 * ufunc.c -- functions of NumPy that are formulas here: while there is an error state, their steps are quiet, and an
 * equation behind them has the operands and the result of the whole.
 *
 *     ufunc      y, x...: y
 *     type       y's; the x are of y's shape or scalars
 *     jvp        y's tangent: derivatives tell what the function itself tells
 *     batch      elementwise
 *     lower      y
 */
#include "lib/formulas.h"
#include "numpy/error_state/error_state.h"
#include "prim/rules.h"

static knx_error *ufunc_type(kni_rule *r, kni_type *y)
{
    for (int i = 1; i < r->n_in; i++)
        if (r->xt[i].ndim && !kni_type_same_shape(r->xt[0], r->xt[i]))
            return knx_error_new(KN_ERROR_TYPE, "operand %d has another shape than the result", i);
    return knp_type_like(r->arena, r->xt[0], r->xt[0].dtype, y);
}

static void ufunc_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    (void)r;
    ty[0] = tx[0];
}

const kni_prim knn_prim_ufunc = {
    .name = "ufunc",
    .n_in = -1,
    .n_out = 1,
    .events = KN_EVENTS | KN_EVENTS_BY_ZERO,
    .bits = KN_ELEMENTWISE | KN_CHEAP,
    .factors = "... -> ...",
    .type = ufunc_type,
    .jvp = ufunc_jvp,
    .batch = knp_batch_elementwise,
    .expr = knp_expr_same,
    .cost = knp_cost_none,
    .doc = "the first operand, which is what a function of NumPy makes of the others",
};

knl_hush knl_hush_begin(kni_builder *b)
{
    const kna_state *s = kna_state_get();
    knl_hush h = {.before = b->place, .on = s && s->how.events};
    const knn_place *quiet =
        h.on ? knn_place_make(b->place, knx_context()->operation, NULL, s->how.events, true) : NULL;
    if (quiet)
        b->place = &quiet->place;
    return h;
}

kni_atom knl_hush_end(kni_builder *b, const knl_hush *h, const char *ufunc, int n, const kni_atom *x, kni_atom y)
{
    b->place = h->before;
    if (!h->on || !ufunc || b->error)
        return y;
    const knn_place *loud =
        knn_place_make(b->place, knx_context()->operation, ufunc, kna_state_get()->how.events, false);
    kni_atom in[4] = {y};
    KN_KNOWN(n < 4);
    for (int i = 0; i < n; i++)
        in[i + 1] = x[i];
    if (loud) {
        b->place = &loud->place;
        y = knb_emit1(b, &knn_prim_ufunc, NULL, n + 1, in);
        b->place = h->before;
    }
    return y;
}
