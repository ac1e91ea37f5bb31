/* SPDX-License-Identifier: Apache-2.0
 * probe.c -- how the device computes: facts for the generator of texts. */
#include "webgpu/gpu.h"

knx_error *kng_bring_facts(kng_gpu *g)
{
    KN_TRY(kng_ready(g));
    if (g->probed)
        return NULL;
    g->facts = (knw_facts){.lanes = g->limits.maxComputeInvocationsPerWorkgroup,
                           .workgroup_bytes = g->limits.maxComputeWorkgroupStorageSize,
                           .most_groups = g->limits.maxComputeWorkgroupsPerDimension,
                           .joins = true};
    g->exact = true;
    g->probed = true;
    return NULL;
}
