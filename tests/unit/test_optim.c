/* SPDX-License-Identifier: Apache-2.0
 * test_optim.c -- optimizers: twenty steps as optax takes them (tests/golden/optim.npz), lazily and traced; trees;
 * wrong operands. */
#include "support/expect.h"
#include "support/golden.h"

typedef struct {
    kn_array w, b;
} Net;

static kn_optimizer make(const char *name)
{
    if (strcmp(name, "sgd") == 0)
        return kn_optim_sgd(.learning_rate = 0.05);
    if (strcmp(name, "momentum") == 0)
        return kn_optim_sgd(.learning_rate = 0.05, .momentum = 0.9);
    if (strcmp(name, "nesterov") == 0)
        return kn_optim_sgd(.learning_rate = 0.05, .momentum = 0.9, .nesterov = true);
    if (strcmp(name, "adam") == 0)
        return kn_optim_adam(.learning_rate = 0.1);
    if (strcmp(name, "adam_options") == 0)
        return kn_optim_adam(.learning_rate = 0.03, .b1 = 0.8, .b2 = 0.95, .eps = 1e-4, .eps_root = 1e-6);
    if (strcmp(name, "nadam") == 0)
        return kn_optim_adam(.learning_rate = 0.1, .nesterov = true);
    return kn_optim_adamw(.learning_rate = 0.1, .weight_decay = 0.02);
}
static const char *const names[] = {"sgd", "momentum", "nesterov", "adam", "adam_options", "nadam", "adamw"};

static Net gradient(const Net *p, kn_array s)
{
    Net g = {kn_add(kn_mul(2, kn_sub(p->w, 1), s), kn_sin(p->w)), kn_sub(kn_mul(3, p->b), 1)};
    return g;
}

static kn_array start(const golden *g, const char *leaf, const char *dtype)
{
    char text[64];
    snprintf(text, sizeof text, "%s %s", leaf, dtype);
    return golden_array(golden_find(g, text));
}

static void compare(const golden *g, const char *name, const char *dtype, const char *what, kn_array w, kn_array b,
                    double tolerance)
{
    char text[128];
    snprintf(text, sizeof text, strcmp(what, "update") == 0 ? "%s %s update w" : "%s %s w %s", name, dtype, what);
    golden_close(text, w, golden_find(g, text), tolerance, tolerance);
    snprintf(text, sizeof text, strcmp(what, "update") == 0 ? "%s %s update b" : "%s %s b %s", name, dtype, what);
    golden_close(text, b, golden_find(g, text), tolerance, tolerance);
}

static void run(const golden *g, const char *name, const char *dtype)
{
    KN_SCOPE;
    double tolerance = dtype[1] == '3' ? 3e-6 : 1e-14;
    Net net = {start(g, "w", dtype), start(g, "b", dtype)};
    kn_array s = start(g, "s", dtype);
    kn_optimizer o = make(name);
    kn_tree state = kn_optim_init(o, KN_TREE(&net)), updates, next;
    {
        KN_SCOPE;
        Net grad = gradient(&net, s);
        assert_int_equal(kn_optim_update(o, KN_TREE(&grad), state, KN_TREE(&net), &updates, &next), 0);
        assert_int_equal(kn_tree_count(next), kn_tree_count(state));
        compare(g, name, dtype, "update", kn_tree_get(updates, 0), kn_tree_get(updates, 1), tolerance);
        kn_tree sum = kn_optim_apply_updates(KN_TREE(&net), updates);
        compare(g, name, dtype, "1", kn_tree_get(sum, 0), kn_tree_get(sum, 1), tolerance);
    }
    for (int i = 0; i < 20; i++) {
        KN_SCOPE;
        Net grad = gradient(&net, s);
        assert_int_equal(kn_optim_apply(o, &state, KN_TREE(&net), KN_TREE(&grad)), 0);
        if (i == 0)
            compare(g, name, dtype, "1", net.w, net.b, tolerance);
    }
    compare(g, name, dtype, "20", net.w, net.b, tolerance);
    if (strncmp(name, "adam", 4) == 0)
        assert_int_equal(kn_item_int(kn_tree_get(state, 0)), 20);
}

static void steps_are_those_of_optax(void **state)
{
    (void)state;
    golden g = golden_read("optim.npz");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        run(&g, names[i], "f32");
        run(&g, names[i], "f64");
    }
    bool lazy = kn_set_lazy(false);
    run(&g, "adamw", "f64");
    kn_set_lazy(lazy);
    golden_free(&g);
}

/* ---- A whole step, traced: the state is a struct, too. */

typedef struct {
    kn_array count;
    Net mu, nu;
} State;
typedef struct {
    Net net;
    State state;
} Training;

static Training step(const Training *t, const kn_array *s)
{
    Training next = *t;
    Net grad = gradient(&t->net, *s);
    kn_tree state = KN_TREE(&next.state);
    kn_optim_apply(kn_optim_adam(.learning_rate = 0.1), &state, KN_TREE(&next.net), KN_TREE(&grad));
    return next;
}
KN_FUNCTION(step, Training, Training, kn_array)

static void a_step_can_be_traced(void **state)
{
    (void)state;
    golden g = golden_read("optim.npz");
    {
        KN_SCOPE;
        kn_array s = start(&g, "s", "f64"), w = start(&g, "w", "f64"), b = start(&g, "b", "f64");
        Training t = {
            {w, b},
            {kn_scalar((int32_t)0), {kn_zeros_like(w), kn_zeros_like(b)}, {kn_zeros_like(w), kn_zeros_like(b)}}};
        kn_fn f = kn_jit(KN_FN(step));
        for (int i = 0; i < 20; i++) {
            Training next;
            kn_call(f, &next, &t, &s);
            t = next;
        }
        assert_int_equal(kn_fn_trace_count(f), 1);
        compare(&g, "adam", "f64", "20", t.net.w, t.net.b, 1e-14);
    }
    golden_free(&g);
}

/* ---- What a loop costs. */

static void a_loop_compiles_nothing_new(void **state)
{
    (void)state;
    KN_SCOPE;
    Net net = {kn_ones(KN_SHAPE(3, 4)), kn_zeros(KN_SHAPE(4))};
    kn_array s = kn_ones(KN_SHAPE(3, 4));
    kn_tree moments = kn_optim_init(kn_optim_adam(.learning_rate = 0.1), KN_TREE(&net));
    uint64_t misses = 0;
    int64_t live = 0;
    for (int i = 0; i < 12; i++) {
        KN_SCOPE;
        Net grad = gradient(&net, s);
        kn_optimizer o = kn_optim_adam(.learning_rate = 0.1 / (i + 1)); /* a schedule */
        kn_optim_apply(o, &moments, KN_TREE(&net), KN_TREE(&grad));
        kn_eval(net.w);
        kn_eval(net.b);
        if (i < 4) {
            misses = kn_cache_stats().plans.misses;
            live = kn_live_count();
        }
    }
    assert_int_equal(kn_cache_stats().plans.misses, misses);
    assert_true(kn_live_count() <= live);
}

static void parameters_of_several_dtypes(void **state)
{
    (void)state;
    KN_SCOPE;
    Net net = {kn_astype(kn_of(float, 1, 2), KN_BF16), kn_of(double, 3)};
    Net grad = {kn_of(double, 1, -1), kn_of(float, 2)}; /* in other dtypes */
    kn_optimizer o = kn_optim_adam(.learning_rate = 0.5);
    kn_tree moments = kn_optim_init(o, KN_TREE(&net));
    kn_optim_apply(o, &moments, KN_TREE(&net), KN_TREE(&grad));
    assert_ptr_equal(kn_dtype_of(net.w), KN_BF16);
    assert_ptr_equal(kn_dtype_of(net.b), KN_F64);
    assert_ptr_equal(kn_dtype_of(kn_tree_get(moments, 1)), KN_BF16);
    expect_near(net.w, 1e-2, 0.5, 2.5);
    expect_near(net.b, 1e-7, 2.5);
}

static void complex_parameters(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array z = kn_of(double _Complex, 3 + 4i), g = kn_of(double _Complex, 3 + 4i);
    kn_optimizer o = kn_optim_adam(.learning_rate = 1);
    kn_tree moments = kn_optim_init(o, KN_TREE(&z));
    kn_optim_apply(o, &moments, KN_TREE(&z), KN_TREE(&g));
    expect_near(kn_real(z), 1e-7, 2.4); /* along the gradient, by one */
    expect_near(kn_imag(z), 1e-7, 3.2);
}

static void no_parameters(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_optimizer o = kn_optim_adam(.learning_rate = 1);
    kn_tree none = kn_tree_from(0, NULL), moments = kn_optim_init(o, none);
    assert_int_equal(kn_tree_count(moments), 1);
    assert_int_equal(kn_optim_apply(o, &moments, none, none), 0);
    assert_int_equal(kn_item_int(kn_tree_get(moments, 0)), 1);
}

/* ---- Wrong operands. */

static void wrong_options_are_errors(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_null(kn_optim_adam());
    expect_error("TypeError", "optim_adam: missing required option 'learning_rate'");
    assert_null(kn_optim_sgd(.momentum = 0.9));
    expect_error("TypeError", "optim_sgd: missing required option 'learning_rate'");
    assert_null(kn_optim_adamw(.learning_rate = 1, .b1 = 1));
    expect_error("ValueError", "optim_adamw: b1 and b2 must be at least 0 and less than 1, but are 1 and 0.999");
    assert_null((kn_optim_adam)(NULL));
    expect_error("TypeError", "optim_adam: missing required option 'learning_rate'");
}

static void wrong_trees_are_errors_and_change_nothing(void **state)
{
    (void)state;
    KN_SCOPE;
    Net net = {kn_ones(KN_SHAPE(2)), kn_ones(KN_SHAPE(3))}, grad = {kn_ones(KN_SHAPE(3)), kn_ones(KN_SHAPE(3))};
    kn_array w = net.w, counts = kn_of(int, 1, 2);
    kn_optimizer o = kn_optim_adam(.learning_rate = 0.1), decay = kn_optim_adamw(.learning_rate = 0.1);
    kn_tree moments = kn_optim_init(o, KN_TREE(&net)), updates, next, none = NULL;
    assert_int_equal(kn_optim_apply(o, &moments, KN_TREE(&net), KN_TREE(&grad)), -1);
    expect_error("ValueError", "optim_apply: gradient 0 has shape (3,), but its parameter has (2,)");
    assert_ptr_equal(net.w, w);
    assert_int_equal(kn_item_int(kn_tree_get(moments, 0)), 0);
    assert_int_equal(kn_optim_apply(o, &moments, KN_TREE(&net), KN_TREE(&w)), -1);
    expect_error("ValueError", "optim_apply: the state: 5 arrays where 3 are wanted for the 1 gradients");
    assert_int_equal(kn_optim_apply(o, &moments, none, KN_TREE(&net)), -1);
    expect_error("TypeError", "optim_apply: null tree");
    assert_int_equal(kn_optim_apply(NULL, &moments, KN_TREE(&net), KN_TREE(&grad)), -1);
    expect_error("TypeError", "optim_apply: null optimizer");
    assert_int_equal(kn_optim_update(decay, KN_TREE(&net), moments, none, &updates, &next), -1);
    expect_error("ValueError", "optim_update: weight decay needs the parameters");
    assert_int_equal(kn_optim_update(o, KN_TREE(&net), moments, none, &updates, &next), 0);
    assert_null(kn_optim_init(o, KN_TREE(&counts)));
    expect_error("TypeError", "optim_init: parameter 0 is of dtype int32, which has no gradient");
    assert_null(kn_optim_apply_updates(KN_TREE(&net), KN_TREE(&grad)));
    expect_error("ValueError", "optim_apply_updates: update 0 has shape (3,), but its parameter has (2,)");
    Net bad = {kn_add(kn_ones(KN_SHAPE(2)), kn_ones(KN_SHAPE(3))), net.b};
    assert_int_equal(kn_optim_apply(o, &moments, KN_TREE(&net), KN_TREE(&bad)), -1);
    expect_error("ValueError", "add: operands could not be broadcast together with shapes (2,) (3,)");
    assert_ptr_equal(net.w, w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(steps_are_those_of_optax),    TEST(a_step_can_be_traced),
        TEST(a_loop_compiles_nothing_new), TEST(parameters_of_several_dtypes),
        TEST(complex_parameters),          TEST(no_parameters),
        TEST(wrong_options_are_errors),    TEST(wrong_trees_are_errors_and_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
