/* SPDX-License-Identifier: Apache-2.0
 * net.c -- movements between processes, over a transport.
 *
 * From each process comes one stream of messages: heads that say which device does what, of which run, at which line,
 * with a few bytes behind them; longer pieces follow with the tag of the pair of devices. Whoever waits takes in what
 * has come for anybody and looks whether it is for him. At its end a process tells the others how a run went, and
 * waits for them to tell it: so all know of a failure, nothing of a run is under way when the next one begins, and
 * what nobody took is taken then. A job whose processes lost each other stays so. */
#include "dist/remote.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/poll.h"
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { HEADS = 0, FIRST_PAIR = 1, SPINS = 1000 };

typedef struct sent {
    void *request;
    kndist_message *m;
} sent;
typedef struct count {
    uint64_t mesh, runs;
} count;
typedef struct peer {
    void *request;        /* the next head */
    kndist_message *next; /* where it comes to */
    bool in_run, ended, left, greeted;
    int n_local; /* as it says */
} peer;

static struct {
    knx_mutex lock;
    const struct kndist_transport *t;
    peer *peer;
    int n, me, n_local;
    kndist_message *free;
    kndist_message *come, **last; /* in the order in which they came: moves that nobody took, and all of later runs */
    KN_VEC(sent) sent;            /* heads on their way */
    uint64_t run;                 /* that goes on here; 0: none */
    kndist_crew *crew;
    bool told, ending;
    kndist_head worst; /* what the others said of the run: `failed` 0, nothing */
    char worst_text[KNDIST_INLINE];
    char broken[480];     /* why the processes have lost each other; "": they have not */
    KN_VEC(count) counts; /* of the runs of each mesh */
} net = {.lock = KN_MUTEX_INIT, .last = &net.come};

/* ---- Messages. Under the lock. */

static kndist_message *message(void)
{
    kndist_message *m = net.free;
    if (m)
        net.free = m->next;
    else
        m = knx_alloc(sizeof *m);
    if (m)
        memset(&m->head, 0, sizeof m->head);
    return m;
}

static void drop(kndist_message *m)
{
    m->next = net.free;
    net.free = m;
}

static knx_error *refuse(int code, int process)
{
    char text[256];
    net.t->text(code, text, sizeof text);
    return knx_error_new(KN_ERROR_RUNTIME, "process %d cannot be reached: %s", process, text);
}

static void break_job(const knx_error *e)
{
    if (!net.broken[0])
        snprintf(net.broken, sizeof net.broken, "%.470s", e->message);
}

static knx_error *broken(void)
{
    return knx_error_new(KN_ERROR_RUNTIME, "the processes of this job have lost each other: %s", net.broken);
}

/* Takes m over. */
static knx_error *send_head(int to, kndist_message *m, size_t inside)
{
    void *request = NULL;
    m->process = to;
    if (!KN_VEC_RESERVE(&net.sent, 1)) {
        drop(m);
        return knx_error_nomem();
    }
    int code = net.t->send(to, HEADS, m, offsetof(kndist_message, inside) + inside, &request);
    if (code) {
        drop(m);
        return refuse(code, to);
    }
    net.sent.at[net.sent.n++] = (sent){request, m};
    return NULL;
}

static knx_error *expect_head(int from)
{
    peer *p = &net.peer[from];
    if (!p->next && !(p->next = message()))
        return knx_error_nomem();
    p->next->process = from;
    int code = net.t->receive(from, HEADS, p->next, KNDIST_MESSAGE_BYTES, &p->request);
    return code ? refuse(code, from) : NULL;
}

static int process_of(int32_t device) { return device / net.n_local; }

static int pair_tag(int32_t from, int32_t to)
{
    return FIRST_PAIR + from % net.n_local * net.n_local + to % net.n_local;
}

/* ---- Pieces. */

typedef struct wait {
    void *request;
    int process;
} wait;
typedef KN_VEC(wait) waits;

/* Longer ones in several messages. */
static knx_error *post(waits *w, int process, int tag, char *p, size_t bytes, bool sends)
{
    for (size_t at = 0; at < bytes;) {
        size_t some = bytes - at < net.t->most ? bytes - at : net.t->most;
        if (!KN_VEC_RESERVE(w, 1))
            return knx_error_nomem();
        wait one = {.process = process};
        int code = sends ? net.t->send(process, tag, p + at, some, &one.request)
                         : net.t->receive(process, tag, p + at, some, &one.request);
        if (code)
            return refuse(code, process);
        w->at[w->n++] = one;
        at += some;
    }
    return NULL;
}

static knx_error *test_waits(waits *w)
{
    knx_error *error = NULL;
    for (size_t i = 0; i < w->n && !error;) {
        int code = net.t->test(&w->at[i].request);
        if (code)
            error = refuse(code, w->at[i].process);
        if (!w->at[i].request)
            w->at[i] = w->at[--w->n];
        else
            i++;
    }
    return error;
}

static void give_up(waits *w)
{
    for (size_t i = 0; i < w->n; i++)
        net.t->give_up(&w->at[i].request);
    w->n = 0;
}

/* ---- What comes. */

static void hear_of_failure(const kndist_message *m)
{
    bool better = m->head.failed && (!net.worst.failed || m->head.from < net.worst.from);
    if (better) {
        net.worst = m->head;
        snprintf(net.worst_text, sizeof net.worst_text, "%.*s", KNDIST_INLINE - 1, m->inside);
    }
    if (!m->head.failed || atomic_load(&net.crew->failed))
        return;
    knx_error *error = knx_error_new(KN_ERROR_RUNTIME, "device %d has failed: %.400s", m->head.from, m->inside);
    net.told = true;
    kndist_fail_here(net.crew, NULL, error);
    knx_error_release(error);
}

/* Of the run that goes on, or of the process. true: it need not be kept. */
static bool hear(const kndist_message *m)
{
    peer *p = &net.peer[m->process];
    switch ((kndist_message_kind)m->head.kind) {
    case KNDIST_BYE: p->left = true; return true;
    case KNDIST_HELLO:
        p->greeted = true;
        p->n_local = m->head.line;
        return true;
    case KNDIST_FAIL: hear_of_failure(m); return true;
    case KNDIST_END:
        hear_of_failure(m);
        p->ended = true;
        return true;
    case KNDIST_MOVE: break;
    }
    return false;
}

static void keep(kndist_message *m)
{
    m->next = NULL;
    *net.last = m;
    net.last = &m->next;
}

static void unlink_message(kndist_message **at)
{
    kndist_message *m = *at;
    *at = m->next;
    if (!*at)
        net.last = at;
}

static void take_in(kndist_message *m)
{
    bool now = m->head.kind >= KNDIST_BYE || (net.run && m->head.run == net.run);
    if (now && hear(m))
        drop(m);
    else
        keep(m);
}

/* Everything that has come so far; heads that have gone. */
static knx_error *pump(void)
{
    knx_error *error = NULL;
    for (size_t i = 0; i < net.sent.n && !error;) {
        int code = net.t->test(&net.sent.at[i].request);
        if (code)
            error = refuse(code, net.sent.at[i].m->process);
        if (!net.sent.at[i].request) {
            drop(net.sent.at[i].m);
            net.sent.at[i] = net.sent.at[--net.sent.n];
        } else {
            i++;
        }
    }
    for (int k = 0; k < net.n && !error; k++) {
        peer *p = &net.peer[k];
        while (p->request && !error) {
            int code = net.t->test(&p->request);
            if (code)
                error = refuse(code, k);
            if (p->request || error)
                break;
            kndist_message *m = p->next;
            p->next = NULL;
            take_in(m);
            error = p->left ? NULL : expect_head(k);
        }
    }
    if (error)
        break_job(error);
    return error;
}

/* ---- Waiting: a little on the CPU, then for others to have it. */

static void idle(int *tries)
{
    if (++*tries < SPINS) {
        sched_yield();
        return;
    }
    nanosleep(&(struct timespec){.tv_nsec = *tries < 4 * SPINS ? 20000 : 200000}, NULL);
}

/* ---- What failed. */

/* Pieces that nobody takes any more: they go. */
typedef struct waste {
    waits waits;
    char *at;
    size_t room;
} waste;

/* m NULL: all of the run; else those for m and for members that have ended. They are waited for where they come from. */
static bool is_waste(const kndist_message *head, const kndist_member *m)
{
    bool is = !m || head->head.to == m->self.device;
    for (int i = 0; !is && i < net.crew->n; i++)
        is = net.crew->member[i].self.device == head->head.to && atomic_load(&net.crew->member[i].ended);
    return is && head->head.run == net.run;
}

static knx_error *throw_away(waste *w, const kndist_member *m)
{
    KN_TRY(test_waits(&w->waits));
    for (kndist_message **at = &net.come; *at;) {
        kndist_message *head = *at;
        size_t bytes = head->head.bytes;
        if (!is_waste(head, m)) {
            at = &head->next;
            continue;
        }
        if (bytes > KNDIST_INLINE && w->waits.n)
            return NULL; /* one after the other: they share the room */
        if (bytes > KNDIST_INLINE && bytes > w->room) {
            knx_free(w->at);
            w->at = knx_alloc(bytes);
            w->room = w->at ? bytes : 0;
            if (!w->at)
                return knx_error_nomem();
        }
        unlink_message(at);
        int process = head->process, tag = pair_tag(head->head.from, head->head.to);
        drop(head);
        if (bytes > KNDIST_INLINE)
            KN_TRY(post(&w->waits, process, tag, w->at, bytes, false));
    }
    return NULL;
}

static void waste_free(waste *w)
{
    give_up(&w->waits);
    KN_VEC_FREE(&w->waits);
    knx_free(w->at);
}

/* ---- Movements. */

typedef struct remote {
    kndist_member *m;
    const kndist_meeting *t;
    int me;
    waits waits;
    KN_VEC(int) pending; /* ranks whose heads have not come */
    waste waste;
    knx_error *error;
} remote;

static void copy_end(char *to, size_t room, const char *s)
{
    size_t n = s ? strlen(s) : 0, from = n < room ? 0 : n - room + 1;
    memcpy(to, n ? s + from : "", n - from + 1);
}

static knx_error *send_piece(remote *r, int rank)
{
    const kndist_move *move = &r->m->move;
    int32_t to = r->t->device[rank];
    kndist_piece piece = kndist_piece_to(move, rank);
    if (!piece.is)
        return NULL;
    kndist_message *m = message();
    if (!m)
        return knx_error_nomem();
    m->head = (kndist_head){.kind = KNDIST_MOVE,
                            .move = (int32_t)move->kind,
                            .run = net.run,
                            .group = r->t->hash,
                            .bytes = piece.bytes,
                            .from = r->m->self.device,
                            .to = to,
                            .line = move->what.line ? move->what.line->line : 0};
    copy_end(m->head.operation, sizeof m->head.operation, move->what.operation);
    copy_end(m->head.file, sizeof m->head.file, move->what.line ? move->what.line->file : "");
    bool fits = piece.bytes <= KNDIST_INLINE;
    if (fits && piece.bytes)
        memcpy(m->inside, piece.p, piece.bytes);
    KN_TRY(send_head(process_of(to), m, fits ? piece.bytes : 0));
    return fits ? NULL : post(&r->waits, process_of(to), pair_tag(r->m->self.device, to), piece.p, piece.bytes, true);
}

static const char *head_text(knx_text *t, const kndist_head *h)
{
    kn_place line = {h->file, h->line, ""};
    return kndist_what_text(t, (kndist_what){h->operation, h->file[0] ? &line : NULL});
}

static knx_error *check_head(const remote *r, const kndist_head *h, kndist_piece here)
{
    const kndist_move *move = &r->m->move;
    knx_text mine = {0}, its = {0};
    char operation[sizeof h->operation];
    copy_end(operation, sizeof operation, move->what.operation);
    bool same = h->move == (int32_t)move->kind && h->group == r->t->hash && !strcmp(h->operation, operation);
    if (same && h->bytes == here.bytes)
        return NULL;
    kndist_what_text(&mine, move->what);
    head_text(&its, h);
    if (same)
        return knx_error_new(KN_ERROR_RUNTIME, "device %d sends %" PRIu64 " bytes in %s, device %d wants %zu in %s",
                             h->from, h->bytes, its.s, r->m->self.device, here.bytes, mine.s);
    return knx_error_new(KN_ERROR_RUNTIME, "devices run different movements: device %d is in %s, device %d in %s",
                         r->m->self.device, mine.s, h->from, its.s);
}

/* The head from that rank, if it has come. *got: it has, and what follows is on its way. */
static knx_error *take_head(remote *r, int rank, bool *got)
{
    int32_t from = r->t->device[rank];
    kndist_piece here = kndist_piece_from(&r->m->move, rank);
    kndist_message **at = &net.come;
    while (*at && ((*at)->head.run != net.run || (*at)->head.from != from || (*at)->head.to != r->m->self.device))
        at = &(*at)->next;
    kndist_message *m = *at;
    if (!m)
        return NULL;
    KN_TRY(check_head(r, &m->head, here));
    *got = true;
    unlink_message(at);
    if (here.bytes <= KNDIST_INLINE) {
        if (here.bytes)
            memcpy(here.p, m->inside, here.bytes);
        drop(m);
        return NULL;
    }
    drop(m);
    return post(&r->waits, process_of(from), pair_tag(from, r->m->self.device), here.p, here.bytes, false);
}

/* It sends what is of another run before it has ended this one; or it is gone. */
static knx_error *gone(const remote *r, int rank)
{
    int process = process_of(r->t->device[rank]);
    knx_text mine = {0}, its = {0};
    kndist_what_text(&mine, r->m->move.what);
    if (net.peer[process].left)
        return knx_error_new(KN_ERROR_RUNTIME, "device %d is in %s, and process %d, which has device %d, has left",
                             r->m->self.device, mine.s, process, r->t->device[rank]);
    if (net.peer[process].ended)
        return knx_error_new(KN_ERROR_RUNTIME,
                             "devices run different movements: device %d is in %s, device %d has ended",
                             r->m->self.device, mine.s, r->t->device[rank]);
    for (const kndist_message *m = net.come; m; m = m->next)
        if (m->process == process && m->head.run != net.run && m->head.kind == KNDIST_MOVE)
            return knx_error_new(KN_ERROR_RUNTIME,
                                 "processes run different programs: device %d is in %s, device %d of process %d in %s",
                                 r->m->self.device, mine.s, m->head.from, process, head_text(&its, &m->head));
    return NULL;
}

static knx_error *take_heads(remote *r)
{
    knx_error *error = NULL;
    for (size_t i = 0; i < r->pending.n && !error;) {
        bool got = false;
        error = take_head(r, r->pending.at[i], &got);
        if (!error && !got)
            error = gone(r, r->pending.at[i]);
        if (got)
            r->pending.at[i] = r->pending.at[--r->pending.n];
        else
            i++;
    }
    return error;
}

static knx_error *too_late(const remote *r, double seconds)
{
    knx_text mine = {0};
    kndist_what_text(&mine, r->m->move.what);
    int process = r->pending.n ? process_of(r->t->device[r->pending.at[0]]) : r->waits.n ? r->waits.at[0].process : -1;
    return knx_error_new(KN_ERROR_RUNTIME, "device %d waited %g s in %s for process %d, from which nothing comes",
                         r->m->self.device, seconds, mine.s, process);
}

/* From here on it only waits for what is under way. */
static void fail(remote *r, knx_error *error)
{
    r->pending.n = 0;
    if (!error)
        return;
    if (r->error)
        knx_error_release(error);
    else
        r->error = error;
}

/* One look, under the lock; true: it is done. */
static bool look(remote *r, double since)
{
    double limit = kndist_timeout();
    knx_error *error = net.broken[0] ? broken() : pump();
    if (!error)
        error = test_waits(&r->waits);
    if (!error && limit > 0 && knx_seconds() - since > limit) {
        error = too_late(r, limit);
        break_job(error);
    }
    if (error) { /* nothing will come any more */
        break_job(error);
        give_up(&r->waits);
        give_up(&r->waste.waits);
        fail(r, error);
        return true;
    }
    if (r->pending.n && atomic_load(&r->m->self.crew->failed))
        fail(r, NULL);
    if (r->pending.n && (error = take_heads(r)))
        fail(r, error);
    if (r->waits.n && atomic_load(&r->m->self.crew->failed))
        fail(r, throw_away(&r->waste, r->m));
    return !r->pending.n && !r->waits.n && !r->waste.waits.n;
}

static void wait_for_pieces(remote *r)
{
    double since = knx_seconds();
    bool told = false;
    for (int tries = 0;;) {
        knx_mutex_lock(&net.lock);
        size_t before = r->pending.n + r->waits.n;
        bool done = look(r, since);
        knx_mutex_unlock(&net.lock);
        if (r->error && !told)
            kndist_fail(r->m->self.crew, r->m, r->error);
        told |= r->error != NULL;
        if (done)
            return;
        if (r->pending.n + r->waits.n < before)
            tries = 0;
        idle(&tries);
    }
}

knx_error *kndist_remote_move(kndist_member *m, const kndist_meeting *t, int me)
{
    remote r = {.m = m, .t = t, .me = me};
    knx_mutex_lock(&net.lock);
    knx_error *error = !net.t          ? knx_error_new(KN_ERROR_RUNTIME, "this process is alone")
                       : net.broken[0] ? broken()
                                       : NULL;
    for (int k = 1; k < t->n && !error; k++) {
        int i = (me + k) % t->n;
        if (t->here[i] < 0 && kndist_piece_from(&m->move, i).is && !KN_VEC_PUSH(&r.pending, i))
            error = knx_error_nomem();
    }
    for (int k = 1; k < t->n && !error; k++) {
        int i = (me + k) % t->n;
        error = t->here[i] < 0 ? send_piece(&r, i) : NULL;
    }
    if (error)
        fail(&r, error);
    knx_mutex_unlock(&net.lock);
    if (r.error)
        kndist_fail(m->self.crew, m, r.error);
    if (r.pending.n || r.waits.n)
        wait_for_pieces(&r);
    bool whole = !r.error && !r.pending.n && !atomic_load(&m->self.crew->failed);
    KN_VEC_FREE(&r.waits);
    KN_VEC_FREE(&r.pending);
    waste_free(&r.waste);
    if (!r.error && !whole)
        return kndist_other_failed(m);
    return r.error;
}

/* ---- Runs. */

/* Which run of that mesh it is here; all processes count alike. 0: no memory. */
static uint64_t next_run(const kndist_group *whole)
{
    uint64_t mesh = knx_hash_bytes(whole->device, (size_t)whole->n * sizeof *whole->device, (uint64_t)whole->n);
    size_t i = 0;
    while (i < net.counts.n && net.counts.at[i].mesh != mesh)
        i++;
    if (i == net.counts.n && !KN_VEC_PUSH(&net.counts, ((count){mesh, 0})))
        return 0;
    return knx_hash_mix(mesh, ++net.counts.at[i].runs) | 1;
}

static void hear_what_came_early(void)
{
    for (kndist_message **at = &net.come; *at;) {
        kndist_message *m = *at;
        if (m->head.run == net.run && hear(m)) {
            unlink_message(at);
            drop(m);
        } else {
            at = &m->next;
        }
    }
}

knx_error *kndist_remote_begin(kndist_crew *c, const kndist_group *whole)
{
    knx_error *error = NULL;
    knx_mutex_lock(&net.lock);
    if (!net.t)
        error = knx_error_new(KN_ERROR_RUNTIME, "a mesh over other processes, but this process is alone");
    else if (net.broken[0])
        error = broken();
    else if (net.run)
        error = knx_error_new(KN_ERROR_RUNTIME, "one program at a time runs over several processes");
    else if (!net.t->any_thread && c->n > 1)
        error = knx_error_new(KN_ERROR_RUNTIME,
                              "MPI was initialized for one thread: %d devices of a process need "
                              "MPI_THREAD_SERIALIZED",
                              c->n);
    else if (!(net.run = next_run(whole)))
        error = knx_error_nomem();
    if (!error) {
        for (int i = 0; i < net.n; i++)
            net.peer[i].in_run = net.peer[i].ended = false;
        for (int i = 0; i < whole->n; i++)
            net.peer[process_of(whole->device[i])].in_run = true;
        net.peer[net.me].in_run = false;
        net.crew = c;
        net.told = net.ending = false;
        net.worst.failed = 0;
        hear_what_came_early();
    }
    knx_mutex_unlock(&net.lock);
    return error;
}

static knx_error *tell_all(kndist_message_kind kind, int device, const knx_error *e)
{
    knx_error *error = NULL;
    size_t n = e ? strlen(e->message) : 0;
    n = n < KNDIST_INLINE - 1 ? n : KNDIST_INLINE - 1;
    for (int i = 0; i < net.n && !error; i++) {
        kndist_message *m = net.peer[i].in_run ? message() : NULL;
        if (!m && net.peer[i].in_run)
            error = knx_error_nomem();
        if (!m)
            continue;
        m->head = (kndist_head){.kind = (int32_t)kind,
                                .run = net.run,
                                .from = device,
                                .line = net.n_local,
                                .failed = e ? 1 + (int32_t)e->kind : 0};
        memcpy(m->inside, e ? e->message : "", n);
        m->inside[n] = 0;
        error = send_head(i, m, n + 1);
    }
    return error;
}

/* The crew's lock is not held. */
void kndist_remote_fail(kndist_crew *c)
{
    knx_mutex_lock(&c->lock);
    knx_error *first = knx_error_retain(c->first);
    int device = c->first_device;
    knx_mutex_unlock(&c->lock);
    knx_mutex_lock(&net.lock);
    if (net.crew == c && net.run && !net.told && !net.broken[0]) {
        net.told = true;
        knx_error *error = tell_all(KNDIST_FAIL, device < 0 ? c->member[0].self.device : device, first);
        if (error)
            break_job(error);
        knx_error_release(error);
    }
    knx_mutex_unlock(&net.lock);
    knx_error_release(first);
}

static bool all_ended(int *who)
{
    for (*who = 0; *who < net.n; ++*who)
        if (net.peer[*who].in_run && !net.peer[*who].ended)
            return false;
    return true;
}

static knx_error *not_ended(int who, double seconds)
{
    if (net.peer[who].left)
        return knx_error_new(KN_ERROR_RUNTIME, "process %d has left while a program ran", who);
    for (const kndist_message *m = net.come; m; m = m->next) {
        knx_text its = {0};
        if (m->process == who && m->head.run != net.run && m->head.kind == KNDIST_MOVE)
            return knx_error_new(KN_ERROR_RUNTIME,
                                 "processes run different programs: one has ended in process %d, process %d is in %s",
                                 net.me, who, head_text(&its, &m->head));
    }
    double limit = kndist_timeout();
    if (limit > 0 && seconds > limit)
        return knx_error_new(KN_ERROR_RUNTIME, "process %d waited %g s for process %d to end a program", net.me, limit,
                             who);
    return NULL;
}

/* Until all have ended it. */
static knx_error *wait_for_ends(void)
{
    waste w = {0};
    double since = knx_seconds();
    knx_error *error = NULL;
    for (int tries = 0, who;;) {
        error = net.broken[0] ? broken() : pump();
        if (!error)
            error = throw_away(&w, NULL);
        if (error || (all_ended(&who) && !w.waits.n && !net.sent.n))
            break;
        if (!all_ended(&who) && (error = not_ended(who, knx_seconds() - since)))
            break;
        knx_mutex_unlock(&net.lock);
        idle(&tries);
        knx_mutex_lock(&net.lock);
    }
    if (error)
        break_job(error);
    waste_free(&w);
    return error;
}

/* Of all that went wrong, here and elsewhere, that of the device with the lowest number. */
static knx_error *choose(knx_error *error, int device, bool secondary)
{
    if (!net.worst.failed || (error && !secondary && device <= net.worst.from))
        return error;
    knx_error_release(error);
    return knx_error_new((kn_error_kind)(net.worst.failed - 1), "device %d has failed: %s", net.worst.from,
                         net.worst_text);
}

knx_error *kndist_remote_end(kndist_crew *c, knx_error *error, int device, bool secondary)
{
    knx_mutex_lock(&net.lock);
    knx_error *lost = net.broken[0] ? NULL : tell_all(KNDIST_END, device, secondary ? NULL : error);
    if (!lost && !net.broken[0])
        lost = wait_for_ends();
    if (lost)
        break_job(lost);
    if (error && !secondary) {
        knx_error_release(lost);
        lost = NULL;
    }
    error = lost && !net.worst.failed ? (knx_error_release(error), lost) : choose(error, device, secondary);
    if (lost != error)
        knx_error_release(lost);
    net.run = 0;
    net.crew = NULL;
    (void)c;
    knx_mutex_unlock(&net.lock);
    return error;
}

/* ---- The job. */

/* All say how many devices they have; until everyone has said it. */
static knx_error *greet(void)
{
    double since = knx_seconds(), limit = kndist_timeout();
    knx_error *error = tell_all(KNDIST_HELLO, 0, NULL);
    for (int tries = 0, i = 0; !error;) {
        error = pump();
        while (i < net.n && (i == net.me || net.peer[i].greeted))
            i++;
        if (error || i == net.n)
            break;
        if (limit > 0 && knx_seconds() - since > limit)
            error = knx_error_new(KN_ERROR_RUNTIME, "process %d waited %g s for process %d to join", net.me, limit, i);
        idle(&tries);
    }
    for (int i = 0; i < net.n && !error; i++)
        if (i != net.me && net.peer[i].n_local != net.n_local)
            error = knx_error_new(KN_ERROR_RUNTIME,
                                  "all processes need the same number of devices (KILN_DEVICES): process %d has %d, "
                                  "process %d has %d",
                                  net.me, net.n_local, i, net.peer[i].n_local);
    return error;
}

knx_error *kndist_net_open(const struct kndist_transport *t, int n_local)
{
    knx_error *error = NULL;
    knx_mutex_lock(&net.lock);
    net.t = t;
    net.n = t->n_process;
    net.me = t->process;
    net.n_local = n_local;
    net.broken[0] = 0;
    net.peer = knx_alloc_zero((size_t)net.n * sizeof *net.peer);
    error = net.peer ? NULL : knx_error_nomem();
    if (!error && (int64_t)n_local * n_local > t->last_tag - FIRST_PAIR)
        error = knx_error_new(KN_ERROR_RUNTIME, "MPI has no tags for %d devices of a process", n_local);
    for (int i = 0; i < net.n && !error; i++) {
        net.peer[i].in_run = i != net.me;
        error = i != net.me ? expect_head(i) : NULL;
    }
    if (!error)
        error = greet();
    if (error)
        break_job(error);
    knx_mutex_unlock(&net.lock);
    return error;
}

const char *kndist_net_close(void)
{
    static char why[sizeof net.broken];
    knx_mutex_lock(&net.lock);
    for (int i = 0; i < net.n; i++)
        net.peer[i].in_run = i != net.t->process && !net.peer[i].left;
    knx_error *error = net.broken[0] ? NULL : tell_all(KNDIST_BYE, 0, NULL);
    double end = knx_seconds() + 1;
    while (!error && !net.broken[0] && net.sent.n && knx_seconds() < end)
        error = pump();
    for (size_t i = 0; i < net.sent.n; i++) {
        net.t->give_up(&net.sent.at[i].request);
        drop(net.sent.at[i].m);
    }
    net.sent.n = 0;
    for (int i = 0; i < net.n; i++) {
        if (net.peer[i].request)
            net.t->give_up(&net.peer[i].request);
        knx_free(net.peer[i].next);
    }
    knx_error_release(error);
    knx_free(net.peer);
    memcpy(why, net.broken, sizeof why);
    net.peer = NULL;
    net.n = 0;
    net.t = NULL;
    for (kndist_message *m; (m = net.come);) {
        net.come = m->next;
        knx_free(m);
    }
    net.last = &net.come;
    for (kndist_message *m; (m = net.free);) {
        net.free = m->next;
        knx_free(m);
    }
    KN_VEC_FREE(&net.sent);
    KN_VEC_FREE(&net.counts);
    knx_mutex_unlock(&net.lock);
    return why;
}
