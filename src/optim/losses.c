/* SPDX-License-Identifier: Apache-2.0
 * losses.c -- losses as optax.losses, made of public functions in optax's order. */
#include "kiln/nn.h"
#include "optim/compose.h"
#include "optim/optimizer.h"
#include <math.h>

/* ---- Tools. */

/* labels in the dtype of the logits */
static kn_array as_logits(knl_body *c, kn_array labels, kn_array logits)
{
    kni_type t = kna_type(&c->op, logits);
    return knl_made(c, kna_in_as(&c->op, labels, kna_strong_dtype(t)));
}

/* ---- Of numbers. */

static kn_array errors_of(kn_array predictions, kn_array targets)
{
    return targets ? kn_subtract(predictions, targets) : predictions;
}

static kn_array half_square(kn_array e) { return kn_multiply(kno_num(0.5), kn_square(e)); }

kn_array kn_optim_squared_error(kn_array predictions, kn_array targets)
{
    knl_body c;
    knl_begin(&c, "optim_squared_error");
    return knl_end(&c, kno_floats(&c, predictions) ? kn_square(errors_of(predictions, targets)) : NULL);
}

kn_array kn_optim_l2_loss(kn_array predictions, kn_array targets)
{
    knl_body c;
    knl_begin(&c, "optim_l2_loss");
    return knl_end(&c, kno_floats(&c, predictions) ? half_square(errors_of(predictions, targets)) : NULL);
}

kn_array kn_optim_huber_loss(kn_array predictions, kn_array targets, const kn_optim_huber_loss_opts *opts)
{
    knl_body c;
    knl_begin(&c, "optim_huber_loss");
    KNX_OPTS(kn_optim_huber_loss_opts, o, opts);
    if (!kno_floats(&c, predictions))
        return knl_end(&c, NULL);
    kn_array size = kn_absolute(errors_of(predictions, targets)), quadratic = kn_minimum(size, kno_num(o.delta));
    return knl_end(&c, kn_add(half_square(quadratic), kn_multiply(kno_num(o.delta), kn_subtract(size, quadratic))));
}

/* log((e^x + e^-x) / 2) */
kn_array kn_optim_log_cosh(kn_array predictions, kn_array targets)
{
    knl_body c;
    knl_begin(&c, "optim_log_cosh");
    if (!kno_floats(&c, predictions))
        return knl_end(&c, NULL);
    kn_array e = errors_of(predictions, targets), minus = kn_negative(e);
    return knl_end(&c, kn_subtract(kn_logaddexp(e, minus), kno_num(M_LN2)));
}

static kn_array unit(kn_array x, const kn_optim_cosine_opts *o)
{
    kn_array square = kno_sum_along(kn_square(x), o->axis, true, o->where);
    return kn_divide(x, kn_sqrt(kn_maximum(square, kno_num(o->epsilon))));
}

static kn_array cosine(kn_array a, kn_array b, const kn_optim_cosine_opts *o)
{
    return kno_sum_along(kn_multiply(unit(a, o), unit(b, o)), o->axis, false, o->where);
}

kn_array kn_optim_cosine_similarity(kn_array predictions, kn_array targets, const kn_optim_cosine_opts *opts)
{
    knl_body c;
    knl_begin(&c, "optim_cosine_similarity");
    KNX_OPTS(kn_optim_cosine_opts, o, opts);
    return knl_end(&c,
                   kno_floats(&c, predictions) && kno_floats(&c, targets) ? cosine(predictions, targets, &o) : NULL);
}

kn_array kn_optim_cosine_distance(kn_array predictions, kn_array targets, const kn_optim_cosine_opts *opts)
{
    knl_body c;
    knl_begin(&c, "optim_cosine_distance");
    KNX_OPTS(kn_optim_cosine_opts, o, opts);
    bool ok = kno_floats(&c, predictions) && kno_floats(&c, targets);
    return knl_end(&c, ok ? kn_subtract(kno_num(1), cosine(predictions, targets, &o)) : NULL);
}

/* ---- Of two classes. */

static kn_array binary(kn_array logits, kn_array labels)
{
    kn_array log_p = kn_nn_log_sigmoid(logits), log_not_p = kn_nn_log_sigmoid(kn_negative(logits));
    kn_array first = kn_multiply(kn_negative(labels), log_p);
    return kn_subtract(first, kn_multiply(kn_subtract(kno_num(1), labels), log_not_p));
}

kn_array kn_optim_sigmoid_binary_cross_entropy(kn_array logits, kn_array labels)
{
    knl_body c;
    knl_begin(&c, "optim_sigmoid_binary_cross_entropy");
    return knl_end(&c, kno_floats(&c, logits) ? binary(logits, as_logits(&c, labels, logits)) : NULL);
}

kn_array kn_optim_hinge_loss(kn_array predictor_outputs, kn_array targets)
{
    knl_body c;
    knl_begin(&c, "optim_hinge_loss");
    return knl_end(&c, kn_maximum(kno_num(0), kn_subtract(kno_num(1), kn_multiply(predictor_outputs, targets))));
}

kn_array kn_optim_perceptron_loss(kn_array predictor_outputs, kn_array targets)
{
    knl_body c;
    knl_begin(&c, "optim_perceptron_loss");
    return knl_end(&c, kn_maximum(kno_num(0), kn_multiply(kn_negative(predictor_outputs), targets)));
}

/* log(a e^x + b e^y) */
static kn_array weighted_log_sum(kn_array a, kn_array x, kn_array b, kn_array y)
{
    kn_array most = kn_maximum(x, y);
    kn_array first = kn_multiply(a, kn_exp(kn_subtract(x, most)));
    return kn_add(kn_log(kn_add(first, kn_multiply(b, kn_exp(kn_subtract(y, most))))), most);
}

kn_array kn_optim_sigmoid_focal_loss(kn_array logits, kn_array labels, const kn_optim_sigmoid_focal_loss_opts *opts)
{
    knl_body c;
    knl_begin(&c, "optim_sigmoid_focal_loss");
    KNX_OPTS(kn_optim_sigmoid_focal_loss_opts, o, opts);
    if (!kno_floats(&c, logits))
        return knl_end(&c, NULL);
    kn_array t = as_logits(&c, labels, logits), not_t = kn_subtract(kno_num(1), t);
    kn_array log_rest = weighted_log_sum(not_t, kn_nn_log_sigmoid(logits), t, kn_nn_log_sigmoid(kn_negative(logits)));
    kn_array loss = kn_multiply(binary(logits, t), kn_exp(kn_multiply(kno_num(o.gamma), log_rest)));
    if (!isnan(o.alpha)) {
        kn_array weight = kn_add(kn_multiply(kno_num(o.alpha), t), kn_multiply(kno_num(1.0 - o.alpha), not_t));
        loss = kn_multiply(weight, loss);
    }
    return knl_end(&c, loss);
}

/* ---- Of many classes. */

static kn_array log_softmax(kn_array x, const kn_optim_loss_opts *o)
{
    kn_nn_softmax_opts s = kn_nn_softmax_opts_default();
    s.axis = o->axis;
    s.where = o->where;
    return kn_nn_log_softmax(x, &s);
}

static kn_array cross_entropy(kn_array logits, kn_array labels, const kn_optim_loss_opts *o)
{
    return kn_negative(kno_sum_along(kn_multiply(labels, log_softmax(logits, o)), o->axis, false, o->where));
}

kn_array kn_optim_softmax_cross_entropy(kn_array logits, kn_array labels, const kn_optim_loss_opts *opts)
{
    knl_body c;
    knl_begin(&c, "optim_softmax_cross_entropy");
    KNX_OPTS(kn_optim_loss_opts, o, opts);
    return knl_end(&c, kno_floats(&c, logits) ? cross_entropy(logits, labels, &o) : NULL);
}

kn_array kn_optim_softmax_cross_entropy_with_integer_labels(kn_array logits, kn_array labels,
                                                            const kn_optim_loss_opts *opts)
{
    knl_body c;
    knl_begin(&c, "optim_softmax_cross_entropy_with_integer_labels");
    KNX_OPTS(kn_optim_loss_opts, o, opts);
    kni_type t = kno_floats(&c, logits) ? kna_type(&c.op, labels) : kni_scalar_type(KN_DT(I32));
    if (!kna_failed(&c.op) && !knx_is_integer(t.dtype))
        kna_fail(&c.op, KN_ERROR_TYPE,
                 "Expected the input to have a dtype that is a subdtype of <class 'jax.numpy.integer'>, but got %s",
                 t.dtype->name);
    int axis = kna_failed(&c.op) ? 0 : kna_axis(&c.op, o.axis, kna_type(&c.op, logits).ndim, -1);
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    kn_axes one = knl_one_axis(axis);
    kn_nn_logsumexp_opts sum = kn_nn_logsumexp_opts_default();
    kn_squeeze_opts along = kn_squeeze_opts_default();
    sum.axis = along.axis = one;
    sum.where = o.where;
    kn_array picked = kn_take_along_axis(logits, kn_expand_dims(labels, &one), &along);
    kn_array loss = kn_subtract(kn_nn_logsumexp(logits, &sum), kn_squeeze(picked, &along));
    if (o.where) { /* nothing counts: no loss */
        kn_any_opts any = kn_any_opts_default();
        any.axis = one;
        loss = kn_where(kn_any(o.where, &any), loss, kno_num(0));
    }
    return knl_end(&c, loss);
}

/* w log_softmax(x), 0 where w is 0 */
kn_array kn_optim_safe_softmax_cross_entropy(kn_array logits, kn_array labels)
{
    knl_body c;
    knl_begin(&c, "optim_safe_softmax_cross_entropy");
    if (!kno_floats(&c, logits))
        return knl_end(&c, NULL);
    kn_optim_loss_opts o = kn_optim_loss_opts_default();
    kn_array some = kn_not_equal(labels, kno_num(0));
    kn_array log_p = kn_where(some, log_softmax(logits, &o), kno_num(0)); /* so that its derivative is finite, too */
    return knl_end(&c, kn_negative(kno_sum_along(kn_multiply(labels, log_p), o.axis, false, NULL)));
}

kn_array kn_optim_poly_loss_cross_entropy(kn_array logits, kn_array labels, double epsilon)
{
    knl_body c;
    knl_begin(&c, "optim_poly_loss_cross_entropy");
    if (!kno_floats(&c, logits) || !kno_floats(&c, labels))
        return knl_end(&c, NULL);
    kn_optim_loss_opts o = kn_optim_loss_opts_default();
    kn_array wrong = kn_multiply(labels, kn_subtract(kno_num(1), kn_nn_softmax(logits, NULL)));
    kn_array rest = kn_multiply(kno_num(epsilon), kno_sum_along(wrong, o.axis, false, NULL));
    return knl_end(&c, kn_add(cross_entropy(logits, labels, &o), rest));
}

/* ---- Of distributions. */

static kn_array divergence(kn_array log_p, kn_array targets, const kn_optim_loss_opts *o)
{
    kn_array none = kn_equal(targets, kno_num(0)), safe = kn_where(none, kno_num(1), targets); /* log 1 is 0 */
    return kno_sum_along(kn_multiply(targets, kn_subtract(kn_log(safe), log_p)), o->axis, false, o->where);
}

kn_array kn_optim_kl_divergence(kn_array log_predictions, kn_array targets, const kn_optim_loss_opts *opts)
{
    knl_body c;
    knl_begin(&c, "optim_kl_divergence");
    KNX_OPTS(kn_optim_loss_opts, o, opts);
    return knl_end(&c, kno_floats(&c, log_predictions) && kno_floats(&c, targets)
                           ? divergence(log_predictions, targets, &o)
                           : NULL);
}

kn_array kn_optim_kl_divergence_with_log_targets(kn_array log_predictions, kn_array log_targets,
                                                 const kn_optim_loss_opts *opts)
{
    knl_body c;
    knl_begin(&c, "optim_kl_divergence_with_log_targets");
    KNX_OPTS(kn_optim_loss_opts, o, opts);
    if (!kno_floats(&c, log_predictions) || !kno_floats(&c, log_targets))
        return knl_end(&c, NULL);
    kn_array loss = kn_multiply(kn_exp(log_targets), kn_subtract(log_targets, log_predictions));
    return knl_end(&c, kno_sum_along(loss, o.axis, false, o.where));
}

kn_array kn_optim_generalized_kl_divergence(kn_array log_predictions, kn_array targets, const kn_optim_loss_opts *opts)
{
    knl_body c;
    knl_begin(&c, "optim_generalized_kl_divergence");
    KNX_OPTS(kn_optim_loss_opts, o, opts);
    if (!kno_floats(&c, log_predictions) || !kno_floats(&c, targets))
        return knl_end(&c, NULL);
    kn_array rest = kno_sum_along(kn_subtract(kn_exp(log_predictions), targets), o.axis, false, o.where);
    return knl_end(&c, kn_add(divergence(log_predictions, targets, &o), rest));
}

kn_array kn_optim_smooth_labels(kn_array labels, double alpha)
{
    knl_body c;
    knl_begin(&c, "optim_smooth_labels");
    kni_type t = kno_floats(&c, labels) ? kna_type(&c.op, labels) : kni_scalar_type(KN_DT(F32));
    if (!kna_failed(&c.op) && t.ndim == 0)
        kna_fail(&c.op, KN_ERROR_AXIS, "axis -1 is out of bounds for array of dimension 0");
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    int64_t n = t.dim[t.ndim - 1];
    double classes = (double)n;
    if (knx_is_symbolic(n)) {
        kn_array count = knl_made(&c, knb_dimension(c.op.b, kna_strong_dtype(t), n));
        return knl_end(&c, kn_add(kn_multiply(kno_num(1.0 - alpha), labels), kn_divide(kno_num(alpha), count)));
    }
    return knl_end(&c, kn_add(kn_multiply(kno_num(1.0 - alpha), labels), kno_num(alpha / classes)));
}

/* ---- Of embeddings. */

static kn_array new_axis(kn_array x, int axis)
{
    kn_axes place = knl_one_axis(axis);
    return kn_expand_dims(x, &place);
}

static kn_array row_max(kn_array x)
{
    kn_max_opts o = kn_max_opts_default();
    o.axis = knl_one_axis(1);
    o.keepdims = true;
    return kn_max(x, &o);
}

kn_array kn_optim_ntxent(kn_array embeddings, kn_array labels, double temperature)
{
    knl_body c;
    knl_begin(&c, "optim_ntxent");
    kni_type e = kno_floats(&c, embeddings) ? kna_type(&c.op, embeddings) : kni_scalar_type(KN_DT(F32)),
             l = kna_failed(&c.op) ? e : kna_type(&c.op, labels);
    if (!kna_failed(&c.op) && (e.ndim != 2 || l.ndim != 1))
        kna_fail(&c.op, KN_ERROR_VALUE, "embeddings have 2 dimensions and labels 1, but they have %d and %d", e.ndim,
                 l.ndim);
    else if (!kna_failed(&c.op) && !knx_dim_eq(l.dim[0], e.dim[0])) {
        knx_text s = {0}, t = {0};
        kna_fail(&c.op, KN_ERROR_VALUE,
                 "Labels and embeddings must have the same leading dimension, found %s for labels and %s for "
                 "embeddings.",
                 knx_dim_show(&s, l.dim[0]), knx_dim_show(&t, e.dim[0]));
    }
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    kn_optim_cosine_opts o = kn_optim_cosine_opts_default();
    kn_dtype d = kna_strong_dtype(e);
    o.epsilon = d == KN_DT(F64) ? 0x1p-52 : d == KN_DT(F32) ? 0x1p-23 : d == KN_DT(F16) ? 0x1p-10 : 0x1p-7;
    kn_array x = kn_divide(cosine(new_axis(embeddings, 0), new_axis(embeddings, 1), &o), kno_num(temperature));
    kn_array same = kn_equal(new_axis(labels, 1), new_axis(labels, 0));
    kn_eye_opts eye = kn_eye_opts_default();
    eye.dtype = KN_DT(BOOL);
    kn_array match = kn_logical_and(same, kn_logical_not(kn_eye(e.dim[0], &eye)));
    kn_array low = kno_num(-INFINITY), off = kn_where(same, low, x), on = kn_where(match, x, low);
    kn_array shift = kn_maximum(row_max(off), row_max(on)), most = kn_lax_stop_gradient(shift);
    kn_array numerator = kn_subtract(on, most);
    kn_array below =
        kn_add(kno_sum_along(kn_exp(kn_subtract(off, most)), knl_one_axis(1), true, NULL), kn_exp(numerator));
    kn_array log_p = kn_where(match, kn_subtract(numerator, kn_log(below)), kno_num(0));
    kn_sum_opts all = kn_sum_opts_default();
    return knl_end(&c, kn_divide(kn_negative(kn_sum(log_p, &all)), as_logits(&c, kn_sum(match, &all), embeddings)));
}
