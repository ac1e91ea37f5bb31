/* SPDX-License-Identifier: Apache-2.0
 * kiln/optim/projections.h -- projections of trees onto sets, as optax.projections: the nearest tree of the set, all
 * elements of all leaves taken together. All of them work in traces, too. */
/* Made by scripts/make-api.py from api/optim/projections.api. */
/* clang-format off */
#ifndef KILN_OPTIM_PROJECTIONS_H
#define KILN_OPTIM_PROJECTIONS_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* optax.projections.projection_non_negative: onto the trees without negative elements: they become 0 */
KN_API kn_tree kn_optim_projection_non_negative(kn_tree tree);
/* optax.projections.projection_hypercube: onto 0 <= x <= scale */
KN_API kn_tree kn_optim_projection_hypercube(kn_tree tree, double scale);
/* optax.projections.projection_simplex: onto the trees without negative elements whose sum is scale, all elements
 * taken together (Duchi et al. 2008) */
KN_API kn_tree kn_optim_projection_simplex(kn_tree tree, double scale);
/* optax.projections.projection_l1_sphere: onto the trees whose sum of |x| is scale */
KN_API kn_tree kn_optim_projection_l1_sphere(kn_tree tree, double scale);
/* optax.projections.projection_l1_ball: onto the trees whose sum of |x| is at most scale */
KN_API kn_tree kn_optim_projection_l1_ball(kn_tree tree, double scale);
/* optax.projections.projection_l2_sphere: onto the trees of norm scale */
KN_API kn_tree kn_optim_projection_l2_sphere(kn_tree tree, double scale);
/* optax.projections.projection_l2_ball: onto the trees whose norm is at most scale */
KN_API kn_tree kn_optim_projection_l2_ball(kn_tree tree, double scale);
/* optax.projections.projection_linf_ball: onto the trees whose elements are of size scale at most */
KN_API kn_tree kn_optim_projection_linf_ball(kn_tree tree, double scale);
/* optax.projections.projection_box: onto lower <= x <= upper: numbers, or arrays that broadcast to each leaf */
KN_API kn_tree kn_optim_projection_box(kn_tree tree, kn_array lower, kn_array upper);
/* optax.projections.projection_vector: onto the multiples of a */
KN_API kn_tree kn_optim_projection_vector(kn_tree x, kn_tree a);
/* optax.projections.projection_hyperplane: onto the trees whose product with a is = b */
KN_API kn_tree kn_optim_projection_hyperplane(kn_tree x, kn_tree a, kn_array b);
/* optax.projections.projection_halfspace: onto the trees whose product with a is <= b */
KN_API kn_tree kn_optim_projection_halfspace(kn_tree x, kn_tree a, kn_array b);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_optim_projection_non_negative(tree) KN_G1(kn_optim_projection_non_negative, kn_tree, tree)
#define kn_optim_projection_hypercube(tree, scale) KN_G2(kn_optim_projection_hypercube, kn_tree, tree, double, scale)
#define kn_optim_projection_simplex(tree, scale) KN_G2(kn_optim_projection_simplex, kn_tree, tree, double, scale)
#define kn_optim_projection_l1_sphere(tree, scale) KN_G2(kn_optim_projection_l1_sphere, kn_tree, tree, double, scale)
#define kn_optim_projection_l1_ball(tree, scale) KN_G2(kn_optim_projection_l1_ball, kn_tree, tree, double, scale)
#define kn_optim_projection_l2_sphere(tree, scale) KN_G2(kn_optim_projection_l2_sphere, kn_tree, tree, double, scale)
#define kn_optim_projection_l2_ball(tree, scale) KN_G2(kn_optim_projection_l2_ball, kn_tree, tree, double, scale)
#define kn_optim_projection_linf_ball(tree, scale) KN_G2(kn_optim_projection_linf_ball, kn_tree, tree, double, scale)
#define kn_optim_projection_box(tree, lower, upper) KN_OPTIM_PROJECTION_BOX_(__COUNTER__, tree, lower, upper)
#define KN_OPTIM_PROJECTION_BOX_(c, tree, lower, upper)                                                                \
    __extension__({ KN_TAKE(kn_tree, 1, c, tree) kn_array KN_V(2, c) = KN_LIKE(lower); kn_array                        \
    KN_V(3, c) = KN_LIKE(upper); KN_HERE(); (kn_optim_projection_box)(KN_V(1, c), KN_V(2, c), KN_V(3, c)); })
#define kn_optim_projection_vector(x, a) KN_G2(kn_optim_projection_vector, kn_tree, x, kn_tree, a)
#define kn_optim_projection_hyperplane(x, a, b) KN_OPTIM_PROJECTION_HYPERPLANE_(__COUNTER__, x, a, b)
#define KN_OPTIM_PROJECTION_HYPERPLANE_(c, x, a, b)                                                                    \
    __extension__({ KN_TAKE(kn_tree, 1, c, x) KN_TAKE(kn_tree, 2, c, a) kn_array KN_V(3, c) = KN_LIKE(b); KN_HERE();   \
    (kn_optim_projection_hyperplane)(KN_V(1, c), KN_V(2, c), KN_V(3, c)); })
#define kn_optim_projection_halfspace(x, a, b) KN_OPTIM_PROJECTION_HALFSPACE_(__COUNTER__, x, a, b)
#define KN_OPTIM_PROJECTION_HALFSPACE_(c, x, a, b)                                                                     \
    __extension__({ KN_TAKE(kn_tree, 1, c, x) KN_TAKE(kn_tree, 2, c, a) kn_array KN_V(3, c) = KN_LIKE(b); KN_HERE();   \
    (kn_optim_projection_halfspace)(KN_V(1, c), KN_V(2, c), KN_V(3, c)); })
#endif
#endif
