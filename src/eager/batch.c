/* SPDX-License-Identifier: Apache-2.0
 * batch.c -- batch axes: in front of the shape that operations see. */
#include "base/options.h"
#include "eager/eager.h"

/* Ends with physical axis `from` moved to `to`, and so many batch axes. */
static kn_array end_moved(kna_op *op, kna_value *v, int from, int to, int axes)
{
    kni_atom a = v && !kna_failed(op) ? kna_value_atom(op, kna_physical(v)) : KN_ATOM_NONE;
    a = kne_move_axis(op, a, from, to);
    kna_value *y = v ? kna_lift_batch(kne_atom_value(op, a), axes) : NULL;
    kna_value_release(v);
    return kne_end_value(op, y);
}

kn_array(kn_batch_in)(kn_array x, int axis)
{
    kna_op op;
    kna_begin(&op, "batch_in");
    kna_value *v = kne_value(&op, x);
    int n = kna_batch_axes(v), at = v ? kna_normalize_axis(&op, axis, v->type.ndim) : 0;
    return end_moved(&op, v, n + at, 0, n + 1);
}

kn_array(kn_batch_out)(kn_array x, int axis, const kn_batch_out_opts *opts)
{
    KNX_OPTS(kn_batch_out_opts, o, opts);
    kna_op op;
    kna_begin(&op, "batch_out");
    kna_value *v = kne_value(&op, x);
    int n = kna_batch_axes(v), at = v ? kna_normalize_axis(&op, axis, v->type.ndim + 1) : 0, from = o.batch_axis;
    if (!kna_failed(&op) && (from < -n || from >= n))
        kna_fail(&op, KN_ERROR_AXIS, "batch axis %d is out of bounds for an array with %d batch axes", from, n);
    return end_moved(&op, v, from < 0 ? from + n : from, n - 1 + at, n - 1);
}

static kn_array count_by(const char *name, kn_array x, int by)
{
    kna_op op;
    kna_begin(&op, name);
    kna_value *v = kne_value(&op, x);
    int n = kna_batch_axes(v) + by;
    if (v && (n < 0 || (by > 0 && !v->type.ndim)))
        kna_fail(&op, KN_ERROR_VALUE,
                 n < 0 ? "the array has no batch axis" : "the array has no axis that could be a batch axis");
    return end_moved(&op, v, 0, 0, n);
}

kn_array(kn_incr_batch_dims)(kn_array x) { return count_by("incr_batch_dims", x, 1); }
kn_array(kn_decr_batch_dims)(kn_array x) { return count_by("decr_batch_dims", x, -1); }

int kn_batch_dims_of(kn_array x)
{
    kna_op op;
    kna_begin(&op, "batch_dims_of");
    kna_value *v = kne_value(&op, x);
    int n = kna_batch_axes(v);
    kna_value_release(v);
    return kna_end_plain(&op) ? n : -1;
}

kn_shape kn_physical_shape(kn_array x)
{
    kna_op op;
    kn_shape s = {.ndim = -1};
    kna_begin(&op, "physical_shape");
    kna_value *v = kne_value(&op, x);
    if (v) {
        kni_type t = kna_physical_type(v);
        s.ndim = t.ndim;
        for (int d = 0; d < t.ndim; d++)
            s.dim[d] = t.dim[d];
    }
    kna_value_release(v);
    return kna_end_plain(&op) ? s : (kn_shape){.ndim = -1};
}
