/* SPDX-License-Identifier: Apache-2.0
 * histograms.c -- counts of elements: bincount, and histograms of one and more dimensions. A primitive counts those of
 * a vector between edges. Else each finds its bin, then weights are added up by a scatter, or numbers counted. */
#include "numpy/statistics/histograms.h"
#include "array/element.h"
#include "base/context.h"
#include "base/pool.h"
#include "host/routine/count.h"
#include <string.h>

/* ---- What they share. */

static kni_atom at_edge(kna_op *op, kni_atom edges, kni_atom number)
{
    return knl_take_axis(op, edges, number, 0, KN_GATHER_CLIP);
}

/* One edge, of x's shape. */
static kni_atom edge_like(kna_op *op, kni_atom edges, int64_t i, kni_atom x)
{
    const int64_t to = i + 1, first = 0;
    kni_atom e = knb_squeeze(op->b, knb_slice(op->b, edges, &i, &to, NULL), 1, &first);
    return kna_failed(op) ? KN_ATOM_NONE : knb_broadcast_to(op->b, e, knb_type(op->b, x));
}

/* Bins of equal widths: the number is computed; rounding may have moved it by one. */
static kni_atom by_width(kna_op *op, kni_atom e, kni_atom x, int64_t n)
{
    kni_builder *b = op->b;
    kni_atom low = edge_like(op, e, 0, x), high = edge_like(op, e, n, x), one = knb_integer(b, KN_DT(I64), 1);
    kni_atom part = knb_div(b, knb_sub(b, x, low), knb_sub(b, high, low));
    kni_atom at = knb_astype(b, knb_mul(b, part, knb_like(b, part, (double)n)), KN_DT(I64));
    kni_atom last = knb_integer(b, KN_DT(I64), n - 1);
    at = knb_max(b, knb_min(b, at, last), knb_integer(b, KN_DT(I64), 0));
    at = knb_select(b, knb_lt(b, x, at_edge(op, e, at)), knb_sub(b, at, one), at);
    kni_atom next = knb_add(b, at, one), moves = knb_and(b, knb_ge(b, x, at_edge(op, e, next)), knb_ne(b, at, last));
    at = knb_select(b, moves, next, at);
    kni_atom inside = knb_and(b, knb_ge(b, x, low), knb_le(b, x, high));
    return knb_select(b, inside, at, knb_integer(b, KN_DT(I64), -1));
}

static kni_atom by_search(kna_op *op, kni_atom e, kni_atom x, int64_t n)
{
    kni_builder *b = op->b;
    kni_atom one = knb_integer(b, KN_DT(I64), 1), last = knl_number_of(op, KN_DT(I64), n - 1);
    kni_atom at = knb_sub(b, knl_search(op, e, x, true), one);
    if (n >= 0) /* the last edge belongs to the last bin */
        at = knb_select(b, knb_eq(b, x, edge_like(op, e, n, x)), last, at);
    return knb_select(b, knb_le(b, at, last), at, knb_integer(b, KN_DT(I64), -1));
}

kn_array knn_bin_of(knl_body *c, kn_array a, kn_array edges, bool uniform)
{
    kna_op *op = &c->op;
    const kn_array both[] = {a, edges};
    kn_dtype d = kna_result_type(op, 2, both);
    kni_atom x = kna_in_as(op, a, d), e = kna_in_as(op, edges, d);
    if (kna_failed(op))
        return NULL;
    int64_t n = knb_type(op->b, e).dim[0] - 1;
    return knl_made(c, uniform ? by_width(op, e, x, n) : by_search(op, e, x, n));
}

/* How many elements of the vector are in each bin, where there is a primitive for that; or NULL. */
static kn_array counted_between(knl_body *c, kn_array a, kn_array edges, bool equal)
{
    kna_op *op = &c->op;
    const kn_array both[] = {a, edges};
    kn_dtype d = kna_result_type(op, 2, both);
    if (kna_failed(op) || (d != KN_DT(F32) && d != KN_DT(F64)) || !knx_dim_lt(1, kna_type(op, edges).dim[0]))
        return NULL;
    kni_atom x = kna_in_as(op, a, d), e = kna_in_as(op, edges, d);
    return kna_failed(op) ? NULL : knl_made(c, knb_histogram(op->b, x, e, &(kni_p_histogram){.equal = equal}));
}

enum { FEW = 4096 }; /* numbers that are counted one by one */

static void count_few(const int64_t *x, int64_t n, int64_t *to, int64_t n_bin)
{
    memset(to, 0, (size_t)n_bin * sizeof *to);
    for (int64_t i = 0; i < n; i++)
        if ((uint64_t)x[i] < (uint64_t)n_bin)
            to[x[i]]++;
}

/* Outside of traces: how many of the numbers, which are looked at, are 0, 1, .. n - 1. */
static kn_array counted(kna_op *op, kn_array numbers, int64_t n)
{
    kni_type t, made = kni_type_of(KN_DT(I64), 1, &n);
    int threads = knx_context()->threads;
    knr_counting c = {.x = kna_look(op, numbers, &t), .n_bin = n};
    c.threads = threads > 0 ? threads : knx_threads_available();
    c.n = c.x ? kni_type_size(t) : 0;
    knx_buffer *buffer = c.x ? knx_buffer_new(kni_type_bytes(made)) : NULL;
    bool few = c.n <= FEW;
    void *workspace = buffer && !few ? knx_alloc((size_t)knr_count_workspace(&c) + 1) : NULL;
    if (c.x && !buffer)
        kna_fail_with(op, knx_error_nomem_for(kni_type_bytes(made), 1, &n, "int64"));
    else if (c.x && !few && !workspace) {
        knx_buffer_release(buffer);
        kna_fail_with(op, knx_error_nomem());
    }
    if (kna_failed(op))
        return NULL;
    if (few)
        count_few(c.x, c.n, buffer->data, n);
    else
        knr_count(&c, buffer->data, workspace);
    knx_free(workspace);
    kna_op whole;
    kna_begin(&whole, "");
    return kna_from_buffer(&whole, made, buffer);
}

kn_array knn_count_into(knl_body *c, kn_array numbers, kn_array weights, int64_t n)
{
    kna_op *op = &c->op;
    kni_builder *b = op->b;
    if (!weights && b->hook && !kna_failed(op) && !kna_has_batch_axes(numbers))
        return counted(op, numbers, n);
    kni_atom at = kna_in(op, numbers);
    kn_dtype d = KN_DT(I64);
    kni_atom w = weights ? kna_in(op, weights) : knb_integer(b, d, 1);
    if (kna_failed(op))
        return NULL;
    if (weights) {
        d = knb_type(b, w).dtype;
        d = knx_is_complex(d) ? KN_DT(C128) : KN_DT(F64);
    }
    kn_shape table = {1, {n}}, column = knl_shape_of(op, at);
    w = knb_broadcast_to(b, knb_astype(b, w, d), knb_type(b, at));
    column.dim[column.ndim++] = 1;
    const int64_t zero = 0;
    kni_p_scatter p = {.inserted_window_dims = {1, (int64_t *)&zero},
                       .scatter_dims_to_operand_dims = {1, (int64_t *)&zero},
                       .mode = KN_GATHER_FILL};
    kni_atom begin = knb_zeros(b, knl_shaped(d, &table));
    return knl_made(c, knb_scatter_add(b, begin, knl_reshape(op, at, &column), w, &p));
}

static kn_array flat(kn_array x) { return kn_ravel(kn_asarray(x, NULL), NULL); }

/* Differences of neighbours, float64. */
static kn_array widths(kn_array edges)
{
    int64_t n = kn_dim(edges, 0);
    kn_array e = kn_asarray(edges, NULL);
    return kn_astype(kn_subtract(knl_part("", e, 0, n ? 1 : 0, n), knl_part("", e, 0, 0, n ? n - 1 : 0)), KN_DT(F64),
                     NULL);
}

/* ---- bincount. */

static void not_safe(kna_op *op, kn_dtype from, kn_dtype to)
{
    kna_fail(op, KN_ERROR_TYPE, "Cannot cast array data from dtype('%s') to dtype('%s') according to the rule 'safe'",
             from->name, to->name);
}

/* The largest number as an unsigned one: negative ones are above all others. False after an error. */
static bool largest(kna_op *op, kn_array at, uint64_t *top)
{
    kna_lying l;
    kni_type unused;
    if (op->b->hook && kna_lies(at, &l) && kna_lies_in_order(&l) && kni_type_size(l.type) <= FEW) {
        const uint64_t *x = (const uint64_t *)(const void *)l.first;
        *top = 0;
        for (int64_t i = 0, n = kni_type_size(l.type); i < n; i++)
            *top = x[i] > *top ? x[i] : *top;
        return true;
    }
    const uint64_t *found = kna_look(op, kn_max(kn_astype(at, KN_DT(U64), NULL), NULL), &unused);
    *top = found ? *found : 0;
    return found;
}

static kn_array bincount(knl_body *c, kn_array x, const kn_bincount_opts *o)
{
    kna_op *op = &c->op;
    kni_type t = kna_type(op, x), w = o->weights ? kna_type(op, o->weights) : t;
    uint64_t top;
    if (kna_failed(op))
        return NULL;
    if (t.ndim != 1)
        kna_fail(op, KN_ERROR_VALUE,
                 t.ndim ? "object too deep for desired array" : "object of too small depth for desired array");
    else if (!knx_is_integer(t.dtype) && t.dtype->kind != KN_KIND_BOOL)
        not_safe(op, t.dtype, KN_DT(I64));
    else if (o->minlength < 0)
        kna_fail(op, KN_ERROR_VALUE, "'minlength' must not be negative");
    else if (o->weights && w.ndim > 1)
        kna_fail(op, KN_ERROR_VALUE, "object too deep for desired array");
    else if (o->weights && !knx_can_cast(w.dtype, KN_DT(F64), KN_CAST_SAFE) && !knx_is_integer(w.dtype))
        not_safe(op, w.dtype, KN_DT(F64));
    else if (o->weights && !knx_dim_eq(kni_type_size(w), t.dim[0]))
        kna_fail(op, KN_ERROR_VALUE, "The weights and list don't have the same length.");
    if (kna_failed(op))
        return NULL;
    int64_t n = o->minlength;
    kn_array at = t.dtype == KN_DT(I64) ? x : kn_astype(x, KN_DT(I64), NULL);
    if (t.dim[0]) {
        if (!largest(op, at, &top))
            return NULL;
        if (top > INT64_MAX)
            kna_fail(op, KN_ERROR_VALUE, "'list' argument must have no negative elements");
        else if (top == INT64_MAX)
            kna_fail(op, KN_ERROR_MEMORY, "there are more counts than an array can have");
        else
            n = (int64_t)top + 1 > n ? (int64_t)top + 1 : n;
    }
    return kna_failed(op) ? NULL : knn_count_into(c, at, o->weights ? flat(o->weights) : NULL, n);
}

kn_array kn_bincount(kn_array x, const kn_bincount_opts *opts)
{
    KNX_OPTS(kn_bincount_opts, o, opts);
    knl_body c;
    knl_begin(&c, "bincount");
    return knl_end(&c, bincount(&c, x, &o));
}

/* ---- One dimension. */

static const double *range_of(const double range[2]) { return range[0] == 0 && range[1] == 0 ? NULL : range; }

/* a and its weights as vectors; booleans count as 8-bit numbers. */
static bool begin_histogram(knl_body *c, kn_array *a, kn_array *weights)
{
    kna_op *op = &c->op;
    kni_type t = kna_type(op, *a), w = *weights ? kna_type(op, *weights) : t;
    if (kna_failed(op) || knl_not_a_number(op, "histogram", t.dtype))
        return false;
    if (!kni_type_same_shape(t, w)) {
        kna_fail(op, KN_ERROR_VALUE, "weights should have the same shape as a.");
        return false;
    }
    *a = flat(t.dtype->kind == KN_KIND_BOOL ? kn_astype(*a, KN_DT(U8), NULL) : *a);
    *weights = *weights ? flat(*weights) : NULL;
    return true;
}

kn_array kn_histogram_bin_edges(kn_array a, const kn_histogram_opts *opts)
{
    KNX_OPTS(kn_histogram_opts, o, opts);
    knl_body c;
    knl_begin(&c, "histogram_bin_edges");
    const knn_bins bins = {o.bins, o.estimator, range_of(o.range), o.weights != NULL, -1};
    bool good = begin_histogram(&c, &a, &o.weights);
    return knl_end(&c, good ? knn_bin_edges(&c, a, &bins) : NULL);
}

kn_histogram_result kn_histogram(kn_array a, const kn_histogram_opts *opts)
{
    KNX_OPTS(kn_histogram_opts, o, opts);
    knl_body c;
    knl_begin(&c, "histogram");
    kn_array y[2] = {NULL, NULL};
    const knn_bins bins = {o.bins, o.estimator, range_of(o.range), o.weights != NULL, -1};
    if (begin_histogram(&c, &a, &o.weights))
        y[1] = knn_bin_edges(&c, a, &bins);
    if (!kna_failed(&c.op)) {
        int64_t n = kn_dim(y[1], 0);
        bool equal = knn_bins_are_equal(&c, o.bins);
        y[0] = o.weights ? NULL : counted_between(&c, a, y[1], equal);
        kn_array at = y[0] || kna_failed(&c.op) ? NULL : knn_bin_of(&c, a, y[1], equal);
        y[0] = at && !kna_failed(&c.op) ? knn_count_into(&c, at, o.weights, n ? n - 1 : 0) : y[0];
        if (o.weights && !kna_failed(&c.op))
            y[0] = kn_astype(y[0], kn_dtype_of(o.weights), NULL);
        if (o.density && !kna_failed(&c.op))
            y[0] = kn_divide(kn_divide(y[0], widths(y[1])), kn_sum(y[0], NULL));
    }
    knl_end_n(&c, 2, y);
    return (kn_histogram_result){y[0], y[1]};
}

/* ---- More dimensions. */

typedef struct grid {
    int n;
    kn_array edges[KN_MAX_NDIM], at[KN_MAX_NDIM];
    kn_shape shape; /* bins a dimension */
} grid;

/* The bins of one dimension, and those of the samples (a vector). */
static void add_dimension(knl_body *c, grid *g, kn_array sample, kn_array bins, const double *range)
{
    if (kna_failed(&c->op))
        return;
    int i = g->n++;
    const knn_bins given = {bins, NULL, range, false, i};
    g->edges[i] = knn_bin_edges(c, sample, &given);
    if (kna_failed(&c->op))
        return;
    int64_t n = kn_dim(g->edges[i], 0);
    g->shape.dim[g->shape.ndim++] = n ? n - 1 : 0;
    g->at[i] = knn_bin_of(c, sample, g->edges[i], knn_bins_are_equal(c, bins));
}

static kn_array histogram_of(knl_body *c, const grid *g, kn_array weights, bool density)
{
    if (kna_failed(&c->op))
        return NULL;
    kni_type w = weights ? kna_type(&c->op, weights) : kni_scalar_type(KN_DT(F64));
    if (kna_failed(&c->op))
        return NULL;
    if (knx_is_complex(w.dtype)) {
        not_safe(&c->op, w.dtype, KN_DT(F64));
        return NULL;
    }
    if (weights && !knx_dim_eq(kni_type_size(w), kn_dim(g->at[0], 0))) {
        kna_fail(&c->op, KN_ERROR_VALUE, "The weights and list don't have the same length.");
        return NULL;
    }
    int64_t size = 1;
    kn_array at = kn_like_int(0), outside = NULL;
    for (int i = 0; i < g->n; i++) {
        size = knx_dim_mul(size, g->shape.dim[i]);
        at = kn_add(kn_multiply(at, kn_like_int(g->shape.dim[i])), g->at[i]);
        kn_array out = kn_less(g->at[i], kn_like_int(0));
        outside = outside ? kn_logical_or(outside, out) : out;
    }
    at = kn_where(outside, kn_like_int(-1), at);
    kn_array counts = kna_failed(&c->op) ? NULL : knn_count_into(c, at, weights ? flat(weights) : NULL, size);
    kn_array h = kna_failed(&c->op) ? NULL : kn_reshape(kn_astype(counts, KN_DT(F64), NULL), &g->shape, NULL);
    kn_array all = h && density ? kn_sum(h, NULL) : NULL;
    for (int i = 0; i < g->n && all; i++) {
        kn_shape along = {.ndim = g->n};
        for (int j = 0; j < g->n; j++)
            along.dim[j] = i == j ? g->shape.dim[i] : 1;
        h = kn_divide(h, kn_reshape(widths(g->edges[i]), &along, NULL));
    }
    return all ? kn_divide(h, all) : h;
}

/* The bins of dimension i of n: one entry is for all. */
static kn_array bins_of(kna_op *op, kn_list bins, int i, int n)
{
    int count = bins ? kn_list_count(bins) : 0;
    if (count > 1 && count != n && !kna_failed(op))
        kna_fail(op, KN_ERROR_VALUE, "The dimension of bins must be equal to the dimension of the sample x.");
    return !count ? NULL : kn_list_get(bins, count == 1 ? 0 : i < count ? i : 0);
}

/* Column i of the samples. */
static kn_array column(kn_array sample, int64_t i)
{
    kn_squeeze_opts second = kn_squeeze_opts_default();
    second.axis = knl_one_axis(1);
    return kn_squeeze(knl_part("", sample, 1, i, i + 1), &second);
}

kn_histogramdd_result kn_histogramdd(kn_array sample, const kn_histogramdd_opts *opts)
{
    KNX_OPTS(kn_histogramdd_opts, o, opts);
    knl_body c;
    knl_begin(&c, "histogramdd");
    grid g = {.n = 0};
    kni_type t = kna_type(&c.op, sample);
    if (!kna_failed(&c.op) && t.ndim > 2)
        kna_fail(&c.op, KN_ERROR_VALUE, "too many values to unpack (expected 2)");
    kn_array y = NULL, x = kna_failed(&c.op) ? NULL : kn_asarray(sample, NULL);
    if (!kna_failed(&c.op) && t.ndim < 2)
        x = kn_transpose(kn_atleast_2d(x), NULL);
    int64_t n = kna_failed(&c.op) ? 0 : kn_dim(x, 1);
    if (kna_need_number(&c.op, n, "the number of axes") && n > KN_MAX_NDIM)
        kna_fail(&c.op, KN_ERROR_VALUE, "maximum supported dimension for an ndarray is currently %d, found %lld",
                 KN_MAX_NDIM, (long long)n);
    if (!kna_failed(&c.op) && o.range && o.n_range != n)
        kna_fail(&c.op, KN_ERROR_VALUE, "range argument must have one entry per dimension");
    for (int i = 0; i < n && !kna_failed(&c.op); i++)
        add_dimension(&c, &g, column(x, i), bins_of(&c.op, o.bins, i, (int)n), o.range ? range_of(o.range[i]) : NULL);
    if (!kna_failed(&c.op))
        y = histogram_of(&c, &g, o.weights, o.density);
    kn_array out[KN_MAX_NDIM + 1] = {y};
    for (int i = 0; i < g.n; i++)
        out[i + 1] = g.edges[i];
    knl_end_n(&c, 1 + g.n, out);
    return (kn_histogramdd_result){out[0], kn_list_from(out + 1, g.n)};
}

kn_histogram2d_result kn_histogram2d(kn_array x, kn_array y, const kn_histogram2d_opts *opts)
{
    KNX_OPTS(kn_histogram2d_opts, o, opts);
    knl_body c;
    knl_begin(&c, "histogram2d");
    grid g = {.n = 0};
    kni_type s = kna_type(&c.op, x), t = kna_type(&c.op, y);
    if (!kna_failed(&c.op) && (s.ndim != 1 || t.ndim != 1 || !knx_dim_eq(s.dim[0], t.dim[0])))
        kna_fail(&c.op, KN_ERROR_VALUE, "x and y must have the same length.");
    kn_array out[3] = {NULL, NULL, NULL}, both[] = {x, y};
    kn_dtype d = kna_result_type(&c.op, 2, both);
    for (int i = 0; i < 2 && !kna_failed(&c.op); i++)
        add_dimension(&c, &g, kn_astype(both[i], d, NULL), bins_of(&c.op, o.bins, i, 2), range_of(o.range[i]));
    if (!kna_failed(&c.op))
        out[0] = histogram_of(&c, &g, o.weights, o.density);
    out[1] = g.edges[0];
    out[2] = g.edges[1];
    knl_end_n(&c, 3, out);
    return (kn_histogram2d_result){out[0], out[1], out[2]};
}
