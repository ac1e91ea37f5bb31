/* SPDX-License-Identifier: Apache-2.0
 * write.c -- writes: the storage of an array gets a value in which the elements at some place are new.
 *
 * Most places, seen from the storage, are a box: along each of its axes some positions from a start by a step. They are
 * written there at once, whatever views led to them, so that a write costs as much as what it writes. All others go
 * through the views one by one, by their rows' `put`. */
#include "array/layout.h"
#include "array/tape.h"
#include "array/state.h"
#include <string.h>

/* ---- May it be written to? */

static knx_error *refusal(const kna_storage *s, const kna_recording *r)
{
    static const char advice[] = "the caller would see it; copy it first with kn_copy";
    knx_text t = {0};
    const char *type = kni_type_text(&t, s->value->type, true);
    knx_error *e;
    if (!r)
        return knx_error_new(KN_ERROR_LEAKED_TRACER, "write to an array (%s) that escaped from a traced function",
                             type);
    if (s->argument)
        e = knx_error_new(KN_ERROR_MUTATION, "write to argument %d (%s) under %s: %s", s->argument - 1, type,
                          r->transformation, advice);
    else
        e = knx_error_new(KN_ERROR_MUTATION, "write to an array from outside (%s) under %s: %s", type,
                          r->transformation, advice);
    if (atomic_load(&e->refs) > 0)
        e->operation = r->function;
    return e;
}

KNX_HOT bool kna_may_write(kna_op *op, const kna_array *a)
{
    kna_recording *r = kna_recording_current();
    const kna_storage *s = a->storage;
    if (!a->writeable || s->readonly) {
        kna_fail(op, KN_ERROR_VALUE, "assignment destination is read-only");
        return false;
    }
    if (s->recording == (r ? r->serial : 0) && !s->argument)
        return true;
    knx_error *e = refusal(s, r);
    if (r && !r->refused) /* a write has no result that could carry the error */
        r->refused = knx_error_retain(e);
    kna_fail_with(op, e);
    return false;
}

/* ---- Boxes. */

typedef struct box {
    int64_t start[KN_MAX_NDIM], count[KN_MAX_NDIM], step[KN_MAX_NDIM];
    int from[KN_MAX_NDIM]; /* which axis of the place runs along it; -1: none */
    bool whole, stepped;
} box;

/* The axis of the storage along which steps of so many bytes go; -1 if there is none. */
static int axis_along(kni_type t, const int64_t *stride, const box *x, int64_t bytes, int64_t count, int64_t *step)
{
    int k = 0;
    while (k < t.ndim && (t.dim[k] <= 1 || stride[k] > bytes))
        k++;
    if (k >= t.ndim || x->from[k] >= 0)
        return -1;
    int64_t left = t.dim[k] - 1 - x->start[k];
    *step = bytes == stride[k] ? 1 : bytes / stride[k];
    return *step * stride[k] == bytes && (*step == 1 ? left : left / *step) >= count - 1 ? k : -1;
}

static bool find_box(kni_type t, const kna_layout *l, box *x)
{
    int64_t stride[KN_MAX_NDIM], low = l->offset;
    if (t.dtype != l->type.dtype || l->unplaced || knx_has_symbolic(t.ndim, t.dim))
        return false;
    kna_contiguous_strides(t, stride);
    for (int d = 0; d < l->type.ndim; d++)
        if (l->stride[d] < 0)
            low += l->stride[d] * (l->type.dim[d] - 1);
    for (int k = 0; k < t.ndim; k++) {
        x->start[k] = low / stride[k];
        low %= stride[k];
        x->count[k] = x->step[k] = 1;
        x->from[k] = -1;
    }
    for (int d = 0; d < l->type.ndim; d++) {
        int64_t n = l->type.dim[d], bytes = l->stride[d] < 0 ? -l->stride[d] : l->stride[d], step = 1;
        int k = n == 1 ? 0 : bytes ? axis_along(t, stride, x, bytes, n, &step) : -1;
        if (k < 0)
            return false;
        if (n == 1)
            continue;
        x->from[k] = d;
        x->count[k] = n;
        x->step[k] = step;
    }
    x->whole = true;
    x->stepped = false;
    for (int k = 0; k < t.ndim; k++) {
        x->whole = x->whole && x->count[k] == t.dim[k];
        x->stepped = x->stepped || x->step[k] > 1;
    }
    return low == 0;
}

/* Are the axes of the place those of the storage, in order and forwards? */
static bool lies_straight(kni_type t, const kna_layout *l, const box *x)
{
    bool straight = l->type.ndim == t.ndim;
    for (int k = 0; straight && k < t.ndim; k++)
        straight = l->type.dim[k] == 1 ? x->from[k] < 0 : x->from[k] == k && l->stride[k] > 0;
    return straight;
}

/* v, of the place's shape, with its axes as they lie in the storage. */
static kni_atom shape_for_box(kna_op *op, kni_type t, const kna_layout *l, const box *x, kni_atom v)
{
    int64_t back[KN_MAX_NDIM], extents[KN_MAX_NDIM], order[KN_MAX_NDIM];
    int n_back = 0, n = 0, position[KN_MAX_NDIM];
    if (lies_straight(t, l, x))
        return v;
    for (int d = 0; d < l->type.ndim; d++) {
        if (l->type.dim[d] == 1)
            continue;
        if (l->stride[d] < 0)
            back[n_back++] = d;
        position[d] = n;
        extents[n++] = l->type.dim[d];
    }
    if (n_back)
        v = knb_rev(op->b, v, n_back, back);
    v = knb_reshape(op->b, v, n, extents);
    n = 0;
    for (int k = 0; k < t.ndim; k++)
        if (x->from[k] >= 0)
            order[n++] = position[x->from[k]];
    v = knb_transpose(op->b, v, order);
    return knb_reshape(op->b, v, t.ndim, x->count);
}

/* ---- Positions. Outside of traces those that came as operands of windows are operands of the plan, so that a loop
 * over them needs one; all others are a part of its text, as they are where the place is read. */

typedef struct windows {
    kna_op *op;
    const kna_array *target;
    const kni_draft_eqn *chain; /* copies: emitting moves the equations */
    int n_chain, ndim;          /* of the storage */
    bool any;                   /* one has a position along an axis that is an operand */
} windows;

static const kna_value *atom_number(kna_op *op, kni_atom a)
{
    kna_state *s = kna_state_get();
    const kna_value *v = !op->b->hook || kni_is_literal(a) ? NULL : s->lazy_value.at[a];
    return v && v->state == KN_V_NUMBER ? v : NULL;
}

static bool is_position(const kna_value *v, int64_t at)
{
    int64_t value;
    if (!v || v->state != KN_V_NUMBER)
        return false;
    knx_convert(v->type.dtype, &v->bits, KN_DT(I64), &value);
    return value == at;
}

/* The operand of the newest window whose position along axis k of the storage is this one, or KN_ATOM_NONE. */
static kni_atom window_operand(windows *w, int k, int64_t at)
{
    uint32_t which = (uint32_t)k + 1, n = (uint32_t)w->ndim + 1;
    w->any = false;
    for (int i = w->n_chain; i-- > 0;) {
        const kni_draft_eqn *e = &w->chain[i];
        if (!(e->prim->bits & KN_WINDOW))
            continue;
        if (e->n_in != n) { /* of a reshaped storage */
            w->any = true;
            continue;
        }
        const kna_value *v = atom_number(w->op, e->in[which]);
        w->any = w->any || v;
        if (is_position(v, at))
            return e->in[which];
    }
    for (const kna_view_op *s = w->target->step; s; s = s->before) {
        if (!(s->prim->bits & KN_WINDOW))
            continue;
        w->any = w->any || s->n_in != n || s->operand[which];
        if (s->n_in != n)
            continue;
        if (is_position(s->operand[which], at))
            return kna_value_atom(w->op, s->operand[which]);
    }
    return KN_ATOM_NONE;
}

static kni_atom position(windows *w, int k, int64_t at)
{
    kna_op *op = w->op;
    kni_atom known = op->b->hook ? window_operand(w, k, at) : KN_ATOM_NONE;
    if (known != KN_ATOM_NONE || kna_failed(op))
        return known;
    if (!op->b->hook || !w->any)
        return knb_integer(op->b, op->b->hook || at > INT32_MAX ? KN_DT(I64) : KN_DT(I32), at);
    return kna_number_atom(op, KN_DT(I64), knx_scalar_from_int(KN_DT(I64), at));
}

/* The operand of a view row with the elements that its result y shows replaced. */
static kni_atom put_back(kna_op *op, const kni_prim *prim, const void *params, uint32_t n_in, const kni_atom *in,
                         kni_atom y, kni_atom v)
{
    kni_type few[8], *xt = n_in <= 8 ? few : knx_arena_alloc(&op->b->arena, n_in * sizeof *xt);
    if (!xt) {
        knb_fail(op->b, knx_error_nomem());
        return KN_ATOM_NONE;
    }
    kni_type yt = knb_type(op->b, y);
    for (uint32_t i = 0; i < n_in; i++)
        xt[i] = knb_type(op->b, in[i]);
    kni_rule rule = {.b = op->b, .prim = prim, .params = params, .n_in = (int)n_in, .n_out = 1};
    rule.x = in, rule.xt = xt, rule.y = &y, rule.yt = &yt;
    return prim->put(&rule, v);
}

static kni_atom put_box(windows *w, const kna_layout *l, const box *x, kni_atom v)
{
    kna_op *op = w->op;
    const kna_storage *s = w->target->storage;
    kni_type t = s->value->type;
    kni_atom start[KN_MAX_NDIM], all;
    v = shape_for_box(op, t, l, x, v);
    if (x->whole || kna_failed(op))
        return v;
    all = kna_value_atom(op, s->value);
    for (int k = 0; k < t.ndim; k++)
        start[k] = x->count[k] < t.dim[k] ? position(w, k, x->start[k])
                                          : knb_integer(op->b, op->b->hook ? KN_DT(I64) : KN_DT(I32), 0);
    if (kna_failed(op))
        return KN_ATOM_NONE;
    return x->stepped ? knb_strided_update(op->b, all, v, start, x->step)
                      : knb_dynamic_update_slice(op->b, all, v, start);
}

/* ---- Through the views. */

/* Those that this operation made: from the target to the place. */
static kni_atom put_through_chain(kna_op *op, kni_atom from, kni_atom place, kni_atom v)
{
    int n = 0;
    const kni_draft_eqn **chain = kna_find_chain(op, from, place, &n);
    for (int i = n; i-- > 0 && !kna_failed(op);) {
        kni_draft_eqn e = *chain[i]; /* emitting moves the equations */
        v = put_back(op, e.prim, e.params, e.n_in, e.in, e.out, v);
        if (v == KN_ATOM_NONE || (i && !(chain = kna_find_chain(op, from, place, &n))))
            return KN_ATOM_NONE;
    }
    return v;
}

/* Those that the target consists of: from its storage to it. */
static kni_atom put_through_steps(kna_op *op, const kna_array *target, kni_atom v)
{
    int n;
    const kna_view_op **list = kna_view_ops(op, target, &n);
    kni_atom *at = knx_arena_alloc(&op->b->arena, ((size_t)n + 1) * sizeof *at);
    kni_atom **in = knx_arena_alloc(&op->b->arena, ((size_t)n + 1) * sizeof *in);
    bool ok = list && at && in;
    if (ok)
        at[0] = kna_value_atom(op, target->storage->value);
    for (int i = 0; ok && i < n && !kna_failed(op); i++) {
        ok = (in[i] = knx_arena_alloc(&op->b->arena, list[i]->n_in * sizeof **in)) != NULL;
        if (ok)
            at[i + 1] = kna_emit_step(op, list[i], at[i], in[i]);
    }
    if (!ok)
        knb_fail(op->b, knx_error_nomem());
    for (int i = n; ok && i-- > 0 && !kna_failed(op) && v != KN_ATOM_NONE;)
        v = put_back(op, list[i]->prim, list[i]->params, list[i]->n_in, in[i], at[i + 1], v);
    return v;
}

/* ---- The new value. */

/* An array that is written to all over stays where it is, too. */
static knx_error *stay(const kna_storage *s, kna_value **fresh)
{
    uint16_t site = KND_NOWHERE;
    if (__builtin_expect((*fresh)->site == s->value->site, 1))
        return NULL;
    KN_TRY(kna_join_site(&site, s->value->site));
    KN_TRY(kna_join_site(&site, (*fresh)->site));
    return kna_move_to_site(fresh, site ? site : s->value->site);
}

/* Where nothing is recorded on tapes, an array that is watched stays so with its new elements. */
static knx_error *stay_watched(const kna_storage *s, kna_value **fresh)
{
    const kna_lifting *l = kna_is_lifted(s->value) ? kna_lifting_get() : NULL;
    for (kna_value *old = s->value; l && l->off && kna_is_lifted(old); old = old->lift->inner) {
        if (old->lift->kind != KNA_LIFT_TAPE || old->lift->step->derived)
            continue;
        kna_lift with = *old->lift;
        kna_step *before = with.step;
        kni_type t = kna_physical_type(*fresh); /* which has more batch axes where such were written */
        with.step = !before->n_edge && kni_type_same_shape(before->type, t)
                        ? kna_step_retain(before) /* the gradient stays, too */
                        : kna_step_watched(with.level, t, NULL, before->place, before->operation);
        kna_value *watched = with.step ? kna_lift_put(*fresh, &with) : NULL;
        kna_step_release(with.step);
        if (!watched)
            return knx_error_nomem();
        kna_value_release(*fresh);
        *fresh = watched;
    }
    return NULL;
}

void kna_replace_value(kna_storage *s, kna_value *fresh)
{
    kna_value *old = s->value;
    if (old != fresh)
        kna_pin_leave(s, old);
    while (s->views)
        kna_forget(s->views);
    knx_share_lock();
    s->value = fresh;
    s->version++;
    knx_share_unlock();
    kna_value_release(old);
}

static void set_value(kna_op *op, kna_storage *s, kna_value *fresh)
{
    knx_error *error = stay(s, &fresh);
    error = error ? error : stay_watched(s, &fresh);
    kna_let_go(op); /* so that the old value is no one's if it runs now */
    error = !error && s->pin ? kna_pin_take(s, &fresh) : error;
    if (error) {
        kna_value_release(fresh);
        kna_fail_with(op, error);
        return;
    }
    kna_worth_having(fresh);
    if (s->pin)
        kna_state_get()->lazy_shared = true;
    kna_replace_value(s, fresh);
    error = kna_settle(1, &fresh);
    if (error)
        kna_fail_with(op, error);
}

KNX_HOT void kna_put(kna_op *op, kn_array target, kni_atom target_atom, kni_atom result, kni_atom v)
{
    int n = 0;
    kna_array *a = kna_failed(op) ? NULL : kna_array_of(op, target);
    if (!a || !kna_may_write(op, a))
        return;
    const kni_draft_eqn **chain = kna_find_chain(op, target_atom, result, &n);
    if (!chain) {
        kna_fail(op, KN_ERROR_VALUE, "this part of the array cannot be written to");
        return;
    }
    kna_layout l;
    bool strided = true;
    box x;
    kna_layout_of(a, &l);
    for (int i = 0; i < n && strided; i++)
        strided = kna_layout_step(op, chain[i], &l);
    if (kna_failed(op) || !kni_type_size(knb_type(op->b, result)))
        return;
    kni_draft_eqn *copy = knx_arena_alloc(&op->b->arena, ((size_t)n + 1) * sizeof *copy);
    if (!copy) {
        kna_fail_with(op, knx_error_nomem());
        return;
    }
    for (int i = 0; i < n; i++)
        copy[i] = *chain[i];
    windows w = {.op = op, .target = a, .chain = copy, .n_chain = n, .ndim = a->storage->value->type.ndim};
    if (strided && find_box(a->storage->value->type, &l, &x))
        v = put_box(&w, &l, &x, v);
    else {
        v = put_through_chain(op, target_atom, result, v);
        if (a->step && !kna_failed(op) && v != KN_ATOM_NONE)
            v = put_through_steps(op, a, v);
    }
    kna_value *fresh = kna_failed(op) || v == KN_ATOM_NONE ? NULL : kna_atom_value(op, v);
    if (fresh)
        set_value(op, a->storage, fresh);
    else if (!kna_failed(op))
        kna_fail(op, KN_ERROR_VALUE, "assignment destination is read-only");
}
