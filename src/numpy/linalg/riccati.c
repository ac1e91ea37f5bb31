/* SPDX-License-Identifier: Apache-2.0
 * riccati.c -- scipy.linalg: algebraic Riccati equations, by doubling that keeps their structure (Chu, Fan and Lin). */
#include "numpy/linalg/matrices.h"
#include "array/formula.h"
#include <math.h>

enum {
    DOUBLINGS = 24 /* eigenvalues as near the boundary as 1e-6 */,
    STEPS = 2 /* of Newton's iteration, behind them */
};

static kni_atom product3(kni_builder *b, kni_atom x, kni_atom y, kni_atom z)
{
    kni_atom p = knb_matrix_product(b, x, y);
    return knb_matrix_product(b, p, z);
}
static kni_atom plus_identity(kni_builder *b, kni_atom x, double c)
{
    return knb_on_diagonal(b, x, knb_add(b, x, knb_like(b, x, c)), x);
}
/* a^-1 x, x a^-1 */
static kni_atom left_over(kni_builder *b, kni_atom a, kni_atom x)
{
    kni_atom lu[3];
    knb_lu(b, a, KN_CHECK_NONE, lu);
    return knn_solve_lu(b, lu[0], knb_permute_rows(b, x, lu[2]));
}
static kni_atom right_over(kni_builder *b, kni_atom x, kni_atom a)
{
    return knn_adjoint(b, left_over(b, knn_adjoint(b, a), knn_adjoint(b, x)));
}
static kni_atom hermitian(kni_builder *b, kni_atom x)
{
    kni_atom sum = knb_add(b, x, knn_adjoint(b, x));
    return knb_mul(b, sum, knb_like(b, x, 0.5));
}

/* x = a^H x (1 + g x)^-1 a + h: the limit of h, where a, g, h become a w a, g + a w g a^H, h + a^H h w a with
 * w = (1 + g h)^-1. Its differences to the limit are squared each time. */
static kni_atom doubled(kni_builder *b, kni_atom a, kni_atom g, kni_atom h)
{
    for (int i = 0; i < DOUBLINGS && !b->error; i++) {
        kni_atom w = plus_identity(b, knb_matrix_product(b, g, h), 1), adjoint = knn_adjoint(b, a);
        kni_atom wa = left_over(b, w, a), wg = left_over(b, w, g);
        g = hermitian(b, knb_add(b, g, product3(b, a, wg, adjoint)));
        h = hermitian(b, knb_add(b, h, product3(b, adjoint, h, wa)));
        a = knb_matrix_product(b, a, wa);
    }
    return h;
}

/* ---- The continuous equation: a^H x + x a - x g x + q = 0. */

/* The discrete one of the Cayley transform with c (one for each matrix, as large as it). */
static kni_atom continuous_start(kni_builder *b, kni_atom a, kni_atom g, kni_atom q, kni_atom c)
{
    kni_atom shifted = knb_on_diagonal(b, a, knb_sub(b, a, c), a), twice = knb_add(b, c, c);
    kni_atom inner = left_over(b, shifted, g); /* (a - c)^-1 g */
    kni_atom w = knb_add(b, knn_adjoint(b, shifted), knb_matrix_product(b, q, inner));
    kni_atom g0 = hermitian(b, knb_mul(b, twice, right_over(b, inner, w)));
    kni_atom h0 = hermitian(b, knb_mul(b, twice, left_over(b, w, right_over(b, q, shifted))));
    kni_atom v = knn_adjoint(b, w),
             a0 = knb_mul(b, twice, left_over(b, v, plus_identity(b, knb_zeros(b, knb_type(b, a)), 1)));
    return doubled(b, plus_identity(b, a0, 1), g0, h0);
}

/* One step of Newton's iteration: (a - g x)^H y + y (a - g x) = -q - x g x. At the solution it does not depend on x, so
 * its derivatives, with x held, are those of the solution. */
static kni_atom continuous_step(kni_builder *b, kni_atom x, const kni_atom *of)
{
    kni_atom gx = knb_matrix_product(b, of[1], x), closed = knb_sub(b, of[0], gx);
    kni_atom right = knb_neg(b, knb_add(b, of[2], knb_matrix_product(b, x, gx)));
    return hermitian(b, knb_sylvester(b, knn_adjoint(b, closed), closed, right));
}

/* The derivative of x: (a - g x)^H dx + dx (a - g x) = -(da^H x + x da - x dg x + dq). The operands are a, g, q and x,
 * whose own tangent does not count. */
static kni_atom value(kni_builder *b, const kni_atom *x) { return knb_copy(b, x[3]); }
static kni_atom continuous_tangent(kni_builder *b, const kni_atom *x, kni_atom y, const kni_atom *t)
{
    kni_atom closed = knb_sub(b, x[0], knb_matrix_product(b, x[1], y)), xa = knb_matrix_product(b, y, t[0]);
    kni_atom change = knb_add(b, knb_add(b, xa, knn_adjoint(b, xa)), t[2]);
    change = knb_sub(b, change, product3(b, y, t[1], y));
    return knb_sylvester(b, knn_adjoint(b, closed), closed, knb_neg(b, change));
}
static const kna_formula continuous_formula = {"continuous_are", "continuous_are_jvp", 4, value, continuous_tangent};

/* ---- The discrete equation: x = a^H x (1 + g x)^-1 a + q. */

/* y - c^H y c = q + c^H x g x c with c = (1 + g x)^-1 a: Stein's equation, by a Cayley transform. */
static kni_atom stein(kni_builder *b, kni_atom c, kni_atom right)
{
    kni_atom h = knn_adjoint(b, c), more = plus_identity(b, h, 1), less = plus_identity(b, h, -1);
    kni_atom p = left_over(b, more, less), half = left_over(b, more, right);
    kni_atom r = knn_adjoint(b, left_over(b, more, knn_adjoint(b, half)));
    return knb_sylvester(b, p, knn_adjoint(b, p), knb_mul(b, r, knb_like(b, r, -2)));
}
static kni_atom closed_of(kni_builder *b, kni_atom a, kni_atom g, kni_atom x)
{
    return left_over(b, plus_identity(b, knb_matrix_product(b, g, x), 1), a);
}
static kni_atom discrete_tangent(kni_builder *b, const kni_atom *x, kni_atom y, const kni_atom *t)
{
    kni_atom c = closed_of(b, x[0], x[1], y), h = knn_adjoint(b, c), xc = knb_matrix_product(b, y, c);
    kni_atom xa = product3(b, h, y, t[0]), change = knb_add(b, knb_add(b, xa, knn_adjoint(b, xa)), t[2]);
    change = knb_sub(b, change, product3(b, knn_adjoint(b, xc), t[1], xc));
    return stein(b, c, change);
}
static const kna_formula discrete_formula = {"discrete_are", "discrete_are_jvp", 4, value, discrete_tangent};

/* ---- The public functions. */

static bool is_of(kni_type t, int64_t m, int64_t n)
{
    return t.ndim == 2 && knx_dim_eq(t.dim[0], m) && knx_dim_eq(t.dim[1], n);
}

/* a, b r^-1 b^H and q, with s taken out: a - b r^-1 s^H, q - s r^-1 s^H. False after an error. */
static bool read_equation(knn_matrices *m, const char *name, const kn_array x[4], kn_array s, kni_atom of[3])
{
    kn_array all[5] = {x[0], x[1], x[2], x[3], s};
    int n = s ? 5 : 4;
    if (!knn_matrices_begin(m, name, KNN_SQUARE, 1, x))
        return false;
    kni_builder *b = m->op.b;
    kni_atom v[5];
    for (int i = 0; i < n; i++) {
        kni_type t = kna_type(&m->op, all[i]);
        if (kna_failed(&m->op))
            return false;
        if (!knx_is_inexact(t.dtype) || t.dtype->size < 4)
            m->dtype = knx_promote(m->dtype, knl_inexact_for(t.weak ? kna_strong_dtype(t) : t.dtype));
        else
            m->dtype = knx_promote(m->dtype, t.dtype);
    }
    for (int i = 0; i < n; i++)
        v[i] = kna_in_as(&m->op, all[i], m->dtype);
    kni_type t = knb_type(b, v[1]);
    if (kna_failed(&m->op))
        return false;
    int64_t rows = m->rows, inputs = t.ndim == 2 ? t.dim[1] : 0;
    if (!is_of(knb_type(b, v[0]), rows, rows))
        kna_fail(&m->op, KN_ERROR_VALUE, "Matrix a should be square, a single one.");
    else if (!is_of(t, rows, inputs))
        kna_fail(&m->op, KN_ERROR_VALUE, "Matrix a and b should have the same number of rows.");
    else if (!is_of(knb_type(b, v[2]), rows, rows))
        kna_fail(&m->op, KN_ERROR_VALUE, "Matrix a and q should have the same shape.");
    else if (!is_of(knb_type(b, v[3]), inputs, inputs))
        kna_fail(&m->op, KN_ERROR_VALUE, "Matrix b and r should have the same number of columns.");
    else if (s && !is_of(knb_type(b, v[4]), rows, inputs))
        kna_fail(&m->op, KN_ERROR_VALUE, "Matrix b and s should have the same shape.");
    if (kna_failed(&m->op))
        return false;
    kni_atom rb = left_over(b, v[3], knn_adjoint(b, v[1]));
    of[0] = v[0];
    of[1] = hermitian(b, knb_matrix_product(b, v[1], rb));
    of[2] = hermitian(b, v[2]);
    if (s) {
        kni_atom rs = left_over(b, v[3], knn_adjoint(b, v[4]));
        of[0] = knb_sub(b, of[0], knb_matrix_product(b, v[1], rs));
        of[2] = hermitian(b, knb_sub(b, of[2], knb_matrix_product(b, v[4], rs)));
    }
    return true;
}

static kni_atom norm(kni_builder *b, kni_atom a)
{
    kni_type t = knb_type(b, a);
    if (b->error)
        return KN_ATOM_NONE;
    kni_atom squares = knx_is_complex(t.dtype) ? knb_real(b, knb_mul(b, a, knb_conj(b, a))) : knb_mul(b, a, a);
    return knb_sqrt(b, knb_reduce_sum(b, squares, 2, (const int64_t[]){0, 1}));
}

/* Where the half plane is mapped to the disc, as large as the matrices: beyond all eigenvalues of a, and near those of
 * the solution. */
static kni_atom scale_of(kni_builder *b, const kni_atom *of)
{
    kni_type t = knb_type(b, of[0]);
    kni_atom g = knb_sqrt(b, norm(b, of[1])), q = knb_sqrt(b, norm(b, of[2]));
    kni_atom size = knb_add(b, norm(b, of[0]), knb_mul(b, g, q));
    size = knb_mul(b, size, knb_like(b, size, 1.5));
    if (b->error)
        return KN_ATOM_NONE;
    kni_atom none = knb_eq(b, size, knb_like(b, size, 0));
    size = knb_select(b, none, knb_full(b, knb_type(b, size), 1), size);
    return knb_broadcast_to(b, knb_convert(b, size, t.dtype), t);
}

typedef enum { CONTINUOUS, DISCRETE } equation;

static kn_array solve(const char *name, const kn_array x[4], kn_array s, equation which)
{
    knn_matrices m;
    kni_atom of[4], held[3], y = KN_ATOM_NONE;
    if (read_equation(&m, name, x, s, of)) {
        kni_builder *b = m.op.b;
        for (int i = 0; i < 3; i++)
            held[i] = knb_stop_gradient(b, of[i]);
        if (which == CONTINUOUS) {
            of[3] = continuous_start(b, held[0], held[1], held[2], scale_of(b, held));
            for (int i = 0; i < STEPS; i++)
                of[3] = continuous_step(b, of[3], held);
        } else
            of[3] = doubled(b, held[0], held[1], held[2]);
        y = kna_formula_of(b, which == CONTINUOUS ? &continuous_formula : &discrete_formula, of);
    }
    return knn_matrices_end(&m, y);
}

kn_array kn_linalg_solve_continuous_are(kn_array a, kn_array b, kn_array q, kn_array r, const kn_linalg_are_opts *opts)
{
    KNX_OPTS(kn_linalg_are_opts, o, opts);
    return solve("solve_continuous_are", (const kn_array[]){a, b, q, r}, o.s, CONTINUOUS);
}

kn_array kn_linalg_solve_discrete_are(kn_array a, kn_array b, kn_array q, kn_array r, const kn_linalg_are_opts *opts)
{
    KNX_OPTS(kn_linalg_are_opts, o, opts);
    return solve("solve_discrete_are", (const kn_array[]){a, b, q, r}, o.s, DISCRETE);
}
