/* SPDX-License-Identifier: Apache-2.0
 * cross.c -- products of vectors in three dimensions. */
#include "lib/compose.h"

static kn_array component(kn_array x, int64_t i)
{
    kna_op op;
    kna_begin(&op, "cross");
    kni_atom a = kna_in(&op, x);
    kn_shape from = {0}, to = knl_shape_of(&op, a);
    int64_t axis = to.ndim - 1;
    from.dim[axis < 0 ? 0 : axis] = i;
    to.dim[axis < 0 ? 0 : axis] = i + 1;
    kni_atom y = kna_failed(&op) ? a : knb_slice(op.b, a, from.dim, to.dim, NULL);
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
    KNX_OPTS(kn_cross_opts, o, opts);
    knl_body c;
    knl_begin(&c, "cross");
    kna_op *op = &c.op;
    kni_type at = kna_type(op, a), bt = kna_type(op, b);
    kn_array both[] = {a, b}, x[3] = {NULL}, y[3] = {NULL}, z = NULL;
    kn_dtype d = kna_result_type(op, 2, both);
    if (o.axis.n > 1)
        o.axisa = o.axisb = o.axisc = o.axis.axis[0];
    if (!kna_failed(op) && (!at.ndim || !bt.ndim))
        kna_fail(op, KN_ERROR_VALUE, "At least one array has zero dimension");
    int p = axis_of(op, "axisa", o.axisa, at.ndim), q = axis_of(op, "axisb", o.axisb, bt.ndim);
    if (kna_failed(op))
        return knl_end(&c, NULL);
    int64_t n = at.dim[p], m = bt.dim[q];
    if (n < 2 || n > 3 || m < 2 || m > 3) {
        kna_fail(op, KN_ERROR_VALUE, "incompatible dimensions for cross product\n(dimension must be 2 or 3)");
        return knl_end(&c, NULL);
    }
    kn_axes last = knl_one_axis(-1), pa = knl_one_axis(p), qa = knl_one_axis(q);
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
        kn_axes toa = knl_one_axis(to);
        z = kna_failed(op) ? NULL : kn_moveaxis(z, &last, &toa);
    }
    return knl_end(&c, z);
}
