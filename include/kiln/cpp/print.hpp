/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/print.hpp -- the functions of kiln/print.h in C++. */
/* Made by scripts/make-api.py from api/print.api. */
/* clang-format off */
#ifndef KILN_CPP_PRINT_HPP
#define KILN_CPP_PRINT_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
struct print_opts {
    KILN_OPTION((int), precision, KN_AS_SET) /* digits after the point, in the beginning 8 */
    KILN_OPTION((int64_t), threshold, KN_AS_SET) /* arrays with more elements are summarised, 1000 */
    KILN_OPTION((int), edgeitems, KN_AS_SET) /* how many items a summary shows at each end of an axis, 3 */
    KILN_OPTION((int), linewidth, KN_AS_SET) /* 75 */
    KILN_OPTION((int), suppress, KN_AS_SET) /* true: no scientific notation only because of small values, false */
    KILN_OPTION((::kiln::text), floatmode, {}) /* as set, "maxprec" */
    KILN_OPTION((char), sign, {}) /* of positive numbers: '-' none, '+' always, ' ' a blank; 0: as set, '-' */
    KILN_OPTION((::kiln::text), nanstr, {}) /* as set, "nan" */
    KILN_OPTION((::kiln::text), infstr, {}) /* as set, "inf" */
    KILN_OPTION((const kn_formatter *), formatter, {}) /* as set, no functions */
    kn_print_opts c() const {
        kn_print_opts to_ = {}; to_.size_ = sizeof to_; to_.precision = detail::c_of(precision);
        to_.threshold = detail::c_of(threshold); to_.edgeitems = detail::c_of(edgeitems);
        to_.linewidth = detail::c_of(linewidth); to_.suppress = detail::c_of(suppress);
        to_.floatmode = detail::c_of(floatmode); to_.sign = detail::c_of(sign); to_.nanstr = detail::c_of(nanstr);
        to_.infstr = detail::c_of(infstr); to_.formatter = detail::c_of(formatter); return to_; }
};
} // namespace kiln
#endif
