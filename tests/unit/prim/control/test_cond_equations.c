/* SPDX-License-Identifier: Apache-2.0
 * test_cond_equations.c -- the equations that the rules of cond write, and which ones its type rule refuses. */
#include "support/expect.h"
#include "support/group.h"
#include "ir/ops.h"
#include "transform/transform.h"
#include <stdio.h>

static kni_jaxpr *parsed(const char *full)
{
    kni_jaxpr *j = NULL;
    knx_error *e = kni_parse(full, &j);
    if (e)
        fail_msg("%s in\n%s", e->message, full);
    return j;
}

static const kni_eqn *only_choice(const kni_jaxpr *j)
{
    const kni_eqn *found = NULL;
    for (uint32_t i = 0; i < j->n_eqn; i++)
        if (j->eqn[i].prim == &knp_prim_cond) {
            assert_null(found);
            found = &j->eqn[i];
        }
    return found;
}

#define THREE                                                                                            \
    "{ lambda ; i:i32[] x:f32[3] y:f32[3]. let z:f32[3] = cond[branches=("                               \
    "{ lambda ; x:f32[3] y:f32[3]. let z:f32[3] = sin x in (z,) }"                                       \
    "{ lambda ; x:f32[3] y:f32[3]. let e:f32[3] = exp x in (e,) }"                                       \
    "{ lambda ; x:f32[3] y:f32[3]. let c:f32[3] = cos x; s:f32[3] = tan y; z:f32[3] = mul c s in (z,) }" \
    ")] i x y in (z,) }"

/* The third branch has four residuals: sin x, cos x, tan y, 1 + tan(y)^2; cos x of the first one shares a place with one
 * of them, and exp x of the second is a result anyway. */
static void residuals_of_branches_share_places(void **state)
{
    (void)state;
    kni_jaxpr *j = parsed(THREE);
    knt_linearized l;
    assert_null(knt_linearize(j, (bool[]){false, true, true}, &l));
    assert_null(kni_check(l.primal));
    assert_null(kni_check(l.linear));
    assert_int_equal(only_choice(l.primal)->n_out, 1 + 4);
    assert_int_equal(only_choice(l.linear)->n_in, 1 + 4 + 1 + 2); /* index, residuals, the result, tangents */
    knt_linearized_free(&l);
    kni_release(j);
}

static void residuals_that_are_operands_are_no_results(void **state)
{
    (void)state;
    kni_jaxpr *j = parsed("{ lambda ; i:i32[] x:f32[3] y:f32[3]. let z:f32[3] = cond[branches=("
                          "{ lambda ; x:f32[3] y:f32[3]. let z:f32[3] = mul x y in (z,) }"
                          "{ lambda ; x:f32[3] y:f32[3]. let z:f32[3] = mul x x in (z,) })] i x y in (z,) }");
    knt_linearized l;
    assert_null(knt_linearize(j, (bool[]){false, true, true}, &l));
    assert_int_equal(only_choice(l.primal)->n_out, 1);
    assert_int_equal(only_choice(l.linear)->n_in, 1 + 2 + 2);
    knt_linearized_free(&l);
    kni_release(j);
}

/* What no cotangent needs is no operand of the transposed choice. */
static void transposed_choices_take_what_they_need(void **state)
{
    (void)state;
    kni_jaxpr *j = parsed(
        "{ lambda ; i:i32[] c:f32[3] d:f32[3] x:f32[3] y:f32[3]. let p:f32[3] q:f32[3] = cond[branches=("
        "{ lambda ; c:f32[3] d:f32[3] x:f32[3] y:f32[3]. let p:f32[3] = mul c x; q:f32[3] = mul d y in (p, q) }"
        "{ lambda ; c:f32[3] d:f32[3] x:f32[3] y:f32[3]. let p:f32[3] = neg x in (p, y) })] i c d x y in (p,) }");
    kni_jaxpr *t = NULL;
    assert_null(knt_transpose(j, (bool[]){false, false, false, true, true}, &t));
    assert_null(kni_check(t));
    assert_int_equal(only_choice(t)->n_in, 3); /* index, c, the cotangent of p */
    assert_int_equal(only_choice(t)->n_out, 1);
    kni_release(t);
    kni_release(j);
}

static void forward_mode_is_one_choice(void **state)
{
    (void)state;
    kni_jaxpr *j = parsed(THREE), *d = NULL;
    assert_null(knt_jvp(j, (bool[]){false, true, false}, &d));
    assert_null(kni_check(d));
    const kni_eqn *e = only_choice(d);
    assert_int_equal(e->n_in, 4);
    assert_int_equal(e->n_out, 2);
    kni_release(d);
    kni_release(j);
}

static void expect_simplified(const char *full, const char *typed)
{
    kni_jaxpr *j = parsed(full), *s = NULL;
    char *text;
    assert_null(knt_simplify(j, &s));
    assert_null(kni_text(s, KN_FORM_TYPED, &text));
    assert_string_equal(text, typed);
    knx_free(text);
    kni_release(s);
    kni_release(j);
}

static void a_known_choice_is_its_branch(void **state)
{
    (void)state;
    static const char *const of[] = {"sin", "sin", "cos", "neg", "neg"};
    const int at[] = {-5, 0, 1, 2, 100};
    for (int i = 0; i < 5; i++) {
        char full[512], typed[256];
        snprintf(full, sizeof full,
                 "{ lambda ; x:f32[]. let z:f32[] = cond[branches=({ lambda ; x:f32[]. let z:f32[] = sin x in (z,) }"
                 "{ lambda ; x:f32[]. let z:f32[] = cos x in (z,) }{ lambda ; x:f32[]. let z:f32[] = neg x in (z,) })]"
                 " %d:i32[] x in (z,) }",
                 at[i]);
        snprintf(typed, sizeof typed, "{ lambda ; a:f32[]. let b:f32[] = %s a in (b,) }", of[i]);
        expect_simplified(full, typed);
    }
}

static void a_choice_among_equals_is_none(void **state)
{
    (void)state;
    expect_simplified("{ lambda ; i:i32[] x:f32[]. let z:f32[] = cond[branches=("
                      "{ lambda ; x:f32[]. let z:f32[] = sin x in (z,) }"
                      "{ lambda ; x:f32[]. let z:f32[] = sin x in (z,) })] i x in (z,) }",
                      "{ lambda ; a:i32[] b:f32[]. let c:f32[] = sin b in (c,) }");
}

static void what_nobody_reads_is_not_worked_out(void **state)
{
    (void)state;
    expect_simplified(
        "{ lambda ; i:i32[] x:f32[] y:f32[]. let p:f32[] q:f32[] r:f32[] = cond[branches=("
        "{ lambda ; x:f32[] y:f32[]. let z:f32[] = sin x; w:f32[] = neg y in (z, w, y) }"
        "{ lambda ; x:f32[] y:f32[]. let z:f32[] = cos x; w:f32[] = exp y in (z, w, y) })] i x y in (p, r) }",
        "{ lambda ; a:i32[] b:f32[] c:f32[]. let\n"
        "    d:f32[] = cond[\n"
        "      branches=(\n"
        "        { lambda ; e:f32[]. let f:f32[] = sin e in (f,) }\n"
        "        { lambda ; g:f32[]. let h:f32[] = cos g in (h,) }\n"
        "      )\n"
        "    ] a b\n"
        "  in (d, c) }");
}

static void expect_refused(const char *full, const char *message)
{
    kni_jaxpr *j;
    knx_error *e = kni_parse(full, &j);
    assert_non_null(e);
    assert_string_equal(e->message, message);
    knx_error_release(e);
}

static void choices_that_do_not_fit(void **state)
{
    (void)state;
#define HEAD "{ lambda ; i:i32[] x:f32[]. let z:f32[] = cond[branches=({ lambda ; x:f32[]. let in (x,) }"
    expect_refused(HEAD "{ lambda ; x:f32[] y:f32[]. let in (x,) })] i x in (z,) }",
                   "line 1, column 43: branch 1 takes 2 arrays, not 1");
    expect_refused(HEAD "{ lambda ; x:f32[]. let in (x, x) })] i x in (z,) }",
                   "line 1, column 43: branch 1 returns 2 arrays, but branch 0 returns 1");
    expect_refused(HEAD "{ lambda ; x:f64[]. let in (0.0:f32[],) })] i x in (z,) }",
                   "line 1, column 43: input 0 of branch 1 has type float64[], but cond was given float32[]");
    expect_refused(
        HEAD "{ lambda ; x:f32[]. let in (1:i32[],) })] i x in (z,) }",
        "line 1, column 43: branches of cond must return arrays of the same types, but result 0 of branch 0 has "
        "type float32[] and that of branch 1 has type int32[], so the dtypes do not match");
#undef HEAD
}

KN_TEST_GROUP(test_cond_equations)
{
    const struct CMUnitTest tests[] = {
        TEST(residuals_of_branches_share_places),     TEST(residuals_that_are_operands_are_no_results),
        TEST(transposed_choices_take_what_they_need), TEST(forward_mode_is_one_choice),
        TEST(a_known_choice_is_its_branch),           TEST(a_choice_among_equals_is_none),
        TEST(what_nobody_reads_is_not_worked_out),    TEST(choices_that_do_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
