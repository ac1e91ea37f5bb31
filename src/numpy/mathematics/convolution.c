/* SPDX-License-Identifier: Apache-2.0
 * convolution.c -- convolve, correlate, interp, cross. */
#include "lib/compose.h"
#include <math.h>
#include <string.h>

/* ---- Sliding products. */

/* y[i] = sum over k of x[i - before + k] v[k] for `n` values of i; x is 0 outside. One convolution of one channel;
 * windows that stay inside are rows of a matrix that lie upon each other, which products read where they are. */
static kn_atom slide(kna_op *op, kn_atom x, kn_atom v, int64_t before, int64_t n)
{
    kn_builder *b = op->b;
    if (kna_failed(op))
        return KN_ATOM_NONE;
    int64_t length = knb_type(b, x).dim[0], taps = knb_type(b, v).dim[0];
    int64_t after = n + taps - 1 - before - length, one = 1, none = 0, spec[] = {0, 1, 2},
            long_x[] = {1, 1, n + taps - 1};
    if (before || after)
        x = knb_pad(b, x, knb_like(b, x, 0), &before, &after, NULL);
    kn_p_conv p = {.window_strides = {1, &one},
                   .lo = {1, &none},
                   .hi = {1, &none},
                   .lhs_dilation = {1, &one},
                   .rhs_dilation = {1, &one},
                   .lhs_spec = {3, spec},
                   .rhs_spec = {3, spec},
                   .out_spec = {3, spec},
                   .feature_group_count = 1,
                   .batch_group_count = 1};
    kn_atom signal = knb_reshape(b, x, 3, long_x), kernel = knb_reshape(b, v, 3, (int64_t[]){1, 1, taps});
    return knb_reshape(b, knb_conv_general_dilated(b, signal, kernel, &p), 1, &n);
}

typedef enum mode { FULL, SAME, VALID } mode;

static mode read_mode(kna_op *op, const char *given, mode otherwise)
{
    if (!given)
        return otherwise;
    if (!strcmp(given, "full") || !strcmp(given, "same") || !strcmp(given, "valid"))
        return *given == 'f' ? FULL : *given == 's' ? SAME : VALID;
    kna_fail(op, KN_ERROR_VALUE, "mode must be one of 'valid', 'same', or 'full' (got '%s')", given);
    return otherwise;
}

/* A vector of dtype d; a number is one of one element. */
static kn_atom vector(kna_op *op, kn_array x, kn_dtype d, const char *name)
{
    kn_type t = kna_type(op, x);
    if (!kna_failed(op) && t.ndim > 1)
        kna_fail(op, KN_ERROR_VALUE, "object too deep for desired array");
    kn_atom a = kna_failed(op) ? KN_ATOM_NONE : knn_flatten(op, kna_in_as(op, x, d));
    if (!kna_failed(op) && knb_type(op->b, a).dim[0] == 0)
        kna_fail(op, KN_ERROR_VALUE, "%s cannot be empty", name);
    return a;
}

/* Products of x with v in all places where they meet. */
static kn_atom sliding(kna_op *op, kn_atom x, kn_atom v, mode how)
{
    if (kna_failed(op))
        return KN_ATOM_NONE;
    int64_t n = knb_type(op->b, x).dim[0], m = knb_type(op->b, v).dim[0];
    if (how == FULL)
        return slide(op, x, v, m - 1, n + m - 1);
    if (how == VALID)
        return slide(op, x, v, 0, n - m + 1);
    return slide(op, x, v, m / 2, n);
}

static kn_array run(const char *name, kn_array a, kn_array v, const kn_convolve_opts *o, bool convolve)
{
    kna_op op;
    kna_begin(&op, name);
    kn_array both[] = {a, v};
    int64_t zero = 0;
    mode how = read_mode(&op, o->mode, convolve ? FULL : VALID);
    kn_dtype d = kna_result_type(&op, 2, both);
    if (kna_failed(&op) || knn_not_a_number(&op, name, d))
        return kna_end(&op, KN_ATOM_NONE);
    kn_atom x = vector(&op, a, d, "a"), y = vector(&op, v, d, "v");
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    bool truth = d->kind == KN_KIND_BOOL;
    if (truth) {
        x = knb_astype(op.b, x, KN_DT(I64));
        y = knb_astype(op.b, y, KN_DT(I64));
    }
    y = convolve ? knb_rev(op.b, y, 1, &zero) : knb_conj(op.b, y);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    bool swap = knb_type(op.b, y).dim[0] > knb_type(op.b, x).dim[0];
    if (swap && convolve) { /* both the other way round is the same */
        kn_atom t = knb_rev(op.b, x, 1, &zero);
        x = knb_rev(op.b, y, 1, &zero);
        y = t;
    } else if (swap) {
        kn_atom t = x;
        x = y;
        y = t;
    }
    kn_atom z = sliding(&op, x, y, how);
    if (swap && !convolve && !kna_failed(&op))
        z = knb_rev(op.b, z, 1, &zero);
    return kna_end(&op, truth ? knn_truth(&op, z) : z);
}

kn_array kn_convolve(kn_array a, kn_array v, const kn_convolve_opts *opts)
{
    KNN_OPTS(kn_convolve_opts, o, opts);
    return run("convolve", a, v, &o, true);
}

kn_array kn_correlate(kn_array a, kn_array v, const kn_convolve_opts *opts)
{
    KNN_OPTS(kn_convolve_opts, o, opts);
    return run("correlate", a, v, &o, false);
}

/* ---- interp. */

typedef struct knots {
    kna_op *op;
    kn_atom xp, fp;
    int64_t n;
    kn_shape shape; /* of the points */
} knots;

/* Elements of xp or fp at positions that are known to be inside. */
static kn_atom knot(const knots *k, kn_atom of, kn_atom at)
{
    return kna_failed(k->op) ? KN_ATOM_NONE : knn_take_axis(k->op, of, at, 0, KN_GATHER_PROMISE);
}

static kn_atom end_knot(const knots *k, kn_atom of, int64_t at)
{
    return knb_reshape(k->op->b, knb_slice(k->op->b, of, &at, (int64_t[]){at + 1}, NULL), 0, NULL);
}

static kn_atom choose(const knots *k, kn_atom which, kn_atom yes, kn_atom no)
{
    return knn_select(k->op, which, yes, no, &k->shape);
}

/* On the line through knots i and j = i + 1 of values d. Where a knot or a value is infinite, or x is a knot, the value
 * of that. */
static kn_atom on_line(const knots *k, kn_atom x, kn_atom i, kn_atom j)
{
    kn_builder *b = k->op->b;
    kn_dtype d = knb_type(b, k->fp).dtype;
    kn_atom x0 = knot(k, k->xp, i), x1 = knot(k, k->xp, j), f0 = knot(k, k->fp, i), f1 = knot(k, k->fp, j);
    kn_atom same = knb_eq(b, x0, x1), width = choose(k, same, knb_number(b, KN_DT(F64), 1), knb_sub(b, x1, x0));
    kn_atom slope = knb_div(b, knb_sub(b, f1, f0), knb_astype(b, width, d));
    slope = choose(k, same, knb_number(b, d, 0), slope);
    kn_atom y = knb_add(b, knb_mul(b, slope, knb_astype(b, knb_sub(b, x, x0), d)), f0);
    kn_atom other = knb_add(b, knb_mul(b, slope, knb_astype(b, knb_sub(b, x, x1), d)), f1); /* exact at that end */
    y = choose(k, knb_eq(b, x, x1), other, y);
    kn_atom level = knb_and(b, knb_ne(b, other, other), knb_eq(b, f0, f1));
    other = choose(k, level, f0, other);
    other = choose(k, knb_eq(b, x, x0), f0, choose(k, knb_eq(b, x, x1), f1, other));
    return choose(k, knb_ne(b, y, y), other, y);
}

/* The interval of each x is that of the last knot that is not above it, or the first one. */
static kn_atom interpolate(knots *k, kn_atom x, kn_array left, kn_array right)
{
    kn_builder *b = k->op->b;
    if (kna_failed(k->op))
        return KN_ATOM_NONE;
    kn_dtype d = knb_type(b, k->fp).dtype, index = KN_DT(I64);
    k->n = knb_type(b, k->xp).dim[0];
    k->shape = knn_shape_of(k->op, x);
    kn_atom below = knb_sub(b, knn_search(k->op, k->xp, x, true), knb_integer(b, index, 1));
    kn_atom i = knb_min(b, below, knb_integer(b, index, k->n > 1 ? k->n - 2 : 0));
    i = knb_max(b, i, knb_integer(b, index, 0));
    kn_atom j = knb_min(b, knb_add(b, i, knb_integer(b, index, 1)), knb_integer(b, index, k->n - 1));
    kn_atom y = on_line(k, x, i, j), first = end_knot(k, k->xp, 0), last = end_knot(k, k->xp, k->n - 1);
    kn_atom before = left ? knn_operand(k->op, left, d, &k->shape) : end_knot(k, k->fp, 0);
    kn_atom behind = right ? knn_operand(k->op, right, d, &k->shape) : end_knot(k, k->fp, k->n - 1);
    y = kna_failed(k->op) ? KN_ATOM_NONE : choose(k, knb_lt(b, x, first), before, y);
    y = kna_failed(k->op) ? KN_ATOM_NONE : choose(k, knb_gt(b, x, last), behind, y);
    if (k->n == 1 || kna_failed(k->op)) /* one knot: what is on neither side of it has its value, NaN too */
        return y;
    return choose(k, knb_ne(b, x, x), knb_number(b, d, NAN), y);
}

/* xp and fp continued to both sides of one period. */
static void make_periodic(kn_array *x, kn_array *xp, kn_array *fp, kn_array period)
{
    period = kn_absolute(period);
    *x = kn_remainder(*x, period);
    *xp = kn_remainder(*xp, period);
    kn_take_opts inside = kn_take_opts_default();
    inside.mode = "clip"; /* which is checked by none */
    kn_array order = kn_argsort(*xp, NULL);
    *xp = kn_take(*xp, order, &inside);
    *fp = kn_take(*fp, order, &inside);
    if (!kn_ok(*xp) || !kn_ok(*fp))
        return;
    int64_t n = kn_shape_of(*xp).dim[0];
    kn_array first = knn_part("interp", *xp, 0, 0, 1), last = knn_part("interp", *xp, 0, n - 1, n);
    kn_array xs[] = {kn_subtract(last, period), *xp, kn_add(first, period)};
    kn_array fs[] = {knn_part("interp", *fp, 0, n - 1, n), *fp, knn_part("interp", *fp, 0, 0, 1)};
    *xp = kn_concatenate(kn_list_from(xs, 3), NULL);
    *fp = kn_concatenate(kn_list_from(fs, 3), NULL);
}

kn_array kn_interp(kn_array x, kn_array xp, kn_array fp, const kn_interp_opts *opts)
{
    KNN_OPTS(kn_interp_opts, o, opts);
    knn_body c;
    knn_begin(&c, "interp");
    kna_op *op = &c.op;
    double period = 1;
    kn_type xt = kna_type(op, xp), ft = kna_type(op, fp), t = kna_type(op, x);
    if (!kna_failed(op) && (knx_is_complex(xt.dtype) || knx_is_complex(t.dtype)))
        kna_fail(op, KN_ERROR_TYPE,
                 "Cannot cast array data from dtype('%s') to dtype('float64') according to the rule 'safe'",
                 knx_is_complex(t.dtype) ? t.dtype->name : xt.dtype->name);
    if (!kna_failed(op) && o.period && knn_weak_value(op, o.period, &period) && period == 0)
        kna_fail(op, KN_ERROR_VALUE, "period must be a non-zero value");
    if (!kna_failed(op) && (xt.ndim != 1 || ft.ndim != 1))
        kna_fail(op, KN_ERROR_VALUE,
                 o.period                     ? "Data points must be 1-D sequences"
                 : xt.ndim > 1 || ft.ndim > 1 ? "object too deep for desired array"
                                              : "object of too small depth for desired array");
    if (!kna_failed(op) && !xt.dim[0])
        kna_fail(op, KN_ERROR_VALUE, "array of sample points is empty");
    if (!kna_failed(op) && xt.dim[0] != ft.dim[0])
        kna_fail(op, KN_ERROR_VALUE,
                 o.period ? "fp and xp are not of the same length" : "fp and xp are not of the same length.");
    if (kna_failed(op))
        return knn_end(&c, NULL);
    kn_dtype d = knx_is_complex(ft.dtype) ? KN_DT(C128) : KN_DT(F64);
    if (o.period) {
        x = kn_astype(x, KN_DT(F64), NULL);
        xp = kn_astype(xp, KN_DT(F64), NULL);
        fp = kn_astype(fp, d, NULL);
        make_periodic(&x, &xp, &fp, o.period);
        o.left = o.right = NULL;
    }
    knots k = {.op = op, .xp = kna_in_as(op, xp, KN_DT(F64)), .fp = kna_in_as(op, fp, d)};
    kn_atom y = interpolate(&k, kna_in_as(op, x, KN_DT(F64)), o.left, o.right);
    return knn_end(&c, kna_failed(op) ? NULL : knn_made(&c, y));
}

/* ---- cross. */

static kn_array component(kn_array x, int64_t i)
{
    kna_op op;
    kna_begin(&op, "cross");
    kn_atom a = kna_in(&op, x);
    kn_shape from = {0}, to = knn_shape_of(&op, a);
    int64_t axis = to.ndim - 1;
    from.dim[axis < 0 ? 0 : axis] = i;
    to.dim[axis < 0 ? 0 : axis] = i + 1;
    kn_atom y = kna_failed(&op) ? a : knb_slice(op.b, a, from.dim, to.dim, NULL);
    return kna_end(&op, kna_failed(&op) ? y : knb_squeeze(op.b, y, 1, &axis));
}

static int axis_of(kna_op *op, const char *name, int axis, int ndim)
{
    if (!kna_failed(op) && (axis < -ndim || axis >= ndim))
        kna_fail(op, KN_ERROR_AXIS, "%s: axis %d is out of bounds for array of dimension %d", name, axis, ndim);
    return axis < 0 ? axis + ndim : axis;
}

/* x y' - y x', or what is left of it where components are missing. */
static kn_array minor(kn_array p, kn_array q, kn_array r, kn_array s)
{
    kn_array left = p && q ? kn_multiply(p, q) : NULL, right = r && s ? kn_multiply(r, s) : NULL;
    return !right ? left : left ? kn_subtract(left, right) : kn_negative(right);
}

kn_array kn_cross(kn_array a, kn_array b, const kn_cross_opts *opts)
{
    KNN_OPTS(kn_cross_opts, o, opts);
    knn_body c;
    knn_begin(&c, "cross");
    kna_op *op = &c.op;
    kn_type at = kna_type(op, a), bt = kna_type(op, b);
    kn_array both[] = {a, b}, x[3] = {NULL}, y[3] = {NULL}, z = NULL;
    kn_dtype d = kna_result_type(op, 2, both);
    if (o.axis.n > 1)
        o.axisa = o.axisb = o.axisc = o.axis.axis[0];
    if (!kna_failed(op) && (!at.ndim || !bt.ndim))
        kna_fail(op, KN_ERROR_VALUE, "At least one array has zero dimension");
    int p = axis_of(op, "axisa", o.axisa, at.ndim), q = axis_of(op, "axisb", o.axisb, bt.ndim);
    if (kna_failed(op))
        return knn_end(&c, NULL);
    int64_t n = at.dim[p], m = bt.dim[q];
    if (n < 2 || n > 3 || m < 2 || m > 3) {
        kna_fail(op, KN_ERROR_VALUE, "incompatible dimensions for cross product\n(dimension must be 2 or 3)");
        return knn_end(&c, NULL);
    }
    kn_axes last = knn_one_axis(-1), pa = knn_one_axis(p), qa = knn_one_axis(q);
    a = kn_astype(kn_moveaxis(a, &pa, &last), d, NULL);
    b = kn_astype(kn_moveaxis(b, &qa, &last), d, NULL);
    for (int i = 0; i < 3; i++) {
        x[i] = i < n ? component(a, i) : NULL;
        y[i] = i < m ? component(b, i) : NULL;
    }
    z = minor(x[0], y[1], x[1], y[0]);
    if (n == 3 || m == 3) {
        kn_array parts[] = {minor(x[1], y[2], x[2], y[1]), minor(x[2], y[0], x[0], y[2]), z};
        kn_concatenate_opts end = kn_concatenate_opts_default();
        end.axis = last;
        z = kn_stack(kn_list_from(parts, 3), &end);
        int to = kn_ok(z) ? axis_of(op, "axisc", o.axisc, kn_shape_of(z).ndim) : 0;
        kn_axes toa = knn_one_axis(to);
        z = kna_failed(op) ? NULL : kn_moveaxis(z, &last, &toa);
    }
    return knn_end(&c, z);
}
