/* SPDX-License-Identifier: Apache-2.0
 * test_dtypes.c -- dtypes, their promotion, casts, kinds and limits are NumPy's (scripts/golden/make_dtypes.py). */
#define _DEFAULT_SOURCE /* strsep */
#include "support/expect.h"
#include "support/group.h"
#include <stdio.h>
#include <stdlib.h>

enum { MOST_FIELDS = 24, LONGEST = 512 };

/* A stored call: the function, its arguments, and what came of it. */
typedef struct call {
    int n;
    const char *arg[MOST_FIELDS], *want;
    char got[LONGEST];
} call;

/* ---- Arguments. */

static kn_dtype dtype(const char *code) { return kn_dtype_named(code); }

static kn_array weak(const char *word, const char *value)
{
    char *rest;
    if (!strcmp(word, "bool"))
        return kn_like_bool(*value == '1');
    if (!strcmp(word, "int"))
        return *value == '-' ? kn_like_int(strtoll(value, NULL, 10)) : kn_like_uint(strtoull(value, NULL, 10));
    double re = strtod(value, &rest);
    return strcmp(word, "complex") ? kn_like_double(re) : kn_like_complex(re, strtod(rest + 1, NULL));
}

/* CODE:WORD:VALUE; w for CODE: a C number. */
static kn_array number(const char *text)
{
    char copy[128], *at = NULL;
    assert_true(strlen(text) < sizeof copy);
    strcpy(copy, text);
    const char *code = strtok_r(copy, ":", &at), *word = strtok_r(NULL, ":", &at), *value = strtok_r(NULL, ":", &at);
    kn_array x = weak(word, value);
    return strcmp(code, "w") ? kn_astype(kn_copy(x), dtype(code)) : x;
}

static kn_dtype_like operand(const char *text)
{
    if (!strncmp(text, "w:", 2))
        return KN_DTYPE_LIKE(number(text));
    return text[1] == ':' ? KN_DTYPE_LIKE(kn_ones(KN_SHAPE(), .dtype = dtype(text + 2))) : KN_DTYPE_LIKE(text);
}

/* ---- Results, as the lines have them. */

static void text_of(call *c, const char *text) { snprintf(c->got, sizeof c->got, "%s", text ? text : "nothing"); }
static void truth(call *c, bool is) { text_of(c, is ? "1" : "0"); }
static void name_of(call *c, kn_dtype d) { text_of(c, d ? kn_dtype_name(d) : NULL); }
static void letter(call *c, char is) { snprintf(c->got, sizeof c->got, "%c", is ? is : '0'); }

static void result_type(call *c)
{
    kn_dtype_like like[MOST_FIELDS];
    for (int i = 0; i < c->n; i++)
        like[i] = operand(c->arg[i]);
    name_of(c, (kn_result_type)(c->n, like));
}

static void promote_types(call *c) { name_of(c, kn_promote_types(c->arg[0], c->arg[1])); }
static void can_cast(call *c) { truth(c, kn_can_cast(operand(c->arg[0]), c->arg[1], c->arg[2])); }
static void min_scalar_type(call *c) { name_of(c, kn_min_scalar_type(number(c->arg[0]))); }
static void lt(call *c) { truth(c, kn_dtype_lt(dtype(c->arg[0]), c->arg[1])); }
static void le(call *c) { truth(c, kn_dtype_le(dtype(c->arg[0]), c->arg[1])); }
static void gt(call *c) { truth(c, kn_dtype_gt(dtype(c->arg[0]), c->arg[1])); }
static void ge(call *c) { truth(c, kn_dtype_ge(dtype(c->arg[0]), c->arg[1])); }
static void eq(call *c) { truth(c, kn_dtype_eq(dtype(c->arg[0]), c->arg[1])); }
static void isdtype(call *c) { truth(c, kn_isdtype(dtype(c->arg[0]), c->arg[1])); }
static void issubdtype(call *c) { truth(c, kn_issubdtype(c->arg[0], c->arg[1])); }
static void type_name(call *c) { text_of(c, kn_typename(c->arg[0])); }
static void typecodes(call *c) { text_of(c, kn_typecodes(c->arg[0])); }

static void common_type(call *c)
{
    kn_array x[MOST_FIELDS];
    for (int i = 0; i < c->n; i++)
        x[i] = kn_ones(KN_SHAPE(2), .dtype = dtype(c->arg[i]));
    name_of(c, (kn_common_type)(c->n, x));
}

static void mintypecode(call *c)
{
    letter(c, c->n == 1 ? kn_mintypecode(c->arg[0])
                        : kn_mintypecode(c->arg[0], .typeset = c->arg[1], .default_ = *c->arg[2]));
}

static void newbyteorder(call *c)
{
    kn_dtype d = kn_dtype_newbyteorder(dtype(c->arg[0]), .new_order = c->arg[1]);
    bool swapped = !d && strstr(kn_error_message(), "in the other byte order is a dtype that arrays never have here");
    if (swapped)
        kn_error_clear();
    text_of(c, swapped ? "swapped" : d ? kn_dtype_name(d) : NULL);
}

static void same_value(call *c)
{
    truth(c, kn_ok(kn_astype(number(c->arg[0]), dtype(c->arg[1]), .casting = "same_value")));
}

/* The fields are arguments, too: each is compared. */
static void expect_field(const call *c, int i, double has)
{
    const char *want = i < c->n ? c->arg[i] : c->want;
    if (strtod(want, NULL) != has)
        fail_msg("%s: field %d is %a, not %s", c->arg[0], i, has, want);
}

static void finfo(call *c)
{
    kn_finfo_result f = kn_finfo(c->arg[0]);
    if (c->n == 1) {
        assert_null(f.dtype);
        return;
    }
    assert_string_equal(kn_dtype_name(f.dtype), c->arg[1]);
    const double fields[] = {
        f.bits,      f.nmant, f.nexp,   f.iexp, f.machep, f.negep,      f.maxexp,          f.minexp,
        f.precision, f.eps,   f.epsneg, f.max,  f.min,    f.resolution, f.smallest_normal, f.smallest_subnormal,
        f.tiny};
    assert_int_equal(c->n, (int)(sizeof fields / sizeof *fields) + 1);
    for (int i = 0; i < c->n - 1; i++)
        expect_field(c, i + 2, fields[i]);
    text_of(c, c->want);
}

static void iinfo(call *c)
{
    kn_iinfo_result f = kn_iinfo(c->arg[0]);
    if (c->n == 1) {
        assert_null(f.dtype);
        return;
    }
    assert_string_equal(kn_dtype_name(f.dtype), c->arg[1]);
    assert_int_equal(f.bits, atoi(c->arg[2]));
    assert_int_equal(f.kind, *c->arg[3]);
    assert_true(f.min == strtoll(c->arg[4], NULL, 10));
    assert_true(f.max == strtoull(c->arg[5], NULL, 10));
    text_of(c, f.key);
}

static void attributes(call *c)
{
    kn_dtype d = dtype(c->arg[0]);
    assert_int_equal(kn_dtype_char(d), *c->arg[1]);
    assert_int_equal(kn_dtype_num(d), atoi(c->arg[2]));
    assert_string_equal(kn_dtype_str(d), c->arg[3]);
    assert_int_equal(kn_dtype_byteorder(d), *c->arg[4]);
    assert_int_equal(kn_dtype_alignment(d), atoi(c->arg[5]));
    assert_int_equal(kn_dtype_isnative(d), atoi(c->arg[6]));
    assert_int_equal(kn_dtype_isbuiltin(d), atoi(c->arg[7]));
    assert_string_equal(kn_dtype_descr(d), c->arg[8]);
    assert_int_equal(kn_dtype_ndim(d), atoi(c->arg[9]));
    assert_int_equal(kn_dtype_shape(d).ndim, 0);
    name_of(c, kn_dtype_base(d));
}

/* ---- The calls. */

static const struct function {
    const char *name;
    void (*call)(call *c);
} functions[] = {
    {"result_type", result_type},
    {"promote_types", promote_types},
    {"can_cast", can_cast},
    {"min_scalar_type", min_scalar_type},
    {"common_type", common_type},
    {"mintypecode", mintypecode},
    {"isdtype", isdtype},
    {"issubdtype", issubdtype},
    {"typename", type_name},
    {"typecodes", typecodes},
    {"finfo", finfo},
    {"iinfo", iinfo},
    {"attributes", attributes},
    {"newbyteorder", newbyteorder},
    {"same_value", same_value},
    {"lt", lt},
    {"le", le},
    {"gt", gt},
    {"ge", ge},
    {"eq", eq},
};

/* An error becomes ! and its text, without the operation that begins it and in one line. */
static void take_error(call *c)
{
    const char *text = strstr(kn_error_message(), ": ");
    snprintf(c->got, sizeof c->got, "!%s", text ? text + 2 : kn_error_message());
    for (char *at = c->got; *at; at++)
        if (*at == '\n')
            *at = ' ';
    kn_error_clear();
}

static void run(char *line)
{
    KN_SCOPE;
    call c = {.n = -1};
    char shown[LONGEST], *rest = line;
    line[strcspn(line, "\n")] = 0;
    snprintf(shown, sizeof shown, "%s", line);
    const char *name = strsep(&rest, "\t");
    for (char *field; (field = strsep(&rest, "\t"));) {
        assert_true(c.n < MOST_FIELDS - 1);
        c.arg[++c.n] = field;
    }
    c.want = c.arg[c.n];
    size_t f = 0;
    while (strcmp(functions[f].name, name) != 0)
        assert_true(++f < sizeof functions / sizeof *functions);
    functions[f].call(&c);
    if (kn_error_pending())
        take_error(&c);
    if (strcmp(c.got, c.want) != 0)
        fail_msg("%s: %s", shown, c.got);
}

static void as_numpy_has_it(void **state)
{
    char line[LONGEST];
    int n = 0;
    (void)state;
    if (sizeof(long) < 8 || __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
        skip(); /* the lines are from a machine with long of 64 bits, least bytes first */
    FILE *file = fopen(KN_TEST_DIR "/golden/dtypes.txt", "r");
    assert_non_null(file);
    for (; fgets(line, sizeof line, file); n++)
        run(line);
    fclose(file);
    assert_true(n > 6000);
}

/* ---- What the lines do not have. */

static void any_form_of_a_dtype(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(2), .dtype = KN_F32);
    assert_ptr_equal(kn_result_type(x, 2, "f2", KN_I8), KN_F32);
    assert_ptr_equal(kn_result_type(x, 2.5), KN_F32);
    assert_ptr_equal(kn_result_type(KN_I8, true, kn_scalar(1.0)), KN_F64);
    assert_ptr_equal(kn_result_type(x, __extension__ 1.0i), KN_C64);
    assert_ptr_equal(kn_promote_types(KN_BF16, "half"), KN_F32);
    assert_true(kn_can_cast(x, "f8", "safe"));
    assert_true(kn_dtype_eq(KN_F32, x));
    assert_ptr_equal(kn_finfo(2.5).dtype, KN_F64);
    assert_ptr_equal(kn_common_type(x, kn_of(int, 1)), KN_F64);
}

static void numbers_of_c_are_not_cast_by_their_values(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_false(kn_can_cast(5, KN_F32, "safe"));
    expect_error(
        "TypeError",
        "can_cast: can_cast() does not support ints, floats, and complex because the result used to depend on the "
        "value.\nThis change was part of adopting NEP 50, we may explicitly allow them again in the future.");
    assert_false(kn_can_cast(KN_I8, KN_F32, NULL));
    expect_error("TypeError", "can_cast: null casting");
}

static void what_is_no_dtype(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_null(kn_result_type("foo", KN_I8));
    expect_error("TypeError", "result_type: data type 'foo' not understood");
    assert_null(kn_result_type(KN_FLOATING));
    expect_error("TypeError", "result_type: data type 'floating' not understood");
    assert_null(kn_promote_types((kn_dtype)NULL, KN_I8));
    expect_error("TypeError", "promote_types: a dtype is missing");
    assert_null(kn_promote_types(KN_KEY, KN_I8));
    expect_error("TypeError", "promote_types: the dtypes key<fry> and int8 do not promote to a common dtype");
    assert_false(kn_dtype_lt(KN_I8, "foo"));
    expect_error("TypeError", "dtype_lt: data type 'foo' not understood");
    assert_false(kn_dtype_eq(KN_I8, "foo"));
    expect_no_error();
    assert_false(kn_isdtype(NULL, "bool"));
    expect_error("TypeError", "isdtype: null dtype");
    assert_int_equal(kn_dtype_num(NULL), -1);
    expect_error("TypeError", "dtype_num: null dtype");
}

static void long_double_is_refused_with_the_reason(void **state)
{
    static const char *const names[] = {"longdouble", "clongdouble", "float128", "complex256", "g", "G", ">f16", "c32"};
    (void)state;
    KN_SCOPE;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char want[160];
        snprintf(
            want, sizeof want,
            "dtype: data type '%s' is not here: the bits of long double are others on every machine; use float64 or "
            "complex128",
            names[i]);
        assert_null(kn_dtype_named(names[i]));
        expect_error("TypeError", want);
    }
    assert_null(kn_dtype_named("int0"));
    expect_error("TypeError", "dtype: Alias 'int0' was removed in NumPy 2.0. Use a name without a digit at the end.");
}

static void what_a_dtype_writes_it_reads(void **state)
{
    (void)state;
    KN_SCOPE;
    for (int id = 0; kn_dtype_builtin(id); id++) {
        kn_dtype d = kn_dtype_builtin(id);
        if (kn_dtype_isbuiltin(d) == 1)
            assert_ptr_equal(kn_dtype_named(kn_dtype_str(d)), d);
        assert_ptr_equal(kn_dtype_named(kn_dtype_name(d)), d);
        for (int other = 0; other < id; other++)
            assert_true(kn_dtype_hash(d) != kn_dtype_hash(kn_dtype_builtin(other)));
    }
}

static void bfloat16_and_keys_have_kinds(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_true(kn_isdtype(KN_BF16, "real floating"));
    assert_true(kn_issubdtype(KN_BF16, KN_FLOATING));
    assert_false(kn_issubdtype(KN_KEY, KN_NUMBER));
    assert_true(kn_issubdtype(KN_KEY, KN_GENERIC));
    assert_ptr_equal(kn_min_scalar_type(kn_astype(kn_scalar(3), KN_BF16)), KN_BF16);
    assert_null(kn_common_type(kn_ones(KN_SHAPE(1), .dtype = KN_BF16)));
    expect_error("TypeError", "common_type: can't get common type for non-numeric array");
}

static kn_array least(const kn_array *x) { return kn_astype(*x, kn_min_scalar_type(*x)); }
static kn_array exactly(const kn_array *x) { return kn_astype(*x, KN_I8, .casting = "same_value"); }
static kn_array widened(const kn_array *x) { return kn_astype(*x, kn_result_type(*x, KN_F64)); }
KN_FUNCTION(least, kn_array, kn_array)
KN_FUNCTION(exactly, kn_array, kn_array)
KN_FUNCTION(widened, kn_array, kn_array)

static void values_are_not_known_under_a_trace(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(3), y = NULL, v = kn_of(int, 1, 2);
    kn_call(kn_jit(KN_FN(least)), &y, &x);
    expect_error_with("ConcretizationError", "is not known while least is traced by jit");
    kn_call(kn_jit(KN_FN(least)), &y, &v); /* no number: its dtype */
    assert_ptr_equal(kn_dtype_of(y), KN_I32);
    kn_call(kn_jit(KN_FN(exactly)), &y, &v);
    expect_error_with("ConcretizationError", "is not known while exactly is traced by jit");
    kn_call(kn_jit(KN_FN(widened)), &y, &v);
    assert_ptr_equal(kn_dtype_of(y), KN_F64);
}

static void same_value_of_many(void **state)
{
    (void)state;
    KN_SCOPE;
    expect_values(kn_astype(kn_of(double, 1, -2, 3), KN_I8, .casting = "same_value"), 1, -2, 3);
    assert_ptr_equal(kn_dtype_of(kn_astype(kn_zeros(KN_SHAPE(0)), KN_I8, .casting = "same_value")), KN_I8);
    kn_astype(kn_of(double, 1, 2.5, 3), KN_I8, .casting = "same_value");
    expect_error("ValueError", "astype: could not cast 'same_value' double to byte");
    kn_astype(300, KN_I8, .casting = "same_value");
    expect_error("ValueError", "astype: could not cast 'same_value' long to byte");
    kn_astype(kn_of(double, 1), KN_I8, .casting = "some_value");
    expect_error("ValueError",
                 "astype: casting must be one of 'no', 'equiv', 'safe', 'same_kind', 'unsafe', 'same_value' "
                 "(got 'some_value')");
}

KN_TEST_GROUP(test_dtypes)
{
    const struct CMUnitTest tests[] = {
        TEST(as_numpy_has_it),
        TEST(any_form_of_a_dtype),
        TEST(numbers_of_c_are_not_cast_by_their_values),
        TEST(what_is_no_dtype),
        TEST(long_double_is_refused_with_the_reason),
        TEST(what_a_dtype_writes_it_reads),
        TEST(bfloat16_and_keys_have_kinds),
        TEST(values_are_not_known_under_a_trace),
        TEST(same_value_of_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
