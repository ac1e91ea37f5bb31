/* SPDX-License-Identifier: Apache-2.0
 * case_sizes.c -- NumPy's everyday functions, called as such, on 10, 1,000, 100,000 and 10,000,000 elements: one family
 * of rows for each size, so that scripts/bench-summary.py tells its geometric mean. */
#include "work.h"

/* X(the C expression of x, its name, operands) */
#define FUNCTIONS(X)                                                             \
    X(kn_zeros_like(x->a), zeros_like, one)                                      \
    X(kn_full(kn_shape_of(x->a), 1.5), full, one)                                \
    X(kn_arange(0.0, (double)kn_size(x->a), 1.0), arange, one)                   \
    X(kn_linspace(0.0, 1.0, kn_size(x->a)), linspace, one)                       \
    X(kn_copy(x->a), copy, one)                                                  \
    X(kn_astype(x->a, KN_F32), to_f32, one)                                      \
    X(kn_astype(x->a, KN_I64), to_i64, one)                                      \
    X(kn_copy(kn_at(x->a, "1:-1")), slice, one)                                  \
    X(kn_copy(kn_at(x->a, "::-1")), reversed, one)                               \
    X(kn_copy(kn_transpose(kn_reshape(x->a, KN_SHAPE(-1, 5)))), transposed, one) \
    X(kn_concatenate(KN_LIST(x->a, x->b)), concatenate, two)                     \
    X(kn_stack(KN_LIST(x->a, x->b), KN_AXIS(1)), stack, two)                     \
    X(kn_repeat(x->a, 2), repeat, one)                                           \
    X(kn_tile(x->a, KN_SHAPE(2)), tile, one)                                     \
    X(kn_roll(x->a, 3), roll, one)                                               \
    X(kn_pad(x->a, 2), pad, one)                                                 \
    X(kn_negative(x->a), negative, one)                                          \
    X(kn_abs(x->a), abs, one)                                                    \
    X(kn_sqrt(x->a), sqrt, one)                                                  \
    X(kn_exp(x->a), exp, one)                                                    \
    X(kn_log(x->a), log, one)                                                    \
    X(kn_sin(x->a), sin, one)                                                    \
    X(kn_tanh(x->a), tanh, one)                                                  \
    X(kn_floor(x->a), floor, one)                                                \
    X(kn_square(x->a), square, one)                                              \
    X(kn_isnan(x->a), isnan, one)                                                \
    X(kn_add(x->a, x->b), add, two)                                              \
    X(kn_mul(x->a, 1.5), times_number, one)                                      \
    X(kn_divide(x->a, x->b), divide, two)                                        \
    X(kn_power(x->a, x->b), power, two)                                          \
    X(kn_maximum(x->a, x->b), maximum, two)                                      \
    X(kn_arctan2(x->a, x->b), arctan2, two)                                      \
    X(kn_hypot(x->a, x->b), hypot, two)                                          \
    X(kn_greater(x->a, x->b), greater, two)                                      \
    X(kn_clip(x->a, 0.3, 0.7), clip, one)                                        \
    X(kn_where(kn_greater(x->a, 0.5), x->a, x->b), where, two)                   \
    X(kn_add(x->a, x->a), add_i32, int32)                                        \
    X(kn_floor_divide(x->a, 7), floor_divide_i32, int32)                         \
    X(kn_bitwise_and(x->a, 255), and_i32, int32)                                 \
    X(kn_left_shift(x->a, 2), shift_i32, int32)                                  \
    X(kn_mul(x->a, x->a), multiply_c128, complex128)                             \
    X(kn_abs(x->a), abs_c128, complex128)                                        \
    X(kn_sum(x->a), sum, one)                                                    \
    X(kn_mean(x->a), mean, one)                                                  \
    X(kn_max(x->a), max, one)                                                    \
    X(kn_std(x->a), std, one)                                                    \
    X(kn_argmax(x->a), argmax, one)                                              \
    X(kn_any(kn_greater(x->a, 2.0)), any_above, one)                             \
    X(kn_count_nonzero(x->a), count_nonzero, one)                                \
    X(kn_sum(kn_reshape(x->a, KN_SHAPE(-1, 5)), KN_AXIS(0)), sum_axis0, one)     \
    X(kn_sum(kn_reshape(x->a, KN_SHAPE(-1, 5)), KN_AXIS(1)), sum_axis1, one)     \
    X(kn_cumsum(x->a), cumsum, one)                                              \
    X(kn_diff(x->a), diff, one)                                                  \
    X(kn_dot(x->a, x->b), dot, two)                                              \
    X(kn_sort(x->a), sort, one)                                                  \
    X(kn_argsort(x->a), argsort, one)                                            \
    X(kn_unique(x->a), unique, int32)                                            \
    X(kn_median(x->a), median, one)                                              \
    X(kn_flatnonzero(kn_greater(x->a, 0.5)), nonzero_above, one)                 \
    X(kn_at(x->a, "%", kn_greater(x->a, 0.5)), masked, one)                      \
    X(kn_take(x->a, x->b), take, gather)                                         \
    X(kn_searchsorted(x->a, x->b), searchsorted, rising)                         \
    X(kn_interp(x->b, x->a, x->a), interp, rising)                               \
    X(kn_bincount(x->a), bincount, counts)                                       \
    X(kn_isin(x->a, x->b), isin, counts_two)                                     \
    X(kn_isclose(x->a, x->b), isclose, two)

#define IN_one(n)                      \
    {                                  \
        "float64 " #n " uniform 0.1 1" \
    }
#define IN_two(n)                                                      \
    {                                                                  \
        "float64 " #n " uniform 0.1 1", "float64 " #n " uniform 0.1 1" \
    }
#define IN_int32(n)                   \
    {                                 \
        "int32 " #n " uniform 0 1000" \
    }
#define IN_complex128(n) \
    {                    \
        "complex128 " #n \
    }
#define IN_gather(n)                                                \
    {                                                               \
        "float64 " #n " uniform 0.1 1", "int64 " #n " uniform 0 10" \
    }
#define IN_rising(n)                                            \
    {                                                           \
        "float64 " #n " rising", "float64 " #n " uniform 0.1 1" \
    }
#define IN_counts(n)                  \
    {                                 \
        "int64 " #n " uniform 0 1000" \
    }
#define IN_counts_two(n)                                         \
    {                                                            \
        "int64 " #n " uniform 0 1000", "int64 10 uniform 0 1000" \
    }

#define DEFINE(expression, name, operands) \
    static kn_array each_##name(const work_arrays *x) { return expression; }
FUNCTIONS(DEFINE)

enum { ASK_NUMPY_ALONE = 1 << PEER_NUMPY_RAISED };
#define ROW(name, operands, n)              WORK(each_##name, n, "us", ASK_NUMPY_ALONE, 1e-9, .in = IN_##operands(n), .eager = true),
#define ROW_10(expression, name, operands)  ROW(name, operands, 10)
#define ROW_1E3(expression, name, operands) ROW(name, operands, 1e3)
#define ROW_1E5(expression, name, operands) ROW(name, operands, 1e5)
#define ROW_1E7(expression, name, operands) ROW(name, operands, 1e7)
const bench_case bench_sizes_10[] = {FUNCTIONS(ROW_10){0}};
const bench_case bench_sizes_1e3[] = {FUNCTIONS(ROW_1E3){0}};
const bench_case bench_sizes_1e5[] = {FUNCTIONS(ROW_1E5){0}};
const bench_case bench_sizes_1e7[] = {FUNCTIONS(ROW_1E7){0}};
