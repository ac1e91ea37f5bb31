/* SPDX-License-Identifier: Apache-2.0
 * backward.c -- watched arrays and going backward. */
#define KNA_LIFTS
#include "array/handle.h"
#include "array/storage.h"
#include "array/tape.h"
#include "base/options.h"
#include "eager/eager.h"
#include "tree/tree.h"

/* The innermost thing of a tape at v that is open; NULL: v is on none. */
static const kna_lift *tape_at(kna_value *v)
{
    for (; kna_is_lifted(v); v = v->lift->inner)
        if (v->lift->kind == KNA_LIFT_TAPE && v->lift->level->open)
            return v->lift;
    return NULL;
}

/* ---- Watching. */

/* Of an array that lies in another order than C's, whose storage has its transposition: the permutation that it is of
 * that. NULL: of others, and of views of such arrays. */
static const int64_t *order_of(const kna_array *a)
{
    bool all = a->owner && a->storage->permuted && a->step && !a->step->before;
    return all ? ((const kni_p_transpose *)a->step->params)->permutation.v : NULL;
}

static bool may_watch(kna_op *op, const kna_array *a, const kna_value *v)
{
    const kna_recording *r = kna_recording_current();
    if (!kne_has(op, v, "gradient"))
        return false;
    if (!a->owner || (a->step && !order_of(a)))
        kna_fail(op, KN_ERROR_VALUE, "a view cannot be watched, but what it is a view of, or its copy");
    else if (a->storage->pin)
        kna_fail(op, KN_ERROR_VALUE, "memory that others write to cannot be watched, but its copy");
    else if (a->storage->recording != (r ? r->serial : 0))
        kna_fail(op, KN_ERROR_MUTATION, "an array from outside cannot be watched under %s, but its copy",
                 r ? r->transformation : "a transformation that has ended");
    return !kna_failed(op);
}

kn_array(kn_watch)(kn_array x)
{
    kna_op op;
    kna_begin(&op, "watch");
    kna_array *a = kna_array_of(&op, x);
    kna_value *v = a ? a->storage->value : NULL;
    if (v && may_watch(&op, a, v)) {
        kna_level *level = kna_level_now(KNA_LIFT_TAPE);
        const kna_lift *at = level ? kna_lift_at(v, level) : NULL;
        if (!at || at->step->derived || !a->storage->watched) { /* a copy of a watched array has the mark of that */
            kna_step_edge from = at ? (kna_step_edge){at->step, at->index} : (kna_step_edge){NULL, 0};
            kna_lift with = {.kind = KNA_LIFT_TAPE, .level = level};
            with.step =
                level ? kna_step_watched(level, kna_physical_type(v), at ? &from : NULL, knx_context()->here, "watch")
                      : NULL;
            kna_value *watched = with.step ? kna_lift_put(v, &with) : NULL;
            kna_step_release(with.step);
            if (watched) {
                kna_replace_value(a->storage, watched);
                a->storage->watched = knx_context()->here;
            } else {
                kna_fail_with(&op, knx_error_nomem());
            }
        }
    }
    kna_end_plain(&op);
    return x;
}

bool kn_is_watched(kn_array x)
{
    kna_op op;
    kna_begin(&op, "is_watched");
    kna_value *v = kne_value(&op, x);
    bool is = v && tape_at(v);
    kna_value_release(v);
    return kna_end_plain(&op) && is;
}

/* ---- Backward. */

/* The cotangent of y, physical, without what is at y; NULL with the op failed. */
static kna_value *seed_for(kna_op *op, const kna_value *y, kn_array seed)
{
    knx_text a = {0}, b = {0};
    kni_type t = y->type;
    if (!seed && kni_type_size(t) != 1) {
        kna_fail(op, KN_ERROR_VALUE, "backward from %s needs a .seed: only of one element it is 1",
                 kni_type_text(&a, t, true));
        return NULL;
    }
    if (!seed)
        return kne_atom_value(op, knb_full(op->b, kna_physical_type(y), 1));
    kni_type s = kna_type(op, seed);
    kni_atom in = kna_failed(op) ? KN_ATOM_NONE : kna_in_as(op, seed, t.dtype);
    if (!kna_failed(op) && ((!s.weak && s.dtype != t.dtype) || !kni_type_same_shape(s, t)))
        kna_fail(op, s.dtype != t.dtype && !s.weak ? KN_ERROR_TYPE : KN_ERROR_VALUE,
                 "the seed is %s, but the array is %s", kni_type_text(&a, s, true), kni_type_text(&b, t, true));
    kna_value *v = kne_atom_value(op, in), *ct = NULL;
    int64_t extent[KN_MAX_NDIM];
    int n = v ? kne_common_batch(op, v, y, extent) : -1;
    if (n >= 0 && n > kna_batch_axes(y))
        kna_fail(op, KN_ERROR_VALUE, "the seed has %d batch axes, but the array %d", n, kna_batch_axes(y));
    if (n >= 0 && !kna_failed(op)) {
        kni_atom at = kne_with_batch(op, v, n, extent);
        ct = kne_atom_value(op, at);
    }
    kna_value_release(v);
    return ct;
}

int kn_backward(kn_array y, const kn_backward_opts *opts)
{
    KNX_OPTS(kn_backward_opts, o, opts);
    kna_op op;
    kna_begin(&op, "backward");
    kna_value *v = kne_inexact(&op, y, "gradient");
    const kna_lift *at = v ? tape_at(v) : NULL;
    if (v && !at)
        kna_fail(&op, KN_ERROR_VALUE, "backward from an array that depends on no watched one");
    kna_value *ct = at ? seed_for(&op, v, o.seed) : NULL;
    if (ct && !kna_failed(&op)) {
        knx_error *error = kna_go_backward(kna_recording_current(), at->level, v, ct,
                                           (kna_backward){.keep = o.keep || o.record, .record = o.record});
        if (error)
            kna_fail_with(&op, error);
    } else {
        kna_value_release(ct);
    }
    kna_value_release(v);
    return kna_end_plain(&op) ? 0 : -1;
}

/* ---- Gradients. */

static const kna_array *in_other_order(kn_array x)
{
    kna_handle_kind kind = KN_H_NONE;
    const kna_array *a = kna_handle_peek(x, &kind);
    return kind == KN_H_VIEW && order_of(a) ? a : NULL;
}

/* The value at which x's mark is: a new reference; NULL with the op failed. */
static kna_value *marked(kna_op *op, kn_array x)
{
    kna_value *v = kne_inexact(op, x, "gradient");
    const kna_array *a = v ? in_other_order(x) : NULL;
    if (a) {
        kna_value_release(v);
        v = kna_value_retain(a->storage->value);
    }
    return v;
}

/* The step of a watched array; NULL with the op failed. */
static kna_step *watched_step(kna_op *op, kn_array x, kna_value *v)
{
    char made[160], since[160];
    kna_handle_kind kind = KN_H_NONE;
    const void *object = kna_handle_peek(x, &kind);
    const kn_place *watched = kind == KN_H_VIEW ? ((const kna_array *)object)->storage->watched : NULL;
    const kna_lift *at = tape_at(v);
    if (at && !at->step->derived)
        return at->step;
    if (at && watched)
        kna_fail(op, KN_ERROR_VALUE,
                 "the array, watched%s, was changed by '%s'%s: the gradient is that of what it was before; "
                 "watch it again, or change it where KN_NO_TAPE is",
                 kna_place_text(watched, since), at->step->operation ? at->step->operation : "",
                 kna_place_text(at->step->place, made));
    else if (at)
        kna_fail(op, KN_ERROR_VALUE, "the array made by '%s'%s is not watched itself: kn_watch it before backward",
                 at->step->operation ? at->step->operation : "", kna_place_text(at->step->place, made));
    else if (watched)
        kna_fail(op, KN_ERROR_VALUE,
                 "the array is not watched any more: it was%s, and written to all over since, or that tape has ended",
                 kna_place_text(watched, since));
    else
        kna_fail(op, KN_ERROR_VALUE, "the array is not watched");
    return NULL;
}

kn_array(kn_grad_of)(kn_array x)
{
    kna_op op;
    kna_begin(&op, "grad_of");
    kna_value *v = marked(&op, x), *y = NULL;
    kna_step *s = v ? watched_step(&op, x, v) : NULL;
    if (s && s->grad)
        y = kna_value_retain(s->grad);
    else if (s)
        y = kne_atom_value(&op, knb_zeros(op.b, s->type));
    y = kna_lift_batch(y, kna_batch_axes(v));
    const kna_array *a = y ? in_other_order(x) : NULL;
    if (a) {
        kni_atom g = knb_transpose(op.b, kna_value_atom(&op, y), order_of(a));
        kna_value_release(y);
        y = kne_atom_value(&op, g);
    }
    kna_value_release(v);
    return kne_end_value(&op, y);
}

bool kn_has_grad(kn_array x)
{
    kna_op op;
    kna_begin(&op, "has_grad");
    kna_value *v = marked(&op, x);
    const kna_step *s = v ? watched_step(&op, x, v) : NULL;
    bool has = s && s->grad;
    kna_value_release(v);
    return kna_end_plain(&op) && has;
}

int kn_clear_grad(kn_array x)
{
    kna_op op;
    kna_begin(&op, "clear_grad");
    kna_value *v = marked(&op, x);
    kna_step *s = v ? watched_step(&op, x, v) : NULL;
    if (s) {
        kna_value_release(s->grad);
        s->grad = NULL;
    }
    kna_value_release(v);
    return kna_end_plain(&op) ? 0 : -1;
}

static bool has_tangents(const kna_value *v)
{
    while (kna_is_lifted(v) && v->lift->kind != KNA_LIFT_TANGENT)
        v = v->lift->inner;
    return kna_is_lifted(v);
}

kn_array(kn_detach)(kn_array x)
{
    kna_op op;
    kna_begin(&op, "detach");
    kna_value *v = kne_value(&op, x), *y = v ? kna_lift_without_tapes(v) : NULL;
    kna_value_release(v);
    if (!y || !kna_recording_current() || has_tangents(y))
        return kne_end_value(&op, y);
    kni_atom a = knb_stop_gradient(op.b, kna_value_atom(&op, y)); /* whoever calls the function may be watching */
    kna_value_release(y);
    return kna_end(&op, a);
}

/* ---- Of trees. */

static kn_array grad_of(kn_array x) { return (kn_grad_of)(x); }

kn_tree kn_tree_grads_of(kn_tree x)
{
    const kn_mapper f = {.size_ = sizeof f, .one = grad_of};
    return (kn_tree_map)(&f, 1, &x);
}

static bool each(const char *operation, kn_tree x, bool (*f)(kn_array x))
{
    const kntree_tree *t = kntree_tree_get(operation, x);
    bool ok = t != NULL;
    for (int i = 0; ok && i < t->n; i++)
        ok = f(t->at[i]);
    return ok;
}

static bool watch_one(kn_array x)
{
    uint64_t before = knx_context()->reports;
    (kn_watch)(x);
    return knx_context()->reports == before;
}

static bool clear_one(kn_array x) { return kn_clear_grad(x) == 0; }

kn_tree kn_watch_tree(kn_tree x) { return each("watch_tree", x, watch_one) ? x : NULL; }
int kn_clear_tree_grads(kn_tree x) { return each("clear_tree_grads", x, clear_one) ? 0 : -1; }
