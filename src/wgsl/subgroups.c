/* SPDX-License-Identifier: Apache-2.0
 * subgroups.c -- the functions of joins.c for workgroups whose invocations exchange values within subgroups. At each
 * level of the tree both sides of a pair join the same two numbers, in the same order, so all invocations hold the
 * result in the end, and the bits are those of any other way. What is not in one subgroup passes through memory. */
#include "wgsl/gen.h"

static const char *name_of(const knk_inst *n) { return knx_dtype_table[n->dtype].short_name; }

static void join(knw_gen *g, knx_str *t, const knk_inst *n, const char *left, const char *right)
{
    knw_join(g->unit, t, (knk_reduction)n->sub, n->dtype, left, right);
}

/* fn KIND_add_f32(lane: u32, x: f32MORE) -> f32 { and its variables. */
static void begin(knw_gen *g, knx_str *t, const knk_inst *n, const char *kind, const char *more)
{
    const char *type = knw_type(n->dtype);
    if (g->r->facts->subgroup < KNW_LANES)
        knw_share_row(g, t, n);
    knx_str_printf(t,
                   "fn %s_%s_%s(lane: u32, x: %s%s) -> %s {\n    var v = x;\n    var other = x;\n"
                   "    var low = false;\n",
                   kind, knk_reduction_name[n->sub], name_of(n), type, more, type);
}

/* other = the value of invocation lane ^ d. */
static void exchange(knw_gen *g, knx_str *t, const knk_inst *n, unsigned d)
{
    const char *name = name_of(n);
    bool is_bool = n->dtype == KN_ID_BOOL; /* is no number */
    knx_str_printf(t, "    low = (lane & %uu) == 0u;\n", d);
    if (d >= g->r->facts->subgroup) {
        knx_str_printf(t,
                       "    row_%s[lane] = v;\n    workgroupBarrier();\n    other = row_%s[lane ^ %uu];\n"
                       "    workgroupBarrier();\n",
                       name, name, d);
        return;
    }
    g->unit->subgroups = true;
    knx_str_printf(t,
                   is_bool ? "    other = subgroupShuffleXor(select(0u, 1u, v), %uu) != 0u;\n"
                           : "    other = subgroupShuffleXor(v, %uu);\n",
                   d);
}

/* v = that of the pair. */
static void join_pair(knw_gen *g, knx_str *t, const knk_inst *n)
{
    knx_str_puts(t, "    {\n        let left = select(other, v, low);\n        let right = select(v, other, low);\n"
                    "        v = ");
    join(g, t, n, "left", "right");
    knx_str_puts(t, ";\n    }\n");
}

/* The four accumulators that are 16 invocations apart; where each is in a subgroup of its own all are read at once. */
static void join_groups(knw_gen *g, knx_str *t, const knk_inst *n)
{
    const char *name = name_of(n);
    if (g->r->facts->subgroup > 16) {
        for (unsigned d = 16; d <= 32; d *= 2) {
            exchange(g, t, n, d);
            join_pair(g, t, n);
        }
        return;
    }
    knx_str_printf(t, "    row_%s[lane] = x;\n    workgroupBarrier();\n", name);
    knw_join_four(g, t, n, "    ", "(lane & 15u)", 16, "workgroupBarrier();\n    v = ");
}

void knw_subgroup_rows(knw_gen *g, knx_str *t, const knk_inst *n)
{
    begin(g, t, n, "rows", "");
    join_groups(g, t, n);
    for (unsigned d = 8; d; d /= 2) {
        exchange(g, t, n, d);
        join_pair(g, t, n);
    }
    knx_str_puts(t, "    return v;\n}\n");
}

void knw_subgroup_columns(knw_gen *g, knx_str *t, const knk_inst *n)
{
    begin(g, t, n, "columns", "");
    join_groups(g, t, n);
    knx_str_puts(t, "    return v;\n}\n");
}

/* n values: neighbours, then pairs of these; what has no partner stays as it is. */
void knw_subgroup_pairs(knw_gen *g, knx_str *t, const knk_inst *n)
{
    begin(g, t, n, "pairs", ", n: u32");
    for (unsigned d = 1; d < KNW_LANES; d *= 2) {
        exchange(g, t, n, d);
        knx_str_printf(t, "    if ((lane & %uu) + %uu >= n) {\n        v = select(other, v, low);\n    } else ",
                       KNW_LANES - 2 * d, d);
        join_pair(g, t, n);
    }
    knx_str_puts(t, "    return v;\n}\n");
}
