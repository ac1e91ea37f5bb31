/* SPDX-License-Identifier: Apache-2.0
 * join.c -- joining the other processes of a job: the module is looked for, loaded, and asked; and leaving them. */
#define _GNU_SOURCE /* dladdr */
#include "base/lock.h"
#include "base/log.h"
#include "dist/remote.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if KN_POSIX_THREADS
#include <dlfcn.h>
#include <unistd.h>

#define NAME "libkiln_mpi.so"

static knx_global_lock lock = KN_GLOBAL_LOCK_INIT;
static const struct kndist_transport *transport;
static bool left;   /* once and for all */
static pid_t owner; /* a forked child is in no job */

/* Beside the library, or the program that has it inside. */
static void *open_beside(void)
{
    Dl_info info;
    char path[4096];
    static const char here;
    if (!dladdr(&here, &info) || !info.dli_fname)
        return NULL;
    const char *end = strrchr(info.dli_fname, '/');
    int n = end ? (int)(end - info.dli_fname) + 1 : 0;
    if (!n || (size_t)n + sizeof NAME > sizeof path)
        return NULL;
    snprintf(path, sizeof path, "%.*s" NAME, n, info.dli_fname);
    return dlopen(path, RTLD_NOW | RTLD_GLOBAL); /* an MPI loads parts of itself, which look for its names */
}

static knx_error *load(kndist_transport_open_function **out)
{
    const char *told = knx_env()->mpi_library;
    void *library = told ? dlopen(told, RTLD_NOW | RTLD_GLOBAL) : open_beside();
    if (!library && !told)
        library = dlopen(NAME, RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        const char *why = dlerror();
        return knx_error_new(KN_ERROR_RUNTIME,
                             "no MPI: the module " NAME " cannot be loaded: %.300s; it is built with Kiln where CMake "
                             "finds an MPI (KILN_MPI=ON says that it must), and KILN_MPI_LIBRARY may say where it is",
                             why ? why : "not found");
    }
    void *f = dlsym(library, "kndist_transport_open");
    if (!f)
        return knx_error_new(KN_ERROR_RUNTIME, "no MPI: %s is no module of Kiln", told ? told : NAME);
    memcpy(out, &f, sizeof f);
    return NULL;
}

static void leave_at_exit(void)
{
    knx_error *error = kndist_leave_job();
    if (error)
        fprintf(stderr, "%s\n", error->message);
    knx_error_release(error);
}

static knx_error *join(const void *communicator)
{
    kndist_transport_open_function *open = NULL;
    char why[256] = "";
    if (transport)
        return knx_error_new(KN_ERROR_RUNTIME, "this process has joined a job already");
    if (left)
        return knx_error_new(KN_ERROR_RUNTIME, "this process has left its job, and MPI begins only once");
    if (kndist_job_is_fixed())
        return knx_error_new(KN_ERROR_RUNTIME, "processes have to be joined before the first mesh is made");
    KN_TRY(load(&open));
    const struct kndist_transport *t = open(communicator, why, sizeof why);
    if (!t)
        return knx_error_new(KN_ERROR_RUNTIME, "no MPI: %s", why);
    if (t->version != KNDIST_TRANSPORT_VERSION)
        return knx_error_new(KN_ERROR_RUNTIME, "the module " NAME " is of another version of Kiln");
    transport = t;
    owner = getpid();
    atexit(leave_at_exit);
    KN_TRY(kndist_net_open(t, kndist_job_now()->n_local));
    kndist_job_set(t->n_process, t->process);
    KN_LOG(1, "distributed: process %d of %d", t->process, t->n_process);
    return NULL;
}

knx_error *kndist_join(const void *communicator)
{
    knx_global_lock_take(&lock);
    knx_error *error = join(communicator);
    knx_global_unlock(&lock);
    return error;
}

knx_error *kndist_leave_job(void)
{
    knx_error *error = NULL;
    knx_global_lock_take(&lock);
    const struct kndist_transport *t = owner == getpid() ? transport : NULL;
    transport = NULL;
    if (t) {
        left = true;
        const char *why = kndist_net_close();
        if (why[0]) { /* the others may never come to the end: nobody may wait for them */
            fprintf(stderr, "process %d ends the job: %s\n", t->process, why);
            fflush(NULL);
            t->abort();
        }
        char text[256];
        int code = why[0] ? 0 : t->close();
        if (code)
            t->text(code, text, sizeof text);
        if (code)
            error = knx_error_new(KN_ERROR_RUNTIME, "leaving the job failed: %s", text);
        kndist_job_set(1, 0);
    }
    knx_global_unlock(&lock);
    return error;
}

bool kndist_is_joined(void)
{
    knx_global_lock_take(&lock);
    bool is = transport && owner == getpid();
    knx_global_unlock(&lock);
    return is;
}

#else

knx_error *kndist_join(const void *communicator)
{
    (void)communicator;
    return knx_error_new(KN_ERROR_RUNTIME, "no MPI: WebAssembly has no other processes");
}

knx_error *kndist_leave_job(void) { return NULL; }
bool kndist_is_joined(void) { return false; }

#endif
