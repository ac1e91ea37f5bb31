/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/device.hpp -- the functions of kiln/device.h in C++. */
/* Made by scripts/make-api.py from api/device.api. */
/* clang-format off */
#ifndef KILN_CPP_DEVICE_HPP
#define KILN_CPP_DEVICE_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
/* jax.devices: the devices, the host first: puts at most n of them at `out` and returns how many there are. Engines
 * that bring devices are loaded */
inline int devices(const ::kiln::text &kind, int n, kn_device *out, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_devices(kind.c(), n, out)); }
/* the device of this name ("webgpu:0"), or the first of a kind ("webgpu"); NULL and a ValueError that says which
 * there are */
inline kn_device find_device(const ::kiln::text &name, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_find_device(name.c())); }
/* "host", "webgpu:0" */
inline std::string device_name(kn_device device, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_device_name(device)); }
/* its name without the number: "webgpu" */
inline std::string device_kind(kn_device device, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_device_kind(device)); }
/* its limits and features: 0; -1 and a TypeError */
inline int device_get_info(kn_device device, kn_device_info *out, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_device_get_info(device, out)); }
/* whether its kernels compute with the dtype; what they cannot runs on the host, and copies go there and back */
inline bool device_has_dtype(kn_device device, const ::kiln::dtype &dtype, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_device_has_dtype(device, dtype)); }
/* what is known of it, some lines for people: name, description, memory, limits, dtypes, features */
inline std::string device_text(kn_device device, place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_device_text(device)); }
/* jax.device_put: x on the device, committed to it; copied only if it is not there. A traced array can be put on the
 * default device alone, and stays as it is: a recorded function runs on one device, that of its arguments */
inline array device_put(const ::kiln::operand &x, kn_device device, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_device_put(x_h, device))); }
/* jax.device_get: x on the host, not committed */
inline array device_get(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return array::share(c_.take(kn_device_get(x_h))); }
/* where x is, or will be computed; NULL and an error for what is no array. Traced arrays are nowhere: the default
 * device */
inline kn_device device_of(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.value(kn_device_of(x_h)); }
/* whether operations with x have to run where it is */
inline bool is_committed(const ::kiln::operand &x, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.value(kn_is_committed(x_h)); }
/* Where the elements of x lie on its device, for programs that go on with them there, such as a pipeline that draws
 * them: nothing is read back. Runs what x waits for and submits it. The memory is Kiln's: it is to be read only, and
 * is these elements as long as x lives and nothing is written to it. Set size_ before. -1 and a ValueError where x
 * is on the host, or its memory is seen on the host as well (kn_data, kn_wrap) */
inline int device_get_handle(const ::kiln::operand &x, kn_device_handle *out, place where = here())
{ detail::call c_(where); kn_array x_h = x.c(); c_.here(); return c_.value(kn_device_get_handle(x_h, out)); }
namespace tree {
/* a tree like this one of all its arrays, put on the device */
inline pytree device_put(const ::kiln::pytree &tree, kn_device device, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_tree_device_put(tree.c(), device))); }
/* a tree like this one of all its arrays on the host */
inline pytree device_get(const ::kiln::pytree &tree, place where = here())
{ detail::call c_(where); c_.here(); return pytree(c_.take(kn_tree_device_get(tree.c()))); }
} // namespace tree
/* where operations of this context run that have no committed operand */
inline kn_device default_device(place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_default_device()); }
/* What has no committed operand runs there from now on, in this context: for one call, or for a block by
 * KN_ON_DEVICE(device). What was recorded before runs where it was recorded. NULL: where the process says
 * (KILN_DEVICE), or the host. Returns what was set before (also after an error, which changes nothing); NULL:
 * nothing was */
inline kn_device set_default_device(kn_device device, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_set_default_device(device)); }
/* what KN_ON_DEVICE does at the end of its block */
inline void device_leave(kn_device *before, place where = here())
{ detail::call c_(where); c_.here(); kn_device_leave(before); detail::check(); }
} // namespace kiln
#endif
