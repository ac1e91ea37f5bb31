/* SPDX-License-Identifier: Apache-2.0
 * spectra.c -- scipy.signal: stft, csd, welch, periodogram: a signal in segments that overlap, each times a window and
 * transformed. */
#include "kiln/fft.h"
#include "signal/spectra.h"
#include <math.h>
#include <string.h>

typedef struct spectra {
    knl_body c;
    kn_array x, y; /* signals, the last axis that of time; y NULL: x */
    const char *window;
    kn_array win;
    int64_t nperseg, noverlap, nfft, n; /* n: points of time, with what stands before and behind */
    double fs;
    bool onesided;
    int axis, ndim;
} spectra;

/* --- arguments -------------------------------------------------------------------------------- */

void knsignal_fail(knl_body *c, const char *text)
{
    if (!kna_failed(&c->op))
        kna_fail(&c->op, KN_ERROR_VALUE, "%s", text);
}

kn_array knsignal_last(knl_body *c, kn_array x, int axis)
{
    kni_type t = kna_type(&c->op, x);
    if (kna_failed(&c->op) || knl_not_a_number(&c->op, "fft", t.dtype))
        return x;
    int from = kna_normalize_axis(&c->op, axis, t.ndim);
    kn_dtype d = knl_inexact_for(kna_strong_dtype(t));
    if (kna_failed(&c->op))
        return x;
    x = kn_astype(x, d->size == 2 ? KN_DT(F32) : d, NULL);
    kn_axes source = {{2}, {from}}, last = {{2}, {-1}};
    return from == t.ndim - 1 ? x : kn_moveaxis(x, &source, &last);
}

kn_array knsignal_window(knl_body *c, const char *name, kn_array win, int64_t n, kn_dtype d)
{
    kn_dtype real = d == KN_DT(F32) || d == KN_DT(C64) ? KN_DT(F32) : KN_DT(F64);
    if (!win)
        return kn_astype(kn_signal_get_window(name ? name : "hann", n, NULL), real, NULL);
    kni_type t = kna_type(&c->op, win);
    if (!kna_failed(&c->op) && t.ndim != 1)
        knsignal_fail(c, "window must be 1-D");
    else if (!kna_failed(&c->op) && !knx_dim_eq(t.dim[0], n))
        knsignal_fail(c, "value specified for nperseg is different from length of window");
    return kna_failed(&c->op) || knx_is_complex(t.dtype) ? win : kn_astype(win, real, NULL);
}

/* Lengths as given or by their defaults; whole: a segment is as long as the signal unless given. */
static void read_lengths(spectra *s, const kn_signal_stft_opts *o, bool whole)
{
    kna_op *op = &s->c.op;
    int64_t n = kna_failed(op) ? 1 : kna_type(op, s->x).dim[s->ndim - 1], given = o->nperseg;
    if (given == -1 && o->win && !kna_failed(op))
        given = kna_type(op, o->win).ndim == 1 ? kna_type(op, o->win).dim[0] : 1;
    if (given != -1 && given < 1)
        knsignal_fail(&s->c, "nperseg must be a positive integer");
    if (given == -1)
        given = whole ? n : 256;
    if (!kna_failed(op))
        s->nperseg = !knx_is_symbolic(given) && knx_dim_lt(n, given) ? n : given;
    if (!kna_failed(op) && kna_need_number(op, s->nperseg, "as the length of a segment") && s->nperseg > INT32_MAX)
        knsignal_fail(&s->c, "nperseg is too large");
    s->noverlap = o->noverlap == -1 ? (whole ? 0 : s->nperseg / 2) : o->noverlap;
    s->nfft = o->nfft == -1 ? s->nperseg : o->nfft;
    if (s->noverlap >= s->nperseg)
        knsignal_fail(&s->c, "noverlap must be less than nperseg.");
    else if (s->noverlap < 0)
        knsignal_fail(&s->c, "noverlap must not be negative");
    else if (s->nfft < s->nperseg)
        knsignal_fail(&s->c, "nfft must be greater than or equal to nperseg.");
    s->n = n;
}

/* --- a signal in segments --------------------------------------------------------------------- */

static kn_array in_front_and_behind(kn_array x, int ndim, kn_array front, kn_array behind)
{
    kn_array all[] = {front, x, behind};
    const kn_concatenate_opts *o = KNL_WITH(kn_concatenate_opts, .axis = knl_one_axis(ndim - 1));
    return kn_concatenate(kn_list_from(all, 3), o);
}

static kn_array zeros_behind(spectra *s, kn_array x, int64_t low, int64_t high)
{
    kna_op op;
    kna_begin(&op, "stft");
    kni_atom a = kna_in(&op, x);
    int64_t lo[KN_MAX_NDIM] = {0}, hi[KN_MAX_NDIM] = {0};
    lo[s->ndim - 1] = low;
    hi[s->ndim - 1] = high;
    return kna_end(&op, kna_failed(&op) ? a : knb_pad(op.b, a, knb_like(op.b, a, 0), lo, hi, NULL));
}

/* Half of a segment more at both ends: zeros, the end again, or the signal reflected, upside down if it is odd. */
static kn_array extended(spectra *s, kn_array x, const char *boundary)
{
    int64_t half = s->nperseg / 2, n = s->n;
    int last = s->ndim - 1;
    if (half == 0)
        return x;
    if (!strcmp(boundary, "zeros"))
        return zeros_behind(s, x, half, half);
    kn_array first = knl_part("stft", x, last, 0, 1), end = knl_part("stft", x, last, n - 1, n);
    if (!strcmp(boundary, "constant")) {
        kn_shape shape = {.ndim = s->ndim};
        for (int i = 0; i < last; i++)
            shape.dim[i] = kna_type(&s->c.op, x).dim[i];
        shape.dim[last] = half;
        first = kn_broadcast_to(first, &shape);
        return in_front_and_behind(x, s->ndim, first, kn_broadcast_to(end, &shape));
    }
    if (knx_dim_lt(n, half + 1)) {
        knsignal_fail(&s->c, "the signal is too short to be extended at its ends");
        return x;
    }
    const kn_squeeze_opts *o = KNL_WITH(kn_squeeze_opts, .axis = knl_one_axis(last));
    kn_array left = kn_flip(knl_part("stft", x, last, 1, half + 1), o);
    kn_array right = kn_flip(knl_part("stft", x, last, n - half - 1, n - 1), o);
    if (!strcmp(boundary, "odd")) {
        left = kn_subtract(kn_multiply(kn_like_int(2), first), left);
        right = kn_subtract(kn_multiply(kn_like_int(2), end), right);
    }
    return in_front_and_behind(x, s->ndim, left, right);
}

/* x[..., t] as [..., segment, nperseg] */
static kn_array segments(spectra *s, kn_array x, int64_t count)
{
    kna_op op;
    kna_begin(&op, "stft");
    kni_builder *b = op.b;
    kni_atom a = kna_in(&op, x);
    int64_t dim[2] = {count, s->nperseg};
    kni_atom start =
        knb_mul(b, knb_iota(b, KN_DT(I64), 2, dim, 0), knb_integer(b, KN_DT(I64), s->nperseg - s->noverlap));
    kni_atom at = knb_add(b, start, knb_iota(b, KN_DT(I64), 2, dim, 1));
    return kna_end(&op, kna_failed(&op) ? a : knl_take_axis(&op, a, at, s->ndim - 1, KN_GATHER_PROMISE));
}

/* The transforms of the segments, [..., segment, frequency]. */
static kn_array transforms(spectra *s, kn_array x, int64_t count, kn_array win, const char *detrend)
{
    x = knsignal_detrended(&s->c, segments(s, x, count), detrend);
    const kn_fft_fft_opts *o = KNL_WITH(kn_fft_fft_opts, .n = s->nfft, .axis = -1);
    x = kn_multiply(win, x);
    return s->onesided ? kn_fft_rfft(x, o) : kn_fft_fft(x, o);
}

/* y times 2 where a frequency stands for the negative one, too. */
static kn_array doubled(spectra *s, kn_array y)
{
    kna_op op;
    kna_begin(&op, "csd");
    kni_builder *b = op.b;
    kni_atom a = kna_in(&op, y);
    if (kna_failed(&op))
        return kna_end(&op, a);
    kni_type t = knb_type(b, a);
    int64_t n = t.dim[t.ndim - 1];
    kni_atom k = knb_iota(b, KN_DT(I64), 1, &n, 0), zero = knb_integer(b, KN_DT(I64), 0);
    kni_atom one = knb_eq(b, k, zero);
    if (s->nfft % 2 == 0)
        one = knb_or(b, one, knb_eq(b, k, knb_integer(b, KN_DT(I64), s->nfft / 2)));
    one = knb_broadcast_in_dim(b, one, t.ndim, t.dim, (const int64_t[]){t.ndim - 1});
    return kna_end(&op, knb_select(b, one, a, knb_mul(b, a, knb_like(b, a, 2))));
}

/* SciPy's _spectral_helper: result[0] frequencies, [1] times, [2] values, whose frequencies lie along the axis of
 * time and the segments behind. */
static void analyse(spectra *s, const kn_signal_stft_opts *o, bool density, bool amplitude, kn_array result[3])
{
    kna_op *op = &s->c.op;
    const char *boundary = o->boundary && strcmp(o->boundary, "none") != 0 ? o->boundary : NULL;
    kn_array x = s->x, y = s->y, both[] = {x, y};
    kn_array win = knsignal_window(&s->c, o->window, o->win, s->nperseg, kna_result_type(op, 2, both));
    static const char *const names[] = {"zeros", "even", "odd", "constant"};
    int which = 0;
    while (boundary && which < 4 && strcmp(boundary, names[which]) != 0)
        which++;
    if (which == 4)
        knsignal_fail(&s->c, "Unknown boundary option, must be one of: even, odd, constant, zeros, none");
    if (kna_failed(op))
        return;
    int64_t step = s->nperseg - s->noverlap, half = s->nperseg / 2, n = s->n;
    if (boundary) {
        x = extended(s, x, boundary);
        y = y ? extended(s, y, boundary) : NULL;
        n = knx_dim_add(n, 2 * half);
    }
    int64_t count = knx_dim_floordiv(knx_dim_sub(n, s->noverlap), step);
    if (o->padded) {
        count = knx_dim_floordiv(knx_dim_sub(n, s->noverlap) + step - 1, step);
        int64_t more = knx_dim_sub(knx_dim_add(knx_dim_mul(count, step), s->noverlap), n);
        x = zeros_behind(s, x, 0, more);
        y = y ? zeros_behind(s, y, 0, more) : NULL;
    }
    kn_array f = transforms(s, x, count, win, o->detrend), power = kn_multiply(win, win);
    kn_array scale = density ? kn_multiply(kn_like_double(s->fs), kn_sum(power, NULL)) : kn_square(kn_sum(win, NULL));
    scale = kn_divide(kn_like_int(1), scale);
    if (amplitude) {
        f = kn_multiply(f, kn_sqrt(scale));
    } else {
        kn_array g = y ? transforms(s, y, count, win, o->detrend) : f;
        f = y ? kn_multiply(kn_conj(f), g) : kn_add(kn_square(kn_real(f)), kn_square(kn_imag(f)));
        f = kn_multiply(f, scale);
        f = s->onesided ? doubled(s, f) : f;
    }
    const kn_fft_fftfreq_opts *d = KNL_WITH(kn_fft_fftfreq_opts, .d = 1 / s->fs);
    result[0] = s->onesided ? kn_fft_rfftfreq(s->nfft, d) : kn_fft_fftfreq(s->nfft, d);
    result[1] = knsignal_ramp(&s->c, count, (double)step / s->fs, boundary ? 0 : (double)s->nperseg / 2 / s->fs);
    kn_axes last = {{2}, {-1}}, to = {{2}, {s->axis}};
    result[2] = kn_moveaxis(f, &last, &to);
}

kn_array knsignal_ramp(knl_body *c, int64_t n, double step, double start)
{
    kni_builder *b = c->op.b;
    kn_dtype d = KN_DT(F64);
    kni_atom k = knb_astype(b, knb_iota(b, KN_DT(I64), 1, &n, 0), d);
    kni_atom y = knb_add(b, knb_mul(b, k, knb_number(b, d, step)), knb_number(b, d, start));
    return knl_made(c, kna_failed(&c->op) ? KN_ATOM_NONE : knb_astype(b, y, kna_default_float()));
}

/* --- functions -------------------------------------------------------------------------------- */

/* y: NULL for no second signal. */
static bool begin(spectra *s, const char *name, kn_array x, const kn_array *y, const kn_signal_stft_opts *o, bool whole)
{
    knl_begin(&s->c, name);
    kna_op *op = &s->c.op;
    s->fs = o->fs;
    s->x = knsignal_last(&s->c, x, o->axis);
    s->y = y && !kna_failed(op) ? knsignal_last(&s->c, *y, o->axis) : NULL;
    if (s->y && !kna_failed(op)) { /* of one shape */
        kn_shape shape;
        kn_array both[] = {s->x, s->y};
        kna_common_shape(op, 2, both, &shape);
        s->x = kna_failed(op) ? s->x : kn_broadcast_to(s->x, &shape);
        s->y = kna_failed(op) ? s->y : kn_broadcast_to(s->y, &shape);
    }
    kni_type t = kna_type(op, s->x), u = s->y ? kna_type(op, s->y) : t;
    if (kna_failed(op))
        return false;
    s->ndim = t.ndim;
    s->axis = kna_normalize_axis(op, o->axis, t.ndim);
    s->onesided = o->onesided && !knx_is_complex(t.dtype) && !knx_is_complex(u.dtype);
    if (kni_type_size(t) == 0)
        knsignal_fail(&s->c, "the signal has no elements");
    if (!(o->fs > 0))
        knsignal_fail(&s->c, "fs must be positive");
    if (!kna_failed(op))
        read_lengths(s, o, whole);
    return !kna_failed(op);
}

static bool is_density(spectra *s, const char *scaling, bool otherwise)
{
    if (!scaling)
        return otherwise;
    if (strcmp(scaling, "density") != 0 && strcmp(scaling, "psd") != 0 && strcmp(scaling, "spectrum") != 0)
        knsignal_fail(&s->c, "Parameter scaling must be one of 'density', 'psd' or 'spectrum'");
    return strcmp(scaling, "spectrum") != 0;
}

kn_signal_spectra kn_signal_stft(kn_array x, const kn_signal_stft_opts *opts)
{
    KNX_OPTS(kn_signal_stft_opts, o, opts);
    spectra s = {.axis = 0};
    kn_array out[3] = {NULL};
    o.boundary = o.boundary ? o.boundary : "zeros";
    if (begin(&s, "stft", x, NULL, &o, false)) {
        bool density = is_density(&s, o.scaling, false);
        if (!kna_failed(&s.c.op))
            analyse(&s, &o, density, true, out);
    }
    knl_end_n(&s.c, 3, out);
    return (kn_signal_spectra){out[0], out[1], out[2]};
}

/* The options of csd as those of stft. */
static kn_signal_stft_opts of_segments(const kn_signal_csd_opts *o)
{
    return (kn_signal_stft_opts){.size_ = sizeof(kn_signal_stft_opts),
                                 .fs = o->fs,
                                 .window = o->window,
                                 .win = o->win,
                                 .nperseg = o->nperseg,
                                 .noverlap = o->noverlap,
                                 .nfft = o->nfft,
                                 .detrend = o->detrend,
                                 .onesided = o->onesided,
                                 .scaling = o->scaling,
                                 .axis = o->axis};
}

static kn_array median(const spectra *s, kn_array x)
{
    return kn_median(x, KNL_WITH(kn_argmax_opts, .axis = knl_one_axis(s->ndim)));
}

/* Of the segments' spectra the mean; or the median, part by part, over what it is of the mean of so many numbers
 * that are distributed as squares of noise are. */
static kn_array joined(spectra *s, kn_array x, const char *average)
{
    kna_op *op = &s->c.op;
    if (!average || !strcmp(average, "mean"))
        return kn_mean(x, KNL_WITH(kn_mean_opts, .axis = knl_one_axis(s->ndim)));
    if (strcmp(average, "median") != 0) {
        knsignal_fail(&s->c, "average must be \"median\" or \"mean\"");
        return x;
    }
    kni_type t = kna_type(op, x);
    double bias = 1;
    if (kna_failed(op) || !kna_need_number(op, t.dim[s->ndim], "as the number of segments"))
        return x;
    for (int64_t i = 2; i < t.dim[s->ndim]; i += 2)
        bias += 1 / (double)(i + 1) - 1 / (double)i;
    bool complex = knx_is_complex(t.dtype);
    kn_array y = median(s, complex ? kn_real(x) : x), z = complex ? median(s, kn_imag(x)) : NULL;
    if (complex) {
        kni_atom re = kna_in(op, y), im = kna_in(op, z);
        y = knl_made(&s->c, kna_failed(op) ? KN_ATOM_NONE : knb_complex(op->b, re, im));
    }
    return kn_divide(y, kn_like_double(bias));
}

/* The joined spectra of the segments. */
static kn_signal_spectrum spectrum(const char *name, kn_array x, const kn_array *y, const kn_signal_csd_opts *opts,
                                   bool whole)
{
    KNX_OPTS(kn_signal_csd_opts, given, opts);
    kn_signal_stft_opts o = of_segments(&given);
    spectra s = {.axis = 0};
    kn_array out[3] = {NULL};
    o.window = !o.window && whole ? "boxcar" : o.window;
    o.detrend = o.detrend ? o.detrend : "constant";
    if (begin(&s, name, x, y, &o, whole)) {
        bool density = is_density(&s, o.scaling, true);
        if (!kna_failed(&s.c.op))
            analyse(&s, &o, density, false, out);
        if (!kna_failed(&s.c.op))
            out[1] = joined(&s, out[2], given.average);
    }
    knl_end_n(&s.c, 2, out);
    return (kn_signal_spectrum){out[0], out[1]};
}

kn_signal_spectrum kn_signal_csd(kn_array x, kn_array y, const kn_signal_csd_opts *opts)
{
    return spectrum("csd", x, &y, opts, false);
}

kn_signal_spectrum kn_signal_welch(kn_array x, const kn_signal_csd_opts *opts)
{
    return spectrum("welch", x, NULL, opts, false);
}

kn_signal_spectrum kn_signal_periodogram(kn_array x, const kn_signal_csd_opts *opts)
{
    return spectrum("periodogram", x, NULL, opts, true);
}
