/* SPDX-License-Identifier: Apache-2.0
 * folder.c -- where the cache is that no folder was given for: the environment says it (docs/environment.md). */
#if !defined __wasi__
#define _GNU_SOURCE /* secure_getenv */
#endif
#include "base/getenv.h"
#include "models/cache/cache.h"
#include <stdio.h>
#include <string.h>

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
    const char *own = knx_getenv("KILN_CACHE"), *xdg = knx_getenv("XDG_CACHE_HOME"), *home = knx_getenv("HOME");
    char *s = given                ? joined(given, "")
              : own && *own        ? joined(own, "")
              : xdg && *xdg == '/' ? joined(xdg, "/kiln/files")
              : home && *home      ? joined(home, "/.cache/kiln/files")
                                   : joined("", "");
    for (size_t n = s ? strlen(s) : 0; n > 1 && s[n - 1] == '/'; n--)
        s[n - 1] = '\0';
    return s;
}
