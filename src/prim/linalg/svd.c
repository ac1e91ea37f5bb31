/* SPDX-License-Identifier: Apache-2.0
 * svd.c -- svd of the matrices in the last two axes.
 *
 *     type   real singular values, falling, and with compute_uv the vectors: of full matrices m x m and n x n, else
 *            m x k and k x n, k = min(m, n)
 *     jvp    with C = U^H dA V and F[i][j] = 1 / (s[j]^2 - s[i]^2), 0 where the two are equal: ds = re(diag C),
 *            dU = U (F * (C S + S C^H) + (C - C^H) / 2 S^-1 where they are equal), dV = V (F * (S C + C^H S)), and what
 *            of dA V (dA^H U) lies outside of U (V), over s. Of equal values only what U has against V is determined.
 *            Of full rectangular matrices the values alone
 *     prune  without vectors if no one reads them
 *
 * Batched over one more axis in front, lowered to a routine. */
#include "host/routine/small.h"
#include "host/routine/svd.h"
#include "prim/linalg/matrices.h"

typedef kni_p_svd svd_params;

static knx_error *svd_type(kni_rule *r, kni_type *y)
{
    const svd_params *p = r->params;
    KN_TRY(knp_check_matrices(r->xt[0], false));
    knp_extents e = knp_extents_of(r->xt[0]);
    kn_dtype d = r->xt[0].dtype;
    int64_t k = knx_dim_min(e.m, e.n), u = p->full_matrices ? e.m : k, v = p->full_matrices ? e.n : k;
    KN_TRY(knp_type_behind(r, r->xt[0], knx_component(d), 1, &k, &y[0]));
    r->n_out = 1;
    if (!p->compute_uv)
        return NULL;
    r->n_out = 3;
    KN_TRY(knp_type_behind(r, r->xt[0], d, 2, (int64_t[]){e.m, u}, &y[1]));
    return knp_type_behind(r, r->xt[0], d, 2, (int64_t[]){v, e.n}, &y[2]);
}

static knr_svd svd_of(const kni_rule *r)
{
    const svd_params *p = r->params;
    knp_extents e = knp_extents_of(r->xt[0]);
    return (knr_svd){r->xt[0].dtype, e.m, e.n, p->compute_uv, p->full_matrices, r->threads};
}

/* Small ones have an algorithm of their own, also if they are alone. */
static bool svd_is_small(const kni_rule *r)
{
    knp_extents e = knp_extents_of(r->xt[0]);
    return knr_fits_small(r->xt[0].dtype, e.m, e.n);
}

static knr_small small_svd(const kni_rule *r)
{
    knr_svd s = svd_of(r);
    return (knr_small){.dtype = s.dtype, .m = (int)s.m, .n = (int)s.n, .full = s.full};
}

static bool svd_many(const kni_rule *r, int64_t count, const void *const *x, void *const *y, void *workspace)
{
    knr_small s = small_svd(r);
    bool vectors = r->n_out == 3;
    void *results[] = {y[0], vectors ? y[1] : NULL, vectors ? y[2] : NULL};
    return knr_small_run(KNR_SMALL_SVD, &s, count, x, results, workspace);
}

static bool svd_one(const kni_rule *r, const void *const *x, void *const *y, void *workspace)
{
    knr_svd s = svd_of(r);
    return knr_svd_run(&s, x[0], y[0], s.vectors ? y[1] : NULL, s.vectors ? y[2] : NULL, workspace);
}

static size_t svd_bytes(const kni_rule *r)
{
    knr_svd s = svd_of(r);
    if (!svd_is_small(r))
        return knr_svd_workspace(&s);
    knr_small small = small_svd(r);
    return knr_small_room(&small);
}

static const knp_matrix_routine svd_routine = {
    .one = svd_one, .workspace = svd_bytes, .many = svd_many, .has_many = svd_is_small, .always_many = true};
static knx_bytes svd_workspace(const kni_rule *r) { return knp_matrix_workspace(r, &svd_routine); }
static knx_error *svd_run(const kni_rule *r, const kni_routine_args *args)
{
    const svd_params *p = r->params;
    bool well;
    KN_TRY(knp_each_matrix(r, args, &svd_routine, &well));
    return well || !p->check ? NULL : knp_linalg_failure(p->check, "SVD did not converge");
}
static bool svd_may_fail(const kni_rule *r) { return ((const svd_params *)r->params)->check != KN_CHECK_NONE; }

/* (x - u u^H x) / s, of columns: 0 where s is 0, for lack of a direction */
static kni_atom outside(kni_builder *b, kni_atom x, kni_atom u, kni_atom inverse)
{
    kni_atom inside = knb_matrix_product(b, u, knb_matrix_product(b, knp_adjoint(b, u), x));
    return knb_mul(b, knb_sub(b, x, inside), knp_as_rows(b, inverse, knb_type(b, x)));
}

static void svd_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    const svd_params *p = r->params;
    kni_builder *b = r->b;
    knp_extents e = knp_extents_of(r->xt[0]);
    kn_dtype d = r->xt[0].dtype;
    kni_atom out[3] = {KN_ATOM_NONE, KN_ATOM_NONE, KN_ATOM_NONE}, dx = tx[0];
    bool square = knx_dim_eq(e.m, e.n);
    if (p->compute_uv && p->full_matrices && !square) {
        knb_fail(b, knx_error_new(KN_ERROR_NOT_IMPLEMENTED,
                                  "Singular value decomposition JVP not implemented for full matrices"));
        return;
    }
    if (p->compute_uv)
        for (int i = 0; i < 3; i++)
            out[i] = r->y[i];
    else
        knb_svd(b, r->x[0], &(svd_params){.compute_uv = true}, out);
    kni_atom s = out[0], u = out[1], v = knp_adjoint(b, out[2]);
    kni_atom c = knp_product3(b, knp_adjoint(b, u), dx, v), ds = knp_diagonal(b, c);
    if (b->error)
        return;
    ty[0] = knx_is_complex(d) ? knb_real(b, ds) : ds;
    if (!p->compute_uv)
        return;
    kni_type square_type = knb_type(b, c);
    kni_atom zero = knb_eq(b, s, knb_like(b, s, 0)), one = knb_full(b, knb_type(b, s), 1);
    kni_atom inverse =
        knb_select(b, zero, knb_full(b, knb_type(b, s), 0), knb_div(b, one, knb_select(b, zero, one, s)));
    kni_atom gaps = knp_reciprocal_gaps(b, s, d), wide = knb_convert(b, s, d);
    inverse = knb_convert(b, inverse, d);
    kni_atom columns = knp_as_rows(b, wide, square_type), rows = knp_as_columns(b, wide, square_type);
    kni_atom sum = knb_add(b, columns, rows), none = knb_eq(b, sum, knb_like(b, sum, 0));
    kni_atom ones = knb_full(b, square_type, 1);
    gaps = knb_div(b, gaps, knb_select(b, none, ones, sum));
    kni_atom adjoint = knp_adjoint(b, c), right = knb_mul(b, c, columns), left = knb_mul(b, rows, c);
    kni_atom du = knb_mul(b, gaps, knb_add(b, right, knp_adjoint(b, right)));
    kni_atom dv = knb_mul(b, gaps, knb_add(b, left, knp_adjoint(b, left)));
    kni_atom half = knb_mul(b, knb_sub(b, c, adjoint), knb_like(b, c, 0.5));
    half = knb_mul(b, half, knp_as_rows(b, inverse, square_type));
    kni_atom equal = knb_eq(b, gaps, knb_like(b, gaps, 0));
    du = knb_add(b, du, knb_select(b, equal, half, knb_full(b, square_type, 0)));
    du = knb_matrix_product(b, u, du);
    dv = knb_matrix_product(b, v, dv);
    if (!square && knx_dim_lt(e.n, e.m))
        du = knb_add(b, du, outside(b, knb_matrix_product(b, dx, v), u, inverse));
    else if (!square)
        dv = knb_add(b, dv, outside(b, knb_matrix_product(b, knp_adjoint(b, dx), u), v, inverse));
    ty[1] = du;
    ty[2] = knp_adjoint(b, dv);
}

static knx_error *svd_prune(const kni_rule *r, const bool *read, kni_atom *y, bool *pruned)
{
    svd_params p = *(const svd_params *)r->params;
    if (!p.compute_uv || read[1] || read[2])
        return NULL;
    p.compute_uv = false;
    *pruned = true;
    knb_svd(r->b, r->x[0], &p, y);
    return NULL;
}

static double svd_cost(const kni_rule *r)
{
    bool vectors = ((const svd_params *)r->params)->compute_uv;
    knp_extents e = knp_extents_of(r->xt[0]);
    return (knx_is_complex(r->xt[0].dtype) ? 4 : 1) * kni_type_count(r->xt[0]) *
           (double)(knx_dim_hint(knx_dim_min(e.m, e.n)) * (vectors ? 16 : 3) + 1);
}

const kni_prim knp_prim_svd = {
    .name = "svd",
    .n_in = 1,
    .n_out = -1,
    .bits = KN_CAN_FAIL | KN_THREADS,
    .fields = kni_fields_svd,
    .params_size = sizeof(svd_params),
    .factors = "b m n -> b k, b i j, b p q",
    .doc = "singular values and vectors of matrices (jax.lax.linalg.svd)",
    .type = svd_type,
    .jvp = svd_jvp,
    .spread = knp_spread_matrices,
    .batch = knp_batch_all_in_front,
    .run = svd_run,
    .workspace = svd_workspace,
    .may_fail = svd_may_fail,
    .prune = svd_prune,
    .cost = svd_cost,
};
