/* SPDX-License-Identifier: Apache-2.0
 * test_nn_no_memory.c -- every allocation of a small program of neural networks fails once: what comes out is a
 * MemoryError or the right answer, and nothing is lost. */
#include "support/expect.h"
#include "support/group.h"
#include "support/no_memory.h"
#include <stdio.h>

static kn_array loss(const kn_array *x, const kn_array *ids)
{
    kn_array y = kn_nn_softplus(kn_nn_relu6(kn_nn_standardize(*x)));
    return kn_sum(kn_segment_sum(kn_nn_mish(y), *ids, .num_segments = 2));
}
KN_FUNCTION(loss, kn_array, kn_array, kn_array)

/* NaN where something failed. */
static double program(void)
{
    KN_SCOPE;
    kn_array key = kn_random_key(1), ids = kn_of(int, 1, 0, 1), slope, mask = kn_of(bool, true, false, true);
    kn_array x = kn_nn_init_glorot_normal(key, KN_SHAPE(3, 2)), heads = kn_reshape(x, KN_SHAPE(3, 2, 1));
    kn_call(kn_jit(kn_grad(KN_FN(loss))), &slope, &x, &ids);
    kn_array y = kn_nn_dot_product_attention(heads, kn_at(heads, ":, :1"), kn_at(heads, ":, :1"), .mask = mask);
    return kn_item(kn_sum(slope)) + 2 * kn_item(kn_sum(y)) + kn_item(kn_sum(kn_segment_max(x, ids)));
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    no_memory_check(program, 1, NULL);
}

/* Layers, one of each kind. */
static double layers(void)
{
    KN_SCOPE;
    kn_array key = kn_random_key(1), x = kn_random_normal(key, KN_SHAPE(2, 3, 4)), w = kn_ones(KN_SHAPE(4, 2, 2));
    kn_array w_ih = kn_ones(KN_SHAPE(12, 4)), w_hh = kn_ones(KN_SHAPE(12, 4)), zero = kn_zeros(KN_SHAPE(4));
    kn_nn_recurrent_result gru = kn_nn_gru(x, KN_LIST(w_ih, w_hh), .lengths = kn_of(int, 3, 2));
    kn_nn_batch_norm_result norm = kn_nn_batch_norm_train(kn_nn_group_norm(gru.y, 2), zero, kn_ones(KN_SHAPE(4)));
    kn_array cache = kn_zeros(KN_SHAPE(2, 5, 2, 2)), out = kn_transpose(w, KN_AXIS(1, 2, 0));
    kn_nn_cached_attention_result heads =
        kn_nn_multi_head_attention_cached(norm.y, cache, cache, 1, w, w, w, out, .rope = true);
    kn_nn_quantized q = kn_nn_quantize(w_ih, .bits = 4, .group_size = 2, .symmetric = false);
    kn_array y = kn_nn_quantized_matmul(heads.encoded, q.values, q.scales, .zero_points = q.zero_points);
    y = kn_nn_dropout(key, kn_nn_rms_norm(y), 0.1);
    kn_array id = kn_nn_sample(key, y, .top_k = 4, .top_p = kn_num(0.9), .temperature = kn_num(0.5));
    return kn_item(kn_sum(id)) + kn_item(kn_sum(kn_nn_embed(w_ih, id))) + kn_item(kn_sum(norm.variance));
}

static void layers_may_fail_anywhere(void **state)
{
    (void)state;
    no_memory_check(layers, 41, NULL);
}

KN_TEST_GROUP(test_nn_no_memory)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail),
                                       cmocka_unit_test(layers_may_fail_anywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
