/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/optim/losses.hpp -- the functions of kiln/optim/losses.h in C++. */
/* Made by scripts/make-api.py from api/optim/losses.api. */
/* clang-format off */
#ifndef KILN_CPP_OPTIM_LOSSES_HPP
#define KILN_CPP_OPTIM_LOSSES_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
namespace optim {
struct loss_opts {
    KILN_OPTION((::kiln::axes), axis, {})
    KILN_OPTION((::kiln::array), where, {})
    kn_optim_loss_opts c() const {
        kn_optim_loss_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.where = detail::c_of(where); return to_; }
};
/* (prediction - target)^2 of each element; without targets the square of the predictions */
inline array squared_error(const ::kiln::operand &predictions, const ::kiln::operand &targets, place where = here())
{ detail::call c_(where); kn_array predictions_h = predictions.c(); kn_array targets_h = targets.c(); c_.here(); return
    array::share(c_.take(kn_optim_squared_error(predictions_h, targets_h))); }
/* half of the squared error of each element, so that its derivative is prediction - target */
inline array l2_loss(const ::kiln::operand &predictions, const ::kiln::operand &targets, place where = here())
{ detail::call c_(where); kn_array predictions_h = predictions.c(); kn_array targets_h = targets.c(); c_.here(); return
    array::share(c_.take(kn_optim_l2_loss(predictions_h, targets_h))); }
struct huber_loss_opts {
    KILN_OPTION((double), delta, 1) /* the distance from which it is linear */
    kn_optim_huber_loss_opts c() const {
        kn_optim_huber_loss_opts to_ = {}; to_.size_ = sizeof to_; to_.delta = detail::c_of(delta); return to_; }
};
/* half of the squared error up to a distance of delta, from there linear: outliers pull less. Of each element */
inline array huber_loss(const ::kiln::operand &predictions, const ::kiln::operand &targets, const
    ::kiln::optim::huber_loss_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array predictions_h = predictions.c(); kn_array targets_h = targets.c();
    kn_optim_huber_loss_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_optim_huber_loss(predictions_h, targets_h, &opts_c))); }
/* log(cosh(prediction - target)) of each element: quadratic near 0, then linear, and smooth. Does not overflow */
inline array log_cosh(const ::kiln::operand &predictions, const ::kiln::operand &targets, place where = here())
{ detail::call c_(where); kn_array predictions_h = predictions.c(); kn_array targets_h = targets.c(); c_.here(); return
    array::share(c_.take(kn_optim_log_cosh(predictions_h, targets_h))); }
struct cosine_opts {
    KILN_OPTION((::kiln::axes), axis, {})
    KILN_OPTION((double), epsilon, {}) /* squared norms are at least this */
    KILN_OPTION((::kiln::array), where, {})
    kn_optim_cosine_opts c() const {
        kn_optim_cosine_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.epsilon = detail::c_of(epsilon); to_.where = detail::c_of(where); return to_; }
};
using cosine_similarity_opts = ::kiln::optim::cosine_opts;
/* the cosine of the angle between two vectors along an axis (the last one): 1 for one direction, 0 at right angles,
 * -1 for opposite ones. Norms count as at least the root of epsilon */
inline array cosine_similarity(const ::kiln::operand &predictions, const ::kiln::operand &targets, const
    ::kiln::optim::cosine_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array predictions_h = predictions.c(); kn_array targets_h = targets.c();
    kn_optim_cosine_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_optim_cosine_similarity(predictions_h, targets_h, &opts_c))); }
using cosine_distance_opts = ::kiln::optim::cosine_opts;
/* 1 less the cosine of the angle between two vectors along an axis (the last one): 0 for one direction, 2 for
 * opposite ones */
inline array cosine_distance(const ::kiln::operand &predictions, const ::kiln::operand &targets, const
    ::kiln::optim::cosine_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array predictions_h = predictions.c(); kn_array targets_h = targets.c();
    kn_optim_cosine_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_optim_cosine_distance(predictions_h, targets_h, &opts_c))); }
/* how badly probabilities 1 / (1 + e^-logit) tell labels of 0 or 1 (or something between), element by element:
 * -label log(p) - (1 - label) log(1 - p) */
inline array sigmoid_binary_cross_entropy(const ::kiln::operand &logits, const ::kiln::operand &labels, place
    where = here())
{ detail::call c_(where); kn_array logits_h = logits.c(); kn_array labels_h = labels.c(); c_.here(); return
    array::share(c_.take(kn_optim_sigmoid_binary_cross_entropy(logits_h, labels_h))); }
/* max(0, 1 - output target) of each element, for targets of -1 and 1: 0 for what is right by a margin of 1 */
inline array hinge_loss(const ::kiln::operand &predictor_outputs, const ::kiln::operand &targets, place where = here())
{ detail::call c_(where); kn_array predictor_outputs_h = predictor_outputs.c(); kn_array targets_h = targets.c();
    c_.here(); return array::share(c_.take(kn_optim_hinge_loss(predictor_outputs_h, targets_h))); }
/* max(0, -output target) of each element, for targets of -1 and 1: 0 for what has the right sign */
inline array perceptron_loss(const ::kiln::operand &predictor_outputs, const ::kiln::operand &targets, place
    where = here())
{ detail::call c_(where); kn_array predictor_outputs_h = predictor_outputs.c(); kn_array targets_h = targets.c();
    c_.here(); return array::share(c_.take(kn_optim_perceptron_loss(predictor_outputs_h, targets_h))); }
using softmax_cross_entropy_opts = ::kiln::optim::loss_opts;
/* -sum(labels log(softmax(logits))) along an axis (the last one): how badly logits tell classes. Labels are
 * probabilities along the axis, one-hot or not; one number per row */
inline array softmax_cross_entropy(const ::kiln::operand &logits, const ::kiln::operand &labels, const
    ::kiln::optim::loss_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array logits_h = logits.c(); kn_array labels_h = labels.c(); kn_optim_loss_opts
    opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_optim_softmax_cross_entropy(logits_h, labels_h,
    &opts_c))); }
using softmax_cross_entropy_with_integer_labels_opts = ::kiln::optim::loss_opts;
/* the softmax cross entropy for labels that are numbers of the right classes, without the axis of the classes: one
 * number per row. TypeError unless labels are integers */
inline array softmax_cross_entropy_with_integer_labels(const ::kiln::operand &logits, const ::kiln::operand &labels,
    const ::kiln::optim::loss_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array logits_h = logits.c(); kn_array labels_h = labels.c(); kn_optim_loss_opts
    opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_optim_softmax_cross_entropy_with_integer_labels(logits_h, labels_h, &opts_c))); }
/* the softmax cross entropy that allows logits of -inf where the label is 0 (classes that are impossible);
 * kn_optim_softmax_cross_entropy gives NaN there */
inline array safe_softmax_cross_entropy(const ::kiln::operand &logits, const ::kiln::operand &labels, place
    where = here())
{ detail::call c_(where); kn_array logits_h = logits.c(); kn_array labels_h = labels.c(); c_.here(); return
    array::share(c_.take(kn_optim_safe_softmax_cross_entropy(logits_h, labels_h))); }
using kl_divergence_opts = ::kiln::optim::loss_opts;
/* sum of target (log target - log_prediction) along an axis (the last one): how far the predicted distribution is
 * from the target; 0 where they are equal, and targets of 0 add nothing */
inline array kl_divergence(const ::kiln::operand &log_predictions, const ::kiln::operand &targets, const
    ::kiln::optim::loss_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array log_predictions_h = log_predictions.c(); kn_array targets_h = targets.c();
    kn_optim_loss_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_optim_kl_divergence(log_predictions_h, targets_h, &opts_c))); }
using kl_divergence_with_log_targets_opts = ::kiln::optim::loss_opts;
/* the divergence of kn_optim_kl_divergence for targets that are logarithms, too */
inline array kl_divergence_with_log_targets(const ::kiln::operand &log_predictions, const ::kiln::operand &log_targets,
    const ::kiln::optim::loss_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array log_predictions_h = log_predictions.c(); kn_array log_targets_h = log_targets.c();
    kn_optim_loss_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_optim_kl_divergence_with_log_targets(log_predictions_h, log_targets_h, &opts_c))); }
using generalized_kl_divergence_opts = ::kiln::optim::loss_opts;
/* kl_divergence - sum of targets + sum of e^log_prediction along an axis (the last one): never below 0 for targets
 * of any sum, as counts */
inline array generalized_kl_divergence(const ::kiln::operand &log_predictions, const ::kiln::operand &targets, const
    ::kiln::optim::loss_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array log_predictions_h = log_predictions.c(); kn_array targets_h = targets.c();
    kn_optim_loss_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_optim_generalized_kl_divergence(log_predictions_h, targets_h, &opts_c))); }
/* (1 - alpha) labels + alpha / classes, for one-hot labels along the last axis: a little for each wrong class, so
 * that logits stay finite */
inline array smooth_labels(const ::kiln::operand &labels, double alpha, place where = here())
{ detail::call c_(where); kn_array labels_h = labels.c(); c_.here(); return
    array::share(c_.take(kn_optim_smooth_labels(labels_h, alpha))); }
struct sigmoid_focal_loss_opts {
    KILN_OPTION((double), alpha, __builtin_nan("")) /* no weights */
    KILN_OPTION((double), gamma, 2) /* how much less for what is right */
    kn_optim_sigmoid_focal_loss_opts c() const {
        kn_optim_sigmoid_focal_loss_opts to_ = {}; to_.size_ = sizeof to_; to_.alpha = detail::c_of(alpha);
        to_.gamma = detail::c_of(gamma); return to_; }
};
/* the binary cross entropy of each element times (1 - p)^gamma, where p is the probability of what is right: less
 * for what is right already. With alpha, labels of 1 weigh alpha and labels of 0 weigh 1 - alpha */
inline array sigmoid_focal_loss(const ::kiln::operand &logits, const ::kiln::operand &labels, const
    ::kiln::optim::sigmoid_focal_loss_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array logits_h = logits.c(); kn_array labels_h = labels.c();
    kn_optim_sigmoid_focal_loss_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_optim_sigmoid_focal_loss(logits_h, labels_h, &opts_c))); }
/* the softmax cross entropy plus epsilon (1 - p), where p is the probability of the right class; optax's epsilon is
 * 2 */
inline array poly_loss_cross_entropy(const ::kiln::operand &logits, const ::kiln::operand &labels, double epsilon, place
    where = here())
{ detail::call c_(where); kn_array logits_h = logits.c(); kn_array labels_h = labels.c(); c_.here(); return
    array::share(c_.take(kn_optim_poly_loss_cross_entropy(logits_h, labels_h, epsilon))); }
/* optax.ntxent: the normalized, temperature-scaled cross entropy of rows: small where rows with one label point in
 * one direction, and others elsewhere. One number */
inline array ntxent(const ::kiln::operand &embeddings, const ::kiln::operand &labels, double temperature, place
    where = here())
{ detail::call c_(where); kn_array embeddings_h = embeddings.c(); kn_array labels_h = labels.c(); c_.here(); return
    array::share(c_.take(kn_optim_ntxent(embeddings_h, labels_h, temperature))); }
/* optax.losses.sparsemax_loss: the loss of the sigmoid that reaches 0 and 1: smooth, and zero from a margin on.
 * labels are 0 and 1 */
inline array sparsemax_loss(const ::kiln::operand &logits, const ::kiln::operand &labels, place where = here())
{ detail::call c_(where); kn_array logits_h = logits.c(); kn_array labels_h = labels.c(); c_.here(); return
    array::share(c_.take(kn_optim_sparsemax_loss(logits_h, labels_h))); }
/* optax.losses.multiclass_hinge_loss: how far the score of the label is from being 1 above all others, of each row.
 * labels are numbers of classes */
inline array multiclass_hinge_loss(const ::kiln::operand &scores, const ::kiln::operand &labels, place where = here())
{ detail::call c_(where); kn_array scores_h = scores.c(); kn_array labels_h = labels.c(); c_.here(); return
    array::share(c_.take(kn_optim_multiclass_hinge_loss(scores_h, labels_h))); }
/* optax.losses.multiclass_perceptron_loss: how far the largest score is above that of the label, of each row */
inline array multiclass_perceptron_loss(const ::kiln::operand &scores, const ::kiln::operand &labels, place
    where = here())
{ detail::call c_(where); kn_array scores_h = scores.c(); kn_array labels_h = labels.c(); c_.here(); return
    array::share(c_.take(kn_optim_multiclass_perceptron_loss(scores_h, labels_h))); }
struct ranking_softmax_loss_opts {
    KILN_OPTION((::kiln::array), where, {}) /* the items that count */
    KILN_OPTION((::kiln::array), weights, {}) /* of the items */
    KILN_OPTION((bool), no_mean, {}) /* the losses of all lists, and not their mean */
    kn_optim_ranking_softmax_loss_opts c() const {
        kn_optim_ranking_softmax_loss_opts to_ = {}; to_.size_ = sizeof to_; to_.where = detail::c_of(where);
        to_.weights = detail::c_of(weights); to_.no_mean = detail::c_of(no_mean); return to_; }
};
/* optax.losses.ranking_softmax_loss: the cross entropy of the softmax of each list's scores and its relevances:
 * their mean over lists */
inline array ranking_softmax_loss(const ::kiln::operand &logits, const ::kiln::operand &labels, const
    ::kiln::optim::ranking_softmax_loss_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array logits_h = logits.c(); kn_array labels_h = labels.c();
    kn_optim_ranking_softmax_loss_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_optim_ranking_softmax_loss(logits_h, labels_h, &opts_c))); }
struct triplet_margin_loss_opts {
    KILN_OPTION((::kiln::axes), axis, {}) /* the last one */
    KILN_OPTION((double), norm_degree, 2) /* of the distance */
    KILN_OPTION((double), margin, 1) /* that a negative has to be further than a positive */
    KILN_OPTION((double), eps, 1e-6) /* below the root */
    kn_optim_triplet_margin_loss_opts c() const {
        kn_optim_triplet_margin_loss_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.norm_degree = detail::c_of(norm_degree); to_.margin = detail::c_of(margin); to_.eps = detail::c_of(eps);
        return to_; }
};
/* optax.losses.triplet_margin_loss: how much the negative is not further from the anchor than the positive, by a
 * margin, of each row */
inline array triplet_margin_loss(const ::kiln::operand &anchors, const ::kiln::operand &positives, const ::kiln::operand
    &negatives, const ::kiln::optim::triplet_margin_loss_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array anchors_h = anchors.c(); kn_array positives_h = positives.c(); kn_array
    negatives_h = negatives.c(); kn_optim_triplet_margin_loss_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_optim_triplet_margin_loss(anchors_h, positives_h, negatives_h, &opts_c))); }
struct ctc_loss_opts {
    KILN_OPTION((int64_t), blank_id, {}) /* the class that stands for no label */
    KILN_OPTION((double), log_epsilon, -1e5) /* the logarithm of no probability */
    kn_optim_ctc_loss_opts c() const {
        kn_optim_ctc_loss_opts to_ = {}; to_.size_ = sizeof to_; to_.blank_id = detail::c_of(blank_id);
        to_.log_epsilon = detail::c_of(log_epsilon); return to_; }
};
/* optax.ctc_loss: the negative log likelihood of each sequence of labels, (B), under all ways in which frames can
 * spell it, with blanks between (Graves et al. 2006). logits: (B, T, classes), unnormalised; labels: (B, N), numbers
 * of classes; paddings are 1 behind the end of a sequence and 0 before. ValueError for other shapes */
inline array ctc_loss(const ::kiln::operand &logits, const ::kiln::operand &logit_paddings, const ::kiln::operand
    &labels, const ::kiln::operand &label_paddings, const ::kiln::optim::ctc_loss_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array logits_h = logits.c(); kn_array logit_paddings_h = logit_paddings.c(); kn_array
    labels_h = labels.c(); kn_array label_paddings_h = label_paddings.c(); kn_optim_ctc_loss_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_optim_ctc_loss(logits_h, logit_paddings_h, labels_h, label_paddings_h,
    &opts_c))); }
} // namespace optim
struct ctc_loss_result { array per_seq_loss; array logalpha_phi; array logalpha_emit; };
namespace optim {
using ctc_loss_with_forward_probs_opts = ::kiln::optim::ctc_loss_opts;
/* optax.ctc_loss_with_forward_probs: ctc_loss with the logarithms of the forward probabilities behind each frame:
 * that so many labels are spelled and a blank is last, (T, B, N + 1), and that the label itself is last, (T, B, N) */
inline ::kiln::ctc_loss_result ctc_loss_with_forward_probs(const ::kiln::operand &logits, const ::kiln::operand
    &logit_paddings, const ::kiln::operand &labels, const ::kiln::operand &label_paddings, const
    ::kiln::optim::ctc_loss_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array logits_h = logits.c(); kn_array logit_paddings_h = logit_paddings.c(); kn_array
    labels_h = labels.c(); kn_array label_paddings_h = label_paddings.c(); kn_optim_ctc_loss_opts opts_c = opts.c();
    c_.here(); kn_ctc_loss_result r_ = c_.value(kn_optim_ctc_loss_with_forward_probs(logits_h, logit_paddings_h,
    labels_h, label_paddings_h, &opts_c)); return ::kiln::ctc_loss_result{array::share(r_.per_seq_loss),
    array::share(r_.logalpha_phi), array::share(r_.logalpha_emit)}; }
struct dice_loss_opts {
    KILN_OPTION((::kiln::array), class_weights, {}) /* times the loss of each class, (classes) */
    KILN_OPTION((double), smooth, 1) /* added to both sides of the quotient */
    KILN_OPTION((double), alpha, 0.5) /* weight of what is predicted and is not there */
    KILN_OPTION((double), beta, 0.5) /* weight of what is there and is not predicted */
    KILN_OPTION((bool), apply_softmax, true)
    KILN_OPTION((::kiln::text), reduction, {}) /* over the classes */
    KILN_OPTION((bool), ignore_background, {}) /* the first class does not count, where there are several */
    KILN_OPTION((::kiln::axes), axis, {}) /* the axes of a region */
    kn_optim_dice_loss_opts c() const {
        kn_optim_dice_loss_opts to_ = {}; to_.size_ = sizeof to_; to_.class_weights = detail::c_of(class_weights);
        to_.smooth = detail::c_of(smooth); to_.alpha = detail::c_of(alpha); to_.beta = detail::c_of(beta);
        to_.apply_softmax = detail::c_of(apply_softmax); to_.reduction = detail::c_of(reduction);
        to_.ignore_background = detail::c_of(ignore_background); to_.axis = detail::c_of(axis); return to_; }
};
/* optax.losses.dice_loss: how badly the regions of classes overlap those that they should: 1 less Dice's quotient
 * (Tversky's where alpha and beta differ), the mean over classes for each first index. predictions: logits, (...,
 * classes), or of one class without that axis; targets: one-hot, of that shape. ValueError for other shapes, or
 * another reduction */
inline array dice_loss(const ::kiln::operand &predictions, const ::kiln::operand &targets, const
    ::kiln::optim::dice_loss_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array predictions_h = predictions.c(); kn_array targets_h = targets.c();
    kn_optim_dice_loss_opts opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_optim_dice_loss(predictions_h,
    targets_h, &opts_c))); }
struct multiclass_generalized_dice_loss_opts {
    KILN_OPTION((double), smooth, 1) /* added to both sides of the quotients */
    KILN_OPTION((bool), apply_softmax, true)
    KILN_OPTION((bool), ignore_background, {}) /* the first class does not count */
    kn_optim_multiclass_generalized_dice_loss_opts c() const {
        kn_optim_multiclass_generalized_dice_loss_opts to_ = {}; to_.size_ = sizeof to_;
        to_.smooth = detail::c_of(smooth); to_.apply_softmax = detail::c_of(apply_softmax);
        to_.ignore_background = detail::c_of(ignore_background); return to_; }
};
/* optax.losses.multiclass_generalized_dice_loss: the mean of dice_loss over all classes and first indices, each
 * class weighted by 1 over the square of how often it is there, so that rare ones count (Sudre et al. 2017). Both
 * are of one shape, (..., classes) */
inline array multiclass_generalized_dice_loss(const ::kiln::operand &predictions, const ::kiln::operand &targets, const
    ::kiln::optim::multiclass_generalized_dice_loss_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array predictions_h = predictions.c(); kn_array targets_h = targets.c();
    kn_optim_multiclass_generalized_dice_loss_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_optim_multiclass_generalized_dice_loss(predictions_h, targets_h, &opts_c))); }
struct binary_dice_loss_opts {
    KILN_OPTION((double), smooth, 1) /* added to both sides of the quotient */
    KILN_OPTION((bool), apply_sigmoid, true) /* predictions are logits; false: they are probabilities */
    kn_optim_binary_dice_loss_opts c() const {
        kn_optim_binary_dice_loss_opts to_ = {}; to_.size_ = sizeof to_; to_.smooth = detail::c_of(smooth);
        to_.apply_sigmoid = detail::c_of(apply_sigmoid); return to_; }
};
/* optax.losses.binary_dice_loss: dice_loss of one class, for each first index: predictions and targets of 0 and 1
 * have no axis of classes, or a last one of extent 1 */
inline array binary_dice_loss(const ::kiln::operand &predictions, const ::kiln::operand &targets, const
    ::kiln::optim::binary_dice_loss_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array predictions_h = predictions.c(); kn_array targets_h = targets.c();
    kn_optim_binary_dice_loss_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_optim_binary_dice_loss(predictions_h, targets_h, &opts_c))); }
/* optax.losses.make_fenchel_young_loss: max_fun(scores) - <targets, scores> along the last axis: the loss that a
 * maximum of one vector makes (Blondel et al. 2020), of each row. With logsumexp it is the cross entropy */
inline array fenchel_young_loss(const ::kiln::fn &max_fun, const ::kiln::operand &scores, const ::kiln::operand
    &targets, place where = here())
{ detail::call c_(where); kn_array scores_h = scores.c(); kn_array targets_h = targets.c(); c_.here(); return
    array::share(c_.take(kn_optim_fenchel_young_loss(max_fun.c(), scores_h, targets_h))); }
/* optax.losses.multiclass_sparsemax_loss: the loss of the nearest distribution to the scores, of each row: zero
 * where the score of the label is by 1 above all others (Martins, Astudillo 2016). labels are numbers of classes */
inline array multiclass_sparsemax_loss(const ::kiln::operand &scores, const ::kiln::operand &labels, place
    where = here())
{ detail::call c_(where); kn_array scores_h = scores.c(); kn_array labels_h = labels.c(); c_.here(); return
    array::share(c_.take(kn_optim_multiclass_sparsemax_loss(scores_h, labels_h))); }
} // namespace optim
} // namespace kiln
#endif
