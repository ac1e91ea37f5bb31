/* SPDX-License-Identifier: Apache-2.0
 * joins.c -- functions that join partial results in the order of docs/determinism.md: the 64 accumulators of a block by
 * one invocation (tree) or by a workgroup (rows), and blocks (counter, total). subgroups.c has other ways. */
#include "wgsl/gen.h"
#include <stdio.h>

static const char *const kind_name[] = {"tree", "rows", "columns", "pairs", "counter", "total"};

static const char *name_of(const knk_inst *n) { return knx_dtype_table[n->dtype].short_name; }
static const char *how_of(const knk_inst *n) { return knk_reduction_name[n->sub]; }

static void join(knw_gen *g, knx_str *t, const knk_inst *n, const char *left, const char *right)
{
    knw_join(g->unit, t, (knk_reduction)n->sub, n->dtype, left, right);
}

void knw_join_four(knw_gen *g, knx_str *t, const knk_inst *n, const char *indent, const char *lane, int step,
                   const char *into)
{
    for (int i = 0; i < 4; i++)
        knx_str_printf(t, "%slet a%d = row_%s[%s + %du];\n", indent, i, name_of(n), lane, step * i);
    knx_str_printf(t, "%slet b0 = ", indent);
    join(g, t, n, "a0", "a1");
    knx_str_printf(t, ";\n%slet b1 = ", indent);
    join(g, t, n, "a2", "a3");
    knx_str_printf(t, ";\n%s%s", indent, into);
    join(g, t, n, "b0", "b1");
    knx_str_puts(t, ";\n");
}

/* Leaf q of a binary tree: each bit of q that is set closes a pair, whose left side waits in `s`. */
static void tree(knw_gen *g, knx_str *t, const knk_inst *n)
{
    const char *type = knw_type(n->dtype);
    knx_str_printf(t, "fn tree_%s_%s(s: ptr<function, array<%s, 6>>, q: u32, x: %s) -> %s {\n    var v = x;\n",
                   how_of(n), name_of(n), type, type, type);
    for (int i = 0; i < 6; i++) {
        const char left[] = {'a', (char)('0' + i), 0};
        knx_str_printf(
            t, "    if ((q & %du) == 0u) {\n        (*s)[%d] = v;\n        return v;\n    }\n    let a%d = (*s)[%d];\n",
            1 << i, i, i, i);
        knx_str_puts(t, "    v = ");
        join(g, t, n, left, "v");
        knx_str_puts(t, ";\n");
    }
    knx_str_puts(t, "    return v;\n}\n");
}

void knw_share_row(knw_gen *g, knx_str *t, const knk_inst *n)
{
    if (!(g->unit->shared_rows >> n->dtype & 1))
        knx_str_printf(t, "var<workgroup> row_%s: array<%s, %d>;\n", name_of(n), knw_type(n->dtype), KNW_LANES);
    g->unit->shared_rows |= 1u << n->dtype;
}

/* By a workgroup of 64: first the four groups of 16, then halves. */
static void rows(knw_gen *g, knx_str *t, const knk_inst *n)
{
    const char *type = knw_type(n->dtype), *name = name_of(n);
    knw_share_row(g, t, n);
    knx_str_printf(t, "fn rows_%s_%s(lane: u32, x: %s) -> %s {\n    row_%s[lane] = x;\n    workgroupBarrier();\n",
                   how_of(n), name, type, type, name);
    knx_str_puts(t, "    if (lane < 16u) {\n");
    char into[32];
    snprintf(into, sizeof into, "row_%s[lane] = ", name);
    knw_join_four(g, t, n, "        ", "lane", 16, into);
    knx_str_puts(t, "    }\n");
    knx_str_printf(t,
                   "    for (var half = 8u; half > 0u; half >>= 1u) {\n        workgroupBarrier();\n"
                   "        if (lane < half) {\n            let a = row_%s[lane];\n"
                   "            let b = row_%s[lane + half];\n            row_%s[lane] = ",
                   name, name, name);
    join(g, t, n, "a", "b");
    knx_str_puts(t, ";\n        }\n    }\n");
    knx_str_printf(
        t, "    workgroupBarrier();\n    let result = row_%s[0];\n    workgroupBarrier();\n    return result;\n}\n",
        name);
}

/* By the four invocations of a workgroup of 64 that share a point: each has a quarter of the tree. */
static void columns(knw_gen *g, knx_str *t, const knk_inst *n)
{
    const char *type = knw_type(n->dtype), *name = name_of(n);
    knw_share_row(g, t, n);
    knx_str_printf(t,
                   "fn columns_%s_%s(lane: u32, x: %s) -> %s {\n    row_%s[lane] = x;\n    workgroupBarrier();\n"
                   "    let column = lane & 15u;\n",
                   how_of(n), name, type, type, name);
    knw_join_four(g, t, n, "    ", "column", KNW_ADJACENT, "workgroupBarrier();\n    return ");
    knx_str_puts(t, "}\n");
}

/* n blocks, one for each invocation: pairs, then pairs of these; what has no partner stays as it is. That is what a
 * binary counter makes of them. */
static void pairs(knw_gen *g, knx_str *t, const knk_inst *n)
{
    const char *type = knw_type(n->dtype), *name = name_of(n);
    knw_share_row(g, t, n);
    knx_str_printf(t,
                   "fn pairs_%s_%s(lane: u32, x: %s, n: u32) -> %s {\n    row_%s[lane] = x;\n"
                   "    for (var d = 1u; d < 64u; d <<= 1u) {\n        workgroupBarrier();\n"
                   "        if ((lane & (2u * d - 1u)) == 0u && lane + d < n) {\n            let a = row_%s[lane];\n"
                   "            let b = row_%s[lane + d];\n            row_%s[lane] = ",
                   how_of(n), name, type, type, name, name, name, name);
    join(g, t, n, "a", "b");
    knx_str_printf(t,
                   ";\n        }\n    }\n    workgroupBarrier();\n    let result = row_%s[0];\n"
                   "    workgroupBarrier();\n    return result;\n}\n",
                   name);
}

/* Block number `block`: a binary counter, whose digits wait in `s`. */
static void counter(knw_gen *g, knx_str *t, const knk_inst *n)
{
    const char *type = knw_type(n->dtype);
    knx_str_printf(
        t,
        "fn counter_%s_%s(s: ptr<function, array<%s, %d>>, block: u32, x: %s) {\n    var v = x;\n    var d = 0u;\n"
        "    for (; ((block >> d) & 1u) != 0u; d++) {\n        let older = (*s)[d];\n        v = ",
        how_of(n), name_of(n), type, KNW_COUNTER, type);
    join(g, t, n, "older", "v");
    knx_str_puts(t, ";\n    }\n    (*s)[d] = v;\n}\n");
}

/* The digits that are left, from the newest one to the oldest. */
static void total(knw_gen *g, knx_str *t, const knk_inst *n)
{
    const char *type = knw_type(n->dtype);
    knx_str_printf(t,
                   "fn total_%s_%s(s: ptr<function, array<%s, %d>>, blocks: u32) -> %s {\n"
                   "    if (blocks == 0u) {\n        return ",
                   how_of(n), name_of(n), type, KNW_COUNTER, type);
    knw_identity(g->unit, t, (knk_reduction)n->sub, n->dtype);
    knx_str_printf(t,
                   ";\n    }\n    var d = countTrailingZeros(blocks);\n    var v = (*s)[d];\n"
                   "    for (d++; d < %du; d++) {\n        if (((blocks >> d) & 1u) != 0u) {\n"
                   "            let older = (*s)[d];\n            v = ",
                   KNW_COUNTER);
    join(g, t, n, "older", "v");
    knx_str_puts(t, ";\n        }\n    }\n    return v;\n}\n");
}

void knw_join_call(knw_gen *g, knx_str *t, knw_join_kind kind, const knk_inst *n)
{
    typedef void writer(knw_gen *, knx_str *, const knk_inst *);
    static writer *const write[] = {tree, rows, columns, pairs, counter, total};
    static writer *const by_subgroups[] = {tree, knw_subgroup_rows, knw_subgroup_columns, knw_subgroup_pairs, counter,
                                           total};
    bool subgroups = g->r->facts->subgroup && (kind != KNW_COLUMN || g->r->facts->subgroup == KNW_LANES);
    uint64_t *have = &g->unit->joins[kind][n->sub];
    if (!(*have >> n->dtype & 1))
        (subgroups ? by_subgroups : write)[kind](g, &g->functions, n);
    *have |= (uint64_t)1 << n->dtype;
    knx_str_printf(t, "%s_%s_%s(", kind_name[kind], how_of(n), name_of(n));
}
