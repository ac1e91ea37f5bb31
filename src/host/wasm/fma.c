/* SPDX-License-Identifier: Apache-2.0
 * fma.c -- the product of two float32 is exact in float64; the sum there is rounded to odd, so that rounding it once
 * more to float32 is rounding once (Boldo and Melquiond, Emulation of FMA and correctly rounded sums, 2008). */
#include "host/wasm/fma.h"

static void push_doubles(knh_wasm_function *f, int local, bool high)
{
    static const uint8_t upper[16] = {8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15};
    knh_wasm_get(f, local);
    if (high) {
        knh_wasm_get(f, local);
        knh_wasm_shuffle(f, upper);
    }
    knh_wasm_op0(f, KNH_WASM_F64X2_PROMOTE);
}

/* Pushes two lanes. */
static void half(knh_wasm_function *f, int temp, int a, int b, int c_single, bool high)
{
    int p = temp, c = temp + 1, sum = temp + 2, back = temp + 3, e = temp + 4;
    push_doubles(f, a, high);
    push_doubles(f, b, high);
    knh_wasm_op0(f, KNH_WASM_F64X2_MUL), knh_wasm_set(f, p);
    push_doubles(f, c_single, high), knh_wasm_set(f, c);
    knh_wasm_get(f, p), knh_wasm_get(f, c), knh_wasm_op0(f, KNH_WASM_F64X2_ADD), knh_wasm_set(f, sum);
    knh_wasm_get(f, sum), knh_wasm_get(f, p), knh_wasm_op0(f, KNH_WASM_F64X2_SUB), knh_wasm_set(f, back);
    /* what is missing: (p - (sum - back)) + (c - back) */
    knh_wasm_get(f, p);
    knh_wasm_get(f, sum), knh_wasm_get(f, back), knh_wasm_op0(f, KNH_WASM_F64X2_SUB);
    knh_wasm_op0(f, KNH_WASM_F64X2_SUB);
    knh_wasm_get(f, c), knh_wasm_get(f, back), knh_wasm_op0(f, KNH_WASM_F64X2_SUB);
    knh_wasm_op0(f, KNH_WASM_F64X2_ADD), knh_wasm_set(f, e);
    /* a step of one in the last place towards it: -1 where it points to zero, else 1 */
    knh_wasm_get(f, e), knh_wasm_get(f, sum), knh_wasm_op0(f, KNH_WASM_V128_XOR);
    knh_wasm_i32(f, 63), knh_wasm_op0(f, KNH_WASM_I64X2_SHR_S);
    knh_wasm_splat(f, 1, 8), knh_wasm_op0(f, KNH_WASM_V128_OR);
    /* where something is missing, the sum is even, and it is finite */
    knh_wasm_get(f, e), knh_wasm_splat(f, 0, 8), knh_wasm_op0(f, KNH_WASM_F64X2_NE), knh_wasm_op0(f, KNH_WASM_V128_AND);
    knh_wasm_get(f, sum), knh_wasm_splat(f, 1, 8), knh_wasm_op0(f, KNH_WASM_V128_AND);
    knh_wasm_splat(f, 0, 8), knh_wasm_op0(f, KNH_WASM_I64X2_EQ), knh_wasm_op0(f, KNH_WASM_V128_AND);
    knh_wasm_get(f, sum), knh_wasm_get(f, sum), knh_wasm_op0(f, KNH_WASM_F64X2_SUB);
    knh_wasm_splat(f, 0, 8), knh_wasm_op0(f, KNH_WASM_F64X2_EQ), knh_wasm_op0(f, KNH_WASM_V128_AND);
    knh_wasm_get(f, sum), knh_wasm_op0(f, KNH_WASM_I64X2_ADD);
    knh_wasm_op0(f, KNH_WASM_F32X4_DEMOTE);
}

void knh_wasm_push_exact_fma(knh_wasm_function *f, int temp, int a, int b, int c)
{
    static const uint8_t join[16] = {0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23};
    half(f, temp, a, b, c, false);
    half(f, temp, a, b, c, true);
    knh_wasm_shuffle(f, join);
}
