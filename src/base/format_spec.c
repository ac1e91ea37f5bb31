/* SPDX-License-Identifier: Apache-2.0
 * format_spec.c -- Python's format specifications, [[fill]align][sign][#][0][width][grouping][.precision][type], for
 * integers, floats, complex numbers and booleans. */
#include "base/digits.h"
#include "base/format.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct spec {
    const char *fill; /* one character, in UTF-8 */
    size_t fill_bytes;
    char align, sign, group, type; /* 0: not given */
    bool alternate, zero;
    int width, precision; /* -1: not given */
} spec;

static size_t character(const char *s)
{
    unsigned char c = (unsigned char)*s;
    return c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

static const char *read_number(const char *s, const char *end, int *v)
{
    *v = s < end && *s >= '0' && *s <= '9' ? 0 : -1;
    for (; s < end && *s >= '0' && *s <= '9'; s++)
        *v = *v < 1000000 ? *v * 10 + (*s - '0') : *v;
    return s;
}

static knx_error *invalid(void) { return knx_error_new(KN_ERROR_VALUE, "Invalid format specifier"); }

static knx_error *read_spec(const char *s, size_t n, spec *p)
{
    const char *end = s + n;
    size_t first = n ? character(s) : 0;
    *p = (spec){.fill = " ", .fill_bytes = 1};
    if (n > first && strchr("<>=^", s[first])) {
        *p = (spec){.fill = s, .fill_bytes = first, .align = s[first]};
        s += first + 1;
    } else if (n && strchr("<>=^", *s)) {
        p->align = *s++;
    }
    if (s < end && strchr("+- ", *s))
        p->sign = *s++;
    if (s < end && *s == '#')
        p->alternate = true, s++;
    if (s < end && *s == '0') {
        p->zero = true, s++;
        if (!p->align)
            p->fill = "0", p->align = '=';
    }
    s = read_number(s, end, &p->width);
    if (s < end && (*s == ',' || *s == '_'))
        p->group = *s++;
    p->precision = -1;
    if (s < end && *s == '.') {
        s = read_number(s + 1, end, &p->precision);
        if (p->precision < 0)
            return knx_error_new(KN_ERROR_VALUE, "Format specifier missing precision");
    }
    if (s < end)
        p->type = *s++;
    return s == end && p->width <= 100000 && p->precision <= 100000 ? NULL : invalid();
}

/* sign, then `prefix` (0x), then the digits, in a field. */
static void add_field(knx_str *out, const spec *p, const char *sign, const char *prefix, const char *digits,
                      char default_align)
{
    if (p->width <= 0) {
        knx_str_puts(out, sign);
        knx_str_puts(out, prefix);
        knx_str_puts(out, digits);
        return;
    }
    int64_t length = (int64_t)(strlen(sign) + strlen(prefix));
    for (const char *s = digits; *s; s += character(s))
        length++;
    int64_t pad = p->width > length ? p->width - length : 0;
    char align = p->align ? p->align : default_align;
    int64_t before = align == '<' ? 0 : align == '^' ? pad / 2 : pad;
    if (align != '=')
        for (int64_t i = 0; i < before; i++)
            knx_str_add(out, p->fill, p->fill_bytes);
    knx_str_puts(out, sign);
    knx_str_puts(out, prefix);
    if (align == '=')
        for (int64_t i = 0; i < before; i++)
            knx_str_add(out, p->fill, p->fill_bytes);
    knx_str_puts(out, digits);
    for (int64_t i = before; i < pad; i++)
        knx_str_add(out, p->fill, p->fill_bytes);
}

/* The digits in front of `whole_end` with separators between groups. */
static void add_grouped(knx_str *out, const char *digits, size_t whole, char group, size_t every)
{
    for (size_t i = 0; i < whole; i++) {
        if (group && i && (whole - i) % every == 0)
            knx_str_add(out, &group, 1);
        knx_str_add(out, digits + i, 1);
    }
    knx_str_puts(out, digits + whole);
}

static const char *sign_of(const spec *p, bool negative)
{
    return negative ? "-" : p->sign == '+' ? "+" : p->sign == ' ' ? " " : "";
}

static knx_error *unknown_type(const spec *p, const char *of)
{
    return knx_error_new(KN_ERROR_VALUE, "Unknown format code '%c' for object of type '%s'", p->type, of);
}

static knx_error *add_integer(knx_str *out, const spec *p, bool negative, uint64_t v)
{
    char digits[72], *d = digits + sizeof digits;
    unsigned base = p->type == 'b' ? 2 : p->type == 'o' ? 8 : p->type == 'x' || p->type == 'X' ? 16 : 10;
    const char *symbols = p->type == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    const char *prefix = !p->alternate || base == 10 ? ""
                         : base == 2                 ? "0b"
                         : base == 8                 ? "0o"
                         : p->type == 'X'            ? "0X"
                                                     : "0x";
    if (p->precision >= 0)
        return knx_error_new(KN_ERROR_VALUE, "Precision not allowed in integer format specifier");
    *--d = '\0';
    do
        *--d = symbols[v % base];
    while (v /= base);
    knx_str text = {0};
    add_grouped(&text, d, strlen(d), p->group, base == 10 ? 3 : 4);
    out->failed |= text.failed;
    if (text.s)
        add_field(out, p, sign_of(p, negative), prefix, text.s, '>');
    knx_str_free(&text);
    return NULL;
}

/* ---- Floats. */

/* `point`: there is one even if nothing follows it. */
static void fixed(knx_str *t, double v, int precision, bool scientific, bool point)
{
    const knx_float_style style = {.scientific = scientific,
                                   .trim = precision || point ? 'k' : '-',
                                   .precision = precision,
                                   .min_digits = -1,
                                   .exp_digits = -1};
    knx_format_float(t, KN_DT(F64), v, &style);
}

static int exponent_of(double v, int precision)
{
    char room[64];
    bool fits = precision < (int)sizeof room - 16;
    knx_str t = {.s = fits ? room : NULL, .cap = fits ? sizeof room : 0};
    fixed(&t, v, precision, true, false);
    const char *e = t.s ? strchr(t.s, 'e') : NULL;
    int exponent = 0;
    if (e)
        for (const char *s = e + 2; *s; s++)
            exponent = exponent * 10 + (*s - '0');
    bool negative = e && e[1] == '-';
    if (!fits)
        knx_str_free(&t);
    return negative ? -exponent : exponent;
}

/* Without the zeros at the end of the fraction, and the point if nothing follows. */
static void trim(knx_str *t)
{
    char *e = t->s ? strchr(t->s, 'e') : NULL, *point = t->s ? strchr(t->s, '.') : NULL;
    if (!point)
        return;
    char *end = e ? e : t->s + t->n, *keep = end;
    while (keep[-1] == '0')
        keep--;
    keep -= keep[-1] == '.';
    memmove(keep, end, strlen(end) + 1);
    t->n = strlen(t->s);
}

/* %g; `python`: as a specification without a type, where something follows the point. */
static void general(knx_str *t, double v, int precision, bool alternate, bool python)
{
    precision = precision ? precision : 1;
    int exponent = v == 0 ? 0 : exponent_of(v, precision - 1); /* NOLINT: exactly zero */
    bool scientific = exponent < -4 || exponent >= precision - (python && precision > 1);
    if (python && precision == 1 && exponent == 0)
        scientific = false;
    fixed(t, v, scientific ? precision - 1 : precision - 1 - exponent, scientific, alternate);
    if (!alternate)
        trim(t);
    if (python && !scientific && t->s && !strchr(t->s, '.'))
        knx_str_puts(t, ".0");
}

/* The digits of a magnitude. */
static knx_error *magnitude(knx_str *t, const spec *p, double v)
{
    int precision = p->precision < 0 ? 6 : p->precision;
    char shortest[40];
    if (isnan(v) || isinf(v)) {
        knx_str_puts(t, isnan(v) ? "nan" : "inf");
        if (p->type == '%')
            knx_str_puts(t, "%");
        return NULL;
    }
    switch (p->type) {
    case 'e':
    case 'E': fixed(t, v, precision, true, p->alternate); break;
    case 'f':
    case 'F': fixed(t, v, precision, false, p->alternate); break;
    case '%':
        fixed(t, v * 100, precision, false, p->alternate);
        knx_str_puts(t, "%");
        break;
    case 'g':
    case 'G':
    case 'n': general(t, v, precision, p->alternate, false); break;
    case '\0':
        if (p->precision >= 0) {
            general(t, v, p->precision, p->alternate, true);
            break;
        }
        knx_format_shortest(shortest, KN_DT(F64), v);
        knx_str_puts(t, shortest);
        break;
    default: return unknown_type(p, "float");
    }
    return NULL;
}

static void upper(knx_str *t)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->s[i] >= 'a' && t->s[i] <= 'z')
            t->s[i] = (char)(t->s[i] - 'a' + 'A');
}

static knx_error *add_float(knx_str *out, const spec *p, double v)
{
    knx_str plain = {0}, text = {0};
    knx_error *error = magnitude(&plain, p, fabs(v));
    if (!error && plain.s) {
        if (p->type == 'E' || p->type == 'F' || p->type == 'G')
            upper(&plain);
        if (p->group)
            add_grouped(&text, plain.s, strspn(plain.s, "0123456789"), p->group, 3);
    }
    out->failed |= plain.failed || text.failed;
    const char *digits = p->group ? text.s : plain.s;
    if (!error && digits)
        add_field(out, p, sign_of(p, signbit(v) && !isnan(v)), "", digits, '>');
    knx_str_free(&plain);
    knx_str_free(&text);
    return error;
}

static knx_error *add_complex(knx_str *out, const spec *p, double re, double im)
{
    spec part = *p;
    knx_str text = {0};
    bool python = !p->type, has_real = !python || re != 0 || signbit(re); /* NOLINT */
    if (p->zero)
        return knx_error_new(KN_ERROR_VALUE, "Zero padding is not allowed in complex format specifier");
    if (p->align == '=')
        return knx_error_new(KN_ERROR_VALUE, "'=' alignment flag is not allowed in complex format specifier");
    part.width = 0;
    part.align = 0;
    part.type = python && p->precision >= 0 ? 'g' : p->type;
    knx_error *error = NULL;
    if (python && has_real)
        knx_str_puts(&text, "(");
    if (python && p->precision < 0) { /* repr: whole numbers have no point */
        char number[40];
        if (has_real) {
            knx_format_shortest_part(number, KN_DT(F64), re, false);
            knx_str_puts(&text, number);
        }
        knx_format_shortest_part(number, KN_DT(F64), im, has_real);
        knx_str_puts(&text, number);
    } else {
        if (has_real)
            error = add_float(&text, &part, re);
        part.sign = has_real ? '+' : part.sign;
        if (!error)
            error = add_float(&text, &part, im);
    }
    knx_str_puts(&text, python && has_real ? "j)" : "j");
    out->failed |= text.failed;
    if (!error && text.s)
        add_field(out, p, "", "", text.s, '>');
    knx_str_free(&text);
    return error;
}

/* ---- */

static void add_text(knx_str *out, const spec *p, const char *text)
{
    char cut[8];
    snprintf(cut, sizeof cut, "%s", text);
    if (p->precision >= 0 && p->precision < (int)sizeof cut)
        cut[p->precision] = '\0';
    add_field(out, p, "", "", cut, '<');
}

knx_error *knx_format_scalar(knx_str *out, kn_dtype d, const void *data, const char *s, size_t length)
{
    spec p;
    KN_TRY(read_spec(s, length, &p));
    bool as_float = p.type && strchr("eEfFgGn%", p.type);
    if (d->kind == KN_KIND_BOOL && !length) {
        add_text(out, &p, *(const uint8_t *)data ? "True" : "False");
        return NULL;
    }
    if (knx_is_complex(d)) {
        double v[2];
        knx_convert(d, data, KN_DT(C128), v);
        return add_complex(out, &p, v[0], v[1]);
    }
    if (knx_is_float(d) || as_float) {
        double v;
        knx_convert(d, data, KN_DT(F64), &v);
        return add_float(out, &p, v);
    }
    if (p.type && !strchr("bdoxX", p.type))
        return unknown_type(&p, "int");
    if (d->kind == KN_KIND_UINT || d->kind == KN_KIND_BOOL) {
        uint64_t v;
        knx_convert(d, data, KN_DT(U64), &v);
        return add_integer(out, &p, false, v);
    }
    int64_t v;
    knx_convert(d, data, KN_DT(I64), &v);
    return add_integer(out, &p, v < 0, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}
