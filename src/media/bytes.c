/* SPDX-License-Identifier: Apache-2.0
 * bytes.c -- errors, memory, growing bytes, whole files, arrays from and to memory. */
#include "media/media.h"
#include "kiln/extend.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local kn_array failed;

int knmedia_fail(const char *operation, kn_error_kind kind, const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    failed = kn_fail(kind, operation, message);
    return -1;
}

kn_array knmedia_failed(void) { return failed; }

int knmedia_null(const char *operation, const char *what)
{
    return knmedia_fail(operation, KN_ERROR_TYPE, "null %s", what);
}

int knmedia_no_memory(const char *operation) { return knmedia_fail(operation, KN_ERROR_MEMORY, "no memory"); }

void *knmedia_alloc(uint64_t n, size_t size)
{
    return n > SIZE_MAX / 2 / size ? NULL : calloc(n ? (size_t)n : 1, size);
}

char *knmedia_copy_text(const char *s)
{
    size_t n = s ? strlen(s) + 1 : 0;
    char *copy = s ? malloc(n) : NULL;
    return copy ? memcpy(copy, s, n) : NULL;
}

/* ---- Growing bytes. */

void knmedia_put(knmedia_bytes *b, const void *bytes, size_t n)
{
    if (b->failed || !n)
        return;
    if (n > b->room - b->n) {
        size_t room = b->room ? b->room : 256;
        while (room - b->n < n && room < SIZE_MAX / 4)
            room *= 2;
        uint8_t *at = room - b->n < n ? NULL : realloc(b->at, room);
        if (!at) {
            b->failed = true;
            return;
        }
        b->at = at;
        b->room = room;
    }
    memcpy(b->at + b->n, bytes, n);
    b->n += n;
}

void knmedia_puts(knmedia_bytes *b, const char *text) { knmedia_put(b, text, strlen(text)); }

void knmedia_put_le(knmedia_bytes *b, uint64_t v, int bytes)
{
    uint8_t to[8];
    for (int i = 0; i < bytes; i++)
        to[i] = (uint8_t)(v >> 8 * i);
    knmedia_put(b, to, (size_t)bytes);
}

void knmedia_put_be(knmedia_bytes *b, uint64_t v, int bytes)
{
    uint8_t to[8];
    for (int i = 0; i < bytes; i++)
        to[i] = (uint8_t)(v >> 8 * (bytes - 1 - i));
    knmedia_put(b, to, (size_t)bytes);
}

void knmedia_put_int(knmedia_bytes *b, int64_t v)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)v);
    knmedia_puts(b, text);
}

void knmedia_put_number(knmedia_bytes *b, double v, int decimals)
{
    char digits[32];
    double unit = 1;
    for (int i = 0; i < decimals; i++)
        unit *= 10;
    double scaled = nearbyint(fabs(v) * unit);
    if (!(scaled < 9e15)) { /* far off, or no number: whole, and at a bound */
        knmedia_put_int(b, v < 0 ? -999999999 : 999999999);
        return;
    }
    int64_t all = (int64_t)scaled, whole = all / (int64_t)unit, part = all % (int64_t)unit;
    if (v < 0 && all)
        knmedia_puts(b, "-");
    knmedia_put_int(b, whole);
    if (!part)
        return;
    snprintf(digits, sizeof digits, ".%0*lld", decimals, (long long)part);
    size_t n = strlen(digits);
    while (digits[n - 1] == '0')
        n--;
    knmedia_put(b, digits, n);
}

void knmedia_bytes_free(knmedia_bytes *b)
{
    free(b->at);
    *b = (knmedia_bytes){0};
}

/* ---- Files. */

int knmedia_check_target(const char *operation, const char *path, FILE *file)
{
    if (!path && !file)
        return knmedia_null(operation, "path");
    return path && file ? knmedia_fail(operation, KN_ERROR_VALUE, "give one of a path and .file") : 0;
}

int knmedia_read(const char *operation, const char *path, FILE *file, knmedia_bytes *out)
{
    char piece[8192];
    size_t got;
    if (knmedia_check_target(operation, path, file))
        return -1;
    errno = 0;
    FILE *f = file ? file : fopen(path, "rb");
    while (f && (got = fread(piece, 1, sizeof piece, f)) > 0)
        knmedia_put(out, piece, got);
    bool wrong = !f || ferror(f);
    int number = errno;
    if (f && !file)
        fclose(f);
    if (wrong)
        return knmedia_fail(operation, KN_ERROR_FILE, "%s: %s", file ? "<stream>" : path,
                            number ? strerror(number) : "Input/output error");
    return out->failed ? knmedia_no_memory(operation) : 0;
}

int knmedia_write(const char *operation, const char *path, FILE *file, knmedia_bytes *b, int status)
{
    if (!status && b->failed)
        status = knmedia_no_memory(operation);
    if (!status) { /* a file is there as a whole or not at all: kn_tofile sees to that */
        static uint8_t nothing;
        kn_scope scope = kn_scope_begin();
        kn_tofile_opts o = kn_tofile_opts_default();
        kn_wrap_opts readonly = kn_wrap_opts_default();
        readonly.readonly = true;
        o.file = file;
        kn_array bytes = kn_wrap(b->n ? b->at : &nothing, &(kn_shape){1, {(int64_t)b->n}}, KN_U8, &readonly);
        status = kn_tofile(bytes, path, &o);
        kn_scope_end(&scope);
    }
    knmedia_bytes_free(b);
    return status;
}

void knmedia_ending(const char *path, char ending[8])
{
    const char *dot = path ? strrchr(path, '.') : NULL;
    size_t n = dot && !strchr(dot, '/') ? strlen(dot + 1) : 0;
    n = n > 7 ? 0 : n;
    for (size_t i = 0; i < n; i++)
        ending[i] = (char)(dot[i + 1] >= 'A' && dot[i + 1] <= 'Z' ? dot[i + 1] + 32 : dot[i + 1]);
    ending[n] = '\0';
}

/* ---- Arrays. */

const double *knmedia_doubles(const char *operation, const char *name, kn_array x, int64_t *n)
{
    if (!x) {
        knmedia_null(operation, name);
        return NULL;
    }
    kn_dtype d = kn_dtype_of(x);
    if (d && !strchr("biuf", kn_dtype_kind(d))) {
        knmedia_fail(operation, KN_ERROR_TYPE, "%s: real numbers are wanted, not %s", name, kn_dtype_name(d));
        return NULL;
    }
    kn_array y = d ? kn_astype(x, KN_F64, NULL) : NULL;
    *n = y ? kn_size(y) : -1;
    return *n < 0 ? NULL : kn_data_bytes(y, KN_F64);
}

kn_array knmedia_array(const char *operation, void *data, int ndim, const int64_t *dim, kn_dtype dtype)
{
    kn_shape shape = {ndim, {0}};
    if (!data)
        return kn_fail(KN_ERROR_MEMORY, operation, "no memory");
    for (int i = 0; i < ndim; i++)
        shape.dim[i] = dim[i];
    kn_array copy = kn_from_memory(data, &shape, dtype); /* as every other array: it may be written in place */
    free(data);
    return copy;
}
