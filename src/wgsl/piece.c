/* SPDX-License-Identifier: Apache-2.0
 * piece.c -- kernels as functions of other texts. The lines are those of the kernel's own dispatch (KNW_POINTS); what
 * differs is where the indices of the point come from, and the buffer whose elements are handed over. */
#include "wgsl/gen.h"
#include <string.h>

bool knw_is_handed(const knw_gen *g, int buffer) { return g->piece && buffer == g->piece->handed; }

int knw_handed_part(const knw_gen *g, int map) { return g->piece->part[map]; }

static bool is_whole(const knw_piece *p) { return p->handed < 0; }

static knw_request request_of(const knw_piece *p)
{
    return (knw_request){.kernel = p->kernel, .mode = p->mode, .memory = p->memory, .n_memory = KNW_MOST_MEMORIES};
}

static knw_gen begin(const knw_piece *p, const knw_request *r, knw_memory *memory)
{
    const int end = is_whole(p) ? p->kernel->n_stage : 1;
    return (knw_gen){.r = r, .k = p->kernel, .part = {.join = -1, .end = end}, .piece = p, .memory = memory};
}

static bool gives(const knw_piece *p) { return !is_whole(p) && p->kernel->buffer[p->handed].written; }

knx_error *knw_piece_end(const knw_piece *p, uint32_t *out)
{
    knw_layout a;
    knx_error *e = knw_lay_out(p->kernel, p->begin, false, &a);
    *out = a.n_words;
    for (int b = 0; is_whole(p) && b < p->kernel->n_buffer; b++)
        *out += p->memory[b] == KNW_GIVEN ? KNW_GIVEN_BYTES / 4 : 0;
    knw_layout_free(&a);
    return e;
}

knx_error *knw_piece_words(const knw_piece *p, const int64_t *par, const knk_map_values *map,
                           const int64_t *const *inner, uint32_t *words)
{
    static const int64_t *const none[1];
    knw_layout a;
    const knw_launch l = {.map = map, .par = par, .inner = inner ? inner : none};
    KN_TRY(knw_lay_out(p->kernel, p->begin, false, &a));
    knw_put_numbers(&a, &l, words);
    knw_layout_free(&a);
    return NULL;
}

void knw_piece_memory(const knw_piece *p, knw_memory *memory)
{
    const knw_request r = request_of(p);
    knw_gen g = begin(p, &r, memory);
    knw_find_memory(&g);
}

/* Indices i0, i1, ... of the loops from `first` on, whose number is n0, n1 or n2. */
static void indices(knw_gen *g, int number, int first, int n)
{
    char word[KNW_WORD_TEXT];
    if (n > 1)
        knw_line(g, "var rest%d = n%d;", number, number);
    for (int d = first + n - 1; d > first; d--) {
        knw_word_text(word, g->at.par + (uint32_t)d);
        knw_line(g, "let i%d = rest%d %% %s;", d, number, word);
        knw_line(g, "rest%d /= %s;", number, word);
    }
    if (n)
        knw_line(g, n > 1 ? "let i%d = rest%d;" : "let i%d = n%d;", first, number);
}

/* fn NAME(...) { and, of a kernel that stores what is handed over, the variables that wait for it. */
static void head(knw_gen *g)
{
    const knw_piece *p = g->piece;
    const char *type = is_whole(p) ? "" : knw_type(p->kernel->buffer[p->handed].dtype);
    knx_str t = {0};
    knx_str_printf(&t, "fn %s(n0: u32, n1: u32, n2: u32", p->name);
    for (int i = 0; i < p->parts && !gives(p); i++)
        knx_str_printf(&t, ", x%d: %s", i, type);
    if (gives(p))
        knx_str_printf(&t, p->parts == 2 ? ") -> vec2<%s> {" : ") -> %s {", type);
    else
        knx_str_puts(&t, ") {");
    knw_open(g, "%s", t.s ? t.s : "");
    for (int i = 0; i < p->parts && gives(p); i++)
        knw_line(g, "var x%d: %s;", i, type);
    g->main.failed |= t.failed;
    knx_str_free(&t);
}

static void body(knw_gen *g)
{
    const knw_piece *p = g->piece;
    head(g);
    for (int i = 0, first = 0; i < 3; first += p->loops[i++])
        indices(g, i, first, p->loops[i]);
    if (is_whole(p)) {
        if (p->mode == KNW_ROWS)
            knw_line(g, "let lane = n2;");
        knw_write_stages(g);
        knw_close(g);
        return;
    }
    knw_begin_stage(g, 0);
    knw_points_of_maps(g);
    knw_place_nodes(g);
    if (gives(p) && p->parts == 2)
        knw_line(g, "return vec2<%s>(x0, x1);", knw_type(p->kernel->buffer[p->handed].dtype));
    else if (gives(p))
        knw_line(g, "return x0;");
    knw_close(g);
}

knx_error *knw_piece_text(const knw_piece *p, knw_unit *unit, knw_memory *memory, knx_str *out)
{
    knw_request r = request_of(p);
    knw_gen g = begin(p, &r, memory);
    void *lists = NULL;
    r.facts = unit->facts;
    g.unit = unit;
    knx_error *e = knw_piece_end(p, &g.n_words);
    e = e ? e : knw_lay_out(p->kernel, p->begin, false, &g.at);
    if (!e && !knw_allocate(&g, &lists))
        e = knx_error_nomem();
    if (!e) {
        knw_find_shared(&g);
        knw_find_low(&g);
        body(&g);
        bool failed = g.main.failed || g.functions.failed;
        for (int i = 0; i < 4; i++)
            failed |= g.operand[i].failed;
        knx_str_puts(out, g.functions.s ? g.functions.s : "");
        knx_str_puts(out, g.main.s ? g.main.s : "");
        e = failed || out->failed ? knx_error_nomem() : NULL;
    }
    for (int i = 0; i < 4; i++)
        knx_str_free(&g.operand[i]);
    knx_str_free(&g.main);
    knx_str_free(&g.functions);
    knx_free(lists);
    knw_layout_free(&g.at);
    return e;
}
