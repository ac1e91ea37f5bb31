/* SPDX-License-Identifier: Apache-2.0
 * print.c -- kernels as text. The form, which knk_parse reads back:
 *
 *     kernel 1                      1 parallel loop
 *     buffer 0 f32 read
 *     buffer 1 f32 write
 *     stage 0 inner 1
 *     map 0 1 1                     classes of strides: parallel loops, then inner ones; 0, 1 or * each
 *       %0 = load f32 b0 m0         [index %i] [pred %p [other %o]]
 *       %1 = reduce.add f32 %0
 *     stage 1 inner 0
 *     map 1 1
 *       %2 = const f32 0x3f800000
 *       %3 = mul f32 %1 %2
 *       store b1 m1 %3                it has a number too, 4
 *
 * A cold select is `select.cold`. A stage with loops says how many after its inner extents, and its maps have a class
 * for each of them:
 *
 *     stage 0 inner 0 loops 1
 *     map 0 1 *
 *       loop.0
 *         %3 = carry.0 f32 %1
 *         while.0 %4
 *         next.0 %3 %5
 *       end.0
 *       %8 = last.0 f32 %3 */
#include "kernel/internal.h"
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

typedef struct out {
    char *s;
    size_t n, cap;
    bool failed;
} out;

static void add(out *o, const char *format, ...) KN_PRINTF_LIKE(2, 3);
static void add(out *o, const char *format, ...)
{
    char line[160];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (n < 0 || o->failed)
        return;
    if (o->n + (size_t)n + 1 > o->cap) {
        size_t cap = 2 * (o->n + (size_t)n + 256);
        char *s = knx_realloc(o->s, cap);
        if (!s) {
            o->failed = true;
            return;
        }
        o->s = s;
        o->cap = cap;
    }
    memcpy(o->s + o->n, line, (size_t)n + 1);
    o->n += (size_t)n;
}

static void print_operands(out *o, const knk_inst *n)
{
    if (n->op == KNK_LOAD) {
        if (n->a >= 0)
            add(o, " index %%%d", n->a);
        if (n->b >= 0)
            add(o, " pred %%%d", n->b);
        if (n->c >= 0)
            add(o, " other %%%d", n->c);
        return;
    }
    for (int i = 0; i < 3; i++)
        if (knk_operand(n, i) >= 0)
            add(o, " %%%d", knk_operand(n, i));
}

static void print_node(out *o, int i, const knk_inst *n, int depth)
{
    bool value = knk_op_table[n->op].result != 'V';
    add(o, "%*s", 2 + 2 * depth, "");
    if (value)
        add(o, "%%%d = ", i);
    add(o, "%s", knk_op_table[n->op].name);
    if (knk_is_loop_op(n->op))
        add(o, ".%d", n->sub);
    if (n->op == KNK_REDUCE)
        add(o, ".%s", knk_reduction_name[n->sub]);
    else if (n->op == KNK_SELECT && n->sub)
        add(o, ".cold");
    if (value)
        add(o, " %s", knx_dtype_table[n->dtype].short_name);
    if (n->op == KNK_CONST)
        add(o, " 0x%" PRIx64, n->imm);
    if (n->op == KNK_LOAD || n->op == KNK_STORE)
        add(o, " b%d", n->buffer);
    if (n->op == KNK_LOAD || n->op == KNK_STORE || n->op == KNK_INDEX)
        add(o, " m%d", n->map);
    print_operands(o, n);
    add(o, "\n");
}

knx_error *knk_text(const knk_kernel *k, char **text)
{
    out o = {0};
    *text = NULL;
    add(&o, "kernel %d\n", k->n_par);
    for (int i = 0; i < k->n_buffer; i++)
        add(&o, "buffer %d %s %s\n", i, knx_dtype_table[k->buffer[i].dtype].short_name,
            k->buffer[i].written ? "write" : "read");
    for (int s = 0; s < k->n_stage; s++) {
        add(&o, "stage %d inner %d", s, k->stage[s].n_inner);
        if (k->stage[s].n_loop)
            add(&o, " loops %d", k->stage[s].n_loop);
        add(&o, "\n");
        for (int m = 0; m < k->n_map; m++) {
            if (k->map[m].stage != s)
                continue;
            add(&o, "map %d", m);
            for (int d = 0; d < knk_map_loops(k, m); d++)
                add(&o, " %c", "01*"[k->map[m].cls[d]]);
            add(&o, "\n");
        }
        for (int i = k->stage[s].first, depth = 0; i < k->stage[s].end; i++) {
            depth -= k->node[i].op == KNK_END;
            print_node(&o, i, &k->node[i], depth);
            depth += k->node[i].op == KNK_LOOP;
        }
    }
    if (o.failed) {
        knx_free(o.s);
        return knx_error_nomem();
    }
    *text = o.s;
    return NULL;
}
