/* SPDX-License-Identifier: Apache-2.0
 * shape.c -- views: broadcast_in_dim, reshape, squeeze, transpose, rev, slice. They move elements and compute nothing.
 *
 *     type       the extents follow from the parameters
 *     jvp        linear: the same view of the tangent
 *     transpose  broadcast_in_dim: sum over the repeated axes; slice: pad with zeros; the others: the inverse view
 *     batch      one more axis in the parameters; broadcast_in_dim, reshape and transpose put it first, the others
 *                leave it in place
 *     lower      an index map; a reshape that joins axes is an alias of its stored operand
 *     put        the inverse view; slice: a window written, or one with strides
 */
#include "prim/rules.h"

/* What all rows of this file share. */
#define VIEW .n_in = 1, .n_out = 1, .bits = KN_VIEW, .linear_in = 1, .jvp = knp_jvp_linear, .cost = knp_cost_none

static void index_zero(kni_index *in, int axis, int n_loop)
{
    kni_index_axis *a = &in->axis[axis];
    a->offset = 0;
    a->node = KNK_NONE;
    for (int i = 0; i < n_loop; i++)
        a->coef[i] = 0;
}

static void index_begin(const kni_index *out, int ndim, kni_index *in)
{
    in->n_loop = out->n_loop;
    in->ndim = ndim;
}

static kni_atom put_shape(const kni_rule *r, kni_atom v) { return knb_reshape(r->b, v, r->xt[0].ndim, r->xt[0].dim); }

static knx_error *give_back_shape(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    ct_in[0] = put_shape(r, ct[0]);
    return NULL;
}

/* broadcast_in_dim: operand axis i becomes result axis broadcast_dimensions[i], repeated if its extent is 1 */

static bool is_repeated(int64_t from, int64_t to) { return from != to && (from == 1 || knx_dim_eq(from, 1)); }

static knx_error *broadcast_type(kni_rule *r, kni_type *y)
{
    const kni_p_broadcast_in_dim *p = r->params;
    KN_TRY(knp_check_count("broadcast_dimensions", p->broadcast_dimensions, r->xt->ndim));
    for (int i = 0; i < p->shape.n; i++)
        if (knx_dim_lt(p->shape.v[i], 0))
            return knx_error_new(KN_ERROR_VALUE, "negative dimensions are not allowed");
    for (int i = 0; i < r->xt->ndim; i++) {
        int64_t d = p->broadcast_dimensions.v[i];
        if (d < 0 || d >= p->shape.n)
            return knp_axis_error(d, p->shape.n);
        if (i && d <= p->broadcast_dimensions.v[i - 1])
            return knx_error_new(KN_ERROR_VALUE, "broadcast_dimensions must be strictly increasing");
        int64_t extent = r->xt->dim[i];
        if (extent != 1 && !knx_dim_eq(extent, p->shape.v[d]) && !knx_dim_eq(extent, 1)) {
            knx_text from = {0}, to = {0};
            return knx_error_new(KN_ERROR_VALUE, "cannot broadcast shape %s to shape %s",
                                 knx_show_shape(&from, r->xt->ndim, r->xt->dim),
                                 knx_show_shape(&to, p->shape.n, p->shape.v));
        }
    }
    return knp_type_dims(r->arena, r->xt->dtype, r->xt->weak, p->shape.n, p->shape.v, y);
}

static knx_error *broadcast_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    const kni_p_broadcast_in_dim *p = r->params;
    kni_type x = r->xt[0];
    knp_dims repeated = {0};
    for (int i = 0; i < p->shape.n; i++) {
        int from = x.ndim - 1;
        while (from >= 0 && p->broadcast_dimensions.v[from] != i)
            from--;
        if (from < 0 || is_repeated(x.dim[from], p->shape.v[i]))
            repeated.v[repeated.n++] = i;
    }
    kni_atom sum = repeated.n ? knb_reduce_sum(r->b, ct[0], repeated.n, repeated.v) : ct[0];
    ct_in[0] = knb_reshape(r->b, sum, x.ndim, x.dim);
    return NULL;
}

static knx_error *broadcast_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    const kni_p_broadcast_in_dim *p = r->params;
    knp_dims shape = knp_insert(p->shape, 0, size), where = knp_axes_lift(p->broadcast_dimensions, 0);
    where = knp_insert(knp_ints(&where), 0, 0);
    y[0] = knb_broadcast_in_dim(r->b, knp_batched_at(r, 0, size, axis[0], 0), shape.n, shape.v, where.v);
    axis_out[0] = 0;
    return NULL;
}

/* New axes of extent 1 and nothing repeated: else several elements of the result are one of the operand. */
static kni_atom broadcast_put(const kni_rule *r, kni_atom v)
{
    const kni_p_broadcast_in_dim *p = r->params;
    for (int i = 0, from = 0; i < p->shape.n; i++) {
        bool old = from < r->xt[0].ndim && p->broadcast_dimensions.v[from] == i;
        if (!knx_dim_eq(p->shape.v[i], old ? r->xt[0].dim[from] : 1))
            return KN_ATOM_NONE;
        from += old;
    }
    return put_shape(r, v);
}

static void broadcast_map(const kni_rule *r, const kni_index *out, kni_index *in)
{
    const kni_p_broadcast_in_dim *p = r->params;
    index_begin(out, r->xt->ndim, in);
    for (int i = 0; i < r->xt->ndim; i++)
        if (r->xt->dim[i] == 1 || is_repeated(r->xt->dim[i], p->shape.v[p->broadcast_dimensions.v[i]]))
            index_zero(in, i, out->n_loop);
        else
            knp_index_copy(out, (int)p->broadcast_dimensions.v[i], in, i);
}

static knx_error *broadcast_resize(const kni_rule *r, void *params)
{
    knp_resize_list(((kni_p_broadcast_in_dim *)params)->shape, r->yt[0].dim);
    return NULL;
}

const kni_prim knp_prim_broadcast_in_dim = {
    .name = "broadcast_in_dim",
    VIEW,
    .factors = "... -> ... new",
    .fields = kni_fields_broadcast_in_dim,
    .params_size = sizeof(kni_p_broadcast_in_dim),
    .type = broadcast_type,
    .transpose = broadcast_transpose,
    .batch = broadcast_batch,
    .map = broadcast_map,
    .resize = broadcast_resize,
    .put = broadcast_put,
    .doc = "x repeated along new axes and along axes of extent 1 (jax.lax.broadcast_in_dim)",
};

/* reshape: the same elements in C order */

static knx_error *reshape_type(kni_rule *r, kni_type *y)
{
    const kni_p_reshape *p = r->params;
    bool fits = true;
    for (int i = 0; i < p->new_sizes.n; i++)
        fits = fits && knx_dim_le(0, p->new_sizes.v[i]);
    knx_error *e = fits ? knp_type_dims(r->arena, r->xt->dtype, r->xt->weak, p->new_sizes.n, p->new_sizes.v, y) : NULL;
    if (fits && !e && knx_dim_eq(kni_type_size(*y), kni_type_size(*r->xt)))
        return NULL;
    if (e && e->kind == KN_ERROR_MEMORY)
        return e;
    knx_error_release(e);
    knx_text size = {0}, to = {0};
    return knx_error_new(KN_ERROR_VALUE, "cannot reshape array of size %s into shape %s",
                         knx_dim_show(&size, kni_type_size(*r->xt)),
                         knx_show_shape(&to, p->new_sizes.n, p->new_sizes.v));
}

static knx_error *reshape_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    const kni_p_reshape *p = r->params;
    knp_dims shape = knp_insert(p->new_sizes, 0, size);
    y[0] = knb_reshape(r->b, knp_batched_at(r, 0, size, axis[0], 0), shape.n, shape.v);
    axis_out[0] = 0;
    return NULL;
}

static bool reshape_map_exists(const kni_rule *r) { return knp_reshape_splits(r->xt, r->yt); }

/* Axes of extent 1 come and go; the others stay in order, whole or in parts. */
static void reshape_map(const kni_rule *r, const kni_index *out, kni_index *in)
{
    index_begin(out, r->xt->ndim, in);
    for (int i = 0, j = 0; i < r->xt->ndim; i++) {
        index_zero(in, i, out->n_loop);
        if (r->xt->dim[i] <= 1) {
            j += r->xt->dim[i] == 0;
            continue;
        }
        int end = knp_split_axes(r->xt->dim[i], r->yt, j);
        int64_t stride = 1;
        for (int k = end - 1; k >= j; stride = knx_dim_mul(stride, r->yt->dim[k--])) {
            kni_index_axis *to = &in->axis[i];
            to->offset = knx_dim_add(to->offset, knx_dim_mul(stride, out->axis[k].offset));
            for (int l = 0; l < out->n_loop; l++)
                to->coef[l] = knx_dim_add(to->coef[l], knx_dim_mul(stride, out->axis[k].coef[l]));
        }
        j = end;
    }
}

/* Where axes of x and axes of y have the same elements together, both can be cut along the first ones that are longer
 * than 1, by what divides both: (6, 4) -> (24,) by 6, (12, 2) -> (4, 6) by 4. */
static void reshape_spread(const kni_rule *r, kni_spread *s)
{
    kni_type x = r->xt[0], y = r->yt[0];
    for (int i = 0, j = 0; i < x.ndim && j < y.ndim;) {
        if (x.dim[i] == 1 || y.dim[j] == 1) {
            i += x.dim[i] == 1;
            j += y.dim[j] == 1;
            continue;
        }
        int64_t left = x.dim[i], right = y.dim[j], size = knp_common_divisor(left, right);
        if (!left || !right)
            return;
        if (size > 1)
            knp_spread_pair(s, size, 0, i, 0, j);
        for (i++, j++; left != right && i < x.ndim + 1 && j < y.ndim + 1;)
            if (left < right)
                left *= i < x.ndim ? x.dim[i] : 1, i++;
            else
                right *= j < y.ndim ? y.dim[j] : 1, j++;
    }
}

static knx_error *reshape_resize(const kni_rule *r, void *params)
{
    knp_resize_list(((kni_p_reshape *)params)->new_sizes, r->yt[0].dim);
    return NULL;
}

const kni_prim knp_prim_reshape = {
    .name = "reshape",
    VIEW,
    .factors = "n -> m",
    .fields = kni_fields_reshape,
    .params_size = sizeof(kni_p_reshape),
    .type = reshape_type,
    .transpose = give_back_shape,
    .batch = reshape_batch,
    .map = reshape_map,
    .map_exists = reshape_map_exists,
    .spread = reshape_spread,
    .resize = reshape_resize,
    .put = put_shape,
    .doc = "the elements of x in C order in another shape (np.reshape)",
};

/* squeeze: axes of extent 1 disappear */

static knx_error *squeeze_type(kni_rule *r, kni_type *y)
{
    const kni_p_dims *p = r->params;
    KN_TRY(knp_check_axes(p->dimensions, r->xt->ndim));
    for (int i = 0; i < p->dimensions.n; i++)
        if (!knx_dim_eq(r->xt->dim[p->dimensions.v[i]], 1))
            return knx_error_new(KN_ERROR_VALUE,
                                 "cannot select an axis to squeeze out which has size not equal to one");
    knp_dims rest = knp_axes_rest(p->dimensions, r->xt->ndim), shape = knp_dims_pick(*r->xt, knp_ints(&rest));
    return knp_type_dims(r->arena, r->xt->dtype, r->xt->weak, shape.n, shape.v, y);
}

static knx_error *squeeze_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    const kni_p_dims *p = r->params;
    (void)size;
    knp_dims lifted = knp_axes_lift(p->dimensions, axis[0]);
    axis_out[0] = axis[0] - knp_axes_before(knp_ints(&lifted), axis[0]);
    y[0] = knb_squeeze(r->b, r->x[0], lifted.n, lifted.v);
    return NULL;
}

static void squeeze_map(const kni_rule *r, const kni_index *out, kni_index *in)
{
    const kni_p_dims *p = r->params;
    index_begin(out, r->xt->ndim, in);
    for (int i = 0, j = 0; i < r->xt->ndim; i++)
        if (knp_contains(p->dimensions, i))
            index_zero(in, i, out->n_loop);
        else
            knp_index_copy(out, j++, in, i);
}

const kni_prim knp_prim_squeeze = {
    .name = "squeeze",
    VIEW,
    .factors = "... one -> ...",
    .fields = kni_fields_dims,
    .params_size = sizeof(kni_p_dims),
    .type = squeeze_type,
    .transpose = give_back_shape,
    .batch = squeeze_batch,
    .map = squeeze_map,
    .put = put_shape,
    .doc = "x without some of its axes of extent 1 (np.squeeze)",
};

/* transpose: result axis i is operand axis permutation[i] */

static knx_error *transpose_type(kni_rule *r, kni_type *y)
{
    const kni_p_transpose *p = r->params;
    if (p->permutation.n != r->xt->ndim)
        return knx_error_new(KN_ERROR_VALUE, "axes don't match array");
    KN_TRY(knp_check_axes(p->permutation, r->xt->ndim));
    knp_dims shape = knp_dims_pick(*r->xt, p->permutation);
    return knp_type_dims(r->arena, r->xt->dtype, r->xt->weak, shape.n, shape.v, y);
}

static kni_atom transpose_put(const kni_rule *r, kni_atom v)
{
    const kni_p_transpose *p = r->params;
    int64_t inverse[KN_MAX_NDIM] = {0};
    for (int i = 0; i < p->permutation.n; i++)
        inverse[p->permutation.v[i]] = i;
    return knb_transpose(r->b, v, inverse);
}

static knx_error *transpose_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    ct_in[0] = transpose_put(r, ct[0]);
    return NULL;
}

static knx_error *transpose_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    const kni_p_transpose *p = r->params;
    (void)size;
    knp_dims lifted = knp_axes_lift(p->permutation, axis[0]);
    lifted = knp_insert(knp_ints(&lifted), 0, axis[0]);
    y[0] = r->b->error ? KN_ATOM_NONE : knb_transpose(r->b, r->x[0], lifted.v);
    axis_out[0] = 0;
    return NULL;
}

static void transpose_map(const kni_rule *r, const kni_index *out, kni_index *in)
{
    const kni_p_transpose *p = r->params;
    index_begin(out, r->xt->ndim, in);
    for (int i = 0; i < r->xt->ndim; i++)
        knp_index_copy(out, i, in, (int)p->permutation.v[i]);
}

const kni_prim knp_prim_transpose = {
    .name = "transpose",
    VIEW,
    .factors = "i j -> j i",
    .fields = kni_fields_transpose,
    .params_size = sizeof(kni_p_transpose),
    .type = transpose_type,
    .transpose = transpose_transpose,
    .batch = transpose_batch,
    .map = transpose_map,
    .put = transpose_put,
    .doc = "x with its axes in another order (np.transpose)",
};

/* rev: some axes run backwards */

static knx_error *rev_type(kni_rule *r, kni_type *y)
{
    KN_TRY(knp_check_axes(((const kni_p_dims *)r->params)->dimensions, r->xt->ndim));
    return knp_type_like(r->arena, *r->xt, r->xt->dtype, y);
}

static knx_error *rev_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    (void)size;
    knp_dims lifted = knp_axes_lift(((const kni_p_dims *)r->params)->dimensions, axis[0]);
    y[0] = knb_rev(r->b, r->x[0], lifted.n, lifted.v);
    axis_out[0] = axis[0];
    return NULL;
}

static void rev_map(const kni_rule *r, const kni_index *out, kni_index *in)
{
    const kni_p_dims *p = r->params;
    index_begin(out, r->xt->ndim, in);
    for (int i = 0; i < r->xt->ndim; i++) {
        knp_index_copy(out, i, in, i);
        if (!knp_contains(p->dimensions, i))
            continue;
        in->axis[i].offset = knx_dim_sub(r->xt->dim[i] - 1, out->axis[i].offset);
        for (int j = 0; j < out->n_loop; j++)
            in->axis[i].coef[j] = knx_dim_sub(0, out->axis[i].coef[j]);
    }
}

static kni_atom rev_put(const kni_rule *r, kni_atom v)
{
    kni_ints dimensions = ((const kni_p_dims *)r->params)->dimensions;
    return knb_rev(r->b, v, dimensions.n, dimensions.v);
}

static void rev_spread(const kni_rule *r, kni_spread *s)
{
    kni_ints dimensions = ((const kni_p_dims *)r->params)->dimensions;
    for (int d = 0; d < r->xt->ndim; d++)
        if (!knp_contains(dimensions, d)) {
            knp_spread_pair(s, r->xt->dim[d], 0, d, 0, d);
        } else {
            kni_factor *f = knp_spread_halo(s, r->xt->dim[d], 0, d, d, 1, 0, 0);
            if (f)
                f->reversed = true;
        }
}

/* The part is the part from the other end, the other way round. */
static knx_error *rev_local(const kni_rule *r, const kni_local *l, kni_atom *y)
{
    (void)l;
    y[0] = rev_put(r, r->x[0]);
    return NULL;
}

const kni_prim knp_prim_rev = {
    .name = "rev",
    VIEW,
    .factors = "... i -> ... j",
    .fields = kni_fields_dims,
    .params_size = sizeof(kni_p_dims),
    .type = rev_type,
    .transpose = knp_transpose_same,
    .batch = rev_batch,
    .map = rev_map,
    .spread = rev_spread,
    .local = rev_local,
    .put = rev_put,
    .doc = "x with the elements along some axes in reverse order (np.flip)",
};

/* slice: from start to limit by positive strides */

static KNX_HOT int64_t stride_of(const kni_p_slice *p, int axis) { return p->strides.n ? p->strides.v[axis] : 1; }

static KNX_HOT knx_error *slice_type(kni_rule *r, kni_type *y)
{
    const kni_p_slice *p = r->params;
    KN_TRY(knp_check_count("start_indices", p->start_indices, r->xt->ndim));
    KN_TRY(knp_check_count("limit_indices", p->limit_indices, r->xt->ndim));
    if (p->strides.n)
        KN_TRY(knp_check_count("strides", p->strides, r->xt->ndim));
    int64_t dim[KN_MAX_NDIM];
    for (int i = 0; i < r->xt->ndim; i++) {
        int64_t start = p->start_indices.v[i], limit = p->limit_indices.v[i], stride = stride_of(p, i);
        if (knx_dim_lt(start, 0) || knx_dim_lt(limit, start) || knx_dim_lt(r->xt->dim[i], limit)) {
            knx_text from = {0}, to = {0}, size = {0};
            return knx_error_new(KN_ERROR_VALUE, "start index %s and limit index %s do not fit axis %d of size %s",
                                 knx_dim_show(&from, start), knx_dim_show(&to, limit), i,
                                 knx_dim_show(&size, r->xt->dim[i]));
        }
        if (stride < 1)
            return knx_error_new(KN_ERROR_VALUE, "strides must be positive, got %lld", (long long)stride);
        dim[i] = knx_dim_sub(limit, start);
        if (stride > 1)
            dim[i] = knx_dim_ceildiv(dim[i], stride);
    }
    return knp_type_dims(r->arena, r->xt->dtype, r->xt->weak, r->xt->ndim, dim, y);
}

/* The slice put back between zeros: as many before, after and in between as were left out. */
static knx_error *slice_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    const kni_p_slice *p = r->params;
    kni_type x = r->xt[0], y = r->yt[0];
    int64_t hi[KN_MAX_NDIM], interior[KN_MAX_NDIM];
    for (int i = 0; i < x.ndim; i++) {
        int64_t stride = stride_of(p, i);
        interior[i] = stride - 1;
        hi[i] = knx_dim_sub(knx_dim_sub(x.dim[i], p->start_indices.v[i]), kni_dim_dilated(y.dim[i], stride - 1));
    }
    ct_in[0] = knb_pad(r->b, ct[0], knb_like(r->b, ct[0], 0), p->start_indices.v, hi, interior);
    return NULL;
}

static bool is_stepped(const kni_p_slice *p, kni_type y, int axis) { return stride_of(p, axis) > 1 && y.dim[axis] > 1; }

static kni_atom slice_put(const kni_rule *r, kni_atom v)
{
    const kni_p_slice *p = r->params;
    kni_builder *b = r->b;
    kni_type x = r->xt[0], y = r->yt[0];
    kn_dtype index = KN_DT(I32);
    kni_atom start[KN_MAX_NDIM];
    int64_t stride[KN_MAX_NDIM];
    bool steps = false;
    if (!kni_type_size(y) || kni_type_surely_same_shape(x, y))
        return kni_type_size(y) ? v : r->x[0];
    for (int i = 0; i < x.ndim; i++) {
        steps = steps || is_stepped(p, y, i);
        index = x.dim[i] > INT32_MAX ? KN_DT(I64) : index; /* an expression, too */
    }
    for (int i = 0; i < x.ndim; i++) {
        start[i] = knb_dimension(b, index, p->start_indices.v[i]);
        stride[i] = is_stepped(p, y, i) ? stride_of(p, i) : 1;
    }
    return steps ? knb_strided_update(b, r->x[0], v, start, stride) : knb_dynamic_update_slice(b, r->x[0], v, start);
}

static knx_error *slice_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    const kni_p_slice *p = r->params;
    knp_dims start = knp_insert(p->start_indices, axis[0], 0), limit = knp_insert(p->limit_indices, axis[0], size);
    knp_dims strides = knp_insert(p->strides, axis[0], 1);
    y[0] = knb_slice(r->b, r->x[0], start.v, limit.v, p->strides.n ? strides.v : NULL);
    axis_out[0] = axis[0];
    return NULL;
}

static KNX_HOT void slice_map(const kni_rule *r, const kni_index *out, kni_index *in)
{
    const kni_p_slice *p = r->params;
    index_begin(out, r->xt->ndim, in);
    for (int i = 0; i < r->xt->ndim; i++) {
        int64_t stride = stride_of(p, i);
        knp_index_copy(out, i, in, i);
        in->axis[i].offset = knx_dim_add(p->start_indices.v[i], knx_dim_mul(stride, out->axis[i].offset));
        for (int j = 0; j < out->n_loop; j++)
            in->axis[i].coef[j] = knx_dim_mul(stride, out->axis[i].coef[j]);
    }
}

enum { SMALL = 16 };

static void only_these(kni_factor *f, int64_t low, int64_t high)
{
    if (f) {
        f->low = low;
        f->high = high;
    }
}

/* An axis of which the same element of each group of `stride` stays, all groups being whole, is cut between groups. Of
 * other axes what is shown lies in some neighbour; or, if it is a small part, on a few devices, and all get it. */
static void slice_spread(const kni_rule *r, kni_spread *s)
{
    const kni_p_slice *p = r->params;
    for (int d = 0; d < r->xt->ndim; d++) {
        int64_t start = p->start_indices.v[d], stride = stride_of(p, d), size = r->yt->dim[d];
        if (start < stride && r->xt->dim[d] == size * stride)
            knp_spread_pair(s, size, 0, d, 0, d);
        else if (size && size <= r->xt->dim[d] / SMALL)
            only_these(knp_spread_one(r, s, d), start, start + (size - 1) * stride + 1);
        else if (size > 1)
            knp_spread_halo(s, size, 0, d, d, stride, -start, start);
    }
}

/* Of such groups; other axes are as they were. */
static knx_error *slice_resize(const kni_rule *r, void *params)
{
    kni_p_slice *p = params;
    for (int d = 0; d < r->xt->ndim; d++) {
        int64_t stride = stride_of(p, d), last = (r->yt->dim[d] - 1) * stride + p->start_indices.v[d];
        if (p->start_indices.v[d] < stride && r->xt->dim[d] == r->yt->dim[d] * stride)
            knp_list(p->limit_indices)[d] = r->yt->dim[d] ? last + 1 : p->start_indices.v[d];
    }
    return NULL;
}

/* Axes of which one device has the small part that is shown, or several some of it, the others zeros: as many elements
 * more at both ends, of which the part is the nearest ones where it lies outside. */
static kni_atom small_parts(const kni_rule *r, const kni_local *l, knp_dims *start, knp_dims *limit)
{
    const kni_p_slice *p = r->params;
    kni_builder *b = r->b;
    kni_atom at[KN_MAX_NDIM];
    knp_dims more = {.n = r->xt->ndim}, size = knp_dims_of(*r->xt);
    bool any = false;
    for (int d = 0; d < r->xt->ndim; d++) {
        int f = knp_cut_factor(l, 0, d);
        bool small = f >= 0 && kni_factor_joins(l->spread->v[f].kind);
        at[d] = knb_integer(b, KN_DT(I64), 0);
        if (!small)
            continue;
        int64_t span = (r->yt->dim[d] - 1) * stride_of(p, d) + 1;
        any = true;
        more.v[d] = size.v[d] = limit->v[d] = span;
        at[d] = knb_sub(b, knb_integer(b, KN_DT(I64), p->start_indices.v[d] + span), l->cut[f].first);
        start->v[d] = 0;
    }
    if (!any)
        return r->x[0];
    kni_atom x = knb_pad(b, r->x[0], knb_like(b, r->x[0], 0), more.v, more.v, NULL);
    return b->error ? KN_ATOM_NONE : knb_dynamic_slice(b, x, at, size.v);
}

/* A window begins with the first element that is shown. */
static knx_error *slice_local(const kni_rule *r, const kni_local *l, kni_atom *y)
{
    const kni_p_slice *whole = r->params;
    kni_p_slice p = *whole;
    knp_dims start = {.n = p.start_indices.n}, limit = {.n = p.limit_indices.n};
    for (int d = 0; d < r->xt->ndim; d++) {
        start.v[d] = p.start_indices.v[d];
        limit.v[d] = p.limit_indices.v[d];
    }
    p.start_indices = knp_ints(&start);
    p.limit_indices = knp_ints(&limit);
    KN_TRY(slice_resize(r, &p));
    for (int d = 0; d < r->xt->ndim; d++)
        if (knp_has_window(l, 0, d)) {
            start.v[d] = 0;
            limit.v[d] = r->xt->dim[d];
        }
    kni_atom x = small_parts(r, l, &start, &limit);
    y[0] = r->b->error ? KN_ATOM_NONE : knb_slice(r->b, x, start.v, limit.v, p.strides.n ? p.strides.v : NULL);
    return NULL;
}

const kni_prim knp_prim_slice = {
    .name = "slice",
    VIEW,
    .factors = "... i -> ... j",
    .fields = kni_fields_slice,
    .params_size = sizeof(kni_p_slice),
    .type = slice_type,
    .transpose = slice_transpose,
    .batch = slice_batch,
    .map = slice_map,
    .spread = slice_spread,
    .resize = slice_resize,
    .local = slice_local,
    .put = slice_put,
    .doc = "the elements of x from start to limit by a stride along each axis (jax.lax.slice)",
};
