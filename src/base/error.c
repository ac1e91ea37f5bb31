/* SPDX-License-Identifier: Apache-2.0
 * error.c -- building, sharing and releasing errors; small texts for messages. */
#include "base/dim.h"
#include "base/error.h"
#include "base/memory.h"
#include <inttypes.h>
#include <stdbool.h>
#include <stdarg.h>
#include <string.h>

/* An allocator of the user's that cannot be used looks like no memory to all callers: what was wrong is kept for the
 * error that they make. */
static char no_memory_text[] = "out of memory";
static char misaligned_text[] = "the context's allocator gave memory that is not aligned as it was asked for";
knx_error knx_no_memory[] = {
    {.refs = -1, .kind = KN_ERROR_MEMORY, .operation = "", .message = no_memory_text},
    {.refs = -1, .kind = KN_ERROR_MEMORY, .operation = "", .message = misaligned_text},
};
static _Thread_local bool was_misaligned;

void knx_note_misaligned(bool yes) { was_misaligned = yes; }
bool knx_was_misaligned(void) { return was_misaligned; }

/* NumPy's three digits: "512. TiB", "1.50 GiB", "24 bytes". */
static const char *show_bytes(knx_text *t, uint64_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double n = (double)bytes;
    int unit = 0;
    while (n >= 1023.5 && unit < 6) {
        n /= 1024;
        unit++;
    }
    knx_text_add(t, unit == 0 || n >= 999.5 ? (unit ? "%#.0f %s" : "%.0f %s") : "%#.3g %s", n, units[unit]);
    return t->s;
}

knx_error *knx_error_nomem_for(uint64_t bytes, int ndim, const int64_t *dim, const char *dtype)
{
    knx_text size = {0}, shape = {0};
    if (was_misaligned)
        return knx_error_nomem();
    if (!dtype)
        return knx_error_new(KN_ERROR_MEMORY, "Unable to allocate %s for values in between", show_bytes(&size, bytes));
    return knx_error_new(KN_ERROR_MEMORY, "Unable to allocate %s for an array with shape %s and data type %s",
                         show_bytes(&size, bytes), knx_show_shape(&shape, ndim, dim), dtype);
}

knx_error *(knx_error_new)(kn_error_kind kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    size_t room = length > 0 ? (size_t)length + 1 : 1;
    knx_error *e = knx_alloc(sizeof *e + room); /* the text lies behind the struct */
    if (!e)
        return knx_error_nomem();
    *e = (knx_error){.refs = 1, .kind = kind, .operation = "", .message = (char *)(e + 1)};
    e->message[0] = 0;
    va_start(args, format);
    vsnprintf(e->message, room, format, args);
    va_end(args);
    return e;
}

static bool is_static(const knx_error *e) { return atomic_load_explicit(&e->refs, memory_order_relaxed) < 0; }

knx_error *knx_error_interrupted(void)
{
    knx_error *e = knx_error_new(KN_ERROR_RUNTIME, "interrupted");
    if (!is_static(e))
        e->interruption = true;
    return e;
}

knx_error *knx_error_again(const knx_error *e)
{
    knx_error *again = knx_error_new(e->kind, "%s", e->message);
    if (!is_static(again))
        again->interruption = e->interruption;
    return again;
}

knx_error *knx_error_placed(knx_error *e, const kn_place *place)
{
    if (e && !is_static(e) && !e->place)
        e->place = place;
    return e;
}

knx_error *knx_error_retain(knx_error *e)
{
    if (e && !is_static(e))
        atomic_fetch_add_explicit(&e->refs, 1, memory_order_relaxed);
    return e;
}

KNX_HOT void knx_error_release(knx_error *e)
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

void knx_text_add(knx_text *t, const char *format, ...)
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

const char *knx_show_shape(knx_text *t, int ndim, const int64_t *dim)
{
    size_t start = t->length;
    knx_text_add(t, "(");
    for (int i = 0; i < ndim; i++)
        knx_text_add(t, i ? "," : ""), knx_dim_show(t, dim[i]);
    knx_text_add(t, ndim == 1 ? ",)" : ")");
    return t->s + start;
}
