/* SPDX-License-Identifier: Apache-2.0
 * narrow.c -- comparisons of positions: where they change along the parallel loops, and kernels without them. */
#include "kernel/narrow.h"
#include "base/dim.h"
#include "kernel/internal.h"
#include <string.h>

enum { MOST_DEPTH = 16, UNKNOWN = -1 };
static const int64_t FAR = (int64_t)1 << 60; /* sums of a few smaller numbers do not overflow */

/* An i64 value that is affine in the loops of its stage: parallel ones, then inner ones. Its numbers, as those of the
 * launch and the box, may be expressions of dimension variables (base/dim.h). */
typedef struct form {
    int64_t offset, coef[KNK_MAX_LOOPS];
} form;
typedef struct narrowing {
    const knk_kernel *k;
    const knk_launch *l;
    const int64_t *low, *extent; /* of the box */
} narrowing;

static bool is_near(int64_t x) { return knx_is_symbolic(x) || (x > -FAR && x < FAR); }

/* False: the product does not fit. */
static bool times(int64_t a, int64_t b, int64_t *out)
{
    if (!knx_any_symbolic(a, b))
        return !__builtin_mul_overflow(a, b, out);
    *out = knx_dim_product(a, b);
    return true;
}

/* Adds `sign` times the node's value to the form; false: it is of another kind. */
static bool add_value(const narrowing *w, knk_node x, int sign, form *f, int depth)
{
    const knk_inst *n = &w->k->node[x];
    const knk_map_values *m;
    switch (n->op) {
    case KNK_CONST:
        f->offset += sign * (is_near((int64_t)n->imm) ? (int64_t)n->imm : 0);
        return is_near((int64_t)n->imm) && is_near(f->offset);
    case KNK_INDEX:
        m = &w->l->map[n->map];
        f->offset = knx_dim_add(f->offset, knx_dim_mul(sign, m->offset));
        for (int d = 0; d < knk_map_loops(w->k, n->map); d++)
            f->coef[d] = knx_dim_add(f->coef[d], knx_dim_mul(sign, m->stride[d]));
        return is_near(m->offset) && is_near(f->offset);
    case KNK_ADD:
    case KNK_SUB:
        return depth < MOST_DEPTH && add_value(w, n->a, sign, f, depth + 1) &&
               add_value(w, n->b, n->op == KNK_SUB ? -sign : sign, f, depth + 1);
    default: return false;
    }
}

/* A comparison of such values as: b - a, compared with 0. */
static bool difference(const narrowing *w, const knk_inst *n, form *f)
{
    bool compares = n->op == KNK_LE || n->op == KNK_LT || n->op == KNK_EQ || n->op == KNK_NE;
    if (!compares || w->k->node[n->a].dtype != KN_ID_I64)
        return false;
    memset(f, 0, sizeof *f);
    return add_value(w, n->b, 1, f, 0) && add_value(w, n->a, -1, f, 0);
}

/* The least and the largest value of a form, but for one loop (-1: none is left out); false: no point, or too far. */
static bool span(const narrowing *w, int stage, const form *f, int but, int64_t *least, int64_t *most)
{
    *least = *most = f->offset;
    for (int d = 0; d < w->k->n_par + w->k->stage[stage].n_inner; d++) {
        bool par = d < w->k->n_par;
        int64_t low = par ? w->low[d] : 0, n = par ? w->extent[d] : w->l->inner[stage][d - w->k->n_par], first, last;
        if (!knx_dim_rely_le(1, n))
            return false;
        if (d == but || !f->coef[d])
            continue;
        bool up = knx_dim_known_le(0, f->coef[d]);
        if (!up && !knx_dim_known_le(f->coef[d], 0))
            return false;
        if (!times(f->coef[d], low, &first) || !times(f->coef[d], knx_dim_add(low, n) - 1, &last))
            return false;
        *least = knx_dim_add(*least, up ? first : last);
        *most = knx_dim_add(*most, up ? last : first);
        if (!is_near(*least) || !is_near(*most))
            return false;
    }
    return true;
}

static bool is_less(int64_t a, int64_t b) { return knx_dim_rely_le(a + 1, b); }

/* 0, 1, UNKNOWN */
static int compared(const narrowing *w, const knk_inst *n)
{
    form f;
    int64_t least, most;
    if (!difference(w, n, &f) || !span(w, n->stage, &f, -1, &least, &most))
        return UNKNOWN;
    switch (n->op) {
    case KNK_LE: return knx_dim_rely_le(0, least) ? 1 : is_less(most, 0) ? 0 : UNKNOWN;
    case KNK_LT: return is_less(0, least) ? 1 : knx_dim_rely_le(most, 0) ? 0 : UNKNOWN;
    default: break;
    }
    int equal = is_less(0, least) || is_less(most, 0) ? 0 : knx_dim_same(least, most) ? 1 : UNKNOWN;
    return equal == UNKNOWN || n->op == KNK_EQ ? equal : !equal;
}

/* --- cuts ------------------------------------------------------------------------------------- */

typedef struct cuts {
    knk_cut *at;
    int n, most;
    bool full;
} cuts;

static void add_cut(cuts *c, int loop, int64_t at, int64_t extent)
{
    int i = 0;
    if (!knx_dim_rely_le(1, at) || !knx_dim_rely_le(at + 1, extent))
        return;
    while (i < c->n && (c->at[i].loop < loop || (c->at[i].loop == loop && knx_dim_rely_le(c->at[i].at + 1, at))))
        i++;
    /* the next one of the loop is at another turn behind it, or is this one, or not known to be either */
    if (i < c->n && c->at[i].loop == loop && !knx_dim_rely_le(at + 1, c->at[i].at))
        return;
    if (c->n == c->most) {
        c->full = true;
        return;
    }
    memmove(c->at + i + 1, c->at + i, (size_t)(c->n++ - i) * sizeof *c->at);
    c->at[i] = (knk_cut){loop, at};
}

static int64_t divided_up(int64_t a, int64_t b) { return knx_dim_ceildiv(a, b); } /* b > 0 */
static int64_t size_of(int64_t coef) { return knx_dim_hint(coef) < 0 ? knx_dim_mul(coef, -1) : coef; }

/* Where `form >= bound` changes along the parallel loop that it depends on most. Between the turns where it holds for
 * all points and for none there must be few. */
static void cut_at(const narrowing *w, int stage, const form *f, int64_t bound, cuts *c)
{
    int loop = -1;
    int64_t least, most, turns;
    for (int d = 0; d < w->k->n_par; d++) {
        int64_t size = knx_dim_hint(size_of(f->coef[d]));
        bool turns_much = knx_is_symbolic(w->extent[d]) || w->extent[d] > 1;
        if (turns_much && size && (loop < 0 || size > knx_dim_hint(size_of(f->coef[loop]))))
            loop = d;
    }
    if (loop < 0 || !span(w, stage, f, loop, &least, &most))
        return;
    int64_t coef = size_of(f->coef[loop]), n = w->extent[loop];
    turns = knx_dim_hint(n);
    int64_t some = divided_up(knx_dim_sub(bound, most), coef), all = divided_up(knx_dim_sub(bound, least), coef);
    if (knx_dim_hint(f->coef[loop]) < 0) { /* the loop from its end: holds up to these turns */
        int64_t t = some;
        some = knx_dim_sub(1, all);
        all = knx_dim_sub(1, t);
    }
    if (knx_dim_hint(knx_dim_sub(all, some)) > (turns > 16 ? turns / 16 : 1))
        return;
    add_cut(c, loop, some, n);
    add_cut(c, loop, all, n);
}

int knk_cuts(const knk_kernel *k, const knk_launch *l, knk_cut *out, int most, bool *known)
{
    static const int64_t zero[KNK_MAX_LOOPS];
    narrowing w = {k, l, zero, l->par};
    cuts c = {out, 0, most, false};
    form f;
    *known = false;
    uint8_t *asked = knx_alloc_zero((size_t)k->n_node + 1);
    for (int s = 0; s < k->n_stage; s++)
        if (k->stage[s].n_loop || !asked) {
            knx_free(asked);
            return 0;
        }
    for (int i = k->n_node - 1; i >= 0; i--) {
        const knk_inst *n = &k->node[i];
        if (n->op == KNK_LOAD && n->b >= 0)
            asked[n->b] = 1;
        for (int j = 0; j < 3 && asked[i] && n->dtype == KN_ID_BOOL; j++)
            if (knk_operand(n, j) >= 0)
                asked[knk_operand(n, j)] = 1;
        if (!asked[i] || !difference(&w, n, &f))
            continue;
        *known |= compared(&w, n) != UNKNOWN;
        cut_at(&w, n->stage, &f, n->op == KNK_LT ? 1 : 0, &c);
        if (n->op == KNK_EQ || n->op == KNK_NE)
            cut_at(&w, n->stage, &f, 1, &c);
    }
    knx_free(asked);
    return c.full ? 0 : c.n;
}

/* --- the kernel of a box ---------------------------------------------------------------------- */

static int known(const narrowing *w, const int8_t *truth, const knk_inst *n)
{
    if (n->dtype != KN_ID_BOOL)
        return UNKNOWN;
    switch (n->op) {
    case KNK_CONST: return n->imm != 0;
    case KNK_AND: return !truth[n->a] || !truth[n->b] ? 0 : truth[n->a] == 1 && truth[n->b] == 1 ? 1 : UNKNOWN;
    case KNK_OR: return truth[n->a] == 1 || truth[n->b] == 1 ? 1 : !truth[n->a] && !truth[n->b] ? 0 : UNKNOWN;
    case KNK_NOT: return truth[n->a] == UNKNOWN ? UNKNOWN : !truth[n->a];
    default: return compared(w, n);
    }
}

/* The node that x stands for on the box, if it is one of its operands; else KNK_NONE. */
static KNX_HOT knk_node stands_for(const knk_inst *n, const int8_t *truth)
{
    if (n->op == KNK_SELECT && truth[n->a] != UNKNOWN)
        return truth[n->a] ? n->b : n->c;
    if (n->op == KNK_LOAD && n->b >= 0 && !truth[n->b])
        return n->c;
    if ((n->op == KNK_AND || n->op == KNK_OR) && n->dtype == KN_ID_BOOL) {
        int neutral = n->op == KNK_AND;
        return truth[n->a] == neutral ? n->b : truth[n->b] == neutral ? n->a : KNK_NONE;
    }
    return KNK_NONE;
}

static void find_needed(const knk_kernel *k, const int8_t *truth, uint8_t *needed)
{
    for (int i = k->n_node - 1; i >= 0; i--) {
        const knk_inst *n = &k->node[i];
        needed[i] |= n->op == KNK_STORE;
        if (!needed[i] || truth[i] != UNKNOWN)
            continue;
        knk_node only = stands_for(n, truth);
        bool absent = n->op == KNK_LOAD && n->b >= 0 && !truth[n->b];
        for (int j = 0; j < 3 && !absent; j++) {
            knk_node x = knk_operand(n, j);
            bool passed = n->op == KNK_LOAD && j > 0 && n->b >= 0 && truth[n->b] == 1;
            if (x >= 0 && !passed && (only < 0 || x == only))
                needed[x] = 1;
        }
        if (absent && only >= 0)
            needed[only] = 1;
    }
}

typedef struct copier {
    const knk_kernel *k;
    const int8_t *truth;
    knk_builder *b;
    knk_node *node;        /* per node: the new one */
    int16_t *buffer, *map; /* per new one: which it was */
    int16_t *of;           /* per new map: the new buffer that it is for, -1 */
    int n_buffer, n_map;
    int first_map; /* of the stage */
} copier;

static int16_t buffer_for(copier *c, int buffer)
{
    for (int i = 0; i < c->n_buffer; i++)
        if (c->buffer[i] == buffer)
            return (int16_t)i;
    c->buffer[c->n_buffer] = (int16_t)buffer;
    knk_add_buffer(c->b, (knx_dtype_id)c->k->buffer[buffer].dtype, c->k->buffer[buffer].written);
    return (int16_t)c->n_buffer++;
}

/* Each buffer has maps of its own: whether two have the same numbers is not the kernel's. */
static int16_t map_for(copier *c, int map, int buffer)
{
    for (int i = c->first_map; i < c->n_map; i++)
        if (c->map[i] == map && c->of[i] == buffer)
            return (int16_t)i;
    c->map[c->n_map] = (int16_t)map;
    c->of[c->n_map] = (int16_t)buffer;
    knk_add_map(c->b, c->k->map[map].cls);
    return (int16_t)c->n_map++;
}

static knk_node moved(const copier *c, knk_node x) { return x < 0 ? x : c->node[x]; }

static knk_node copied(copier *c, int i)
{
    knk_inst n = c->k->node[i];
    if (c->truth[i] != UNKNOWN)
        return knk_const(c->b, KN_ID_BOOL, (uint64_t)c->truth[i]);
    knk_node only = stands_for(&n, c->truth);
    if (only >= 0)
        return c->node[only];
    if (n.op == KNK_LOAD && n.b >= 0 && !c->truth[n.b])
        return knk_const(c->b, (knx_dtype_id)n.dtype, 0);
    if (n.op == KNK_LOAD && n.b >= 0 && c->truth[n.b] == 1)
        n.b = n.c = KNK_NONE;
    if (n.op == KNK_LOAD || n.op == KNK_STORE)
        n.buffer = buffer_for(c, n.buffer);
    if (n.op == KNK_LOAD || n.op == KNK_STORE || n.op == KNK_INDEX)
        n.map = map_for(c, n.map, n.buffer);
    n.a = moved(c, n.a);
    n.b = moved(c, n.b);
    n.c = moved(c, n.c);
    return n.op == KNK_CONST ? knk_const(c->b, (knx_dtype_id)n.dtype, n.imm) : knk_emit(c->b, n);
}

static knx_error *copy(copier *c, const uint8_t *needed, knk_kernel **out)
{
    const knk_kernel *k = c->k;
    if (!(c->b = knk_new(k->n_par)))
        return knx_error_nomem();
    for (int s = 0; s < k->n_stage; s++) {
        knk_begin_stage(c->b, k->stage[s].n_inner);
        c->first_map = c->n_map;
        for (int i = k->stage[s].first; i < k->stage[s].end; i++)
            c->node[i] = needed[i] ? copied(c, i) : KNK_NONE;
    }
    return knk_finish(c->b, out);
}

/* At most one for each node that has one. */
int knk_narrow_maps(const knk_kernel *k)
{
    int n = 1;
    for (int i = 0; i < k->n_node; i++)
        n += k->node[i].op == KNK_LOAD || k->node[i].op == KNK_STORE || k->node[i].op == KNK_INDEX;
    return n;
}

knx_error *knk_narrow(const knk_kernel *k, const knk_launch *l, const knk_box *box, knk_kernel **out, int16_t *buffer,
                      int16_t *map)
{
    const narrowing w = {k, l, box->low, box->extent};
    size_t n = (size_t)k->n_node + 1, maps = (size_t)knk_narrow_maps(k);
    char *room = knx_alloc_zero(n * (sizeof(knk_node) + 2) + maps * sizeof(int16_t));
    *out = NULL;
    if (!room)
        return knx_error_nomem();
    copier c = {.k = k, .buffer = buffer, .map = map, .node = (knk_node *)(void *)room};
    c.of = (int16_t *)(void *)(c.node + n);
    int8_t *truth = (int8_t *)(c.of + maps);
    uint8_t *needed = (uint8_t *)truth + n;
    c.truth = truth;
    for (int i = 0; i < k->n_node; i++)
        truth[i] = (int8_t)known(&w, truth, &k->node[i]);
    find_needed(k, truth, needed);
    knx_error *e = copy(&c, needed, out);
    knx_free(room);
    return e;
}

/* --- several kernels as one --------------------------------------------------------------------- */

typedef struct joiner {
    knk_builder *b;
    int16_t *buffer, *of; /* of: per new map: the buffer that it is for, -1 */
    int32_t *map;
    int n_buffer, n_map;
} joiner;

static int16_t joined_buffer(joiner *j, const knk_part *p, int buffer)
{
    int i = 0;
    while (i < j->n_buffer && j->buffer[i] != p->buffer[buffer])
        i++;
    if (i == j->n_buffer) {
        j->buffer[j->n_buffer++] = p->buffer[buffer];
        knk_add_buffer(j->b, (knx_dtype_id)p->kernel->buffer[buffer].dtype, p->kernel->buffer[buffer].written);
    }
    return (int16_t)i;
}

static int16_t joined_map(joiner *j, const knk_part *p, int map, int16_t buffer)
{
    int i = 0;
    while (i < j->n_map && (j->map[i] != p->map[map] || j->of[i] != buffer))
        i++;
    if (i == j->n_map) {
        j->of[j->n_map] = buffer;
        j->map[j->n_map++] = p->map[map];
        knk_add_map(j->b, p->kernel->map[map].cls);
    }
    return (int16_t)i;
}

static void add_part(joiner *j, const knk_part *p, knk_node *node)
{
    for (int i = 0; i < p->kernel->n_node; i++) {
        knk_inst n = p->kernel->node[i];
        if (n.op == KNK_LOAD || n.op == KNK_STORE)
            n.buffer = joined_buffer(j, p, n.buffer);
        if (n.op == KNK_LOAD || n.op == KNK_STORE || n.op == KNK_INDEX)
            n.map = joined_map(j, p, n.map, n.buffer);
        n.a = n.a < 0 ? n.a : node[n.a];
        n.b = n.b < 0 ? n.b : node[n.b];
        n.c = n.c < 0 ? n.c : node[n.c];
        node[i] = n.op == KNK_CONST ? knk_const(j->b, (knx_dtype_id)n.dtype, n.imm) : knk_emit(j->b, n);
    }
}

knx_error *knk_together(int n, const knk_part *part, knk_kernel **out, int16_t *buffer, int32_t *map)
{
    size_t nodes = 1, maps = 1;
    for (int i = 0; i < n; i++) {
        nodes = (size_t)part[i].kernel->n_node > nodes ? (size_t)part[i].kernel->n_node : nodes;
        maps += (size_t)part[i].kernel->n_map;
    }
    *out = NULL;
    knk_node *node = knx_alloc_zero(nodes * sizeof *node + maps * sizeof(int16_t));
    joiner j = {.b = node ? knk_new(part->kernel->n_par) : NULL, .buffer = buffer, .map = map};
    if (!j.b) {
        knx_free(node);
        return knx_error_nomem();
    }
    j.of = (int16_t *)(void *)(node + nodes);
    knk_begin_stage(j.b, 0);
    for (int i = 0; i < n; i++)
        add_part(&j, &part[i], node);
    knx_free(node);
    return knk_finish(j.b, out);
}
