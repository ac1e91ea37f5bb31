/* SPDX-License-Identifier: Apache-2.0
 * sort_columns.c -- columns as rows, and back. */
#include "host/routine/sort_columns.h"

#define BY_SIZE              \
    switch (size) {          \
    case 1: TURN(uint8_t);   \
    case 2: TURN(uint16_t);  \
    case 4: TURN(uint32_t);  \
    default: TURN(uint64_t); \
    }

#define TURN(T)                                                           \
    for (int64_t i = 0; i < n; i++)                                       \
        for (int64_t l = 0; l < lines; l++)                               \
            ((T *)rows)[l * n + i] = ((const T *)columns)[i * inner + l]; \
    break
void knr_columns_to_rows(int size, const void *columns, void *rows, int64_t n, int64_t lines, int64_t inner) { BY_SIZE }
#undef TURN

#define TURN(T)                                                           \
    for (int64_t i = 0; i < n; i++)                                       \
        for (int64_t l = 0; l < lines; l++)                               \
            ((T *)columns)[i * inner + l] = ((const T *)rows)[l * n + i]; \
    break
void knr_rows_to_columns(int size, const void *rows, void *columns, int64_t n, int64_t lines, int64_t inner) { BY_SIZE }
