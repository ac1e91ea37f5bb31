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

static bool matrices_fit(kna_op *op, kni_type mean, kni_type cov)
{
    knx_text text = {0}, size = {0};
    int64_t n = mean.ndim ? mean.dim[mean.ndim - 1] : 0;
    if (kna_failed(op))
        return false;
    if (mean.ndim < 1)
        kna_fail(op, KN_ERROR_VALUE, "multivariate_normal requires mean.ndim >= 1, got mean.ndim == %d", mean.ndim);
    else if (cov.ndim < 2)
        kna_fail(op, KN_ERROR_VALUE, "multivariate_normal requires cov.ndim >= 2, got cov.ndim == %d", cov.ndim);
    else if (!knx_dim_eq(cov.dim[cov.ndim - 1], n) || !knx_dim_eq(cov.dim[cov.ndim - 2], n))
        kna_fail(op, KN_ERROR_VALUE,
                 "multivariate_normal requires cov.shape == (..., n, n) for n=%s, but got cov.shape == %s.",
                 knx_dim_show(&size, n), knx_show_shape(&text, cov.ndim, cov.dim));
    return !kna_failed(op);
}

/* The root of a covariance: of (cov + its transpose) / 2, as in JAX; NaN if that is not positive definite. */
static kni_atom root_of(kni_builder *b, kni_atom cov)
{
    kni_atom sum = knb_add(b, cov, knb_swap_last(b, cov));
    kni_atom l = knb_cholesky(b, knb_mul(b, sum, knb_like(b, sum, 0.5)), KN_CHECK_NONE);
    return knb_triangle(b, l, true, 0);
}

/* Vectors of the shape (*full) times matrices, one each or one for all. */
static kni_atom apply(kni_builder *b, kni_atom matrix, kni_atom x, const kn_shape *full)
{
    int64_t last = full->ndim - 1, one = 1, front[KN_MAX_NDIM];
    if (knb_type(b, matrix).ndim == 2)
        return knb_dot_general(b, x, matrix,
                               &(kni_p_dot_general){.lhs_contract = {1, &last}, .rhs_contract = {1, &one}});
    for (int i = 0; i < full->ndim; i++)
        front[i] = i;
    kn_shape each = knrandom_shape_and(full, full->dim[last]), column = knrandom_shape_and(full, 1);
    kni_atom m = knb_broadcast_to(b, matrix, kni_type_of(KN_DT(F32), each.ndim, each.dim));
    kni_atom y = knb_matrix_product(b, m, knb_broadcast_in_dim(b, x, column.ndim, column.dim, front));
    return knb_reshape(b, y, full->ndim, full->dim);
}

kn_array kn_random_multivariate_normal(kn_array key, kn_array mean, kn_array cov, const kn_shape *shape,
                                       const kn_random_multivariate_normal_opts *opts)
{
    knrandom_draw w;
    kn_random_multivariate_normal_opts o = opts ? *opts : kn_random_multivariate_normal_opts_default();
    if (!knrandom_begin(&w, "random_multivariate_normal", key, KNRANDOM_FLOAT, o.dtype, NULL, 0, NULL) ||
        !method_ok(&w.op, o.method))
        return knrandom_failed(&w);
    kni_type mt = kna_type(&w.op, mean), ct = kna_type(&w.op, cov);
    kn_dtype d = kna_result_type(&w.op, 2, (kn_array[]){mean, cov});
    if (!matrices_fit(&w.op, mt, ct))
        return knrandom_failed(&w);
    d = knx_is_float(d) ? d : kna_default_float();
    w.d = o.dtype ? w.d : d;
    kn_shape batch = {.ndim = mt.ndim - 1};
    if (mt.ndim > 1)
        memcpy(batch.dim, mt.dim, (size_t)batch.ndim * sizeof *batch.dim);
    if (!knrandom_join(&batch, kni_type_of(d, ct.ndim - 2, ct.dim)))
        kna_fail(&w.op, KN_ERROR_VALUE, "Incompatible shapes for broadcasting");
    w.of = "normal"; /* as JAX has it in the message */
    if (kna_failed(&w.op) || !knrandom_batch_shape(&w, shape, &batch))
        return knrandom_failed(&w);
    kni_builder *b = w.b;
    kn_shape full = knrandom_shape_and(&batch, mt.dim[mt.ndim - 1]);
    kn_dtype both = knx_promote(d, w.d);
    kni_atom root = knb_convert(b, root_of(b, kna_in_as(&w.op, cov, d)), both);
    kni_atom x = knb_convert(b, knrandom_gauss(b, w.key, w.d, &full), both);
    if (kna_failed(&w.op))
        return knrandom_failed(&w);
    kni_type t = kni_type_of(both, full.ndim, full.dim);
    kni_atom centre = knb_broadcast_to(b, knb_convert(b, kna_in_as(&w.op, mean, d), both), t);
    return kna_end(&w.op, knb_add(b, centre, apply(b, root, x, &full)));
}

/* ---- Orthogonal matrices: normal ones, made orthogonal column by column (Gram and Schmidt, each twice so that the
 * result is orthogonal to the last bits). That is the factor Q of QR whose R has a positive diagonal. */

/* v less its projections on the rows q of type `one`; the ones not made yet are zero. */
static kni_atom less_projections(kni_builder *b, kni_atom q, kni_atom v, kni_type all)
{
    int64_t last = all.ndim - 1, first = 0, front[KN_MAX_NDIM], behind[KN_MAX_NDIM];
    for (int i = 0; i < all.ndim; i++) {
        front[i] = i;
        behind[i] = i + 1;
    }
    kni_atom wide = knb_broadcast_in_dim(b, v, all.ndim, all.dim, behind);
    kni_atom along = knb_reduce_sum(b, knb_mul(b, knb_conj(b, q), wide), 1, &last);
    kni_atom part = knb_mul(b, q, knb_broadcast_in_dim(b, along, all.ndim, all.dim, front));
    return knb_sub(b, v, knb_reduce_sum(b, part, 1, &first));
}

static kni_atom normalized(kni_builder *b, kni_atom v)
{
    kni_type t = knb_type(b, v);
    int64_t last = t.ndim - 1, front[KN_MAX_NDIM];
    if (b->error)
        return KN_ATOM_NONE;
    for (int i = 0; i < t.ndim; i++)
        front[i] = i;
    kni_atom square = knb_mul(b, knb_conj(b, v), v);
    kni_atom length = knb_sqrt(b, knb_reduce_sum(b, knx_is_complex(t.dtype) ? knb_real(b, square) : square, 1, &last));
    return knb_div(b, v, knb_convert(b, knb_broadcast_in_dim(b, length, t.ndim, t.dim, front), t.dtype));
}

/* z, q: k rows of vectors (batch..., m) */
static kni_atom orthonormal(kni_builder *b, kni_atom z)
{
    enum { Z, I, Q, COUNT };
    knrandom_loop l;
    kni_atom end[COUNT];
    kni_type all = knb_type(b, z);
    if (b->error)
        return KN_ATOM_NONE;
    kni_type one = kni_type_of(all.dtype, all.ndim - 1, all.dim + 1);
    knrandom_loop_begin(&l, b, 1, COUNT - 1, (const kni_atom[]){z, knb_integer(b, KN_DT(I64), 0), knb_zeros(b, all)});
    kni_atom more = knb_lt(&l.cond, l.c[I], knb_dimension(&l.cond, KN_DT(I64), all.dim[0]));
    kni_builder *c = &l.body;
    kni_atom v = knrandom_read_row(c, l.x[Z], l.x[I], one);
    for (int twice = 0; twice < 2; twice++)
        v = less_projections(c, l.x[Q], v, all);
    kni_atom next[] = {knb_add(c, l.x[I], knb_integer(c, KN_DT(I64), 1)),
                       knrandom_write_row(c, l.x[Q], l.x[I], normalized(c, v))};
    knrandom_loop_end(&l, more, next, end);
    return end[Q - 1];
}

kn_array kn_random_orthogonal(kn_array key, int64_t n, const kn_shape *shape, const kn_random_orthogonal_opts *opts)
{
    knrandom_draw w;
    kn_random_orthogonal_opts o = opts ? *opts : kn_random_orthogonal_opts_default();
    if (!knrandom_begin(&w, "random_orthogonal", key, KNRANDOM_INEXACT, o.dtype, shape, 0, NULL))
        return knrandom_failed(&w);
    int64_t m = o.m < 0 ? n : o.m;
    bool tall = knx_dim_lt(m, n), wide = !tall && !knx_dim_eq(n, m);
    kn_shape column = knrandom_shape_and(&w.shape, tall ? n : m), full = knrandom_shape_and(&column, tall ? m : n);
    kni_builder *b = w.b;
    if (n < 0 || full.ndim != w.shape.ndim + 2) {
        kna_fail(&w.op, KN_ERROR_VALUE, "an orthogonal matrix of %lld rows in %d dimensions does not exist",
                 (long long)n, w.shape.ndim + 2);
        return knrandom_failed(&w);
    }
    kn_dtype d = w.d->size == 2 ? KN_DT(F32) : w.d;
    kni_atom z = knb_convert(b, knrandom_any_gauss(b, w.key, w.d, &full), d);
    kni_atom q = orthonormal(b, knb_move_axis(b, z, full.ndim - 1, 0));
    if (kna_failed(&w.op))
        return knrandom_failed(&w);
    return kna_end(&w.op, knb_convert(b, knb_move_axis(b, q, 0, wide ? full.ndim - 2 : full.ndim - 1), w.d));
}
