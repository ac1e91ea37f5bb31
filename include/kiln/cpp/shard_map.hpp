/* SPDX-License-Identifier: Apache-2.0
 * kiln/cpp/shard_map.hpp -- the functions of kiln/shard_map.h in C++. */
/* Made by scripts/make-api.py from api/shard_map.api. */
/* clang-format off */
#ifndef KILN_CPP_SHARD_MAP_HPP
#define KILN_CPP_SHARD_MAP_HPP
#include "kiln/cpp/options.hpp"
#include "kiln/cpp/sharding.hpp"

namespace kiln {
struct shard_map_opts {
    const char *in_specs[KN_MAX_ARGS] = {};
    const char *out_specs[KN_MAX_ARGS] = {};
    KILN_OPTION((bool), check_vma, true)
    kn_shard_map_opts c() const {
        kn_shard_map_opts to_ = {}; to_.size_ = sizeof to_; detail::put(to_.in_specs, in_specs);
        detail::put(to_.out_specs, out_specs); to_.check_vma = detail::c_of(check_vma); return to_; }
};
/* jax.shard_map: fn on each device of the mesh, for its parts of the arguments. The axes of the mesh have their
 * names there, for the collectives of kiln/lax.h; results are put together as out_specs say. What fn captures all
 * devices have as a whole. Where the arguments are on no such mesh it is worked out for all devices together, with
 * the same results. ValueError: a spec that an array does not fit, parts of different sizes */
inline fn shard_map(const ::kiln::fn &fn, kn_mesh mesh, const ::kiln::shard_map_opts &opts = {}, place where = here())
{ detail::call c_(where); kn_shard_map_opts opts_c = opts.c(); c_.here(); return fn(c_.take(kn_shard_map(fn.c(), mesh,
    &opts_c))); }
} // namespace kiln
#endif
