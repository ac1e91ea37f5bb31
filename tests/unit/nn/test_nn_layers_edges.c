/* SPDX-License-Identifier: Apache-2.0
 * test_nn_layers_edges.c -- layers: empty arrays, single elements, mixed dtypes, wrong operands, what is constant in
 * derivatives. */
#include "support/expect.h"
#include "support/group.h"
#include <stdio.h>

/* ---- Normalization. */

static void dtypes_promote_and_short_ones_are_computed_in_float32(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1000, 1001, 1002, 1003), h = kn_astype(x, KN_F16),
             s = kn_ones(KN_SHAPE(4), .dtype = KN_F32);
    assert_ptr_equal(kn_dtype_of(kn_nn_layer_norm(h)), KN_F16);
    assert_ptr_equal(kn_dtype_of(kn_nn_layer_norm(h, .scale = s)), KN_F32);
    assert_ptr_equal(kn_dtype_of(kn_nn_layer_norm(kn_of(int, 1, 2))), KN_F64);
    assert_ptr_equal(kn_dtype_of(kn_nn_layer_norm(h, .scale = kn_num(2))), KN_F16);
    expect_near(kn_nn_rms_norm(kn_mul(h, 50)), 1e-2, 1, 1, 1, 1); /* squares are above float16's largest */
    expect_near(kn_nn_layer_norm(h), 1e-2, -1.3416, -0.4472, 0.4472, 1.3416);
}

static void nothing_and_one(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array m = kn_zeros(KN_SHAPE(4)), none = kn_ones(KN_SHAPE(0, 4)), one = kn_ones(KN_SHAPE(1, 4));
    assert_int_equal(kn_size(kn_nn_layer_norm(none)), 0);
    assert_int_equal(kn_size(kn_nn_layer_norm(kn_ones(KN_SHAPE(3, 0)))), 0);
    assert_int_equal(kn_size(kn_nn_group_norm(none, 2)), 0);
    assert_int_equal(kn_size(kn_nn_instance_norm(kn_ones(KN_SHAPE(2, 0, 4)))), 0);
    assert_int_equal(kn_size(kn_nn_batch_norm(none, m, m)), 0);
    kn_nn_batch_norm_result r = kn_nn_batch_norm_train(one, m, m);
    expect_values(r.y, 0, 0, 0, 0);
    expect_near(r.mean, 1e-12, 0.01, 0.01, 0.01, 0.01);
    expect_values(kn_nn_layer_norm(kn_of(double, 7)), 0);
    expect_values(kn_nn_rms_norm(kn_of(double, 7), .epsilon = 0), 1);
    expect_values(kn_nn_layer_norm(kn_scalar(3.0), .axis = KN_AXIS()), 0);
    assert_int_equal(kn_size(kn_nn_weight_norm(none)), 0);
    expect_no_error();
}

static kn_array running_only(const kn_array *x)
{
    kn_array zero = kn_zeros(KN_SHAPE(2));
    kn_nn_batch_norm_result r = kn_nn_batch_norm_train(*x, zero, zero);
    return kn_add(kn_sum(r.mean), kn_sum(r.variance));
}
KN_FUNCTION(running_only, kn_array, kn_array)

static void running_statistics_are_constants(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_of(double, 1, 2, 3, 4), KN_SHAPE(2, 2)), slope;
    kn_call(kn_grad(KN_FN(running_only)), &slope, &x);
    expect_values(slope, 0, 0, 0, 0);
}

static void wrong_norms_are_errors(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(2, 6)), three = kn_ones(KN_SHAPE(3)), six = kn_ones(KN_SHAPE(6));
    kn_nn_layer_norm(x, .scale = three);
    expect_error("ValueError", "nn_layer_norm: scale must have the shape (6,), but has (3,)");
    kn_nn_layer_norm(x, KN_AXIS(2));
    expect_error_with("AxisError", "axis 2 is out of bounds for array of dimension 2");
    kn_nn_layer_norm(kn_scalar(1.0));
    expect_error_with("AxisError", "axis");
    kn_nn_layer_norm(x, .epsilon = -1);
    expect_error("ValueError", "nn_layer_norm: epsilon must not be negative, but is -1");
    kn_nn_rms_norm(kn_astype(x, KN_C64));
    expect_error("TypeError", "nn_rms_norm: arrays of real numbers are needed, but got complex64");
    kn_nn_group_norm(x, 4);
    expect_error("ValueError", "nn_group_norm: the number of channels, 6, must be a multiple of num_groups, 4");
    kn_nn_group_norm(x, 0);
    expect_error("ValueError", "nn_group_norm: the number of channels, 6, must be a multiple of num_groups, 0");
    kn_nn_group_norm(x, 2, KN_AXIS(0));
    expect_error("ValueError", "nn_group_norm: axis 0 is that of the batch, it cannot be that of the channels");
    kn_nn_instance_norm(six);
    expect_error("ValueError",
                 "nn_instance_norm: an axis for the batch and one for the channels are needed, but got 1 axes");
    kn_nn_batch_norm(x, three, six);
    expect_error("ValueError", "nn_batch_norm: mean must have the shape (6,), but has (3,)");
    kn_nn_batch_norm(x, six, kn_of(int, 1, 2, 3, 4, 5, 6));
    expect_error_with("TypeError", "nn_batch_norm: variance must be of a float dtype, but got int32");
    kn_nn_batch_norm_train(x, six, six, .momentum = 2);
    expect_error("ValueError", "nn_batch_norm_train: momentum must be between 0 and 1, but is 2");
    kn_nn_spectral_norm(six, six);
    expect_error("ValueError", "nn_spectral_norm: weights must have at least two axes, but have 1");
    kn_nn_spectral_norm(x, six, .steps = 0);
    expect_error("ValueError", "nn_spectral_norm: steps must be at least 1, but is 0");
    kn_nn_weight_norm(kn_scalar(1.0));
    expect_error("ValueError", "nn_weight_norm: weights must have at least one axis");
}

/* ---- Recurrent networks. */

enum { I = 3, H = 2 };

static void no_steps_leave_the_state(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_ones(KN_SHAPE(4 * H, I)), u = kn_ones(KN_SHAPE(4 * H, H)), h0 = kn_full(KN_SHAPE(1, 5, H), 0.5);
    kn_nn_lstm_result r = kn_nn_lstm(kn_ones(KN_SHAPE(5, 0, I)), KN_LIST(w, u), .h0 = h0);
    assert_int_equal(kn_size(r.y), 0);
    assert_true(kn_array_equal(r.h, h0));
    assert_int_equal(kn_dim(r.y, 2), H);
    r = kn_nn_lstm(kn_ones(KN_SHAPE(0, 4, I)), KN_LIST(w, u)); /* no sequences */
    assert_int_equal(kn_size(r.y), 0);
    r = kn_nn_lstm(kn_ones(KN_SHAPE(4, I)), KN_LIST(w, u)); /* one without a batch */
    assert_int_equal(kn_ndim(r.y), 2);
    r = kn_nn_lstm(kn_ones(KN_SHAPE(2, 3, 4, I)), KN_LIST(w, u), .lengths = kn_ones(KN_SHAPE(2, 3), .dtype = KN_I32));
    assert_int_equal(kn_ndim(r.y), 4);
    assert_int_equal(kn_ndim(r.c), 4);
    assert_true(kn_item(kn_sum(kn_abs(kn_at(r.y, ":, :, 1:")))) == 0);
    expect_no_error();
}

static void all_layers_have_one_h(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_nn_rnn(kn_ones(KN_SHAPE(5, I)), KN_LIST(kn_ones(KN_SHAPE(H, I)), kn_ones(KN_SHAPE(H, H)),
                                               kn_ones(KN_SHAPE(3, H)), kn_ones(KN_SHAPE(3, 3))));
    expect_error("ValueError", "nn_rnn: w_hh of layer 1 has 3 columns, but that of layer 0 has 2");
}

static void reverse_is_the_backward_half_of_both(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_random_normal(kn_random_key(1), KN_SHAPE(2, 4, I)), n = kn_of(int, 4, 2);
    kn_array w = kn_random_normal(kn_random_key(2), KN_SHAPE(3 * H, I)),
             u = kn_random_normal(kn_random_key(3), KN_SHAPE(3 * H, H));
    kn_nn_recurrent_result both = kn_nn_gru(x, KN_LIST(w, u, kn_neg(w), u), .bidirectional = true, .lengths = n);
    kn_nn_recurrent_result back = kn_nn_gru(x, KN_LIST(kn_neg(w), u), .reverse = true, .lengths = n);
    assert_true(kn_array_equal(kn_at(both.y, "..., 2:"), back.y));
    assert_true(kn_array_equal(kn_at(both.h, "1:"), back.h));
}

static void dropout_is_between_layers_alone(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(2, 4, H)), w = kn_full(KN_SHAPE(H, H), 0.1), key = kn_random_key(3);
    kn_array one = kn_nn_rnn(x, KN_LIST(w, w), .dropout = 0.5, .key = key).y;
    assert_true(kn_array_equal(one, kn_nn_rnn(x, KN_LIST(w, w)).y));
    kn_array two = kn_nn_rnn(x, KN_LIST(w, w, w, w), .dropout = 0.5, .key = key).y;
    assert_false(kn_array_equal(two, kn_nn_rnn(x, KN_LIST(w, w, w, w)).y));
    two = kn_nn_rnn(x, KN_LIST(w, w, w, w), .dropout = 1, .key = key).y;
    assert_true(kn_item(kn_sum(kn_abs(two))) == 0);
}

static void wrong_networks_are_errors(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(5, 4, I)), w = kn_ones(KN_SHAPE(H, I)), u = kn_ones(KN_SHAPE(H, H)),
             b = kn_ones(KN_SHAPE(H));
    kn_nn_rnn(x, KN_LIST(w, u, u));
    expect_error(
        "ValueError",
        "nn_rnn: weights must be w_ih, w_hh, or w_ih, w_hh, bias_ih, bias_hh, for each layer, but there are 3 arrays");
    kn_nn_rnn(x, KN_LIST(w, u), .bidirectional = true);
    expect_error(
        "ValueError",
        "nn_rnn: weights must be w_ih, w_hh, or w_ih, w_hh, bias_ih, bias_hh, for each layer and direction, but there "
        "are 2 arrays");
    kn_nn_rnn(x, KN_LIST(u, u));
    expect_error("ValueError", "nn_rnn: w_ih must have the shape (2,3), but has (2,2)");
    kn_nn_rnn(x, KN_LIST(w, w));
    expect_error("ValueError", "nn_rnn: w_hh must have the shape (3,3), but has (2,3)");
    kn_nn_rnn(x, KN_LIST(w, u, b, kn_ones(KN_SHAPE(3))));
    expect_error("ValueError", "nn_rnn: bias_hh must have the shape (2,), but has (3,)");
    kn_nn_gru(x, KN_LIST(w, u));
    expect_error("ValueError", "nn_gru: w_hh must have the shape (6,2), but has (2,2)");
    kn_nn_rnn(x, KN_LIST(w, u), .activation = "gelu");
    expect_error("ValueError", "nn_rnn: Unknown activation 'gelu'. Expected 'tanh' or 'relu'.");
    kn_nn_rnn(x, KN_LIST(w, u), .h0 = kn_ones(KN_SHAPE(5, H)));
    expect_error("ValueError", "nn_rnn: h0 must have the shape (1,5,2), but has (5,2)");
    kn_nn_rnn(x, KN_LIST(w, u), .c0 = kn_ones(KN_SHAPE(1, 5, H)));
    expect_error("ValueError", "nn_rnn: c0 is for LSTMs alone");
    kn_nn_rnn(x, KN_LIST(w, u), .lengths = kn_of(int, 1));
    expect_error("ValueError", "nn_rnn: lengths must have the shape of the batch, (5,), but have (1,)");
    kn_nn_rnn(x, KN_LIST(w, u), .bidirectional = true, .reverse = true);
    expect_error_with("ValueError", "nn_rnn: ");
    kn_nn_rnn(x, KN_LIST(w, u), .dropout = 0.5);
    expect_error("ValueError", "nn_rnn: dropout needs a key");
    kn_nn_rnn(b, KN_LIST(w, u));
    expect_error("ValueError", "nn_rnn: x of shape (..., T, I) is needed, but it has 1 axes");
    kn_nn_rnn_cell(kn_ones(KN_SHAPE(5, I)), kn_ones(KN_SHAPE(H)), w, u);
    expect_error("ValueError",
                 "nn_rnn_cell: h must have the axes of x, (5,3), with 2 in the last one, but has the shape (2,)");
    kn_nn_rnn_cell(kn_scalar(1.0), b, w, u);
    expect_error("ValueError", "nn_rnn_cell: x of shape (..., I) is needed, but it is a scalar");
    kn_nn_rnn_cell(b, b, kn_ones(KN_SHAPE(H, H), .dtype = KN_C64), u);
    expect_error_with("TypeError", "nn_rnn_cell: arrays of real numbers are needed");
    kn_nn_rnn(x, KN_LIST(kn_astype(w, KN_C64), u));
    expect_error_with("TypeError", "nn_rnn: arrays of real numbers are needed");
}

KN_TEST_GROUP(test_nn_layers_edges)
{
    const struct CMUnitTest tests[] = {
        TEST(dtypes_promote_and_short_ones_are_computed_in_float32),
        TEST(nothing_and_one),
        TEST(running_statistics_are_constants),
        TEST(wrong_norms_are_errors),
        TEST(no_steps_leave_the_state),
        TEST(all_layers_have_one_h),
        TEST(reverse_is_the_backward_half_of_both),
        TEST(dropout_is_between_layers_alone),
        TEST(wrong_networks_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
