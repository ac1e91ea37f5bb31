/* SPDX-License-Identifier: Apache-2.0
 * determinants.c -- determinants by LU factors, and their derivative by cofactors, which exist where no inverse does.
 *
 * Up to three rows the cofactors are written out: polynomials, with derivatives of every order. Else, if P a = L U,
 * they are the transpose of adj(U) L^-1 P times the parity. With D the diagonal of U, or 1 where that is 0, and
 * V = D^-1 U, adj(U) is adj(V) det(D) D^-1, and adj(V) is made of those of the blocks of V's diagonal,
 *
 *     adj [v  w] = [adj(v) det(z)  -adj(v) w adj(z)]
 *         [0  z]   [0                adj(z) det(v) ]
 *
 * from blocks of one element, all of a size at once. Where no pivot is 0 that is the inverse. */
#include "array/formula.h"
#include "lib/internal.h"
#include "prim/linalg/matrices.h"

typedef struct factors {
    kni_atom lu, permutation;
    kni_atom diagonal; /* of U */
    kni_atom parity;   /* 1, or -1 for an odd number of exchanged rows */
} factors;

static kni_atom diagonal_of(kni_builder *b, kni_atom x)
{
    int64_t last = knb_type(b, x).ndim - 1;
    return knb_reduce_sum(b, knb_on_diagonal(b, x, x, knb_like(b, x, 0)), 1, &last);
}

static bool factorize(kni_builder *b, kni_atom a, factors *f)
{
    kni_atom out[3];
    knb_lu(b, a, KN_CHECK_NONE, out);
    kni_type t = knb_type(b, a), p = knb_type(b, out[1]);
    *f = (factors){KN_ATOM_NONE, KN_ATOM_NONE, KN_ATOM_NONE, KN_ATOM_NONE};
    if (b->error)
        return false;
    int64_t tail = t.ndim - 2;
    kni_atom diagonal = diagonal_of(b, out[0]);
    kni_atom moved = knb_ne(b, out[1], knb_iota(b, KN_DT(I32), p.ndim, p.dim, p.ndim - 1));
    kni_atom count = knb_reduce_sum(b, knb_astype(b, moved, KN_DT(I32)), 1, &tail);
    kni_atom odd = knb_ne(b, knb_and(b, count, knb_integer(b, KN_DT(I32), 1)), knb_integer(b, KN_DT(I32), 0));
    kni_atom parity = knb_select(b, odd, knb_number(b, t.dtype, -1), knb_number(b, t.dtype, 1));
    *f = (factors){out[0], out[2], diagonal, knb_broadcast_to(b, parity, knb_type(b, count))};
    return !b->error;
}

/* The part of x with indices from `start` on and below `limit` along an axis. */
static kni_atom part(kni_builder *b, kni_atom x, int axis, int64_t start, int64_t limit)
{
    kni_type t = knb_type(b, x);
    int64_t from[KN_MAX_NDIM] = {0}, to[KN_MAX_NDIM];
    for (int i = 0; i < t.ndim; i++)
        to[i] = t.dim[i];
    from[axis] = start;
    to[axis] = limit;
    return b->error ? KN_ATOM_NONE : knb_slice(b, x, from, to, NULL);
}

/* The product along the last axis, which goes away: the second half times the first, until one is left. */
static kni_atom product(kni_builder *b, kni_atom x)
{
    kni_type t = knb_type(b, x);
    int64_t none[KN_MAX_NDIM] = {0}, more[KN_MAX_NDIM] = {0};
    if (b->error)
        return KN_ATOM_NONE;
    int64_t last = t.ndim - 1, n = t.dim[last];
    if (knx_is_symbolic(n))
        return knb_reduce_prod(b, x, 1, &last);
    if (n == 0) {
        t.ndim--;
        return knb_full(b, t, 1);
    }
    for (int64_t half; n > 1; n = half) {
        half = (n + 1) / 2;
        kni_atom upper = part(b, x, (int)last, half, n);
        x = part(b, x, (int)last, 0, half);
        more[last] = 2 * half - n;
        if (more[last])
            upper = knb_pad(b, upper, knb_like(b, upper, 1), none, more, NULL);
        x = knb_mul(b, x, upper);
    }
    return knb_squeeze(b, x, 1, &last);
}

/* The rows of the identity in the order of the permutation, of a's shape and dtype. */
kni_atom knl_permuted_identity(kni_builder *b, kni_type a, kni_atom permutation)
{
    int64_t axes[KN_MAX_NDIM];
    if (b->error)
        return KN_ATOM_NONE;
    for (int i = 0; i < a.ndim - 1; i++)
        axes[i] = i;
    kni_atom column = knb_iota(b, KN_DT(I32), a.ndim, a.dim, a.ndim - 1);
    kni_atom is_one = knb_eq(b, knb_broadcast_in_dim(b, permutation, a.ndim, a.dim, axes), column);
    return knb_astype(b, is_one, a.dtype);
}

/* ---- Cofactors of a stack of matrices, (count, n, n). */

/* Element i, j is element i + down, j + right of the matrix, counted round. */
static kni_atom turned(kni_builder *b, kni_atom a, int down, int right)
{
    int64_t n = knb_type(b, a).dim[2];
    kni_atom rows = knb_concatenate(b, 2, (kni_atom[]){part(b, a, 1, down, n), part(b, a, 1, 0, down)}, 1);
    return knb_concatenate(b, 2, (kni_atom[]){part(b, rows, 2, right, n), part(b, rows, 2, 0, right)}, 2);
}

static kni_atom few_cofactors(kni_builder *b, kni_atom a)
{
    kni_type t = knb_type(b, a);
    if (t.dim[2] == 1)
        return knb_full(b, t, 1);
    kni_atom next = turned(b, a, 1, 1);
    if (t.dim[2] == 2)
        return knb_on_diagonal(b, next, next, knb_neg(b, next));
    kni_atom plus = knb_mul(b, next, turned(b, a, 2, 2));
    return knb_sub(b, plus, knb_mul(b, turned(b, a, 1, 2), turned(b, a, 2, 1)));
}

/* 1 on the diagonal beyond the first n rows, else 0: (1, size, size). */
static kni_atom rest_of_identity(kni_builder *b, kn_dtype d, int64_t n, int64_t size)
{
    const int64_t dim[] = {1, size, size};
    kni_atom row = knb_iota(b, KN_DT(I64), 3, dim, 1), column = knb_iota(b, KN_DT(I64), 3, dim, 2);
    kni_atom beyond = knb_ge(b, row, knb_integer(b, KN_DT(I64), n));
    return knb_astype(b, knb_and(b, knb_eq(b, row, column), beyond), d);
}

/* The blocks beside the diagonal of v, (count, 2 pairs s, 2 pairs s): (count, pairs, s, s), those at (2k, 2k + 1). */
static kni_atom blocks_beside(kni_builder *b, kni_atom v, int64_t pairs, int64_t s)
{
    int64_t count = knb_type(b, v).dim[0], all = pairs * pairs;
    v = knb_reshape(b, v, 7, (int64_t[]){count, pairs, 2, s, pairs, 2, s});
    v = part(b, part(b, v, 2, 0, 1), 5, 1, 2);
    v = knb_reshape(b, v, 5, (int64_t[]){count, pairs, s, pairs, s});
    v = knb_reshape(b, knb_transpose(b, v, (int64_t[]){0, 2, 4, 1, 3}), 4, (int64_t[]){count, s, s, all});
    v = knb_slice(b, v, (int64_t[]){0, 0, 0, 0}, (int64_t[]){count, s, s, all}, (int64_t[]){1, 1, 1, pairs + 1});
    return knb_transpose(b, v, (int64_t[]){0, 3, 1, 2});
}

/* Every second block (row) from `first` on: (count, 2 pairs, ...) to (count, pairs, ...). */
static kni_atom every_second(kni_builder *b, kni_atom x, int64_t pairs, int64_t s, int first)
{
    int64_t count = knb_type(b, x).dim[0];
    x = part(b, knb_reshape(b, x, 5, (int64_t[]){count, pairs, 2, s, s}), 2, first, first + 1);
    return knb_reshape(b, x, 4, (int64_t[]){count, pairs, s, s});
}

/* The adjugate of upper triangles v, (count, size, size) with size a power of two. */
static kni_atom adjugate_of_triangle(kni_builder *b, kni_atom v, int64_t size)
{
    kni_type t = knb_type(b, v);
    int64_t count = t.dim[0];
    kni_atom det = knb_reshape(b, diagonal_of(b, v), 4, (int64_t[]){count, size, 1, 1});
    kni_atom y = knb_full(b, kni_type_of(t.dtype, 4, (int64_t[]){count, size, 1, 1}), 1);
    for (int64_t s = 1; s < size && !b->error; s *= 2) {
        int64_t pairs = size / (2 * s);
        kni_atom first = every_second(b, y, pairs, s, 0), second = every_second(b, y, pairs, s, 1);
        kni_atom d = every_second(b, det, pairs, 1, 0), e = every_second(b, det, pairs, 1, 1);
        kni_type block = knb_type(b, first);
        kni_atom beside = knb_matrix_product(b, knb_matrix_product(b, first, blocks_beside(b, v, pairs, s)), second);
        kni_atom upper[] = {knb_mul(b, first, knb_broadcast_to(b, e, block)), knb_neg(b, beside)};
        kni_atom lower[] = {knb_zeros(b, block), knb_mul(b, second, knb_broadcast_to(b, d, block))};
        y = knb_concatenate(b, 2, (kni_atom[]){knb_concatenate(b, 2, upper, 3), knb_concatenate(b, 2, lower, 3)}, 2);
        det = knb_mul(b, d, e);
    }
    return knb_reshape(b, y, 3, (int64_t[]){count, size, size});
}

static kni_atom many_cofactors(kni_builder *b, kni_atom a)
{
    kni_type t = knb_type(b, a);
    int64_t n = t.dim[2], size = 1, none[3] = {0}, rows[] = {0, 1}, columns[] = {0, 2};
    factors f;
    if (!factorize(b, a, &f))
        return KN_ATOM_NONE;
    while (size < n)
        size *= 2;
    kni_atom one = knb_like(b, a, 1), is_zero = knb_eq(b, f.diagonal, knb_like(b, a, 0));
    kni_atom d = knb_select(b, is_zero, knb_broadcast_to(b, one, knb_type(b, f.diagonal)), f.diagonal);
    kni_atom v = knb_div(b, knb_triangle(b, f.lu, false, 0), knb_broadcast_in_dim(b, d, 3, t.dim, rows));
    v = knb_pad(b, v, knb_like(b, v, 0), none, (int64_t[]){0, size - n, size - n}, NULL);
    v = knb_add(b, v, knb_broadcast_to(b, rest_of_identity(b, t.dtype, n, size), knb_type(b, v)));
    kni_atom y = part(b, part(b, adjugate_of_triangle(b, v, size), 1, 0, n), 2, 0, n);
    kni_atom det = knb_expand_dims(b, knb_mul(b, product(b, d), f.parity), 1);
    kni_atom others = knb_div(b, knb_broadcast_to(b, det, knb_type(b, d)), d);
    y = knb_mul(b, y, knb_broadcast_in_dim(b, others, 3, t.dim, columns));
    kni_atom rest =
        knb_triangular_solve(b, f.lu, knl_permuted_identity(b, t, f.permutation),
                             &(kni_p_triangular_solve){.left_side = true, .lower = true, .unit_diagonal = true});
    return knb_swap_last(b, knb_matrix_product(b, y, rest));
}

/* Where the number of rows is an expression there is no list of blocks: the determinant times the inverse, as JAX has
 * it for all matrices. */
static kni_atom symbolic_cofactors(kni_builder *b, kni_atom a)
{
    kni_type t = knb_type(b, a);
    const int64_t stack = 0;
    factors f;
    if (!factorize(b, a, &f))
        return KN_ATOM_NONE;
    kni_atom x =
        knb_triangular_solve(b, f.lu, knl_permuted_identity(b, t, f.permutation),
                             &(kni_p_triangular_solve){.left_side = true, .lower = true, .unit_diagonal = true});
    x = knb_triangular_solve(b, f.lu, x, &(kni_p_triangular_solve){.left_side = true});
    kni_atom det = knb_mul(b, product(b, f.diagonal), f.parity);
    return knb_mul(b, knb_swap_last(b, x), knb_broadcast_in_dim(b, det, 3, t.dim, &stack));
}

/* ---- The functions. */

static kni_atom value(kni_builder *b, const kni_atom *a)
{
    factors f;
    if (!b->error && knp_is_small(knb_type(b, *a), 1))
        return knb_det(b, *a); /* the same in one step */
    return factorize(b, *a, &f) ? knb_mul(b, product(b, f.diagonal), f.parity) : KN_ATOM_NONE;
}

/* The sum of the cofactors times the tangents. */
static kni_atom tangent(kni_builder *b, const kni_atom *a, kni_atom y, const kni_atom *t)
{
    kni_type type = knb_type(b, *a);
    (void)y;
    if (b->error)
        return KN_ATOM_NONE;
    int64_t n = type.dim[type.ndim - 1], last[] = {type.ndim - 2, type.ndim - 1}, count = 1;
    if (knx_dim_eq(kni_type_size(type), 0))
        return knb_reduce_sum(b, *t, 2, last);
    for (int i = 0; i < type.ndim - 2; i++)
        count = knx_dim_mul(count, type.dim[i]);
    kni_atom flat = knb_reshape(b, *a, 3, (int64_t[]){count, n, n});
    kni_atom cofactors = knx_is_symbolic(n) ? symbolic_cofactors(b, flat)
                         : n <= 3           ? few_cofactors(b, flat)
                                            : many_cofactors(b, flat);
    return knb_reduce_sum(b, knb_mul(b, knb_reshape(b, cofactors, type.ndim, type.dim), *t), 2, last);
}

static const kna_formula determinant = {"det", "det_jvp", 1, value, tangent};

kni_atom knl_determinant(kni_builder *b, kni_atom a) { return kna_formula_of(b, &determinant, &a); }

void knl_log_determinant(kni_builder *b, kni_atom a, kni_atom *sign, kni_atom *log)
{
    factors f;
    if (!factorize(b, a, &f))
        return;
    int64_t last = knb_type(b, f.diagonal).ndim - 1;
    *sign = knb_mul(b, product(b, knb_sign(b, f.diagonal)), f.parity);
    *log = knb_reduce_sum(b, knb_log(b, knb_abs(b, f.diagonal)), 1, &last);
}
