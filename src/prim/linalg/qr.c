/* SPDX-License-Identifier: Apache-2.0
 * qr.c -- qr, geqrf, householder_product, ormqr of the matrices in the last two axes.
 *
 * qr
 *     type       q: m x k, r: k x n with k = min(m, n) or, of full matrices, m; with pivoting int32 positions of
 *                columns
 *     jvp        with W = dA R^-1 and C = Q^H W: S = tril(C, -1) - its adjoint + i im(diag C), dQ = Q (S - C) + W,
 *                dR = (C - S) R; of wide matrices for the first m columns, and dR = dQ^H A + Q^H dA for the others
 * geqrf
 *     type       the matrix (r above, vectors of reflections below its diagonal), and min(m, n) factors
 * householder_product
 *     type       of the packed matrix; n <= m
 * ormqr
 *     type       that of the matrices that are multiplied
 *     jvp        of these matrices: the same of their tangents
 *     transpose  with the conjugate of the adjoint
 *
 * geqrf and householder_product have no derivatives, as in JAX. All are batched over one more axis in front and lowered
 * to routines. */
#include "host/routine/qr.h"
#include "host/routine/small.h"
#include "prim/linalg/matrices.h"

typedef kni_p_qr qr_params;
typedef kni_p_triangular_solve triangular;

/* ---- qr. */

static knx_error *qr_type(kni_rule *r, kni_type *y)
{
    const qr_params *p = r->params;
    KN_TRY(knp_check_matrices(r->xt[0], false));
    knp_extents e = knp_extents_of(r->xt[0]);
    int64_t k = p->full_matrices ? e.m : knx_dim_min(e.m, e.n);
    kn_dtype d = r->xt[0].dtype;
    KN_TRY(knp_type_behind(r, r->xt[0], d, 2, (int64_t[]){e.m, k}, &y[0]));
    KN_TRY(knp_type_behind(r, r->xt[0], d, 2, (int64_t[]){k, e.n}, &y[1]));
    if (p->pivoting)
        KN_TRY(knp_type_behind(r, r->xt[0], KN_DT(I32), 1, &e.n, &y[2]));
    r->n_out = p->pivoting ? 3 : 2;
    return NULL;
}

static knr_qr qr_of(const kni_rule *r)
{
    const qr_params *p = r->params;
    knp_extents e = knp_extents_of(r->xt[0]);
    return (knr_qr){r->xt[0].dtype, e.m, e.n, p->full_matrices || e.m < e.n ? e.m : e.n, r->threads};
}

/* Small ones without pivoting have loops of their own, also if they are alone. */
static bool qr_is_small(const kni_rule *r)
{
    knp_extents e = knp_extents_of(r->xt[0]);
    return !((const qr_params *)r->params)->pivoting && knr_fits_small(r->xt[0].dtype, e.m, e.n);
}

static knr_small small_qr(const kni_rule *r)
{
    knr_qr s = qr_of(r);
    return (knr_small){.dtype = s.dtype, .m = (int)s.m, .n = (int)s.n, .columns = (int)s.q_columns};
}

static bool qr_many(const kni_rule *r, int64_t count, const void *const *x, void *const *y, void *workspace)
{
    knr_small s = small_qr(r);
    return knr_small_run(KNR_SMALL_QR, &s, count, x, y, workspace);
}

static bool qr_one(const kni_rule *r, const void *const *x, void *const *y, void *workspace)
{
    knr_qr s = qr_of(r);
    bool pivoting = ((const qr_params *)r->params)->pivoting;
    knr_qr_run(&s, x[0], &(knr_qr_results){.q = y[0], .r = y[1], .pivot = pivoting ? y[2] : NULL}, workspace);
    return true;
}

static size_t qr_bytes(const kni_rule *r)
{
    knr_qr s = qr_of(r);
    if (!qr_is_small(r))
        return knr_qr_workspace(&s, ((const qr_params *)r->params)->pivoting);
    knr_small small = small_qr(r);
    return knr_small_room(&small);
}

static const knp_matrix_routine qr_routine = {
    .one = qr_one, .workspace = qr_bytes, .many = qr_many, .has_many = qr_is_small, .always_many = true};
static knx_bytes qr_workspace(const kni_rule *r) { return knp_matrix_workspace(r, &qr_routine); }
static knx_error *qr_run(const kni_rule *r, const kni_routine_args *args)
{
    bool well;
    return knp_each_matrix(r, args, &qr_routine, &well);
}

/* The skew part of C: what turns q. */
static kni_atom turning(kni_builder *b, kni_atom c)
{
    kni_type t = knb_type(b, c);
    kni_atom lower = knb_triangle(b, c, true, -1), s = knb_sub(b, lower, knp_adjoint(b, lower));
    if (b->error || !knx_is_complex(t.dtype))
        return s;
    kni_atom imaginary = knb_sub(b, c, knb_convert(b, knb_real(b, c), t.dtype));
    return knb_add(b, s, knb_on_diagonal(b, c, imaginary, knb_like(b, c, 0)));
}

/* Of m x n matrices with m >= n: q is m x n, r is n x n. */
static void thin_jvp(kni_builder *b, kni_atom q, kni_atom r, kni_atom dx, kni_atom *dq, kni_atom *dr)
{
    kni_atom w = knb_triangular_solve(b, r, dx, &(triangular){.lower = false});
    kni_atom c = knb_matrix_product(b, knp_adjoint(b, q), w), s = turning(b, c);
    *dq = knb_add(b, knb_matrix_product(b, q, knb_sub(b, s, c)), w);
    *dr = knb_matrix_product(b, knb_sub(b, c, s), r);
}

/* The columns of x in the order of p. */
static kni_atom permute_columns(kni_builder *b, kni_atom x, kni_atom p)
{
    return knb_swap_last(b, knb_permute_rows(b, knb_swap_last(b, x), p));
}

/* The other columns of a full q, whose first n are q1 = [a; c] (a: n x n) and change by [da; dc]. Reflections have
 * q = [a b; c d] with d - I = z b, z = c (a - I)^-1, so dq2 = dq1 z^H - (q1 + q2 z) (dc - z da)^H. */
static kni_atom other_columns(kni_builder *b, kni_atom q, kni_atom dq, int64_t n, int64_t m)
{
    kni_atom q1 = knp_columns(b, q, 0, n), q2 = knp_columns(b, q, n, m), a = knp_rows(b, q1, 0, n), lu[3];
    kni_atom turned = knb_on_diagonal(b, a, knb_sub(b, a, knb_like(b, a, 1)), a);
    knb_lu(b, knb_swap_last(b, turned), KN_CHECK_NONE, lu);
    kni_atom z = knb_permute_rows(b, knb_swap_last(b, knp_rows(b, q1, n, m)), lu[2]);
    z = knb_triangular_solve(b, lu[0], z, &(triangular){.left_side = true, .lower = true, .unit_diagonal = true});
    z = knb_swap_last(b, knb_triangular_solve(b, lu[0], z, &(triangular){.left_side = true}));
    kni_atom left = knb_add(b, q1, knb_matrix_product(b, q2, z));
    kni_atom right = knb_sub(b, knp_rows(b, dq, n, m), knb_matrix_product(b, z, knp_rows(b, dq, 0, n)));
    kni_atom moved = knb_matrix_product(b, dq, knp_adjoint(b, z));
    return knb_sub(b, moved, knb_matrix_product(b, left, knp_adjoint(b, right)));
}

static void qr_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    const qr_params *p = r->params;
    kni_builder *b = r->b;
    knp_extents e = knp_extents_of(r->xt[0]);
    kni_atom x = p->pivoting ? permute_columns(b, r->x[0], r->y[2]) : r->x[0];
    kni_atom dx = p->pivoting ? permute_columns(b, tx[0], r->y[2]) : tx[0], q = r->y[0], f = r->y[1];
    int last = r->xt[0].ndim - 1;
    if (knx_dim_lt(e.m, e.n)) {
        thin_jvp(b, q, knp_columns(b, f, 0, e.m), knp_columns(b, dx, 0, e.m), &ty[0], &ty[1]);
        kni_atom moved = knb_matrix_product(b, knp_adjoint(b, ty[0]), knp_columns(b, x, e.m, e.n));
        kni_atom own = knb_matrix_product(b, knp_adjoint(b, q), knp_columns(b, dx, e.m, e.n));
        ty[1] = knb_concatenate(b, 2, (kni_atom[]){ty[1], knb_add(b, moved, own)}, last);
    } else if (!p->full_matrices || knx_dim_eq(e.m, e.n))
        thin_jvp(b, q, f, dx, &ty[0], &ty[1]);
    else {
        thin_jvp(b, knp_columns(b, q, 0, e.n), knp_rows(b, f, 0, e.n), dx, &ty[0], &ty[1]);
        kni_atom others = other_columns(b, q, ty[0], e.n, e.m);
        kni_type zeros = knb_type(b, ty[1]);
        int64_t dim[KN_MAX_NDIM];
        if (b->error)
            return;
        for (int i = 0; i < zeros.ndim; i++)
            dim[i] = zeros.dim[i];
        dim[zeros.ndim - 2] = knx_dim_sub(e.m, e.n);
        zeros.dim = dim;
        ty[0] = knb_concatenate(b, 2, (kni_atom[]){ty[0], others}, last);
        ty[1] = knb_concatenate(b, 2, (kni_atom[]){ty[1], knb_zeros(b, zeros)}, last - 1);
    }
}

static double qr_cost(const kni_rule *r)
{
    knp_extents e = knp_extents_of(r->xt[0]);
    return (knx_is_complex(r->xt[0].dtype) ? 8 : 2) * kni_type_count(r->xt[0]) *
           ((double)knx_dim_hint(knx_dim_min(e.m, e.n)) * 2 + 1);
}

/* ---- geqrf. */

static knx_error *geqrf_type(kni_rule *r, kni_type *y)
{
    KN_TRY(knp_check_matrices(r->xt[0], false));
    knp_extents e = knp_extents_of(r->xt[0]);
    int64_t k = knx_dim_min(e.m, e.n);
    KN_TRY(knp_type_like(r->arena, r->xt[0], r->xt[0].dtype, &y[0]));
    return knp_type_behind(r, r->xt[0], r->xt[0].dtype, 1, &k, &y[1]);
}

static bool geqrf_one(const kni_rule *r, const void *const *x, void *const *y, void *workspace)
{
    knp_extents e = knp_extents_of(r->xt[0]);
    knr_qr s = {r->xt[0].dtype, e.m, e.n, 0, r->threads};
    knr_qr_run(&s, x[0], &(knr_qr_results){.packed = y[0], .tau = y[1]}, workspace);
    return true;
}

static size_t geqrf_bytes(const kni_rule *r)
{
    knp_extents e = knp_extents_of(r->xt[0]);
    return knr_qr_workspace(&(knr_qr){r->xt[0].dtype, e.m, e.n, 0, r->threads}, false);
}

static const knp_matrix_routine geqrf_routine = {.one = geqrf_one, .workspace = geqrf_bytes};
static knx_bytes geqrf_workspace(const kni_rule *r) { return knp_matrix_workspace(r, &geqrf_routine); }
static knx_error *geqrf_run(const kni_rule *r, const kni_routine_args *args)
{
    bool well;
    return knp_each_matrix(r, args, &geqrf_routine, &well);
}

/* ---- Products of reflections. */

/* taus: a vector for each matrix, of no more than its smaller extent */
static knx_error *check_factors(const kni_rule *r)
{
    KN_TRY(knp_check_matrices(r->xt[0], false));
    kni_type a = r->xt[0], t = r->xt[1];
    bool fits = t.ndim == a.ndim - 1 && t.dtype == a.dtype;
    for (int i = 0; fits && i < t.ndim - 1; i++)
        fits = knx_dim_eq(t.dim[i], a.dim[i]);
    knp_extents e = knp_extents_of(a);
    if (fits && !knx_dim_lt(e.n, t.dim[t.ndim - 1]) && !knx_dim_lt(e.m, t.dim[t.ndim - 1]))
        return NULL;
    knx_text s = {0}, u = {0};
    return knx_error_new(KN_ERROR_VALUE, "matrices of shape %s and factors of shape %s do not fit",
                         knx_show_shape(&s, a.ndim, a.dim), knx_show_shape(&u, t.ndim, t.dim));
}

static knx_error *householder_type(kni_rule *r, kni_type *y)
{
    KN_TRY(check_factors(r));
    knp_extents e = knp_extents_of(r->xt[0]);
    if (knx_dim_lt(e.m, e.n))
        return knx_error_new(KN_ERROR_VALUE, "takes matrices with at least as many rows as columns");
    return knp_type_like(r->arena, r->xt[0], r->xt[0].dtype, y);
}

static knx_error *ormqr_type(kni_rule *r, kni_type *y)
{
    const kni_p_ormqr *p = r->params;
    KN_TRY(check_factors(r));
    KN_TRY(knp_check_matrices(r->xt[2], false));
    kni_type a = r->xt[0], c = r->xt[2];
    bool fits =
        a.ndim == c.ndim && a.dtype == c.dtype && knx_dim_eq(a.dim[a.ndim - 2], c.dim[c.ndim - (p->left ? 2 : 1)]);
    for (int i = 0; fits && i < a.ndim - 2; i++)
        fits = knx_dim_eq(a.dim[i], c.dim[i]);
    if (fits)
        return knp_type_like(r->arena, c, c.dtype, y);
    knx_text s = {0}, u = {0};
    return knx_error_new(KN_ERROR_VALUE, "matrices of shape %s and reflections of shape %s do not fit",
                         knx_show_shape(&u, c.ndim, c.dim), knx_show_shape(&s, a.ndim, a.dim));
}

static knr_reflections reflections_of(const kni_rule *r)
{
    knp_extents e = knp_extents_of(r->xt[0]);
    knr_reflections s = {.dtype = r->xt[0].dtype, .m = e.m, .columns = e.n, .n = e.n, .threads = r->threads};
    s.k = r->xt[1].dim[r->xt[1].ndim - 1];
    if (r->n_in == 3) {
        const kni_p_ormqr *p = r->params;
        knp_extents c = knp_extents_of(r->xt[2]);
        s.rows = c.m;
        s.n = c.n;
        s.from_right = !p->left;
        s.adjoint = p->transpose;
    }
    return s;
}

static bool reflections_one(const kni_rule *r, const void *const *x, void *const *y, void *workspace)
{
    knr_reflections s = reflections_of(r);
    knr_reflections_run(&s, x[0], x[1], r->n_in == 3 ? x[2] : NULL, y[0], workspace);
    return true;
}

static size_t reflections_bytes(const kni_rule *r)
{
    knr_reflections s = reflections_of(r);
    return knr_reflections_workspace(&s);
}

static const knp_matrix_routine reflections_routine = {.one = reflections_one, .workspace = reflections_bytes};
static knx_bytes reflections_workspace(const kni_rule *r) { return knp_matrix_workspace(r, &reflections_routine); }
static knx_error *reflections_run(const kni_rule *r, const kni_routine_args *args)
{
    bool well;
    return knp_each_matrix(r, args, &reflections_routine, &well);
}

static void ormqr_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    if (tx[0] != KN_ATOM_ZERO || tx[1] != KN_ATOM_ZERO)
        knp_jvp_refused(r, tx, ty);
    else
        ty[0] = knb_ormqr(r->b, r->x[0], r->x[1], tx[2], r->params);
}

/* q^T ct is the conjugate of q^H conj(ct) */
static knx_error *ormqr_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    kni_p_ormqr p = *(const kni_p_ormqr *)r->params;
    p.transpose = !p.transpose;
    ct_in[2] = knb_conj(r->b, knb_ormqr(r->b, r->x[0], r->x[1], knb_conj(r->b, ct[0]), &p));
    return NULL;
}

const kni_prim knp_prim_qr = {
    .name = "qr",
    .n_in = 1,
    .n_out = -1,
    .bits = KN_THREADS,
    .fields = kni_fields_qr,
    .params_size = sizeof(qr_params),
    .factors = "b m n -> b i j, b k l, b p",
    .doc = "orthogonal and upper triangular factors of matrices (jax.lax.linalg.qr)",
    .type = qr_type,
    .jvp = qr_jvp,
    .spread = knp_spread_matrices,
    .batch = knp_batch_all_in_front,
    .run = qr_run,
    .workspace = qr_workspace,
    .cost = qr_cost,
};

const kni_prim knp_prim_geqrf = {
    .name = "geqrf",
    .n_in = 1,
    .n_out = 2,
    .bits = KN_THREADS,
    .jvp = knp_jvp_refused,
    .factors = "b m n -> b i j, b k",
    .doc = "QR factors with q as the vectors and factors of its reflections (jax.lax.linalg.geqrf)",
    .type = geqrf_type,
    .spread = knp_spread_matrices,
    .batch = knp_batch_all_in_front,
    .run = geqrf_run,
    .workspace = geqrf_workspace,
    .cost = qr_cost,
};

const kni_prim knp_prim_householder_product = {
    .name = "householder_product",
    .n_in = 2,
    .n_out = 1,
    .bits = KN_THREADS,
    .jvp = knp_jvp_refused,
    .factors = "b m n, b k -> b i j",
    .doc = "products of reflections given by their vectors and factors (jax.lax.linalg.householder_product)",
    .type = householder_type,
    .spread = knp_spread_matrices,
    .batch = knp_batch_all_in_front,
    .run = reflections_run,
    .workspace = reflections_workspace,
    .cost = qr_cost,
};

const kni_prim knp_prim_ormqr = {
    .name = "ormqr",
    .n_in = 3,
    .n_out = 1,
    .bits = KN_THREADS,
    .linear_in = 4,
    .jvp = ormqr_jvp,
    .transpose = ormqr_transpose,
    .fields = kni_fields_ormqr,
    .params_size = sizeof(kni_p_ormqr),
    .factors = "b m n, b k, b p q -> b i j",
    .doc = "matrices times products of reflections (jax.lax.linalg.ormqr)",
    .type = ormqr_type,
    .spread =
        knp_spread_matrices, /* not C's rows or columns: their number says how they are blocked, which bits show */
    .batch = knp_batch_all_in_front,
    .run = reflections_run,
    .workspace = reflections_workspace,
    .cost = qr_cost,
};
