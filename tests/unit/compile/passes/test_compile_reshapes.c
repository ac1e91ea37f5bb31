/* SPDX-License-Identifier: Apache-2.0
 * test_compile_reshapes.c -- reshapes that join axes go from results of elementwise equations to their operands where
 * these lie in memory, and change no bits. */
#include "support/group.h"
#include "support/programs.h"

static void expect_same_bits(const kni_jaxpr *j, uint64_t seed)
{
    test_operands x = test_make_operands(j, seed);
    knx_buffer *plain[MANY], *fused[MANY];
    knd_loaded *p = test_compile(j, false), *q = test_compile(j, true);
    test_ok(knd_run(p, x.in, plain, NULL));
    test_ok(knd_run(q, x.in, fused, NULL));
    for (uint32_t k = 0; k < j->n_out; k++) {
        int64_t at = test_difference(kni_out_type(j, k), plain[k]->data, fused[k]->data);
        if (at >= 0)
            fail_msg("seed %llu: output %u differs at %lld", (unsigned long long)seed, k, (long long)at);
    }
    test_release((int)j->n_out, plain);
    test_release((int)j->n_out, fused);
    knd_release(p);
    knd_release(q);
    test_free_operands(&x);
}

static void expect_steps(kni_jaxpr *j, int steps)
{
    knd_loaded *p = test_compile(j, true);
    char *text = NULL;
    test_ok(knc_text(p->program, &text));
    if (knc_n_steps(p->program) != steps)
        fail_msg("%d steps, not %d:\n%s", knc_n_steps(p->program), steps, text);
    knx_free(text);
    knd_release(p);
    expect_same_bits(j, 1);
    kni_release(j);
}

static kni_atom flat(kni_builder *b, kni_atom x)
{
    int64_t n = kni_type_size(knb_type(b, x));
    return knb_reshape(b, x, 1, &n);
}

static void operands_are_reshaped_for_nothing(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(8, 6)), y = knb_invar(&b, F32(8, 6)), e = knb_exp(&b, x);
    kni_atom s = knb_add(&b, knb_mul(&b, e, e), knb_mul(&b, y, knb_number(&b, KN_DT(F32), 3)));
    expect_steps(FINISH(&b, knb_sin(&b, flat(&b, s))), 1);
}

static void to_and_fro_is_one_kernel(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(8, 6)), f = knb_exp(&b, flat(&b, knb_sin(&b, x)));
    kni_atom zeros = knb_broadcast_in_dim(&b, knb_number(&b, KN_DT(F32), 2), 2, (int64_t[]){6, 8}, NULL);
    kni_atom y = knb_max(&b, knb_reshape(&b, f, 2, (int64_t[]){6, 8}), zeros);
    expect_steps(FINISH(&b, knb_neg(&b, flat(&b, y))), 1);
}

static void a_routines_result_is_reshaped_where_it_lies(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(8, 6)), c = knb_cumsum(&b, x, 0, false);
    expect_steps(FINISH(&b, knb_neg(&b, flat(&b, knb_exp(&b, c)))), 2);
}

/* No copy of the transposed operand: all is worked out in its shape. */
static void what_is_computed_is_reshaped_as_late_as_can_be(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(8, 6)), y = knb_invar(&b, F32(6, 8));
    kni_atom t = knb_transpose(&b, x, (int64_t[]){1, 0}), s = knb_add(&b, t, knb_exp(&b, y));
    expect_steps(FINISH(&b, knb_mul(&b, knb_neg(&b, flat(&b, s)), knb_number(&b, KN_DT(F32), 3))), 1);
}

static void a_value_that_is_read_in_two_shapes_is_stored(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(8, 6)), e = knb_exp(&b, x);
    expect_steps(FINISH(&b, knb_neg(&b, flat(&b, e)), knb_neg(&b, e)), 3);
}

/* Other numbers in the same memory are no reshape. */
static void other_dtypes_are_no_reshape(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    kni_atom x = knb_invar(&b, F32(8, 2));
    expect_steps(FINISH(&b, knb_exp(&b, knb_bitcast_last_axis(&b, knb_exp(&b, x), KN_DT(F64)))), 2);
}

/* Elementwise equations, reshapes to shapes of as many elements, a few views, reductions and updates among them. */
static kni_jaxpr *random_jaxpr(uint64_t seed)
{
    static const int64_t shapes[][3] = {{24}, {4, 6}, {6, 4}, {2, 3, 4}, {4, 3, 2}, {12, 2}, {1, 24}};
    static const int ndims[] = {1, 2, 2, 3, 3, 2, 2};
    kni_builder b;
    kni_atom pool[40], out[3];
    int n = 0;
    uint64_t s = seed;
    knb_init(&b);
    for (int i = 0; i < 3; i++) {
        int k = test_below(&s, 7);
        pool[n++] = knb_invar(&b, kni_type_of(KN_DT(F32), ndims[k], shapes[k]));
    }
    for (int i = 0; i < 4 + test_below(&s, 24); i++) {
        kni_atom x = pool[test_below(&s, 3) ? n - 1 - test_below(&s, n < 4 ? n : 4) : test_below(&s, n)], y = x, other;
        kni_type t = knb_type(&b, x);
        int k = test_below(&s, 7);
        switch (test_below(&s, 9)) {
        case 0: y = knb_exp(&b, x); break;
        case 1: y = knb_neg(&b, x); break;
        case 2: y = knb_mul(&b, x, knb_number(&b, KN_DT(F32), 1.5)); break;
        case 3: y = knb_cumsum(&b, x, 0, false); break;
        case 4: y = knb_rev(&b, x, 1, (int64_t[]){0}); break;
        case 5:
            other = knb_broadcast_in_dim(&b, knb_number(&b, KN_DT(F32), 0.5), t.ndim, t.dim, NULL);
            y = knb_add(&b, x, other);
            break;
        case 6:
            other = pool[test_below(&s, n)];
            y = knb_add(&b, x, knb_reshape(&b, other, t.ndim, t.dim));
            break;
        default: y = knb_reshape(&b, x, ndims[k], shapes[k]); break;
        }
        pool[n++] = y;
    }
    for (int i = 0; i < 3; i++)
        out[i] = pool[n - 1 - test_below(&s, n < 8 ? n : 8)];
    return test_finish(&b, 3, out);
}

static void random_jaxprs_keep_their_bits(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        kni_jaxpr *j = random_jaxpr(seed);
        expect_same_bits(j, seed);
        kni_release(j);
    }
}

KN_TEST_GROUP(test_compile_reshapes)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operands_are_reshaped_for_nothing),
        cmocka_unit_test(to_and_fro_is_one_kernel),
        cmocka_unit_test(a_routines_result_is_reshaped_where_it_lies),
        cmocka_unit_test(what_is_computed_is_reshaped_as_late_as_can_be),
        cmocka_unit_test(a_value_that_is_read_in_two_shapes_is_stored),
        cmocka_unit_test(other_dtypes_are_no_reshape),
        cmocka_unit_test(random_jaxprs_keep_their_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
