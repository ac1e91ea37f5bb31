/* SPDX-License-Identifier: Apache-2.0
 * kiln/optim/losses.h -- losses, as optax.losses: one number per element or row; take their mean. Predictions and
 * logits are floats (TypeError otherwise); targets broadcast against them. `where` (NULL: not given): the elements
 * that count. The axis is the last one if nothing else is said. */
/* Made by scripts/make-api.py from api/optim/losses.api. */
/* clang-format off */
#ifndef KILN_OPTIM_LOSSES_H
#define KILN_OPTIM_LOSSES_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_optim_loss_opts { size_t size_; kn_axes axis; kn_array where; } kn_optim_loss_opts;
KN_API kn_optim_loss_opts kn_optim_loss_opts_default(void);

/* ---- Of numbers. targets may be NULL (KN_NONE): zeros. */
KN_API kn_array kn_optim_squared_error(kn_array predictions, kn_array targets); /* (p - t)^2 */
KN_API kn_array kn_optim_l2_loss(kn_array predictions, kn_array targets); /* half of that */
typedef struct kn_optim_huber_loss_opts { size_t size_; double delta; } kn_optim_huber_loss_opts; /* 1 */
KN_API kn_optim_huber_loss_opts kn_optim_huber_loss_opts_default(void);
/* quadratic up to delta, then linear */
KN_API kn_array kn_optim_huber_loss(kn_array predictions, kn_array targets, const kn_optim_huber_loss_opts *opts);
KN_API kn_array kn_optim_log_cosh(kn_array predictions, kn_array targets); /* log(cosh(p - t)) */
typedef struct kn_optim_cosine_opts {
    size_t size_; kn_axes axis; double epsilon; kn_array where;
} kn_optim_cosine_opts;
KN_API kn_optim_cosine_opts kn_optim_cosine_opts_default(void);
/* the cosine of the angle between vectors; norms are at least the root of epsilon */
KN_API kn_array kn_optim_cosine_similarity(kn_array predictions, kn_array targets, const kn_optim_cosine_opts *opts);
/* 1 less the cosine of the angle */
KN_API kn_array kn_optim_cosine_distance(kn_array predictions, kn_array targets, const kn_optim_cosine_opts *opts);

/* ---- Of classes. */
/* of probabilities 1 / (1 + e^-logit); labels: 0 or 1 */
KN_API kn_array kn_optim_sigmoid_binary_cross_entropy(kn_array logits, kn_array labels);
KN_API kn_array kn_optim_hinge_loss(kn_array predictor_outputs, kn_array targets); /* max(0, 1 - p t) */
KN_API kn_array kn_optim_perceptron_loss(kn_array predictor_outputs, kn_array targets); /* max(0, -p t) */
/* labels: probabilities along the axis */
KN_API kn_array kn_optim_softmax_cross_entropy(kn_array logits, kn_array labels, const kn_optim_loss_opts *opts);
/* labels: the number of the right class; TypeError unless they are integers */
KN_API kn_array kn_optim_softmax_cross_entropy_with_integer_labels(kn_array logits, kn_array labels,
    const kn_optim_loss_opts *opts);
/* logits of -inf are fine where the label is 0 */
KN_API kn_array kn_optim_safe_softmax_cross_entropy(kn_array logits, kn_array labels);
/* sum of t (log t - p) */
KN_API kn_array kn_optim_kl_divergence(kn_array log_predictions, kn_array targets, const kn_optim_loss_opts *opts);
/* the same; targets are logarithms */
KN_API kn_array kn_optim_kl_divergence_with_log_targets(kn_array log_predictions, kn_array log_targets,
    const kn_optim_loss_opts *opts);
/* kl_divergence - sum t + sum e^p, for targets of any sum */
KN_API kn_array kn_optim_generalized_kl_divergence(kn_array log_predictions, kn_array targets,
    const kn_optim_loss_opts *opts);
KN_API kn_array kn_optim_smooth_labels(kn_array labels, double alpha); /* (1 - alpha) labels + alpha / classes */
typedef struct kn_optim_sigmoid_focal_loss_opts {
    size_t size_;
    double alpha; /* NAN: no weights */
    double gamma; /* 2 */
} kn_optim_sigmoid_focal_loss_opts;
KN_API kn_optim_sigmoid_focal_loss_opts kn_optim_sigmoid_focal_loss_opts_default(void);
/* the binary cross entropy, less for what is right already */
KN_API kn_array kn_optim_sigmoid_focal_loss(kn_array logits, kn_array labels,
    const kn_optim_sigmoid_focal_loss_opts *opts);
KN_API kn_array kn_optim_poly_loss_cross_entropy(kn_array logits, kn_array labels, double epsilon); /* optax's: 2 */

/* ---- Of embeddings: one number; rows with one label belong together. optax's temperature is 0.07. */
/* optax.ntxent: normalized, temperature-scaled cross entropy */
KN_API kn_array kn_optim_ntxent(kn_array embeddings, kn_array labels, double temperature);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_optim_squared_error(predictions, targets) KN_F2(kn_optim_squared_error, predictions, targets)
#define kn_optim_l2_loss(predictions, targets) KN_F2(kn_optim_l2_loss, predictions, targets)
#define kn_optim_huber_loss(predictions, targets, ...)                                                                 \
    KN_F2O(kn_optim_huber_loss, kn_optim_huber_loss_opts, (.delta = 1, ), predictions, targets, __VA_ARGS__)
#define kn_optim_log_cosh(predictions, targets) KN_F2(kn_optim_log_cosh, predictions, targets)
#define kn_optim_cosine_similarity(predictions, targets, ...)                                                          \
    KN_F2O(kn_optim_cosine_similarity, kn_optim_cosine_opts, (), predictions, targets, __VA_ARGS__)
#define kn_optim_cosine_distance(predictions, targets, ...)                                                            \
    KN_F2O(kn_optim_cosine_distance, kn_optim_cosine_opts, (), predictions, targets, __VA_ARGS__)
#define kn_optim_sigmoid_binary_cross_entropy(logits, labels)                                                          \
    KN_F2(kn_optim_sigmoid_binary_cross_entropy, logits, labels)
#define kn_optim_hinge_loss(predictor_outputs, targets) KN_F2(kn_optim_hinge_loss, predictor_outputs, targets)
#define kn_optim_perceptron_loss(predictor_outputs, targets) KN_F2(kn_optim_perceptron_loss, predictor_outputs, targets)
#define kn_optim_softmax_cross_entropy(logits, labels, ...)                                                            \
    KN_F2O(kn_optim_softmax_cross_entropy, kn_optim_loss_opts, (), logits, labels, __VA_ARGS__)
#define kn_optim_softmax_cross_entropy_with_integer_labels(logits, labels, ...)                                        \
    KN_F2O(kn_optim_softmax_cross_entropy_with_integer_labels, kn_optim_loss_opts, (), logits, labels, __VA_ARGS__)
#define kn_optim_safe_softmax_cross_entropy(logits, labels) KN_F2(kn_optim_safe_softmax_cross_entropy, logits, labels)
#define kn_optim_kl_divergence(log_predictions, targets, ...)                                                          \
    KN_F2O(kn_optim_kl_divergence, kn_optim_loss_opts, (), log_predictions, targets, __VA_ARGS__)
#define kn_optim_kl_divergence_with_log_targets(log_predictions, log_targets, ...)                                     \
    KN_F2O(kn_optim_kl_divergence_with_log_targets, kn_optim_loss_opts, (), log_predictions, log_targets, __VA_ARGS__)
#define kn_optim_generalized_kl_divergence(log_predictions, targets, ...)                                              \
    KN_F2O(kn_optim_generalized_kl_divergence, kn_optim_loss_opts, (), log_predictions, targets, __VA_ARGS__)
#define kn_optim_smooth_labels(labels, alpha) KN_H1(kn_optim_smooth_labels, labels, double, alpha)
#define kn_optim_sigmoid_focal_loss(logits, labels, ...)                                                               \
    KN_F2O(kn_optim_sigmoid_focal_loss, kn_optim_sigmoid_focal_loss_opts, (.alpha = __builtin_nan(""), .gamma = 2, ),  \
    logits, labels, __VA_ARGS__)
#define kn_optim_poly_loss_cross_entropy(logits, labels, epsilon)                                                      \
    KN_OPTIM_POLY_LOSS_CROSS_ENTROPY_(__COUNTER__, logits, labels, epsilon)
#define KN_OPTIM_POLY_LOSS_CROSS_ENTROPY_(c, logits, labels, epsilon)                                                  \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(logits); kn_array KN_V(2, c) = KN_LIKE(labels);                      \
    KN_TAKE(double, 3, c, epsilon) KN_HERE(); (kn_optim_poly_loss_cross_entropy)(KN_V(1, c), KN_V(2, c), KN_V(3, c));  \
    })
#define kn_optim_ntxent(embeddings, labels, temperature) KN_OPTIM_NTXENT_(__COUNTER__, embeddings, labels, temperature)
#define KN_OPTIM_NTXENT_(c, embeddings, labels, temperature)                                                           \
    __extension__({ kn_array KN_V(1, c) = KN_LIKE(embeddings); kn_array KN_V(2, c) = KN_LIKE(labels);                  \
    KN_TAKE(double, 3, c, temperature) KN_HERE(); (kn_optim_ntxent)(KN_V(1, c), KN_V(2, c), KN_V(3, c)); })
#endif
#endif
