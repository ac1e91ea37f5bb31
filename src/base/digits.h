/* SPDX-License-Identifier: Apache-2.0
 * digits.h -- floats to decimal text and back, exactly and independent of the C locale. */
#ifndef KN_BASE_DIGITS_H
#define KN_BASE_DIGITS_H
#include "base/dtype.h"
#include "base/str.h"

/* How one finite float is written: NumPy's format_float_positional and format_float_scientific. */
typedef struct knx_float_style {
    bool scientific;
    bool
        /* the fewest digits that mean this value, at most `precision` after the point; else exactly rounded ones */
        unique;
    bool total;     /* positional: precision and min_digits count all digits that are not zeros at the start */
    bool plus;      /* a sign before positive numbers */
    char trim;      /* 'k' keep zeros, '.' drop trailing zeros, '0' but leave one, '-' drop the point, too */
    int precision;  /* digits after the point; -1 for no limit */
    int min_digits; /* at least this many of them when `unique`; -1 for none */
    int pad_left;   /* blanks up to this many characters before the point, and ... */
    int pad_right;  /* ... after it (positional only) */
    int exp_digits; /* least digits of the exponent; -1 for 2 */
} knx_float_style;

/* Appends v, which must be finite and a value of the float dtype. */
void knx_format_float(knx_str *out, kn_dtype float_dtype, double v, const knx_float_style *style);

/* Python's repr of a float, str of NumPy's scalars: the shortest digits that round-trip in the dtype; scientific below
 * 1e-4 and from 1e16 (float32 and bfloat16 1e6, float16 1e3). "nan", "inf", "-inf" and "-0.0" are possible. Returns the
 * length. */
int knx_format_shortest(char out[40], kn_dtype float_dtype, double v);
/* The same without ".0" behind whole numbers and with a forced sign if `plus`: the parts of a complex number. */
int knx_format_shortest_part(char out[40], kn_dtype float_dtype, double v, bool plus);
/* printf's %g: six digits; how ml_dtypes shows bfloat16. */
int knx_format_g(char out[40], double v);

/* Reads the longest decimal ("-1.5e3", "3.", ".5"), hexadecimal ("0x1.8p-3") or special number ("inf", "infinity",
 * "nan", in any case) at s, correctly rounded; out of range gives infinity or zero. No blanks are skipped. False, and
 * nothing stored, if there is none. `end` may be NULL. */
bool knx_parse_double(const char *s, const char **end, double *v);
#endif
