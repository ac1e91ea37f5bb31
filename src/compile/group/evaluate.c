/* SPDX-License-Identifier: Apache-2.0
 * evaluate.c -- makes the kernel nodes of a value at a position: a load, or its equation's expression over its
 * operands. Chains of equations are walked with an explicit stack; only rows that compute positions (`pull`) make this
 * file call itself, KNC_MAX_DEPTH deep at most. */
#include "compile/group/lowering.h"
#include <string.h>

static const kni_pair no_value = {KNK_NONE, KNK_NONE};
static bool is_half(kn_dtype d) { return d->id == KN_ID_F16 || d->id == KN_ID_BF16; }

/* The memo: values that were evaluated, by variable and position. */

/* A variable's number among those of all scopes. */
static uint32_t number_of(const kni_lower *l, uint32_t var) { return l->scope ? l->scope->first + var : var; }

static size_t slot_in_table(const kni_lower *l, uint32_t var, const knc_point *at)
{
    size_t mask = l->table.n - 1, h = (size_t)((var + (uint64_t)(uintptr_t)at * 31) * 0x9e3779b97f4a7c15u >> 32) & mask;
    for (;; h = (h + 1) & mask) {
        uint32_t x = l->table.at[h];
        if (!x || (l->memo.at[x - 1].var == var && l->memo.at[x - 1].point == at))
            return h;
    }
}

const kni_pair *knc_recall(const kni_lower *l, uint32_t var, const knc_point *at)
{
    uint32_t x = l->table.n ? l->table.at[slot_in_table(l, number_of(l, var), at)] : 0;
    return x ? &l->memo.at[x - 1].value : NULL;
}

static bool grow_table(kni_lower *l)
{
    size_t n = l->table.n ? 2 * l->table.n : 64;
    l->table.n = 0;
    if (!KN_VEC_RESERVE(&l->table, n))
        return false;
    l->table.n = n;
    memset(l->table.at, 0, n * sizeof *l->table.at);
    for (size_t i = 0; i < l->memo.n; i++)
        l->table.at[slot_in_table(l, l->memo.at[i].var, l->memo.at[i].point)] = (uint32_t)i + 1;
    return true;
}

void knc_remember(kni_lower *l, uint32_t var, const knc_point *at, kni_pair value)
{
    var = number_of(l, var);
    if ((2 * l->memo.n >= l->table.n && !grow_table(l)) || !KN_VEC_PUSH(&l->memo, ((knc_memo){var, at, value})))
        l->failed = true;
    else
        l->table.at[slot_in_table(l, var, at)] = (uint32_t)l->memo.n;
}

/* Positions. */

kni_index *kni_lower_index(kni_lower *l, int ndim, const kni_index *like)
{
    kni_index *i = knc_new_index(&l->arena, like->n_loop, ndim);
    l->failed = l->failed || !i;
    return i;
}

static knc_point *new_point(kni_lower *l, const kni_index *i, knk_node pred)
{
    knc_point *at = i ? knx_arena_alloc(&l->arena, sizeof *at) : NULL;
    if (at)
        *at = (knc_point){i, pred};
    else
        l->failed = true;
    return at;
}

bool knc_begin_places(kni_lower *l)
{
    const kni_index none = {l->n_par + l->n_inner + l->turn_room, 0, NULL};
    l->home.n = l->memo.n = l->stack.n = l->known = 0;
    if (l->table.n)
        memset(l->table.at, 0, l->table.n * sizeof *l->table.at);
    l->scalar = new_point(l, kni_lower_index(l, 0, &none), KNK_NONE);
    return l->scalar != NULL;
}

static uint64_t single_axes(kni_type t)
{
    uint64_t single = 0;
    for (int d = 0; d < t.ndim; d++)
        single |= (uint64_t)knx_dim_same(t.dim[d], 1) << d; /* a guard may say so */
    return single;
}

/* Is it a joined axis of rows that have no loops? */
static bool is_written_out(const kni_lower *l, int loop) { return l->n_element && loop >= l->n_par; }

const knc_point *knc_home_of(kni_lower *l, int loops, kni_type t)
{
    uint64_t single = single_axes(t);
    bool full = loops == KNC_LOOPS_FULL;
    const kni_index like = {l->n_par + (full ? l->n_inner : 0), 0, NULL};
    if (!t.ndim)
        return l->scalar;
    for (size_t h = 0; h < l->home.n; h++)
        if ((l->home.at[h].loops == KNC_LOOPS_FULL) == full && l->home.at[h].ndim == t.ndim &&
            l->home.at[h].single == single && (!full || l->home.at[h].element == l->element))
            return l->home.at[h].point;
    kni_index *i = kni_lower_index(l, t.ndim, &like);
    for (int d = 0, k = 0; i && d < t.ndim; d++) {
        if (t.dim[d] == 1)
            continue;
        int loop = (full ? l->full_loop : l->row_loop)[k++];
        if (is_written_out(l, loop))
            i->axis[d].offset = l->digit[loop - l->n_par];
        else
            i->axis[d].coef[loop] = 1;
    }
    const knc_point *at = new_point(l, i, KNK_NONE);
    if (!KN_VEC_PUSH(&l->home, ((knc_home){(uint8_t)loops, t.ndim, l->element, single, at})))
        l->failed = true;
    return at;
}

/* Does the position of a value run along these n loops: each axis longer than 1 along one of them, in order? (Along one
 * that is written out: is it at the element?) */
static bool runs_along(const kni_lower *l, const kni_index *i, kni_type t, const uint8_t *loop, int n)
{
    int k = 0;
    for (int a = 0; a < t.ndim; a++) {
        const kni_index_axis *x = &i->axis[a];
        if (t.dim[a] == 1)
            continue;
        if (k == n || x->node >= 0 || t.dim[a] != l->extent[loop[k]])
            return false;
        bool fixed = is_written_out(l, loop[k]);
        if (x->offset != (fixed ? l->digit[loop[k] - l->n_par] : 0) || (!fixed && x->coef[loop[k]] != 1))
            return false;
        for (int d = 0; d < i->n_loop; d++)
            if (d != loop[k] && x->coef[d] && l->extent[d] != 1)
                return false;
        k++;
    }
    return k == n;
}

/* The knc_point of a position: the home of its shape if the position equals that, else a new one. */
static const knc_point *point_of(kni_lower *l, const kni_index *i, knk_node pred, kni_type t)
{
    if (i && pred < 0 && (i->n_loop > l->n_par || l->n_element) && runs_along(l, i, t, l->full_loop, l->n_full_loop))
        return knc_home_of(l, KNC_LOOPS_FULL, t);
    if (i && pred < 0 && runs_along(l, i, t, l->row_loop, l->n_row_loop))
        return knc_home_of(l, KNC_LOOPS_ROWS, t);
    return new_point(l, i, pred);
}

void knc_start_stage(kni_lower *l, bool in_rows)
{
    l->in_rows = in_rows;
    l->stage = knk_begin_stage(l->k, in_rows ? l->n_inner_loop : 0);
}

void knc_end_stage(kni_lower *l)
{
    if (!l->in_rows) { /* its values are one per parallel point: known to all later stages */
        l->known = l->memo.n;
        return;
    }
    if (l->failed) /* there may be no memory for a table */
        return;
    l->memo.n = l->known;
    if (l->table.n)
        memset(l->table.at, 0, l->table.n * sizeof *l->table.at);
    for (size_t i = 0; i < l->memo.n; i++)
        l->table.at[slot_in_table(l, l->memo.at[i].var, l->memo.at[i].point)] = (uint32_t)i + 1;
}

/* A number that the launch gives, rather than a constant of the kernel. */
static knk_node runtime_number(kni_lower *l, int64_t v)
{
    static const int64_t zero[KNK_MAX_LOOPS + 1];
    return knk_index(l->k, knc_kernel_map(l, v, zero, false));
}

static knk_node plus(kni_lower *l, knk_node a, knk_node b)
{
    return a < 0 ? b : b < 0 ? a : knk_binary(l->k, KNK_ADD, a, b);
}

knk_node kni_lower_axis_value(kni_lower *l, const kni_index *i, int axis)
{
    const kni_index_axis *x = &i->axis[axis];
    if (x->fixed && knc_no_loops(i, axis))
        return x->node < 0 || x->offset ? plus(l, knk_const_int(l->k, KN_ID_I64, x->offset), x->node) : x->node;
    return plus(l, knk_index(l->k, knc_kernel_map(l, x->offset, x->coef, false)), x->node);
}

/* The position in a view's operand, from the position in its result and the map of the view. */
const knc_point *knc_through_view(kni_lower *l, const kni_eqn *e, const knc_point *at)
{
    const kni_index *map = knc_view_map(l->j, e, &l->arena);
    if (!map || !map->ndim)
        return map ? l->scalar : NULL;
    kni_index *in = kni_lower_index(l, map->ndim, at->index);
    for (int a = 0; in && a < map->ndim; a++) {
        const kni_index_axis *m = &map->axis[a];
        kni_index_axis *x = &in->axis[a];
        x->offset = m->offset;
        for (int d = 0; d < at->index->ndim; d++) {
            const kni_index_axis *y = &at->index->axis[d];
            if (!m->coef[d])
                continue;
            x->offset = knx_dim_add(x->offset, knx_dim_mul(m->coef[d], y->offset));
            for (int k = 0; k < in->n_loop; k++)
                x->coef[k] = knx_dim_add(x->coef[k], knx_dim_mul(m->coef[d], y->coef[k]));
            if (y->node >= 0)
                x->node =
                    plus(l, x->node,
                         m->coef[d] == 1 ? y->node : knk_binary(l->k, KNK_MUL, y->node, runtime_number(l, m->coef[d])));
        }
    }
    return l->scope ? l->rules->one_point(l, in, at->pred) : point_of(l, in, at->pred, kni_atom_type(l->j, e->in[0]));
}

/* Memory. */

int knc_buffer_of(kni_lower *l, uint32_t slot, knx_bytes offset, kn_dtype dtype, bool written)
{
    knx_dtype_id d = knc_part(dtype);
    for (size_t b = 0; b < l->buffer.n; b++)
        if (l->buffer.at[b].slot == slot && l->buffer.at[b].offset == offset && l->buffer.at[b].dtype == d &&
            l->buffer.at[b].written == written)
            return (int)b;
    if (!KN_VEC_PUSH(&l->buffer, ((knc_access){slot, offset, d, written, false, {-1, -1}, l->stage, l->stage})))
        l->failed = true;
    return knk_add_buffer(l->k, d, written);
}

static int buffer_of(kni_lower *l, uint32_t var, bool written)
{
    knx_bytes offset;
    uint32_t slot = knc_slot_of(l->p, var, &offset);
    return knc_buffer_of(l, slot, offset, l->j->type[var].dtype, written);
}

typedef struct place {
    int64_t offset, coef[KNK_MAX_LOOPS + 1];
    knk_node node;
} place;

/* The number of the element at position i in C order, counted in parts: affine in the loops (offset, coef), plus a
 * node for what is computed. */
static void flat_place(kni_lower *l, kni_type t, const kni_index *i, place *f)
{
    *f = (place){.node = KNK_NONE};
    int64_t stride = knc_parts(t.dtype);
    for (int a = t.ndim - 1; a >= 0; stride = knx_dim_mul(stride, t.dim[a--])) {
        const kni_index_axis *x = &i->axis[a];
        f->offset = knx_dim_add(f->offset, knx_dim_mul(stride, x->offset));
        for (int k = 0; k < i->n_loop; k++)
            f->coef[k] = knx_dim_add(f->coef[k], knx_dim_mul(stride, x->coef[k]));
        if (x->node >= 0)
            f->node =
                plus(l, f->node, stride == 1 ? x->node : knk_binary(l->k, KNK_MUL, x->node, runtime_number(l, stride)));
    }
}

static void note_access(kni_lower *l, int buffer, int part, int map, bool computed)
{
    if (l->failed || l->scope || buffer < 0 || (size_t)buffer >= l->buffer.n)
        return;
    knc_access *b = &l->buffer.at[buffer];
    if (b->map[part] < 0)
        b->map[part] = map;
    b->mixed |= computed || !knc_same_map(l, b->map[part], map);
    b->last = l->stage;
}

kni_pair knc_load(kni_lower *l, int buffer, kni_type t, const knc_point *at, kni_pair other)
{
    knk_node part[2] = {KNK_NONE, KNK_NONE}, rest[2] = {other.re, other.im};
    place f;
    flat_place(l, t, at->index, &f);
    for (int q = 0; q < knc_parts(t.dtype); q++) {
        int map = knc_kernel_map(l, f.offset + q, f.coef, true);
        note_access(l, buffer, q, map, f.node >= 0 || at->pred >= 0);
        if (is_half(t.dtype) && rest[q] >= 0)
            rest[q] = knk_cast(l->k, knc_part(t.dtype), rest[q]);
        part[q] = knk_load(l->k, buffer, map, f.node, at->pred, at->pred >= 0 ? rest[q] : KNK_NONE);
        if (is_half(t.dtype))
            part[q] = knk_cast(l->k, KN_ID_F32, part[q]);
    }
    return (kni_pair){part[0], part[1]};
}

static kni_pair load(kni_lower *l, uint32_t var, const knc_point *at, kni_pair other)
{
    return knc_load(l, buffer_of(l, var, false), l->j->type[var], at, other);
}

void knc_store(kni_lower *l, int buffer, kni_type t, const knc_point *at, kni_pair value)
{
    knk_node part[2] = {value.re, value.im};
    place f;
    flat_place(l, t, at->index, &f);
    for (int q = 0; q < knc_parts(t.dtype); q++) {
        int map = knc_kernel_map(l, f.offset + q, f.coef, true);
        note_access(l, buffer, q, map, false);
        knk_store(l->k, buffer, map, is_half(t.dtype) ? knk_cast(l->k, knc_part(t.dtype), part[q]) : part[q]);
    }
}

void knc_store_value(kni_lower *l, uint32_t var, const knc_point *at, kni_pair value)
{
    knc_store(l, buffer_of(l, var, true), l->j->type[var], at, value);
}

/* Values. */

kni_pair knc_literal(kni_lower *l, kni_atom a)
{
    const kni_literal *x = &l->j->literal[a & ~KN_LITERAL_BIT];
    kn_dtype d = x->type.dtype;
    /* an operand of the loop's equation: loop_numbers.c */
    if (l->points && l->scope && !l->scope->maker && knc_is_given(x))
        return l->rules->handed(l, a);
    if (is_half(d))
        return (kni_pair){knk_const_double(l->k, KN_ID_F32, knx_scalar_to_double(d, x->bits)), KNK_NONE};
    knk_node part[2] = {KNK_NONE, KNK_NONE};
    size_t size = d->size / (size_t)knc_parts(d);
    for (int q = 0; q < knc_parts(d); q++) {
        uint64_t bits = knx_scalar_word(size, x->bits.bytes + (size_t)q * size);
        part[q] = knk_const(l->k, knc_part(d), bits);
    }
    return (kni_pair){part[0], part[1]};
}

kni_pair knc_round(kni_lower *l, kn_dtype d, kni_pair v)
{
    if (!is_half(d) || v.re < 0)
        return v;
    knk_node half = knk_dtype(l->k, v.re) == d->id ? v.re : knk_cast(l->k, (knx_dtype_id)d->id, v.re);
    return (kni_pair){knk_cast(l->k, KN_ID_F32, half), KNK_NONE};
}

static const kni_type *operand_types(kni_lower *l, const kni_eqn *e)
{
    kni_type *t = knx_arena_alloc(&l->arena, (e->n_in + 1) * sizeof *t);
    for (uint32_t i = 0; t && i < e->n_in; i++)
        t[i] = kni_atom_type(l->j, e->in[i]);
    if (!t)
        l->failed = true;
    return t;
}

/* Is the value computed by this kernel at this position, or loaded? */
static bool computed_here(kni_lower *l, uint32_t var, const knc_point *at)
{
    const knc_value *v = &l->p->value[var];
    if (v->state == KNC_INLINE)
        return true;
    return v->state == KNC_STORED && knc_find(l->p, v->group) == l->group &&
           (v->loops != KNC_LOOPS_FULL || v->stage == l->pass) && at == knc_home_of(l, v->loops, l->j->type[var]);
}

static const knc_point *operand_point(kni_lower *l, const kni_eqn *e, kni_atom x, const knc_point *at)
{
    return !kni_atom_type(l->j, x).ndim && l->j->type[e->out].ndim ? l->scalar : at;
}

bool knc_push(kni_lower *l, uint32_t var, const knc_point *at)
{
    if (!at || !KN_VEC_PUSH(&l->stack, ((knc_frame){l->scope, var, at, NULL})))
        l->failed = true;
    return !l->failed;
}

/* The value of an operand, or false after putting it on the stack. */
bool knc_operand_ready(kni_lower *l, kni_atom a, const knc_point *at, kni_pair *value)
{
    if (kni_is_literal(a)) {
        *value = knc_literal(l, a);
        return true;
    }
    const kni_pair *known = knc_recall(l, a, at);
    if (!known) {
        knc_push(l, a, at);
        return false;
    }
    *value = *known;
    return true;
}

void knc_apply_expr(kni_lower *l, const kni_eqn *e, const knc_point *at)
{
    kni_pair *x = knx_arena_alloc(&l->arena, (e->n_in + 1) * sizeof *x),
             *y = knx_arena_alloc(&l->arena, (e->n_out + 1) * sizeof *y);
    const kni_type *xt = operand_types(l, e);
    if (!x || !y || !xt) {
        l->failed = true;
        return;
    }
    for (uint32_t i = 0; i < e->n_in; i++)
        if (!knc_number(l, e, e->in[i], &x[i]) &&
            !knc_operand_ready(l, e->in[i], operand_point(l, e, e->in[i], at), &x[i]))
            return;
    for (uint32_t i = 0; i < e->n_out; i++)
        y[i] = no_value;
    const kni_type *yt = &l->j->type[e->out];
    kni_rule r = kni_rule_of(e, xt, yt);
    r.v = x;
    e->prim->expr(l->k, &r, y);
    for (uint32_t i = 0; i < e->n_out; i++)
        knc_remember(l, e->out + i, at, knc_round(l, yt[i].dtype, y[i]));
}

void knc_apply_pull(kni_lower *l, const kni_eqn *e, const knc_point *at)
{
    const kni_eqn *outer_eqn = l->eqn;
    const knc_point *outer_at = l->at;
    kni_type yt = l->j->type[e->out];
    kni_pair y = no_value;
    kni_rule rule = {.prim = e->prim,
                     .params = e->params,
                     .n_in = (int)e->n_in,
                     .n_out = (int)e->n_out,
                     .x = e->in,
                     .xt = operand_types(l, e),
                     .yt = &l->j->type[e->out]};
    if (l->failed)
        return;
    l->eqn = e;
    l->at = at;
    (e->prim->pull ? e->prim->pull : e->prim->element)(l, &rule, at->index, &y);
    l->eqn = outer_eqn;
    l->at = outer_at;
    if (l->waiting)
        l->waiting = false;
    else
        knc_remember(l, e->out, at, knc_round(l, yt.dtype, y));
}

/* Handles the value on top of the stack: it is known and taken off, loaded, computed, or one of its operands is put
 * on top. */
static void advance(kni_lower *l)
{
    knc_frame *f = &l->stack.at[l->stack.n - 1];
    uint32_t var = f->var;
    const knc_point *at = f->point;
    const knc_value *v = &l->p->value[var];
    kni_pair x;
    if (knc_recall(l, var, at)) {
        l->stack.n--;
        return;
    }
    if (v->place && knc_old_value(l, var, at, &x)) {
        knc_remember(l, var, at, x);
        return;
    }
    if (!computed_here(l, var, at)) {
        knc_remember(l, var, at, load(l, var, at, no_value));
        return;
    }
    const kni_eqn *e = &l->j->eqn[v->eqn];
    switch (knc_class_of(l->j, e)) {
    case KNC_ELEMENTWISE: knc_apply_expr(l, e, at); return;
    case KNC_PULL:
    case KNC_EITHER: knc_apply_pull(l, e, at); return;
    case KNC_IDENTITY: break;
    case KNC_VIEW:
        if (!f->moved)
            f->moved = knc_through_view(l, e, at);
        at = f->moved;
        break;
    case KNC_RESHAPE:
    case KNC_REDUCE:
    case KNC_RUN:
    case KNC_UNKNOWN: /* their values are stored, aliases or known from the start */ l->failed = true; return;
    }
    if (!at)
        l->failed = true;
    else if (knc_operand_ready(l, e->in[0], at, &x))
        knc_remember(l, var, f->point, x);
}

kni_pair knc_evaluate(kni_lower *l, kni_atom a, const knc_point *at)
{
    if (kni_is_literal(a))
        return knc_literal(l, a);
    size_t base = l->stack.n;
    if (l->failed || !knc_push(l, a, at))
        return no_value;
    while (l->stack.n > base && !l->failed)
        advance(l);
    const kni_pair *value = l->failed ? NULL : knc_recall(l, a, at);
    return value ? *value : no_value;
}

/* Functions that the `pull` of a row calls. */

knk_builder *kni_lower_kernel(kni_lower *l) { return l->k; }

kni_pair knc_chosen(kni_lower *l, knk_node pred, kni_pair yes, kni_pair no)
{
    if (pred < 0 || no.re < 0)
        return yes;
    return (kni_pair){knk_select(l->k, pred, yes.re, no.re),
                      yes.im < 0 ? KNK_NONE : knk_select(l->k, pred, yes.im, no.im)};
}

kni_pair kni_lower_operand(kni_lower *l, int which, const kni_index *i, knk_node pred, kni_pair other)
{
    kni_atom a = l->eqn->in[which];
    if (l->failed || !i)
        return no_value;
    if (l->scope)
        return l->rules->pulled(l, a, i, pred, other);
    if (kni_is_literal(a) || !i->ndim)
        return knc_chosen(l, pred, knc_evaluate(l, a, l->scalar), other);
    knk_node all = pred < 0 ? l->at->pred : l->at->pred < 0 ? pred : knk_binary(l->k, KNK_AND, pred, l->at->pred);
    const knc_point *at = l->at;
    if (i != at->index || all != at->pred) {
        kni_index *copy = kni_lower_index(l, i->ndim, i);
        if (!copy)
            return no_value;
        memcpy(copy->axis, i->axis, (size_t)i->ndim * sizeof *i->axis);
        at = new_point(l, copy, all);
        if (!at)
            return no_value;
    }
    if (pred >= 0 && all == pred && other.re >= 0 && !computed_here(l, a, at))
        return load(l, a, at, other);
    return knc_chosen(l, pred, knc_evaluate(l, a, at), other);
}
