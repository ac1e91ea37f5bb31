/* SPDX-License-Identifier: Apache-2.0
 * element.c -- elements from texts: integers, floats, complex numbers, truth values. */
#include "io/element.h"
#include "base/digits.h"
#include "base/memory.h"
#include "io/text_in.h"

#include <string.h>

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* The longest decimal number at s, and where it ends. What stands behind `end` may look like more of the number: then a
 * copy is read. */
static bool number_at(const char *s, const char *end, const char **after, double *v)
{
    bool sign = s < end && (*s == '-' || *s == '+');
    const char *digits = s + sign;
    if (digits == end)
        return false;
    if (digits + 1 < end && *digits == '0' && (digits[1] | 0x20) == 'x') { /* hexadecimal ones are none here */
        *v = *s == '-' ? -0.0 : 0;
        *after = digits + 1;
        return true;
    }
    if (!knx_parse_double(s, after, v))
        return false;
    if (*after <= end)
        return true;
    size_t n = (size_t)(end - s);
    char room[64], *copy = n < sizeof room ? room : knx_alloc(n + 1);
    if (!copy)
        return false;
    memcpy(copy, s, n);
    copy[n] = '\0';
    bool is = knx_parse_double(copy, after, v);
    *after = is ? s + (*after - copy) : s;
    if (copy != room)
        knx_free(copy);
    return is;
}

bool knio_read_double(const char *s, const char *end, double *v)
{
    const char *after;
    return number_at(s, end, &after, v) && after == end;
}

/* "1.5", "2j", "1+2j", "1e3-infj", in parentheses or not; "+-" is a minus. */
bool knio_read_complex(const char *s, const char *end, kn_c128 *v)
{
    knio_strip(&s, &end);
    bool open = s < end && *s == '(';
    if (open) {
        if (end[-1] != ')')
            return false;
        s++;
        end--;
        knio_strip(&s, &end);
    }
    *v = (kn_c128){0};
    if (!number_at(s, end, &s, &v->re))
        return false;
    if (s < end && *s == 'j') {
        v->im = v->re;
        v->re = 0;
        s++;
    } else if (s < end && (*s == '+' || *s == '-')) {
        s += *s == '+';
        if (!number_at(s, end, &s, &v->im) || s == end || *s != 'j')
            return false;
        s++;
    }
    return s == end;
}

/* An integer in magnitude and sign; false if it is none, or beyond 64 bits. */
static bool read_integer(const char *s, const char *end, uint64_t *magnitude, bool *negative)
{
    uint64_t v = 0;
    *negative = s < end && *s == '-';
    s += s < end && (*s == '-' || *s == '+');
    if (s == end)
        return false;
    for (const char *most = end - s > 19 ? s + 19 : end; s < most; s++) { /* so many digits fit */
        if (!is_digit(*s))
            return false;
        v = 10 * v + (uint64_t)(*s - '0');
    }
    for (; s < end; s++) {
        if (!is_digit(*s) || __builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v))
            return false;
    }
    *magnitude = v;
    return true;
}

static bool store_integer(kn_dtype d, uint64_t magnitude, bool negative, void *element)
{
    uint64_t bits = negative ? -magnitude : magnitude;
    bool is_unsigned = !negative;
    if (negative && magnitude > (uint64_t)1 << 63)
        return false;
    if (d->kind == KN_KIND_BOOL) {
        *(uint8_t *)element = magnitude != 0;
        return is_unsigned ? magnitude <= INT64_MAX : true;
    }
    if (d == KN_DT(I64) && (negative || magnitude <= INT64_MAX)) {
        memcpy(element, &bits, sizeof bits);
        return true;
    }
    if ((negative && d->kind == KN_KIND_UINT) || !knx_int_fits(d, is_unsigned, bits))
        return false;
    knx_convert(is_unsigned ? KN_DT(U64) : KN_DT(I64), &bits, d, element);
    return true;
}

static bool is_graphic(char c) { return c > ' ' && c < 0x7f; }

bool knio_read_element(kn_dtype d, const char *s, const char *end, void *element)
{
    if (knx_is_complex(d)) {
        kn_c128 z;
        if (!knio_read_complex(s, end, &z))
            return false;
        knx_convert(KN_DT(C128), &z, d, element);
        return true;
    }
    if (s < end && (!is_graphic(*s) || !is_graphic(end[-1])))
        knio_strip(&s, &end);
    if (knx_is_float(d)) {
        double v;
        if (!knio_read_double(s, end, &v))
            return false;
        if (d == KN_DT(F64))
            memcpy(element, &v, sizeof v);
        else
            knx_convert(KN_DT(F64), &v, d, element);
        return true;
    }
    uint64_t magnitude;
    bool negative;
    return read_integer(s, end, &magnitude, &negative) && store_integer(d, magnitude, negative, element);
}

/* ---- repr. */

/* The character at s, and how many bytes it has. */
static unsigned code_point(const char *s, const char *end, int *length)
{
    unsigned char c = (unsigned char)*s;
    unsigned code = c < 0x80 ? c : c < 0xe0 ? c & 0x1f : c < 0xf0 ? c & 0xf : c & 7;
    *length = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    if (*length > end - s)
        *length = (int)(end - s);
    for (int i = 1; i < *length; i++)
        code = code << 6 | ((unsigned char)s[i] & 0x3f);
    return code;
}

/* Blanks, controls and marks that Python shows by their numbers. */
static bool is_shown(unsigned c)
{
    static const unsigned hidden[][2] = {{0, 0x1f},          {0x7f, 0xa0},     {0xad, 0xad},     {0x600, 0x605},
                                         {0x1680, 0x1680},   {0x2000, 0x200f}, {0x2028, 0x202f}, {0x205f, 0x206f},
                                         {0x3000, 0x3000},   {0xd800, 0xf8ff}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb},
                                         {0xe0000, 0x10ffff}};
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (c >= hidden[i][0] && c <= hidden[i][1])
            return false;
    return true;
}

void knio_add_repr(knx_str *out, const char *s, size_t n)
{
    const char *end = s + n;
    char quote = memchr(s, '\'', n) && !memchr(s, '"', n) ? '"' : '\'';
    knx_str_add(out, &quote, 1);
    while (s < end) {
        int length;
        unsigned c = code_point(s, end, &length);
        const char *escape = c == '\t' ? "\\t" : c == '\n' ? "\\n" : c == '\r' ? "\\r" : c == '\\' ? "\\\\" : NULL;
        if (escape)
            knx_str_puts(out, escape);
        else if (c == (unsigned char)quote)
            knx_str_printf(out, "\\%c", quote);
        else if (is_shown(c))
            knx_str_add(out, s, (size_t)length);
        else
            knx_str_printf(out, c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
        s += length;
    }
    knx_str_add(out, &quote, 1);
}
