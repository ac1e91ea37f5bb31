/* SPDX-License-Identifier: Apache-2.0
 * call.c -- operations without instructions: their operands go through memory, to the loops over lanes that the
 * interpreter runs (kernel/lanes.c). A function's address is its place in the table. */
#include "host/wasm/stage.h"

typedef knh_wasm_stage stage;
static const knk_inst *node(const stage *s, knk_node x) { return knh_wasm_node(s, x); }

static void push_place(stage *s, int operand) /* 0: of the result */
{
    knh_wasm_get(&s->f, s->frame);
    knh_wasm_i32(&s->f, s->call_at + operand * KNH_WASM_CALL_BYTES);
    knh_wasm_op0(&s->f, KNH_WASM_I32_ADD);
}

/* A whole piece as memory has it. */
static void put_operand(stage *s, knk_node a, int operand)
{
    int size = knk_size(node(s, a)->dtype);
    bool is_bool = node(s, a)->dtype == KN_ID_BOOL;
    for (int p = 0; p < knh_wasm_parts_of(s, size); p++) {
        knh_wasm_get(&s->f, s->frame);
        if (is_bool)
            knh_wasm_push_byte_bool(s, a, p);
        else
            knh_wasm_push(s, a, p, 0);
        knh_wasm_memory(&s->f, KNH_WASM_V128_STORE, s->call_at + operand * KNH_WASM_CALL_BYTES + 16 * p);
    }
}

void knh_wasm_call_loop(stage *s, knk_node x, int row, int dtype)
{
    const knk_inst *n = node(s, x);
    knk_loop *loop = knk_lane_loop(row, dtype, 0);
    int count = knk_op_table[n->op].n_operands;
    bool is_bool = n->dtype == KN_ID_BOOL;
    if (!loop) {
        s->failed = true;
        return;
    }
    for (int j = 0; j < count; j++)
        put_operand(s, knk_operand(n, j), j + 1);
    for (int j = 0; j < 4; j++)
        push_place(s, j);
    knh_wasm_i32(&s->f, s->lanes);
    knh_wasm_i32(&s->f, (int32_t)(uintptr_t)loop);
    knh_wasm_call(&s->f, KNH_WASM_LANES);
    for (int p = 0; p < (is_bool ? 1 : knh_wasm_parts(s, x)); p++) {
        knh_wasm_get(&s->f, s->frame);
        knh_wasm_memory(&s->f, KNH_WASM_V128_LOAD, s->call_at + 16 * p);
        if (!is_bool)
            knh_wasm_pop(s, x, p);
    }
    if (!is_bool)
        return;
    int parts = knh_wasm_parts(s, x); /* bytes 0 and 1 to masks of the value's width */
    knh_wasm_splat(&s->f, 0, 8), knh_wasm_op0(&s->f, KNH_WASM_I8X16_NE), knh_wasm_set(&s->f, s->temp + 7);
    for (int p = 0; p < parts; p++) {
        knh_wasm_push_mask(s, s->temp + 7, 1, 1, p, s->width[x]);
        knh_wasm_pop(s, x, p);
    }
}
