/* SPDX-License-Identifier: Apache-2.0
 * emit_recipe.h -- what the files emit*.c share: a recipe says for which dtypes and targets it stands, what the
 * instructions want, and how they are written. */
#ifndef KN_HOST_X86_EMIT_RECIPE_H
#define KN_HOST_X86_EMIT_RECIPE_H
#include "host/x86/emit.h"
#include "kernel/internal.h"

#define KNH_SET(id) (1u << KN_ID_##id)
enum {
    KNH_BOOLS = KNH_SET(BOOL),
    KNH_SMALL_S = KNH_SET(I8) | KNH_SET(I16),
    KNH_SMALL_U = KNH_SET(U8) | KNH_SET(U16),
    KNH_SMALL = KNH_SMALL_S | KNH_SMALL_U, /* integers that live in lanes wider than they are */
    KNH_W32 = KNH_SET(I32) | KNH_SET(U32),
    KNH_W64 = KNH_SET(I64) | KNH_SET(U64),
    KNH_HALVES = KNH_SET(F16) | KNH_SET(BF16),
    KNH_2 = 1 << KNH_AVX2, KNH_512 = 1 << KNH_AVX512, KNH_BOTH = KNH_2 | KNH_512
};
static inline bool knh_in(uint32_t set, int dtype) { return set >> dtype & 1; }

typedef struct knh_recipe knh_recipe;
/* One operation that is being written. */
typedef struct knh_op {
    knh_asm *a;
    const knh_form *f;
    const knh_recipe *recipe;
    const knk_inst *n, *nodes;
    int from, to; /* dtype of the operands (select: of the values), of the result */
    int len;      /* knh_length of `from` */
    int dst;
    const knh_operand *src;
    const int *temp, *mask, *gp;
} knh_op;
struct knh_recipe {
    uint16_t from, to; /* sets of dtypes; to: casts only */
    uint8_t targets;
    uint8_t temps, mask_temps, gp_temps, memory, broadcast, over; /* as in knh_needs */
    bool commutes, extend;                                        /* extend: the result is a small integer again */
    uint16_t insn;
    int imm; /* of the instruction, or another one */
    void (*emit)(const knh_op *o);
};
/* By operation; each list ends with one for no dtype. NULL: there is none. */
extern const knh_recipe *const knh_float_recipes[KNK_OP_COUNT], *const knh_int_recipes[KNK_OP_COUNT],
    *const knh_bool_recipes[KNK_OP_COUNT];
extern const knh_recipe knh_div_recipes[], knh_rem_recipes[]; /* of integers */
/* select where one side is the constant zero: the no side, or (AVX2) the yes side */
const knh_recipe *knh_select_zero(const knh_form *f, int dtype, bool no);
/* CAST and BITCAST */
knh_needs knh_cast_needs(const knh_form *f, int from, int to, bool bits);
void knh_cast(const knh_op *o, bool bits);

/* A pattern for all lanes, as the last operand: of 32 or 64 bits. */
knh_operand knh_lanes32(knh_asm *a, const knh_form *f, uint32_t bits);
knh_operand knh_lanes64(knh_asm *a, const knh_form *f, uint64_t bits);
/* dst = the low bits of src, as a small integer lives in a lane */
void knh_extend(knh_asm *a, const knh_form *f, int dtype, int dst, int src);
void knh_flip(knh_asm *a, const knh_form *f, int len, int dst, int src); /* AVX2: the opposite of a bool */
void knh_narrow(knh_asm *a, int dst, int src); /* AVX2: the low halves of four 64-bit lanes */
/* AVX2: the low 16 bits of 32-bit lanes of at most 65,535, packed */
void knh_pack16(knh_asm *a, const knh_form *f, int dst, int src);
void knh_copy(knh_asm *a, int len, int dst, knh_operand src); /* vector; nothing if it is there already */
void knh_zero(knh_asm *a, int dst);

/* Frequent forms. */
void knh_emit_two(const knh_op *o);  /* insn dst, a, b */
void knh_emit_one(const knh_op *o);  /* insn dst, a */
void knh_emit_copy(const knh_op *o); /* dst = a */
void knh_emit_blend(const knh_op *o); /* select of numbers */
static inline bool knh_wide(const knh_form *f) { return f->target == KNH_AVX512; }
#endif
