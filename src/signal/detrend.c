/* SPDX-License-Identifier: Apache-2.0
 * detrend.c -- scipy.signal.detrend: a signal without its mean, or without the line that is nearest to it. */
#include "signal/spectra.h"
#include <string.h>

kn_array knsignal_detrended(knl_body *c, kn_array x, const char *type)
{
    if (!type || !strcmp(type, "none"))
        return x;
    bool line = !strcmp(type, "linear");
    kna_op op;
    kna_begin(&op, "detrend");
    kni_builder *b = op.b;
    kni_atom a = kna_in(&op, x);
    kni_type t = kna_failed(&op) ? (kni_type){0} : knb_type(b, a);
    if (!line && strcmp(type, "constant") != 0 && !kna_failed(&op))
        kna_fail(&op, KN_ERROR_VALUE, "Trend type must be 'linear' or 'constant'.");
    if (kna_failed(&op) || kna_failed(&c->op))
        return kna_end(&op, KN_ATOM_NONE);
    int64_t last = t.ndim - 1, n = t.dim[last], others[KN_MAX_NDIM];
    for (int i = 0; i < last; i++)
        others[i] = i;
    kn_dtype d = t.dtype, f = d == KN_DT(C64) ? KN_DT(F32) : d == KN_DT(C128) ? KN_DT(F64) : d;
    kni_atom count = knb_convert(b, knb_dimension(b, KN_DT(F64), n), d);
    kni_atom mean = knb_div(b, knb_reduce_sum(b, a, 1, &last), count);
    kni_atom y = knb_sub(b, a, knb_broadcast_in_dim(b, mean, t.ndim, t.dim, others));
    if (line) { /* k - (n - 1) / 2, the squares of which sum up to n (n^2 - 1) / 12 */
        kn_dtype w = KN_DT(F64);
        kni_atom points = knb_dimension(b, w, n), one = knb_number(b, w, 1);
        kni_atom k = knb_astype(b, knb_iota(b, KN_DT(I64), 1, &n, 0), w);
        k = knb_sub(b, k, knb_mul(b, knb_sub(b, points, one), knb_number(b, w, 0.5)));
        k = knb_convert(b, knb_convert(b, k, f), d);
        k = knb_broadcast_in_dim(b, k, t.ndim, t.dim, &last);
        kni_atom squares = knb_mul(b, points, knb_sub(b, knb_mul(b, points, points), one));
        squares = knb_max(b, knb_mul(b, squares, knb_number(b, w, 1.0 / 12)), knb_number(b, w, 0.5));
        kni_atom slope = knb_div(b, knb_reduce_sum(b, knb_mul(b, k, y), 1, &last), knb_convert(b, squares, d));
        y = knb_sub(b, y, knb_mul(b, k, knb_broadcast_in_dim(b, slope, t.ndim, t.dim, others)));
    }
    return kna_end(&op, y);
}

kn_array kn_signal_detrend(kn_array data, const kn_signal_detrend_opts *opts)
{
    KNX_OPTS(kn_signal_detrend_opts, o, opts);
    knl_body c;
    knl_begin(&c, "detrend");
    const char *type = o.type ? o.type : "linear";
    kn_array x = knsignal_last(&c, data, o.axis), parts[KN_MAX_NDIM + 1];
    kni_type t = kna_type(&c.op, x);
    int axis = kna_failed(&c.op) ? 0 : kna_normalize_axis(&c.op, o.axis, t.ndim), n = 0;
    if (!strcmp(type, "none"))
        knsignal_fail(&c, "Trend type must be 'linear' or 'constant'.");
    else if (o.bp.ndim < 0 || o.bp.ndim > KN_MAX_NDIM)
        knsignal_fail(&c, "too many breakpoints");
    int64_t from = 0, length = kna_failed(&c.op) ? 0 : t.dim[t.ndim - 1];
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    for (int i = 0; i <= o.bp.ndim && !kna_failed(&c.op); i++) {
        int64_t to = i < o.bp.ndim ? o.bp.dim[i] : length;
        if (strcmp(type, "linear") != 0)
            to = length;
        if (knx_dim_lt(length, to) || knx_dim_lt(to, from)) {
            knsignal_fail(&c, "Breakpoints must be less than length of data along given axis.");
            break;
        }
        if (!knx_dim_same(from, to))
            parts[n++] = knsignal_detrended(&c, knl_part("detrend", x, t.ndim - 1, from, to), type);
        from = to;
    }
    if (!n)
        return knl_end(&c, x);
    kn_array y = parts[0];
    if (n > 1)
        y = kn_concatenate(kn_list_from(parts, n), KNL_WITH(kn_concatenate_opts, .axis = knl_one_axis(t.ndim - 1)));
    kn_axes last = {{2}, {-1}}, to = {{2}, {axis}};
    return knl_end(&c, axis == t.ndim - 1 ? y : kn_moveaxis(y, &last, &to));
}
