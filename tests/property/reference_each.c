/* SPDX-License-Identifier: Apache-2.0
 * reference_each.c -- what elementwise primitives mean, one element at a time, straight from their definitions. Real
 * functions in long double, complex ones by C99's; + - * / and sqrt of reals in double, which rounds as float32 and the
 * 16-bit types need it, too. */
#include "cases.h"

#include <complex.h>
#include <math.h>
#include <string.h>

typedef _Complex long double wide_complex;

static kn_dtype last_dtype(const call *c) { return c->x[c->n_in - 1].dtype; }
static num of_real(long double v) { return (num){.re = v}; }
static num of_bool(bool v) { return (num){.bits = v}; }
static num of_complex(wide_complex z) { return (num){.re = creall(z), .im = cimagl(z)}; }
static wide_complex as_complex(num v) { return __builtin_complex(v.re, v.im); }

num of_int(kn_dtype d, uint64_t bits)
{
    int unused = 64 - 8 * d->size;
    if (d->kind == KN_KIND_BOOL)
        bits &= 1;
    else if (d->kind == KN_KIND_INT)
        bits = (uint64_t)((int64_t)(bits << unused) >> unused);
    else
        bits = bits << unused >> unused;
    return (num){.bits = bits};
}

tensor *result(call *c, kn_dtype d, int ndim, const int64_t *dim)
{
    c->y[c->n_out] = tensor_wide(c->arena, d, ndim, dim);
    return &c->y[c->n_out++];
}

void each_element(call *c)
{
    const tensor *shape = &c->x[0];
    for (int i = 0; i < c->n_in; i++)
        if (c->x[i].ndim > shape->ndim)
            shape = &c->x[i];
    kn_dtype d = last_dtype(c);
    char r = c->sample->result;
    if (r == 'u') /* unary.def says it */
        r = strchr(c->sample->dtypes, 'r') ? 'r' : 0;
    d = r == 'b' ? KN_DT(BOOL) : r == 'r' ? knx_component(d) : r == 'c' ? knx_complex_of(d) : d;
    tensor *y = result(c, d, shape->ndim, shape->dim);
    num x[MAX_OPERANDS];
    for (int64_t k = 0; k < y->n; k++) {
        for (int i = 0; i < c->n_in; i++)
            x[i] = c->x[i].at[c->x[i].ndim ? k : 0];
        y->at[k] = c->sample->each(c, x);
    }
}

/* --- functions of one argument ---------------------------------------------------------------- */

static wide_complex cneg(wide_complex z) { return -z; }
static wide_complex clogistic(wide_complex z) { return 1 / (1 + cexpl(-z)); }
static wide_complex cexp2_wide(wide_complex z) { return cexpl(z * 0.693147180559945309417232121458176568L); }
static wide_complex clog2_wide(wide_complex z) { return clogl(z) * 1.442695040888963407359924681001892137L; }
static wide_complex clog10_wide(wide_complex z) { return clogl(z) * 0.434294481903251827651128918916605082L; }
static wide_complex crsqrt(wide_complex z) { return 1 / csqrtl(z); }

/* e^z - 1 and log(1 + z), where that cancels from other formulas. */
static wide_complex cexpm1_wide(wide_complex z)
{
    long double x = creall(z), y = cimagl(z), s = sinl(y / 2);
    wide_complex e = cexpl(z);
    return x < 1 && isfinite(y) ? __builtin_complex(expm1l(x) * cosl(y) - 2 * s * s, cimagl(e))
                                : __builtin_complex(creall(e) - 1, cimagl(e));
}

static wide_complex clog1p_wide(wide_complex z)
{
    long double x = creall(z), y = cimagl(z);
    wide_complex l = clogl(__builtin_complex(1 + x, y));
    return fabsl(x) < 0.5L && fabsl(y) < 0.5L ? __builtin_complex(log1pl(x * (2 + x) + y * y) / 2, cimagl(l)) : l;
}

static wide_complex csquare(wide_complex z) { return z * z; }
static const struct known {
    const char *name;
    wide_complex (*f)(wide_complex);
} of_complex_numbers[] = {
    {"neg", cneg},          {"sin", csinl},       {"cos", ccosl},          {"tanh", ctanhl},     {"exp", cexpl},
    {"log", clogl},         {"sqrt", csqrtl},     {"logistic", clogistic}, {"exp2", cexp2_wide}, {"expm1", cexpm1_wide},
    {"log1p", clog1p_wide}, {"log2", clog2_wide}, {"log10", clog10_wide},  {"tan", ctanl},       {"asin", casinl},
    {"acos", cacosl},       {"atan", catanl},     {"sinh", csinhl},        {"cosh", ccoshl},     {"asinh", casinhl},
    {"acosh", cacoshl},     {"atanh", catanhl},   {"rsqrt", crsqrt},       {"square", csquare},
};

static wide_complex (*complex_reference(const char *name))(wide_complex)
{
    for (size_t i = 0; i < sizeof of_complex_numbers / sizeof *of_complex_numbers; i++)
        if (!strcmp(of_complex_numbers[i].name, name))
            return of_complex_numbers[i].f;
    return NULL;
}

/* Real functions are held against the reference that unary.def names; complex ones that this file does not know by
 * their derivatives. */
num ref_unary(const call *c, const num *x)
{
    kn_dtype d = last_dtype(c);
    const char *name = c->sample->prim->name;
    bool is_abs = !strcmp(name, "abs");
    if (knx_is_complex(d)) {
        if (is_abs)
            return of_real(cabsl(as_complex(x[0])));
        wide_complex (*f)(wide_complex) = complex_reference(name);
        ((call *)c)->unknown = !f;
        num y = f ? of_complex(f(as_complex(x[0]))) : (num){0};
        if (num_is_nan(d, y) && (isinf(y.re) || isinf(y.im))) /* C leaves some signs open */
            y.scale = NAN;
        if (f == clogistic && isfinite(y.re)) /* 1 + e^-z cancels near its poles */
            y.scale = hypotl(y.re, y.im) * (1 + hypotl(y.re, y.im) * expl(-x[0].re));
        return y;
    }
    if (knx_is_float(d))
        return of_real(c->sample->real(x[0].re));
    if (is_abs)
        return of_int(d, d->kind == KN_KIND_INT && (int64_t)x[0].bits < 0 ? 0 - x[0].bits : x[0].bits);
    if (!strcmp(name, "neg"))
        return of_int(d, 0 - x[0].bits);
    ((call *)c)->unknown = strcmp(name, "square") != 0;
    return of_int(d, x[0].bits * x[0].bits);
}

num ref_sign(const call *c, const num *x)
{
    kn_dtype d = last_dtype(c);
    if (knx_is_complex(d)) {
        long double r = hypotl(x->re, x->im);
        return r == 0 ? (num){0} : (num){.re = x->re / r, .im = x->im / r};
    }
    if (knx_is_float(d))
        return of_real(x->re > 0    ? 1
                       : x->re < 0  ? -1
                       : x->re == 0 ? 0
                                    : x->re); /* np.sign: +0 of -0, unlike lax.sign */
    if (d->kind == KN_KIND_INT)
        return of_int(d, (int64_t)x->bits > 0 ? 1 : (int64_t)x->bits < 0 ? ~(uint64_t)0 : 0);
    return of_int(d, x->bits != 0);
}

num ref_integer_pow(const call *c, const num *x)
{
    kn_dtype d = last_dtype(c);
    int64_t y = ((const kni_p_integer_pow *)c->params)->y;
    uint64_t bits = 1;
    wide_complex z = 1;
    if (knx_is_float(d))
        return of_real(powl(x->re, (long double)y));
    for (int64_t i = 0; i < (y < 0 ? -y : y); i++) {
        bits *= x->bits;
        z *= as_complex(*x);
    }
    return knx_is_complex(d) ? of_complex(y < 0 ? 1 / z : z) : of_int(d, bits);
}

num ref_not(const call *c, const num *x) { return of_int(last_dtype(c), ~x->bits); }

num ref_same(const call *c, const num *x)
{
    (void)c;
    return *x;
}

num ref_real(const call *c, const num *x)
{
    (void)c;
    return of_real(x->re);
}

num ref_imag(const call *c, const num *x) { return of_real(knx_is_complex(last_dtype(c)) ? x->im : 0); }

num ref_conj(const call *c, const num *x)
{
    (void)c;
    return (num){.re = x->re, .im = -x->im};
}

num ref_complex(const call *c, const num *x)
{
    (void)c;
    return (num){.re = x[0].re, .im = x[1].re};
}

/* --- arithmetic of two arguments -------------------------------------------------------------- */

num num_add(kn_dtype d, num a, num b)
{
    if (d->kind == KN_KIND_BOOL)
        return of_bool(a.bits | b.bits);
    if (!knx_is_inexact(d))
        return of_int(d, a.bits + b.bits);
    return (num){.re = (double)a.re + (double)b.re, .im = (double)a.im + (double)b.im};
}

num num_mul(kn_dtype d, num a, num b)
{
    if (!knx_is_inexact(d))
        return of_int(d, a.bits * b.bits);
    if (!knx_is_complex(d))
        return of_real((double)a.re * (double)b.re);
    return (num){.re = a.re * b.re - a.im * b.im, .im = a.re * b.im + a.im * b.re};
}

num ref_add(const call *c, const num *x) { return num_add(last_dtype(c), x[0], x[1]); }
num ref_mul(const call *c, const num *x) { return num_mul(last_dtype(c), x[0], x[1]); }

num ref_sub(const call *c, const num *x)
{
    kn_dtype d = last_dtype(c);
    if (!knx_is_inexact(d))
        return of_int(d, x[0].bits - x[1].bits);
    return (num){.re = (double)x[0].re - (double)x[1].re, .im = (double)x[0].im - (double)x[1].im};
}

num ref_div(const call *c, const num *x)
{
    kn_dtype d = last_dtype(c);
    if (knx_is_complex(d))
        return of_complex(as_complex(x[0]) / as_complex(x[1]));
    if (knx_is_float(d))
        return of_real((double)x[0].re / (double)x[1].re);
    if (x[1].bits == 0)
        return of_int(d, ~(uint64_t)0);
    if (d->kind == KN_KIND_INT && (int64_t)x[1].bits == -1)
        return of_int(d, 0 - x[0].bits);
    return of_int(d,
                  d->kind == KN_KIND_INT ? (uint64_t)((int64_t)x[0].bits / (int64_t)x[1].bits) : x[0].bits / x[1].bits);
}

/* Integers modulo 2^bits; a negative power is the quotient of 1 by the positive one, toward zero, and by 0 it is -1
 * as everywhere. */
static num integer_power(kn_dtype d, num x, num y)
{
    uint64_t power = 1, n = y.bits, base = x.bits;
    if (d->kind == KN_KIND_INT && (int64_t)n < 0) {
        int64_t v = (int64_t)base;
        return of_int(d, v == 0 ? ~(uint64_t)0 : v == 1 || (v == -1 && n % 2 == 0) ? 1 : v == -1 ? ~(uint64_t)0 : 0);
    }
    for (; n; n /= 2, base *= base)
        power *= n % 2 ? base : 1;
    return of_int(d, power);
}

num ref_pow(const call *c, const num *x)
{
    if (!knx_is_inexact(last_dtype(c)))
        return integer_power(last_dtype(c), x[0], x[1]);
    if (knx_is_complex(last_dtype(c)))
        return of_complex(cpowl(as_complex(x[0]), as_complex(x[1])));
    return of_real(powl(x[0].re, x[1].re));
}

num ref_atan2(const call *c, const num *x) { return (void)c, of_real(atan2l(x[0].re, x[1].re)); }
num ref_hypot(const call *c, const num *x) { return (void)c, of_real(hypotl(x[0].re, x[1].re)); }

/* --- comparisons ------------------------------------------------------------------------------ */

bool num_is_nan(kn_dtype d, num a) { return knx_is_inexact(d) && (isnan(a.re) || isnan(a.im)); }

bool num_less(kn_dtype d, num a, num b)
{
    if (knx_is_complex(d))
        return (a.re < b.re && !isnan(a.im) && !isnan(b.im)) || (a.re == b.re && a.im < b.im); /* NumPy's */
    if (knx_is_float(d))
        return a.re < b.re;
    return d->kind == KN_KIND_INT ? (int64_t)a.bits < (int64_t)b.bits : a.bits < b.bits;
}

static bool equal(kn_dtype d, num a, num b)
{
    return knx_is_inexact(d) ? a.re == b.re && a.im == b.im : a.bits == b.bits;
}

num ref_eq(const call *c, const num *x) { return of_bool(equal(last_dtype(c), x[0], x[1])); }
num ref_ne(const call *c, const num *x) { return of_bool(!equal(last_dtype(c), x[0], x[1])); }
num ref_lt(const call *c, const num *x) { return of_bool(num_less(last_dtype(c), x[0], x[1])); }
num ref_gt(const call *c, const num *x) { return of_bool(num_less(last_dtype(c), x[1], x[0])); }

num ref_le(const call *c, const num *x)
{
    kn_dtype d = last_dtype(c);
    return of_bool(num_less(d, x[0], x[1]) || equal(d, x[0], x[1]));
}

num ref_ge(const call *c, const num *x)
{
    kn_dtype d = last_dtype(c);
    return of_bool(num_less(d, x[1], x[0]) || equal(d, x[0], x[1]));
}

num ref_max(const call *c, const num *x)
{
    kn_dtype d = last_dtype(c);
    if (num_is_nan(d, x[0]) || num_is_nan(d, x[1]))
        return num_is_nan(d, x[0]) ? x[0] : x[1];
    return num_less(d, x[0], x[1]) ? x[1] : x[0];
}

num ref_min(const call *c, const num *x)
{
    kn_dtype d = last_dtype(c);
    if (num_is_nan(d, x[0]) || num_is_nan(d, x[1]))
        return num_is_nan(d, x[0]) ? x[0] : x[1];
    return num_less(d, x[1], x[0]) ? x[1] : x[0];
}

/* --- bits, choice ----------------------------------------------------------------------------- */

num ref_and(const call *c, const num *x) { return of_int(last_dtype(c), x[0].bits & x[1].bits); }
num ref_or(const call *c, const num *x) { return of_int(last_dtype(c), x[0].bits | x[1].bits); }
num ref_xor(const call *c, const num *x) { return of_int(last_dtype(c), x[0].bits ^ x[1].bits); }

num ref_shift_left(const call *c, const num *x)
{
    kn_dtype d = last_dtype(c);
    return of_int(d, x[1].bits >= 8u * d->size ? 0 : x[0].bits << x[1].bits);
}

num ref_shift_right_logical(const call *c, const num *x)
{
    kn_dtype d = last_dtype(c);
    int unused = 64 - 8 * d->size;
    return of_int(d, x[1].bits >= 8u * d->size ? 0 : (x[0].bits << unused >> unused) >> x[1].bits);
}

num ref_select_n(const call *c, const num *x)
{
    (void)c;
    return x[1 + x[0].bits];
}

/* --- conversions: base/dtype.h says how ------------------------------------------------------- */

static uint64_t float_to_int(kn_dtype to, long double v)
{
    bool in32 = v > -2147483649.0L && v < 2147483648.0L, in64 = v >= -0x1p63L && v < 0x1p63L;
    uint64_t low32 = in32 ? (uint64_t)(int64_t)v : (uint64_t)INT32_MIN;
    uint64_t low64 = in64 ? (uint64_t)(int64_t)v : (uint64_t)INT64_MIN;
    if (to == KN_DT(U64) && v >= 0x1p63L) {
        v -= 0x1p63L;
        return (v < 0x1p63L ? (uint64_t)(int64_t)v : (uint64_t)INT64_MIN) ^ (uint64_t)1 << 63;
    }
    return to->size == 8 || to == KN_DT(U32) ? low64 : low32;
}

/* The nearest number of the range, toward 0; NaN: 0. */
static uint64_t nearest_int(kn_dtype to, long double v)
{
    const bool is_signed = to->kind == KN_KIND_INT;
    const int bits = 8 * to->size - is_signed;
    const long double end = 2 * (long double)((uint64_t)1 << (bits - 1)), least = is_signed ? -end : 0;
    if (v != v)
        return 0;
    if (v >= end)
        return UINT64_MAX >> (64 - bits);
    return v > least ? v < 0 ? (uint64_t)(int64_t)v : (uint64_t)v : is_signed ? ~(UINT64_MAX >> (64 - bits)) : 0;
}

num num_saturate(kn_dtype from, num v, kn_dtype to)
{
    if (knx_is_complex(from) && to->kind == KN_KIND_BOOL)
        return of_bool(v.re != 0);
    if (knx_is_inexact(from) && knx_is_integer(to))
        return of_int(to, nearest_int(to, v.re));
    return num_convert(from, v, to);
}

num num_convert(kn_dtype from, num v, kn_dtype to)
{
    bool real_from = !knx_is_inexact(from);
    if (to->kind == KN_KIND_BOOL)
        return of_bool(real_from ? v.bits != 0 : v.re != 0 || v.im != 0);
    if (knx_is_inexact(to) && real_from) {
        long double r = from->kind == KN_KIND_INT ? (long double)(int64_t)v.bits : (long double)v.bits;
        return of_real(to->size == 2 ? (long double)(float)r : r);
    }
    if (knx_is_inexact(to))
        return (num){.re = v.re, .im = knx_is_complex(to) ? v.im : 0};
    return of_int(to, real_from ? v.bits : float_to_int(to, v.re));
}
