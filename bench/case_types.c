/* SPDX-License-Identifier: Apache-2.0
 * case_types.c -- arithmetic of the dtypes, conversions among them, and elements in place, 10,000,000 at a time. */
#include "plain.h"

static kn_array add(const work_arrays *x) { return kn_add(x->a, x->b); }
static kn_array mul(const work_arrays *x) { return kn_mul(x->a, x->b); }
static kn_array muladd(const work_arrays *x) { return kn_add(kn_mul(x->a, x->b), x->a); }
static kn_array floor_divide(const work_arrays *x) { return kn_floor_divide(x->a, x->b); }
static kn_array xorshift(const work_arrays *x)
{
    kn_array y = kn_bitwise_xor(x->a, kn_left_shift(x->a, 13));
    y = kn_bitwise_xor(y, kn_right_shift(y, 17));
    return kn_bitwise_xor(y, kn_left_shift(y, 5));
}
static kn_array saturated(const work_arrays *x) /* the sum, at most 255 */
{
    kn_array y = kn_add(kn_astype(x->a, KN_U16), kn_astype(x->b, KN_U16));
    return kn_astype(kn_minimum(y, 255), KN_U8);
}
static kn_array gamma_u8(const work_arrays *x)
{
    kn_array y = kn_power(kn_div(kn_astype(x->a, KN_F32), 255.0f), 2.2f);
    return kn_astype(kn_mul(y, 255.0f), KN_U8);
}
static kn_array exponential(const work_arrays *x) { return kn_exp(x->a); }
static kn_array to_f32(const work_arrays *x) { return kn_astype(x->a, KN_F32); }
static kn_array to_f64(const work_arrays *x) { return kn_astype(x->a, KN_F64); }
static kn_array to_u8(const work_arrays *x) { return kn_astype(x->a, KN_U8); }
static kn_array to_f16(const work_arrays *x) { return kn_astype(x->a, KN_F16); }
static kn_array add_in_place(const work_arrays *x)
{
    kn_iadd(x->a, x->b);
    return x->a;
}

#define ROW(f, what, tolerance, ...) WORK(f, what, "ms", ASK_WORK, tolerance, __VA_ARGS__)
#define TWO(dtype)                   .in = {dtype, dtype}
#define ONE(dtype)                   .in = {dtype}
const bench_case bench_types[] = {
    ROW(add, f32_1e7, 0, TWO("float32 1e7"), .c = plain_add),
    ROW(add, f64_1e7, 0, TWO("float64 1e7")),
    ROW(add, i8_25e6, 0, TWO("int8 25e6")),
    WORK(add, eager_f32_1e7, "ms", ASK_WORK, 0, TWO("float32 1e7"), .c = plain_add, .eager = true),
    WORK(add_in_place, f32_1e7, "ms", ASK_WORK, 1e-6, TWO("float32 1e7"), .eager = true),
    ROW(mul, i8_25e6, 0, TWO("int8 25e6"), .c = plain_mul_i8),
    ROW(mul, i64_1e7, 0, TWO("int64 1e7 uniform -1000000 1000000")),
    ROW(muladd, i16_1e7, 0, TWO("int16 1e7"), .c = plain_muladd_i16),
    ROW(muladd, f16_1e7, 2e-3, TWO("float16 1e7")),
    ROW(muladd, bf16_1e7, 2e-2, TWO("bfloat16 1e7")),
    ROW(floor_divide, i32_1e7, 0, .in = {"int32 1e7", "int32 1e7 uniform 1 1000"}, .c = plain_floor_divide_i32),
    ROW(xorshift, u32_1e7, 0, ONE("uint32 1e7"), .c = plain_xorshift),
    ROW(saturated, u8_25e6, 0, TWO("uint8 25e6"), .c = plain_saturated),
    ROW(gamma_u8, 25e6, 1e-2, ONE("uint8 25e6")),
    ROW(exponential, f16_1e7, 2e-3, ONE("float16 1e7")),
    ROW(exponential, bf16_1e7, 2e-2, ONE("bfloat16 1e7")),
    ROW(to_f32, from_u8_25e6, 0, ONE("uint8 25e6")),
    ROW(to_f32, from_f64_1e7, 0, ONE("float64 1e7")),
    ROW(to_f32, from_f16_1e7, 0, ONE("float16 1e7")),
    ROW(to_u8, from_f32_25e6, 0, ONE("float32 25e6 uniform 0 255")),
    ROW(to_f64, from_i32_1e7, 0, ONE("int32 1e7")),
    ROW(to_f16, from_f32_1e7, 0, ONE("float32 1e7")),
    {0},
};
