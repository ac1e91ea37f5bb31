/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/memory.hpp -- the functions of kiln/memory.h in C++. */
/* Made by scripts/make-api.py from api/memory.api. */
/* clang-format off */
#ifndef KILN_CPP_MEMORY_HPP
#define KILN_CPP_MEMORY_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
/* the address of x's elements, for writing (np.ndarray.data), which stays for as long as x lives; whatever shared
 * them before keeps the old ones. TypeError for another dtype (NULL: any), ValueError if x is not C-contiguous or
 * read-only, MutationError for a caller's array under a transformation */
inline void *data_mut_bytes(const ::kiln::operand &x, const ::kiln::dtype &dtype, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.value(kn_data_mut_bytes(x_h, dtype)); }
/* x[...] = the C-contiguous elements at `from`, of x's dtype: copies them; 0 or -1 with an error if `bytes` is not
 * x's size */
inline int copy_from(const ::kiln::operand &x, const void *from, size_t bytes, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.value(kn_copy_from(x_h, from, bytes)); }
struct wrap_opts {
    void (*release)(void *data, void *env) = {};
    KILN_OPTION((void *), env, {})
    KILN_OPTION((bool), readonly, {})
    kn_wrap_opts c() const {
        kn_wrap_opts to_ = {}; to_.size_ = sizeof to_; to_.release = release; to_.env = detail::c_of(env);
        to_.readonly = detail::c_of(readonly); return to_; }
};
/* the user's memory as an array, without a copy: C-contiguous, aligned as dtype wants it */
inline array wrap(void *data, const ::kiln::shape &shape, const ::kiln::dtype &dtype, const ::kiln::wrap_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_wrap_opts opts_c = opts.c(); c_.here(); return array::share(c_.take(kn_wrap(data, &shape,
    dtype, &opts_c))); }
/* The memory of x may be changed by others from now on until x (or a view of it) is used next. What was recorded
 * before runs first; what shares the elements, as a copy, keeps the old ones. 0 or -1 with an error */
inline int touch(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.value(kn_touch(x_h)); }
/* From now on operations of this context that read or write memory that others see (kn_data, kn_wrap, DLPack) run
 * when they are called, and results have memory of their own: for those who cannot tell when others write
 * (kn_touch), as bindings cannot. An error is told at each use of an array that carries it, also once it was
 * cleared, as exceptions clear it. Returns the old setting. */
inline bool run_shared_at_once(bool on, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_run_shared_at_once(on)); }
/* exports x as a DLPack tensor, which shares its memory and keeps it alive until the deleter is called, which may be
 * done in any thread and after kn_shutdown. Strides are exported as they are, read-only arrays with their flag. The
 * consumer's writes count as after kn_touch(x). NULL for an error */
inline struct DLManagedTensorVersioned *to_dlpack(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.value(kn_to_dlpack(x_h)); }
/* exports x as kn_to_dlpack does, in the form before DLPack 1.0; ValueError for read-only arrays, which it cannot
 * express */
inline struct DLManagedTensor *to_dlpack_unversioned(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.value(kn_to_dlpack_unversioned(x_h)); }
struct from_dlpack_opts {
    KILN_OPTION((int), copy, {})
    kn_from_dlpack_opts c() const {
        kn_from_dlpack_opts to_ = {}; to_.size_ = sizeof to_; to_.copy = detail::c_of(copy); return to_; }
};
/* np.from_dlpack: an array of a DLPack tensor's memory, without a copy where that is possible; takes the tensor
 * over, also if there is an error. Only memory of the CPU. In C kn_from_dlpack takes both kinds */
inline array from_dlpack(struct DLManagedTensorVersioned *tensor, const ::kiln::from_dlpack_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_from_dlpack_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_from_dlpack(tensor, &opts_c))); }
using from_dlpack_unversioned_opts = ::kiln::from_dlpack_opts;
/* kn_from_dlpack of tensors without a version, those before DLPack 1.0 */
inline array from_dlpack_unversioned(struct DLManagedTensor *tensor, const ::kiln::from_dlpack_opts &opts = {}, place
    where = here())
{ detail::call c_(where); kn_from_dlpack_opts opts_c = opts.c(); c_.here(); return
    array::share(c_.take(kn_from_dlpack_unversioned(tensor, &opts_c))); }
/* the strides of x (x.strides): so many bytes from one element to the next along each axis; ndim -1 for an error */
inline kn_strides strides_of(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.value(kn_strides_of(x_h)); }
/* how x lies in memory and whether it may be written (x.flags); all false for an error */
inline kn_flags flags_of(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.value(kn_flags_of(x_h)); }
/* the array whose memory x is a view of (x.base): another handle of it, as it is now; NULL (KN_NONE) where x has
 * memory of its own or is the user's, and for an error */
inline array base(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_base(x_h))); }
struct setflags_opts {
    KILN_OPTION((int), write, -1)
    KILN_OPTION((int), align, -1)
    KILN_OPTION((int), uic, -1)
    kn_setflags_opts c() const {
        kn_setflags_opts to_ = {}; to_.size_ = sizeof to_; to_.write = detail::c_of(write);
        to_.align = detail::c_of(align); to_.uic = detail::c_of(uic); return to_; }
};
/* forbids or allows writes to x (x.setflags(write=..., align=..., uic=...)): write 0: writes to x are a ValueError
 * from now on, also through views of it that are made later; 1: they are allowed again. ValueError where the memory
 * is read-only, x is a view of an array that was made read-only, or has elements that are repeated; TypeError for a
 * C number. align 0 only makes the flag say so; uic 1 is a ValueError. Returns 0, or -1 for an error. */
inline int setflags(const ::kiln::operand &x, const ::kiln::setflags_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); kn_setflags_opts opts_c = opts.c(); c_.here(); return
    c_.value(kn_setflags(x_h, &opts_c)); }
/* np.shares_memory: is there a byte that belongs to an element of both? Exact, except for arrays of many odd strides
 * where the answer would take too long: then that of kn_may_share_memory */
inline bool shares_memory(const ::kiln::operand &a, const ::kiln::operand &b, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array b_h = b.c(); c_.here(); return c_.value(kn_shares_memory(a_h,
    b_h)); }
/* np.may_share_memory: could an element of both lie in the same place? Looks at first and last bytes only, so true
 * may be wrong */
inline bool may_share_memory(const ::kiln::operand &a, const ::kiln::operand &b, place where = here())
{ detail::call c_(where); kn_array a_h = a.c(); kn_array b_h = b.c(); c_.here(); return
    c_.value(kn_may_share_memory(a_h, b_h)); }
} // namespace kiln
#endif
