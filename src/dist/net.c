/* SPDX-License-Identifier: Apache-2.0
 * net.c -- messages between processes, over a transport.
 *
 * From each process comes one stream of messages: heads that say which device does what, of which run, at which line,
 * with a few bytes behind them; longer pieces follow with the tag of the pair of devices. Whoever waits takes in what
 * has come for anybody and looks whether it is for him. At its end a process tells the others how a run went, and
 * waits for them to tell it: so all know of a failure, nothing of a run is under way when the next one begins, and
 * what nobody took is taken then. A job whose processes lost each other stays so. */
#include "dist/net.h"
#include "base/clock.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { SPINS = 200 };

struct kndist_net kndist_net = {.lock = KN_MUTEX_INIT, .last = &kndist_net.come};

/* ---- Messages. Under the lock. */

kndist_message *kndist_message_new(void)
{
    kndist_message *m = kndist_net.free;
    if (m)
        kndist_net.free = m->next;
    else
        m = knx_alloc(sizeof *m);
    if (m)
        memset(&m->head, 0, sizeof m->head);
    return m;
}

void kndist_message_drop(kndist_message *m)
{
    m->next = kndist_net.free;
    kndist_net.free = m;
}

static knx_error *refuse(int code, int process)
{
    char text[256];
    kndist_net.t->text(code, text, sizeof text);
    return knx_error_new(KN_ERROR_RUNTIME, "process %d cannot be reached: %s", process, text);
}

void kndist_break_job(const knx_error *e)
{
    if (!kndist_net.broken[0])
        snprintf(kndist_net.broken, sizeof kndist_net.broken, "%.470s", e->message);
}

knx_error *kndist_broken(void)
{
    return knx_error_new(KN_ERROR_RUNTIME, "the processes of this job have lost each other: %s", kndist_net.broken);
}

/* Takes m over. */
knx_error *kndist_send_head(int to, kndist_message *m, size_t inside)
{
    void *request = NULL;
    m->process = to;
    if (!KN_VEC_RESERVE(&kndist_net.sent, 1)) {
        kndist_message_drop(m);
        return knx_error_nomem();
    }
    int code = kndist_net.t->send(to, KNDIST_HEADS, m, offsetof(kndist_message, inside) + inside, &request);
    if (code) {
        kndist_message_drop(m);
        return refuse(code, to);
    }
    kndist_net.sent.at[kndist_net.sent.n++] = (kndist_sent){request, m};
    return NULL;
}

static knx_error *expect_head(int from)
{
    kndist_peer *p = &kndist_net.peer[from];
    if (!p->next && !(p->next = kndist_message_new()))
        return knx_error_nomem();
    p->next->process = from;
    int code = kndist_net.t->receive(from, KNDIST_HEADS, p->next, KNDIST_MESSAGE_BYTES, &p->request);
    return code ? refuse(code, from) : NULL;
}

int kndist_process_of(int32_t device) { return device / kndist_net.n_local; }

int kndist_pair_tag(int32_t from, int32_t to)
{
    return KNDIST_FIRST_PAIR + from % kndist_net.n_local * kndist_net.n_local + to % kndist_net.n_local;
}

const char *kndist_head_text(knx_text *t, const kndist_head *h)
{
    kn_place line = {h->file, h->line, ""};
    return kndist_what_text(t, (kndist_what){h->operation, h->file[0] ? &line : NULL});
}

/* ---- Pieces. */

/* Longer ones in several messages. */
knx_error *kndist_post(kndist_waits *w, int process, int tag, char *p, size_t bytes, bool sends)
{
    for (size_t at = 0; at < bytes;) {
        size_t some = bytes - at < kndist_net.t->most ? bytes - at : kndist_net.t->most;
        if (!KN_VEC_RESERVE(w, 1))
            return knx_error_nomem();
        kndist_posted one = {.process = process};
        int code = sends ? kndist_net.t->send(process, tag, p + at, some, &one.request)
                         : kndist_net.t->receive(process, tag, p + at, some, &one.request);
        if (code)
            return refuse(code, process);
        w->at[w->n++] = one;
        at += some;
    }
    return NULL;
}

knx_error *kndist_test_waits(kndist_waits *w)
{
    knx_error *error = NULL;
    for (size_t i = 0; i < w->n && !error;) {
        int code = kndist_net.t->test(&w->at[i].request);
        if (code)
            error = refuse(code, w->at[i].process);
        if (!w->at[i].request)
            w->at[i] = w->at[--w->n];
        else
            i++;
    }
    return error;
}

void kndist_give_up(kndist_waits *w)
{
    for (size_t i = 0; i < w->n; i++)
        kndist_net.t->give_up(&w->at[i].request);
    w->n = 0;
}

/* ---- What comes. */

void kndist_mark_error(knx_error *e, const kndist_head *h)
{
    if (h->move && atomic_load(&e->refs) > 0)
        e->interruption = true;
}

static void hear_of_failure(const kndist_message *m)
{
    bool better = m->head.failed && (!kndist_net.worst.failed || m->head.from < kndist_net.worst.from);
    if (better) {
        kndist_net.worst = m->head;
        snprintf(kndist_net.worst_text, sizeof kndist_net.worst_text, "%.*s", KNDIST_INLINE - 1, m->inside);
    }
    if (!m->head.failed || atomic_load(&kndist_net.crew->failed))
        return;
    knx_error *error = knx_error_new(KN_ERROR_RUNTIME, "device %d has failed: %.400s", m->head.from, m->inside);
    kndist_mark_error(error, &m->head);
    kndist_net.told = true;
    kndist_fail_here(kndist_net.crew, NULL, error);
    knx_error_release(error);
}

/* Of the run that goes on, or of the process. true: it need not be kept. */
bool kndist_hear(const kndist_message *m)
{
    kndist_peer *p = &kndist_net.peer[m->process];
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
    *kndist_net.last = m;
    kndist_net.last = &m->next;
}

void kndist_message_unlink(kndist_message **at)
{
    kndist_message *m = *at;
    *at = m->next;
    if (!*at)
        kndist_net.last = at;
}

static void take_in(kndist_message *m)
{
    bool now = m->head.kind >= KNDIST_BYE || (kndist_net.run && m->head.run == kndist_net.run);
    if (now && kndist_hear(m))
        kndist_message_drop(m);
    else
        keep(m);
}

/* Everything that has come so far; heads that have gone. */
knx_error *kndist_pump(void)
{
    int asked = kndist_net.t->progress();
    knx_error *error = asked ? refuse(asked, kndist_net.me) : NULL;
    for (size_t i = 0; i < kndist_net.sent.n && !error;) {
        int code = kndist_net.t->test(&kndist_net.sent.at[i].request);
        if (code)
            error = refuse(code, kndist_net.sent.at[i].m->process);
        if (!kndist_net.sent.at[i].request) {
            kndist_message_drop(kndist_net.sent.at[i].m);
            kndist_net.sent.at[i] = kndist_net.sent.at[--kndist_net.sent.n];
        } else {
            i++;
        }
    }
    for (int k = 0; k < kndist_net.n && !error; k++) {
        kndist_peer *p = &kndist_net.peer[k];
        while (p->request && !error) {
            int code = kndist_net.t->test(&p->request);
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
        kndist_break_job(error);
    return error;
}

/* ---- Waiting: a little on the CPU, then asleep. Who yields instead is behind all others that run on the machine, for
 * some milliseconds each; who sleeps comes back as soon as the time is over. */

void kndist_idle(int *tries)
{
    long most = *tries < 4 * SPINS ? 10000 : 100000;
    if (++*tries > SPINS)
        nanosleep(&(struct timespec){.tv_nsec = most}, NULL);
}

/* ---- Speaking to all. */

knx_error *kndist_tell_all(kndist_message_kind kind, int device, const knx_error *e)
{
    knx_error *error = NULL;
    size_t n = e ? strlen(e->message) : 0;
    n = n < KNDIST_INLINE - 1 ? n : KNDIST_INLINE - 1;
    for (int i = 0; i < kndist_net.n && !error; i++) {
        kndist_message *m = kndist_net.peer[i].in_run ? kndist_message_new() : NULL;
        if (!m && kndist_net.peer[i].in_run)
            error = knx_error_nomem();
        if (!m)
            continue;
        m->head = (kndist_head){.kind = (int32_t)kind,
                                .move = e && e->interruption,
                                .run = kndist_net.run,
                                .from = device,
                                .line = kndist_net.n_local,
                                .failed = e ? 1 + (int32_t)e->kind : 0};
        memcpy(m->inside, e ? e->message : "", n);
        m->inside[n] = 0;
        error = kndist_send_head(i, m, n + 1);
    }
    return error;
}

/* ---- The job. */

/* All say how many devices they have; until everyone has said it. */
static knx_error *greet(void)
{
    double since = knx_seconds(), limit = kndist_timeout();
    knx_error *error = kndist_tell_all(KNDIST_HELLO, 0, NULL);
    for (int tries = 0, i = 0; !error;) {
        error = kndist_pump();
        while (i < kndist_net.n && (i == kndist_net.me || kndist_net.peer[i].greeted))
            i++;
        if (error || i == kndist_net.n)
            break;
        if (limit > 0 && knx_seconds() - since > limit)
            error = knx_error_new(KN_ERROR_RUNTIME, "process %d waited %g s for process %d to join", kndist_net.me,
                                  limit, i);
        kndist_idle(&tries);
    }
    for (int i = 0; i < kndist_net.n && !error; i++)
        if (i != kndist_net.me && kndist_net.peer[i].n_local != kndist_net.n_local)
            error = knx_error_new(KN_ERROR_RUNTIME,
                                  "all processes need the same number of devices (KILN_DEVICES): process %d has %d, "
                                  "process %d has %d",
                                  kndist_net.me, kndist_net.n_local, i, kndist_net.peer[i].n_local);
    return error;
}

knx_error *kndist_net_open(const struct kndist_transport *t, int n_local)
{
    knx_error *error = NULL;
    knx_mutex_lock(&kndist_net.lock);
    kndist_net.t = t;
    kndist_net.n = t->n_process;
    kndist_net.me = t->process;
    kndist_net.n_local = n_local;
    kndist_net.broken[0] = 0;
    kndist_net.peer = knx_alloc_zero((size_t)kndist_net.n * sizeof *kndist_net.peer);
    error = kndist_net.peer ? NULL : knx_error_nomem();
    if (!error && (int64_t)n_local * n_local > t->last_tag - KNDIST_FIRST_PAIR)
        error = knx_error_new(KN_ERROR_RUNTIME, "MPI has no tags for %d devices of a process", n_local);
    for (int i = 0; i < kndist_net.n && !error; i++) {
        kndist_net.peer[i].in_run = i != kndist_net.me;
        error = i != kndist_net.me ? expect_head(i) : NULL;
    }
    if (!error)
        error = greet();
    if (error)
        kndist_break_job(error);
    knx_mutex_unlock(&kndist_net.lock);
    return error;
}

const char *kndist_net_close(void)
{
    static char why[sizeof kndist_net.broken];
    knx_mutex_lock(&kndist_net.lock);
    for (int i = 0; i < kndist_net.n; i++)
        kndist_net.peer[i].in_run = i != kndist_net.t->process && !kndist_net.peer[i].left;
    knx_error *error = kndist_net.broken[0] ? NULL : kndist_tell_all(KNDIST_BYE, 0, NULL);
    double end = knx_seconds() + 1;
    while (!error && !kndist_net.broken[0] && kndist_net.sent.n && knx_seconds() < end)
        error = kndist_pump();
    for (size_t i = 0; i < kndist_net.sent.n; i++) {
        kndist_net.t->give_up(&kndist_net.sent.at[i].request);
        kndist_message_drop(kndist_net.sent.at[i].m);
    }
    kndist_net.sent.n = 0;
    for (int i = 0; i < kndist_net.n; i++) {
        if (kndist_net.peer[i].request)
            kndist_net.t->give_up(&kndist_net.peer[i].request);
        knx_free(kndist_net.peer[i].next);
    }
    knx_error_release(error);
    knx_free(kndist_net.peer);
    memcpy(why, kndist_net.broken, sizeof why);
    kndist_net.peer = NULL;
    kndist_net.n = 0;
    kndist_net.t = NULL;
    for (kndist_message *m; (m = kndist_net.come);) {
        kndist_net.come = m->next;
        knx_free(m);
    }
    kndist_net.last = &kndist_net.come;
    for (kndist_message *m; (m = kndist_net.free);) {
        kndist_net.free = m->next;
        knx_free(m);
    }
    KN_VEC_FREE(&kndist_net.sent);
    KN_VEC_FREE(&kndist_net.counts);
    knx_mutex_unlock(&kndist_net.lock);
    return why;
}
