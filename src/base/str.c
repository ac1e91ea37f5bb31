/* SPDX-License-Identifier: Apache-2.0
 * str.c -- a growing string. */
#include "base/str.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool make_room(knx_str *t, size_t more)
{
    if (t->failed)
        return false;
    if (more < t->cap - t->n) {
        KN_KNOWN(t->s);
        return true; /* room for the NUL, too */
    }
    size_t cap = t->cap > SIZE_MAX / 2 ? SIZE_MAX : 2 * t->cap;
    if (more > SIZE_MAX - t->n - 64) {
        t->failed = true;
        return false;
    }
    if (cap < t->n + more + 64)
        cap = t->n + more + 64;
    char *s = knx_realloc(t->s, cap);
    if (!s) {
        t->failed = true;
        return false;
    }
    t->s = s;
    t->cap = cap;
    return true;
}

void knx_str_add(knx_str *t, const char *s, size_t n)
{
    if (n == 0 || !make_room(t, n))
        return;
    memcpy(t->s + t->n, s, n);
    t->n += n;
    t->s[t->n] = '\0';
}

void knx_str_puts(knx_str *t, const char *s) { knx_str_add(t, s, strlen(s)); }

void knx_str_printf(knx_str *t, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    if (n < 0)
        t->failed = true;
    else if (n > 0 && make_room(t, (size_t)n))
        t->n += (size_t)vsnprintf(t->s + t->n, t->cap - t->n, format, again);
    va_end(again);
    va_end(args);
}

void knx_str_pad(knx_str *t, char c, int64_t count)
{
    if (count <= 0 || (uint64_t)count > SIZE_MAX / 2 || !make_room(t, (size_t)count))
        return;
    memset(t->s + t->n, c, (size_t)count);
    t->n += (size_t)count;
    t->s[t->n] = '\0';
}

char *knx_str_take(knx_str *t)
{
    if (!t->s && make_room(t, 0))
        t->s[0] = '\0';
    char *s = t->failed ? NULL : t->s;
    if (t->failed)
        knx_free(t->s);
    *t = (knx_str){0};
    return s;
}

void knx_str_free(knx_str *t)
{
    if (t->s)
        knx_free(t->s);
    *t = (knx_str){0};
}
