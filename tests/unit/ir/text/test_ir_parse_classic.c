/* SPDX-License-Identifier: Apache-2.0
 * test_ir_parse_classic.c -- the classic form read back: types are given for constants and inputs, all others follow.
 * */
#include "base/dim.h"
#include "ir/ops.h"
#include "ir/prim.h"
#include "support/group.h"
#include "support/nothing_stays.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define SHAPE(...) \
    (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[]) { __VA_ARGS__ }
#define TYPE(D, ...) kni_type_of(KN_DT(D), SHAPE(__VA_ARGS__))
#define SCALAR(D)    kni_scalar_type(KN_DT(D))

/* Reads the text, prints the typed form. */
static void expect_typed(const char *text, int n_const, const kni_type *consts, int n_in, const kni_type *in,
                         const char *typed)
{
    kni_jaxpr *j;
    char *got, *again;
    knx_error *e = kni_parse_classic(text, n_const, consts, n_in, in, &j);
    if (e)
        fail_msg("%s in\n%s", e->message, text);
    assert_null(kni_check(j));
    assert_null(kni_text(j, KN_FORM_TYPED, &got));
    assert_string_equal(got, typed);
    assert_null(kni_text(j, KN_FORM_CLASSIC, &again));
    assert_string_equal(again, text);
    knx_free(got);
    knx_free(again);
    kni_release(j);
}

static void expect_error(const char *text, int n_const, int n_in, kn_error_kind kind, const char *message)
{
    kni_type f32[4] = {SCALAR(F32), SCALAR(F32), SCALAR(F32), SCALAR(F32)};
    kni_jaxpr *j;
    knx_error *e = kni_parse_classic(text, n_const, f32, n_in, f32, &j);
    assert_non_null(e);
    assert_null(j);
    assert_string_equal(e->message, message);
    assert_int_equal(e->kind, kind);
    knx_error_release(e);
}

static void the_example_of_the_document(void **state)
{
    (void)state;
    expect_typed("{ lambda ; a b.\n"
                 "  let c = sin b\n"
                 "      d = mul c 3.0\n"
                 "      e = add a d\n"
                 "      f = reduce_sum[ axes=(0,)\n"
                 "                      input_shape=(8,) ] e\n"
                 "  in f }",
                 0, NULL, 2, (kni_type[]){TYPE(F32, 8), TYPE(F32, 8)},
                 "{ lambda ; a:f32[8] b:f32[8]. let\n"
                 "    c:f32[8] = sin b\n"
                 "    d:f32[8] = mul c 3.0:f32[]\n"
                 "    e:f32[8] = add a d\n"
                 "    f:f32[] = reduce_sum[axes=(0,) out_sharding=None] e\n"
                 "  in (f,) }");
}

static void constants_and_several_results(void **state)
{
    (void)state;
    expect_typed("{ lambda b d ; a.\n"
                 "  let c = add a b\n"
                 "      e = sub c d\n"
                 "  in (e, a, 2.0) }",
                 2, (kni_type[]){TYPE(F64, 3), TYPE(F64, 3)}, 1, (kni_type[]){TYPE(F64, 3)},
                 "{ lambda a:f64[3] b:f64[3]; c:f64[3]. let\n"
                 "    d:f64[3] = add c a\n"
                 "    e:f64[3] = sub d b\n"
                 "  in (e, c, 2.0:f64[]) }");
}

static void a_call(void **state)
{
    (void)state;
    expect_typed("{ lambda ; a.\n"
                 "  let b = sub a 2.0\n"
                 "      c = xla_call[ backend=None\n"
                 "                    call_jaxpr={ lambda ; a b.\n"
                 "                                 let c = add a b\n"
                 "                                 in c }\n"
                 "                    device=None\n"
                 "                    name=inner ] a b\n"
                 "  in c }",
                 0, NULL, 1, (kni_type[]){SCALAR(F32)},
                 "{ lambda ; a:f32[]. let\n"
                 "    b:f32[] = sub a 2.0:f32[]\n"
                 "    c:f32[] = jit[\n"
                 "      name=inner\n"
                 "      jaxpr={ lambda ; a:f32[] b:f32[]. let c:f32[] = add a b in (c,) }\n"
                 "    ] a b\n"
                 "  in (c,) }");
}

/* A literal takes the dtype beside it, of the kind that its text has. */
static void dtypes_of_literals(void **state)
{
    (void)state;
    expect_typed("{ lambda ; a b c.\n"
                 "  let d = select_n a 1.5 b\n"
                 "      e = mul c 7\n"
                 "      f = and a True\n"
                 "  in (d, e, f) }",
                 0, NULL, 3, (kni_type[]){TYPE(BOOL, 2), TYPE(F64, 2), TYPE(I8, 2)},
                 "{ lambda ; a:bool[2] b:f64[2] c:i8[2]. let\n"
                 "    d:f64[2] = select_n a 1.5:f64[] b\n"
                 "    e:i8[2] = mul c 7:i8[]\n"
                 "    f:bool[2] = and a True:bool[]\n"
                 "  in (d, e, f) }");
}

static void dimension_numbers_and_padding(void **state)
{
    (void)state;
    expect_typed("{ lambda ; a b.\n"
                 "  let c = dot_general[ dimension_numbers=(((1,), (0,)), ((), ()))\n"
                 "                       precision=None ] a b\n"
                 "      d = pad[ padding_config=((0, 1, 0), (2, 0, 1)) ] c 0.0\n"
                 "  in d }",
                 0, NULL, 2, (kni_type[]){TYPE(F32, 2, 3), TYPE(F32, 3, 4)},
                 "{ lambda ; a:f32[2,3] b:f32[3,4]. let\n"
                 "    c:f32[2,4] = dot_general[dimension_numbers=(([1], [0]), ([], []))] a b\n"
                 "    d:f32[3,9] = pad[padding_config=((0, 1, 0), (2, 0, 1))] c 0.0:f32[]\n"
                 "  in (d,) }");
}

static void errors_say_where(void **state)
{
    (void)state;
    expect_error("{ lambda ; a b.\n  let\n  in a }", 0, 1, KN_ERROR_VALUE,
                 "line 1, column 11: 2 inputs, but types of 1 are given");
    expect_error("{ lambda c ; a.\n  let\n  in a }", 0, 1, KN_ERROR_VALUE,
                 "line 1, column 9: 1 constants, but types of 0 are given");
    expect_error("{ lambda ; a.\n  let b = sin c\n  in b }", 0, 1, KN_ERROR_VALUE, "line 2, column 15: c is not bound");
    expect_error("{ lambda ; a.\n  let b = sine a\n  in b }", 0, 1, KN_ERROR_VALUE,
                 "line 2, column 11: there is no primitive sine");
    expect_error("{ lambda ; a.\n  let b = squeeze a\n  in b }", 0, 1, KN_ERROR_VALUE,
                 "line 2, column 11: parameter dimensions of squeeze is missing");
    expect_error("{ lambda ; a.\n  let b = sin[ x=3 ] a\n  in b }", 0, 1, KN_ERROR_VALUE,
                 "line 2, column 16: sin has no such parameter");
    expect_error("{ lambda ; a.\n  let b c = sin a\n  in b }", 0, 1, KN_ERROR_VALUE,
                 "line 2, column 13: sin has 1 results, not 2");
    expect_error("{ lambda ; a.\n  let a = sin a\n  in a }", 0, 1, KN_ERROR_VALUE,
                 "line 2, column 7: a is bound twice");
    expect_error("{ lambda ; a.\n  let\n  in a } }", 0, 1, KN_ERROR_VALUE, "line 3, column 10: text behind the jaxpr");
}

/* Cut and changed texts give an error or a sound jaxpr. */
static void mutated_texts_do_no_harm(void **state)
{
    (void)state;
    static const char text[] = "{ lambda e ; a b.\n"
                               "  let c = xla_call[ backend=None\n"
                               "                    call_jaxpr={ lambda ; a b.\n"
                               "                                 let c = add a 1.0\n"
                               "                                     d = mul c b\n"
                               "                                 in d }\n"
                               "                    device=None\n"
                               "                    name=f ] a b\n"
                               "      d = reduce_sum[ axes=(0,)\n"
                               "                      input_shape=(8,) ] c\n"
                               "      f = add d e\n"
                               "  in (d, f) }";
    kni_type scalar = SCALAR(F32), in[] = {TYPE(F32, 8), TYPE(F32, 8)};
    static const char put[] = " ab(){}[];.=1-j\n"; /* and the end */
    char copy[sizeof text];
    for (size_t i = 0; i < sizeof text - 1; i++)
        for (size_t k = 0; k < sizeof put; k++) {
            kni_jaxpr *j;
            memcpy(copy, text, sizeof text);
            copy[i] = put[k];
            knx_error *e = kni_parse_classic(copy, 1, &scalar, 2, in, &j);
            if (!e)
                assert_null(kni_check(j));
            kni_release(j);
            knx_error_release(e);
        }
}

KN_TEST_GROUP(test_ir_parse_classic)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_example_of_the_document, setup, teardown),
        cmocka_unit_test_setup_teardown(constants_and_several_results, setup, teardown),
        cmocka_unit_test_setup_teardown(a_call, setup, teardown),
        cmocka_unit_test_setup_teardown(dtypes_of_literals, setup, teardown),
        cmocka_unit_test_setup_teardown(dimension_numbers_and_padding, setup, teardown),
        cmocka_unit_test_setup_teardown(errors_say_where, setup, teardown),
        cmocka_unit_test_setup_teardown(mutated_texts_do_no_harm, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
