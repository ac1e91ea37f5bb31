/* SPDX-License-Identifier: Apache-2.0
 * make.c -- the transformations of kiln/optim/transforms.h as handles. */
#include "lib/internal.h"
#include "optim/make.h"
#include <limits.h>
#include <math.h>

/* ---- Shared with alias.c. */

static kna_value *number_of(kna_op *op, kn_array x)
{
    kna_value *v = NULL;
    knx_error *e = kna_array_value(x, &v);
    if (e)
        kna_fail_with(op, e);
    else if (v->type.ndim || !knx_is_float(v->type.dtype)) {
        knx_text t = {0};
        kna_fail(op, KN_ERROR_TYPE, "a learning rate is a real number, but this is %s",
                 kni_type_text(&t, v->type, true));
    }
    return v;
}

kno_transform *kno_make_scale(kna_op *op, double factor, kn_schedule schedule, kn_array number, bool negate)
{
    kno_transform *t = KNO_NEW(kno_scale, factor);
    if (!t)
        return NULL;
    t->flag[0] = negate;
    if (number)
        t->number = number_of(op, number);
    else if (schedule)
        t->schedule = kno_schedule_retain(kno_schedule_get(op, schedule));
    else if (isnan(factor))
        kna_fail(op, KN_ERROR_TYPE, "missing required option 'learning_rate'");
    return t;
}

kno_transform *kno_make_masked(kna_op *op, kno_transform *inner, kn_tree mask, bool invert)
{
    kno_transform *t = kno_new(&kno_masked, 1, &inner);
    if (!t)
        return NULL;
    int n = kntree_tree_size(mask);
    kn_array *x = knx_alloc(((size_t)(n < 0 ? 0 : n) + 1) * sizeof *x);
    t->mask = knx_alloc_zero((size_t)(n < 0 ? 0 : n) + 1);
    if (!x || !t->mask)
        kna_fail_with(op, knx_error_nomem());
    else
        t->n_mask = kntree_tree_read(op, mask, n < 0 ? 0 : n, x);
    for (int i = 0; i < t->n_mask && !kna_failed(op); i++) {
        kni_type type;
        const bool *value = kna_look(op, x[i], &type);
        if (value && (type.ndim || type.dtype != KN_DT(BOOL)))
            kna_fail(op, KN_ERROR_TYPE, "leaf %d of the mask is not a boolean", i);
        else if (value)
            t->mask[i] = *value != invert;
    }
    knx_free(x);
    return t;
}

kno_transform *kno_make_decay(kna_op *op, double decay, kn_schedule schedule, kn_tree mask)
{
    kno_transform *t = KNO_NEW(kno_decay, decay);
    if (t && schedule)
        t->schedule = kno_schedule_retain(kno_schedule_get(op, schedule));
    return mask && t ? kno_make_masked(op, t, mask, false) : t;
}

kno_transform *kno_child(kna_op *op, kn_optimizer inner)
{
    kno_transform *child = kno_retain(kno_get(op, inner));
    if (child && child->rule == &kno_lookahead)
        kna_fail(op, KN_ERROR_VALUE, "lookahead cannot be part of another optimizer");
    return child;
}

kno_transform *kno_around(kna_op *op, const kno_rule *rule, kn_optimizer inner)
{
    kno_transform *child = kno_child(op, inner);
    return child ? kno_new(rule, 1, &child) : NULL;
}

/* ---- Made of others. */

kn_optimizer kn_optim_chain(int n, const kn_optimizer *parts)
{
    kna_op op;
    kna_begin(&op, "optim_chain");
    bool listed = kna_given_list(&op, n, parts, INT_MAX - 1, "parts");
    size_t room = (size_t)(listed ? n : 0) + 1;
    kno_transform **part = knx_alloc_zero(room * sizeof *part), *t = NULL;
    int made = 0;
    if (!part)
        kna_fail_with(&op, knx_error_nomem());
    while (made < n && !kna_failed(&op)) {
        part[made] = kno_retain(kno_get(&op, parts[made]));
        if (part[made] && part[made]->rule == &kno_lookahead)
            kna_fail(&op, KN_ERROR_VALUE, "lookahead cannot be part of a chain");
        made++;
    }
    if (!kna_failed(&op)) {
        t = kno_chain(made, part);
    } else {
        while (made > 0)
            kno_release(part[--made]);
    }
    knx_free(part);
    return kno_finish(&op, t);
}

static kno_transform *around(kna_op *op, const kno_rule *rule, kn_optimizer inner, double p)
{
    return kno_with(kno_around(op, rule, inner), (const double[KNO_NUMBERS]){p});
}

kn_optimizer kn_optim_masked(kn_optimizer inner, kn_tree mask)
{
    kna_op op;
    kna_begin(&op, "optim_masked");
    kno_transform *child = kno_child(&op, inner);
    return kno_finish(&op, child ? kno_make_masked(&op, child, mask, false) : NULL);
}

kn_optimizer kn_optim_freeze(kn_tree mask)
{
    kna_op op;
    kna_begin(&op, "optim_freeze");
    kno_transform *zero = KNO_NEW(kno_set_to_zero, 0);
    return kno_finish(&op, zero ? kno_make_masked(&op, zero, mask, false) : NULL);
}

kn_optimizer kn_optim_apply_if_finite(kn_optimizer inner, int max_consecutive_errors)
{
    kna_op op;
    kna_begin(&op, "optim_apply_if_finite");
    return kno_finish(&op, around(&op, &kno_if_finite, inner, max_consecutive_errors));
}

static void positive(kna_op *op, const char *what, int k)
{
    if (k < 1)
        kna_fail(op, KN_ERROR_VALUE, "%s must be >= 1, but is %d", what, k);
}

kn_optimizer kn_optim_apply_every(int k)
{
    kna_op op;
    kna_begin(&op, "optim_apply_every");
    positive(&op, "k", k);
    return kno_finish(&op, KNO_NEW(kno_apply_every, k));
}

kn_optimizer kn_optim_multi_steps(kn_optimizer inner, int every_k, const kn_optim_multi_steps_opts *opts)
{
    kna_op op;
    kna_begin(&op, "optim_multi_steps");
    KNX_OPTS(kn_optim_multi_steps_opts, o, opts);
    positive(&op, "every_k", every_k);
    kno_transform *t = around(&op, &kno_multi_steps, inner, every_k);
    if (t)
        t->flag[0] = o.use_grad_mean;
    return kno_finish(&op, t);
}

kn_optimizer kn_optim_lookahead(kn_optimizer fast, int sync_period, double slow_step_size,
                                const kn_optim_lookahead_opts *opts)
{
    kna_op op;
    kna_begin(&op, "optim_lookahead");
    KNX_OPTS(kn_optim_lookahead_opts, o, opts);
    if (sync_period < 1)
        kna_fail(&op, KN_ERROR_VALUE, "Synchronization period must be >= 1.");
    kno_transform *t = around(&op, &kno_lookahead, fast, sync_period);
    if (t) {
        t->p[1] = slow_step_size;
        t->flag[0] = o.reset_state;
    }
    return kno_finish(&op, t);
}

/* ---- Simple ones: a rule and its numbers. */

static kn_optimizer simple(const char *name, kno_transform *t)
{
    kna_op op;
    kna_begin(&op, name);
    return kno_finish(&op, t);
}

kn_optimizer kn_optim_identity(void) { return simple("optim_identity", KNO_NEW(kno_identity, 0)); }

kn_optimizer kn_optim_set_to_zero(void) { return simple("optim_set_to_zero", KNO_NEW(kno_set_to_zero, 0)); }

kn_optimizer kn_optim_clip(double max_delta) { return simple("optim_clip", KNO_NEW(kno_clip, max_delta)); }

kn_optimizer kn_optim_clip_by_global_norm(double max_norm)
{
    return simple("optim_clip_by_global_norm", KNO_NEW(kno_clip_norm, max_norm));
}

kn_optimizer kn_optim_clip_by_block_rms(double threshold)
{
    return simple("optim_clip_by_block_rms", KNO_NEW(kno_clip_rms, threshold));
}

kn_optimizer kn_optim_adaptive_grad_clip(double clipping, double eps)
{
    return simple("optim_adaptive_grad_clip", KNO_NEW(kno_adaptive_clip, clipping, eps));
}

kn_optimizer kn_optim_centralize(void) { return simple("optim_centralize", KNO_NEW(kno_centralize, 0)); }

kn_optimizer kn_optim_zero_nans(void) { return simple("optim_zero_nans", KNO_NEW(kno_zero_nans, 0)); }

kn_optimizer kn_optim_normalize_by_update_norm(double scale_factor, double eps)
{
    return simple("optim_normalize_by_update_norm", KNO_NEW(kno_normalize, scale_factor, eps));
}

kn_optimizer kn_optim_keep_params_nonnegative(void)
{
    return simple("optim_keep_params_nonnegative", KNO_NEW(kno_nonnegative, 0));
}

kn_optimizer kn_optim_scale_by_sign(void) { return simple("optim_scale_by_sign", KNO_NEW(kno_sign, 0)); }

kn_optimizer kn_optim_scale_by_param_block_norm(double min_scale)
{
    return simple("optim_scale_by_param_block_norm", KNO_NEW(kno_block_norm, min_scale));
}

kn_optimizer kn_optim_scale_by_param_block_rms(double min_scale)
{
    return simple("optim_scale_by_param_block_rms", KNO_NEW(kno_block_rms, min_scale));
}

kn_optimizer kn_optim_add_noise(double eta, double gamma, int64_t seed)
{
    return simple("optim_add_noise", KNO_NEW(kno_noise, eta, gamma, KNO_SEED(seed)));
}

/* ---- Rates. */

static kn_optimizer scale(const char *name, double factor, kn_schedule schedule, kn_array number, bool negate)
{
    kna_op op;
    kna_begin(&op, name);
    return kno_finish(&op, kno_make_scale(&op, factor, schedule, number, negate));
}

kn_optimizer kn_optim_scale(double step_size) { return scale("optim_scale", step_size, NULL, NULL, false); }

kn_optimizer kn_optim_scale_by_learning_rate(double learning_rate)
{
    return scale("optim_scale_by_learning_rate", learning_rate, NULL, NULL, true);
}

kn_optimizer kn_optim_scale_by_learning_rate_array(kn_array learning_rate)
{
    return scale("optim_scale_by_learning_rate", NAN, NULL, learning_rate, true);
}

kn_optimizer kn_optim_scale_by_schedule(kn_schedule step_size)
{
    kna_op op;
    kna_begin(&op, "optim_scale_by_schedule");
    kno_transform *t = kno_make_scale(&op, 1, step_size, NULL, false);
    if (!step_size) /* says that it is null */
        kno_schedule_get(&op, step_size);
    return kno_finish(&op, t);
}

kn_optimizer kn_optim_add_decayed_weights(double weight_decay, const kn_optim_add_decayed_weights_opts *opts)
{
    kna_op op;
    kna_begin(&op, "optim_add_decayed_weights");
    KNX_OPTS(kn_optim_add_decayed_weights_opts, o, opts);
    return kno_finish(&op, kno_make_decay(&op, weight_decay, o.weight_decay_schedule, o.mask));
}

kn_optimizer kn_optim_trace(double decay, const kn_optim_trace_opts *opts)
{
    KNX_OPTS(kn_optim_trace_opts, o, opts);
    return simple("optim_trace", kno_flagged(KNO_NEW(kno_trace, decay), o.nesterov, false, false));
}

kn_optimizer kn_optim_ema(double decay, const kn_optim_ema_opts *opts)
{
    KNX_OPTS(kn_optim_ema_opts, o, opts);
    return simple("optim_ema", kno_flagged(KNO_NEW(kno_ema, decay), o.debias, false, false));
}

/* ---- scale_by_*. */

kn_optimizer kn_optim_scale_by_adam(const kn_optim_scale_by_adam_opts *opts)
{
    KNX_OPTS(kn_optim_scale_by_adam_opts, o, opts);
    return simple("optim_scale_by_adam",
                  kno_flagged(KNO_NEW(kno_adam, o.b1, o.b2, o.eps, o.eps_root), o.nesterov, false, false));
}

kn_optimizer kn_optim_scale_by_rms(const kn_optim_scale_by_rms_opts *opts)
{
    KNX_OPTS(kn_optim_scale_by_rms_opts, o, opts);
    return simple("optim_scale_by_rms", kno_flagged(KNO_NEW(kno_rms, o.decay, o.eps, o.initial_scale), o.eps_in_sqrt,
                                                    o.bias_correction, false));
}

kn_optimizer kn_optim_scale_by_rss(const kn_optim_scale_by_rss_opts *opts)
{
    KNX_OPTS(kn_optim_scale_by_rss_opts, o, opts);
    return simple("optim_scale_by_rss", KNO_NEW(kno_rss, o.initial_accumulator_value, o.eps));
}

kn_optimizer kn_optim_scale_by_lion(const kn_optim_scale_by_lion_opts *opts)
{
    KNX_OPTS(kn_optim_scale_by_lion_opts, o, opts);
    return simple("optim_scale_by_lion", KNO_NEW(kno_lion, o.b1, o.b2));
}

kn_optimizer kn_optim_scale_by_trust_ratio(const kn_optim_scale_by_trust_ratio_opts *opts)
{
    KNX_OPTS(kn_optim_scale_by_trust_ratio_opts, o, opts);
    return simple("optim_scale_by_trust_ratio", KNO_NEW(kno_trust_ratio, o.min_norm, o.trust_coefficient, o.eps));
}
