/* SPDX-License-Identifier: Apache-2.0
 * x86.h -- an assembler for x86-64 vector code. One function emits every vector instruction from a row of x86.def; it
 * takes the VEX form where that can carry the operands and the EVEX form otherwise (512 bits, registers 16 to 31, a
 * write mask, an embedded broadcast). Intel SDM volume 2, chapters 2.3 and 2.7. */
#ifndef KN_HOST_X86_X86_H
#define KN_HOST_X86_X86_H
#include "base/memory.h"
#include "base/str.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    KNH_RAX, KNH_RCX, KNH_RDX, KNH_RBX, KNH_RSP, KNH_RBP, KNH_RSI, KNH_RDI,
    KNH_R8, KNH_R9, KNH_R10, KNH_R11, KNH_R12, KNH_R13, KNH_R14, KNH_R15
};
/* Vector instructions are named by their mnemonic (KNH_VADDPS, KNH_KANDW), with a suffix where one mnemonic has several
 * forms: _ST to memory (or with rm as the destination), _I by a constant, _K into a mask register, _V a vector register
 * as the mask, _R from registers, _KR and _RK general-purpose to mask register and back, _Q 64-bit integer. */
typedef enum knh_insn {
#define KNH_INSN(id, ...) KNH_##id,
#include "host/x86/x86.def"
#undef KNH_INSN
    KNH_INSN_COUNT
} knh_insn;

/* A register, or memory [base + index * scale + disp], or a place in the constant pool. In gathers and scatters `index`
 * is a vector register, 0 to 31. */
typedef struct knh_operand {
    bool memory, broadcast; /* broadcast: one element for all lanes, EVEX {1toN} */
    int8_t reg;             /* of a register operand */
    int8_t base, index;     /* -1: none; base -1: the pool */
    uint8_t scale;          /* 1, 2, 4, 8 */
    int32_t disp;           /* of the pool: the offset in it */
} knh_operand;
static inline knh_operand knh_reg(int r) { return (knh_operand){.reg = (int8_t)r, .base = -1, .index = -1}; }
static inline knh_operand knh_at(int base, int32_t disp)
{
    return (knh_operand){.memory = true, .base = (int8_t)base, .index = -1, .scale = 1, .disp = disp};
}
static inline knh_operand knh_at_index(int base, int index, int scale, int32_t disp)
{
    return (knh_operand){
        .memory = true, .base = (int8_t)base, .index = (int8_t)index, .scale = (uint8_t)scale, .disp = disp};
}
static inline knh_operand knh_at_pool(int32_t offset)
{
    return (knh_operand){.memory = true, .base = -1, .index = -1, .scale = 1, .disp = offset};
}

typedef struct knh_fixup { uint32_t at, end; int32_t target; } knh_fixup;
typedef struct knh_pooled { uint32_t hash; int32_t size, offset; } knh_pooled;
typedef struct knh_asm {
    KN_VEC(uint8_t) code;
    KN_VEC(uint8_t) pool;
    KN_VEC(knh_fixup) pool_fixup, jump; /* displacements to be filled in: of the pool; of labels */
    KN_VEC(int32_t) label;              /* where it is, -1 not yet */
    KN_VEC(knh_pooled) pooled;          /* hash table of the constants; size 0: free */
    uint32_t constants;                 /* in it */
    knx_str *listing;                   /* gets the text of each instruction, one a line; NULL: nobody reads it */
    bool narrow;                        /* for CPUs without AVX-512: what needs it cannot be encoded */
    bool failed;                        /* no memory; or an instruction that cannot be encoded. Nothing follows */
    const char *why;                    /* of the latter, for tests */
} knh_asm;

void knh_asm_init(knh_asm *a);
void knh_asm_reset(knh_asm *a); /* empty again, keeps its memory */
void knh_asm_free(knh_asm *a);
int32_t knh_pool(knh_asm *a, const void *bytes, int size, int align); /* adds or finds a constant: its offset */
int knh_label(knh_asm *a);
void knh_here(knh_asm *a, int label);
/* Resolves jumps, appends the pool (64-byte aligned); the code is a->code then. false: failed. */
bool knh_finish(knh_asm *a);

/* Any vector or mask instruction. length: 0 = 128, 1 = 256, 2 = 512 bits (0 where it has none); reg: the first operand
 * (destination; source of a store); v: the second register of three-operand forms, else 0; rm: the last one; mask: 0 or
 * k1 .. k7, zero: zeroing instead of merging; imm: 8 bits, -1 none (the fourth register of VBLENDVPS: reg << 4).
 * Shifts by a constant (VPSLLD_I ...): reg is 0, v the destination: use knh_shift. Stores (_ST, VEXTRACT..., VPEXTR...
 * VPMOVDB ..., VCVTPS2PH, VPCOMPRESS..., VPSCATTER...): reg is the source and rm the destination. */
void knh_v(knh_asm *a, knh_insn id, int length, int reg, int v, knh_operand rm, int mask, bool zero, int imm);
/* The common cases of it: dst, one source; dst, two sources; with an immediate. */
void knh_v2(knh_asm *a, knh_insn id, int length, int dst, knh_operand src);
void knh_v3(knh_asm *a, knh_insn id, int length, int dst, int left, knh_operand right);
void knh_v2i(knh_asm *a, knh_insn id, int length, int dst, knh_operand src, int imm);
void knh_v3i(knh_asm *a, knh_insn id, int length, int dst, int left, knh_operand right, int imm);
void knh_shift(knh_asm *a, knh_insn id, int length, int dst, int src, int count);

/* General-purpose, 64 bits wide unless the name says otherwise. */
typedef enum knh_alu { KNH_ADD, KNH_OR, KNH_AND = 4, KNH_SUB, KNH_XOR, KNH_CMP } knh_alu; /* opcode extensions */
typedef enum knh_condition {
    KNH_IF_B = 2, KNH_IF_AE, KNH_IF_E, KNH_IF_NE, KNH_IF_BE, KNH_IF_A, KNH_IF_S, KNH_IF_NS,
    KNH_IF_L = 12, KNH_IF_GE, KNH_IF_LE, KNH_IF_G
} knh_condition;
void knh_mov(knh_asm *a, int dst, int src);
void knh_mov_number(knh_asm *a, int dst, int64_t v);
void knh_load(knh_asm *a, int dst, knh_operand from);                          /* 8 bytes */
void knh_store(knh_asm *a, knh_operand to, int src);
void knh_load_part(knh_asm *a, int size, bool sign, int dst, knh_operand from); /* 1, 2, 4 bytes, extended to 64 bits */
void knh_store_part(knh_asm *a, int size, knh_operand to, int src);
void knh_lea(knh_asm *a, int dst, knh_operand from);
void knh_alu_reg(knh_asm *a, knh_alu op, int dst, int src);
void knh_alu_number(knh_asm *a, knh_alu op, int dst, int32_t v);
void knh_alu_load(knh_asm *a, knh_alu op, int dst, knh_operand from);
void knh_alu_store(knh_asm *a, knh_alu op, knh_operand to, int src);           /* memory = memory op src */
void knh_test(knh_asm *a, int x, int y);
void knh_imul(knh_asm *a, int dst, knh_operand from);
void knh_shl(knh_asm *a, int dst, int count);
void knh_sar(knh_asm *a, int dst, int count);
void knh_shr(knh_asm *a, int dst, int count);
void knh_cmov(knh_asm *a, knh_condition c, int dst, int src);
void knh_bzhi(knh_asm *a, int dst, int src, int count);                        /* dst = the lowest `count` bits of it */
void knh_bt(knh_asm *a, int x, int bit_number);                                /* carry = that bit (constant number) */
void knh_jump(knh_asm *a, int label);
void knh_jump_if(knh_asm *a, knh_condition c, int label);
void knh_call(knh_asm *a, int label);
void knh_call_reg(knh_asm *a, int r);
void knh_push(knh_asm *a, int r);
void knh_pop(knh_asm *a, int r);
void knh_ret(knh_asm *a);
void knh_align(knh_asm *a, int bytes);                                         /* with long no-ops */
void knh_prefetch(knh_asm *a, knh_operand from, int hint);                     /* 0: nta, 1: t0, 2: t1, 3: t2 */
void knh_sfence(knh_asm *a);

/* Tiles (AMX), registers 0 to 7: rows of bytes at base + disp, `stride` bytes (a register) apart. dst += products of
 * bytes of left's rows and right's columns, four at a time. */
void knh_tmm_configure(knh_asm *a, knh_operand from); /* 64 bytes; makes all tiles zero */
void knh_tmm_release(knh_asm *a);
void knh_tmm_zero(knh_asm *a, int t);
void knh_tmm_load(knh_asm *a, int t, int base, int stride, int32_t disp);
void knh_tmm_load_once(knh_asm *a, int t, int base, int stride, int32_t disp); /* past the first cache */
void knh_tmm_store(knh_asm *a, int t, int base, int stride, int32_t disp);
void knh_tmm_dot(knh_asm *a, bool left_signed, bool right_signed, int dst, int left, int right);
#endif
