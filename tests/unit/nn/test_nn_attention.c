/* SPDX-License-Identifier: Apache-2.0
 * test_nn_attention.c -- dot-product attention and products of scaled blocks: JAX's values and gradients
 * (tests/golden/nn.npz), the same under jit and vmap, wrong operands. */
#include "support/expect.h"
#include "support/golden.h"
#include "support/group.h"

typedef struct {
    kn_array q, k, v;
} Operands;
typedef struct {
    kn_array bias, biases, masks, q_lengths, kv_lengths;
} Others;
typedef kn_array (*function)(const Operands *, const Others *);
#define CASE(name, ...)                                                                  \
    static kn_array name(const Operands *o, const Others *w)                             \
    {                                                                                    \
        (void)w;                                                                         \
        return kn_nn_dot_product_attention(o->q, o->k, o->v __VA_OPT__(, ) __VA_ARGS__); \
    }
CASE(plain)
CASE(bias, .bias = w->bias)
CASE(biases, .bias = w->biases)
CASE(mask, .mask = w->masks)
CASE(scale, .scale = kn_num(0.7))
CASE(causal, .is_causal = true)
CASE(lengths, .query_seq_lengths = w->q_lengths, .key_value_seq_lengths = w->kv_lengths)
CASE(window, .local_window_size = KN_SHAPE(1))
CASE(windows, .local_window_size = KN_SHAPE(2, 0))
CASE(grouped_all, .bias = w->bias, .mask = w->masks, .is_causal = true, .key_value_seq_lengths = w->kv_lengths,
     .local_window_size = KN_SHAPE(1, 1))
CASE(grouped_biases, .bias = w->biases, .mask = kn_at(w->masks, ":1, :1"), .query_seq_lengths = w->q_lengths)

static const struct {
    const char *name;
    int heads;
    function f;
} cases[] = {
    {"plain", 4, plain},
    {"grouped", 2, plain},
    {"one_head", 1, plain},
    {"bias", 4, bias},
    {"biases", 4, biases},
    {"mask", 4, mask},
    {"scale", 4, scale},
    {"causal", 4, causal},
    {"lengths", 4, lengths},
    {"window", 4, window},
    {"windows", 4, windows},
    {"grouped_all", 2, grouped_all},
    {"grouped_biases", 2, grouped_biases},
};
enum { N_CASES = sizeof cases / sizeof *cases };

typedef struct which {
    int i;
} which;
static kn_array attend(const which *w, const Operands *o, const Others *others) { return cases[w->i].f(o, others); }
KN_FUNCTION_ENV(attend, kn_array, which, Operands, Others)
static kn_array total(const which *w, const Operands *o, const Others *others)
{
    return kn_sum(kn_cos(attend(w, o, others)));
}
KN_FUNCTION_ENV(total, kn_array, which, Operands, Others)

static Operands read_operands(const golden *g, int heads, kn_dtype d)
{
    kn_array k = golden_array(golden_find(g, "k")), v = golden_array(golden_find(g, "v"));
    return (Operands){kn_astype(golden_array(golden_find(g, "q")), d), kn_astype(kn_at(k, ":, :, :%", heads), d),
                      kn_astype(kn_at(v, ":, :, :%", heads), d)};
}

static Others read_others(const golden *g, kn_dtype d)
{
    return (Others){kn_astype(golden_array(golden_find(g, "bias")), d),
                    kn_astype(golden_array(golden_find(g, "biases")), d), golden_array(golden_find(g, "masks")),
                    golden_array(golden_find(g, "q lengths")), golden_array(golden_find(g, "kv lengths"))};
}

static void check(const char *dtype, kn_dtype d, double tolerance)
{
    golden g = golden_read("nn.npz");
    for (int i = 0; i < N_CASES; i++) {
        KN_SCOPE;
        char text[128];
        which w = {i};
        Operands o = read_operands(&g, cases[i].heads, d), slope;
        Others others = read_others(&g, d);
        kn_dtype stored = d == KN_BF16 ? KN_F32 : d;
        kn_array y = cases[i].f(&o, &others);
        assert_ptr_equal(kn_dtype_of(y), d);
        snprintf(text, sizeof text, "attention %s %s", cases[i].name, dtype);
        golden_close(text, kn_astype(y, stored), golden_find(&g, text), tolerance, tolerance);
        kn_call(kn_jit(kn_grad(KN_FN_ENV(total, &w))), &slope, &o, &others);
        kn_array flat = kn_concatenate(KN_LIST(kn_ravel(slope.q), kn_ravel(slope.k), kn_ravel(slope.v)), KN_AXIS(0));
        snprintf(text, sizeof text, "attention grad %s %s", cases[i].name, dtype);
        golden_close(text, kn_astype(flat, stored), golden_find(&g, text), tolerance, tolerance);
    }
    golden_free(&g);
}

static void float32_is_that_of_jax(void **state)
{
    (void)state;
    check("f32", KN_F32, 2e-6);
}

static void float64_is_that_of_jax_whose_softmax_is_float32(void **state)
{
    (void)state;
    check("f64", KN_F64, 1e-6);
}

static void bfloat16_is_that_of_jax(void **state)
{
    (void)state;
    check("bf16", KN_BF16, 3e-2);
}

static void the_residual_is_the_logarithm_of_the_sum(void **state)
{
    (void)state;
    golden g = golden_read("nn.npz");
    {
        KN_SCOPE;
        Operands o = read_operands(&g, 2, KN_F32);
        Others w = read_others(&g, KN_F32);
        kn_nn_attention_result r = kn_nn_dot_product_attention_residual(
            o.q, o.k, o.v, .bias = w.bias, .mask = w.masks, .is_causal = true, .key_value_seq_lengths = w.kv_lengths,
            .local_window_size = KN_SHAPE(1, 1));
        golden_close("encoded", r.encoded, golden_find(&g, "attention grouped_all f32"), 2e-6, 2e-6);
        golden_close("residual", r.residual, golden_find(&g, "attention residual grouped_all f32"), 2e-6, 2e-6);
    }
    golden_free(&g);
}

static void axes_in_front_may_be_left_out(void **state)
{
    (void)state;
    golden g = golden_read("nn.npz");
    {
        KN_SCOPE;
        Operands o = read_operands(&g, 4, KN_F32);
        kn_array y = kn_nn_dot_product_attention(kn_at(o.q, "0"), kn_at(o.k, "0"), kn_at(o.v, "0"));
        golden_close("flat", y, golden_find(&g, "attention flat f32"), 2e-6, 2e-6);
    }
    golden_free(&g);
}

static void vmap_is_a_loop(void **state)
{
    (void)state;
    golden g = golden_read("nn.npz");
    for (int i = 0; i < N_CASES; i++) {
        KN_SCOPE;
        which w = {i};
        Operands o = read_operands(&g, cases[i].heads, KN_F64), two;
        Others others = read_others(&g, KN_F64);
        two = (Operands){kn_stack(KN_LIST(o.q, kn_neg(o.q)), KN_AXIS(2)), kn_stack(KN_LIST(o.k, o.k), KN_AXIS(2)),
                         kn_stack(KN_LIST(o.v, o.v), KN_AXIS(2))};
        kn_array y, want = cases[i].f(&o, &others);
        kn_call(kn_vmap(KN_FN_ENV(attend, &w), .in_axes = {KN_MAPPED(2), KN_UNMAPPED}), &y, &two, &others);
        assert_true(kn_allclose(kn_at(y, "0"), want, .rtol = 1e-6));
    }
    golden_free(&g);
}

static void nothing_to_attend_to(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array none = kn_zeros(KN_SHAPE(2, 0, 4, 8)), q = kn_ones(KN_SHAPE(2, 3, 4, 8));
    expect_values(kn_max(kn_abs(kn_nn_dot_product_attention(q, none, none))), 0);
    assert_int_equal(kn_size(kn_nn_dot_product_attention(none, q, q)), 0);
}

static void wrong_operands_are_errors_in_the_words_of_jax(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array q = kn_ones(KN_SHAPE(2, 3, 4, 8)), k = kn_ones(KN_SHAPE(2, 5, 4, 8)), k3 = kn_ones(KN_SHAPE(2, 5, 3, 8));
    kn_nn_dot_product_attention(q, k, k3);
    expect_error("ValueError", "nn_dot_product_attention: value shape should be [2, 5, 4, 8]: but got (2,5,3,8)");
    kn_nn_dot_product_attention(kn_ones(KN_SHAPE(3, 3, 4, 8)), k, k);
    expect_error("ValueError", "nn_dot_product_attention: query shape should be [2, -1, -1, 8]: but got (3,3,4,8)");
    kn_nn_dot_product_attention(q, k3, k3);
    expect_error("ValueError", "nn_dot_product_attention: The number of query heads must be a multiple of key/value "
                               "heads, but got 4 vs 3");
    kn_nn_dot_product_attention(q, k, kn_astype(k, KN_F32));
    expect_error("ValueError", "nn_dot_product_attention: value dtype should be float64, but got float32");
    kn_nn_dot_product_attention(kn_astype(q, KN_F32), k, k);
    expect_error("ValueError", "nn_dot_product_attention: query dtype should be float64, but got float32");
    kn_nn_dot_product_attention(q, kn_ones(KN_SHAPE(1, 2, 5, 4, 8)), k);
    expect_error("ValueError", "nn_dot_product_attention: key ndim should be 4, but got 5");
    kn_nn_dot_product_attention(q, k, k, .mask = kn_ones(KN_SHAPE(3, 5)));
    expect_error("ValueError", "nn_dot_product_attention: mask dtype should be bool, but got float64");
    kn_nn_dot_product_attention(q, k, k, .bias = kn_ones(KN_SHAPE(2, 3, 5)));
    expect_error("ValueError", "nn_dot_product_attention: bias shape should be [2, 4, 3, 5]: but got (1,2,3,5)");
    kn_nn_dot_product_attention(q, k, k, .query_seq_lengths = kn_of(int, 1, 2, 3));
    expect_error("ValueError", "nn_dot_product_attention: query_seq_lengths shape should be [2]: but got (3,)");
    kn_nn_dot_product_attention(q, k, k, .key_value_seq_lengths = kn_of(double, 1, 2));
    expect_error("ValueError",
                 "nn_dot_product_attention: key_value_seq_lengths dtype should be int32, but got float64");
    kn_nn_dot_product_attention(q, k, k, .local_window_size = KN_SHAPE(1, 2, 3));
    expect_error("ValueError", "nn_dot_product_attention: local_window_size should have 1 or 2 extents, but got 3");
    kn_nn_dot_product_attention(q, KN_NONE, k);
    expect_error("TypeError", "nn_dot_product_attention: null array");
    kn_nn_dot_product_attention(q, k, k, .bias = kn_random_key(0));
    expect_error_with("TypeError", "nn_dot_product_attention: ");
}

static void scaled_blocks(void **state)
{
    (void)state;
    golden g = golden_read("nn.npz");
    {
        KN_SCOPE;
        kn_array a = golden_array(golden_find(&g, "scaled a")), b = golden_array(golden_find(&g, "scaled b")),
                 sa = golden_array(golden_find(&g, "scaled sa")), sb = golden_array(golden_find(&g, "scaled sb"));
        golden_close("scaled", kn_nn_scaled_matmul(a, b, sa, sb), golden_find(&g, "scaled"), 1e-5, 1e-6);
        assert_ptr_equal(kn_dtype_of(kn_nn_scaled_matmul(a, b, sa, sb, .preferred_element_type = KN_BF16)), KN_BF16);
        kn_nn_scaled_matmul(kn_at(a, "0"), b, sa, sb);
        expect_error("ValueError", "nn_scaled_matmul: scaled_matmul requires all inputs to be 3-dimensional arrays");
        kn_nn_scaled_matmul(a, kn_at(b, ":, :, :4"), sa, sb);
        expect_error_with("ValueError", "requires inputs a and b to have matching batch (B) and contract (K) dim");
        kn_nn_scaled_matmul(a, b, kn_at(sa, ":, :, :1"), sb);
        expect_error_with("ValueError", "requires scales to have matching batch (B) and contract (K) dimensions");
        kn_nn_scaled_matmul(a, b, sb, sb);
        expect_error_with("ValueError", "requires scales to match non-contract dimensions of inputs");
        kn_nn_scaled_matmul(a, b, kn_ones(KN_SHAPE(2, 3, 3)), kn_ones(KN_SHAPE(2, 4, 3)));
        expect_error_with("ValueError", "the contract (K) dimension 8 to be a multiple of that of the scales, 3");
    }
    golden_free(&g);
}

KN_TEST_GROUP(test_nn_attention)
{
    const struct CMUnitTest tests[] = {
        TEST(float32_is_that_of_jax),
        TEST(float64_is_that_of_jax_whose_softmax_is_float32),
        TEST(bfloat16_is_that_of_jax),
        TEST(the_residual_is_the_logarithm_of_the_sum),
        TEST(axes_in_front_may_be_left_out),
        TEST(vmap_is_a_loop),
        TEST(nothing_to_attend_to),
        TEST(wrong_operands_are_errors_in_the_words_of_jax),
        TEST(scaled_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
