/* SPDX-License-Identifier: Apache-2.0
 * table.h -- TABLE (a file) as functions, one for each row, and as the array of rows NAME. */
#define SAME(name, there, ...)         \
    static kn_array CALL_OF_ROW(void) \
    {                                  \
        return __VA_ARGS__;            \
    }
#define NEAR(tolerance, name, there, ...) SAME(name, there, __VA_ARGS__)
#include TABLE
#undef SAME
#undef NEAR
#define SAME(name, there, ...) {#name, #__VA_ARGS__, CALL_OF_ROW, 0},
#define NEAR(tolerance, name, there, ...) {#name, #__VA_ARGS__, CALL_OF_ROW, tolerance},
static const row table[] = {
#include TABLE
};
const rows NAME = {table, (int)(sizeof table / sizeof *table)};
