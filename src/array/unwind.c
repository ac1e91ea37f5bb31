/* SPDX-License-Identifier: Apache-2.0
 * unwind.c -- the user's code inside of public calls, and what becomes of the calls when it leaves them by longjmp: the
 * end of a scope that was open before (or the return of the user's function around) puts the context back into the
 * state in which that code was running. Recordings that were left are dropped. */
#include "array/lift.h"
#include "array/handle.h"
#include "array/state.h"
#include <string.h>

int kna_frame_push(kna_state *s, kna_recording *before, bool called, knx_guard guard)
{
    kna_frame f = {.scopes = kna_scopes_open(), .guard = guard, .before = before, .inside = s->recording};
    f.axes = s->axes;
    f.fold = s->how.fold;
    f.dims = knx_dim_now();
    f.called = called;
    f.level = s->lifting ? s->lifting->top : NULL;
    return KN_VEC_PUSH(&s->frame, f) ? (int)s->frame.n - 1 : -1;
}

void kna_set_aside(kna_state *s, kna_aside *to)
{
    *to = (kna_aside){s->lazy,   s->lazy_value.at, s->lazy_value.n,  s->lazy_value.cap, s->held.at,
                      s->held.n, s->held.cap,      s->lazy_can_fail, s->lazy_shared};
    knb_init(&s->lazy);
    memset(&s->lazy_value, 0, sizeof s->lazy_value);
    memset(&s->held, 0, sizeof s->held);
    s->lazy_can_fail = s->lazy_shared = false;
}

void kna_set_back(kna_state *s, kna_aside *from)
{
    knb_free(&s->lazy);
    KN_VEC_FREE(&s->lazy_value);
    KN_VEC_FREE(&s->held);
    s->lazy = from->lazy;
    s->lazy_value.at = from->lazy_value;
    s->lazy_value.n = from->n_lazy_value;
    s->lazy_value.cap = from->cap_lazy_value;
    s->held.at = from->held;
    s->held.n = from->n_held;
    s->held.cap = from->cap_held;
    s->lazy_can_fail = from->lazy_can_fail;
    s->lazy_shared = from->lazy_shared;
}

static void drop_recordings(kna_state *s, const kna_recording *until)
{
    while (s->recording && s->recording != until)
        kna_recording_abort(s->recording);
}

/* Drops frames until n are left, and what was running in the last of these. */
static void unwind_to(kna_state *s, size_t n)
{
    while (s->frame.n > n) {
        kna_frame f = s->frame.at[--s->frame.n];
        drop_recordings(s, f.inside);
        kna_op_abandon(s);
        if (f.guard.depth >= 0)
            knx_context_unguard(f.guard);
        if (f.is_aside)
            kna_set_back(s, &f.aside);
        if (s->lifting)
            kna_levels_close_to(s->lifting, f.level ? f.level : &s->lifting->base[1]);
        s->recording = f.before;
        s->call_depth -= f.called;
    }
    const kna_frame *around = n ? &s->frame.at[n - 1] : NULL;
    drop_recordings(s, around ? around->inside : NULL);
    s->axes = around ? around->axes : NULL;
    s->how.fold = around ? around->fold : 0;
    while (knx_dim_now() && knx_dim_now() != (around ? around->dims : NULL))
        knx_dim_leave(knx_dim_now());
    kna_op_abandon(s);
}

void kna_frame_pop(kna_state *s, int frame)
{
    if (s->frame.n > (size_t)frame + 1)
        unwind_to(s, (size_t)frame + 1);
    s->frame.n--;
}

KNX_HOT void kna_unwind(uint32_t scopes)
{
    kn_context c = knx_current;
    kna_state *s = knx_slot_state(KNX_SLOT_ARRAYS);
    size_t n = s ? s->frame.n : 0;
    if (c && (c->in_hook | c->trial.on)) {
        knx_error *passed = NULL;
        if (c->in_hook && c->hook_scopes > scopes)
            c->in_hook = false;
        if (c->trial.on && c->trial.scopes > scopes)
            knx_trial_end(c, &passed);
        knx_error_release(passed);
    }
    while (n && s->frame.at[n - 1].scopes > scopes)
        n--;
    if (s && n < s->frame.n)
        unwind_to(s, n);
}
