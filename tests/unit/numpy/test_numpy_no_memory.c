/* SPDX-License-Identifier: Apache-2.0
 * test_numpy_no_memory.c -- allocations of programs of NumPy's routines fail, each once (one in five; all of them
 * with KILN_TEST_LONG=1): what comes out is a MemoryError or the right answer, and nothing is lost or leaked. */
#include "support/expect.h"
#include "support/group.h"
#include "support/no_memory.h"
#include <stdio.h>
#include <stdlib.h>

/* What is true of arrays that were cut, joined and searched; NaN where something failed. */
static double arrays(void)
{
    KN_SCOPE;
    kn_array x = kn_reshape(kn_arange(0, 6, 1, .dtype = KN_F64), KN_SHAPE(2, 3)), index = NULL, inverse = NULL;
    kn_array padded = kn_pad(x, kn_of(int, 1, 2), .mode = "symmetric", .reflect_type = "odd");
    kn_array means = kn_pad(x, 1, .mode = "mean", .stat_length = kn_num(2));
    kn_array some = kn_unique(kn_astype(kn_div(padded, 2), KN_I32), .return_index = &index, .return_inverse = &inverse);
    kn_array rows = kn_unique(kn_insert(x, kn_of(int, 0, 1), 7, KN_AXIS(0)), KN_AXIS(0));
    kn_list parts = kn_array_split(kn_delete(x, 1, KN_AXIS(1)), kn_of(int, 1)),
            grids = kn_meshgrid(KN_LIST(index, some));
    kn_array block = kn_block(KN_LIST(x, x), KN_LIST(kn_roll(x, 1), kn_repeat(x, kn_of(int, 1, 1, 1), KN_AXIS(1))));
    kn_array chosen = kn_choose(kn_of(int, 1, 0, 1), KN_LIST(kn_num(10), kn_num(20)));
    kn_put(block, kn_of(int, 0, 5), kn_of(double, -1, -2));
    kn_place_mask(means, kn_greater(means, 2), kn_of(double, 3, 4));
    kn_fill_diagonal(block, 3);
    kn_list found = kn_nonzero(x), at = kn_unravel_index(kn_of(int, 3, 4), KN_SHAPE(2, 3));
    kn_array flat = kn_ravel_multi_index(at, KN_SHAPE(2, 3)), both = kn_intersect1d(some, x);
    kn_array all[] = {padded,
                      means,
                      some,
                      inverse,
                      rows,
                      block,
                      chosen,
                      flat,
                      both,
                      kn_list_get(parts, 1),
                      kn_list_get(grids, 0),
                      kn_list_get(found, 1),
                      kn_vander(kn_at(x, "1")),
                      kn_diag(kn_at(x, "0"))};
    double sum = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sum += kn_item(kn_sum(all[i])) * (double)(i + 1);
    if (kn_testing_assert_allclose(x, x) != 0)
        return (double)NAN;
    return sum;
}

/* The same of mathematical functions. */
static double mathematics(void)
{
    KN_SCOPE;
    kn_array x = kn_of(double, 0.5, 1, -2, 4), n = kn_of(int, 12, 18, 27, 8);
    kn_array all[] = {kn_gcd(n, 6),
                      kn_divmod(n, 5).remainder,
                      kn_frexp(x).mantissa,
                      kn_round(x, .decimals = 1),
                      kn_unwrap(x, .period = kn_num(3)),
                      kn_list_get(kn_gradient(x, .edge_order = 2), 0),
                      kn_interp(x, kn_of(double, 0, 1, 2), kn_of(double, 5, 6, 8), .period = kn_num(5)),
                      kn_diff(x, .prepend = kn_num(1)),
                      kn_convolve(x, kn_of(double, 1, 2)),
                      kn_cross(kn_at(x, ":3"), kn_at(x, "1:")),
                      kn_unpackbits(kn_packbits(kn_greater(x, 0))),
                      kn_real(kn_emath_sqrt(x)),
                      kn_ufunc_reduce(kn_ufunc_subtract, x),
                      kn_ufunc_reduce(kn_ufunc_fmax, x),
                      kn_ufunc_accumulate(kn_ufunc_hypot, x),
                      kn_ufunc_reduceat(kn_ufunc_remainder, n, kn_of(int, 0, 2, 1)),
                      kn_ufunc_outer(kn_ufunc_less, x, x),
                      kn_cumulative_sum(x, .include_initial = true)};
    double sum = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sum += kn_item(kn_sum(all[i])) * (double)(i + 1);
    return sum;
}

/* The same of products. */
static double products(void)
{
    KN_SCOPE;
    kn_array a = kn_reshape(kn_arange(0, 6, 1.0), KN_SHAPE(2, 3)), m = kn_reshape(kn_arange(0, 9, 1.0), KN_SHAPE(3, 3));
    kn_array v = kn_of(double, 1, -1, 2), d = kn_einsum("ii->i", m);
    kn_einsum_path_result p = kn_einsum_path("ij,jk,kl,l->i", a, m, m, v, .optimize = "optimal");
    kn_array all[] = {kn_einsum("ij,jk,kl,l->i", a, m, m, v, .optimize = *p.path ? p.path : "greedy"),
                      kn_einsum("ij,jk,kl->il", a, m, m),
                      kn_einsum("iij,jk,kl->il", kn_ones(KN_SHAPE(2, 2, 3)), m, m, .optimize = "optimal"),
                      kn_einsum("ij,jk,kl->il", a, m, m, .optimize = false),
                      d,
                      kn_kron(a, v),
                      kn_matvec(m, v),
                      kn_vecmat(v, m),
                      kn_tensordot(a, m, .axes = 1),
                      kn_linalg_vecdot(m, m, .axis = 0),
                      kn_linalg_matrix_power(m, 5),
                      kn_linalg_cross(v, d),
                      kn_linalg_multi_dot(KN_LIST(a, m, m, v))};
    double sum = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sum += kn_item(kn_sum(all[i])) * (double)(i + 1);
    return sum;
}

static kn_array cube(const kn_array *x) { return kn_power(*x, 3); }
KN_FUNCTION(cube, kn_array, kn_array)

/* The same of statistics, sorting and searching. */
static double statistics(void)
{
    KN_SCOPE;
    kn_array x = kn_reshape(kn_sin(kn_arange(0, 8, 1)), KN_SHAPE(2, 4)), weights = NULL;
    kn_array y = kn_average(x, KN_AXIS(1), .weights = kn_of(double, 1, 2, 3, 4), .returned = &weights);
    kn_histogram_result h = kn_histogram(x, .estimator = "sturges", .density = true);
    kn_histogramdd_result d = kn_histogramdd(x, .bins = KN_LIST(2));
    kn_array all[] = {y,
                      weights,
                      h.hist,
                      d.H,
                      kn_list_get(d.edges, 1),
                      kn_nanquantile(x, kn_of(double, 0.2, 0.6), KN_AXIS(1)),
                      kn_nanvar(x, KN_AXIS(0)),
                      kn_max(kn_mul(x, 1.0i)),
                      kn_cov(x),
                      kn_lexsort(KN_LIST(kn_at(x, "0"), kn_mul(kn_at(x, "1"), 1.0i))),
                      kn_digitize(x, kn_of(double, 0.5, 0, -0.5)),
                      kn_bincount(kn_of(int, 1, 3, 1)),
                      kn_argpartition(x, 1),
                      kn_apply_along_axis(KN_FN(cube), 0, x),
                      kn_piecewise(x, KN_LIST(kn_less(x, 0)), KN_FN(cube), 2)};
    double sum = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sum += kn_item(kn_sum(kn_real(all[i]))) * (double)(i + 1);
    return sum;
}

static bool thorough(void) { return getenv("KILN_TEST_LONG") != NULL; }

static void allocations_of_cut_and_joined_arrays_may_fail(void **state)
{
    (void)state;
    no_memory_check(arrays, thorough() ? 1 : 5, NULL);
}

static void allocations_of_mathematics_may_fail(void **state)
{
    (void)state;
    no_memory_check(mathematics, thorough() ? 1 : 5, NULL);
}

static void allocations_of_products_may_fail(void **state)
{
    (void)state;
    no_memory_check(products, thorough() ? 1 : 5, NULL);
}

static void allocations_of_statistics_may_fail(void **state)
{
    (void)state;
    no_memory_check(statistics, thorough() ? 13 : 97, NULL);
}

KN_TEST_GROUP(test_numpy_no_memory)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(allocations_of_cut_and_joined_arrays_may_fail),
                                       cmocka_unit_test(allocations_of_mathematics_may_fail),
                                       cmocka_unit_test(allocations_of_products_may_fail),
                                       cmocka_unit_test(allocations_of_statistics_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
