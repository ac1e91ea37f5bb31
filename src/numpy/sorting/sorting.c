/* SPDX-License-Identifier: Apache-2.0
 * sorting.c -- sort, argsort and their kin: stable, NaN last. */
#include "lib/compose.h"
#include "lib/kept.h"
#include <string.h>

/* The kinds of NumPy; all of them are the same stable sort here. */
static void check_kind(kna_op *op, const char *kind, bool stable)
{
    if (!kind || kna_failed(op))
        return;
    if (stable)
        kna_fail(op, KN_ERROR_VALUE,
                 "`kind` and keyword parameters can't be provided at the same time. Use only one of them.");
    else if (strcmp(kind, "quicksort") && strcmp(kind, "mergesort") && strcmp(kind, "heapsort") &&
             strcmp(kind, "stable"))
        kna_fail(op, KN_ERROR_VALUE, "sort kind must be one of 'quick', 'heap', or 'stable' (got '%s')", kind);
}

/* x, and the axis to go along: flattened for None, and if a scalar is given to a function of positions. */
static kni_atom along(kna_op *op, kn_array x, kn_axes given, bool flat, int *axis)
{
    kni_atom a = kna_in(op, x);
    if (given.n < 0 || flat)
        a = knl_flatten(op, a);
    if (kna_failed(op))
        return KN_ATOM_NONE;
    kni_type t = knb_type(op->b, a);
    if (!knl_not_a_number(op, "sort", t.dtype))
        *axis = kna_axis(op, given.n < 0 ? (kn_axes){.n = 0} : given, t.ndim, -1);
    return kna_failed(op) ? KN_ATOM_NONE : a;
}

static kni_atom sort_alone(kna_op *op, kni_atom a, int axis, bool descending)
{
    kni_atom y = KN_ATOM_NONE;
    if (descending)
        return knl_sort_descending(op, a, axis);
    knl_sort(op, 1, &a, axis, 1, &y);
    return y;
}

static kni_atom sort_positions(kna_op *op, kni_atom a, int axis, bool descending)
{
    return descending ? knl_argsort_descending(op, a, axis) : knl_argsort(op, 1, &a, axis);
}

static kn_array sorted(const char *name, kn_array x, const kn_sort_opts *opts, bool positions)
{
    KNX_OPTS(kn_sort_opts, o, opts);
    kna_op op;
    int axis = 0;
    kna_begin(&op, name);
    check_kind(&op, o.kind, o.stable || o.descending);
    bool scalar = kna_type(&op, x).ndim == 0 && positions; /* argsort of a scalar is that of a vector of it */
    kni_atom a = along(&op, x, o.axis, scalar, &axis);
    if (positions)
        return kna_end(&op, sort_positions(&op, a, axis, o.descending));
    return kna_end_like(&op, sort_alone(&op, a, axis, o.descending), x); /* a copy of x, sorted */
}

static kn_array sort(const kn_array *x, const void *options) { return sorted("sort", *x, options, false); }
static kn_array argsort(const kn_array *x, const void *options) { return sorted("argsort", *x, options, true); }

static kn_array kept_order(kn_array x, const kn_sort_opts *opts, bool positions)
{
    KNX_OPTS(kn_sort_opts, o, opts);
    const knl_call c = {positions ? "argsort" : "sort", positions ? argsort : sort, 1, &x, &o, sizeof o};
    return o.kind ? c.f(&x, &o) : knl_kept(&c);
}

kn_array kn_sort(kn_array x, const kn_sort_opts *opts) { return kept_order(x, opts, false); }
kn_array kn_argsort(kn_array x, const kn_sort_opts *opts) { return kept_order(x, opts, true); }

/* ---- Partitions. */

/* kth along an axis of x; negative ones count from the end. */
static kni_atom ranks_of(kna_op *op, kni_atom x, kn_array kth, int axis)
{
    kni_builder *b = op->b;
    kni_atom k = kna_in_as(op, kth, KN_DT(I64));
    if (kna_failed(op))
        return KN_ATOM_NONE;
    kni_type t = knb_type(b, x), u = knb_type(b, k);
    kn_shape shape = {.ndim = t.ndim};
    for (int i = 0; i < t.ndim; i++)
        shape.dim[i] = i == axis ? kni_type_size(u) : 1;
    return knl_reshape(op, knl_wrap(op, k, t.dim[axis]), &shape);
}

static kn_array partitioned(const char *name, kn_array x, kn_array kth, const kn_partition_opts *opts, bool positions)
{
    KNX_OPTS(kn_partition_opts, o, opts);
    kna_op op;
    int axis = 0, ndim = 0;
    int64_t n = 0;
    kna_begin(&op, name);
    if (o.kind && strcmp(o.kind, "introselect") != 0)
        kna_fail(&op, KN_ERROR_VALUE, "select kind must be 'introselect' (got '%s')", o.kind);
    bool scalar = kna_type(&op, x).ndim == 0 && positions;
    kni_atom a = along(&op, x, o.axis, scalar, &axis);
    int64_t *k = knl_look_integers(&op, kth, &n, &ndim, "Partition index must be integer");
    if (!kna_failed(&op) && ndim > 1)
        kna_fail(&op, KN_ERROR_VALUE, "object too deep for desired array");
    int64_t extent = kna_failed(&op) ? 0 : knb_type(op.b, a).dim[axis];
    bool empty = kna_failed(&op) || !kni_type_size(knb_type(op.b, a)); /* then NumPy checks nothing */
    for (int64_t i = 0; i < n && !empty && !kna_failed(&op); i++)
        if (!knx_dim_le(0, k[i] < 0 ? k[i] + extent : k[i]) || !knx_dim_lt(k[i], extent)) {
            knx_text s = {0}, t = {0};
            kna_fail(&op, KN_ERROR_VALUE, "kth(=%s) out of bounds (%s)",
                     knx_dim_show(&s, k[i] < 0 ? k[i] + extent : k[i]), knx_dim_show(&t, extent));
        }
    knx_free(k);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    kni_type t = knb_type(op.b, a);
    kni_atom y;
    if (n)
        y = knl_partition(&op, a, ranks_of(&op, a, kth, axis), axis, true, positions, o.descending);
    else /* nothing has a place: all stay where they are */
        y = positions ? knb_iota(op.b, KN_DT(I64), t.ndim, t.dim, axis) : a;
    return positions ? kna_end(&op, y) : kna_end_like(&op, y, x);
}

kn_array kn_partition(kn_array a, kn_array kth, const kn_partition_opts *opts)
{
    return partitioned("partition", a, kth, opts, false);
}

kn_array kn_argpartition(kn_array a, kn_array kth, const kn_partition_opts *opts)
{
    return partitioned("argpartition", a, kth, opts, true);
}

/* ---- Several keys. */

kn_array kn_lexsort(kn_list keys, const kn_squeeze_opts *opts)
{
    KNX_OPTS(kn_squeeze_opts, o, opts);
    kna_op op;
    kna_begin(&op, "lexsort");
    int n = kn_list_count(keys);
    if (n < 1)
        kna_fail(&op, KN_ERROR_TYPE, "need sequence of keys with len > 0 in lexsort");
    kni_atom *in = n > 0 ? knx_alloc((size_t)n * sizeof *in) : NULL;
    if (n > 0 && !in)
        kna_fail_with(&op, knx_error_nomem());
    kni_type first = kni_scalar_type(KN_DT(F32));
    for (int i = 0; i < n && !kna_failed(&op); i++) { /* the last key counts most */
        in[i] = kna_in(&op, kn_list_get(keys, n - 1 - i));
        kni_type t = knb_type(op.b, in[i]);
        first = i ? first : t;
        if (!kna_failed(&op) && !kni_type_same_shape(first, t))
            kna_fail(&op, KN_ERROR_VALUE, "all keys need to be the same shape");
    }
    kni_atom y = KN_ATOM_NONE;
    bool scalar = !kna_failed(&op) && first.ndim == 0;
    if (scalar && o.axis.n == 2 && (o.axis.axis[0] > 0 || o.axis.axis[0] < -1)) /* NumPy lets it have one */
        kna_axis(&op, o.axis, 0, -1);
    if (scalar)
        y = kna_failed(&op) ? KN_ATOM_NONE : knb_integer(op.b, KN_DT(I64), 0);
    else if (!kna_failed(&op))
        y = knl_argsort(&op, n, in, kna_axis(&op, o.axis, first.ndim, -1));
    knx_free(in);
    return kna_end(&op, y);
}

kn_array kn_sort_complex(kn_array a)
{
    kna_op op;
    kna_begin(&op, "sort_complex");
    int axis = 0;
    kni_atom x = along(&op, a, (kn_axes){.n = 0}, false, &axis);
    x = sort_alone(&op, x, axis, false);
    if (!kna_failed(&op)) {
        kn_dtype d = knb_type(op.b, x).dtype;
        bool is_short = (knx_is_integer(d) && d->size <= 2) || d == KN_DT(C64);
        x = knb_astype(op.b, x, is_short ? KN_DT(C64) : KN_DT(C128));
    }
    return kna_end(&op, x);
}

/* ---- The largest. */

static kni_atom part(kni_builder *b, kni_atom x, int axis, int64_t from, int64_t to)
{
    kni_type t = knb_type(b, x);
    int64_t start[KN_MAX_NDIM] = {0}, limit[KN_MAX_NDIM];
    for (int i = 0; i < t.ndim; i++)
        limit[i] = t.dim[i];
    start[axis] = from;
    limit[axis] = to;
    return knb_slice(b, x, start, limit, NULL);
}

static void top(kna_op *op, kni_atom a, int axis, int64_t k, bool largest, kni_atom out[2])
{
    kni_builder *b = op->b;
    kni_type t = knb_type(b, a);
    if (!knx_is_complex(t.dtype)) {
        knb_top_k(b, knl_order_image(op, largest ? a : knl_opposite(op, a)), axis, k, out);
        out[1] = knb_astype(b, out[1], KN_DT(I64));
    } else {
        out[1] = sort_positions(op, a, axis, largest);
        out[1] = kna_failed(op) ? KN_ATOM_NONE : part(b, out[1], axis, 0, k);
    }
    out[0] = knl_take_along(op, a, out[1], axis, KN_GATHER_PROMISE);
}

kn_top_k_result kn_top_k(kn_array a, int64_t k, const kn_top_k_opts *opts)
{
    KNX_OPTS(kn_top_k_opts, o, opts);
    kna_op op;
    kni_atom out[2] = {KN_ATOM_NONE, KN_ATOM_NONE};
    kn_array y[2];
    int axis = 0;
    kna_begin(&op, "top_k");
    kni_atom x = along(&op, a, o.axis, false, &axis);
    bool smallest = o.mode && !strcmp(o.mode, "smallest");
    if (!kna_failed(&op) && o.mode && !smallest && strcmp(o.mode, "largest") != 0)
        kna_fail(&op, KN_ERROR_VALUE, "mode(=\"%s\") must be either \"largest\" or \"smallest\".", o.mode);
    int64_t n = kna_failed(&op) ? 0 : knb_type(op.b, x).dim[axis];
    if (!kna_failed(&op) && (!knx_dim_le(0, k) || !knx_dim_le(k, n))) {
        knx_text s = {0}, t = {0};
        kna_fail(&op, KN_ERROR_VALUE, "k(=%s) out of bounds (%s)", knx_dim_show(&s, k), knx_dim_show(&t, n));
    }
    if (!kna_failed(&op))
        top(&op, x, axis, k, !smallest, out);
    kna_end_n(&op, 2, out, y);
    return (kn_top_k_result){y[0], y[1]};
}
