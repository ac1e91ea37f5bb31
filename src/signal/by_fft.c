/* SPDX-License-Identifier: Apache-2.0
 * by_fft.c -- scipy.signal.fftconvolve, and which of the two ways to convolve is shorter: the product of transforms of
 * both operands, which are padded to the length of the whole result. */
#include "signal/by_fft.h"
#include "kiln/fft.h"
#include <string.h>

enum { FULL, SAME, VALID };
enum { OPERATIONS = 8 }; /* products of the sum that take as long as a number of a transform and a step of it */

typedef struct convolution {
    knl_body c;
    kn_array in[2];
    kn_shape shape[2], full; /* full: of the result before it is cut */
    bool along[KN_MAX_NDIM]; /* these axes */
    int ndim, n, mode;       /* n: axes along which both have more than one element */
    int axis[KN_MAX_NDIM];
    bool complex;
} convolution;

static void read_mode(convolution *v, const char *name)
{
    static const char *const names[] = {"full", "same", "valid"};
    v->mode = FULL;
    while (name && v->mode <= VALID && strcmp(name, names[v->mode]) != 0)
        v->mode++;
    if (v->mode > VALID && !kna_failed(&v->c.op))
        kna_fail(&v->c.op, KN_ERROR_VALUE, "acceptable mode flags are 'valid', 'same', or 'full'");
}

static void read_operands(convolution *v, kn_array in1, kn_array in2)
{
    kna_op *op = &v->c.op;
    kn_array in[] = {in1, in2};
    for (int i = 0; i < 2; i++) {
        kni_atom a = kna_in(op, in[i]);
        if (kna_failed(op) || knl_not_a_number(op, "fftconvolve", knb_type(op->b, a).dtype))
            return;
        v->shape[i] = knl_shape_of(op, a);
        v->complex = v->complex || knx_is_complex(knb_type(op->b, a).dtype);
        v->in[i] = knl_made(&v->c, a);
        if (!kni_type_size(knb_type(op->b, a)))
            kna_fail(op, KN_ERROR_VALUE, "in1 and in2 cannot be empty");
    }
    v->ndim = v->shape[0].ndim;
    if (!kna_failed(op) && v->ndim != v->shape[1].ndim)
        kna_fail(op, KN_ERROR_VALUE, "in1 and in2 should have the same dimensionality");
}

/* The larger one first where one has to lie inside of the other. */
static void order(convolution *v)
{
    bool first = true, second = true;
    for (int d = 0; d < v->ndim && v->mode == VALID && first; d++)
        first = !v->along[d] || knx_dim_le(v->shape[1].dim[d], v->shape[0].dim[d]);
    for (int d = 0; d < v->ndim && !first && second; d++)
        second = !v->along[d] || knx_dim_le(v->shape[0].dim[d], v->shape[1].dim[d]);
    if (!first && !second && !kna_failed(&v->c.op))
        kna_fail(&v->c.op, KN_ERROR_VALUE,
                 "For 'valid' mode, one must be at least as large as the other in every dimension");
    if (first)
        return;
    kn_array x = v->in[0];
    kn_shape s = v->shape[0];
    v->in[0] = v->in[1];
    v->shape[0] = v->shape[1];
    v->in[1] = x;
    v->shape[1] = s;
}

static void read_axes(convolution *v, kn_axes axes)
{
    kna_op *op = &v->c.op;
    int64_t listed[KN_MAX_NDIM];
    int count = kna_failed(op) ? 0 : kna_axes(op, axes, v->ndim, KNA_AXES_ALL, listed);
    for (int i = 0; i < count && !kna_failed(op); i++)
        v->along[listed[i]] = true;
    v->full.ndim = v->ndim;
    for (int d = 0; d < v->ndim && !kna_failed(op); d++) {
        int64_t a = v->shape[0].dim[d], b = v->shape[1].dim[d];
        bool one = a == 1 || b == 1; /* of one element: a factor of the others */
        if (!v->along[d] && !one && !knx_dim_eq(a, b))
            kna_fail(op, KN_ERROR_VALUE, "incompatible shapes for in1 and in2 along axis %d", d);
        if (v->along[d] && !one)
            v->axis[v->n++] = d;
        v->along[d] = v->along[d] && !one;
        v->full.dim[d] = v->along[d] ? knx_dim_add(a, b) - 1 : a == 1 ? b : a;
    }
}

/* Real numbers are transformed faster if there is an even number of them. */
static int64_t fast_length(int64_t n, bool complex)
{
    const kn_fft_next_fast_len_opts *o = KNL_WITH(kn_fft_next_fast_len_opts, .real = !complex);
    return complex ? kn_fft_next_fast_len(n, o) : 2 * kn_fft_next_fast_len(n / 2 + n % 2, o);
}

/* Transforms of both, their product, and back. */
static kn_array product(convolution *v)
{
    kna_op *op = &v->c.op;
    kn_shape points = {.ndim = v->n};
    kn_axes axes = {{v->n + 1}, {0}};
    for (int i = 0; i < v->n && !kna_failed(op); i++) {
        int64_t n = v->full.dim[v->axis[i]];
        points.dim[i] = knx_is_symbolic(n) || n > INT64_MAX / 64 ? n : fast_length(n, v->complex);
        axes.axis[i] = v->axis[i];
    }
    const kn_fft_fftn_opts *o = KNL_WITH(kn_fft_fftn_opts, .s = points, .axes = axes);
    if (v->complex) {
        kn_array x = kn_fft_fftn(v->in[0], o);
        return kn_fft_ifftn(kn_multiply(x, kn_fft_fftn(v->in[1], o)), o);
    }
    kn_array x = kn_fft_rfftn(v->in[0], o);
    return kn_fft_irfftn(kn_multiply(x, kn_fft_rfftn(v->in[1], o)), o);
}

/* What the mode leaves of the whole result. */
static kn_array cut(convolution *v, kn_array y)
{
    for (int d = 0; d < v->ndim && !kna_failed(&v->c.op); d++) {
        int64_t full = v->full.dim[d], n = full;
        if (v->mode == SAME)
            n = v->shape[0].dim[d];
        else if (v->mode == VALID && v->along[d])
            n = knx_dim_sub(v->shape[0].dim[d], v->shape[1].dim[d]) + 1;
        int64_t start = knx_dim_floordiv(knx_dim_sub(full, n), 2);
        if (v->along[d] || start != 0 || n != full)
            y = knl_part("fftconvolve", y, d, start, knx_dim_add(start, n));
    }
    return y;
}

kn_array knsignal_by_fft(const char *name, kn_array in1, kn_array in2, const char *mode, kn_axes axes)
{
    convolution v = {.complex = false};
    knl_begin(&v.c, name);
    kn_array y = NULL;
    read_operands(&v, in1, in2);
    read_mode(&v, mode);
    read_axes(&v, axes);
    if (!kna_failed(&v.c.op))
        order(&v);
    if (!kna_failed(&v.c.op)) {
        y = v.n ? product(&v) : kn_multiply(v.in[0], v.in[1]);
        y = v.n || v.mode != FULL ? cut(&v, y) : y;
    }
    return knl_end(&v.c, y);
}

kn_array kn_signal_fftconvolve(kn_array in1, kn_array in2, const kn_signal_fftconvolve_opts *opts)
{
    KNX_OPTS(kn_signal_fftconvolve_opts, o, opts);
    return knsignal_by_fft("fftconvolve", in1, in2, o.mode, o.axes);
}

bool knsignal_prefers_fft(kni_type x, kni_type k, kn_dtype d)
{
    double direct = 1, points = 1, log = 0;
    if (d->kind != KN_KIND_FLOAT && !knx_is_complex(d))
        return false;
    for (int i = 0; i < x.ndim; i++) {
        if (knx_any_symbolic(x.dim[i], k.dim[i]))
            return false;
        double n = (double)x.dim[i] + (double)k.dim[i] - 1;
        direct *= (double)x.dim[i] * (double)k.dim[i];
        points *= n;
    }
    for (double n = points; n > 1; n /= 2)
        log++;
    return direct > OPERATIONS * points * log;
}
