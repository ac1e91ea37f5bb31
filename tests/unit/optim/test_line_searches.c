/* SPDX-License-Identifier: Apache-2.0
 * test_line_searches.c -- L-BFGS and line searches: fifteen steps as optax takes them (tests/golden/searches.npz), traced
 * and under vmap; dtypes; what is left in the state; wrong operands. */
#include "support/expect.h"
#include "support/golden.h"
#include "support/group.h"
#include <math.h>

enum { STEPS = 15 };

/* ---- The problems, each a function of a struct of parameters. */

typedef struct {
    kn_array x;
} One;
typedef struct {
    kn_array w, b;
} Net;
KN_FIELDS(Net, w, b)
typedef struct {
    kn_array first, second; /* D and d; X and y */
} Data;

static kn_array rosen(const One *p)
{
    kn_array a = kn_at(p->x, ":-1"), b = kn_at(p->x, "1:");
    kn_array first = kn_square(kn_sub(b, kn_square(a)));
    return kn_sum(kn_add(kn_mul(100, first), kn_square(kn_sub(1, a))));
}
KN_FUNCTION(rosen, kn_array, One)

static kn_array quadratic(const Data *g, const One *p)
{
    return kn_sum(kn_mul(p->x, kn_sub(kn_mul(kn_mul(0.5, g->first), p->x), g->second)));
}
KN_CLOSURE(quadratic, kn_array, Data, One)

static kn_array logistic(const Data *g, const Net *p)
{
    kn_array margin = kn_mul(kn_negative(g->second), kn_add(kn_matmul(g->first, p->w), p->b));
    return kn_add(kn_mean(kn_logaddexp(margin, 0)), kn_mul(0.01, kn_sum(kn_square(p->w))));
}
KN_CLOSURE(logistic, kn_array, Data, Net)

/* ---- The optimizers. */

#define CASES                                                                                                          \
    X(lbfgs, kn_optim_lbfgs())                                                                                         \
    X(lbfgs_short, kn_optim_lbfgs(.memory_size = 3, .scale_init_precond = false))                                      \
    X(lbfgs_fixed, kn_optim_lbfgs(.learning_rate = 0.1, .linesearch = kn_optim_identity()))                            \
    X(lbfgs_plain, kn_optim_lbfgs(.memory_size = 1, .linesearch = kn_optim_scale_by_backtracking_linesearch(20)))      \
    X(lbfgs_scheduled, kn_optim_lbfgs(.learning_rate_schedule = kn_optim_linear_schedule(0.125, 0.5, 8),               \
                                      .linesearch = kn_optim_identity()))                                              \
    X(backtracking, kn_optim_chain(kn_optim_sgd(.learning_rate = 1), kn_optim_scale_by_backtracking_linesearch(30)))   \
    X(backtracking_few,                                                                                                \
      kn_optim_chain(kn_optim_sgd(.learning_rate = 1),                                                                 \
                     kn_optim_scale_by_backtracking_linesearch(3, .slope_rtol = 0.3, .decrease_factor = 0.5)))         \
    X(backtracking_options,                                                                                            \
      kn_optim_chain(kn_optim_sgd(.learning_rate = 1),                                                                 \
                     kn_optim_scale_by_backtracking_linesearch(30, .increase_factor = INFINITY,                        \
                                                               .max_learning_rate = 0.3, .atol = 1e-3, .rtol = 1e-2))) \
    X(zoom, kn_optim_chain(kn_optim_sgd(.learning_rate = 0.1), kn_optim_scale_by_zoom_linesearch(20)))                 \
    X(zoom_few, kn_optim_chain(kn_optim_sgd(.learning_rate = 1),                                                       \
                               kn_optim_scale_by_zoom_linesearch(3, .initial_guess_strategy = "one")))                 \
    X(zoom_strict, kn_optim_chain(kn_optim_sgd(.learning_rate = 0.01),                                                 \
                                  kn_optim_scale_by_zoom_linesearch(30, .curv_rtol = 0.1, .approx_dec_rtol = NAN,      \
                                                                    .increase_factor = 3)))                            \
    X(zoom_short, kn_optim_chain(kn_optim_sgd(.learning_rate = 0.01),                                                  \
                                 kn_optim_scale_by_zoom_linesearch(20, .max_learning_rate = 1.5, .tol = 1e-3,          \
                                                                   .stepsize_precision = 1e-2)))                       \
    X(zoom_momentum, kn_optim_chain(kn_optim_sgd(.learning_rate = 0.001), kn_optim_scale_by_zoom_linesearch(20),       \
                                    kn_optim_trace(0.5)))
#define X(name, expression) \
    static kn_optimizer make_##name(void) { return expression; }
CASES
#undef X
#define X(name, expression) {#name, make_##name},
static const struct {
    const char *name;
    kn_optimizer (*make)(void);
} cases[] = {CASES};
#undef X

/* ---- Steps. */

static const knio_npy *stored(const golden *g, const char *a, const char *b, const char *c)
{
    char text[96];
    snprintf(text, sizeof text, "%s%s%s%s%s", a, *b ? " " : "", b, *c ? " " : "", c);
    return golden_find(g, text);
}

/* One run on one problem: the parameters behind each step, rates, rounds. */
typedef struct {
    kn_array x, rate, rounds;
} Path;

static Path path_of(kn_optimizer o, kn_fn f, kn_tree params, bool searches, int steps)
{
    kn_array x[STEPS], rate[STEPS], rounds[STEPS];
    kn_tree state = kn_optim_init(o, params);
    kn_fn slope = kn_value_and_grad(f);
    for (int i = 0; i < steps; i++) {
        kn_array value;
        kn_tree grad;
        const kn_outs outs = {2, {{&value, sizeof value}, {&grad, 2}}};
        assert_int_equal((kn_call)(slope, &outs, &(const kn_args){1, {{params, 1}}}), 0);
        int status = searches ? kn_optim_apply(o, &state, params, grad, .value = value, .value_fn = f)
                              : kn_optim_apply(o, &state, params, grad);
        if (status)
            fail_msg("%s", kn_error_message());
        kn_array flat[2];
        for (int k = 0; k < kn_tree_count(params) && k < 2; k++)
            flat[k] = kn_ravel(kn_tree_get(params, k));
        x[i] = kn_concatenate(kn_list_from(flat, kn_tree_count(params)));
        if (searches) {
            bool chained = kn_tree_has(state, "[1].learning_rate");
            rate[i] = kn_tree_at(state, chained ? "[1].learning_rate" : "[2].learning_rate");
            rounds[i] = kn_tree_at(state, chained ? "[1].info.num_linesearch_steps" : "[2].info.num_linesearch_steps");
        }
    }
    Path p = {kn_stack(kn_list_from(x, steps)), NULL, NULL};
    if (searches) {
        p.rate = kn_stack(kn_list_from(rate, steps));
        p.rounds = kn_stack(kn_list_from(rounds, steps));
    }
    return p;
}

static Path run(const golden *g, const char *problem, kn_optimizer o, const char *dtype, bool searches)
{
    if (strcmp(problem, "logistic") == 0) {
        Data d = {golden_array(stored(g, "logistic X", dtype, "")), golden_array(stored(g, "logistic y", dtype, ""))};
        kn_dtype t = kn_dtype_of(d.first);
        Net p = {kn_zeros(KN_SHAPE(3), t), kn_astype(kn_scalar(0.5), t)};
        return path_of(o, KN_CLOSE(logistic, &d), KN_TREE(&p, Net), searches, STEPS);
    }
    bool f32 = dtype[1] == '3';
    One p = {kn_ones(KN_SHAPE(8))};
    if (strcmp(problem, "rosen2") == 0)
        p.x = kn_of(double, -1.2, 1);
    else if (strcmp(problem, "rosen5") == 0)
        p.x = kn_of(double, -1.2, 1, -0.5, 0.25, 0.75);
    else if (strcmp(problem, "rosen10") == 0)
        p.x = kn_linspace(-1, 1.25, 10);
    p.x = kn_astype(p.x, f32 ? KN_F32 : KN_F64);
    if (strcmp(problem, "quadratic") != 0)
        return path_of(o, KN_FN(rosen), KN_TREE(&p), searches, STEPS);
    Data d = {golden_array(stored(g, "quadratic D", dtype, "")), golden_array(stored(g, "quadratic d", dtype, ""))};
    return path_of(o, KN_CLOSE(quadratic, &d), KN_TREE(&p), searches, STEPS);
}

/* ---- What optax does. */

/* Searches decide by comparisons, and L-BFGS divides by differences that become small: an error of one ulp grows by
 * some powers of ten in fifteen steps on Rosenbrock's valley. */
static void check(const golden *g, const char *problem, size_t i, const char *dtype, double tolerance)
{
    KN_SCOPE;
    char name[64], what[80];
    snprintf(name, sizeof name, "%s %s %s", problem, cases[i].name, dtype);
    bool searches = strcmp(cases[i].name, "lbfgs_fixed") != 0 && strcmp(cases[i].name, "lbfgs_scheduled") != 0;
    Path p = run(g, problem, cases[i].make(), dtype, searches);
    snprintf(what, sizeof what, "%s x", name);
    golden_close(what, p.x, stored(g, name, "x", ""), tolerance, tolerance);
    if (!searches || dtype[1] == '3') /* close to a minimum the rounding of float32 decides how long a search is */
        return;
    snprintf(what, sizeof what, "%s rate", name);
    /* Where hardly anything is left of the updates, rates are quotients of small numbers. */
    golden_close(what, p.rate, stored(g, name, "rate", ""), 1000 * tolerance, tolerance);
    snprintf(what, sizeof what, "%s rounds", name);
    golden_same_bits(what, p.rounds, stored(g, name, "rounds", ""));
}

static void steps_are_those_of_optax(void **state)
{
    (void)state;
    golden g = golden_read("searches.npz");
    static const char *const all[] = {"rosen5", "quadratic", "logistic"}, *const few[] = {"rosen2", "rosen10"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool often =
            !strcmp(cases[i].name, "lbfgs") || !strcmp(cases[i].name, "zoom") || !strcmp(cases[i].name, "backtracking");
        for (size_t k = 0; k < 3; k++)
            if (k != 1 || strcmp(cases[i].name, "lbfgs_short"))
                check(&g, all[k], i, "f64", 1e-12);
        for (size_t k = 0; often && k < 2; k++)
            check(&g, few[k], i, "f64", 1e-12);
        for (size_t k = 0; often && k < 3; k++)
            check(&g, all[k], i, "f32", 3e-5);
    }
    golden_free(&g);
}

/* ---- Transformations. */

static kn_array three_steps(const One *start)
{
    One p = *start;
    kn_optimizer o = kn_optim_lbfgs(.memory_size = 2);
    kn_tree state = kn_optim_init(o, KN_TREE(&p));
    for (int i = 0; i < 3; i++) {
        kn_array value;
        kn_tree grad;
        if (kn_optim_value_and_grad_from_state(KN_FN(rosen), KN_TREE(&p), state, &value, &grad) ||
            kn_optim_apply(o, &state, KN_TREE(&p), grad, .value = value, .value_fn = KN_FN(rosen)))
            return NULL;
    }
    return p.x;
}
KN_FUNCTION(three_steps, kn_array, One)

static void compiled_steps_have_the_same_bits(void **state)
{
    (void)state;
    KN_SCOPE;
    One p = {kn_of(double, -1.2, 1, -0.5)};
    kn_array plain = three_steps(&p), jitted;
    assert_int_equal(kn_call(kn_jit(KN_FN(three_steps)), &jitted, &p), 0);
    assert_true(kn_item_bool(kn_array_equal(plain, jitted)));
}

static void lanes_search_alone(void **state)
{
    (void)state;
    KN_SCOPE;
    One p = {kn_reshape(kn_of(double, -1.2, 1, 3, 0.1, 0.9, 0.7), KN_SHAPE(3, 2))}, one;
    kn_array all;
    assert_int_equal(kn_call(kn_vmap(KN_FN(three_steps)), &all, &p), 0);
    for (int i = 0; i < 3; i++) {
        one.x = kn_at(p.x, "%", i);
        assert_true(kn_item_bool(kn_allclose(kn_at(all, "%", i), three_steps(&one), .rtol = 1e-12)));
    }
}

static void steps_compile_nothing_anew(void **state)
{
    (void)state;
    KN_SCOPE;
    Data d = {kn_of(double, 1, 10, 100), kn_of(double, 1, 2, 3)};
    One p = {kn_of(double, 1, 1, 1)};
    kn_optimizer o = kn_optim_lbfgs();
    kn_tree moments = kn_optim_init(o, KN_TREE(&p));
    uint64_t misses = 0;
    for (int i = 0; i < 8; i++) {
        KN_SCOPE;
        Data now = {kn_mul(d.first, i + 1), d.second}; /* other numbers, captured */
        kn_fn f = KN_CLOSE(quadratic, &now);
        kn_array value;
        One grad;
        kn_call(kn_value_and_grad(f), KN_OUT(&value, &grad), &p);
        kn_optim_apply(o, &moments, KN_TREE(&p), KN_TREE(&grad), .value = value, .value_fn = f);
        kn_eval(p.x);
        if (i == 3)
            misses = kn_cache_stats().plans.misses;
    }
    assert_int_equal(kn_cache_stats().plans.misses, misses);
}

/* ---- States. */

static kn_array squares(const One *p) { return kn_sum(kn_square(kn_absolute(p->x))); }
KN_FUNCTION(squares, kn_array, One)

static void the_state_has_value_and_gradient(void **state)
{
    (void)state;
    KN_SCOPE;
    One p = {kn_of(double, 1, 2, 3)};
    kn_optimizer o = kn_optim_chain(kn_optim_sgd(.learning_rate = 1),
                                    kn_optim_scale_by_backtracking_linesearch(15, .store_grad = true));
    kn_tree s = kn_optim_init(o, KN_TREE(&p)), grad;
    kn_array value;
    assert_int_equal(kn_optim_value_and_grad_from_state(KN_FN(squares), KN_TREE(&p), s, &value, &grad), 0);
    expect_values(value, 14); /* there is none in the first state: it is worked out */
    expect_values(kn_tree_get(grad, 0), 2, 4, 6);
    assert_int_equal(kn_optim_apply(o, &s, KN_TREE(&p), grad, .value = value, .value_fn = KN_FN(squares)), 0);
    assert_int_equal(kn_optim_value_and_grad_from_state(KN_FN(rosen), KN_TREE(&p), s, &value, &grad), 0);
    expect_values(value, kn_item(squares(&p))); /* not of rosen: it was left there */
    assert_true(kn_item_bool(kn_array_equal(kn_tree_get(grad, 0), kn_mul(2, p.x))));
}

static void states_without_gradients_are_errors(void **state)
{
    (void)state;
    KN_SCOPE;
    One p = {kn_of(double, 1, 2, 3)};
    kn_tree s = kn_optim_init(kn_optim_scale_by_backtracking_linesearch(5), KN_TREE(&p)), grad;
    kn_array value;
    assert_int_equal(kn_optim_value_and_grad_from_state(KN_FN(squares), KN_TREE(&p), s, &value, &grad), -1);
    expect_error("ValueError", "optim_value_and_grad_from_state: Value or gradient not found in the state. Make sure "
                               "that these values are stored in the state by the optimizer.");
    kn_optimizer zoom = kn_optim_scale_by_zoom_linesearch(5);
    s = kn_optim_init(kn_optim_chain(zoom, zoom), KN_TREE(&p));
    assert_int_equal(kn_optim_value_and_grad_from_state(KN_FN(squares), KN_TREE(&p), s, &value, &grad), -1);
    expect_error("KeyError", "optim_value_and_grad_from_state: Found multiple values for 'value' in the state");
}

/* ---- Dtypes and shapes. */

static One stepped(One p, kn_optimizer o)
{
    kn_tree s = kn_optim_init(o, KN_TREE(&p));
    for (int i = 0; i < 3; i++) {
        kn_array value;
        One grad;
        kn_call(kn_value_and_grad(KN_FN(squares)), KN_OUT(&value, &grad), &p);
        if (kn_optim_apply(o, &s, KN_TREE(&p), KN_TREE(&grad), .value = value, .value_fn = KN_FN(squares)))
            fail_msg("%s", kn_error_message());
    }
    return p;
}

static void parameters_of_all_kinds(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array bf16 = kn_astype(kn_of(float, 1, -2), KN_BF16);
    One y = stepped((One){bf16}, kn_optim_lbfgs());
    assert_ptr_equal(kn_dtype_of(y.x), KN_BF16);
    expect_near(kn_astype(y.x, KN_F64), 1e-2, 0, 0);
    y = stepped((One){kn_scalar(3.0)}, kn_optim_lbfgs());
    expect_near(y.x, 1e-12, 0);
    y = stepped((One){kn_zeros(KN_SHAPE(0, 2))}, kn_optim_lbfgs());
    assert_int_equal(kn_size(y.x), 0);
}

static kn_array of_complex(const One *p)
{
    kn_array centre = kn_of(double _Complex, 1 + 1i, 2 - 1i), weight = kn_of(double, 1, 3);
    kn_array distance = kn_mul(weight, kn_square(kn_absolute(kn_sub(p->x, centre))));
    return kn_add(kn_sum(distance), kn_sum(kn_square(kn_square(kn_real(p->x)))));
}
KN_FUNCTION(of_complex, kn_array, One)

/* Three steps along conjugate gradients from 1 + 2i and -i, as optax takes them. */
static void complex_steps(kn_optimizer o, double re, double im, double other)
{
    One p = {kn_of(double _Complex, 1 + 2i, -1i)};
    kn_tree s = kn_optim_init(o, KN_TREE(&p));
    for (int i = 0; i < 3; i++) {
        kn_array value;
        One grad, conj;
        kn_call(kn_value_and_grad(KN_FN(of_complex)), KN_OUT(&value, &grad), &p);
        conj.x = kn_conjugate(grad.x);
        assert_int_equal(kn_optim_apply(o, &s, KN_TREE(&p), KN_TREE(&conj), .value = value, .grad = KN_TREE(&grad),
                                        .value_fn = KN_FN(of_complex)),
                         0);
    }
    expect_near(kn_real(p.x), 1e-14, re, other);
    expect_near(kn_imag(p.x), 1e-14, im, -1);
}

static void complex_parameters(void **state)
{
    (void)state;
    KN_SCOPE;
    complex_steps(kn_optim_lbfgs(), 0.5903216352471129, 1.4761466972211643, 1.1403586192511217);
    complex_steps(kn_optim_chain(kn_optim_sgd(.learning_rate = 1), kn_optim_scale_by_backtracking_linesearch(20)),
                  0.5533584016228742, 1.5093586241656596, 1.3415576838928622);
    complex_steps(kn_optim_chain(kn_optim_sgd(.learning_rate = 0.1), kn_optim_scale_by_zoom_linesearch(20)),
                  0.5916576126485973, 1.538878494932774, 1.165867629200449);
}

/* ---- Wrong operands. */

static kn_array vector(const One *p) { return p->x; }
KN_FUNCTION(vector, kn_array, One)
static kn_array of_two(const Net *p) { return kn_sum(kn_add(p->w, p->b)); }
KN_FUNCTION(of_two, kn_array, Net)

static void wrong_options_are_errors(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_null(kn_optim_scale_by_lbfgs(.memory_size = 0));
    expect_error("ValueError", "optim_scale_by_lbfgs: memory_size must be >= 1, but is 0");
    assert_null(kn_optim_lbfgs(.memory_size = -1));
    expect_error("ValueError", "optim_lbfgs: memory_size must be >= 1, but is -1");
    assert_null(kn_optim_scale_by_zoom_linesearch(5, .initial_guess_strategy = "two"));
    expect_error("ValueError", "optim_scale_by_zoom_linesearch: Unknown initial guess strategy: two");
    assert_null(kn_optim_scale_by_backtracking_linesearch(-1));
    expect_error("ValueError", "optim_scale_by_backtracking_linesearch: max_backtracking_steps must be at least 0, but "
                               "is -1");
}

static void steps_without_a_function_are_errors(void **state)
{
    (void)state;
    KN_SCOPE;
    One p = {kn_of(double, 1, 2)}, g = p;
    kn_array x = p.x, one = kn_scalar(1.0);
    kn_optimizer o = kn_optim_lbfgs(), masked = kn_optim_masked(o, kn_tree_list(KN_TRUE));
    kn_optimizer back = kn_optim_scale_by_backtracking_linesearch(4);
    kn_tree s = kn_optim_init(o, KN_TREE(&p)), m = kn_optim_init(masked, KN_TREE(&p)),
            b = kn_optim_init(back, KN_TREE(&p));
    assert_int_equal(kn_optim_apply(o, &s, KN_TREE(&p), KN_TREE(&g), .value_fn = KN_FN(squares)), -1);
    expect_error("TypeError", "optim_apply: update_fn() missing 1 required keyword-only argument: 'value'");
    assert_int_equal(kn_optim_apply(o, &s, KN_TREE(&p), KN_TREE(&g), .value = one), -1);
    expect_error("TypeError", "optim_apply: update_fn() missing 1 required keyword-only argument: 'value_fn'");
    assert_int_equal(kn_optim_apply(o, &s, KN_TREE(&p), KN_TREE(&g), .value = one, .value_fn = KN_FN(of_two)), -1);
    expect_error_with("TypeError", "value_fn must take the parameters, 1 array");
    assert_int_equal(kn_optim_apply(back, &b, KN_TREE(&p), KN_TREE(&g), .value = one, .value_fn = KN_FN(vector)), -1);
    expect_error("TypeError", "optim_apply: value_fn vector must return a real scalar, but it returns float64[2]");
    assert_int_equal(kn_optim_apply(back, &b, KN_TREE(&p), KN_TREE(&g), .value = x, .value_fn = KN_FN(squares)), -1);
    expect_error("TypeError", "optim_apply: value must be a real scalar, but is float64[2]");
    assert_ptr_equal(p.x, x);
    assert_int_equal(kn_optim_apply(masked, &m, KN_TREE(&p), KN_TREE(&g), .value = one, .value_fn = KN_FN(squares)), 0);
}

static void other_gradients_are_those_of_the_loss(void **state)
{
    (void)state;
    KN_SCOPE;
    One p = {kn_of(double, 1, 2)}, u = {kn_of(double, -1, -2)}, g = {kn_of(double, 2, 4)};
    kn_optimizer o = kn_optim_scale_by_backtracking_linesearch(4); /* of updates that are no gradients */
    kn_tree s = kn_optim_init(o, KN_TREE(&p));
    assert_int_equal(kn_optim_apply(o, &s, KN_TREE(&p), KN_TREE(&u), .value = kn_scalar(5.0), .grad = KN_TREE(&g),
                                    .value_fn = KN_FN(squares)),
                     0);
    expect_values(p.x, 0, 0);
}

KN_TEST_GROUP(test_line_searches)
{
    const struct CMUnitTest tests[] = {TEST(steps_are_those_of_optax),
                                       TEST(compiled_steps_have_the_same_bits),
                                       TEST(lanes_search_alone),
                                       TEST(steps_compile_nothing_anew),
                                       TEST(the_state_has_value_and_gradient),
                                       TEST(states_without_gradients_are_errors),
                                       TEST(parameters_of_all_kinds),
                                       TEST(complex_parameters),
                                       TEST(wrong_options_are_errors),
                                       TEST(steps_without_a_function_are_errors),
                                       TEST(other_gradients_are_those_of_the_loss)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
