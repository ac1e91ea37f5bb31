/* SPDX-License-Identifier: Apache-2.0
 * poll.c -- the user's function that is asked now and then whether what runs is to go on. */
#include "base/poll.h"
#include "base/clock.h"
#include "base/lock.h"
#include "base/pool.h"
#include "kiln/callback.h"

enum { MOST_STEPS = 64, NANOSECONDS = 20 * 1000 * 1000 };

atomic_bool knx_polled;
KNX_TLS int knx_poll_left;
KNX_TLS const atomic_bool *knx_stopped_by;
static KNX_TLS int stride = 1; /* steps until the next look at the clock */
static KNX_TLS int64_t last;   /* when it was asked */
static KNX_TLS bool stopping;  /* it was told to end, and nobody has taken the error yet */
static knx_spin lock;
static kn_poll function;
static void *function_env;

void kn_set_poll(kn_poll poll, void *env)
{
    knx_spin_lock(&lock);
    function = poll;
    function_env = env;
    knx_spin_unlock(&lock);
    atomic_store(&knx_polled, poll != NULL);
}

static bool is_too_soon(int64_t now) { return now - last < NANOSECONDS; }

static bool ask(int64_t now)
{
    knx_poll_left = stride = 1;
    last = now;
    knx_spin_lock(&lock);
    kn_poll poll = function;
    void *env = function_env;
    knx_spin_unlock(&lock);
    if (!poll || !poll(env))
        return false;
    last = now - NANOSECONDS; /* what runs next, on the way out, is asked about at once */
    return true;
}

knx_error *knx_poll_now(void)
{
    if (knx_stopped_by) {
        knx_poll_left = 1;
        return atomic_load_explicit(knx_stopped_by, memory_order_relaxed) ? knx_error_interrupted() : NULL;
    }
    int64_t now = knx_nanoseconds();
    if (is_too_soon(now)) {
        stride = 2 * stride < MOST_STEPS ? 2 * stride : MOST_STEPS;
        knx_poll_left = stride;
        return NULL;
    }
    return ask(now) ? knx_error_interrupted() : NULL;
}

bool knx_must_stop(void)
{
    if (knx_is_worker())
        return knx_parts_stopped();
    if (knx_stopped_by && atomic_load_explicit(knx_stopped_by, memory_order_relaxed)) {
        knx_stop_parts();
        return true;
    }
    if (!stopping && !knx_stopped_by && atomic_load_explicit(&knx_polled, memory_order_relaxed)) {
        int64_t now = knx_nanoseconds();
        stopping = !is_too_soon(now) && ask(now);
    }
    if (stopping)
        knx_stop_parts();
    return stopping;
}

knx_error *knx_take_stop(void)
{
    bool stop = knx_is_worker()  ? knx_parts_stopped()
                : knx_stopped_by ? atomic_load_explicit(knx_stopped_by, memory_order_relaxed)
                                 : stopping;
    if (!stop)
        return NULL;
    stopping = false;
    return knx_error_interrupted();
}
