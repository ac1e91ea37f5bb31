/* SPDX-License-Identifier: Apache-2.0
 * elements.h -- values to run generated code on, and comparing the bits. */
#ifndef KN_TEST_ELEMENTS_H
#define KN_TEST_ELEMENTS_H
#include <stdbool.h>
#include <stdint.h>

/* n elements of a dtype: extreme ones and random ones. */
void element_values(int dtype, void *to, int n, uint64_t *seed);
uint64_t element_random(uint64_t *seed);
/* Index of the first element that differs, -1 if none; NaNs are equal. */
int element_differs(int dtype, const void *got, const void *want, int n);
/* n elements that end (or begin, at_end = false) where memory ends: touching more is a fault. */
void *element_edge(int bytes, bool at_end);
#endif
