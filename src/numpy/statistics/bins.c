/* SPDX-License-Identifier: Apache-2.0
 * bins.c -- the edges of histograms' bins: given, equally wide, or as many as an estimator says. */
#include "base/digits.h"
#include "numpy/statistics/histograms.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static double value(kn_array x) { return kn_item(x); }

/* By Kiln's own programs: the same number of bins on every machine. */
static double log2_of(double v) { return value(kn_log2(kn_like_double(v))); }
static double power_of(double v, double y) { return value(kn_power(kn_like_double(v), kn_like_double(y))); }

static bool holds(kn_array test) { return kn_ok(test) && kn_item_bool(kn_any(test, NULL)); }

/* As Python shows a float. */
static const char *show(double v, char text[32])
{
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, 32, "%.*g", digits, v);
        const char *end;
        double back = NAN;
        if (knx_parse_double(text, &end, &back) && back == v)
            break;
    }
    if (isfinite(v) && !strpbrk(text, ".e"))
        strcat(text, ".0");
    return isnan(v) ? "nan" : text;
}

static double spread_of(kn_array a) { return value(kn_max(a, NULL)) - value(kn_min(a, NULL)); }

/* ---- Estimators of the width of bins. */

static double by_sqrt(kn_array a, double n, const double *range)
{
    (void)range;
    return spread_of(a) / sqrt(n);
}

static double by_sturges(kn_array a, double n, const double *range)
{
    (void)range;
    return spread_of(a) / (log2_of(n) + 1);
}

static double by_rice(kn_array a, double n, const double *range)
{
    (void)range;
    return spread_of(a) / (2 * power_of(n, 1 / 3.0));
}

static double by_scott(kn_array a, double n, const double *range)
{
    (void)range;
    return power_of(24 * sqrt(M_PI) / n, 1 / 3.0) * value(kn_std(a, NULL));
}

/* The number of bins with the smallest estimated loss, up to a bound. */
static double by_stone(kn_array a, double n, const double *range)
{
    double spread = spread_of(a), best = INFINITY, width = 0;
    if (n <= 1 || spread == 0)
        return 0;
    int bound = sqrt(n) > 100 ? (int)sqrt(n) : 100;
    for (int bins = 1; bins <= bound; bins++) {
        kn_scope scope = kn_scope_begin();
        kn_histogram_opts o = kn_histogram_opts_default();
        o.bins = kn_like_int(bins);
        memcpy(o.range, range, sizeof o.range);
        kn_array p = kn_divide(kn_histogram(a, &o).hist, kn_like_double(n));
        double loss = (2 - (n + 1) * value(kn_dot(p, p))) / (spread / bins);
        kn_scope_end(&scope);
        if (loss < best) {
            best = loss;
            width = spread / bins;
        }
    }
    return width;
}

static double by_doane(kn_array a, double n, const double *range)
{
    (void)range;
    if (n <= 2)
        return 0;
    double of_skew = sqrt(6 * (n - 2) / ((n + 1) * (n + 3)));
    kn_array sigma = kn_std(a, NULL);
    if (!(value(sigma) > 0))
        return 0;
    kn_array away = kn_divide(kn_subtract(a, kn_mean(a, NULL)), sigma);
    double skew = value(kn_mean(kn_power(away, kn_like_int(3)), NULL));
    return spread_of(a) / (1 + log2_of(n) + log2_of(1 + fabs(skew) / of_skew));
}

static double by_fd(kn_array a, double n, const double *range)
{
    (void)range;
    double high = value(kn_percentile(a, kn_like_int(75), NULL)), low = value(kn_percentile(a, kn_like_int(25), NULL));
    return 2 * (high - low) * power_of(n, -1 / 3.0);
}

static double by_auto(kn_array a, double n, const double *range)
{
    double fd = by_fd(a, n, range), sturges = by_sturges(a, n, range), half = by_sqrt(a, n, range) / 2;
    double corrected = fd > half ? fd : half;
    return corrected < sturges ? corrected : sturges;
}

static const struct {
    const char *name;
    double (*width)(kn_array a, double n, const double *range);
} estimators[] = {{"stone", by_stone}, {"auto", by_auto},   {"doane", by_doane}, {"fd", by_fd},
                  {"rice", by_rice},   {"scott", by_scott}, {"sqrt", by_sqrt},   {"sturges", by_sturges}};

/* How many bins an estimator wants between these edges. */
static int64_t estimated(knl_body *c, kn_array a, const knn_bins *given, kn_array low, kn_array high)
{
    kna_op *op = &c->op;
    size_t which = 0, n_estimators = sizeof estimators / sizeof *estimators;
    while (which < n_estimators && strcmp(estimators[which].name, given->estimator) != 0)
        which++;
    if (which == n_estimators)
        kna_fail(op, KN_ERROR_VALUE, "'%s' is not a valid estimator for `bins`", given->estimator);
    else if (given->weighted)
        kna_fail(op, KN_ERROR_TYPE, "Automated estimation of the number of bins is not supported for weighted data");
    kni_type t = kna_type(op, a), unused;
    if (kna_failed(op) || !kna_look(op, a, &unused))
        return 0;
    const double range[2] = {value(low), value(high)};
    if (given->range) {
        kn_array keep = kn_logical_and(kn_greater_equal(a, low), kn_less_equal(a, high));
        a = kn_compress(keep, a, NULL);
    }
    int64_t n = kn_size(a);
    if (!n)
        return 1;
    double width = estimators[which].width(a, (double)n, range);
    if (!(width != 0))
        return 1;
    if (knx_is_integer(t.dtype) && width < 1)
        width = 1;
    double bins = ceil((range[1] - range[0]) / width);
    if (isnan(bins)) { /* ranges are finite: there was no memory to look at one of these */
        kna_fail_with(op, knx_error_nomem());
        return 0;
    }
    return bins < 0x1p31 ? (int64_t)bins : INT32_MAX;
}

/* ---- Edges. */

static void check_range(kna_op *op, const char *which, double low, double high)
{
    char p[32], q[32];
    if (!kna_failed(op) && low > high)
        kna_fail(op, KN_ERROR_VALUE, "max must be larger than min in range parameter.");
    else if (!kna_failed(op) && !(isfinite(low) && isfinite(high)))
        kna_fail(op, KN_ERROR_VALUE, "%s range of [%s, %s] is not finite", which, show(low, p), show(high, q));
}

/* The first and last edge, apart by one if they would be equal; the dtype of all edges. */
static kn_dtype outer_edges(knl_body *c, kn_array a, const double *range, kn_array edge[2])
{
    kna_op *op = &c->op;
    kni_type t = kna_type(op, a);
    kn_dtype d = knl_inexact_for(t.dtype);
    if (kna_failed(op))
        return d;
    if (range) {
        check_range(op, "supplied", range[0], range[1]);
        edge[0] = kn_like_double(range[0]);
        edge[1] = kn_like_double(range[1]);
    } else if (!kni_type_size(t)) {
        edge[0] = kn_like_int(0);
        edge[1] = kn_like_int(1);
    } else {
        edge[0] = kn_min(a, NULL);
        edge[1] = kn_max(a, NULL);
        if (knl_may_look(a) && knx_is_inexact(t.dtype) && !knx_is_complex(t.dtype)) {
            char p[32], q[32];
            double low = value(edge[0]), high = value(edge[1]);
            if (!kna_failed(op) && !(isfinite(low) && isfinite(high)))
                kna_fail(op, KN_ERROR_VALUE, "autodetected range of [%s, %s] is not finite", show(low, p),
                         show(high, q));
        }
    }
    kn_dtype as = range ? KN_DT(F64) : d; /* a range is one of C numbers */
    kn_array low = kn_astype(edge[0], as, NULL), high = kn_astype(edge[1], as, NULL), same = kn_equal(low, high);
    edge[0] = kn_where(same, kn_subtract(low, kn_like_double(0.5)), low);
    edge[1] = kn_where(same, kn_add(high, kn_like_double(0.5)), high);
    return d;
}

/* Says what is wrong with the option bins, of dimension `which`. */
static void complain(kna_op *op, int which, kn_error_kind kind, const char *of_one, const char *of_many)
{
    if (kna_failed(op))
        return;
    if (which < 0)
        kna_fail(op, kind, "`bins` %s", of_one);
    else
        kna_fail(op, kind, "`bins[%d]` %s", which, of_many);
}

static kn_array given_edges(knl_body *c, kn_array bins, int which)
{
    int64_t n = kn_dim(bins, 0);
    if (n > 0 && knl_may_look(bins) && holds(kn_greater(knl_part("", bins, 0, 0, n - 1), knl_part("", bins, 0, 1, n))))
        complain(&c->op, which, KN_ERROR_VALUE, "must increase monotonically, when an array",
                 "must be monotonically increasing, when an array");
    return kn_asarray(bins, NULL);
}

static int64_t given_number(knl_body *c, kn_array bins, int which)
{
    int64_t n = 0, *v;
    kni_type t = kna_type(&c->op, bins);
    if (kna_failed(&c->op))
        return 0;
    if (!knx_is_integer(t.dtype)) {
        complain(&c->op, which, KN_ERROR_TYPE, "must be an integer, a string, or an array",
                 "must be an integer, when a scalar");
        return 0;
    }
    v = knl_look_integers(&c->op, bins, &n, NULL, "");
    int64_t number = v ? *v : 0;
    knx_free(v);
    if (knl_is_extent(number))
        kna_need_number(&c->op, number, "the number of bins");
    if (number < 1)
        complain(&c->op, which, KN_ERROR_VALUE, "must be positive, when an integer",
                 "must be positive, when an integer");
    return number;
}

bool knn_bins_are_equal(knl_body *c, kn_array bins) { return !bins || kna_type(&c->op, bins).ndim == 0; }

kn_array knn_bin_edges(knl_body *c, kn_array a, const knn_bins *given)
{
    kna_op *op = &c->op;
    kn_array edge[2] = {NULL, NULL};
    int64_t n = 10;
    if (given->bins && !given->estimator) {
        kni_type t = kna_type(op, given->bins);
        if (!kna_failed(op) && t.ndim == 1)
            return given_edges(c, given->bins, given->which);
        if (!kna_failed(op) && t.ndim)
            complain(op, given->which, KN_ERROR_VALUE, "must be 1d, when an array", "must be a scalar or 1d array");
        n = kna_failed(op) ? 0 : given_number(c, given->bins, given->which);
    }
    kn_linspace_opts of = kn_linspace_opts_default();
    of.dtype = outer_edges(c, a, given->range, edge);
    if (kna_failed(op))
        return NULL;
    if (given->estimator)
        n = estimated(c, a, given, edge[0], edge[1]);
    kn_array edges = kna_failed(op) ? NULL : kn_linspace(edge[0], edge[1], n + 1, &of);
    if (!kna_failed(op) && given->which < 0 && knl_may_look(edges) &&
        holds(kn_greater_equal(knl_part("", edges, 0, 0, n), knl_part("", edges, 0, 1, n + 1))))
        kna_fail(op, KN_ERROR_VALUE, "Too many bins for data range. Cannot create %lld finite-sized bins.",
                 (long long)n);
    return edges;
}
