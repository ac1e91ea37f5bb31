/* SPDX-License-Identifier: Apache-2.0
 * test_conv_sweep.c -- convolutions over a pseudo-random cover of shapes, strides, dilations, paddings, groups, orders
 * of axes, layouts and dtypes: their bits are those of the definition, whatever runs them, and their gradients are
 * those of the definition in double precision. KILN_TEST_LONG=1: more; KILN_TEST_SEED=n: that one. */
#include "support/expect.h"
#include "support/group.h"
#include "support/sweep.h"
#include <stdlib.h>

#define below  sweep_below
#define ONE_OF SWEEP_ONE_OF
enum { ROUNDS = 220, LONG_ROUNDS = 6000, SAMPLE_STEPS = 20000, SPATIAL = 3, GRADIENT_STEPS = 200000 };

/* ---- A case. */

typedef struct spatial { /* one axis of it */
    int64_t lhs, rhs, out, stride, low, high, lhs_dilation, rhs_dilation;
} spatial;
typedef struct spec { /* plain data without gaps, so that it can be a function's constant */
    uint64_t seed;
    int64_t dtype, result; /* ids; result -1: not given */
    int64_t n, batch, in, features, groups, batch_groups;
    spatial s[SPATIAL];
    int64_t lhs_spec[5], rhs_spec[5], out_spec[5]; /* axes: of batch, features, spatial ones */
    sweep_operand lhs, rhs;
    int64_t scaled, bias_relu;
} spec;

static void choose_spatial(spatial *s, int64_t n, bool plain)
{
    int64_t most = n == 1 ? 60 : n == 2 ? 18 : 7;
    s->lhs = below(12) ? 1 + below(most) : below(2);
    s->rhs = ONE_OF(1, 2, 3, 3, 3, 4, 5);
    s->stride = plain ? 1 : ONE_OF(1, 1, 2, 3);
    s->lhs_dilation = plain || below(3) ? 1 : ONE_OF(2, 3);
    s->rhs_dilation = plain || below(3) ? 1 : ONE_OF(2, 3);
    s->low = plain ? s->rhs / 2 : below(5) - 1;
    s->high = plain ? s->rhs / 2 : below(5) - 1;
    int64_t lhs = s->lhs ? (s->lhs - 1) * s->lhs_dilation + 1 : 0, rhs = (s->rhs - 1) * s->rhs_dilation + 1;
    if (lhs + s->low < 0 || lhs + s->high < 0 || lhs + s->low + s->high < 0)
        s->low = s->high = 0;
    int64_t room = lhs + s->low + s->high - rhs;
    s->out = room < 0 ? 0 : room / s->stride + 1;
}

static void choose_order(int64_t n, int64_t *to, int usual)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = i;
    if (usual == 1) { /* features last */
        to[1] = n - 1;
        for (int64_t i = 2; i < n; i++)
            to[i] = i - 1;
    } else if (usual == 2)
        for (int64_t i = n - 1; i > 0; i--) {
            int64_t j = below(i + 1), held = to[i];
            to[i] = to[j];
            to[j] = held;
        }
}

static void choose_features(spec *s)
{
    static const int64_t some[] = {1, 2, 3, 4, 8, 13, 16, 17, 30, 32, 33, 64, 70};
    s->batch = 1 + below(3);
    s->in = some[below(13)];
    s->features = some[below(13)];
    s->groups = s->batch_groups = 1;
    int64_t g = ONE_OF(2, 3, 4, 16);
    switch (below(6)) {
    case 0: /* groups of features */ s->groups = g, s->in = g * (1 + below(9)), s->features = g * (1 + below(9)); break;
    case 1: /* depthwise */ s->groups = s->in, s->features = s->in * (1 + below(2)); break;
    case 2: s->batch_groups = g, s->batch = g * (1 + below(3)), s->features = g * (1 + below(9)); break;
    default: break;
    }
}

/* The axes of an operand: extents of batch or output features, features, spatial ones, in the order of its spec. */
static void shape_operand(sweep_operand *o, int64_t n, const int64_t *order, int64_t first, int64_t second,
                          const spatial *s, bool rhs)
{
    o->n = n + 2;
    o->axis[order[0]].extent = first;
    o->axis[order[1]].extent = second;
    for (int64_t i = 0; i < n; i++)
        o->axis[order[2 + i]].extent = rhs ? s[i].rhs : s[i].lhs;
    sweep_lay_out(o);
}

/* As in networks: images of many positions, the features of a layer, and the gradients by its kernel, in which taps are
 * many and positions few. */
static void choose_network(spec *s)
{
    bool gradient = below(2), deep = below(2);
    s->n = 2;
    s->batch = 1 + below(3);
    s->in = deep ? 8 + below(34) : ONE_OF(1, 3, 4, 16);
    s->features = deep ? s->in : ONE_OF(1, 5, 17, 32, 40);
    s->groups = deep && !gradient ? s->in : 1;
    s->batch_groups = 1;
    if (gradient) {
        int64_t images = s->batch;
        s->batch = s->in;
        s->in = images;
        s->batch_groups = deep ? s->batch : 1;
    }
    for (int i = 0; i < 2; i++) {
        spatial *x = &s->s[i];
        int64_t taps = ONE_OF(1, 3, 3, 5, 7), step = ONE_OF(1, 1, 2), dilation = ONE_OF(1, 1, 2);
        int64_t pad = below(2) ? taps / 2 * dilation : 0, lhs = (taps - 1) * dilation + 1 + below(i ? 70 : 30);
        int64_t out = (lhs + 2 * pad - (taps - 1) * dilation - 1) / step + 1;
        *x = (spatial){lhs, taps, out, step, pad, pad, 1, dilation};
        if (gradient)
            *x = (spatial){lhs, out, 0, dilation, pad, pad, 1, step};
        x->out = (lhs + 2 * pad - (x->rhs - 1) * x->rhs_dilation - 1) / x->stride + 1;
    }
}

static spec make_spec(uint64_t seed)
{
    spec s;
    memset(&s, 0, sizeof s);
    sweep_begin(seed);
    s.seed = seed;
    s.n = ONE_OF(1, 2, 2, 2, 3);
    bool plain = below(3) == 0;
    for (int64_t i = 0; i < s.n; i++)
        choose_spatial(&s.s[i], s.n, plain);
    choose_features(&s);
    int usual = (int)below(3);
    if (seed % 6 == 5)
        choose_network(&s);
    choose_order(s.n + 2, s.lhs_spec, usual);
    choose_order(s.n + 2, s.rhs_spec, usual == 1 ? 2 : usual);
    choose_order(s.n + 2, s.out_spec, usual);
    if (usual == 1) { /* HWIO */
        s.rhs_spec[0] = s.n + 1, s.rhs_spec[1] = s.n;
        for (int64_t i = 0; i < s.n; i++)
            s.rhs_spec[2 + i] = i;
    }
    s.dtype = ONE_OF(KN_ID_F32, KN_ID_F32, KN_ID_F32, KN_ID_F64, KN_ID_F16, KN_ID_BF16, KN_ID_C64, KN_ID_C128, KN_ID_I8,
                     KN_ID_U8, KN_ID_I32, KN_ID_I64);
    s.result = -1;
    if (below(2))
        s.result = s.dtype == KN_ID_F16 || s.dtype == KN_ID_BF16 ? KN_ID_F32
                   : s.dtype == KN_ID_I8                         ? KN_ID_I32
                   : s.dtype == KN_ID_U8                         ? KN_ID_U32
                                                                 : -1;
    shape_operand(&s.lhs, s.n, s.lhs_spec, s.batch, s.in, s.s, false);
    shape_operand(&s.rhs, s.n, s.rhs_spec, s.features, s.in / s.groups, s.s, true);
    s.scaled = below(2);
    s.bias_relu = below(2);
    return s;
}

/* ---- Its functions. */

static kn_axes axes_of(int64_t n, const int64_t *order)
{
    kn_axes a = {.n = (int)n + 1};
    for (int64_t i = 0; i < n; i++)
        a.axis[i] = (int32_t)order[i];
    return a;
}

static kn_array convolve(const spec *s, kn_array lhs, kn_array rhs)
{
    kn_shape stride = {.ndim = (int)s->n}, lhs_dilation = stride, rhs_dilation = stride;
    kn_lax_pad_pair pairs[SPATIAL];
    for (int64_t i = 0; i < s->n; i++) {
        stride.dim[i] = s->s[i].stride;
        lhs_dilation.dim[i] = s->s[i].lhs_dilation;
        rhs_dilation.dim[i] = s->s[i].rhs_dilation;
        pairs[i] = (kn_lax_pad_pair){s->s[i].low, s->s[i].high};
    }
    kn_lax_pads pads = {.n = (int)s->n, .pair = pairs};
    kn_lax_conv_numbers numbers = {.lhs_spec = axes_of(s->n + 2, s->lhs_spec),
                                   .rhs_spec = axes_of(s->n + 2, s->rhs_spec),
                                   .out_spec = axes_of(s->n + 2, s->out_spec)};
    kn_dtype result = s->result < 0 ? NULL : kn_dtype_builtin((int)s->result);
    return kn_lax_conv_general_dilated(lhs, rhs, stride, pads, .lhs_dilation = &lhs_dilation,
                                       .rhs_dilation = &rhs_dilation, .dimension_numbers = numbers,
                                       .feature_group_count = s->groups, .batch_group_count = s->batch_groups,
                                       .preferred_element_type = result);
}

static kn_array only(const spec *s, const kn_array *lhs, const kn_array *rhs)
{
    return convolve(s, sweep_view(&s->lhs, *lhs), sweep_view(&s->rhs, *rhs));
}
static kn_array given(const spec *s, const kn_array *lhs, const kn_array *rhs) { return convolve(s, *lhs, *rhs); }
/* With something before and after it: a bias for each feature, and relu. */
static kn_array whole(const spec *s, const kn_array *lhs, const kn_array *rhs, const kn_array *bias)
{
    kn_array x = sweep_view(&s->lhs, *lhs);
    char kind = kn_dtype_kind(kn_dtype_of(x));
    if (s->scaled)
        x = kind == 'f' || kind == 'c' ? kn_sub(kn_mul(x, 0.75), 0.125) : kn_add(x, 3);
    kn_array c = convolve(s, x, sweep_view(&s->rhs, *rhs));
    kn_shape shape = {.ndim = (int)s->n + 2};
    for (int i = 0; i < shape.ndim; i++)
        shape.dim[i] = i == s->out_spec[1] ? s->features : 1;
    if (s->bias_relu)
        c = kn_add(c, kn_reshape(*bias, shape));
    return s->bias_relu && kind != 'c' ? kn_maximum(c, 0) : c;
}
static kn_array weighed(const spec *s, const kn_array *lhs, const kn_array *rhs, const kn_array *g)
{
    return kn_sum(kn_mul(convolve(s, *lhs, *rhs), *g));
}
KN_FUNCTION_ENV(only, kn_array, spec, kn_array, kn_array)
KN_FUNCTION_ENV(given, kn_array, spec, kn_array, kn_array)
KN_FUNCTION_ENV(whole, kn_array, spec, kn_array, kn_array, kn_array)
KN_FUNCTION_ENV(weighed, kn_array, spec, kn_array, kn_array, kn_array)

/* ---- The definition. */

static int64_t window_size(const spec *s)
{
    int64_t n = 1;
    for (int64_t i = 0; i < s->n; i++)
        n *= s->s[i].rhs;
    return n;
}
static int64_t positions(const spec *s)
{
    int64_t n = 1;
    for (int64_t i = 0; i < s->n; i++)
        n *= s->s[i].out;
    return n;
}

/* One element of the result: image, feature and position; and one step of its sum: where its elements are in the
 * operands' own indices. */
typedef struct step {
    int64_t lhs[5], rhs[5]; /* by the axes of the operands */
    bool inside, hole;      /* hole: no step of the sum at all */
} step;

static int64_t common_divisor(int64_t x, int64_t y) { return y ? common_divisor(y, x % y) : x; }

/* Is a tap between two elements of a dilated dimension no step? */
static bool leaves_holes_out(const spatial *p)
{
    return p->stride == 1 && p->lhs_dilation <= 8 && p->lhs > 0 &&
           common_divisor(p->rhs_dilation, p->lhs_dilation) == 1;
}

static step step_of(const spec *s, int64_t image, int64_t feature, const int64_t *at, int64_t window, int64_t channel)
{
    int64_t w[SPATIAL] = {0}, extents[SPATIAL] = {0};
    step x = {.inside = true};
    for (int64_t i = 0; i < s->n; i++)
        extents[i] = s->s[i].rhs;
    sweep_unravel(window, s->n, extents, w);
    int64_t per_group = s->in / s->groups, group = feature / (s->features / s->groups);
    int64_t batch_group = feature / (s->features / s->batch_groups);
    x.lhs[s->lhs_spec[0]] = batch_group * (s->batch / s->batch_groups) + image;
    x.lhs[s->lhs_spec[1]] = group * per_group + channel;
    x.rhs[s->rhs_spec[0]] = feature;
    x.rhs[s->rhs_spec[1]] = channel;
    for (int64_t i = 0; i < s->n; i++) {
        const spatial *p = &s->s[i];
        int64_t position = at[i] * p->stride + w[i] * p->rhs_dilation - p->low;
        x.hole = x.hole || (position % p->lhs_dilation != 0 && leaves_holes_out(p));
        x.inside = x.inside && position >= 0 && position % p->lhs_dilation == 0 && position / p->lhs_dilation < p->lhs;
        x.lhs[s->lhs_spec[2 + i]] = position / p->lhs_dilation;
        x.rhs[s->rhs_spec[2 + i]] = w[i];
    }
    return x;
}

/* The indices of element number i of the result. */
static void element_of(const spec *s, int64_t i, int64_t *image, int64_t *feature, int64_t *at)
{
    int64_t extent[5], index[5];
    extent[s->out_spec[0]] = s->batch / s->batch_groups;
    extent[s->out_spec[1]] = s->features;
    for (int64_t k = 0; k < s->n; k++)
        extent[s->out_spec[2 + k]] = s->s[k].out;
    sweep_unravel(i, s->n + 2, extent, index);
    *image = index[s->out_spec[0]];
    *feature = index[s->out_spec[1]];
    for (int64_t k = 0; k < s->n; k++)
        at[k] = index[s->out_spec[2 + k]];
}

static bool as_defined(const spec *s, const char *lhs, const char *rhs, const sweep_values *c)
{
    kn_dtype d = kn_dtype_builtin((int)s->dtype);
    int64_t windows = window_size(s), channels = s->in / s->groups, samples = 8 + SAMPLE_STEPS / (windows * channels);
    for (int64_t j = 0; j < samples && j < c->n; j++) {
        int64_t i = samples >= c->n ? j : j < 2 ? j * (c->n - 1) : below(c->n), image, feature, at[SPATIAL];
        element_of(s, i, &image, &feature, at);
        fold f = fold_begin(d, c->d);
        for (int64_t k = 0; k < windows * channels; k++) {
            step x = step_of(s, image, feature, at, k / channels, k % channels);
            if (x.hole)
                continue;
            fold_step(&f, x.inside ? lhs + sweep_place(&s->lhs, x.lhs) * (int64_t)d->size : NULL,
                      rhs + sweep_place(&s->rhs, x.rhs) * (int64_t)d->size);
        }
        if (!sweep_as_defined(s->seed, i, &f, c->at + i * (int64_t)c->d->size))
            return false;
    }
    return true;
}

/* ---- Judging. */

typedef struct scene {
    spec s;
    char *lhs_bytes, *rhs_bytes;
    kn_array lhs, rhs, bias;
} scene;

/* Its arrays belong to the scope that is open. */
static scene make_scene(uint64_t seed)
{
    scene c = {.s = make_spec(seed)};
    int kind = below(4) ? SWEEP_COMMON : below(2) ? SWEEP_ODD : SWEEP_UNEVEN;
    int64_t k = window_size(&c.s) * c.s.in / c.s.groups;
    kn_dtype d = kn_dtype_builtin((int)c.s.dtype), r = c.s.result < 0 ? d : kn_dtype_builtin((int)c.s.result);
    kn_shape lhs = sweep_stored_shape(&c.s.lhs), rhs = sweep_stored_shape(&c.s.rhs);
    c.lhs_bytes = sweep_elements(d, sweep_stored_size(&c.s.lhs), k, kind);
    c.rhs_bytes = sweep_elements(d, sweep_stored_size(&c.s.rhs), k, kind);
    c.lhs = sweep_array(c.lhs_bytes, &lhs, d);
    c.rhs = sweep_array(c.rhs_bytes, &rhs, d);
    char *bias = sweep_elements(r, c.s.features, k, SWEEP_COMMON);
    c.bias = sweep_array(bias, &KN_SHAPE(c.s.features), r);
    free(bias);
    return c;
}

static bool runs_alike(const scene *c, const sweep_values *want)
{
    static const int threads[] = {1, 2, 3, 7};
    const spec *s = &c->s;
    kn_fn f = kn_jit(KN_FN_ENV(only, s)), g = kn_jit(KN_FN_ENV(whole, s));
    kn_array y;
    bool good = true;
    for (int i = 0; i < 4 && good; i++) {
        KN_THREADS(threads[i]);
        kn_call(f, &y, &c->lhs, &c->rhs);
        good = sweep_equals(s->seed, "jit", y, want);
    }
    kn_set_lazy(false);
    sweep_values composite = sweep_take(whole(s, &c->lhs, &c->rhs, &c->bias));
    kn_set_lazy(true);
    good = good && composite.at;
    for (int i = 0; i < 3 && good; i += 2) {
        KN_THREADS(threads[i]);
        kn_call(g, &y, &c->lhs, &c->rhs, &c->bias);
        good = sweep_equals(s->seed, "jit with what stands before and after", y, &composite);
    }
    free(composite.at);
    return good;
}

/* vmap over a new axis of one operand or of both is a loop over it. */
static bool mapped_as_looped(const scene *c)
{
    KN_SCOPE;
    const spec *s = &c->s;
    bool both = below(3) == 0, left = both || below(2), right = both || !left, good = true;
    kn_array x = sweep_view(&s->lhs, c->lhs), w = sweep_view(&s->rhs, c->rhs), y;
    kn_array other_x = kn_flip(x), other_w = kn_flip(w);
    int at_x = (int)below(s->n + 3), at_w = (int)below(s->n + 3);
    kn_array xs = left ? kn_stack(KN_LIST(x, other_x, x), .axis = KN_AXIS(at_x)) : x;
    kn_array ws = right ? kn_stack(KN_LIST(w, other_w, other_w), .axis = KN_AXIS(at_w)) : w;
    kn_mapping none = KN_UNMAPPED;
    kn_call(kn_jit(kn_vmap(KN_FN_ENV(given, s),
                           .in_axes = {left ? KN_MAPPED(at_x) : none, right ? KN_MAPPED(at_w) : none})),
            &y, &xs, &ws);
    for (int i = 0; i < 3 && good; i++) {
        sweep_values want = sweep_take(convolve(s, left && i == 1 ? other_x : x, right && i > 0 ? other_w : w));
        good = want.at && sweep_equals(s->seed, "vmap", kn_at(y, "%", i), &want);
        free(want.at);
    }
    return good;
}

static bool check(uint64_t seed)
{
    KN_SCOPE;
    scene c = make_scene(seed);
    if (sweep_chosen()) {
        sweep_show("lhs", &c.s.lhs);
        sweep_show("rhs", &c.s.rhs);
    }
    kn_set_lazy(false);
    sweep_values want;
    {
        KN_THREADS(1);
        want = sweep_take(only(&c.s, &c.lhs, &c.rhs));
    }
    kn_set_lazy(true);
    bool good = want.at && want.n == c.s.batch / c.s.batch_groups * c.s.features * positions(&c.s) &&
                as_defined(&c.s, c.lhs_bytes, c.rhs_bytes, &want) && runs_alike(&c, &want) &&
                (seed % 3 != 0 || mapped_as_looped(&c));
    free(want.at);
    free(c.lhs_bytes);
    free(c.rhs_bytes);
    return !sweep_has_error(seed) && good;
}

static void convolutions_have_the_bits_of_the_definition_however_they_run(void **unused)
{
    (void)unused;
    assert_int_equal(sweep_failures(sweep_seeds(ROUNDS, LONG_ROUNDS), check), 0);
}

/* Windows that go backwards through memory, stand still, or lie as near as images do. */
static void operands_that_lie_in_odd_ways_are_as_defined(void **unused)
{
    (void)unused;
    static const uint64_t seed[] = {367, 777, 1875, 2084, 5508};
    for (size_t i = 0; i < sizeof seed / sizeof *seed; i++)
        assert_true(check(seed[i]));
}

/* ---- Gradients. */

/* The gradients of the sum of g times the result, added up as the definition says, in double. */
static void define_gradients(const spec *s, const double *lhs, const double *rhs, const double *g, int64_t size,
                             double *d_lhs, double *d_rhs)
{
    int64_t windows = window_size(s), channels = s->in / s->groups;
    for (int64_t i = 0; i < size; i++) {
        int64_t image, feature, at[SPATIAL];
        element_of(s, i, &image, &feature, at);
        for (int64_t k = 0; k < windows * channels; k++) {
            step x = step_of(s, image, feature, at, k / channels, k % channels);
            if (!x.inside)
                continue;
            int64_t l = sweep_place(&s->lhs, x.lhs), r = sweep_place(&s->rhs, x.rhs);
            d_lhs[l] += g[i] * rhs[r];
            d_rhs[r] += g[i] * lhs[l];
        }
    }
}

static bool near(uint64_t seed, const char *what, kn_array got, const double *want, int64_t n)
{
    sweep_values v = sweep_take(got);
    bool good = v.at && v.n == n;
    for (int64_t i = 0; i < n && good; i++) {
        double x;
        memcpy(&x, v.at + i * 8, 8);
        good = fabs(x - want[i]) <= 1e-11 * (1 + fabs(want[i]));
        if (!good)
            fprintf(stderr, "KILN_TEST_SEED=%llu: gradient by %s: element %lld is %.15g, not %.15g\n",
                    (unsigned long long)seed, what, (long long)i, x, want[i]);
    }
    free(v.at);
    return good;
}

static void plain_layout(sweep_operand *o)
{
    for (int64_t i = 0; i < o->n; i++) {
        o->order[i] = i;
        o->axis[i] = (sweep_axis){.extent = o->axis[i].extent, .step = 1, .stored = o->axis[i].extent};
    }
}

typedef struct both {
    kn_array lhs, rhs;
} both;

static bool check_gradients(uint64_t seed)
{
    KN_SCOPE;
    spec s = make_spec(seed);
    s.dtype = KN_ID_F64;
    s.result = -1;
    plain_layout(&s.lhs);
    plain_layout(&s.rhs);
    int64_t size = s.batch / s.batch_groups * s.features * positions(&s);
    int64_t n = sweep_stored_size(&s.lhs), m = sweep_stored_size(&s.rhs);
    if (size * window_size(&s) * (s.in / s.groups) > GRADIENT_STEPS)
        return true;
    char *x = sweep_elements(KN_F64, n, 1, SWEEP_COMMON), *w = sweep_elements(KN_F64, m, 1, SWEEP_COMMON);
    char *g = sweep_elements(KN_F64, size, 1, SWEEP_COMMON);
    double *dx = calloc((size_t)n + 1, 8), *dw = calloc((size_t)m + 1, 8);
    kn_shape shape = sweep_stored_shape(&s.lhs), kernel = sweep_stored_shape(&s.rhs);
    kn_array lhs = sweep_array(x, &shape, KN_F64), rhs = sweep_array(w, &kernel, KN_F64), y = convolve(&s, lhs, rhs);
    kn_shape result = kn_shape_of(y);
    kn_array weights = sweep_array(g, &result, KN_F64), d_lhs, d_rhs;
    kn_call(kn_jit(kn_grad(KN_FN_ENV(weighed, &s), .argnums = KN_ARGNUMS(0))), &d_lhs, &lhs, &rhs, &weights);
    kn_call(kn_jit(kn_grad(KN_FN_ENV(weighed, &s), .argnums = KN_ARGNUMS(1))), &d_rhs, &lhs, &rhs, &weights);
    define_gradients(&s, (double *)(void *)x, (double *)(void *)w, (double *)(void *)g, size, dx, dw);
    bool good = near(seed, "lhs", d_lhs, dx, n) && near(seed, "rhs", d_rhs, dw, m);
    free(x), free(w), free(g), free(dx), free(dw);
    return !sweep_has_error(seed) && good;
}

static void gradients_are_those_of_the_definition(void **unused)
{
    (void)unused;
    assert_int_equal(sweep_failures(sweep_seeds(ROUNDS, LONG_ROUNDS), check_gradients), 0);
}

/* ---- Backends. */

static uint64_t hash_of(uint64_t seed)
{
    scene c = make_scene(seed);
    kn_array y;
    kn_call(kn_jit(KN_FN_ENV(whole, &c.s)), &y, &c.lhs, &c.rhs, &c.bias);
    sweep_values v = sweep_take(y);
    uint64_t hash = sweep_hash(&v);
    free(v.at);
    free(c.lhs_bytes);
    free(c.rhs_bytes);
    return hash;
}

static const char *self;
static void all_backends_give_the_same_bits(void **unused)
{
    (void)unused;
    assert_int_equal(sweep_backends(self, "test_conv_sweep", sweep_seeds(ROUNDS, LONG_ROUNDS)), 0);
}

KN_TEST_GROUP(test_conv_sweep)
{
    const struct CMUnitTest tests[] = {
        TEST(convolutions_have_the_bits_of_the_definition_however_they_run),
        TEST(operands_that_lie_in_odd_ways_are_as_defined),
        TEST(gradients_are_those_of_the_definition),
        TEST(all_backends_give_the_same_bits),
    };
    self = argv[0];
    if (sweep_is_child(argc, argv))
        return sweep_print_hashes(argv, hash_of);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
