/* SPDX-License-Identifier: Apache-2.0
 * case_rng.c -- NumPy's generators: fills with 10^7 numbers, and distributions. The streams are NumPy's, so whole
 * results are compared. The seed is an argument. */
#include "work.h"

static kn_rng rng_of(const work_arrays *x) { return kn_default_rng(kn_at(x->a, "0")); }
#define MANY KN_SHAPE(10000000)
#define SOME KN_SHAPE(1000000)
static kn_array rng_random(const work_arrays *x) { return kn_rng_random(rng_of(x), MANY); }
static kn_array rng_normal(const work_arrays *x) { return kn_rng_standard_normal(rng_of(x), MANY); }
static kn_array rng_normal_f32(const work_arrays *x)
{
    return kn_rng_standard_normal(rng_of(x), MANY, .dtype = KN_F32);
}
static kn_array rng_exponential(const work_arrays *x) { return kn_rng_standard_exponential(rng_of(x), MANY); }
static kn_array rng_integers(const work_arrays *x) { return kn_rng_integers(rng_of(x), 0, 100, MANY); }
static kn_array rng_integers_wide(const work_arrays *x)
{
    return kn_rng_integers(rng_of(x), 0, INT64_C(1) << 40, MANY);
}
static kn_array rng_integers_u8(const work_arrays *x)
{
    return kn_rng_integers(rng_of(x), 0, 100, MANY, .dtype = KN_U8);
}
static kn_array rng_gamma(const work_arrays *x) { return kn_rng_gamma(rng_of(x), 2.5, SOME); }
static kn_array rng_poisson(const work_arrays *x) { return kn_rng_poisson(rng_of(x), SOME, .lam = kn_num(100)); }
static kn_array rng_gumbel(const work_arrays *x) { return kn_rng_gumbel(rng_of(x), SOME); }
static kn_array rng_permutation(const work_arrays *x) { return kn_rng_permutation(rng_of(x), 1000000); }

#define ROW(f, what) WORK(f, what, "ms", ASK_WORK, 1e-15, .in = {"uint32 1 uniform 1 100"}, .eager = true)
const bench_case bench_rng[] = {
    ROW(rng_random, 1e7),   ROW(rng_normal, 1e7),        ROW(rng_normal_f32, f32_1e7), ROW(rng_exponential, 1e7),
    ROW(rng_integers, 1e7), ROW(rng_integers_wide, 1e7), ROW(rng_integers_u8, u8_1e7), ROW(rng_gamma, 1e6),
    ROW(rng_poisson, 1e6),  ROW(rng_gumbel, 1e6),        ROW(rng_permutation, 1e6),    {0},
};
