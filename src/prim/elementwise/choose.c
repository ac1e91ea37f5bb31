/* SPDX-License-Identifier: Apache-2.0
 * choose.c -- comparisons and select_n. Operands have one dtype; each has the common shape or is a scalar.
 *
 *     type       comparisons: bool; select_n: the type of the cases
 *     jvp        comparisons have no tangents; select_n is linear in its cases: select among their tangents
 *     transpose  select_n: the cotangent where the case was chosen, zero elsewhere
 *     batch      as all elementwise primitives; a batched choice among cases that are not is lined up with them
 *     lower      kernel operations; complex numbers are compared by their real parts first, as in NumPy
 */
#include "prim/rules.h"

#define TWO_OPERANDS .n_in = 2, .n_out = 1, .factors = "..., ... -> ...", .batch = knp_batch_elementwise

/* Comparisons */

static knx_error *compare_type(kni_rule *r, kni_type *y)
{
    KN_TRY(knp_accepts(r->xt[0].dtype, KNP_NUMBERS | KNP_BOOL));
    KN_TRY(knp_join(r->n_in, r->xt, r->arena, y));
    y->dtype = KN_DT(BOOL);
    y->weak = false;
    return NULL;
}

static kni_pair equal(knk_builder *k, const kni_rule *r, bool negate)
{
    knk_op part = negate ? KNK_NE : KNK_EQ;
    knk_node y = knk_binary(k, part, r->v[0].re, r->v[1].re);
    if (knx_is_complex(r->xt[0].dtype))
        y = knk_binary(k, negate ? KNK_OR : KNK_AND, y, knk_binary(k, part, r->v[0].im, r->v[1].im));
    return knp_real(y);
}

static kni_pair less(knk_builder *k, const kni_rule *r, int first, bool or_equal)
{
    kni_pair x = r->v[first], y = r->v[1 - first];
    if (knx_is_complex(r->xt[0].dtype))
        return knp_real(knp_complex_less(k, x, y, or_equal));
    return knp_real(knk_binary(k, or_equal ? KNK_LE : KNK_LT, x.re, y.re));
}

static void eq_expr(knk_builder *k, const kni_rule *r, kni_pair *y) { *y = equal(k, r, false); }
static void ne_expr(knk_builder *k, const kni_rule *r, kni_pair *y) { *y = equal(k, r, true); }
static void lt_expr(knk_builder *k, const kni_rule *r, kni_pair *y) { *y = less(k, r, 0, false); }
static void le_expr(knk_builder *k, const kni_rule *r, kni_pair *y) { *y = less(k, r, 0, true); }
static void gt_expr(knk_builder *k, const kni_rule *r, kni_pair *y) { *y = less(k, r, 1, false); }
static void ge_expr(knk_builder *k, const kni_rule *r, kni_pair *y) { *y = less(k, r, 1, true); }

#define COMPARISON \
    .why_no_jvp = KN_WHY_DISCRETE, .why_no_transpose = KN_WHY_DISCRETE, .type = compare_type, TWO_OPERANDS
enum { COMPARES = KN_ELEMENTWISE | KN_CHEAP | KN_INTEGER_RESULT };

const kni_prim knp_prim_eq = {
    .name = "eq",
    COMPARISON,
    .bits = COMPARES | KN_COMMUTES,
    .expr = eq_expr,
    .doc = "x == y, elementwise (np.equal)",
};
const kni_prim knp_prim_ne = {
    .name = "ne",
    COMPARISON,
    .bits = COMPARES | KN_COMMUTES,
    .expr = ne_expr,
    .doc = "x != y, elementwise (np.not_equal)",
};
const kni_prim knp_prim_lt = {
    .name = "lt",
    COMPARISON,
    .bits = COMPARES,
    .expr = lt_expr,
    .doc = "x < y, elementwise (np.less)",
};
const kni_prim knp_prim_le = {
    .name = "le",
    COMPARISON,
    .bits = COMPARES,
    .expr = le_expr,
    .doc = "x <= y, elementwise (np.less_equal)",
};
const kni_prim knp_prim_gt = {
    .name = "gt",
    COMPARISON,
    .bits = COMPARES,
    .expr = gt_expr,
    .doc = "x > y, elementwise (np.greater)",
};
const kni_prim knp_prim_ge = {
    .name = "ge",
    COMPARISON,
    .bits = COMPARES,
    .expr = ge_expr,
    .doc = "x >= y, elementwise (np.greater_equal)",
};

/* select_n: which (bool for two cases, or int32), then the cases */

static knx_error *which_error(kni_type which, kni_type y)
{
    knx_text w = {0}, c = {0};
    return knx_error_new(
        KN_ERROR_TYPE, "`which` must be scalar or have the same shape as cases, got `which` shape %s but case shape %s",
        knx_show_shape(&w, which.ndim, which.dim), knx_show_shape(&c, y.ndim, y.dim));
}

static knx_error *select_n_type(kni_rule *r, kni_type *y)
{
    if (r->n_in < 2)
        return knx_error_new(KN_ERROR_TYPE, "must have at least one case");
    if (r->xt[0].dtype != KN_DT(BOOL) && r->xt[0].dtype != KN_DT(I32))
        return knx_error_new(KN_ERROR_TYPE, "`which` must be boolean or int32 type, got %s", r->xt[0].dtype->name);
    if (r->xt[0].dtype == KN_DT(BOOL) && r->n_in > 3)
        return knx_error_new(KN_ERROR_TYPE, "with boolean `which` cannot have %d cases", r->n_in - 1);
    KN_TRY(knp_join(r->n_in - 1, r->xt + 1, r->arena, y));
    if (r->xt[0].ndim && !y->ndim) {
        y->ndim = r->xt[0].ndim;
        y->dim = r->xt[0].dim;
        y->sharding = r->xt[0].sharding;
    }
    return r->xt[0].ndim && !kni_type_same_shape(r->xt[0], *y) ? which_error(r->xt[0], *y) : NULL;
}

static void select_n_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    kni_atom *t = knp_room(r->b, (size_t)r->n_in);
    for (int i = 1; t && i < r->n_in; i++)
        t[i] = tx[i] == KN_ATOM_ZERO ? knb_zeros(r->b, r->xt[i]) : tx[i];
    if (t)
        ty[0] = knb_select_n(r->b, r->x[0], r->n_in - 1, t + 1);
}

static knx_error *select_n_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    kni_atom *t = knp_room(r->b, (size_t)r->n_in);
    if (!t)
        return NULL;
    kni_atom zeros = knb_zeros(r->b, r->yt[0]);
    for (int i = 1; i < r->n_in; i++)
        t[i] = zeros;
    for (int i = 1; i < r->n_in; i++) {
        if (r->x[i] != KN_ATOM_LINEAR)
            continue;
        t[i] = ct[0];
        ct_in[i] = knp_unbroadcast(r->b, knb_select_n(r->b, r->x[0], r->n_in - 1, t + 1), r->xt[i]);
        t[i] = zeros;
    }
    return NULL;
}

/* What is below the first or beyond the last case means that case. */
static void select_n_expr(knk_builder *k, const kni_rule *r, kni_pair *y)
{
    knk_node which = r->v[0].re;
    bool same = true; /* among equals: what one of them is in derivatives makes no difference here */
    *y = r->v[1];
    for (int i = 2; i < r->n_in; i++)
        same = same && r->v[i].re == y->re && r->v[i].im == y->im;
    if (same)
        return;
    if (r->xt[0].dtype == KN_DT(BOOL)) {
        if (r->n_in == 3)
            *y = knp_complex_select(k, which, r->v[2], r->v[1]);
        return;
    }
    for (int i = 2; i < r->n_in; i++)
        *y = knp_complex_select(k, knk_binary(k, KNK_LE, knk_const_int(k, KN_ID_I32, i - 1), which), r->v[i], *y);
}

static double select_n_cost(const kni_rule *r) { return kni_type_count(*r->yt) * (r->n_in - 1); }

const kni_prim knp_prim_select_n = {
    .name = "select_n",
    .n_in = -1,
    .n_out = 1,
    .bits = KN_ELEMENTWISE | KN_CHEAP,
    .linear_in = ~1u,
    .factors = "..., ... -> ...",
    .type = select_n_type,
    .jvp = select_n_jvp,
    .transpose = select_n_transpose,
    .batch = knp_batch_elementwise,
    .expr = select_n_expr,
    .cost = select_n_cost,
    .doc = "for each element the case that the first operand names: false or 0 the first case (jax.lax.select_n)",
};
