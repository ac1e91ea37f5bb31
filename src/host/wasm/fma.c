/* SPDX-License-Identifier: Apache-2.0
 * fma.c -- the product of two float32 is exact in float64, and so is rounding the sum there to float32 in a second
 * step, unless the sum lies half between two float32: then what the first step has lost decides, and base/fma.c counts
 * with it. Halves of what is below float32's range lie elsewhere, so small sums go there, too. */
#include "host/wasm/fma.h"
#include "base/fma.h"

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

void knh_wasm_set_fma_constants(knh_wasm_function *f, int constants)
{
    knh_wasm_splat(f, 0x80000000u, 4), knh_wasm_set(f, constants);
    knh_wasm_splat(f, 0x00800000u, 4), knh_wasm_set(f, constants + 1);
}

/* Pushes a mask of the sums that are to be looked at again: the 29 bits that are lost lie in their lower words. */
static const uint8_t lower_words[16] = {0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27};
static void push_doubtful(knh_wasm_function *f, int sum, int result, int constants)
{
    knh_wasm_get(f, sum), knh_wasm_get(f, sum + 1), knh_wasm_shuffle(f, lower_words);
    knh_wasm_i32(f, 3), knh_wasm_op0(f, KNH_WASM_I32X4_SHL);
    knh_wasm_get(f, constants), knh_wasm_op0(f, KNH_WASM_I32X4_EQ);
    knh_wasm_get(f, result), knh_wasm_op0(f, KNH_WASM_F32X4_ABS);
    knh_wasm_get(f, constants + 1), knh_wasm_op0(f, KNH_WASM_F32X4_LE);
    knh_wasm_op0(f, KNH_WASM_V128_OR);
}

/* Zeros are small, but as they should be. */
static void push_not_zero(knh_wasm_function *f, int sum)
{
    for (int half = 0; half < 2; half++)
        knh_wasm_get(f, sum + half), knh_wasm_splat(f, 0, 8), knh_wasm_op0(f, KNH_WASM_F64X2_NE);
    knh_wasm_shuffle(f, lower_words);
}

void knh_wasm_push_exact_fma(knh_wasm_function *f, int temp, int constants, int a, int b, int c)
{
    static const uint8_t join[16] = {0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23};
    int sum = temp, result = temp + 2, doubtful = temp + 3;
    for (int half = 0; half < 2; half++) {
        push_doubles(f, a, half);
        push_doubles(f, b, half);
        knh_wasm_op0(f, KNH_WASM_F64X2_MUL);
        push_doubles(f, c, half);
        knh_wasm_op0(f, KNH_WASM_F64X2_ADD), knh_wasm_set(f, sum + half);
    }
    for (int half = 0; half < 2; half++)
        knh_wasm_get(f, sum + half), knh_wasm_op0(f, KNH_WASM_F32X4_DEMOTE);
    knh_wasm_shuffle(f, join), knh_wasm_set(f, result);
    push_doubtful(f, sum, result, constants), knh_wasm_set(f, doubtful);
    knh_wasm_get(f, doubtful), knh_wasm_op0(f, KNH_WASM_V128_ANY_TRUE);
    knh_wasm_open(f, KNH_WASM_IF);
    push_not_zero(f, sum), knh_wasm_get(f, doubtful);
    knh_wasm_op0(f, KNH_WASM_V128_AND), knh_wasm_op0(f, KNH_WASM_V128_ANY_TRUE);
    knh_wasm_open(f, KNH_WASM_IF);
    knh_wasm_get(f, a), knh_wasm_get(f, b), knh_wasm_get(f, c);
    knh_wasm_i32(f, (int32_t)(uintptr_t)knx_exact_fma4);
    knh_wasm_call(f, KNH_WASM_THREE), knh_wasm_set(f, result);
    knh_wasm_close(f);
    knh_wasm_close(f);
    knh_wasm_get(f, result);
}
