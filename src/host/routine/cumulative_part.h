/* SPDX-License-Identifier: Apache-2.0
 * cumulative_part.h -- the loops of cumulative operations, each for one kind of numbers: groups of 16 steps, and what
 * goes from group to group and from block to block (docs/determinism.md). */
#ifndef KN_HOST_ROUTINE_CUMULATIVE_PART_H
#define KN_HOST_ROUTINE_CUMULATIVE_PART_H
#include "host/routine/cumulative.h"

/* Some groups of one block. The carry is what all groups before have given, and is brought up to date; each result is
 * joined to the prefix. Both begin as numbers that change nothing; complex numbers have none: there `begins` says that
 * there is no carry yet, and the prefix may be NULL. */
typedef struct knr_cumulate_part {
    void *carry;
    const void *prefix;
    knr_cumulate how; /* max for min, too: it flips */
    uint64_t flip;    /* max and min are those of signed numbers whose bits are turned round like this */
    int64_t ahead;  /* of columns: bytes to the same place in the next group */
    bool reverse;   /* of a line: the last one first */
    bool begins;
    bool bypass;    /* past the caches, all addresses being multiples of 64; a store fence has to follow */
} knr_cumulate_part;

typedef void knr_cumulate_line(const void *x, void *y, int64_t n, int64_t lines, const knr_cumulate_part *p);
typedef void knr_cumulate_columns(const void *const *x, void *const *y, int64_t n, const knr_cumulate_part *p);

typedef struct knr_cumulate_loops {
    int size; /* bytes of a number */
    /* n steps side by side, and so again in the next line; y may be x; NULL: the carry only. Of several lines carry and
     * prefix are as they begin. If n is no multiple of 16 the carry that comes out means nothing. */
    knr_cumulate_line *line[KNR_CUMULATE_COUNT];
    /* 16 steps of n numbers each, with a carry and a prefix for each (room for a multiple of 16); y[i] may be x[i] */
    knr_cumulate_columns *columns[KNR_CUMULATE_COUNT];
} knr_cumulate_loops;

typedef void knr_cumulate_convert(const void *from, void *to, int64_t n);

typedef struct knr_cumulate_kinds {
    knr_cumulate_loops loops[4]; /* float32, float64, 32 and 64 bits */
    knr_cumulate_loops complex64, complex128; /* sums (of complex64) and products in lines; without vectors none */
    /* from and to 32 bits; NULL for other dtypes */
    knr_cumulate_convert *widen[KN_ID_COUNT], *narrow[KN_ID_COUNT];
} knr_cumulate_kinds;
extern const knr_cumulate_kinds knr_cumulate_base, knr_cumulate_avx2, knr_cumulate_avx512;
/* complex64 and complex128: columns only, and no sums */
extern const knr_cumulate_loops knr_cumulate_complex[2];
knr_cumulate_columns knr_cumulate_product_c64, knr_cumulate_product_c128;

/* One step after the other. */
knr_cumulate_line knr_cumulate_product_u32, knr_cumulate_product_u64, knr_cumulate_max_u64;

/* The steps inside of a group: element [1] becomes the join of [0] and [1]. */
enum { KNR_CUMULATE_JOINS = 32 };
extern const uint8_t knr_cumulate_joins[KNR_CUMULATE_JOINS][2];
#endif
