/* SPDX-License-Identifier: Apache-2.0
 * settle.c -- packs the descriptions of products, which the passes kept and changed in the plan's scratch memory, into
 * the program's own memory. */
#include "compile/plan.h"

static knx_error *settle(knx_arena *a, knc_step *s)
{
    s->u.p.packed = knk_pack_product(a, s->u.p.product);
    s->u.p.product = NULL;
    return s->u.p.packed ? NULL : knx_error_nomem();
}

knx_error *knc_settle_products(knc_plan *p)
{
    for (uint32_t i = 0; i < p->p->n_step; i++) {
        knc_step *s = (knc_step *)(uintptr_t)&p->p->step[i];
        if (s->kind == KNC_PRODUCT)
            KN_TRY(settle(&p->p->arena, s));
        for (uint32_t k = 0; s->kind == KNC_BAND && k < s->u.band->n_step; k++)
            if (s->u.band->step[k].step.kind == KNC_PRODUCT)
                KN_TRY(settle(&p->p->arena, &s->u.band->step[k].step));
    }
    return NULL;
}
