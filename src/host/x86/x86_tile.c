/* SPDX-License-Identifier: Apache-2.0
 * x86_tile.c -- instructions on tiles (AMX): eight registers of up to 16 rows of 64 bytes. */
#include "host/x86/x86_encode.h"

enum { P_NONE, P_66, P_F3, P_F2 };

static void put(knh_asm *a, int prefix, int opcode, int reg, int v, const knh_operand *rm)
{
    uint8_t *p = knh_begin(a), *displacement = NULL;
    const char *why = rm->memory ? knh_bad_memory(rm, 15) : NULL;
    if (reg < 0 || reg > 7 || v < 0 || v > 7 || (!rm->memory && (rm->reg < 0 || rm->reg > 7)))
        why = "no such register";
    if (why)
        knh_fail(a, why);
    if (!p || why)
        return;
    p = knh_put_vex(p, 2, prefix, 0, 0, reg, v, rm);
    *p++ = (uint8_t)opcode;
    p = knh_modrm(p, reg, rm, 1, &displacement);
    knh_end(a, p, rm, displacement);
}

void knh_tmm_configure(knh_asm *a, knh_operand from)
{
    if (!from.memory)
        knh_fail(a, "needs a memory operand");
    else
        put(a, P_NONE, 0x49, 0, 0, &from);
    knh_list_memory(a, "ldtilecfg", &from);
}

void knh_tmm_release(knh_asm *a)
{
    knh_operand none = knh_reg(0);
    put(a, P_NONE, 0x49, 0, 0, &none);
    knh_list(a, "tilerelease");
}

void knh_tmm_zero(knh_asm *a, int t)
{
    knh_operand none = knh_reg(0);
    put(a, P_F2, 0x49, t, 0, &none);
    knh_list(a, "tilezero tmm%d", t);
}

void knh_tmm_load(knh_asm *a, int t, int base, int stride, int32_t disp)
{
    knh_operand m = knh_at_index(base, stride, 1, disp);
    put(a, P_F2, 0x4B, t, 0, &m);
    knh_list(a, "tileloadd tmm%d,[%s+%s*1%+d]", t, knh_register_name(base, 8), knh_register_name(stride, 8), (int)disp);
}

void knh_tmm_load_once(knh_asm *a, int t, int base, int stride, int32_t disp)
{
    knh_operand m = knh_at_index(base, stride, 1, disp);
    put(a, P_66, 0x4B, t, 0, &m);
    knh_list(a, "tileloaddt1 tmm%d,[%s+%s*1%+d]", t, knh_register_name(base, 8), knh_register_name(stride, 8),
             (int)disp);
}

void knh_tmm_store(knh_asm *a, int t, int base, int stride, int32_t disp)
{
    knh_operand m = knh_at_index(base, stride, 1, disp);
    put(a, P_F3, 0x4B, t, 0, &m);
    knh_list(a, "tilestored [%s+%s*1%+d],tmm%d", knh_register_name(base, 8), knh_register_name(stride, 8), (int)disp,
             t);
}

void knh_tmm_dot(knh_asm *a, bool left_signed, bool right_signed, int dst, int left, int right)
{
    knh_operand rm = knh_reg(left);
    put(a, left_signed ? (right_signed ? P_F2 : P_F3) : (right_signed ? P_66 : P_NONE), 0x5E, dst, right, &rm);
    knh_list(a, "tdpb%c%cd tmm%d,tmm%d,tmm%d", "us"[left_signed], "us"[right_signed], dst, left, right);
}
