/* SPDX-License-Identifier: Apache-2.0
 * str.h -- a growing string. A failed allocation sticks: everything after it does nothing, and the caller asks once,
 * at the end. */
#ifndef KN_BASE_STR_H
#define KN_BASE_STR_H
#include "kiln/types.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct knx_str {
    char *s;
    size_t n, cap;
    bool failed;
} knx_str; /* s is NULL while empty, else NUL-terminated */

void knx_str_add(knx_str *t, const char *s, size_t n);
void knx_str_puts(knx_str *t, const char *s);
void knx_str_printf(knx_str *t, const char *format, ...) KN_PRINTF_LIKE(2, 3);
void knx_str_pad(knx_str *t, char c, int64_t count); /* nothing for a negative count */
char *knx_str_take(knx_str *t); /* the knx_alloc'ed text, "" if empty; NULL without memory. t is empty again */
void knx_str_free(knx_str *t);
#endif
