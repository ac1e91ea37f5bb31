/* SPDX-License-Identifier: Apache-2.0
 * work.h -- rows that a table tells: a function of arrays, the words that these are made from, and the same function
 * with the peers (by its name, in peer_functions.py, peer_numbers.py, peer_networks.py and peer_torch.py) and in plain C
 * (plain.h). All of them get the same arrays: the peers read them from files. */
#ifndef KN_BENCH_WORK_H
#define KN_BENCH_WORK_H
#include "bench.h"
#include <kiln/kiln.h>

enum { WORK_INPUTS = 3, WORK_MAX_NDIM = 4 };

typedef struct work_arrays { /* an input that the row does not have is the first one */
    kn_array a, b, c;
} work_arrays;

/* What plain C gets. */
typedef struct work_memory {
    const void *in[WORK_INPUTS];
    int64_t n[WORK_INPUTS]; /* elements */
    int64_t dim[WORK_INPUTS][WORK_MAX_NDIM];
    void *out;
    int64_t n_out;
} work_memory;

typedef struct bench_work {
    const char *function; /* its name with the peers */
    kn_array (*f)(const work_arrays *);
    /* "DTYPE SHAPE [KIND [NUMBERS]]": "float32 4096x1e3", "int64 1e6 uniform 0 1000". Kinds: uniform LOW HIGH (0 1, and of
     * integers all of theirs), rising, falling, pipe (it rises and falls again), few (16 different ones), same, nan
     * (uniform, every 100th is none), true PART (truth values), wave. */
    const char *in[WORK_INPUTS];
    void (*c)(const work_memory *);
    /* What is compared instead of the result: where that may differ among right ones. The peers have it, too. */
    kn_array (*shown)(kn_array y, const work_arrays *);
    bool eager; /* else jitted */
} bench_work;

void *work_setup(const bench_case *c);
const char *work_text(void *state); /* for peer_make */
double work_run(void *state, int times);
int work_values(void *state, double *out);
double work_run_c(void *state, int times);
double work_differs(void *state, int other);
void work_teardown(void *state);

kn_array work_moments(kn_array y, const work_arrays *in); /* shown of random numbers: their mean, and that of squares */

/* Everybody but NumPy with the default allocator, which is never the faster one. */
enum { ASK_WORK = 1 << PEER_NUMPY_RAISED | ASK_JAX | ASK_TORCH };
/* A peer that takes seconds is far behind: without it a run of all rows stays short. */
enum { WITHOUT_JAX = ASK_WORK & ~ASK_JAX, WITHOUT_TORCH = ASK_WORK & ~ASK_TORCH };

/* WORK(sort, f32_1e6, "us", ASK_WORK, 0, .in = {"float32 1e6"}): the row sort_f32_1e6 of the function sort. The tolerance
 * is a part of the largest number that is compared. */
#define WORK(function_, what, unit_, ask_, tolerance_, ...)                          \
    {                                                                                \
        .name = #function_ "_" #what, .unit = unit_, .threads = 2, .ask = ask_,      \
        .tolerance = tolerance_, .ratio = 1 / 1.1, .run = work_run,                  \
        .values = work_values, .teardown = work_teardown, .differs = work_differs,   \
        .other = {{"c 1T", work_run_c, 1, false}},                                   \
        .work = &(const bench_work){.function = #function_, .f = function_, __VA_ARGS__} \
    }
#endif
