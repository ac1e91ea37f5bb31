/* SPDX-License-Identifier: Apache-2.0
 * segments.c -- reductions of the parts of an array that have the same number: scatters into what is neutral. */
#include "kiln/segments.h"
#include "array/op.h"
#include "lib/compose.h"
#include <math.h>
#include <string.h>

typedef kni_atom (*scatter)(kni_builder *b, kni_atom operand, kni_atom indices, kni_atom updates,
                            const kni_p_scatter *p);
typedef kni_atom (*reduce)(kni_builder *b, kni_atom x, int n, const int64_t *axes);
typedef struct how {
    const char *name;
    scatter join;
    reduce finish;  /* of the buckets */
    double neutral; /* infinities: the lowest or highest number */
} how;

static const how sums = {"segment_sum", knb_scatter_add, knb_reduce_sum, 0};
static const how products = {"segment_prod", knb_scatter_mul, knb_reduce_prod, 1};
static const how maxima = {"segment_max", knb_scatter_max, knb_reduce_max, -INFINITY};
static const how minima = {"segment_min", knb_scatter_min, knb_reduce_min, INFINITY};

/* ---- Options. */

static int64_t mode_of(kna_op *op, const char *mode)
{
    static const struct {
        const char *name;
        int64_t mode;
    } modes[] = {{"fill", KN_GATHER_FILL},
                 {"drop", KN_GATHER_FILL},
                 {"clip", KN_GATHER_CLIP},
                 {"promise_in_bounds", KN_GATHER_PROMISE}};
    for (size_t i = 0; mode && i < sizeof modes / sizeof *modes; i++)
        if (!strcmp(modes[i].name, mode))
            return modes[i].mode;
    if (mode)
        kna_fail(op, KN_ERROR_VALUE, "Unknown gather mode \"%s\"", mode);
    return KN_GATHER_FILL;
}

/* One more than the largest number; 0 for none. */
static int64_t count_segments(kna_op *op, kn_array ids)
{
    int64_t n = 0, top = 0;
    int64_t *v = knl_look_integers(op, ids, &n, NULL, "segment_ids");
    for (int64_t i = 0; v && i < n; i++)
        if (i == 0 || v[i] >= top)
            top = v[i] == INT64_MAX ? v[i] : v[i] + 1;
    if (v && n == 0)
        kna_fail(op, KN_ERROR_VALUE, "zero-size array to reduction operation max which has no identity");
    knx_free(v);
    return top;
}

static int64_t segments_of(kna_op *op, kn_array ids, int64_t given)
{
    int64_t n = given == KN_NUM_SEGMENTS_OF_IDS && !kna_failed(op) ? count_segments(op, ids) : given;
    if (!kna_failed(op) && n < 0)
        kna_fail(op, KN_ERROR_VALUE, "num_segments must be non-negative.");
    return n;
}

/* ---- The scatter. */

/* What leaves every number as it is, as a scalar. */
static kni_atom neutral(kni_builder *b, kn_dtype d, double v)
{
    if (!isinf(v) || !(knx_is_integer(d) || d->kind == KN_KIND_BOOL))
        return knb_number(b, d, v);
    return knb_literal(b, d, false, knx_scalar_extreme(d, v > 0));
}

/* Numbers and, in front of them, their buckets: (..., 2); without buckets (..., 1). */
static kni_atom indices_of(kni_builder *b, kni_atom ids, int64_t bucket_size)
{
    kni_type t = knb_type(b, ids);
    kni_atom part[2];
    int n = 0;
    if (bucket_size) {
        kni_atom at = knb_iota(b, KN_DT(I64), t.ndim, t.dim, 0);
        part[n++] = knb_expand_dims(b, knb_div(b, at, knb_integer(b, KN_DT(I64), bucket_size)), t.ndim);
    }
    part[n++] = knb_expand_dims(b, ids, t.ndim);
    return n == 1 ? part[0] : knb_concatenate(b, n, part, t.ndim);
}

/* `out` of (segments, ...) or (buckets, segments, ...) joined with the updates (the axes of ids, ...). */
static kni_atom joined(kni_builder *b, const how *h, kni_atom out, kni_atom ids, kni_atom updates,
                       const kn_segment_opts *o, int64_t mode)
{
    int64_t window[KN_MAX_NDIM], inserted[2] = {0, 1};
    int front = o->bucket_size ? 2 : 1, n_ids = knb_type(b, ids).ndim, n = knb_type(b, updates).ndim - n_ids;
    for (int i = 0; i < n; i++)
        window[i] = n_ids + i;
    kni_p_scatter p = {.update_window_dims = {n, window},
                       .inserted_window_dims = {front, inserted},
                       .scatter_dims_to_operand_dims = {front, inserted},
                       .mode = mode,
                       .indices_are_sorted = o->indices_are_sorted,
                       .unique_indices = o->unique_indices};
    return h->join(b, out, indices_of(b, ids, o->bucket_size), updates, &p);
}

static kni_atom segments(kna_op *op, const how *h, kni_atom x, kni_atom ids, int64_t n, const kn_segment_opts *o,
                         int64_t mode)
{
    kni_type t = knb_type(op->b, x), ti = knb_type(op->b, ids);
    int64_t shape[KN_MAX_NDIM], out_shape[KN_MAX_NDIM];
    int k = 0, m = 0;
    if (t.ndim == 0 || ti.ndim == 0 || ti.ndim + t.ndim > KN_MAX_NDIM) {
        kna_fail(op, KN_ERROR_VALUE, "data and segment_ids must have at least one axis each");
        return KN_ATOM_NONE;
    }
    if (o->bucket_size)
        out_shape[m++] = knx_dim_ceildiv(ti.dim[0], o->bucket_size);
    out_shape[m++] = n;
    for (int i = 0; i < ti.ndim; i++)
        shape[k++] = ti.dim[i];
    for (int i = 1; i < t.ndim; i++)
        shape[k++] = out_shape[m++] = t.dim[i];
    kni_atom updates = knb_broadcast_to(op->b, x, kni_type_of(t.dtype, k, shape));
    kni_atom empty = neutral(op->b, t.dtype, h->neutral);
    empty = knb_broadcast_in_dim(op->b, empty, m, out_shape, NULL);
    bool nothing = kna_failed(op);
    for (int i = 0; i < k && !nothing; i++)
        nothing = shape[i] == 0;
    for (int i = 0; i < m && !nothing; i++)
        nothing = out_shape[i] == 0;
    kni_atom y = nothing ? empty : joined(op->b, h, empty, ids, updates, o, mode);
    if (!o->bucket_size || kna_failed(op))
        return y;
    if (out_shape[0] == 0)
        return knb_broadcast_in_dim(op->b, neutral(op->b, t.dtype, h->neutral), m - 1, out_shape + 1, NULL);
    return h->finish(op->b, y, 1, (int64_t[]){0});
}

static kn_array reduced(const how *h, kn_array data, kn_array ids, const kn_segment_opts *opts)
{
    kna_op op;
    kna_begin(&op, h->name);
    KNX_OPTS(kn_segment_opts, o, opts);
    kni_type t = kna_type(&op, ids);
    kna_type(&op, data);
    if (!kna_failed(&op) && !knx_is_integer(t.dtype))
        kna_fail(&op, KN_ERROR_TYPE, "Indexer must have integer or boolean type, got indexer with type %s",
                 t.dtype->name);
    int64_t mode = mode_of(&op, o.mode), n = segments_of(&op, ids, o.num_segments);
    if (!kna_failed(&op) && o.bucket_size < 0)
        kna_fail(&op, KN_ERROR_VALUE, "bucket_size must be positive, but is %lld", (long long)o.bucket_size);
    if (!kna_failed(&op) && o.bucket_size && t.ndim != 1)
        kna_fail(&op, KN_ERROR_VALUE, "segment_ids must have one axis where bucket_size is given");
    kni_atom x = kna_in(&op, data), numbers = kna_failed(&op) ? KN_ATOM_NONE : kna_in_as(&op, ids, KN_DT(I64));
    return kna_end(&op, kna_failed(&op) ? KN_ATOM_NONE : segments(&op, h, x, numbers, n, &o, mode));
}

kn_array kn_segment_sum(kn_array data, kn_array segment_ids, const kn_segment_opts *opts)
{
    return reduced(&sums, data, segment_ids, opts);
}
kn_array kn_segment_prod(kn_array data, kn_array segment_ids, const kn_segment_opts *opts)
{
    return reduced(&products, data, segment_ids, opts);
}
kn_array kn_segment_max(kn_array data, kn_array segment_ids, const kn_segment_opts *opts)
{
    return reduced(&maxima, data, segment_ids, opts);
}
kn_array kn_segment_min(kn_array data, kn_array segment_ids, const kn_segment_opts *opts)
{
    return reduced(&minima, data, segment_ids, opts);
}
