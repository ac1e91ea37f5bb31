/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/numpy/error_state.hpp -- the functions of kiln/numpy/error_state.h in C++. */
/* Made by scripts/make-api.py from api/numpy/error_state.api. */
/* clang-format off */
#ifndef KILN_CPP_NUMPY_ERROR_STATE_HPP
#define KILN_CPP_NUMPY_ERROR_STATE_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
struct seterr_opts {
    KILN_OPTION((::kiln::text), all, {})
    KILN_OPTION((::kiln::text), divide, {}) /* a finite number by zero, log(0) */
    KILN_OPTION((::kiln::text), over, {}) /* an infinity from finite numbers */
    KILN_OPTION((::kiln::text), under, {}) /* a tiny result that is not exact */
    KILN_OPTION((::kiln::text), invalid, {}) /* a NaN from numbers */
    kn_seterr_opts c() const {
        kn_seterr_opts to_ = {}; to_.size_ = sizeof to_; to_.all = detail::c_of(all); to_.divide = detail::c_of(divide);
        to_.over = detail::c_of(over); to_.under = detail::c_of(under); to_.invalid = detail::c_of(invalid); return to_;
        }
};
struct geterr_result { std::string divide; std::string over; std::string under; std::string invalid; };
/* np.seterr: what is done about events from now on, in this context; returns the modes before. ValueError for
 * another mode, and nothing changes */
inline ::kiln::geterr_result seterr(const ::kiln::seterr_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_seterr_opts opts_c = opts.c(); c_.here(); kn_geterr_result
    r_ = c_.value(kn_seterr(&opts_c)); return ::kiln::geterr_result{detail::text_of(r_.divide),
    detail::text_of(r_.over), detail::text_of(r_.under), detail::text_of(r_.invalid)}; }
/* np.geterr: the modes that are set */
inline ::kiln::geterr_result geterr(place where = here())
{ detail::call c_(where); c_.here(); kn_geterr_result r_ = c_.value(kn_geterr()); return
    ::kiln::geterr_result{detail::text_of(r_.divide), detail::text_of(r_.over), detail::text_of(r_.under),
    detail::text_of(r_.invalid)}; }
/* np.seterrcall: sets the functions; returns those before */
inline kn_errcall seterrcall(const kn_errcall &func, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_seterrcall(&func)); }
/* np.geterrcall: the functions that are set */
inline kn_errcall geterrcall(place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_geterrcall()); }
struct errstate_opts {
    KILN_OPTION((::kiln::text), all, {})
    KILN_OPTION((::kiln::text), divide, {})
    KILN_OPTION((::kiln::text), over, {})
    KILN_OPTION((::kiln::text), under, {})
    KILN_OPTION((::kiln::text), invalid, {})
    KILN_OPTION((const kn_errcall *), call, {}) /* NULL: those that are set */
    kn_errstate_opts c() const {
        kn_errstate_opts to_ = {}; to_.size_ = sizeof to_; to_.all = detail::c_of(all);
        to_.divide = detail::c_of(divide); to_.over = detail::c_of(over); to_.under = detail::c_of(under);
        to_.invalid = detail::c_of(invalid); to_.call = detail::c_of(call); return to_; }
};
/* np.errstate: kn_seterr and kn_seterrcall, until kn_errstate_leave; KN_ERRSTATE(.divide = "raise"); leaves at the
 * end of the block */
inline kn_errstate_scope errstate(const ::kiln::errstate_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_errstate_opts opts_c = opts.c(); c_.here(); return c_.value(kn_errstate(&opts_c)); }
/* what KN_ERRSTATE does at the end of its block */
inline void errstate_leave(kn_errstate_scope *before, place where = here())
{ detail::call c_(where); c_.here(); kn_errstate_leave(before); detail::check(); }
} // namespace kiln
#endif
