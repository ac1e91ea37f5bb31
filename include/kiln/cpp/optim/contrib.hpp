/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/optim/contrib.hpp -- the functions of kiln/optim/contrib.h in C++. */
/* Made by scripts/make-api.py from api/optim/contrib.api. */
/* clang-format off */
#ifndef KILN_CPP_OPTIM_CONTRIB_HPP
#define KILN_CPP_OPTIM_CONTRIB_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
namespace optim {
struct optimistic_adam_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* has to be given */
    KILN_OPTION((double), optimism, __builtin_nan("")) /* weight of the change (the learning rate) */
    KILN_OPTION((double), b1, 0.9) /* what is kept of the mean of gradients at each step */
    KILN_OPTION((double), b2, 0.999) /* what is kept of the mean of squares at each step */
    KILN_OPTION((double), eps, 1e-8) /* added to the root that is the divisor */
    KILN_OPTION((double), eps_root, {}) /* added below the root */
    KILN_OPTION((bool), nesterov, true) /* look one step ahead */
    kn_optim_optimistic_adam_opts c() const {
        kn_optim_optimistic_adam_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.optimism = detail::c_of(optimism); to_.b1 = detail::c_of(b1); to_.b2 = detail::c_of(b2);
        to_.eps = detail::c_of(eps); to_.eps_root = detail::c_of(eps_root); to_.nesterov = detail::c_of(nesterov);
        return to_; }
};
/* optax.optimistic_adam: adam whose step looks ahead by the change since the step before, for games between networks
 * (Daskalakis et al. 2017) */
inline handle<kn_optimizer> optimistic_adam(const ::kiln::optim::optimistic_adam_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_optimistic_adam_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_optimistic_adam(&opts_c))); }
struct optimistic_adam_v2_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* has to be given: this, or one of the next two */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), alpha, 1) /* weight of the step */
    KILN_OPTION((double), beta, 1) /* weight of its change */
    KILN_OPTION((double), b1, 0.9) /* what is kept of the mean of gradients at each step */
    KILN_OPTION((double), b2, 0.999) /* what is kept of the mean of squares at each step */
    KILN_OPTION((double), eps, 1e-8) /* added to the root that is the divisor */
    KILN_OPTION((double), eps_root, {}) /* added below the root */
    KILN_OPTION((bool), nesterov, true) /* look one step ahead */
    kn_optim_optimistic_adam_v2_opts c() const {
        kn_optim_optimistic_adam_v2_opts to_ = {}; to_.size_ = sizeof to_;
        to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.alpha = detail::c_of(alpha);
        to_.beta = detail::c_of(beta); to_.b1 = detail::c_of(b1); to_.b2 = detail::c_of(b2);
        to_.eps = detail::c_of(eps); to_.eps_root = detail::c_of(eps_root); to_.nesterov = detail::c_of(nesterov);
        return to_; }
};
/* optax.optimistic_adam_v2: optimistic_adam with a learning rate that may be a schedule */
inline handle<kn_optimizer> optimistic_adam_v2(const ::kiln::optim::optimistic_adam_v2_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_optim_optimistic_adam_v2_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_optimistic_adam_v2(&opts_c))); }
struct acprop_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* has to be given: this, or one of the next two */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), b1, 0.9) /* what is kept of the mean of gradients at each step */
    KILN_OPTION((double), b2, 0.999) /* what is kept of the mean of squares at each step */
    KILN_OPTION((double), eps, 1e-16) /* added to the root that is the divisor */
    KILN_OPTION((double), eps_root, 1e-16) /* added to the mean of squares */
    KILN_OPTION((double), weight_decay, {}) /* times the parameter, added to its step */
    KILN_OPTION((::kiln::handle<kn_schedule>), weight_decay_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::pytree), mask, {})
    kn_optim_acprop_opts c() const {
        kn_optim_acprop_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); to_.eps = detail::c_of(eps); to_.eps_root = detail::c_of(eps_root);
        to_.weight_decay = detail::c_of(weight_decay); to_.weight_decay_schedule = detail::c_of(weight_decay_schedule);
        to_.mask = detail::c_of(mask); return to_; }
};
/* optax.contrib.acprop: the gradient divided by the root of the mean, up to the step before, of its squared distance
 * from its mean (Zhuang et al. 2021) */
inline handle<kn_optimizer> acprop(const ::kiln::optim::acprop_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_acprop_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_acprop(&opts_c))); }
struct ademamix_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* has to be given: this, or one of the next two */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), b1, 0.9) /* what is kept of the mean of gradients at each step */
    KILN_OPTION((double), b2, 0.999) /* what is kept of the mean of squares at each step */
    KILN_OPTION((double), b3, 0.9999) /* what is kept of the second, slower mean of gradients */
    KILN_OPTION((double), alpha, 5) /* weight of the slower mean */
    KILN_OPTION((double), eps, 1e-8) /* added to the root that is the divisor */
    KILN_OPTION((double), eps_root, {}) /* added below the root */
    KILN_OPTION((double), weight_decay, {}) /* times the parameter, added to its step */
    KILN_OPTION((::kiln::handle<kn_schedule>), weight_decay_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::pytree), mask, {})
    kn_optim_ademamix_opts c() const {
        kn_optim_ademamix_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); to_.b3 = detail::c_of(b3); to_.alpha = detail::c_of(alpha);
        to_.eps = detail::c_of(eps); to_.eps_root = detail::c_of(eps_root);
        to_.weight_decay = detail::c_of(weight_decay); to_.weight_decay_schedule = detail::c_of(weight_decay_schedule);
        to_.mask = detail::c_of(mask); return to_; }
};
/* optax.contrib.ademamix: adam with two means of the gradients, a fast one and a slow one (Pagliardini et al. 2024) */
inline handle<kn_optimizer> ademamix(const ::kiln::optim::ademamix_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_ademamix_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_ademamix(&opts_c))); }
struct simplified_ademamix_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* has to be given: this, or one of the next two */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), b1, 0.99) /* what is kept of the sum of gradients at each step */
    KILN_OPTION((double), b2, 0.95) /* what is kept of the mean of squares */
    KILN_OPTION((double), alpha, {}) /* weight of the newest gradient */
    KILN_OPTION((double), eps, 1e-8) /* added to the root that is the divisor */
    KILN_OPTION((double), eps_root, {}) /* added below the root */
    KILN_OPTION((double), weight_decay, {}) /* times the parameter, added to its step */
    KILN_OPTION((::kiln::handle<kn_schedule>), weight_decay_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::pytree), mask, {})
    kn_optim_simplified_ademamix_opts c() const {
        kn_optim_simplified_ademamix_opts to_ = {}; to_.size_ = sizeof to_;
        to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); to_.alpha = detail::c_of(alpha); to_.eps = detail::c_of(eps);
        to_.eps_root = detail::c_of(eps_root); to_.weight_decay = detail::c_of(weight_decay);
        to_.weight_decay_schedule = detail::c_of(weight_decay_schedule); to_.mask = detail::c_of(mask); return to_; }
};
/* optax.contrib.simplified_ademamix: ademamix with one sum of the gradients (Morwani et al. 2025) */
inline handle<kn_optimizer> simplified_ademamix(const ::kiln::optim::simplified_ademamix_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_optim_simplified_ademamix_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_simplified_ademamix(&opts_c))); }
struct adopt_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* has to be given: this, or one of the next two */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), b1, 0.9) /* what is kept of the mean of gradients at each step */
    KILN_OPTION((double), b2, 0.9999) /* what is kept of the mean of squares at each step */
    KILN_OPTION((double), eps, 1e-6) /* the least divisor */
    KILN_OPTION((bool), nesterov, {}) /* look one step ahead */
    KILN_OPTION((bool), use_clipping, true) /* quotients are clipped to the fourth root of the step's number */
    kn_optim_adopt_opts c() const {
        kn_optim_adopt_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); to_.eps = detail::c_of(eps); to_.nesterov = detail::c_of(nesterov);
        to_.use_clipping = detail::c_of(use_clipping); return to_; }
};
/* optax.contrib.adopt: adam that divides by the root of the mean of squares of the step before, which makes it
 * converge for every b2 (Taniguchi et al. 2024) */
inline handle<kn_optimizer> adopt(const ::kiln::optim::adopt_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_adopt_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_adopt(&opts_c))); }
struct cocob_opts {
    KILN_OPTION((double), learning_rate, 1) /* of the step */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), alpha, 100) /* how careful the first bets are */
    KILN_OPTION((double), eps, 1e-8) /* the least scale */
    KILN_OPTION((double), weight_decay, {}) /* times the parameter, added to its step */
    KILN_OPTION((::kiln::handle<kn_schedule>), weight_decay_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::pytree), mask, {})
    kn_optim_cocob_opts c() const {
        kn_optim_cocob_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.alpha = detail::c_of(alpha);
        to_.eps = detail::c_of(eps); to_.weight_decay = detail::c_of(weight_decay);
        to_.weight_decay_schedule = detail::c_of(weight_decay_schedule); to_.mask = detail::c_of(mask); return to_; }
};
/* optax.contrib.cocob: coin betting: each parameter bets on the sign of its gradient; no rate has to be found
 * (Orabona, Tommasi 2017) */
inline handle<kn_optimizer> cocob(const ::kiln::optim::cocob_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_cocob_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_cocob(&opts_c))); }
struct dadapt_adamw_opts {
    KILN_OPTION((double), learning_rate, 1) /* of the step */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), b1, 0.9) /* what is kept of the mean of gradients at each step */
    KILN_OPTION((double), b2, 0.999) /* what is kept of the mean of squares at each step */
    KILN_OPTION((double), eps, 1e-8) /* added to the root that is the divisor */
    KILN_OPTION((double), estim_lr0, 1e-6) /* the first estimate of the distance */
    KILN_OPTION((double), weight_decay, {}) /* times the parameter, added to its step */
    kn_optim_dadapt_adamw_opts c() const {
        kn_optim_dadapt_adamw_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); to_.eps = detail::c_of(eps); to_.estim_lr0 = detail::c_of(estim_lr0);
        to_.weight_decay = detail::c_of(weight_decay); return to_; }
};
/* optax.contrib.dadapt_adamw: adamw whose rate is estimated on the way (Defazio, Mishchenko 2023) */
inline handle<kn_optimizer> dadapt_adamw(const ::kiln::optim::dadapt_adamw_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_dadapt_adamw_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_dadapt_adamw(&opts_c))); }
struct dog_opts {
    KILN_OPTION((double), learning_rate, 1) /* of the step */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((::kiln::text), init_step, "heuristic")
    KILN_OPTION((double), init_value, 1e-6) /* of the first step */
    KILN_OPTION((double), eps, 1e-8) /* added below the root */
    KILN_OPTION((double), weight_decay, __builtin_nan("")) /* times the parameter, added to its gradient (none) */
    KILN_OPTION((::kiln::handle<kn_schedule>), weight_decay_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::pytree), mask, {})
    kn_optim_dog_opts c() const {
        kn_optim_dog_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.init_step = detail::c_of(init_step);
        to_.init_value = detail::c_of(init_value); to_.eps = detail::c_of(eps);
        to_.weight_decay = detail::c_of(weight_decay); to_.weight_decay_schedule = detail::c_of(weight_decay_schedule);
        to_.mask = detail::c_of(mask); return to_; }
};
/* optax.contrib.dog: gradient descent whose rate is the largest distance from the start over the root of the sum of
 * the gradients' squares (Ivgi et al. 2023) */
inline handle<kn_optimizer> dog(const ::kiln::optim::dog_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_dog_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_dog(&opts_c))); }
struct dowg_opts {
    KILN_OPTION((double), learning_rate, 1) /* of the step */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), init_estim_sq_dist, __builtin_nan("")) /* the first square of the distance (eps) */
    KILN_OPTION((double), eps, 1e-4) /* added to the root */
    KILN_OPTION((double), weight_decay, __builtin_nan("")) /* times the parameter, added to its gradient (none) */
    KILN_OPTION((::kiln::handle<kn_schedule>), weight_decay_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::pytree), mask, {})
    kn_optim_dowg_opts c() const {
        kn_optim_dowg_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array);
        to_.init_estim_sq_dist = detail::c_of(init_estim_sq_dist); to_.eps = detail::c_of(eps);
        to_.weight_decay = detail::c_of(weight_decay); to_.weight_decay_schedule = detail::c_of(weight_decay_schedule);
        to_.mask = detail::c_of(mask); return to_; }
};
/* optax.contrib.dowg: dog with the gradients weighted by the distance (Khaled et al. 2023) */
inline handle<kn_optimizer> dowg(const ::kiln::optim::dowg_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_dowg_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_dowg(&opts_c))); }
struct madgrad_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* has to be given: this, or one of the next two */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), momentum, 0.9) /* what is kept of the parameters at each step */
    KILN_OPTION((double), weight_decay, {}) /* times the parameter, added to its gradient */
    KILN_OPTION((double), eps, 1e-6) /* added to the rate, and to the cube root that is the divisor */
    kn_optim_madgrad_opts c() const {
        kn_optim_madgrad_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.momentum = detail::c_of(momentum);
        to_.weight_decay = detail::c_of(weight_decay); to_.eps = detail::c_of(eps); return to_; }
};
/* optax.contrib.madgrad: momentum by averaging with the cube root of the sum of squares (Defazio, Jelassi 2021) */
inline handle<kn_optimizer> madgrad(const ::kiln::optim::madgrad_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_madgrad_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_madgrad(&opts_c))); }
struct momo_opts {
    KILN_OPTION((double), learning_rate, 1) /* of the step */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), beta, 0.9) /* what is kept of the means */
    KILN_OPTION((double), lower_bound, {}) /* of the loss */
    KILN_OPTION((double), weight_decay, {}) /* times the parameter, added to its step */
    KILN_OPTION((bool), adapt_lower_bound, {}) /* the bound is found on the way */
    kn_optim_momo_opts c() const {
        kn_optim_momo_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.beta = detail::c_of(beta);
        to_.lower_bound = detail::c_of(lower_bound); to_.weight_decay = detail::c_of(weight_decay);
        to_.adapt_lower_bound = detail::c_of(adapt_lower_bound); return to_; }
};
/* optax.contrib.momo: momentum whose step is as long as a model of the loss above its lower bound allows, and the
 * learning rate at most (Schaipp et al. 2023). The loss is .value of kn_optim_update */
inline handle<kn_optimizer> momo(const ::kiln::optim::momo_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_momo_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_momo(&opts_c))); }
struct momo_adam_opts {
    KILN_OPTION((double), learning_rate, 1e-2) /* of the step */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), b1, 0.9) /* what is kept of the mean of gradients at each step */
    KILN_OPTION((double), b2, 0.999) /* what is kept of the mean of squares at each step */
    KILN_OPTION((double), eps, 1e-8) /* added to the root that is the divisor */
    KILN_OPTION((double), lower_bound, {}) /* of the loss */
    KILN_OPTION((double), weight_decay, {}) /* times the parameter, added to its step */
    KILN_OPTION((bool), adapt_lower_bound, {}) /* the bound is found on the way */
    kn_optim_momo_adam_opts c() const {
        kn_optim_momo_adam_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); to_.eps = detail::c_of(eps); to_.lower_bound = detail::c_of(lower_bound);
        to_.weight_decay = detail::c_of(weight_decay); to_.adapt_lower_bound = detail::c_of(adapt_lower_bound); return
        to_; }
};
/* optax.contrib.momo_adam: momo with adam's scaling */
inline handle<kn_optimizer> momo_adam(const ::kiln::optim::momo_adam_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_momo_adam_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_momo_adam(&opts_c))); }
struct muon_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* has to be given: this, or one of the next two */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((int64_t), ns_steps, 5) /* of Newton and Schulz */
    KILN_OPTION((double), beta, 0.95) /* what is kept of the mean of gradients */
    KILN_OPTION((double), eps, 1e-8) /* added to the root that is the divisor */
    KILN_OPTION((double), weight_decay, {}) /* times the matrix, added to its step */
    KILN_OPTION((::kiln::pytree), weight_decay_mask, {})
    KILN_OPTION((bool), nesterov, true) /* look one step ahead */
    KILN_OPTION((bool), adaptive, {}) /* times the product of the mean and its orthogonal factor */
    KILN_OPTION((double), adam_b1, 0.9) /* b1 of what is no matrix */
    KILN_OPTION((double), adam_b2, 0.999) /* b2 of it */
    KILN_OPTION((double), adam_eps_root, {}) /* eps_root of it */
    KILN_OPTION((double), adam_weight_decay, {}) /* weight decay of it */
    KILN_OPTION((double), adam_learning_rate, __builtin_nan("")) /* its learning rate (that of the matrices) */
    KILN_OPTION((double), consistent_rms, __builtin_nan(""))
    kn_optim_muon_opts c() const {
        kn_optim_muon_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.ns_steps = detail::c_of(ns_steps);
        to_.beta = detail::c_of(beta); to_.eps = detail::c_of(eps); to_.weight_decay = detail::c_of(weight_decay);
        to_.weight_decay_mask = detail::c_of(weight_decay_mask); to_.nesterov = detail::c_of(nesterov);
        to_.adaptive = detail::c_of(adaptive); to_.adam_b1 = detail::c_of(adam_b1); to_.adam_b2 = detail::c_of(adam_b2);
        to_.adam_eps_root = detail::c_of(adam_eps_root); to_.adam_weight_decay = detail::c_of(adam_weight_decay);
        to_.adam_learning_rate = detail::c_of(adam_learning_rate); to_.consistent_rms = detail::c_of(consistent_rms);
        return to_; }
};
/* optax.contrib.muon: momentum of matrices made orthogonal by Newton's and Schulz's iteration, and adamw for all
 * that has not two dimensions (Jordan et al. 2024) */
inline handle<kn_optimizer> muon(const ::kiln::optim::muon_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_muon_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_muon(&opts_c))); }
struct prodigy_opts {
    KILN_OPTION((double), learning_rate, 1) /* of the step */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), b1, 0.9) /* what is kept of the mean of gradients at each step */
    KILN_OPTION((double), b2, 0.999) /* what is kept of the mean of squares at each step */
    KILN_OPTION((double), beta3, __builtin_nan("")) /* what is kept of the weighted gradients (the root of b2) */
    KILN_OPTION((double), eps, 1e-8) /* added to the root that is the divisor */
    KILN_OPTION((double), estim_lr0, 1e-6) /* the first estimate of the distance */
    KILN_OPTION((double), estim_lr_coef, 1) /* times the estimate */
    KILN_OPTION((double), weight_decay, {}) /* times the parameter, added to its step */
    KILN_OPTION((bool), safeguard_warmup, {}) /* the estimate does not depend on the rate's warmup */
    kn_optim_prodigy_opts c() const {
        kn_optim_prodigy_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); to_.beta3 = detail::c_of(beta3); to_.eps = detail::c_of(eps);
        to_.estim_lr0 = detail::c_of(estim_lr0); to_.estim_lr_coef = detail::c_of(estim_lr_coef);
        to_.weight_decay = detail::c_of(weight_decay); to_.safeguard_warmup = detail::c_of(safeguard_warmup); return
        to_; }
};
/* optax.contrib.prodigy: adamw whose rate is estimated on the way, faster than dadapt_adamw does (Mishchenko,
 * Defazio 2023) */
inline handle<kn_optimizer> prodigy(const ::kiln::optim::prodigy_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_prodigy_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_prodigy(&opts_c))); }
struct schedule_free_sgd_opts {
    KILN_OPTION((double), learning_rate, 1) /* of the step */
    KILN_OPTION((int64_t), warmup_steps, {}) /* steps in which the rate grows from 0 */
    KILN_OPTION((double), b1, 0.9) /* how far the gradient's point is towards the mean */
    KILN_OPTION((double), weight_decay, __builtin_nan("")) /* times the parameter, added to its gradient (none) */
    KILN_OPTION((double), weight_lr_power, 2) /* the weight of a step in the mean: its largest rate to this power */
    kn_optim_schedule_free_sgd_opts c() const {
        kn_optim_schedule_free_sgd_opts to_ = {}; to_.size_ = sizeof to_;
        to_.learning_rate = detail::c_of(learning_rate); to_.warmup_steps = detail::c_of(warmup_steps);
        to_.b1 = detail::c_of(b1); to_.weight_decay = detail::c_of(weight_decay);
        to_.weight_lr_power = detail::c_of(weight_lr_power); return to_; }
};
/* optax.contrib.schedule_free_sgd: sgd without a schedule: the parameters lie between a point that descends and its
 * mean (Defazio et al. 2024). kn_optim_schedule_free_eval_params gives the mean */
inline handle<kn_optimizer> schedule_free_sgd(const ::kiln::optim::schedule_free_sgd_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_optim_schedule_free_sgd_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_schedule_free_sgd(&opts_c))); }
struct schedule_free_adamw_opts {
    KILN_OPTION((double), learning_rate, 0.0025) /* of the step */
    KILN_OPTION((int64_t), warmup_steps, {}) /* steps in which the rate grows from 0 */
    KILN_OPTION((double), b1, 0.9) /* how far the gradient's point is towards the mean */
    KILN_OPTION((double), b2, 0.999) /* what is kept of the mean of squares at each step */
    KILN_OPTION((double), eps, 1e-8) /* added to the root that is the divisor */
    KILN_OPTION((double), weight_decay, {}) /* times the parameter, added to its step */
    KILN_OPTION((double), weight_lr_power, 2) /* the weight of a step in the mean: its largest rate to this power */
    kn_optim_schedule_free_adamw_opts c() const {
        kn_optim_schedule_free_adamw_opts to_ = {}; to_.size_ = sizeof to_;
        to_.learning_rate = detail::c_of(learning_rate); to_.warmup_steps = detail::c_of(warmup_steps);
        to_.b1 = detail::c_of(b1); to_.b2 = detail::c_of(b2); to_.eps = detail::c_of(eps);
        to_.weight_decay = detail::c_of(weight_decay); to_.weight_lr_power = detail::c_of(weight_lr_power); return to_;
        }
};
/* optax.contrib.schedule_free_adamw: adamw without a schedule */
inline handle<kn_optimizer> schedule_free_adamw(const ::kiln::optim::schedule_free_adamw_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_optim_schedule_free_adamw_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_schedule_free_adamw(&opts_c))); }
struct sophia_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* has to be given: this, or one of the next two */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), b1, 0.965) /* what is kept of the mean of gradients */
    KILN_OPTION((double), b2, 0.99) /* what is kept of the mean of estimates */
    KILN_OPTION((double), eps, 1e-8) /* added to the root that is the divisor */
    KILN_OPTION((double), gamma, 0.01) /* times the estimate */
    KILN_OPTION((double), clip_threshold, 1) /* the largest element of an update (NAN: none) */
    KILN_OPTION((int64_t), update_interval, 10) /* steps from one estimate that is looked at to the next */
    KILN_OPTION((double), weight_decay, 1e-4) /* times the parameter, added to its step */
    KILN_OPTION((::kiln::handle<kn_schedule>), weight_decay_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::pytree), mask, {})
    kn_optim_sophia_opts c() const {
        kn_optim_sophia_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); to_.eps = detail::c_of(eps); to_.gamma = detail::c_of(gamma);
        to_.clip_threshold = detail::c_of(clip_threshold); to_.update_interval = detail::c_of(update_interval);
        to_.weight_decay = detail::c_of(weight_decay); to_.weight_decay_schedule = detail::c_of(weight_decay_schedule);
        to_.mask = detail::c_of(mask); return to_; }
};
/* optax.contrib.sophia: the mean of the gradients divided by a mean of the Hessian's diagonal, and clipped (Liu et
 * al. 2023). The estimates of the diagonal are .hessian of kn_optim_update */
inline handle<kn_optimizer> sophia(const ::kiln::optim::sophia_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_sophia_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_sophia(&opts_c))); }
struct scale_by_acprop_opts {
    KILN_OPTION((double), b1, 0.9) /* what is kept of the mean of gradients at each step */
    KILN_OPTION((double), b2, 0.999) /* what is kept of the mean of squares at each step */
    KILN_OPTION((double), eps, 1e-16) /* added to the root that is the divisor */
    KILN_OPTION((double), eps_root, 1e-16) /* added to the mean of squares */
    kn_optim_scale_by_acprop_opts c() const {
        kn_optim_scale_by_acprop_opts to_ = {}; to_.size_ = sizeof to_; to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); to_.eps = detail::c_of(eps); to_.eps_root = detail::c_of(eps_root); return to_; }
};
/* optax.contrib.scale_by_acprop: updates as acprop makes them, without a rate */
inline handle<kn_optimizer> scale_by_acprop(const ::kiln::optim::scale_by_acprop_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_scale_by_acprop_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_acprop(&opts_c))); }
struct scale_by_ademamix_opts {
    KILN_OPTION((double), b1, 0.9) /* what is kept of the mean of gradients at each step */
    KILN_OPTION((double), b2, 0.999) /* what is kept of the mean of squares at each step */
    KILN_OPTION((double), b3, 0.9999) /* what is kept of the second, slower mean of gradients */
    KILN_OPTION((double), alpha, 6) /* weight of the slower mean */
    KILN_OPTION((double), eps, 1e-8) /* added to the root that is the divisor */
    KILN_OPTION((double), eps_root, {}) /* added below the root */
    kn_optim_scale_by_ademamix_opts c() const {
        kn_optim_scale_by_ademamix_opts to_ = {}; to_.size_ = sizeof to_; to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); to_.b3 = detail::c_of(b3); to_.alpha = detail::c_of(alpha);
        to_.eps = detail::c_of(eps); to_.eps_root = detail::c_of(eps_root); return to_; }
};
/* optax.contrib.scale_by_ademamix: updates as ademamix makes them, without a rate */
inline handle<kn_optimizer> scale_by_ademamix(const ::kiln::optim::scale_by_ademamix_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_optim_scale_by_ademamix_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_ademamix(&opts_c))); }
struct scale_by_simplified_ademamix_opts {
    KILN_OPTION((double), b1, 0.99) /* what is kept of the sum of gradients at each step */
    KILN_OPTION((double), b2, 0.95) /* what is kept of the mean of squares */
    KILN_OPTION((double), alpha, {}) /* weight of the newest gradient */
    KILN_OPTION((double), eps, 1e-8) /* added to the root that is the divisor */
    KILN_OPTION((double), eps_root, {}) /* added below the root */
    kn_optim_scale_by_simplified_ademamix_opts c() const {
        kn_optim_scale_by_simplified_ademamix_opts to_ = {}; to_.size_ = sizeof to_; to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); to_.alpha = detail::c_of(alpha); to_.eps = detail::c_of(eps);
        to_.eps_root = detail::c_of(eps_root); return to_; }
};
/* optax.contrib.scale_by_simplified_ademamix: updates as simplified_ademamix makes them, without a rate */
inline handle<kn_optimizer> scale_by_simplified_ademamix(const ::kiln::optim::scale_by_simplified_ademamix_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_scale_by_simplified_ademamix_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_simplified_ademamix(&opts_c))); }
struct scale_by_adopt_opts {
    KILN_OPTION((double), b1, 0.9) /* what is kept of the mean of gradients at each step */
    KILN_OPTION((double), b2, 0.9999) /* what is kept of the mean of squares at each step */
    KILN_OPTION((double), eps, 1e-6) /* the least divisor */
    KILN_OPTION((bool), nesterov, {}) /* look one step ahead */
    KILN_OPTION((bool), use_clipping, true) /* quotients are clipped to the fourth root of the step's number */
    kn_optim_scale_by_adopt_opts c() const {
        kn_optim_scale_by_adopt_opts to_ = {}; to_.size_ = sizeof to_; to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); to_.eps = detail::c_of(eps); to_.nesterov = detail::c_of(nesterov);
        to_.use_clipping = detail::c_of(use_clipping); return to_; }
};
/* optax.contrib.scale_by_adopt: updates as adopt makes them, without a rate */
inline handle<kn_optimizer> scale_by_adopt(const ::kiln::optim::scale_by_adopt_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_scale_by_adopt_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_adopt(&opts_c))); }
struct scale_by_cocob_opts {
    KILN_OPTION((double), alpha, 100) /* how careful the first bets are */
    KILN_OPTION((double), eps, 1e-8) /* the least scale */
    kn_optim_scale_by_cocob_opts c() const {
        kn_optim_scale_by_cocob_opts to_ = {}; to_.size_ = sizeof to_; to_.alpha = detail::c_of(alpha);
        to_.eps = detail::c_of(eps); return to_; }
};
/* optax.contrib.scale_by_cocob: updates as cocob makes them, without a rate */
inline handle<kn_optimizer> scale_by_cocob(const ::kiln::optim::scale_by_cocob_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_scale_by_cocob_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_cocob(&opts_c))); }
struct scale_by_madgrad_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* has to be given: this, or one of the next two */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), momentum, 0.9) /* what is kept of the parameters at each step */
    KILN_OPTION((double), eps, 1e-6) /* added to the rate, and to the cube root that is the divisor */
    kn_optim_scale_by_madgrad_opts c() const {
        kn_optim_scale_by_madgrad_opts to_ = {}; to_.size_ = sizeof to_;
        to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.momentum = detail::c_of(momentum);
        to_.eps = detail::c_of(eps); return to_; }
};
/* optax.contrib.scale_by_madgrad: updates as madgrad makes them, without weight decay */
inline handle<kn_optimizer> scale_by_madgrad(const ::kiln::optim::scale_by_madgrad_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_optim_scale_by_madgrad_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_madgrad(&opts_c))); }
struct schedule_free_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan(""))
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), b1, 0.9) /* how far the gradient's point is towards the mean */
    KILN_OPTION((double), weight_lr_power, 2) /* the weight of a step in the mean: its largest rate to this power */
    kn_optim_schedule_free_opts c() const {
        kn_optim_schedule_free_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.b1 = detail::c_of(b1);
        to_.weight_lr_power = detail::c_of(weight_lr_power); return to_; }
};
/* optax.contrib.schedule_free: an optimizer without a schedule (Defazio et al. 2024): the base optimizer moves a
 * point z, and the parameters, where gradients are taken, lie between z and the mean of all z so far. Evaluate the
 * model at kn_optim_schedule_free_eval_params */
inline handle<kn_optimizer> schedule_free(const ::kiln::handle<kn_optimizer> &base_optimizer, const
    ::kiln::optim::schedule_free_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_schedule_free_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_schedule_free(base_optimizer.c(), &opts_c))); }
/* optax.contrib.schedule_free_eval_params: the parameters to evaluate a model with: the mean that schedule_free
 * keeps between the lines. The state is that of kn_optim_schedule_free. KeyError for another */
inline pytree schedule_free_eval_params(const ::kiln::pytree &state, const ::kiln::pytree &params, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_optim_schedule_free_eval_params(state.c(), params.c())));
    }
struct sam_opts {
    KILN_OPTION((int), sync_period, 2) /* steps of the adversary, and the one of the optimizer */
    KILN_OPTION((bool), reset_state, true) /* the adversary begins anew behind each step of the optimizer */
    kn_optim_sam_opts c() const {
        kn_optim_sam_opts to_ = {}; to_.size_ = sizeof to_; to_.sync_period = detail::c_of(sync_period);
        to_.reset_state = detail::c_of(reset_state); return to_; }
};
/* optax.contrib.sam: sharpness-aware minimization (Foret et al. 2021): sync_period - 1 steps uphill of the adversary
 * (kn_optim_chain(kn_optim_normalize(), kn_optim_sgd(...))), then the step of the optimizer, with the gradient from
 * up there, back from where they began. One call is one step, as in optax without opaque_mode */
inline handle<kn_optimizer> sam(const ::kiln::handle<kn_optimizer> &optimizer, const ::kiln::handle<kn_optimizer>
    &adv_optimizer, const ::kiln::optim::sam_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_sam_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_sam(optimizer.c(), adv_optimizer.c(), &opts_c))); }
/* optax.contrib.normalize: updates divided by the norm of all of them together */
inline handle<kn_optimizer> normalize(place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_normalize())); }
struct reduce_on_plateau_opts {
    KILN_OPTION((double), factor, 0.1) /* times the scale, between 0 and 1 */
    KILN_OPTION((int64_t), patience, 10) /* judgements without a better loss before that */
    KILN_OPTION((double), rtol, 1e-4) /* better is lower by this part */
    KILN_OPTION((double), atol, {}) /* and by this */
    KILN_OPTION((int64_t), cooldown, {}) /* judgements after a reduction that do not count */
    KILN_OPTION((int64_t), accumulation_size, 1) /* losses whose mean is judged */
    KILN_OPTION((double), min_scale, {}) /* no lower */
    kn_optim_reduce_on_plateau_opts c() const {
        kn_optim_reduce_on_plateau_opts to_ = {}; to_.size_ = sizeof to_; to_.factor = detail::c_of(factor);
        to_.patience = detail::c_of(patience); to_.rtol = detail::c_of(rtol); to_.atol = detail::c_of(atol);
        to_.cooldown = detail::c_of(cooldown); to_.accumulation_size = detail::c_of(accumulation_size);
        to_.min_scale = detail::c_of(min_scale); return to_; }
};
/* optax.contrib.reduce_on_plateau: updates times a scale that becomes smaller where the loss (.value of
 * kn_optim_update) has not become lower for a while. ValueError for factors and tolerances that make no sense */
inline handle<kn_optimizer> reduce_on_plateau(const ::kiln::optim::reduce_on_plateau_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_optim_reduce_on_plateau_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_reduce_on_plateau(&opts_c))); }
/* an optimizer for each group of parameters. param_labels is a tree of integers, one per parameter or one for all:
 * which of the n transforms it is for. IndexError for a label that has none */
inline handle<kn_optimizer> partition(const std::vector<::kiln::handle<kn_optimizer>> &transforms, const ::kiln::pytree
    &param_labels, place where = here())
{ detail::call c_(where); std::vector<kn_optimizer> transforms_v = detail::all_of<kn_optimizer>(transforms); c_.here();
    return handle<kn_optimizer>(c_.take(kn_optim_partition(static_cast<int>(transforms.size()), transforms_v.data(),
    param_labels.c()))); }
struct conditionally_opts {
    KILN_OPTION((int64_t), from, {}) /* the first step at which the condition holds */
    KILN_OPTION((int64_t), to, INT64_MAX) /* and the first one behind it */
    KILN_OPTION((int64_t), every, 1) /* from then on each so many steps */
    kn_optim_conditionally_opts c() const {
        kn_optim_conditionally_opts to_ = {}; to_.size_ = sizeof to_; to_.from = detail::c_of(from);
        to_.to = detail::c_of(to); to_.every = detail::c_of(every); return to_; }
};
using conditionally_mask_opts = ::kiln::optim::conditionally_opts;
/* the inner transformation at some steps, zeros at the others, which do not change its state */
inline handle<kn_optimizer> conditionally_mask(const ::kiln::handle<kn_optimizer> &inner, const
    ::kiln::optim::conditionally_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_conditionally_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_conditionally_mask(inner.c(), &opts_c))); }
using conditionally_transform_opts = ::kiln::optim::conditionally_opts;
/* the inner transformation at some steps; at the others the updates stay as they are */
inline handle<kn_optimizer> conditionally_transform(const ::kiln::handle<kn_optimizer> &inner, const
    ::kiln::optim::conditionally_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_conditionally_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_conditionally_transform(inner.c(), &opts_c))); }
/* optax.flatten: the inner transformation sees all parameters as one vector, which is faster for many small ones.
 * ValueError of kn_optim_init for transformations that keep parameters */
inline handle<kn_optimizer> flatten(const ::kiln::handle<kn_optimizer> &inner, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_flatten(inner.c()))); }
/* an estimate of the diagonal of a loss's Hessian: (H v) v for random signs v. loss: a function of the parameters
 * alone. What kn_optim_sophia takes as .hessian */
inline pytree hutchinson_estimator_diag_hessian(const ::kiln::fn &loss, const ::kiln::pytree &params, const
    ::kiln::operand &key, place where = here())
{ detail::call c_(where); kn_array key_h = key.c(); c_.here(); return
    pytree(c_.take(kn_optim_hutchinson_estimator_diag_hessian(loss.c(), params.c(), key_h))); }
/* optax.selective_transform: the optimizer for the parameters whose mask is false, and zeros for the others.
 * freeze_mask is a tree of booleans, one per parameter or one for all */
inline handle<kn_optimizer> selective_transform(const ::kiln::handle<kn_optimizer> &optimizer, const ::kiln::pytree
    &freeze_mask, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_selective_transform(optimizer.c(),
    freeze_mask.c()))); }
struct scale_by_muon_opts {
    KILN_OPTION((int64_t), ns_steps, 5) /* of Newton and Schulz */
    KILN_OPTION((double), beta, 0.95) /* what is kept of the mean of gradients */
    KILN_OPTION((double), eps, 1e-8) /* added to the root that is the divisor */
    KILN_OPTION((bool), nesterov, true) /* look one step ahead */
    KILN_OPTION((bool), adaptive, {}) /* times the product of the mean and its orthogonal factor */
    kn_optim_scale_by_muon_opts c() const {
        kn_optim_scale_by_muon_opts to_ = {}; to_.size_ = sizeof to_; to_.ns_steps = detail::c_of(ns_steps);
        to_.beta = detail::c_of(beta); to_.eps = detail::c_of(eps); to_.nesterov = detail::c_of(nesterov);
        to_.adaptive = detail::c_of(adaptive); return to_; }
};
/* optax.contrib.scale_by_muon: updates of matrices as muon makes them, without a rate; all that has not two
 * dimensions stays as it is */
inline handle<kn_optimizer> scale_by_muon(const ::kiln::optim::scale_by_muon_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_scale_by_muon_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_muon(&opts_c))); }
} // namespace optim
} // namespace kiln
#endif
