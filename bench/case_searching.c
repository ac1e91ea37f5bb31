/* SPDX-License-Identifier: Apache-2.0
 * case_searching.c -- what is where: masks, the largest, truth, counts, bins. */
#include "plain.h"

static kn_array nonzero(const work_arrays *x) { return kn_list_get(kn_nonzero(x->a), 0); }
static kn_array nonzero_2d(const work_arrays *x)
{
    kn_list both = kn_nonzero(x->a);
    kn_eval(kn_list_get(both, 0));
    return kn_list_get(both, 1);
}
static kn_array flatnonzero(const work_arrays *x) { return kn_flatnonzero(x->a); }
static kn_array mask_select(const work_arrays *x) { return kn_at(x->a, "%", x->b); }
static kn_array mask_assign(const work_arrays *x)
{
    kn_set_at(x->a, 0.0f, "%", x->b);
    return x->a;
}
static kn_array putmask(const work_arrays *x)
{
    kn_putmask(x->a, x->b, x->c);
    return x->a;
}
static kn_array where_clip(const work_arrays *x)
{
    return kn_where(kn_greater(x->a, 0.5f), kn_clip(x->a, 0.25f, 0.75f), kn_mul(x->a, x->a));
}
static kn_array select3(const work_arrays *x)
{
    return kn_select(KN_LIST(kn_less(x->a, 0.25f), kn_less(x->a, 0.5f)), KN_LIST(kn_mul(x->a, 2.0f), kn_neg(x->a)));
}

static kn_array argmax(const work_arrays *x) { return kn_argmax(x->a); }
static kn_array argmin(const work_arrays *x) { return kn_argmin(x->a); }
static kn_array argmax_axis0(const work_arrays *x) { return kn_argmax(x->a, .axis = KN_AXIS(0)); }
static kn_array argmax_axis1(const work_arrays *x) { return kn_argmax(x->a, .axis = KN_AXIS(1)); }
static kn_array any(const work_arrays *x) { return kn_any(x->a); }
static kn_array all(const work_arrays *x) { return kn_all(x->a); }
static kn_array any_axis1(const work_arrays *x) { return kn_any(x->a, .axis = KN_AXIS(1)); }
static kn_array any_above(const work_arrays *x) { return kn_any(kn_greater(x->a, 2.0f)); }
static kn_array count_nonzero(const work_arrays *x) { return kn_count_nonzero(x->a); }
static kn_array count_axis0(const work_arrays *x) { return kn_count_nonzero(x->a, .axis = KN_AXIS(0)); }
static kn_array packbits(const work_arrays *x) { return kn_packbits(x->a); }
static kn_array unpackbits(const work_arrays *x) { return kn_unpackbits(x->a); }

static kn_array bincount(const work_arrays *x) { return kn_bincount(x->a); }
static kn_array bincount_weights(const work_arrays *x) { return kn_bincount(x->a, .weights = x->b); }
static kn_array histogram(const work_arrays *x)
{
    return kn_histogram(x->a, .bins = kn_like_int(256), .range = {0, 1}).hist;
}
static kn_array histogram_edges(const work_arrays *x) { return kn_histogram(x->a, .bins = x->b).hist; }
static kn_array interpolate(const work_arrays *x) { return kn_interp(x->a, x->b, x->c); }
static kn_array digitize(const work_arrays *x) { return kn_digitize(x->a, x->b); }

#define EAGER(f, what, tolerance, ...) WORK(f, what, "ms", ASK_WORK, tolerance, .eager = true, __VA_ARGS__)
#define ROW(f, what, ...)              WORK(f, what, "ms", ASK_WORK, 1e-6, __VA_ARGS__)
#define IN(...)                        .in = {__VA_ARGS__}
const bench_case bench_searching[] = {
    EAGER(nonzero, half_1e6, 0, IN("bool 1e6 true 0.5"), .c = plain_nonzero),
    EAGER(nonzero, half_1e7, 0, IN("bool 1e7 true 0.5"), .c = plain_nonzero),
    EAGER(nonzero, hundredth_1e7, 0, IN("bool 1e7 true 0.01"), .c = plain_nonzero),
    EAGER(nonzero_2d, 4096x2048, 0, IN("bool 4096x2048 true 0.5")),
    EAGER(flatnonzero, f32_1e7, 0, IN("float32 1e7 few")),
    EAGER(mask_select, half_1e7, 0, IN("float32 1e7", "bool 1e7 true 0.5"), .c = plain_mask_select),
    EAGER(mask_select, hundredth_1e7, 0, IN("float32 1e7", "bool 1e7 true 0.01"), .c = plain_mask_select),
    EAGER(mask_select, rows_1e6x8, 0, IN("float32 1e6x8", "bool 1e6 true 0.5")),
    EAGER(mask_assign, 1e7, 0, IN("float32 1e7", "bool 1e7 true 0.5")),
    EAGER(putmask, 1e7, 0, IN("float32 1e7", "bool 1e7 true 0.5", "float32 1e7")),
    ROW(where_clip, 1e7, IN("float32 1e7"), .c = plain_where_clip),
    EAGER(where_clip, eager_1e7, 0, IN("float32 1e7"), .c = plain_where_clip),
    ROW(select3, 1e7, IN("float32 1e7")),
    ROW(argmax, f32_1e7, IN("float32 1e7"), .c = plain_argmax),
    ROW(argmax, f64_1e7, IN("float64 1e7")),
    ROW(argmax, i32_1e7, IN("int32 1e7")),
    ROW(argmin, u8_1e7, IN("uint8 1e7 uniform 5 255")),
    ROW(argmax_axis0, 4096x2048, IN("float32 4096x2048")),
    ROW(argmax_axis1, 4096x2048, IN("float32 4096x2048"), .c = plain_argmax_rows),
    ROW(argmax_axis1, 1e6x10, IN("float32 1e6x10"), .c = plain_argmax_rows),
    ROW(argmax_axis1, 64x512x512, IN("float32 64x512x512")),
    ROW(any, none_1e7, IN("bool 1e7 true 0")),
    ROW(any, half_1e7, IN("bool 1e7 true 0.5")),
    ROW(all, 1e7, IN("bool 1e7 true 1")),
    ROW(any_axis1, 4096x4096, IN("bool 4096x4096 true 0")),
    ROW(any_above, f32_1e7, IN("float32 1e7")),
    ROW(count_nonzero, bool_1e7, IN("bool 1e7 true 0.5")),
    ROW(count_nonzero, f32_1e7, IN("float32 1e7 few")),
    ROW(count_axis0, 4096x4096, IN("bool 4096x4096 true 0.5")),
    ROW(packbits, 1e7, IN("bool 1e7 true 0.5")),
    ROW(unpackbits, 1e6, IN("uint8 1e6")),
    EAGER(bincount, 1e6_1e3, 0, IN("int64 1e6 uniform 0 1000"), .c = plain_bincount),
    EAGER(bincount, 1e7_1e3, 0, IN("int64 1e7 uniform 0 1000"), .c = plain_bincount),
    EAGER(bincount, 1e7_1e6, 0, IN("int32 1e7 uniform 0 1e6")),
    EAGER(bincount_weights, 1e7_1e3, 1e-9, IN("int64 1e7 uniform 0 1000", "float64 1e7")),
    ROW(histogram, 1e6_256, IN("float32 1e6"), .c = plain_histogram),
    ROW(histogram, 1e7_256, IN("float32 1e7"), .c = plain_histogram),
    ROW(histogram, f64_1e7_256, IN("float64 1e7")),
    ROW(histogram_edges, 1e6_1001, IN("float64 1e6", "float64 1001 rising 0 1")),
    ROW(interpolate, 1e6_1e3, IN("float64 1e6", "float64 1e3 rising", "float64 1e3")),
    ROW(interpolate, 1e6_1e6, IN("float64 1e6", "float64 1e6 rising", "float64 1e6")),
    ROW(digitize, 1e6_1e3, IN("float64 1e6", "float64 1e3 rising")),
    ROW(digitize, f32_1e7_100, IN("float32 1e7", "float32 100 rising")),
    {0},
};
