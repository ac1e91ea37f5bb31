/* SPDX-License-Identifier: Apache-2.0
 * istft.c -- scipy.signal.istft: segments transformed back, times the window, added where they overlap, over the sum of
 * the windows' squares. */
#include "kiln/fft.h"
#include "signal/spectra.h"
#include <string.h>

/* The sums over all segments where they overlap: x[..., segment, k] at segment * step + k. */
static kni_atom overlapped(kni_builder *b, kni_atom x, int64_t step)
{
    kni_type t = knb_type(b, x);
    if (b->error)
        return KN_ATOM_NONE;
    int last = t.ndim - 1;
    int64_t length = t.dim[last], count = t.dim[last - 1], parts = (length + step - 1) / step;
    int64_t dim[KN_MAX_NDIM + 1], lo[KN_MAX_NDIM + 1] = {0}, hi[KN_MAX_NDIM + 1] = {0}, order[KN_MAX_NDIM + 1],
                                                   start[KN_MAX_NDIM + 1] = {0}, whole = knx_dim_add(count, parts),
                                                   axis = last - 1;
    for (int i = 0; i <= t.ndim; i++)
        order[i] = i;
    for (int i = 0; i < last - 1; i++)
        dim[i] = t.dim[i];
    hi[last] = parts * step - length;
    x = hi[last] ? knb_pad(b, x, knb_like(b, x, 0), lo, hi, NULL) : x;
    dim[last - 1] = count;
    dim[last] = parts;
    dim[last + 1] = step;
    x = knb_reshape(b, x, t.ndim + 1, dim); /* ..., segment, part, step */
    order[last - 1] = last;
    order[last] = last - 1;
    x = knb_transpose(b, x, order);
    hi[last] =
        parts; /* so many zeros behind each part's row: cut anew, each row is one place further than the one before */
    x = knb_pad(b, x, knb_like(b, x, 0), lo, hi, NULL);
    dim[last - 1] = knx_dim_mul(whole, parts);
    dim[last] = step;
    x = knb_reshape(b, x, t.ndim, dim);
    dim[last - 1] = knx_dim_mul(whole - 1, parts);
    x = knb_slice(b, x, start, dim, NULL);
    dim[last - 1] = parts;
    dim[last] = whole - 1;
    dim[last + 1] = step;
    x = knb_reduce_sum(b, knb_reshape(b, x, t.ndim + 1, dim), 1, &axis);
    dim[last - 1] = knx_dim_mul(whole - 1, step);
    x = knb_reshape(b, x, last, dim);
    dim[last - 1] = knx_dim_add(length, knx_dim_mul(count - 1, step));
    return knb_slice(b, x, start, dim, NULL);
}

typedef struct lengths {
    int64_t nperseg, noverlap, nfft, count;
    int ndim, time, frequency;
} lengths;

static void read_lengths(knl_body *c, kn_array z, const kn_signal_istft_opts *o, lengths *l)
{
    kna_op *op = &c->op;
    kni_type t = kna_type(op, z);
    l->ndim = t.ndim;
    if (!kna_failed(op) && t.ndim < 2)
        knsignal_fail(c, "Input stft must be at least 2d!");
    l->time = kna_failed(op) ? 0 : kna_normalize_axis(op, o->time_axis, t.ndim);
    l->frequency = kna_failed(op) ? 0 : kna_normalize_axis(op, o->freq_axis, t.ndim);
    if (kna_failed(op))
        return;
    if (l->time == l->frequency) {
        knsignal_fail(c, "Must specify differing time and frequency axes!");
        return;
    }
    int64_t n = t.dim[l->frequency], points;
    l->count = t.dim[l->time];
    if (!kna_need_number(op, n, "as the number of frequencies"))
        return;
    points = o->input_onesided ? 2 * (n - 1) : n;
    l->nperseg = o->nperseg == -1 ? points : o->nperseg;
    if (o->nperseg == -1 && o->win && kna_type(op, o->win).ndim == 1 && !kna_failed(op))
        l->nperseg = kna_type(op, o->win).dim[0];
    l->nfft = o->nfft != -1 ? o->nfft : o->input_onesided && l->nperseg == points + 1 ? l->nperseg : points;
    l->noverlap = o->noverlap == -1 ? l->nperseg / 2 : o->noverlap;
    if (l->nperseg < 1)
        knsignal_fail(c, "nperseg must be a positive integer");
    else if (l->nfft < l->nperseg)
        knsignal_fail(c, "nfft must be greater than or equal to nperseg.");
    else if (l->noverlap >= l->nperseg)
        knsignal_fail(c, "noverlap must be less than nperseg.");
    else if (l->noverlap < 0)
        knsignal_fail(c, "noverlap must not be negative");
    else if (l->nfft > INT32_MAX || (!knx_is_symbolic(l->count) && l->count > INT64_MAX / 8 / l->nfft))
        knsignal_fail(c, "nfft is too large");
    else if (knx_dim_lt(l->count, 1))
        knsignal_fail(c, "the transform has no segments");
}

/* The windows' squares, as segments. */
static kn_array squares(knl_body *c, kn_array win, const lengths *l)
{
    kni_builder *b = c->op.b;
    kni_atom w = kna_in(&c->op, win);
    int64_t dim[2] = {l->count, l->nperseg}, one = 1;
    w = knb_broadcast_in_dim(b, knb_mul(b, w, w), 2, dim, &one);
    return knl_made(c, kna_failed(&c->op) ? KN_ATOM_NONE : overlapped(b, w, l->nperseg - l->noverlap));
}

static kn_array sums(knl_body *c, kn_array x, const lengths *l)
{
    kna_op op;
    (void)c;
    kna_begin(&op, "istft");
    kni_atom a = kna_in(&op, x);
    return kna_end(&op, kna_failed(&op) ? KN_ATOM_NONE : overlapped(op.b, a, l->nperseg - l->noverlap));
}

kn_signal_samples kn_signal_istft(kn_array Zxx, const kn_signal_istft_opts *opts)
{
    KNX_OPTS(kn_signal_istft_opts, o, opts);
    knl_body c;
    knl_begin(&c, "istft");
    lengths l = {.count = 0};
    kn_array out[2] = {NULL};
    read_lengths(&c, Zxx, &o, &l);
    bool density = o.scaling && (!strcmp(o.scaling, "psd") || !strcmp(o.scaling, "density"));
    if (o.scaling && !density && strcmp(o.scaling, "spectrum") != 0)
        knsignal_fail(&c, "Parameter scaling must be one of 'density', 'psd' or 'spectrum'");
    if (!(o.fs > 0))
        knsignal_fail(&c, "fs must be positive");
    if (!kna_failed(&c.op)) {
        kn_axes from = {{3}, {l.time, l.frequency}}, last = {{3}, {-2, -1}};
        kn_array z = kn_moveaxis(Zxx, &from, &last);
        const kn_fft_fft_opts *p = KNL_WITH(kn_fft_fft_opts, .n = l.nfft, .axis = -1);
        kn_array x = o.input_onesided ? kn_fft_irfft(z, p) : kn_fft_ifft(z, p);
        x = knl_part("istft", x, l.ndim - 1, 0, l.nperseg);
        kn_array win = knsignal_window(&c, o.window, o.win, l.nperseg, kna_type(&c.op, x).dtype);
        kn_array scale = density ? kn_sqrt(kn_multiply(kn_like_double(o.fs), kn_sum(kn_multiply(win, win), NULL)))
                                 : kn_sum(win, NULL);
        x = sums(&c, kn_multiply(kn_multiply(x, win), scale), &l);
        kn_array norm = squares(&c, win, &l);
        int64_t half = l.nperseg / 2, n = kna_failed(&c.op) ? 0 : kna_type(&c.op, x).dim[l.ndim - 2];
        if (o.boundary) {
            x = knl_part("istft", x, l.ndim - 2, half, knx_dim_sub(n, half));
            norm = knl_part("istft", norm, 0, half, knx_dim_sub(n, half));
            n = knx_dim_sub(n, 2 * half);
        }
        norm = kn_where(kn_greater(norm, kn_like_double(1e-10)), norm, kn_like_int(1));
        x = kn_divide(x, norm);
        out[0] = knsignal_ramp(&c, n, 1 / o.fs, 0);
        int place = l.time - (l.frequency < l.time);
        kn_axes end = {{2}, {-1}}, to = {{2}, {place}};
        out[1] = place == l.ndim - 2 ? x : kn_moveaxis(x, &end, &to);
    }
    knl_end_n(&c, 2, out);
    return (kn_signal_samples){out[0], out[1]};
}
