/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/optim/transforms.hpp -- the functions of kiln/optim/transforms.h in C++. */
/* Made by scripts/make-api.py from api/optim/transforms.api. */
/* clang-format off */
#ifndef KILN_CPP_OPTIM_TRANSFORMS_HPP
#define KILN_CPP_OPTIM_TRANSFORMS_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
namespace optim {
/* transformations one after the other: each works on the updates of the one before */
inline handle<kn_optimizer> chain(const std::vector<::kiln::handle<kn_optimizer>> &parts, place where = here())
{ detail::call c_(where); std::vector<kn_optimizer> parts_v = detail::all_of<kn_optimizer>(parts); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_chain(static_cast<int>(parts.size()), parts_v.data()))); }
/* a transformation for some of the parameters: the inner one sees those whose mask is true, the updates of the
 * others stay as they are. `mask`: a tree of booleans, one per parameter or one for all */
inline handle<kn_optimizer> masked(const ::kiln::handle<kn_optimizer> &inner, const ::kiln::pytree &mask, place
    where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_masked(inner.c(), mask.c()))); }
/* zeros in the place of updates where the mask (a tree of booleans, one per parameter or one for all) is true: those
 * parameters stay */
inline handle<kn_optimizer> freeze(const ::kiln::pytree &mask, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_freeze(mask.c()))); }
/* the inner transformation, but updates that are not all finite are left out (zeros, the state stays), unless more
 * than max_consecutive_errors come in a row */
inline handle<kn_optimizer> apply_if_finite(const ::kiln::handle<kn_optimizer> &inner, int max_consecutive_errors, place
    where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_apply_if_finite(inner.c(),
    max_consecutive_errors))); }
/* the sum of the updates of k steps every k-th step, zeros between */
inline handle<kn_optimizer> apply_every(int k, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_apply_every(k))); }
struct multi_steps_opts {
    KILN_OPTION((bool), use_grad_mean, true) /* the mean of the gradients, not their sum */
    kn_optim_multi_steps_opts c() const {
        kn_optim_multi_steps_opts to_ = {}; to_.size_ = sizeof to_; to_.use_grad_mean = detail::c_of(use_grad_mean);
        return to_; }
};
/* optax.MultiSteps: the inner optimizer steps every k gradients, with their mean (.use_grad_mean = false: their
 * sum); zeros between. For batches that do not fit memory at once */
inline handle<kn_optimizer> multi_steps(const ::kiln::handle<kn_optimizer> &inner, int every_k, const
    ::kiln::optim::multi_steps_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_multi_steps_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_multi_steps(inner.c(), every_k, &opts_c))); }
struct lookahead_opts {
    KILN_OPTION((bool), reset_state, {}) /* the fast optimizer begins anew at each synchronization */
    kn_optim_lookahead_opts c() const {
        kn_optim_lookahead_opts to_ = {}; to_.size_ = sizeof to_; to_.reset_state = detail::c_of(reset_state); return
        to_; }
};
/* fast parameters take steps of the inner optimizer; every sync_period of them the slow ones move by slow_step_size
 * towards them, and the fast ones go back there. Parameters and updates are trees of two parts, fast and slow;
 * gradients are those of the fast ones. Not in chains */
inline handle<kn_optimizer> lookahead(const ::kiln::handle<kn_optimizer> &fast, int sync_period, double slow_step_size,
    const ::kiln::optim::lookahead_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_lookahead_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_lookahead(fast.c(), sync_period, slow_step_size, &opts_c))); }
/* optax.identity: updates as they are */
inline handle<kn_optimizer> identity(place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_identity())); }
/* optax.set_to_zero: zeros in the place of the updates: nothing moves */
inline handle<kn_optimizer> set_to_zero(place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_set_to_zero())); }
/* optax.scale: updates times step_size; for steps downhill it is negative */
inline handle<kn_optimizer> scale(double step_size, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_scale(step_size))); }
/* updates times -learning_rate: what makes gradients steps downhill, mostly the last of a chain */
inline handle<kn_optimizer> scale_by_learning_rate(double learning_rate, place where = here())
{ detail::call c_(where); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_learning_rate(learning_rate))); }
/* updates times less a learning rate that is a 0-d array, for rates that a program computes (in a function that is
 * traced, too) */
inline handle<kn_optimizer> scale_by_learning_rate_array(const ::kiln::operand &learning_rate, place where = here())
{ detail::call c_(where); kn_array learning_rate_h = learning_rate.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_learning_rate_array(learning_rate_h))); }
/* optax.scale_by_schedule: updates times the value of a schedule at the step, which the state counts from 0 */
inline handle<kn_optimizer> scale_by_schedule(const ::kiln::handle<kn_schedule> &step_size, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_scale_by_schedule(step_size.c()))); }
struct add_decayed_weights_opts {
    KILN_OPTION((::kiln::handle<kn_schedule>), weight_decay_schedule, {}) /* by the step, in the place of the number */
    KILN_OPTION((::kiln::pytree), mask, {})
    kn_optim_add_decayed_weights_opts c() const {
        kn_optim_add_decayed_weights_opts to_ = {}; to_.size_ = sizeof to_;
        to_.weight_decay_schedule = detail::c_of(weight_decay_schedule); to_.mask = detail::c_of(mask); return to_; }
};
/* optax.add_decayed_weights: updates plus weight_decay times the parameters (.mask: those that it names,
 * .weight_decay_schedule in the place of the number); the update needs params */
inline handle<kn_optimizer> add_decayed_weights(double weight_decay, const ::kiln::optim::add_decayed_weights_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_add_decayed_weights_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_add_decayed_weights(weight_decay, &opts_c))); }
/* optax.add_noise: updates plus normal noise of variance eta / (1 + step)^gamma, that of kn_random_key(seed) */
inline handle<kn_optimizer> add_noise(double eta, double gamma, int64_t seed, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_add_noise(eta, gamma, seed))); }
struct trace_opts {
    KILN_OPTION((bool), nesterov, {}) /* look one step ahead */
    kn_optim_trace_opts c() const {
        kn_optim_trace_opts to_ = {}; to_.size_ = sizeof to_; to_.nesterov = detail::c_of(nesterov); return to_; }
};
/* optax.trace: the sum of the updates, what came before times decay: momentum, as sgd has it; .nesterov looks one
 * step ahead */
inline handle<kn_optimizer> trace(double decay, const ::kiln::optim::trace_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_trace_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_trace(decay, &opts_c))); }
struct ema_opts {
    KILN_OPTION((bool), debias, true) /* without the bias of the beginning */
    kn_optim_ema_opts c() const {
        kn_optim_ema_opts to_ = {}; to_.size_ = sizeof to_; to_.debias = detail::c_of(debias); return to_; }
};
/* optax.ema: an exponential moving average of the updates, decay times what came before and 1 - decay times the new
 * one; without .debias it begins near 0 */
inline handle<kn_optimizer> ema(double decay, const ::kiln::optim::ema_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_ema_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_ema(decay, &opts_c))); }
/* optax.clip: each element of the updates kept within -max_delta and max_delta */
inline handle<kn_optimizer> clip(double max_delta, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_clip(max_delta))); }
/* optax.clip_by_global_norm: updates scaled down so that the norm of all arrays together is at most max_norm; their
 * direction stays, and smaller ones stay as they are */
inline handle<kn_optimizer> clip_by_global_norm(double max_norm, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_clip_by_global_norm(max_norm))); }
/* optax.clip_by_block_rms: each array of the updates scaled down to a root mean square of at most threshold */
inline handle<kn_optimizer> clip_by_block_rms(double threshold, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_clip_by_block_rms(threshold))); }
/* updates scaled down so that their norm is at most clipping times the norm of the parameters (at least eps; optax's
 * is 1e-3): of a whole vector, of each column of a matrix, of each output channel of a filter. The update needs
 * params */
inline handle<kn_optimizer> adaptive_grad_clip(double clipping, double eps, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_adaptive_grad_clip(clipping, eps))); }
/* optax.centralize: updates less the mean of each slice along the first axis (of a matrix: of each row), for arrays
 * of at least two axes; numbers and vectors stay */
inline handle<kn_optimizer> centralize(place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_centralize())); }
/* optax.zero_nans: 0 where an update is NaN */
inline handle<kn_optimizer> zero_nans(place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_zero_nans())); }
/* updates times scale_factor, divided by their norm (plus eps) of all arrays together; optax's defaults are 1 and
 * 1e-6 */
inline handle<kn_optimizer> normalize_by_update_norm(double scale_factor, double eps, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_normalize_by_update_norm(scale_factor,
    eps))); }
/* optax.keep_params_nonnegative: updates that would take a parameter below 0 take it to 0; the update needs params */
inline handle<kn_optimizer> keep_params_nonnegative(place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_keep_params_nonnegative())); }
struct scale_by_adam_opts {
    KILN_OPTION((double), b1, 0.9) /* what is kept of the mean of gradients at each step */
    KILN_OPTION((double), b2, 0.999) /* what is kept of the mean of squares at each step */
    KILN_OPTION((double), eps, 1e-8) /* added to the root that is the divisor */
    KILN_OPTION((double), eps_root, {}) /* added below the root */
    KILN_OPTION((bool), nesterov, {}) /* look one step ahead */
    kn_optim_scale_by_adam_opts c() const {
        kn_optim_scale_by_adam_opts to_ = {}; to_.size_ = sizeof to_; to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); to_.eps = detail::c_of(eps); to_.eps_root = detail::c_of(eps_root);
        to_.nesterov = detail::c_of(nesterov); return to_; }
};
/* optax.scale_by_adam: the scaling of adam: the mean of the updates divided by the root of the mean of their
 * squares, without learning rate and sign */
inline handle<kn_optimizer> scale_by_adam(const ::kiln::optim::scale_by_adam_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_scale_by_adam_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_adam(&opts_c))); }
struct scale_by_rms_opts {
    KILN_OPTION((double), decay, 0.9) /* what is kept of the mean of squares at each step */
    KILN_OPTION((double), eps, 1e-8) /* added below the root, or to it */
    KILN_OPTION((double), initial_scale, {}) /* the mean of squares before the first step */
    KILN_OPTION((bool), eps_in_sqrt, true) /* eps is below the root */
    KILN_OPTION((bool), bias_correction, {}) /* without the bias of the beginning */
    kn_optim_scale_by_rms_opts c() const {
        kn_optim_scale_by_rms_opts to_ = {}; to_.size_ = sizeof to_; to_.decay = detail::c_of(decay);
        to_.eps = detail::c_of(eps); to_.initial_scale = detail::c_of(initial_scale);
        to_.eps_in_sqrt = detail::c_of(eps_in_sqrt); to_.bias_correction = detail::c_of(bias_correction); return to_; }
};
/* optax.scale_by_rms: updates divided by the root of the moving average of their squares */
inline handle<kn_optimizer> scale_by_rms(const ::kiln::optim::scale_by_rms_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_scale_by_rms_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_rms(&opts_c))); }
struct scale_by_rss_opts {
    KILN_OPTION((double), initial_accumulator_value, 0.1) /* the sum of squares before the first step */
    KILN_OPTION((double), eps, 1e-7) /* added below the root */
    kn_optim_scale_by_rss_opts c() const {
        kn_optim_scale_by_rss_opts to_ = {}; to_.size_ = sizeof to_;
        to_.initial_accumulator_value = detail::c_of(initial_accumulator_value); to_.eps = detail::c_of(eps); return
        to_; }
};
/* optax.scale_by_rss: updates divided by the root of the sum of all squares so far (0.1 at first), as adagrad does */
inline handle<kn_optimizer> scale_by_rss(const ::kiln::optim::scale_by_rss_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_scale_by_rss_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_rss(&opts_c))); }
struct scale_by_lion_opts {
    KILN_OPTION((double), b1, 0.9) /* weight of the mean so far in the step */
    KILN_OPTION((double), b2, 0.99) /* what is kept of the mean at each step */
    kn_optim_scale_by_lion_opts c() const {
        kn_optim_scale_by_lion_opts to_ = {}; to_.size_ = sizeof to_; to_.b1 = detail::c_of(b1);
        to_.b2 = detail::c_of(b2); return to_; }
};
/* optax.scale_by_lion: the sign of a mean of updates, as lion has it: b1 for the step, b2 for what is remembered */
inline handle<kn_optimizer> scale_by_lion(const ::kiln::optim::scale_by_lion_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_scale_by_lion_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_lion(&opts_c))); }
struct scale_by_trust_ratio_opts {
    KILN_OPTION((double), min_norm, {}) /* norms are at least this */
    KILN_OPTION((double), trust_coefficient, 1) /* times the ratio */
    KILN_OPTION((double), eps, {}) /* added to the updates' norm */
    kn_optim_scale_by_trust_ratio_opts c() const {
        kn_optim_scale_by_trust_ratio_opts to_ = {}; to_.size_ = sizeof to_; to_.min_norm = detail::c_of(min_norm);
        to_.trust_coefficient = detail::c_of(trust_coefficient); to_.eps = detail::c_of(eps); return to_; }
};
/* optax.scale_by_trust_ratio: updates times the norm of the parameters divided by that of the updates, array by
 * array; the update needs params */
inline handle<kn_optimizer> scale_by_trust_ratio(const ::kiln::optim::scale_by_trust_ratio_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_optim_scale_by_trust_ratio_opts opts_c = opts.c(); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_trust_ratio(&opts_c))); }
/* optax.scale_by_sign: the signs of the updates alone */
inline handle<kn_optimizer> scale_by_sign(place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_scale_by_sign())); }
/* updates times the norm of their parameters, array by array, at least min_scale (optax's default is 1e-3); the
 * update needs params */
inline handle<kn_optimizer> scale_by_param_block_norm(double min_scale, place where = here())
{ detail::call c_(where); c_.here(); return
    handle<kn_optimizer>(c_.take(kn_optim_scale_by_param_block_norm(min_scale))); }
/* updates times the root mean square of their parameters, array by array, at least min_scale (optax's default is
 * 1e-3); the update needs params */
inline handle<kn_optimizer> scale_by_param_block_rms(double min_scale, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_optimizer>(c_.take(kn_optim_scale_by_param_block_rms(min_scale)));
    }
struct unitwise_norm_opts {
    KILN_OPTION((::kiln::axes), axis, {}) /* the axes of one unit */
    kn_optim_unitwise_norm_opts c() const {
        kn_optim_unitwise_norm_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis); return to_; }
};
/* optax.transforms.unitwise_norm: the norm of the unit that each element is in, in the shape of x: along the first
 * axis of matrices and of three dimensions, along all but the last of four and five, of all else together.
 * ValueError for more dimensions without axis */
inline array unitwise_norm(const ::kiln::operand &x, const ::kiln::optim::unitwise_norm_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_optim_unitwise_norm_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_optim_unitwise_norm(x_h, &opts_c))); }
struct unitwise_clip_opts {
    KILN_OPTION((double), div_eps, 1e-6) /* the least divisor */
    kn_optim_unitwise_clip_opts c() const {
        kn_optim_unitwise_clip_opts to_ = {}; to_.size_ = sizeof to_; to_.div_eps = detail::c_of(div_eps); return to_; }
};
/* optax.transforms.unitwise_clip: grad, scaled to max_norm where g_norm is not below it. All three are of one shape
 * (ValueError) */
inline array unitwise_clip(const ::kiln::operand &g_norm, const ::kiln::operand &max_norm, const ::kiln::operand &grad,
    const ::kiln::optim::unitwise_clip_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array g_norm_h = g_norm.c(); kn_array max_norm_h = max_norm.c(); kn_array
    grad_h = grad.c(); kn_optim_unitwise_clip_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_optim_unitwise_clip(g_norm_h, max_norm_h, grad_h, &opts_c))); }
/* optax.per_example_global_norm_clip: the sum over examples of their gradients, each scaled so that its norm over
 * all leaves is l2_norm_clip at most (Abadi et al. 2016). The first axis of each leaf is that of the examples
 * (ValueError). num_clipped (may be NULL) receives how many were scaled */
inline pytree per_example_global_norm_clip(const ::kiln::pytree &grads, double l2_norm_clip, kn_array *num_clipped,
    place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_optim_per_example_global_norm_clip(grads.c(),
    l2_norm_clip, num_clipped))); }
struct per_example_layer_norm_clip_opts {
    KILN_OPTION((bool), uniform, true) /* one share for each leaf; false: by its number of elements */
    kn_optim_per_example_layer_norm_clip_opts c() const {
        kn_optim_per_example_layer_norm_clip_opts to_ = {}; to_.size_ = sizeof to_; to_.uniform = detail::c_of(uniform);
        return to_; }
};
/* optax.per_example_layer_norm_clip: the same with a norm for each leaf: of K leaves each may have
 * global_l2_norm_clip / sqrt(K), or a share by its size (McMahan et al. 2017). num_clipped (may be NULL) receives
 * how many were scaled, a tree like grads */
inline pytree per_example_layer_norm_clip(const ::kiln::pytree &grads, double global_l2_norm_clip, kn_tree *num_clipped,
    const ::kiln::optim::per_example_layer_norm_clip_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_per_example_layer_norm_clip_opts opts_c = opts.c(); c_.here(); return
    pytree(c_.take(kn_optim_per_example_layer_norm_clip(grads.c(), global_l2_norm_clip, num_clipped, &opts_c))); }
/* optax.skip_not_finite: is any element infinite or NaN? num_not_finite (may be NULL) receives how many are */
inline array skip_not_finite(const ::kiln::pytree &updates, kn_array *num_not_finite, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_optim_skip_not_finite(updates.c(),
    num_not_finite))); }
/* optax.skip_large_updates: is the square of the norm of all updates not below max_squared_norm (true for NaN, too)?
 * norm_squared (may be NULL) receives it */
inline array skip_large_updates(const ::kiln::pytree &updates, double max_squared_norm, kn_array *norm_squared, place
    where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_optim_skip_large_updates(updates.c(),
    max_squared_norm, norm_squared))); }
} // namespace optim
} // namespace kiln
#endif
