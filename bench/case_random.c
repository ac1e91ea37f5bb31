/* SPDX-License-Identifier: Apache-2.0
 * case_random.c -- random numbers: each library has its own, so that means are compared. The seed is an argument. */
#include "work.h"

static kn_array key_of(const work_arrays *x) { return kn_random_key(kn_at(x->a, "0")); }
static kn_array random_uniform(const work_arrays *x)
{
    return kn_random_uniform(key_of(x), KN_SHAPE(10000000), .dtype = KN_F32);
}
static kn_array random_uniform_f64(const work_arrays *x)
{
    return kn_random_uniform(key_of(x), KN_SHAPE(10000000), .dtype = KN_F64);
}
static kn_array random_normal(const work_arrays *x)
{
    return kn_random_normal(key_of(x), KN_SHAPE(10000000), .dtype = KN_F32);
}
static kn_array random_normal_f64(const work_arrays *x)
{
    return kn_random_normal(key_of(x), KN_SHAPE(10000000), .dtype = KN_F64);
}
static kn_array random_integers(const work_arrays *x)
{
    return kn_random_randint(key_of(x), KN_SHAPE(10000000), 0, 1000, .dtype = KN_I32);
}
static kn_array random_exponential(const work_arrays *x)
{
    return kn_random_exponential(key_of(x), KN_SHAPE(1000000), .dtype = KN_F32);
}
static kn_array random_gamma(const work_arrays *x)
{
    return kn_random_gamma(key_of(x), 2.5, KN_SHAPE(100000), .dtype = KN_F32);
}
static kn_array random_categorical(const work_arrays *x) { return kn_random_categorical(key_of(x), x->b); }

#define ROW(f, what, ...) \
    WORK(f, what, "ms", ASK_WORK, 2e-2, .in = {"uint32 1 uniform 1 100", __VA_ARGS__}, .shown = work_moments)
const bench_case bench_random[] = {
    ROW(random_uniform, f32_1e7, NULL),
    ROW(random_uniform_f64, 1e7, NULL),
    ROW(random_normal, f32_1e7, NULL),
    ROW(random_normal_f64, 1e7, NULL),
    ROW(random_integers, i32_1e7, NULL),
    ROW(random_exponential, f32_1e6, NULL),
    ROW(random_gamma, f32_1e5, NULL),
    ROW(random_categorical, 1e4x1e3, "float32 1e4x1e3"),
    {0},
};
