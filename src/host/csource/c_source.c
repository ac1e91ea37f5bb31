/* SPDX-License-Identifier: Apache-2.0
 * c_source.c -- a stage function as C: NAME_piece is the code for the lanes of one vector (c_piece.c), inlined into the
 * loops of NAME. Vectors have 16 lanes, or 8 if the stage has 64-bit values.
 *
 * A reduction along the lanes has its 64 accumulators in an array t, and in variables of their own while whole blocks
 * of 64 elements follow each other. */
#include "host/csource/c_source.h"
#include "host/csource/c_loops.h"
#include "kernel/internal.h"
#include <inttypes.h>
#include <string.h>

enum { MOST_INLINED = 600 }; /* operations in the copies of a piece that have accumulators of their own */
#define EMIT(s, ...) knx_str_printf((s)->t, __VA_ARGS__)

static const knk_inst *node(const knh_c_stage *s, knk_node x) { return &s->o.k->node[x]; }
static bool along(const knh_c_stage *s) { return s->o.r->mode == KNH_ROWS || s->o.r->mode == KNH_RUNS; }
static uint32_t all_lanes(const knh_c_stage *s) { return (1u << s->lanes) - 1; }

static int count_reductions(const knh_c_stage *s)
{
    int n = 0;
    for (int i = s->o.first; i < s->o.end; i++)
        n += node(s, i)->op == KNK_REDUCE;
    return n;
}

static int count_operations(const knh_c_stage *s)
{
    int n = 0;
    for (int i = s->o.first; i < s->o.end; i++)
        n += s->o.live[i] && !s->o.uniform[i] && node(s, i)->op != KNK_CONST;
    return n;
}

/* The parameters of the piece as they are declared, or given; accumulators come last, by the caller. */
static void parameters(knh_c_stage *s, bool declared)
{
    for (int i = 0; i < s->o.n_stream; i++) {
        if (!s->o.used_piece[i])
            continue;
        bool number = s->o.stream[i].kind == KNH_NUMBER;
        EMIT(s, declared ? (number ? "i64 p%d, " : "char *p%d, ") : "p%d, ", i);
        if (s->o.r->cls[i] == KNK_STRIDE_ANY)
            EMIT(s, declared ? "i64 s%d, " : "s%d, ", i);
    }
    for (int i = 0; i < s->o.end; i++) {
        if (!s->param[i])
            continue;
        if (declared) {
            knh_c_type(s, node(s, i)->dtype);
            EMIT(s, " ");
        }
        EMIT(s, "x%d, ", i);
    }
    if (s->o.n_loop)
        EMIT(s, declared ? "const i64 *w, struct knh_asking *asking, " : "w, asking, ");
}

void knh_c_put(knh_c_stage *s, int stream, knk_node x)
{
    bool adjacent = s->o.r->cls[stream] == KNK_STRIDE_ONE;
    EMIT(s, "    ");
    knh_c_call(s, adjacent ? "store" : "store_by", s->o.stream[stream].dtype);
    knh_c_address(s, stream);
    EMIT(s, ", ");
    if (!adjacent) {
        knh_c_step(s, stream);
        EMIT(s, ", ");
    }
    knh_c_value(s, x);
    EMIT(s, ", live);\n");
}

static void comb(knh_c_stage *s, const knk_inst *n)
{
    char name[16];
    snprintf(name, sizeof name, "comb_%s", knk_reduction_name[n->sub]);
    knh_c_call(s, name, n->dtype);
}

void knh_c_reduce(knh_c_stage *s, knk_node x)
{
    const knk_inst *n = node(s, x);
    int stream = along(s) ? -1 : knh_order_stream_of(&s->o, KNH_PARTIAL, x);
    EMIT(s, "    const ");
    knh_c_type(s, n->dtype);
    EMIT(s, " x%d = ", x);
    comb(s, n);
    if (along(s)) {
        EMIT(s, "*a%d", x);
    } else if (s->o.r->cls[stream] == KNK_STRIDE_ONE) {
        knh_c_call(s, "load", n->dtype);
        knh_c_address(s, stream);
        EMIT(s, ", live)");
    } else {
        knh_c_call(s, "load_by", n->dtype);
        knh_c_address(s, stream);
        EMIT(s, ", ");
        knh_c_step(s, stream);
        EMIT(s, ", live)");
    }
    EMIT(s, ", ");
    knh_c_value(s, n->a);
    EMIT(s, ");\n");
    if (!along(s)) {
        knh_c_put(s, stream, x);
        return;
    }
    EMIT(s, "    *a%d = live == 0x%xu ? x%d : ", x, all_lanes(s), x);
    knh_c_call(s, "sel", n->dtype);
    knh_c_call(s, "live", KN_ID_BOOL);
    EMIT(s, "live), x%d, *a%d);\n", x, x);
}

static void piece(knh_c_stage *s)
{
    EMIT(s, "KN_INLINE void %s_piece(", s->name);
    parameters(s, true);
    EMIT(s, "i64 i, u32 live");
    for (int i = s->o.first; i < s->o.end; i++)
        if (along(s) && node(s, i)->op == KNK_REDUCE) {
            EMIT(s, ", ");
            knh_c_type(s, node(s, i)->dtype);
            EMIT(s, " *a%d", i);
        }
    EMIT(s, ")\n{\n    (void)i, (void)live;\n");
    knh_c_imports(s, false);
    knh_c_items(s);
    EMIT(s, "}\n\n");
}

static void call_piece(knh_c_stage *s, const char *indent, const char *i, const char *live, const char *accumulator)
{
    EMIT(s, "%s%s_piece(", indent, s->name);
    parameters(s, false);
    EMIT(s, "%s, %s", i, live);
    for (int x = s->o.first; x < s->o.end; x++)
        if (along(s) && node(s, x)->op == KNK_REDUCE)
            EMIT(s, accumulator[0] == '[' ? ", &t%d%s" : ", &t%d%s", x, accumulator);
    EMIT(s, ");\n");
}

/* Lanes without accumulators along them. */
static void plain_loop(knh_c_stage *s)
{
    char all[16];
    snprintf(all, sizeof all, "0x%xu", all_lanes(s));
    EMIT(s, "        i64 i = 0;\n        for (; i + %d <= n; i += %d)\n", s->lanes, s->lanes);
    call_piece(s, "            ", "i", all, "");
    EMIT(s, "        if (i < n)\n");
    call_piece(s, "            ", "i", "(1u << (n - i)) - 1", "");
}

/* For every reduction: a line. %1: number of the node */
static void each_reduction(knh_c_stage *s, void (*line)(knh_c_stage *s, knk_node x, int groups))
{
    for (int i = s->o.first; i < s->o.end; i++)
        if (node(s, i)->op == KNK_REDUCE)
            line(s, i, 64 / s->lanes);
}

static void begin_accumulators(knh_c_stage *s, knk_node x, int groups)
{
    const knk_inst *n = node(s, x);
    EMIT(s, "        ");
    knh_c_type(s, n->dtype);
    EMIT(s, " t%d[%d];\n        for (int g = 0; g < %d; g++)\n            t%d[g] = ", x, groups, groups, x);
    if (s->o.r->mode == KNH_ROWS) {
        knh_c_constant(s, n->dtype, knk_reduction_identity(n->sub, n->dtype));
    } else {
        knh_c_call(s, "load", n->dtype);
        EMIT(s, "p%d + g * %d, 0x%xu)", knh_order_stream_of(&s->o, KNH_PARTIAL, x), s->lanes * knk_size(n->dtype),
             all_lanes(s));
    }
    EMIT(s, ";\n");
}

static void end_accumulators(knh_c_stage *s, knk_node x, int groups)
{
    const knk_inst *n = node(s, x);
    if (s->o.r->mode == KNH_ROWS) {
        char name[16];
        snprintf(name, sizeof name, "%s_%s", groups == 4 ? "joint" : "join", knk_reduction_name[n->sub]);
        EMIT(s, "        ");
        knh_c_call(s, "put_one", n->dtype);
        EMIT(s, "p%d, ", knh_order_stream_of(&s->o, KNH_EXPORT, x));
        knh_c_call(s, name, n->dtype);
        EMIT(s, "t%d));\n", x);
        return;
    }
    EMIT(s, "        for (int g = 0; g < %d; g++)\n            ", groups);
    knh_c_call(s, "store", n->dtype);
    EMIT(s, "p%d + g * %d, t%d[g], 0x%xu);\n", knh_order_stream_of(&s->o, KNH_PARTIAL, x),
         s->lanes * knk_size(n->dtype), x, all_lanes(s));
}

static void to_variables(knh_c_stage *s, knk_node x, int groups)
{
    EMIT(s, "                ");
    knh_c_type(s, node(s, x)->dtype);
    for (int g = 0; g < groups; g++)
        EMIT(s, "%s t%d_%d = t%d[%d]", g ? "," : "", x, g, x, g);
    EMIT(s, ";\n");
}

static void from_variables(knh_c_stage *s, knk_node x, int groups)
{
    EMIT(s, "               ");
    for (int g = 0; g < groups; g++)
        EMIT(s, " t%d[%d] = t%d_%d;", x, g, x, g);
    EMIT(s, "\n");
}

/* Whole blocks of 64 elements. */
static void block_loop(knh_c_stage *s)
{
    int groups = 64 / s->lanes;
    bool variables = count_operations(s) * groups <= MOST_INLINED;
    char all[16], i[32], accumulator[16];
    snprintf(all, sizeof all, "0x%xu", all_lanes(s));
    if (variables)
        each_reduction(s, to_variables);
    EMIT(s, "                do {\n");
    if (!variables) {
        snprintf(i, sizeof i, "i + g * %d", s->lanes);
        EMIT(s, "                    for (int g = 0; g < %d; g++)\n", groups);
        call_piece(s, "                        ", i, all, "[g]");
    }
    for (int g = 0; variables && g < groups; g++) {
        snprintf(i, sizeof i, "i + %d", g * s->lanes);
        snprintf(accumulator, sizeof accumulator, "_%d", g);
        call_piece(s, "                    ", i, all, accumulator);
    }
    EMIT(s, "                    i += 64;\n                } while (n - i >= 64);\n");
    if (variables)
        each_reduction(s, from_variables);
}

/* Lanes along the elements of reductions: e is the number of the accumulator that element i meets. */
static void reduction_loop(knh_c_stage *s)
{
    EMIT(s, "        i64 i = 0, e = %s;\n        while (i < n) {\n            if (e == 0 && n - i >= 64) {\n",
         s->o.r->mode == KNH_RUNS ? "args->phase" : "0");
    block_loop(s);
    EMIT(s,
         "            } else {\n                const i64 l = e %% %d, room = %d - l, m = n - i < room ? n - i : "
         "room;\n",
         s->lanes, s->lanes);
    EMIT(s, "                const u32 live = ((1u << m) - 1) << l;\n");
    char accumulator[16];
    snprintf(accumulator, sizeof accumulator, "[e / %d]", s->lanes);
    call_piece(s, "                ", "i - l", "live", accumulator);
    EMIT(s, "                i += m;\n                e = (e + m) %% 64;\n            }\n        }\n");
}

static void row_start(knh_c_stage *s)
{
    for (int i = 0; i < s->o.n_stream; i++) {
        if (!s->o.used_row[i] && !s->o.used_piece[i])
            continue;
        bool number = s->o.stream[i].kind == KNH_NUMBER;
        EMIT(s, "        %sp%d = %sargs->stream[%d].at + r * args->stream[%d].row_step%s;\n",
             number ? "const i64 " : "char *const ", i, number ? "(i64)((u64)" : "(char *)(", i, i, ")");
        if (s->o.r->cls[i] == KNK_STRIDE_ANY && s->o.used_piece[i])
            EMIT(s, "        const i64 s%d = args->stream[%d].lane_step;\n", i, i);
    }
}

static void function(knh_c_stage *s)
{
    bool reduces = along(s) && count_reductions(s) > 0;
    EMIT(s, "void %s(struct knh_args *args);\nvoid %s(struct knh_args *args)\n{\n", s->name, s->name);
    EMIT(s, "    const i64 rows = args->rows, n = args->n;\n");
    if (!reduces || s->o.r->mode == KNH_RUNS)
        EMIT(s, "    if (n <= 0)\n        return;\n");
    knh_c_loop_words(s);
    EMIT(s, "    for (i64 r = 0; r < rows; r++) {\n");
    row_start(s);
    if (reduces)
        each_reduction(s, begin_accumulators);
    if (reduces)
        EMIT(s, "        if (n > 0) {\n");
    knh_c_imports(s, true);
    knh_c_uniform(s);
    if (reduces)
        reduction_loop(s);
    else
        plain_loop(s);
    if (reduces) {
        EMIT(s, "        }\n");
        each_reduction(s, end_accumulators);
    }
    EMIT(s, "    }\n}\n\n");
}

static knx_error *add_function(knh_c_unit *u, const knh_request *r, const char *name)
{
    knh_c_stage s = {.u = u, .t = &u->functions, .name = name};
    knx_error *e = knh_c_analyse(&s, r);
    if (!e) {
        piece(&s);
        function(&s);
    }
    knh_order_free(&s.o);
    return e;
}

knx_error *knh_c_sources(const knh_request *r, const char *const *name, int n, char **out)
{
    knx_error *e = NULL;
    knx_str text = {0};
    *out = NULL;
    knh_c_unit *u = knx_alloc_zero(sizeof *u);
    if (!u)
        return knx_error_nomem();
    for (int i = 0; i < n && !e; i++)
        e = add_function(u, &r[i], name[i]);
    if (!e) {
        knh_c_prologue(&text);
        knx_str_add(&text, u->helpers.s ? u->helpers.s : "", u->helpers.n);
        knx_str_add(&text, u->functions.s ? u->functions.s : "", u->functions.n);
        if (text.failed || u->helpers.failed || u->functions.failed)
            e = knx_error_nomem();
    }
    knx_free(u->helpers.s);
    knx_free(u->functions.s);
    knx_free(u);
    if (e)
        knx_free(text.s);
    else
        *out = text.s;
    return e;
}

knx_error *knh_c_source(const knh_request *r, const char *name, char **out) { return knh_c_sources(r, &name, 1, out); }
