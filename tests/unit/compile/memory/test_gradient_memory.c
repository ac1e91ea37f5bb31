/* SPDX-License-Identifier: Apache-2.0
 * test_gradient_memory.c -- how much memory gradients work in: no more than XLA plans for the same programs
 * (JAX 0.10.2 on CPU, jit(f).lower(...).compile().memory_analysis().temp_size_in_bytes). */
#include "support/expect.h"
#include "support/group.h"
#include <kiln/lax.h>
#include <kiln/nn.h>
#include <kiln/prepared.h>

enum { BATCH = 4, LENGTH = 256, SIZE = 256, HEADS = 4 };
typedef struct {
    kn_array query, key, value, out, wide, narrow, scale, other;
} Weights;

static kn_array normalized(kn_array x, kn_array scale)
{
    kn_array centered = kn_sub(x, kn_mean(x, KN_AXIS(-1), .keepdims = true));
    kn_array variance = kn_mean(kn_mul(centered, centered), KN_AXIS(-1), .keepdims = true);
    return kn_mul(kn_mul(centered, kn_lax_rsqrt(kn_add(variance, 1e-5f))), scale);
}

static kn_array heads(kn_array x)
{
    return kn_transpose(kn_reshape(x, KN_SHAPE(BATCH, LENGTH, HEADS, SIZE / HEADS)), KN_AXIS(0, 2, 1, 3));
}

static kn_array attended(const Weights *w, kn_array x)
{
    kn_array q = heads(kn_matmul(x, w->query)), k = heads(kn_matmul(x, w->key)), v = heads(kn_matmul(x, w->value));
    kn_array scores = kn_mul(kn_matmul(q, kn_swapaxes(k, -1, -2)), 0.125f);
    return kn_matmul(kn_nn_softmax(scores), v);
}

static kn_array block(const Weights *w, kn_array x)
{
    kn_array a = kn_transpose(attended(w, normalized(x, w->scale)), KN_AXIS(0, 2, 1, 3));
    x = kn_add(x, kn_matmul(kn_reshape(a, KN_SHAPE(BATCH, LENGTH, SIZE)), w->out));
    kn_array wide = kn_nn_gelu(kn_matmul(normalized(x, w->other), w->wide));
    return kn_add(x, kn_matmul(wide, w->narrow));
}

static kn_array mean_square(kn_array y) { return kn_mean(kn_mul(y, y)); }
static kn_array one_block(const Weights *w, const kn_array *x) { return mean_square(block(w, *x)); }
static kn_array two_blocks(const Weights *w, const kn_array *x) { return mean_square(block(w, block(w, *x))); }
static kn_array perceptron(const Weights *w, const kn_array *x)
{
    kn_array h = kn_nn_gelu(kn_matmul(*x, w->wide));
    h = kn_nn_gelu(kn_matmul(kn_matmul(h, w->narrow), w->wide));
    return mean_square(kn_matmul(h, w->narrow));
}
static kn_array attention(const Weights *w, const kn_array *x)
{
    kn_array y = attended(w, *x);
    return kn_sum(kn_mul(y, y));
}
KN_FUNCTION(one_block, kn_array, Weights, kn_array)
KN_FUNCTION(two_blocks, kn_array, Weights, kn_array)
KN_FUNCTION(perceptron, kn_array, Weights, kn_array)
KN_FUNCTION(attention, kn_array, Weights, kn_array)

static Weights step(const Weights *w, const kn_array *x)
{
    Weights g;
    kn_call(kn_grad(KN_FN(one_block)), &g, w, x);
#define MOVED(part) .part = kn_sub(w->part, kn_mul(g.part, 0.01f))
    return (Weights){MOVED(query), MOVED(key),    MOVED(value), MOVED(out),
                     MOVED(wide),  MOVED(narrow), MOVED(scale), MOVED(other)};
#undef MOVED
}
KN_FUNCTION(step, Weights, Weights, kn_array)

static void expect_at_most(kn_fn f, double megabytes)
{
    kn_array square = kn_ones(KN_SHAPE(SIZE, SIZE), .dtype = KN_F32), ones = kn_ones(KN_SHAPE(SIZE), .dtype = KN_F32);
    const Weights w = {square,
                       square,
                       square,
                       square,
                       kn_ones(KN_SHAPE(SIZE, 4 * SIZE), .dtype = KN_F32),
                       kn_ones(KN_SHAPE(4 * SIZE, SIZE), .dtype = KN_F32),
                       ones,
                       ones};
    kn_array x = kn_ones(KN_SHAPE(BATCH, LENGTH, SIZE), .dtype = KN_F32);
    kn_prepared p = kn_prepare(f, KN_ARGS(&w, &x), .threads = 1);
    assert_non_null(p);
    size_t bytes = kn_prepared_workspace_bytes(p);
    kn_prepared_free(p);
    assert_true(bytes > 0 && (double)bytes <= megabytes * 1e6);
}

static void gradients_need_no_more_than_in_xla(void **state)
{
    (void)state;
    KN_SCOPE;
    expect_at_most(kn_value_and_grad(KN_FN(one_block)), 49.3);
    expect_at_most(kn_value_and_grad(KN_FN(two_blocks)), 86.0);
    expect_at_most(kn_grad(KN_FN(perceptron)), 34.6);
    expect_at_most(kn_grad(KN_FN(attention)), 20.9);
}

static void a_step_of_training_needs_no_more_than_in_xla(void **state)
{
    (void)state;
    KN_SCOPE;
    expect_at_most(KN_FN(step), 48.2);
}

KN_TEST_GROUP(test_gradient_memory)
{
    const struct CMUnitTest tests[] = {
        TEST(gradients_need_no_more_than_in_xla),
        TEST(a_step_of_training_needs_no_more_than_in_xla),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
