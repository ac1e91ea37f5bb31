/* SPDX-License-Identifier: Apache-2.0
 * splitting.c -- arrays cut into parts, which are views. */
#include "lib/compose.h"

/* The cuts of an axis: `n` parts, part i from at[i] to end[i]. */
typedef struct cuts {
    int64_t n, *at, *end;
} cuts;

static bool make_room(kna_op *op, cuts *c)
{
    if (c->n >= INT32_MAX)
        kna_fail(op, KN_ERROR_MEMORY, "no list has %lld arrays", (long long)c->n);
    c->at = kna_failed(op) ? NULL : knl_integer_room(op, 2 * c->n);
    c->end = c->at ? c->at + c->n : NULL;
    return c->at != NULL;
}

static void cut_evenly(kna_op *op, cuts *c, int64_t extent, int64_t sections, bool equal)
{
    if (knl_is_extent(sections) && !kna_need_number(op, sections, "the number of arrays"))
        return;
    int64_t rest = !sections ? 0 : knx_is_symbolic(extent) ? knx_dim_mod(extent, sections) : extent % sections;
    if (equal && !knx_dim_eq(rest, 0)) {
        knx_text t = {0};
        kna_fail(op, KN_ERROR_VALUE, "array split does not result in an equal division%s%s",
                 knx_is_symbolic(rest) ? ": the remainder is " : "",
                 knx_is_symbolic(rest) ? knx_dim_show(&t, rest) : "");
    } else if (sections <= 0)
        kna_fail(op, KN_ERROR_VALUE, "number sections must be larger than 0.");
    c->n = sections;
    if (kna_failed(op) || !make_room(op, c))
        return;
    int64_t each = knx_dim_floordiv(extent, sections);
    for (int64_t i = 0; i < sections; i++) { /* the first ones are longer by 1, as many as the rest is */
        c->at[i] = i ? c->end[i - 1] : 0;
        c->end[i] = knx_dim_add(knx_dim_mul(i + 1, each), knx_dim_min(i + 1, rest));
    }
}

static void cut_at(kna_op *op, cuts *c, int64_t extent, const int64_t *at, int64_t n)
{
    c->n = n + 1;
    if (!make_room(op, c))
        return;
    for (int64_t i = 0; i <= n; i++) {
        c->at[i] = i ? knl_cut(at[i - 1], extent, 0, extent) : 0;
        c->end[i] = i < n ? knl_cut(at[i], extent, 0, extent) : extent;
        c->end[i] = knx_dim_max(c->end[i], c->at[i]);
    }
}

static kn_list parts(const char *name, kn_array x, int axis, const cuts *c)
{
    kn_array *out = knx_alloc((size_t)c->n * sizeof *out);
    for (int64_t i = 0; out && i < c->n; i++)
        out[i] = knl_part(name, x, axis, c->at[i], c->end[i]);
    kn_list list = out ? kn_list_from(out, (int)c->n) : NULL;
    knx_free(out);
    return list;
}

static kn_list split(const char *name, kn_array x, kn_array where, kn_axes along, bool equal)
{
    knl_body c;
    cuts k = {0};
    int64_t n = 0;
    int ndim = 0;
    kn_list list = NULL;
    knl_begin(&c, name);
    kni_type t = kna_type(&c.op, x);
    int axis = kna_failed(&c.op) ? 0 : kna_axis(&c.op, along, t.ndim, 0);
    int64_t *v = knl_look_integers(&c.op, where, &n, &ndim, "indices_or_sections must be integers");
    if (!kna_failed(&c.op) && ndim > 1)
        kna_fail(&c.op, KN_ERROR_TYPE, "only integer scalar arrays can be converted to a scalar index");
    if (!kna_failed(&c.op) && ndim == 0)
        cut_evenly(&c.op, &k, t.dim[axis], v[0], equal);
    else if (!kna_failed(&c.op))
        cut_at(&c.op, &k, t.dim[axis], v, n);
    knx_free(v);
    if (!kna_failed(&c.op))
        list = parts(name, x, axis, &k);
    if (!list && !kna_failed(&c.op))
        kna_fail_with(&c.op, knx_error_nomem());
    knx_free(k.at);
    return knl_end_list(&c, list);
}

kn_list kn_array_split(kn_array x, kn_array indices_or_sections, const kn_split_opts *opts)
{
    KNX_OPTS(kn_split_opts, o, opts);
    return split("array_split", x, indices_or_sections, o.axis, false);
}

kn_list kn_split(kn_array x, kn_array indices_or_sections, const kn_split_opts *opts)
{
    KNX_OPTS(kn_split_opts, o, opts);
    return split("split", x, indices_or_sections, o.axis, true);
}

/* Along the axis number `axis` of an array that has at least `least`. */
static kn_list split_along(const char *name, kn_array x, kn_array where, int axis, int least)
{
    kna_op op;
    kna_begin(&op, name);
    kni_type t = kna_type(&op, x);
    if (!kna_failed(&op) && t.ndim < least)
        kna_fail(&op, KN_ERROR_VALUE, "%s only works on arrays of %d or more dimensions", name, least);
    bool flat = !kna_failed(&op) && t.ndim == 1;
    if (!kna_end_plain(&op))
        return kn_list_from(NULL, 0);
    return split(name, x, where, knl_one_axis(flat ? 0 : axis), true);
}

kn_list kn_hsplit(kn_array x, kn_array where) { return split_along("hsplit", x, where, 1, 1); }
kn_list kn_vsplit(kn_array x, kn_array where) { return split_along("vsplit", x, where, 0, 2); }
kn_list kn_dsplit(kn_array x, kn_array where) { return split_along("dsplit", x, where, 2, 3); }

/* Element i along an axis, which goes: a view. */
static kn_array element(kn_array x, int axis, int64_t i)
{
    kna_op op;
    kna_begin(&op, "unstack");
    kni_atom a = kna_in(&op, x);
    kn_shape from = {0}, to = knl_shape_of(&op, a);
    int64_t gone = axis;
    from.dim[axis] = i;
    to.dim[axis] = i + 1;
    kni_atom y = kna_failed(&op) ? a : knb_slice(op.b, a, from.dim, to.dim, NULL);
    return kna_end_view(&op, x, a, kna_failed(&op) ? y : knb_squeeze(op.b, y, 1, &gone));
}

kn_list kn_unstack(kn_array x, const kn_split_opts *opts)
{
    KNX_OPTS(kn_split_opts, o, opts);
    knl_body c;
    kn_list list = NULL;
    knl_begin(&c, "unstack");
    kni_type t = kna_type(&c.op, x);
    if (!kna_failed(&c.op) && !t.ndim)
        kna_fail(&c.op, KN_ERROR_VALUE, "Input array must be at least 1-d.");
    int given = o.axis.n == 2 ? o.axis.axis[0] : 0;
    if (!kna_failed(&c.op) && (given < -t.ndim || given >= t.ndim))
        kna_fail(&c.op, KN_ERROR_AXIS, "source: axis %d is out of bounds for array of dimension %d", given, t.ndim);
    int axis = kna_failed(&c.op) ? 0 : kna_axis(&c.op, o.axis, t.ndim, 0);
    int64_t n = kna_failed(&c.op) ? 0 : t.dim[axis];
    bool constant = kna_need_number(&c.op, n, "the number of arrays");
    kn_array *out = constant && n < INT32_MAX ? knx_alloc((size_t)n * sizeof *out) : NULL;
    if (constant && !out)
        kna_fail_with(&c.op, knx_error_nomem());
    for (int64_t i = 0; out && i < n; i++)
        out[i] = element(x, axis, i);
    if (out && !kna_failed(&c.op))
        list = kn_list_from(out, (int)n);
    knx_free(out);
    return knl_end_list(&c, list);
}
