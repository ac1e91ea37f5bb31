/* SPDX-License-Identifier: Apache-2.0
 * make_scales.c -- the transformations of kiln/optim/scales.h as handles. */
#include "optim/alias.h"
#include <string.h>

#define MAKE(...) return kno_finish(&op, kno_flagged(__VA_ARGS__))

kn_optimizer kn_optim_scale_by_adadelta(const kn_optim_scale_by_adadelta_opts *opts)
{
    BEGIN(scale_by_adadelta);
    MAKE(KNO_NEW(kno_adadelta, o.rho, o.eps), false, false, false);
}

kn_optimizer kn_optim_scale_by_adamax(const kn_optim_scale_by_adamax_opts *opts)
{
    BEGIN(scale_by_adamax);
    MAKE(KNO_NEW(kno_adamax, o.b1, o.b2, o.eps), false, false, false);
}

kn_optimizer kn_optim_scale_by_adan(const kn_optim_scale_by_adan_opts *opts)
{
    BEGIN(scale_by_adan);
    MAKE(KNO_NEW(kno_adan, o.b1, o.b2, o.b3, o.eps, o.eps_root), false, false, false);
}

kn_optimizer kn_optim_scale_by_amsgrad(const kn_optim_scale_by_amsgrad_opts *opts)
{
    BEGIN(scale_by_amsgrad);
    MAKE(KNO_NEW(kno_amsgrad, o.b1, o.b2, o.eps, o.eps_root), false, o.bias_correction_mu, o.bias_correction_nu);
}

kn_optimizer kn_optim_scale_by_belief(const kn_optim_scale_by_belief_opts *opts)
{
    BEGIN(scale_by_belief);
    MAKE(KNO_NEW(kno_belief, o.b1, o.b2, o.eps, o.eps_root), o.nesterov, false, false);
}

kn_optimizer kn_optim_scale_by_distance_over_gradients(const kn_optim_scale_by_distance_over_gradients_opts *opts)
{
    BEGIN(scale_by_distance_over_gradients);
    MAKE(KNO_NEW(kno_over, o.reps_rel, o.eps, o.global_scale), false, false, false);
}

kn_optimizer kn_optim_scale_by_factored_rms(const kn_optim_scale_by_factored_rms_opts *opts)
{
    BEGIN(scale_by_factored_rms);
    MAKE(KNO_NEW(kno_factored, o.decay_rate, (double)o.step_offset, (double)o.min_dim_size_to_factor, o.epsilon),
         o.factored, false, false);
}

kn_optimizer kn_optim_scale_by_novograd(const kn_optim_scale_by_novograd_opts *opts)
{
    BEGIN(scale_by_novograd);
    MAKE(KNO_NEW(kno_novograd, o.b1, o.b2, o.eps, o.eps_root, o.weight_decay), false, false, false);
}

kn_optimizer kn_optim_scale_by_optimistic_gradient(const kn_optim_scale_by_optimistic_gradient_opts *opts)
{
    BEGIN(scale_by_optimistic_gradient);
    MAKE(KNO_NEW(kno_optimistic, o.alpha, o.beta), false, false, false);
}

kn_optimizer kn_optim_scale_by_polyak(const kn_optim_scale_by_polyak_opts *opts)
{
    BEGIN(scale_by_polyak);
    const char *variant = o.variant ? o.variant : "";
    bool plus = strcmp(variant, "sps+") == 0;
    if (!plus && strcmp(variant, "sps") != 0)
        kna_fail(&op, KN_ERROR_VALUE, "Invalid argument value for Polyak SGD: variant='%s'", variant);
    MAKE(KNO_NEW(kno_polyak, o.f_min, o.max_learning_rate, o.eps), plus, false, false);
}

kn_optimizer kn_optim_scale_by_radam(const kn_optim_scale_by_radam_opts *opts)
{
    BEGIN(scale_by_radam);
    MAKE(KNO_NEW(kno_radam, o.b1, o.b2, o.eps, o.eps_root, o.threshold), o.nesterov, false, false);
}

kn_optimizer kn_optim_scale_by_rprop(const kn_optim_scale_by_rprop_opts *opts)
{
    BEGIN(scale_by_rprop);
    if (isnan(o.learning_rate))
        kna_fail(&op, KN_ERROR_TYPE, "missing required option 'learning_rate'");
    MAKE(KNO_NEW(kno_rprop, o.learning_rate, o.eta_minus, o.eta_plus, o.min_step_size, o.max_step_size), false, false,
         false);
}

kn_optimizer kn_optim_scale_by_sm3(const kn_optim_scale_by_sm3_opts *opts)
{
    BEGIN(scale_by_sm3);
    MAKE(KNO_NEW(kno_sm3, o.b1, o.b2, o.eps), false, false, false);
}

kn_optimizer kn_optim_scale_by_stddev(const kn_optim_scale_by_stddev_opts *opts)
{
    BEGIN(scale_by_stddev);
    MAKE(KNO_NEW(kno_stddev, o.decay, o.eps, o.initial_scale), o.eps_in_sqrt, o.bias_correction, false);
}

kn_optimizer kn_optim_scale_by_yogi(const kn_optim_scale_by_yogi_opts *opts)
{
    BEGIN(scale_by_yogi);
    MAKE(KNO_NEW(kno_yogi, o.b1, o.b2, o.eps, o.eps_root, o.initial_accumulator_value), false, false, false);
}
