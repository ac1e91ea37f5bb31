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
static struct kndist_transport table;

static MPI_Request *new_request(void **out)
{
    MPI_Request *r = malloc(sizeof *r);
    *out = r;
    return r;
}

static int begun(int code, void **request)
{
    if (code != MPI_SUCCESS) {
        free(*request);
        *request = NULL;
    }
    return code;
}

static int module_send(int to, int tag, const void *p, size_t bytes, void **request)
{
    MPI_Request *r = new_request(request);
    return r ? begun(MPI_Isend(p, (int)bytes, MPI_BYTE, to, tag, all, r), request) : MPI_ERR_NO_MEM;
}

static int module_receive(int from, int tag, void *p, size_t bytes, void **request)
{
    MPI_Request *r = new_request(request);
    return r ? begun(MPI_Irecv(p, (int)bytes, MPI_BYTE, from, tag, all, r), request) : MPI_ERR_NO_MEM;
}

static int module_test(void **request)
{
    int done = 0, code = MPI_Test(*request, &done, MPI_STATUS_IGNORE);
    if (done || code != MPI_SUCCESS) {
        free(*request);
        *request = NULL;
    }
    return code;
}

static void give_up(void **request)
{
    MPI_Request *r = *request;
    int done = 0;
    MPI_Cancel(r);
    MPI_Test(r, &done, MPI_STATUS_IGNORE);
    if (!done)
        MPI_Request_free(r);
    free(r);
    *request = NULL;
}

static void text_of(int code, char *to, size_t room)
{
    char text[MPI_MAX_ERROR_STRING];
    int n = 0;
    if (MPI_Error_string(code, text, &n) != MPI_SUCCESS)
        snprintf(text, sizeof text, "error %d of MPI", code);
    snprintf(to, room, "%s", text);
}

static int module_close(void)
{
    int finalized = 0, code;
    MPI_Finalized(&finalized);
    if (finalized)
        return MPI_SUCCESS;
    code = MPI_Comm_free(&all);
    return initialized_here ? MPI_Finalize() : code;
}

static void module_abort(void) { MPI_Abort(all, 1); }

static const struct kndist_transport *refuse(char *why, size_t room, int code)
{
    text_of(code, why, room);
    return NULL;
}

const struct kndist_transport *kndist_transport_open(const void *communicator, char *why, size_t room)
{
    int initialized = 0, level = MPI_THREAD_SINGLE, code, found = 0, *last = NULL;
    MPI_Initialized(&initialized);
    if (!initialized && communicator) {
        snprintf(why, room, "a communicator was given before MPI_Init was called");
        return NULL;
    }
    if (!initialized && (code = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level)) != MPI_SUCCESS)
        return refuse(why, room, code);
    initialized_here = !initialized;
    MPI_Query_thread(&level);
    if ((code = MPI_Comm_dup(communicator ? *(const MPI_Comm *)communicator : MPI_COMM_WORLD, &all)) != MPI_SUCCESS)
        return refuse(why, room, code);
    MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN);
    MPI_Comm_get_attr(all, MPI_TAG_UB, &last, &found);
    table = (struct kndist_transport){.version = KNDIST_TRANSPORT_VERSION,
                                      .last_tag = found ? *last : 32767,
                                      .any_thread = level >= MPI_THREAD_SERIALIZED,
                                      .most = (size_t)1 << 30,
                                      .send = module_send,
                                      .receive = module_receive,
                                      .test = module_test,
                                      .give_up = give_up,
                                      .text = text_of,
                                      .close = module_close,
                                      .abort = module_abort};
    MPI_Comm_rank(all, &table.process);
    MPI_Comm_size(all, &table.n_process);
    return &table;
}
