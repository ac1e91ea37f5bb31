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

/* What a function gives for an element, a 0-d array: its text, valid until the next call. It may call Kiln; what it
 * makes goes when it returns. */
typedef const char *(*kn_element_text)(void *env, kn_array element);

/* NumPy's `formatter`: functions for elements of some kinds. One for a kind alone (bool_, int_, float_,
 * complexfloat) counts before one for such kinds (int_kind, float_kind, complex_kind), and that before one for all. */
typedef struct kn_formatter {
    kn_element_text all, int_kind, float_kind, complex_kind;
    kn_element_text bool_, int_, float_, complexfloat;
    void *env;
} kn_formatter;
enum { KN_AS_SET = -2147483647 - 1 }; /* an option that is not given: as kn_set_printoptions says */
/* NumPy's print options. What is not given is as kn_set_printoptions says, in the beginning NumPy's default. Start
 * from kn_print_opts_default(): zero is a value here. */
typedef struct kn_print_opts {
    size_t size_;
    int precision;                 /* KN_AS_SET: digits after the point, in the beginning 8 */
    int64_t threshold;             /* KN_AS_SET: arrays with more elements are summarised, 1000 */
    int edgeitems;                 /* KN_AS_SET: how many items a summary shows at each end of an axis, 3 */
    int linewidth;                 /* KN_AS_SET: 75 */
    int suppress;                  /* KN_AS_SET: true: no scientific notation only because of small values, false */
    const char *floatmode;         /* NULL, as set, "maxprec"; or "maxprec", "maxprec_equal", "fixed", "unique" */
    char sign;                     /* of positive numbers: '-' none, '+' always, ' ' a blank; 0: as set, '-' */
    const char *nanstr;            /* NULL, as set, "nan" */
    const char *infstr;            /* NULL, as set, "inf" */
    const kn_formatter *formatter; /* NULL, as set, no functions */
} kn_print_opts;
#define KN_PRINT_DEFAULTS                                                                                              \
    (.precision = KN_AS_SET, .threshold = KN_AS_SET, .edgeitems = KN_AS_SET, .linewidth = KN_AS_SET,                   \
    .suppress = KN_AS_SET, )
KN_API kn_print_opts kn_print_opts_default(void);

/* What an argument of kn_printf or of an index is. */
enum { KN_ARG_INT, KN_ARG_UINT, KN_ARG_BOOL, KN_ARG_DOUBLE, KN_ARG_ARRAY, KN_ARG_TEXT };

/* ---- Text: printf of numbers, 0-d arrays and strings to standard output. */
typedef struct kn_printf_arg {
    int kind; int64_t integer; double number; kn_array array; const char *text;
} kn_printf_arg;
/* printf of numbers, 0-d arrays and strings to standard output, or to where kn_set_print says; kn_printf calls it.
 * Returns the number of characters written; -1 with a TypeError */
KN_API int kn_printf_args(const char *format, int n, const kn_printf_arg *args);

#ifdef __cplusplus
}
#endif
#endif
