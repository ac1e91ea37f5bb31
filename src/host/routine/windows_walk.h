/* SPDX-License-Identifier: Apache-2.0
 * windows_walk.h -- what gather and the scatters share: starts of windows, a window as a nest of loops, the way from
 * point to point. */
#ifndef KN_HOST_ROUTINE_WINDOWS_WALK_H
#define KN_HOST_ROUTINE_WINDOWS_WALK_H
#include "host/routine/scatter_loops.h"
#include "host/routine/windows.h"
#include <string.h>

/* Where the window of the point whose numbers begin at `indices[at]` starts; false: it is to be skipped. */
bool knr_window_start(const knr_windows *w, const void *indices, int64_t at, int64_t *start);
/* Is a start one number, of the dtypes that positions usually have? Then those of points from number p on. */
bool knr_is_plain(const knr_windows *w);
knr_plain_starts knr_plain(const knr_windows *w, const void *indices, int64_t p);
int64_t knr_elements(int n, const int64_t *extent);

/* A window. Its dimensions have been merged where they lie alike in both arrays, so that rows of a table are one run of
 * contiguous elements. */
typedef struct knr_nest {
    int n;
    int64_t extent[KN_MAX_NDIM + 1], dense[KN_MAX_NDIM + 1], table[KN_MAX_NDIM + 1];
} knr_nest;
void knr_make_nest(const knr_windows *w, knr_nest *r);
/* The next line of a nest (all its dimensions but the last). */
bool knr_next_line(const knr_nest *s, int64_t *at, int64_t *dense, int64_t *table);
/* The next point: its part of the element numbers; and that of a point by its number. */
void knr_next_point(const knr_windows *w, int64_t *at, int64_t *dense, int64_t *table);
void knr_to_point(const knr_windows *w, int64_t point, int64_t *at, int64_t *dense, int64_t *table);
/* The distance between neighbours of the points in the dense array; 0: it is not the same everywhere. */
int64_t knr_point_step(const knr_windows *w);

typedef struct knr_wide {
    uint64_t v[2];
} knr_wide; /* of 16 bytes */
/* A few bytes, most often of a number that a row of floats has. */
static inline void knr_copy_row(char *to, const char *from, size_t bytes)
{
    switch (bytes) {
    case 8: memcpy(to, from, 8); return;
    case 16: memcpy(to, from, 16); return;
    case 32: memcpy(to, from, 32); return;
    case 64: memcpy(to, from, 64); return;
    default: memcpy(to, from, bytes);
    }
}
/* n elements of `size` bytes; a step of 0 repeats one. */
void knr_copy_line(int size, void *to, int64_t to_step, const void *from, int64_t from_step, int64_t n);
#endif
