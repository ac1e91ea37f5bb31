/* SPDX-License-Identifier: Apache-2.0
 * x86.c -- encodes vector and mask instructions from the rows of x86.def; labels, jumps and the constant pool. */
#include "host/x86/x86_encode.h"
#include "host/x86/x86_row.h"
#include "base/hash.h"
#include <string.h>

const knh_row knh_rows[] = {
#define KNH_INSN(id, map, prefix, opcode, w_vex, w_evex, reg, v, rm, memory, lengths, flags) \
    {#id, map, prefix, opcode, w_vex, w_evex, reg, v, rm, memory, lengths, flags},
#include "host/x86/x86.def"
#undef KNH_INSN
};

enum { MOST_CODE = 1 << 28, ROOM = 32, POOL_ALIGN = 64 };

/* ---- The buffer. */

void knh_asm_init(knh_asm *a) { *a = (knh_asm){0}; }

void knh_asm_reset(knh_asm *a)
{
    a->code.n = a->pool.n = a->pool_fixup.n = a->jump.n = a->label.n = 0;
    if (a->constants)
        memset(a->pooled.at, 0, a->pooled.n * sizeof *a->pooled.at);
    a->constants = 0;
    a->failed = false;
    a->why = NULL;
}

void knh_asm_free(knh_asm *a)
{
    KN_VEC_FREE(&a->code);
    KN_VEC_FREE(&a->pool);
    KN_VEC_FREE(&a->pool_fixup);
    KN_VEC_FREE(&a->jump);
    KN_VEC_FREE(&a->label);
    KN_VEC_FREE(&a->pooled);
    knh_asm_init(a);
}

void knh_fail(knh_asm *a, const char *why)
{
    if (!a->failed)
        a->why = why;
    a->failed = true;
}

/* Where the next instruction goes: there is room for ROOM bytes, more than any has. NULL: failed. */
uint8_t *knh_begin(knh_asm *a)
{
    if (a->failed)
        return NULL;
    if (a->code.cap - a->code.n < ROOM) {
        size_t more = a->code.n ? a->code.n : 4096;
        if (a->code.n > MOST_CODE || !KN_VEC_RESERVE(&a->code, more)) {
            knh_fail(a, a->code.n > MOST_CODE ? "too much code" : NULL);
            return NULL;
        }
    }
    return a->code.at + a->code.n;
}

/* The instruction ends at p. If its memory operand is in the pool, a displacement is to be filled in. */
void knh_end(knh_asm *a, uint8_t *p, const knh_operand *rm, const uint8_t *displacement)
{
    a->code.n = (size_t)(p - a->code.at);
    if (!rm || !rm->memory || rm->base >= 0)
        return;
    knh_fixup f = {(uint32_t)(displacement - a->code.at), (uint32_t)a->code.n, rm->disp};
    if (!KN_VEC_PUSH(&a->pool_fixup, f))
        knh_fail(a, NULL);
}

uint8_t *knh_put32(uint8_t *p, int32_t v)
{
    for (int i = 0; i < 4; i++) /* the lowest byte first, on whichever machine the code is written */
        *p++ = (uint8_t)((uint32_t)v >> 8 * i);
    return p;
}

/* ModRM, SIB, displacement. unit: of a displacement of 8 bits (1 outside of EVEX). *displacement: where the one of a
 * pool operand is. */
uint8_t *knh_modrm(uint8_t *p, int reg, const knh_operand *rm, int unit, uint8_t **displacement)
{
    reg = (reg & 7) << 3;
    if (!rm->memory) {
        *p++ = (uint8_t)(0xC0 | reg | (rm->reg & 7));
        return p;
    }
    if (rm->base < 0) { /* relative to the next instruction */
        *p++ = (uint8_t)(reg | 5);
        *displacement = p;
        return knh_put32(p, 0);
    }
    int base = rm->base & 7, short_disp = rm->disp / unit, mod = 2;
    if (rm->disp == 0 && base != KNH_RBP) /* rbp and r13 have no form without a displacement */
        mod = 0;
    else if (rm->disp % unit == 0 && short_disp >= -128 && short_disp < 128)
        mod = 1;
    if (rm->index >= 0 || base == KNH_RSP) { /* rsp and r12 need a SIB byte */
        int log_scale = rm->index < 0 ? 0 : __builtin_ctz(rm->scale), index = rm->index < 0 ? 4 : rm->index & 7;
        *p++ = (uint8_t)(mod << 6 | reg | 4);
        *p++ = (uint8_t)(log_scale << 6 | index << 3 | base);
    } else
        *p++ = (uint8_t)(mod << 6 | reg | base);
    if (mod == 1)
        *p++ = (uint8_t)short_disp;
    else if (mod == 2)
        p = knh_put32(p, rm->disp);
    return p;
}

/* ---- Vector instructions. */

int knh_row_memory(const knh_row *w, int length)
{
    static const uint8_t bytes[DUP - FULL + 1][3] = {
        [0] = {16, 32, 64},          [HALF - FULL] = {8, 16, 32}, [QUARTER - FULL] = {4, 8, 16},
        [EIGHTH - FULL] = {2, 4, 8}, [B1 - FULL] = {1, 1, 1},     [B2 - FULL] = {2, 2, 2},
        [B4 - FULL] = {4, 4, 4},     [B8 - FULL] = {8, 8, 8},     [B16 - FULL] = {16, 16, 16},
        [B32 - FULL] = {32, 32, 32}, [DUP - FULL] = {8, 32, 64},
    };
    return w->memory == NO ? 0 : bytes[w->memory - FULL][length];
}

typedef knh_listed insn;

const char *knh_bad_memory(const knh_operand *m, int most_index)
{
    if (m->base < -1 || m->base > 15 || m->index < -1 || m->index > most_index)
        return "no such register in an address";
    if (m->scale != 1 && m->scale != 2 && m->scale != 4 && m->scale != 8)
        return "the scale of an index is 1, 2, 4 or 8";
    if (m->base < 0 && m->index >= 0)
        return "the pool has no index";
    if (most_index == 15 && m->index == KNH_RSP)
        return "rsp is no index";
    return NULL;
}

static inline bool fits(int kind, int reg)
{
    static const uint8_t registers[] = {
        [NO] = 1, [V] = 32, [H] = 32, [Q] = 32, [E] = 32, [X] = 32, [Y] = 32, [K] = 8, [R] = 16, [RQ] = 16};
    return (unsigned)reg < registers[kind];
}

static inline const char *bad_rm(const knh_row *w, const knh_operand *rm)
{
    if (!rm->memory) {
        if (rm->broadcast || (w->rm == NO && w->memory != NO) || w->flags & VSIB)
            return "needs a memory operand";
        return fits(w->rm, rm->reg) ? NULL : "no such register";
    }
    if (w->memory == NO)
        return "has no memory operand";
    if (rm->broadcast && !(w->flags & BC))
        return "cannot broadcast its memory operand";
    if (w->flags & VSIB && (rm->index < 0 || rm->base < 0))
        return "needs a base and a vector of indices";
    return knh_bad_memory(rm, w->flags & VSIB ? 31 : 15);
}

/* Some combinations fault though they can be written. */
static const char *bad_gather(const insn *n)
{
    if (n->row->flags & ST)
        return NULL;
    if (n->reg == n->rm->index || (!n->evex && (n->reg == n->v || n->v == n->rm->index)))
        return "the registers of a gather must differ";
    return NULL;
}

static inline const char *bad_mask(const insn *n)
{
    uint32_t flags = n->row->flags;
    if (n->mask < 0 || n->mask > 7 || (n->mask && !(flags & MASK)) || (n->zero && (flags & MZ) != MZ))
        return "has no such write mask";
    if ((flags & NEED || n->zero) && !n->mask)
        return "needs a write mask";
    if (n->zero && flags & ST && n->rm->memory)
        return "stores cannot zero";
    return NULL;
}

static inline const char *bad_imm(const insn *n)
{
    if (!(n->row->flags & IMM))
        return n->imm == -1 ? NULL : "has no immediate";
    if (n->imm < 0 || n->imm > 255 || (n->row->flags & IMM_REG && n->imm & 15))
        return "needs an immediate of 8 bits";
    return NULL;
}

/* Decides between VEX and EVEX. NULL: it can be encoded; else the reason why not. */
static inline const char *bad(insn *n)
{
    const knh_row *w = n->row;
    const knh_operand *rm = n->rm;
    const char *why = bad_rm(w, rm);
    if (why)
        return why;
    if (n->length < 0 || n->length > 2 || !(w->lengths >> n->length & 1))
        return "has no such length";
    if (!fits(w->reg, n->reg) || !fits(w->v, n->v))
        return "no such register";
    bool need_evex = n->length == 2 || n->mask || rm->broadcast || n->reg > 15 || n->v > 15;
    need_evex |= rm->memory ? rm->index > 15 || w->flags & VEX_REG : rm->reg > 15;
    if (need_evex && !(w->flags & EVEX))
        return "has no EVEX form";
    if (n->narrow && (need_evex || !(w->flags & VEX)))
        return "needs AVX-512";
    n->evex = need_evex || !(w->flags & VEX);
    if ((why = bad_mask(n)) || (why = bad_imm(n)))
        return why;
    return w->flags & VSIB ? bad_gather(n) : NULL;
}

static inline uint8_t *put_evex(uint8_t *p, const insn *n, int reg)
{
    const knh_row *w = n->row;
    const knh_operand *rm = n->rm;
    int b = rm->memory ? rm->base & 8 : rm->reg & 8; /* the pool's base, -1, is none: see below */
    int x = rm->memory ? rm->index & 8 : rm->reg & 16, v = n->v;
    if (rm->memory && rm->base < 0)
        b = 0;
    if (rm->memory && rm->index < 0)
        x = 0;
    if (w->flags & VSIB)
        v = rm->index & 16;
    *p++ = 0x62;
    *p++ = (uint8_t)((reg & 8 ? 0 : 0x80) | (x ? 0 : 0x40) | (b ? 0 : 0x20) | (reg & 16 ? 0 : 0x10) | w->map);
    *p++ = (uint8_t)(w->w_evex << 7 | (~v & 15) << 3 | 4 | w->prefix);
    *p++ = (uint8_t)((n->zero ? 0x80 : 0) | n->length << 5 | (rm->broadcast ? 0x10 : 0) | (v & 16 ? 0 : 8) | n->mask);
    return p;
}

uint8_t *knh_put_vex(uint8_t *p, int map, int prefix, int w, int l, int reg, int v, const knh_operand *rm)
{
    int b = rm->memory ? (rm->base < 0 ? 0 : rm->base & 8) : rm->reg & 8;
    int x = rm->memory && rm->index >= 0 ? rm->index & 8 : 0;
    int last = (~v & 15) << 3 | l << 2 | prefix;
    if (map == 1 && !w && !b && !x) {
        *p++ = 0xC5;
        *p++ = (uint8_t)((reg & 8 ? 0 : 0x80) | last);
        return p;
    }
    *p++ = 0xC4;
    *p++ = (uint8_t)((reg & 8 ? 0 : 0x80) | (x ? 0 : 0x40) | (b ? 0 : 0x20) | map);
    *p++ = (uint8_t)(w << 7 | last);
    return p;
}

static void put(knh_asm *a, insn *n)
{
    const knh_row *w = n->row;
    uint8_t *displacement = NULL, *p = knh_begin(a);
    if (!p)
        return;
    const char *why = bad(n);
    if (why) {
        knh_fail(a, why);
        return;
    }
    int reg = w->flags & OPCODE_EXTENSION ? (int)(w->flags >> 16) : n->reg, unit = 1;
    if (n->evex) {
        p = put_evex(p, n, reg);
        if (n->rm->memory)
            unit = n->rm->broadcast ? (w->w_evex ? 8 : 4) : knh_row_memory(w, n->length);
    } else
        p = knh_put_vex(p, w->map, w->prefix, w->w_vex, n->length | (w->flags & L_ONE ? 1 : 0), reg, n->v, n->rm);
    *p++ = w->opcode;
    if (w->reg != NO || w->rm != NO || w->memory != NO)
        p = knh_modrm(p, reg, n->rm, unit, &displacement);
    if (n->imm >= 0)
        *p++ = (uint8_t)n->imm;
    knh_end(a, p, n->rm, displacement);
    if (a->listing)
        knh_list_vector(a, n);
}

void knh_v(knh_asm *a, knh_insn id, int length, int reg, int v, knh_operand rm, int mask, bool zero, int imm)
{
    insn n = {
        .row = &knh_rows[id], .length = length, .reg = reg, .v = v, .rm = &rm, .mask = mask, .zero = zero, .imm = imm};
    n.narrow = a->narrow;
    put(a, &n);
}

void knh_v2(knh_asm *a, knh_insn id, int length, int dst, knh_operand src)
{
    knh_v(a, id, length, dst, 0, src, 0, false, -1);
}

void knh_v3(knh_asm *a, knh_insn id, int length, int dst, int left, knh_operand right)
{
    knh_v(a, id, length, dst, left, right, 0, false, -1);
}

void knh_v2i(knh_asm *a, knh_insn id, int length, int dst, knh_operand src, int imm)
{
    knh_v(a, id, length, dst, 0, src, 0, false, imm);
}

void knh_v3i(knh_asm *a, knh_insn id, int length, int dst, int left, knh_operand right, int imm)
{
    knh_v(a, id, length, dst, left, right, 0, false, imm);
}

void knh_shift(knh_asm *a, knh_insn id, int length, int dst, int src, int count)
{
    knh_v(a, id, length, 0, dst, knh_reg(src), 0, false, count);
}

/* ---- Labels and jumps. */

int knh_label(knh_asm *a)
{
    if (a->label.n < MOST_CODE && KN_VEC_PUSH(&a->label, -1))
        return (int)a->label.n - 1;
    knh_fail(a, NULL);
    return -1;
}

void knh_here(knh_asm *a, int label)
{
    if (a->failed)
        return;
    if (label < 0 || (size_t)label >= a->label.n || a->label.at[label] >= 0)
        knh_fail(a, "no such label, or it has its place");
    else
        a->label.at[label] = (int32_t)a->code.n;
    knh_list(a, "L%d:", label);
}

/* short_opcode: of the form with 8 bits, -1: there is none. */
static void put_jump(knh_asm *a, int label, int short_opcode, int prefix, int opcode)
{
    uint8_t *p = knh_begin(a);
    if (!p)
        return;
    if (label < 0 || (size_t)label >= a->label.n) {
        knh_fail(a, "no such label");
        return;
    }
    knh_list(a,
             prefix           ? "j%s L%d"
             : opcode == 0xE8 ? "call%s L%d"
                              : "jmp%s L%d",
             prefix ? knh_condition_names[opcode & 15] : "", label);
    int64_t back = a->label.at[label] - ((int64_t)a->code.n + 2);
    if (a->label.at[label] >= 0 && back >= -128 && short_opcode >= 0) {
        *p++ = (uint8_t)short_opcode;
        *p++ = (uint8_t)back;
        a->code.n += 2;
        return;
    }
    if (prefix)
        *p++ = (uint8_t)prefix;
    *p++ = (uint8_t)opcode;
    knh_fixup f = {(uint32_t)(p - a->code.at), 0, label};
    p = knh_put32(p, 0);
    f.end = (uint32_t)(p - a->code.at);
    a->code.n = f.end;
    if (!KN_VEC_PUSH(&a->jump, f))
        knh_fail(a, NULL);
}

void knh_jump(knh_asm *a, int label) { put_jump(a, label, 0xEB, 0, 0xE9); }
void knh_jump_if(knh_asm *a, knh_condition c, int label) { put_jump(a, label, 0x70 | (int)c, 0x0F, 0x80 | (int)c); }
void knh_call(knh_asm *a, int label) { put_jump(a, label, -1, 0, 0xE8); }

/* ---- The pool. */

static bool grow_pooled(knh_asm *a)
{
    size_t n = a->pooled.n ? 2 * a->pooled.n : 64;
    knh_pooled *table = knx_alloc_zero(n * sizeof *table);
    if (!table)
        return false;
    for (size_t i = 0; i < a->pooled.n; i++) {
        knh_pooled e = a->pooled.at[i];
        size_t slot = e.hash & (n - 1);
        if (!e.size)
            continue;
        while (table[slot].size)
            slot = (slot + 1) & (n - 1);
        table[slot] = e;
    }
    knx_free(a->pooled.at);
    a->pooled.at = table;
    a->pooled.n = a->pooled.cap = n;
    return true;
}

/* The offset of a new constant, -1: no memory. */
static int32_t append(knh_asm *a, const void *bytes, int size, int align)
{
    size_t at = (a->pool.n + (size_t)align - 1) & ~((size_t)align - 1), end = at + (size_t)size;
    if (end > MOST_CODE || !KN_VEC_RESERVE(&a->pool, end - a->pool.n))
        return -1;
    memset(a->pool.at + a->pool.n, 0, at - a->pool.n);
    memcpy(a->pool.at + at, bytes, (size_t)size);
    a->pool.n = end;
    return (int32_t)at;
}

int32_t knh_pool(knh_asm *a, const void *bytes, int size, int align)
{
    if (a->failed)
        return 0;
    if (size <= 0 || align <= 0 || align > POOL_ALIGN || align & (align - 1)) {
        knh_fail(a, "constants have a size, and an alignment of 1 to 64");
        return 0;
    }
    if (2 * (size_t)a->constants >= a->pooled.n && !grow_pooled(a)) {
        knh_fail(a, NULL);
        return 0;
    }
    uint32_t hash = (uint32_t)knx_hash_bytes(bytes, (size_t)size, 0);
    size_t slot = hash & (a->pooled.n - 1);
    for (; a->pooled.at[slot].size; slot = (slot + 1) & (a->pooled.n - 1)) {
        const knh_pooled *e = &a->pooled.at[slot];
        if (e->hash == hash && e->size == size && !(e->offset & (align - 1)) &&
            !memcmp(a->pool.at + e->offset, bytes, (size_t)size))
            return e->offset;
    }
    int32_t at = append(a, bytes, size, align);
    if (at < 0) {
        knh_fail(a, NULL);
        return 0;
    }
    a->pooled.at[slot] = (knh_pooled){hash, size, at};
    a->constants++;
    return at;
}

/* ---- The end. */

static void resolve_jumps(knh_asm *a)
{
    for (size_t i = 0; i < a->jump.n; i++) {
        knh_fixup f = a->jump.at[i];
        if (a->label.at[f.target] < 0) {
            knh_fail(a, "a label without a place");
            return;
        }
        knh_put32(a->code.at + f.at, a->label.at[f.target] - (int32_t)f.end);
    }
}

bool knh_finish(knh_asm *a)
{
    if (a->failed)
        return false;
    resolve_jumps(a);
    size_t code = a->code.n, pool = a->pool.n ? (code + POOL_ALIGN - 1) & ~(size_t)(POOL_ALIGN - 1) : code;
    if (!KN_VEC_RESERVE(&a->code, pool + a->pool.n - code))
        knh_fail(a, NULL);
    if (a->failed)
        return false;
    for (size_t i = 0; i < a->pool_fixup.n; i++) {
        knh_fixup f = a->pool_fixup.at[i];
        knh_put32(a->code.at + f.at, (int32_t)pool + f.target - (int32_t)f.end);
    }
    if (a->pool.n) {
        memset(a->code.at + code, 0xCC, pool - code);
        memcpy(a->code.at + pool, a->pool.at, a->pool.n);
    }
    a->code.n = pool + a->pool.n;
    knh_list_pool(a);
    return true;
}
