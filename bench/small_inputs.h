/* SPDX-License-Identifier: Apache-2.0
 * small_inputs.h -- matrices made of a hash, so that NumPy and JAX make the same. */
#ifndef KN_BENCH_SMALL_INPUTS_H
#define KN_BENCH_SMALL_INPUTS_H
#include "inputs.h"

typedef enum { GENERAL, SYMMETRIC, DEFINITE } bench_matrices;
kn_array bench_hashed_matrices(kn_shape shape, bench_matrices of, kn_dtype d);
#endif
