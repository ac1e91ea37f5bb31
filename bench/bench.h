/* SPDX-License-Identifier: Apache-2.0
 * bench.h -- a benchmark: what Kiln does with one thread and with two, what its peers do in the same run, and the same
 * numbers from all of them. */
#ifndef KN_BENCH_H
#define KN_BENCH_H
#include <stdbool.h>
#include <stdint.h>

enum { BENCH_MAX_VALUES = 8, BENCH_MAX_OTHERS = 10 };

/* Co-processes that are asked by the case's name. */
typedef enum bench_peer {
    PEER_NUMPY,        /* with the default allocator */
    PEER_NUMPY_RAISED, /* with malloc's thresholds raised, so that memory is kept */
    PEER_JAX_1,        /* jit on the CPU, bound to one core */
    PEER_JAX_2,        /* to two */
    PEER_TORCH_1,      /* PyTorch on the CPU, memory kept, bound to one core */
    PEER_TORCH_2,      /* to two */
    PEER_COUNT
} bench_peer;
enum { ASK_NUMPY = 1 << PEER_NUMPY | 1 << PEER_NUMPY_RAISED, ASK_JAX = 1 << PEER_JAX_1 | 1 << PEER_JAX_2 };
enum { ASK_TORCH = 1 << PEER_TORCH_1 | 1 << PEER_TORCH_2 };
enum { ASK_ALL = ASK_NUMPY | ASK_JAX };

typedef struct bench_other { /* another way of doing it, in this process */
    const char *name;
    double (*run)(void *state, int times); /* negative: it cannot */
    int threads;                           /* that the libraries may use; 0: one */
    bool peer;                             /* the row's `ratio` is about this one too */
} bench_other;

typedef struct bench_case {
    const char *name, *unit;               /* "ns", "us", "ms" */
    int threads;                           /* 2: measured with one thread and with two */
    unsigned ask;                          /* ASK_... */
    double goal;                           /* in the unit, with `threads` threads; 0: none */
    double tolerance;                      /* relative difference allowed between Kiln's values and a peer's */
    void *(*setup)(void);                  /* NULL: could not */
    double (*run)(void *state, int times); /* seconds for `times` times */
    int (*values)(void *state, double out[BENCH_MAX_VALUES]); /* what it computed; NULL: nothing to compare */
    void (*teardown)(void *state);
    bench_other other[BENCH_MAX_OTHERS];
    double flops; /* of one time: the row is in GFLOP/s */
    double ratio; /* how fast Kiln is to be, the best peer with as many threads being 1; 0: no such goal */
    /* How far the result of other[i] lies from Kiln's, of what rounding allows; negative: that one is not there. */
    double (*differs)(void *state, int i);
    void (*note)(void *state); /* prints more, below the row */
    int64_t steps;             /* of a loop: the row tells what one costs, too */
    const char *forward;       /* the row that this one is the gradient of, measured before it; */
    double forward_goal;       /* how many times longer it is to be at most */
    const struct bench_work *work; /* the row comes from a table (work.h); setup is NULL then */
} bench_case;

/* Ended by a name of NULL. */
extern const bench_case bench_calls[], bench_chains[], bench_rows[], bench_moves[], bench_axes[], bench_image[],
    bench_digits[], bench_compile[], bench_products[], bench_layers[], bench_mlp[], bench_attention[],
    bench_convolutions[], bench_pools[], bench_transforms[], bench_control[], bench_control_arrays[], bench_shifts[],
    bench_writes[], bench_symbolic[], bench_lengths[], bench_linalg[],
    bench_small[], bench_webgpu[];
/* Tables of work.h. */
extern const bench_case bench_sorting[], bench_searching[], bench_indexing[], bench_scanning[], bench_strides[], bench_copies[],
    bench_functions[], bench_types[], bench_convolve[], bench_matrix_products[], bench_random[], bench_rng[], bench_programs[],
    bench_sizes_10[], bench_sizes_1e3[], bench_sizes_1e5[], bench_sizes_1e7[];

/* n, or less: KILN_BENCH_SHRINK divides it, for a quick look at loops. */
int64_t bench_steps(int64_t n);
double bench_now(void); /* seconds; of this thread's CPU time under --cpu */

/* false if there is none: its column stays empty, and the reason is printed. cpu: it measures CPU time */
bool peer_start(bench_peer p, bool cpu);
void peer_stop(bench_peer p);
const char *peer_about(bench_peer p); /* its version, or why it is not there */
const char *peer_name(bench_peer p);
/* Has it make a case of what a row of a table says: "NAME FUNCTION FILE DTYPE ..."; false: it has no such function. */
bool peer_make(bench_peer p, const char *text);
bool peer_values(bench_peer p, const char *name, double out[BENCH_MAX_VALUES], int *n);
double peer_run(bench_peer p, const char *name, int times); /* seconds; negative: it failed */
#endif
