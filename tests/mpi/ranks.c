/* SPDX-License-Identifier: Apache-2.0
 * ranks.c -- what several processes do together, each a rank that mpirun starts: collectives have the bits of one
 * process, and processes that do different things, fail, stop or die are errors in all others. The first argument
 * says what is tried; ranks.sh says what has to come of it. */
#include "base/clock.h"
#include "base/dtype.h"
#include "base/memory.h"
#include "dist/dist.h"
#include "support/collectives.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 256 };
#define WHAT(name) ((kndist_what){(name), &(const kn_place){"user.c", __LINE__, "f"}})

static int rank, ranks, n_device;
static int32_t numbers[MOST];

static bool says(knx_error *e, const char *text)
{
    bool well = e && strstr(e->message, text);
    printf("rank %d: %s\n", rank, e ? e->message : "no error");
    fflush(stdout);
    knx_error_release(e);
    return well;
}

static knx_error *run(knx_error *(*work)(void *env, int i), void *env)
{
    const kndist_job *job = kndist_job_now();
    return kndist_run(NULL, job->n_local, numbers + job->process * job->n_local, NULL, work, env);
}

static kndist_group all(void) { return (kndist_group){n_device, kndist_self_now()->device, numbers}; }

/* ---- What is right. */

/* Of all dtypes where few processes share the machine. */
static bool agree(const kni_mesh *mesh, const char *name, bool all_dtypes)
{
    char fault[600];
    int checked = 0;
    const unsigned some = 1u << KN_ID_F32 | 1u << KN_ID_F16 | 1u << KN_ID_I8 | 1u << KN_ID_C128 | 1u << KN_ID_BOOL;
    for (int id = 0; id < KN_ID_COUNT; id++)
        if ((all_dtypes || (some >> id & 1)) &&
            !collectives_agree(mesh, &knx_dtype_table[id], fault, sizeof fault, &checked)) {
            printf("rank %d: %s\n", rank, fault);
            return false;
        }
    if (!rank)
        printf("%s: %d collectives agree\n", name, checked);
    return true;
}

static int try_agree(void)
{
    bool well = agree(collectives_mesh(n_device, 0, 0), "one axis", ranks <= 2);
    for (int x = 2; x < n_device && well; x++)
        if (n_device % x == 0)
            well = agree(collectives_mesh(x, n_device / x, 0), "two axes", false);
    if (well && n_device % 4 == 0)
        well = agree(collectives_mesh(2, 2, n_device / 4), "three axes", false);
    return !well;
}

/* Devices in another order, and those of some processes alone. */
static int try_parts(void)
{
    static const char *const name[] = {"x"};
    const kni_mesh *back, *some;
    int32_t device[MOST];
    int n = n_device / ranks * (ranks > 1 ? ranks - 1 : 1);
    for (int i = 0; i < n_device; i++)
        device[i] = n_device - 1 - i;
    if (kni_mesh_of(1, name, (int64_t[]){n_device}, device, &back) || kni_mesh_of(1, name, (int64_t[]){n}, NULL, &some))
        return 1;
    bool well = agree(back, "backwards", false);
    if (rank < ranks - 1 || ranks == 1)
        well = well && agree(some, "but the last process", false);
    return !(well && agree(back, "backwards", false));
}

static knx_error *gather_much(void *env, int i)
{
    size_t bytes = *(size_t *)env;
    char *x = malloc(bytes), *y = malloc(bytes * (size_t)n_device);
    kndist_group g = all();
    (void)i;
    memset(x, 1 + g.me, bytes);
    knx_error *error = kndist_all_gather(&g, WHAT("all_gather"), x, bytes, y);
    for (int k = 0; k < n_device && !error; k++)
        for (size_t at = 0; at < bytes; at += at + 4096 < bytes ? 4096 : 1)
            if (y[(size_t)k * bytes + at] != 1 + k)
                error = knx_error_new(KN_ERROR_ASSERTION, "byte %zu of %d", at, k);
    free(x);
    free(y);
    return error;
}

static int try_much(const char *megabytes)
{
    size_t bytes = (size_t)atol(megabytes) * 1000 * 1000 + 13;
    knx_error *error = run(gather_much, &bytes);
    if (error)
        says(error, "");
    else if (!rank)
        printf("much: %zu bytes of each\n", bytes);
    return error != NULL;
}

static knx_error *goes_well(void *env, int i)
{
    kndist_group g = all();
    int32_t mine = g.me, got[MOST];
    (void)env, (void)i;
    KN_TRY(kndist_all_gather(&g, WHAT("all_gather"), &mine, sizeof mine, got));
    for (int k = 0; k < n_device; k++)
        if (got[k] != k)
            return knx_error_new(KN_ERROR_ASSERTION, "%d is not %d", got[k], k);
    return NULL;
}

/* How long small and large movements take. */
static knx_error *take_times(void *env, int i)
{
    kndist_group g = all();
    size_t bytes[] = {0, 8, 2048, 65536, 4 << 20};
    char *x = calloc(1, 4 << 20), *y = malloc((size_t)(4 << 20) * (size_t)n_device);
    knx_error *error = NULL;
    (void)env, (void)i;
    for (int k = 0; k < 5 && !error; k++) {
        int times = k < 4 ? 200 : 10;
        double start = knx_seconds();
        for (int j = 0; j < times && !error; j++)
            error = kndist_all_gather(&g, WHAT("all_gather"), x, bytes[k], y);
        if (!g.me)
            printf("all_gather of %zu bytes: %.1f us\n", bytes[k], 1e6 * (knx_seconds() - start) / times);
    }
    free(x);
    free(y);
    return error;
}

static int try_times(void)
{
    double start = knx_seconds();
    for (int k = 0; k < 100; k++)
        if (run(goes_well, NULL))
            return 1;
    if (!rank)
        printf("a run of %d processes: %.1f us\n", ranks, 1e4 * (knx_seconds() - start));
    return run(take_times, NULL) != NULL;
}

/* ---- What goes wrong. */

static knx_error *other_operation(void *env, int i)
{
    kndist_group g = all();
    double x = i, y[MOST];
    (void)env;
    KN_TRY(kndist_all_gather(&g, WHAT("psum"), &x, sizeof x, y));
    return kndist_all_gather(&g, rank == 1 ? WHAT("pmax") : WHAT("all_gather"), &x, sizeof x, y);
}

static knx_error *other_bytes(void *env, int i)
{
    kndist_group g = all();
    static double x[4000], y[MOST * 4000];
    (void)env, (void)i;
    return kndist_all_gather(&g, WHAT("all_gather"), x, rank == 1 ? sizeof x : 8000, y);
}

static knx_error *ends_early(void *env, int i)
{
    kndist_group g = all();
    (void)env, (void)i;
    KN_TRY(kndist_barrier(&g, WHAT("barrier")));
    return rank == 1 ? NULL : kndist_barrier(&g, WHAT("another barrier"));
}

/* Large pieces are under way when it fails. */
static knx_error *one_fails(void *env, int i)
{
    kndist_group g = all();
    enum { N = 100000 };
    double *x = calloc(N, sizeof *x), *y = calloc((size_t)N * (size_t)n_device, sizeof *y);
    (void)env, (void)i;
    knx_error *error = kndist_barrier(&g, WHAT("barrier"));
    if (!error && rank == 1)
        error = knx_error_new(KN_ERROR_INDEX, "index 7 is out of bounds");
    if (!error)
        error = kndist_all_gather(&g, WHAT("all_gather"), x, N * sizeof *x, y);
    free(x);
    free(y);
    return error;
}

/* Several movements are under way when rank 1 does what `how` says, between start and wait: each with large pieces, but
 * where it dies, since MPI itself reads the memory of the dead then. */
enum { FAILS = -1, ANOTHER_ORDER = -2, WELL = -3 }; /* or a signal */
static knx_error *does_between(void *env, int i)
{
    kndist_group g = all();
    enum { SEVERAL = 3 };
    const int how = *(const int *)env;
    const size_t n = how == SIGKILL ? 100 : 100000;
    static const char *const name[2][SEVERAL] = {{"psum", "pmax", "all_gather"}, {"psum", "all_gather", "pmax"}};
    double *x = calloc(n * SEVERAL, sizeof *x), *y = calloc(n * SEVERAL * (size_t)n_device, sizeof *y);
    kndist_flight *f[SEVERAL];
    uint64_t since = kndist_started();
    knx_error *error = NULL;
    (void)i;
    for (int k = 0; k < SEVERAL && !error; k++) {
        x[(size_t)(k + 1) * n - 1] = 10 * k + g.me;
        kndist_move m = {.kind = KNDIST_GATHER,
                         .what = WHAT(name[rank == 1 && how == ANOTHER_ORDER][k]),
                         .send = x + (size_t)k * n,
                         .bytes = n * sizeof *x,
                         .recv = y + (size_t)k * n * (size_t)n_device};
        error = kndist_start(&g, &m, &f[k]);
        kndist_progress();
        if (rank == 1 && how > 0 && k == 1)
            raise(how);
    }
    if (!error && rank == 1 && how == FAILS)
        error = knx_error_new(KN_ERROR_INDEX, "index 7 is out of bounds");
    for (int k = 0; k < SEVERAL && !error; k++)
        error = kndist_wait(f[how == WELL ? SEVERAL - 1 - k : k]);
    if (error)
        kndist_abandon(since, error);
    for (int k = 0; k < SEVERAL * n_device && !error; k++)
        if (y[(size_t)(k + 1) * n - 1] != 10 * (k / n_device) + k % n_device)
            error = knx_error_new(KN_ERROR_ASSERTION, "piece %d is wrong", k);
    free(x);
    free(y);
    return error;
}

static int between(int how, const char *text)
{
    for (int round = 0; round < 3; round++) {
        knx_error *error = run(does_between, &how);
        if (text ? !says(error, text) : error != NULL)
            return 1;
        if (run(goes_well, NULL))
            return 1;
    }
    return 0;
}

/* An error ends the run everywhere, and the next run is well. */
static int recovers(knx_error *(*work)(void *env, int i), const char *text)
{
    for (int round = 0; round < 3; round++)
        if (!says(run(work, NULL), text) || run(goes_well, NULL))
            return 1;
    return 0;
}

static knx_error *one_leaves(void *env, int i)
{
    kndist_group g = all();
    const int *how = env;
    (void)i;
    KN_TRY(kndist_barrier(&g, WHAT("barrier")));
    if (rank == 1 && *how)
        raise(*how);
    return kndist_barrier(&g, WHAT("psum"));
}

static int without(int how, knx_error *(*work)(void *env, int i), const char *text)
{
    kndist_set_timeout(1);
    bool well = says(run(work, &how), text);
    sleep(3); /* who ends first ends all: the others are to have their say */
    return !well;
}

/* One process runs a program over another mesh. */
static int try_programs(void)
{
    const kni_mesh *mesh[2] = {collectives_mesh(n_device, 0, 0), collectives_mesh(n_device / 2, 2, 0)};
    const kndist_job *job = kndist_job_now();
    int32_t back[MOST];
    for (int i = 0; i < n_device; i++)
        back[i] = n_device - 1 - i;
    kndist_set_timeout(5);
    kndist_group whole = {n_device, 0, rank == 1 ? back : numbers};
    return !says(kndist_run_whole(mesh[rank == 1], &whole, job->n_local, numbers + job->process * job->n_local, NULL,
                                  goes_well, NULL),
                 "processes run different programs");
}

static int try_exit(void)
{
    if (rank == 1)
        return 0;
    kndist_set_timeout(20);
    return !says(run(goes_well, NULL), "has left");
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "agree";
    knx_error *error = kndist_join(NULL);
    const kndist_job *job = kndist_job_now();
    rank = job->process;
    ranks = job->n_process;
    n_device = ranks * job->n_local;
    for (int i = 0; i < MOST; i++)
        numbers[i] = i;
    if (error)
        return says(error, argc > 2 ? argv[2] : "?") ? 0 : 1;
    if (!strcmp(what, "agree"))
        return try_agree();
    if (!strcmp(what, "parts"))
        return try_parts();
    if (!strcmp(what, "much"))
        return try_much(argc > 2 ? argv[2] : "3");
    if (!strcmp(what, "times"))
        return try_times();
    if (!strcmp(what, "operation"))
        return recovers(other_operation, "devices run different movements: device ");
    if (!strcmp(what, "bytes"))
        return recovers(other_bytes, " bytes in all_gather at user.c:");
    if (!strcmp(what, "early"))
        return recovers(ends_early, "has ended");
    if (!strcmp(what, "fails"))
        return recovers(one_fails, "index 7 is out of bounds");
    if (!strcmp(what, "programs"))
        return try_programs();
    if (!strcmp(what, "exit"))
        return try_exit();
    if (!strcmp(what, "stop"))
        return without(SIGSTOP, one_leaves, "waited 1 s in psum at user.c:");
    if (!strcmp(what, "kill"))
        return without(SIGKILL, one_leaves, "psum at user.c:");
    if (!strcmp(what, "between"))
        return between(WELL, NULL);
    if (!strcmp(what, "between_fails"))
        return between(FAILS, "index 7 is out of bounds");
    if (!strcmp(what, "between_order"))
        return between(ANOTHER_ORDER, "devices run different movements: device ");
    if (!strcmp(what, "between_stop"))
        return without(SIGSTOP, does_between, "waited 1 s in ");
    if (!strcmp(what, "between_kill"))
        return without(SIGKILL, does_between, " at user.c:");
    return 2;
}
