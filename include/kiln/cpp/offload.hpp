/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/offload.hpp -- the functions of kiln/offload.h in C++. */
/* Made by scripts/make-api.py from api/offload.api. */
/* clang-format off */
#ifndef KILN_CPP_OFFLOAD_HPP
#define KILN_CPP_OFFLOAD_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
/* what the device of this name has done since the process began, or since kn_device_forget_counts: 0 (set size_ of
 * *out first); -1 and a ValueError if there is no such device. The host's memory is in kn_cache_stats */
inline int device_count(const ::kiln::text &device, kn_device_counts *out, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_device_count(device.c(), out)); }
/* the counters of the device begin at zero again, but for the memory that is live: 0; -1 and a ValueError if there
 * is no such device */
inline int device_forget_counts(const ::kiln::text &device, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_device_forget_counts(device.c())); }
/* the last decisions (512 are kept), the oldest first: puts the newest n of them at `out` and returns how many there
 * are */
inline int offload_decisions(int n, kn_offload_decision *out, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_offload_decisions(n, out)); }
/* the last decisions as a text: for each program what its run and the copies in it take, and for each step where it
 * runs and why. It lives as long as arrays of this scope do */
inline std::string offload_report(place where = here())
{ detail::call c_(where); c_.here(); return c_.text(kn_offload_report()); }
/* forgets the decisions that are kept for the report; what runs where stays as it is */
inline void offload_forget(place where = here())
{ detail::call c_(where); c_.here(); kn_offload_forget(); detail::check(); }
/* the costs of a device, measured if they are not known yet: 0 (set size_ of *out first); -1 and a ValueError if
 * there is no such device */
inline int offload_get_costs(const ::kiln::text &device, kn_offload_costs *out, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_offload_get_costs(device.c(), out)); }
/* what is taken for the costs of the device of this name, in this process; programs that ran already stay where they
 * are. 0; -1 and a ValueError if a rate is not above 0, or there are costs of 64 devices already */
inline int offload_set_costs(const ::kiln::text &device, const kn_offload_costs &costs, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_offload_set_costs(device.c(), &costs)); }
} // namespace kiln
#endif
