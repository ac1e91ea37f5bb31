/* SPDX-License-Identifier: Apache-2.0
 * numbers.c -- single numbers as text: floats in positional and scientific notation, integers in any base, and what
 * Python's floats tell of themselves. */
#include "base/context.h"
#include "base/digits.h"
#include "face/text.h"
#include "kiln/numpy/printing.h"
#include "lib/compose.h"
#include <math.h>
#include <string.h>

/* The one element of x; NULL and a failed operation for arrays of others. */
static const void *look_at_one(kna_op *op, kn_array x, kn_dtype *d, const char *many)
{
    kni_type t = {.dtype = NULL};
    const void *data = kna_look(op, x, &t);
    if (data && t.ndim)
        kna_fail(op, KN_ERROR_TYPE, "%s", many);
    else if (data && t.dtype->kind == KN_KIND_KEY)
        kna_fail(op, KN_ERROR_TYPE, "%s is not a number", t.dtype == KN_DT(KEY) ? "a key" : t.dtype->name);
    *d = t.dtype;
    return kna_failed(op) ? NULL : data;
}

/* A real number with the dtype of its digits: integers are float64. */
static bool look_at_real(kna_op *op, kn_array x, kn_dtype *d, double *v)
{
    const void *data = look_at_one(op, x, d, "only 0-dimensional arrays can be converted to Python scalars");
    if (data && knx_is_complex(*d))
        kna_fail(op, KN_ERROR_TYPE, "must be real number, not complex");
    if (!data || kna_failed(op))
        return false;
    knx_convert(*d, data, KN_DT(F64), v);
    if (!knx_is_inexact(*d))
        *d = KN_DT(F64);
    return true;
}

static const char *own(kna_op *op, knx_str *t)
{
    char *text = kna_failed(op) ? NULL : knx_str_take(t);
    if (!text && !kna_failed(op))
        kna_fail_with(op, knx_error_nomem());
    knx_str_free(t);
    return knface_own_text(kna_end_plain(op) ? text : NULL);
}

/* ---- Floats. */

enum { MOST = 16383 }; /* characters, as in NumPy */

static void check_digits(kna_op *op, const kn_format_float_positional_opts *o)
{
    const struct {
        int value;
        const char *name;
    } given[] = {{o->precision, "precision"},
                 {o->pad_left, "pad_left"},
                 {o->pad_right, "pad_right"},
                 {o->min_digits, "min_digits"}};
    for (int i = 0; i < 4; i++)
        if (given[i].value < -1)
            kna_fail(op, KN_ERROR_VALUE, "%s must be >= 0", given[i].name);
    if (!o->fractional && o->precision == 0)
        kna_fail(op, KN_ERROR_VALUE, "precision must be greater than 0 if fractional=False");
    if (o->min_digits > 0 && o->precision > 0 && o->min_digits > o->precision)
        kna_fail(op, KN_ERROR_VALUE, "min_digits must be less than or equal to precision");
    if (!o->trim || !strchr("k.0-", o->trim))
        kna_fail(op, KN_ERROR_TYPE, "if supplied, trim must be 'k', '.', '0' or '-' found `%100c`", o->trim);
    if (!o->unique && o->precision < 0)
        kna_fail(op, KN_ERROR_TYPE, "in non-unique mode `precision` must be supplied");
    for (int i = 0; i < 4; i++)
        if (given[i].value > MOST)
            kna_fail(op, KN_ERROR_RUNTIME, "Float formatting result too large");
}

/* Options that only one notation has are what leaves the other one as it is. */
static const char *format_float(const char *name, kn_array x, const kn_format_float_positional_opts *o, int exp_digits)
{
    bool positional = exp_digits < 0;
    knx_str t = {0};
    kn_dtype d;
    double v;
    kna_op op;
    kna_begin(&op, name);
    check_digits(&op, o);
    bool real = look_at_real(&op, x, &d, &v);
    if (real && !isfinite(v)) {
        knx_str_puts(&t, isnan(v) ? "nan" : v < 0 ? "-inf" : o->sign ? "+inf" : "inf");
    } else if (real) {
        knx_format_float(&t, d, v,
                         &(knx_float_style){.scientific = !positional,
                                            .unique = o->unique,
                                            .total = positional && !o->fractional,
                                            .plus = o->sign,
                                            .trim = o->trim,
                                            .precision = o->precision,
                                            .min_digits = o->min_digits,
                                            .pad_left = o->pad_left,
                                            .pad_right = positional ? o->pad_right : -1,
                                            .exp_digits = exp_digits});
        bool point = t.s && memchr(t.s, '.', t.n);
        knx_str_pad(&t, ' ', positional && o->pad_right >= 0 && !point); /* in the place of the point */
        if (t.n > MOST)
            kna_fail(&op, KN_ERROR_RUNTIME, "Float formatting result too large");
    }
    return own(&op, &t);
}

const char *kn_format_float_positional(kn_array x, const kn_format_float_positional_opts *opts)
{
    KNX_OPTS(kn_format_float_positional_opts, o, opts);
    return format_float("format_float_positional", x, &o, -1);
}

const char *kn_format_float_scientific(kn_array x, const kn_format_float_scientific_opts *opts)
{
    KNX_OPTS(kn_format_float_scientific_opts, o, opts);
    kn_format_float_positional_opts same = kn_format_float_positional_opts_default();
    same.precision = o.precision;
    same.unique = o.unique;
    same.trim = o.trim;
    same.sign = o.sign;
    same.pad_left = o.pad_left;
    same.min_digits = o.min_digits;
    if (o.exp_digits < -1) {
        knx_report_new("format_float_scientific", KN_ERROR_VALUE, "exp_digits must be >= 0");
        return "";
    }
    return format_float("format_float_scientific", x, &same,
                        o.exp_digits < 0   ? 2
                        : o.exp_digits > 5 ? 5
                                           : o.exp_digits);
}

/* ---- Integers. */

enum { WIDEST = 1 << 20 };

static void check_width(kna_op *op, int width)
{
    if (width > WIDEST)
        kna_fail(op, KN_ERROR_VALUE, "a number of %d digits: at most %d are written", width, WIDEST);
}

/* |x| and its sign; floats lose their fraction if they may. */
static bool look_at_integer(kna_op *op, kn_array x, bool floats, uint64_t *size, bool *negative)
{
    kn_dtype d;
    const void *data = look_at_one(op, x, &d, "only integer scalar arrays can be converted to a scalar index");
    if (data && knx_is_complex(d))
        kna_fail(op, KN_ERROR_TYPE, "'complex' object cannot be interpreted as an integer");
    if (data && !floats && knx_is_inexact(d))
        kna_fail(op, KN_ERROR_TYPE, "'float' object cannot be interpreted as an integer");
    if (!data || kna_failed(op))
        return false;
    if (knx_is_inexact(d)) {
        double v;
        knx_convert(d, data, KN_DT(F64), &v);
        if (isnan(v))
            kna_fail(op, KN_ERROR_VALUE, "cannot convert float NaN to integer");
        else if (isinf(v))
            kna_fail(op, KN_ERROR_OVERFLOW, "cannot convert float infinity to integer");
        else if (fabs(v) >= 0x1p64)
            kna_fail(op, KN_ERROR_OVERFLOW, "%g has more than 64 bits", v);
        if (kna_failed(op))
            return false;
        *negative = v < 0;
        *size = (uint64_t)fabs(v);
    } else if (d == KN_DT(U64)) {
        memcpy(size, data, sizeof *size);
        *negative = false;
    } else {
        int64_t v;
        knx_convert(d, data, KN_DT(I64), &v);
        *negative = v < 0;
        *size = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    }
    return true;
}

static void add_digits(knx_str *t, uint64_t v, unsigned base)
{
    char digits[64];
    size_t n = 0;
    for (; v; v /= base)
        digits[sizeof digits - ++n] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[v % base];
    knx_str_add(t, digits + sizeof digits - n, n);
}

const char *kn_base_repr(kn_array number, const kn_base_repr_opts *opts)
{
    KNX_OPTS(kn_base_repr_opts, o, opts);
    knx_str t = {0};
    uint64_t size;
    bool negative;
    kna_op op;
    kna_begin(&op, "base_repr");
    if (o.base > 36)
        kna_fail(&op, KN_ERROR_VALUE, "Bases greater than 36 not handled in base_repr.");
    else if (o.base < 2)
        kna_fail(&op, KN_ERROR_VALUE, "Bases less than 2 not handled in base_repr.");
    check_width(&op, o.padding);
    if (look_at_integer(&op, number, true, &size, &negative) && !kna_failed(&op)) {
        knx_str_pad(&t, '-', negative);
        knx_str_pad(&t, '0', o.padding);
        add_digits(&t, size, (unsigned)o.base);
        knx_str_pad(&t, '0', size == 0 && o.padding == 0);
    }
    return own(&op, &t);
}

const char *kn_binary_repr(kn_array num, const kn_binary_repr_opts *opts)
{
    KNX_OPTS(kn_binary_repr_opts, o, opts);
    knx_str t = {0};
    uint64_t size;
    bool negative;
    kna_op op;
    kna_begin(&op, "binary_repr");
    check_width(&op, o.width);
    if (!look_at_integer(&op, num, false, &size, &negative))
        return own(&op, &t);
    /* those of a two's complement are the sign and the digits of -1 - num */
    bool complement = negative && o.width != -1;
    uint64_t shown = complement ? size - 1 : size;
    int digits = (shown ? 64 - __builtin_clzll(shown) : 0) + complement;
    if (!size) {
        knx_str_pad(&t, '0', o.width > 0 ? o.width : o.width >= -1);
    } else if (o.width != -1 && o.width < digits) {
        kna_fail(&op, KN_ERROR_VALUE, "Insufficient bit width=%d provided for binwidth=%d", o.width, digits);
    } else if (complement) {
        knx_str_pad(&t, '1', o.width - digits + 1);
        for (int bit = digits - 2; bit >= 0; bit--)
            knx_str_puts(&t, shown >> bit & 1 ? "0" : "1");
    } else {
        knx_str_pad(&t, '-', negative);
        knx_str_pad(&t, '0', o.width - digits);
        add_digits(&t, size, 2);
    }
    return own(&op, &t);
}

/* ---- Python's floats. */

const char *kn_float_hex(kn_array x)
{
    knx_str t = {0};
    kn_dtype d;
    double v;
    kna_op op;
    kna_begin(&op, "float_hex");
    if (look_at_real(&op, x, &d, &v)) {
        uint64_t bits;
        memcpy(&bits, &v, sizeof bits);
        int exponent = (int)(bits >> 52 & 0x7ff);
        knx_str_puts(&t, signbit(v) && !isnan(v) ? "-" : "");
        if (!isfinite(v))
            knx_str_puts(&t, isnan(v) ? "nan" : "inf");
        else if (v == 0)
            knx_str_puts(&t, "0x0.0p+0");
        else
            knx_str_printf(&t, "0x%d.%013llxp%+d", exponent > 0, (unsigned long long)(bits & 0xfffffffffffff),
                           exponent > 0 ? exponent - 1023 : -1022);
    }
    return own(&op, &t);
}

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

double kn_float_fromhex(const char *text)
{
    kna_op op;
    double v = NAN;
    kna_begin(&op, "float_fromhex");
    if (!kna_given_pointer(&op, text, "text")) {
        kna_end_plain(&op);
        return NAN;
    }
    const char *s = text, *stop = NULL;
    while (is_blank(*s))
        s++;
    bool negative = *s == '-';
    s += negative || *s == '+';
    bool prefix = s[0] == '0' && (s[1] | 0x20) == 'x', word = *s && strchr("iInN", *s);
    knx_str number = {0};
    knx_str_puts(&number, prefix || word ? "" : "0x");
    knx_str_puts(&number, s);
    bool ok = number.s && *s != '-' && *s != '+' && knx_parse_double(number.s, &stop, &v);
    while (ok && is_blank(*stop))
        stop++;
    if (number.failed)
        kna_fail_with(&op, knx_error_nomem());
    else if (!ok || *stop)
        kna_fail(&op, KN_ERROR_VALUE, "invalid hexadecimal floating-point string");
    else if (isinf(v) && !word)
        kna_fail(&op, KN_ERROR_OVERFLOW, "hexadecimal value too large to represent as a float");
    knx_str_free(&number);
    return kna_end_plain(&op) ? negative ? -v : v : NAN;
}

/* A whole number that times 2^*exponent is |v|. */
static uint64_t mantissa_of(double v, int *exponent)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    int biased = (int)(bits >> 52 & 0x7ff);
    uint64_t fraction = bits & 0xfffffffffffff;
    *exponent = v == 0 ? 0 : (biased ? biased : 1) - 1075;
    return biased ? fraction | (uint64_t)1 << 52 : fraction;
}

kn_integer_ratio kn_as_integer_ratio(kn_array x)
{
    kn_integer_ratio r = {0, 0};
    kn_dtype d;
    double v;
    int exponent = 0;
    kna_op op;
    kna_begin(&op, "as_integer_ratio");
    kni_type t = kna_type(&op, x);
    uint64_t size = 0;
    bool negative = false, whole = !kna_failed(&op) && !knx_is_inexact(t.dtype);
    if (whole) {
        look_at_integer(&op, x, false, &size, &negative);
    } else if (look_at_real(&op, x, &d, &v)) {
        if (isnan(v))
            kna_fail(&op, KN_ERROR_VALUE, "cannot convert NaN to integer ratio");
        else if (isinf(v))
            kna_fail(&op, KN_ERROR_OVERFLOW, "cannot convert Infinity to integer ratio");
        else
            size = mantissa_of(v, &exponent);
        negative = signbit(v);
    }
    for (; exponent < 0 && size % 2 == 0 && size; exponent++)
        size /= 2;
    int bits = size ? 64 - __builtin_clzll(size) : 0;
    if (!kna_failed(&op) && (bits > 63 || bits + exponent > 63 || exponent < -62))
        kna_fail(&op, KN_ERROR_OVERFLOW, "the integers of this ratio have more than 63 bits");
    if (!kna_failed(&op)) {
        r.numerator = (int64_t)(exponent > 0 ? size << exponent : size);
        r.numerator = negative ? -r.numerator : r.numerator;
        r.denominator = (int64_t)1 << (exponent < 0 ? -exponent : 0);
    }
    return kna_end_plain(&op) ? r : (kn_integer_ratio){0, 0};
}

kn_array kn_is_integer(kn_array x)
{
    knl_body c;
    knl_begin(&c, "is_integer");
    kni_type t = kna_type(&c.op, x);
    if (!kna_failed(&c.op) && knx_is_complex(t.dtype))
        kna_fail(&c.op, KN_ERROR_TYPE, "complex numbers are not integers or fractions");
    if (kna_failed(&c.op) || knl_not_a_number(&c.op, "is_integer", t.dtype))
        return knl_end(&c, NULL);
    kn_array finite = kn_isfinite(x);
    return knl_end(&c, knx_is_inexact(t.dtype) ? kn_logical_and(finite, kn_equal(x, kn_trunc(x))) : finite);
}
