/* SPDX-License-Identifier: Apache-2.0
 * general.c -- eig, schur and hessenberg of the square matrices in the last two axes.
 *
 * eig
 *     type   complex eigenvalues, and as wanted left and right eigenvectors
 *     jvp    with C = V^-1 dA V: dw = diag C, dV = V (F * C) and the multiple of V that keeps its columns of length 1
 *            and their largest element real; F[i][j] = 1 / (w[j] - w[i]). Left vectors are right ones of the adjoint
 *            matrix
 *     prune  without vectors that no one reads
 * schur
 *     type   the triangular form, and as wanted its vectors
 * hessenberg
 *     type   the matrix with its reflections, and their factors
 *
 * schur and hessenberg have no derivatives, as in JAX. All are batched over one more axis in front and lowered to
 * routines. */
#include "host/routine/schur.h"
#include "prim/linalg/matrices.h"

typedef kni_p_eig eig_params;

static double cost_of(const kni_rule *r, double factor)
{
    return (knx_is_complex(r->xt[0].dtype) ? 4 : 1) * kni_type_count(r->xt[0]) *
           ((double)knx_dim_hint(knp_extents_of(r->xt[0]).n) * factor + 1);
}

static kn_dtype complex_of(kn_dtype d) { return knx_is_complex(d) ? d : d->size == 4 ? KN_DT(C64) : KN_DT(C128); }

/* ---- eig. */

static knx_error *eig_type(kni_rule *r, kni_type *y)
{
    const eig_params *p = r->params;
    KN_TRY(knp_check_matrices(r->xt[0], true));
    knp_extents e = knp_extents_of(r->xt[0]);
    kn_dtype d = complex_of(r->xt[0].dtype);
    KN_TRY(knp_type_behind(r, r->xt[0], d, 1, &e.n, &y[0]));
    r->n_out = 1 + p->compute_left_eigenvectors + p->compute_right_eigenvectors;
    for (int i = 1; i < r->n_out; i++)
        KN_TRY(knp_type_like(r->arena, r->xt[0], d, &y[i]));
    return NULL;
}

static bool eig_one(const kni_rule *r, const void *const *x, void *const *y, void *workspace)
{
    const eig_params *p = r->params;
    void *left = p->compute_left_eigenvectors ? y[1] : NULL;
    void *right = p->compute_right_eigenvectors ? y[r->n_out - 1] : NULL;
    return knr_eig_run(r->xt[0].dtype, knp_extents_of(r->xt[0]).n, x[0], y[0], left, right, workspace, r->threads);
}

static size_t eig_bytes(const kni_rule *r)
{
    return knr_eig_workspace(r->xt[0].dtype, knp_extents_of(r->xt[0]).n, r->threads);
}

static const knp_matrix_routine eig_routine = {.one = eig_one, .workspace = eig_bytes};
static knx_bytes eig_workspace(const kni_rule *r) { return knp_matrix_workspace(r, &eig_routine); }
static knx_error *eig_run(const kni_rule *r, const kni_routine_args *args)
{
    const eig_params *p = r->params;
    bool well;
    KN_TRY(knp_each_matrix(r, args, &eig_routine, &well));
    return well || !p->check ? NULL : knp_linalg_failure(p->check, "Array must not contain infs or NaNs");
}
static bool eig_may_fail(const kni_rule *r) { return ((const eig_params *)r->params)->check != KN_CHECK_NONE; }

/* v^-1 dx v */
static kni_atom in_vectors(kni_builder *b, kni_atom v, kni_atom dx)
{
    kni_atom lu[3];
    knb_lu(b, v, KN_CHECK_NONE, lu);
    kni_atom y = knb_permute_rows(b, knb_matrix_product(b, dx, v), lu[2]);
    y = knb_triangular_solve(b, lu[0], y,
                             &(kni_p_triangular_solve){.left_side = true, .lower = true, .unit_diagonal = true});
    return knb_triangular_solve(b, lu[0], y, &(kni_p_triangular_solve){.left_side = true});
}

/* How the vectors move: along the others, and along themselves so that lengths stay 1 and the largest elements real. */
static kni_atom vectors_jvp(kni_builder *b, kni_atom w, kni_atom v, kni_atom c)
{
    kni_type t = knb_type(b, v);
    kni_atom u = knb_matrix_product(b, v, knb_mul(b, knp_reciprocal_gaps(b, w, t.dtype), c));
    int64_t row = t.ndim - 2;
    if (b->error)
        return KN_ATOM_NONE;
    kni_atom along = knb_real(b, knb_reduce_sum(b, knb_mul(b, knb_conj(b, v), u), 1, &row));
    kni_atom place = knb_argmax(b, knb_abs(b, v), (int)row, KN_DT(I32));
    kni_atom rows = knb_iota(b, KN_DT(I32), t.ndim, t.dim, (int)row);
    kni_atom top = knb_eq(b, rows, knp_as_rows(b, place, t)), zero = knb_full(b, t, 0);
    kni_atom moved = knb_imag(b, knb_reduce_sum(b, knb_select(b, top, u, zero), 1, &row));
    kni_atom size = knb_real(b, knb_reduce_sum(b, knb_select(b, top, v, zero), 1, &row));
    kni_atom own = knb_complex(b, knb_neg(b, along), knb_neg(b, knb_div(b, moved, size)));
    return knb_add(b, u, knb_mul(b, v, knp_as_rows(b, own, t)));
}

static void eig_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    const eig_params *p = r->params;
    kni_builder *b = r->b;
    int right = 1 + p->compute_left_eigenvectors;
    kn_dtype d = complex_of(r->xt[0].dtype);
    kni_atom out[3] = {r->y[0], KN_ATOM_NONE, KN_ATOM_NONE}, v, dx = knb_convert(b, tx[0], d);
    if (p->compute_right_eigenvectors)
        v = r->y[right];
    else {
        knb_eig(b, r->x[0], &(eig_params){.compute_right_eigenvectors = true}, out);
        v = out[1];
    }
    kni_atom c = in_vectors(b, v, dx);
    ty[0] = knp_diagonal(b, c);
    if (p->compute_right_eigenvectors)
        ty[right] = vectors_jvp(b, r->y[0], v, c);
    if (p->compute_left_eigenvectors) {
        kni_atom left = r->y[1], adjoint = in_vectors(b, left, knp_adjoint(b, dx));
        ty[1] = vectors_jvp(b, knb_conj(b, r->y[0]), left, adjoint);
    }
}

static knx_error *eig_prune(const kni_rule *r, const bool *read, kni_atom *y, bool *pruned)
{
    eig_params p = *(const eig_params *)r->params;
    int right = 1 + p.compute_left_eigenvectors;
    kni_atom out[3];
    bool drop_left = p.compute_left_eigenvectors && !read[1], drop_right = p.compute_right_eigenvectors && !read[right];
    if (!drop_left && !drop_right)
        return NULL;
    *pruned = true;
    p.compute_left_eigenvectors &= !drop_left;
    p.compute_right_eigenvectors &= !drop_right;
    knb_eig(r->b, r->x[0], &p, out);
    y[0] = out[0];
    if (p.compute_left_eigenvectors)
        y[1] = out[1];
    if (p.compute_right_eigenvectors)
        y[right] = out[1 + p.compute_left_eigenvectors];
    return NULL;
}

static double eig_cost(const kni_rule *r) { return cost_of(r, 20); }

/* ---- schur. */

static knx_error *schur_type(kni_rule *r, kni_type *y)
{
    KN_TRY(knp_check_matrices(r->xt[0], true));
    r->n_out = ((const kni_p_schur *)r->params)->compute_schur_vectors ? 2 : 1;
    for (int i = 0; i < r->n_out; i++)
        KN_TRY(knp_type_like(r->arena, r->xt[0], r->xt[0].dtype, &y[i]));
    return NULL;
}

static bool schur_one(const kni_rule *r, const void *const *x, void *const *y, void *workspace)
{
    return knr_schur_run(r->xt[0].dtype, knp_extents_of(r->xt[0]).n, x[0], y[0], r->n_out > 1 ? y[1] : NULL, workspace,
                         r->threads);
}

static size_t schur_bytes(const kni_rule *r)
{
    return knr_schur_workspace(r->xt[0].dtype, knp_extents_of(r->xt[0]).n, r->threads);
}
static const knp_matrix_routine schur_routine = {.one = schur_one, .workspace = schur_bytes};
static knx_bytes schur_workspace(const kni_rule *r) { return knp_matrix_workspace(r, &schur_routine); }
static knx_error *schur_run(const kni_rule *r, const kni_routine_args *args)
{
    bool well;
    return knp_each_matrix(r, args, &schur_routine, &well);
}
static double schur_cost(const kni_rule *r) { return cost_of(r, 15); }

/* ---- hessenberg. */

static knx_error *hessenberg_type(kni_rule *r, kni_type *y)
{
    KN_TRY(knp_check_matrices(r->xt[0], true));
    int64_t less = knx_dim_max(knx_dim_sub(knp_extents_of(r->xt[0]).n, 1), 0);
    KN_TRY(knp_type_like(r->arena, r->xt[0], r->xt[0].dtype, &y[0]));
    return knp_type_behind(r, r->xt[0], r->xt[0].dtype, 1, &less, &y[1]);
}

static bool hessenberg_one(const kni_rule *r, const void *const *x, void *const *y, void *workspace)
{
    knr_hessenberg_run(r->xt[0].dtype, knp_extents_of(r->xt[0]).n, x[0], y[0], y[1], workspace, r->threads);
    return true;
}

static size_t hessenberg_bytes(const kni_rule *r)
{
    return knr_hessenberg_workspace(r->xt[0].dtype, knp_extents_of(r->xt[0]).n, r->threads);
}
static const knp_matrix_routine hessenberg_routine = {.one = hessenberg_one, .workspace = hessenberg_bytes};
static knx_bytes hessenberg_workspace(const kni_rule *r) { return knp_matrix_workspace(r, &hessenberg_routine); }
static knx_error *hessenberg_run(const kni_rule *r, const kni_routine_args *args)
{
    bool well;
    return knp_each_matrix(r, args, &hessenberg_routine, &well);
}
static double hessenberg_cost(const kni_rule *r) { return cost_of(r, 4); }

const kni_prim knp_prim_eig = {
    .name = "eig",
    .n_in = 1,
    .n_out = -1,
    .bits = KN_CAN_FAIL | KN_THREADS,
    .fields = kni_fields_eig,
    .params_size = sizeof(eig_params),
    .factors = "b m n -> b k, b i j",
    .doc = "eigenvalues of square matrices, and as wanted left and right eigenvectors (jax.lax.linalg.eig)",
    .type = eig_type,
    .jvp = eig_jvp,
    .spread = knp_spread_matrices,
    .batch = knp_batch_all_in_front,
    .run = eig_run,
    .workspace = eig_workspace,
    .may_fail = eig_may_fail,
    .prune = eig_prune,
    .cost = eig_cost,
};

const kni_prim knp_prim_schur = {
    .name = "schur",
    .n_in = 1,
    .n_out = -1,
    .bits = KN_THREADS,
    .fields = kni_fields_schur,
    .params_size = sizeof(kni_p_schur),
    .factors = "b m n -> b i j",
    .doc = "Schur forms of square matrices, and as wanted their vectors (jax.lax.linalg.schur)",
    .type = schur_type,
    .jvp = knp_jvp_refused,
    .spread = knp_spread_matrices,
    .batch = knp_batch_all_in_front,
    .run = schur_run,
    .workspace = schur_workspace,
    .cost = schur_cost,
};

const kni_prim knp_prim_hessenberg = {
    .name = "hessenberg",
    .n_in = 1,
    .n_out = 2,
    .bits = KN_THREADS,
    .factors = "b m n -> b i j, b k",
    .doc = "the Hessenberg form of square matrices, with its reflections (jax.lax.linalg.hessenberg)",
    .type = hessenberg_type,
    .jvp = knp_jvp_refused,
    .spread = knp_spread_matrices,
    .batch = knp_batch_all_in_front,
    .run = hessenberg_run,
    .workspace = hessenberg_workspace,
    .cost = hessenberg_cost,
};
