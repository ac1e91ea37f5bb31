/* SPDX-License-Identifier: Apache-2.0
 * test_ir_print.c -- the printed forms of jaxprs: typed texts as JAX prints them, the classic form. */
#include "ir/ops.h"
#include "ir/prim.h"
#include "support/group.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define SHAPE(...) \
    (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[]) { __VA_ARGS__ }
#define F32(...)  kni_type_of(KN_DT(F32), SHAPE(__VA_ARGS__))
#define SCALAR(D) kni_scalar_type(KN_DT(D))

static kni_jaxpr *finish(kni_builder *b, int n, const kni_atom *out, const char *name)
{
    kni_jaxpr *j;
    knx_error *e = knb_finish(b, n, out, name, false, &j);
    if (e)
        fail_msg("%s", e->message);
    e = kni_check(j);
    if (e)
        fail_msg("%s", e->message);
    return j;
}

static void expect_text(kni_jaxpr *j, kni_jaxpr_form form, const char *expected)
{
    char *text;
    assert_null(kni_text(j, form, &text));
    assert_string_equal(text, expected);
    knx_free(text);
    kni_release(j);
}

static void the_example_of_the_document(void **state)
{
    (void)state;
    for (int form = 0; form < 2; form++) {
        kni_builder b;
        knb_init(&b);
        kni_atom x = knb_invar(&b, F32(8)), y = knb_invar(&b, F32(8));
        kni_atom c = knb_sin(&b, y), d = knb_mul(&b, c, knb_number(&b, KN_DT(F32), 3));
        kni_atom s = knb_reduce_sum(&b, knb_add(&b, x, d), SHAPE(0));
        expect_text(finish(&b, 1, &s, "f"), form ? KN_FORM_TYPED : KN_FORM_CLASSIC,
                    form ? "{ lambda ; a:f32[8] b:f32[8]. let\n"
                           "    c:f32[8] = sin b\n"
                           "    d:f32[8] = mul c 3.0:f32[]\n"
                           "    e:f32[8] = add a d\n"
                           "    f:f32[] = reduce_sum[axes=(0,) out_sharding=None] e\n"
                           "  in (f,) }"
                         : "{ lambda ; a b.\n"
                           "  let c = sin b\n"
                           "      d = mul c 3.0\n"
                           "      e = add a d\n"
                           "      f = reduce_sum[ axes=(0,)\n"
                           "                      input_shape=(8,) ] e\n"
                           "  in f }");
    }
}

/* Samples of JAX's own tests. */

static void constants_and_literals_as_results(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom y = knb_invar(&b, SCALAR(F32)), x = knb_constvar(&b, F32(1));
    kni_atom out[] = {y, knb_number(&b, KN_DT(F32), 1), x};
    expect_text(finish(&b, 3, out, ""), KN_FORM_TYPED, "{ lambda a:f32[1]; b:f32[]. let  in (b, 1.0:f32[], a) }");
}

static kni_jaxpr *square(const char *name)
{
    kni_builder b;
    knb_init(&b);
    kni_atom y = knb_integer_pow(&b, knb_invar(&b, F32(1)), 2);
    return finish(&b, 1, &y, name);
}

static kni_atom call(kni_builder *b, const char *name, kni_jaxpr *j, kni_atom x)
{
    kni_atom out;
    knb_jit(b, name, j, 0, &x, &out);
    return out;
}

static void a_shared_jaxpr_is_printed_once(void **state)
{
    (void)state;
    kni_builder b;
    kni_jaxpr *f = square("f");
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(1));
    kni_atom first = call(&b, "<lambda>", f, x), y = knb_add(&b, first, call(&b, "<lambda>", f, x));
    kni_jaxpr *g = finish(&b, 1, &y, "g");
    x = knb_invar(&b, F32(1));
    y = call(&b, "<lambda>", g, x);
    expect_text(finish(&b, 1, &y, ""), KN_FORM_TYPED,
                "let lambda = { lambda ; a:f32[1]. let b:f32[1] = integer_pow[y=2] a in (b,) } in\n"
                "{ lambda ; c:f32[1]. let\n"
                "    d:f32[1] = jit[\n"
                "      name=<lambda>\n"
                "      jaxpr={ lambda ; c:f32[1]. let\n"
                "          e:f32[1] = jit[name=<lambda> jaxpr=lambda] c\n"
                "          f:f32[1] = jit[name=<lambda> jaxpr=lambda] c\n"
                "          d:f32[1] = add e f\n"
                "        in (d,) }\n"
                "    ] c\n"
                "  in (d,) }");
    kni_release(f);
    kni_release(g);
}

static void literals_come_out_of_calls(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(1)), out[] = {knb_integer(&b, KN_DT(I32), 2), x};
    kni_jaxpr *f = finish(&b, 2, out, "");
    x = knb_invar(&b, F32(1));
    knb_jit(&b, "<lambda>", f, 0, &x, out);
    expect_text(finish(&b, 2, out, ""), KN_FORM_TYPED,
                "{ lambda ; a:f32[1]. let\n"
                "    b:i32[] c:f32[1] = jit[\n"
                "      name=<lambda>\n"
                "      jaxpr={ lambda ; a:f32[1]. let  in (2:i32[], a) }\n"
                "    ] a\n"
                "  in (b, c) }");
    kni_release(f);
}

static void one_operand_lends_its_name_once(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(1)), y = knb_invar(&b, F32(1)), z = knb_invar(&b, F32(1));
    kni_atom out = knb_mul(&b, knb_mul(&b, x, y), z);
    kni_jaxpr *f = finish(&b, 1, &out, "");
    x = knb_invar(&b, F32(1));
    knb_jit(&b, "<lambda>", f, 0, (kni_atom[]){x, x, x}, &out);
    expect_text(finish(&b, 1, &out, ""), KN_FORM_TYPED,
                "{ lambda ; a:f32[1]. let\n"
                "    b:f32[1] = jit[\n"
                "      name=<lambda>\n"
                "      jaxpr={ lambda ; a:f32[1] c:f32[1] d:f32[1]. let\n"
                "          e:f32[1] = mul a c\n"
                "          b:f32[1] = mul e d\n"
                "        in (b,) }\n"
                "    ] a a a\n"
                "  in (b,) }");
    kni_release(f);
}

static kni_jaxpr *identity(int64_t n)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(n));
    return finish(&b, 1, &x, "f");
}

static void names_of_shared_jaxprs_do_not_clash(void **state)
{
    (void)state;
    kni_builder b;
    kni_jaxpr *f = identity(1), *f1 = identity(2);
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(1)), y = knb_invar(&b, F32(2)), out;
    kni_atom g = call(&b, "f", f, x), h = call(&b, "f", f, x), i = knb_mul(&b, g, h);
    kni_atom j = call(&b, "f", f1, y), k = call(&b, "f", f1, y), l = knb_mul(&b, j, k);
    out = knb_add(&b, knb_broadcast_to(&b, i, F32(2)), l);
    kni_jaxpr *inner = finish(&b, 1, &out, "g");
    kni_atom in[] = {knb_invar(&b, F32(1)), knb_invar(&b, F32(2))};
    knb_jit(&b, "g", inner, 0, in, &out);
    expect_text(finish(&b, 1, &out, ""), KN_FORM_TYPED,
                "let f = { lambda ; a:f32[1]. let  in (a,) } in\n"
                "let f1 = { lambda ; b:f32[2]. let  in (b,) } in\n"
                "{ lambda ; c:f32[1] d:f32[2]. let\n"
                "    e:f32[2] = jit[\n"
                "      name=g\n"
                "      jaxpr={ lambda ; c:f32[1] d:f32[2]. let\n"
                "          g:f32[1] = jit[name=f jaxpr=f] c\n"
                "          h:f32[1] = jit[name=f jaxpr=f] c\n"
                "          i:f32[1] = mul g h\n"
                "          j:f32[2] = jit[name=f jaxpr=f1] d\n"
                "          k:f32[2] = jit[name=f jaxpr=f1] d\n"
                "          l:f32[2] = mul j k\n"
                "          m:f32[2] = broadcast_in_dim[broadcast_dimensions=(0,)] i\n"
                "          e:f32[2] = add m l\n"
                "        in (e,) }\n"
                "    ] c d\n"
                "  in (e,) }");
    kni_release(f);
    kni_release(f1);
    kni_release(inner);
}

static void long_jaxprs_are_printed_in_front(void **state)
{
    (void)state;
    for (int n = 10; n <= 11; n++) {
        kni_builder b;
        char *text;
        knb_init(&b);
        kni_atom x = knb_invar(&b, SCALAR(F32));
        for (int i = 0; i < n; i++)
            x = knb_sin(&b, x);
        kni_jaxpr *f = finish(&b, 1, &x, "f");
        x = call(&b, "f", f, knb_invar(&b, SCALAR(F32)));
        kni_jaxpr *j = finish(&b, 1, &x, "");
        assert_null(kni_text(j, KN_FORM_TYPED, &text));
        assert_int_equal(!strncmp(text, "let f = ", 8), n > 10);
        knx_free(text);
        kni_release(j);
        kni_release(f);
    }
}

static void unread_results_are_underscores(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(4, 8)), w = knb_invar(&b, F32(8, 2));
    kni_p_dot_general forward = {{1, (int64_t[]){1}}, {1, (int64_t[]){0}}, {0}, {0}, KN_DT(F32)};
    kni_p_dot_general back = {{1, (int64_t[]){0}}, {1, (int64_t[]){0}}, {0}, {0}, KN_DT(F32)};
    knb_reduce_sum(&b, knb_dot_general(&b, x, w, &forward), SHAPE(1, 0));
    kni_atom e = knb_dot_general(&b, knb_full(&b, F32(4, 2), 1), x, &back);
    kni_atom y = knb_transpose(&b, e, (int64_t[]){1, 0});
    expect_text(finish(&b, 1, &y, ""), KN_FORM_TYPED,
                "{ lambda ; a:f32[4,8] b:f32[8,2]. let\n"
                "    c:f32[4,2] = dot_general[\n"
                "      dimension_numbers=(([1], [0]), ([], []))\n"
                "      preferred_element_type=float32\n"
                "    ] a b\n"
                "    _:f32[] = reduce_sum[axes=(0, 1) out_sharding=None] c\n"
                "    d:f32[4,2] = broadcast_in_dim 1.0:f32[]\n"
                "    e:f32[2,8] = dot_general[\n"
                "      dimension_numbers=(([0], [0]), ([], []))\n"
                "      preferred_element_type=float32\n"
                "    ] d a\n"
                "    f:f32[8,2] = transpose[permutation=(1, 0)] e\n"
                "  in (f,) }");
}

static void binders_pass_column_80_before_they_break(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom a = knb_invar(&b, SCALAR(I32));
    for (int i = 1; i < 10; i++)
        knb_invar(&b, SCALAR(I32));
    kni_atom k = knb_convert(&b, a, KN_DT(F32));
    expect_text(finish(&b, 1, &k, ""), KN_FORM_TYPED,
                "{ lambda ; a:i32[] b:i32[] c:i32[] d:i32[] e:i32[] f:i32[] g:i32[] h:i32[] i:i32[]\n"
                "    j:i32[]. let\n"
                "    k:f32[] = convert_element_type[new_dtype=float32 weak_type=False] a\n"
                "  in (k,) }");
}

static void the_27th_name_is_ba(void **state)
{
    (void)state;
    kni_builder b;
    char *text;
    knb_init(&b);
    kni_atom x = knb_invar(&b, SCALAR(F32));
    for (int i = 0; i < 27; i++)
        x = knb_neg(&b, x);
    kni_jaxpr *j = finish(&b, 1, &x, "");
    assert_null(kni_text(j, KN_FORM_TYPED, &text));
    assert_non_null(strstr(text, "\n    z:f32[] = neg y\n    ba:f32[] = neg z\n    bb:f32[] = neg ba\n  in (bb,) }"));
    knx_free(text);
    kni_release(j);
}

/* One equation's text in the typed form. */
static void expect_equation(kni_builder *b, kni_atom y, const char *expected)
{
    char *text, *start, *end;
    kni_jaxpr *j = finish(b, 1, &y, "");
    assert_null(kni_text(j, KN_FORM_TYPED, &text));
    start = strstr(text, " = ");
    assert_non_null(start);
    end = strstr(start, " in (");
    assert_non_null(end);
    end -= end[-1] == ' ' && end[-2] == '\n' ? 2 : 0;
    *end = '\0';
    assert_string_equal(start + 3, expected);
    knx_free(text);
    kni_release(j);
}

static void parameters_print_as_in_python(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    expect_equation(&b, knb_reduce_max(&b, knb_invar(&b, F32(2)), SHAPE(0)), "reduce_max[axes=(0,)] a");
    expect_equation(&b, knb_reduce_or(&b, knb_invar(&b, kni_type_of(KN_DT(BOOL), SHAPE(2))), SHAPE(0)),
                    "reduce_or[axes=(0,)] a");
    expect_equation(&b, knb_argmax(&b, knb_invar(&b, F32(2)), 0, KN_DT(I32)), "argmax[axes=(0,) index_dtype=int32] a");
    expect_equation(&b, knb_reshape(&b, knb_invar(&b, F32(4)), SHAPE(2, 2)),
                    "reshape[dimensions=None new_sizes=(2, 2) sharding=None] a");
    expect_equation(&b, knb_slice(&b, knb_invar(&b, F32(4)), (int64_t[]){1}, (int64_t[]){3}, NULL),
                    "slice[limit_indices=(3,) start_indices=(1,) strides=None] a");
    expect_equation(&b, knb_slice(&b, knb_invar(&b, F32(4)), (int64_t[]){1}, (int64_t[]){3}, (int64_t[]){2}),
                    "slice[limit_indices=(3,) start_indices=(1,) strides=(2,)] a");
    expect_equation(&b, knb_iota(&b, KN_DT(I32), SHAPE(3), 0),
                    "iota[dimension=0 dtype=int32 shape=(3,) sharding=None] ");
    expect_equation(&b, knb_squeeze(&b, knb_invar(&b, F32(1, 2)), SHAPE(0)), "squeeze[dimensions=(0,)] a");
    expect_equation(&b, knb_rev(&b, knb_invar(&b, F32(2)), SHAPE(0)), "rev[dimensions=(0,)] a");
    expect_equation(&b, knb_bitcast(&b, knb_invar(&b, F32(2)), KN_DT(U32)), "bitcast_convert_type[new_dtype=uint32] a");
    kni_atom x = knb_invar(&b, F32(2));
    expect_equation(&b, knb_pad(&b, x, knb_number(&b, KN_DT(F32), 0), (int64_t[]){-1}, (int64_t[]){2}, NULL),
                    "pad[padding_config=((-1, 2, 0),)] a 0.0:f32[]");
    x = knb_invar(&b, F32(2));
    expect_equation(&b, knb_concatenate(&b, 2, (kni_atom[]){x, x}, 0), "concatenate[dimension=0] a a");
    x = knb_invar(&b, kni_type_of(KN_DT(KEY), 0, NULL));
    expect_equation(&b, knb_random_bits(&b, x, 32, SHAPE(3)), "random_bits[bit_width=32 shape=(3,)] a");
    x = knb_invar(&b, kni_type_of(KN_DT(U32), SHAPE(2)));
    expect_equation(&b, knb_random_wrap(&b, x), "random_wrap[impl=fry] a");
    x = knb_invar(&b, F32(2));
    kni_p_sort sort = {0, 1, true};
    kni_atom y = KN_ATOM_NONE;
    knb_emit(&b, &knp_prim_sort, &sort, 1, &x, &y, 1);
    expect_equation(&b, y, "sort[dimension=0 is_stable=True num_keys=1] a");
    knb_free(&b);
}

static void indexing_prints_its_dimension_numbers(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    int64_t zero[] = {0}, one[] = {1}, sizes[] = {1, 3};
    kni_p_gather take = {.offset_dims = {1, one},
                         .collapsed_slice_dims = {1, zero},
                         .start_index_map = {1, zero},
                         .slice_sizes = {2, sizes},
                         .mode = KN_GATHER_PROMISE,
                         .unique_indices = true};
    kni_atom x = knb_invar(&b, F32(5, 3)), i = knb_invar(&b, kni_type_of(KN_DT(I32), SHAPE(2, 1)));
    expect_equation(&b, knb_gather(&b, x, i, &take),
                    "gather[\n"
                    "      dimension_numbers=GatherDimensionNumbers(offset_dims=(1,), collapsed_slice_dims=(0,), "
                    "start_index_map=(0,), operand_batching_dims=(), start_indices_batching_dims=())\n"
                    "      fill_value=None\n"
                    "      indices_are_sorted=False\n"
                    "      mode=GatherScatterMode.PROMISE_IN_BOUNDS\n"
                    "      slice_sizes=(1, 3)\n"
                    "      unique_indices=True\n"
                    "    ] a b");
    kni_p_scatter put = {.update_window_dims = {1, one},
                         .inserted_window_dims = {1, zero},
                         .scatter_dims_to_operand_dims = {1, zero},
                         .mode = KN_GATHER_FILL};
    x = knb_invar(&b, F32(5, 3)), i = knb_invar(&b, kni_type_of(KN_DT(I32), SHAPE(2, 1)));
    expect_equation(
        &b, knb_scatter_add(&b, x, i, knb_invar(&b, F32(2, 3)), &put),
        "scatter-add[\n"
        "      dimension_numbers=ScatterDimensionNumbers(update_window_dims=(1,), inserted_window_dims=(0,), "
        "scatter_dims_to_operand_dims=(0,), operand_batching_dims=(), scatter_indices_batching_dims=())\n"
        "      indices_are_sorted=False\n"
        "      mode=GatherScatterMode.FILL_OR_DROP\n"
        "      unique_indices=False\n"
        "      update_consts=()\n"
        "      update_jaxpr=None\n"
        "    ] a b c");
    knb_free(&b);
}

static void literals_print_as_python_numbers(void **state)
{
    (void)state;
    static const struct {
        knx_dtype_id dtype;
        double v;
        const char *text;
    } cases[] = {
        {KN_ID_F32, 0.1, "0.10000000149011612:f32[]"},
        {KN_ID_F64, 0.1, "0.1:f64[]"},
        {KN_ID_F32, -0.0, "-0.0:f32[]"},
        {KN_ID_F16, 1e-7, "1.1920928955078125e-07:f16[]"},
        {KN_ID_BF16, 0.1, "0.10009765625:bf16[]"},
        {KN_ID_F32, __builtin_inf(), "inf:f32[]"},
        {KN_ID_F64, -__builtin_inf(), "-inf:f64[]"},
        {KN_ID_F32, __builtin_nan(""), "nan:f32[]"},
        {KN_ID_I8, -128, "-128:i8[]"},
        {KN_ID_U8, 255, "255:u8[]"},
        {KN_ID_BOOL, 1, "True:bool[]"},
        {KN_ID_BOOL, 0, "False:bool[]"},
        {KN_ID_C64, 2, "(2+0j):c64[]"},
        {KN_ID_C128, 0, "0j:c128[]"},
        {KN_ID_F64, 1e16, "1e+16:f64[]"},
        {KN_ID_F32, 16777216, "16777216.0:f32[]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kni_builder b;
        char expected[80];
        knb_init(&b);
        kni_atom y = knb_number(&b, &knx_dtype_table[cases[i].dtype], cases[i].v);
        snprintf(expected, sizeof expected, "{ lambda ; . let  in (%s,) }", cases[i].text);
        expect_text(finish(&b, 1, &y, ""), KN_FORM_TYPED, expected);
    }
}

/* The classic form */

static void constants_are_named_when_first_used(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom d = knb_constvar(&b, F32(8)), e = knb_constvar(&b, F32(8)), x = knb_invar(&b, F32(8));
    kni_atom y = knb_sub(&b, knb_add(&b, x, d), e);
    expect_text(finish(&b, 1, &y, ""), KN_FORM_CLASSIC,
                "{ lambda b d ; a.\n"
                "  let c = add a b\n"
                "      e = sub c d\n"
                "  in e }");
}

static void calls_are_xla_calls_and_begin_names_again(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom p = knb_invar(&b, F32(1)), q = knb_invar(&b, SCALAR(F32)), r = knb_invar(&b, SCALAR(F32));
    kni_atom y = knb_add(&b, r, knb_mul(&b, q, p));
    kni_jaxpr *inner = finish(&b, 1, &y, "inner");
    kni_atom x = knb_invar(&b, SCALAR(F32)), c = knb_constvar(&b, F32(1)),
             s = knb_sub(&b, x, knb_number(&b, KN_DT(F32), 2));
    knb_jit(&b, "inner", inner, 2, (kni_atom[]){c, x, s}, &y);
    y = knb_add(&b, x, y);
    expect_text(finish(&b, 1, &y, ""), KN_FORM_CLASSIC,
                "{ lambda b ; a.\n"
                "  let c = sub a 2.0\n"
                "      d = xla_call[ backend=None\n"
                "                    call_jaxpr={ lambda ; c b a.\n"
                "                                 let d = mul b c\n"
                "                                     e = add a d\n"
                "                                 in e }\n"
                "                    device=None\n"
                "                    name=inner ] b a c\n"
                "      e = add a d\n"
                "  in e }");
    kni_release(inner);
}

static void a_body_without_equations(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom out[] = {knb_invar(&b, SCALAR(F32)), knb_integer(&b, KN_DT(I32), 16)};
    expect_text(finish(&b, 2, out, ""), KN_FORM_CLASSIC, "{ lambda ; a.\n  let\n  in (a, 16) }");
    expect_text(finish(&b, 0, NULL, ""), KN_FORM_TYPED, "{ lambda ; . let  in () }");
}

KN_TEST_GROUP(test_ir_print)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_of_the_document),
        cmocka_unit_test(constants_and_literals_as_results),
        cmocka_unit_test(a_shared_jaxpr_is_printed_once),
        cmocka_unit_test(literals_come_out_of_calls),
        cmocka_unit_test(one_operand_lends_its_name_once),
        cmocka_unit_test(names_of_shared_jaxprs_do_not_clash),
        cmocka_unit_test(long_jaxprs_are_printed_in_front),
        cmocka_unit_test(unread_results_are_underscores),
        cmocka_unit_test(binders_pass_column_80_before_they_break),
        cmocka_unit_test(the_27th_name_is_ba),
        cmocka_unit_test(parameters_print_as_in_python),
        cmocka_unit_test(indexing_prints_its_dimension_numbers),
        cmocka_unit_test(literals_print_as_python_numbers),
        cmocka_unit_test(constants_are_named_when_first_used),
        cmocka_unit_test(calls_are_xla_calls_and_begin_names_again),
        cmocka_unit_test(a_body_without_equations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
