/* SPDX-License-Identifier: Apache-2.0
 * window_select.c -- one element of each window: select_and_gather_add takes it from another array, and
 * select_and_scatter_add adds a number where it stands. Both are made of window_choice, the position of the element
 * that stays when those of a window come one after the other (the largest for ge, the smallest for le; the first of
 * equal ones; nan gives way, as in JAX), and of what is done with it: window_pick and window_place.
 *
 *     type       one result per window, or the array's shape
 *     jvp        linear in the array or the numbers; the choice is one all the same
 *     transpose  picking and placing are each other's transposes
 *     batch      one more axis in front, of all operands
 *     lower      a kernel looks at up to 64 positions, or windows, one after the other; more, and small results, are a
 *                routine's
 */
#include "prim/window/window.h"

typedef kni_p_window params_t;

/* --- select_and_gather_add, select_and_scatter_add ------------------------------------------------ */

static kn_dtype index_dtype_of(const params_t *p)
{
    int64_t n = knp_product(p->window_dimensions);
    return n <= INT8_MAX ? KN_DT(I8) : n <= INT16_MAX ? KN_DT(I16) : n <= INT32_MAX ? KN_DT(I32) : KN_DT(I64);
}

static knx_error *gather_type(kni_rule *r, kni_type *y)
{
    if (!kni_type_same_shape(r->xt[0], r->xt[1])) {
        knx_text s = {0}, t = {0};
        return knx_error_new(KN_ERROR_TYPE, "tangents and operand shapes must match, got %s and %s.",
                             knx_show_shape(&s, r->xt[0].ndim, r->xt[0].dim),
                             knx_show_shape(&t, r->xt[1].ndim, r->xt[1].dim));
    }
    KN_TRY(knp_accepts(r->xt[0].dtype, KNP_NUMBERS | KNP_BOOL));
    KN_TRY(knp_accepts(r->xt[1].dtype, KNP_REALS | KNP_BOOL));
    return knp_window_type(r->params, true, r->xt[1], r->xt[0].dtype, r->xt[0].weak, r->arena, y);
}

static knx_error *same_counts(kni_type x, const knp_dims *counts)
{
    knx_text s = {0}, t = {0};
    bool same = x.ndim == counts->n;
    for (int d = 0; same && d < x.ndim; d++)
        same = knx_dim_eq(x.dim[d], counts->v[d]);
    return same ? NULL
                : knx_error_new(KN_ERROR_TYPE, "source must have one element for each window, %s, got %s",
                                knx_show_shape(&s, counts->n, counts->v), knx_show_shape(&t, x.ndim, x.dim));
}

static knx_error *scatter_type(kni_rule *r, kni_type *y)
{
    knp_dims counts;
    KN_TRY(knp_accepts(r->xt[0].dtype, KNP_NUMBERS | KNP_BOOL));
    KN_TRY(knp_accepts(r->xt[1].dtype, KNP_REALS | KNP_BOOL));
    KN_TRY(knp_window_counts(r->params, false, r->xt[1], &counts));
    KN_TRY(same_counts(r->xt[0], &counts));
    return knp_type_dims(r->arena, r->xt[0].dtype, r->xt[0].weak, r->xt[1].ndim, r->xt[1].dim, y);
}

/* Linear in the first operand; nothing is known of the second one's tangent. */
static void linear_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    if (tx[0] != KN_ATOM_ZERO)
        ty[0] = knb_emit1(r->b, r->prim, r->params, 2, (kni_atom[]){tx[0], r->x[1]});
}

static kni_atom integers(kni_builder *b, kni_atom like, int64_t v)
{
    return knb_dimension(b, knb_type(b, like).dtype, v);
}

/* The positions in windows without dilation that are as wide. */
static kni_atom in_wide_windows(kni_builder *b, const params_t *p, kni_ints wide, kni_atom choice)
{
    int64_t narrow_after = 1, after = 1;
    kni_atom y = KN_ATOM_NONE;
    choice = knb_convert(b, choice, KN_DT(I64));
    for (int d = wide.n - 1; d >= 0; d--) {
        int64_t size = p->window_dimensions.v[d], step = p->window_dilation.v[d];
        kni_atom k = knb_rem(b, knb_div(b, choice, integers(b, choice, narrow_after)), integers(b, choice, size));
        k = knb_mul(b, k, integers(b, choice, knx_dim_mul(step, after)));
        y = y == KN_ATOM_NONE ? k : knb_add(b, y, k);
        narrow_after = knx_dim_mul(narrow_after, size);
        after = knx_dim_mul(after, wide.v[d]);
    }
    kni_atom none = integers(b, choice, -1);
    return y == KN_ATOM_NONE ? choice : knb_select(b, knb_eq(b, choice, none), none, y);
}

/* Numbers put where windows of any kind chose an element of an array of type t. */
static kni_atom place_anywhere(kni_builder *b, const params_t *p, kni_type t, kni_atom source, kni_atom choice)
{
    params_t q = *p;
    knp_dims all = knp_dims_of(t), none = {.n = t.ndim}, wide = none;
    bool dilated = false, room = false;
    for (int d = 0; d < t.ndim; d++) {
        dilated |= p->window_dilation.v[d] != 1;
        room |= p->base_dilation.v[d] != 1;
        wide.v[d] = knp_window_spread(p->window_dimensions.v[d], p->window_dilation.v[d]);
        none.v[d] = 0;
        all.v[d] = knp_window_spread(all.v[d], p->base_dilation.v[d]);
    }
    q.window_dimensions = knp_ints(&wide);
    q.shape = knp_ints(&all);
    if (dilated)
        choice = in_wide_windows(b, p, q.window_dimensions, choice);
    kni_atom y = knb_window_place(b, source, choice, &q);
    return room && !b->error ? knb_slice(b, y, none.v, all.v, p->base_dilation.v) : y;
}

/* As in JAX, where x is padded to have room between its elements; JAX has none for dilated windows. */
static knx_error *gather_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    params_t p = *(const params_t *)r->params;
    kni_builder *b = r->b;
    kni_type t = r->xt[1];
    kni_atom x = r->x[1];
    knp_dims none = {.n = t.ndim}, behind = none, all = none;
    bool room = false, dilated = false;
    for (int d = 0; d < t.ndim; d++) {
        int64_t base = p.base_dilation.v[d];
        room |= base != 1;
        dilated |= p.window_dilation.v[d] != 1;
        none.v[d] = 0;
        behind.v[d] = base - 1;
        all.v[d] = knp_window_spread(t.dim[d], base);
    }
    if (dilated) {
        p.identity = false;
        p.index_dtype = index_dtype_of(&p);
        ct_in[0] = place_anywhere(b, &p, t, ct[0], knb_window_choice(b, x, &p));
        return NULL;
    }
    if (room) {
        kni_atom value = knb_literal(b, t.dtype, false, knx_scalar_extreme(t.dtype, p.select_prim != KN_SELECT_GE));
        x = knb_pad(b, x, value, none.v, none.v, behind.v);
    }
    kni_atom y = knb_select_and_scatter_add(b, ct[0], x, &p);
    ct_in[0] = room && !b->error ? knb_slice(b, y, none.v, all.v, p.base_dilation.v) : y;
    return NULL;
}

static knx_error *scatter_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    params_t p = *(const params_t *)r->params;
    knp_dims ones = {.n = r->xt[1].ndim};
    for (int d = 0; d < ones.n; d++)
        ones.v[d] = 1;
    p.base_dilation = p.window_dilation = knp_ints(&ones);
    ct_in[0] = knb_select_and_gather_add(r->b, ct[0], r->x[1], &p);
    return NULL;
}

/* All operands get the axis in front. */
static knx_error *batch_in_front(const kni_rule *r, int64_t size, const int *axis, bool dilated, int64_t shape,
                                 kni_atom *y, int *axis_out)
{
    knp_window_lists lists;
    kni_atom x[2] = {KN_ATOM_NONE, KN_ATOM_NONE};
    kni_p_window p = knp_window_insert(r->params, dilated, 0, shape, &lists);
    for (int i = 0; i < r->n_in; i++)
        x[i] = knp_batched_at(r, i, size, axis[i], 0);
    y[0] = knb_emit1(r->b, r->prim, &p, r->n_in, x);
    axis_out[0] = 0;
    return NULL;
}

static knx_error *batch_dilated(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    return batch_in_front(r, size, axis, true, -1, y, axis_out);
}

static knx_error *batch_scatter(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    return batch_in_front(r, size, axis, false, -1, y, axis_out);
}

static knx_error *gather_expand(const kni_rule *r, kni_atom *y)
{
    params_t p = *(const params_t *)r->params;
    p.identity = true;
    p.index_dtype = index_dtype_of(&p);
    y[0] = knb_window_pick(r->b, r->x[0], knb_window_choice(r->b, r->x[1], &p), &p);
    return NULL;
}

static knx_error *scatter_expand(const kni_rule *r, kni_atom *y)
{
    params_t p = *(const params_t *)r->params;
    kni_type x = r->xt[1];
    knp_dims ones = {.n = x.ndim};
    for (int d = 0; d < x.ndim; d++)
        ones.v[d] = 1;
    p.base_dilation = p.window_dilation = knp_ints(&ones);
    p.identity = false;
    p.index_dtype = index_dtype_of(&p);
    p.shape = (kni_ints){x.ndim, x.dim};
    y[0] = knb_window_place(r->b, r->x[0], knb_window_choice(r->b, r->x[1], &p), &p);
    return NULL;
}

static double select_cost(const kni_rule *r)
{
    const params_t *p = r->params;
    return 3.0 * (double)knx_dim_hint(knp_product(p->window_dimensions)) *
           (kni_type_count(r->xt[0]) + kni_type_count(r->yt[0]));
}

const kni_prim knp_prim_select_and_gather_add = {
    .name = "select_and_gather_add",
    .n_in = 2,
    .n_out = 1,
    .linear_in = 1,
    .fields = kni_fields_window_gather,
    .params_size = sizeof(params_t),
    .factors = "... i, ... i -> ... j",
    .spread = knp_window_factors,
    .type = gather_type,
    .jvp = linear_jvp,
    .transpose = gather_transpose,
    .batch = batch_dilated,
    .expand = gather_expand,
    .cost = select_cost,
    .doc = "of one array the elements where those of another are largest, or smallest, in each window (the derivative "
           "of reduce_window_max)",
};

const kni_prim knp_prim_select_and_scatter_add = {
    .name = "select_and_scatter_add",
    .n_in = 2,
    .n_out = 1,
    .linear_in = 1,
    .fields = kni_fields_window_scatter,
    .params_size = sizeof(params_t),
    .factors = "... m, ... i -> ... j",
    .spread = knp_window_factors,
    .type = scatter_type,
    .jvp = linear_jvp,
    .transpose = scatter_transpose,
    .batch = batch_scatter,
    .expand = scatter_expand,
    .cost = select_cost,
    .doc = "numbers, one for each window, added where the window's largest, or smallest, element stands (the transpose "
           "of select_and_gather_add)",
};

/* --- window_choice -------------------------------------------------------------------------------- */

static knx_error *choice_type(kni_rule *r, kni_type *y)
{
    const params_t *p = r->params;
    KN_TRY(knp_accepts(r->xt->dtype, KNP_REALS | KNP_BOOL));
    if (!p->index_dtype || p->index_dtype->kind != 'i')
        return knx_error_new(KN_ERROR_TYPE, "the index dtype must be a signed integer, got %s",
                             p->index_dtype ? p->index_dtype->name : "none");
    return knp_window_type(p, true, *r->xt, p->index_dtype, false, r->arena, y);
}

static knx_error *choice_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    return batch_in_front(r, size, axis, true, -1, y, axis_out);
}

static int64_t positions_of(const void *params) { return knp_product(((const params_t *)params)->window_dimensions); }

static int64_t choice_looks(const kni_rule *r) { return positions_of(r->params); }

static bool choice_pulls(const kni_rule *r)
{
    knp_window w;
    knp_window_read(r->params, true, r->xt[0], NULL, &w);
    return knp_window_is_fixed(&w) && positions_of(r->params) <= KNP_MAX_POSITIONS;
}

static double choice_cost(const kni_rule *r)
{
    return 3.0 * (double)knx_dim_hint(positions_of(r->params)) * kni_type_count(r->yt[0]);
}

typedef struct choosing {
    kni_lower *l;
    const params_t *p;
    kn_dtype dtype;
    knk_node none, best, chosen; /* none: the identity */
} choosing;

static void choose(void *env, int64_t position, knk_node node, const kni_index *in, knk_node pred)
{
    choosing *c = env;
    (void)node;
    knk_builder *k = kni_lower_kernel(c->l);
    knk_node number = knk_const_int(k, (knx_dtype_id)c->p->index_dtype->id, position), v = c->none;
    if (in)
        v = kni_lower_operand(c->l, 0, in, pred, knp_real(c->none)).re;
    if (c->best == KNK_NONE) {
        c->best = v;
        c->chosen = number;
        return;
    }
    bool largest = c->p->select_prim == KN_SELECT_GE;
    knk_node a = c->best, b = v;
    if (c->dtype->kind == KN_KIND_BOOL) {
        a = knk_cast(k, KN_ID_U8, a);
        b = knk_cast(k, KN_ID_U8, b);
    }
    knk_node stays = largest ? knk_binary(k, KNK_LE, b, a) : knk_binary(k, KNK_LE, a, b);
    c->best = knk_select(k, stays, c->best, v);
    c->chosen = knk_select(k, stays, c->chosen, number);
}

static void choice_pull(kni_lower *l, const kni_rule *r, const kni_index *i, kni_pair *y)
{
    const params_t *p = r->params;
    knk_builder *k = kni_lower_kernel(l);
    knp_window w;
    knk_node none = knp_extreme_node(k, r->xt[0].dtype, p->select_prim == KN_SELECT_GE);
    choosing c = {l, p, r->xt[0].dtype, none, KNK_NONE, KNK_NONE};
    if (p->identity) {
        c.best = none;
        c.chosen = knk_const_int(k, (knx_dtype_id)p->index_dtype->id, -1);
    }
    knp_window_read(p, true, r->xt[0], r->yt, &w);
    knp_window_walk(l, &w, i, true, choose, &c);
    *y = knp_real(c.chosen);
}

static knx_error *choice_run(const kni_rule *r, const kni_routine_args *args)
{
    const params_t *p = r->params;
    knp_window w;
    knp_window_read(p, true, r->xt[0], r->yt, &w);
    knr_pooling_choose(p->select_prim == KN_SELECT_GE, p->identity, r->xt[0].dtype, &w, args->x[0], p->index_dtype,
                       args->y[0]);
    return NULL;
}

const kni_prim knp_prim_window_choice = {
    .name = "window_choice",
    .n_in = 1,
    .n_out = 1,
    .bits = KN_INTEGER_RESULT,
    .fields = kni_fields_window_choice,
    .params_size = sizeof(params_t),
    .why_no_jvp = KN_WHY_DISCRETE,
    .why_no_transpose = KN_WHY_DISCRETE,
    .factors = "... i -> ... j",
    .spread = knp_window_factors,
    .type = choice_type,
    .batch = choice_batch,
    .pull = choice_pull,
    .pulls = choice_pulls,
    .run = choice_run,
    .looks = choice_looks,
    .cost = choice_cost,
    .doc = "the position of the largest, or smallest, element in each window; -1 stands for the identity",
};

/* --- window_pick ---------------------------------------------------------------------------------- */

static knx_error *check_choice(kni_type choice)
{
    if (choice.dtype->kind != 'i')
        return knx_error_new(KN_ERROR_TYPE, "choices must be signed integers, got %s", choice.dtype->name);
    return NULL;
}

static knx_error *pick_type(kni_rule *r, kni_type *y)
{
    knp_dims counts;
    KN_TRY(knp_accepts(r->xt[0].dtype, KNP_NUMBERS | KNP_BOOL));
    KN_TRY(check_choice(r->xt[1]));
    KN_TRY(knp_window_counts(r->params, true, r->xt[0], &counts));
    KN_TRY(same_counts(r->xt[1], &counts));
    return knp_type_dims(r->arena, r->xt[0].dtype, r->xt[0].weak, counts.n, counts.v, y);
}

static knx_error *pick_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    ct_in[0] = place_anywhere(r->b, r->params, r->xt[0], ct[0], r->x[1]);
    return NULL;
}

static bool pick_pulls(const kni_rule *r)
{
    knp_window w;
    knp_window_read(r->params, true, r->xt[0], NULL, &w);
    return knp_window_is_fixed(&w) && kni_type_size(r->xt[0]) != 0;
}

static double pick_cost(const kni_rule *r) { return (2.0 + 5.0 * r->xt[0].ndim) * kni_type_count(r->yt[0]); }

static kni_pair zero_of(knk_builder *k, kn_dtype d)
{
    knk_node zero = knk_const_int(k, knp_node_dtype(d), 0);
    return (kni_pair){zero, knx_is_complex(d) ? zero : KNK_NONE};
}

/* The place along axis d of position k, a node, of window i. */
static bool picked_place(kni_lower *l, const knp_window_axis *a, const kni_index *i, int d, knk_node k_node,
                         kni_index *in, knk_node *pred)
{
    knk_builder *k = kni_lower_kernel(l);
    kni_index_axis *x = &in->axis[d];
    int64_t end = knp_window_spread(a->extent, a->base);
    knp_index_copy(i, d, in, d);
    x->offset = knx_dim_sub(knx_dim_mul(x->offset, a->stride), a->lo);
    for (int j = 0; j < i->n_loop; j++)
        x->coef[j] *= a->stride;
    if (x->node >= 0 && a->stride != 1)
        x->node = knk_binary(k, KNK_MUL, x->node, knk_const_int(k, KN_ID_I64, a->stride));
    if (a->size > 1) {
        if (a->step != 1)
            k_node = knk_binary(k, KNK_MUL, k_node, knk_const_int(k, KN_ID_I64, a->step));
        x->node = x->node < 0 ? k_node : knk_binary(k, KNK_ADD, x->node, k_node);
    }
    int64_t most = knx_dim_sub(knx_dim_mul(a->count - 1, a->stride) + (a->size - 1) * a->step, a->lo);
    if (!knx_dim_known_le(a->lo, 0))
        *pred = knp_not_below(l, in, d, 0, *pred);
    if (!knx_dim_known_le(most + 1, end))
        *pred = knp_below(l, in, d, end, *pred);
    if (a->base != 1) {
        knk_node at = kni_lower_axis_value(l, in, d), q = knp_divide(k, at, a->base, most > 0 ? most : 0);
        *pred = knp_both(k, *pred,
                         knk_binary(k, KNK_EQ, knk_binary(k, KNK_MUL, q, knk_const_int(k, KN_ID_I64, a->base)), at));
        *x = (kni_index_axis){.node = q};
    }
    return true;
}

static void pick_pull(kni_lower *l, const kni_rule *r, const kni_index *i, kni_pair *y)
{
    knk_builder *k = kni_lower_kernel(l);
    knp_window w;
    kni_index *in = kni_lower_index(l, i->ndim, i);
    if (!in)
        return;
    knp_window_read(r->params, true, r->xt[0], r->yt, &w);
    knk_node rest = kni_lower_operand(l, 1, i, KNK_NONE, knp_real(KNK_NONE)).re;
    if (r->xt[1].dtype->id != KN_ID_I64)
        rest = knk_cast(k, KN_ID_I64, rest);
    knk_node pred = knk_binary(k, KNK_LE, knk_const_int(k, KN_ID_I64, 0), rest);
    pred = knp_both(k, pred, knk_binary(k, KNK_LT, rest, knk_const_int(k, KN_ID_I64, w.positions)));
    int64_t after = w.positions;
    for (int d = 0; d < w.n; d++) {
        knk_node own = rest;
        after /= w.axis[d].size;
        if (after > 1 && w.axis[d].size > 1) {
            own = knp_divide(k, rest, after, w.positions);
            rest = knk_binary(k, KNK_SUB, rest, knk_binary(k, KNK_MUL, own, knk_const_int(k, KN_ID_I64, after)));
        }
        picked_place(l, &w.axis[d], i, d, own, in, &pred);
    }
    *y = kni_lower_operand(l, 0, in, pred, zero_of(k, r->xt[0].dtype));
}

static knx_error *pick_run(const kni_rule *r, const kni_routine_args *args)
{
    knp_window w;
    knp_window_read(r->params, true, r->xt[0], r->yt, &w);
    knr_pooling_pick(r->xt[0].dtype->size, &w, args->x[0], r->xt[1].dtype, args->x[1], args->y[0]);
    return NULL;
}

const kni_prim knp_prim_window_pick = {
    .name = "window_pick",
    .n_in = 2,
    .n_out = 1,
    .linear_in = 1,
    .fields = kni_fields_window_pick,
    .params_size = sizeof(params_t),
    .factors = "... i, ... j -> ... j",
    .spread = knp_window_factors,
    .type = pick_type,
    .jvp = linear_jvp,
    .transpose = pick_transpose,
    .batch = batch_dilated,
    .pull = pick_pull,
    .pulls = pick_pulls,
    .run = pick_run,
    .cost = pick_cost,
    .doc = "the element at a position of each window, zero where there is none",
};

/* --- window_place --------------------------------------------------------------------------------- */

static knx_error *place_type(kni_rule *r, kni_type *y)
{
    const params_t *p = r->params;
    kni_type array = kni_type_of(r->xt[0].dtype, p->shape.n, p->shape.v);
    knp_dims counts;
    KN_TRY(knp_accepts(r->xt[0].dtype, KNP_NUMBERS | KNP_BOOL));
    KN_TRY(check_choice(r->xt[1]));
    for (int d = 0; d < p->shape.n; d++)
        if (knx_dim_lt(p->shape.v[d], 0))
            return knx_error_new(KN_ERROR_VALUE, "negative dimensions are not allowed");
    KN_TRY(knp_window_counts(p, false, array, &counts));
    KN_TRY(same_counts(r->xt[0], &counts));
    KN_TRY(same_counts(r->xt[1], &counts));
    return knp_type_dims(r->arena, r->xt[0].dtype, r->xt[0].weak, array.ndim, array.dim, y);
}

static knx_error *place_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    params_t p = *(const params_t *)r->params;
    knp_dims ones = {.n = r->yt[0].ndim};
    for (int d = 0; d < ones.n; d++)
        ones.v[d] = 1;
    p.base_dilation = p.window_dilation = knp_ints(&ones);
    ct_in[0] = knb_window_pick(r->b, ct[0], r->x[1], &p);
    return NULL;
}

static knx_error *place_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    return batch_in_front(r, size, axis, false, size, y, axis_out);
}

/* How many windows an element may be in, along an axis; an unknown count is large. */
static int64_t windows_at(const knp_window_axis *a)
{
    int64_t n = (a->size - 1) / a->stride + 1;
    return a->count < n ? a->count : n;
}

static int64_t looks_of(const kni_rule *r, bool likely)
{
    knp_window w;
    int64_t n = 1;
    const params_t *p = r->params;
    knp_window_read(p, false, kni_type_of(NULL, p->shape.n, p->shape.v), &r->xt[0], &w);
    if (likely)
        knp_window_guess(&w);
    for (int d = 0; d < w.n; d++)
        if (__builtin_mul_overflow(n, windows_at(&w.axis[d]), &n))
            return INT64_MAX;
    return n;
}

static int64_t place_looks(const kni_rule *r) { return looks_of(r, false); }

static bool place_pulls(const kni_rule *r)
{
    const params_t *p = r->params;
    knp_window w;
    knp_window_read(p, false, kni_type_of(NULL, p->shape.n, p->shape.v), NULL, &w);
    return knp_window_is_fixed(&w) && place_looks(r) <= KNP_MAX_POSITIONS && kni_type_size(r->xt[0]) != 0;
}

static double place_cost(const kni_rule *r) { return 4.0 * (double)looks_of(r, true) * kni_type_count(r->yt[0]); }

typedef struct placing {
    kni_lower *l;
    kn_dtype dtype, index;
    kni_pair sum, zero;
    knp_places_room room;
} placing;

/* A window that the element may be in, at this position of the window if it is. */
static void add_window(void *env, int64_t position, knk_node node, const kni_index *in, knk_node pred)
{
    placing *p = env;
    knk_builder *k = kni_lower_kernel(p->l);
    knx_dtype_id index = (knx_dtype_id)p->index->id;
    knk_node here = knk_const_int(k, index, position), none = knk_const_int(k, index, -1);
    if (node >= 0)
        here = knk_cast(k, index, knk_binary(k, KNK_ADD, node, knk_const_int(k, KN_ID_I64, position)));
    knk_node chosen = kni_lower_operand(p->l, 1, in, pred, knp_real(none)).re;
    knk_node match = knp_both(k, pred, knk_binary(k, KNK_EQ, chosen, here));
    kni_pair x = kni_lower_operand(p->l, 0, in, match, p->zero);
    if (p->dtype->kind == KN_KIND_BOOL) {
        p->sum.re = knk_binary(k, KNK_OR, p->sum.re, x.re);
        return;
    }
    p->sum.re = knk_binary(k, KNK_ADD, p->sum.re, x.re);
    if (x.im >= 0)
        p->sum.im = knk_binary(k, KNK_ADD, p->sum.im, x.im);
    if (knx_is_float(p->dtype) && p->dtype->size == 2)
        p->sum.re = knk_cast(k, KN_ID_F32, knk_cast(k, (knx_dtype_id)p->dtype->id, p->sum.re));
}

/* Place c along axis d: window number `offset` + node, where that is one; what it adds to the position. */
static bool place_at(placing *p, const knp_window_axis *a, int d, int c, int64_t least, int64_t most, int64_t number)
{
    knp_places *q = &p->room.axis[d];
    if (knx_dim_known_le(most, -1) || knx_dim_known_le(a->count, least))
        return false;
    if (!knx_dim_known_le(0, least))
        q->pred[c] = knp_not_below(p->l, q->at, c, 0, q->pred[c]);
    if (!knx_dim_known_le(most + 1, a->count))
        q->pred[c] = knp_below(p->l, q->at, c, a->count, q->pred[c]);
    q->number[c] = number;
    return true;
}

/* The windows begin at each element: an element's position in the j-th one back is j. */
static void dense_places(placing *p, const knp_window_axis *a, const kni_index *i, int d, int64_t after)
{
    knp_places *q = &p->room.axis[d];
    int n = 0;
    for (int64_t j = windows_at(a); j-- > 0;) {
        q->pred[n] = q->node[n] = KNK_NONE;
        knp_index_copy(i, d, q->at, n);
        q->at->axis[n].offset = knx_dim_add(q->at->axis[n].offset, a->lo - j);
        n += place_at(p, a, d, n, a->lo - j, knx_dim_add(a->extent, a->lo) - 1 - j, j * after);
    }
    q->n = n;
}

/* There are few windows: each one is looked at. */
static void all_places(placing *p, const knp_window_axis *a, const kni_index *i, int d, int64_t after)
{
    knk_builder *k = kni_lower_kernel(p->l);
    knp_places *q = &p->room.axis[d];
    kni_index *own = kni_lower_index(p->l, 1, i);
    int n = 0;
    for (int64_t o = 0; own && o < a->count; o++) {
        int64_t least = a->lo - o * a->stride, most = knx_dim_add(a->extent, least) - 1;
        if (knx_dim_known_le(most, -1) || knx_dim_known_le(a->size, least))
            continue;
        knp_index_copy(i, d, own, 0);
        own->axis[0].offset = knx_dim_add(own->axis[0].offset, least);
        q->pred[n] = q->node[n] = KNK_NONE;
        if (!knx_dim_known_le(0, least))
            q->pred[n] = knp_not_below(p->l, own, 0, 0, q->pred[n]);
        if (!knx_dim_known_le(most + 1, a->size))
            q->pred[n] = knp_below(p->l, own, 0, a->size, q->pred[n]);
        if (a->size > 1)
            q->node[n] = knk_binary(k, KNK_MUL, kni_lower_axis_value(p->l, own, 0), knk_const_int(k, KN_ID_I64, after));
        q->number[n] = 0;
        q->at->axis[n] = (kni_index_axis){.offset = o, .node = KNK_NONE};
        n++;
    }
    q->n = n;
}

/* The last window that begins at or in front of the element, and those before it. */
static void strided_places(placing *p, const knp_window_axis *a, const kni_index *i, int d, int64_t after)
{
    knk_builder *k = kni_lower_kernel(p->l);
    knp_places *q = &p->room.axis[d];
    kni_index *own = kni_lower_index(p->l, 1, i);
    int64_t bias = a->lo < 0 ? (-a->lo + a->stride - 1) / a->stride : 0, first = a->lo + bias * a->stride;
    int64_t end = knx_is_symbolic(a->extent) ? knx_dim_floordiv(knx_dim_add(first, a->extent) - 1, a->stride)
                                             : (first + a->extent - 1) / a->stride;
    int n = 0;
    if (!own)
        return;
    knp_index_copy(i, d, own, 0);
    own->axis[0].offset = knx_dim_add(own->axis[0].offset, first);
    knk_node at = kni_lower_axis_value(p->l, own, 0),
             last = knp_divide(k, at, a->stride, knx_dim_add(first, a->extent));
    knk_node r = knk_binary(k, KNK_SUB, at, knk_binary(k, KNK_MUL, last, knk_const_int(k, KN_ID_I64, a->stride)));
    for (int64_t j = windows_at(a); j-- > 0;) {
        int64_t back = -j - bias;
        q->pred[n] = KNK_NONE;
        q->node[n] = knk_binary(k, KNK_MUL, r, knk_const_int(k, KN_ID_I64, after));
        q->at->axis[n] = (kni_index_axis){.offset = back, .node = last};
        if (!place_at(p, a, d, n, first / a->stride + back, end + back, j * a->stride * after))
            continue;
        if (a->stride * (j + 1) > a->size)
            q->pred[n] =
                knp_both(k, q->pred[n], knk_binary(k, KNK_LT, r, knk_const_int(k, KN_ID_I64, a->size - a->stride * j)));
        n++;
    }
    q->n = n;
}

static void place_pull(kni_lower *l, const kni_rule *r, const kni_index *i, kni_pair *y)
{
    knp_window w;
    placing p = {.l = l, .dtype = r->xt[0].dtype, .index = r->xt[1].dtype};
    p.sum = p.zero = zero_of(kni_lower_kernel(l), p.dtype);
    *y = p.sum;
    knp_window_read(r->params, false, r->yt[0], &r->xt[0], &w);
    int64_t after = 1;
    for (int d = w.n - 1; d >= 0; after *= w.axis[d--].size) {
        const knp_window_axis *a = &w.axis[d];
        int64_t n = windows_at(a);
        if (!knp_places_new(l, &p.room, d, (int)n, i))
            return;
        if (a->count <= (a->size - 1) / a->stride)
            all_places(&p, a, i, d, after);
        else if (a->stride == 1)
            dense_places(&p, a, i, d, after);
        else
            strided_places(&p, a, i, d, after);
    }
    knp_places_walk(l, i, w.n, &p.room, add_window, &p);
    *y = p.sum;
}

static knx_error *place_run(const kni_rule *r, const kni_routine_args *args)
{
    knp_window w;
    knp_window_read(r->params, false, r->yt[0], &r->xt[0], &w);
    knr_pooling_place(r->xt[0].dtype, &w, args->x[0], r->xt[1].dtype, args->x[1], args->y[0]);
    return NULL;
}

static knx_error *place_resize(const kni_rule *r, void *params)
{
    knp_resize_list(((params_t *)params)->shape, r->yt[0].dim);
    return NULL;
}

const kni_prim knp_prim_window_place = {
    .name = "window_place",
    .n_in = 2,
    .n_out = 1,
    .linear_in = 1,
    .fields = kni_fields_window_place,
    .params_size = sizeof(params_t),
    .factors = "... i, ... i -> ... j",
    .spread = knp_window_factors,
    .resize = place_resize,
    .type = place_type,
    .jvp = linear_jvp,
    .transpose = place_transpose,
    .batch = place_batch,
    .pull = place_pull,
    .pulls = place_pulls,
    .run = place_run,
    .looks = place_looks,
    .cost = place_cost,
    .doc = "zeros, and to the elements that windows chose the windows' numbers added, in their order",
};
