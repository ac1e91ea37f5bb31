/* SPDX-License-Identifier: Apache-2.0
 * compare.c -- two arrays compared as NumPy's assertions do it: shapes, then where NaN and infinities are, then the
 * rest by a rule; and what they say about differences. */
#include "testing/report.h"
#include <string.h>

typedef struct comparison {
    kntesting_assertion a;
    const kntesting_rule *rule;
    kn_array x, y; /* as they were given, as arrays */
    kni_type tx, ty;
    bool both_arrays;     /* neither is 0-d */
    kn_array flagged;     /* where nothing is left to compare; NULL: nowhere */
    kn_array left, right; /* the elements that are left */
} comparison;

static void fail_showing(comparison *c, const char *text, kn_array x, kn_array y)
{
    knx_str t = {0};
    knx_str_puts(&t, c->rule->err_msg ? c->rule->err_msg : "");
    knx_str_puts(&t, text);
    char *whole = knx_str_take(&t);
    if (!whole)
        kna_fail_with(&c->a.op, knx_error_nomem());
    else
        kntesting_report(&c->a, &c->rule->style, whole, x, y);
    knx_free(whole);
}

static void fail_with(comparison *c, const char *text) { fail_showing(c, text, c->x, c->y); }

static kn_array chosen(kn_array x, kn_array mask)
{
    const kn_index_arg arg = {.kind = KN_ARG_ARRAY, .array = mask};
    return kn_at(x, "%", 1, &arg);
}

static bool done(comparison *c) { return c->a.failed || kna_failed(&c->a.op); }

/* (2, 3): shapes as Python shows them. */
static void add_shape(knx_str *t, kni_type s)
{
    kntesting_add(t, "(");
    for (int i = 0; i < s.ndim; i++)
        knx_str_puts(t, i ? ", " : ""), knx_dim_text(t, s.dim[i]);
    kntesting_add(t, s.ndim == 1 ? ",)" : ")");
}

static void check_shapes(comparison *c)
{
    bool same = kni_type_same_shape(c->tx, c->ty);
    bool fits = c->rule->strict ? same && c->tx.dtype == c->ty.dtype : same || !c->tx.ndim || !c->ty.ndim;
    knx_str t = {0};
    if (done(c) || fits)
        return;
    if (!same) {
        knx_str_puts(&t, "\n(shapes ");
        add_shape(&t, c->tx);
        knx_str_puts(&t, ", ");
        add_shape(&t, c->ty);
        knx_str_puts(&t, " mismatch)");
    } else
        kntesting_add(&t, "\n(dtypes %s, %s mismatch)", c->tx.dtype->name, c->ty.dtype->name);
    char *text = knx_str_take(&t);
    if (text)
        fail_with(c, text);
    else
        kna_fail_with(&c->a.op, knx_error_nomem());
    knx_free(text);
}

/* ---- NaN and infinities must be at the same places; those are compared no further. */

static kn_array isinf_but_flagged(comparison *c, kn_array x)
{
    kn_array inf = kn_isinf(x);
    return c->flagged ? kn_logical_and(inf, kn_logical_not(c->flagged)) : inf;
}

static void check_nan(comparison *c)
{
    if (done(c) || !c->rule->equal_nan)
        return;
    kn_array p = kn_isnan(c->x), q = kn_isnan(c->y);
    if (!kntesting_true(&c->a, kn_equal(p, q)) && !kna_failed(&c->a.op))
        fail_with(c, "\nnan location mismatch:");
    c->flagged = c->both_arrays || !c->tx.ndim ? (c->tx.ndim ? q : p) : q;
}

static void check_infinities(comparison *c)
{
    if (done(c) || !c->rule->equal_inf)
        return;
    kn_array p = isinf_but_flagged(c, c->x), q = isinf_but_flagged(c, c->y);
    if (!kntesting_true(&c->a, kn_equal(p, q)) && !kna_failed(&c->a.op))
        fail_with(c, "\ninf location mismatch:");
    kn_array inf = c->tx.ndim ? q : p;
    if (!done(c) && !kntesting_true(&c->a, kn_logical_or(kn_logical_not(inf), kn_equal(c->x, c->y))) &&
        !kna_failed(&c->a.op))
        fail_showing(c, "\ninf values mismatch:", c->both_arrays ? chosen(c->x, inf) : c->x,
                     c->both_arrays ? chosen(c->y, inf) : c->y);
    c->flagged = c->flagged ? kn_logical_or(c->flagged, inf) : inf;
}

/* ---- Differences. */

/* The number as array2string shows it: an array of one element without its brackets. */
static void add_remark(comparison *c, knx_str *t, const char *what, kn_array value)
{
    const char *shown = kna_failed(&c->a.op) ? "" : kn_array_str(kn_atleast_1d(value), NULL);
    size_t n = strlen(shown);
    knx_str_puts(t, what);
    if (n > 2)
        knx_str_add(t, shown + 1, n - 2);
}

static kn_array spread(comparison *c, kn_array x, kn_array like)
{
    kn_shape shape = kn_shape_of(like);
    return kna_failed(&c->a.op) ? x : kn_broadcast_to(x, &shape);
}

/* The greatest absolute and relative difference where the rule is broken. NumPy has none for bool. */
static void add_differences(comparison *c, knx_str *t, kn_array invalid)
{
    kni_type p = kna_type(&c->a.op, c->left), q = kna_type(&c->a.op, c->right);
    if (kna_failed(&c->a.op) || (p.dtype->kind == KN_KIND_BOOL && q.dtype->kind == KN_KIND_BOOL))
        return;
    kn_array error = kn_absolute(kn_subtract(c->left, c->right));
    if (p.dtype->kind == KN_KIND_UINT)
        error = kn_minimum(error, kn_absolute(kn_subtract(c->right, c->left)));
    kn_array size = spread(c, kn_absolute(c->right), error);
    kn_array nonzero = kn_logical_and(invalid, spread(c, kn_not_equal(c->right, kn_like_int(0)), error));
    add_remark(c, t, "\nMax absolute difference among violations: ", kn_max(chosen(error, invalid), NULL));
    kn_array relative = kn_like_double((double)__builtin_inf());
    if (!kna_failed(&c->a.op) && kn_item_bool(kn_any(nonzero, NULL)))
        relative = kn_max(kn_divide(chosen(error, nonzero), chosen(size, nonzero)), NULL);
    add_remark(c, t, "\nMax relative difference among violations: ", kn_asarray(relative, NULL));
}

/* Element at a position of an array (a scalar's own), as Python's numbers are shown. */
static void add_element(comparison *c, knx_str *t, kn_array x, int64_t i)
{
    kni_type s;
    union {
        double d;
        kn_c128 z;
        int64_t i;
    } item;
    const char *data = kna_look(&c->a.op, x, &s);
    if (!data)
        return;
    kn_dtype as = knx_is_complex(s.dtype) ? KN_DT(C128) : knx_is_float(s.dtype) ? KN_DT(F64) : s.dtype;
    knx_convert(s.dtype, data + (s.ndim ? (size_t)i * s.dtype->size : 0), as, &item);
    kntesting_show_element(t, as, &item, 0);
}

/* The first positions where the rule is broken: of the elements that are left. */
static void add_positions(comparison *c, knx_str *t, kn_array invalid, int64_t broken)
{
    kni_type v, f;
    const uint8_t *bad = kna_look(&c->a.op, invalid, &v);
    const uint8_t *flags = c->both_arrays && c->flagged ? kna_look(&c->a.op, c->flagged, &f) : NULL;
    if (!bad || !v.ndim || kna_failed(&c->a.op))
        return;
    kni_type all = flags ? f : v;
    kntesting_add(t, broken == 1   ? "\nMismatch at index:"
                     : broken <= 5 ? "\nMismatch at indices:"
                                   : "\nFirst 5 mismatches are at indices:");
    int64_t size = kni_type_size(all), at[KN_MAX_NDIM] = {0}, k = 0, shown = 0;
    for (int64_t i = 0; i < size && shown < 5; i++) {
        if (!(flags && flags[i]) && bad[k++]) {
            kntesting_add(t, "\n [");
            for (int d = 0; d < all.ndim; d++)
                kntesting_add(t, d ? ", %lld" : "%lld", (long long)at[d]);
            kntesting_add(t, "]: ");
            add_element(c, t, c->x, i);
            kntesting_add(t, " (%s), ", c->rule->style.names[0]);
            add_element(c, t, c->y, i);
            kntesting_add(t, " (%s)", c->rule->style.names[1]);
            shown++;
        }
        for (int d = all.ndim - 1; d >= 0 && ++at[d] == all.dim[d]; d--)
            at[d] = 0;
    }
}

static void report_differences(comparison *c, kn_array good)
{
    kni_type v;
    kn_array invalid = kn_logical_not(good);
    const uint8_t *bad = kna_look(&c->a.op, invalid, &v);
    int64_t broken = 0, left = bad ? kni_type_size(v) : 0;
    for (int64_t i = 0; i < left; i++)
        broken += bad[i];
    if (!broken)
        return;
    int64_t n = left;
    if (c->both_arrays && c->flagged)
        n = kn_size(c->flagged);
    knx_str t = {0};
    kntesting_add(&t, "\nMismatched elements: %lld / %lld (%.3g%%)", (long long)broken, (long long)n,
                  100 * (double)broken / (double)n);
    add_positions(c, &t, invalid, broken);
    add_differences(c, &t, invalid);
    char *text = knx_str_take(&t);
    if (text)
        fail_with(c, text);
    else
        kna_fail_with(&c->a.op, knx_error_nomem());
    knx_free(text);
}

static void compare_rest(comparison *c)
{
    if (done(c))
        return;
    c->left = c->x;
    c->right = c->y;
    if (c->flagged && c->both_arrays) {
        kn_array rest = kn_logical_not(c->flagged);
        c->left = chosen(c->x, rest);
        c->right = chosen(c->y, rest);
        if (!kn_size(c->left))
            return;
    } else if (c->flagged && kn_item_bool(c->flagged))
        return;
    report_differences(c, c->rule->verdict(c->rule->env, c->left, c->right));
}

static void compare(comparison *c, const char *name, const kntesting_rule *rule, kn_array x, kn_array y)
{
    *c = (comparison){.rule = rule};
    kntesting_begin(&c->a, name);
    c->x = kn_asarray(x, NULL);
    c->y = kn_asarray(y, NULL);
    c->tx = kna_type(&c->a.op, c->x);
    c->ty = kna_type(&c->a.op, c->y);
    c->both_arrays = c->tx.ndim && c->ty.ndim;
    check_shapes(c);
    check_nan(c);
    check_infinities(c);
    compare_rest(c);
}

int kntesting_compare(const char *name, const kntesting_rule *rule, kn_array x, kn_array y)
{
    comparison c;
    compare(&c, name, rule, x, y);
    return kntesting_end(&c.a);
}

bool kntesting_holds(const char *name, const kntesting_rule *rule, kn_array x, kn_array y)
{
    comparison c;
    compare(&c, name, rule, x, y);
    bool holds = !c.a.failed;
    c.a.failed = false;
    kntesting_end(&c.a);
    return holds;
}
