/* SPDX-License-Identifier: Apache-2.0
 * case_moves.c -- moving elements: a transposed copy, a choice by a mask, rows by index, 4096 x 4096 float32. */
#include "inputs.h"

typedef struct {
    kn_scope scope;
    kn_array x, mask, at;
    kn_fn f;
} moves;

static kn_array transpose(const kn_array *x) { return kn_copy(kn_transpose(*x)); }
static kn_array masked(const kn_array *mask, const kn_array *x) { return kn_where(*mask, *x, 0.0f); }
static kn_array by_index(const kn_array *x, const kn_array *at) { return kn_take(*x, *at, KN_AXIS(0)); }
KN_FUNCTION(transpose, kn_array, kn_array)
KN_FUNCTION(masked, kn_array, kn_array, kn_array)
KN_FUNCTION(by_index, kn_array, kn_array, kn_array)

static void *setup(kn_fn (*f)(void))
{
    moves *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->scope = kn_scope_begin();
    s->x = bench_wave(KN_SHAPE(4096, 4096), 1.7);
    s->mask = kn_greater(s->x, 0.0f);
    s->at = kn_astype(kn_remainder(kn_add(kn_mul(kn_arange(0, 4096, 1, .dtype = KN_I64), 1237), 5), 4096), KN_I32);
    kn_eval(s->mask);
    kn_eval(s->at);
    s->f = f();
    return s;
}

#define SETUP(name)                                                \
    static kn_fn make_##name(void) { return kn_jit(KN_FN(name)); } \
    static void *setup_##name(void) { return setup(make_##name); }
SETUP(transpose)
SETUP(masked)
SETUP(by_index)

static void teardown(void *state)
{
    moves *s = state;
    kn_scope_end(&s->scope);
    free(s);
}

#define RUN(name, ...)                                 \
    static double run_##name(void *state, int times)   \
    {                                                  \
        moves *s = state;                              \
        double start = bench_now();                    \
        for (int i = 0; i < times; i++) {              \
            KN_SCOPE;                                  \
            kn_array y;                                \
            kn_call(s->f, &y, __VA_ARGS__);            \
        }                                              \
        return bench_now() - start;                    \
    }                                                  \
    static int values_##name(void *state, double *out) \
    {                                                  \
        KN_SCOPE;                                      \
        moves *s = state;                              \
        kn_array y;                                    \
        kn_call(s->f, &y, __VA_ARGS__);                \
        return bench_picks(y, out, 4);                 \
    }
RUN(transpose, &s->x)
RUN(masked, &s->mask, &s->x)
RUN(by_index, &s->x, &s->at)

/* name, unit, threads, ask, goal, tolerance, setup, run, values, teardown */
const bench_case bench_moves[] = {
    {"transpose_copy", "ms", 2, ASK_ALL, 14, 0, setup_transpose, run_transpose, values_transpose, .teardown = teardown},
    {"where_mask", "ms", 2, ASK_ALL, 2, 0, setup_masked, run_masked, values_masked, .teardown = teardown},
    {"rows_by_index", "ms", 2, ASK_ALL, 2.5, 0, setup_by_index, run_by_index, values_by_index, .teardown = teardown},
    {0},
};
