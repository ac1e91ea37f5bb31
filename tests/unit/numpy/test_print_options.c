/* SPDX-License-Identifier: Apache-2.0
 * test_print_options.c -- the print options of contexts, functions that write elements, arrays from text, and what the
 * library says of itself. */
#include "support/expect.h"
#include "support/group.h"
#include <stdio.h>

static kn_array thirds(void) { return kn_div(kn_of(double, 1, 2), 3); }

/* ---- The options of a context. */

static void options_stay_until_others_are_set(void **state)
{
    (void)state;
    KN_SCOPE;
    char word[] = "none";
    assert_int_equal(kn_set_printoptions(.precision = 3, .nanstr = word), 0);
    memset(word, 'x', 4); /* texts are copied */
    assert_string_equal(kn_array_str(thirds()), "[0.333 0.667]");
    assert_string_equal(kn_repr(kn_of(double, NAN)), "array([none])");
    assert_string_equal(kn_array_str(thirds(), .precision = 1), "[0.3 0.7]");
    assert_int_equal(kn_set_printoptions(.sign = '+'), 0);
    assert_string_equal(kn_array_str(thirds()), "[+0.333 +0.667]");
    kn_print_opts o = kn_get_printoptions();
    assert_int_equal(o.precision, 3);
    assert_string_equal(o.nanstr, "none");
    assert_int_equal(o.sign, '+');
    assert_int_equal(kn_set_printoptions(.precision = 8, .nanstr = "nan", .sign = '-'), 0);
    assert_string_equal(o.nanstr, "none"); /* it belongs to the scope */
    assert_string_equal(kn_array_str(thirds()), "[0.33333333 0.66666667]");
}

static void options_begin_as_numpys(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_context own = kn_context_new();
    {
        KN_CONTEXT(own);
        KN_SCOPE;
        kn_print_opts o = kn_get_printoptions();
        assert_true(o.precision == 8 && o.threshold == 1000 && o.edgeitems == 3 && o.linewidth == 75 && !o.suppress);
        assert_string_equal(o.floatmode, "maxprec");
        assert_string_equal(o.infstr, "inf");
        assert_null(o.formatter);
        kn_set_printoptions(.precision = 2);
        assert_string_equal(kn_array_str(thirds()), "[0.33 0.67]");
    }
    assert_string_equal(kn_array_str(thirds()), "[0.33333333 0.66666667]");
    assert_int_equal(kn_context_free(own), 0);
}

static void a_block_has_options_of_its_own(void **state)
{
    (void)state;
    KN_SCOPE;
    for (int i = 0; i < 3; i++) {
        KN_PRINTOPTIONS(.precision = 1 + i);
        if (i == 1)
            continue;
        assert_string_equal(kn_array_str(thirds()), i ? "[0.333 0.667]" : "[0.3 0.7]");
        kn_set_printoptions(.sign = ' '); /* goes with the block */
    }
    assert_string_equal(kn_array_str(thirds()), "[0.33333333 0.66666667]");
}

static void pushed_options_end_with_their_scope(void **state)
{
    (void)state;
    KN_SCOPE;
    {
        KN_SCOPE;
        assert_true(kn_printoptions(.precision = 2) >= 0);
        assert_true(kn_printoptions(.sign = '+') >= 1);
        assert_string_equal(kn_array_str(thirds()), "[+0.33 +0.67]");
        assert_int_equal(kn_printoptions_pop(), 0);
        assert_string_equal(kn_array_str(thirds()), "[0.33 0.67]");
    }
    assert_string_equal(kn_array_str(thirds()), "[0.33333333 0.66666667]");
    assert_int_equal(kn_printoptions_pop(), -1);
    expect_error("ContextError", "printoptions_pop: no print options were pushed");
}

static void bad_options_change_nothing(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_int_equal(kn_set_printoptions(.precision = 2, .sign = 'x'), -1);
    expect_error("ValueError", "set_printoptions: sign option must be one of ' ', '+', or '-'");
    assert_int_equal(kn_printoptions(.precision = 2, .floatmode = "most"), -1);
    expect_error("ValueError", "printoptions: floatmode option must be one of \"fixed\", \"unique\", \"maxprec\", "
                               "\"maxprec_equal\"");
    assert_string_equal(kn_array_str(thirds()), "[0.33333333 0.66666667]");
    assert_string_equal(kn_array2string(thirds(), .precision = -1), "");
    expect_error("ValueError", "array2string: precision must be >= 0");
    assert_string_equal(kn_array2string(kn_arange(0, 3, 1, .dtype = KN_I32), .precision = -1), "[0 1 2]");
}

/* ---- Functions that write elements. */

static const char *percent(void *env, kn_array x)
{
    static char text[64];
    ++*(int *)env;
    snprintf(text, sizeof text, "%.0f%%", 100 * kn_item(x));
    return text;
}

static const char *of_kiln(void *env, kn_array x)
{
    (void)env;
    return kn_format_float_positional(kn_mul(x, 2), .precision = 2); /* its own arrays go when it returns */
}

static const char *nothing(void *env, kn_array x)
{
    (void)env;
    (void)x;
    return NULL;
}

static void functions_write_elements(void **state)
{
    (void)state;
    KN_SCOPE;
    int calls = 0;
    kn_formatter f = {.float_kind = percent, .env = &calls};
    assert_string_equal(kn_array2string(thirds(), .formatter = &f), "[33% 67%]");
    assert_int_equal(calls, 2);
    assert_string_equal(kn_array2string(kn_of(int, 1, 2), .formatter = &f), "[1 2]");
    assert_string_equal(kn_array2string(kn_of(int, 1, 2), .formatter = &(kn_formatter){.all = of_kiln}), "[2. 4.]");
    kn_set_printoptions(.formatter = &f);
    f.float_kind = nothing; /* functions are copied */
    assert_string_equal(kn_repr(thirds()), "array([33%, 67%])");
    assert_string_equal(kn_repr(kn_scalar(0.5)), "array(50%)");
    assert_string_equal(kn_array_str(kn_scalar(0.5)), "0.5"); /* as NumPy's scalar */
    kn_set_printoptions(.precision = 8);                      /* there is none from now on */
    assert_string_equal(kn_repr(kn_scalar(0.5)), "array(0.5)");
    assert_string_equal(kn_array2string(thirds(), .formatter = &f), "");
    expect_error("TypeError", "array2string: a formatter gave NULL, not a text");
}

static kn_array printed(const kn_array *x)
{
    kn_array2string(*x);
    return *x;
}
KN_FUNCTION(printed, kn_array, kn_array)

static void traced_values_have_no_text(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = thirds(), y = NULL;
    kn_call(kn_jit(KN_FN(printed)), &y, &x);
    expect_error_with("ConcretizationError", "the value of float64[2] is not known while printed is traced by jit");
}

/* ---- Numbers. */

static void integers_of_all_64_bits_are_written(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_string_equal(kn_base_repr(UINT64_MAX, .base = 16), "FFFFFFFFFFFFFFFF");
    assert_string_equal(kn_base_repr(INT64_MIN, .base = 36), "-1Y2P0IJ32E8E8");
    assert_string_equal(kn_binary_repr(INT64_MIN, .width = 64),
                        "1000000000000000000000000000000000000000000000000000000000000000");
    assert_string_equal(kn_binary_repr(true), "1");
    assert_string_equal(kn_binary_repr(2.5), "");
    expect_error("TypeError", "binary_repr: 'float' object cannot be interpreted as an integer");
    assert_string_equal(kn_binary_repr(kn_of(int, 3)), "");
    expect_error("TypeError", "binary_repr: only integer scalar arrays can be converted to a scalar index");
    assert_string_equal(kn_base_repr(1e30), "");
    expect_error("OverflowError", "base_repr: 1e+30 has more than 64 bits");
}

static void floats_are_read_from_hexadecimal_digits(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_true(kn_float_fromhex(" +0X.8p1\n") == 1 && kn_float_fromhex("1.8") == 1.5);
    assert_true(isinf(kn_float_fromhex("-infinity")) && isnan(kn_float_fromhex("nan")));
    static const char *const wrong[] = {"", "zz", "0x", "0x1p", "1.8.1", "+-1", "1 2", "0x1 p3"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_true(isnan(kn_float_fromhex(wrong[i])));
        expect_error("ValueError", "float_fromhex: invalid hexadecimal floating-point string");
    }
    kn_float_fromhex("0x1p1024");
    expect_error("OverflowError", "float_fromhex: hexadecimal value too large to represent as a float");
}

static void integers_are_ratios(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_integer_ratio r = kn_as_integer_ratio(kn_scalar((int64_t)-6));
    assert_true(r.numerator == -6 && r.denominator == 1);
    r = kn_as_integer_ratio(0x1p62);
    assert_true(r.numerator == (int64_t)1 << 62 && r.denominator == 1);
    r = kn_as_integer_ratio(-0x1p-62);
    assert_true(r.numerator == -1 && r.denominator == (int64_t)1 << 62);
    r = kn_as_integer_ratio(0x1p63);
    assert_true(r.denominator == 0);
    expect_error("OverflowError", "as_integer_ratio: the integers of this ratio have more than 63 bits");
}

static kn_array whole(const kn_array *x) { return kn_is_integer(*x); }
KN_FUNCTION(whole, kn_array, kn_array)

static void whole_numbers_are_found_under_jit(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(float, 1.5f, -0.0f, INFINITY, NAN, 1e30f, -3), y = NULL;
    kn_call(kn_jit(KN_FN(whole)), &y, &x);
    expect_values(y, 0, 1, 0, 0, 1, 1);
    expect_values(kn_is_integer(kn_of(int, 1, 2)), 1, 1);
    kn_is_integer(kn_astype(x, KN_C64));
    expect_error("TypeError", "is_integer: complex numbers are not integers or fractions");
}

/* ---- Text to numbers. */

static void expect_parsed(const char *text, const char *repr)
{
    assert_string_equal(kn_repr(kn_array_parse(text)), repr);
    expect_no_error();
}

static void arrays_are_read_from_their_text(void **state)
{
    (void)state;
    KN_SCOPE;
    expect_parsed("[[1. 2.]\n [3. 4.]]", "array([[1., 2.],\n       [3., 4.]])");
    expect_parsed(" array([[1, 2],\n       [3, 4]], dtype=int8) ", "array([[1, 2],\n       [3, 4]], dtype=int8)");
    expect_parsed("[ True False]", "array([ True, False])");
    expect_parsed("[1.  +2.25j 0.5-0.j  ]", "array([1. +2.25j, 0.5-0.j  ])");
    expect_parsed("(1-2j)", "array(1.-2.j)");
    expect_parsed("2j", "array(0.+2.j)");
    expect_parsed("[nan -inf 1e400]", "array([ nan, -inf,  inf])");
    expect_parsed("5", "array(5)");
    expect_parsed("[18446744073709551615 1]", "array([18446744073709551615,                    1], dtype=uint64)");
    expect_parsed("[-9223372036854775808]", "array([-9223372036854775808])");
    expect_parsed("[]", "array([], dtype=float64)");
    expect_parsed("array([], shape=(0, 3), dtype=int32)", "array([], shape=(0, 3), dtype=int32)");
    expect_parsed("[[] []]", "array([], shape=(2, 0), dtype=float64)");
    expect_parsed("array([1., 2.], dtype='<f4')", "array([1., 2.], dtype=float32)");
    assert_ptr_equal(kn_dtype_of(kn_array_parse("[1 2]", .dtype = KN_F16)), KN_F16);
}

static void expect_unread(const char *text, const char *kind, const char *message)
{
    kn_array_parse(text);
    expect_error(kind, message);
}

static void what_is_no_array_is_told(void **state)
{
    (void)state;
    KN_SCOPE;
    expect_unread("[0 1 2 ... 7 8 9]", "ValueError",
                  "array_parse: the text is a summary: \"...\" stands for elements that it does not tell");
    expect_unread(
        "[[1, 2], [3]]", "ValueError",
        "array_parse: setting an array element with a sequence. The requested array has an inhomogeneous shape "
        "after 1 dimensions. The detected shape was (2,) + inhomogeneous part.");
    expect_unread(
        "[1, [2]]", "ValueError",
        "array_parse: setting an array element with a sequence. The requested array has an inhomogeneous shape "
        "after 1 dimensions. The detected shape was (2,) + inhomogeneous part.");
    expect_unread("[1 2", "ValueError", "array_parse: the text ends too early");
    expect_unread("[1-2]", "ValueError", "array_parse: \"-2]\" is not how an array goes on");
    expect_unread("[1] x", "ValueError", "array_parse: \"x\" is not how an array goes on");
    expect_unread("array([300], dtype=int8)", "OverflowError",
                  "array_parse: Python integer 300 out of bounds for int8");
    expect_unread("array([-1], dtype=uint8)", "OverflowError",
                  "array_parse: Python integer -1 out of bounds for uint8");
    expect_unread("array([1.5], dtype=int8)", "ValueError", "array_parse: 1.5 in an array of int8");
    expect_unread("array([1j], dtype=float32)", "ValueError", "array_parse: a complex number in an array of float32");
    expect_unread("99999999999999999999", "OverflowError", "array_parse: 99999999999999999999 has more than 64 bits");
    expect_unread("array([1, 2], shape=(3,))", "ValueError",
                  "array_parse: cannot reshape array of size 2 into shape (3,)");
    expect_unread(NULL, "TypeError", "array_parse: null text");
    char deep[200] = "";
    memset(deep, '[', 70);
    expect_unread(deep, "ValueError", "array_parse: an array has at most 64 axes");
}

static void numbers_with_a_separator_are_read(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array z = kn_fromstring("1j 2-3j 4 +5j nan+infj 1+2", " ", .dtype = KN_C128);
    expect_values(kn_real(z), 0, 2, 4, 0, NAN, 1);
    expect_values(kn_imag(z), 1, -3, 0, 5, INFINITY, 0);
    expect_values(kn_fromstring("1.5 nan(12) -Infinity", " "), 1.5, NAN, -INFINITY);
    expect_values(kn_fromstring("1.5;0;2", ";", .dtype = KN_BOOL), 1, 0, 1);
    static const char *const wrong[] = {"0x10", "1e", "1 x", "1_0", "1-2"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        kn_fromstring(wrong[i], " ");
        expect_error("ValueError", "fromstring: string or file could not be read to its end due to unmatched data");
    }
    kn_fromstring("-1", " ", .dtype = KN_U8);
    expect_error("ValueError", "fromstring: string or file could not be read to its end due to unmatched data");
}

/* ---- The library. */

static void the_library_says_what_it_is(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_non_null(strstr(kn_show_config(.mode = "text"), kn_version()));
    assert_string_equal(kn_show_config(.mode = "dicts"), "");
    expect_error("ValueError", "show_config: Invalid `mode`, use one of: stdout, text");
    assert_true(kn_lib_NumpyVersion("1.9.0.dev-1234", "1.9.0") < 0 && kn_lib_NumpyVersion("1.9.0rc1", "1.9.0b2") > 0 &&
                kn_lib_NumpyVersion("1.9.0a1.dev-f1234afa", "1.9.0a1.dev-9") == 0);
    kn_lib_NumpyVersion("1.7", "1.7.0");
    expect_error("ValueError", "lib_NumpyVersion: Not a valid numpy version string");
    assert_int_equal(kn_array_namespace_info_dtypes(NULL, "integral").n, 8);
    assert_int_equal(kn_array_namespace_info_dtypes("cpu", NULL).n, 13);
    kn_array_namespace_info_dtypes(NULL, "x");
    expect_error("ValueError", "array_namespace_info_dtypes: unsupported kind: 'x'");
    kn_array_namespace_info_default_dtypes("gpu");
    expect_error("ValueError",
                 "array_namespace_info_default_dtypes: Device not understood. Only \"cpu\" is allowed, but "
                 "received: gpu");
}

KN_TEST_GROUP(test_print_options)
{
    const struct CMUnitTest tests[] = {
        TEST(options_stay_until_others_are_set),
        TEST(options_begin_as_numpys),
        TEST(a_block_has_options_of_its_own),
        TEST(pushed_options_end_with_their_scope),
        TEST(bad_options_change_nothing),
        TEST(functions_write_elements),
        TEST(traced_values_have_no_text),
        TEST(integers_of_all_64_bits_are_written),
        TEST(floats_are_read_from_hexadecimal_digits),
        TEST(integers_are_ratios),
        TEST(whole_numbers_are_found_under_jit),
        TEST(arrays_are_read_from_their_text),
        TEST(what_is_no_array_is_told),
        TEST(numbers_with_a_separator_are_read),
        TEST(the_library_says_what_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
