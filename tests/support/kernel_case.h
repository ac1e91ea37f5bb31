/* SPDX-License-Identifier: Apache-2.0
 * kernel_case.h -- a kernel with the numbers of a launch, memory of the right size for it, and random data: what tests
 * of backends run. */
#ifndef KN_SUPPORT_KERNEL_CASE_H
#define KN_SUPPORT_KERNEL_CASE_H
#include "kernel/kernel.h"

typedef struct kernel_case {
    knk_kernel *k;
    knk_launch l;        /* but for the buffers */
    int *alias;          /* per buffer: the first one with the same base: itself, or an earlier one */
    bool *index;         /* per buffer: its values go into indices of loads and are kept small */
    int64_t *low, *high; /* per buffer: elements [low, high) from the base on are there; for alias[b] == b */
    knx_arena arena;
} kernel_case;

/* Reads what knh_dump_text wrote. */
knx_error *kernel_case_parse(const char *text, kernel_case *c);
/* A case for a kernel, which it takes: extents per loop; maps without gaps but where the innermost stride is of the
 * class ANY. `inner`: of all stages, one after the other; those of a stage's loops come after its inner ones. */
knx_error *kernel_case_dense(knk_kernel *k, const int64_t *par, const int64_t *inner, kernel_case *c);
void kernel_case_free(kernel_case *c);
/* Makes extents smaller until there are at most so many points; turns of loops count, where they are limited. */
void kernel_case_shrink(kernel_case *c, double most_points);
double kernel_case_points(const kernel_case *c); /* of the largest stage */

/* Memory with random data, special values among them; the same seed gives the same data. NULL: no memory, or the
 * indices of loads lead too far. kernel_case_base: what a launch wants for it. */
typedef struct kernel_data {
    void **base, **block;
    int n;
} kernel_data;
kernel_data *kernel_data_new(kernel_case *c, uint64_t seed);
kernel_data *kernel_data_copy(const kernel_case *c, const kernel_data *d);
void kernel_data_free(kernel_data *d);
/* The number of elements that differ in bits, NaNs being equal; *words: how many were compared. `where`, if not NULL,
 * gets a line about the first difference. */
int64_t kernel_data_differences(const kernel_case *c, const kernel_data *a, const kernel_data *b, int64_t *words,
                                char *where, size_t room);
#endif
