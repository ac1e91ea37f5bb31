/* SPDX-License-Identifier: Apache-2.0
 * windows.h -- reading and writing windows of a table at positions that are data: what gather and the scatters run.
 *
 * A dense array has one window for each point; the indices give every point's start in the table. Element number of a
 * table's element: the point's own part (batching dimensions), the start, the place in the window. All strides are in
 * elements. */
#ifndef KN_HOST_ROUTINE_WINDOWS_H
#define KN_HOST_ROUTINE_WINDOWS_H
#include "base/dtype.h"
#include "base/error.h"

typedef enum {
    KNR_OUT_CLIP,  /* a start out of bounds is moved to the nearest one inside */
    KNR_OUT_SKIP,  /* gather: such a window is all `fill`; scatter: it is left out */
    KNR_OUT_ERROR, /* IndexError */
} knr_out_of_bounds;

typedef struct knr_windows {
    kn_dtype dtype, index_dtype;
    knr_out_of_bounds mode;
    knx_scalar_bits fill;
    int n_point; /* dimensions of the points: those of the indices but the last */
    int64_t point[KN_MAX_NDIM], point_dense[KN_MAX_NDIM], point_table[KN_MAX_NDIM];
    int n_index; /* how many numbers make a start; they lie side by side */
    int64_t index_table[KN_MAX_NDIM],
        index_most[KN_MAX_NDIM]; /* stride in the table, largest start (-1: none is possible) */
    int64_t index_axis[KN_MAX_NDIM], index_size[KN_MAX_NDIM]; /* for messages: axis and its extent */
    bool wraps; /* negative numbers count from the end of their axis */
    int n_window;
    int64_t window[KN_MAX_NDIM], window_dense[KN_MAX_NDIM], window_table[KN_MAX_NDIM];
    bool windows_last; /* the dense array's window dimensions come after those of the points */
    bool may_cross;    /* windows of different points may meet at different places of theirs */
} knr_windows;

/* IndexError for the first number of the indices that is out of bounds, whatever the mode. */
knx_error *knr_check_bounds(const knr_windows *w, const void *indices, int threads);
/* Are n indices positions of an axis of this extent? wraps: negative ones count from its end. */
bool knr_are_inside(kn_dtype d, const void *indices, int64_t n, int64_t extent, bool wraps, int threads);
/* Numbers of starts of one dimension, `step` from each other, as places of a table: at[k] += number k times `stride`.
 * Negative ones count from the extent. False: some are out of bounds. */
bool knr_places(kn_dtype d, const void *indices, int64_t step, int64_t n, int64_t extent, int64_t stride, int64_t *at);
/* By so many threads at most. */
knx_error *knr_gather(const knr_windows *w, const void *table, const void *indices, void *dense, int threads);

/* What an update makes of the table's element: replaces it, is added to it, ... Keys can only be replaced. */
typedef enum { KNR_SET, KNR_ADD, KNR_MUL, KNR_MIN, KNR_MAX } knr_combine;
/* Into the table, element after element in C order of `dense`. By so many threads at most, with the memory that is
 * asked for; NULL: by one. Where a start is an error the others may have been combined. */
size_t knr_scatter_workspace(int threads);
knx_error *knr_scatter(const knr_windows *w, knr_combine how, void *table, const void *indices, const void *dense,
                       void *workspace, int threads);
#endif
