/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/progress.hpp -- the functions of kiln/progress.h in C++. */
/* Made by scripts/make-api.py from api/progress.api. */
/* clang-format off */
#ifndef KILN_CPP_PROGRESS_HPP
#define KILN_CPP_PROGRESS_HPP
#include "kiln/cpp/options.hpp"
#include "kiln/cpp/print.hpp"

namespace kiln {
struct progress_begin_opts {
    KILN_OPTION((int64_t), total, {}) /* steps; 0: not known */
    KILN_OPTION((::kiln::text), unit, "it") /* what a step is, in the rate */
    KILN_OPTION((int), show, -1) /* 1: also where there is no terminal, 0: not at all; -1: as said above */
    KILN_OPTION((double), interval, 0.1) /* seconds between two lines, at least */
    KILN_OPTION((FILE *), file, {}) /* standard error */
    kn_progress_begin_opts c() const {
        kn_progress_begin_opts to_ = {}; to_.size_ = sizeof to_; to_.total = detail::c_of(total);
        to_.unit = detail::c_of(unit); to_.show = detail::c_of(show); to_.interval = detail::c_of(interval);
        to_.file = detail::c_of(file); return to_; }
};
/* A line that begins now. The label is copied. */
inline handle<kn_progress> progress_begin(const ::kiln::text &label, const ::kiln::progress_begin_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_progress_begin_opts opts_c = opts.c(); c_.here(); return
    handle<kn_progress>(c_.take(kn_progress_begin(label.c(), &opts_c))); }
/* So many steps more are done. In C kn_progress_step(bar, 1, "loss", loss, "rate", 0.1): names and numbers, texts or
 * 0-d arrays, which are looked at only when a line is written. 0, or -1 with an error. */
inline int progress_step(const ::kiln::handle<kn_progress> &bar, int64_t steps, const std::vector<kn_printf_arg>
    &values, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_progress_step(bar.c(), steps, static_cast<int>(values.size()),
    values.data())); }
/* The last line, which stays; the end of its scope does the same. A step after it changes nothing. 0, or -1 with an
 * error. */
inline int progress_end(const ::kiln::handle<kn_progress> &bar, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_progress_end(bar.c())); }
} // namespace kiln
#endif
