/* SPDX-License-Identifier: Apache-2.0
 * emit_reduce.c -- joining partial results of a reduction, in the order of docs/determinism.md. */
#include "host/x86/emit_recipe.h"

/* min, max: left < right or left is NaN ? left : right. AVX-512: the instruction where left is not NaN. */
static void join_floats(knh_asm *a, const knh_form *f, bool max, int dtype, int dst, int left, knh_operand right,
                        int temp, int mask_temp)
{
    const bool f64 = dtype == KN_ID_F64;
    const int len = knh_length(f, dtype);
    const knh_insn join = max ? f64 ? KNH_VMAXPD : KNH_VMAXPS : f64 ? KNH_VMINPD : KNH_VMINPS;
    if (knh_wide(f) && (right.memory || right.reg != dst || left == dst)) {
        knh_copy(a, len, dst, knh_reg(left));
        knh_v3i(a, f64 ? KNH_VCMPPD_K : KNH_VCMPPS_K, len, mask_temp, left, knh_reg(left), 7);
        knh_v(a, join, len, dst, left, right, mask_temp, false, -1);
        return;
    }
    if (knh_wide(f)) {
        knh_v3i(a, f64 ? KNH_VCMPPD_K : KNH_VCMPPS_K, len, mask_temp, left, knh_reg(left), 3);
        knh_v3(a, join, len, dst, left, right);
        knh_v(a, f64 ? KNH_VMOVAPD : KNH_VMOVAPS, len, dst, 0, knh_reg(left), mask_temp, false, -1);
        return;
    }
    knh_v3i(a, f64 ? KNH_VCMPPD : KNH_VCMPPS, len, temp, left, knh_reg(left), 3); /* ones are a NaN */
    knh_v3(a, join, len, dst, left, right);
    knh_v3(a, KNH_VORPS, len, dst, dst, knh_reg(temp));
}

void knh_emit_combine(knh_asm *a, const knh_form *f, knk_reduction how, int dtype, int dst, int left, knh_operand right,
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
    const knh_operand src[3] = {knh_reg(left), right, knh_reg(0)};
    knh_emit_op(a, f, &nodes[2], nodes, dst, src, &temp, &mask_temp, NULL);
}

/* dst = the upper half of the lanes of src, of a register of `bytes` bytes */
static void upper_half(knh_asm *a, int bytes, int dst, int src)
{
    switch (bytes) {
    case 64: knh_v2i(a, KNH_VEXTRACTF64X4, 2, src, knh_reg(dst), 1); break;
    case 32: knh_v2i(a, src > 15 || dst > 15 ? KNH_VEXTRACTF32X4 : KNH_VEXTRACTF128, 1, src, knh_reg(dst), 1); break;
    case 16: knh_v2i(a, KNH_VPERMILPD_I, 0, dst, knh_reg(src), 1); break;
    default: knh_v2(a, KNH_VMOVSHDUP, 0, dst, knh_reg(src));
    }
}

void knh_emit_join_lanes(knh_asm *a, const knh_form *f, knk_reduction how, int dtype, const int *piece, int temp,
                         int temp2, int mask_temp)
{
    for (int pieces = 16 / f->lanes / 2; pieces; pieces /= 2)
        for (int i = 0; i < pieces; i++)
            knh_emit_combine(a, f, how, dtype, piece[i], piece[i], knh_reg(piece[i + pieces]), temp, mask_temp);
    const int lane = knk_size(dtype) == 8 ? 8 : 4;
    knh_form part = *f;
    while (part.lanes > 1) {
        part.lanes /= 2;
        int upper = temp2;
        if (knh_is_mask(f, dtype))
            knh_v2i(a, KNH_KSHIFTRW, 0, upper = mask_temp, knh_reg(piece[0]), part.lanes);
        else
            upper_half(a, 2 * part.lanes * lane, temp2, piece[0]);
        knh_emit_combine(a, &part, how, dtype, piece[0], piece[0], knh_reg(upper), temp, mask_temp);
    }
}
