/* SPDX-License-Identifier: Apache-2.0
 * beside.c -- errors, memory, growing bytes, whole files. */
#include "beside/beside.h"
#include "kiln/extend.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local kn_array failed;

void knbeside_report(const char *operation, kn_error_kind kind, const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    failed = kn_fail(kind, operation, message);
}

kn_array knbeside_failed(void) { return failed; }

void *knbeside_alloc(uint64_t n, size_t size)
{
    return n > SIZE_MAX / 2 / size ? NULL : calloc(n ? (size_t)n : 1, size);
}

char *knbeside_copy_text(const char *s)
{
    size_t n = s ? strlen(s) + 1 : 0;
    char *copy = s ? malloc(n) : NULL;
    return copy ? memcpy(copy, s, n) : NULL;
}

/* ---- Growing bytes. */

void knbeside_put(knbeside_bytes *b, const void *bytes, size_t n)
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

void knbeside_puts(knbeside_bytes *b, const char *text) { knbeside_put(b, text, strlen(text)); }

void knbeside_put_le(knbeside_bytes *b, uint64_t v, int bytes)
{
    uint8_t to[8];
    for (int i = 0; i < bytes; i++)
        to[i] = (uint8_t)(v >> 8 * i);
    knbeside_put(b, to, (size_t)bytes);
}

void knbeside_put_be(knbeside_bytes *b, uint64_t v, int bytes)
{
    uint8_t to[8];
    for (int i = 0; i < bytes; i++)
        to[i] = (uint8_t)(v >> 8 * (bytes - 1 - i));
    knbeside_put(b, to, (size_t)bytes);
}

void knbeside_put_int(knbeside_bytes *b, int64_t v)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)v);
    knbeside_puts(b, text);
}

void knbeside_put_number(knbeside_bytes *b, double v, int decimals)
{
    char digits[32];
    double unit = 1;
    for (int i = 0; i < decimals; i++)
        unit *= 10;
    double scaled = nearbyint(fabs(v) * unit);
    if (!(scaled < 9e15)) { /* far off, or no number: whole, and at a bound */
        knbeside_put_int(b, v < 0 ? -999999999 : 999999999);
        return;
    }
    int64_t all = (int64_t)scaled, whole = all / (int64_t)unit, part = all % (int64_t)unit;
    if (v < 0 && all)
        knbeside_puts(b, "-");
    knbeside_put_int(b, whole);
    if (!part)
        return;
    snprintf(digits, sizeof digits, ".%0*lld", decimals, (long long)part);
    size_t n = strlen(digits);
    while (digits[n - 1] == '0')
        n--;
    knbeside_put(b, digits, n);
}

void knbeside_bytes_free(knbeside_bytes *b)
{
    free(b->at);
    *b = (knbeside_bytes){0};
}

/* ---- Files. */

int knbeside_check_target(const char *operation, const char *path, FILE *file)
{
    if (!path && !file)
        return knbeside_null(operation, "path");
    return path && file ? knbeside_fail(operation, KN_ERROR_VALUE, "give one of a path and .file") : 0;
}

int knbeside_read(const char *operation, const char *path, FILE *file, knbeside_bytes *out)
{
    char piece[8192];
    size_t got;
    if (knbeside_check_target(operation, path, file))
        return -1;
    errno = 0;
    FILE *f = file ? file : fopen(path, "rb");
    while (f && (got = fread(piece, 1, sizeof piece, f)) > 0)
        knbeside_put(out, piece, got);
    bool wrong = !f || ferror(f);
    int number = errno;
    if (f && !file)
        fclose(f);
    if (wrong)
        return knbeside_fail(operation, KN_ERROR_FILE, "%s: %s", file ? "<stream>" : path,
                             number ? strerror(number) : "Input/output error");
    return out->failed ? knbeside_no_memory(operation) : 0;
}

int knbeside_write(const char *operation, const char *path, FILE *file, knbeside_bytes *b, int status)
{
    if (!status && b->failed)
        status = knbeside_no_memory(operation);
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
    knbeside_bytes_free(b);
    return status;
}

void knbeside_ending(const char *path, char ending[8])
{
    const char *dot = path ? strrchr(path, '.') : NULL;
    size_t n = dot && !strchr(dot, '/') ? strlen(dot + 1) : 0;
    n = n > 7 ? 0 : n;
    for (size_t i = 0; i < n; i++)
        ending[i] = (char)(dot[i + 1] >= 'A' && dot[i + 1] <= 'Z' ? dot[i + 1] + 32 : dot[i + 1]);
    ending[n] = '\0';
}
