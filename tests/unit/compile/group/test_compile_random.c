/* SPDX-License-Identifier: Apache-2.0
 * test_compile_random.c -- random bits are made by the kernel that uses them, and are those of a step of their own. */
#include "support/expect.h"

#include "support/group.h"
#include "support/programs.h"

static kn_array uniform(const kn_array *k) { return kn_random_uniform(*k, KN_SHAPE(40, 5)); }
static kn_array normal(const kn_array *k) { return kn_random_normal(*k, KN_SHAPE(40, 5)); }
static kn_array half(const kn_array *k) { return kn_random_uniform(*k, KN_SHAPE(40, 5), .dtype = KN_DT(F16)); }
static kn_array coin(const kn_array *k) { return kn_random_bernoulli(*k, 0.3, KN_SHAPE(40, 5)); }
static kn_array dropout(const kn_array *k, const kn_array *x)
{
    return kn_where(kn_random_bernoulli(*k, 0.8, KN_SHAPE(40, 5)), kn_div(*x, 0.8), 0.0);
}
KN_FUNCTION(uniform, kn_array, kn_array)
KN_FUNCTION(normal, kn_array, kn_array)
KN_FUNCTION(half, kn_array, kn_array)
KN_FUNCTION(coin, kn_array, kn_array)
KN_FUNCTION(dropout, kn_array, kn_array, kn_array)

static void expect_equal(const kni_jaxpr *j, const knd_loaded *p, const knd_loaded *q, uint64_t seed)
{
    test_operands x = test_make_operands(j, seed);
    knx_buffer *fused[1], *plain[1];
    test_ok(knd_run(p, x.in, fused, NULL));
    test_ok(knd_run(q, x.in, plain, NULL));
    assert_int_equal(test_difference(kni_out_type(j, 0), plain[0]->data, fused[0]->data), -1);
    test_release(1, fused);
    test_release(1, plain);
    test_free_operands(&x);
}

static void expect_one_kernel(const char *name, kn_fn f, const kn_args *args)
{
    kni_jaxpr *j = NULL;
    char *text = NULL;
    test_ok(kni_parse(kn_jaxpr_text(kn_make_jaxpr(f, args), KN_JAXPR_FULL), &j));
    knd_loaded *p = test_compile(j, true), *q = test_compile(j, false);
    test_ok(knc_text(p->program, &text));
    if (knc_n_steps(p->program) != 1)
        fail_msg("%s: %d steps:\n%s", name, knc_n_steps(p->program), text);
    expect_equal(j, p, q, 3);
    knx_free(text);
    knd_release(p);
    knd_release(q);
    kni_release(j);
}

static void bits_are_made_where_they_are_used(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array k = kn_random_key(1), x = kn_zeros(KN_SHAPE(40, 5));
    expect_one_kernel("uniform", KN_FN(uniform), KN_ARGS(&k));
    expect_one_kernel("normal", KN_FN(normal), KN_ARGS(&k));
    expect_one_kernel("float16", KN_FN(half), KN_ARGS(&k));
    expect_one_kernel("bernoulli", KN_FN(coin), KN_ARGS(&k));
    expect_one_kernel("dropout", KN_FN(dropout), KN_ARGS(&k, &x));
}

/* Bits of keys in an array, of every width, and what is worked out from them. */
static void bits_of_all_widths_and_shapes_are_the_same(void **state)
{
    (void)state;
    static const int widths[] = {8, 16, 32, 64};
    static const int64_t shapes[][3] = {{0}, {1}, {37}, {5, 8}, {2, 3, 7}, {1, 130}, {4, 0}};
    static const int ndims[] = {0, 1, 1, 2, 3, 2, 2};
    for (int w = 0; w < 4; w++)
        for (int i = 0; i < 7; i++)
            for (int keys = 0; keys < 3; keys++) {
                kni_builder b;
                knb_init(&b);
                kni_atom k = knb_invar(&b, kni_type_of(KN_DT(KEY), keys, (int64_t[]){3, 2}));
                kni_atom x = knb_random_bits(&b, k, widths[w], ndims[i], shapes[i]);
                kni_atom y = knb_xor(&b, x, knb_integer(&b, knb_type(&b, x).dtype, 5));
                kni_jaxpr *j = FINISH(&b, y);
                knd_loaded *p = test_compile(j, true), *q = test_compile(j, false);
                if (knc_n_steps(p->program) > 1)
                    fail_msg("%d bits, shape %d, keys of %d axes: %d steps", widths[w], i, keys,
                             knc_n_steps(p->program));
                expect_equal(j, p, q, 5);
                knd_release(p);
                knd_release(q);
                kni_release(j);
            }
}

/* Twenty rounds are not done twice. */
static void bits_that_are_read_at_two_places_are_stored(void **state)
{
    (void)state;
    kni_builder b;
    knb_init(&b);
    int64_t n = 1000;
    kni_atom k = knb_invar(&b, kni_type_of(KN_DT(KEY), 0, NULL)), x = knb_random_bits(&b, k, 32, 1, &n);
    kni_jaxpr *j = FINISH(&b, knb_add(&b, x, knb_rev(&b, x, 1, (int64_t[]){0})));
    knd_loaded *p = test_compile(j, true), *q = test_compile(j, false);
    char *text = NULL;
    test_ok(knc_text(p->program, &text));
    if (knc_n_steps(p->program) != 2)
        fail_msg("%s", text);
    knx_free(text);
    expect_equal(j, p, q, 5);
    knd_release(p);
    knd_release(q);
    kni_release(j);
}

KN_TEST_GROUP(test_compile_random)
{
    const struct CMUnitTest tests[] = {
        TEST(bits_are_made_where_they_are_used),
        TEST(bits_of_all_widths_and_shapes_are_the_same),
        TEST(bits_that_are_read_at_two_places_are_stored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
