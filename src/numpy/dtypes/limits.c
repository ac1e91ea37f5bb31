/* SPDX-License-Identifier: Apache-2.0
 * limits.c -- which numbers floats and integers have: finfo, iinfo. */
#include "numpy/dtypes/internal.h"
#include <math.h>

/* The number of the dtype that is nearest to v. */
static double rounded(kn_dtype d, double v) { return knx_scalar_to_double(d, knx_scalar_from_double(d, v)); }

/* Bits of the fraction, as it is stored. */
static int fraction_bits(kn_dtype d) { return d == KN_DT(F16) ? 10 : d == KN_DT(BF16) ? 7 : d == KN_DT(F32) ? 23 : 52; }

static kn_finfo_result limits_of(kn_dtype d)
{
    int bits = 8 * d->size, nmant = fraction_bits(d), nexp = bits - 1 - nmant, half = 1 << (nexp - 1);
    double eps = ldexp(1, -nmant), tiny = ldexp(1, 2 - half), max = ldexp(2 - eps, half - 1);
    int precision = (int)(nmant * 0.30103);
    return (kn_finfo_result){
        .dtype = d,
        .bits = bits,
        .nmant = nmant,
        .nexp = nexp,
        .iexp = nexp,
        .machep = -nmant,
        .negep = -nmant - 1,
        .maxexp = half,
        .minexp = 2 - half,
        .precision = precision,
        .eps = eps,
        .epsneg = eps / 2,
        .max = max,
        .min = -max,
        .resolution = rounded(d, precision == 15  ? 1e-15
                                 : precision == 6 ? 1e-6
                                 : precision == 3 ? 1e-3
                                                  : 1e-2),
        .smallest_normal = tiny,
        .smallest_subnormal = ldexp(tiny, -nmant),
        .tiny = tiny,
    };
}

kn_finfo_result kn_finfo(kn_dtype_like dtype)
{
    kna_op op;
    kna_begin(&op, "finfo");
    kn_dtype d = knn_dtype_like(&op, dtype);
    if (d && !knx_is_inexact(d))
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
    if (d && !knx_is_integer(d))
        kna_fail(&op, KN_ERROR_VALUE, "Invalid integer data type '%c'.", d->kind);
    kn_iinfo_result r = {.dtype = NULL};
    if (!kna_failed(&op) && d) {
        int bits = 8 * d->size, which = d->size == 1 ? 0 : d->size == 2 ? 1 : d->size == 4 ? 2 : 3;
        bool is_signed = d->kind == KN_KIND_INT;
        r = (kn_iinfo_result){d,
                              bits,
                              d->kind,
                              is_signed ? INT64_MIN >> (64 - bits) : 0,
                              UINT64_MAX >> (64 - bits + is_signed),
                              keys[!is_signed][which]};
    }
    kna_end_plain(&op);
    return r;
}
