/* SPDX-License-Identifier: Apache-2.0
 * emit_recipe.h -- what the files emit*.c share: a recipe says for which dtypes and targets it stands, what the
 * instructions want, and how they are written. */
#ifndef KN_HOST_X86_EMIT_RECIPE_H
#define KN_HOST_X86_EMIT_RECIPE_H
#include "host/x86/emit.h"
#include "kernel/internal.h"

#define KNG_SET(id) (1u << KN_ID_##id)
enum {
    KNG_BOOLS = KNG_SET(BOOL),
    KNG_SMALL_S = KNG_SET(I8) | KNG_SET(I16),
    KNG_SMALL_U = KNG_SET(U8) | KNG_SET(U16),
    KNG_SMALL = KNG_SMALL_S | KNG_SMALL_U, /* integers that live in lanes wider than they are */
    KNG_W32 = KNG_SET(I32) | KNG_SET(U32),
    KNG_W64 = KNG_SET(I64) | KNG_SET(U64),
    KNG_HALVES = KNG_SET(F16) | KNG_SET(BF16),
    KNG_2 = 1 << KNG_AVX2, KNG_512 = 1 << KNG_AVX512, KNG_BOTH = KNG_2 | KNG_512
};
static inline bool kng_in(uint32_t set, int dtype) { return set >> dtype & 1; }

typedef struct kng_recipe kng_recipe;
/* One operation that is being written. */
typedef struct kng_op {
    kng_asm *a;
    const kng_form *f;
    const kng_recipe *recipe;
    const knk_inst *n, *nodes;
    int from, to; /* dtype of the operands (select: of the values), of the result */
    int len;      /* kng_length of `from` */
    int dst;
    const kng_operand *src;
    const int *temp, *mask, *gp;
} kng_op;
struct kng_recipe {
    uint16_t from, to; /* sets of dtypes; to: casts only */
    uint8_t targets;
    uint8_t temps, mask_temps, gp_temps, memory, broadcast, over; /* as in kng_needs */
    bool commutes, extend;                                        /* extend: the result is a small integer again */
    uint16_t insn;
    int imm; /* of the instruction, or another one */
    void (*emit)(const kng_op *o);
};
/* By operation; each list ends with one for no dtype. NULL: there is none. */
extern const kng_recipe *const kng_float_recipes[KNK_OP_COUNT], *const kng_int_recipes[KNK_OP_COUNT],
    *const kng_bool_recipes[KNK_OP_COUNT];
extern const kng_recipe kng_div_recipes[], kng_rem_recipes[]; /* of integers */
/* select where one side is the constant zero: the no side, or (AVX2) the yes side */
const kng_recipe *kng_select_zero(const kng_form *f, int dtype, bool no);
/* CAST and BITCAST */
kng_needs kng_cast_needs(const kng_form *f, int from, int to, bool bits);
void kng_cast(const kng_op *o, bool bits);

/* A pattern for all lanes, as the last operand: of 32 or 64 bits. */
kng_operand kng_lanes32(kng_asm *a, const kng_form *f, uint32_t bits);
kng_operand kng_lanes64(kng_asm *a, const kng_form *f, uint64_t bits);
/* dst = the low bits of src, as a small integer lives in a lane */
void kng_extend(kng_asm *a, const kng_form *f, int dtype, int dst, int src);
void kng_flip(kng_asm *a, const kng_form *f, int len, int dst, int src); /* AVX2: the opposite of a bool */
void kng_narrow(kng_asm *a, int dst, int src); /* AVX2: the low halves of four 64-bit lanes */
/* AVX2: the low 16 bits of 32-bit lanes of at most 65,535, packed */
void kng_pack16(kng_asm *a, const kng_form *f, int dst, int src);
void kng_copy(kng_asm *a, int len, int dst, kng_operand src); /* vector; nothing if it is there already */
void kng_zero(kng_asm *a, int dst);

/* Frequent forms. */
void kng_emit_two(const kng_op *o);  /* insn dst, a, b */
void kng_emit_one(const kng_op *o);  /* insn dst, a */
void kng_emit_copy(const kng_op *o); /* dst = a */
void kng_emit_blend(const kng_op *o); /* select of numbers */
static inline bool kng_wide(const kng_form *f) { return f->target == KNG_AVX512; }
#endif
