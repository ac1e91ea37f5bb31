/* SPDX-License-Identifier: Apache-2.0
 * test_compile_random.c -- random bits are made by the kernel that uses them, and are those of a step of their own. */
#include "support/expect.h"

#include "programs.h"

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

static void expect_one_kernel(const char *name, kn_fn f, const kn_args *args)
{
    kni_jaxpr *j = NULL;
    char *text = NULL;
    test_ok(kni_parse(kn_jaxpr_text(kn_make_jaxpr(f, args), KN_JAXPR_FULL), &j));
    kn_program *p = test_compile(j, true), *q = test_compile(j, false);
    test_ok(knc_text(p, &text));
    if (knc_n_steps(p) != 1)
        fail_msg("%s: %d steps:\n%s", name, knc_n_steps(p), text);
    test_operands x = test_make_operands(j, 3);
    kn_buffer *fused[1], *plain[1];
    test_ok(knd_run(p, x.in, fused, NULL));
    test_ok(knd_run(q, x.in, plain, NULL));
    assert_int_equal(test_difference(kni_out_type(j, 0), plain[0]->data, fused[0]->data), -1);
    test_release(1, fused);
    test_release(1, plain);
    test_free_operands(&x);
    knx_free(text);
    knc_release(p);
    knc_release(q);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(bits_are_made_where_they_are_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
