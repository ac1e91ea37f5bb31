/* SPDX-License-Identifier: Apache-2.0
 * env.c -- the environment variables, all of them; the only file of the library that reads any. */
#define _GNU_SOURCE /* secure_getenv */
#include "base/getenv.h"
#include "base/lock.h"
#include "base/log.h"
#include <stdio.h>
#include <string.h>

enum { MAX_DEBUG = 5, MAX_THREADS = 4096, MAX_DEVICES = 4096, MAX_SECONDS = 1000000 };

/* A whole number from 0 to max; larger ones count as max, anything else as `otherwise`. */
static int64_t number(const char *name, int64_t max, int64_t otherwise)
{
    const char *text = knx_getenv(name);
    char *end;
    if (!text || !*text)
        return otherwise;
    long long v = strtoll(text, &end, 10);
    if (*end || v < 0)
        return otherwise;
    return v < max ? v : max;
}

static bool is_off(const char *name)
{
    const char *text = knx_getenv(name);
    return text && !strcmp(text, "0");
}

/* Copied: a later setenv may move the original. */
static const char *text_into(char *buffer, size_t room, const char *name)
{
    const char *text = knx_getenv(name);
    size_t n = text ? strlen(text) : 0;
    if (!n || n >= room)
        return NULL;
    return memcpy(buffer, text, n + 1);
}

static const char *cache_directory(char *buffer, size_t room)
{
    const char *const from[] = {"KILN_CACHE_DIR", "XDG_CACHE_HOME", "HOME"}, *const behind[] = {"", "/kiln",
                                                                                                "/.cache/kiln"};
    for (int i = 0; i < 3; i++) {
        const char *text = knx_getenv(from[i]);
        if (!text || text[0] != '/')
            continue;
        int n = snprintf(buffer, room, "%s%s", text, behind[i]);
        if (n > 0 && (size_t)n < room)
            return buffer;
    }
    return NULL;
}

const kn_env *knx_env(void)
{
    static knx_global_lock lock = KN_GLOBAL_LOCK_INIT;
    static char backend[32], trace[4096], dump[4096], device[64], cache[4096], webgpu[4096], shaders[4096], mpi[4096];
    static bool read;
    static kn_env env;
    knx_global_lock_take(&lock);
    if (!read) {
        env = (kn_env){
            .debug = (int)number("KILN_DEBUG", MAX_DEBUG, 0),
            .num_threads = (int)number("KILN_NUM_THREADS", MAX_THREADS, 0),
            .backend = text_into(backend, sizeof backend, "KILN_BACKEND"),
            .trace = text_into(trace, sizeof trace, "KILN_TRACE"),
            .no_amx = is_off("KILN_AMX"),
            .perf = (int)number("KILN_PERF", 1, 0),
            .pending_operations = number("KILN_PENDING_OPERATIONS", INT64_MAX, -1),
            .pending_bytes = number("KILN_PENDING_BYTES", INT64_MAX, -1),
            .cache = cache_directory(cache, sizeof cache),
            .dump_kernels = text_into(dump, sizeof dump, "KILN_DUMP_KERNELS"),
            .device = text_into(device, sizeof device, "KILN_DEVICE"),
            .progress = number("KILN_PROGRESS", 1, 0) == 1,
            .webgpu_library = text_into(webgpu, sizeof webgpu, "KILN_WEBGPU_LIBRARY"),
            .webgpu_cache = text_into(shaders, sizeof shaders, "KILN_WEBGPU_CACHE"),
            .webgpu_exact = number("KILN_WEBGPU_EXACT", 1, 0) == 1,
            .webgpu_times = number("KILN_WEBGPU_TIMES", 1, 0) == 1,
            .no_webgpu_subgroups = is_off("KILN_WEBGPU_SUBGROUPS"),
            .webgpu_ahead = (int)number("KILN_WEBGPU_AHEAD", 1, -1),
            .mpi_library = text_into(mpi, sizeof mpi, "KILN_MPI_LIBRARY"),
            .devices = (int)number("KILN_DEVICES", MAX_DEVICES, 0),
            .dist_timeout = number("KILN_DIST_TIMEOUT", MAX_SECONDS, -1),
        };
        knx_debug_level = env.debug;
        read = true;
    }
    knx_global_unlock(&lock);
    return &env;
}
