/* SPDX-License-Identifier: Apache-2.0
 * kiln/shard_map.h -- functions that are written for one device of a mesh (docs/sharding.md). */
/* Made by scripts/make-api.py from api/shard_map.api. */
/* clang-format off */
#ifndef KILN_SHARD_MAP_H
#define KILN_SHARD_MAP_H
#include "kiln/function.h"
#include "kiln/sharding.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- A spec says for each dimension of an array which axes of the mesh cut it, with commas between: "data, None,
 * (x, y)". Dimensions behind the last entry are whole; of "" all devices have all. */
typedef struct kn_shard_map_opts {
    size_t size_;
    /* one for each argument, or one for all of them. For an argument of several arrays it is for each of them, or
     * there are as many, with semicolons between: "data; None, model" */
    const char *in_specs[KN_MAX_ARGS];
    /* one for each array of the result, or one for all, or all of them in one text with semicolons */
    const char *out_specs[KN_MAX_ARGS];
    /* true: ValueError for results that might differ from device to device along an axis that their spec does not
     * name */
    bool check_vma;
} kn_shard_map_opts;
KN_API kn_shard_map_opts kn_shard_map_opts_default(void);
/* jax.shard_map: fn on each device of the mesh, for its parts of the arguments. The axes of the mesh have their
 * names there, for the collectives of kiln/lax.h; results are put together as out_specs say. What fn captures all
 * devices have as a whole. Where the arguments are on no such mesh it is worked out for all devices together, with
 * the same results. ValueError: a spec that an array does not fit, parts of different sizes */
KN_API kn_fn kn_shard_map(kn_fn fn, kn_mesh mesh, const kn_shard_map_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_shard_map(fn, mesh, ...)                                                                                    \
    KN_G2O(kn_shard_map, kn_shard_map_opts, (.check_vma = true, ), kn_fn, fn, kn_mesh, mesh, __VA_ARGS__)
#endif
#endif
