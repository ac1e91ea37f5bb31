/* SPDX-License-Identifier: Apache-2.0
 * test_attach_chains.c -- kernels between products, in loops and around convolutions: who takes them, in how much work,
 * and that they change no bits. */
#include "support/attach.h"
#include "compile/products/attach.h"
#include "ir/order.h"
#include "support/group.h"

/* The kernel reads what was updated with the product, or what is updated behind it. */
static uint64_t looks(void) { return atomic_load(&knc_attach_looked) + atomic_load(&knc_read_looked); }

/* What is looked at to compile j, which goes. */
static uint64_t work_of(kni_jaxpr *j)
{
    knd_loaded *p = NULL;
    uint64_t before = looks();
    test_ok(knd_compile(&knd_host, j, &(knc_compile_options){.fuse = true}, &p));
    knd_release(p);
    kni_release(j);
    return looks() - before;
}

/* Products of turned results, scaled. */
static kni_jaxpr *chain_of_products(int length)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(4, 4)), w = knb_invar(&b, F32(4, 4));
    for (int i = 0; i < length; i++)
        x = knb_mul(&b,
                    knb_dot_general(
                        &b, turn(&b, x), turn(&b, w),
                        &(kni_p_dot_general){.lhs_contract = {1, (int64_t[]){1}}, .rhs_contract = {1, (int64_t[]){0}}}),
                    knb_number(&b, KN_DT(F32), 1.5 + i));
    return FINISH(&b, x);
}

/* Each reads the one result, and none can take it. */
static kni_jaxpr *readers_of_one_product(int length)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(4, 4)), w = knb_invar(&b, F32(4, 4)), y = knb_matrix_product(&b, x, w);
    for (int i = 0; i < length; i++)
        x = knb_cumsum(&b, knb_add(&b, x, knb_rev(&b, y, 1, (int64_t[]){0})), 0, false);
    return FINISH(&b, x);
}

static kni_jaxpr *one_of_two(int branch)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(4, 4));
    return FINISH(&b, branch ? knb_sin(&b, x) : knb_cos(&b, x));
}

static kni_jaxpr *chain_of_branches(int length)
{
    kni_builder b;
    knb_init(&b);
    kni_jaxpr *branch[2] = {one_of_two(0), one_of_two(1)};
    kni_atom x = knb_invar(&b, F32(4, 4)), which = knb_invar(&b, kni_scalar_type(KN_DT(I32)));
    for (int i = 0; i < length; i++)
        knb_cond(&b, &(kni_p_cond){.branches = {2, branch}}, (kni_atom[]){which, x}, &x);
    kni_jaxpr *j = FINISH(&b, x);
    kni_release(branch[0]);
    kni_release(branch[1]);
    return j;
}

static void the_work_grows_with_the_length_of_a_chain(void **state)
{
    (void)state;
    kni_jaxpr *(*const chains[])(int) = {chain_of_products, readers_of_one_product, chain_of_branches};
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        uint64_t one = work_of(chains[i](200)), ten = work_of(chains[i](2000));
        assert_true(one >= 200 && ten < 12 * one);
    }
}

static void updates_keep_their_place(void **state)
{
    (void)state;
    kni_builder b;
    kni_atom at[2];
    for (int late = 0; late < 2; late++) {
        knb_init(&b);
        kni_atom x = knb_invar(&b, F32(20, 20)), w = knb_invar(&b, F32(20, 20)), old = knb_exp(&b, knb_sin(&b, x));
        at[0] = at[1] = knb_integer(&b, KN_DT(I32), 3);
        kni_atom y = knb_matrix_product(&b, x, w), part = knb_slice(&b, y, (int64_t[]){0, 0}, (int64_t[]){5, 5}, NULL);
        kni_atom new = knb_dynamic_update_slice(&b, old, late ? knb_invar(&b, F32(5, 5)) : part, at);
        kni_atom z = knb_add(&b, y, late ? old : new);
        kni_jaxpr *j = FINISH(&b, z, knb_cumsum(&b, new, 0, false));
        expect_same_bits(j);
        kni_release(j);
    }
}

/* Two kernels read the result; only one can have it. */
static void the_first_reader_has_the_result(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(20, 20)), w = knb_invar(&b, F32(20, 20)), y = knb_matrix_product(&b, x, w);
    kni_atom first = knb_exp(&b, y), far = knb_cumsum(&b, knb_cumsum(&b, x, 0, false), 1, false);
    kni_atom last = knb_add(&b, turn(&b, y), far);
    expect_steps_of(FINISH(&b, first, last), 4, "of dot_general exp");
}

/* --- chains ----------------------------------------------------------------------------------- */

static kni_jaxpr *layers(const shape *s)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, matrix(s, s->m, s->k)), w = knb_invar(&b, matrix(s, s->k, s->n)),
             v = knb_invar(&b, matrix(s, s->n, s->k)), bias = knb_invar(&b, kni_type_of(s->d, 1, &s->n));
    kni_atom h = relu(&b, knb_add(&b, knb_matrix_product(&b, x, w), row_of(&b, bias, s->m, s->n)));
    return FINISH(&b, knb_add(&b, x, knb_matrix_product(&b, h, v)));
}

static void two_layers_are_two_steps(void **state)
{
    (void)state;
    expect_steps(layers, 2, NULL);
}

/* The zeros of all relus are one value, which is read in many places. */
static void twelve_layers_are_twelve_steps(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(20, 20));
    for (int i = 0; i < 12; i++)
        x = relu(&b, knb_matrix_product(&b, x, knb_invar(&b, F32(20, 20))));
    expect_steps_of(FINISH(&b, x), 12, NULL);
}

static kni_jaxpr *update(const shape *s)
{
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, matrix(s, s->m, s->k)), dz = knb_invar(&b, matrix(s, s->m, s->n)),
             w = knb_invar(&b, matrix(s, s->k, s->n));
    kni_atom dw = knb_dot_general(
        &b, x, dz, &(kni_p_dot_general){.lhs_contract = {1, (int64_t[]){0}}, .rhs_contract = {1, (int64_t[]){0}}});
    return FINISH(&b, knb_sub(&b, w, knb_mul(&b, dw, knb_full(&b, knb_type(&b, dw), 0.5))));
}

static void a_donated_parameter_is_updated_in_place(void **state)
{
    (void)state;
    kni_jaxpr *j = update(&usual);
    const bool donated[3] = {false, false, true};
    knd_loaded *p = NULL;
    test_ok(knd_compile(&knd_host, j, &(knc_compile_options){.fuse = true, .donated = donated}, &p));
    assert_int_equal(knc_n_steps(p->program), 1);
    test_operands x = test_make_operands(j, 3);
    knx_buffer *out[1];
    test_ok(knd_run(p, x.in, out, NULL));
    assert_ptr_equal(out[0], x.in[2].buffer);
    test_release(1, out);
    test_free_operands(&x);
    knd_release(p);
    expect_same_bits_with(j, donated, 5);
    kni_release(j);
}

/* w is an operand of the product, too: it must not be written while it is read. */
static void an_operand_is_not_overwritten(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(64, 64)), w = knb_invar(&b, F32(64, 64)), y = knb_matrix_product(&b, x, w);
    kni_jaxpr *j = FINISH(&b, knb_sub(&b, w, y));
    const bool donated[2] = {false, true};
    expect_same_bits_with(j, donated, 7);
    kni_release(j);
    knb_init(&b);
    x = knb_invar(&b, F32(64, 64));
    w = knb_exp(&b, knb_sin(&b, x));
    kni_atom v = knb_cumsum(&b, w, 0, false);
    j = FINISH(&b, knb_sub(&b, v, knb_matrix_product(&b, v, knb_neg(&b, v))));
    expect_same_bits(j);
    kni_release(j);
}

/* x = relu(x w), three times */
static void a_loop_may_have_kernels_in_its_products(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom i = knb_invar(&b, SCALAR(I32)), x;
    knb_invar(&b, F32(20, 20));
    kni_jaxpr *cond = FINISH(&b, knb_lt(&b, i, knb_integer(&b, KN_DT(I32), 3)));
    knb_init(&b);
    kni_atom w = knb_invar(&b, F32(20, 20));
    i = knb_invar(&b, SCALAR(I32));
    x = knb_invar(&b, F32(20, 20));
    kni_jaxpr *body = FINISH(&b, knb_add(&b, i, knb_integer(&b, KN_DT(I32), 1)),
                             relu(&b, knb_matrix_product(&b, knb_neg(&b, x), turn(&b, w))));
    knb_init(&b);
    kni_atom in[3], out[2];
    in[0] = knb_invar(&b, F32(20, 20));
    in[1] = knb_invar(&b, SCALAR(I32));
    in[2] = knb_invar(&b, F32(20, 20));
    knb_while(&b, &(kni_p_while){.body_jaxpr = body, .body_nconsts = 1, .cond_jaxpr = cond}, in, out);
    kni_jaxpr *j = FINISH(&b, out[0], out[1]);
    expect_same_bits(j);
    kni_release(j);
    kni_release(body);
    kni_release(cond);
}

/* A convolution of two spatial dimensions with padding; the order of dimensions of operand and result: as in NCHW, or
 * as in NHWC. A bias per channel, relu; the kernel comes as float64 or int8. */
static kni_jaxpr *convolution(bool channels_last, kn_dtype d, bool turned)
{
    kni_builder b;
    knb_init(&b);
    int64_t first[4] = {3, 5, 9, 8}, last[4] = {3, 9, 8, 5}, spec[2][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}};
    int64_t *lhs = spec[channels_last], to[4];
    kni_atom x = knb_invar(&b, kni_type_of(d, 4, channels_last != turned ? last : first)),
             w = knb_invar(&b, kni_type_of(d == KN_DT(F32) ? KN_DT(I8) : KN_DT(F32), 4, (int64_t[]){6, 5, 3, 3})),
             bias = knb_invar(&b, kni_type_of(d, 1, (int64_t[]){6}));
    if (turned)
        x = knb_transpose(&b, x, channels_last ? (int64_t[]){0, 2, 3, 1} : (int64_t[]){0, 3, 1, 2});
    const kni_p_conv p = {.window_strides = {2, (int64_t[]){1, 2}},
                          .lo = {2, (int64_t[]){1, 0}},
                          .hi = {2, (int64_t[]){1, 2}},
                          .lhs_dilation = {2, (int64_t[]){1, 1}},
                          .rhs_dilation = {2, (int64_t[]){1, 1}},
                          .lhs_spec = {4, lhs},
                          .rhs_spec = {4, (int64_t[]){0, 1, 2, 3}},
                          .out_spec = {4, lhs},
                          .feature_group_count = 1,
                          .batch_group_count = 1};
    kni_atom y = knb_conv_general_dilated(&b, x, knb_convert(&b, w, d), &p);
    for (int i = 0; i < 4; i++)
        to[i] = knb_type(&b, y).dim[i];
    int64_t at = channels_last ? 3 : 1;
    kni_atom z = knb_add(&b, y, knb_broadcast_in_dim(&b, bias, 4, to, &at));
    return FINISH(&b, relu(&b, z));
}

static void a_convolution_takes_kernels_too(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        kn_dtype d = i & 1 ? KN_DT(F32) : KN_DT(F64);
        expect_steps_of(convolution(i & 2, d, i & 4), 1, "result to kernel");
    }
}

static void chains_have_the_same_bits(void **state)
{
    (void)state;
    static const int ids[] = {KN_ID_F32, KN_ID_F64, KN_ID_BF16, KN_ID_I8};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        expect_bits_of_shapes(layers, &knx_dtype_table[ids[i]]);
        expect_bits_of_shapes(update, &knx_dtype_table[ids[i]]);
    }
    expect_bits_of_shapes(layers, KN_DT(I64));
}

/* Large enough to be shared by threads. */
static void threads_give_the_same_bits(void **state)
{
    (void)state;
    static maker *const some[] = {update, layers};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        kni_jaxpr *j = some[i](&(shape){KN_DT(F32), 200, 300, 250});
        expect_same_bits(j);
        kni_release(j);
    }
}

static void memory_may_be_short(void **state)
{
    (void)state;
    expect_memory_may_be_short(layers);
}

KN_TEST_GROUP(test_attach_chains)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_work_grows_with_the_length_of_a_chain),
        cmocka_unit_test(updates_keep_their_place),
        cmocka_unit_test(the_first_reader_has_the_result),
        cmocka_unit_test(two_layers_are_two_steps),
        cmocka_unit_test(twelve_layers_are_twelve_steps),
        cmocka_unit_test(a_donated_parameter_is_updated_in_place),
        cmocka_unit_test(an_operand_is_not_overwritten),
        cmocka_unit_test(a_loop_may_have_kernels_in_its_products),
        cmocka_unit_test(a_convolution_takes_kernels_too),
        cmocka_unit_test(chains_have_the_same_bits),
        cmocka_unit_test(threads_give_the_same_bits),
        cmocka_unit_test(memory_may_be_short),
    };
    knc_attach_small = true;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
