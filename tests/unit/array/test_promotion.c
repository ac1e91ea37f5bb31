/* SPDX-License-Identifier: Apache-2.0
 * test_promotion.c -- the common dtype of three arrays or C numbers is np.result_type's whatever their order
 * (scripts/golden/make_promotion.py), in all functions that take lists of arrays. */
#include "support/expect.h"
#include "support/group.h"
#include <stdio.h>

static kn_array operand(const char *code)
{
    switch (code[1] ? 0 : *code) {
    case 'b': return KN_TRUE;
    case 'i': return kn_num(1);
    case 'f': return kn_num(1.0);
    case 'c': return kn_num(__extension__ 1.0i);
    default: return kn_ones(KN_SHAPE(2), .dtype = kn_dtype_named(code));
    }
}

static kn_array mask(bool first) { return kn_of(bool, first, !first); }

/* numbers: do they stay C numbers in it? */
typedef struct function {
    const char *name;
    kn_array (*f)(const kn_array *x);
    bool numbers;
} function;
#define FUNCTION(name, ...) \
    static kn_array name(const kn_array *x) { return __VA_ARGS__; }
#define LIST KN_LIST(x[0], x[1], x[2])
FUNCTION(concatenate, kn_concatenate(LIST))
FUNCTION(flattened, kn_concatenate(LIST, KN_AXIS_NONE))
FUNCTION(stack, kn_stack(LIST))
FUNCTION(hstack, kn_hstack(LIST))
FUNCTION(vstack, kn_vstack(LIST))
FUNCTION(dstack, kn_dstack(LIST))
FUNCTION(column_stack, kn_column_stack(LIST))
FUNCTION(block, kn_block(LIST))
FUNCTION(choose, kn_choose(kn_of(int, 0, 1), LIST))
FUNCTION(chosen, kn_select(KN_LIST(mask(true), mask(false)), KN_LIST(x[0], x[1]), .default_ = x[2]))
FUNCTION(chosen_of_three, kn_select(KN_LIST(mask(true), mask(false), mask(true)), LIST, .default_ = KN_FALSE))
FUNCTION(clip, kn_clip(x[0], x[1], x[2]))
FUNCTION(diff, kn_diff(x[0], .prepend = x[1], .append = x[2]))
FUNCTION(einsum, kn_einsum("i,i,i->i", x[0], x[1], x[2]))
FUNCTION(contracted, kn_einsum("i,i,i->", x[0], x[1], x[2], .optimize = "optimal"))

static const function functions[] = {
    {"concatenate", concatenate, false},
    {"concatenate of all axes", flattened, true},
    {"stack", stack, false},
    {"hstack", hstack, false},
    {"vstack", vstack, false},
    {"dstack", dstack, false},
    {"column_stack", column_stack, false},
    {"block", block, false},
    {"choose", choose, true},
    {"select", chosen, true},
    {"select of three", chosen_of_three, true},
    {"clip", clip, false},
    {"diff", diff, false},
    {"einsum", einsum, false},
    {"einsum, summed", contracted, false},
};

static void check(const char *const *code, const char *want)
{
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    kn_array given[3];
    kn_dtype d = kn_dtype_named(want);
    bool number = false;
    for (int i = 0; i < 3; i++) {
        given[i] = operand(code[i]);
        number = number || !code[i][1];
    }
    for (int k = 0; k < 6; k++) {
        const kn_array x[] = {given[orders[k][0]], given[orders[k][1]], given[orders[k][2]]};
        for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
            if (number && !functions[f].numbers)
                continue;
            kn_dtype has = kn_dtype_of(functions[f].f(x));
            if (has != d && !kn_error_pending())
                fail_msg("%s of %s, %s, %s in order %d is %s, not %s", functions[f].name, code[0], code[1], code[2], k,
                         kn_dtype_name(has), want);
            expect_no_error();
        }
    }
}

static void three_dtypes_in_any_order(void **state)
{
    (void)state;
    char line[64];
    int n = 0;
    FILE *file = fopen(KN_TEST_DIR "/golden/promotion.txt", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        KN_SCOPE;
        char *at = NULL;
        const char *word[4] = {strtok_r(line, " \n", &at)};
        for (int i = 1; i < 4; i++)
            word[i] = strtok_r(NULL, " \n", &at);
        check(word, word[3]);
        n++;
    }
    fclose(file);
    assert_int_equal(n, 1140);
}

/* bfloat16 is not NumPy's: the order does not count either. */
static void bfloat16_in_any_order(void **state)
{
    (void)state;
    static const char *const code[] = {"bool", "i1", "i2", "i4", "i8", "u1", "u2",
                                       "u4",   "u8", "f2", "f4", "f8", "c8", "c16"};
    for (int i = 0; i < 14; i++)
        for (int k = i; k < 14; k++) {
            KN_SCOPE;
            kn_array a = operand(code[i]), b = operand(code[k]), h = kn_ones(KN_SHAPE(2), .dtype = KN_BF16);
            kn_dtype d = kn_dtype_of(kn_concatenate(KN_LIST(h, a, b)));
            assert_ptr_equal(kn_dtype_of(kn_concatenate(KN_LIST(a, h, b))), d);
            assert_ptr_equal(kn_dtype_of(kn_concatenate(KN_LIST(b, a, h))), d);
            assert_ptr_equal(kn_dtype_of(kn_concatenate(KN_LIST(a, b, h))), d);
        }
}

/* As programs met them. */
static void dtypes_of_select(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array c = kn_of(bool, true, false, true), n = kn_logical_not(c);
    kn_array u = kn_ones(KN_SHAPE(3), .dtype = KN_U32), h = kn_ones(KN_SHAPE(3), .dtype = KN_F16);
    assert_ptr_equal(kn_dtype_of(kn_select(KN_LIST(c, n), KN_LIST(u, c))), KN_U32);
    assert_ptr_equal(kn_dtype_of(kn_select(KN_LIST(c, n), KN_LIST(h, c))), KN_F16);
    assert_ptr_equal(kn_dtype_of(kn_select(KN_LIST(c, n), KN_LIST(h, 1))), KN_F16);
    (void)kn_select(KN_LIST(c), KN_LIST(kn_ones(KN_SHAPE(3), .dtype = KN_U8)), .default_ = kn_num(300));
    expect_error("OverflowError", "select: integer 300 out of bounds for uint8");
}

KN_TEST_GROUP(test_promotion)
{
    const struct CMUnitTest tests[] = {
        TEST(three_dtypes_in_any_order),
        TEST(bfloat16_in_any_order),
        TEST(dtypes_of_select),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
