/* SPDX-License-Identifier: Apache-2.0
 * main.c -- public functions of unknown extents against themselves with numbers: each call of the tables here and of those in
 * unit/ is compiled once with kn_jit(.symbolic) and run for 20 sets of extents, with 0, 1, primes
 * and large ones among them, as it is, its gradient, and mapped over an axis of unknown extent. What comes out has the
 * bits of kn_jit without .symbolic.
 *
 *     symbolic                 4 sets, of gradients 8 (with a sanitizer, or without optimisation, 2 of a quarter), of a
 *                              quarter of the lanes 2. KILN_TEST_LONG=1: 20 of each
 *     symbolic PATTERN [WAY]   calls whose text or name matches (values, gradients or lanes alone), 20 sets
 *     -v                       a line for each
 *     -r                       a line for each that is refused
 *     -m                       public functions that no row calls
 *     --jobs N                 processes (2) */
#include "judge.h"
#include "support/build.h"
#include "support/group.h"
#include <ctype.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GROUP(name) int kn_group_##name(int argc, char **argv);
#include KN_TEST_GROUPS
#undef GROUP

enum { MOST_CASES = 4096, MOST_JOBS = 16, SECONDS = 60, LEAST_FUNCTIONS = 300 };

static symbolic_case cases[MOST_CASES];
static int n_cases;

/* What the processes share. */
typedef struct board {
    int next[MOST_JOBS]; /* of 3 * case + way */
    outcome out[MOST_CASES][WAYS];
    bool ran[MOST_CASES][WAYS];
    double took[MOST_CASES][WAYS];
} board;
static board *shared;

static struct {
    const char *pattern, *way;
    int jobs;
    bool verbose, refused, missing, thorough;
} options = {.jobs = 2};

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- The cases. */

static bool wanted(const symbolic_case *c)
{
    return !options.pattern || !fnmatch(options.pattern, c->call, 0) || !fnmatch(options.pattern, c->name, 0);
}

static void collect(const symbolic_case *c, size_t n)
{
    for (size_t i = 0; i < n && n_cases < MOST_CASES; i++)
        if (wanted(&c[i]))
            cases[n_cases++] = c[i];
}

/* Those of the unit tests: their groups run, and hand their tables over instead of checking them. */
static void collect_all(void)
{
    char *own[] = {(char *)(uintptr_t) "symbolic", NULL};
    int kept[2] = {dup(1), dup(2)}, nowhere = open("/dev/null", O_WRONLY);
    fflush(NULL);
    dup2(nowhere, 1), dup2(nowhere, 2);
    symbolic_collect = collect;
#define GROUP(name) kn_group_##name(1, own);
#include KN_TEST_GROUPS
#undef GROUP
    fflush(NULL);
    dup2(kept[0], 1), dup2(kept[1], 2);
    close(kept[0]), close(kept[1]), close(nowhere);
    collect(rows_numpy.at, rows_numpy.n);
    collect(rows_libraries.at, rows_libraries.n);
}

/* ---- Running. */

static int sets_for(int c, way w)
{
    if (options.pattern || options.thorough)
        return MOST_SETS;
    if (w == GRADIENTS && !KN_SLOW_BUILD)
        return 8;                                     /* rules that ask for a small number of rows are many */
    return w == VALUES ? 4 : c % 4 == (int)w ? 2 : 0; /* the others when there is time */
}

static void work(int job)
{
    for (int *next = &shared->next[job]; *next < n_cases * WAYS; *next += options.jobs) {
        int c = *next / WAYS;
        way w = (way)(*next % WAYS);
        int sets = sets_for(c, w);
        if (!sets || (options.way && strcmp(options.way, way_name[w]) != 0))
            continue;
        double from = seconds();
        alarm(SECONDS);
        judge(&cases[c], w, sets, options.pattern && options.verbose, &shared->out[c][w]);
        shared->ran[c][w] = true;
        shared->took[c][w] = seconds() - from;
    }
}

static pid_t start(int job)
{
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        work(job);
        fflush(NULL);
        _exit(0);
    }
    return child;
}

/* A process that dies is a failure of its case; another one goes on behind it. */
static void run_all(void)
{
    pid_t child[MOST_JOBS];
    int status, left = options.jobs;
    for (int i = 0; i < options.jobs; i++) {
        shared->next[i] = i;
        child[i] = start(i);
    }
    while (left > 0) {
        pid_t done = wait(&status);
        if (done < 0)
            break;
        for (int i = 0; i < options.jobs; i++) {
            if (child[i] != done)
                continue;
            left--;
            if (WIFEXITED(status) && !WEXITSTATUS(status))
                continue;
            int c = shared->next[i] / WAYS, w = shared->next[i] % WAYS;
            shared->ran[c][w] = true;
            shared->out[c][w].verdict = WRONG;
            snprintf(shared->out[c][w].what, sizeof shared->out[c][w].what, "its process ended by %s %d",
                     WIFSIGNALED(status) ? "signal" : "status",
                     WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
            shared->next[i] += options.jobs;
            child[i] = start(i);
            left++;
        }
    }
}

/* ---- Which functions were called. */

#define CALL(name, ...)       #name,
#define CALL_PLAIN(name, ...) #name,
#define OPTIONS(...)
static const char *const public_calls[] = {
#include "hostile/calls.def"
};
#undef CALL
#undef CALL_PLAIN
#undef OPTIONS
enum { N_PUBLIC = sizeof public_calls / sizeof *public_calls };
static bool called[N_PUBLIC];

static void note_calls(const char *text)
{
    for (const char *at = text; (at = strstr(at, "kn_")); at++) {
        size_t n = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        if (at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_'))
            continue;
        for (int i = 0; i < N_PUBLIC; i++)
            if (strlen(public_calls[i]) == n && !memcmp(public_calls[i], at, n))
                called[i] = true;
    }
}

/* ---- What came out. */

static int report(void)
{
    int count[WAYS][WRONG + 1] = {0}, sets = 0, errors = 0, functions = 0, compiled = 0, compiles = 0, most = 0,
                            defects = 0;
    const char *most_of = "";
    for (int c = 0; c < n_cases; c++)
        for (int w = 0; w < WAYS; w++) {
            const outcome *o = &shared->out[c][w];
            if (!shared->ran[c][w])
                continue;
            const char *known = known_defect(&cases[c], (way)w);
            if (known) {
                printf("%s '%s' of %s %s: %s\n", way_name[w], cases[c].call, cases[c].types,
                       o->verdict == WRONG ? "is a known defect" : "is right now, no defect", known);
                defects++;
                continue;
            }
            count[w][o->verdict]++;
            sets += o->sets;
            errors += o->errors;
            if (o->verdict == SAME && w == VALUES)
                note_calls(cases[c].call);
            compiled += o->verdict == SAME;
            compiles += o->verdict == SAME ? o->compiles : 0;
            if (o->verdict == SAME && o->compiles > most)
                most = o->compiles, most_of = cases[c].call;
            if (o->verdict == WRONG)
                printf("%s '%s' of %s: %s\n", way_name[w], cases[c].call, cases[c].types, o->what);
            else if (options.verbose || (options.refused && o->verdict == REFUSED))
                printf("%-9s %-8s %2d sets %2d errors %2d compiled %.2f s %s %s %s\n", way_name[w],
                       o->verdict == SAME      ? "same"
                       : o->verdict == REFUSED ? "refused"
                                               : "none",
                       o->sets, o->errors, o->compiles, shared->took[c][w], cases[c].types, cases[c].call, o->what);
        }
    for (int i = 0; i < N_PUBLIC; i++) {
        functions += called[i];
        if (options.missing && !called[i])
            printf("%s\n", public_calls[i]);
    }
    int wrong = 0;
    for (int w = 0; w < WAYS; w++) {
        printf("%-9s of %d calls: %d have the same bits, %d are refused, %d have none, %d are wrong\n", way_name[w],
               n_cases, count[w][SAME], count[w][REFUSED], count[w][NONE], count[w][WRONG]);
        wrong += count[w][WRONG];
    }
    printf(
        "%d public functions; %d sets of extents, %d of them errors on both sides; %d compilations for %d functions, "
        "at most %d: %s; %d known defects\n",
        functions, sets, errors, compiles, compiled, most, most_of, defects);
    return wrong || !sets || (!options.pattern && functions < LEAST_FUNCTIONS);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    const char *longer = getenv("KILN_TEST_LONG");
    options.thorough = longer && !strcmp(longer, "1");
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-v"))
            options.verbose = true;
        else if (!strcmp(argv[i], "-r"))
            options.refused = true;
        else if (!strcmp(argv[i], "-m"))
            options.missing = true;
        else if (!strcmp(argv[i], "--jobs") && i + 1 < argc)
            options.jobs = atoi(argv[++i]);
        else if (!options.pattern)
            options.pattern = argv[i];
        else
            options.way = argv[i];
    }
    if (options.jobs < 1 || options.jobs > MOST_JOBS)
        options.jobs = 2;
    collect_all();
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 2;
    run_all();
    return report();
}
