/* SPDX-License-Identifier: Apache-2.0
 * numbers.h -- what the operations of the kernel IR are in WGSL (docs/wgsl.md, "Numbers"): an expression for each
 * operation and dtype, and the helper functions that expressions call, each written once.
 *
 * A value of the IR is a value of WGSL:
 *
 *     bool        bool
 *     i8 i16 i32  i32, always in the dtype's range      u8 u16 u32  u32, likewise
 *     i64 u64     vec2<u32>: low word, high word        f32         f32
 *     f16 bf16    u32, the bits in its lower half; only constants, casts, bitcasts and select take and give them
 *
 * Operands are given as text. They are written more than once and beside operators, so they are names, literals as
 * knw_const writes them, or calls without effects. What is appended can be an operand itself. */
#ifndef KN_WGSL_NUMBERS_H
#define KN_WGSL_NUMBERS_H
#include "base/str.h"
#include "wgsl/wgsl.h"

/* Which helpers a text needs. `facts`, `exact` and `hidden` are the caller's to set. */
typedef struct knw_unit {
    const knw_facts *facts;
    bool exact;         /* the host's bits; else the device's own operations */
    const char *hidden; /* WGSL, an u32 that functions at module scope can read, 0 at every launch: "kn_w[0].z" */
    uint64_t want[4];   /* by number of helper */
    uint64_t joins[6][KNK_RED_XOR + 1]; /* per knw_join_kind and reduction a bit per dtype: the function is there */
    uint32_t shared_rows; /* per dtype: memory of the workgroup */
    bool subgroups;       /* invocations exchange values within subgroups */
} knw_unit;

/* Is a value of the dtype two words? */
static inline bool knw_is_wide(int dtype) { return dtype == KN_ID_I64 || dtype == KN_ID_U64; }
/* The type of values of a dtype; NULL for those that are never in a kernel on this device (float64, complex, keys). */
const char *knw_type(int dtype);
/* A constant of any dtype with a type, by its bits. */
void knw_const(knw_unit *u, knx_str *t, int dtype, uint64_t bits);
/* The value of an operation: CONST, ADD to SELECT, CAST and BITCAST. Of the node, op, dtype and imm are read, and of an
 * FMA sub: KNW_RESIDUE if what it is about are the product's last bits, which must not be rounded away. */
enum { KNW_RESIDUE = 1 };
void knw_expr(knw_unit *u, knx_str *t, const knk_inst *n, const uint8_t operand_dtype[3], const char *const operand[3]);
/* The same by parts: an operation of operands of one dtype; a conversion as knx_convert. */
void knw_apply(knw_unit *u, knx_str *t, knk_op op, int dtype, const char *a, const char *b, const char *c);
void knw_cast(knw_unit *u, knx_str *t, int from, int to, const char *a);
/* Two partial results of a reduction joined, `left` of the smaller positions, and what it begins with. */
void knw_join(knw_unit *u, knx_str *t, knk_reduction how, int dtype, const char *left, const char *right);
void knw_identity(knw_unit *u, knx_str *t, knk_reduction how, int dtype);

/* All helpers that were wanted so far and those that they call, in an order that is always the same. */
void knw_helpers(const knw_unit *u, knx_str *t);
/* A helper by its name, "kn_mul_u32_wide", for texts that call it themselves. */
void knw_want(knw_unit *u, const char *name);

/* memory.c: an element of one or two bytes, number `at` of an array of words: as an expression whose lowest bits it is;
 * written by two atomic operations, as statements, so that neighbours can be written at the same time. */
void knw_part_of_word(knx_str *t, const char *words, bool atomic, const char *at, int size);
void knw_put_part(knx_str *t, const char *words, const char *at, int size, const char *bits);
#endif
