/* SPDX-License-Identifier: Apache-2.0
 * folder.c -- where the cache is that no folder was given for: the environment says it (docs/environment.md). */
#if !defined __wasi__
#define _GNU_SOURCE /* secure_getenv */
#endif
#include "models/cache/cache.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Nothing where the process has more rights than its user: files would be written where a variable says. */
static const char *environment(const char *name)
{
#if defined(__GLIBC__) || defined(__FreeBSD__)
    return secure_getenv(name);
#else
    return getenv(name);
#endif
}

static char *joined(const char *a, const char *b)
{
    size_t n = strlen(a) + strlen(b) + 1;
    char *s = malloc(n);
    if (s)
        snprintf(s, n, "%s%s", a, b);
    return s;
}

char *kncache_find_folder(const char *given)
{
    const char *own = environment("KILN_CACHE"), *xdg = environment("XDG_CACHE_HOME"), *home = environment("HOME");
    char *s = given                ? joined(given, "")
              : own && *own        ? joined(own, "")
              : xdg && *xdg == '/' ? joined(xdg, "/kiln/files")
              : home && *home      ? joined(home, "/.cache/kiln/files")
                                   : joined("", "");
    for (size_t n = s ? strlen(s) : 0; n > 1 && s[n - 1] == '/'; n--)
        s[n - 1] = '\0';
    return s;
}
