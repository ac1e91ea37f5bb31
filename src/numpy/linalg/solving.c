/* SPDX-License-Identifier: Apache-2.0
 * solving.c -- np.linalg: compositions of cholesky, lu and triangular_solve, in the dtype of the arguments. */
#include "numpy/linalg/matrices.h"
#include "array/formula.h"
#include "prim/linalg/matrices.h"
#include <string.h>

/* --- factorisations --------------------------------------------------------------------------- */

kn_array kn_linalg_cholesky(kn_array a, const kn_linalg_cholesky_opts *opts)
{
    KNX_OPTS(kn_linalg_cholesky_opts, o, opts);
    knn_matrices m;
    if (!knn_matrices_begin(&m, "cholesky", KNN_SQUARE, 1, &a))
        return kna_end(&m.op, KN_ATOM_NONE);
    kni_builder *b = m.op.b;
    kni_atom l = knb_cholesky(b, o.upper ? knn_adjoint(b, m.x[0]) : m.x[0], KN_CHECK_CHOLESKY);
    return knn_matrices_end(&m, o.upper ? knn_adjoint(b, l) : l);
}

/* --- equations -------------------------------------------------------------------------------- */

typedef kni_p_triangular_solve triangular;

/* What is known of the matrix, as scipy.linalg.solve names it. */
typedef enum { GENERAL, SYMMETRIC, HERMITIAN, POSITIVE, DIAGONAL, TRIDIAGONAL, UPPER, LOWER } structure;

static structure read_structure(kna_op *op, const char *name)
{
    static const struct {
        const char *name;
        structure is;
    } table[] = {{"gen", GENERAL},
                 {"general", GENERAL},
                 {"sym", SYMMETRIC},
                 {"symmetric", SYMMETRIC},
                 {"her", HERMITIAN},
                 {"hermitian", HERMITIAN},
                 {"pos", POSITIVE},
                 {"positive definite", POSITIVE},
                 {"diagonal", DIAGONAL},
                 {"tridiagonal", TRIDIAGONAL},
                 {"upper triangular", UPPER},
                 {"lower triangular", LOWER}};
    for (size_t i = 0; name && i < sizeof table / sizeof *table; i++)
        if (!strcmp(name, table[i].name))
            return table[i].is;
    if (name)
        kna_fail(op, KN_ERROR_VALUE, "%s is not a recognized matrix structure", name);
    return GENERAL;
}

static kni_atom lu_solution(kni_builder *b, kni_atom a, kni_atom y, kni_factor_check check)
{
    kni_atom out[3];
    knb_lu(b, a, check, out);
    return knn_solve_lu(b, out[0], knb_permute_rows(b, y, out[2]));
}

/* A dX = dB - dA X, with the factors that there are: those of a derivative of the factors cost more. */
static kni_atom solution_value(kni_builder *b, const kni_atom *x) { return lu_solution(b, x[0], x[1], KN_CHECK_SOLVE); }
static kni_atom solution_tangent(kni_builder *b, const kni_atom *x, kni_atom y, const kni_atom *t)
{
    return lu_solution(b, x[0], knb_sub(b, t[1], knb_matrix_product(b, t[0], y)), KN_CHECK_SOLVE);
}
static const kna_formula solution = {"solve", "solve_jvp", 2, solution_value, solution_tangent};

/* Of matrices whose number of rows is not known; the others have a row. */
static kni_atom inverse_value(kni_builder *b, const kni_atom *x)
{
    kni_atom out[3];
    knb_lu(b, x[0], KN_CHECK_INV, out);
    return knn_solve_lu(b, out[0], knl_permuted_identity(b, knb_type(b, x[0]), out[2]));
}
static kni_atom inverse_tangent(kni_builder *b, const kni_atom *x, kni_atom y, const kni_atom *t)
{
    return lu_solution(b, x[0], knb_neg(b, knb_matrix_product(b, t[0], y)), KN_CHECK_INV);
}
static const kna_formula inverse = {"inv", "inv_jvp", 1, inverse_value, inverse_tangent};

static kni_atom by_lu(knn_matrices *m, const knn_right_side *r, kni_atom a)
{
    kni_builder *b = m->op.b;
    kni_type t = knb_type(b, a), side = knb_type(b, r->y);
    bool own = !kna_failed(&m->op) && t.ndim == side.ndim;
    kni_atom out[3];
    for (int i = 0; own && i < t.ndim - 2; i++)
        own = knx_dim_eq(t.dim[i], side.dim[i]);
    if (own && knp_is_small(t, side.dim[side.ndim - 1])) {
        knb_solve(b, (kni_atom[]){a, r->y}, &(kni_p_solve){.factors = true, .check = KN_CHECK_SOLVE}, out);
        return out[0];
    }
    if (own) /* a matrix for each right-hand side */
        return kna_formula_of(b, &solution, (kni_atom[]){a, r->y});
    knb_lu(b, a, KN_CHECK_SOLVE, out);
    kni_atom y = knb_permute_rows(b, r->y, knn_stacked(m, r, out[2], 1));
    return knn_solve_lu(b, knn_stacked(m, r, out[0], 2), y);
}

static kni_atom by_cholesky(knn_matrices *m, const knn_right_side *r, kni_atom lower)
{
    kni_builder *b = m->op.b;
    kni_atom l = knn_stacked(m, r, knb_cholesky(b, lower, KN_CHECK_CHOLESKY), 2);
    triangular p = {.left_side = true, .lower = true};
    kni_atom y = knb_triangular_solve(b, l, r->y, &p);
    p.transpose_a = true;
    p.conjugate_a = knx_is_complex(m->dtype);
    return knb_triangular_solve(b, l, y, &p);
}

/* Element i is a[i][i + k], 0 where there is none. */
static kni_atom diagonal(kni_builder *b, kni_atom a, int64_t k)
{
    int64_t last = knb_type(b, a).ndim - 1;
    if (b->error)
        return KN_ATOM_NONE;
    a = knb_moved(b, a, (int)last, -k);
    return knb_reduce_sum(b, knb_on_diagonal(b, a, a, knb_like(b, a, 0)), 1, &last);
}

static kni_atom by_diagonals(knn_matrices *m, const knn_right_side *r, kni_atom a, bool three)
{
    kni_builder *b = m->op.b;
    kni_atom x[4];
    for (int i = 0; i < 3; i++)
        x[i] = three || i == 1 ? knn_stacked(m, r, diagonal(b, a, i - 1), 1) : KN_ATOM_NONE;
    x[3] = r->y;
    if (kna_failed(&m->op))
        return KN_ATOM_NONE;
    if (three)
        return knb_tridiagonal_solve(b, x);
    kni_type t = knb_type(b, r->y);
    return knb_div(b, r->y, knb_broadcast_to(b, knb_expand_dims(b, x[1], t.ndim - 1), t));
}

/* The matrix whose lower triangle is given: symmetric, or (as its adjoint's upper one is) Hermitian. */
static kni_atom completed(kni_builder *b, kni_atom x, bool adjoint)
{
    kni_atom below = knb_triangle(b, x, true, -1), all = knb_triangle(b, x, true, 0);
    return knb_add(b, all, adjoint ? knn_adjoint(b, below) : knb_swap_last(b, below));
}

static kni_atom solve(knn_matrices *m, const kn_linalg_solve_opts *o)
{
    kni_builder *b = m->op.b;
    knn_right_side r;
    structure is = read_structure(&m->op, o->assume_a);
    if (kna_failed(&m->op) || !knn_right_side_begin(m, m->x[1], m->rows, &r))
        return KN_ATOM_NONE;
    bool lower = o->lower != o->transposed;
    kni_atom a = o->transposed ? knb_swap_last(b, m->x[0]) : m->x[0], y;
    if (is == SYMMETRIC)
        a = completed(b, lower ? a : knb_swap_last(b, a), false);
    else if (is == HERMITIAN || is == POSITIVE)
        a = lower ? a : knn_adjoint(b, a);
    if (is == UPPER || is == LOWER) {
        const triangular p = {.left_side = true, .lower = (is == LOWER) != o->transposed};
        y = knb_triangular_solve(b, knn_stacked(m, &r, a, 2), r.y, &p);
    } else if (is == POSITIVE)
        y = by_cholesky(m, &r, a);
    else if (is == DIAGONAL || is == TRIDIAGONAL)
        y = by_diagonals(m, &r, a, is == TRIDIAGONAL);
    else
        y = by_lu(m, &r, is == HERMITIAN ? completed(b, a, true) : a);
    return knn_right_side_end(m, &r, y);
}

kn_array kn_linalg_solve(kn_array a, kn_array b, const kn_linalg_solve_opts *opts)
{
    KNX_OPTS(kn_linalg_solve_opts, o, opts);
    knn_matrices m;
    if (!knn_matrices_begin(&m, "solve", KNN_SQUARE, 2, (kn_array[]){a, b}))
        return kna_end(&m.op, KN_ATOM_NONE);
    return knn_matrices_end(&m, solve(&m, &o));
}

kn_array kn_linalg_inv(kn_array a)
{
    knn_matrices m;
    kni_atom out[3];
    if (!knn_matrices_begin(&m, "inv", KNN_SQUARE, 1, &a))
        return kna_end(&m.op, KN_ATOM_NONE);
    kni_type t = knb_type(m.op.b, m.x[0]);
    if (!kna_failed(&m.op) && !knx_is_symbolic(t.dim[t.ndim - 1])) {
        knb_inv(m.op.b, m.x[0], &(kni_p_solve){.factors = true, .check = KN_CHECK_INV}, out);
        return knn_matrices_end(&m, out[0]);
    }
    return knn_matrices_end(&m, kna_formula_of(m.op.b, &inverse, m.x));
}

/* --- determinants ----------------------------------------------------------------------------- */

kn_array kn_linalg_det(kn_array a)
{
    knn_matrices m;
    if (!knn_matrices_begin(&m, "det", KNN_SQUARE, 1, &a))
        return kna_end(&m.op, KN_ATOM_NONE);
    return knn_matrices_end(&m, knl_determinant(m.op.b, m.x[0]));
}

kn_linalg_slogdet_result kn_linalg_slogdet(kn_array a)
{
    knn_matrices m;
    kni_atom y[2] = {KN_ATOM_NONE, KN_ATOM_NONE};
    kn_array out[2];
    if (knn_matrices_begin(&m, "slogdet", KNN_SQUARE, 1, &a)) {
        knl_log_determinant(m.op.b, m.x[0], &y[0], &y[1]);
    }
    kna_end_n(&m.op, 2, y, out);
    return (kn_linalg_slogdet_result){out[0], out[1]};
}
