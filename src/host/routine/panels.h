/* SPDX-License-Identifier: Apache-2.0
 * panels.h -- LU factors, which go by panels of columns: what is right of a panel loses what the panel contributes in
 * strips of columns, which threads share; the one that comes first takes the columns of the next panel and factors
 * them, while the others work on the rest (near.h). How wide panels are follows from the shape and the dtype, since
 * the order of operations depends on it; the strips' width does not matter to the bits. */
#ifndef KN_HOST_ROUTINE_PANELS_H
#define KN_HOST_ROUTINE_PANELS_H
#include "host/routine/matrix_product.h"

/* Columns of a panel where there are so many steps. */
int64_t knr_panel_width(kn_dtype d, int64_t steps);

typedef struct knr_panels {
    kn_dtype dtype;
    const knr_linalg_loops *f;
    int threads;
    int64_t steps, columns, width, strip;
    /* Of panels with an even and with an odd number: the columns, each a row here (`plane`), with room before their
     * first number for as many as a panel has columns; the same in rows of the dtype (`rows`); and the triangle of its
     * first rows in planes, which for real numbers is `rows`. */
    knr_planes plane[2], triangle[2];
    char *rows[2];
    int64_t rows_ld;
    /* Of a thread: `width` rows of a strip in planes, `number` numbers of the dtype, and what products need. */
    knr_planes own; /* the first thread's */
    size_t own_bytes, product_bytes;
    char *product;
} knr_panels;

/* The parts of `workspace` (NULL: their bytes are counted) for panels of up to `rows` rows. product: bytes. */
size_t knr_panels_take(knr_panels *p, void *workspace, kn_dtype d, int64_t rows, int64_t steps, int64_t columns,
                       int threads, size_t product);
/* Numbers from `from` on, which may be negative. */
knr_planes knr_panels_part(const knr_panels *p, knr_planes x, int64_t from);
knr_planes knr_panels_own(const knr_panels *p, int worker);
/* Products of one thread. With `most` they only say what workspace they need. */
knr_products knr_panels_products(const knr_panels *p, int worker, size_t *most);

/* Columns from .. to lose what the panel of the columns from `first` on contributes; the panel of the columns from
 * `first` on loses what the one before it does (if there is one), and is factored. */
typedef struct knr_panel_steps {
    void (*update)(void *x, int64_t first, int64_t from, int64_t to, int worker);
    void (*factor)(void *x, int64_t first, int worker);
} knr_panel_steps;
void knr_panels_run(const knr_panels *p, const knr_panel_steps *f, void *x);

/* The panel's columns go from its plane to its rows, from there to rows of memory, n numbers apart. */
void knr_panels_put(const knr_panels *p, int64_t first, int64_t rows, char *to, int64_t n);

/* Places in matrices of the dtype; those of no matrix stay none. */
static inline const void *knr_place_of(kn_dtype d, const void *base, int64_t index)
{
    return base ? (const char *)base + index * (int64_t)d->size : NULL;
}
static inline void *knr_place_to(kn_dtype d, void *base, int64_t index)
{
    return base ? (char *)base + index * (int64_t)d->size : NULL;
}
/* Numbers from row to row of a copy: an odd number of cache lines, so that rows do not compete for the same sets. */
int64_t knr_row_length(int64_t length, int64_t size);
/* Planes of `rows` rows, and what is behind them. */
knr_planes knr_planes_take(knr_arena *a, kn_dtype d, int64_t rows, int64_t length);
#endif
