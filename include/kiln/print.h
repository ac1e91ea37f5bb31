/* SPDX-License-Identifier: Apache-2.0
 * kiln/print.h -- how arrays are shown: NumPy's print options. */
#ifndef KILN_PRINT_H
#define KILN_PRINT_H

#include "kiln/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* NumPy's print options. Start from kn_print_opts_default(): zero is a value here, not "the default". */
typedef struct kn_print_opts {
    size_t size_;          /* sizeof this struct, filled in by the macros */
    int precision;         /* digits after the point, 8 */
    int64_t threshold;     /* arrays with more elements are summarised, 1000 */
    int edgeitems;         /* how many items a summary shows at each end of an axis, 3 */
    int linewidth;         /* 75 */
    bool suppress;         /* no scientific notation only because of small values */
    const char *floatmode; /* "maxprec", "maxprec_equal", "fixed" or "unique" */
    char sign;             /* of positive numbers: '-' none, '+' always, ' ' a blank */
    const char *nanstr;    /* "nan" */
    const char *infstr;    /* "inf" */
} kn_print_opts;

KN_API kn_print_opts kn_print_opts_default(void);

/* What an argument of kn_printf or of an index is. */
enum { KN_ARG_INT, KN_ARG_UINT, KN_ARG_BOOL, KN_ARG_DOUBLE, KN_ARG_ARRAY, KN_ARG_TEXT };
/* ---- Text: printf of numbers, 0-d arrays and strings to standard output. */
typedef struct kn_printf_arg {
    int kind; int64_t integer; double number; kn_array array; const char *text;
} kn_printf_arg;
KN_API int kn_printf_args(const char *format, int n,
    const kn_printf_arg *args); /* characters written; -1 with a TypeError */

#ifdef __cplusplus
}
#endif
#endif
