/* SPDX-License-Identifier: Apache-2.0
 * kiln/print.h -- how arrays are shown: NumPy's print options. */
/* Made by scripts/make-api.py from api/print.api. */
/* clang-format off */
#ifndef KILN_PRINT_H
#define KILN_PRINT_H
#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* NumPy's print options. Start from kn_print_opts_default(): zero is a value here, not "the default". */
typedef struct kn_print_opts {
    size_t size_;
    int precision;         /* 8: digits after the point */
    int64_t threshold;     /* 1000: arrays with more elements are summarised */
    int edgeitems;         /* 3: how many items a summary shows at each end of an axis */
    int linewidth;         /* 75 */
    bool suppress;         /* no scientific notation only because of small values */
    const char *floatmode; /* "maxprec"; or "maxprec_equal", "fixed", "unique" */
    char sign;             /* '-': of positive numbers: '-' none, '+' always, ' ' a blank */
    const char *nanstr;    /* "nan" */
    const char *infstr;    /* "inf" */
} kn_print_opts;
#define KN_PRINT_DEFAULTS                                                                                              \
    (.precision = 8, .threshold = 1000, .edgeitems = 3, .linewidth = 75, .floatmode = "maxprec", .sign = '-',          \
    .nanstr = "nan", .infstr = "inf", )
KN_API kn_print_opts kn_print_opts_default(void);

/* What an argument of kn_printf or of an index is. */
enum { KN_ARG_INT, KN_ARG_UINT, KN_ARG_BOOL, KN_ARG_DOUBLE, KN_ARG_ARRAY, KN_ARG_TEXT };

/* ---- Text: printf of numbers, 0-d arrays and strings to standard output. */
typedef struct kn_printf_arg {
    int kind; int64_t integer; double number; kn_array array; const char *text;
} kn_printf_arg;
/* characters written; -1 with a TypeError */
KN_API int kn_printf_args(const char *format, int n, const kn_printf_arg *args);

#ifdef __cplusplus
}
#endif
#endif
