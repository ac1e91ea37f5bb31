/* SPDX-License-Identifier: Apache-2.0
 * plain.h -- what rows of tables do, as one writes it in C without Kiln: loops that the compiler is told to do its best
 * with. One thread. */
#ifndef KN_BENCH_PLAIN_H
#define KN_BENCH_PLAIN_H
#include "work.h"

typedef void plain_function(const work_memory *);
/* plain_moves.c */
plain_function plain_sort_f32, plain_searchsorted, plain_nonzero, plain_mask_select, plain_argmax, plain_argmax_rows,
    plain_bincount, plain_histogram, plain_gather, plain_scatter_add, plain_hwc_chw_u8, plain_hwc_chw_f32,
    plain_stack_two, plain_stack_three, plain_flip, plain_every_second;
/* plain_loops.c */
plain_function plain_where_clip, plain_cumsum, plain_cumsum_rows, plain_cumprod, plain_cummax, plain_diff,
    plain_recurrence, plain_c64_mul, plain_c64_abs, plain_c64_real, plain_gray, plain_even_times_odd, plain_nbody,
    plain_sum_last, plain_sum_first, plain_stencil, plain_add, plain_mul_i8, plain_muladd_i16, plain_floor_divide_i32,
    plain_saturated, plain_xorshift, plain_convolve_2d;
#endif
