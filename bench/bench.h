/* SPDX-License-Identifier: Apache-2.0
 * bench.h -- a benchmark: what Kiln does, what its peers do in the same run, and the same numbers from all of them. */
#ifndef KN_BENCH_H
#define KN_BENCH_H
#include <stdbool.h>

enum { BENCH_MAX_VALUES = 8, BENCH_MAX_PEERS = 3 };

typedef struct bench_peer {
    const char *name;                        /* "numpy": asked of the co-process by the case's name; others run here */
    double (*run)(void *state, int times);   /* NULL: the co-process */
} bench_peer;

typedef struct bench_case {
    const char *name;
    const char *unit;          /* "us", "ms" */
    double scale;              /* seconds -> unit */
    double goal;               /* in the unit; 0: none */
    const char *goal_text;     /* what the goal is, in words */
    double tolerance;          /* relative difference allowed between Kiln's values and a peer's */
    void *(*setup)(void);      /* NULL: could not */
    double (*run)(void *state, int times);                        /* seconds for `times` times */
    int (*values)(void *state, double out[BENCH_MAX_VALUES]);     /* what it computed, for comparison before timing */
    void (*teardown)(void *state);
    bench_peer peer[BENCH_MAX_PEERS];
} bench_case;

extern const bench_case bench_calls[], bench_chains[], bench_digits[]; /* ended by a name of NULL */

double bench_now(void);

/* The NumPy co-process; false if there is none (then its column stays empty, and the reason is printed). */
bool peer_start(void);
void peer_stop(void);
const char *peer_why_not(void);
bool peer_values(const char *name, double out[BENCH_MAX_VALUES], int *n);
double peer_run(const char *name, int times); /* seconds; negative: it failed */
#endif
