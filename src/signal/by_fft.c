/* SPDX-License-Identifier: Apache-2.0
 * by_fft.c -- scipy.signal.fftconvolve, and which of the two ways to convolve is shorter: the product of transforms of
 * both operands, which are padded to the length of the whole result; or, if one of them is much shorter along the only
 * axis, blocks of the long one are convolved with it and added where they overlap. */
#include "signal/by_fft.h"
#include "kiln/fft.h"
#include <string.h>

enum { FULL, SAME, VALID };
enum {
    OPERATIONS = 8,    /* products of the sum that take as long as a number of a transform and a step of it */
    PASSES = 4,        /* steps of a transform that take as long as what else is done with its numbers */
    LINES = 256,       /* numbers whose transforms part no lanes of vectors, and as many times those */
    LANES_PARTED = 12, /* the others' time, in steps of two */
    LEAST_BLOCK = 256, /* points: shorter transforms take as long */
};
#define BLOCKS_GAIN 0.7 /* blocks are more steps of a program than one transform is */

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

/* Not less than n, of the factors 2, 3 and 5: the one that is transformed fastest, by what passes of twos, threes and
 * fives were seen to take. Real numbers are transformed in pairs, and pairs of lines side by side. */
static int64_t fast_length(int64_t n, bool complex)
{
    int64_t pairs = complex ? n : n / 2 + n % 2, best = INT64_MAX;
    double least = 0;
    for (int64_t five = 1, fives = 0; five < 2 * pairs; five *= 5, fives++)
        for (int64_t three = five, threes = 0; three < 2 * pairs; three *= 3, threes++) {
            int64_t all = three;
            int twos = 0;
            for (; all < pairs; twos++)
                all *= 2;
            double time =
                (double)all * (twos + 2.5 * (double)threes + 4 * (double)fives + (all % LINES ? LANES_PARTED : 0));
            if (best == INT64_MAX || time < least)
                best = all, least = time;
        }
    return complex ? best : 2 * best;
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

/* --- blocks ----------------------------------------------------------------------------------- */

/* Transforms of so many points, each for `step` elements of the long operand */
typedef struct blocks {
    int axis, large; /* large: which operand is cut */
    int64_t points, step, count;
} blocks;

static double time_of(double n)
{
    double log = 0;
    for (double m = n; m > 1; m /= 2)
        log++;
    return n * (log + PASSES);
}

/* The blocks that take the least time; false: one transform of all takes no longer, or extents are unknown. */
static bool blocks_of(const convolution *v, blocks *best)
{
    int axis = v->axis[0];
    int64_t a = v->shape[0].dim[axis], b = v->shape[1].dim[axis];
    if (v->n != 1 || v->ndim == KN_MAX_NDIM || knx_any_symbolic(a, b) || a > INT64_MAX / 64 || b > INT64_MAX / 64)
        return false;
    int64_t size = a < b ? b : a, small = a < b ? a : b;
    double least = time_of((double)size + (double)small) * BLOCKS_GAIN;
    bool found = false;
    for (int64_t n = LEAST_BLOCK; n <= size / 2; n *= 2) {
        int64_t step = n - small + 1, count = step > 0 ? (size + step - 1) / step : 0;
        if (step < small || (double)count * time_of((double)n) >= least)
            continue;
        least = (double)count * time_of((double)n);
        *best = (blocks){.axis = axis, .large = a < b, .points = n, .step = step, .count = count};
        found = true;
    }
    return found;
}

/* x with zeros around it along two axes, then with these extents from axis on in place of `of` ones */
static kn_array laid_out(kn_array x, int axis, const int64_t zeros[4], int of, int n, const int64_t *extents)
{
    kna_op op;
    kna_begin(&op, "fftconvolve");
    kni_atom a = kna_in(&op, x);
    if (!kna_failed(&op)) {
        kni_type t = knb_type(op.b, a);
        int64_t lo[KN_MAX_NDIM] = {0}, hi[KN_MAX_NDIM] = {0}, dim[KN_MAX_NDIM];
        for (int i = 0; i < of; i++)
            lo[axis + i] = zeros[2 * i], hi[axis + i] = zeros[2 * i + 1];
        for (int d = 0; d < t.ndim - of + n; d++)
            dim[d] = d < axis ? t.dim[d] : d < axis + n ? extents[d - axis] : t.dim[d + of - n];
        a = knb_reshape(op.b, knb_pad(op.b, a, knb_like(op.b, a, 0), lo, hi, NULL), t.ndim - of + n, dim);
    }
    return kna_end(&op, a);
}

/* Block after block: what goes beyond a block's step is added to the next one. */
static kn_array by_blocks(convolution *v, const blocks *b)
{
    int axis = b->axis;
    int64_t size = v->shape[b->large].dim[axis], small = v->shape[!b->large].dim[axis], more = small - 1;
    int64_t all = (b->count + 1) * b->step;
    kn_array x = laid_out(v->in[b->large], axis, (int64_t[4]){0, b->count * b->step - size}, 1, 2,
                          (int64_t[]){b->count, b->step});
    kn_array k = laid_out(v->in[!b->large], axis, (int64_t[4]){0}, 1, 2, (int64_t[]){1, small});
    const kn_fft_fft_opts *o = KNL_WITH(kn_fft_fft_opts, .n = b->points, .axis = axis + 1);
    kn_array y = v->complex ? kn_fft_fft(x, o) : kn_fft_rfft(x, o);
    y = kn_multiply(y, v->complex ? kn_fft_fft(k, o) : kn_fft_rfft(k, o));
    y = v->complex ? kn_fft_ifft(y, o) : kn_fft_irfft(y, o);
    kn_array head = knl_part("fftconvolve", y, axis + 1, 0, b->step);
    kn_array tail = knl_part("fftconvolve", y, axis + 1, b->step, b->points);
    head = laid_out(head, axis, (int64_t[]){0, 1, 0, 0}, 2, 1, &all);
    tail = laid_out(tail, axis, (int64_t[]){1, 0, 0, b->step - more}, 2, 1, &all);
    return knl_part("fftconvolve", kn_add(head, tail), axis, 0, size + more);
}

/* --- the result ------------------------------------------------------------------------------- */

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
        blocks b;
        if (!v.n)
            y = kn_multiply(v.in[0], v.in[1]);
        else
            y = blocks_of(&v, &b) ? by_blocks(&v, &b) : product(&v);
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
