/* SPDX-License-Identifier: Apache-2.0
 * kiln/optim/trees.h -- arithmetic of trees, as optax.tree (optax.tree_utils), and numbers that do not overflow. All
 * of them work in traces, too. */
/* Made by scripts/make-api.py from api/optim/trees.api. */
/* clang-format off */
#ifndef KILN_OPTIM_TREES_H
#define KILN_OPTIM_TREES_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* optax.tree.add: x + y, leaf by leaf: a new tree. ValueError for trees of different structures */
KN_API kn_tree kn_optim_tree_add(kn_tree tree_x, kn_tree tree_y);
/* optax.tree.sub: x - y, leaf by leaf: a new tree. ValueError for trees of different structures */
KN_API kn_tree kn_optim_tree_sub(kn_tree tree_x, kn_tree tree_y);
/* optax.tree.mul: x y, leaf by leaf: a new tree. ValueError for trees of different structures */
KN_API kn_tree kn_optim_tree_mul(kn_tree tree_x, kn_tree tree_y);
/* optax.tree.div: x / y, leaf by leaf: a new tree. ValueError for trees of different structures */
KN_API kn_tree kn_optim_tree_div(kn_tree tree_x, kn_tree tree_y);
KN_API kn_tree kn_optim_tree_scale(kn_array scalar, kn_tree tree); /* optax.tree.scale: scalar times each leaf */
/* optax.tree.add_scale: x + scalar y, leaf by leaf */
KN_API kn_tree kn_optim_tree_add_scale(kn_tree tree_x, kn_array scalar, kn_tree tree_y);
/* optax.tree.vdot: the sum of conj(x) y over all elements of all leaves: a number */
KN_API kn_array kn_optim_tree_vdot(kn_tree tree_x, kn_tree tree_y);
KN_API kn_array kn_optim_tree_sum(kn_tree tree); /* optax.tree.sum: the sum of all elements of all leaves: a number */
/* optax.tree.max: the largest element of all leaves; -inf without elements */
KN_API kn_array kn_optim_tree_max(kn_tree tree);
/* optax.tree.min: the smallest element of all leaves; inf without elements */
KN_API kn_array kn_optim_tree_min(kn_tree tree);
KN_API kn_tree kn_optim_tree_zeros_like(kn_tree tree); /* optax.tree.zeros_like: zeros in the place of all elements */
KN_API kn_tree kn_optim_tree_ones_like(kn_tree tree); /* optax.tree.ones_like: ones in the place of all elements */
/* optax.tree.full_like: a value in the place of all elements, in their dtypes */
KN_API kn_tree kn_optim_tree_full_like(kn_tree tree, kn_array fill_value);
/* optax.tree.clip: each element cut to min_value .. max_value */
KN_API kn_tree kn_optim_tree_clip(kn_tree tree, kn_array min_value, kn_array max_value);
KN_API kn_tree kn_optim_tree_conj(kn_tree tree); /* optax.tree.conj: the complex conjugate of each leaf */
KN_API kn_tree kn_optim_tree_real(kn_tree tree);                   /* optax.tree.real: the real part of each leaf */
/* optax.tree.size: how many elements there are in all leaves together; -1 with an error */
KN_API int64_t kn_optim_tree_size(kn_tree tree);
KN_API kn_tree kn_optim_tree_cast(kn_tree tree, kn_dtype dtype);   /* optax.tree.cast: each leaf in this dtype */
/* optax.tree.cast_like: each leaf in the dtype of the other tree's */
KN_API kn_tree kn_optim_tree_cast_like(kn_tree tree, kn_tree other_tree);
/* optax.tree.where: x where the condition (a truth value, or one that broadcasts) holds, else y, leaf by leaf */
KN_API kn_tree kn_optim_tree_where(kn_array condition, kn_tree tree_x, kn_tree tree_y);
/* optax.tree.update_moment: (1 - decay) g^order + decay m, leaf by leaf */
KN_API kn_tree kn_optim_tree_update_moment(kn_tree updates, kn_tree moments, double decay, int order);
/* optax.tree.update_moment_per_elem_norm: the same with |g| for complex elements */
KN_API kn_tree kn_optim_tree_update_moment_per_elem_norm(kn_tree updates, kn_tree moments, double decay, int order);
/* optax.tree.update_infinity_moment: max(|g| + eps, decay m), leaf by leaf */
KN_API kn_tree kn_optim_tree_update_infinity_moment(kn_tree updates, kn_tree moments, double decay, double eps);
/* optax.tree.bias_correction: each leaf divided by 1 - decay^count */
KN_API kn_tree kn_optim_tree_bias_correction(kn_tree moment, double decay, kn_array count);
/* optax.tree.split_key_like: a key for each leaf: a tree like it */
KN_API kn_tree kn_optim_tree_split_key_like(kn_array rng_key, kn_tree target_tree);
/* optax.tree.random_like: normal random numbers in the place of all elements, in their dtypes */
KN_API kn_tree kn_optim_tree_random_like(kn_array rng_key, kn_tree target_tree);
/* optax.safe_increment: count + 1, and the largest number of its dtype stays. TypeError for what is neither integer
 * nor float */
KN_API kn_array kn_optim_safe_increment(kn_array count);
/* optax.safe_norm: the norm of x, or min_norm where it is not larger; its derivative is finite everywhere */
KN_API kn_array kn_optim_safe_norm(kn_array x, double min_norm);
/* optax.safe_root_mean_squares: the root of the mean of |x|^2, or min_rms where it is not larger; its derivative is
 * finite everywhere */
KN_API kn_array kn_optim_safe_root_mean_squares(kn_array x, double min_rms);
/* optax.nnls: x >= 0 with the least |A x - b|, by iters steps of accelerated projected descent */
KN_API kn_array kn_optim_nnls(kn_array A, kn_array b, int iters);
typedef struct kn_power_iteration_result { kn_array eigenvalue, eigenvector; } kn_power_iteration_result;
typedef struct kn_optim_power_iteration_opts {
    size_t size_;
    kn_array v0;            /* NULL, uniform random numbers of the key 0: the first vector */
    int num_iters;          /* 100: at most */
    double error_tolerance; /* 1e-6: relative, of the eigenvalue */
} kn_optim_power_iteration_opts;
KN_API kn_optim_power_iteration_opts kn_optim_power_iteration_opts_default(void);
/* optax.power_iteration: the eigenvalue of the largest size of a symmetric matrix, and its eigenvector */
KN_API kn_power_iteration_result kn_optim_power_iteration(kn_array matrix, const kn_optim_power_iteration_opts *opts);
typedef struct kn_matrix_inverse_pth_root_result { kn_array root, error; } kn_matrix_inverse_pth_root_result;
typedef struct kn_optim_matrix_inverse_pth_root_opts {
    size_t size_;
    int num_iters;          /* 100: at most */
    double ridge_epsilon;   /* 1e-6: times the largest eigenvalue: what is added to the diagonal */
    double error_tolerance; /* 1e-6: of the largest element: how near the identity is near enough */
} kn_optim_matrix_inverse_pth_root_opts;
KN_API kn_optim_matrix_inverse_pth_root_opts kn_optim_matrix_inverse_pth_root_opts_default(void);
/* optax.matrix_inverse_pth_root: the matrix to the power of -1/p, for a symmetric one without negative eigenvalues,
 * by coupled Newton steps: of the matrix's dtype, and how far from the identity they ended (the largest element's
 * size). As in optax the step's weight is -1/p in float32, for float64 matrices, too, and the matrix is (n, n) with
 * n > 0. Any positive p (those of optax are 1, 2, 4 and 8) */
KN_API kn_matrix_inverse_pth_root_result kn_optim_matrix_inverse_pth_root(kn_array matrix, int p,
    const kn_optim_matrix_inverse_pth_root_opts *opts);
typedef struct kn_optim_tree_map_params_opts {
    size_t size_;
    /* of one array: for those that belong to no parameter, which stay as they are without it */
    kn_fn transform_non_params;
} kn_optim_tree_map_params_opts;
KN_API kn_optim_tree_map_params_opts kn_optim_tree_map_params_opts_default(void);
/* optax.tree_map_params: a tree like the optimizer's state of what f makes of the arrays that belong to one
 * parameter each (moments, traces, sums of gradients; not counts and rates). f is a function of that array and of
 * the parameter's leaf of each of the n trees in rest, which are like the parameters. Of params, the parameters that
 * the state is of, the types count alone. Parameters that a mask leaves out have no arrays in the state. ValueError
 * for a state that is not the optimizer's, or for trees of another number of leaves */
KN_API kn_tree kn_optim_tree_map_params(kn_optimizer initable, kn_fn f, kn_tree state, kn_tree params, int n,
    const kn_tree *rest, const kn_optim_tree_map_params_opts *opts);
typedef struct kn_optim_tree_allclose_opts {
    size_t size_;
    double rtol;    /* 1e-5: relative to b */
    double atol;    /* 1e-8: added to it */
    bool equal_nan; /* NaNs are equal */
} kn_optim_tree_allclose_opts;
KN_API kn_optim_tree_allclose_opts kn_optim_tree_allclose_opts_default(void);
/* optax.tree.allclose: are all elements of all leaves close, |a - b| <= atol + rtol |b|? A truth value. ValueError
 * for trees of different structures */
KN_API kn_array kn_optim_tree_allclose(kn_tree a, kn_tree b, const kn_optim_tree_allclose_opts *opts);
/* optax.tree.batch_shape: each leaf with these extents in front, broadcast */
KN_API kn_tree kn_optim_tree_batch_shape(kn_tree tree, const kn_shape *shape);
/* optax.tree.dtype: the dtype of all leaves; the default one without leaves. Leaves of several dtypes are a
 * ValueError without a handler (NULL); "promote": the dtype that they have together; "highest", "lowest": that of
 * the leaf to which, or from which, all others promote (ValueError if there is none) */
KN_API kn_dtype kn_optim_tree_dtype(kn_tree tree, const char *mixed_dtype_handler);
/* optax.scale_gradient: the same values, whose derivatives are scaled */
KN_API kn_tree kn_optim_scale_gradient(kn_tree inputs, double scale);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_optim_tree_add(tree_x, tree_y) KN_G2(kn_optim_tree_add, kn_tree, tree_x, kn_tree, tree_y)
#define kn_optim_tree_sub(tree_x, tree_y) KN_G2(kn_optim_tree_sub, kn_tree, tree_x, kn_tree, tree_y)
#define kn_optim_tree_mul(tree_x, tree_y) KN_G2(kn_optim_tree_mul, kn_tree, tree_x, kn_tree, tree_y)
#define kn_optim_tree_div(tree_x, tree_y) KN_G2(kn_optim_tree_div, kn_tree, tree_x, kn_tree, tree_y)
#define kn_optim_tree_scale(scalar, tree) KN_H1(kn_optim_tree_scale, scalar, kn_tree, tree)
#define kn_optim_tree_add_scale(tree_x, scalar, tree_y) KN_OPTIM_TREE_ADD_SCALE_(__COUNTER__, tree_x, scalar, tree_y)
#define KN_OPTIM_TREE_ADD_SCALE_(c, tree_x, scalar, tree_y)                                                            \
    __extension__({ KN_TAKE(kn_tree, 1, c, tree_x) kn_array KN_V(2, c) = KN_LIKE(scalar);                              \
    KN_TAKE(kn_tree, 3, c, tree_y) KN_HERE(); (kn_optim_tree_add_scale)(KN_V(1, c), KN_V(2, c), KN_V(3, c)); })
#define kn_optim_tree_vdot(tree_x, tree_y) KN_G2(kn_optim_tree_vdot, kn_tree, tree_x, kn_tree, tree_y)
#define kn_optim_tree_sum(tree) KN_G1(kn_optim_tree_sum, kn_tree, tree)
#define kn_optim_tree_max(tree) KN_G1(kn_optim_tree_max, kn_tree, tree)
#define kn_optim_tree_min(tree) KN_G1(kn_optim_tree_min, kn_tree, tree)
#define kn_optim_tree_zeros_like(tree) KN_G1(kn_optim_tree_zeros_like, kn_tree, tree)
#define kn_optim_tree_ones_like(tree) KN_G1(kn_optim_tree_ones_like, kn_tree, tree)
#define kn_optim_tree_full_like(tree, fill_value) KN_OPTIM_TREE_FULL_LIKE_(__COUNTER__, tree, fill_value)
#define KN_OPTIM_TREE_FULL_LIKE_(c, tree, fill_value)                                                                  \
    __extension__({ KN_TAKE(kn_tree, 1, c, tree) kn_array KN_V(2, c) = KN_LIKE(fill_value); KN_HERE();                 \
    (kn_optim_tree_full_like)(KN_V(1, c), KN_V(2, c)); })
#define kn_optim_tree_clip(tree, min_value, max_value) KN_OPTIM_TREE_CLIP_(__COUNTER__, tree, min_value, max_value)
#define KN_OPTIM_TREE_CLIP_(c, tree, min_value, max_value)                                                             \
    __extension__({ KN_TAKE(kn_tree, 1, c, tree) kn_array KN_V(2, c) = KN_LIKE(min_value); kn_array                    \
    KN_V(3, c) = KN_LIKE(max_value); KN_HERE(); (kn_optim_tree_clip)(KN_V(1, c), KN_V(2, c), KN_V(3, c)); })
#define kn_optim_tree_conj(tree) KN_G1(kn_optim_tree_conj, kn_tree, tree)
#define kn_optim_tree_real(tree) KN_G1(kn_optim_tree_real, kn_tree, tree)
#define kn_optim_tree_size(tree) KN_G1(kn_optim_tree_size, kn_tree, tree)
#define kn_optim_tree_cast(tree, dtype) KN_G2(kn_optim_tree_cast, kn_tree, tree, kn_dtype, dtype)
#define kn_optim_tree_cast_like(tree, other_tree) KN_G2(kn_optim_tree_cast_like, kn_tree, tree, kn_tree, other_tree)
#define kn_optim_tree_where(condition, tree_x, tree_y)                                                                 \
    KN_H2(kn_optim_tree_where, condition, kn_tree, tree_x, kn_tree, tree_y)
#define kn_optim_tree_update_moment(updates, moments, decay, order)                                                    \
    KN_OPTIM_TREE_UPDATE_MOMENT_(__COUNTER__, updates, moments, decay, order)
#define KN_OPTIM_TREE_UPDATE_MOMENT_(c, updates, moments, decay, order)                                                \
    __extension__({ KN_TAKE(kn_tree, 1, c, updates) KN_TAKE(kn_tree, 2, c, moments) KN_TAKE(double, 3, c, decay)       \
    KN_TAKE(int, 4, c, order) KN_HERE(); (kn_optim_tree_update_moment)(KN_V(1, c), KN_V(2, c), KN_V(3, c),             \
    KN_V(4, c)); })
#define kn_optim_tree_update_moment_per_elem_norm(updates, moments, decay, order)                                      \
    KN_OPTIM_TREE_UPDATE_MOMENT_PER_ELEM_NORM_(__COUNTER__, updates, moments, decay, order)
#define KN_OPTIM_TREE_UPDATE_MOMENT_PER_ELEM_NORM_(c, updates, moments, decay, order)                                  \
    __extension__({ KN_TAKE(kn_tree, 1, c, updates) KN_TAKE(kn_tree, 2, c, moments) KN_TAKE(double, 3, c, decay)       \
    KN_TAKE(int, 4, c, order) KN_HERE(); (kn_optim_tree_update_moment_per_elem_norm)(KN_V(1, c), KN_V(2, c),           \
    KN_V(3, c), KN_V(4, c)); })
#define kn_optim_tree_update_infinity_moment(updates, moments, decay, eps)                                             \
    KN_OPTIM_TREE_UPDATE_INFINITY_MOMENT_(__COUNTER__, updates, moments, decay, eps)
#define KN_OPTIM_TREE_UPDATE_INFINITY_MOMENT_(c, updates, moments, decay, eps)                                         \
    __extension__({ KN_TAKE(kn_tree, 1, c, updates) KN_TAKE(kn_tree, 2, c, moments) KN_TAKE(double, 3, c, decay)       \
    KN_TAKE(double, 4, c, eps) KN_HERE(); (kn_optim_tree_update_infinity_moment)(KN_V(1, c), KN_V(2, c), KN_V(3, c),   \
    KN_V(4, c)); })
#define kn_optim_tree_bias_correction(moment, decay, count)                                                            \
    KN_OPTIM_TREE_BIAS_CORRECTION_(__COUNTER__, moment, decay, count)
#define KN_OPTIM_TREE_BIAS_CORRECTION_(c, moment, decay, count)                                                        \
    __extension__({ KN_TAKE(kn_tree, 1, c, moment) KN_TAKE(double, 2, c, decay) kn_array KN_V(3, c) = KN_LIKE(count);  \
    KN_HERE(); (kn_optim_tree_bias_correction)(KN_V(1, c), KN_V(2, c), KN_V(3, c)); })
#define kn_optim_tree_split_key_like(rng_key, target_tree)                                                             \
    KN_H1(kn_optim_tree_split_key_like, rng_key, kn_tree, target_tree)
#define kn_optim_tree_random_like(rng_key, target_tree) KN_H1(kn_optim_tree_random_like, rng_key, kn_tree, target_tree)
#define kn_optim_safe_increment(count) KN_F1(kn_optim_safe_increment, count)
#define kn_optim_safe_norm(x, min_norm) KN_H1(kn_optim_safe_norm, x, double, min_norm)
#define kn_optim_safe_root_mean_squares(x, min_rms) KN_H1(kn_optim_safe_root_mean_squares, x, double, min_rms)
#define kn_optim_nnls(A, b, iters) KN_OPTIM_NNLS_(__COUNTER__, A, b, iters)
#define KN_OPTIM_NNLS_(c, A, b, iters)                                                                                 \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(A); kn_array KN_V(2, c) = KN_LIKE(b); KN_TAKE(int, 3, c, iters)      \
    KN_HERE(); (kn_optim_nnls)(KN_V(1, c), KN_V(2, c), KN_V(3, c)); })
#define kn_optim_power_iteration(matrix, ...)                                                                          \
    KN_F1O(kn_optim_power_iteration, kn_optim_power_iteration_opts, (.num_iters = 100, .error_tolerance = 1e-6, ),     \
    matrix, __VA_ARGS__)
#define kn_optim_matrix_inverse_pth_root(matrix, p, ...)                                                               \
    KN_H1O(kn_optim_matrix_inverse_pth_root, kn_optim_matrix_inverse_pth_root_opts, (.num_iters = 100,                 \
    .ridge_epsilon = 1e-6, .error_tolerance = 1e-6, ), matrix, int, p, __VA_ARGS__)
#define kn_optim_tree_map_params(initable, f, state, params, n, rest, ...)                                             \
    KN_OPTIM_TREE_MAP_PARAMS_(__COUNTER__, initable, f, state, params, n, rest, __VA_ARGS__)
#define KN_OPTIM_TREE_MAP_PARAMS_(c, initable, f, state, params, n, rest, ...)                                         \
    __extension__({ KN_TAKE(kn_optimizer, 1, c, initable) KN_TAKE(kn_fn, 2, c, f) KN_TAKE(kn_tree, 3, c, state)        \
    KN_TAKE(kn_tree, 4, c, params) KN_TAKE(int, 5, c, n) KN_TAKE(const kn_tree *, 6, c, rest) KN_OPTS(c,               \
    kn_optim_tree_map_params_opts, (), __VA_ARGS__) KN_HERE(); (kn_optim_tree_map_params)(KN_V(1, c), KN_V(2, c),      \
    KN_V(3, c), KN_V(4, c), KN_V(5, c), KN_V(6, c), KN_V(opt, c)); })
#define kn_optim_tree_allclose(a, b, ...)                                                                              \
    KN_G2O(kn_optim_tree_allclose, kn_optim_tree_allclose_opts, (.rtol = 1e-5, .atol = 1e-8, ), kn_tree, a, kn_tree,   \
    b, __VA_ARGS__)
#define kn_optim_tree_batch_shape(tree, shape) KN_OPTIM_TREE_BATCH_SHAPE_(__COUNTER__, tree, shape)
#define KN_OPTIM_TREE_BATCH_SHAPE_(c, tree, shape)                                                                     \
    __extension__({ KN_TAKE(kn_tree, 1, c, tree) KN_TAKE(kn_shape, 2, c, shape) KN_HERE();                             \
    (kn_optim_tree_batch_shape)(KN_V(1, c), &KN_V(2, c)); })
#define kn_optim_tree_dtype(tree, mixed_dtype_handler)                                                                 \
    KN_G2(kn_optim_tree_dtype, kn_tree, tree, const char *, mixed_dtype_handler)
#define kn_optim_scale_gradient(inputs, scale) KN_G2(kn_optim_scale_gradient, kn_tree, inputs, double, scale)
#endif
#endif
