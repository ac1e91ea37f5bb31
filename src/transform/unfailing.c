/* SPDX-License-Identifier: Apache-2.0
 * unfailing.c -- a function without its errors: one more result says whether there would have been one. Loops whose
 * steps may fail become kernels that way. Flags are arrays over some first axes of the work, so that loops over many
 * points have one for each point. */
#include "ir/ops.h"
#include "transform/replay.h"

int knt_common_axes(kni_type a, kni_type b)
{
    int n = 0;
    while (n < a.ndim && n < b.ndim && a.dim[n] == b.dim[n])
        n++;
    return n;
}

kni_atom knt_failed_over(kni_builder *b, kni_atom failed, kni_type points)
{
    kni_type t = knb_type(b, failed);
    int64_t axis[KN_MAX_NDIM];
    int n = 0;
    for (int d = knt_common_axes(t, points); d < t.ndim; d++)
        axis[n++] = d;
    return n ? knb_reduce_or(b, failed, n, axis) : failed;
}

kni_atom knt_any_failed(kni_builder *b, kni_atom failed)
{
    return knt_failed_over(b, failed, kni_scalar_type(KN_DT(BOOL)));
}

kni_atom knt_either_failed(kni_builder *b, kni_atom a, kni_atom c)
{
    if (a == KN_ATOM_NONE || c == KN_ATOM_NONE)
        return a == KN_ATOM_NONE ? c : a;
    a = knt_failed_over(b, a, knb_type(b, c));
    return knb_or(b, a, knt_failed_over(b, c, knb_type(b, a)));
}

/* One equation; *known is false if it has no such form. */
static knx_error *without_error(knt_replay *r, const kni_eqn *e, kni_atom *failed, bool *known)
{
    if (!kni_can_fail(e->prim, e->params)) {
        knt_emit_same(r, e);
        return NULL;
    }
    kni_atom mine = KN_ATOM_NONE;
    kni_rule rule = knt_rule(r, e, NULL);
    for (uint32_t i = 0; i < e->n_out; i++)
        r->out[i] = KN_ATOM_NONE;
    if (e->prim->unfailing)
        KN_TRY(e->prim->unfailing(&rule, r->out, &mine));
    *known = mine != KN_ATOM_NONE || r->b.error;
    knt_bind(r, e, r->out);
    *failed = knt_either_failed(&r->b, *failed, mine);
    return NULL;
}

static knx_error *write_all(knt_replay *r, kni_jaxpr **out)
{
    const kni_jaxpr *j = r->j;
    kni_atom failed = KN_ATOM_NONE;
    bool known = true;
    for (uint32_t i = 0; known && i < j->n_eqn; i++) {
        knt_operands(r, &j->eqn[i]);
        KN_TRY(without_error(r, &j->eqn[i], &failed, &known));
        KN_TRY(knb_take_error(&r->b));
    }
    kni_atom *y = knx_arena_alloc(&r->arena, ((size_t)j->n_out + 1) * sizeof *y);
    if (!y)
        return knx_error_nomem();
    for (uint32_t i = 0; i < j->n_out; i++)
        y[i] = knt_atom(r, j->out[i]);
    y[j->n_out] = failed == KN_ATOM_NONE ? knb_zeros(&r->b, kni_scalar_type(KN_DT(BOOL))) : failed;
    KN_TRY(knb_take_error(&r->b));
    return known ? knb_finish(&r->b, (int)j->n_out + 1, y, j->name, true, out) : NULL;
}

knx_error *knt_unfailing(const kni_jaxpr *j, kni_jaxpr **out)
{
    kni_jaxpr *open = NULL;
    *out = NULL;
    KN_TRY(knt_expand_failing(j, &open));
    knt_replay r;
    knx_error *error = knt_replay_begin(&r, open, true);
    if (!error)
        error = write_all(&r, out);
    knt_replay_end(&r);
    kni_release(open);
    return error;
}
