/* SPDX-License-Identifier: Apache-2.0
 * matrix.c -- normal vectors with a covariance, and orthogonal matrices (jax.random.multivariate_normal, orthogonal).
 */
#include "kiln/random.h"
#include "random/draw.h"
#include "random/loop.h"
#include <string.h>

static bool method_ok(kna_op *op, const char *method)
{
    if (method && strcmp(method, "cholesky") == 0)
        return true;
    if (method && (strcmp(method, "svd") == 0 || strcmp(method, "eigh") == 0))
        kna_fail(op, KN_ERROR_NOT_IMPLEMENTED, "method '%s' is not there yet, only 'cholesky'", method);
    else
        kna_fail(op, KN_ERROR_VALUE, "method must be one of {'svd', 'eigh', 'cholesky'}");
    return false;
}

static bool matrices_fit(kna_op *op, kn_type mean, kn_type cov)
{
    kn_text text = {0};
    int64_t n = mean.ndim ? mean.dim[mean.ndim - 1] : 0;
    if (kna_failed(op))
        return false;
    if (mean.ndim < 1)
        kna_fail(op, KN_ERROR_VALUE, "multivariate_normal requires mean.ndim >= 1, got mean.ndim == %d", mean.ndim);
    else if (cov.ndim < 2)
        kna_fail(op, KN_ERROR_VALUE, "multivariate_normal requires cov.ndim >= 2, got cov.ndim == %d", cov.ndim);
    else if (cov.dim[cov.ndim - 1] != n || cov.dim[cov.ndim - 2] != n)
        kna_fail(op, KN_ERROR_VALUE,
                 "multivariate_normal requires cov.shape == (..., n, n) for n=%lld, but got cov.shape == %s.",
                 (long long)n, knx_show_shape(&text, cov.ndim, cov.dim));
    return !kna_failed(op);
}

/* The root of a covariance: of (cov + its transpose) / 2, as in JAX; NaN if that is not positive definite. */
static kn_atom root_of(kn_builder *b, kn_atom cov)
{
    kn_atom sum = knb_add(b, cov, knb_swap_last(b, cov));
    kn_atom l = knb_cholesky(b, knb_mul(b, sum, knb_like(b, sum, 0.5)), KN_CHECK_NONE);
    return knb_triangle(b, l, true, 0);
}

/* Vectors of the shape (*full) times matrices, one each or one for all. */
static kn_atom apply(kn_builder *b, kn_atom matrix, kn_atom x, const kn_shape *full)
{
    int64_t last = full->ndim - 1, one = 1, front[KN_MAX_NDIM];
    if (knb_type(b, matrix).ndim == 2)
        return knb_dot_general(b, x, matrix,
                               &(kn_p_dot_general){.lhs_contract = {1, &last}, .rhs_contract = {1, &one}});
    for (int i = 0; i < full->ndim; i++)
        front[i] = i;
    kn_shape each = knrand_shape_and(full, full->dim[last]), column = knrand_shape_and(full, 1);
    kn_atom m = knb_broadcast_to(b, matrix, kni_type(KN_DT(F32), each.ndim, each.dim));
    kn_atom y = knb_matrix_product(b, m, knb_broadcast_in_dim(b, x, column.ndim, column.dim, front));
    return knb_reshape(b, y, full->ndim, full->dim);
}

kn_array kn_random_multivariate_normal(kn_array key, kn_array mean, kn_array cov, const kn_shape *shape,
                                       const kn_random_multivariate_normal_opts *opts)
{
    knrand_draw w;
    kn_random_multivariate_normal_opts o = opts ? *opts : kn_random_multivariate_normal_opts_default();
    if (!knrand_begin(&w, "random_multivariate_normal", key, KNRAND_FLOAT, o.dtype, NULL, 0, NULL) ||
        !method_ok(&w.op, o.method))
        return knrand_failed(&w);
    kn_type mt = kna_type(&w.op, mean), ct = kna_type(&w.op, cov);
    kn_dtype d = kna_result_type(&w.op, 2, (kn_array[]){mean, cov});
    if (!matrices_fit(&w.op, mt, ct))
        return knrand_failed(&w);
    d = knx_is_float(d) ? d : kna_default_float();
    w.d = o.dtype ? w.d : d;
    kn_shape batch = {.ndim = mt.ndim - 1};
    if (mt.ndim > 1)
        memcpy(batch.dim, mt.dim, (size_t)batch.ndim * sizeof *batch.dim);
    if (!knrand_join(&batch, kni_type(d, ct.ndim - 2, ct.dim)))
        kna_fail(&w.op, KN_ERROR_VALUE, "Incompatible shapes for broadcasting");
    w.of = "normal"; /* as JAX has it in the message */
    if (kna_failed(&w.op) || !knrand_batch_shape(&w, shape, &batch))
        return knrand_failed(&w);
    kn_builder *b = w.b;
    kn_shape full = knrand_shape_and(&batch, mt.dim[mt.ndim - 1]);
    kn_dtype both = (kn_promote_types)(d, w.d);
    kn_atom root = knb_convert(b, root_of(b, kna_in_as(&w.op, cov, d)), both);
    kn_atom x = knb_convert(b, knrand_gauss(b, w.key, w.d, &full), both);
    if (kna_failed(&w.op))
        return knrand_failed(&w);
    kn_type t = kni_type(both, full.ndim, full.dim);
    kn_atom centre = knb_broadcast_to(b, knb_convert(b, kna_in_as(&w.op, mean, d), both), t);
    return kna_end(&w.op, knb_add(b, centre, apply(b, root, x, &full)));
}

/* ---- Orthogonal matrices: normal ones, made orthogonal column by column (Gram and Schmidt, each twice so that the
 * result is orthogonal to the last bits). That is the factor Q of QR whose R has a positive diagonal. */

/* v less its projections on the rows q of type `one`; the ones not made yet are zero. */
static kn_atom less_projections(kn_builder *b, kn_atom q, kn_atom v, kn_type all)
{
    int64_t last = all.ndim - 1, first = 0, front[KN_MAX_NDIM], behind[KN_MAX_NDIM];
    for (int i = 0; i < all.ndim; i++) {
        front[i] = i;
        behind[i] = i + 1;
    }
    kn_atom wide = knb_broadcast_in_dim(b, v, all.ndim, all.dim, behind);
    kn_atom along = knb_reduce_sum(b, knb_mul(b, knb_conj(b, q), wide), 1, &last);
    kn_atom part = knb_mul(b, q, knb_broadcast_in_dim(b, along, all.ndim, all.dim, front));
    return knb_sub(b, v, knb_reduce_sum(b, part, 1, &first));
}

static kn_atom normalized(kn_builder *b, kn_atom v)
{
    kn_type t = knb_type(b, v);
    int64_t last = t.ndim - 1, front[KN_MAX_NDIM];
    if (b->error)
        return KN_ATOM_NONE;
    for (int i = 0; i < t.ndim; i++)
        front[i] = i;
    kn_atom square = knb_mul(b, knb_conj(b, v), v);
    kn_atom length = knb_sqrt(b, knb_reduce_sum(b, knx_is_complex(t.dtype) ? knb_real(b, square) : square, 1, &last));
    return knb_div(b, v, knb_convert(b, knb_broadcast_in_dim(b, length, t.ndim, t.dim, front), t.dtype));
}

/* z, q: k rows of vectors (batch..., m) */
static kn_atom orthonormal(kn_builder *b, kn_atom z)
{
    enum { Z, I, Q, COUNT };
    knrand_loop l;
    kn_atom end[COUNT];
    kn_type all = knb_type(b, z);
    if (b->error)
        return KN_ATOM_NONE;
    kn_type one = kni_type(all.dtype, all.ndim - 1, all.dim + 1);
    knrand_loop_begin(&l, b, 1, COUNT - 1, (const kn_atom[]){z, knb_integer(b, KN_DT(I64), 0), knb_zeros(b, all)});
    kn_atom more = knb_lt(&l.cond, l.c[I], knb_integer(&l.cond, KN_DT(I64), all.dim[0]));
    kn_builder *c = &l.body;
    kn_atom v = knrand_read_row(c, l.x[Z], l.x[I], one);
    for (int twice = 0; twice < 2; twice++)
        v = less_projections(c, l.x[Q], v, all);
    kn_atom next[] = {knb_add(c, l.x[I], knb_integer(c, KN_DT(I64), 1)),
                      knrand_write_row(c, l.x[Q], l.x[I], normalized(c, v))};
    knrand_loop_end(&l, more, next, end);
    return end[Q - 1];
}

kn_array kn_random_orthogonal(kn_array key, int64_t n, const kn_shape *shape, const kn_random_orthogonal_opts *opts)
{
    knrand_draw w;
    kn_random_orthogonal_opts o = opts ? *opts : kn_random_orthogonal_opts_default();
    if (!knrand_begin(&w, "random_orthogonal", key, KNRAND_INEXACT, o.dtype, shape, 0, NULL))
        return knrand_failed(&w);
    int64_t m = o.m < 0 ? n : o.m, tall = n > m ? n : m, thin = n > m ? m : n;
    kn_shape column = knrand_shape_and(&w.shape, tall), full = knrand_shape_and(&column, thin);
    kn_builder *b = w.b;
    if (n < 0 || full.ndim != w.shape.ndim + 2) {
        kna_fail(&w.op, KN_ERROR_VALUE, "an orthogonal matrix of %lld rows in %d dimensions does not exist",
                 (long long)n, w.shape.ndim + 2);
        return knrand_failed(&w);
    }
    kn_dtype d = w.d->size == 2 ? KN_DT(F32) : w.d;
    kn_atom z = knb_convert(b, knrand_any_gauss(b, w.key, w.d, &full), d);
    kn_atom q = orthonormal(b, knb_move_axis(b, z, full.ndim - 1, 0));
    if (kna_failed(&w.op))
        return knrand_failed(&w);
    return kna_end(&w.op, knb_convert(b, knb_move_axis(b, q, 0, n < m ? full.ndim - 2 : full.ndim - 1), w.d));
}
