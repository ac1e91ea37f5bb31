/* SPDX-License-Identifier: Apache-2.0
 * options.h -- the options of a call over their defaults. */
#ifndef KN_BASE_OPTIONS_H
#define KN_BASE_OPTIONS_H
#include <stddef.h>
#include <string.h>

/* Puts what the caller gave (NULL: nothing) over the defaults in `opts`. Callers compiled against an older header give
 * fewer options: their structs are shorter, as their first member says. */
static inline void knx_read_options(void *opts, size_t size, const void *given)
{
    size_t theirs;
    if (!given)
        return;
    memcpy(&theirs, given, sizeof theirs);
    memcpy(opts, given, theirs < size ? theirs : size);
    memcpy(opts, &size, sizeof size);
}

/* KNX_OPTS(kn_sum_opts, o, opts): a variable o with the options of this call. */
#define KNX_OPTS(T, name, given) \
    T name = T##_default();      \
    knx_read_options(&name, sizeof name, given)
#endif
