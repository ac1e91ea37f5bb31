/* SPDX-License-Identifier: Apache-2.0
 * test_prim_rows.c -- elementwise, shape and reduction rows: what their type rules accept and refuse, and that rules survive
 * without memory. */
#include "support/group.h"
#include "support/row_text.h"

static void every_row_is_complete(void **state)
{
    (void)state;
    for (const kni_prim *const *p = kni_prims; *p; p++) {
        const char *fault = kni_prim_fault(*p);
        if (fault)
            print_error("%s: %s\n", (*p)->name, fault);
        assert_null(fault);
    }
}

/* Types */

static void elementwise_types_join(void **state)
{
    (void)state;
    EXPECT_TYPE(add, NULL, OPERANDS("f32[3]", "f32[3]"), "f32[3]");
    EXPECT_TYPE(add, NULL, OPERANDS("f32[]", "f32[0,2]"), "f32[0,2]");
    EXPECT_TYPE(add, NULL, OPERANDS("bool[2]", "bool[2]"), "bool[2]");
    EXPECT_TYPE(add, NULL, OPERANDS("f32[3]", "f32[4]"),
                "TypeError: got incompatible shapes for broadcasting: (3,), (4,)");
    EXPECT_TYPE(add, NULL, OPERANDS("f32[1]", "f32[4]"),
                "TypeError: got incompatible shapes for broadcasting: (1,), (4,)");
    EXPECT_TYPE(add, NULL, OPERANDS("f32[3]", "i32[3]"),
                "TypeError: requires arguments to have the same dtypes, got float32, int32");
    EXPECT_TYPE(sub, NULL, OPERANDS("bool[3]", "bool[3]"), "TypeError: does not accept dtype bool");
    EXPECT_TYPE(sin, NULL, OPERANDS("i32[3]"), "TypeError: does not accept dtype int32");
    EXPECT_TYPE(erf_inv, NULL, OPERANDS("c64[3]"), "TypeError: does not accept dtype complex64");
    EXPECT_TYPE(abs, NULL, OPERANDS("c128[3]"), "f64[3]");
    EXPECT_TYPE(neg, NULL, OPERANDS("c128[3]"), "c128[3]");
    EXPECT_TYPE(neg, NULL, OPERANDS("u8[]"), "u8[]");
    EXPECT_TYPE(lt, NULL, OPERANDS("bf16[3]", "bf16[]"), "bool[3]");
    EXPECT_TYPE(and, NULL, OPERANDS("f32[3]", "f32[3]"), "TypeError: does not accept dtype float32");
    EXPECT_TYPE(shift_left, NULL, OPERANDS("bool[3]", "bool[3]"), "TypeError: does not accept dtype bool");
    EXPECT_TYPE(integer_pow, &(kni_p_integer_pow){-1}, OPERANDS("i32[3]"),
                "ValueError: Integers to negative integer powers are not allowed.");
    EXPECT_TYPE(integer_pow, &(kni_p_integer_pow){-1}, OPERANDS("f16[3]"), "f16[3]");
    EXPECT_TYPE(real, NULL, OPERANDS("c64[2]"), "f32[2]");
    EXPECT_TYPE(real, NULL, OPERANDS("f32[2]"), "TypeError: does not accept dtype float32");
    EXPECT_TYPE(complex, NULL, OPERANDS("f64[]", "f64[2]"), "c128[2]");
    EXPECT_TYPE(complex, NULL, OPERANDS("f16[2]", "f16[2]"), "TypeError: does not accept dtype float16");
}

static void weakness_needs_all_operands(void **state)
{
    (void)state;
    kni_type x[] = {kni_scalar_type(KN_DT(F32)), kni_scalar_type(KN_DT(F32))}, y;
    kni_rule r = {.n_in = 2, .n_out = 1, .xt = x};
    x[0].weak = true;
    assert_null(knp_prim_mul.type(&r, &y));
    assert_false(y.weak);
    x[1].weak = true;
    assert_null(knp_prim_mul.type(&r, &y));
    assert_true(y.weak);
    assert_null(knp_prim_lt.type(&r, &y));
    assert_false(y.weak);
}

static void choices_and_conversions_have_types(void **state)
{
    (void)state;
    EXPECT_TYPE(select_n, NULL, OPERANDS("bool[]", "f32[3]", "f32[3]"), "f32[3]");
    EXPECT_TYPE(select_n, NULL, OPERANDS("bool[3]", "key<fry>[]", "key<fry>[]"), "key<fry>[3]");
    EXPECT_TYPE(select_n, NULL, OPERANDS("i32[3]", "f32[3]", "f32[]", "f32[3]"), "f32[3]");
    EXPECT_TYPE(select_n, NULL, OPERANDS("f32[3]", "f32[3]", "f32[3]"),
                "TypeError: `which` must be boolean or int32 type, got float32");
    EXPECT_TYPE(select_n, NULL, OPERANDS("bool[]", "f32[]", "f32[]", "f32[]"),
                "TypeError: with boolean `which` cannot have 3 cases");
    EXPECT_TYPE(select_n, NULL, OPERANDS("bool[2]", "f32[3]", "f32[3]"),
                "TypeError: `which` must be scalar or have the same shape as cases, got `which` shape (2,) but case "
                "shape (3,)");
    EXPECT_TYPE(select_n, NULL, OPERANDS("bool[]"), "TypeError: must have at least one case");
    EXPECT_TYPE(convert_element_type, &(kni_p_convert){.new_dtype = KN_DT(I8)}, OPERANDS("c64[3]"), "i8[3]");
    EXPECT_TYPE(convert_element_type, &(kni_p_convert){.new_dtype = KN_DT(I8)}, OPERANDS("key<fry>[3]"),
                "TypeError: cannot convert key<fry> to int8");
    EXPECT_TYPE(bitcast_convert_type, &(kni_p_bitcast){KN_DT(U16)}, OPERANDS("bf16[3]"), "u16[3]");
    EXPECT_TYPE(bitcast_convert_type, &(kni_p_bitcast){KN_DT(U32)}, OPERANDS("bf16[3]"),
                "ValueError: cannot see the bits of bfloat16 as uint32: their sizes differ");
}

static void views_have_types(void **state)
{
    (void)state;
    kni_p_broadcast_in_dim up = {INTS(2, 0, 3), INTS(1, 2)}, down = {INTS(3, 2), INTS(1, 0)}, out = {INTS(3), INTS(1)};
    EXPECT_TYPE(broadcast_in_dim, &up, OPERANDS("f32[1,3]"), "f32[2,0,3]");
    EXPECT_TYPE(broadcast_in_dim, &up, OPERANDS("f32[2,3]"),
                "ValueError: cannot broadcast shape (2,3) to shape (2,0,3)");
    EXPECT_TYPE(broadcast_in_dim, &up, OPERANDS("f32[3]"),
                "TypeError: broadcast_dimensions must have length equal to the number of axes 1, got 2");
    EXPECT_TYPE(broadcast_in_dim, &down, OPERANDS("f32[2,3]"),
                "ValueError: broadcast_dimensions must be strictly increasing");
    EXPECT_TYPE(broadcast_in_dim, &out, OPERANDS("f32[3]"),
                "AxisError: axis 1 is out of bounds for array of dimension 1");
    EXPECT_TYPE(reshape, &(kni_p_reshape){INTS(3, 2)}, OPERANDS("key<fry>[6]"), "key<fry>[3,2]");
    EXPECT_TYPE(reshape, &(kni_p_reshape){NO_INTS}, OPERANDS("f32[1,1]"), "f32[]");
    EXPECT_TYPE(reshape, &(kni_p_reshape){INTS(0, 5)}, OPERANDS("f32[3,0]"), "f32[0,5]");
    EXPECT_TYPE(reshape, &(kni_p_reshape){INTS(4)}, OPERANDS("f32[6]"),
                "ValueError: cannot reshape array of size 6 into shape (4,)");
    EXPECT_TYPE(squeeze, &(kni_p_dims){INTS(0, 2)}, OPERANDS("f32[1,3,1]"), "f32[3]");
    EXPECT_TYPE(squeeze, &(kni_p_dims){INTS(1)}, OPERANDS("f32[1,3]"),
                "ValueError: cannot select an axis to squeeze out which has size not equal to one");
    EXPECT_TYPE(transpose, &(kni_p_transpose){INTS(2, 0, 1)}, OPERANDS("f32[2,3,4]"), "f32[4,2,3]");
    EXPECT_TYPE(transpose, &(kni_p_transpose){INTS(1, 0)}, OPERANDS("f32[2]"), "ValueError: axes don't match array");
    EXPECT_TYPE(transpose, &(kni_p_transpose){INTS(1, 1)}, OPERANDS("f32[2,2]"),
                "ValueError: duplicate value in 'axis'");
    EXPECT_TYPE(rev, &(kni_p_dims){INTS(2)}, OPERANDS("f32[2,2]"),
                "AxisError: axis 2 is out of bounds for array of dimension 2");
    EXPECT_TYPE(slice, (&(kni_p_slice){INTS(7), INTS(1), INTS(3)}), OPERANDS("f32[8]"), "f32[2]");
    EXPECT_TYPE(slice, (&(kni_p_slice){INTS(3), INTS(3), NO_INTS}), OPERANDS("f32[3]"), "f32[0]");
    EXPECT_TYPE(slice, (&(kni_p_slice){INTS(4), INTS(3), NO_INTS}), OPERANDS("f32[3]"),
                "ValueError: start index 3 and limit index 4 do not fit axis 0 of size 3");
    EXPECT_TYPE(slice, (&(kni_p_slice){INTS(3), INTS(0), INTS(0)}), OPERANDS("f32[3]"),
                "ValueError: strides must be positive, got 0");
}

static void assembled_arrays_have_types(void **state)
{
    (void)state;
    kni_p_concatenate second = {1};
    EXPECT_TYPE(concatenate, &second, OPERANDS("f32[2,3]", "f32[2,0]", "f32[2,1]"), "f32[2,4]");
    EXPECT_TYPE(concatenate, &second, OPERANDS("f32[2,3]", "f32[1,3]"),
                "ValueError: all the input array dimensions except for the concatenation axis must match exactly, but "
                "along dimension 0, "
                "the array at index 0 has size 2 and the array at index 1 has size 1");
    EXPECT_TYPE(concatenate, &second, OPERANDS("f32[2]"),
                "AxisError: axis 1 is out of bounds for array of dimension 1");
    EXPECT_TYPE(concatenate, &second, OPERANDS("f32[]"), "ValueError: zero-dimensional arrays cannot be concatenated");
    EXPECT_TYPE(concatenate, &second, OPERANDS(), "ValueError: need at least one array to concatenate");
    EXPECT_TYPE(pad, (&(kni_p_pad){INTS(1), INTS(-2), INTS(2)}), OPERANDS("f32[3]", "f32[]"), "f32[6]");
    EXPECT_TYPE(pad, (&(kni_p_pad){INTS(1), INTS(1), INTS(2)}), OPERANDS("f32[0]", "f32[]"), "f32[2]");
    EXPECT_TYPE(pad, (&(kni_p_pad){INTS(-2), INTS(-2), INTS(0)}), OPERANDS("f32[3]", "f32[]"),
                "ValueError: dimension size after padding is not at least 0, got result shape (-1,)");
    EXPECT_TYPE(pad, (&(kni_p_pad){INTS(INT64_MAX), INTS(1), INTS(0)}), OPERANDS("f32[3]", "f32[]"),
                "MemoryError: axis 0 is too large with its padding of 9223372036854775807, 1 and 0 in between");
    EXPECT_TYPE(iota, (&(kni_p_iota){1, KN_DT(I32), INTS(2, 3)}), OPERANDS(), "i32[2,3]");
    EXPECT_TYPE(iota, (&(kni_p_iota){2, KN_DT(I32), INTS(2, 3)}), OPERANDS(),
                "AxisError: axis 2 is out of bounds for array of dimension 2");
}

static void a_dimension_as_a_value_is_an_int64_scalar(void **state)
{
    (void)state;
    EXPECT_TYPE(dim_as_value, &(kni_p_dim){.dim = 7}, OPERANDS(), "i64[]");
}

static void reductions_have_types(void **state)
{
    (void)state;
    kni_p_reduce first = {INTS(0)}, none = {NO_INTS};
    EXPECT_TYPE(reduce_sum, &first, OPERANDS("f32[0,3]"), "f32[3]");
    EXPECT_TYPE(reduce_sum, &none, OPERANDS("f32[]"), "f32[]");
    EXPECT_TYPE(reduce_sum, &first, OPERANDS("f32[]"), "AxisError: axis 0 is out of bounds for array of dimension 0");
    EXPECT_TYPE(reduce_max, &first, OPERANDS("f32[0,3]"),
                "ValueError: zero-size array to reduction operation maximum which has no identity");
    EXPECT_TYPE(reduce_min, &first, OPERANDS("f32[0]"),
                "ValueError: zero-size array to reduction operation minimum which has no identity");
    EXPECT_TYPE(reduce_max, &first, OPERANDS("f32[3,0]"), "f32[0]");
    EXPECT_TYPE(reduce_max, &first, OPERANDS("c64[3]"), "TypeError: does not accept dtype complex64");
    EXPECT_TYPE(reduce_and, &first, OPERANDS("f32[3]"), "TypeError: does not accept dtype float32");
    EXPECT_TYPE(argmax, (&(kni_p_argreduce){INTS(1), KN_DT(I64)}), OPERANDS("c64[2,3]"), "i64[2]");
    EXPECT_TYPE(argmax, (&(kni_p_argreduce){INTS(0), KN_DT(I64)}), OPERANDS("f32[0]"),
                "ValueError: attempt to get argmax of an empty sequence");
    EXPECT_TYPE(argmin, (&(kni_p_argreduce){INTS(0), KN_DT(F32)}), OPERANDS("f32[1]"),
                "TypeError: the index dtype must be an integer, got float32");
}

/* Whatever allocation fails, a rule says so, or did not need it. */
typedef char *rule_text(const kni_prim *p, const void *params, const char *const *text);
static void survives(rule_text *rule, const kni_prim *p, const void *params, const char *const *text)
{
    char *whole = rule(p, params, text);
    bool enough = false;
    for (failing = 0; !enough; failing++) {
        int64_t live = knx_alloc_live();
        char *got = rule(p, params, text);
        enough = !strcmp(got, whole);
        if (!enough)
            assert_int_equal(strncmp(got, "out of memory", 13), 0);
        assert_int_equal(knx_alloc_live(), live);
        assert_true(failing < 1000);
        free(got);
    }
    failing = -1;
    free(whole);
}

static void rules_survive_without_memory(void **state)
{
    (void)state;
    kni_p_pad p = {INTS(1), INTS(2), INTS(0)};
    survives(jvp, &knp_prim_sign, NULL, OPERANDS("*c64[2]"));
    survives(jvp, &knp_prim_pow, NULL, OPERANDS("*f32[2]", "*f32[]"));
    survives(jvp, &knp_prim_select_n, NULL, OPERANDS("bool[]", "*f32[2]", "f32[2]"));
    survives(jvp, &knp_prim_reduce_max, &(kni_p_reduce){INTS(1)}, OPERANDS("*f32[2,3]"));
    survives(transposed, &knp_prim_select_n, NULL, OPERANDS("bool[2]", "*f32[2]", "*f32[]"));
    survives(transposed, &knp_prim_concatenate, &(kni_p_concatenate){1},
             OPERANDS("*f32[2,1]", "f32[2,2]", "*f32[2,3]"));
    survives(transposed, &knp_prim_pad, &p, OPERANDS("*f32[3]", "*f32[]"));
    survives(transposed, &knp_prim_broadcast_in_dim, (&(kni_p_broadcast_in_dim){INTS(4, 2, 3), INTS(1, 2)}),
             OPERANDS("*f32[1,3]"));
    survives(batched, &knp_prim_add, NULL, OPERANDS("*0 f32[5]", "*1 f32[3,5]"));
    survives(batched, &knp_prim_pad, &p, OPERANDS("*1 f32[3,5]", "*0 f32[5]"));
    survives(batched, &knp_prim_concatenate, &(kni_p_concatenate){0}, OPERANDS("f32[2]", "*1 f32[3,5]"));
    survives(batched, &knp_prim_transpose, &(kni_p_transpose){INTS(1, 0)}, OPERANDS("*1 f32[2,5,3]"));
    survives(batched, &knp_prim_reshape, &(kni_p_reshape){INTS(6)}, OPERANDS("*2 f32[2,3,5]"));
}

KN_TEST_GROUP(test_prim_rows)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_complete),
        cmocka_unit_test(elementwise_types_join),
        cmocka_unit_test(weakness_needs_all_operands),
        cmocka_unit_test(choices_and_conversions_have_types),
        cmocka_unit_test(views_have_types),
        cmocka_unit_test(assembled_arrays_have_types),
        cmocka_unit_test(a_dimension_as_a_value_is_an_int64_scalar),
        cmocka_unit_test(reductions_have_types),
        cmocka_unit_test(rules_survive_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
