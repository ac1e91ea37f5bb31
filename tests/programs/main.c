/* SPDX-License-Identifier: Apache-2.0
 * main.c -- random programs, run in all ways.
 *
 *     programs                        1,000 programs, and all that failed once. KILN_TEST_LONG=1: 100,000, 50 times each
 *                                     row at each dtype. With a sanitizer, or without optimisation, a fifth of them
 *     programs --count N [--first K]  programs K .. K + N - 1
 *     programs --seed K               this one, in every way there is, and its text
 *     programs FILE...                programs that were written to files
 *     --symbolic [...]                with dimension variables for the extents, compiled once and run for 20 sets of numbers:
 *                                     200 programs, KILN_TEST_LONG=1: 2,000. At least half of them have to be possible
 *     --sharded [...]                 cut for the devices of random meshes, beside the whole program: 500 programs,
 *                                     KILN_TEST_LONG=1: 5,000
 *     --sharded --processes [...]     the same over the devices of several processes, which mpirun starts; KILN_DEVICES: of each of them.
 *                                     KILN_TEST_LOOKS=FILE: what came out is written there, to compare it with that of one process
 *     --eager [...]                   equation by equation over values with tangents, on a tape and with batch axes, beside the
 *                                     derivatives and the lanes of the whole program: 200 programs, KILN_TEST_LONG=1: 2,000
 *     --histogram                     how often each row occurred, and each dtype of it
 *     --least N                       fails if some row at some dtype occurred less often
 *     --jobs N                        processes (2); 0: all in this one, without those that failed once
 *     --seconds N                     stops after so long
 *     --slow SECONDS                  tells of programs that take longer
 *     --keep DIRECTORY                where the smallest programs that fail are written ("." if not given)
 *
 * A number gives the same program everywhere. A program that fails is made smaller until nothing smaller fails; then its
 * text, what was wrong, and the command that repeats it are printed. */
#include "programs.h"
#include "support/build.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_JOBS = 64, MAX_FAILURES = 20 };

/* What the processes share. */
typedef struct board {
    uint64_t next[MAX_JOBS]; /* the program that the job works at */
    uint64_t made[MAX_JOBS], ran[MAX_JOBS], equations[MAX_JOBS], taken[MAX_JOBS], refused[MAX_JOBS], sets[MAX_JOBS];
    int n_failure;
    uint64_t failure[MAX_FAILURES];
    uint32_t times[MAX_JOBS][MAX_GOALS];
} board;

static struct {
    const char *program, *keep;
    uint64_t first, count, seed, least;
    int jobs;
    bool one, histogram, processes;
    double slow, until;
} options = {.keep = ".", .count = 1000, .jobs = 2};
static board *shared;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void note_failure(uint64_t number)
{
    int k = __atomic_fetch_add(&shared->n_failure, 1, __ATOMIC_SEQ_CST);
    if (k < MAX_FAILURES)
        shared->failure[k] = number;
}

enum { WORK_SECONDS = 100, WAIT_SECONDS = 900 };

/* From now on: of the processors, so that other work on the machine fails no program; and on the clock, for one that
 * waits for ever. */
static void limit_time(void)
{
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value = {WORK_SECONDS, 0}}, NULL);
    alarm(WAIT_SECONDS);
}

/* Programs first + job, first + job + jobs, ... */
static void work(int job, uint64_t end)
{
    for (; shared->next[job] < end && shared->n_failure < MAX_FAILURES; shared->next[job] += (uint64_t)options.jobs) {
        uint64_t number = shared->next[job];
        if (options.until > 0 && seconds() > options.until)
            return;
        program p;
        verdict v;
        limit_time();
        if (!program_make(number, &p, shared->times[job]))
            continue;
        double from = seconds();
        shared->made[job]++;
        shared->equations[job] += p.j->n_eqn;
        check_program(&p, number, false, &v);
        shared->ran[job] += v.ran;
        shared->taken[job] += v.taken && v.sets;
        shared->refused[job] += v.refused;
        shared->sets[job] += (uint64_t)v.sets;
        if (options.slow > 0 && seconds() - from > options.slow)
            printf("program %llu took %.1f s\n", (unsigned long long)number, seconds() - from), fflush(stdout);
        if (v.failed) {
            printf("program %llu: %s\n", (unsigned long long)number, v.what);
            fflush(stdout);
            note_failure(number);
        }
        program_free(&p);
    }
}

static pid_t start(int job, uint64_t end)
{
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        work(job, end);
        fflush(NULL);
        _exit(0);
    }
    return child;
}

/* A process that dies is a failure of its program; another one goes on behind it. */
static void run_all(uint64_t first, uint64_t count)
{
    pid_t child[MAX_JOBS];
    int status, left = options.jobs;
    for (int i = 0; i < options.jobs; i++) {
        shared->next[i] = first + (uint64_t)i;
        child[i] = start(i, first + count);
    }
    while (left > 0) {
        pid_t done = wait(&status);
        if (done < 0)
            break;
        for (int i = 0; i < options.jobs; i++)
            if (child[i] == done) {
                left--;
                if (WIFEXITED(status) && !WEXITSTATUS(status))
                    continue;
                printf("program %llu: its process ended by %s %d\n", (unsigned long long)shared->next[i],
                       WIFSIGNALED(status) ? "signal" : "status",
                       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
                note_failure(shared->next[i]);
                shared->next[i] += (uint64_t)options.jobs;
                child[i] = start(i, first + count);
                left++;
            }
    }
}

/* In this process: all that were started together do the same. */
static void run_here(uint64_t first, uint64_t count)
{
    options.jobs = 1;
    shared->next[0] = first;
    work(0, first + count);
}

static void report(uint64_t number)
{
    program p;
    verdict v;
    char path[512];
    if (!program_make(number, &p, NULL))
        return;
    bool all = sharded || eager ||
               !fails_alone(&p, number, false, &v); /* other ways to cut it fail for a smaller one, perhaps */
    if (all && !fails_alone(&p, number, true, &v)) {
        printf("program %llu: does not fail alone\n", (unsigned long long)number);
        program_free(&p);
        return;
    }
    shrink(&p, number, all);
    fails_alone(&p, number, all, &v);
    printf("\n%s%s --seed %llu   # %s\n", options.program,
           symbolic  ? " --symbolic"
           : sharded ? " --sharded"
           : eager   ? " --eager"
                     : "",
           (unsigned long long)number, v.what);
    program_print(&p);
    snprintf(path, sizeof path, "%s/program-%llu.txt", options.keep, (unsigned long long)number);
    if (program_write(&p, v.what, path))
        printf("written to %s\n", path);
    program_free(&p);
}

static int one_program(uint64_t number)
{
    program p;
    verdict v;
    if (!program_make(number, &p, NULL)) {
        printf("program %llu: there is none\n", (unsigned long long)number);
        return 0;
    }
    program_print(&p);
    fflush(stdout);
    check_program(&p, number, true, &v);
    printf("%s\n", v.failed   ? v.what
                   : symbolic ? v.refused ? "refused"
                                : v.taken ? "the same for all numbers"
                                          : "no variables"
                   : v.ran    ? "the same in all ways"
                              : "an error in all ways");
    program_free(&p);
    return v.failed;
}

static int replay(const char *path, bool talk)
{
    program p;
    verdict v;
    if (!program_read(path, &p)) {
        printf("%s: cannot be read\n", path);
        return 1;
    }
    if (talk)
        check_program(&p, 0, true, &v);
    else
        fails_alone(&p, 0, true, &v);
    if (v.failed)
        printf("%s %s   # %s\n", options.program, path, v.what);
    else if (talk)
        printf("%s: %s\n", path, v.ran ? "the same in all ways" : "an error in all ways");
    program_free(&p);
    return v.failed;
}

/* All that failed once. */
static int replay_kept(int *n)
{
    int failed = 0;
    DIR *d = opendir(KN_TEST_PROGRAMS);
    for (struct dirent *e; d && (e = readdir(d));) {
        char path[1024];
        if (!strstr(e->d_name, ".txt"))
            continue;
        snprintf(path, sizeof path, "%s/%s", KN_TEST_PROGRAMS, e->d_name);
        failed += replay(path, false);
        ++*n;
    }
    if (d)
        closedir(d);
    return failed;
}

static uint64_t times_of(int k)
{
    uint64_t n = 0;
    for (int i = 0; i < options.jobs; i++)
        n += shared->times[i][k];
    return n;
}

static void show_histogram(void)
{
    for (const kni_prim *const *p = kni_prims; *p; p++) {
        uint64_t all = 0;
        for (int k = 0; k < n_goals; k++)
            all += goals[k].prim == *p ? times_of(k) : 0;
        printf("%-28s %8llu ", (*p)->name, (unsigned long long)all);
        for (int k = 0; k < n_goals; k++) {
            const goal *g = &goals[k];
            if (g->prim != *p)
                continue;
            printf(" %s", g->from < KN_ID_COUNT ? knx_dtype_table[g->from].short_name : "-");
            if (g->to < KN_ID_COUNT)
                printf(">%s", knx_dtype_table[g->to].short_name);
            printf(":%llu", (unsigned long long)times_of(k));
        }
        putchar('\n');
    }
}

static int check_least(void)
{
    int missing = 0;
    for (int k = 0; k < n_goals; k++) {
        const goal *g = &goals[k];
        if (times_of(k) >= options.least)
            continue;
        printf("%s at %s%s%s occurred %llu times\n", g->prim->name,
               g->from < KN_ID_COUNT ? knx_dtype_table[g->from].short_name : "no dtype",
               g->to < KN_ID_COUNT ? " to " : "", g->to < KN_ID_COUNT ? knx_dtype_table[g->to].short_name : "",
               (unsigned long long)times_of(k));
        missing++;
    }
    return missing;
}

static uint64_t number_after(int argc, char **argv, int *i) { return ++*i < argc ? strtoull(argv[*i], NULL, 0) : 0; }

static int read_options(int argc, char **argv)
{
    const char *thorough = getenv("KILN_TEST_LONG");
    int files = 0;
    options.program = argv[0];
    if (thorough && !strcmp(thorough, "1")) {
        options.count = 100000;
        options.least = KN_SLOW_BUILD ? 0 : 50;
    }
    for (int i = 1; i < argc; i++) {
        symbolic |= !strcmp(argv[i], "--symbolic");
        sharded |= !strcmp(argv[i], "--sharded");
        options.processes |= !strcmp(argv[i], "--processes");
        eager |= !strcmp(argv[i], "--eager");
    }
    if (symbolic || eager)
        options.count = options.count > 1000 ? 2000 : 200, options.least = 0;
    if (sharded)
        options.count = options.count > 1000 ? 5000 : 500, options.least = 0;
    if (KN_SLOW_BUILD)
        options.count /= 5;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--symbolic") || !strcmp(argv[i], "--sharded") || !strcmp(argv[i], "--processes") ||
            !strcmp(argv[i], "--eager"))
            continue;
        if (!strcmp(argv[i], "--count"))
            options.count = number_after(argc, argv, &i);
        else if (!strcmp(argv[i], "--first"))
            options.first = number_after(argc, argv, &i);
        else if (!strcmp(argv[i], "--least"))
            options.least = number_after(argc, argv, &i);
        else if (!strcmp(argv[i], "--slow") && i + 1 < argc)
            options.slow = strtod(argv[++i], NULL);
        else if (!strcmp(argv[i], "--seconds") && i + 1 < argc)
            options.until = seconds() + strtod(argv[++i], NULL);
        else if (!strcmp(argv[i], "--jobs"))
            options.jobs = (int)number_after(argc, argv, &i);
        else if (!strcmp(argv[i], "--seed"))
            options.seed = number_after(argc, argv, &i), options.one = true;
        else if (!strcmp(argv[i], "--histogram"))
            options.histogram = true;
        else if (!strcmp(argv[i], "--keep") && i + 1 < argc)
            options.keep = argv[++i];
        else
            argv[++files] = argv[i];
    }
    if (options.processes)
        options.jobs = 0;
    if (options.jobs < 0 || options.jobs > MAX_JOBS)
        options.jobs = 2;
    return files;
}

int main(int argc, char **argv)
{
    setenv("KILN_NUM_THREADS", "7", 0);
    int files = read_options(argc, argv), failed = 0, kept = 0;
    if (!sharded_begin(options.processes))
        return 2;
    far_or_skip();
    goals_find();
    for (int i = 1; i <= files; i++)
        failed += replay(argv[i], true);
    if (files)
        return failed ? 1 : 0;
    if (options.one)
        return one_program(options.seed);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 2;
    double from = seconds();
    if (options.jobs == 0) {
        run_here(options.first, options.count);
    } else {
        failed = replay_kept(&kept);
        run_all(options.first, options.count);
    }
    uint64_t made = 0, ran = 0, equations = 0, taken = 0, refused = 0, sets = 0;
    for (int i = 0; i < options.jobs; i++) {
        made += shared->made[i];
        ran += shared->ran[i];
        equations += shared->equations[i];
        taken += shared->taken[i];
        refused += shared->refused[i];
        sets += shared->sets[i];
    }
    double took = seconds() - from;
    int n = shared->n_failure < MAX_FAILURES ? shared->n_failure : MAX_FAILURES;
    for (int i = 0; i < n && !options.processes; i++)
        report(shared->failure[i]);
    if (options.histogram)
        show_histogram();
    failed += n;
    if (options.least)
        failed += check_least();
    if (symbolic) {
        printf("%llu programs have dimension variables, with %llu sets of numbers; %llu are refused\n",
               (unsigned long long)taken, (unsigned long long)sets, (unsigned long long)refused);
        failed += 2 * taken < made;
    }
    failed += sharded_end();
    if (sharded)
        printf("cut in %llu ways; %llu programs are left out\n", (unsigned long long)sets, (unsigned long long)refused);
    failed += eager && 2 * refused > made;
    if (eager)
        printf("compared in %llu ways; %llu programs are left out\n", (unsigned long long)sets,
               (unsigned long long)refused);
    printf("%d rows with dtypes; %llu programs with %llu equations in %.1f s, %llu without an error; %d kept ones; %d "
           "failed\n",
           n_goals, (unsigned long long)made, (unsigned long long)equations, took, (unsigned long long)ran, kept,
           failed);
    return failed ? 1 : 0;
}
