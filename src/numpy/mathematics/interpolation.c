/* SPDX-License-Identifier: Apache-2.0
 * interpolation.c -- interp: straight lines between points. */
#include "lib/compose.h"
#include "lib/kept.h"
#include <math.h>
#include <string.h>

typedef struct knots {
    kna_op *op;
    kni_atom xp, fp;
    int64_t n;
    kn_shape shape; /* of the points */
} knots;

/* Elements of xp or fp at positions that are known to be inside. */
static kni_atom knot(const knots *k, kni_atom of, kni_atom at)
{
    return kna_failed(k->op) ? KN_ATOM_NONE : knl_take_axis(k->op, of, at, 0, KN_GATHER_PROMISE);
}

static kni_atom end_knot(const knots *k, kni_atom of, int64_t at)
{
    return knb_reshape(k->op->b, knb_slice(k->op->b, of, &at, (int64_t[]){at + 1}, NULL), 0, NULL);
}

static kni_atom choose(const knots *k, kni_atom which, kni_atom yes, kni_atom no)
{
    return knl_select(k->op, which, yes, no, &k->shape);
}

/* On the line through knots i and j = i + 1 of values d. Where a knot or a value is infinite, or x is a knot, the value
 * of that, of the later one if both are there. */
static kni_atom on_line(const knots *k, kni_atom x, kni_atom i, kni_atom j)
{
    kni_builder *b = k->op->b;
    kn_dtype d = knb_type(b, k->fp).dtype;
    kni_atom x0 = knot(k, k->xp, i), x1 = knot(k, k->xp, j), f0 = knot(k, k->fp, i), f1 = knot(k, k->fp, j);
    kni_atom same = knb_eq(b, x0, x1), width = choose(k, same, knb_number(b, KN_DT(F64), 1), knb_sub(b, x1, x0));
    kni_atom slope = knb_div(b, knb_sub(b, f1, f0), knb_astype(b, width, d));
    slope = choose(k, same, knb_number(b, d, 0), slope);
    kni_atom y = knb_add(b, knb_mul(b, slope, knb_astype(b, knb_sub(b, x, x0), d)), f0);
    kni_atom other = knb_add(b, knb_mul(b, slope, knb_astype(b, knb_sub(b, x, x1), d)), f1); /* exact at that end */
    y = choose(k, knb_eq(b, x, x1), other, y);
    kni_atom level = knb_and(b, knb_ne(b, other, other), knb_eq(b, f0, f1));
    other = choose(k, level, f0, other);
    other = choose(k, knb_eq(b, x, x1), f1, choose(k, knb_eq(b, x, x0), f0, other));
    return choose(k, knb_ne(b, y, y), other, y);
}

/* The interval of each x is that of the last knot that is not above it, or the first one. */
static kni_atom interpolate(knots *k, kni_atom x, kn_array left, kn_array right)
{
    kni_builder *b = k->op->b;
    if (kna_failed(k->op))
        return KN_ATOM_NONE;
    kn_dtype d = knb_type(b, k->fp).dtype, index = KN_DT(I64);
    k->n = knb_type(b, k->xp).dim[0];
    k->shape = knl_shape_of(k->op, x);
    kni_atom below = knb_sub(b, knl_search(k->op, k->xp, x, true), knb_integer(b, index, 1));
    kni_atom i = knb_min(b, below, knl_number_of(k->op, index, knx_dim_max(k->n - 2, 0)));
    i = knb_max(b, i, knb_integer(b, index, 0));
    kni_atom j = knb_min(b, knb_add(b, i, knb_integer(b, index, 1)), knl_number_of(k->op, index, k->n - 1));
    kni_atom y = on_line(k, x, i, j), first = end_knot(k, k->xp, 0), last = end_knot(k, k->xp, k->n - 1);
    kni_atom before = left ? knl_operand(k->op, left, d, &k->shape) : end_knot(k, k->fp, 0);
    kni_atom behind = right ? knl_operand(k->op, right, d, &k->shape) : end_knot(k, k->fp, k->n - 1);
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
    kn_array first = knl_part("interp", *xp, 0, 0, 1), last = knl_part("interp", *xp, 0, n - 1, n);
    kn_array xs[] = {kn_subtract(last, period), *xp, kn_add(first, period)};
    kn_array fs[] = {knl_part("interp", *fp, 0, n - 1, n), *fp, knl_part("interp", *fp, 0, 0, 1)};
    *xp = kn_concatenate(kn_list_from(xs, 3), NULL);
    *fp = kn_concatenate(kn_list_from(fs, 3), NULL);
}

/* given: x, xp, fp, and what was given for left, right and period. */
static kn_array interp(const kn_array *given, const void *options)
{
    kn_array x = given[0], xp = given[1], fp = given[2];
    struct {
        kn_array left, right, period;
    } o = {given[3], given[4], given[5]};
    (void)options;
    knl_body c;
    knl_begin(&c, "interp");
    kna_op *op = &c.op;
    double period = 1;
    kni_type xt = kna_type(op, xp), ft = kna_type(op, fp), t = kna_type(op, x);
    if (!kna_failed(op) && (knx_is_complex(xt.dtype) || knx_is_complex(t.dtype)))
        kna_fail(op, KN_ERROR_TYPE,
                 "Cannot cast array data from dtype('%s') to dtype('float64') according to the rule 'safe'",
                 knx_is_complex(t.dtype) ? t.dtype->name : xt.dtype->name);
    if (!kna_failed(op) && o.period && knl_weak_value(op, o.period, &period) && period == 0)
        kna_fail(op, KN_ERROR_VALUE, "period must be a non-zero value");
    if (!kna_failed(op) && (xt.ndim != 1 || ft.ndim != 1))
        kna_fail(op, KN_ERROR_VALUE,
                 o.period                     ? "Data points must be 1-D sequences"
                 : xt.ndim > 1 || ft.ndim > 1 ? "object too deep for desired array"
                                              : "object of too small depth for desired array");
    if (!kna_failed(op) && !knx_dim_lt(0, xt.dim[0]))
        kna_fail(op, KN_ERROR_VALUE, "array of sample points is empty");
    if (!kna_failed(op) && !knx_dim_eq(xt.dim[0], ft.dim[0]))
        kna_fail(op, KN_ERROR_VALUE,
                 o.period ? "fp and xp are not of the same length" : "fp and xp are not of the same length.");
    if (kna_failed(op))
        return knl_end(&c, NULL);
    kn_dtype d = knx_is_complex(ft.dtype) ? KN_DT(C128) : KN_DT(F64);
    if (o.period) {
        x = kn_astype(x, KN_DT(F64), NULL);
        xp = kn_astype(xp, KN_DT(F64), NULL);
        fp = kn_astype(fp, d, NULL);
        make_periodic(&x, &xp, &fp, o.period);
        o.left = o.right = NULL;
    }
    knots k = {.op = op, .xp = kna_in_as(op, xp, KN_DT(F64)), .fp = kna_in_as(op, fp, d)};
    kni_atom y = interpolate(&k, kna_in_as(op, x, KN_DT(F64)), o.left, o.right);
    return knl_end(&c, kna_failed(op) ? NULL : knl_made(&c, y));
}

kn_array kn_interp(kn_array x, kn_array xp, kn_array fp, const kn_interp_opts *opts)
{
    KNX_OPTS(kn_interp_opts, o, opts);
    const kn_array in[] = {x, xp, fp, o.left, o.right, o.period};
    return knl_kept(&(knl_call){.name = "interp", .f = interp, .n = 6, .x = in});
}
