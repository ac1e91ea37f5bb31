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
    case KNDIST_EXCHANGE: return (kndist_piece){m->recv + (size_t)rank * m->bytes, m->bytes, true};
    case KNDIST_PARTS: return (kndist_piece){m->recv + m->recv_at[rank], m->recv_bytes[rank], true};
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

static knx_error *differ(const kndist_member *a, const kndist_member *b)
{
    knx_text s = {0}, t = {0};
    bool sizes = a->move.kind != KNDIST_PARTS && a->move.kind == b->move.kind && a->move.bytes != b->move.bytes;
    kndist_what_text(&s, a->move.what);
    kndist_what_text(&t, b->move.what);
    if (sizes) {
        knx_text_add(&s, ", %zu bytes", a->move.bytes);
        knx_text_add(&t, ", %zu bytes", b->move.bytes);
    }
    return knx_error_new(KN_ERROR_RUNTIME, "devices run different movements: device %d is in %s, device %d in %s",
                         a->self.device, s.s, b->self.device, t.s);
}

static knx_error *other_size(const kndist_member *from, size_t sends, const kndist_member *to, size_t wants)
{
    knx_text s = {0}, t = {0};
    return knx_error_new(KN_ERROR_RUNTIME, "device %d sends %zu bytes in %s, device %d wants %zu in %s",
                         from->self.device, sends, kndist_what_text(&s, from->move.what), to->self.device, wants,
                         kndist_what_text(&t, to->move.what));
}

static knx_error *take(const kndist_member *me, int my_rank, const kndist_member *from, int rank)
{
    kndist_piece there = kndist_piece_to(&from->move, my_rank), here = kndist_piece_from(&me->move, rank);
    if (there.is != here.is || (here.is && there.bytes != here.bytes))
        return other_size(from, there.is ? there.bytes : 0, me, here.is ? here.bytes : 0);
    if (here.is && here.bytes && here.p != there.p)
        memmove(here.p, there.p, here.bytes);
    return NULL;
}

/* All have come. They find the same faults, if there are any. */
static knx_error *take_here(kndist_member *m, const kndist_meeting *t, int me)
{
    kndist_member *all = m->self.crew->member, *first = NULL;
    for (int i = 0; i < t->n; i++) {
        kndist_member *other = t->here[i] < 0 ? NULL : &all[t->here[i]];
        first = first ? first : other;
        if (other && !same_operation(&first->move, &other->move))
            return differ(first, other);
    }
    knx_error *error = NULL;
    for (int k = 0; k < t->n && !error; k++) {
        int i = (me + k) % t->n; /* not all from the same one at a time */
        error = t->here[i] < 0 ? NULL : take(m, me, &all[t->here[i]], i);
    }
    return error;
}

static knx_error *move_group(kndist_member *m, const kndist_group *g)
{
    kndist_meeting *t;
    KN_TRY(kndist_meeting_of(m, g, &t));
    KN_TRY(kndist_come(m, t));
    knx_error *error = take_here(m, t, g->me);
    if (!error && t->n_here < t->n)
        error = kndist_remote_move(m, t, g->me);
    kndist_leave(m, t);
    return error;
}

static knx_error *move(const kndist_group *g, const kndist_move *move)
{
    kndist_member *m = kndist_member_now();
    if (!m)
        return knx_error_new(KN_ERROR_RUNTIME, "%s runs on no device of a mesh",
                             move->what.operation ? move->what.operation : "a movement");
    knx_spin_lock(&m->lock);
    m->move = *move;
    knx_spin_unlock(&m->lock);
    knx_error *error = move_group(m, g);
    if (error && !m->secondary)
        kndist_fail(m->self.crew, m, error);
    return error;
}

/* ---- The movements. */

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
