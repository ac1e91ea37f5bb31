/* SPDX-License-Identifier: Apache-2.0
 * memory.c -- memory in WGSL: arrays of words, and functions that read and write elements of them.
 *
 * Elements of less than a word share one. Writing one is atomic then: the first step clears its bits, the second sets
 * them, so that whatever neighbours do at the same time, each finds its own bits. */
#include "wgsl/gen.h"
#include <stdio.h>

static int memory_of(const knw_gen *g, int buffer) { return g->r->memory[buffer]; }

void knw_find_memory(knw_gen *g)
{
    for (int s = g->part.first; s < g->part.end; s++)
        for (int i = g->k->stage[s].first; i < g->k->stage[s].end; i++) {
            const knk_inst *n = knw_node(g, i);
            if ((n->op != KNK_LOAD && n->op != KNK_STORE) || knw_is_handed(g, n->buffer) ||
                memory_of(g, n->buffer) == KNW_GIVEN)
                continue;
            knw_memory *m = &g->memory[memory_of(g, n->buffer)];
            bool writes = n->op == KNK_STORE;
            m->used = true;
            m->written |= writes;
            m->atomic |= writes && knk_size(knw_node(g, n->a)->dtype) < 4;
        }
}

/* ---- Elements of less than a word, wherever their words are. */

static const char *word_of(int size) { return size == 1 ? "2u" : "1u"; }

void knw_part_of_word(knx_str *t, const char *words, bool atomic, const char *at, int size)
{
    knx_str_printf(t, atomic ? "atomicLoad(&%s[%s >> %s])" : "%s[%s >> %s]", words, at, word_of(size));
    knx_str_printf(t, size == 1 ? " >> ((%s & 3u) << 3u)" : " >> ((%s & 1u) << 4u)", at);
}

void knw_put_part(knx_str *t, const char *words, const char *at, int size, const char *bits)
{
    unsigned mask = (1u << 8 * size) - 1;
    knx_str_printf(t, size == 1 ? "    let s = (%s & 3u) << 3u;\n" : "    let s = (%s & 1u) << 4u;\n", at);
    knx_str_printf(t, "    atomicAnd(&%s[%s >> %s], ~(%uu << s));\n", words, at, word_of(size), mask);
    knx_str_printf(t, "    atomicOr(&%s[%s >> %s], (%s & %uu) << s);\n", words, at, word_of(size), bits, mask);
}

/* ---- */

/* Where a buffer's words are: in a memory, or in the words of the launch. */
typedef struct source {
    char words[KNW_WORD_TEXT];
    bool atomic;
} source;

static source source_of(const knw_gen *g, int buffer)
{
    int m = memory_of(g, buffer);
    source from = {.atomic = m != KNW_GIVEN && g->memory[m].atomic};
    if (m == KNW_GIVEN)
        snprintf(from.words, sizeof from.words, "kn_w[%u]", (unsigned)knw_given_word(g->r, g->n_words, buffer) / 4);
    else
        snprintf(from.words, sizeof from.words, "memory%d", m);
    return from;
}

static void word(const source *m, knx_str *t, const char *at)
{
    knx_str_printf(t, m->atomic ? "atomicLoad(&%s[%s])" : "%s[%s]", m->words, at);
}

void knw_from_words(knx_str *t, int dtype, const char *a, const char *b)
{
    switch (dtype) {
    case KN_ID_BOOL: knx_str_printf(t, "(%s & 255u) != 0u", a); break;
    case KN_ID_F32: knx_str_printf(t, "bitcast<f32>(%s)", a); break;
    case KN_ID_I8:
    case KN_ID_I16:
    case KN_ID_I32: knx_str_printf(t, "bitcast<i32>(%s)", a); break;
    case KN_ID_I64:
    case KN_ID_U64: knx_str_printf(t, "vec2<u32>(%s, %s)", a, b); break;
    default: knx_str_puts(t, a);
    }
}

void knw_to_word(knx_str *t, int dtype, int which, const char *x)
{
    switch (dtype) {
    case KN_ID_BOOL: knx_str_printf(t, "select(0u, 1u, %s)", x); break;
    case KN_ID_F32:
    case KN_ID_I8:
    case KN_ID_I16:
    case KN_ID_I32: knx_str_printf(t, "bitcast<u32>(%s)", x); break;
    case KN_ID_I64:
    case KN_ID_U64: knx_str_printf(t, "%s.%c", x, "xy"[which]); break;
    default: knx_str_puts(t, x);
    }
}

static const char *name_of(int dtype) { return knx_dtype_table[dtype].short_name; }

/* "load0_f32", of memory 0; "given1_f32", of buffer 1. */
static void load_function(knw_gen *g, const source *m, const char *name, int number, int dtype)
{
    knx_str *t = &g->functions, low = {0}, high = {0};
    int size = knk_size(dtype), unused = 32 - 8 * size;
    knx_str_printf(t, "fn %s%d_%s(e: u32) -> %s {\n    return ", name, number, name_of(dtype), knw_type(dtype));
    if (size == 8) {
        word(m, &low, "2u * e");
        word(m, &high, "2u * e + 1u");
    } else if (size == 4) {
        word(m, &low, "e");
    } else if (knk_is_signed_id(dtype)) { /* shifted up, then down with its sign */
        knw_part_of_word(&low, m->words, m->atomic, "e", size);
        knx_str_printf(t, "bitcast<i32>((%s) << %du) >> %du;\n}\n", low.s ? low.s : "", unused, unused);
    } else if (dtype == KN_ID_BOOL) {
        knw_part_of_word(&low, m->words, m->atomic, "e", size);
        knx_str_printf(t, "((%s) & 255u) != 0u;\n}\n", low.s ? low.s : "");
    } else {
        knw_part_of_word(&low, m->words, m->atomic, "e", size);
        knx_str_printf(t, "(%s) & %uu;\n}\n", low.s ? low.s : "", (1u << 8 * size) - 1);
    }
    if (size >= 4) {
        knw_from_words(t, dtype, low.s ? low.s : "", high.s ? high.s : "");
        knx_str_puts(t, ";\n}\n");
    }
    t->failed |= low.failed || high.failed;
    knx_str_free(&low);
    knx_str_free(&high);
}

static void store_word(const knw_gen *g, knx_str *t, int m, const char *at, int dtype, int which)
{
    bool atomic = g->memory[m].atomic;
    knx_str_printf(t, atomic ? "    atomicStore(&memory%d[%s], " : "    memory%d[%s] = ", m, at);
    knw_to_word(t, dtype, which, "x");
    knx_str_puts(t, atomic ? ");\n" : ";\n");
}

static void store_function(knw_gen *g, int m, int dtype)
{
    knx_str *t = &g->functions;
    int size = knk_size(dtype);
    knx_str_printf(t, "fn store%d_%s(e: u32, x: %s) {\n", m, name_of(dtype), knw_type(dtype));
    if (size == 8) {
        store_word(g, t, m, "2u * e", dtype, 0);
        store_word(g, t, m, "2u * e + 1u", dtype, 1);
    } else if (size == 4) {
        store_word(g, t, m, "e", dtype, 0);
    } else {
        knx_str bits = {0};
        char words[KNW_WORD_TEXT];
        snprintf(words, sizeof words, "memory%d", m);
        knw_to_word(&bits, dtype, 0, "x");
        knw_put_part(t, words, "e", size, bits.s ? bits.s : "");
        t->failed |= bits.failed;
        knx_str_free(&bits);
    }
    knx_str_puts(t, "}\n");
}

void knw_buffer_begins(const knw_gen *g, knx_str *t, int buffer)
{
    const uint32_t *moves = g->piece ? g->piece->moves : NULL;
    knw_word(t, g->at.begin + (uint32_t)buffer);
    if (!moves || !moves[buffer])
        return;
    knx_str_puts(t, " + n1 * ");
    knw_word(t, moves[buffer]);
}

void knw_load_call(knw_gen *g, knx_str *t, int buffer, int dtype)
{
    int m = memory_of(g, buffer);
    bool given = m == KNW_GIVEN;
    char name[48];
    snprintf(name, sizeof name, "%s%s%s", given && g->piece ? g->piece->name : "", given && g->piece ? "_" : "",
             given ? "given" : "load");
    uint32_t *there = given ? &g->given[buffer] : &g->memory[m].load;
    const source from = source_of(g, buffer);
    if (!(*there >> dtype & 1))
        load_function(g, &from, name, given ? buffer : m, dtype);
    *there |= 1u << dtype;
    knx_str_printf(t, "%s%d_%s(", name, given ? buffer : m, name_of(dtype));
}

void knw_store_call(knw_gen *g, knx_str *t, int buffer, int dtype)
{
    int m = memory_of(g, buffer);
    if (!(g->memory[m].store >> dtype & 1))
        store_function(g, m, dtype);
    g->memory[m].store |= 1u << dtype;
    knx_str_printf(t, "store%d_%s(", m, name_of(dtype));
}

/* Words whose elements are all there are written as a whole: e and x are places and bits of n elements. */
static void put_function(knw_gen *g, int m, int dtype)
{
    knx_str *t = &g->functions;
    int size = knk_size(dtype), in_word = 4 / size;
    const char *name = name_of(dtype);
    knx_str_printf(t,
                   "fn put%d_%s(e: ptr<function, array<u32, 4>>, x: ptr<function, array<u32, 4>>, n: u32) {\n"
                   "    var s = 0u;\n    while (s < n) {\n        let first = (*e)[s];\n"
                   "        if (s + %du <= n && (first & %du) == 0u",
                   m, name, in_word, in_word - 1);
    for (int i = 1; i < in_word; i++)
        knx_str_printf(t, " && (*e)[s + %du] == first + %du", i, i);
    knx_str_printf(t, ") {\n            atomicStore(&memory%d[first >> %du], (*x)[s]", m, size == 1 ? 2 : 1);
    for (int i = 1; i < in_word; i++)
        knx_str_printf(t, " | ((*x)[s + %du] << %du)", i, 8 * size * i);
    knx_str_printf(t, ");\n            s += %du;\n        } else {\n            let at = (first & %du) << %du;\n",
                   in_word, in_word - 1, size == 1 ? 3 : 4);
    knx_str_printf(
        t,
        "            atomicAnd(&memory%d[first >> %du], ~(%uu << at));\n"
        "            atomicOr(&memory%d[first >> %du], (*x)[s] << at);\n            s++;\n        }\n    }\n}\n",
        m, size == 1 ? 2 : 1, (1u << 8 * size) - 1, m, size == 1 ? 2 : 1);
}

void knw_put_call(knw_gen *g, knx_str *t, int buffer, int dtype)
{
    int m = memory_of(g, buffer);
    if (!(g->memory[m].put >> dtype & 1))
        put_function(g, m, dtype);
    g->memory[m].put |= 1u << dtype;
    knx_str_printf(t, "put%d_%s(", m, name_of(dtype));
}

void knw_declare_memory(const knw_gen *g, knx_str *t)
{
    for (int m = 0; m < KNW_MOST_MEMORIES; m++) {
        const knw_memory *at = &g->memory[m];
        if (at->used)
            knx_str_printf(t, "@group(0) @binding(%d) var<storage, %s> memory%d: array<%s>;\n", m + 1,
                           at->written ? "read_write" : "read", m, at->atomic ? "atomic<u32>" : "u32");
    }
}
