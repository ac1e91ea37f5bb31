/* SPDX-License-Identifier: Apache-2.0
 * test_optim_losses.c -- losses and schedules against optax (tests/golden/optim.npz), traced and differentiated. */
#include "support/expect.h"
#include "support/golden.h"
#include "support/group.h"

/* ---- Losses: float32 within 4e-6, float64 within 1e-14, of values around 1. */

static kn_array part(const golden *g, const char *dtype, const char *name)
{
    char text[64];
    snprintf(text, sizeof text, "loss %s %s", dtype, name);
    return golden_array(golden_find(g, text));
}

static void loss_is(const golden *g, const char *dtype, const char *name, kn_array got)
{
    char text[64];
    double tolerance = dtype[1] == '3' ? 4e-6 : 1e-14;
    snprintf(text, sizeof text, "loss %s %s", dtype, name);
    golden_close(text, got, golden_find(g, text), tolerance, tolerance);
}

static void check_losses(const golden *g, const char *d)
{
    KN_SCOPE;
    kn_array x = part(g, d, "x"), y = part(g, d, "y"), t = part(g, d, "t"), n = part(g, d, "n");
    kn_array where = part(g, d, "where"), log_p = kn_nn_log_softmax(x, KN_AXIS(-1)), sign = kn_sign(y);
    loss_is(g, d, "squared_error", kn_optim_squared_error(x, y));
    loss_is(g, d, "l2", kn_optim_l2_loss(x, y));
    loss_is(g, d, "l2_alone", kn_optim_l2_loss(x, KN_NONE));
    loss_is(g, d, "huber", kn_optim_huber_loss(x, y, .delta = 0.7));
    loss_is(g, d, "log_cosh", kn_optim_log_cosh(x, y));
    loss_is(g, d, "cosine_similarity", kn_optim_cosine_similarity(x, y));
    loss_is(g, d, "cosine_distance", kn_optim_cosine_distance(x, y, KN_AXIS(0), .epsilon = 1e-3));
    loss_is(g, d, "sigmoid_bce", kn_optim_sigmoid_binary_cross_entropy(x, t));
    loss_is(g, d, "hinge", kn_optim_hinge_loss(x, sign));
    loss_is(g, d, "perceptron", kn_optim_perceptron_loss(x, sign));
    loss_is(g, d, "softmax", kn_optim_softmax_cross_entropy(x, t));
    loss_is(g, d, "softmax_where", kn_optim_softmax_cross_entropy(x, t, .where = where));
    loss_is(g, d, "integer", kn_optim_softmax_cross_entropy_with_integer_labels(x, n));
    loss_is(g, d, "safe", kn_optim_safe_softmax_cross_entropy(x, t));
    loss_is(g, d, "kl", kn_optim_kl_divergence(log_p, t));
    loss_is(g, d, "kl_log", kn_optim_kl_divergence_with_log_targets(log_p, kn_nn_log_softmax(y, KN_AXIS(-1))));
    loss_is(g, d, "generalized_kl", kn_optim_generalized_kl_divergence(log_p, t));
    loss_is(g, d, "smooth", kn_optim_smooth_labels(t, 0.1));
    loss_is(g, d, "focal", kn_optim_sigmoid_focal_loss(x, t));
    loss_is(g, d, "focal_alpha", kn_optim_sigmoid_focal_loss(x, t, .alpha = 0.3, .gamma = 1.5));
    loss_is(g, d, "poly", kn_optim_poly_loss_cross_entropy(x, t, 2));
    loss_is(g, d, "ntxent", kn_optim_ntxent(x, kn_minimum(n, 2), 0.5));
}

static void losses_are_those_of_optax(void **state)
{
    (void)state;
    golden g = golden_read("optim.npz");
    check_losses(&g, "f32");
    check_losses(&g, "f64");
    golden_free(&g);
}

typedef struct {
    kn_array logits, labels;
} Rows;

static kn_array mean_loss(const Rows *r) { return kn_mean(kn_optim_safe_softmax_cross_entropy(r->logits, r->labels)); }
KN_FUNCTION(mean_loss, kn_array, Rows)

static void a_logit_of_minus_infinity_has_no_gradient(void **state)
{
    (void)state;
    KN_SCOPE;
    Rows r = {kn_of(double, 0, 0, -INFINITY), kn_of(double, 1, 0, 0)}, slope;
    kn_call(kn_jit(kn_grad(KN_FN(mean_loss))), &slope, &r);
    expect_near(slope.logits, 1e-15, -0.5, 0.5, 0);
}

static void wrong_operands_of_losses(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array whole = kn_of(int, 1, 2), x = kn_of(double, 1, 2);
    assert_false(kn_ok(kn_optim_l2_loss(whole, x)));
    expect_error("TypeError", "optim_l2_loss: Expected the input to have a dtype that is a subdtype of <class "
                              "'jax.numpy.floating'>, but got int32");
    assert_false(kn_ok(kn_optim_softmax_cross_entropy_with_integer_labels(x, kn_of(double, 0))));
    expect_error("TypeError", "optim_softmax_cross_entropy_with_integer_labels: Expected the input to have a dtype "
                              "that is a subdtype of <class 'jax.numpy.integer'>, but got float64");
    assert_false(kn_ok(kn_optim_ntxent(kn_ones(KN_SHAPE(3, 2)), whole, 0.07)));
    expect_error("ValueError", "optim_ntxent: Labels and embeddings must have the same leading dimension, found 2 for "
                               "labels and 3 for embeddings.");
    assert_false(kn_ok(kn_optim_huber_loss(KN_NONE, x)));
    expect_error("TypeError", "optim_huber_loss: null array");
    kn_array two = kn_zeros(KN_SHAPE(2, 2)), three = kn_zeros(KN_SHAPE(2, 3));
    assert_false(kn_ok(kn_optim_dice_loss(two, three)));
    expect_error("ValueError",
                 "optim_dice_loss: predictions and targets are of one shape, with a last axis of classes: "
                 "(2,2) and (2,3)");
    assert_false(kn_ok(kn_optim_dice_loss(two, two, .reduction = "most")));
    expect_error("ValueError", "optim_dice_loss: Unsupported reduction: most");
    assert_false(kn_ok(kn_optim_dice_loss(two, two, .apply_softmax = false)));
    expect_error("ValueError", "optim_dice_loss: When apply_softmax=False, predictions must be valid probability "
                               "distributions that sum to 1 along the class axis.");
    assert_false(kn_ok(kn_optim_multiclass_sparsemax_loss(kn_scalar(1.0), kn_scalar(0))));
    expect_error("ValueError", "optim_multiclass_sparsemax_loss: scores have a last axis, that of the classes");
}

/* ---- Schedules: float64 within 1e-14. */

static kn_schedule make(const char *name)
{
    static const kn_optim_boundary constant[] = {{9, 0.1}, {3, 0.5}}, between[] = {{3, 0.5}, {9, 4.0}};
    static const kn_optim_sgdr_cycle cycles[] = {{0.0, 1.0, 2, 8, 0, 0}, {0.1, 0.5, 3, 10, 0.05, 0}};
#define IS(s) (strcmp(name, s) == 0)
    if (IS("constant"))
        return kn_optim_constant_schedule(0.3);
    if (IS("linear"))
        return kn_optim_linear_schedule(1, 0.1, 10, .transition_begin = 2);
    if (IS("polynomial"))
        return kn_optim_polynomial_schedule(1, 0.1, 2.5, 12);
    if (IS("exponential"))
        return kn_optim_exponential_decay(1, 5, 0.8, .transition_begin = 2, .end_value = 0.5);
    if (IS("staircase"))
        return kn_optim_exponential_decay(1, 4, 0.5, .staircase = true);
    if (IS("cosine"))
        return kn_optim_cosine_decay_schedule(0.7, 12, .alpha = 0.1, .exponent = 1.5);
    if (IS("piecewise"))
        return kn_optim_piecewise_constant_schedule(1, 2, constant);
    if (IS("interpolate_linear"))
        return kn_optim_piecewise_interpolate_schedule("linear", 1, 2, between);
    if (IS("interpolate_cosine"))
        return kn_optim_piecewise_interpolate_schedule("cosine", 1, 2, between);
    if (IS("linear_onecycle"))
        return kn_optim_linear_onecycle_schedule(18, 0.5);
    if (IS("cosine_onecycle"))
        return kn_optim_cosine_onecycle_schedule(18, 0.5);
    if (IS("warmup_constant"))
        return kn_optim_warmup_constant_schedule(0.1, 0.6, 5);
    if (IS("warmup_cosine"))
        return kn_optim_warmup_cosine_decay_schedule(0, 1, 4, 16, .end_value = 0.05);
    if (IS("warmup_exponential"))
        return kn_optim_warmup_exponential_decay_schedule(0, 1, 4, 6, 0.7, .end_value = 0.3);
    if (IS("join")) {
        const kn_schedule parts[] = {kn_optim_constant_schedule(0.2), kn_optim_linear_schedule(1, 0, 5)};
        return kn_optim_join_schedules(2, parts, (int64_t[]){6});
    }
    return kn_optim_sgdr_schedule(2, cycles);
}

static void schedules_are_those_of_optax(void **state)
{
    static const char *const names[] = {"constant",
                                        "linear",
                                        "polynomial",
                                        "exponential",
                                        "staircase",
                                        "cosine",
                                        "piecewise",
                                        "interpolate_linear",
                                        "interpolate_cosine",
                                        "linear_onecycle",
                                        "cosine_onecycle",
                                        "warmup_constant",
                                        "warmup_cosine",
                                        "warmup_exponential",
                                        "join",
                                        "sgdr"};
    (void)state;
    golden g = golden_read("optim.npz");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        KN_SCOPE;
        char text[64];
        snprintf(text, sizeof text, "schedule %s", names[i]);
        const knio_npy *want = golden_find(&g, text);
        kn_schedule s = make(names[i]);
        golden_close(text, kn_optim_schedule_at(s, kn_arange(0, 21, 1)), want, 1e-14, 1e-14); /* all steps at once */
        assert_float_equal(kn_item(kn_optim_schedule_at(s, 7)), kn_item(kn_at(golden_array(want), "7")), 1e-14);
    }
    golden_free(&g);
}

static kn_array warm(const kn_array *step) { return kn_optim_schedule_at(make("warmup_cosine"), *step); }
KN_FUNCTION(warm, kn_array, kn_array)

static void a_schedule_takes_a_traced_step(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array step = kn_scalar((int32_t)4), rate;
    kn_call(kn_jit(KN_FN(warm)), &rate, &step);
    expect_near(rate, 1e-15, 1);
}

static void a_schedule_with_other_numbers_compiles_nothing_new(void **state)
{
    (void)state;
    KN_SCOPE;
    uint64_t misses = 0;
    for (int i = 0; i < 6; i++) {
        KN_SCOPE;
        kn_eval(kn_optim_schedule_at(kn_optim_cosine_decay_schedule(0.1 * (i + 1), 10 + i), kn_scalar(i)));
        if (i == 2)
            misses = kn_cache_stats().plans.misses;
    }
    assert_int_equal(kn_cache_stats().plans.misses, misses);
}

static void wrong_schedules(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_optim_linear_onecycle_schedule(10, 1, .pct_start = NAN);
    expect_error("ValueError", "optim_linear_onecycle_schedule: cannot convert float NaN to integer");
    kn_optim_cosine_onecycle_schedule(10, 1, .pct_start = 1e300);
    expect_error("OverflowError", "optim_cosine_onecycle_schedule: step 1e+301 of a schedule does not fit an integer");
    assert_null(kn_optim_cosine_decay_schedule(1, 0));
    expect_error("ValueError", "optim_cosine_decay_schedule: The cosine_decay_schedule requires positive decay_steps, "
                               "got decay_steps=0.");
    assert_null(kn_optim_piecewise_interpolate_schedule("cubic", 1, 0, NULL));
    expect_error("ValueError",
                 "optim_piecewise_interpolate_schedule: `interpolate_type` must be either 'cosine' or 'linear'");
    assert_null(kn_optim_piecewise_constant_schedule(1, 1, &(kn_optim_boundary){3, -1}));
    expect_error("ValueError", "optim_piecewise_constant_schedule: `piecewise_constant_schedule` expects non-negative "
                               "scale factors");
    assert_false(kn_ok(kn_optim_schedule_at(NULL, 1)));
    expect_error("TypeError", "optim_schedule_at: null schedule");
    expect_near(kn_optim_schedule_at(kn_optim_linear_schedule(0.5, 0, 0), 9), 0, 0.5); /* no steps: constant */
}

KN_TEST_GROUP(test_optim_losses)
{
    const struct CMUnitTest tests[] = {
        TEST(losses_are_those_of_optax),
        TEST(a_logit_of_minus_infinity_has_no_gradient),
        TEST(wrong_operands_of_losses),
        TEST(schedules_are_those_of_optax),
        TEST(a_schedule_takes_a_traced_step),
        TEST(a_schedule_with_other_numbers_compiles_nothing_new),
        TEST(wrong_schedules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
