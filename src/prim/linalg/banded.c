/* SPDX-License-Identifier: Apache-2.0
 * banded.c -- tridiagonal_solve and cholesky_update.
 *
 * tridiagonal_solve: the diagonal below, the diagonal, the one above, right-hand sides (n x columns)
 *     type       that of the right-hand sides
 *     jvp        the system with dB - dT X
 *     transpose  the system with the transposed matrix
 * cholesky_update: upper factors r, vectors w
 *     type       that of the factors; real
 *     jvp        none, as in JAX
 *
 * Both are batched over one more axis in front and lowered to routines. */
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

/* x with its rows moved down (by 1) or up (-1), zeros in the first (last) place; v times them */
static kni_atom shifted_product(kni_builder *b, kni_atom v, kni_atom x, int64_t by)
{
    kni_type t = knb_type(b, x);
    int64_t low[KN_MAX_NDIM] = {0}, high[KN_MAX_NDIM] = {0};
    if (b->error)
        return KN_ATOM_NONE;
    if (by) {
        low[t.ndim - 2] = by;
        high[t.ndim - 2] = -by;
        x = knb_pad(b, x, knb_like(b, x, 0), low, high, NULL);
    }
    return knb_mul(b, knp_as_columns(b, v, t), x);
}

static void solve_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    kni_builder *b = r->b;
    kni_atom change = tx[3];
    for (int i = 0; i < 3; i++)
        if (tx[i] != KN_ATOM_ZERO)
            change = knb_add_any(b, change, knb_neg(b, shifted_product(b, tx[i], r->y[0], 1 - i)));
    ty[0] = knb_tridiagonal_solve(b, (kni_atom[]){r->x[0], r->x[1], r->x[2], change});
}

/* The transposed matrix has the diagonals of the other side, one place on. */
static knx_error *solve_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    kni_builder *b = r->b;
    int axis = r->xt[0].ndim - 1;
    kni_atom moved[2];
    for (int i = 0; i < 2; i++) {
        int64_t low[KN_MAX_NDIM] = {0}, high[KN_MAX_NDIM] = {0};
        kni_atom x = r->x[i ? 0 : 2];
        low[axis] = i ? -1 : 1;
        high[axis] = -low[axis];
        moved[i] = knb_pad(b, x, knb_like(b, x, 0), low, high, NULL);
    }
    ct_in[3] = knb_tridiagonal_solve(b, (kni_atom[]){moved[0], r->x[1], moved[1], ct[0]});
    return NULL;
}

static double solve_cost(const kni_rule *r) { return 16 * kni_type_count(r->xt[3]); }

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
    .batch = knp_batch_all_in_front,
    .run = solve_run,
    .workspace = solve_workspace,
    .cost = solve_cost,
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
    .batch = knp_batch_all_in_front,
    .run = update_run,
    .workspace = update_workspace,
    .cost = update_cost,
};
