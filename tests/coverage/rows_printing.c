/* SPDX-License-Identifier: Apache-2.0
 * rows_printing.c -- the calls of printing.def. */
#include "coverage/coverage.h"
#include <stdio.h>

/* str(y) between two calls that change the print options. */
#define WITH_OPTIONS(before, after)         \
    __extension__({                         \
        before;                             \
        const char *text = kn_array_str(y); \
        after;                              \
        TEXT(text);                         \
    })
#define OPTIONS_IN_FORCE(call)                                                                            \
    __extension__({                                                                                       \
        kn_print_opts o = call;                                                                           \
        kn_of(double, (double)o.precision, (double)o.threshold, (double)o.edgeitems, (double)o.linewidth, \
              (double)o.suppress);                                                                        \
    })
#define RATIO(call)                                                      \
    __extension__({                                                      \
        kn_integer_ratio pair = call;                                    \
        kn_of(double, (double)pair.numerator, (double)pair.denominator); \
    })
#define NAMES(call) names_of(call)
/* An array that carries an error of this kind, which is cleared. */
#define FAILS(call, kind)                                           \
    __extension__({                                                 \
        bool there = !kn_ok(call) && kn_error_get_kind() == (kind); \
        kn_error_clear();                                           \
        TRUTH(there);                                               \
    })

static kn_array names_of(kn_array_namespace_dtypes list)
{
    char names[400] = "";
    for (int k = 0; k < list.n; k++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", k ? "," : "",
                 kn_dtype_name(list.dtype[k]));
    return TEXT(names);
}

#define TABLE "coverage/printing.def"
#define NAME  rows_printing
#include "coverage/table.h"
