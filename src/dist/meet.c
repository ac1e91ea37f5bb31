/* SPDX-License-Identifier: Apache-2.0
 * meet.c -- where the devices of a group that are in one process wait for each other: twice in each movement, before
 * they read each other's memory and before they go on.
 *
 * One word says how often all have come (`turn`), how many are there now, and whether one has given up. Whoever comes
 * last begins the next turn. Giving up and coming are both changes of the word, so either all go on, or none. From
 * coming to leaving the memory of all stays as it is, whatever fails meanwhile. */
#include "base/clock.h"
#include "base/cpus.h"
#include "base/hash.h"
#include "base/park.h"
#include "dist/crew.h"
#include <limits.h>
#include <string.h>

enum { COUNT = 0x7fff, GONE = 0x8000, TURN_SHIFT = 16, SPINS = 2000, SLICE = 20 * 1000 * 1000 };

static unsigned turn_of(unsigned word) { return word >> TURN_SHIFT; }

/* ---- Meetings, by the devices of the group. */

static bool is_of(const kndist_meeting *t, const kndist_group *g, uint64_t hash, int number)
{
    return t->hash == hash && t->number == number && t->n == g->n &&
           !memcmp(t->device, g->device, (size_t)g->n * sizeof *g->device);
}

/* Its number in the crew; -1: it is in another process. */
static knx_error *find_member(const kndist_crew *c, int32_t device, int *out)
{
    const kndist_job *job = kndist_job_now();
    *out = -1;
    for (int i = 0; i < c->n; i++)
        if (c->member[i].self.device == device)
            *out = i;
    if (device < 0 || device >= (int64_t)job->n_process * job->n_local)
        return knx_error_new(KN_ERROR_VALUE, "there is no device %d", device);
    if (*out < 0 && device / job->n_local == job->process)
        return knx_error_new(KN_ERROR_VALUE, "device %d does not run this program", device);
    return NULL;
}

static knx_error *make(kndist_crew *c, const kndist_group *g, uint64_t hash, int number, kndist_meeting **out)
{
    size_t n = (size_t)g->n;
    knx_error *error = NULL;
    kndist_meeting *t = knx_alloc_zero(
        sizeof *t + n * (sizeof(kndist_flight *) + sizeof *t->came + sizeof *t->device + sizeof *t->here));
    if (!t)
        return knx_error_nomem();
    t->flight = (kndist_flight **)(t + 1);
    t->came = (atomic_uint *)(t->flight + n);
    t->device = (int32_t *)(t->came + n);
    t->here = (int *)(t->device + n);
    t->number = number;
    memcpy(t->device, g->device, n * sizeof *t->device);
    t->n = g->n;
    t->hash = hash;
    for (int i = 0; i < g->n && !error; i++) {
        error = find_member(c, g->device[i], &t->here[i]);
        t->n_here += t->here[i] >= 0;
    }
    if (error)
        knx_free(t);
    *out = error ? NULL : t;
    return error;
}

static knx_error *find(kndist_crew *c, const kndist_group *g, uint64_t hash, int number, kndist_meeting **out)
{
    knx_error *error = NULL;
    knx_mutex_lock(&c->lock);
    kndist_meeting *t = c->meetings;
    while (t && !is_of(t, g, hash, number))
        t = t->next;
    if (!t && !(error = make(c, g, hash, number, &t))) {
        t->next = c->meetings;
        c->meetings = t;
    }
    knx_mutex_unlock(&c->lock);
    *out = t;
    return error;
}

static knx_error *numbered(kndist_member *m, const kndist_group *g, uint64_t hash, int number, kndist_meeting **out)
{
    for (size_t i = 0; i < m->known.n; i++)
        if (is_of(*out = m->known.at[i], g, hash, number))
            return NULL;
    KN_TRY(find(m->self.crew, g, hash, number, out));
    return KN_VEC_PUSH(&m->known, *out) ? NULL : knx_error_nomem();
}

knx_error *kndist_meeting_of(kndist_member *m, const kndist_group *g, kndist_meeting **out)
{
    if (g->n < 1 || g->me < 0 || g->me >= g->n || g->device[g->me] != m->self.device)
        return knx_error_new(KN_ERROR_VALUE, "device %d is not the member of the group that it says", m->self.device);
    uint64_t hash = knx_hash_bytes(g->device, (size_t)g->n * sizeof *g->device, (uint64_t)g->n);
    for (int number = 0;; number++) {
        const kndist_flight *f = m->flights;
        KN_TRY(numbered(m, g, hash, number, out));
        while (f && f->t != *out)
            f = f->next;
        if (!f)
            return NULL;
    }
}

void kndist_meetings_free(kndist_crew *c)
{
    for (kndist_meeting *t = c->meetings, *next; t; t = next) {
        next = t->next;
        knx_free(t);
    }
}

void kndist_meetings_wake(kndist_crew *c)
{
    for (kndist_meeting *t = c->meetings; t; t = t->next)
        knx_wake_at(&t->word, INT_MAX);
}

/* ---- Who waits for whom. */

const char *kndist_what_text(knx_text *t, kndist_what w)
{
    knx_text_add(t, "%s", w.operation ? w.operation : "a movement");
    if (w.line)
        knx_text_add(t, " at %s:%d", w.line->file, w.line->line);
    return t->s;
}

/* What another one says that it does, whatever it does meanwhile. */
static kndist_what what_of(kndist_member *m)
{
    knx_spin_lock(&m->lock);
    kndist_what w = m->what;
    knx_spin_unlock(&m->lock);
    return w;
}

/* Where m waits for others, and in which turn; NULL: it does not. */
static kndist_meeting *waits_at(kndist_member *m, unsigned *turn)
{
    kndist_meeting *t = atomic_load(&m->at);
    *turn = atomic_load(&m->turn);
    return t && turn_of(atomic_load(&t->word)) == *turn ? t : NULL;
}

/* Has that rank come to t in this turn? It may be anywhere by now. */
static bool is_there(const kndist_meeting *t, int rank, unsigned turn)
{
    return atomic_load(&t->came[rank]) == turn + 1;
}

/* Goes from m to those it waits for, and from there on; true: it has come back to `end`. seen[]: who was gone by;
 * *first: the one that `end` waits for on that way, for messages. */
static bool waits_for(kndist_member *m, kndist_member *end, bool *seen, kndist_member **first)
{
    kndist_crew *c = m->self.crew;
    unsigned turn;
    kndist_meeting *t = waits_at(m, &turn);
    seen[m->number] = true;
    for (int i = 0; t && i < t->n; i++) {
        kndist_member *other = t->here[i] < 0 ? m : &c->member[t->here[i]];
        if (other == m || is_there(t, i, turn))
            continue;
        if (other != end && (seen[other->number] || !waits_for(other, end, seen, first)))
            continue;
        *first = m == end ? other : *first;
        return true;
    }
    return false;
}

/* All of a circle wait; what was so twice was so in between, as nobody in a circle goes on. */
static kndist_member *circle(kndist_member *m)
{
    bool seen[KNDIST_MOST_DEVICES];
    kndist_member *first = NULL;
    for (int i = 0; i < 2; i++) {
        memset(seen, 0, (size_t)m->self.crew->n);
        if (!waits_for(m, m, seen, &first))
            return NULL;
    }
    return first;
}

/* The first of those who are awaited at t. */
static kndist_member *missing(kndist_member *m, const kndist_meeting *t, unsigned turn)
{
    for (int i = 0; i < t->n; i++) {
        kndist_member *other = t->here[i] < 0 ? m : &m->self.crew->member[t->here[i]];
        if (other != m && !is_there(t, i, turn))
            return other;
    }
    return NULL;
}

static knx_error *mismatch(kndist_member *m, kndist_member *other)
{
    knx_text mine = {0}, its = {0};
    return knx_error_new(KN_ERROR_RUNTIME,
                         "devices run different movements: device %d is in %s, device %d in %s, and they wait for each "
                         "other",
                         m->self.device, kndist_what_text(&mine, m->what), other->self.device,
                         kndist_what_text(&its, what_of(other)));
}

static knx_error *ended_early(kndist_member *m, const kndist_member *other)
{
    knx_text mine = {0};
    return knx_error_new(KN_ERROR_RUNTIME, "devices run different movements: device %d is in %s, device %d has ended",
                         m->self.device, kndist_what_text(&mine, m->what), other->self.device);
}

static knx_error *too_late(kndist_member *m, kndist_member *other, double seconds)
{
    knx_text mine = {0}, its = {0};
    unsigned turn;
    bool waits = waits_at(other, &turn) != NULL;
    return knx_error_new(KN_ERROR_RUNTIME, "device %d waited %g s in %s for device %d, which %s%s", m->self.device,
                         seconds, kndist_what_text(&mine, m->what), other->self.device,
                         waits ? "waits in " : "is at work", waits ? kndist_what_text(&its, what_of(other)) : "");
}

/* Asked now and then: is there any use in waiting on? */
static knx_error *look_around(kndist_member *m, const kndist_meeting *t, unsigned turn, double since)
{
    double limit = kndist_timeout();
    kndist_member *other = circle(m);
    if (other)
        return mismatch(m, other);
    if (!(other = missing(m, t, turn)))
        return NULL;
    if (atomic_load(&other->ended) && !atomic_load(&m->self.crew->failed))
        return ended_early(m, other);
    return limit > 0 && knx_seconds() - since > limit ? too_late(m, other, limit) : NULL;
}

/* ---- Coming and leaving. */

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* A little, without the system: the others come at the same time where each has a CPU. */
static bool spun(const kndist_meeting *t, unsigned turn, bool spins)
{
    for (int i = 0; spins && i < SPINS; i++, relax())
        if (turn_of(atomic_load_explicit(&t->word, memory_order_acquire)) != turn)
            return true;
    return false;
}

static bool has_cpus(const kndist_crew *c)
{
    static atomic_int cpus;
    int n = atomic_load_explicit(&cpus, memory_order_relaxed);
    if (!n)
        atomic_store_explicit(&cpus, n = knx_cpus(), memory_order_relaxed);
    return c->n <= n;
}

/* true: the turn is over. */
static bool park(kndist_meeting *t, unsigned turn)
{
    atomic_fetch_add(&t->parked, 1); /* before the word is looked at: who comes last looks in the other order */
    unsigned word = atomic_load(&t->word);
    if (turn_of(word) == turn)
        knx_wait_at(&t->word, word, SLICE);
    atomic_fetch_sub(&t->parked, 1);
    return turn_of(atomic_load(&t->word)) != turn;
}

static void begin_turn(kndist_meeting *t, unsigned turn)
{
    atomic_store(&t->word, (turn + 1) << TURN_SHIFT);
    if (atomic_load(&t->parked))
        knx_wake_at(&t->word, INT_MAX);
}

static bool came_after_all(kndist_meeting *t, unsigned turn)
{
    unsigned word = atomic_load(&t->word);
    do
        if (turn_of(word) != turn || (word & (COUNT | GONE)) == (unsigned)t->n_here)
            return true;
    while (!atomic_compare_exchange_weak(&t->word, &word, word | GONE));
    return false;
}

static void wait_out(kndist_meeting *t, unsigned turn)
{
    while (turn_of(atomic_load(&t->word)) == turn)
        park(t, turn);
}

/* Whoever came once another one had given up has been counted, too, but has not come. */
bool kndist_came_after_all(kndist_flight *f)
{
    if (!came_after_all(f->t, f->turn))
        return false;
    wait_out(f->t, f->turn);
    return true;
}

static knx_error *wait_for_all(kndist_member *m, kndist_flight *f)
{
    double since = knx_seconds(), next = since + 1e-9 * SLICE;
    while (!park(f->t, f->turn)) {
        bool failed = atomic_load(&m->self.crew->failed);
        bool looks = failed || knx_seconds() >= next;
        knx_error *error = looks && !failed ? look_around(m, f->t, f->turn, since) : NULL;
        if (looks)
            next = knx_seconds() + 1e-9 * SLICE;
        if (!error && !failed)
            continue;
        if (kndist_came_after_all(f)) {
            knx_error_release(error);
            return NULL;
        }
        return error ? error : kndist_other_failed(m);
    }
    return NULL;
}

knx_error *kndist_come(kndist_member *m, kndist_flight *f)
{
    kndist_meeting *t = f->t;
    if (atomic_load(&m->self.crew->failed))
        return kndist_other_failed(m);
    f->turn = turn_of(atomic_load(&t->word));
    t->flight[f->me] = f;
    atomic_store(&t->came[f->me], f->turn + 1);
    unsigned word = atomic_fetch_add(&t->word, 1) + 1;
    if (word & GONE)
        return kndist_other_failed(m);
    if ((int)(word & COUNT) == t->n_here)
        begin_turn(t, f->turn);
    return NULL;
}

knx_error *kndist_all_here(kndist_member *m, kndist_flight *f)
{
    kndist_meeting *t = f->t;
    knx_error *error = NULL;
    if (turn_of(atomic_load_explicit(&t->word, memory_order_acquire)) != f->turn)
        return NULL;
    atomic_store(&m->turn, f->turn);
    atomic_store(&m->at, t);
    if (!spun(t, f->turn, has_cpus(m->self.crew)))
        error = wait_for_all(m, f);
    atomic_store(&m->at, NULL);
    return error;
}

void kndist_begin_leaving(kndist_flight *f)
{
    kndist_meeting *t = f->t;
    f->turn = turn_of(atomic_load(&t->word));
    atomic_store(&t->came[f->me], f->turn + 1);
    if ((int)((atomic_fetch_add(&t->word, 1) + 1) & COUNT) == t->n_here)
        begin_turn(t, f->turn);
}

/* Others see for whom it waits: one of them may wait for this one somewhere else. */
void kndist_leave(kndist_member *m, const kndist_flight *f)
{
    if (turn_of(atomic_load(&f->t->word)) != f->turn || spun(f->t, f->turn, has_cpus(m->self.crew)))
        return;
    atomic_store(&m->turn, f->turn);
    atomic_store(&m->at, f->t);
    wait_out(f->t, f->turn);
    atomic_store(&m->at, NULL);
}
