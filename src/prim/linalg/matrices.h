/* SPDX-License-Identifier: Apache-2.0
 * matrices.h -- what rows of linear algebra share: matrices are the last two axes, and routines work on one after the
 * other, those of a stack on several threads. */
#ifndef KN_PRIM_LINALG_MATRICES_H
#define KN_PRIM_LINALG_MATRICES_H
#include "host/routine/linalg.h"
#include "prim/rules.h"

/* Matrices of float32, float64 or complex numbers, or the error for others. */
knx_error *knp_check_matrices(kni_type x, bool square);

typedef struct knp_extents {
    int64_t batch, m, n;
} knp_extents;
knp_extents knp_extents_of(kni_type t);
/* The system of each matrix of a triangular_solve whose right-hand sides are of type b. */
knr_triangular knp_triangular_of(const kni_p_triangular_solve *p, kni_type b);

/* A result with the axes in front of x's matrices, then n more. */
knx_error *knp_type_behind(const kni_rule *r, kni_type x, kn_dtype d, int n, const int64_t *dim, kni_type *y);

/* A routine for each matrix: x and y are those of one; false if it failed. `workspace`: the bytes it needs, a function
 * of the extents. How much memory that is follows from numbers, so where extents are unknown knp_matrix_workspace asks
 * for none, and knp_each_matrix takes it when it runs. The rows have the bit KN_THREADS: the matrices of a stack are
 * shared out, each thread with a workspace of its own; a matrix alone may be worked on by r->threads threads, which is
 * 1 in a stack. `workspace` is told the same number, or a larger one. */
typedef struct knp_matrix_routine {
    bool (*one)(const kni_rule *r, const void *const *x, void *const *y, void *workspace);
    size_t (*workspace)(const kni_rule *r);
    /* `count` of them, one behind the other, for stacks that `has_many` says it of; NULL: there is none */
    bool (*many)(const kni_rule *r, int64_t count, const void *const *x, void *const *y, void *workspace);
    bool (*has_many)(const kni_rule *r);
    bool always_many;   /* also for a matrix alone */
    bool vectors_first; /* the last operand has matrices, not the first one */
} knp_matrix_routine;
enum { KNP_MATRIX_OPERANDS = 4 /* and results, at most */ };
knx_bytes knp_matrix_workspace(const kni_rule *r, const knp_matrix_routine *f);
/* `well`: every matrix did */
knx_error *knp_each_matrix(const kni_rule *r, const kni_routine_args *args, const knp_matrix_routine *f, bool *well);

/* A LinAlgError of the operation that the equation is part of, also inside of a traced function. */
knx_error *knp_linalg_failure(kni_factor_check check, const char *text);

/* All operands with one more axis in front. */
knx_error *knp_batch_all_in_front(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out);

/* Column `spread`: stacks, and axis d of operand i, each of whose right-hand sides is solved by itself. */
void knp_spread_sides(const kni_rule *r, kni_spread *s, int i, int d);

/* NotImplementedError, as in JAX. */
void knp_jvp_refused(const kni_rule *r, const kni_atom *tx, kni_atom *ty);

/* Compositions for derivatives. */
kni_atom knp_adjoint(kni_builder *b, kni_atom x);
kni_atom knp_product3(kni_builder *b, kni_atom x, kni_atom y, kni_atom z);
kni_atom knp_diagonal(kni_builder *b, kni_atom x);                      /* the vector */
kni_atom knp_as_rows(kni_builder *b, kni_atom v, kni_type like);        /* element [i][j] is v[j], of like's shape */
kni_atom knp_as_columns(kni_builder *b, kni_atom v, kni_type like);     /* v[i] */
/* 1 / (v[j] - v[i]), in the dtype d; 0 where they are equal but for rounding: 8 eps of the largest |v| */
kni_atom knp_reciprocal_gaps(kni_builder *b, kni_atom v, kn_dtype d);
/* Has `inv`, `solve` (with so many columns on the right) and `det` a row of its own for such matrices? */
bool knp_is_small(kni_type a, int64_t columns);
/* The tangent of lu, packed as it is, for the tangent t of a matrix of type a. */
kni_atom knp_lu_tangent(kni_builder *b, kni_type a, kni_atom lu, kni_atom permutation, kni_atom t);
/* Columns (or rows) from .. to */
kni_atom knp_columns(kni_builder *b, kni_atom x, int64_t from, int64_t to);
kni_atom knp_rows(kni_builder *b, kni_atom x, int64_t from, int64_t to);
#endif
