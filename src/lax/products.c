/* SPDX-License-Identifier: Apache-2.0
 * products.c -- jax.lax: products of arrays, jax.lax.linalg, random bits. */
#include "lax/internal.h"
#include <string.h>

/* ---- Products. */

kn_array kn_lax_dot_general(kn_array lhs, kn_array rhs, const kn_lax_dot_dimension_numbers *dimension_numbers,
                            const kn_lax_dot_opts *opts)
{
    KNX_OPTS(kn_lax_dot_opts, o, opts);
    static const kn_lax_dot_dimension_numbers none;
    const kn_lax_dot_dimension_numbers *d = dimension_numbers ? dimension_numbers : &none;
    kna_op op;
    int64_t v[4][KN_MAX_NDIM];
    kni_atom a[2];
    kna_begin(&op, "lax.dot_general");
    kna_given_pointer(&op, dimension_numbers, "dimension_numbers");
    knlax_same_dtypes(&op, 2, (kn_array[]){lhs, rhs}, a);
    kni_p_dot_general p = {{knlax_list(&op, &d->lhs_contract, v[0]), v[0]},
                           {knlax_list(&op, &d->rhs_contract, v[1]), v[1]},
                           {knlax_list(&op, &d->lhs_batch, v[2]), v[2]},
                           {knlax_list(&op, &d->rhs_batch, v[3]), v[3]},
                           o.preferred_element_type ? kna_lookup_dtype(o.preferred_element_type, NULL) : NULL};
    return kna_end(&op, kna_failed(&op) ? KN_ATOM_NONE : knb_dot_general(op.b, a[0], a[1], &p));
}

/* The operands of a product that begins here; the other functions know their numbers. */
static kn_array product(kna_op *op, const kni_atom a[2], int lhs_contract, int rhs_contract, int batch, kn_dtype result)
{
    int64_t l = lhs_contract, r = rhs_contract, all[KN_MAX_NDIM];
    for (int i = 0; i < batch; i++)
        all[i] = i;
    kni_p_dot_general p = {{1, &l}, {1, &r}, {batch, all}, {batch, all}, result};
    return kna_end(op, kna_failed(op) ? KN_ATOM_NONE : knb_dot_general(op->b, a[0], a[1], &p));
}

kn_array kn_lax_dot(kn_array lhs, kn_array rhs, const kn_lax_dot_opts *opts)
{
    KNX_OPTS(kn_lax_dot_opts, o, opts);
    kna_op op;
    kni_atom a[2];
    kna_begin(&op, "lax.dot");
    knlax_same_dtypes(&op, 2, (kn_array[]){lhs, rhs}, a);
    kni_type x = knb_type(op.b, a[0]), y = knb_type(op.b, a[1]);
    bool simple = x.ndim >= 1 && x.ndim <= 2 && y.ndim >= 1 && y.ndim <= 2 && knx_dim_eq(x.dim[x.ndim - 1], y.dim[0]);
    if (!kna_failed(&op) && !simple) {
        knx_text s = {0}, t = {0};
        kna_fail(&op, KN_ERROR_VALUE,
                 "jax.lax.dot: dimension_numbers must be specified when not performing simple un-batched "
                 "matrix-matrix, matrix-vector, or vector-vector products; got lhs_shape=%s rhs_shape=%s",
                 knlax_tuple(&s, x.ndim, x.dim), knlax_tuple(&t, y.ndim, y.dim));
    }
    kn_dtype result = o.preferred_element_type ? kna_lookup_dtype(o.preferred_element_type, NULL) : NULL;
    return product(&op, a, x.ndim - 1, 0, 0, result);
}

kn_array kn_lax_batch_matmul(kn_array lhs, kn_array rhs)
{
    kna_op op;
    kni_atom a[2];
    kna_begin(&op, "lax.batch_matmul");
    knlax_same_dtypes(&op, 2, (kn_array[]){lhs, rhs}, a);
    int n = knb_type(op.b, a[0]).ndim, m = knb_type(op.b, a[1]).ndim;
    if (!kna_failed(&op) && (n < 2 || m < 2))
        kna_fail(&op, KN_ERROR_VALUE, "Arguments to batch_matmul must be at least 2D, got %d, %d", n, m);
    else if (!kna_failed(&op) && n != m)
        kna_fail(&op, KN_ERROR_VALUE, "Arguments to batch_matmul must have same ndim, got %d, %d", n, m);
    return product(&op, a, n - 1, n - 2, n - 2, NULL);
}

/* One row of flags per group: is the row of lhs in it? */
static kni_atom rows_of_groups(kni_builder *b, kni_atom sizes, int64_t groups, int64_t rows)
{
    kn_dtype d = KN_DT(I64);
    sizes = knb_convert(b, sizes, d);
    int64_t shape[] = {groups, rows};
    kni_atom ends = knb_cumsum(b, sizes, 0, false), starts = knb_sub(b, ends, sizes);
    kni_atom row = knb_iota(b, d, 2, shape, 1);
    ends = knb_broadcast_in_dim(b, ends, 2, shape, (int64_t[]){0});
    starts = knb_broadcast_in_dim(b, starts, 2, shape, (int64_t[]){0});
    kni_atom from = knb_le(b, starts, row), below = knb_lt(b, row, ends);
    return knb_and(b, from, below);
}

kn_array kn_lax_ragged_dot(kn_array lhs, kn_array rhs, kn_array group_sizes, const kn_lax_dot_opts *opts)
{
    KNX_OPTS(kn_lax_dot_opts, o, opts);
    kna_op op;
    kni_atom a[2];
    kna_begin(&op, "lax.ragged_dot");
    knlax_same_dtypes(&op, 2, (kn_array[]){lhs, rhs}, a);
    kni_atom sizes = kna_in(&op, group_sizes);
    kni_type x = knb_type(op.b, a[0]), y = knb_type(op.b, a[1]), g = knb_type(op.b, sizes);
    if (!kna_failed(&op) && (x.ndim != 2 || y.ndim != 3 || g.ndim != 1))
        kna_fail(&op, KN_ERROR_TYPE, "takes lhs of 2, rhs of 3 and group_sizes of 1 dimensions, got %d, %d, %d", x.ndim,
                 y.ndim, g.ndim);
    else if (!kna_failed(&op) && !knx_is_integer(g.dtype))
        kna_fail(&op, KN_ERROR_TYPE, "group_sizes must be an array of integers, got %s", g.dtype->name);
    else if (!kna_failed(&op) && (!knx_dim_eq(x.dim[1], y.dim[1]) || !knx_dim_eq(g.dim[0], y.dim[0])))
        kna_fail(&op, KN_ERROR_TYPE, "shapes of lhs, rhs and group_sizes do not fit");
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    int64_t shape[] = {y.dim[0], x.dim[0], x.dim[1]};
    kni_builder *b = op.b;
    kni_atom here = rows_of_groups(b, sizes, shape[0], shape[1]);
    here = knb_broadcast_in_dim(b, here, 3, shape, (int64_t[]){0, 1});
    kni_atom each = knb_broadcast_in_dim(b, a[0], 3, shape, (int64_t[]){1, 2});
    each = knb_select(b, here, each, knb_like(b, each, 0));
    kni_p_dot_general p = {{2, (int64_t[]){0, 2}}, {2, (int64_t[]){0, 1}}, {0, NULL}, {0, NULL}, NULL};
    if (o.preferred_element_type)
        p.preferred_element_type = kna_lookup_dtype(o.preferred_element_type, NULL);
    return kna_end(&op, knb_dot_general(b, each, a[1], &p));
}

/* ---- Matrices. */

static kni_atom square_matrices(kna_op *op, kn_array x)
{
    kni_atom a = kna_in(op, x);
    kni_type t = knb_type(op->b, a);
    if (!kna_failed(op) && (t.ndim < 2 || !knx_dim_eq(t.dim[t.ndim - 1], t.dim[t.ndim - 2]))) {
        knx_text s = {0};
        kna_fail(op, KN_ERROR_VALUE, "Argument must have shape [..., n, n], got shape %s",
                 knlax_tuple(&s, t.ndim, t.dim));
    }
    return a;
}

/* The lower triangle, zeros above it. */
static kni_atom lower_triangle(kni_builder *b, kni_atom a)
{
    kni_type t = knb_type(b, a);
    int64_t last[] = {t.ndim - 2, t.ndim - 1};
    kni_atom row = knb_iota(b, KN_DT(I32), 2, t.dim + t.ndim - 2, 0);
    row = knb_add(b, row, knb_integer(b, KN_DT(I32), 0));
    kni_atom column = knb_iota(b, KN_DT(I32), 2, t.dim + t.ndim - 2, 1), below = knb_ge(b, row, column);
    if (t.ndim > 2)
        below = knb_broadcast_in_dim(b, below, t.ndim, t.dim, last);
    kni_atom zeros = knb_broadcast_in_dim(b, knb_like(b, a, 0), t.ndim, t.dim, NULL);
    return knb_select_n(b, below, 2, (kni_atom[]){zeros, a});
}

kn_array kn_lax_linalg_cholesky(kn_array x, const kn_lax_linalg_cholesky_opts *opts)
{
    KNX_OPTS(kn_lax_linalg_cholesky_opts, o, opts);
    kna_op op;
    kna_begin(&op, "lax.linalg.cholesky");
    kni_atom a = square_matrices(&op, x);
    if (!kna_failed(&op))
        knlax_accepts(&op, knb_type(op.b, a).dtype, "fc", -1);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    if (o.symmetrize_input) {
        kni_atom sum = knb_add(op.b, a, knb_conj(op.b, knb_swap_last(op.b, a)));
        a = knb_div(op.b, sum, knb_like(op.b, a, 2));
    }
    a = knb_cholesky(op.b, a, KN_CHECK_NONE);
    return kna_end(&op, kna_failed(&op) ? a : lower_triangle(op.b, a));
}

kn_lax_linalg_lu_result kn_lax_linalg_lu(kn_array x)
{
    kna_op op;
    kn_array y[3];
    kni_atom out[3] = {KN_ATOM_NONE, KN_ATOM_NONE, KN_ATOM_NONE};
    kna_begin(&op, "lax.linalg.lu");
    kni_atom a = kna_in(&op, x);
    if (!kna_failed(&op) && knlax_accepts(&op, knb_type(op.b, a).dtype, "fc", -1))
        knb_lu(op.b, a, KN_CHECK_NONE, out);
    kna_end_n(&op, 3, out, y);
    return (kn_lax_linalg_lu_result){y[0], y[1], y[2]};
}

kn_array kn_lax_linalg_lu_pivots_to_permutation(kn_array pivots, int64_t permutation_size)
{
    kna_op op;
    kna_begin(&op, "lax.linalg.lu_pivots_to_permutation");
    kni_atom x = kna_in(&op, pivots);
    kni_p_lu_pivots_to_permutation p = {permutation_size};
    return kna_end(&op, kna_failed(&op) ? x : knb_lu_pivots_to_permutation(op.b, x, &p));
}

kn_array kn_lax_linalg_triangular_solve(kn_array a, kn_array b, const kn_lax_linalg_triangular_solve_opts *opts)
{
    KNX_OPTS(kn_lax_linalg_triangular_solve_opts, o, opts);
    kna_op op;
    kni_atom x[2];
    kna_begin(&op, "lax.linalg.triangular_solve");
    knlax_same_dtypes(&op, 2, (kn_array[]){a, b}, x);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    kni_type t = knb_type(op.b, x[0]), u = knb_type(op.b, x[1]);
    bool one = u.ndim == t.ndim - 1;
    int64_t axis = o.left_side ? u.ndim : u.ndim - 1;
    kni_p_triangular_solve p = {.left_side = o.left_side,
                                .lower = o.lower,
                                .transpose_a = o.transpose_a,
                                .conjugate_a = o.conjugate_a && knx_is_complex(t.dtype),
                                .unit_diagonal = o.unit_diagonal};
    if (one)
        x[1] = knb_expand_dims(op.b, x[1], (int)axis);
    kni_atom y = kna_failed(&op) ? KN_ATOM_NONE : knb_triangular_solve(op.b, x[0], x[1], &p);
    return kna_end(&op, one && !kna_failed(&op) ? knb_squeeze(op.b, y, 1, &axis) : y);
}

kn_array kn_lax_linalg_symmetric_product(kn_array a, kn_array c, const kn_lax_linalg_symmetric_product_opts *opts)
{
    KNX_OPTS(kn_lax_linalg_symmetric_product_opts, o, opts);
    kna_op op;
    kni_atom x[2];
    kna_begin(&op, "lax.linalg.symmetric_product");
    knlax_same_dtypes(&op, 2, (kn_array[]){a, c}, x);
    kni_type t = knb_type(op.b, x[0]), u = knb_type(op.b, x[1]);
    int64_t n = t.ndim < 2 ? 0 : t.dim[t.ndim - 2];
    if (!kna_failed(&op) && t.ndim < 2)
        kna_fail(&op, KN_ERROR_VALUE, "a_matrix must have at least two dimensions, got %d", t.ndim);
    else if (!kna_failed(&op) &&
             (u.ndim != t.ndim || !knx_dim_eq(u.dim[u.ndim - 1], n) || !knx_dim_eq(u.dim[u.ndim - 2], n)))
        kna_fail(&op, KN_ERROR_VALUE,
                 "symmetric_update expects a rectangular matrix of shape (n, k) and a symmetric "
                 "matrix of shape (n, n).");
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    kni_atom y = knb_matrix_product(op.b, x[0], knb_swap_last(op.b, x[0]));
    y = o.alpha == 1 ? y : knb_mul(op.b, knb_like(op.b, y, o.alpha), y);
    if (o.beta != 0)
        y = knb_add(op.b, y, knb_mul(op.b, knb_like(op.b, y, o.beta), x[1]));
    return kna_end(&op, y);
}

/* ---- Random bits. */

kn_lax_rng_bit_generator_result kn_lax_rng_bit_generator(kn_array key, const kn_shape *shape,
                                                         const kn_lax_rng_bit_generator_opts *opts)
{
    KNX_OPTS(kn_lax_rng_bit_generator_opts, o, opts);
    kna_op op;
    kn_array y[2];
    kni_atom out[2] = {KN_ATOM_NONE, KN_ATOM_NONE};
    kna_begin(&op, "lax.rng_bit_generator");
    shape = kna_shape(&op, shape);
    kni_atom a = kna_in(&op, key);
    kni_p_rng_bit_generator p = {
        .algorithm = o.algorithm, .dtype = kna_lookup_dtype(o.dtype, KN_DT(U32)), .shape = {shape->ndim, shape->dim}};
    if (!kna_failed(&op) && (o.algorithm < KN_LAX_RNG_DEFAULT || o.algorithm > KN_LAX_RNG_PHILOX))
        kna_fail(&op, KN_ERROR_VALUE, "%d is not a valid RandomAlgorithm", o.algorithm);
    else if (!kna_failed(&op))
        knb_rng_bit_generator(op.b, a, &p, out);
    kna_end_n(&op, 2, out, y);
    return (kn_lax_rng_bit_generator_result){y[0], y[1]};
}
