/* SPDX-License-Identifier: Apache-2.0
 * frequencies.c -- np.fft: which frequencies the numbers of a transform stand for, and their order; lengths that have
 * small factors. */
#include "kiln/fft.h"
#include "lib/internal.h"
#include <string.h>

/* start, start + 1, ... of `count` numbers, then the negative ones up to -1, over n d. */
static kn_array frequencies(const char *name, int64_t n, double d, bool half)
{
    kna_op op;
    kna_begin(&op, name);
    kni_builder *b = op.b;
    knx_text s = {0};
    if (!knx_is_symbolic(n) && (double)n * d == 0)
        kna_fail(&op, KN_ERROR_ZERO_DIVISION, "float division by zero");
    else if (!half && knx_dim_lt(n, 0))
        kna_fail(&op, KN_ERROR_VALUE, "negative dimensions are not allowed, got %s", knx_dim_show(&s, n));
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    int64_t count = half ? knx_dim_floordiv(n, 2) + 1 : n;
    count = knx_is_symbolic(count) || count > 0 ? count : 0; /* as arange has it */
    kni_atom k = knb_iota(b, KN_DT(I64), 1, &count, 0);
    if (!half) {
        kni_atom all = knb_dimension(b, KN_DT(I64), n),
                 limit = knb_dimension(b, KN_DT(I64), knx_dim_sub(n, knx_dim_floordiv(n, 2)));
        k = knb_select(b, knb_ge(b, k, limit), knb_sub(b, k, all), k);
    }
    kni_atom unit;
    if (knx_is_symbolic(n)) {
        kni_atom all = knb_mul(b, knb_dimension(b, KN_DT(F64), n), knb_number(b, KN_DT(F64), d));
        unit = knb_div(b, knb_number(b, KN_DT(F64), 1), all);
    } else {
        unit = knl_number(&op, KN_DT(F64), knx_scalar_from_double(KN_DT(F64), 1 / ((double)n * d)));
    }
    kni_atom y = knb_mul(b, knb_astype(b, k, KN_DT(F64)), unit);
    return kna_end(&op, kna_failed(&op) ? KN_ATOM_NONE : knb_astype(b, y, kna_default_float()));
}

kn_array kn_fft_fftfreq(int64_t n, const kn_fft_fftfreq_opts *opts)
{
    KNX_OPTS(kn_fft_fftfreq_opts, o, opts);
    return frequencies("fftfreq", n, o.d, false);
}

kn_array kn_fft_rfftfreq(int64_t n, const kn_fft_fftfreq_opts *opts)
{
    KNX_OPTS(kn_fft_fftfreq_opts, o, opts);
    return frequencies("rfftfreq", n, o.d, true);
}

/* The elements from `at` on along an axis come first. */
static kni_atom rolled(kna_op *op, kni_atom x, int axis, bool back)
{
    kni_builder *b = op->b;
    kni_type t = knb_type(b, x);
    int64_t start[KN_MAX_NDIM] = {0}, limit[KN_MAX_NDIM], extent = t.dim[axis];
    int64_t half = knx_dim_floordiv(extent, 2), at = back ? half : knx_dim_sub(extent, half);
    for (int i = 0; i < t.ndim; i++)
        limit[i] = t.dim[i];
    start[axis] = at;
    kni_atom parts[2] = {knb_slice(b, x, start, limit, NULL)};
    start[axis] = 0;
    limit[axis] = at;
    parts[1] = knb_slice(b, x, start, limit, NULL);
    return knb_concatenate(b, 2, parts, axis);
}

static kn_array shifted(const char *name, kn_array x, kn_axes axes, bool back)
{
    kna_op op;
    kna_begin(&op, name);
    kni_atom a = kna_in(&op, x);
    int count = knl_axis_count(&op, axes), ndim = kna_failed(&op) ? 0 : knb_type(op.b, a).ndim;
    bool listed = axes.n > 0;
    for (int i = 0; i < (listed ? count : ndim) && !kna_failed(&op); i++) {
        int axis = kna_normalize_axis(&op, listed ? axes.axis[i] : i, ndim);
        if (!kna_failed(&op))
            a = rolled(&op, a, axis, back);
    }
    return kna_end(&op, a);
}

kn_array kn_fft_fftshift(kn_array x, const kn_fft_fftshift_opts *opts)
{
    KNX_OPTS(kn_fft_fftshift_opts, o, opts);
    return shifted("fftshift", x, o.axes, false);
}

kn_array kn_fft_ifftshift(kn_array x, const kn_fft_fftshift_opts *opts)
{
    KNX_OPTS(kn_fft_fftshift_opts, o, opts);
    return shifted("ifftshift", x, o.axes, true);
}

/* --- lengths ---------------------------------------------------------------------------------- */

/* The product of `made` and of powers of p[0], p[1], ... 2 (the last one) that is nearest to n: the least one above or
 * the greatest one below, or n itself. */
static int64_t nearest(int64_t n, int64_t made, const int *p, bool above, int64_t best)
{
    for (; above || made <= n; made *= *p) {
        if (*p == 2) {
            for (; made < n && (above || made <= n / 2); made *= 2)
                ;
            return above ? (made < best ? made : best) : made > best ? made : best;
        }
        best = nearest(n, made, p + 1, above, best);
        if (made >= n || best == n)
            break;
    }
    return best;
}

static int64_t fast_len(const char *name, int64_t target, const kn_fft_next_fast_len_opts *opts, bool above)
{
    KNX_OPTS(kn_fft_next_fast_len_opts, o, opts);
    static const int factors[] = {11, 7, 5, 3, 2};
    const int64_t most = INT64_MAX / 11;
    kna_op op;
    kna_begin(&op, name);
    int64_t best = -1;
    if (!kna_need_number(&op, target, "as the length of a transform"))
        ;
    else if (target < 0)
        kna_fail(&op, KN_ERROR_VALUE, "Target length must be positive");
    else if (target > most)
        kna_fail(&op, KN_ERROR_VALUE, "Target length is too large to perform an FFT: %lld", (long long)target);
    else
        best = target ? nearest(target, 1, o.real ? factors + 2 : factors, above, above ? INT64_MAX : 1) : 0;
    return kna_end_plain(&op) ? best : -1;
}

int64_t kn_fft_next_fast_len(int64_t target, const kn_fft_next_fast_len_opts *opts)
{
    return fast_len("next_fast_len", target, opts, true);
}

int64_t kn_fft_prev_fast_len(int64_t target, const kn_fft_next_fast_len_opts *opts)
{
    return fast_len("prev_fast_len", target, opts, false);
}
