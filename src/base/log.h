/* SPDX-License-Identifier: Apache-2.0
 * log.h -- debug output by level (kn_set_debug): to the log callback, standard error by default. All getenv calls
 * are in env.c. */
#ifndef KN_BASE_LOG_H
#define KN_BASE_LOG_H
#include "kiln/types.h"
#include <stdatomic.h>

/* 0: silent. 1 compiles and chosen paths, 2 kernels, their code and what is recorded, 3 jaxprs, 4 programs, 5 each
 * operation as it is traced. docs/api.md has the table. */
extern atomic_int knx_debug_level;
/* The text goes out as one piece; a newline is added on standard error unless it ends in one. */
void knx_log_(int level, const char *format, ...) KN_PRINTF_LIKE(2, 3);
#define KN_LOG(level, ...) (__builtin_expect(knx_debug_level >= (level), 0) ? knx_log_((level), __VA_ARGS__) : (void)0)
void knx_log_callback(void (*f)(void *env, int level, const char *text), void *env); /* NULL: standard error */

/* The environment, read once, in env.c; the first call also sets knx_debug_level. A variable that makes no sense
 * counts as not set. */
typedef struct kn_env {
    int debug;           /* KILN_DEBUG, 0 to 5; 0 if not set */
    int num_threads;     /* KILN_NUM_THREADS, from 1 on; 0 if not set */
    const char *backend; /* KILN_BACKEND: interp, avx2, avx512 (the runtime judges it); NULL if not set */
    bool no_amx;         /* KILN_AMX=0: tile registers are not asked for */
    const char *trace;   /* KILN_TRACE: a file for events (trace.h); NULL if not set */
    int perf;            /* KILN_PERF, 1: generated code is listed in /tmp/perf-PID.map; 0 if not set */
    int64_t pending_operations, pending_bytes; /* KILN_PENDING_OPERATIONS, KILN_PENDING_BYTES; -1 if not set */
    const char *cache; /* KILN_CACHE_DIR, else kiln in the user's directory for caches; NULL: there is none */
    const char *dump_kernels; /* KILN_DUMP_KERNELS: a directory for the kernels that run; NULL if not set */
    const char *device;       /* KILN_DEVICE: where arrays are that nobody places; NULL if not set */
    bool progress;            /* KILN_PROGRESS=1: lines of progress also where there is no terminal */
    const char *webgpu_library; /* KILN_WEBGPU_LIBRARY: the engine of the devices webgpu:N; NULL if not set */
    const char *webgpu_cache;   /* KILN_WEBGPU_CACHE: a directory for their shaders; NULL if not set */
    bool webgpu_exact;          /* KILN_WEBGPU_EXACT=1: they give the host's bits, whatever it costs */
    bool webgpu_times;          /* KILN_WEBGPU_TIMES=1: they take the time of each dispatch */
    bool no_webgpu_subgroups;   /* KILN_WEBGPU_SUBGROUPS=0: shaders exchange values through memory alone */
    int webgpu_ahead;           /* KILN_WEBGPU_AHEAD, 0 or 1: turns of a while begin before it is known whether they are
                                   wanted; -1 if not set */
    const char *mpi_library;    /* KILN_MPI_LIBRARY: the module for processes; NULL if not set */
    int devices;                /* KILN_DEVICES, from 1 on: devices of this process in meshes; 0 if not set */
    int64_t dist_timeout;       /* KILN_DIST_TIMEOUT: seconds that movements among devices wait; -1 if not set */
} kn_env;
const kn_env *knx_env(void);
#endif
