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

typedef struct remote {
    kndist_member *m;
    const kndist_meeting *t;
    int me;
    kndist_waits waits;
    KN_VEC(int) pending; /* ranks whose heads have not come */
    kndist_waste waste;
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
    kndist_message *m = kndist_message_new();
    if (!m)
        return knx_error_nomem();
    m->head = (kndist_head){.kind = KNDIST_MOVE,
                            .move = (int32_t)move->kind,
                            .run = kndist_net.run,
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
    KN_TRY(kndist_send_head(kndist_process_of(to), m, fits ? piece.bytes : 0));
    return fits ? NULL
                : kndist_post(&r->waits, kndist_process_of(to), kndist_pair_tag(r->m->self.device, to), piece.p,
                              piece.bytes, true);
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
    kndist_head_text(&its, h);
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
    kndist_message **at = &kndist_net.come;
    while (*at &&
           ((*at)->head.run != kndist_net.run || (*at)->head.from != from || (*at)->head.to != r->m->self.device))
        at = &(*at)->next;
    kndist_message *m = *at;
    if (!m)
        return NULL;
    KN_TRY(check_head(r, &m->head, here));
    *got = true;
    kndist_message_unlink(at);
    if (here.bytes <= KNDIST_INLINE) {
        if (here.bytes)
            memcpy(here.p, m->inside, here.bytes);
        kndist_message_drop(m);
        return NULL;
    }
    kndist_message_drop(m);
    return kndist_post(&r->waits, kndist_process_of(from), kndist_pair_tag(from, r->m->self.device), here.p, here.bytes,
                       false);
}

/* It sends what is of another run before it has ended this one; or it is gone. */
static knx_error *gone(const remote *r, int rank)
{
    int process = kndist_process_of(r->t->device[rank]);
    knx_text mine = {0}, its = {0};
    kndist_what_text(&mine, r->m->move.what);
    if (kndist_net.peer[process].left)
        return knx_error_new(KN_ERROR_RUNTIME, "device %d is in %s, and process %d, which has device %d, has left",
                             r->m->self.device, mine.s, process, r->t->device[rank]);
    if (kndist_net.peer[process].ended)
        return knx_error_new(KN_ERROR_RUNTIME,
                             "devices run different movements: device %d is in %s, device %d has ended",
                             r->m->self.device, mine.s, r->t->device[rank]);
    for (const kndist_message *m = kndist_net.come; m; m = m->next)
        if (m->process == process && m->head.run != kndist_net.run && m->head.kind == KNDIST_MOVE)
            return knx_error_new(KN_ERROR_RUNTIME,
                                 "processes run different programs: device %d is in %s, device %d of process %d in %s",
                                 r->m->self.device, mine.s, m->head.from, process, kndist_head_text(&its, &m->head));
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
    int process = r->pending.n ? kndist_process_of(r->t->device[r->pending.at[0]])
                  : r->waits.n ? r->waits.at[0].process
                               : -1;
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
    knx_error *error = kndist_net.broken[0] ? kndist_broken() : kndist_pump();
    if (!error)
        error = kndist_test_waits(&r->waits);
    if (!error && limit > 0 && knx_seconds() - since > limit) {
        error = too_late(r, limit);
        kndist_break_job(error);
    }
    if (error) { /* nothing will come any more */
        kndist_break_job(error);
        kndist_give_up(&r->waits);
        kndist_give_up(&r->waste.waits);
        fail(r, error);
        return true;
    }
    if (r->pending.n && atomic_load(&r->m->self.crew->failed))
        fail(r, NULL);
    if (r->pending.n && (error = take_heads(r)))
        fail(r, error);
    if ((r->waits.n || r->waste.waits.n) && atomic_load(&r->m->self.crew->failed))
        fail(r, kndist_throw_away(&r->waste));
    return !r->pending.n && !r->waits.n && !r->waste.waits.n;
}

static void wait_for_pieces(remote *r)
{
    double since = knx_seconds();
    bool told = false;
    for (int tries = 0;;) {
        knx_mutex_lock(&kndist_net.lock);
        size_t before = r->pending.n + r->waits.n;
        bool done = look(r, since);
        knx_mutex_unlock(&kndist_net.lock);
        if (r->error && !told)
            kndist_fail(r->m->self.crew, r->m, r->error);
        told |= r->error != NULL;
        if (done)
            return;
        if (r->pending.n + r->waits.n < before)
            tries = 0;
        kndist_idle(&tries);
    }
}

knx_error *kndist_remote_move(kndist_member *m, const kndist_meeting *t, int me)
{
    remote r = {.m = m, .t = t, .me = me};
    knx_mutex_lock(&kndist_net.lock);
    knx_error *error = !kndist_net.t          ? knx_error_new(KN_ERROR_RUNTIME, "this process is alone")
                       : kndist_net.broken[0] ? kndist_broken()
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
    knx_mutex_unlock(&kndist_net.lock);
    if (r.error)
        kndist_fail(m->self.crew, m, r.error);
    if (r.pending.n || r.waits.n)
        wait_for_pieces(&r);
    bool whole = !r.error && !r.pending.n && !atomic_load(&m->self.crew->failed);
    KN_VEC_FREE(&r.waits);
    KN_VEC_FREE(&r.pending);
    kndist_waste_free(&r.waste);
    if (!r.error && !whole)
        return kndist_other_failed(m);
    return r.error;
}
