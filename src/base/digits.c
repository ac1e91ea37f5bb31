/* SPDX-License-Identifier: Apache-2.0
 * digits.c -- the decimal digits of binary floats by exact integer arithmetic (Steele and White's method as simplified
 * by Burger and Dybvig), and their layout as NumPy prints them. */
#include "base/digits.h"
#include "base/bigint.h"
#include "base/decimal.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* A positive binary float: mantissa * 2^exponent; `lowest` when the neighbour below is only half as far away as the
 * one above. */
typedef struct binary {
    uint64_t mantissa;
    int exponent;
    bool lowest;
} binary;

/* Digits d0.d1d2... * 10^exponent. Any double has at most 767 of them. */
enum { MAX_DIGITS = 800 };
typedef struct decimal {
    int n, exponent;
    char d[MAX_DIGITS + 1];
} decimal;

/* Where generation stops: at the digit of this power of ten at the latest and, when unique, not before `first_stop`. */
typedef struct cutoff {
    bool unique, fractional;
    bool ends; /* digits that are not unique end where the value does: zeros behind it are the style's */
    int max, min;
} cutoff;

static binary split_float(kn_dtype dtype, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    int biased = (int)(bits >> 52 & 0x7ff);
    binary b = {bits & 0xfffffffffffffu, biased ? biased - 1075 : -1074, false};
    if (biased)
        b.mantissa |= (uint64_t)1 << 52;
    int precision = dtype->id == KN_ID_F64 ? 53 : dtype->id == KN_ID_F32 ? 24 : dtype->id == KN_ID_F16 ? 11 : 8;
    int least = dtype->id == KN_ID_F64 ? -1074 : dtype->id == KN_ID_F32 ? -149 : dtype->id == KN_ID_F16 ? -24 : -133;
    if (precision < 53 && b.mantissa) { /* the dtype's own mantissa: the bits below it are zero */
        int exponent = b.exponent + 53 - precision;
        if (exponent < least)
            exponent = least;
        b.mantissa = exponent - b.exponent < 64 ? b.mantissa >> (exponent - b.exponent) : 0;
        b.exponent = exponent;
    }
    b.lowest = b.mantissa == (uint64_t)1 << (precision - 1) && b.exponent > least;
    return b;
}

static int floor_log10_of_pow2(int e) /* exact for |e| < 2100 */
{
    int64_t t = (int64_t)e * 30103;
    return (int)(t >= 0 ? t / 100000 : -((-t + 99999) / 100000));
}

static int take_digit(knx_big *value,
                      const knx_big *scale) /* value / scale, which is less than ten; leaves the remainder */
{
    int digit = 0;
    for (; knx_big_compare(value, scale) >= 0; digit++)
        knx_big_sub(value, scale);
    return digit;
}

static void put_digit(decimal *out, int digit)
{
    if (out->n < MAX_DIGITS)
        out->d[out->n++] = (char)('0' + digit);
}

static void round_up_last(decimal *out, int digit) /* appends digit + 1 with carries */
{
    if (digit < 9) {
        put_digit(out, digit + 1);
        return;
    }
    while (out->n > 0 && out->d[out->n - 1] == '9')
        out->n--;
    if (out->n > 0) {
        out->d[out->n - 1]++;
    } else {
        put_digit(out, 1);
        out->exponent++;
    }
}

/* The value as value / scale, half the distances to the neighbours as below / scale and above / scale. */
typedef struct fraction {
    knx_big value, scale, below, above;
} fraction;

static void set_fraction(fraction *f, binary b)
{
    int up = b.exponent > 0 ? b.exponent : 0, down = b.exponent < 0 ? -b.exponent : 0;
    int extra = b.lowest ? 2 : 1;
    knx_big_set(&f->value, b.mantissa);
    knx_big_shift_left(&f->value, up + extra);
    knx_big_set(&f->scale, 1);
    knx_big_shift_left(&f->scale, down + extra);
    knx_big_set(&f->below, 1);
    knx_big_shift_left(&f->below, up);
    knx_big_copy(&f->above, &f->below);
    if (b.lowest)
        knx_big_shift_left(&f->above, 1);
}

/* Scales so that value / scale is less than ten and its whole part the first digit; returns that digit's power of ten
 * plus one. */
static int scale_fraction(fraction *f, binary b, const cutoff *c)
{
    int top = 63 - __builtin_clzll(b.mantissa) + b.exponent;
    int power = floor_log10_of_pow2(top) + 1; /* right or one too small */
    if (c->fractional && c->max >= 0 && power <= -c->max)
        power = 1 - c->max; /* all digits lie behind the last place: round there */
    if (power > 0) {
        knx_big_mul_pow10(&f->scale, power);
    } else if (power < 0) {
        knx_big_mul_pow10(&f->value, -power);
        knx_big_mul_pow10(&f->below, -power);
        knx_big_mul_pow10(&f->above, -power);
    }
    if (knx_big_compare(&f->value, &f->scale) >= 0)
        return power + 1;
    knx_big_mul_add(&f->value, 10, 0);
    knx_big_mul_add(&f->below, 10, 0);
    knx_big_mul_add(&f->above, 10, 0);
    return power;
}

/* The stops: where a power of ten is reached that must be the last one, and the first one that may be. */
static int stop_at(const cutoff *c, int digits, int power) { return c->fractional ? -digits : power - digits; }

/* Rounded digits, where one product decides them: 19 at most. */
static bool few_digits(decimal *out, binary b, const cutoff *c)
{
    enum { MOST = 19 };
    int power = floor_log10_of_pow2(63 - __builtin_clzll(b.mantissa) + b.exponent) + 1; /* or one more */
    for (int i = 0; i < 2; i++, power++) {
        int n = c->fractional ? power + c->max : c->max;
        uint64_t whole;
        if (n < 1 || n > MOST || !knx_decimal_round(b.mantissa, b.exponent, n - power, &whole))
            return false;
        for (out->n = n; n > 0 && whole; whole /= 10)
            out->d[--n] = (char)('0' + whole % 10);
        out->exponent = power - 1;
        if (whole == 0 && n == 0)
            return true;
        if (whole == 0) /* a digit fewer: the power is too large, which it never is */
            return false;
    }
    return false;
}

static void generate_digits(decimal *out, binary b, const cutoff *c)
{
    fraction f;
    out->n = out->exponent = 0;
    if (b.mantissa == 0) {
        put_digit(out, 0);
        return;
    }
    if (!c->unique && c->max >= 0 && !c->ends && few_digits(out, b, c))
        return;
    out->n = 0;
    bool even = b.mantissa % 2 == 0, low = false, high = false;
    set_fraction(&f, b);
    int power = scale_fraction(&f, b, c);
    int last = c->max >= 0 ? stop_at(c, c->max, power) : INT_MIN;
    int first = c->min >= 0 && stop_at(c, c->min, power) < power ? stop_at(c, c->min, power) : power;
    out->exponent = power - 1;
    int digit;
    for (;;) {
        power--;
        digit = take_digit(&f.value, &f.scale);
        if (c->unique) {
            knx_big end;
            knx_big_add(&end, &f.value, &f.above);
            low = knx_big_compare(&f.value, &f.below) < (even ? 1 : 0);
            high = knx_big_compare(&end, &f.scale) > (even ? -1 : 0);
        }
        if (((low || high) && power <= first) || power == last || (!c->unique && f.value.n == 0))
            break;
        put_digit(out, digit);
        knx_big_mul_add(&f.value, 10, 0);
        if (c->unique && f.below.n < KN_BIG_WORDS / 2) { /* far past uniqueness the distances no longer matter */
            knx_big_mul_add(&f.below, 10, 0);
            knx_big_mul_add(&f.above, 10, 0);
        }
    }
    bool down = low;
    if (low == high) { /* both or neither are right: the nearer one, the even one in the middle */
        knx_big_shift_left(&f.value, 1);
        int half = knx_big_compare(&f.value, &f.scale);
        down = half < 0 || (half == 0 && digit % 2 == 0);
    }
    if (down)
        put_digit(out, digit);
    else
        round_up_last(out, digit);
}

/* The digits behind the point, before which there are `whole`: those of d from index `from` on after `zeros` zeros;
 * trimmed or filled up as the style wants. */
static int add_fraction(knx_str *out, const decimal *d, int from, int zeros, int whole, const knx_float_style *style)
{
    int digits = d->n > from ? d->n - from : 0, n = digits ? zeros + digits : 0;
    int wanted = style->unique ? style->min_digits : style->precision;
    wanted -= style->total ? whole : 0;
    if (style->trim != 'k') {
        while (digits > 0 && d->d[from + digits - 1] == '0')
            digits--;
        n = digits ? zeros + digits : 0;
    }
    if (n > 0 || style->trim != '-')
        knx_str_add(out, ".", 1);
    if (n > 0) {
        knx_str_pad(out, '0', zeros);
        knx_str_add(out, d->d + from, (size_t)digits);
    }
    int fill = style->trim == 'k' ? wanted - n : style->trim == '0' && n == 0 ? 1 : 0;
    knx_str_pad(out, '0', fill);
    return fill > 0 ? n + fill : n;
}

static void add_sign(knx_str *out, bool negative, bool plus)
{
    if (negative || plus)
        knx_str_add(out, negative ? "-" : "+", 1);
}

static void format_positional(knx_str *out, const decimal *d, bool negative, const knx_float_style *style)
{
    int whole = d->exponent >= 0 ? d->exponent + 1 : 1, shown = 0;
    knx_str_pad(out, ' ', style->pad_left - whole - (negative || style->plus));
    add_sign(out, negative, style->plus);
    if (d->exponent >= 0) {
        shown = d->n < whole ? d->n : whole;
        knx_str_add(out, d->d, (size_t)shown);
        knx_str_pad(out, '0', whole - shown);
    } else {
        knx_str_add(out, "0", 1);
    }
    int n = add_fraction(out, d, shown, d->exponent < 0 ? -d->exponent - 1 : 0, whole, style);
    knx_str_pad(out, ' ', style->pad_right - n);
}

static void format_scientific(knx_str *out, const decimal *d, bool negative, const knx_float_style *style)
{
    knx_str_pad(out, ' ', style->pad_left - 1 - (negative || style->plus));
    add_sign(out, negative, style->plus);
    knx_str_add(out, d->d, 1);
    if (add_fraction(out, d, 1, 0, 0, style) == 0 && style->trim == '-' && d->n > 1)
        knx_str_add(out, ".", 1); /* NumPy's point stays where only zeros go */
    int e = d->exponent < 0 ? -d->exponent : d->exponent, n = 0;
    char digits[12];
    for (; e > 0; e /= 10)
        digits[sizeof digits - (size_t)++n] = (char)('0' + e % 10);
    knx_str_add(out, d->exponent < 0 ? "e-" : "e+", 2);
    knx_str_pad(out, '0', (style->exp_digits < 0 ? 2 : style->exp_digits) - n);
    knx_str_add(out, digits + sizeof digits - n, (size_t)n);
}

void knx_format_float(knx_str *out, kn_dtype float_dtype, double v, const knx_float_style *style)
{
    decimal d;
    int whole = style->scientific ? 1 : 0; /* the digit before the point counts in a total */
    cutoff c = {.unique = style->unique, .fractional = !style->scientific && !style->total};
    c.ends = style->total || (style->scientific && style->trim == '-'); /* where NumPy's text tells */
    c.max = style->precision < 0 ? -1 : style->precision + whole;
    c.min = style->min_digits < 0 ? -1 : style->min_digits + whole;
    generate_digits(&d, split_float(float_dtype, fabs(v)), &c);
    if (style->scientific)
        format_scientific(out, &d, signbit(v), style);
    else
        format_positional(out, &d, signbit(v), style);
}

/* Formats into a fixed place; the styles below never need more than 39 characters. */
static int format_into(char out[40], const decimal *d, bool negative, const knx_float_style *style)
{
    knx_str t = {.s = out, .cap = 40};
    if (style->scientific)
        format_scientific(&t, d, negative, style);
    else
        format_positional(&t, d, negative, style);
    return (int)t.n;
}

static int format_special(char out[40], double v, bool plus)
{
    const char *s = isnan(v) ? plus ? "+nan" : "nan" : v < 0 ? "-inf" : plus ? "+inf" : "inf";
    strcpy(out, s);
    return (int)strlen(s);
}

static int format_scalar(char out[40], kn_dtype dtype, double v, bool plus, bool whole)
{
    if (!isfinite(v))
        return format_special(out, v, plus);
    double a = fabs(v), limit = dtype->id == KN_ID_F64 ? 1e16 : dtype->id == KN_ID_F16 ? 1e3 : 1e6;
    bool scientific = a != 0 && (a < 1e-4 || a >= limit);
    knx_float_style style = {
        .scientific = scientific, .unique = true, .plus = plus, .precision = -1, .min_digits = -1, .exp_digits = -1};
    style.trim = whole && !scientific ? '0' : '-';
    decimal d;
    cutoff c = {.unique = true, .fractional = !scientific, .max = -1, .min = -1};
    generate_digits(&d, split_float(dtype, a), &c);
    return format_into(out, &d, signbit(v), &style);
}

int knx_format_shortest(char out[40], kn_dtype float_dtype, double v)
{
    return format_scalar(out, float_dtype, v, false, true);
}

int knx_format_shortest_part(char out[40], kn_dtype float_dtype, double v, bool plus)
{
    return format_scalar(out, float_dtype, v, plus, false);
}

int knx_format_g(char out[40], double v)
{
    if (!isfinite(v))
        return format_special(out, v, false);
    decimal d;
    cutoff c = {.unique = false, .fractional = false, .max = 6, .min = -1};
    generate_digits(&d, split_float(KN_DT(F64), fabs(v)), &c);
    while (d.n > 1 && d.d[d.n - 1] == '0')
        d.n--;
    knx_float_style style = {.unique = true, .trim = '-', .precision = -1, .min_digits = -1, .exp_digits = -1};
    style.scientific = d.exponent < -4 || d.exponent >= 6;
    return format_into(out, &d, signbit(v), &style);
}
