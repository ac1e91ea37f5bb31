/* SPDX-License-Identifier: Apache-2.0
 * text.c -- the text of a dispatch, put together of its parts. */
#include "wgsl/gen.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void add_line(knw_gen *g, const char *format, va_list args)
{
    char line[256], *text = line;
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(line, sizeof line, format, args);
    if (n >= (int)sizeof line && (text = knx_alloc((size_t)n + 1)))
        vsnprintf(text, (size_t)n + 1, format, again);
    va_end(again);
    g->main.failed |= !text;
    if (text) {
        knx_str_pad(&g->main, ' ', 4 * g->depth);
        knx_str_puts(&g->main, text);
        knx_str_puts(&g->main, "\n");
    }
    if (text != line)
        knx_free(text);
}

void knw_line(knw_gen *g, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!g->dry)
        add_line(g, format, args);
    va_end(args);
}

void knw_open(knw_gen *g, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!g->dry)
        add_line(g, format, args);
    va_end(args);
    g->depth++;
}

void knw_close(knw_gen *g)
{
    g->depth--;
    knw_line(g, "}");
}

const char *knw_word_text(char to[KNW_WORD_TEXT], uint32_t word)
{
    snprintf(to, KNW_WORD_TEXT, "kn_w[%u].%c", word / 4, "xyzw"[word % 4]);
    return to;
}

void knw_word(knx_str *t, uint32_t word)
{
    char text[KNW_WORD_TEXT];
    knx_str_puts(t, knw_word_text(text, word));
}

/* Values that stages with other nodes use. */
void knw_find_shared(knw_gen *g)
{
    for (int i = 0; i < g->k->n_node; i++) {
        g->shared[i] |= g->at.kept[i] != 0;
        for (int j = 0; j < 3; j++) {
            knk_node x = knk_operand(knw_node(g, i), j);
            if (x >= 0 && knw_node(g, x)->stage != knw_node(g, i)->stage)
                g->shared[x] = 1;
        }
    }
}

bool knw_allocate(knw_gen *g, void **memory)
{
    size_t n = (size_t)g->k->n_node + 1, maps = (size_t)g->k->n_map + 1;
    size_t buffers = (size_t)g->k->n_buffer + 1;
    size_t bytes =
        n * (2 * sizeof(int32_t) + sizeof(knw_region) + 3 * sizeof(knw_block) + 4) + buffers * sizeof *g->given + maps;
    char *at = *memory = knx_alloc_zero(bytes);
    if (!at)
        return false;
    g->region = (void *)at, at += n * sizeof *g->region;
    g->block = (void *)at, at += n * sizeof *g->block;
    g->regions = (void *)at, at += n * sizeof *g->regions;
    g->blocks = (void *)at, at += 3 * n * sizeof *g->blocks;
    g->given = (void *)at, at += buffers * sizeof *g->given;
    g->low = (void *)at, at += n;
    g->shared = (void *)at, at += n;
    g->placed = (void *)at, at += n;
    g->loop = (void *)at, at += n;
    g->by_element = (void *)at;
    return true;
}

static void describe(const knw_gen *g, knx_str *t)
{
    static const char *const how[] = {"a point for each invocation", "a row for each workgroup of 64",
                                      "a block of a row for each workgroup of 64",
                                      "16 adjacent points for each workgroup of 64"};
    int mode = g->r->mode == KNW_PARTS ? (g->part.blocks ? 2 : 0) : g->r->mode;
    knx_str_printf(t, "// Kernel %016llx: %s", (unsigned long long)g->k->hash, how[mode]);
    if (g->r->mode == KNW_PARTS)
        knx_str_printf(t, "; dispatch %d of %d", g->r->part + 1, knw_parts(g->k));
    knx_str_puts(t, ".\n");
}

static knx_error *finish(knw_gen *g, char **out, uint32_t *memories)
{
    knx_str t = {0};
    describe(g, &t);
    if (g->unit->subgroups)
        knx_str_puts(&t, "enable subgroups;\n");
    knx_str_printf(&t, "@group(0) @binding(0) var<uniform> kn_w: array<vec4<u32>, %u>;\n", g->n_words / 4);
    knw_declare_memory(g, &t);
    knw_helpers(g->unit, &t);
    knx_str_puts(&t, g->functions.s ? g->functions.s : "");
    knx_str_puts(&t, g->main.s ? g->main.s : "");
    bool failed = t.failed || g->main.failed || g->functions.failed;
    for (int i = 0; i < 4; i++)
        failed |= g->operand[i].failed;
    *memories = 0;
    for (int m = 0; m < KNW_MOST_MEMORIES; m++)
        *memories |= g->memory[m].used ? 1u << m : 0;
    *out = failed ? NULL : knx_str_take(&t);
    knx_str_free(&t);
    return *out ? NULL : knx_error_nomem();
}

static knx_error *check(const knw_request *r)
{
    const char *why = knw_refuses(r->kernel);
    if (why)
        return knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "the kernel cannot run on WebGPU: %s", why);
    if (r->n_memory + (r->mode == KNW_PARTS) > KNW_MOST_MEMORIES)
        return knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "the kernel cannot run on WebGPU: %d memories", r->n_memory);
    if (r->mode == KNW_PARTS && (r->part < 0 || r->part >= knw_parts(r->kernel)))
        return knx_error_new(KN_ERROR_VALUE, "the kernel has %d dispatches, number %d is not one of them",
                             knw_parts(r->kernel), r->part);
    return NULL;
}

knx_error *knw_text(const knw_request *r, char **out, uint32_t *memories)
{
    char hidden[KNW_WORD_TEXT];
    void *memory = NULL;
    *out = NULL;
    *memories = 0;
    KN_TRY(check(r));
    knw_memory all[KNW_MOST_MEMORIES] = {0};
    knw_unit unit = {.facts = r->facts, .exact = r->exact, .hidden = knw_word_text(hidden, KNW_HIDDEN)};
    knw_gen g = {.r = r, .k = r->kernel, .part = {.join = -1, .end = r->kernel->n_stage}, .unit = &unit, .memory = all};
    if (r->mode == KNW_PARTS)
        knw_part_of(r->kernel, r->part, &g.part);
    knx_error *e = knw_lay_out(r->kernel, KNW_AT, r->mode == KNW_PARTS, &g.at);
    e = e ? e : knw_n_words(r, &g.n_words);
    if (!e && !knw_allocate(&g, &memory))
        e = knx_error_nomem();
    if (!e) {
        knw_find_memory(&g);
        knw_find_shared(&g);
        knw_find_low(&g);
        knw_write_main(&g);
        e = finish(&g, out, memories);
    }
    for (int i = 0; i < 4; i++)
        knx_str_free(&g.operand[i]);
    knx_str_free(&g.main);
    knx_str_free(&g.functions);
    knx_free(memory);
    knw_layout_free(&g.at);
    return e;
}
