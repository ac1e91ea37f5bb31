/* SPDX-License-Identifier: Apache-2.0
 * from_data.c -- arrays from memory, text and functions. */
#include "base/digits.h"
#include "lib/compose.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

kn_array kn_frombuffer(const void *buffer, size_t bytes, const kn_frombuffer_opts *opts)
{
    KNX_OPTS(kn_frombuffer_opts, o, opts);
    kna_op op;
    kna_begin(&op, "frombuffer");
    kn_dtype d = kna_lookup_dtype(o.dtype, kna_default_float());
    size_t left = o.offset < 0 || (uint64_t)o.offset > bytes ? 0 : bytes - (size_t)o.offset;
    int64_t n = o.count < 0 ? (int64_t)(left / d->size) : o.count;
    if (!buffer && bytes)
        kna_fail(&op, KN_ERROR_TYPE, "null buffer");
    else if (o.offset < 0 || (uint64_t)o.offset > bytes)
        kna_fail(&op, KN_ERROR_VALUE, "offset must be non-negative and no greater than buffer length (%zu)", bytes);
    else if (o.count < 0 && left % d->size)
        kna_fail(&op, KN_ERROR_VALUE, "buffer size must be a multiple of element size");
    else if ((uint64_t)n > left / d->size)
        kna_fail(&op, KN_ERROR_VALUE, "buffer is smaller than requested size");
    knx_buffer *copy = kna_failed(&op) ? NULL : knx_buffer_new((size_t)n * d->size);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    if (copy && n && buffer)
        memcpy(copy->data, (const char *)buffer + o.offset, (size_t)n * d->size);
    return kna_from_buffer(&op, kni_type_of(d, 1, &n), copy);
}

/* Elements that come one after the other. */
typedef struct growing {
    kn_dtype d;
    char *data;
    int64_t n, room;
} growing;

static char *next_place(kna_op *op, growing *g)
{
    if (g->n == g->room) {
        int64_t room = g->room ? 2 * g->room : 64;
        char *more = (uint64_t)room < SIZE_MAX / 32 ? knx_realloc(g->data, (size_t)room * g->d->size) : NULL;
        if (!more) {
            kna_fail_with(op, knx_error_nomem());
            return NULL;
        }
        g->data = more;
        g->room = room;
    }
    return g->data + (size_t)g->n++ * g->d->size;
}

static kn_array finish(kna_op *op, growing *g)
{
    knx_buffer *b = kna_failed(op) ? NULL : knx_buffer_new((size_t)g->n * g->d->size);
    if (b && g->n)
        memcpy(b->data, g->data, (size_t)g->n * g->d->size);
    knx_free(g->data);
    return kna_failed(op) ? kna_end(op, KN_ATOM_NONE) : kna_from_buffer(op, kni_type_of(g->d, 1, &g->n), b);
}

/* A decimal number at s, "inf", "nan" or "nan(12)"; where it ends, or NULL. */
static const char *read_real(const char *s, double *v)
{
    const char *digits = s + (*s == '-' || *s == '+'), *end = NULL;
    if (digits[0] == '0' && (digits[1] | 0x20) == 'x') {
        *v = 0;
        return digits + 1;
    }
    if (!knx_parse_double(s, &end, v))
        return NULL;
    if (*end == '(' && isnan(*v)) {
        size_t n = strcspn(end, ")");
        end += end[n] ? n + 1 : 0;
    }
    return end;
}

/* The parts of a complex number at s, "1.5", "2j" or "1.5-2j"; where it ends, or NULL. */
static const char *read_complex(const char *s, kn_c128 *v)
{
    double second = 0;
    *v = (kn_c128){0, 0};
    const char *end = read_real(s, &v->re);
    if (end && *end == 'j') {
        *v = (kn_c128){0, v->re};
        return end + 1;
    }
    const char *after = end && (*end == '+' || *end == '-') ? read_real(end, &second) : NULL;
    if (!after)
        return end;
    v->im = *after == 'j' ? second : 0; /* without it the second one does not count, as in NumPy */
    return after + (*after == 'j');
}

/* One number at s; where it ends, or NULL. */
static const char *read_number(const char *s, kn_dtype d, void *element)
{
    kn_c128 v = {0, 0};
    if (knx_is_integer(d)) {
        char *end;
        bool is_signed = d->kind == KN_KIND_INT;
        int64_t whole = is_signed ? strtoll(s, &end, 10) : (int64_t)strtoull(s, &end, 10);
        knx_convert(is_signed ? KN_DT(I64) : KN_DT(U64), &whole, d, element);
        return end == s || (!is_signed && !isdigit((unsigned char)*s)) ? NULL : end;
    }
    const char *end = knx_is_complex(d) ? read_complex(s, &v) : read_real(s, &v.re);
    if (end)
        knx_convert(KN_DT(C128), &v, d, element);
    return end;
}

/* The separator at s: blanks in it stand for any number of blanks. NULL if it is not there, or nothing is. */
static const char *skip_separator(const char *s, const char *sep)
{
    const char *start = s;
    for (; *sep; sep++) {
        if (isspace((unsigned char)*sep)) {
            while (isspace((unsigned char)*s))
                s++;
        } else {
            while (isspace((unsigned char)*s))
                s++;
            if (*s++ != *sep)
                return NULL;
        }
    }
    return s == start ? NULL : s;
}

kn_array kn_fromstring(const char *string, const char *sep, const kn_fromstring_opts *opts)
{
    KNX_OPTS(kn_fromstring_opts, o, opts);
    kna_op op;
    kna_begin(&op, "fromstring");
    growing g = {.d = kna_lookup_dtype(o.dtype, kna_default_float())};
    if (!string || !sep)
        kna_fail(&op, KN_ERROR_TYPE, "null string");
    else if (!*sep)
        kna_fail(&op, KN_ERROR_VALUE, "The binary mode of fromstring is removed, use frombuffer instead");
    else if (g.d->kind == KN_KIND_KEY)
        kna_fail(&op, KN_ERROR_VALUE, "don't know how to read character strings with that array type");
    const char *s = string;
    while (!kna_failed(&op) && (o.count < 0 || g.n < o.count)) {
        while (isspace((unsigned char)*s))
            s++;
        if (!*s)
            break;
        char *to = next_place(&op, &g);
        const char *end = to ? read_number(s, g.d, to) : NULL;
        const char *after = end ? skip_separator(end, sep) : NULL;
        while (end && isspace((unsigned char)*end))
            end++;
        if (!to)
            break;
        if (!end || (*end && !after)) {
            if (!end || o.count < 0 || g.n < o.count)
                kna_fail(&op, KN_ERROR_VALUE, "string or file could not be read to its end due to unmatched data");
            break;
        }
        s = after ? after : end;
    }
    if (!kna_failed(&op) && o.count >= 0 && g.n < o.count)
        kna_fail(&op, KN_ERROR_VALUE, "string is smaller than requested size");
    return finish(&op, &g);
}

kn_array kn_fromiter(kn_next next, void *env, kn_dtype dtype, int64_t count)
{
    kna_op op;
    kna_begin(&op, "fromiter");
    growing g = {.d = dtype};
    if (!next || !dtype)
        kna_fail(&op, KN_ERROR_TYPE, next ? "a dtype is missing" : "null function");
    while (!kna_failed(&op) && (count < 0 || g.n < count)) {
        char *to = next_place(&op, &g);
        if (!to || next(env, to))
            continue;
        g.n--;
        break;
    }
    if (!kna_failed(&op) && count >= 0 && g.n < count)
        kna_fail(&op, KN_ERROR_VALUE, "iterator too short: Expected %lld but iterator had only %lld items.",
                 (long long)count, (long long)g.n);
    return finish(&op, &g);
}

kn_array kn_fromfunction(kn_fn function, const kn_shape *shape, const kn_zeros_opts *opts)
{
    KNX_OPTS(kn_zeros_opts, o, opts);
    knl_body c;
    kn_array position[KN_MAX_ARGS], y = NULL;
    kn_outs outs = {1, {{&y, sizeof y}}};
    knl_begin(&c, "fromfunction");
    shape = kna_shape(&c.op, shape);
    kn_args args = {.n = shape->ndim};
    kn_dtype d = kna_lookup_dtype(o.dtype, kna_default_float());
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    if (shape->ndim < 1 || shape->ndim > KN_MAX_ARGS)
        kna_fail(&c.op, KN_ERROR_VALUE, "functions have 1 to %d arguments, not %d", KN_MAX_ARGS, shape->ndim);
    else
        kna_fail_with(&c.op, kni_type_check_size(knl_shaped(d, shape)));
    for (int i = 0; i < shape->ndim && !kna_failed(&c.op); i++) {
        position[i] = knl_made(&c, knb_iota(c.op.b, d, shape->ndim, shape->dim, i));
        args.part[i] = (kn_const_part){&position[i], sizeof position[i]};
    }
    if (!kna_failed(&c.op))
        kn_call(function, &outs, &args);
    return knl_end(&c, y);
}
