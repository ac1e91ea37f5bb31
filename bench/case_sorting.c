/* SPDX-License-Identifier: Apache-2.0
 * case_sorting.c -- sorting, selection, sets: by dtype, length and pattern. */
#include "plain.h"

enum {
    PATIENT = ASK_WORK,
    FAST = WITHOUT_JAX
}; /* JAX sorts 10,000,000 in seconds, and has no results of unknown sizes */

static kn_array sort(const work_arrays *x) { return kn_sort(x->a); }
static kn_array argsort(const work_arrays *x) { return kn_argsort(x->a); }
static kn_array sort_axis0(const work_arrays *x) { return kn_sort(x->a, .axis = KN_AXIS(0)); }
static kn_array argsort_axis0(const work_arrays *x) { return kn_argsort(x->a, .axis = KN_AXIS(0)); }
static kn_array sort_descending(const work_arrays *x) { return kn_sort(x->a, .descending = true); }
static kn_array lexsort(const work_arrays *x) { return kn_lexsort(KN_LIST(x->a, x->b)); }
static kn_array taken(kn_array y, const work_arrays *x) { return kn_take_along_axis(x->a, y); }
static kn_array taken_axis0(kn_array y, const work_arrays *x)
{
    return kn_take_along_axis(x->a, y, .axis = KN_AXIS(0));
}

/* Of partitions the element that is where sorting puts it. */
static kn_array partition(const work_arrays *x) { return kn_partition(x->a, kn_size(x->a) / 2); }
static kn_array argpartition(const work_arrays *x) { return kn_argpartition(x->a, kn_size(x->a) / 2); }
static kn_array middle(kn_array y, const work_arrays *x)
{
    int64_t half = kn_size(x->a) / 2;
    return kn_at(y, "%:%", half, half + 1);
}
static kn_array middle_taken(kn_array y, const work_arrays *x) { return kn_take(x->a, middle(y, x)); }
static kn_array median(const work_arrays *x) { return kn_median(x->a); }
static kn_array median_rows(const work_arrays *x) { return kn_median(x->a, .axis = KN_AXIS(-1)); }
static kn_array percentiles(const work_arrays *x) { return kn_percentile(x->a, kn_of(double, 5, 50, 95)); }
static kn_array top_k(const work_arrays *x) { return kn_top_k(x->a, 100).values; }
static kn_array top_k_rows(const work_arrays *x) { return kn_top_k(x->a, 10).values; }
static kn_array searchsorted(const work_arrays *x) { return kn_searchsorted(x->a, x->b); }

static kn_array unique(const work_arrays *x) { return kn_unique(x->a); }
static kn_array unique_counts(const work_arrays *x) { return kn_unique_counts(x->a).counts; }
static kn_array unique_inverse(const work_arrays *x) { return kn_unique_inverse(x->a).inverse_indices; }
static kn_array isin(const work_arrays *x) { return kn_isin(x->a, x->b); }
static kn_array intersect1d(const work_arrays *x) { return kn_intersect1d(x->a, x->b); }
static kn_array union1d(const work_arrays *x) { return kn_union1d(x->a, x->b); }
static kn_array setdiff1d(const work_arrays *x) { return kn_setdiff1d(x->a, x->b); }
static kn_array permutation(const work_arrays *x) { return kn_random_permutation(kn_random_key(1), x->a); }

#define SORTS(what, dtype, c_)                                                             \
    WORK(sort, what##_1e3, "us", PATIENT, 0, .in = {dtype " 1e3"}, .c = c_),               \
        WORK(sort, what##_1e4, "us", PATIENT, 0, .in = {dtype " 1e4"}, .c = c_),           \
        WORK(sort, what##_1e5, "us", PATIENT, 0, .in = {dtype " 1e5"}, .c = c_),           \
        WORK(sort, what##_1e6, "ms", PATIENT, 0, .in = {dtype " 1e6"}, .c = c_),           \
        WORK(sort, what##_1e7, "ms", FAST, 0, .in = {dtype " 1e7"}, .c = c_),              \
        WORK(argsort, what##_1e3, "us", PATIENT, 0, .in = {dtype " 1e3"}, .shown = taken), \
        WORK(argsort, what##_1e4, "us", PATIENT, 0, .in = {dtype " 1e4"}, .shown = taken), \
        WORK(argsort, what##_1e5, "us", PATIENT, 0, .in = {dtype " 1e5"}, .shown = taken), \
        WORK(argsort, what##_1e6, "ms", PATIENT, 0, .in = {dtype " 1e6"}, .shown = taken), \
        WORK(argsort, what##_1e7, "ms", FAST, 0, .in = {dtype " 1e7"}, .shown = taken)
#define PATTERN(name)                                                               \
    WORK(sort, name##_1e6, "ms", PATIENT, 0, .in = {"float32 1e6 " #name " -1 1"}), \
        WORK(argsort, name##_1e6, "ms", PATIENT, 0, .in = {"float32 1e6 " #name " -1 1"}, .shown = taken)
#define EAGER(f, what, ask, ...) WORK(f, what, "ms", ask, 0, .in = {__VA_ARGS__}, .eager = true)

const bench_case bench_sorting[] = {
    SORTS(f32, "float32", plain_sort_f32),
    SORTS(f64, "float64", NULL),
    SORTS(i64, "int64", NULL),
    SORTS(u8, "uint8", NULL),
    WORK(sort, i32_1e6, "ms", PATIENT, 0, .in = {"int32 1e6"}),
    WORK(sort, f16_1e6, "ms", PATIENT, 0, .in = {"float16 1e6"}),
    PATTERN(rising),
    PATTERN(falling),
    PATTERN(pipe),
    PATTERN(few),
    PATTERN(nan),
    WORK(sort, rows_4096x256, "ms", PATIENT, 0, .in = {"float32 4096x256"}),
    WORK(sort, rows_1e5x10, "ms", PATIENT, 0, .in = {"float32 1e5x10"}),
    WORK(argsort, rows_4096x256, "ms", PATIENT, 0, .in = {"float32 4096x256"}, .shown = taken),
    WORK(sort_axis0, 4096x256, "ms", PATIENT, 0, .in = {"float32 4096x256"}),
    WORK(sort_axis0, 256x4096, "ms", PATIENT, 0, .in = {"float32 256x4096"}),
    WORK(argsort_axis0, 4096x256, "ms", PATIENT, 0, .in = {"float32 4096x256"}, .shown = taken_axis0),
    WORK(sort_descending, f32_1e6, "ms", PATIENT, 0, .in = {"float32 1e6"}),
    WORK(lexsort, i32_1e6, "ms", PATIENT, 0, .in = {"int32 1e6 uniform 0 1000", "int32 1e6 uniform 0 1000"}),
    WORK(partition, f32_1e6, "ms", PATIENT, 0, .in = {"float32 1e6"}, .shown = middle),
    WORK(partition, f32_1e7, "ms", FAST, 0, .in = {"float32 1e7"}, .shown = middle),
    WORK(partition, f64_1e6, "ms", FAST, 0, .in = {"float64 1e6"}, .shown = middle),
    WORK(argpartition, f32_1e6, "ms", PATIENT, 0, .in = {"float32 1e6"}, .shown = middle_taken),
    WORK(median, f32_1e6, "ms", PATIENT, 1e-6, .in = {"float32 1000001"}),
    WORK(median, f32_1e7, "ms", FAST, 1e-6, .in = {"float32 10000001"}),
    WORK(median_rows, 4096x1023, "ms", PATIENT, 1e-6, .in = {"float32 4096x1023"}),
    WORK(percentiles, f32_1e6, "ms", PATIENT, 1e-6, .in = {"float32 1e6"}),
    WORK(top_k, f32_1e6_100, "ms", PATIENT, 0, .in = {"float32 1e6"}),
    WORK(top_k_rows, 1000x1000_10, "ms", PATIENT, 0, .in = {"float32 1000x1000"}),
    WORK(searchsorted, 1e3_1e6, "ms", PATIENT, 0, .in = {"float32 1e3 rising", "float32 1e6"}, .c = plain_searchsorted),
    WORK(searchsorted, 1e6_1e6, "ms", PATIENT, 0, .in = {"float32 1e6 rising", "float32 1e6"}, .c = plain_searchsorted),
    EAGER(unique, i32_1e6, FAST, "int32 1e6 uniform 0 1e6"),
    EAGER(unique, i32_1e7, FAST, "int32 1e7 uniform 0 1e7"),
    EAGER(unique, f32_1e6, FAST, "float32 1e6"),
    EAGER(unique, few_1e6, FAST, "int32 1e6 uniform 0 100"),
    EAGER(unique_counts, i32_1e6, FAST, "int32 1e6 uniform 0 1e5"),
    EAGER(unique_inverse, i32_1e6, FAST, "int32 1e6 uniform 0 1e5"),
    EAGER(isin, 1e6_1e4, FAST, "int64 1e6 uniform 0 1e9", "int64 1e4 uniform 0 1e9"),
    EAGER(isin, 1e6_1e6, FAST, "int64 1e6 uniform 0 1e9", "int64 1e6 uniform 0 1e9"),
    EAGER(isin, small_range_1e7, FAST, "int32 1e7 uniform 0 1e6", "int32 1e4 uniform 0 1e6"),
    EAGER(intersect1d, i64_1e6, FAST, "int64 1e6 uniform 0 1e6", "int64 1e6 uniform 0 1e6"),
    EAGER(union1d, i64_1e6, FAST, "int64 1e6 uniform 0 1e6", "int64 1e6 uniform 0 1e6"),
    EAGER(setdiff1d, i64_1e6, FAST, "int64 1e6 uniform 0 1e6", "int64 1e6 uniform 0 1e6"),
    WORK(permutation, f32_1e6, "ms", PATIENT, 1e-5, .in = {"float32 1e6"}, .shown = work_moments),
    WORK(permutation, i64_1e7, "ms", FAST, 1e-5, .in = {"int64 1e7 rising 0 1e7"}, .shown = work_moments),
    {0},
};
