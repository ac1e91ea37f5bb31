/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/optim/projections.hpp -- the functions of kiln/optim/projections.h in C++. */
/* Made by scripts/make-api.py from api/optim/projections.api. */
/* clang-format off */
#ifndef KILN_CPP_OPTIM_PROJECTIONS_HPP
#define KILN_CPP_OPTIM_PROJECTIONS_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
namespace optim {
/* optax.projections.projection_non_negative: onto the trees without negative elements: they become 0 */
inline pytree projection_non_negative(const ::kiln::pytree &tree, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_optim_projection_non_negative(tree.c()))); }
/* optax.projections.projection_hypercube: onto 0 <= x <= scale */
inline pytree projection_hypercube(const ::kiln::pytree &tree, double scale, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_optim_projection_hypercube(tree.c(), scale))); }
/* optax.projections.projection_simplex: onto the trees without negative elements whose sum is scale, all elements
 * taken together (Duchi et al. 2008) */
inline pytree projection_simplex(const ::kiln::pytree &tree, double scale, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_optim_projection_simplex(tree.c(), scale))); }
/* optax.projections.projection_l1_sphere: onto the trees whose sum of |x| is scale */
inline pytree projection_l1_sphere(const ::kiln::pytree &tree, double scale, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_optim_projection_l1_sphere(tree.c(), scale))); }
/* optax.projections.projection_l1_ball: onto the trees whose sum of |x| is at most scale */
inline pytree projection_l1_ball(const ::kiln::pytree &tree, double scale, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_optim_projection_l1_ball(tree.c(), scale))); }
/* optax.projections.projection_l2_sphere: onto the trees of norm scale */
inline pytree projection_l2_sphere(const ::kiln::pytree &tree, double scale, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_optim_projection_l2_sphere(tree.c(), scale))); }
/* optax.projections.projection_l2_ball: onto the trees whose norm is at most scale */
inline pytree projection_l2_ball(const ::kiln::pytree &tree, double scale, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_optim_projection_l2_ball(tree.c(), scale))); }
/* optax.projections.projection_linf_ball: onto the trees whose elements are of size scale at most */
inline pytree projection_linf_ball(const ::kiln::pytree &tree, double scale, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_optim_projection_linf_ball(tree.c(), scale))); }
/* optax.projections.projection_box: onto lower <= x <= upper: numbers, or arrays that broadcast to each leaf */
inline pytree projection_box(const ::kiln::pytree &tree, const ::kiln::operand &lower, const ::kiln::operand &upper,
    place where = here())
{ detail::call c_(where); kn_array lower_h = lower.c(); kn_array upper_h = upper.c(); c_.here(); return
    pytree(c_.take(kn_optim_projection_box(tree.c(), lower_h, upper_h))); }
/* optax.projections.projection_vector: onto the multiples of a */
inline pytree projection_vector(const ::kiln::pytree &x, const ::kiln::pytree &a, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_optim_projection_vector(x.c(), a.c()))); }
/* optax.projections.projection_hyperplane: onto the trees whose product with a is = b */
inline pytree projection_hyperplane(const ::kiln::pytree &x, const ::kiln::pytree &a, const ::kiln::operand &b, place
    where = here())
{ detail::call c_(where); kn_array b_h = b.c(); c_.here(); return pytree(c_.take(kn_optim_projection_hyperplane(x.c(),
    a.c(), b_h))); }
/* optax.projections.projection_halfspace: onto the trees whose product with a is <= b */
inline pytree projection_halfspace(const ::kiln::pytree &x, const ::kiln::pytree &a, const ::kiln::operand &b, place
    where = here())
{ detail::call c_(where); kn_array b_h = b.c(); c_.here(); return pytree(c_.take(kn_optim_projection_halfspace(x.c(),
    a.c(), b_h))); }
} // namespace optim
} // namespace kiln
#endif
