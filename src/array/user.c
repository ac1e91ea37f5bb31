/* SPDX-License-Identifier: Apache-2.0
 * user.c -- calling the user's code: between public calls, and in the middle of an operation. */
#include "array/handle.h"
#include "array/state.h"
#include "base/float_env.h"

enum { MAX_CALL_DEPTH = 200 };

knx_error *kna_enter_user(kna_user_call *u)
{
    kn_context c = knx_context();
    kna_state *s = kna_state_get();
    *u = (kna_user_call){.here = c->here, .operation = c->operation, .depth = c->depth, .floats = c->host_floats};
    if (s->call_depth >= MAX_CALL_DEPTH)
        return knx_error_new(
            KN_ERROR_VALUE,
            "functions are called inside each other more than %d deep: does one call itself without end?",
            MAX_CALL_DEPTH);
    u->guard = knx_context_guard();
    u->frame = kna_frame_push(s, s->recording, true, u->guard);
    if (u->frame < 0) {
        knx_context_unguard(u->guard);
        return knx_error_nomem();
    }
    s->call_depth++;
    c->depth = 0;
    c->operation = "";
    knx_float_leave(c->host_floats);
    return NULL;
}

void kna_leave_user(const kna_user_call *u)
{
    knx_context_unguard(u->guard); /* contexts that the function pushed and left */
    kn_context c = knx_context();
    kna_state *s = kna_state_get();
    kna_frame_pop(s, u->frame);
    knx_context_unguard(u->guard); /* again: what was left inside had guards of its own */
    s->call_depth--;
    c->here = u->here;
    c->operation = u->operation;
    c->depth = u->depth;
    c->host_floats = u->floats;
    knx_float_enter();
}

/* ---- In the middle of an operation: what it has recorded so far is set aside. */

knx_error *kna_call_user(void (*f)(void *arg), void *arg)
{
    kna_state *s = kna_state_get();
    kna_user_call u;
    if (!s)
        return knx_error_nomem();
    kna_recording *recording = s->recording;
    kna_named_axis *axes = s->axes;
    KN_TRY(kna_enter_user(&u));
    s->recording = NULL;
    s->axes = NULL;
    kna_frame *frame = &s->frame.at[u.frame];
    frame->inside = NULL;
    frame->axes = NULL;
    frame->is_aside = true;
    kna_set_aside(s, &frame->aside);
    kn_scope scope = kn_scope_begin();
    f(arg);
    kn_scope_end(&scope);
    kna_aside aside = s->frame.at[u.frame].aside; /* the vector may have moved */
    kna_leave_user(&u);
    kna_set_back(s, &aside);
    s->axes = axes;
    s->recording = recording;
    return NULL;
}
