/* SPDX-License-Identifier: Apache-2.0
 * case_indexing.c -- elements by index: gathers, scatters, segments, few positions at a time. */
#include "plain.h"

static kn_array gather(const work_arrays *x) { return kn_take(x->a, x->b); }
static kn_array gather_rows(const work_arrays *x) { return kn_take(x->a, x->b, KN_AXIS(0)); }
static kn_array gather_columns(const work_arrays *x) { return kn_take(x->a, x->b, KN_AXIS(1)); }
static kn_array gather_pairs(const work_arrays *x) { return kn_at(x->a, "%, %", x->b, x->c); }
static kn_array take_along(const work_arrays *x) { return kn_take_along_axis(x->a, x->b); }
static kn_array take_along_axis0(const work_arrays *x) { return kn_take_along_axis(x->a, x->b, .axis = KN_AXIS(0)); }

/* c (b) + a at b, where c tells how many there are. */
static kn_array scatter_add(const work_arrays *x)
{
    kn_array y = kn_zeros_like(x->c);
    kn_ufunc_at(kn_ufunc_add, y, x->a, "%", x->b);
    return y;
}
static kn_array scatter_max(const work_arrays *x)
{
    kn_array y = kn_zeros_like(x->c);
    kn_ufunc_at(kn_ufunc_maximum, y, x->a, "%", x->b);
    return y;
}
static kn_array scatter_product(const work_arrays *x) /* what is added is worked out on the way */
{
    kn_array y = kn_zeros_like(x->c);
    kn_ufunc_at(kn_ufunc_add, y, kn_mul(kn_sub(x->a, 0.5f), x->a), "%", x->b);
    return y;
}
static kn_array add_at(const work_arrays *x)
{
    kn_ufunc_at(kn_ufunc_add, x->a, x->c, "%", x->b);
    return x->a;
}
static kn_array write_at(const work_arrays *x)
{
    kn_set_at(x->a, x->c, "%", x->b);
    return x->a;
}
static kn_array write_number_at(const work_arrays *x)
{
    kn_set_at(x->a, 1.0, "%", x->b);
    return x->a;
}
static kn_array segment_sum_1e3(const work_arrays *x) { return kn_segment_sum(x->a, x->b, .num_segments = 1000); }
static kn_array segment_sum_1e6(const work_arrays *x) { return kn_segment_sum(x->a, x->b, .num_segments = 1000000); }
static kn_array segment_max_1e3(const work_arrays *x) { return kn_segment_max(x->a, x->b, .num_segments = 1000); }

#define EAGER(f, what, unit, ...) WORK(f, what, unit, ASK_WORK, 1e-4, .eager = true, .in = {__VA_ARGS__})
#define ROW(f, what, ...)         WORK(f, what, "ms", ASK_WORK, 1e-4, __VA_ARGS__)
#define IN(...)                   .in = {__VA_ARGS__}
static kn_array gather_number(const work_arrays *x) { return kn_at(x->a, "%, 1", x->b); }
static kn_array gather_some_columns(const work_arrays *x) { return kn_at(x->a, ":4, %", x->b); }
static kn_array gather_strided(const work_arrays *x) { return kn_at(kn_at(x->a, "::2"), "%", x->b); }
static kn_array gather_mask(const work_arrays *x) { return kn_at(x->a, "%", x->b); }
static kn_array write_rows(const work_arrays *x)
{
    kn_set_at(x->a, x->c, "%", x->b);
    return x->a;
}
static kn_array write_pairs(const work_arrays *x)
{
    kn_set_at(x->a, 1.0, "%, %", x->b, x->c);
    return x->a;
}

#define FEW(n)                                                                                               \
    EAGER(gather, few_##n, "us", "float64 1e4", "int64 " #n " uniform 0 1e4"),                               \
        EAGER(gather_pairs, few_##n, "us", "float64 100x100", "int64 " #n " uniform 0 100",                  \
              "int64 " #n " uniform 0 100"),                                                                 \
        EAGER(gather_rows, few_##n, "us", "float64 1e4x4", "int64 " #n " uniform 0 1e4"),                    \
        EAGER(write_at, few_##n, "us", "float64 1e4", "int64 " #n " rising 0 1e4", "float64 " #n),           \
        EAGER(write_number_at, few_##n, "us", "float64 1e4", "int64 " #n " uniform 0 1e4"),                  \
        EAGER(add_at, few_##n, "us", "float64 1e4", "int64 " #n " uniform 0 1e4", "float64 " #n),            \
        EAGER(gather, few_f32_i32_##n, "us", "float32 1e4", "int32 " #n " uniform 0 1e4"),                   \
        EAGER(gather, few_i64_##n, "us", "int64 1e4", "int64 " #n " uniform 0 1e4"),                         \
        EAGER(gather_strided, few_##n, "us", "float64 1e4", "int64 " #n " uniform 0 5e3"),                   \
        EAGER(gather_number, few_##n, "us", "float64 100x100", "int64 " #n " uniform 0 100"),                \
        EAGER(gather_some_columns, few_##n, "us", "float64 100x100", "int64 " #n " uniform 0 100"),          \
        EAGER(gather_mask, few_##n, "us", "float64 " #n, "bool " #n " true 0.5"),                            \
        EAGER(write_rows, few_##n, "us", "float64 1e4x4", "int64 " #n " uniform 0 1e4", "float64 " #n "x4"), \
        EAGER(write_pairs, few_##n, "us", "float64 100x100", "int64 " #n " uniform 0 100",                   \
              "int64 " #n " uniform 0 100")
const bench_case bench_indexing[] = {
    ROW(gather, 1e7_of_1e7, IN("float32 1e7", "int64 1e7 uniform 0 1e7"), .c = plain_gather),
    ROW(gather, 1e7_of_1e7_eager, IN("float32 1e7", "int64 1e7 uniform 0 1e7"), .c = plain_gather, .eager = true),
    ROW(gather, 1e7_of_1e3, IN("float32 1e3", "int64 1e7 uniform 0 1e3"), .c = plain_gather),
    ROW(gather, 1e7_of_1e6_i32, IN("float32 1e6", "int32 1e7 uniform 0 1e6")),
    ROW(gather, f64_1e6_of_1e6, IN("float64 1e6", "int64 1e6 uniform 0 1e6")),
    ROW(gather, u8_1e7_of_256, IN("uint8 256", "uint8 1e7")),
    ROW(gather_rows, 1e5x64, IN("float32 1e5x64", "int32 1e5 uniform 0 1e5")),
    ROW(gather_columns, 4096x4096, IN("float32 4096x4096", "int32 4096 uniform 0 4096")),
    ROW(gather_pairs, 1e6, IN("float32 4096x4096", "int32 1e6 uniform 0 4096", "int32 1e6 uniform 0 4096")),
    ROW(take_along, 4096x2048, IN("float32 4096x2048", "int64 4096x2048 uniform 0 2048")),
    ROW(take_along_axis0, 4096x2048, IN("float32 4096x2048", "int64 4096x2048 uniform 0 4096")),
    ROW(scatter_add, 1e7_1e3, IN("float32 1e7", "int64 1e7 uniform 0 1e3", "float32 1e3"), .c = plain_scatter_add),
    ROW(scatter_add, 1e7_1e6, IN("float32 1e7", "int64 1e7 uniform 0 1e6", "float32 1e6"), .c = plain_scatter_add),
    ROW(scatter_add, f64_1e6_1e6, IN("float64 1e6", "int64 1e6 uniform 0 1e6", "float64 1e6")),
    ROW(scatter_add, rows_1e5x64, IN("float32 1e5x64", "int32 1e5 uniform 0 1e4", "float32 1e4x64")),
    ROW(scatter_max, 1e7_1e3, IN("float32 1e7", "int64 1e7 uniform 0 1e3", "float32 1e3")),
    ROW(scatter_product, 1e7_1e6, IN("float32 1e7", "int64 1e7 uniform 0 1e6", "float32 1e6")),
    EAGER(add_at, 1e6, "ms", "float32 1e6", "int64 1e6 uniform 0 1e6", "float32 1e6"),
    EAGER(write_at, 1e6, "ms", "float32 1e6", "int64 1e6 rising 0 1e6", "float32 1e6"),
    ROW(segment_sum_1e3, 1e7, IN("float32 1e7", "int32 1e7 uniform 0 1e3")),
    ROW(segment_sum_1e3, rising_1e7, IN("float32 1e7", "int32 1e7 rising 0 1e3")),
    ROW(segment_sum_1e6, 1e7, IN("float32 1e7", "int32 1e7 uniform 0 1e6")),
    ROW(segment_sum_1e3, rows_1e5x64, IN("float32 1e5x64", "int32 1e5 uniform 0 1e3")),
    ROW(segment_max_1e3, 1e7, IN("float32 1e7", "int32 1e7 uniform 0 1e3")),
    FEW(10),
    FEW(100),
    FEW(1000),
    {0},
};
