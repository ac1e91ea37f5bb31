/* SPDX-License-Identifier: Apache-2.0
 * state.c -- the arrays floor's state of a context, made at first use. */
#include "array/state.h"
#include "array/lift.h"
#include "array/plans.h"
#include "array/scalars.h"

static void drop_state(void *p)
{
    kna_state *s = p;
    if (s->recorded)
        s->drop_recorded(s->recorded);
    if (s->watcher)
        s->watcher->drop(s->watcher);
    knx_error_release(s->said);
    for (size_t i = 0; i < s->lazy_value.n; i++)
        kna_value_release(s->lazy_value.at[i]);
    KN_VEC_FREE(&s->lazy_value);
    for (size_t i = 0; i < s->held.n; i++)
        kna_value_release(s->held.at[i].value);
    KN_VEC_FREE(&s->held);
    KN_VEC_FREE(&s->frame);
    knb_free(&s->lazy);
    kna_plans_free(s->plans);
    kna_scalars_free(s->scalars);
    if (s->calls)
        s->drop_calls(s->calls);
    kna_cut_room_free(s);
    if (s->lifting)
        kna_lifting_free(s->lifting);
    kna_caches_release(s->caches);
    knx_table_free(&s->entry);
    knx_free(s);
}

kna_state *kna_state_make(void)
{
    kna_state *s = knx_alloc_zero(sizeof *s);
    if (!s)
        return NULL;
    knb_init(&s->lazy);
    s->hook = s->below = kna_lazy_equation;
    kna_pending_init(s);
    s->trace_stats.limit = (size_t)256 << 20;
    s->caches = kna_caches_of(knx_context()->own);
    s->plans = kna_own_plans();
    if (!s->caches || !s->plans || !knx_slot_set(KNX_SLOT_ARRAYS, s, drop_state)) {
        kna_caches_release(s->caches);
        kna_plans_free(s->plans);
        knx_free(s);
        return NULL;
    }
    knx_context()->call_user = kna_call_user;
    knx_context()->give_back = kna_give_back;
    knx_error *error = knd_read_default(); /* everything runs on the host, then */
    if (error && atomic_load(&error->refs) > 0)
        error->operation = "KILN_DEVICE";
    knx_report(error);
    knx_error_release(error);
    return s;
}
