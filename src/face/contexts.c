/* SPDX-License-Identifier: Apache-2.0
 * contexts.c -- contexts as the user sees them: making, pushing and freeing them, defaults for a while, settings of
 * one. */
#include "array/handle.h"
#include "array/state.h"
#include "base/options.h"
#include "base/pool.h"
#include <string.h>

static void report(const char *operation, knx_error *e)
{
    if (atomic_load(&e->refs) > 0)
        e->operation = operation;
    knx_report(e);
    knx_error_release(e);
}

static bool good_defaults(const char *operation, kn_dtype dtype, int threads, kn_device device)
{
    if (device && !knd_is_known(device))
        knx_report_new(operation, KN_ERROR_TYPE, "this is no device");
    else if (dtype && dtype != KN_DT(F32) && dtype != KN_DT(F64))
        knx_report_new(operation, KN_ERROR_TYPE, "the default float type is float32 or float64, not %s", dtype->name);
    else if (threads < 0)
        knx_report_new(operation, KN_ERROR_VALUE, "%d threads", threads);
    else
        return true;
    return false;
}

/* ---- Contexts. */

kn_context kn_context_new(const kn_context_opts *opts)
{
    KNX_OPTS(kn_context_opts, o, opts);
    if (!good_defaults("context_new", o.dtype, o.threads, o.device))
        return NULL;
    if (!o.allocator.alloc != !o.allocator.free) {
        knx_report_new("context_new", KN_ERROR_TYPE, "an allocator has both functions, alloc and free");
        return NULL;
    }
    kn_context c = knx_context_new();
    if (!c) {
        report("context_new", knx_error_nomem());
        return NULL;
    }
    c->default_float = o.dtype ? o.dtype : c->default_float;
    c->threads = o.threads;
    c->allocator = o.allocator;
    c->site = kna_asked_site(o.device);
    return c;
}

int kn_context_push(kn_context context)
{
    size_t before = knx_context_pushed();
    knx_error *e = knx_context_push(context);
    if (!e)
        return (int)before;
    report("context_push", e);
    return -1;
}

int kn_context_pop(void)
{
    if (knx_context_pop())
        return 0;
    knx_report_new("context_pop", KN_ERROR_CONTEXT, "no context was pushed here");
    return -1;
}

void kn_context_leave(int *pushed)
{
    if (!pushed)
        return;
    while (*pushed >= 0 && knx_context_pushed() > (size_t)*pushed && knx_context_pop())
        continue;
    *pushed = -1;
}

kn_context kn_context_current(void) { return knx_context(); }

int kn_context_free(kn_context context)
{
    knx_error *e = knx_context_push(context);
    if (!e && !knx_context_can_go(context)) {
        e = knx_error_new(KN_ERROR_CONTEXT, context->own ? "this context is a thread's own: kn_shutdown closes it"
                                                         : "this context is pushed");
        knx_context_unpush();
    }
    if (e) {
        report("context_free", e);
        return -1;
    }
    int unread = context->first && !context->first_read;
    int64_t left = kna_handles_close();
    knx_context_drop_pushed();
    return (int)(left < INT32_MAX ? left : INT32_MAX - 1) + unread;
}

/* ---- Defaults. */

int kn_defaults_push(const kn_defaults_opts *opts)
{
    KNX_OPTS(kn_defaults_opts, o, opts);
    kn_context c = knx_context();
    if (c && !good_defaults("defaults_push", o.dtype, o.threads, o.device))
        return -1;
    uint32_t scopes = kna_scopes_open(); /* makes the state of a new context */
    knx_error *e = knx_defaults_push(c, scopes);
    if (e) {
        report("defaults_push", e);
        return -1;
    }
    c->default_float = o.dtype ? o.dtype : c->default_float;
    c->threads = o.threads ? o.threads : c->threads;
    c->site = o.device ? kna_asked_site(o.device) : c->site;
    return 0;
}

int kn_defaults_pop(void)
{
    if (knx_defaults_pop(knx_context()))
        return 0;
    knx_report_new("defaults_pop", KN_ERROR_CONTEXT, "no defaults were pushed");
    return -1;
}

int kn_set_threads(int threads)
{
    kn_context c = knx_context();
    if (threads < 0 || !c) {
        knx_report_new("set_threads", KN_ERROR_VALUE, "%d threads", threads);
        return -1;
    }
    int before = c->threads;
    c->threads = threads;
    return before;
}

void kn_threads_leave(int *before)
{
    kn_context c = knx_context();
    if (!before)
        return;
    if (c && *before >= 0)
        c->threads = *before;
    *before = -1;
}

int kn_threads_available(void) { return knx_threads_available(); }

bool kn_set_symbolic(bool on)
{
    kn_context c = knx_context();
    bool old = c && c->symbolic;
    if (c)
        c->symbolic = on;
    return old;
}

bool kn_check_nans(bool on)
{
    kn_context c = knx_context();
    bool old = c && (c->watched & KNX_WATCH_NANS);
    if (c)
        knx_context_watch(c, KNX_WATCH_NANS, on);
    return old;
}
