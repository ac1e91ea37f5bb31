/* SPDX-License-Identifier: Apache-2.0
 * settings.c -- the sticky error, settings, dtypes by name, keeping and assigning arrays, shutdown. */
#include "array/handle.h"
#include "array/lift.h"
#include "array/recording.h"
#include "array/state.h"
#include "array/storage.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/trace.h"
#include "base/memory.h"
#include <string.h>

KNX_HOT void kn_here(const kn_place *place)
{
    kn_context c = knx_context();
    if (c)
        c->here = place;
}

/* ---- Errors. */

static knx_error *first_error(void)
{
    kn_context c = knx_context();
    if (!c || !c->first)
        return NULL;
    c->first_read = true;
    return c->first;
}

bool kn_error_pending(void) { return first_error() != NULL; }

kn_error_kind kn_error_get_kind(void)
{
    knx_error *e = first_error();
    return e ? e->kind : KN_NO_ERROR;
}

const char *kn_error_kind_name(void) { return knx_error_kind_name(kn_error_get_kind()); }

const char *kn_error_message(void)
{
    knx_error *e = first_error();
    kn_context c = knx_context();
    return !e ? "" : c->first_text ? c->first_text : e->message;
}

const char *kn_error_file(void)
{
    knx_error *e = first_error();
    return e && e->place ? e->place->file : NULL;
}

int kn_error_line(void)
{
    knx_error *e = first_error();
    return e && e->place ? e->place->line : 0;
}

void kn_error_clear(void)
{
    kn_context c = knx_context();
    if (!c)
        return;
    kna_recording_forgive(c->first);
    knx_error_release(c->first);
    knx_free(c->first_text);
    c->first = NULL;
    c->first_text = NULL;
    c->first_read = false;
}

void kn_on_error(void (*hook)(void *env, kn_error_kind kind, const char *message, const kn_place *place), void *env)
{
    kn_context c = knx_context();
    if (!c)
        return;
    c->hook = hook;
    c->hook_env = env;
}

void kn_on_step(kn_step_hook hook, void *env)
{
    kn_context c = knx_context();
    if (!c)
        return;
    c->step_hook = hook;
    c->step_env = env;
}

static void hear_nothing(void *env, const kn_step *step) { (void)env, (void)step; }

/* For the trace, and then for whoever else wants to hear of it. */
static void hear_for_trace(void *env, const kn_step *step)
{
    static const char *const kinds[] = {
        [KN_STEP_KERNEL] = "kernel", [KN_STEP_ROUTINE] = "routine", [KN_STEP_COPY] = "copy",
        [KN_STEP_LOOP] = "loop",     [KN_STEP_PRODUCT] = "product", [KN_STEP_BAND] = "band",
        [KN_STEP_BRANCH] = "branch"};
    knx_trace_text program, file;
    knx_trace_event("step", step->operations, step->seconds,
                    "\"program\": %s, \"kind\": \"%s\", \"elements\": %lld, \"group\": %lld, \"file\": %s, "
                    "\"lines\": [%d, %d]",
                    knx_trace_text_of(&program, step->program), kinds[step->kind], (long long)step->elements,
                    (long long)step->group, knx_trace_text_of(&file, step->place ? step->place->file : ""),
                    step->first_line, step->last_line);
    kn_context c = knx_context();
    if (c->step_hook)
        c->step_hook(env, step);
}

KNX_HOT kn_step_hook kna_step_hook(void)
{
    kn_context c = knx_context();
    if (knx_tracing())
        return hear_for_trace;
    return c->step_hook || !c->watching ? c->step_hook : hear_nothing;
}

bool kn_watch_steps(bool on)
{
    kn_context c = knx_context();
    bool old = c && c->watching;
    if (!c)
        return false;
    knx_spin_lock(&c->watch_lock);
    c->watching = on;
    c->is_running = c->is_running && on;
    knx_spin_unlock(&c->watch_lock);
    return old;
}

int kn_running(kn_context context, kn_running_step *out)
{
    kn_running_step now;
    bool known = false;
    size_t size = out ? out->size_ : 0;
    bool any = knx_context_running(context, &known, &now);
    const char *missing = !context             ? "the context is null"
                          : size < sizeof size ? "the result is null, or its size_ is not set"
                                               : NULL;
    if (missing || !known) {
        knx_report_new("running", missing ? KN_ERROR_TYPE : KN_ERROR_CONTEXT, "%s",
                       missing ? missing : "there is no such context");
        return -1;
    }
    if (!any)
        return 0;
    now.seconds = knx_seconds() - now.seconds;
    now.size_ = size;
    memcpy(out, &now, size < sizeof now ? size : sizeof now);
    return 1;
}

/* ---- Settings. */

void kn_set_debug(int level)
{
    (void)knx_context(); /* the environment is read first, so that it does not win later */
    knx_debug_level = level < 0 ? 0 : level > 5 ? 5 : level;
}

void kn_set_log(void (*log)(void *env, int level, const char *text), void *env) { knx_log_callback(log, env); }

bool kn_set_lazy(bool lazy)
{
    kn_context c = knx_context();
    bool old = !c || c->wants_lazy;
    if (c) {
        c->wants_lazy = lazy;
        c->lazy = lazy && !c->watched;
    }
    return old;
}

kn_dtype kn_set_default_float(kn_dtype dtype)
{
    kn_context c = knx_context();
    kn_dtype old = kna_default_float();
    if (dtype != KN_DT(F32) && dtype != KN_DT(F64))
        knx_report_new("set_default_float", KN_ERROR_TYPE, "the default float type is float32 or float64, not %s",
                       dtype ? dtype->name : "null");
    else if (c)
        c->default_float = dtype;
    return old;
}

/* ---- dtypes. */

kn_dtype kn_dtype_builtin(int id) { return id >= 0 && id < KN_ID_ALL ? &knx_dtype_table[id] : NULL; }

static bool is_dtype(const char *operation, kn_dtype d)
{
    if (!d)
        knx_report_new(operation, KN_ERROR_TYPE, "null dtype");
    return d != NULL;
}

const char *kn_dtype_name(kn_dtype d) { return is_dtype("dtype_name", d) ? d->name : ""; }

size_t kn_dtype_size(kn_dtype d) { return is_dtype("dtype_size", d) ? d->size : 0; }

char kn_dtype_kind(kn_dtype d) { return (char)(!is_dtype("dtype_kind", d) ? 0 : knx_is_stored(d) ? 'V' : d->kind); }

/* ---- Keeping. */

/* A value that is handed on is worth having when the operations around it run; a view of what is there is had
 * already. */
void kna_mark_kept(int n, const kn_array *x)
{
    for (int i = 0; i < n; i++) {
        kna_value *v = NULL;
        if (kna_shows_elements(x[i]))
            continue;
        knx_error_release(kna_array_value(x[i], &v));
        kna_worth_having(v);
        kna_value_release(v);
    }
}

kn_array kn_keep(kn_array x)
{
    kna_mark_kept(1, &x);
    kna_handle_promote(x);
    return x;
}

void kn_assign(kn_array *slot, kn_array value)
{
    if (!slot) {
        knx_report_new("assign", KN_ERROR_TYPE, "null slot");
        return;
    }
    kna_mark_kept(1, &value);
    kna_handle_swap_scopes(*slot, value);
    *slot = value;
}

int kn_shutdown(void)
{
    if (knx_context_guarded()) {
        knx_report_new("shutdown", KN_ERROR_CONTEXT, "a function that Kiln calls cannot close what it runs in");
        return 1;
    }
    while (knx_context_pop())
        continue;
    kn_context c = knx_context();
    if (!c)
        return 1;
    int unread = c->first && !c->first_read;
    int64_t left = kna_handles_close();
    knx_context_close();
    return (int)(left > 250 ? 250 : left) + unread;
}

int kn_finish(void)
{
    bool failed = kn_error_pending();
    if (failed)
        fprintf(stderr, "%s:%d: %s: %s\n", kn_error_file() ? kn_error_file() : "?", kn_error_line(),
                kn_error_kind_name(), kn_error_message());
    int status = kn_shutdown();
    return failed ? 1 : status;
}
