/* SPDX-License-Identifier: Apache-2.0
 * emit.h -- one operation of the kernel IR on one piece of a vector: which registers it wants, and its instructions for
 * AVX-512 (F, VL, BW, DQ) and for AVX2 with FMA, F16C and BMI2. Every form gives the bits of the interpreter's loops.
 *
 * A piece has `lanes` lanes: AVX-512 16, or 8 if the stage has 64-bit values; AVX2 8, or 4. How a dtype is held:
 *   f32 i32 u32               32-bit lanes
 *   i8 i16 u8 u16             32-bit lanes, sign- or zero-extended; every result is extended again
 *   f64 i64 u64               64-bit lanes (register of lanes * 8 bytes)
 *   f16 bf16                  packed 16-bit lanes (lanes * 2 bytes, in the lowest bytes of an xmm or ymm)
 *   bool                      AVX-512: a mask register; AVX2: 32-bit lanes of all ones or all zeros
 * Lanes beyond the end of a tail hold anything; they must not fault (no memory access outside of the mask). So do the
 * bits of a mask register above the lanes. No register changes but the result and the temporaries. */
#ifndef KN_HOST_X86_EMIT_H
#define KN_HOST_X86_EMIT_H
#include "host/x86/x86.h"
#include "kernel/kernel.h"

typedef enum knh_target { KNH_AVX2, KNH_AVX512 } knh_target;
typedef struct knh_form {
    knh_target target;
    int lanes;
} knh_form;

static inline bool knh_is_mask(const knh_form *f, int dtype) { return f->target == KNH_AVX512 && dtype == KN_ID_BOOL; }
/* How long the register of a value is: 0, 1, 2 for 128, 256, 512 bits (128 also for less). */
int knh_length(const knh_form *f, int dtype);
int knh_value_bytes(const knh_form *f, int dtype); /* of a spilled value; masks: 8 */

/* What an operation wants: it depends on dtypes, and on constant operands: a constant shift count and the constant zero
 * of a select are part of the instructions (what is passed for them is not looked at). Any operation may be asked for;
 * `helper` means that there are no instructions for it: store the operands in memory form, call the interpreter's loop
 * (knk_loop) on `lanes` elements, load the result. */
typedef struct knh_needs {
    uint8_t temps, mask_temps; /* registers beside operands and result; they differ from these and from each other */
    uint8_t gp_temps;          /* of RAX-like ones that the caller lends */
    uint8_t memory;            /* bit j: operand j may be a memory operand: a spilled value (knh_value_bytes), or */
    uint8_t broadcast;         /* bit j: one element with {1toN} (AVX-512 only) */
    uint8_t over;              /* bit j: the result may have the register of operand j, if that has one; where that is
                                  the register of other operands too, their bits must be set as well */
    bool helper;               /* DIV and REM of i64 and u64, REM of f32 and f64; nothing else */
    bool commutes;             /* operands 0 and 1 may change places: a memory operand should be the last one */
} knh_needs;
knh_needs knh_emit_needs(const knh_form *f, const knk_inst *n, const knk_inst *nodes);
/* CONST, INDEX, LOAD, STORE and REDUCE are not operations here. dst, src: registers as above. At most one memory
 * operand. BITCAST: src and dst may be the same register. */
void knh_emit_op(knh_asm *a, const knh_form *f, const knk_inst *n, const knk_inst *nodes, int dst,
                 const knh_operand src[3], const int *temp, const int *mask_temp, const int *gp_temp);

/* dst = combine(left, right) of a reduction (docs/determinism.md). dst may be left, but not right alone; right may be
 * memory (a spilled value). Needs 1 temp and 1 mask temp. */
void knh_emit_combine(knh_asm *a, const knh_form *f, knk_reduction how, int dtype, int dst, int left, knh_operand right,
                      int temp, int mask_temp);

/* Which lanes of a piece exist. */
typedef struct knh_tail {
    bool on;          /* false: all */
    bool may_be_none; /* of a load: often enough that it is asked */
    bool loose;       /* the memory around the elements is there, too */
    int mask;         /* AVX-512: k register with a bit per lane; those above the lanes are 0 */
    int mask4, mask8; /* AVX2: vector registers, 32- and 64-bit lanes of ones and zeros (mask8: only if lanes is 4) */
    int count;        /* AVX2: general-purpose register, 0 .. lanes that exist (for 1 and 2 byte elements) */
} knh_tail;
/* Adjacent elements in memory form (size of the dtype each; bool: a byte 0 or 1) to a register and back; lanes that do
 * not exist are neither read (0 then) nor written, nor is a page touched where none is that exists. temp: 2 vector
 * registers, gp_temp: 4, of which the first may be the base of the operand; scratch: 64 bytes of memory. nontemporal:
 * whole registers, aligned. */
void knh_emit_load(knh_asm *a, const knh_form *f, int dtype, int dst, knh_operand from, const knh_tail *t,
                   const int *temp, const int *gp_temp, knh_operand scratch);
void knh_emit_store(knh_asm *a, const knh_form *f, int dtype, int src, knh_operand to, const knh_tail *t,
                    bool nontemporal, const int *temp, const int *gp_temp, knh_operand scratch);
/* For tests: masked instructions read what lies at both ends of what they reach, as if all lanes were there, so that
 * pages without access tell of lanes that lie in them. In code that is made from then on. */
extern bool knh_emit_probes;
void knh_emit_probe(knh_asm *a, knh_operand at, int bytes);
/* One element for all lanes. temp, mask_temp: one each */
void knh_emit_splat(knh_asm *a, const knh_form *f, int dtype, int dst, knh_operand from, int temp, int gp_temp);
/* A constant for all lanes: `bits` as in knk_inst.imm. Returns a memory operand for knh_emit_op (broadcast on AVX-512
 * where bit j of needs.broadcast allows it, else a whole register in the pool); masks have none (memory == false). */
knh_operand knh_constant(knh_asm *a, const knh_form *f, int dtype, uint64_t bits, bool broadcast);
void knh_emit_constant(knh_asm *a, const knh_form *f, int dtype, int dst, uint64_t bits, int gp_temp);
/* Elements at base + index * size: index is a register of 64-bit lanes. pred: a bool value, or -1; lanes that do not
 * exist or whose pred is false are not read and become `other` (register, or -1: zero).
 * temp: 2, mask_temp: 1, gp_temp: 3; scratch: 256 bytes. */
void knh_emit_gather(knh_asm *a, const knh_form *f, int dtype, int dst, int base, int index, int pred, int other,
                     const knh_tail *t, const int *temp, const int *mask_temp, const int *gp_temp, knh_operand scratch);
/* The opposite, one lane after the other in order: for stores with a step. temp: 2, gp_temp: 3; scratch: 256 bytes. */
void knh_emit_scatter(knh_asm *a, const knh_form *f, int dtype, int src, int base, int index, const knh_tail *t,
                      const int *temp, const int *gp_temp, knh_operand scratch);
/* Between lanes and adjacent elements in the lowest bytes of a register. temp: one; pack gives the register that has
 * them, src or temp. */
void knh_emit_unpack(knh_asm *a, const knh_form *f, int dtype, int dst, int packed, int temp);
int knh_emit_pack(knh_asm *a, const knh_form *f, int dtype, int src, int temp);
/* Elements a step apart, all lanes (emit_apart.c). gp: the address of the first one, the step in bytes, and free ones:
 * a third, and a fourth for stores; the address changes. Loads: of 1 and 2 bytes; temp: 3, none of which is dst.
 * Stores: temp: 2. */
void knh_emit_load_apart(knh_asm *a, const knh_form *f, int dtype, int dst, const int *temp, const int *gp);
void knh_emit_store_apart(knh_asm *a, const knh_form *f, int dtype, int src, const int *temp, const int *gp);
/* AVX-512, elements of 4 and 8 bytes, 8 lanes: elements a near step (stage.h) apart from an address on, by whole loads
 * and permutations, and nothing before the first element or behind the last one. temp: one, of stores two. */
void knh_emit_load_near(knh_asm *a, const knh_form *f, int dtype, int step, int dst, knh_operand from, int temp);
void knh_emit_store_near(knh_asm *a, const knh_form *f, int dtype, int step, int src, knh_operand to, const int *temp,
                         int mask, int gp);
/* Joins the lanes of a register of 16 accumulators (or of its pieces, lowest lanes first) by halves, as
 * docs/determinism.md says, and leaves the value in lane 0 of piece[0]. piece: 16 / lanes registers. */
void knh_emit_join_lanes(knh_asm *a, const knh_form *f, knk_reduction how, int dtype, const int *piece, int temp,
                         int temp2, int mask_temp);
/* Stores lane 0 as one element. */
void knh_emit_store_one(knh_asm *a, const knh_form *f, int dtype, int src, knh_operand to, int temp, int gp_temp);
/* Does any lane have a true bool (those beyond a tail too: clear them first)? Sets the flags: KNH_IF_NE means yes. */
void knh_emit_any(knh_asm *a, const knh_form *f, int src, int gp_temp);
void knh_move(knh_asm *a, const knh_form *f, int dtype, int dst, int src);
void knh_spill(knh_asm *a, const knh_form *f, int dtype, knh_operand to, int src); /* a whole register */
void knh_reload(knh_asm *a, const knh_form *f, int dtype, int dst, knh_operand from);
#endif
