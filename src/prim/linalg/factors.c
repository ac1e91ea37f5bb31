/* SPDX-License-Identifier: Apache-2.0
 * factors.c -- cholesky, lu, lu_pivots_to_permutation, triangular_solve of the matrices in the last two axes; their
 * operations come in the order of docs/determinism.md ("Factorisations").
 *
 * cholesky
 *     type       that of the square matrices, of which the lower triangles are read
 *     jvp        L phi(L^-1 dA L^-H): phi takes the lower triangle with half of the diagonal
 * lu
 *     type       factors of the matrices' type, int32 pivots and int32 permutation of the rows
 *     jvp        with M = L^-1 P dA U^-1: dL = L tril(M, -1), dU = triu(M) U
 * lu_pivots_to_permutation
 *     type       int32 permutations of `permutation_size` rows; pivots are int32 and no more than those
 *     jvp        none: integers
 * triangular_solve
 *     type       that of the right-hand sides; of the square matrices one triangle is read
 *     jvp        op(A)^-1 (dB - op(dA) X)
 *     transpose  the system with the transposed matrix
 *     batch      right-hand sides of one matrix stand beside each other
 *
 * The others are batched over one more axis in front. All are lowered to routines. */
#include "host/routine/linalg.h"
#include "host/routine/small.h"
#include "prim/linalg/matrices.h"

typedef kni_p_factorize factorize;
typedef kni_p_triangular_solve triangular;

/* --- types ------------------------------------------------------------------------------------ */

static knx_error *cholesky_type(kni_rule *r, kni_type *y)
{
    KN_TRY(knp_check_matrices(r->xt[0], true));
    return knp_type_like(r->arena, r->xt[0], r->xt[0].dtype, y);
}

static knx_error *lu_type(kni_rule *r, kni_type *y)
{
    KN_TRY(knp_check_matrices(r->xt[0], false));
    knp_dims d = knp_dims_of(r->xt[0]);
    int64_t m = d.v[d.n - 2], n = d.v[d.n - 1];
    if (!knx_is_symbolic(m) && m > INT32_MAX)
        return knx_error_new(KN_ERROR_VALUE, "matrices of %lld rows are too large for int32 pivots", (long long)m);
    KN_TRY(knp_type_like(r->arena, r->xt[0], r->xt[0].dtype, &y[0]));
    d.n--;
    d.v[d.n - 1] = knx_dim_min(m, n);
    KN_TRY(knp_type_dims(r->arena, KN_DT(I32), false, d.n, d.v, &y[1]));
    d.v[d.n - 1] = m;
    return knp_type_dims(r->arena, KN_DT(I32), false, d.n, d.v, &y[2]);
}

static knx_error *permutation_type(kni_rule *r, kni_type *y)
{
    const kni_p_lu_pivots_to_permutation *p = r->params;
    knp_dims d = knp_dims_of(r->xt[0]);
    if (r->xt[0].dtype != KN_DT(I32))
        return knp_accepts(r->xt[0].dtype, 0);
    if (!d.n)
        return knx_error_new(KN_ERROR_VALUE, "takes pivots in the last dimension, got a scalar");
    if (knx_dim_lt(p->permutation_size, d.v[d.n - 1]) ||
        (!knx_is_symbolic(p->permutation_size) && p->permutation_size > INT32_MAX)) {
        knx_text s = {0}, t = {0};
        return knx_error_new(
            KN_ERROR_VALUE,
            "Output permutation size %s has to exceed the trailing dimension of the pivots. Got pivots size %s",
            knx_dim_show(&s, p->permutation_size), knx_dim_show(&t, d.v[d.n - 1]));
    }
    d.v[d.n - 1] = p->permutation_size;
    return knp_type_dims(r->arena, KN_DT(I32), false, d.n, d.v, y);
}

static knx_error *triangular_type(kni_rule *r, kni_type *y)
{
    const triangular *p = r->params;
    if (r->xt[0].dtype != r->xt[1].dtype)
        return knx_error_new(KN_ERROR_TYPE, "requires arguments to have the same dtypes, got %s, %s",
                             r->xt[0].dtype->name, r->xt[1].dtype->name);
    KN_TRY(knp_check_matrices(r->xt[0], true));
    KN_TRY(knp_check_matrices(r->xt[1], false));
    int n = r->xt[0].ndim;
    bool fits = r->xt[1].ndim == n && knx_dim_eq(r->xt[1].dim[n - (p->left_side ? 2 : 1)], r->xt[0].dim[n - 1]);
    for (int i = 0; fits && i < n - 2; i++)
        fits = knx_dim_eq(r->xt[0].dim[i], r->xt[1].dim[i]);
    if (!fits) {
        knx_text s = {0}, t = {0};
        return knx_error_new(KN_ERROR_VALUE, "matrices of shape %s and right-hand sides of shape %s do not fit",
                             knx_show_shape(&s, n, r->xt[0].dim), knx_show_shape(&t, r->xt[1].ndim, r->xt[1].dim));
    }
    return knp_type_like(r->arena, r->xt[1], r->xt[1].dtype, y);
}

/* --- derivatives ------------------------------------------------------------------------------ */

/* The lower triangle with half of the diagonal. */
static kni_atom phi(kni_builder *b, kni_atom x)
{
    kni_atom weight = knb_on_diagonal(b, x, knb_like(b, x, 0.5), knb_like(b, x, 1));
    return knb_triangle(b, knb_mul(b, x, weight), true, 0);
}

static void cholesky_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    kni_builder *b = r->b;
    kni_atom l = r->y[0], half = phi(b, tx[0]); /* what is above the diagonal is not read */
    kni_atom change = knb_add(b, half, knb_conj(b, knb_swap_last(b, half)));
    change = knb_triangular_solve(b, l, change, &(triangular){.lower = true, .transpose_a = true, .conjugate_a = true});
    change = knb_triangular_solve(b, l, change, &(triangular){.left_side = true, .lower = true});
    ty[0] = knb_matrix_product(b, l, phi(b, change));
}

/* x with rows (or columns) of zeros put behind, or with the last ones left out, so that there are n. */
static kni_atom resize(kni_builder *b, kni_atom x, int from_last, int64_t n)
{
    kni_type t = knb_type(b, x);
    int64_t start[KN_MAX_NDIM] = {0}, limit[KN_MAX_NDIM], more[KN_MAX_NDIM] = {0};
    if (b->error)
        return KN_ATOM_NONE;
    for (int i = 0; i < t.ndim; i++)
        limit[i] = t.dim[i];
    int axis = t.ndim - from_last;
    more[axis] = knx_dim_max(knx_dim_sub(n, t.dim[axis]), 0);
    if (more[axis])
        x = knb_pad(b, x, knb_like(b, x, 0), start, more, NULL);
    limit[axis] = n;
    return knx_dim_known_le(t.dim[axis], n) ? x : knb_slice(b, x, start, limit, NULL);
}

/* U, square: where the matrix has fewer rows than columns the last diagonal elements are ones. */
static kni_atom square_u(kni_builder *b, kni_atom lu, int64_t m, int64_t n)
{
    kni_atom u = resize(b, lu, 2, n);
    if (knx_dim_known_le(n, m) || b->error)
        return u;
    kni_type t = knb_type(b, u);
    kni_atom row = knb_iota(b, KN_DT(I64), t.ndim, t.dim, t.ndim - 2);
    kni_atom below = knb_ge(b, row, knb_dimension(b, KN_DT(I64), m));
    kni_atom ones = knb_on_diagonal(b, u, knb_like(b, u, 1), knb_like(b, u, 0));
    return knb_select(b, below, ones, u);
}

kni_atom knp_lu_tangent(kni_builder *b, kni_type a, kni_atom lu, kni_atom permutation, kni_atom t)
{
    int64_t m = a.dim[a.ndim - 2], n = a.dim[a.ndim - 1];
    kni_atom l = resize(b, lu, 1, m), u = square_u(b, lu, m, n);
    kni_atom x = knb_permute_rows(b, t, permutation);
    x = knb_triangular_solve(b, l, x, &(triangular){.left_side = true, .lower = true, .unit_diagonal = true});
    x = knb_triangular_solve(b, u, x, &(triangular){.lower = false});
    kni_atom below = knb_triangle(b, x, true, -1), above = knb_triangle(b, x, false, 0);
    kni_atom l_change = knb_add(b, below, knb_matrix_product(b, knb_triangle(b, l, true, -1), below));
    return knb_add(b, l_change, knb_matrix_product(b, above, knb_triangle(b, u, false, 0)));
}

static void lu_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    ty[0] = knp_lu_tangent(r->b, r->xt[0], r->y[0], r->y[2], tx[0]);
}

static void triangular_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    const triangular *p = r->params;
    kni_builder *b = r->b;
    kni_atom change = tx[1];
    if (tx[0] != KN_ATOM_ZERO) {
        kni_atom a = knb_triangle(b, tx[0], p->lower, p->unit_diagonal ? (p->lower ? -1 : 1) : 0);
        a = p->conjugate_a ? knb_conj(b, a) : a;
        a = p->transpose_a ? knb_swap_last(b, a) : a;
        kni_atom product = p->left_side ? knb_matrix_product(b, a, r->y[0]) : knb_matrix_product(b, r->y[0], a);
        change = knb_add_any(b, change, knb_neg(b, product));
    }
    ty[0] = knb_triangular_solve(b, r->x[0], change, p);
}

static knx_error *triangular_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    triangular p = *(const triangular *)r->params;
    p.transpose_a = !p.transpose_a;
    ct_in[1] = knb_triangular_solve(r->b, r->x[0], ct[0], &p);
    return NULL;
}

/* --- batching --------------------------------------------------------------------------------- */

/* The right-hand sides of one matrix: the batch axis goes behind the columns (in front of the rows), and both become
 * one axis. */
static kni_atom solve_beside(const kni_rule *r, const triangular *p, int axis)
{
    kni_builder *b = r->b;
    int ndim = knb_type(b, r->x[1]).ndim;
    kni_atom x = knb_move_axis(b, r->x[1], axis, p->left_side ? ndim - 1 : ndim - 3);
    kni_type t = knb_type(b, x);
    if (b->error)
        return KN_ATOM_NONE;
    int at = p->left_side ? ndim - 2 : ndim - 3;
    knp_dims full = knp_dims_of(t), joined = knp_dims_without(t, at);
    joined.v[at] = knx_dim_mul(full.v[at], full.v[at + 1]);
    x = knb_triangular_solve(b, r->x[0], knb_reshape(b, x, joined.n, joined.v), p);
    return knb_reshape(b, x, full.n, full.v);
}

static knx_error *triangular_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    const triangular *p = r->params;
    if (axis[0] < 0) {
        axis_out[0] = knb_type(r->b, r->x[1]).ndim - (p->left_side ? 1 : 3);
        y[0] = solve_beside(r, p, axis[1]);
        return NULL;
    }
    axis_out[0] = 0;
    y[0] =
        knb_triangular_solve(r->b, knp_batched_at(r, 0, size, axis[0], 0), knp_batched_at(r, 1, size, axis[1], 0), p);
    return NULL;
}

/* --- lowering --------------------------------------------------------------------------------- */

static bool cholesky_one(const kni_rule *r, const void *const *x, void *const *y, void *workspace)
{
    return knr_cholesky(r->xt[0].dtype, knp_extents_of(r->xt[0]).n, x[0], y[0], workspace, r->threads);
}
static bool square_is_small(const kni_rule *r)
{
    knp_extents e = knp_extents_of(r->xt[0]);
    return e.m == e.n && knr_fits_small(r->xt[0].dtype, e.m, e.n);
}
static knr_small square_of(const kni_rule *r)
{
    int n = (int)knp_extents_of(r->xt[0]).n;
    return (knr_small){.dtype = r->xt[0].dtype, .m = n, .n = n};
}
static size_t square_room(const kni_rule *r)
{
    knr_small s = square_of(r);
    return square_is_small(r) ? knr_small_room(&s) : 0;
}
static size_t more(size_t a, size_t b) { return a > b ? a : b; }
static bool cholesky_many(const kni_rule *r, int64_t count, const void *const *x, void *const *y, void *workspace)
{
    knr_small s = square_of(r);
    return knr_small_run(KNR_SMALL_CHOLESKY, &s, count, x, y, workspace);
}
static size_t cholesky_bytes(const kni_rule *r)
{
    kn_dtype d = r->xt[0].dtype;
    int64_t n = knp_extents_of(r->xt[0]).n;
    return more(knr_cholesky_workspace(d, n, r->threads), square_room(r));
}
static const knp_matrix_routine cholesky_routine = {cholesky_one,    cholesky_bytes, cholesky_many,
                                                    square_is_small, false,          false};
static knx_bytes cholesky_workspace(const kni_rule *r) { return knp_matrix_workspace(r, &cholesky_routine); }

static bool lu_one(const kni_rule *r, const void *const *x, void *const *y, void *workspace)
{
    knp_extents e = knp_extents_of(r->xt[0]);
    return knr_lu(r->xt[0].dtype, e.m, e.n, x[0], y[0], y[1], y[2], workspace, r->threads);
}
static size_t lu_bytes(const kni_rule *r)
{
    kn_dtype d = r->xt[0].dtype;
    knp_extents e = knp_extents_of(r->xt[0]);
    return more(knr_lu_workspace(d, e.m, e.n, r->threads), square_room(r));
}
static bool lu_many(const kni_rule *r, int64_t count, const void *const *x, void *const *y, void *workspace)
{
    knr_small s = square_of(r);
    return knr_small_run(KNR_SMALL_LU, &s, count, x, y, workspace);
}
static const knp_matrix_routine lu_routine = {lu_one, lu_bytes, lu_many, square_is_small, false, false};
static knx_bytes lu_workspace(const kni_rule *r) { return knp_matrix_workspace(r, &lu_routine); }

static knx_error *factorize_run(const kni_rule *r, const kni_routine_args *args, const knp_matrix_routine *f,
                                const char *failure)
{
    const factorize *p = r->params;
    bool well;
    KN_TRY(knp_each_matrix(r, args, f, &well));
    return well || !p->check ? NULL : knp_linalg_failure(p->check, failure);
}
static knx_error *cholesky_run(const kni_rule *r, const kni_routine_args *args)
{
    return factorize_run(r, args, &cholesky_routine, "Matrix is not positive definite");
}
static knx_error *lu_run(const kni_rule *r, const kni_routine_args *args)
{
    return factorize_run(r, args, &lu_routine, "Singular matrix");
}

/* The rows in order, with row k swapped with row pivots[k], for k = 0, 1, ...; pivots outside of the rows swap
 * nothing. */
static void permute(const int32_t *pivots, int64_t n, int32_t *permutation, int64_t size)
{
    for (int64_t k = 0; k < size; k++)
        permutation[k] = (int32_t)k;
    for (int64_t k = 0; k < n; k++)
        if (pivots[k] >= 0 && pivots[k] < size) {
            int32_t row = permutation[k];
            permutation[k] = permutation[pivots[k]];
            permutation[pivots[k]] = row;
        }
}

static knx_error *permutation_run(const kni_rule *r, const kni_routine_args *args)
{
    const kni_p_lu_pivots_to_permutation *p = r->params;
    int64_t n = r->xt[0].dim[r->xt[0].ndim - 1], size = p->permutation_size;
    int64_t batch = size ? kni_type_size(r->yt[0]) / size : 0;
    for (int64_t i = 0; i < batch; i++)
        permute((const int32_t *)args->x[0] + i * n, n, (int32_t *)args->y[0] + i * size, size);
    return NULL;
}

static bool factorize_may_fail(const kni_rule *r) { return ((const factorize *)r->params)->check != KN_CHECK_NONE; }

knr_triangular knp_triangular_of(const triangular *p, kni_type b)
{
    knp_extents e = knp_extents_of(b);
    return (knr_triangular){.dtype = b.dtype,
                            .m = p->left_side ? e.m : e.n,
                            .n = p->left_side ? e.n : e.m,
                            .left_side = p->left_side,
                            .lower = p->lower,
                            .transpose_a = p->transpose_a,
                            .conjugate_a = p->conjugate_a,
                            .unit_diagonal = p->unit_diagonal};
}

static bool triangular_one(const kni_rule *r, const void *const *x, void *const *y, void *workspace)
{
    knr_triangular s = knp_triangular_of(r->params, r->xt[1]);
    knr_triangular_run(&s, x[0], x[1], y[0], workspace, r->threads);
    return true;
}
static knr_small small_system(const knr_triangular *s)
{
    return (knr_small){.dtype = s->dtype,
                       .m = (int)s->m,
                       .n = (int)s->m,
                       .columns = (int)s->n,
                       .unit_diagonal = s->unit_diagonal,
                       .view = knr_triangular_view(s)};
}
static bool system_is_small(const kni_rule *r)
{
    knr_triangular s = knp_triangular_of(r->params, r->xt[1]);
    return knr_fits_small_with(s.dtype, s.m, s.n);
}
static size_t triangular_bytes(const kni_rule *r)
{
    knr_triangular s = knp_triangular_of(r->params, r->xt[1]);
    if (!system_is_small(r))
        return knr_triangular_workspace(&s, r->threads);
    knr_small small = small_system(&s);
    return more(knr_triangular_workspace(&s, r->threads), knr_small_room(&small));
}
static bool triangular_many(const kni_rule *r, int64_t count, const void *const *x, void *const *y, void *workspace)
{
    knr_triangular s = knp_triangular_of(r->params, r->xt[1]);
    knr_small small = small_system(&s);
    return knr_small_run(KNR_SMALL_TRIANGULAR, &small, count, x, y, workspace);
}
static const knp_matrix_routine triangular_routine = {
    triangular_one, triangular_bytes, triangular_many, system_is_small, false, false};
static knx_bytes triangular_workspace(const kni_rule *r) { return knp_matrix_workspace(r, &triangular_routine); }
static knx_error *triangular_run(const kni_rule *r, const kni_routine_args *args)
{
    bool well;
    return knp_each_matrix(r, args, &triangular_routine, &well);
}

static double factor(kni_type x) { return knx_is_complex(x.dtype) ? 4 : 1; }

static double cholesky_cost(const kni_rule *r)
{
    knp_extents e = knp_extents_of(r->xt[0]);
    return factor(r->xt[0]) * kni_type_count(r->xt[0]) * ((double)knx_dim_hint(e.n) / 3 + 1);
}

static double lu_cost(const kni_rule *r)
{
    knp_extents e = knp_extents_of(r->xt[0]);
    return factor(r->xt[0]) * kni_type_count(r->xt[0]) * ((double)knx_dim_hint(knx_dim_min(e.m, e.n)) * 2 / 3 + 1);
}

static double triangular_cost(const kni_rule *r)
{
    return factor(r->xt[0]) * kni_type_count(r->xt[1]) * (double)knx_dim_hint(r->xt[0].dim[r->xt[0].ndim - 1]);
}

const kni_prim knp_prim_cholesky = {
    .name = "cholesky",
    .n_in = 1,
    .n_out = 1,
    .bits = KN_CAN_FAIL | KN_THREADS,
    .fields = kni_fields_factorize,
    .params_size = sizeof(factorize),
    .factors = "b m n -> b i j",
    .doc = "the lower factors of Hermitian matrices whose lower triangles are given (jax.lax.linalg.cholesky)",
    .type = cholesky_type,
    .jvp = cholesky_jvp,
    .spread = knp_spread_matrices,
    .batch = knp_batch_in_front,
    .run = cholesky_run,
    .workspace = cholesky_workspace,
    .may_fail = factorize_may_fail,
    .cost = cholesky_cost,
};

const kni_prim knp_prim_lu = {
    .name = "lu",
    .n_in = 1,
    .n_out = 3,
    .bits = KN_CAN_FAIL | KN_THREADS,
    .fields = kni_fields_factorize,
    .params_size = sizeof(factorize),
    .factors = "b m n -> b i j, b k, b p",
    .doc = "triangular factors of matrices with rows permuted, the pivots and the permutation (jax.lax.linalg.lu)",
    .type = lu_type,
    .jvp = lu_jvp,
    .spread = knp_spread_matrices,
    .batch = knp_batch_in_front,
    .run = lu_run,
    .workspace = lu_workspace,
    .may_fail = factorize_may_fail,
    .cost = lu_cost,
};

static void permutation_spread(const kni_rule *r, kni_spread *s) { knp_spread_first(r, s, r->xt[0].ndim - 1, 0); }

const kni_prim knp_prim_lu_pivots_to_permutation = {
    .name = "lu_pivots_to_permutation",
    .n_in = 1,
    .n_out = 1,
    .why_no_jvp = KN_WHY_INTEGERS,
    .fields = kni_fields_lu_pivots_to_permutation,
    .params_size = sizeof(kni_p_lu_pivots_to_permutation),
    .factors = "b k -> b m",
    .doc = "the permutations of rows that swaps make, one after the other (jax.lax.linalg.lu_pivots_to_permutation)",
    .type = permutation_type,
    .spread = permutation_spread,
    .batch = knp_batch_in_front,
    .run = permutation_run,
};

static void triangular_spread(const kni_rule *r, kni_spread *s)
{
    knp_spread_sides(r, s, 1, r->xt[1].ndim - (((const triangular *)r->params)->left_side ? 1 : 2));
}

const kni_prim knp_prim_triangular_solve = {
    .name = "triangular_solve",
    .n_in = 2,
    .n_out = 1,
    .bits = KN_THREADS,
    .linear_in = 2,
    .fields = kni_fields_triangular_solve,
    .params_size = sizeof(triangular),
    .factors = "b i j, b k n -> b p n",
    .doc = "solutions of systems with a triangular matrix (jax.lax.linalg.triangular_solve)",
    .type = triangular_type,
    .jvp = triangular_jvp,
    .transpose = triangular_transpose,
    .spread = triangular_spread,
    .batch = triangular_batch,
    .run = triangular_run,
    .workspace = triangular_workspace,
    .cost = triangular_cost,
};
