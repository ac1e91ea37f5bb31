/* SPDX-License-Identifier: Apache-2.0
 * shard.h -- from a jaxpr over whole arrays to the one that each device of a mesh runs (docs/sharding.md). */
#ifndef KN_SHARD_SHARD_H
#define KN_SHARD_SHARD_H
#include "ir/mesh.h"
#include "ir/spread.h"
#include "ir/prim.h"

/* The jaxpr of one device: `in` says how each operand (constants first, then inputs) lies, *out, which has room for all
 * results, gets how they come. Its inputs and results have the types of parts. report: NULL, or gets a text of each
 * decision and its reason, knx_alloc'ed. */
knx_error *knshard_partition(const kni_jaxpr *global, const kni_mesh *mesh, const kni_sharding *const *in,
                             kni_jaxpr **local, const kni_sharding **out, char **report);

/* A machine: seconds that a message takes before its first byte, bytes that a device receives in a second (0: at once).
 * */
typedef struct knshard_machine {
    double latency, bandwidth;
} knshard_machine;
typedef struct knshard_traffic {
    double bytes, messages, collectives, seconds; /* of one device, one after the other */
} knshard_traffic;
/* What a run of a device's jaxpr moves: turns of a while count once, all branches of a cond. text: NULL, or gets a
 * table, knx_alloc'ed. */
knshard_traffic knshard_traffic_of(const kni_jaxpr *local, const knshard_machine *m, char **text);
#endif
