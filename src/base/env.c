/* SPDX-License-Identifier: Apache-2.0
 * env.c -- the environment variables, all of them; the only file that reads any. */
#define _GNU_SOURCE /* secure_getenv */
#include "base/lock.h"
#include "base/log.h"
#include <stdlib.h>
#include <string.h>

/* Nothing where the process has more rights than its user: files would be written where a variable says. */
static const char *environment(const char *name)
{
#if defined(__GLIBC__) || defined(__FreeBSD__)
    return secure_getenv(name);
#else
    return getenv(name);
#endif
}

enum { MAX_DEBUG = 5, MAX_THREADS = 4096 };

/* A whole number from 0 to max; larger ones count as max, anything else as 0. */
static int number(const char *name, long max)
{
    const char *text = environment(name);
    char *end;
    if (!text || !*text)
        return 0;
    long v = strtol(text, &end, 10);
    if (*end || v < 0)
        return 0;
    return (int)(v < max ? v : max);
}

static bool is_off(const char *name)
{
    const char *text = environment(name);
    return text && !strcmp(text, "0");
}

/* Copied: a later setenv may move the original. */
static const char *text_into(char *buffer, size_t room, const char *name)
{
    const char *text = environment(name);
    size_t n = text ? strlen(text) : 0;
    if (!n || n >= room)
        return NULL;
    return memcpy(buffer, text, n + 1);
}

const kn_env *knx_env(void)
{
    static kn_global_lock lock = KN_GLOBAL_LOCK_INIT;
    static char backend[32], trace[4096], dump[4096];
    static bool read;
    static kn_env env;
    knx_global_lock(&lock);
    if (!read) {
        env = (kn_env){
            .debug = number("KILN_DEBUG", MAX_DEBUG),
            .num_threads = number("KILN_NUM_THREADS", MAX_THREADS),
            .backend = text_into(backend, sizeof backend, "KILN_BACKEND"),
            .trace = text_into(trace, sizeof trace, "KILN_TRACE"),
            .no_amx = is_off("KILN_AMX"),
            .perf = number("KILN_PERF", 1),
            .dump_kernels = text_into(dump, sizeof dump, "KILN_DUMP_KERNELS"),
        };
        kn_debug_level = env.debug;
        read = true;
    }
    knx_global_unlock(&lock);
    return &env;
}
