/* SPDX-License-Identifier: Apache-2.0
 * cumulative.c -- cumsum, cumprod, cummax, cummin on the device, in the order of determinism.md: groups of 16 are
 * joined by a tree, a carry goes from group to group of a block, a prefix from block to block. Short lines, or many of
 * them: an invocation goes along each. Else the groups are made twice, and between that the carries and the
 * prefixes. */
#include "webgpu/routine/kinds.h"

enum { GROUP = 16, BLOCK = 16384, GROUPS = BLOCK / GROUP };

typedef struct cumulation {
    kng_maker *m;
    knk_reduction how;
    kn_dtype dtype, work; /* work: of the values between the passes */
    bool reverse;
    kng_lines l;
    uint64_t groups, blocks;    /* of a line */
    uint64_t carries, prefixes; /* in the scratch */
} cumulation;

static void begin(kng_code *c, const cumulation *x)
{
    kng_begin(c, x->m, 64);
    kng_along(c, &x->l);
    kng_word(c, "line_groups", x->groups);
    kng_word(c, "line_blocks", x->blocks);
    kng_fn_join(c, "join", x->how, x->dtype);
}

static void step_joins(kng_code *c)
{
    for (int s = 1; s < GROUP; s *= 2)
        for (int l = 0; l < GROUP; l++)
            if (l & s)
                KNG_BODY(c, "        y%d = join(y%d, y%d);\n", l, (l & ~(2 * s - 1)) + s - 1, l);
}

/* Statements: y0 .. y15, joined, of group `g` of `line`. */
static void make_group(kng_code *c, const cumulation *x)
{
    kng_ref(c, "x", x->dtype, 0, KNG_LOAD);
    KNG_HEAD(c, "fn element(line: u32, i: u32) -> %s {\n    if (i >= length()) { return ", kng_type(x->dtype));
    kng_zero(c, &c->head, x->dtype);
    KNG_HEAD(c, "; }\n    return load_x(place(line, %s));\n}\n", x->reverse ? "length() - 1u - i" : "i");
    for (int l = 0; l < GROUP; l++)
        KNG_BODY(c, "        var y%d = element(line, g * %uu + %uu);\n", l, GROUP, l);
    step_joins(c);
}

/* Statements that store them, joined with what comes before. */
static void store_group(kng_code *c, const cumulation *x)
{
    kng_ref(c, "y", x->dtype, 1, KNG_STORE);
    for (int l = 0; l < GROUP; l++) {
        KNG_BODY(c, "        if (carries) { y%d = join(carry, y%d); }\n", l, l);
        KNG_BODY(c, "        if (g * %uu + %uu < length()) {\n            let i = g * %uu + %uu;\n", GROUP, l, GROUP,
                 l);
        KNG_BODY(c, "            var z = y%d;\n            if (follows) { z = join(prefix, z); }\n", l);
        KNG_BODY(c, "            store_y(place(line, %s), z);\n        }\n", x->reverse ? "length() - 1u - i" : "i");
    }
}

static void whole_lines(const cumulation *x)
{
    kng_code c;
    begin(&c, x);
    kng_each(&c, x->l.lines);
    KNG_BODY(&c, "    let line = i;\n    var carry = ");
    kng_zero(&c, &c.body, x->dtype);
    KNG_BODY(&c,
             ";\n    var prefix = carry;\n    for (var g = 0u; g < line_groups(); g++) {\n"
             "        let carries = g %% %uu != 0u;\n        if (!carries && g != 0u) {\n"
             "            if (g == %uu) { prefix = carry; } else { prefix = join(prefix, carry); }\n        }\n"
             "        let follows = g >= %uu;\n",
             GROUPS, GROUPS, GROUPS);
    make_group(&c, x);
    store_group(&c, x);
    KNG_BODY(&c, "        carry = y%d;\n    }\n", GROUP - 1);
    kng_end(&c, kng_groups(x->l.lines, 64));
}

/* An invocation for each group of each line: their number. */
static uint64_t begin_groups(kng_code *c, const cumulation *x)
{
    uint64_t n = x->l.lines * x->groups;
    begin(c, x);
    kng_each(c, n);
    KNG_BODY(c, "    let line = i / line_groups();\n    let g = i %% line_groups();\n");
    return n;
}

static void group_totals(const cumulation *x)
{
    kng_code c;
    uint64_t n = begin_groups(&c, x);
    kng_room(&c, "carry", x->work, x->carries, KNG_STORE);
    make_group(&c, x);
    KNG_BODY(&c, "    store_carry(i, y%d);\n", GROUP - 1);
    kng_end(&c, kng_groups(n, 64));
}

/* Totals of groups become what comes before each; the block's own goes to the prefixes. A workgroup for each block. */
static void carries_of_blocks(const cumulation *x)
{
    kng_code c;
    begin(&c, x);
    kng_room(&c, "carry", x->work, x->carries, KNG_LOAD | KNG_STORE);
    kng_room(&c, "prefix", x->work, x->prefixes, KNG_STORE);
    KNG_HEAD(&c, "var<workgroup> total: array<%s, %u>;\n", kng_type(x->work), GROUPS);
    KNG_BODY(&c,
             "    let line = group / line_blocks();\n"
             "    let first = group %% line_blocks() * %uu;\n"
             "    let n = min(%uu, line_groups() - first);\n"
             "    let at = line * line_groups() + first;\n"
             "    for (var i = lane; i < n; i += 64u) { total[i] = load_carry(at + i); }\n"
             "    workgroupBarrier();\n"
             "    if (lane == 0u) {\n"
             "        var carry = total[0];\n"
             "        for (var i = 1u; i < n; i++) {\n"
             "            let t = total[i];\n            total[i] = carry;\n            carry = join(carry, t);\n"
             "        }\n"
             "        store_prefix(group, carry);\n"
             "    }\n"
             "    workgroupBarrier();\n"
             "    for (var i = lane; i < n; i += 64u) { store_carry(at + i, total[i]); }\n",
             GROUPS, GROUPS);
    kng_end(&c, x->l.lines * x->blocks);
}

static void prefixes_of_lines(const cumulation *x)
{
    kng_code c;
    begin(&c, x);
    kng_room(&c, "prefix", x->work, x->prefixes, KNG_LOAD | KNG_STORE);
    kng_each(&c, x->l.lines);
    KNG_BODY(&c, "    var prefix = load_prefix(i * line_blocks());\n"
                 "    for (var b = 1u; b < line_blocks(); b++) {\n"
                 "        let t = load_prefix(i * line_blocks() + b);\n"
                 "        store_prefix(i * line_blocks() + b, prefix);\n"
                 "        prefix = join(prefix, t);\n    }\n");
    kng_end(&c, kng_groups(x->l.lines, 64));
}

static void results(const cumulation *x)
{
    kng_code c;
    uint64_t n = begin_groups(&c, x);
    kng_room(&c, "carry", x->work, x->carries, KNG_LOAD);
    kng_room(&c, "prefix", x->work, x->prefixes, KNG_LOAD);
    KNG_BODY(&c,
             "    let carries = g %% %uu != 0u;\n    let follows = g >= %uu;\n"
             "    let carry = load_carry(i);\n"
             "    let prefix = load_prefix(line * line_blocks() + g / %uu);\n",
             GROUPS, GROUPS, GROUPS);
    make_group(&c, x);
    store_group(&c, x);
    kng_end(&c, kng_groups(n, 64));
}

static const char *refuses(const knw_facts *f, const knc_program *p, const knc_step *s)
{
    const kni_p_cumulative *q = kng_params(p, s);
    const char *why = kng_unfit(s);
    return why || kng_turns(f, (uint64_t)s->u.r.xt[0].dim[q->axis] / BLOCK) ? why : KNG_TOO_MANY_TURNS;
}

static knx_error *plan(knk_reduction how, const knw_facts *f, bool exact, const knc_program *p, const knc_step *s,
                       const kng_pattern *at, knx_arena *arena, kng_plan *out)
{
    kng_maker m;
    const kni_p_cumulative *q = kng_params(p, s);
    kng_make(&m, f, exact, p, s, at, arena, out);
    cumulation x = {.m = &m,
                    .how = how,
                    .dtype = s->u.r.xt[0].dtype,
                    .work = kng_wide(s->u.r.xt[0].dtype),
                    .reverse = q->reverse,
                    .l = kng_lines_of(s->u.r.xt[0], q->axis)};
    if (!x.l.lines || !x.l.length)
        return NULL;
    x.groups = kng_groups(x.l.length, GROUP);
    x.blocks = kng_groups(x.l.length, BLOCK);
    if (x.l.length <= 256 || (x.l.lines >= 4096 && kng_turns(f, x.groups))) {
        whole_lines(&x);
        return kng_made(&m);
    }
    x.carries = kng_scratch(&m, x.l.lines * x.groups * x.work->size);
    x.prefixes = kng_scratch(&m, x.l.lines * x.blocks * x.work->size);
    group_totals(&x);
    carries_of_blocks(&x);
    if (x.blocks > 1)
        prefixes_of_lines(&x);
    results(&x);
    return kng_made(&m);
}

#define CUMULATIVE(name, how)                                                                              \
    static knx_error *plan_##name(const knw_facts *f, bool exact, const knc_program *p, const knc_step *s, \
                                  const kng_pattern *at, knx_arena *arena, kng_plan *out)                  \
    {                                                                                                      \
        return plan(how, f, exact, p, s, at, arena, out);                                                  \
    }                                                                                                      \
    const kng_kind kng_##name = {.refuses = refuses, .plan = plan_##name};
CUMULATIVE(cumsum, KNK_RED_ADD)
CUMULATIVE(cumprod, KNK_RED_MUL)
CUMULATIVE(cummax, KNK_RED_MAX)
CUMULATIVE(cummin, KNK_RED_MIN)
