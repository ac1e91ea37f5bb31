/* SPDX-License-Identifier: Apache-2.0
 * encode.h -- a WebAssembly module as bytes: instructions by the table ops.def, functions with their locals, and the
 * module around them (WebAssembly core specification 2.0, section 5; relaxed SIMD). */
#ifndef KN_HOST_WASM_ENCODE_H
#define KN_HOST_WASM_ENCODE_H
#include "base/str.h"

/* Instructions: those of v128 and the two-byte ones carry their prefix in the upper bits. */
typedef enum knh_wasm_op {
#define KNH_WASM_OP(id, code, text) KNH_WASM_##id = code,
#include "host/wasm/ops.def"
#undef KNH_WASM_OP
} knh_wasm_op;
enum { KNH_WASM_TYPE_I32 = 0x7f, KNH_WASM_TYPE_I64 = 0x7e, KNH_WASM_TYPE_V128 = 0x7b, KNH_WASM_NO_TYPE = 0x40 };

/* The types of functions that a module knows. */
typedef enum knh_wasm_signature {
    KNH_WASM_STAGE, /* (args) */
    KNH_WASM_LANES, /* (d, a, b, c, n): kernel/internal.h's knk_loop */
    KNH_WASM_ASK,   /* (asking) -> i64 */
    KNH_WASM_THREE, /* (v128, v128, v128) -> v128 */
    KNH_WASM_SIGNATURES
} knh_wasm_signature;

/* A function on its way: locals of a type have adjacent numbers, so those of v128, of which there may be any number,
 * come last. Local 0 is the argument. */
typedef struct knh_wasm_function {
    knx_str code;
    int n_i32, n_i64, n_v128; /* beside the argument; the first two are fixed before the first instruction */
    int depth;                /* of blocks, for branches */
    int set;                  /* the local that the last instruction has set, */
    size_t set_at, set_end;   /* if it ends here */
} knh_wasm_function;

void knh_wasm_byte(knx_str *t, unsigned byte);
void knh_wasm_unsigned(knx_str *t, uint64_t value);
void knh_wasm_signed(knx_str *t, int64_t value);

void knh_wasm_op0(knh_wasm_function *f, knh_wasm_op op);
void knh_wasm_get(knh_wasm_function *f, int local);
void knh_wasm_set(knh_wasm_function *f, int local);
void knh_wasm_tee(knh_wasm_function *f, int local);
void knh_wasm_i32(knh_wasm_function *f, int32_t value);
void knh_wasm_i64(knh_wasm_function *f, int64_t value);
void knh_wasm_v128(knh_wasm_function *f, const uint8_t bytes[16]);
void knh_wasm_splat(knh_wasm_function *f, uint64_t bits, int size); /* a constant: the same element everywhere */
/* Loads and stores: the address is on the stack; nothing is assumed about its alignment. */
void knh_wasm_memory(knh_wasm_function *f, knh_wasm_op op, int64_t offset);
void knh_wasm_memory_lane(knh_wasm_function *f, knh_wasm_op op, int64_t offset, int lane);
void knh_wasm_lane(knh_wasm_function *f, knh_wasm_op op, int lane);
void knh_wasm_shuffle(knh_wasm_function *f, const uint8_t from[16]);
/* Blocks. A branch goes to the block that was the `depth`-th when it was opened. */
int knh_wasm_open(knh_wasm_function *f, knh_wasm_op op); /* BLOCK, LOOP, IF; its depth */
void knh_wasm_close(knh_wasm_function *f);
void knh_wasm_branch(knh_wasm_function *f, knh_wasm_op op, int depth);  /* BR, BR_IF */
/* What g does is done where f's code was so long; g's code is freed. */
void knh_wasm_insert(knh_wasm_function *f, size_t at, knh_wasm_function *g);
void knh_wasm_call(knh_wasm_function *f, knh_wasm_signature signature); /* the place in the table is on the stack */

/* The module of n functions: memory, table and stack pointer are imported from "kiln", functions are exported as "0",
 * "1", ... The functions' code is freed. */
void knh_wasm_module(knh_wasm_function *f, int n, knx_str *out);
#endif
