/* SPDX-License-Identifier: Apache-2.0
 * read.c -- gguf files: magic, version, numbers of tensors and entries, the entries, the tensors' names, shapes,
 * kinds and places, and behind padding what they are made of. Numbers of what comes are believed as far as the file
 * has bytes for it. */
#include "models/gguf/file.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    const char *operation, *path;
    kngguf_file *f;
    const char *begin, *at, *end;
} reader;

static int wrong(const reader *r, kn_error_kind kind, const char *format, ...) KN_PRINTF_LIKE(3, 4);
static int wrong(const reader *r, kn_error_kind kind, const char *format, ...)
{
    char what[256];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    knbeside_fail(r->operation, kind, "%.200s: %s", r->path, what);
    return -1; /* as the compiler can see */
}

static int cut_off(const reader *r) { return wrong(r, KN_ERROR_VALUE, "the file was cut off"); }

static uint64_t left(const reader *r) { return (uint64_t)(r->end - r->at); }

/* A number of so many bytes, the lowest one first. */
static int take(reader *r, int bytes, uint64_t *v)
{
    *v = 0;
    if (left(r) < (uint64_t)bytes)
        return cut_off(r);
    for (int i = bytes - 1; i >= 0; i--)
        *v = *v << 8 | (uint8_t)r->at[i];
    r->at += bytes;
    return 0;
}

static int take_text(reader *r, const char **out)
{
    uint64_t n;
    if (take(r, 8, &n))
        return -1;
    if (n > left(r))
        return cut_off(r);
    *out = knmodels_take_text(&r->f->arena, r->at, (size_t)n);
    r->at += n;
    return *out ? 0 : knbeside_no_memory(r->operation);
}

static int take_name(reader *r, const char **out)
{
    const char *from = r->at + 8;
    if (take_text(r, out))
        return -1;
    if (memchr(from, 0, (size_t)(r->at - from)))
        return wrong(r, KN_ERROR_VALUE, "a name has a NUL inside");
    return **out ? 0 : wrong(r, KN_ERROR_VALUE, "a name is empty");
}

/* ---- Entries. */

kn_dtype kngguf_type_dtype(kn_gguf_type t)
{
    switch (t) {
    case KN_GGUF_TYPE_U8: return KN_U8;
    case KN_GGUF_TYPE_I8: return KN_I8;
    case KN_GGUF_TYPE_U16: return KN_U16;
    case KN_GGUF_TYPE_I16: return KN_I16;
    case KN_GGUF_TYPE_U32: return KN_U32;
    case KN_GGUF_TYPE_I32: return KN_I32;
    case KN_GGUF_TYPE_F32: return KN_F32;
    case KN_GGUF_TYPE_BOOL: return KN_BOOL;
    case KN_GGUF_TYPE_U64: return KN_U64;
    case KN_GGUF_TYPE_I64: return KN_I64;
    case KN_GGUF_TYPE_F64: return KN_F64;
    default: return NULL;
    }
}

enum { MAX_DEPTH = 8 };

static int take_type(reader *r, kn_gguf_type *t)
{
    uint64_t v;
    if (take(r, 4, &v))
        return -1;
    *t = (kn_gguf_type)v;
    return v <= KN_GGUF_TYPE_F64 ? 0 : wrong(r, KN_ERROR_VALUE, "there is no type %" PRIu64 " of metadata", v);
}

/* Arrays in arrays: they have to be there, and that is all. */
static int skip_array(reader *r, int depth)
{
    kn_gguf_type t;
    uint64_t n, length;
    if (depth > MAX_DEPTH)
        return wrong(r, KN_ERROR_VALUE, "arrays in arrays, more than %d deep", MAX_DEPTH);
    if (take_type(r, &t) || take(r, 8, &n))
        return -1;
    kn_dtype d = kngguf_type_dtype(t);
    if (n > left(r) / (d ? (uint64_t)kn_dtype_size(d) : 8))
        return cut_off(r);
    r->at += d ? n * (uint64_t)kn_dtype_size(d) : 0;
    for (uint64_t i = 0; !d && i < n; i++)
        if (t == KN_GGUF_TYPE_ARRAY) {
            if (skip_array(r, depth + 1))
                return -1;
        } else {
            if (take(r, 8, &length))
                return -1;
            if (length > left(r))
                return cut_off(r);
            r->at += length;
        }
    return 0;
}

static int take_values(reader *r, kngguf_entry *e)
{
    kn_dtype d = kngguf_type_dtype(e->type);
    if (e->n > left(r) / (d ? (uint64_t)kn_dtype_size(d) : 8))
        return cut_off(r);
    if (d) {
        e->at = r->at;
        r->at += e->n * (uint64_t)kn_dtype_size(d);
        return 0;
    }
    if (e->type == KN_GGUF_TYPE_TEXT && !(e->text = knmodels_take(&r->f->arena, e->n, sizeof *e->text)))
        return knbeside_no_memory(r->operation);
    for (uint64_t i = 0; i < e->n; i++)
        if (e->type == KN_GGUF_TYPE_TEXT ? take_text(r, &e->text[i]) : skip_array(r, 1))
            return -1;
    return 0;
}

static int take_entry(reader *r, kngguf_entry *e)
{
    if (take_name(r, &e->name) || take_type(r, &e->type))
        return -1;
    e->n = 1;
    e->is_array = e->type == KN_GGUF_TYPE_ARRAY;
    if (e->is_array && (take_type(r, &e->type) || take(r, 8, &e->n)))
        return -1;
    return take_values(r, e);
}

static int find_alignment(reader *r)
{
    kngguf_file *f = r->f;
    f->alignment = 32;
    for (int i = 0; i < f->n_entry; i++) {
        const kngguf_entry *e = &f->entry[i];
        if (strcmp(e->name, "general.alignment") != 0)
            continue;
        if (e->is_array || e->type != KN_GGUF_TYPE_U32)
            return wrong(r, KN_ERROR_VALUE, "general.alignment is no U32");
        uint32_t v = 0;
        for (int k = 3; k >= 0; k--)
            v = v << 8 | (uint8_t)e->at[k];
        if (!v || (v & (v - 1)))
            return wrong(r, KN_ERROR_VALUE, "general.alignment is %u, which is no power of two", v);
        f->alignment = v;
    }
    return 0;
}

/* ---- Tensors. */

static int take_tensor(reader *r, kngguf_tensor *t)
{
    uint64_t ndim, dim, kind;
    if (take_name(r, &t->name) || take(r, 4, &ndim))
        return -1;
    if (ndim > KNGGUF_MAX_NDIM)
        return wrong(r, KN_ERROR_VALUE, "%.60s has %" PRIu64 " dimensions", t->name, ndim);
    t->ndim = (int)ndim;
    for (int i = t->ndim - 1; i >= 0; i--) {
        if (take(r, 8, &dim))
            return -1;
        if (dim > INT64_MAX / 8) /* of what is nothing, too: the bytes of a row, and what extents may be */
            return wrong(r, KN_ERROR_VALUE, "the shape of %.60s is too large", t->name);
        t->dim[i] = (int64_t)dim;
    }
    if (take(r, 4, &kind) || take(r, 8, &t->at))
        return -1;
    if (!kngguf_kind_of(kind))
        return wrong(r, KN_ERROR_VALUE, "%.60s has the unknown kind %" PRIu64, t->name, kind);
    t->kind = (kn_gguf_kind)kind;
    return 0;
}

/* Its place in the file, all of which has to be there. */
static int place_tensor(reader *r, kngguf_tensor *t, uint64_t data)
{
    const kngguf_kind *k = kngguf_kind_of(t->kind);
    uint64_t n = 1, bytes, end;
    bool over = false;
    if (!k->plain && (!t->ndim || t->dim[t->ndim - 1] % k->elements))
        return wrong(r, KN_ERROR_VALUE, "rows of %.60s are no whole blocks of %d elements", t->name, k->elements);
    for (int i = 0; i < t->ndim; i++)
        over |= __builtin_mul_overflow(n, (uint64_t)t->dim[i], &n);
    over |= __builtin_mul_overflow(n / (uint64_t)k->elements, (uint64_t)k->bytes, &bytes);
    if (over)
        return wrong(r, KN_ERROR_VALUE, "the shape of %.60s is too large", t->name);
    if (t->at % r->f->alignment)
        return wrong(r, KN_ERROR_VALUE, "%.60s lies at %" PRIu64 ", which is no multiple of %" PRIu64, t->name, t->at,
                     r->f->alignment);
    over |= __builtin_add_overflow(t->at, data, &t->at) || __builtin_add_overflow(t->at, bytes, &end);
    if (over || end > r->f->map->n)
        return wrong(r, KN_ERROR_VALUE, "%.60s goes beyond the end of the file", t->name);
    return 0;
}

/* ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)*(const void *const *)a, *(const char *const *)*(const void *const *)b);
}

/* Pointers to n things of so many bytes, whose first member is a name, sorted by it; two may not be equal. */
static int sort(reader *r, const void *things, size_t size, int n, const void **out, const char *what)
{
    for (int i = 0; i < n; i++)
        out[i] = (const char *)things + (size_t)i * size;
    if (n)
        qsort(out, (size_t)n, sizeof *out, by_name);
    for (int i = 1; i < n; i++)
        if (by_name(&out[i - 1], &out[i]) == 0)
            return wrong(r, KN_ERROR_VALUE, "two %s are called %.100s", what, *(const char *const *)out[i]);
    return 0;
}

static int take_head(reader *r, uint64_t *tensors, uint64_t *entries)
{
    uint64_t version;
    if (left(r) < 4 || memcmp(r->at, "GGUF", 4) != 0)
        return wrong(r, KN_ERROR_VALUE, "no gguf file");
    r->at += 4;
    if (take(r, 4, &version))
        return -1;
    if (!(version & 0xffff))
        return wrong(r, KN_ERROR_NOT_IMPLEMENTED, "a file of the other byte order");
    if (version != 2 && version != 3)
        return wrong(r, KN_ERROR_NOT_IMPLEMENTED, "version %" PRIu64 ", versions 2 and 3 are read", version);
    if (take(r, 8, tensors) || take(r, 8, entries))
        return -1;
    /* the least that a tensor and an entry have: name, number of dimensions, kind, place; name, type, a byte */
    if (*tensors > left(r) / 24 || *entries > left(r) / 13 || *tensors > INT32_MAX || *entries > INT32_MAX)
        return wrong(r, KN_ERROR_VALUE,
                     "%" PRIu64 " tensors and %" PRIu64 " entries are more than the file has room for", *tensors,
                     *entries);
    return 0;
}

static int take_all(reader *r)
{
    kngguf_file *f = r->f;
    uint64_t tensors = 0, entries = 0;
    if (take_head(r, &tensors, &entries))
        return -1;
    f->tensor = knmodels_take(&f->arena, tensors, sizeof *f->tensor);
    f->entry = knmodels_take(&f->arena, entries, sizeof *f->entry);
    f->by_name = knmodels_take(&f->arena, tensors, sizeof *f->by_name);
    f->entry_by_name = knmodels_take(&f->arena, entries, sizeof *f->entry_by_name);
    if (!f->tensor || !f->entry || !f->by_name || !f->entry_by_name)
        return knbeside_no_memory(r->operation);
    for (; (uint64_t)f->n_entry < entries; f->n_entry++)
        if (take_entry(r, &f->entry[f->n_entry]))
            return -1;
    for (; (uint64_t)f->n_tensor < tensors; f->n_tensor++)
        if (take_tensor(r, &f->tensor[f->n_tensor]))
            return -1;
    return sort(r, f->tensor, sizeof *f->tensor, f->n_tensor, (const void **)f->by_name, "tensors") ||
                   sort(r, f->entry, sizeof *f->entry, f->n_entry, (const void **)f->entry_by_name, "entries") ||
                   find_alignment(r)
               ? -1
               : 0;
}

int kngguf_read(const char *operation, const char *path, kngguf_file *f)
{
    reader r = {operation, path, f, f->map->at, f->map->at, f->map->at + f->map->n};
    if (take_all(&r))
        return -1;
    uint64_t at = (uint64_t)(r.at - r.begin), data = (at + f->alignment - 1) / f->alignment * f->alignment;
    for (int i = 0; i < f->n_tensor; i++)
        if (place_tensor(&r, &f->tensor[i], data))
            return -1;
    return 0;
}
