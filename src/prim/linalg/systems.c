/* SPDX-License-Identifier: Apache-2.0
 * systems.c -- inv, solve and det of the matrices in the last two axes: LU factors and what is made of them in one
 * step. solve and det have rows for small real matrices, with the bits of the single steps (docs/determinism.md,
 * "Factorisations"); larger ones and complex ones are compositions (knp_is_small says which).
 *
 * inv, solve
 *     type       the inverses, or the solutions, of the type of the matrices or right-hand sides; with `factors` also
 *                those of lu and its permutation of the rows
 *     jvp        dX = A^-1 (dB - dA X) by the factors
 *     prune      without factors if no one reads them
 * det
 *     type       the matrices' axes disappear
 *     jvp        none: np.linalg.det brings derivatives by cofactors (numpy/linalg/determinants.c)
 *
 * All are batched over one more axis in front, right-hand sides of one matrix beside each other, and lowered to
 * routines. */
#include "base/line.h"
#include "host/routine/linalg.h"
#include "host/routine/small.h"
#include "prim/linalg/matrices.h"

typedef kni_p_solve solve_params;
typedef kni_p_triangular_solve triangular;

bool knp_is_small(kni_type a, int64_t columns)
{
    knp_extents e = knp_extents_of(a);
    return !knx_is_symbolic(e.m) && !knx_is_symbolic(e.n) && !knx_is_symbolic(columns) && e.m == e.n &&
           knr_fits_small_with(a.dtype, e.n, columns);
}

/* ---- Types. */

/* Numbers of rows that are variables are those of the sample where the scope assumes. */
static knx_error *check_small(kni_type a, int64_t columns)
{
    KN_TRY(knp_check_matrices(a, true));
    knp_extents e = knp_extents_of(a);
    int64_t m = knx_dim_taken(e.m), n = knx_dim_taken(e.n), sides = knx_dim_taken(columns);
    knx_text t = {0};
    if (knx_is_symbolic(m) || knx_is_symbolic(n) || knx_is_symbolic(sides))
        return knx_error_new(KN_ERROR_DIMENSION, "whether a matrix of shape %s has at most %d rows is not known",
                             knx_show_shape(&t, a.ndim, a.dim), KNR_SMALL);
    return m == n && knr_fits_small_with(a.dtype, n, sides)
               ? NULL
               : knx_error_new(KN_ERROR_VALUE, "takes real matrices of 1 to %d rows, got %s of shape %s", KNR_SMALL,
                               a.dtype->name, knx_show_shape(&t, a.ndim, a.dim));
}

static int64_t columns_of(const kni_rule *r)
{
    kni_type b = r->xt[r->n_in - 1];
    return b.dim[b.ndim - 1];
}

static knx_error *solve_type(kni_rule *r, kni_type *y)
{
    const solve_params *p = r->params;
    kni_type a = r->xt[0], b = r->xt[r->n_in - 1];
    KN_TRY(knp_check_matrices(a, true));
    KN_TRY(knp_check_matrices(b, false));
    if (r->n_in == 2)
        KN_TRY(check_small(a, columns_of(r)));
    bool fits = a.ndim == b.ndim && a.dtype == b.dtype;
    for (int i = 0; fits && i < a.ndim - 1; i++)
        fits = knx_dim_eq(a.dim[i], b.dim[i]);
    if (!fits) {
        knx_text s = {0}, t = {0};
        return knx_error_new(KN_ERROR_VALUE, "matrices of shape %s and right-hand sides of shape %s do not fit",
                             knx_show_shape(&s, a.ndim, a.dim), knx_show_shape(&t, b.ndim, b.dim));
    }
    KN_TRY(knp_type_like(r->arena, b, b.dtype, &y[0]));
    r->n_out = 1;
    if (!p->factors)
        return NULL;
    r->n_out = 3;
    KN_TRY(knp_type_like(r->arena, a, a.dtype, &y[1]));
    return knp_type_behind(r, a, KN_DT(I32), 1, &a.dim[a.ndim - 1], &y[2]);
}

static knx_error *det_type(kni_rule *r, kni_type *y)
{
    KN_TRY(check_small(r->xt[0], 1));
    return knp_type_behind(r, r->xt[0], r->xt[0].dtype, 0, NULL, &y[0]);
}

/* ---- Derivatives. */

/* The same results, with or without factors. */
static void emit(kni_builder *b, const kni_rule *r, bool factors, kni_atom *out)
{
    solve_params p = *(const solve_params *)r->params;
    p.factors = factors;
    knb_emit(b, r->prim, &p, r->n_in, r->x, out, factors ? 3 : 1);
}

static void solve_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    const solve_params *p = r->params;
    kni_builder *b = r->b;
    kni_atom out[3] = {KN_ATOM_NONE, KN_ATOM_NONE, KN_ATOM_NONE}, change = r->n_in == 2 ? tx[1] : KN_ATOM_ZERO;
    if (p->factors)
        for (int i = 0; i < 3; i++)
            out[i] = r->y[i];
    else
        emit(b, r, true, out);
    if (tx[0] != KN_ATOM_ZERO)
        change = knb_add_any(b, change, knb_neg(b, knb_matrix_product(b, tx[0], out[0])));
    kni_atom x = knb_permute_rows(b, change, out[2]);
    x = knb_triangular_solve(b, out[1], x, &(triangular){.left_side = true, .lower = true, .unit_diagonal = true});
    ty[0] = knb_triangular_solve(b, out[1], x, &(triangular){.left_side = true});
    if (p->factors && tx[0] != KN_ATOM_ZERO)
        ty[1] = knp_lu_tangent(b, r->xt[0], out[1], out[2], tx[0]);
}

static knx_error *solve_prune(const kni_rule *r, const bool *read, kni_atom *y, bool *pruned)
{
    if (!((const solve_params *)r->params)->factors || read[1] || read[2])
        return NULL;
    *pruned = true;
    emit(r->b, r, false, y);
    return NULL;
}

/* ---- Batching. */

/* Many right-hand sides of one matrix: it is factorized once, by lu, and they become columns beside each other. */
static void solve_beside(const kni_rule *r, int axis, kni_atom *y)
{
    kni_builder *b = r->b;
    int ndim = knb_type(b, r->x[1]).ndim;
    kni_atom lu[3], x = knb_move_axis(b, r->x[1], axis, ndim - 1);
    knb_lu(b, r->x[0], ((const solve_params *)r->params)->check, lu);
    kni_type t = knb_type(b, x);
    if (b->error)
        return;
    knp_dims full = knp_dims_of(t), joined = knp_dims_without(t, ndim - 2);
    joined.v[ndim - 2] = knx_dim_mul(full.v[ndim - 2], full.v[ndim - 1]);
    x = knb_permute_rows(b, knb_reshape(b, x, joined.n, joined.v), lu[2]);
    x = knb_triangular_solve(b, lu[0], x, &(triangular){.left_side = true, .lower = true, .unit_diagonal = true});
    x = knb_triangular_solve(b, lu[0], x, &(triangular){.left_side = true});
    y[0] = knb_reshape(b, x, full.n, full.v);
    if (r->n_out == 3) {
        y[1] = lu[0];
        y[2] = lu[2];
    }
}

static knx_error *solve_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    if (axis[0] >= 0)
        return knp_batch_all_in_front(r, size, axis, y, axis_out);
    axis_out[0] = knb_type(r->b, r->x[1]).ndim - 1;
    for (int i = 1; i < r->n_out; i++)
        axis_out[i] = -1;
    solve_beside(r, axis[1], y);
    return NULL;
}

/* ---- Running. */

static knr_small small_of(const kni_rule *r)
{
    int n = (int)knp_extents_of(r->xt[0]).n;
    return (knr_small){.dtype = r->xt[0].dtype, .m = n, .n = n, .columns = (int)columns_of(r)};
}
static size_t small_bytes(const kni_rule *r)
{
    knr_small s = small_of(r);
    return knr_small_room(&s);
}
static bool always(const kni_rule *r)
{
    (void)r;
    return true;
}

static bool solve_many(const kni_rule *r, int64_t count, const void *const *x, void *const *y, void *workspace)
{
    knr_small s = small_of(r);
    const void *operands[] = {x[0], r->n_in == 2 ? x[1] : NULL};
    bool factors = r->n_out == 3;
    void *results[] = {y[0], factors ? y[1] : NULL, factors ? y[2] : NULL};
    return knr_small_run(KNR_SMALL_SOLVE, &s, count, operands, results, workspace);
}

/* The inverse of a matrix of any kind. What no one asked for is in the workspace: factors, permutation, pivots. */
static size_t factor_bytes(const kni_rule *r)
{
    return r->n_out == 3 ? 0
                         : knx_whole_lines((size_t)(knp_extents_of(r->xt[0]).n * knp_extents_of(r->xt[0]).n) *
                                           r->xt[0].dtype->size);
}
static size_t order_bytes(const kni_rule *r)
{
    return knx_whole_lines((size_t)knp_extents_of(r->xt[0]).n * sizeof(int32_t));
}
static size_t inverse_bytes(const kni_rule *r)
{
    kn_dtype d = r->xt[0].dtype;
    int64_t n = knp_extents_of(r->xt[0]).n;
    size_t factors = knr_lu_workspace(d, n, n, r->threads), rest = knr_inverse_workspace(d, n, r->threads);
    return factor_bytes(r) + 2 * order_bytes(r) + (factors > rest ? factors : rest);
}
static bool inverse_one(const kni_rule *r, const void *const *x, void *const *y, void *workspace)
{
    kn_dtype d = r->xt[0].dtype;
    int64_t n = knp_extents_of(r->xt[0]).n;
    char *at = workspace;
    void *lu = r->n_out == 3 ? y[1] : at;
    int32_t *pivots = (int32_t *)(void *)(at + factor_bytes(r)), *permutation = pivots;
    permutation = r->n_out == 3 ? y[2] : (void *)((char *)pivots + order_bytes(r));
    at += factor_bytes(r) + 2 * order_bytes(r);
    bool regular = knr_lu(d, n, n, x[0], lu, pivots, permutation, at, r->threads);
    knr_inverse(d, n, lu, permutation, y[0], at, r->threads);
    return regular;
}

static const knp_matrix_routine small_routine = {
    .workspace = small_bytes, .many = solve_many, .has_many = always, .always_many = true};
static const knp_matrix_routine inverse_routine = {.one = inverse_one, .workspace = inverse_bytes};
static const knp_matrix_routine *routine_of(const kni_rule *r)
{
    return r->n_in == 2 || knp_is_small(r->xt[0], columns_of(r)) ? &small_routine : &inverse_routine;
}
static knx_bytes solve_workspace(const kni_rule *r) { return knp_matrix_workspace(r, routine_of(r)); }
static knx_error *solve_run(const kni_rule *r, const kni_routine_args *args)
{
    const solve_params *p = r->params;
    bool well;
    KN_TRY(knp_each_matrix(r, args, routine_of(r), &well));
    return well || !p->check ? NULL : knp_linalg_failure(p->check, "Singular matrix");
}
static bool solve_may_fail(const kni_rule *r) { return ((const solve_params *)r->params)->check != KN_CHECK_NONE; }

static bool det_many(const kni_rule *r, int64_t count, const void *const *x, void *const *y, void *workspace)
{
    knr_small s = small_of(r);
    return knr_small_run(KNR_SMALL_DET, &s, count, x, y, workspace);
}
static const knp_matrix_routine det_routine = {
    .workspace = small_bytes, .many = det_many, .has_many = always, .always_many = true};
static knx_bytes det_workspace(const kni_rule *r) { return knp_matrix_workspace(r, &det_routine); }
static knx_error *det_run(const kni_rule *r, const kni_routine_args *args)
{
    bool well;
    return knp_each_matrix(r, args, &det_routine, &well);
}

static double det_cost(const kni_rule *r)
{
    double factor = knx_is_complex(r->xt[0].dtype) ? 4 : 1, n = (double)knx_dim_hint(knp_extents_of(r->xt[0]).n);
    return factor * kni_type_count(r->xt[0]) * (n * 2 / 3 + 1);
}
static double solve_cost(const kni_rule *r)
{
    double factor = knx_is_complex(r->xt[0].dtype) ? 4 : 1, n = (double)knx_dim_hint(knp_extents_of(r->xt[0]).n);
    return det_cost(r) + factor * 2 * kni_type_count(r->xt[r->n_in - 1]) * n;
}

const kni_prim knp_prim_inv = {
    .name = "inv",
    .n_in = 1,
    .n_out = -1,
    .bits = KN_CAN_FAIL | KN_THREADS,
    .fields = kni_fields_solve,
    .params_size = sizeof(solve_params),
    .factors = "b m n -> b i j, b k l, b p",
    .doc = "the inverses of matrices, with their LU factors and the permutations of rows",
    .type = solve_type,
    .jvp = solve_jvp,
    .spread = knp_spread_matrices,
    .batch = knp_batch_all_in_front,
    .run = solve_run,
    .workspace = solve_workspace,
    .may_fail = solve_may_fail,
    .prune = solve_prune,
    .cost = solve_cost,
};

const kni_prim knp_prim_solve = {
    .name = "solve",
    .n_in = 2,
    .n_out = -1,
    .bits = KN_CAN_FAIL | KN_THREADS,
    .fields = kni_fields_solve,
    .params_size = sizeof(solve_params),
    .factors = "b m n, b i c -> b j c, b k l, b p",
    .doc = "solutions of systems with small real matrices, with LU factors and permutations of rows",
    .type = solve_type,
    .jvp = solve_jvp,
    .spread = knp_spread_matrices,
    .batch = solve_batch,
    .run = solve_run,
    .workspace = solve_workspace,
    .may_fail = solve_may_fail,
    .prune = solve_prune,
    .cost = solve_cost,
};

const kni_prim knp_prim_det = {
    .name = "det",
    .n_in = 1,
    .n_out = 1,
    .bits = KN_THREADS,
    .factors = "b m n -> b",
    .doc = "determinants of small real matrices by their LU factors",
    .type = det_type,
    .jvp = knp_jvp_refused,
    .spread = knp_spread_matrices,
    .batch = knp_batch_all_in_front,
    .run = det_run,
    .workspace = det_workspace,
    .cost = det_cost,
};
