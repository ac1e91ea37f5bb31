/* SPDX-License-Identifier: Apache-2.0
 * grids.c -- samples on logarithmic scales, and grids. */
#include "function/function.h"
#include "tree/tree.h"
#include "lib/compose.h"
#include <string.h>

kn_array kn_logspace(kn_array start, kn_array stop, int64_t num, const kn_logspace_opts *opts)
{
    KNX_OPTS(kn_logspace_opts, o, opts);
    knl_body c;
    knl_begin(&c, "logspace");
    kn_linspace_opts l = kn_linspace_opts_default();
    kn_array base = o.base ? o.base : kn_like_double(10), y;
    l.endpoint = o.endpoint;
    l.axis = o.axis;
    kni_type b = kna_type(&c.op, base);
    if (!kna_failed(&c.op) && b.ndim) { /* an array of bases broadcasts with the ends */
        kn_array all[] = {start, stop, base};
        kn_shape shape;
        kna_common_shape(&c.op, 3, all, &shape);
        start = kn_broadcast_to(start, &shape);
        stop = kn_broadcast_to(stop, &shape);
        base = kn_broadcast_to(base, &shape);
        kn_axes axis = knl_one_axis(o.axis.n == 2 ? o.axis.axis[0] : 0);
        base = kn_expand_dims(base, &axis);
    }
    y = kn_power(base, kn_linspace(start, stop, num, &l));
    if (o.dtype)
        y = kn_astype(y, o.dtype, NULL);
    return knl_end(&c, y);
}

/* Does it have a zero that can be seen? */
static bool has_zero(kna_op *op, kn_array x)
{
    const char *why;
    if (!knf_may_be_concrete(&why))
        return false;
    kni_type t = kna_type(op, x);
    kn_scope scope = kn_scope_begin();
    bool zero = !kna_failed(op) && !kn_item_bool(kn_all(x, NULL)) && kni_type_size(t);
    kn_scope_end(&scope);
    return zero;
}

/* A part of the samples along their first axis: sample i is x where it is number `at`. */
static kn_array with_sample(knl_body *c, kn_array y, int64_t at, kn_array x)
{
    kna_op *op = &c->op;
    kni_atom a = kna_in(op, y), v = kna_in(op, x);
    kn_shape shape = knl_shape_of(op, a);
    if (kna_failed(op))
        return y;
    kni_atom here =
        knb_eq(op->b, knb_iota(op->b, KN_DT(I64), shape.ndim, shape.dim, 0), knl_number_of(op, KN_DT(I64), at));
    v = knb_broadcast_to(op->b, knb_astype(op->b, v, knb_type(op->b, a).dtype), knb_type(op->b, a));
    return knl_made(c, knb_select(op->b, here, v, a));
}

kn_array kn_geomspace(kn_array start, kn_array stop, int64_t num, const kn_geomspace_opts *opts)
{
    KNX_OPTS(kn_geomspace_opts, o, opts);
    knl_body c;
    knl_begin(&c, "geomspace");
    kn_array both[] = {start, stop}, sign, from, to, y;
    kn_shape shape;
    kn_dtype d = kna_join(&c.op, 2, both, &shape);
    if (kna_failed(&c.op) || knl_not_a_number(&c.op, "geomspace", d))
        return knl_end(&c, NULL);
    if (has_zero(&c.op, start) || has_zero(&c.op, stop))
        kna_fail(&c.op, KN_ERROR_VALUE, "Geometric sequence cannot include zero");
    d = knx_promote(knl_inexact_for(d), kna_default_float());
    from = kn_broadcast_to(kn_astype(start, d, NULL), &shape);
    to = kn_broadcast_to(kn_astype(stop, d, NULL), &shape);
    /* rotated so that the start is real and positive */
    sign = knx_is_complex(d) ? kn_divide(from, kn_absolute(from)) : kn_sign(from);
    from = kn_divide(from, sign);
    to = kn_divide(to, sign);
    kn_linspace_opts l = kn_linspace_opts_default();
    l.endpoint = o.endpoint;
    y = kn_exp(kn_linspace(kn_log(from), kn_log(to), num, &l));
    if (knx_dim_lt(0, num))
        y = with_sample(&c, y, 0, from);
    if (o.endpoint && knx_dim_lt(1, num))
        y = with_sample(&c, y, num - 1, to);
    y = kn_multiply(y, sign);
    if (o.axis.n == 2) {
        kn_axes first = knl_one_axis(0);
        y = kn_moveaxis(y, &first, &o.axis);
    }
    return knl_end(&c, kn_astype(y, kna_lookup_dtype(o.dtype, d), NULL));
}

/* ---- Grids. */

/* Vector i of n along axis `at` of an array with these extents, or with 1 where that is not its own. */
static kn_array along(kn_array x, int n, int at, const kn_shape *full)
{
    kna_op op;
    kna_begin(&op, "meshgrid");
    kni_atom a = knl_flatten(&op, kna_in(&op, x));
    if (kna_failed(&op))
        return kna_end(&op, a);
    kn_shape shape = {.ndim = n};
    for (int i = 0; i < n; i++)
        shape.dim[i] = full ? full->dim[i] : i == at ? knb_type(op.b, a).dim[0] : 1;
    int64_t dimension = at;
    return kna_end(&op, knb_broadcast_in_dim(op.b, a, n, shape.dim, &dimension));
}

kn_list kn_meshgrid(kn_list list, const kn_meshgrid_opts *opts)
{
    KNX_OPTS(kn_meshgrid_opts, o, opts);
    knl_body c;
    const kn_array *x;
    kn_array out[KN_MAX_NDIM];
    knl_begin(&c, "meshgrid");
    int n = kntree_list_read(&c.op, list, &x);
    bool xy = !o.indexing || !strcmp(o.indexing, "xy");
    if (!xy && strcmp(o.indexing, "ij") != 0)
        kna_fail(&c.op, KN_ERROR_VALUE, "Valid values for `indexing` are 'xy' and 'ij'.");
    if (!kna_failed(&c.op) && n > KN_MAX_NDIM)
        kna_fail(&c.op, KN_ERROR_VALUE, "maximum supported dimension for an ndarray is currently %d, found %d",
                 KN_MAX_NDIM, n);
    kn_shape full = {.ndim = kna_failed(&c.op) ? 0 : n};
    for (int i = 0; i < full.ndim; i++) {
        kni_type t = kna_type(&c.op, x[i]);
        full.dim[xy && i < 2 && n > 1 ? 1 - i : i] = kna_failed(&c.op) ? 0 : kni_type_size(t);
    }
    for (int i = 0; i < full.ndim; i++)
        out[i] = along(x[i], n, xy && i < 2 && n > 1 ? 1 - i : i, o.sparse ? NULL : &full);
    return knl_end_list(&c, kna_failed(&c.op) ? NULL : kn_list_from(out, n));
}

/* How many samples a slice has, and what lies between them. */
static int64_t samples(kna_op *op, const kn_slice *s, kn_array *step)
{
    kn_scope scope = kn_scope_begin();
    int64_t n = s->num;
    *step = s->step;
    if (n < 0) {
        double all = kn_item(kn_divide(kn_subtract(s->stop, s->start), s->step));
        n = all != all || all >= 0x1p62 || all < -0x1p62 ? 0 : (int64_t)__builtin_ceil(all);
        if ((all != all || all >= 0x1p62) && !kna_failed(op))
            kna_fail(op, KN_ERROR_VALUE, "Maximum allowed size exceeded");
        kn_scope_end(&scope);
        return n;
    }
    kn_scope_end(&scope);
    *step = n > 1 ? kn_divide(kn_subtract(s->stop, s->start), kn_like_double((double)(n - 1))) : kn_like_double(1);
    return n;
}

/* The vectors of the slices; false with the op failed. */
static bool grid_vectors(knl_body *c, int n, const kn_slice *s, bool full, kn_array *out)
{
    kn_array all[3 * KN_MAX_NDIM];
    int given = 0;
    bool fractions = false;
    kna_given_list(&c->op, n, s, KN_MAX_NDIM, "slices");
    for (int i = 0; i < n && !kna_failed(&c->op); i++) {
        all[given++] = s[i].start;
        all[given++] = s[i].stop;
        if (s[i].num < 0)
            all[given++] = s[i].step;
        fractions = fractions || s[i].num >= 0;
    }
    kn_dtype d = given ? kna_result_type(&c->op, given, all) : NULL;
    if (d && fractions)
        d = knx_promote(knl_inexact_for(d), kna_default_float());
    for (int i = 0; i < n && !kna_failed(&c->op); i++) {
        kn_array step, count;
        kn_zeros_opts o = kn_zeros_opts_default();
        int64_t m = samples(&c->op, &s[i], &step);
        o.dtype = d;
        if (m < 0 && full && n > 1 && !kna_failed(&c->op))
            kna_fail(&c->op, KN_ERROR_VALUE, "negative dimensions are not allowed");
        if (n == 1 && s[i].num < 0) {
            out[i] = kn_arange(s[i].start, s[i].stop, s[i].step, NULL);
            continue;
        }
        count = kn_arange(kn_like_int(0), kn_like_int(m < 0 ? 0 : m), kn_like_int(1), &o);
        out[i] = kn_astype(kn_add(kn_multiply(count, step), s[i].start), d, NULL);
    }
    return !kna_failed(&c->op);
}

kn_array kn_mgrid(int n, const kn_slice *slices)
{
    knl_body c;
    kn_array vector[KN_MAX_NDIM], y = NULL;
    knl_begin(&c, "mgrid");
    if (grid_vectors(&c, n, slices, true, vector)) {
        kn_meshgrid_opts o = kn_meshgrid_opts_default();
        o.indexing = "ij";
        y = n == 1 ? vector[0] : kn_stack(kn_meshgrid(kn_list_from(vector, n), &o), NULL);
    }
    return knl_end(&c, y);
}

kn_list kn_ogrid(int n, const kn_slice *slices)
{
    knl_body c;
    kn_array vector[KN_MAX_NDIM];
    kn_list y = NULL;
    knl_begin(&c, "ogrid");
    if (grid_vectors(&c, n, slices, false, vector)) {
        kn_meshgrid_opts o = kn_meshgrid_opts_default();
        o.indexing = "ij";
        o.sparse = true;
        y = kn_meshgrid(kn_list_from(vector, n), &o);
    }
    return knl_end_list(&c, y);
}
