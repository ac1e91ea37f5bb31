/* SPDX-License-Identifier: Apache-2.0
 * bench.c -- measures: `bench [--cpu|--busy] [FILE.json] [NAME...]` prints a table and writes the file; only the rows
 * whose names contain one of these NAMEs (--list: all names). For each case the values of Kiln and its peers are
 * compared first; then they take turns, and medians are shown, with the least and the ninth tenth of Kiln's and the
 * least of the others'. --cpu: CPU time of one thread instead of time, for a machine on which others work. --busy:
 * beside a process of the least priority that never rests; every row that has a rival is to keep BUSY_RATIO of the best
 * one. */
#include "bench.h"
#include "libraries.h"
#include <kiln/kiln.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BUSY_RATIO 0.9

enum { ROUNDS = 11, FEW = 16, MAX_ROWS = 512, MAX_SIDES = 2 + PEER_COUNT + BENCH_MAX_OTHERS };

/* One column of a row: Kiln with some threads, a peer, another way. */
typedef struct side {
    const char *name;
    int threads, times;
    int peer;   /* -1: here */
    bool rival; /* the ratio is about it */
    double (*run)(void *, int);
    double least, median, most; /* in time: of the turns the shortest, the middle one, the one at nine tenths */
} side;
typedef struct row {
    const bench_case *c;
    int n, kilns; /* sides; the first ones are Kiln */
    side side[MAX_SIDES];
} row;
static row rows[MAX_ROWS];
static int n_rows;
static bool cpu_time, busy;

static double clock_of(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
double bench_now(void) { return clock_of(cpu_time ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC); }

int64_t bench_steps(int64_t n)
{
    const char *text = getenv("KILN_BENCH_SHRINK");
    int64_t by = text ? strtoll(text, NULL, 10) : 1;
    return by > 1 && n > by ? n / by : n;
}

/* Waits until the threads of the side before have stopped spinning: at most 0.2 s. */
static void settle(void)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    for (int i = 0; i < 200; i++) {
        double before = clock_of(CLOCK_PROCESS_CPUTIME_ID);
        nanosleep(&pause, NULL);
        if (clock_of(CLOCK_PROCESS_CPUTIME_ID) - before < 1e-4)
            return;
    }
}

static double scale_of(const char *unit) { return *unit == 'n' ? 1e9 : *unit == 'u' ? 1e6 : *unit == 'm' ? 1e3 : 1; }
static double measure_of(const bench_case *c, double seconds)
{
    return c->flops > 0 ? c->flops / seconds * 1e-9 : seconds * scale_of(c->unit);
}
/* How many times longer than `base` something takes that is measured as x. */
static double longer(const bench_case *c, double x, double base) { return c->flops > 0 ? base / x : x / base; }

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double turn(const bench_case *c, const side *s, void *state, int times)
{
    if (s->peer >= 0)
        return peer_run((bench_peer)s->peer, c->name, times);
    libraries_set_threads(s->threads);
    kn_defaults_push(.threads = s->threads);
    if (times < FEW) /* the side before has left its own data in the caches */
        s->run(state, 1);
    double t = s->run(state, times);
    kn_defaults_pop();
    if (s->threads > 1)
        settle();
    return t;
}

/* How often to repeat so that a turn takes some milliseconds. */
static int calibrate(const bench_case *c, const side *s, void *state)
{
    int times = 1;
    if (turn(c, s, state, 1) < 0) /* and warm */
        return 0;
    while (times < 1 << 20) {
        double t = turn(c, s, state, times);
        if (t < 0)
            return 0;
        if (t > 5e-3)
            break;
        times *= 4;
    }
    return times;
}

static bool agree(const bench_case *c, const double *mine, int n, const double *other, int m, const char *who)
{
    for (int i = 0; i < n && i < m; i++)
        if (!(fabs(mine[i] - other[i]) <= c->tolerance * fabs(other[i]))) {
            printf("%-24s value %d is %.9g here and %.9g with %s: not measured\n", c->name, i, mine[i], other[i], who);
            return false;
        }
    return true;
}

static bool same_values(const bench_case *c, void *state)
{
    double mine[BENCH_MAX_VALUES], other[BENCH_MAX_VALUES];
    int n = c->values ? c->values(state, mine) : 0, m = 0;
    for (int p = 0; p < PEER_COUNT && n; p++)
        if (c->ask >> p & 1 && peer_values((bench_peer)p, c->name, other, &m) &&
            !agree(c, mine, n, other, m, peer_name((bench_peer)p)))
            return false;
    for (int i = 0; i < BENCH_MAX_OTHERS && c->differs && c->other[i].name; i++) {
        libraries_set_threads(c->other[i].threads);
        double d = c->differs(state, i);
        if (d <= 1) /* negative: not there */
            continue;
        printf("%-24s %s differs %.3g times what rounding allows: not measured\n", c->name, c->other[i].name, d);
        return false;
    }
    return true;
}

static bool is_jax(int p) { return (ASK_JAX >> p & 1) != 0; }

static void list_sides(const bench_case *c, row *r)
{
    int most = cpu_time ? 1 : c->threads;
    r->c = c;
    for (int threads = 1; threads <= most; threads++)
        r->side[r->n++] =
            (side){.name = threads == 1 ? "kiln 1T" : "kiln 2T", .threads = threads, .peer = -1, .run = c->run};
    r->kilns = r->n;
    for (int p = 0; p < PEER_COUNT; p++)
        if (c->ask >> p & 1 && !(cpu_time && p == PEER_JAX_2))
            r->side[r->n++] = (side){
                .name = peer_name((bench_peer)p), .threads = 1 + (p == PEER_JAX_2), .peer = p, .rival = is_jax(p)};
    for (int i = 0; i < BENCH_MAX_OTHERS && c->other[i].name; i++) {
        int threads = c->other[i].threads ? c->other[i].threads : 1;
        if (threads <= most)
            r->side[r->n++] = (side){.name = c->other[i].name,
                                     .threads = threads,
                                     .peer = -1,
                                     .run = c->other[i].run,
                                     .rival = c->other[i].peer};
    }
}

/* The fastest peer with so many threads, by medians or by the shortest turns. */
static const side *best_rival(const row *r, int threads, bool least)
{
    const side *best = NULL;
    for (int i = r->kilns; i < r->n; i++) {
        const side *s = &r->side[i];
        if (s->rival && s->threads == threads && isfinite(s->median) &&
            (!best || (least ? longer(r->c, s->least, best->least) : longer(r->c, s->median, best->median)) < 1))
            best = s;
    }
    return best;
}

/* "1.02 of blis 1T (of the least 1.01; goal 0.97: met)", for each number of threads. */
static void print_ratios(const row *r)
{
    double goal = busy ? BUSY_RATIO : r->c->ratio;
    for (int t = 0; t < r->kilns && goal > 0; t++) {
        const side *best = best_rival(r, t + 1, false), *quick = best_rival(r, t + 1, true);
        if (!best)
            continue;
        double ratio = longer(r->c, best->median, r->side[t].median),
               of_least = longer(r->c, quick->least, r->side[t].least);
        printf("  %.2f of %s (of the least %.2f; goal %.2f: %s)", ratio, best->name, of_least, goal,
               ratio >= goal ? "met" : "MISSED");
    }
}

/* "  12.3 ns a step", "  3.1 times control_lstm (goal 4: met)" */
static void print_loop(const row *r)
{
    double best = r->side[r->kilns - 1].median;
    if (r->c->steps)
        printf("  %.3g ns a step", best / scale_of(r->c->unit) * 1e9 / (double)bench_steps(r->c->steps));
    for (int i = 0; i < n_rows && r->c->forward; i++) {
        if (strcmp(rows[i].c->name, r->c->forward) != 0)
            continue;
        double times = best / rows[i].side[rows[i].kilns - 1].median;
        printf("  %.2f times %s (goal %.2g: %s)", times, r->c->forward, r->c->forward_goal,
               times <= r->c->forward_goal ? "met" : "MISSED");
    }
}

static void print_row(const row *r)
{
    double best = r->side[r->kilns - 1].median;
    printf("%-24s", r->c->name);
    for (int i = 0; i < r->n; i++) {
        const side *s = &r->side[i];
        if (!isfinite(s->median))
            printf("  %s -", s->name);
        else if (i < r->kilns)
            printf("  %s %.4g %s [%.4g, %.4g]", s->name, s->median, r->c->unit, s->least, s->most);
        else
            printf("  %s %.4g (%.2fx) [%.4g]", s->name, s->median, longer(r->c, s->median, best), s->least);
    }
    if (r->c->goal > 0 && r->kilns == r->c->threads)
        printf("  goal %.4g: %s", r->c->goal, best <= r->c->goal ? "met" : "MISSED");
    print_ratios(r);
    print_loop(r);
    printf("\n");
    fflush(stdout);
}

static void measure(const bench_case *c)
{
    static double t[MAX_SIDES][ROUNDS];
    void *state = c->setup();
    if (!state || kn_error_pending() || !same_values(c, state)) {
        printf("%-24s could not run: %s\n", c->name, kn_error_message());
        kn_error_clear();
        return;
    }
    row *r = &rows[n_rows++];
    list_sides(c, r);
    for (int i = 0; i < r->n; i++)
        r->side[i].times = calibrate(c, &r->side[i], state);
    for (int k = 0; k < ROUNDS; k++)
        for (int i = 0; i < r->n; i++) {
            const side *s = &r->side[i];
            t[i][k] = s->times ? measure_of(c, turn(c, s, state, s->times) / s->times) : NAN;
        }
    for (int i = 0; i < r->n; i++) {
        side *s = &r->side[i];
        bool rate = c->flops > 0; /* the shortest turn has the highest */
        qsort(t[i], ROUNDS, sizeof t[i][0], ascending);
        s->median = s->times ? t[i][ROUNDS / 2] : NAN;
        s->least = t[i][rate ? ROUNDS - 1 : 0];
        s->most = t[i][rate ? ROUNDS / 10 : ROUNDS - 1 - ROUNDS / 10];
    }
    print_row(r);
    if (c->note)
        c->note(state);
    if (c->teardown)
        c->teardown(state);
    kn_error_clear();
}

static void number(FILE *f, double v)
{
    if (isfinite(v))
        fprintf(f, "%.6g", v);
    else
        fprintf(f, "null");
}

static bool write_json(const char *path)
{
    FILE *f = fopen(path, "w");
    if (!f)
        return false;
    fprintf(f, "[\n");
    for (int i = 0; i < n_rows; i++) {
        const row *r = &rows[i];
        fprintf(f, "  {\"name\": \"%s\", \"unit\": \"%s\", \"better\": \"%s\", \"goal\": ", r->c->name, r->c->unit,
                r->c->flops > 0 ? "higher" : "lower");
        number(f, r->c->goal > 0 ? r->c->goal : NAN);
        for (int k = 0; k < r->n; k++) {
            fprintf(f, ", \"%s\": {\"median\": ", r->side[k].name);
            number(f, r->side[k].median);
            fprintf(f, ", \"least\": ");
            number(f, r->side[k].least);
            fprintf(f, ", \"p90\": ");
            number(f, r->side[k].most);
            fprintf(f, "}");
        }
        fprintf(f, "}%s\n", i + 1 < n_rows ? "," : "");
    }
    fprintf(f, "]\n");
    return fclose(f) == 0;
}

static bool wanted(const char *name, int n, char **names)
{
    for (int i = 0; i < n; i++)
        if (strstr(name, names[i]))
            return true;
    return n == 0;
}

/* The smallest program: its size, and how long it takes from being started to its end. */
static void measure_first(void)
{
    double t[ROUNDS];
    struct stat st;
    if (stat(KN_BENCH_FIRST, &st))
        return;
    for (int i = 0; i < ROUNDS; i++) {
        double start = bench_now();
        pid_t child = fork();
        if (child == 0) {
            execl(KN_BENCH_FIRST, KN_BENCH_FIRST, (char *)NULL);
            _exit(127);
        }
        int status = -1;
        waitpid(child, &status, 0);
        t[i] = status ? NAN : (bench_now() - start) * 1e3;
    }
    qsort(t, ROUNDS, sizeof t[0], ascending);
    printf("first program: %.2f MB stripped (goal 2), %.2f ms from start to end (goal 2; loading it included)\n",
           (double)st.st_size / 1e6, t[ROUNDS / 2]);
}

static const bench_case *const all[] = {
    bench_calls,     bench_compile,      bench_chains, bench_rows,     bench_moves,          bench_axes,
    bench_shifts,    bench_image,        bench_digits, bench_products, bench_layers,         bench_mlp,
    bench_attention, bench_convolutions, bench_pools,  bench_control,  bench_control_arrays, bench_writes,
    bench_symbolic,  bench_lengths,      bench_linalg, bench_small,    bench_transforms};
enum { GROUPS = sizeof all / sizeof *all };

static int list_names(void)
{
    for (int k = 0; k < GROUPS; k++)
        for (const bench_case *c = all[k]; c->name; c++)
            printf("%s\n", c->name);
    return 0;
}

/* Those that the wanted rows ask. */
static void start_peers(int n, char **names)
{
    unsigned ask = 0;
    bool libraries = false;
    for (int k = 0; k < GROUPS; k++)
        for (const bench_case *c = all[k]; c->name; c++)
            if (wanted(c->name, n, names)) {
                ask |= c->ask;
                libraries = libraries || c->differs || c->other[0].peer;
            }
    for (int p = 0; p < PEER_COUNT; p++)
        if (ask >> p & 1 && !(cpu_time && p == PEER_JAX_2)) {
            bool there = peer_start((bench_peer)p, cpu_time);
            printf("%s: %s%s\n", peer_name((bench_peer)p), there ? "" : "not there, ", peer_about((bench_peer)p));
        }
    for (int l = 0; l < LIB_COUNT && libraries; l++) {
        bool there = library_start((bench_library)l);
        printf("%s: %s%s\n", library_name((bench_library)l), there ? "" : "not there, ",
               library_about((bench_library)l));
    }
}

/* A process that wants a CPU all the time, and gives way to everybody. */
static pid_t start_busy(void)
{
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (nice(19) >= -1)
            for (volatile int i = 0;; i = i + 1)
                ;
    }
    return child;
}

int main(int argc, char **argv)
{
    const char *file = NULL;
    pid_t beside = 0;
    int n = 0;
    for (int i = 1; i < argc; i++) {
        size_t length = strlen(argv[i]);
        if (strcmp(argv[i], "--cpu") == 0)
            cpu_time = true;
        else if (strcmp(argv[i], "--busy") == 0)
            busy = true;
        else if (strcmp(argv[i], "--list") == 0)
            return list_names();
        else if (length > 5 && strcmp(argv[i] + length - 5, ".json") == 0)
            file = argv[i];
        else
            argv[1 + n++] = argv[i];
    }
    char **names = argv + 1;
    printf(
        "median [least, nine tenths] of %d turns, all sides in between; (x): how much longer than Kiln with the most "
        "threads\n",
        ROUNDS);
    if (busy)
        printf("beside a process that never rests, of the least priority\n");
    if (n == 0)
        measure_first();
    start_peers(n, names);
    if (busy)
        beside = start_busy();
    for (int k = 0; k < GROUPS; k++)
        for (const bench_case *c = all[k]; c->name; c++)
            if (wanted(c->name, n, names) && n_rows < MAX_ROWS)
                measure(c);
    if (beside > 0) {
        kill(beside, SIGKILL);
        waitpid(beside, NULL, 0);
    }
    for (int p = 0; p < PEER_COUNT; p++)
        peer_stop((bench_peer)p);
    if (file && !write_json(file)) {
        fprintf(stderr, "%s cannot be written\n", file);
        return 1;
    }
    return kn_shutdown();
}
