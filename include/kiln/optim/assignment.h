/* SPDX-License-Identifier: Apache-2.0
 * kiln/optim/assignment.h -- the linear assignment problem, as optax.assignment: which row goes with which column,
 * so that the sum of their costs is least. Both functions work in traces and under kn_vmap, too. */
/* Made by scripts/make-api.py from api/optim/assignment.api. */
/* clang-format off */
#ifndef KILN_OPTIM_ASSIGNMENT_H
#define KILN_OPTIM_ASSIGNMENT_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Pairs of rows and columns: the costs are those of (i[k], j[k]). */
typedef struct kn_assignment_result { kn_array i, j; } kn_assignment_result;
/* optax.assignment.hungarian_algorithm: as many rows i and columns j as the smaller extent of the matrix (n, m) of
 * costs, no row and no column twice, with the least sum of costs[i, j]: the Hungarian algorithm, in min(n, m)^2
 * max(n, m) steps. Real costs of any dtype, worked with in the default float dtype or theirs if that is wider;
 * integer results, which have no derivative (the chosen costs have: they are elements of the matrix). A square
 * matrix has j in ascending order; in others i (or, of more rows than columns, j) descends. A matrix without
 * elements has no pairs. Of costs without an assignment (NaN, a row of infinities) the pairs mean nothing.
 * ValueError for what is no matrix, TypeError for complex costs */
KN_API kn_assignment_result kn_optim_hungarian_algorithm(kn_array cost_matrix);
/* optax.assignment.base_hungarian_algorithm: the same by another form of the algorithm (Crouse 2016), in the default
 * float dtype: i ascends. Where several assignments cost the same it may find another one */
KN_API kn_assignment_result kn_optim_base_hungarian_algorithm(kn_array cost_matrix);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_optim_hungarian_algorithm(cost_matrix) KN_F1(kn_optim_hungarian_algorithm, cost_matrix)
#define kn_optim_base_hungarian_algorithm(cost_matrix) KN_F1(kn_optim_base_hungarian_algorithm, cost_matrix)
#endif
#endif
