/* SPDX-License-Identifier: Apache-2.0
 * sorting.c -- sort and argsort: stable, NaN last. */
#include "numpy/internal.h"

static kn_array sorted(const char *name, kn_array x, const kn_sort_opts *opts, bool positions)
{
    KNN_OPTS(kn_sort_opts, o, opts);
    kna_op op;
    kna_begin(&op, name);
    kn_atom a = kna_in(&op, x), pair[2], out[2] = {KN_ATOM_NONE, KN_ATOM_NONE};
    bool scalar =
        !kna_failed(&op) && knb_type(op.b, a).ndim == 0 && positions; /* argsort of a scalar is that of one element */
    if (o.axis.n < 0 || scalar)
        a = knn_flatten(&op, a);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    kn_type t = knb_type(op.b, a);
    int axis = kna_axis(&op, o.axis.n < 0 ? (kn_axes){.n = 0} : o.axis, t.ndim, -1);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    pair[0] = a;
    if (positions)
        pair[1] = knb_iota(op.b, KN_DT(I64), t.ndim, t.dim, axis);
    knb_sort(op.b, positions ? 2 : 1, pair, axis, 1, out);
    kn_atom y = out[positions];
    if (scalar && !kna_failed(&op)) {
        kn_shape none = {.ndim = 0};
        y = knn_reshape(&op, y, &none);
    }
    return kna_end(&op, y);
}

kn_array kn_sort(kn_array x, const kn_sort_opts *opts) { return sorted("sort", x, opts, false); }
kn_array kn_argsort(kn_array x, const kn_sort_opts *opts) { return sorted("argsort", x, opts, true); }
