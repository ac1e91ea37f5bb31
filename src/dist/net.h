/* SPDX-License-Identifier: Apache-2.0
 * net.h -- inside of src/dist: the streams of messages between processes (net.c), and who speaks through them:
 * movements (net_move.c) and runs (net_run.c). All under kndist_net.lock. */
#ifndef KN_DIST_NET_H
#define KN_DIST_NET_H
#include "dist/remote.h"

enum { KNDIST_HEADS, KNDIST_FIRST_PAIR }; /* tags */

typedef struct kndist_sent {
    void *request;
    kndist_message *m;
} kndist_sent;
typedef struct kndist_count {
    uint64_t mesh, runs;
} kndist_count;
typedef struct kndist_peer {
    void *request;        /* the next head */
    kndist_message *next; /* where it comes to */
    bool in_run, ended, left, greeted;
    int n_local; /* as it says */
} kndist_peer;

struct kndist_net {
    knx_mutex lock;
    const struct kndist_transport *t;
    kndist_peer *peer;
    int n, me, n_local;
    kndist_message *free;
    kndist_message *come, **last; /* in the order in which they came: moves that nobody took, and all of later runs */
    KN_VEC(kndist_sent) sent;            /* heads on their way */
    uint64_t run;                 /* that goes on here; 0: none */
    kndist_crew *crew;
    bool told, ending;
    kndist_head worst; /* what the others said of the run: `failed` 0, nothing */
    char worst_text[KNDIST_INLINE];
    char broken[480];     /* why the processes have lost each other; "": they have not */
    KN_VEC(kndist_count) counts; /* of the runs of each mesh */
};
extern struct kndist_net kndist_net;

/* A message to fill; NULL without memory. */
kndist_message *kndist_message_new(void);
void kndist_message_drop(kndist_message *m);
void kndist_message_unlink(kndist_message **at); /* of what has come */
knx_error *kndist_send_head(int to, kndist_message *m, size_t inside); /* takes m over */
/* To all processes of the run. */
knx_error *kndist_tell_all(kndist_message_kind kind, int device, const knx_error *e);
/* Everything that has come so far, and heads that have gone. */
knx_error *kndist_pump(void);
bool kndist_hear(const kndist_message *m); /* of the run that goes on; true: it need not be kept */
/* What the user ended in one process is that in all of them: nobody tries it again by himself. */
void kndist_mark_error(knx_error *e, const kndist_head *h);
void kndist_break_job(const knx_error *e);
knx_error *kndist_broken(void);
void kndist_idle(int *tries); /* the lock is not held */
int kndist_process_of(int32_t device);
const char *kndist_head_text(knx_text *t, const kndist_head *h);

/* Pieces that are too long for a head: several messages, of the pair of devices. */
typedef struct kndist_posted {
    void *request;
    int process;
} kndist_posted;
typedef KN_VEC(kndist_posted) kndist_waits;
knx_error *kndist_post(kndist_waits *w, int process, int tag, char *p, size_t bytes, bool sends);
int kndist_pair_tag(int32_t from, int32_t to);
knx_error *kndist_test_waits(kndist_waits *w);
void kndist_give_up(kndist_waits *w);

/* Pieces that nobody takes any more: they go. */
typedef struct kndist_waste {
    kndist_waits waits;
    char *at;
    size_t room;
} kndist_waste;
/* All of the run, once it has failed or ended here: no member takes any more from then on. They are waited for where
 * they come from. */
knx_error *kndist_throw_away(kndist_waste *w);
void kndist_waste_free(kndist_waste *w);
#endif
