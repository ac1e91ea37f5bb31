/* SPDX-License-Identifier: Apache-2.0
 * sequence_losses.c -- more losses of optax.losses: of margins, of lists, of triplets, and of sequences that are
 * spelled frame by frame (CTC), made of public functions. */
#include "kiln/control.h"
#include "kiln/nn.h"
#include "optim/compose.h"
#include "kiln/optim.h"
#include <math.h>

static kn_array last_max(kn_array x)
{
    kn_max_opts o = kn_max_opts_default();
    o.axis = knl_one_axis(-1);
    return kn_max(x, &o);
}

/* ---- Margins. */

kn_array kn_optim_sparsemax_loss(kn_array logits, kn_array labels)
{
    knl_body c;
    knl_begin(&c, "optim_sparsemax_loss");
    if (!kno_floats(&c, logits))
        return knl_end(&c, NULL);
    kn_array yes = kn_not_equal(labels, kno_num(0));
    return knl_end(&c, kn_nn_sparse_plus(kn_where(yes, kn_negative(logits), logits)));
}

/* 1 at the label of each row, in the dtype of the scores; NULL with the body failed. */
static kn_array labels_of(knl_body *c, kn_array scores, kn_array labels)
{
    kni_type t = kno_floats(c, scores) ? kna_type(&c->op, scores) : kni_scalar_type(KN_DT(F32));
    if (!kna_failed(&c->op) && !t.ndim)
        kna_fail(&c->op, KN_ERROR_VALUE, "scores have a last axis, that of the classes");
    if (kna_failed(&c->op))
        return NULL;
    return kn_nn_one_hot(labels, t.dim[t.ndim - 1], KNL_WITH(kn_nn_one_hot_opts, .dtype = t.dtype));
}

kn_array kn_optim_multiclass_hinge_loss(kn_array scores, kn_array labels)
{
    knl_body c;
    knl_begin(&c, "optim_multiclass_hinge_loss");
    kn_array right = labels_of(&c, scores, labels);
    if (!right)
        return knl_end(&c, NULL);
    kn_array most = last_max(kn_subtract(kn_add(scores, kno_num(1)), right));
    return knl_end(&c, kn_subtract(most, kno_last_sum(kn_multiply(scores, right))));
}

kn_array kn_optim_multiclass_perceptron_loss(kn_array scores, kn_array labels)
{
    knl_body c;
    knl_begin(&c, "optim_multiclass_perceptron_loss");
    kn_array right = labels_of(&c, scores, labels);
    return knl_end(&c, right ? kn_subtract(last_max(scores), kno_last_sum(kn_multiply(scores, right))) : NULL);
}

/* ---- Lists and triplets. */

kn_array kn_optim_ranking_softmax_loss(kn_array logits, kn_array labels, const kn_optim_ranking_softmax_loss_opts *opts)
{
    knl_body c;
    knl_begin(&c, "optim_ranking_softmax_loss");
    KNX_OPTS(kn_optim_ranking_softmax_loss_opts, o, opts);
    if (!kno_floats(&c, logits))
        return knl_end(&c, NULL);
    labels = kn_astype(labels, kn_dtype_of(logits), NULL);
    if (o.where) {
        labels = kn_where(o.where, labels, kno_num(0));
        logits = kn_where(o.where, logits, kno_num(-INFINITY));
    }
    if (o.weights)
        labels = kn_multiply(labels, o.weights);
    kn_array log_p = kn_nn_log_softmax(logits, NULL);
    kn_array loss = kn_negative(kno_sum_along(kn_multiply(labels, log_p), (kn_axes){0}, false, o.where));
    kn_array some = o.where ? kn_any(o.where, KNL_WITH(kn_any_opts, .axis = knl_one_axis(-1))) : NULL;
    if (o.no_mean)
        return knl_end(&c, some ? kn_where(some, loss, kno_num(0)) : loss);
    kn_array mean = kn_mean(loss, KNL_WITH(kn_mean_opts, .where = some));
    if (some) { /* no list counts: no loss */
        kn_array bad = kn_any(kn_isnan(loss), NULL);
        mean = kn_where(kn_logical_and(kn_isnan(mean), kn_logical_not(bad)), kno_num(0), mean);
    }
    return knl_end(&c, mean);
}

static kn_array distance(kn_array x, kn_array y, const kn_optim_triplet_margin_loss_opts *o)
{
    kn_array power = kn_power(kn_subtract(x, y), kno_num(o->norm_degree));
    return kn_power(kn_add(kno_sum_along(power, o->axis, false, NULL), kno_num(o->eps)), kno_num(1 / o->norm_degree));
}

kn_array kn_optim_triplet_margin_loss(kn_array anchors, kn_array positives, kn_array negatives,
                                      const kn_optim_triplet_margin_loss_opts *opts)
{
    knl_body c;
    knl_begin(&c, "optim_triplet_margin_loss");
    KNX_OPTS(kn_optim_triplet_margin_loss_opts, o, opts);
    if (!kno_floats(&c, anchors) || !kno_floats(&c, positives) || !kno_floats(&c, negatives))
        return knl_end(&c, NULL);
    kn_array near = distance(anchors, positives, &o), gap = kn_subtract(near, distance(anchors, negatives, &o));
    return knl_end(&c, kn_maximum(kn_add(gap, kno_num(o.margin)), kno_num(0)));
}

/* ---- CTC. phi: the logarithm of the probability that so many labels are spelled and a blank is last, (B, N + 1);
 * emit: that the label itself is last, (B, N). */

typedef struct states {
    kn_array phi, emit;
} states;
typedef struct frames {
    kn_array emit, phi, pad; /* (B, N), (B, 1), (B, 1), with a first axis of T */
} frames;
typedef struct constants {
    kn_array repeat, log_epsilon, blocked; /* blocked: log_epsilon where the next label is not the same one */
} constants;

static kn_array joined(kn_array first, kn_array rest)
{
    const kn_array both[] = {first, rest};
    return kn_concatenate(kn_list_from(both, 2), KNL_WITH(kn_concatenate_opts, .axis = knl_one_axis(-1)));
}

/* Of the last axis. */
static kn_array columns(kn_array x, int64_t from, int64_t to)
{
    return knl_part("optim_ctc_loss", x, kn_ndim(x) - 1, from, to);
}

static kn_array with_score(kn_array phi, kn_array score)
{
    int64_t n = kn_shape_of(phi).dim[1];
    return joined(columns(phi, 0, 1), kn_logaddexp(columns(phi, 1, n), score));
}

static kn_array mixed(kn_array pad, kn_array old, kn_array new)
{
    kn_array kept = kn_multiply(pad, old);
    return kn_add(kept, kn_multiply(kn_subtract(kno_num(1), pad), new));
}

static void ctc_step(const void *captured, void *out, const void *const *in)
{
    const constants *k = captured;
    const states *old = in[0];
    const frames *x = in[1];
    int64_t n = kn_shape_of(old->emit).dim[1];
    kn_array phi = with_score(old->phi, kn_add(old->emit, kn_multiply(k->log_epsilon, k->repeat)));
    kn_array begun = kn_add(columns(phi, 0, n), x->emit);
    kn_array emit = kn_logaddexp(begun, kn_add(old->emit, x->emit));
    kn_array after = kn_add(kn_add(old->emit, x->phi), k->blocked);
    kn_array next = with_score(kn_add(phi, x->phi), after);
    states new = {mixed(x->pad, old->phi, next), mixed(x->pad, old->emit, emit)};
    ((states *)out)[0] = ((states *)out)[1] = new;
}

static bool ctc_shapes(knl_body *c, kn_array logits, kn_array logit_paddings, kn_array labels, kn_array label_paddings,
                       int64_t blank)
{
    kni_type x = kno_floats(c, logits) ? kna_type(&c->op, logits) : kni_scalar_type(KN_DT(F32));
    kni_type p = kna_type(&c->op, logit_paddings), l = kna_type(&c->op, labels), q = kna_type(&c->op, label_paddings);
    if (kna_failed(&c->op))
        return false;
    if (x.ndim != 3 || l.ndim != 2 || p.ndim != 2 || q.ndim != 2)
        kna_fail(&c->op, KN_ERROR_VALUE,
                 "logits have 3 axes, labels and both paddings 2, but they have %d, %d, %d and %d", x.ndim, l.ndim,
                 p.ndim, q.ndim);
    else if (p.dim[0] != x.dim[0] || p.dim[1] != x.dim[1] || q.dim[0] != l.dim[0] || q.dim[1] != l.dim[1])
        kna_fail(&c->op, KN_ERROR_VALUE, "paddings have the shapes of what they pad: (B, T) and (B, N)");
    else if (l.dim[0] != x.dim[0])
        kna_fail(&c->op, KN_ERROR_VALUE, "Expected `labels` to have batch size %lld, got %lld.", (long long)x.dim[0],
                 (long long)l.dim[0]);
    else if (!x.dim[1] || !l.dim[1])
        kna_fail(&c->op, KN_ERROR_VALUE, "there are no frames or no labels");
    else if (blank < 0 || blank >= x.dim[2])
        kna_fail(&c->op, KN_ERROR_VALUE, "blank_id %lld is none of %lld classes", (long long)blank,
                 (long long)x.dim[2]);
    else if (!knx_is_integer(l.dtype))
        kna_fail(&c->op, KN_ERROR_TYPE, "labels are integers, but these are %s", l.dtype->name);
    return !kna_failed(&c->op);
}

static kn_array full(int64_t rows, int64_t n, double v, kn_dtype d)
{
    return kn_full(&(kn_shape){2, {rows, n}}, kno_num(v), KNL_WITH(kn_zeros_opts, .dtype = d));
}

static kn_array frames_first(kn_array x) { return kn_swapaxes(x, 0, 1); }

/* Does the next label repeat this one? (B, N), the last one does not. */
static kn_array repeats(kn_array labels, kn_dtype d)
{
    kn_shape s = kn_shape_of(labels);
    kn_array same = kn_equal(columns(labels, 0, s.dim[1] - 1), columns(labels, 1, s.dim[1]));
    return joined(kn_astype(same, d, NULL), full(s.dim[0], 1, 0, d));
}

/* The forward probabilities behind all frames. */
static states forward(kn_array logits, kn_array logit_paddings, kn_array labels, const kn_optim_ctc_loss_opts *o)
{
    static const kn_function step = {.size_ = sizeof(kn_function),
                                     .name = "ctc_step",
                                     .call = ctc_step,
                                     .captured_bytes = sizeof(constants),
                                     .out_bytes = 2 * sizeof(states),
                                     .n_args = 2,
                                     .arg_bytes = {sizeof(states), sizeof(frames)}};
    kn_shape s = kn_shape_of(logits), l = kn_shape_of(labels);
    kn_dtype d = kn_dtype_of(logits);
    kn_axes last = knl_one_axis(-1);
    kn_array log_p = kn_nn_log_softmax(logits, NULL);
    kn_array hot = kn_nn_one_hot(labels, s.dim[2], KNL_WITH(kn_nn_one_hot_opts, .dtype = d));
    const kn_array both[] = {log_p, hot};
    frames xs = {frames_first(kn_einsum("btk,bnk->btn", 2, both, NULL)),
                 frames_first(columns(log_p, o->blank_id, o->blank_id + 1)),
                 kn_expand_dims(frames_first(kn_astype(logit_paddings, d, NULL)), &last)};
    constants k = {repeats(labels, d), kn_astype(kno_num(o->log_epsilon), d, NULL), NULL};
    k.blocked = kn_multiply(k.log_epsilon, kn_subtract(kno_num(1), k.repeat));
    kn_array start = joined(full(s.dim[0], 1, 0, d), full(s.dim[0], l.dim[1], o->log_epsilon, d));
    states first = {start, full(s.dim[0], l.dim[1], o->log_epsilon, d)}, end = {NULL, NULL}, all = {NULL, NULL};
    kn_scan(kn_fn_of(&step, &k), &(const kn_outs){2, {{&end, sizeof end}, {&all, sizeof all}}},
            &(const kn_args){1, {{&first, sizeof first}}}, &(const kn_args){1, {{&xs, sizeof xs}}}, NULL);
    return all;
}

static kn_array last_frame(kn_array x)
{
    int64_t t = kn_shape_of(x).dim[0];
    return kn_squeeze(knl_part("optim_ctc_loss", x, 0, t - 1, t), KNL_WITH(kn_squeeze_opts, .axis = knl_one_axis(0)));
}

kn_ctc_loss_result kn_optim_ctc_loss_with_forward_probs(kn_array logits, kn_array logit_paddings, kn_array labels,
                                                        kn_array label_paddings, const kn_optim_ctc_loss_opts *opts)
{
    knl_body c;
    knl_begin(&c, "optim_ctc_loss_with_forward_probs");
    KNX_OPTS(kn_optim_ctc_loss_opts, o, opts);
    kn_array out[3] = {NULL, NULL, NULL};
    if (ctc_shapes(&c, logits, logit_paddings, labels, label_paddings, o.blank_id)) {
        states all = forward(logits, logit_paddings, labels, &o);
        kn_dtype d = kn_dtype_of(logits);
        kn_shape s = kn_shape_of(all.emit);
        if (all.phi && all.emit && kn_ok(all.phi)) {
            kn_array last = with_score(last_frame(all.phi), last_frame(all.emit));
            kn_array n = kn_subtract(kno_num((double)s.dim[2]), kno_last_sum(kn_astype(label_paddings, d, NULL)));
            kn_array where =
                kn_nn_one_hot(kn_astype(n, KN_DT(I32), NULL), s.dim[2] + 1, KNL_WITH(kn_nn_one_hot_opts, .dtype = d));
            kn_axes first = knl_one_axis(0);
            const kn_array parts[] = {knl_part("optim_ctc_loss", all.phi, 0, 0, s.dim[0] - 1),
                                      kn_expand_dims(last, &first)};
            out[0] = kn_negative(kno_last_sum(kn_multiply(last, where)));
            out[1] = kn_concatenate(kn_list_from(parts, 2), KNL_WITH(kn_concatenate_opts, .axis = first));
            out[2] = all.emit;
        }
    }
    knl_end_n(&c, 3, out);
    return (kn_ctc_loss_result){out[0], out[1], out[2]};
}

kn_array kn_optim_ctc_loss(kn_array logits, kn_array logit_paddings, kn_array labels, kn_array label_paddings,
                           const kn_optim_ctc_loss_opts *opts)
{
    knl_body c;
    knl_begin(&c, "optim_ctc_loss");
    return knl_end(
        &c, kn_optim_ctc_loss_with_forward_probs(logits, logit_paddings, labels, label_paddings, opts).per_seq_loss);
}
