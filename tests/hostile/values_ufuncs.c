/* SPDX-License-Identifier: Apache-2.0
 * values_ufuncs.c -- what ufuncs are given beside arrays, sound and otherwise; see values.h. */
#include "tables.h"
#include <limits.h>
#include <string.h>

kn_operands take_kn_operands(const char *name)
{
    static kn_array two[2];
    two[0] = two[1] = kn_like_double(1.5);
    const kn_operands table[] = {{2, two}, {1, two}, {0, NULL}, {-1, two}, {3, NULL}, {INT_MAX, two}, {2, NULL}};
    return FROM(table, 3);
}

kn_axes_list take_kn_axes_list(const char *name)
{
    static const kn_axes three[3] = {{{2}, {0}}, {{1}, {0}}, {{2}, {-70}}};
    static const kn_axes_list table[] = {{0, NULL}, {3, three}, {2, three}, {-1, three}, {3, NULL}, {INT_MAX, three}};
    return FROM(table, 2);
}

static void no_strip(char **args, const int64_t *dimensions, const int64_t *steps, void *data)
{
    (void)data;
    for (int64_t i = 0; i < dimensions[0]; i++)
        memset(args[1] + i * steps[1], 0, 8);
}

kn_ufunc_loops take_kn_ufunc_loops(const char *name)
{
    static const kn_ufunc_loop one[] = {{"d->d", no_strip, NULL}}, bare[] = {{NULL, no_strip, NULL}},
                               none[] = {{"d->d", NULL, NULL}}, odd[] = {{"->", no_strip, NULL}};
    static const kn_ufunc_loops table[] = {{1, one},       {0, NULL}, {1, NULL}, {-1, one},
                                           {INT_MAX, one}, {1, bare}, {1, none}, {1, odd}};
    return FROM(table, 2);
}

p_kn_dtype take_p_kn_dtype(const char *name)
{
    static kn_dtype some[8];
    int i = pick_null(name, 1, 2);
    for (int k = 0; k < 8; k++)
        some[k] = i == 2 ? NULL : KN_F64;
    return i == 1 ? NULL : some;
}

m_kn_dtype take_m_kn_dtype(const char *name)
{
    static kn_dtype out[8];
    return pick_null(name, 1, 1) ? NULL : out;
}
