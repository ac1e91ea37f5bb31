/* SPDX-License-Identifier: Apache-2.0
 * x86_tile.c -- instructions on tiles (AMX): eight registers of up to 16 rows of 64 bytes. */
#include "host/x86/x86_encode.h"

enum { P_NONE, P_66, P_F3, P_F2 };

static void put(kng_asm *a, int prefix, int opcode, int reg, int v, const kng_operand *rm)
{
    uint8_t *p = kng_begin(a), *displacement = NULL;
    const char *why = rm->memory ? kng_bad_memory(rm, 15) : NULL;
    if (reg < 0 || reg > 7 || v < 0 || v > 7 || (!rm->memory && (rm->reg < 0 || rm->reg > 7)))
        why = "no such register";
    if (why)
        kng_fail(a, why);
    if (!p || why)
        return;
    p = kng_put_vex(p, 2, prefix, 0, 0, reg, v, rm);
    *p++ = (uint8_t)opcode;
    p = kng_modrm(p, reg, rm, 1, &displacement);
    kng_end(a, p, rm, displacement);
}

void kng_tmm_configure(kng_asm *a, kng_operand from)
{
    if (!from.memory)
        kng_fail(a, "needs a memory operand");
    else
        put(a, P_NONE, 0x49, 0, 0, &from);
    kng_list_memory(a, "ldtilecfg", &from);
}

void kng_tmm_release(kng_asm *a)
{
    kng_operand none = kng_reg(0);
    put(a, P_NONE, 0x49, 0, 0, &none);
    kng_list(a, "tilerelease");
}

void kng_tmm_zero(kng_asm *a, int t)
{
    kng_operand none = kng_reg(0);
    put(a, P_F2, 0x49, t, 0, &none);
    kng_list(a, "tilezero tmm%d", t);
}

void kng_tmm_load(kng_asm *a, int t, int base, int stride, int32_t disp)
{
    kng_operand m = kng_at_index(base, stride, 1, disp);
    put(a, P_F2, 0x4B, t, 0, &m);
    kng_list(a, "tileloadd tmm%d,[%s+%s*1%+d]", t, kng_register_name(base, 8), kng_register_name(stride, 8), (int)disp);
}

void kng_tmm_load_once(kng_asm *a, int t, int base, int stride, int32_t disp)
{
    kng_operand m = kng_at_index(base, stride, 1, disp);
    put(a, P_66, 0x4B, t, 0, &m);
    kng_list(a, "tileloaddt1 tmm%d,[%s+%s*1%+d]", t, kng_register_name(base, 8), kng_register_name(stride, 8),
             (int)disp);
}

void kng_tmm_store(kng_asm *a, int t, int base, int stride, int32_t disp)
{
    kng_operand m = kng_at_index(base, stride, 1, disp);
    put(a, P_F3, 0x4B, t, 0, &m);
    kng_list(a, "tilestored [%s+%s*1%+d],tmm%d", kng_register_name(base, 8), kng_register_name(stride, 8), (int)disp,
             t);
}

void kng_tmm_dot(kng_asm *a, bool left_signed, bool right_signed, int dst, int left, int right)
{
    kng_operand rm = kng_reg(left);
    put(a, left_signed ? (right_signed ? P_F2 : P_F3) : (right_signed ? P_66 : P_NONE), 0x5E, dst, right, &rm);
    kng_list(a, "tdpb%c%cd tmm%d,tmm%d,tmm%d", "us"[left_signed], "us"[right_signed], dst, left, right);
}
