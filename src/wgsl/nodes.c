/* SPDX-License-Identifier: Apache-2.0
 * nodes.c -- what the nodes of a stage are in WGSL: a line each. What only cold selects need stands in an `if`; loops
 * are loops of WGSL:
 *
 *     var v5: f32 = v1;                                  carries
 *     for (var t0 = 0u; t0 < kn_w[2].x; t0++) {
 *         if (!v9) { break; }
 *         ...
 *         let y5 = v12;
 *         v5 = y5;
 *     } */
#include "wgsl/gen.h"
#include <string.h>

enum { MAX_COLD_DEPTH = 8, MOST_TRIES = 16 };

static bool is_cold(const knk_inst *n) { return n->op == KNK_SELECT && n->sub == 1; }

/* ---- 64-bit integers of which only the lower half matters ---- */

static bool may_be_low(const knw_gen *g, const knk_inst *n)
{
    if (!knw_is_wide(n->dtype))
        return false;
    switch (n->op) {
    case KNK_INDEX:
    case KNK_LOAD:
    case KNK_ADD:
    case KNK_SUB:
    case KNK_MUL:
    case KNK_NEG:
    case KNK_AND:
    case KNK_OR:
    case KNK_XOR:
    case KNK_NOT:
    case KNK_SELECT:
    case KNK_BITCAST: return true;
    case KNK_CAST: return knk_is_int_id(knw_node(g, n->a)->dtype) || knw_node(g, n->a)->dtype == KN_ID_BOOL;
    default: return false;
    }
}

/* Does user `u` need no more than the lower half of its operand j? */
static bool wants_low(const knw_gen *g, knk_node u, int j)
{
    const knk_inst *n = knw_node(g, u);
    if (n->op == KNK_LOAD)
        return j == 0 || g->low[u];
    if (n->op == KNK_CAST && knk_is_int_id(n->dtype) && knk_size(n->dtype) <= 4)
        return true;
    return n->op != KNK_CARRY && g->low[u];
}

void knw_find_low(knw_gen *g)
{
    for (int i = 0; i < g->k->n_node; i++)
        g->low[i] = may_be_low(g, knw_node(g, i)) && !g->at.kept[i]; /* what waits in memory is whole */
    for (int i = g->k->n_node - 1; i >= 0; i--)
        for (int j = 0; j < 3; j++) {
            knk_node x = knk_operand(knw_node(g, i), j);
            if (x >= 0 && !wants_low(g, i, j))
                g->low[x] = 0;
        }
}

/* ---- the loop that each node lies in, and the regions of cold selects ---- */

static void find_loops(knw_gen *g)
{
    int open = KNW_NO_LOOP;
    for (int i = g->first; i < g->end; i++) {
        const knk_inst *n = knw_node(g, i);
        if (n->op == KNK_LOOP) {
            g->parent[n->sub] = (uint8_t)open;
            open = n->sub;
        }
        g->loop[i] = (uint8_t)open;
        if (n->op == KNK_END)
            open = g->parent[n->sub];
    }
}

static int depth_of(const knw_gen *g, int r)
{
    int depth = 0;
    for (; r; r = g->regions[r].parent)
        depth++;
    return depth;
}

static int common(const knw_gen *g, int a, int b)
{
    while (a != b) {
        if (depth_of(g, a) >= depth_of(g, b))
            a = g->regions[a].parent;
        else
            b = g->regions[b].parent;
    }
    return a;
}

/* The region of the yes side of a cold select that lies in region `mine`: one for all selects with its predicate. */
static int cold_region(knw_gen *g, const knk_inst *n, int loop, int mine, bool *moved)
{
    int r = 1;
    if (depth_of(g, mine) >= MAX_COLD_DEPTH)
        return mine;
    while (r <= g->n_region && (g->regions[r].pred != n->a || g->regions[r].loop != loop))
        r++;
    if (r > g->n_region) {
        g->n_region = r;
        g->regions[r] = (knw_region){n->a, mine, loop};
    }
    int parent = common(g, g->regions[r].parent, mine);
    *moved |= parent != g->regions[r].parent;
    g->regions[r].parent = parent;
    return parent == mine ? r : mine;
}

/* From users to operands: a node lies in the innermost region that holds all its users. */
static bool sweep_regions(knw_gen *g)
{
    bool moved = false;
    for (int i = g->first; i < g->end; i++)
        g->region[i] = -1;
    for (int i = g->end - 1; i >= g->first; i--) {
        const knk_inst *n = knw_node(g, i);
        if (g->region[i] < 0 || n->op == KNK_STORE || n->op == KNK_REDUCE || g->shared[i] || knk_is_loop_op(n->op) ||
            (g->region[i] && g->regions[g->region[i]].loop != g->loop[i]))
            g->region[i] = 0; /* a loop runs in every case, and so does what it needs of what lies around it */
        int mine = g->region[i], inner = is_cold(n) ? cold_region(g, n, g->loop[i], mine, &moved) : mine;
        for (int j = 0; j < 3; j++) {
            knk_node x = knk_operand(n, j);
            int where = j == 1 ? inner : mine;
            if (x >= g->first)
                g->region[x] = g->region[x] < 0 ? where : common(g, g->region[x], where);
        }
    }
    return moved;
}

static void find_regions(knw_gen *g)
{
    g->n_region = 0;
    for (int tries = 0; sweep_regions(g); tries++)
        if (tries == MOST_TRIES) {
            for (int i = g->first; i < g->end; i++)
                g->region[i] = 0;
            g->n_region = 0;
            return;
        }
}

void knw_begin_stage(knw_gen *g, int stage)
{
    g->stage = stage;
    g->first = g->k->stage[stage].first;
    g->end = g->k->stage[stage].end;
    find_loops(g);
    find_regions(g);
    knw_find_maps(g);
}

/* ---- operands ---- */

static bool is_here(const knw_gen *g, int stage) { return stage >= g->part.first && stage < g->part.end; }

/* The name of a value: what a loop leaves has its carry's, but where another dispatch left it. */
void knw_name(knw_gen *g, knx_str *t, knk_node x)
{
    while (knw_node(g, x)->op == KNK_LAST && is_here(g, knw_node(g, x)->stage))
        x = knw_node(g, x)->a;
    knx_str_printf(t, "v%d", x);
}

void knw_operand(knw_gen *g, knx_str *t, knk_node x, bool low)
{
    const knk_inst *n = knw_node(g, x);
    bool half = low && knw_is_wide(n->dtype);
    if (n->op == KNK_CONST) {
        knw_const(g->unit, t, half ? KN_ID_U32 : n->dtype, half ? (uint32_t)n->imm : n->imm);
        return;
    }
    knw_name(g, t, x);
    if (half && !g->low[x])
        knx_str_puts(t, ".x");
}

/* ---- values ---- */

static void load_value(knw_gen *g, knx_str *t, knk_node x)
{
    const knk_inst *n = knw_node(g, x);
    if (knw_is_handed(g, n->buffer)) {
        knx_str_printf(t, g->low[x] ? "x%d.x" : "x%d", knw_handed_part(g, n->map));
        return;
    }
    knw_load_call(g, t, n->buffer, n->dtype);
    knw_buffer_begins(g, t, n->buffer);
    knx_str_puts(t, " + ");
    knw_element(g, t, n->map);
    if (n->a >= 0) {
        knx_str_puts(t, " + ");
        knw_operand(g, t, n->a, true);
    }
    knx_str_puts(t, g->low[x] ? ").x" : ")");
}

/* Is an FMA about the last bits of its product? As the functions write it: something is taken away (-a b + c,
 * a b - c, a b + (c - d), (a - b) c + d), or a multiple of a constant is, from a number (x - n ln 2). Else it is a
 * plain a b + c; so are the steps of a polynomial, which add a constant, but for -a b + 1. */
static bool is_residue(const knw_gen *g, const knk_inst *n)
{
    knk_op a = knw_node(g, n->a)->op, b = knw_node(g, n->b)->op, c = knw_node(g, n->c)->op;
    bool from_number = c != KNK_CONST && (a == KNK_CONST || b == KNK_CONST || a == KNK_SUB || b == KNK_SUB);
    return a == KNK_NEG || b == KNK_NEG || c == KNK_NEG || c == KNK_SUB || from_number;
}

/* What a node without its own lines is. */
static void expression(knw_gen *g, knx_str *t, knk_node x)
{
    const knk_inst *n = knw_node(g, x);
    bool low = g->low[x];
    knk_inst as = *n;
    uint8_t dtype[3] = {0};
    const char *text[3] = {NULL, NULL, NULL};
    for (int j = 0; j < 3; j++) {
        knk_node y = knk_operand(n, j);
        if (y < 0)
            continue;
        bool half = knw_is_wide(knw_node(g, y)->dtype) && (low || g->low[y]);
        g->operand[j].n = 0;
        knw_operand(g, &g->operand[j], y, half);
        dtype[j] = half ? KN_ID_U32 : knw_node(g, y)->dtype;
        text[j] = g->operand[j].s ? g->operand[j].s : "";
    }
    if (low)
        as.dtype = KN_ID_U32;
    if (n->op == KNK_FMA)
        as.sub = is_residue(g, n) ? KNW_RESIDUE : 0;
    if ((n->op == KNK_CAST || n->op == KNK_BITCAST) && as.dtype == dtype[0])
        knx_str_puts(t, text[0]);
    else
        knw_expr(g->unit, t, &as, dtype, text);
}

static const char *type_of(const knw_gen *g, knk_node x)
{
    return knw_type(g->low[x] ? KN_ID_U32 : knw_node(g, x)->dtype);
}

static void zero(knw_gen *g, knx_str *t, knk_node x)
{
    knw_const(g->unit, t, g->low[x] ? KN_ID_U32 : knw_node(g, x)->dtype, 0);
}

/* ---- lines ---- */

static bool lies_in(const knw_gen *g, int inner, int b)
{
    while (inner && inner != b)
        inner = g->blocks[inner].parent;
    return inner == b;
}

/* Is a value wanted outside of an `if`, which works it out? */
static bool escapes(const knw_gen *g, knk_node x, int b)
{
    for (int i = x + 1; i < g->end; i++)
        for (int j = 0; j < 3; j++)
            if (knk_operand(knw_node(g, i), j) == x && !lies_in(g, g->block[i], b))
                return true;
    return false;
}

/* The outermost `if` that works a value out but outside of which it lives on, so that it is declared before that one;
 * 0: it is declared where it is worked out. */
static int declared_before(const knw_gen *g, knk_node x)
{
    int before = 0;
    for (int b = g->block[x]; b && escapes(g, x, b); b = g->blocks[b].parent)
        before = b;
    return before;
}

/* A load where its predicate is true, else another value. */
static void load_where(knw_gen *g, knk_node x, bool declared)
{
    const knk_inst *n = knw_node(g, x);
    knx_str t = {0};
    if (n->c >= 0)
        knw_operand(g, &t, n->c, g->low[x]);
    else
        zero(g, &t, x);
    if (declared)
        knw_line(g, "v%d = %s;", x, t.s ? t.s : "");
    else
        knw_line(g, "var v%d: %s = %s;", x, type_of(g, x), t.s ? t.s : "");
    t.n = 0;
    knw_operand(g, &t, n->b, false);
    knw_open(g, "if (%s) {", t.s ? t.s : "");
    t.n = 0;
    load_value(g, &t, x);
    knw_line(g, "v%d = %s;", x, t.s ? t.s : "");
    knw_close(g);
    g->main.failed |= t.failed;
    knx_str_free(&t);
}

static void place_value(knw_gen *g, knk_node x)
{
    const knk_inst *n = knw_node(g, x);
    g->placed[x] = 1;
    if (g->dry) {
        g->block[x] = g->at_block;
        g->blocks[g->at_block].nodes++;
        return;
    }
    bool declared = declared_before(g, x) > 0;
    if (n->op == KNK_LOAD && n->b >= 0) {
        load_where(g, x, declared);
        return;
    }
    knx_str t = {0};
    if (n->op == KNK_LOAD)
        load_value(g, &t, x);
    else if (n->op == KNK_INDEX && g->low[x])
        knw_element(g, &t, n->map);
    else if (n->op == KNK_INDEX)
        knw_index64(g, &t, x);
    else
        expression(g, &t, x);
    knw_line(g, declared ? "v%d = %s;" : "let v%d = %s;", x, t.s ? t.s : "");
    g->main.failed |= t.failed;
    knx_str_free(&t);
}

static void place_region(knw_gen *g, int r, int to);

/* The nodes of region r that an `if` before node x works out, if there are any. */
static void place_block(knw_gen *g, int r, knk_node x)
{
    int outer = g->at_block, b = g->n_block++;
    if (g->dry)
        g->blocks[b] = (knw_block){outer, 0};
    bool shown = !g->dry && g->blocks[b].nodes;
    knx_str t = {0};
    for (int i = g->first; i < x && shown; i++)
        if (lies_in(g, g->block[i], b) && declared_before(g, i) == b) {
            t.n = 0;
            zero(g, &t, i);
            knw_line(g, "var v%d: %s = %s;", i, type_of(g, i), t.s ? t.s : "");
        }
    t.n = 0;
    if (shown) {
        knw_operand(g, &t, g->regions[r].pred, false);
        knw_open(g, "if (%s) {", t.s ? t.s : "");
    }
    g->at_block = b;
    place_region(g, r, x);
    g->at_block = outer;
    if (shown)
        knw_close(g);
    else if (g->dry && g->blocks[b].nodes)
        g->blocks[outer].nodes++;
    g->main.failed |= t.failed;
    knx_str_free(&t);
}

static bool in_loop(const knw_gen *g, knk_node x) { return g->loop[x] != KNW_NO_LOOP; }

/* ---- stores and loops ---- */

/* A store of less than a word that waits for its neighbours. */
static bool waits_for_four(const knw_gen *g, const knk_inst *n)
{
    return g->fours && n->op == KNK_STORE && knk_size(knw_node(g, n->a)->dtype) < 4;
}

static void store_later(knw_gen *g, knk_node x)
{
    const knk_inst *n = knw_node(g, x);
    int dtype = knw_node(g, n->a)->dtype;
    knx_str t = {0}, value = {0};
    knw_buffer_begins(g, &t, n->buffer);
    knx_str_puts(&t, " + ");
    knw_element(g, &t, n->map);
    knw_line(g, "x%d_at[s] = %s;", x, t.s ? t.s : "");
    t.n = 0;
    knw_operand(g, &value, n->a, false);
    knw_to_word(&t, dtype, 0, value.s ? value.s : "");
    knw_line(g, "x%d_bits[s] = %s & %uu;", x, t.s ? t.s : "", (1u << 8 * knk_size(dtype)) - 1);
    g->main.failed |= t.failed || value.failed;
    knx_str_free(&t);
    knx_str_free(&value);
}

void knw_begin_fours(knw_gen *g)
{
    for (int i = g->first; i < g->end; i++)
        if (waits_for_four(g, knw_node(g, i))) {
            knw_line(g, "var x%d_at: array<u32, 4>;", i);
            knw_line(g, "var x%d_bits: array<u32, 4>;", i);
        }
}

void knw_end_fours(knw_gen *g, const char *n)
{
    for (int i = g->first; i < g->end; i++) {
        const knk_inst *x = knw_node(g, i);
        if (!waits_for_four(g, x))
            continue;
        knx_str t = {0};
        knw_put_call(g, &t, x->buffer, knw_node(g, x->a)->dtype);
        knw_line(g, "%s&x%d_at, &x%d_bits, %s);", t.s ? t.s : "", i, i, n);
        g->main.failed |= t.failed;
        knx_str_free(&t);
    }
}

static void store(knw_gen *g, knk_node x)
{
    if (waits_for_four(g, knw_node(g, x))) {
        store_later(g, x);
        return;
    }
    const knk_inst *n = knw_node(g, x);
    bool inner = g->k->stage[g->stage].n_inner > 0, columns = g->r->mode == KNW_COLUMNS;
    bool once = columns || (knw_together(g) && !inner);
    knx_str t = {0};
    if (knw_is_handed(g, n->buffer)) {
        knw_operand(g, &t, n->a, false);
        knw_line(g, "x%d = %s;", knw_handed_part(g, n->map), t.s ? t.s : "");
        g->main.failed |= t.failed;
        knx_str_free(&t);
        return;
    }
    knw_store_call(g, &t, n->buffer, knw_node(g, n->a)->dtype);
    knw_buffer_begins(g, &t, n->buffer);
    knx_str_puts(&t, " + ");
    knw_element(g, &t, n->map);
    knx_str_puts(&t, ", ");
    knw_operand(g, &t, n->a, false);
    if (once)
        knw_open(g, "if (%s) {", !columns ? "lane == 0u" : inner ? "live" : "live && share == 0u");
    knw_line(g, "%s);", t.s ? t.s : "");
    if (once)
        knw_close(g);
    g->main.failed |= t.failed;
    knx_str_free(&t);
}

/* Where all lanes of a row do the same, some may still be reading when the first one writes. In a loop, too: one that
 * stores has no condition (knk_verify sees to that), so all lanes make its turns, and WGSL allows the barrier. */
static void wait_for_readers(knw_gen *g)
{
    if (!knw_together(g) || g->k->stage[g->stage].n_inner || g->dry)
        return;
    for (int i = g->first; i < g->end; i++)
        for (int j = g->first; j < g->end && knw_node(g, i)->op == KNK_STORE; j++)
            if (knw_node(g, j)->op == KNK_LOAD &&
                g->r->memory[knw_node(g, i)->buffer] == g->r->memory[knw_node(g, j)->buffer]) {
                knw_line(g, "storageBarrier();");
                return;
            }
}

static void begin_loop(knw_gen *g, knk_node x)
{
    int loop = knw_node(g, x)->sub;
    char limit[KNW_WORD_TEXT];
    knx_str t = {0};
    for (int i = x + 1; knw_node(g, i)->op == KNK_CARRY; i++) {
        g->placed[i] = 1;
        t.n = 0;
        knw_operand(g, &t, knw_node(g, i)->a, false);
        knw_line(g, "var v%d: %s = %s;", i, type_of(g, i), t.s ? t.s : "");
    }
    g->main.failed |= t.failed;
    knx_str_free(&t);
    knw_open(g, "for (var t%d = 0u; t%d < %s; t%d++) {", loop, loop,
             knw_word_text(limit, g->at.inner[g->stage] + (uint32_t)loop), loop);
}

static void next_values(knw_gen *g, knk_node first)
{
    knk_node i;
    knx_str t = {0};
    for (i = first; knw_node(g, i)->op == KNK_NEXT; i++) {
        g->placed[i] = 1;
        t.n = 0;
        knw_operand(g, &t, knw_node(g, i)->b, false);
        knw_line(g, "let y%d = %s;", knw_node(g, i)->a, t.s ? t.s : "");
    }
    for (i = first; knw_node(g, i)->op == KNK_NEXT; i++)
        knw_line(g, "v%d = y%d;", knw_node(g, i)->a, knw_node(g, i)->a);
    g->main.failed |= t.failed;
    knx_str_free(&t);
}

static void loop_node(knw_gen *g, knk_node x)
{
    const knk_inst *n = knw_node(g, x);
    knx_str t = {0};
    g->placed[x] = 1;
    if (g->dry)
        g->block[x] = g->at_block;
    switch (n->op) {
    case KNK_LOOP: begin_loop(g, x); break;
    case KNK_WHILE:
        knw_operand(g, &t, n->a, false);
        knw_line(g, "if (!(%s)) { break; }", t.s ? t.s : "");
        break;
    case KNK_NEXT: next_values(g, x); break;
    case KNK_END: knw_close(g); break;
    default: break; /* LAST: the carry itself */
    }
    g->main.failed |= t.failed;
    knx_str_free(&t);
}

static bool waits(const knw_gen *g, const knk_inst *n, knk_node x)
{
    return n->op == KNK_CONST || n->op == KNK_REDUCE || (n->op == KNK_STORE && !in_loop(g, x));
}

static void place_region(knw_gen *g, int r, int to)
{
    int last_store_loop = -1;
    for (int i = g->first; i < to; i++) {
        const knk_inst *n = knw_node(g, i);
        if (g->placed[i] || g->region[i] != r || waits(g, n, i))
            continue;
        if (n->op == KNK_STORE) {
            if (last_store_loop != g->loop[i])
                wait_for_readers(g);
            last_store_loop = g->loop[i];
            store(g, i);
        } else if (knk_is_loop_op(n->op)) {
            loop_node(g, i);
        } else {
            for (int inner = 1; is_cold(n) && inner <= g->n_region; inner++)
                if (g->regions[inner].pred == n->a && g->regions[inner].parent == r &&
                    g->regions[inner].loop == g->loop[i]) {
                    place_block(g, inner, i);
                    break;
                }
            place_value(g, i);
        }
    }
}

static void place_all(knw_gen *g, bool dry)
{
    memset(g->placed, 0, (size_t)g->k->n_node);
    g->dry = dry;
    g->at_block = 0;
    g->n_block = 1;
    if (dry)
        g->blocks[0] = (knw_block){0, 0};
    place_region(g, 0, g->end);
    g->dry = false;
}

void knw_place_nodes(knw_gen *g)
{
    memset(g->block, 0, (size_t)g->k->n_node * sizeof *g->block);
    place_all(g, true);
    place_all(g, false);
    bool first = true;
    for (int i = g->first; i < g->end; i++)
        if (knw_node(g, i)->op == KNK_STORE && !in_loop(g, i)) {
            if (first)
                wait_for_readers(g);
            first = false;
            store(g, i);
        }
}
