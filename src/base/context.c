/* SPDX-License-Identifier: Apache-2.0
 * context.c -- a context per thread, its sticky error, and the slots of the floors below. */
#include "base/context.h"
#include "base/log.h"
#include "base/memory.h"
#include <pthread.h>
#include <stdarg.h>
#include <string.h>

KNX_TLS kn_context knx_current;
static pthread_key_t at_exit;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void drop_context(void *p)
{
    kn_context c = p;
    knx_current = c; /* destructors of the slots may look */
    for (int i = KNX_SLOTS; i-- > 0;)
        if (c->slot[i]) {
            void *state = c->slot[i];
            c->slot[i] = NULL;
            c->drop[i](state);
        }
    knx_error_release(c->first);
    knx_free(c->first_text);
    knx_free(c);
    knx_current = NULL;
}

static void make_key(void)
{
    pthread_key_create(&at_exit, drop_context);
    (void)knx_env(); /* reads the environment, sets the debug level */
}

kn_context knx_context_make(void)
{
    pthread_once(&once, make_key);
    kn_context c = knx_alloc_zero(sizeof *c);
    if (!c)
        return NULL;
    c->operation = "";
    c->default_float = KN_DT(F64);
    c->lazy = true;
    knx_current = c;
    pthread_setspecific(at_exit, c);
    return c;
}

void knx_context_close(void)
{
    if (!knx_current)
        return;
    pthread_setspecific(at_exit, NULL);
    drop_context(knx_current);
}

bool knx_slot_set(knx_slot slot, void *state, void (*drop)(void *state))
{
    kn_context c = knx_context();
    if (!c || !state)
        return false;
    c->slot[slot] = state;
    c->drop[slot] = drop;
    return true;
}

const char *knx_error_text(const kn_error *e, char **owned)
{
    *owned = NULL;
    if (!e->operation || !*e->operation)
        return e->message;
    size_t n = strlen(e->operation) + strlen(e->message) + 3;
    char *text = knx_alloc(n);
    if (!text)
        return e->message;
    snprintf(text, n, "%s: %s", e->operation, e->message);
    return *owned = text;
}

kn_error *knx_report(kn_error *e)
{
    kn_context c = knx_context();
    if (!c || !e || e->reported)
        return e;
    if (atomic_load(&e->refs) > 0) { /* the static one is nobody's to write to */
        if (!e->operation || !*e->operation)
            e->operation = c->operation;
        if (!e->place)
            e->place = c->here;
        e->reported = true;
    }
    char *owned;
    const char *text = knx_error_text(e, &owned);
    KN_LOG(1, "error: %s (%s:%d)", text, e->place ? e->place->file : "?", e->place ? e->place->line : 0);
    if (c->hook)
        c->hook(c->hook_env, e->kind, text, e->place);
    if (!c->first) {
        c->first = knx_error_retain(e);
        c->first_read = false;
        knx_free(c->first_text);
        c->first_text = owned;
        owned = NULL;
    }
    knx_free(owned);
    return e;
}

void knx_report_new(const char *operation, kn_error_kind kind, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    kn_error *e = knx_error(kind, "%s", text);
    kn_context c = knx_context();
    if (atomic_load(&e->refs) > 0)
        e->operation = c && c->depth ? c->operation : operation;
    knx_report(e);
    knx_error_release(e);
}
