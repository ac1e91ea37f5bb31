/* SPDX-License-Identifier: Apache-2.0
 * tangent.c -- levels, and tangents on arrays. */
#include "eager/eager.h"
#include "tree/tree.h"

/* ---- Levels. */

static kn_level open_level(const char *operation, kna_lift_kind kind)
{
    const kna_level *l = kna_level_open(kind);
    if (!l)
        knx_report_new(operation, KN_ERROR_MEMORY, "out of memory");
    return l ? (kn_level)l->serial : NULL; /* no address: the user may have it longer than the level lives */
}

kn_level kn_tangents_begin(void) { return open_level("tangents_begin", KNA_LIFT_TANGENT); }
kn_level kn_tape_begin(void) { return open_level("tape_begin", KNA_LIFT_TAPE); }
kn_level kn_no_tape_begin(void) { return open_level("no_tape_begin", KNA_LIFT_OFF); }

void kn_level_end(kn_level *level)
{
    uintptr_t serial = level ? (uintptr_t)*level : 0;
    if (level)
        *level = NULL;
    const kna_state *s = serial ? kna_state_get() : NULL;
    kna_level *open = s && s->lifting ? s->lifting->top : NULL;
    while (open && open->serial != serial)
        open = open->outer;
    if (open) /* else it was closed with its context, or with an outer one, and is gone */
        kna_level_close(open);
}

/* ---- Tangents. */

/* How many directions the tangent t of x has: 0 for one without an axis of its own; -1 with the op failed. */
static int64_t directions_of(kna_op *op, kni_type x, kni_type t)
{
    kni_type last = t;
    knx_text a = {0}, b = {0};
    if (kni_type_same_shape(x, t))
        return 0;
    if (t.ndim == x.ndim + 1) {
        last.dim++;
        last.ndim--;
        if (kni_type_same_shape(x, last) && t.dim[0] > 0)
            return t.dim[0];
    }
    kna_fail(op, KN_ERROR_VALUE, "the tangent is %s, but the array is %s", kni_type_text(&a, t, true),
             kni_type_text(&b, x, true));
    return -1;
}

static kna_value *tangent_for(kna_op *op, kni_type x, kn_array tangent)
{
    knx_text a = {0}, b = {0};
    kni_type t = kna_type(op, tangent);
    if (kna_failed(op))
        return NULL;
    if (!t.weak && t.dtype != x.dtype) {
        kna_fail(op, KN_ERROR_TYPE, "the tangent is %s, but the array is %s", kni_type_text(&a, t, true),
                 kni_type_text(&b, x, true));
        return NULL;
    }
    kni_atom y = kna_in_as(op, tangent, x.dtype);
    return kne_atom_value(op, y);
}

/* Both physical, with the same batch axes; the directions in front of them. */
static kna_value *attach(kna_op *op, kna_value *x, kna_value *t, int64_t directions)
{
    int64_t extent[KN_MAX_NDIM];
    int n = kne_common_batch(op, x, t, extent);
    if (n < 0)
        return NULL;
    kni_atom xa = kne_with_batch(op, x, n, extent), ta = kne_with_batch(op, t, n, extent);
    if (directions)
        ta = kne_move_axis(op, ta, n, 0);
    kna_value *inner = kne_atom_value(op, xa), *tangent = kne_atom_value(op, ta), *y = NULL;
    kna_lift with = {.kind = KNA_LIFT_TANGENT, .level = kna_level_now(KNA_LIFT_TANGENT)};
    with.tangent = tangent;
    with.directions = directions;
    if (inner && tangent)
        y = kna_lift_batch(kna_lift_put(inner, &with), n);
    kna_value_release(inner);
    kna_value_release(tangent);
    if (!y && !kna_failed(op))
        kna_fail_with(op, knx_error_nomem());
    return y;
}

kn_array(kn_with_tangent)(kn_array x, kn_array tangent)
{
    kna_op op;
    kna_begin(&op, "with_tangent");
    kna_value *v = kne_inexact(&op, x, "tangent"), *t = v ? tangent_for(&op, v->type, tangent) : NULL, *y = NULL;
    int64_t directions = t ? directions_of(&op, v->type, t->type) : -1;
    if (directions >= 0)
        y = attach(&op, v, t, directions);
    kna_value_release(v);
    kna_value_release(t);
    return kne_end_value(&op, y);
}

static const kna_lift *tangent_at(kna_value *v)
{
    const kna_level *level = kna_level_now(KNA_LIFT_TANGENT);
    return level ? kna_lift_at(v, level) : NULL;
}

kn_array(kn_tangent_of)(kn_array x)
{
    kna_op op;
    kna_begin(&op, "tangent_of");
    kna_value *v = kne_inexact(&op, x, "tangent");
    const kna_lift *l = v ? tangent_at(v) : NULL;
    int n = kna_batch_axes(v);
    kni_atom t = KN_ATOM_NONE;
    if (v && !l)
        t = knb_zeros(op.b, v->type);
    if (l)
        t = kna_value_atom(&op, l->tangent);
    if (l && l->directions && n)
        t = kne_move_axis(&op, t, 0, n);
    kna_value *y = kne_atom_value(&op, t);
    y = l ? kna_lift_batch(y, n) : y;
    kna_value_release(v);
    return kne_end_value(&op, y);
}

bool kn_has_tangent(kn_array x)
{
    kna_op op;
    kna_begin(&op, "has_tangent");
    kna_value *v = kne_value(&op, x);
    bool has = v && tangent_at(v);
    kna_value_release(v);
    return kna_end_plain(&op) && has;
}

kn_array(kn_primal_of)(kn_array x)
{
    kna_op op;
    kna_begin(&op, "primal_of");
    kna_value *v = kne_value(&op, x), *y = v ? kna_lift_without(v, kna_level_now(KNA_LIFT_TANGENT)) : NULL;
    kna_value_release(v);
    return kne_end_value(&op, y);
}

/* ---- Of trees. */

static kn_array with_tangent(kn_array x, kn_array t) { return (kn_with_tangent)(x, t); }
static kn_array tangent_of(kn_array x) { return (kn_tangent_of)(x); }

kn_tree kn_tree_with_tangents(kn_tree x, kn_tree tangents)
{
    const kn_mapper f = {.size_ = sizeof f, .two = with_tangent};
    return (kn_tree_map)(&f, 2, (kn_tree[]){x, tangents});
}

kn_tree kn_tree_tangents_of(kn_tree x)
{
    const kn_mapper f = {.size_ = sizeof f, .one = tangent_of};
    return (kn_tree_map)(&f, 1, &x);
}
