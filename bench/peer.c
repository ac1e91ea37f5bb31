/* SPDX-License-Identifier: Apache-2.0
 * peer.c -- NumPy in a co-process: peer_numpy.py reads "values NAME" and "run NAME TIMES" and answers with one line of numbers. */
#include "bench.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static FILE *to, *from;
static pid_t child;
static char why[256] = "not started";

static bool start_with(const char *python)
{
    int in[2], out[2];
    if (pipe(in) || pipe(out))
        return false;
    child = fork();
    if (child == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        close(in[1]);
        close(out[0]);
        setenv("OMP_NUM_THREADS", "1", 1);
        setenv("OPENBLAS_NUM_THREADS", "1", 1);
        execlp(python, python, KN_BENCH_DIR "/peer_numpy.py", (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    to = fdopen(in[1], "w");
    from = fdopen(out[0], "r");
    char line[128];
    if (child > 0 && to && from && fgets(line, sizeof line, from) && strncmp(line, "ready", 5) == 0) {
        line[strcspn(line, "\n")] = 0;
        snprintf(why, sizeof why, "%s", line);
        return true;
    }
    peer_stop();
    snprintf(why, sizeof why, "%s has no numpy (install python3-numpy)", python);
    return false;
}

bool peer_start(void)
{
    signal(SIGPIPE, SIG_IGN);
    const char *python = getenv("KILN_BENCH_PYTHON");
    return python ? start_with(python) : start_with("/usr/bin/python3") || start_with("python3");
}

void peer_stop(void)
{
    if (to)
        fclose(to);
    if (from)
        fclose(from);
    to = from = NULL;
    if (child > 0)
        waitpid(child, NULL, 0);
    child = 0;
}

const char *peer_why_not(void) { return why; }

static char *ask(char *line, size_t size)
{
    if (!to || fflush(to) || !fgets(line, (int)size, from) || strncmp(line, "error", 5) == 0)
        return NULL;
    return line;
}

bool peer_values(const char *name, double out[BENCH_MAX_VALUES], int *n)
{
    char line[1024];
    if (!to)
        return false;
    fprintf(to, "values %s\n", name);
    char *p = ask(line, sizeof line), *end;
    for (*n = 0; p && *n < BENCH_MAX_VALUES; (*n)++, p = end) {
        out[*n] = strtod(p, &end);
        if (end == p)
            break;
    }
    return p != NULL;
}

double peer_run(const char *name, int times)
{
    char line[1024];
    if (!to)
        return -1;
    fprintf(to, "run %s %d\n", name, times);
    char *p = ask(line, sizeof line);
    return p ? strtod(p, NULL) : -1;
}
