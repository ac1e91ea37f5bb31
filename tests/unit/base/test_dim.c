/* SPDX-License-Identifier: Apache-2.0
 * test_dim.c -- dimension expressions: texts and numbers are those of jax.export (JAX 0.10),
 * noted down; what is better than there says so. */
#include "base/dim.h"
#include "support/dim_scope.h"
#include "support/group.h"

static void same(const char *a, const char *b)
{
    if (dim(a) != dim(b))
        fail_msg("%s and %s are different", a, b);
}

/* --- arithmetic and texts --------------------------------------------------------------------- */

static void plain_numbers_stay_plain(void **state)
{
    (void)state;
    assert_int_equal(knx_dim_add(3, 4), 7);
    assert_int_equal(knx_dim_floordiv(-7, 2), -4);
    assert_int_equal(knx_dim_mod(-7, 2), 1);
    assert_int_equal(knx_dim_mod(7, -2), -1);
    assert_int_equal(knx_dim_ceildiv(7, 2), 4);
    assert_int_equal(knx_dim_max(3, -4), 3);
    assert_int_equal(knx_dim_min(3, -4), -4);
    assert_false(knx_is_symbolic(INT64_MAX));
    assert_false(knx_is_symbolic(INT64_MIN));
    assert_false(knx_is_symbolic((int64_t)1 << 60));
    text_is(-12, "-12");
}

static void a_name_is_one_variable(void **state)
{
    (void)state;
    int64_t a = dim("a"), again;
    assert_true(knx_dim_named("abc", 1, &again));
    assert_true(a == again);
    assert_true(a != dim("ab"));
    assert_true(knx_is_symbolic(a));
    assert_string_equal(knx_dim_name(var("_x1")), "_x1");
    knx_dim_var v;
    assert_false(knx_dim_is_var(a + 1, &v));
    assert_false(knx_dim_is_var(dim("2*a"), &v));
    assert_false(knx_dim_is_var(5, &v));
}

static void constants_are_added_by_c(void **state)
{
    (void)state;
    assert_true(dim("b") + 3 == dim("b + 3"));
    assert_true(dim("b") - 3 == dim("b - 3"));
    assert_true(dim("b + 3") - dim("b") == 3);
    assert_true(knx_dim_add(3, dim("b")) == dim("b") + 3);
    assert_int_equal(knx_dim_constant(dim("2*b - 5")), -5);
    assert_true(knx_dim_bare(dim("2*b - 5")) == dim("2*b"));
}

static void the_largest_term_is_first_and_the_constant_last(void **state)
{
    (void)state;
    prints("3 + b", "b + 3");
    prints("a + b", "b + a");
    prints("b + t + a + c", "t + c + b + a");
    prints("1 + b + b*b", "b^2 + b + 1");
    prints("a*a + a*b + b*b", "a*b + b^2 + a^2");
    prints("floordiv(t, 2) + mod(t, 2)", "mod(t, 2) + floordiv(t, 2)");
    prints("max(a, b) + min(a, b)", "min(a, b) + max(a, b)");
    prints("b - floordiv(b, 2)", "- floordiv(b, 2) + b");
}

static void signs_stand_apart(void **state)
{
    (void)state;
    prints("b - 3", "b - 3");
    prints("3 - b", "- b + 3");
    prints("-b", "- b");
    prints("a - b", "- b + a");
    prints("-floordiv(b, 2)", "- floordiv(b, 2)");
    prints("floordiv(-b, 2)", "floordiv(- b, 2)");
}

static void products_are_multiplied_out(void **state)
{
    (void)state;
    prints("b*a", "a*b");
    prints("a*b + b*a", "2*a*b");
    prints("b*b*b", "b^3");
    prints("a*b*b - 1", "a*b^2 - 1");
    prints("(a + b)*(a - b)", "- b^2 + a^2");
    prints("(a + 1)*(b + 1)", "a*b + b + a + 1");
    prints("t*floordiv(t, 2)", "t*floordiv(t, 2)");
    prints("2*max(a, b)", "2*max(a, b)");
}

static void what_cancels_is_a_plain_number(void **state)
{
    (void)state;
    prints("2*(b + 1) - 2*b", "2");
    prints("b - b", "0");
    prints("0*b", "0");
    prints("(a + b) - b", "a");
}

static void equal_expressions_have_equal_handles(void **state)
{
    (void)state;
    same("(a + b)*(a - b)", "a*a - b*b");
    same("floordiv(2*t, 2)", "t");
    same("2*(a + 3) - a", "a + 6");
    same("max(b - 1, 0)", "b - 1");
    assert_true(dim("max(a, b)") != dim("max(b, a)")); /* as in JAX */
    assert_true(dim("a*b") != dim("a + b"));
}

static void quotients_without_a_rest_are_divided(void **state)
{
    (void)state;
    prints("floordiv(2*t, 2)", "t");
    prints("floordiv(2*t + 4, 2)", "t + 2");
    prints("floordiv(4*t + 2*b + 6, 2)", "2*t + b + 3");
    prints("floordiv(t*b, b)", "t");
    prints("floordiv(t*b + b, b)", "t + 1");
    prints("floordiv(b*b, b)", "b");
    prints("floordiv(b, b)", "1");
    prints("floordiv(2*t + 1, 2)", "t");
}

static void other_quotients_stay(void **state)
{
    (void)state;
    prints("floordiv(t, 2)", "floordiv(t, 2)");
    prints("floordiv(t + 4, 2)", "floordiv(t + 4, 2)");
    prints("floordiv(4*t + b, 2)", "floordiv(4*t + b, 2)");
    prints("floordiv(t + 3, -2)", "floordiv(t + 3, - 2)");
    prints("floordiv(7, t)", "floordiv(7, t)");
    prints("floordiv(t, b)", "floordiv(t, b)");
    prints("floordiv(a*b + c, b)", "floordiv(a*b + c, b)");
    prints("floordiv(floordiv(t, 2), 2)", "floordiv(floordiv(t, 2), 2)");
    prints("floordiv(t, 2)*2", "2*floordiv(t, 2)");
}

static void remainders(void **state)
{
    (void)state;
    prints("mod(t, 8)", "mod(t, 8)");
    prints("mod(8*t, 8)", "0");
    prints("mod(8*t + 3, 8)", "3");
    prints("mod(t - 1, 8)", "mod(t - 1, 8)");
    prints("mod(t, -8)", "mod(t, - 8)");
    prints("mod(7, t)", "mod(7, t)");
    prints("mod(t*b, b)", "0");
    prints("mod(mod(t, 2), 2)", "mod(mod(t, 2), 2)");
    prints("8*floordiv(t, 8) + mod(t, 8)", "mod(t, 8) + 8*floordiv(t, 8)");
}

static void choices_that_bounds_decide_are_made(void **state)
{
    (void)state;
    prints("max(b, 1)", "b");
    prints("max(b, 0)", "b");
    prints("min(b, 1)", "1");
    prints("max(b, b + 1)", "b + 1");
    prints("max(b - 1, 0)", "b - 1");
    prints("max(b, 2)", "max(b, 2)");
    prints("max(2*b - 3, 0)", "max(2*b - 3, 0)");
    prints("max(max(a, b), c)", "max(max(a, b), c)");
    prints("min(b, 5)", "min(b, 5)");
}

static void rounding_up(void **state)
{
    (void)state;
    text_is(knx_dim_ceildiv(dim("b"), 8), "floordiv(b + 7, 8)");
    text_is(knx_dim_ceildiv(dim("8*b"), 8), "b");
}

static void sizes_are_products(void **state)
{
    (void)state;
    text_is(knx_dim_size(3, (int64_t[]){dim("b"), 3, dim("t + 1")}), "3*b*t + 3*b");
    assert_int_equal(knx_dim_size(0, NULL), 1);
    assert_int_equal(knx_dim_size(2, (int64_t[]){3, 4}), 12);
    assert_true(knx_has_symbolic(2, (int64_t[]){3, dim("b")}));
    assert_false(knx_has_symbolic(2, (int64_t[]){3, 4}));
}

/* --- numbers of expressions ------------------------------------------------------------------- */

static const char *const expressions[] = {"a",
                                          "2*a + 3",
                                          "a*b - 7",
                                          "floordiv(a, 4)",
                                          "floordiv(-a, 4) + 1",
                                          "mod(a, 4) + floordiv(b*b + 1, a)",
                                          "mod(-a, 7)",
                                          "max(a - 3*b, 2) - min(a, b)",
                                          "max(mod(a, b), floordiv(a + b, 3))*a^2 + 5",
                                          "- b",
                                          "17"};
enum { N_EXPRESSIONS = sizeof expressions / sizeof *expressions };

static int64_t division(int64_t a, int64_t b) { return knx_floordiv(a, b); }
static int64_t rest(int64_t a, int64_t b) { return a - b * knx_floordiv(a, b); }
#define MOST(x, y)  ((x) > (y) ? (x) : (y))
#define LEAST(x, y) ((x) < (y) ? (x) : (y))
static int64_t by_c(int i, int64_t a, int64_t b)
{
    const int64_t values[] = {a,
                              2 * a + 3,
                              a * b - 7,
                              division(a, 4),
                              division(-a, 4) + 1,
                              rest(a, 4) + division(b * b + 1, a),
                              rest(-a, 7),
                              MOST(a - 3 * b, 2) - LEAST(a, b),
                              MOST(rest(a, b), division(a + b, 3)) * a * a + 5,
                              -b,
                              17};
    return values[i];
}

static void evaluating_is_what_c_computes(void **state)
{
    (void)state;
    for (int64_t a = 1; a < 20; a++)
        for (int64_t b = 1; b < 20; b++)
            for (int i = 0; i < N_EXPRESSIONS; i++) {
                int64_t n = 0;
                const knx_dim_value v[] = {{var("b"), b}, {var("a"), a}};
                assert_true(knx_dim_evaluate(dim(expressions[i]), 2, v, &n));
                if (n != by_c(i, a, b))
                    fail_msg("%s is %lld for a = %lld, b = %lld", expressions[i], (long long)n, (long long)a,
                             (long long)b);
            }
}

static void what_has_no_number_is_not_evaluated(void **state)
{
    (void)state;
    int64_t n;
    const knx_dim_value v[] = {{var("a"), 5}};
    assert_false(knx_dim_evaluate(dim("a + b"), 1, v, &n));
    assert_false(knx_dim_evaluate(KNX_DIM_UNKNOWN, 1, v, &n));
    const knx_dim_value big[] = {{var("a"), INT64_MAX / 2}};
    assert_false(knx_dim_evaluate(dim("a*a"), 1, big, &n));
    assert_false(knx_dim_evaluate(dim("3*a"), 1, big, &n));
    assert_false(knx_dim_evaluate(dim("floordiv(7, a - 5)"), 1, v, &n));
}

static void code_gives_the_same_numbers(void **state)
{
    (void)state;
    knx_dim_code c = {0};
    uint32_t at[N_EXPRESSIONS];
    int64_t table[100];
    assert_true(knx_dim_code_var(&c, var("a")) && knx_dim_code_var(&c, var("b")));
    for (int i = 0; i < N_EXPRESSIONS - 1; i++)
        assert_true(knx_dim_code_add(&c, dim(expressions[i]), &at[i]));
    assert_true(c.bare.n <= 100);
    for (int64_t a = 1; a < 12; a++)
        for (int64_t b = 1; b < 12; b++) {
            table[0] = a;
            table[1] = b;
            assert_true(knx_dim_code_run(&c, table));
            for (int i = 0; i < N_EXPRESSIONS - 1; i++)
                assert_int_equal(table[at[i]] + knx_dim_constant(dim(expressions[i])), by_c(i, a, b));
        }
    knx_dim_code_free(&c);
}

static void code_has_equal_expressions_once(void **state)
{
    (void)state;
    knx_dim_code c = {0};
    uint32_t first, second;
    assert_true(knx_dim_code_var(&c, var("a")));
    assert_true(knx_dim_code_add(&c, dim("floordiv(a, 4) + 1"), &first));
    size_t words = c.word.n;
    assert_true(knx_dim_code_add(&c, dim("floordiv(a, 4) - 1"), &second));
    assert_int_equal(first, second);
    assert_int_equal(c.word.n, words);
    knx_dim_code_free(&c);
}

static void code_says_when_a_number_does_not_fit(void **state)
{
    (void)state;
    knx_dim_code c = {0};
    uint32_t at;
    int64_t table[20] = {INT64_MAX / 2};
    assert_true(knx_dim_code_var(&c, var("a")) && knx_dim_code_add(&c, dim("a*a"), &at));
    assert_false(knx_dim_code_run(&c, table));
    table[0] = 0;
    assert_true(knx_dim_code_run(&c, table));
    knx_dim_code_free(&c);
}

static void guards_hold_for_their_sample(void **state)
{
    (void)state;
    scope.assumes = true;
    sample("a", 6);
    sample("b", 4);
    for (int i = 0; i < N_EXPRESSIONS; i++)
        for (int k = 0; k < N_EXPRESSIONS; k++) {
            assert_int_equal(knx_dim_le(dim(expressions[i]), dim(expressions[k])), by_c(i, 6, 4) <= by_c(k, 6, 4));
            assert_int_equal(knx_dim_eq(dim(expressions[i]), dim(expressions[k])), by_c(i, 6, 4) == by_c(k, 6, 4));
        }
    assert_null(scope.error);
    assert_true(scope.guard.n > 10);
    for (size_t g = 0; g < scope.guard.n; g++) {
        int64_t n = 0;
        assert_true(knx_dim_evaluate(scope.guard.at[g].e, 2, scope.sample.at, &n));
        assert_int_equal(scope.guard.at[g].equal ? n == 0 : n >= 0, scope.guard.at[g].holds);
    }
}

/* --- limits ----------------------------------------------------------------------------------- */

/* A handle has room for constants of 31 bits; larger ones are terms of their own. */
static void constants_near_the_room_of_a_handle(void **state)
{
    (void)state;
    const int64_t k[] = {((int64_t)1 << 30) - 1, (int64_t)1 << 30, ((int64_t)1 << 30) + 1, (int64_t)1 << 31,
                         (int64_t)1 << 40};
    for (size_t i = 0; i < sizeof k / sizeof *k; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            int64_t c = sign * k[i], n = 0, d = knx_dim_add(dim("b"), c);
            char want[64];
            snprintf(want, sizeof want, "b %c %lld", sign < 0 ? '-' : '+', (long long)k[i]);
            text_is(d, want);
            assert_true(knx_dim_evaluate(d, 1, &(knx_dim_value){var("b"), 3}, &n));
            assert_int_equal(n, c + 3);
            assert_true(knx_dim_sub(d, c) == dim("b"));
            assert_true(dim(want) == d);
        }
    text_is(knx_dim_mul(dim("b + 1073741823"), 4), "4*b + 4294967292");
}

static void c_goes_on_from_a_large_constant(void **state)
{
    (void)state;
    int64_t d = knx_dim_add(dim("b"), ((int64_t)1 << 30) - 2);
    text_is(d + 1, "b + 1073741823");
    assert_true(d + 1 == knx_dim_add(dim("b"), ((int64_t)1 << 30) - 1));
}

static void numbers_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    int64_t d = knx_dim_mul(dim("b"), (int64_t)1 << 59);
    assert_null(scope.error);
    assert_true(knx_dim_mul(d, 64) == KNX_DIM_UNKNOWN);
    refused(KN_ERROR_DIMENSION, "a number of this dimension is too large");
    text_is(KNX_DIM_UNKNOWN, "?");
}

static void more_than_32_terms_are_refused(void **state)
{
    (void)state;
    int64_t sum = 0;
    char name[16];
    for (int i = 0; i < 32; i++) {
        snprintf(name, sizeof name, "x%02d", i);
        sum = knx_dim_add(sum, dim(name));
    }
    assert_null(scope.error);
    int64_t n = 0;
    knx_dim_bounds(sum, &n, &(int64_t){0});
    assert_int_equal(n, 32);
    assert_true(knx_dim_add(sum, dim("y")) == KNX_DIM_UNKNOWN);
    refused(KN_ERROR_DIMENSION, "this dimension has too many terms");
}

static void a_division_by_zero_is_refused(void **state)
{
    (void)state;
    assert_true(knx_dim_floordiv(dim("b"), 0) == KNX_DIM_UNKNOWN);
    refused(KN_ERROR_DIMENSION, "division by zero in a dimension");
    assert_true(knx_dim_mod(5, 0) == KNX_DIM_UNKNOWN);
    refused(KN_ERROR_DIMENSION, "division by zero in a dimension");
}

static void what_is_made_of_the_unknown_is_unknown(void **state)
{
    (void)state;
    text_is(knx_dim_mul(KNX_DIM_UNKNOWN, 2), "?");
    text_is(knx_dim_max(KNX_DIM_UNKNOWN, dim("b")), "?");
    int64_t l, u;
    knx_dim_bounds(KNX_DIM_UNKNOWN, &l, &u);
    assert_true(l == LOW && u == HIGH);
}

/* --- texts ------------------------------------------------------------------------------------ */

static void texts_come_back(void **state)
{
    (void)state;
    for (int i = 0; i < N_EXPRESSIONS; i++) {
        knx_str t = {0};
        assert_true(knx_dim_text(&t, dim(expressions[i])));
        assert_true(dim(t.s) == dim(expressions[i]));
        knx_str_free(&t);
    }
}

static void blanks_and_parentheses(void **state)
{
    (void)state;
    prints(" ( a+b ) *2 ", "2*b + 2*a");
    prints("- (a - 1)", "- a + 1");
    prints("b*-1", "- b");
    prints("-b + -3", "- b - 3");
    prints("b^0", "1");
    prints("(a + 1)^2", "a^2 + 2*a + 1");
}

static void parse_fails(const char *text, kn_error_kind kind, const char *message)
{
    const char *at = text;
    int64_t d;
    knx_error *e = knx_dim_parse(&at, &d);
    if (!e)
        fail_msg("%s is read", text);
    assert_string_equal(e->message, message);
    assert_int_equal(e->kind, kind);
    knx_error_release(e);
}

static void texts_that_are_no_dimensions(void **state)
{
    (void)state;
    parse_fails("", KN_ERROR_VALUE, "a dimension has its end where a number, a name or ( is expected");
    parse_fails("b +", KN_ERROR_VALUE, "a dimension has its end where a number, a name or ( is expected");
    parse_fails("3*", KN_ERROR_VALUE, "a dimension has its end where a number, a name or ( is expected");
    parse_fails("?", KN_ERROR_VALUE, "a dimension has something else where a number, a name or ( is expected");
    parse_fails("(b", KN_ERROR_VALUE, "a dimension has its end where ) is expected");
    parse_fails("b^b", KN_ERROR_VALUE, "a dimension has something else where a number is expected");
    parse_fails("b^17", KN_ERROR_VALUE, "a power of a dimension is larger than 16");
    parse_fails("floordiv(b)", KN_ERROR_VALUE, "a dimension has something else where a comma is expected");
    parse_fails("max(b, 3, 4)", KN_ERROR_VALUE, "a dimension has something else where ) is expected");
    parse_fails("mod b", KN_ERROR_VALUE, "a dimension has something else where ( is expected");
    parse_fails("floordiv(b, 0)", KN_ERROR_ZERO_DIVISION, "division by zero in a dimension");
    parse_fails("9999999999999999999", KN_ERROR_VALUE, "a number of a dimension is too large");
    parse_fails("4294967296*4294967296", KN_ERROR_VALUE, "a number of a dimension is too large");
    parse_fails("65536^4", KN_ERROR_VALUE, "a number of a dimension is too large");
    const char *half = "500000000000000000+500000000000000000+500000000000000000+500000000000000000+500000000000000000";
    parse_fails(half, KN_ERROR_VALUE, "a number of a dimension is too large");
}

static void plain_numbers_far_apart_are_compared_as_numbers(void **state)
{
    (void)state;
    assert_true(knx_dim_decide_le(INT64_MIN, 1));
    assert_false(knx_dim_decide_le(1, INT64_MIN));
    assert_true(knx_dim_decide_le(-2, INT64_MAX));
    assert_true(knx_dim_known_le(INT64_MIN, 1));
    assert_true(knx_dim_taken_le(INT64_MIN, 1));
    assert_true(knx_dim_rely_le(INT64_MIN, 1));
}

static void deep_parentheses_are_refused(void **state)
{
    (void)state;
    char text[2000];
    memset(text, '(', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    parse_fails(text, KN_ERROR_VALUE, "a dimension has too many parentheses inside each other");
    memset(text, '-', sizeof text - 1);
    parse_fails(text, KN_ERROR_VALUE, "a dimension has too many parentheses inside each other");
}

static void reading_stops_behind_the_dimension(void **state)
{
    (void)state;
    const char *at = "2*b + 3 ] c";
    int64_t d;
    assert_null(knx_dim_parse(&at, &d));
    assert_string_equal(at, "] c");
    at = "b c";
    assert_null(knx_dim_parse(&at, &d));
    assert_string_equal(at, "c");
}

/* --- no memory -------------------------------------------------------------------------------- */

/* Everything that can be asked for, in a scope of its own; what it gives is not looked at. */
static void ask_for_everything(void)
{
    knx_dim_scope own;
    int64_t a, b, l, u;
    knx_dim_scope_init(&own);
    knx_dim_enter(&own);
    knx_error_release(knx_dim_constrain(&own, "mod(a, 8) == 0"));
    knx_error_release(knx_dim_constrain(&own, "b >= 3"));
    own.assumes = true;
    if (knx_dim_named("a", 1, &a) && knx_dim_named("b", 1, &b)) {
        knx_dim_var v, w;
        if (knx_dim_is_var(a, &v) && knx_dim_is_var(b, &w) && knx_dim_sample(&own, v, 8))
            (void)knx_dim_sample(&own, w, 5);
        int64_t d = knx_dim_max(knx_dim_mul(a, knx_dim_add(b, 3)), knx_dim_floordiv(knx_dim_mod(a, b), 2));
        (void)knx_dim_le(d, 40);
        (void)knx_dim_eq(d, knx_dim_min(a, b));
        knx_dim_bounds(d, &l, &u);
        knx_str t = {0};
        (void)knx_dim_text(&t, d);
        knx_str_free(&t);
        knx_text shown = {0};
        (void)knx_dim_show(&shown, d);
        knx_dim_code c = {0};
        uint32_t at;
        if (knx_dim_is_var(a, &v) && knx_dim_code_var(&c, v))
            (void)knx_dim_code_add(&c, d, &at);
        knx_dim_code_free(&c);
    }
    const char *text = "floordiv(a*b + 7, b) - 2*c";
    knx_error_release(knx_dim_parse(&text, &l));
    own.assumes = false;
    (void)knx_dim_le(l, 3);
    knx_dim_leave(&own);
    knx_dim_scope_free(&own);
}

static void no_memory_loses_nothing(void **state)
{
    (void)state;
    for (int sticky = 0; sticky < 2; sticky++)
        for (int64_t k = 0; k < 400; k++) {
            knx_dims_free();
            int64_t before = knx_alloc_live();
            knx_fail_after(k, sticky);
            ask_for_everything();
            knx_fail_after(-1, false);
            knx_dims_free();
            if (knx_alloc_live() != before)
                fail_msg("%lld blocks are lost without allocation %lld", (long long)(knx_alloc_live() - before),
                         (long long)k);
        }
}

static void lack_of_memory_is_the_error_of_the_scope(void **state)
{
    (void)state;
    int64_t a = dim("a"), b = dim("b");
    knx_fail_after(0, true);
    int64_t d = knx_dim_max(knx_dim_mul(a, a), knx_dim_mul(b, b));
    knx_fail_after(-1, false);
    if (d == KNX_DIM_UNKNOWN) {
        knx_error *e = knx_dim_take_error(&scope);
        assert_non_null(e);
        assert_int_equal(e->kind, KN_ERROR_MEMORY);
        knx_error_release(e);
    }
    text_is(knx_dim_mul(a, b), "a*b");
}

KN_TEST_GROUP(test_dim)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(plain_numbers_stay_plain),
        TEST(a_name_is_one_variable),
        TEST(constants_are_added_by_c),
        TEST(the_largest_term_is_first_and_the_constant_last),
        TEST(signs_stand_apart),
        TEST(products_are_multiplied_out),
        TEST(what_cancels_is_a_plain_number),
        TEST(equal_expressions_have_equal_handles),
        TEST(quotients_without_a_rest_are_divided),
        TEST(other_quotients_stay),
        TEST(remainders),
        TEST(choices_that_bounds_decide_are_made),
        TEST(rounding_up),
        TEST(sizes_are_products),
        TEST(evaluating_is_what_c_computes),
        TEST(what_has_no_number_is_not_evaluated),
        TEST(code_gives_the_same_numbers),
        TEST(code_has_equal_expressions_once),
        TEST(code_says_when_a_number_does_not_fit),
        TEST(guards_hold_for_their_sample),
        TEST(constants_near_the_room_of_a_handle),
        TEST(c_goes_on_from_a_large_constant),
        TEST(numbers_that_do_not_fit_are_refused),
        TEST(more_than_32_terms_are_refused),
        TEST(a_division_by_zero_is_refused),
        TEST(what_is_made_of_the_unknown_is_unknown),
        TEST(texts_come_back),
        TEST(blanks_and_parentheses),
        TEST(texts_that_are_no_dimensions),
        TEST(plain_numbers_far_apart_are_compared_as_numbers),
        TEST(deep_parentheses_are_refused),
        TEST(reading_stops_behind_the_dimension),
        TEST(no_memory_loses_nothing),
        TEST(lack_of_memory_is_the_error_of_the_scope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
