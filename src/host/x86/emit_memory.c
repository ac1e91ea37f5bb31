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
    kng_insn load, store, masked;
} ways[] = {
    [AS_4] = {KNG_VMOVUPS, KNG_VMOVUPS_ST, KNG_VMOVUPS_ST},
    [AS_8] = {KNG_VMOVUPD, KNG_VMOVUPD_ST, KNG_VMOVUPD_ST},
    [AS_2] = {KNG_VMOVDQU16, KNG_VMOVDQU16_ST, KNG_VMOVDQU16_ST},
    [I8_LANES] = {KNG_VPMOVSXBD, KNG_VPACKSSWB, KNG_VPMOVDB},
    [U8_LANES] = {KNG_VPMOVZXBD, KNG_VPACKUSWB, KNG_VPMOVDB},
    [I16_LANES] = {KNG_VPMOVSXWD, KNG_VPACKSSDW, KNG_VPMOVDW},
    [U16_LANES] = {KNG_VPMOVZXWD, KNG_VPACKUSDW, KNG_VPMOVDW},
    [BOOLS] = {KNG_VPMOVZXBD, KNG_VPACKSSWB, KNG_VMOVDQU8_ST},
};

/* Does the instruction have a mask? AVX2 has none for small elements, which go one by one. */
static bool has_mask(const kng_form *f, int dtype, const kng_tail *t)
{
    return t->on && (kng_wide(f) || knk_size(dtype) >= 4);
}

bool kng_emit_probes;

/* No register but one that is put back below the stack pointer, and no flag. */
void kng_emit_probe(kng_asm *a, kng_operand at, int bytes)
{
    const int gp = at.base == KNG_R10 || at.index == KNG_R10 ? KNG_R11 : KNG_R10;
    const kng_operand saved = kng_at(KNG_RSP, -8);
    if (!kng_emit_probes || at.base < 0 || at.base == KNG_RSP)
        return;
    kng_store(a, saved, gp);
    kng_load_part(a, 1, false, gp, at);
    at.disp += bytes - 1;
    kng_load_part(a, 1, false, gp, at);
    kng_load(a, gp, saved);
}

/* --- loads --- */

static void load_512(kng_asm *a, const kng_form *f, int dtype, int dst, kng_operand from, int mask, int temp)
{
    const form as = form_of(dtype);
    const int len = kng_length(f, dtype);
    if (as == BOOLS) {
        if (mask)
            kng_v(a, KNG_VMOVDQU8, 0, temp, 0, from, mask, true, -1);
        else
            kng_v2(a, f->lanes == 8 ? KNG_VMOVQ_X : KNG_VMOVUPS, 0, temp, from);
        kng_v3(a, KNG_VPTESTMB, 0, dst, temp, kng_reg(temp));
        return;
    }
    if (as == AS_2 && !mask)
        kng_v2(a, KNG_VMOVUPS, len, dst, from);
    else
        kng_v(a, ways[as].load, len, dst, 0, from, mask, mask != 0, -1);
}

/* From the last one that exists to the first: each goes in below the others. */
static void load_elements(kng_asm *a, int size, int dst, kng_operand from, int count, const int *gp)
{
    const int next = kng_label(a), end = kng_label(a), left = gp[0], at = gp[1];
    kng_lea(a, at, from);
    kng_zero(a, dst);
    kng_mov(a, left, count);
    kng_test(a, left, left);
    kng_jump_if(a, KNG_IF_E, end);
    kng_here(a, next);
    kng_shift(a, KNG_VPSLLDQ_I, 0, dst, dst, size);
    kng_v3i(a, size == 1 ? KNG_VPINSRB : KNG_VPINSRW, 0, dst, dst, kng_at_index(at, left, size, -size), 0);
    kng_alu_number(a, KNG_SUB, left, 1);
    kng_jump_if(a, KNG_IF_NE, next);
    kng_here(a, end);
}

static void load_2(kng_asm *a, const kng_form *f, int dtype, int dst, kng_operand from, const kng_tail *t,
                   const int *gp)
{
    const form as = form_of(dtype);
    const int len = kng_length(f, dtype), size = knk_size(dtype);
    if (as == AS_4 || as == AS_8) {
        if (t->on)
            kng_v3(a, as == AS_4 ? KNG_VMASKMOVPS : KNG_VMASKMOVPD, len, dst, as == AS_4 ? t->mask4 : t->mask8, from);
        else
            kng_v2(a, ways[as].load, len, dst, from);
        return;
    }
    if (t->on)
        load_elements(a, size, dst, from, t->count, gp);
    else if (as == AS_2)
        kng_v2(a, f->lanes == 8 ? KNG_VMOVUPS : KNG_VMOVQ_X, 0, dst, from);
    if (as != AS_2)
        kng_v2(a, ways[as].load, len, dst, t->on ? kng_reg(dst) : from);
    if (as == BOOLS)
        kng_v3(a, KNG_VPCMPGTD, len, dst, dst, kng_lanes32(a, f, 0));
}

static void load_now(kng_asm *a, const kng_form *f, int dtype, int dst, kng_operand from, const kng_tail *t,
                     const int *temp, const int *gp)
{
    if (has_mask(f, dtype, t))
        kng_emit_probe(a, from, f->lanes * knk_size(dtype));
    if (kng_wide(f))
        load_512(a, f, dtype, dst, from, t->on ? t->mask : 0, temp[0]);
    else
        load_2(a, f, dtype, dst, from, t, gp);
}

/* --- masked ones --- */

/* Is it to be seen to that lanes that are left out lie in no other page? */
static bool is_guarded(const kng_form *f, int dtype, const kng_tail *t) { return has_mask(f, dtype, t) && !t->loose; }

/* Jumps where `bytes` from an address on lie in one page. */
static void if_in_one_page(kng_asm *a, int address, int bytes, int gp, int label)
{
    kng_mov(a, gp, address);
    kng_alu_number(a, KNG_AND, gp, PAGE - 1);
    kng_alu_number(a, KNG_CMP, gp, PAGE - bytes);
    kng_jump_if(a, KNG_IF_BE, label);
}

static void mask_bits(kng_asm *a, const kng_form *f, const kng_tail *t, int gp)
{
    if (kng_wide(f))
        kng_v2(a, KNG_KMOVW_RK, 0, gp, kng_reg(t->mask));
    else
        kng_v2(a, KNG_VMOVMSKPS, f->lanes == 8, gp, kng_reg(t->mask4));
    if (f->lanes < 16) /* bits above the lanes are anything */
        kng_alu_number(a, KNG_AND, gp, (1 << f->lanes) - 1);
}

/* The elements of the mask between two places, one by one. gp[0] stays; one of the places may be there. */
static void copy_some(kng_asm *a, const kng_form *f, int size, kng_operand to, kng_operand from, const kng_tail *t,
                      const int *gp)
{
    const int next = kng_label(a), skip = kng_label(a), end = kng_label(a), bits = gp[1], at = gp[2], value = gp[3];
    mask_bits(a, f, t, bits);
    kng_mov_number(a, at, 0);
    kng_here(a, next);
    kng_test(a, bits, bits);
    kng_jump_if(a, KNG_IF_E, end);
    kng_bt(a, bits, 0);
    kng_jump_if(a, KNG_IF_AE, skip);
    from.index = to.index = (int8_t)at;
    from.scale = to.scale = (uint8_t)size;
    if (size == 8) {
        kng_load(a, value, from);
        kng_store(a, to, value);
    } else {
        kng_load_part(a, size, false, value, from);
        kng_store_part(a, size, to, value);
    }
    kng_here(a, skip);
    kng_shr(a, bits, 1);
    kng_alu_number(a, KNG_ADD, at, 1);
    kng_jump(a, next);
    kng_here(a, end);
}

static const kng_tail whole = {.on = false};

/* dst is none of the registers of the mask. */
static void load_some(kng_asm *a, const kng_form *f, int dtype, int dst, kng_operand from, const kng_tail *t,
                      const int *temp, const int *gp, kng_operand scratch)
{
    const int near = kng_label(a), end = kng_label(a), size = knk_size(dtype);
    const int zero = size < 4 ? temp[0] : dst;
    kng_lea(a, gp[0], from);
    if (t->may_be_none) {
        kng_emit_constant(a, f, dtype, dst, 0, gp[1]);
        if (kng_wide(f))
            kng_v2(a, f->lanes == 8 ? KNG_KORTESTB : KNG_KORTESTW, 0, t->mask, kng_reg(t->mask));
        else
            kng_v2(a, KNG_VPTEST, f->lanes == 8, t->mask4, kng_reg(t->mask4));
        kng_jump_if(a, KNG_IF_E, end);
    }
    if_in_one_page(a, gp[0], f->lanes * size, gp[1], near);
    kng_zero(a, zero);
    kng_v2(a, KNG_VMOVUPS_ST, kng_wide(f) ? 2 : 1, zero, scratch);
    copy_some(a, f, size, scratch, kng_at(gp[0], 0), t, gp);
    load_now(a, f, dtype, dst, scratch, &whole, temp, gp + 1);
    kng_jump(a, end);
    kng_here(a, near);
    load_now(a, f, dtype, dst, kng_at(gp[0], 0), t, temp, gp + 1);
    kng_here(a, end);
}

void kng_emit_load(kng_asm *a, const kng_form *f, int dtype, int dst, kng_operand from, const kng_tail *t,
                   const int *temp, const int *gp_temp, kng_operand scratch)
{
    if (is_guarded(f, dtype, t))
        load_some(a, f, dtype, dst, from, t, temp, gp_temp, scratch);
    else
        load_now(a, f, dtype, dst, from, t, temp, gp_temp + 1);
}

/* --- stores --- */

static kng_operand byte_ones(kng_asm *a)
{
    const uint64_t ones[2] = {0x0101010101010101, 0x0101010101010101};
    return kng_at_pool(kng_pool(a, ones, 16, 16));
}

static void store_512(kng_asm *a, const kng_form *f, int dtype, int src, kng_operand to, int mask, int temp)
{
    const form as = form_of(dtype);
    const int len = kng_length(f, dtype);
    if (as != BOOLS) {
        kng_v(a, as == AS_2 && !mask ? KNG_VMOVUPS_ST : ways[as].masked, len, src, 0, to, mask, false, -1);
        return;
    }
    kng_v(a, KNG_VMOVDQU8, 0, temp, 0, byte_ones(a), src, true, -1);
    if (mask)
        kng_v(a, KNG_VMOVDQU8_ST, 0, temp, 0, to, mask, false, -1);
    else
        kng_v2(a, f->lanes == 8 ? KNG_VMOVQ_X_ST : KNG_VMOVUPS_ST, 0, temp, to);
}

/* Lanes of 32 bits to adjacent elements in an xmm register. */
static int pack(kng_asm *a, const kng_form *f, int dtype, int src, int temp)
{
    const form as = form_of(dtype);
    const kng_insn words = as == U8_LANES || as == U16_LANES ? KNG_VPACKUSDW : KNG_VPACKSSDW;
    if (as == AS_2)
        return src;
    if (f->lanes == 8)
        kng_v2i(a, KNG_VEXTRACTI128, 1, src, kng_reg(temp), 1);
    kng_v3(a, words, 0, temp, src, kng_reg(f->lanes == 8 ? temp : src));
    if (knk_size(dtype) == 1)
        kng_v3(a, ways[as].store, 0, temp, temp, kng_reg(temp));
    if (as == BOOLS)
        kng_v2(a, KNG_VPABSB, 0, temp, kng_reg(temp));
    return temp;
}

void kng_emit_unpack(kng_asm *a, const kng_form *f, int dtype, int dst, int packed, int temp)
{
    const int len = kng_length(f, dtype);
    if (kng_wide(f))
        load_512(a, f, dtype, dst, kng_reg(packed), 0, temp);
    else if (form_of(dtype) == AS_2)
        kng_copy(a, len, dst, kng_reg(packed));
    else
        load_2(a, f, dtype, dst, kng_reg(packed), &whole, NULL);
}

int kng_emit_pack(kng_asm *a, const kng_form *f, int dtype, int src, int temp)
{
    const form as = form_of(dtype);
    if (as == AS_4 || as == AS_8 || as == AS_2)
        return src;
    if (!kng_wide(f))
        return pack(a, f, dtype, src, temp);
    if (as == BOOLS)
        kng_v(a, KNG_VMOVDQU8, 0, temp, 0, byte_ones(a), src, true, -1);
    else
        kng_v2(a, ways[as].masked, kng_length(f, dtype), src, kng_reg(temp));
    return temp;
}

static void store_elements(kng_asm *a, int size, int src, kng_operand to, int count, int temp, const int *gp)
{
    const int next = kng_label(a), end = kng_label(a), left = gp[0], at = gp[1];
    kng_lea(a, at, to);
    kng_copy(a, 0, temp, kng_reg(src));
    kng_mov(a, left, count);
    kng_test(a, left, left);
    kng_jump_if(a, KNG_IF_E, end);
    kng_here(a, next);
    kng_v2i(a, size == 1 ? KNG_VPEXTRB : KNG_VPEXTRW, 0, temp, kng_at(at, 0), 0);
    kng_shift(a, KNG_VPSRLDQ_I, 0, temp, temp, size);
    kng_alu_number(a, KNG_ADD, at, size);
    kng_alu_number(a, KNG_SUB, left, 1);
    kng_jump_if(a, KNG_IF_NE, next);
    kng_here(a, end);
}

static void store_2(kng_asm *a, const kng_form *f, int dtype, int src, kng_operand to, const kng_tail *t,
                    const int *temp, const int *gp)
{
    const form as = form_of(dtype);
    const int len = kng_length(f, dtype), size = knk_size(dtype), bytes = f->lanes * size;
    if (as == AS_4 || as == AS_8) {
        if (t->on)
            kng_v(a, as == AS_4 ? KNG_VMASKMOVPS_ST : KNG_VMASKMOVPD_ST, len, src, as == AS_4 ? t->mask4 : t->mask8, to,
                  0, false, -1);
        else
            kng_v2(a, ways[as].store, len, src, to);
        return;
    }
    const int packed = pack(a, f, dtype, src, temp[0]);
    if (t->on)
        store_elements(a, size, packed, to, t->count, temp[0], gp);
    else
        kng_v2(a, bytes == 16 ? KNG_VMOVUPS_ST : bytes == 8 ? KNG_VMOVQ_X_ST : KNG_VMOVD_ST, 0, packed, to);
}

static void store_now(kng_asm *a, const kng_form *f, int dtype, int src, kng_operand to, const kng_tail *t,
                      const int *temp, const int *gp)
{
    if (has_mask(f, dtype, t))
        kng_emit_probe(a, to, f->lanes * knk_size(dtype));
    if (kng_wide(f))
        store_512(a, f, dtype, src, to, t->on ? t->mask : 0, temp[0]);
    else
        store_2(a, f, dtype, src, to, t, temp, gp);
}

static void store_some(kng_asm *a, const kng_form *f, int dtype, int src, kng_operand to, const kng_tail *t,
                       const int *temp, const int *gp, kng_operand scratch)
{
    const int near = kng_label(a), end = kng_label(a), size = knk_size(dtype);
    kng_lea(a, gp[0], to);
    if_in_one_page(a, gp[0], f->lanes * size, gp[1], near);
    store_now(a, f, dtype, src, scratch, &whole, temp, gp + 1);
    copy_some(a, f, size, kng_at(gp[0], 0), scratch, t, gp);
    kng_jump(a, end);
    kng_here(a, near);
    store_now(a, f, dtype, src, kng_at(gp[0], 0), t, temp, gp + 1);
    kng_here(a, end);
}

void kng_emit_store(kng_asm *a, const kng_form *f, int dtype, int src, kng_operand to, const kng_tail *t,
                    bool nontemporal, const int *temp, const int *gp_temp, kng_operand scratch)
{
    const form as = form_of(dtype);
    if (nontemporal && !t->on && (as == AS_4 || as == AS_8 || as == AS_2) && f->lanes * knk_size(dtype) >= 16)
        kng_v2(a, KNG_VMOVNTPS_ST, kng_length(f, dtype), src, to);
    else if (is_guarded(f, dtype, t))
        store_some(a, f, dtype, src, to, t, temp, gp_temp, scratch);
    else
        store_now(a, f, dtype, src, to, t, temp, gp_temp + 1);
}

/* --- one element --- */

void kng_emit_splat(kng_asm *a, const kng_form *f, int dtype, int dst, kng_operand from, int temp, int gp_temp)
{
    const form as = form_of(dtype);
    const int len = kng_length(f, dtype), size = knk_size(dtype);
    const kng_insn all = size == 1   ? KNG_VPBROADCASTB
                         : size == 2 ? KNG_VPBROADCASTW
                         : size == 4 ? KNG_VPBROADCASTD
                                     : KNG_VPBROADCASTQ;
    (void)gp_temp;
    if (as == AS_4 || as == AS_8 || as == AS_2) {
        kng_v2(a, all, len, dst, from);
    } else if (kng_is_mask(f, dtype)) {
        kng_v2(a, all, 0, temp, from);
        kng_v3(a, KNG_VPTESTMB, 0, dst, temp, kng_reg(temp));
    } else {
        kng_v2(a, all, len ? len - 1 : 0, dst, from);
        kng_v2(a, ways[as].load, len, dst, kng_reg(dst));
        if (as == BOOLS)
            kng_v3(a, KNG_VPCMPGTD, len, dst, dst, kng_lanes32(a, f, 0));
    }
}

void kng_emit_store_one(kng_asm *a, const kng_form *f, int dtype, int src, kng_operand to, int temp, int gp_temp)
{
    (void)temp;
    if (dtype == KN_ID_BOOL) {
        kng_v2(a, kng_wide(f) ? KNG_KMOVW_RK : KNG_VMOVD_ST, 0, kng_wide(f) ? gp_temp : src,
               kng_reg(kng_wide(f) ? src : gp_temp));
        kng_alu_number(a, KNG_AND, gp_temp, 1);
        kng_store_part(a, 1, to, gp_temp);
        return;
    }
    switch (knk_size(dtype)) {
    case 1: kng_v2i(a, KNG_VPEXTRB, 0, src, to, 0); break;
    case 2: kng_v2i(a, KNG_VPEXTRW, 0, src, to, 0); break;
    case 4: kng_v2(a, KNG_VMOVSS_ST, 0, src, to); break;
    default: kng_v2(a, KNG_VMOVSD_ST, 0, src, to);
    }
}

void kng_emit_any(kng_asm *a, const kng_form *f, int src, int gp_temp)
{
    (void)gp_temp;
    if (kng_wide(f))
        kng_v2(a, f->lanes == 8 ? KNG_KORTESTB : KNG_KORTESTW, 0, src, kng_reg(src));
    else
        kng_v2(a, KNG_VPTEST, kng_length(f, KN_ID_BOOL), src, kng_reg(src));
}
