/* SPDX-License-Identifier: Apache-2.0
 * test_optim.c -- optimizers: twenty steps as optax takes them (tests/golden/optim.npz), lazily and traced; trees;
 * wrong operands. */
#include "support/expect.h"
#include "support/golden.h"
#include "support/group.h"

typedef struct {
    kn_array w, b;
} Net;

static kn_tree only_w(bool yes)
{
    bool other = !yes;
    return kn_tree_tuple(kn_scalar(yes), kn_scalar(other));
}

static kn_optimizer adam(void) { return kn_optim_adam(.learning_rate = 0.1); }
static kn_optimizer sgd(double rate) { return kn_optim_sgd(.learning_rate = rate); }

#define CASE(name, expression) \
    static kn_optimizer make_##name(void) { return expression; }
#define CASES                                                                                                       \
    X(sgd, sgd(0.05))                                                                                               \
    X(momentum, kn_optim_sgd(.learning_rate = 0.05, .momentum = 0.9))                                               \
    X(nesterov, kn_optim_sgd(.learning_rate = 0.05, .momentum = 0.9, .nesterov = true))                             \
    X(adam, adam())                                                                                                 \
    X(adam_options, kn_optim_adam(.learning_rate = 0.03, .b1 = 0.8, .b2 = 0.95, .eps = 1e-4, .eps_root = 1e-6))     \
    X(nadam, kn_optim_nadam(.learning_rate = 0.1))                                                                  \
    X(adamw, kn_optim_adamw(.learning_rate = 0.1, .weight_decay = 0.02))                                            \
    X(adamw_masked, kn_optim_adamw(.learning_rate = 0.1, .weight_decay = 0.02, .mask = only_w(true)))               \
    X(nadamw, kn_optim_nadamw(.learning_rate = 0.1))                                                                \
    X(adamax, kn_optim_adamax(.learning_rate = 0.1))                                                                \
    X(adamaxw, kn_optim_adamaxw(.learning_rate = 0.1))                                                              \
    X(amsgrad, kn_optim_amsgrad(.learning_rate = 0.1))                                                              \
    X(adabelief, kn_optim_adabelief(.learning_rate = 0.1))                                                          \
    X(adadelta, kn_optim_adadelta(.learning_rate = 0.5, .weight_decay = 0.01))                                      \
    X(adagrad, kn_optim_adagrad(.learning_rate = 0.5))                                                              \
    X(adan, kn_optim_adan(.learning_rate = 0.05, .weight_decay = 0.01))                                             \
    X(adafactor, kn_optim_adafactor(.learning_rate = 0.1, .momentum = 0.9, .weight_decay_rate = 0.01))              \
    X(adafactor_factored, kn_optim_adafactor(.learning_rate = 0.1, .min_dim_size_to_factor = 2))                    \
    X(rmsprop, kn_optim_rmsprop(.learning_rate = 0.05))                                                             \
    X(rmsprop_options, kn_optim_rmsprop(.learning_rate = 0.02, .decay = 0.8, .eps_in_sqrt = false, .momentum = 0.5, \
                                        .nesterov = true, .bias_correction = true))                                 \
    X(rmsprop_centered,                                                                                             \
      kn_optim_rmsprop(.learning_rate = 0.02, .centered = true, .momentum = 0.5, .initial_scale = 0.5))             \
    X(rprop, kn_optim_rprop(.learning_rate = 0.05))                                                                 \
    X(lion, kn_optim_lion(.learning_rate = 0.05))                                                                   \
    X(lamb, kn_optim_lamb(.learning_rate = 0.05, .weight_decay = 0.01))                                             \
    X(lars, kn_optim_lars(.learning_rate = 0.5, .weight_decay = 0.01, .trust_coefficient = 0.1))                    \
    X(radam, kn_optim_radam(.learning_rate = 0.1, .b2 = 0.9))                                                       \
    X(yogi, kn_optim_yogi(.learning_rate = 0.1))                                                                    \
    X(novograd, kn_optim_novograd(.learning_rate = 0.1, .weight_decay = 0.01))                                      \
    X(fromage, kn_optim_fromage(.learning_rate = 0.05))                                                             \
    X(sm3, kn_optim_sm3(.learning_rate = 0.3))                                                                      \
    X(sign_sgd, kn_optim_sign_sgd(.learning_rate = 0.03))                                                           \
    X(signum, kn_optim_signum(.learning_rate = 0.03))                                                               \
    X(noisy_sgd, kn_optim_noisy_sgd(.learning_rate = 0.05, .seed = 7))                                              \
    X(optimistic, kn_optim_optimistic_gradient_descent(.learning_rate = 0.05, .alpha = 1.1, .beta = 0.8))           \
    X(scheduled, kn_optim_adam(.learning_rate_schedule = kn_optim_cosine_decay_schedule(0.2, 15)))                  \
    X(chain, kn_optim_chain(kn_optim_clip_by_global_norm(1), adam()))                                               \
    X(clipped, kn_optim_chain(kn_optim_clip(0.5), kn_optim_clip_by_block_rms(0.2), sgd(0.1)))                       \
    X(agc, kn_optim_chain(kn_optim_adaptive_grad_clip(0.1, 1e-3), sgd(0.1)))                                        \
    X(centralized, kn_optim_chain(kn_optim_centralize(), kn_optim_zero_nans(), kn_optim_ema(0.8), sgd(0.1)))        \
    X(normalized, kn_optim_chain(kn_optim_normalize_by_update_norm(1, 1e-6), kn_optim_scale(-0.1)))                 \
    X(nonnegative, kn_optim_chain(sgd(0.3), kn_optim_keep_params_nonnegative()))                                    \
    X(if_finite, kn_optim_apply_if_finite(adam(), 3))                                                               \
    X(every, kn_optim_chain(sgd(0.05), kn_optim_apply_every(3)))                                                    \
    X(multi, kn_optim_multi_steps(adam(), 3))                                                                       \
    X(frozen, kn_optim_chain(sgd(0.1), kn_optim_freeze(only_w(false))))                                             \
    X(masked, kn_optim_masked(adam(), only_w(true)))
/* Those of newer.c, distance.c and wrap_more.c. */
#define two(a, b) ((kn_optimizer[]){a, b})
#define NEWER                                                                                                        \
    X(muon_adaptive, kn_optim_muon(.learning_rate = 0.1, .adaptive = true, .nesterov = false, .consistent_rms = 0.2, \
                                   .weight_decay = 0.1))                                                             \
    X(prodigy_options,                                                                                               \
      kn_optim_prodigy(.learning_rate = 0.5, .estim_lr0 = 1e-2, .weight_decay = 0.1, .safeguard_warmup = true))      \
    X(prodigy_scheduled, kn_optim_prodigy(.learning_rate_schedule = kn_optim_linear_schedule(1.0, 0.1, 4)))          \
    X(dadapt_adamw_options, kn_optim_dadapt_adamw(.learning_rate = 0.5, .estim_lr0 = 1e-2, .weight_decay = 0.1))     \
    X(dog_options,                                                                                                   \
      kn_optim_dog(.learning_rate = 0.5, .init_step = "learning_rate", .init_value = 1e-2, .weight_decay = 0.1))     \
    X(adopt_options, kn_optim_adopt(.learning_rate = 0.1, .nesterov = true, .use_clipping = false))                  \
    X(schedule_free_sgd_warmed,                                                                                      \
      kn_optim_schedule_free_sgd(.learning_rate = 0.5, .warmup_steps = 2, .weight_decay = 0.1))                      \
    X(schedule_free_adamw_warmed,                                                                                    \
      kn_optim_schedule_free_adamw(.learning_rate = 0.5, .warmup_steps = 2, .weight_decay = 0.1))                    \
    X(sam_adam, kn_optim_sam(kn_optim_adam(.learning_rate = 0.1), kn_optim_adam(.learning_rate = 0.2),               \
                             .sync_period = 3, .reset_state = false))                                                \
    X(acprop, kn_optim_acprop(.learning_rate = 0.1))                                                                 \
    X(ademamix, kn_optim_ademamix(.learning_rate = 0.1))                                                             \
    X(cocob, kn_optim_cocob())                                                                                       \
    X(dowg, kn_optim_dowg())                                                                                         \
    X(dog, kn_optim_dog())                                                                                           \
    X(madgrad, kn_optim_madgrad(.learning_rate = 0.1))                                                               \
    X(muon, kn_optim_muon(.learning_rate = 0.1))                                                                     \
    X(optimistic_adam, kn_optim_optimistic_adam_v2(.learning_rate = 0.1))                                            \
    X(partition, kn_optim_partition(2, two(kn_optim_sgd(.learning_rate = 0.1), kn_optim_adam(.learning_rate = 0.2)), \
                                    kn_tree_tuple(1, 0)))                                                            \
    X(flattened, kn_optim_flatten(adam()))                                                                           \
    X(dog_masked, kn_optim_masked(kn_optim_dog(), only_w(false)))
#define X(name, expression) CASE(name, expression)
CASES
NEWER
#undef X
#define X(name, expression) {#name, make_##name},
static const struct {
    const char *name;
    kn_optimizer (*make)(void);
} cases[] = {CASES}, newer[] = {NEWER};
#undef X

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

/* 20 steps round some hundred times each: float32 to 3e-6, float64 to 1e-14 (about 30 and 50 ulp of 1). Those that
 * divide small numbers by each other, or whose random numbers are a few ulp off, get ten times that; adafactor has its
 * decay rate in float32 always. */
static double tolerance_of(const char *name, const char *dtype)
{
    static const char *const rough[] = {"noisy_sgd", "rmsprop_centered", "adabelief", "yogi",          "radam",
                                        "novograd",  "acprop",           "muon",      "muon_adaptive", "dog",
                                        "madgrad"};
    double tolerance = dtype[1] == '3' || strncmp(name, "adafactor", 9) == 0 ? 3e-6 : 1e-14;
    for (size_t i = 0; i < sizeof rough / sizeof *rough; i++)
        if (strcmp(rough[i], name) == 0)
            return 10 * tolerance;
    return strcmp(name, "dowg") == 0 ? 100 * tolerance
                                     : tolerance; /* its rate is a quotient of tiny numbers at first */
}

static void run(const golden *g, const char *name, kn_optimizer (*make)(void), const char *dtype)
{
    KN_SCOPE;
    char text[64];
    double tolerance = tolerance_of(name, dtype);
    Net net = {start(g, "w", dtype), start(g, "b", dtype)};
    kn_array s = start(g, "s", dtype);
    kn_optimizer o = make();
    kn_tree state = kn_optim_init(o, KN_TREE(&net)), updates, next;
    snprintf(text, sizeof text, "%s leaves", name);
    assert_int_equal(kn_tree_count(state), *(const int64_t *)golden_find(g, text)->buffer->data);
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
    if (strcmp(name, "adam") == 0)
        assert_int_equal(kn_item_int(kn_tree_at(state, "[0].count")), 20);
}

static void steps_are_those_of_optax(void **state)
{
    (void)state;
    golden g = golden_read("optim.npz");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run(&g, cases[i].name, cases[i].make, "f32");
        run(&g, cases[i].name, cases[i].make, "f64");
    }
    bool lazy = kn_set_lazy(false);
    run(&g, "adamw", make_adamw, "f64");
    kn_set_lazy(lazy);
    golden_free(&g);
}

static void newer_steps_are_those_of_optax(void **state)
{
    (void)state;
    golden g = golden_read("optim.npz");
    for (size_t i = 0; i < sizeof newer / sizeof *newer; i++) {
        run(&g, newer[i].name, newer[i].make, "f32");
        run(&g, newer[i].name, newer[i].make, "f64");
    }
    golden_free(&g);
}

static void polyak_steps_by_the_loss(void **state)
{
    (void)state;
    golden g = golden_read("optim.npz");
    {
        KN_SCOPE;
        kn_array w = start(&g, "w", "f64");
        kn_optimizer o = kn_optim_polyak_sgd(.max_learning_rate = 0.1, .f_min = -0.5);
        kn_tree s = kn_optim_init(o, KN_TREE(&w));
        for (int i = 0; i < 20; i++) {
            kn_array slope = kn_mul(2, w), loss = kn_sum(kn_mul(w, w));
            assert_int_equal(kn_optim_apply(o, &s, KN_TREE(&w), KN_TREE(&slope), .value = loss), 0);
        }
        golden_close("polyak_sgd", w, golden_find(&g, "polyak_sgd f64 w 20"), 1e-14, 1e-14);
        assert_int_equal(kn_optim_apply(o, &s, KN_TREE(&w), KN_TREE(&w)), -1);
        expect_error("TypeError", "optim_apply: update_fn() missing 1 required keyword-only argument: 'value'");
    }
    golden_free(&g);
}

static void lookahead_keeps_slow_parameters(void **state)
{
    (void)state;
    golden g = golden_read("optim.npz");
    {
        KN_SCOPE;
        kn_array w = start(&g, "w", "f64");
        struct {
            kn_array fast, slow;
        } p = {w, w};
        kn_optimizer o = kn_optim_lookahead(adam(), 4, 0.3, .reset_state = true);
        kn_tree s = kn_optim_init(o, KN_TREE(&p));
        assert_int_equal(kn_tree_count(s), 4);
        for (int i = 0; i < 20; i++) {
            kn_array slope = kn_mul(2, p.fast);
            assert_int_equal(kn_optim_apply(o, &s, KN_TREE(&p), KN_TREE(&slope)), 0);
        }
        golden_close("fast", p.fast, golden_find(&g, "lookahead f64 fast"), 1e-14, 1e-14);
        golden_close("slow", p.slow, golden_find(&g, "lookahead f64 slow"), 1e-14, 1e-14);
    }
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

/* After the steps in which operations of few elements that come again and again are prepared one by one. */
static void a_loop_compiles_nothing_new(void **state)
{
    (void)state;
    KN_SCOPE;
    Net net = {kn_ones(KN_SHAPE(3, 4)), kn_zeros(KN_SHAPE(4))};
    kn_array s = kn_ones(KN_SHAPE(3, 4));
    kn_tree moments = kn_optim_init(kn_optim_adam(.learning_rate = 0.1), KN_TREE(&net));
    uint64_t misses = 0;
    int64_t live = 0;
    for (int i = 0; i < 160; i++) {
        KN_SCOPE;
        Net grad = gradient(&net, s);
        kn_optimizer o = kn_optim_adam(.learning_rate = 0.1 / (i + 1)); /* a schedule */
        kn_optim_apply(o, &moments, KN_TREE(&net), KN_TREE(&grad));
        kn_eval(net.w);
        kn_eval(net.b);
        if (i < 130) {
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

/* The noise is that of kn_random_key(seed), whatever the seed: doubles have 53 bits only. */
static void every_bit_of_a_seed_counts(void **state)
{
    (void)state;
    static const int64_t seeds[] = {0, 7, -1, (INT64_C(1) << 53) + 1, INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        KN_SCOPE;
        kn_array w = kn_ones(KN_SHAPE(2));
        kn_array want = kn_random_key_data(kn_random_key(seeds[i]));
        kn_optimizer made[] = {kn_optim_add_noise(0.01, 0.55, seeds[i]),
                               kn_optim_noisy_sgd(.learning_rate = 0.1, .seed = seeds[i])};
        for (int k = 0; k < 2; k++) {
            kn_tree first = kn_optim_init(made[k], KN_TREE(&w));
            int keys = 0;
            for (int j = 0; j < kn_tree_count(first); j++)
                if (kn_dtype_kind(kn_dtype_of(kn_tree_get(first, j))) == 'k')
                    keys += kn_array_equal(kn_random_key_data(kn_tree_get(first, j)), want);
            assert_int_equal(keys, 1);
        }
    }
}

KN_TEST_GROUP(test_optim)
{
    const struct CMUnitTest tests[] = {
        TEST(polyak_steps_by_the_loss),
        TEST(lookahead_keeps_slow_parameters),
        TEST(steps_are_those_of_optax),
        TEST(a_step_can_be_traced),
        TEST(a_loop_compiles_nothing_new),
        TEST(parameters_of_several_dtypes),
        TEST(complex_parameters),
        TEST(no_parameters),
        TEST(every_bit_of_a_seed_counts),
        TEST(wrong_options_are_errors),
        TEST(wrong_trees_are_errors_and_change_nothing),
        TEST(newer_steps_are_those_of_optax),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
