/* SPDX-License-Identifier: Apache-2.0
 * emit_memory.c -- elements in memory to registers and back. Nothing outside of the elements that exist is touched:
 * AVX-512 masks loads and stores; AVX2 does so for 4 and 8 bytes, and goes element by element through the end of arrays
 * of smaller ones. A masked instruction that reaches into a page where none of its elements are faults in the processor
 * if nothing is mapped there, which is suppressed but takes hundreds of cycles: where one would reach from page to
 * page, elements go one by one, too. */
#include "host/x86/emit_recipe.h"

enum { PAGE = 4096 };

/* How the elements of a dtype lie in memory and in a register: the instructions of each of these. */
typedef enum { AS_4, AS_8, AS_2, I8_LANES, U8_LANES, I16_LANES, U16_LANES, BOOLS } form;

static form form_of(int dtype)
{
    switch (dtype) {
    case KN_ID_BOOL: return BOOLS;
    case KN_ID_I8: return I8_LANES;
    case KN_ID_U8: return U8_LANES;
    case KN_ID_I16: return I16_LANES;
    case KN_ID_U16: return U16_LANES;
    case KN_ID_F16:
    case KN_ID_BF16: return AS_2;
    default: return knk_size(dtype) == 8 ? AS_8 : AS_4;
    }
}

/* load: from memory, or small ones from an xmm register. store: AVX2, the last step. masked: AVX-512, a store */
static const struct {
    knh_insn load, store, masked;
} ways[] = {
    [AS_4] = {KNH_VMOVUPS, KNH_VMOVUPS_ST, KNH_VMOVUPS_ST},
    [AS_8] = {KNH_VMOVUPD, KNH_VMOVUPD_ST, KNH_VMOVUPD_ST},
    [AS_2] = {KNH_VMOVDQU16, KNH_VMOVDQU16_ST, KNH_VMOVDQU16_ST},
    [I8_LANES] = {KNH_VPMOVSXBD, KNH_VPACKSSWB, KNH_VPMOVDB},
    [U8_LANES] = {KNH_VPMOVZXBD, KNH_VPACKUSWB, KNH_VPMOVDB},
    [I16_LANES] = {KNH_VPMOVSXWD, KNH_VPACKSSDW, KNH_VPMOVDW},
    [U16_LANES] = {KNH_VPMOVZXWD, KNH_VPACKUSDW, KNH_VPMOVDW},
    [BOOLS] = {KNH_VPMOVZXBD, KNH_VPACKSSWB, KNH_VMOVDQU8_ST},
};

/* Does the instruction have a mask? AVX2 has none for small elements, which go one by one. */
static bool has_mask(const knh_form *f, int dtype, const knh_tail *t)
{
    return t->on && (knh_wide(f) || knk_size(dtype) >= 4);
}

bool knh_emit_probes;

/* No register but one that is put back below the stack pointer, and no flag. */
void knh_emit_probe(knh_asm *a, knh_operand at, int bytes)
{
    const int gp = at.base == KNH_R10 || at.index == KNH_R10 ? KNH_R11 : KNH_R10;
    const knh_operand saved = knh_at(KNH_RSP, -8);
    if (!knh_emit_probes || at.base < 0 || at.base == KNH_RSP)
        return;
    knh_store(a, saved, gp);
    knh_load_part(a, 1, false, gp, at);
    at.disp += bytes - 1;
    knh_load_part(a, 1, false, gp, at);
    knh_load(a, gp, saved);
}

/* --- loads --- */

static void load_512(knh_asm *a, const knh_form *f, int dtype, int dst, knh_operand from, int mask, int temp)
{
    const form as = form_of(dtype);
    const int len = knh_length(f, dtype);
    if (as == BOOLS) {
        if (mask)
            knh_v(a, KNH_VMOVDQU8, 0, temp, 0, from, mask, true, -1);
        else
            knh_v2(a, f->lanes == 8 ? KNH_VMOVQ_X : KNH_VMOVUPS, 0, temp, from);
        knh_v3(a, KNH_VPTESTMB, 0, dst, temp, knh_reg(temp));
        return;
    }
    if (as == AS_2 && !mask)
        knh_v2(a, KNH_VMOVUPS, len, dst, from);
    else
        knh_v(a, ways[as].load, len, dst, 0, from, mask, mask != 0, -1);
}

/* From the last one that exists to the first: each goes in below the others. */
static void load_elements(knh_asm *a, int size, int dst, knh_operand from, int count, const int *gp)
{
    const int next = knh_label(a), end = knh_label(a), left = gp[0], at = gp[1];
    knh_lea(a, at, from);
    knh_zero(a, dst);
    knh_mov(a, left, count);
    knh_test(a, left, left);
    knh_jump_if(a, KNH_IF_E, end);
    knh_here(a, next);
    knh_shift(a, KNH_VPSLLDQ_I, 0, dst, dst, size);
    knh_v3i(a, size == 1 ? KNH_VPINSRB : KNH_VPINSRW, 0, dst, dst, knh_at_index(at, left, size, -size), 0);
    knh_alu_number(a, KNH_SUB, left, 1);
    knh_jump_if(a, KNH_IF_NE, next);
    knh_here(a, end);
}

static void load_2(knh_asm *a, const knh_form *f, int dtype, int dst, knh_operand from, const knh_tail *t,
                   const int *gp)
{
    const form as = form_of(dtype);
    const int len = knh_length(f, dtype), size = knk_size(dtype);
    if (as == AS_4 || as == AS_8) {
        if (t->on)
            knh_v3(a, as == AS_4 ? KNH_VMASKMOVPS : KNH_VMASKMOVPD, len, dst, as == AS_4 ? t->mask4 : t->mask8, from);
        else
            knh_v2(a, ways[as].load, len, dst, from);
        return;
    }
    if (t->on)
        load_elements(a, size, dst, from, t->count, gp);
    else if (as == AS_2)
        knh_v2(a, f->lanes == 8 ? KNH_VMOVUPS : KNH_VMOVQ_X, 0, dst, from);
    if (as != AS_2)
        knh_v2(a, ways[as].load, len, dst, t->on ? knh_reg(dst) : from);
    if (as == BOOLS)
        knh_v3(a, KNH_VPCMPGTD, len, dst, dst, knh_lanes32(a, f, 0));
}

static void load_now(knh_asm *a, const knh_form *f, int dtype, int dst, knh_operand from, const knh_tail *t,
                     const int *temp, const int *gp)
{
    if (has_mask(f, dtype, t))
        knh_emit_probe(a, from, f->lanes * knk_size(dtype));
    if (knh_wide(f))
        load_512(a, f, dtype, dst, from, t->on ? t->mask : 0, temp[0]);
    else
        load_2(a, f, dtype, dst, from, t, gp);
}

/* --- masked ones --- */

/* Is it to be seen to that lanes that are left out lie in no other page? */
static bool is_guarded(const knh_form *f, int dtype, const knh_tail *t) { return has_mask(f, dtype, t) && !t->loose; }

/* Jumps where `bytes` from an address on lie in one page. */
static void if_in_one_page(knh_asm *a, int address, int bytes, int gp, int label)
{
    knh_mov(a, gp, address);
    knh_alu_number(a, KNH_AND, gp, PAGE - 1);
    knh_alu_number(a, KNH_CMP, gp, PAGE - bytes);
    knh_jump_if(a, KNH_IF_BE, label);
}

static void mask_bits(knh_asm *a, const knh_form *f, const knh_tail *t, int gp)
{
    if (knh_wide(f))
        knh_v2(a, KNH_KMOVW_RK, 0, gp, knh_reg(t->mask));
    else
        knh_v2(a, KNH_VMOVMSKPS, f->lanes == 8, gp, knh_reg(t->mask4));
    if (f->lanes < 16) /* bits above the lanes are anything */
        knh_alu_number(a, KNH_AND, gp, (1 << f->lanes) - 1);
}

/* The elements of the mask between two places, one by one. gp[0] stays; one of the places may be there. */
static void copy_some(knh_asm *a, const knh_form *f, int size, knh_operand to, knh_operand from, const knh_tail *t,
                      const int *gp)
{
    const int next = knh_label(a), skip = knh_label(a), end = knh_label(a), bits = gp[1], at = gp[2], value = gp[3];
    mask_bits(a, f, t, bits);
    knh_mov_number(a, at, 0);
    knh_here(a, next);
    knh_test(a, bits, bits);
    knh_jump_if(a, KNH_IF_E, end);
    knh_bt(a, bits, 0);
    knh_jump_if(a, KNH_IF_AE, skip);
    from.index = to.index = (int8_t)at;
    from.scale = to.scale = (uint8_t)size;
    if (size == 8) {
        knh_load(a, value, from);
        knh_store(a, to, value);
    } else {
        knh_load_part(a, size, false, value, from);
        knh_store_part(a, size, to, value);
    }
    knh_here(a, skip);
    knh_shr(a, bits, 1);
    knh_alu_number(a, KNH_ADD, at, 1);
    knh_jump(a, next);
    knh_here(a, end);
}

static const knh_tail whole = {.on = false};

/* dst is none of the registers of the mask. */
static void load_some(knh_asm *a, const knh_form *f, int dtype, int dst, knh_operand from, const knh_tail *t,
                      const int *temp, const int *gp, knh_operand scratch)
{
    const int near = knh_label(a), end = knh_label(a), size = knk_size(dtype);
    const int zero = size < 4 ? temp[0] : dst;
    knh_lea(a, gp[0], from);
    if (t->may_be_none) {
        knh_emit_constant(a, f, dtype, dst, 0, gp[1]);
        if (knh_wide(f))
            knh_v2(a, f->lanes == 8 ? KNH_KORTESTB : KNH_KORTESTW, 0, t->mask, knh_reg(t->mask));
        else
            knh_v2(a, KNH_VPTEST, f->lanes == 8, t->mask4, knh_reg(t->mask4));
        knh_jump_if(a, KNH_IF_E, end);
    }
    if_in_one_page(a, gp[0], f->lanes * size, gp[1], near);
    knh_zero(a, zero);
    knh_v2(a, KNH_VMOVUPS_ST, knh_wide(f) ? 2 : 1, zero, scratch);
    copy_some(a, f, size, scratch, knh_at(gp[0], 0), t, gp);
    load_now(a, f, dtype, dst, scratch, &whole, temp, gp + 1);
    knh_jump(a, end);
    knh_here(a, near);
    load_now(a, f, dtype, dst, knh_at(gp[0], 0), t, temp, gp + 1);
    knh_here(a, end);
}

void knh_emit_load(knh_asm *a, const knh_form *f, int dtype, int dst, knh_operand from, const knh_tail *t,
                   const int *temp, const int *gp_temp, knh_operand scratch)
{
    if (is_guarded(f, dtype, t))
        load_some(a, f, dtype, dst, from, t, temp, gp_temp, scratch);
    else
        load_now(a, f, dtype, dst, from, t, temp, gp_temp + 1);
}

/* --- stores --- */

static knh_operand byte_ones(knh_asm *a)
{
    const uint64_t ones[2] = {0x0101010101010101, 0x0101010101010101};
    return knh_at_pool(knh_pool(a, ones, 16, 16));
}

static void store_512(knh_asm *a, const knh_form *f, int dtype, int src, knh_operand to, int mask, int temp)
{
    const form as = form_of(dtype);
    const int len = knh_length(f, dtype);
    if (as != BOOLS) {
        knh_v(a, as == AS_2 && !mask ? KNH_VMOVUPS_ST : ways[as].masked, len, src, 0, to, mask, false, -1);
        return;
    }
    knh_v(a, KNH_VMOVDQU8, 0, temp, 0, byte_ones(a), src, true, -1);
    if (mask)
        knh_v(a, KNH_VMOVDQU8_ST, 0, temp, 0, to, mask, false, -1);
    else
        knh_v2(a, f->lanes == 8 ? KNH_VMOVQ_X_ST : KNH_VMOVUPS_ST, 0, temp, to);
}

/* Lanes of 32 bits to adjacent elements in an xmm register. */
static int pack(knh_asm *a, const knh_form *f, int dtype, int src, int temp)
{
    const form as = form_of(dtype);
    const knh_insn words = as == U8_LANES || as == U16_LANES ? KNH_VPACKUSDW : KNH_VPACKSSDW;
    if (as == AS_2)
        return src;
    if (f->lanes == 8)
        knh_v2i(a, KNH_VEXTRACTI128, 1, src, knh_reg(temp), 1);
    knh_v3(a, words, 0, temp, src, knh_reg(f->lanes == 8 ? temp : src));
    if (knk_size(dtype) == 1)
        knh_v3(a, ways[as].store, 0, temp, temp, knh_reg(temp));
    if (as == BOOLS)
        knh_v2(a, KNH_VPABSB, 0, temp, knh_reg(temp));
    return temp;
}

void knh_emit_unpack(knh_asm *a, const knh_form *f, int dtype, int dst, int packed, int temp)
{
    const int len = knh_length(f, dtype);
    if (knh_wide(f))
        load_512(a, f, dtype, dst, knh_reg(packed), 0, temp);
    else if (form_of(dtype) == AS_2)
        knh_copy(a, len, dst, knh_reg(packed));
    else
        load_2(a, f, dtype, dst, knh_reg(packed), &whole, NULL);
}

int knh_emit_pack(knh_asm *a, const knh_form *f, int dtype, int src, int temp)
{
    const form as = form_of(dtype);
    if (as == AS_4 || as == AS_8 || as == AS_2)
        return src;
    if (!knh_wide(f))
        return pack(a, f, dtype, src, temp);
    if (as == BOOLS)
        knh_v(a, KNH_VMOVDQU8, 0, temp, 0, byte_ones(a), src, true, -1);
    else
        knh_v2(a, ways[as].masked, knh_length(f, dtype), src, knh_reg(temp));
    return temp;
}

static void store_elements(knh_asm *a, int size, int src, knh_operand to, int count, int temp, const int *gp)
{
    const int next = knh_label(a), end = knh_label(a), left = gp[0], at = gp[1];
    knh_lea(a, at, to);
    knh_copy(a, 0, temp, knh_reg(src));
    knh_mov(a, left, count);
    knh_test(a, left, left);
    knh_jump_if(a, KNH_IF_E, end);
    knh_here(a, next);
    knh_v2i(a, size == 1 ? KNH_VPEXTRB : KNH_VPEXTRW, 0, temp, knh_at(at, 0), 0);
    knh_shift(a, KNH_VPSRLDQ_I, 0, temp, temp, size);
    knh_alu_number(a, KNH_ADD, at, size);
    knh_alu_number(a, KNH_SUB, left, 1);
    knh_jump_if(a, KNH_IF_NE, next);
    knh_here(a, end);
}

static void store_2(knh_asm *a, const knh_form *f, int dtype, int src, knh_operand to, const knh_tail *t,
                    const int *temp, const int *gp)
{
    const form as = form_of(dtype);
    const int len = knh_length(f, dtype), size = knk_size(dtype), bytes = f->lanes * size;
    if (as == AS_4 || as == AS_8) {
        if (t->on)
            knh_v(a, as == AS_4 ? KNH_VMASKMOVPS_ST : KNH_VMASKMOVPD_ST, len, src, as == AS_4 ? t->mask4 : t->mask8, to,
                  0, false, -1);
        else
            knh_v2(a, ways[as].store, len, src, to);
        return;
    }
    const int packed = pack(a, f, dtype, src, temp[0]);
    if (t->on)
        store_elements(a, size, packed, to, t->count, temp[0], gp);
    else
        knh_v2(a, bytes == 16 ? KNH_VMOVUPS_ST : bytes == 8 ? KNH_VMOVQ_X_ST : KNH_VMOVD_ST, 0, packed, to);
}

static void store_now(knh_asm *a, const knh_form *f, int dtype, int src, knh_operand to, const knh_tail *t,
                      const int *temp, const int *gp)
{
    if (has_mask(f, dtype, t))
        knh_emit_probe(a, to, f->lanes * knk_size(dtype));
    if (knh_wide(f))
        store_512(a, f, dtype, src, to, t->on ? t->mask : 0, temp[0]);
    else
        store_2(a, f, dtype, src, to, t, temp, gp);
}

static void store_some(knh_asm *a, const knh_form *f, int dtype, int src, knh_operand to, const knh_tail *t,
                       const int *temp, const int *gp, knh_operand scratch)
{
    const int near = knh_label(a), end = knh_label(a), size = knk_size(dtype);
    knh_lea(a, gp[0], to);
    if_in_one_page(a, gp[0], f->lanes * size, gp[1], near);
    store_now(a, f, dtype, src, scratch, &whole, temp, gp + 1);
    copy_some(a, f, size, knh_at(gp[0], 0), scratch, t, gp);
    knh_jump(a, end);
    knh_here(a, near);
    store_now(a, f, dtype, src, knh_at(gp[0], 0), t, temp, gp + 1);
    knh_here(a, end);
}

void knh_emit_store(knh_asm *a, const knh_form *f, int dtype, int src, knh_operand to, const knh_tail *t,
                    bool nontemporal, const int *temp, const int *gp_temp, knh_operand scratch)
{
    const form as = form_of(dtype);
    if (nontemporal && !t->on && (as == AS_4 || as == AS_8 || as == AS_2) && f->lanes * knk_size(dtype) >= 16)
        knh_v2(a, KNH_VMOVNTPS_ST, knh_length(f, dtype), src, to);
    else if (is_guarded(f, dtype, t))
        store_some(a, f, dtype, src, to, t, temp, gp_temp, scratch);
    else
        store_now(a, f, dtype, src, to, t, temp, gp_temp + 1);
}

/* --- one element --- */

void knh_emit_splat(knh_asm *a, const knh_form *f, int dtype, int dst, knh_operand from, int temp, int gp_temp)
{
    const form as = form_of(dtype);
    const int len = knh_length(f, dtype), size = knk_size(dtype);
    const knh_insn all = size == 1   ? KNH_VPBROADCASTB
                         : size == 2 ? KNH_VPBROADCASTW
                         : size == 4 ? KNH_VPBROADCASTD
                                     : KNH_VPBROADCASTQ;
    (void)gp_temp;
    if (as == AS_4 || as == AS_8 || as == AS_2) {
        knh_v2(a, all, len, dst, from);
    } else if (knh_is_mask(f, dtype)) {
        knh_v2(a, all, 0, temp, from);
        knh_v3(a, KNH_VPTESTMB, 0, dst, temp, knh_reg(temp));
    } else {
        knh_v2(a, all, len ? len - 1 : 0, dst, from);
        knh_v2(a, ways[as].load, len, dst, knh_reg(dst));
        if (as == BOOLS)
            knh_v3(a, KNH_VPCMPGTD, len, dst, dst, knh_lanes32(a, f, 0));
    }
}

void knh_emit_store_one(knh_asm *a, const knh_form *f, int dtype, int src, knh_operand to, int temp, int gp_temp)
{
    (void)temp;
    if (dtype == KN_ID_BOOL) {
        knh_v2(a, knh_wide(f) ? KNH_KMOVW_RK : KNH_VMOVD_ST, 0, knh_wide(f) ? gp_temp : src,
               knh_reg(knh_wide(f) ? src : gp_temp));
        knh_alu_number(a, KNH_AND, gp_temp, 1);
        knh_store_part(a, 1, to, gp_temp);
        return;
    }
    switch (knk_size(dtype)) {
    case 1: knh_v2i(a, KNH_VPEXTRB, 0, src, to, 0); break;
    case 2: knh_v2i(a, KNH_VPEXTRW, 0, src, to, 0); break;
    case 4: knh_v2(a, KNH_VMOVSS_ST, 0, src, to); break;
    default: knh_v2(a, KNH_VMOVSD_ST, 0, src, to);
    }
}

void knh_emit_any(knh_asm *a, const knh_form *f, int src, int gp_temp)
{
    (void)gp_temp;
    if (knh_wide(f))
        knh_v2(a, f->lanes == 8 ? KNH_KORTESTB : KNH_KORTESTW, 0, src, knh_reg(src));
    else
        knh_v2(a, KNH_VPTEST, knh_length(f, KN_ID_BOOL), src, knh_reg(src));
}
