/* SPDX-License-Identifier: Apache-2.0
 * sort_vector_isa.c -- sorting by vectors, compiled once per instruction set. */
#include "host/routine/sort_vector.h"
#include <stddef.h>

#ifndef KN_ISA
#define KN_ISA base
#endif
#define PASTE_(a, b) a##b
#define PASTE(a, b)  PASTE_(a, b)

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#include <string.h>
#define ALWAYS static inline __attribute__((always_inline))
#if defined(__AVX512F__)
#define BYTES 64
#else
#define BYTES 32
#endif

#define BITS 32
#include "host/routine/sort_vector_loops.h"
#define BITS 64
#include "host/routine/sort_vector_loops.h"

const knr_sort_vector *const PASTE(knr_sort_vector_, KN_ISA)[2] = {&vector_32, &vector_64};
#else
const knr_sort_vector *const PASTE(knr_sort_vector_, KN_ISA)[2] = {NULL, NULL};
#endif
