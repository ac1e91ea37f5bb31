/* SPDX-License-Identifier: Apache-2.0
 * split.c -- split, stack, unstack, tile: arrays cut along an axis, put together along a new one, and repeated. All
 * expand into slices, reshapes and concatenations.
 *
 *     type       the sizes of a split add up to the extent of the axis; what is stacked has one type
 *     jvp        the same of the tangents, zeros where there is none
 *     transpose  split and concatenate are each other's, so are stack and unstack; tile: the sum over its copies
 *     batch      the axis moves up by one where the batch axis is in front of it
 *     lower      expand
 */
#include "prim/rules.h"

/* The same primitive of the tangents, or of the cotangents by another one: zeros are made. */
static void same_of(const kni_rule *r, const kni_prim *p, int n_in, const kni_atom *t, const kni_type *types, int n_out,
                    kni_atom *y)
{
    kni_atom *in = knp_room(r->b, (size_t)n_in);
    for (int i = 0; in && i < n_in; i++)
        in[i] = knb_instantiate(r->b, t[i], types[i]);
    if (in)
        knb_emit(r->b, p, r->params, n_in, in, y, n_out);
}

static void linear_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    same_of(r, r->prim, r->n_in, tx, r->xt, r->n_out, ty);
}

/* The part of x between two places of an axis. */
static kni_atom part(kni_builder *b, kni_atom x, int axis, int64_t first, int64_t end)
{
    kni_type t = knb_type(b, x);
    int64_t start[KN_MAX_NDIM], limit[KN_MAX_NDIM];
    for (int i = 0; i < t.ndim; i++) {
        start[i] = i == axis ? first : 0;
        limit[i] = i == axis ? end : t.dim[i];
    }
    return knb_slice(b, x, start, limit, NULL);
}

static knx_error *one_axis_batch(const kni_rule *r, const kni_atom *x, int64_t axis, int at, kni_atom *y)
{
    knb_emit(r->b, r->prim, &(kni_p_axis){axis + (axis >= at)}, r->n_in, x, y, r->n_out);
    return NULL;
}

/* --- split ------------------------------------------------------------------------------------ */

static knx_error *split_type(kni_rule *r, kni_type *y)
{
    const kni_p_split *p = r->params;
    int64_t sum = 0;
    if (p->axis < 0 || p->axis >= r->xt->ndim)
        return knp_axis_error(p->axis, r->xt->ndim);
    for (int i = 0; i < p->sizes.n; i++) {
        if (knx_dim_lt(p->sizes.v[i], 0)) {
            knx_text t = {0};
            return knx_error_new(KN_ERROR_VALUE, "Sizes passed to split must be nonnegative, got %s",
                                 knx_show_shape(&t, p->sizes.n, p->sizes.v));
        }
        if (knx_any_symbolic(sum, p->sizes.v[i]))
            sum = knx_dim_add(sum, p->sizes.v[i]);
        else
            sum += p->sizes.v[i] <= INT64_MAX - sum ? p->sizes.v[i] : 0;
    }
    if (!knx_dim_eq(sum, r->xt->dim[p->axis])) {
        knx_text t = {0}, all = {0};
        return knx_error_new(KN_ERROR_VALUE, "Sum of sizes %s must be equal to dimension %lld of the operand shape %s",
                             knx_dim_show(&all, sum), (long long)p->axis, knx_show_shape(&t, r->xt->ndim, r->xt->dim));
    }
    if (p->sizes.n > r->n_out)
        return knx_error_new(KN_ERROR_VALUE, "has %d results", p->sizes.n);
    knp_dims d = knp_dims_of(*r->xt);
    for (int i = 0; i < p->sizes.n; i++) {
        d.v[p->axis] = p->sizes.v[i];
        KN_TRY(knp_type_dims(r->arena, r->xt->dtype, r->xt->weak, d.n, d.v, &y[i]));
    }
    r->n_out = p->sizes.n;
    return NULL;
}

static knx_error *split_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    kni_atom *in = knp_room(r->b, (size_t)r->n_out);
    for (int i = 0; in && i < r->n_out; i++)
        in[i] = knb_instantiate(r->b, ct[i], r->yt[i]);
    if (in)
        ct_in[0] = knb_concatenate(r->b, r->n_out, in, (int)((const kni_p_split *)r->params)->axis);
    return NULL;
}

static knx_error *split_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    kni_p_split p = *(const kni_p_split *)r->params;
    (void)size;
    p.axis += p.axis >= axis[0];
    knb_emit(r->b, r->prim, &p, 1, r->x, y, r->n_out);
    for (int i = 0; i < r->n_out; i++)
        axis_out[i] = axis[0];
    return NULL;
}

static knx_error *split_expand(const kni_rule *r, kni_atom *y)
{
    const kni_p_split *p = r->params;
    int64_t at = 0;
    for (int i = 0; i < p->sizes.n; at = knx_dim_add(at, p->sizes.v[i++]))
        y[i] = part(r->b, r->x[0], (int)p->axis, at, knx_dim_add(at, p->sizes.v[i]));
    return NULL;
}

const kni_prim knp_prim_split = {
    .name = "split",
    .n_in = 1,
    .n_out = -1,
    .linear_in = 1,
    .fields = kni_fields_split,
    .params_size = sizeof(kni_p_split),
    .factors = "n m -> n p",
    .type = split_type,
    .jvp = linear_jvp,
    .transpose = split_transpose,
    .batch = split_batch,
    .expand = split_expand,
    .cost = knp_cost_none,
    .doc = "the parts of an array that follow each other along an axis, of these sizes (jax.lax.split)",
};

/* --- stack ------------------------------------------------------------------------------------ */

static knx_error *shapes_error(const char *what, int n, const kni_type *x)
{
    knx_text t = {0};
    for (int i = 0; i < n; i++) {
        knx_text_add(&t, "%s", i ? ", " : "");
        knx_show_shape(&t, x[i].ndim, x[i].dim);
    }
    return knx_error_new(KN_ERROR_VALUE, what, t.s);
}

static knx_error *stack_type(kni_rule *r, kni_type *y)
{
    int64_t axis = ((const kni_p_axis *)r->params)->axis;
    bool weak = true;
    if (r->n_in < 1)
        return knx_error_new(KN_ERROR_VALUE, "expects at least one operand, got 0.");
    for (int i = 0; i < r->n_in; i++)
        if (r->xt[i].ndim != r->xt[0].ndim)
            return shapes_error("Cannot stack arrays with different numbers of dimensions: got %s.", r->n_in, r->xt);
    for (int i = 0; i < r->n_in; i++) {
        if (!kni_type_same_shape(r->xt[i], r->xt[0]))
            return shapes_error("All input arrays must have the same shape. Got %s.", r->n_in, r->xt);
        if (r->xt[i].dtype != r->xt[0].dtype)
            return knx_error_new(KN_ERROR_TYPE, "requires arguments to have the same dtypes, got %s, %s.",
                                 r->xt[0].dtype->name, r->xt[i].dtype->name);
        weak = weak && r->xt[i].weak;
    }
    if (axis < 0 || axis > r->xt[0].ndim)
        return knp_axis_error(axis, r->xt[0].ndim + 1);
    if (r->xt[0].ndim == KN_MAX_NDIM)
        return knx_error_new(KN_ERROR_VALUE, "maximum supported dimension for an array is currently %d", KN_MAX_NDIM);
    knp_dims d = knp_dims_of(r->xt[0]);
    d = knp_insert(knp_ints(&d), (int)axis, r->n_in);
    return knp_type_dims(r->arena, r->xt[0].dtype, weak, d.n, d.v, y);
}

static knx_error *stack_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    kni_atom *parts = knp_room(r->b, (size_t)r->n_in);
    if (parts)
        knb_emit(r->b, &knp_prim_unstack, r->params, 1, ct, parts, r->n_in);
    for (int i = 0; parts && i < r->n_in; i++)
        if (r->x[i] == KN_ATOM_LINEAR)
            ct_in[i] = parts[i];
    return NULL;
}

static knx_error *stack_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    int64_t at = ((const kni_p_axis *)r->params)->axis;
    bool alike = true;
    for (int i = 1; i < r->n_in; i++)
        alike = alike && axis[i] == axis[0];
    if (alike) { /* behind the new axis the batch axis comes one later */
        axis_out[0] = axis[0] + (at <= axis[0]);
        knb_emit(r->b, r->prim, &(kni_p_axis){at + (at > axis[0])}, r->n_in, r->x, y, 1);
        return NULL;
    }
    kni_atom *in = knp_room(r->b, (size_t)r->n_in);
    for (int i = 0; in && i < r->n_in; i++)
        in[i] = knp_batched_at(r, i, size, axis[i], 0);
    axis_out[0] = 0;
    return in ? one_axis_batch(r, in, at, 0, y) : NULL;
}

static knx_error *stack_expand(const kni_rule *r, kni_atom *y)
{
    int64_t axis = ((const kni_p_axis *)r->params)->axis;
    kni_atom *in = knp_room(r->b, (size_t)r->n_in);
    knp_dims d = knp_dims_of(r->xt[0]);
    d = knp_insert(knp_ints(&d), (int)axis, 1);
    for (int i = 0; in && i < r->n_in; i++)
        in[i] = knb_reshape(r->b, r->x[i], d.n, d.v);
    if (in)
        y[0] = knb_concatenate(r->b, r->n_in, in, (int)axis);
    return NULL;
}

static void stack_spread(const kni_rule *r, kni_spread *s)
{
    int64_t axis = ((const kni_p_axis *)r->params)->axis;
    for (int d = 0; d < r->xt[0].ndim; d++) {
        kni_factor *f = kni_factor_new(s, KNI_PARALLEL, r->xt[0].dim[d]);
        for (int i = 0; i < r->n_in; i++)
            kni_factor_in(f, i, d);
        kni_factor_out(f, 0, d + (d >= axis));
    }
}

const kni_prim knp_prim_stack = {
    .name = "stack",
    .n_in = -1,
    .n_out = 1,
    .linear_in = UINT32_MAX,
    .fields = kni_fields_axis,
    .params_size = sizeof(kni_p_axis),
    .factors = "... -> n ...",
    .type = stack_type,
    .jvp = linear_jvp,
    .transpose = stack_transpose,
    .batch = stack_batch,
    .expand = stack_expand,
    .spread = stack_spread,
    .doc = "arrays of one shape put together along a new axis (np.stack)",
};

/* --- unstack ---------------------------------------------------------------------------------- */

static knx_error *unstack_type(kni_rule *r, kni_type *y)
{
    int64_t axis = ((const kni_p_axis *)r->params)->axis;
    if (axis < 0 || axis >= r->xt->ndim)
        return knp_axis_error(axis, r->xt->ndim);
    int64_t n;
    KN_TRY(kni_dim_settle(r->xt->dim[axis], &n));
    if (n > r->n_out)
        return knx_error_new(KN_ERROR_VALUE, "has %lld results", (long long)n);
    r->n_out = (int)n;
    knp_dims d = knp_dims_without(*r->xt, (int)axis);
    for (int i = 0; i < r->n_out; i++)
        KN_TRY(knp_type_dims(r->arena, r->xt->dtype, r->xt->weak, d.n, d.v, &y[i]));
    return NULL;
}

static knx_error *unstack_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    same_of(r, &knp_prim_stack, r->n_out, ct, r->yt, 1, ct_in);
    return NULL;
}

static knx_error *unstack_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    int64_t at = ((const kni_p_axis *)r->params)->axis;
    (void)size;
    for (int i = 0; i < r->n_out; i++)
        axis_out[i] = axis[0] - (at < axis[0]);
    return one_axis_batch(r, r->x, at, axis[0], y);
}

static knx_error *unstack_expand(const kni_rule *r, kni_atom *y)
{
    int64_t axis = ((const kni_p_axis *)r->params)->axis;
    for (int i = 0; i < r->n_out; i++)
        y[i] = knb_squeeze(r->b, part(r->b, r->x[0], (int)axis, i, i + 1), 1, &axis);
    return NULL;
}

static void unstack_spread(const kni_rule *r, kni_spread *s)
{
    knp_spread_rest(r, s, 1, (kni_ints){1, &((const kni_p_axis *)r->params)->axis});
}

const kni_prim knp_prim_unstack = {
    .name = "unstack",
    .n_in = 1,
    .n_out = -1,
    .linear_in = 1,
    .fields = kni_fields_axis,
    .params_size = sizeof(kni_p_axis),
    .factors = "n ... -> ...",
    .type = unstack_type,
    .jvp = linear_jvp,
    .transpose = unstack_transpose,
    .batch = unstack_batch,
    .expand = unstack_expand,
    .spread = unstack_spread,
    .cost = knp_cost_none,
    .doc = "the arrays that an array consists of along an axis (np.unstack)",
};

/* --- tile ------------------------------------------------------------------------------------- */

static knx_error *tile_type(kni_rule *r, kni_type *y)
{
    kni_ints reps = ((const kni_p_tile *)r->params)->reps;
    knp_dims d = knp_dims_of(*r->xt);
    if (reps.n != r->xt->ndim)
        return knx_error_new(KN_ERROR_TYPE,
                             "reps length must be equal to the ndim of x, got len(reps)=%d and x.ndim=%d.", reps.n,
                             r->xt->ndim);
    for (int i = 0; i < d.n; i++) {
        if (knx_dim_lt(reps.v[i], 0))
            return knx_error_new(KN_ERROR_VALUE, "negative dimensions are not allowed");
        if (knx_any_symbolic(d.v[i], reps.v[i]))
            d.v[i] = knx_dim_mul(d.v[i], reps.v[i]);
        else if (__builtin_mul_overflow(d.v[i], reps.v[i], &d.v[i]))
            return knx_error_new(KN_ERROR_VALUE, "array is too big");
    }
    return knp_type_dims(r->arena, r->xt->dtype, r->xt->weak, d.n, d.v, y);
}

/* Every axis that is repeated as two: the copies, then the axis itself. `copies`: which ones. */
static knp_dims tiled(kni_type x, kni_ints reps, knp_dims *copies)
{
    knp_dims d = {0};
    *copies = (knp_dims){0};
    for (int i = 0; i < x.ndim; i++) {
        if (reps.v[i] != 1 && d.n < KN_MAX_NDIM) {
            copies->v[copies->n++] = d.n;
            d.v[d.n++] = reps.v[i];
        }
        if (d.n < KN_MAX_NDIM)
            d.v[d.n++] = x.dim[i];
    }
    return d;
}

static bool too_deep(const kni_rule *r)
{
    kni_ints reps = ((const kni_p_tile *)r->params)->reps;
    int n = r->xt[0].ndim;
    for (int i = 0; i < reps.n; i++)
        n += reps.v[i] != 1;
    if (n > KN_MAX_NDIM)
        knb_fail(r->b,
                 knx_error_new(KN_ERROR_VALUE, "maximum supported dimension for an array is currently %d, found %d",
                               KN_MAX_NDIM, n));
    return n > KN_MAX_NDIM;
}

static knx_error *tile_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    knp_dims copies, d;
    if (too_deep(r))
        return NULL;
    d = tiled(r->xt[0], ((const kni_p_tile *)r->params)->reps, &copies);
    kni_atom x = knb_reshape(r->b, ct[0], d.n, d.v);
    ct_in[0] = copies.n ? knb_reduce_sum(r->b, x, copies.n, copies.v) : x;
    return NULL;
}

static knx_error *tile_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    (void)size;
    knp_dims reps = knp_insert(((const kni_p_tile *)r->params)->reps, axis[0], 1);
    y[0] = knb_emit1(r->b, r->prim, &(kni_p_tile){knp_ints(&reps)}, 1, r->x);
    axis_out[0] = axis[0];
    return NULL;
}

static knx_error *tile_expand(const kni_rule *r, kni_atom *y)
{
    knp_dims copies, d;
    if (too_deep(r))
        return NULL;
    d = tiled(r->xt[0], ((const kni_p_tile *)r->params)->reps, &copies);
    knp_dims own = knp_axes_rest(knp_ints(&copies), d.n);
    kni_atom x = copies.n ? knb_broadcast_in_dim(r->b, r->x[0], d.n, d.v, own.v) : r->x[0];
    y[0] = knb_reshape(r->b, x, r->yt[0].ndim, r->yt[0].dim);
    return NULL;
}

/* Axes that are not repeated; of the others the copies, which are made of all of x. */
static void tile_spread(const kni_rule *r, kni_spread *s)
{
    kni_ints reps = ((const kni_p_tile *)r->params)->reps;
    for (int d = 0; d < r->xt[0].ndim; d++)
        if (reps.v[d] == 1)
            knp_spread_pair(s, r->xt[0].dim[d], 0, d, 0, d);
        else if (reps.v[d] > 1 && r->xt[0].dim[d])
            kni_factor_out(kni_factor_new(s, KNI_PARALLEL, reps.v[d]), 0, d);
}

static knx_error *tile_resize(const kni_rule *r, void *params)
{
    for (int d = 0; d < r->xt[0].ndim; d++)
        if (r->xt[0].dim[d])
            knp_list(((kni_p_tile *)params)->reps)[d] = r->yt[0].dim[d] / r->xt[0].dim[d];
    return NULL;
}

const kni_prim knp_prim_tile = {
    .name = "tile",
    .n_in = 1,
    .n_out = 1,
    .linear_in = 1,
    .fields = kni_fields_tile,
    .params_size = sizeof(kni_p_tile),
    .factors = "n -> m",
    .type = tile_type,
    .jvp = knp_jvp_linear,
    .transpose = tile_transpose,
    .batch = tile_batch,
    .expand = tile_expand,
    .spread = tile_spread,
    .resize = tile_resize,
    .doc = "an array repeated so many times along each of its axes (jax.lax.tile)",
};
