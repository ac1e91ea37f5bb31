/* SPDX-License-Identifier: Apache-2.0
 * text.c -- the text of a pass: fn run(point, unit), which is what src/wgsl writes for an invocation that goes
 * through a point alone, in GLSL (translate.h); and main, which finds the point and keeps what the store of this
 * word was given. */
#include "glsl/plan.h"
#include "glsl/translate.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct writer {
    const kngl_plan *p;
    const kngl_pass *pass;
    knw_gen g;
    knw_unit unit;
    knw_request r;
    uint8_t memory_of[KNW_MOST_MEMORIES + 1];
    knw_memory memory[KNW_MOST_MEMORIES];
} writer;

static const char *text_of(const knx_str *s) { return s->s ? s->s : ""; }
static const knk_inst *node(const writer *w) { return &w->p->k->node[w->pass->node]; }

/* The dtype of the elements that a pass writes, as they lie in memory. */
static int dtype_of(const writer *w)
{
    return w->pass->what == KNGL_STORE ? w->p->k->node[node(w)->a].dtype : node(w)->dtype;
}

/* How many elements are in a word of the target: 4, 2, 1, or 0 if an element is two words. The scratch has one in
 * each. */
static int in_word(const writer *w)
{
    int size = knw_is_wide(dtype_of(w)) ? 8 : w->pass->what == KNGL_STORE ? knk_size(dtype_of(w)) : 4;
    return 4 / size;
}

/* ---- run, in WGSL ---- */

/* "BEFOREvalue of element n of a memory of the scratch;" */
static void scratch_line(writer *w, const char *before, uint32_t memory, int dtype, const char *n)
{
    char a[96], b[96];
    knx_str t = {0};
    snprintf(a, sizeof a, knw_is_wide(dtype) ? "memory%u[2u * (%s)]" : "memory%u[%s]", memory, n);
    snprintf(b, sizeof b, "memory%u[2u * (%s) + 1u]", memory, n);
    knw_from_words(&t, dtype, a, b);
    knw_line(&w->g, "%s%s;", before, text_of(&t));
    w->g.main.failed |= t.failed;
    knx_str_free(&t);
}

static bool is_used(const writer *w, knk_node x)
{
    for (int s = w->pass->first; s < w->pass->end; s++)
        for (int i = w->p->k->stage[s].first; i < w->p->k->stage[s].end; i++)
            for (int j = 0; j < 3; j++)
                if (knk_operand(&w->p->k->node[i], j) == x)
                    return true;
    return false;
}

/* Values of stages before. */
static void take_values(writer *w)
{
    char before[32];
    for (int x = 0; x < w->p->k->n_node; x++)
        if (w->p->value[x] && w->p->k->node[x].stage < w->pass->first && is_used(w, x)) {
            snprintf(before, sizeof before, "let v%d = ", x);
            scratch_line(w, before, w->p->value[x], w->p->k->node[x].dtype, "point");
        }
}

/* A value for the word: as a store of element 0. */
static void give(writer *w, const char *name)
{
    static const char format[] = "store%u_%s(0u, %s);";
    const char *dtype = knx_dtype_table[dtype_of(w)].short_name;
    knx_str_printf(&w->g.functions, "fn store%u_%s(e: u32, x: %s) {\n}\n", w->pass->target, dtype,
                   knw_type(dtype_of(w)));
    knw_line(&w->g, format, w->pass->target, dtype, name);
}

static const char *number_of_blocks(const writer *w, char to[KNW_WORD_TEXT])
{
    int stage = node(w)->stage;
    return knw_word_text(to, w->g.at.inner[stage] + (uint32_t)w->p->k->stage[stage].n_inner + 1);
}

static void lanes(writer *w)
{
    char word[KNW_WORD_TEXT], name[16];
    int stage = node(w)->stage;
    knw_line(&w->g, "let lane = unit & 63u;");
    knw_line(&w->g, "let begin = (unit >> 6u) * 16384u;");
    knw_line(&w->g, "let end = min(begin + 16384u, %s);",
             knw_word_text(word, w->g.at.inner[stage] + (uint32_t)w->p->k->stage[stage].n_inner));
    knw_begin_stage(&w->g, stage);
    knw_points_of_maps(&w->g);
    knw_accumulators(&w->g, "begin + lane", "end", "64u");
    snprintf(name, sizeof name, "a%d", w->pass->node);
    give(w, name);
}

static void declare(writer *w, char c, int length)
{
    const knk_inst *n = node(w);
    knx_str t = {0};
    knw_identity(&w->unit, &t, (knk_reduction)n->sub, n->dtype);
    knw_line(&w->g, "var v%d: %s = %s;", w->pass->node, knw_type(n->dtype), text_of(&t));
    knw_line(&w->g, "var %c%d: array<%s, %d>;", c, w->pass->node, knw_type(n->dtype), length);
    w->g.main.failed |= t.failed;
    knx_str_free(&t);
}

static void join_line(writer *w, const char *before, knw_join_kind kind, const char *arguments)
{
    knx_str t = {0};
    knw_join_call(&w->g, &t, kind, node(w));
    knw_line(&w->g, "%s%s%s);", before, text_of(&t), arguments);
    w->g.main.failed |= t.failed;
    knx_str_free(&t);
}

/* The 64 accumulators of a block as the leaves of a tree: the four groups of 16 first, then lanes by halves. */
static void blocks(writer *w)
{
    char word[KNW_WORD_TEXT], value[16], before[32], arguments[64], element[96];
    int x = w->pass->node;
    snprintf(value, sizeof value, "v%d", x);
    snprintf(before, sizeof before, "v%d = ", x);
    declare(w, 'c', 6);
    knw_open(&w->g, "for (var q = 0u; q < 64u; q++) {");
    knw_line(&w->g, "let leaf = (reverseBits(q >> 2u) >> 28u) + ((q & 3u) << 4u);");
    snprintf(element, sizeof element, "(point * %s + unit) * 64u + leaf", number_of_blocks(w, word));
    scratch_line(w, "let x = ", w->p->lanes[x], node(w)->dtype, element);
    snprintf(arguments, sizeof arguments, "&c%d, q, x", x);
    join_line(w, before, KNW_TREE, arguments);
    knw_close(&w->g);
    give(w, value);
}

/* The blocks of a row. */
static void total(writer *w)
{
    char word[KNW_WORD_TEXT], value[16], before[32], arguments[64], element[96];
    int x = w->pass->node;
    snprintf(value, sizeof value, "v%d", x);
    snprintf(before, sizeof before, "v%d = ", x);
    declare(w, 's', KNW_COUNTER);
    number_of_blocks(w, word);
    knw_open(&w->g, "for (var block = 0u; block < %s; block++) {", word);
    snprintf(element, sizeof element, "point * %s + block", word);
    scratch_line(w, "let x = ", w->p->blocks[x], node(w)->dtype, element);
    snprintf(arguments, sizeof arguments, "&s%d, block, x", x);
    join_line(w, "", KNW_BLOCK, arguments);
    knw_close(&w->g);
    snprintf(arguments, sizeof arguments, "&s%d, %s", x, word);
    join_line(w, before, KNW_TOTAL, arguments);
    give(w, value);
}

static void run(writer *w)
{
    knw_gen *g = &w->g;
    knw_open(g, "fn run(point: u32, unit: u32) {");
    knw_indices(g, 'i', "point", g->k->n_par, g->at.par);
    take_values(w);
    if (w->pass->what == KNGL_LANES) {
        lanes(w);
    } else if (w->pass->what == KNGL_BLOCKS) {
        blocks(w);
    } else if (w->pass->what == KNGL_VALUE && w->pass->first == w->pass->end) {
        total(w);
    } else if (w->pass->inner) {
        knw_begin_stage(g, w->pass->first);
        knw_points_of_maps(g);
        knw_line(g, "let i = unit;");
        knw_inner_point(g);
    } else {
        knw_write_stages(g);
        if (w->pass->what == KNGL_VALUE) {
            knx_str name = {0};
            knw_name(g, &name, w->pass->node);
            give(w, text_of(&name));
            g->main.failed |= name.failed;
            knx_str_free(&name);
        }
    }
    knw_close(g);
}

/* ---- the rest, in GLSL ---- */

/* What a store keeps of its value, if it is the one that this word is about. */
static void put_store(const writer *w, knx_str *t, int memory, int dtype)
{
    const char *type = knw_is_wide(dtype)        ? "uvec2"
                       : dtype == KN_ID_F32      ? "float"
                       : dtype == KN_ID_BOOL     ? "bool"
                       : knk_is_signed_id(dtype) ? "int"
                                                 : "uint";
    const char *bits = knw_is_wide(dtype)   ? "kn_high ? x.y : x.x"
                       : dtype == KN_ID_F32 ? "floatBitsToUint(x)"
                                            : "uint(x)";
    knx_str_printf(t, "void store%d_%s(uint e, %s x) {\n", memory, knx_dtype_table[dtype].short_name, type);
    if (memory == (int)w->pass->target && dtype == dtype_of(w))
        knx_str_printf(t, "    if (e == kn_element) {\n        kn_bits = %s;\n        kn_hit = true;\n    }\n", bits);
    knx_str_puts(t, "}\n");
}

static void put_stores(const writer *w, knx_str *t)
{
    for (int m = 0; m < KNW_MOST_MEMORIES; m++)
        for (int d = 0; d < KN_ID_COUNT; d++)
            if (w->memory[m].store >> d & 1)
                put_store(w, t, m, d);
    if (w->pass->what != KNGL_STORE)
        put_store(w, t, (int)w->pass->target, dtype_of(w));
}

/* kn_point: the point and the inner point of element kn_element; false: none writes it. */
static void put_point(const writer *w, knx_str *t)
{
    char own[KNW_WORD_TEXT], begin[KNW_WORD_TEXT];
    unsigned at = w->g.at.n_words / 4;
    snprintf(own, sizeof own, "kn_w[%u]", at);
    if (w->pass->what != KNGL_STORE) {
        knx_str_printf(t,
                       "bool kn_point(out uint point, out uint unit) {\n    point = kn_element / %s.y;\n"
                       "    unit = kn_element %% %s.y;\n    bool inside = kn_element < %s.x;\n    kn_element = 0u;\n"
                       "    return inside;\n}\n",
                       own, own, own);
        return;
    }
    knx_str_printf(t,
                   "bool kn_point(out uint point, out uint unit) {\n    uint rest = kn_element - %s - %s.x;\n"
                   "    bool inside = rest <= %s.y;\n    point = %s.z;\n    unit = %s.w;\n",
                   knw_word_text(begin, KNW_AT + w->pass->target), own, own, own, own);
    knx_str_printf(
        t,
        "    for (uint d = 0u; d < kn_w[0].y; d++) {\n        uvec4 by = kn_w[%uu + d];\n"
        "        uint index = rest / by.x;\n        inside = inside && index < by.y;\n"
        "        rest -= index * by.x;\n        point += index * by.z;\n        unit += index * by.w;\n    }\n"
        "    return inside && rest == 0u;\n}\n",
        at + 1);
}

static void put_main(const writer *w, knx_str *t)
{
    int n = in_word(w), bits = n ? 32 / n : 32;
    knx_str_printf(
        t, "void main() {\n    uint word = uint(gl_FragCoord.y) * %uu + uint(gl_FragCoord.x);\n    uint point, unit;\n",
        w->p->facts->width);
    if (n <= 1) {
        knx_str_puts(t, n ? "    kn_element = word;\n"
                          : "    kn_element = word >> 1u;\n    kn_high = (word & 1u) != 0u;\n");
        knx_str_puts(t, "    if (!kn_point(point, unit))\n        discard;\n    run(point, unit);\n"
                        "    if (!kn_hit)\n        discard;\n    kn_word = kn_bits;\n}\n");
        return;
    }
    knx_str_printf(
        t,
        "    uint result = 0u, have = 0u;\n    for (uint slot = 0u; slot < %du; slot++) {\n"
        "        kn_element = word * %du + slot;\n        kn_hit = false;\n"
        "        if (kn_point(point, unit))\n            run(point, unit);\n        if (kn_hit) {\n"
        "            result |= (kn_bits & 0x%xu) << (%du * slot);\n            have |= 0x%xu << (%du * slot);\n"
        "        }\n    }\n    if (have == 0u)\n        discard;\n",
        n, n, 0xffffffffu >> (32 - bits), bits, 0xffffffffu >> (32 - bits), bits);
    knx_str_puts(t,
                 "    if (kn_w[0].x != 0u && have != 0xffffffffu)\n        result |= kn_read(kn_old, word) & ~have;\n"
                 "    kn_word = result;\n}\n");
}

static uint64_t memories_of(const char *glsl)
{
    static const char call[] = "kn_read(memory";
    uint64_t used = 0;
    for (const char *s = glsl; (s = strstr(s, call));) {
        s += sizeof call - 1;
        used |= UINT64_C(1) << strtoul(s, NULL, 10);
    }
    return used;
}

static void put_head(const writer *w, knx_str *t, uint64_t memories, uint32_t n_words)
{
    unsigned shift = (unsigned)__builtin_ctz(w->p->facts->width);
    static const char *const what[] = {"a word of what it stores", "a word of a value", "a word of an accumulator",
                                       "a word of a block's value"};
    knx_str_printf(t, "#version 300 es\n// Kernel %016llx: %s for each fragment.\n", (unsigned long long)w->p->k->hash,
                   what[w->pass->what]);
    knx_str_puts(t, "precision highp float;\nprecision highp int;\nprecision highp usampler2D;\n");
    knx_str_printf(t, "uniform uvec4 kn_w[%u];\n", n_words / 4);
    for (int m = 0; m < KNGL_MOST_MEMORIES; m++)
        if (memories >> m & 1)
            knx_str_printf(t, "uniform usampler2D memory%d;\n", m);
    if (in_word(w) > 1)
        knx_str_puts(t, "uniform usampler2D kn_old;\n");
    knx_str_puts(
        t,
        "layout(location = 0) out uint kn_word;\nuint kn_element, kn_bits;\nbool kn_hit = false, kn_high = false;\n");
    knx_str_printf(t,
                   "uint kn_read(usampler2D m, uint at) {\n"
                   "    return texelFetch(m, ivec2(int(at & %uu), int(at >> %uu)), 0).x;\n}\n",
                   w->p->facts->width - 1, shift);
}

static knx_error *write(writer *w, knx_str *out, uint64_t *memories, uint32_t n_words)
{
    knw_gen *g = &w->g;
    knx_str wgsl = {0}, body = {0};
    knw_find_memory(g);
    knw_find_shared(g);
    knw_find_low(g);
    run(w);
    knw_helpers(&w->unit, &wgsl);
    knx_str_puts(&wgsl, text_of(&g->functions));
    knx_str_puts(&wgsl, text_of(&g->main));
    bool failed = wgsl.failed || g->main.failed || g->functions.failed;
    for (int i = 0; i < 4; i++)
        failed |= g->operand[i].failed;
    knx_error *e = failed ? knx_error_nomem() : kngl_translate(text_of(&wgsl), &body);
    *memories = e ? 0 : memories_of(text_of(&body));
    if (!e) {
        put_head(w, out, *memories, n_words);
        knx_str_puts(out, text_of(&body));
        put_stores(w, out);
        put_point(w, out);
        put_main(w, out);
        e = out->failed || body.failed ? knx_error_nomem() : NULL;
    }
    knx_str_free(&wgsl);
    knx_str_free(&body);
    return e;
}

static void free_writer(writer *w)
{
    for (int i = 0; i < 4; i++)
        knx_str_free(&w->g.operand[i]);
    knx_str_free(&w->g.main);
    knx_str_free(&w->g.functions);
}

knx_error *kngl_text(const kngl_plan *p, int pass, char **out, uint64_t *memories)
{
    writer w = {.p = p, .pass = &p->pass[pass]};
    char hidden[KNW_WORD_TEXT];
    void *lists = NULL;
    knx_str t = {0};
    *out = NULL;
    for (int b = 0; b <= KNW_MOST_MEMORIES; b++)
        w.memory_of[b] = (uint8_t)b;
    w.r = (knw_request){.kernel = p->k,
                        .facts = &p->facts->numbers,
                        .exact = p->facts->exact,
                        .mode = KNW_POINTS,
                        .memory = w.memory_of,
                        .n_memory = p->n_memory};
    w.unit =
        (knw_unit){.facts = &p->facts->numbers, .exact = p->facts->exact, .hidden = knw_word_text(hidden, KNW_HIDDEN)};
    w.g = (knw_gen){.r = &w.r,
                    .k = p->k,
                    .at = *kngl_layout(p),
                    .unit = &w.unit,
                    .memory = w.memory,
                    .part = {.join = -1, .first = w.pass->first, .end = w.pass->end}};
    knx_error *e = knw_allocate(&w.g, &lists) ? NULL : knx_error_nomem();
    e = e ? e : write(&w, &t, memories, kngl_n_words(p, pass));
    *out = e ? NULL : knx_str_take(&t);
    knx_str_free(&t);
    free_writer(&w);
    knx_free(lists);
    return e || *out ? e : knx_error_nomem();
}
