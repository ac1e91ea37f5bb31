/* SPDX-License-Identifier: Apache-2.0
 * functions.c -- sylvester and sqrtm.
 *
 * sylvester: a (m x m), b (n x n), c (m x n); x with a x + x b = c
 *     type       that of c
 *     jvp        sylvester(a, b, dc - da x - x db)
 *     transpose  of c: sylvester(a^T, b^T, ct)
 * sqrtm: the principal square root of complex square matrices
 *     type       that of the matrices
 *     jvp        sylvester(y, y, da)
 *
 * Both are batched over one more axis in front and lowered to routines. */
#include "host/routine/sylvester.h"
#include "prim/linalg/matrices.h"

/* ---- sylvester. */

static knx_error *sylvester_type(kni_rule *r, kni_type *y)
{
    kni_type a = r->xt[0], b = r->xt[1], c = r->xt[2];
    KN_TRY(knp_check_matrices(a, true));
    KN_TRY(knp_check_matrices(b, true));
    KN_TRY(knp_check_matrices(c, false));
    int n = c.ndim;
    bool fits = a.ndim == n && b.ndim == n && a.dtype == c.dtype && b.dtype == c.dtype;
    fits = fits && knx_dim_eq(a.dim[n - 1], c.dim[n - 2]) && knx_dim_eq(b.dim[n - 1], c.dim[n - 1]);
    for (int i = 0; fits && i < n - 2; i++)
        fits = knx_dim_eq(a.dim[i], c.dim[i]) && knx_dim_eq(b.dim[i], c.dim[i]);
    if (fits)
        return knp_type_like(r->arena, c, c.dtype, y);
    knx_text s = {0}, t = {0}, u = {0};
    return knx_error_new(KN_ERROR_VALUE, "matrices of shapes %s, %s and %s do not fit",
                         knx_show_shape(&s, a.ndim, a.dim), knx_show_shape(&t, b.ndim, b.dim),
                         knx_show_shape(&u, c.ndim, c.dim));
}

static bool sylvester_one(const kni_rule *r, const void *const *x, void *const *y, void *workspace)
{
    knp_extents e = knp_extents_of(r->xt[2]);
    knr_sylvester_run(r->xt[2].dtype, e.m, e.n, x[0], x[1], x[2], y[0], workspace);
    return true;
}
static size_t sylvester_bytes(const kni_rule *r)
{
    knp_extents e = knp_extents_of(r->xt[2]);
    return knr_sylvester_workspace(e.m, e.n);
}
static const knp_matrix_routine sylvester_routine = {.one = sylvester_one, .workspace = sylvester_bytes};
static knx_bytes sylvester_workspace(const kni_rule *r) { return knp_matrix_workspace(r, &sylvester_routine); }
static knx_error *sylvester_run(const kni_rule *r, const kni_routine_args *args)
{
    bool well;
    return knp_each_matrix(r, args, &sylvester_routine, &well);
}

static void sylvester_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    kni_builder *b = r->b;
    kni_atom change = tx[2];
    if (tx[0] != KN_ATOM_ZERO)
        change = knb_add_any(b, change, knb_neg(b, knb_matrix_product(b, tx[0], r->y[0])));
    if (tx[1] != KN_ATOM_ZERO)
        change = knb_add_any(b, change, knb_neg(b, knb_matrix_product(b, r->y[0], tx[1])));
    ty[0] = knb_sylvester(b, r->x[0], r->x[1], change);
}

static knx_error *sylvester_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    ct_in[2] = knb_sylvester(r->b, knb_swap_last(r->b, r->x[0]), knb_swap_last(r->b, r->x[1]), ct[0]);
    return NULL;
}

static double sylvester_cost(const kni_rule *r)
{
    knp_extents e = knp_extents_of(r->xt[2]);
    return 60 * (kni_type_count(r->xt[0]) * (double)knx_dim_hint(e.m) +
                 kni_type_count(r->xt[1]) * (double)knx_dim_hint(e.n));
}

/* ---- sqrtm. */

static knx_error *sqrtm_type(kni_rule *r, kni_type *y)
{
    KN_TRY(knp_check_matrices(r->xt[0], true));
    if (!knx_is_complex(r->xt[0].dtype))
        return knp_accepts(r->xt[0].dtype, 0);
    return knp_type_like(r->arena, r->xt[0], r->xt[0].dtype, y);
}

static bool sqrtm_one(const kni_rule *r, const void *const *x, void *const *y, void *workspace)
{
    knr_square_root_run(r->xt[0].dtype, knp_extents_of(r->xt[0]).n, x[0], y[0], workspace);
    return true;
}
static size_t sqrtm_bytes(const kni_rule *r) { return knr_square_root_workspace(knp_extents_of(r->xt[0]).n); }
static const knp_matrix_routine sqrtm_routine = {.one = sqrtm_one, .workspace = sqrtm_bytes};
static knx_bytes sqrtm_workspace(const kni_rule *r) { return knp_matrix_workspace(r, &sqrtm_routine); }
static knx_error *sqrtm_run(const kni_rule *r, const kni_routine_args *args)
{
    bool well;
    return knp_each_matrix(r, args, &sqrtm_routine, &well);
}

static void sqrtm_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    ty[0] = knb_sylvester(r->b, r->y[0], r->y[0], tx[0]);
}

static double sqrtm_cost(const kni_rule *r)
{
    return 70 * kni_type_count(r->xt[0]) * (double)knx_dim_hint(knp_extents_of(r->xt[0]).n);
}

const kni_prim knp_prim_sylvester = {
    .name = "sylvester",
    .n_in = 3,
    .n_out = 1,
    .bits = KN_THREADS,
    .linear_in = 4,
    .factors = "b i j, b k l, b m n -> b p q",
    .doc = "solutions x of a x + x b = c (scipy.linalg.solve_sylvester)",
    .type = sylvester_type,
    .jvp = sylvester_jvp,
    .transpose = sylvester_transpose,
    .spread = knp_spread_matrices,
    .batch = knp_batch_all_in_front,
    .run = sylvester_run,
    .workspace = sylvester_workspace,
    .cost = sylvester_cost,
};

const kni_prim knp_prim_sqrtm = {
    .name = "sqrtm",
    .n_in = 1,
    .n_out = 1,
    .bits = KN_THREADS,
    .factors = "b m n -> b i j",
    .doc = "principal square roots of complex matrices (scipy.linalg.sqrtm)",
    .type = sqrtm_type,
    .jvp = sqrtm_jvp,
    .spread = knp_spread_matrices,
    .batch = knp_batch_all_in_front,
    .run = sqrtm_run,
    .workspace = sqrtm_workspace,
    .cost = sqrtm_cost,
};
