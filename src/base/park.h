/* SPDX-License-Identifier: Apache-2.0
 * park.h -- threads that wait for a word in memory to change, and how they are woken. */
#ifndef KN_BASE_PARK_H
#define KN_BASE_PARK_H
#include <stdatomic.h>
#include <stdbool.h>

/* Returns when the word is no longer `seen`, after so many nanoseconds (less than a second; 0: not so), or for no
 * reason. */
void knx_wait_at(atomic_uint *word, unsigned seen, long nanoseconds);
bool knx_wake_at(atomic_uint *word, int n); /* was anybody waiting? */
void knx_parking_in_child(void);            /* after a fork: nobody waits */
#endif
