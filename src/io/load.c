/* SPDX-License-Identifier: Apache-2.0
 * load.c -- np.load and np.save of one array. */
#include "base/options.h"
#include "io/arrays.h"
#include "kiln/io.h"
#include "kiln/memory.h"
#include "kiln/numpy/manipulation.h"

#include <string.h>

/* ---- Reading. */

kn_array knio_array_end(kna_op *op, knx_error *e, const knio_npy *npy)
{
    if (e) {
        kna_fail_with(op, e);
        return kna_end(op, KN_ATOM_NONE);
    }
    int64_t dim[KN_MAX_NDIM];
    for (int i = 0; i < npy->ndim; i++)
        dim[i] = npy->dim[npy->fortran ? npy->ndim - 1 - i : i];
    kn_array x = kna_from_buffer(op, kni_type_of(npy->dtype, npy->ndim, dim), npy->buffer);
    return npy->fortran ? knio_reversed(x) : x;
}

typedef enum { EMPTY, NPY, ZIP, OTHER } file_kind;

static knx_error *find_kind(knio_source *s, uint64_t at, file_kind *kind)
{
    char b[6];
    size_t n;
    KN_TRY(knio_source_read_some(s, at, b, sizeof b, &n));
    *kind = n == 0                                                                   ? EMPTY
            : n == 6 && memcmp(b, "\x93NUMPY", 6) == 0                               ? NPY
            : n >= 4 && (memcmp(b, "PK\3\4", 4) == 0 || memcmp(b, "PK\5\6", 4) == 0) ? ZIP
                                                                                     : OTHER;
    return NULL;
}

static knx_error *check_load(const char *path, const kn_load_opts *o)
{
    if (!path && !o->file)
        return knx_error_new(KN_ERROR_TYPE, "null path");
    if (path && o->file)
        return knx_error_new(KN_ERROR_VALUE, "give one of a path and .file");
    if (o->allow_pickle)
        return knx_error_new(KN_ERROR_NOT_IMPLEMENTED,
                             "pickled objects are Python's; allow_pickle has no meaning here");
    if (o->offset < 0)
        return knx_error_new(KN_ERROR_VALUE, "offset must be nonnegative");
    return NULL;
}

static knx_error *load_source(const char *path, const kn_load_opts *o, knio_source *s, knio_npy *npy)
{
    file_kind kind = NPY;
    uint64_t at = (uint64_t)o->offset, end = 0;
    if (!s->forward)
        KN_TRY(find_kind(s, at, &kind));
    if (kind == ZIP && path)
        return knio_load_only_member(path, npy);
    if (kind == ZIP)
        return knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "archives are read from a path, by kn_load_npz");
    if (kind == EMPTY)
        return knx_error_new(KN_ERROR_FILE, "No data left in file");
    if (kind == OTHER)
        return knx_error_new(KN_ERROR_VALUE,
                             "This file contains pickled (object) data. If you trust the file you can load it unsafely "
                             "using the `allow_pickle=` keyword argument or `pickle.load()`.");
    KN_TRY(knio_npy_read(s, at, o->max_header_size, true, npy, &end));
    knio_source_leave(s, end);
    return NULL;
}

kn_array kn_load(const char *path, const kn_load_opts *opts)
{
    KNX_OPTS(kn_load_opts, o, opts);
    kna_op op;
    knio_npy npy = {0};
    knio_source s = {0};
    kna_begin(&op, "load");
    knx_error *e = check_load(path, &o);
    if (!e && o.mmap_mode && path && o.offset == 0) {
        kn_array x = knio_map_npy(&op, path, o.mmap_mode, o.max_header_size);
        if (!x)
            return kna_end(&op, KN_ATOM_NONE);
        kna_end_plain(&op);
        return x;
    }
    if (!e && o.mmap_mode)
        e = knx_error_new(KN_ERROR_VALUE, "mmap_mode needs a path, and the array at the beginning of the file");
    if (!e)
        e = o.file ? knio_source_stream(o.file, &s) : knio_source_open(path, &s);
    if (!e)
        e = load_source(path, &o, &s, &npy);
    knio_source_close(&s);
    return knio_array_end(&op, e, &npy);
}

/* ---- Writing. */

/* "" is left to the file system. */
knx_error *knio_with_ending(const char *path, const char *ending, char **full)
{
    knx_str s = {0};
    size_t n = path ? strlen(path) : 0;
    *full = NULL;
    if (!path)
        return knx_error_new(KN_ERROR_TYPE, "null path");
    knx_str_puts(&s, path);
    if (n < 4 || strcmp(path + n - 4, ending) != 0)
        knx_str_puts(&s, ending);
    *full = knx_str_take(&s);
    return *full ? NULL : knx_error_nomem();
}

kn_array knio_reversed(kn_array x) { return (kn_transpose)(x, NULL); }

/* The dtype of a number that waits for one. */
static bool look_at_number(kna_op *op, kn_array x, kni_type t, const void *data, knio_saved *out)
{
    kn_dtype d = kna_result_type(op, 1, &x);
    if (!d)
        return false;
    knx_convert(t.dtype, data, d, &out->number);
    out->header = (knio_npy_header){.dtype = d, .bytes = d->size};
    out->data = &out->number;
    return true;
}

bool knio_look(kna_op *op, kn_array x, knio_saved *out)
{
    *out = (knio_saved){.data = NULL};
    kni_type t = kna_type(op, x);
    if (kna_failed(op))
        return false;
    bool fortran = false;
    if (t.ndim > 1) {
        kn_flags f = kn_flags_of(x);
        fortran = f.f_contiguous && !f.c_contiguous;
    }
    kn_array lying = fortran ? knio_reversed(x) : x;
    const void *data = kna_look(op, lying, &t);
    if (data && t.dtype == KN_DT(KEY))
        kna_fail(op, KN_ERROR_TYPE, "random keys are not saved; save what kn_random_key_data gives");
    if (!data || kna_failed(op))
        return false;
    if (t.weak)
        return look_at_number(op, x, t, data, out);
    knio_npy_header h = {.dtype = t.dtype, .ndim = t.ndim, .fortran = fortran, .bytes = kni_type_bytes(t)};
    for (int i = 0; i < t.ndim; i++)
        h.dim[i] = t.dim[fortran ? t.ndim - 1 - i : i];
    out->header = h;
    out->data = data;
    return true;
}

int kn_save(const char *path, kn_array x, const kn_save_opts *opts)
{
    KNX_OPTS(kn_save_opts, o, opts);
    kna_op op;
    knio_saved saved;
    knio_output out;
    char *full = NULL;
    kna_begin(&op, "save");
    knx_error *e = o.file ? NULL : knio_with_ending(path, ".npy", &full);
    if (o.file && path)
        e = knx_error_new(KN_ERROR_VALUE, "give one of a path and .file");
    if (!e && knio_look(&op, x, &saved)) {
        e = knio_output_open(full, o.file, &out);
        if (!e)
            e = knio_output_close(&out, knio_npy_write(&out, &saved.header, saved.data));
    }
    if (e)
        kna_fail_with(&op, e);
    knx_free(full);
    return kna_end_plain(&op) ? 0 : -1;
}
