/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/numpy/manipulation.hpp -- the functions of kiln/numpy/manipulation.h in C++. */
/* Made by scripts/make-api.py from api/numpy/manipulation.api. */
/* clang-format off */
#ifndef KILN_CPP_NUMPY_MANIPULATION_HPP
#define KILN_CPP_NUMPY_MANIPULATION_HPP
#include "kiln/cpp/options.hpp"
#include "kiln/cpp/numpy/creation.hpp"

namespace kiln {
struct reshape_opts {
    KILN_OPTION((::kiln::text), order, {}) /* "F": the first axis fastest; "A": "F" for arrays that lie so in memory */
    KILN_OPTION((int), copy, -1) /* only where the strides do not allow a view; 1: always; 0: never (ValueError) */
    kn_reshape_opts c() const {
        kn_reshape_opts to_ = {}; to_.size_ = sizeof to_; to_.order = detail::c_of(order);
        to_.copy = detail::c_of(copy); return to_; }
};
struct ravel_opts {
    KILN_OPTION((::kiln::text), order, {}) /* as kn_reshape_opts */
    kn_ravel_opts c() const {
        kn_ravel_opts to_ = {}; to_.size_ = sizeof to_; to_.order = detail::c_of(order); return to_; }
};
struct transpose_opts {
    KILN_OPTION((::kiln::axes), axes, {})
    kn_transpose_opts c() const {
        kn_transpose_opts to_ = {}; to_.size_ = sizeof to_; to_.axes = detail::c_of(axes); return to_; }
};
struct squeeze_opts {
    KILN_OPTION((::kiln::axes), axis, {})
    kn_squeeze_opts c() const {
        kn_squeeze_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis); return to_; }
};
struct rollaxis_opts {
    KILN_OPTION((int), start, {})
    kn_rollaxis_opts c() const {
        kn_rollaxis_opts to_ = {}; to_.size_ = sizeof to_; to_.start = detail::c_of(start); return to_; }
};
struct rot90_opts {
    KILN_OPTION((int64_t), k, 1)
    KILN_OPTION((::kiln::axes), axes, {}) /* (0, 1) */
    kn_rot90_opts c() const {
        kn_rot90_opts to_ = {}; to_.size_ = sizeof to_; to_.k = detail::c_of(k); to_.axes = detail::c_of(axes); return
        to_; }
};
struct concatenate_opts {
    KILN_OPTION((::kiln::axes), axis, {})
    KILN_OPTION((::kiln::dtype), dtype, {})
    KILN_OPTION((::kiln::text), casting, {}) /* "same_kind" */
    kn_concatenate_opts c() const {
        kn_concatenate_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.dtype = detail::c_of(dtype); to_.casting = detail::c_of(casting); return to_; }
};
struct vstack_opts {
    KILN_OPTION((::kiln::dtype), dtype, {})
    KILN_OPTION((::kiln::text), casting, {}) /* "same_kind" */
    kn_vstack_opts c() const {
        kn_vstack_opts to_ = {}; to_.size_ = sizeof to_; to_.dtype = detail::c_of(dtype);
        to_.casting = detail::c_of(casting); return to_; }
};
struct split_opts {
    KILN_OPTION((::kiln::axes), axis, {})
    kn_split_opts c() const {
        kn_split_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis); return to_; }
};
struct trim_zeros_opts {
    KILN_OPTION((::kiln::axes), axis, {}) /* all unless given */
    KILN_OPTION((::kiln::text), trim, {}) /* "fb" */
    kn_trim_zeros_opts c() const {
        kn_trim_zeros_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.trim = detail::c_of(trim); return to_; }
};
struct pad_opts {
    KILN_OPTION((::kiln::text), mode, {}) /* "constant" */
    KILN_OPTION((::kiln::array), constant_values, {}) /* 0 */
    KILN_OPTION((::kiln::array), end_values, {}) /* 0 */
    KILN_OPTION((::kiln::array), stat_length, {}) /* the whole axis */
    KILN_OPTION((::kiln::text), reflect_type, {}) /* "even" */
    kn_pad_opts c() const {
        kn_pad_opts to_ = {}; to_.size_ = sizeof to_; to_.mode = detail::c_of(mode);
        to_.constant_values = detail::c_of(constant_values); to_.end_values = detail::c_of(end_values);
        to_.stat_length = detail::c_of(stat_length); to_.reflect_type = detail::c_of(reflect_type); return to_; }
};
struct unique_opts {
    KILN_OPTION((::kiln::axes), axis, {})
    KILN_OPTION((::kiln::array *), return_index, {})
    KILN_OPTION((::kiln::array *), return_inverse, {})
    KILN_OPTION((::kiln::array *), return_counts, {})
    KILN_OPTION((bool), equal_nan, true)
    KILN_OPTION((bool), sorted, true)
    kn_unique_opts c() const {
        kn_unique_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.equal_nan = detail::c_of(equal_nan); to_.sorted = detail::c_of(sorted); return to_; }
};
struct require_opts {
    KILN_OPTION((::kiln::dtype), dtype, {})
    KILN_OPTION((::kiln::text), requirements, {})
    kn_require_opts c() const {
        kn_require_opts to_ = {}; to_.size_ = sizeof to_; to_.dtype = detail::c_of(dtype);
        to_.requirements = detail::c_of(requirements); return to_; }
};
struct as_strided_opts {
    KILN_OPTION((bool), writeable, true)
    kn_as_strided_opts c() const {
        kn_as_strided_opts to_ = {}; to_.size_ = sizeof to_; to_.writeable = detail::c_of(writeable); return to_; }
};
struct sliding_window_view_opts {
    KILN_OPTION((::kiln::axes), axis, {}) /* which axes the windows slide along; all unless given */
    KILN_OPTION((bool), writeable, {})
    kn_sliding_window_view_opts c() const {
        kn_sliding_window_view_opts to_ = {}; to_.size_ = sizeof to_; to_.axis = detail::c_of(axis);
        to_.writeable = detail::c_of(writeable); return to_; }
};
struct resize_in_place_opts {
    KILN_OPTION((bool), refcheck, true) /* ValueError while other arrays show its memory */
    kn_resize_in_place_opts c() const {
        kn_resize_in_place_opts to_ = {}; to_.size_ = sizeof to_; to_.refcheck = detail::c_of(refcheck); return to_; }
};
struct byteswap_opts {
    KILN_OPTION((bool), inplace, {})
    kn_byteswap_opts c() const {
        kn_byteswap_opts to_ = {}; to_.size_ = sizeof to_; to_.inplace = detail::c_of(inplace); return to_; }
};
struct getfield_opts {
    KILN_OPTION((int64_t), offset, {})
    kn_getfield_opts c() const {
        kn_getfield_opts to_ = {}; to_.size_ = sizeof to_; to_.offset = detail::c_of(offset); return to_; }
};
struct isin_opts {
    KILN_OPTION((bool), assume_unique, {})
    KILN_OPTION((bool), invert, {})
    kn_isin_opts c() const {
        kn_isin_opts to_ = {}; to_.size_ = sizeof to_; to_.assume_unique = detail::c_of(assume_unique);
        to_.invert = detail::c_of(invert); return to_; }
};
struct intersect1d_opts {
    KILN_OPTION((bool), assume_unique, {})
    kn_array *return_indices[2] = {};
    kn_intersect1d_opts c() const {
        kn_intersect1d_opts to_ = {}; to_.size_ = sizeof to_; to_.assume_unique = detail::c_of(assume_unique);
        detail::put(to_.return_indices, return_indices); return to_; }
};
struct setdiff1d_opts {
    KILN_OPTION((bool), assume_unique, {})
    kn_setdiff1d_opts c() const {
        kn_setdiff1d_opts to_ = {}; to_.size_ = sizeof to_; to_.assume_unique = detail::c_of(assume_unique); return to_;
        }
};
/* np.reshape: the same elements in another shape, in C order unless .order says otherwise; one extent may be -1 */
inline array reshape(const ::kiln::operand &x, const ::kiln::shape &shape, const ::kiln::reshape_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_reshape_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_reshape(x_h, &shape, &opts_c))); }
/* np.ravel: the elements as a vector; a view of a contiguous x */
inline array ravel(const ::kiln::operand &x, const ::kiln::ravel_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_ravel_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_ravel(x_h, &opts_c))); }
using flatten_opts = ::kiln::ravel_opts;
/* x.flatten(): always a copy */
inline array flatten(const ::kiln::operand &x, const ::kiln::ravel_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_ravel_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_flatten(x_h, &opts_c))); }
/* np.transpose: reverses the axes unless they are given */
inline array transpose(const ::kiln::operand &x, const ::kiln::transpose_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_transpose_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_transpose(x_h, &opts_c))); }
using permute_dims_opts = ::kiln::transpose_opts;
/* kn_transpose */
inline array permute_dims(const ::kiln::operand &x, const ::kiln::transpose_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_transpose_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_permute_dims(x_h, &opts_c))); }
/* np.matrix_transpose: a view with the last two axes exchanged */
inline array matrix_transpose(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_matrix_transpose(x_h))); }
/* np.swapaxes: a view with two axes exchanged */
inline array swapaxes(const ::kiln::operand &x, int axis1, int axis2, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_swapaxes(x_h, axis1, axis2)));
    }
/* np.moveaxis: a view, in which the axes `source` are at `destination`; the other axes keep their order */
inline array moveaxis(const ::kiln::operand &x, const ::kiln::axes &source, const ::kiln::axes &destination, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_moveaxis(x_h, &source,
    &destination))); }
/* np.rollaxis: a view; the axis goes before axis `start` */
inline array rollaxis(const ::kiln::operand &x, int axis, const ::kiln::rollaxis_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_rollaxis_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_rollaxis(x_h, axis, &opts_c))); }
/* np.expand_dims: a view with new axes of extent 1; axes are those of the result */
inline array expand_dims(const ::kiln::operand &x, const ::kiln::axes &axis, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_expand_dims(x_h, &axis))); }
/* np.squeeze: a view without axes of extent 1: all of them unless some are given. ValueError for an axis of another
 * extent */
inline array squeeze(const ::kiln::operand &x, const ::kiln::squeeze_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_squeeze_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_squeeze(x_h, &opts_c))); }
/* np.atleast_1d: a number becomes a vector of one element */
inline array atleast_1d(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_atleast_1d(x_h))); }
/* np.atleast_2d: new axes in front */
inline array atleast_2d(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_atleast_2d(x_h))); }
/* np.atleast_3d: (n,) becomes (1, n, 1), (m, n) becomes (m, n, 1) */
inline array atleast_3d(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_atleast_3d(x_h))); }
/* np.broadcast_to: a read-only view of x in that shape, whose new or longer axes repeat it. ValueError where x does
 * not fit */
inline array broadcast_to(const ::kiln::operand &x, const ::kiln::shape &shape, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_broadcast_to(x_h, &shape))); }
/* np.broadcast_arrays: read-only views of the arrays in their common shape; ValueError if they do not fit */
inline std::vector<array> broadcast_arrays(const ::kiln::operands &list, place where = here())
{ detail::call c_(where); kn_list list_h = list.list(); c_.here(); return
    detail::arrays_of(c_.take(kn_broadcast_arrays(list_h))); }
/* np.broadcast_shapes: the shape that operands of these shapes have together; ndim -1 for an error */
inline ::kiln::shape broadcast_shapes(const std::vector<::kiln::shape> &shapes, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_broadcast_shapes(static_cast<int>(shapes.size()),
    shapes.data())); }
/* np.broadcast: the shape, size, ndim and number of arrays when broadcast, as facts; numiter -1 for an error. The
 * iterator is kn_broadcast_new */
inline kn_broadcast_result broadcast(const ::kiln::operands &list, place where = here())
{ detail::call c_(where); kn_list list_h = list.list(); c_.here(); return c_.value(kn_broadcast(list_h)); }
using flip_opts = ::kiln::squeeze_opts;
/* np.flip: a view: the elements the other way round along axes, all unless some are given */
inline array flip(const ::kiln::operand &x, const ::kiln::squeeze_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_squeeze_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_flip(x_h, &opts_c))); }
/* np.fliplr: kn_flip along the second axis */
inline array fliplr(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_fliplr(x_h))); }
/* np.flipud: kn_flip along the first axis */
inline array flipud(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_flipud(x_h))); }
/* np.rot90: a view, turned by .k quarter turns, from the first of the axes towards the second */
inline array rot90(const ::kiln::operand &x, const ::kiln::rot90_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_rot90_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_rot90(x_h, &opts_c))); }
using roll_opts = ::kiln::squeeze_opts;
/* np.roll: a copy, moved by shift positions; what leaves at one end comes in at the other; flattened unless axes are
 * given; looks at shift: one, or one an axis */
inline array roll(const ::kiln::operand &x, const ::kiln::operand &shift, const ::kiln::squeeze_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array shift_h = shift.c(); kn_squeeze_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_roll(x_h, shift_h, &opts_c))); }
/* x.view(dtype): the same bytes; another size: last axis */
inline array view(const ::kiln::operand &x, const ::kiln::dtype &dtype, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_view(x_h, dtype))); }
/* np.lib.stride_tricks.as_strided: a view of any shape and strides, in bytes; ValueError where they lead out of x's
 * memory */
inline array as_strided(const ::kiln::operand &x, const ::kiln::shape &shape, const ::kiln::shape &strides, const
    ::kiln::as_strided_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_as_strided_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_as_strided(x_h, &shape, &strides, &opts_c))); }
/* np.lib.stride_tricks.sliding_window_view: a view of all windows of that shape; their axes are the last ones of the
 * result. Read-only unless .writeable */
inline array sliding_window_view(const ::kiln::operand &x, const ::kiln::shape &window_shape, const
    ::kiln::sliding_window_view_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_sliding_window_view_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_sliding_window_view(x_h, &window_shape, &opts_c))); }
/* x.resize(shape): zeros behind its elements, or fewer of them; ValueError unless it has its data alone */
inline int resize_in_place(const ::kiln::operand &x, const ::kiln::shape &shape, const ::kiln::resize_in_place_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_resize_in_place_opts opts_c = opts.c(); c_.here(); return
    c_.value(kn_resize_in_place(x_h, &shape, &opts_c)); }
/* the bytes of each element the other way round */
inline array byteswap(const ::kiln::operand &x, const ::kiln::byteswap_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_byteswap_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_byteswap(x_h, &opts_c))); }
/* a view of a part of each element's bytes, from .offset on */
inline array getfield(const ::kiln::operand &x, const ::kiln::dtype &dtype, const ::kiln::getfield_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_getfield_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_getfield(x_h, dtype, &opts_c))); }
using setfield_opts = ::kiln::getfield_opts;
/* x.getfield(dtype, offset)[...] = v */
inline int setfield(const ::kiln::operand &x, const ::kiln::operand &v, const ::kiln::dtype &dtype, const
    ::kiln::getfield_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array v_h = v.c(); kn_getfield_opts opts_c = opts.c(); c_.here();
    return c_.value(kn_setfield(x_h, v_h, dtype, &opts_c)); }
/* value in x: is any element equal? */
inline bool contains(const ::kiln::operand &x, const ::kiln::operand &value, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array value_h = value.c(); c_.here(); return
    c_.value(kn_contains(x_h, value_h)); }
/* the number x as an index: TypeError unless it is an integer scalar */
inline int64_t as_index(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.value(kn_as_index(x_h)); }
/* np.require: the same array as .requirements and .dtype ask for it, a copy of x where it is not so; ValueError for
 * other letters */
inline array require(const ::kiln::operand &x, const ::kiln::require_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_require_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_require(x_h, &opts_c))); }
using asfortranarray_opts = ::kiln::zeros_opts;
/* np.asfortranarray: the same array with the first axis fastest in memory, a copy of x where it is not */
inline array asfortranarray(const ::kiln::operand &x, const ::kiln::zeros_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_zeros_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_asfortranarray(x_h, &opts_c))); }
/* np.concatenate: arrays one behind the other along axis 0, or another; KN_AXIS_NONE: flattened. ValueError unless
 * all other extents are equal */
inline array concatenate(const ::kiln::operands &list, const ::kiln::concatenate_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_list list_h = list.list(); kn_concatenate_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_concatenate(list_h, &opts_c))); }
using concat_opts = ::kiln::concatenate_opts;
/* kn_concatenate */
inline array concat(const ::kiln::operands &list, const ::kiln::concatenate_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_list list_h = list.list(); kn_concatenate_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_concat(list_h, &opts_c))); }
using stack_opts = ::kiln::concatenate_opts;
/* np.stack: arrays of one shape side by side, along a new axis: 0, or another */
inline array stack(const ::kiln::operands &list, const ::kiln::concatenate_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_list list_h = list.list(); kn_concatenate_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_stack(list_h, &opts_c))); }
/* np.vstack: along the first axis; vectors are rows */
inline array vstack(const ::kiln::operands &list, const ::kiln::vstack_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_list list_h = list.list(); kn_vstack_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_vstack(list_h, &opts_c))); }
using hstack_opts = ::kiln::vstack_opts;
/* np.hstack: along the second axis, or the only one of vectors */
inline array hstack(const ::kiln::operands &list, const ::kiln::vstack_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_list list_h = list.list(); kn_vstack_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_hstack(list_h, &opts_c))); }
/* np.dstack: along the third axis */
inline array dstack(const ::kiln::operands &list, place where = here())
{ detail::call c_(where); kn_list list_h = list.list(); c_.here(); return array::share(c_.take(kn_dstack(list_h))); }
/* np.column_stack: vectors as columns */
inline array column_stack(const ::kiln::operands &list, place where = here())
{ detail::call c_(where); kn_list list_h = list.list(); c_.here(); return
    array::share(c_.take(kn_column_stack(list_h))); }
/* np.block: one list is joined along the last axis; several are the rows of a matrix of blocks */
inline array block(const std::vector<::kiln::operands> &rows, place where = here())
{ detail::call c_(where); std::vector<kn_list> rows_v = detail::all_of<kn_list>(rows); c_.here(); return
    array::share(c_.take(kn_block(static_cast<int>(rows.size()), rows_v.data()))); }
using array_split_opts = ::kiln::split_opts;
/* np.array_split: the parts along axis 0, or another. indices_or_sections, which is looked at: a number of parts, or
 * the positions of the cuts */
inline std::vector<array> array_split(const ::kiln::operand &x, const ::kiln::operand &indices_or_sections, const
    ::kiln::split_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array indices_or_sections_h = indices_or_sections.c(); kn_split_opts
    opts_c = opts.c(); c_.here(); return detail::arrays_of(c_.take(kn_array_split(x_h, indices_or_sections_h,
    &opts_c))); }
/* np.split: as kn_array_split. ValueError if the parts are unequal */
inline std::vector<array> split(const ::kiln::operand &x, const ::kiln::operand &indices_or_sections, const
    ::kiln::split_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array indices_or_sections_h = indices_or_sections.c(); kn_split_opts
    opts_c = opts.c(); c_.here(); return detail::arrays_of(c_.take(kn_split(x_h, indices_or_sections_h, &opts_c))); }
/* np.hsplit: kn_split along the second axis, or the only one */
inline std::vector<array> hsplit(const ::kiln::operand &x, const ::kiln::operand &indices_or_sections, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array indices_or_sections_h = indices_or_sections.c(); c_.here();
    return detail::arrays_of(c_.take(kn_hsplit(x_h, indices_or_sections_h))); }
/* np.vsplit: kn_split along the first axis of two or more */
inline std::vector<array> vsplit(const ::kiln::operand &x, const ::kiln::operand &indices_or_sections, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array indices_or_sections_h = indices_or_sections.c(); c_.here();
    return detail::arrays_of(c_.take(kn_vsplit(x_h, indices_or_sections_h))); }
/* np.dsplit: kn_split along the third axis */
inline std::vector<array> dsplit(const ::kiln::operand &x, const ::kiln::operand &indices_or_sections, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array indices_or_sections_h = indices_or_sections.c(); c_.here();
    return detail::arrays_of(c_.take(kn_dsplit(x_h, indices_or_sections_h))); }
using unstack_opts = ::kiln::split_opts;
/* np.unstack: the parts x[0], x[1], ... along axis 0, or another, without that axis */
inline std::vector<array> unstack(const ::kiln::operand &x, const ::kiln::split_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_split_opts opts_c = opts.c(); c_.here(); return
    detail::arrays_of(c_.take(kn_unstack(x_h, &opts_c))); }
/* np.tile: the array x again and again: reps[i] times along axis i */
inline array tile(const ::kiln::operand &x, const ::kiln::shape &reps, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_tile(x_h, &reps))); }
using repeat_opts = ::kiln::squeeze_opts;
/* np.repeat: each element so many times; flattened unless an axis is given; looks at repeats: one or many */
inline array repeat(const ::kiln::operand &x, const ::kiln::operand &repeats, const ::kiln::squeeze_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array repeats_h = repeats.c(); kn_squeeze_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_repeat(x_h, repeats_h, &opts_c))); }
using append_opts = ::kiln::squeeze_opts;
/* np.append: the array x with values behind it; both flattened unless an axis is given */
inline array append(const ::kiln::operand &x, const ::kiln::operand &values, const ::kiln::squeeze_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array values_h = values.c(); kn_squeeze_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_append(x_h, values_h, &opts_c))); }
using delete_opts = ::kiln::squeeze_opts;
/* np.delete: the array x without what stands at these positions. IndexError if out of bounds; flattened unless an
 * axis is given */
inline array delete_(const ::kiln::operand &x, const ::kiln::operand &obj, const ::kiln::squeeze_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array obj_h = obj.c(); kn_squeeze_opts opts_c = opts.c(); c_.here();
    return array::share(c_.take(kn_delete(x_h, obj_h, &opts_c))); }
using insert_opts = ::kiln::squeeze_opts;
/* np.insert: the array x with values put in before these positions of it; flattened unless an axis is given */
inline array insert(const ::kiln::operand &x, const ::kiln::operand &obj, const ::kiln::operand &values, const
    ::kiln::squeeze_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array obj_h = obj.c(); kn_array values_h = values.c();
    kn_squeeze_opts opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_insert(x_h, obj_h, values_h,
    &opts_c))); }
/* np.resize: the elements of x again and again, until the shape is full; kn_resize_in_place fills with zeros */
inline array resize(const ::kiln::operand &x, const ::kiln::shape &new_shape, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_resize(x_h, &new_shape))); }
/* np.trim_zeros: a view without the zeros at the ends; looks at x */
inline array trim_zeros(const ::kiln::operand &x, const ::kiln::trim_zeros_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_trim_zeros_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_trim_zeros(x_h, &opts_c))); }
/* np.pad: the array x with so many elements around it: pad_width, which is looked at, is n, {before, after} or one
 * such pair an axis. Modes: constant, edge, linear_ramp, maximum, mean, median, minimum, reflect, symmetric, wrap,
 * empty (zeros here) */
inline array pad(const ::kiln::operand &x, const ::kiln::operand &pad_width, const ::kiln::pad_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_array pad_width_h = pad_width.c(); kn_pad_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_pad(x_h, pad_width_h, &opts_c))); }
/* np.unique: each element once, ascending; of the flattened x unless an axis is given */
inline array unique(const ::kiln::operand &x, const ::kiln::unique_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_unique_opts opts_c = opts.c(); detail::out_array
    return_index_o(opts.return_index); opts_c.return_index = return_index_o.c(); detail::out_array
    return_inverse_o(opts.return_inverse); opts_c.return_inverse = return_inverse_o.c(); detail::out_array
    return_counts_o(opts.return_counts); opts_c.return_counts = return_counts_o.c(); c_.here(); return
    array::share(c_.take(kn_unique(x_h, &opts_c))); }
struct unique_all_result { array values; array indices; array inverse_indices; array counts; };
/* np.unique_all and its kin: of the flattened x; each NaN is another value */
inline ::kiln::unique_all_result unique_all(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); kn_unique_all_result r_ = c_.value(kn_unique_all(x_h));
    return ::kiln::unique_all_result{array::share(r_.values), array::share(r_.indices),
    array::share(r_.inverse_indices), array::share(r_.counts)}; }
struct unique_counts_result { array values; array counts; };
/* np.unique_counts: values and how often each is there; each NaN is another value */
inline ::kiln::unique_counts_result unique_counts(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); kn_unique_counts_result r_ = c_.value(kn_unique_counts(x_h));
    return ::kiln::unique_counts_result{array::share(r_.values), array::share(r_.counts)}; }
struct unique_inverse_result { array values; array inverse_indices; };
/* np.unique_inverse: values[inverse_indices] is x */
inline ::kiln::unique_inverse_result unique_inverse(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); kn_unique_inverse_result
    r_ = c_.value(kn_unique_inverse(x_h)); return ::kiln::unique_inverse_result{array::share(r_.values),
    array::share(r_.inverse_indices)}; }
/* np.unique_values: each element once, ascending here */
inline array unique_values(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_unique_values(x_h))); }
/* np.isin: for each element, is it among the others? */
inline array isin(const ::kiln::operand &element, const ::kiln::operand &test_elements, const ::kiln::isin_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array element_h = element.c(); kn_array test_elements_h = test_elements.c(); kn_isin_opts
    opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_isin(element_h, test_elements_h, &opts_c))); }
/* np.union1d: what is in one of them, ascending */
inline array union1d(const ::kiln::operand &ar1, const ::kiln::operand &ar2, place where = here())
{ detail::call c_(where); kn_array ar1_h = ar1.c(); kn_array ar2_h = ar2.c(); c_.here(); return
    array::share(c_.take(kn_union1d(ar1_h, ar2_h))); }
/* np.intersect1d: what is in both, ascending */
inline array intersect1d(const ::kiln::operand &ar1, const ::kiln::operand &ar2, const ::kiln::intersect1d_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_array ar1_h = ar1.c(); kn_array ar2_h = ar2.c(); kn_intersect1d_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_intersect1d(ar1_h, ar2_h, &opts_c))); }
/* np.setdiff1d: what is in ar1 and not in ar2, ascending */
inline array setdiff1d(const ::kiln::operand &ar1, const ::kiln::operand &ar2, const ::kiln::setdiff1d_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array ar1_h = ar1.c(); kn_array ar2_h = ar2.c(); kn_setdiff1d_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_setdiff1d(ar1_h, ar2_h, &opts_c))); }
using setxor1d_opts = ::kiln::setdiff1d_opts;
/* np.setxor1d: what is in just one of them, ascending */
inline array setxor1d(const ::kiln::operand &ar1, const ::kiln::operand &ar2, const ::kiln::setdiff1d_opts &opts = {},
    place where = here())
{ detail::call c_(where); kn_array ar1_h = ar1.c(); kn_array ar2_h = ar2.c(); kn_setdiff1d_opts opts_c = opts.c();
    c_.here(); return array::share(c_.take(kn_setxor1d(ar1_h, ar2_h, &opts_c))); }
} // namespace kiln
#endif
