/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/optim/trees.hpp -- the functions of kiln/optim/trees.h in C++. */
/* Made by scripts/make-api.py from api/optim/trees.api. */
/* clang-format off */
#ifndef KILN_CPP_OPTIM_TREES_HPP
#define KILN_CPP_OPTIM_TREES_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
namespace optim {
/* optax.tree.add: x + y, leaf by leaf: a new tree. ValueError for trees of different structures */
inline pytree tree_add(const ::kiln::pytree &tree_x, const ::kiln::pytree &tree_y, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_optim_tree_add(tree_x.c(), tree_y.c()))); }
/* optax.tree.sub: x - y, leaf by leaf: a new tree. ValueError for trees of different structures */
inline pytree tree_sub(const ::kiln::pytree &tree_x, const ::kiln::pytree &tree_y, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_optim_tree_sub(tree_x.c(), tree_y.c()))); }
/* optax.tree.mul: x y, leaf by leaf: a new tree. ValueError for trees of different structures */
inline pytree tree_mul(const ::kiln::pytree &tree_x, const ::kiln::pytree &tree_y, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_optim_tree_mul(tree_x.c(), tree_y.c()))); }
/* optax.tree.div: x / y, leaf by leaf: a new tree. ValueError for trees of different structures */
inline pytree tree_div(const ::kiln::pytree &tree_x, const ::kiln::pytree &tree_y, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_optim_tree_div(tree_x.c(), tree_y.c()))); }
/* optax.tree.scale: scalar times each leaf */
inline pytree tree_scale(const ::kiln::operand &scalar, const ::kiln::pytree &tree, place where = here())
{ detail::call c_(where); kn_array scalar_h = scalar.c(); c_.here(); return pytree(c_.take(kn_optim_tree_scale(scalar_h,
    tree.c()))); }
/* optax.tree.add_scale: x + scalar y, leaf by leaf */
inline pytree tree_add_scale(const ::kiln::pytree &tree_x, const ::kiln::operand &scalar, const ::kiln::pytree &tree_y,
    place where = here())
{ detail::call c_(where); kn_array scalar_h = scalar.c(); c_.here(); return
    pytree(c_.take(kn_optim_tree_add_scale(tree_x.c(), scalar_h, tree_y.c()))); }
/* optax.tree.vdot: the sum of conj(x) y over all elements of all leaves: a number */
inline array tree_vdot(const ::kiln::pytree &tree_x, const ::kiln::pytree &tree_y, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_optim_tree_vdot(tree_x.c(), tree_y.c()))); }
/* optax.tree.sum: the sum of all elements of all leaves: a number */
inline array tree_sum(const ::kiln::pytree &tree, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_optim_tree_sum(tree.c()))); }
/* optax.tree.max: the largest element of all leaves; -inf without elements */
inline array tree_max(const ::kiln::pytree &tree, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_optim_tree_max(tree.c()))); }
/* optax.tree.min: the smallest element of all leaves; inf without elements */
inline array tree_min(const ::kiln::pytree &tree, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_optim_tree_min(tree.c()))); }
/* optax.tree.zeros_like: zeros in the place of all elements */
inline pytree tree_zeros_like(const ::kiln::pytree &tree, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_optim_tree_zeros_like(tree.c()))); }
/* optax.tree.ones_like: ones in the place of all elements */
inline pytree tree_ones_like(const ::kiln::pytree &tree, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_optim_tree_ones_like(tree.c()))); }
/* optax.tree.full_like: a value in the place of all elements, in their dtypes */
inline pytree tree_full_like(const ::kiln::pytree &tree, const ::kiln::operand &fill_value, place where = here())
{ detail::call c_(where); kn_array fill_value_h = fill_value.c(); c_.here(); return
    pytree(c_.take(kn_optim_tree_full_like(tree.c(), fill_value_h))); }
/* optax.tree.clip: each element cut to min_value .. max_value */
inline pytree tree_clip(const ::kiln::pytree &tree, const ::kiln::operand &min_value, const ::kiln::operand &max_value,
    place where = here())
{ detail::call c_(where); kn_array min_value_h = min_value.c(); kn_array max_value_h = max_value.c(); c_.here(); return
    pytree(c_.take(kn_optim_tree_clip(tree.c(), min_value_h, max_value_h))); }
/* optax.tree.conj: the complex conjugate of each leaf */
inline pytree tree_conj(const ::kiln::pytree &tree, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_optim_tree_conj(tree.c()))); }
/* optax.tree.real: the real part of each leaf */
inline pytree tree_real(const ::kiln::pytree &tree, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_optim_tree_real(tree.c()))); }
/* optax.tree.size: how many elements there are in all leaves together; -1 with an error */
inline int64_t tree_size(const ::kiln::pytree &tree, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_optim_tree_size(tree.c())); }
/* optax.tree.cast: each leaf in this dtype */
inline pytree tree_cast(const ::kiln::pytree &tree, const ::kiln::dtype &dtype, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_optim_tree_cast(tree.c(), dtype))); }
/* optax.tree.cast_like: each leaf in the dtype of the other tree's */
inline pytree tree_cast_like(const ::kiln::pytree &tree, const ::kiln::pytree &other_tree, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_optim_tree_cast_like(tree.c(), other_tree.c()))); }
/* optax.tree.where: x where the condition (a truth value, or one that broadcasts) holds, else y, leaf by leaf */
inline pytree tree_where(const ::kiln::operand &condition, const ::kiln::pytree &tree_x, const ::kiln::pytree &tree_y,
    place where = here())
{ detail::call c_(where); kn_array condition_h = condition.c(); c_.here(); return
    pytree(c_.take(kn_optim_tree_where(condition_h, tree_x.c(), tree_y.c()))); }
/* optax.tree.update_moment: (1 - decay) g^order + decay m, leaf by leaf */
inline pytree tree_update_moment(const ::kiln::pytree &updates, const ::kiln::pytree &moments, double decay, int order,
    place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_optim_tree_update_moment(updates.c(), moments.c(), decay,
    order))); }
/* optax.tree.update_moment_per_elem_norm: the same with |g| for complex elements */
inline pytree tree_update_moment_per_elem_norm(const ::kiln::pytree &updates, const ::kiln::pytree &moments, double
    decay, int order, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_optim_tree_update_moment_per_elem_norm(updates.c(),
    moments.c(), decay, order))); }
/* optax.tree.update_infinity_moment: max(|g| + eps, decay m), leaf by leaf */
inline pytree tree_update_infinity_moment(const ::kiln::pytree &updates, const ::kiln::pytree &moments, double decay,
    double eps, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_optim_tree_update_infinity_moment(updates.c(),
    moments.c(), decay, eps))); }
/* optax.tree.bias_correction: each leaf divided by 1 - decay^count */
inline pytree tree_bias_correction(const ::kiln::pytree &moment, double decay, const ::kiln::operand &count, place
    where = here())
{ detail::call c_(where); kn_array count_h = count.c(); c_.here(); return
    pytree(c_.take(kn_optim_tree_bias_correction(moment.c(), decay, count_h))); }
/* optax.tree.split_key_like: a key for each leaf: a tree like it */
inline pytree tree_split_key_like(const ::kiln::operand &rng_key, const ::kiln::pytree &target_tree, place
    where = here())
{ detail::call c_(where); kn_array rng_key_h = rng_key.c(); c_.here(); return
    pytree(c_.take(kn_optim_tree_split_key_like(rng_key_h, target_tree.c()))); }
/* optax.tree.random_like: normal random numbers in the place of all elements, in their dtypes */
inline pytree tree_random_like(const ::kiln::operand &rng_key, const ::kiln::pytree &target_tree, place where = here())
{ detail::call c_(where); kn_array rng_key_h = rng_key.c(); c_.here(); return
    pytree(c_.take(kn_optim_tree_random_like(rng_key_h, target_tree.c()))); }
/* optax.safe_increment: count + 1, and the largest number of its dtype stays. TypeError for what is neither integer
 * nor float */
inline array safe_increment(const ::kiln::operand &count, place where = here())
{ detail::call c_(where); kn_array count_h = count.c(); c_.here(); return
    array::share(c_.take(kn_optim_safe_increment(count_h))); }
/* optax.safe_norm: the norm of x, or min_norm where it is not larger; its derivative is finite everywhere */
inline array safe_norm(const ::kiln::operand &x, double min_norm, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_optim_safe_norm(x_h,
    min_norm))); }
/* optax.safe_root_mean_squares: the root of the mean of |x|^2, or min_rms where it is not larger; its derivative is
 * finite everywhere */
inline array safe_root_mean_squares(const ::kiln::operand &x, double min_rms, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return
    array::share(c_.take(kn_optim_safe_root_mean_squares(x_h, min_rms))); }
/* optax.nnls: x >= 0 with the least |A x - b|, by iters steps of accelerated projected descent */
inline array nnls(const ::kiln::operand &A, const ::kiln::operand &b, int iters, place where = here())
{ detail::call c_(where); kn_array A_h = A.c(); kn_array b_h = b.c(); c_.here(); return
    array::share(c_.take(kn_optim_nnls(A_h, b_h, iters))); }
struct power_iteration_opts {
    KILN_OPTION((::kiln::array), v0, {}) /* the first vector */
    KILN_OPTION((int), num_iters, 100) /* at most */
    KILN_OPTION((double), error_tolerance, 1e-6) /* relative, of the eigenvalue */
    kn_optim_power_iteration_opts c() const {
        kn_optim_power_iteration_opts to_ = {}; to_.size_ = sizeof to_; to_.v0 = detail::c_of(v0);
        to_.num_iters = detail::c_of(num_iters); to_.error_tolerance = detail::c_of(error_tolerance); return to_; }
};
} // namespace optim
struct power_iteration_result { array eigenvalue; array eigenvector; };
namespace optim {
/* optax.power_iteration: the eigenvalue of the largest size of a symmetric matrix, and its eigenvector */
inline ::kiln::power_iteration_result power_iteration(const ::kiln::operand &matrix, const
    ::kiln::optim::power_iteration_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array matrix_h = matrix.c(); kn_optim_power_iteration_opts opts_c = opts.c(); c_.here();
    kn_power_iteration_result r_ = c_.value(kn_optim_power_iteration(matrix_h, &opts_c)); return
    ::kiln::power_iteration_result{array::share(r_.eigenvalue), array::share(r_.eigenvector)}; }
struct matrix_inverse_pth_root_opts {
    KILN_OPTION((int), num_iters, 100) /* at most */
    KILN_OPTION((double), ridge_epsilon, 1e-6) /* times the largest eigenvalue: what is added to the diagonal */
    KILN_OPTION((double), error_tolerance, 1e-6) /* of the largest element: how near the identity is near enough */
    kn_optim_matrix_inverse_pth_root_opts c() const {
        kn_optim_matrix_inverse_pth_root_opts to_ = {}; to_.size_ = sizeof to_; to_.num_iters = detail::c_of(num_iters);
        to_.ridge_epsilon = detail::c_of(ridge_epsilon); to_.error_tolerance = detail::c_of(error_tolerance); return
        to_; }
};
} // namespace optim
struct matrix_inverse_pth_root_result { array root; array error; };
namespace optim {
/* optax.matrix_inverse_pth_root: the matrix to the power of -1/p, for a symmetric one without negative eigenvalues,
 * by coupled Newton steps: of the matrix's dtype, and how far from the identity they ended (the largest element's
 * size). As in optax the step's weight is -1/p in float32, for float64 matrices, too, and the matrix is (n, n) with
 * n > 0. Any positive p (those of optax are 1, 2, 4 and 8) */
inline ::kiln::matrix_inverse_pth_root_result matrix_inverse_pth_root(const ::kiln::operand &matrix, int p, const
    ::kiln::optim::matrix_inverse_pth_root_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array matrix_h = matrix.c(); kn_optim_matrix_inverse_pth_root_opts opts_c = opts.c();
    c_.here(); kn_matrix_inverse_pth_root_result r_ = c_.value(kn_optim_matrix_inverse_pth_root(matrix_h, p, &opts_c));
    return ::kiln::matrix_inverse_pth_root_result{array::share(r_.root), array::share(r_.error)}; }
struct tree_map_params_opts {
    KILN_OPTION((::kiln::fn), transform_non_params, {})
    kn_optim_tree_map_params_opts c() const {
        kn_optim_tree_map_params_opts to_ = {}; to_.size_ = sizeof to_;
        to_.transform_non_params = detail::c_of(transform_non_params); return to_; }
};
/* optax.tree_map_params: a tree like the optimizer's state of what f makes of the arrays that belong to one
 * parameter each (moments, traces, sums of gradients; not counts and rates). f is a function of that array and of
 * the parameter's leaf of each of the n trees in rest, which are like the parameters. Of params, the parameters that
 * the state is of, the types count alone. Parameters that a mask leaves out have no arrays in the state. ValueError
 * for a state that is not the optimizer's, or for trees of another number of leaves */
inline pytree tree_map_params(const ::kiln::handle<kn_optimizer> &initable, const ::kiln::fn &f, const ::kiln::pytree
    &state, const ::kiln::pytree &params, const std::vector<kn_tree> &rest, const ::kiln::optim::tree_map_params_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_tree_map_params_opts opts_c = opts.c(); c_.here(); return
    pytree(c_.take(kn_optim_tree_map_params(initable.c(), f.c(), state.c(), params.c(), static_cast<int>(rest.size()),
    rest.data(), &opts_c))); }
struct tree_allclose_opts {
    KILN_OPTION((double), rtol, 1e-5) /* relative to b */
    KILN_OPTION((double), atol, 1e-8) /* added to it */
    KILN_OPTION((bool), equal_nan, {}) /* NaNs are equal */
    kn_optim_tree_allclose_opts c() const {
        kn_optim_tree_allclose_opts to_ = {}; to_.size_ = sizeof to_; to_.rtol = detail::c_of(rtol);
        to_.atol = detail::c_of(atol); to_.equal_nan = detail::c_of(equal_nan); return to_; }
};
/* optax.tree.allclose: are all elements of all leaves close, |a - b| <= atol + rtol |b|? A truth value. ValueError
 * for trees of different structures */
inline array tree_allclose(const ::kiln::pytree &a, const ::kiln::pytree &b, const ::kiln::optim::tree_allclose_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_tree_allclose_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_optim_tree_allclose(a.c(), b.c(), &opts_c))); }
/* optax.tree.batch_shape: each leaf with these extents in front, broadcast */
inline pytree tree_batch_shape(const ::kiln::pytree &tree, const ::kiln::shape &shape, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_optim_tree_batch_shape(tree.c(), &shape))); }
/* optax.tree.dtype: the dtype of all leaves; the default one without leaves. Leaves of several dtypes are a
 * ValueError without a handler (NULL); "promote": the dtype that they have together; "highest", "lowest": that of
 * the leaf to which, or from which, all others promote (ValueError if there is none) */
inline ::kiln::dtype tree_dtype(const ::kiln::pytree &tree, const ::kiln::text &mixed_dtype_handler, place
    where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_optim_tree_dtype(tree.c(), mixed_dtype_handler.c())); }
/* optax.scale_gradient: the same values, whose derivatives are scaled */
inline pytree scale_gradient(const ::kiln::pytree &inputs, double scale, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_optim_scale_gradient(inputs.c(), scale))); }
} // namespace optim
} // namespace kiln
#endif
