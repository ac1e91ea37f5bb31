/* SPDX-License-Identifier: Apache-2.0
 * bench.c -- measures: `bench [--cpu|--busy|--check] [FILE.json] [NAME...]` prints a table and writes the file; only the
 * rows whose names contain one of these NAMEs or fit it (sort_*), or whose family it is (--list: all names, and families
 * in front of them). For each case the values of Kiln and its peers are compared first; then they take turns, and medians
 * are shown, with the least and the ninth tenth of Kiln's and the least of the others'. --cpu: CPU time of one thread
 * instead of time, for a machine on which others work. --busy: beside a process of the least priority that never rests;
 * every row that has a rival is to keep BUSY_RATIO of the best one. --check: values are compared, nothing is measured. */
#include "bench.h"
#include "libraries.h"
#include "work.h"
#include <fnmatch.h>
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

/* A side has fewer turns if all of them would take longer than BUDGET, in seconds; none but the first if that takes longer
 * than PATIENCE, and of a peer longer than PEER_PATIENCE and FAR_BEHIND times Kiln's. */
#define BUDGET        0.6
#define PATIENCE      1.5
#define PEER_PATIENCE 0.1
#define FAR_BEHIND    4

enum { ROUNDS = 11, FEWEST = 3, FEW = 16, MAX_ROWS = 1024, MAX_SIDES = 2 + PEER_COUNT + BENCH_MAX_OTHERS };

/* One column of a row: Kiln with some threads, a peer, another way. */
typedef struct side {
    const char *name;
    int threads, times, turns;
    double once; /* seconds of its last turn while it was found out how often to repeat */
    int peer;    /* -1: here */
    bool rival;  /* the ratio is about it */
    double (*run)(void *, int);
    double least, median, most; /* in time: of the turns the shortest, the middle one, the one at nine tenths */
} side;
typedef struct row {
    const bench_case *c;
    const char *family;
    int n, kilns; /* sides; the first ones are Kiln */
    side side[MAX_SIDES];
} row;
static row rows[MAX_ROWS];
static int n_rows;
static bool cpu_time, busy, check;
static bool absent[PEER_COUNT]; /* it has nothing for this row */

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

/* How often to repeat so that a turn takes some milliseconds, and how many turns there are to be. */
static int calibrate(const bench_case *c, side *s, const side *kiln, void *state)
{
    double behind = FAR_BEHIND * kiln->once / (kiln->times ? kiln->times : 1);
    double patience = s->peer < 0 ? PATIENCE : behind > PEER_PATIENCE ? behind : PEER_PATIENCE;
    int times = 1;
    s->once = turn(c, s, state, 1); /* and warm */
    if (s->once < 0)
        return 0;
    while (times < 1 << 20 && s->once < patience) {
        s->once = turn(c, s, state, times);
        if (s->once < 0)
            return 0;
        if (s->once > 5e-3)
            break;
        times *= 4;
    }
    double fit = BUDGET / (times < FEW ? (times + 1) * s->once / times : s->once);
    s->turns = s->once >= patience ? 0 : fit < FEWEST ? FEWEST : fit < ROUNDS ? (int)fit : ROUNDS;
    return times;
}

static bool same(double x, double y, double allowed)
{
    return x == y || (isnan(x) && isnan(y)) || fabs(x - y) <= allowed;
}

/* Of a table's row the difference is a part of the largest number, since others are made of larger ones that cancel. */
static bool agree(const bench_case *c, const double *mine, int n, const double *other, int m, const char *who)
{
    double largest = 0;
    for (int i = 0; i < m && c->work; i++)
        largest = isfinite(other[i]) ? fmax(largest, fabs(other[i])) : largest;
    for (int i = 0; i < n && i < m; i++)
        if (!same(mine[i], other[i], c->tolerance * fmax(fabs(other[i]), largest))) {
            printf("%-24s value %d is %.9g here and %.9g with %s: not measured\n", c->name, i, mine[i], other[i], who);
            return false;
        }
    return true;
}

static bool same_values(const bench_case *c, void *state)
{
    double mine[BENCH_MAX_VALUES], other[BENCH_MAX_VALUES];
    int n = c->values ? c->values(state, mine) : 0, m = 0;
    for (int p = 0; p < PEER_COUNT; p++)
        absent[p] = c->work && !(c->ask >> p & 1 && peer_make((bench_peer)p, work_text(state)));
    for (int p = 0; p < PEER_COUNT && n; p++)
        if (c->ask >> p & 1 && !absent[p] && peer_values((bench_peer)p, c->name, other, &m) &&
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
static bool has_two(int p) { return p == PEER_JAX_2 || p == PEER_TORCH_2; }

static void list_sides(const bench_case *c, row *r)
{
    int most = cpu_time ? 1 : c->threads;
    r->c = c;
    for (int threads = 1; threads <= most; threads++)
        r->side[r->n++] =
            (side){.name = threads == 1 ? "kiln 1T" : "kiln 2T", .threads = threads, .peer = -1, .run = c->run};
    r->kilns = r->n;
    for (int p = 0; p < PEER_COUNT; p++)
        if (c->ask >> p & 1 && !absent[p] && !(cpu_time && has_two(p)))
            r->side[r->n++] = (side){
                .name = peer_name((bench_peer)p), .threads = 1 + has_two(p), .peer = p, .rival = c->work || is_jax(p)};
    for (int i = 0; i < BENCH_MAX_OTHERS && c->other[i].name && !(c->work && !c->work->c); i++) {
        int threads = c->other[i].threads ? c->other[i].threads : 1;
        if (threads <= most)
            r->side[r->n++] = (side){.name = c->other[i].name,
                                     .threads = threads,
                                     .peer = -1,
                                     .run = c->other[i].run,
                                     .rival = c->other[i].peer};
    }
}

/* The fastest peer with so many threads (of a table's row, or with fewer: NumPy has one), by medians or by the shortest turns. */
static const side *best_rival(const row *r, int threads, bool least)
{
    const side *best = NULL;
    for (int i = r->kilns; i < r->n; i++) {
        const side *s = &r->side[i];
        bool fits = s->threads == threads || (r->c->work && s->threads < threads);
        if (s->rival && fits && isfinite(s->median) &&
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

/* The turn'th of all ROUNDS is one of its own. */
static bool has_turn(const side *s, int turn) { return (turn + 1) * s->turns / ROUNDS != turn * s->turns / ROUNDS; }

static void summarise(const bench_case *c, side *s, double *t, int n)
{
    bool rate = c->flops > 0; /* the shortest turn has the highest */
    if (s->times && n == 0)
        t[n++] = measure_of(c, s->once);
    qsort(t, (size_t)n, sizeof *t, ascending);
    s->median = n ? t[n / 2] : NAN;
    s->least = n ? t[rate ? n - 1 : 0] : NAN;
    s->most = n ? t[rate ? n / 10 : n - 1 - n / 10] : NAN;
}

static void measure(const bench_case *c, const char *family)
{
    static double t[MAX_SIDES][ROUNDS];
    int taken[MAX_SIDES] = {0};
    void *state = c->work ? work_setup(c) : c->setup();
    if (!state || kn_error_pending() || !same_values(c, state)) {
        printf("%-24s could not run: %s\n", c->name, kn_error_message());
        kn_error_clear();
        if (state && c->work)
            work_teardown(state);
        return;
    }
    if (check) {
        printf("%-24s same values\n", c->name);
        fflush(stdout);
        if (c->teardown)
            c->teardown(state);
        return;
    }
    row *r = &rows[n_rows++];
    r->family = family;
    list_sides(c, r);
    for (int i = 0; i < r->n; i++)
        r->side[i].times = calibrate(c, &r->side[i], &r->side[0], state);
    for (int k = 0; k < ROUNDS; k++)
        for (int i = 0; i < r->n; i++) {
            const side *s = &r->side[i];
            if (s->times && has_turn(s, k))
                t[i][taken[i]++] = measure_of(c, turn(c, s, state, s->times) / s->times);
        }
    for (int i = 0; i < r->n; i++)
        summarise(c, &r->side[i], t[i], taken[i]);
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
        fprintf(f,
                "  {\"name\": \"%s\", \"family\": \"%s\", \"unit\": \"%s\", \"better\": \"%s\", \"goal\": ", r->c->name,
                r->family, r->c->unit, r->c->flops > 0 ? "higher" : "lower");
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

static bool wanted(const char *name, const char *family, int n, char **names)
{
    for (int i = 0; i < n; i++)
        if (strstr(name, names[i]) || fnmatch(names[i], name, 0) == 0 || strcmp(names[i], family) == 0)
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

static const struct family {
    const char *name;
    const bench_case *cases;
} all[] = {
    {"calls", bench_calls},
    {"compile", bench_compile},
    {"chains", bench_chains},
    {"rows", bench_rows},
    {"moves", bench_moves},
    {"axes", bench_axes},
    {"shifts", bench_shifts},
    {"image", bench_image},
    {"digits", bench_digits},
    {"products", bench_products},
    {"layers", bench_layers},
    {"mlp", bench_mlp},
    {"attention", bench_attention},
    {"convolutions", bench_convolutions},
    {"pools", bench_pools},
    {"control", bench_control},
    {"control", bench_control_arrays},
    {"writes", bench_writes},
    {"symbolic", bench_symbolic},
    {"lengths", bench_lengths},
    {"linalg", bench_linalg},
    {"small", bench_small},
    {"webgpu", bench_webgpu},
    {"transforms", bench_transforms},
    {"sorting", bench_sorting},
    {"searching", bench_searching},
    {"indexing", bench_indexing},
    {"scanning", bench_scanning},
    {"strides", bench_strides},
    {"copies", bench_copies},
    {"functions", bench_functions},
    {"types", bench_types},
    {"convolve", bench_convolve},
    {"matrices", bench_matrix_products},
    {"random", bench_random},
    {"rng", bench_rng},
    {"programs", bench_programs},
    {"sizes_10", bench_sizes_10},
    {"sizes_1e3", bench_sizes_1e3},
    {"sizes_1e5", bench_sizes_1e5},
    {"sizes_1e7", bench_sizes_1e7},
};
enum { FAMILIES = sizeof all / sizeof *all };

static int list_names(void)
{
    for (int k = 0; k < FAMILIES; k++)
        for (const bench_case *c = all[k].cases; c->name; c++)
            printf("%s %s\n", all[k].name, c->name);
    return 0;
}

/* Those that the wanted rows ask. */
static void start_peers(int n, char **names)
{
    unsigned ask = 0;
    bool libraries = false;
    for (int k = 0; k < FAMILIES; k++)
        for (const bench_case *c = all[k].cases; c->name; c++)
            if (wanted(c->name, all[k].name, n, names)) {
                ask |= c->ask;
                libraries = libraries || (c->differs && !c->work) || c->other[0].peer;
            }
    for (int p = 0; p < PEER_COUNT; p++)
        if (ask >> p & 1 && !(cpu_time && has_two(p))) {
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
    bool written = true;
    pid_t beside = 0;
    int n = 0;
    for (int i = 1; i < argc; i++) {
        size_t length = strlen(argv[i]);
        if (strcmp(argv[i], "--cpu") == 0)
            cpu_time = true;
        else if (strcmp(argv[i], "--busy") == 0)
            busy = true;
        else if (strcmp(argv[i], "--check") == 0)
            check = true;
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
    if (n == 0 && !check)
        measure_first();
    start_peers(n, names);
    if (busy)
        beside = start_busy();
    for (int k = 0; k < FAMILIES; k++)
        for (const bench_case *c = all[k].cases; c->name; c++)
            if (wanted(c->name, all[k].name, n, names) && n_rows < MAX_ROWS) {
                measure(c, all[k].name);
                written = !file || check || write_json(file); /* again: a run that is cut off has told something */
            }
    if (beside > 0) {
        kill(beside, SIGKILL);
        waitpid(beside, NULL, 0);
    }
    for (int p = 0; p < PEER_COUNT; p++)
        peer_stop((bench_peer)p);
    if (!written) {
        fprintf(stderr, "%s cannot be written\n", file);
        return 1;
    }
    return kn_shutdown();
}
