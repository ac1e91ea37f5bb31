/* SPDX-License-Identifier: Apache-2.0
 * collective.c -- operations over named axes: each lane of a vmap with an axis name sees what the others have.
 *
 *     type       that of one lane; the extents of the axes are among the parameters where the type depends on them
 *     jvp        the sums and moves are linear; pmax and pmin have no derivative (as in JAX)
 *     transpose  psum: itself (the sum belongs to all lanes, and so do their cotangents); all_gather and
 *                reduce_scatter: each other; all_to_all and ppermute: their inverses; pbroadcast: a psum at the source
 *     batch      over one of the named axes: the lanes are the elements along the batch axis, and the names that are
 *                left stay; over any other axis: the same one axis higher
 *     lower      none: an axis name that no vmap binds is a NameError
 *
 * With a mesh among the parameters the names are those of its axes, and the lanes devices: no vmap binds them, and
 * over_mesh.c has the lowering.
 *
 * Of several names the first is the major one: lane (i, j) is number i * size of j + j.
 */
#include "prim/collective/names.h"
#include "prim/collective/over_mesh.h"
#include <string.h>

/* Names */

/* The mesh of a row's parameters; NULL: none. */
static const kni_mesh *mesh_of(const kni_rule *r)
{
    const kni_param_field *f = r->prim->fields;
    while (f->kind != KN_P_MESH)
        f++;
    return *(const kni_mesh *const *)((const char *)r->params + f->offset);
}

static const kni_names *names_of(const kni_rule *r)
{
    const kni_param_field *f = r->prim->fields;
    while (f->kind != KN_P_NAMES)
        f++;
    return (const kni_names *)((const char *)r->params + f->offset);
}

/* Which of the names is that of the axis that is batched; -1: none. */
int knp_lane_position(const kni_rule *r)
{
    const kni_names *names = names_of(r);
    for (int i = 0; r->axis_name && !mesh_of(r) && i < names->n; i++)
        if (!strcmp(names->v[i], r->axis_name))
            return i;
    return -1;
}

bool knp_is_unbound(const kni_rule *r) { return !mesh_of(r); }

kni_names knp_names_part(kni_names names, int first, int end)
{
    return (kni_names){end > first ? end - first : 0, names.v + first};
}

/* All but names.v[at]; without memory the builder fails. */
static kni_names without(kni_builder *b, kni_names names, int at)
{
    const char **v = knx_arena_alloc(&b->arena, (size_t)names.n * sizeof *v);
    int n = 0;
    if (!v) {
        knb_fail(b, knx_error_nomem());
        return (kni_names){0, NULL};
    }
    for (int i = 0; i < names.n; i++)
        if (i != at)
            v[n++] = names.v[i];
    return (kni_names){n, v};
}

static int64_t product(kni_ints sizes, int first, int end)
{
    return end > first ? knp_product((kni_ints){end - first, sizes.v + first}) : 1;
}

/* The extents in front of names.v[at] and behind it, in one list. */
static kni_ints sizes_without(kni_builder *b, kni_ints sizes, int at)
{
    int64_t *v = knx_arena_alloc(&b->arena, (size_t)sizes.n * sizeof *v);
    int n = 0;
    if (!v) {
        knb_fail(b, knx_error_nomem());
        return (kni_ints){0, NULL};
    }
    for (int i = 0; i < sizes.n; i++)
        if (i != at)
            v[n++] = sizes.v[i];
    return (kni_ints){n, v};
}

knx_error *knp_no_names(void) { return knx_error_new(KN_ERROR_VALUE, "no axis is named"); }

static knx_error *check_sizes(const kni_mesh *mesh, kni_names names, kni_ints sizes, int64_t axis_size)
{
    if (!names.n)
        return knp_no_names();
    for (int i = 0; i < sizes.n; i++)
        if (knx_dim_lt(sizes.v[i], 0))
            return knx_error_new(KN_ERROR_VALUE, "an axis has a negative size");
    if (sizes.n != names.n || !knx_dim_eq(knp_product(sizes), axis_size)) {
        knx_text t = {0};
        return knx_error_new(KN_ERROR_VALUE, "the sizes of the named axes do not make up %s",
                             knx_dim_show(&t, axis_size));
    }
    return mesh ? knp_mesh_check(mesh, names, sizes) : NULL;
}

/* The size that was recorded for a name has to be that of the vmap. */
static knx_error *check_lanes(int64_t recorded, int64_t lanes)
{
    knx_text was = {0}, is = {0};
    return knx_dim_eq(recorded, lanes)
               ? NULL
               : knx_error_new(KN_ERROR_VALUE, "axis size doesn't match: recorded for %s, mapped over %s",
                               knx_dim_show(&was, recorded), knx_dim_show(&is, lanes));
}

/* The lowering of all of them: a name that no vmap has taken away. */
knx_error *knp_unbound(const kni_rule *r, kni_atom *y)
{
    const kni_names *names = names_of(r);
    (void)y;
    knx_error *error = knx_error_new(KN_ERROR_NAME, "unbound axis name: %s", names->n ? names->v[0] : "");
    return knx_error_placed(error, r->b->place);
}

/* Axes */

/* Axis `at` as two of extents a and b. */
static kni_atom split_axis(kni_builder *b, kni_atom x, int at, int64_t first, int64_t second)
{
    kni_type t = knb_type(b, x);
    knp_dims d = knp_dims_of(t);
    if (b->error)
        return KN_ATOM_NONE;
    d.v[at] = second;
    d = knp_insert(knp_ints(&d), at, first);
    return knb_reshape(b, x, t.ndim + 1, d.v);
}

/* Axes at, at + 1, ..., at + n as one. */
static kni_atom fold_axes(kni_builder *b, kni_atom x, int at, int n)
{
    kni_type t = knb_type(b, x);
    knp_dims d = {0};
    if (b->error)
        return KN_ATOM_NONE;
    for (int i = 0; i < t.ndim; i++)
        if (i > at && i <= at + n)
            d.v[d.n - 1] = knx_dim_mul(d.v[d.n - 1], t.dim[i]);
        else
            d.v[d.n++] = t.dim[i];
    return knb_reshape(b, x, d.n, d.v);
}

static kni_atom number_of_lanes(kni_builder *b, kni_atom x, int64_t lanes)
{
    return knb_dimension(b, knb_type(b, x).dtype, lanes);
}

static bool divides(int64_t by, int64_t n) { return by && knx_dim_eq(knx_dim_mod(n, by), 0); }

static knx_error *check_dimension(int64_t axis, int ndim)
{
    return axis >= 0 && axis < ndim ? NULL : knp_axis_error(axis, ndim);
}

/* psum, pmax, pmin --------------------------------------------------------------------------- */

static knx_error *all_reduce_type(kni_rule *r, kni_type *y)
{
    const kni_p_all_reduce *p = r->params;
    if (!p->axes.n)
        return knp_no_names();
    if (p->mesh)
        KN_TRY(knp_mesh_check(p->mesh, p->axes, (kni_ints){0, NULL}));
    return knp_type_like(r->arena, *r->xt, r->xt->dtype, y);
}

static knx_error *psum_type(kni_rule *r, kni_type *y)
{
    KN_TRY(knp_accepts(r->xt->dtype, KNP_NUMBERS));
    return all_reduce_type(r, y);
}

static knx_error *pmax_type(kni_rule *r, kni_type *y)
{
    KN_TRY(knp_accepts(r->xt->dtype, KNP_REALS | KNP_BOOL));
    return all_reduce_type(r, y);
}

static kni_atom is_minus_zero(kni_builder *b, kni_atom x)
{
    static const knx_dtype_id word[] = {[2] = KN_ID_U16, [4] = KN_ID_U32, [8] = KN_ID_U64};
    kni_type t = knb_type(b, x);
    if (b->error)
        return x;
    kn_dtype bits = &knx_dtype_table[word[t.dtype->size]];
    knx_scalar_bits sign = {.u = {1ull << (8 * t.dtype->size - 1)}};
    return knb_eq(b, knb_bitcast(b, x, bits), knb_literal(b, bits, false, sign));
}

/* The sum of lanes along axis `where` of real numbers, of nothing but -0 being -0. */
static kni_atom sum_real(kni_builder *b, kni_atom x, int64_t where)
{
    kni_atom sum = knb_reduce_sum(b, x, 1, &where), minus = knb_reduce_and(b, is_minus_zero(b, x), 1, &where);
    return knb_select(b, minus, knb_neg(b, knb_like(b, sum, 0)), sum);
}

static kni_atom sum_of_lanes(kni_builder *b, kni_atom x, int64_t where, bool minus_zeros)
{
    kn_dtype d = knb_type(b, x).dtype;
    if (!minus_zeros || !knx_is_inexact(d))
        return knb_reduce_sum(b, x, 1, &where);
    if (!knx_is_complex(d))
        return sum_real(b, x, where);
    return knb_complex(b, sum_real(b, knb_real(b, x), where), sum_real(b, knb_imag(b, x), where));
}

static knx_error *all_reduce_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    const kni_p_all_reduce *p = r->params;
    kni_names names = p->axes;
    kni_builder *b = r->b;
    int at = knp_lane_position(r);
    int64_t where = axis[0];
    kni_atom x = r->x[0];
    *axis_out = at < 0 ? axis[0] : -1;
    if (at >= 0) {
        names = without(b, names, at);
        if (r->prim == &knp_prim_psum)
            x = axis[0] < 0 ? knb_mul(b, x, number_of_lanes(b, x, size)) : sum_of_lanes(b, x, where, p->minus_zeros);
        else if (axis[0] >= 0 && knb_type(b, x).dtype->kind == KN_KIND_BOOL)
            x = (r->prim == &knp_prim_pmax ? knb_reduce_or : knb_reduce_and)(b, x, 1, &where);
        else if (axis[0] >= 0)
            x = (r->prim == &knp_prim_pmax ? knb_reduce_max : knb_reduce_min)(b, x, 1, &where);
    }
    *y = names.n ? knb_emit1(b, r->prim, &(kni_p_all_reduce){names, p->mesh, p->minus_zeros}, 1, &x) : x;
    return NULL;
}

static void no_derivative(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    (void)tx, (void)ty;
    knb_fail(r->b,
             knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "Differentiation rule for '%s' not implemented", r->prim->name));
}

const kni_prim knp_prim_psum = {
    .name = "psum",
    .n_in = 1,
    .n_out = 1,
    .bits = KN_NAMES | KN_ACROSS | KN_AGREES,
    .linear_in = 1,
    .factors = "... -> ...",
    .fields = kni_fields_all_reduce,
    .params_size = sizeof(kni_p_all_reduce),
    .doc = "the sum of x over the lanes of named axes (jax.lax.psum)",
    .type = psum_type,
    .jvp = knp_jvp_linear,
    .transpose = knp_transpose_same,
    .batch = all_reduce_batch,
    .run = knp_all_reduce_run,
    .start = knp_all_reduce_start,
    .wait = knp_all_reduce_wait,
    .workspace = knp_all_reduce_workspace,
    .moves = knp_all_reduce_moves,
    .expand = knp_unbound,
    .expands = knp_is_unbound,
};

const kni_prim knp_prim_pmax = {
    .name = "pmax",
    .n_in = 1,
    .n_out = 1,
    .bits = KN_NAMES | KN_ACROSS | KN_AGREES,
    .factors = "... -> ...",
    .fields = kni_fields_all_reduce,
    .params_size = sizeof(kni_p_all_reduce),
    .doc = "the maximum of x over the lanes of named axes (jax.lax.pmax)",
    .type = pmax_type,
    .jvp = no_derivative,
    .batch = all_reduce_batch,
    .run = knp_all_reduce_run,
    .start = knp_all_reduce_start,
    .wait = knp_all_reduce_wait,
    .workspace = knp_all_reduce_workspace,
    .moves = knp_all_reduce_moves,
    .expand = knp_unbound,
    .expands = knp_is_unbound,
};

const kni_prim knp_prim_pmin = {
    .name = "pmin",
    .n_in = 1,
    .n_out = 1,
    .bits = KN_NAMES | KN_ACROSS | KN_AGREES,
    .factors = "... -> ...",
    .fields = kni_fields_all_reduce,
    .params_size = sizeof(kni_p_all_reduce),
    .doc = "the minimum of x over the lanes of named axes (jax.lax.pmin)",
    .type = pmax_type,
    .jvp = no_derivative,
    .batch = all_reduce_batch,
    .run = knp_all_reduce_run,
    .start = knp_all_reduce_start,
    .wait = knp_all_reduce_wait,
    .workspace = knp_all_reduce_workspace,
    .moves = knp_all_reduce_moves,
    .expand = knp_unbound,
    .expands = knp_is_unbound,
};

/* all_gather --------------------------------------------------------------------------------- */

static knx_error *all_gather_type(kni_rule *r, kni_type *y)
{
    const kni_p_all_gather *p = r->params;
    knp_dims d = knp_dims_of(*r->xt);
    KN_TRY(check_sizes(p->mesh, p->axis_name, p->sizes, p->axis_size));
    KN_TRY(check_dimension(p->all_gather_dimension, r->xt->ndim + !p->tiled));
    if (p->tiled) {
        int64_t *extent = &d.v[p->all_gather_dimension];
        if (knx_any_symbolic(*extent, p->axis_size))
            *extent = knx_dim_mul(*extent, p->axis_size);
        else if (__builtin_mul_overflow(*extent, p->axis_size, extent))
            return knx_error_new(KN_ERROR_VALUE, "the gathered array is too large");
    } else if (r->xt->ndim < KN_MAX_NDIM) {
        d = knp_insert(knp_ints(&d), (int)p->all_gather_dimension, p->axis_size);
    }
    return knp_type_dims(r->arena, r->xt->dtype, r->xt->weak, r->xt->ndim + !p->tiled, d.v, y);
}

static knx_error *all_gather_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    const kni_p_all_gather *p = r->params;
    ct_in[0] = knb_reduce_scatter(r->b, ct[0],
                                  &(kni_p_reduce_scatter){p->axis_name, p->sizes, p->axis_size, p->all_gather_dimension,
                                                          p->tiled, p->mesh, false});
    return NULL;
}

/* Some of the names, along a new axis at `dimension`. */
static kni_atom gather_over(kni_builder *b, kni_atom x, const kni_p_all_gather *p, int first, int end)
{
    if (end <= first)
        return x;
    kni_ints sizes = {end - first, p->sizes.v + first};
    return knb_all_gather(b, x,
                          &(kni_p_all_gather){p->all_gather_dimension, knp_names_part(p->axis_name, first, end), sizes,
                                              knp_product(sizes), false, NULL});
}

static knx_error *all_gather_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    const kni_p_all_gather *p = r->params;
    kni_builder *b = r->b;
    int at = knp_lane_position(r), dimension = (int)p->all_gather_dimension;
    if (at < 0) {
        kni_p_all_gather lifted = *p;
        lifted.all_gather_dimension += axis[0] >= 0 && axis[0] <= dimension;
        *y = knb_all_gather(b, r->x[0], &lifted);
        *axis_out = axis[0] + (axis[0] > dimension && !p->tiled);
        return NULL;
    }
    KN_TRY(check_lanes(p->sizes.v[at], size));
    /* minor names, this axis, major names: each in front of what was gathered before */
    kni_atom x = knp_batched_at(r, 0, size, axis[0], 0);
    kni_p_all_gather inner = *p;
    inner.all_gather_dimension++;
    x = gather_over(b, x, &inner, at + 1, p->axis_name.n);
    x = knb_move_axis(b, x, 0, dimension);
    x = gather_over(b, x, p, 0, at);
    int parts = (at > 0) + 1 + (at + 1 < p->axis_name.n);
    *y = fold_axes(b, x, dimension, parts - 1 + p->tiled);
    *axis_out = -1;
    return NULL;
}

const kni_prim knp_prim_all_gather = {
    .name = "all_gather",
    .n_in = 1,
    .n_out = 1,
    .bits = KN_NAMES | KN_FILLS_EARLY,
    .linear_in = 1,
    .factors = "... i -> ... j",
    .fields = kni_fields_all_gather,
    .params_size = sizeof(kni_p_all_gather),
    .doc = "the x of all lanes, along an axis (jax.lax.all_gather)",
    .type = all_gather_type,
    .jvp = knp_jvp_linear,
    .transpose = all_gather_transpose,
    .batch = all_gather_batch,
    .run = knp_all_gather_run,
    .start = knp_all_gather_start,
    .wait = knp_all_gather_wait,
    .workspace = knp_all_gather_workspace,
    .moves = knp_all_gather_moves,
    .expand = knp_unbound,
    .expands = knp_is_unbound,
};

/* reduce_scatter ----------------------------------------------------------------------------- */

static knx_error *reduce_scatter_type(kni_rule *r, kni_type *y)
{
    const kni_p_reduce_scatter *p = r->params;
    KN_TRY(knp_accepts(r->xt->dtype, KNP_NUMBERS));
    KN_TRY(check_sizes(p->mesh, p->axis_name, p->sizes, p->axis_size));
    KN_TRY(check_dimension(p->scatter_dimension, r->xt->ndim));
    int64_t extent = r->xt->dim[p->scatter_dimension];
    knx_text has = {0}, count = {0};
    if (p->tiled && !divides(p->axis_size, extent))
        return knx_error_new(
            KN_ERROR_VALUE,
            "tiled reduce_scatter operand scatter dimension size %s must be divisible by shard_count %s",
            knx_dim_show(&has, extent), knx_dim_show(&count, p->axis_size));
    if (!p->tiled && !knx_dim_eq(extent, p->axis_size))
        return knx_error_new(KN_ERROR_VALUE,
                             "reduce_scatter operand scatter dimension size %s must match shard count %s",
                             knx_dim_show(&has, extent), knx_dim_show(&count, p->axis_size));
    knp_dims d = p->tiled ? knp_dims_of(*r->xt) : knp_dims_without(*r->xt, (int)p->scatter_dimension);
    if (p->tiled)
        d.v[p->scatter_dimension] = knx_dim_floordiv(extent, p->axis_size);
    return knp_type_dims(r->arena, r->xt->dtype, r->xt->weak, d.n, d.v, y);
}

static knx_error *reduce_scatter_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    const kni_p_reduce_scatter *p = r->params;
    ct_in[0] = knb_all_gather(
        r->b, ct[0],
        &(kni_p_all_gather){p->scatter_dimension, p->axis_name, p->sizes, p->axis_size, p->tiled, p->mesh});
    return NULL;
}

static knx_error *reduce_scatter_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    const kni_p_reduce_scatter *p = r->params;
    kni_builder *b = r->b;
    int at = knp_lane_position(r), dimension = (int)p->scatter_dimension;
    int64_t where = axis[0];
    if (at < 0) {
        kni_p_reduce_scatter lifted = *p;
        lifted.scatter_dimension += axis[0] >= 0 && axis[0] <= dimension;
        *y = knb_reduce_scatter(b, r->x[0], &lifted);
        *axis_out = axis[0] - (axis[0] > dimension && !p->tiled);
        return NULL;
    }
    KN_TRY(check_lanes(p->sizes.v[at], size));
    kni_atom x = r->x[0];
    x = axis[0] < 0 ? knb_mul(b, x, number_of_lanes(b, x, size)) : sum_of_lanes(b, x, where, p->minus_zeros);
    int64_t major = product(p->sizes, 0, at), minor = product(p->sizes, at + 1, p->sizes.n);
    int64_t part = p->tiled && !b->error ? knx_dim_floordiv(knb_type(b, x).dim[dimension], p->axis_size) : 1;
    int64_t rest = knx_dim_mul(minor, part);
    if (p->axis_name.n == 1) {
        *y = p->tiled ? split_axis(b, x, dimension, size, rest) : x;
        *axis_out = dimension;
        return NULL;
    }
    x = split_axis(b, x, dimension, major, knx_dim_mul(size, rest));
    x = split_axis(b, x, dimension + 1, size, rest);
    x = knb_move_axis(b, x, dimension + 1, 0); /* lane, ..., major, minor and what stays, ... */
    x = fold_axes(b, x, dimension + 1, 1);
    *y = knb_reduce_scatter(b, x,
                            &(kni_p_reduce_scatter){without(b, p->axis_name, at), sizes_without(b, p->sizes, at),
                                                    knx_dim_mul(major, minor), dimension + 1, p->tiled, NULL,
                                                    p->minus_zeros});
    *axis_out = 0;
    return NULL;
}

const kni_prim knp_prim_reduce_scatter = {
    .name = "reduce_scatter",
    .n_in = 1,
    .n_out = 1,
    .bits = KN_NAMES,
    .linear_in = 1,
    .factors = "... i -> ... j",
    .fields = kni_fields_reduce_scatter,
    .params_size = sizeof(kni_p_reduce_scatter),
    .doc = "each lane's part of the sum of x over the lanes (jax.lax.psum_scatter)",
    .type = reduce_scatter_type,
    .jvp = knp_jvp_linear,
    .transpose = reduce_scatter_transpose,
    .batch = reduce_scatter_batch,
    .run = knp_reduce_scatter_run,
    .start = knp_reduce_scatter_start,
    .wait = knp_reduce_scatter_wait,
    .workspace = knp_reduce_scatter_workspace,
    .moves = knp_exchange_moves,
    .expand = knp_unbound,
    .expands = knp_is_unbound,
};

/* all_to_all --------------------------------------------------------------------------------- */

/* split_axis is cut into as many parts as there are lanes, one for each, and what comes is put together along
 * concat_axis: no axis comes or goes. `tiled` is what the caller said; here it makes no difference. */
static knx_error *all_to_all_type(kni_rule *r, kni_type *y)
{
    const kni_p_all_to_all *p = r->params;
    knp_dims d = knp_dims_of(*r->xt);
    KN_TRY(check_sizes(p->mesh, p->axis_name, p->sizes, p->axis_size));
    KN_TRY(check_dimension(p->split_axis, r->xt->ndim));
    KN_TRY(check_dimension(p->concat_axis, r->xt->ndim));
    int64_t *split = &d.v[p->split_axis], *concat = &d.v[p->concat_axis];
    knx_text has = {0}, lanes = {0};
    if (!divides(p->axis_size, *split))
        return knx_error_new(
            KN_ERROR_VALUE,
            "The size of all_to_all split_axis (%s) has to be divisible by the size of the named axis %s (%s)",
            knx_dim_show(&has, *split), p->axis_name.v[0], knx_dim_show(&lanes, p->axis_size));
    *split = knx_dim_floordiv(*split, p->axis_size);
    if (knx_any_symbolic(*concat, p->axis_size))
        *concat = knx_dim_mul(*concat, p->axis_size);
    else if (__builtin_mul_overflow(*concat, p->axis_size, concat))
        return knx_error_new(KN_ERROR_VALUE, "the result of all_to_all is too large");
    return knp_type_dims(r->arena, r->xt->dtype, r->xt->weak, d.n, d.v, y);
}

static knx_error *all_to_all_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    kni_p_all_to_all p = *(const kni_p_all_to_all *)r->params;
    int64_t split = p.split_axis;
    p.split_axis = p.concat_axis;
    p.concat_axis = split;
    ct_in[0] = knb_all_to_all(r->b, ct[0], &p);
    return NULL;
}

/* x is (from, ...) with the split axis at `split`; the names but names[at] do their part. */
static kni_atom exchange_several(const kni_rule *r, kni_atom x, int at, int split, int64_t rest)
{
    const kni_p_all_to_all *p = r->params;
    kni_builder *b = r->b;
    int64_t size = p->sizes.v[at], major = product(p->sizes, 0, at), minor = product(p->sizes, at + 1, p->sizes.n);
    rest = knx_dim_mul(minor, rest);
    x = split_axis(b, x, split, major, knx_dim_mul(size, rest));
    x = split_axis(b, x, split + 1, size, rest);
    x = knb_move_axis(b, x, split + 1, 0); /* to, from, ..., major, minor * rest, ... */
    x = fold_axes(b, x, split + 1, 1);
    x = split_axis(b, x, 1, 1, size); /* to, 1, from, ...: the others put theirs along the second axis */
    x = knb_all_to_all(b, x,
                       &(kni_p_all_to_all){without(b, p->axis_name, at), sizes_without(b, p->sizes, at),
                                           knx_dim_mul(major, minor), 1, split + 2, p->tiled, NULL});
    x = split_axis(b, x, 1, major, minor);
    x = knb_move_axis(b, x, 2, 3); /* to, major, from, minor, ... */
    return fold_axes(b, x, 1, 2);
}

static knx_error *all_to_all_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    const kni_p_all_to_all *p = r->params;
    kni_builder *b = r->b;
    int at = knp_lane_position(r), split = (int)p->split_axis, concat = (int)p->concat_axis;
    if (at < 0) {
        kni_p_all_to_all lifted = *p;
        lifted.split_axis += axis[0] >= 0 && axis[0] <= split;
        lifted.concat_axis += axis[0] >= 0 && axis[0] <= concat;
        *y = knb_all_to_all(b, r->x[0], &lifted);
        *axis_out = axis[0];
        return NULL;
    }
    KN_TRY(check_lanes(p->sizes.v[at], size));
    kni_atom x = knp_batched_at(r, 0, size, axis[0], 0); /* from, ..., split, ... */
    if (b->error)
        return NULL;
    int64_t rest = knx_dim_floordiv(knb_type(b, x).dim[split + 1], p->axis_size);
    if (p->axis_name.n > 1) {
        x = exchange_several(r, x, at, split + 1, rest);
    } else {
        x = split_axis(b, x, split + 1, size, rest);
        x = knb_move_axis(b, x, split + 1, 0);
    } /* to, from, ... */
    x = knb_move_axis(b, x, 1, concat + 1);
    *y = fold_axes(b, x, concat + 1, 1);
    *axis_out = 0;
    return NULL;
}

const kni_prim knp_prim_all_to_all = {
    .name = "all_to_all",
    .n_in = 1,
    .n_out = 1,
    .bits = KN_NAMES | KN_FILLS_EARLY,
    .linear_in = 1,
    .factors = "... i -> ... j",
    .fields = kni_fields_all_to_all,
    .params_size = sizeof(kni_p_all_to_all),
    .doc = "sends a part of x to each lane and puts together what comes (jax.lax.all_to_all)",
    .type = all_to_all_type,
    .jvp = knp_jvp_linear,
    .transpose = all_to_all_transpose,
    .batch = all_to_all_batch,
    .run = knp_all_to_all_run,
    .start = knp_all_to_all_start,
    .wait = knp_all_to_all_wait,
    .workspace = knp_all_to_all_workspace,
    .moves = knp_exchange_moves,
    .expand = knp_unbound,
    .expands = knp_is_unbound,
};

/* axis_index --------------------------------------------------------------------------------- */

static knx_error *axis_index_type(kni_rule *r, kni_type *y)
{
    const kni_p_axis_index *p = r->params;
    if (p->axis_name.n != 1)
        return knx_error_new(KN_ERROR_VALUE, "one axis is to be named");
    if (p->mesh)
        KN_TRY(knp_mesh_check(p->mesh, p->axis_name, (kni_ints){0, NULL}));
    return knp_type_dims(r->arena, KN_DT(I32), false, 0, NULL, y);
}

static knx_error *axis_index_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    const kni_p_axis_index *p = r->params;
    (void)axis;
    bool mine = knp_lane_position(r) >= 0;
    *y = mine ? knb_iota(r->b, KN_DT(I32), 1, &size, 0) : knb_axis_index(r->b, p->axis_name, p->mesh);
    *axis_out = mine ? 0 : -1;
    return NULL;
}

const kni_prim knp_prim_axis_index = {
    .name = "axis_index",
    .n_in = 0,
    .n_out = 1,
    .bits = KN_NAMES | KN_INTEGER_RESULT,
    .why_no_jvp = KN_WHY_INTEGERS,
    .factors = "-> ...",
    .fields = kni_fields_axis_index,
    .params_size = sizeof(kni_p_axis_index),
    .doc = "the number of the lane along a named axis (jax.lax.axis_index)",
    .type = axis_index_type,
    .batch = axis_index_batch,
    .run = knp_axis_index_run,
    .expand = knp_unbound,
    .expands = knp_is_unbound,
};
