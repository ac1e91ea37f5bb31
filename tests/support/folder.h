/* SPDX-License-Identifier: Apache-2.0
 * folder.h -- for tests of files: a folder of their own, as fixtures of their group. */
#ifndef KN_TEST_FOLDER_H
#define KN_TEST_FOLDER_H
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/kiln-test-XXXXXX";

/* By turns in eight places. */
static const char *path_of(const char *name)
{
    static char path[8][sizeof folder + 64];
    static int turn;
    char *p = path[turn++ % 8];
    snprintf(p, sizeof path[0], "%s/%s", folder, name);
    return p;
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

/* Fails if anything but these files is left there. */
#define REMOVE_FOLDER(...)                                        \
    static int remove_folder(void **state)                        \
    {                                                             \
        (void)state;                                              \
        static const char *const files[] = {__VA_ARGS__};         \
        for (size_t i = 0; i < sizeof files / sizeof *files; i++) \
            unlink(path_of(files[i]));                            \
        return rmdir(folder);                                     \
    }
#endif
