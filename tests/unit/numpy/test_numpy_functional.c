/* SPDX-License-Identifier: Apache-2.0
 * test_numpy_functional.c -- functions applied along axes and in pieces; statistics, sorting and searching under
 * transformations. */
#include "support/expect.h"
#include "support/group.h"

/* ---- Derivatives, jit and vmap of one array function after the other. */

static kn_array weighted(kn_array y)
{
    kn_array places = kn_reshape(kn_arange(1, (double)kn_size(y) + 1, 1), kn_shape_of(y));
    return kn_sum(kn_mul(y, kn_sin(places)));
}
#define MATRIX(x) kn_reshape(*x, KN_SHAPE(3, 4))
#define SCALAR(name, call)                                             \
    static kn_array name(const kn_array *x) { return weighted(call); } \
    KN_FUNCTION(name, kn_array, kn_array)
static kn_array with_hole(const kn_array *x) /* NaN at one place */
{
    return kn_where(kn_equal(kn_arange(0, 12, 1), 5), (double)NAN, *x);
}
SCALAR(f_prod, kn_prod(MATRIX(x), KN_AXIS(0)))
SCALAR(f_nansum, kn_nansum(with_hole(x)))
SCALAR(f_nanprod, kn_nanprod(kn_reshape(with_hole(x), KN_SHAPE(3, 4)), KN_AXIS(1)))
SCALAR(f_nanmean, kn_nanmean(with_hole(x)))
SCALAR(f_nanvar, kn_nanvar(kn_reshape(with_hole(x), KN_SHAPE(3, 4)), KN_AXIS(1), .ddof = 1))
SCALAR(f_nanstd, kn_nanstd(kn_reshape(with_hole(x), KN_SHAPE(3, 4)), KN_AXIS(0)))
SCALAR(f_nanmax, kn_nanmax(kn_reshape(with_hole(x), KN_SHAPE(3, 4)), KN_AXIS(0)))
SCALAR(f_nanmin, kn_nanmin(kn_reshape(with_hole(x), KN_SHAPE(3, 4)), KN_AXIS(1)))
SCALAR(f_median, kn_median(MATRIX(x), KN_AXIS(1)))
SCALAR(f_nanmedian, kn_nanmedian(kn_reshape(with_hole(x), KN_SHAPE(3, 4)), KN_AXIS(1)))
SCALAR(f_quantile, kn_quantile(MATRIX(x), kn_of(double, 0.3, 0.9), KN_AXIS(1)))
SCALAR(f_hazen, kn_quantile(*x, 0.37, .method = "hazen"))
SCALAR(f_nanquantile, kn_nanquantile(kn_reshape(with_hole(x), KN_SHAPE(3, 4)), kn_of(double, 0.3, 0.9), KN_AXIS(0)))
SCALAR(f_percentile, kn_percentile(*x, 33))
SCALAR(f_inverted,
       kn_quantile(MATRIX(x), 0.4, KN_AXIS(1), .method = "inverted_cdf", .weights = kn_of(double, 1, 2, 1, 3)))
SCALAR(f_level, kn_quantile(kn_arange(0, 12, 1), kn_div(*x, 20)))
SCALAR(f_average, kn_average(MATRIX(x), KN_AXIS(1), .weights = kn_of(double, 1, 2, 0.5, 3)))
SCALAR(f_weights, kn_average(kn_arange(0, 12, 1), .weights = *x))
SCALAR(f_cov, kn_cov(MATRIX(x), .aweights = kn_of(double, 1, 2, 0.5, 3)))
SCALAR(f_corrcoef, kn_corrcoef(MATRIX(x)))
SCALAR(f_sort, kn_sort(*x))
SCALAR(f_partition, kn_partition(*x, 3))
SCALAR(f_falling, kn_sort(*x, .descending = true))
SCALAR(f_top, kn_top_k(*x, 3).values)
SCALAR(f_lowest, kn_top_k(*x, 3, .mode = "smallest").values)
SCALAR(f_histogram, kn_histogram(kn_arange(0, 12, 1), .bins = kn_num(4), .weights = *x).hist)
SCALAR(f_counts, kn_histogram(*x, .bins = kn_num(4)).hist)
SCALAR(f_edges, kn_histogram_bin_edges(*x))
SCALAR(f_histogram2d, kn_histogram2d(*x, kn_flip(*x), .bins = KN_LIST(2, 3)).H)
SCALAR(f_searched, kn_searchsorted(kn_arange(0, 12, 1), *x))
SCALAR(f_digitized, kn_digitize(*x, kn_of(double, 9, 4, 2)))
SCALAR(f_lexsorted, kn_lexsort(KN_LIST(*x, kn_greater(*x, 4))))
SCALAR(f_var, kn_var(MATRIX(x), KN_AXIS(1), .correction = 1, .mean = kn_mean(MATRIX(x), KN_AXIS(1), .keepdims = true)))
static kn_array squares(const kn_array *x) { return kn_mul(kn_square(*x), kn_of(double, 1, 2, 3, 4)); }
KN_FUNCTION(squares, kn_array, kn_array)
SCALAR(f_along, kn_apply_along_axis(KN_FN(squares), 1, MATRIX(x)))
static kn_array cube(const kn_array *x) { return kn_power(*x, 3); }
KN_FUNCTION(cube, kn_array, kn_array)
SCALAR(f_pieces, kn_piecewise(*x, KN_LIST(kn_less(*x, 3), kn_greater(*x, 8)), KN_FN(cube), kn_mul(*x, -2), 7))

typedef struct transformed {
    const char *name;
    kn_fn f;
} transformed;

static kn_array value_of(kn_fn f, kn_array x)
{
    kn_array y = NULL;
    kn_call(f, &y, &x);
    return y;
}

static kn_array sample(void) { return kn_of(double, 3.1, 7.3, 1.2, 9.6, 2.4, 5.5, 8.8, 0.7, 4.05, 6.6, 10.2, 1.9); }

/* d f along v by differences */
static double slope(kn_fn f, kn_array x, kn_array v)
{
    const double h = 1e-5;
    return (kn_item(value_of(f, kn_add(x, kn_mul(v, h)))) - kn_item(value_of(f, kn_sub(x, kn_mul(v, h))))) / (2 * h);
}

static bool holds(kn_fn f)
{
    KN_SCOPE;
    kn_array x = sample(), y = value_of(f, x), compiled = value_of(kn_jit(f), x), g = value_of(kn_grad(f), x);
    kn_array v = kn_cos(kn_arange(0, 12, 1)), rows = kn_stack(KN_LIST(x, kn_flip(x)));
    kn_array mapped = value_of(kn_vmap(f), rows), each = kn_stack(KN_LIST(y, value_of(f, kn_flip(x))));
    double wanted = slope(f, x, v), got = kn_item(kn_sum(kn_mul(g, v)));
    kn_array traced = value_of(kn_jit(kn_grad(f)), x);
    bool same = kn_allclose(compiled, y, .rtol = 1e-12) && kn_allclose(mapped, each, .rtol = 1e-12) &&
                kn_allclose(traced, g, .rtol = 1e-12);
    return same && fabs(wanted - got) <= 1e-5 * (1 + fabs(wanted)) && !kn_error_pending();
}

static void transformations_agree(void **state)
{
    (void)state;
    KN_SCOPE;
#define ONE(f)       \
    {                \
#f, KN_FN(f) \
    }
    const transformed all[] = {
        ONE(f_prod),        ONE(f_nansum),     ONE(f_nanprod),  ONE(f_nanmean),   ONE(f_nanvar),      ONE(f_nanstd),
        ONE(f_nanmax),      ONE(f_nanmin),     ONE(f_median),   ONE(f_nanmedian), ONE(f_quantile),    ONE(f_hazen),
        ONE(f_nanquantile), ONE(f_percentile), ONE(f_inverted), ONE(f_level),     ONE(f_average),     ONE(f_weights),
        ONE(f_cov),         ONE(f_corrcoef),   ONE(f_sort),     ONE(f_falling),   ONE(f_partition),   ONE(f_top),
        ONE(f_lowest),      ONE(f_histogram),  ONE(f_counts),   ONE(f_edges),     ONE(f_histogram2d), ONE(f_searched),
        ONE(f_digitized),   ONE(f_lexsorted),  ONE(f_var),      ONE(f_along),     ONE(f_pieces)};
    int bad = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!holds(all[i].f)) {
            print_error("%s: %s\n", all[i].name, kn_error_pending() ? kn_error_message() : "values differ");
            kn_error_clear();
            bad++;
        }
    assert_int_equal(bad, 0);
}

/* ---- Values that are not known while a function is traced. */

static kn_array counted(const kn_array *x) { return kn_bincount(*x); }
KN_FUNCTION(counted, kn_array, kn_array)
static kn_array estimated(const kn_array *x) { return kn_histogram_bin_edges(*x, .estimator = "auto"); }
KN_FUNCTION(estimated, kn_array, kn_array)
static kn_array last_place(const kn_array *x) { return kn_nanargmax(*x); }
KN_FUNCTION(last_place, kn_array, kn_array)

static void sizes_that_depend_on_values_cannot_be_traced(void **state)
{
    (void)state;
    KN_SCOPE;
    (void)kn_ok(value_of(kn_jit(KN_FN(counted)), kn_of(int, 1, 2)));
    expect_error_with("ConcretizationError", "is not known while counted is traced by jit");
    (void)kn_ok(value_of(kn_jit(KN_FN(estimated)), kn_of(double, 1, 2)));
    expect_error_with("ConcretizationError", "is not known while estimated is traced by jit");
}

static void a_slice_of_nan_has_no_position(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, NAN, NAN);
    assert_false(kn_ok(kn_nanargmax(x)));
    expect_error("ValueError", "nanargmax: All-NaN slice encountered");
    expect_values(value_of(kn_jit(KN_FN(last_place)), x), -1);
    expect_values(value_of(kn_jit(KN_FN(last_place)), kn_of(double, NAN, 2)), 1);
}

/* ---- Extremes of complex numbers, the largest elements. */

static void largest_elements_come_first(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_of(int, 3, 9, 5, 7, 2, 8), KN_SHAPE(2, 3));
    kn_top_k_result t = kn_top_k(x, 2);
    expect_values(t.values, 9, 5, 8, 7);
    expect_values(t.indices, 1, 2, 2, 0);
    assert_ptr_equal(kn_dtype_of(t.indices), kn_dtype_named("int64"));
    t = kn_top_k(x, 1, KN_AXIS(0), .mode = "smallest");
    expect_values(t.values, 3, 2, 5);
    expect_values(t.indices, 0, 1, 0);
    t = kn_top_k(kn_of(double _Complex, 1, 2.0 + 1i, 2), 2);
    expect_values(kn_imag(t.values), 1, 0);
    (void)kn_ok(kn_top_k(x, 4).values);
    expect_error("ValueError", "top_k: k(=4) out of bounds (3)");
    (void)kn_ok(kn_top_k(x, 1, .mode = "best").values);
    expect_error("ValueError", "top_k: mode(=\"best\") must be either \"largest\" or \"smallest\".");
}

static void descending_order_has_nan_last(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, NAN, -INFINITY, 3, 0.0, -0.0, 3);
    expect_values(kn_sort(x, .descending = true), 3, 3, 1, 0, 0, -INFINITY, NAN);
    expect_values(kn_argsort(x, .descending = true), 3, 6, 0, 4, 5, 2, 1);
    kn_top_k_result t = kn_top_k(x, 7);
    expect_values(t.values, 3, 3, 1, 0, 0, -INFINITY, NAN);
    expect_values(t.indices, 3, 6, 0, 4, 5, 2, 1);
    expect_values(kn_top_k(x, 2, .mode = "smallest").values, -INFINITY, 0);
    expect_values(kn_sort(kn_of(unsigned char, 0, 255, 3), .descending = true), 255, 3, 0);
    expect_values(kn_sort(kn_of(signed char, -128, 127, 3), .descending = true), 127, 3, -128);
    expect_values(kn_sort(kn_of(bool, 0, 1, 0), .descending = true), 1, 0, 0);
    expect_values(kn_imag(kn_sort(kn_of(double _Complex, 1, 2, 2.0 + 1i), .descending = true)), 1, 0, 0);
    expect_values(kn_at(kn_partition(x, 1, .descending = true), "1"), 3);
    expect_values(kn_top_k(kn_astype(x, KN_BF16), 3).values, 3, 3, 1);
    expect_values(kn_top_k(kn_of(float, -2, -1, -3), 3).values, -1, -2, -3);
}

static void quantiles_do_not_overflow(void **state)
{
    (void)state;
    KN_SCOPE;
    expect_values(kn_quantile(kn_of(signed char, 100, -100), 0.25), -50);
    expect_values(kn_median(kn_of(float, 3e38f, 3e38f, -1)), 3e38f);
    kn_array x = kn_reshape(kn_of(double, 1, NAN, 3, 5, 6, 7), KN_SHAPE(2, 3)), w = kn_of(double, 1, 5, 2);
    expect_values(kn_nanquantile(x, 0.5, KN_AXIS(1), .weights = w, .method = "inverted_cdf"), 3, 6);
}

static void short_floats_keep_their_dtype(void **state)
{
    (void)state;
    KN_SCOPE;
    const kn_dtype types[] = {KN_F16, KN_BF16};
    for (int i = 0; i < 2; i++) {
        kn_array x = kn_astype(kn_of(double, 3, 1, 2, 8), types[i]);
        kn_array all[] = {
            kn_median(x),  kn_quantile(x, 0.5),       kn_nanmax(x),       kn_prod(x),           kn_nanvar(x),
            kn_average(x), kn_histogram(x).bin_edges, kn_partition(x, 0), kn_top_k(x, 1).values};
        for (size_t j = 0; j < sizeof all / sizeof *all; j++)
            assert_ptr_equal(kn_dtype_of(all[j]), types[i]);
        expect_values(all[0], 2.5);
        expect_values(all[3], 48);
        expect_values(kn_searchsorted(kn_sort(x), 2, .side = "right"), 2);
    }
}

static void numbers_have_statistics(void **state)
{
    (void)state;
    KN_SCOPE;
    expect_values(kn_median(3), 3);
    expect_values(kn_quantile(3, 0.25), 3);
    expect_values(kn_nanmax(2.5), 2.5);
    expect_values(kn_imag(kn_max(1.0 + 2i)), 2);
    expect_values(kn_digitize(2, kn_of(int, 1, 3)), 1);
    assert_ptr_equal(kn_dtype_of(kn_prod(3)), kn_dtype_named("int64"));
}

static void partitions_put_the_element_in_its_place(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(int, 3, 9, 5, 7, 2, 8);
    assert_int_equal(kn_item_int(kn_at(kn_partition(x, 2), "2")), 5);
    assert_int_equal(kn_item_int(kn_at(kn_argpartition(x, -1), "5")), 1);
    expect_values(kn_shape_of(kn_partition(kn_reshape(x, KN_SHAPE(2, 3)), 0, KN_AXIS_NONE)).dim[0] == 6 ? kn_num(1)
                                                                                                        : kn_num(0),
                  1);
}

static void numbers_are_scalars_and_arrays_are_not(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_true(kn_isscalar(3));
    assert_true(kn_isscalar(2.5));
    assert_false(kn_isscalar(kn_scalar(2.5)));
    kn_array m = kn_ones(KN_SHAPE(2, 3));
    assert_false(kn_isfortran(m));
    assert_true(kn_isfortran(kn_transpose(m)));
    assert_false(kn_isfortran(kn_at(m, "0")));
}

/* ---- Functions along axes and in pieces. */

static kn_array spread(const kn_array *x) { return kn_stack(KN_LIST(kn_min(*x), kn_max(*x))); }
KN_FUNCTION(spread, kn_array, kn_array)
static kn_array outer(const kn_array *x) { return kn_outer(*x, *x); }
KN_FUNCTION(outer, kn_array, kn_array)

static void results_along_an_axis_stand_where_it_was(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_arange(0, 24, 1), KN_SHAPE(2, 3, 4)), y = kn_apply_along_axis(KN_FN(spread), 1, x);
    kn_shape s = kn_shape_of(y);
    assert_int_equal(s.ndim, 3);
    assert_int_equal(s.dim[1], 2);
    expect_values(kn_at(y, "1, :, 2"), 14, 22);
    s = kn_shape_of(kn_apply_along_axis(KN_FN(outer), 0, x));
    assert_int_equal(s.ndim, 4);
    assert_int_equal(s.dim[0], 2);
    assert_int_equal(s.dim[1], 2);
    assert_int_equal(s.dim[3], 4);
    expect_values(kn_apply_along_axis(KN_FN(spread), -1, kn_of(double, 4, 1, 2)), 1, 4);
    assert_false(kn_ok(kn_apply_along_axis(KN_FN(spread), 0, kn_zeros(KN_SHAPE(2, 0)))));
    expect_error("ValueError", "apply_along_axis: Cannot apply_along_axis when any iteration dimensions are 0");
    assert_false(kn_ok(kn_apply_along_axis(KN_FN(spread), 2, kn_zeros(KN_SHAPE(2, 2)))));
    expect_error("AxisError", "apply_along_axis: axis 2 is out of bounds for array of dimension 2");
}

static kn_array total(kn_array a, int axis) { return kn_sum(a, KN_AXIS(axis)); }
static kn_array flattened(kn_array a, int axis) { return kn_mul(kn_sum(a), axis); }

static void reductions_go_over_axes_in_turn(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_arange(0, 24, 1), KN_SHAPE(2, 3, 4)), y = kn_apply_over_axes(total, x, KN_AXIS(0, -1));
    assert_int_equal(kn_ndim(y), 3);
    expect_values(y, 60, 92, 124);
    expect_values(kn_apply_over_axes(total, kn_of(int, 3, 4), KN_AXIS()), 3, 4);
    assert_false(kn_ok(kn_apply_over_axes(flattened, x, KN_AXIS(0))));
    expect_error("ValueError", "apply_over_axes: function is not returning an array of the correct shape");
}

static void the_last_piece_wins(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(int, -2, -1, 0, 1, 2);
    expect_values(kn_piecewise(x, KN_LIST(kn_less(x, 0), kn_greater_equal(x, 0)), -1, 1), -1, -1, 1, 1, 1);
    expect_values(kn_piecewise(x, KN_LIST(kn_less(x, 0), kn_less(x, -1)), KN_FN(cube), 50, 2.5), 50, -1, 2, 2, 2);
    expect_values(kn_piecewise(x, KN_LIST(kn_less(x, 0)), 9), 9, 9, 0, 0, 0);
    assert_false(kn_ok(kn_piecewise(x, KN_LIST(kn_less(x, 0)), 1, 2, 3)));
    expect_error("ValueError", "piecewise: with 1 condition(s), either 1 or 2 functions are expected");
}

KN_TEST_GROUP(test_numpy_functional)
{
    const struct CMUnitTest tests[] = {
        TEST(transformations_agree),
        TEST(sizes_that_depend_on_values_cannot_be_traced),
        TEST(a_slice_of_nan_has_no_position),
        TEST(largest_elements_come_first),
        TEST(descending_order_has_nan_last),
        TEST(quantiles_do_not_overflow),
        TEST(short_floats_keep_their_dtype),
        TEST(numbers_have_statistics),
        TEST(partitions_put_the_element_in_its_place),
        TEST(numbers_are_scalars_and_arrays_are_not),
        TEST(results_along_an_axis_stand_where_it_was),
        TEST(reductions_go_over_axes_in_turn),
        TEST(the_last_piece_wins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
