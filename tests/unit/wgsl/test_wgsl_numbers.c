/* SPDX-License-Identifier: Apache-2.0
 * test_wgsl_numbers.c -- operations as WGSL: which text an operation is, that all have one, and that a text has the helper
 * functions that it calls. What the texts compute is test_numbers_device.c's. */
#include "kernel/internal.h"
#include "support/group.h"
#include "support/number_case.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 1000 };
static number_case all[MOST];
static int n_all;

/* A device that has all operations, and whose compiler leaves them alone. */
static const knw_facts exact_device = {.exact = (1u << KNW_OPERATIONS) - 1};
static const knw_facts joining_device = {.exact = (1u << KNW_OPERATIONS) - 1, .joins = true};
static const knw_facts poor_device = {.joins = true};
static const knw_facts splitting_device = {.joins = true, .splits_fma = true};
static const knw_facts *const devices[] = {&exact_device, &joining_device, &poor_device};

static knw_unit unit(const knw_facts *f, bool exact)
{
    return (knw_unit){.facts = f, .exact = exact, .hidden = "kn_w[0].z"};
}

static void same_text(knx_str *t, const char *want)
{
    assert_string_equal(t->s ? t->s : "", want);
    knx_str_free(t);
}

/* The text of an operation of values x, y, z. */
static void applies_as(const knw_facts *f, bool exact, knk_op op, int dtype, const char *want)
{
    knw_unit u = unit(f, exact);
    knx_str t = {0};
    knw_apply(&u, &t, op, dtype, "x", "y", "z");
    same_text(&t, want);
}

static void constant_is(const knw_facts *f, bool exact, int dtype, uint64_t bits, const char *want)
{
    knw_unit u = unit(f, exact);
    knx_str t = {0};
    knw_const(&u, &t, dtype, bits);
    same_text(&t, want);
}

/* ---- texts ---- */

static void simple_operations_read_as_themselves(void **state)
{
    (void)state;
    applies_as(&exact_device, false, KNK_ADD, KN_ID_F32, "(x + y)");
    applies_as(&exact_device, true, KNK_ADD, KN_ID_F32, "(x + y)");
    applies_as(&exact_device, true, KNK_FMA, KN_ID_F32, "fma(x, y, z)");
    applies_as(&poor_device, true, KNK_MUL, KN_ID_I32, "(x * y)");
    applies_as(&poor_device, true, KNK_ADD, KN_ID_U8, "((x + y) & 0xffu)");
    applies_as(&poor_device, true, KNK_ADD, KN_ID_I16, "kn_i16((x + y))");
    applies_as(&poor_device, true, KNK_XOR, KN_ID_U64, "(x ^ y)");
    applies_as(&poor_device, true, KNK_SELECT, KN_ID_F16, "select(z, y, x)");
}

static void results_are_hidden_where_compilers_change_chains(void **state)
{
    (void)state;
    applies_as(&joining_device, true, KNK_MUL, KN_ID_F32, "kn_hide(kn_apart(x) * y)");
    applies_as(&joining_device, false, KNK_SUB, KN_ID_F32, "kn_hide(kn_apart(x) - y)");
    applies_as(&joining_device, false, KNK_SQRT, KN_ID_F32, "kn_hide(sqrt(x))");
    applies_as(&joining_device, false, KNK_MUL, KN_ID_F32, "(x * y)");
    applies_as(&joining_device, false, KNK_LT, KN_ID_F32, "(x < y)");
}

/* Beside another number's sign Mesa's compiler takes abs for something else. */
static void abs_is_a_mask_where_compilers_change_chains(void **state)
{
    (void)state;
    applies_as(&exact_device, false, KNK_ABS, KN_ID_F32, "abs(x)");
    applies_as(&joining_device, false, KNK_ABS, KN_ID_F32, "bitcast<f32>(bitcast<u32>(x) & 0x7fffffffu)");
}

static void fma_is(const knw_facts *f, bool exact, uint8_t sub, const char *want)
{
    knw_unit u = unit(f, exact);
    knx_str t = {0};
    const uint8_t dtype[3] = {KN_ID_F32, KN_ID_F32, KN_ID_F32};
    const char *const operand[3] = {"x", "y", "z"};
    knw_expr(&u, &t, &(knk_inst){.op = KNK_FMA, .dtype = KN_ID_F32, .sub = sub}, dtype, operand);
    same_text(&t, want);
}

/* Where fma rounds the product, an fma that is about the product's last bits is one of our own. */
static void the_residue_of_a_product_is_kept(void **state)
{
    (void)state;
    fma_is(&splitting_device, false, KNW_RESIDUE, "kn_fma(x, y, z)");
    fma_is(&splitting_device, false, 0, "fma(x, y, z)");
    fma_is(&exact_device, false, KNW_RESIDUE, "fma(x, y, z)");
    fma_is(&splitting_device, true, KNW_RESIDUE, "kn_soft_fma(x, y, z)");
}

static void what_the_device_has_not_exactly_is_made_of_integers(void **state)
{
    (void)state;
    applies_as(&poor_device, true, KNK_ADD, KN_ID_F32, "kn_soft_add(x, y)");
    applies_as(&poor_device, true, KNK_LT, KN_ID_F32, "kn_lt_f32(x, y)");
    applies_as(&poor_device, true, KNK_MAX, KN_ID_F32, "select(y, x, kn_lt_f32(y, x))");
}

/* WGSL's != of floats may be false for a NaN, and its % rounds twice: no text has them. */
static void floats_are_told_apart_by_equality(void **state)
{
    (void)state;
    applies_as(&exact_device, false, KNK_NE, KN_ID_F32, "(!(x == y))");
    applies_as(&exact_device, false, KNK_REM, KN_ID_F32, "kn_rem_f32(x, y)");
}

static void a_value_beside_itself_is_a_test_for_nan(void **state)
{
    (void)state;
    knw_unit u = unit(&exact_device, false);
    knx_str t = {0};
    knw_apply(&u, &t, KNK_NE, KN_ID_F32, "x", "x", NULL);
    same_text(&t, "kn_is_nan(x)");
    knw_apply(&u, &t, KNK_EQ, KN_ID_F32, "x", "x", NULL);
    same_text(&t, "(!kn_is_nan(x))");
}

static void a_shift_by_a_constant_is_plain(void **state)
{
    (void)state;
    knw_unit u = unit(&exact_device, true);
    knx_str t = {0};
    knw_apply(&u, &t, KNK_SHR, KN_ID_U32, "x", "13u", NULL);
    same_text(&t, "(x >> 13u)");
    knw_apply(&u, &t, KNK_SHL, KN_ID_I32, "x", "3i", NULL);
    same_text(&t, "(x << u32(3i))");
    knw_apply(&u, &t, KNK_SHR, KN_ID_U32, "x", "32u", NULL); /* would be an error in WGSL */
    same_text(&t, "kn_shr_u32(x, 32u, 32u)");
}

static void constants_are_written_with_all_their_bits(void **state)
{
    (void)state;
    constant_is(&exact_device, true, KN_ID_BOOL, 1, "true");
    constant_is(&exact_device, true, KN_ID_I8, 0x80, "(-128i)");
    constant_is(&exact_device, true, KN_ID_I32, 0x80000000, "i32(-2147483648)");
    constant_is(&exact_device, true, KN_ID_U32, 0xffffffff, "0xffffffffu");
    constant_is(&exact_device, true, KN_ID_U16, 65535, "65535u");
    constant_is(&exact_device, true, KN_ID_I64, 0xfffffffffffffffe, "vec2<u32>(4294967294u, 4294967295u)");
    constant_is(&exact_device, true, KN_ID_BF16, 0x3f80, "0x3f80u");
    constant_is(&exact_device, true, KN_ID_F32, 0xbdcccccd, "(-0.100000001f)");
    constant_is(&exact_device, false, KN_ID_F32, 0x7fc00000, "kn_f32(0x7fc00000u)");
    constant_is(&exact_device, false, KN_ID_F32, 0x80000000, "kn_f32(0x80000000u)");
    constant_is(&exact_device, false, KN_ID_F32, 1, "kn_f32(0x00000001u)");
    constant_is(&joining_device, true, KN_ID_F32, 0x3f800000, "kn_f32(0x3f800000u)");
    constant_is(&joining_device, false, KN_ID_F32, 0x3f800000, "1f");
    constant_is(&joining_device, false, KN_ID_F32, 0, "kn_f32(0x00000000u)"); /* else x * 0 were 0 for any x */
}

static void a_reduction_begins_with_its_identity(void **state)
{
    (void)state;
    knw_unit u = unit(&exact_device, true);
    knx_str t = {0};
    knw_identity(&u, &t, KNK_RED_MAX, KN_ID_F32);
    same_text(&t, "kn_f32(0xff800000u)");
    knw_identity(&u, &t, KNK_RED_MIN, KN_ID_I8);
    same_text(&t, "127i");
    knw_identity(&u, &t, KNK_RED_MUL, KN_ID_F32);
    same_text(&t, "1f");
}

static void float64_has_no_type(void **state)
{
    (void)state;
    assert_null(knw_type(KN_ID_F64));
    assert_null(knw_type(KN_ID_C64));
    assert_string_equal(knw_type(KN_ID_U64), "vec2<u32>");
}

/* ---- all of them ---- */

static char *text_of(const number_case *c, const knw_facts *f, bool exact)
{
    char *text = NULL;
    assert_true(number_case_text(c, f, exact, &text));
    return text;
}

static void every_operation_has_a_text(void **state)
{
    (void)state;
    for (int d = 0; d < 3; d++)
        for (int i = 0; i < 2 * n_all; i++) {
            char *text = text_of(&all[i / 2], devices[d], i % 2);
            if (strstr(text, "= ;") || strchr(text, '$'))
                fail_msg("%s:\n%s", all[i / 2].name, text);
            knx_free(text);
        }
}

static int times(const char *text, const char *what, size_t n, const char *after)
{
    int found = 0;
    for (; (text = strstr(text, after)); text += strlen(after))
        found += memcmp(text + strlen(after), what, n) == 0 && text[strlen(after) + n] == '(';
    return found;
}

static void every_helper_that_is_called_is_there_once(void **state)
{
    (void)state;
    for (int d = 0; d < 3; d++)
        for (int i = 0; i < 2 * n_all; i++) {
            char *text = text_of(&all[i / 2], devices[d], i % 2);
            for (const char *s = text; (s = strstr(s, "kn_")); s++) {
                size_t n = strcspn(s, " ([;");
                if (s[n] == '(' && times(text, s, n, "fn ") != 1)
                    fail_msg("%s: %.*s\n%s", all[i / 2].name, (int)n, s, text);
            }
            knx_free(text);
        }
}

static void no_helper_is_there_for_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * n_all; i++) {
        char *text = text_of(&all[i / 2], &poor_device, i % 2);
        for (const char *s = text; (s = strstr(s, "fn kn_")); s += 3) {
            size_t n = strcspn(s + 3, "(");
            int named = 0;
            for (const char *at = text; (at = strstr(at, "kn_")); at++)
                named += strncmp(at, s + 3, n) == 0 && at[n] == '(';
            if (named < 2)
                fail_msg("%s: %.*s\n%s", all[i / 2].name, (int)n, s + 3, text);
        }
        knx_free(text);
    }
}

static void the_order_of_helpers_is_always_the_same(void **state)
{
    (void)state;
    knw_unit u = unit(&poor_device, true), v = u;
    knx_str a = {0}, b = {0}, ignored = {0};
    knw_apply(&u, &ignored, KNK_FMA, KN_ID_F32, "x", "y", "z");
    knw_apply(&u, &ignored, KNK_REM, KN_ID_I64, "x", "y", NULL);
    knw_apply(&v, &ignored, KNK_REM, KN_ID_I64, "x", "y", NULL);
    knw_apply(&v, &ignored, KNK_FMA, KN_ID_F32, "x", "y", "z");
    knw_helpers(&u, &a);
    knw_helpers(&v, &b);
    assert_string_equal(a.s, b.s);
    knx_str_free(&a);
    knx_str_free(&b);
    knx_str_free(&ignored);
}

static void the_hidden_word_is_read_only_where_compilers_change_chains(void **state)
{
    (void)state;
    knw_unit u = unit(&exact_device, true), v = unit(&joining_device, true);
    knx_str a = {0}, b = {0};
    knw_want(&u, "kn_f32");
    knw_want(&v, "kn_f32");
    knw_helpers(&u, &a);
    knw_helpers(&v, &b);
    assert_null(strstr(a.s, "kn_w"));
    assert_non_null(strstr(b.s, "bits ^ kn_w[0].z"));
    knx_str_free(&a);
    knx_str_free(&b);
}

static void without_memory_a_text_has_failed(void **state)
{
    (void)state;
    knw_unit u = unit(&poor_device, true);
    int64_t live = knx_alloc_live();
    for (int kth = 0;; kth++) {
        knx_str t = {0};
        knx_fail_after(kth, false);
        knw_cast(&u, &t, KN_ID_F16, KN_ID_BF16, "x");
        knx_fail_after(-1, false);
        bool done = !t.failed;
        knx_str_free(&t);
        assert_int_equal(knx_alloc_live(), live);
        if (done)
            break;
        assert_true(kth < 100);
    }
}

KN_TEST_GROUP(test_wgsl_numbers)
{
    n_all = number_cases(all, MOST);
    if (n_all > MOST)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simple_operations_read_as_themselves),
        cmocka_unit_test(results_are_hidden_where_compilers_change_chains),
        cmocka_unit_test(abs_is_a_mask_where_compilers_change_chains),
        cmocka_unit_test(the_residue_of_a_product_is_kept),
        cmocka_unit_test(what_the_device_has_not_exactly_is_made_of_integers),
        cmocka_unit_test(floats_are_told_apart_by_equality),
        cmocka_unit_test(a_value_beside_itself_is_a_test_for_nan),
        cmocka_unit_test(a_shift_by_a_constant_is_plain),
        cmocka_unit_test(constants_are_written_with_all_their_bits),
        cmocka_unit_test(a_reduction_begins_with_its_identity),
        cmocka_unit_test(float64_has_no_type),
        cmocka_unit_test(every_operation_has_a_text),
        cmocka_unit_test(every_helper_that_is_called_is_there_once),
        cmocka_unit_test(no_helper_is_there_for_nothing),
        cmocka_unit_test(the_order_of_helpers_is_always_the_same),
        cmocka_unit_test(the_hidden_word_is_read_only_where_compilers_change_chains),
        cmocka_unit_test(without_memory_a_text_has_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
