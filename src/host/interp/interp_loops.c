/* SPDX-License-Identifier: Apache-2.0
 * interp_loops.c -- loops in the interpreter: all lanes of a block take their turns together.
 *
 * A loop with a WHILE has a mask, a byte per lane: the lanes that are not done. It begins with the mask of the next
 * such loop around it, and the block leaves the loop when it is empty. A lane that is done keeps its carries, since
 * only NEXT changes them; what else is worked out for it is used by nobody. */
#include "base/poll.h"
#include "host/interp/run.h"
#include <string.h>

static inline char *mask_of(const knh_interp_run *r, int mask)
{
    return r->scratch + r->p->masks_at + mask * KNK_BLOCK;
}
static inline int64_t *turn_of(const knh_interp_run *r, int loop)
{
    return (int64_t *)(void *)(r->scratch + r->p->turns_at) + loop;
}

static int64_t extent_of(const knh_interp_run *r, const knk_prepared_stage *ps, int loop)
{
    return r->launch->inner[ps - r->p->stage][loop];
}

void knh_run_carry(knh_interp_run *r, const knk_action *st)
{
    knh_interp_value from = r->value[st->a];
    char *d = knh_place_in_scratch(r, st);
    if (from.one) {
        uint64_t v = 0; /* it may lie where the lanes go */
        memcpy(&v, from.p, st->size);
        knk_joins_best()->splat(st->size, d, &v, (size_t)r->lanes);
    } else if (d != from.p) {
        memcpy(d, from.p, (size_t)r->lanes * st->size);
    }
    r->value[st->dst] = (knh_interp_value){d, 0};
}

void knh_run_next(knh_interp_run *r, const knk_prepared_stage *ps, const knk_action *st)
{
    knh_interp_value v = r->value[st->a];
    char *d = r->value[st->b].p;
    int mask = ps->loop[st->how].mask;
    size_t n = (size_t)r->lanes;
    if (mask != KNK_NO_MASK)
        knk_lanes.select[st->dtype][v.one ? 2 : 0](d, mask_of(r, mask), v.p, d, n);
    else if (v.one)
        knk_joins_best()->splat(st->size, d, v.p, n);
    else if (d != v.p)
        memcpy(d, v.p, n * st->size);
}

/* What a number of turns adds to the maps. */
static void move_maps(knh_interp_run *r, const knk_prepared_stage *ps, int loop, int64_t turns)
{
    for (int i = 0; i < ps->n_map; i++) {
        int m = ps->map[i];
        int64_t stride = r->launch->map[m].stride[r->k->n_par + loop];
        r->map[m].at = (int64_t)((uint64_t)r->map[m].at + (uint64_t)stride * (uint64_t)turns);
    }
}

static int leave(knh_interp_run *r, const knk_prepared_stage *ps, int loop)
{
    move_maps(r, ps, loop, -*turn_of(r, loop));
    return ps->loop[loop].end;
}

int knh_run_loop(knh_interp_run *r, const knk_prepared_stage *ps, int step)
{
    int loop = r->p->step[step].how;
    const knk_prepared_loop *l = &ps->loop[loop];
    *turn_of(r, loop) = 0;
    if (l->mask != KNK_NO_MASK && l->outer_mask != KNK_NO_MASK)
        memcpy(mask_of(r, l->mask), mask_of(r, l->outer_mask), (size_t)r->lanes);
    else if (l->mask != KNK_NO_MASK)
        memset(mask_of(r, l->mask), 1, (size_t)r->lanes);
    return extent_of(r, ps, loop) > 0 ? step : l->end;
}

int knh_run_while(knh_interp_run *r, const knk_prepared_stage *ps, int step)
{
    const knk_action *st = &r->p->step[step];
    knh_interp_value pred = r->value[st->a];
    char *mask = mask_of(r, ps->loop[st->how].mask);
    size_t n = (size_t)r->lanes;
    if (!pred.one)
        knk_lane_loop(KNK_AND, KN_ID_BOOL, 0)(mask, mask, pred.p, NULL, n);
    bool go_on = pred.one ? *pred.p != 0 : knk_lanes.any((const uint8_t *)mask, n) != 0;
    return go_on ? step : leave(r, ps, st->how);
}

static bool goes_on(knh_interp_run *r, const knk_prepared_stage *ps)
{
    enum { STEP = 16 }; /* it takes as long as so many lanes */
    r->left -= (int64_t)(r->lanes + STEP) * (ps->end - ps->first);
    if (r->left >= 0)
        return true;
    r->left = KNH_INTERP_ASKING;
    r->stopped = knx_must_stop();
    return !r->stopped;
}

int knh_run_end(knh_interp_run *r, const knk_prepared_stage *ps, int step)
{
    int loop = r->p->step[step].how;
    if (!goes_on(r, ps))
        return ps->end;
    move_maps(r, ps, loop, 1);
    return ++*turn_of(r, loop) < extent_of(r, ps, loop) ? ps->loop[loop].head : leave(r, ps, loop);
}
