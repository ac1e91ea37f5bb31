/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/optim/assignment.hpp -- the functions of kiln/optim/assignment.h in C++. */
/* Made by scripts/make-api.py from api/optim/assignment.api. */
/* clang-format off */
#ifndef KILN_CPP_OPTIM_ASSIGNMENT_HPP
#define KILN_CPP_OPTIM_ASSIGNMENT_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
struct assignment_result { array i; array j; };
namespace optim {
/* optax.assignment.hungarian_algorithm: as many rows i and columns j as the smaller extent of the matrix (n, m) of
 * costs, no row and no column twice, with the least sum of costs[i, j]: the Hungarian algorithm, in min(n, m)^2
 * max(n, m) steps. Real costs of any dtype, worked with in the default float dtype or theirs if that is wider;
 * integer results, which have no derivative (the chosen costs have: they are elements of the matrix). A square
 * matrix has j in ascending order; in others i (or, of more rows than columns, j) descends. A matrix without
 * elements has no pairs. Of costs without an assignment (NaN, a row of infinities) the pairs mean nothing.
 * ValueError for what is no matrix, TypeError for complex costs */
inline ::kiln::assignment_result hungarian_algorithm(const ::kiln::operand &cost_matrix, place where = here())
{ detail::call c_(where); kn_array cost_matrix_h = cost_matrix.c(); c_.here(); kn_assignment_result
    r_ = c_.value(kn_optim_hungarian_algorithm(cost_matrix_h)); return ::kiln::assignment_result{array::share(r_.i),
    array::share(r_.j)}; }
/* optax.assignment.base_hungarian_algorithm: the same by another form of the algorithm (Crouse 2016), in the default
 * float dtype: i ascends. Where several assignments cost the same it may find another one */
inline ::kiln::assignment_result base_hungarian_algorithm(const ::kiln::operand &cost_matrix, place where = here())
{ detail::call c_(where); kn_array cost_matrix_h = cost_matrix.c(); c_.here(); kn_assignment_result
    r_ = c_.value(kn_optim_base_hungarian_algorithm(cost_matrix_h)); return
    ::kiln::assignment_result{array::share(r_.i), array::share(r_.j)}; }
} // namespace optim
} // namespace kiln
#endif
