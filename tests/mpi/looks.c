/* SPDX-License-Identifier: Apache-2.0
 * looks.c -- tests of one process with several devices run as several processes, without a change:
 *
 *     kndist_set_local(n)     does nothing: KILN_DEVICES has said how many devices each process has, together n or a few more
 *     knd_join_parts          somebody looks at an array: all processes do, each at the same time, since they run the same calls; so its parts
 *                             come from all of them. To users that is an error, as where one process alone looks it would wait for ever
 *     mkdtemp, system         the first process makes a folder, which all of them use, and runs a command, which removes it, when all have come
 *     kn_save                 all write the same file, one after the other in its place
 *
 * Each look is written to the file $KILN_TEST_LOOKS.PROCESS: dtype, shape and a hash of the bits. That of one process alone has to be the same
 * (looks.sh compares). */
#include "mpi/looks.h"
#include "device/mesh/mesh.h"
#include "dist/dist.h"
#include "kiln/kiln.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

knx_error *__real_kndist_set_local(int n);
knx_error *__wrap_kndist_set_local(int n);
knx_error *__real_knd_join_parts(const knd_mesh *d, const knd_parts *p, void *to);
knx_error *__wrap_knd_join_parts(const knd_mesh *d, const knd_parts *p, void *to);
char *__real_mkdtemp(char *path);
char *__wrap_mkdtemp(char *path);
int __real_system(const char *command);
int __wrap_system(const char *command);
int __real_kn_save(const char *path, kn_array x, const kn_save_opts *o);
int __wrap_kn_save(const char *path, kn_array x, const kn_save_opts *o);

static FILE *looks;

bool looks_begin(int *argc, char ***argv)
{
    const char *path = getenv("KILN_TEST_LOOKS");
    bool joined = true;
    if (*argc > 1 && strcmp((*argv)[1], "mpi") == 0) {
        joined = kn_distributed_init(.timeout = 120);
        (*argv)[1] = (*argv)[0];
        ++*argv, --*argc;
    }
    if (joined && path) {
        char name[4096];
        snprintf(name, sizeof name, "%s.%d", path, kndist_job_now()->process);
        looks = fopen(name, "w");
    }
    return joined;
}

int looks_end(int status)
{
    if (looks && fclose(looks) != 0)
        status = 1;
    if (kndist_is_joined() && !kn_distributed_shutdown())
        status = 1;
    return status;
}

knx_error *__wrap_kndist_set_local(int n)
{
    const kndist_job *job = kndist_job_now();
    if (job->n_process == 1)
        return __real_kndist_set_local(n);
    int all = job->n_process * job->n_local;
    return n <= all ? NULL : knx_error_new(KN_ERROR_RUNTIME, "%d devices are wanted, the processes have %d", n, all);
}

/* ---- All devices of the job, whatever mesh there is. */

typedef struct gathering {
    const char *what;
    int n, n_local;
    int32_t *device;
    const void *const *send; /* per local device; NULL: it has nothing to say */
    size_t bytes;
    void **recv; /* per local device: the bytes of all of them */
} gathering;

static knx_error *gather_on_device(void *env, int i)
{
    const gathering *g = env;
    const kndist_group all = {g->n, kndist_self_now()->device, g->device};
    void *mine = calloc(1, g->bytes + 1);
    if (mine && g->send[i] && g->bytes)
        memcpy(mine, g->send[i], g->bytes);
    knx_error *error =
        mine ? kndist_all_gather(&all, (kndist_what){g->what, NULL}, mine, g->bytes, g->recv[i]) : knx_error_nomem();
    free(mine);
    return error;
}

/* Into `all`, `bytes` of each device of the job. */
static knx_error *gather(const char *what, const void *const *send, size_t bytes, void *all)
{
    static const char *const names[] = {"all_of_the_job"};
    const kndist_job *job = kndist_job_now();
    int n = job->n_process * job->n_local, k = job->n_local;
    const kni_mesh *m;
    KN_TRY(kni_mesh_of(1, names, &(int64_t){n}, NULL, &m));
    int32_t *device = calloc((size_t)n, sizeof *device);
    int64_t *in_mesh = calloc((size_t)k, sizeof *in_mesh);
    gathering g = {what, n, k, device, send, bytes, calloc((size_t)k, sizeof(void *))};
    for (int i = 0; i < n; i++)
        device[i] = i;
    for (int i = 0; i < k; i++) {
        in_mesh[i] = job->process * k + i;
        g.recv[i] = i ? malloc((size_t)n * bytes + 1) : all;
    }
    knx_error *error = kndist_run(m, k, device + job->process * k, in_mesh, gather_on_device, &g);
    for (int i = 1; i < k; i++)
        free(g.recv[i]);
    free(g.recv);
    free(in_mesh);
    free(device);
    return error;
}

/* ---- Looks. */

static void write_down(kni_type t, const void *data)
{
    const unsigned char *p = data;
    uint64_t hash = 14695981039346656037u;
    knx_text text = {0};
    if (!looks)
        return;
    for (knx_bytes i = 0; i < kni_type_bytes(t); i++)
        hash = (hash ^ p[i]) * 1099511628211u;
    fprintf(looks, "%s %016" PRIx64 "\n", kni_type_text(&text, t, false), hash);
    fflush(looks);
}

/* The same mesh as if all of its devices were here. */
static knx_error *join_all(const knd_mesh *d, const knd_parts *p, const char *all, size_t bytes, void *to)
{
    const kni_mesh *m = d->mesh;
    size_t n = (size_t)m->n_device;
    knd_mesh here = *d;
    knd_parts parts = *p;
    here.n_local = parts.n = (int)n;
    here.in_mesh = calloc(n, sizeof *here.in_mesh);
    parts.part = calloc(n, sizeof(knx_buffer *));
    for (size_t i = 0; i < n; i++) {
        here.in_mesh[i] = (int64_t)i;
        parts.part[i] = knx_buffer_new(bytes);
        if (bytes)
            memcpy(parts.part[i]->data, all + (size_t)m->device[i] * bytes, bytes);
    }
    knx_error *error = __real_knd_join_parts(&here, &parts, to);
    for (size_t i = 0; i < n; i++)
        knx_buffer_release(parts.part[i]);
    free(parts.part);
    free(here.in_mesh);
    return error;
}

static knx_error *look_together(const knd_mesh *d, const knd_parts *p, void *to)
{
    const kndist_job *job = kndist_job_now();
    size_t bytes = (size_t)knd_part_bytes(p->type, p->sharding);
    const void **send = calloc((size_t)job->n_local, sizeof *send);
    char *all = malloc((size_t)(job->n_process * job->n_local) * bytes + 1);
    for (int i = 0; i < d->n_local; i++)
        send[d->device[i] - job->process * job->n_local] = p->part[i]->data;
    knx_error *error = gather("look", send, bytes, all);
    if (!error)
        error = join_all(d, p, all, bytes, to);
    free(all);
    free(send);
    return error;
}

knx_error *__wrap_knd_join_parts(const knd_mesh *d, const knd_parts *p, void *to)
{
    KN_TRY(kndist_job_now()->n_process == 1 ? __real_knd_join_parts(d, p, to) : look_together(d, p, to));
    write_down(p->type, to);
    return NULL;
}

/* ---- Files. */

/* The number (and the text, of so many bytes) that the first process has. */
static bool from_first(const char *what, int *number, char *text, size_t bytes)
{
    const kndist_job *job = kndist_job_now();
    size_t size = sizeof *number + bytes;
    const void **send = calloc((size_t)job->n_local, sizeof *send);
    char *mine = malloc(size), *all = malloc((size_t)(job->n_process * job->n_local) * size);
    memcpy(mine, number, sizeof *number);
    if (bytes)
        memcpy(mine + sizeof *number, text, bytes);
    send[0] = mine;
    knx_error *error = gather(what, send, size, all);
    memcpy(number, all, sizeof *number);
    if (bytes)
        memcpy(text, all + sizeof *number, bytes);
    bool well = !error;
    knx_error_release(error);
    free(mine);
    free(all);
    free(send);
    return well;
}

static bool is_first(void) { return !kndist_job_now()->process; }
static bool is_alone(void) { return kndist_job_now()->n_process == 1; }
static bool all_come(const char *what) { return from_first(what, &(int){0}, NULL, 0); }

char *__wrap_mkdtemp(char *path)
{
    if (is_alone())
        return __real_mkdtemp(path);
    int made = is_first() && __real_mkdtemp(path);
    return from_first("mkdtemp", &made, path, strlen(path) + 1) && made ? path : NULL;
}

int __wrap_system(const char *command)
{
    if (is_alone())
        return __real_system(command);
    int status = all_come("system") && is_first() ? __real_system(command) : 0;
    return from_first("system", &status, NULL, 0) ? status : -1;
}

/* Each writes the file, beside its place, when all have read the former one: who reads it meets a whole one. */
int __wrap_kn_save(const char *path, kn_array x, const kn_save_opts *o)
{
    char own[4096];
    if (is_alone() || !path)
        return __real_kn_save(path, x, o);
    snprintf(own, sizeof own, "%s.%d.npy", path, kndist_job_now()->process);
    bool well = all_come("save") && !__real_kn_save(own, x, o) && rename(own, path) == 0;
    return all_come("saved") && well ? 0 : -1;
}
