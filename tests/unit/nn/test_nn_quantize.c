/* SPDX-License-Identifier: Apache-2.0
 * test_nn_quantize.c -- weights as integers: what gguf and ONNX make of the same ones (tests/golden/quantized.npz). */
#include "support/expect.h"
#include "support/golden.h"
#include "support/group.h"

static void check_gguf(const char *name, int bits, kn_dtype byte)
{
    golden g = golden_read("quantized.npz");
    {
        KN_SCOPE;
        char text[32];
        kn_nn_quantized q = kn_nn_quantize(golden_array(golden_find(&g, "w")), .bits = bits, .group_size = 32);
        assert_ptr_equal(kn_dtype_of(q.values), byte);
        assert_ptr_equal(kn_dtype_of(q.scales), KN_F32);
        assert_null(q.zero_points);
        snprintf(text, sizeof text, "%s values", name);
        golden_same_bits(text, q.values, golden_find(&g, text));
        snprintf(text, sizeof text, "%s scales", name);
        golden_same_bits(text, kn_astype(q.scales, KN_F16), golden_find(&g, text));
        kn_array short_scales = kn_astype(kn_astype(q.scales, KN_F16), KN_F32);
        snprintf(text, sizeof text, "%s back", name);
        golden_same_bits(text, kn_nn_dequantize(q.values, short_scales), golden_find(&g, text));
    }
    golden_free(&g);
}

static void eight_bits_are_those_of_gguf(void **state)
{
    (void)state;
    check_gguf("q8", 8, KN_I8);
}

static void four_bits_are_those_of_gguf(void **state)
{
    (void)state;
    check_gguf("q4", 4, KN_U8);
}

static void zero_points_are_those_of_onnx(void **state)
{
    (void)state;
    golden g = golden_read("quantized.npz");
    {
        KN_SCOPE;
        kn_nn_quantized q = kn_nn_quantize(golden_array(golden_find(&g, "row")), .symmetric = false);
        kn_array from_zero = kn_add(kn_astype(q.values, KN_I32), 128),
                 zero = kn_add(kn_astype(q.zero_points, KN_I32), 128);
        golden_same_bits("values", kn_astype(from_zero, KN_U8), golden_find(&g, "row values"));
        golden_same_bits("zero", kn_astype(kn_reshape(zero, KN_SHAPE()), KN_U8), golden_find(&g, "row zero"));
        golden_close("scale", kn_reshape(q.scales, KN_SHAPE()), golden_find(&g, "row scale"), 1e-7, 0);
    }
    golden_free(&g);
}

/* (bits, group, symmetric) */
static void back_is_within_half_a_step(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_random_normal(kn_random_key(1), KN_SHAPE(3, 6, 64), .dtype = KN_F32);
    for (int bits = 4; bits <= 8; bits += 4)
        for (int64_t group = 0; group <= 64; group = group ? 2 * group : 16)
            for (int symmetric = 0; symmetric < 2; symmetric++) {
                KN_SCOPE;
                kn_nn_quantized q = kn_nn_quantize(w, .bits = bits, .group_size = group, .symmetric = symmetric);
                kn_array back = kn_nn_dequantize(q.values, q.scales, .zero_points = q.zero_points);
                kn_array step = kn_repeat(kn_abs(q.scales), group ? group : 64, KN_AXIS(2));
                double most = bits == 4 && symmetric ? 1.001 : 0.501; /* 15 of -8 .. 8 steps */
                assert_true(kn_item(kn_all(kn_less_equal(kn_abs(kn_sub(w, back)), kn_mul(step, most)))) != 0);
                assert_int_equal(kn_dim(q.values, 2), bits == 4 ? 32 : 64);
            }
}

static kn_array product(const kn_array *x, const kn_array *values, const kn_array *scales)
{
    return kn_nn_quantized_matmul(*x, *values, *scales);
}
KN_FUNCTION(product, kn_array, kn_array, kn_array, kn_array)
static kn_array total(const kn_array *x, const kn_array *values, const kn_array *scales)
{
    return kn_sum(kn_cos(product(x, values, scales)));
}
KN_FUNCTION(total, kn_array, kn_array, kn_array, kn_array)

static void a_product_is_that_with_the_weights_of_it(void **state)
{
    (void)state;
    kn_dtype dtypes[] = {KN_F16, KN_BF16, KN_F32, KN_F64};
    for (int i = 0; i < 4; i++)
        for (int bits = 4; bits <= 8; bits += 4) {
            KN_SCOPE;
            kn_array w = kn_random_normal(kn_random_key(1), KN_SHAPE(12, 64), .dtype = KN_F32), y, slope;
            kn_array x = kn_random_normal(kn_random_key(2), KN_SHAPE(2, 3, 64), .dtype = dtypes[i]);
            kn_nn_quantized q = kn_nn_quantize(w, .bits = bits, .group_size = 32);
            kn_call(kn_jit(KN_FN(product)), &y, &x, &q.values, &q.scales);
            assert_ptr_equal(kn_dtype_of(y), dtypes[i]);
            kn_array back = kn_nn_dequantize(q.values, q.scales, .dtype = dtypes[i]);
            double close = i < 2 ? 2e-1 : 1e-4;
            kn_array want = kn_matmul(x, kn_transpose(back));
            assert_true(kn_allclose(kn_astype(y, KN_F64), kn_astype(want, KN_F64), .rtol = close, .atol = close));
            if (i < 2)
                continue;
            kn_call(kn_grad(KN_FN(total)), &slope, &x, &q.values, &q.scales);
            kn_array by_hand = kn_matmul(kn_neg(kn_sin(want)), back);
            assert_true(kn_allclose(slope, by_hand, .rtol = 1e-3, .atol = 1e-4));
        }
}

static kn_nn_quantized two_parts(const kn_array *w)
{
    kn_nn_quantized q = kn_nn_quantize(*w, .bits = 4, .group_size = 16, .symmetric = false);
    return q;
}
KN_FUNCTION(two_parts, kn_nn_quantized, kn_array)
static void vmap_of_quantizing_is_a_loop(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_random_normal(kn_random_key(1), KN_SHAPE(3, 6, 64));
    kn_nn_quantized q, all = kn_nn_quantize(w, .bits = 4, .group_size = 16, .symmetric = false);
    kn_call(kn_jit(kn_vmap(KN_FN(two_parts))), &q, &w);
    assert_true(kn_array_equal(q.values, all.values));
    assert_true(kn_array_equal(q.zero_points, all.zero_points));
}

static void wrong_weights_are_errors(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_ones(KN_SHAPE(2, 6)), bytes = kn_zeros(KN_SHAPE(2, 6), .dtype = KN_I8),
             scale = kn_ones(KN_SHAPE(2, 1));
    kn_nn_quantize(w, .bits = 2);
    expect_error("ValueError", "nn_quantize: bits must be 8 or 4, but is 2");
    kn_nn_quantize(w, .group_size = 4);
    expect_error("ValueError", "nn_quantize: the last axis, 6, must be a multiple of group_size, 4");
    kn_nn_quantize(kn_ones(KN_SHAPE(2, 3)), .bits = 4);
    expect_error("ValueError", "nn_quantize: the last axis must be even for 4 bits, but is 3");
    kn_nn_quantize(kn_scalar(1.0));
    expect_error("ValueError", "nn_quantize: weights of shape (..., K) are needed, but they have 0 axes");
    kn_nn_quantize(kn_ones(KN_SHAPE(2, 0)));
    expect_error("ValueError", "nn_quantize: rows without elements have no scale");
    kn_nn_dequantize(w, scale);
    expect_error("TypeError", "nn_dequantize: values must be int8, or uint8 with two numbers each, but got float64");
    kn_nn_dequantize(bytes, bytes);
    expect_error("TypeError", "nn_dequantize: scales must be of a float dtype, but got int8");
    kn_nn_dequantize(bytes, kn_ones(KN_SHAPE(2, 4)));
    expect_error("ValueError",
                 "nn_dequantize: scales must have the axes of the values, and a number for each group in the last one, "
                 "but got (2,4) beside values of (2,6)");
    kn_nn_dequantize(bytes, scale, .zero_points = kn_of(int, 1));
    expect_error("ValueError", "nn_dequantize: zero_points must have the shape of the scales, (2,1), but have (1,)");
    kn_nn_quantized_matmul(kn_ones(KN_SHAPE(4)), bytes, scale);
    expect_error("ValueError",
                 "nn_quantized_matmul: x of shape (..., K) and weights of shape (N, K) are needed, but got (4,) and "
                 "values of (2,6)");
    kn_nn_quantized_matmul(kn_ones(KN_SHAPE(6), .dtype = KN_C128), bytes, scale);
    expect_error("TypeError", "nn_quantized_matmul: arrays of real numbers are needed, but got complex128");
}

static void no_rows_give_nothing(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_nn_quantized q = kn_nn_quantize(kn_ones(KN_SHAPE(0, 32)), .bits = 4);
    assert_int_equal(kn_size(q.values), 0);
    assert_int_equal(kn_size(kn_nn_quantized_matmul(kn_ones(KN_SHAPE(3, 32)), q.values, q.scales)), 0);
}

static void groups_of_four_bits_may_end_within_a_byte(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_reshape(kn_of(double, -8, 1, 7, -16, 2, 14), KN_SHAPE(1, 6));
    kn_nn_quantized q = kn_nn_quantize(w, .bits = 4, .group_size = 3);
    expect_values(q.scales, 1, 2);
    expect_values(kn_nn_dequantize(q.values, q.scales), -8, 1, 7, -16, 2, 14);
    expect_values(kn_nn_quantized_matmul(kn_ones(KN_SHAPE(6)), q.values, q.scales), 0);
}

KN_TEST_GROUP(test_nn_quantize)
{
    const struct CMUnitTest tests[] = {
        TEST(eight_bits_are_those_of_gguf),
        TEST(four_bits_are_those_of_gguf),
        TEST(zero_points_are_those_of_onnx),
        TEST(back_is_within_half_a_step),
        TEST(a_product_is_that_with_the_weights_of_it),
        TEST(vmap_of_quantizing_is_a_loop),
        TEST(wrong_weights_are_errors),
        TEST(groups_of_four_bits_may_end_within_a_byte),
        TEST(no_rows_give_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
