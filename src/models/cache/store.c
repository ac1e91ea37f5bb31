/* SPDX-License-Identifier: Apache-2.0
 * store.c -- names and content. */
#include "models/cache/cache.h"
#include "models/cache/system.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char mark[] = "kiln cache 1";

bool kncache_read_sum(const char *text, kncache_sum *sum)
{
    if (strlen(text) != KNCACHE_DIGITS)
        return false;
    for (int i = 0; i < KNCACHE_DIGITS; i++) {
        char c = text[i];
        sum->hex[i] = c >= 'A' && c <= 'F' ? (char)(c + ('a' - 'A')) : c;
    }
    sum->hex[KNCACHE_DIGITS] = '\0';
    return strspn(sum->hex, "0123456789abcdef") == KNCACHE_DIGITS;
}

/* ---- Names. */

/* mark, sum, size, name, each in a line; the name has what is left. */
static bool understand(const char *s, size_t n, kncache_target *t)
{
    size_t m = strlen(mark);
    char *end;
    if (n < m + 1 + KNCACHE_DIGITS + 1 || memcmp(s, mark, m) != 0 || s[m] != '\n' || s[m + 1 + KNCACHE_DIGITS] != '\n')
        return false;
    char hex[KNCACHE_DIGITS + 1] = "";
    memcpy(hex, s + m + 1, KNCACHE_DIGITS);
    const char *size = s + m + 1 + KNCACHE_DIGITS + 1;
    t->size = strtoll(size, &end, 10);
    if (!kncache_read_sum(hex, &t->sum) || end == size || *end != '\n' || t->size < 0 ||
        memchr(end + 1, 0, n - (size_t)(end + 1 - s)))
        return false;
    t->name = knbeside_copy_text(end + 1); /* NULL: no memory */
    return true;
}

int kncache_read_name(const char *operation, const char *path, kncache_target *t)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return errno == ENOENT ? 0 : kncache_fail(operation, path);
    char *text = NULL;
    size_t n = 0, room = 0;
    bool full = false;
    for (size_t got = 1; got > 0 && !full; n += got) {
        if (room - n < 4096) {
            char *more = realloc(text, room += 65536);
            full = !more;
            if (full)
                break;
            text = more;
        }
        got = fread(text + n, 1, room - n - 1, f);
    }
    bool unread = ferror(f);
    if (unread)
        kncache_fail(operation, path);
    fclose(f);
    if (text)
        text[n] = '\0';
    bool is = !full && !unread && understand(text, n, t); /* one that is damaged leads nowhere */
    free(text);
    if (full || (is && !t->name))
        return knbeside_no_memory(operation), -1;
    return unread ? -1 : is;
}

/* The bytes of a small file, there as a whole or not at all. Who trims has looked at the content before the names: a
 * name that came in between would lead to content that was not seen, and go. So it waits. */
static int write_whole(const char *operation, const kncache *c, const char *path, const char *bytes, size_t n)
{
    char *fresh, *lock_path;
    FILE *f = kncache_new_file(operation, c, "new", &fresh);
    if (!f)
        return -1;
    bool ok = fwrite(bytes, 1, n, f) == n;
    if (fclose(f) != 0)
        ok = false;
    if (!ok)
        kncache_fail(operation, fresh);
    lock_path = ok ? kncache_path(c, "", "lock") : NULL;
    int lock = lock_path ? kncache_lock(operation, lock_path) : -1;
    ok = lock >= 0 && rename(fresh, path) == 0;
    if (!ok && lock >= 0)
        kncache_fail(operation, path);
    if (!ok)
        unlink(fresh);
    if (lock >= 0)
        close(lock);
    free(lock_path);
    free(fresh);
    return ok ? 0 : -1;
}

int kncache_write_name(const char *operation, const kncache *c, const char *name, const kncache_sum *sum, int64_t size)
{
    kncache_sum key;
    if (!kncache_sum_of(name, strlen(name), &key))
        return knbeside_no_memory(operation), -1;
    char *path = kncache_path(c, "names", key.hex);
    size_t room = strlen(name) + sizeof mark + KNCACHE_DIGITS + 32;
    char *text = malloc(room);
    int status = -1;
    if (path && text) {
        int n = snprintf(text, room, "%s\n%s\n%" PRId64 "\n%s", mark, sum->hex, size, name);
        status = write_whole(operation, c, path, text, (size_t)n);
    } else
        knbeside_no_memory(operation);
    free(text);
    free(path);
    return status;
}

/* ---- Content. */

/* The path of what is in use already: this very file, since another process may have put a new one in the place of a
 * damaged one. */
static const char *held_path(const kncache *c, const kncache_sum *sum, const struct stat *there)
{
    struct stat s;
    for (int i = 0; i < c->n_held; i++)
        if (!strcmp(c->held[i].sum.hex, sum->hex) && fstat(c->held[i].fd, &s) == 0 && s.st_ino == there->st_ino &&
            s.st_dev == there->st_dev)
            return c->held[i].path;
    return NULL;
}

static bool share(int fd)
{
    int status;
    while ((status = flock(fd, LOCK_SH)) != 0 && errno == EINTR)
        ;
    return status == 0;
}

/* Notes what is in use from now on; takes path and fd over. The path, or NULL with an error. */
static const char *note_held(const char *operation, kncache *c, int fd, const kncache_sum *sum, char *path)
{
    kncache_held *more = realloc(c->held, ((size_t)c->n_held + 1) * sizeof *more);
    if (!more) {
        close(fd);
        free(path);
        knbeside_no_memory(operation);
        return NULL;
    }
    (void)futimens(fd, NULL); /* it was used now; where it is another user's that is not noted */
    c->held = more;
    more[c->n_held++] = (kncache_held){fd, *sum, path};
    return path;
}

const char *kncache_hold(const char *operation, kncache *c, const kncache_sum *sum, int64_t size)
{
    struct stat s;
    char *path = kncache_blob_path(c, sum);
    const char *there = path && stat(path, &s) == 0 ? held_path(c, sum, &s) : NULL;
    if (there) {
        free(path);
        return size < 0 || s.st_size == size ? there : NULL;
    }
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    /* Who removes content has it alone: then it is gone as soon as we have the lock. */
    if (fd >= 0 && share(fd) && fstat(fd, &s) == 0 && s.st_nlink > 0 && (size < 0 || s.st_size == size))
        return note_held(operation, c, fd, sum, path);
    if (fd >= 0)
        close(fd);
    free(path);
    return NULL;
}

int kncache_is_right(const char *operation, const char *path, const kncache_sum *sum)
{
    kncache_sum have;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return kncache_fail(operation, path);
    kncache_hash *h = kncache_hash_begin();
    int status = h ? kncache_sum_file(operation, path, fd, h) : (knbeside_no_memory(operation), -1);
    close(fd);
    bool made = kncache_hash_end(h, &have);
    return status || !made ? -1 : !strcmp(have.hex, sum->hex);
}

static int make_blob_folder(const char *operation, const kncache *c, const kncache_sum *sum)
{
    char two[3] = {sum->hex[0], sum->hex[1], 0};
    char *folder = kncache_path(c, "blobs", two);
    int status = folder ? kncache_make_folder(operation, folder) : -1;
    free(folder);
    return status;
}

/* Puts the file, which is locked as in use by then, to where its content belongs. 1; 0: content is there already; -1
 * with an error. */
static int put_in_place(const char *operation, const char *file, const char *path, int64_t size)
{
    struct stat s;
    if (link(file, path) == 0)
        return unlink(file), 1;
    if (errno == EEXIST) { /* of another size: somebody has damaged it */
        if (stat(path, &s) == 0 && s.st_size != size)
            unlink(path);
        return 0;
    }
    return rename(file, path) == 0 ? 1 : kncache_fail(operation, path); /* where files have one name only */
}

/* The file as new content: its path, in use. NULL: see *status. */
static const char *become_content(const char *operation, kncache *c, const char *file, const kncache_sum *sum,
                                  int64_t size, int *status)
{
    char *path = kncache_blob_path(c, sum);
    int fd = path ? open(file, O_RDONLY | O_CLOEXEC) : -1;
    if (path && (fd < 0 || !share(fd) || kncache_make_readonly(file) != 0))
        kncache_fail(operation, file);
    else if (path)
        *status = put_in_place(operation, file, path, size);
    if (path && *status == 1)
        return note_held(operation, c, fd, sum, path);
    if (fd >= 0)
        close(fd);
    free(path);
    return NULL;
}

const char *kncache_adopt(const char *operation, kncache *c, const char *name, const char *file, const kncache_sum *sum,
                          int64_t size)
{
    const char *held = NULL;
    int status = make_blob_folder(operation, c, sum);
    for (int i = 0; i < 10 && status == 0 && !held; i++) { /* others may put and remove the same content meanwhile */
        held = kncache_hold(operation, c, sum, size);
        status = -1;
        if (held)
            unlink(file);
        else
            held = become_content(operation, c, file, sum, size, &status);
    }
    if (!held && status == 0)
        knbeside_fail(operation, KN_ERROR_FILE, "%.200s: its content is removed again and again", name);
    if (!held || kncache_write_name(operation, c, name, sum, size))
        return NULL;
    kncache_bound(operation, c);
    return held;
}
