/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/distributed.hpp -- the functions of kiln/distributed.h in C++. */
/* Made by scripts/make-api.py from api/distributed.api. */
/* clang-format off */
#ifndef KILN_CPP_DISTRIBUTED_HPP
#define KILN_CPP_DISTRIBUTED_HPP
#include "kiln/cpp/options.hpp"

namespace kiln {
struct distributed_init_opts {
    KILN_OPTION((const void *), communicator, {})
    KILN_OPTION((double), timeout, -1)
    kn_distributed_init_opts c() const {
        kn_distributed_init_opts to_ = {}; to_.size_ = sizeof to_; to_.communicator = detail::c_of(communicator);
        to_.timeout = detail::c_of(timeout); return to_; }
};
/* jax.distributed.initialize: joins the other processes; all of them call it, before the first mesh is made. False
 * and a RuntimeError: there is no MPI here, a process does not come in time, the processes have different numbers of
 * devices, it was called before. */
inline bool distributed_init(const ::kiln::distributed_init_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_distributed_init_opts opts_c = opts.c(); c_.here(); return
    c_.value(kn_distributed_init(&opts_c)); }
/* jax.distributed.shutdown: leaves them; all call it. It is done at the end of a process, too. Arrays over several
 * processes are of no use then, and a process cannot join again. After processes have lost each other it ends all of
 * them (MPI_Abort). */
inline bool distributed_shutdown(place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_distributed_shutdown()); }
/* jax.distributed.is_initialized: has this process joined others? */
inline bool distributed_is_initialized(place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_distributed_is_initialized()); }
/* jax.process_index: the number of this process; 0 if it is alone */
inline int process_index(place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_process_index()); }
/* jax.process_count: how many processes there are; 1 if this one is alone */
inline int process_count(place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_process_count()); }
/* jax.local_device_count: the devices of this process that a mesh can have: KILN_DEVICES, or 1 */
inline int local_device_count(place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_local_device_count()); }
/* so many, from 1 to 4096, each a thread while it runs a program; before kn_distributed_init and the first mesh, and
 * in all processes the same. False and a ValueError, or a RuntimeError after that. */
inline bool set_local_device_count(int n, place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_set_local_device_count(n)); }
/* jax.device_count: the devices of all processes that a mesh can have */
inline int global_device_count(place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_global_device_count()); }
} // namespace kiln
#endif
