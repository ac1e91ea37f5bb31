/* SPDX-License-Identifier: Apache-2.0
 * signal.c -- convolve, correlate, interp, cross. */
#include "numpy/compose.h"
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
        x = knb_convert(op.b, x, KN_DT(I64));
        y = knb_convert(op.b, y, KN_DT(I64));
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

/* For each x the number of the last xp that is not above it, 0 if there is none, by bisection: xp[low] <= x < xp[high].
 */
static kn_array interval(kn_array x, kn_array xp, int64_t n)
{
    kn_array low = kn_zeros_like(x, &(kn_zeros_like_opts){.size_ = sizeof(kn_zeros_like_opts), .dtype = KN_DT(I64)});
    kn_array high = kn_add(low, kn_like_int(n));
    for (int64_t width = n; width > 1; width -= width / 2) {
        kn_array middle = kn_floor_divide(kn_add(low, high), kn_like_int(2));
        kn_array above = kn_less(x, kn_take(xp, middle, NULL));
        kn_array next = kn_where(above, low, middle);
        high = kn_where(above, middle, high);
        low = next;
    }
    return low;
}

static kn_array interpolate(kn_array x, kn_array xp, kn_array fp, kn_array left, kn_array right)
{
    int64_t n = kn_shape_of(xp).dim[0];
    kn_array last = kn_like_int(n - 1), i = kn_minimum(interval(x, xp, n), kn_like_int(n > 1 ? n - 2 : 0));
    kn_array j = kn_minimum(kn_add(i, kn_like_int(1)), last);
    kn_array x0 = kn_take(xp, i, NULL), x1 = kn_take(xp, j, NULL), f0 = kn_take(fp, i, NULL), f1 = kn_take(fp, j, NULL);
    kn_array same = kn_equal(x0, x1), width = kn_where(same, kn_like_double(1), kn_subtract(x1, x0));
    kn_array slope = kn_where(same, kn_like_double(0), kn_divide(kn_subtract(f1, f0), width));
    kn_array y = kn_add(kn_multiply(slope, kn_subtract(x, x0)), f0);
    kn_array other = kn_add(kn_multiply(slope, kn_subtract(x, x1)), f1); /* exact at that end */
    y = kn_where(kn_equal(x, x1), other, y);
    /* where a point or a value is infinite */
    other = kn_where(kn_logical_and(kn_isnan(other), kn_equal(f0, f1)), f0, other);
    other = kn_where(kn_equal(x, x0), f0, kn_where(kn_equal(x, x1), f1, other));
    y = kn_where(kn_isnan(y), other, y);
    kn_array first = kn_take(xp, kn_like_int(0), NULL), end = kn_take(xp, last, NULL);
    y = kn_where(kn_less(x, first), left ? left : kn_take(fp, kn_like_int(0), NULL), y);
    y = kn_where(kn_greater(x, end), right ? right : kn_take(fp, last, NULL), y);
    return kn_where(kn_isnan(x), kn_like_double(NAN), y);
}

/* xp and fp continued to both sides of one period. */
static void make_periodic(kn_array *x, kn_array *xp, kn_array *fp, kn_array period)
{
    period = kn_absolute(period);
    *x = kn_remainder(*x, period);
    *xp = kn_remainder(*xp, period);
    kn_array order = kn_argsort(*xp, NULL);
    *xp = kn_take(*xp, order, NULL);
    *fp = kn_take(*fp, order, NULL);
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
    x = kn_astype(x, KN_DT(F64), NULL);
    xp = kn_astype(xp, KN_DT(F64), NULL);
    fp = kn_astype(fp, knx_is_complex(ft.dtype) ? KN_DT(C128) : KN_DT(F64), NULL);
    if (o.period)
        make_periodic(&x, &xp, &fp, o.period);
    kn_array y = kn_ok(xp) ? interpolate(x, xp, fp, o.period ? NULL : o.left, o.period ? NULL : o.right) : xp;
    return knn_end(&c, kn_astype(y, knx_is_complex(ft.dtype) ? KN_DT(C128) : KN_DT(F64), NULL));
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
