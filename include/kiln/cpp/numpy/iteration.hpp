/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/numpy/iteration.hpp -- the functions of kiln/numpy/iteration.h in C++. */
/* Made by scripts/make-api.py from api/numpy/iteration.api. */
/* clang-format off */
#ifndef KILN_CPP_NUMPY_ITERATION_HPP
#define KILN_CPP_NUMPY_ITERATION_HPP
#include "kiln/cpp/options.hpp"
#include "kiln/cpp/numpy/creation.hpp"
#include "kiln/cpp/numpy/ufunc.hpp"
#include "kiln/cpp/print.hpp"

namespace kiln {
namespace nditer {
struct opts {
    KILN_OPTION((::kiln::text), flags, {})
    const char *op_flags[KN_MAX_OPERANDS] = {};
    kn_dtype op_dtypes[KN_MAX_OPERANDS] = {};
    KILN_OPTION((::kiln::text), order, {}) /* "K" */
    KILN_OPTION((::kiln::text), casting, {}) /* "safe" */
    kn_axes op_axes[KN_MAX_OPERANDS] = {};
    KILN_OPTION((::kiln::optional_shape), itershape, {}) /* -1: as the operands say */
    KILN_OPTION((int64_t), buffersize, {}) /* elements; 0: 8192 */
    kn_nditer_opts c() const {
        kn_nditer_opts to_ = {}; to_.size_ = sizeof to_; to_.flags = detail::c_of(flags); detail::put(to_.op_flags,
        op_flags); detail::put(to_.op_dtypes, op_dtypes); to_.order = detail::c_of(order);
        to_.casting = detail::c_of(casting); detail::put(to_.op_axes, op_axes); to_.itershape = detail::c_of(itershape);
        to_.buffersize = detail::c_of(buffersize); return to_; }
};
} // namespace nditer
namespace arrayterator {
struct opts {
    KILN_OPTION((int64_t), buf_size, {}) /* elements of a block at most; 0: all */
    kn_arrayterator_opts c() const {
        kn_arrayterator_opts to_ = {}; to_.size_ = sizeof to_; to_.buf_size = detail::c_of(buf_size); return to_; }
};
} // namespace arrayterator
/* np.ndindex: the next position in C order: while (kn_ndindex(shape, &index)) with index.ndim = -1 at first; false
 * behind the last one */
inline bool ndindex(const ::kiln::shape &shape, kn_shape *index, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_ndindex(&shape, index)); }
/* an axis counted from the start; -1 and an AxisError if there is none */
inline int normalize_axis_index(int axis, int ndim, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_normalize_axis_index(axis, ndim)); }
/* axes counted from the start; ValueError for an axis that comes twice */
inline ::kiln::axes normalize_axis_tuple(const ::kiln::axes &axis, int ndim, const ::kiln::text &argname, bool
    allow_duplicate, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_normalize_axis_tuple(&axis, ndim, argname.c(),
    allow_duplicate)); }
/* the first byte of the array, and the one behind its last one; both NULL for an error */
inline kn_byte_bounds_result byte_bounds(const ::kiln::operand &a, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); c_.here(); return c_.value(kn_byte_bounds(a_h)); }
/* x.tolist() of elements of that dtype, to which x may be cast by 'same_kind': for a vector (and a scalar) the
 * elements; for a matrix pointers to its rows, and so on: in C double **rows = kn_tolist(m, double). One block, of
 * the scope; NULL for an error */
inline void *tolist_bytes(const ::kiln::operand &x, const ::kiln::dtype &dtype, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.value(kn_tolist_bytes(x_h, dtype)); }
/* x.flat: an iterator over the elements of x */
inline handle<kn_flatiter> flat(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return handle<kn_flatiter>(c_.take(kn_flat(x_h))); }
namespace flatiter {
/* next(x.flat): the address of an element, and on to the next; NULL at the end. In C kn_flatiter_next(it, float) */
inline const void *next_bytes(const ::kiln::handle<kn_flatiter> &it, const ::kiln::dtype &dtype, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_flatiter_next_bytes(it.c(), dtype)); }
} // namespace flatiter
/* the address of an element and its position, and on to the next; NULL at the end. In C kn_ndenumerate(it, &index,
 * float) */
inline const void *ndenumerate_bytes(const ::kiln::handle<kn_flatiter> &it, kn_shape *index, const ::kiln::dtype &dtype,
    place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_ndenumerate_bytes(it.c(), index, dtype)); }
namespace flatiter {
/* the array that it goes over */
inline array base(const ::kiln::handle<kn_flatiter> &it, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_flatiter_base(it.c()))); }
/* the index, in the flattened array, of the element that comes next */
inline int64_t index(const ::kiln::handle<kn_flatiter> &it, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_flatiter_index(it.c())); }
/* the position of the element that comes next */
inline ::kiln::shape coords(const ::kiln::handle<kn_flatiter> &it, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_flatiter_coords(it.c())); }
/* all elements, as a vector of its own */
inline array copy(const ::kiln::handle<kn_flatiter> &it, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_flatiter_copy(it.c()))); }
/* x.flat[index], an array of its own; index as in kn_at: an integer, a slice, an array of integers or a mask */
inline array at(const ::kiln::handle<kn_flatiter> &it, const ::kiln::text &index, int n, const kn_index_arg *args, place
    where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_flatiter_at(it.c(), index.c(), n, args))); }
/* x.flat[index] = v, v again and again; 0 or -1 */
inline int set_at(const ::kiln::handle<kn_flatiter> &it, const ::kiln::operand &v, const ::kiln::text &index, int n,
    const kn_index_arg *args, place where = here())
{ detail::call c_(where); kn_array v_h = v.c(); c_.here(); return c_.value(kn_flatiter_set_at(it.c(), v_h, index.c(), n,
    args)); }
} // namespace flatiter
/* np.broadcast as an iterator; kn_broadcast has its shape, size, ndim and numiter */
inline handle<kn_broadcast_iter> broadcast_new(const ::kiln::operands &list, place where = here())
{ detail::call c_(where); kn_list list_h = list.list(); c_.here(); return
    handle<kn_broadcast_iter>(c_.take(kn_broadcast_new(list_h))); }
/* the addresses of an element of each operand, and on to the next ones; NULL at the end */
inline const void *const *broadcast_next(const ::kiln::handle<kn_broadcast_iter> &it, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_broadcast_next(it.c())); }
/* the index of the elements that come next, in C order */
inline int64_t broadcast_index(const ::kiln::handle<kn_broadcast_iter> &it, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_broadcast_index(it.c())); }
/* the flat iterator of an operand, with the position that it has now */
inline handle<kn_flatiter> broadcast_iters(const ::kiln::handle<kn_broadcast_iter> &it, int i, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_flatiter>(c_.take(kn_broadcast_iters(it.c(), i))); }
/* back to the first elements; 0 or -1 */
inline int broadcast_reset(const ::kiln::handle<kn_broadcast_iter> &it, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_broadcast_reset(it.c())); }
namespace nditer {
using new_opts = ::kiln::nditer::opts;
/* np.nditer: an iterator over the operands together; an operand KN_NONE is allocated. ValueError, TypeError */
inline handle<kn_nditer> new_(const ::kiln::operands &op, const ::kiln::nditer::opts &opts = {}, place where = here())
{ detail::call c_(where); std::vector<kn_array> op_v = op.handles(); kn_nditer_opts opts_c = opts.c(); c_.here(); return
    handle<kn_nditer>(c_.take(kn_nditer_new(static_cast<int>(op.size()), op_v.data(), &opts_c))); }
/* on to the next element, or with external_loop the next elements; false at the end */
inline bool iternext(const ::kiln::handle<kn_nditer> &it, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_nditer_iternext(it.c())); }
/* is it behind the last element? true for an error */
inline bool finished(const ::kiln::handle<kn_nditer> &it, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_nditer_finished(it.c())); }
/* where an operand's element is now, or a buffered copy of it; NULL at the end. In C kn_nditer_data(it, 0, float) */
inline void *data_bytes(const ::kiln::handle<kn_nditer> &it, int op, const ::kiln::dtype &dtype, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_nditer_data_bytes(it.c(), op, dtype)); }
/* with external_loop: how many elements there are from there; 1 without */
inline int64_t inner_size(const ::kiln::handle<kn_nditer> &it, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_nditer_inner_size(it.c())); }
/* with external_loop: the bytes from one to the next; 0 without */
inline int64_t stride(const ::kiln::handle<kn_nditer> &it, int op, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_nditer_stride(it.c(), op)); }
/* it[op]: a copy of the element, or of the vector of elements */
inline array value(const ::kiln::handle<kn_nditer> &it, int op, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_nditer_value(it.c(), op))); }
/* back to the first element; 0 or -1 */
inline int reset(const ::kiln::handle<kn_nditer> &it, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_nditer_reset(it.c())); }
/* writes back what buffers and copies hold, and ends it; 0 or -1 */
inline int close(const ::kiln::handle<kn_nditer> &it, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_nditer_close(it.c())); }
/* another one at the same place */
inline handle<kn_nditer> copy(const ::kiln::handle<kn_nditer> &it, place where = here())
{ detail::call c_(where); c_.here(); return handle<kn_nditer>(c_.take(kn_nditer_copy(it.c()))); }
/* takes an axis out: it stays at position 0 of it, and the caller goes along it; 0 or -1 */
inline int remove_axis(const ::kiln::handle<kn_nditer> &it, int axis, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_nditer_remove_axis(it.c(), axis)); }
/* axes become one where that is possible; 0 or -1 */
inline int remove_multi_index(const ::kiln::handle<kn_nditer> &it, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_nditer_remove_multi_index(it.c())); }
/* as if "external_loop" had been among the flags; 0 or -1 */
inline int enable_external_loop(const ::kiln::handle<kn_nditer> &it, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_nditer_enable_external_loop(it.c())); }
/* how many axes it has, after those that could be joined were */
inline int ndim(const ::kiln::handle<kn_nditer> &it, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_nditer_ndim(it.c())); }
/* how many operands it has */
inline int nop(const ::kiln::handle<kn_nditer> &it, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_nditer_nop(it.c())); }
/* the shape of the operands when broadcast; with "multi_index" in the order of its axes */
inline ::kiln::shape shape(const ::kiln::handle<kn_nditer> &it, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_nditer_shape(it.c())); }
/* how many elements it goes over */
inline int64_t itersize(const ::kiln::handle<kn_nditer> &it, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_nditer_itersize(it.c())); }
/* how many elements came before, in the order of the iteration */
inline int64_t iterindex(const ::kiln::handle<kn_nditer> &it, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_nditer_iterindex(it.c())); }
/* it.iterindex = iterindex; 0 or -1 */
inline int set_iterindex(const ::kiln::handle<kn_nditer> &it, int64_t iterindex, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_nditer_set_iterindex(it.c(), iterindex)); }
/* in C's or Fortran's order, as "c_index" and "f_index" say */
inline int64_t index(const ::kiln::handle<kn_nditer> &it, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_nditer_index(it.c())); }
/* it.index = index; 0 or -1 */
inline int set_index(const ::kiln::handle<kn_nditer> &it, int64_t index, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_nditer_set_index(it.c(), index)); }
/* the position along each axis; "multi_index" is among the flags */
inline ::kiln::shape multi_index(const ::kiln::handle<kn_nditer> &it, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_nditer_multi_index(it.c())); }
/* it.multi_index = index; 0 or -1 */
inline int set_multi_index(const ::kiln::handle<kn_nditer> &it, const ::kiln::shape &index, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_nditer_set_multi_index(it.c(), &index)); }
/* from where to where it goes, as iterindex counts */
inline kn_nditer_range iterrange(const ::kiln::handle<kn_nditer> &it, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_nditer_iterrange(it.c())); }
/* it.iterrange = start, end; 0 or -1; "ranged" is among the flags */
inline int set_iterrange(const ::kiln::handle<kn_nditer> &it, int64_t start, int64_t end, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_nditer_set_iterrange(it.c(), start, end)); }
/* was "c_index" or "f_index" among the flags? */
inline bool has_index(const ::kiln::handle<kn_nditer> &it, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_nditer_has_index(it.c())); }
/* was "multi_index" among the flags, and was it not removed? */
inline bool has_multi_index(const ::kiln::handle<kn_nditer> &it, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_nditer_has_multi_index(it.c())); }
/* was "delay_bufalloc" among the flags, and was it not reset yet? */
inline bool has_delayed_bufalloc(const ::kiln::handle<kn_nditer> &it, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_nditer_has_delayed_bufalloc(it.c())); }
/* as which dtype an operand is seen */
inline ::kiln::dtype dtypes(const ::kiln::handle<kn_nditer> &it, int op, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_nditer_dtypes(it.c(), op)); }
/* the array that was given, or the one that was allocated or copied for it */
inline array operands(const ::kiln::handle<kn_nditer> &it, int op, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_nditer_operands(it.c(), op))); }
/* a view of it with the iterator's axes */
inline array itviews(const ::kiln::handle<kn_nditer> &it, int op, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_nditer_itviews(it.c(), op))); }
} // namespace nditer
namespace arrayterator {
using new_opts = ::kiln::arrayterator::opts;
/* np.lib.Arrayterator: blocks of x, one after the other, for arrays that are too large to be worked on as one */
inline handle<kn_arrayterator> new_(const ::kiln::operand &x, const ::kiln::arrayterator::opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_arrayterator_opts opts_c = opts.c(); c_.here(); return
    handle<kn_arrayterator>(c_.take(kn_arrayterator_new(x_h, &opts_c))); }
/* a view of the next block, in C order; NULL at the end */
inline array next(const ::kiln::handle<kn_arrayterator> &it, place where = here())
{ detail::call c_(where); c_.here(); return array::share(c_.take(kn_arrayterator_next(it.c()))); }
} // namespace arrayterator
} // namespace kiln
#endif
