/* SPDX-License-Identifier: Apache-2.0
 * kiln/partition.h -- how a function would run over a mesh of devices: the jaxpr of one device, how the results lie,
 * and what is moved between devices. Nothing runs, and the devices need not be there: a plan for 1,024 of them can
 * be looked at on a laptop (docs/sharding.md). */
/* Made by scripts/make-api.py from api/partition.api. */
/* clang-format off */
#ifndef KILN_PARTITION_H
#define KILN_PARTITION_H
#include "kiln/jaxpr.h"
#include "kiln/sharding.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What kn_partition_jaxpr finds. Texts and jaxpr belong to the scope; NULL after an error. */
typedef struct kn_partitioned {
    kn_jaxpr jaxpr;        /* of one device: its inputs and results have the shapes of parts */
    const char *out_specs; /* how the results come: "(data, None); ()" */
    const char *decisions; /* where there were several ways, or none: a line each, with the reason */
} kn_partitioned;

/* What one device receives in a run, its collectives one after the other. */
typedef struct kn_communication {
    double bytes, messages, collectives;
    double seconds; /* at the latency and bandwidth that were given */
} kn_communication;
/* the jaxpr that each device of the mesh runs. How values in its midst lie follows from the inputs and from
 * constraints (kn_with_sharding_constraint), as for arrays that were spread by kn_shard. ValueError: a spec that
 * does not fit */
KN_API kn_partitioned kn_partition_jaxpr(kn_jaxpr jaxpr, kn_mesh mesh, const char *in_specs);
typedef struct kn_communication_opts {
    size_t size_;
    double latency;   /* 10e-6: seconds of a message before its first byte */
    double bandwidth; /* 10e9: bytes that a device receives in a second */
} kn_communication_opts;
KN_API kn_communication_opts kn_communication_opts_default(void);
/* what one device receives when it runs the jaxpr, as kn_partition_jaxpr gives it. Turns of a while loop count once,
 * and all branches of a cond */
KN_API kn_communication kn_communication_of(kn_jaxpr jaxpr, const kn_communication_opts *opts);
/* the same as a table, a line for each collective: its operand on one device, how many take part, how often it runs,
 * bytes and time, the line of the program */
KN_API const char *kn_communication_text(kn_jaxpr jaxpr, const kn_communication_opts *opts);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#define kn_communication_of(jaxpr, ...)                                                                                \
    KN_G1O(kn_communication_of, kn_communication_opts, (.latency = 10e-6, .bandwidth = 10e9, ), kn_jaxpr, jaxpr,       \
    __VA_ARGS__)
#define kn_communication_text(jaxpr, ...)                                                                              \
    KN_G1O(kn_communication_text, kn_communication_opts, (.latency = 10e-6, .bandwidth = 10e9, ), kn_jaxpr, jaxpr,     \
    __VA_ARGS__)
#endif
#endif
