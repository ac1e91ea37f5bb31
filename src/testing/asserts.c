/* SPDX-License-Identifier: Apache-2.0
 * asserts.c -- np.testing's assertions on arrays and numbers: rules for compare.c, and their own. */
#include "base/context.h"
#include "base/digits.h"
#include "testing/report.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* 10 to a whole power, rounded once. */
static double ten_to(double power)
{
    char text[32];
    const char *end;
    double v = 0;
    snprintf(text, sizeof text, "1e%d", (int)fmax(-400, fmin(400, power)));
    knx_parse_double(text, &end, &v);
    return v;
}

static const char *text_or_empty(const char *s) { return s ? s : ""; }

/* ---- Rules. */

static kn_array close(const void *env, kn_array x, kn_array y) { return kn_isclose(x, y, env); }
static kn_array equal(const void *env, kn_array x, kn_array y) { return (void)env, kn_equal(x, y); }
static kn_array less(const void *env, kn_array x, kn_array y) { return (void)env, kn_less(x, y); }

/* |x - y| < 1.5 * 10^-decimal, where y is a float at least. */
static kn_array almost(const void *env, kn_array x, kn_array y)
{
    const int *decimal = env;
    kn_dtype d = kn_dtype_of(y);
    kn_array z = kn_astype(y, d && !knx_is_inexact(d) ? KN_DT(F64) : d, NULL);
    return kn_less(kn_absolute(kn_subtract(x, z)), kn_like_double(1.5 * ten_to(-(double)*decimal)));
}

int kn_testing_assert_allclose(kn_array actual, kn_array desired, const kn_testing_allclose_opts *opts)
{
    KNX_OPTS(kn_testing_allclose_opts, o, opts);
    char header[96];
    kn_isclose_opts how = kn_isclose_opts_default();
    how.rtol = o.rtol;
    how.atol = o.atol;
    how.equal_nan = o.equal_nan;
    snprintf(header, sizeof header, "Not equal to tolerance rtol=%g, atol=%g", o.rtol, o.atol);
    const kntesting_rule rule = {.verdict = close,
                                 .env = &how,
                                 .style = {header, {"ACTUAL", "DESIRED"}, o.verbose, 6},
                                 .err_msg = o.err_msg,
                                 .equal_nan = o.equal_nan,
                                 .equal_inf = true,
                                 .strict = o.strict};
    return kntesting_compare("testing_assert_allclose", &rule, actual, desired);
}

static int arrays_equal(const char *name, kn_array actual, kn_array desired, const kn_testing_equal_opts *o)
{
    const kntesting_rule rule = {.verdict = equal,
                                 .style = {"Arrays are not equal", {"ACTUAL", "DESIRED"}, o->verbose, 6},
                                 .err_msg = o->err_msg,
                                 .equal_nan = true,
                                 .equal_inf = true,
                                 .strict = o->strict};
    return kntesting_compare(name, &rule, actual, desired);
}

int kn_testing_assert_array_equal(kn_array actual, kn_array desired, const kn_testing_equal_opts *opts)
{
    KNX_OPTS(kn_testing_equal_opts, o, opts);
    return arrays_equal("testing_assert_array_equal", actual, desired, &o);
}

int kn_testing_assert_array_less(kn_array x, kn_array y, const kn_testing_equal_opts *opts)
{
    KNX_OPTS(kn_testing_equal_opts, o, opts);
    const kntesting_rule rule = {.verdict = less,
                                 .style = {"Arrays are not strictly ordered `x < y`", {"x", "y"}, o.verbose, 6},
                                 .err_msg = o.err_msg,
                                 .equal_nan = true,
                                 .strict = o.strict};
    return kntesting_compare("testing_assert_array_less", &rule, x, y);
}

static int arrays_almost_equal(const char *name, kn_array actual, kn_array desired, const kn_testing_almost_opts *o,
                               bool parts)
{
    char header[96];
    snprintf(header, sizeof header, "Arrays are not almost equal to %d decimals", o->decimal);
    const kntesting_rule rule = {.verdict = almost,
                                 .env = &o->decimal,
                                 .style = {header, {"ACTUAL", "DESIRED"}, o->verbose, o->decimal},
                                 .err_msg = o->err_msg,
                                 .equal_nan = true,
                                 .equal_inf = true};
    if (!parts)
        return kntesting_compare(name, &rule, actual, desired);
    /* complex numbers: NumPy looks at their parts first, and says less of them */
    kntesting_assertion a;
    kntesting_style style = rule.style;
    style.precision = 8;
    kntesting_begin(&a, name);
    bool good = kntesting_holds(name, &rule, kn_real(actual), kn_real(desired)) &&
                kntesting_holds(name, &rule, kn_imag(actual), kn_imag(desired));
    if (!good)
        kntesting_report(&a, &style, text_or_empty(o->err_msg), actual, desired);
    return kntesting_end(&a) ? -1 : kntesting_compare(name, &rule, actual, desired);
}

int kn_testing_assert_array_almost_equal(kn_array actual, kn_array desired, const kn_testing_array_almost_opts *opts)
{
    KNX_OPTS(kn_testing_array_almost_opts, o, opts);
    return arrays_almost_equal("testing_assert_array_almost_equal", actual, desired, &o, false);
}

static kn_array compared(const void *env, kn_array x, kn_array y)
{
    const kn_testing_comparison *f = env;
    return (*f)(x, y);
}

int kn_testing_assert_array_compare(kn_testing_comparison comparison, kn_array x, kn_array y,
                                    const kn_testing_compare_opts *opts)
{
    static const char *const usual[] = {"ACTUAL", "DESIRED"};
    KNX_OPTS(kn_testing_compare_opts, o, opts);
    if (!comparison) {
        knx_report_new("testing_assert_array_compare", KN_ERROR_TYPE, "null comparison");
        return -1;
    }
    const char *const *names = o.names ? o.names : usual;
    const kntesting_rule rule = {.verdict = compared,
                                 .env = &comparison,
                                 .style = {text_or_empty(o.header), {names[0], names[1]}, o.verbose, o.precision},
                                 .err_msg = o.err_msg,
                                 .equal_nan = o.equal_nan,
                                 .equal_inf = o.equal_inf,
                                 .strict = o.strict};
    return kntesting_compare("testing_assert_array_compare", &rule, x, y);
}

/* ---- Numbers: C's, as Python's are to NumPy. */

typedef struct pair {
    kni_type type[2];
    double re[2], im[2];
    const void *at[2];
} pair;

static bool are_numbers(kntesting_assertion *a, kn_array x, kn_array y)
{
    kni_type p = kna_type(&a->op, x), q = kna_type(&a->op, y);
    return !kna_failed(&a->op) && p.weak && q.weak;
}

static pair look_at(kntesting_assertion *a, kn_array x, kn_array y)
{
    const kn_array both[] = {x, y};
    pair p = {.at = {NULL, NULL}};
    for (int i = 0; i < 2; i++) {
        kn_c128 z = {0, 0};
        p.at[i] = kna_look(&a->op, both[i], &p.type[i]);
        if (p.at[i])
            knx_convert(p.type[i].dtype, p.at[i], KN_DT(C128), &z);
        p.re[i] = z.re;
        p.im[i] = z.im;
    }
    return p;
}

/* As Python compares: NaN equals NaN, -0 is not 0. */
static bool same_part(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && (a != 0 || signbit(a) == signbit(b)));
}

static bool same_numbers(const pair *p)
{
    if (knx_is_inexact(p->type[0].dtype) || knx_is_inexact(p->type[1].dtype))
        return same_part(p->re[0], p->re[1]) && same_part(p->im[0], p->im[1]);
    int64_t v[2];
    for (int i = 0; i < 2; i++)
        knx_convert(p->type[i].dtype, p->at[i], p->type[i].dtype == KN_DT(U64) ? KN_DT(U64) : KN_DT(I64), &v[i]);
    bool large[] = {p->type[0].dtype == KN_DT(U64) && v[0] < 0, p->type[1].dtype == KN_DT(U64) && v[1] < 0};
    return v[0] == v[1] && large[0] == large[1];
}

int kn_testing_assert_equal(kn_array actual, kn_array desired, const kn_testing_equal_opts *opts)
{
    KNX_OPTS(kn_testing_equal_opts, o, opts);
    kntesting_assertion a;
    kntesting_begin(&a, "testing_assert_equal");
    if (!kna_failed(&a.op) && are_numbers(&a, actual, desired)) {
        pair p = look_at(&a, actual, desired);
        if (!kna_failed(&a.op) && !same_numbers(&p))
            kntesting_report_numbers(&a, "Items are not equal:", text_or_empty(o.err_msg), o.verbose, actual, desired);
        return kntesting_end(&a);
    }
    return kntesting_end(&a) ? -1 : arrays_equal("testing_assert_equal", actual, desired, &o);
}

static bool almost_part(double a, double b, int decimal)
{
    if (!isfinite(a) || !isfinite(b))
        return (isnan(a) && isnan(b)) || a == b;
    return fabs(b - a) < 1.5 * ten_to(-decimal);
}

int kn_testing_assert_almost_equal(kn_array actual, kn_array desired, const kn_testing_almost_opts *opts)
{
    KNX_OPTS(kn_testing_almost_opts, o, opts);
    kntesting_assertion a;
    kntesting_begin(&a, "testing_assert_almost_equal");
    if (!kna_failed(&a.op) && are_numbers(&a, actual, desired)) {
        pair p = look_at(&a, actual, desired);
        char header[96];
        snprintf(header, sizeof header, "Arrays are not almost equal to %d decimals", o.decimal);
        if (!almost_part(p.re[0], p.re[1], o.decimal) || !almost_part(p.im[0], p.im[1], o.decimal))
            kntesting_report_numbers(&a, header, text_or_empty(o.err_msg), o.verbose, actual, desired);
        return kntesting_end(&a);
    }
    kni_type s = kna_type(&a.op, actual), t = kna_type(&a.op, desired);
    o.verbose = true; /* which NumPy forgets for arrays */
    bool parts = !kna_failed(&a.op) && (knx_is_complex(s.dtype) || knx_is_complex(t.dtype));
    return kntesting_end(&a) ? -1 : arrays_almost_equal("testing_assert_almost_equal", actual, desired, &o, parts);
}

int kn_testing_assert_approx_equal(kn_array actual, kn_array desired, const kn_testing_approx_opts *opts)
{
    KNX_OPTS(kn_testing_approx_opts, o, opts);
    kntesting_assertion a;
    kntesting_begin(&a, "testing_assert_approx_equal");
    double p = kn_item(actual), q = kn_item(desired);
    kni_type s = kna_type(&a.op, actual), t = kna_type(&a.op, desired);
    if (!kna_failed(&a.op) && (kni_type_size(s) != 1 || kni_type_size(t) != 1))
        kna_fail(&a.op, KN_ERROR_TYPE, "only 0-dimensional arrays can be converted to Python scalars");
    bool same = p == q || (isnan(p) && isnan(q));
    if (!same && isfinite(p) && isfinite(q)) {
        double scale = ten_to(floor(kn_item(kn_log10(kn_like_double(0.5 * (fabs(q) + fabs(p)))))));
        same = fabs(q / scale - p / scale) < ten_to(-(o.significant - 1));
    }
    if (!same && !kna_failed(&a.op)) {
        char header[96];
        snprintf(header, sizeof header, "Items are not equal to %d significant digits:", o.significant);
        kntesting_report_numbers(&a, header, text_or_empty(o.err_msg), o.verbose, kn_like_double(p), kn_like_double(q));
    }
    return kntesting_end(&a);
}

/* ---- Units in the last place. */

/* Elements as integers that count the floats from zero on; of float16, float32 and float64. */
static int64_t position(kn_dtype d, const void *data, int64_t i)
{
    int64_t v = 0;
    int16_t h;
    int32_t s;
    const char *at = (const char *)data + (size_t)i * d->size;
    KN_KNOWN(data);
    if (d->size == 2) {
        memcpy(&h, at, 2);
        return h < 0 ? INT16_MIN - (int64_t)h : h;
    }
    if (d->size == 4) {
        memcpy(&s, at, 4);
        return s < 0 ? INT32_MIN - (int64_t)s : s;
    }
    memcpy(&v, at, 8);
    return v < 0 ? INT64_MIN - v : v;
}

/* The greatest distance in floats of dtype d, -1 with the op failed. */
static double greatest_distance(kntesting_assertion *a, kn_array x, kn_array y, kn_dtype d)
{
    kn_array both[] = {x, y};
    double most = 0;
    kni_type p, q;
    if (!d) {
        d = kna_result_type(&a->op, 2, both);
        d = kna_failed(&a->op) ? NULL : knl_inexact_for(d);
    }
    if (!kna_failed(&a->op) && knx_is_complex(d))
        kna_fail(&a->op, KN_ERROR_NOT_IMPLEMENTED, "_nulp not implemented for complex array");
    else if (!kna_failed(&a->op) && (d == KN_DT(BF16) || !knx_is_float(d)))
        kna_fail(&a->op, KN_ERROR_VALUE, "Unsupported dtype %s", d->name);
    if (kna_failed(&a->op))
        return -1;
    const void *s = kna_look(&a->op, kn_astype(x, d, NULL), &p), *t = kna_look(&a->op, kn_astype(y, d, NULL), &q);
    if (s && t && !kni_type_same_shape(p, q)) {
        knx_text from = {0}, to = {0};
        kna_fail(&a->op, KN_ERROR_VALUE, "Arrays do not have the same shape: %s - %s",
                 knx_show_shape(&from, p.ndim, p.dim), knx_show_shape(&to, q.ndim, q.dim));
    }
    if (kna_failed(&a->op))
        return -1;
    for (int64_t i = 0; i < kni_type_size(p); i++) {
        double u = knx_scalar_to_double(d, (knx_scalar_bits){{0}}), v = u;
        knx_convert(d, (const char *)s + (size_t)i * d->size, KN_DT(F64), &u);
        knx_convert(d, (const char *)t + (size_t)i * d->size, KN_DT(F64), &v);
        if (isnan(u) && isnan(v)) /* all of them are one */
            continue;
        int64_t m = position(d, s, i), n = position(d, t, i);
        uint64_t far = m > n ? (uint64_t)m - (uint64_t)n : (uint64_t)n - (uint64_t)m;
        most = (double)far > most ? (double)far : most;
    }
    return most;
}

/* The distance of a number to the next one away from zero. */
static double spacing(kn_dtype d, double x)
{
    int e = 0;
    if (!isfinite(x))
        return (double)NAN;
    frexp(x, &e);
    int digits = d->size == 2 ? 11 : d->size == 4 ? 24 : 53, least = d->size == 2 ? -24 : d->size == 4 ? -149 : -1074;
    return ldexp(1, x == 0 || e - digits < least ? least : e - digits);
}

/* sqrt(a^2 + b^2) */
static double length(double a, double b)
{
    a = fabs(a), b = fabs(b);
    double large = a > b ? a : b, small = a > b ? b : a;
    return large == 0 || !isfinite(large) ? large + small : large * sqrt(1 + small / large * (small / large));
}

static bool within(kn_dtype d, kn_c128 x, kn_c128 y, double nulp)
{
    double p = length(x.re, x.im), q = length(y.re, y.im);
    return length(x.re - y.re, x.im - y.im) <= nulp * spacing(knx_component(d), p > q ? p : q);
}

int kn_testing_assert_array_almost_equal_nulp(kn_array x, kn_array y, const kn_testing_nulp_opts *opts)
{
    KNX_OPTS(kn_testing_nulp_opts, o, opts);
    kntesting_assertion a;
    kntesting_begin(&a, "testing_assert_array_almost_equal_nulp");
    kn_array both[] = {x, y};
    kn_shape shape;
    kn_dtype d = kna_result_type(&a.op, 2, both);
    kna_common_shape(&a.op, 2, both, &shape);
    d = kna_failed(&a.op) ? NULL : knl_inexact_for(d);
    if (kna_failed(&a.op))
        return kntesting_end(&a);
    kni_type t;
    const char *p = kna_look(&a.op, kn_broadcast_to(kn_astype(x, d, NULL), &shape), &t);
    const char *q = p ? kna_look(&a.op, kn_broadcast_to(kn_astype(y, d, NULL), &shape), &t) : NULL;
    bool good = true;
    for (int64_t i = 0; q && i < kni_type_size(t); i++) {
        kn_c128 u, v;
        knx_convert(d, p + (size_t)i * d->size, KN_DT(C128), &u);
        knx_convert(d, q + (size_t)i * d->size, KN_DT(C128), &v);
        good = good && within(d, u, v, o.nulp);
    }
    if (!good && !kna_failed(&a.op)) {
        kntesting_add(&a.report, "Arrays are not equal to %g ULP", o.nulp);
        if (!knx_is_complex(d))
            kntesting_add(&a.report, " (max is %g)", greatest_distance(&a, x, y, NULL));
        a.failed = true;
    }
    return kntesting_end(&a);
}

int kn_testing_assert_array_max_ulp(kn_array x, kn_array y, const kn_testing_max_ulp_opts *opts)
{
    KNX_OPTS(kn_testing_max_ulp_opts, o, opts);
    kntesting_assertion a;
    kntesting_begin(&a, "testing_assert_array_max_ulp");
    double most = greatest_distance(&a, x, y, o.dtype);
    if (!kna_failed(&a.op) && !(most <= o.maxulp)) {
        kntesting_add(&a.report, "Arrays are not almost equal up to %g ULP (max difference is %g ULP)", o.maxulp, most);
        a.failed = true;
    }
    return kntesting_end(&a);
}

/* ---- Truth and errors. */

static int fail_plainly(const char *text)
{
    kntesting_assertion a;
    kntesting_begin(&a, "testing");
    knx_str_puts(&a.report, text_or_empty(text));
    a.failed = true;
    return kntesting_end(&a);
}

int kn_testing_assert_(bool value, const char *msg) { return value ? 0 : fail_plainly(msg); }

int kn_testing_assert_error_with(kn_error_kind kind, const char *part)
{
    char text[400];
    if (!kn_error_pending()) {
        snprintf(text, sizeof text, "%s not raised", knx_error_kind_name(kind));
        return fail_plainly(text);
    }
    if (kn_error_get_kind() != kind)
        return -1;
    if (part && !strstr(kn_error_message(), part)) {
        snprintf(text, sizeof text, "\"%.150s\" is not in \"%.150s\"", part, kn_error_message());
        kn_error_clear();
        return fail_plainly(text);
    }
    kn_error_clear();
    return 0;
}

int kn_testing_assert_error(kn_error_kind kind) { return kn_testing_assert_error_with(kind, NULL); }
