/* SPDX-License-Identifier: Apache-2.0
 * fft.c -- discrete Fourier transforms over one axis or several, as jax.lax.fft; beside JAX's the axes may be any.
 *
 *     type       FFT, IFFT: complex, the operand's; RFFT: of the last axis n / 2 + 1 complex numbers; IRFFT: of so
 * many,
 *                whose imaginary parts at both ends count for nothing, n real ones
 *     jvp        linear
 *     transpose  FFT, IFFT: the same. RFFT: the numbers between the ends, which stand for two each, are halved, and
 *                IRFFT of the conjugates is taken, not divided by the number of elements. IRFFT: the reverse
 *     batch      one more axis that is not transformed
 *     lower      a routine (docs/fft.md) */
#include "host/routine/fft.h"
#include "prim/rules.h"

typedef kni_p_fft params_t;
_Static_assert((int)KN_FFT == (int)KNR_FFT && (int)KN_IRFFT == (int)KNR_IRFFT, "the same types");

/* --- types ------------------------------------------------------------------------------------ */

static kni_ints axes_of(const params_t *p, int ndim, int64_t room[KN_MAX_NDIM])
{
    int n = p->fft_lengths.n;
    for (int i = 0; i < n; i++)
        room[i] = p->axes.n ? p->axes.v[i] : ndim - n + i;
    return (kni_ints){n, room};
}

static const char *name_of(const params_t *p) { return (const char *[]){"FFT", "IFFT", "RFFT", "IRFFT"}[p->fft_type]; }

/* Texts have room for long shapes: apart from what runs in each call. */
static KNX_COLD knx_error *too_many_lengths(const params_t *p, kni_type x)
{
    knx_text s = {0}, t = {0};
    return knx_error_new(KN_ERROR_VALUE,
                         "FFT input shape %s must have at least as many input dimensions as fft_lengths %s.",
                         knx_show_shape(&s, x.ndim, x.dim), knx_show_shape(&t, p->fft_lengths.n, p->fft_lengths.v));
}

static KNX_COLD knx_error *does_not_fit(const params_t *p, kni_type x)
{
    knx_text s = {0}, t = {0};
    return knx_error_new(KN_ERROR_VALUE, "%s input shape %s does not fit fft_lengths %s", name_of(p),
                         knx_show_shape(&s, x.ndim, x.dim), knx_show_shape(&t, p->fft_lengths.n, p->fft_lengths.v));
}

static KNX_COLD knx_error *bad_length(int64_t n)
{
    knx_text s = {0};
    return knx_error_new(KN_ERROR_VALUE, "Invalid number of FFT data points (%s) specified.", knx_dim_show(&s, n));
}

static knx_error *check_params(const params_t *p, kni_type x)
{
    int n = p->fft_lengths.n;
    if (p->fft_type < KN_FFT || p->fft_type > KN_IRFFT)
        return knx_error_new(KN_ERROR_VALUE, "Unknown FFT type '%lld'", (long long)p->fft_type);
    if (n < 1)
        return knx_error_new(KN_ERROR_VALUE, "wants at least one length");
    if (n > x.ndim)
        return too_many_lengths(p, x);
    if (p->axes.n && p->axes.n != n)
        return knx_error_new(KN_ERROR_VALUE, "Shape and axes have different lengths.");
    for (int i = 0; i < n; i++)
        if (knx_dim_lt(p->fft_lengths.v[i], 1))
            return bad_length(p->fft_lengths.v[i]);
    return knp_check_axes(p->axes, x.ndim);
}

static knx_error *fft_type(kni_rule *r, kni_type *y)
{
    const params_t *p = r->params;
    kni_type x = r->xt[0];
    int64_t room[KN_MAX_NDIM], dim[KN_MAX_NDIM];
    KN_TRY(check_params(p, x));
    bool real = p->fft_type == KN_RFFT, single;
    if (real ? x.dtype != KN_DT(F32) && x.dtype != KN_DT(F64) : !knx_is_complex(x.dtype))
        return knx_error_new(KN_ERROR_VALUE, "%s input must be %s, got %s", name_of(p),
                             real ? "float32 or float64" : "complex64 or complex128", x.dtype->name);
    single = x.dtype == KN_DT(F32) || x.dtype == KN_DT(C64);
    kni_ints axes = axes_of(p, x.ndim, room);
    for (int i = 0; i < x.ndim; i++)
        dim[i] = x.dim[i];
    for (int i = 0; i < axes.n; i++) {
        int64_t n = p->fft_lengths.v[i], *extent = &dim[axes.v[i]];
        bool last = i == axes.n - 1, half = last && p->fft_type == KN_IRFFT;
        if (!knx_dim_eq(*extent, half ? knx_dim_floordiv(n, 2) + 1 : n))
            return does_not_fit(p, x);
        if (half)
            *extent = n;
        else if (last && real)
            *extent = knx_dim_floordiv(n, 2) + 1;
    }
    kn_dtype type = p->fft_type == KN_IRFFT ? (single ? KN_DT(F32) : KN_DT(F64)) : single ? KN_DT(C64) : KN_DT(C128);
    return knp_type_dims(r->arena, type, false, x.ndim, dim, y);
}

/* --- derivatives ------------------------------------------------------------------------------ */

/* x times a at both ends of the half spectrum of n real numbers and times b between them, along an axis. */
static kni_atom weighted(kni_builder *b, kni_atom x, int axis, int64_t n, kni_atom at_ends, kni_atom between)
{
    kni_type t = knb_type(b, x);
    if (b->error)
        return KN_ATOM_NONE;
    kni_atom k = knb_iota(b, KN_DT(I64), 1, &t.dim[axis], 0), zero = knb_integer(b, KN_DT(I64), 0);
    kni_atom first = knb_eq(b, k, zero), twice = knb_add(b, k, k);
    kni_atom last = knb_eq(b, twice, knb_dimension(b, KN_DT(I64), n));
    kni_atom w = knb_select(b, knb_or(b, first, last), at_ends, between);
    return knb_mul(b, x, knb_broadcast_in_dim(b, w, t.ndim, t.dim, (int64_t[]){axis}));
}

/* The number of elements, or its reciprocal, times c: of a complex dtype. */
static kni_atom count(kni_builder *b, kn_dtype d, int64_t n, double c, bool reciprocal)
{
    if (!knx_is_symbolic(n))
        return knb_number(b, d, reciprocal ? c / (double)n : c * (double)n);
    kni_atom all = knb_convert(b, knb_dimension(b, KN_DT(F64), n), d), factor = knb_number(b, d, c);
    return reciprocal ? knb_div(b, factor, all) : knb_mul(b, factor, all);
}

static knx_error *fft_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    params_t p = *(const params_t *)r->params;
    kni_builder *b = r->b;
    int64_t room[KN_MAX_NDIM], n = knp_product(p.fft_lengths);
    if (p.fft_type == KN_FFT || p.fft_type == KN_IFFT)
        return knp_transpose_same(r, ct, ct_in);
    kni_ints axes = axes_of(&p, r->xt[0].ndim, room);
    int axis = (int)axes.v[axes.n - 1];
    int64_t length = p.fft_lengths.v[axes.n - 1];
    bool real = p.fft_type == KN_RFFT;
    kn_dtype d = real ? r->yt[0].dtype : r->xt[0].dtype;
    kni_atom at_ends = count(b, d, n, 1, !real), between = count(b, d, n, real ? 0.5 : 2, !real);
    p.fft_type = real ? KN_IRFFT : KN_RFFT;
    if (real)
        ct_in[0] = knb_fft(b, weighted(b, knb_conj(b, ct[0]), axis, length, at_ends, between), &p);
    else
        ct_in[0] = knb_conj(b, weighted(b, knb_fft(b, ct[0], &p), axis, length, at_ends, between));
    return NULL;
}

static knx_error *fft_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    params_t p = *(const params_t *)r->params;
    int64_t room[KN_MAX_NDIM];
    int ndim = r->b->error ? 0 : knb_type(r->b, r->x[0]).ndim - 1;
    (void)size;
    kni_ints axes = axes_of(&p, ndim, room);
    knp_dims lifted = knp_axes_lift(axes, axis[0]);
    bool last = true;
    for (int i = 0; i < axes.n; i++)
        last = last && lifted.v[i] == ndim + 1 - axes.n + i;
    p.axes = last ? (kni_ints){0} : knp_ints(&lifted);
    y[0] = knb_fft(r->b, r->x[0], &p);
    axis_out[0] = axis[0];
    return NULL;
}

/* --- lowering --------------------------------------------------------------------------------- */

static knr_fft routine_of(const kni_rule *r, int64_t room[KN_MAX_NDIM])
{
    const params_t *p = r->params;
    kni_type x = r->xt[0];
    kni_ints axes = axes_of(p, x.ndim, room);
    return (knr_fft){.type = (knr_fft_type)p->fft_type,
                     .bytes = (int)x.dtype->size / (knx_is_complex(x.dtype) ? 2 : 1),
                     .ndim = x.ndim,
                     .n_axes = axes.n,
                     .dim = x.dim,
                     .axes = axes.v,
                     .lengths = p->fft_lengths.v};
}

static bool is_known(const kni_rule *r)
{
    const params_t *p = r->params;
    bool known = true;
    for (int i = 0; i < r->xt[0].ndim; i++)
        known = known && !knx_is_symbolic(r->xt[0].dim[i]);
    for (int i = 0; i < p->fft_lengths.n; i++)
        known = known && !knx_is_symbolic(p->fft_lengths.v[i]);
    return known;
}

static knx_bytes fft_workspace(const kni_rule *r)
{
    int64_t room[KN_MAX_NDIM];
    const knr_fft f = routine_of(r, room);
    return is_known(r) ? knr_fft_workspace(&f, r->threads) : 0;
}

static knx_error *fft_run(const kni_rule *r, const kni_routine_args *args)
{
    int64_t room[KN_MAX_NDIM];
    if (r->ready && knr_fft_line_run(r->ready, args->x[0], args->y[0], args->workspace))
        return NULL;
    const knr_fft f = routine_of(r, room);
    return knr_fft_run(&f, args->x[0], args->y[0], args->workspace, args->threads);
}

static void *fft_ready(const kni_rule *r)
{
    int64_t room[KN_MAX_NDIM];
    const knr_fft f = routine_of(r, room);
    return is_known(r) ? knr_fft_line_new(&f) : NULL;
}

static void fft_done(void *ready) { knr_fft_line_free(ready); }

static int fft_rows(const kni_rule *r)
{
    int64_t room[KN_MAX_NDIM];
    kni_ints axes = axes_of(r->params, r->xt[0].ndim, room);
    int first = r->xt[0].ndim;
    for (int i = 0; i < axes.n; i++)
        first = axes.v[i] < first ? (int)axes.v[i] : first;
    return first;
}

static void fft_spread(const kni_rule *r, kni_spread *s)
{
    int64_t room[KN_MAX_NDIM];
    knp_spread_but(r, s, axes_of(r->params, r->xt[0].ndim, room));
}

static double fft_cost(const kni_rule *r)
{
    const params_t *p = r->params;
    double all = kni_type_count(p->fft_type == KN_RFFT ? r->xt[0] : r->yt[0]), each = 4;
    for (int i = 0; i < p->fft_lengths.n; i++) {
        double n = (double)knx_dim_hint(p->fft_lengths.v[i]);
        while (n > 1) {
            each += p->fft_type >= KN_RFFT ? 2.5 : 5;
            n /= 2;
        }
    }
    return all * each;
}

const kni_prim knp_prim_fft = {
    .name = "fft",
    .n_in = 1,
    .n_out = 1,
    .bits = KN_THREADS,
    .linear_in = 1,
    .fields = kni_fields_fft,
    .params_size = sizeof(params_t),
    .factors = "... n -> ... k",
    .doc = "discrete Fourier transforms over one axis or several, complex or real (jax.lax.fft)",
    .type = fft_type,
    .jvp = knp_jvp_linear,
    .transpose = fft_transpose,
    .batch = fft_batch,
    .run = fft_run,
    .workspace = fft_workspace,
    .ready = fft_ready,
    .done = fft_done,
    .rows = fft_rows,
    .spread = fft_spread,
    .cost = fft_cost,
};
