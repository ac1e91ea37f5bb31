/* SPDX-License-Identifier: Apache-2.0
 * checkpoint_steps.c -- the checkpoints of a run in one folder, each in a folder that has the number of its step as its
 * name: 100, 200, ... A number without a manifest is none, nor is what has another name. */
#if !defined _WIN32 && !defined __wasi__
#define _GNU_SOURCE
#endif
#include "base/memory.h"
#include "base/str.h"
#include "io/checkpoint.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

char *knio_step_path(const char *folder, int64_t step)
{
    char name[24];
    snprintf(name, sizeof name, "%" PRId64, step);
    return knio_in_folder(folder, NULL, name);
}

#if !defined _WIN32 && !defined __wasi__
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

/* The step that a name begins with, which stands as we write it; *end: what comes behind. -1: none. */
static int64_t step_of(const char *name, const char **end)
{
    char *to;
    errno = 0;
    int64_t step = name[0] >= '0' && name[0] <= '9' ? strtoll(name, &to, 10) : -1;
    if (step < 0 || errno || (name[0] == '0' && to != name + 1))
        return -1;
    *end = to;
    return step;
}

static bool is_whole(const char *folder, const char *name)
{
    char *path = knio_in_folder(folder, NULL, name),
         *manifest = path ? knio_in_folder(path, NULL, "manifest.json") : NULL;
    bool whole = manifest && access(manifest, F_OK) == 0;
    knx_free(manifest);
    knx_free(path);
    return whole;
}

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

typedef KN_VEC(int64_t) steps;

/* The steps of names with this ending, ".new" or ""; with a manifest if they have to be whole. */
static knx_error *collect(const char *folder, bool left, steps *out)
{
    DIR *d = opendir(folder);
    const struct dirent *e;
    if (!d)
        return knio_file_error(folder, errno);
    bool room = true;
    while (room && (e = readdir(d))) {
        const char *end = NULL;
        int64_t step = step_of(e->d_name, &end);
        if (step < 0)
            continue;
        bool is_left = strcmp(end, ".new") == 0 || strcmp(end, ".old") == 0 || strcmp(end, ".gone") == 0;
        if (left ? is_left : !*end && is_whole(folder, e->d_name))
            room = KN_VEC_PUSH(out, step);
    }
    closedir(d);
    return room ? NULL : knx_error_nomem();
}

knx_error *knio_steps_open(const char *folder)
{
    steps left = {0};
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return knio_file_error(folder, errno);
    knx_error *e = collect(folder, true, &left);
    for (size_t i = 0; i < left.n && !e; i++) {
        char *path = knio_step_path(folder, left.at[i]);
        if (path)
            knio_folder_clear(path);
        knx_free(path);
    }
    KN_VEC_FREE(&left);
    return e;
}

knx_error *knio_steps_read(const char *folder, int64_t **step, size_t *n)
{
    steps all = {0};
    knx_error *e = collect(folder, false, &all);
    if (e)
        KN_VEC_FREE(&all);
    else if (all.n)
        qsort(all.at, all.n, sizeof *all.at, ascending);
    *step = all.at;
    *n = all.n;
    return e;
}
#else
knx_error *knio_steps_open(const char *folder)
{
    return knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "%s: checkpoints are not written on this system", folder);
}
knx_error *knio_steps_read(const char *folder, int64_t **step, size_t *n)
{
    *step = NULL;
    *n = 0;
    return knio_steps_open(folder);
}
#endif
