/* SPDX-License-Identifier: Apache-2.0
 * cosines.c -- scipy.fft: cosine and sine transforms of types 1 to 4. Of N numbers types 2 and 3 are one real Fourier
 * transform of N points (Makhoul's order: the even elements, then the odd ones backwards), type 4 is a complex one of
 * N / 2, or, N being odd or not known, of N, type 1 a real one of the 2 N - 2 (sine: 2 N + 2) numbers of a period,
 * which costs as much as a complex one of half of them. Sines are the cosines of elements of alternating signs, in the
 * other order. */
#include "kiln/fft.h"
#include "numpy/fft/internal.h"
#include <math.h>

typedef struct trig {
    kna_op op;
    kni_atom x;
    bool sine, inverse, weighed; /* weighed: the ends, so that the matrix is orthogonal but for a factor */
    int type;                    /* of what is computed: an inverse of type 2 is a transform of type 3 */
    knn_fft_scale scale;
    int n;
    int64_t axis[KN_MAX_NDIM], points[KN_MAX_NDIM];
} trig;

/* --- along one axis --------------------------------------------------------------------------- */

/* The axis that is worked on; x has n elements along it, half of them rounded down and up. */
typedef struct line {
    kni_builder *b;
    kn_dtype d;
    int axis;
    int64_t n, lower, upper;
} line;

static kni_atom part(const line *l, kni_atom x, int64_t from, int64_t to)
{
    kni_type t = knb_type(l->b, x);
    int64_t start[KN_MAX_NDIM] = {0}, limit[KN_MAX_NDIM];
    if (l->b->error || (from == 0 && knx_dim_same(to, t.dim[l->axis])))
        return x;
    for (int i = 0; i < t.ndim; i++)
        limit[i] = t.dim[i];
    start[l->axis] = from;
    limit[l->axis] = to;
    return knb_slice(l->b, x, start, limit, NULL);
}

static kni_atom backwards(const line *l, kni_atom x) { return knb_rev(l->b, x, 1, (const int64_t[]){l->axis}); }

static kni_atom joined(const line *l, kni_atom x, kni_atom y)
{
    return knb_concatenate(l->b, 2, (const kni_atom[]){x, y}, l->axis);
}

/* Zeros in front and behind. */
static kni_atom with_zeros(const line *l, kni_atom x, int64_t low, int64_t high)
{
    int64_t lo[KN_MAX_NDIM] = {0}, hi[KN_MAX_NDIM] = {0};
    if (l->b->error || (low == 0 && high == 0))
        return x;
    lo[l->axis] = low;
    hi[l->axis] = high;
    return knb_pad(l->b, x, knb_like(l->b, x, 0), lo, hi, NULL);
}

/* Vector v along the axis of an array like x. */
static kni_atom along(const line *l, kni_atom v, kni_atom x)
{
    kni_type t = knb_type(l->b, x);
    return l->b->error ? KN_ATOM_NONE : knb_broadcast_in_dim(l->b, v, t.ndim, t.dim, (const int64_t[]){l->axis});
}

/* (u + i v) exp(-i pi (a k + c) / (m n)), k along the axis, as its two parts; the angle in float64. v: KN_ATOM_NONE for
 * nothing. */
static void turn(const line *l, kni_atom u, kni_atom v, double a, double c, double m, kni_atom out[2])
{
    kni_builder *b = l->b;
    kni_type t = knb_type(b, u);
    bool real = v == KN_ATOM_NONE;
    out[0] = out[1] = KN_ATOM_NONE;
    if (b->error)
        return;
    kn_dtype f = KN_DT(F64);
    kni_atom k = knb_astype(b, knb_iota(b, KN_DT(I64), 1, &t.dim[l->axis], 0), f);
    kni_atom above = knb_add(b, knb_mul(b, k, knb_number(b, f, a * M_PI)), knb_number(b, f, c * M_PI));
    kni_atom below = knb_mul(b, knb_dimension(b, f, l->n), knb_number(b, f, m)), angle = knb_div(b, above, below);
    kni_atom re = along(l, knb_convert(b, knb_cos(b, angle), l->d), u);
    kni_atom im = along(l, knb_convert(b, knb_neg(b, knb_sin(b, angle)), l->d), u);
    out[0] = real ? knb_mul(b, u, re) : knb_sub(b, knb_mul(b, u, re), knb_mul(b, v, im));
    out[1] = real ? knb_mul(b, u, im) : knb_add(b, knb_mul(b, u, im), knb_mul(b, v, re));
}

static kni_atom fourier(const line *l, kni_atom x, int kind, int64_t points)
{
    int64_t axis = l->axis;
    kni_p_fft p = {.fft_lengths = {1, &points}, .fft_type = kind};
    if (!l->b->error && l->axis != knb_type(l->b, x).ndim - 1)
        p.axes = (kni_ints){1, &axis};
    return knb_fft(l->b, x, &p);
}

/* The first `upper` of x at even places, the first `lower` of y at odd ones. */
static kni_atom interleaved(const line *l, kni_atom x, kni_atom y)
{
    kni_builder *b = l->b;
    kni_atom odd = with_zeros(l, part(l, y, 0, l->lower), 0, knx_dim_sub(l->upper, l->lower));
    kni_atom both = knb_stack(b, 2, (const kni_atom[]){part(l, x, 0, l->upper), odd}, l->axis + 1);
    kni_type t = knb_type(b, x);
    int64_t dim[KN_MAX_NDIM];
    for (int i = 0; i < t.ndim && !b->error; i++)
        dim[i] = t.dim[i];
    dim[l->axis] = knx_dim_mul(l->upper, 2);
    return part(l, knb_reshape(b, both, t.ndim, dim), 0, l->n);
}

/* Elements at even places, or those at odd ones. */
static kni_atom every_other(const line *l, kni_atom x, bool odd)
{
    kni_builder *b = l->b;
    kni_atom even = with_zeros(l, x, 0, knx_dim_sub(l->upper, l->lower));
    kni_type t = knb_type(b, x);
    int64_t dim[KN_MAX_NDIM + 1], start[KN_MAX_NDIM + 1] = {0}, axis = l->axis + 1;
    if (b->error)
        return KN_ATOM_NONE;
    for (int i = 0; i < t.ndim; i++)
        dim[i + (i > l->axis)] = t.dim[i];
    dim[l->axis] = l->upper;
    dim[axis] = 2;
    kni_atom pairs = knb_reshape(b, even, t.ndim + 1, dim);
    start[axis] = odd;
    dim[axis] = 1 + odd;
    dim[l->axis] = odd ? l->lower : l->upper;
    return knb_squeeze(b, knb_slice(b, pairs, start, dim, NULL), 1, &axis);
}

/* x with the element at `at` times a factor. */
static kni_atom weighed(const line *l, kni_atom x, int64_t at, double factor)
{
    kni_builder *b = l->b;
    kni_type t = knb_type(b, x);
    if (b->error)
        return KN_ATOM_NONE;
    kni_atom k = knb_iota(b, KN_DT(I64), 1, &t.dim[l->axis], 0);
    kni_atom here = along(l, knb_eq(b, k, knb_dimension(b, KN_DT(I64), at)), x);
    return knb_select(b, here, knb_mul(b, x, knb_like(b, x, factor)), x);
}

static kni_atom type_1(const line *l, kni_atom x, bool sine)
{
    kni_builder *b = l->b;
    if (sine) {
        kni_atom one = with_zeros(l, x, 1, 0), other = with_zeros(l, knb_neg(b, backwards(l, x)), 1, 0);
        kni_atom y = fourier(l, joined(l, one, other), KN_RFFT, knx_dim_mul(l->n + 1, 2));
        return part(l, knb_neg(b, knb_imag(b, y)), 1, l->n + 1);
    }
    kni_atom period = joined(l, x, part(l, backwards(l, x), 1, l->n - 1));
    return knb_real(b, fourier(l, period, KN_RFFT, knx_dim_mul(l->n - 1, 2)));
}

/* All n numbers of the transform are turned, those behind the half as conjugates: so it is one kernel. */
static kni_atom type_2(const line *l, kni_atom x, bool sine)
{
    kni_builder *b = l->b;
    kni_atom odd = backwards(l, every_other(l, x, true)), even = every_other(l, x, false), y[2];
    kni_atom v = fourier(l, joined(l, even, sine ? knb_neg(b, odd) : odd), KN_RFFT, l->n);
    kni_atom re = knb_real(b, v), im = knb_imag(b, v);
    re = joined(l, re, backwards(l, part(l, re, 1, l->upper)));
    im = joined(l, im, knb_neg(b, backwards(l, part(l, im, 1, l->upper))));
    turn(l, re, im, 1, 0, 2, y);
    return sine ? backwards(l, y[0]) : y[0];
}

static kni_atom type_3(const line *l, kni_atom x, bool sine)
{
    kni_builder *b = l->b;
    x = sine ? backwards(l, x) : x;
    kni_atom re = part(l, x, 0, l->lower + 1); /* and x[n - k], where x[n] is 0 */
    kni_atom im = part(l, with_zeros(l, backwards(l, x), 1, 0), 0, l->lower + 1), y[2];
    turn(l, re, im, 1, 0, 2, y);
    kni_atom v = fourier(l, knb_complex(b, y[0], knb_neg(b, y[1])), KN_IRFFT, l->n), odd = backwards(l, v);
    return interleaved(l, v, sine ? knb_neg(b, odd) : odd);
}

/* Of an even number of points: the even elements and the odd ones backwards are the two parts of half as many. */
static kni_atom type_4_in_half(const line *l, kni_atom x, bool sine)
{
    kni_builder *b = l->b;
    kni_atom even = every_other(l, x, false), odd = backwards(l, every_other(l, x, true)), y[2];
    turn(l, sine ? odd : even, sine ? even : odd, 4, 0.5, 4, y); /* (4 j + 1) (4 k + 1) = 16 j k + 4 j + 4 k + 1 */
    kni_atom v = fourier(l, knb_complex(b, y[0], y[1]), KN_FFT, l->lower), re = knb_real(b, v);
    turn(l, re, knb_imag(b, v), 4, 0.5, 4, y);
    odd = backwards(l, y[1]);
    return interleaved(l, y[0], sine ? odd : knb_neg(b, odd));
}

static kni_atom type_4(const line *l, kni_atom x, bool sine)
{
    kni_builder *b = l->b;
    kni_atom y[2];
    if (!knx_is_symbolic(l->n) && l->n % 2 == 0)
        return type_4_in_half(l, x, sine);
    turn(l, sine ? backwards(l, x) : x, KN_ATOM_NONE, 1, 0, 2, y);
    kni_atom v = fourier(l, knb_complex(b, y[0], y[1]), KN_FFT, l->n), re = knb_real(b, v);
    turn(l, re, knb_imag(b, v), 4, 1, 4, y);
    kni_atom odd = backwards(l, y[0]);
    return interleaved(l, y[0], sine ? odd : knb_neg(b, odd));
}

static kni_atom transformed(const trig *t, const line *l, kni_atom x)
{
    kni_atom (*const types[])(const line *, kni_atom, bool) = {type_1, type_2, type_3, type_4};
    int64_t end = t->sine ? l->n - 1 : 0;
    bool both = t->type == 1 && !t->sine;
    if (t->weighed && (t->type == 3 || both))
        x = weighed(l, x, end, M_SQRT2);
    if (t->weighed && both)
        x = weighed(l, x, l->n - 1, M_SQRT2);
    x = types[t->type - 1](l, x, t->sine);
    if (t->weighed && (t->type == 2 || both))
        x = weighed(l, x, end, M_SQRT1_2);
    return t->weighed && both ? weighed(l, x, l->n - 1, M_SQRT1_2) : x;
}

/* --- arguments -------------------------------------------------------------------------------- */

static void invalid_points(trig *t, int64_t n)
{
    knx_text s = {0};
    kna_fail(&t->op, KN_ERROR_VALUE, "invalid number of data points (%s) specified", knx_dim_show(&s, n));
}

/* Cuts or pads one axis, and counts its points: type 3 has to be multiplied by them, or by their half for "ortho",
 * types 2 and 4 divided, since what is computed here is half of them; type 1 is divided by its period, if at all. */
static void prepare(trig *t, int i, bool divided, bool root)
{
    int64_t n = t->points[i] == -1 ? knb_type(t->op.b, t->x).dim[t->axis[i]] : t->points[i], period = n;
    if (knx_dim_lt(n, 1) || (!knx_is_symbolic(n) && n > INT64_MAX / 8)) {
        if (!kna_failed(&t->op))
            invalid_points(t, n);
        return;
    }
    if (t->type == 1 && !t->sine && knx_dim_lt(n, 2)) {
        if (!kna_failed(&t->op))
            kna_fail(&t->op, KN_ERROR_RUNTIME, "zero-length FFT requested");
        return;
    }
    t->x = knn_fft_resize(t->op.b, t->x, (int)t->axis[i], n);
    t->points[i] = n;
    bool third = t->type == 3;
    if (t->type == 1) {
        period = t->sine ? n + 1 : n - 1;
        t->scale.known *= 2;
    } else if (root || divided == third) {
        t->scale.known *= 0.5;
    }
    if (!root && divided == third)
        return;
    if (knx_is_symbolic(period))
        t->scale.all = knx_dim_mul(t->scale.all, period);
    else
        t->scale.known *= (double)period;
}

static void read_operand(trig *t, kn_array a)
{
    kna_op *op = &t->op;
    kni_builder *b = op->b;
    t->x = kna_in(op, a);
    if (kna_failed(op) || knl_not_a_number(op, t->sine ? "dst" : "dct", knb_type(b, t->x).dtype))
        return;
    kn_dtype d = knl_inexact_for(knb_type(b, t->x).dtype);
    t->x = knb_astype(b, t->x, knx_is_complex(d) || d->size > 2 ? d : KN_DT(F32));
}

static void read_type(trig *t, int type, const char *norm, int orthogonalize)
{
    kna_op *op = &t->op;
    double power;
    if (!knn_fft_power(norm, t->inverse, &power)) {
        if (!kna_failed(op))
            kna_fail(op, KN_ERROR_VALUE, "Invalid norm value '%s', should be \"backward\", \"ortho\" or \"forward\"",
                     norm);
        return;
    }
    if (type < 1 || type > 4) {
        if (!kna_failed(op))
            kna_fail(op, KN_ERROR_VALUE, "invalid %s type", t->sine ? "DST" : "DCT");
        return;
    }
    bool root = power == -0.5;
    t->type = t->inverse && (type == 2 || type == 3) ? 5 - type : type;
    t->weighed = orthogonalize < 0 ? root : orthogonalize != 0;
    t->scale = (knn_fft_scale){1, 1, t->type == 1 ? power : (t->type == 3 ? 1 : -1) * (root ? 0.5 : 1)};
    for (int i = 0; i < t->n && !kna_failed(op); i++)
        prepare(t, i, power == -1, root);
}

static kn_array finish(trig *t)
{
    kna_op *op = &t->op;
    kni_builder *b = op->b;
    if (kna_failed(op) || !t->n)
        return kna_end(op, kna_failed(op) ? KN_ATOM_NONE : t->x);
    kn_dtype d = knb_type(b, t->x).dtype;
    bool complex = knx_is_complex(d);
    kni_atom x = t->x;
    if (knl_too_many_axes(op, knb_type(b, x).ndim + 1 + complex))
        return kna_end(op, KN_ATOM_NONE);
    if (complex) { /* both parts alike, as two arrays */
        kni_atom re = knb_real(b, x);
        x = knb_stack(b, 2, (const kni_atom[]){re, knb_imag(b, x)}, 0);
        d = d == KN_DT(C64) ? KN_DT(F32) : KN_DT(F64);
    }
    for (int i = t->n - 1; i >= 0 && !kna_failed(op); i--) {
        int64_t n = t->points[i], lower = knx_dim_floordiv(n, 2);
        line l = {b, d, (int)t->axis[i] + complex, n, lower, knx_dim_sub(n, lower)};
        x = transformed(t, &l, x);
    }
    x = knn_fft_scaled(b, x, &t->scale);
    if (complex) {
        kni_atom parts[2] = {KN_ATOM_NONE, KN_ATOM_NONE};
        knb_unstack(b, x, 0, 2, parts);
        x = knb_complex(b, parts[0], parts[1]);
    }
    return kna_end(op, kna_failed(op) ? KN_ATOM_NONE : x);
}

static kn_array along_one(const char *name, bool sine, bool inverse, kn_array a, const kn_fft_dct_opts *opts)
{
    KNX_OPTS(kn_fft_dct_opts, o, opts);
    trig t = {.sine = sine, .inverse = inverse, .n = 1, .points = {o.n}};
    kna_begin(&t.op, name);
    read_operand(&t, a);
    t.axis[0] = kna_failed(&t.op) ? 0 : kna_normalize_axis(&t.op, o.axis, knb_type(t.op.b, t.x).ndim);
    read_type(&t, o.type, o.norm, o.orthogonalize);
    return finish(&t);
}

static bool read_axes(trig *t, kn_axes axes, const kn_shape *s)
{
    kna_op *op = &t->op;
    int ndim = kna_failed(op) ? 0 : knb_type(op->b, t->x).ndim, count = knl_axis_count(op, axes);
    bool listed = axes.n > 0;
    const char *text = NULL;
    if (s->ndim < 0 || s->ndim > KN_MAX_NDIM || (!listed && s->ndim > ndim))
        text = "shape requires more axes than are present";
    else if (listed && s->ndim && count != s->ndim)
        text = "when given, axes and shape arguments have to be of the same length";
    t->n = listed ? count : s->ndim ? s->ndim : ndim;
    for (int i = 0; i < t->n && !text; i++) {
        int64_t axis = listed ? axes.axis[i] : i + ndim - t->n;
        axis += axis < 0 ? ndim : 0;
        if (axis < 0 || axis >= ndim)
            text = "axes exceeds dimensionality of input";
        for (int j = 0; j < i && !text; j++)
            text = t->axis[j] == axis ? "all axes must be unique" : NULL;
        t->axis[i] = axis;
        t->points[i] = s->ndim ? s->dim[i] : -1;
    }
    if (text && !kna_failed(op))
        kna_fail(op, KN_ERROR_VALUE, "%s", text);
    return !kna_failed(op);
}

static kn_array along_all(const char *name, bool sine, bool inverse, kn_array a, const kn_fft_dctn_opts *opts)
{
    KNX_OPTS(kn_fft_dctn_opts, o, opts);
    trig t = {.sine = sine, .inverse = inverse};
    kna_begin(&t.op, name);
    read_operand(&t, a);
    if (read_axes(&t, o.axes, &o.s))
        read_type(&t, o.type, o.norm, o.orthogonalize);
    return finish(&t);
}

kn_array kn_fft_dct(kn_array x, const kn_fft_dct_opts *opts) { return along_one("dct", false, false, x, opts); }
kn_array kn_fft_idct(kn_array x, const kn_fft_dct_opts *opts) { return along_one("idct", false, true, x, opts); }
kn_array kn_fft_dst(kn_array x, const kn_fft_dct_opts *opts) { return along_one("dst", true, false, x, opts); }
kn_array kn_fft_idst(kn_array x, const kn_fft_dct_opts *opts) { return along_one("idst", true, true, x, opts); }
kn_array kn_fft_dctn(kn_array x, const kn_fft_dctn_opts *opts) { return along_all("dctn", false, false, x, opts); }
kn_array kn_fft_idctn(kn_array x, const kn_fft_dctn_opts *opts) { return along_all("idctn", false, true, x, opts); }
kn_array kn_fft_dstn(kn_array x, const kn_fft_dctn_opts *opts) { return along_all("dstn", true, false, x, opts); }
kn_array kn_fft_idstn(kn_array x, const kn_fft_dctn_opts *opts) { return along_all("idstn", true, true, x, opts); }
