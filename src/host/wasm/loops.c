/* SPDX-License-Identifier: Apache-2.0
 * loops.c -- loops of a kernel as loops of the function, over the lanes of a piece together. */
#include "host/wasm/stage.h"
#include <stddef.h>

typedef knh_wasm_stage stage;
static const knk_inst *node(const stage *s, knk_node x) { return knh_wasm_node(s, x); }
static int turn_of(const stage *s, int loop) { return s->turn + loop; }

static int64_t word_offset(const stage *s, int stream, int loop)
{
    return (int64_t)offsetof(knh_args, stream) + 8 * (int64_t)knh_loop_word(s->o.n_stream, s->o.n_loop, stream, loop);
}

static bool is_tested(const stage *s, int loop) { return s->o.tested >> loop & 1; }

/* Masks of the lanes that go on, a byte each, in one local for each loop. */
static int mask_of(const stage *s, int loop) { return s->mask + loop; }

static void begin(stage *s, knk_node x, int *open)
{
    int loop = node(s, x)->sub;
    for (int i = x + 1; node(s, i)->op == KNK_CARRY; i++)
        for (int p = 0; p < knh_wasm_parts(s, i); p++) {
            knh_wasm_push(s, node(s, i)->a, p, s->width[i]);
            knh_wasm_pop(s, i, p);
        }
    knh_wasm_i64(&s->f, 0);
    knh_wasm_set(&s->f, turn_of(s, loop));
    if (is_tested(s, loop)) {
        int outer = s->o.parent[loop];
        while (outer != KNH_NO_LOOP && !is_tested(s, outer))
            outer = s->o.parent[outer];
        if (outer == KNH_NO_LOOP)
            knh_wasm_splat(&s->f, ~(uint64_t)0, 8);
        else
            knh_wasm_get(&s->f, mask_of(s, outer));
        knh_wasm_set(&s->f, mask_of(s, loop));
    }
    open[loop] = knh_wasm_open(&s->f, KNH_WASM_BLOCK);
    knh_wasm_open(&s->f, KNH_WASM_LOOP);
    knh_wasm_get(&s->f, turn_of(s, loop));
    knh_wasm_get(&s->f, 0);
    knh_wasm_memory(&s->f, KNH_WASM_I64_LOAD, word_offset(s, -1, loop));
    knh_wasm_op0(&s->f, KNH_WASM_I64_GE_S);
    knh_wasm_branch(&s->f, KNH_WASM_BR_IF, open[loop]);
}

static void condition(stage *s, const knk_inst *n, const int *open)
{
    int mask = mask_of(s, n->sub);
    knh_wasm_get(&s->f, mask);
    knh_wasm_push(s, n->a, 0, 1);
    knh_wasm_op0(&s->f, KNH_WASM_V128_AND);
    knh_wasm_set(&s->f, mask);
    knh_wasm_push_any_of(s, mask, 1, 1);
    knh_wasm_op0(&s->f, KNH_WASM_I32_EQZ);
    knh_wasm_branch(&s->f, KNH_WASM_BR_IF, open[n->sub]);
}

/* All carries get their next values at once: those are put aside first. */
static void next_values(stage *s, knk_node first)
{
    int loop = node(s, first)->sub, count = 0, at = 0;
    for (int i = first; node(s, i)->op == KNK_NEXT; i++)
        count += knh_wasm_parts(s, node(s, i)->a);
    int aside = knh_wasm_new(s, count);
    for (int i = first; node(s, i)->op == KNK_NEXT; i++) {
        knk_node carry = node(s, i)->a;
        for (int p = 0; p < knh_wasm_parts(s, carry); p++) {
            knh_wasm_push(s, node(s, i)->b, p, s->width[carry]);
            if (is_tested(s, loop)) {
                knh_wasm_push(s, carry, p, s->width[carry]);
                knh_wasm_push_mask(s, mask_of(s, loop), 1, 1, p, s->width[carry]);
                knh_wasm_blend(s, s->width[carry]);
            }
            knh_wasm_set(&s->f, aside + at++);
        }
    }
    at = 0;
    for (int i = first; node(s, i)->op == KNK_NEXT; i++)
        for (int p = 0; p < knh_wasm_parts(s, node(s, i)->a); p++) {
            knh_wasm_get(&s->f, aside + at++);
            knh_wasm_pop(s, node(s, i)->a, p);
        }
}

/* What so many turns add to the streams, or take from them again. */
static void move(stage *s, int loop, bool back)
{
    knh_wasm_function *f = &s->f;
    for (int i = 0; i < s->o.n_stream; i++) {
        if (!knh_order_moves(&s->o, i, loop))
            continue;
        bool number = s->o.stream[i].kind == KNH_NUMBER;
        knh_wasm_get(f, s->walk[i]);
        knh_wasm_get(f, 0);
        knh_wasm_memory(f, KNH_WASM_I64_LOAD, word_offset(s, i, loop));
        if (back) {
            knh_wasm_get(f, turn_of(s, loop));
            knh_wasm_op0(f, KNH_WASM_I64_MUL);
        }
        if (!number)
            knh_wasm_op0(f, KNH_WASM_I32_WRAP_I64);
        knh_wasm_op0(f, number ? back ? KNH_WASM_I64_SUB : KNH_WASM_I64_ADD
                        : back ? KNH_WASM_I32_SUB
                               : KNH_WASM_I32_ADD);
        knh_wasm_set(f, s->walk[i]);
    }
}

/* Each turn takes one from what is left, and where there is nothing the driver is asked whether to go on. */
static void ask(stage *s, int out)
{
    knh_wasm_function *f = &s->f;
    knh_wasm_get(f, s->asking);
    knh_wasm_get(f, s->asking), knh_wasm_memory(f, KNH_WASM_I64_LOAD, (int64_t)offsetof(knh_asking, left));
    knh_wasm_i64(f, 1), knh_wasm_op0(f, KNH_WASM_I64_SUB), knh_wasm_tee(f, s->left + 1);
    knh_wasm_memory(f, KNH_WASM_I64_STORE, (int64_t)offsetof(knh_asking, left));
    knh_wasm_get(f, s->left + 1), knh_wasm_i64(f, 0), knh_wasm_op0(f, KNH_WASM_I64_LT_S);
    knh_wasm_open(f, KNH_WASM_IF);
    knh_wasm_get(f, s->asking);
    knh_wasm_get(f, s->asking), knh_wasm_memory(f, KNH_WASM_I32_LOAD, (int64_t)offsetof(knh_asking, ask));
    knh_wasm_call(f, KNH_WASM_ASK);
    knh_wasm_op0(f, KNH_WASM_I64_EQZ);
    knh_wasm_branch(f, KNH_WASM_BR_IF, out);
    knh_wasm_close(f);
}

void knh_wasm_loop_item(stage *s, const knh_item *item, int out, int *open)
{
    const knk_inst *n = node(s, item->node);
    int loop = n->sub;
    switch (item->what) {
    case KNH_DO_LOOP: begin(s, item->node, open); break;
    case KNH_DO_WHILE: condition(s, n, open); break;
    case KNH_DO_NEXT: next_values(s, item->node); break;
    default:
        ask(s, out);
        move(s, loop, false);
        knh_wasm_get(&s->f, turn_of(s, loop)), knh_wasm_i64(&s->f, 1), knh_wasm_op0(&s->f, KNH_WASM_I64_ADD);
        knh_wasm_set(&s->f, turn_of(s, loop));
        knh_wasm_branch(&s->f, KNH_WASM_BR, open[loop] + 1);
        knh_wasm_close(&s->f);
        knh_wasm_close(&s->f);
        move(s, loop, true);
    }
}
