/* SPDX-License-Identifier: Apache-2.0
 * alias.c -- the optimizers of optax by their names: chains of transformations. */
#include "lib/internal.h"
#include "optim/alias.h"
#include <math.h>
#include <string.h>

/* ---- Gradient descent. */

kn_optimizer kn_optim_sgd(const kn_optim_sgd_opts *opts)
{
    BEGIN(sgd);
    END(trace_or_none(o.momentum, o.nesterov), RATE());
}

kn_optimizer kn_optim_sign_sgd(const kn_optim_sign_sgd_opts *opts)
{
    BEGIN(sign_sgd);
    END(KNO_NEW(kno_sign, 0), RATE());
}

kn_optimizer kn_optim_signum(const kn_optim_signum_opts *opts)
{
    BEGIN(signum);
    END(KNO_NEW(kno_ema, o.beta), KNO_NEW(kno_sign, 0), RATE());
}

kn_optimizer kn_optim_noisy_sgd(const kn_optim_noisy_sgd_opts *opts)
{
    BEGIN(noisy_sgd);
    END(KNO_NEW(kno_noise, o.eta, o.gamma, KNO_SEED(o.seed)), RATE());
}

kn_optimizer kn_optim_optimistic_gradient_descent(const kn_optim_optimistic_gradient_descent_opts *opts)
{
    BEGIN(optimistic_gradient_descent);
    END(KNO_NEW(kno_optimistic, o.alpha, o.beta), RATE());
}

kn_optimizer kn_optim_polyak_sgd(const kn_optim_polyak_sgd_opts *opts)
{
    BEGIN(polyak_sgd);
    const char *variant = o.variant ? o.variant : "";
    bool plus = strcmp(variant, "sps+") == 0;
    if (!plus && strcmp(variant, "sps") != 0)
        kna_fail(&op, KN_ERROR_VALUE, "Invalid argument value for Polyak SGD: variant='%s'", variant);
    kno_transform *sgd[] = {KNO_NEW(kno_identity, 0), kno_make_scale(&op, o.scaling, NULL, NULL, true)};
    END(kno_chain(2, sgd), kno_flagged(KNO_NEW(kno_polyak, o.f_min, o.max_learning_rate, o.eps), plus, false, false));
}

kn_optimizer kn_optim_rprop(const kn_optim_rprop_opts *opts)
{
    BEGIN(rprop);
    if (isnan(o.learning_rate))
        kna_fail(&op, KN_ERROR_TYPE, "missing required option 'learning_rate'");
    END(KNO_NEW(kno_rprop, o.learning_rate, o.eta_minus, o.eta_plus, o.min_step_size, o.max_step_size),
        KNO_NEW(kno_scale, -1));
}

/* ---- Moments. */

kn_optimizer kn_optim_adam(const kn_optim_adam_opts *opts)
{
    BEGIN(adam);
    kno_transform *rate = RATE();
    check_decays(&op, o.b1, o.b2);
    END(adam_part(o.b1, o.b2, o.eps, o.eps_root, o.nesterov), rate);
}

kn_optimizer kn_optim_nadam(const kn_optim_nadam_opts *opts)
{
    BEGIN(nadam);
    kno_transform *rate = RATE();
    check_decays(&op, o.b1, o.b2);
    END(adam_part(o.b1, o.b2, o.eps, o.eps_root, true), rate);
}

kn_optimizer kn_optim_adamw(const kn_optim_adamw_opts *opts)
{
    BEGIN(adamw);
    kno_transform *rate = RATE();
    check_decays(&op, o.b1, o.b2);
    END(adam_part(o.b1, o.b2, o.eps, o.eps_root, o.nesterov), DECAY(), rate);
}

kn_optimizer kn_optim_nadamw(const kn_optim_nadamw_opts *opts)
{
    BEGIN(nadamw);
    kno_transform *rate = RATE();
    check_decays(&op, o.b1, o.b2);
    END(adam_part(o.b1, o.b2, o.eps, o.eps_root, true), DECAY(), rate);
}

kn_optimizer kn_optim_adamax(const kn_optim_adamax_opts *opts)
{
    BEGIN(adamax);
    kno_transform *rate = RATE();
    check_decays(&op, o.b1, o.b2);
    END(KNO_NEW(kno_adamax, o.b1, o.b2, o.eps), rate);
}

kn_optimizer kn_optim_adamaxw(const kn_optim_adamaxw_opts *opts)
{
    BEGIN(adamaxw);
    kno_transform *rate = RATE();
    check_decays(&op, o.b1, o.b2);
    END(KNO_NEW(kno_adamax, o.b1, o.b2, o.eps), DECAY(), rate);
}

kn_optimizer kn_optim_amsgrad(const kn_optim_amsgrad_opts *opts)
{
    BEGIN(amsgrad);
    kno_transform *rate = RATE();
    check_decays(&op, o.b1, o.b2);
    END(kno_flagged(KNO_NEW(kno_amsgrad, o.b1, o.b2, o.eps, o.eps_root), false, o.bias_correction_mu,
                    o.bias_correction_nu),
        rate);
}

kn_optimizer kn_optim_adabelief(const kn_optim_adabelief_opts *opts)
{
    BEGIN(adabelief);
    kno_transform *rate = RATE();
    check_decays(&op, o.b1, o.b2);
    END(kno_flagged(KNO_NEW(kno_belief, o.b1, o.b2, o.eps, o.eps_root), o.nesterov, false, false), rate);
}

kn_optimizer kn_optim_adan(const kn_optim_adan_opts *opts)
{
    BEGIN(adan);
    END(KNO_NEW(kno_adan, o.b1, o.b2, o.b3, o.eps, o.eps_root), DECAY(), RATE());
}

kn_optimizer kn_optim_radam(const kn_optim_radam_opts *opts)
{
    BEGIN(radam);
    kno_transform *rate = RATE();
    check_decays(&op, o.b1, o.b2);
    END(kno_flagged(KNO_NEW(kno_radam, o.b1, o.b2, o.eps, o.eps_root, o.threshold), o.nesterov, false, false), rate);
}

kn_optimizer kn_optim_yogi(const kn_optim_yogi_opts *opts)
{
    BEGIN(yogi);
    kno_transform *rate = RATE();
    check_decays(&op, o.b1, o.b2);
    END(KNO_NEW(kno_yogi, o.b1, o.b2, o.eps, 0, 1e-6), rate);
}

kn_optimizer kn_optim_lion(const kn_optim_lion_opts *opts)
{
    BEGIN(lion);
    END(KNO_NEW(kno_lion, o.b1, o.b2), DECAY(), RATE());
}

kn_optimizer kn_optim_novograd(const kn_optim_novograd_opts *opts)
{
    BEGIN(novograd);
    END(KNO_NEW(kno_novograd, o.b1, o.b2, o.eps, o.eps_root, o.weight_decay), RATE());
}

/* ---- Layer by layer. */

kn_optimizer kn_optim_lamb(const kn_optim_lamb_opts *opts)
{
    BEGIN(lamb);
    kno_transform *rate = RATE();
    check_decays(&op, o.b1, o.b2);
    END(adam_part(o.b1, o.b2, o.eps, o.eps_root, false), DECAY(), KNO_NEW(kno_trust_ratio, 0, 1, 0), rate);
}

kn_optimizer kn_optim_lars(const kn_optim_lars_opts *opts)
{
    BEGIN(lars);
    kno_transform *trust = KNO_NEW(kno_trust_ratio, 0, o.trust_coefficient, o.eps);
    if (o.trust_ratio_mask && trust)
        trust = kno_make_masked(&op, trust, o.trust_ratio_mask, false);
    END(kno_make_decay(&op, o.weight_decay, o.weight_decay_schedule, o.weight_decay_mask), trust, RATE(),
        kno_flagged(KNO_NEW(kno_trace, o.momentum), o.nesterov, false, false));
}

kn_optimizer kn_optim_fromage(const kn_optim_fromage_opts *opts)
{
    BEGIN(fromage);
    double rate = o.learning_rate, factor = 1 / sqrt(1 + rate * rate);
    END(KNO_NEW(kno_trust_ratio, o.min_norm, 1, 0), kno_make_scale(&op, rate * factor, NULL, NULL, true),
        KNO_NEW(kno_decay, factor - 1));
}

/* ---- By the history of squares. */

kn_optimizer kn_optim_adagrad(const kn_optim_adagrad_opts *opts)
{
    BEGIN(adagrad);
    END(KNO_NEW(kno_rss, o.initial_accumulator_value, o.eps), RATE());
}

kn_optimizer kn_optim_adadelta(const kn_optim_adadelta_opts *opts)
{
    BEGIN(adadelta);
    bool none = isnan(o.learning_rate) && !o.learning_rate_schedule && !o.learning_rate_array;
    END(DECAY(), KNO_NEW(kno_adadelta, o.rho, o.eps), none ? KNO_NEW(kno_identity, 0) : RATE());
}

kn_optimizer kn_optim_rmsprop(const kn_optim_rmsprop_opts *opts)
{
    BEGIN(rmsprop);
    END(kno_flagged(kno_with(kno_new(o.centered ? &kno_stddev : &kno_rms, 0, NULL),
                             (const double[KNO_NUMBERS]){o.decay, o.eps, o.initial_scale}),
                    o.eps_in_sqrt, o.bias_correction, false),
        RATE(), trace_or_none(o.momentum, o.nesterov));
}

kn_optimizer kn_optim_sm3(const kn_optim_sm3_opts *opts)
{
    BEGIN(sm3);
    END(KNO_NEW(kno_sm3, o.momentum, 1, 1e-8), RATE());
}

kn_optimizer kn_optim_adafactor(const kn_optim_adafactor_opts *opts)
{
    BEGIN(adafactor);
    kno_transform *part[7];
    int n = 0;
    part[n++] =
        kno_flagged(KNO_NEW(kno_factored, o.decay_rate, o.decay_offset, (double)o.min_dim_size_to_factor, o.eps),
                    o.factored, false, false);
    if (!isnan(o.clipping_threshold))
        part[n++] = KNO_NEW(kno_clip_rms, o.clipping_threshold);
    if (!isnan(o.learning_rate) || o.learning_rate_schedule || o.learning_rate_array)
        part[n++] = kno_make_scale(&op, o.learning_rate, o.learning_rate_schedule, o.learning_rate_array, false);
    if (o.multiply_by_parameter_scale)
        part[n++] = KNO_NEW(kno_block_rms, 1e-3);
    if (!isnan(o.momentum))
        part[n++] = KNO_NEW(kno_ema, o.momentum);
    if (!isnan(o.weight_decay_rate))
        part[n++] = kno_make_decay(&op, o.weight_decay_rate, NULL, o.weight_decay_mask);
    part[n++] = KNO_NEW(kno_scale, -1);
    return kno_finish(&op, kno_chain(n, part));
}

/* ---- Defaults. */
