/* SPDX-License-Identifier: Apache-2.0
 * archive.c -- several arrays in a file: np.savez and open archives. */
#include "array/handle.h"
#include "array/op.h"
#include "io/arrays.h"
#include "io/zip.h"
#include "kiln/io.h"
#include <string.h>

/* ---- Reading. */

typedef struct archive {
    knio_zip *zip;    /* NULL if it could not be opened: */
    knx_error *error; /* why */
    int n;
    char **name; /* without .npy; in one block */
} archive;

static void drop_archive(void *p)
{
    archive *a = p;
    knio_zip_close(a->zip);
    knx_error_release(a->error);
    knx_free(a->name);
    knx_free(a);
}

static size_t stem(const char *name)
{
    size_t n = strlen(name);
    return n > 4 && strcmp(name + n - 4, ".npy") == 0 ? n - 4 : n;
}

static knx_error *read_names(archive *a)
{
    size_t n = knio_zip_count(a->zip), bytes = n * sizeof(char *);
    for (size_t i = 0; i < n; i++)
        bytes += stem(knio_zip_name(a->zip, i)) + 1;
    a->name = knx_alloc_zero(bytes);
    if (!a->name)
        return knx_error_nomem();
    char *at = (char *)(a->name + n);
    for (size_t i = 0; i < n; i++) {
        size_t length = stem(knio_zip_name(a->zip, i));
        memcpy(at, knio_zip_name(a->zip, i), length);
        a->name[i] = at;
        at += length + 1;
    }
    a->n = (int)n;
    return NULL;
}

kn_archive kn_load_npz(const char *path)
{
    kna_op op;
    kna_begin(&op, "load_npz");
    archive *a = knx_alloc_zero(sizeof *a);
    knx_error *e = !a      ? knx_error_nomem()
                   : !path ? knx_error_new(KN_ERROR_TYPE, "null path")
                           : knio_zip_open(path, &a->zip);
    if (!e)
        e = read_names(a);
    if (e) {
        if (a)
            a->error = knx_error_retain(e);
        kna_fail_with(&op, e);
    }
    kna_end_plain(&op);
    return a ? kna_handle_new(KN_H_ARCHIVE, a, drop_archive) : NULL;
}

static archive *archive_in(kna_op *op, kn_archive handle)
{
    archive *a = kna_handle_in(op, KN_H_ARCHIVE, handle);
    if (a && a->error)
        kna_fail_with(op, knx_error_retain(a->error));
    return a && !a->error ? a : NULL;
}

static knx_error *read_member(archive *a, size_t i, knio_npy *out)
{
    uint8_t *bytes;
    size_t n;
    KN_TRY(knio_zip_read(a->zip, i, &bytes, &n));
    knx_error *e = knio_npy_parse_kept(bytes, n, out);
    knx_free(bytes);
    return e;
}

/* The last member of that name, as in Python's dictionary of them. */
static int find_member(const archive *a, const char *name)
{
    int i = a->n - 1;
    while (i >= 0 && strcmp(a->name[i], name) != 0 && strcmp(knio_zip_name(a->zip, (size_t)i), name) != 0)
        i--;
    return i;
}

kn_array kn_archive_get(kn_archive handle, const char *name)
{
    kna_op op;
    knio_npy npy = {0};
    kna_begin(&op, "archive_get");
    archive *a = archive_in(&op, handle);
    int i = a && name ? find_member(a, name) : -1;
    knx_error *e = NULL;
    if (a && !name)
        e = knx_error_new(KN_ERROR_TYPE, "null name");
    else if (a && i < 0)
        e = knx_error_new(KN_ERROR_KEY, "%s is not a file in the archive", name);
    else if (a)
        e = read_member(a, (size_t)i, &npy);
    return a ? knio_array_end(&op, e, &npy) : kna_end(&op, KN_ATOM_NONE);
}

int kn_archive_count(kn_archive handle)
{
    kna_op op;
    kna_begin(&op, "archive_count");
    archive *a = archive_in(&op, handle);
    return kna_end_plain(&op) && a ? a->n : -1;
}

const char *kn_archive_name(kn_archive handle, int i)
{
    kna_op op;
    kna_begin(&op, "archive_name");
    archive *a = archive_in(&op, handle);
    if (a && (i < 0 || i >= a->n))
        kna_fail(&op, KN_ERROR_INDEX, "index %d is out of bounds for an archive of %d arrays", i, a->n);
    return kna_end_plain(&op) && a ? a->name[i] : NULL;
}

knx_error *knio_load_only_member(const char *path, knio_npy *npy)
{
    archive a = {.zip = NULL};
    KN_TRY(knio_zip_open(path, &a.zip));
    size_t n = knio_zip_count(a.zip);
    knx_error *e = n == 1 ? read_member(&a, 0, npy)
                          : knx_error_new(KN_ERROR_VALUE, "%s is an archive of %zu arrays; use kn_load_npz", path, n);
    knio_zip_close(a.zip);
    return e;
}

/* ---- Writing. */

static void member_name(const kn_named *arrays, int i, char *text, size_t size)
{
    if (arrays[i].name)
        snprintf(text, size, "%s.npy", arrays[i].name);
    else
        snprintf(text, size, "arr_%d.npy", i);
}

static knx_error *check_names(int n, const kn_named *arrays)
{
    char name[1024], other[1024];
    if (n < 0)
        return knx_error_new(KN_ERROR_VALUE, "a negative number of arrays: %d", n);
    if (n && !arrays)
        return knx_error_new(KN_ERROR_TYPE, "null arrays");
    for (int i = 0; i < n; i++) {
        if (arrays[i].name && strlen(arrays[i].name) > sizeof name - 8)
            return knx_error_new(KN_ERROR_VALUE, "the name of array %d is too long", i);
        member_name(arrays, i, name, sizeof name);
        for (int k = 0; k < i; k++) {
            member_name(arrays, k, other, sizeof other);
            if (strcmp(name, other) == 0)
                return knx_error_new(KN_ERROR_VALUE, "two arrays have the name %.*s", (int)stem(name), name);
        }
    }
    return NULL;
}

static knx_error *add_member(kna_op *op, knio_zip_writer *w, const kn_named *arrays, int i, bool compress)
{
    knio_saved saved;
    char name[1024];
    uint8_t *bytes;
    size_t n;
    if (!knio_look(op, arrays[i].array, &saved))
        return NULL; /* the op has the error */
    KN_TRY(knio_npy_bytes_of(&saved.header, saved.data, &bytes, &n));
    member_name(arrays, i, name, sizeof name);
    knx_error *e = knio_zip_writer_add(w, name, bytes, n, compress);
    knx_free(bytes);
    return e;
}

static int save_archive(const char *name, const char *path, int n, const kn_named *arrays, bool compress)
{
    kna_op op;
    char *full = NULL;
    knio_zip_writer *w = NULL;
    kna_begin(&op, name);
    knx_error *e = knio_with_ending(path, ".npz", &full);
    if (!e && compress && !knio_zip_can_compress())
        e = knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "Kiln was built without zlib");
    if (!e)
        e = check_names(n, arrays);
    for (int i = 0; !e && !kna_failed(&op) && i < n; i++) { /* run everything before the file is touched */
        knio_saved saved;
        knio_look(&op, arrays[i].array, &saved);
    }
    if (!e && !kna_failed(&op))
        e = knio_zip_writer_open(full, NULL, &w);
    for (int i = 0; w && !e && !kna_failed(&op) && i < n; i++)
        e = add_member(&op, w, arrays, i, compress);
    if (w && kna_failed(&op)) /* an array could not be had: the old file stays */
        knx_error_release(knio_zip_writer_close(w, e ? e : knx_error_nomem()));
    else if (w)
        e = knio_zip_writer_close(w, e);
    if (e && !kna_failed(&op))
        kna_fail_with(&op, e);
    knx_free(full);
    return kna_end_plain(&op) ? 0 : -1;
}

int kn_savez(const char *path, int n, const kn_named *arrays) { return save_archive("savez", path, n, arrays, false); }

int kn_savez_compressed(const char *path, int n, const kn_named *arrays)
{
    return save_archive("savez_compressed", path, n, arrays, true);
}
