/* SPDX-License-Identifier: Apache-2.0
 * crew.c -- runs a program on the devices of this process, each on a thread of its own, and what becomes of their
 * errors. */
#include "dist/remote.h"
#include "base/park.h"
#include "base/poll.h"
#include <string.h>

static KNX_TLS const kndist_self *now;

const kndist_self *kndist_self_now(void) { return now; }
bool kndist_shares_process(void) { return now && now->crew->n > 1; }

/* ---- Failures. */

void kndist_fail_here(kndist_crew *c, const kndist_member *m, const knx_error *why)
{
    knx_mutex_lock(&c->lock);
    if (!c->first) {
        c->first = knx_error_retain((knx_error *)(uintptr_t)why);
        c->first_device = m ? m->self.device : -1;
    }
    atomic_store(&c->failed, true);
    kndist_meetings_wake(c);
    knx_mutex_unlock(&c->lock);
}

void kndist_fail(kndist_crew *c, const kndist_member *m, const knx_error *why)
{
    kndist_fail_here(c, m, why);
    if (c->remote)
        kndist_remote_fail(c);
}

knx_error *kndist_other_failed(kndist_member *m)
{
    kndist_crew *c = m->self.crew;
    knx_error *own = kndist_remote_error(m); /* found between a start and its wait */
    if (own)
        return own;
    m->secondary = true;
    knx_mutex_lock(&c->lock);
    knx_error *first = knx_error_retain(c->first);
    int device = c->first_device;
    knx_mutex_unlock(&c->lock);
    if (!first) /* it is just about to say why */
        return knx_error_new(KN_ERROR_RUNTIME, "another device has failed");
    knx_error *error = first->interruption ? knx_error_interrupted()
                       : device < 0
                           ? knx_error_new(KN_ERROR_RUNTIME, "%s", first->message)
                           : knx_error_new(KN_ERROR_RUNTIME, "device %d has failed: %s", device, first->message);
    knx_error_release(first);
    return error;
}

/* ---- Runs. */

static void run_member(kndist_member *m)
{
    kndist_crew *c = m->self.crew;
    const kndist_self *before = now;
    now = &m->self;
    m->error = c->work(c->env, m->number);
    if (!m->error && m->flights)
        m->error = knx_error_new(KN_ERROR_RUNTIME, "a program has not waited for all that it started");
    if (m->error)
        kndist_abandon(0, m->error);
    now = before;
    if (m->error)
        kndist_fail(c, m, m->error);
    atomic_store(&m->ended, true);
}

static void run_on_hand(void *arg)
{
    kndist_member *m = arg;
    kndist_crew *c = m->self.crew;
    knx_stopped_by = &c->stop;
    run_member(m);
    knx_stopped_by = NULL;
    kndist_hand_free(m->hand);
    knx_mutex_lock(&c->lock); /* so that who waits for the last one finds that it has gone */
    if (atomic_fetch_sub(&c->left, 1) == 1)
        knx_wake_at(&c->left, 1);
    knx_mutex_unlock(&c->lock);
}

/* The user is asked meanwhile. */
static void wait_for_members(kndist_crew *c)
{
    enum { ASKING = 20 * 1000 * 1000 };
    for (unsigned left; (left = atomic_load(&c->left));) {
        knx_wait_at(&c->left, left, ASKING);
        if (!atomic_load(&c->stop) && knx_must_stop()) {
            knx_error *stopped = knx_error_interrupted();
            atomic_store(&c->stop, true);
            kndist_fail(c, NULL, stopped);
            knx_error_release(stopped);
        }
    }
    knx_mutex_lock(&c->lock);
    knx_mutex_unlock(&c->lock);
}

static knx_error *run_on_hands(kndist_crew *c)
{
#if KN_POSIX_THREADS
    kndist_hand **hand = knx_alloc((size_t)c->n * sizeof *hand);
    if (!hand)
        return knx_error_nomem();
    bool well = kndist_hands_take(c->n, hand);
    atomic_store(&c->left, well ? (unsigned)c->n : 0);
    for (int i = 0; well && i < c->n; i++) {
        c->member[i].hand = hand[i];
        kndist_hand_run(hand[i], run_on_hand, &c->member[i]);
    }
    knx_free(hand);
    if (!well)
        return knx_error_new(KN_ERROR_RUNTIME, "the system has no more threads for %d devices", c->n);
    wait_for_members(c);
    return knx_take_stop();
#else
    (void)run_on_hand, (void)wait_for_members;
    return knx_error_new(KN_ERROR_RUNTIME, "%d devices of one process need threads, and there are none here", c->n);
#endif
}

/* The error of the device with the lowest number, those that only tell of another one's last. The others go. */
static knx_error *take_error(kndist_crew *c, int *device, bool *secondary)
{
    kndist_member *best = NULL;
    for (int i = 0; i < c->n; i++) {
        kndist_member *m = &c->member[i];
        bool better = m->error && (!best || (best->secondary && !m->secondary) ||
                                   (best->secondary == m->secondary && m->self.device < best->self.device));
        best = better ? m : best;
    }
    for (int i = 0; i < c->n; i++)
        if (&c->member[i] != best)
            knx_error_release(c->member[i].error);
    *device = best ? best->self.device : c->member[0].self.device;
    *secondary = best && best->secondary;
    return best ? best->error : NULL;
}

static knx_error *run_crew(kndist_crew *c, const kndist_group *whole)
{
    int device;
    bool secondary;
    if (c->remote)
        KN_TRY(kndist_remote_begin(c, whole));
    knx_error *stopped = NULL;
    if (c->n == 1)
        run_member(&c->member[0]);
    else
        stopped = run_on_hands(c);
    knx_error *error = take_error(c, &device, &secondary);
    if (stopped) {
        knx_error_release(error);
        error = stopped;
        secondary = false;
    }
    return c->remote ? kndist_remote_end(c, error, device, secondary) : error;
}

knx_error *kndist_run_whole(const struct kni_mesh *mesh, const kndist_group *whole, int n, const int32_t *device,
                            const int64_t *in_mesh, knx_error *(*work)(void *env, int i), void *env)
{
    if (n < 0 || n > KNDIST_MOST_DEVICES)
        return knx_error_new(KN_ERROR_VALUE, "the number of devices must be 0 to %d, not %d", KNDIST_MOST_DEVICES, n);
    if (!n) /* others run it */
        return NULL;
    kndist_crew c = {.mesh = mesh, .n = n, .work = work, .env = env, .first_device = -1, .lock = KN_MUTEX_INIT};
    c.remote = whole->n > n;
    if (!(c.member = knx_alloc_zero((size_t)n * sizeof *c.member)))
        return knx_error_nomem();
    for (int i = 0; i < n; i++) {
        c.member[i].number = i;
        c.member[i].self =
            (kndist_self){.crew = &c, .device = device[i], .in_mesh = in_mesh ? in_mesh[i] : i, .mesh = mesh};
    }
    knx_error *error = run_crew(&c, whole);
    for (int i = 0; i < n; i++) {
        kndist_flights_free(&c.member[i]);
        KN_VEC_FREE(&c.member[i].known);
    }
    kndist_meetings_free(&c);
    knx_error_release(c.first);
    knx_free(c.member);
    return error;
}

/* A mesh of all devices of the job. */
knx_error *kndist_run(const struct kni_mesh *mesh, int n, const int32_t *device, const int64_t *in_mesh,
                      knx_error *(*work)(void *env, int i), void *env)
{
    const kndist_job *job = kndist_job_now();
    if (job->n_process == 1)
        return kndist_run_whole(mesh, &(kndist_group){n, 0, device}, n, device, in_mesh, work, env);
    kndist_group whole = {job->n_process * job->n_local, 0, NULL};
    int32_t *all = knx_alloc((size_t)whole.n * sizeof *all);
    if (!all)
        return knx_error_nomem();
    for (int32_t i = 0; i < whole.n; i++)
        all[i] = i;
    whole.device = all;
    knx_error *error = kndist_run_whole(mesh, &whole, n, device, in_mesh, work, env);
    knx_free(all);
    return error;
}
