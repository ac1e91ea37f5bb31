/* SPDX-License-Identifier: Apache-2.0
 * triangles.c -- matrices made of diagonals, and triangles of matrices. */
#include "array/handle.h"
#include "array/layout.h"
#include "lib/compose.h"
#include <string.h>

/* ---- Matrices. */

/* A square matrix with the vector v on diagonal k. */
static kni_atom on_diagonal(kna_op *op, kni_atom v, int64_t k)
{
    kni_builder *b = op->b;
    if (kna_failed(op))
        return v;
    kni_type t = knb_type(b, v);
    if (knl_is_extent(k) && !kna_need_number(op, k, "the number of a diagonal"))
        return v;
    int64_t away = k == INT64_MIN ? INT64_MAX : k < 0 ? -k : k, low = k < 0 ? away : 0, high = k > 0 ? k : 0;
    if (away > INT64_MAX / 2 - t.dim[0]) {
        kna_fail(op, KN_ERROR_MEMORY, "the matrix is too large");
        return v;
    }
    int64_t n = t.dim[0] + away, square[] = {n, n}, rows = 0;
    kna_fail_with(op, kni_type_check_size(kni_type_of(t.dtype, 2, square)));
    if (kna_failed(op))
        return v;
    if (away)
        v = knb_pad(b, v, knb_number(b, t.dtype, 0), &low, &high, NULL);
    kni_atom row = knb_iota(b, KN_DT(I64), 2, square, 0), column = knb_iota(b, KN_DT(I64), 2, square, 1);
    kni_atom there = knb_eq(b, knb_add(b, row, knb_integer(b, KN_DT(I64), k)), column);
    kni_atom values = knb_broadcast_in_dim(b, v, 2, square, &rows);
    return knb_select(b, there, values, knb_full(b, kni_type_of(t.dtype, 2, square), 0));
}

kn_array kn_diag(kn_array v, const kn_diag_opts *opts)
{
    KNX_OPTS(kn_diag_opts, o, opts);
    kna_op op;
    kna_begin(&op, "diag");
    kni_type t = kna_type(&op, v);
    if (!kna_failed(&op) && t.ndim == 2) {
        kn_array y = knl_diagonal("diag", v, o.k, 0, 1);
        kna_end_plain(&op);
        return y;
    }
    if (!kna_failed(&op) && t.ndim != 1)
        kna_fail(&op, KN_ERROR_VALUE, "Input must be 1- or 2-d.");
    return kna_end(&op, on_diagonal(&op, kna_in(&op, v), o.k));
}

kn_array kn_diagflat(kn_array v, const kn_diag_opts *opts)
{
    KNX_OPTS(kn_diag_opts, o, opts);
    kna_op op;
    kna_begin(&op, "diagflat");
    return kna_end(&op, on_diagonal(&op, knl_flatten(&op, kna_in(&op, v)), o.k));
}

/* Where column - row <= k, in the last two axes. */
static kni_atom below(kna_op *op, int ndim, const int64_t *shape, int64_t k)
{
    kni_builder *b = op->b;
    kni_atom row = knb_iota(b, KN_DT(I64), ndim, shape, ndim - 2),
             column = knb_iota(b, KN_DT(I64), ndim, shape, ndim - 1);
    int64_t most = INT64_MAX / 2;
    k = k > most ? most : k < -most ? -most : k;
    return knb_ge(b, knb_add(b, row, knl_number_of(op, KN_DT(I64), k)), column);
}

kn_array kn_tri(int64_t n, const kn_eye_opts *opts)
{
    KNX_OPTS(kn_eye_opts, o, opts);
    kna_op op;
    kna_begin(&op, "tri");
    kn_dtype d = kna_lookup_dtype(o.dtype, kna_default_float());
    int64_t shape[] = {n < 0 ? 0 : n, o.M < 0 ? (n < 0 ? 0 : n) : o.M};
    kna_fail_with(&op, kni_type_check_size(kni_type_of(d, 2, shape)));
    return kna_end(&op, kna_failed(&op) ? KN_ATOM_NONE : knb_astype(op.b, below(&op, 2, shape, o.k), d));
}

static kn_array triangle(const char *name, kn_array m, const kn_diag_opts *opts, bool lower)
{
    KNX_OPTS(kn_diag_opts, o, opts);
    kna_op op;
    kna_begin(&op, name);
    kni_atom a = kna_in(&op, m);
    kn_shape shape = knl_shape_of(&op, a);
    if (!kna_failed(&op) && !shape.ndim)
        kna_fail(&op, KN_ERROR_TYPE, "tri() missing 1 required positional argument: 'N'");
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    kn_dtype d = knb_type(op.b, a).dtype;
    if (shape.ndim == 1) { /* a vector is a row, as often as it has elements */
        shape = (kn_shape){2, {shape.dim[0], shape.dim[0]}};
        a = knb_broadcast_to(op.b, a, knl_shaped(d, &shape));
    }
    kni_atom zero = knb_full(op.b, knl_shaped(d, &shape), 0);
    kni_atom low = below(&op, shape.ndim, shape.dim, lower ? o.k : o.k == INT64_MIN ? o.k : o.k - 1);
    return kna_end(&op, knb_select(op.b, low, lower ? a : zero, lower ? zero : a));
}

kn_array kn_tril(kn_array m, const kn_diag_opts *opts) { return triangle("tril", m, opts, true); }
kn_array kn_triu(kn_array m, const kn_diag_opts *opts) { return triangle("triu", m, opts, false); }

kn_array kn_vander(kn_array x, const kn_vander_opts *opts)
{
    KNX_OPTS(kn_vander_opts, o, opts);
    kna_op op;
    kna_begin(&op, "vander");
    kni_type t = kna_type(&op, x);
    if (!kna_failed(&op) && t.ndim != 1)
        kna_fail(&op, KN_ERROR_VALUE, "x must be a one-dimensional array or sequence.");
    bool number = !kna_failed(&op) && !knl_not_a_number(&op, "vander", t.dtype);
    kn_dtype d = number ? knx_promote(t.dtype, KN_DT(I64)) : NULL;
    kni_atom a = kna_in_as(&op, x, d);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    int64_t rows = t.dim[0], n = o.N < 0 ? rows : o.N, column[] = {rows, 1}, others[] = {rows, n - 1},
            empty[] = {rows, 0};
    if (!n)
        return kna_end(&op, knb_full(op.b, kni_type_of(d, 2, empty), 0));
    a = knb_reshape(op.b, a, 2, column);
    kni_atom y = knb_full(op.b, kni_type_of(d, 2, column), 1);
    if (knx_is_symbolic(n) || n > 1) { /* as NumPy: products one after the other, in few equations */
        kni_atom powers = knb_cumprod(op.b, knb_broadcast_to(op.b, a, kni_type_of(d, 2, others)), 1, false);
        y = knb_concatenate(op.b, 2, (const kni_atom[]){y, powers}, 1);
        y = o.increasing ? y : knb_rev(op.b, y, 1, (const int64_t[]){1});
    }
    return kna_end(&op, y);
}
