/* SPDX-License-Identifier: Apache-2.0
 * state.c -- the error state of a context: np.seterr and its kin. */
#include "array/lift.h"
#include "base/options.h"
#include "numpy/error_state/error_state.h"
#include <string.h>

static const char *const modes[KNN_MODES] = {"ignore", "warn", "raise", "call", "print", "log"};

static kn_geterr_result shown(unsigned state)
{
    return (kn_geterr_result){modes[knn_mode(state, 0)], modes[knn_mode(state, 1)], modes[knn_mode(state, 2)],
                              modes[knn_mode(state, 3)]};
}

static unsigned state_now(void)
{
    const kna_state *s = kna_state_get();
    return s ? s->how.events : 0;
}

static void change(unsigned state)
{
    kna_state *s = kna_state_get();
    if (!s || s->how.events == state)
        return;
    s->how.events = (uint16_t)state;
    kna_choose_hook(s, state ? knn_told_equation : kna_lazy_equation);
    knx_context_watch(knx_context(), KNX_WATCH_EVENTS, state != 0);
}

/* The state that the options make of the one that is; false: an error was reported. */
static bool read(const char *operation, const kn_seterr_opts *o, unsigned *state)
{
    const char *const given[KNN_KINDS] = {o->divide, o->over, o->under, o->invalid};
    for (int i = 0; i < KNN_KINDS; i++) {
        const char *mode = given[i] ? given[i] : o->all;
        int m = 0;
        while (mode && m < KNN_MODES && strcmp(modes[m], mode))
            m++;
        if (m == KNN_MODES) {
            knx_report_new(operation, KN_ERROR_VALUE, "invalid error mode '%s'", mode);
            return false;
        }
        if (mode)
            *state = (*state & ~(7u << 3 * i)) | (unsigned)m << 3 * i;
    }
    if (*state && !knn_error_state_get()) {
        knx_report_new(operation, KN_ERROR_MEMORY, "out of memory");
        return false;
    }
    return true;
}

kn_geterr_result kn_seterr(const kn_seterr_opts *opts)
{
    KNX_OPTS(kn_seterr_opts, o, opts);
    unsigned before = state_now(), state = before;
    if (read("seterr", &o, &state))
        change(state);
    return shown(before);
}

kn_geterr_result kn_geterr(void) { return shown(state_now()); }

kn_errcall kn_seterrcall(const kn_errcall *func)
{
    knn_error_state *e = knn_error_state_get();
    kn_errcall before = e ? e->call : (kn_errcall){0};
    if (!e)
        knx_report_new("seterrcall", KN_ERROR_MEMORY, "out of memory");
    else
        e->call = func ? *func : (kn_errcall){0};
    return before;
}

kn_errcall kn_geterrcall(void)
{
    const kna_state *s = kna_state_get();
    return s && s->watcher ? ((const knn_error_state *)s->watcher)->call : (kn_errcall){0};
}

kn_errstate_scope kn_errstate(const kn_errstate_opts *opts)
{
    KNX_OPTS(kn_errstate_opts, o, opts);
    kn_errstate_scope before = {.open = true, .state = state_now(), .call = kn_geterrcall()};
    const kn_seterr_opts wanted = {sizeof wanted, o.all, o.divide, o.over, o.under, o.invalid};
    unsigned state = before.state;
    if (!read("errstate", &wanted, &state))
        return before;
    if (o.call)
        kn_seterrcall(o.call);
    change(state);
    return before;
}

void kn_errstate_leave(kn_errstate_scope *before)
{
    bool is_state = before && before->state >> 3 * KNN_KINDS == 0;
    for (int i = 0; is_state && i < KNN_KINDS; i++)
        is_state = knn_mode(before->state, i) < KNN_MODES;
    if (!before || !before->open)
        return;
    before->open = false;
    if (!is_state)
        knx_report_new("errstate_leave", KN_ERROR_VALUE, "this is no error state");
    else if (knn_error_state_get()) {
        change(before->state);
        kn_seterrcall(&before->call);
    }
}
