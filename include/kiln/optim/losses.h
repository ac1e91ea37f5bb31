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
/* (prediction - target)^2 of each element; without targets the square of the predictions */
KN_API kn_array kn_optim_squared_error(kn_array predictions, kn_array targets);
/* half of the squared error of each element, so that its derivative is prediction - target */
KN_API kn_array kn_optim_l2_loss(kn_array predictions, kn_array targets);
typedef struct kn_optim_huber_loss_opts {
    size_t size_;
    double delta; /* 1: the distance from which it is linear */
} kn_optim_huber_loss_opts;
KN_API kn_optim_huber_loss_opts kn_optim_huber_loss_opts_default(void);
/* half of the squared error up to a distance of delta, from there linear: outliers pull less. Of each element */
KN_API kn_array kn_optim_huber_loss(kn_array predictions, kn_array targets, const kn_optim_huber_loss_opts *opts);
/* log(cosh(prediction - target)) of each element: quadratic near 0, then linear, and smooth. Does not overflow */
KN_API kn_array kn_optim_log_cosh(kn_array predictions, kn_array targets);
typedef struct kn_optim_cosine_opts {
    size_t size_;
    kn_axes axis;
    double epsilon; /* squared norms are at least this */
    kn_array where;
} kn_optim_cosine_opts;
KN_API kn_optim_cosine_opts kn_optim_cosine_opts_default(void);
/* the cosine of the angle between two vectors along an axis (the last one): 1 for one direction, 0 at right angles,
 * -1 for opposite ones. Norms count as at least the root of epsilon */
KN_API kn_array kn_optim_cosine_similarity(kn_array predictions, kn_array targets, const kn_optim_cosine_opts *opts);
/* 1 less the cosine of the angle between two vectors along an axis (the last one): 0 for one direction, 2 for
 * opposite ones */
KN_API kn_array kn_optim_cosine_distance(kn_array predictions, kn_array targets, const kn_optim_cosine_opts *opts);

/* ---- Of classes. */
/* how badly probabilities 1 / (1 + e^-logit) tell labels of 0 or 1 (or something between), element by element:
 * -label log(p) - (1 - label) log(1 - p) */
KN_API kn_array kn_optim_sigmoid_binary_cross_entropy(kn_array logits, kn_array labels);
/* max(0, 1 - output target) of each element, for targets of -1 and 1: 0 for what is right by a margin of 1 */
KN_API kn_array kn_optim_hinge_loss(kn_array predictor_outputs, kn_array targets);
/* max(0, -output target) of each element, for targets of -1 and 1: 0 for what has the right sign */
KN_API kn_array kn_optim_perceptron_loss(kn_array predictor_outputs, kn_array targets);
/* -sum(labels log(softmax(logits))) along an axis (the last one): how badly logits tell classes. Labels are
 * probabilities along the axis, one-hot or not; one number per row */
KN_API kn_array kn_optim_softmax_cross_entropy(kn_array logits, kn_array labels, const kn_optim_loss_opts *opts);
/* the softmax cross entropy for labels that are numbers of the right classes, without the axis of the classes: one
 * number per row. TypeError unless labels are integers */
KN_API kn_array kn_optim_softmax_cross_entropy_with_integer_labels(kn_array logits, kn_array labels,
    const kn_optim_loss_opts *opts);
/* the softmax cross entropy that allows logits of -inf where the label is 0 (classes that are impossible);
 * kn_optim_softmax_cross_entropy gives NaN there */
KN_API kn_array kn_optim_safe_softmax_cross_entropy(kn_array logits, kn_array labels);
/* sum of target (log target - log_prediction) along an axis (the last one): how far the predicted distribution is
 * from the target; 0 where they are equal, and targets of 0 add nothing */
KN_API kn_array kn_optim_kl_divergence(kn_array log_predictions, kn_array targets, const kn_optim_loss_opts *opts);
/* the divergence of kn_optim_kl_divergence for targets that are logarithms, too */
KN_API kn_array kn_optim_kl_divergence_with_log_targets(kn_array log_predictions, kn_array log_targets,
    const kn_optim_loss_opts *opts);
/* kl_divergence - sum of targets + sum of e^log_prediction along an axis (the last one): never below 0 for targets
 * of any sum, as counts */
KN_API kn_array kn_optim_generalized_kl_divergence(kn_array log_predictions, kn_array targets,
    const kn_optim_loss_opts *opts);
/* (1 - alpha) labels + alpha / classes, for one-hot labels along the last axis: a little for each wrong class, so
 * that logits stay finite */
KN_API kn_array kn_optim_smooth_labels(kn_array labels, double alpha);
typedef struct kn_optim_sigmoid_focal_loss_opts {
    size_t size_;
    double alpha; /* NAN: no weights */
    double gamma; /* 2: how much less for what is right */
} kn_optim_sigmoid_focal_loss_opts;
KN_API kn_optim_sigmoid_focal_loss_opts kn_optim_sigmoid_focal_loss_opts_default(void);
/* the binary cross entropy of each element times (1 - p)^gamma, where p is the probability of what is right: less
 * for what is right already. With alpha, labels of 1 weigh alpha and labels of 0 weigh 1 - alpha */
KN_API kn_array kn_optim_sigmoid_focal_loss(kn_array logits, kn_array labels,
    const kn_optim_sigmoid_focal_loss_opts *opts);
/* the softmax cross entropy plus epsilon (1 - p), where p is the probability of the right class; optax's epsilon is
 * 2 */
KN_API kn_array kn_optim_poly_loss_cross_entropy(kn_array logits, kn_array labels, double epsilon);

/* ---- Of embeddings: one number; rows with one label belong together. optax's temperature is 0.07. */
/* optax.ntxent: the normalized, temperature-scaled cross entropy of rows: small where rows with one label point in
 * one direction, and others elsewhere. One number */
KN_API kn_array kn_optim_ntxent(kn_array embeddings, kn_array labels, double temperature);

/* ---- More of two classes and of many. */
/* optax.losses.sparsemax_loss: the loss of the sigmoid that reaches 0 and 1: smooth, and zero from a margin on.
 * labels are 0 and 1 */
KN_API kn_array kn_optim_sparsemax_loss(kn_array logits, kn_array labels);
/* optax.losses.multiclass_hinge_loss: how far the score of the label is from being 1 above all others, of each row.
 * labels are numbers of classes */
KN_API kn_array kn_optim_multiclass_hinge_loss(kn_array scores, kn_array labels);
/* optax.losses.multiclass_perceptron_loss: how far the largest score is above that of the label, of each row */
KN_API kn_array kn_optim_multiclass_perceptron_loss(kn_array scores, kn_array labels);
typedef struct kn_optim_ranking_softmax_loss_opts {
    size_t size_;
    kn_array where;   /* NULL, all: the items that count */
    kn_array weights; /* NULL, 1: of the items */
    bool no_mean;     /* the losses of all lists, and not their mean */
} kn_optim_ranking_softmax_loss_opts;
KN_API kn_optim_ranking_softmax_loss_opts kn_optim_ranking_softmax_loss_opts_default(void);
/* optax.losses.ranking_softmax_loss: the cross entropy of the softmax of each list's scores and its relevances:
 * their mean over lists */
KN_API kn_array kn_optim_ranking_softmax_loss(kn_array logits, kn_array labels,
    const kn_optim_ranking_softmax_loss_opts *opts);
typedef struct kn_optim_triplet_margin_loss_opts {
    size_t size_;
    kn_axes axis;       /* not given, the last one */
    double norm_degree; /* 2: of the distance */
    double margin;      /* 1: that a negative has to be further than a positive */
    double eps;         /* 1e-6: below the root */
} kn_optim_triplet_margin_loss_opts;
KN_API kn_optim_triplet_margin_loss_opts kn_optim_triplet_margin_loss_opts_default(void);
/* optax.losses.triplet_margin_loss: how much the negative is not further from the anchor than the positive, by a
 * margin, of each row */
KN_API kn_array kn_optim_triplet_margin_loss(kn_array anchors, kn_array positives, kn_array negatives,
    const kn_optim_triplet_margin_loss_opts *opts);

/* ---- Of sequences. */
typedef struct kn_ctc_loss_result { kn_array per_seq_loss, logalpha_phi, logalpha_emit; } kn_ctc_loss_result;
typedef struct kn_optim_ctc_loss_opts {
    size_t size_;
    int64_t blank_id;   /* the class that stands for no label */
    double log_epsilon; /* -1e5: the logarithm of no probability */
} kn_optim_ctc_loss_opts;
KN_API kn_optim_ctc_loss_opts kn_optim_ctc_loss_opts_default(void);
/* optax.ctc_loss: the negative log likelihood of each sequence of labels, (B), under all ways in which frames can
 * spell it, with blanks between (Graves et al. 2006). logits: (B, T, classes), unnormalised; labels: (B, N), numbers
 * of classes; paddings are 1 behind the end of a sequence and 0 before. ValueError for other shapes */
KN_API kn_array kn_optim_ctc_loss(kn_array logits, kn_array logit_paddings, kn_array labels, kn_array label_paddings,
    const kn_optim_ctc_loss_opts *opts);
/* optax.ctc_loss_with_forward_probs: ctc_loss with the logarithms of the forward probabilities behind each frame:
 * that so many labels are spelled and a blank is last, (T, B, N + 1), and that the label itself is last, (T, B, N) */
KN_API kn_ctc_loss_result kn_optim_ctc_loss_with_forward_probs(kn_array logits, kn_array logit_paddings, kn_array
    labels, kn_array label_paddings, const kn_optim_ctc_loss_opts *opts);

/* ---- Of regions, and of maxima. */
typedef struct kn_optim_dice_loss_opts {
    size_t size_;
    kn_array class_weights; /* NULL, one for each: times the loss of each class, (classes) */
    double smooth;          /* 1: added to both sides of the quotient */
    double alpha;           /* 0.5: weight of what is predicted and is not there */
    double beta;            /* 0.5: weight of what is there and is not predicted */
    /* true: predictions are logits; false: they are probabilities whose sum is 1 (ValueError) */
    bool apply_softmax;
    const char *reduction;  /* NULL, "mean"; or "sum", "none": over the classes */
    bool ignore_background; /* the first class does not count, where there are several */
    kn_axes axis;           /* not given, all but the first and the last: the axes of a region */
} kn_optim_dice_loss_opts;
KN_API kn_optim_dice_loss_opts kn_optim_dice_loss_opts_default(void);
/* optax.losses.dice_loss: how badly the regions of classes overlap those that they should: 1 less Dice's quotient
 * (Tversky's where alpha and beta differ), the mean over classes for each first index. predictions: logits, (...,
 * classes), or of one class without that axis; targets: one-hot, of that shape. ValueError for other shapes, or
 * another reduction */
KN_API kn_array kn_optim_dice_loss(kn_array predictions, kn_array targets, const kn_optim_dice_loss_opts *opts);
typedef struct kn_optim_multiclass_generalized_dice_loss_opts {
    size_t size_;
    double smooth;          /* 1: added to both sides of the quotients */
    /* true: predictions are logits; false: they are probabilities whose sum is 1 (ValueError) */
    bool apply_softmax;
    bool ignore_background; /* the first class does not count */
} kn_optim_multiclass_generalized_dice_loss_opts;
KN_API kn_optim_multiclass_generalized_dice_loss_opts kn_optim_multiclass_generalized_dice_loss_opts_default(void);
/* optax.losses.multiclass_generalized_dice_loss: the mean of dice_loss over all classes and first indices, each
 * class weighted by 1 over the square of how often it is there, so that rare ones count (Sudre et al. 2017). Both
 * are of one shape, (..., classes) */
KN_API kn_array kn_optim_multiclass_generalized_dice_loss(kn_array predictions, kn_array targets,
    const kn_optim_multiclass_generalized_dice_loss_opts *opts);
typedef struct kn_optim_binary_dice_loss_opts {
    size_t size_;
    double smooth;      /* 1: added to both sides of the quotient */
    bool apply_sigmoid; /* true: predictions are logits; false: they are probabilities */
} kn_optim_binary_dice_loss_opts;
KN_API kn_optim_binary_dice_loss_opts kn_optim_binary_dice_loss_opts_default(void);
/* optax.losses.binary_dice_loss: dice_loss of one class, for each first index: predictions and targets of 0 and 1
 * have no axis of classes, or a last one of extent 1 */
KN_API kn_array kn_optim_binary_dice_loss(kn_array predictions, kn_array targets,
    const kn_optim_binary_dice_loss_opts *opts);
/* optax.losses.make_fenchel_young_loss: max_fun(scores) - <targets, scores> along the last axis: the loss that a
 * maximum of one vector makes (Blondel et al. 2020), of each row. With logsumexp it is the cross entropy */
KN_API kn_array kn_optim_fenchel_young_loss(kn_fn max_fun, kn_array scores, kn_array targets);
/* optax.losses.multiclass_sparsemax_loss: the loss of the nearest distribution to the scores, of each row: zero
 * where the score of the label is by 1 above all others (Martins, Astudillo 2016). labels are numbers of classes */
KN_API kn_array kn_optim_multiclass_sparsemax_loss(kn_array scores, kn_array labels);

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
#define kn_optim_sparsemax_loss(logits, labels) KN_F2(kn_optim_sparsemax_loss, logits, labels)
#define kn_optim_multiclass_hinge_loss(scores, labels) KN_F2(kn_optim_multiclass_hinge_loss, scores, labels)
#define kn_optim_multiclass_perceptron_loss(scores, labels) KN_F2(kn_optim_multiclass_perceptron_loss, scores, labels)
#define kn_optim_ranking_softmax_loss(logits, labels, ...)                                                             \
    KN_F2O(kn_optim_ranking_softmax_loss, kn_optim_ranking_softmax_loss_opts, (), logits, labels, __VA_ARGS__)
#define kn_optim_triplet_margin_loss(anchors, positives, negatives, ...)                                               \
    KN_F3O(kn_optim_triplet_margin_loss, kn_optim_triplet_margin_loss_opts, (.norm_degree = 2, .margin = 1,            \
    .eps = 1e-6, ), anchors, positives, negatives, __VA_ARGS__)
#define kn_optim_ctc_loss(logits, logit_paddings, labels, label_paddings, ...)                                         \
    KN_F4O(kn_optim_ctc_loss, kn_optim_ctc_loss_opts, (.log_epsilon = -1e5, ), logits, logit_paddings, labels,         \
    label_paddings, __VA_ARGS__)
#define kn_optim_ctc_loss_with_forward_probs(logits, logit_paddings, labels, label_paddings, ...)                      \
    KN_F4O(kn_optim_ctc_loss_with_forward_probs, kn_optim_ctc_loss_opts, (.log_epsilon = -1e5, ), logits,              \
    logit_paddings, labels, label_paddings, __VA_ARGS__)
#define kn_optim_dice_loss(predictions, targets, ...)                                                                  \
    KN_F2O(kn_optim_dice_loss, kn_optim_dice_loss_opts, (.smooth = 1, .alpha = 0.5, .beta = 0.5,                       \
    .apply_softmax = true, ), predictions, targets, __VA_ARGS__)
#define kn_optim_multiclass_generalized_dice_loss(predictions, targets, ...)                                           \
    KN_F2O(kn_optim_multiclass_generalized_dice_loss, kn_optim_multiclass_generalized_dice_loss_opts, (.smooth = 1,    \
    .apply_softmax = true, ), predictions, targets, __VA_ARGS__)
#define kn_optim_binary_dice_loss(predictions, targets, ...)                                                           \
    KN_F2O(kn_optim_binary_dice_loss, kn_optim_binary_dice_loss_opts, (.smooth = 1, .apply_sigmoid = true, ),          \
    predictions, targets, __VA_ARGS__)
#define kn_optim_fenchel_young_loss(max_fun, scores, targets)                                                          \
    KN_OPTIM_FENCHEL_YOUNG_LOSS_(__COUNTER__, max_fun, scores, targets)
#define KN_OPTIM_FENCHEL_YOUNG_LOSS_(c, max_fun, scores, targets)                                                      \
    __extension__({ KN_TAKE(kn_fn, 1, c, max_fun) kn_array KN_V(2, c) = KN_LIKE(scores); kn_array                      \
    KN_V(3, c) = KN_LIKE(targets); KN_HERE(); (kn_optim_fenchel_young_loss)(KN_V(1, c), KN_V(2, c), KN_V(3, c)); })
#define kn_optim_multiclass_sparsemax_loss(scores, labels) KN_F2(kn_optim_multiclass_sparsemax_loss, scores, labels)
#endif
#endif
