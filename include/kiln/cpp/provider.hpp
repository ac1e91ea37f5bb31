/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/provider.hpp -- the functions of kiln/provider.h in C++. */
/* Made by scripts/make-api.py from api/provider.api. */
/* clang-format off */
#ifndef KILN_CPP_PROVIDER_HPP
#define KILN_CPP_PROVIDER_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
/* makes a device known: 0; -1 and an error if the table lacks a function that it needs (all but prepare, discard,
 * wait and error), a fact makes no sense, the name is taken, there are 16 devices, or this process has registered
 * 512 by now. The table is copied */
inline int register_device(const kn_provider &provider, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_register_device(&provider)); }
/* the device goes away: 0; -1 and a ValueError if none of this name was registered. What it prepared is discarded
 * and its memory freed. What arrays have there alone is lost, and whatever asks for it is a RuntimeError; the host's
 * copies are as good as before */
inline int unregister_device(const ::kiln::text &name, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_unregister_device(name.c())); }
/* for functions of a table: runs the step on the host, over values at these addresses of the host (one for each
 * place): 0, or -1 with an error, which becomes that of the launch. Kernels are interpreted */
inline int provider_run_here(const kn_provider_step &step, void *const *address, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_provider_run_here(&step, address)); }
} // namespace kiln
#endif
