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
    KNG_RAX, KNG_RCX, KNG_RDX, KNG_RBX, KNG_RSP, KNG_RBP, KNG_RSI, KNG_RDI,
    KNG_R8, KNG_R9, KNG_R10, KNG_R11, KNG_R12, KNG_R13, KNG_R14, KNG_R15
};
/* Vector instructions are named by their mnemonic (KNG_VADDPS, KNG_KANDW), with a suffix where one mnemonic has several
 * forms: _ST to memory (or with rm as the destination), _I by a constant, _K into a mask register, _V a vector register
 * as the mask, _R from registers, _KR and _RK general-purpose to mask register and back, _Q 64-bit integer. */
typedef enum kng_insn {
#define KNG_INSN(id, ...) KNG_##id,
#include "host/x86/x86.def"
#undef KNG_INSN
    KNG_INSN_COUNT
} kng_insn;

/* A register, or memory [base + index * scale + disp], or a place in the constant pool. In gathers and scatters `index`
 * is a vector register, 0 to 31. */
typedef struct kng_operand {
    bool memory, broadcast; /* broadcast: one element for all lanes, EVEX {1toN} */
    int8_t reg;             /* of a register operand */
    int8_t base, index;     /* -1: none; base -1: the pool */
    uint8_t scale;          /* 1, 2, 4, 8 */
    int32_t disp;           /* of the pool: the offset in it */
} kng_operand;
static inline kng_operand kng_reg(int r) { return (kng_operand){.reg = (int8_t)r, .base = -1, .index = -1}; }
static inline kng_operand kng_at(int base, int32_t disp)
{
    return (kng_operand){.memory = true, .base = (int8_t)base, .index = -1, .scale = 1, .disp = disp};
}
static inline kng_operand kng_at_index(int base, int index, int scale, int32_t disp)
{
    return (kng_operand){
        .memory = true, .base = (int8_t)base, .index = (int8_t)index, .scale = (uint8_t)scale, .disp = disp};
}
static inline kng_operand kng_at_pool(int32_t offset)
{
    return (kng_operand){.memory = true, .base = -1, .index = -1, .scale = 1, .disp = offset};
}

typedef struct kng_fixup { uint32_t at, end; int32_t target; } kng_fixup;
typedef struct kng_pooled { uint32_t hash; int32_t size, offset; } kng_pooled;
typedef struct kng_asm {
    KN_VEC(uint8_t) code;
    KN_VEC(uint8_t) pool;
    KN_VEC(kng_fixup) pool_fixup, jump; /* displacements to be filled in: of the pool; of labels */
    KN_VEC(int32_t) label;              /* where it is, -1 not yet */
    KN_VEC(kng_pooled) pooled;          /* hash table of the constants; size 0: free */
    uint32_t constants;                 /* in it */
    kn_str *listing;                    /* gets the text of each instruction, one a line; NULL: nobody reads it */
    bool failed;                        /* no memory; or an instruction that cannot be encoded. Nothing follows */
    const char *why;                    /* of the latter, for tests */
} kng_asm;

void kng_asm_init(kng_asm *a);
void kng_asm_reset(kng_asm *a); /* empty again, keeps its memory */
void kng_asm_free(kng_asm *a);
int32_t kng_pool(kng_asm *a, const void *bytes, int size, int align); /* adds or finds a constant: its offset */
int kng_label(kng_asm *a);
void kng_here(kng_asm *a, int label);
/* Resolves jumps, appends the pool (64-byte aligned); the code is a->code then. false: failed. */
bool kng_finish(kng_asm *a);

/* Any vector or mask instruction. length: 0 = 128, 1 = 256, 2 = 512 bits (0 where it has none); reg: the first operand
 * (destination; source of a store); v: the second register of three-operand forms, else 0; rm: the last one; mask: 0 or
 * k1 .. k7, zero: zeroing instead of merging; imm: 8 bits, -1 none (the fourth register of VBLENDVPS: reg << 4).
 * Shifts by a constant (VPSLLD_I ...): reg is 0, v the destination: use kng_shift. Stores (_ST, VEXTRACT..., VPEXTR...
 * VPMOVDB ..., VCVTPS2PH, VPCOMPRESS..., VPSCATTER...): reg is the source and rm the destination. */
void kng_v(kng_asm *a, kng_insn id, int length, int reg, int v, kng_operand rm, int mask, bool zero, int imm);
/* The common cases of it: dst, one source; dst, two sources; with an immediate. */
void kng_v2(kng_asm *a, kng_insn id, int length, int dst, kng_operand src);
void kng_v3(kng_asm *a, kng_insn id, int length, int dst, int left, kng_operand right);
void kng_v2i(kng_asm *a, kng_insn id, int length, int dst, kng_operand src, int imm);
void kng_v3i(kng_asm *a, kng_insn id, int length, int dst, int left, kng_operand right, int imm);
void kng_shift(kng_asm *a, kng_insn id, int length, int dst, int src, int count);

/* General-purpose, 64 bits wide unless the name says otherwise. */
typedef enum kng_alu { KNG_ADD, KNG_OR, KNG_AND = 4, KNG_SUB, KNG_XOR, KNG_CMP } kng_alu; /* opcode extensions */
typedef enum kng_condition {
    KNG_IF_B = 2, KNG_IF_AE, KNG_IF_E, KNG_IF_NE, KNG_IF_BE, KNG_IF_A, KNG_IF_S, KNG_IF_NS,
    KNG_IF_L = 12, KNG_IF_GE, KNG_IF_LE, KNG_IF_G
} kng_condition;
void kng_mov(kng_asm *a, int dst, int src);
void kng_mov_number(kng_asm *a, int dst, int64_t v);
void kng_load(kng_asm *a, int dst, kng_operand from);                          /* 8 bytes */
void kng_store(kng_asm *a, kng_operand to, int src);
void kng_load_part(kng_asm *a, int size, bool sign, int dst, kng_operand from); /* 1, 2, 4 bytes, extended to 64 bits */
void kng_store_part(kng_asm *a, int size, kng_operand to, int src);
void kng_lea(kng_asm *a, int dst, kng_operand from);
void kng_alu_reg(kng_asm *a, kng_alu op, int dst, int src);
void kng_alu_number(kng_asm *a, kng_alu op, int dst, int32_t v);
void kng_alu_load(kng_asm *a, kng_alu op, int dst, kng_operand from);
void kng_alu_store(kng_asm *a, kng_alu op, kng_operand to, int src);           /* memory = memory op src */
void kng_test(kng_asm *a, int x, int y);
void kng_imul(kng_asm *a, int dst, kng_operand from);
void kng_shl(kng_asm *a, int dst, int count);
void kng_sar(kng_asm *a, int dst, int count);
void kng_shr(kng_asm *a, int dst, int count);
void kng_cmov(kng_asm *a, kng_condition c, int dst, int src);
void kng_bzhi(kng_asm *a, int dst, int src, int count);                        /* dst = the lowest `count` bits of it */
void kng_bt(kng_asm *a, int x, int bit_number);                                /* carry = that bit (constant number) */
void kng_jump(kng_asm *a, int label);
void kng_jump_if(kng_asm *a, kng_condition c, int label);
void kng_call(kng_asm *a, int label);
void kng_call_reg(kng_asm *a, int r);
void kng_push(kng_asm *a, int r);
void kng_pop(kng_asm *a, int r);
void kng_ret(kng_asm *a);
void kng_align(kng_asm *a, int bytes);                                         /* with long no-ops */
void kng_prefetch(kng_asm *a, kng_operand from, int hint);                     /* 0: nta, 1: t0, 2: t1, 3: t2 */
void kng_sfence(kng_asm *a);

/* Tiles (AMX), registers 0 to 7: rows of bytes at base + disp, `stride` bytes (a register) apart. dst += products of
 * bytes of left's rows and right's columns, four at a time. */
void kng_tmm_configure(kng_asm *a, kng_operand from); /* 64 bytes; makes all tiles zero */
void kng_tmm_release(kng_asm *a);
void kng_tmm_zero(kng_asm *a, int t);
void kng_tmm_load(kng_asm *a, int t, int base, int stride, int32_t disp);
void kng_tmm_load_once(kng_asm *a, int t, int base, int stride, int32_t disp); /* past the first cache */
void kng_tmm_store(kng_asm *a, int t, int base, int stride, int32_t disp);
void kng_tmm_dot(kng_asm *a, bool left_signed, bool right_signed, int dst, int left, int right);
#endif
