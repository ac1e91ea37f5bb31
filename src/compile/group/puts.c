/* SPDX-License-Identifier: Apache-2.0
 * puts.c -- updates as a part of the kernel that computes their new elements. An update whose row has `lands` puts
 * operand 1 into operand 0 at a start, by strides; so its group has the points of operand 1, computes it, and stores
 * each element where it goes in the result. Old elements that the group reads at the very position that it writes are
 * read from the result, which has them already (by a copy before the kernel, which goes away where the update is made
 * in place): an element is read before it is written, at the same point. Starts that are data move the addresses of the
 * launch. */
#include "compile/group/lowering.h"
#include <string.h>

static const kni_eqn *maker(const knc_plan *p, uint32_t var) { return &p->j->eqn[p->value[var].eqn]; }

/* --- may a kernel put the elements? ----------------------------------------------------------- */

/* Per axis: the distance in the old value (operand 0), in positions, of elements that are neighbours in operand 1. */
static void strides_of(const knc_plan *p, const kni_eqn *e, int64_t *stride)
{
    const kni_type x[2] = {knc_type(p, e->in[0]), knc_type(p, e->in[1])};
    kni_rule r = kni_rule_of(e, x, NULL);
    e->prim->lands(&r, stride);
}

/* Does operand 1 lie in memory anyway, and do its last axis' neighbours stay neighbours? Then the update is the
 * routine's, which copies whole runs of memory. */
static bool is_in_memory(const knc_plan *p, const kni_eqn *e)
{
    kni_atom v = e->in[1];
    int64_t stride[KN_MAX_NDIM];
    kni_type t = knc_type(p, v);
    if (kni_is_literal(v))
        return false;
    const knc_value *x = &p->value[v];
    knc_class c = x->eqn == KNC_NO ? KNC_RUN : knc_class_of(p->j, maker(p, v));
    if (c != KNC_RUN && c != KNC_REDUCE && c != KNC_RESHAPE && !x->need)
        return false;
    strides_of(p, e, stride);
    int last = t.ndim - 1;
    while (last > 0 && t.dim[last] == 1 && knc_type(p, e->in[0]).dim[last] == 1)
        last--;
    return stride[last] == 1 && t.dim[last] > 1;
}

bool knc_can_put(const knc_plan *p, const kni_eqn *e)
{
    return p->o->fuse && e->prim->lands && p->j->type[e->out].ndim && kni_type_size(knc_type(p, e->in[1])) &&
           !is_in_memory(p, e);
}

kni_type knc_stored_type(const knc_plan *p, uint32_t var)
{
    return p->value[var].put ? knc_type(p, maker(p, var)->in[1]) : p->j->type[var];
}

/* --- where an element goes -------------------------------------------------------------------- */

/* Where the new elements begin along one axis: at number `at` if that is known, else at operand `start`, moved to lie
 * between 0 and `most`, the last position from which all elements fit. */
typedef struct origin {
    bool known;
    int64_t at, most;
    kni_atom start;
} origin;

static origin origin_of(const knc_plan *p, kni_atom start, int64_t most)
{
    origin o = {.most = most, .start = start, .known = !most};
    if (most && kni_is_literal(start)) {
        const kni_literal *l = &p->j->literal[start & ~KN_LITERAL_BIT];
        o.known = true;
        o.at = knx_position(l->type.dtype, &l->bits, knx_is_symbolic(most) ? INT64_MAX : most);
        if (knx_is_symbolic(most) && !knx_dim_le(o.at, most))
            o.at = most;
    }
    return o;
}

static origin put_origin(const knc_plan *p, const kni_eqn *e, const int64_t *stride, int d)
{
    int64_t n = knc_type(p, e->in[1]).dim[d];
    return origin_of(p, e->in[2 + d], knx_dim_sub(knc_type(p, e->in[0]).dim[d] - 1, knx_dim_mul(n - 1, stride[d])));
}

/* The position in the old value where the new element at position i goes, without starts that are operands. NULL
 * without memory. */
static kni_index *landing(const knc_plan *p, const kni_eqn *e, const kni_index *i, knx_arena *a)
{
    int64_t stride[KN_MAX_NDIM];
    kni_index *y = knc_new_index(a, i->n_loop, i->ndim);
    strides_of(p, e, stride);
    for (int d = 0; y && d < i->ndim; d++) {
        y->axis[d].offset = knx_dim_add(put_origin(p, e, stride, d).at, knx_dim_mul(stride[d], i->axis[d].offset));
        for (int k = 0; k < i->n_loop; k++)
            y->axis[d].coef[k] = knx_dim_mul(stride[d], i->axis[d].coef[k]);
    }
    return y;
}

/* The position in a view's operand, from position i in its result; NULL: there is no memory, or a node computes the
 * position. */
static kni_index *through_view(const knc_plan *p, const kni_eqn *e, const kni_index *i, knx_arena *a)
{
    const kni_index *map = knc_view_map(p->j, e, a);
    kni_index *in = map ? knc_new_index(a, i->n_loop, map->ndim) : NULL;
    for (int x = 0; in && x < map->ndim; x++) {
        in->axis[x].offset = map->axis[x].offset;
        for (int d = 0; d < i->ndim; d++) {
            int64_t c = map->axis[x].coef[d];
            if (c && i->axis[d].node >= 0)
                return NULL;
            in->axis[x].offset = knx_dim_add(in->axis[x].offset, knx_dim_mul(c, i->axis[d].offset));
            for (int k = 0; k < i->n_loop; k++)
                in->axis[x].coef[k] = knx_dim_add(in->axis[x].coef[k], knx_dim_mul(c, i->axis[d].coef[k]));
        }
    }
    return in;
}

/* Is position i of the old value, or of a window of it (`window`: the equation, else NULL), the position `to` where
 * the new element goes? */
static bool is_the_place(const knc_plan *p, const kni_eqn *e, const kni_eqn *window, const kni_index *i,
                         const kni_index *to)
{
    int64_t stride[KN_MAX_NDIM];
    kni_type x = knc_type(p, e->in[0]);
    strides_of(p, e, stride);
    for (int d = 0; d < x.ndim; d++) {
        origin put = put_origin(p, e, stride, d), seen = {.known = true};
        if (window)
            seen = origin_of(p, window->in[1 + d], knx_dim_sub(x.dim[d], p->j->type[window->out].dim[d]));
        if (put.known != seen.known || (!put.known && (put.start != seen.start || put.most != seen.most)))
            return false;
        if (i->axis[d].node >= 0 || knx_dim_add(i->axis[d].offset, seen.at) != to->axis[d].offset ||
            memcmp(i->axis[d].coef, to->axis[d].coef, (size_t)i->n_loop * sizeof *to->axis[d].coef) != 0)
            return false;
    }
    return true;
}

/* Is the value's element at position i the old element at `to`, where the new one goes, seen through views and at
 * most one window? */
static bool shows_place(const knc_plan *p, const kni_eqn *e, uint32_t var, const kni_index *i, const kni_index *to,
                        knx_arena *a)
{
    while (i && var != e->in[0] && p->value[var].eqn != KNC_NO) {
        const kni_eqn *v = maker(p, var);
        knc_class c = knc_class_of(p->j, v);
        if (!kni_is_var(v->in[0]))
            return false;
        if ((v->prim->bits & KN_WINDOW) && v->in[0] == e->in[0])
            return is_the_place(p, e, v, i, to);
        if (c != KNC_VIEW && c != KNC_IDENTITY)
            return false;
        i = c == KNC_VIEW ? through_view(p, v, i, a) : i;
        var = v->in[0];
    }
    return i && var == e->in[0] && is_the_place(p, e, NULL, i, to);
}

/* --- while equations are grouped -------------------------------------------------------------- */

enum { MOST_SEEN = 64 };
typedef struct seeker {
    knc_plan *p;
    const kni_eqn *e;
    const kni_index *to;
    uint32_t seen[MOST_SEEN], n; /* values that read old elements, only where the new ones go */
} seeker;

static bool reads_old(const seeker *s, kni_atom a) { return kni_is_var(a) && s->p->value[a].old != KNC_NO; }

/* Does the value, computed at position i (NULL: a scalar), read old elements only where the new ones go? */
static bool only_at_place(seeker *s, uint32_t var, const kni_index *i)
{
    knc_plan *p = s->p;
    if (!reads_old(s, var)) /* nor may the value be an old value itself: of this update, or of another one */
        return var != s->e->in[0] && !p->value[p->value[var].whole].updated_at;
    if (!i || s->n == MOST_SEEN || var == s->e->in[0])
        return false;
    if (shows_place(p, s->e, var, i, s->to, &p->scratch)) {
        for (; var != s->e->in[0] && s->n < MOST_SEEN; var = maker(p, var)->in[0])
            s->seen[s->n++] = var;
        return true;
    }
    s->seen[s->n++] = var;
    const kni_eqn *v = maker(p, var);
    knc_class c = knc_class_of(p->j, v);
    if (c == KNC_VIEW)
        i = through_view(p, v, i, &p->scratch);
    else if (c != KNC_ELEMENTWISE && c != KNC_IDENTITY)
        return false;
    for (uint32_t k = 0; k < v->n_in; k++) {
        bool spread = kni_is_var(v->in[k]) && !p->j->type[v->in[k]].ndim && p->j->type[v->out].ndim && c != KNC_VIEW;
        if (kni_is_var(v->in[k]) && !only_at_place(s, v->in[k], spread ? NULL : i))
            return false;
    }
    return true;
}

void knc_note_place(knc_plan *p, const kni_eqn *e)
{
    kni_type t = knc_type(p, e->in[1]);
    kni_index *i = knc_new_index(&p->scratch, t.ndim, t.ndim);
    for (int d = 0; i && d < t.ndim; d++)
        i->axis[d].coef[d] = t.dim[d] > 1;
    seeker s = {.p = p, .e = e, .to = i ? landing(p, e, i, &p->scratch) : NULL};
    if (!s.to || !kni_is_var(e->in[1]) || !kni_is_var(e->in[0]) || !only_at_place(&s, e->in[1], i))
        return;
    for (uint32_t k = 0; k < s.n; k++)
        p->value[s.seen[k]].place = 1 + e->out;
}

bool knc_reads_at_place(knc_plan *p, const kni_eqn *e, uint32_t group)
{
    uint32_t place = p->value[e->out].place;
    return place && knc_find(p, p->value[place - 1].group) == knc_find(p, group);
}

/* --- in the kernel ---------------------------------------------------------------------------- */

static int buffer_of(kni_lower *l, uint32_t var, bool written)
{
    knx_bytes offset;
    uint32_t slot = knc_slot_of(l->p, var, &offset);
    return knc_buffer_of(l, slot, offset, l->j->type[var].dtype, written);
}

void knc_put_value(kni_lower *l, uint32_t var, const knc_point *at, kni_pair value)
{
    kni_index *to = landing(l->p, maker(l->p, var), at->index, &l->arena);
    if (!to)
        l->failed = true;
    else
        knc_store(l, buffer_of(l, var, true), l->j->type[var], &(knc_point){to, KNK_NONE}, value);
}

bool knc_old_value(kni_lower *l, uint32_t var, const knc_point *at, kni_pair *value)
{
    uint32_t out = l->scope ? 0 : l->p->value[var].place;
    if (!out || at->pred >= 0 || !l->g->puts)
        return false;
    out--;
    const knc_value *v = &l->p->value[out];
    const kni_eqn *e = maker(l->p, out);
    if (knc_find(l->p, v->group) != l->group || l->pass < v->stage)
        return false;
    kni_type t = knc_stored_type(l->p, out);
    kni_index *to = landing(l->p, e, knc_home_of(l, v->loops, t)->index, &l->arena);
    if (!to || to->n_loop != at->index->n_loop || !shows_place(l->p, e, var, at->index, to, &l->arena))
        return false;
    *value = knc_load(l, buffer_of(l, out, false), l->j->type[out], &(knc_point){to, KNK_NONE},
                      (kni_pair){KNK_NONE, KNK_NONE});
    return true;
}

/* The number of the step's buffer for this slot, written or read; KNC_NO: none. */
static uint32_t find_buffer(const kni_lower *l, uint32_t slot, bool written)
{
    for (size_t b = 0; b < l->buffer.n; b++)
        if (l->buffer.at[b].slot == slot && l->buffer.at[b].written == written)
            return (uint32_t)b;
    return KNC_NO;
}

/* Starts that are operands of the update: each is a further reference of the step, behind the buffers, and a shift. */
static void add_shifts(kni_lower *l, uint32_t var, knc_step *s, knc_shift *shift)
{
    const kni_eqn *e = maker(l->p, var);
    kni_type t = l->j->type[var];
    int64_t stride[KN_MAX_NDIM], bytes = t.dtype->size;
    knx_bytes offset;
    uint32_t slot = knc_slot_of(l->p, var, &offset);
    strides_of(l->p, e, stride);
    for (int d = t.ndim - 1; d >= 0; bytes = knx_dim_mul(bytes, t.dim[d--])) {
        origin o = put_origin(l->p, e, stride, d);
        if (o.known)
            continue;
        shift[s->u.k.n_shift++] = (knc_shift){.start = s->n_ref,
                                              .ref = {find_buffer(l, slot, true), find_buffer(l, slot, false)},
                                              .dtype = knc_type(l->p, o.start).dtype,
                                              .most = o.most,
                                              .bytes = bytes};
        s->ref[s->n_ref].index = knc_slot_of(l->p, o.start, &offset);
        s->ref[s->n_ref++].offset = offset;
    }
}

bool knc_add_puts(kni_lower *l, knc_step *s)
{
    size_t n = 0;
    for (uint32_t v = l->g->first_store; v != KNC_NO; v = l->p->value[v].next)
        n += l->p->value[v].put ? (size_t)l->j->type[v].ndim : 0;
    knc_ref *ref = knx_arena_zero(&l->p->p->arena, (s->n_ref + n + 1) * sizeof *ref);
    knc_shift *shift = knx_arena_alloc(&l->p->p->arena, (n + 1) * sizeof *shift);
    if (!ref || !shift)
        return false;
    memcpy(ref, s->ref, s->n_ref * sizeof *ref);
    s->kind = KNC_PUT;
    s->ref = ref;
    s->u.k.shift = shift;
    for (uint32_t v = l->g->first_store; v != KNC_NO; v = l->p->value[v].next)
        if (l->p->value[v].put)
            add_shifts(l, v, s, shift);
    return !l->p->failed;
}
