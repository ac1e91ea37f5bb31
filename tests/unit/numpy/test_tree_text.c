/* SPDX-License-Identifier: Apache-2.0
 * test_tree_text.c -- trees as Python shows nested dicts, lists, tuples and named tuples of NumPy's arrays. */
#include "support/expect.h"
#include "support/group.h"

typedef struct Params {
    kn_array w, b;
} Params;
KN_FIELDS(Params, w, b)

static void trees_print_as_in_python(void **state)
{
    (void)state;
    KN_SCOPE;
    Params p = {kn_ones(KN_SHAPE(2, 3)), kn_zeros(KN_SHAPE(3), .dtype = KN_F32)};
    assert_string_equal(kn_tree_repr(KN_TREE(&p, Params)), "Params(w=array([[1., 1., 1.],\n       [1., 1., 1.]]), "
                                                           "b=array([0., 0., 0.], dtype=float32))");
    kn_tree t = kn_tree_dict("w", kn_of(double, 0.5), "l",
                             kn_tree_list(kn_of(int64_t, 1, 2), kn_tree_none(), kn_tree_tuple(kn_of(bool, 1))), "it's",
                             kn_tree_dict(), "e", kn_tree_tuple());
    assert_string_equal(kn_tree_repr(t), "{'e': (), \"it's\": {}, 'l': [array([1, 2]), None, (array([ True]),)], "
                                         "'w': array([0.5])}");
}

static void shapes_stand_in_the_place_of_arrays(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tree t = kn_tree_dict("b", kn_zeros(KN_SHAPE(3)), "w",
                             kn_tree_list(kn_zeros(KN_SHAPE(2, 3)), kn_sum(kn_ones(KN_SHAPE(2)))));
    assert_string_equal(kn_tree_repr(t, .shapes = true), "{'b': (3,), 'w': [(2, 3), ()]}");
}

static char printed[256];
static void keep(void *env, const char *text)
{
    (void)env;
    snprintf(printed + strlen(printed), sizeof printed - strlen(printed), "%s", text);
}

static void kn_print_takes_trees_arrays_and_numbers(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_set_print(keep, NULL);
    kn_print(kn_tree_list(kn_of(double, 1.23456)), .precision = 2);
    kn_print(kn_of(double, 1.5));
    kn_print(3);
    kn_set_print(NULL, NULL);
    assert_string_equal(printed, "[array([1.23])]\n[1.5]\n3\n");
    kn_print((kn_tree)NULL);
    expect_error("TypeError", "tree_print: null tree");
}

static void leaves_with_errors_are_errors(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tree t = kn_tree_list(kn_add(kn_ones(KN_SHAPE(2)), kn_ones(KN_SHAPE(3))));
    kn_error_clear();
    assert_string_equal(kn_tree_repr(t), "");
    kn_error_clear();
}

KN_TEST_GROUP(test_tree_text)
{
    const struct CMUnitTest tests[] = {
        TEST(trees_print_as_in_python),
        TEST(shapes_stand_in_the_place_of_arrays),
        TEST(kn_print_takes_trees_arrays_and_numbers),
        TEST(leaves_with_errors_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
