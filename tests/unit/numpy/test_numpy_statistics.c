/* SPDX-License-Identifier: Apache-2.0
 * test_numpy_statistics.c -- reductions, quantiles, correlations, histograms, sorting and searching: calls whose results
 * and errors NumPy gave, and what they do under transformations. */
#include "support/expect.h"
#include "support/group.h"
#include "support/numpy_calls.h"
#include <math.h>

#define ARRAY(name, call) \
    static numpy_result call_##name(const numpy_call *c) { return numpy_one(call); }
#define X        c->array[0]
#define Y        c->array[1]
#define ALL      (kn_list_from)(c->array, c->n)
#define AXIS     numpy_axes(c, "axis")
#define KEEP     .keepdims = numpy_flag(c, "keepdims", false)
#define ARR(key) numpy_array(c, key)
#define SUM(name) \
    ARRAY(name, kn_##name(X, AXIS, .dtype = numpy_dtype(c), KEEP, .initial = ARR("initial"), .where = ARR("where")))
#define MEAN(name) ARRAY(name, kn_##name(X, AXIS, .dtype = numpy_dtype(c), KEEP, .where = ARR("where")))
#define VAR(name)                                                                         \
    ARRAY(name,                                                                           \
          kn_##name(X, AXIS, .dtype = numpy_dtype(c), .ddof = numpy_number(c, "ddof", 0), \
                    .correction = numpy_number(c, "correction", 0), .mean = ARR("mean"), KEEP, .where = ARR("where")))
#define MAX(name) ARRAY(name, kn_##name(X, AXIS, KEEP, .initial = ARR("initial"), .where = ARR("where")))
#define ARG(name) ARRAY(name, kn_##name(X, AXIS, KEEP))
#define QUANTILE(name) \
    ARRAY(name, kn_##name(X, Y, AXIS, .method = numpy_option(c, "method"), KEEP, .weights = ARR("weights")))
#define COV_OPTIONS .y = ARR("y"), .rowvar = numpy_flag(c, "rowvar", true), .dtype = numpy_dtype(c)

/* clang-format off */
SUM(prod) SUM(nansum) SUM(nanprod) MEAN(nanmean) VAR(var) VAR(std) VAR(nanvar) VAR(nanstd)
MAX(max) MAX(min) MAX(nanmax) MAX(nanmin) ARG(ptp) ARG(argmax) ARG(argmin) ARG(nanargmax) ARG(nanargmin)
ARG(median) ARG(nanmedian) QUANTILE(quantile) QUANTILE(nanquantile) QUANTILE(percentile) QUANTILE(nanpercentile)
ARRAY(average, kn_average(X, AXIS, .weights = ARR("weights"), KEEP))
ARRAY(cov, kn_cov(X, COV_OPTIONS, .bias = numpy_flag(c, "bias", false), .ddof = numpy_number(c, "ddof", -1),
                  .fweights = ARR("fweights"), .aweights = ARR("aweights")))
ARRAY(corrcoef, kn_corrcoef(X, COV_OPTIONS))
ARRAY(bincount, kn_bincount(X, .weights = ARR("weights"), .minlength = (int64_t)numpy_number(c, "minlength", 0)))
    /* clang-format on */

    static numpy_result call_average_returned(const numpy_call *c)
{
    numpy_result r = {.n = 2};
    r.x[0] = kn_average(X, AXIS, .weights = ARR("weights"), KEEP, .returned = &r.x[1]);
    return r;
}

static kn_histogram_opts histogram_options(const numpy_call *c)
{
    kn_histogram_opts o = kn_histogram_opts_default();
    const char *range = numpy_option(c, "range");
    o.bins = ARR("bins");
    o.estimator = numpy_option(c, "estimator");
    o.density = numpy_flag(c, "density", false);
    o.weights = ARR("weights");
    if (range)
        assert_int_equal(sscanf(range, "%lf,%lf", &o.range[0], &o.range[1]), 2);
    return o;
}

static numpy_result call_histogram(const numpy_call *c)
{
    kn_histogram_opts o = histogram_options(c);
    kn_histogram_result h = (kn_histogram)(X, &o);
    return (numpy_result){2, {h.hist, h.bin_edges}};
}

static numpy_result call_histogram_bin_edges(const numpy_call *c)
{
    kn_histogram_opts o = histogram_options(c);
    return numpy_one((kn_histogram_bin_edges)(X, &o));
}

static numpy_result call_histogram2d(const numpy_call *c)
{
    kn_list bins = c->n > 2 ? (kn_list_from)(c->array + 2, c->n - 2) : NULL;
    kn_histogram2d_result h =
        kn_histogram2d(X, Y, .bins = bins, .density = numpy_flag(c, "density", false), .weights = ARR("weights"));
    return (numpy_result){3, {h.H, h.xedges, h.yedges}};
}

static numpy_result call_histogramdd(const numpy_call *c)
{
    kn_array bins = ARR("bins");
    kn_histogramdd_result h = kn_histogramdd(X, .bins = bins ? KN_LIST(bins) : NULL,
                                             .density = numpy_flag(c, "density", false), .weights = ARR("weights"));
    numpy_result r = {.n = 1 + kn_list_count(h.edges), {h.H}};
    for (int i = 1; i < r.n; i++)
        r.x[i] = kn_list_get(h.edges, i - 1);
    return r;
}

#define CALL(name, tolerance)         \
    {                                 \
#name, call_##name, tolerance \
    }

/* Sums go in Kiln's own order (docs/determinism.md), so floats differ in their last bits. */
static void statistics_are_those_of_numpy(void **state)
{
    (void)state;
    static const numpy_entry table[] = {CALL(prod, 1),
                                        CALL(nansum, 0),
                                        CALL(nanprod, 1),
                                        CALL(nanmean, 1),
                                        CALL(var, 4),
                                        CALL(std, 4),
                                        CALL(nanvar, 4),
                                        CALL(nanstd, 4),
                                        CALL(max, 0),
                                        CALL(min, 0),
                                        CALL(nanmax, 0),
                                        CALL(nanmin, 0),
                                        CALL(ptp, 0),
                                        CALL(argmax, 0),
                                        CALL(argmin, 0),
                                        CALL(nanargmax, 0),
                                        CALL(nanargmin, 0),
                                        CALL(median, 0),
                                        CALL(nanmedian, 0),
                                        CALL(quantile, 1),
                                        CALL(nanquantile, 1),
                                        CALL(percentile, 1),
                                        CALL(nanpercentile, 1),
                                        CALL(average, 2),
                                        CALL(average_returned, 2),
                                        CALL(cov, 8),
                                        CALL(corrcoef, 8),
                                        CALL(bincount, 0),
                                        CALL(histogram, 2),
                                        CALL(histogram_bin_edges, 1),
                                        CALL(histogram2d, 2),
                                        CALL(histogramdd, 2)};
    numpy_calls_check_with(KN_TEST_DIR "/golden/numpy_statistics.txt", table, sizeof table / sizeof *table);
}

/* ---- Sorting, searching, kinds. */

ARRAY(sort, kn_sort(X, AXIS, .kind = numpy_option(c, "kind"), .stable = numpy_flag(c, "stable", false)))
ARRAY(argsort, kn_argsort(X, AXIS))
ARRAY(unique, kn_unique(X))
ARRAY(sort_complex, kn_sort_complex(X))
ARRAY(lexsort, kn_lexsort(ALL, AXIS))
ARRAY(partition, kn_partition(X, Y, AXIS, .kind = numpy_option(c, "kind")))
ARRAY(argpartition, kn_argpartition(X, Y, AXIS, .kind = numpy_option(c, "kind")))
ARRAY(searchsorted, kn_searchsorted(X, Y, .side = numpy_option(c, "side"), .sorter = ARR("sorter")))
ARRAY(digitize, kn_digitize(X, Y, .right = numpy_flag(c, "right", false)))
ARRAY(isposinf, kn_isposinf(X))
ARRAY(isneginf, kn_isneginf(X))
ARRAY(iscomplex, kn_iscomplex(X))
ARRAY(isreal, kn_isreal(X))
ARRAY(array_equiv, kn_scalar((bool)kn_array_equiv(X, Y)))
ARRAY(iscomplexobj, kn_scalar((bool)kn_iscomplexobj(X)))
ARRAY(isrealobj, kn_scalar((bool)kn_isrealobj(X)))

static void sorting_is_that_of_numpy(void **state)
{
    (void)state;
    static const numpy_entry table[] = {
        CALL(sort, 0),     CALL(argsort, 0),     CALL(unique, 0),       CALL(sort_complex, 0),
        CALL(lexsort, 0),  CALL(partition, 0),   CALL(argpartition, 0), CALL(searchsorted, 0),
        CALL(digitize, 0), CALL(isposinf, 0),    CALL(isneginf, 0),     CALL(iscomplex, 0),
        CALL(isreal, 0),   CALL(array_equiv, 0), CALL(iscomplexobj, 0), CALL(isrealobj, 0)};
    numpy_calls_check_with(KN_TEST_DIR "/golden/numpy_sorting.txt", table, sizeof table / sizeof *table);
}

KN_TEST_GROUP(test_numpy_statistics)
{
    const struct CMUnitTest tests[] = {TEST(statistics_are_those_of_numpy), TEST(sorting_is_that_of_numpy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
