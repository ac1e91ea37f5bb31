/* SPDX-License-Identifier: Apache-2.0
 * kiln/initializers.h -- first values of the parameters of neural networks, as jax.nn.initializers: the same numbers
 * for the same key.
 *
 * In JAX an initializer is made first and then called with a key, a shape and a dtype; here it is one function of
 * all of them: jax.nn.initializers.he_normal(in_axis=0)(key, (3, 4)) is kn_nn_init_he_normal(key, KN_SHAPE(3, 4),
 * KN_AXIS(0)). The dtype is the context's default float unless it is given. ValueError for negative extents. */
/* Made by scripts/make-api.py from api/initializers.api. */
/* clang-format off */
#ifndef KILN_INITIALIZERS_H
#define KILN_INITIALIZERS_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options. */
typedef struct kn_nn_init_opts { size_t size_; kn_dtype dtype; } kn_nn_init_opts;
KN_API kn_nn_init_opts kn_nn_init_opts_default(void);
typedef struct kn_nn_init_uniform_opts {
    size_t size_;
    double scale;   /* 1e-2 */
    kn_dtype dtype;
} kn_nn_init_uniform_opts;
KN_API kn_nn_init_uniform_opts kn_nn_init_uniform_opts_default(void);
typedef struct kn_nn_init_normal_opts {
    size_t size_;
    double stddev;  /* 1e-2 */
    kn_dtype dtype;
} kn_nn_init_normal_opts;
KN_API kn_nn_init_normal_opts kn_nn_init_normal_opts_default(void);
typedef struct kn_nn_init_truncated_normal_opts {
    size_t size_;
    double stddev;  /* 1e-2 */
    kn_dtype dtype;
    double lower;   /* -2 */
    double upper;   /* 2 */
} kn_nn_init_truncated_normal_opts;
KN_API kn_nn_init_truncated_normal_opts kn_nn_init_truncated_normal_opts_default(void);
/* The axes of inputs (-2), of outputs (-1), and those that are neither (none). */
typedef struct kn_nn_init_fan_opts {
    size_t size_; kn_axes in_axis; kn_axes out_axis; kn_axes batch_axis; kn_dtype dtype;
} kn_nn_init_fan_opts;
KN_API kn_nn_init_fan_opts kn_nn_init_fan_opts_default(void);
typedef struct kn_nn_init_variance_scaling_opts {
    size_t size_;
    kn_axes in_axis;
    kn_axes out_axis;
    kn_axes batch_axis;
    kn_dtype dtype;
    double scale;             /* 1 */
    const char *mode;         /* NULL, "fan_in"; or "fan_out", "fan_avg", "fan_geo_avg" */
    const char *distribution; /* NULL, "truncated_normal"; or "normal", "uniform" */
} kn_nn_init_variance_scaling_opts;
KN_API kn_nn_init_variance_scaling_opts kn_nn_init_variance_scaling_opts_default(void);
typedef struct kn_nn_init_orthogonal_opts {
    size_t size_;
    double scale;        /* 1 */
    kn_axes column_axis; /* not given, -1 */
    kn_dtype dtype;
} kn_nn_init_orthogonal_opts;
KN_API kn_nn_init_orthogonal_opts kn_nn_init_orthogonal_opts_default(void);

/* ---- The same number everywhere. The key is not looked at. */
/* zeros of a shape. The key is not looked at */
KN_API kn_array kn_nn_init_zeros(kn_array key, const kn_shape *shape, const kn_nn_init_opts *opts);
/* ones of a shape. The key is not looked at */
KN_API kn_array kn_nn_init_ones(kn_array key, const kn_shape *shape, const kn_nn_init_opts *opts);
/* a value, or an array of values that broadcasts to the shape. The key is not looked at */
KN_API kn_array kn_nn_init_constant(kn_array key, const kn_shape *shape, kn_array value, const kn_nn_init_opts *opts);

/* ---- Of one spread. */
/* uniform numbers in [0, scale), where scale is 0.01 unless it is given */
KN_API kn_array kn_nn_init_uniform(kn_array key, const kn_shape *shape, const kn_nn_init_uniform_opts *opts);
/* normal numbers of mean 0 and standard deviation stddev (0.01); complex dtypes too */
KN_API kn_array kn_nn_init_normal(kn_array key, const kn_shape *shape, const kn_nn_init_normal_opts *opts);
/* stddev (0.01) times standard normal numbers in (lower, upper), -2 and 2 unless they are given */
KN_API kn_array kn_nn_init_truncated_normal(kn_array key, const kn_shape *shape,
    const kn_nn_init_truncated_normal_opts *opts);

/* ---- Of a spread that goes with the shape: the variance is scale / n, where n is the number of inputs (fan_in) or
 * outputs (fan_out) of an element, the mean of both, or its geometric form. Complex dtypes too. ValueError for
 * another mode or distribution, and without in_axis for shapes with less than two axes. An empty shape gives an
 * empty array. */
/* random numbers of mean 0 and variance scale / n, where n is the number of inputs (mode "fan_in"), of outputs
 * ("fan_out"), the mean of both, or its geometric form; inputs are axis -2, outputs axis -1, the others (of a
 * convolution) multiply both */
KN_API kn_array kn_nn_init_variance_scaling(kn_array key, const kn_shape *shape,
    const kn_nn_init_variance_scaling_opts *opts);
/* uniform numbers of mean 0 and variance 2 / (inputs + outputs): scale 1, fan_avg. In (-r, r) with r = sqrt(6 /
 * (inputs + outputs)) */
KN_API kn_array kn_nn_init_glorot_uniform(kn_array key, const kn_shape *shape, const kn_nn_init_fan_opts *opts);
/* truncated normal numbers of mean 0 and variance 2 / (inputs + outputs): scale 1, fan_avg */
KN_API kn_array kn_nn_init_glorot_normal(kn_array key, const kn_shape *shape, const kn_nn_init_fan_opts *opts);
/* uniform numbers of mean 0 and variance 2 / (inputs + outputs): another name of kn_nn_init_glorot_uniform */
KN_API kn_array kn_nn_init_xavier_uniform(kn_array key, const kn_shape *shape, const kn_nn_init_fan_opts *opts);
/* truncated normal numbers of mean 0 and variance 2 / (inputs + outputs): another name of kn_nn_init_glorot_normal */
KN_API kn_array kn_nn_init_xavier_normal(kn_array key, const kn_shape *shape, const kn_nn_init_fan_opts *opts);
/* uniform numbers of mean 0 and variance 1 / inputs: scale 1, fan_in. In (-r, r) with r = sqrt(3 / inputs) */
KN_API kn_array kn_nn_init_lecun_uniform(kn_array key, const kn_shape *shape, const kn_nn_init_fan_opts *opts);
/* truncated normal numbers of mean 0 and variance 1 / inputs: scale 1, fan_in */
KN_API kn_array kn_nn_init_lecun_normal(kn_array key, const kn_shape *shape, const kn_nn_init_fan_opts *opts);
/* uniform numbers of mean 0 and variance 2 / inputs, for layers before a relu: scale 2, fan_in. In (-r, r) with r =
 * sqrt(6 / inputs) */
KN_API kn_array kn_nn_init_he_uniform(kn_array key, const kn_shape *shape, const kn_nn_init_fan_opts *opts);
/* truncated normal numbers of mean 0 and variance 2 / inputs, for layers before a relu: scale 2, fan_in */
KN_API kn_array kn_nn_init_he_normal(kn_array key, const kn_shape *shape, const kn_nn_init_fan_opts *opts);
/* uniform numbers of mean 0 and variance 2 / inputs: another name of kn_nn_init_he_uniform */
KN_API kn_array kn_nn_init_kaiming_uniform(kn_array key, const kn_shape *shape, const kn_nn_init_fan_opts *opts);
/* truncated normal numbers of mean 0 and variance 2 / inputs: another name of kn_nn_init_he_normal */
KN_API kn_array kn_nn_init_kaiming_normal(kn_array key, const kn_shape *shape, const kn_nn_init_fan_opts *opts);

/* ---- Orthogonal matrices. */
/* an orthogonal matrix times scale: the columns (along column_axis, the last one), or the rows where those are
 * fewer, are orthonormal */
KN_API kn_array kn_nn_init_orthogonal(kn_array key, const kn_shape *shape, const kn_nn_init_orthogonal_opts *opts);
/* the filter of a convolution of 1 to 3 axes: an orthogonal matrix in the middle of zeros */
KN_API kn_array kn_nn_init_delta_orthogonal(kn_array key, const kn_shape *shape,
    const kn_nn_init_orthogonal_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_nn_init_zeros(key, shape, ...)                                                                              \
    KN_P1O(kn_nn_init_zeros, kn_nn_init_opts, (), key, kn_shape, shape, __VA_ARGS__)
#define kn_nn_init_ones(key, shape, ...) KN_P1O(kn_nn_init_ones, kn_nn_init_opts, (), key, kn_shape, shape, __VA_ARGS__)
#define kn_nn_init_constant(key, shape, value, ...) KN_NN_INIT_CONSTANT_(__COUNTER__, key, shape, value, __VA_ARGS__)
#define KN_NN_INIT_CONSTANT_(c, key, shape, value, ...)                                                                \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(key); KN_TAKE(kn_shape, 2, c, shape) kn_array                        \
    KN_V(3, c) = KN_LIKE(value); KN_OPTS(c, kn_nn_init_opts, (), __VA_ARGS__) KN_HERE();                               \
    (kn_nn_init_constant)(KN_V(1, c), &KN_V(2, c), KN_V(3, c), KN_V(opt, c)); })
#define kn_nn_init_uniform(key, shape, ...)                                                                            \
    KN_P1O(kn_nn_init_uniform, kn_nn_init_uniform_opts, (.scale = 1e-2, ), key, kn_shape, shape, __VA_ARGS__)
#define kn_nn_init_normal(key, shape, ...)                                                                             \
    KN_P1O(kn_nn_init_normal, kn_nn_init_normal_opts, (.stddev = 1e-2, ), key, kn_shape, shape, __VA_ARGS__)
#define kn_nn_init_truncated_normal(key, shape, ...)                                                                   \
    KN_P1O(kn_nn_init_truncated_normal, kn_nn_init_truncated_normal_opts, (.stddev = 1e-2, .lower = -2, .upper = 2, ), \
    key, kn_shape, shape, __VA_ARGS__)
#define kn_nn_init_variance_scaling(key, shape, ...)                                                                   \
    KN_P1O(kn_nn_init_variance_scaling, kn_nn_init_variance_scaling_opts, (.scale = 1, ), key, kn_shape, shape,        \
    __VA_ARGS__)
#define kn_nn_init_glorot_uniform(key, shape, ...)                                                                     \
    KN_P1O(kn_nn_init_glorot_uniform, kn_nn_init_fan_opts, (), key, kn_shape, shape, __VA_ARGS__)
#define kn_nn_init_glorot_normal(key, shape, ...)                                                                      \
    KN_P1O(kn_nn_init_glorot_normal, kn_nn_init_fan_opts, (), key, kn_shape, shape, __VA_ARGS__)
#define kn_nn_init_xavier_uniform(key, shape, ...)                                                                     \
    KN_P1O(kn_nn_init_xavier_uniform, kn_nn_init_fan_opts, (), key, kn_shape, shape, __VA_ARGS__)
#define kn_nn_init_xavier_normal(key, shape, ...)                                                                      \
    KN_P1O(kn_nn_init_xavier_normal, kn_nn_init_fan_opts, (), key, kn_shape, shape, __VA_ARGS__)
#define kn_nn_init_lecun_uniform(key, shape, ...)                                                                      \
    KN_P1O(kn_nn_init_lecun_uniform, kn_nn_init_fan_opts, (), key, kn_shape, shape, __VA_ARGS__)
#define kn_nn_init_lecun_normal(key, shape, ...)                                                                       \
    KN_P1O(kn_nn_init_lecun_normal, kn_nn_init_fan_opts, (), key, kn_shape, shape, __VA_ARGS__)
#define kn_nn_init_he_uniform(key, shape, ...)                                                                         \
    KN_P1O(kn_nn_init_he_uniform, kn_nn_init_fan_opts, (), key, kn_shape, shape, __VA_ARGS__)
#define kn_nn_init_he_normal(key, shape, ...)                                                                          \
    KN_P1O(kn_nn_init_he_normal, kn_nn_init_fan_opts, (), key, kn_shape, shape, __VA_ARGS__)
#define kn_nn_init_kaiming_uniform(key, shape, ...)                                                                    \
    KN_P1O(kn_nn_init_kaiming_uniform, kn_nn_init_fan_opts, (), key, kn_shape, shape, __VA_ARGS__)
#define kn_nn_init_kaiming_normal(key, shape, ...)                                                                     \
    KN_P1O(kn_nn_init_kaiming_normal, kn_nn_init_fan_opts, (), key, kn_shape, shape, __VA_ARGS__)
#define kn_nn_init_orthogonal(key, shape, ...)                                                                         \
    KN_P1O(kn_nn_init_orthogonal, kn_nn_init_orthogonal_opts, (.scale = 1, ), key, kn_shape, shape, __VA_ARGS__)
#define kn_nn_init_delta_orthogonal(key, shape, ...)                                                                   \
    KN_P1O(kn_nn_init_delta_orthogonal, kn_nn_init_orthogonal_opts, (.scale = 1, ), key, kn_shape, shape, __VA_ARGS__)
#endif
#endif
