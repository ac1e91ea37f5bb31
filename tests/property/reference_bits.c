/* SPDX-License-Identifier: Apache-2.0
 * reference_bits.c -- what rounding, neighbours and bits of numbers mean, one element at a time. */
#include "cases.h"

#include <math.h>

static kn_dtype dtype_of(const call *c) { return c->x[c->n_in - 1].dtype; }
static num real(long double v) { return (num){.re = v}; }

/* --- floats ----------------------------------------------------------------------------------- */

num ref_floor(const call *c, const num *x) { return (void)c, real(floorl(x->re)); }
num ref_ceil(const call *c, const num *x) { return (void)c, real(ceill(x->re)); }

num ref_round(const call *c, const num *x)
{
    return real(((const kni_p_round *)c->params)->rounding_method ? rintl(x->re) : roundl(x->re));
}

num ref_is_finite(const call *c, const num *x) { return (void)c, (num){.bits = isfinite(x->re)}; }

num ref_rem(const call *c, const num *x)
{
    kn_dtype d = dtype_of(c);
    if (knx_is_float(d))
        return real(fmodl(x[0].re, x[1].re));
    if (x[1].bits == 0)
        return x[0];
    if (d->kind == KN_KIND_UINT)
        return of_int(d, x[0].bits % x[1].bits);
    return of_int(d, (int64_t)x[1].bits == -1 ? 0 : (uint64_t)((int64_t)x[0].bits % (int64_t)x[1].bits));
}

typedef struct format {
    int exponent, mantissa; /* bits */
} format;

static format format_of(kn_dtype d)
{
    return d == KN_DT(F16)    ? (format){5, 10}
           : d == KN_DT(BF16) ? (format){8, 7}
           : d == KN_DT(F32)  ? (format){8, 23}
                              : (format){11, 52};
}

static int smallest_exponent(format f) { return 2 - (1 << (f.exponent - 1)); }

/* The exponent whose numbers are as far apart as those around x. */
static int exponent_of(format f, long double x)
{
    return x == 0 || ilogbl(x) < smallest_exponent(f) ? smallest_exponent(f) : ilogbl(x);
}

num ref_nextafter(const call *c, const num *v)
{
    format f = format_of(dtype_of(c));
    long double x = v[0].re, y = v[1].re, size = fabsl(x);
    if (isnan(x) || isnan(y))
        return real(x + y);
    if (x == y)
        return real(y);
    int e = exponent_of(f, x);
    bool inward = x != 0 && (x < y) != (x > 0);
    if (isinf(x)) /* the largest number */
        return real(copysignl(ldexpl(2 - ldexpl(1, -f.mantissa), (1 << (f.exponent - 1)) - 1), x));
    if (inward && size == ldexpl(1, e) && e > smallest_exponent(f))
        e--; /* below a power of two they are half as far apart */
    long double step = ldexpl(1, e - f.mantissa);
    long double next = x < y ? x + step : x - step, most = ldexpl(1, 1 << (f.exponent - 1));
    return real(fabsl(next) >= most ? copysignl(INFINITY, next) : next == 0 ? copysignl(0, x) : next);
}

/* To the nearest multiple of 2^(e - mantissa); of two the one with an even last bit, which without a mantissa is the
 * last bit of the exponent. */
static long double to_mantissa(format f, long double x, int bits)
{
    int e = exponent_of(f, x);
    long double unit = ldexpl(1, e - bits), count = fabsl(x) / unit;
    if (bits > 0 || count != 1.5L)
        return copysignl(rintl(count) * unit, x);
    return copysignl((e & 1) == 0 ? 2 * unit : unit, x); /* biases are odd */
}

num ref_reduce_precision(const call *c, const num *v)
{
    const kni_p_reduce_precision *p = c->params;
    format f = format_of(dtype_of(c));
    long double x = v->re;
    if (isnan(x) || isinf(x) || x == 0)
        return *v;
    if (p->mantissa_bits < f.mantissa)
        x = to_mantissa(f, x, (int)p->mantissa_bits);
    if (p->exponent_bits < f.exponent && x != 0) {
        int reach = (1 << (p->exponent_bits - 1)) - 1;
        x = ilogbl(x) > reach ? copysignl(INFINITY, x) : ilogbl(x) <= -reach ? copysignl(0, x) : x;
    }
    return real(x);
}

num ref_clamp(const call *c, const num *x)
{
    kn_dtype d = dtype_of(c);
    for (int i = 0; i < 3; i++)
        if (num_is_nan(d, x[i]))
            return x[i];
    num y = num_less(d, x[1], x[0]) ? x[0] : x[1];
    return num_less(d, x[2], y) ? x[2] : y;
}

/* --- bits ------------------------------------------------------------------------------------- */

static uint64_t bits_of(kn_dtype d, num x) { return x.bits << (64 - 8 * d->size) >> (64 - 8 * d->size); }

num ref_shift_right_arithmetic(const call *c, const num *x)
{
    kn_dtype d = dtype_of(c);
    int width = 8 * d->size;
    int64_t value = (int64_t)(x[0].bits << (64 - width)) >> (64 - width);
    uint64_t by = bits_of(d, x[1]);
    return of_int(d, (uint64_t)(value >> (by < (uint64_t)width ? by : (uint64_t)width - 1)));
}

num ref_population_count(const call *c, const num *x)
{
    kn_dtype d = dtype_of(c);
    uint64_t n = 0;
    for (uint64_t bits = bits_of(d, *x); bits; bits &= bits - 1)
        n++;
    return of_int(d, n);
}

num ref_clz(const call *c, const num *x)
{
    kn_dtype d = dtype_of(c);
    uint64_t n = 8u * d->size;
    for (uint64_t bits = bits_of(d, *x); bits; bits >>= 1)
        n--;
    return of_int(d, n);
}

/* By single bits: x times 2^k is added up in two words. */
num ref_mulhi(const call *c, const num *v)
{
    kn_dtype d = dtype_of(c);
    int width = 8 * d->size;
    bool minus[2] = {false, false};
    uint64_t x[2], high = 0, low = 0;
    for (int i = 0; i < 2; i++) {
        minus[i] = d->kind == KN_KIND_INT && (int64_t)v[i].bits < 0;
        x[i] = minus[i] ? 0 - v[i].bits : v[i].bits;
    }
    for (int k = 0; k < 64; k++)
        if (x[1] >> k & 1) {
            uint64_t add = x[0] << k;
            high += (k ? x[0] >> (64 - k) : 0) + (low + add < low);
            low += add;
        }
    if (minus[0] != minus[1]) {
        low = 0 - low;
        high = ~high + (low == 0);
    }
    return of_int(d, width == 64 ? high : low >> width);
}
