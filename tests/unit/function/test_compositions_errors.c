/* SPDX-License-Identifier: Apache-2.0
 * test_compositions_errors.c -- what goes wrong inside of transformed functions, loops, rules and callbacks: the error
 * names the user's own line, comes again with the next call, and leaves nothing behind. */
#include "support/expect.h"
#include "support/group.h"

/* The pending error is of this line of this file; clears it. */
#define expect_line(kind, part, line)                                           \
    do {                                                                        \
        assert_int_equal(kn_error_line(), line);                                \
        assert_non_null(strstr(kn_error_file(), "test_compositions_errors.c")); \
        expect_error_with(kind, part);                                          \
    } while (0)

typedef struct {
    kn_array a, b;
} Pair;
typedef struct {
    kn_array i, v;
} Round;
typedef struct {
    int32_t how;
} How;

/* --- looking at what is not known --------------------------------------------------------------- */

enum { N_LOOKS = 12, FIRST_LOOK = __LINE__ };
static kn_array looking(const How *h, const kn_array *x)
{
    double copy[2];
    kn_array first = kn_at(*x, "0");
    switch (h->how) {
    case 0: return kn_item(first) > 0 ? *x : kn_negative(*x);
    case 1: return kn_item_int(first) > 0 ? *x : kn_negative(*x);
    case 2: return kn_item_bool(first) ? *x : kn_negative(*x);
    case 3: return kn_allclose(*x, 1) ? *x : kn_negative(*x);
    case 4: return kn_array_equal(*x, first) || kn_array_equal(*x, *x) ? *x : kn_negative(*x);
    case 5: return kn_copy_to(*x, copy, sizeof copy) == 0 ? *x : kn_negative(*x);
    case 6: return kn_data(*x, double) ? *x : kn_negative(*x);
    case 7: return kn_repr(*x)[0] ? *x : kn_negative(*x);
    case 8: return kn_tree_all(kn_tree_leaf(first)) ? *x : kn_negative(*x);
    case 9: return kn_testing_assert_array_equal(*x, *x) == 0 ? *x : kn_negative(*x);
    case 10: return kn_block_until_ready(*x);
    default: return kn_item_complex(first).im > 0 ? *x : kn_negative(*x);
    }
}
enum { LAST_LOOK = __LINE__ };
KN_FUNCTION_ENV(looking, kn_array, How, kn_array)

static void a_function_that_looks_is_not_kept(void **state)
{
    (void)state;
    static const char *const name[N_LOOKS] = {"item:",
                                              "item_int:",
                                              "item_bool:",
                                              "allclose:",
                                              "array_equal:",
                                              "copy_to:",
                                              "data:",
                                              "repr:",
                                              "tree_all:",
                                              "testing_assert_array_equal:",
                                              "block_until_ready:",
                                              "item_complex:"};
    for (int i = 0; i < N_LOOKS; i++)
        for (int again = 0; again < 3; again++) {
            KN_SCOPE;
            kn_array x = kn_of(double, 1, 1), y = NULL;
            kn_fn f = kn_jit(KN_FN_ENV(looking, &(How){i}));
            assert_int_equal(kn_call(f, &y, &x), -1);
            assert_false(kn_ok(y));
            assert_non_null(strstr(kn_error_message(), name[i]));
            assert_int_equal(kn_fn_trace_count(f), again + 1);
            assert_in_range(kn_error_line(), FIRST_LOOK, LAST_LOOK);
            expect_error_with("ConcretizationError", "is not known while looking is traced by jit");
        }
}

static kn_array jitted_look(const kn_array *x)
{
    kn_array y = NULL;
    kn_call(kn_jit(KN_FN_ENV(looking, &(How){0})), &y, x);
    return kn_ok(y) ? y : *x;
}
KN_FUNCTION(jitted_look, kn_array, kn_array)

static void only_the_function_that_looks_fails(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 1), y = NULL;
    assert_int_equal(kn_call(kn_vmap(KN_FN(jitted_look)), &y, &(kn_array){kn_stack(KN_LIST(x, x))}), 0);
    expect_values(y, 1, 1, 1, 1);
    expect_error_with("ConcretizationError", "item");
    kn_call(kn_jacrev(KN_FN_ENV(looking, &(How){0})), &y, &x); /* values are known there */
    expect_values(y, 1, 0, 0, 1);
}

static kn_array careless(const kn_array *x)
{
    kn_add(*x, kn_zeros(KN_SHAPE(7)));
    return kn_mul(*x, 2);
}
static kn_array careful(const kn_array *x)
{
    kn_add(*x, kn_zeros(KN_SHAPE(7)));
    kn_error_clear();
    return kn_mul(*x, 2);
}
KN_FUNCTION(careless, kn_array, kn_array)
KN_FUNCTION(careful, kn_array, kn_array)

static void an_error_that_no_result_carries_comes_with_every_call(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        KN_SCOPE;
        kn_array x = kn_of(double, 1, 2), y = NULL;
        kn_call(kn_jit(KN_FN(careless)), &y, &x);
        expect_values(y, 2, 4);
        expect_error("ValueError", "add: operands could not be broadcast together with shapes (2,) (7,)");
        kn_call(kn_jit(KN_FN(careful)), &y, &x);
        expect_values(y, 2, 4);
        expect_no_error();
        assert_int_equal(kn_fn_trace_count(kn_jit(KN_FN(careful))), 1);
    }
}

static Pair looking_rule(const kn_array *x, const kn_array *dx)
{
    return kn_item(kn_sum(*x)) > 0 ? (Pair){*x, *dx} : (Pair){*x, kn_negative(*dx)};
}
static kn_array same(const kn_array *x) { return *x; }
KN_FUNCTION(looking_rule, Pair, kn_array, kn_array)
KN_FUNCTION(same, kn_array, kn_array)

static void a_rule_that_looks_is_not_kept(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        KN_SCOPE;
        kn_array x = kn_of(double, 1, 2), y = NULL;
        kn_call(kn_jacrev(kn_custom_jvp(KN_FN(same), KN_FN(looking_rule))), &y, &x);
        assert_false(kn_ok(y));
        expect_error_with("ConcretizationError", "is not known while looking_rule is traced by custom_jvp");
    }
}

/* --- lines -------------------------------------------------------------------------------------- */

static int seven(void *env, int n_in, const kn_array *in, int n_out, kn_array *out)
{
    (void)env, (void)n_in, (void)in, (void)n_out, (void)out;
    return 7;
}
enum { WRONG_SHAPES_LINE = __LINE__ + 4 };
static int wrong_shapes(void *env, int n_in, const kn_array *in, int n_out, kn_array *out)
{
    (void)env, (void)n_in, (void)n_out;
    out[0] = kn_add(kn_reshape(in[0], KN_SHAPE(-1)), kn_zeros(KN_SHAPE(17)));
    return 0;
}
static kn_array under_five(const Round *r) { return kn_less(r->i, 5); }
enum { CALLBACK_LINE = __LINE__ + 3 };
static Round callback_round(const Round *r)
{
    kn_list y = kn_pure_callback(seven, NULL, KN_LIST(r->v), KN_LIST(r->v));
    return (Round){kn_add(r->i, 1), kn_list_get(y, 0)};
}
enum { INDEX_LINE = __LINE__ + 3 };
static Round index_round(const Round *r)
{
    kn_array x = kn_at(kn_of(double, 10, 20), "%", r->i);
    return (Round){kn_add(r->i, 1), kn_add(r->v, x)};
}
KN_FUNCTION(under_five, kn_array, Round)
KN_FUNCTION(callback_round, Round, Round)
KN_FUNCTION(index_round, Round, Round)
static kn_array callback_loop(const kn_array *x)
{
    Round start = {kn_scalar(0), *x}, end = {0};
    kn_while_loop(KN_FN(under_five), KN_FN(callback_round), &end, &start);
    return end.v;
}
static kn_array index_loop(const kn_array *x)
{
    Round start = {kn_scalar(0), *x}, end = {0};
    kn_while_loop(KN_FN(under_five), KN_FN(index_round), &end, &start);
    return end.v;
}
KN_FUNCTION(callback_loop, kn_array, kn_array)
KN_FUNCTION(index_loop, kn_array, kn_array)

static void errors_in_a_loop_have_the_bodys_line(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), y = NULL;
    kn_fn loop[] = {KN_FN(callback_loop), KN_FN(index_loop)};
    for (int i = 0; i < 2; i++) {
        kn_fn form[] = {loop[i],
                        kn_jit(loop[i]),
                        kn_vmap(loop[i]),
                        kn_jit(kn_vmap(kn_jit(loop[i]))),
                        kn_checkpoint(loop[i]),
                        i ? kn_jit(kn_jacfwd(loop[i])) : kn_vmap(loop[i])};
        for (size_t k = 0; k < sizeof form / sizeof *form; k++) {
            kn_call(form[k], &y, &x);
            assert_false(kn_ok(y));
            if (i)
                expect_line("IndexError", "index 2 is out of bounds for axis 0 with size 2", INDEX_LINE);
            else
                expect_line("RuntimeError", "the callback returned 7", CALLBACK_LINE);
        }
    }
}

static int dead(void *env, int n_in, const kn_array *in, int n_out, kn_array *out)
{
    (void)env, (void)n_in, (void)in, (void)n_out;
    KN_SCOPE;
    out[0] = kn_zeros(KN_SHAPE(2));
    return 0;
}
static int garbage(void *env, int n_in, const kn_array *in, int n_out, kn_array *out)
{
    (void)env, (void)n_in, (void)in, (void)n_out;
    out[0] = (kn_array)(uintptr_t)0x12345;
    return 0;
}
static int other_type(void *env, int n_in, const kn_array *in, int n_out, kn_array *out)
{
    (void)env, (void)n_in, (void)n_out;
    out[0] = kn_astype(in[0], KN_F32);
    return 0;
}
static int scribble(void *env, int n_in, const kn_array *in, int n_out, kn_array *out)
{
    (void)env, (void)n_in, (void)n_out;
    kn_set_at(in[0], 99, "...");
    out[0] = in[0];
    return 0;
}
typedef struct {
    kn_callback f;
} Callback;
static kn_array by_callback(const Callback *c, const kn_array *x)
{
    return kn_list_get(kn_pure_callback(c->f, NULL, KN_LIST(*x), KN_LIST(*x)), 0);
}
KN_FUNCTION_ENV(by_callback, kn_array, Callback, kn_array)

static void callbacks_can_do_no_harm(void **state)
{
    (void)state;
    KN_SCOPE;
    static const struct {
        kn_callback f;
        const char *kind, *message;
    } c[] = {{dead, "ValueError", "this array was released"},
             {garbage, "TypeError", "this is not a handle of an array: was its variable set?"},
             {other_type, "TypeError", "result 0 of the callback has type float32[2], but float64[2] was promised"},
             {wrong_shapes, "ValueError", "operands could not be broadcast together with shapes (2,) (17,)"}};
    kn_array x = kn_of(double, 1, 2), y = NULL;
    for (size_t i = 0; i < sizeof c / sizeof *c; i++)
        for (int jitted = 0; jitted < 2; jitted++) {
            kn_fn f = KN_FN_ENV(by_callback, &(Callback){c[i].f});
            kn_call(jitted ? kn_jit(f) : f, &y, &x);
            assert_false(kn_ok(y));
            if (c[i].f == wrong_shapes)
                assert_int_equal(kn_error_line(), WRONG_SHAPES_LINE);
            expect_error_with(c[i].kind, c[i].message);
        }
    kn_call(kn_jit(KN_FN_ENV(by_callback, &(Callback){scribble})), &y, &x);
    expect_values(y, 99, 99);
    kn_call(KN_FN_ENV(by_callback, &(Callback){scribble}), &y, &x);
    expect_values(y, 99, 99);
    expect_values(x, 1, 2);
}

static int again_inside(void *env, int n_in, const kn_array *in, int n_out, kn_array *out);
static kn_array tower(const kn_array *x)
{
    static int depth;
    return kn_add(kn_list_get(kn_io_callback(again_inside, &depth, KN_LIST(*x), KN_LIST(*x)), 0), 1);
}
KN_FUNCTION(tower, kn_array, kn_array)
static int again_inside(void *env, int n_in, const kn_array *in, int n_out, kn_array *out)
{
    (void)n_in, (void)n_out;
    KN_SCOPE;
    int *depth = env;
    kn_array y = kn_mul(in[0], 2);
    if (++*depth < 4)
        kn_call(kn_jit(KN_FN(tower)), &y, &in[0]);
    --*depth;
    out[0] = kn_keep(y);
    return 0;
}

static void a_callback_may_call_the_function_that_called_it(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), y = NULL;
    kn_fn f = kn_jit(KN_FN(tower));
    kn_call(f, &y, &x);
    expect_values(y, 6, 8);
    assert_int_equal(kn_fn_trace_count(f), 1);
}

/* --- rules -------------------------------------------------------------------------------------- */

enum { RULE_LINE = __LINE__ + 1 };
static Pair bad_rule(const kn_array *x, const kn_array *dx) { return (Pair){*x, kn_add(*dx, kn_zeros(KN_SHAPE(41)))}; }
static Pair keep_x(const kn_array *x) { return (Pair){*x, *x}; }
enum { BACK_LINE = __LINE__ + 3 };
static kn_array bad_back(const kn_array *x, const kn_array *ct)
{
    return kn_mul(*ct, kn_matmul(*x, kn_ones(KN_SHAPE(5))));
}
KN_FUNCTION(bad_rule, Pair, kn_array, kn_array)
KN_FUNCTION(keep_x, Pair, kn_array)
KN_FUNCTION(bad_back, kn_array, kn_array, kn_array)
static kn_array by_rule(const kn_array *x)
{
    kn_array y = NULL;
    kn_call(kn_jit(kn_custom_jvp(KN_FN(same), KN_FN(bad_rule))), &y, x);
    return kn_sum(y);
}
static kn_array by_back(const kn_array *x)
{
    kn_array y = NULL;
    kn_call(kn_checkpoint(kn_custom_vjp(KN_FN(same), KN_FN(keep_x), KN_FN(bad_back))), &y, x);
    return kn_sum(y);
}
KN_FUNCTION(by_rule, kn_array, kn_array)
KN_FUNCTION(by_back, kn_array, kn_array)

static void errors_in_rules_have_the_rules_line(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), y = NULL, both = kn_stack(KN_LIST(x, x));
    for (int i = 0; i < 2; i++) { /* and the second time, too */
        kn_call(kn_grad(KN_FN(by_rule)), &y, &x);
        expect_line("ValueError", "shapes (2,) (41,)", RULE_LINE);
        kn_call(kn_jit(kn_vmap(kn_grad(KN_FN(by_rule)))), &y, &both);
        expect_line("ValueError", "shapes (2,) (41,)", RULE_LINE);
        kn_call(kn_grad(KN_FN(by_back)), &y, &x);
        expect_line("ValueError", "shapes (2,) and (5,) not aligned", BACK_LINE);
        kn_call(kn_jit(kn_vmap(kn_grad(KN_FN(by_back)))), &y, &both);
        expect_line("ValueError", "shapes (2,) and (5,) not aligned", BACK_LINE);
        kn_call(KN_FN(by_back), &y, &x); /* without a derivative no rule is asked */
        expect_values(y, 3);
    }
}

KN_TEST_GROUP(test_compositions_errors)
{
    const struct CMUnitTest tests[] = {
        TEST(a_function_that_looks_is_not_kept),
        TEST(only_the_function_that_looks_fails),
        TEST(an_error_that_no_result_carries_comes_with_every_call),
        TEST(a_rule_that_looks_is_not_kept),
        TEST(errors_in_a_loop_have_the_bodys_line),
        TEST(callbacks_can_do_no_harm),
        TEST(a_callback_may_call_the_function_that_called_it),
        TEST(errors_in_rules_have_the_rules_line),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
