/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/optim/transforms.hpp -- the functions of kiln/optim/transforms.h in C++. */
/* Made by scripts/make-api.py from api/optim/transforms.api. */
/* clang-format off */
#ifndef KILN_CPP_OPTIM_TRANSFORMS_HPP
#define KILN_CPP_OPTIM_TRANSFORMS_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
namespace optim {
/* one after the other; in C: a list of them */
inline handle<kn_optimizer> chain(const std::vector<::kiln::handle<kn_optimizer>> &parts, place where = here())
{ detail::call c_(where); std::vector<kn_optimizer> parts_v = detail::all_of<kn_optimizer>(parts); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_chain(static_cast<int>(parts.size()), parts_v.data()))); }
/* `mask`: a tree of booleans, one per parameter or one for all; the inner one sees those that are true */
inline handle<kn_optimizer> masked(const ::kiln::handle<kn_optimizer> &inner, const ::kiln::pytree &mask, place
    where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_masked(inner.c(), mask.c()))); }
/* no updates where it is true */
inline handle<kn_optimizer> freeze(const ::kiln::pytree &mask, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_freeze(mask.c()))); }
/* updates that are not finite are left out, unless more than so many come in a row */
inline handle<kn_optimizer> apply_if_finite(const ::kiln::handle<kn_optimizer> &inner, int max_consecutive_errors, place
    where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_apply_if_finite(inner.c(),
    max_consecutive_errors))); }
/* sums; gives them every k steps, zeros between */
inline handle<kn_optimizer> apply_every(int k, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_apply_every(k))); }
struct multi_steps_opts {
    KILN_OPTION((bool), use_grad_mean, true)
    kn_optim_multi_steps_opts c() const {
        kn_optim_multi_steps_opts to_ = {}; to_.size_ = sizeof to_; to_.use_grad_mean = detail::c_of(use_grad_mean);
        return to_; }
};
/* optax.MultiSteps: the inner one steps every k gradients, with their mean */
inline handle<kn_optimizer> multi_steps(const ::kiln::handle<kn_optimizer> &inner, int every_k, const
    ::kiln::optim::multi_steps_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_multi_steps_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_multi_steps(inner.c(), every_k, &opts_c))); }
struct lookahead_opts {
    KILN_OPTION((bool), reset_state, {})
    kn_optim_lookahead_opts c() const {
        kn_optim_lookahead_opts to_ = {}; to_.size_ = sizeof to_; to_.reset_state = detail::c_of(reset_state); return
        to_; }
};
/* Parameters and updates are trees of two parts, fast and slow; gradients are those of the fast ones. Not in chains. */
inline handle<kn_optimizer> lookahead(const ::kiln::handle<kn_optimizer> &fast, int sync_period, double slow_step_size,
    const ::kiln::optim::lookahead_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_lookahead_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_lookahead(fast.c(), sync_period, slow_step_size, &opts_c))); }
/* optax.identity: updates as they are */
inline handle<kn_optimizer> identity(place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_identity())); }
/* optax.set_to_zero: no updates */
inline handle<kn_optimizer> set_to_zero(place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_set_to_zero())); }
/* optax.scale: times step_size */
inline handle<kn_optimizer> scale(double step_size, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_scale(step_size))); }
/* times -rate */
inline handle<kn_optimizer> scale_by_learning_rate(double learning_rate, place where = here())
{ detail::call c_(where); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_learning_rate(learning_rate))); }
/* of a 0-d array */
inline handle<kn_optimizer> scale_by_learning_rate_array(const ::kiln::operand &learning_rate, place where = here())
{ detail::call c_(where); kn_array learning_rate_h = learning_rate.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_learning_rate_array(learning_rate_h))); }
/* optax.scale_by_schedule: times the value at the step */
inline handle<kn_optimizer> scale_by_schedule(const ::kiln::handle<kn_schedule> &step_size, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_scale_by_schedule(step_size.c()))); }
struct add_decayed_weights_opts {
    KILN_OPTION((::kiln::handle<kn_schedule>), weight_decay_schedule, {})
    KILN_OPTION((::kiln::pytree), mask, {})
    kn_optim_add_decayed_weights_opts c() const {
        kn_optim_add_decayed_weights_opts to_ = {}; to_.size_ = sizeof to_;
        to_.weight_decay_schedule = detail::c_of(weight_decay_schedule); to_.mask = detail::c_of(mask); return to_; }
};
/* optax.add_decayed_weights: plus weight_decay times the parameters */
inline handle<kn_optimizer> add_decayed_weights(double weight_decay, const ::kiln::optim::add_decayed_weights_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_add_decayed_weights_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_add_decayed_weights(weight_decay, &opts_c))); }
/* optax.add_noise: plus normal numbers of variance eta / (1 + step)^gamma */
inline handle<kn_optimizer> add_noise(double eta, double gamma, int64_t seed, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_add_noise(eta, gamma, seed))); }
struct trace_opts {
    KILN_OPTION((bool), nesterov, {})
    kn_optim_trace_opts c() const {
        kn_optim_trace_opts to_ = {}; to_.size_ = sizeof to_; to_.nesterov = detail::c_of(nesterov); return to_; }
};
/* optax.trace: momentum, the sum of what came before times decay */
inline handle<kn_optimizer> trace(double decay, const ::kiln::optim::trace_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_trace_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_trace(decay, &opts_c))); }
struct ema_opts {
    KILN_OPTION((bool), debias, true)
    kn_optim_ema_opts c() const {
        kn_optim_ema_opts to_ = {}; to_.size_ = sizeof to_; to_.debias = detail::c_of(debias); return to_; }
};
/* optax.ema: an exponential moving average */
inline handle<kn_optimizer> ema(double decay, const ::kiln::optim::ema_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_ema_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_ema(decay, &opts_c))); }
/* optax.clip: within -max_delta and max_delta */
inline handle<kn_optimizer> clip(double max_delta, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_clip(max_delta))); }
/* optax.clip_by_global_norm: scaled down to this norm of all together */
inline handle<kn_optimizer> clip_by_global_norm(double max_norm, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_clip_by_global_norm(max_norm))); }
/* optax.clip_by_block_rms: each array scaled down to this root mean square */
inline handle<kn_optimizer> clip_by_block_rms(double threshold, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_clip_by_block_rms(threshold))); }
/* optax's eps is 1e-3 */
inline handle<kn_optimizer> adaptive_grad_clip(double clipping, double eps, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_adaptive_grad_clip(clipping, eps))); }
/* optax.centralize: less the mean of each array */
inline handle<kn_optimizer> centralize(place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_centralize())); }
/* optax.zero_nans: 0 for NaN */
inline handle<kn_optimizer> zero_nans(place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_zero_nans())); }
/* optax: 1, 1e-6 */
inline handle<kn_optimizer> normalize_by_update_norm(double scale_factor, double eps, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_normalize_by_update_norm(scale_factor,
    eps))); }
/* optax.keep_params_nonnegative: no parameter falls below 0 */
inline handle<kn_optimizer> keep_params_nonnegative(place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_keep_params_nonnegative())); }
struct scale_by_adam_opts {
    KILN_OPTION((double), b1, 0.9)
    KILN_OPTION((double), b2, 0.999)
    KILN_OPTION((double), eps, 1e-8)
    KILN_OPTION((double), eps_root, {})
    KILN_OPTION((bool), nesterov, {})
    kn_optim_scale_by_adam_opts c() const {
        kn_optim_scale_by_adam_opts to_ = {}; to_.size_ = sizeof to_; to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); to_.eps = detail::c_of(eps); to_.eps_root = detail::c_of(eps_root);
        to_.nesterov = detail::c_of(nesterov); return to_; }
};
/* optax.scale_by_adam */
inline handle<kn_optimizer> scale_by_adam(const ::kiln::optim::scale_by_adam_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_scale_by_adam_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_adam(&opts_c))); }
struct scale_by_rms_opts {
    KILN_OPTION((double), decay, 0.9)
    KILN_OPTION((double), eps, 1e-8)
    KILN_OPTION((double), initial_scale, {})
    KILN_OPTION((bool), eps_in_sqrt, true)
    KILN_OPTION((bool), bias_correction, {})
    kn_optim_scale_by_rms_opts c() const {
        kn_optim_scale_by_rms_opts to_ = {}; to_.size_ = sizeof to_; to_.decay = detail::c_of(decay);
        to_.eps = detail::c_of(eps); to_.initial_scale = detail::c_of(initial_scale);
        to_.eps_in_sqrt = detail::c_of(eps_in_sqrt); to_.bias_correction = detail::c_of(bias_correction); return to_; }
};
/* optax.scale_by_rms */
inline handle<kn_optimizer> scale_by_rms(const ::kiln::optim::scale_by_rms_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_scale_by_rms_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_rms(&opts_c))); }
struct scale_by_rss_opts {
    KILN_OPTION((double), initial_accumulator_value, 0.1)
    KILN_OPTION((double), eps, 1e-7)
    kn_optim_scale_by_rss_opts c() const {
        kn_optim_scale_by_rss_opts to_ = {}; to_.size_ = sizeof to_;
        to_.initial_accumulator_value = detail::c_of(initial_accumulator_value); to_.eps = detail::c_of(eps); return
        to_; }
};
/* optax.scale_by_rss */
inline handle<kn_optimizer> scale_by_rss(const ::kiln::optim::scale_by_rss_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_scale_by_rss_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_rss(&opts_c))); }
struct scale_by_lion_opts {
    KILN_OPTION((double), b1, 0.9)
    KILN_OPTION((double), b2, 0.99)
    kn_optim_scale_by_lion_opts c() const {
        kn_optim_scale_by_lion_opts to_ = {}; to_.size_ = sizeof to_; to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); return to_; }
};
/* optax.scale_by_lion */
inline handle<kn_optimizer> scale_by_lion(const ::kiln::optim::scale_by_lion_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_scale_by_lion_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_lion(&opts_c))); }
struct scale_by_trust_ratio_opts {
    KILN_OPTION((double), min_norm, {})
    KILN_OPTION((double), trust_coefficient, 1)
    KILN_OPTION((double), eps, {})
    kn_optim_scale_by_trust_ratio_opts c() const {
        kn_optim_scale_by_trust_ratio_opts to_ = {}; to_.size_ = sizeof to_; to_.min_norm = detail::c_of(min_norm);
        to_.trust_coefficient = detail::c_of(trust_coefficient); to_.eps = detail::c_of(eps); return to_; }
};
/* optax.scale_by_trust_ratio */
inline handle<kn_optimizer> scale_by_trust_ratio(const ::kiln::optim::scale_by_trust_ratio_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_optim_scale_by_trust_ratio_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_trust_ratio(&opts_c))); }
/* optax.scale_by_sign: the signs alone */
inline handle<kn_optimizer> scale_by_sign(place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_scale_by_sign())); }
/* optax: 1e-3 */
inline handle<kn_optimizer> scale_by_param_block_norm(double min_scale, place where = here())
{ detail::call c_(where); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_param_block_norm(min_scale))); }
/* optax: 1e-3 */
inline handle<kn_optimizer> scale_by_param_block_rms(double min_scale, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_scale_by_param_block_rms(min_scale)));
    }
} // namespace optim
} // namespace kiln
#endif
