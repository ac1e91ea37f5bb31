/* SPDX-License-Identifier: Apache-2.0
 * text_format.c -- the columns of numbers in an array's text. */
#include "base/text_format.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static double load_float(kn_dtype d, const void *p)
{
    uint16_t h;
    float f;
    double v;
    switch (d->size) {
    case 2: memcpy(&h, p, sizeof h); return (double)(d->id == KN_ID_F16 ? knx_half_to_float(h) : knx_bf16_to_float(h));
    case 4: memcpy(&f, p, sizeof f); return (double)f;
    default: memcpy(&v, p, sizeof v); return v;
    }
}

static int64_t load_int(kn_dtype d, const void *p) /* of unsigned ones the bits */
{
    knx_scalar_bits s = {0};
    memcpy(&s, p, d->size);
    bool is_signed = d->kind == 'i';
    switch (d->size) {
    case 1: return is_signed ? s.i8 : s.u8;
    case 2: return is_signed ? s.i16 : s.u16;
    case 4: return is_signed ? (int64_t)s.i32 : (int64_t)s.u32;
    default: return s.i64;
    }
}

int knx_text_width(const char *s, size_t n)
{
    int width = 0;
    for (size_t i = 0; i < n; i++)
        width += ((unsigned char)s[i] & 0xc0) != 0x80;
    return width;
}

static int text_width(const char *s) { return knx_text_width(s, strlen(s)); }

static int int_text(char out[24], bool is_signed, int64_t bits, char sign)
{
    uint64_t u = is_signed && bits < 0 ? 0 - (uint64_t)bits : (uint64_t)bits;
    char digits[24];
    int n = 0, length = 0;
    do
        digits[n++] = (char)('0' + u % 10);
    while ((u /= 10) > 0);
    if (is_signed && bits < 0)
        out[length++] = '-';
    else if (sign != '-')
        out[length++] = sign;
    while (n > 0)
        out[length++] = digits[--n];
    return length;
}

/* ---- floats ---- */

static double round_to(kn_dtype d, double v) /* to the dtype's precision: NumPy compares in it */
{
    return d->id == KN_ID_F64   ? v
           : d->id == KN_ID_F32 ? (double)(float)v
                                : (double)knx_half_to_float(knx_double_to_half(v));
}

static bool wants_scientific(const knx_float_format *f)
{
    double limit = f->dtype->id == KN_ID_F64 ? 1e8 : f->dtype->id == KN_ID_F32 ? 1e6 : 1e3;
    if (f->greatest < 0)
        return false;
    return f->greatest >= limit || (!f->suppress && (f->least < round_to(f->dtype, 0.0001) ||
                                                     round_to(f->dtype, f->greatest / f->least) > 1000));
}

static void float_look(knx_float_format *f, double v)
{
    if (!isfinite(v)) {
        f->special = true;
        f->negative_inf |= isinf(v) && v < 0;
        return;
    }
    double a = fabs(v);
    f->finite = true;
    f->negative |= signbit(v) != 0;
    if (a == 0)
        return;
    f->least = f->greatest < 0 || a < f->least ? a : f->least;
    f->greatest = a > f->greatest ? a : f->greatest;
}

static void float_first_style(knx_float_format *f)
{
    bool fixed = f->mode == KN_FLOAT_FIXED;
    f->style = (knx_float_style){.scientific = wants_scientific(f),
                                 .unique = !fixed,
                                 .plus = f->sign == '+',
                                 .trim = fixed ? 'k' : '.',
                                 .precision = f->precision,
                                 .min_digits = -1,
                                 .exp_digits = -1};
}

static void float_measure(knx_float_format *f, knx_str *scratch, double v)
{
    if (!isfinite(v))
        return;
    scratch->n = 0;
    knx_format_float(scratch, f->dtype, v, &f->style);
    if (scratch->failed)
        return;
    const char *end = scratch->s + scratch->n, *point = memchr(scratch->s, '.', scratch->n),
               *e = memchr(scratch->s, 'e', scratch->n);
    int whole = (int)(point - scratch->s), fraction = (int)((e ? e : end) - point) - 1,
        exponent = e ? (int)(end - e) - 2 : 0;
    f->whole = whole > f->whole ? whole : f->whole;
    f->fraction = fraction > f->fraction ? fraction : f->fraction;
    f->exponent = exponent > f->exponent ? exponent : f->exponent;
}

static void float_last_style(knx_float_format *f)
{
    knx_float_style *s = &f->style;
    s->pad_left = f->whole;
    s->pad_right = f->fraction;
    if (f->finite && s->scientific) {
        s->trim = 'k';
        s->precision = s->min_digits = f->fraction;
        s->exp_digits = f->exponent;
        s->pad_right = f->exponent + 2 + f->fraction;
    } else if (f->finite && (f->mode == KN_FLOAT_FIXED || f->mode == KN_FLOAT_MAXPREC_EQUAL)) {
        s->trim = 'k';
        s->precision = s->min_digits = f->fraction;
    } else {
        s->min_digits = 0;
    }
    if (f->sign == ' ' && !f->negative)
        s->pad_left++;
    if (f->special) { /* they share the point's and the fraction's room */
        int nan = text_width(f->nan) - s->pad_right - 1, inf = text_width(f->inf) - s->pad_right - 1;
        inf += f->sign != '-' || f->negative_inf;
        s->pad_left = nan > s->pad_left ? nan : s->pad_left;
        s->pad_left = inf > s->pad_left ? inf : s->pad_left;
    }
}

static void float_write(const knx_float_format *f, knx_str *out, double v)
{
    if (isfinite(v)) {
        knx_format_float(out, f->dtype, v, &f->style);
        return;
    }
    const char *sign = isinf(v) && v < 0 ? "-" : f->sign == '+' ? "+" : "", *word = isnan(v) ? f->nan : f->inf;
    knx_str_pad(out, ' ', f->style.pad_left + f->style.pad_right + 1 - text_width(sign) - text_width(word));
    knx_str_puts(out, sign);
    knx_str_puts(out, word);
}

static void complex_write(knx_text_format *f, knx_str *out, double re, double im)
{
    knx_str *t = &f->scratch;
    float_write(&f->part[0], out, re);
    t->n = 0;
    float_write(&f->part[1], t, im);
    size_t n = t->n;
    while (n > 0 && t->s[n - 1] == ' ')
        n--;
    out->failed |= t->failed;
    knx_str_add(out, t->s, n);
    knx_str_add(out, "j", 1);
    knx_str_pad(out, ' ', (int64_t)(t->n - n));
}

/* ---- any dtype ---- */

bool knx_text_format_lines_up(kn_dtype d) /* bfloat16 is printed by its own package, without alignment */
{
    return knx_is_inexact(d) && d->id != KN_ID_BF16;
}

static knx_float_mode float_mode(const char *name)
{
    return !strcmp(name, "unique")    ? KN_FLOAT_UNIQUE
           : !strcmp(name, "fixed")   ? KN_FLOAT_FIXED
           : !strcmp(name, "maxprec") ? KN_FLOAT_MAXPREC
                                      : KN_FLOAT_MAXPREC_EQUAL;
}

void knx_text_format_init(knx_text_format *f, kn_dtype dtype, bool scalar, const kn_print_opts *opts)
{
    *f = (knx_text_format){.dtype = dtype, .scalar = scalar, .sign = opts->sign};
    knx_float_format part = {.dtype = knx_component(dtype),
                             .mode = float_mode(opts->floatmode),
                             .suppress = opts->suppress != 0,
                             .sign = opts->sign,
                             .nan = opts->nanstr,
                             .inf = opts->infstr,
                             .greatest = -1};
    part.precision = part.mode == KN_FLOAT_UNIQUE ? -1 : opts->precision;
    f->part[0] = f->part[1] = part;
    f->part[1].sign = '+';
}

static void int_look(knx_text_format *f, int64_t v)
{
    uint64_t u = (uint64_t)v;
    f->least = !f->any || v < f->least ? v : f->least;
    f->greatest = !f->any || v > f->greatest ? v : f->greatest;
    f->uleast = !f->any || u < f->uleast ? u : f->uleast;
    f->ugreatest = !f->any || u > f->ugreatest ? u : f->ugreatest;
    f->any = true;
}

void knx_text_format_look(knx_text_format *f, const void *element, int pass)
{
    if (knx_is_integer(f->dtype) && pass == 0)
        int_look(f, load_int(f->dtype, element));
    if (!knx_text_format_lines_up(f->dtype))
        return;
    int parts = knx_is_complex(f->dtype) ? 2 : 1;
    for (int i = 0; i < parts; i++) {
        double v = load_float(f->part[i].dtype, (const char *)element + i * f->part[i].dtype->size);
        if (pass == 0)
            float_look(&f->part[i], v);
        else
            float_measure(&f->part[i], &f->scratch, v);
    }
}

static void int_end(knx_text_format *f)
{
    bool is_signed = f->dtype->kind == 'i';
    char text[24];
    if (f->sign == ' ' && is_signed && f->least < 0)
        f->sign = '-';
    int low = int_text(text, is_signed, is_signed ? f->least : (int64_t)f->uleast, '-');
    int high = int_text(text, is_signed, is_signed ? f->greatest : (int64_t)f->ugreatest, f->sign);
    f->width = low > high ? low : high;
}

void knx_text_format_end(knx_text_format *f, int pass)
{
    if (knx_is_integer(f->dtype) && pass == 0)
        int_end(f);
    for (int i = 0; i < 2 && knx_text_format_lines_up(f->dtype); i++) {
        if (pass == 0)
            float_first_style(&f->part[i]);
        else
            float_last_style(&f->part[i]);
    }
}

void knx_text_format_write(knx_text_format *f, knx_str *out, const void *element)
{
    kn_dtype d = f->dtype;
    char text[40];
    if (d->kind == 'b') {
        knx_str_puts(out, !*(const uint8_t *)element ? "False" : f->scalar ? "True" : " True");
    } else if (knx_is_integer(d)) {
        int n = int_text(text, d->kind == 'i', load_int(d, element), f->sign);
        knx_str_pad(out, ' ', f->width - n);
        knx_str_add(out, text, (size_t)n);
    } else if (knx_is_complex(d)) {
        complex_write(f, out, load_float(f->part[0].dtype, element),
                      load_float(f->part[1].dtype, (const char *)element + d->size / 2));
    } else if (knx_text_format_lines_up(d)) {
        float_write(&f->part[0], out, load_float(d, element));
    } else {
        knx_str_add(out, text, (size_t)knx_format_g(text, load_float(d, element)));
    }
}

void knx_text_format_scalar(kn_dtype dtype, knx_str *out, const void *element)
{
    kn_dtype part = knx_component(dtype);
    char text[40];
    if (dtype->kind == 'b') {
        knx_str_puts(out, *(const uint8_t *)element ? "True" : "False");
    } else if (knx_is_integer(dtype)) {
        knx_str_add(out, text, (size_t)int_text(text, dtype->kind == 'i', load_int(dtype, element), '-'));
    } else if (knx_is_complex(dtype)) {
        double re = load_float(part, element), im = load_float(part, (const char *)element + part->size);
        bool pure = re == 0 && !signbit(re); /* 2j, but (-0+2j) */
        if (!pure) {
            knx_str_add(out, "(", 1);
            knx_str_add(out, text, (size_t)knx_format_shortest_part(text, part, re, false));
        }
        knx_str_add(out, text, (size_t)knx_format_shortest_part(text, part, im, !pure));
        knx_str_puts(out, pure ? "j" : "j)");
    } else if (dtype->id == KN_ID_BF16) {
        knx_str_add(out, text, (size_t)knx_format_g(text, load_float(dtype, element)));
    } else {
        knx_str_add(out, text, (size_t)knx_format_shortest(text, dtype, load_float(dtype, element)));
    }
}
