/* SPDX-License-Identifier: Apache-2.0
 * stage.h -- a stage on its way to WebAssembly: what the files of host/wasm/ share. A value is in v128 locals, `lanes`
 * elements side by side; what is the same for all lanes is in one local. A bool is ones or zeros in each lane, as wide
 * as what it was compared from; it becomes narrower or wider where it is used. */
#ifndef KN_HOST_WASM_STAGE_H
#define KN_HOST_WASM_STAGE_H
#include "host/stage/order.h"
#include "host/wasm/encode.h"
#include "kernel/internal.h"

enum { KNH_WASM_TEMPS = 8, KNH_WASM_CONSTANTS = 64 };
enum { KNH_WASM_GUARDS = 8 };
enum { KNH_WASM_CALL_BYTES = 128 }; /* of an operand of a called loop: 16 lanes of 8 bytes */

/* Items, of those for a piece, that have a form for small numbers of a value. */
typedef struct knh_wasm_guard {
    int first, last;
    knk_node base;
} knh_wasm_guard;

typedef struct knh_wasm_stage {
    knh_order o;
    knh_wasm_function f;
    bool fused;      /* there is relaxed SIMD, and its multiply-add rounds once */
    bool cuts;       /* its truncation gives the least integer for what does not fit */
    bool failed;     /* something has no form here */
    bool brief;      /* so few operations that 64 lanes can be written one after the other */
    bool narrow;     /* between the widest piece and single lanes there is one of four */
    int lanes, most; /* of the piece that is being written; of the widest one */
    uint8_t *width;  /* per node: bytes of a lane; bools: of the mask, constants 0 */
    int32_t *local;  /* per node: its first v128 local, -1: none yet */
    int first_i64, first_v128, temp;
    int32_t *base, *walk, *step; /* per stream: of the row, of the lanes, from lane to lane: i32 locals, or i64 ones */
    int32_t *hop;                /* from row to row, where rows are joined together */
    int frame, at, index, counter, group, asking; /* i32 locals */
    int rows, n, left;                     /* i64 locals */
    int turn, mask;                        /* i64 locals, v128 parts of each loop */
    int fma_constants;                     /* v128 locals, where multiply-adds are not fused */
    int frame_bytes, call_at;              /* the frame in the stack: accumulators, then operands of a call */
    int32_t *accumulator;                  /* per node: where in the frame */
    int32_t *kept;                         /* per node: the first v128 local of its accumulators, */
    bool together;                         /* columns: several rows are joined with accumulators in locals */
    int chunk;                             /* of which a piece meets those from chunk * lanes on; -1: those in memory */
    int n_constant;                        /* vectors that are the same number everywhere, set before all else */
    struct {
        uint64_t bits; /* of 8 bytes */
        int local;
    } constant[KNH_WASM_CONSTANTS];
    knh_wasm_guard guard[KNH_WASM_GUARDS];
    int n_guard;
    uint8_t *guarded;    /* per node: by which guard, counted from 1 */
    size_t constants_at; /* where in the code they are set */
} knh_wasm_stage;

static inline const knk_inst *knh_wasm_node(const knh_wasm_stage *s, knk_node x) { return &s->o.k->node[x]; }
static inline int knh_wasm_log2(int size) { return size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3; }

/* value.c */
void knh_wasm_find_widths(knh_wasm_stage *s);
int knh_wasm_most_lanes(knh_wasm_stage *s); /* sets `narrow`, too */
int knh_wasm_new(knh_wasm_stage *s, int parts); /* v128 locals */
bool knh_wasm_is_once(const knh_wasm_stage *s, knk_node x);
int knh_wasm_parts_of(const knh_wasm_stage *s, int width); /* of a value of the piece */
int knh_wasm_parts(const knh_wasm_stage *s, knk_node x);
int knh_wasm_own(knh_wasm_stage *s, knk_node x, int part); /* the local that holds it */
/* Pushes a part of a value; of a bool as lanes of so many bytes (others: 0). */
void knh_wasm_push(knh_wasm_stage *s, knk_node x, int part, int width);
void knh_wasm_push_mask(knh_wasm_stage *s, int local, int parts, int from, int part, int width);
void knh_wasm_pop(knh_wasm_stage *s, knk_node x, int part);
/* Pushes a vector of one number: engines make it anew wherever it is written, so it is written once. */
void knh_wasm_push_constant(knh_wasm_stage *s, uint64_t bits, int size);
void knh_wasm_set_constants(knh_wasm_stage *s); /* when all else is written */
/* a, b and a mask lie on the stack: a where the mask has ones. Lanes of so many bytes are ones or zeros. */
void knh_wasm_blend(knh_wasm_stage *s, int width);
void knh_wasm_push_byte_bool(knh_wasm_stage *s, knk_node x, int part); /* as memory has it */
/* Pushes an i32: is any lane true, are all of them? */
void knh_wasm_push_any(knh_wasm_stage *s, knk_node x);
void knh_wasm_push_any_of(knh_wasm_stage *s, int local, int parts, int width);
void knh_wasm_push_all(knh_wasm_stage *s, knk_node x);
void knh_wasm_push_lane(knh_wasm_stage *s, knk_node pred, int lane); /* i32: not 0 where true */

/* arith.c, scale.c, cast.c, call.c: the value of a node, into its locals */
void knh_wasm_compute(knh_wasm_stage *s, knk_node x);
void knh_wasm_cast(knh_wasm_stage *s, knk_node x);
void knh_wasm_scale(knh_wasm_stage *s, knk_node x);
/* p * 2^n, where n is such that 2^n is a number whenever y lies between -most and most, and its form for those. */
bool knh_wasm_scale_is_near(const knh_wasm_stage *s, knk_node x, knk_node y, double most);
void knh_wasm_scale_near(knh_wasm_stage *s, knk_node x);
void knh_wasm_call_loop(knh_wasm_stage *s, knk_node x, int row, int dtype);
/* a joined with b, which lie on the stack in this order: kernel/internal.h's reductions. dtype bool: masks of bytes */
void knh_wasm_combine(knh_wasm_stage *s, int how, int dtype);

/* guard.c */
void knh_wasm_find_guards(knh_wasm_stage *s);
int knh_wasm_guarded(knh_wasm_stage *s, int item); /* writes what a guard has from an item on; the item behind it */

/* memory.c */
void knh_wasm_load(knh_wasm_stage *s, knk_node x);
void knh_wasm_load_stream(knh_wasm_stage *s, int stream, knk_node x);
void knh_wasm_store(knh_wasm_stage *s, int stream, knk_node x);
void knh_wasm_advance(knh_wasm_stage *s); /* walks over the lanes of a piece */
void knh_wasm_index_value(knh_wasm_stage *s, knk_node x);
/* a vector of the piece at the address on the stack: its parts one by one */
void knh_wasm_load_part(knh_wasm_stage *s, int size, int part);
void knh_wasm_store_part(knh_wasm_stage *s, int size, int part); /* the value is above the address */

/* loops.c */
void knh_wasm_loop_item(knh_wasm_stage *s, const knh_item *item, int out, int *open);

/* reduce.c */
void knh_wasm_reduce(knh_wasm_stage *s, knk_node x);
void knh_wasm_load_columns(knh_wasm_stage *s); /* what several rows are joined with, */
void knh_wasm_store_columns(knh_wasm_stage *s);
bool knh_wasm_keeps(const knh_wasm_stage *s); /* are accumulators in locals, for 64 elements at a time? */
void knh_wasm_begin_kept(knh_wasm_stage *s);
void knh_wasm_end_kept(knh_wasm_stage *s);
void knh_wasm_begin_rows(knh_wasm_stage *s);
void knh_wasm_end_rows(knh_wasm_stage *s);

/* lower.c: the function of a request; NotImplementedError where it has no form */
knx_error *knh_wasm_lower(const knh_request *r, bool fused, bool cuts, knh_wasm_function *out);
#endif
