/* SPDX-License-Identifier: Apache-2.0
 * product_case.h -- products for tests: operands with random numbers, and the result as docs/determinism.md defines it,
 * one element after the other. */
#ifndef KN_TESTS_PRODUCT_CASE_H
#define KN_TESTS_PRODUCT_CASE_H
#include "host/routine/product.h"

/* How a product is run. Zero: as a whole on one thread, from memory to memory. */
typedef struct product_way {
    int threads;
    bool fill_a, fill_b, finish;
    int64_t rows, steps; /* not 0: in parts of so many rows, and of so many steps */
} product_way;

uint32_t product_random(void);
/* Strides of c as of the contiguous array [batch][m][n]. */
knk_product product_with_plain_result(knk_product p);
int64_t product_extent(const knk_dims *d);
/* Runs it so, and fails the test where a bit differs from the definition. */
void product_check(const knk_product *p, const product_way *way, const char *what);
/* The definition is made once for all of them. */
void product_check_ways(const knk_product *p, int n, const product_way *way, const char *what);
#endif
