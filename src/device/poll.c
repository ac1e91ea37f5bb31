/* SPDX-License-Identifier: Apache-2.0
 * poll.c -- the user's function that is asked now and then whether what runs is to go on. */
#include "base/clock.h"
#include "base/lock.h"
#include "device/device.h"
#include "kiln/callback.h"

enum { MOST_STEPS = 64, NANOSECONDS = 20 * 1000 * 1000 };

atomic_bool knd_polled;
KNX_TLS int knd_poll_left;
static KNX_TLS int stride = 1; /* steps until the next look at the clock */
static KNX_TLS int64_t last;   /* when it was asked */
static knx_spin lock;
static kn_poll function;
static void *function_env;

void kn_set_poll(kn_poll poll, void *env)
{
    knx_spin_lock(&lock);
    function = poll;
    function_env = env;
    knx_spin_unlock(&lock);
    atomic_store(&knd_polled, poll != NULL);
}

knx_error *knd_poll_now(void)
{
    int64_t now = knx_nanoseconds();
    if (now - last < NANOSECONDS) {
        stride = 2 * stride < MOST_STEPS ? 2 * stride : MOST_STEPS;
        knd_poll_left = stride;
        return NULL;
    }
    knd_poll_left = stride = 1;
    last = now;
    knx_spin_lock(&lock);
    kn_poll poll = function;
    void *env = function_env;
    knx_spin_unlock(&lock);
    if (!poll || !poll(env))
        return NULL;
    last = now - NANOSECONDS; /* what runs next, on the way out, is asked about at once */
    return knx_error_interrupted();
}
