/* SPDX-License-Identifier: Apache-2.0
 * kiln/nn/normalization.h -- normalization layers, as flax.linen and torch.nn have them: pure functions of x and
 * their weights. Real numbers; float16 and bfloat16 are computed in float32 and stored at the end. The result has
 * the dtype that x, scale and bias promote to, integers being the default float. Mean and variance are taken in two
 * passes. ValueError for shapes that do not fit, TypeError for complex numbers. */
/* Made by scripts/make-api.py from api/nn/normalization.api. */
/* clang-format off */
#ifndef KILN_NN_NORMALIZATION_H
#define KILN_NN_NORMALIZATION_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options. scale and bias that are not given are not applied. */
typedef struct kn_nn_layer_norm_opts {
    size_t size_;
    kn_axes axis;   /* not given, the last one */
    kn_array scale; /* of the extents of these axes, in their order, or a number */
    kn_array bias;  /* as scale */
    double epsilon; /* 1e-5 */
} kn_nn_layer_norm_opts;
KN_API kn_nn_layer_norm_opts kn_nn_layer_norm_opts_default(void);
typedef struct kn_nn_rms_norm_opts {
    size_t size_;
    kn_axes axis;   /* not given, the last one */
    kn_array scale; /* of the extents of these axes, in their order, or a number */
    double epsilon; /* 1e-6 */
} kn_nn_rms_norm_opts;
KN_API kn_nn_rms_norm_opts kn_nn_rms_norm_opts_default(void);
typedef struct kn_nn_group_norm_opts {
    size_t size_;
    kn_axes axis;   /* not given, the last one: the channels */
    kn_array scale; /* a number for each channel */
    kn_array bias;  /* a number for each channel */
    double epsilon; /* 1e-5 */
} kn_nn_group_norm_opts;
KN_API kn_nn_group_norm_opts kn_nn_group_norm_opts_default(void);
typedef struct kn_nn_batch_norm_opts {
    size_t size_;
    kn_axes axis;    /* not given, the last one: the channels */
    kn_array scale;  /* a number for each channel */
    kn_array bias;   /* a number for each channel */
    double epsilon;  /* 1e-5 */
    double momentum; /* 0.99: in training: how much of the running statistics stays */
    bool unbiased;   /* in training: the running variance is that of a sample, n / (n - 1) of the batch's */
} kn_nn_batch_norm_opts;
KN_API kn_nn_batch_norm_opts kn_nn_batch_norm_opts_default(void);
typedef struct kn_nn_weight_norm_opts {
    size_t size_;
    kn_axes axis;   /* not given, the last one: the outputs */
    kn_array scale; /* a number for each output: the length of its weights */
    double epsilon; /* 1e-12 */
} kn_nn_weight_norm_opts;
KN_API kn_nn_weight_norm_opts kn_nn_weight_norm_opts_default(void);
typedef struct kn_nn_spectral_norm_opts {
    size_t size_;
    kn_axes axis;   /* not given, the last one: the outputs */
    int64_t steps;  /* 1 */
    double epsilon; /* 1e-12 */
} kn_nn_spectral_norm_opts;
KN_API kn_nn_spectral_norm_opts kn_nn_spectral_norm_opts_default(void);

/* ---- Over features. */
/* flax.linen.LayerNorm: (x - mean) / sqrt(variance + epsilon) scale + bias, mean and variance over axes (the last
 * one) */
KN_API kn_array kn_nn_layer_norm(kn_array x, const kn_nn_layer_norm_opts *opts);
/* flax.linen.RMSNorm: x / sqrt(mean(x^2) + epsilon) scale over axes (the last one): a layer norm that leaves the
 * mean as it is */
KN_API kn_array kn_nn_rms_norm(kn_array x, const kn_nn_rms_norm_opts *opts);

/* ---- Over groups of channels. The first axis is that of the batch; each example is normalized by itself. */
/* flax.linen.GroupNorm: x normalized over all axes but the first, in num_groups groups of neighbouring channels,
 * then scale and bias of each channel. ValueError unless the number of channels is a multiple of num_groups */
KN_API kn_array kn_nn_group_norm(kn_array x, int64_t num_groups, const kn_nn_group_norm_opts *opts);
/* flax.linen.InstanceNorm: x normalized over all axes but the first and the channels, then scale and bias of each
 * channel */
KN_API kn_array kn_nn_instance_norm(kn_array x, const kn_nn_group_norm_opts *opts);

/* ---- Over batches. mean and variance are running statistics, vectors with a number for each channel. */
typedef struct kn_nn_batch_norm_result { kn_array y, mean, variance; } kn_nn_batch_norm_result;
/* flax.linen.BatchNorm: (x - mean) / sqrt(variance + epsilon) scale + bias with the statistics that are given: batch
 * norm after training */
KN_API kn_array kn_nn_batch_norm(kn_array x, kn_array mean, kn_array variance, const kn_nn_batch_norm_opts *opts);
/* batch norm while training: x normalized by the mean and the variance of this batch, over all axes but the
 * channels, and the running statistics after it, momentum old + (1 - momentum) of the batch, which are constants in
 * derivatives. ValueError for a momentum outside of 0 .. 1 */
KN_API kn_nn_batch_norm_result kn_nn_batch_norm_train(kn_array x, kn_array mean, kn_array variance,
    const kn_nn_batch_norm_opts *opts);

/* ---- Of weights. */
/* flax.linen.WeightNorm: the weights of each output divided by their length, sqrt(sum w^2 + epsilon), times scale:
 * length and direction are learnt apart */
KN_API kn_array kn_nn_weight_norm(kn_array w, const kn_nn_weight_norm_opts *opts);
typedef struct kn_nn_spectral_norm_result { kn_array w, u, sigma; } kn_nn_spectral_norm_result;
/* flax.linen.SpectralNorm: w divided by its largest singular value, sigma, as power iterations estimate it that go
 * on from u, a vector of the outputs: w seen as a matrix of outputs and all the rest. Returns the next u, too, a
 * constant in derivatives; after training divide by the last sigma. ValueError for fewer than one step */
KN_API kn_nn_spectral_norm_result kn_nn_spectral_norm(kn_array w, kn_array u, const kn_nn_spectral_norm_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_nn_layer_norm(x, ...) KN_F1O(kn_nn_layer_norm, kn_nn_layer_norm_opts, (.epsilon = 1e-5, ), x, __VA_ARGS__)
#define kn_nn_rms_norm(x, ...) KN_F1O(kn_nn_rms_norm, kn_nn_rms_norm_opts, (.epsilon = 1e-6, ), x, __VA_ARGS__)
#define kn_nn_group_norm(x, num_groups, ...)                                                                           \
    KN_H1O(kn_nn_group_norm, kn_nn_group_norm_opts, (.epsilon = 1e-5, ), x, int64_t, num_groups, __VA_ARGS__)
#define kn_nn_instance_norm(x, ...)                                                                                    \
    KN_F1O(kn_nn_instance_norm, kn_nn_group_norm_opts, (.epsilon = 1e-5, ), x, __VA_ARGS__)
#define kn_nn_batch_norm(x, mean, variance, ...)                                                                       \
    KN_F3O(kn_nn_batch_norm, kn_nn_batch_norm_opts, (.epsilon = 1e-5, .momentum = 0.99, ), x, mean, variance,          \
    __VA_ARGS__)
#define kn_nn_batch_norm_train(x, mean, variance, ...)                                                                 \
    KN_F3O(kn_nn_batch_norm_train, kn_nn_batch_norm_opts, (.epsilon = 1e-5, .momentum = 0.99, ), x, mean, variance,    \
    __VA_ARGS__)
#define kn_nn_weight_norm(w, ...)                                                                                      \
    KN_F1O(kn_nn_weight_norm, kn_nn_weight_norm_opts, (.epsilon = 1e-12, ), w, __VA_ARGS__)
#define kn_nn_spectral_norm(w, u, ...)                                                                                 \
    KN_F2O(kn_nn_spectral_norm, kn_nn_spectral_norm_opts, (.steps = 1, .epsilon = 1e-12, ), w, u, __VA_ARGS__)
#endif
#endif
