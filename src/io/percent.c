/* SPDX-License-Identifier: Apache-2.0
 * percent.c -- Python's % formats of numbers. */
#include "io/percent.h"
#include "base/digits.h"
#include "base/format.h"
#include "base/text_format.h"

#include <math.h>
#include <string.h>

enum { MOST_WIDTH = 100000 };

/* ---- Reading a format. */

static knx_error *read_size(const char **s, int *size)
{
    *size = 0;
    for (; **s >= '0' && **s <= '9'; ++*s) {
        *size = 10 * *size + (**s - '0');
        if (*size > MOST_WIDTH)
            return knx_error_new(KN_ERROR_VALUE, "width or precision of a format is above %d", MOST_WIDTH);
    }
    return NULL;
}

static bool read_flag(const char **s, knio_conversion *c)
{
    c->left |= **s == '-';
    c->zero |= **s == '0';
    c->alternate |= **s == '#';
    if (**s == '+' || (**s == ' ' && !c->sign))
        c->sign = **s;
    bool is = **s && strchr("-+ 0#", **s);
    *s += is;
    return is;
}

static void make_spec(knio_conversion *c)
{
    char width[12] = "", precision[12] = "", sign[2] = {c->sign, '\0'};
    if (c->width > 0)
        snprintf(width, sizeof width, "%d", c->width);
    if (c->precision >= 0)
        snprintf(precision, sizeof precision, ".%d", c->precision);
    c->spec_length =
        (uint8_t)snprintf(c->spec, sizeof c->spec, "%s%s%s%s%s%s%c",
                          c->left   ? "<"
                          : c->zero ? ""
                                    : ">",
                          sign, c->alternate ? "#" : "", c->zero && !c->left ? "0" : "", width, precision, c->type);
}

/* s is behind the '%'. */
static knx_error *read_conversion(const char *format, const char **s, knio_conversion *c)
{
    const char *start = *s;
    if (**s == '(')
        return knx_error_new(KN_ERROR_TYPE, "format requires a mapping");
    while (read_flag(s, c))
        ;
    if (**s == '*')
        return knx_error_new(KN_ERROR_TYPE, "* wants int");
    bool width = **s >= '0' && **s <= '9';
    KN_TRY(read_size(s, &c->width));
    c->width = width ? c->width : -1;
    c->precision = -1;
    if (**s == '.') {
        ++*s;
        if (**s == '*')
            return knx_error_new(KN_ERROR_TYPE, "* wants int");
        KN_TRY(read_size(s, &c->precision));
    }
    if (**s && strchr("hlL", **s))
        ++*s;
    if (!**s)
        return knx_error_new(KN_ERROR_VALUE, "incomplete format");
    c->type = **s;
    bool literal = c->type == '%' && *s == start; /* "%%" and nothing between */
    if (!literal && !strchr("diouxXeEfFgGcrsa", c->type))
        return knx_error_new(KN_ERROR_VALUE, "unsupported format character '%c' (0x%x) at index %d", c->type,
                             (unsigned char)c->type, (int)(*s - format));
    ++*s;
    if (strchr("eEfFgG", c->type))
        make_spec(c);
    return NULL;
}

knx_error *knio_percent_read(const char *format, knio_percent *p)
{
    knx_str text = {0};
    *p = (knio_percent){0};
    size_t from = 0;
    bool memory = true;
    for (const char *s = format; !p->error && *s;) {
        size_t n = strcspn(s, "%");
        knx_str_add(&text, s, n);
        s += n;
        if (!*s)
            break;
        s++;
        knio_conversion c = {.literal = from};
        p->error = read_conversion(format, &s, &c);
        if (p->error)
            break;
        if (c.type == '%') {
            knx_str_add(&text, "%", 1);
            continue;
        }
        c.literal_end = from = text.n;
        p->count++;
        memory &= KN_VEC_PUSH(&p->part, c);
    }
    memory &= KN_VEC_PUSH(&p->part, ((knio_conversion){.literal = from, .literal_end = text.n}));
    p->text = knx_str_take(&text);
    if (memory && p->text)
        return NULL;
    knio_percent_free(p);
    return knx_error_nomem();
}

void knio_percent_free(knio_percent *p)
{
    knx_free(p->text);
    knx_error_release(p->error);
    if (p->part.at)
        KN_VEC_FREE(&p->part);
    *p = (knio_percent){0};
}

/* ---- Writing numbers. */

static void in_field(knx_str *out, const knio_conversion *c, const char *s, size_t n, int width)
{
    knx_str_pad(out, ' ', c->left ? 0 : c->width - width);
    knx_str_add(out, s, n);
    knx_str_pad(out, ' ', c->left ? c->width - width : 0);
}

/* An integer by its sign, its digits, and what stands between them. */
static void write_digits(knx_str *out, const knio_conversion *c, bool negative, const char *prefix, const char *digits,
                         size_t n)
{
    char sign[2] = {negative ? '-' : c->sign, '\0'};
    int64_t zeros = c->precision > (int64_t)n ? c->precision - (int64_t)n : 0;
    int64_t length = (int64_t)(strlen(sign) + strlen(prefix) + n) + zeros;
    if (c->zero && !c->left && c->width > length) {
        zeros += c->width - length;
        length = c->width;
    }
    knx_str_pad(out, ' ', c->left ? 0 : c->width - length);
    knx_str_puts(out, sign);
    knx_str_puts(out, prefix);
    knx_str_pad(out, '0', zeros);
    knx_str_add(out, digits, n);
    knx_str_pad(out, ' ', c->left ? c->width - length : 0);
}

static void write_integer(knx_str *out, const knio_conversion *c, bool negative, uint64_t magnitude)
{
    char digits[24];
    const char *prefix = "";
    int n;
    if (c->type == 'x' || c->type == 'X') {
        n = snprintf(digits, sizeof digits, c->type == 'x' ? "%llx" : "%llX", (unsigned long long)magnitude);
        prefix = c->alternate ? (c->type == 'x' ? "0x" : "0X") : "";
    } else if (c->type == 'o') {
        n = snprintf(digits, sizeof digits, "%llo", (unsigned long long)magnitude);
        prefix = c->alternate ? "0o" : "";
    } else {
        n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)magnitude);
    }
    write_digits(out, c, negative, prefix, digits, (size_t)n);
}

/* The whole part of a float, all of its digits. */
static knx_error *write_whole_part(knx_str *out, const knio_conversion *c, double v)
{
    static const knx_float_style style = {.trim = '-', .min_digits = -1, .exp_digits = -1};
    if (isnan(v))
        return knx_error_new(KN_ERROR_VALUE, "cannot convert float NaN to integer");
    if (isinf(v))
        return knx_error_new(KN_ERROR_OVERFLOW, "cannot convert float infinity to integer");
    double whole = trunc(fabs(v));
    knx_str digits = {0};
    knx_format_float(&digits, KN_DT(F64), whole, &style);
    if (!digits.failed)
        write_digits(out, c, v <= -1, "", digits.s, digits.n);
    out->failed |= digits.failed;
    knx_str_free(&digits);
    return NULL;
}

static knx_error *write_character(knx_str *out, const knio_conversion *c, bool negative, uint64_t v)
{
    static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
    char s[4];
    size_t n = 0;
    if (negative || v > 0x10ffff)
        return knx_error_new(KN_ERROR_OVERFLOW, "%%c arg not in range(0x110000)");
    if (v < 0x80) {
        s[n++] = (char)v;
    } else {
        int more = v < 0x800 ? 1 : v < 0x10000 ? 2 : 3;
        s[n++] = (char)(lead[more] | v >> (6 * more));
        while (more-- > 0)
            s[n++] = (char)(0x80 | (v >> (6 * more) & 0x3f));
    }
    in_field(out, c, s, n, 1);
    return NULL;
}

/* str and repr of NumPy's scalars. */
static void write_text(knx_str *out, const knio_conversion *c, kn_dtype d, const void *number)
{
    knx_str text = {0};
    bool named = c->type != 's', boolean = d->kind == KN_KIND_BOOL;
    if (named)
        knx_str_printf(&text, boolean ? "np." : "np.%s(", d->name);
    knx_text_format_scalar(d, &text, number);
    if (named)
        knx_str_puts(&text, boolean ? "_" : ")");
    size_t n = c->precision >= 0 && (size_t)c->precision < text.n ? (size_t)c->precision : text.n;
    if (!text.failed)
        in_field(out, c, text.s, n, (int)n);
    out->failed |= text.failed;
    knx_str_free(&text);
}

/* Finite numbers in plain forms go past the general formats. */
static bool write_plainly(knx_str *out, const knio_conversion *c, double v)
{
    if ((c->type != 'e' && c->type != 'f') || c->width > 0 || c->zero || c->sign == ' ' || !isfinite(v))
        return false;
    int precision = c->precision < 0 ? 6 : c->precision;
    const knx_float_style style = {.scientific = c->type == 'e',
                                   .plus = c->sign == '+',
                                   .trim = precision || c->alternate ? 'k' : '-',
                                   .precision = precision,
                                   .min_digits = -1,
                                   .exp_digits = -1};
    knx_format_float(out, KN_DT(F64), v, &style);
    return true;
}

static knx_error *write_number(knx_str *out, const knio_conversion *c, kn_dtype d, const void *number, char *mismatch)
{
    bool integer = knx_is_integer(d), boolean = d->kind == KN_KIND_BOOL, real = integer || boolean || knx_is_float(d);
    if (strchr("rsa", c->type)) {
        write_text(out, c, d, number);
        return NULL;
    }
    if (strchr("eEfFgG", c->type)) {
        double v;
        knx_convert(d, number, KN_DT(F64), &v);
        if (write_plainly(out, c, v))
            return NULL;
        return knx_format_scalar(out, KN_DT(F64), &v, c->spec, c->spec_length);
    }
    bool whole = c->type == 'd' || c->type == 'i' || c->type == 'u';
    if (whole ? !real : !integer) {
        *mismatch = c->type;
        return NULL;
    }
    if (!integer && !boolean) {
        double v;
        knx_convert(d, number, KN_DT(F64), &v);
        return write_whole_part(out, c, v);
    }
    uint64_t bits;
    knx_convert(d, number, d->kind == KN_KIND_UINT ? KN_DT(U64) : KN_DT(I64), &bits);
    bool negative = d->kind == KN_KIND_INT && (int64_t)bits < 0;
    bits = negative ? -bits : bits;
    if (c->type == 'c')
        return write_character(out, c, negative, bits);
    write_integer(out, c, negative, bits);
    return NULL;
}

knx_error *knio_percent_write(const knio_percent *p, knx_str *out, kn_dtype dtype, const char *numbers, size_t stride,
                              char *mismatch)
{
    *mismatch = 0;
    for (size_t i = 0; i < p->part.n && !*mismatch; i++) {
        const knio_conversion *c = &p->part.at[i];
        knx_str_add(out, p->text + c->literal, c->literal_end - c->literal);
        if (c->type)
            KN_TRY(write_number(out, c, dtype, numbers + i * stride, mismatch));
    }
    if (p->error && !*mismatch)
        return knx_error_retain(p->error);
    return out->failed ? knx_error_nomem() : NULL;
}
