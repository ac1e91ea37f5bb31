/* SPDX-License-Identifier: Apache-2.0
 * banded.c -- tridiagonal_solve, banded_solve and cholesky_update.
 *
 * tridiagonal_solve: the diagonal below, the diagonal, the one above, right-hand sides (n x columns)
 *     type       that of the right-hand sides
 *     jvp        the system with dB - dT X
 *     transpose  the system with the transposed matrix
 * banded_solve: diagonals from the uppermost one on (lower + 1 + upper rows, element (i, j) in column j), right-hand
 * sides     type, jvp, transpose as those of tridiagonal_solve; a definite matrix is Hermitian, and so is its
 * transposed one cholesky_update: upper factors r, vectors w
 *     type       that of the factors; real
 *     jvp        none, as in JAX
 *
 * All are batched over one more axis in front and lowered to routines. */
#include "host/routine/banded.h"
#include "prim/linalg/matrices.h"

static bool same_axes(kni_type x, kni_type matrices, int tail)
{
    bool fits = x.ndim == matrices.ndim - 2 + tail && x.dtype == matrices.dtype;
    for (int i = 0; fits && i < matrices.ndim - 2; i++)
        fits = knx_dim_eq(x.dim[i], matrices.dim[i]);
    return fits;
}

/* ---- tridiagonal_solve. */

static knx_error *solve_type(kni_rule *r, kni_type *y)
{
    kni_type b = r->xt[3];
    KN_TRY(knp_check_matrices(b, false));
    for (int i = 0; i < 3; i++)
        if (!same_axes(r->xt[i], b, 1) || !knx_dim_eq(r->xt[i].dim[b.ndim - 2], b.dim[b.ndim - 2])) {
            knx_text s = {0}, t = {0};
            return knx_error_new(KN_ERROR_VALUE, "diagonals of shape %s and right-hand sides of shape %s do not fit",
                                 knx_show_shape(&s, r->xt[i].ndim, r->xt[i].dim), knx_show_shape(&t, b.ndim, b.dim));
        }
    return knp_type_like(r->arena, b, b.dtype, y);
}

static bool solve_one(const kni_rule *r, const void *const *x, void *const *y, void *workspace)
{
    knp_extents e = knp_extents_of(r->xt[3]);
    knr_tridiagonal_solve(r->xt[3].dtype, e.m, e.n, x[0], x[1], x[2], x[3], y[0], workspace);
    return true;
}
static size_t solve_bytes(const kni_rule *r) { return knr_tridiagonal_solve_workspace(knp_extents_of(r->xt[3]).m); }
static const knp_matrix_routine solve_routine = {.one = solve_one, .workspace = solve_bytes, .vectors_first = true};

static knx_bytes solve_workspace(const kni_rule *r) { return knp_matrix_workspace(r, &solve_routine); }
static knx_error *solve_run(const kni_rule *r, const kni_routine_args *args)
{
    bool well;
    return knp_each_matrix(r, args, &solve_routine, &well);
}

static void solve_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    kni_builder *b = r->b;
    kni_atom change = tx[3];
    kni_type t = knb_type(b, r->y[0]);
    for (int i = 0; i < 3; i++)
        if (tx[i] != KN_ATOM_ZERO) {
            kni_atom v = knp_as_columns(b, tx[i], t);
            change = knb_add_any(b, change, knb_neg(b, knb_mul(b, v, knb_moved(b, r->y[0], t.ndim - 2, 1 - i))));
        }
    ty[0] = knb_tridiagonal_solve(b, (kni_atom[]){r->x[0], r->x[1], r->x[2], change});
}

/* The transposed matrix has the diagonals of the other side, one place on. */
static knx_error *solve_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    kni_builder *b = r->b;
    int axis = r->xt[0].ndim - 1;
    kni_atom moved[2];
    for (int i = 0; i < 2; i++)
        moved[i] = knb_moved(b, r->x[i ? 0 : 2], axis, i ? -1 : 1);
    ct_in[3] = knb_tridiagonal_solve(b, (kni_atom[]){moved[0], r->x[1], moved[1], ct[0]});
    return NULL;
}

static double solve_cost(const kni_rule *r) { return 16 * kni_type_count(r->xt[3]); }

/* ---- banded_solve. */

typedef kni_p_banded_solve banded_params;

static knx_error *banded_type(kni_rule *r, kni_type *y)
{
    const banded_params *p = r->params;
    kni_type a = r->xt[0], b = r->xt[1];
    KN_TRY(knp_check_matrices(a, false));
    KN_TRY(knp_check_matrices(b, false));
    if (p->lower < 0 || p->upper < 0)
        return knx_error_new(KN_ERROR_VALUE, "numbers of diagonals must not be negative");
    if (same_axes(a, b, 2) && knx_dim_eq(a.dim[a.ndim - 2], p->lower + p->upper + 1) &&
        knx_dim_eq(a.dim[a.ndim - 1], b.dim[b.ndim - 2]))
        return knp_type_like(r->arena, b, b.dtype, y);
    knx_text s = {0}, t = {0};
    return knx_error_new(KN_ERROR_VALUE, "%lld diagonals of shape %s and right-hand sides of shape %s do not fit",
                         (long long)(p->lower + p->upper + 1), knx_show_shape(&s, a.ndim, a.dim),
                         knx_show_shape(&t, b.ndim, b.dim));
}

static bool banded_one(const kni_rule *r, const void *const *x, void *const *y, void *workspace)
{
    const banded_params *p = r->params;
    knp_extents e = knp_extents_of(r->xt[1]);
    return knr_banded_solve(r->xt[1].dtype, e.m, e.n, p->lower, p->upper, p->definite, x[0], x[1], y[0], workspace);
}
static size_t banded_bytes(const kni_rule *r)
{
    const banded_params *p = r->params;
    knp_extents e = knp_extents_of(r->xt[1]);
    return knr_banded_solve_workspace(e.m, e.n, p->lower, p->upper);
}
static const knp_matrix_routine banded_routine = {.one = banded_one, .workspace = banded_bytes};
static knx_bytes banded_workspace(const kni_rule *r) { return knp_matrix_workspace(r, &banded_routine); }
static knx_error *banded_run(const kni_rule *r, const kni_routine_args *args)
{
    const banded_params *p = r->params;
    bool well;
    KN_TRY(knp_each_matrix(r, args, &banded_routine, &well));
    return well || !p->check
               ? NULL
               : knp_linalg_failure(p->check, p->definite ? "Matrix is not positive definite" : "Singular matrix");
}
static bool banded_may_fail(const kni_rule *r) { return ((const banded_params *)r->params)->check != KN_CHECK_NONE; }

/* Diagonal number i of ab, as a vector. */
static kni_atom diagonal_of(kni_builder *b, kni_atom ab, int64_t i)
{
    int64_t axis = knb_type(b, ab).ndim - 2;
    return knb_squeeze(b, knp_rows(b, ab, i, i + 1), 1, &axis);
}

static void banded_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    const banded_params *p = r->params;
    kni_builder *b = r->b;
    kni_atom change = tx[1];
    for (int64_t i = 0; i <= p->lower + p->upper && tx[0] != KN_ATOM_ZERO; i++) {
        kni_atom v = knp_as_columns(b, diagonal_of(b, tx[0], i), knb_type(b, r->y[0]));
        change =
            knb_add_any(b, change, knb_neg(b, knb_moved(b, knb_mul(b, v, r->y[0]), r->yt[0].ndim - 2, i - p->upper)));
    }
    ty[0] = knb_banded_solve(b, r->x[0], change, p);
}

/* Diagonal i of the matrix is number lower + upper - i of the transposed one, i - upper places on. */
static knx_error *banded_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    banded_params p = *(const banded_params *)r->params;
    kni_builder *b = r->b;
    int64_t n = p.lower + p.upper + 1, upper = p.upper;
    kni_atom turned = KN_ATOM_NONE;
    for (int64_t i = n - 1; i >= 0; i--) {
        kni_atom row = knb_moved(b, knp_rows(b, r->x[0], i, i + 1), r->xt[0].ndim - 1, i - upper);
        turned = i == n - 1 ? row : knb_concatenate(b, 2, (kni_atom[]){turned, row}, r->xt[0].ndim - 2);
    }
    p.upper = p.lower;
    p.lower = upper;
    ct_in[1] = knb_banded_solve(b, turned, ct[0], &p);
    return NULL;
}

static double banded_cost(const kni_rule *r)
{
    const banded_params *p = r->params;
    double band = 2.0 * (double)(p->lower + 1) * (double)(p->lower + p->upper + 1);
    return band * kni_type_count(r->xt[1]);
}

/* ---- cholesky_update. */

static knx_error *update_type(kni_rule *r, kni_type *y)
{
    kni_type a = r->xt[0], w = r->xt[1];
    if (knx_is_complex(a.dtype))
        return knp_accepts(a.dtype, 0);
    KN_TRY(knp_check_matrices(a, true));
    if (same_axes(w, a, 1) && knx_dim_eq(w.dim[w.ndim - 1], a.dim[a.ndim - 1]))
        return knp_type_like(r->arena, a, a.dtype, y);
    knx_text s = {0}, t = {0};
    return knx_error_new(KN_ERROR_VALUE,
                         "Rank-1 update to Cholesky decomposition takes a square matrix and a vector of the "
                         "same size. Got shapes %s and %s instead",
                         knx_show_shape(&s, a.ndim, a.dim), knx_show_shape(&t, w.ndim, w.dim));
}

static bool update_one(const kni_rule *r, const void *const *x, void *const *y, void *workspace)
{
    knr_cholesky_update(r->xt[0].dtype, knp_extents_of(r->xt[0]).n, x[0], x[1], y[0], workspace);
    return true;
}
static size_t update_bytes(const kni_rule *r) { return knr_cholesky_update_workspace(knp_extents_of(r->xt[0]).n); }
static const knp_matrix_routine update_routine = {.one = update_one, .workspace = update_bytes};
static knx_bytes update_workspace(const kni_rule *r) { return knp_matrix_workspace(r, &update_routine); }
static knx_error *update_run(const kni_rule *r, const kni_routine_args *args)
{
    bool well;
    return knp_each_matrix(r, args, &update_routine, &well);
}

static double update_cost(const kni_rule *r) { return 6 * kni_type_count(r->xt[0]); }

static void solve_spread(const kni_rule *r, kni_spread *s) { knp_spread_sides(r, s, 3, r->xt[3].ndim - 1); }

const kni_prim knp_prim_tridiagonal_solve = {
    .name = "tridiagonal_solve",
    .n_in = 4,
    .n_out = 1,
    .bits = KN_THREADS,
    .linear_in = 8,
    .factors = "b i, b i, b i, b m k -> b n k",
    .doc = "solutions of tridiagonal systems (jax.lax.linalg.tridiagonal_solve)",
    .type = solve_type,
    .jvp = solve_jvp,
    .transpose = solve_transpose,
    .spread = solve_spread,
    .batch = knp_batch_all_in_front,
    .run = solve_run,
    .workspace = solve_workspace,
    .cost = solve_cost,
};

static void banded_spread(const kni_rule *r, kni_spread *s) { knp_spread_sides(r, s, 1, r->xt[1].ndim - 1); }

const kni_prim knp_prim_banded_solve = {
    .name = "banded_solve",
    .n_in = 2,
    .n_out = 1,
    .bits = KN_CAN_FAIL | KN_THREADS,
    .linear_in = 2,
    .fields = kni_fields_banded_solve,
    .params_size = sizeof(banded_params),
    .factors = "b i j, b m k -> b n k",
    .doc = "solutions of banded systems (scipy.linalg.solve_banded)",
    .type = banded_type,
    .jvp = banded_jvp,
    .transpose = banded_transpose,
    .spread = banded_spread,
    .batch = knp_batch_all_in_front,
    .run = banded_run,
    .workspace = banded_workspace,
    .may_fail = banded_may_fail,
    .cost = banded_cost,
};

const kni_prim knp_prim_cholesky_update = {
    .name = "cholesky_update",
    .n_in = 2,
    .n_out = 1,
    .bits = KN_THREADS,
    .factors = "b m n, b i -> b j k",
    .doc = "upper Cholesky factors of r^T r + w w^T (jax.lax.linalg.cholesky_update)",
    .type = update_type,
    .jvp = knp_jvp_refused,
    .spread = knp_spread_matrices,
    .batch = knp_batch_all_in_front,
    .run = update_run,
    .workspace = update_workspace,
    .cost = update_cost,
};
