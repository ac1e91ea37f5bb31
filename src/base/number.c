/* SPDX-License-Identifier: Apache-2.0
 * number.c -- text to double, correctly rounded, independent of the C locale. */
#include "base/bigint.h"
#include "base/decimal.h"
#include "base/digits.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

static int digit_value(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : 99;
}

/* Rounds mantissa * 2^exponent to the nearest double, halves to even; `more`: a little more than the mantissa says. */
static double assemble(uint64_t mantissa, int64_t exponent, bool more)
{
    if (mantissa == 0)
        return 0;
    int shift = __builtin_clzll(mantissa);
    mantissa <<= shift;
    exponent -= shift;
    if (exponent > 1024)
        return INFINITY;
    if (exponent < -1074 - 65)
        return 0;
    int drop =
        exponent < -1074 - 11 ? (int)(-1074 - exponent) : 11; /* low bits that do not fit; more of them in subnormals */
    uint64_t kept = drop >= 64 ? 0 : mantissa >> drop;
    uint64_t half = drop >= 65 ? 0 : (uint64_t)1 << (drop - 1);
    uint64_t rest = drop >= 64 ? mantissa : mantissa & ((half << 1) - 1);
    if (half && (rest > half || (rest == half && (more || kept % 2))))
        kept++;
    int power = (int)(exponent + drop);
    if (power < -1022 || power > 1023)
        return ldexp((double)kept, power);
    union {
        uint64_t bits;
        double v;
    } scale = {.bits = (uint64_t)(power + 1023) << 52};
    return (double)kept * scale.v;
}

static int scan_exponent(const char **at, char letter)
{
    const char *s = *at;
    if ((*s | 0x20) != letter)
        return 0;
    s++;
    bool negative = *s == '-';
    if (*s == '-' || *s == '+')
        s++;
    if (digit_value(*s) > 9)
        return 0;
    int e = 0;
    for (; digit_value(*s) <= 9; s++)
        e = e < 100000000 ? 10 * e + digit_value(*s) : e;
    *at = s;
    return negative ? -e : e;
}

static bool parse_hex(const char *s, const char **end, double *v)
{
    uint64_t mantissa = 0;
    int64_t exponent = 0;
    bool more = false, point = false, any = false;
    for (;; s++) {
        if (*s == '.' && !point) {
            point = true;
            continue;
        }
        int digit = digit_value(*s);
        if (digit > 15)
            break;
        any = true;
        if (mantissa >> 60) {
            more |= digit != 0;
            exponent += point ? 0 : 4;
        } else {
            mantissa = mantissa << 4 | (uint64_t)digit;
            exponent -= point ? 4 : 0;
        }
    }
    if (!any)
        return false;
    exponent += scan_exponent(&s, 'p');
    *end = s;
    *v = assemble(mantissa, exponent, more);
    return true;
}

/* More digits than MAX_DIGITS never decide a rounding, except that they are not all zero. */
enum { MAX_DIGITS = 800, LEAD_DIGITS = 19 };
typedef struct decimal {
    int n;
    int64_t exponent;
    uint64_t lead; /* the number of its first digits, LEAD_DIGITS at most */
    uint8_t d[MAX_DIGITS + 1];
} decimal; /* the whole number d0d1d2... times 10^exponent */

static bool scan_decimal(const char *s, const char **end, decimal *out)
{
    bool point = false, any = false, more = false;
    out->n = 0;
    out->exponent = 0;
    out->lead = 0;
    for (;; s++) {
        unsigned digit = (unsigned)(unsigned char)*s - '0';
        if (digit > 9) {
            if (*s != '.' || point)
                break;
            point = true;
            continue;
        }
        any = true;
        if (out->n == 0 && digit == 0) {
            out->exponent -= point;
        } else if (out->n < MAX_DIGITS) {
            if (out->n < LEAD_DIGITS)
                out->lead = 10 * out->lead + digit;
            out->d[out->n++] = (uint8_t)digit;
            out->exponent -= point;
        } else {
            more |= digit != 0;
            out->exponent += !point;
        }
    }
    if (!any)
        return false;
    if (more) {
        out->d[out->n++] = 1;
        out->exponent--;
    }
    out->exponent += scan_exponent(&s, 'e');
    while (out->n > 0 && out->d[out->n - 1] == 0) {
        out->n--;
        out->exponent++;
        if (out->n < LEAD_DIGITS)
            out->lead /= 10;
    }
    *end = s;
    return true;
}

/* num / den to 64 or 65 bits, and whether there is a remainder. */
static double divide(knx_big *num, knx_big *den)
{
    int shift = knx_big_bits(den) - knx_big_bits(num) + 64; /* then 2^63 < num / den < 2^65 */
    if (shift > 0)
        knx_big_shift_left(num, shift);
    else
        knx_big_shift_left(den, -shift);
    /* Long division bit by bit: move the divisor up as far as the quotient is long and subtract on the way down. Moving
     * the divisor down is moving the dividend up, so: align both and double the remainder 64 times. */
    knx_big_shift_left(den, 64);
    uint64_t quotient = 0;
    int lost = 0;
    bool more = false;
    for (int i = 0; i <= 64; i++) {
        bool bit = knx_big_compare(num, den) >= 0;
        if (bit)
            knx_big_sub(num, den);
        if (quotient >> 63) { /* the 65th bit: it only rounds */
            lost = 1;
            more = bit;
        } else {
            quotient = quotient << 1 | bit;
        }
        knx_big_shift_left(num, 1);
    }
    more |= num->n != 0;
    return assemble(quotient, (int64_t)lost - shift, more);
}

/* The number by its first digits, where they decide: what is behind them moves it by less than one of the last. */
static bool from_lead(const decimal *d, double *v)
{
    bool cut = d->n > LEAD_DIGITS;
    double bound[2] = {0};
    for (unsigned i = 0; i <= cut; i++) {
        uint64_t mantissa;
        int64_t exponent;
        bool more;
        if (!knx_decimal_bits(d->lead + i, d->exponent + (cut ? d->n - LEAD_DIGITS : 0), &mantissa, &exponent, &more))
            return false;
        bound[i] = assemble(mantissa, exponent, more);
    }
    *v = bound[0];
    return !cut || bound[0] == bound[1];
}

static double decimal_to_double(const decimal *d)
{
    if (d->n == 0 || d->n + d->exponent < -345)
        return 0;
    if (d->n + d->exponent > 400)
        return INFINITY;
    static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (FLT_EVAL_METHOD == 0 && d->n <= 15 && d->exponent >= -22 && d->exponent <= 22) /* both exact: one rounding */
        return d->exponent < 0 ? (double)d->lead / power[-d->exponent] : (double)d->lead * power[d->exponent];
    double near;
    if (from_lead(d, &near))
        return near;
    knx_big num, den;
    knx_big_set(&num, 0);
    for (int i = 0; i < d->n; i++)
        knx_big_mul_add(&num, 10, d->d[i]);
    knx_big_set(&den, 1);
    if (d->exponent > 0)
        knx_big_mul_pow10(&num, (int)d->exponent);
    else
        knx_big_mul_pow10(&den, (int)-d->exponent);
    return divide(&num, &den);
}

static bool starts_with(const char *s, const char *word)
{
    for (; *word; s++, word++)
        if ((*s | 0x20) != *word)
            return false;
    return true;
}

bool knx_parse_double(const char *s, const char **end, double *v)
{
    bool negative = *s == '-', found = true;
    double value = 0;
    decimal d;
    const char *stop = s;
    if (*s == '-' || *s == '+')
        s++;
    bool digit = (unsigned)(unsigned char)*s - '0' <= 9;
    if (digit && (s[1] | 0x20) != 'x' && scan_decimal(s, &stop, &d)) {
        value = decimal_to_double(&d);
    } else if (starts_with(s, "inf")) {
        value = INFINITY;
        stop = s + (starts_with(s, "infinity") ? 8 : 3);
    } else if (starts_with(s, "nan")) {
        value = NAN;
        stop = s + 3;
    } else if (s[0] == '0' && (s[1] | 0x20) == 'x' && parse_hex(s + 2, &stop, &value)) {
        /* done */
    } else if (scan_decimal(s, &stop, &d)) {
        value = decimal_to_double(&d);
    } else {
        found = false;
    }
    if (!found)
        return false;
    *v = negative ? -value : value;
    if (end)
        *end = stop;
    return true;
}
