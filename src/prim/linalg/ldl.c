/* SPDX-License-Identifier: Apache-2.0
 * ldl.c -- factors of symmetric and Hermitian matrices that need not be definite.
 *
 * ldl
 *     type   l, d, the order in which l's rows are triangular
 *     jvp    with T = l[order], M = T^-1 dA T^-H and rows and columns of dA in that order: dD is what M has in the
 *            blocks of D, dT = T K D^-1 where K is what M has outside of them, on the side of l's triangle
 *
 * Batched over one more axis in front and lowered to a routine. */
#include "host/routine/ldl.h"
#include "prim/linalg/matrices.h"

typedef kni_p_ldl params;

static knx_error *ldl_type(kni_rule *r, kni_type *y)
{
    KN_TRY(knp_check_matrices(r->xt[0], true));
    knp_extents e = knp_extents_of(r->xt[0]);
    for (int i = 0; i < 2; i++)
        KN_TRY(knp_type_like(r->arena, r->xt[0], r->xt[0].dtype, &y[i]));
    return knp_type_behind(r, r->xt[0], KN_DT(I32), 1, &e.n, &y[2]);
}

static bool ldl_one(const kni_rule *r, const void *const *x, void *const *y, void *workspace)
{
    const params *p = r->params;
    const knr_ldl_options o = {.lower = p->lower, .hermitian = p->hermitian};
    knr_ldl_run(r->xt[0].dtype, knp_extents_of(r->xt[0]).n, o, x[0], y[0], y[1], y[2], workspace);
    return true;
}
static size_t ldl_bytes(const kni_rule *r) { return knr_ldl_workspace(knp_extents_of(r->xt[0]).n); }
static const knp_matrix_routine ldl_routine = {.one = ldl_one, .workspace = ldl_bytes};
static knx_bytes ldl_workspace(const kni_rule *r) { return knp_matrix_workspace(r, &ldl_routine); }
static knx_error *ldl_run(const kni_rule *r, const kni_routine_args *args)
{
    bool well;
    return knp_each_matrix(r, args, &ldl_routine, &well);
}

/* ---- The derivative. */

static kni_atom turned(kni_builder *b, const params *p, kni_atom x)
{
    return p->hermitian ? knp_adjoint(b, x) : knb_swap_last(b, x);
}

/* The whole matrix whose triangle is given. */
static kni_atom completed(kni_builder *b, const params *p, kni_atom x)
{
    kni_atom beside = knb_triangle(b, x, p->lower, p->lower ? -1 : 1);
    kni_atom diagonal = knb_on_diagonal(b, x, x, knb_like(b, x, 0));
    diagonal = knb_mul(b, knb_add(b, diagonal, turned(b, p, diagonal)), knb_like(b, x, 0.5));
    return knb_add(b, knb_add(b, beside, turned(b, p, beside)), diagonal);
}

/* t^-1 x for the triangular t with ones on its diagonal */
static kni_atom divided(kni_builder *b, const params *p, kni_atom t, kni_atom x)
{
    return knb_triangular_solve(b, t, x,
                                &(kni_p_triangular_solve){.left_side = true, .lower = p->lower, .unit_diagonal = true});
}

/* x d^-1 */
static kni_atom over(kni_builder *b, kni_atom x, kni_atom d)
{
    kni_atom lu[3];
    knb_lu(b, knb_swap_last(b, d), KN_CHECK_NONE, lu);
    kni_atom y = knb_permute_rows(b, knb_swap_last(b, x), lu[2]);
    y = knb_triangular_solve(b, lu[0], y,
                             &(kni_p_triangular_solve){.left_side = true, .lower = true, .unit_diagonal = true});
    return knb_swap_last(b, knb_triangular_solve(b, lu[0], y, &(kni_p_triangular_solve){.left_side = true}));
}

static void ldl_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    const params *p = r->params;
    kni_builder *b = r->b;
    kni_atom order = r->y[2], d = r->y[1], t = knb_permute_rows(b, r->y[0], order);
    kni_atom da = knb_permute_rows(b, completed(b, p, tx[0]), order);
    da = knb_swap_last(b, knb_permute_rows(b, knb_swap_last(b, da), order));
    kni_atom half = divided(b, p, t, da), m = turned(b, p, divided(b, p, t, turned(b, p, half)));
    kni_type s = knb_type(b, order);
    if (b->error)
        return;
    kni_atom zero = knb_zeros(b, knb_type(b, d)), in_block = knb_ne(b, d, knb_like(b, d, 0));
    kni_atom yes = knb_full(b, knb_type(b, in_block), 1);
    in_block = knb_on_diagonal(b, in_block, yes, in_block);
    kni_atom outside = knb_select(b, in_block, zero, knb_triangle(b, m, p->lower, 0));
    kni_atom dt = knb_matrix_product(b, t, over(b, outside, d));
    kni_atom place = knb_iota(b, KN_DT(I32), s.ndim, s.dim, s.ndim - 1), sorted[2];
    knb_sort(b, 2, (kni_atom[]){order, place}, s.ndim - 1, 1, sorted); /* the inverse of the order */
    ty[0] = knb_permute_rows(b, dt, sorted[1]);
    ty[1] = knb_select(b, in_block, m, zero);
}

static double ldl_cost(const kni_rule *r)
{
    double n = (double)knx_dim_hint(knp_extents_of(r->xt[0]).n);
    return (knx_is_complex(r->xt[0].dtype) ? 4 : 1) * kni_type_count(r->xt[0]) * (n / 3 + 1);
}

const kni_prim knp_prim_ldl = {
    .name = "ldl",
    .n_in = 1,
    .n_out = 3,
    .bits = KN_THREADS,
    .fields = kni_fields_ldl,
    .params_size = sizeof(params),
    .factors = "b m n -> b i j, b i j, b k",
    .doc = "factors l d l^H of symmetric or Hermitian matrices, by pivots of one or two rows (scipy.linalg.ldl)",
    .type = ldl_type,
    .jvp = ldl_jvp,
    .spread = knp_spread_matrices,
    .batch = knp_batch_all_in_front,
    .run = ldl_run,
    .workspace = ldl_workspace,
    .cost = ldl_cost,
};
