/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/optim/schedules.hpp -- the functions of kiln/optim/schedules.h in C++. */
/* Made by scripts/make-api.py from api/optim/schedules.api. */
/* clang-format off */
#ifndef KILN_CPP_OPTIM_SCHEDULES_HPP
#define KILN_CPP_OPTIM_SCHEDULES_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
namespace optim {
/* the value of a schedule at a step: a number, or an integer or float array of steps, also a traced one */
inline array schedule_at(const ::kiln::handle<kn_schedule> &schedule, const ::kiln::operand &step, place where = here())
{ detail::call c_(where); kn_array step_h = step.c(); c_.here(); return
    array::share(c_.take(kn_optim_schedule_at(schedule.c(), step_h))); }
/* optax.constant_schedule: the same value at each step */
inline handle<kn_schedule> constant_schedule(double value, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_schedule>(c_.take(kn_optim_constant_schedule(value))); }
struct linear_schedule_opts {
    KILN_OPTION((int64_t), transition_begin, {}) /* steps before it begins */
    kn_optim_linear_schedule_opts c() const {
        kn_optim_linear_schedule_opts to_ = {}; to_.size_ = sizeof to_;
        to_.transition_begin = detail::c_of(transition_begin); return to_; }
};
/* optax.linear_schedule: from init_value to end_value in a straight line of so many steps, then constant;
 * transition_begin steps before are constant, too */
inline handle<kn_schedule> linear_schedule(double init_value, double end_value, int64_t transition_steps, const
    ::kiln::optim::linear_schedule_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_linear_schedule_opts opts_c = opts.c(); c_.here(); return
    handle<kn_schedule>(c_.take(kn_optim_linear_schedule(init_value, end_value, transition_steps, &opts_c))); }
using polynomial_schedule_opts = ::kiln::optim::linear_schedule_opts;
/* optax.polynomial_schedule: (init - end) (1 - step / steps)^power + end up to the number of steps, then the end
 * value */
inline handle<kn_schedule> polynomial_schedule(double init_value, double end_value, double power, int64_t
    transition_steps, const ::kiln::optim::linear_schedule_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_linear_schedule_opts opts_c = opts.c(); c_.here(); return
    handle<kn_schedule>(c_.take(kn_optim_polynomial_schedule(init_value, end_value, power, transition_steps, &opts_c)));
    }
struct exponential_decay_opts {
    KILN_OPTION((int64_t), transition_begin, {}) /* steps before it begins */
    KILN_OPTION((bool), staircase, {}) /* the exponent is a whole number */
    KILN_OPTION((double), end_value, __builtin_nan("")) /* none */
    kn_optim_exponential_decay_opts c() const {
        kn_optim_exponential_decay_opts to_ = {}; to_.size_ = sizeof to_;
        to_.transition_begin = detail::c_of(transition_begin); to_.staircase = detail::c_of(staircase);
        to_.end_value = detail::c_of(end_value); return to_; }
};
/* optax.exponential_decay: init rate^(step / steps); .staircase: in jumps at each multiple of the steps, .end_value:
 * no further than there */
inline handle<kn_schedule> exponential_decay(double init_value, int64_t transition_steps, double decay_rate, const
    ::kiln::optim::exponential_decay_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_exponential_decay_opts opts_c = opts.c(); c_.here(); return
    handle<kn_schedule>(c_.take(kn_optim_exponential_decay(init_value, transition_steps, decay_rate, &opts_c))); }
struct cosine_decay_schedule_opts {
    KILN_OPTION((double), alpha, {}) /* the last value, as a part of the first */
    KILN_OPTION((double), exponent, 1) /* of the cosine */
    kn_optim_cosine_decay_schedule_opts c() const {
        kn_optim_cosine_decay_schedule_opts to_ = {}; to_.size_ = sizeof to_; to_.alpha = detail::c_of(alpha);
        to_.exponent = detail::c_of(exponent); return to_; }
};
/* optax.cosine_decay_schedule: from init_value down to alpha init_value along half a cosine, then constant.
 * ValueError unless there are steps */
inline handle<kn_schedule> cosine_decay_schedule(double init_value, int64_t decay_steps, const
    ::kiln::optim::cosine_decay_schedule_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_cosine_decay_schedule_opts opts_c = opts.c(); c_.here(); return
    handle<kn_schedule>(c_.take(kn_optim_cosine_decay_schedule(init_value, decay_steps, &opts_c))); }
/* optax.piecewise_constant_schedule: init_value, multiplied by a scale at each boundary */
inline handle<kn_schedule> piecewise_constant_schedule(double init_value, const std::vector<kn_optim_boundary>
    &boundaries, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_schedule>(c_.take(kn_optim_piecewise_constant_schedule(init_value,
    static_cast<int>(boundaries.size()), boundaries.data()))); }
/* init_value, multiplied by a scale up to each boundary, in straight lines ("linear") or half cosines ("cosine")
 * between them; constant after the last one. ValueError for another interpolate_type */
inline handle<kn_schedule> piecewise_interpolate_schedule(const ::kiln::text &interpolate_type, double init_value, const
    std::vector<kn_optim_boundary> &boundaries, place where = here())
{ detail::call c_(where); c_.here(); return
    handle<kn_schedule>(c_.take(kn_optim_piecewise_interpolate_schedule(interpolate_type.c(), init_value,
    static_cast<int>(boundaries.size()), boundaries.data()))); }
struct onecycle_opts {
    KILN_OPTION((double), pct_start, 0.3) /* the part of the steps up to the peak */
    KILN_OPTION((double), pct_final, 0.85) /* of the linear one */
    KILN_OPTION((double), div_factor, 25) /* the peak divided by this is the first value */
    KILN_OPTION((double), final_div_factor, 1e4) /* the first value divided by this is the last one */
    kn_optim_onecycle_opts c() const {
        kn_optim_onecycle_opts to_ = {}; to_.size_ = sizeof to_; to_.pct_start = detail::c_of(pct_start);
        to_.pct_final = detail::c_of(pct_final); to_.div_factor = detail::c_of(div_factor);
        to_.final_div_factor = detail::c_of(final_div_factor); return to_; }
};
/* the default options of kn_optim_linear_onecycle_schedule, those of kn_optim_onecycle_opts_default(), for programs
 * that fill a struct of options */
inline kn_optim_onecycle_opts linear_onecycle_schedule_opts_default(place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_optim_linear_onecycle_schedule_opts_default()); }
using linear_onecycle_schedule_opts = ::kiln::optim::onecycle_opts;
/* optax.linear_onecycle_schedule: from peak / div_factor up to the peak (at pct_start of the steps), down to where
 * it began (at pct_final) and on to a final_div_factor-th of it, in straight lines */
inline handle<kn_schedule> linear_onecycle_schedule(int64_t transition_steps, double peak_value, const
    ::kiln::optim::onecycle_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_onecycle_opts opts_c = opts.c(); c_.here(); return
    handle<kn_schedule>(c_.take(kn_optim_linear_onecycle_schedule(transition_steps, peak_value, &opts_c))); }
using cosine_onecycle_schedule_opts = ::kiln::optim::onecycle_opts;
/* optax.cosine_onecycle_schedule: from peak / div_factor up to the peak (at pct_start of the steps), then down to
 * peak / (div_factor final_div_factor), along half cosines */
inline handle<kn_schedule> cosine_onecycle_schedule(int64_t transition_steps, double peak_value, const
    ::kiln::optim::onecycle_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_onecycle_opts opts_c = opts.c(); c_.here(); return
    handle<kn_schedule>(c_.take(kn_optim_cosine_onecycle_schedule(transition_steps, peak_value, &opts_c))); }
/* optax.warmup_constant_schedule: from init_value to peak_value in a straight line of warmup_steps, then constant */
inline handle<kn_schedule> warmup_constant_schedule(double init_value, double peak_value, int64_t warmup_steps, place
    where = here())
{ detail::call c_(where); c_.here(); return handle<kn_schedule>(c_.take(kn_optim_warmup_constant_schedule(init_value,
    peak_value, warmup_steps))); }
struct warmup_cosine_decay_schedule_opts {
    KILN_OPTION((double), end_value, {}) /* the last value */
    KILN_OPTION((double), exponent, 1) /* of the cosine */
    kn_optim_warmup_cosine_decay_schedule_opts c() const {
        kn_optim_warmup_cosine_decay_schedule_opts to_ = {}; to_.size_ = sizeof to_;
        to_.end_value = detail::c_of(end_value); to_.exponent = detail::c_of(exponent); return to_; }
};
/* optax.warmup_cosine_decay_schedule: from init_value to the peak in a straight line, then down to end_value (0)
 * along half a cosine; decay_steps counts the warm-up, too */
inline handle<kn_schedule> warmup_cosine_decay_schedule(double init_value, double peak_value, int64_t warmup_steps,
    int64_t decay_steps, const ::kiln::optim::warmup_cosine_decay_schedule_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_optim_warmup_cosine_decay_schedule_opts opts_c = opts.c(); c_.here(); return
    handle<kn_schedule>(c_.take(kn_optim_warmup_cosine_decay_schedule(init_value, peak_value, warmup_steps, decay_steps,
    &opts_c))); }
using warmup_exponential_decay_schedule_opts = ::kiln::optim::exponential_decay_opts;
/* optax.warmup_exponential_decay_schedule: from init_value to the peak in a straight line of warmup_steps, then peak
 * rate^(step / steps) */
inline handle<kn_schedule> warmup_exponential_decay_schedule(double init_value, double peak_value, int64_t warmup_steps,
    int64_t transition_steps, double decay_rate, const ::kiln::optim::exponential_decay_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_optim_exponential_decay_opts opts_c = opts.c(); c_.here(); return
    handle<kn_schedule>(c_.take(kn_optim_warmup_exponential_decay_schedule(init_value, peak_value, warmup_steps,
    transition_steps, decay_rate, &opts_c))); }
/* optax.join_schedules: one schedule after the other: n schedules, n - 1 boundaries; each begins to count at its own
 * boundary */
inline handle<kn_schedule> join_schedules(const std::vector<::kiln::handle<kn_schedule>> &schedules,
    const int64_t *boundaries, place where = here())
{ detail::call c_(where); std::vector<kn_schedule> schedules_v = detail::all_of<kn_schedule>(schedules); c_.here();
    return handle<kn_schedule>(c_.take(kn_optim_join_schedules(static_cast<int>(schedules.size()), schedules_v.data(),
    boundaries))); }
/* warm restarts: one warmup_cosine_decay_schedule after the other; decay_steps is the length of each cycle */
inline handle<kn_schedule> sgdr_schedule(const std::vector<kn_optim_sgdr_cycle> &cycles, place where = here())
{ detail::call c_(where); c_.here(); return
    handle<kn_schedule>(c_.take(kn_optim_sgdr_schedule(static_cast<int>(cycles.size()), cycles.data()))); }
} // namespace optim
} // namespace kiln
#endif
