/* SPDX-License-Identifier: Apache-2.0
 * module.c -- the module libkiln_mpi.so: processes reached by MPI (3.1 or newer), on a communicator of its own. It
 * is not a part of the library, which never links MPI. */
#include "dist/transport.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct kndist_transport *kndist_transport_open(const void *communicator, char *why, size_t room);

static MPI_Comm all = MPI_COMM_NULL;
static int initialized_here;
static int ended; /* the program has called MPI_Finalize, behind which there are no calls */
static struct kndist_transport table;

/* Those under way: MPI's, and ours beside them, which callers hold. MPI is asked for all of them together. */
typedef struct request {
    int at;   /* of MPI's; -1: it is done */
    int code; /* and went so */
} request;
static MPI_Request *under_way;
static request **owner;
static int *finished;
static int n_under_way, places;

static int make_places(void)
{
    int more = places ? 2 * places : 64;
    if (n_under_way < places)
        return 1;
    MPI_Request *a = realloc(under_way, (size_t)more * sizeof *a);
    under_way = a ? a : under_way;
    request **b = realloc(owner, (size_t)more * sizeof *b);
    owner = b ? b : owner;
    int *c = realloc(finished, (size_t)more * sizeof *c);
    finished = c ? c : finished;
    if (!a || !b || !c)
        return 0;
    places = more;
    return 1;
}

static request *new_request(void **out)
{
    request *r = make_places() ? malloc(sizeof *r) : NULL;
    *out = r;
    if (r)
        *r = (request){n_under_way, MPI_SUCCESS};
    return r;
}

static int begun(int code, request *r, void **out)
{
    if (code == MPI_SUCCESS) {
        owner[n_under_way++] = r;
        return code;
    }
    free(r);
    *out = NULL;
    return code;
}

static int module_send(int to, int tag, const void *p, size_t bytes, void **out)
{
    request *r = ended ? NULL : new_request(out);
    if (ended)
        return MPI_ERR_OTHER;
    return r ? begun(MPI_Isend(p, (int)bytes, MPI_BYTE, to, tag, all, &under_way[r->at]), r, out) : MPI_ERR_NO_MEM;
}

static int module_receive(int from, int tag, void *p, size_t bytes, void **out)
{
    request *r = ended ? NULL : new_request(out);
    if (ended)
        return MPI_ERR_OTHER;
    return r ? begun(MPI_Irecv(p, (int)bytes, MPI_BYTE, from, tag, all, &under_way[r->at]), r, out) : MPI_ERR_NO_MEM;
}

/* The last one takes its place. */
static void take_out(int at)
{
    owner[at]->at = -1;
    n_under_way--;
    under_way[at] = under_way[n_under_way];
    owner[at] = owner[n_under_way];
    if (at < n_under_way)
        owner[at]->at = at;
}

static int by_place(const void *a, const void *b) { return *(const int *)b - *(const int *)a; }

/* How one that failed did so its owner is told. */
static int module_progress(void)
{
    int n = 0, code;
    if (!n_under_way)
        return MPI_SUCCESS;
    MPI_Status *status = malloc((size_t)n_under_way * sizeof *status);
    if (!status)
        return MPI_ERR_NO_MEM;
    code = MPI_Testsome(n_under_way, under_way, &n, finished, status);
    for (int i = 0; code == MPI_ERR_IN_STATUS && i < n; i++)
        owner[finished[i]]->code = status[i].MPI_ERROR;
    free(status);
    if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS)
        return code;
    if (n > 1) /* from the last one down, so that places stay */
        qsort(finished, (size_t)n, sizeof *finished, by_place);
    for (int i = 0; i < n; i++)
        take_out(finished[i]);
    return MPI_SUCCESS;
}

static int module_test(void **out)
{
    request *r = *out;
    int code = r->code;
    if (r->at >= 0)
        return MPI_SUCCESS;
    free(r);
    *out = NULL;
    return code;
}

static void cancel(int at)
{
    int done = 0;
    MPI_Cancel(&under_way[at]);
    MPI_Test(&under_way[at], &done, MPI_STATUS_IGNORE);
    if (!done)
        MPI_Request_free(&under_way[at]);
    take_out(at);
}

static void give_up(void **out)
{
    request *r = *out;
    if (r->at >= 0)
        cancel(r->at);
    free(r);
    *out = NULL;
}

/* MPI calls it when MPI_Finalize begins. */
static int end(MPI_Comm self, int key, void *value, void *extra)
{
    (void)self, (void)key, (void)value, (void)extra;
    while (n_under_way) {
        owner[n_under_way - 1]->code = MPI_ERR_OTHER;
        cancel(n_under_way - 1);
    }
    ended = 1;
    return MPI_SUCCESS;
}

static int watch_end(void)
{
    int key, code = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end, &key, NULL);
    return code == MPI_SUCCESS ? MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL) : code;
}

static void text_of(int code, char *to, size_t room)
{
    char text[MPI_MAX_ERROR_STRING];
    int n = 0;
    if (ended)
        snprintf(text, sizeof text, "MPI_Finalize has been called");
    else if (MPI_Error_string(code, text, &n) != MPI_SUCCESS)
        snprintf(text, sizeof text, "error %d of MPI", code);
    snprintf(to, room, "%s", text);
}

static int module_close(void)
{
    int code;
    n_under_way = 0;
    free(under_way);
    free(owner);
    free(finished);
    if (ended)
        return MPI_SUCCESS;
    code = MPI_Comm_free(&all);
    return initialized_here ? MPI_Finalize() : code;
}

static void module_abort(void)
{
    if (ended)
        _Exit(1);
    MPI_Abort(all, 1);
}

static const struct kndist_transport *refuse(char *why, size_t room, int code)
{
    text_of(code, why, room);
    return NULL;
}

const struct kndist_transport *kndist_transport_open(const void *communicator, char *why, size_t room)
{
    int initialized = 0, finalized = 0, level = MPI_THREAD_SINGLE, code, found = 0, *last = NULL;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    if (finalized) {
        snprintf(why, room, "MPI_Finalize has been called");
        return NULL;
    }
    if (!initialized && communicator) {
        snprintf(why, room, "a communicator was given before MPI_Init was called");
        return NULL;
    }
    setenv("OMPI_MCA_mpi_yield_when_idle", "0",
           1); /* Open MPI, which would yield with our lock: who waits here sleeps */
    if (!initialized && (code = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level)) != MPI_SUCCESS)
        return refuse(why, room, code);
    initialized_here = !initialized;
    MPI_Query_thread(&level);
    if ((code = MPI_Comm_dup(communicator ? *(const MPI_Comm *)communicator : MPI_COMM_WORLD, &all)) != MPI_SUCCESS)
        return refuse(why, room, code);
    if ((code = watch_end()) != MPI_SUCCESS)
        return refuse(why, room, code);
    MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN);
    MPI_Comm_get_attr(all, MPI_TAG_UB, &last, &found);
    table = (struct kndist_transport){.version = KNDIST_TRANSPORT_VERSION,
                                      .last_tag = found ? *last : 32767,
                                      .any_thread = level >= MPI_THREAD_SERIALIZED,
                                      .most = (size_t)1 << 30,
                                      .send = module_send,
                                      .receive = module_receive,
                                      .progress = module_progress,
                                      .test = module_test,
                                      .give_up = give_up,
                                      .text = text_of,
                                      .close = module_close,
                                      .abort = module_abort};
    MPI_Comm_rank(all, &table.process);
    MPI_Comm_size(all, &table.n_process);
    return &table;
}
