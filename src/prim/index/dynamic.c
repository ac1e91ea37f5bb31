/* SPDX-License-Identifier: Apache-2.0
 * dynamic.c -- dynamic_slice and dynamic_update_slice: a window whose start is data, moved so that it lies inside of
 * the array; strided_update: one whose elements lie apart from each other.
 *
 *     type       the window; the array
 *     jvp        linear in the array, and in array and update together
 *     transpose  the cotangent written into zeros; zeros written into the cotangent, and its window
 *     batch      one more dimension at its start 0; batched starts: a gather, and a scatter
 *     lower      a kernel that computes the start and loads there; a routine that writes the window into the array, or
 *                the kernel that makes the window
 *     put        of a slice: the update at the same start
 */
#include "prim/index/index.h"
#include <string.h>

/* --- types ------------------------------------------------------------------------------------ */

static KNX_HOT knx_error *check_starts(const char *op, int n, const kni_type *start, int ndim)
{
    if (n != ndim)
        return knx_error_new(KN_ERROR_TYPE,
                             "%s: the number of start indices must match the number of dimensions, got %d for %d", op,
                             n, ndim);
    for (int i = 0; i < n; i++)
        if (start[i].ndim || !knx_is_integer(start[i].dtype))
            return knx_error_new(KN_ERROR_TYPE, "%s: start indices must be integer scalars, got %s of dimension %d", op,
                                 start[i].dtype->name, start[i].ndim);
    return NULL;
}

static knx_error *does_not_fit(const char *op, const char *what, int ndim, const int64_t *size, kni_type x)
{
    knx_text s = {0}, t = {0};
    return knx_error_new(KN_ERROR_TYPE,
                         "%s: %s must be less than or equal to operand shape, got %s for operand shape %s", op, what,
                         knx_show_shape(&s, ndim, size), knx_show_shape(&t, x.ndim, x.dim));
}

static KNX_HOT knx_error *check_fits(const char *op, const char *what, int ndim, const int64_t *size, kni_type x)
{
    bool fits = ndim == x.ndim;
    for (int i = 0; fits && i < ndim; i++)
        fits = knx_dim_le(0, size[i]) && knx_dim_le(size[i], x.dim[i]);
    return fits ? NULL : does_not_fit(op, what, ndim, size, x);
}

static KNX_HOT knx_error *slice_type(kni_rule *r, kni_type *y)
{
    const kni_p_dynamic_slice *p = r->params;
    if (r->n_in < 1)
        return knx_error_new(KN_ERROR_TYPE, "dynamic_slice needs an operand");
    KN_TRY(check_starts("dynamic_slice", r->n_in - 1, r->xt + 1, r->xt[0].ndim));
    KN_TRY(check_fits("dynamic_slice", "slice_sizes", p->slice_sizes.n, p->slice_sizes.v, r->xt[0]));
    return knp_type_dims(r->arena, r->xt[0].dtype, r->xt[0].weak, p->slice_sizes.n, p->slice_sizes.v, y);
}

/* Rows that put a window into an array: how far its elements are apart; params are NULL where they are not. */
static int64_t stride_of(const void *params, int d)
{
    return params ? ((const kni_p_strided_update *)params)->strides.v[d] : 1;
}

/* The extents of the box that a window lies in, so far as they fit a number. */
static KNX_HOT void spans(const void *params, kni_type window, int64_t *span)
{
    for (int d = 0; d < window.ndim; d++) {
        int64_t far = 0, stride = stride_of(params, d);
        if (knx_any_symbolic(window.dim[d], stride)) {
            span[d] = stride == 1 ? window.dim[d] : knx_dim_max(knx_dim_mul(window.dim[d] - 1, stride) + 1, 0);
            continue;
        }
        bool fits = !__builtin_mul_overflow(window.dim[d] - 1, stride, &far) && far < INT64_MAX;
        span[d] = !window.dim[d] ? 0 : fits ? far + 1 : INT64_MAX;
    }
}

static knp_dims box_of(const void *params, kni_type window)
{
    knp_dims s = {.n = window.ndim};
    spans(params, window, s.v);
    return s;
}

static KNX_HOT knx_error *any_update_type(const char *op, const kni_rule *r, kni_type *y)
{
    const kni_p_strided_update *p = r->params;
    const kni_type *x = r->xt;
    if (r->n_in < 2)
        return knx_error_new(KN_ERROR_TYPE, "%s needs an operand and an update", op);
    if (x[0].dtype != x[1].dtype)
        return knx_error_new(KN_ERROR_TYPE, "%s requires arguments to have the same dtypes, got %s, %s.", op,
                             x[0].dtype->name, x[1].dtype->name);
    bool fits = !p || p->strides.n == x[1].ndim;
    for (int d = 0; p && fits && d < p->strides.n; d++)
        fits = knx_dim_le(1, p->strides.v[d]);
    if (!fits)
        return knx_error_new(KN_ERROR_TYPE, "%s: there must be a stride of at least 1 for each dimension", op);
    KN_TRY(check_starts(op, r->n_in - 2, x + 2, x[0].ndim));
    int64_t box[KN_MAX_NDIM];
    spans(r->params, x[1], box);
    KN_TRY(check_fits(op, "update shape", x[1].ndim, box, x[0]));
    return knp_type_like(r->arena, x[0], x[0].dtype, y);
}

static knx_error *update_type(kni_rule *r, kni_type *y)
{
    return any_update_type(r->params ? "strided_update" : "dynamic_update_slice", r, y);
}

/* --- derivatives ------------------------------------------------------------------------------ */

static void slice_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    const kni_p_dynamic_slice *p = r->params;
    if (tx[0] != KN_ATOM_ZERO)
        ty[0] = knb_dynamic_slice(r->b, tx[0], r->x + 1, p->slice_sizes.v);
}

static knx_error *slice_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    ct_in[0] = knb_dynamic_update_slice(r->b, knb_zeros(r->b, r->xt[0]), ct[0], r->x + 1);
    return NULL;
}

static kni_atom slice_put(const kni_rule *r, kni_atom v)
{
    return knb_dynamic_update_slice(r->b, r->x[0], v, r->x + 1);
}

/* x with the window, by the same parameters. */
static kni_atom updated(const kni_rule *r, kni_atom x, kni_atom window)
{
    const kni_p_strided_update *p = r->params;
    return p ? knb_strided_update(r->b, x, window, r->x + 2, p->strides.v)
             : knb_dynamic_update_slice(r->b, x, window, r->x + 2);
}

static void update_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    if (tx[0] != KN_ATOM_ZERO || tx[1] != KN_ATOM_ZERO)
        ty[0] = updated(r, knb_instantiate(r->b, tx[0], r->xt[0]), knb_instantiate(r->b, tx[1], r->xt[1]));
}

static knx_error *update_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    const kni_p_strided_update *p = r->params;
    static const int64_t zero[KN_MAX_NDIM];
    knp_dims box = box_of(p, r->xt[1]);
    if (r->x[0] == KN_ATOM_LINEAR)
        ct_in[0] = updated(r, ct[0], knb_zeros(r->b, r->xt[1]));
    if (r->x[1] == KN_ATOM_LINEAR)
        ct_in[1] = knb_dynamic_slice(r->b, ct[0], r->x + 2, box.v);
    if (r->x[1] == KN_ATOM_LINEAR && p)
        ct_in[1] = knb_slice(r->b, ct_in[1], zero, box.v, p->strides.v);
    return NULL;
}

/* --- batching --------------------------------------------------------------------------------- */

/* Dimensions first, first + 1, ... */
static knp_dims count_up(int first, int n)
{
    knp_dims d = {.n = n};
    for (int i = 0; i < n; i++)
        d.v[i] = first + i;
    return d;
}

/* The starts, operands first ... of the equation, with one for the batch axis in front. */
static void starts_with_zero(const kni_rule *r, int first, kni_atom start[KN_MAX_NDIM + 1])
{
    int n = r->n_in - first;
    kn_dtype d = n ? knb_type(r->b, r->x[first]).dtype : KN_DT(I32);
    start[0] = knb_integer(r->b, d, 0);
    for (int i = 0; i < n; i++)
        start[i + 1] = r->x[first + i];
}

static bool any_batched(const kni_rule *r, int first, const int *axis)
{
    for (int i = first; i < r->n_in; i++)
        if (axis[i] >= 0)
            return true;
    return false;
}

/* The starts as index vectors, one row for each example. */
static kni_atom start_vectors(const kni_rule *r, int first, int64_t size)
{
    kni_atom column[KN_MAX_NDIM];
    int n = r->n_in - first;
    kn_dtype d = knb_type(r->b, r->x[first]).dtype;
    for (int i = 0; i < n; i++)
        if (knb_type(r->b, r->x[first + i]).dtype != d)
            d = KN_DT(I64);
    for (int i = 0; i < n; i++) {
        kni_atom x = knb_convert(r->b, r->x[first + i], d);
        column[i] = knb_broadcast_in_dim(r->b, x, 2, (int64_t[]){size, 1}, (int64_t[]){0});
    }
    return n == 1 ? column[0] : knb_concatenate(r->b, n, column, 1);
}

static knx_error *slice_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    const kni_p_dynamic_slice *p = r->params;
    int n = r->n_in - 1;
    bool table = axis[0] >= 0;
    kni_atom x = table ? knb_move_axis(r->b, r->x[0], axis[0], 0) : r->x[0];
    knp_dims sizes = p->slice_sizes.n ? knp_insert(p->slice_sizes, 0, size) : (knp_dims){.n = 1, .v = {size}};
    axis_out[0] = 0;
    if (!any_batched(r, 1, axis)) {
        kni_atom start[KN_MAX_NDIM + 1];
        starts_with_zero(r, 1, start);
        y[0] = knb_dynamic_slice(r->b, x, start, sizes.v);
        return NULL;
    }
    knp_dims window = count_up(1, n), map = count_up(table, n), zero = {.n = 1};
    kni_ints none = {0, NULL}, front = table ? knp_ints(&zero) : none;
    sizes.v[0] = knx_dim_eq(size, 0) ? 0 : 1;
    kni_p_gather q = {.offset_dims = knp_ints(&window),
                      .start_index_map = knp_ints(&map),
                      .operand_batching_dims = front,
                      .start_indices_batching_dims = front,
                      .slice_sizes = table ? knp_ints(&sizes) : p->slice_sizes,
                      .mode = KN_GATHER_CLIP};
    y[0] = knb_gather(r->b, x, start_vectors(r, 1, size), &q);
    return NULL;
}

/* One window for each example, at its start. */
static kni_atom update_each(kni_builder *b, kni_atom x, kni_atom updates, kni_atom starts)
{
    int n = knb_type(b, x).ndim - 1;
    knp_dims window = count_up(1, n), map = count_up(1, n), zero = {.n = 1};
    kni_p_scatter q = {.update_window_dims = knp_ints(&window),
                       .scatter_dims_to_operand_dims = knp_ints(&map),
                       .operand_batching_dims = knp_ints(&zero),
                       .scatter_indices_batching_dims = knp_ints(&zero),
                       .mode = KN_GATHER_CLIP,
                       .unique_indices = true};
    return knb_scatter(b, x, starts, updates, &q);
}

/* The boxes of windows whose elements lie apart, with these in them. */
static kni_atom filled_boxes(const kni_rule *r, int64_t size, const int *axis, kni_atom updates,
                             const knp_dims *strides)
{
    const kni_p_strided_update *p = r->params;
    kni_type all = knb_type(r->b, updates); /* one window for each example */
    knp_dims box = box_of(p, kni_type_of(all.dtype, all.ndim - 1, all.dim + 1));
    const kni_p_dynamic_slice sizes = {knp_ints(&box)};
    kni_atom in[KN_MAX_NDIM + 1] = {r->x[0]}, zero[KN_MAX_NDIM + 1], boxes = KN_ATOM_NONE;
    int axes[KN_MAX_NDIM + 1] = {axis[0]}, unused;
    for (int i = 2; i < r->n_in; i++) {
        in[i - 1] = r->x[i];
        axes[i - 1] = axis[i];
    }
    kni_rule slice = {.b = r->b, .params = &sizes, .n_in = r->n_in - 1, .x = in};
    (void)slice_batch(&slice, size, axes, &boxes, &unused); /* it cannot fail */
    for (int d = 0; d < strides->n; d++)
        zero[d] = knb_integer(r->b, KN_DT(I32), 0);
    return r->b->error ? KN_ATOM_NONE : knb_strided_update(r->b, boxes, updates, zero, strides->v);
}

static knx_error *update_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    const kni_p_strided_update *p = r->params;
    kni_atom x = knp_batched_at(r, 0, size, axis[0], 0), updates = knp_batched_at(r, 1, size, axis[1], 0);
    knp_dims strides = p ? knp_insert(p->strides, 0, 1) : (knp_dims){0};
    if (p && !p->strides.n)
        strides = (knp_dims){.n = 1, .v = {1}};
    axis_out[0] = 0;
    if (any_batched(r, 2, axis)) {
        kni_atom starts = start_vectors(r, 2, size);
        if (p && !r->b->error)
            updates = filled_boxes(r, size, axis, updates, &strides);
        if (!r->b->error)
            y[0] = update_each(r->b, x, updates, starts);
        return NULL;
    }
    kni_atom start[KN_MAX_NDIM + 1];
    starts_with_zero(r, 2, start);
    y[0] =
        p ? knb_strided_update(r->b, x, updates, start, strides.v) : knb_dynamic_update_slice(r->b, x, updates, start);
    return NULL;
}

/* --- lowering --------------------------------------------------------------------------------- */

/* Start `which` (an operand of the equation) as an int64, between 0 and `most`; KNK_NONE if that is 0. */
static knk_node start_node(kni_lower *l, const kni_rule *r, int which, int64_t most, const kni_index *like)
{
    knk_builder *k = kni_lower_kernel(l);
    kn_dtype d = r->xt[which].dtype;
    if (most == 0)
        return KNK_NONE;
    kni_index *scalar = kni_lower_index(l, 0, like);
    if (!scalar)
        return KNK_NONE;
    knk_node v = kni_lower_operand(l, which, scalar, KNK_NONE, knp_real(KNK_NONE)).re;
    if (d->id == KN_ID_U64) /* before it could turn negative */
        v = knk_binary(k, KNK_MIN, v, knk_const_int(k, KN_ID_U64, knx_is_symbolic(most) ? INT64_MAX : most));
    if (d->id != KN_ID_I64)
        v = knk_cast(k, KN_ID_I64, v);
    v = knk_binary(k, KNK_MIN, v, kni_lower_number(l, like, most));
    return knk_binary(k, KNK_MAX, v, knk_const_int(k, KN_ID_I64, 0));
}

static void add_to_axis(knk_builder *k, kni_index_axis *axis, knk_node by)
{
    if (by != KNK_NONE)
        axis->node = axis->node == KNK_NONE ? by : knk_binary(k, KNK_ADD, axis->node, by);
}

static void slice_pull(kni_lower *l, const kni_rule *r, const kni_index *i, kni_pair *y)
{
    const kni_p_dynamic_slice *p = r->params;
    kni_index *in = kni_lower_index(l, r->xt[0].ndim, i);
    if (!in)
        return;
    for (int d = 0; d < r->xt[0].ndim; d++) {
        knp_index_copy(i, d, in, d);
        add_to_axis(kni_lower_kernel(l), &in->axis[d],
                    start_node(l, r, 1 + d, knx_dim_sub(r->xt[0].dim[d], p->slice_sizes.v[d]), i));
    }
    y[0] = kni_lower_operand(l, 0, in, KNK_NONE, knp_real(KNK_NONE));
}

/* The window's element if the position lies in there. Along each axis that the window does not fill the position has to
 * be a number of the kernel. */
static void update_element(kni_lower *l, const kni_rule *r, const kni_index *i, kni_pair *y)
{
    knk_builder *k = kni_lower_kernel(l);
    kni_index *in = kni_lower_index(l, i->ndim, i);
    knk_node zero = knk_const_int(k, KN_ID_I64, 0), inside = KNK_NONE;
    knp_dims box = box_of(r->params, r->xt[1]);
    for (int d = 0; in && d < i->ndim; d++) {
        int64_t most = knx_dim_sub(r->xt[0].dim[d], box.v[d]), stride = stride_of(r->params, d);
        knp_index_copy(i, d, in, d);
        if (!most && stride == 1)
            continue;
        if (!i->axis[d].fixed)
            return;
        knk_node at = kni_lower_axis_value(l, i, d), start = start_node(l, r, 2 + d, most, i);
        if (start != KNK_NONE)
            at = knk_binary(k, KNK_SUB, at, start);
        knk_node here = knk_binary(k, KNK_AND, knk_binary(k, KNK_LE, zero, at),
                                   knk_binary(k, KNK_LT, at, kni_lower_number(l, i, box.v[d])));
        if (stride != 1) {
            knk_node by = kni_lower_number(l, i, stride), whole = knk_binary(k, KNK_DIV, at, by);
            here = knk_binary(k, KNK_AND, here, knk_binary(k, KNK_EQ, at, knk_binary(k, KNK_MUL, whole, by)));
            at = whole;
        }
        inside = inside == KNK_NONE ? here : knk_binary(k, KNK_AND, inside, here);
        in->axis[d].offset = 0;
        in->axis[d].node = at;
    }
    if (!in)
        return;
    y[0] = kni_lower_operand(l, 0, i, KNK_NONE, knp_real(KNK_NONE));
    if (kni_type_size(r->xt[1]))
        y[0] = kni_lower_operand(l, 1, in, inside, y[0]);
}

static void update_lands(const kni_rule *r, int64_t *stride)
{
    for (int d = 0; d < r->xt->ndim; d++)
        stride[d] = stride_of(r->params, d);
}

/* The window, line by line: the last dimensions that it fills and the one in front of them are one line. */
static knx_error *update_run(const kni_rule *r, const kni_routine_args *args)
{
    kni_type x = r->xt[0], u = r->xt[1];
    const char *from = args->x[1];
    int64_t at[KN_MAX_NDIM] = {0}, stride[KN_MAX_NDIM + 1], step[KN_MAX_NDIM], size = x.dtype->size, line = size;
    knp_dims box = box_of(r->params, u);
    char *to = args->y[0];
    if (!kni_type_size(u))
        return NULL;
    stride[x.ndim] = size;
    for (int d = x.ndim - 1; d >= 0; d--) {
        stride[d] = stride[d + 1] * x.dim[d];
        step[d] = stride[d + 1] * (u.dim[d] > 1 ? stride_of(r->params, d) : 1);
        to += stride[d + 1] * knx_position(r->xt[2 + d].dtype, args->x[2 + d], x.dim[d] - box.v[d]);
    }
    int n = x.ndim; /* dimensions outside of a line */
    while (n > 0 && line == stride[n] && step[n - 1] == stride[n])
        line *= u.dim[--n];
    for (;;) {
        memcpy(to, from, (size_t)line);
        from += line;
        int d = n - 1;
        for (; d >= 0; d--) {
            to += step[d];
            if (++at[d] < u.dim[d])
                break;
            to -= step[d] * at[d];
            at[d] = 0;
        }
        if (d < 0)
            return NULL;
    }
}

static double update_cost(const kni_rule *r) { return kni_type_count(r->xt[1]); }

/* Values that have a zero. */
static bool has_zero(kni_type t) { return knp_kind(t.dtype) & (KNP_NUMBERS | KNP_BOOL); }

/* Axes that the window fills, whose starts are 0 whatever they say. Of others each device has some of the window, and
 * zeros for the rest. */
static void slice_spread(const kni_rule *r, kni_spread *s)
{
    for (int d = 0; d < r->xt[0].ndim; d++)
        if (r->xt[0].dim[d] == r->yt[0].dim[d])
            knp_spread_pair(s, r->xt[0].dim[d], 0, d, 0, d);
        else
            knp_spread_one(r, s, d);
}

/* Where in its part a device puts or finds a window of `box` elements along each axis, if there are as many elements
 * more at both ends of axes that are cut: outside of the part the window lies in these. start: operands of the equation
 * from `first` on. lo: so many elements more. */
static void part_starts(const kni_rule *r, const kni_local *l, int first, const int64_t *box, kni_atom *start,
                        knp_dims *lo)
{
    kni_builder *b = r->b;
    *lo = (knp_dims){.n = r->xt[0].ndim};
    for (int d = 0; d < r->xt[0].ndim; d++) {
        int f = knp_cut_factor(l, 0, d);
        start[d] = r->x[first + d];
        if (f < 0 || !l->spread->v[f].local)
            continue;
        int64_t most = l->xt[0].dim[d] - box[d];
        kni_atom at = start[d];
        if (r->xt[first + d].dtype == KN_DT(U64))
            at = knb_min(b, at, knb_integer(b, KN_DT(U64), most));
        at = knb_convert(b, at, KN_DT(I64));
        at = knb_max(b, knb_min(b, at, knb_integer(b, KN_DT(I64), most)), knb_integer(b, KN_DT(I64), 0));
        at = knb_sub(b, at, l->cut[f].first);
        start[d] = knb_add(b, at, knb_integer(b, KN_DT(I64), box[d]));
        lo->v[d] = box[d];
    }
}

static knx_error *slice_local(const kni_rule *r, const kni_local *l, kni_atom *y)
{
    kni_atom start[KN_MAX_NDIM];
    knp_dims more;
    part_starts(r, l, 1, r->yt[0].dim, start, &more);
    kni_atom x = knb_pad(r->b, r->x[0], knb_like(r->b, r->x[0], 0), more.v, more.v, NULL);
    y[0] = knb_dynamic_slice(r->b, x, start, r->yt[0].dim);
    return NULL;
}

static knx_error *slice_resize(const kni_rule *r, void *params)
{
    knp_resize_list(((kni_p_dynamic_slice *)params)->slice_sizes, r->yt[0].dim);
    return NULL;
}

/* Of axes that the window does not fill each device replaces what falls into its part. */
static void update_spread(const kni_rule *r, kni_spread *s)
{
    for (int d = 0; d < r->xt[0].ndim; d++) {
        bool fills = r->xt[0].dim[d] == r->xt[1].dim[d];
        kni_factor *f = fills || has_zero(r->xt[0]) ? knp_spread_pair(s, r->xt[0].dim[d], 0, d, 0, d) : NULL;
        if (fills)
            kni_factor_in(f, 1, d);
        else if (f)
            f->local = true;
    }
}

static knx_error *update_local(const kni_rule *r, const kni_local *l, kni_atom *y)
{
    kni_builder *b = r->b;
    kni_atom start[KN_MAX_NDIM];
    knp_dims box = box_of(r->params, l->xt[1]), more, limit = knp_dims_of(r->xt[0]);
    const kni_p_strided_update *p = r->params;
    part_starts(r, l, 2, box.v, start, &more);
    for (int d = 0; d < limit.n; d++)
        limit.v[d] += more.v[d];
    kni_atom x = knb_pad(b, r->x[0], knb_like(b, r->x[0], 0), more.v, more.v, NULL);
    x = p ? knb_strided_update(b, x, r->x[1], start, p->strides.v) : knb_dynamic_update_slice(b, x, r->x[1], start);
    y[0] = knb_slice(b, x, more.v, limit.v, NULL);
    return NULL;
}

const kni_prim knp_prim_dynamic_slice = {
    .name = "dynamic_slice",
    .n_in = -1,
    .n_out = 1,
    .bits = KN_CHEAP | KN_WINDOW,
    .linear_in = 1,
    .fields = kni_fields_dynamic_slice,
    .params_size = sizeof(kni_p_dynamic_slice),
    .factors = "n, ... -> m",
    .doc = "a window of an array from a start that is data, moved to lie inside (jax.lax.dynamic_slice)",
    .type = slice_type,
    .jvp = slice_jvp,
    .transpose = slice_transpose,
    .batch = slice_batch,
    .pull = slice_pull,
    .put = slice_put,
    .spread = slice_spread,
    .resize = slice_resize,
    .local = slice_local,
};

#define UPDATE_RULES                                                                                               \
    .n_in = -1, .n_out = 1, .linear_in = 3, .type = update_type, .jvp = update_jvp, .transpose = update_transpose, \
    .batch = update_batch, .element = update_element, .run = update_run, .updates = 1, .lands = update_lands,      \
    .factors = "n, m, ... -> n", .cost = update_cost, .spread = update_spread, .local = update_local

const kni_prim knp_prim_dynamic_update_slice = {
    .name = "dynamic_update_slice",
    UPDATE_RULES,
    .doc = "an array with a window from a start that is data replaced (jax.lax.dynamic_update_slice)",
};

const kni_prim knp_prim_strided_update = {
    .name = "strided_update",
    UPDATE_RULES,
    .fields = kni_fields_strided_update,
    .params_size = sizeof(kni_p_strided_update),
    .doc = "an array with the elements at a start that is data and, by strides, behind it replaced",
};
