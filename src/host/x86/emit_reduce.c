/* SPDX-License-Identifier: Apache-2.0
 * emit_reduce.c -- joining partial results of a reduction, in the order of docs/determinism.md. */
#include "host/x86/emit_recipe.h"

/* min, max: left < right or left is NaN ? left : right. AVX-512: the instruction where left is not NaN. */
static void join_floats(kng_asm *a, const kng_form *f, bool max, int dtype, int dst, int left, kng_operand right,
                        int temp, int mask_temp)
{
    const bool f64 = dtype == KN_ID_F64;
    const int len = kng_length(f, dtype);
    const kng_insn join = max ? f64 ? KNG_VMAXPD : KNG_VMAXPS : f64 ? KNG_VMINPD : KNG_VMINPS;
    if (kng_wide(f) && (right.memory || right.reg != dst || left == dst)) {
        kng_copy(a, len, dst, kng_reg(left));
        kng_v3i(a, f64 ? KNG_VCMPPD_K : KNG_VCMPPS_K, len, mask_temp, left, kng_reg(left), 7);
        kng_v(a, join, len, dst, left, right, mask_temp, false, -1);
        return;
    }
    if (kng_wide(f)) {
        kng_v3i(a, f64 ? KNG_VCMPPD_K : KNG_VCMPPS_K, len, mask_temp, left, kng_reg(left), 3);
        kng_v3(a, join, len, dst, left, right);
        kng_v(a, f64 ? KNG_VMOVAPD : KNG_VMOVAPS, len, dst, 0, kng_reg(left), mask_temp, false, -1);
        return;
    }
    kng_v3i(a, f64 ? KNG_VCMPPD : KNG_VCMPPS, len, temp, left, kng_reg(left), 3); /* ones are a NaN */
    kng_v3(a, join, len, dst, left, right);
    kng_v3(a, KNG_VORPS, len, dst, dst, kng_reg(temp));
}

void kng_emit_combine(kng_asm *a, const kng_form *f, knk_reduction how, int dtype, int dst, int left, kng_operand right,
                      int temp, int mask_temp)
{
    static const uint8_t ops[] = {KNK_ADD, KNK_MUL, KNK_MIN, KNK_MAX, KNK_AND, KNK_OR, KNK_XOR};
    if (knk_is_float_id(dtype) && (how == KNK_RED_MIN || how == KNK_RED_MAX)) {
        join_floats(a, f, how == KNK_RED_MAX, dtype, dst, left, right, temp, mask_temp);
        return;
    }
    const knk_inst nodes[3] = {{.op = KNK_LOAD, .dtype = (uint8_t)dtype, .a = KNK_NONE},
                               {.op = KNK_LOAD, .dtype = (uint8_t)dtype, .a = KNK_NONE},
                               {.op = ops[how], .dtype = (uint8_t)dtype, .a = 0, .b = 1, .c = KNK_NONE}};
    const kng_operand src[3] = {kng_reg(left), right, kng_reg(0)};
    kng_emit_op(a, f, &nodes[2], nodes, dst, src, &temp, &mask_temp, NULL);
}

/* dst = the upper half of the lanes of src, of a register of `bytes` bytes */
static void upper_half(kng_asm *a, int bytes, int dst, int src)
{
    switch (bytes) {
    case 64: kng_v2i(a, KNG_VEXTRACTF64X4, 2, src, kng_reg(dst), 1); break;
    case 32: kng_v2i(a, src > 15 || dst > 15 ? KNG_VEXTRACTF32X4 : KNG_VEXTRACTF128, 1, src, kng_reg(dst), 1); break;
    case 16: kng_v2i(a, KNG_VPERMILPD_I, 0, dst, kng_reg(src), 1); break;
    default: kng_v2(a, KNG_VMOVSHDUP, 0, dst, kng_reg(src));
    }
}

void kng_emit_join_lanes(kng_asm *a, const kng_form *f, knk_reduction how, int dtype, const int *piece, int temp,
                         int temp2, int mask_temp)
{
    for (int pieces = 16 / f->lanes / 2; pieces; pieces /= 2)
        for (int i = 0; i < pieces; i++)
            kng_emit_combine(a, f, how, dtype, piece[i], piece[i], kng_reg(piece[i + pieces]), temp, mask_temp);
    const int lane = knk_size(dtype) == 8 ? 8 : 4;
    kng_form part = *f;
    while (part.lanes > 1) {
        part.lanes /= 2;
        int upper = temp2;
        if (kng_is_mask(f, dtype))
            kng_v2i(a, KNG_KSHIFTRW, 0, upper = mask_temp, kng_reg(piece[0]), part.lanes);
        else
            upper_half(a, 2 * part.lanes * lane, temp2, piece[0]);
        kng_emit_combine(a, &part, how, dtype, piece[0], piece[0], kng_reg(upper), temp, mask_temp);
    }
}
