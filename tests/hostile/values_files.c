/* SPDX-License-Identifier: Apache-2.0
 * values_files.c -- lists, columns, headers and converters for the functions of files. */
#include "values.h"
#include <limits.h>

#define FROM_ADDRESS(table, n)                                                         \
    ({                                                                                 \
        int i_ = pick_null(name, n, (int)(sizeof(table) / sizeof *(table)) - (n) + 1); \
        i_ == (n) ? NULL : &(table)[i_ - (i_ > (n))];                                  \
    })

p_kn_int_list take_p_kn_int_list(const char *name)
{
    static const int64_t at[] = {0, 1, -1, INT64_MIN, INT64_MAX};
    static const kn_int_list table[] = {{1, at}, {2, at}, {0, NULL}, {5, at}, {2, NULL}, {-1, at}, {INT_MIN, NULL}};
    return FROM_ADDRESS(table, 2);
}

p_kn_text_list take_p_kn_text_list(const char *name)
{
    static const char *const at[] = {"#", "%d", "", NULL};
    static const kn_text_list table[] = {{1, at}, {2, at}, {0, NULL}, {4, at}, {2, NULL}, {-1, at}, {INT_MIN, NULL}};
    return FROM_ADDRESS(table, 2);
}

p_kn_optim_galore_dimension_numbers_list take_p_kn_optim_galore_dimension_numbers_list(const char *name)
{
    static const kn_optim_galore_dimension_numbers at[] = {{{{2}, {0}}, {{2}, {1}}},
                                                           {{{0}, {0}}, {{0}, {0}}},
                                                           {{{INT_MAX}, {INT_MIN}}, {{-1}, {0}}},
                                                           {{{3}, {INT_MIN, INT_MAX}}, {{1}, {0}}}};
    static const kn_optim_galore_dimension_numbers_list table[] = {
        {1, at}, {2, at}, {0, NULL}, {4, at}, {2, NULL}, {-1, at}, {1, at + 2}, {1, at + 3}, {INT_MIN, NULL}};
    return FROM_ADDRESS(table, 2);
}

p_kn_text_columns take_p_kn_text_columns(const char *name)
{
    static const kn_text_column at[] = {
        {.column = 0, .missing_values = "x,y"}, {.column = -1}, {.column = INT64_MIN}, {.column = INT64_MAX}};
    static const kn_text_columns table[] = {{1, at}, {2, at}, {0, NULL}, {4, at}, {2, NULL}, {-1, at}, {INT_MIN, NULL}};
    return FROM_ADDRESS(table, 2);
}

p_kn_npy_header take_p_kn_npy_header(const char *name)
{
    static kn_npy_header table[] = {
        {.shape = {1, {3}}}, {.shape = {0, {0}}}, {.shape = {-1, {3}}}, {.shape = {70, {3}}}, {.shape = {2, {-3, 1}}}};
    for (size_t i = 0; i < 4; i++)
        table[i].dtype = KN_F32;
    return FROM_ADDRESS(table, 2);
}

static bool convert_none(void *env, const char *field, size_t length, void *element)
{
    return (void)env, (void)field, (void)length, (void)element, false;
}

kn_converter take_kn_converter(const char *name) { return pick_null(name, 1, 1) ? NULL : convert_none; }
