/* SPDX-License-Identifier: Apache-2.0
 * peer.c -- NumPy, JAX and PyTorch in co-processes: peer.py reads "make NAME FUNCTION FILE DTYPE ...", "values NAME" and
 * "run NAME TIMES" and answers with one line. */
#define _GNU_SOURCE
#include "bench.h"
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct peer {
    const char *name, *kind; /* kind: what peer.py is to import */
    int cores;               /* 0: all */
    bool raised;
    FILE *to, *from;
    pid_t child;
    char about[256];
} peers[PEER_COUNT] = {
    [PEER_NUMPY] = {.name = "numpy", .kind = "numpy"},
    [PEER_NUMPY_RAISED] = {.name = "numpy raised", .kind = "numpy", .raised = true},
    [PEER_JAX_1] = {.name = "jax 1T", .kind = "jax", .cores = 1},
    [PEER_JAX_2] = {.name = "jax 2T", .kind = "jax", .cores = 2},
    [PEER_TORCH_1] = {.name = "torch 1T", .kind = "torch", .cores = 1, .raised = true},
    [PEER_TORCH_2] = {.name = "torch 2T", .kind = "torch", .cores = 2, .raised = true},
};

/* The first `cores` of those that this process may use. */
static void bind_to(int cores)
{
    cpu_set_t all, some;
    CPU_ZERO(&some);
    if (!cores || sched_getaffinity(0, sizeof all, &all))
        return;
    for (int i = 0; i < CPU_SETSIZE && cores; i++)
        if (CPU_ISSET(i, &all)) {
            CPU_SET(i, &some);
            cores--;
        }
    sched_setaffinity(0, sizeof some, &some);
}

static void become(const struct peer *p, const char *python, bool cpu)
{
    bool torch = strcmp(p->kind, "torch") == 0;
    setenv("OMP_NUM_THREADS", torch && p->cores > 1 ? "2" : "1", 1); /* NumPy's elementwise functions have no threads */
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    setenv("JAX_PLATFORMS", "cpu", 1);
    setenv("JAX_ENABLE_COMPILATION_CACHE", "false", 1);
    if (p->raised) {
        setenv("MALLOC_TRIM_THRESHOLD_", "4294967296", 1);
        setenv("MALLOC_MMAP_THRESHOLD_", "4294967296", 1);
    }
    bind_to(p->cores);
    execlp(python, python, KN_BENCH_DIR "/peer.py", p->kind, KN_BENCH_DATA, cpu ? "cpu" : "time", (char *)NULL);
    _exit(127);
}

static bool start_with(struct peer *p, const char *python, bool cpu)
{
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
        return false;
    p->child = fork();
    if (p->child == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        become(p, python, cpu);
    }
    close(in[0]);
    close(out[1]);
    p->to = fdopen(in[1], "w");
    p->from = fdopen(out[0], "r");
    char line[128];
    if (p->child > 0 && p->to && p->from && fgets(line, sizeof line, p->from) && strncmp(line, "ready ", 6) == 0) {
        line[strcspn(line, "\n")] = 0;
        snprintf(p->about, sizeof p->about, "%s", line + 6);
        return true;
    }
    peer_stop((bench_peer)(p - peers));
    snprintf(p->about, sizeof p->about, "%s has no %s", python, p->kind);
    return false;
}

bool peer_start(bench_peer which, bool cpu)
{
    struct peer *p = &peers[which];
    signal(SIGPIPE, SIG_IGN);
    if (strcmp(p->kind, "jax") == 0) {
        const char *python = getenv("KILN_BENCH_JAX");
        return start_with(p, python ? python : KN_BENCH_VENV "/bin/python", cpu);
    }
    if (strcmp(p->kind, "torch") == 0) {
        const char *python = getenv("KILN_BENCH_TORCH");
        return python ? start_with(p, python, cpu)
                      : start_with(p, KN_BENCH_VENV "/bin/python", cpu) || start_with(p, "/usr/bin/python3", cpu);
    }
    const char *python = getenv("KILN_BENCH_PYTHON");
    return python ? start_with(p, python, cpu)
                  : start_with(p, KN_BENCH_VENV "/bin/python", cpu) || start_with(p, "/usr/bin/python3", cpu) ||
                        start_with(p, "python3", cpu);
}

void peer_stop(bench_peer which)
{
    struct peer *p = &peers[which];
    if (p->to)
        fclose(p->to);
    if (p->from)
        fclose(p->from);
    p->to = p->from = NULL;
    if (p->child > 0)
        waitpid(p->child, NULL, 0);
    p->child = 0;
}

const char *peer_about(bench_peer p) { return peers[p].about; }
const char *peer_name(bench_peer p) { return peers[p].name; }

static char *ask(const struct peer *p, char *line, size_t size)
{
    if (!p->to || fflush(p->to) || !fgets(line, (int)size, p->from))
        return NULL;
    if (strncmp(line, "error", 5) == 0) {
        fprintf(stderr, "%s: %s", p->name, line);
        return NULL;
    }
    return line;
}

bool peer_make(bench_peer which, const char *text)
{
    const struct peer *peer = &peers[which];
    char line[1024];
    if (!peer->to)
        return false;
    fprintf(peer->to, "make %s\n", text);
    const char *answer = ask(peer, line, sizeof line);
    return answer && strncmp(answer, "made", 4) == 0;
}

bool peer_values(bench_peer which, const char *name, double out[BENCH_MAX_VALUES], int *n)
{
    const struct peer *peer = &peers[which];
    char line[1024];
    if (!peer->to)
        return false;
    fprintf(peer->to, "values %s\n", name);
    char *p = ask(peer, line, sizeof line), *end;
    for (*n = 0; p && *n < BENCH_MAX_VALUES; (*n)++, p = end) {
        out[*n] = strtod(p, &end);
        if (end == p)
            break;
    }
    return p != NULL;
}

double peer_run(bench_peer which, const char *name, int times)
{
    const struct peer *peer = &peers[which];
    char line[1024];
    if (!peer->to)
        return -1;
    fprintf(peer->to, "run %s %d\n", name, times);
    char *p = ask(peer, line, sizeof line);
    return p ? strtod(p, NULL) : -1;
}
