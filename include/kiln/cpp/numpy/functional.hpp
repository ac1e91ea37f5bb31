/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/numpy/functional.hpp -- the functions of kiln/numpy/functional.h in C++. */
/* Made by scripts/make-api.py from api/numpy/functional.api. */
/* clang-format off */
#ifndef KILN_CPP_NUMPY_FUNCTIONAL_HPP
#define KILN_CPP_NUMPY_FUNCTIONAL_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
/* np.apply_along_axis: what func1d, of one array of one axis, gives for all lines along the axis. It is mapped by
 * kn_vmap and cannot look at values; the axes of its result go where the axis was. ValueError if another axis is
 * empty */
inline array apply_along_axis(const ::kiln::fn &func1d, int axis, const ::kiln::operand &arr, place where = here())
{ detail::call c_(where); kn_array arr_h = arr.c(); c_.here(); return
    array::share(c_.take(kn_apply_along_axis(func1d.c(), axis, arr_h))); }
/* np.apply_over_axes: applies func along one axis after the other, which stay with extent 1 */
inline array apply_over_axes(kn_axis_func func, const ::kiln::operand &a, const ::kiln::axes &axes, place
    where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); return array::share(c_.take(kn_apply_over_axes(func, a_h,
    &axes))); }
/* np.piecewise: each piece where its condition holds (the last one wins), one more piece where none does, else 0; of
 * x's dtype. Functions see all of x */
inline array piecewise(const ::kiln::operand &x, const ::kiln::operands &condlist, const std::vector<kn_piece>
    &funclist, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_list condlist_h = condlist.list(); c_.here(); return
    array::share(c_.take(kn_piecewise(x_h, condlist_h, static_cast<int>(funclist.size()), funclist.data()))); }
} // namespace kiln
#endif
