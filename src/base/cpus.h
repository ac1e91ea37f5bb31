/* SPDX-License-Identifier: Apache-2.0
 * cpus.h -- how many CPUs the process may use: its affinity, and the quotas of its control groups; and which of them a
 * thread runs on. */
#ifndef KN_BASE_CPUS_H
#define KN_BASE_CPUS_H
#include <stdbool.h>
#include <stddef.h>

/* At least 1. Asks the system each time. */
int knx_cpus(void);
/* The number of the CPU that this thread runs on now; -1: not known. A few nanoseconds. */
int knx_cpu_now(void);
/* Moves this thread to a CPU that it may use and that is none of cpu[0 .. n - 1]; where it may run later is as before.
 * false: there is none, or not known. Some microseconds. */
bool knx_leave_cpus(const int *cpu, int n);

/* Reads a whole small file into text, with a zero behind it; false if there is none or it is too long. */
typedef bool knx_read_file(void *env, const char *path, char *text, size_t room);
/* The CPUs that the quotas of the process's control groups and of those above them allow, rounded up: cpu.max in
 * version 2, cpu.cfs_quota_us in version 1. 0: no limit. `read` brings the files, so that a test can. */
int knx_cgroup_cpus(knx_read_file *read, void *env);
#endif
