/* SPDX-License-Identifier: Apache-2.0
 * models.h -- what the files of kiln_models share: memory that is freed at once, mapped files. This library stands on
 * Kiln's public functions alone. */
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
void knmodels_arena_join(knmodels_arena *a, knmodels_arena *more); /* more's pieces die with a's; it is empty then */

/* The bytes of a file: mapped where the system can, copied on write; or a copy of memory. They live while somebody
 * holds them; counting is safe on any thread. */
typedef struct knmodels_map { const char *at; size_t n; } knmodels_map;
knmodels_map *knmodels_map_file(const char *operation, const char *path); /* NULL with an error */
knmodels_map *knmodels_map_copy(const char *operation, const void *bytes, size_t n);
knmodels_map *knmodels_map_hold(knmodels_map *m);
void knmodels_map_drop(knmodels_map *m);
/* Elements of a file, the lowest byte first, as an array: a copy. Carries an error. */
kn_array knmodels_array(const void *at, const kn_shape *shape, kn_dtype dtype);
/* The same of elements in the map: a view that holds it where they are aligned and in this machine's order. */
kn_array knmodels_map_array(knmodels_map *m, const void *at, const kn_shape *shape, kn_dtype dtype);
#endif
