/* SPDX-License-Identifier: Apache-2.0
 * memmap.c -- files as memory: np.memmap, and npy files so. */
#if !defined _WIN32 && !defined __wasi__
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#endif
#include "array/handle.h"
#include "array/storage.h"
#include "base/options.h"
#include "io/arrays.h"
#include "kiln/io.h"
#include "lib/internal.h"

#include <errno.h>
#include <string.h>

/* A mapping, as long as an array of its memory lives. */
typedef struct mapping {
    void *base;
    size_t length;
    int64_t offset;
    char mode[3];
    char path[];
} mapping;

/* What is to be mapped. */
typedef struct request {
    const char *path, *mode;
    kn_dtype dtype;
    uint64_t offset;
    int ndim; /* -1: all there is, in one axis */
    int64_t dim[KN_MAX_NDIM];
    bool fortran;
} request;

static const char *find_mode(const char *given)
{
    static const char *const modes[][2] = {
        {"r", "readonly"}, {"c", "copyonwrite"}, {"r+", "readwrite"}, {"w+", "write"}};
    for (size_t i = 0; given && i < sizeof modes / sizeof *modes; i++)
        if (strcmp(given, modes[i][0]) == 0 || strcmp(given, modes[i][1]) == 0)
            return modes[i][0];
    return NULL;
}

#if !defined _WIN32 && !defined __wasi__
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void unmap(void *data, void *env)
{
    mapping *m = env;
    (void)data;
    munmap(m->base, m->length);
    knx_free(m);
}

static mapping *new_mapping(const request *r)
{
    char absolute[PATH_MAX];
    const char *path = realpath(r->path, absolute) ? absolute : r->path;
    mapping *m = knx_alloc_zero(sizeof *m + strlen(path) + 1);
    if (m) {
        strcpy(m->path, path);
        strcpy(m->mode, r->mode);
        m->offset = (int64_t)r->offset;
    }
    return m;
}

/* The shape if it was not given, the bytes of the elements, and what the file has to have. */
static knx_error *find_extent(request *r, uint64_t size, size_t *bytes)
{
    if (r->ndim < 0) {
        if (r->offset > size)
            return knx_error_new(KN_ERROR_VALUE, "offset %llu is behind the end of the file, which has %llu bytes",
                                 (unsigned long long)r->offset, (unsigned long long)size);
        if ((size - r->offset) % r->dtype->size)
            return knx_error_new(KN_ERROR_VALUE, "Size of available data is not a multiple of the data-type size.");
        r->ndim = 1;
        r->dim[0] = (int64_t)((size - r->offset) / r->dtype->size);
    }
    for (int i = 0; i < r->ndim; i++)
        if (r->dim[i] < 0)
            return knx_error_new(KN_ERROR_VALUE, "negative dimensions are not allowed");
    kni_type t = kni_type_of(r->dtype, r->ndim, r->dim);
    KN_TRY(kni_type_check_size(t));
    *bytes = kni_type_bytes(t);
    return r->offset > (uint64_t)INT64_MAX - *bytes ? knx_error_new(KN_ERROR_VALUE, "the file is too large") : NULL;
}

static knx_error *map_file(request *r, int fd, mapping *m, void **data, size_t *bytes)
{
    struct stat s;
    bool writes = r->mode[1] == '+';
    if (fstat(fd, &s) != 0)
        return knio_file_error(r->path, errno);
    if (S_ISDIR(s.st_mode))
        return knio_file_error(r->path, EISDIR);
    KN_TRY(find_extent(r, (uint64_t)s.st_size, bytes));
    uint64_t end = r->offset + *bytes;
    if (writes && end == 0)
        end = 1; /* an empty file cannot be mapped */
    if (writes && (uint64_t)s.st_size < end && ftruncate(fd, (off_t)end) != 0)
        return knio_file_error(r->path, errno);
    if (!writes && (uint64_t)s.st_size < end)
        return knx_error_new(KN_ERROR_VALUE, "mmap length is greater than file size");
    if (!writes && s.st_size == 0)
        return knx_error_new(KN_ERROR_VALUE, "cannot mmap an empty file");
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), start = r->offset - r->offset % page;
    if (start && start == end)
        start -= page; /* no elements, at the end */
    m->length = (size_t)(end - start);
    m->base = mmap(NULL, m->length, *r->mode == 'r' && !writes ? PROT_READ : PROT_READ | PROT_WRITE,
                   *r->mode == 'c' ? MAP_PRIVATE : MAP_SHARED, fd, (off_t)start);
    if (m->base == MAP_FAILED)
        return knio_file_error(r->path, errno);
    *data = (char *)m->base + (r->offset - start);
    return NULL;
}

/* Bytes that are no truth values would mislead what comes after. */
static bool are_truth_values(const void *data, size_t n)
{
    const uint8_t *p = data;
    uint8_t any = 0;
    for (size_t i = 0; i < n; i++)
        any |= p[i];
    return any <= 1;
}

static knx_error *open_mapping(request *r, mapping **out, void **data, size_t *bytes)
{
    int flags = *r->mode == 'w' ? O_RDWR | O_CREAT | O_TRUNC : r->mode[1] ? O_RDWR : O_RDONLY;
    int fd = open(r->path, flags | O_CLOEXEC, 0666);
    if (fd < 0)
        return knio_file_error(r->path, errno);
    mapping *m = new_mapping(r);
    knx_error *e = m ? map_file(r, fd, m, data, bytes) : knx_error_nomem();
    close(fd);
    if (!e && r->dtype->kind == KN_KIND_BOOL && !are_truth_values(*data, *bytes)) {
        munmap(m->base, m->length);
        e = knx_error_new(KN_ERROR_VALUE, "%s: there are bytes that are neither true nor false; kn_load reads them",
                          r->path);
    }
    if (e)
        knx_free(m);
    else
        *out = m;
    return e;
}

static int write_back(const mapping *m) { return msync(m->base, m->length, MS_SYNC); }
#else
static void unmap(void *data, void *env) { (void)data, (void)env; }

static knx_error *open_mapping(request *r, mapping **out, void **data, size_t *bytes)
{
    (void)r, (void)out, (void)data, (void)bytes;
    return knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "files are not mapped into memory on this system");
}

static int write_back(const mapping *m) { return (void)m, 0; }
#endif

static knx_error *check_request(const request *r)
{
    if (r->dtype == KN_DT(KEY))
        return knx_error_new(KN_ERROR_TYPE, "random keys are not mapped");
    if (r->offset % r->dtype->align)
        return knx_error_new(KN_ERROR_VALUE,
                             "offset %llu is not a multiple of %d, as elements of dtype %s need it; kn_fromfile reads "
                             "them",
                             (unsigned long long)r->offset, r->dtype->align, r->dtype->name);
    return *r->mode == 'w' && r->ndim < 0 ? knx_error_new(KN_ERROR_VALUE, "shape must be given if mode == 'w+'") : NULL;
}

/* The operation goes on; NULL with it failed. */
static kn_array map(kna_op *op, request *r)
{
    mapping *m = NULL;
    void *data = NULL;
    size_t bytes = 0;
    knx_error *e = check_request(r);
    if (!e)
        e = open_mapping(r, &m, &data, &bytes);
    if (e) {
        kna_fail_with(op, e);
        return NULL;
    }
    knx_buffer *b = knx_buffer_wrap(data, bytes, unmap, m);
    if (!b) {
        unmap(data, m);
        kna_fail_with(op, knx_error_nomem());
        return NULL;
    }
    int64_t dim[KN_MAX_NDIM];
    for (int i = 0; i < r->ndim; i++)
        dim[i] = r->dim[r->fortran ? r->ndim - 1 - i : i];
    kn_array x = kna_wrap_buffer(op, kni_type_of(r->dtype, r->ndim, dim), b, strcmp(r->mode, "r") == 0);
    return x && r->fortran ? knio_reversed(x) : x;
}

static kn_array end(kna_op *op, kn_array x)
{
    if (!x || kna_failed(op))
        return kna_end(op, KN_ATOM_NONE);
    kna_end_plain(op);
    return x;
}

kn_array kn_memmap(const char *filename, const kn_memmap_opts *opts)
{
    KNX_OPTS(kn_memmap_opts, o, opts);
    kna_op op;
    kna_begin(&op, "memmap");
    request r = {.path = filename,
                 .mode = find_mode(o.mode ? o.mode : "r+"),
                 .dtype = kna_lookup_dtype(o.dtype, KN_DT(U8)),
                 .offset = (uint64_t)o.offset,
                 .ndim = o.shape ? o.shape->ndim : -1};
    if (!filename)
        kna_fail(&op, KN_ERROR_TYPE, "null filename");
    else if (!r.mode)
        kna_fail(&op, KN_ERROR_VALUE,
                 "mode must be one of ['r', 'c', 'r+', 'w+', 'readonly', 'copyonwrite', 'readwrite', 'write'] "
                 "(got '%.40s')",
                 o.mode);
    else if (o.offset < 0)
        kna_fail(&op, KN_ERROR_VALUE, "memory mapped offset must be positive");
    bool fortran = knl_order_is_fortran(&op, o.order);
    const kn_shape *shape = o.shape ? kna_shape(&op, o.shape) : NULL;
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    for (int i = 0; shape && i < shape->ndim; i++)
        if (kna_need_number(&op, shape->dim[i], "elements in a file"))
            r.dim[i] = shape->dim[i];
    r.fortran = fortran && r.ndim > 1;
    return end(&op, kna_failed(&op) ? NULL : map(&op, &r));
}

/* ---- npy files. */

static knx_error *request_of_npy(const char *path, int64_t most, request *r)
{
    knio_source s;
    knio_npy_header h;
    KN_TRY(knio_source_open(path, &s));
    knx_error *e = knio_npy_read_header(&s, 0, most, &h);
    knio_source_close(&s);
    if (e)
        return e;
    if (h.swapped)
        return knx_error_new(KN_ERROR_NOT_IMPLEMENTED,
                             "byte-swapped elements are not mapped into memory; kn_load reads "
                             "them");
    r->dtype = h.dtype;
    r->offset = h.start;
    r->ndim = h.ndim;
    r->fortran = h.fortran && h.ndim > 1;
    memcpy(r->dim, h.dim, sizeof h.dim);
    return NULL;
}

kn_array knio_map_npy(kna_op *op, const char *path, const char *mode, int64_t most)
{
    request r = {.path = path, .mode = find_mode(mode)};
    if (!r.mode || *r.mode == 'w') {
        kna_fail(op, KN_ERROR_VALUE, "mode must be one of 'r', 'r+' and 'c' for a file that is there (got '%.40s')",
                 mode);
        return NULL;
    }
    knx_error *e = request_of_npy(path, most, &r);
    if (e) {
        kna_fail_with(op, e);
        return NULL;
    }
    return map(op, &r);
}

/* Writes a header, and maps what is to come behind it. */
static kn_array create_npy(kna_op *op, const char *path, const kn_format_open_memmap_opts *o)
{
    knio_npy_header h = {.dtype = kna_lookup_dtype(o->dtype, kna_default_float()), .fortran = o->fortran_order};
    const kn_shape *shape = o->shape ? kna_shape(op, o->shape) : NULL;
    knx_str text = {0};
    if (!shape)
        kna_fail(op, KN_ERROR_VALUE, "shape must be given if mode == 'w+'");
    if (kna_failed(op))
        return NULL;
    request r = {.path = path, .mode = "r+", .dtype = h.dtype, .ndim = shape->ndim, .fortran = h.fortran};
    h.ndim = shape->ndim;
    for (int i = 0; i < shape->ndim; i++)
        h.dim[i] = r.dim[i] = shape->dim[i];
    knx_error *e = knio_npy_write_header(&text, &h);
    if (!e)
        e = knio_file_write(path, text.s, text.n, NULL, 0);
    r.offset = text.n;
    knx_str_free(&text);
    if (e) {
        kna_fail_with(op, e);
        return NULL;
    }
    return map(op, &r);
}

kn_array kn_format_open_memmap(const char *filename, const kn_format_open_memmap_opts *opts)
{
    KNX_OPTS(kn_format_open_memmap_opts, o, opts);
    kna_op op;
    kna_begin(&op, "open_memmap");
    const char *mode = o.mode ? o.mode : "r+";
    if (!filename) {
        kna_fail(&op, KN_ERROR_TYPE, "null filename");
        return kna_end(&op, KN_ATOM_NONE);
    }
    const char *known = find_mode(mode);
    return end(&op, known && *known == 'w' ? create_npy(&op, filename, &o)
                                           : knio_map_npy(&op, filename, mode, o.max_header_size));
}

/* ---- What an array was mapped from. */

static const mapping *mapping_of(kna_op *op, kn_array x, kna_array **array)
{
    *array = NULL;
    if (kna_type(op, x).weak || kna_failed(op))
        return NULL;
    kna_array *a = kna_array_of(op, x);
    const knx_buffer *b = a && a->storage->pin ? a->storage->pin->buffer : NULL;
    *array = a;
    return b && b->release == unmap ? b->env : NULL;
}

int kn_memmap_flush(kn_array x)
{
    kna_op op;
    kna_array *a;
    void *data;
    kna_begin(&op, "memmap_flush");
    const mapping *m = mapping_of(&op, x, &a);
    if (!kna_failed(&op) && !m)
        kna_fail(&op, KN_ERROR_TYPE, "the array is not a file in memory");
    knx_error *e = kna_failed(&op) ? NULL : kna_pin_storage(a, false, &data);
    if (!e && !kna_failed(&op) && m->mode[1] == '+' && write_back(m) != 0)
        e = knio_file_error(m->path, errno);
    if (e)
        kna_fail_with(&op, e);
    return kna_end_plain(&op) ? 0 : -1;
}

const char *kn_memmap_filename(kn_array x)
{
    kna_op op;
    kna_array *a;
    kna_begin(&op, "memmap_filename");
    const mapping *m = mapping_of(&op, x, &a);
    return kna_end_plain(&op) && m ? m->path : NULL;
}

int64_t kn_memmap_offset(kn_array x)
{
    kna_op op;
    kna_array *a;
    kna_begin(&op, "memmap_offset");
    const mapping *m = mapping_of(&op, x, &a);
    return kna_end_plain(&op) && m ? m->offset : -1;
}

const char *kn_memmap_mode(kn_array x)
{
    kna_op op;
    kna_array *a;
    kna_begin(&op, "memmap_mode");
    const mapping *m = mapping_of(&op, x, &a);
    return kna_end_plain(&op) && m ? m->mode : NULL;
}
