/* SPDX-License-Identifier: Apache-2.0
 * c_loops.c -- loops of a kernel as loops of C, over the lanes of one vector together.
 *
 *     v16f32 x5 = x1;                              carries
 *     i64 t0 = 0;
 *     b16 m0 = live_b_16(live);                    lanes that are not done, of a loop with a condition
 *     for (; t0 < w[0]; t0++, p2 += w[3]) {        what a turn adds to the addresses
 *         ...
 *         m0 &= x9; if (!any_b_16(m0)) break;
 *         ...
 *         const v16f32 y5 = x12; x5 = sel_f32_16(m0, y5, x5);
 *         if (--asking->left < 0 && !asking->ask(asking)) return;
 *     }
 *     p2 -= t0 * w[3];
 *
 * w are the words of knh_loop_word. */
#include "host/csource/c_loops.h"
#include "kernel/internal.h"

#define EMIT(s, ...) knx_str_printf((s)->t, __VA_ARGS__)

static const knk_inst *node(const knh_c_stage *s, knk_node x) { return &s->o.k->node[x]; }

static void line(knh_c_stage *s, int depth) { EMIT(s, "%*s", 4 * (depth + 1), ""); }

/* The step of a stream in a loop, as a word; its own words come after the extents. */
static int step_word(const knh_c_stage *s, int stream, int loop)
{
    return (int)(knh_loop_word(s->o.n_stream, s->o.n_loop, stream, loop) -
                 knh_loop_word(s->o.n_stream, s->o.n_loop, -1, 0));
}

static void carry(knh_c_stage *s, knk_node x, int depth)
{
    line(s, depth);
    knh_c_type(s, node(s, x)->dtype);
    EMIT(s, " x%d = ", x);
    knh_c_value(s, node(s, x)->a);
    EMIT(s, ";\n");
}

static void begin(knh_c_stage *s, knk_node x, int depth)
{
    int loop = node(s, x)->sub;
    for (int i = x + 1; node(s, i)->op == KNK_CARRY; i++)
        carry(s, i, depth);
    line(s, depth);
    EMIT(s, "i64 t%d = 0;\n", loop);
    if (s->o.tested >> loop & 1) {
        int outer = s->o.parent[loop];
        while (outer != KNH_NO_LOOP && !(s->o.tested >> outer & 1))
            outer = s->o.parent[outer];
        line(s, depth);
        knh_c_type(s, KN_ID_BOOL);
        EMIT(s, " m%d = ", loop);
        if (outer == KNH_NO_LOOP) {
            knh_c_call(s, "live", KN_ID_BOOL);
            EMIT(s, "live);\n");
        } else {
            EMIT(s, "m%d;\n", outer);
        }
    }
    line(s, depth);
    EMIT(s, "for (; t%d < w[%d]; t%d++) {\n", loop, loop, loop);
}

static void condition(knh_c_stage *s, const knk_inst *n, int depth)
{
    line(s, depth);
    EMIT(s, "m%d &= ", n->sub);
    knh_c_value(s, n->a);
    EMIT(s, ";\n");
    line(s, depth);
    EMIT(s, "if (!");
    knh_c_call(s, "any", KN_ID_BOOL);
    EMIT(s, "m%d))\n", n->sub);
    line(s, depth + 1);
    EMIT(s, "break;\n");
}

static void next_values(knh_c_stage *s, knk_node first, int depth)
{
    knk_node i;
    for (i = first; node(s, i)->op == KNK_NEXT; i++) {
        line(s, depth);
        EMIT(s, "const ");
        knh_c_type(s, node(s, i)->dtype);
        EMIT(s, " y%d = ", node(s, i)->a);
        knh_c_value(s, node(s, i)->b);
        EMIT(s, ";\n");
    }
    for (i = first; node(s, i)->op == KNK_NEXT; i++) {
        knk_node x = node(s, i)->a;
        line(s, depth);
        EMIT(s, "x%d = ", x);
        if (s->o.tested >> node(s, i)->sub & 1) {
            knh_c_call(s, "sel", node(s, i)->dtype);
            EMIT(s, "m%d, y%d, x%d);\n", node(s, i)->sub, x, x);
        } else {
            EMIT(s, "y%d;\n", x);
        }
    }
}

/* What so many turns add to the streams, or take from them again. */
static void move(knh_c_stage *s, int loop, bool back, int depth)
{
    for (int i = 0; i < s->o.n_stream; i++) {
        if (!knh_order_moves(&s->o, i, loop))
            continue;
        bool number = s->o.stream[i].kind == KNH_NUMBER;
        line(s, depth);
        EMIT(s, number ? "p%d = (i64)((u64)p%d %c " : "p%d = (char *)((u64)p%d %c ", i, i, back ? '-' : '+');
        if (back)
            EMIT(s, "(u64)t%d * ", loop);
        EMIT(s, "(u64)w[%d]);\n", step_word(s, i, loop));
    }
}

static void end(knh_c_stage *s, int loop, int depth)
{
    line(s, depth);
    EMIT(s, "if (--asking->left < 0 && !asking->ask(asking))\n");
    line(s, depth + 1);
    EMIT(s, "return;\n");
    move(s, loop, false, depth);
    line(s, depth - 1);
    EMIT(s, "}\n");
    move(s, loop, true, depth - 1);
}

int knh_c_loop_item(knh_c_stage *s, const knh_item *item, int depth)
{
    const knk_inst *n = node(s, item->node);
    switch (item->what) {
    case KNH_DO_LOOP: begin(s, item->node, depth); return depth + 1;
    case KNH_DO_WHILE: condition(s, n, depth); return depth;
    case KNH_DO_NEXT: next_values(s, item->node, depth); return depth;
    default: end(s, n->sub, depth); return depth - 1;
    }
}

void knh_c_loop_words(knh_c_stage *s)
{
    if (s->o.n_loop)
        EMIT(s,
             "    const i64 *const w = &args->stream[%d].at;\n"
             "    struct knh_asking *const asking = args->asking;\n",
             s->o.n_stream);
}
