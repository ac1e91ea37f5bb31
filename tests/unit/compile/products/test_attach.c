/* SPDX-License-Identifier: Apache-2.0
 * test_attach.c -- kernels before and after one product: which become a part of the product's step, and that they change
 * no bits, for any shape, dtype and number of threads. */
#include "support/attach.h"
#include "support/group.h"
#include "compile/products/attach.h"

#include "base/memory.h"
#include "ir/order.h"
#include "transform/transform.h"

/* --- the result ------------------------------------------------------------------------------- */

static kni_jaxpr *relu_and_bias(const shape *s)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, matrix(s, s->m, s->k)), w = knb_invar(&b, matrix(s, s->k, s->n)),
             bias = knb_invar(&b, kni_type_of(s->d, 1, &s->n));
    kni_atom y = knb_add(&b, knb_matrix_product(&b, x, w), row_of(&b, bias, s->m, s->n));
    return FINISH(&b, relu(&b, y));
}

static void a_bias_and_relu_are_part_of_the_product(void **state)
{
    (void)state;
    expect_steps(relu_and_bias, 1, "result to kernel");
}

static kni_jaxpr *residual(const shape *s)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, matrix(s, s->m, s->k)), w = knb_invar(&b, matrix(s, s->k, s->n)),
             r = knb_invar(&b, matrix(s, s->m, s->n));
    return FINISH(&b, knb_add(&b, r, knb_matrix_product(&b, x, w)));
}

static void a_residual_is_added_by_the_product(void **state)
{
    (void)state;
    expect_steps(residual, 1, "result to kernel");
}

static kni_jaxpr *several_results(const shape *s)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, matrix(s, s->m, s->k)), w = knb_invar(&b, matrix(s, s->k, s->n)),
             r = knb_invar(&b, matrix(s, s->m, s->n));
    kni_atom c = knb_matrix_product(&b, x, w), z = knb_sub(&b, c, r);
    return FINISH(&b, z, relu(&b, z), c, turn(&b, knb_mul(&b, z, z)));
}

static void what_others_read_is_stored_too(void **state)
{
    (void)state;
    expect_steps(several_results, 3, "result to kernel");
}

static kni_jaxpr *cast_after(const shape *s)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, matrix(s, s->m, s->k)), w = knb_invar(&b, matrix(s, s->k, s->n));
    kn_dtype to = s->d->kind == 'c' ? KN_DT(C128) : s->d == KN_DT(BF16) ? KN_DT(F32) : KN_DT(BF16);
    return FINISH(&b, knb_convert(&b, knb_matrix_product(&b, x, w), to));
}

static void a_cast_is_made_by_the_product(void **state)
{
    (void)state;
    expect_steps(cast_after, 1, "result to kernel");
}

/* int8 products in int32, scaled and rounded to int8 again */
static kni_jaxpr *quantized(const shape *s)
{
    kni_builder b;
    knb_init(&b);
    const shape bytes = {KN_DT(I8), s->m, s->k, s->n};
    kni_atom x = knb_invar(&b, matrix(&bytes, s->m, s->k)), w = knb_invar(&b, matrix(&bytes, s->n, s->k)),
             scale = knb_invar(&b, kni_type_of(KN_DT(F32), 1, &s->n));
    kni_atom c = knb_dot_general(&b, x, w,
                                 &(kni_p_dot_general){.lhs_contract = {1, (int64_t[]){1}},
                                                      .rhs_contract = {1, (int64_t[]){1}},
                                                      .preferred_element_type = KN_DT(I32)});
    kni_atom y = knb_mul(&b, knb_convert(&b, c, KN_DT(F32)), row_of(&b, scale, s->m, s->n));
    y = knb_min(&b, knb_max(&b, knb_round(&b, y, true), knb_full(&b, knb_type(&b, y), -127)),
                knb_full(&b, knb_type(&b, y), 127));
    return FINISH(&b, knb_convert(&b, y, KN_DT(I8)));
}

static void bytes_are_scaled_and_rounded_by_the_product(void **state)
{
    (void)state;
    expect_steps(quantized, 1, "result to kernel");
    expect_bits_of_shapes(quantized, KN_DT(I8));
}

static kni_jaxpr *masked_by_indices(const shape *s)
{
    kni_builder b;
    knb_init(&b);
    int64_t dims[2] = {s->m, s->n};
    kni_atom x = knb_invar(&b, matrix(s, s->m, s->k)), w = knb_invar(&b, matrix(s, s->k, s->n));
    kni_atom lower = knb_ge(&b, knb_iota(&b, KN_DT(I32), 2, dims, 0), knb_iota(&b, KN_DT(I32), 2, dims, 1));
    kni_atom c = knb_matrix_product(&b, x, w);
    return FINISH(&b, knb_select(&b, lower, c, knb_full(&b, knb_type(&b, c), -7)));
}

static void a_mask_of_indices_is_part_of_the_product(void **state)
{
    (void)state;
    expect_steps(masked_by_indices, 1, "result to kernel");
}

static kni_jaxpr *turned_result(const shape *s)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, matrix(s, s->m, s->k)), w = knb_invar(&b, matrix(s, s->k, s->n));
    return FINISH(&b, turn(&b, knb_matrix_product(&b, x, w)));
}

static void a_turned_result_is_a_matter_of_strides(void **state)
{
    (void)state;
    expect_steps(turned_result, 1, "the product puts it where its reader would move it to");
}

static kni_jaxpr *turned_relu(const shape *s)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, matrix(s, s->m, s->k)), w = knb_invar(&b, matrix(s, s->k, s->n)),
             r = knb_invar(&b, matrix(s, s->n, s->m));
    return FINISH(&b, knb_add(&b, relu(&b, turn(&b, knb_matrix_product(&b, x, w))), r));
}

static void a_kernel_over_the_turned_result_is_part_of_the_product(void **state)
{
    (void)state;
    expect_steps(turned_relu, 1, "result to kernel");
}

static kni_jaxpr *reversed_result(const shape *s)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, matrix(s, s->m, s->k)), w = knb_invar(&b, matrix(s, s->k, s->n));
    return FINISH(&b, knb_rev(&b, relu(&b, knb_matrix_product(&b, x, w)), 2, (int64_t[]){0, 1}));
}

static void a_reversed_result_is_part_of_the_product(void **state)
{
    (void)state;
    expect_steps(reversed_result, 1, "result to kernel");
}

/* c is b m n; its dimensions are joined in other ways by the kernel. */
static kni_jaxpr *reshaped_batch(const shape *s)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, kni_type_of(s->d, 3, (int64_t[]){6, s->m, s->k})),
             w = knb_invar(&b, kni_type_of(s->d, 3, (int64_t[]){6, s->k, s->n}));
    int64_t to[4] = {2, 3 * s->m, s->n};
    kni_atom y = knb_reshape(&b, knb_matrix_product(&b, x, w), 3, to);
    kni_atom r = knb_invar(&b, kni_type_of(s->d, 3, (int64_t[]){3 * s->m, 2, s->n}));
    return FINISH(&b, knb_add(&b, knb_transpose(&b, y, (int64_t[]){1, 0, 2}), r));
}

static void joined_and_split_dimensions_are_matched(void **state)
{
    (void)state;
    expect_steps(reshaped_batch, 1, "result to kernel");
}

static kni_jaxpr *uneven(const shape *s)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, kni_type_of(s->d, 3, (int64_t[]){3, s->m, s->k})),
             w = knb_invar(&b, kni_type_of(s->d, 3, (int64_t[]){3, s->k, s->n}));
    int64_t to[3] = {2, 3 * s->m / 2, s->n};
    kni_atom y = knb_reshape(&b, knb_matrix_product(&b, x, w), 3, to);
    return FINISH(&b, relu(&b, knb_transpose(&b, y, (int64_t[]){1, 0, 2})));
}

static void a_kernel_with_other_loops_is_a_step(void **state)
{
    (void)state;
    expect_steps(uneven, 2, "the kernel beside the product has other loops");
}

static void a_kernel_that_repeats_elements_is_a_step(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(10, 20)), w = knb_invar(&b, F32(20, 30)), y = knb_matrix_product(&b, x, w);
    kni_atom wide = knb_broadcast_in_dim(&b, y, 3, (int64_t[]){4, 10, 30}, (int64_t[]){1, 2});
    expect_steps_of(FINISH(&b, knb_add(&b, wide, knb_invar(&b, F32(4, 10, 30)))), 2,
                    "the kernel beside the product has other loops");
}

static void a_kernel_that_joins_is_a_step(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(10, 20)), w = knb_invar(&b, F32(20, 30)), y = knb_matrix_product(&b, x, w);
    expect_steps_of(FINISH(&b, knb_reduce_sum(&b, y, 1, (int64_t[]){0})), 2,
                    "the kernel beside the product joins elements");
}

static kni_jaxpr *two_products(const shape *s)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, matrix(s, s->m, s->k)), w = knb_invar(&b, matrix(s, s->k, s->n)),
             v = knb_invar(&b, matrix(s, s->k, s->n));
    return FINISH(&b, knb_mul(&b, knb_matrix_product(&b, x, w), knb_matrix_product(&b, x, v)));
}

static void of_two_products_the_later_one_takes_the_kernel(void **state)
{
    (void)state;
    expect_steps(two_products, 2, "result to kernel");
}

/* The second product needs what the first one's reader would wait for. */
static void no_product_waits_for_itself(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(20, 20)), w = knb_invar(&b, F32(20, 20));
    kni_atom y = knb_matrix_product(&b, x, w), s = knb_reduce_sum(&b, y, 2, (int64_t[]){0, 1});
    kni_atom z = knb_mul(&b, y,
                         knb_broadcast_in_dim(&b, knb_cumsum(&b, knb_reshape(&b, s, 1, (int64_t[]){1}), 0, false), 2,
                                              (int64_t[]){20, 20}, (int64_t[]){1}));
    expect_steps_of(FINISH(&b, z), 4, "the kernel that reads it waits for another reader");
}

/* --- the operands ----------------------------------------------------------------------------- */

static kni_jaxpr *turned_operands(const shape *s)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, matrix(s, s->k, s->m)), w = knb_invar(&b, matrix(s, s->n, s->k));
    return FINISH(&b, knb_matrix_product(&b, turn(&b, x), turn(&b, w)));
}

static void turned_operands_are_not_copied(void **state)
{
    (void)state;
    expect_steps(turned_operands, 1, "a product goes along the strides");
}

static kni_jaxpr *sliced_operands(const shape *s)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, matrix(s, s->m + 3, 2 * s->k + 1)), w = knb_invar(&b, matrix(s, s->k, s->n));
    kni_atom y = knb_slice(&b, x, (int64_t[]){2, 1}, (int64_t[]){s->m + 2, 2 * s->k + 1}, (int64_t[]){1, 2});
    return FINISH(&b, knb_matrix_product(&b, y, knb_rev(&b, w, 2, (int64_t[]){0, 1})));
}

static void sliced_and_reversed_operands_are_not_copied(void **state)
{
    (void)state;
    expect_steps(sliced_operands, 1, "a product goes along the strides");
}

static kni_jaxpr *spread_operand(const shape *s)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, kni_type_of(s->d, 3, (int64_t[]){5, s->m, s->k})),
             w = knb_invar(&b, matrix(s, s->k, s->n));
    int64_t to[3] = {5, s->k, s->n};
    return FINISH(&b, knb_matrix_product(&b, x, knb_broadcast_in_dim(&b, w, 3, to, (int64_t[]){1, 2})));
}

static void a_repeated_operand_is_not_copied(void **state)
{
    (void)state;
    expect_steps(spread_operand, 1, "a product goes along the strides");
}

static kni_jaxpr *split_heads(const shape *s) /* (t, h * d) -> h t d, the first operand of a batched product */
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, matrix(s, s->m, 4 * s->k)),
             w = knb_invar(&b, kni_type_of(s->d, 3, (int64_t[]){4, s->k, s->n}));
    kni_atom heads = knb_transpose(&b, knb_reshape(&b, x, 3, (int64_t[]){s->m, 4, s->k}), (int64_t[]){1, 0, 2});
    kni_atom y = knb_matrix_product(&b, heads, w);
    return FINISH(&b, knb_reshape(&b, knb_transpose(&b, y, (int64_t[]){1, 0, 2}), 2, (int64_t[]){s->m, 4 * s->n}));
}

static void heads_are_split_and_joined_by_strides(void **state)
{
    (void)state;
    expect_steps(split_heads, 1, "the product puts it where");
}

static kni_jaxpr *squares(const shape *s)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, kni_type_of(s->d, 3, (int64_t[]){s->m, 3, s->k}));
    kni_atom y = knb_transpose(&b, x, (int64_t[]){1, 0, 2}), z = knb_reshape(&b, y, 2, (int64_t[]){3 * s->m, s->k});
    return FINISH(&b, knb_matrix_product(&b, z, turn(&b, z)));
}

static void an_operand_may_be_read_twice(void **state)
{
    (void)state;
    kni_jaxpr *j = squares(&usual);
    expect_same_bits(j);
    kni_release(j);
    expect_bits_of_shapes(squares, KN_DT(F32));
}

/* Two products read a turned result, or a turned value, that a kernel reads or makes. */
static void all_readers_of_what_is_turned_count(void **state)
{
    (void)state;
    kni_builder b;
    for (int made = 0; made < 2; made++) {
        knb_init(&b);
        kni_atom x = knb_invar(&b, F32(20, 20)), w = knb_invar(&b, F32(20, 20)), v = knb_invar(&b, F32(20, 20));
        kni_atom y = made ? knb_sin(&b, x) : knb_matrix_product(&b, x, w), t = turn(&b, y);
        if (made)
            t = turn(&b, knb_cumsum(&b, knb_matrix_product(&b, knb_neg(&b, y), w), 0, false));
        kni_atom p = knb_matrix_product(&b, t, v), q = knb_matrix_product(&b, t, w);
        kni_jaxpr *j = FINISH(&b, p, q, knb_exp(&b, made ? p : y));
        expect_same_bits(j);
        kni_release(j);
    }
}

static kni_jaxpr *cast_before(const shape *s)
{
    kni_builder b;
    knb_init(&b);
    shape from = *s;
    from.d = s->d == KN_DT(F32) ? KN_DT(I8) : KN_DT(F32);
    kni_atom x = knb_invar(&b, matrix(&from, s->m, s->k)), w = knb_invar(&b, matrix(&from, s->k, s->n));
    return FINISH(&b, knb_matrix_product(&b, knb_convert(&b, x, s->d), knb_convert(&b, w, s->d)));
}

static void operands_are_cast_where_they_are_read(void **state)
{
    (void)state;
    expect_steps(cast_before, 1, "worked out where a product reads it");
    expect_steps(cast_before, 1, "second operand by kernel");
}

static kni_jaxpr *activations(const shape *s)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, matrix(s, s->k, s->m)), w = knb_invar(&b, matrix(s, s->n, s->k)),
             v = knb_invar(&b, kni_type_of(s->d, 1, &s->m));
    kni_atom y = knb_mul(&b, turn(&b, x), knb_broadcast_in_dim(&b, v, 2, (int64_t[]){s->m, s->k}, (int64_t[]){0}));
    return FINISH(&b, knb_exp(&b, knb_matrix_product(&b, y, knb_neg(&b, turn(&b, w)))));
}

static void all_around_a_product_is_one_step(void **state)
{
    (void)state;
    expect_steps(activations, 1, "first operand by kernel");
}

static void what_is_read_twice_is_stored(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_exp(&b, knb_invar(&b, F32(20, 20)));
    expect_steps_of(FINISH(&b, knb_matrix_product(&b, x, x)), 2, "not only one product reads it");
}

static void what_would_be_worked_out_often_is_stored(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_tanh(&b, knb_invar(&b, F32(20, 20))), w = knb_invar(&b, F32(20, 5000));
    expect_steps_of(FINISH(&b, knb_matrix_product(&b, x, w)), 2, "the product would work it out too often");
}

static kni_jaxpr *gathered_rows(const shape *s)
{
    kni_builder b;
    knb_init(&b);
    kni_atom table = knb_invar(&b, matrix(s, 100, s->k)), w = knb_invar(&b, matrix(s, s->k, s->n)),
             at = knb_invar(&b, kni_type_of(KN_DT(I32), 2, (int64_t[]){s->m, 1}));
    kni_p_gather p = {.offset_dims = {1, (int64_t[]){1}},
                      .collapsed_slice_dims = {1, (int64_t[]){0}},
                      .start_index_map = {1, (int64_t[]){0}},
                      .slice_sizes = {2, (int64_t[]){1, s->k}},
                      .mode = KN_GATHER_CLIP};
    return FINISH(&b, knb_matrix_product(&b, knb_gather(&b, table, at, &p), w));
}

static void gathered_rows_go_into_the_product(void **state)
{
    (void)state;
    expect_steps_of(gathered_rows(&(shape){KN_DT(F32), 300, 70, 40}), 1, "first operand by kernel");
    kni_jaxpr *j = gathered_rows(&(shape){KN_DT(F64), 301, 70, 3});
    expect_same_bits(j);
    kni_release(j);
}

/* --- other places ----------------------------------------------------------------------------- */

static void a_batched_function_is_one_step_too(void **state)
{
    (void)state;
    kni_jaxpr *j = relu_and_bias(&usual), *batched = NULL;
    const int all[3] = {0, 1, 0}, shared[3] = {1, -1, -1};
    test_ok(knt_batch(j, 5, NULL, all, NULL, &batched));
    expect_steps_of(batched, 1, "result to kernel");
    test_ok(knt_batch(j, 5, NULL, shared, NULL, &batched));
    expect_same_bits(batched);
    kni_release(batched);
    kni_release(j);
}

static void memory_may_be_short(void **state)
{
    (void)state;
    static maker *const some[] = {several_results, activations, split_heads};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        expect_memory_may_be_short(some[i]);
}

/* --- everything, for all shapes --------------------------------------------------------------- */

static maker *const makers[] = {relu_and_bias,
                                residual,
                                several_results,
                                cast_after,
                                masked_by_indices,
                                turned_result,
                                turned_relu,
                                reversed_result,
                                reshaped_batch,
                                two_products,
                                squares,
                                turned_operands,
                                sliced_operands,
                                spread_operand,
                                split_heads,
                                cast_before,
                                NULL};

static void expect_all(kn_dtype d)
{
    for (int i = 0; makers[i]; i++)
        expect_bits_of_shapes(makers[i], d);
}

/* Large enough to be shared by threads. */
static void threads_give_the_same_bits(void **state)
{
    (void)state;
    static maker *const some[] = {relu_and_bias, several_results, turned_relu, cast_before,
                                  split_heads,   reversed_result, activations};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        kni_jaxpr *j = some[i](&(shape){KN_DT(F32), 200, 300, 250});
        expect_same_bits(j);
        kni_release(j);
    }
    kni_jaxpr *j = residual(&(shape){KN_DT(C64), 100, 300, 250});
    expect_same_bits(j);
    kni_release(j);
}

static void float32_has_the_same_bits(void **state)
{
    (void)state;
    expect_all(KN_DT(F32));
    expect_bits_of_shapes(activations, KN_DT(F32));
}
static void float64_has_the_same_bits(void **state)
{
    (void)state;
    expect_all(KN_DT(F64));
    expect_bits_of_shapes(activations, KN_DT(F64));
}
static void short_floats_have_the_same_bits(void **state)
{
    (void)state;
    expect_all(KN_DT(BF16));
    expect_bits_of_shapes(relu_and_bias, KN_DT(F16));
}
static void integers_have_the_same_bits(void **state)
{
    (void)state;
    expect_all(KN_DT(I8));
}
static void complex_numbers_have_the_same_bits(void **state)
{
    (void)state;
    static maker *const some[] = {residual,     cast_after,      turned_result,   reversed_result, reshaped_batch,
                                  two_products, turned_operands, sliced_operands, spread_operand,  split_heads};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        expect_bits_of_shapes(some[i], KN_DT(C64));
        expect_bits_of_shapes(some[i], KN_DT(C128));
    }
}

KN_TEST_GROUP(test_attach)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bias_and_relu_are_part_of_the_product),
        cmocka_unit_test(a_residual_is_added_by_the_product),
        cmocka_unit_test(what_others_read_is_stored_too),
        cmocka_unit_test(a_cast_is_made_by_the_product),
        cmocka_unit_test(bytes_are_scaled_and_rounded_by_the_product),
        cmocka_unit_test(a_mask_of_indices_is_part_of_the_product),
        cmocka_unit_test(a_turned_result_is_a_matter_of_strides),
        cmocka_unit_test(a_kernel_over_the_turned_result_is_part_of_the_product),
        cmocka_unit_test(a_reversed_result_is_part_of_the_product),
        cmocka_unit_test(joined_and_split_dimensions_are_matched),
        cmocka_unit_test(a_kernel_with_other_loops_is_a_step),
        cmocka_unit_test(a_kernel_that_repeats_elements_is_a_step),
        cmocka_unit_test(a_kernel_that_joins_is_a_step),
        cmocka_unit_test(of_two_products_the_later_one_takes_the_kernel),
        cmocka_unit_test(no_product_waits_for_itself),
        cmocka_unit_test(turned_operands_are_not_copied),
        cmocka_unit_test(sliced_and_reversed_operands_are_not_copied),
        cmocka_unit_test(a_repeated_operand_is_not_copied),
        cmocka_unit_test(heads_are_split_and_joined_by_strides),
        cmocka_unit_test(an_operand_may_be_read_twice),
        cmocka_unit_test(all_readers_of_what_is_turned_count),
        cmocka_unit_test(operands_are_cast_where_they_are_read),
        cmocka_unit_test(all_around_a_product_is_one_step),
        cmocka_unit_test(what_is_read_twice_is_stored),
        cmocka_unit_test(what_would_be_worked_out_often_is_stored),
        cmocka_unit_test(gathered_rows_go_into_the_product),
        cmocka_unit_test(a_batched_function_is_one_step_too),
        cmocka_unit_test(memory_may_be_short),
        cmocka_unit_test(threads_give_the_same_bits),
        cmocka_unit_test(float32_has_the_same_bits),
        cmocka_unit_test(float64_has_the_same_bits),
        cmocka_unit_test(short_floats_have_the_same_bits),
        cmocka_unit_test(integers_have_the_same_bits),
        cmocka_unit_test(complex_numbers_have_the_same_bits),
    };
    knc_attach_small = true;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
