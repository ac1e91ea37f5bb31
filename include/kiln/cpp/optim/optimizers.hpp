/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/optim/optimizers.hpp -- the functions of kiln/optim/optimizers.h in C++. */
/* Made by scripts/make-api.py from api/optim/optimizers.api. */
/* clang-format off */
#ifndef KILN_CPP_OPTIM_OPTIMIZERS_HPP
#define KILN_CPP_OPTIM_OPTIMIZERS_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
namespace optim {
struct sgd_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* has to be given: this, or one of the next two */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), momentum, __builtin_nan("")) /* what is kept of the steps before (NAN: no momentum) */
    KILN_OPTION((bool), nesterov, {}) /* look one step ahead */
    kn_optim_sgd_opts c() const {
        kn_optim_sgd_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.momentum = detail::c_of(momentum);
        to_.nesterov = detail::c_of(nesterov); return to_; }
};
/* optax.sgd: stochastic gradient descent: p - rate g. With momentum (not given: none) the sum of the gradients, what
 * came before times momentum, takes the place of g, as in optax.trace; .nesterov looks one step ahead */
inline handle<kn_optimizer> sgd(const ::kiln::optim::sgd_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_sgd_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_sgd(&opts_c))); }
struct adam_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* has to be given: this, or one of the next two */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), b1, 0.9) /* what is kept of the mean of gradients at each step */
    KILN_OPTION((double), b2, 0.999) /* what is kept of the mean of squares at each step */
    KILN_OPTION((double), eps, 1e-8) /* added to the root that is the divisor */
    KILN_OPTION((double), eps_root, {}) /* added below the root */
    KILN_OPTION((bool), nesterov, {}) /* look one step ahead */
    kn_optim_adam_opts c() const {
        kn_optim_adam_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); to_.eps = detail::c_of(eps); to_.eps_root = detail::c_of(eps_root);
        to_.nesterov = detail::c_of(nesterov); return to_; }
};
/* optax.adam: the mean of the gradients divided by the root of the mean of their squares, both exponential moving
 * averages (b1, b2) without bias: each parameter moves by about the learning rate, whatever the gradient's scale */
inline handle<kn_optimizer> adam(const ::kiln::optim::adam_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_adam_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_adam(&opts_c))); }
struct nadam_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* has to be given: this, or one of the next two */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), b1, 0.9) /* what is kept of the mean of gradients at each step */
    KILN_OPTION((double), b2, 0.999) /* what is kept of the mean of squares at each step */
    KILN_OPTION((double), eps, 1e-8) /* added to the root that is the divisor */
    KILN_OPTION((double), eps_root, {}) /* added below the root */
    kn_optim_nadam_opts c() const {
        kn_optim_nadam_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); to_.eps = detail::c_of(eps); to_.eps_root = detail::c_of(eps_root); return to_; }
};
/* optax.nadam: adam with Nesterov's momentum: the mean of the gradients looks one step ahead */
inline handle<kn_optimizer> nadam(const ::kiln::optim::nadam_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_nadam_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_nadam(&opts_c))); }
struct adamw_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* has to be given: this, or one of the next two */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), b1, 0.9) /* what is kept of the mean of gradients at each step */
    KILN_OPTION((double), b2, 0.999) /* what is kept of the mean of squares at each step */
    KILN_OPTION((double), eps, 1e-8) /* added to the root that is the divisor */
    KILN_OPTION((double), eps_root, {}) /* added below the root */
    KILN_OPTION((double), weight_decay, 1e-4) /* times the parameter, added to its step before the learning rate */
    KILN_OPTION((::kiln::handle<kn_schedule>), weight_decay_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::pytree), mask, {})
    KILN_OPTION((bool), nesterov, {}) /* look one step ahead */
    kn_optim_adamw_opts c() const {
        kn_optim_adamw_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); to_.eps = detail::c_of(eps); to_.eps_root = detail::c_of(eps_root);
        to_.weight_decay = detail::c_of(weight_decay); to_.weight_decay_schedule = detail::c_of(weight_decay_schedule);
        to_.mask = detail::c_of(mask); to_.nesterov = detail::c_of(nesterov); return to_; }
};
/* optax.adamw: adam with decoupled weight decay: each step also takes learning rate times weight_decay times the
 * parameter off, which adam's division does not touch. .mask says which parameters decay */
inline handle<kn_optimizer> adamw(const ::kiln::optim::adamw_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_adamw_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_adamw(&opts_c))); }
struct nadamw_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* has to be given: this, or one of the next two */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), b1, 0.9) /* what is kept of the mean of gradients at each step */
    KILN_OPTION((double), b2, 0.999) /* what is kept of the mean of squares at each step */
    KILN_OPTION((double), eps, 1e-8) /* added to the root that is the divisor */
    KILN_OPTION((double), eps_root, {}) /* added below the root */
    KILN_OPTION((double), weight_decay, 1e-4) /* times the parameter, added to its step before the learning rate */
    KILN_OPTION((::kiln::handle<kn_schedule>), weight_decay_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::pytree), mask, {})
    kn_optim_nadamw_opts c() const {
        kn_optim_nadamw_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); to_.eps = detail::c_of(eps); to_.eps_root = detail::c_of(eps_root);
        to_.weight_decay = detail::c_of(weight_decay); to_.weight_decay_schedule = detail::c_of(weight_decay_schedule);
        to_.mask = detail::c_of(mask); return to_; }
};
/* optax.nadamw: adamw with Nesterov's momentum */
inline handle<kn_optimizer> nadamw(const ::kiln::optim::nadamw_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_nadamw_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_nadamw(&opts_c))); }
struct adamax_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* has to be given: this, or one of the next two */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), b1, 0.9) /* what is kept of the mean of gradients at each step */
    KILN_OPTION((double), b2, 0.999) /* what is kept of the largest gradient */
    KILN_OPTION((double), eps, 1e-8) /* added to the largest gradient */
    kn_optim_adamax_opts c() const {
        kn_optim_adamax_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); to_.eps = detail::c_of(eps); return to_; }
};
/* optax.adamax: adam with the largest gradient of the past (which fades by b2) in the place of the root of their
 * mean square */
inline handle<kn_optimizer> adamax(const ::kiln::optim::adamax_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_adamax_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_adamax(&opts_c))); }
struct adamaxw_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* has to be given: this, or one of the next two */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), b1, 0.9) /* what is kept of the mean of gradients at each step */
    KILN_OPTION((double), b2, 0.999) /* what is kept of the largest gradient */
    KILN_OPTION((double), eps, 1e-8) /* added to the largest gradient */
    KILN_OPTION((double), weight_decay, 1e-4) /* times the parameter, added to its step before the learning rate */
    KILN_OPTION((::kiln::handle<kn_schedule>), weight_decay_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::pytree), mask, {})
    kn_optim_adamaxw_opts c() const {
        kn_optim_adamaxw_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); to_.eps = detail::c_of(eps); to_.weight_decay = detail::c_of(weight_decay);
        to_.weight_decay_schedule = detail::c_of(weight_decay_schedule); to_.mask = detail::c_of(mask); return to_; }
};
/* optax.adamaxw: adamax with decoupled weight decay, as adamw has it */
inline handle<kn_optimizer> adamaxw(const ::kiln::optim::adamaxw_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_adamaxw_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_adamaxw(&opts_c))); }
struct amsgrad_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* has to be given: this, or one of the next two */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), b1, 0.9) /* what is kept of the mean of gradients at each step */
    KILN_OPTION((double), b2, 0.999) /* what is kept of the mean of squares at each step */
    KILN_OPTION((double), eps, 1e-8) /* added to the root that is the divisor */
    KILN_OPTION((double), eps_root, {}) /* added below the root */
    KILN_OPTION((bool), bias_correction_mu, true) /* the mean without the bias of its beginning */
    KILN_OPTION((bool), bias_correction_nu, true) /* the mean of squares without that bias */
    kn_optim_amsgrad_opts c() const {
        kn_optim_amsgrad_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); to_.eps = detail::c_of(eps); to_.eps_root = detail::c_of(eps_root);
        to_.bias_correction_mu = detail::c_of(bias_correction_mu);
        to_.bias_correction_nu = detail::c_of(bias_correction_nu); return to_; }
};
/* optax.amsgrad: adam whose mean of squares never falls: after a large gradient steps stay small */
inline handle<kn_optimizer> amsgrad(const ::kiln::optim::amsgrad_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_amsgrad_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_amsgrad(&opts_c))); }
struct adabelief_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* has to be given: this, or one of the next two */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), b1, 0.9) /* what is kept of the mean of gradients at each step */
    KILN_OPTION((double), b2, 0.999) /* what is kept of the mean of squares at each step */
    KILN_OPTION((double), eps, 1e-16) /* added to the root that is the divisor */
    KILN_OPTION((double), eps_root, 1e-16) /* added to the mean of squares at each step */
    KILN_OPTION((bool), nesterov, {}) /* look one step ahead */
    kn_optim_adabelief_opts c() const {
        kn_optim_adabelief_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); to_.eps = detail::c_of(eps); to_.eps_root = detail::c_of(eps_root);
        to_.nesterov = detail::c_of(nesterov); return to_; }
};
/* optax.adabelief: adam with the squares of what differs from the mean of the gradients, in the place of the squares
 * themselves: long steps where the gradient is as expected */
inline handle<kn_optimizer> adabelief(const ::kiln::optim::adabelief_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_adabelief_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_adabelief(&opts_c))); }
struct adadelta_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* none, the sign stays */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), rho, 0.9) /* what is kept of the means of squares at each step */
    KILN_OPTION((double), eps, 1e-6) /* added below both roots */
    KILN_OPTION((double), weight_decay, {}) /* times the parameter, added to the gradient */
    KILN_OPTION((::kiln::handle<kn_schedule>), weight_decay_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::pytree), mask, {})
    kn_optim_adadelta_opts c() const {
        kn_optim_adadelta_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.rho = detail::c_of(rho);
        to_.eps = detail::c_of(eps); to_.weight_decay = detail::c_of(weight_decay);
        to_.weight_decay_schedule = detail::c_of(weight_decay_schedule); to_.mask = detail::c_of(mask); return to_; }
};
/* optax.adadelta: steps of the root mean square of the last steps, divided by that of the last gradients. The
 * learning rate may be left out; then, as in optax, steps keep the gradient's sign and go uphill: 1 is the usual one */
inline handle<kn_optimizer> adadelta(const ::kiln::optim::adadelta_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_adadelta_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_adadelta(&opts_c))); }
struct adagrad_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* has to be given: this, or one of the next two */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), initial_accumulator_value, 0.1) /* the sum of squares before the first step */
    KILN_OPTION((double), eps, 1e-7) /* added below the root */
    kn_optim_adagrad_opts c() const {
        kn_optim_adagrad_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array);
        to_.initial_accumulator_value = detail::c_of(initial_accumulator_value); to_.eps = detail::c_of(eps); return
        to_; }
};
/* optax.adagrad: gradients divided by the root of the sum of all squares so far: steps become shorter and shorter */
inline handle<kn_optimizer> adagrad(const ::kiln::optim::adagrad_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_adagrad_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_adagrad(&opts_c))); }
struct adan_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* has to be given: this, or one of the next two */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), b1, 0.98) /* what is kept of the mean of gradients at each step */
    KILN_OPTION((double), b2, 0.92) /* what is kept of the mean of differences */
    KILN_OPTION((double), b3, 0.99) /* what is kept of the mean of squares */
    KILN_OPTION((double), eps, 1e-8) /* added to the root that is the divisor */
    KILN_OPTION((double), eps_root, 1e-8) /* added below the root */
    KILN_OPTION((double), weight_decay, {}) /* times the parameter, added to its step before the learning rate */
    KILN_OPTION((::kiln::handle<kn_schedule>), weight_decay_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::pytree), mask, {})
    kn_optim_adan_opts c() const {
        kn_optim_adan_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); to_.b3 = detail::c_of(b3); to_.eps = detail::c_of(eps);
        to_.eps_root = detail::c_of(eps_root); to_.weight_decay = detail::c_of(weight_decay);
        to_.weight_decay_schedule = detail::c_of(weight_decay_schedule); to_.mask = detail::c_of(mask); return to_; }
};
/* optax.adan: adam with Nesterov's momentum made of the differences between gradients (b2), and weight decay */
inline handle<kn_optimizer> adan(const ::kiln::optim::adan_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_adan_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_adan(&opts_c))); }
struct adafactor_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* none, steps are scaled by the parameters alone */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((int64_t), min_dim_size_to_factor, 128) /* smaller matrices keep all their mean squares */
    KILN_OPTION((double), decay_rate, 0.8) /* the mean of squares keeps 1 - step^-rate */
    KILN_OPTION((double), decay_offset, {}) /* the step from which steps are counted */
    KILN_OPTION((bool), multiply_by_parameter_scale, true) /* steps are times the root mean square of the parameters */
    KILN_OPTION((double), clipping_threshold, 1) /* of the root mean square of a step */
    KILN_OPTION((double), momentum, __builtin_nan("")) /* what is kept of the steps before (NAN: no momentum) */
    KILN_OPTION((double), weight_decay_rate, __builtin_nan("")) /* times the parameter, added to its step */
    KILN_OPTION((::kiln::pytree), weight_decay_mask, {}) /* what decays, as mask elsewhere (all) */
    KILN_OPTION((double), eps, 1e-30) /* added to the squares */
    KILN_OPTION((bool), factored, true) /* mean squares by row and column */
    kn_optim_adafactor_opts c() const {
        kn_optim_adafactor_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array);
        to_.min_dim_size_to_factor = detail::c_of(min_dim_size_to_factor); to_.decay_rate = detail::c_of(decay_rate);
        to_.decay_offset = detail::c_of(decay_offset);
        to_.multiply_by_parameter_scale = detail::c_of(multiply_by_parameter_scale);
        to_.clipping_threshold = detail::c_of(clipping_threshold); to_.momentum = detail::c_of(momentum);
        to_.weight_decay_rate = detail::c_of(weight_decay_rate);
        to_.weight_decay_mask = detail::c_of(weight_decay_mask); to_.eps = detail::c_of(eps);
        to_.factored = detail::c_of(factored); return to_; }
};
/* optax.adafactor: adam with little memory: for matrices of at least min_dim_size_to_factor rows and columns the
 * mean squares are kept by row and by column. The learning rate may be left out; steps are scaled by the size of the
 * parameter. NAN: no clipping, momentum or weight decay */
inline handle<kn_optimizer> adafactor(const ::kiln::optim::adafactor_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_adafactor_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_adafactor(&opts_c))); }
struct rmsprop_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* has to be given: this, or one of the next two */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), decay, 0.9) /* what is kept of the mean of squares at each step */
    KILN_OPTION((double), eps, 1e-8) /* added below the root, or to it */
    KILN_OPTION((double), initial_scale, {}) /* the mean of squares before the first step */
    KILN_OPTION((bool), eps_in_sqrt, true) /* eps is below the root */
    KILN_OPTION((bool), centered, {}) /* divide by the standard deviation */
    KILN_OPTION((double), momentum, __builtin_nan("")) /* what is kept of the steps before (NAN: no momentum) */
    KILN_OPTION((bool), nesterov, {}) /* look one step ahead */
    KILN_OPTION((bool), bias_correction, {}) /* the mean of squares without the bias of its beginning */
    kn_optim_rmsprop_opts c() const {
        kn_optim_rmsprop_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.decay = detail::c_of(decay);
        to_.eps = detail::c_of(eps); to_.initial_scale = detail::c_of(initial_scale);
        to_.eps_in_sqrt = detail::c_of(eps_in_sqrt); to_.centered = detail::c_of(centered);
        to_.momentum = detail::c_of(momentum); to_.nesterov = detail::c_of(nesterov);
        to_.bias_correction = detail::c_of(bias_correction); return to_; }
};
/* optax.rmsprop: gradients divided by the root of the moving average of their squares; .centered: by their standard
 * deviation; momentum (not given: none) as that of sgd */
inline handle<kn_optimizer> rmsprop(const ::kiln::optim::rmsprop_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_rmsprop_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_rmsprop(&opts_c))); }
struct rprop_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* the first step; has to be given */
    KILN_OPTION((double), eta_minus, 0.5) /* the step where the sign changed is times this */
    KILN_OPTION((double), eta_plus, 1.2) /* where it stayed, times this */
    KILN_OPTION((double), min_step_size, 1e-6) /* no step is shorter */
    KILN_OPTION((double), max_step_size, 50) /* no step is longer */
    kn_optim_rprop_opts c() const {
        kn_optim_rprop_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.eta_minus = detail::c_of(eta_minus); to_.eta_plus = detail::c_of(eta_plus);
        to_.min_step_size = detail::c_of(min_step_size); to_.max_step_size = detail::c_of(max_step_size); return to_; }
};
/* optax.rprop: steps by signs alone: a parameter's step, at first the learning rate, is multiplied by eta_plus while
 * its gradient keeps the sign, and by eta_minus when it changes (min_step_size and max_step_size bound it) */
inline handle<kn_optimizer> rprop(const ::kiln::optim::rprop_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_rprop_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_rprop(&opts_c))); }
struct lion_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* has to be given: this, or one of the next two */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), b1, 0.9) /* weight of the mean so far in the step */
    KILN_OPTION((double), b2, 0.99) /* what is kept of the mean at each step */
    KILN_OPTION((double), weight_decay, 1e-3) /* times the parameter, added to its step before the learning rate */
    KILN_OPTION((::kiln::handle<kn_schedule>), weight_decay_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::pytree), mask, {})
    kn_optim_lion_opts c() const {
        kn_optim_lion_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); to_.weight_decay = detail::c_of(weight_decay);
        to_.weight_decay_schedule = detail::c_of(weight_decay_schedule); to_.mask = detail::c_of(mask); return to_; }
};
/* optax.lion: steps of the learning rate in the direction of the sign of a mean of gradients (b1 for the step, b2
 * for what is remembered), and weight decay */
inline handle<kn_optimizer> lion(const ::kiln::optim::lion_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_lion_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_lion(&opts_c))); }
struct lamb_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* has to be given: this, or one of the next two */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), b1, 0.9) /* what is kept of the mean of gradients at each step */
    KILN_OPTION((double), b2, 0.999) /* what is kept of the mean of squares at each step */
    KILN_OPTION((double), eps, 1e-6) /* added to the root that is the divisor */
    KILN_OPTION((double), eps_root, {}) /* added below the root */
    KILN_OPTION((double), weight_decay, {}) /* times the parameter, added to its step before the learning rate */
    KILN_OPTION((::kiln::handle<kn_schedule>), weight_decay_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::pytree), mask, {})
    kn_optim_lamb_opts c() const {
        kn_optim_lamb_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); to_.eps = detail::c_of(eps); to_.eps_root = detail::c_of(eps_root);
        to_.weight_decay = detail::c_of(weight_decay); to_.weight_decay_schedule = detail::c_of(weight_decay_schedule);
        to_.mask = detail::c_of(mask); return to_; }
};
/* optax.lamb: adam whose step is scaled by the norm of the parameters, array by array: for large batches */
inline handle<kn_optimizer> lamb(const ::kiln::optim::lamb_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_lamb_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_lamb(&opts_c))); }
struct lars_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* has to be given: this, or one of the next two */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), weight_decay, {}) /* times the parameter, added to the gradient */
    KILN_OPTION((::kiln::handle<kn_schedule>), weight_decay_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::pytree), weight_decay_mask, {}) /* what decays, as mask elsewhere (all) */
    KILN_OPTION((double), trust_coefficient, 0.001) /* the step is that times the parameters' norm */
    KILN_OPTION((double), eps, {}) /* added to the gradient's norm */
    KILN_OPTION((::kiln::pytree), trust_ratio_mask, {}) /* what is scaled by norms (all) */
    KILN_OPTION((double), momentum, 0.9) /* what is kept of the steps before */
    KILN_OPTION((bool), nesterov, {}) /* look one step ahead */
    kn_optim_lars_opts c() const {
        kn_optim_lars_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.weight_decay = detail::c_of(weight_decay);
        to_.weight_decay_schedule = detail::c_of(weight_decay_schedule);
        to_.weight_decay_mask = detail::c_of(weight_decay_mask);
        to_.trust_coefficient = detail::c_of(trust_coefficient); to_.eps = detail::c_of(eps);
        to_.trust_ratio_mask = detail::c_of(trust_ratio_mask); to_.momentum = detail::c_of(momentum);
        to_.nesterov = detail::c_of(nesterov); return to_; }
};
/* optax.lars: sgd whose step is scaled by trust_coefficient times the norm of the parameters divided by that of the
 * gradient, array by array, then momentum: for large batches */
inline handle<kn_optimizer> lars(const ::kiln::optim::lars_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_lars_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_lars(&opts_c))); }
struct radam_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* has to be given: this, or one of the next two */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), b1, 0.9) /* what is kept of the mean of gradients at each step */
    KILN_OPTION((double), b2, 0.999) /* what is kept of the mean of squares at each step */
    KILN_OPTION((double), eps, 1e-8) /* added to the root that is the divisor */
    KILN_OPTION((double), eps_root, {}) /* added below the root */
    KILN_OPTION((double), threshold, 5) /* so many gradients are to be known, in effect, before it divides */
    KILN_OPTION((bool), nesterov, {}) /* look one step ahead */
    kn_optim_radam_opts c() const {
        kn_optim_radam_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); to_.eps = detail::c_of(eps); to_.eps_root = detail::c_of(eps_root);
        to_.threshold = detail::c_of(threshold); to_.nesterov = detail::c_of(nesterov); return to_; }
};
/* optax.radam: adam that divides only when enough gradients are known to trust their mean square (threshold); before
 * that its steps are those of the mean of the gradients */
inline handle<kn_optimizer> radam(const ::kiln::optim::radam_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_radam_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_radam(&opts_c))); }
struct yogi_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* has to be given: this, or one of the next two */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), b1, 0.9) /* what is kept of the mean of gradients at each step */
    KILN_OPTION((double), b2, 0.999) /* what is kept of the mean of squares at each step */
    KILN_OPTION((double), eps, 1e-3) /* added to the root that is the divisor */
    kn_optim_yogi_opts c() const {
        kn_optim_yogi_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); to_.eps = detail::c_of(eps); return to_; }
};
/* optax.yogi: adam whose mean of squares moves by (1 - b2) g^2 up or down, not by a share of itself: after large
 * gradients it forgets slowly */
inline handle<kn_optimizer> yogi(const ::kiln::optim::yogi_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_yogi_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_yogi(&opts_c))); }
struct novograd_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* has to be given: this, or one of the next two */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), b1, 0.9) /* what is kept of the steps before */
    KILN_OPTION((double), b2, 0.25) /* what is kept of the mean of squared norms */
    KILN_OPTION((double), eps, 1e-6) /* added to the root that is the divisor */
    KILN_OPTION((double), eps_root, {}) /* added below the root */
    KILN_OPTION((double), weight_decay, {}) /* times the parameter, added to its step before the learning rate */
    kn_optim_novograd_opts c() const {
        kn_optim_novograd_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); to_.eps = detail::c_of(eps); to_.eps_root = detail::c_of(eps_root);
        to_.weight_decay = detail::c_of(weight_decay); return to_; }
};
/* optax.novograd: adam with one mean of squares for each array, that of its norm: the gradient's direction stays */
inline handle<kn_optimizer> novograd(const ::kiln::optim::novograd_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_novograd_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_novograd(&opts_c))); }
struct fromage_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* has to be given */
    KILN_OPTION((double), min_norm, 1e-6) /* norms are at least this */
    kn_optim_fromage_opts c() const {
        kn_optim_fromage_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.min_norm = detail::c_of(min_norm); return to_; }
};
/* optax.fromage: steps in the gradient's direction as long as the learning rate times the norm of the parameters,
 * which then are divided by sqrt(1 + rate^2), array by array */
inline handle<kn_optimizer> fromage(const ::kiln::optim::fromage_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_fromage_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_fromage(&opts_c))); }
struct sm3_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* has to be given: this, or one of the next two */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), momentum, 0.9) /* what is kept of the steps before */
    kn_optim_sm3_opts c() const {
        kn_optim_sm3_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.momentum = detail::c_of(momentum); return to_;
        }
};
/* optax.sm3: gradients divided by roots of sums of squares, of which only the largest by row and column are kept:
 * adagrad with little memory */
inline handle<kn_optimizer> sm3(const ::kiln::optim::sm3_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_sm3_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_sm3(&opts_c))); }
struct sign_sgd_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* has to be given: this, or one of the next two */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    kn_optim_sign_sgd_opts c() const {
        kn_optim_sign_sgd_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); return to_; }
};
/* optax.sign_sgd: p less learning rate times the sign of the gradient */
inline handle<kn_optimizer> sign_sgd(const ::kiln::optim::sign_sgd_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_sign_sgd_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_sign_sgd(&opts_c))); }
struct signum_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* has to be given: this, or one of the next two */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), beta, 0.9) /* what is kept of the mean of gradients at each step */
    kn_optim_signum_opts c() const {
        kn_optim_signum_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.beta = detail::c_of(beta); return to_; }
};
/* optax.signum: p less learning rate times the sign of the moving average of the gradients (beta) */
inline handle<kn_optimizer> signum(const ::kiln::optim::signum_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_signum_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_signum(&opts_c))); }
struct noisy_sgd_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* has to be given: this, or one of the next two */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), eta, 0.01) /* the noise's variance at the first step */
    KILN_OPTION((double), gamma, 0.55) /* how fast the noise fades */
    KILN_OPTION((int64_t), seed, {}) /* of the key of the noise */
    kn_optim_noisy_sgd_opts c() const {
        kn_optim_noisy_sgd_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.eta = detail::c_of(eta);
        to_.gamma = detail::c_of(gamma); to_.seed = detail::c_of(seed); return to_; }
};
/* optax.noisy_sgd: sgd with normal noise of variance eta / (1 + step)^gamma added to the gradient; the noise is that
 * of kn_random_key(seed), the same for the same seed */
inline handle<kn_optimizer> noisy_sgd(const ::kiln::optim::noisy_sgd_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_noisy_sgd_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_noisy_sgd(&opts_c))); }
struct optimistic_gradient_descent_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* has to be given: this, or one of the next two */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), alpha, 1) /* of the gradient */
    KILN_OPTION((double), beta, 1) /* of its difference to the one before */
    kn_optim_optimistic_gradient_descent_opts c() const {
        kn_optim_optimistic_gradient_descent_opts to_ = {}; to_.size_ = sizeof to_;
        to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.alpha = detail::c_of(alpha);
        to_.beta = detail::c_of(beta); return to_; }
};
/* optax.optimistic_gradient_descent: sgd on (alpha + beta) g less beta times the gradient before: it does not circle
 * where two players pull in turn */
inline handle<kn_optimizer> optimistic_gradient_descent(const ::kiln::optim::optimistic_gradient_descent_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_optimistic_gradient_descent_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_optimistic_gradient_descent(&opts_c))); }
struct polyak_sgd_opts {
    KILN_OPTION((double), max_learning_rate, 1) /* no learning rate is larger */
    KILN_OPTION((double), scaling, 1) /* of the learning rate */
    KILN_OPTION((double), f_min, {}) /* the smallest loss there is */
    KILN_OPTION((double), eps, {}) /* added to the squared norm of the gradient */
    KILN_OPTION((::kiln::text), variant, "sps") /* "sps+": no step where the loss is below f_min */
    kn_optim_polyak_sgd_opts c() const {
        kn_optim_polyak_sgd_opts to_ = {}; to_.size_ = sizeof to_;
        to_.max_learning_rate = detail::c_of(max_learning_rate); to_.scaling = detail::c_of(scaling);
        to_.f_min = detail::c_of(f_min); to_.eps = detail::c_of(eps); to_.variant = detail::c_of(variant); return to_; }
};
/* optax.polyak_sgd: sgd whose step is as long as reaching the smallest loss f_min in a straight line takes, (value -
 * f_min) / |g|^2, at most max_learning_rate. The steps need .value, the loss at the parameters */
inline handle<kn_optimizer> polyak_sgd(const ::kiln::optim::polyak_sgd_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_polyak_sgd_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_polyak_sgd(&opts_c))); }
} // namespace optim
} // namespace kiln
#endif
