/* SPDX-License-Identifier: Apache-2.0
 * functions.c -- scipy.linalg: functions of matrices (expm, logm, sqrtm), the equations of Sylvester and
 * Lyapunov, spaces. */
#include "numpy/linalg/matrices.h"
#include "array/formula.h"
#include "lib/compose.h"
#include <math.h>
#include <string.h>

static kn_dtype complex_of(kn_dtype d) { return knx_is_complex(d) ? d : d->size == 4 ? KN_DT(C64) : KN_DT(C128); }

/* x + c on the diagonal */
static kni_atom add_identity(kni_builder *b, kni_atom x, double c)
{
    return knb_on_diagonal(b, x, knb_add(b, x, knb_like(b, x, c)), x);
}

/* y with a y = x */
static kni_atom solve(kni_builder *b, kni_atom a, kni_atom x)
{
    kni_atom lu[3];
    knb_lu(b, a, KN_CHECK_NONE, lu);
    return knn_solve_lu(b, lu[0], knb_permute_rows(b, x, lu[2]));
}

/* The largest sum of absolute values of a column, for each matrix. */
static kni_atom norm(kni_builder *b, kni_atom x)
{
    int64_t row = knb_type(b, x).ndim - 2;
    if (b->error)
        return KN_ATOM_NONE;
    kni_atom sums = knb_reduce_sum(b, knb_abs(b, x), 1, &row);
    return knb_reduce_max(b, sums, 1, &row);
}

/* A number for each matrix, as large as the matrices. */
static kni_atom for_all(kni_builder *b, kni_atom v, kni_type like)
{
    int64_t axes[KN_MAX_NDIM];
    if (b->error)
        return KN_ATOM_NONE;
    for (int i = 0; i < like.ndim - 2; i++)
        axes[i] = i;
    return like.ndim == 2 ? v : knb_broadcast_in_dim(b, v, like.ndim, like.dim, axes);
}

static kni_atom choose(kni_builder *b, kni_atom which, kni_atom yes, kni_atom no)
{
    return knb_select(b, for_all(b, which, knb_type(b, yes)), yes, no);
}

/* ---- The exponential: Pade's approximant of degree 13 of a / 2^s, squared s times (Higham). */

enum { SQUARINGS = 16 };

static kni_atom pade(kni_builder *b, kni_atom a)
{
    static const double c[] = {64764752532480000,
                               32382376266240000,
                               7771770303897600,
                               1187353796428800,
                               129060195264000,
                               10559470521600,
                               670442572800,
                               33522128640,
                               1323241920,
                               40840800,
                               960960,
                               16380,
                               182,
                               1};
    kni_atom a2 = knb_matrix_product(b, a, a), a4 = knb_matrix_product(b, a2, a2), a6 = knb_matrix_product(b, a4, a2);
    kni_atom power[] = {a2, a4, a6}, sum[2];
    for (int odd = 0; odd < 2; odd++) { /* (a6 (c12 a6 + c10 a4 + c8 a2) + c6 a6 + c4 a4 + c2 a2 + c0), and a times */
        kni_atom high = KN_ATOM_NONE, low = KN_ATOM_NONE;
        for (int i = 0; i < 3; i++) {
            kni_atom h = knb_mul(b, power[i], knb_like(b, a, c[8 + 2 * i + odd]));
            kni_atom l = knb_mul(b, power[i], knb_like(b, a, c[2 + 2 * i + odd]));
            high = i ? knb_add(b, high, h) : h;
            low = i ? knb_add(b, low, l) : l;
        }
        sum[odd] = add_identity(b, knb_add(b, knb_matrix_product(b, a6, high), low), c[odd]);
    }
    kni_atom u = knb_matrix_product(b, a, sum[1]);
    return solve(b, knb_sub(b, sum[0], u), knb_add(b, sum[0], u));
}

static kni_atom exponential(knn_matrices *m, kni_atom a)
{
    kni_builder *b = m->op.b;
    kni_type t = knb_type(b, a);
    if (kna_failed(&m->op) || knx_dim_eq(kni_type_size(t), 0))
        return knb_copy(b, a);
    kn_dtype real = knx_component(m->dtype);
    kni_atom size = norm(b, knb_stop_gradient(b, a));
    kni_atom s = knb_ceil(b, knb_log2(b, knb_div(b, size, knb_number(b, real, 5.371920351148152))));
    s = knb_max(b, s, knb_full(b, knb_type(b, s), 0));
    kni_atom beyond = knb_gt(b, s, knb_full(b, knb_type(b, s), SQUARINGS));
    kni_atom scale = knb_exp2(b, knb_neg(b, s));
    kni_atom y = pade(b, knb_mul(b, a, knb_convert(b, for_all(b, scale, t), m->dtype)));
    for (int i = 0; i < SQUARINGS; i++)
        y = choose(b, knb_gt(b, s, knb_full(b, knb_type(b, s), i)), knb_matrix_product(b, y, y), y);
    return choose(b, beyond, knb_full(b, t, NAN), y);
}

kn_array kn_linalg_expm(kn_array a)
{
    knn_matrices m;
    kni_atom y = KN_ATOM_NONE;
    if (knn_matrices_begin(&m, "expm", KNN_SQUARE, 1, &a))
        y = exponential(&m, m.x[0]);
    return knn_matrices_end(&m, y);
}

/* exp([a e; 0 a]) = [exp(a) d; 0 exp(a)] with the derivative d along e */
kn_linalg_expm_frechet_result kn_linalg_expm_frechet(kn_array a, kn_array e)
{
    knn_matrices m;
    kni_atom y[2] = {KN_ATOM_NONE, KN_ATOM_NONE};
    kn_array result[2];
    if (knn_matrices_begin(&m, "expm_frechet", KNN_SQUARE, 2, (kn_array[]){a, e})) {
        kni_builder *b = m.op.b;
        kni_type t = knb_type(b, m.x[0]), u = knb_type(b, m.x[1]);
        bool fits = t.ndim == u.ndim;
        for (int i = 0; fits && i < t.ndim; i++)
            fits = knx_dim_eq(t.dim[i], u.dim[i]);
        if (!fits)
            kna_fail(&m.op, KN_ERROR_VALUE, "expected A and E to be the same shape");
        else {
            kni_atom top = knb_concatenate(b, 2, (kni_atom[]){m.x[0], m.x[1]}, t.ndim - 1);
            kni_atom bottom = knb_concatenate(b, 2, (kni_atom[]){knb_zeros(b, t), m.x[0]}, t.ndim - 1);
            kni_atom all = exponential(&m, knb_concatenate(b, 2, (kni_atom[]){top, bottom}, t.ndim - 2));
            kni_atom first = knn_cut(b, all, false, 0, m.rows);
            y[0] = knn_cut(b, first, true, 0, m.rows);
            y[1] = knn_cut(b, first, true, m.rows, knx_dim_mul(m.rows, 2));
        }
    }
    kna_end_n(&m.op, 2, y, result);
    return (kn_linalg_expm_frechet_result){result[0], result[1]};
}

/* ---- Roots and logarithms. */

kn_array kn_linalg_sqrtm(kn_array a)
{
    knn_matrices m;
    kni_atom y = KN_ATOM_NONE;
    if (knn_matrices_begin(&m, "sqrtm", KNN_SQUARE, 1, &a))
        y = knb_sqrtm(m.op.b, knb_convert(m.op.b, m.x[0], complex_of(m.dtype)));
    return knn_matrices_end(&m, y);
}

/* log(a) = 2^k log(1 + x) with 1 + x = a^(1/2^k) near 1, and log(1 + x) as Gauss's rule of 8 points for the integral of
 * x / (1 + s x) over s from 0 to 1. */
enum { ROOTS = 20 };

static kni_atom log_near_one(kni_builder *b, kni_atom x)
{
    static const double node[] = {0.1834346424956498, 0.525532409916329, 0.7966664774136267, 0.9602898564975363},
                        weight[] = {0.362683783378362, 0.31370664587788727, 0.22238103445337448, 0.10122853629037626};
    kni_atom y = KN_ATOM_NONE;
    for (int i = 0; i < 8; i++) {
        double s = (i % 2 ? 1 - node[i / 2] : 1 + node[i / 2]) / 2;
        kni_atom below = add_identity(b, knb_mul(b, x, knb_like(b, x, s)), 1);
        kni_atom part = knb_mul(b, solve(b, below, x), knb_like(b, x, weight[i / 2] / 2));
        y = i ? knb_add(b, y, part) : part;
    }
    return y;
}

kn_array kn_linalg_logm(kn_array a)
{
    knn_matrices m;
    kni_atom y = KN_ATOM_NONE;
    if (knn_matrices_begin(&m, "logm", KNN_SQUARE, 1, &a)) {
        kni_builder *b = m.op.b;
        kn_dtype d = complex_of(m.dtype);
        kni_atom x = knb_convert(b, m.x[0], d);
        kni_type t = knb_type(b, x);
        if (kna_failed(&m.op) || knx_dim_eq(kni_type_size(t), 0))
            return knn_matrices_end(&m, knb_copy(b, x));
        kni_atom factor = KN_ATOM_NONE;
        for (int i = 0; i < ROOTS; i++) {
            kni_atom size = norm(b, add_identity(b, knb_stop_gradient(b, x), -1));
            kni_atom far = knb_gt(b, size, knb_full(b, knb_type(b, size), 0.25));
            kni_atom one = knb_full(b, knb_type(b, size), 1), two = knb_full(b, knb_type(b, size), 2);
            kni_atom times = knb_select(b, far, two, one);
            factor = i ? knb_mul(b, factor, times) : times;
            x = choose(b, far, knb_sqrtm(b, x), x);
        }
        kni_atom scale = knb_convert(b, for_all(b, factor, t), d);
        y = knb_mul(b, log_near_one(b, add_identity(b, x, -1)), scale);
    }
    return knn_matrices_end(&m, y);
}

/* ---- Sylvester's equation. */

kn_array kn_linalg_solve_sylvester(kn_array a, kn_array b, kn_array q)
{
    knn_matrices m;
    kni_atom y = KN_ATOM_NONE;
    if (knn_matrices_begin(&m, "solve_sylvester", KNN_SQUARE, 3, (kn_array[]){a, b, q}))
        y = knb_sylvester(m.op.b, m.x[0], m.x[1], m.x[2]);
    return knn_matrices_end(&m, y);
}

/* a x + x a^H = q */
kn_array kn_linalg_solve_continuous_lyapunov(kn_array a, kn_array q)
{
    knn_matrices m;
    kni_atom y = KN_ATOM_NONE;
    if (knn_matrices_begin(&m, "solve_continuous_lyapunov", KNN_SQUARE, 2, (kn_array[]){a, q}))
        y = knb_sylvester(m.op.b, m.x[0], knn_adjoint(m.op.b, m.x[0]), m.x[1]);
    return knn_matrices_end(&m, y);
}

/* a x a^H - x + q = 0 is c x + x c^H = -2 (a + 1)^-1 q (a + 1)^-H with c = (a + 1)^-1 (a - 1). */
kn_array kn_linalg_solve_discrete_lyapunov(kn_array a, kn_array q)
{
    knn_matrices m;
    kni_atom y = KN_ATOM_NONE;
    if (knn_matrices_begin(&m, "solve_discrete_lyapunov", KNN_SQUARE, 2, (kn_array[]){a, q})) {
        kni_builder *b = m.op.b;
        kni_type t = knb_type(b, m.x[0]), u = knb_type(b, m.x[1]);
        bool fits = t.ndim == u.ndim;
        for (int i = 0; fits && i < t.ndim; i++)
            fits = knx_dim_eq(t.dim[i], u.dim[i]);
        if (!fits)
            kna_fail(&m.op, KN_ERROR_VALUE, "Matrix a and q should have the same shape.");
        else {
            kni_atom more = add_identity(b, m.x[0], 1), less = add_identity(b, m.x[0], -1);
            kni_atom c = solve(b, more, less), half = solve(b, more, m.x[1]);
            kni_atom right = knn_adjoint(b, solve(b, more, knn_adjoint(b, half)));
            y = knb_sylvester(b, c, knn_adjoint(b, c), knb_mul(b, right, knb_like(b, right, -2)));
        }
    }
    return knn_matrices_end(&m, y);
}

/* ---- Spaces: as many columns as there are singular values of some size, so these are looked at. */

static kn_array space(const char *name, kn_array a, double rcond, bool kernel)
{
    knl_body c;
    knl_begin(&c, name);
    kni_type t = kna_type(&c.op, a);
    if (!kna_failed(&c.op) && t.ndim != 2)
        kna_fail(&c.op, KN_ERROR_VALUE, "expected 2D array, but the array has shape of %d dimensions", t.ndim);
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    kn_linalg_svd_result s =
        kn_linalg_svd(a, KNL_WITH(kn_linalg_svd_opts, .full_matrices = kernel, .compute_uv = true));
    int64_t m = t.dim[0], n = t.dim[1], rank = 0;
    kni_type values = kna_type(&c.op, s.s);
    if (!kna_failed(&c.op) && !knx_dim_eq(knx_dim_min(m, n), 0)) {
        double epsilon = knx_component(values.dtype)->size == 8 ? 0x1p-52 : 0x1p-23;
        double relative = isnan(rcond) ? epsilon * (double)(m > n ? m : n) : rcond;
        kn_array most = kn_max(s.s, NULL), counts = kn_greater(s.s, kn_multiply(most, kn_like_double(relative)));
        rank = knn_count(&c.op, counts);
    }
    kn_array y =
        kernel ? kn_conj(kn_matrix_transpose(knl_part(name, s.vh, 0, rank, n))) : knl_part(name, s.u, 1, 0, rank);
    return knl_end(&c, y);
}

kn_array kn_linalg_null_space(kn_array a, const kn_linalg_null_space_opts *opts)
{
    KNX_OPTS(kn_linalg_null_space_opts, o, opts);
    return space("null_space", a, o.rcond, true);
}

kn_array kn_linalg_orth(kn_array a, const kn_linalg_orth_opts *opts)
{
    KNX_OPTS(kn_linalg_orth_opts, o, opts);
    return space("orth", a, o.rcond, false);
}

/* Orthonormal bases of both, and the singular values of what they have in common: cosines. Of large ones the sine is
 * exact instead, from what one basis has outside of the other (Knyazev and Argentati). */
kn_array kn_linalg_subspace_angles(kn_array a, kn_array b)
{
    knl_body c;
    knl_begin(&c, "subspace_angles");
    kni_type t = kna_type(&c.op, a), u = kna_type(&c.op, b);
    if (!kna_failed(&c.op) && (t.ndim != 2 || u.ndim != 2))
        kna_fail(&c.op, KN_ERROR_VALUE, "expected 2D array, but the array has shape of %d dimensions",
                 t.ndim != 2 ? t.ndim : u.ndim);
    else if (!kna_failed(&c.op) && !knx_dim_eq(t.dim[0], u.dim[0])) {
        knx_text p = {0}, q = {0};
        kna_fail(&c.op, KN_ERROR_VALUE, "A and B must have the same number of rows, got %s and %s",
                 knx_dim_show(&p, t.dim[0]), knx_dim_show(&q, u.dim[0]));
    }
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    const kn_linalg_orth_opts none = kn_linalg_orth_opts_default();
    kn_array p = kn_linalg_orth(a, &none), q = kn_linalg_orth(b, &none);
    t = kna_type(&c.op, p), u = kna_type(&c.op, q);
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    if (t.dim[1] < u.dim[1]) {
        kn_array other = p;
        p = q, q = other;
    }
    kn_array common = kn_matmul(kn_conj(kn_matrix_transpose(p)), q);
    kn_array cosine = kn_flip(kn_linalg_svdvals(common), NULL);
    kn_array sine = kn_linalg_svdvals(kn_subtract(q, kn_matmul(p, common)));
    kn_array one = kn_like_double(1), large = kn_greater_equal(kn_square(cosine), kn_like_double(0.5));
    return knl_end(&c, kn_where(large, kn_arcsin(kn_minimum(sine, one)), kn_arccos(kn_minimum(cosine, one))));
}
