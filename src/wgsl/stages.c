/* SPDX-License-Identifier: Apache-2.0
 * stages.c -- main: which point an invocation has, the stages of the kernel one after the other, and the loops over
 * inner points in the order that docs/determinism.md gives to reductions.
 *
 * An invocation alone (POINTS) goes through the 64 accumulators of a block one after the other, in the order in which a
 * binary tree wants them: accumulator 16 g + l is leaf 4 r + g, r being the bits of l in reverse. So it holds one
 * accumulator and six waiting partial results. Rows of up to 16 elements are a smaller tree of the same shape. */
#include "wgsl/gen.h"
#include <stdio.h>

static bool is_columns(const knw_gen *g) { return g->r->mode == KNW_COLUMNS; }

static const char *inner_word(const knw_gen *g, char to[KNW_WORD_TEXT], int which)
{
    return knw_word_text(to, g->at.inner[g->stage] + (uint32_t)which);
}

static const char *count_word(const knw_gen *g, char to[KNW_WORD_TEXT])
{
    return inner_word(g, to, g->k->stage[g->stage].n_inner);
}

static const char *blocks_word(const knw_gen *g, char to[KNW_WORD_TEXT], int stage)
{
    return knw_word_text(to, g->at.inner[stage] + (uint32_t)g->k->stage[stage].n_inner + 1);
}

/* Indices c0, c1, ... of a number in C order; n of them, whose extents are the words from `first` on. */
void knw_indices(knw_gen *g, char c, const char *number, int n, uint32_t first)
{
    char word[KNW_WORD_TEXT];
    if (n > 1)
        knw_line(g, "var %c_rest = %s;", c, number);
    for (int d = n - 1; d > 0; d--) {
        knw_word_text(word, first + (uint32_t)d);
        knw_line(g, "let %c%d = %c_rest %% %s;", c, d, c, word);
        knw_line(g, "%c_rest /= %s;", c, word);
    }
    if (n == 1)
        knw_line(g, "let %c0 = %s;", c, number);
    else if (n)
        knw_line(g, "let %c0 = %c_rest;", c, c);
}

/* ---- reductions ---- */

static bool reduction(const knw_gen *g, int i) { return knw_node(g, i)->op == KNK_REDUCE; }
static bool ordered_at(const knw_gen *g, int i) { return reduction(g, i) && knw_ordered(knw_node(g, i)); }

static bool any_ordered(const knw_gen *g)
{
    for (int i = g->first; i < g->end; i++)
        if (ordered_at(g, i))
            return true;
    return false;
}

static void identity(knw_gen *g, char c, int i)
{
    const knk_inst *n = knw_node(g, i);
    knx_str t = {0};
    knw_identity(g->unit, &t, (knk_reduction)n->sub, n->dtype);
    knw_line(g, "var %c%d: %s = %s;", c, i, knw_type(n->dtype), t.s ? t.s : "");
    g->main.failed |= t.failed;
    knx_str_free(&t);
}

/* "BEFORE call(ARGUMENTS" */
static void call(knw_gen *g, const char *before, int i, knw_join_kind kind, const char *arguments)
{
    knx_str t = {0};
    knw_join_call(g, &t, kind, knw_node(g, i));
    knw_line(g, "%s%s%s);", before, t.s ? t.s : "", arguments);
    g->main.failed |= t.failed;
    knx_str_free(&t);
}

static void call_for(knw_gen *g, const char *before, int i, knw_join_kind kind, const char *arguments)
{
    char with[64], to[32];
    const char *s = arguments;
    size_t n = 0;
    for (; *s && n + 12 < sizeof with; s++)
        n += (size_t)(*s == '#' ? snprintf(with + n, sizeof with - n, "%d", i) : (with[n] = *s, 1));
    with[n] = 0;
    for (s = before, n = 0; *s && n + 12 < sizeof to; s++)
        n += (size_t)(*s == '#' ? snprintf(to + n, sizeof to - n, "%d", i) : (to[n] = *s, 1));
    to[n] = 0;
    call(g, to, i, kind, with);
}

/* An element joins the accumulators: a7, or v7 where order does not show. */
static void accumulate(knw_gen *g)
{
    for (int i = g->first; i < g->end; i++) {
        if (!reduction(g, i))
            continue;
        const knk_inst *n = knw_node(g, i);
        char name[16];
        knx_str t = {0}, x = {0};
        snprintf(name, sizeof name, "a%d", i);
        knw_operand(g, &x, n->a, false);
        knw_join(g->unit, &t, (knk_reduction)n->sub, n->dtype, name, x.s ? x.s : "");
        knw_line(g, "%s = %s;", name, t.s ? t.s : "");
        g->main.failed |= t.failed || x.failed;
        knx_str_free(&t);
        knx_str_free(&x);
    }
}

void knw_inner_point(knw_gen *g)
{
    knw_indices(g, 'j', "i", g->k->stage[g->stage].n_inner, g->at.inner[g->stage]);
    knw_elements_of_maps(g);
    knw_place_nodes(g);
}

/* What happens to inner point i. */
static void element(knw_gen *g)
{
    knw_inner_point(g);
    accumulate(g);
}

/* Four adjacent elements by one invocation, so that what is stored of them fills words. */
static void fours(knw_gen *g, const char *from, const char *to, const char *step)
{
    char n[64];
    g->fours = true;
    knw_open(g, "for (var four = %s; four < %s; four += %s) {", from, to, step);
    knw_begin_fours(g);
    knw_open(g, "for (var s = 0u; s < min(4u, %s - four); s++) {", to);
    knw_line(g, "let i = four + s;");
    element(g);
    knw_close(g);
    snprintf(n, sizeof n, "min(4u, %s - four)", to);
    knw_end_fours(g, n);
    knw_close(g);
    g->fours = false;
}

static void elements(knw_gen *g, const char *from, const char *to, const char *step)
{
    knw_open(g, "for (var i = %s; i < %s; i += %s) {", from, to, step);
    element(g);
    knw_close(g);
}

/* All lines that `of` makes for reductions; ordered: 1, 0, or -1 for all. */
static void for_reductions(knw_gen *g, int ordered, void (*of)(knw_gen *g, int i))
{
    for (int i = g->first; i < g->end; i++)
        if (reduction(g, i) && (ordered < 0 || ordered_at(g, i) == ordered))
            of(g, i);
}

static void begin_accumulator(knw_gen *g, int i) { identity(g, 'a', i); }
static void begin_value(knw_gen *g, int i) { identity(g, 'v', i); }

void knw_accumulators(knw_gen *g, const char *from, const char *to, const char *step)
{
    for_reductions(g, -1, begin_accumulator);
    elements(g, from, to, step);
}

static void begin_block(knw_gen *g, int i)
{
    knw_line(g, "var c%d: array<%s, 6>;", i, knw_type(knw_node(g, i)->dtype));
    identity(g, 'b', i);
}
static void begin_counter(knw_gen *g, int i)
{
    knw_line(g, "var s%d: array<%s, %d>;", i, knw_type(knw_node(g, i)->dtype), KNW_COUNTER);
}
static void take_accumulator(knw_gen *g, int i) { knw_line(g, "v%d = a%d;", i, i); }
static void end_leaf(knw_gen *g, int i) { call_for(g, "b# = ", i, KNW_TREE, "&c#, q, a#"); }
/* The same in a tree of 16 leaves. */
static void end_quarter_leaf(knw_gen *g, int i) { call_for(g, "b# = ", i, KNW_TREE, "&c#, p, a#"); }
static void end_block(knw_gen *g, int i) { call_for(g, "", i, KNW_BLOCK, "&s#, block, b#"); }
static void row_block(knw_gen *g, int i) { call_for(g, "let b# = ", i, KNW_ROW, "lane, a#"); }
static void column_block(knw_gen *g, int i) { call_for(g, "b# = ", i, KNW_COLUMN, "lane, b#"); }
static void shared_value(knw_gen *g, int i)
{
    call_for(g, "v# = ", i, is_columns(g) ? KNW_COLUMN : KNW_ROW, "lane, a#");
}

static void end_total(knw_gen *g, int i)
{
    char word[KNW_WORD_TEXT], arguments[64];
    snprintf(arguments, sizeof arguments, "&s#, %s", blocks_word(g, word, knw_node(g, i)->stage));
    call_for(g, "v# = ", i, KNW_TOTAL, arguments);
}

/* A block of 16,384 elements from `begin` on, by one invocation; COLUMNS: a quarter of the tree, but of a small tree
 * all by the first one of the four. */
static void tree_of_block(knw_gen *g)
{
    bool quarter = is_columns(g);
    knw_line(g, "let length = end - begin;");
    knw_line(g, "let levels = 32u - countLeadingZeros(min(length, 16u) - 1u);");
    knw_line(g, "let groups = select(0u, 2u, length > 16u);");
    if (quarter) {
        knw_line(g, "let leaves = select(select(0u, 1u << levels, share == 0u), 16u, length > 16u);");
        knw_line(g, "let leaf0 = select(0u, share * 16u, length > 16u);");
    }
    for_reductions(g, 1, begin_block);
    if (quarter)
        knw_open(g, "for (var p = 0u; p < leaves; p++) {");
    else
        knw_open(g, "for (var q = 0u; q < (1u << (levels + groups)); q++) {");
    if (quarter)
        knw_line(g, "let q = leaf0 + p;");
    knw_line(g, "let leaf = (reverseBits(q >> groups) >> 1u) >> (31u - levels);");
    knw_line(g, "let first = begin + leaf + select(0u, (q & 3u) << 4u, groups != 0u);");
    for_reductions(g, 1, begin_accumulator);
    elements(g, "first", "end", "64u");
    for_reductions(g, 1, quarter ? end_quarter_leaf : end_leaf);
    knw_close(g);
    if (quarter)
        for_reductions(g, 1, column_block);
}

static void blocks(knw_gen *g)
{
    char word[KNW_WORD_TEXT];
    for_reductions(g, 1, begin_counter);
    knw_open(g, "for (var block = 0u; block < %s; block++) {", blocks_word(g, word, g->stage));
    knw_line(g, "let begin = block * 16384u;");
    knw_line(g, "let end = min(begin + 16384u, %s);", count_word(g, word));
    if (g->r->mode == KNW_ROWS) {
        for_reductions(g, 1, begin_accumulator);
        elements(g, "begin + lane", "end", "64u");
        for_reductions(g, 1, row_block);
    } else {
        tree_of_block(g);
    }
    for_reductions(g, 1, end_block);
    knw_close(g);
    for_reductions(g, 1, end_total);
}

/* A stage with inner extents, all of them. */
static void inner_stage(knw_gen *g)
{
    static const char *const from[] = {[KNW_POINTS] = "0u", [KNW_ROWS] = "lane", [KNW_COLUMNS] = "share"};
    static const char *const step[] = {[KNW_POINTS] = "1u", [KNW_ROWS] = "64u", [KNW_COLUMNS] = "4u"};
    char word[KNW_WORD_TEXT];
    for_reductions(g, -1, begin_value);
    for_reductions(g, 0, begin_accumulator);
    if (any_ordered(g))
        blocks(g);
    else if (g->r->mode != KNW_COLUMNS && knw_fours_of_row(g->k, g->stage))
        fours(g, g->r->mode == KNW_ROWS ? "lane * 4u" : "0u", count_word(g, word),
              g->r->mode == KNW_ROWS ? "256u" : "4u");
    else
        elements(g, from[g->r->mode], count_word(g, word), step[g->r->mode]);
    for_reductions(g, 0, knw_together(g) ? shared_value : take_accumulator);
}

/* ---- the scratch of PARTS ---- */

/* "memory3[PLACE]" of word `which` of a value in the scratch; element: which one, NULL: that of the point. */
static void scratch_at(const knw_gen *g, knx_str *t, uint32_t place, int dtype, int which, const char *element)
{
    knx_str_printf(t, "memory%d[", g->r->n_memory);
    knw_word(t, g->at.begin + (uint32_t)g->k->n_buffer);
    knx_str_puts(t, " + ");
    knw_word(t, place);
    knx_str_printf(t, knw_is_wide(dtype) ? " + 2u * (%s) + %du]" : " + %s]", element, which);
}

static void scratch_line(knw_gen *g, const char *before, uint32_t place, int dtype, const char *element)
{
    knx_str a = {0}, b = {0}, t = {0};
    scratch_at(g, &a, place, dtype, 0, element);
    scratch_at(g, &b, place, dtype, 1, element);
    knw_from_words(&t, dtype, a.s ? a.s : "", b.s ? b.s : "");
    knw_line(g, "%s%s;", before, t.s ? t.s : "");
    g->memory[g->r->n_memory].used = true;
    g->main.failed |= a.failed || b.failed || t.failed;
    knx_str_free(&a);
    knx_str_free(&b);
    knx_str_free(&t);
}

static void scratch_put(knw_gen *g, uint32_t place, int dtype, const char *element, const char *value)
{
    for (int i = 0; i < 1 + knw_is_wide(dtype); i++) {
        knx_str a = {0}, t = {0};
        scratch_at(g, &a, place, dtype, i, element);
        knw_to_word(&t, dtype, i, value);
        knw_line(g, "%s = %s;", a.s ? a.s : "", t.s ? t.s : "");
        g->main.failed |= a.failed || t.failed;
        knx_str_free(&a);
        knx_str_free(&t);
    }
    g->memory[g->r->n_memory].used = g->memory[g->r->n_memory].written = true;
}

static bool made_here(const knw_gen *g, knk_node x)
{
    int stage = knw_node(g, x)->stage;
    if (knw_node(g, x)->op == KNK_REDUCE)
        return stage == g->part.join;
    return stage >= g->part.first && stage < g->part.end;
}

static bool used_here(const knw_gen *g, knk_node x)
{
    for (int s = g->part.first; s < g->part.end; s++)
        for (int i = g->k->stage[s].first; i < g->k->stage[s].end; i++)
            for (int j = 0; j < 3; j++)
                if (knk_operand(knw_node(g, i), j) == x)
                    return true;
    return false;
}

static void take_values(knw_gen *g)
{
    char before[32];
    for (int i = 0; i < g->k->n_node; i++)
        if (g->at.kept[i] && !made_here(g, i) && used_here(g, i)) {
            snprintf(before, sizeof before, "let v%d = ", i);
            scratch_line(g, before, g->at.kept[i], knw_node(g, i)->dtype, "point");
        }
}

static void keep_values(knw_gen *g)
{
    bool once = knw_together(g);
    if (once)
        knw_open(g, "if (lane == 0u) {");
    for (int i = 0; i < g->k->n_node; i++) {
        knx_str name = {0};
        knw_name(g, &name, i);
        if (g->at.kept[i] && made_here(g, i))
            scratch_put(g, g->at.kept[i], knw_node(g, i)->dtype, "point", name.s ? name.s : "");
        g->main.failed |= name.failed;
        knx_str_free(&name);
    }
    if (once)
        knw_close(g);
}

/* The blocks of a reduction, which an earlier dispatch left, by a workgroup: each invocation joins 2^m of them that
 * follow each other, m as small as it can be; what these make are blocks again. */
static void join_blocks(knw_gen *g, int i)
{
    const knk_inst *n = knw_node(g, i);
    char word[KNW_WORD_TEXT], element[64];
    begin_value(g, i);
    begin_counter(g, i);
    blocks_word(g, word, n->stage);
    knw_line(g, "let m%d = 32u - countLeadingZeros(max((%s + 63u) >> 6u, 1u) - 1u);", i, word);
    knw_line(g, "let from%d = min(lane << m%d, %s);", i, i, word);
    knw_line(g, "let to%d = min((lane + 1u) << m%d, %s);", i, i, word);
    knw_open(g, "for (var block = from%d; block < to%d; block++) {", i, i);
    snprintf(element, sizeof element, "point * %s + block", word);
    scratch_line(g, "let x = ", g->at.partial[i], n->dtype, element);
    snprintf(element, sizeof element, "&s#, block - from%d, x", i);
    call_for(g, "", i, KNW_BLOCK, element);
    knw_close(g);
    snprintf(element, sizeof element, "&s#, to%d - from%d", i, i);
    call_for(g, "let a# = ", i, KNW_TOTAL, element);
    snprintf(element, sizeof element, "lane, a#, ((%s - 1u) >> m%d) + 1u", word, i);
    call_for(g, "v# = ", i, KNW_PAIRS, element);
}

static void keep_block(knw_gen *g, int i)
{
    char value[16];
    snprintf(value, sizeof value, "b%d", i);
    scratch_put(g, g->at.partial[i], knw_node(g, i)->dtype, "unit", value);
}

/* A workgroup for a block of the inner points. */
static void block_stage(knw_gen *g)
{
    char word[KNW_WORD_TEXT];
    knw_line(g, "let begin = block * 16384u;");
    knw_line(g, "let end = min(begin + 16384u, %s);", count_word(g, word));
    if (knw_fours_of_row(g->k, g->stage)) {
        fours(g, "begin + lane * 4u", "end", "256u");
        return;
    }
    knw_accumulators(g, "begin + lane", "end", "64u");
    for_reductions(g, -1, row_block);
    if (!knw_reduces(g->k, g->stage))
        return;
    knw_open(g, "if (lane == 0u) {");
    for_reductions(g, -1, keep_block);
    knw_close(g);
}

/* ---- main ---- */

typedef struct accesses {
    uint32_t read, written; /* a bit per memory */
} accesses;

static accesses accesses_of(const knw_gen *g, int stage)
{
    accesses a = {0};
    for (int i = g->k->stage[stage].first; i < g->k->stage[stage].end; i++) {
        const knk_inst *n = knw_node(g, i);
        if (n->op == KNK_LOAD && g->r->memory[n->buffer] != KNW_GIVEN)
            a.read |= 1u << g->r->memory[n->buffer];
        if (n->op == KNK_STORE)
            a.written |= 1u << g->r->memory[n->buffer];
    }
    return a;
}

/* Where a row's invocations share memory, what they did there is seen by all before the stage begins. */
static void wait_for_stages(knw_gen *g, int stage, accesses *before)
{
    accesses now = accesses_of(g, stage);
    if ((before->written & (now.read | now.written)) || (before->read & now.written)) {
        knw_line(g, "storageBarrier();");
        *before = (accesses){0};
    }
    before->read |= now.read;
    before->written |= now.written;
}

/* Constants alone: they are written where they are used. */
static bool is_empty(const knk_kernel *k, int s)
{
    for (int i = k->stage[s].first; i < k->stage[s].end; i++)
        if (k->node[i].op != KNK_CONST)
            return false;
    return true;
}

static void stage(knw_gen *g, int s)
{
    const knk_stage *st = &g->k->stage[s];
    if (is_empty(g->k, s))
        return;
    knw_begin_stage(g, s);
    if (g->k->n_stage > 1)
        knw_line(g, st->n_inner ? "// stage %d, along rows" : "// stage %d", s);
    knw_points_of_maps(g);
    if (!st->n_inner)
        knw_place_nodes(g);
    else if (g->part.blocks)
        block_stage(g);
    else
        inner_stage(g);
}

static void find_point(knw_gen *g)
{
    char across[KNW_WORD_TEXT], count[KNW_WORD_TEXT], word[KNW_WORD_TEXT];
    knw_word_text(across, KNW_ACROSS);
    knw_word_text(count, KNW_COUNT);
    bool alone = !knw_together(g) && !g->part.blocks;
    const char *name = g->part.blocks ? "unit" : "point";
    if (is_columns(g)) {
        knw_line(g, "let share = lane >> 4u;");
        knw_line(g, "let own = (group.y * %s + group.x) * 16u + (lane & 15u);", across);
        knw_line(g, "let live = own < %s;", count);
        knw_line(g, "let point = min(own, %s - 1u);", count);
        knw_indices(g, 'i', "point", g->k->n_par, g->at.par);
        return;
    }
    knw_line(g, alone ? "let %s = (group.y * %s + group.x) * 64u + lane;" : "let %s = group.y * %s + group.x;", name,
             across);
    knw_open(g, "if (%s >= %s) {", name, count);
    knw_line(g, "return;");
    knw_close(g);
    if (g->part.blocks) {
        blocks_word(g, word, g->part.first);
        knw_line(g, "let point = unit / %s;", word);
        knw_line(g, "let block = unit %% %s;", word);
    }
    knw_indices(g, 'i', "point", g->k->n_par, g->at.par);
}

/* Four adjacent points by one invocation. */
static void four_points(knw_gen *g)
{
    char across[KNW_WORD_TEXT], count[KNW_WORD_TEXT];
    knw_word_text(across, KNW_ACROSS);
    knw_word_text(count, KNW_COUNT);
    knw_line(g, "let four = ((group.y * %s + group.x) * 64u + lane) * 4u;", across);
    knw_open(g, "if (four >= %s) {", count);
    knw_line(g, "return;");
    knw_close(g);
    knw_line(g, "let n = min(4u, %s - four);", count);
    g->fours = true;
    knw_begin_stage(g, 0);
    knw_begin_fours(g);
    knw_open(g, "for (var s = 0u; s < n; s++) {");
    knw_line(g, "let point = four + s;");
    knw_indices(g, 'i', "point", g->k->n_par, g->at.par);
    stage(g, 0);
    knw_close(g);
    knw_end_fours(g, "n");
    knw_close(g);
}

void knw_write_stages(knw_gen *g)
{
    accesses before = {0};
    for (int s = g->part.first; s < g->part.end; s++) {
        if (knw_together(g))
            wait_for_stages(g, s, &before);
        stage(g, s);
    }
}

void knw_write_main(knw_gen *g)
{
    knx_str_printf(&g->main,
                   "@compute @workgroup_size(%d)\nfn main(@builtin(workgroup_id) group: vec3<u32>, "
                   "@builtin(local_invocation_index) lane: u32) {\n",
                   KNW_LANES);
    g->depth = 1;
    if (g->r->mode == KNW_POINTS && knw_fours_of_points(g->k)) {
        four_points(g);
        return;
    }
    find_point(g);
    if (g->r->mode == KNW_PARTS)
        take_values(g);
    for (int i = 0; g->part.join >= 0 && i < g->k->n_node; i++)
        if (knw_node(g, i)->op == KNK_REDUCE && knw_node(g, i)->stage == g->part.join)
            join_blocks(g, i);
    knw_write_stages(g);
    if (g->r->mode == KNW_PARTS && !g->part.blocks)
        keep_values(g);
    knw_close(g);
}
