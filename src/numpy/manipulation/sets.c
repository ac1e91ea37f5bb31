/* SPDX-License-Identifier: Apache-2.0
 * sets.c -- vectors as sets: sorted, searched, and compared with their neighbours. */
#include "lib/compose.h"

/* ---- isin. */

/* Each element compared with each of few others, along a new last axis. */
static kn_array among_few(kna_op *op, kn_array element, kn_array others)
{
    int ndim = kna_type(op, element).ndim;
    kn_axes last = knl_one_axis(ndim);
    kn_any_opts any = kn_any_opts_default();
    any.axis = knl_one_axis(-1);
    if (!kna_failed(op) && ndim == KN_MAX_NDIM)
        kna_fail(op, KN_ERROR_VALUE, "maximum supported dimension for an ndarray is currently %d, found %d",
                 KN_MAX_NDIM, KN_MAX_NDIM + 1);
    return kna_failed(op) ? NULL : kn_any(kn_equal(kn_expand_dims(element, &last), others), &any);
}

/* x as dtype d among others of that dtype, which are sorted and searched: behind the last smaller one stands an equal
 * one, or none is. */
static kni_atom among_many(kna_op *op, kni_atom x, kni_atom others)
{
    kni_builder *b = op->b;
    kni_atom sorted = KN_ATOM_NONE;
    knl_sort(op, 1, &others, 0, 1, &sorted);
    if (kna_failed(op))
        return KN_ATOM_NONE;
    kni_atom last = knl_number_of(op, KN_DT(I64), knb_type(b, sorted).dim[0] - 1);
    kni_atom at = knb_min(b, knl_search(op, sorted, x, false), last);
    kni_atom here = kna_failed(op) ? KN_ATOM_NONE : knl_take_axis(op, sorted, at, 0, KN_GATHER_PROMISE);
    return kna_failed(op) ? KN_ATOM_NONE : knb_eq(b, x, here);
}

/* int64 with uint64, of which no integer holds both: what the others' dtype does not hold is not among them. */
static kni_atom among_other_integers(kna_op *op, kni_atom x, kni_atom others)
{
    kni_builder *b = op->b;
    kn_dtype from = knb_type(b, x).dtype, to = knb_type(b, others).dtype;
    bool up = from->kind == KN_KIND_INT;
    kni_atom fits = up ? knb_ge(b, x, knb_integer(b, from, 0)) : knb_le(b, x, knb_integer(b, from, INT64_MAX));
    kni_atom y = among_many(op, knb_astype(b, x, to), others);
    return kna_failed(op) ? KN_ATOM_NONE : knb_and(b, fits, y);
}

static kn_array among(const char *name, kn_array element, kn_array others)
{
    kna_op op;
    kna_begin(&op, name);
    const kn_array both[] = {element, others};
    kn_dtype d = kna_result_type(&op, 2, both);
    kni_type t = kna_type(&op, element), u = kna_type(&op, others);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    if (knx_is_integer(t.dtype) && knx_is_integer(u.dtype) && !knx_is_integer(d))
        return kna_end(&op, among_other_integers(&op, kna_in(&op, element), kna_in(&op, others)));
    return kna_end(&op, among_many(&op, kna_in_as(&op, element, d), kna_in_as(&op, others, d)));
}

/* Integers that lie close to each other, whose values may be looked at: a table of those that are there. `range` is
 * how many numbers it spans; its extent is a power of two, so that few plans serve all ranges. */
static kn_array among_table(kn_array x, kn_array others, int64_t low, int64_t range)
{
    kn_zeros_opts boolean = kn_zeros_opts_default();
    kn_take_opts inside = kn_take_opts_default();
    kn_shape extent = {1, {64}};
    boolean.dtype = KN_DT(BOOL);
    inside.mode = "clip"; /* which nothing has to check */
    while (extent.dim[0] < range)
        extent.dim[0] *= 2;
    kn_array first = kn_like_int(low), last = kn_like_int(low + range - 1), table = kn_zeros(&extent, &boolean);
    x = kn_astype(x, KN_DT(I64), NULL);
    const kn_index_arg at = {.kind = KN_ARG_ARRAY, .array = kn_subtract(kn_astype(others, KN_DT(I64), NULL), first)};
    kn_set_at(table, kn_like_bool(true), "%", 1, &at);
    kn_array is_there = kn_take(table, kn_subtract(kn_clip(x, first, last), first), &inside);
    kn_array in_range = kn_logical_and(kn_greater_equal(x, first), kn_less_equal(x, last));
    return kn_logical_and(is_there, in_range);
}

/* NumPy's bound for such a table; *range is 0 where there is to be none. */
static int64_t find_range(kna_op *op, kn_array x, kn_array others, int64_t *range)
{
    kni_type t = kna_type(op, x), u = kna_type(op, others);
    int64_t span, most;
    *range = 0;
    if (kna_failed(op) || !knl_may_look(x) || !knl_may_look(others) || !knx_is_integer(t.dtype) ||
        !knx_is_integer(u.dtype) || t.dtype == KN_DT(U64) || u.dtype == KN_DT(U64) || kni_type_is_symbolic(t) ||
        kni_type_is_symbolic(u))
        return 0;
    most = 6 * (kni_type_size(t) + kni_type_size(u));
    int64_t low = kn_item_int(kn_min(others, NULL)), high = kn_item_int(kn_max(others, NULL));
    if (!__builtin_sub_overflow(high, low, &span) && span < most)
        *range = span + 1;
    return low;
}

kn_array kn_isin(kn_array element, kn_array test_elements, const kn_isin_opts *opts)
{
    enum { FEW = 16 };
    KNX_OPTS(kn_isin_opts, o, opts);
    knl_body c;
    knl_begin(&c, "isin");
    kn_array x = kn_asarray(element, NULL), others = kn_ravel(kn_asarray(test_elements, NULL), NULL);
    kni_type t = kna_type(&c.op, others);
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    bool few = (!knx_is_symbolic(t.dim[0]) && t.dim[0] <= FEW) || t.dtype->kind == KN_KIND_KEY;
    int64_t range = 0, low = few ? 0 : find_range(&c.op, x, others, &range);
    kn_array y = few     ? among_few(&c.op, x, others)
                 : range ? among_table(x, others, low, range)
                         : among("isin", x, others);
    return knl_end(&c, y && o.invert ? kn_logical_not(y) : y);
}

/* ---- Sorted, and compared with their neighbours. */

/* Both flattened and joined. */
static kn_array joined(kn_array x, kn_array y)
{
    const kn_array both[] = {kn_ravel(kn_asarray(x, NULL), NULL), kn_ravel(kn_asarray(y, NULL), NULL)};
    return kn_concatenate(kn_list_from(both, 2), NULL);
}

kn_array kn_union1d(kn_array ar1, kn_array ar2)
{
    knl_body c;
    knl_begin(&c, "union1d");
    return knl_end(&c, kn_unique(joined(ar1, ar2), NULL));
}

static kn_array chosen(kn_array x, kn_array mask)
{
    const kn_index_arg arg = {.kind = KN_ARG_ARRAY, .array = mask};
    return kn_at(x, "%", 1, &arg);
}

/* x without its first or last elements. */
static kn_array cut(knl_body *c, kn_array x, int64_t front, int64_t back)
{
    kni_type t = kna_type(&c->op, x);
    int64_t n = kna_failed(&c->op) ? 0 : t.dim[0];
    return kna_failed(&c->op) ? x
                              : knl_part("", x, 0, knx_dim_min(front, n), knx_dim_min(knx_dim_max(n - back, front), n));
}

/* The set with the places of its elements in the flattened x, if those are wanted. */
static kn_array as_set(kn_array x, bool is_one, kn_array *places)
{
    kn_unique_opts u = kn_unique_opts_default();
    u.return_index = places;
    if (!is_one)
        return kn_unique(x, &u);
    kn_array y = kn_ravel(kn_asarray(x, NULL), NULL);
    if (places)
        *places = kn_arange(kn_like_int(0), kn_like_int(kn_size(y)), kn_like_int(1), NULL);
    return y;
}

kn_array kn_intersect1d(kn_array ar1, kn_array ar2, const kn_intersect1d_opts *opts)
{
    KNX_OPTS(kn_intersect1d_opts, o, opts);
    knl_body c;
    knl_begin(&c, "intersect1d");
    bool wanted = o.return_indices[0] && o.return_indices[1];
    kn_array from1, from2, out[3] = {NULL, NULL, NULL};
    kn_array x = as_set(ar1, o.assume_unique, wanted ? &from1 : NULL);
    kn_array y = as_set(ar2, o.assume_unique, wanted ? &from2 : NULL);
    kn_array both = joined(x, y), order = kn_argsort(both, NULL), sorted = kn_take(both, order, NULL);
    kn_array same = kn_equal(cut(&c, sorted, 1, 0), cut(&c, sorted, 0, 1));
    out[0] = chosen(cut(&c, sorted, 0, 1), same);
    if (wanted) { /* of equal neighbours the first is of ar1 */
        kn_array p = chosen(cut(&c, order, 0, 1), same), q = chosen(cut(&c, order, 1, 0), same);
        out[1] = kn_take(from1, p, NULL);
        out[2] = kn_take(from2, kn_subtract(q, kn_like_int(kn_size(x))), NULL);
    }
    knl_end_n(&c, wanted ? 3 : 1, out);
    if (wanted) {
        *o.return_indices[0] = out[1];
        *o.return_indices[1] = out[2];
    }
    return out[0];
}

kn_array kn_setdiff1d(kn_array ar1, kn_array ar2, const kn_setdiff1d_opts *opts)
{
    KNX_OPTS(kn_setdiff1d_opts, o, opts);
    knl_body c;
    knl_begin(&c, "setdiff1d");
    kn_isin_opts invert = kn_isin_opts_default();
    invert.invert = true;
    kn_array x = as_set(ar1, o.assume_unique, NULL);
    return knl_end(&c, chosen(x, kn_isin(x, ar2, &invert)));
}

kn_array kn_setxor1d(kn_array ar1, kn_array ar2, const kn_setdiff1d_opts *opts)
{
    KNX_OPTS(kn_setdiff1d_opts, o, opts);
    knl_body c;
    knl_begin(&c, "setxor1d");
    kn_array sorted = kn_sort(joined(as_set(ar1, o.assume_unique, NULL), as_set(ar2, o.assume_unique, NULL)), NULL);
    kn_shape one = {1, {1}};
    kni_type t = kna_type(&c.op, sorted);
    if (kna_failed(&c.op) || knx_dim_eq(t.dim[0], 0))
        return knl_end(&c, kn_asarray(sorted, NULL));
    kn_zeros_opts boolean = kn_zeros_opts_default();
    boolean.dtype = KN_DT(BOOL);
    kn_array edge = kn_ones(&one, &boolean), differs = kn_not_equal(cut(&c, sorted, 1, 0), cut(&c, sorted, 0, 1));
    const kn_array flags[] = {edge, differs, edge};
    kn_array flag = kn_concatenate(kn_list_from(flags, 3), NULL);
    return knl_end(&c, chosen(sorted, kn_logical_and(cut(&c, flag, 1, 0), cut(&c, flag, 0, 1))));
}
