/* SPDX-License-Identifier: Apache-2.0
 * functions.h -- elementary functions of one number with the bits of the C library that NumPy's streams are made
 * with (glibc from 2.28 on, with fused multiply-adds): of exp, log, pow, log1p, expm1, cos and those of float32. Arc
 * cosine is rounded correctly, as that library's is but for one argument in 1,400. */
#ifndef KN_RNG_FUNCTIONS_H
#define KN_RNG_FUNCTIONS_H
#include "rng/fills.h"
#include <stdatomic.h>
#include <stdbool.h>

/* As compiled per instruction set: where there is no fused multiply-add it is a call, and the bits are the same. */
typedef struct knrng_functions {
    double (*exp)(double x);
    double (*expm1)(double x);
    double (*log)(double x);
    double (*log1p)(double x);
    double (*pow)(double x, double y);
    double (*cos)(double x);
    double (*acos)(double x);
    float (*expf)(float x);
    float (*logf)(float x);
    float (*powf)(float x, float y);
    const knrng_fills *fills;
} knrng_functions;
extern const knrng_functions knrng_functions_base, knrng_functions_avx2, knrng_functions_avx512;
extern _Atomic(const knrng_functions *) knrng_chosen;
void knrng_choose_functions(void); /* for this machine; before the first call */
static inline const knrng_functions *knrng_function(void)
{
    return atomic_load_explicit(&knrng_chosen, memory_order_relaxed);
}

static inline double knrng_exp(double x) { return knrng_function()->exp(x); }
static inline double knrng_expm1(double x) { return knrng_function()->expm1(x); }
static inline double knrng_log(double x) { return knrng_function()->log(x); }
static inline double knrng_pow(double x, double y) { return knrng_function()->pow(x, y); } /* x not negative */
static inline double knrng_cos(double x) { return knrng_function()->cos(x); }              /* |x| up to pi */
static inline double knrng_acos(double x) { return knrng_function()->acos(x); }
static inline double knrng_log1p(double x) { return knrng_function()->log1p(x); }
static inline float knrng_expf(float x) { return knrng_function()->expf(x); }
static inline float knrng_logf(float x) { return knrng_function()->logf(x); }
static inline float knrng_powf(float x, float y) { return knrng_function()->powf(x, y); }
float knrng_log1pf(float x);
#endif
