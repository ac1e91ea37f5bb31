/* SPDX-License-Identifier: Apache-2.0
 * tree_sharding.c -- trees of arrays that are spread over a mesh. */
#include "base/context.h"
#include "ir/mesh.h"
#include "kiln/sharding.h"
#include "tree/tree.h"

static kn_array spread(kn_array x, const void *sharding) { return (kn_shard)(x, sharding); }

kn_tree kn_tree_shard(kn_tree tree, kn_sharding sharding)
{
    if (kni_is_sharding(sharding))
        return kntree_moved("tree_shard", tree, spread, sharding);
    knx_report_new("tree_shard", KN_ERROR_TYPE, sharding ? "this is no sharding" : "null sharding");
    return NULL;
}
