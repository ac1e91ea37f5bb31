/* SPDX-License-Identifier: Apache-2.0
 * test_kept_sweep.c -- each function that is kept by what was called (lib/kept.h), with each of its options: the kept
 * program gives the bits of the two ordinary paths, of waiting operations that are fused and of each by itself, for all
 * dtypes, many layouts, and sizes from none to nearly the largest that are kept. */
#include "support/expect.h"
#include "support/group.h"
#include "support/same.h"
#include <complex.h>
#include <stdlib.h>

enum { OFTEN = 66 }; /* the last two are kept */

typedef kn_array (*one)(kn_array x);
typedef struct row {
    const char *name;
    one f;
} row;

#define EACH(X)                                                                                                 \
    X(sum, kn_sum(x))                                                                                           \
    X(sum_first, kn_sum(x, KN_AXIS(0), .keepdims = true))                                                       \
    X(sum_last, kn_sum(x, KN_AXIS(-1)))                                                                         \
    X(sum_where, kn_sum(x, .where = now(kn_greater(x, 1)), .initial = kn_scalar(3)))                            \
    X(sum_f32, kn_sum(x, .dtype = KN_F32))                                                                      \
    X(mean, kn_mean(x))                                                                                         \
    X(mean_last, kn_mean(x, KN_AXIS(-1), .keepdims = true))                                                     \
    X(mean_where, kn_mean(x, .where = now(kn_less(x, 2))))                                                      \
    X(mean_f64, kn_mean(x, .dtype = KN_F64))                                                                    \
    X(var, kn_var(x))                                                                                           \
    X(var_ddof, kn_var(x, KN_AXIS(0), .ddof = 1))                                                               \
    X(var_where, kn_var(x, .where = now(kn_less(x, 2))))                                                        \
    X(std, kn_std(x, KN_AXIS(-1), .keepdims = true))                                                            \
    X(max, kn_max(x))                                                                                           \
    X(max_where, kn_max(x, KN_AXIS(0), .where = now(kn_less(x, 2)), .initial = kn_scalar(1)))                   \
    X(min, kn_min(x, KN_AXIS(-1)))                                                                              \
    X(min_initial, kn_min(x, .initial = kn_scalar(2), .keepdims = true))                                        \
    X(any, kn_any(x))                                                                                           \
    X(any_where, kn_any(x, KN_AXIS(0), .where = now(kn_less(x, 2))))                                            \
    X(all, kn_all(x, KN_AXIS(-1), .keepdims = true))                                                            \
    X(count_nonzero, kn_count_nonzero(x))                                                                       \
    X(count_nonzero_first, kn_count_nonzero(x, KN_AXIS(0)))                                                     \
    X(argmax, kn_argmax(x))                                                                                     \
    X(argmax_first, kn_argmax(x, KN_AXIS(0), .keepdims = true))                                                 \
    X(argmin, kn_argmin(x, KN_AXIS(-1)))                                                                        \
    X(dot, kn_dot(x, now(kn_copy(kn_transpose(x), .order = "C"))))                                              \
    X(dot_scalar, kn_dot(x, 3))                                                                                 \
    X(inner, kn_inner(x, x))                                                                                    \
    X(sort, kn_sort(x))                                                                                         \
    X(sort_first, kn_sort(x, KN_AXIS(0), .descending = true))                                                   \
    X(sort_all, kn_sort(x, KN_AXIS_NONE, .stable = true))                                                       \
    X(argsort, kn_argsort(x))                                                                                   \
    X(argsort_first, kn_argsort(x, KN_AXIS(0), .descending = true))                                             \
    X(median, kn_median(x))                                                                                     \
    X(median_first, kn_median(x, KN_AXIS(0), .keepdims = true))                                                 \
    X(nanmedian, kn_nanmedian(x, KN_AXIS(-1)))                                                                  \
    X(isclose, kn_isclose(x, now(kn_add(x, 1)), .rtol = 0.3))                                                   \
    X(isclose_nan, kn_isclose(x, now(kn_positive(x)), .equal_nan = true))                                       \
    X(clip, kn_clip(x, 1, 5))                                                                                   \
    X(clip_above, kn_clip(x, KN_NONE, kn_scalar(2)))                                                            \
    X(clip_array, kn_clip(x, now(kn_copy(kn_flip(x))), KN_NONE))                                                \
    X(diff, kn_diff(x))                                                                                         \
    X(diff_twice, kn_diff(x, .n = 2, .axis = KN_AXIS(0)))                                                       \
    X(diff_more, kn_diff(x, .prepend = kn_scalar(1), .append = kn_scalar(0)))                                   \
    X(cumsum, kn_cumsum(x))                                                                                     \
    X(cumsum_first, kn_cumsum(x, KN_AXIS(0), .dtype = KN_F64))                                                  \
    X(cumprod, kn_cumprod(x, KN_AXIS(-1)))                                                                      \
    X(nancumsum, kn_nancumsum(x))                                                                               \
    X(nancumprod, kn_nancumprod(x, KN_AXIS(0)))                                                                 \
    X(repeat, kn_repeat(x, 2))                                                                                  \
    X(repeat_last, kn_repeat(x, 3, KN_AXIS(-1)))                                                                \
    X(unique, kn_unique(x))                                                                                     \
    X(unique_nan, kn_unique(x, .equal_nan = false))                                                             \
    X(linspace, kn_linspace(now(kn_add(x, kn_size(x))), 7, 5))                                                  \
    X(linspace_open, kn_linspace(0, kn_real(x), 4, .endpoint = false, .axis = KN_AXIS(-1)))                     \
    X(linspace_i32, kn_linspace(kn_min(x), 9, 9, .dtype = KN_I32))                                              \
    X(arange, kn_arange(0, kn_size(x), 2, .dtype = kn_dtype_of(x)))                                             \
    X(interp, kn_interp(kn_real(x), knots(), now(kn_square(knots()))))                                          \
    X(interp_sides, kn_interp(kn_real(x), knots(), knots(), .left = kn_scalar(-1.0), .right = kn_scalar(99.0))) \
    X(interp_period, kn_interp(kn_real(x), knots(), now(kn_sin(knots())), .period = kn_scalar(7.0)))

/* Operands that are there: what waits goes the ordinary way. */
static kn_array now(kn_array x)
{
    kn_eval(x);
    return x;
}
static kn_array knots(void) { return now(kn_arange(0, 9, 1, .dtype = KN_F64)); }
#define DEFINE(name, call) \
    static kn_array f_##name(kn_array x) { return call; }
EACH(DEFINE)
#define NAME(name, call) {#name, f_##name},
static const row rows[] = {EACH(NAME)};
enum { ROWS = sizeof rows / sizeof *rows };

static int kept;
static void count_kept(void *env, int level, const char *text)
{
    (void)env, (void)level;
    kept += strstr(text, "is kept") != NULL;
}

/* What it says, to be freed, or NULL; there is no error then. */
static char *taken_error(void)
{
    char *text = kn_error_pending() ? strdup(kn_error_message()) : NULL;
    kn_error_clear();
    return text;
}

static void check(const row *f, const char *how, kn_array x)
{
    KN_SCOPE;
    kn_set_lazy(false);
    kn_array want = f->f(x);
    kn_set_lazy(true);
    char *text = taken_error();
    for (int k = 0; k < OFTEN; k++) {
        KN_SCOPE;
        kn_array z = f->f(x);
        kn_eval(z);
        char *said = taken_error();
        bool same = text && said ? !strcmp(text, said) : !text && !said;
        if (same && !text && (k == 0 || k == OFTEN - 1))
            same = same_array(z, want);
        if (!same)
            fail_msg("%s of %s %s, call %d: %s for %s", f->name, kn_dtype_name(kn_dtype_of(x)), how, k,
                     said ? said : "other bits", text ? text : "a result");
        free(said);
    }
    free(text);
}

/* Small numbers, some of them equal, negative ones and NaN. */
static kn_array made(kn_dtype d, kn_shape shape)
{
    int64_t n = 1;
    for (int i = 0; i < shape.ndim; i++)
        n *= shape.dim[i];
    kn_array x = kn_subtract(kn_remainder(kn_multiply(kn_arange(0, n, 1), 7), 11), 3);
    x = kn_astype(kn_reshape(x, shape), d);
    char kind = kn_dtype_kind(d);
    x = kind == 'f' || kind == 'c' ? kn_astype(kn_where(kn_equal(x, 4), NAN, kn_divide(x, 3)), d) : x;
    x = kind == 'c' ? kn_multiply(x, kn_scalar(1 - 2 * I)) : x;
    x = kn_copy(x);
    kn_eval(x);
    return x;
}

static void all_dtypes_and_sizes(void **state)
{
    (void)state;
    const kn_dtype dtypes[] = {KN_BOOL, KN_I8,  KN_I16,  KN_I32, KN_I64, KN_U8,  KN_U16, KN_U32,
                               KN_U64,  KN_F16, KN_BF16, KN_F32, KN_F64, KN_C64, KN_C128};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (int f = 0; f < ROWS; f++) {
            KN_SCOPE;
            check(&rows[f], "without elements", made(dtypes[d], KN_SHAPE(0)));
            check(&rows[f], "of one element", made(dtypes[d], KN_SHAPE(1)));
            check(&rows[f], "without axes", made(dtypes[d], KN_SHAPE()));
            check(&rows[f], "of 17", made(dtypes[d], KN_SHAPE(17)));
            check(&rows[f], "of 25 by 40", made(dtypes[d], KN_SHAPE(25, 40)));
            check(&rows[f], "of 3 by 0", made(dtypes[d], KN_SHAPE(3, 0)));
        }
}

static void all_layouts(void **state)
{
    (void)state;
    const kn_dtype dtypes[] = {KN_I16, KN_BF16, KN_F64, KN_C64};
    const char *const views[] = {"::-1", "..., ::-1", "::2", "..., 1::3", "1:4", "2", "..., 1", "0:0", "None, ::-2"};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (int f = 0; f < ROWS; f++) {
            KN_SCOPE;
            kn_array x = made(dtypes[d], KN_SHAPE(6, 17)), row_of = kn_at(x, "1");
            for (size_t v = 0; v < sizeof views / sizeof *views; v++)
                check(&rows[f], views[v], kn_at(x, views[v]));
            check(&rows[f], "turned", kn_transpose(x));
            check(&rows[f], "spread rows", kn_broadcast_to(row_of, KN_SHAPE(5, 17)));
            check(&rows[f], "spread columns", kn_broadcast_to(kn_at(x, ":, :1"), KN_SHAPE(6, 9)));
            check(&rows[f], "a spread scalar", kn_broadcast_to(kn_at(x, "2, 3"), KN_SHAPE(17)));
        }
}

/* Else this would compare the ordinary path with itself. */
static void each_is_kept(void **state)
{
    (void)state;
    for (int f = 0; f < ROWS; f++) {
        KN_SCOPE;
        kn_array x = made(KN_F64, KN_SHAPE(3, 19));
        kept = 0;
        kn_set_log(count_kept, NULL);
        kn_set_debug(1);
        check(&rows[f], "of 3 by 19", x);
        kn_set_debug(0);
        kn_set_log(NULL, NULL);
        if (!kept)
            fail_msg("%s is not kept", rows[f].name);
    }
}

KN_TEST_GROUP(test_kept_sweep)
{
    const struct CMUnitTest tests[] = {TEST(each_is_kept), TEST(all_dtypes_and_sizes), TEST(all_layouts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
