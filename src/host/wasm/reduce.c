/* SPDX-License-Identifier: Apache-2.0
 * reduce.c -- reductions in the order of docs/determinism.md: 64 accumulators in memory, a row's in the frame, those of
 * RUNS where they are kept; COLUMNS has one for each lane. */
#include "host/wasm/stage.h"

typedef knh_wasm_stage stage;
static const knk_inst *node(const stage *s, knk_node x) { return knh_wasm_node(s, x); }

/* What lies on the stack as memory has it becomes what it is joined as, and back. */
static void from_memory(stage *s, int dtype)
{
    if (dtype != KN_ID_BOOL)
        return;
    knh_wasm_splat(&s->f, 0, 8);
    knh_wasm_op0(&s->f, KNH_WASM_I8X16_NE);
}

static void to_memory(stage *s, int dtype)
{
    if (dtype != KN_ID_BOOL)
        return;
    knh_wasm_push_constant(s, 1, 1);
    knh_wasm_op0(&s->f, KNH_WASM_V128_AND);
}

static void push_accumulators(stage *s, knk_node x)
{
    if (s->o.r->mode == KNH_RUNS) {
        knh_wasm_get(&s->f, s->base[knh_order_stream_of(&s->o, KNH_PARTIAL, x)]);
        return;
    }
    knh_wasm_get(&s->f, s->frame);
    knh_wasm_i32(&s->f, s->accumulator[x]);
    knh_wasm_op0(&s->f, KNH_WASM_I32_ADD);
}

static void along(stage *s, knk_node x)
{
    const knk_inst *n = node(s, x);
    int size = knk_size(n->dtype);
    if (s->chunk >= 0) {
        for (int p = 0; p < knh_wasm_parts_of(s, size); p++) {
            int local = s->kept[x] + s->chunk * s->lanes * size / 16 + p;
            knh_wasm_get(&s->f, local);
            knh_wasm_push(s, n->a, p, n->dtype == KN_ID_BOOL ? 1 : 0);
            knh_wasm_combine(s, n->sub, n->dtype);
            knh_wasm_set(&s->f, local);
        }
        return;
    }
    push_accumulators(s, x);
    knh_wasm_get(&s->f, s->index);
    knh_wasm_i32(&s->f, knh_wasm_log2(size)), knh_wasm_op0(&s->f, KNH_WASM_I32_SHL);
    knh_wasm_op0(&s->f, KNH_WASM_I32_ADD);
    knh_wasm_set(&s->f, s->at);
    for (int p = 0; p < knh_wasm_parts_of(s, size); p++) {
        knh_wasm_get(&s->f, s->at);
        knh_wasm_get(&s->f, s->at), knh_wasm_load_part(s, size, p), from_memory(s, n->dtype);
        knh_wasm_push(s, n->a, p, n->dtype == KN_ID_BOOL ? 1 : 0);
        knh_wasm_combine(s, n->sub, n->dtype);
        to_memory(s, n->dtype);
        knh_wasm_store_part(s, size, p);
    }
}

void knh_wasm_reduce(stage *s, knk_node x)
{
    const knk_inst *n = node(s, x);
    if (s->o.r->mode != KNH_COLUMNS) {
        along(s, x);
        return;
    }
    int stream = knh_order_stream_of(&s->o, KNH_PARTIAL, x), width = s->width[x];
    if (!s->together)
        knh_wasm_load_stream(s, stream, x);
    for (int p = 0; p < knh_wasm_parts(s, x); p++) {
        knh_wasm_push(s, x, p, width);
        knh_wasm_push(s, n->a, p, width);
        knh_wasm_combine(s, n->sub, n->dtype);
        knh_wasm_pop(s, x, p);
    }
    if (!s->together)
        knh_wasm_store(s, stream, x);
}

void knh_wasm_load_columns(stage *s)
{
    for (int x = s->o.first; x < s->o.end; x++)
        if (node(s, x)->op == KNK_REDUCE)
            knh_wasm_load_stream(s, knh_order_stream_of(&s->o, KNH_PARTIAL, x), x);
}

void knh_wasm_store_columns(stage *s)
{
    for (int x = s->o.first; x < s->o.end; x++)
        if (node(s, x)->op == KNK_REDUCE)
            knh_wasm_store(s, knh_order_stream_of(&s->o, KNH_PARTIAL, x), x);
}

/* ---- Accumulators of a row, in locals as long as there are 64 elements. */

enum { MOST_KEPT = 32 }; /* vectors; engines put those that have no register into memory, one by one */

static bool is_reduced(const stage *s, knk_node x) { return node(s, x)->op == KNK_REDUCE && s->o.r->mode == KNH_ROWS; }

bool knh_wasm_keeps(const stage *s)
{
    int vectors = 0;
    for (int x = s->o.first; x < s->o.end; x++)
        if (is_reduced(s, x))
            vectors += 4 * knk_size(node(s, x)->dtype);
    return s->brief && vectors && vectors <= MOST_KEPT;
}

void knh_wasm_begin_kept(stage *s)
{
    for (int x = s->o.first; x < s->o.end; x++) {
        const knk_inst *n = node(s, x);
        int size = knk_size(n->dtype);
        if (!is_reduced(s, x))
            continue;
        s->kept[x] = knh_wasm_new(s, 4 * size);
        for (int p = 0; p < 4 * size; p++) {
            knh_wasm_push_constant(s, knk_reduction_identity(n->sub, n->dtype), size), from_memory(s, n->dtype);
            knh_wasm_set(&s->f, s->kept[x] + p);
        }
    }
}

void knh_wasm_end_kept(stage *s)
{
    for (int x = s->o.first; x < s->o.end; x++)
        for (int p = 0; is_reduced(s, x) && p < 4 * knk_size(node(s, x)->dtype); p++) {
            knh_wasm_get(&s->f, s->frame);
            knh_wasm_get(&s->f, s->kept[x] + p), to_memory(s, node(s, x)->dtype);
            knh_wasm_memory(&s->f, KNH_WASM_V128_STORE, s->accumulator[x] + 16 * p);
        }
}

void knh_wasm_begin_rows(stage *s)
{
    bool keeps = knh_wasm_keeps(s);
    if (keeps) { /* else they come from locals */
        knh_wasm_get(&s->f, s->n), knh_wasm_i64(&s->f, 64), knh_wasm_op0(&s->f, KNH_WASM_I64_LT_S);
        knh_wasm_open(&s->f, KNH_WASM_IF);
    }
    for (int x = s->o.first; x < s->o.end; x++) {
        const knk_inst *n = node(s, x);
        int size = knk_size(n->dtype);
        for (int p = 0; is_reduced(s, x) && p < 4 * size; p++) {
            knh_wasm_get(&s->f, s->frame);
            knh_wasm_push_constant(s, knk_reduction_identity(n->sub, n->dtype), size);
            knh_wasm_memory(&s->f, KNH_WASM_V128_STORE, s->accumulator[x] + 16 * p);
        }
    }
    if (keeps)
        knh_wasm_close(&s->f);
}

/* Pushes one of the 4 x 16 accumulators' parts: of numbers 16 * g on. */
static void push_part(stage *s, knk_node x, int g, int part)
{
    int size = knk_size(node(s, x)->dtype);
    knh_wasm_get(&s->f, s->frame);
    knh_wasm_memory(&s->f, KNH_WASM_V128_LOAD, s->accumulator[x] + 16 * (g * size + part));
    from_memory(s, node(s, x)->dtype);
}

static void join_turned(stage *s, int how, int dtype, int local, int bytes)
{
    uint8_t from[16];
    for (int i = 0; i < 16; i++)
        from[i] = (uint8_t)((i + bytes) % 16);
    knh_wasm_get(&s->f, local);
    knh_wasm_get(&s->f, local);
    knh_wasm_get(&s->f, local);
    knh_wasm_shuffle(&s->f, from);
    knh_wasm_combine(s, how, dtype);
    knh_wasm_set(&s->f, local);
}

/* Joins a row's accumulators: 16 of four each, then halves of those; and stores the result. */
static void end_row(stage *s, knk_node x)
{
    const knk_inst *n = node(s, x);
    int size = knk_size(n->dtype), first = knh_wasm_new(s, size), how = n->sub;
    for (int p = 0; p < size; p++) {
        push_part(s, x, 0, p), push_part(s, x, 1, p), knh_wasm_combine(s, how, n->dtype);
        push_part(s, x, 2, p), push_part(s, x, 3, p), knh_wasm_combine(s, how, n->dtype);
        knh_wasm_combine(s, how, n->dtype);
        knh_wasm_set(&s->f, first + p);
    }
    for (int half = size / 2; half; half /= 2)
        for (int p = 0; p < half; p++) {
            knh_wasm_get(&s->f, first + p), knh_wasm_get(&s->f, first + p + half);
            knh_wasm_combine(s, how, n->dtype);
            knh_wasm_set(&s->f, first + p);
        }
    for (int bytes = 8; bytes >= size; bytes /= 2)
        join_turned(s, how, n->dtype, first, bytes);
    knh_wasm_get(&s->f, s->base[knh_order_stream_of(&s->o, KNH_EXPORT, x)]);
    knh_wasm_get(&s->f, first);
    to_memory(s, n->dtype);
    knh_wasm_memory_lane(&s->f, KNH_WASM_V128_STORE8_LANE + knh_wasm_log2(size), 0, 0);
}

void knh_wasm_end_rows(stage *s)
{
    for (int x = s->o.first; x < s->o.end && s->o.r->mode == KNH_ROWS; x++)
        if (node(s, x)->op == KNK_REDUCE)
            end_row(s, x);
}
