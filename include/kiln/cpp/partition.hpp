/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/partition.hpp -- the functions of kiln/partition.h in C++. */
/* Made by scripts/make-api.py from api/partition.api. */
/* clang-format off */
#ifndef KILN_CPP_PARTITION_HPP
#define KILN_CPP_PARTITION_HPP
#include "kiln/cpp/options.hpp"
#include "kiln/cpp/jaxpr.hpp"
#include "kiln/cpp/sharding.hpp"

namespace kiln {
/* the jaxpr that each device of the mesh runs. How values in its midst lie follows from the inputs and from
 * constraints (kn_with_sharding_constraint), as for arrays that were spread by kn_shard. ValueError: a spec that
 * does not fit */
inline kn_partitioned partition_jaxpr(const ::kiln::handle<kn_jaxpr> &jaxpr, kn_mesh mesh, const ::kiln::text &in_specs,
    place where = here())
{ detail::call c_(where); c_.here(); return c_.value(kn_partition_jaxpr(jaxpr.c(), mesh, in_specs.c())); }
struct communication_opts {
    KILN_OPTION((double), latency, 10e-6) /* seconds of a message before its first byte */
    KILN_OPTION((double), bandwidth, 10e9) /* bytes that a device receives in a second */
    kn_communication_opts c() const {
        kn_communication_opts to_ = {}; to_.size_ = sizeof to_; to_.latency = detail::c_of(latency);
        to_.bandwidth = detail::c_of(bandwidth); return to_; }
};
using communication_of_opts = ::kiln::communication_opts;
/* what one device receives when it runs the jaxpr, as kn_partition_jaxpr gives it. Turns of a while loop count once,
 * and all branches of a cond */
inline kn_communication communication_of(const ::kiln::handle<kn_jaxpr> &jaxpr, const ::kiln::communication_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_communication_opts opts_c = opts.c(); c_.here(); return
    c_.value(kn_communication_of(jaxpr.c(), &opts_c)); }
using communication_text_opts = ::kiln::communication_opts;
/* the same as a table, a line for each collective: its operand on one device, how many take part, how often it runs,
 * bytes and time, the line of the program */
inline std::string communication_text(const ::kiln::handle<kn_jaxpr> &jaxpr, const ::kiln::communication_opts
    &opts = {}, place where = here())
{ detail::call c_(where); kn_communication_opts opts_c = opts.c(); c_.here(); return
    c_.text(kn_communication_text(jaxpr.c(), &opts_c)); }
} // namespace kiln
#endif
