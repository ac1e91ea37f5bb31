/* SPDX-License-Identifier: Apache-2.0
 * cache.c -- texts of pipelines in files (KILN_WEBGPU_CACHE): what was made once is made again when the adapter is
 * opened next, by another process, before a program waits for it. A driver that keeps its own code on disk has it at
 * once then. Each driver has a folder, since texts follow from what it can do; any checker of WGSL can read them. */
#include "base/log.h"
#include "base/whole_file.h"
#include "webgpu/gpu.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH = 4096, TEXT_AT_MOST = 1 << 22 };

/* The adapter's folder below the user's; false: there is none, or it does not fit. */
static bool folder_of(const kng_gpu *g, char *to, size_t room)
{
    const char *user = knx_env()->webgpu_cache;
    uint64_t driver = knx_hash_bytes(g->driver, strlen(g->driver), 1);
    int n = user ? snprintf(to, room, "%s/%016llx", user, (unsigned long long)driver) : -1;
    return n > 0 && (size_t)n < room;
}

void kng_cache_keep(const kng_gpu *g, const kng_pipeline *p)
{
    char folder[PATH - 64], path[PATH];
    struct stat s;
    if (!folder_of(g, folder, sizeof folder))
        return;
    snprintf(path, sizeof path, "%s/%016llx.wgsl", folder, (unsigned long long)p->hash);
    if (!stat(path, &s))
        return;
    if ((mkdir(knx_env()->webgpu_cache, 0777) && errno != EEXIST) || (mkdir(folder, 0777) && errno != EEXIST) ||
        !knx_write_whole_file(path, p->text, p->length))
        KN_LOG(1, "device %s: KILN_WEBGPU_CACHE: %s cannot be written", g->name, path);
}

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = f ? kng_keep(TEXT_AT_MOST) : NULL;
    size_t n = text ? fread(text, 1, TEXT_AT_MOST - 1, f) : 0;
    if (f)
        fclose(f);
    if (n && n < TEXT_AT_MOST - 1 && !memchr(text, 0, n))
        return text;
    kng_drop(text);
    return NULL;
}

/* A file that the engine refuses is no error: what a program needs it makes itself. */
static bool warm_up_by(kng_gpu *g, const char *folder, const char *name)
{
    char path[PATH];
    kng_pipeline *p = NULL;
    size_t n = strlen(name);
    if (n < 5 || strcmp(name + n - 5, ".wgsl") != 0 ||
        snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return false;
    char *text = read_file(path);
    knx_error *error = text ? kng_pipeline_for(g, text, &p) : NULL;
    kng_pipeline_release(g, p);
    knx_error_release(error);
    kng_drop(text);
    return text && !error;
}

/* No more than what stays: it ends as soon as another has to go. */
void kng_cache_warm(kng_gpu *g)
{
    char folder[PATH - 64];
    DIR *d = folder_of(g, folder, sizeof folder) ? opendir(folder) : NULL;
    uint32_t given_up = g->pipelines.given_up;
    int n = 0;
    if (!d)
        return;
    for (const struct dirent *e; given_up == g->pipelines.given_up && (e = readdir(d));)
        n += warm_up_by(g, folder, e->d_name);
    closedir(d);
    KN_LOG(1, "device %s: %d pipelines were made ahead, by %s", g->name, n, folder);
}
