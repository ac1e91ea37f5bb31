/* SPDX-License-Identifier: Apache-2.0
 * trace.c -- events are lines of one JSON list. The file belongs to the process that opened it: a child after a fork
 * writes nothing. */
#include "base/trace.h"
#include "base/clock.h"
#include "base/context.h"
#include "base/lock.h"
#include "base/log.h"
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static knx_global_lock lock = KN_GLOBAL_LOCK_INIT;
static FILE *file;
static pid_t owner;
static double began;
static bool any;
static atomic_int state; /* 0: not looked yet, 1: there is none, 2: there is one */

__attribute__((noinline, cold)) static int look(void)
{
    const char *path = knx_env()->trace;
    knx_global_lock_take(&lock);
    int now = atomic_load(&state);
    if (!now) {
        file = path ? fopen(path, "we") : NULL;
        owner = getpid();
        began = knx_seconds();
        if (file)
            fputs("[\n", file);
        now = file ? 2 : 1;
        atomic_store(&state, now);
    }
    knx_global_unlock(&lock);
    if (path && now == 1)
        KN_LOG(1, "KILN_TRACE: %s cannot be written", path);
    return now;
}

KNX_HOT bool knx_tracing(void)
{
    int now = atomic_load_explicit(&state, memory_order_relaxed);
    return (now ? now : look()) == 2;
}

__attribute__((destructor)) static void finish(void)
{
    knx_global_lock_take(&lock);
    if (file && owner == getpid()) {
        fputs("\n]\n", file);
        fclose(file);
    }
    file = NULL;
    atomic_store(&state, 1);
    knx_global_unlock(&lock);
}

const char *knx_trace_text_of(knx_trace_text *room, const char *s)
{
    size_t n = 0, most = sizeof room->s - 8;
    room->s[n++] = '"';
    for (; s && *s && n < most; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            room->s[n++] = '\\';
        if (c < ' ')
            n += (size_t)snprintf(room->s + n, 7, "\\u%04x", c);
        else
            room->s[n++] = (char)c;
    }
    while (s && *s && n > 1 && ((unsigned char)room->s[n - 1] & 0x80)) /* not in the middle of a character */
        n--;
    room->s[n++] = '"';
    room->s[n] = 0;
    return room->s;
}

/* A number for each thread, from 1 on. */
static int thread_number(void)
{
    static atomic_int threads;
    static KNX_TLS int mine;
    if (!mine)
        mine = 1 + atomic_fetch_add(&threads, 1);
    return mine;
}

void knx_trace_event(const char *category, const char *name, double seconds, const char *details, ...)
{
    if (!knx_tracing())
        return;
    double end = knx_seconds();
    int thread = thread_number();
    knx_trace_text text;
    va_list args;
    va_start(args, details);
    knx_global_lock_take(&lock);
    if (file && owner == getpid()) {
        fprintf(file, "%s{\"name\": %s, \"cat\": \"%s\", \"ph\": \"X\", \"ts\": %.3f, \"dur\": %.3f, \"pid\": %ld, ",
                any ? ",\n" : "", knx_trace_text_of(&text, name), category, 1e6 * (end - seconds - began),
                1e6 * seconds, (long)owner);
        fprintf(file, "\"tid\": %d, \"args\": {", thread);
        vfprintf(file, details, args);
        fputs("}}", file);
        any = true;
    }
    knx_global_unlock(&lock);
    va_end(args);
}
