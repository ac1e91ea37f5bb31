/* SPDX-License-Identifier: Apache-2.0
 * remote.h -- inside of src/dist: devices of other processes. */
#ifndef KN_DIST_REMOTE_H
#define KN_DIST_REMOTE_H
#include "dist/crew.h"
#include "dist/transport.h"

/* ---- net.c: messages between processes. */

enum { KNDIST_INLINE = 3584 };
typedef enum kndist_message_kind {
    KNDIST_MOVE, /* what one device moves to another one */
    KNDIST_FAIL, /* something of the run has failed; its movements end */
    KNDIST_END,  /* the run has ended there, as it says; no more of it comes */
    KNDIST_BYE,  /* the process has left the job */
    KNDIST_HELLO, /* it is there, with so many devices */
} kndist_message_kind;
typedef struct kndist_head {
    int32_t kind, move; /* kndist_message_kind, kndist_kind; FAIL, END: 1, the user has ended it */
    uint64_t run;       /* which one: of what mesh, and its how many'th */
    uint64_t group;     /* hash of its devices */
    uint64_t bytes;     /* of the piece; behind the head if they fit, else messages of their own follow */
    int32_t from, to;   /* devices */
    int32_t failed;     /* FAIL, END: 0, or 1 + kn_error_kind; the text is behind the head, `from` the device */
    int32_t line;       /* HELLO: the number of devices */
    char operation[48], file[160]; /* ends are cut off */
} kndist_head;
typedef struct kndist_message {
    kndist_head head;
    char inside[KNDIST_INLINE];
    struct kndist_message *next; /* from here on it is not sent */
    int process;                 /* from which */
} kndist_message;
enum { KNDIST_MESSAGE_BYTES = offsetof(kndist_message, next) };

/* Takes part in runs of several processes; whole: all devices of the mesh. */
knx_error *kndist_remote_begin(kndist_crew *c, const kndist_group *whole);
/* The run has ended here, with this error (NULL: none), whose device it is. Until it has everywhere: the same error,
 * or another process's. */
knx_error *kndist_remote_end(kndist_crew *c, knx_error *error, int device, bool secondary);
void kndist_remote_fail(kndist_crew *c); /* tells the others, once */
/* ---- net_move.c: what goes to and comes from members of other processes. */
typedef struct kndist_away kndist_away;
knx_error *kndist_away_new(kndist_away **out);
void kndist_away_free(kndist_away *r);
/* Errors are found by those who wait, or start the next one; all others hear of them at once. */
void kndist_remote_start(kndist_member *m, kndist_flight *f);
/* Until all has gone and come, or nothing of it will any more. known: the run has failed already, and why is told. */
knx_error *kndist_remote_wait(kndist_member *m, kndist_flight *f, bool known);
void kndist_remote_progress(kndist_member *m);
knx_error *kndist_remote_error(kndist_member *m); /* what went wrong with what is under way */
knx_error *kndist_net_open(const struct kndist_transport *t, int n_local);
const char *kndist_net_close(void); /* why the processes had lost each other; "": they had not */
void kndist_job_set(int n_process, int process);
bool kndist_job_is_fixed(void);
#endif
