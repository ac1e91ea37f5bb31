/* SPDX-License-Identifier: Apache-2.0
 * contrib.c -- the optimizers of kiln/optim/contrib.h by their names, and transformations around others. */
#include "kiln/random.h"
#include "lib/compose.h"
#include "optim/alias.h"
#include "tree/tree.h"
#include <limits.h>
#include <string.h>

/* A rule that takes the learning rate itself: a number of its own, a schedule or an array. */
static kno_transform *with_rate(kna_op *op, kno_transform *t, double rate, kn_schedule schedule, kn_array number)
{
    kno_transform *scale = kno_make_scale(op, rate, schedule, number, false);
    if (t && scale) {
        t->schedule = kno_schedule_retain(scale->schedule);
        t->number = scale->number;
        scale->number = NULL;
    }
    kno_release(scale);
    return t;
}
#define WITH_RATE(t) with_rate(&op, t, o.learning_rate, o.learning_rate_schedule, o.learning_rate_array)

static kno_transform *decay_or_none(kna_op *op, double decay, kn_schedule schedule, kn_tree mask)
{
    return isnan(decay) && !schedule ? KNO_NEW(kno_identity, 0) : kno_make_decay(op, decay, schedule, mask);
}
#define DECAY_OR_NONE() decay_or_none(&op, o.weight_decay, o.weight_decay_schedule, o.mask)

/* ---- Optimistic ones. */

kn_optimizer kn_optim_optimistic_adam(const kn_optim_optimistic_adam_opts *opts)
{
    BEGIN(optimistic_adam);
    if (isnan(o.learning_rate))
        kna_fail(&op, KN_ERROR_TYPE, "missing required option 'learning_rate'");
    check_decays(&op, o.b1, o.b2);
    double optimism = isnan(o.optimism) ? o.learning_rate : o.optimism;
    END(adam_part(o.b1, o.b2, o.eps, o.eps_root, o.nesterov), KNO_NEW(kno_optimistic, o.learning_rate, optimism),
        KNO_NEW(kno_scale, -1));
}

kn_optimizer kn_optim_optimistic_adam_v2(const kn_optim_optimistic_adam_v2_opts *opts)
{
    BEGIN(optimistic_adam_v2);
    kno_transform *rate = RATE();
    check_decays(&op, o.b1, o.b2);
    END(adam_part(o.b1, o.b2, o.eps, o.eps_root, o.nesterov), KNO_NEW(kno_optimistic, o.alpha, o.beta), rate);
}

/* ---- Kin of adam. */

kn_optimizer kn_optim_acprop(const kn_optim_acprop_opts *opts)
{
    BEGIN(acprop);
    END(KNO_NEW(kno_acprop, o.b1, o.b2, o.eps, o.eps_root), DECAY(), RATE());
}

kn_optimizer kn_optim_ademamix(const kn_optim_ademamix_opts *opts)
{
    BEGIN(ademamix);
    END(KNO_NEW(kno_ademamix, o.b1, o.b2, o.b3, o.alpha, o.eps, o.eps_root), DECAY(), RATE());
}

kn_optimizer kn_optim_simplified_ademamix(const kn_optim_simplified_ademamix_opts *opts)
{
    BEGIN(simplified_ademamix);
    END(KNO_NEW(kno_simplified, o.b1, o.b2, o.alpha, o.eps, o.eps_root), DECAY(), RATE());
}

kn_optimizer kn_optim_adopt(const kn_optim_adopt_opts *opts)
{
    BEGIN(adopt);
    END(kno_flagged(KNO_NEW(kno_adopt, o.b1, o.b2, o.eps), o.nesterov, o.use_clipping, false), RATE());
}

kn_optimizer kn_optim_sophia(const kn_optim_sophia_opts *opts)
{
    BEGIN(sophia);
    if (o.update_interval < 1 || o.update_interval > INT32_MAX)
        kna_fail(&op, KN_ERROR_VALUE, "update_interval must be >= 1 and an int32, but is %lld",
                 (long long)o.update_interval);
    END(KNO_NEW(kno_sophia, o.b1, o.b2, o.eps, o.gamma, o.clip_threshold, (double)o.update_interval), DECAY(), RATE());
}

/* What some see: matrices, or all else. */
static kno_transform *by_rank(kno_transform *child, bool matrices)
{
    return kno_flagged(child ? kno_new(&kno_masked, 1, &child) : NULL, false, true, matrices);
}

kn_optimizer kn_optim_muon(const kn_optim_muon_opts *opts)
{
    BEGIN(muon);
    if (o.ns_steps < 0 || o.ns_steps > 100)
        kna_fail(&op, KN_ERROR_VALUE, "ns_steps must be from 0 to 100, but is %lld", (long long)o.ns_steps);
    kno_transform *muon =
        kno_flagged(KNO_NEW(kno_muon, o.beta, o.eps, (double)o.ns_steps), o.nesterov, o.adaptive, false);
    kno_transform *first[] = {muon, KNO_NEW(kno_by_shape, o.consistent_rms),
                              kno_make_decay(&op, o.weight_decay, NULL, o.weight_decay_mask), RATE()};
    kno_transform *rate =
        isnan(o.adam_learning_rate) ? RATE() : kno_make_scale(&op, o.adam_learning_rate, NULL, NULL, true);
    kno_transform *second[] = {adam_part(o.adam_b1, o.adam_b2, o.eps, o.adam_eps_root, o.nesterov),
                               kno_make_decay(&op, o.adam_weight_decay, NULL, NULL), rate};
    kno_transform *both[] = {by_rank(kno_chain(3, second), false), by_rank(kno_chain(4, first), true)};
    return kno_finish(&op, kno_new(&kno_partition, 2, both));
}

kn_optimizer kn_optim_scale_by_muon(const kn_optim_scale_by_muon_opts *opts)
{
    BEGIN(scale_by_muon);
    if (o.ns_steps < 0 || o.ns_steps > 100)
        kna_fail(&op, KN_ERROR_VALUE, "ns_steps must be from 0 to 100, but is %lld", (long long)o.ns_steps);
    kno_transform *muon = KNO_NEW(kno_muon, o.beta, o.eps, (double)o.ns_steps);
    return kno_finish(&op, by_rank(kno_flagged(muon, o.nesterov, o.adaptive, false), true));
}

/* ---- Without a rate that has to be found. */

kn_optimizer kn_optim_cocob(const kn_optim_cocob_opts *opts)
{
    BEGIN(cocob);
    kno_transform *rate = kno_make_scale(&op, o.learning_rate, o.learning_rate_schedule, o.learning_rate_array, false);
    END(DECAY(), rate, KNO_NEW(kno_cocob, o.alpha, o.eps));
}

kn_optimizer kn_optim_dadapt_adamw(const kn_optim_dadapt_adamw_opts *opts)
{
    BEGIN(dadapt_adamw);
    check_decays(&op, o.b1, o.b2);
    return kno_finish(
        &op, WITH_RATE(KNO_NEW(kno_dadapt, o.learning_rate, o.b1, o.b2, NAN, o.eps, o.estim_lr0, 1, o.weight_decay)));
}

kn_optimizer kn_optim_prodigy(const kn_optim_prodigy_opts *opts)
{
    BEGIN(prodigy);
    check_decays(&op, o.b1, o.b2);
    double beta3 = isnan(o.beta3) ? sqrt(o.b2) : o.beta3;
    kno_transform *t =
        KNO_NEW(kno_prodigy, o.learning_rate, o.b1, o.b2, beta3, o.eps, o.estim_lr0, o.estim_lr_coef, o.weight_decay);
    return kno_finish(&op, WITH_RATE(kno_flagged(t, o.safeguard_warmup, false, false)));
}

kn_optimizer kn_optim_dog(const kn_optim_dog_opts *opts)
{
    BEGIN(dog);
    const char *kind = o.init_step ? o.init_step : "";
    bool rate = strcmp(kind, "learning_rate") == 0, distance = strcmp(kind, "distance") == 0;
    if (!rate && !distance && strcmp(kind, "heuristic") != 0)
        kna_fail(&op, KN_ERROR_VALUE, "Invalid init_step specification for scale_by_dog: init_step_type='%s'", kind);
    END(DECAY_OR_NONE(), kno_flagged(KNO_NEW(kno_dog, o.init_value, o.eps), rate, distance, false), RATE());
}

kn_optimizer kn_optim_dowg(const kn_optim_dowg_opts *opts)
{
    BEGIN(dowg);
    double first = isnan(o.init_estim_sq_dist) ? o.eps : o.init_estim_sq_dist;
    END(DECAY_OR_NONE(), KNO_NEW(kno_dowg, first, o.eps), RATE());
}

kn_optimizer kn_optim_madgrad(const kn_optim_madgrad_opts *opts)
{
    BEGIN(madgrad);
    kno_transform *t = WITH_RATE(KNO_NEW(kno_madgrad, o.learning_rate, o.momentum, o.eps));
    END(kno_make_decay(&op, o.weight_decay, NULL, NULL), t);
}

/* ---- By the loss. */

kn_optimizer kn_optim_momo(const kn_optim_momo_opts *opts)
{
    BEGIN(momo);
    kno_transform *t = KNO_NEW(kno_momo, o.learning_rate, o.beta, 0, 0, o.lower_bound, o.weight_decay);
    return kno_finish(&op, WITH_RATE(kno_flagged(t, o.adapt_lower_bound, false, false)));
}

kn_optimizer kn_optim_momo_adam(const kn_optim_momo_adam_opts *opts)
{
    BEGIN(momo_adam);
    check_decays(&op, o.b1, o.b2);
    kno_transform *t = KNO_NEW(kno_momo, o.learning_rate, o.b1, o.b2, o.eps, o.lower_bound, o.weight_decay);
    return kno_finish(&op, WITH_RATE(kno_flagged(t, o.adapt_lower_bound, true, false)));
}

kn_optimizer kn_optim_reduce_on_plateau(const kn_optim_reduce_on_plateau_opts *opts)
{
    BEGIN(reduce_on_plateau);
    if (!(o.factor > 0 && o.factor < 1))
        kna_fail(&op, KN_ERROR_VALUE, "Factor must be in the range (0, 1), got factor = %g.", o.factor);
    else if (!(o.rtol >= 0 && o.atol >= 0))
        kna_fail(&op, KN_ERROR_VALUE, "Both rtol and atol must be non-negative, got rtol = %g and atol = %g.", o.rtol,
                 o.atol);
    else if (o.rtol == 0 && o.atol == 0)
        kna_fail(&op, KN_ERROR_VALUE, "At least one of rtol or atol must be positive, got rtol = 0 and atol = 0.");
    else if (o.rtol > 1)
        kna_fail(&op, KN_ERROR_VALUE, "rtol must be less than or equal to 1.0, got rtol = %g.", o.rtol);
    return kno_finish(&op, KNO_NEW(kno_plateau, o.factor, (double)o.patience, o.rtol, o.atol, (double)o.cooldown,
                                   (double)o.accumulation_size, o.min_scale));
}

/* ---- Without a rate. */

kn_optimizer kn_optim_scale_by_acprop(const kn_optim_scale_by_acprop_opts *opts)
{
    BEGIN(scale_by_acprop);
    return kno_finish(&op, KNO_NEW(kno_acprop, o.b1, o.b2, o.eps, o.eps_root));
}

kn_optimizer kn_optim_scale_by_ademamix(const kn_optim_scale_by_ademamix_opts *opts)
{
    BEGIN(scale_by_ademamix);
    return kno_finish(&op, KNO_NEW(kno_ademamix, o.b1, o.b2, o.b3, o.alpha, o.eps, o.eps_root));
}

kn_optimizer kn_optim_scale_by_simplified_ademamix(const kn_optim_scale_by_simplified_ademamix_opts *opts)
{
    BEGIN(scale_by_simplified_ademamix);
    return kno_finish(&op, KNO_NEW(kno_simplified, o.b1, o.b2, o.alpha, o.eps, o.eps_root));
}

kn_optimizer kn_optim_scale_by_adopt(const kn_optim_scale_by_adopt_opts *opts)
{
    BEGIN(scale_by_adopt);
    return kno_finish(&op, kno_flagged(KNO_NEW(kno_adopt, o.b1, o.b2, o.eps), o.nesterov, o.use_clipping, false));
}

kn_optimizer kn_optim_scale_by_cocob(const kn_optim_scale_by_cocob_opts *opts)
{
    BEGIN(scale_by_cocob);
    return kno_finish(&op, KNO_NEW(kno_cocob, o.alpha, o.eps));
}

kn_optimizer kn_optim_scale_by_madgrad(const kn_optim_scale_by_madgrad_opts *opts)
{
    BEGIN(scale_by_madgrad);
    return kno_finish(&op, WITH_RATE(KNO_NEW(kno_madgrad, o.learning_rate, o.momentum, o.eps)));
}

/* ---- Around others. */

static kno_transform *free_of(kno_transform *base, double rate, double b1, double power)
{
    return kno_with(base ? kno_new(&kno_schedule_free, 1, &base) : NULL, (const double[KNO_NUMBERS]){rate, b1, power});
}

kn_optimizer kn_optim_schedule_free(kn_optimizer base_optimizer, const kn_optim_schedule_free_opts *opts)
{
    BEGIN(schedule_free);
    kno_transform *base = kno_child(&op, base_optimizer);
    return kno_finish(&op, WITH_RATE(free_of(base, o.learning_rate, o.b1, o.weight_lr_power)));
}

/* The rate, or with a warmup a schedule that grows to it: *schedule is a handle of the scope. */
static kn_schedule warmup(double rate, int64_t steps)
{
    return steps ? kn_optim_warmup_constant_schedule(0, rate, steps) : NULL;
}

/* Three parts as the base, whose rate rises where there is a schedule, which is released. */
static kn_optimizer free_end(kna_op *op, kno_transform **part, double rate, kn_schedule rising, double b1, double power)
{
    kno_transform *t = with_rate(op, free_of(kno_chain(3, part), rate, b1, power), rate, rising, NULL);
    if (rising)
        kn_release(rising);
    return kno_finish(op, t);
}

kn_optimizer kn_optim_schedule_free_sgd(const kn_optim_schedule_free_sgd_opts *opts)
{
    BEGIN(schedule_free_sgd);
    kn_schedule rising = warmup(o.learning_rate, o.warmup_steps);
    kno_transform *part[] = {decay_or_none(&op, o.weight_decay, NULL, NULL), KNO_NEW(kno_identity, 0),
                             kno_make_scale(&op, o.learning_rate, rising, NULL, true)};
    return free_end(&op, part, o.learning_rate, rising, o.b1, o.weight_lr_power);
}

kn_optimizer kn_optim_schedule_free_adamw(const kn_optim_schedule_free_adamw_opts *opts)
{
    BEGIN(schedule_free_adamw);
    kn_schedule rising = warmup(o.learning_rate, o.warmup_steps);
    kno_transform *part[] = {kno_flagged(KNO_NEW(kno_rms, o.b2, o.eps, 0), false, true, false),
                             kno_make_decay(&op, o.weight_decay, NULL, NULL),
                             kno_make_scale(&op, o.learning_rate, rising, NULL, true)};
    return free_end(&op, part, o.learning_rate, rising, o.b1, o.weight_lr_power);
}

kn_optimizer kn_optim_sam(kn_optimizer optimizer, kn_optimizer adv_optimizer, const kn_optim_sam_opts *opts)
{
    BEGIN(sam);
    if (o.sync_period < 1)
        kna_fail(&op, KN_ERROR_VALUE, "Synchronization period must be >= 1.");
    kno_transform *child[] = {kno_child(&op, optimizer), kno_child(&op, adv_optimizer)};
    kno_transform *t = kno_with(kno_new(&kno_sam, 2, child), (const double[KNO_NUMBERS]){o.sync_period});
    return kno_finish(&op, kno_flagged(t, o.reset_state, false, false));
}

kn_optimizer kn_optim_normalize(void)
{
    kna_op op;
    kna_begin(&op, "optim_normalize");
    return kno_finish(&op, KNO_NEW(kno_normalize, 1, 0));
}

/* Which label each parameter has; the number of labels, or -1 with the op failed. */
static int read_labels(kna_op *op, kn_tree labels, int n, int **out)
{
    int count = kntree_tree_size(labels);
    kn_array *x = knx_alloc_zero(((size_t)(count < 0 ? 0 : count) + 1) * sizeof *x);
    *out = knx_alloc_zero(((size_t)(count < 0 ? 0 : count) + 1) * sizeof **out);
    if (!x || !*out)
        kna_fail_with(op, knx_error_nomem());
    else
        count = kntree_tree_read(op, labels, count < 0 ? 0 : count, x);
    for (int i = 0; i < count && !kna_failed(op); i++) {
        int64_t n_elements = 0, *v = knl_look_integers(op, x[i], &n_elements, NULL, "a label");
        if (v && n_elements != 1)
            kna_fail(op, KN_ERROR_VALUE, "leaf %d of the labels is no number", i);
        else if (v && (v[0] < 0 || v[0] >= n))
            kna_fail(op, KN_ERROR_INDEX, "leaf %d of the labels is %lld, but there are %d transforms", i,
                     (long long)v[0], n);
        else if (v)
            (*out)[i] = (int)v[0];
        knx_free(v);
    }
    knx_free(x);
    return kna_failed(op) ? -1 : count;
}

static kno_transform *labelled(kno_transform *child, int label, int n, const int *labels)
{
    kno_transform *t = child ? kno_new(&kno_masked, 1, &child) : NULL;
    if (!t)
        return NULL;
    t->mask = knx_alloc_zero((size_t)n + 1);
    if (!t->mask) {
        kno_release(t);
        return NULL;
    }
    t->n_mask = n;
    for (int i = 0; i < n; i++)
        t->mask[i] = labels[i] == label;
    return t;
}

kn_optimizer kn_optim_partition(int n, const kn_optimizer *transforms, kn_tree param_labels)
{
    kna_op op;
    int *labels = NULL, count = -1;
    kna_begin(&op, "optim_partition");
    bool listed = kna_given_list(&op, n, transforms, INT_MAX - 1, "transforms");
    kno_transform **part = knx_alloc_zero(((size_t)(listed ? n : 0) + 1) * sizeof *part), *t = NULL;
    if (!part)
        kna_fail_with(&op, knx_error_nomem());
    if (!kna_failed(&op))
        count = read_labels(&op, param_labels, n, &labels);
    bool made = count >= 0;
    for (int i = 0; i < n && made; i++) {
        kno_transform *child = kno_child(&op, transforms[i]);
        part[i] = labelled(child, i, count, labels);
    }
    if (made)
        t = kno_new(&kno_partition, n, part);
    knx_free(labels);
    knx_free(part);
    return kno_finish(&op, t);
}

kn_optimizer kn_optim_selective_transform(kn_optimizer optimizer, kn_tree freeze_mask)
{
    kna_op op;
    kna_begin(&op, "optim_selective_transform");
    kno_transform *train = kno_child(&op, optimizer), *zero = train ? KNO_NEW(kno_set_to_zero, 0) : NULL;
    kno_transform *both[] = {train ? kno_make_masked(&op, train, freeze_mask, true) : NULL,
                             zero ? kno_make_masked(&op, zero, freeze_mask, false) : NULL};
    return kno_finish(&op, kno_new(&kno_partition, 2, both));
}

static kn_optimizer when(const char *name, kn_optimizer inner, const kn_optim_conditionally_opts *opts, bool zeros)
{
    kna_op op;
    kna_begin(&op, name);
    KNX_OPTS(kn_optim_conditionally_opts, o, opts);
    if (o.every < 1)
        kna_fail(&op, KN_ERROR_VALUE, "every must be >= 1, but is %lld", (long long)o.every);
    const double most = 0x1p53; /* doubles hold the steps */
    kno_transform *t = kno_with(
        kno_around(&op, &kno_when, inner),
        (const double[KNO_NUMBERS]){(double)o.from, (double)o.to < most ? (double)o.to : most, (double)o.every});
    return kno_finish(&op, kno_flagged(t, zeros, false, false));
}

kn_optimizer kn_optim_conditionally_mask(kn_optimizer inner, const kn_optim_conditionally_opts *opts)
{
    return when("optim_conditionally_mask", inner, opts, true);
}

kn_optimizer kn_optim_conditionally_transform(kn_optimizer inner, const kn_optim_conditionally_opts *opts)
{
    return when("optim_conditionally_transform", inner, opts, false);
}

kn_optimizer kn_optim_flatten(kn_optimizer inner)
{
    kna_op op;
    kna_begin(&op, "optim_flatten");
    return kno_finish(&op, kno_around(&op, &kno_flatten, inner));
}
