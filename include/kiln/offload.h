/* SPDX-License-Identifier: Apache-2.0
 * kiln/offload.h -- what ran on which device, and why: counters, and the decisions of the device "auto"
 * (KILN_DEVICE=auto), which runs each step of a program on the host or on a device, wherever all of it takes the
 * least time. */
/* Made by scripts/make-api.py from api/offload.api. */
/* clang-format off */
#ifndef KILN_OFFLOAD_H
#define KILN_OFFLOAD_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Counters of a device, for the whole process. */
typedef struct kn_device_counts {
    size_t size_;
    int64_t launches;               /* steps of programs that it began */
    int64_t uploads, downloads;     /* copies from the host to its memory, and back */
    int64_t bytes_up, bytes_down;
    int64_t copies;                 /* from its memory to its memory, between two launches */
    int64_t allocations;
    int64_t memory_live, memory_peak; /* bytes */
    double launch_seconds, copy_seconds; /* that the host spent on them: what the device does meanwhile is not in it */
} kn_device_counts;
/* what the device of this name has done since the process began, or since kn_device_forget_counts: 0 (set size_ of
 * *out first); -1 and a ValueError if there is no such device. The host's memory is in kn_cache_stats */
KN_API int kn_device_count(const char *device, kn_device_counts *out);
/* the counters of the device begin at zero again, but for the memory that is live: 0; -1 and a ValueError if there
 * is no such device */
KN_API int kn_device_forget_counts(const char *device);

/* ---- Decisions. With the device "auto" each program's steps are placed when it runs, once for each way in which
 * its operands lie: on the host, on the device, or on both. */
typedef struct kn_offload_decision {
    int64_t group, elements;    /* the step's number (kn_jaxpr_groups), and what it runs over */
    bool there;                 /* it runs on the device, else on the host */
    double seconds_here, seconds_there; /* of the step, as the costs say; there: -1 if it cannot run there */
    double seconds_copies, seconds_program; /* of all copies that the placement needs, of all of the program's run */
    char program[64], operations[96], device[32];
    char reason[128];
} kn_offload_decision;
/* the last decisions (512 are kept), the oldest first: puts the newest n of them at `out` and returns how many there
 * are */
KN_API int kn_offload_decisions(int n, kn_offload_decision *out);
/* the last decisions as a text: for each program what its run and the copies in it take, and for each step where it
 * runs and why. It lives as long as arrays of this scope do */
KN_API const char *kn_offload_report(void);
/* forgets the decisions that are kept for the report; what runs where stays as it is */
KN_API void kn_offload_forget(void);

/* ---- Costs, by which decisions are made. They are measured when "auto" meets a device for the first time, and kept
 * in a file in KILN_CACHE_DIR. */
typedef struct kn_offload_side {
    double step;       /* seconds that a step takes to begin */
    double bytes;      /* of memory that steps read and write in a second */
    double operations; /* on elements in a second */
    double products;   /* multiplications with an addition, of products of matrices, in a second */
} kn_offload_side;
typedef struct kn_offload_costs {
    size_t size_;
    double up, down;                 /* bytes in a second, from the host to the device and back */
    double up_latency, down_latency; /* seconds that a copy takes beside that */
    kn_offload_side here, there;     /* the host, the device */
} kn_offload_costs;
/* the costs of a device, measured if they are not known yet: 0 (set size_ of *out first); -1 and a ValueError if
 * there is no such device */
KN_API int kn_offload_get_costs(const char *device, kn_offload_costs *out);
/* what is taken for the costs of the device of this name, in this process; programs that ran already stay where they
 * are. 0; -1 and a ValueError if a rate is not above 0, or there are costs of 64 devices already */
KN_API int kn_offload_set_costs(const char *device, const kn_offload_costs *costs);

#ifdef __cplusplus
}
#endif

#if !defined(__cplusplus) && !defined(KN_BUILD)
#include "kiln/macros.h"
#endif
#endif
