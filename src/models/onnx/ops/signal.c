/* SPDX-License-Identifier: Apache-2.0
 * signal.c -- ONNX's DFT and STFT. Complex numbers are a last axis of two extents there; a last axis of one is real
 * numbers. */
#include "models/onnx/ops/numbers.h"

/* The signal as numbers of Kiln, complex where the last axis has two parts. NULL with an error. */
static kn_array signal_of(knonnx_call *c, kn_array x, bool exactly)
{
    kn_shape s = kn_shape_of(x);
    if (s.ndim < 2 || (!kn_dim_eq(s.dim[s.ndim - 1], 1) && !kn_dim_eq(s.dim[s.ndim - 1], 2))) {
        if (!knonnx_done(c))
            knonnx_fail(c, KN_ERROR_VALUE, "the signal's last axis has 1 (real) or 2 (complex) extents");
        return NULL;
    }
    int last = s.ndim - 1;
    bool complex = kn_dim_eq(s.dim[last], 2);
    x = exactly && !complex ? knonnx_as(x, KN_F64) : knonnx_wide(x);
    kn_array re = knonnx_shaped(knonnx_part(x, last, 0, 1), last, s.dim);
    return complex ? kn_lax_complex(re, knonnx_shaped(knonnx_part(x, last, 1, 2), last, s.dim)) : re;
}

static kn_array as_parts(kn_array y, kn_dtype d)
{
    kn_concatenate_opts o = kn_concatenate_opts_default();
    o.axis = (kn_axes){.n = 2, .axis = {-1}};
    bool complex = kn_dtype_kind(kn_dtype_of(y)) == 'c';
    kn_array parts[] = {complex ? kn_real(y) : y, complex ? kn_imag(y) : y};
    return knonnx_as(kn_stack(kn_list_from(parts, complex ? 2 : 1), &o), d);
}

static bool is_complex(kn_array x) { return kn_dtype_kind(kn_dtype_of(x)) == 'c'; }

/* Of real numbers in float64, which costs what complex ones in float32 do: what is 0 is 0 to the precision of the
 * result then. */
static int op_dft(knonnx_call *c)
{
    kn_array input = knonnx_in(c, 0);
    kn_array x = input ? signal_of(c, input, true) : NULL;
    int64_t length = -1, given = c->version < 20 ? knonnx_int(c, "axis", 1) : -2;
    bool inverse = knonnx_int(c, "inverse", 0), onesided = knonnx_int(c, "onesided", 0);
    if (!x || (knonnx_has(c, 1) && knonnx_int_in(c, 1, &length)))
        return -1;
    if (c->version >= 20 && knonnx_has(c, 2) && knonnx_int_in(c, 2, &given))
        return -1;
    int ndim = kn_ndim(x) + 1, axis = knonnx_axis(c, given, ndim);
    if (axis < 0)
        return -1;
    if (axis == ndim - 1)
        return knonnx_fail(c, KN_ERROR_VALUE, "axis %d is that of real and imaginary parts", axis);
    if (length < 1 && knonnx_has(c, 1))
        return knonnx_fail(c, KN_ERROR_VALUE, "dft_length=%lld is not positive", (long long)length);
    if (onesided && inverse != is_complex(x))
        return knonnx_fail(c, KN_ERROR_VALUE, "onesided=1 is of real signals%s",
                           inverse ? ": its inverse is of complex ones" : "");
    kn_fft_fft_opts o = kn_fft_fft_opts_default();
    o.n = length;
    o.axis = axis;
    kn_array y = onesided ? (inverse ? kn_fft_irfft(x, &o) : kn_fft_rfft(x, &o))
                          : (inverse ? kn_fft_ifft(x, &o) : kn_fft_fft(x, &o));
    return knonnx_set(c, 0, as_parts(y, kn_dtype_of(input)));
}

/* The frames of a signal [batch, n] as [batch, frames, length]. */
static kn_array frames_of(kn_array x, int64_t frames, int64_t length, int64_t step)
{
    kn_array first = knonnx_along(kn_multiply(kn_lax_iota(KN_I64, frames), kn_like_int(step)), 0, 2);
    kn_array at = kn_add(first, kn_lax_iota(KN_I64, length));
    kn_take_opts o = kn_take_opts_default();
    o.axis = (kn_axes){.n = 2, .axis = {1}};
    o.mode = "clip";
    return kn_take(x, at, &o);
}

/* How long a frame is: the window's length, the input's, or that of the signal. */
static int frame_length(knonnx_call *c, int64_t signal, int64_t *length)
{
    int64_t of_window = -1;
    *length = signal;
    if (knonnx_has(c, 2)) {
        kn_array w = knonnx_in(c, 2);
        if (kn_ndim(w) != 1)
            return knonnx_done(c) ? -1 : knonnx_fail(c, KN_ERROR_VALUE, "the window is a vector");
        *length = of_window = kn_dim(w, 0);
    }
    if (knonnx_has(c, 3) && knonnx_int_in(c, 3, length))
        return -1;
    if (of_window >= 0 && of_window != *length)
        return knonnx_fail(c, KN_ERROR_VALUE, "the window has %lld elements and frame_length is %lld",
                           (long long)of_window, (long long)*length);
    return 0;
}

static int op_stft(knonnx_call *c)
{
    kn_array input = knonnx_in(c, 0);
    kn_array x = input ? signal_of(c, input, false) : NULL;
    int64_t step, length;
    bool onesided = knonnx_int(c, "onesided", 1);
    if (!x || knonnx_int_in(c, 1, &step))
        return -1;
    if (kn_ndim(x) != 2)
        return knonnx_fail(c, KN_ERROR_VALUE, "the signal has three axes: batch, time, and 1 or 2 parts");
    int64_t n = kn_dim(x, 1);
    if (frame_length(c, n, &length))
        return -1;
    if (step < 1 || length < 1 || n < length)
        return knonnx_fail(c, KN_ERROR_VALUE, "no frames of %lld every %lld in a signal of %lld", (long long)length,
                           (long long)step, (long long)n);
    kn_array frames = frames_of(x, (n - length) / step + 1, length, step);
    if (knonnx_has(c, 2))
        frames = kn_multiply(frames, knonnx_wide(knonnx_in(c, 2)));
    if (onesided && is_complex(frames))
        return knonnx_fail(c, KN_ERROR_VALUE, "onesided=1 is of real signals");
    kn_fft_fft_opts o = kn_fft_fft_opts_default();
    kn_array y = onesided ? kn_fft_rfft(frames, &o) : kn_fft_fft(frames, &o);
    return knonnx_set(c, 0, as_parts(y, kn_dtype_of(input)));
}

const knonnx_row knonnx_rows_signal[] = {
    {"DFT", 17, op_dft, 1, 2, 1, 1},
    {"DFT", 20, op_dft, 1, 3, 1, 1},
    {"STFT", 17, op_stft, 2, 4, 1, 1},
    {NULL, 0, NULL, 0, 0, 0, 0},
};
