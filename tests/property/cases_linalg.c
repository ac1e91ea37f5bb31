/* SPDX-License-Identifier: Apache-2.0
 * cases_linalg.c -- samples of the factorisations and of triangular systems. */
#include "cases.h"

/* Of x with its diagonal raised, so that there is a factor. Only the lower triangle matters. */
static int build_cholesky(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    kni_type t = knb_type(b, x[0]);
    int64_t n = t.ndim ? t.dim[t.ndim - 1] : 0;
    kni_atom raised = knb_add(b, x[0], knb_like(b, x[0], (double)(2 * n + 2)));
    y[0] = knb_cholesky(b, knb_on_diagonal(b, x[0], raised, x[0]), n % 2 ? KN_CHECK_CHOLESKY : KN_CHECK_NONE);
    return 1;
}

/* Of x with its diagonal raised and the rows in reverse order: the pivots stay the same when elements move a little. */
static int build_lu(kni_builder *b, const kni_atom *x, kni_atom *y)
{
    kni_atom raised = knb_on_diagonal(b, x[0], knb_add(b, x[0], knb_like(b, x[0], (double)LU_RAISED)), x[0]);
    kni_type t = knb_type(b, raised);
    int64_t rows = t.ndim - 2;
    knb_lu(b, knb_rev(b, raised, 1, &rows), KN_CHECK_NONE, y);
    return 3;
}

#define INEXACT "f32 f64 c64 c128"
#define CHOLESKY(from)           \
    {.prim = &knp_prim_cholesky, \
     .dtypes = INEXACT,          \
     .operands = from,           \
     .whole = ref_cholesky,      \
     .build = build_cholesky,    \
     .lo = -1,                   \
     .hi = 1,                    \
     .ulp = 32},
#define RAISED_LU(name, from) \
    {.prim = &knp_prim_lu,    \
     .label = name,           \
     .dtypes = INEXACT,       \
     .operands = from,        \
     .whole = ref_raised_lu,  \
     .build = build_lu,       \
     .flags = ANY_ZERO,       \
     .ulp = 64},
#define LU(name, which, from)             \
    {.prim = &knp_prim_lu,                \
     .label = name,                       \
     .dtypes = INEXACT,                   \
     .operands = from,                    \
     .whole = ref_lu,                     \
     .params = &(kni_p_factorize){which}, \
     .flags = NO_SLOPE | ANY_ZERO,        \
     .ulp = 64},
#define PERMUTATION(name, size, from)            \
    {.prim = &knp_prim_lu_pivots_to_permutation, \
     .label = name,                              \
     .operands = from,                           \
     .whole = ref_lu_pivots_to_permutation,      \
     .params = &(kni_p_lu_pivots_to_permutation){size}},
/* left_side, lower, transpose_a, conjugate_a, unit_diagonal */
#define SOLVE(name, left, from, ...)                         \
    {.prim = &knp_prim_triangular_solve,                     \
     .label = name,                                          \
     .dtypes = INEXACT,                                      \
     .operands = from,                                       \
     .whole = ref_triangular_solve,                          \
     .params = &(kni_p_triangular_solve){left, __VA_ARGS__}, \
     .ulp = 64},
#define LEFT(name, ...) \
    SOLVE(name, true, "T[3,3]{2,3} T[3,2]; T[2,2,2]{2,3} T[2,2,1]; T[0,0] T[0,2]; T[2,2]{2,3} T[2,0]", __VA_ARGS__)
#define RIGHT(name, ...) \
    SOLVE(name, false, "T[3,3]{2,3} T[2,3]; T[2,2,2]{2,3} T[2,1,2]; T[0,0] T[2,0]; T[2,2]{2,3} T[0,2]", __VA_ARGS__)

const sample samples_linalg[] = {
#include "linalg.def"
    {.prim = NULL},
};
