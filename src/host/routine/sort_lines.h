/* SPDX-License-Identifier: Apache-2.0
 * sort_lines.h -- the lines of an array [outer, length, inner] along its middle axis, shared among threads: short ones
 * go to a thread each, some at a time; all threads work on one longer line after the other. Columns, which lie side by
 * side, are turned into rows, some of which are read and written together. */
#ifndef KN_HOST_ROUTINE_SORT_LINES_H
#define KN_HOST_ROUTINE_SORT_LINES_H
#include "base/dtype.h"

enum {
    KNR_SORT_SHARE = 1 << 16, /* elements of lines, at most, that go to a thread each */
    KNR_SIDE_BY_SIDE = 16     /* columns that are turned together */
};

/* Lines that one call works on: with inner 1 rows one behind the other, of each outer position from `outer` on;
 * otherwise columns side by side of one outer position, at inner positions from `inner` on. */
typedef struct knr_some_lines {
    const void *x; /* as rows, one behind the other */
    int64_t many, outer, inner;
    void *workspace;
    int threads; /* that share a line */
} knr_some_lines;

typedef struct knr_lines {
    int64_t outer, length, inner;
    int size, threads;
    void (*run)(const void *what, const knr_some_lines *lines);
    /* The memory that threads need for one line, or lines together: some, and as much more for each element of a line
     * and for each of m other things. */
    size_t (*bytes)(const void *what, int64_t length, int64_t m, int threads);
    const void *what;
    bool one_by_one;  /* run has one line each time */
    bool as_they_lie; /* columns are not turned; x is NULL then */
} knr_lines;

int64_t knr_lines_workspace(const knr_lines *l, int64_t m); /* bytes, perhaps an expression of unknown extents */
void knr_lines_run(const knr_lines *l, const void *x, int64_t m, void *workspace);
/* Rows, of elements of `size` bytes, to columns whose first element is at y. */
void knr_rows_to_columns(int size, const void *rows, void *y, int64_t length, int64_t many, int64_t inner);
#endif
