/* SPDX-License-Identifier: Apache-2.0
 * convolve.c -- scipy.signal: convolve, correlate and their forms for matrices. in1 is padded as far as the mode and
 * the boundary say, then a window of in2's shape goes over it. */
#include "kiln/signal.h"
#include "ir/ops.h"
#include "lib/internal.h"
#include "signal/by_fft.h"
#include <string.h>

typedef enum mode { FULL, SAME, VALID } mode;
typedef enum boundary { FILL, WRAP, SYMMETRIC } boundary;

typedef struct filter {
    kna_op op;
    kni_atom x, k, fill; /* what is filtered; the window, as it lies upon x; around x */
    int ndim;
    mode mode;
    boundary boundary;
    bool upper; /* "same" is the upper one of two middles */
} filter;

/* --- arguments -------------------------------------------------------------------------------- */

static void read_mode(filter *f, const char *name)
{
    static const char *const names[] = {"full", "same", "valid"};
    f->mode = FULL;
    while (name && f->mode <= VALID && strcmp(name, names[f->mode]) != 0)
        f->mode++;
    if (f->mode > VALID && !kna_failed(&f->op))
        kna_fail(&f->op, KN_ERROR_VALUE, "Acceptable mode flags are 'valid', 'same', or 'full'.");
}

static void read_boundary(filter *f, const char *name)
{
    static const struct {
        const char *name;
        boundary what;
    } names[] = {{"fill", FILL},     {"pad", FILL},       {"wrap", WRAP},
                 {"circular", WRAP}, {"symm", SYMMETRIC}, {"symmetric", SYMMETRIC}};
    f->boundary = FILL;
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i].name)) {
            f->boundary = names[i].what;
            return;
        }
    if (name && !kna_failed(&f->op))
        kna_fail(&f->op, KN_ERROR_VALUE,
                 "Acceptable boundary flags are 'fill', 'circular' (or 'wrap'), and 'symmetric' (or 'symm').");
}

static int64_t extent(filter *f, kni_atom a, int axis) { return knb_type(f->op.b, a).dim[axis]; }

/* Is in2 the larger one where one has to lie inside of the other? */
static bool must_swap(filter *f)
{
    bool first = true, second = true;
    for (int d = 0; d < f->ndim && f->mode == VALID && first; d++)
        first = knx_dim_le(extent(f, f->k, d), extent(f, f->x, d));
    for (int d = 0; d < f->ndim && !first && second; d++)
        second = knx_dim_le(extent(f, f->x, d), extent(f, f->k, d));
    if (!first && !second)
        kna_fail(&f->op, KN_ERROR_VALUE,
                 "For 'valid' mode, one must be at least as large as the other in every dimension");
    return !first;
}

static void swap(filter *f)
{
    kni_atom x = f->x;
    f->x = f->k;
    f->k = x;
}

static kni_atom reversed(filter *f, kni_atom a)
{
    int64_t axes[KN_MAX_NDIM];
    for (int d = 0; d < f->ndim; d++)
        axes[d] = d;
    return kna_failed(&f->op) || !f->ndim ? a : knb_rev(f->op.b, a, f->ndim, axes);
}

/* Reads both; `matrices`: of two axes. */
static bool begin(filter *f, const char *name, kn_array in1, kn_array in2, bool matrices, const char *other)
{
    kna_begin(&f->op, name);
    kn_array both[] = {in1, in2};
    kn_dtype d = kna_result_type(&f->op, 2, both);
    if (kna_failed(&f->op) || knl_not_a_number(&f->op, name, d))
        return false;
    f->x = kna_in_as(&f->op, in1, d);
    f->k = kna_in_as(&f->op, in2, d);
    if (kna_failed(&f->op))
        return false;
    kni_type x = knb_type(f->op.b, f->x), k = knb_type(f->op.b, f->k);
    f->ndim = x.ndim;
    f->fill = knb_like(f->op.b, f->x, 0);
    if (matrices && (x.ndim != 2 || k.ndim != 2))
        kna_fail(&f->op, KN_ERROR_VALUE, "%s inputs must both be 2-D arrays", other);
    else if (x.ndim != k.ndim)
        kna_fail(&f->op, KN_ERROR_VALUE, "%s should have the same dimensionality", other);
    else if (!kni_type_size(x) || !kni_type_size(k))
        kna_fail(&f->op, KN_ERROR_VALUE, "in1 and in2 cannot be empty");
    else if (x.ndim > KN_MAX_NDIM - 2)
        kna_fail(&f->op, KN_ERROR_VALUE, "maximum supported dimension is %d, found %d", KN_MAX_NDIM - 2, x.ndim);
    return !kna_failed(&f->op);
}

/* --- windows ---------------------------------------------------------------------------------- */

/* x along one axis with its elements again, or reflected, before and after it. */
static kni_atom continued(filter *f, kni_atom x, int axis, int64_t low, int64_t high)
{
    kni_builder *b = f->op.b;
    int64_t n = extent(f, x, axis), size = knx_dim_add(knx_dim_add(n, low), high);
    kni_atom at = knb_sub(b, knb_iota(b, KN_DT(I64), 1, &size, 0), knb_dimension(b, KN_DT(I64), low));
    int64_t period = f->boundary == WRAP ? n : knx_dim_mul(n, 2);
    at = knl_remainder(&f->op, at, period);
    if (f->boundary == SYMMETRIC)
        at = knb_min(b, at, knb_sub(b, knb_dimension(b, KN_DT(I64), period - 1), at));
    return knl_take_axis(&f->op, x, at, axis, KN_GATHER_PROMISE);
}

static kni_atom padded(filter *f)
{
    kni_atom x = f->x;
    int64_t low[KN_MAX_NDIM] = {0}, high[KN_MAX_NDIM] = {0};
    if (f->mode == VALID)
        return x;
    for (int d = 0; d < f->ndim; d++) {
        int64_t taps = extent(f, f->k, d);
        low[d] = f->mode == FULL ? taps - 1 : knx_dim_floordiv(f->upper ? taps - 1 : taps, 2);
        high[d] = f->mode == FULL ? taps - 1 : knx_dim_sub(taps - 1, low[d]);
    }
    if (f->boundary == FILL)
        return knb_pad(f->op.b, x, f->fill, low, high, NULL);
    for (int d = 0; d < f->ndim && !kna_failed(&f->op); d++)
        x = continued(f, x, d, low[d], high[d]);
    return x;
}

/* One channel of one signal. */
static kni_atom one_channel(filter *f, kni_atom a)
{
    int64_t dim[KN_MAX_NDIM] = {1, 1};
    for (int d = 0; d < f->ndim; d++)
        dim[d + 2] = extent(f, a, d);
    return knb_reshape(f->op.b, a, f->ndim + 2, dim);
}

static kni_atom correlated(filter *f)
{
    kni_builder *b = f->op.b;
    kni_atom x = kna_failed(&f->op) ? KN_ATOM_NONE : padded(f);
    if (kna_failed(&f->op))
        return KN_ATOM_NONE;
    if (!f->ndim)
        return knb_type(b, x).dtype->kind == KN_KIND_BOOL ? knb_and(b, x, f->k) : knb_mul(b, x, f->k);
    int64_t one[KN_MAX_NDIM], none[KN_MAX_NDIM], spec[KN_MAX_NDIM], dim[KN_MAX_NDIM];
    for (int d = 0; d < f->ndim + 2; d++)
        spec[d] = d;
    for (int d = 0; d < f->ndim; d++) {
        one[d] = 1;
        none[d] = 0;
        dim[d] = knx_dim_sub(extent(f, x, d), extent(f, f->k, d)) + 1;
    }
    kni_p_conv p = {.window_strides = {f->ndim, one},
                    .lo = {f->ndim, none},
                    .hi = {f->ndim, none},
                    .lhs_dilation = {f->ndim, one},
                    .rhs_dilation = {f->ndim, one},
                    .lhs_spec = {f->ndim + 2, spec},
                    .rhs_spec = {f->ndim + 2, spec},
                    .out_spec = {f->ndim + 2, spec},
                    .feature_group_count = 1,
                    .batch_group_count = 1};
    kni_atom signal = one_channel(f, x), window = one_channel(f, f->k);
    return knb_reshape(b, knb_conv_general_dilated(b, signal, window, &p), f->ndim, dim);
}

/* --- the functions ---------------------------------------------------------------------------- */

/* Is it known to be? */
static bool is_less(int64_t a, int64_t b)
{
    int64_t lower, upper;
    if (!knx_any_symbolic(a, b))
        return a < b;
    knx_dim_bounds(knx_dim_sub(b, a), &lower, &upper);
    return lower > 0;
}

/* x convolved with k: the smaller one is the window where it makes no difference. */
static kn_array convolved(filter *f)
{
    bool smaller = !kna_failed(&f->op) && f->mode == FULL && f->boundary == FILL &&
                   is_less(kni_type_size(knb_type(f->op.b, f->x)), kni_type_size(knb_type(f->op.b, f->k)));
    if (!kna_failed(&f->op) && (must_swap(f) || smaller))
        swap(f);
    f->k = reversed(f, f->k);
    return kna_end(&f->op, correlated(f));
}

static kn_array directly(const char *name, kn_array in1, kn_array in2, const char *mode_name, bool correlate)
{
    filter f = {.ndim = 0};
    if (!begin(&f, name, in1, in2, false, correlate ? "in1 and in2" : "volume and kernel"))
        return kna_end(&f.op, KN_ATOM_NONE);
    read_mode(&f, mode_name);
    if (correlate)
        f.k = knb_conj(f.op.b, reversed(&f, f.k));
    return convolved(&f);
}

/* By transforms, or by the way that is shorter; integers are rounded. */
static kn_array by_method(const char *name, kn_array in1, kn_array in2, const kn_signal_convolve_opts *o,
                          bool correlate)
{
    knl_body c;
    knl_begin(&c, name);
    kn_array both[] = {in1, in2}, y = NULL;
    kni_type x = kna_type(&c.op, in1), k = kna_type(&c.op, in2);
    kn_dtype d = kna_result_type(&c.op, 2, both);
    bool fft = !strcmp(o->method, "fft");
    if (!fft && strcmp(o->method, "auto") != 0 && !kna_failed(&c.op))
        kna_fail(&c.op, KN_ERROR_VALUE, "Acceptable method flags are 'auto', 'direct', or 'fft'.");
    else if (x.ndim != k.ndim && !kna_failed(&c.op))
        kna_fail(&c.op, KN_ERROR_VALUE, "%s should have the same dimensionality",
                 correlate ? "in1 and in2" : "volume and kernel");
    if (kna_failed(&c.op) || knl_not_a_number(&c.op, name, d))
        return knl_end(&c, NULL);
    if (!fft && !knsignal_prefers_fft(x, k, d))
        return knl_end(&c, directly(name, in1, in2, o->mode, correlate));
    kn_array first = kn_astype(in1, d, NULL), second = kn_astype(in2, d, NULL);
    if (correlate)
        second = kn_conj(kn_flip(second, NULL));
    y = knsignal_by_fft(name, first, second, o->mode, (kn_axes){{0}, {0}});
    if (knx_is_integer(d) || d->kind == KN_KIND_BOOL)
        y = kn_round(y, NULL);
    return knl_end(&c, kn_astype(y, d, NULL));
}

static kn_array by_options(const char *name, kn_array in1, kn_array in2, const kn_signal_convolve_opts *opts,
                           bool correlate)
{
    KNX_OPTS(kn_signal_convolve_opts, o, opts);
    bool direct = !o.method || !strcmp(o.method, "direct");
    return direct ? directly(name, in1, in2, o.mode, correlate) : by_method(name, in1, in2, &o, correlate);
}

kn_array kn_signal_convolve(kn_array in1, kn_array in2, const kn_signal_convolve_opts *opts)
{
    return by_options("signal_convolve", in1, in2, opts, false);
}

kn_array kn_signal_correlate(kn_array in1, kn_array in2, const kn_signal_convolve_opts *opts)
{
    return by_options("signal_correlate", in1, in2, opts, true);
}

static kn_array of_matrices(const char *name, const char *function, kn_array in1, kn_array in2,
                            const kn_signal_convolve2d_opts *o, bool convolve)
{
    filter f = {.ndim = 0};
    if (!begin(&f, name, in1, in2, true, function))
        return kna_end(&f.op, KN_ATOM_NONE);
    read_mode(&f, o->mode);
    read_boundary(&f, o->boundary);
    if (o->fillvalue) {
        f.fill = kna_in_as(&f.op, o->fillvalue, knb_type(f.op.b, f.x).dtype);
        if (!kna_failed(&f.op) && knb_type(f.op.b, f.fill).ndim)
            kna_fail(&f.op, KN_ERROR_VALUE, "fillvalue must be a scalar");
    }
    bool swapped = !kna_failed(&f.op) && must_swap(&f);
    if (swapped)
        swap(&f);
    if (kna_failed(&f.op))
        return kna_end(&f.op, KN_ATOM_NONE);
    f.k = convolve ? reversed(&f, f.k) : knb_conj(f.op.b, f.k);
    f.upper = !convolve;
    kni_atom y = correlated(&f);
    return kna_end(&f.op, swapped && !convolve ? reversed(&f, y) : y);
}

kn_array kn_signal_convolve2d(kn_array in1, kn_array in2, const kn_signal_convolve2d_opts *opts)
{
    KNX_OPTS(kn_signal_convolve2d_opts, o, opts);
    return of_matrices("signal_convolve2d", "convolve2d", in1, in2, &o, true);
}

kn_array kn_signal_correlate2d(kn_array in1, kn_array in2, const kn_signal_convolve2d_opts *opts)
{
    KNX_OPTS(kn_signal_convolve2d_opts, o, opts);
    return of_matrices("signal_correlate2d", "correlate2d", in1, in2, &o, false);
}
