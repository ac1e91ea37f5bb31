/* SPDX-License-Identifier: Apache-2.0
 * sort_vector_isa.c -- sorting by vectors, compiled once per instruction set. */
#include "base/isa_name.h"
#include "host/routine/sort_vector.h"
#include <stddef.h>

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#include <string.h>
#define ALWAYS static inline __attribute__((always_inline))
#if defined(__AVX512F__)
#define BYTES 64
#define ROWS  16 /* vectors, at most, that a network sorts */
#else
#define BYTES 32
#define ROWS  8
#endif
#define UNROLL _Pragma("GCC unroll 64")

/* Batcher's merge exchange sorts, of 16 rows, of 8, of 4 and of 2. */
static const unsigned char exchanges[][2] = {
    /* 16 */ {0, 1}, {2, 3},   {4, 5},   {6, 7},  {8, 9},   {10, 11}, {12, 13}, {14, 15}, {0, 2},  {1, 3},
    {4, 6},          {5, 7},   {8, 10},  {9, 11}, {12, 14}, {13, 15}, {1, 2},   {5, 6},   {9, 10}, {13, 14},
    {0, 4},          {1, 5},   {2, 6},   {3, 7},  {8, 12},  {9, 13},  {10, 14}, {11, 15}, {2, 4},  {3, 5},
    {10, 12},        {11, 13}, {1, 2},   {3, 4},  {5, 6},   {9, 10},  {11, 12}, {13, 14}, {0, 8},  {1, 9},
    {2, 10},         {3, 11},  {4, 12},  {5, 13}, {6, 14},  {7, 15},  {4, 8},   {5, 9},   {6, 10}, {7, 11},
    {2, 4},          {3, 5},   {6, 8},   {7, 9},  {10, 12}, {11, 13}, {1, 2},   {3, 4},   {5, 6},  {7, 8},
    {9, 10},         {11, 12}, {13, 14},
    /* 8 */ {0, 1},  {2, 3},   {4, 5},   {6, 7},  {0, 2},   {1, 3},   {4, 6},   {5, 7},   {1, 2},  {5, 6},
    {0, 4},          {1, 5},   {2, 6},   {3, 7},  {2, 4},   {3, 5},   {1, 2},   {3, 4},   {5, 6},
    /* 4 */ {0, 1},  {2, 3},   {0, 2},   {1, 3},  {1, 2},
    /* 2 */ {0, 1},
};

#define BITS 32
#include "host/routine/sort_vector_loops.h"
#define BITS 64
#include "host/routine/sort_vector_loops.h"

const knr_sort_vector *const KN_ISA_NAME(knr_sort_vector)[2] = {&vector_32, &vector_64};
#else
const knr_sort_vector *const KN_ISA_NAME(knr_sort_vector)[2] = {NULL, NULL};
#endif
