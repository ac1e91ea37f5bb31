/* SPDX-License-Identifier: Apache-2.0
 * places.c -- to which elements maps lead: sums of an offset and of strides times indices, modulo 2^32, which is right
 * for all elements that are there. An INDEX is the same sum in 64 bits. */
#include "wgsl/gen.h"
#include <stdio.h>
#include <string.h>

static const uint8_t *classes(const knw_gen *g, int map) { return g->k->map[map].cls; }

/* The word of the stride of loop d. */
static uint32_t stride_word(const knw_gen *g, int map, int d)
{
    uint32_t size = g->at.wide[map] ? 2 : 1, at = g->at.map[map] + size;
    for (int i = 0; i < d; i++)
        at += classes(g, map)[i] == KNK_STRIDE_ANY ? size : 0;
    return at;
}

/* Index of loop d of the map's stage: "i0", "j1", "t2". */
static void index_name(const knw_gen *g, char to[16], int d)
{
    const knk_stage *st = &g->k->stage[g->stage];
    int inner = d - g->k->n_par;
    char *at = to;
    int number = d;
    *at++ = 'i';
    if (inner >= 0) {
        to[0] = st->n_inner ? 'j' : 't';
        number = inner;
    }
    if (number >= 10)
        *at++ = (char)('0' + number / 10);
    *at++ = (char)('0' + number % 10);
    *at = 0;
}

/* " + i0 * kn_w[3].x" for the loops from `first` to `end`. */
static void add_loops(const knw_gen *g, knx_str *t, int map, int first, int end)
{
    char name[16];
    for (int d = first; d < end; d++) {
        if (classes(g, map)[d] == KNK_STRIDE_ZERO)
            continue;
        index_name(g, name, d);
        knx_str_printf(t, " + %s", name);
        if (classes(g, map)[d] == KNK_STRIDE_ANY) {
            knx_str_puts(t, " * ");
            knw_word(t, stride_word(g, map, d));
        }
    }
}

static bool moves(const knw_gen *g, int map, int first, int end)
{
    for (int d = first; d < end; d++)
        if (classes(g, map)[d] != KNK_STRIDE_ZERO)
            return true;
    return false;
}

/* Whose element numbers are wanted: all but those of INDEX nodes with more than 32 bits. */
void knw_find_maps(knw_gen *g)
{
    memset(g->by_element, 0, (size_t)g->k->n_map);
    for (int i = g->first; i < g->end; i++) {
        const knk_inst *n = knw_node(g, i);
        bool element = (n->op == KNK_LOAD || n->op == KNK_STORE) && !knw_is_handed(g, n->buffer);
        if (element || (n->op == KNK_INDEX && g->low[i]))
            g->by_element[n->map] = 1;
    }
}

void knw_points_of_maps(knw_gen *g)
{
    bool inner = g->k->stage[g->stage].n_inner > 0;
    for (int m = 0; m < g->k->n_map; m++) {
        if (!g->by_element[m] || g->k->map[m].stage != g->stage)
            continue;
        knx_str t = {0};
        knw_word(&t, g->at.map[m]);
        add_loops(g, &t, m, 0, g->k->n_par);
        knw_line(g, "let %c%d = %s;", inner ? 'p' : 'e', m, t.s ? t.s : "");
        g->main.failed |= t.failed;
        knx_str_free(&t);
    }
}

void knw_elements_of_maps(knw_gen *g)
{
    for (int m = 0; m < g->k->n_map; m++) {
        if (!g->by_element[m] || g->k->map[m].stage != g->stage)
            continue;
        knx_str t = {0};
        add_loops(g, &t, m, g->k->n_par, knk_map_loops(g->k, m));
        knw_line(g, "let e%d = p%d%s;", m, m, t.s ? t.s : "");
        g->main.failed |= t.failed;
        knx_str_free(&t);
    }
}

/* Where it is used; turns of loops are added there. */
void knw_element(knw_gen *g, knx_str *t, int map)
{
    int first = g->k->n_par, end = knk_map_loops(g->k, map);
    bool turns = !g->k->stage[g->stage].n_inner && moves(g, map, first, end);
    knx_str_printf(t, "e%d", map);
    if (turns)
        add_loops(g, t, map, first, end);
}

static void wide_words(char to[64], uint32_t word)
{
    char a[KNW_WORD_TEXT], b[KNW_WORD_TEXT];
    snprintf(to, 64, "vec2<u32>(%s, %s)", knw_word_text(a, word), knw_word_text(b, word + 1));
}

/* let NAME = a OP b, of 64-bit integers */
static void wide_line(knw_gen *g, const char *name, knk_op op, const char *a, const char *b)
{
    knx_str t = {0};
    if (!g->dry)
        knw_apply(g->unit, &t, op, KN_ID_I64, a, b, NULL);
    knw_line(g, "let %s = %s;", name, t.s ? t.s : "");
    g->main.failed |= t.failed;
    knx_str_free(&t);
}

void knw_index64(knw_gen *g, knx_str *t, knk_node x)
{
    int map = knw_node(g, x)->map;
    char sum[64], words[64], index[16], term[64], name[32];
    wide_words(sum, g->at.map[map]);
    for (int d = 0; d < knk_map_loops(g->k, map); d++) {
        if (classes(g, map)[d] == KNK_STRIDE_ZERO)
            continue;
        index_name(g, index, d);
        snprintf(term, sizeof term, "vec2<u32>(%s, 0u)", index);
        if (classes(g, map)[d] == KNK_STRIDE_ANY) {
            wide_words(words, stride_word(g, map, d));
            snprintf(name, sizeof name, "x%d_%dm", x, d);
            wide_line(g, name, KNK_MUL, term, words);
            snprintf(term, sizeof term, "%s", name);
        }
        snprintf(name, sizeof name, "x%d_%d", x, d);
        wide_line(g, name, KNK_ADD, sum, term);
        snprintf(sum, sizeof sum, "%s", name);
    }
    knx_str_puts(t, sum);
}
