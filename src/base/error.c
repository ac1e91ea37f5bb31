/* SPDX-License-Identifier: Apache-2.0
 * error.c -- building, sharing and releasing errors; small texts for messages. */
#include "base/error.h"
#include "base/memory.h"
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

static char no_memory_text[] = "out of memory";
kn_error knx_no_memory = {.refs = -1, .kind = KN_ERROR_MEMORY, .operation = "", .message = no_memory_text};

kn_error *knx_error_nomem(void) { return &knx_no_memory; }

kn_error *knx_error(kn_error_kind kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    size_t room = length > 0 ? (size_t)length + 1 : 1;
    kn_error *e = knx_alloc(sizeof *e + room); /* the text lies behind the struct */
    if (!e)
        return knx_error_nomem();
    *e = (kn_error){.refs = 1, .kind = kind, .operation = "", .message = (char *)(e + 1)};
    e->message[0] = 0;
    va_start(args, format);
    vsnprintf(e->message, room, format, args);
    va_end(args);
    return e;
}

static bool is_static(kn_error *e) { return atomic_load_explicit(&e->refs, memory_order_relaxed) < 0; }

kn_error *knx_error_retain(kn_error *e)
{
    if (e && !is_static(e))
        atomic_fetch_add_explicit(&e->refs, 1, memory_order_relaxed);
    return e;
}

void knx_error_release(kn_error *e)
{
    if (e && !is_static(e) && atomic_fetch_sub_explicit(&e->refs, 1, memory_order_acq_rel) == 1)
        knx_free(e);
}

const char *knx_error_kind_name(kn_error_kind kind)
{
    switch (kind) {
    case KN_NO_ERROR: return "";
#define KN_X(id, name) \
    case KN_ERROR_##id: return name;
        KN_ERROR_KINDS(KN_X)
#undef KN_X
    }
    return "";
}

void knx_text_add(kn_text *t, const char *format, ...)
{
    size_t room = sizeof t->s - t->length;
    va_list args;
    va_start(args, format);
    int added = vsnprintf(t->s + t->length, room, format, args);
    va_end(args);
    if (added < 0) {
        t->s[t->length] = 0;
    } else if ((size_t)added < room) {
        t->length += (size_t)added;
    } else {
        t->length = sizeof t->s - 1;
        memcpy(t->s + t->length - 3, "...", 4);
    }
}

const char *knx_show_shape(kn_text *t, int ndim, const int64_t *dim)
{
    size_t start = t->length;
    knx_text_add(t, "(");
    for (int i = 0; i < ndim; i++)
        knx_text_add(t, i ? ",%" PRId64 : "%" PRId64, dim[i]);
    knx_text_add(t, ndim == 1 ? ",)" : ")");
    return t->s + start;
}
