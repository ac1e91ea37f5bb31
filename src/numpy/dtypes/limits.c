/* SPDX-License-Identifier: Apache-2.0
 * limits.c -- which numbers floats and integers have: finfo, iinfo. */
#include "numpy/dtypes/internal.h"
#include <math.h>

/* How floats are coded: their bits of exponent and fraction, and the bias. */
typedef struct format {
    int exponent, fraction, bias;
    knx_code code;
} format;

static format format_of(kn_dtype d)
{
    if (knx_is_stored(d)) {
        const knx_coding *c = knx_coding_of(d);
        return (format){c->exponent, c->fraction, c->bias, (knx_code)c->code};
    }
    int fraction = d == KN_DT(F16) ? 10 : d == KN_DT(BF16) ? 7 : d == KN_DT(F32) ? 23 : 52;
    int exponent = 8 * d->size - 1 - fraction;
    return (format){exponent, fraction, (1 << (exponent - 1)) - 1, KNX_IEEE};
}

static double largest(const format *f)
{
    const double eps = ldexp(1, -f->fraction);
    const int top = (1 << f->exponent) - 1 - f->bias; /* of the exponents */
    switch (f->code) {
    case KNX_IEEE: return ldexp(2 - eps, top - 1);
    case KNX_FN: return ldexp(2 - 2 * eps, top);
    case KNX_SCALE: return ldexp(1, top - 1);
    default: return ldexp(2 - eps, top);
    }
}

/* Of a positive number. */
static int exponent_of(double v)
{
    int n = 0;
    while (v < 1) {
        v *= 2;
        n--;
    }
    while (v >= 2) {
        v /= 2;
        n++;
    }
    return n;
}

/* The number of the dtype that is nearest to v. */
static double nearest(kn_dtype d, double v)
{
    double found = INFINITY;
    if (!knx_is_stored(d))
        return knx_scalar_to_double(d, knx_scalar_from_double(d, v));
    for (int byte = 0; byte < 256; byte++) {
        double has = (double)knx_stored_value(d, (uint8_t)byte);
        found = fabs(has - v) < fabs(found - v) ? has : found;
    }
    return found;
}

static kn_finfo_result limits_of(kn_dtype d)
{
    const format f = format_of(d);
    const bool is_signed = f.code != KNX_SCALE;
    const double eps = ldexp(1, -f.fraction), max = largest(&f);
    const int minexp = is_signed - f.bias; /* the least power of two has all bits of its fraction */
    const double tiny = ldexp(1, minexp), least = ldexp(tiny, -f.fraction), below = eps / 2 > least ? eps / 2 : least;
    const int bits = is_signed + f.exponent + f.fraction;
    const int precision = !knx_is_stored(d) ? (int)(f.fraction * 0.30103) : bits == 8;
    return (kn_finfo_result){
        .dtype = d,
        .bits = bits,
        .nmant = f.fraction,
        .nexp = f.exponent,
        .iexp = f.exponent,
        .machep = -f.fraction,
        .negep = exponent_of(below),
        .maxexp = exponent_of(max) + 1,
        .minexp = minexp,
        .precision = precision,
        .eps = eps,
        .epsneg = below,
        .max = max,
        .min = is_signed ? -max : tiny,
        .resolution = nearest(d, precision == 15  ? 1e-15
                                 : precision == 6 ? 1e-6
                                 : precision == 3 ? 1e-3
                                 : precision == 2 ? 1e-2
                                 : precision      ? 0.1
                                                  : 1),
        .smallest_normal = tiny,
        .smallest_subnormal = least,
        .tiny = tiny,
    };
}

kn_finfo_result kn_finfo(kn_dtype_like dtype)
{
    kna_op op;
    kna_begin(&op, "finfo");
    kn_dtype d = knn_dtype_like(&op, dtype);
    if (d && knn_kind_of(d) != KN_KIND_FLOAT && !knx_is_complex(d))
        kna_fail(&op, KN_ERROR_VALUE, "data type <class 'numpy.%s'> not inexact", d->name);
    kn_finfo_result r = {.dtype = NULL};
    if (!kna_failed(&op) && d)
        r = limits_of(knx_component(d));
    kna_end_plain(&op);
    return r;
}

kn_iinfo_result kn_iinfo(kn_dtype_like type)
{
    static const char *const keys[2][4] = {{"i8", "i16", "i32", "i64"}, {"u8", "u16", "u32", "u64"}};
    kna_op op;
    kna_begin(&op, "iinfo");
    kn_dtype d = knn_dtype_like(&op, type);
    knx_kind kind = d ? knn_kind_of(d) : KN_KIND_KEY;
    if (d && kind != KN_KIND_INT && kind != KN_KIND_UINT)
        kna_fail(&op, KN_ERROR_VALUE, "Invalid integer data type '%c'.", kn_dtype_kind(d));
    kn_iinfo_result r = {.dtype = NULL};
    if (!kna_failed(&op) && d) {
        int bits = knx_is_stored(d) ? knx_coding_of(d)->fraction : 8 * d->size;
        int which = d->size == 1 ? 0 : d->size == 2 ? 1 : d->size == 4 ? 2 : 3;
        bool is_signed = kind == KN_KIND_INT;
        int digits = bits - is_signed; /* of the largest one */
        r = (kn_iinfo_result){d,
                              bits,
                              (char)kind,
                              is_signed ? INT64_MIN >> (64 - bits) : 0,
                              digits ? UINT64_MAX >> (64 - digits) : 0,
                              knx_is_stored(d) ? NULL : keys[!is_signed][which]};
    }
    kna_end_plain(&op);
    return r;
}
