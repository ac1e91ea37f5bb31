/* SPDX-License-Identifier: Apache-2.0
 * crew.h -- inside of src/dist: the devices of one run in this process, and where they meet. */
#ifndef KN_DIST_CREW_H
#define KN_DIST_CREW_H
#include "base/lock.h"
#include "base/memory.h"
#include "dist/dist.h"

typedef enum kndist_kind {
    KNDIST_GATHER,   /* the same bytes to all */
    KNDIST_EXCHANGE, /* to each a part of its own, all of one size */
    KNDIST_PARTS,    /* of different sizes */
    KNDIST_PERMUTE,  /* to one */
    KNDIST_BARRIER,  /* nothing */
} kndist_kind;

/* A movement as one device calls it. */
typedef struct kndist_move {
    kndist_kind kind;
    kndist_what what;
    const char *send;
    char *recv;
    size_t bytes;                                               /* of each part; of KNDIST_PARTS none */
    const size_t *send_bytes, *send_at, *recv_bytes, *recv_at; /* KNDIST_PARTS; send_* NULL: all get `bytes` of send */
    int to, from;                                               /* KNDIST_PERMUTE; -1: nobody */
} kndist_move;
typedef struct kndist_piece {
    char *p;
    size_t bytes;
    bool is; /* one may be empty, and still be sent */
} kndist_piece;
kndist_piece kndist_piece_to(const kndist_move *m, int rank);   /* what member `rank` is sent */
kndist_piece kndist_piece_from(const kndist_move *m, int rank); /* what it sends */

/* Where the devices of a group that are in this process come together. The word: how often they have, whether one has
 * given up, and how many are there. */
typedef struct kndist_meeting {
    atomic_uint word, parked;
    uint64_t hash;
    int n, n_here;
    int32_t *device; /* of the group */
    int *here;       /* per rank: the number in the crew, -1: it is in another process */
    struct kndist_meeting *next;
} kndist_meeting;

typedef struct kndist_member {
    kndist_self self;
    int number;              /* in the crew */
    bool secondary;          /* what it was told is another one's failure */
    atomic_bool ended;       /* its program has */
    knx_spin lock;           /* of `move`, when others look who are in no meeting with it */
    kndist_move move;        /* what it does, or did last */
    _Atomic(kndist_meeting *) at; /* where it waits; NULL: nowhere */
    atomic_uint turn;        /* of the word there */
    KN_VEC(kndist_meeting *) known;
    struct kndist_hand *hand;
    knx_error *error;
} kndist_member;

struct kndist_crew {
    const struct kni_mesh *mesh;
    bool remote; /* other processes take part */
    int n;
    kndist_member *member;
    knx_error *(*work)(void *env, int i);
    void *env;
    knx_mutex lock; /* of what follows */
    kndist_meeting *meetings;
    knx_error *first; /* what ended it; NULL: nothing has */
    int first_device; /* whose that is; -1: nobody's */
    atomic_bool failed, stop;
    atomic_uint left; /* that have not ended */
};

static inline kndist_member *kndist_member_now(void) { return (kndist_member *)(uintptr_t)kndist_self_now(); }
/* The movements of all others end with an error, too. m NULL: no device's. */
void kndist_fail(kndist_crew *c, const kndist_member *m, const knx_error *why);
void kndist_fail_here(kndist_crew *c, const kndist_member *m, const knx_error *why); /* those of this process */
knx_error *kndist_other_failed(kndist_member *m); /* for this one */

/* ---- meet.c */
knx_error *kndist_meeting_of(kndist_member *m, const kndist_group *g, kndist_meeting **out);
void kndist_meetings_free(kndist_crew *c);
void kndist_meetings_wake(kndist_crew *c);
/* Until all that are here have come, or an error: then this one has not been there. */
knx_error *kndist_come(kndist_member *m, kndist_meeting *t);
void kndist_leave(kndist_member *m, kndist_meeting *t); /* until all have left */
/* "psum at file.c:12" */
const char *kndist_what_text(knx_text *t, kndist_what w);

/* ---- hands.c: threads of devices. */
typedef struct kndist_hand kndist_hand;
/* n threads, in out[]; false: the system has no more. */
bool kndist_hands_take(int n, kndist_hand **out);
/* Has it run f(arg), which frees it for others at its end. */
void kndist_hand_run(kndist_hand *h, void (*f)(void *arg), void *arg);
void kndist_hand_free(kndist_hand *h);
#endif
