/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/optim/scales.hpp -- the functions of kiln/optim/scales.h in C++. */
/* Made by scripts/make-api.py from api/optim/scales.api. */
/* clang-format off */
#ifndef KILN_CPP_OPTIM_SCALES_HPP
#define KILN_CPP_OPTIM_SCALES_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
namespace optim {
struct scale_by_adadelta_opts {
    KILN_OPTION((double), rho, 0.9) /* what is kept of the means of squares */
    KILN_OPTION((double), eps, 1e-6) /* added below both roots */
    kn_optim_scale_by_adadelta_opts c() const {
        kn_optim_scale_by_adadelta_opts to_ = {}; to_.size_ = sizeof to_; to_.rho = detail::c_of(rho);
        to_.eps = detail::c_of(eps); return to_; }
};
/* optax.scale_by_adadelta: updates as adadelta makes them, without a rate */
inline handle<kn_optimizer> scale_by_adadelta(const ::kiln::optim::scale_by_adadelta_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_optim_scale_by_adadelta_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_adadelta(&opts_c))); }
struct scale_by_adamax_opts {
    KILN_OPTION((double), b1, 0.9) /* what is kept of the mean of gradients at each step */
    KILN_OPTION((double), b2, 0.999) /* what is kept of the mean of squares at each step */
    KILN_OPTION((double), eps, 1e-8) /* added to the root that is the divisor */
    kn_optim_scale_by_adamax_opts c() const {
        kn_optim_scale_by_adamax_opts to_ = {}; to_.size_ = sizeof to_; to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); to_.eps = detail::c_of(eps); return to_; }
};
/* optax.scale_by_adamax: updates as adamax makes them, without a rate */
inline handle<kn_optimizer> scale_by_adamax(const ::kiln::optim::scale_by_adamax_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_scale_by_adamax_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_adamax(&opts_c))); }
struct scale_by_adan_opts {
    KILN_OPTION((double), b1, 0.98) /* of the mean of gradients */
    KILN_OPTION((double), b2, 0.92) /* of the mean of their changes */
    KILN_OPTION((double), b3, 0.99) /* of the mean of squares */
    KILN_OPTION((double), eps, 1e-8) /* added to the root that is the divisor */
    KILN_OPTION((double), eps_root, {}) /* added below the root */
    kn_optim_scale_by_adan_opts c() const {
        kn_optim_scale_by_adan_opts to_ = {}; to_.size_ = sizeof to_; to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); to_.b3 = detail::c_of(b3); to_.eps = detail::c_of(eps);
        to_.eps_root = detail::c_of(eps_root); return to_; }
};
/* optax.scale_by_adan: updates as adan makes them, without a rate */
inline handle<kn_optimizer> scale_by_adan(const ::kiln::optim::scale_by_adan_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_scale_by_adan_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_adan(&opts_c))); }
struct scale_by_amsgrad_opts {
    KILN_OPTION((double), b1, 0.9) /* what is kept of the mean of gradients at each step */
    KILN_OPTION((double), b2, 0.999) /* what is kept of the mean of squares at each step */
    KILN_OPTION((double), eps, 1e-8) /* added to the root that is the divisor */
    KILN_OPTION((double), eps_root, {}) /* added below the root */
    KILN_OPTION((bool), bias_correction_mu, true) /* the mean of gradients is without bias */
    KILN_OPTION((bool), bias_correction_nu, true) /* so is that of squares */
    kn_optim_scale_by_amsgrad_opts c() const {
        kn_optim_scale_by_amsgrad_opts to_ = {}; to_.size_ = sizeof to_; to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); to_.eps = detail::c_of(eps); to_.eps_root = detail::c_of(eps_root);
        to_.bias_correction_mu = detail::c_of(bias_correction_mu);
        to_.bias_correction_nu = detail::c_of(bias_correction_nu); return to_; }
};
/* optax.scale_by_amsgrad: updates as amsgrad makes them, without a rate */
inline handle<kn_optimizer> scale_by_amsgrad(const ::kiln::optim::scale_by_amsgrad_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_optim_scale_by_amsgrad_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_amsgrad(&opts_c))); }
struct scale_by_belief_opts {
    KILN_OPTION((double), b1, 0.9) /* what is kept of the mean of gradients at each step */
    KILN_OPTION((double), b2, 0.999) /* what is kept of the mean of squares at each step */
    KILN_OPTION((double), eps, 1e-16) /* added to the root that is the divisor */
    KILN_OPTION((double), eps_root, 1e-16) /* added below the root */
    KILN_OPTION((bool), nesterov, {}) /* look one step ahead */
    kn_optim_scale_by_belief_opts c() const {
        kn_optim_scale_by_belief_opts to_ = {}; to_.size_ = sizeof to_; to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); to_.eps = detail::c_of(eps); to_.eps_root = detail::c_of(eps_root);
        to_.nesterov = detail::c_of(nesterov); return to_; }
};
/* optax.scale_by_belief: updates as adabelief makes them, without a rate */
inline handle<kn_optimizer> scale_by_belief(const ::kiln::optim::scale_by_belief_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_scale_by_belief_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_belief(&opts_c))); }
struct scale_by_distance_over_gradients_opts {
    KILN_OPTION((double), reps_rel, 1e-6) /* the first distance, relative to 1 + the norm of the parameter */
    KILN_OPTION((double), eps, 1e-8) /* added below the root */
    KILN_OPTION((double), global_scale, 1) /* times each update */
    kn_optim_scale_by_distance_over_gradients_opts c() const {
        kn_optim_scale_by_distance_over_gradients_opts to_ = {}; to_.size_ = sizeof to_;
        to_.reps_rel = detail::c_of(reps_rel); to_.eps = detail::c_of(eps);
        to_.global_scale = detail::c_of(global_scale); return to_; }
};
/* optax.scale_by_distance_over_gradients: each parameter's updates times its largest distance from where it began,
 * over the root of the sum of its gradients' squares (Ivgi et al. 2023): no rate has to be found */
inline handle<kn_optimizer> scale_by_distance_over_gradients(const ::kiln::optim::scale_by_distance_over_gradients_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_scale_by_distance_over_gradients_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_distance_over_gradients(&opts_c))); }
struct scale_by_factored_rms_opts {
    KILN_OPTION((bool), factored, true) /* large matrices keep the means of their rows and columns alone */
    KILN_OPTION((double), decay_rate, 0.8) /* the exponent of the decay */
    KILN_OPTION((int64_t), step_offset, {}) /* steps that were taken before */
    KILN_OPTION((int64_t), min_dim_size_to_factor, 128) /* smaller extents are not factored */
    KILN_OPTION((double), epsilon, 1e-30) /* added to squares */
    kn_optim_scale_by_factored_rms_opts c() const {
        kn_optim_scale_by_factored_rms_opts to_ = {}; to_.size_ = sizeof to_; to_.factored = detail::c_of(factored);
        to_.decay_rate = detail::c_of(decay_rate); to_.step_offset = detail::c_of(step_offset);
        to_.min_dim_size_to_factor = detail::c_of(min_dim_size_to_factor); to_.epsilon = detail::c_of(epsilon); return
        to_; }
};
/* optax.scale_by_factored_rms: gradients divided by the root of the mean of their squares, which for large matrices
 * is a product of a column and a row (adafactor) */
inline handle<kn_optimizer> scale_by_factored_rms(const ::kiln::optim::scale_by_factored_rms_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_optim_scale_by_factored_rms_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_factored_rms(&opts_c))); }
struct scale_by_novograd_opts {
    KILN_OPTION((double), b1, 0.9) /* what is kept of the mean of gradients at each step */
    KILN_OPTION((double), b2, 0.25) /* what is kept of the square of the norm */
    KILN_OPTION((double), eps, 1e-8) /* added to the root that is the divisor */
    KILN_OPTION((double), eps_root, {}) /* added below the root */
    KILN_OPTION((double), weight_decay, {}) /* times the parameter, added to its step */
    kn_optim_scale_by_novograd_opts c() const {
        kn_optim_scale_by_novograd_opts to_ = {}; to_.size_ = sizeof to_; to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); to_.eps = detail::c_of(eps); to_.eps_root = detail::c_of(eps_root);
        to_.weight_decay = detail::c_of(weight_decay); return to_; }
};
/* optax.scale_by_novograd: updates as novograd makes them, without a rate */
inline handle<kn_optimizer> scale_by_novograd(const ::kiln::optim::scale_by_novograd_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_optim_scale_by_novograd_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_novograd(&opts_c))); }
struct scale_by_optimistic_gradient_opts {
    KILN_OPTION((double), alpha, 1) /* weight of the gradient */
    KILN_OPTION((double), beta, 1) /* weight of its change since the step before */
    kn_optim_scale_by_optimistic_gradient_opts c() const {
        kn_optim_scale_by_optimistic_gradient_opts to_ = {}; to_.size_ = sizeof to_; to_.alpha = detail::c_of(alpha);
        to_.beta = detail::c_of(beta); return to_; }
};
/* optax.scale_by_optimistic_gradient: (alpha + beta) g - beta g of the step before (Mokhtari et al. 2019) */
inline handle<kn_optimizer> scale_by_optimistic_gradient(const ::kiln::optim::scale_by_optimistic_gradient_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_scale_by_optimistic_gradient_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_optimistic_gradient(&opts_c))); }
struct scale_by_polyak_opts {
    KILN_OPTION((double), f_min, {}) /* the smallest value that the loss can have */
    KILN_OPTION((double), max_learning_rate, 1) /* the largest step */
    KILN_OPTION((double), eps, {}) /* added to the square of the gradient */
    KILN_OPTION((::kiln::text), variant, "sps")
    kn_optim_scale_by_polyak_opts c() const {
        kn_optim_scale_by_polyak_opts to_ = {}; to_.size_ = sizeof to_; to_.f_min = detail::c_of(f_min);
        to_.max_learning_rate = detail::c_of(max_learning_rate); to_.eps = detail::c_of(eps);
        to_.variant = detail::c_of(variant); return to_; }
};
/* optax.scale_by_polyak: updates times Polyak's step (loss - f_min) / |g|^2, at most max_learning_rate; the loss is
 * .value of kn_optim_update */
inline handle<kn_optimizer> scale_by_polyak(const ::kiln::optim::scale_by_polyak_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_scale_by_polyak_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_polyak(&opts_c))); }
struct scale_by_radam_opts {
    KILN_OPTION((double), b1, 0.9) /* what is kept of the mean of gradients at each step */
    KILN_OPTION((double), b2, 0.999) /* what is kept of the mean of squares at each step */
    KILN_OPTION((double), eps, 1e-8) /* added to the root that is the divisor */
    KILN_OPTION((double), eps_root, {}) /* added below the root */
    KILN_OPTION((double), threshold, 5) /* of the variance, from which it is rectified */
    KILN_OPTION((bool), nesterov, {}) /* look one step ahead */
    kn_optim_scale_by_radam_opts c() const {
        kn_optim_scale_by_radam_opts to_ = {}; to_.size_ = sizeof to_; to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); to_.eps = detail::c_of(eps); to_.eps_root = detail::c_of(eps_root);
        to_.threshold = detail::c_of(threshold); to_.nesterov = detail::c_of(nesterov); return to_; }
};
/* optax.scale_by_radam: updates as radam makes them, without a rate */
inline handle<kn_optimizer> scale_by_radam(const ::kiln::optim::scale_by_radam_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_scale_by_radam_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_radam(&opts_c))); }
struct scale_by_rprop_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* has to be given: the first step of each element */
    KILN_OPTION((double), eta_minus, 0.5) /* times the step where the sign of the gradient changes */
    KILN_OPTION((double), eta_plus, 1.2) /* times the step where it stays */
    KILN_OPTION((double), min_step_size, 1e-6) /* no shorter */
    KILN_OPTION((double), max_step_size, 50) /* no longer */
    kn_optim_scale_by_rprop_opts c() const {
        kn_optim_scale_by_rprop_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.eta_minus = detail::c_of(eta_minus); to_.eta_plus = detail::c_of(eta_plus);
        to_.min_step_size = detail::c_of(min_step_size); to_.max_step_size = detail::c_of(max_step_size); return to_; }
};
/* optax.scale_by_rprop: a step size for each element, which grows while the gradient's sign stays, times that sign */
inline handle<kn_optimizer> scale_by_rprop(const ::kiln::optim::scale_by_rprop_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_scale_by_rprop_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_rprop(&opts_c))); }
struct scale_by_sm3_opts {
    KILN_OPTION((double), b1, 0.9) /* what is kept of the mean of gradients at each step */
    KILN_OPTION((double), b2, 1) /* what is kept of the accumulators */
    KILN_OPTION((double), eps, 1e-8) /* added to the root that is the divisor */
    kn_optim_scale_by_sm3_opts c() const {
        kn_optim_scale_by_sm3_opts to_ = {}; to_.size_ = sizeof to_; to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); to_.eps = detail::c_of(eps); return to_; }
};
/* optax.scale_by_sm3: updates as sm3 makes them, without a rate */
inline handle<kn_optimizer> scale_by_sm3(const ::kiln::optim::scale_by_sm3_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_scale_by_sm3_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_sm3(&opts_c))); }
struct scale_by_stddev_opts {
    KILN_OPTION((double), decay, 0.9) /* what is kept of both means */
    KILN_OPTION((double), eps, 1e-8) /* added to the variance, or to its root */
    KILN_OPTION((double), initial_scale, {}) /* of the mean of squares */
    KILN_OPTION((bool), eps_in_sqrt, true) /* eps is below the root */
    KILN_OPTION((bool), bias_correction, {}) /* both means are without bias */
    kn_optim_scale_by_stddev_opts c() const {
        kn_optim_scale_by_stddev_opts to_ = {}; to_.size_ = sizeof to_; to_.decay = detail::c_of(decay);
        to_.eps = detail::c_of(eps); to_.initial_scale = detail::c_of(initial_scale);
        to_.eps_in_sqrt = detail::c_of(eps_in_sqrt); to_.bias_correction = detail::c_of(bias_correction); return to_; }
};
/* optax.scale_by_stddev: gradients divided by the standard deviation that they have had of late */
inline handle<kn_optimizer> scale_by_stddev(const ::kiln::optim::scale_by_stddev_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_scale_by_stddev_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_stddev(&opts_c))); }
struct scale_by_yogi_opts {
    KILN_OPTION((double), b1, 0.9) /* what is kept of the mean of gradients at each step */
    KILN_OPTION((double), b2, 0.999) /* what is kept of the mean of squares at each step */
    KILN_OPTION((double), eps, 1e-3) /* added to the root that is the divisor */
    KILN_OPTION((double), eps_root, {}) /* added below the root */
    KILN_OPTION((double), initial_accumulator_value, 1e-6) /* both means begin with */
    kn_optim_scale_by_yogi_opts c() const {
        kn_optim_scale_by_yogi_opts to_ = {}; to_.size_ = sizeof to_; to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); to_.eps = detail::c_of(eps); to_.eps_root = detail::c_of(eps_root);
        to_.initial_accumulator_value = detail::c_of(initial_accumulator_value); return to_; }
};
/* optax.scale_by_yogi: updates as yogi makes them, without a rate */
inline handle<kn_optimizer> scale_by_yogi(const ::kiln::optim::scale_by_yogi_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_scale_by_yogi_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_yogi(&opts_c))); }
} // namespace optim
} // namespace kiln
#endif
