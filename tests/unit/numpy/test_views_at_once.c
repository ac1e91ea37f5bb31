/* SPDX-License-Identifier: Apache-2.0
 * test_views_at_once.c -- views of arrays that are there, and copies of few elements, go past the recording: they are
 * the same as by the ordinary path, which debug level 5 and a look for NaNs take. */
#include "support/expect.h"
#include "support/group.h"
#include "base/memory.h"

typedef kn_array (*one)(kn_array x);

static kn_array v_transpose(kn_array x) { return kn_transpose(x); }
static kn_array v_axes(kn_array x) { return kn_transpose(x, KN_AXIS(1, 2, 0)); }
static kn_array v_same(kn_array x) { return kn_transpose(x, KN_AXIS(0, 1, 2)); }
static kn_array v_flat(kn_array x) { return kn_reshape(x, KN_SHAPE(-1)); }
static kn_array v_split(kn_array x) { return kn_reshape(x, KN_SHAPE(2, 1, 3, 2, 2)); }
static kn_array v_rows(kn_array x) { return kn_reshape(x, KN_SHAPE(6, 4)); }
static kn_array v_back(kn_array x) { return kn_at(x, "::-1"); }
static kn_array v_all_back(kn_array x) { return kn_at(x, "::-1, ::-1, ::-1"); }
static kn_array v_middle(kn_array x) { return kn_at(x, ":, ::-1"); }
static kn_array v_part(kn_array x) { return kn_at(x, "1:, ::-2, 1:3"); }
static kn_array v_spread(kn_array x) { return kn_broadcast_to(kn_at(x, "0, 0"), KN_SHAPE(3, 4)); }
static kn_array v_twice(kn_array x) { return kn_at(kn_transpose(kn_at(x, "::-1")), ":, 1:"); }
static kn_array v_none(kn_array x) { return kn_at(x, "0:0, ::-1"); }
static kn_array v_imag(kn_array x) { return kn_at(kn_imag(kn_astype(x, KN_C64)), ":, ::-1"); }

static const one views[] = {v_transpose, v_axes,   v_same, v_flat,   v_split, v_rows, v_back,
                            v_all_back,  v_middle, v_part, v_spread, v_twice, v_none, v_imag};
enum { VIEWS = sizeof views / sizeof *views };

static void nothing(void *env, int level, const char *text) { (void)env, (void)level, (void)text; }

static kn_array x_of(kn_dtype d)
{
    kn_array x = kn_copy(kn_astype(kn_reshape(kn_arange(0, 24, 1), KN_SHAPE(2, 3, 4)), d));
    kn_eval(x);
    return x;
}

static void expect_same(kn_array z, kn_array want, int number)
{
    bool same = kn_dtype_of(z) == kn_dtype_of(want) && kn_ndim(z) == kn_ndim(want);
    for (int d = 0; same && d < kn_ndim(z); d++)
        same = kn_dim(z, d) == kn_dim(want, d) && kn_strides_of(z).stride[d] == kn_strides_of(want).stride[d];
    kn_flags f = kn_flags_of(z), g = kn_flags_of(want);
    same = same && f.c_contiguous == g.c_contiguous && f.f_contiguous == g.f_contiguous && f.owndata == g.owndata &&
           f.writeable == g.writeable && kn_array_equal(z, want);
    if (!same)
        fail_msg("number %d is another array", number);
}

static void views_are_the_same_in_both_ways(void **state)
{
    (void)state;
    for (int i = 0; i < VIEWS; i++) {
        KN_SCOPE;
        kn_array x = x_of(KN_F64), y = x_of(KN_F64);
        kn_set_log(nothing, NULL);
        kn_set_debug(5);
        kn_array want = views[i](x);
        kn_set_debug(0);
        kn_set_log(NULL, NULL);
        kn_array z = views[i](y);
        expect_same(z, want, i);
        if (i == VIEWS - 1 || views[i] == v_spread || !kn_size(z))
            continue;
        kn_set_at(z, -5, "..."); /* through the view into the array */
        kn_set_at(want, -5, "...");
        expect_same(y, x, i);
        kn_set_at(y, 7, "1");
        kn_set_at(x, 7, "1");
        expect_same(z, want, i);
    }
}

static void copies_are_the_same_in_both_ways(void **state)
{
    (void)state;
    const kn_dtype dtypes[] = {KN_BOOL, KN_I16, KN_F32, KN_F64, KN_C128};
    const char *const orders[] = {NULL, "C", "F", "A", "K"};
    for (int i = 0; i < VIEWS * 25; i++) {
        KN_SCOPE;
        kn_array v = views[i / 25](x_of(dtypes[i % 5]));
        const char *order = orders[i / 5 % 5];
        kn_check_nans(true);
        kn_array want = kn_copy(v, .order = order);
        kn_eval(want);
        kn_check_nans(false);
        kn_array z = kn_copy(v, .order = order);
        expect_same(z, want, i);
        if (!kn_size(z))
            continue;
        kn_set_at(z, 1, "..."); /* it is an array of its own */
        assert_true(kn_array_equal(v, want));
        kn_set_at(want, 1, "...");
        expect_same(z, want, i);
    }
}

static double views_and_copies(void)
{
    KN_SCOPE;
    double sum = 0;
    kn_array x = x_of(KN_F64);
    for (int i = 0; i < VIEWS; i++)
        sum += kn_item(kn_sum(kn_copy(views[i](x)))) * (i + 1);
    return sum;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    kn_shutdown();
    double right = views_and_copies();
    kn_shutdown();
    knx_buffer_trim();
    knx_fail_pieces(true);
    int64_t live = knx_alloc_live(), start = knx_alloc_count();
    views_and_copies();
    kn_shutdown();
    int64_t n = knx_alloc_count() - start;
    for (int64_t k = 0; k < n; k += 1 + k / 256) {
        knx_buffer_trim();
        knx_fail_after(k, k % 2);
        double v = views_and_copies();
        knx_fail_after(-1, false);
        bool failed = kn_error_pending();
        if (failed ? strcmp(kn_error_kind_name(), "MemoryError") != 0 : v != right)
            fail_msg("allocation %lld: %.17g, %s", (long long)k, v, kn_error_kind_name());
        kn_error_clear();
        kn_shutdown();
        assert_int_equal(knx_alloc_live(), live);
    }
    knx_fail_pieces(false);
}

KN_TEST_GROUP(test_views_at_once)
{
    const struct CMUnitTest tests[] = {
        TEST(views_are_the_same_in_both_ways),
        TEST(copies_are_the_same_in_both_ways),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
