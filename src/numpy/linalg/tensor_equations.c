/* SPDX-License-Identifier: Apache-2.0
 * tensor_equations.c -- np.linalg.tensorsolve and tensorinv: matrices whose rows and columns are several axes each. */
#include "kiln/linalg.h"
#include "lib/compose.h"

static int64_t product(const kn_shape *s, int from, int to)
{
    int64_t n = 1;
    for (int d = from; d < to; d++)
        n = knx_dim_mul(n, s->dim[d]);
    return n;
}

kn_array kn_linalg_tensorinv(kn_array a, const kn_linalg_tensorinv_opts *opts)
{
    KNX_OPTS(kn_linalg_tensorinv_opts, o, opts);
    knl_body c;
    knl_begin(&c, "tensorinv");
    if (!kna_failed(&c.op) && o.ind <= 0)
        kna_fail(&c.op, KN_ERROR_VALUE, "Invalid ind argument.");
    a = kn_asarray(a, NULL);
    kni_type t = kna_type(&c.op, a);
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    kn_shape s = kn_shape_of(a), back = {.ndim = t.ndim};
    int ind = o.ind < t.ndim ? o.ind : t.ndim;
    for (int d = 0; d < t.ndim; d++)
        back.dim[d] = s.dim[(d + ind) % t.ndim];
    const kn_shape matrix = {2, {product(&s, ind, t.ndim), product(&s, 0, ind)}};
    return knl_end(&c, kn_reshape(kn_linalg_inv(kn_reshape(a, &matrix, NULL)), &back, NULL));
}

/* The axes in this list go to the end, in its order. */
static kn_array axes_last(kna_op *op, kn_array a, const kn_axes *axes)
{
    kn_transpose_opts order = kn_transpose_opts_default();
    int ndim = kna_type(op, a).ndim, n = 0;
    uint64_t moved = 0;
    for (int i = 0; i < knl_axis_count(op, *axes) && !kna_failed(op); i++)
        moved |= (uint64_t)1 << kna_normalize_axis(op, axes->axis[i], ndim);
    if (kna_failed(op) || !moved)
        return a;
    for (int d = 0; d < ndim; d++)
        if (!(moved >> d & 1))
            order.axes.axis[n++] = d;
    for (int i = 0; i < knl_axis_count(op, *axes); i++)
        order.axes.axis[n++] = axes->axis[i];
    order.axes.n = n + 1;
    return kn_transpose(a, &order);
}

kn_array kn_linalg_tensorsolve(kn_array a, kn_array b, const kn_linalg_tensorsolve_opts *opts)
{
    KNX_OPTS(kn_linalg_tensorsolve_opts, o, opts);
    knl_body c;
    knl_begin(&c, "tensorsolve");
    a = axes_last(&c.op, kn_asarray(a, NULL), &o.axes);
    b = kn_asarray(b, NULL);
    kni_type t = kna_type(&c.op, a), u = kna_type(&c.op, b);
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    /* NumPy's a.shape[b.ndim - a.ndim:], which begins from the end if b has more axes */
    int from = u.ndim < t.ndim ? u.ndim : u.ndim == t.ndim ? 0 : u.ndim - t.ndim;
    kn_shape s = kn_shape_of(a), result = {.ndim = 0};
    for (int d = from; d < t.ndim; d++)
        result.dim[result.ndim++] = s.dim[d];
    int64_t n = product(&result, 0, result.ndim);
    if (!knx_dim_eq(knx_dim_mul(n, n), product(&s, 0, s.ndim))) {
        kna_fail(&c.op, KN_ERROR_LINALG,
                 "Input arrays must satisfy the requirement             prod(a.shape[b.ndim:]) == "
                 "prod(a.shape[:b.ndim])");
        return knl_end(&c, NULL);
    }
    const kn_shape square = {2, {n, n}};
    kn_array matrix = kn_reshape(a, &square, NULL), right = kn_ravel(b, NULL);
    return knl_end(&c, kn_reshape(kn_linalg_solve(matrix, right, NULL), &result, NULL));
}
