/* SPDX-License-Identifier: Apache-2.0
 * matrices.c -- compositions for matrices, which stand in the last two axes: what derivatives of factorisations and
 * the functions of linear algebra share. */
#include "ir/ops.h"
#include "ir/prim.h"

/* Are there two axes? Fails with the builder's first error otherwise. */
static bool is_matrix(kni_builder *b, kni_type t)
{
    if (!b->error && t.ndim < 2)
        knb_fail(b, knx_error_new(KN_ERROR_VALUE, "%d-dimensional array given, a matrix is needed", t.ndim));
    return !b->error;
}

kni_atom knb_swap_last(kni_builder *b, kni_atom x)
{
    kni_type t = knb_type(b, x);
    return is_matrix(b, t) ? knb_move_axis(b, x, t.ndim - 1, t.ndim - 2) : KN_ATOM_NONE;
}

kni_atom knb_moved(kni_builder *b, kni_atom x, int axis, int64_t by)
{
    int64_t low[KN_MAX_NDIM] = {0}, high[KN_MAX_NDIM] = {0};
    if (b->error || !by)
        return x;
    low[axis] = by;
    high[axis] = -by;
    return knb_pad(b, x, knb_like(b, x, 0), low, high, NULL);
}

kni_atom(knb_matrix_product)(kni_builder *b, kni_atom x, kni_atom y)
{
    kni_type t = knb_type(b, x);
    int64_t batch[KN_MAX_NDIM], left = t.ndim - 1, right = t.ndim - 2;
    if (!is_matrix(b, t))
        return KN_ATOM_NONE;
    for (int i = 0; i < t.ndim - 2; i++)
        batch[i] = i;
    kni_ints same = {t.ndim - 2, batch};
    return knb_dot_general(b, x, y, &(kni_p_dot_general){{1, &left}, {1, &right}, same, same, NULL});
}

/* A gather of whole rows; the axes in front are batching dimensions of both. */
kni_atom(knb_permute_rows)(kni_builder *b, kni_atom x, kni_atom permutation)
{
    kni_type t = knb_type(b, x), p = knb_type(b, permutation);
    int64_t size[KN_MAX_NDIM], batch[KN_MAX_NDIM], index[KN_MAX_NDIM], kept[KN_MAX_NDIM];
    if (!is_matrix(b, t))
        return KN_ATOM_NONE;
    int n = t.ndim - 2;
    if (p.ndim != n + 1 || p.ndim >= KN_MAX_NDIM) {
        knb_fail(b, knx_error_new(KN_ERROR_VALUE, "permutations of %d dimensions do not fit an array of %d", p.ndim,
                                  t.ndim));
        return KN_ATOM_NONE;
    }
    for (int i = 0; i < t.ndim; i++) {
        size[i] = i <= n && t.dim[i] ? 1 : t.dim[i];
        batch[i] = i;
    }
    for (int i = 0; i < p.ndim; i++) {
        index[i] = p.dim[i];
        kept[i] = i;
    }
    index[p.ndim] = 1;
    int64_t row = n, column = n + 1;
    kni_p_gather g = {.offset_dims = {1, &column},
                      .collapsed_slice_dims = {1, &row},
                      .start_index_map = {1, &row},
                      .operand_batching_dims = {n, batch},
                      .start_indices_batching_dims = {n, batch},
                      .slice_sizes = {t.ndim, size},
                      .mode = KN_GATHER_PROMISE,
                      .unique_indices = true};
    return knb_gather(b, x, knb_broadcast_in_dim(b, permutation, p.ndim + 1, index, kept), &g);
}

/* row (+ k) against column, of x's shape. */
static kni_atom compare(kni_builder *b, kni_type t, const kni_prim *how, int64_t k)
{
    const int64_t *last = t.dim + t.ndim - 2;
    int64_t axes[] = {t.ndim - 2, t.ndim - 1};
    kni_atom row = knb_iota(b, KN_DT(I64), 2, last, 0), column = knb_iota(b, KN_DT(I64), 2, last, 1);
    if (k)
        row = knb_add(b, row, knb_dimension(b, KN_DT(I64), k));
    kni_atom mask = knb_emit1(b, how, NULL, 2, (kni_atom[]){row, column});
    return t.ndim == 2 ? mask : knb_broadcast_in_dim(b, mask, t.ndim, t.dim, axes);
}

kni_atom knb_triangle(kni_builder *b, kni_atom x, bool lower, int64_t k)
{
    kni_type t = knb_type(b, x);
    if (!is_matrix(b, t))
        return KN_ATOM_NONE;
    return knb_select(b, compare(b, t, lower ? &knp_prim_ge : &knp_prim_le, k), x, knb_like(b, x, 0));
}

kni_atom(knb_on_diagonal)(kni_builder *b, kni_atom x, kni_atom yes, kni_atom no)
{
    kni_type t = knb_type(b, x);
    if (!is_matrix(b, t))
        return KN_ATOM_NONE;
    return knb_select(b, compare(b, t, &knp_prim_eq, 0), knb_broadcast_to(b, yes, t), knb_broadcast_to(b, no, t));
}
