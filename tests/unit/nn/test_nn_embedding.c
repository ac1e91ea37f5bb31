/* SPDX-License-Identifier: Apache-2.0
 * test_nn_embedding.c -- tables, what tells positions apart, and what is left out at random. */
#include "support/expect.h"
#include "support/golden.h"
#include "support/group.h"

static kn_array padded(const kn_array *table, const kn_array *ids)
{
    return kn_sum(kn_cos(kn_nn_embed(*table, *ids, .padding_id = kn_num(3))));
}
KN_FUNCTION(padded, kn_array, kn_array, kn_array)
static kn_array plain(const kn_array *table, const kn_array *ids) { return kn_sum(kn_cos(kn_nn_embed(*table, *ids))); }
KN_FUNCTION(plain, kn_array, kn_array, kn_array)

static void gradients_of_tables_are_those_of_pytorch(void **state)
{
    (void)state;
    golden g = golden_read("layers.npz");
    {
        KN_SCOPE;
        kn_array t = golden_array(golden_find(&g, "embed in t")), ids = golden_array(golden_find(&g, "embed in ids")),
                 slope;
        golden_same_bits("rows", kn_nn_embed(t, ids), golden_find(&g, "embed out 0"));
        golden_same_bits("rows", kn_nn_embed(t, ids, .padding_id = kn_num(3)), golden_find(&g, "embed out 0"));
        kn_call(kn_jit(kn_grad(KN_FN(padded))), &slope, &t, &ids);
        golden_close("with padding", slope, golden_find(&g, "embed grad t"), 1e-13, 1e-13);
        kn_call(kn_grad(KN_FN(plain)), &slope, &t, &ids);
        golden_close("without", slope, golden_find(&g, "embed_plain grad t"), 1e-13, 1e-13);
    }
    golden_free(&g);
}

static void ids_outside_are_errors_or_what_the_mode_says(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array t = kn_reshape(kn_arange(0.0, 6, 1), KN_SHAPE(3, 2));
    kn_nn_embed(t, kn_of(int, 3));
    expect_error("IndexError", "nn_embed: index 3 is out of bounds for axis 0 with size 3");
    expect_values(kn_nn_embed(t, kn_of(int, 3), .mode = "clip"), 4, 5);
    expect_values(kn_nn_embed(t, kn_of(int, 3), .mode = "wrap"), 0, 1);
    expect_values(kn_nn_embed(t, 2), 4, 5);
    assert_int_equal(kn_size(kn_nn_embed(t, kn_zeros(KN_SHAPE(0, 4), .dtype = KN_I32))), 0);
    kn_nn_embed(t, t);
    expect_error("TypeError", "nn_embed: ids must be integers, but got float64");
    kn_nn_embed(kn_scalar(1.0), 0);
    expect_error("ValueError", "nn_embed: the table must have an axis for its rows, but is a scalar");
    kn_nn_embed(t, 0, .padding_id = kn_of(int, 1, 2));
    expect_error("ValueError", "nn_embed: padding_id must be a single number");
}

static void attend_is_the_product_with_all_rows(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array t = kn_random_normal(kn_random_key(1), KN_SHAPE(7, 4)),
             x = kn_random_normal(kn_random_key(2), KN_SHAPE(2, 3, 4));
    assert_true(kn_allclose(kn_nn_embed_attend(x, t), kn_matmul(x, kn_transpose(t))));
    kn_array y = kn_nn_embed_attend(kn_astype(x, KN_BF16), kn_astype(t, KN_BF16), .dtype = KN_F32);
    assert_ptr_equal(kn_dtype_of(y), KN_F32);
    assert_true(kn_allclose(y, kn_matmul(x, kn_transpose(t)), .rtol = 0.1, .atol = 0.1));
    assert_ptr_equal(kn_dtype_of(kn_nn_embed_attend(kn_astype(x, KN_F16), kn_astype(t, KN_F16))), KN_F16);
    kn_nn_embed_attend(x, kn_transpose(t));
    expect_error(
        "ValueError",
        "nn_embed_attend: x of shape (..., D) and a table of shape (V, D) are needed, but got (2,3,4) and (4,7)");
    kn_nn_embed_attend(x, t, .dtype = KN_I32);
    expect_error("TypeError", "nn_embed_attend: dtype must be a float, but is int32");
}

static void tables_of_rotations_give_the_same(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_random_normal(kn_random_key(1), KN_SHAPE(2, 5, 3, 8), .dtype = KN_F32);
    kn_array at = kn_reshape(kn_of(int, 4, 0, 2, 1, 9, 8, 8, 3, 1, 0), KN_SHAPE(2, 5));
    kn_nn_rope_table t = kn_nn_rope_tables(10, 8), part = kn_nn_rope_tables(10, 4, .base = 500000);
    assert_true(kn_allclose(kn_nn_rope(x, .cos = t.cos, .sin = t.sin, .positions = at), kn_nn_rope(x, .positions = at),
                            .rtol = 1e-5, .atol = 1e-6));
    kn_array five = kn_at(part.cos, ":5");
    assert_true(
        kn_allclose(kn_nn_rope(x, .cos = five, .sin = kn_at(part.sin, ":5"), .features = 4, .interleaved = true),
                    kn_nn_rope(x, .features = 4, .interleaved = true, .base = 500000), .rtol = 1e-5, .atol = 1e-6));
    kn_array frequencies = kn_power(10000.0, kn_div(kn_arange(0.0, -8, -2), 8));
    assert_true(kn_allclose(kn_nn_rope(x, .frequencies = frequencies), kn_nn_rope(x), .rtol = 1e-5, .atol = 1e-6));
    kn_array one = kn_at(x, ":, 2:3"); /* a single token, at a position that is an operand */
    kn_array third = kn_nn_rope(one, .positions = kn_of(int, 2));
    assert_true(kn_allclose(third, kn_at(kn_nn_rope(x), ":, 2:3"), .rtol = 1e-5, .atol = 1e-6));
    assert_true(kn_allclose(kn_nn_rope(kn_at(x, "0")), kn_at(kn_nn_rope(x), "0")));
    assert_int_equal(kn_size(kn_nn_rope(kn_ones(KN_SHAPE(0, 3, 4)))), 0);
}

static void wrong_positions_are_errors(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(5, 3, 8)), t = kn_ones(KN_SHAPE(10, 4));
    kn_nn_rope(kn_ones(KN_SHAPE(5, 8)));
    expect_error("ValueError", "nn_rope: x of shape (..., T, N, H) is needed, but it has 2 axes");
    kn_nn_rope(x, .features = 5);
    expect_error("ValueError", "nn_rope: the number of features must be even and positive, but is 5");
    kn_nn_rope(x, .features = 10);
    expect_error("ValueError", "nn_rope: 10 features cannot be rotated, there are 8");
    kn_nn_rope(x, .positions = kn_of(int, 1, 2));
    expect_error("ValueError", "nn_rope: positions do not fit: x has the shape (5,3,8), angles have (2,4)");
    kn_nn_rope(x, .cos = t);
    expect_error("ValueError", "nn_rope: cos and sin must be given together");
    kn_nn_rope(x, .cos = kn_ones(KN_SHAPE(10, 3)), .sin = t);
    expect_error("ValueError", "nn_rope: cos must have the shape (..., 4), but has (10,3)");
    kn_nn_rope(x, .base = -1);
    expect_error("ValueError", "nn_rope: base must be a positive number, but is -1");
    kn_nn_rope(x, .positions = kn_of(bool, true));
    expect_error("TypeError", "nn_rope: positions must be integers or real numbers, but got bool");
    kn_nn_rope_tables(-1, 4);
    expect_error("ValueError", "nn_rope_tables: length must not be negative, but is -1");
    kn_nn_sinusoidal_positions(x, 3);
    expect_error("ValueError", "nn_sinusoidal_positions: the number of features must be even and positive, but is 3");
    kn_nn_alibi_slopes(0);
    expect_error("ValueError", "nn_alibi_slopes: num_heads must be positive, but is 0");
}

static void slopes_are_those_of_the_paper(void **state)
{
    (void)state;
    static const int heads[] = {1, 8, 12, 20};
    golden g = golden_read("layers.npz");
    for (int i = 0; i < 4; i++) {
        KN_SCOPE;
        char text[16];
        snprintf(text, sizeof text, "alibi %d", heads[i]);
        golden_close(text, kn_nn_alibi_slopes(heads[i]), golden_find(&g, text), 1e-6, 0);
    }
    golden_free(&g);
}

/* ---- Dropout. */

static kn_array half(const kn_array *key, const kn_array *x) { return kn_nn_dropout(*key, *x, 0.5); }
KN_FUNCTION(half, kn_array, kn_array, kn_array)
static kn_array sum_of_half(const kn_array *x, const kn_array *key) { return kn_sum(half(key, x)); }
KN_FUNCTION(sum_of_half, kn_array, kn_array, kn_array)

static void dropout_keeps_the_mean_and_the_mask_of_its_gradient(void **state)
{
    (void)state;
    kn_dtype dtypes[] = {KN_F16, KN_BF16, KN_F32, KN_F64};
    for (int i = 0; i < 4; i++) {
        KN_SCOPE;
        kn_array key = kn_random_key(5), x = kn_ones(KN_SHAPE(100, 100), .dtype = dtypes[i]), y, slope;
        kn_call(kn_jit(KN_FN(half)), &y, &key, &x);
        assert_ptr_equal(kn_dtype_of(y), dtypes[i]);
        assert_true(fabs(kn_item(kn_mean(kn_astype(y, KN_F64))) - 1) < 0.05);
        assert_true(kn_array_equal(y, half(&key, &x)));
        kn_call(kn_grad(KN_FN(sum_of_half)), &slope, &x, &key);
        assert_true(kn_array_equal(slope, y)); /* 0 or 2 */
    }
}

static void dropout_at_its_ends(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array key = kn_random_key(5), x = kn_of(double, 1, INFINITY, NAN);
    expect_values(kn_nn_dropout(key, x, 0), 1, INFINITY, NAN);
    expect_values(kn_nn_dropout(key, x, 1), 0, 0, 0);
    expect_values(kn_nn_dropout(KN_NONE, x, 0.5, .deterministic = true), 1, INFINITY, NAN);
    assert_ptr_equal(kn_dtype_of(kn_nn_dropout(key, kn_of(int, 1), 0.5)), KN_F64);
    assert_int_equal(kn_ndim(kn_nn_dropout(key, kn_scalar(1.0), 0.5)), 0);
    assert_int_equal(kn_size(kn_nn_dropout(key, kn_ones(KN_SHAPE(3, 0)), 0.5)), 0);
    kn_nn_dropout(key, x, 1.5);
    expect_error("ValueError", "nn_dropout: rate must be between 0 and 1, but is 1.5");
    kn_nn_dropout(key, x, NAN);
    expect_error("ValueError", "nn_dropout: rate must be between 0 and 1, but is nan");
    kn_nn_stochastic_depth(key, kn_scalar(1.0), 0.5);
    expect_error("ValueError", "nn_stochastic_depth: an axis for the examples is needed, but x is a scalar");
}

static void one_draw_serves_the_broadcast_axes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array key = kn_random_key(5), x = kn_ones(KN_SHAPE(50, 4, 6)),
             y = kn_nn_dropout(key, x, 0.5, .broadcast_axes = KN_AXIS(1, -1));
    assert_true(kn_array_equal(y, kn_broadcast_to(kn_at(y, ":, :1, :1"), KN_SHAPE(50, 4, 6))));
    assert_true(kn_item(kn_min(y)) == 0 && kn_item(kn_max(y)) == 2);
    assert_true(kn_array_equal(y, kn_nn_stochastic_depth(key, x, 0.5)));
    kn_nn_dropout(key, x, 0.5, .broadcast_axes = KN_AXIS(3));
    expect_error_with("AxisError", "axis 3 is out of bounds for array of dimension 3");
}

KN_TEST_GROUP(test_nn_embedding)
{
    const struct CMUnitTest tests[] = {
        TEST(gradients_of_tables_are_those_of_pytorch),
        TEST(ids_outside_are_errors_or_what_the_mode_says),
        TEST(attend_is_the_product_with_all_rows),
        TEST(tables_of_rotations_give_the_same),
        TEST(wrong_positions_are_errors),
        TEST(slopes_are_those_of_the_paper),
        TEST(dropout_keeps_the_mean_and_the_mask_of_its_gradient),
        TEST(dropout_at_its_ends),
        TEST(one_draw_serves_the_broadcast_axes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
