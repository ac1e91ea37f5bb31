/* SPDX-License-Identifier: Apache-2.0
 * test_derivatives.c -- values and derivatives to the third order of functions of elements, at zeros, ties, kinks,
 * infinities and NaN: those of calculus where the function is smooth, elsewhere JAX's, but for what derivatives.def
 * lists with a reason. */
#include "support/expect.h"
#include "support/golden.h"
#include "support/group.h"
#include <stdio.h>
#include <stdlib.h>

enum { MAX_ORDERS = 9 };

/* [x, 0] and [x, 0, -x] */
static kn_array beside_zero(kn_array x) { return kn_stack(KN_LIST(x, kn_mul(x, 0.0))); }
static kn_array between(kn_array x) { return kn_stack(KN_LIST(x, kn_mul(x, 0.0), kn_neg(x))); }

typedef struct subject {
    const char *name, *golden, *text;
    kn_array (*one)(kn_array x);
    kn_array (*two)(kn_array x, kn_array y);
} subject;

#define PASTE_(a, b) a##b
#define PASTE(a, b)  PASTE_(a, b)
#define ONE(function, golden, expression) \
    static kn_array PASTE(at_line_, __LINE__)(kn_array x) { return expression; }
#define TWO(function, golden, expression) \
    static kn_array PASTE(at_line_, __LINE__)(kn_array x, kn_array y) { return expression; }
#define ALIAS(function, of)
#define WITHOUT(function, reason)
#define KEPT(golden, order, points, reason)
#include "unit/prim/elementwise/derivatives.def"
#undef ONE
#undef TWO
#define ONE(function, golden, expression) {#function, golden, #expression, .one = PASTE(at_line_, __LINE__)},
#define TWO(function, golden, expression) {#function, golden, #expression, .two = PASTE(at_line_, __LINE__)},
static const subject subjects[] = {
#include "unit/prim/elementwise/derivatives.def"
};
#undef ONE
#undef TWO
enum { SUBJECTS = (int)(sizeof subjects / sizeof *subjects) };

static kn_array call_one(const subject *s, const kn_array *x) { return s->one(*x); }
static kn_array call_two(const subject *s, const kn_array *x, const kn_array *y) { return s->two(*x, *y); }
KN_FUNCTION_ENV(call_one, kn_array, subject, kn_array)
KN_FUNCTION_ENV(call_two, kn_array, subject, kn_array, kn_array)

static const char *const orders_of_one[] = {"", "x", "xx", "xxx"};
static const char *const orders_of_two[] = {"", "x", "xx", "xxx", "y", "yy", "yyy", "xy", "yx"};

/* The derivative of this order at all points. */
static kn_array derivative(const subject *s, const char *order, kn_array points)
{
    kn_fn f = s->one ? KN_FN_ENV(call_one, s) : KN_FN_ENV(call_two, s);
    kn_array out;
    for (; *order; order++)
        f = kn_grad(f, .argnums = KN_ARGNUMS(*order == 'y'));
    if (s->one)
        kn_call(kn_vmap(f), &out, &points);
    else {
        kn_array x = kn_at(points, ":, 0"), y = kn_at(points, ":, 1");
        kn_call(kn_vmap(f), &out, &x, &y);
    }
    return out;
}

/* ---- What differs on purpose. */

typedef struct kept {
    const char *golden, *order, *points, *reason;
    bool used;
} kept;

#define ONE(function, golden, expression)
#define TWO(function, golden, expression)
#undef KEPT
#define KEPT(golden, order, points, reason) {golden, order, points, reason, false},
static kept keeps[] = {
#include "unit/prim/elementwise/derivatives.def"
    {NULL, NULL, NULL, NULL, false}};
#undef KEPT

static bool close_to(double a, double b, double tolerance)
{
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= tolerance * fmax(1, fabs(b));
}

/* Is this value at this point in the list "point = value; ..."? */
static bool in_list(const char *list, const char *point, double value)
{
    size_t n = strlen(point);
    for (const char *at = list; at; at = strchr(at, ';')) {
        at += strspn(at, "; ");
        if (strncmp(at, point, n) == 0 && at[n] == ' ' && at[n + 1] == '=')
            return close_to(value, strtod(at + n + 2, NULL), 1e-4);
    }
    return false;
}

static bool in_orders(const char *list, const char *order)
{
    char all[100], item[20];
    snprintf(all, sizeof all, " %s ", list);
    snprintf(item, sizeof item, " %s ", *order ? order : "value");
    return !strcmp(list, "*") || strstr(all, item);
}

/* Where a row speaks of many points at once: by what JAX has there, or by the point. */
static bool in_class(const char *class, const char *point, double jax)
{
    return (!strcmp(class, "where JAX has NaN") && isnan(jax)) || (!strcmp(class, "at NaN") && strstr(point, "nan")) ||
           (!strcmp(class, "at infinities") && strstr(point, "inf")) || !strcmp(class, point);
}

static bool is_kept(const char *name, const char *order, const char *point, double value, double jax)
{
    for (kept *k = keeps; k->golden; k++)
        if (!strcmp(k->golden, name) && in_orders(k->order, order) &&
            (in_class(k->points, point, jax) || in_list(k->points, point, value)))
            return k->used = true;
    return false;
}

/* ---- The comparison. */

static const double *stored(const golden *g, const char *name, const char *what)
{
    char key[200];
    snprintf(key, sizeof key, "%s %s", name, what);
    for (int i = 0; i < g->n; i++)
        if (!strcmp(g->name[i], key))
            return g->array[i].buffer->data;
    return NULL;
}

static void name_of_point(char *text, size_t size, const double *p, int n)
{
    snprintf(text, size, n == 1 ? "%g" : "%g %g", p[0], p[n - 1]);
}

/* How many points of this order are wrong; they are printed. */
static int wrong_points(const subject *s, const golden *g, int order_index, const char *order, const knio_npy *points)
{
    const double *jax = stored(g, s->golden, "jax"), *smooth = stored(g, s->golden, "calculus");
    const bool *without = (const bool *)stored(g, s->golden, "without");
    int n = (int)points->dim[0], operands = s->one ? 1 : 2, wrong = 0;
    if (!jax || !smooth)
        return printf("%s: nothing is stored\n", s->golden);
    kn_array y = derivative(s, order, golden_array(points));
    const double *got = kn_ok(y) ? kn_data(y, double) : NULL;
    if (!got) {
        bool none = (without && without[order_index]) || is_kept(s->golden, order, "refused", 0, 0); /* as in JAX */
        if (!none)
            printf("%s %s: %s\n", s->text, order, kn_error_message());
        kn_error_clear();
        return !none;
    }
    for (int i = 0; i < n; i++) {
        double calculus = smooth[order_index * n + i], want = isnan(calculus) ? jax[order_index * n + i] : calculus;
        char point[100];
        name_of_point(point, sizeof point, (const double *)points->buffer->data + operands * i, operands);
        if ((isnan(calculus) && without && without[order_index]) || close_to(got[i], want, 1e-8) ||
            (isnan(calculus) && is_kept(s->golden, order, point, got[i], want)))
            continue;
        wrong++;
        printf("%s [%s] at %s: %.9g, not %.9g (%s)\n", s->text, order, point, got[i], want,
               isnan(calculus) ? "JAX" : "calculus");
    }
    return wrong;
}

static void derivatives_are_those_of_calculus_or_jax(void **state)
{
    (void)state;
    golden g = golden_read("derivatives.npz");
    int wrong = 0;
    for (int i = 0; i < SUBJECTS; i++) {
        const subject *s = &subjects[i];
        const knio_npy *points = golden_find(&g, s->one ? "one" : "two");
        const char *const *orders = s->one ? orders_of_one : orders_of_two;
        for (int k = 0; k < (s->one ? 4 : MAX_ORDERS); k++) {
            KN_SCOPE;
            wrong += wrong_points(s, &g, k, orders[k], points);
        }
    }
    golden_free(&g);
    for (const kept *k = keeps; k->golden; k++)
        if (!k->used)
            wrong += printf("KEPT(%s, %s, %s): nothing differs there\n", k->golden, k->order, k->points);
    assert_int_equal(wrong, 0);
}

/* ---- Which functions there are. */

#undef ONE
#define ONE(function, golden, expression) #function,
#undef TWO
#define TWO(function, golden, expression) #function,
#undef ALIAS
#define ALIAS(function, of) #function,
#undef WITHOUT
#define WITHOUT(function, reason) #function,
#define KEPT(golden, order, points, reason)
static const char *const known[] = {
#include "unit/prim/elementwise/derivatives.def"
/* Special functions are smooth inside of their domains, and property/slopes.c compares the derivative that each row has
 * with differences: only those that JAX has, too, stand in derivatives.def. */
#define UNARY(...)
#define UNARY_SPECIAL(name, function, ...) #function,
#include "ir/unary.def"
};

static bool is_known(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i]) == n && strncmp(known[i], name, n) == 0)
            return true;
    return false;
}

/* The functions of arrays that a header declares and derivatives.def lacks. */
static int missing_in(const char *header)
{
    char path[1000], line[1000];
    int missing = 0;
    snprintf(path, sizeof path, "%s/../include/kiln/%s", KN_TEST_DIR, header);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        char *name = strncmp(line, "KN_API ", 7) ? NULL : strstr(line + 7, " kn_"),
             *end = name ? strchr(name, '(') : NULL;
        bool coefficients = name && strncmp(name, " kn_poly", 8) == 0; /* of polynomials are no elements */
        if (end && !coefficients && strncmp(end, "(kn_array", 9) == 0 && !is_known(name + 1, (size_t)(end - name - 1)))
            missing += printf("%s: %.*s\n", header, (int)(end - name - 1), name + 1) > 0;
    }
    fclose(f);
    return missing;
}

static void every_function_of_elements_is_listed(void **state)
{
    (void)state;
    static const char *const headers[] = {"numpy/mathematics.h", "numpy/logic.h",    "special.h", "nn.h",
                                          "optim/losses.h",      "lax/elementwise.h"};
    int missing = 0;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        missing += missing_in(headers[i]);
    assert_int_equal(missing, 0);
}

KN_TEST_GROUP(test_derivatives)
{
    const struct CMUnitTest tests[] = {
        TEST(derivatives_are_those_of_calculus_or_jax),
        TEST(every_function_of_elements_is_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
