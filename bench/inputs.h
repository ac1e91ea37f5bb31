/* SPDX-License-Identifier: Apache-2.0
 * inputs.h -- the same inputs as peer.py makes, and the elements that are compared. */
#ifndef KN_BENCH_INPUTS_H
#define KN_BENCH_INPUTS_H
#include "bench.h"
#include <kiln/kiln.h>
#include <stdlib.h>

kn_array bench_wave_of(kn_shape shape, double frequency); /* sin(i * frequency) in float64, rounded to float32 */
#define bench_wave(shape, frequency) bench_wave_of(shape, frequency)
/* The largest difference of an element of `mine` from the one of theirs, as a part of what is allowed. */
double bench_gap(kn_array mine, const float *theirs, double allowed);
double bench_longest(kn_array x, int axis); /* the largest length of a line along that axis */
int bench_picks(kn_array a, double *out, int n); /* n elements spread over all of it; n */
/* A function of one array, called again and again: the state of a case. */
typedef struct bench_call {
    kn_scope scope;
    kn_array x;
    kn_fn f;
} bench_call;
bench_call *bench_call_new(void); /* with a scope; NULL without memory */
double bench_call_run(void *state, int times);
kn_array bench_call_value(void *state);
void bench_call_teardown(void *state);
#endif
