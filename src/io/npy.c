/* SPDX-License-Identifier: Apache-2.0
 * npy.c -- reading and writing .npy: the elements behind the header. */
#include "io/npy.h"
#include "base/str.h"
#include "io/output.h"

#include <inttypes.h>
#include <string.h>

void knio_swap_elements(kn_dtype dtype, void *data, size_t n)
{
    uint8_t *p = data;
    size_t size = knx_part(dtype)->size;
    for (size_t i = 0; i < n; i += size)
        for (size_t j = 0; j < size / 2; j++) {
            uint8_t b = p[i + j];
            p[i + j] = p[i + size - 1 - j];
            p[i + size - 1 - j] = b;
        }
}

/* Elements in Fortran order from `from` to C order in `to`. */
static void reorder(const knio_npy_header *a, const uint8_t *from, uint8_t *to, size_t bytes)
{
    int64_t index[KN_MAX_NDIM] = {0};
    size_t size = a->dtype->size, offset = 0, stride[KN_MAX_NDIM];
    for (int i = 0; i < a->ndim; i++)
        stride[i] = i ? stride[i - 1] * (size_t)a->dim[i - 1] : size;
    for (size_t done = 0; done < bytes; done += size) {
        memcpy(to + done, from + offset, size);
        for (int i = a->ndim - 1; i >= 0; i--) {
            offset += stride[i];
            if (++index[i] < a->dim[i])
                break;
            offset -= stride[i] * (size_t)a->dim[i];
            index[i] = 0;
        }
    }
}

void knio_npy_settle(const knio_npy_header *h, void *data, size_t bytes)
{
    if (h->swapped)
        knio_swap_elements(h->dtype, data, bytes);
    knio_normal_elements(h->dtype, data, bytes);
}

void knio_normal_elements(kn_dtype dtype, void *data, size_t bytes)
{
    uint8_t *p = data;
    for (size_t i = 0; dtype->kind == KN_KIND_BOOL && i < bytes; i++)
        p[i] = p[i] != 0;
}

static bool in_c_order(const knio_npy_header *h) { return !h->fortran || h->ndim < 2 || h->bytes == 0; }

knx_error *knio_npy_too_short(const knio_source *s, const knio_npy_header *h, size_t got)
{
    knx_str shape = {0};
    if (!s->file)
        return knx_error_new(KN_ERROR_VALUE, "EOF: reading array data, expected %zu bytes got %zu", h->bytes, got);
    for (int i = 0; i < h->ndim; i++)
        knx_str_printf(&shape, "%s%" PRId64, i ? ", " : "", h->dim[i]);
    knx_str_puts(&shape, h->ndim == 1 ? "," : "");
    knx_error *e = shape.failed
                       ? knx_error_nomem()
                       : knx_error_new(KN_ERROR_VALUE,
                                       "Failed to read all data for array. Expected (%s) = %zu elements, could only "
                                       "read %zu elements. (file seems not fully written?)",
                                       shape.s ? shape.s : "", h->bytes / h->dtype->size, got / h->dtype->size);
    knx_str_free(&shape);
    return e;
}

static knx_error *read_elements(knio_source *s, const knio_npy_header *h, bool keep, knx_buffer **out)
{
    bool straight = keep || in_c_order(h);
    uint64_t left = s->size > h->start ? s->size - h->start : 0;
    if (left < h->bytes)
        return knio_npy_too_short(s, h, (size_t)left);
    knx_buffer *b = knx_buffer_new(h->bytes);
    uint8_t *raw = b && !straight ? knx_alloc(h->bytes) : NULL;
    knx_error *e = b && (raw || straight) ? NULL : knx_error_nomem();
    size_t got = 0;
    if (!e)
        e = knio_source_read_some(s, h->start, raw ? raw : b->data, h->bytes, &got);
    if (!e && got < h->bytes)
        e = knio_npy_too_short(s, h, got);
    if (!e && raw)
        reorder(h, raw, b->data, h->bytes);
    if (raw)
        knx_free(raw);
    if (e) {
        knx_buffer_release(b);
        return e;
    }
    knio_npy_settle(h, b->data, h->bytes);
    *out = b;
    return NULL;
}

knx_error *knio_npy_read(knio_source *s, uint64_t at, int64_t most, bool keep, knio_npy *out, uint64_t *end)
{
    knio_npy_header h;
    *out = (knio_npy){0};
    KN_TRY(knio_npy_read_header(s, at, most, &h));
    KN_TRY(read_elements(s, &h, keep, &out->buffer));
    out->fortran = keep && !in_c_order(&h);
    out->dtype = h.dtype;
    out->ndim = h.ndim;
    memcpy(out->dim, h.dim, sizeof h.dim);
    *end = h.start + h.bytes;
    return NULL;
}

static knx_error *parse(const void *bytes, size_t n, bool keep, knio_npy *out)
{
    knio_source s;
    uint64_t end;
    *out = (knio_npy){0};
    KN_TRY(knio_source_memory(bytes, n, "<memory>", &s));
    knx_error *e = knio_npy_read(&s, 0, KNIO_MAX_HEADER, keep, out, &end);
    knio_source_close(&s);
    return e;
}

knx_error *knio_npy_parse(const void *bytes, size_t n, knio_npy *out) { return parse(bytes, n, false, out); }

knx_error *knio_npy_parse_kept(const void *bytes, size_t n, knio_npy *out) { return parse(bytes, n, true, out); }

knx_error *knio_npy_load(const char *path, knio_npy *out)
{
    knio_source s;
    uint64_t end;
    *out = (knio_npy){0};
    KN_TRY(knio_source_open(path, &s));
    knx_error *e = knio_npy_read(&s, 0, KNIO_MAX_HEADER, false, out, &end);
    knio_source_close(&s);
    return e;
}

static knio_npy_header header_of(kn_dtype dtype, int ndim, const int64_t *dim)
{
    knio_npy_header h = {.dtype = dtype, .ndim = ndim, .bytes = dtype->size};
    for (int i = 0; i < ndim; i++) {
        h.dim[i] = dim[i];
        h.bytes *= (size_t)dim[i];
    }
    return h;
}

knx_error *knio_npy_bytes(kn_dtype dtype, int ndim, const int64_t *dim, const void *data, uint8_t **out, size_t *n)
{
    knio_npy_header h = header_of(dtype, ndim, dim);
    return knio_npy_bytes_of(&h, data, out, n);
}

knx_error *knio_npy_bytes_of(const knio_npy_header *h, const void *data, uint8_t **out, size_t *n)
{
    knx_str t = {0};
    *out = NULL;
    *n = 0;
    knx_error *e = knio_npy_write_header(&t, h);
    if (!e)
        knx_str_add(&t, data, h->bytes);
    size_t length = t.n;
    *out = (uint8_t *)knx_str_take(&t);
    if (e || !*out) {
        knx_free(*out);
        *out = NULL;
        return e ? e : knx_error_nomem();
    }
    *n = length;
    return NULL;
}

knx_error *knio_npy_write(knio_output *o, const knio_npy_header *h, const void *data)
{
    knx_str t = {0};
    knx_error *e = knio_npy_write_header(&t, h);
    if (!e)
        e = knio_output_write(o, t.s, t.n);
    if (!e)
        e = knio_output_write(o, data, h->bytes);
    knx_str_free(&t);
    return e;
}

knx_error *knio_npy_save(const char *path, kn_dtype dtype, int ndim, const int64_t *dim, const void *data)
{
    knio_npy_header h = header_of(dtype, ndim, dim);
    knio_output o;
    KN_TRY(knio_output_open(path, NULL, &o));
    return knio_output_close(&o, knio_npy_write(&o, &h, data));
}
