/* SPDX-License-Identifier: Apache-2.0
 * guard.c -- e^x and its relatives, in two forms. Their programs bound x at both ends, and multiply by 2^n in two
 * steps, for the sake of few numbers. So a piece is asked whether all of its numbers are small: then there are no
 * bounds, and one product. Else it is computed as the program has it. */
#include "host/wasm/stage.h"
#include <string.h>

typedef knh_wasm_stage stage;
static const knk_inst *node(const stage *s, knk_node x) { return knh_wasm_node(s, x); }
enum { FAR = 10, MOST_DOUBLED = 48 }; /* operations between the bound and 2^n; operations that are written twice */
static const float most = 86;         /* 2^124 < e^86, 2^86 */

static bool is_number(const stage *s, knk_node x) { return x >= 0 && node(s, x)->op == KNK_CONST; }

static float number_of(const stage *s, knk_node x)
{
    uint32_t bits = (uint32_t)node(s, x)->imm;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* What x is made of by an operation with a number; KNK_NONE: it is made otherwise. */
static knk_node other_of(const stage *s, knk_node x)
{
    const knk_inst *n = node(s, x);
    return is_number(s, n->a) ? n->b : is_number(s, n->b) ? n->a : KNK_NONE;
}

/* Is x a bound that changes no number from -most to most? */
static bool is_bound(const stage *s, knk_node x)
{
    const knk_inst *n = node(s, x);
    if (n->dtype != KN_ID_F32 || (n->op != KNK_MAX && n->op != KNK_MIN) || other_of(s, x) == KNK_NONE)
        return false;
    float c = number_of(s, is_number(s, n->a) ? n->a : n->b);
    return n->op == KNK_MAX ? c <= -most : c >= most;
}

/* The bound that an exponent is made of. */
static knk_node bound_of(const stage *s, knk_node x)
{
    for (int i = 0; i < FAR && x >= s->o.first && !is_bound(s, x); i++) {
        const knk_inst *n = node(s, x);
        bool alone = n->op == KNK_RINT || n->op == KNK_NEG;
        bool with = n->op == KNK_ADD || n->op == KNK_SUB || n->op == KNK_MUL;
        x = alone ? n->a : with ? other_of(s, x) : KNK_NONE;
    }
    return x >= s->o.first && is_bound(s, x) ? x : KNK_NONE;
}

static int item_of(const stage *s, knk_node x)
{
    int i = 0;
    while (i < s->o.n_item && (s->o.item[i].what != KNH_DO_NODE || s->o.item[i].node != x))
        i++;
    return i;
}

/* Marks what is made of the bound up to the last item. */
static bool mark(stage *s, int first, int last, uint8_t number)
{
    int count = 0;
    for (int i = first; i <= last; i++) {
        if (s->o.item[i].what != KNH_DO_NODE)
            return false;
        knk_node x = s->o.item[i].node;
        const knk_inst *n = node(s, x);
        bool made = i == first;
        for (int j = 0; j < knk_op_table[n->op].n_operands; j++)
            made = made || s->guarded[knk_operand(n, j)] == number;
        s->guarded[x] = made ? number : s->guarded[x];
        count += made;
    }
    return count <= MOST_DOUBLED;
}

static void consider(stage *s, int last)
{
    knk_node scale = s->o.item[last].node, bound = bound_of(s, node(s, scale)->b), inner = bound;
    if (bound == KNK_NONE || !knh_wasm_scale_is_near(s, scale, bound, most))
        return;
    while (is_bound(s, other_of(s, inner)))
        inner = other_of(s, inner);
    int first = item_of(s, inner), before = s->n_guard ? s->guard[s->n_guard - 1].last : -1;
    if (first > last || first <= before || knh_wasm_is_once(s, other_of(s, inner)))
        return;
    uint8_t number = (uint8_t)(s->n_guard + 1);
    if (mark(s, first, last, number))
        s->guard[s->n_guard++] = (knh_wasm_guard){first, last, other_of(s, inner)};
    else
        for (int i = 0; i < s->o.end; i++)
            s->guarded[i] = s->guarded[i] == number ? 0 : s->guarded[i];
}

void knh_wasm_find_guards(stage *s)
{
    for (int i = 0; i < s->o.n_item && s->fused && s->n_guard < KNH_WASM_GUARDS; i++) {
        const knk_inst *n = node(s, s->o.item[i].node);
        if (s->o.item[i].what == KNH_DO_NODE && n->op == KNK_SCALB && n->dtype == KN_ID_F32)
            consider(s, i);
    }
}

/* Pushes an i32: is some number of the piece NaN, or larger than `most`? */
static void push_some_are_far(stage *s, knk_node x)
{
    knh_wasm_function *f = &s->f;
    uint32_t bits;
    memcpy(&bits, &most, sizeof bits);
    knh_wasm_push_constant(s, bits, 4);
    for (int p = 0; p < knh_wasm_parts(s, x); p++) {
        knh_wasm_push(s, x, p, 0);
        knh_wasm_push_constant(s, 0x7fffffff, 4), knh_wasm_op0(f, KNH_WASM_V128_AND);
        if (p)
            knh_wasm_op0(f, KNH_WASM_I32X4_MAX_U);
    }
    knh_wasm_op0(f, KNH_WASM_I32X4_LT_S);
    knh_wasm_op0(f, KNH_WASM_V128_ANY_TRUE);
}

static void plain(stage *s, const knh_wasm_guard *g, knk_node x)
{
    if (is_bound(s, x)) {
        for (int p = 0; p < knh_wasm_parts(s, x); p++)
            knh_wasm_push(s, g->base, p, 0), knh_wasm_pop(s, x, p);
    } else if (x == s->o.item[g->last].node) {
        knh_wasm_scale_near(s, x);
    } else {
        knh_wasm_compute(s, x);
    }
}

int knh_wasm_guarded(stage *s, int item)
{
    int i = 0;
    while (i < s->n_guard && s->guard[i].first != item)
        i++;
    if (i == s->n_guard || s->lanes < s->most || knh_wasm_parts_of(s, 4) < 2)
        return item;
    const knh_wasm_guard *g = &s->guard[i];
    for (int j = g->first; j <= g->last; j++)
        if (s->guarded[s->o.item[j].node] != i + 1)
            knh_wasm_compute(s, s->o.item[j].node);
    push_some_are_far(s, g->base);
    knh_wasm_open(&s->f, KNH_WASM_IF);
    for (int j = g->first; j <= g->last; j++)
        if (s->guarded[s->o.item[j].node] == i + 1)
            knh_wasm_compute(s, s->o.item[j].node);
    knh_wasm_op0(&s->f, KNH_WASM_ELSE);
    for (int j = g->first; j <= g->last; j++)
        if (s->guarded[s->o.item[j].node] == i + 1)
            plain(s, g, s->o.item[j].node);
    knh_wasm_close(&s->f);
    return g->last + 1;
}
