/* SPDX-License-Identifier: Apache-2.0
 * dist.h -- devices that run one program together: who they are, and how bytes go between them (docs/sharding.md).
 *
 * A *job* is one or more processes with the same number of devices each; a device is a thread of its process that runs
 * its part of a program. A *crew* is the devices of one run in this process. Routines of collective primitives are
 * called on a device's thread; they move bytes with the functions below, and add by themselves, in the order of
 * docs/determinism.md, so that bits do not depend on where the devices are.
 *
 * All members of a group have to call the same movements in the same order, with the same bytes and the same `what`.
 * Where they do not, where one of them fails or dies, or does not come in time, all get an error that says so, with
 * the lines of both sides. */
#ifndef KN_DIST_DIST_H
#define KN_DIST_DIST_H
#include "base/error.h"
#include <stddef.h>
#include <stdint.h>

/* ---- The job. */

enum { KNDIST_MOST_DEVICES = 4096 }; /* of one process */
typedef struct kndist_job {
    int n_process, process; /* 1 and 0 until kndist_join */
    int n_local;            /* devices of each process: KILN_DEVICES, 1 if it is not set */
} kndist_job;
const kndist_job *kndist_job_now(void); /* reads KILN_DEVICES when called first */
knx_error *kndist_set_local(int n);     /* ValueError below 1, above 4096; RuntimeError once meshes were made */
void kndist_job_fix(void);              /* now they are: the number of devices stays */

/* Joins the processes that were started together, or those of a communicator that the program has (a pointer to its
 * MPI_Comm), by the module for MPI, which is loaded now: all processes call it, before there are meshes. The number of
 * devices is the same in all. */
knx_error *kndist_join(const void *communicator);
/* All leave; at the end of a process it is done for it. Meshes over several processes are of no use then. */
knx_error *kndist_leave_job(void);
bool kndist_is_joined(void);

/* ---- On a device's thread. */

typedef struct kndist_crew kndist_crew;
/* The device that this thread is while it runs a program over a mesh; NULL: it is none. */
typedef struct kndist_self {
    kndist_crew *crew;
    int32_t device;            /* its number in the job */
    int64_t in_mesh;           /* its number in the mesh of the program */
    const struct kni_mesh *mesh; /* of the program */
} kndist_self;
const kndist_self *kndist_self_now(void);

/* Some devices, each in the place that its rank says; `me` is the caller's. The list is the same for all of them. */
typedef struct kndist_group {
    int n, me;
    const int32_t *device;
} kndist_group;

/* What is moved, for comparisons and messages: "psum f32[3]"; line: the user's. */
typedef struct kndist_what {
    const char *operation; /* the primitive's name */
    const kn_place *line;  /* NULL: not known */
} kndist_what;

typedef enum kndist_kind {
    KNDIST_GATHER,   /* the same bytes to all */
    KNDIST_EXCHANGE, /* to each a part of its own, all of one size */
    KNDIST_PARTS,    /* of different sizes */
    KNDIST_PERMUTE,  /* to one */
    KNDIST_BARRIER,  /* nothing */
} kndist_kind;

/* A movement as one device calls it; the functions below say what their kinds mean. */
typedef struct kndist_move {
    kndist_kind kind;
    kndist_what what;
    const void *send;
    void *recv;
    size_t bytes;                                              /* of each part; of KNDIST_PARTS none */
    const size_t *send_bytes, *send_at, *recv_bytes, *recv_at; /* KNDIST_PARTS; send_* NULL: all get `bytes` of send */
    int to, from;                                              /* KNDIST_PERMUTE; -1: nobody */
} kndist_move;

/* A movement in two halves. The start says what is moved and waits for nobody; until it has been waited for all memory
 * that it names stays as it is (send, the lists, the group's too) or is the movement's (recv). Several may be under way
 * at once, and be waited for in another order than they were started in; all members do both in the same order. Only
 * *out has to be waited for: after an error there is none. */
typedef struct kndist_flight kndist_flight;
knx_error *kndist_start(const kndist_group *g, const kndist_move *m, kndist_flight **out);
knx_error *kndist_wait(kndist_flight *f); /* it is no more, whatever comes back */
/* Between steps of a program: takes in what has come from other processes. Costs next to nothing where nothing is under
 * way. */
void kndist_progress(void);
/* How many movements this device has started; 0: it is none. */
uint64_t kndist_started(void);
/* A program of this device failed before it waited for all that it has started since then: nobody accesses their memory
 * any more when it returns. Other devices hear of the error. */
void kndist_abandon(uint64_t since, const knx_error *why);

/* The same at once: start and wait. */
/* Each member's `bytes` from `send`, in the order of ranks, to recv (n * bytes). */
knx_error *kndist_all_gather(const kndist_group *g, kndist_what w, const void *send, size_t bytes, void *recv);
/* Part j (of `bytes`) of `send` to member j, which puts it at place `me` of its recv. */
knx_error *kndist_all_to_all(const kndist_group *g, kndist_what w, const void *send, size_t bytes, void *recv);
/* The same with parts of different sizes, at offsets: all in bytes. send_bytes[j] of mine is recv_bytes[me] of j's. */
knx_error *kndist_all_to_all_v(const kndist_group *g, kndist_what w, const void *send, const size_t *send_bytes,
                               const size_t *send_at, void *recv, const size_t *recv_bytes, const size_t *recv_at);
/* The `bytes` of each member, of different sizes, to all of them: recv_bytes[me] is mine. */
knx_error *kndist_all_gather_v(const kndist_group *g, kndist_what w, const void *send, size_t bytes, void *recv,
                               const size_t *recv_bytes, const size_t *recv_at);
/* To member `to`, from member `from`; -1: nobody (recv stays as it is). Among all members together a permutation. */
knx_error *kndist_permute(const kndist_group *g, kndist_what w, const void *send, int to, void *recv, int from,
                          size_t bytes);
knx_error *kndist_barrier(const kndist_group *g, kndist_what w);

/* ---- Runs (for device/mesh). */

/* Runs work(env, i) for the local devices i = 0 .. n - 1 at once, each on a thread of its own (of a pool that stays),
 * device[i] being its number in the job; with n = 1 on the calling thread, with n = 0 not at all. Movements of the
 * devices are among members of this run and of the same run in other processes. The first error ends the others'
 * movements with an error, and is what comes back: that of the device with the lowest number, errors that only tell of
 * another one's last. */
knx_error *kndist_run(const struct kni_mesh *mesh, int n, const int32_t *device, const int64_t *in_mesh,
                      knx_error *(*work)(void *env, int i), void *env);
/* The same where the mesh has `whole` devices, in their order: processes that have none of them do not run it. Without
 * it the mesh has all devices of the job. */
knx_error *kndist_run_whole(const struct kni_mesh *mesh, const kndist_group *whole, int n, const int32_t *device,
                            const int64_t *in_mesh, knx_error *(*work)(void *env, int i), void *env);
/* Seconds that a movement waits for its members before it is an error: KILN_DIST_TIMEOUT, 300 if it is not set; 0: it
 * waits for ever. */
double kndist_timeout(void);
void kndist_set_timeout(double seconds); /* below 0: as the environment says */
/* Does this thread run a device beside others of its process? Then it has work for itself alone. */
bool kndist_shares_process(void);
#endif
