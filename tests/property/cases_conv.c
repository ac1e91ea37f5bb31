/* SPDX-License-Identifier: Apache-2.0
 * cases_conv.c -- samples of conv_general_dilated. */
#include "cases.h"

/* strides, padding below and above, dilations of lhs and rhs, specs of lhs, rhs and the result, groups */
#define CONV_OF(name, list, from, how, prefer, ...) \
    {.prim = &knp_prim_conv_general_dilated,        \
     .label = name,                                 \
     .dtypes = list,                                \
     .operands = from,                              \
     .params = &(kni_p_conv){__VA_ARGS__, prefer},  \
     .whole = ref_conv,                             \
     .flags = how,                                  \
     .ulp = 8},
#define CONV(name, list, from, ...) CONV_OF(name, list, from, 0, NULL, __VA_ARGS__)
/* one, two, three spatial dimensions in the order of the default */
#define LINE  INTS(0, 1, 2), INTS(0, 1, 2), INTS(0, 1, 2)
#define PLANE INTS(0, 1, 2, 3), INTS(0, 1, 2, 3), INTS(0, 1, 2, 3)
#define SPACE INTS(0, 1, 2, 3, 4), INTS(0, 1, 2, 3, 4), INTS(0, 1, 2, 3, 4)
#define NHWC  INTS(0, 3, 1, 2), INTS(3, 2, 0, 1), INTS(0, 3, 1, 2)
#define ONES  INTS(1, 1)
#define ZERO  INTS(0, 0)
#define PREFER(to, name, list)                                                                                       \
    CONV_OF("to_" name, list, "T[2,2,5] T[3,2,2]", NO_SLOPE, KN_DT(to), INTS(1), INTS(1), INTS(0), INTS(1), INTS(1), \
            LINE, 1, 1)

const sample samples_conv[] = {
#include "conv.def"
    {.prim = NULL},
};
