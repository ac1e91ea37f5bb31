/* SPDX-License-Identifier: Apache-2.0
 * net_run.c -- runs of several processes: how one begins, how all hear of a failure, and how it ends for all. */
#include "dist/net.h"
#include "base/clock.h"
#include "base/hash.h"
#include <string.h>

/* ---- Runs. */

/* Which run of that mesh it is here; all processes count alike. 0: no memory. */
static uint64_t next_run(const kndist_group *whole)
{
    uint64_t mesh = knx_hash_bytes(whole->device, (size_t)whole->n * sizeof *whole->device, (uint64_t)whole->n);
    size_t i = 0;
    while (i < kndist_net.counts.n && kndist_net.counts.at[i].mesh != mesh)
        i++;
    if (i == kndist_net.counts.n && !KN_VEC_PUSH(&kndist_net.counts, ((kndist_count){mesh, 0})))
        return 0;
    return knx_hash_mix(mesh, ++kndist_net.counts.at[i].runs) | 1;
}

static void hear_what_came_early(void)
{
    for (kndist_message **at = &kndist_net.come; *at;) {
        kndist_message *m = *at;
        if (m->head.run == kndist_net.run && kndist_hear(m)) {
            kndist_message_unlink(at);
            kndist_message_drop(m);
        } else {
            at = &m->next;
        }
    }
}

knx_error *kndist_remote_begin(kndist_crew *c, const kndist_group *whole)
{
    knx_error *error = NULL;
    knx_mutex_lock(&kndist_net.lock);
    if (!kndist_net.t)
        error = knx_error_new(KN_ERROR_RUNTIME, "a mesh over other processes, but this process is alone");
    else if (kndist_net.broken[0])
        error = kndist_broken();
    else if (kndist_net.run)
        error = knx_error_new(KN_ERROR_RUNTIME, "one program at a time runs over several processes");
    else if (!kndist_net.t->any_thread && c->n > 1)
        error = knx_error_new(KN_ERROR_RUNTIME,
                              "MPI was initialized for one thread: %d devices of a process need "
                              "MPI_THREAD_SERIALIZED",
                              c->n);
    else if (!(kndist_net.run = next_run(whole)))
        error = knx_error_nomem();
    if (!error) {
        for (int i = 0; i < kndist_net.n; i++)
            kndist_net.peer[i].in_run = kndist_net.peer[i].ended = false;
        for (int i = 0; i < whole->n; i++)
            kndist_net.peer[kndist_process_of(whole->device[i])].in_run = true;
        kndist_net.peer[kndist_net.me].in_run = false;
        kndist_net.crew = c;
        kndist_net.told = kndist_net.ending = false;
        kndist_net.worst.failed = 0;
        hear_what_came_early();
    }
    knx_mutex_unlock(&kndist_net.lock);
    return error;
}

/* The crew's lock is not held. */
void kndist_remote_fail(kndist_crew *c)
{
    knx_mutex_lock(&c->lock);
    knx_error *first = knx_error_retain(c->first);
    int device = c->first_device;
    knx_mutex_unlock(&c->lock);
    knx_mutex_lock(&kndist_net.lock);
    if (kndist_net.crew == c && kndist_net.run && !kndist_net.told && !kndist_net.broken[0]) {
        kndist_net.told = true;
        knx_error *error = kndist_tell_all(KNDIST_FAIL, device < 0 ? c->member[0].self.device : device, first);
        if (error)
            kndist_break_job(error);
        knx_error_release(error);
    }
    knx_mutex_unlock(&kndist_net.lock);
    knx_error_release(first);
}

static bool all_ended(int *who)
{
    for (*who = 0; *who < kndist_net.n; ++*who)
        if (kndist_net.peer[*who].in_run && !kndist_net.peer[*who].ended)
            return false;
    return true;
}

static knx_error *not_ended(int who, double seconds)
{
    if (kndist_net.peer[who].left)
        return knx_error_new(KN_ERROR_RUNTIME, "process %d has left while a program ran", who);
    for (const kndist_message *m = kndist_net.come; m; m = m->next) {
        knx_text its = {0};
        if (m->process == who && m->head.run != kndist_net.run && m->head.kind == KNDIST_MOVE)
            return knx_error_new(KN_ERROR_RUNTIME,
                                 "processes run different programs: one has ended in process %d, process %d is in %s",
                                 kndist_net.me, who, kndist_head_text(&its, &m->head));
    }
    double limit = kndist_timeout();
    if (limit > 0 && seconds > limit)
        return knx_error_new(KN_ERROR_RUNTIME, "process %d waited %g s for process %d to end a program", kndist_net.me,
                             limit, who);
    return NULL;
}

/* Until all have ended it. */
static knx_error *wait_for_ends(void)
{
    kndist_waste w = {0};
    double since = knx_seconds();
    knx_error *error = NULL;
    for (int tries = 0, who;;) {
        error = kndist_net.broken[0] ? kndist_broken() : kndist_pump();
        if (!error)
            error = kndist_throw_away(&w);
        if (error || (all_ended(&who) && !w.waits.n && !kndist_net.sent.n))
            break;
        if (!all_ended(&who) && (error = not_ended(who, knx_seconds() - since)))
            break;
        knx_mutex_unlock(&kndist_net.lock);
        kndist_idle(&tries);
        knx_mutex_lock(&kndist_net.lock);
    }
    if (error)
        kndist_break_job(error);
    kndist_waste_free(&w);
    return error;
}

/* Of all that went wrong, here and elsewhere, that of the device with the lowest number. */
static knx_error *choose(knx_error *error, int device, bool secondary)
{
    if (!kndist_net.worst.failed || (error && !secondary && device <= kndist_net.worst.from))
        return error;
    knx_error_release(error);
    error = knx_error_new((kn_error_kind)(kndist_net.worst.failed - 1), "device %d has failed: %s",
                          kndist_net.worst.from, kndist_net.worst_text);
    kndist_mark_error(error, &kndist_net.worst);
    return error;
}

/* Who ended because of another one's failure hands that on: what that one says itself may come later, and by then the
 * others would wonder why this one has ended. */
static knx_error *tell_end(const knx_error *error, int device, bool secondary)
{
    if (!secondary || !kndist_net.worst.failed)
        return kndist_tell_all(KNDIST_END, device, secondary ? NULL : error);
    knx_error *heard = knx_error_new((kn_error_kind)(kndist_net.worst.failed - 1), "%s", kndist_net.worst_text);
    kndist_mark_error(heard, &kndist_net.worst);
    knx_error *lost = kndist_tell_all(KNDIST_END, kndist_net.worst.from, heard);
    knx_error_release(heard);
    return lost;
}

knx_error *kndist_remote_end(kndist_crew *c, knx_error *error, int device, bool secondary)
{
    knx_mutex_lock(&kndist_net.lock);
    knx_error *lost = kndist_net.broken[0] ? NULL : tell_end(error, device, secondary);
    if (!lost && !kndist_net.broken[0])
        lost = wait_for_ends();
    if (lost)
        kndist_break_job(lost);
    if (error && !secondary) {
        knx_error_release(lost);
        lost = NULL;
    }
    error = lost && !kndist_net.worst.failed ? (knx_error_release(error), lost) : choose(error, device, secondary);
    if (lost != error)
        knx_error_release(lost);
    kndist_net.run = 0;
    kndist_net.crew = NULL;
    (void)c;
    knx_mutex_unlock(&kndist_net.lock);
    return error;
}
