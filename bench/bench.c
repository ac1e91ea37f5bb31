/* SPDX-License-Identifier: Apache-2.0
 * bench.c -- measures: `bench [FILE.json] [NAME...]` prints a table and writes the file. For each case the values of Kiln and its peers are
 * compared first; then they take turns, and medians and spreads are shown. The spread is half the distance of the quartiles, of the median. */
#include "bench.h"
#include <kiln/kiln.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 11, MAX_ROWS = 64 };

typedef struct row {
    const bench_case *c;
    double kiln, spread, peer[BENCH_MAX_PEERS];
} row;
static row rows[MAX_ROWS];
static int n_rows;

double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *t, double *spread)
{
    qsort(t, ROUNDS, sizeof *t, ascending);
    double m = t[ROUNDS / 2];
    if (spread)
        *spread = (t[ROUNDS * 3 / 4] - t[ROUNDS / 4]) / 2 / m;
    return m;
}

static double turn(const bench_case *c, int p, void *state, int times)
{
    double (*run)(void *, int) = p < 0 ? c->run : c->peer[p].run;
    return run ? run(state, times) : peer_run(c->name, times);
}

/* How often to repeat so that a turn takes some milliseconds. */
static int calibrate(const bench_case *c, int p, void *state)
{
    int times = 1;
    while (times < 1 << 20) {
        double t = turn(c, p, state, times);
        if (t < 0)
            return 0;
        if (t > 5e-3)
            break;
        times *= 4;
    }
    return times;
}

static bool same_values(const bench_case *c, void *state)
{
    double mine[BENCH_MAX_VALUES], other[BENCH_MAX_VALUES];
    int n = c->values(state, mine), m = 0;
    for (int p = 0; p < BENCH_MAX_PEERS && c->peer[p].name; p++) {
        if (c->peer[p].run || !peer_values(c->name, other, &m))
            continue;
        for (int i = 0; i < n && i < m; i++)
            if (!(fabs(mine[i] - other[i]) <= c->tolerance * fabs(other[i]))) {
                printf("%-24s value %d is %.9g here and %.9g with %s: not measured\n", c->name, i, mine[i], other[i],
                       c->peer[p].name);
                return false;
            }
    }
    return true;
}

static void measure(const bench_case *c)
{
    double t[BENCH_MAX_PEERS + 1][ROUNDS];
    int times[BENCH_MAX_PEERS + 1] = {0}, sides = 1;
    void *state = c->setup();
    if (!state || kn_error_pending() || !same_values(c, state)) {
        printf("%-24s could not run: %s\n", c->name, kn_error_message());
        kn_error_clear();
        return;
    }
    while (sides <= BENCH_MAX_PEERS && c->peer[sides - 1].name)
        sides++;
    for (int s = 0; s < sides; s++)
        times[s] = calibrate(c, s - 1, state);
    for (int r = 0; r < ROUNDS; r++)
        for (int s = 0; s < sides; s++)
            t[s][r] = times[s] ? turn(c, s - 1, state, times[s]) / times[s] * c->scale : NAN;
    row *out = &rows[n_rows++];
    out->c = c;
    out->kiln = median(t[0], &out->spread);
    printf("%-24s %9.3f %-3s +-%4.1f %%", c->name, out->kiln, c->unit, 100 * out->spread);
    for (int s = 1; s < sides; s++) {
        out->peer[s - 1] = times[s] ? median(t[s], NULL) : NAN;
        printf("   %s %.3f (%.2fx)", c->peer[s - 1].name, out->peer[s - 1], out->peer[s - 1] / out->kiln);
    }
    if (c->goal > 0)
        printf("   goal %s: %s", c->goal_text, out->kiln <= c->goal ? "met" : "MISSED");
    printf("\n");
    fflush(stdout);
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
                "  {\"name\": \"%s\", \"unit\": \"%s\", \"better\": \"lower\", \"threads\": 1, \"kiln\": ", r->c->name,
                r->c->unit);
        number(f, r->kiln);
        fprintf(f, ", \"spread\": ");
        number(f, r->spread * r->kiln);
        fprintf(f, ", \"peers\": {");
        for (int p = 0; p < BENCH_MAX_PEERS && r->c->peer[p].name; p++) {
            fprintf(f, "%s\"%s\": ", p ? ", " : "", r->c->peer[p].name);
            number(f, r->peer[p]);
        }
        fprintf(f, "}, \"goal\": ");
        number(f, r->c->goal > 0 ? r->c->goal : NAN);
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

int main(int argc, char **argv)
{
    const bench_case *const all[] = {bench_calls, bench_chains, bench_digits};
    bool peer = peer_start();
    printf("one thread; median of %d turns, the peers in between; peer: %s\n", ROUNDS, peer_why_not());
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        for (const bench_case *c = all[k]; c->name; c++)
            if (wanted(c->name, argc > 2 ? argc - 2 : 0, argv + 2))
                measure(c);
    if (peer)
        peer_stop();
    if (argc > 1 && !write_json(argv[1])) {
        fprintf(stderr, "%s cannot be written\n", argv[1]);
        return 1;
    }
    return kn_shutdown();
}
