/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/optim/around.hpp -- the functions of kiln/optim/around.h in C++. */
/* Made by scripts/make-api.py from api/optim/around.api. */
/* clang-format off */
#ifndef KILN_CPP_OPTIM_AROUND_HPP
#define KILN_CPP_OPTIM_AROUND_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
namespace optim {
struct mechanize_opts {
    KILN_OPTION((double), weight_decay, 1e-2) /* added to the gradients, times their norm and the scale */
    KILN_OPTION((double), eps, 1e-8) /* added to divisors */
    KILN_OPTION((double), s_init, 1e-6) /* the scale to begin with */
    KILN_OPTION((int64_t), num_betas, 6) /* how many rates of forgetting there are: 0.9, 0.99, ... (from 1 to 100) */
    kn_optim_mechanize_opts c() const {
        kn_optim_mechanize_opts to_ = {}; to_.size_ = sizeof to_; to_.weight_decay = detail::c_of(weight_decay);
        to_.eps = detail::c_of(eps); to_.s_init = detail::c_of(s_init); to_.num_betas = detail::c_of(num_betas); return
        to_; }
};
/* optax.contrib.mechanize: another optimizer, best with a learning rate of 1, whose updates are scaled by a factor
 * that is learned (Cutkosky et al. 2023). The parameters are counted from where they are at the first step, so the
 * state has a copy of them */
inline handle<kn_optimizer> mechanize(const ::kiln::handle<kn_optimizer> &base_optimizer, const
    ::kiln::optim::mechanize_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_mechanize_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_mechanize(base_optimizer.c(), &opts_c))); }
/* optax.contrib.split_real_and_imaginary: an optimizer that sees each complex parameter as two real ones; real ones
 * stay as they are */
inline handle<kn_optimizer> split_real_and_imaginary(const ::kiln::handle<kn_optimizer> &inner, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_split_real_and_imaginary(inner.c())));
    }
struct scale_by_galore_opts {
    KILN_OPTION((int64_t), rank, 128) /* of the projected gradients, at most */
    KILN_OPTION((int64_t), update_proj_gap, 200) /* a new projection every so many steps */
    KILN_OPTION((double), scale, 1) /* of the updates */
    KILN_OPTION((::kiln::handle<kn_optimizer>), base_optimizer, {})
    KILN_OPTION((const kn_optim_galore_dimension_numbers_list *), weight_dimension_numbers, {})
    kn_optim_scale_by_galore_opts c() const {
        kn_optim_scale_by_galore_opts to_ = {}; to_.size_ = sizeof to_; to_.rank = detail::c_of(rank);
        to_.update_proj_gap = detail::c_of(update_proj_gap); to_.scale = detail::c_of(scale);
        to_.base_optimizer = detail::c_of(base_optimizer);
        to_.weight_dimension_numbers = detail::c_of(weight_dimension_numbers); return to_; }
};
/* optax.contrib.scale_by_galore: updates of matrices as galore makes them, without a rate; the base optimizer does
 * all else as it is */
inline handle<kn_optimizer> scale_by_galore(const ::kiln::optim::scale_by_galore_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_scale_by_galore_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_galore(&opts_c))); }
struct galore_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* has to be given: this, or one of the next two */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((int64_t), rank, 128) /* of the projected gradients, at most */
    KILN_OPTION((int64_t), update_proj_gap, 200) /* a new projection every so many steps */
    KILN_OPTION((double), scale, 1) /* of the updates */
    KILN_OPTION((::kiln::handle<kn_optimizer>), base_optimizer, {})
    KILN_OPTION((double), weight_decay, {}) /* times the parameter, added to its step */
    KILN_OPTION((::kiln::handle<kn_schedule>), weight_decay_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::pytree), mask, {})
    KILN_OPTION((const kn_optim_galore_dimension_numbers_list *), weight_dimension_numbers, {})
    kn_optim_galore_opts c() const {
        kn_optim_galore_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.rank = detail::c_of(rank);
        to_.update_proj_gap = detail::c_of(update_proj_gap); to_.scale = detail::c_of(scale);
        to_.base_optimizer = detail::c_of(base_optimizer); to_.weight_decay = detail::c_of(weight_decay);
        to_.weight_decay_schedule = detail::c_of(weight_decay_schedule); to_.mask = detail::c_of(mask);
        to_.weight_dimension_numbers = detail::c_of(weight_dimension_numbers); return to_; }
};
/* optax.contrib.galore: adam for large matrices with less memory (Zhao et al. 2024): the gradient of a matrix is
 * projected to .rank dimensions of its shorter side's space by singular vectors that are computed (in float32) every
 * .update_proj_gap steps; base_optimizer keeps its moments there, and its updates are projected back. Other
 * parameters are not projected. ValueError of kn_optim_init for .weight_dimension_numbers that do not fit the
 * parameters, of kn_optim_update for a base_optimizer that needs parameters (adamw; .weight_decay is for that) */
inline handle<kn_optimizer> galore(const ::kiln::optim::galore_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_galore_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_galore(&opts_c))); }
struct differentially_private_aggregate_opts {
    KILN_OPTION((int64_t), seed, {}) /* of the key of the noise */
    KILN_OPTION((::kiln::array), key, {}) /* of the noise */
    kn_optim_differentially_private_aggregate_opts c() const {
        kn_optim_differentially_private_aggregate_opts to_ = {}; to_.size_ = sizeof to_; to_.seed = detail::c_of(seed);
        to_.key = detail::c_of(key); return to_; }
};
/* optax.contrib.differentially_private_aggregate: the mean of the gradients of examples, each scaled down to a norm
 * of l2_norm_clip (of all leaves together) if it has more, with normal noise of standard deviation noise_multiplier
 * l2_norm_clip added to their sum (Abadi et al. 2016). It is the first of a chain. ValueError for gradients without
 * a common first axis */
inline handle<kn_optimizer> differentially_private_aggregate(double l2_norm_clip, double noise_multiplier, const
    ::kiln::optim::differentially_private_aggregate_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_differentially_private_aggregate_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_differentially_private_aggregate(l2_norm_clip, noise_multiplier, &opts_c))); }
struct dpsgd_opts {
    KILN_OPTION((double), learning_rate, __builtin_nan("")) /* has to be given: this, or one of the next two */
    KILN_OPTION((::kiln::handle<kn_schedule>), learning_rate_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::array), learning_rate_array, {}) /* a 0-d array, in the place of the number */
    KILN_OPTION((double), l2_norm_clip, __builtin_nan(""))
    KILN_OPTION((double), noise_multiplier, __builtin_nan(""))
    KILN_OPTION((int64_t), seed, {}) /* of the key of the noise */
    KILN_OPTION((::kiln::array), key, {}) /* of the noise */
    KILN_OPTION((double), momentum, __builtin_nan("")) /* what is kept of the steps before (NAN: no momentum) */
    KILN_OPTION((bool), nesterov, {}) /* look one step ahead */
    kn_optim_dpsgd_opts c() const {
        kn_optim_dpsgd_opts to_ = {}; to_.size_ = sizeof to_; to_.learning_rate = detail::c_of(learning_rate);
        to_.learning_rate_schedule = detail::c_of(learning_rate_schedule);
        to_.learning_rate_array = detail::c_of(learning_rate_array); to_.l2_norm_clip = detail::c_of(l2_norm_clip);
        to_.noise_multiplier = detail::c_of(noise_multiplier); to_.seed = detail::c_of(seed);
        to_.key = detail::c_of(key); to_.momentum = detail::c_of(momentum); to_.nesterov = detail::c_of(nesterov);
        return to_; }
};
/* optax.contrib.dpsgd: sgd with differential privacy (Abadi et al. 2016): the steps of
 * kn_optim_differentially_private_aggregate, with momentum and a rate */
inline handle<kn_optimizer> dpsgd(const ::kiln::optim::dpsgd_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_dpsgd_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_dpsgd(&opts_c))); }
} // namespace optim
} // namespace kiln
#endif
