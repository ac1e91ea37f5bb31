/* SPDX-License-Identifier: Apache-2.0
 * prepare.c -- the launches of a program thought through, their stage functions made and its products planned before
 * it runs. */
#include "host/native.h"
#include "host/rect.h"
#include "compile/plan.h"

static kn_error *prepare_kernel(knc_plan *p, const knc_step *s, const int64_t *par, const struct kng_prepared **out)
{
    size_t bytes = kng_plan_bytes(s->u.k.kernel);
    void *room = bytes ? knx_arena_alloc(&p->p->arena, bytes) : NULL;
    if (bytes && !room)
        return knx_error_nomem();
    const knk_launch launch = {.map = s->u.k.map, .par = par, .inner = s->u.k.inner};
    *out = room ? kng_prepare_in(room, s->u.k.kernel, &launch) : NULL;
    return NULL;
}

static kn_error *prepare_step(knc_plan *p, knc_step *s)
{
    KN_TRY(knc_cut_kernel(p, s));
    return s->u.k.prepared ? NULL : prepare_kernel(p, s, s->u.k.par, &s->u.k.prepared);
}

/* For elements that are adjacent along columns, and along rows. */
static kn_error *prepare_attached(knc_plan *p, knc_attached *x)
{
    kng_rect_map map[KNG_RECT_MAPS];
    int n = x->n_batch + x->n_row + x->n_column;
    for (int way = 0; way < 2; way++) {
        bool columns = !way ^ x->across[way];
        for (int m = 0; m < x->kernel->n_map; m++) {
            int64_t own = x->stride[m * n + (columns ? n : n - x->n_column) - 1];
            map[m] = (kng_rect_map){.lane = !x->handed[m] ? own : x->parts};
        }
        void *room = knx_arena_alloc(&p->p->arena, kng_rect_bytes(x->kernel));
        if (!room)
            return knx_error_nomem();
        x->rect[way] = kng_rect_make(room, x->kernel, map);
    }
    return NULL;
}

static kn_error *prepare_product(knc_plan *p, knc_step *s)
{
    const knc_attached *all[] = {s->u.p.fill_a, s->u.p.fill_b, s->u.p.finish};
    for (int i = 0; i < 3; i++)
        if (all[i])
            KN_TRY(prepare_attached(p, (knc_attached *)(uintptr_t)all[i]));
    char *room = knx_arena_alloc(&p->p->arena, knr_plan_bytes(s->u.p.product) + 63);
    if (!room)
        return knx_error_nomem();
    s->u.p.plan =
        knr_product_make(room + -(uintptr_t)room % 64, s->u.p.product, all[0] != NULL, all[1] != NULL, all[2] != NULL);
    s->u.p.product = NULL;
    return NULL;
}

/* For a whole block, and for the last one of a batch. (Its products are planned.) */
static kn_error *prepare_band(knc_plan *p, knc_band *band)
{
    for (uint32_t i = 0; i < band->n_step; i++) {
        knc_band_step *b = &band->step[i];
        for (int last = 0; b->step.kind == KNC_KERNEL && last < 2; last++) {
            if (last && b->par[1] == b->par[0])
                b->prepared[1] = b->prepared[0];
            else
                KN_TRY(prepare_kernel(p, &b->step, b->par[last], &b->prepared[last]));
        }
    }
    return NULL;
}

kn_error *knc_prepare_kernels(knc_plan *p)
{
    for (uint32_t i = 0; i < p->p->n_step; i++) {
        knc_step *s = (knc_step *)(uintptr_t)&p->p->step[i];
        if (knc_is_kernel(s))
            KN_TRY(prepare_step(p, s));
        else if (s->kind == KNC_PRODUCT)
            KN_TRY(prepare_product(p, s));
        else if (s->kind == KNC_BAND)
            KN_TRY(prepare_band(p, s->u.band));
    }
    return NULL;
}
