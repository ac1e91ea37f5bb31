/* SPDX-License-Identifier: Apache-2.0
 * c_kernel.c -- a whole kernel as C. Stages without inner loops run by lanes along the last parallel loop, those that
 * have some by lanes along the last inner one, with 64 accumulators in memory for each reduction. What joins those, and
 * the values of blocks, is the stage function of a small kernel, a sum over its one operand: so all arithmetic of the
 * text is c_source.c's, and this file writes addresses and loops. */
#include "host/csource/c_kernel.h"
#include "base/str.h"
#include "host/csource/c_source.h"
#include "kernel/internal.h"
#include <stdio.h>
#include <string.h>

enum { NAME = 96, MOST_NAME = 64 };

typedef struct part { /* a function that c_source.c writes */
    knh_request r;
    char name[NAME];
    knh_stream *stream;
    int n_stream;
} part;

typedef struct unit {
    const knk_kernel *k;
    const char *name;
    knx_str t;
    knx_arena arena;
    part *part; /* of the stages, then of joins */
    int n_part;
    int *slot; /* per node: where its value is kept for later stages, from 1 on; 0: it is not kept */
    int n_slot;
} unit;
#define EMIT(u, ...) knx_str_printf(&(u)->t, __VA_ARGS__)

static int lane_axis(const knk_kernel *k, int stage)
{
    int inner = k->stage[stage].n_inner;
    return inner ? k->n_par + inner - 1 : k->n_par - 1; /* -1: there is none */
}

static uint8_t class_of(const knk_kernel *k, int stage, knh_mode mode, const knh_stream *s)
{
    int axis = lane_axis(k, stage);
    if (s->map >= 0)
        return axis < 0 ? KNK_STRIDE_ZERO : k->map[s->map].cls[axis];
    bool along_inner = mode == KNH_ROWS || (mode == KNH_RUNS && s->kind == KNH_IMPORT);
    return along_inner ? KNK_STRIDE_ZERO : KNK_STRIDE_ONE;
}

static knx_error *add_part(unit *u, const knk_kernel *k, int stage, knh_mode mode, part **out)
{
    part *p = &u->part[u->n_part];
    knh_stream *all = knx_arena_alloc(&u->arena, KNH_MAX_STREAMS * sizeof *all);
    uint8_t *cls = knx_arena_alloc(&u->arena, KNH_MAX_STREAMS);
    if (!all || !cls)
        return knx_error_nomem();
    p->stream = all;
    p->n_stream = knh_streams(k, stage, mode, all);
    if (p->n_stream < 0)
        return knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "the stage has more than %d streams", KNH_MAX_STREAMS);
    for (int i = 0; i < p->n_stream; i++)
        cls[i] = class_of(k, stage, mode, &all[i]);
    p->r = (knh_request){.kernel = k, .stage = stage, .mode = mode, .cls = cls};
    u->n_part++;
    *out = p;
    return NULL;
}

/* ---- Joins. */

static knx_error *make_join(knk_reduction how, knx_dtype_id dtype, knk_kernel **out)
{
    knk_builder *b = knk_new(0);
    const uint8_t one = KNK_STRIDE_ONE;
    if (!b)
        return knx_error_nomem();
    int from = knk_add_buffer(b, dtype, false), to = knk_add_buffer(b, dtype, true);
    knk_begin_stage(b, 1);
    int map = knk_add_map(b, &one);
    knk_node sum = knk_reduce(b, how, knk_load(b, from, map, KNK_NONE, KNK_NONE, KNK_NONE));
    knk_begin_stage(b, 0);
    knk_store(b, to, knk_add_map(b, &one), sum);
    return knk_finish(b, out);
}

static void join_name(const unit *u, const knk_inst *n, char name[NAME])
{
    snprintf(name, NAME, "%s_join_%s_%s", u->name, knk_reduction_name[n->sub], knx_dtype_table[n->dtype].name);
}

static knx_error *add_join(unit *u, const knk_inst *n)
{
    char name[NAME];
    part *p;
    knk_kernel *k;
    join_name(u, n, name);
    for (int i = u->k->n_stage; i < u->n_part; i++)
        if (!strcmp(u->part[i].name, name))
            return NULL;
    KN_TRY(make_join((knk_reduction)n->sub, (knx_dtype_id)n->dtype, &k));
    knx_error *error = add_part(u, k, 0, KNH_ROWS, &p);
    if (error) {
        knk_release(k);
        return error;
    }
    memcpy(p->name, name, NAME);
    return NULL;
}

static knx_error *add_parts(unit *u)
{
    const knk_kernel *k = u->k;
    part *p;
    for (int s = 0; s < k->n_stage; s++) {
        KN_TRY(add_part(u, k, s, k->stage[s].n_inner ? KNH_RUNS : KNH_POINTS, &p));
        snprintf(p->name, NAME, "%s_lanes%d", u->name, s);
        for (int i = 0; i < p->n_stream; i++)
            if (p->stream[i].kind >= KNH_EXPORT)
                u->slot[p->stream[i].node] = ++u->n_slot;
    }
    for (int x = 0; x < k->n_node; x++)
        if (k->node[x].op == KNK_REDUCE)
            KN_TRY(add_join(u, &k->node[x]));
    return NULL;
}

/* ---- The text: words of a call. */

/* What the indices of the point, and of the inner loops but for the last, make of a stream's map. */
static void base(unit *u, const knh_stream *s, int n_inner)
{
    EMIT(u, "(map[%d].offset", s->map);
    for (int d = 0; d < u->k->n_par; d++)
        if (u->k->map[s->map].cls[d] != KNK_STRIDE_ZERO)
            EMIT(u, " + map[%d].stride[%d] * p[%d]", s->map, d, d);
    for (int j = 0; j < n_inner; j++)
        if (u->k->map[s->map].cls[u->k->n_par + j] != KNK_STRIDE_ZERO)
            EMIT(u, " + map[%d].stride[%d] * q[%d]", s->map, u->k->n_par + j, j);
    EMIT(u, ")");
}

static int unit_of(const knh_stream *s) { return s->kind == KNH_NUMBER ? 1 : knk_size(s->dtype); }

/* Where the stream begins. */
static void begin_stream(unit *u, const char *indent, const knh_stream *s, int i, int n_inner)
{
    EMIT(u, "%sa->stream[%d].at = ", indent, i);
    if (s->kind == KNH_MEMORY)
        EMIT(u, "(i64)(__UINTPTR_TYPE__)buffer[%d] + %d * ", s->buffer, unit_of(s));
    if (s->map >= 0)
        base(u, s, n_inner);
    else if (s->kind == KNH_PARTIAL)
        EMIT(u, "(i64)(__UINTPTR_TYPE__)t%d", s->node);
    else
        EMIT(u, "(i64)(__UINTPTR_TYPE__)&v[%d]", u->slot[s->node] - 1);
    EMIT(u, ";\n");
}

static void steps(unit *u, const part *p, int stage)
{
    int axis = lane_axis(u->k, stage);
    for (int i = 0; i < p->n_stream; i++) {
        const knh_stream *s = &p->stream[i];
        EMIT(u, "    a->stream[%d].row_step = 0;\n    a->stream[%d].lane_step = ", i, i);
        if (s->map < 0)
            EMIT(u, "%d;\n", p->r.cls[i] == KNK_STRIDE_ZERO ? 0 : unit_of(s));
        else if (p->r.cls[i] == KNK_STRIDE_ANY)
            EMIT(u, "map[%d].stride[%d] * %d;\n", s->map, axis, unit_of(s));
        else
            EMIT(u, "%d;\n", p->r.cls[i] == KNK_STRIDE_ONE ? unit_of(s) : 0);
    }
}

static void loop_words(unit *u, const part *p, int stage)
{
    int n = u->k->stage[stage].n_loop;
    if (n)
        EMIT(u, "    i64 *const w = &a->stream[0].at;\n");
    for (int l = 0; l < n; l++)
        EMIT(u, "    w[%zu] = inner[%d];\n", knh_loop_word(p->n_stream, n, -1, l), l);
    for (int i = 0; i < p->n_stream && n; i++) {
        const knh_stream *s = &p->stream[i];
        for (int l = 0; l < n; l++) {
            EMIT(u, "    w[%zu] = ", knh_loop_word(p->n_stream, n, i, l));
            if (s->map < 0 || u->k->map[s->map].cls[u->k->n_par + l] == KNK_STRIDE_ZERO)
                EMIT(u, "0;\n");
            else
                EMIT(u, "map[%d].stride[%d] * %d;\n", s->map, u->k->n_par + l, unit_of(s));
        }
    }
}

static void begin_stage(unit *u, const part *p, int stage)
{
    EMIT(
        u,
        "static void %s_stage%d(void *const *buffer, const i64 *inner, const struct %s_map *map, const i64 *p, u64 *v, "
        "i64 n)\n{\n",
        u->name, stage, u->name);
    EMIT(u, "    _Alignas(8) char room[%zu];\n    struct knh_args *const a = (struct knh_args *)(void *)room;\n",
         knh_args_bytes(p->n_stream, u->k->stage[stage].n_loop));
    EMIT(u, "    struct knh_asking asking = {0x7fffffffffffffff, %s_go_on};\n", u->name);
    EMIT(u, "    (void)buffer, (void)inner, (void)map, (void)p, (void)v, (void)n;\n");
    EMIT(u, "    a->rows = 1, a->phase = 0, a->asking = &asking;\n");
}

static void points_stage(unit *u, const part *p, int stage)
{
    begin_stage(u, p, stage);
    steps(u, p, stage);
    loop_words(u, p, stage);
    for (int i = 0; i < p->n_stream; i++)
        begin_stream(u, "    ", &p->stream[i], i, 0);
    EMIT(u, "    a->n = n;\n    %s(a);\n}\n\n", p->name);
}

/* ---- Stages with inner loops. */

typedef void line(unit *u, const knk_inst *n, knk_node x);

static void each_reduction(unit *u, int stage, line *f)
{
    const knk_stage *s = &u->k->stage[stage];
    for (int x = s->first; x < s->end; x++)
        if (u->k->node[x].op == KNK_REDUCE && u->slot[x])
            f(u, &u->k->node[x], x);
}

static int size_of(const knk_inst *n) { return knk_size(knk_memory_dtype(n->dtype)); }

static void declare(unit *u, const knk_inst *n, knk_node x)
{
    EMIT(u, "    _Alignas(64) char t%d[%d], s%d[%d];\n", x, 64 * size_of(n), x, KNK_RANKS * size_of(n));
    EMIT(u, "    const u64 z%d = 0x%llxu;\n", x,
         (unsigned long long)knk_reduction_identity((knk_reduction)n->sub, (knx_dtype_id)n->dtype));
}

static void set_identity(unit *u, const knk_inst *n, knk_node x)
{
    EMIT(u, "        for (int l = 0; l < 64; l++)\n            __builtin_memcpy(t%d + l * %d, &z%d, %d);\n", x,
         size_of(n), x, size_of(n));
}

static void call_join(unit *u, const char *indent, const knk_inst *n, const char *rest)
{
    char name[NAME];
    join_name(u, n, name);
    EMIT(u, "%s%s_call(%s, %s, %d);\n", indent, u->name, name, rest, size_of(n));
}

static void end_block(unit *u, const knk_inst *n, knk_node x)
{
    char rest[96];
    snprintf(rest, sizeof rest, "t%d, 64, s%d + waiting * %d", x, x, size_of(n));
    call_join(u, "        ", n, rest);
}

static void join_equals(unit *u, const knk_inst *n, knk_node x)
{
    char rest[128];
    snprintf(rest, sizeof rest, "s%d + (waiting - 2) * %d, 2, s%d + (waiting - 2) * %d", x, size_of(n), x, size_of(n));
    call_join(u, "            ", n, rest);
}

static void end_all(unit *u, const knk_inst *n, knk_node x)
{
    char rest[128];
    EMIT(u, "    for (int j = waiting; j > 1; j--)\n");
    snprintf(rest, sizeof rest, "s%d + (j - 2) * %d, 2, s%d + (j - 2) * %d", x, size_of(n), x, size_of(n));
    call_join(u, "        ", n, rest);
    EMIT(u, "    __builtin_memcpy(&v[%d], waiting ? (const char *)s%d : (const char *)&z%d, %d);\n", u->slot[x] - 1, x,
         x, size_of(n));
}

/* The elements of a block, by pieces of the last inner loop. */
static void block_pieces(unit *u, const part *p, int n_inner)
{
    int last = n_inner - 1;
    EMIT(
        u,
        "        for (i64 at = 0; at < block;) {\n            const i64 left = inner[%d] - q[%d], rest = block - at;\n",
        last, last);
    for (int i = 0; i < p->n_stream; i++)
        begin_stream(u, "            ", &p->stream[i], i, n_inner);
    EMIT(u,
         "            a->n = left < rest ? left : rest;\n            a->phase = at %% 64;\n            at += a->n;\n"
         "            q[%d] += a->n;\n            %s(a);\n",
         last, p->name);
    EMIT(u,
         "            for (int j = %d; j > 0 && q[j] == inner[j]; j--)\n                q[j] = 0, q[j - 1]++;\n        "
         "}\n",
         last);
}

static void inner_stage(unit *u, const part *p, int stage)
{
    int n_inner = u->k->stage[stage].n_inner;
    begin_stage(u, p, stage);
    EMIT(u, "    i64 total = 1, q[%d] = {0};\n    int waiting = 0;\n    unsigned char rank[%d];\n", n_inner, KNK_RANKS);
    EMIT(u, "    for (int j = 0; j < %d; j++)\n        total *= inner[j];\n", n_inner);
    each_reduction(u, stage, declare);
    steps(u, p, stage);
    EMIT(u,
         "    for (i64 done = 0; done < total; done += %d) {\n        const i64 block = total - done < %d ? total - "
         "done "
         ": %d;\n",
         KNK_SUM_BLOCK, KNK_SUM_BLOCK, KNK_SUM_BLOCK);
    each_reduction(u, stage, set_identity);
    block_pieces(u, p, n_inner);
    each_reduction(u, stage, end_block);
    EMIT(u, "        rank[waiting++] = 0;\n"
            "        for (; waiting > 1 && rank[waiting - 1] == rank[waiting - 2]; waiting--) {\n"
            "            rank[waiting - 2]++;\n");
    each_reduction(u, stage, join_equals);
    EMIT(u, "        }\n    }\n    (void)rank, (void)waiting;\n");
    each_reduction(u, stage, end_all);
    EMIT(u, "}\n\n");
}

/* ---- All points. */

static void helpers(unit *u)
{
    EMIT(u, "struct %s_map {\n    i64 offset;\n    const i64 *stride;\n};\n", u->name);
    EMIT(u, "static i64 %s_go_on(struct knh_asking *a) { return a->left = 0x7fffffffffffffff; }\n", u->name);
    if (u->n_part == u->k->n_stage)
        return;
    EMIT(u,
         "static void %s_call(void (*f)(struct knh_args *), char *from, i64 n, char *to, i64 size)\n{\n"
         "    _Alignas(8) char room[%zu];\n    struct knh_args *const a = (struct knh_args *)(void *)room;\n",
         u->name, knh_args_bytes(2, 0));
    EMIT(
        u,
        "    a->rows = 1, a->n = n, a->phase = 0, a->asking = 0;\n"
        "    a->stream[0].at = (i64)(__UINTPTR_TYPE__)from, a->stream[0].row_step = 0, a->stream[0].lane_step = size;\n"
        "    a->stream[1].at = (i64)(__UINTPTR_TYPE__)to, a->stream[1].row_step = a->stream[1].lane_step = 0;\n"
        "    f(a);\n}\n\n");
}

static void all_points(unit *u)
{
    const knk_kernel *k = u->k;
    bool lanes = k->n_stage == 1 && !k->stage[0].n_inner && k->n_par;
    int n = k->n_par - lanes;
    EMIT(u, "void %s(void *const *buffer, const i64 *par, const i64 *const *inner, const struct %s_map *map);\n",
         u->name, u->name);
    EMIT(u, "void %s(void *const *buffer, const i64 *par, const i64 *const *inner, const struct %s_map *map)\n{\n",
         u->name, u->name);
    EMIT(u,
         "    i64 p[%d] = {0};\n    u64 v[%d];\n    for (int d = 0; d < %d; d++)\n        if (!par[d])\n            "
         "return;\n",
         k->n_par + 1, u->n_slot + 1, k->n_par);
    EMIT(u, "    for (;;) {\n");
    for (int s = 0; s < k->n_stage; s++) {
        EMIT(u, "        %s_stage%d(buffer, inner[%d], map, p, v, ", u->name, s, s);
        if (lanes)
            EMIT(u, "par[%d]);\n", k->n_par - 1);
        else
            EMIT(u, "1);\n");
    }
    EMIT(u,
         "        int d = %d;\n        while (d >= 0 && ++p[d] == par[d])\n            p[d--] = 0;\n"
         "        if (d < 0)\n            return;\n    }\n}\n",
         n - 1);
}

static knx_error *stage_functions(unit *u, char **out)
{
    knh_request *r = knx_arena_alloc(&u->arena, (size_t)u->n_part * sizeof *r);
    const char **name = knx_arena_alloc(&u->arena, (size_t)u->n_part * sizeof *name);
    if (!r || !name)
        return knx_error_nomem();
    for (int i = 0; i < u->n_part; i++) {
        r[i] = u->part[i].r;
        name[i] = u->part[i].name;
    }
    return knh_c_sources(r, name, u->n_part, out);
}

static knx_error *write_all(unit *u)
{
    char *functions = NULL;
    KN_TRY(add_parts(u));
    KN_TRY(stage_functions(u, &functions));
    EMIT(u, "%s", functions);
    knx_free(functions);
    helpers(u);
    for (int s = 0; s < u->k->n_stage; s++)
        (u->k->stage[s].n_inner ? inner_stage : points_stage)(u, &u->part[s], s);
    all_points(u);
    return u->t.failed ? knx_error_nomem() : NULL;
}

knx_error *knh_c_kernel(const knk_kernel *k, const char *name, char **out)
{
    unit u = {.k = k, .name = name, .arena = KN_ARENA_INIT};
    *out = NULL;
    u.slot = knx_arena_zero(&u.arena, ((size_t)k->n_node + 1) * sizeof *u.slot);
    u.part = knx_arena_zero(&u.arena, ((size_t)k->n_stage + (size_t)k->n_node + 1) * sizeof *u.part);
    knx_error *error = NULL;
    if (strlen(name) > MOST_NAME)
        error = knx_error_new(KN_ERROR_VALUE, "the name has more than %d characters", MOST_NAME);
    else
        error = u.slot && u.part ? write_all(&u) : knx_error_nomem();
    for (int i = k->n_stage; i < u.n_part; i++)
        knk_release((knk_kernel *)(uintptr_t)u.part[i].r.kernel);
    knx_arena_free(&u.arena);
    if (error)
        knx_free(u.t.s);
    else
        *out = u.t.s;
    return error;
}
