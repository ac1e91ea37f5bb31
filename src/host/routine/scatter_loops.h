/* SPDX-License-Identifier: Apache-2.0
 * scatter_loops.h -- inner loops of scatter.c, one set for each instruction set. */
#ifndef KN_HOST_ROUTINE_SCATTER_LOOPS_H
#define KN_HOST_ROUTINE_SCATTER_LOOPS_H
#include <stdbool.h>
#include <stdint.h>

/* A window that is to be combined: its element of the table, and behind it, in the upper half, the number of its point
 * in the chunk. */
typedef uint64_t knr_start;
static inline knr_start knr_start_of(uint64_t at, uint64_t point) { return (uint32_t)at | point << 32; }
static inline uint32_t knr_at(knr_start x) { return (uint32_t)x; }
static inline int64_t knr_point(knr_start x) { return (int64_t)(x >> 32); }
/* Of 2^bits owners the one of an element: all of 2^line_bits have one. */
static inline uint32_t knr_owner(uint32_t at, int line_bits, int bits)
{
    return (uint32_t)(((uint64_t)((at >> line_bits) * 0x9e3779b1u) << bits) >> 32);
}

/* Starts that are one number each: most is the largest one, back is added to negative ones, stride is that of the
 * table, below 2^32. */
typedef struct knr_plain_starts {
    const void *indices;
    bool wide; /* int64, else int32 */
    int line_bits;
    int64_t back;
    uint64_t most, stride;
} knr_plain_starts;

enum { KNR_START_SLACK = 8 }; /* so many may be written behind the last one of a list */
typedef struct knr_scatter_loops {
    /* at[k] becomes, or gets added, number k as a place of the table; false: some are out of bounds, and theirs are
     * none. */
    bool (*places)(const knr_plain_starts *s, int64_t n, bool adds, int64_t *at);
    /* Of n numbers, by owners: a gets those of the first of two owners, b of the second; b NULL: a gets all. Their
     * counts. Numbers that are out of bounds are left out. */
    void (*find)(const knr_plain_starts *s, int64_t n, knr_start *a, knr_start *b, int64_t *count);
    /* to += from, n float32 or float64 */
    void (*add_4)(float *to, const float *from, int64_t n);
    void (*add_8)(double *to, const double *from, int64_t n);
} knr_scatter_loops;
extern const knr_scatter_loops knr_scatter_loops_base, knr_scatter_loops_avx2, knr_scatter_loops_avx512;
#endif
