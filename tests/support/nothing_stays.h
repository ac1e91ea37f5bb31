/* SPDX-License-Identifier: Apache-2.0
 * nothing_stays.h -- around each test of jaxprs: what it allocates is freed at its end, but for what the process keeps of
 * places and dimensions, which goes then. */
#ifndef KN_TEST_NOTHING_STAYS_H
#define KN_TEST_NOTHING_STAYS_H
#include "base/dim.h"
#include "base/memory.h"
#include "ir/jaxpr.h"

static int64_t live;
static inline int setup(void **state)
{
    (void)state;
    live = knx_alloc_live();
    return 0;
}
static inline int teardown(void **state)
{
    (void)state;
    kni_places_free();
    knx_dims_free();
    return knx_alloc_live() == live ? 0 : -1;
}
#endif
