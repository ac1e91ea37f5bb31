/* SPDX-License-Identifier: Apache-2.0
 * quantiles.c -- median, percentile, quantile and those that leave NaN out. The reduced axes become one, the last, of
 * whose order elements are taken at positions computed from q, or from q and the number of elements that are no NaN. */
#include "lib/compose.h"
#include "lib/kept.h"
#include <math.h>
#include <string.h>

/* A sample. */
typedef struct sample {
    kni_builder *b;
    kni_type type; /* of x, as it came in */
    int n;         /* axes */
    int64_t axes[KN_MAX_NDIM];
    kni_atom x;     /* its axes are the last one */
    bool sorted;    /* along it */
    int last;       /* that axis */
    int64_t count;  /* its extent */
    kni_atom valid; /* how many elements are no NaN, last axis 1, int64; KN_ATOM_NONE: all of them */
    kni_atom nan;   /* where a NaN makes the result one, last axis 1; KN_ATOM_NONE: nowhere */
} sample;

static bool begin(kna_op *op, sample *s, kn_array x, kn_axes axis)
{
    s->b = op->b;
    kni_atom a = kna_in(op, x);
    s->sorted = false;
    s->valid = s->nan = s->x = KN_ATOM_NONE;
    if (kna_failed(op))
        return false;
    s->type = knb_type(op->b, a);
    if (knl_not_a_number(op, "sort", s->type.dtype))
        return false;
    s->n = knl_axis_tuple(op, axis, s->type.ndim, NULL, s->axes);
    s->x = knl_axes_last(op, a, s->n, s->axes);
    if (kna_failed(op))
        return false;
    kni_type t = knb_type(op->b, s->x);
    s->last = t.ndim - 1;
    s->count = t.dim[s->last];
    return true;
}

static kni_atom last_ones(sample *s, kni_atom x, kni_atom (*reduce)(kni_builder *, kni_atom, int, const int64_t *))
{
    const int64_t axis = s->last;
    return knb_expand_dims(s->b, reduce(s->b, x, 1, &axis), s->last);
}

/* Finds out about NaN. */
static void look_for_nan(kna_op *op, sample *s, bool ignore_nan)
{
    if (kna_failed(op) || !knx_is_inexact(s->type.dtype))
        return;
    kni_atom is_nan = knb_ne(s->b, s->x, s->x);
    if (ignore_nan)
        s->valid = last_ones(s, knb_astype(s->b, knb_not(s->b, is_nan), KN_DT(I64)), knb_reduce_sum);
    else
        s->nan = last_ones(s, is_nan, knb_reduce_or);
}

static kni_atom at(kna_op *op, const sample *s, kni_atom positions)
{
    return s->sorted ? knl_take_along(op, s->x, positions, s->last, KN_GATHER_CLIP)
                     : knl_partition(op, s->x, positions, s->last, false, false, false);
}

/* Elements at two lists of positions of one shape, which are looked for together. */
static void at_both(kna_op *op, const sample *s, kni_atom p, kni_atom q, kni_atom *x, kni_atom *y)
{
    kni_builder *b = op->b;
    *x = *y = KN_ATOM_NONE;
    if (kna_failed(op))
        return;
    int64_t n = knb_type(b, p).dim[s->last], start[KN_MAX_NDIM] = {0};
    kni_atom both = at(op, s, knb_concatenate(b, 2, (kni_atom[]){p, q}, s->last));
    if (kna_failed(op))
        return;
    kn_shape limit = knl_shape_of(op, both);
    start[s->last] = n;
    *y = knb_slice(b, both, start, limit.dim, NULL);
    start[s->last] = 0, limit.dim[s->last] = n;
    *x = knb_slice(b, both, start, limit.dim, NULL);
}

/* y has the sample's other axes and one with the quantiles behind; the result has theirs (q_shape) in front, and axes
 * of extent 1 if they are kept. */
static kni_atom end(kna_op *op, const sample *s, kni_atom y, const kn_shape *q_shape, bool keepdims)
{
    kni_builder *b = op->b;
    if (kna_failed(op))
        return KN_ATOM_NONE;
    if (s->nan != KN_ATOM_NONE)
        y = knb_select(b, knb_broadcast_to(b, s->nan, knb_type(b, y)), knb_like(b, y, (double)NAN), y);
    y = knb_move_axis(b, y, s->last, 0);
    kn_shape shape = *q_shape;
    for (int i = 0, j = 0; i < s->type.ndim; i++) {
        bool gone = j < s->n && s->axes[j] == i;
        j += gone;
        if (gone && !keepdims)
            continue;
        if (shape.ndim == KN_MAX_NDIM) {
            kna_fail(op, KN_ERROR_VALUE, "maximum supported dimension for an ndarray is currently %d, found %d",
                     KN_MAX_NDIM, KN_MAX_NDIM + 1);
            return KN_ATOM_NONE;
        }
        shape.dim[shape.ndim++] = gone ? 1 : s->type.dim[i];
    }
    return knl_reshape(op, y, &shape);
}

/* ---- Median: the mean of the one or two elements in the middle. */

static kni_atom middle(kna_op *op, sample *s)
{
    kni_builder *b = op->b;
    if (kna_failed(op))
        return KN_ATOM_NONE;
    kni_type t = knb_type(b, s->x);
    kn_dtype d = knl_inexact_for(t.dtype), in = d == KN_DT(F16) || d == KN_DT(BF16) ? KN_DT(F32) : d;
    kni_atom two = knb_integer(b, KN_DT(I64), 2), one = knb_integer(b, KN_DT(I64), 1);
    kn_shape ones = {.ndim = t.ndim};
    for (int i = 0; i < t.ndim; i++)
        ones.dim[i] = i == s->last || s->valid == KN_ATOM_NONE ? 1 : t.dim[i];
    kni_atom n = s->valid != KN_ATOM_NONE ? s->valid : knl_number_of(op, KN_DT(I64), s->count);
    kni_atom high = knb_div(b, n, two), low = knb_div(b, knb_sub(b, n, one), two);
    const kni_type places = knl_shaped(KN_DT(I64), &ones);
    kni_atom p, q;
    at_both(op, s, knb_broadcast_to(b, low, places), knb_broadcast_to(b, high, places), &p, &q);
    kni_atom mean = knb_div(b, knb_add(b, knb_astype(b, p, in), knb_astype(b, q, in)), knb_number(b, in, 2));
    kni_atom odd = knb_eq(b, low, high); /* the element itself: twice of it might be infinite */
    return knb_astype(b, knb_select(b, odd, knb_astype(b, p, in), mean), d);
}

static kn_array median(const char *name, kn_array x, const kn_argmax_opts *opts, bool ignore_nan)
{
    KNX_OPTS(kn_argmax_opts, o, opts);
    kna_op op;
    sample s;
    kna_begin(&op, name);
    const kn_shape scalar = {.ndim = 0};
    kni_atom y = KN_ATOM_NONE;
    if (begin(&op, &s, x, o.axis)) {
        look_for_nan(&op, &s, ignore_nan);
        if (knx_dim_lt(0, s.count))
            y = middle(&op, &s);
        else { /* of nothing */
            kni_type t = knb_type(op.b, s.x);
            kn_shape shape = {.ndim = t.ndim};
            for (int i = 0; i < t.ndim; i++)
                shape.dim[i] = i == s.last ? 1 : t.dim[i];
            kni_type full = knl_shaped(knl_inexact_for(t.dtype), &shape);
            y = knb_broadcast_to(op.b, knb_number(op.b, full.dtype, (double)NAN), full);
            s.nan = KN_ATOM_NONE;
        }
    }
    return kna_end(&op, end(&op, &s, y, &scalar, o.keepdims));
}

static kn_array median_of_all(const kn_array *x, const void *o) { return median("median", *x, o, false); }
static kn_array median_of_numbers(const kn_array *x, const void *o) { return median("nanmedian", *x, o, true); }

kn_array kn_median(kn_array a, const kn_argmax_opts *opts)
{
    KNX_OPTS(kn_argmax_opts, o, opts);
    return knl_kept(&(knl_call){"median", median_of_all, 1, &a, &o, sizeof o});
}

kn_array kn_nanmedian(kn_array a, const kn_argmax_opts *opts)
{
    KNX_OPTS(kn_argmax_opts, o, opts);
    return knl_kept(&(knl_call){"nanmedian", median_of_numbers, 1, &a, &o, sizeof o});
}

/* ---- Methods: where in the sorted sample of n elements the quantile q lies. */

typedef enum rule { INTEGRAL, PLAIN, HALF_AT_WHOLE, HALF_BETWEEN } rule; /* what is made of the fraction */
typedef struct method {
    const char *name;
    rule rule;
    double alpha, beta; /* of n q + (alpha + q (1 - alpha - beta)) - 1 */
} method;

/* The first three take one element of those beside (n - 1) q. */
static const method methods[] = {
    {"inverted_cdf", INTEGRAL, 0, 0},
    {"averaged_inverted_cdf", HALF_AT_WHOLE, 0, 0},
    {"closest_observation", INTEGRAL, 0, 0},
    {"interpolated_inverted_cdf", PLAIN, 0, 1},
    {"hazen", PLAIN, 0.5, 0.5},
    {"weibull", PLAIN, 0, 0},
    {"linear", PLAIN, 1, 1},
    {"median_unbiased", PLAIN, 1 / 3.0, 1 / 3.0},
    {"normal_unbiased", PLAIN, 3 / 8.0, 3 / 8.0},
    {"lower", INTEGRAL, 1, 1},
    {"higher", INTEGRAL, 1, 1},
    {"midpoint", HALF_BETWEEN, 1, 1},
    {"nearest", INTEGRAL, 1, 1},
};
enum { INVERTED, AVERAGED, CLOSEST, INTERPOLATED, HAZEN, WEIBULL, LINEAR, MEDIAN, NORMAL, LOWER, HIGHER, MIDPOINT };

static const method *find_method(kna_op *op, const char *name)
{
    size_t n = sizeof methods / sizeof *methods;
    for (size_t i = 0; i < n; i++)
        if (!strcmp(methods[i].name, name ? name : "linear"))
            return &methods[i];
    knx_text t = {0};
    for (size_t i = 0; i < n; i++) {
        knx_text_add(&t, i ? ", '" : "'");
        knx_text_add(&t, "%s", methods[i].name);
        knx_text_add(&t, "'");
    }
    if (!kna_failed(op))
        kna_fail(op, KN_ERROR_VALUE, "'%s' is not a valid method. Use one of: dict_keys([%s])", name, t.s);
    return NULL;
}

/* The position before (a float), for methods that take one element: the next one unless `stay`. */
static kni_atom boundary(kni_builder *b, kni_atom index, bool closest)
{
    kni_atom before = knb_floor(b, index), whole = knb_eq(b, index, before), zero = knb_like(b, index, 0);
    if (closest) {
        kni_atom half = knb_mul(b, before, knb_like(b, before, 0.5));
        whole = knb_and(b, whole, knb_ne(b, half, knb_floor(b, half)));
    }
    return knb_max(b, knb_select(b, whole, before, knb_add(b, before, knb_like(b, before, 1))), zero);
}

/* The virtual index, in q's dtype; n has that dtype, too. */
static kni_atom virtual_index(kni_builder *b, const method *m, kni_atom n, kni_atom q)
{
    kni_atom one = knb_like(b, q, 1), inner = knb_mul(b, knb_sub(b, n, one), q), whole = knb_mul(b, n, q);
    switch (m - methods) {
    case INVERTED: return boundary(b, knb_sub(b, whole, one), false);
    case AVERAGED: return knb_sub(b, whole, one);
    case CLOSEST: return boundary(b, knb_sub(b, knb_sub(b, whole, one), knb_like(b, q, 0.5)), true);
    case LINEAR: return inner;
    case LOWER: return knb_floor(b, inner);
    case HIGHER: return knb_ceil(b, inner);
    case MIDPOINT: return knb_mul(b, knb_like(b, q, 0.5), knb_add(b, knb_floor(b, inner), knb_ceil(b, inner)));
    case INTERPOLATED:
    case HAZEN:
    case WEIBULL:
    case MEDIAN:
    case NORMAL: {
        kni_atom part = knb_mul(b, q, knb_like(b, q, 1 - m->alpha - m->beta));
        return knb_sub(b, knb_add(b, whole, knb_add(b, knb_like(b, q, m->alpha), part)), one);
    }
    default: return knb_round(b, inner, true);
    }
}

/* a + (b - a) t, from the nearer end. */
static kni_atom interpolate(kni_builder *b, kni_atom low, kni_atom high, kni_atom t, kn_dtype d)
{
    kni_atom p = knb_astype(b, low, d), q = knb_astype(b, high, d), away = knb_sub(b, q, p);
    kni_atom far = knb_ge(b, t, knb_like(b, t, 0.5)), rest = knb_sub(b, knb_like(b, t, 1), t);
    kni_atom from_low = knb_add(b, p, knb_mul(b, away, knb_astype(b, t, d)));
    kni_atom from_high = knb_sub(b, q, knb_mul(b, away, knb_astype(b, rest, d)));
    return knb_select(b, far, from_high, from_low);
}

/* The fraction of the way from one element to the next. */
static kni_atom fraction(kni_builder *b, const method *m, kni_atom index, kni_atom before)
{
    kni_atom f = knb_sub(b, index, before), whole = knb_eq(b, f, knb_like(b, f, 0)), half = knb_like(b, f, 0.5);
    if (m->rule == HALF_AT_WHOLE)
        return knb_select(b, whole, half, knb_like(b, f, 1));
    return m->rule == HALF_BETWEEN ? knb_select(b, whole, knb_like(b, f, 0), half) : f;
}

/* q as a vector along the sample's last axis, of the dtype in which positions are computed. */
typedef struct quantiles {
    kni_atom q;
    kn_shape shape;
    bool weak, integral;
} quantiles;

static kni_atom to_vector(kna_op *op, const sample *s, kni_atom q)
{
    kn_shape shape = {.ndim = s->last + 1};
    for (int i = 0; i < s->last; i++)
        shape.dim[i] = 1;
    if (kna_failed(op))
        return q;
    shape.dim[s->last] = kni_type_size(knb_type(op->b, q));
    return knl_reshape(op, q, &shape);
}

static kni_atom pick(kna_op *op, sample *s, const method *m, const quantiles *given)
{
    kni_builder *b = op->b;
    if (kna_failed(op))
        return KN_ATOM_NONE;
    kn_dtype dq = knb_type(b, given->q).dtype, da = s->type.dtype;
    kni_atom n = s->valid != KN_ATOM_NONE ? s->valid : knl_number_of(op, KN_DT(I64), s->count);
    kni_atom q = given->q, top = knb_sub(b, n, knb_like(b, n, 1));
    if (s->valid != KN_ATOM_NONE) { /* both of the common shape */
        kn_shape full = knl_shape_of(op, n);
        full.dim[s->last] = knb_type(b, q).dim[s->last];
        n = knb_broadcast_to(b, n, knl_shaped(KN_DT(I64), &full));
        top = knb_broadcast_to(b, top, knl_shaped(KN_DT(I64), &full));
        q = knb_broadcast_to(b, q, knl_shaped(KN_DT(I64), &full));
    }
    kni_atom index = virtual_index(b, m, knb_astype(b, n, dq), q);
    kni_atom zero = knb_integer(b, KN_DT(I64), 0);
    if (m->rule == INTEGRAL || given->integral)
        return at(op, s, knb_max(b, knb_min(b, knb_astype(b, index, KN_DT(I64)), top), zero));
    if (da->kind == KN_KIND_BOOL) {
        kna_fail(op, KN_ERROR_TYPE, "%s",
                 "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` operator, "
                 "or the logical_xor function instead.");
        return KN_ATOM_NONE;
    }
    kni_atom before = knb_astype(b, knb_floor(b, index), KN_DT(I64));
    kni_atom above = knb_ge(b, index, knb_astype(b, top, dq)), below = knb_lt(b, index, knb_like(b, index, 0));
    kni_atom lower = knb_select(b, above, top, knb_select(b, below, zero, before));
    kni_atom upper = knb_select(b, above, top, knb_select(b, below, zero, knb_add(b, before, knb_like(b, before, 1))));
    lower = knb_max(b, lower, zero), upper = knb_max(b, upper, zero);
    kni_atom t = fraction(b, m, index, knb_astype(b, lower, dq));
    kn_dtype d = given->weak ? knl_inexact_for(da) : knx_promote(da, dq);
    kni_atom low, high;
    at_both(op, s, lower, upper, &low, &high);
    if (kna_failed(op))
        return KN_ATOM_NONE;
    t = knb_broadcast_to(b, t, knb_type(b, low));
    return interpolate(b, low, high, t, d);
}

/* ---- Weights: the first element up to which their sum reaches q. */

static void check_values(kna_op *op, kn_array x, double low, double high, const char *what)
{
    kni_type t;
    if (kna_failed(op) || !knl_may_look(x))
        return;
    const char *p = kna_look(op, x, &t);
    int64_t n = p ? kni_type_size(t) : 0;
    for (int64_t i = 0; i < n; i++) {
        double v = 0;
        knx_convert(t.dtype, p + (size_t)i * t.dtype->size, KN_DT(F64), &v);
        if (!(v >= low && v <= high)) {
            kna_fail(op, KN_ERROR_VALUE, "%s", what);
            return;
        }
    }
}

/* Weights are numbers from 0 on, and not all zero. */
static void check_weights(kna_op *op, kn_array weights)
{
    kni_type t;
    double sum = 0, v = 0;
    if (kna_failed(op) || !knl_may_look(weights))
        return;
    const char *p = kna_look(op, weights, &t);
    int64_t n = p ? kni_type_size(t) : 0;
    for (int64_t i = 0; i < n; i++, sum += v) {
        knx_convert(t.dtype, p + (size_t)i * t.dtype->size, KN_DT(F64), &v);
        if (v < 0) {
            kna_fail(op, KN_ERROR_VALUE, "Weights must be non-negative.");
            return;
        }
    }
    if (n && !(sum > 0 && sum < INFINITY))
        kna_fail(op, KN_ERROR_VALUE, "Weights included NaN, inf or were all zero.");
}

/* The weights with a's shape. */
static kni_atom weights_like(kna_op *op, const sample *s, kn_array weights, bool has_axis)
{
    kni_atom w = kna_in_as(op, weights, KN_DT(F64));
    if (kna_failed(op))
        return w;
    kni_type t = knb_type(op->b, w);
    if (kni_type_same_shape(t, s->type))
        return w;
    bool fits = t.ndim == s->n;
    kn_shape shape = {.ndim = s->type.ndim};
    for (int i = 0; i < s->type.ndim; i++)
        shape.dim[i] = 1;
    for (int i = 0; i < s->n && fits; i++) {
        fits = knx_dim_eq(t.dim[i], s->type.dim[s->axes[i]]);
        shape.dim[s->axes[i]] = s->type.dim[s->axes[i]];
    }
    if (!has_axis)
        kna_fail(op, KN_ERROR_TYPE, "Axis must be specified when shapes of a and weights differ.");
    else if (!fits)
        kna_fail(op, KN_ERROR_VALUE, "Shape of weights must be consistent with shape of a along specified axis.");
    if (kna_failed(op))
        return KN_ATOM_NONE;
    return knb_broadcast_to(op->b, knl_reshape(op, w, &shape), s->type);
}

static kni_atom pick_weighted(kna_op *op, sample *s, kni_atom weights, kni_atom q, bool ignore_nan)
{
    kni_builder *b = op->b;
    kni_atom pair[2] = {s->x, knl_axes_last(op, weights, s->n, s->axes)}, sorted[2];
    knl_sort(op, 2, pair, s->last, 1, sorted);
    s->x = sorted[0];
    s->sorted = true;
    look_for_nan(op, s, ignore_nan);
    if (kna_failed(op))
        return KN_ATOM_NONE;
    kni_atom w = sorted[1], zero = knb_number(b, KN_DT(F64), 0);
    if (s->valid != KN_ATOM_NONE)
        w = knb_select(b, knb_ne(b, s->x, s->x), zero, w);
    kni_type t = knb_type(b, w);
    kni_atom cdf = knb_cumsum(b, w, s->last, false), total = last_ones(s, cdf, knb_reduce_max);
    cdf = knb_div(b, cdf, knb_broadcast_to(b, total, t));
    kn_dtype d = knb_type(b, q).dtype;
    cdf = knb_astype(b, cdf, d);
    cdf = knb_select(b, knb_eq(b, cdf, knb_like(b, cdf, 0)), knb_like(b, cdf, -1), cdf);
    if (kna_failed(op))
        return KN_ATOM_NONE;
    cdf = knb_expand_dims(b, cdf, s->last); /* [..., 1, n] */
    kn_shape full = knl_shape_of(op, cdf);
    int64_t n_q = kni_type_size(knb_type(b, q)), axis = full.ndim - 1;
    full.dim[s->last] = n_q;
    kn_shape column = {.ndim = full.ndim};
    for (int i = 0; i < full.ndim; i++)
        column.dim[i] = i == s->last ? n_q : 1;
    kni_type shape = knl_shaped(KN_DT(F64), &full);
    kni_atom before =
        knb_lt(b, knb_broadcast_to(b, cdf, shape), knb_broadcast_to(b, knl_reshape(op, q, &column), shape));
    kni_atom index = knb_reduce_sum(b, knb_astype(b, before, KN_DT(I64)), 1, &axis);
    kni_atom top = knl_number_of(op, KN_DT(I64), s->count - 1);
    if (s->valid != KN_ATOM_NONE && !kna_failed(op))
        top = knb_broadcast_to(b, knb_sub(b, s->valid, knb_integer(b, KN_DT(I64), 1)), knb_type(b, index));
    return at(op, s, knb_max(b, knb_min(b, index, top), knb_integer(b, KN_DT(I64), 0)));
}

/* ---- Quantiles. */

typedef struct kind {
    const char *name, *range;
    double scale;
    bool ignore_nan;
} kind;

static void read_q(kna_op *op, const kind *k, kn_array q, const kn_quantile_opts *o, quantiles *g)
{
    kni_type t = kna_type(op, q);
    if (kna_failed(op))
        return;
    g->weak = t.weak;
    g->integral = false;
    kn_dtype d = knx_is_inexact(t.dtype) ? (t.weak ? KN_DT(F64) : t.dtype) : KN_DT(F64);
    if (knx_is_integer(t.dtype) && k->scale == 1)
        g->integral = !o->method || !strcmp(o->method, "linear");
    if (t.ndim > 2)
        kna_fail(op, KN_ERROR_VALUE, "q must be a scalar or 1d");
    check_values(op, q, 0, k->scale, k->range);
    kni_atom a = kna_in_as(op, q, d);
    g->shape = knl_shape_of(op, a);
    g->q = k->scale == 1 ? a : knb_div(op->b, a, knb_like(op->b, a, k->scale));
}

static kn_array quantile(const kind *k, kn_array x, kn_array q, const kn_quantile_opts *opts)
{
    KNX_OPTS(kn_quantile_opts, o, opts);
    kna_op op;
    sample s;
    quantiles g = {.q = KN_ATOM_NONE, .shape.ndim = 0};
    kna_begin(&op, k->name);
    kni_type t = kna_type(&op, x);
    bool empty = !kna_failed(&op) && knx_dim_eq(kni_type_size(t), 0);
    if (!kna_failed(&op) && knx_is_complex(t.dtype))
        kna_fail(&op, KN_ERROR_TYPE, "a must be an array of real numbers");
    read_q(&op, k, q, &o, &g);
    kni_atom y = KN_ATOM_NONE;
    if (!kna_failed(&op) && o.weights && (!o.method || strcmp(o.method, "inverted_cdf") != 0))
        kna_fail(&op, KN_ERROR_VALUE, "Only method 'inverted_cdf' supports weights. Got: %s.",
                 o.method ? o.method : "linear");
    const method *m = find_method(&op, o.method);
    if (kna_failed(&op) || !begin(&op, &s, x, o.axis))
        return kna_end(&op, KN_ATOM_NONE);
    if (empty && k->ignore_nan) { /* whatever the quantiles are */
        kn_array mean = kn_nanmean(x, KNL_WITH(kn_mean_opts, .axis = o.axis, .keepdims = o.keepdims));
        kn_array same = kna_end(&op, kna_in(&op, mean));
        if (mean)
            kn_release(mean);
        return same;
    }
    if (!knx_dim_lt(0, s.count))
        kna_fail(&op, KN_ERROR_INDEX, "index -1 is out of bounds for axis 0 with size 0");
    g.q = to_vector(&op, &s, g.q);
    if (o.weights) {
        kni_atom w = weights_like(&op, &s, o.weights, o.axis.n > 0);
        check_weights(&op, o.weights);
        y = kna_failed(&op) ? KN_ATOM_NONE : pick_weighted(&op, &s, w, g.q, k->ignore_nan);
    } else {
        look_for_nan(&op, &s, k->ignore_nan);
        y = pick(&op, &s, m, &g);
    }
    return kna_end(&op, end(&op, &s, y, &g.shape, o.keepdims));
}

#define QUANTILES  "Quantiles must be in the range [0, 1]"
#define PERCENTILE "Percentiles must be in the range [0, 100]"

kn_array kn_quantile(kn_array a, kn_array q, const kn_quantile_opts *opts)
{
    return quantile(&(const kind){"quantile", QUANTILES, 1, false}, a, q, opts);
}

kn_array kn_percentile(kn_array a, kn_array q, const kn_quantile_opts *opts)
{
    return quantile(&(const kind){"percentile", PERCENTILE, 100, false}, a, q, opts);
}

kn_array kn_nanquantile(kn_array a, kn_array q, const kn_quantile_opts *opts)
{
    return quantile(&(const kind){"nanquantile", QUANTILES, 1, true}, a, q, opts);
}

kn_array kn_nanpercentile(kn_array a, kn_array q, const kn_quantile_opts *opts)
{
    return quantile(&(const kind){"nanpercentile", PERCENTILE, 100, true}, a, q, opts);
}
