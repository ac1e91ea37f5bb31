/* SPDX-License-Identifier: Apache-2.0
 * scalar_points.c -- values of a kernel with loops at its points. A value is evaluated at a position, which along each
 * axis follows parallel loops, is a number, or is computed by a node. The nodes of the value are remembered, so each
 * value is computed once at a position. */
#include "base/hash.h"
#include "compile/loops/scope.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const kni_pair no_value = {KNK_NONE, KNK_NONE};

void knc_refuse(kni_lower *l, const char *format, ...)
{
    if (!l->failed) {
        va_list args;
        va_start(args, format);
        vsnprintf(l->points->why->s, sizeof l->points->why->s, format, args);
        va_end(args);
        l->points->why->length = strlen(l->points->why->s);
    }
    l->failed = true;
}

kni_pair knc_zero(kni_lower *l, kn_dtype d)
{
    knx_dtype_id part = knc_part(d);
    knk_node zero = knk_const_int(l->k, d->size == 2 && d->kind == KN_KIND_FLOAT ? KN_ID_F32 : part, 0);
    return (kni_pair){zero, knc_parts(d) == 2 ? zero : KNK_NONE};
}

/* ---- Positions. */

static bool constant(const kni_lower *l, knk_node x, uint64_t *bits)
{
    const knk_inst *n = knk_look(l->k, x);
    if (!n || n->op != KNK_CONST)
        return false;
    *bits = n->imm;
    return true;
}

/* Makes equal positions alike: they do not run along loops of one turn, and nodes that are constants become offsets. */
static void settle(const kni_lower *l, kni_index *i)
{
    for (int a = 0; a < i->ndim; a++) {
        kni_index_axis *x = &i->axis[a];
        uint64_t bits;
        for (int d = 0; d < l->n_par; d++)
            if (l->extent[d] == 1)
                x->coef[d] = 0;
        if (x->node >= 0 && constant(l, x->node, &bits)) {
            x->offset += (int64_t)bits;
            x->node = KNK_NONE;
        }
        x->fixed = knc_no_loops(i, a) && !knx_is_symbolic(x->offset); /* a constant of the kernel */
    }
}

static uint64_t hash_of(const kni_index *i, knk_node pred)
{
    uint64_t h = knx_hash_mix((uint64_t)i->ndim, (uint64_t)(uint32_t)pred);
    for (int a = 0; a < i->ndim; a++) {
        h = knx_hash_mix(h, (uint64_t)i->axis[a].offset ^ (uint64_t)(uint32_t)i->axis[a].node << 40);
        h = knx_hash_bytes(i->axis[a].coef, (size_t)i->n_loop * sizeof *i->axis[a].coef, h);
    }
    return h;
}

static bool same_place(const knc_point *p, const kni_index *i, knk_node pred)
{
    bool same = p->index->ndim == i->ndim && p->pred == pred;
    for (int a = 0; same && a < i->ndim; a++) {
        const kni_index_axis *x = &p->index->axis[a], *y = &i->axis[a];
        same = x->offset == y->offset && x->node == y->node &&
               !memcmp(x->coef, y->coef, (size_t)i->n_loop * sizeof *x->coef);
    }
    return same;
}

static size_t slot_of(const kni_lower *l, const kni_index *i, knk_node pred)
{
    const struct knc_points *s = l->points;
    size_t mask = s->table.n - 1, h = (size_t)hash_of(i, pred) & mask;
    while (s->table.at[h] && !same_place(s->point.at[s->table.at[h] - 1], i, pred))
        h = (h + 1) & mask;
    return h;
}

static bool grow_points(kni_lower *l)
{
    struct knc_points *s = l->points;
    if (2 * (s->point.n + 1) < s->table.n)
        return true;
    size_t n = 128;
    while (n <= 4 * s->point.n)
        n *= 2;
    s->table.n = 0;
    if (!KN_VEC_RESERVE(&s->table, n))
        return false;
    s->table.n = n;
    memset(s->table.at, 0, n * sizeof *s->table.at);
    for (size_t k = 0; k < s->point.n; k++)
        s->table.at[slot_of(l, s->point.at[k]->index, s->point.at[k]->pred)] = (uint32_t)k + 1;
    return true;
}

const knc_point *knc_one_point(kni_lower *l, kni_index *i, knk_node pred)
{
    struct knc_points *s = l->points;
    if (l->failed || !i || !grow_points(l)) { /* without memory there may be no table */
        l->failed = true;
        return NULL;
    }
    if (!i->ndim)
        return l->scalar;
    settle(l, i);
    size_t h = slot_of(l, i, pred);
    if (s->table.at[h])
        return s->point.at[s->table.at[h] - 1];
    knc_point *at = knx_arena_alloc(&l->arena, sizeof *at);
    if (at)
        *at = (knc_point){i, pred};
    if (!at || !KN_VEC_PUSH(&s->point, at)) {
        l->failed = true;
        return NULL;
    }
    s->table.at[h] = (uint32_t)s->point.n;
    return at;
}

bool knc_has_points(const kni_lower *l, kni_type t)
{
    bool has = t.ndim >= l->n_par;
    for (int d = 0; has && d < l->n_par; d++)
        has = t.dim[d] == l->extent[d];
    return has;
}

int64_t knc_count_written(const kni_lower *l, kni_type t, bool points)
{
    int64_t n = 1;
    for (int d = points ? l->n_par : 0; d < t.ndim; d++)
        if (__builtin_mul_overflow(n, knx_is_symbolic(t.dim[d]) ? KNC_MOST_ELEMENTS + 1 : t.dim[d], &n) ||
            n > KNC_MOST_ELEMENTS)
            n = KNC_MOST_ELEMENTS + 1;
    return n > KNC_MOST_ELEMENTS ? -1 : n;
}

kni_index *knc_element_index(kni_lower *l, kni_type t, bool points, int64_t at, int front)
{
    kni_index *i = kni_lower_index(l, t.ndim + front, l->scalar->index);
    int rest = points ? l->n_par : 0;
    for (int d = t.ndim - 1; i && d >= rest; at /= t.dim[d--])
        i->axis[front + d].offset = at % t.dim[d];
    for (int d = 0; i && d < rest; d++)
        i->axis[front + d].coef[d] = l->extent[d] != 1;
    return i;
}

const knc_point *knc_element_point(kni_lower *l, const knc_elements *x, int64_t at)
{
    return knc_one_point(l, knc_element_index(l, x->type, x->points, at, 0), KNK_NONE);
}

/* ---- Elements that are nodes. */

static bool at_own_points(const kni_lower *l, const kni_index *i)
{
    for (int d = 0; d < l->n_par; d++) {
        const kni_index_axis *x = &i->axis[d];
        if (x->offset || x->node >= 0)
            return false;
        for (int k = 0; k < i->n_loop; k++)
            if (x->coef[k] != (k == d && l->extent[d] != 1))
                return false;
    }
    return true;
}

/* The element at position i, of which some axes are computed: it is selected from all elements along these axes. */
static kni_pair choose(kni_lower *l, const knc_elements *x, const kni_index *i)
{
    int rest = x->points ? l->n_par : 0;
    kni_pair y = no_value;
    for (int64_t e = 0; e < x->n; e++) {
        knk_node pred = KNK_NONE;
        bool other = false;
        int64_t at = e;
        for (int d = x->type.ndim - 1; d >= rest && !other; at /= x->type.dim[d--]) {
            int64_t number = at % x->type.dim[d];
            if (i->axis[d].node < 0) {
                other = i->axis[d].offset != number;
                continue;
            }
            knk_node here =
                knk_binary(l->k, KNK_EQ, kni_lower_axis_value(l, i, d), knk_const_int(l->k, KN_ID_I64, number));
            pred = pred < 0 ? here : knk_binary(l->k, KNK_AND, pred, here);
        }
        if (!other)
            y = y.re < 0 ? x->v[e] : knc_chosen(l, pred, x->v[e], y);
    }
    return y;
}

kni_pair knc_element(kni_lower *l, const knc_elements *x, const knc_point *at)
{
    const kni_index *i = at->index;
    int rest = x->points ? l->n_par : 0;
    int64_t flat = 0;
    bool computed = false;
    if (x->points && !at_own_points(l, i)) {
        knc_refuse(l, "a carry is read at other points than its own");
        return no_value;
    }
    for (int d = rest; d < x->type.ndim; d++) {
        const kni_index_axis *a = &i->axis[d];
        if (!knc_no_loops(i, d)) {
            knc_refuse(l, "elements of a carry are read one after the other by a loop");
            return no_value;
        }
        if (knx_is_symbolic(a->offset)) {
            knc_refuse(l, "elements of a carry are read at places that only dimension variables say");
            return no_value;
        }
        computed |= a->node >= 0;
        /* such an element is read only where a predicate is false */
        if (a->node < 0 && (a->offset < 0 || a->offset >= x->type.dim[d]))
            return knc_zero(l, x->type.dtype);
        flat = flat * x->type.dim[d] + a->offset;
    }
    kni_pair y = computed ? choose(l, x, i) : x->v[flat];
    return y.re < 0 ? knc_zero(l, x->type.dtype) : y;
}

/* ---- Evaluation. */

/* The value of an atom of another scope, or false after putting it on the stack. */
bool knc_ready_in(kni_lower *l, const knc_scope *s, kni_atom a, const knc_point *at, kni_pair *value)
{
    const knc_scope *own = l->scope;
    l->scope = s;
    l->j = s->j;
    bool ready = knc_operand_ready(l, a, at, value);
    l->scope = own;
    l->j = own->j;
    return ready;
}

/* The position of an input's element in the array that the loop goes through: the turn, or a number, along the first
 * axis, then `at`. */
static const knc_point *turn_point(kni_lower *l, const knc_leaf *x, const knc_point *at)
{
    kni_index *i = kni_lower_index(l, at->index->ndim + 1, at->index);
    if (!i)
        return NULL;
    memcpy(i->axis + 1, at->index->axis, (size_t)at->index->ndim * sizeof *i->axis);
    kni_index_axis *a = &i->axis[0];
    if (x->kind == KNC_LEAF_ELEMENT) {
        a->offset = x->at;
        return knc_one_point(l, i, at->pred);
    }
    a->offset = x->reverse ? x->at - 1 : 0;
    a->coef[l->n_par + x->loop] = x->reverse ? -1 : 1;
    if (x->computed) {
        a->node = kni_lower_axis_value(l, i, 0);
        a->offset = a->coef[l->n_par + x->loop] = 0;
    }
    return knc_one_point(l, i, at->pred);
}

static void apply_leaf(kni_lower *l, const knc_leaf *x, uint32_t var, const knc_point *at)
{
    kni_pair y;
    if (x->kind == KNC_LEAF_ELEMENTS) {
        y = knc_element(l, x->elements, at);
        if (!l->failed)
            knc_remember(l, var, at, y);
        return;
    }
    const knc_point *there = x->kind == KNC_LEAF_SAME ? at : turn_point(l, x, at);
    if (there && knc_ready_in(l, x->scope, x->atom, there, &y))
        knc_remember(l, var, at, y);
}

static uint32_t operand_number(const kni_lower *l, kni_atom a)
{
    const kni_eqn *e = l->points->e;
    uint32_t n = 0;
    while (e->in[n] != a)
        n++;
    return n;
}

static kni_pair handed(kni_lower *l, kni_atom a)
{
    kni_type t = kni_atom_type(l->j, a);
    return knc_load(l, knc_buffer_of(l, operand_number(l, a), 0, t.dtype, false), t, l->scalar, no_value);
}

static void apply_outside(kni_lower *l, uint32_t var, const knc_point *at)
{
    const kni_eqn *e = l->points->e;
    kni_pair y;
    if (var >= e->out && var < e->out + e->n_out) {
        if (knc_inside_value(l, l->scope, 0, var - e->out, at, &y))
            knc_remember(l, var, at, y);
        return;
    }
    kni_type t = l->j->type[var];
    int buffer = knc_buffer_of(l, operand_number(l, var), 0, t.dtype, false);
    knc_remember(l, var, at, knc_load(l, buffer, t, at, no_value));
}

/* The position in a reshape's operand. The first axes that both shapes share keep theirs; along the others positions
 * must be numbers, and are found from the element's number in C order. */
static const knc_point *through_reshape(kni_lower *l, const kni_eqn *e, const knc_point *at)
{
    kni_type x = kni_atom_type(l->j, e->in[0]), y = l->j->type[e->out];
    kni_index *i = kni_lower_index(l, x.ndim, at->index);
    int same = 0;
    int64_t flat = 0;
    if (!i)
        return NULL;
    if (x.dtype != y.dtype) { /* bytes as elements of another size: no element of the result is one of the operand */
        knc_refuse(l, "the body has %s", e->prim->name);
        return NULL;
    }
    while (same < x.ndim && same < y.ndim && x.dim[same] == y.dim[same]) {
        i->axis[same] = at->index->axis[same];
        same++;
    }
    bool known = !knx_has_symbolic(x.ndim - same, x.dim + same) && !knx_has_symbolic(y.ndim - same, y.dim + same);
    for (int d = same; d < y.ndim; d++) {
        if (!known || !knc_no_loops(at->index, d) || at->index->axis[d].node >= 0) {
            knc_refuse(l, "a %s joins axes that are gone through", e->prim->name);
            return NULL;
        }
        flat = flat * y.dim[d] + at->index->axis[d].offset;
    }
    for (int d = x.ndim - 1; d >= same; flat /= x.dim[d] > 0 ? x.dim[d] : 1, d--)
        i->axis[d].offset = flat % (x.dim[d] > 0 ? x.dim[d] : 1);
    return knc_one_point(l, i, at->pred);
}

static void apply_equation(kni_lower *l, knc_frame *f, const kni_eqn *e)
{
    uint32_t var = f->var;
    const knc_point *at = f->point;
    kni_pair y;
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
        if (!f->moved)
            f->moved = through_reshape(l, e, at);
        at = f->moved;
        break;
    case KNC_REDUCE: knc_join_elements(l, e, at); return;
    case KNC_RUN:
        if (e->prim->product) {
            knc_join_products(l, e, at);
            return;
        }
        if (e->prim->element)
            knc_apply_pull(l, e, at);
        else
            knc_refuse(l, "the body has %s", e->prim->name);
        return;
    case KNC_UNKNOWN: knc_refuse(l, "the body has %s", e->prim->name); return;
    }
    if (!at)
        l->failed = true;
    else if (knc_operand_ready(l, e->in[0], at, &y))
        knc_remember(l, var, l->stack.at[l->stack.n - 1].point, y);
}

/* Handles the value on top of the stack: it is known and taken off, computed, or one of its operands is put on top. */
static void advance(kni_lower *l)
{
    knc_frame *f = &l->stack.at[l->stack.n - 1];
    const knc_scope *s = f->scope;
    uint32_t var = f->var;
    const knc_point *at = f->point;
    kni_pair y;
    l->scope = s;
    l->j = s->j;
    const kni_pair *known = knc_recall(l, var, at);
    if (known) {
        bool is_result = s->maker && var >= s->j->n_in;
        /* `element` of its row does not support this case */
        if (known->re < 0 && is_result && s->j->eqn[s->maker[var]].prim->element)
            knc_refuse(l, "the body has %s", s->j->eqn[s->maker[var]].prim->name);
        else if (known->re < 0) /* the builder has no memory */
            l->failed = true;
        if (known->re > KNC_MOST_NODES)
            knc_refuse(l, "more than %d operations at a point", KNC_MOST_NODES);
        l->stack.n--;
    } else if (!s->maker) {
        apply_outside(l, var, at);
    } else if (var < s->j->n_in) {
        apply_leaf(l, &s->leaf[var], var, at);
    } else {
        uint32_t k = s->maker[var];
        const kni_eqn *e = &s->j->eqn[k];
        if (!(e->prim->bits & KN_LOOPS))
            apply_equation(l, f, e);
        else if (knc_inside_value(l, s, k, var - e->out, at, &y))
            knc_remember(l, var, at, y);
    }
}

kni_pair knc_value_at(kni_lower *l, const knc_scope *s, kni_atom a, const knc_point *at)
{
    const knc_scope *own = l->scope;
    kni_pair y = no_value;
    l->scope = s;
    l->j = s->j;
    size_t base = l->stack.n;
    if (kni_is_literal(a)) {
        y = knc_literal(l, a);
    } else if (!l->failed && at && knc_push(l, a, at)) {
        while (l->stack.n > base && !l->failed)
            advance(l);
        l->scope = s;
        const kni_pair *known = l->failed ? NULL : knc_recall(l, a, at);
        if (known)
            y = *known;
    }
    l->scope = own;
    l->j = own ? own->j : l->p->j;
    return y;
}

static kni_pair pulled(kni_lower *l, kni_atom a, const kni_index *i, knk_node pred, kni_pair other)
{
    kn_dtype d = kni_atom_type(l->j, a).dtype;
    uint64_t bits;
    if (l->waiting)
        return knc_zero(l, d);
    if (pred >= 0 && constant(l, pred, &bits)) {
        if (!bits)
            return other.re >= 0 ? other : knc_zero(l, d);
        pred = KNK_NONE;
    }
    knk_node all = pred < 0 ? l->at->pred : l->at->pred < 0 ? pred : knk_binary(l->k, KNK_AND, pred, l->at->pred);
    const knc_point *at = l->at;
    if (i != at->index || all != at->pred) {
        kni_index *copy = kni_lower_index(l, i->ndim, i);
        if (!copy)
            return no_value;
        memcpy(copy->axis, i->axis, (size_t)i->ndim * sizeof *i->axis);
        at = knc_one_point(l, copy, all);
    }
    kni_pair y;
    if (!at || !knc_operand_ready(l, a, at, &y)) {
        l->waiting = true;
        return knc_zero(l, d);
    }
    return knc_chosen(l, pred, y, other);
}

const knc_scope_rules knc_scopes = {knc_one_point, handed, pulled};
