/* SPDX-License-Identifier: Apache-2.0
 * apply.c -- functions applied along axes and in pieces. Kiln's functions are recorded once and batched. */
#include "kiln/function.h"
#include "lib/compose.h"
#include <limits.h>

/* f of one array. */
static kn_array call(kn_fn f, kn_array x)
{
    kn_array y = NULL;
    const kn_args in = {1, {{&x, sizeof x}}};
    const kn_outs out = {1, {{&y, sizeof y}}};
    kn_call(f, &out, &in);
    return y;
}

static kn_array move_axis(kn_array x, int from, int to)
{
    const kn_axes source = knl_one_axis(from), destination = knl_one_axis(to);
    return kn_moveaxis(x, &source, &destination);
}

kn_array kn_apply_along_axis(kn_fn func1d, int axis, kn_array arr)
{
    knl_body c;
    knl_begin(&c, "apply_along_axis");
    kni_type t = kna_type(&c.op, arr);
    int along = kna_failed(&c.op) ? 0 : kna_normalize_axis(&c.op, axis, t.ndim);
    for (int i = 0; i < t.ndim && !kna_failed(&c.op); i++)
        if (i != along && !t.dim[i])
            kna_fail(&c.op, KN_ERROR_VALUE, "Cannot apply_along_axis when any iteration dimensions are 0");
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    for (int i = 1; i < t.ndim; i++)
        func1d = kn_vmap(func1d, NULL);
    kn_array y = call(func1d, move_axis(kn_asarray(arr, NULL), along, t.ndim - 1));
    kni_type r = kna_type(&c.op, y);
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    kn_transpose_opts order = kn_transpose_opts_default();
    int n = 0, n_new = r.ndim - (t.ndim - 1); /* the axes of the result go where the axis was */
    for (int i = 0; i < along; i++)
        order.axes.axis[n++] = i;
    for (int i = 0; i < n_new; i++)
        order.axes.axis[n++] = t.ndim - 1 + i;
    for (int i = along; i < t.ndim - 1; i++)
        order.axes.axis[n++] = i;
    order.axes.n = n + 1;
    return knl_end(&c, kn_transpose(y, &order));
}

kn_array kn_apply_over_axes(kn_axis_func func, kn_array a, const kn_axes *axes)
{
    knl_body c;
    knl_begin(&c, "apply_over_axes");
    kni_type t = kna_type(&c.op, a);
    kn_array y = kna_failed(&c.op) ? NULL : kn_asarray(a, NULL);
    axes = kna_axes_of(&c.op, axes);
    kna_given_pointer(&c.op, (const void *)(uintptr_t)func, "func");
    for (int i = 0; i < knl_axis_count(&c.op, *axes) && !kna_failed(&c.op); i++) {
        int axis = axes->axis[i] < 0 ? t.ndim + axes->axis[i] : axes->axis[i];
        const kn_axes kept = knl_one_axis(axis);
        kn_array z = func(y, axis);
        kni_type r = kna_type(&c.op, z);
        if (!kna_failed(&c.op) && r.ndim != t.ndim) {
            z = kn_expand_dims(z, &kept);
            r = kna_type(&c.op, z);
        }
        if (!kna_failed(&c.op) && r.ndim != t.ndim)
            kna_fail(&c.op, KN_ERROR_VALUE, "function is not returning an array of the correct shape");
        y = z;
    }
    return knl_end(&c, kna_failed(&c.op) ? NULL : kn_asarray(y, NULL));
}

kn_array kn_piecewise(kn_array x, kn_list condlist, int n, const kn_piece *funclist)
{
    knl_body c;
    knl_begin(&c, "piecewise");
    kni_type t = kna_type(&c.op, x);
    int conditions = kn_list_count(condlist);
    kna_given_list(&c.op, n, funclist, INT_MAX, "funclist");
    if (conditions < 0)
        kna_fail(&c.op, KN_ERROR_TYPE, "null condlist");
    if (!kna_failed(&c.op) && n != conditions && n != conditions + 1)
        kna_fail(&c.op, KN_ERROR_VALUE, "with %d condition(s), either %d or %d functions are expected", conditions,
                 conditions, conditions + 1);
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    kn_dtype d = t.weak ? kna_strong_dtype(t) : t.dtype;
    kn_array v = kn_asarray(x, NULL), y = kn_zeros_like(v, NULL), rest = NULL;
    kn_shape shape = kn_shape_of(v);
    for (int i = 0; i < n && !kna_failed(&c.op); i++) {
        kn_array condition = i < conditions ? kn_list_get(condlist, i)
                             : rest         ? kn_logical_not(rest)
                                            : kn_like_bool(true);
        if (i < conditions)
            rest = rest ? kn_logical_or(rest, condition) : kn_logical_not(kn_logical_not(condition));
        kn_array piece = funclist[i].function ? call(funclist[i].function, v) : funclist[i].value;
        if (!kna_failed(&c.op))
            y = kn_where(kn_broadcast_to(condition, &shape), kn_astype(piece, d, NULL), y);
    }
    return knl_end(&c, y);
}
