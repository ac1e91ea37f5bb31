/* SPDX-License-Identifier: Apache-2.0
 * core.c -- what the JavaScript package needs of C: functions of Kiln's that call JavaScript, where members of
 * structures are, and numbers that JavaScript has as doubles. All else it calls by name (exports.txt) and by the table
 * of public functions (bindings/shared). */
#include "describe.h"
#include "export.h"
#include "rows.h"
#include <string.h>

/* ---- Functions. What a function of JavaScript is to Kiln is its number, so that recordings of one that is gone are
 * never found for another. It takes parts, each a flat list of arrays or (size -1) a tree. */
KJS_IMPORT(call) void kjs_call(uint32_t serial, void *out, const void *const *in);

static void called(const void *env, void *out, const void *const *in)
{
    uint32_t serial;
    memcpy(&serial, env, sizeof serial);
    kjs_call(serial, out, in);
}

/* name: a text that stays. promised: how many arrays it returns; -1: a tree, which each call shows. NULL: no memory, or
 * an error is pending */
KJS_EXPORT(kn_fn, kjs_function, const char *name, int n, const int32_t *size, int promised, uint32_t serial)
{
    const kn_function *c = knb_description_of(name, n, size, promised, called, sizeof(uint32_t));
    return c ? kn_fn_of(c, &serial) : NULL;
}

/* ---- The table, and numbers. */
KJS_EXPORT(const knb_table *, kjs_tables, void) { return knb_tables; }
KJS_EXPORT(kn_array, kjs_like_int, double x) { return kn_like_int((int64_t)x); }
KJS_EXPORT(double, kjs_size, kn_array x) { return (double)kn_size(x); }
KJS_EXPORT(double, kjs_live_count, void) { return (double)kn_live_count(); }

/* ---- Functions that run when a program runs, by their numbers. */
KJS_IMPORT(run) int kjs_run(uint32_t serial, int n_in, const kn_array *in, int n_out, kn_array *out);

static int run(void *env, int n_in, const kn_array *in, int n_out, kn_array *out)
{
    return kjs_run((uint32_t)(uintptr_t)env, n_in, in, n_out, out);
}

KJS_EXPORT(int, kjs_debug_callback, uint32_t serial, kn_list args)
{
    return kn_debug_callback(run, (void *)(uintptr_t)serial, args);
}

KJS_EXPORT(kn_list, kjs_pure_callback, uint32_t serial, kn_list results, kn_list args, const char *vmap_method)
{
    kn_pure_callback_opts opts = {.size_ = sizeof opts, .vmap_method = vmap_method};
    return kn_pure_callback(run, (void *)(uintptr_t)serial, results, args, &opts);
}

KJS_EXPORT(kn_list, kjs_io_callback, uint32_t serial, kn_list results, kn_list args, int ordered)
{
    kn_io_callback_opts opts = {.size_ = sizeof opts, .ordered = ordered};
    return kn_io_callback(run, (void *)(uintptr_t)serial, results, args, &opts);
}
