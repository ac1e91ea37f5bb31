/* SPDX-License-Identifier: Apache-2.0
 * differences.c -- differences along an axis and what is made of them: diff, ediff1d, trapezoid, unwrap, gradient. */
#include "tree/tree.h"
#include "lib/compose.h"
#include "lib/kept.h"
#include <math.h>
#include <string.h>

/* ---- Parts along an axis, counted from its ends: [start, n - less). */

static kn_array part(kn_array x, int axis, int64_t start, int64_t less)
{
    kn_shape s = kn_shape_of(x);
    if (s.ndim <= axis)
        return x; /* carries an error */
    int64_t n = s.dim[axis], limit = knx_dim_sub(n, less);
    start = knx_dim_sub(n, knx_dim_max(0, n - start)); /* so that both parts of a difference are max(n - 1, 0) long */
    return knl_part("diff", x, axis, start, knx_dim_max(start, limit));
}

static kn_array difference(kn_array x, int axis)
{
    kn_array later = part(x, axis, 1, 0), earlier = part(x, axis, 0, 1);
    bool truth = kn_dtype_of(x) == KN_DT(BOOL);
    return truth ? kn_not_equal(later, earlier) : kn_subtract(later, earlier);
}

/* ---- diff, ediff1d. */

/* A number stands for one slice of x's shape. */
static kn_array slice_like(knl_body *c, kn_array v, kni_type x, int axis)
{
    kni_type t = kna_type(&c->op, v);
    if (kna_failed(&c->op) || t.ndim)
        return v;
    kn_shape shape = {.ndim = x.ndim};
    memcpy(shape.dim, x.dim, (size_t)x.ndim * sizeof *shape.dim);
    shape.dim[axis] = 1;
    return kn_broadcast_to(v, &shape);
}

/* given: x, prepend, append */
static kn_array diff(const kn_array *given, const void *options)
{
    const kn_diff_opts *o = options;
    kn_array x = given[0], prepend = given[1], append = given[2];
    knl_body c;
    knl_begin(&c, "diff");
    kni_type t = kna_type(&c.op, x);
    if (!kna_failed(&c.op) && o->n < 0)
        kna_fail(&c.op, KN_ERROR_VALUE, "order must be non-negative but got %lld", (long long)o->n);
    if (!kna_failed(&c.op) && !o->n) /* x itself, whatever the other options are */
        return knl_end(&c, kn_asarray(x, NULL));
    if (!kna_failed(&c.op) && !t.ndim)
        kna_fail(&c.op, KN_ERROR_VALUE, "diff requires input that is at least one dimensional");
    int axis = kna_failed(&c.op) ? 0 : kna_axis(&c.op, o->axis, t.ndim, -1);
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    kn_array y = x, parts[3];
    int n = 0;
    if (prepend)
        parts[n++] = slice_like(&c, prepend, t, axis);
    parts[n++] = y;
    if (append)
        parts[n++] = slice_like(&c, append, t, axis);
    if (n > 1) {
        kn_concatenate_opts joined = kn_concatenate_opts_default();
        joined.axis = knl_one_axis(axis);
        y = kn_concatenate(kn_list_from(parts, n), &joined);
    }
    int64_t most = kn_ok(y) ? kn_shape_of(y).dim[axis] : 0; /* more often there is nothing left */
    for (int64_t i = 0; i < o->n && i <= most && kn_ok(y); i++)
        y = difference(y, axis);
    return knl_end(&c, y);
}

kn_array kn_diff(kn_array x, const kn_diff_opts *opts)
{
    KNX_OPTS(kn_diff_opts, o, opts);
    const kn_array given[] = {x, o.prepend, o.append};
    o.prepend = o.append = NULL;
    return knl_kept(&(knl_call){"diff", diff, 3, given, &o, sizeof o});
}

/* The values as x's dtype, flattened; TypeError where they are of another kind. */
static kn_array edge(knl_body *c, kn_array v, kn_dtype d, const char *name)
{
    kni_type t = kna_type(&c->op, v);
    if (kna_failed(&c->op))
        return NULL;
    if (!knx_can_cast(kna_strong_dtype(t), d, KN_CAST_SAME_KIND))
        kna_fail(&c->op, KN_ERROR_TYPE, "dtype of `%s` must be compatible with input `ary` under the `same_kind` rule.",
                 name);
    return kn_ravel(kn_astype(v, d, NULL), NULL);
}

kn_array kn_ediff1d(kn_array x, const kn_ediff1d_opts *opts)
{
    KNX_OPTS(kn_ediff1d_opts, o, opts);
    knl_body c;
    knl_begin(&c, "ediff1d");
    kni_type t = kna_type(&c.op, x);
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    kn_dtype d = kna_strong_dtype(t);
    kn_array flat = kn_ravel(kn_asarray(x, NULL), NULL), parts[3];
    int n = 0, inside = o.to_begin ? 1 : 0;
    if (o.to_begin)
        parts[n++] = edge(&c, o.to_begin, d, "to_begin");
    n++;
    if (o.to_end)
        parts[n++] = edge(&c, o.to_end, d, "to_end");
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    parts[inside] = kn_subtract(part(flat, 0, 1, 0), part(flat, 0, 0, 1));
    return knl_end(&c, n == 1 ? parts[0] : kn_concatenate(kn_list_from(parts, n), NULL));
}

/* ---- trapezoid. */

/* A vector laid along an axis of ndim axes. */
static kn_array along(kn_array v, int axis, int ndim)
{
    kn_shape s = kn_shape_of(v), shape = {.ndim = ndim};
    for (int i = 0; i < ndim; i++)
        shape.dim[i] = i == axis && s.ndim == 1 ? s.dim[0] : 1;
    return kn_reshape(v, &shape, NULL);
}

kn_array kn_trapezoid(kn_array y, const kn_trapezoid_opts *opts)
{
    KNX_OPTS(kn_trapezoid_opts, o, opts);
    knl_body c;
    knl_begin(&c, "trapezoid");
    kni_type t = kna_type(&c.op, y);
    int axis = kna_failed(&c.op) ? 0 : kna_axis(&c.op, o.axis, t.ndim, -1);
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    kn_array d = o.dx ? o.dx : kn_like_double(1);
    if (o.x) {
        kni_type xt = kna_type(&c.op, o.x);
        kn_diff_opts by = kn_diff_opts_default();
        if (xt.ndim > 1)
            by.axis = o.axis;
        d = kn_diff(o.x, &by);
        if (xt.ndim == 1 && kn_ok(d))
            d = along(d, axis, t.ndim);
    }
    kn_array pairs = kn_add(part(y, axis, 1, 0), part(y, axis, 0, 1));
    kn_sum_opts sum = kn_sum_opts_default();
    sum.axis = knl_one_axis(axis);
    kn_array areas = kn_divide(kn_multiply(d, pairs), kn_like_double(2));
    if (o.x && kn_ok(areas) && kn_shape_of(areas).ndim > t.ndim)
        sum.axis = o.axis.n ? o.axis : knl_one_axis(-1);
    return knl_end(&c, kn_sum(areas, &sum));
}

/* ---- unwrap. */

/* period / 2; a number that waits for a dtype remains one. */
static kn_array half(knl_body *c, kn_array period, bool integer)
{
    double value = 0;
    if (knl_weak_value(&c->op, period, &value))
        return integer ? kn_like_int((int64_t)floor(value / 2)) : kn_like_double(value / 2);
    return integer ? kn_floor_divide(period, kn_like_int(2)) : kn_divide(period, kn_like_int(2));
}

static kn_array minus(knl_body *c, kn_array x, bool integer)
{
    double value = 0;
    if (knl_weak_value(&c->op, x, &value))
        return integer ? kn_like_int(-(int64_t)value) : kn_like_double(-value);
    return kn_negative(x);
}

kn_array kn_unwrap(kn_array p, const kn_unwrap_opts *opts)
{
    KNX_OPTS(kn_unwrap_opts, o, opts);
    knl_body c;
    knl_begin(&c, "unwrap");
    kn_array period = o.period ? o.period : kn_like_double(6.283185307179586), x = kn_asarray(p, NULL);
    kni_type t = kna_type(&c.op, x);
    if (!kna_failed(&c.op) && !t.ndim)
        kna_fail(&c.op, KN_ERROR_VALUE, "diff requires input that is at least one dimensional");
    int axis = kna_failed(&c.op) ? 0 : kna_axis(&c.op, o.axis, t.ndim, -1);
    kn_array both[] = {x, period};
    kn_dtype d = kna_failed(&c.op) ? NULL : kna_result_type(&c.op, 2, both);
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    bool integer = knx_is_integer(d), ambiguous = true;
    if (integer) {
        kn_array odd = kn_remainder(period, kn_like_int(2));
        ambiguous = kn_ok(odd) && kn_item_int(odd) == 0;
    }
    kn_array high = half(&c, period, integer), low = minus(&c, high, integer), dd = difference(x, axis);
    kn_array mod = kn_add(kn_remainder(kn_subtract(dd, low), period), low), zero = kn_like_int(0);
    if (ambiguous) { /* half a period goes up where the numbers do */
        kn_array up = kn_logical_and(kn_equal(mod, low), kn_greater(dd, zero));
        mod = kn_where(up, high, mod);
    }
    kn_array correction = kn_subtract(mod, dd);
    kn_array least = o.discont ? o.discont : half(&c, period, false);
    correction = kn_where(kn_less(kn_absolute(dd), least), zero, correction);
    kn_cumsum_opts sum = kn_cumsum_opts_default();
    sum.axis = knl_one_axis(axis);
    kn_array rest = kn_add(part(x, axis, 1, 0), kn_cumsum(correction, &sum));
    kn_shape s = kn_shape_of(x);
    kn_array first = part(x, axis, 0, knx_dim_max(s.dim[axis] - 1, 0));
    kn_concatenate_opts joined = kn_concatenate_opts_default();
    joined.axis = knl_one_axis(axis);
    kn_array y =
        kn_concatenate(kn_list_from((kn_array[]){kn_astype(first, d, NULL), kn_astype(rest, d, NULL)}, 2), &joined);
    return knl_end(&c, y);
}

/* ---- gradient. */

/* Distances along the axis: one number, perhaps one that waits for a dtype, or those between neighbours. */
typedef struct spacing {
    bool uniform, weak;
    double value;
    kn_array d;
} spacing;

static kn_array times(double factor, const spacing *s)
{
    return s->weak ? kn_like_double(factor * s->value) : kn_multiply(kn_like_double(factor), s->d);
}

static kn_array over(double number, const spacing *s)
{
    return s->weak ? kn_like_double(number / s->value) : kn_divide(kn_like_double(number), s->d);
}

/* a f[:-2] + b f[1:-1] + c f[2:], or with equal distances the difference over two of them. */
static kn_array interior(kn_array f, int axis, const spacing *s)
{
    kn_array before = part(f, axis, 0, 2), here = part(f, axis, 1, 1), after = part(f, axis, 2, 0);
    int ndim = kn_shape_of(f).ndim;
    if (s->uniform)
        return kn_divide(kn_subtract(after, before), times(2, s));
    kn_array d1 = part(s->d, 0, 0, 1), d2 = part(s->d, 0, 1, 0), both = kn_add(d1, d2);
    kn_array a = kn_divide(kn_negative(d2), kn_multiply(d1, both));
    kn_array b = kn_divide(kn_subtract(d2, d1), kn_multiply(d1, d2)), c = kn_divide(d1, kn_multiply(d2, both));
    kn_array sum = kn_add(kn_multiply(along(a, axis, ndim), before), kn_multiply(along(b, axis, ndim), here));
    return kn_add(sum, kn_multiply(along(c, axis, ndim), after));
}

/* The distance number i from this end. */
static kn_array distance(const spacing *s, bool end, int64_t i)
{
    if (s->uniform)
        return s->d;
    int64_t n = kn_shape_of(s->d).dim[0], at = end ? n - 1 - i : i;
    kn_shape scalar = {.ndim = 0};
    return kn_reshape(knl_part("gradient", s->d, 0, at, at + 1), &scalar, NULL);
}

static kn_array element(kn_array f, int axis, bool end, int64_t i)
{
    int64_t n = kn_shape_of(f).dim[axis], at = end ? n - 1 - i : i;
    return knl_part("gradient", f, axis, at, at + 1);
}

/* One-sided, of the first or second order. At the end signs turn. */
static kn_array side(kn_array f, int axis, const spacing *s, bool end, int order)
{
    kn_array x0 = element(f, axis, end, 0), x1 = element(f, axis, end, 1);
    if (order == 1)
        return kn_divide(end ? kn_subtract(x0, x1) : kn_subtract(x1, x0), distance(s, end, 0));
    kn_array x2 = element(f, axis, end, 2), a, b, c;
    if (s->uniform) {
        a = over(end ? 1.5 : -1.5, s);
        b = over(end ? -2 : 2, s);
        c = over(end ? 0.5 : -0.5, s);
    } else {
        kn_array d1 = distance(s, end, 0), d2 = distance(s, end, 1), both = kn_add(d1, d2);
        a = kn_divide(kn_add(kn_multiply(kn_like_double(2), d1), d2), kn_multiply(d1, both));
        b = kn_divide(both, kn_multiply(d1, d2));
        c = kn_divide(d1, kn_multiply(d2, both));
        if (end)
            b = kn_negative(b);
        else {
            a = kn_negative(a);
            c = kn_negative(c);
        }
    }
    kn_array first = end ? kn_multiply(c, x2) : kn_multiply(a, x0), middle = kn_multiply(b, x1);
    return kn_add(kn_add(first, middle), end ? kn_multiply(a, x0) : kn_multiply(c, x2));
}

static kn_array gradient_along(kn_array f, int axis, const spacing *s, int order, kn_dtype d)
{
    kn_array parts[] = {side(f, axis, s, false, order), interior(f, axis, s), side(f, axis, s, true, order)};
    kn_concatenate_opts joined = kn_concatenate_opts_default();
    joined.axis = knl_one_axis(axis);
    for (int i = 0; i < 3; i++)
        parts[i] = kn_astype(parts[i], d, NULL);
    return kn_concatenate(kn_list_from(parts, 3), &joined);
}

static spacing read_spacing(knl_body *c, kn_array given, int64_t extent)
{
    kni_type t = kna_type(&c->op, given);
    spacing s = {.uniform = true, .d = given};
    if (kna_failed(&c->op) || !t.ndim) {
        s.weak = knl_weak_value(&c->op, given, &s.value);
        return s;
    }
    if (t.ndim > 1)
        kna_fail(&c->op, KN_ERROR_VALUE, "distances must be either scalars or 1d");
    else if (!knx_dim_eq(t.dim[0], extent))
        kna_fail(&c->op, KN_ERROR_VALUE, "when 1d, distances must match the length of the corresponding dimension");
    else
        s = (spacing){.d = difference(knx_is_integer(t.dtype) ? kn_astype(given, KN_DT(F64), NULL) : given, 0)};
    return s;
}

kn_list kn_gradient(kn_array f, const kn_gradient_opts *opts)
{
    KNX_OPTS(kn_gradient_opts, o, opts);
    knl_body c;
    knl_begin(&c, "gradient");
    kna_op *op = &c.op;
    kni_type t = kna_type(op, f);
    int64_t axes[KN_MAX_NDIM], given = 0;
    const kn_array *dx = NULL;
    kn_array y[KN_MAX_NDIM];
    int n = 0, n_dx = o.spacing && !kna_failed(op) ? kntree_list_read(op, o.spacing, &dx) : 0;
    if (!kna_failed(op) && o.axis.n > 0)
        for (n = 0; n < knl_axis_count(op, o.axis) && !kna_failed(op); n++) /* in the order given */
            axes[n] = kna_normalize_axis(op, o.axis.axis[n], t.ndim);
    else if (!kna_failed(op))
        n = kna_axes(op, (kn_axes){.n = 0}, t.ndim, KNA_AXES_ALL, axes);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i && !kna_failed(op); j++)
            if (axes[i] == axes[j])
                kna_fail(op, KN_ERROR_VALUE, "repeated axis");
    given = n_dx;
    bool one = given == 1 && !kna_failed(op) && kna_type(op, dx[0]).ndim == 0;
    if (!kna_failed(op) && given && !one && given != n)
        kna_fail(op, KN_ERROR_TYPE, "invalid number of arguments");
    if (!kna_failed(op) && o.edge_order > 2)
        kna_fail(op, KN_ERROR_VALUE, "'edge_order' greater than 2 not supported");
    kn_dtype d = kna_failed(op) ? NULL : knl_inexact_for(kna_strong_dtype(t));
    kn_array x = kna_failed(op) || !knx_is_integer(t.dtype) ? f : kn_astype(f, KN_DT(F64), NULL);
    for (int i = 0; i < n && !kna_failed(op); i++) {
        int64_t extent = t.dim[axes[i]];
        spacing s = read_spacing(&c, !given ? kn_like_double(1) : one ? dx[0] : dx[i], extent);
        if (!kna_failed(op) && knx_dim_lt(extent, o.edge_order + 1))
            kna_fail(op, KN_ERROR_VALUE,
                     "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) elements "
                     "are required.");
        if (!kna_failed(op))
            y[i] = gradient_along(x, (int)axes[i], &s, o.edge_order, d);
    }
    return knl_end_list(&c, kna_failed(op) ? NULL : kn_list_from(y, n));
}
