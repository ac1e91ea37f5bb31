/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/numpy/logic.hpp -- the functions of kiln/numpy/logic.h in C++. */
/* Made by scripts/make-api.py from api/numpy/logic.api. */
/* clang-format off */
#ifndef KILN_CPP_NUMPY_LOGIC_HPP
#define KILN_CPP_NUMPY_LOGIC_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
struct isclose_opts {
    KILN_OPTION((double), rtol, 1e-5)
    KILN_OPTION((double), atol, 1e-8)
    KILN_OPTION((bool), equal_nan, {})
    kn_isclose_opts c() const {
        kn_isclose_opts to_ = {}; to_.size_ = sizeof to_; to_.rtol = detail::c_of(rtol); to_.atol = detail::c_of(atol);
        to_.equal_nan = detail::c_of(equal_nan); return to_; }
};
struct array_equal_opts {
    KILN_OPTION((bool), equal_nan, {})
    kn_array_equal_opts c() const {
        kn_array_equal_opts to_ = {}; to_.size_ = sizeof to_; to_.equal_nan = detail::c_of(equal_nan); return to_; }
};
struct packbits_opts {
    KILN_OPTION((::kiln::axes), axis, {}) /* flattened unless it is given */
    KILN_OPTION((::kiln::text), bitorder, {}) /* "big" */
    kn_packbits_opts c() const {
        kn_packbits_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.bitorder = detail::c_of(bitorder); return to_; }
};
struct unpackbits_opts {
    KILN_OPTION((::kiln::axes), axis, {}) /* flattened unless it is given */
    KILN_OPTION((int64_t), count, INT64_MAX) /* so many bits, cut off or filled with 0; negative: without so many */
    KILN_OPTION((::kiln::text), bitorder, {}) /* "big" */
    kn_unpackbits_opts c() const {
        kn_unpackbits_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.count = detail::c_of(count); to_.bitorder = detail::c_of(bitorder); return to_; }
};
/* np.equal: x == y; NaN equals nothing */
inline array equal(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_equal(x_h, y_h))); }
/* np.not_equal: x != y; true where one is NaN */
inline array not_equal(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_not_equal(x_h, y_h))); }
/* np.less: complex numbers by real part, then imaginary part */
inline array less(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_less(x_h, y_h))); }
/* np.less_equal: x <= y, as kn_less; false where one is NaN */
inline array less_equal(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_less_equal(x_h, y_h))); }
/* np.greater: x > y, as kn_less */
inline array greater(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_greater(x_h, y_h))); }
/* np.greater_equal: x >= y, as kn_less */
inline array greater_equal(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_greater_equal(x_h, y_h))); }
/* np.isnan: is it NaN? Of complex numbers either part */
inline array isnan(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_isnan(x_h))); }
/* np.isinf: is it inf or -inf? Of complex numbers either part */
inline array isinf(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_isinf(x_h))); }
/* np.isfinite: neither infinite nor NaN; of complex numbers both parts */
inline array isfinite(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_isfinite(x_h))); }
/* np.logical_and: of x != 0 and y != 0 */
inline array logical_and(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_logical_and(x_h, y_h))); }
/* np.logical_or: of x != 0 and y != 0 */
inline array logical_or(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_logical_or(x_h, y_h))); }
/* np.logical_xor: is just one of x != 0 and y != 0? */
inline array logical_xor(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_logical_xor(x_h, y_h))); }
/* np.logical_not: x == 0 */
inline array logical_not(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_logical_not(x_h))); }
/* np.bitwise_and: bit by bit, of integers or bool; TypeError for others */
inline array bitwise_and(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_bitwise_and(x_h, y_h))); }
/* np.bitwise_or: as kn_bitwise_and */
inline array bitwise_or(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_bitwise_or(x_h, y_h))); }
/* np.bitwise_xor: as kn_bitwise_and */
inline array bitwise_xor(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_bitwise_xor(x_h, y_h))); }
/* np.bitwise_not: every bit turned: -x - 1 of signed integers, not of bool */
inline array bitwise_not(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_bitwise_not(x_h))); }
/* kn_bitwise_not */
inline array invert(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_invert(x_h))); }
/* kn_bitwise_not */
inline array bitwise_invert(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_bitwise_invert(x_h))); }
/* np.left_shift: x << y; 0 for y beyond the width or < 0 */
inline array left_shift(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_left_shift(x_h, y_h))); }
/* np.right_shift: x >> y; then 0 or -1 */
inline array right_shift(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_right_shift(x_h, y_h))); }
/* kn_left_shift */
inline array bitwise_left_shift(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_bitwise_left_shift(x_h, y_h))); }
/* kn_right_shift */
inline array bitwise_right_shift(const ::kiln::operand &x, const ::kiln::operand &y, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here(); return
    array::share(c_.take(kn_bitwise_right_shift(x_h, y_h))); }
/* np.bitwise_count: bits of |x|, uint8; else TypeError */
inline array bitwise_count(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_bitwise_count(x_h))); }
/* np.packbits: eight bits, x != 0, in one uint8, filled up with 0 */
inline array packbits(const ::kiln::operand &x, const ::kiln::packbits_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_packbits_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_packbits(x_h, &opts_c))); }
/* np.unpackbits: the bits of uint8, each as one uint8; TypeError for other dtypes */
inline array unpackbits(const ::kiln::operand &x, const ::kiln::unpackbits_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_unpackbits_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_unpackbits(x_h, &opts_c))); }
/* np.where: x where the condition is not 0, else y: element by element, all three broadcast, of the common dtype of
 * x and y. kn_nonzero is NumPy's where of one argument */
inline array where(const ::kiln::operand &condition, const ::kiln::operand &x, const ::kiln::operand &y, place
    where = here())
{ detail::call c_(where); kn_array condition_h = condition.c(); kn_array x_h = x.c(); kn_array y_h = y.c(); c_.here();
    return array::share(c_.take(kn_where(condition_h, x_h, y_h))); }
/* np.isclose: |a - b| <= atol + rtol |b|. NaN is close to nothing unless .equal_nan */
inline array isclose(const ::kiln::operand &a, const ::kiln::operand &b, const ::kiln::isclose_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array b_h = b.c(); kn_isclose_opts opts_c = opts.c(); c_.here();
    return array::share(c_.take(kn_isclose(a_h, b_h, &opts_c))); }
using allclose_opts = ::kiln::isclose_opts;
/* np.allclose: false for an error; are all elements close, as kn_isclose says? */
inline bool allclose(const ::kiln::operand &a, const ::kiln::operand &b, const ::kiln::isclose_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array b_h = b.c(); kn_isclose_opts opts_c = opts.c(); c_.here();
    return c_.value(kn_allclose(a_h, b_h, &opts_c)); }
/* np.array_equal: false for an error; are shapes and all elements equal? */
inline bool array_equal(const ::kiln::operand &a, const ::kiln::operand &b, const ::kiln::array_equal_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array b_h = b.c(); kn_array_equal_opts opts_c = opts.c(); c_.here();
    return c_.value(kn_array_equal(a_h, b_h, &opts_c)); }
/* np.array_equiv: equal when broadcast; false for an error */
inline bool array_equiv(const ::kiln::operand &a1, const ::kiln::operand &a2, place where = here())
{ detail::call c_(where); kn_array a1_h = a1.c(); kn_array a2_h = a2.c(); c_.here(); return
    c_.value(kn_array_equiv(a1_h, a2_h)); }
/* np.isposinf: TypeError for complex numbers */
inline array isposinf(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_isposinf(x_h))); }
/* np.isneginf: TypeError for complex numbers */
inline array isneginf(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_isneginf(x_h))); }
/* np.iscomplex: the imaginary part is not 0; for each element */
inline array iscomplex(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_iscomplex(x_h))); }
/* np.isreal: the imaginary part is 0; for each element */
inline array isreal(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_isreal(x_h))); }
/* np.iscomplexobj: of a complex dtype; false for an error */
inline bool iscomplexobj(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.value(kn_iscomplexobj(x_h)); }
/* np.isrealobj: false for an error; of no complex dtype */
inline bool isrealobj(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.value(kn_isrealobj(x_h)); }
/* np.isscalar: a C number; false for 0-d arrays and errors */
inline bool isscalar(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.value(kn_isscalar(x_h)); }
/* np.isfortran: Fortran-contiguous and not C-contiguous; false for an error */
inline bool isfortran(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.value(kn_isfortran(x_h)); }
} // namespace kiln
#endif
