/* SPDX-License-Identifier: Apache-2.0
 * crew.h -- inside of src/dist: the devices of one run in this process, and where they meet. */
#ifndef KN_DIST_CREW_H
#define KN_DIST_CREW_H
#include "base/lock.h"
#include "base/memory.h"
#include "dist/dist.h"

typedef struct kndist_piece {
    char *p;
    size_t bytes;
    bool is; /* one may be empty, and still be sent */
} kndist_piece;
kndist_piece kndist_piece_to(const kndist_move *m, int rank);   /* what member `rank` is sent */
kndist_piece kndist_piece_from(const kndist_move *m, int rank); /* what it sends */

/* Where the devices of a group that are in this process come together. The word: how often they have, whether one has
 * given up, and how many are there. A group that has several movements under way has as many meetings, and all its
 * members take the first one that is free. */
typedef struct kndist_meeting {
    atomic_uint word, parked;
    uint64_t hash;
    int n, n_here;
    int number;            /* of those of this group */
    int32_t *device;       /* of the group */
    int *here;             /* per rank: the number in the crew, -1: it is in another process */
    atomic_uint *came;     /* per rank: 1 + the turn to which it came last */
    kndist_flight **flight; /* per rank: what it moves, from coming to leaving */
    struct kndist_meeting *next;
} kndist_meeting;

/* A movement under way. */
struct kndist_flight {
    kndist_move move;
    kndist_meeting *t;
    unsigned turn;            /* of the word there, in which all come; then: in which all leave */
    int me;                   /* rank */
    uint64_t number;          /* of the device's */
    struct kndist_away *away; /* members of other processes (net_move.c); NULL: there are none */
    kndist_flight *next;      /* started later */
};

typedef struct kndist_member {
    kndist_self self;
    int number;              /* in the crew */
    bool secondary;          /* what it was told is another one's failure */
    atomic_bool ended;       /* its program has */
    knx_spin lock;           /* of `what`, when others look who are in no meeting with it */
    kndist_what what;        /* what it does, or did last */
    kndist_flight *flights, *spare; /* under way, in the order of their starts; and used ones */
    uint64_t started;
    double looked;           /* when it took in what had come, for kndist_progress */
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
/* Of the group the first one that the member has nothing under way in. */
knx_error *kndist_meeting_of(kndist_member *m, const kndist_group *g, kndist_meeting **out);
void kndist_meetings_free(kndist_crew *c);
void kndist_meetings_wake(kndist_crew *c);
knx_error *kndist_come(kndist_member *m, kndist_flight *f); /* an error: this one has not been there */
/* Until all that are here have come, or an error: then none of them has been there. */
knx_error *kndist_all_here(kndist_member *m, kndist_flight *f);
bool kndist_came_after_all(kndist_flight *f); /* have all come? If they have not this one has not been there either */
void kndist_begin_leaving(kndist_flight *f);
void kndist_leave(kndist_member *m, const kndist_flight *f); /* until all have left */
/* ---- move.c */
void kndist_say(kndist_member *m, kndist_what w); /* what it does, for others */
void kndist_flights_free(kndist_member *m);
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
