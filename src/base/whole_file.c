/* SPDX-License-Identifier: Apache-2.0
 * whole_file.c -- files that are written beside the old one, which they replace when they are complete. */
#include "base/whole_file.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum { PATH = 4352, TRIES = 100 };

/* Processes of two containers may have the same number, so a name that is taken is no error. */
static FILE *open_neighbour(const char *path, char name[PATH])
{
    static atomic_uint counter;
    FILE *f = NULL;
    for (int i = 0; !f && i < TRIES; i++) {
        int n = snprintf(name, PATH, "%s.%ld-%u.new", path, (long)getpid(), atomic_fetch_add(&counter, 1));
        if (n < 0 || n >= PATH)
            return NULL;
        f = fopen(name, "wbx");
        if (!f && errno != EEXIST)
            return NULL;
    }
    return f;
}

bool knx_write_whole_file(const char *path, const void *bytes, size_t n)
{
    char name[PATH];
    FILE *f = open_neighbour(path, name);
    if (!f)
        return false;
    bool well = fwrite(bytes, 1, n, f) == n;
    well = !fclose(f) && well;
    well = well && !rename(name, path);
    if (!well)
        remove(name);
    return well;
}
