/* SPDX-License-Identifier: Apache-2.0
 * checkpoint_folder.c -- folders that are there as a whole or not at all: a new one is written beside the old one and
 * takes its place. */
#if !defined _WIN32 && !defined __wasi__
#define _GNU_SOURCE
#endif
#include "base/memory.h"
#include "base/str.h"
#include "io/checkpoint.h"
#include <errno.h>
#include <string.h>

char *knio_in_folder(const char *folder, const char *ending, const char *file)
{
    knx_str s = {0};
    size_t n = strlen(folder);
    while (n > 1 && folder[n - 1] == '/')
        n--;
    knx_str_add(&s, folder, n);
    knx_str_puts(&s, ending ? ending : "");
    knx_str_puts(&s, file ? "/" : "");
    knx_str_puts(&s, file ? file : "");
    return knx_str_take(&s);
}

void knio_part_name(char text[24], int process) { snprintf(text, 24, "part-%05d.bin", process); }

#if !defined _WIN32 && !defined __wasi__
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_there(const char *path)
{
    struct stat s;
    return lstat(path, &s) == 0;
}

/* A file that checkpoints have. */
static bool is_ours(const char *name)
{
    size_t n = strlen(name);
    return strcmp(name, "manifest.json") == 0 || strncmp(name, ".kiln-", 6) == 0 ||
           (n > 9 && strncmp(name, "part-", 5) == 0 && strcmp(name + n - 4, ".bin") == 0 &&
            strspn(name + 5, "0123456789") == n - 9);
}

/* Nothing but such files, and a manifest unless there are none: it may be replaced. `half`: one without a manifest,
 * too. */
static knx_error *check_folder(const char *path, bool half)
{
    DIR *d = opendir(path);
    const struct dirent *e;
    char other[256] = "";
    bool any = false, manifest = false;
    if (!d)
        return knio_file_error(path, errno);
    while ((e = readdir(d))) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        any = true;
        manifest |= strcmp(e->d_name, "manifest.json") == 0;
        if (!is_ours(e->d_name) && !*other)
            snprintf(other, sizeof other, "%s", e->d_name);
    }
    closedir(d);
    if (*other)
        return knx_error_new(KN_ERROR_VALUE, "%s: not replaced, as it has something that is of no checkpoint: %s", path,
                             other);
    return !any || manifest || half
               ? NULL
               : knx_error_new(KN_ERROR_VALUE, "%s: not replaced, as it is a folder without manifest.json", path);
}

/* A folder that check_folder has seen. */
static knx_error *remove_folder(const char *path)
{
    DIR *d = opendir(path);
    const struct dirent *e;
    knx_error *error = NULL;
    if (!d)
        return errno == ENOENT ? NULL : knio_file_error(path, errno);
    while (!error && (e = readdir(d)))
        if (is_ours(e->d_name) && unlinkat(dirfd(d), e->d_name, 0) != 0 && errno != ENOENT)
            error = knio_file_error(path, errno);
    closedir(d);
    if (!error && rmdir(path) != 0 && errno != ENOENT)
        error = knio_file_error(path, errno);
    return error;
}

static knx_error *remove_left(const char *path)
{
    struct stat s;
    if (lstat(path, &s) != 0)
        return NULL;
    if (S_ISLNK(s.st_mode)) /* no crash has left it, and what it leads to is not ours to remove */
        return knx_error_new(KN_ERROR_VALUE, "%s: not removed, as it is a link", path);
    KN_TRY(check_folder(path, true));
    return remove_folder(path);
}

typedef struct names {
    char *path, *fresh, *old, *gone;
} names;

/* Is it the working directory, or above it? */
static bool is_around_us(const char *path)
{
    char real[PATH_MAX], here[PATH_MAX];
    if (!realpath(path, real) || !getcwd(here, sizeof here))
        return false;
    size_t n = strlen(real);
    return n == 1 || (strncmp(real, here, n) == 0 && (!here[n] || here[n] == '/'));
}

static knx_error *begin(const names *n)
{
    if (is_around_us(n->path))
        return knx_error_new(
            KN_ERROR_VALUE,
            "%s: a checkpoint takes the place of its folder, and this one holds the working directory: "
            "give it a name of its own",
            n->path);
    if (!is_there(n->path) && is_there(n->old) && rename(n->old, n->path) != 0) /* a crash between two renames */
        return knio_file_error(n->old, errno);
    KN_TRY(remove_left(n->old));
    KN_TRY(remove_left(n->fresh));
    if (is_there(n->path))
        KN_TRY(check_folder(n->path, false));
    return mkdir(n->fresh, 0777) != 0 ? knio_file_error(n->fresh, errno) : NULL;
}

/* Both change places in one step, where the system can do that. */
static bool exchange(const char *a, const char *b)
{
#if defined SYS_renameat2 && defined AT_FDCWD
    enum { EXCHANGE = 1 << 1 };
    return syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b, EXCHANGE) == 0;
#else
    return (void)a, (void)b, false;
#endif
}

/* The new one is in its place: what stays of the older one goes away when the next one is written. */
static knx_error *clear_away(const char *path)
{
    knx_error_release(remove_folder(path));
    return NULL;
}

/* A file or a folder is on the disk, not only in the system's memory; file systems that cannot do it for folders are
 * left as they are. */
static knx_error *settle(const char *path, bool folder)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return knio_file_error(path, errno);
    knx_error *e = fsync(fd) != 0 && !folder && errno != EINVAL && errno != EROFS ? knio_file_error(path, errno) : NULL;
    close(fd);
    return e;
}

static knx_error *settle_all(const char *path)
{
    DIR *d = opendir(path);
    const struct dirent *e;
    knx_error *error = NULL;
    if (!d)
        return knio_file_error(path, errno);
    while (!error && (e = readdir(d))) {
        char *file = is_ours(e->d_name) ? knio_in_folder(path, NULL, e->d_name) : NULL;
        error = file ? settle(file, false) : NULL;
        knx_free(file);
    }
    closedir(d);
    return error ? error : settle(path, true);
}

static knx_error *commit(const names *n)
{
    KN_TRY(settle_all(n->fresh));
    if (!is_there(n->path))
        return rename(n->fresh, n->path) != 0 ? knio_file_error(n->path, errno) : NULL;
    if (exchange(n->fresh, n->path))
        return clear_away(n->fresh);
    if (rename(n->path, n->old) != 0)
        return knio_file_error(n->path, errno);
    if (rename(n->fresh, n->path) != 0) {
        knx_error *e = knio_file_error(n->path, errno);
        if (rename(n->old, n->path) != 0)
            errno = 0; /* readers find the old one where it is */
        return e;
    }
    return clear_away(n->old);
}

static void drop_unwritten(const names *n) { knx_error_release(remove_left(n->fresh)); }

static knx_error *remove_whole(const names *n)
{
    KN_TRY(remove_left(n->gone));
    KN_TRY(check_folder(n->path, false));
    if (rename(n->path, n->gone) != 0)
        return knio_file_error(n->path, errno);
    return remove_folder(n->gone);
}

static knx_error *clear(const names *n)
{
    if (!is_there(n->path) && is_there(n->old) && rename(n->old, n->path) != 0) /* a crash between two renames */
        return NULL;
    knx_error_release(remove_left(n->fresh));
    knx_error_release(remove_left(n->old));
    knx_error_release(remove_left(n->gone));
    return NULL;
}

char *knio_folder_real(const char *path)
{
    char *plain = knio_in_folder(path, NULL, NULL), real[PATH_MAX];
    struct stat s;
    if (!plain || lstat(plain, &s) != 0 || !S_ISLNK(s.st_mode) || !realpath(plain, real))
        return plain;
    knx_free(plain);
    return knio_in_folder(real, NULL, NULL);
}
#else
typedef struct names {
    char *path, *fresh, *old, *gone;
} names;

static bool is_there(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f)
        fclose(f);
    return f != NULL;
}

static knx_error *begin(const names *n)
{
    (void)n;
    return knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "checkpoints are not written on this system");
}

static knx_error *commit(const names *n) { return (void)n, NULL; }
char *knio_folder_real(const char *path) { return knio_in_folder(path, NULL, NULL); }
static void drop_unwritten(const names *n) { (void)n; }
static knx_error *remove_whole(const names *n) { return (void)n, NULL; }
static knx_error *clear(const names *n) { return (void)n, NULL; }
#endif

static knx_error *with_names(const char *path, knx_error *(*f)(const names *n))
{
    names n = {knio_in_folder(path, NULL, NULL), knio_in_folder(path, ".new", NULL), knio_in_folder(path, ".old", NULL),
               knio_in_folder(path, ".gone", NULL)};
    knx_error *e = n.path && n.fresh && n.old && n.gone ? f(&n) : knx_error_nomem();
    knx_free(n.path);
    knx_free(n.fresh);
    knx_free(n.old);
    knx_free(n.gone);
    return e;
}

static knx_error *drop(const names *n)
{
    drop_unwritten(n);
    return NULL;
}

knx_error *knio_folder_begin(const char *path) { return with_names(path, begin); }
knx_error *knio_folder_commit(const char *path) { return with_names(path, commit); }
void knio_folder_drop(const char *path) { knx_error_release(with_names(path, drop)); }
knx_error *knio_folder_remove(const char *path) { return with_names(path, remove_whole); }
void knio_folder_clear(const char *path) { knx_error_release(with_names(path, clear)); }

char *knio_folder_to_read(const char *path)
{
    char *here = knio_in_folder(path, NULL, "manifest.json"), *left = knio_in_folder(path, ".old", "manifest.json");
    bool old = here && left && !is_there(here) && is_there(left);
    char *folder = here && left ? knio_in_folder(path, old ? ".old" : NULL, NULL) : NULL;
    knx_free(here);
    knx_free(left);
    return folder;
}
