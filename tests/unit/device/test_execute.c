/* SPDX-License-Identifier: Apache-2.0
 * test_execute.c -- programs run: outputs that share memory, empty and 0-d values, every kind of dtype, errors, the
 * floating-point environment. */
#include "support/group.h"
#include "support/programs.h"

#include <fenv.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

static knd_operand plain(const void *p) { return (knd_operand){.data = p}; }

static void run(const kni_jaxpr *j, bool fuse, const knd_operand *in, knx_buffer **out)
{
    knd_loaded *p = test_compile(j, fuse);
    test_ok(knd_run(p, in, out, NULL));
    knd_release(p);
}
#define BOTH(fuse) for (int fuse = 0; fuse < 2; fuse++)

static void a_chain_is_what_plain_c_computes(void **state)
{
    (void)state;
    enum { N = 1037 };
    float x[N], y[N];
    kni_builder b;
    knb_init(&b);
    kni_atom a = knb_invar(&b, F32(N)), c = knb_invar(&b, F32(N));
    kni_jaxpr *j = FINISH(&b, knb_add(&b, knb_mul(&b, knb_sub(&b, a, c), a), knb_number(&b, KN_DT(F32), 0.5)));
    for (int i = 0; i < N; i++) {
        x[i] = (float)i * 0.37f - 100;
        y[i] = (float)(i % 17) / 3;
    }
    BOTH(fuse)
    {
        knx_buffer *out[1];
        run(j, fuse, (knd_operand[]){plain(x), plain(y)}, out);
        for (int i = 0; i < N; i++) {
            float d = x[i] - y[i], m = d * x[i], want = m + 0.5f;
            assert_true(((float *)out[0]->data)[i] == want);
        }
        test_release(1, out);
    }
    kni_release(j);
}

static void a_matrix_is_reduced_both_ways(void **state)
{
    (void)state;
    float x[12];
    for (int i = 0; i < 12; i++)
        x[i] = (float)i;
    kni_builder b;
    knb_init(&b);
    kni_atom a = knb_invar(&b, F32(3, 4)), t = knb_transpose(&b, a, (int64_t[]){1, 0});
    kni_jaxpr *j = FINISH(&b, knb_reduce_sum(&b, a, 1, (int64_t[]){0}), knb_reduce_sum(&b, a, 1, (int64_t[]){1}),
                          knb_reduce_max(&b, t, 2, (int64_t[]){0, 1}),
                          knb_rev(&b, knb_reduce_sum(&b, t, 1, (int64_t[]){1}), 1, (int64_t[]){0}));
    BOTH(fuse)
    {
        knx_buffer *out[4];
        run(j, fuse, (knd_operand[]){plain(x)}, out);
        EXPECT(out[0], 12, 15, 18, 21);
        EXPECT(out[1], 6, 22, 38);
        EXPECT(out[2], 11);
        EXPECT(out[3], 21, 18, 15, 12);
        test_release(4, out);
    }
    kni_release(j);
}

static void outputs_may_be_operands_literals_and_each_other(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(2, 3)), s = knb_invar(&b, SCALAR(F32)), c = knb_constvar(&b, F32(2)),
             y = knb_neg(&b, x);
    int64_t flat[] = {6};
    kni_jaxpr *j =
        FINISH(&b, x, knb_reshape(&b, x, 1, flat), y, y, knb_reshape(&b, y, 1, flat), s, knb_number(&b, KN_DT(F32), 7),
               c, knb_slice(&b, x, (int64_t[]){1, 0}, (int64_t[]){2, 3}, NULL),
               knb_reshape(&b, knb_slice(&b, y, (int64_t[]){1, 0}, (int64_t[]){2, 3}, NULL), 1, (int64_t[]){3}));
    enum { N = 10 };
    float scalar = 5, constant[] = {8, 9};
    knx_buffer *in = knx_buffer_new(24), *out[N];
    for (int i = 0; i < 6; i++)
        ((float *)in->data)[i] = (float)i;
    BOTH(fuse)
    {
        run(j, fuse, (knd_operand[]){plain(constant), {.buffer = in, .data = in->data}, plain(&scalar)}, out);
        assert_ptr_equal(out[0], in);
        assert_ptr_equal(out[1], in);
        assert_ptr_equal(out[2], out[3]);
        assert_ptr_equal(out[2], out[4]);
        EXPECT(out[4], -0.0f, -1, -2, -3, -4, -5);
        EXPECT(out[5], 5);
        EXPECT(out[6], 7);
        EXPECT(out[7], 8, 9);
        EXPECT(out[8], 3, 4, 5);
        EXPECT(out[9], -3, -4, -5);
        assert_int_equal(in->refs, 3);
        test_release(N, out);
    }
    knx_buffer_release(in);
    kni_release(j);
}

static void empty_and_scalar_values_work(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom e = knb_invar(&b, F32(3, 0)), s = knb_invar(&b, SCALAR(F32));
    kni_atom sum = knb_reduce_sum(&b, knb_mul(&b, e, e), 1, (int64_t[]){1});
    kni_jaxpr *j = FINISH(&b, knb_add(&b, e, s), knb_add(&b, sum, s), knb_mul(&b, s, s),
                          knb_reduce_sum(&b, e, 1, (int64_t[]){0}), knb_reduce_sum(&b, knb_neg(&b, s), 0, NULL));
    float x = 3;
    BOTH(fuse)
    {
        knx_buffer *out[5];
        run(j, fuse, (knd_operand[]){plain(&x), plain(&x)}, out);
        EXPECT(out[1], 3, 3, 3);
        EXPECT(out[2], 9);
        EXPECT(out[4], -3);
        test_release(5, out);
    }
    kni_release(j);
}

static void half_floats_round_after_each_operation(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    int64_t dim[] = {2};
    kni_atom x = knb_invar(&b, kni_type_of(KN_DT(F16), 1, dim)), one = knb_number(&b, KN_DT(F16), 1);
    kni_jaxpr *j = FINISH(&b, knb_sub(&b, knb_add(&b, x, one), one), knb_reduce_sum(&b, x, 1, (int64_t[]){0}));
    uint16_t in[2] = {knx_float_to_half(1.0f / 4096), knx_float_to_half(2049.0f / 2048)};
    BOTH(fuse)
    {
        knx_buffer *out[2];
        run(j, fuse, (knd_operand[]){plain(in)}, out);
        assert_int_equal(((uint16_t *)out[0]->data)[0], 0); /* lost against 1 */
        assert_int_equal(((uint16_t *)out[1]->data)[0],
                         knx_float_to_half(knx_half_to_float(in[0]) + knx_half_to_float(in[1])));
        test_release(2, out);
    }
    kni_release(j);
}

static void complex_numbers_are_pairs(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    int64_t dim[] = {2, 2};
    kni_atom x = knb_invar(&b, kni_type_of(KN_DT(C64), 2, dim)), t = knb_transpose(&b, x, (int64_t[]){1, 0});
    kni_jaxpr *j = FINISH(&b, knb_mul(&b, t, t), knb_reduce_sum(&b, x, 1, (int64_t[]){0}), knb_imag(&b, t),
                          knb_conj(&b, knb_rev(&b, x, 1, (int64_t[]){1})));
    kn_c64 in[4] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};
    BOTH(fuse)
    {
        knx_buffer *out[4];
        run(j, fuse, (knd_operand[]){plain(in)}, out);
        EXPECT(out[0], -3, 4, -11, 60, -7, 24, -15, 112);
        EXPECT(out[1], 6, 8, 10, 12);
        EXPECT(out[2], 2, 6, 4, 8);
        EXPECT(out[3], 3, -4, 1, -2, 7, -8, 5, -6);
        test_release(4, out);
    }
    kni_release(j);
}

static void integers_beyond_doubles_survive(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    int64_t dim[] = {2}, in[2] = {INT64_MAX - 1, (INT64_C(1) << 53) + 1};
    kni_atom x = knb_invar(&b, kni_type_of(KN_DT(I64), 1, dim));
    kni_jaxpr *j = FINISH(&b, knb_add(&b, x, knb_integer(&b, KN_DT(I64), 1)),
                          knb_lt(&b, knb_integer(&b, KN_DT(I64), INT64_C(1) << 53), x));
    BOTH(fuse)
    {
        knx_buffer *out[2];
        run(j, fuse, (knd_operand[]){plain(in)}, out);
        assert_true(((int64_t *)out[0]->data)[0] == INT64_MAX &&
                    ((int64_t *)out[0]->data)[1] == (INT64_C(1) << 53) + 2);
        assert_true(((bool *)out[1]->data)[0] && ((bool *)out[1]->data)[1]);
        test_release(2, out);
    }
    kni_release(j);
}

static void a_donated_operand_becomes_an_output(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(3)), y = knb_invar(&b, F32(3));
    kni_jaxpr *j = FINISH(&b, knb_sub(&b, x, y));
    knd_loaded *p = NULL, *q = test_compile(j, true);
    bool donated[] = {false, true};
    test_ok(knd_compile(&knd_host, j, &(knc_compile_options){.fuse = true, .donated = donated}, &p));
    assert_true(knd_peak_bytes(p, 1) == knd_peak_bytes(q, 1) - 12);
    knx_buffer *in = knx_buffer_new(12), *out[1];
    float a[3] = {10, 20, 30}, c[3] = {1, 2, 3};
    memcpy(in->data, c, 12);
    test_ok(knd_run(p, (knd_operand[]){plain(a), {.buffer = in, .data = in->data}}, out, NULL));
    assert_ptr_equal(out[0], in);
    EXPECT(in, 9, 18, 27);
    test_release(1, out);
    test_ok(knd_run(p, (knd_operand[]){plain(a), plain(c)}, out, NULL)); /* not from a buffer: left alone */
    EXPECT(out[0], 9, 18, 27);
    assert_true(c[0] == 1);
    test_release(1, out);
    knx_buffer_release(in);
    knd_release(p);
    knd_release(q);
    kni_release(j);
}

static kni_jaxpr *failing(const kn_place *place)
{
    kni_builder b;
    knb_init(&b);
    int64_t one[] = {1}, zero[] = {0}, idim[] = {2, 1};
    kni_p_gather g = {.collapsed_slice_dims = {1, zero},
                      .start_index_map = {1, zero},
                      .slice_sizes = {1, one},
                      .mode = KN_GATHER_CHECK};
    kni_atom x = knb_invar(&b, F32(4)), i = knb_invar(&b, kni_type_of(KN_DT(I32), 2, idim)),
             y = knb_cumsum(&b, knb_sin(&b, x), 0, false); /* of what lies in the workspace */
    b.place = place;
    kni_atom z = knb_gather(&b, y, i, &g);
    b.place = NULL;
    return FINISH(&b, knb_neg(&b, x), knb_neg(&b, z), knb_neg(&b, y));
}

static void a_routine_that_fails_names_its_place_and_leaks_nothing(void **state)
{
    (void)state;
    static const kn_place place = {"user.c", 12, "f"};
    kni_jaxpr *j = failing(&place);
    float x[4] = {1, 2, 3, 4};
    int32_t good[2] = {3, 0}, bad[2] = {3, 9};
    BOTH(fuse)
    {
        knd_loaded *p = test_compile(j, fuse);
        int64_t live = knx_alloc_live();
        knx_buffer *out[3];
        test_ok(knd_run(p, (knd_operand[]){plain(x), plain(good)}, out, NULL));
        test_release(3, out);
        knx_error *e = knd_run(p, (knd_operand[]){plain(x), plain(bad)}, out, NULL);
        assert_non_null(e);
        assert_int_equal(e->kind, KN_ERROR_INDEX);
        assert_ptr_equal(e->place, &place);
        assert_null(out[0]);
        knx_error_release(e);
        assert_int_equal(knx_alloc_live(), live);
        knd_release(p);
    }
    kni_release(j);
}

static void running_without_memory_leaks_nothing(void **state)
{
    (void)state;
    kni_jaxpr *j = failing(NULL);
    float x[4] = {1, 2, 3, 4};
    int32_t index[2] = {3, 0};
    knd_loaded *p = test_compile(j, true);
    int64_t live = knx_alloc_live(), k = 0;
    for (bool done = false; !done; k++) {
        knx_buffer *out[3];
        knx_fail_after(k, true);
        knx_error *e = knd_run(p, (knd_operand[]){plain(x), plain(index)}, out, NULL);
        knx_fail_after(-1, false);
        done = !e;
        if (e)
            assert_int_equal(e->kind, KN_ERROR_MEMORY);
        else
            test_release(3, out);
        knx_error_release(e);
        assert_int_equal(knx_alloc_live(), live);
    }
    assert_in_range(k, 4, 5); /* three outputs, and the workspace if there is one: scratch of the interpreter */
    knd_release(p);
    kni_release(j);
}

static void the_callers_float_environment_changes_nothing(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(4)), y = knb_invar(&b, F32(4));
    kni_jaxpr *j = FINISH(&b, knb_mul(&b, x, y), knb_div(&b, x, y));
    float a[4] = {1e-20f, 1, 1e-38f, 3}, c[4] = {1e-20f, 3, 0.1f, 7};
    knx_buffer *normal[2], *odd[2];
    run(j, true, (knd_operand[]){plain(a), plain(c)}, normal);
    fesetround(FE_UPWARD);
#if defined(__SSE__)
    _mm_setcsr(_mm_getcsr() | 0x8040); /* flush to zero, denormals are zero */
#endif
    knd_loaded *p = test_compile(j, true);
    knx_error *e = knd_run(p, (knd_operand[]){plain(a), plain(c)}, odd, NULL);
    int rounding = fegetround();
#if defined(__SSE__)
    unsigned csr = _mm_getcsr();
    _mm_setcsr(0x1f80);
    assert_int_equal(csr & 0x8040, 0x8040);
#endif
    fesetround(FE_TONEAREST);
    test_ok(e);
    assert_int_equal(rounding, FE_UPWARD);
    for (int k = 0; k < 2; k++)
        assert_memory_equal(normal[k]->data, odd[k]->data, 16);
    test_release(2, normal);
    test_release(2, odd);
    knd_release(p);
    kni_release(j);
}

static void a_kernel_may_have_many_operands(void **state)
{
    (void)state;
    enum { N = 60 };
    kni_builder b;
    knb_init(&b);
    kni_atom x[N];
    knd_operand in[N];
    float v[N][2];
    for (int i = 0; i < N; i++) {
        x[i] = knb_invar(&b, F32(2));
        v[i][0] = (float)i;
        v[i][1] = (float)-i;
        in[i] = plain(v[i]);
    }
    kni_jaxpr *j = FINISH(&b, knb_concatenate(&b, N, x, 0));
    BOTH(fuse)
    {
        knx_buffer *out[1];
        run(j, fuse, in, out);
        for (int i = 0; i < N; i++)
            assert_true(((float *)out[0]->data)[2 * i] == (float)i && ((float *)out[0]->data)[2 * i + 1] == (float)-i);
        test_release(1, out);
    }
    kni_release(j);
}

KN_TEST_GROUP(test_execute)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_is_what_plain_c_computes),
        cmocka_unit_test(a_matrix_is_reduced_both_ways),
        cmocka_unit_test(outputs_may_be_operands_literals_and_each_other),
        cmocka_unit_test(empty_and_scalar_values_work),
        cmocka_unit_test(half_floats_round_after_each_operation),
        cmocka_unit_test(complex_numbers_are_pairs),
        cmocka_unit_test(integers_beyond_doubles_survive),
        cmocka_unit_test(a_donated_operand_becomes_an_output),
        cmocka_unit_test(a_routine_that_fails_names_its_place_and_leaks_nothing),
        cmocka_unit_test(running_without_memory_leaks_nothing),
        cmocka_unit_test(the_callers_float_environment_changes_nothing),
        cmocka_unit_test(a_kernel_may_have_many_operands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
