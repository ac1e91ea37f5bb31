/* SPDX-License-Identifier: Apache-2.0
 * test_searches.c -- functions that look elements up among others: values, and that the work grows with the elements
 * and not with all their pairs. Values are NumPy's. */
#include "support/expect.h"
#include "support/group.h"

/* The complex numbers x + iy. */
#define COMPLEX(n, ...) complexes(n, (const double[]){__VA_ARGS__})
static kn_array complexes(int64_t n, const double *parts) { return kn_from((const kn_c128 *)parts, KN_SHAPE(n)); }

/* ---- isin. */

static void isin_among_many_real_numbers(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array others =
        kn_concatenate(KN_LIST(kn_of(double, 3, NAN, 0.0, 5, INFINITY, -INFINITY, 7), kn_arange(20, 40, 1)));
    kn_array x = kn_of(double, NAN, -0.0, 0, INFINITY, -INFINITY, 4, 39, 40, 3);
    expect_values(kn_isin(x, others), 0, 1, 1, 1, 1, 0, 1, 0, 1);
    expect_values(kn_isin(x, others, .invert = true), 1, 0, 0, 0, 0, 1, 0, 1, 0);
    expect_values(kn_isin(kn_reshape(kn_at(x, "3:7"), KN_SHAPE(2, 2)), kn_reshape(others, KN_SHAPE(3, 9))), 1, 1, 0, 1);
    expect_values(kn_isin(kn_of(double, 39.5, 39), kn_astype(others, KN_F32)), 0, 1);
    expect_values(kn_isin(39, others), 1);
    expect_values(kn_isin(kn_zeros(KN_SHAPE(0)), others));
}

static void isin_among_many_complex_numbers(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array two = kn_multiply(kn_ones(KN_SHAPE(20)), kn_like_complex(0, 2));
    kn_array others = kn_concatenate(KN_LIST(kn_add(kn_arange(0, 20, 1), two), COMPLEX(2, 3, -1, NAN, 1)));
    kn_array x = COMPLEX(5, 1, 2, NAN, 1, 3, -1, 0, 0, 2, NAN);
    expect_values(kn_isin(x, others), 1, 0, 1, 0, 0);
}

static void isin_of_integers_that_no_dtype_holds_together(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array i = kn_of(int64_t, -1, INT64_MAX, 5, INT64_MIN);
    kn_array u = kn_of(uint64_t, UINT64_MAX, INT64_MAX, (uint64_t)INT64_MAX + 1, 5);
    kn_array many_i = kn_concatenate(KN_LIST(i, kn_arange(30, 50, 1)));
    kn_array many_u = kn_concatenate(KN_LIST(u, kn_astype(kn_arange(30, 50, 1), KN_U64)));
    expect_values(kn_isin(i, many_u), 0, 1, 1, 0);
    expect_values(kn_isin(u, many_i), 0, 1, 0, 1);
    expect_values(kn_isin(i, u), 0, 1, 1, 0);
    expect_values(kn_isin(u, i), 0, 1, 0, 1);
    expect_values(kn_isin(kn_of(int8_t, -1, 31), many_u), 0, 1);
}

static void isin_of_integers_close_to_each_other(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array others = kn_sub(kn_mul(kn_arange(0, 40, 1), 3), 50); /* -50, -47 .. 67 */
    kn_array x = kn_of(int64_t, -50, -49, 67, 68, -53, INT64_MAX, INT64_MIN, 1), b = kn_of(int8_t, 127, -128, 1, 67);
    expect_values(kn_isin(x, others), 1, 0, 1, 0, 0, 0, 0, 1);
    expect_values(kn_isin(x, others, .invert = true), 0, 1, 0, 1, 1, 1, 1, 0);
    expect_values(kn_isin(b, others), 0, 0, 1, 1);
    expect_values(kn_isin(kn_astype(x, KN_U32), kn_astype(others, KN_I8)), 0, 0, 1, 0, 0, 0, 0, 1);
    kn_array ends = kn_concatenate(KN_LIST(kn_of(int64_t, INT64_MIN, INT64_MAX), kn_arange(0, 20, 1)));
    expect_values(kn_isin(x, ends), 0, 0, 0, 0, 0, 1, 1, 1);
    expect_values(kn_isin(1, kn_add(kn_zeros(KN_SHAPE(30), .dtype = KN_I64), 1)), 1);
}

static kn_array is_in(const kn_array *x, const kn_array *others) { return kn_isin(*x, *others); }
KN_FUNCTION(is_in, kn_array, kn_array, kn_array)

static void isin_under_transformations(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(int64_t, 5, 50, 39), others = kn_arange(0, 40, 1), y;
    kn_call(kn_jit(KN_FN(is_in)), &y, &x, &others);
    expect_values(y, 1, 0, 1);
    kn_array rows = kn_reshape(kn_arange(0, 80, 2), KN_SHAPE(2, 20)), columns = kn_of(int64_t, 38, 38);
    kn_call(kn_vmap(KN_FN(is_in)), &y, &columns, &rows); /* 0, 2 .. 38 and 40, 42 .. 78 */
    expect_values(y, 1, 0);
}

/* ---- interp. */

static void interp_at_and_between_knots(void **state)
{
    (void)state;
    KN_SCOPE;
    const double nan = NAN, inf = INFINITY;
    kn_array x = kn_of(double, -1, 0, 0.5, 1, 1.5, 2, 3, 4, 5, nan);
    kn_array xp = kn_of(double, 0, 1, 1, 2, 4), fp = kn_of(double, 0, 10, 20, 30, inf);
    expect_values(kn_interp(x, xp, fp), 0, 0, 5, 20, 25, 30, inf, inf, inf, nan);
    expect_values(kn_interp(x, xp, fp, .left = kn_like_double(-7), .right = kn_like_double(9)), -7, 0, 5, 20, 25, 30,
                  inf, inf, 9, nan);
    expect_values(kn_interp(x, kn_of(double, 2), kn_of(double, 3)), 3, 3, 3, 3, 3, 3, 3, 3, 3, 3);
    expect_values(kn_interp(x, kn_of(double, -inf, 0, inf), kn_of(double, 1, 2, 3)), 2, 2, 2, 2, 2, 2, 2, 2, 2, nan);
    expect_near(kn_interp(kn_of(double, -1, 3.5, 365, 366.5), kn_of(int64_t, 10, 200, 350, 5),
                          kn_of(double, 1, 2, 3, 4), .period = kn_like_double(360)),
                1e-15, 3.6, 3.9, 4.0, 3.1);
    kn_array z = kn_interp(kn_of(double, 0.25, 3), kn_of(double, 0, 1, 4), COMPLEX(3, 0, 1, 2, 0, 3, -1));
    expect_near(kn_real(z), 1e-15, 0.5, 2.6666666666666665);
    expect_near(kn_imag(z), 1e-15, 0.75, -0.6666666666666666);
}

static kn_array sum_of_interp(const kn_array *x, const kn_array *xp, const kn_array *fp)
{
    return kn_sum(kn_interp(*x, *xp, *fp));
}
KN_FUNCTION(sum_of_interp, kn_array, kn_array, kn_array, kn_array)

static void interp_under_transformations(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 0.25, 1.5, 9), xp = kn_of(double, 0, 1, 3), fp = kn_of(double, 4, 8, 2), y, g;
    kn_call(kn_jit(KN_FN(sum_of_interp)), &y, &x, &xp, &fp);
    expect_values(y, 5 + 6.5 + 2);
    kn_call(kn_grad(KN_FN(sum_of_interp)), &g, &x, &xp, &fp); /* slopes, and nothing beyond the last knot */
    expect_values(g, 4, -3, 0);
    kn_call(kn_grad(KN_FN(sum_of_interp), .argnums = KN_ARGNUMS(2)), &g, &x, &xp, &fp);
    expect_values(g, 0.75, 0.25 + 0.75, 0.25 + 1);
    kn_array rows = kn_stack(KN_LIST(x, kn_mul(x, 2))), knots = kn_stack(KN_LIST(xp, kn_mul(xp, 2)));
    kn_call(kn_vmap(KN_FN(sum_of_interp)), &y, &rows, &knots, &(kn_array){kn_stack(KN_LIST(fp, fp))});
    expect_values(y, 13.5, 13.5);
}

/* ---- How much work. */

static int64_t most;
static void hear_step(void *env, const kn_step *step)
{
    (void)env;
    most = step->elements > most ? step->elements : most;
}

/* No step has more than a few turns for each element, with a logarithm: looked at where all pairs would be far more. */
static void nothing_looks_at_all_pairs(void **state)
{
    (void)state;
    enum { N = 3000 };
    KN_SCOPE;
    kn_array i = kn_remainder(kn_mul(kn_arange(0, N, 1), 7919), 1000003), k = kn_add(i, 1);
    kn_array x = kn_astype(i, KN_F64), edges = kn_arange(0, N, 1, .dtype = KN_F64), u = kn_mod(i, N);
    kn_eval(i), kn_eval(k), kn_eval(x), kn_eval(edges), kn_eval(u);
#define LOOKS(...)                                                                  \
    do {                                                                            \
        KN_SCOPE;                                                                   \
        most = 0;                                                                   \
        kn_on_step(hear_step, NULL);                                                \
        kn_eval(__VA_ARGS__);                                                       \
        kn_on_step(NULL, NULL);                                                     \
        if (most > 40 * N)                                                          \
            fail_msg("%s: a step of %lld elements", #__VA_ARGS__, (long long)most); \
    } while (0)
    LOOKS(kn_isin(i, k));
    LOOKS(kn_isin(x, k, .invert = true));
    LOOKS(kn_setdiff1d(i, k));
    LOOKS(kn_setxor1d(i, k));
    LOOKS(kn_intersect1d(i, k));
    LOOKS(kn_union1d(i, k));
    LOOKS(kn_unique(u));
    LOOKS(kn_searchsorted(edges, x));
    LOOKS(kn_digitize(x, edges));
    LOOKS(kn_histogram(x, .bins = edges).hist);
    LOOKS(kn_histogram(x, .bins = kn_like_int(N)).hist);
    LOOKS(kn_bincount(u));
    LOOKS(kn_interp(x, edges, x));
    LOOKS(kn_median(x));
    LOOKS(kn_quantile(x, kn_div(edges, N)));
    LOOKS(kn_argsort(x));
    LOOKS(kn_partition(x, 7));
    LOOKS(kn_take(x, u));
    LOOKS(kn_nancumsum(x));
    LOOKS(kn_cumprod(x));
    LOOKS(kn_repeat(x, 3));
    LOOKS(kn_delete(x, u));
    LOOKS(kn_insert(x, u, 1));
    LOOKS(kn_trim_zeros(x));
    LOOKS(kn_ediff1d(x));
    LOOKS(kn_unwrap(x));
    LOOKS(kn_diff(x, .n = 5));
    LOOKS(kn_roll(x, 7));
#undef LOOKS
}

/* ---- Passes, transformations. */

static int steps;
static void count_step(void *env, const kn_step *step) { (void)env, (void)step, steps++; }

static int steps_of_a_search(int64_t n, kn_array (*search)(kn_array edges, kn_array x))
{
    KN_SCOPE;
    kn_array edges = kn_arange(0, n, 1), x = kn_linspace(-1, n, 50);
    kn_eval(edges), kn_eval(x);
    kn_on_step(count_step, NULL);
    steps = 0;
    kn_eval(search(edges, x));
    kn_on_step(NULL, NULL);
    return steps;
}

static kn_array sorted_place(kn_array edges, kn_array x) { return kn_searchsorted(edges, x); }
static kn_array on_lines(kn_array edges, kn_array x) { return kn_interp(x, edges, edges); }

static void a_search_has_no_pass_for_each_halving(void **state)
{
    (void)state;
    assert_int_equal(steps_of_a_search(100000, sorted_place), steps_of_a_search(100, sorted_place));
    assert_int_equal(steps_of_a_search(100000, on_lines), steps_of_a_search(100, on_lines));
}

static kn_array found_below(const kn_array *x) { return kn_searchsorted(kn_arange(0, 9, 1), *x, .side = "right"); }
KN_FUNCTION(found_below, kn_array, kn_array)
static kn_array sum_on_lines(const kn_array *x)
{
    return kn_sum(kn_interp(*x, kn_arange(0.0, 5.0, 1.0), kn_of(double, 0, 1, 4, 9, 16)));
}
KN_FUNCTION(sum_on_lines, kn_array, kn_array)

static void searches_go_through_transformations(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, -1, 0, 0.5, 8, 20, NAN), m = kn_reshape(x, KN_SHAPE(2, 3)), y;
    kn_call(kn_jit(KN_FN(found_below)), &y, &x);
    expect_values(y, 0, 1, 1, 9, 9, 9);
    kn_call(kn_vmap(kn_vmap(KN_FN(found_below))), &y, &m);
    expect_values(y, 0, 1, 1, 9, 9, 9);
    kn_array at = kn_of(double, 0.5, 1.25, 3.5);
    kn_call(kn_grad(KN_FN(sum_on_lines)), &y, &at);
    expect_values(y, 1, 3, 7);
    kn_call(kn_jit(kn_vmap(kn_grad(KN_FN(sum_on_lines)))), &y, &at);
    expect_values(y, 1, 3, 7);
}

KN_TEST_GROUP(test_searches)
{
    const struct CMUnitTest tests[] = {
        TEST(isin_among_many_real_numbers),
        TEST(isin_among_many_complex_numbers),
        TEST(isin_of_integers_that_no_dtype_holds_together),
        TEST(isin_of_integers_close_to_each_other),
        TEST(isin_under_transformations),
        TEST(interp_at_and_between_knots),
        TEST(interp_under_transformations),
        TEST(nothing_looks_at_all_pairs),
        TEST(a_search_has_no_pass_for_each_halving),
        TEST(searches_go_through_transformations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
