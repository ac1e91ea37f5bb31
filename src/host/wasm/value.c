/* SPDX-License-Identifier: Apache-2.0
 * value.c -- where values are: their locals, the widths of bools, and masks of other widths. */
#include "host/wasm/stage.h"

typedef knh_wasm_stage stage;
static const knk_inst *node(const stage *s, knk_node x) { return knh_wasm_node(s, x); }

/* ---- Widths. */

static int width_of_bool(const stage *s, const knk_inst *n)
{
    int a = n->a >= 0 ? s->width[n->a] : 0, b = n->b >= 0 ? s->width[n->b] : 0, c = n->c >= 0 ? s->width[n->c] : 0;
    switch ((int)n->op) {
    case KNK_CONST: return 0;
    case KNK_LOAD:
    case KNK_REDUCE: return 1;
    case KNK_SELECT: return b ? b : c ? c : a ? a : 1;
    default: return a ? a : b ? b : 1;
    }
}

void knh_wasm_find_widths(stage *s)
{
    for (int i = 0; i < s->o.end; i++) {
        const knk_inst *n = node(s, i);
        bool import = i < s->o.first && n->op != KNK_CONST;
        s->width[i] = (uint8_t)(n->dtype != KN_ID_BOOL ? knk_size(n->dtype) : import ? 1 : width_of_bool(s, n));
    }
}

/* Several vectors side by side hide how long an instruction takes; the engine compiles as much more. */
enum { FEW_NODES = 400, SOME_NODES = 160, SHORT_NODES = 32, BRIEF_NODES = 8 };

int knh_wasm_most_lanes(stage *s)
{
    int size = 1, nodes = 0;
    for (int i = s->o.first; i < s->o.end; i++)
        if (s->o.live[i] && node(s, i)->op != KNK_STORE && !knk_is_loop_op(node(s, i)->op)) {
            size = s->width[i] > size ? s->width[i] : size;
            nodes += !s->o.uniform[i] && node(s, i)->op != KNK_CONST;
        }
    for (int i = 0; i < s->o.n_stream; i++)
        size = knk_size(s->o.stream[i].dtype) > size ? knk_size(s->o.stream[i].dtype) : size;
    int parts = nodes <= SOME_NODES ? 4 : nodes <= FEW_NODES ? 2 : 1, lanes = 16 * parts / size;
    s->brief = nodes <= BRIEF_NODES;
    s->narrow = nodes <= SHORT_NODES;
    return lanes > 16 ? 16 : lanes;
}

/* ---- Locals. */

int knh_wasm_new(stage *s, int parts)
{
    int first = s->first_v128 + s->f.n_v128;
    s->f.n_v128 += parts;
    return first;
}

bool knh_wasm_is_once(const stage *s, knk_node x) { return knh_order_is_uniform(&s->o, x); }

static int parts_for(int lanes, int width)
{
    int parts = lanes * width / 16;
    return parts ? parts : 1;
}

int knh_wasm_parts_of(const stage *s, int width) { return parts_for(s->lanes, width); }

int knh_wasm_parts(const stage *s, knk_node x) { return knh_wasm_is_once(s, x) ? 1 : parts_for(s->lanes, s->width[x]); }

int knh_wasm_own(stage *s, knk_node x, int part)
{
    if (s->local[x] < 0)
        s->local[x] = knh_wasm_new(s, knh_wasm_is_once(s, x) ? 1 : parts_for(s->most, s->width[x]));
    return s->local[x] + (knh_wasm_is_once(s, x) ? 0 : part);
}

/* Lanes of a mask as wide ones: each half becomes a whole part. A local of one part has all there is in its lower
 * half, or the same everywhere. */
void knh_wasm_push_mask(stage *s, int local, int parts, int from, int part, int width)
{
    static const uint8_t lower_words[16] = {0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27};
    if (from == width) {
        knh_wasm_get(&s->f, local + (part < parts ? part : 0));
    } else if (from < width) {
        knh_wasm_push_mask(s, local, parts, from, part / 2, width / 2);
        bool high = part & 1;
        knh_wasm_op0(&s->f, width == 2   ? high ? KNH_WASM_I16X8_EXTEND_HIGH_S : KNH_WASM_I16X8_EXTEND_LOW_S
                            : width == 4 ? high ? KNH_WASM_I32X4_EXTEND_HIGH_S : KNH_WASM_I32X4_EXTEND_LOW_S
                            : high       ? KNH_WASM_I64X2_EXTEND_HIGH_S
                                         : KNH_WASM_I64X2_EXTEND_LOW_S);
    } else {
        bool two = knh_wasm_parts_of(s, 2 * width) > 1;
        knh_wasm_push_mask(s, local, parts, from, two ? 2 * part : part, 2 * width);
        knh_wasm_push_mask(s, local, parts, from, two ? 2 * part + 1 : part, 2 * width);
        if (width == 4)
            knh_wasm_shuffle(&s->f, lower_words);
        else
            knh_wasm_op0(&s->f, width == 2 ? KNH_WASM_I16X8_NARROW_I32X4_S : KNH_WASM_I8X16_NARROW_I16X8_S);
    }
}

void knh_wasm_push(stage *s, knk_node x, int part, int width)
{
    const knk_inst *n = node(s, x);
    if (n->dtype != KN_ID_BOOL)
        knh_wasm_get(&s->f, knh_wasm_own(s, x, part));
    else if (n->op == KNK_CONST)
        knh_wasm_splat(&s->f, n->imm ? ~(uint64_t)0 : 0, 8);
    else
        knh_wasm_push_mask(s, knh_wasm_own(s, x, 0), knh_wasm_parts(s, x), s->width[x], part,
                           width ? width : s->width[x]);
}

void knh_wasm_pop(stage *s, knk_node x, int part) { knh_wasm_set(&s->f, knh_wasm_own(s, x, part)); }

void knh_wasm_push_constant(stage *s, uint64_t bits, int size)
{
    uint64_t wide = bits;
    for (int n = size; n < 8; n *= 2)
        wide = (wide & (((uint64_t)1 << 8 * n) - 1)) | wide << 8 * n;
    int i = 0;
    while (i < s->n_constant && s->constant[i].bits != wide)
        i++;
    if (wide == 0 || wide == ~(uint64_t)0 || i == KNH_WASM_CONSTANTS) { /* the first two are one instruction anyway */
        knh_wasm_splat(&s->f, wide, 8);
        return;
    }
    if (i == s->n_constant) {
        s->constant[i].bits = wide;
        s->constant[i].local = knh_wasm_new(s, 1);
        s->n_constant++;
    }
    knh_wasm_get(&s->f, s->constant[i].local);
}

void knh_wasm_set_constants(stage *s)
{
    knh_wasm_function set = {0};
    for (int i = 0; i < s->n_constant; i++) {
        knh_wasm_splat(&set, s->constant[i].bits, 8);
        knh_wasm_set(&set, s->constant[i].local);
    }
    knh_wasm_insert(&s->f, s->constants_at, &set);
}

void knh_wasm_blend(stage *s, int width)
{
    static const knh_wasm_op relaxed[4] = {KNH_WASM_I8X16_RELAXED_LANESELECT, KNH_WASM_I16X8_RELAXED_LANESELECT,
                                           KNH_WASM_I32X4_RELAXED_LANESELECT, KNH_WASM_I64X2_RELAXED_LANESELECT};
    knh_wasm_op0(&s->f, s->fused ? relaxed[knh_wasm_log2(width)] : KNH_WASM_V128_BITSELECT);
}

void knh_wasm_push_byte_bool(stage *s, knk_node x, int part)
{
    knh_wasm_push(s, x, part, 1);
    knh_wasm_push_constant(s, 1, 1);
    knh_wasm_op0(&s->f, KNH_WASM_V128_AND);
}

/* ---- Bools as one answer. Beyond the lanes of a piece there may be anything. */

static void extract_first(stage *s, int bytes)
{
    if (bytes == 8) {
        knh_wasm_lane(&s->f, KNH_WASM_I64X2_EXTRACT_LANE, 0);
        return;
    }
    knh_wasm_lane(&s->f,
                  bytes == 1   ? KNH_WASM_I8X16_EXTRACT_LANE
                  : bytes == 2 ? KNH_WASM_I16X8_EXTRACT_LANE
                               : KNH_WASM_I32X4_EXTRACT_LANE,
                  0);
}

void knh_wasm_push_any_of(stage *s, int local, int parts, int width)
{
    int bytes = s->lanes * width;
    for (int p = 0; p < parts; p++) {
        knh_wasm_get(&s->f, local + p);
        if (p)
            knh_wasm_op0(&s->f, KNH_WASM_V128_OR);
    }
    if (bytes >= 16) {
        knh_wasm_op0(&s->f, KNH_WASM_V128_ANY_TRUE);
        return;
    }
    extract_first(s, bytes);
    if (bytes == 8) {
        knh_wasm_op0(&s->f, KNH_WASM_I64_EQZ);
        knh_wasm_op0(&s->f, KNH_WASM_I32_EQZ);
    }
}

void knh_wasm_push_any(stage *s, knk_node x)
{
    if (node(s, x)->op == KNK_CONST)
        knh_wasm_i32(&s->f, node(s, x)->imm != 0);
    else
        knh_wasm_push_any_of(s, knh_wasm_own(s, x, 0), knh_wasm_parts(s, x), s->width[x]);
}

void knh_wasm_push_all(stage *s, knk_node x)
{
    int width = s->width[x], bytes = s->lanes * width;
    if (node(s, x)->op == KNK_CONST) {
        knh_wasm_i32(&s->f, node(s, x)->imm != 0);
        return;
    }
    for (int p = 0; p < knh_wasm_parts(s, x); p++) {
        knh_wasm_get(&s->f, knh_wasm_own(s, x, p));
        if (p)
            knh_wasm_op0(&s->f, KNH_WASM_V128_AND);
    }
    if (bytes >= 16 || knh_wasm_is_once(s, x)) {
        knh_wasm_op0(&s->f, KNH_WASM_I8X16_ALL_TRUE);
        return;
    }
    extract_first(s, bytes);
    if (bytes == 8) {
        knh_wasm_i64(&s->f, 1);
        knh_wasm_op0(&s->f, KNH_WASM_I64_ADD);
        knh_wasm_op0(&s->f, KNH_WASM_I64_EQZ);
    } else {
        knh_wasm_i32(&s->f, bytes == 1 ? 0xff : bytes == 2 ? 0xffff : -1);
        knh_wasm_op0(&s->f, KNH_WASM_I32_EQ);
    }
}

void knh_wasm_push_lane(stage *s, knk_node pred, int lane)
{
    int width = s->width[pred], each = width ? 16 / width : 16;
    if (node(s, pred)->op == KNK_CONST) {
        knh_wasm_i32(&s->f, node(s, pred)->imm != 0);
        return;
    }
    knh_wasm_get(&s->f, knh_wasm_own(s, pred, lane / each));
    if (width == 8) /* half of the lane tells */
        knh_wasm_lane(&s->f, KNH_WASM_I32X4_EXTRACT_LANE, 2 * (lane % each));
    else
        knh_wasm_lane(&s->f,
                      width == 1   ? KNH_WASM_I8X16_EXTRACT_LANE
                      : width == 2 ? KNH_WASM_I16X8_EXTRACT_LANE
                                   : KNH_WASM_I32X4_EXTRACT_LANE,
                      lane % each);
}
