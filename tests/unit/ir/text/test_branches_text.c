/* SPDX-License-Identifier: Apache-2.0
 * test_branches_text.c -- cond and scan in the forms of texts: the typed one as JAX prints it, the full one, which is
 * read back, and that of 2020. The typed texts are those of jax.make_jaxpr (0.10.2), the classic ones follow the
 * document of 2020. */
#include "ir/ops.h"
#include "ir/prim.h"
#include "ir/text/print.h"
#include "support/group.h"
#include "support/nothing_stays.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
/* after the above */
#include <cmocka.h>

#define SCALAR(D) kni_scalar_type(KN_DT(D))

static kni_jaxpr *parsed(const char *full)
{
    kni_jaxpr *j;
    knx_error *e = kni_parse(full, &j);
    if (e)
        fail_msg("%s in\n%s", e->message, full);
    assert_null(kni_check(j));
    return j;
}

static void expect_form(const kni_jaxpr *j, kni_jaxpr_form form, const char *text)
{
    char *got;
    assert_null(kni_text(j, form, &got));
    assert_string_equal(got, text);
    knx_free(got);
}

/* The full form comes back as it went out. */
static void expect_round_trip(const kni_jaxpr *j)
{
    char *text, *again;
    kni_jaxpr *back;
    assert_null(kni_text(j, KN_FORM_FULL, &text));
    back = parsed(text);
    assert_true(kni_equal(j, back));
    assert_int_equal(j->hash, back->hash);
    assert_null(kni_text(back, KN_FORM_FULL, &again));
    assert_string_equal(again, text);
    knx_free(text);
    knx_free(again);
    kni_release(back);
}

static void expect_typed(const char *full, const char *typed)
{
    kni_jaxpr *j = parsed(full);
    expect_form(j, KN_FORM_TYPED, typed);
    expect_round_trip(j);
    kni_release(j);
}

/* The text of 2020, read and printed again; in the typed form it is `typed`. */
static void expect_classic(const char *text, int n_const, const kni_type *consts, int n_in, const kni_type *in,
                           const char *typed)
{
    kni_jaxpr *j;
    knx_error *e = kni_parse_classic(text, n_const, consts, n_in, in, &j);
    if (e)
        fail_msg("%s in\n%s", e->message, text);
    assert_null(kni_check(j));
    expect_form(j, KN_FORM_CLASSIC, text);
    expect_form(j, KN_FORM_TYPED, typed);
    expect_round_trip(j);
    kni_release(j);
}

/* --- typed ------------------------------------------------------------------------------------ */

static void two_branches_print_as_jax_prints_them(void **state)
{
    (void)state;
    expect_typed("{ lambda ; a:f32[]. let b:bool[] = ge a 0.0:f32[];"
                 " c:i32[] = convert_element_type[new_dtype=int32 weak_type=False] b;"
                 " d:f32[] = cond[branches=("
                 "{ lambda ; x:f32[]. let y:f32[] = sub x 3.0:f32[] in (y,) }"
                 "{ lambda ; x:f32[]. let y:f32[] = add x 3.0:f32[] in (y,) })] c a in (d,) }",
                 "{ lambda ; a:f32[]. let\n"
                 "    b:bool[] = ge a 0.0:f32[]\n"
                 "    c:i32[] = convert_element_type[new_dtype=int32 weak_type=False] b\n"
                 "    d:f32[] = cond[\n"
                 "      branches=(\n"
                 "        { lambda ; e:f32[]. let f:f32[] = sub e 3.0:f32[] in (f,) }\n"
                 "        { lambda ; g:f32[]. let h:f32[] = add g 3.0:f32[] in (h,) }\n"
                 "      )\n"
                 "    ] c a\n"
                 "  in (d,) }");
}

static void three_branches_print_as_jax_prints_them(void **state)
{
    (void)state;
    expect_typed("{ lambda ; a:i32[] b:f32[]. let c:i32[] = clamp 0:i32[] a 2:i32[];"
                 " d:f32[] = cond[consts=() branches=("
                 "{ lambda ; x:f32[]. let y:f32[] = sin x in (y,) }"
                 "{ lambda ; x:f32[]. let y:f32[] = cos x in (y,) }"
                 "{ lambda ; x:f32[]. let in (x,) })] c b in (d,) }",
                 "{ lambda ; a:i32[] b:f32[]. let\n"
                 "    c:i32[] = clamp 0:i32[] a 2:i32[]\n"
                 "    d:f32[] = cond[\n"
                 "      branches=(\n"
                 "        { lambda ; e:f32[]. let f:f32[] = sin e in (f,) }\n"
                 "        { lambda ; g:f32[]. let h:f32[] = cos g in (h,) }\n"
                 "        { lambda ; i:f32[]. let  in (i,) }\n"
                 "      )\n"
                 "    ] c b\n"
                 "  in (d,) }");
}

static void a_branch_that_stands_twice_is_shared(void **state)
{
    (void)state;
    expect_typed("let $1 = { lambda ; x:f32[]. let y:f32[] = sin x in (y,) } in"
                 "{ lambda ; c:bool[] d:f32[]. let"
                 " e:i32[] = convert_element_type[new_dtype=int32 weak_type=False] c;"
                 " f:f32[] = cond[branches=($1 $1)] e d in (f,) }",
                 "let jaxpr = { lambda ; a:f32[]. let b:f32[] = sin a in (b,) } in\n"
                 "{ lambda ; c:bool[] d:f32[]. let\n"
                 "    e:i32[] = convert_element_type[new_dtype=int32 weak_type=False] c\n"
                 "    f:f32[] = cond[branches=(jaxpr jaxpr)] e d\n"
                 "  in (f,) }");
}

static void a_call_in_two_branches_is_shared(void **state)
{
    (void)state;
    expect_typed(
        "let $1 = { lambda ; x:f32[]. let y:f32[] = sin x in (y,) } in"
        "{ lambda ; c:bool[] d:f32[]. let"
        " e:i32[] = convert_element_type[new_dtype=int32 weak_type=False] c;"
        " f:f32[] = cond[branches=("
        "{ lambda ; g:f32[]. let h:f32[] = jit[name=\"<lambda>\" jaxpr=$1] g; i:f32[] = mul h 2.0:f32[] in (i,) }"
        "{ lambda ; g:f32[]. let h:f32[] = jit[name=\"<lambda>\" jaxpr=$1] g in (h,) }"
        ")] e d in (f,) }",
        "let lambda = { lambda ; a:f32[]. let b:f32[] = sin a in (b,) } in\n"
        "{ lambda ; c:bool[] d:f32[]. let\n"
        "    e:i32[] = convert_element_type[new_dtype=int32 weak_type=False] c\n"
        "    f:f32[] = cond[\n"
        "      branches=(\n"
        "        { lambda ; g:f32[]. let\n"
        "            h:f32[] = jit[name=<lambda> jaxpr=lambda] g\n"
        "            i:f32[] = mul h 2.0:f32[]\n"
        "          in (i,) }\n"
        "        { lambda ; j:f32[]. let\n"
        "            k:f32[] = jit[name=<lambda> jaxpr=lambda] j\n"
        "          in (k,) }\n"
        "      )\n"
        "    ] e d\n"
        "  in (f,) }");
}

static void a_choice_in_a_choice_prints_as_jax_prints_it(void **state)
{
    (void)state;
    expect_typed("{ lambda ; a:bool[] b:f32[]. let"
                 " c:i32[] = convert_element_type[new_dtype=int32 weak_type=False] a;"
                 " d:f32[] = cond[branches=({ lambda ; e:f32[]. let in (e,) }"
                 "{ lambda ; f:f32[]. let g:bool[] = gt f 0.0:f32[];"
                 " h:i32[] = convert_element_type[new_dtype=int32 weak_type=False] g;"
                 " i:f32[] = cond[branches=("
                 "{ lambda ; j:f32[]. let k:f32[] = cos j in (k,) }"
                 "{ lambda ; l:f32[]. let m:f32[] = sin l in (m,) })] h f in (i,) })] c b in (d,) }",
                 "{ lambda ; a:bool[] b:f32[]. let\n"
                 "    c:i32[] = convert_element_type[new_dtype=int32 weak_type=False] a\n"
                 "    d:f32[] = cond[\n"
                 "      branches=(\n"
                 "        { lambda ; e:f32[]. let  in (e,) }\n"
                 "        { lambda ; f:f32[]. let\n"
                 "            g:bool[] = gt f 0.0:f32[]\n"
                 "            h:i32[] = convert_element_type[new_dtype=int32 weak_type=False] g\n"
                 "            i:f32[] = cond[\n"
                 "              branches=(\n"
                 "                { lambda ; j:f32[]. let k:f32[] = cos j in (k,) }\n"
                 "                { lambda ; l:f32[]. let m:f32[] = sin l in (m,) }\n"
                 "              )\n"
                 "            ] h f\n"
                 "          in (i,) }\n"
                 "      )\n"
                 "    ] c b\n"
                 "  in (d,) }");
}

/* --- 2020 ------------------------------------------------------------------------------------- */

static void the_choice_of_2020(void **state)
{
    (void)state;
    expect_classic("{ lambda ; a.\n"
                   "  let b = ge a 0.0\n"
                   "      c = cond[ false_jaxpr={ lambda ; a.\n"
                   "                              let b = sub a 3.0\n"
                   "                              in b }\n"
                   "                linear=(False, False)\n"
                   "                true_jaxpr={ lambda ; a.\n"
                   "                             let b = add a 3.0\n"
                   "                             in b } ] b a a\n"
                   "  in c }",
                   0, NULL, 1, (kni_type[]){SCALAR(F32)},
                   "{ lambda ; a:f32[]. let\n"
                   "    b:bool[] = ge a 0.0:f32[]\n"
                   "    c:i32[] = convert_element_type[new_dtype=int32 weak_type=False] b\n"
                   "    d:f32[] = cond[\n"
                   "      branches=(\n"
                   "        { lambda ; e:f32[]. let f:f32[] = sub e 3.0:f32[] in (f,) }\n"
                   "        { lambda ; g:f32[]. let h:f32[] = add g 3.0:f32[] in (h,) }\n"
                   "      )\n"
                   "    ] c a\n"
                   "  in (d,) }");
}

static void each_branch_of_2020_takes_what_it_needs(void **state)
{
    int64_t one[] = {1};
    (void)state;
    expect_classic("{ lambda e ; a b c.\n"
                   "  let d = ge a 0.0\n"
                   "      f = cond[ false_jaxpr={ lambda ; a b c.\n"
                   "                              let d = add a c\n"
                   "                              in d }\n"
                   "                linear=(False, False, False, False, False)\n"
                   "                true_jaxpr={ lambda ; a b.\n"
                   "                             let\n"
                   "                             in a } ] d b c e b c\n"
                   "  in f }",
                   1, (kni_type[]){kni_type_of(KN_DT(F32), 1, one)}, 3,
                   (kni_type[]){SCALAR(F32), kni_type_of(KN_DT(F32), 1, one), SCALAR(F32)},
                   "{ lambda a:f32[1]; b:f32[] c:f32[1] d:f32[]. let\n"
                   "    e:bool[] = ge b 0.0:f32[]\n"
                   "    f:i32[] = convert_element_type[new_dtype=int32 weak_type=False] e\n"
                   "    g:f32[1] = cond[\n"
                   "      branches=(\n"
                   "        { lambda ; h:f32[1] i:f32[1] j:f32[]. let k:f32[1] = add h j in (k,) }\n"
                   "        { lambda ; l:f32[1] m:f32[1] n:f32[]. let  in (m,) }\n"
                   "      )\n"
                   "    ] f a c d\n"
                   "  in (g,) }");
}

static void a_conversion_with_another_reader_is_shown(void **state)
{
    (void)state;
    kni_jaxpr *j = parsed("{ lambda ; a:bool[] b:f32[]. let"
                          " c:i32[] = convert_element_type[new_dtype=int32 weak_type=False] a;"
                          " d:f32[] = cond[branches=({ lambda ; x:f32[]. let in (x,) }"
                          "{ lambda ; x:f32[]. let y:f32[] = sin x in (y,) })] c b in (d, c) }");
    expect_form(j, KN_FORM_CLASSIC,
                "{ lambda ; a b.\n"
                "  let c = convert_element_type[ new_dtype=int32\n"
                "                                old_dtype=bool ] a\n"
                "      d = cond[ false_jaxpr={ lambda ; a.\n"
                "                              let\n"
                "                              in a }\n"
                "                linear=(False, False)\n"
                "                true_jaxpr={ lambda ; a.\n"
                "                             let b = sin a\n"
                "                             in b } ] c b b\n"
                "  in (d, c) }");
    kni_release(j);
}

static void more_branches_than_2020_knew(void **state)
{
    (void)state;
    expect_classic("{ lambda ; a b.\n"
                   "  let c = cond[ branches=( { lambda ; a.\n"
                   "                             let b = sin a\n"
                   "                             in b }\n"
                   "                           { lambda ; a.\n"
                   "                             let\n"
                   "                             in 2.0 }\n"
                   "                           { lambda ; a.\n"
                   "                             let\n"
                   "                             in a } )\n"
                   "                linear=(False,) ] a b\n"
                   "  in c }",
                   0, NULL, 2, (kni_type[]){SCALAR(I32), SCALAR(F32)},
                   "{ lambda ; a:i32[] b:f32[]. let\n"
                   "    c:f32[] = cond[\n"
                   "      branches=(\n"
                   "        { lambda ; d:f32[]. let e:f32[] = sin d in (e,) }\n"
                   "        { lambda ; f:f32[]. let  in (2.0:f32[],) }\n"
                   "        { lambda ; g:f32[]. let  in (g,) }\n"
                   "      )\n"
                   "    ] a b\n"
                   "  in (c,) }");
}

/* What one branch captured and another one reads (as rules may leave it) is shown for both. */
static void constants_that_both_read_are_of_both(void **state)
{
    (void)state;
    kni_jaxpr *j =
        parsed("{ lambda ; i:i32[] x:f32[] y:f32[]. let"
               " d:f32[] = cond[consts=(0, 1) branches=({ lambda ; x:f32[] y:f32[]. let z:f32[] = add x y in (z,) }"
               "{ lambda ; x:f32[] y:f32[]. let in (y,) })] i x y in (d,) }");
    expect_form(j, KN_FORM_CLASSIC,
                "{ lambda ; a b c.\n"
                "  let d = cond[ false_jaxpr={ lambda ; a b.\n"
                "                              let c = add a b\n"
                "                              in c }\n"
                "                linear=(False, False, False)\n"
                "                true_jaxpr={ lambda ; a.\n"
                "                             let\n"
                "                             in a } ] a c b c\n"
                "  in d }");
    kni_release(j);
}

static void the_scan_of_2020(void **state)
{
    (void)state;
    kni_jaxpr *j = parsed("{ lambda c:f32[16] ; a:f32[16] b:f32[]. let d:f32[] e:f32[16] = scan[jaxpr="
                          "{ lambda ; a:f32[] b:f32[] c:f32[] d:f32[]. let e:f32[] = mul c d; f:f32[] = add b e;"
                          " g:f32[] = add f a in (g, b) } length=16 num_carry=1 num_consts=1 reverse=False unroll=1]"
                          " b 0.0:f32[] a c in (d, e) }");
    expect_form(j, KN_FORM_CLASSIC,
                "{ lambda c ; a b.\n"
                "  let d e = scan[ forward=True\n"
                "                  jaxpr={ lambda ; a b c d.\n"
                "                          let e = mul c d\n"
                "                              f = add b e\n"
                "                              g = add f a\n"
                "                          in (g, b) }\n"
                "                  length=16\n"
                "                  linear=(False, False, False, False)\n"
                "                  num_carry=1\n"
                "                  num_consts=1 ] b 0.0 a c\n"
                "  in (d, e) }");
    kni_release(j);
}

/* --- reading ---------------------------------------------------------------------------------- */

static void what_older_texts_do_not_say_is_zero(void **state)
{
    (void)state;
    kni_jaxpr *j = parsed("{ lambda ; a:f32[3] c:f32[]. let d:f32[] = scan[jaxpr={ lambda ; c:f32[] x:f32[]. let"
                          " y:f32[] = add c x in (y,) } length=3 num_carry=1 num_consts=0 reverse=False unroll=1]"
                          " c a in (d,) }");
    const kni_p_scan *p = j->eqn[0].params;
    assert_true(!p->checkpoint && !p->accept && !p->on_step);
    expect_round_trip(j);
    kni_release(j);
}

static void expect_refused(const char *full, const char *message)
{
    kni_jaxpr *j;
    knx_error *e = kni_parse(full, &j);
    assert_non_null(e);
    assert_null(j);
    assert_string_equal(e->message, message);
    knx_error_release(e);
}

static void texts_that_are_no_choice(void **state)
{
    (void)state;
#define ONE "{ lambda ; x:f32[]. let in (x,) }"
    expect_refused("{ lambda ; i:i32[] x:f32[]. let y:f32[] = cond[branches=(" ONE " 3)] i x in (y,) }",
                   "line 1, column 92: expected '{' before '3'");
    expect_refused("{ lambda ; i:i32[] x:f32[]. let y:f32[] = cond[branches=(" ONE "] i x in (y,) }",
                   "line 1, column 91: expected '{' before ']'");
    expect_refused("{ lambda ; i:i32[] x:f32[]. let y:f32[] = cond[branches=()] i x in (y,) }",
                   "line 1, column 43: cond needs an index and at least one branch");
    expect_refused("{ lambda ; i:i32[] x:f32[]. let y:f32[] = cond[] i x in (y,) }",
                   "line 1, column 47: parameter branches of cond is missing");
    expect_refused("{ lambda ; i:i64[] x:f32[]. let y:f32[] = cond[branches=(" ONE ONE ")] i x in (y,) }",
                   "line 1, column 43: the index of cond must be a scalar of type int32, not int64[]");
#undef ONE
}

/* --- drawing, walking ------------------------------------------------------------------------- */

static void every_branch_is_drawn(void **state)
{
    (void)state;
    kni_jaxpr *j = parsed("{ lambda ; i:i32[] x:f32[]. let"
                          " d:f32[] = cond[branches=({ lambda \"f\" ; x:f32[]. let y:f32[] = sin x in (y,) }"
                          "{ lambda ; x:f32[]. let y:f32[] = cos x in (y,) })] i x in (d,) }");
    char *drawing;
    knx_str params = {0};
    assert_null(kni_graphviz(j, &drawing));
    assert_non_null(strstr(drawing, "label=\"branches[0]\""));
    assert_non_null(strstr(drawing, "label=\"branches[1]\""));
    assert_non_null(strstr(drawing, "label=\"sin\""));
    assert_non_null(strstr(drawing, "label=\"cos\""));
    kni_params_text(&params, j, &j->eqn[0]);
    assert_string_equal(params.s, "branches=(f jaxpr)");
    knx_str_free(&params);
    knx_free(drawing);
    kni_release(j);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
KN_TEST_GROUP(test_branches_text)
{
    const struct CMUnitTest tests[] = {
        TEST(two_branches_print_as_jax_prints_them),
        TEST(three_branches_print_as_jax_prints_them),
        TEST(a_branch_that_stands_twice_is_shared),
        TEST(a_call_in_two_branches_is_shared),
        TEST(a_choice_in_a_choice_prints_as_jax_prints_it),
        TEST(the_choice_of_2020),
        TEST(each_branch_of_2020_takes_what_it_needs),
        TEST(a_conversion_with_another_reader_is_shown),
        TEST(more_branches_than_2020_knew),
        TEST(constants_that_both_read_are_of_both),
        TEST(the_scan_of_2020),
        TEST(what_older_texts_do_not_say_is_zero),
        TEST(texts_that_are_no_choice),
        TEST(every_branch_is_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
