/* SPDX-License-Identifier: Apache-2.0
 * transforms.c -- np.fft: the primitive fft of what is cut or padded to the numbers of points, and the norm. */
#include "kiln/fft.h"
#include "array/scalars.h"
#include "numpy/fft/internal.h"
#include <string.h>

typedef enum fft_kind { FFT = KN_FFT, IFFT = KN_IFFT, RFFT = KN_RFFT, IRFFT = KN_IRFFT } fft_kind;

typedef struct transform {
    kna_op op;
    fft_kind kind;
    kni_atom x, given; /* given: as it came */
    bool refused;      /* complex numbers, of which there is no RFFT */
    bool half;         /* float16 */
    int n;
    int64_t axis[KN_MAX_NDIM], points[KN_MAX_NDIM]; /* -1: not given */
    knn_fft_scale scale;                            /* of the product of the points: an axis may come again and again */
} transform;

/* Extents and axes are set as they are read: there is room for many, and mostly one. */
static void begin(transform *t, const char *name, fft_kind kind)
{
    kna_begin(&t->op, name);
    t->kind = kind;
    t->x = t->given = KN_ATOM_NONE;
    t->refused = false;
    t->n = 0;
    t->scale = (knn_fft_scale){.all = 1, .known = 1};
}

/* --- arguments -------------------------------------------------------------------------------- */

bool knn_fft_power(const char *norm, bool backwards, double *power)
{
    if (!norm || !strcmp(norm, "backward"))
        *power = backwards ? -1 : 0;
    else if (!strcmp(norm, "ortho"))
        *power = -0.5;
    else if (!strcmp(norm, "forward"))
        *power = backwards ? 0 : -1;
    else
        return false;
    return true;
}

/* `backwards`: the direction in the sense of norm, which is not always that of the transform; where NumPy turns norm
 * round, it has a space more in its text. */
static void read_norm(transform *t, const char *norm, bool backwards)
{
    bool divided = t->kind == IFFT || t->kind == IRFFT; /* by the primitive */
    double power;
    if (knn_fft_power(norm, backwards, &power))
        t->scale.power = power + divided;
    else if (!kna_failed(&t->op))
        kna_fail(&t->op, KN_ERROR_VALUE, "Invalid norm value %s; should be \"backward\",%s\"ortho\" or \"forward\".",
                 norm, backwards || divided ? " " : "");
}

/* What numbers of an inexact dtype are transformed as */
static kn_dtype type_for(const transform *t, kn_dtype d)
{
    bool single = knx_is_complex(d) ? d == KN_DT(C64) : d->size <= 4;
    if (t->kind == RFFT && !knx_is_complex(d))
        return single ? KN_DT(F32) : KN_DT(F64);
    return single ? KN_DT(C64) : KN_DT(C128);
}

static void read_operand(transform *t, kn_array a)
{
    kna_op *op = &t->op;
    static const char *const names[] = {"fft", "ifft", "rfft_n_even", "irfft"};
    kni_atom x = t->given = kna_in(op, a);
    if (kna_failed(op) || knl_not_a_number(op, names[t->kind], knb_type(op->b, x).dtype))
        return;
    kn_dtype d = knl_inexact_for(knb_type(op->b, x).dtype);
    t->half = d == KN_DT(F16);
    t->refused = t->kind == RFFT && knx_is_complex(d);
    t->x = knb_astype(op->b, x, type_for(t, d));
}

/* The axes as given: in their order, and perhaps several times. */
static void read_axes(transform *t, kn_axes given, const kn_shape *s)
{
    kna_op *op = &t->op;
    int ndim = kna_failed(op) ? 0 : knb_type(op->b, t->x).ndim, count = knl_axis_count(op, given);
    bool listed = given.n > 0;
    if (!kna_failed(op) && (s->ndim < 0 || s->ndim > KN_MAX_NDIM))
        kna_fail(op, KN_ERROR_VALUE, "s has %d numbers", s->ndim);
    else if (!kna_failed(op) && s->ndim && listed && count != s->ndim)
        kna_fail(op, KN_ERROR_VALUE, "Shape and axes have different lengths.");
    if (kna_failed(op))
        return;
    t->n = listed ? count : s->ndim ? s->ndim : ndim;
    for (int i = 0; i < t->n; i++) {
        t->axis[i] = kna_normalize_axis(op, listed ? given.axis[i] : i - t->n, ndim);
        t->points[i] = s->ndim ? s->dim[i] : -1;
    }
}

static void read_axis(transform *t, int64_t axis, int64_t points)
{
    if (kna_failed(&t->op))
        return;
    t->n = 1;
    t->axis[0] = kna_normalize_axis(&t->op, axis, knb_type(t->op.b, t->x).ndim);
    t->points[0] = points;
}

/* --- transforms ------------------------------------------------------------------------------- */

static kni_atom resize(kni_builder *b, kni_atom a, int axis, int64_t n)
{
    kni_type x = knb_type(b, a);
    int64_t none[KN_MAX_NDIM] = {0}, more[KN_MAX_NDIM] = {0}, limit[KN_MAX_NDIM], extent = x.dim[axis];
    if (!knx_dim_known_le(n, extent)) {
        more[axis] = knx_dim_max(knx_dim_sub(n, extent), 0);
        a = knb_pad(b, a, knb_like(b, a, 0), none, more, NULL);
    }
    for (int i = 0; i < x.ndim; i++)
        limit[i] = i == axis ? n : x.dim[i];
    return knx_dim_known_le(extent, n) ? a : knb_slice(b, a, none, limit, NULL);
}

kni_atom knn_fft_resize(kni_builder *b, kni_atom a, int axis, int64_t n)
{
    return knx_dim_same(knb_type(b, a).dim[axis], n) ? a : resize(b, a, axis, n);
}

/* Numbers of points: those that are given, those of the operand, of IRFFT twice those but one for the last axis. */
static void prepare(transform *t)
{
    kna_op *op = &t->op;
    for (int i = 0; i < t->n && !kna_failed(op); i++) {
        int64_t extent = knb_type(op->b, t->x).dim[t->axis[i]], *n = &t->points[i];
        bool half = t->kind == IRFFT && i == t->n - 1;
        if (*n == -1)
            *n = half ? knx_dim_mul(extent - 1, 2) : extent;
        if (knx_dim_lt(*n, 1)) {
            knx_text s = {0};
            if (!kna_failed(op))
                kna_fail(op, KN_ERROR_VALUE, "Invalid number of FFT data points (%s) specified.", knx_dim_show(&s, *n));
            return;
        }
        if (knx_is_symbolic(*n))
            t->scale.all = knx_dim_mul(t->scale.all, *n);
        else
            t->scale.known *= (double)*n;
        t->x = knn_fft_resize(op->b, t->x, (int)t->axis[i], half ? knx_dim_floordiv(*n, 2) + 1 : *n);
    }
}

static bool are_distinct(const transform *t)
{
    for (int i = 0; i < t->n; i++)
        for (int j = 0; j < i; j++)
            if (t->axis[i] == t->axis[j])
                return false;
    return true;
}

static kni_atom transformed(transform *t, fft_kind kind, int first, int n)
{
    kni_builder *b = t->op.b;
    kni_p_fft p = {.fft_lengths = {n, t->points + first}, .fft_type = kind};
    int ndim = t->op.b->error ? 0 : knb_type(b, t->x).ndim;
    bool last = true;
    for (int i = 0; i < n; i++)
        last = last && t->axis[first + i] == ndim - n + i;
    if (!last)
        p.axes = (kni_ints){n, t->axis + first};
    return knb_fft(b, t->x, &p);
}

/* x times a real number: part by part, so that infinities stay what they are. */
kni_atom knn_fft_scaled(kni_builder *b, kni_atom a, const knn_fft_scale *s)
{
    if (b->error || s->power == 0)
        return a;
    kni_type x = knb_type(b, a);
    bool complex = knx_is_complex(x.dtype), root = s->power == 0.5 || s->power == -0.5;
    kn_dtype d = x.dtype == KN_DT(C64) ? KN_DT(F32) : complex ? KN_DT(F64) : x.dtype;
    kni_atom factor;
    if (knx_is_symbolic(s->all)) {
        kni_atom n = knb_mul(b, knb_dimension(b, KN_DT(F64), s->all), knb_number(b, KN_DT(F64), s->known));
        n = root ? knb_sqrt(b, n) : n;
        factor = knb_convert(b, s->power < 0 ? knb_div(b, knb_number(b, KN_DT(F64), 1), n) : n, d);
    } else {
        double n = root ? __builtin_sqrt(s->known) : s->known;
        factor = knb_number(b, d, s->power < 0 ? 1 / n : n);
    }
    if (!complex)
        return knb_mul(b, a, factor);
    kni_atom re = knb_mul(b, knb_real(b, a), factor), im = knb_mul(b, knb_imag(b, a), factor);
    return knb_complex(b, re, im);
}

static kni_atom run(transform *t)
{
    kna_op *op = &t->op;
    if (!kna_failed(op) && !t->n && t->kind >= RFFT)
        kna_fail(op, KN_ERROR_INDEX, "list index out of range");
    prepare(t);
    if (t->refused && !kna_failed(op)) { /* after what is wrong with other arguments; by its number of points */
        int64_t n = t->points[t->n - 1];
        knl_not_supported(op, knx_is_symbolic(n) || n % 2 == 0 ? "rfft_n_even" : "rfft_n_odd");
    }
    if (kna_failed(op))
        return KN_ATOM_NONE;
    if (!t->n)
        return t->given;
    if (are_distinct(t)) {
        t->x = transformed(t, t->kind, 0, t->n);
    } else { /* an axis that comes again: one after the other, the last one first, of IRFFT last */
        fft_kind others = t->kind == RFFT ? FFT : t->kind == IRFFT ? IFFT : t->kind;
        for (int i = 0; i < t->n; i++) {
            int which = t->kind == IRFFT ? i : t->n - 1 - i;
            t->x = transformed(t, which == t->n - 1 ? t->kind : others, which, 1);
        }
    }
    kni_atom y = kna_failed(op) ? KN_ATOM_NONE : knn_fft_scaled(op->b, t->x, &t->scale);
    bool back = t->half && t->kind == IRFFT && t->n == 1; /* over several axes the last one has complex numbers */
    return back && !kna_failed(op) ? knb_astype(op->b, y, KN_DT(F16)) : y;
}

/* All of a vector, as it is */
static kni_atom line(kni_builder *b, int which, const kni_atom *x, const kn_shape *shape)
{
    int64_t n = which == IRFFT ? 2 * shape->dim[0] - 2 : shape->dim[0];
    return knb_fft(b, x[0], &(kni_p_fft){.fft_lengths = {1, &n}, .fft_type = which});
}

/* The result where that is all that is asked for, of a vector that lies there; else NULL. */
static kn_array short_line(transform *t, kn_array a, const kn_fft_fft_opts *o)
{
    kna_op *op = &t->op;
    if (o->n != -1 || o->axis != -1 || o->norm)
        return NULL;
    kni_type x = kna_type(op, a);
    bool complex = t->kind != RFFT;
    if (kna_failed(op) || x.ndim != 1 || knx_is_complex(x.dtype) != complex || type_for(t, x.dtype) != x.dtype)
        return NULL;
    kn_shape shape;
    shape.ndim = 1;
    shape.dim[0] = x.dim[0];
    return kna_short_formula(op, line, t->kind, 1, x.dtype, &a, &shape);
}

static kn_array along_one(const char *name, fft_kind kind, kn_array a, const kn_fft_fft_opts *opts)
{
    KNX_OPTS(kn_fft_fft_opts, o, opts);
    transform t;
    begin(&t, name, kind);
    kn_array few = short_line(&t, a, &o);
    if (few)
        return few;
    read_operand(&t, a);
    read_axis(&t, o.axis, o.n);
    read_norm(&t, o.norm, kind == IFFT || kind == IRFFT);
    return kna_end(&t.op, run(&t));
}

kn_array kn_fft_fft(kn_array a, const kn_fft_fft_opts *opts) { return along_one("fft", FFT, a, opts); }
kn_array kn_fft_ifft(kn_array a, const kn_fft_fft_opts *opts) { return along_one("ifft", IFFT, a, opts); }
kn_array kn_fft_rfft(kn_array a, const kn_fft_fft_opts *opts) { return along_one("rfft", RFFT, a, opts); }
kn_array kn_fft_irfft(kn_array a, const kn_fft_fft_opts *opts) { return along_one("irfft", IRFFT, a, opts); }

/* irfftn of the conjugates, which norm counts as a forward transform; ihfftn the reverse. */
static kn_array hermitian(const char *name, fft_kind kind, kn_array a, kn_shape s, kn_axes axes, const char *norm)
{
    transform t;
    begin(&t, name, kind);
    read_operand(&t, a);
    if (kind == IRFFT && !kna_failed(&t.op))
        t.x = knb_conj(t.op.b, t.x);
    read_axes(&t, axes, &s);
    read_norm(&t, norm, kind == RFFT);
    kni_atom y = run(&t);
    return kna_end(&t.op, kind == RFFT && !kna_failed(&t.op) ? knb_conj(t.op.b, y) : y);
}

static kn_array hermitian_line(const char *name, fft_kind kind, kn_array a, const kn_fft_fft_opts *opts)
{
    KNX_OPTS(kn_fft_fft_opts, o, opts);
    return hermitian(name, kind, a, (kn_shape){.ndim = 1, .dim = {o.n}}, (kn_axes){{2}, {o.axis}}, o.norm);
}

static kn_array hermitian_all(const char *name, fft_kind kind, kn_array a, const kn_fft_fftn_opts *opts)
{
    KNX_OPTS(kn_fft_fftn_opts, o, opts);
    return hermitian(name, kind, a, o.s, o.axes, o.norm);
}

static kn_array hermitian_two(const char *name, fft_kind kind, kn_array a, const kn_fft_fft2_opts *opts)
{
    KNX_OPTS(kn_fft_fft2_opts, o, opts);
    return hermitian(name, kind, a, o.s, o.axes.n ? o.axes : (kn_axes){{3}, {-2, -1}}, o.norm);
}

kn_array kn_fft_hfft(kn_array a, const kn_fft_fft_opts *opts) { return hermitian_line("hfft", IRFFT, a, opts); }
kn_array kn_fft_ihfft(kn_array a, const kn_fft_fft_opts *opts) { return hermitian_line("ihfft", RFFT, a, opts); }
kn_array kn_fft_hfft2(kn_array a, const kn_fft_fft2_opts *opts) { return hermitian_two("hfft2", IRFFT, a, opts); }
kn_array kn_fft_ihfft2(kn_array a, const kn_fft_fft2_opts *opts) { return hermitian_two("ihfft2", RFFT, a, opts); }
kn_array kn_fft_hfftn(kn_array a, const kn_fft_fftn_opts *opts) { return hermitian_all("hfftn", IRFFT, a, opts); }
kn_array kn_fft_ihfftn(kn_array a, const kn_fft_fftn_opts *opts) { return hermitian_all("ihfftn", RFFT, a, opts); }

static kn_array along_several(const char *name, fft_kind kind, kn_array a, kn_shape s, kn_axes axes, const char *norm)
{
    transform t;
    begin(&t, name, kind);
    read_operand(&t, a);
    read_axes(&t, axes, &s);
    read_norm(&t, norm, kind == IFFT || kind == IRFFT);
    return kna_end(&t.op, run(&t));
}

static kn_array along_all(const char *name, fft_kind kind, kn_array a, const kn_fft_fftn_opts *opts)
{
    KNX_OPTS(kn_fft_fftn_opts, o, opts);
    return along_several(name, kind, a, o.s, o.axes, o.norm);
}

static kn_array along_two(const char *name, fft_kind kind, kn_array a, const kn_fft_fft2_opts *opts)
{
    KNX_OPTS(kn_fft_fft2_opts, o, opts);
    return along_several(name, kind, a, o.s, o.axes.n ? o.axes : (kn_axes){{3}, {-2, -1}}, o.norm);
}

kn_array kn_fft_fftn(kn_array a, const kn_fft_fftn_opts *opts) { return along_all("fftn", FFT, a, opts); }
kn_array kn_fft_ifftn(kn_array a, const kn_fft_fftn_opts *opts) { return along_all("ifftn", IFFT, a, opts); }
kn_array kn_fft_rfftn(kn_array a, const kn_fft_fftn_opts *opts) { return along_all("rfftn", RFFT, a, opts); }
kn_array kn_fft_irfftn(kn_array a, const kn_fft_fftn_opts *opts) { return along_all("irfftn", IRFFT, a, opts); }
kn_array kn_fft_fft2(kn_array a, const kn_fft_fft2_opts *opts) { return along_two("fft2", FFT, a, opts); }
kn_array kn_fft_ifft2(kn_array a, const kn_fft_fft2_opts *opts) { return along_two("ifft2", IFFT, a, opts); }
kn_array kn_fft_rfft2(kn_array a, const kn_fft_fft2_opts *opts) { return along_two("rfft2", RFFT, a, opts); }
kn_array kn_fft_irfft2(kn_array a, const kn_fft_fft2_opts *opts) { return along_two("irfft2", IRFFT, a, opts); }
