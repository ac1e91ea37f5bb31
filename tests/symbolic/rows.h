/* SPDX-License-Identifier: Apache-2.0
 * rows.h -- TABLE (a file) as functions, one for each row, and as the array of rows NAME. */
#define FUNCTION_OF_ROW KN_CAT(row_, __LINE__)
#define CALL(types, ...)                                                                     \
    static void *FUNCTION_OF_ROW(__attribute__((unused)) const kn_array *x) { return (__VA_ARGS__); }
#define REFUSED(types, message, ...) CALL(types, __VA_ARGS__)
#include TABLE
#undef CALL
#undef REFUSED
#define CALL(types, ...)             {#__VA_ARGS__, types, NULL, FUNCTION_OF_ROW, #__VA_ARGS__},
#define REFUSED(types, message, ...) {#__VA_ARGS__, types, message, FUNCTION_OF_ROW, #__VA_ARGS__},
static const symbolic_case table[] = {
#include TABLE
};
const rows NAME = {table, sizeof table / sizeof *table};
