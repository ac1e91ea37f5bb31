/* SPDX-License-Identifier: Apache-2.0
 * test_optim_around.c -- optimizers of optax.contrib around others, and of gradients of examples: fifteen steps as
 * optax takes them (tests/golden/optim_around.npz), and what they refuse. */
#include "support/expect.h"
#include "support/golden.h"
#include "support/group.h"

/* ---- Steps. */

static kn_optimizer sgd(double rate) { return kn_optim_sgd(.learning_rate = rate); }
static kn_optimizer adam(double rate) { return kn_optim_adam(.learning_rate = rate); }

static kn_optimizer decaying(void)
{
    return kn_optim_adamw(.learning_rate_schedule = kn_optim_cosine_decay_schedule(1, 10));
}

static kn_tree decays(void) { return kn_tree_tuple(KN_TRUE, KN_FALSE, KN_TRUE, KN_FALSE, KN_FALSE); }
static kn_tree no_scalars(void) { return kn_tree_tuple(KN_TRUE, KN_TRUE, KN_TRUE, KN_TRUE, KN_FALSE); }

#define dims KN_GALORE_DIMENSION_NUMBERS
#define CASES                                                                                                          \
    X(mechanize_sgd, real, kn_optim_mechanize(sgd(1)))                                                                 \
    X(mechanize_adam, real,                                                                                            \
      kn_optim_mechanize(adam(1), .weight_decay = 0.1, .eps = 1e-6, .s_init = 1e-2, .num_betas = 3))                   \
    X(mechanize_scheduled, real, kn_optim_mechanize(decaying(), .s_init = 0.5))                                        \
    X(galore, real, kn_optim_galore(.learning_rate = 0.1, .rank = 2))                                                  \
    X(galore_gap, real,                                                                                                \
      kn_optim_galore(.learning_rate = 0.1, .rank = 2, .update_proj_gap = 4, .scale = 0.5, .weight_decay = 0.1,        \
                      .base_optimizer = kn_optim_scale_by_rms()))                                                      \
    X(galore_masked, real, kn_optim_galore(.learning_rate = 0.1, .rank = 1, .weight_decay = 0.1, .mask = decays()))    \
    X(galore_lion, real, kn_optim_galore(.learning_rate = 0.1, .base_optimizer = kn_optim_scale_by_lion()))            \
    X(galore_scheduled, real,                                                                                          \
      kn_optim_galore(.learning_rate_schedule = kn_optim_linear_schedule(0.2, 0, 20), .rank = 2,                       \
                      .base_optimizer = kn_optim_trace(0.9)))                                                          \
    X(galore_dims, real,                                                                                               \
      kn_optim_galore(.learning_rate = 0.1, .rank = 2,                                                                 \
                      .weight_dimension_numbers = dims(                                                                \
                          {.reduction_axis = KN_AXIS(0)}, {.reduction_axis = KN_AXIS(1), .output_axis = KN_AXIS(0)},   \
                          {.reduction_axis = {{0}, {0}}}, {.reduction_axis = {{0}, {0}}},                              \
                          {.reduction_axis = KN_AXIS(0, 2), .output_axis = KN_AXIS(-2)})))                             \
    X(galore_one_for_all, examples,                                                                                    \
      kn_optim_galore(.learning_rate = 0.1, .rank = 2,                                                                 \
                      .weight_dimension_numbers = dims({.reduction_axis = KN_AXIS(1), .output_axis = KN_AXIS(0)})))    \
    X(scale_by_galore, real,                                                                                           \
      kn_optim_scale_by_galore(.rank = 2, .update_proj_gap = 3, .scale = -0.3, .base_optimizer = kn_optim_scale(0.5))) \
    X(split_adam, complex, kn_optim_split_real_and_imaginary(adam(0.1)))                                               \
    X(split_lamb, complex,                                                                                             \
      kn_optim_split_real_and_imaginary(kn_optim_lamb(.learning_rate = 0.1, .weight_decay = 0.1)))                     \
    X(split_dog, complex,                                                                                              \
      kn_optim_split_real_and_imaginary(                                                                               \
          kn_optim_dog(.learning_rate = 0.5, .init_step = "heuristic", .init_value = 1e-2)))                           \
    X(split_masked, complex,                                                                                           \
      kn_optim_split_real_and_imaginary(kn_optim_chain(kn_optim_masked(kn_optim_dowg(), no_scalars()), sgd(0.1))))     \
    X(split_mechanize, complex, kn_optim_split_real_and_imaginary(kn_optim_mechanize(adam(1), .s_init = 1e-2)))        \
    X(split_galore, complex, kn_optim_split_real_and_imaginary(kn_optim_galore(.learning_rate = 0.1, .rank = 1)))      \
    X(dpsgd, examples, kn_optim_dpsgd(.learning_rate = 0.1, .l2_norm_clip = 1, .noise_multiplier = 0.5, .seed = 7))    \
    X(dpsgd_nesterov, examples,                                                                                        \
      kn_optim_dpsgd(.learning_rate = 0.1, .l2_norm_clip = 2, .noise_multiplier = 0.1, .key = kn_random_key(8),        \
                     .momentum = 0.9, .nesterov = true))                                                               \
    X(private_adam, examples,                                                                                          \
      kn_optim_chain(kn_optim_differentially_private_aggregate(0.5, 1, .key = kn_random_key(9)), adam(0.1)))           \
    X(private_without_noise, examples,                                                                                 \
      kn_optim_chain(kn_optim_differentially_private_aggregate(3, 0), kn_optim_scale(-0.1)))

#define X(name, kind, ...) \
    static kn_optimizer make_##name(void) { return __VA_ARGS__; }
CASES
#undef X
#define X(name, kind, ...) {#name, #kind, make_##name},
static const struct {
    const char *name, *kind;
    kn_optimizer (*make)(void);
} cases[] = {CASES};
#undef X
enum { STEPS = 15, N = sizeof cases / sizeof *cases };

typedef struct which {
    int number;
} which;

/* params, state, grads -> (params, state, updates) */
static kn_tree step(const which *w, const kn_tree *params, const kn_tree *state, const kn_tree *grads)
{
    kn_tree updates, next;
    if (kn_optim_update(cases[w->number].make(), *grads, *state, *params, &updates, &next))
        return NULL;
    return kn_tree_tuple(kn_optim_apply_updates(*params, updates), next, updates);
}
KN_FUNCTION_ENV(step, kn_tree, which, kn_tree, kn_tree, kn_tree)

static kn_tree leaves(const golden *g, const char *text, const char *dtype, int n)
{
    kn_array x[8];
    for (int i = 0; i < n; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s %s %d", text, dtype, i);
        x[i] = golden_array(golden_find(g, name));
    }
    return kn_tree_from(n, x);
}

/* The gradients of step k, which for all but those of examples depend on where the parameters are. */
static kn_tree gradients(int number, kn_tree all, kn_tree params, int k)
{
    kn_array x[8];
    int n = kn_tree_count(all);
    bool examples = strcmp(cases[number].kind, "examples") == 0,
         private = strncmp(cases[number].name, "galore", 6) != 0;
    for (int i = 0; i < n; i++) {
        kn_array p = kn_tree_get(params, i), g = kn_take(kn_tree_get(all, i), kn_scalar(k), .axis = KN_AXIS(0));
        g = examples && !private ? kn_mean(g, .axis = KN_AXIS(0)) : g;
        x[i] = examples && private ? g : kn_add(g, kn_divide(p, kn_full_like(p, 2)));
    }
    return kn_tree_from(n, x);
}

static void compare(const golden *g, int number, const char *dtype, const char *form, kn_tree got, double tolerance)
{
    for (int i = 0; i < kn_tree_count(got); i++) {
        char text[96];
        snprintf(text, sizeof text, form, cases[number].name, dtype, i);
        golden_close(text, kn_tree_get(got, i), golden_find(g, text), tolerance, tolerance);
    }
}

/* Singular vectors are of float32 also for float64. */
static double tolerance_of(int number, const char *dtype)
{
    bool galore = strstr(cases[number].name, "galore");
    return dtype[1] == '3' ? 1e-5 : galore ? 1e-5 : 1e-13;
}

static void run(const golden *g, int number, const char *dtype, bool jit)
{
    KN_SCOPE;
    char text[64];
    const char *kind = cases[number].kind;
    int n = strcmp(kind, "real") == 0 ? 5 : 3;
    double tolerance = tolerance_of(number, dtype);
    which w = {number};
    kn_fn f = KN_FN_ENV(step, &w);
    f = jit ? kn_jit(f) : f;
    snprintf(text, sizeof text, "%s grad", kind);
    kn_tree params = leaves(g, kind, dtype, n), all = leaves(g, text, dtype, n), next;
    kn_tree state = kn_optim_init(cases[number].make(), params);
    snprintf(text, sizeof text, "%s leaves", cases[number].name);
    assert_int_equal(kn_tree_count(state), *(const int64_t *)golden_find(g, text)->buffer->data);
    for (int k = 0; k < STEPS; k++) {
        kn_tree grads = gradients(number, all, params, k);
        assert_int_equal(kn_call(f, &next, params, state, grads), 0);
        params = kn_tree_sub(next, "[0]");
        state = kn_tree_sub(next, "[1]");
        if (k == 0)
            compare(g, number, dtype, "%s %s update %d", kn_tree_sub(next, "[2]"), tolerance);
    }
    compare(g, number, dtype, "%s %s %d 15", params, tolerance);
    if (jit)
        assert_int_equal(kn_fn_trace_count(f), 1);
}

static void all(const char *dtype, bool jit)
{
    golden g = golden_read("optim_around.npz");
    for (int i = 0; i < N; i++)
        run(&g, i, dtype, jit);
    golden_free(&g);
}
static void steps_of_float32(void **state) { (void)state, all("f32", false); }
static void steps_of_float64(void **state) { (void)state, all("f64", false); }
static void traced_steps(void **state) { (void)state, all("f64", true); }

KN_TEST_GROUP(test_optim_around)
{
    const struct CMUnitTest tests[] = {
        TEST(steps_of_float32),
        TEST(steps_of_float64),
        TEST(traced_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
