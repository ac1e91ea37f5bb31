/* SPDX-License-Identifier: Apache-2.0
 * prepare.c -- the launches of a program thought through and their stage functions made before it runs. */
#include "codegen/native.h"
#include "compile/plan.h"

kn_error *knc_prepare_kernels(knc_plan *p)
{
    for (uint32_t i = 0; i < p->p->n_step; i++) {
        knc_step *s = (knc_step *)(uintptr_t)&p->p->step[i];
        if (s->kind != KNC_KERNEL)
            continue;
        size_t bytes = kng_plan_bytes(s->u.k.kernel);
        void *room = bytes ? knx_arena_alloc(&p->p->arena, bytes) : NULL;
        if (bytes && !room)
            return knx_error_nomem();
        const knk_launch launch = {.map = s->u.k.map, .par = s->u.k.par, .inner = s->u.k.inner};
        s->u.k.prepared = room ? kng_prepare_in(room, s->u.k.kernel, &launch) : NULL;
    }
    return NULL;
}
