/* SPDX-License-Identifier: Apache-2.0
 * memory.c -- loads and stores of lanes: adjacent ones together, others one by one. */
#include "host/wasm/stage.h"

typedef knh_wasm_stage stage;
static const knk_inst *node(const stage *s, knk_node x) { return knh_wasm_node(s, x); }

static int load_lane(int size) { return KNH_WASM_V128_LOAD8_LANE + knh_wasm_log2(size); }
static int store_lane(int size) { return KNH_WASM_V128_STORE8_LANE + knh_wasm_log2(size); }
static int class_of(const stage *s, int stream) { return s->o.r->cls[stream]; }

void knh_wasm_load_part(stage *s, int size, int part)
{
    int bytes = s->lanes * size;
    unsigned op = bytes >= 16  ? KNH_WASM_V128_LOAD
                  : bytes == 8 ? KNH_WASM_V128_LOAD64_ZERO
                  : bytes == 4 ? KNH_WASM_V128_LOAD32_ZERO
                  : bytes == 2 ? KNH_WASM_V128_LOAD16_SPLAT
                               : KNH_WASM_V128_LOAD8_SPLAT;
    knh_wasm_memory(&s->f, op, 16 * part);
}

void knh_wasm_store_part(stage *s, int size, int part)
{
    int bytes = s->lanes * size;
    if (bytes >= 16)
        knh_wasm_memory(&s->f, KNH_WASM_V128_STORE, 16 * part);
    else
        knh_wasm_memory_lane(&s->f, store_lane(bytes), 0, 0);
}

/* The bytes of a bool become a mask of its width, which is one byte. */
static void to_mask(stage *s, knk_node x)
{
    if (node(s, x)->dtype != KN_ID_BOOL)
        return;
    knh_wasm_get(&s->f, knh_wasm_own(s, x, 0));
    knh_wasm_splat(&s->f, 0, 8);
    knh_wasm_op0(&s->f, KNH_WASM_I8X16_NE);
    knh_wasm_pop(s, x, 0);
}

/* The address of the first lane, and in s->at what goes from lane to lane. */
static void begin_walk(stage *s, int stream)
{
    knh_wasm_get(&s->f, s->walk[stream]);
    knh_wasm_set(&s->f, s->at);
}

static void next_lane(stage *s, int stream)
{
    int cls = class_of(s, stream);
    if (cls == KNK_STRIDE_ZERO)
        return;
    knh_wasm_get(&s->f, s->at);
    if (cls == KNK_STRIDE_ONE)
        knh_wasm_i32(&s->f, knk_size(s->o.stream[stream].dtype));
    else
        knh_wasm_get(&s->f, s->step[stream]);
    knh_wasm_op0(&s->f, KNH_WASM_I32_ADD);
    knh_wasm_set(&s->f, s->at);
}

static void load_one(stage *s, knk_node x, int size, int lane) /* the address is on the stack */
{
    int each = 16 / size, local = knh_wasm_own(s, x, lane / each);
    knh_wasm_get(&s->f, local);
    knh_wasm_memory_lane(&s->f, load_lane(size), 0, lane % each);
    knh_wasm_set(&s->f, local);
}

static void load_adjacent(stage *s, int stream, knk_node x)
{
    int size = knk_size(node(s, x)->dtype);
    for (int p = 0; p < knh_wasm_parts_of(s, size); p++) {
        knh_wasm_get(&s->f, s->walk[stream]);
        knh_wasm_load_part(s, size, p);
        knh_wasm_set(&s->f, knh_wasm_own(s, x, p));
    }
}

void knh_wasm_load_stream(stage *s, int stream, knk_node x)
{
    int cls = class_of(s, stream), size = knk_size(node(s, x)->dtype);
    if (cls == KNK_STRIDE_ZERO) {
        knh_wasm_get(&s->f, s->walk[stream]);
        knh_wasm_memory(&s->f, KNH_WASM_V128_LOAD8_SPLAT + knh_wasm_log2(size), 0);
        for (int p = knh_wasm_is_once(s, x) ? 1 : knh_wasm_parts_of(s, size); p-- > 0;)
            p ? knh_wasm_tee(&s->f, knh_wasm_own(s, x, p)) : knh_wasm_set(&s->f, knh_wasm_own(s, x, p));
    } else if (cls == KNK_STRIDE_ONE) {
        load_adjacent(s, stream, x);
    } else {
        begin_walk(s, stream);
        for (int j = 0; j < s->lanes; j++) {
            knh_wasm_get(&s->f, s->at);
            load_one(s, x, size, j);
            if (j + 1 < s->lanes)
                next_lane(s, stream);
        }
    }
    to_mask(s, x);
}

/* ---- Loads with a predicate or an index. */

static void begin_with_other(stage *s, knk_node x)
{
    const knk_inst *n = node(s, x);
    for (int p = 0; p < knh_wasm_parts(s, x); p++) {
        if (n->c < 0)
            knh_wasm_splat(&s->f, 0, 8);
        else if (n->dtype == KN_ID_BOOL)
            knh_wasm_push_byte_bool(s, n->c, p);
        else
            knh_wasm_push(s, n->c, p, 0);
        knh_wasm_pop(s, x, p);
    }
}

static void push_indexed(stage *s, const knk_inst *n, int stream, int lane)
{
    knh_wasm_function *f = &s->f;
    int cls = class_of(s, stream), size = knk_size(n->dtype);
    knh_wasm_push(s, n->a, lane / 2, 0);
    knh_wasm_lane(f, KNH_WASM_I64X2_EXTRACT_LANE, lane % 2);
    knh_wasm_op0(f, KNH_WASM_I32_WRAP_I64);
    if (size > 1) {
        knh_wasm_i32(f, knh_wasm_log2(size));
        knh_wasm_op0(f, KNH_WASM_I32_SHL);
    }
    knh_wasm_get(f, s->walk[stream]);
    knh_wasm_op0(f, KNH_WASM_I32_ADD);
    if (cls == KNK_STRIDE_ZERO || !lane)
        return;
    if (cls == KNK_STRIDE_ONE) {
        knh_wasm_i32(f, lane * size);
    } else {
        knh_wasm_get(f, s->step[stream]);
        knh_wasm_i32(f, lane);
        knh_wasm_op0(f, KNH_WASM_I32_MUL);
    }
    knh_wasm_op0(f, KNH_WASM_I32_ADD);
}

static void load_lanes_where(stage *s, const knk_inst *n, knk_node x, int stream)
{
    int size = knk_size(n->dtype), lanes = knh_wasm_is_once(s, x) ? 1 : s->lanes;
    if (n->a < 0)
        begin_walk(s, stream);
    for (int j = 0; j < lanes; j++) {
        if (n->b >= 0) {
            knh_wasm_push_lane(s, n->b, j);
            knh_wasm_open(&s->f, KNH_WASM_IF);
        }
        if (n->a >= 0)
            push_indexed(s, n, stream, j);
        else
            knh_wasm_get(&s->f, s->at);
        load_one(s, x, size, j);
        if (n->b >= 0)
            knh_wasm_close(&s->f);
        if (n->a < 0 && j + 1 < lanes)
            next_lane(s, stream);
    }
}

/* The first lane of a value that all lanes share is everybody's. */
static void spread(stage *s, knk_node x)
{
    int size = knk_size(node(s, x)->dtype), local = knh_wasm_own(s, x, 0);
    uint8_t from[16];
    for (int i = 0; i < 16; i++)
        from[i] = (uint8_t)(i % size);
    knh_wasm_get(&s->f, local);
    knh_wasm_get(&s->f, local);
    knh_wasm_shuffle(&s->f, from);
    knh_wasm_set(&s->f, local);
}

void knh_wasm_load(stage *s, knk_node x)
{
    const knk_inst *n = node(s, x);
    int stream = knh_order_stream(&s->o, n);
    if (n->a < 0 && n->b < 0) {
        knh_wasm_load_stream(s, stream, x);
        return;
    }
    bool together = n->a < 0 && class_of(s, stream) == KNK_STRIDE_ONE && !knh_wasm_is_once(s, x);
    if (together) { /* mostly all lanes are there */
        knh_wasm_push_all(s, n->b);
        knh_wasm_open(&s->f, KNH_WASM_IF);
        load_adjacent(s, stream, x);
        knh_wasm_op0(&s->f, KNH_WASM_ELSE);
    }
    begin_with_other(s, x);
    load_lanes_where(s, n, x, stream);
    if (knh_wasm_is_once(s, x))
        spread(s, x);
    if (together)
        knh_wasm_close(&s->f);
    to_mask(s, x);
}

/* ---- Stores. */

static void push_for_memory(stage *s, knk_node x, int part)
{
    if (node(s, x)->dtype == KN_ID_BOOL)
        knh_wasm_push_byte_bool(s, x, part);
    else
        knh_wasm_push(s, x, part, 0);
}

void knh_wasm_store(stage *s, int stream, knk_node x)
{
    int size = knk_size(s->o.stream[stream].dtype), each = 16 / size;
    if (class_of(s, stream) == KNK_STRIDE_ONE) {
        for (int p = 0; p < knh_wasm_parts_of(s, size); p++) {
            knh_wasm_get(&s->f, s->walk[stream]);
            push_for_memory(s, x, p);
            knh_wasm_store_part(s, size, p);
        }
        return;
    }
    begin_walk(s, stream);
    for (int j = 0; j < s->lanes; j++) {
        if (j % each == 0) {
            push_for_memory(s, x, j / each);
            knh_wasm_set(&s->f, s->temp);
        }
        knh_wasm_get(&s->f, s->at);
        knh_wasm_get(&s->f, s->temp);
        knh_wasm_memory_lane(&s->f, store_lane(size), 0, j % each);
        if (j + 1 < s->lanes)
            next_lane(s, stream);
    }
}

/* ---- Walking. */

void knh_wasm_advance(stage *s)
{
    knh_wasm_function *f = &s->f;
    for (int i = 0; i < s->o.n_stream; i++) {
        int cls = class_of(s, i);
        bool number = s->o.stream[i].kind == KNH_NUMBER;
        if (!s->o.used_piece[i] || cls == KNK_STRIDE_ZERO)
            continue;
        int64_t by = cls == KNK_STRIDE_ONE && !number ? (int64_t)s->lanes * knk_size(s->o.stream[i].dtype) : s->lanes;
        knh_wasm_get(f, s->walk[i]);
        if (cls != KNK_STRIDE_ONE)
            knh_wasm_get(f, s->step[i]);
        if (cls == KNK_STRIDE_ONE || by > 1)
            number ? knh_wasm_i64(f, by) : knh_wasm_i32(f, (int32_t)by);
        if (cls != KNK_STRIDE_ONE && by > 1)
            knh_wasm_op0(f, number ? KNH_WASM_I64_MUL : KNH_WASM_I32_MUL);
        knh_wasm_op0(f, number ? KNH_WASM_I64_ADD : KNH_WASM_I32_ADD);
        knh_wasm_set(f, s->walk[i]);
    }
}

void knh_wasm_index_value(stage *s, knk_node x)
{
    int stream = knh_order_stream(&s->o, node(s, x)), cls = class_of(s, stream);
    for (int p = 0; p < knh_wasm_parts(s, x); p++) {
        uint8_t lanes[16] = {(uint8_t)(2 * p)};
        lanes[8] = (uint8_t)(2 * p + 1);
        knh_wasm_get(&s->f, s->walk[stream]);
        knh_wasm_op0(&s->f, KNH_WASM_I64X2_SPLAT);
        if (cls != KNK_STRIDE_ZERO) {
            knh_wasm_v128(&s->f, lanes);
            if (cls != KNK_STRIDE_ONE) {
                knh_wasm_get(&s->f, s->step[stream]);
                knh_wasm_op0(&s->f, KNH_WASM_I64X2_SPLAT);
                knh_wasm_op0(&s->f, KNH_WASM_I64X2_MUL);
            }
            knh_wasm_op0(&s->f, KNH_WASM_I64X2_ADD);
        }
        knh_wasm_pop(s, x, p);
    }
}
