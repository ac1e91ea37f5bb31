/* SPDX-License-Identifier: Apache-2.0
 * control.h -- rows about loops: a jitted function from one struct of arrays to another one, and the same in plain C
 * (control_peers.c, control_peers_arrays.c: compiled with -O3 -march=native). */
#ifndef KN_BENCH_CONTROL_H
#define KN_BENCH_CONTROL_H
#include "bench.h"
#include "control_peers.h"
#include <kiln/kiln.h>

enum { CONTROL_MAX = 12 };
/* The state of a row, NULL if it cannot run. in: what f takes, as one struct; n_out: how many arrays it gives. */
typedef struct control_row {
    kn_scope scope; /* opened before all was made; closed with the row */
    kn_fn f;
    int n_in, n_out;
    const kn_array *in;
    int64_t steps;
    control_c c;
    double tolerance; /* of the C's results: a part of the largest element */
} control_row;
void *control_new(control_row row);
double control_run(void *state, int times);
double control_run_c(void *state, int times);
double control_differs(void *state, int i);
int control_values(void *state, double out[BENCH_MAX_VALUES]);
void control_end(void *state);
#define CONTROL_IN(s)  .n_in = (int)(sizeof(s) / sizeof(kn_array)), .in = (const kn_array *)&(s)
#define CONTROL_OUT(S) .n_out = (int)(sizeof(S) / sizeof(kn_array))
/* The part of a row that is the same in all. */
#define CONTROL_ROW                                                                                    \
    .run = control_run, .values = control_values, .teardown = control_end, .differs = control_differs, \
    .other = {{.name = "C", .run = control_run_c, .peer = true}}

#endif
