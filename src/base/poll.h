/* SPDX-License-Identifier: Apache-2.0
 * poll.h -- the user's function that is asked now and then whether what runs is to go on (kn_set_poll): between two
 * steps or turns of a program, and from inside of kernels that take long. */
#ifndef KN_BASE_POLL_H
#define KN_BASE_POLL_H
#include "base/error.h"

/* Between two steps or turns, on the thread of the call: an error if what runs is to end. */
extern atomic_bool knx_polled; /* there is such a function */
extern KNX_TLS int knx_poll_left;
knx_error *knx_poll_now(void);
static inline knx_error *knx_poll(void)
{
    if (__builtin_expect(!atomic_load_explicit(&knx_polled, memory_order_relaxed), 1) || --knx_poll_left > 0)
        return NULL;
    return knx_poll_now();
}

/* From inside of what returns no error, each few milliseconds and on any thread: is it to end? The user is asked on
 * the thread of the call; a worker of the pool learns what the thread that it works for was told. Once it is true it
 * stays so until that thread takes the error: whoever ran something that asks does that after it. A worker gets an
 * error of its own, for as long as what it works for is to end. */
bool knx_must_stop(void);
/* A thread that works for another one's call, as workers do, but by itself: what runs on it is to end when this is
 * true. NULL: it asks for itself. */
extern KNX_TLS const atomic_bool *knx_stopped_by;
knx_error *knx_take_stop(void); /* NULL: it is to go on */
#endif
