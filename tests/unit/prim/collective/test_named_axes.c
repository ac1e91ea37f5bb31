/* SPDX-License-Identifier: Apache-2.0
 * test_named_axes.c -- vmap with an axis name, and the collectives over it. Numbers are JAX's. */
#include "support/expect.h"
#include "support/group.h"

static kn_array counting(int64_t n) { return kn_add(kn_arange(0, n, 1, .dtype = KN_F64), 1); }
static kn_array table(int64_t n, int64_t m) { return kn_reshape(counting(n * m), KN_SHAPE(n, m)); }
static kn_array zero_table(int64_t n, int64_t m) { return kn_sub(table(n, m), 1); }
#define MAPPED(f) kn_vmap(KN_FN(f), .axis_name = "i")

/* ---- Values. */

static kn_array sum_of(const kn_array *x) { return kn_lax_psum(*x, "i"); }
static kn_array mean_of(const kn_array *x) { return kn_lax_pmean(*x, "i"); }
static kn_array maximum_of(const kn_array *x) { return kn_lax_pmax(*x, "i"); }
static kn_array minimum_of(const kn_array *x) { return kn_lax_pmin(*x, "i"); }
static kn_array lane(const kn_array *x) { return kn_add(kn_mul(*x, 0), kn_lax_axis_index("i")); }
static kn_array lane_alone(const kn_array *x) { return (void)x, kn_lax_axis_index("i"); }
KN_FUNCTION(sum_of, kn_array, kn_array)
KN_FUNCTION(mean_of, kn_array, kn_array)
KN_FUNCTION(maximum_of, kn_array, kn_array)
KN_FUNCTION(minimum_of, kn_array, kn_array)
KN_FUNCTION(lane, kn_array, kn_array)
KN_FUNCTION(lane_alone, kn_array, kn_array)

static void lanes_are_summed(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = table(4, 2), y;
    kn_call(MAPPED(sum_of), &y, &x);
    expect_values(y, 16, 20, 16, 20, 16, 20, 16, 20);
    kn_call(kn_jit(MAPPED(sum_of)), &y, &x);
    expect_values(y, 16, 20, 16, 20, 16, 20, 16, 20);
    kn_call(kn_vmap(KN_FN(sum_of), .axis_name = "i", .in_axes = {KN_MAPPED(1)}), &y, &x);
    expect_values(y, 3, 7, 11, 15, 3, 7, 11, 15);
}

static void a_sum_may_leave_the_mapped_axis(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = table(4, 2), y;
    kn_call(kn_vmap(KN_FN(sum_of), .axis_name = "i", .out_axes = {KN_UNMAPPED}), &y, &x);
    expect_values(y, 16, 20);
}

static void booleans_are_counted(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_greater(table(4, 2), 2), y;
    kn_call(MAPPED(sum_of), &y, &x);
    expect_values(y, 3, 3, 3, 3, 3, 3, 3, 3);
    assert_string_equal(kn_dtype_name(kn_dtype_of(y)), "int32");
    kn_call(MAPPED(maximum_of), &y, &x);
    expect_values(y, 1, 1, 1, 1, 1, 1, 1, 1);
    assert_string_equal(kn_dtype_name(kn_dtype_of(y)), "bool");
    kn_call(MAPPED(minimum_of), &y, &x);
    expect_values(y, 0, 0, 0, 0, 0, 0, 0, 0);
}

static void integers_keep_their_dtype(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(int8_t, 1, 3, 5, 7), y;
    kn_call(MAPPED(sum_of), &y, &x);
    expect_values(y, 16, 16, 16, 16);
    assert_string_equal(kn_dtype_name(kn_dtype_of(y)), "int8");
    kn_call(MAPPED(mean_of), &y, &x);
    expect_values(y, 4, 4, 4, 4);
    assert_string_equal(kn_dtype_name(kn_dtype_of(y)), "float64");
}

static void extremes_over_the_lanes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 3, 1, NAN, 2), y;
    kn_call(MAPPED(maximum_of), &y, &x);
    expect_values(y, NAN, NAN, NAN, NAN);
    x = kn_of(double, 3, -INFINITY, 7, 2);
    kn_call(MAPPED(maximum_of), &y, &x);
    expect_values(y, 7, 7, 7, 7);
    kn_call(MAPPED(minimum_of), &y, &x);
    expect_values(y, -INFINITY, -INFINITY, -INFINITY, -INFINITY);
}

static void lanes_know_their_number(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = counting(3), y;
    kn_call(MAPPED(lane), &y, &x);
    expect_values(y, 0, 1, 2);
    kn_call(MAPPED(lane_alone), &y, &x);
    expect_values(y, 0, 1, 2);
    assert_string_equal(kn_dtype_name(kn_dtype_of(y)), "int32");
}

static void no_lanes_and_one_lane(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array none = kn_zeros(KN_SHAPE(0, 2)), one = table(1, 2), y;
    kn_call(MAPPED(sum_of), &y, &none);
    assert_int_equal(kn_size(y), 0);
    kn_call(MAPPED(sum_of), &y, &one);
    expect_values(y, 1, 2);
    kn_call(MAPPED(mean_of), &y, &one);
    expect_values(y, 1, 2);
}

static kn_array unmapped(const kn_array *x, const kn_array *b)
{
    kn_array s = kn_add(kn_lax_psum(*b, "i"), kn_lax_pmax(*b, "i"));
    return kn_add(s, kn_lax_ppermute(*b, "i", KN_PAIRS({0, 1}, {1, 2}, {2, 3}, {3, 0})), kn_lax_pbroadcast(*b, "i", 1),
                  kn_sum(kn_lax_all_gather(*b, "i")), kn_mul(*x, 0));
}
KN_FUNCTION(unmapped, kn_array, kn_array, kn_array)

static void what_is_not_mapped_is_the_same_in_all_lanes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = counting(4), b = kn_scalar(3.0), y;
    kn_call(kn_vmap(KN_FN(unmapped), .axis_name = "i", .in_axes = {KN_MAPPED(0), KN_UNMAPPED}), &y, &x, &b);
    expect_values(y, 33, 33, 33, 33); /* 12 + 3 + 3 + 3 + 12 */
}

static kn_array scaled(const kn_array *x) { return kn_mul(*x, kn_lax_psum(1, "i")); }
static kn_array grouped(const kn_array *x)
{
    return kn_mul(*x, kn_lax_psum(1, "i", .axis_index_groups = {2, 2, (const int[]){0, 1, 2, 3}}));
}
static kn_array sized(const kn_array *x) { return kn_add(*x, kn_lax_axis_size("i")); }
KN_FUNCTION(scaled, kn_array, kn_array)
KN_FUNCTION(grouped, kn_array, kn_array)
KN_FUNCTION(sized, kn_array, kn_array)

static void the_sum_of_a_number_is_a_number(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(float, 0, 1, 2, 3), y;
    kn_call(MAPPED(scaled), &y, &x);
    expect_values(y, 0, 4, 8, 12);
    assert_string_equal(kn_dtype_name(kn_dtype_of(y)), "float32");
    kn_call(MAPPED(grouped), &y, &x);
    expect_values(y, 0, 2, 4, 6);
    kn_call(MAPPED(sized), &y, &x);
    expect_values(y, 4, 5, 6, 7);
}

/* ---- Moving parts. */

static kn_array gathered(const kn_array *x) { return kn_lax_all_gather(*x, "i"); }
static kn_array gathered_last(const kn_array *x) { return kn_lax_all_gather(*x, "i", KN_AXIS(-1)); }
static kn_array gathered_tiled(const kn_array *x) { return kn_lax_all_gather(*x, "i", .tiled = true); }
static kn_array scattered(const kn_array *x) { return kn_lax_psum_scatter(*x, "i"); }
static kn_array scattered_tiled(const kn_array *x)
{
    return kn_lax_psum_scatter(*x, "i", .scatter_dimension = 1, .tiled = true);
}
static kn_array exchanged(const kn_array *x) { return kn_lax_all_to_all(*x, "i", 0, 1); }
static kn_array exchanged_back(const kn_array *x) { return kn_lax_all_to_all(*x, "i", 1, 0); }
static kn_array exchanged_tiled(const kn_array *x) { return kn_lax_all_to_all(*x, "i", 0, 1, .tiled = true); }
static kn_array swapped(const kn_array *x) { return kn_lax_pswapaxes(*x, "i", 0); }
KN_FUNCTION(gathered, kn_array, kn_array)
KN_FUNCTION(gathered_last, kn_array, kn_array)
KN_FUNCTION(gathered_tiled, kn_array, kn_array)
KN_FUNCTION(scattered, kn_array, kn_array)
KN_FUNCTION(scattered_tiled, kn_array, kn_array)
KN_FUNCTION(exchanged, kn_array, kn_array)
KN_FUNCTION(exchanged_back, kn_array, kn_array)
KN_FUNCTION(exchanged_tiled, kn_array, kn_array)
KN_FUNCTION(swapped, kn_array, kn_array)

static void every_lane_gathers_all(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = table(2, 3), y;
    kn_call(MAPPED(gathered), &y, &x);
    expect_values(y, 1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6);
    assert_int_equal(kn_dim(y, 1), 2);
    kn_call(MAPPED(gathered_last), &y, &x);
    expect_values(y, 1, 4, 2, 5, 3, 6, 1, 4, 2, 5, 3, 6);
    kn_call(MAPPED(gathered_tiled), &y, &x);
    assert_int_equal(kn_dim(y, 1), 6);
    kn_call(kn_vmap(KN_FN(gathered), .axis_name = "i", .out_axes = {KN_UNMAPPED}), &y, &x);
    expect_values(y, 1, 2, 3, 4, 5, 6);
}

static void a_sum_is_scattered(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = zero_table(3, 3), y;
    kn_call(MAPPED(scattered), &y, &x);
    expect_values(y, 9, 12, 15);
    kn_array wide = kn_reshape(kn_arange(0, 2 * 2 * 4, 1), KN_SHAPE(2, 2, 4));
    kn_call(MAPPED(scattered_tiled), &y, &wide);
    expect_values(y, 8, 10, 16, 18, 12, 14, 20, 22);
}

static void parts_are_exchanged(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_arange(0, 8, 1), KN_SHAPE(2, 2, 2)), y, z;
    kn_call(MAPPED(exchanged), &y, &x); /* y[b][k][a] = x[a][b][k] */
    expect_values(y, 0, 4, 1, 5, 2, 6, 3, 7);
    kn_call(MAPPED(exchanged_back), &z, &y);
    expect_values(z, 0, 1, 2, 3, 4, 5, 6, 7);
    kn_call(MAPPED(exchanged_tiled), &y, &x);
    expect_values(y, 0, 1, 4, 5, 2, 3, 6, 7);
    assert_int_equal(kn_dim(y, 1), 1);
    kn_array square = zero_table(3, 3);
    kn_call(MAPPED(swapped), &y, &square);
    expect_values(y, 0, 3, 6, 1, 4, 7, 2, 5, 8);
}

static kn_array pairs(const kn_array *x) { return kn_lax_ppermute(*x, "i", KN_PAIRS({0, 1}, {1, 0}, {2, 3}, {3, 2})); }
static kn_array first_to_second(const kn_array *x) { return kn_lax_ppermute(*x, "i", KN_PAIRS({0, 1})); }
static kn_array shuffled(const kn_array *x) { return kn_lax_pshuffle(*x, "i", KN_LANES(1, 3, 2, 0)); }
static kn_array from_third(const kn_array *x) { return kn_lax_pbroadcast(*x, "i", 2); }
KN_FUNCTION(pairs, kn_array, kn_array)
KN_FUNCTION(first_to_second, kn_array, kn_array)
KN_FUNCTION(shuffled, kn_array, kn_array)
KN_FUNCTION(from_third, kn_array, kn_array)

static void lanes_send_to_lanes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = table(4, 2), y;
    kn_call(MAPPED(pairs), &y, &x);
    expect_values(y, 3, 4, 1, 2, 7, 8, 5, 6);
    kn_call(MAPPED(shuffled), &y, &x);
    expect_values(y, 3, 4, 7, 8, 5, 6, 1, 2);
    kn_call(MAPPED(first_to_second), &y, &x);
    expect_values(y, 0, 0, 1, 2, 0, 0, 0, 0);
    kn_call(MAPPED(from_third), &y, &x);
    expect_values(y, 5, 6, 5, 6, 5, 6, 5, 6);
}

/* ---- Several axes. */

static kn_array sum_ij(const kn_array *x) { return kn_lax_psum(*x, KN_NAMES("i", "j")); }
static kn_array sum_j(const kn_array *x) { return kn_lax_psum(*x, "j"); }
static kn_array index_ij(const kn_array *x) { return (void)x, kn_lax_axis_index(KN_NAMES("i", "j")); }
static kn_array exchange_ij(const kn_array *x) { return kn_lax_all_to_all(*x, KN_NAMES("i", "j"), 0, 0); }
static kn_array exchange_ji(const kn_array *x) { return kn_lax_all_to_all(*x, KN_NAMES("j", "i"), 0, 0); }
static kn_array gather_ij(const kn_array *x) { return kn_lax_all_gather(*x, KN_NAMES("i", "j")); }
static kn_array gather_ji(const kn_array *x) { return kn_lax_all_gather(*x, KN_NAMES("j", "i")); }
static kn_array scatter_ij(const kn_array *x) { return kn_lax_psum_scatter(*x, KN_NAMES("i", "j")); }
static kn_array scatter_tiled_ij(const kn_array *x)
{
    return kn_lax_psum_scatter(*x, KN_NAMES("i", "j"), .tiled = true);
}
static kn_array gather_and_sum(const kn_array *x) { return kn_add(kn_lax_all_gather(*x, "j"), kn_lax_psum(*x, "i")); }
KN_FUNCTION(sum_ij, kn_array, kn_array)
KN_FUNCTION(sum_j, kn_array, kn_array)
KN_FUNCTION(index_ij, kn_array, kn_array)
KN_FUNCTION(exchange_ij, kn_array, kn_array)
KN_FUNCTION(exchange_ji, kn_array, kn_array)
KN_FUNCTION(gather_ij, kn_array, kn_array)
KN_FUNCTION(gather_ji, kn_array, kn_array)
KN_FUNCTION(scatter_ij, kn_array, kn_array)
KN_FUNCTION(scatter_tiled_ij, kn_array, kn_array)
KN_FUNCTION(gather_and_sum, kn_array, kn_array)
#define MAPPED_IJ(f) kn_vmap(kn_vmap(KN_FN(f), .axis_name = "j"), .axis_name = "i")

static void nested_axes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = zero_table(2, 3), y;
    kn_call(MAPPED_IJ(sum_ij), &y, &x);
    expect_values(y, 15, 15, 15, 15, 15, 15);
    kn_call(MAPPED_IJ(sum_j), &y, &x);
    expect_values(y, 3, 3, 3, 12, 12, 12);
    kn_call(MAPPED_IJ(sum_of), &y, &x);
    expect_values(y, 3, 5, 7, 3, 5, 7);
    kn_call(MAPPED_IJ(index_ij), &y, &x);
    expect_values(y, 0, 1, 2, 3, 4, 5);
    kn_call(kn_jit(MAPPED_IJ(gather_and_sum)), &y, &x);
    expect_values(y, 3, 4, 5, 5, 6, 7, 7, 8, 9, 6, 7, 8, 8, 9, 10, 10, 11, 12);
}

static void the_inner_axis_of_the_same_name_counts(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = zero_table(2, 3), y;
    kn_call(kn_vmap(kn_vmap(KN_FN(sum_of), .axis_name = "i"), .axis_name = "i"), &y, &x);
    expect_values(y, 3, 3, 3, 12, 12, 12);
}

static void exchange_over_two_axes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_arange(0, 36, 1), KN_SHAPE(2, 3, 6)), y;
    kn_call(MAPPED_IJ(exchange_ij), &y, &x);
    expect_values(y, 0, 6, 12, 18, 24, 30, 1, 7, 13, 19, 25, 31, 2, 8, 14, 20, 26, 32, 3, 9, 15, 21, 27, 33, 4, 10, 16,
                  22, 28, 34, 5, 11, 17, 23, 29, 35);
    kn_call(MAPPED_IJ(exchange_ji), &y, &x);
    expect_values(y, 0, 18, 6, 24, 12, 30, 2, 20, 8, 26, 14, 32, 4, 22, 10, 28, 16, 34, 1, 19, 7, 25, 13, 31, 3, 21, 9,
                  27, 15, 33, 5, 23, 11, 29, 17, 35);
}

static void gathering_and_scattering_over_two_axes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = zero_table(2, 3), y;
    kn_call(kn_vmap(kn_vmap(KN_FN(gather_ij), .axis_name = "j", .out_axes = {KN_UNMAPPED}), .axis_name = "i",
                    .out_axes = {KN_UNMAPPED}),
            &y, &x);
    expect_values(y, 0, 1, 2, 3, 4, 5);
    kn_call(kn_vmap(kn_vmap(KN_FN(gather_ji), .axis_name = "j", .out_axes = {KN_UNMAPPED}), .axis_name = "i",
                    .out_axes = {KN_UNMAPPED}),
            &y, &x);
    expect_values(y, 0, 3, 1, 4, 2, 5);
    kn_array wide = kn_reshape(kn_arange(0, 36, 1), KN_SHAPE(2, 3, 6));
    kn_call(MAPPED_IJ(scatter_ij), &y, &wide);
    expect_values(y, 90, 96, 102, 108, 114, 120);
    kn_array wider = kn_reshape(kn_arange(0, 72, 1), KN_SHAPE(2, 3, 12));
    kn_call(MAPPED_IJ(scatter_tiled_ij), &y, &wider);
    expect_values(y, 180, 186, 192, 198, 204, 210, 216, 222, 228, 234, 240, 246);
}

/* ---- Derivatives. */

static kn_array times_sum_of_squares(const kn_array *x) { return kn_sum(kn_mul(kn_lax_psum(kn_mul(*x, *x), "i"), *x)); }
static kn_array product_with_all(const kn_array *x)
{
    return kn_sum(kn_square(kn_mul(kn_lax_all_gather(*x, "i"), *x)));
}
static kn_array weighed_gather(const kn_array *x)
{
    kn_array w = kn_reshape(counting(3), KN_SHAPE(3, 1));
    return kn_sum(kn_mul(kn_mul(kn_lax_all_gather(*x, "i"), w), *x));
}
static kn_array weighed_scatter(const kn_array *x)
{
    return kn_mul(kn_lax_psum_scatter(kn_mul(*x, *x), "i"), kn_add(kn_lax_axis_index("i"), 1.0));
}
static kn_array weighed_permutation(const kn_array *x)
{
    kn_array y = kn_lax_ppermute(kn_mul(*x, *x), "i", KN_PAIRS({0, 1}, {1, 2}, {2, 0}));
    return kn_mul(kn_sum(y), kn_add(kn_lax_axis_index("i"), 1.0));
}
static kn_array weighed_swap(const kn_array *x)
{
    return kn_sum(kn_mul(kn_lax_pswapaxes(kn_mul(*x, *x), "i", 0), kn_of(double, 1, 2, 3)));
}
static kn_array weighed_broadcast(const kn_array *x)
{
    return kn_mul(kn_lax_pbroadcast(kn_mul(*x, *x), "i", 1), kn_add(kn_lax_axis_index("i"), 1.0));
}
static kn_array sum_of_cubes(const kn_array *x) { return kn_lax_psum(kn_mul(*x, *x, *x), "i"); }
static kn_array mean_of_squares(const kn_array *x) { return kn_lax_pmean(kn_mul(*x, *x), "i"); }
static kn_array sum_of_squares(const kn_array *x) { return kn_lax_psum(kn_mul(*x, *x), "i"); }
KN_FUNCTION(times_sum_of_squares, kn_array, kn_array)
KN_FUNCTION(product_with_all, kn_array, kn_array)
KN_FUNCTION(weighed_gather, kn_array, kn_array)
KN_FUNCTION(weighed_scatter, kn_array, kn_array)
KN_FUNCTION(weighed_permutation, kn_array, kn_array)
KN_FUNCTION(weighed_swap, kn_array, kn_array)
KN_FUNCTION(weighed_broadcast, kn_array, kn_array)
KN_FUNCTION(sum_of_cubes, kn_array, kn_array)
KN_FUNCTION(mean_of_squares, kn_array, kn_array)
KN_FUNCTION(sum_of_squares, kn_array, kn_array)

static kn_array gradient_inside(kn_fn loss, kn_array x)
{
    kn_array g;
    kn_call(kn_vmap(kn_grad(loss), .axis_name = "i"), &g, &x);
    return g;
}

static void gradients_inside_of_vmap(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = table(3, 2), square = zero_table(3, 3);
    expect_values(gradient_inside(KN_FN(times_sum_of_squares), x), 53, 104, 89, 152, 125, 200);
    expect_values(gradient_inside(KN_FN(weighed_gather), x), 31, 40, 40, 52, 49, 64);
    expect_values(gradient_inside(KN_FN(weighed_scatter), square), 0, 4, 12, 6, 16, 30, 12, 28, 48);
    expect_values(gradient_inside(KN_FN(weighed_permutation), x), 4, 8, 18, 24, 10, 12);
    /* x[a][b] goes to y[b][a], which counts a + 1 times */
    expect_values(gradient_inside(KN_FN(weighed_swap), square), 0, 2, 4, 12, 16, 20, 36, 42, 48);
    expect_values(gradient_inside(KN_FN(weighed_broadcast), counting(3)), 0, 24, 0);
    expect_values(gradient_inside(kn_grad(KN_FN(sum_of_cubes)), counting(3)), 18, 36, 54);
}

static kn_array total_times_sum(const kn_array *x)
{
    kn_array y;
    kn_call(MAPPED(times_sum_of_squares), &y, x);
    return kn_sum(y);
}
static kn_array total_product(const kn_array *x)
{
    kn_array y;
    kn_call(MAPPED(product_with_all), &y, x);
    return kn_sum(y);
}
KN_FUNCTION(total_times_sum, kn_array, kn_array)
KN_FUNCTION(total_product, kn_array, kn_array)

static void gradients_of_vmapped_functions(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = table(3, 2), g;
    kn_call(kn_grad(KN_FN(total_times_sum)), &g, &x);
    expect_values(g, 53, 104, 89, 152, 125, 200);
    kn_call(kn_jit(kn_grad(KN_FN(total_product))), &g, &x);
    expect_values(g, 140, 448, 420, 896, 700, 1344);
}

static void jacobians_and_tangents(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = table(3, 2), one = kn_ones(KN_SHAPE(3, 2)), y, dy;
    kn_jvp(MAPPED(mean_of_squares), KN_ARGS(&x), KN_ARGS(&one), &y, &dy);
    expect_values(dy, 6, 8, 6, 8, 6, 8);
    kn_call(kn_vmap(kn_jacfwd(KN_FN(sum_of_squares)), .axis_name = "i"), &y, &x);
    expect_values(y, 18, 0, 0, 24, 18, 0, 0, 24, 18, 0, 0, 24);
    kn_call(kn_vmap(kn_jacrev(KN_FN(sum_of_squares)), .axis_name = "i"), &y, &x);
    expect_values(y, 6, 0, 0, 12, 18, 0, 0, 24, 30, 0, 0, 36);
}

static void extremes_have_no_derivative(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = counting(3), y;
    kn_call(kn_vmap(kn_grad(KN_FN(maximum_of)), .axis_name = "i"), &y, &x);
    expect_error("NotImplementedError", "vmap: Differentiation rule for 'pmax' not implemented");
    kn_call(kn_vmap(kn_grad(KN_FN(minimum_of)), .axis_name = "i"), &y, &x);
    expect_error("NotImplementedError", "vmap: Differentiation rule for 'pmin' not implemented");
}

/* ---- Names through other transformations. */

static kn_array jitted_sum(const kn_array *x)
{
    kn_array y;
    kn_call(kn_jit(KN_FN(sum_of)), &y, x);
    return y;
}
static kn_array jitted_lane(const kn_array *x)
{
    kn_array y, one = kn_scalar(1.0);
    (void)x;
    kn_call(kn_jit(KN_FN(lane_alone)), &y, &one); /* no operand of the call is mapped */
    return y;
}
KN_FUNCTION(jitted_sum, kn_array, kn_array)
KN_FUNCTION(jitted_lane, kn_array, kn_array)

static void names_go_into_jitted_functions(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = counting(3), longer = counting(4), y;
    kn_fn inner = kn_jit(KN_FN(sum_of));
    kn_call(MAPPED(jitted_sum), &y, &x);
    expect_values(y, 6, 6, 6);
    int traced = kn_fn_trace_count(inner);
    kn_call(MAPPED(jitted_sum), &y, &x);
    assert_int_equal(kn_fn_trace_count(inner), traced); /* the same axes: the same recording */
    kn_call(MAPPED(jitted_sum), &y, &longer);
    expect_values(y, 10, 10, 10, 10);
    kn_call(MAPPED(jitted_lane), &y, &x);
    expect_values(y, 0, 1, 2);
}

static kn_array small(const kn_array *s) { return kn_less(kn_lax_psum(*s, "i"), 100); }
static kn_array doubled(const kn_array *s) { return kn_mul(*s, 2); }
KN_FUNCTION(small, kn_array, kn_array)
KN_FUNCTION(doubled, kn_array, kn_array)
static kn_array grown(const kn_array *x)
{
    kn_array y;
    kn_while_loop(KN_FN(small), KN_FN(doubled), &y, x);
    return y;
}
KN_FUNCTION(grown, kn_array, kn_array)

static void names_go_into_loops(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = counting(3), y;
    kn_call(MAPPED(grown), &y, &x);
    expect_values(y, 32, 64, 96);
}

static kn_array centred(const kn_array *x) { return kn_sub(*x, kn_lax_pmean(*x, "i")); }
KN_FUNCTION(centred, kn_array, kn_array)
typedef struct {
    kn_array y, dy;
} WithTangent;
static WithTangent centred_rule(const kn_array *x, const kn_array *dx)
{
    return (WithTangent){centred(x), kn_mul(10, kn_sub(*dx, kn_lax_pmean(*dx, "i")))}; /* ten times too steep */
}
KN_FUNCTION(centred_rule, WithTangent, kn_array, kn_array)
static kn_array custom_square(const kn_array *x)
{
    kn_array y;
    kn_call(kn_custom_jvp(KN_FN(centred), KN_FN(centred_rule)), &y, x);
    return kn_mul(y, y);
}
KN_FUNCTION(custom_square, kn_array, kn_array)
static kn_array total_custom_square(const kn_array *x)
{
    kn_array y;
    kn_call(MAPPED(custom_square), &y, x);
    return kn_sum(y);
}
KN_FUNCTION(total_custom_square, kn_array, kn_array)

static void names_go_into_rules_of_custom_derivatives(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 6), g;
    kn_call(kn_grad(KN_FN(total_custom_square)), &g, &x);
    expect_values(g, -40, -20, 60); /* 10 * 2 * (x - 3) */
    kn_call(kn_vmap(kn_grad(KN_FN(custom_square)), .axis_name = "i"), &g, &x);
    expect_values(g, -40, -20, 60);
}

/* ---- Jaxprs. */

static kn_array everything(const kn_array *x)
{
    kn_array a = kn_lax_psum(*x, "i"), b = kn_sum(kn_lax_all_gather(*x, "i", .tiled = true));
    kn_array c = kn_lax_ppermute(*x, "i", KN_PAIRS({0, 1}, {1, 0}));
    return kn_add(a, b, c, kn_lax_pbroadcast(*x, "i", 1), kn_lax_pswapaxes(*x, "i", 0));
}
KN_FUNCTION(everything, kn_array, kn_array)

static void jaxprs_print_as_in_jax(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(float, 1, 2);
    kn_jaxpr j = kn_make_jaxpr(KN_FN(everything), KN_ARGS(&x), .axis_env = {{"i", 2}});
    assert_string_equal(kn_jaxpr_text(j, KN_JAXPR_TYPED),
                        "{ lambda ; a:f32[2]. let\n"
                        "    b:f32[2] = psum[axes=('i',) axis_index_groups=None] a\n"
                        "    c:f32[4] = all_gather[\n"
                        "      all_gather_dimension=0\n"
                        "      axis_index_groups=None\n"
                        "      axis_name=('i',)\n"
                        "      axis_size=2\n"
                        "      tiled=True\n"
                        "    ] a\n"
                        "    d:f32[] = reduce_sum[axes=(0,) out_sharding=None] c\n"
                        "    e:f32[2] = ppermute[axis_name=('i',) perm=((0, 1), (1, 0))] a\n"
                        "    f:f32[2] = pbroadcast[axis_name=i source=1] a\n"
                        "    g:f32[2] = all_to_all[\n"
                        "      axis_index_groups=None\n"
                        "      axis_name=i\n"
                        "      concat_axis=0\n"
                        "      split_axis=0\n"
                        "      tiled=False\n"
                        "    ] a\n"
                        "    h:f32[2] = add b d\n"
                        "    i:f32[2] = add h e\n"
                        "    j:f32[2] = add i f\n"
                        "    k:f32[2] = add j g\n"
                        "  in (k,) }");
    kn_jaxpr back = kn_jaxpr_parse(kn_jaxpr_text(j, KN_JAXPR_FULL));
    assert_true(kn_jaxpr_equal(j, back));
}

static void two_names_print_as_in_jax(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(float, 1, 2);
    kn_jaxpr j = kn_make_jaxpr(KN_FN(sum_ij), KN_ARGS(&x), .axis_env = {{"i", 2}, {"j", 3}});
    assert_string_equal(kn_jaxpr_text(j, KN_JAXPR_TYPED),
                        "{ lambda ; a:f32[2]. let\n"
                        "    b:f32[2] = psum[axes=('i', 'j') axis_index_groups=None] a\n"
                        "  in (b,) }");
    assert_true(kn_jaxpr_equal(j, kn_jaxpr_parse(kn_jaxpr_text(j, KN_JAXPR_FULL))));
    j = kn_make_jaxpr(KN_FN(index_ij), KN_ARGS(&x), .axis_env = {{"i", 4}, {"j", 2}});
    assert_string_equal(kn_jaxpr_text(j, KN_JAXPR_TYPED), "{ lambda ; a:f32[2]. let\n"
                                                          "    b:i32[] = axis_index[axis_name=j] \n"
                                                          "    c:i32[] = mul b 1:i32[]\n"
                                                          "    d:i32[] = add 0:i32[] c\n"
                                                          "    e:i32[] = axis_index[axis_name=i] \n"
                                                          "    f:i32[] = mul e 2:i32[]\n"
                                                          "    g:i32[] = add d f\n"
                                                          "  in (g,) }");
}

static void a_jaxpr_with_free_names(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = table(4, 2), y;
    kn_array one = kn_at(x, "0");
    kn_fn f = kn_fn_from_jaxpr(kn_make_jaxpr(KN_FN(gathered), KN_ARGS(&one), .axis_env = {{"i", 4}}));
    kn_call(kn_vmap(f, .axis_name = "i", .out_axes = {KN_UNMAPPED}), &y, &x);
    expect_values(y, 1, 2, 3, 4, 5, 6, 7, 8);
    kn_call(f, &y, &one);
    kn_eval(y);
    expect_error_with("NameError", "unbound axis name: i");
    kn_call(kn_jit(f), &y, &one);
    expect_error_with("NameError", "unbound axis name: i");
    kn_array shorter = table(3, 2);
    kn_call(kn_vmap(f, .axis_name = "i"), &y, &shorter);
    expect_error_with("ValueError", "axis size doesn't match");
}

/* ---- Errors. */

static kn_array psum_k(const kn_array *x) { return kn_lax_psum(*x, "k"); }
static kn_array gather_k(const kn_array *x) { return kn_lax_all_gather(*x, "k"); }
static kn_array index_k(const kn_array *x) { return (void)x, kn_lax_axis_index("k"); }
static kn_array size_k(const kn_array *x) { return kn_add(*x, kn_lax_axis_size("k")); }
static kn_array sum_ii(const kn_array *x) { return kn_lax_psum(*x, KN_NAMES("i", "i")); }
static kn_array sum_none(const kn_array *x) { return kn_lax_psum(*x, ((kn_axis_names){0})); }
static kn_array in_groups(const kn_array *x)
{
    return kn_lax_psum(*x, "i", .axis_index_groups = {2, 2, (const int[]){0, 1, 2, 3}});
}
static kn_array bad_groups(const kn_array *x)
{
    return kn_lax_psum(*x, "i", .axis_index_groups = {2, 2, (const int[]){0, 1, 2, 2}});
}
static kn_array bad_split(const kn_array *x) { return kn_lax_all_to_all(*x, "i", 0, 0); }
static kn_array bad_tiled_split(const kn_array *x) { return kn_lax_all_to_all(*x, "i", 0, 0, .tiled = true); }
static kn_array bad_source(const kn_array *x) { return kn_lax_pbroadcast(*x, "i", 7); }
static kn_array bad_pair(const kn_array *x) { return kn_lax_ppermute(*x, "i", KN_PAIRS({0, 5})); }
static kn_array same_pair(const kn_array *x) { return kn_lax_ppermute(*x, "i", KN_PAIRS({0, 1}, {0, 2})); }
static kn_array bad_shuffle(const kn_array *x) { return kn_lax_pshuffle(*x, "i", KN_LANES(1, 2, 2, 0)); }
static kn_array bad_axis(const kn_array *x) { return kn_lax_all_gather(*x, "i", KN_AXIS(3)); }
static kn_array bad_scatter(const kn_array *x) { return kn_lax_psum_scatter(*x, "i"); }
KN_FUNCTION(psum_k, kn_array, kn_array)
KN_FUNCTION(gather_k, kn_array, kn_array)
KN_FUNCTION(index_k, kn_array, kn_array)
KN_FUNCTION(size_k, kn_array, kn_array)
KN_FUNCTION(sum_ii, kn_array, kn_array)
KN_FUNCTION(sum_none, kn_array, kn_array)
KN_FUNCTION(in_groups, kn_array, kn_array)
KN_FUNCTION(bad_groups, kn_array, kn_array)
KN_FUNCTION(bad_split, kn_array, kn_array)
KN_FUNCTION(bad_tiled_split, kn_array, kn_array)
KN_FUNCTION(bad_source, kn_array, kn_array)
KN_FUNCTION(bad_pair, kn_array, kn_array)
KN_FUNCTION(same_pair, kn_array, kn_array)
KN_FUNCTION(bad_shuffle, kn_array, kn_array)
KN_FUNCTION(bad_axis, kn_array, kn_array)
KN_FUNCTION(bad_scatter, kn_array, kn_array)

static void fails(kn_fn f, const char *kind, const char *message)
{
    kn_array x = table(4, 2), y;
    kn_call(kn_vmap(f, .axis_name = "i"), &y, &x);
    expect_error(kind, message);
}

static void unbound_names(void **state)
{
    (void)state;
    KN_SCOPE;
    fails(KN_FN(psum_k), "NameError", "psum: unbound axis name: k");
    fails(KN_FN(gather_k), "NameError", "all_gather: unbound axis name: k");
    fails(KN_FN(index_k), "NameError", "axis_index: unbound axis name: k");
    fails(KN_FN(size_k), "NameError", "axis_size: unbound axis name: k");
    kn_array x = counting(3), y;
    y = kn_lax_psum(x, "i");
    expect_error("NameError", "psum: unbound axis name: i");
    kn_call(kn_vmap(KN_FN(sum_of)), &y, &x);
    expect_error("NameError", "psum: unbound axis name: i");
    kn_call(kn_jit(KN_FN(sum_of)), &y, &x);
    expect_error("NameError", "psum: unbound axis name: i");
    assert_false(kn_ok(y));
}

static void wrong_parameters(void **state)
{
    (void)state;
    KN_SCOPE;
    fails(KN_FN(sum_ii), "ValueError", "psum: duplicate value in 'axes': i");
    fails(KN_FN(in_groups), "NotImplementedError", "psum: axis_index_groups not supported in vmap collectives");
    fails(KN_FN(bad_groups), "ValueError", "psum: axis_index_groups must cover all indices exactly once");
    fails(
        KN_FN(bad_split), "ValueError",
        "all_to_all: all_to_all requires the size of the mapped axis axis_name to equal x.shape[split_axis], but they "
        "are 4 and 2 respectively.");
    fails(KN_FN(bad_tiled_split), "ValueError",
          "all_to_all: The size of all_to_all split_axis (2) has to be divisible by the size of the named axis i (4)");
    fails(KN_FN(bad_source), "ValueError", "pbroadcast: collective broadcast doesn't fit in the axis size!");
    fails(KN_FN(bad_pair), "IndexError", "vmap: index 5 is out of bounds for axis i with size 4");
    fails(KN_FN(same_pair), "ValueError", "vmap: ppermute sources and destinations must be unique");
    fails(KN_FN(bad_shuffle), "ValueError", "pshuffle: `perm` does not represent a permutation of 4 lanes");
    fails(KN_FN(bad_axis), "AxisError", "all_gather: axis 3 is out of bounds for array of dimension 2");
    fails(KN_FN(bad_scatter), "ValueError",
          "psum_scatter: reduce_scatter operand scatter dimension size 2 must match shard count 4");
}

static void the_sum_over_no_axis_is_the_operand(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = counting(3), y;
    kn_call(MAPPED(sum_none), &y, &x);
    expect_values(y, 1, 2, 3);
}

KN_TEST_GROUP(test_named_axes)
{
    const struct CMUnitTest tests[] = {
        TEST(lanes_are_summed),
        TEST(a_sum_may_leave_the_mapped_axis),
        TEST(booleans_are_counted),
        TEST(integers_keep_their_dtype),
        TEST(extremes_over_the_lanes),
        TEST(lanes_know_their_number),
        TEST(no_lanes_and_one_lane),
        TEST(what_is_not_mapped_is_the_same_in_all_lanes),
        TEST(the_sum_of_a_number_is_a_number),
        TEST(every_lane_gathers_all),
        TEST(a_sum_is_scattered),
        TEST(parts_are_exchanged),
        TEST(lanes_send_to_lanes),
        TEST(nested_axes),
        TEST(the_inner_axis_of_the_same_name_counts),
        TEST(exchange_over_two_axes),
        TEST(gathering_and_scattering_over_two_axes),
        TEST(gradients_inside_of_vmap),
        TEST(gradients_of_vmapped_functions),
        TEST(jacobians_and_tangents),
        TEST(extremes_have_no_derivative),
        TEST(names_go_into_jitted_functions),
        TEST(names_go_into_loops),
        TEST(names_go_into_rules_of_custom_derivatives),
        TEST(jaxprs_print_as_in_jax),
        TEST(two_names_print_as_in_jax),
        TEST(a_jaxpr_with_free_names),
        TEST(unbound_names),
        TEST(wrong_parameters),
        TEST(the_sum_over_no_axis_is_the_operand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
