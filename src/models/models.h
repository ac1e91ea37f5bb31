/* SPDX-License-Identifier: Apache-2.0
 * models.h -- what the files of kiln_models share: memory that is freed at once. This library stands on Kiln's public functions
 * alone. */
#ifndef KN_MODELS_MODELS_H
#define KN_MODELS_MODELS_H
#include "beside/beside.h"

/* Memory of many small pieces that die together. */
typedef struct knmodels_arena { struct knmodels_block *last; } knmodels_arena;
/* Zeroed memory for n elements of so many bytes, aligned for any; NULL: no memory, or no such number. */
void *knmodels_take(knmodels_arena *a, uint64_t n, size_t size);
/* A copy of n bytes with a zero behind them. */
char *knmodels_take_text(knmodels_arena *a, const char *s, size_t n);
void knmodels_arena_free(knmodels_arena *a);
#endif
