/* SPDX-License-Identifier: Apache-2.0
 * getenv.h -- one environment variable. Files that include it define _GNU_SOURCE first, where there is such a thing. */
#ifndef KN_BASE_GETENV_H
#define KN_BASE_GETENV_H
#include <stdlib.h>

/* NULL also where the process has more rights than its user: files would be written where a variable says. */
static inline const char *knx_getenv(const char *name)
{
#if defined(__GLIBC__) || defined(__FreeBSD__)
    return secure_getenv(name);
#else
    return getenv(name);
#endif
}
#endif
