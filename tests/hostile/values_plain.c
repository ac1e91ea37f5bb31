/* SPDX-License-Identifier: Apache-2.0
 * values_plain.c -- levels of the eager graph, and lists of parameters of primitives. */
#include "tables.h"
#include <limits.h>

m_kn_level take_m_kn_level(const char *name)
{
    static kn_level level;
    int i = pick_null(name, 1, 2);
    kn_level_end(&level);
    level = i == 0 ? kn_tape_begin() : NULL;
    return i == 1 ? NULL : &level;
}

kn_params take_kn_params(const char *name)
{
    static const kn_param one[] = {{"n", KN_PARAM_INT, 0}}, odd[] = {{"n", KN_PARAM_DOUBLE, 4}},
                          kind[] = {{"n", -4, 0}}, far[] = {{"n", KN_PARAM_BOOL, SIZE_MAX}}, bare[] = {{NULL, 1, 0}},
                          twice[] = {{"n", KN_PARAM_INT, 0}, {"n", KN_PARAM_INT, 8}};
    static const kn_params table[] = {{8, 1, one},        {0, 0, NULL},       {8, 1, NULL}, {8, -1, one},
                                      {8, INT_MAX, one},  {SIZE_MAX, 1, one}, {8, 1, odd},  {8, 1, kind},
                                      {SIZE_MAX, 1, far}, {8, 1, far},        {8, 1, bare}, {16, 2, twice},
                                      {16, 1, one},       {0, 1, one}};
    return FROM(table, 2);
}
