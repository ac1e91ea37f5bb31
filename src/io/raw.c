/* SPDX-License-Identifier: Apache-2.0
 * raw.c -- elements without a header: np.fromfile, ndarray.tofile, ndarray.tobytes. */
#include "base/options.h"
#include "io/arrays.h"
#include "io/percent.h"
#include "io/text_in.h"
#include "kiln/io.h"
#include "lib/internal.h"
#include "kiln/memory.h"
#include "kiln/numpy/creation.h"

#include <string.h>

/* ---- Reading. */

static knx_error *check_fromfile(const char *fname, const kn_fromfile_opts *o)
{
    if (!fname && !o->file)
        return knx_error_new(KN_ERROR_TYPE, "null fname");
    if (fname && o->file)
        return knx_error_new(KN_ERROR_VALUE, "give one of a path and .file");
    if (!o->sep)
        return knx_error_new(KN_ERROR_TYPE, "null sep");
    if (*o->sep && o->offset)
        return knx_error_new(KN_ERROR_TYPE, "'offset' argument only permitted for binary files");
    if (o->offset < 0)
        return knx_error_new(KN_ERROR_VALUE, "offset must be nonnegative");
    return NULL;
}

/* A stream that cannot seek: all of it, or as much as is wanted. */
static knx_error *read_forward(knio_source *s, uint64_t at, size_t most, knx_str *out)
{
    enum { PIECE = 1 << 16 };
    char *piece = knx_alloc(PIECE);
    size_t got = 1;
    knx_error *e = piece ? NULL : knx_error_nomem();
    while (!e && got && out->n < most) {
        e = knio_source_read_some(s, at + out->n, piece, most - out->n < PIECE ? most - out->n : PIECE, &got);
        if (!e)
            knx_str_add(out, piece, got);
        if (out->failed)
            e = knx_error_nomem();
    }
    knx_free(piece);
    return e;
}

static knx_error *read_binary(knio_source *s, const kn_fromfile_opts *o, kn_dtype d, knio_npy *out)
{
    uint64_t at = (uint64_t)o->offset, left = s->size > at ? s->size - at : 0;
    size_t bytes, got = 0, most = SIZE_MAX / 2;
    knx_str all = {0};
    if (o->count >= 0 && knx_mul_overflows((size_t)o->count, d->size, &most))
        return knx_error_nomem();
    if (s->forward) {
        KN_TRY(read_forward(s, at, most, &all));
        got = all.n;
    } else {
        got = left < most ? (size_t)left : most;
    }
    bytes = got - got % d->size;
    *out = (knio_npy){.dtype = d, .ndim = 1, .dim = {(int64_t)(bytes / d->size)}, .buffer = knx_buffer_new(bytes)};
    knx_error *e = out->buffer ? NULL : knx_error_nomem();
    if (!e && bytes && s->forward)
        memcpy(out->buffer->data, all.s, bytes);
    else if (!e && bytes)
        e = knio_source_read(s, at, out->buffer->data, bytes);
    knx_str_free(&all);
    if (e) {
        knx_buffer_release(out->buffer);
        return e;
    }
    knio_normal_elements(d, out->buffer->data, bytes);
    knio_source_leave(s, at + bytes);
    return NULL;
}

static knx_error *read_all(const char *fname, FILE *file, knx_str *out)
{
    knio_text t;
    KN_TRY(knio_text_open(&t, fname, NULL, file, "latin1"));
    knx_error *e = NULL;
    while (!e && !t.ended) {
        e = knio_text_more(&t);
        if (!e) {
            knx_str_add(out, t.at, (size_t)(t.end - t.at));
            t.at = t.end;
        }
    }
    knio_text_close(&t);
    return !e && out->failed ? knx_error_nomem() : e;
}

static kn_array read_texts(kna_op *op, const char *fname, const kn_fromfile_opts *o)
{
    knx_str text = {0};
    kn_fromstring_opts how = kn_fromstring_opts_default();
    knx_error *e = read_all(fname, o->file, &text);
    if (e) {
        knx_str_free(&text);
        kna_fail_with(op, e);
        return kna_end(op, KN_ATOM_NONE);
    }
    how.dtype = o->dtype;
    how.count = o->count;
    kn_array x = (kn_fromstring)(text.s ? text.s : "", o->sep, &how);
    knx_str_free(&text);
    kna_end_plain(op);
    return x;
}

kn_array kn_fromfile(const char *fname, const kn_fromfile_opts *opts)
{
    KNX_OPTS(kn_fromfile_opts, o, opts);
    kna_op op;
    knio_npy npy = {0};
    knio_source s = {0};
    kna_begin(&op, "fromfile");
    kn_dtype d = kna_lookup_dtype(o.dtype, kna_default_float());
    knx_error *e = check_fromfile(fname, &o);
    if (!e && d == KN_DT(KEY))
        e = knx_error_new(KN_ERROR_TYPE, "random keys are not read from files");
    if (!e && *o.sep)
        return read_texts(&op, fname, &o);
    if (!e)
        e = o.file ? knio_source_stream(o.file, &s) : knio_source_open(fname, &s);
    if (!e)
        e = read_binary(&s, &o, d, &npy);
    knio_source_close(&s);
    return knio_array_end(&op, e, &npy);
}

/* ---- Writing. */

/* The dtype that Python's number of an element has. */
static kn_dtype python_dtype(kn_dtype d, const char *format)
{
    if (d->kind == KN_KIND_BOOL)
        return strchr(format, 's') || strchr(format, 'r') ? d : KN_DT(I64);
    return knx_is_float(d)     ? KN_DT(F64)
           : knx_is_complex(d) ? KN_DT(C128)
                               : (d->kind == KN_KIND_UINT ? KN_DT(U64) : KN_DT(I64));
}

static knx_error *write_texts(knio_output *out, const knio_saved *saved, const kn_tofile_opts *o)
{
    kn_dtype d = saved->header.dtype, python = python_dtype(d, o->format);
    size_t n = saved->header.bytes / d->size;
    knio_percent p;
    knx_str text = {0};
    KN_TRY(knio_percent_read(*o->format ? o->format : "%s", &p));
    knx_error *e = p.count == 1 || p.error
                       ? NULL
                       : knx_error_new(KN_ERROR_TYPE, p.count ? "not enough arguments for format string"
                                                              : "not all arguments converted during string "
                                                                "formatting");
    for (size_t i = 0; !e && i < n; i++) {
        knx_scalar_bits number;
        char mismatch;
        knx_convert(d, (const char *)saved->data + i * d->size, python, &number);
        e = knio_percent_write(&p, &text, python, (const char *)&number, 0, &mismatch);
        if (!e && mismatch)
            e = knx_error_new(KN_ERROR_TYPE, "the format %.100s is for no number of dtype %s", o->format, d->name);
        knx_str_puts(&text, i + 1 < n ? o->sep : "");
        if (!e && text.n >= 1 << 16) {
            e = knio_output_write(out, text.s, text.n);
            text.n = 0;
        }
    }
    if (!e && text.failed)
        e = knx_error_nomem();
    if (!e)
        e = knio_output_write(out, text.s, text.n);
    knx_str_free(&text);
    knio_percent_free(&p);
    return e;
}

static bool look_in_c_order(kna_op *op, kn_array x, knio_saved *saved)
{
    kni_type t = kna_type(op, x);
    const void *data = kna_failed(op) ? NULL : kna_look(op, x, &t);
    if (!data)
        return false;
    if (t.weak || t.ndim < 2)
        return knio_look(op, x, saved);
    if (t.dtype == KN_DT(KEY))
        kna_fail(op, KN_ERROR_TYPE, "random keys are not saved; save what kn_random_key_data gives");
    *saved = (knio_saved){.header = {.dtype = t.dtype, .bytes = kni_type_bytes(t)}, .data = data};
    return !kna_failed(op);
}

int kn_tofile(kn_array x, const char *fname, const kn_tofile_opts *opts)
{
    KNX_OPTS(kn_tofile_opts, o, opts);
    kna_op op;
    knio_saved saved;
    knio_output out;
    knx_error *e = NULL;
    kna_begin(&op, "tofile");
    if (!fname && !o.file)
        e = knx_error_new(KN_ERROR_TYPE, "null fname");
    else if (fname && o.file)
        e = knx_error_new(KN_ERROR_VALUE, "give one of a path and .file");
    else if (!o.sep || !o.format)
        e = knx_error_new(KN_ERROR_TYPE, o.sep ? "null format" : "null sep");
    if (!e && look_in_c_order(&op, x, &saved)) {
        e = knio_output_open(fname, o.file, &out);
        if (!e)
            e = knio_output_close(&out, *o.sep ? write_texts(&out, &saved, &o)
                                               : knio_output_write(&out, saved.data, saved.header.bytes));
    }
    if (e)
        kna_fail_with(&op, e);
    return kna_end_plain(&op) ? 0 : -1;
}

/* ---- Bytes. */

static bool in_fortran_order(kna_op *op, const char *order, kn_array x)
{
    char o = knl_order(op, order);
    if (kna_failed(op) || o == 'C' || o == 'F')
        return o == 'F';
    kn_flags f = kn_flags_of(x);
    return f.f_contiguous && !f.c_contiguous;
}

int64_t kn_tobytes(kn_array x, void *to, size_t bytes, const kn_tobytes_opts *opts)
{
    KNX_OPTS(kn_tobytes_opts, o, opts);
    kna_op op;
    knio_saved saved = {.data = NULL};
    kna_begin(&op, "tobytes");
    kna_type(&op, x);
    bool fortran = !kna_failed(&op) && in_fortran_order(&op, o.order, x);
    if (!kna_failed(&op))
        look_in_c_order(&op, fortran ? knio_reversed(x) : x, &saved);
    if (!kna_failed(&op) && (to || bytes)) {
        if (!to)
            kna_fail(&op, KN_ERROR_TYPE, "null memory");
        else if (bytes < saved.header.bytes)
            kna_fail(&op, KN_ERROR_VALUE, "the array has %zu bytes, there is room for %zu", saved.header.bytes, bytes);
        else if (saved.header.bytes)
            memcpy(to, saved.data, saved.header.bytes);
    }
    return kna_end_plain(&op) ? (int64_t)saved.header.bytes : -1;
}
