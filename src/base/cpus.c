/* SPDX-License-Identifier: Apache-2.0
 * cpus.c -- counts CPUs: affinity by the system call, quotas from /proc/self/cgroup and /sys/fs/cgroup. */
#if defined(__linux__)
#define _GNU_SOURCE 1 /* sched_getaffinity, sched_getcpu */
#endif
#include "base/cpus.h"
#include "base/worker.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <fcntl.h>
#include <sched.h>
#endif
#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

enum { FILE_ROOM = 4096, PATH_ROOM = 1024 };

typedef struct quota {
    knx_read_file *read;
    void *env;
    int least; /* CPUs; 0: no limit yet */
} quota;

static void limit_to(quota *q, long long micros, long long period)
{
    if (micros <= 0 || period <= 0)
        return;
    long long cpus = micros / period + (micros % period != 0);
    if (cpus < INT32_MAX && (q->least == 0 || cpus < q->least))
        q->least = (int)cpus;
}

static bool read_at(const quota *q, char *text, const char *folder, const char *name)
{
    char path[PATH_ROOM + 64];
    int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    return n > 0 && (size_t)n < sizeof path && q->read(q->env, path, text, FILE_ROOM);
}

/* "100000 100000": the first is "max" where there is no quota. */
static void look_v2(quota *q, const char *folder)
{
    char text[FILE_ROOM];
    long long micros, period;
    if (read_at(q, text, folder, "cpu.max") && sscanf(text, "%lld %lld", &micros, &period) == 2)
        limit_to(q, micros, period);
}

static void look_v1(quota *q, const char *folder)
{
    char text[FILE_ROOM];
    if (!read_at(q, text, folder, "cpu.cfs_quota_us"))
        return;
    long long micros = atoll(text); /* -1: none */
    if (read_at(q, text, folder, "cpu.cfs_period_us"))
        limit_to(q, micros, atoll(text));
}

/* A group and those above it, up to the root that this process sees. In a container /proc/self/cgroup may name a path
 * outside of what is mounted here: then the root alone speaks for us. */
static void climb(quota *q, const char *root, const char *group, void (*look)(quota *q, const char *folder))
{
    char folder[PATH_ROOM];
    size_t top = strlen(root);
    int n = snprintf(folder, sizeof folder, "%s%s", root, group);
    if (n < 0 || (size_t)n >= sizeof folder)
        folder[top] = 0;
    for (;;) {
        look(q, folder);
        char *slash = strrchr(folder, '/');
        if (!slash || (size_t)(slash - folder) < top)
            return;
        *slash = 0;
    }
}

/* Is `name` one of the words of "cpu,cpuacct"? */
static bool lists(const char *words, const char *name)
{
    size_t n = strlen(name);
    for (const char *w = words; w; w = strchr(w, ',') ? strchr(w, ',') + 1 : NULL)
        if (!strncmp(w, name, n) && (w[n] == 0 || w[n] == ','))
            return true;
    return false;
}

int knx_cgroup_cpus(knx_read_file *read, void *env)
{
    quota q = {.read = read, .env = env};
    char text[FILE_ROOM];
    if (!read(env, "/proc/self/cgroup", text, sizeof text))
        return 0;
    char *rest;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        *group++ = 0;
        controllers++;
        if (!strcmp(group, "/"))
            group = ""; /* the root itself */
        if (!*controllers) {
            climb(&q, "/sys/fs/cgroup", group, look_v2);
        } else if (lists(controllers, "cpu")) {
            climb(&q, "/sys/fs/cgroup/cpu", group, look_v1);
            climb(&q, "/sys/fs/cgroup/cpu,cpuacct", group, look_v1);
        }
    }
    return q.least;
}

#if defined(__linux__)

static bool read_file(void *env, const char *path, char *text, size_t room)
{
    (void)env;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    size_t n = 0;
    ssize_t got = 0;
    while (n < room && (got = read(fd, text + n, room - n)) > 0)
        n += (size_t)got;
    close(fd);
    if (got < 0 || n == room)
        return false;
    text[n] = 0;
    return true;
}

/* The kernel may know of more CPUs than a cpu_set_t has room for. */
static int affinity(void)
{
    for (int most = CPU_SETSIZE; most <= 1 << 17; most *= 4) {
        cpu_set_t *set = CPU_ALLOC((size_t)most);
        size_t bytes = CPU_ALLOC_SIZE((size_t)most);
        int cpus = set && sched_getaffinity(0, bytes, set) == 0 ? CPU_COUNT_S(bytes, set) : 0;
        CPU_FREE(set);
        if (cpus)
            return cpus;
    }
    return 0;
}

int knx_cpu_now(void) { return sched_getcpu(); }

/* A mask without those CPUs moves the thread at once, and the old one leaves it where it is. */
bool knx_leave_cpus(const int *cpu, int n)
{
    cpu_set_t all, rest;
    if (sched_getaffinity(0, sizeof all, &all))
        return false;
    rest = all;
    for (int i = 0; i < n; i++)
        if (cpu[i] >= 0 && cpu[i] < CPU_SETSIZE)
            CPU_CLR(cpu[i], &rest);
    if (!CPU_COUNT(&rest) || sched_setaffinity(0, sizeof rest, &rest))
        return false;
    sched_setaffinity(0, sizeof all, &all);
    return true;
}

#else

int knx_cpu_now(void) { return -1; }
bool knx_leave_cpus(const int *cpu, int n)
{
    (void)cpu, (void)n;
    return false;
}

#endif

int knx_cpus(void)
{
    int cpus = 0;
#if defined(__linux__)
    cpus = affinity();
#endif
#if defined(__wasm__) && defined(__wasm_atomics__)
    cpus = knx_worker_cpus();
#elif defined(_SC_NPROCESSORS_ONLN)
    if (cpus < 1)
        cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
#endif
#if defined(__linux__)
    int allowed = knx_cgroup_cpus(read_file, NULL);
    if (allowed && allowed < cpus)
        cpus = allowed;
#endif
    return cpus < 1 ? 1 : cpus;
}
