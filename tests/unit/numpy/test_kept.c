/* SPDX-License-Identifier: Apache-2.0
 * test_kept.c -- functions of many equations that come often with few elements: their programs are kept, and give the
 * bits, the shapes and the errors of the ordinary path. */
#include "support/bits.h"
#include "support/expect.h"
#include "support/group.h"
#include "support/same.h"
#include "base/memory.h"
#include <stdlib.h>

enum { OFTEN = 80 }; /* and more */

typedef kn_array (*one)(kn_array x);

static kn_array f_sum(kn_array x) { return kn_sum(x); }
static kn_array f_sum_first(kn_array x) { return kn_sum(x, KN_AXIS(0), .keepdims = true); }
static kn_array f_sum_last(kn_array x) { return kn_sum(x, KN_AXIS(-1)); }
static kn_array f_sum_where(kn_array x) { return kn_sum(x, .where = kn_greater(x, 1), .initial = kn_scalar(3)); }
static kn_array f_sum_as(kn_array x) { return kn_sum(x, .dtype = KN_F32); }
static kn_array f_mean(kn_array x) { return kn_mean(x); }
static kn_array f_mean_last(kn_array x) { return kn_mean(x, KN_AXIS(-1)); }
static kn_array f_var(kn_array x) { return kn_var(x, .ddof = 1); }
static kn_array f_std(kn_array x) { return kn_std(x, KN_AXIS(0)); }
static kn_array f_max(kn_array x) { return kn_max(x); }
static kn_array f_min(kn_array x) { return kn_min(x, KN_AXIS(0), .initial = kn_scalar(2)); }
static kn_array f_any(kn_array x) { return kn_any(x); }
static kn_array f_all(kn_array x) { return kn_all(x, KN_AXIS(-1)); }
static kn_array f_count(kn_array x) { return kn_count_nonzero(x, KN_AXIS(0)); }
static kn_array f_argmax(kn_array x) { return kn_argmax(x); }
static kn_array f_argmin(kn_array x) { return kn_argmin(x, KN_AXIS(-1), .keepdims = true); }
static kn_array f_dot(kn_array x) { return kn_dot(x, kn_transpose(x)); }
static kn_array f_inner(kn_array x) { return kn_inner(x, x); }
static kn_array f_sort(kn_array x) { return kn_sort(x); }
static kn_array f_argsort(kn_array x) { return kn_argsort(x, KN_AXIS(0), .descending = true); }
static kn_array f_median(kn_array x) { return kn_median(x); }
static kn_array f_nanmedian(kn_array x) { return kn_nanmedian(x, KN_AXIS(-1)); }
static kn_array f_isclose(kn_array x) { return kn_isclose(x, kn_add(x, 1), .rtol = 0.3); }
static kn_array f_clip(kn_array x) { return kn_clip(x, 1, 5); }
static kn_array f_clip_array(kn_array x) { return kn_clip(x, KN_NONE, kn_max(x)); }
static kn_array f_diff(kn_array x) { return kn_diff(x, .n = 2); }
static kn_array f_cumsum(kn_array x) { return kn_cumsum(x); }
static kn_array f_cumprod(kn_array x) { return kn_cumprod(x, KN_AXIS(-1)); }
static kn_array f_repeat(kn_array x) { return kn_repeat(x, 2); }
static kn_array f_unique(kn_array x) { return kn_unique(x); }
static kn_array f_linspace(kn_array x) { return kn_linspace(kn_min(x), 7, 9); }
static kn_array f_arange(kn_array x) { return kn_arange(0, kn_size(x), 2, .dtype = kn_dtype_of(x)); }
static kn_array f_interp(kn_array x)
{
    kn_array knots = kn_arange(0, 9, 1, .dtype = KN_F64);
    return kn_interp(kn_real(x), knots, kn_square(knots), .left = kn_scalar(-1.0));
}

static const one functions[] = {f_sum,       f_sum_first, f_sum_last, f_sum_where,  f_sum_as, f_mean,    f_mean_last,
                                f_var,       f_std,       f_max,      f_min,        f_any,    f_all,     f_count,
                                f_argmax,    f_argmin,    f_dot,      f_inner,      f_sort,   f_argsort, f_median,
                                f_nanmedian, f_isclose,   f_clip,     f_clip_array, f_diff,   f_cumsum,  f_cumprod,
                                f_repeat,    f_unique,    f_linspace, f_arange,     f_interp};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static void expect_same(kn_array z, kn_array want, int function)
{
    if (!same_array(z, want))
        fail_msg("function %d", function);
}

/* Often the same, and then what the path says that runs each operation by a plan of its own. */
static void check(int f, kn_array x)
{
    KN_SCOPE;
    char *text = NULL;
    kn_set_lazy(false);
    kn_array want = functions[f](x);
    kn_set_lazy(true);
    if (kn_error_pending()) {
        text = strdup(kn_error_message());
        kn_error_clear();
    }
    for (int k = 0; k < OFTEN; k++) {
        KN_SCOPE;
        kn_array z = functions[f](x);
        kn_eval(z);
        if (text) {
            assert_string_equal(kn_error_message(), text);
            kn_error_clear();
        } else if (k == 0 || k == OFTEN - 1)
            expect_same(z, want, f);
    }
    free(text);
}

static kn_array made(kn_dtype d, int64_t rows, int64_t columns)
{
    kn_array x = kn_subtract(kn_remainder(kn_multiply(kn_arange(0, rows * columns, 1), 7), 11), 3);
    x = kn_astype(kn_reshape(x, KN_SHAPE(rows, columns)), d);
    return kn_dtype_kind(d) == 'f' ? kn_where(kn_equal(x, 4), NAN, x) : x;
}

static void bits_are_those_of_the_ordinary_path(void **state)
{
    (void)state;
    const kn_dtype dtypes[] = {KN_BOOL, KN_I8, KN_U16, KN_I64, KN_F16, KN_F32, KN_F64, KN_C128};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (int f = 0; f < FUNCTIONS; f++) {
            KN_SCOPE;
            kn_array x = kn_copy(made(dtypes[d], 3, 4));
            kn_eval(x);
            check(f, x);
            check(f, kn_at(x, "1"));
        }
}

static void other_layouts_have_the_same_elements(void **state)
{
    (void)state;
    for (int f = 0; f < FUNCTIONS; f++) {
        KN_SCOPE;
        kn_array x = kn_copy(made(KN_F64, 6, 4));
        kn_eval(x);
        check(f, kn_transpose(x));
        check(f, kn_at(x, "::-2, 1:"));
        check(f, kn_at(x, "2:5"));
        check(f, kn_reshape(x, KN_SHAPE(-1)));
        check(f, kn_at(x, "0:0"));
        check(f, kn_at(x, "1, 2"));
    }
}

static int kept;
static void count_kept(void *env, int level, const char *text)
{
    (void)env, (void)level;
    kept += strstr(text, "is kept") != NULL;
}

static void options_and_numbers_are_a_part_of_what_is_called(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_copy(kn_reshape(kn_arange(0, 6, 1, .dtype = KN_F64), KN_SHAPE(2, 3)));
    kn_eval(x);
    kept = 0;
    kn_set_log(count_kept, NULL);
    kn_set_debug(1);
    for (int k = 0; k < OFTEN; k++) {
        KN_SCOPE;
        expect_values(kn_sum(x), 15);
        expect_values(kn_sum(x, KN_AXIS(0)), 3, 5, 7);
        expect_values(kn_sum(x, KN_AXIS(1)), 3, 12);
        expect_values(kn_clip(x, 1, 3), 1, 1, 2, 3, 3, 3);
        expect_values(kn_clip(x, 1, 4), 1, 1, 2, 3, 4, 4);
        expect_values(kn_clip(x, 1, 3 + k), kn_item(kn_clip(0, 1, 3 + k)), 1, 2, 3, k ? 4 : 3, k > 1 ? 5 : 3 + k);
        expect_values(kn_linspace(0, 1, 3), 0, 0.5, 1);
        expect_values(kn_linspace(0, 1, 2), 0, 1);
    }
    kn_set_debug(0);
    kn_set_log(NULL, NULL);
    assert_int_equal(kept, 7);
}

static void results_are_arrays_of_their_own(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3), z = NULL;
    kn_eval(x);
    for (int k = 0; k < OFTEN; k++)
        z = kn_clip(x, 0, 5);
    kn_set_at(z, 9, "0");
    expect_values(x, 1, 2, 3);
    kn_set_at(x, 4, "1");
    expect_values(z, 9, 2, 3);
    expect_values(kn_clip(x, 0, 5), 1, 4, 3); /* what was written since */
    for (int k = 0; k < OFTEN; k++)
        expect_values(kn_clip(kn_add(x, k), 0, 5), fmin(1 + k, 5), fmin(4 + k, 5), fmin(3 + k, 5));
}

static kn_array spread_of(const kn_array *x) { return kn_std(kn_clip(*x, 0, 5)); }
KN_FUNCTION(spread_of, kn_array, kn_array)

static void traces_record_the_function(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3), y, g;
    for (int k = 0; k < OFTEN; k++)
        spread_of(&x);
    kn_call(kn_jit(KN_FN(spread_of)), &y, &x);
    kn_call(kn_grad(KN_FN(spread_of)), &g, &x);
    expect_near(y, 1e-15, sqrt(2. / 3));
    expect_near(g, 1e-15, -sqrt(1 / 6.), 0, sqrt(1 / 6.));
}

static void errors_are_told_each_time(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array none = kn_zeros(KN_SHAPE(0)), x = kn_of(double, 1, 2);
    kn_eval(none), kn_eval(x);
    for (int k = 0; k < OFTEN; k++) {
        KN_SCOPE;
        kn_max(none);
        expect_error("ValueError", "max: zero-size array to reduction operation maximum which has no identity");
        kn_interp(x, none, none);
        expect_error("ValueError", "interp: array of sample points is empty");
        (kn_sum)(NULL, NULL);
        expect_error("TypeError", "sum: null array");
        kn_sum(x, KN_AXIS(3));
        expect_error("AxisError", "sum: axis 3 is out of bounds for array of dimension 1");
    }
}

static double some_calls(void)
{
    KN_SCOPE;
    double sum = 0;
    kn_array x = kn_copy(kn_linspace(0, 1, 7));
    for (int k = 0; k < OFTEN; k++) {
        KN_SCOPE;
        sum += kn_item(kn_interp(0.3, x, x)) + kn_item(kn_std(x)) + kn_item(kn_sum(kn_sort(x)));
    }
    return sum;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    kn_shutdown();
    double right = some_calls();
    kn_shutdown();
    knx_buffer_trim();
    int64_t live = knx_alloc_live(), start = knx_alloc_count();
    some_calls();
    kn_shutdown();
    int64_t n = knx_alloc_count() - start;
    for (int64_t k = 0; k < n; k += 1 + k / 64) {
        knx_buffer_trim();
        knx_fail_after(k, k % 2);
        double v = some_calls();
        knx_fail_after(-1, false);
        bool failed = kn_error_pending();
        if (failed ? strcmp(kn_error_kind_name(), "MemoryError") != 0 : v != right)
            fail_msg("allocation %lld: %.17g, %s", (long long)k, v, kn_error_kind_name());
        kn_error_clear();
        kn_shutdown();
        assert_int_equal(knx_alloc_live(), live);
    }
}

KN_TEST_GROUP(test_kept)
{
    const struct CMUnitTest tests[] = {
        TEST(bits_are_those_of_the_ordinary_path),
        TEST(other_layouts_have_the_same_elements),
        TEST(options_and_numbers_are_a_part_of_what_is_called),
        TEST(results_are_arrays_of_their_own),
        TEST(traces_record_the_function),
        TEST(errors_are_told_each_time),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
