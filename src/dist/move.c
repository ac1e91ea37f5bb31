/* SPDX-License-Identifier: Apache-2.0
 * move.c -- movements of bytes among the devices of a group. Devices of one process copy from each other's memory
 * between coming and leaving. */
#include "dist/remote.h"
#include <string.h>

/* ---- Pieces. */

kndist_piece kndist_piece_to(const kndist_move *m, int rank)
{
    uintptr_t send = (uintptr_t)m->send;
    switch (m->kind) {
    case KNDIST_GATHER: return (kndist_piece){(char *)send, m->bytes, true};
    case KNDIST_EXCHANGE: return (kndist_piece){(char *)send + (size_t)rank * m->bytes, m->bytes, true};
    case KNDIST_PARTS:
        if (!m->send_bytes)
            return (kndist_piece){(char *)send, m->bytes, true};
        return (kndist_piece){(char *)send + m->send_at[rank], m->send_bytes[rank], true};
    case KNDIST_PERMUTE: return (kndist_piece){(char *)send, m->bytes, rank == m->to};
    case KNDIST_BARRIER: break;
    }
    return (kndist_piece){NULL, 0, m->kind == KNDIST_BARRIER};
}

kndist_piece kndist_piece_from(const kndist_move *m, int rank)
{
    switch (m->kind) {
    case KNDIST_GATHER:
    case KNDIST_EXCHANGE: return (kndist_piece){(char *)m->recv + (size_t)rank * m->bytes, m->bytes, true};
    case KNDIST_PARTS: return (kndist_piece){(char *)m->recv + m->recv_at[rank], m->recv_bytes[rank], true};
    case KNDIST_PERMUTE: return (kndist_piece){m->recv, m->bytes, rank == m->from};
    case KNDIST_BARRIER: break;
    }
    return (kndist_piece){NULL, 0, m->kind == KNDIST_BARRIER};
}

/* ---- Among the devices of this process. */

static bool same_operation(const kndist_move *a, const kndist_move *b)
{
    const char *s = a->what.operation ? a->what.operation : "", *t = b->what.operation ? b->what.operation : "";
    return a->kind == b->kind && (a->kind == KNDIST_PARTS || a->bytes == b->bytes) && (s == t || !strcmp(s, t));
}

static knx_error *differ(int32_t first, const kndist_move *a, int32_t second, const kndist_move *b)
{
    knx_text s = {0}, t = {0};
    bool sizes = a->kind != KNDIST_PARTS && a->kind == b->kind && a->bytes != b->bytes;
    kndist_what_text(&s, a->what);
    kndist_what_text(&t, b->what);
    if (sizes) {
        knx_text_add(&s, ", %zu bytes", a->bytes);
        knx_text_add(&t, ", %zu bytes", b->bytes);
    }
    return knx_error_new(KN_ERROR_RUNTIME, "devices run different movements: device %d is in %s, device %d in %s",
                         first, s.s, second, t.s);
}

static knx_error *other_size(const kndist_flight *from, size_t sends, const kndist_flight *to, size_t wants)
{
    knx_text s = {0}, t = {0};
    return knx_error_new(KN_ERROR_RUNTIME, "device %d sends %zu bytes in %s, device %d wants %zu in %s",
                         from->t->device[from->me], sends, kndist_what_text(&s, from->move.what), to->t->device[to->me],
                         wants, kndist_what_text(&t, to->move.what));
}

static knx_error *take(const kndist_flight *me, const kndist_flight *from)
{
    kndist_piece there = kndist_piece_to(&from->move, me->me), here = kndist_piece_from(&me->move, from->me);
    if (there.is != here.is || (here.is && there.bytes != here.bytes))
        return other_size(from, there.is ? there.bytes : 0, me, here.is ? here.bytes : 0);
    if (here.is && here.bytes && here.p != there.p)
        memmove(here.p, there.p, here.bytes);
    return NULL;
}

/* All have come. They find the same faults, if there are any. */
static knx_error *take_here(const kndist_flight *f)
{
    const kndist_meeting *t = f->t;
    int first = -1;
    for (int i = 0; i < t->n; i++) {
        if (t->here[i] < 0)
            continue;
        first = first < 0 ? i : first;
        if (!same_operation(&t->flight[first]->move, &t->flight[i]->move))
            return differ(t->device[first], &t->flight[first]->move, t->device[i], &t->flight[i]->move);
    }
    knx_error *error = NULL;
    for (int k = 0; k < t->n && !error; k++) {
        int i = (f->me + k) % t->n; /* not all from the same one at a time */
        error = t->here[i] < 0 ? NULL : take(f, t->flight[i]);
    }
    return error;
}

/* ---- Starting and waiting. */

void kndist_say(kndist_member *m, kndist_what w)
{
    knx_spin_lock(&m->lock);
    m->what = w;
    knx_spin_unlock(&m->lock);
}

static knx_error *take_off(kndist_member *m, const kndist_group *g, const kndist_move *move, kndist_flight **out)
{
    kndist_flight *f = m->spare, **last = &m->flights;
    kndist_meeting *t;
    KN_TRY(kndist_meeting_of(m, g, &t));
    if (!f && !(f = m->spare = knx_alloc_zero(sizeof *f)))
        return knx_error_nomem();
    f->move = *move;
    f->t = t;
    f->me = g->me;
    if (t->n_here < t->n && !f->away)
        KN_TRY(kndist_away_new(&f->away));
    KN_TRY(kndist_come(m, f));
    f->number = ++m->started;
    m->spare = f->next;
    f->next = NULL;
    while (*last)
        last = &(*last)->next;
    *last = *out = f;
    if (t->n_here < t->n)
        kndist_remote_start(m, f);
    return NULL;
}

static void land(kndist_member *m, kndist_flight *f)
{
    kndist_flight **at = &m->flights;
    while (*at != f)
        at = &(*at)->next;
    *at = f->next;
    f->next = m->spare;
    m->spare = f;
}

void kndist_flights_free(kndist_member *m)
{
    for (kndist_flight *f = m->spare, *next; f; f = next) {
        next = f->next;
        kndist_away_free(f->away);
        knx_free(f);
    }
}

static bool is_away(const kndist_flight *f) { return f->t->n_here < f->t->n; }

knx_error *kndist_start(const kndist_group *g, const kndist_move *move, kndist_flight **out)
{
    kndist_member *m = kndist_member_now();
    if (!m)
        return knx_error_new(KN_ERROR_RUNTIME, "%s runs on no device of a mesh",
                             move->what.operation ? move->what.operation : "a movement");
    kndist_say(m, move->what);
    knx_error *error = take_off(m, g, move, out);
    if (error && !m->secondary)
        kndist_fail(m->self.crew, m, error);
    return error;
}

knx_error *kndist_wait(kndist_flight *f)
{
    kndist_member *m = kndist_member_now();
    kndist_say(m, f->move.what);
    knx_error *error = kndist_all_here(m, f);
    bool here = !error;
    if (here)
        error = take_here(f);
    if (error && !m->secondary)
        kndist_fail(m->self.crew, m, error);
    if (is_away(f)) {
        knx_error *away = kndist_remote_wait(m, f, error != NULL);
        if (error)
            knx_error_release(away);
        else
            error = away;
    }
    if (here) {
        kndist_begin_leaving(f);
        kndist_leave(m, f);
    }
    land(m, f);
    return error;
}

uint64_t kndist_started(void)
{
    const kndist_member *m = kndist_member_now();
    return m ? m->started : 0;
}

void kndist_progress(void)
{
    kndist_member *m = kndist_member_now();
    if (m && m->flights && m->self.crew->remote)
        kndist_remote_progress(m);
}

/* Whoever waits for this one to leave waits no more before this one waits for anybody: so there is no circle. */
void kndist_abandon(uint64_t since, const knx_error *why)
{
    kndist_member *m = kndist_member_now();
    kndist_flight *first = m ? m->flights : NULL;
    while (first && first->number <= since)
        first = first->next;
    if (!first)
        return;
    if (!m->secondary)
        kndist_fail(m->self.crew, m, why);
    for (kndist_flight *f = first; f; f = f->next) {
        bool all = kndist_came_after_all(f);
        if (all)
            kndist_begin_leaving(f);
        else
            f->me = -1;
    }
    for (kndist_flight *f = first, *next; f; f = next) {
        next = f->next;
        if (is_away(f))
            knx_error_release(kndist_remote_wait(m, f, true));
        if (f->me >= 0)
            kndist_leave(m, f);
        land(m, f);
    }
}

/* ---- The movements. */

static knx_error *move(const kndist_group *g, const kndist_move *m)
{
    kndist_flight *f = NULL;
    KN_TRY(kndist_start(g, m, &f));
    return kndist_wait(f);
}

knx_error *kndist_all_gather(const kndist_group *g, kndist_what w, const void *send, size_t bytes, void *recv)
{
    return move(g, &(kndist_move){.kind = KNDIST_GATHER, .what = w, .send = send, .recv = recv, .bytes = bytes});
}

knx_error *kndist_all_to_all(const kndist_group *g, kndist_what w, const void *send, size_t bytes, void *recv)
{
    return move(g, &(kndist_move){.kind = KNDIST_EXCHANGE, .what = w, .send = send, .recv = recv, .bytes = bytes});
}

knx_error *kndist_all_to_all_v(const kndist_group *g, kndist_what w, const void *send, const size_t *send_bytes,
                               const size_t *send_at, void *recv, const size_t *recv_bytes, const size_t *recv_at)
{
    return move(g, &(kndist_move){.kind = KNDIST_PARTS,
                                  .what = w,
                                  .send = send,
                                  .recv = recv,
                                  .send_bytes = send_bytes,
                                  .send_at = send_at,
                                  .recv_bytes = recv_bytes,
                                  .recv_at = recv_at});
}

knx_error *kndist_all_gather_v(const kndist_group *g, kndist_what w, const void *send, size_t bytes, void *recv,
                               const size_t *recv_bytes, const size_t *recv_at)
{
    return move(g, &(kndist_move){.kind = KNDIST_PARTS,
                                  .what = w,
                                  .send = send,
                                  .recv = recv,
                                  .bytes = bytes,
                                  .recv_bytes = recv_bytes,
                                  .recv_at = recv_at});
}

knx_error *kndist_permute(const kndist_group *g, kndist_what w, const void *send, int to, void *recv, int from,
                          size_t bytes)
{
    return move(
        g, &(kndist_move){
               .kind = KNDIST_PERMUTE, .what = w, .send = send, .recv = recv, .bytes = bytes, .to = to, .from = from});
}

knx_error *kndist_barrier(const kndist_group *g, kndist_what w)
{
    return move(g, &(kndist_move){.kind = KNDIST_BARRIER, .what = w});
}
