/* SPDX-License-Identifier: Apache-2.0
 * tables.h -- tables of values, of which the driver chooses one. */
#ifndef HOSTILE_TABLES_H
#define HOSTILE_TABLES_H
#include "values.h"

#define SIZE(a) ((int)(sizeof(a) / sizeof *(a)))

/* A value of a table: the first `n` are sound. */
#define FROM(table, n)      ((table)[pick(name, n, SIZE(table) - (n))])
#define FROM_NULL(table, n) ((table)[pick_null(name, n, SIZE(table) - (n))]) /* table[n] is NULL */

enum { ROUND = 8 }; /* a function takes no more values of one type at once */
kn_shape shape_number(int i); /* shapes.c; of 16 and more */
#endif
