/* SPDX-License-Identifier: Apache-2.0
 * prepare.c -- the launches of a program thought through and their stage functions made before it runs. */
#include "codegen/native.h"
#include "compile/plan.h"

static kn_error *prepare(knc_plan *p, const knc_step *s, const int64_t *par, const struct kng_prepared **out)
{
    size_t bytes = kng_plan_bytes(s->u.k.kernel);
    void *room = bytes ? knx_arena_alloc(&p->p->arena, bytes) : NULL;
    if (bytes && !room)
        return knx_error_nomem();
    const knk_launch launch = {.map = s->u.k.map, .par = par, .inner = s->u.k.inner};
    *out = room ? kng_prepare_in(room, s->u.k.kernel, &launch) : NULL;
    return NULL;
}

/* For a whole block, and for the last one of a batch. */
static kn_error *prepare_band(knc_plan *p, knc_band *band)
{
    for (uint32_t i = 0; i < band->n_step; i++) {
        knc_band_step *b = &band->step[i];
        for (int last = 0; b->step.kind == KNC_KERNEL && last < 2; last++) {
            if (last && b->par[1] == b->par[0])
                b->prepared[1] = b->prepared[0];
            else
                KN_TRY(prepare(p, &b->step, b->par[last], &b->prepared[last]));
        }
    }
    return NULL;
}

kn_error *knc_prepare_kernels(knc_plan *p)
{
    for (uint32_t i = 0; i < p->p->n_step; i++) {
        knc_step *s = (knc_step *)(uintptr_t)&p->p->step[i];
        if (s->kind == KNC_KERNEL)
            KN_TRY(prepare(p, s, s->u.k.par, &s->u.k.prepared));
        else if (s->kind == KNC_BAND)
            KN_TRY(prepare_band(p, s->u.band));
    }
    return NULL;
}
