/* SPDX-License-Identifier: Apache-2.0
 * nan_reductions.c -- reductions that leave NaN out: those of reductions.c with a mask. */
#include "lib/compose.h"
#include <math.h>

static bool has_nan(knl_body *c, kn_array x)
{
    kni_type t = kna_type(&c->op, x);
    return !kna_failed(&c->op) && knx_is_inexact(t.dtype);
}

/* The functions that are made of sums of x let a scalar with NaN have an axis 0. */
static void allow_axis(knl_body *c, kn_array x, kn_axes *axis)
{
    if (has_nan(c, x) && !kna_type(&c->op, x).ndim && axis->n == 2 && (axis->axis[0] == 0 || axis->axis[0] == -1))
        axis->n = 0;
}

/* Where elements count: they are numbers, and the caller's mask holds. NULL: everywhere. */
static kn_array counting(knl_body *c, kn_array x, kn_array where, kn_axes axis)
{
    int64_t axes[KN_MAX_NDIM];
    if (!has_nan(c, x))
        return where;
    allow_axis(c, x, &axis);
    if (where && !kna_failed(&c->op)) /* axes are looked at first */
        kna_axes(&c->op, axis, kna_type(&c->op, x).ndim, KNA_AXES_ALL, axes);
    if (where && !kna_failed(&c->op))
        knl_check_where(&c->op, kna_type(&c->op, x), where, true);
    if (kna_failed(&c->op))
        return NULL;
    kn_array numbers = kn_logical_not(kn_isnan(x));
    return where ? kn_logical_and(numbers, where) : numbers;
}

static kn_array sum_or_product(const char *name, kn_array x, const kn_sum_opts *opts,
                               kn_array (*f)(kn_array, const kn_sum_opts *))
{
    KNX_OPTS(kn_sum_opts, o, opts);
    knl_body c;
    knl_begin(&c, name);
    o.where = counting(&c, x, o.where, o.axis);
    return knl_end(&c, f(x, &o));
}

kn_array kn_nansum(kn_array x, const kn_sum_opts *opts) { return sum_or_product("nansum", x, opts, kn_sum); }
kn_array kn_nanprod(kn_array x, const kn_sum_opts *opts) { return sum_or_product("nanprod", x, opts, kn_prod); }
kn_array kn_nanmax(kn_array x, const kn_max_opts *opts) { return knl_extreme("nanmax", "fmax", x, opts, true); }
kn_array kn_nanmin(kn_array x, const kn_max_opts *opts) { return knl_extreme("nanmin", "fmin", x, opts, false); }

static void check_inexact(knl_body *c, kn_array x, kn_dtype given)
{
    if (given && has_nan(c, x) && !knx_is_inexact(given))
        kna_fail(&c->op, KN_ERROR_TYPE, "If a is inexact, then dtype must be inexact");
}

kn_array kn_nanmean(kn_array x, const kn_mean_opts *opts)
{
    KNX_OPTS(kn_mean_opts, o, opts);
    knl_body c;
    knl_begin(&c, "nanmean");
    check_inexact(&c, x, o.dtype);
    allow_axis(&c, x, &o.axis);
    o.where = counting(&c, x, o.where, o.axis);
    return knl_end(&c, kna_failed(&c.op) ? NULL : kn_mean(x, &o));
}

/* NaN where there are no more numbers than ddof. */
static kn_array nan_variance(const char *name, kn_array x, const kn_var_opts *opts, bool root)
{
    KNX_OPTS(kn_var_opts, o, opts);
    knl_body c;
    knl_begin(&c, name);
    check_inexact(&c, x, o.dtype);
    allow_axis(&c, x, &o.axis);
    bool checked = has_nan(&c, x);
    o.where = counting(&c, x, o.where, o.axis);
    kn_array y = kna_failed(&c.op) ? NULL : knl_variance(name, x, &o, root, checked);
    if (checked && !kna_failed(&c.op)) {
        kni_type t = kna_type(&c.op, x);
        kn_shape shape = {.ndim = t.ndim};
        for (int i = 0; i < t.ndim; i++)
            shape.dim[i] = t.dim[i];
        kn_array both[] = {x, o.where};
        kna_common_shape(&c.op, 2, both, &shape);
        kn_array mask = kn_broadcast_to(o.where, &shape);
        kn_array n = kn_sum(mask, KNL_WITH(kn_sum_opts, .axis = o.axis, .keepdims = o.keepdims));
        kn_array few = kn_less_equal(n, kn_like_double(o.ddof + o.correction));
        y = kn_where(few, kn_like_double((double)NAN), y);
    }
    return knl_end(&c, y);
}

kn_array kn_nanvar(kn_array x, const kn_var_opts *opts) { return nan_variance("nanvar", x, opts, false); }
kn_array kn_nanstd(kn_array x, const kn_var_opts *opts) { return nan_variance("nanstd", x, opts, true); }

/* ---- Positions. */

static kn_array nan_position(const char *name, kn_array x, const kn_argmax_opts *opts, bool largest,
                             kn_array (*f)(kn_array, const kn_argmax_opts *))
{
    KNX_OPTS(kn_argmax_opts, o, opts);
    knl_body c;
    knl_begin(&c, name);
    kni_type t = kna_type(&c.op, x);
    if (!has_nan(&c, x))
        return knl_end(&c, f(x, &o));
    double worst = largest ? -INFINITY : INFINITY;
    kn_array is_nan = kn_isnan(x), put = kn_like_double(worst);
    if (knx_is_complex(t.dtype))
        put = kn_like_complex(worst, worst);
    kn_any_opts all = kn_any_opts_default();
    all.axis = o.axis;
    all.keepdims = o.keepdims;
    kn_array none = kn_all(is_nan, &all), y = kn_ok(none) ? f(kn_where(is_nan, put, x), &o) : NULL;
    if (!knx_dim_eq(kni_type_size(t), 0) && knl_may_look(none) && kn_ok(none) && kn_item_bool(kn_any(none, NULL)))
        kna_fail(&c.op, KN_ERROR_VALUE, "All-NaN slice encountered");
    return knl_end(&c, kn_where(none, kn_like_int(-1), y));
}

kn_array kn_nanargmax(kn_array x, const kn_argmax_opts *opts)
{
    return nan_position("nanargmax", x, opts, true, kn_argmax);
}

kn_array kn_nanargmin(kn_array x, const kn_argmax_opts *opts)
{
    return nan_position("nanargmin", x, opts, false, kn_argmin);
}
