/* SPDX-License-Identifier: Apache-2.0
 * net_move.c -- one device's part of a movement whose group has members in other processes. */
#include "dist/net.h"
#include "base/clock.h"
#include <inttypes.h>
#include <string.h>

/* ---- What failed. */

knx_error *kndist_throw_away(kndist_waste *w)
{
    KN_TRY(kndist_test_waits(&w->waits));
    for (kndist_message **at = &kndist_net.come; *at;) {
        kndist_message *head = *at;
        size_t bytes = head->head.bytes;
        if (head->head.run != kndist_net.run) {
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
        kndist_message_unlink(at);
        int process = head->process, tag = kndist_pair_tag(head->head.from, head->head.to);
        kndist_message_drop(head);
        if (bytes > KNDIST_INLINE)
            KN_TRY(kndist_post(&w->waits, process, tag, w->at, bytes, false));
    }
    return NULL;
}

void kndist_waste_free(kndist_waste *w)
{
    kndist_give_up(&w->waits);
    KN_VEC_FREE(&w->waits);
    knx_free(w->at);
}

/* ---- Movements. */

struct kndist_away {
    kndist_waits waits;
    KN_VEC(int) pending; /* ranks whose heads have not come */
    kndist_waste waste;
    knx_error *error;
    bool told; /* of the error */
};

knx_error *kndist_away_new(kndist_away **out)
{
    *out = knx_alloc_zero(sizeof **out);
    return *out ? NULL : knx_error_nomem();
}

void kndist_away_free(kndist_away *r)
{
    if (!r)
        return;
    KN_VEC_FREE(&r->waits);
    KN_VEC_FREE(&r->pending);
    knx_free(r);
}

static void copy_end(char *to, size_t room, const char *s)
{
    size_t n = s ? strlen(s) : 0, from = n < room ? 0 : n - room + 1;
    memcpy(to, n ? s + from : "", n - from + 1);
}

static int32_t device_of(const kndist_flight *f, int rank) { return f->t->device[rank]; }

static knx_error *send_piece(const kndist_flight *f, int rank)
{
    const kndist_move *move = &f->move;
    int32_t from = device_of(f, f->me), to = device_of(f, rank);
    kndist_piece piece = kndist_piece_to(move, rank);
    if (!piece.is)
        return NULL;
    kndist_message *m = kndist_message_new();
    if (!m)
        return knx_error_nomem();
    m->head = (kndist_head){.kind = KNDIST_MOVE,
                            .move = (int32_t)move->kind,
                            .run = kndist_net.run,
                            .group = f->t->hash,
                            .bytes = piece.bytes,
                            .from = from,
                            .to = to,
                            .line = move->what.line ? move->what.line->line : 0};
    copy_end(m->head.operation, sizeof m->head.operation, move->what.operation);
    copy_end(m->head.file, sizeof m->head.file, move->what.line ? move->what.line->file : "");
    bool fits = piece.bytes <= KNDIST_INLINE;
    if (fits && piece.bytes)
        memcpy(m->inside, piece.p, piece.bytes);
    KN_TRY(kndist_send_head(kndist_process_of(to), m, fits ? piece.bytes : 0));
    return fits ? NULL
                : kndist_post(&f->away->waits, kndist_process_of(to), kndist_pair_tag(from, to), piece.p, piece.bytes,
                              true);
}

static knx_error *check_head(const kndist_flight *f, const kndist_head *h, kndist_piece here)
{
    const kndist_move *move = &f->move;
    knx_text mine = {0}, its = {0};
    char operation[sizeof h->operation];
    copy_end(operation, sizeof operation, move->what.operation);
    bool same = h->move == (int32_t)move->kind && h->group == f->t->hash && !strcmp(h->operation, operation);
    if (same && h->bytes == here.bytes)
        return NULL;
    kndist_what_text(&mine, move->what);
    kndist_head_text(&its, h);
    if (same)
        return knx_error_new(KN_ERROR_RUNTIME, "device %d sends %" PRIu64 " bytes in %s, device %d wants %zu in %s",
                             h->from, h->bytes, its.s, device_of(f, f->me), here.bytes, mine.s);
    return knx_error_new(KN_ERROR_RUNTIME, "devices run different movements: device %d is in %s, device %d in %s",
                         device_of(f, f->me), mine.s, h->from, its.s);
}

/* The head from that rank, if it has come. *got: it has, and what follows is on its way. */
static knx_error *take_head(const kndist_flight *f, int rank, bool *got)
{
    int32_t from = device_of(f, rank), mine = device_of(f, f->me);
    kndist_piece here = kndist_piece_from(&f->move, rank);
    kndist_message **at = &kndist_net.come;
    while (*at && ((*at)->head.run != kndist_net.run || (*at)->head.from != from || (*at)->head.to != mine))
        at = &(*at)->next;
    kndist_message *m = *at;
    if (!m)
        return NULL;
    KN_TRY(check_head(f, &m->head, here));
    *got = true;
    kndist_message_unlink(at);
    if (here.bytes <= KNDIST_INLINE) {
        if (here.bytes)
            memcpy(here.p, m->inside, here.bytes);
        kndist_message_drop(m);
        return NULL;
    }
    kndist_message_drop(m);
    return kndist_post(&f->away->waits, kndist_process_of(from), kndist_pair_tag(from, mine), here.p, here.bytes,
                       false);
}

/* It sends what is of another run before it has ended this one; or it is gone. */
static knx_error *gone(const kndist_flight *f, int rank)
{
    int process = kndist_process_of(device_of(f, rank));
    int32_t me = device_of(f, f->me);
    knx_text mine = {0}, its = {0};
    kndist_what_text(&mine, f->move.what);
    if (kndist_net.peer[process].left)
        return knx_error_new(KN_ERROR_RUNTIME, "device %d is in %s, and process %d, which has device %d, has left", me,
                             mine.s, process, device_of(f, rank));
    if (kndist_net.peer[process].ended)
        return knx_error_new(KN_ERROR_RUNTIME,
                             "devices run different movements: device %d is in %s, device %d has ended", me, mine.s,
                             device_of(f, rank));
    for (const kndist_message *m = kndist_net.come; m; m = m->next)
        if (m->process == process && m->head.run != kndist_net.run && m->head.kind == KNDIST_MOVE)
            return knx_error_new(KN_ERROR_RUNTIME,
                                 "processes run different programs: device %d is in %s, device %d of process %d in %s",
                                 me, mine.s, m->head.from, process, kndist_head_text(&its, &m->head));
    return NULL;
}

/* Is there one that was started before f, for which something has to come from that device first? */
static bool is_behind(const kndist_member *m, const kndist_flight *f, int32_t device)
{
    for (const kndist_flight *e = m->flights; e != f; e = e->next)
        for (size_t i = 0; e->away && i < e->away->pending.n; i++)
            if (device_of(e, e->away->pending.at[i]) == device)
                return true;
    return false;
}

static knx_error *take_heads(const kndist_member *m, const kndist_flight *f)
{
    kndist_away *r = f->away;
    knx_error *error = NULL;
    for (size_t i = 0; i < r->pending.n && !error;) {
        bool got = false;
        if (!is_behind(m, f, device_of(f, r->pending.at[i])))
            error = take_head(f, r->pending.at[i], &got);
        if (!error && !got)
            error = gone(f, r->pending.at[i]);
        if (got)
            r->pending.at[i] = r->pending.at[--r->pending.n];
        else
            i++;
    }
    return error;
}

static knx_error *too_late(const kndist_flight *f, double seconds)
{
    knx_text mine = {0};
    const kndist_away *r = f->away;
    kndist_what_text(&mine, f->move.what);
    int process = r->pending.n ? kndist_process_of(device_of(f, r->pending.at[0]))
                  : r->waits.n ? r->waits.at[0].process
                               : -1;
    return knx_error_new(KN_ERROR_RUNTIME, "device %d waited %g s in %s for process %d, from which nothing comes",
                         device_of(f, f->me), seconds, mine.s, process);
}

/* From here on it only waits for what is under way. */
static void fail(kndist_away *r, knx_error *error)
{
    r->pending.n = 0;
    if (!error)
        return;
    if (r->error)
        knx_error_release(error);
    else
        r->error = error;
}

/* Of all that the member has under way, in the order of their starts. */
static void take_all(kndist_member *m)
{
    for (kndist_flight *f = m->flights; f; f = f->next) {
        bool waits = f->away && f->away->pending.n;
        knx_error *error = NULL;
        if (waits && atomic_load(&m->self.crew->failed))
            fail(f->away, NULL);
        else if (waits && (error = take_heads(m, f)))
            fail(f->away, error);
    }
}

/* One look, under the lock; true: f is done. */
static bool look(kndist_member *m, const kndist_flight *f, double since)
{
    double limit = kndist_timeout();
    kndist_away *r = f->away;
    knx_error *error = kndist_net.broken[0] ? kndist_broken() : kndist_pump();
    if (!error)
        error = kndist_test_waits(&r->waits);
    if (!error && limit > 0 && knx_seconds() - since > limit) {
        error = too_late(f, limit);
        kndist_break_job(error);
    }
    if (error) { /* nothing will come any more */
        kndist_break_job(error);
        kndist_give_up(&r->waits);
        kndist_give_up(&r->waste.waits);
        fail(r, error);
        return true;
    }
    take_all(m);
    if ((r->waits.n || r->waste.waits.n) && atomic_load(&m->self.crew->failed))
        fail(r, kndist_throw_away(&r->waste));
    return !r->pending.n && !r->waits.n && !r->waste.waits.n;
}

/* The others hear of what went wrong; the lock is not held. */
static void tell(kndist_member *m)
{
    for (kndist_flight *f = m->flights; f; f = f->next)
        if (f->away && f->away->error && !f->away->told) {
            f->away->told = true;
            kndist_fail(m->self.crew, m, f->away->error);
        }
}

static void wait_for_pieces(kndist_member *m, const kndist_flight *f)
{
    double since = knx_seconds();
    const kndist_away *r = f->away;
    for (int tries = 0;;) {
        knx_mutex_lock(&kndist_net.lock);
        size_t before = r->pending.n + r->waits.n;
        bool done = look(m, f, since);
        knx_mutex_unlock(&kndist_net.lock);
        tell(m);
        if (done)
            return;
        if (r->pending.n + r->waits.n < before)
            tries = 0;
        kndist_idle(&tries);
    }
}

static knx_error *start_all(const kndist_flight *f)
{
    kndist_away *r = f->away;
    if (!kndist_net.t)
        return knx_error_new(KN_ERROR_RUNTIME, "this process is alone");
    if (kndist_net.broken[0])
        return kndist_broken();
    for (int k = 1; k < f->t->n; k++) {
        int i = (f->me + k) % f->t->n;
        if (f->t->here[i] < 0 && kndist_piece_from(&f->move, i).is && !KN_VEC_PUSH(&r->pending, i))
            return knx_error_nomem();
    }
    for (int k = 1; k < f->t->n; k++) {
        int i = (f->me + k) % f->t->n;
        if (f->t->here[i] < 0)
            KN_TRY(send_piece(f, i));
    }
    return NULL;
}

void kndist_remote_start(kndist_member *m, kndist_flight *f)
{
    knx_mutex_lock(&kndist_net.lock);
    knx_error *error = start_all(f);
    if (error)
        fail(f->away, error);
    knx_mutex_unlock(&kndist_net.lock);
    tell(m);
}

knx_error *kndist_remote_error(kndist_member *m)
{
    for (const kndist_flight *f = m->flights; f; f = f->next)
        if (f->away && f->away->error)
            return knx_error_retain(f->away->error);
    return NULL;
}

knx_error *kndist_remote_wait(kndist_member *m, kndist_flight *f, bool known)
{
    kndist_away *r = f->away;
    if (r->pending.n || r->waits.n)
        wait_for_pieces(m, f);
    bool failed = !known && atomic_load(&m->self.crew->failed);
    knx_error *error = failed ? kndist_other_failed(m) : NULL;
    kndist_waste_free(&r->waste);
    knx_error_release(r->error);
    *r = (kndist_away){.waits = r->waits, .pending = r->pending};
    return error;
}

void kndist_remote_progress(kndist_member *m)
{
    enum { MICROSECONDS = 20 }; /* looking takes about one */
    double now = knx_seconds();
    bool waits = false;
    for (const kndist_flight *f = m->flights; f && !waits; f = f->next)
        waits = f->away && (f->away->pending.n || f->away->waits.n);
    if (!waits || now - m->looked < 1e-6 * MICROSECONDS)
        return;
    m->looked = now;
    knx_mutex_lock(&kndist_net.lock);
    knx_error *error = kndist_net.broken[0] ? NULL : kndist_pump();
    if (!error && !kndist_net.broken[0])
        take_all(m);
    knx_mutex_unlock(&kndist_net.lock);
    knx_error_release(error); /* the job is broken, which whoever waits finds */
    tell(m);
}
