/* SPDX-License-Identifier: Apache-2.0
 * test_optim_around.c -- optimizers of optax.contrib around others, and of gradients of examples: fifteen steps as
 * optax takes them (tests/golden/optim_around.npz), and what they refuse. */
#include "base/memory.h"
#include "support/expect.h"
#include "support/golden.h"
#include "support/group.h"
#include <limits.h>
#include <complex.h>
#include <math.h>

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

/* ---- The same in other ways. */

static void same(const char *name, kn_tree got, kn_tree want)
{
    assert_int_equal(kn_tree_count(got), kn_tree_count(want));
    for (int i = 0; i < kn_tree_count(got); i++) {
        kn_array x = kn_tree_get(got, i), y = kn_tree_get(want, i);
        bool key = kn_dtype_kind(kn_dtype_of(x)) == 'k';
        if (!kn_array_equal(key ? kn_random_key_data(x) : x, key ? kn_random_key_data(y) : y))
            fail_msg("%s: leaf %d differs", name, i);
    }
}

static void a_traced_step_has_the_bits_of_one_that_is_not(void **state)
{
    (void)state;
    golden g = golden_read("optim_around.npz");
    for (int i = 0; i < N; i++) {
        KN_SCOPE;
        int n = strcmp(cases[i].kind, "real") == 0 ? 5 : 3;
        char text[64];
        snprintf(text, sizeof text, "%s grad", cases[i].kind);
        kn_tree params = leaves(&g, cases[i].kind, "f32", n), all = leaves(&g, text, "f32", n), here, there;
        kn_tree first = kn_optim_init(cases[i].make(), params), grads = gradients(i, all, params, 0);
        which w = {i};
        assert_int_equal(kn_call(KN_FN_ENV(step, &w), &here, params, first, grads), 0);
        assert_int_equal(kn_call(kn_jit(KN_FN_ENV(step, &w)), &there, params, first, grads), 0);
        same(cases[i].name, there, here);
    }
    golden_free(&g);
}

static void a_batch_of_steps_is_a_loop_of_them(void **state)
{
    (void)state;
    golden g = golden_read("optim_around.npz");
    for (int i = 0; i < N; i++) {
        KN_SCOPE;
        enum { BATCH = 3 };
        int n = strcmp(cases[i].kind, "real") == 0 ? 5 : 3;
        char text[64];
        snprintf(text, sizeof text, "%s grad", cases[i].kind);
        kn_tree params = leaves(&g, cases[i].kind, "f64", n), all = leaves(&g, text, "f64", n), here[BATCH], there;
        kn_tree first = kn_optim_init(cases[i].make(), params);
        kn_array many[8];
        for (int k = 0; k < n; k++) {
            kn_array each[BATCH];
            for (int m = 0; m < BATCH; m++)
                each[m] = kn_tree_get(gradients(i, all, params, m), k);
            many[k] = kn_stack(kn_list_from(each, BATCH));
        }
        which w = {i};
        for (int m = 0; m < BATCH; m++) {
            kn_tree grads = gradients(i, all, params, m);
            assert_int_equal(kn_call(KN_FN_ENV(step, &w), &here[m], params, first, grads), 0);
        }
        kn_fn f = kn_vmap(KN_FN_ENV(step, &w), .in_axes = {KN_UNMAPPED, KN_UNMAPPED, KN_MAPPED(0)});
        assert_int_equal(kn_call(f, &there, params, first, kn_tree_from(n, many)), 0);
        for (int k = 0; k < n; k++)
            for (int m = 0; m < BATCH; m++) {
                kn_array got = kn_take(kn_tree_get(there, k), kn_scalar(m), .axis = KN_AXIS(0));
                if (!kn_allclose(got, kn_tree_get(here[m], k), .rtol = 1e-6, .atol = 1e-6))
                    fail_msg("%s: leaf %d of step %d differs", cases[i].name, k, m);
            }
    }
    golden_free(&g);
}

/* Also where nobody looks at the state, in which there are keys. */
static void a_loop_compiles_nothing_new(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_ones(KN_SHAPE(4, 3)), g = kn_reshape(kn_linspace(0, 11, 12), KN_SHAPE(4, 3));
    kn_optimizer made[] = {kn_optim_mechanize(adam(1)), kn_optim_galore(.learning_rate = 0.1, .rank = 2),
                           kn_optim_split_real_and_imaginary(adam(1)),
                           kn_optim_dpsgd(.learning_rate = 0.1, .l2_norm_clip = 1, .noise_multiplier = 1)};
    for (int k = 0; k < 4; k++) {
        kn_array grad = kn_mul(g, k == 3 ? kn_ones(KN_SHAPE(2, 1, 1)) : kn_scalar(1.0));
        kn_tree s = kn_optim_init(made[k], KN_TREE(&w));
        uint64_t misses = 0;
        for (int i = 0; i < 60; i++) {
            KN_SCOPE;
            kn_array now = kn_mul(grad, kn_scalar(0.5 + i));
            assert_int_equal(kn_optim_apply(made[k], &s, KN_TREE(&w), KN_TREE(&now)), 0);
            kn_eval(w);
            if (i < 30)
                misses = kn_cache_stats().plans.misses;
        }
        assert_int_equal(kn_cache_stats().plans.misses, misses);
    }
}

/* ---- Other dtypes and shapes: so many steps with the same gradient. The numbers are those that optax printed. */

static kn_tree after(kn_optimizer o, kn_tree p, kn_tree g, int n)
{
    kn_tree s = kn_optim_init(o, p), updates, next;
    for (int i = 0; i < n; i++) {
        assert_int_equal(kn_optim_update(o, g, s, p, &updates, &next), 0);
        p = kn_optim_apply_updates(p, updates);
        s = next;
    }
    return p;
}

static void ends_at(const char *what, kn_optimizer o, kn_array p, kn_array g, int n, kn_array want, double tolerance)
{
    kn_array got = kn_ravel(kn_tree_get(after(o, kn_tree_list(p), kn_tree_list(g), n), 0));
    assert_ptr_equal(kn_dtype_of(got), kn_dtype_of(p));
    got = kn_astype(got, kn_dtype_of(want));
    if (!kn_allclose(got, want, .rtol = tolerance, .atol = tolerance, .equal_nan = true)) {
        kn_print(got);
        fail_msg("%s is not at the place of optax", what);
    }
}

#define bf16(x) kn_astype(x, KN_BF16)
#define c64(x)  kn_astype(x, KN_C64)

static kn_optimizer private(double clip, double noise)
{
    return kn_optim_dpsgd(.learning_rate = 0.125, .l2_norm_clip = clip, .noise_multiplier = noise, .seed = 3);
}

static kn_array matrix(double a, double b, double c, double d, double e, double f)
{
    return kn_reshape(kn_of(double, a, b, c, d, e, f), KN_SHAPE(3, 2));
}

static kn_array zeros(void) { return kn_zeros(KN_SHAPE(2)); }
static kn_array three(void) { return matrix(3, 4, 0.3, 0.4, -1, 2); }
static kn_array complex_factor(void) { return kn_scalar(1 + 0.5 * I); }
static kn_optimizer mechanic(void) { return kn_optim_mechanize(adam(1), .s_init = 0.1); }

static void bfloat16(void **state)
{
    (void)state;
    KN_SCOPE;
    ends_at("mechanize", mechanic(), bf16(kn_of(double, 1, 2, 3)), bf16(kn_of(double, .5, -1, .25)), 5,
            kn_of(double, -0.1953125, 3.171875, 1.828125), 0);
    ends_at("galore", kn_optim_galore(.learning_rate = 0.125, .rank = 2), bf16(matrix(1, 2, 3, 4, 5, 6)),
            bf16(matrix(3, 1, 4, -1, 2, 5)), 5, kn_of(double, 0.53125, 1.8828125, 2.296875, 4.3125, 4.84375, 5.21875),
            0.05);
    ends_at("dpsgd", private(1, 0.5), bf16(zeros()), bf16(three()), 5, kn_of(double, -0.097167969, -0.431640625), 1e-8);
}

static void complex_ones(void **state)
{
    (void)state;
    KN_SCOPE;
    ends_at("mechanize", mechanic(), c64(kn_of(double complex, 1 + 2 * I, 3 - I)),
            c64(kn_of(double complex, .5 - I, .25 + 2 * I)), 5,
            kn_of(double complex, 0.463541925 + 3.074590921 * I, 2.850283623 - 2.191687107 * I), 1e-6);
    /* The projection is made of real parts. */
    ends_at("galore", kn_optim_galore(.learning_rate = 0.125, .rank = 1), c64(kn_transpose(matrix(1, 2, 3, 4, 5, 6))),
            c64(kn_mul(kn_transpose(matrix(3, 1, 4, -1, 2, 5)), complex_factor())), 5,
            kn_of(double complex, 0.733472168 - 0.133263871 * I, 2.787535667 - 0.106232136 * I,
                  4.556918144 - 0.221541092 * I, 1.733472466 - 0.133263871 * I, 3.787535667 - 0.106232129 * I,
                  5.556918144 - 0.221541092 * I),
            1e-6);
    ends_at("dpsgd", private(1, 0.5), c64(zeros()), c64(kn_mul(three(), complex_factor())), 5,
            kn_of(double complex, -0.062281884 + 0.006334788 * I, -0.386692256 - 0.221113265 * I), 1e-6);
    ends_at("add_noise", kn_optim_add_noise(0.1, 0.5, 3), c64(zeros()), c64(zeros()), 1,
            kn_of(double complex, -0.003440377 - 0.063257478 * I, -0.264433682 + 0.163205937 * I), 1e-6);
}

/* optax multiplies the imaginary part with 1j, so infinity there is NaN in the real part. */
static void infinite_parts_are_put_together_as_in_optax(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array g = kn_lax_complex(kn_of(double, 1, INFINITY, -0.0), kn_of(double, INFINITY, 1, 0));
    kn_tree got = after(kn_optim_split_real_and_imaginary(sgd(-1)), kn_tree_list(kn_zeros_like(g)), kn_tree_list(g), 1);
    assert_true(kn_array_equal(kn_real(kn_tree_get(got, 0)), kn_of(double, NAN, INFINITY, 0), .equal_nan = true));
    assert_true(kn_array_equal(kn_imag(kn_tree_get(got, 0)), kn_of(double, INFINITY, 1, 0)));
}

static void limits_of_norms(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array zero = kn_of(double, 0, 0);
    ends_at("no clipping", private(INFINITY, 0), zeros(), three(), 1, kn_of(double, NAN, NAN), 0);
    ends_at("nothing is left", private(0, 0.5), zeros(), three(), 1, zero, 0);
    ends_at("zeros stay", private(1, 0), zeros(), kn_zeros(KN_SHAPE(3, 2)), 1, zero, 0);
    ends_at("NaN is not clipped", private(1, 0), zeros(), matrix(NAN, 4, .3, .4, -1, 2), 1,
            kn_of(double, NAN, -0.220601133), 1e-8);
    ends_at("no examples", private(1, 0.5), zeros(), kn_zeros(KN_SHAPE(0, 2)), 1, kn_of(double, INFINITY, INFINITY), 0);
}

static void parameters_of_several_dtypes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tree p = kn_tree_list(bf16(zeros()), kn_scalar(0.f)), g = kn_tree_list(bf16(three()), kn_of(float, 1, 2, 3));
    kn_tree got = after(private(1, 0.5), p, g, 1); /* the noise is of float32 for both */
    kn_array want = kn_of(double, 0.020996094, -0.065429688);
    assert_true(kn_allclose(kn_astype(kn_tree_get(got, 0), KN_F64), want, .rtol = 1e-7, .atol = 0));
    assert_float_equal(kn_item(kn_tree_get(got, 1)), -0.069756322, 1e-8);
    p = kn_tree_list(kn_of(double, 1), kn_of(float, 2), bf16(kn_of(double, 3))); /* optax refuses these */
    got = after(mechanic(), p, p, 2);
    assert_ptr_equal(kn_dtype_of(kn_tree_get(got, 2)), KN_BF16);
    assert_true(kn_item(kn_tree_get(got, 0)) < 1);
}

static void empty_parameters(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tree p = kn_tree_list(kn_zeros(KN_SHAPE(0)), kn_scalar(3.0));
    kn_tree got = after(mechanic(), p, kn_tree_list(kn_zeros(KN_SHAPE(0)), kn_scalar(1.0)), 5);
    assert_float_equal(kn_item(kn_tree_get(got, 1)), 1.799326672, 1e-9);
    p = kn_tree_list(kn_zeros(KN_SHAPE(0, 3)), kn_zeros(KN_SHAPE(3, 0)), kn_scalar(2.0));
    got = after(kn_optim_galore(.learning_rate = 0.125, .rank = 2), p, p, 5);
    assert_float_equal(kn_item(kn_tree_get(got, 2)), 1.375000003, 1e-9);
    p = kn_tree_list(kn_zeros(KN_SHAPE(0)), kn_scalar(0.0));
    got = after(private(1, 0.5), p, kn_tree_list(kn_zeros(KN_SHAPE(3, 0)), kn_of(double, 1, 2, 3)), 2);
    assert_float_equal(kn_item(kn_tree_get(got, 1)), -0.218358806, 1e-9);
    p = kn_tree_list();
    assert_int_equal(kn_tree_count(after(mechanic(), p, p, 2)), 0);
    assert_int_equal(kn_tree_count(after(kn_optim_galore(.learning_rate = 1), p, p, 2)), 0);
    assert_int_equal(kn_tree_count(after(kn_optim_split_real_and_imaginary(sgd(1)), p, p, 2)), 0);
}

static void states_have_the_names_of_optax(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tree p = kn_tree_dict("w", kn_ones(KN_SHAPE(5, 3)), "z", kn_scalar(1 + 2 * I));
    kn_tree real = kn_tree_dict("w", kn_ones(KN_SHAPE(5, 3)));
    kn_tree s = kn_optim_init(kn_optim_mechanize(adam(1), .s_init = 0.5, .num_betas = 2), real);
    assert_true(kn_array_equal(kn_tree_at(s, "s"), kn_of(double, 0.5, 0.5)));
    assert_true(kn_array_equal(kn_tree_at(s, "x0.w"), kn_ones(KN_SHAPE(5, 3))));
    assert_int_equal(kn_item_int(kn_tree_at(s, "base_optimizer_state[0].count")), 0);
    s = kn_optim_init(kn_optim_split_real_and_imaginary(kn_optim_dog(.learning_rate = 1)), p);
    assert_float_equal(kn_item(kn_tree_at(s, "inner_state[1].init_params.z.imaginary")), 2, 0);
    assert_float_equal(kn_item(kn_tree_at(s, "inner_state[1].init_params.z.real")), 1, 0);
    assert_int_equal(kn_ndim(kn_tree_at(s, "inner_state[1].init_params.w")), 2);
    s = kn_optim_init(kn_optim_galore(.learning_rate = 1, .rank = 2), p);
    assert_int_equal(kn_size(kn_tree_at(s, "[0].base_optimizer_state.mu.w")), 2 * 3);
    assert_int_equal(kn_size(kn_tree_at(s, "[0].projector.w")), 5 * 2);
    assert_int_equal(kn_size(kn_tree_at(s, "[0].projector.z")), 0);
    s = kn_optim_init(private(1, 1), p);
    assert_true(kn_array_equal(kn_random_key_data(kn_tree_at(s, "[0].rng_key")), kn_random_key_data(kn_random_key(3))));
}

/* ---- Refusals. */

static void refused(kn_optimizer o, const char *kind, const char *text)
{
    assert_null(o);
    expect_error(kind, text);
}

#define low(...) kn_optim_galore(.learning_rate = 1, .weight_dimension_numbers = dims(__VA_ARGS__))

static void wrong_options_are_errors(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_optimizer ahead = kn_optim_lookahead(adam(1), 2, 0.5);
    refused(kn_optim_mechanize(NULL), "TypeError", "optim_mechanize: null optimizer");
    refused(kn_optim_mechanize(adam(1), .num_betas = 0), "ValueError",
            "optim_mechanize: num_betas must be from 1 to 100, but is 0");
    refused(kn_optim_mechanize(ahead), "ValueError", "optim_mechanize: lookahead cannot be part of another optimizer");
    refused(kn_optim_masked(ahead, kn_tree_tuple(KN_TRUE)), "ValueError",
            "optim_masked: lookahead cannot be part of another optimizer");
    refused(kn_optim_split_real_and_imaginary(NULL), "TypeError", "optim_split_real_and_imaginary: null optimizer");
    refused(kn_optim_galore(.rank = 1), "TypeError", "optim_galore: missing required option 'learning_rate'");
    refused(kn_optim_galore(.learning_rate = 1, .rank = 0), "ValueError",
            "optim_galore: `rank` must be positive, got 0");
    refused(kn_optim_scale_by_galore(.update_proj_gap = 0), "ValueError",
            "optim_scale_by_galore: update_proj_gap must be >= 1 and an int32, but is 0");
    kn_axes few = {.n = INT_MIN};
    assert_null(low({.reduction_axis = KN_AXIS(1), .output_axis = few}));
    expect_error_with("ValueError", "optim_galore: output_axis: an array has at most");
    refused(kn_optim_dpsgd(.l2_norm_clip = 1, .noise_multiplier = 1), "TypeError",
            "optim_dpsgd: missing required option 'learning_rate'");
    refused(kn_optim_dpsgd(.learning_rate = 1, .noise_multiplier = 1), "TypeError",
            "optim_dpsgd: missing required option 'l2_norm_clip'");
    refused(kn_optim_dpsgd(.learning_rate = 1, .l2_norm_clip = 1), "TypeError",
            "optim_dpsgd: missing required option 'noise_multiplier'");
    refused(kn_optim_differentially_private_aggregate(-1, 0), "ValueError",
            "optim_differentially_private_aggregate: l2_norm_clip must be non-negative, but is -1");
    refused(kn_optim_differentially_private_aggregate(1, NAN), "ValueError",
            "optim_differentially_private_aggregate: noise_multiplier must be non-negative, but is nan");
    refused(kn_optim_differentially_private_aggregate(1, 1, .key = kn_of(int32_t, 1, 2)), "TypeError",
            "optim_differentially_private_aggregate: key is a single random key, as of kn_random_key, but this is "
            "int32[2]");
}

static void no_init(kn_optimizer o, kn_tree p, const char *text)
{
    assert_null(kn_optim_init(o, p));
    expect_error("ValueError", text);
}

static void parameters_that_do_not_fit_are_errors(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tree p = kn_tree_list(kn_ones(KN_SHAPE(2, 3, 4)));
    no_init(low({KN_AXIS(0), KN_AXIS(1)}), p,
            "optim_init: All axes must be specified: reduction and output are 2 of the 3 axes of parameter 0");
    no_init(low({KN_AXIS(0, 1), KN_AXIS(1)}), p,
            "optim_init: Reduction axes and output axes must be disjoint, but axis 1 is there twice");
    no_init(low({KN_AXIS(0, 3), KN_AXIS(1)}), p, "optim_init: axis 3 is out of bounds for array of dimension 3");
    no_init(low({KN_AXIS(0), KN_AXIS(1)}, {KN_AXIS(0), KN_AXIS(1)}), p,
            "optim_init: there are 2 weight_dimension_numbers for 1 parameters");
    no_init(low({KN_AXIS(0), KN_AXIS(1)}, {KN_AXIS(0), KN_AXIS(1)}),
            kn_tree_list(kn_ones(KN_SHAPE(2, 3)), kn_ones(KN_SHAPE(2))),
            "optim_init: GaLore requires tensors with rank >= 2, but parameter 1 has 1");
    kn_tree both = kn_tree_list(kn_ones(KN_SHAPE(2)), kn_scalar(1.0i));
    assert_null(kn_optim_init(mechanic(), both));
    expect_error("TypeError", "optim_init: mechanize: parameters are real or complex, not both: "
                              "kn_optim_split_real_and_imaginary makes all of them real");
    no_init(kn_optim_flatten(mechanic()), p, "optim_init: flatten: the inner transformation keeps parameters");
}

static void no_step(kn_optimizer o, kn_tree p, kn_tree g, const char *text)
{
    kn_tree s = kn_optim_init(o, p), updates, next;
    assert_int_equal(kn_optim_update(o, g, s, p, &updates, &next), -1);
    expect_error("ValueError", text);
}

static void steps_that_cannot_be_are_errors(void **state)
{
    (void)state;
    KN_SCOPE;
    static const char batch[] = "optim_update: Unlike other transforms, `per_example_global_norm_clip` expects `grads` "
                                "to have a batch dimension in the 0th axis.";
    kn_tree p = kn_tree_list(zeros(), kn_scalar(0.0)), s, updates, next;
    no_step(private(1, 1), p, p, "optim_update: an example's gradient 0 has shape (), but its parameter has (2,)");
    no_step(private(1, 1), p, kn_tree_list(three(), kn_of(double, 1, 2)), batch);
    no_step(kn_optim_chain(kn_optim_clip(1), private(1, 1)), p, p, batch);
    no_step(private(1, 1), kn_tree_list(), kn_tree_list(), "optim_update: a tree without gradients");
    no_step(kn_optim_galore(.learning_rate = 1, .base_optimizer = kn_optim_adamw(.learning_rate = 1)), p, p,
            "optim_update: weight decay needs the parameters");
    s = kn_optim_init(mechanic(), p);
    assert_int_equal(kn_optim_update(mechanic(), p, s, NULL, &updates, &next), -1);
    expect_error("ValueError",
                 "optim_update: You are using a transformation that requires the current value of parameters, but you "
                 "are not passing `params` when calling `update`.");
}

/* ---- Without memory: whichever allocation fails, what was made is given back, and nothing else goes wrong. */

static kn_optimizer (*const some[])(void) = {make_mechanize_adam, make_split_dog, make_split_masked, make_galore_dims,
                                             make_dpsgd_nesterov};

/* Makes an optimizer, its state and a step, of which nothing is computed; true unless there was an error. */
static bool recorded(int k)
{
    KN_SCOPE;
    bool examples = k == 4, whole = k == 3;
    kn_array a = kn_ones(KN_SHAPE(4, 3)), c = kn_full(KN_SHAPE(2), 1 + 1.0i), z = kn_zeros(KN_SHAPE(2, 4, 3));
    kn_tree p = whole ? kn_tree_list(a, a, c, c, z) : k % 3 ? kn_tree_list(c, c, a) : kn_tree_list(a, a);
    p = examples ? kn_tree_list(a, a) : p;
    kn_tree g = examples ? kn_tree_list(z, z) : p, updates, next;
    kn_optimizer o = some[k]();
    kn_tree s = kn_optim_init(o, p);
    if (s)
        kn_optim_update(o, g, s, p, &updates, &next);
    return !kn_error_pending();
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    kn_shutdown();
    knx_fail_pieces(true);
    for (int i = 0; i < (int)(sizeof some / sizeof *some); i++) {
        if (!recorded(i))
            fail_msg("%d: %s", i, kn_error_message());
        kn_shutdown();
        knx_buffer_trim();
        int64_t live = knx_alloc_live(), start = knx_alloc_count();
        assert_true(recorded(i));
        kn_shutdown();
        int64_t n = knx_alloc_count() - start;
        for (int64_t k = 0; k < n; k++) {
            knx_buffer_trim();
            knx_fail_after(k, k % 2);
            bool well = recorded(i);
            knx_fail_after(-1, false);
            if (!well && strcmp(kn_error_kind_name(), "MemoryError") != 0)
                fail_msg("%d: allocation %lld: %s", i, (long long)k, kn_error_message());
            kn_error_clear();
            kn_shutdown();
            if (knx_alloc_live() != live)
                fail_msg("%d: allocation %lld of %lld: %lld blocks are alive, %lld were", i, (long long)k, (long long)n,
                         (long long)knx_alloc_live(), (long long)live);
        }
    }
    knx_fail_pieces(false);
}

KN_TEST_GROUP(test_optim_around)
{
    const struct CMUnitTest tests[] = {
        TEST(steps_of_float32),
        TEST(steps_of_float64),
        TEST(traced_steps),
        TEST(a_traced_step_has_the_bits_of_one_that_is_not),
        TEST(a_batch_of_steps_is_a_loop_of_them),
        TEST(a_loop_compiles_nothing_new),
        TEST(bfloat16),
        TEST(complex_ones),
        TEST(infinite_parts_are_put_together_as_in_optax),
        TEST(limits_of_norms),
        TEST(parameters_of_several_dtypes),
        TEST(empty_parameters),
        TEST(states_have_the_names_of_optax),
        TEST(wrong_options_are_errors),
        TEST(parameters_that_do_not_fit_are_errors),
        TEST(steps_that_cannot_be_are_errors),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
