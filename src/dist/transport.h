/* SPDX-License-Identifier: Apache-2.0
 * transport.h -- how processes of a job reach each other: a small table of functions that a module brings, which is
 * loaded when a program asks for processes (libkiln_mpi.so, src/dist/mpi/). The module knows nothing else of Kiln, and
 * Kiln nothing of MPI. */
#ifndef KN_DIST_TRANSPORT_H
#define KN_DIST_TRANSPORT_H
#include <stddef.h>

enum { KNDIST_TRANSPORT_VERSION = 1 };

/* Messages between two processes with one tag come in the order in which they were sent. Functions are called by one
 * thread at a time and return 0, or a code for `text`; a request that is done, or was given up, is NULL. */
struct kndist_transport {
    int version;
    int n_process, process;
    int last_tag;      /* tags are 0 .. last_tag */
    int any_thread;    /* may other threads than the one that opened it call the functions? */
    size_t most;       /* bytes of one message */
    int (*send)(int to, int tag, const void *p, size_t bytes, void **request);
    int (*receive)(int from, int tag, void *p, size_t bytes, void **request); /* room for so many */
    int (*progress)(void);       /* asks for all requests at once: asking is what takes time */
    int (*test)(void **request); /* *request NULL: it was done when `progress` asked last */
    void (*give_up)(void **request);
    void (*text)(int code, char *to, size_t room);
    int (*close)(void);  /* all processes together */
    void (*abort)(void); /* ends all processes; does not return where that is possible */
};

/* What the module exports as kndist_transport_open: joins the processes. communicator: a pointer to an MPI_Comm that
 * the program has; NULL: all processes that were started together. NULL comes back with the reason in `why`. */
typedef const struct kndist_transport *kndist_transport_open_function(const void *communicator, char *why, size_t room);
#endif
