/* SPDX-License-Identifier: Apache-2.0
 * scatter.c -- scatter, scatter-add, scatter-sub, scatter-mul, scatter-min, scatter-max: an array with windows of
 * updates written over it, added to it, ... at starts that are data.
 *
 *     type       the operand's
 *     jvp        scatter: the same of the tangents, where windows may meet of those alone that won (found by scattering
 *                numbers of points); add, sub: linear; mul: the product rule, for unique indices; min and max: the
 *                mean of the tangents of all that equal the result
 *     transpose  operand: the cotangent (scatter: zero where there were updates; mul: times the updates); updates: the
 *                windows of the cotangent at the same places (gather), of those that won
 *     batch      operand and updates get the axis in front: a window dimension, or with batched indices a pair of
 *                batching dimensions
 *     lower      a routine that goes in C order of the updates; IndexError in the mode CHECK
 *     unfailing  without what lies outside
 */
#include "prim/index/scatter_element.h"

typedef kni_p_scatter params_t;

/* --- what all share --------------------------------------------------------------------------- */

static knx_error *scatter_type(const char *op, unsigned kinds, const kni_rule *r, kni_type *y)
{
    const kni_type *x = r->xt;
    knp_indexing how = knp_indexing_of_scatter(r->params);
    KN_TRY(knp_accepts(x[0].dtype, kinds));
    if (x[2].dtype != x[0].dtype)
        return knx_error_new(KN_ERROR_TYPE, "%s requires arguments to have the same dtypes, got %s, %s.", op,
                             x[0].dtype->name, x[2].dtype->name);
    KN_TRY(knp_check_indexing(op, &how, x[0], x[1], x[2].ndim));
    knp_dims sizes = knp_window_sizes(&how, x[0], x[2]);
    knx_text s = {0}, t = {0};
    for (int d = 0; d < sizes.n; d++)
        if (!(knp_contains(how.dropped, d) || knp_contains(how.table_batching, d)) &&
            knx_dim_lt(x[0].dim[d], sizes.v[d]))
            return knx_error_new(
                KN_ERROR_TYPE,
                "Bounds of the window dimensions of updates must not exceed the bounds of the corresponding "
                "dimensions of operand. For dimension %d, updates bound is %s, operand bound is %s.",
                d, knx_dim_show(&s, sizes.v[d]), knx_dim_show(&t, x[0].dim[d]));
    for (int d = 0, i = 0; d < x[2].ndim; d++)
        if (!knp_contains(how.window, d) && !knx_dim_eq(x[2].dim[d], x[1].dim[i++]))
            return knx_error_new(
                KN_ERROR_TYPE,
                "Bounds of the scatter dimensions of updates must be the same as the bounds of the corresponding "
                "dimensions of scatter indices. For dimension %d, updates bound is %s, indices bound is %s.",
                d, knx_dim_show(&s, x[2].dim[d]), knx_dim_show(&t, x[1].dim[i - 1]));
    return knp_type_like(r->arena, x[0], x[0].dtype, y);
}

static knx_error *scatter_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    knp_indexing_lists lists;
    bool indices = axis[1] >= 0;
    knp_indexing old = knp_indexing_of_scatter(r->params), how = knp_batch_indexing(&old, true, indices, &lists);
    params_t q = knp_scatter_params(&how);
    kni_atom x = knp_batched_at(r, 0, size, axis[0], 0), updates = knp_batched_at(r, 2, size, axis[2], 0);
    kni_atom i = indices ? knb_move_axis(r->b, r->x[1], axis[1], 0) : r->x[1];
    y[0] = knb_emit1(r->b, r->prim, &q, 3, (kni_atom[]){x, i, updates});
    axis_out[0] = 0;
    return NULL;
}

static knx_error *scatter_run(const kni_rule *r, const kni_routine_args *args, knr_combine combine)
{
    knp_indexing how = knp_indexing_of_scatter(r->params);
    knp_dims sizes = knp_window_sizes(&how, r->xt[0], r->xt[2]);
    knr_windows w;
    knp_describe_windows(&how, r->xt[0], r->xt[1], r->xt[2], knp_ints(&sizes), false, &w);
    return knr_scatter(&w, combine, args->y[0], args->x[1], args->x[2], args->workspace, args->threads);
}

static knx_bytes scatter_workspace(const kni_rule *r) { return knr_scatter_workspace(r->threads); }

static kni_atom scatter_simplify(const kni_rule *r)
{
    knp_indexing how = knp_indexing_of_scatter(r->params);
    kni_atom i = knp_simplify_indices(r, &how, 4);
    params_t q = knp_scatter_params(&how);
    return i == KN_ATOM_NONE ? i : knb_emit1(r->b, r->prim, &q, 3, (kni_atom[]){r->x[0], i, r->x[2]});
}

static bool scatter_may_fail(const kni_rule *r) { return ((const params_t *)r->params)->mode == KN_GATHER_CHECK; }

static double scatter_cost(const kni_rule *r) { return 8 * kni_type_count(r->xt[1]) + 2 * kni_type_count(r->xt[2]); }

/* What lies outside is left out. */
static knx_error *scatter_unfailing(const kni_rule *r, kni_atom *y, kni_atom *failed)
{
    params_t p = *(const params_t *)r->params;
    knp_indexing how = knp_indexing_of_scatter(&p);
    knp_dims sizes = knp_window_sizes(&how, r->xt[0], r->xt[2]);
    knp_bounds_lists lists;
    kni_p_check_bounds bounds = knp_bounds_of(&how, r->xt[0], knp_ints(&sizes), &lists);
    *failed = knp_outside(r->b, r->x[1], &bounds);
    p.mode = KN_GATHER_FILL;
    y[0] = knb_emit1(r->b, r->prim, &p, r->n_in, r->x);
    return NULL;
}

/* How the results of parts of the updates are joined; -1: the order matters. */
static int join_of(const kni_rule *r)
{
    kn_dtype d = r->xt[0].dtype;
    bool truth = d->kind == KN_KIND_BOOL;
    if (r->prim == &knp_prim_scatter_add || r->prim == &knp_prim_scatter_sub)
        return truth ? KNI_OR : KNI_SUM;
    if (r->prim == &knp_prim_scatter_mul)
        return truth ? KNI_AND : KNI_PROD;
    if ((r->prim == &knp_prim_scatter_min || r->prim == &knp_prim_scatter_max) && !knx_is_complex(d))
        return r->prim == &knp_prim_scatter_min ? KNI_MIN : KNI_MAX;
    return -1;
}

static void scatter_spread(const kni_rule *r, kni_spread *s)
{
    knp_indexing how = knp_indexing_of_scatter(r->params);
    knp_dims sizes = knp_window_sizes(&how, r->xt[0], r->xt[2]);
    knp_spread_windows(r, &how, false, knp_ints(&sizes), join_of(r), s);
}

/* The array that this device begins with, where parts of the updates are joined: one of them has it, the others what
 * changes nothing. */
static kni_atom begin_with(const kni_rule *r, const kni_local *l)
{
    int join = join_of(r), none = join == KNI_PROD || join == KNI_AND;
    bool cut = false;
    for (int f = 0; f < l->spread->n; f++)
        cut = cut || (l->cut[f].parts > 1 && kni_factor_joins(l->spread->v[f].kind));
    if (!cut || join == KNI_MIN || join == KNI_MAX)
        return r->x[0];
    kni_atom nothing = knb_like(r->b, r->x[0], none);
    if (join == KNI_SUM && knx_is_inexact(r->xt[0].dtype))
        nothing = knb_neg(r->b, nothing); /* to which a -0 may be added */
    return knb_select(r->b, knp_is_first(r, l), r->x[0], nothing);
}

/* The updates that fall into the device's part of the table, or the device's part of the updates. */
static knx_error *scatter_local(const kni_rule *r, const kni_local *l, kni_atom *y)
{
    const params_t *p = r->params;
    knp_indexing how = knp_indexing_of_scatter(p);
    kni_atom x = begin_with(r, l), indices = r->x[1];
    how.is_sorted = how.is_unique = false;
    if (knp_table_is_cut(l, &how)) {
        knp_dims sizes = knp_window_sizes(&how, l->xt[0], l->xt[2]);
        knp_bounds_lists lists;
        kni_p_check_bounds bounds = knp_bounds_of(&how, l->xt[0], knp_ints(&sizes), &lists);
        if (p->mode == KN_GATHER_CHECK)
            knb_check_bounds(r->b, r->x[1], &bounds);
        indices = knp_part_indices(r, l, &how, knp_ints(&sizes), p->mode == KN_GATHER_CLIP);
        how.mode = KN_GATHER_FILL;
        how.wraps = false;
    }
    params_t q = knp_scatter_params(&how);
    y[0] = knb_emit1(r->b, r->prim, &q, 3, (kni_atom[]){x, indices, r->x[2]});
    return NULL;
}

#define SCATTER_RULES                                                                                              \
    .n_in = 3, .n_out = 1, .fields = kni_fields_scatter, .params_size = sizeof(params_t),                          \
    .factors = "n w, p i, p w -> n w", .batch = scatter_batch, .may_fail = scatter_may_fail, .cost = scatter_cost, \
    .unfailing = scatter_unfailing, .simplify = scatter_simplify, .spread = scatter_spread, .local = scatter_local
#define SCATTER SCATTER_RULES, .bits = KN_CAN_FAIL | KN_THREADS, .updates = 1, .workspace = scatter_workspace

/* The type rule and the routine of one of them. */
#define TYPE_AND_RUN(id, name, kinds, combine)                                                        \
    static knx_error *id##_type(kni_rule *r, kni_type *y) { return scatter_type(name, kinds, r, y); } \
    static knx_error *id##_run(const kni_rule *r, const kni_routine_args *args)                       \
    {                                                                                                 \
        return scatter_run(r, args, combine);                                                         \
    }
TYPE_AND_RUN(set, "scatter", KNP_ALL, KNR_SET)
TYPE_AND_RUN(add, "scatter-add", KNP_NUMBERS | KNP_BOOL, KNR_ADD)
TYPE_AND_RUN(mul, "scatter-mul", KNP_NUMBERS | KNP_BOOL, KNR_MUL)
TYPE_AND_RUN(min, "scatter-min", KNP_NUMBERS | KNP_BOOL, KNR_MIN)
TYPE_AND_RUN(max, "scatter-max", KNP_NUMBERS | KNP_BOOL, KNR_MAX)

/* --- parts of derivatives --------------------------------------------------------------------- */

/* The parameters in derivatives: the indices were checked when the function itself ran. */
static params_t checked(const kni_rule *r)
{
    params_t p = *(const params_t *)r->params;
    p.mode = p.mode == KN_GATHER_CHECK ? KN_GATHER_PROMISE : p.mode;
    return p;
}

/* What lies where the updates go, of an array of the operand's shape; zero for updates that are left out. */
static kni_atom under_updates(const kni_rule *r, kni_atom x)
{
    knp_indexing how = knp_indexing_of_scatter(r->params);
    how.mode = knp_mode_of_tangent(how.mode);
    knp_dims sizes = knp_window_sizes(&how, r->xt[0], r->xt[2]);
    for (int d = 0; d < sizes.n; d++) /* what is collapsed may be empty */
        sizes.v[d] = knx_dim_min(sizes.v[d], r->xt[0].dim[d]);
    kni_p_gather q = knp_gather_params(&how, knp_ints(&sizes));
    return knb_gather(r->b, x, r->x[1], &q);
}

static kni_atom or_zero(kni_builder *b, kni_atom where, kni_atom x)
{
    return knb_select(b, where, x, knb_like(b, x, 0));
}

/* Which elements of the operand no update replaced, and which updates are in the result: the points, numbered from 1,
 * are scattered, and gathered again. An element is in a window once, so its point's number tells who was last. */
static void find_winners(const kni_rule *r, kni_atom *untouched, kni_atom *wins)
{
    kni_builder *b = r->b;
    params_t p = checked(r);
    kni_type indices = r->xt[1], updates = r->xt[2];
    knp_dims points = {.n = indices.ndim - 1}, where = knp_axes_rest(p.update_window_dims, updates.ndim);
    for (int i = 0; i < points.n; i++)
        points.v[i] = indices.dim[i];
    int64_t count = knp_product(knp_ints(&points));
    kn_dtype d = knx_dim_taken_le(count, (int64_t)UINT32_MAX - 1) ? KN_DT(U32) : KN_DT(U64);
    kni_atom number = knb_add(b, knb_iota(b, d, 1, &count, 0), knb_integer(b, d, 1));
    number = knb_reshape(b, number, points.n, points.v);
    number = knb_broadcast_in_dim(b, number, updates.ndim, updates.dim, where.v);
    kni_atom none = knb_zeros(b, kni_type_of(d, r->xt[0].ndim, r->xt[0].dim));
    kni_atom last = knb_scatter(b, none, r->x[1], number, &p);
    *untouched = knb_eq(b, last, knb_integer(b, d, 0));
    *wins = knb_eq(b, number, under_updates(r, last));
}

/* --- scatter ---------------------------------------------------------------------------------- */

static void set_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    kni_builder *b = r->b;
    params_t p = checked(r);
    kni_atom x = knb_instantiate(b, tx[0], r->xt[0]), updates = knb_instantiate(b, tx[2], r->xt[2]), untouched, wins;
    if (p.unique_indices) {
        ty[0] = knb_scatter(b, x, r->x[1], updates, &p);
        return;
    }
    find_winners(r, &untouched, &wins);
    ty[0] = or_zero(b, untouched, x);
    if (tx[2] != KN_ATOM_ZERO)
        ty[0] = knb_scatter_add(b, ty[0], r->x[1], or_zero(b, wins, updates), &p);
}

static knx_error *set_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    params_t p = checked(r);
    if (r->x[0] == KN_ATOM_LINEAR)
        ct_in[0] = knb_scatter(r->b, ct[0], r->x[1], knb_zeros(r->b, r->xt[2]), &p);
    if (r->x[2] == KN_ATOM_LINEAR) {
        kni_atom untouched, wins;
        ct_in[2] = under_updates(r, ct[0]);
        if (!p.unique_indices) {
            find_winners(r, &untouched, &wins);
            ct_in[2] = or_zero(r->b, wins, ct_in[2]);
        }
    }
    return NULL;
}

static void set_element(kni_lower *l, const kni_rule *r, const kni_index *i, kni_pair *y)
{
    knp_scatter_element(l, r, i, false, y);
}

const kni_prim knp_prim_scatter = {
    .name = "scatter",
    SCATTER,
    .linear_in = 1 | 4,
    .type = set_type,
    .jvp = set_jvp,
    .transpose = set_transpose,
    .run = set_run,
    .element = set_element,
    .doc = "an array with windows of updates in place of its elements where the indices say; where they meet the last "
           "one in C order stays (jax.lax.scatter)",
};

/* --- scatter-add ------------------------------------------------------------------------------ */

static void add_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    params_t p = checked(r);
    ty[0] = tx[0];
    if (tx[2] != KN_ATOM_ZERO)
        ty[0] = knb_scatter_add(r->b, knb_instantiate(r->b, tx[0], r->xt[0]), r->x[1], tx[2], &p);
}

static knx_error *add_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    if (r->x[0] == KN_ATOM_LINEAR)
        ct_in[0] = ct[0];
    if (r->x[2] == KN_ATOM_LINEAR)
        ct_in[2] = under_updates(r, ct[0]);
    return NULL;
}

static void add_element(kni_lower *l, const kni_rule *r, const kni_index *i, kni_pair *y)
{
    knp_scatter_element(l, r, i, true, y);
}

const kni_prim knp_prim_scatter_add = {
    .name = "scatter-add",
    .events = KN_EVENTS,
    SCATTER,
    .linear_in = 1 | 4,
    .type = add_type,
    .jvp = add_jvp,
    .transpose = add_transpose,
    .run = add_run,
    .element = add_element,
    .doc = "an array with windows of updates added where the indices say, one after the other in C order "
           "(jax.lax.scatter_add)",
};

/* --- scatter-sub ------------------------------------------------------------------------------ */

static void sub_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    params_t p = checked(r);
    ty[0] = tx[0];
    if (tx[2] != KN_ATOM_ZERO)
        ty[0] = knb_scatter_sub(r->b, knb_instantiate(r->b, tx[0], r->xt[0]), r->x[1], tx[2], &p);
}

static knx_error *sub_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    KN_TRY(add_transpose(r, ct, ct_in));
    if (r->x[2] == KN_ATOM_LINEAR)
        ct_in[2] = knb_neg(r->b, ct_in[2]);
    return NULL;
}

static knx_error *sub_type(kni_rule *r, kni_type *y) { return scatter_type("scatter-sub", KNP_NUMBERS, r, y); }

/* x - y is x + -y, to the bit. */
static knx_error *sub_expand(const kni_rule *r, kni_atom *y)
{
    y[0] = knb_scatter_add(r->b, r->x[0], r->x[1], knb_neg(r->b, r->x[2]), r->params);
    return NULL;
}

const kni_prim knp_prim_scatter_sub = {
    .name = "scatter-sub",
    SCATTER_RULES,
    .bits = KN_CAN_FAIL,
    .linear_in = 1 | 4,
    .type = sub_type,
    .jvp = sub_jvp,
    .transpose = sub_transpose,
    .expand = sub_expand,
    .doc = "an array with windows of updates subtracted where the indices say, one after the other in C order "
           "(jax.lax.scatter_sub)",
};

/* --- scatter-mul ------------------------------------------------------------------------------ */

/* Several updates of one element are factors of each other: as in JAX there is no rule for them. */
static void mul_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    kni_builder *b = r->b;
    params_t p = checked(r);
    if (tx[0] != KN_ATOM_ZERO)
        ty[0] = knb_scatter_mul(b, tx[0], r->x[1], r->x[2], &p);
    if (tx[2] == KN_ATOM_ZERO)
        return;
    if (!p.unique_indices) {
        knb_fail(b, knx_error_new(KN_ERROR_NOT_IMPLEMENTED,
                                  "scatter-mul: the derivative with respect to the updates needs unique_indices=True"));
        return;
    }
    kni_atom change = knb_mul(b, tx[2], under_updates(r, r->x[0]));
    ty[0] = knb_add_any(b, ty[0], knb_scatter_add(b, knb_zeros(b, r->xt[0]), r->x[1], change, &p));
}

/* In the updates it is affine: what they miss stays. Their tangents come by scatter-add. */
static knx_error *mul_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    params_t p = checked(r);
    ct_in[0] = knb_scatter_mul(r->b, ct[0], r->x[1], r->x[2], &p);
    return NULL;
}

const kni_prim knp_prim_scatter_mul = {
    .name = "scatter-mul",
    .events = KN_EVENTS,
    SCATTER,
    .linear_in = 1,
    .type = mul_type,
    .jvp = mul_jvp,
    .transpose = mul_transpose,
    .run = mul_run,
    .doc = "an array multiplied by windows of updates where the indices say, one after the other in C order "
           "(jax.lax.scatter_mul)",
};

/* --- scatter-min, scatter-max ----------------------------------------------------------------- */

static void extreme_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    kni_builder *b = r->b;
    kn_dtype d = r->yt[0].dtype;
    params_t p = checked(r);
    kni_atom stays = knb_eq(b, r->x[0], r->y[0]), wins = knb_eq(b, r->x[2], under_updates(r, r->y[0]));
    kni_atom count = knb_scatter_add(b, knb_convert(b, stays, d), r->x[1], knb_convert(b, wins, d), &p);
    kni_atom sum = or_zero(b, stays, knb_instantiate(b, tx[0], r->xt[0]));
    if (tx[2] != KN_ATOM_ZERO)
        sum = knb_scatter_add(b, sum, r->x[1], or_zero(b, wins, tx[2]), &p);
    ty[0] = knb_div(b, sum, count);
}

const kni_prim knp_prim_scatter_min = {
    .name = "scatter-min",
    SCATTER,
    .type = min_type,
    .jvp = extreme_jvp,
    .run = min_run,
    .doc = "an array with the smaller of its elements and windows of updates where the indices say; nan if one is "
           "(jax.lax.scatter_min)",
};

const kni_prim knp_prim_scatter_max = {
    .name = "scatter-max",
    SCATTER,
    .type = max_type,
    .jvp = extreme_jvp,
    .run = max_run,
    .doc = "an array with the larger of its elements and windows of updates where the indices say; nan if one is "
           "(jax.lax.scatter_max)",
};
