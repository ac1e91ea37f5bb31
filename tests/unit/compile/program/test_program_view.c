/* SPDX-License-Identifier: Apache-2.0
 * test_program_view.c -- looking at programs: the text of what a jaxpr becomes, its drawing, and the steps while they
 * run. */
#include "support/expect.h"

#include "support/group.h"
#include "support/programs.h"

#include <stdio.h>

/* A softmax is one kernel; a sort is a routine, and what it needs lies in memory. */
static kn_array sorted(const kn_array *x) { return kn_mul(kn_sort(kn_sin(*x)), 2.0); }
static kn_array softmax(const kn_array *x) { return kn_nn_softmax(*x); }
KN_FUNCTION(sorted, kn_array, kn_array)
KN_FUNCTION(softmax, kn_array, kn_array)

static void the_text_says_what_is_not_fused(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_zeros(KN_SHAPE(30));
    const char *text = kn_jaxpr_program(kn_make_jaxpr(KN_FN(sorted), KN_ARGS(&x)));
    assert_non_null(strstr(text, "program sorted: 1 operands, 1 outputs, 3 steps"));
    assert_non_null(strstr(text, "points(30,) of sin; operand 0, > "));
    assert_non_null(strstr(text, "not fused\n  0 -> 1: sin"));
    assert_non_null(strstr(text, " -> f64[30], 240 bytes: a routine reads it\n  1 -> 2: sort"));
    assert_non_null(strstr(text, " -> f64[30], 240 bytes: made by a routine\n"));
    text = kn_jaxpr_program(kn_make_jaxpr(KN_FN(softmax), KN_ARGS(&x)));
    assert_non_null(strstr(text, "of reduce_max sub exp reduce_sum div; operand 0"));
    assert_null(strstr(text, "not fused"));
}

static kn_array half(const kn_array *s, const kn_array *x) { return kn_add(kn_mul(*s, 0.5), *x); }
static kn_array merged(const kn_array *s, const kn_array *x) { return kn_sort(kn_add(*s, *x)); }
KN_FUNCTION(half, kn_array, kn_array, kn_array)
KN_FUNCTION(merged, kn_array, kn_array, kn_array)
static kn_array two_scans(const kn_array *x)
{
    kn_array s = kn_scalar(0.0), t = *x, rows = kn_tile(*x, KN_SHAPE(3, 1));
    kn_scan(KN_FN(half), &s, &s, x);
    kn_scan(KN_FN(merged), &t, &t, &rows);
    return kn_add(s, t);
}
KN_FUNCTION(two_scans, kn_array, kn_array)

static void loops_are_listed_in_the_order_of_equations(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_zeros(KN_SHAPE(30));
    const char *text = kn_jaxpr_program(kn_make_jaxpr(KN_FN(two_scans), KN_ARGS(&x)));
    const char *first = strstr(text, "scan: a compiled loop\n"),
               *last = strstr(text, "scan: a loop with routine calls");
    assert_true(first && last && first < last);
}

static void the_drawing_has_a_node_for_each_step(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_zeros(KN_SHAPE(30));
    const char *text = kn_jaxpr_program_graphviz(kn_make_jaxpr(KN_FN(sorted), KN_ARGS(&x)));
    assert_memory_equal(text, "digraph \"sorted\" {\n", 19);
    assert_non_null(strstr(text, "x0 [shape=ellipse, label=\"f64[30]\"];\n"));
    assert_non_null(strstr(text, "s0 [shape=box, style=rounded, label=\"0: kernel\nsin\n30 elements\", tooltip=\""));
    assert_non_null(strstr(text, "s1 [shape=box, style=solid, label=\"1: routine\nsort\n30 elements\""));
    assert_non_null(strstr(text, "x0 -> s0 [label=\"f64[30]\"];\n"));
    assert_non_null(strstr(text, "s0 -> s1 [label=\"f64[30]\na routine reads it\"];\n"));
    assert_non_null(strstr(text, "s2 -> y0 [label=\"f64[30]\"];\n"));
}

static void errors_have_no_text(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_string_equal(kn_jaxpr_program(NULL), "");
    assert_true(kn_error_pending());
    kn_error_clear();
    assert_string_equal(kn_jaxpr_program_graphviz(NULL), "");
    assert_true(kn_error_pending());
    kn_error_clear();
}

typedef struct heard {
    int n;
    char text[400];
    double seconds;
    int line;
} heard;

static void hear(void *env, const kn_step *step)
{
    static const char *const kinds[] = {"kernel", "routine", "copy", "loop"};
    heard *h = env;
    size_t at = strlen(h->text);
    h->n++;
    h->seconds += step->seconds;
    h->line = step->place ? step->place->line : h->line;
    snprintf(h->text + at, sizeof h->text - at, "%s %s %lld\n", kinds[step->kind], step->operations,
             (long long)step->elements);
}

static void a_hook_hears_of_each_step(void **state)
{
    (void)state;
    KN_SCOPE;
    heard h = {0};
    kn_fn f = kn_jit(KN_FN(sorted));
    kn_array x = kn_ones(KN_SHAPE(30)), y;
    kn_call(f, &y, &x);
    kn_eval(y);
    kn_on_step(hear, &h);
    kn_call(f, &y, &x);
    kn_eval(y);
    assert_string_equal(h.text, "kernel sin 30\nroutine sort 30\nkernel mul 30\n");
    assert_true(h.seconds > 0 && h.line > 0);
    kn_on_step(NULL, NULL);
    kn_call(f, &y, &x);
    kn_eval(y);
    assert_int_equal(h.n, 3);
}

static void a_hook_hears_of_operations_outside_of_functions(void **state)
{
    (void)state;
    KN_SCOPE;
    heard h = {0};
    kn_array x = kn_ones(KN_SHAPE(4, 6));
    kn_eval(x);
    kn_on_step(hear, &h);
    kn_eval(kn_exp(kn_add(x, 1)));
    kn_on_step(NULL, NULL);
    assert_string_equal(h.text, "kernel add exp 24\n");
}

static kn_array less_than_ten(const kn_array *x) { return kn_less(kn_max(*x), 10.0); }
static kn_array twice(const kn_array *x) { return kn_sort(kn_mul(*x, 2.0)); } /* a routine: no kernel holds the loop */
KN_FUNCTION(less_than_ten, kn_array, kn_array)
KN_FUNCTION(twice, kn_array, kn_array)

static void a_hook_hears_of_the_steps_inside_of_a_loop(void **state)
{
    (void)state;
    KN_SCOPE;
    heard h = {0};
    kn_array x = kn_of(double, 3, 1), y;
    kn_on_step(hear, &h);
    kn_while_loop(KN_FN(less_than_ten), KN_FN(twice), &y, &x);
    kn_eval(y);
    kn_on_step(NULL, NULL);
    assert_non_null(strstr(h.text,
                           "kernel mul 2\nroutine sort 2\nkernel reduce_max lt 2\nkernel mul 2\nroutine sort 2\n"
                           "kernel reduce_max lt 2\nloop while 2\n"));
}

KN_TEST_GROUP(test_program_view)
{
    const struct CMUnitTest tests[] = {
        TEST(the_text_says_what_is_not_fused),
        TEST(loops_are_listed_in_the_order_of_equations),
        TEST(the_drawing_has_a_node_for_each_step),
        TEST(errors_have_no_text),
        TEST(a_hook_hears_of_each_step),
        TEST(a_hook_hears_of_operations_outside_of_functions),
        TEST(a_hook_hears_of_the_steps_inside_of_a_loop),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
