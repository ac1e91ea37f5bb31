/* SPDX-License-Identifier: Apache-2.0
 * test_random.c -- random keys and numbers: JAX's bits (tests/golden/random.npz), under transformations too;
 * derivatives; wrong operands. */
#include "support/expect.h"
#include "support/golden.h"
#include "support/group.h"
#include <stdlib.h>

/* ---- Each stored array is a call: "uniform f32 42 3x5". */

typedef struct words {
    char at[8][32];
    int n;
} words;

static words split_name(const char *name)
{
    words w = {.n = 0};
    char copy[128], *rest = copy;
    snprintf(copy, sizeof copy, "%s", name);
    for (char *s = strtok_r(copy, " ", &rest); s && w.n < 8; s = strtok_r(NULL, " ", &rest))
        snprintf(w.at[w.n++], sizeof w.at[0], "%s", s);
    return w;
}

static bool is(const words *w, const char *f) { return strcmp(w->at[0], f) == 0; }
static kn_array key_of(const char *seed) { return kn_random_key((int64_t)strtoll(seed, NULL, 10)); }

typedef struct sampler {
    kn_shape shape;
    kn_dtype dtype;
} sampler;
static kn_array uniform(const sampler *s, const kn_array *key)
{
    return kn_random_uniform(*key, s->shape, .dtype = s->dtype);
}
static kn_array normal(const sampler *s, const kn_array *key)
{
    return kn_random_normal(*key, s->shape, .dtype = s->dtype);
}
static kn_array split2(const kn_array *key) { return kn_random_key_data(kn_random_split(*key)); }
static kn_array fold9(const kn_array *key) { return kn_random_key_data(kn_random_fold_in(*key, 9)); }
static kn_array permute20(const kn_array *key) { return kn_random_permutation(*key, 20); }
KN_FUNCTION_ENV(uniform, kn_array, sampler, kn_array)
KN_FUNCTION_ENV(normal, kn_array, sampler, kn_array)
KN_FUNCTION(split2, kn_array, kn_array)
KN_FUNCTION(fold9, kn_array, kn_array)
KN_FUNCTION(permute20, kn_array, kn_array)

static kn_array mapped(kn_fn f, const char *seed, const char *keys)
{
    kn_array k = kn_random_split(key_of(seed), .num = atoi(keys)), y = NULL;
    kn_call(kn_jit(kn_vmap(f)), &y, &k);
    return y;
}

static kn_array call_keys(const words *w)
{
    if (is(w, "key"))
        return kn_random_key_data(key_of(w->at[1]));
    if (is(w, "fold_in"))
        return kn_random_key_data(kn_random_fold_in(key_of(w->at[1]), (uint32_t)strtoll(w->at[2], NULL, 10)));
    if (is(w, "split"))
        return kn_random_key_data(kn_random_split(key_of(w->at[1]), .shape = golden_shape(w->at[2])));
    if (is(w, "split_vmap"))
        return mapped(KN_FN(split2), w->at[1], w->at[2]);
    if (is(w, "fold_in_vmap"))
        return mapped(KN_FN(fold9), w->at[1], w->at[2]);
    if (is(w, "permutation_vmap"))
        return mapped(KN_FN(permute20), w->at[1], w->at[2]);
    if (is(w, "permutation"))
        return kn_astype(kn_random_permutation(key_of(w->at[1]), atoi(w->at[2])), KN_I16);
    kn_array x = kn_reshape(kn_arange(0, 60, 1, .dtype = KN_F32), KN_SHAPE(3, 4, 5));
    if (is(w, "permutation_rows"))
        return kn_random_permutation(key_of(w->at[1]), x, KN_AXIS(atoi(w->at[2])), .independent = atoi(w->at[3]));
    return NULL;
}

static kn_array call_samples(const words *w)
{
    sampler s = {golden_shape(w->at[3]), golden_dtype(w->at[1])};
    if (is(w, "bits"))
        return kn_random_bits(key_of(w->at[2]), s.shape, .dtype = s.dtype);
    if (is(w, "uniform"))
        return kn_random_uniform(key_of(w->at[2]), s.shape, .dtype = s.dtype);
    if (is(w, "normal"))
        return kn_random_normal(key_of(w->at[2]), s.shape, .dtype = s.dtype);
    if (is(w, "uniform_between"))
        return kn_random_uniform(key_of(w->at[2]), s.shape, .dtype = s.dtype, .minval = kn_num(strtod(w->at[4], NULL)),
                                 .maxval = kn_num(strtod(w->at[5], NULL)));
    s.shape = golden_shape(w->at[4]);
    if (is(w, "uniform_vmap"))
        return mapped(KN_FN_ENV(uniform, &s), w->at[2], w->at[3]);
    assert_true(is(w, "normal_vmap"));
    return mapped(KN_FN_ENV(normal, &s), w->at[2], w->at[3]);
}

/* JAX's compiler works out x * (hi - lo) + lo with one rounding for float32 and float64: there the last bits differ. */
static bool one_rounding(const words *w)
{
    return is(w, "uniform_between") && (strcmp(w->at[1], "f32") == 0 || strcmp(w->at[1], "f64") == 0);
}

static void same_as_jax(const char *name, const knio_npy *want)
{
    KN_SCOPE;
    words w = split_name(name);
    kn_array y = call_keys(&w);
    if (!y)
        y = call_samples(&w);
    if (!one_rounding(&w)) {
        golden_same_bits(name, y, want);
        return;
    }
    double largest = fmax(fabs(strtod(w.at[4], NULL)), fabs(strtod(w.at[5], NULL)));
    golden_close(name, y, want, 0, largest * (w.at[1][1] == '3' ? 0x1p-23 : 0x1p-52));
}

static void the_numbers_are_those_of_jax(void **state)
{
    (void)state;
    golden g = golden_read("random.npz");
    for (int i = 0; i < g.n; i++)
        if (strncmp(g.name[i], "uniform_grad", 12) != 0)
            same_as_jax(g.name[i], &g.array[i]);
    golden_free(&g);
}

static void they_are_the_same_without_fusion(void **state)
{
    (void)state;
    bool lazy = kn_set_lazy(false);
    the_numbers_are_those_of_jax(state);
    kn_set_lazy(lazy);
}

/* ---- Derivatives. */

typedef struct {
    kn_array lo, hi;
} Limits;
static kn_array total(const Limits *l)
{
    return kn_sum(kn_random_uniform(kn_random_key(8), KN_SHAPE(4), .minval = l->lo, .maxval = l->hi));
}
KN_FUNCTION(total, kn_array, Limits)

static void uniform_numbers_have_derivatives_by_their_limits(void **state)
{
    (void)state;
    golden g = golden_read("random.npz");
    {
        KN_SCOPE;
        Limits at = {kn_of(double, .25, .25, .25, .25), kn_of(double, 2, 2, 2, 2)}, slope;
        kn_call(kn_jit(kn_grad(KN_FN(total))), &slope, &at);
        golden_close("lo", slope.lo, golden_find(&g, "uniform_grad 8 4 lo"), 1e-15, 0);
        golden_close("hi", slope.hi, golden_find(&g, "uniform_grad 8 4 hi"), 1e-15, 0);
        Limits one = {kn_scalar(0.25), kn_of(double, 2, 3, 4, 5)}; /* they broadcast */
        kn_call(kn_grad(KN_FN(total)), &slope, &one);
        assert_int_equal(kn_ndim(slope.lo), 0);
        expect_near(kn_add(slope.lo, kn_sum(slope.hi)), 1e-14, 4);
    }
    golden_free(&g);
}

static kn_array noisy(const kn_array *x, const kn_array *key)
{
    return kn_sum(kn_mul(*x, kn_random_normal(*key, KN_SHAPE(3))));
}
KN_FUNCTION(noisy, kn_array, kn_array, kn_array)

static void noise_is_a_constant_of_the_derivative(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(3)), key = kn_random_key(3), slope;
    kn_call(kn_grad(KN_FN(noisy)), &slope, &x, &key);
    assert_true(kn_array_equal(slope, kn_random_normal(key, KN_SHAPE(3))));
}

/* ---- Keys as arrays, defaults. */

static void keys_are_arrays(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array key = kn_random_key(0), keys = kn_random_split(key, .shape = KN_SHAPE(2, 3));
    assert_string_equal(kn_dtype_name(kn_dtype_of(key)), "key<fry>");
    assert_int_equal(kn_ndim(keys), 2);
    kn_array last = kn_at(keys, "1, 2"), back = kn_random_wrap_key_data(kn_random_key_data(keys));
    assert_true(kn_array_equal(kn_random_key_data(kn_at(back, "1, 2")), kn_random_key_data(last)));
    assert_true(kn_array_equal(kn_random_bits(last, KN_SHAPE(4)), kn_random_bits(kn_at(back, "-1, -1"), KN_SHAPE(4))));
    expect_values(kn_random_bits(kn_random_key(0), KN_SHAPE()), 4070199207.0);
    assert_int_equal(kn_dim(kn_random_split(key), 0), 2);
}

static void the_default_dtype_is_the_contexts(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array key = kn_random_key(0);
    assert_ptr_equal(kn_dtype_of(kn_random_uniform(key, KN_SHAPE(2))), KN_F64);
    assert_ptr_equal(kn_dtype_of(kn_random_bits(key, KN_SHAPE(2))), KN_U32);
    assert_ptr_equal(kn_dtype_of(kn_random_permutation(key, 3)), KN_I64);
    kn_dtype old = kn_set_default_float(KN_F32);
    assert_ptr_equal(kn_dtype_of(kn_random_normal(key, KN_SHAPE(2))), KN_F32);
    kn_set_default_float(old);
}

static void a_permutation_has_each_element_once(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array p = kn_random_permutation(kn_random_key(1), 100);
    assert_true(kn_array_equal(kn_sort(p), kn_arange(0, 100, 1)));
    kn_array keys = kn_random_split(kn_random_key(1), .num = 5),
             shuffled = kn_random_permutation(kn_random_key(2), keys);
    assert_true(
        kn_array_equal(kn_sort(kn_ravel(kn_random_key_data(keys))), kn_sort(kn_ravel(kn_random_key_data(shuffled)))));
}

/* ---- Wrong operands. */

static void wrong_operands_are_errors(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array key = kn_random_key(0), keys = kn_random_split(key, .num = 3);
    kn_random_uniform(kn_ones(KN_SHAPE(2)), KN_SHAPE(2));
    expect_error("TypeError",
                 "random_uniform: a random key is wanted (kn_random_key makes one), but this is float64[2]");
    kn_random_normal(keys, KN_SHAPE(2));
    expect_error("ValueError", "random_normal: accepts a single key, but was given a key array of shape (3,) != (). "
                               "Use kn_vmap for batching.");
    kn_random_key(1.5);
    expect_error("TypeError", "random_key: a seed is an integer, but this is float64[]");
    kn_random_key(kn_of(int, 1, 2));
    expect_error(
        "TypeError",
        "random_key: accepts a scalar seed, but was given an array of shape (2,) != (). Use kn_vmap for batching");
    kn_random_fold_in(key, -1);
    expect_error("OverflowError", "random_fold_in: integer -1 out of bounds for uint32");
    kn_random_fold_in(key, kn_of(int, 1, 2));
    expect_error(
        "TypeError",
        "random_fold_in: accepts a scalar, but was given an array of shape (2,) != (). Use kn_vmap for batching.");
    kn_random_split(key, .num = -1);
    expect_error("ValueError", "random_split: shape must be non-negative, but is (-1,)");
    kn_random_bits(key, KN_SHAPE(2), .dtype = KN_I32);
    expect_error("ValueError", "random_bits: dtype argument to `bits` must be an unsigned int dtype, got int32");
    kn_random_uniform(key, KN_SHAPE(2), .dtype = KN_I32);
    expect_error("ValueError", "random_uniform: dtype argument to `uniform` must be a float dtype, got int32");
    kn_random_normal(key, KN_SHAPE(2), .dtype = KN_BOOL);
    expect_error("ValueError", "random_normal: dtype argument to `normal` must be a float or complex dtype, got bool");
    kn_random_uniform(key, KN_SHAPE(2), .minval = kn_ones(KN_SHAPE(3)));
    expect_error_with("ValueError", "random_uniform: operands could not be broadcast together with shapes (3,) (2,)");
    kn_random_permutation(key, 2.5);
    expect_error("TypeError", "random_permutation: x must be an integer or at least 1-dimensional, but is float64[]");
    kn_random_permutation(key, kn_ones(KN_SHAPE(2, 3)), KN_AXIS(2));
    expect_error("AxisError", "random_permutation: axis 2 is out of bounds for array of dimension 2");
    kn_random_wrap_key_data(kn_ones(KN_SHAPE(2)));
    expect_error("TypeError", "random_wrap_key_data: the data of keys is uint32[...,2], but this is float64[2]");
    kn_random_key_data(kn_ones(KN_SHAPE(2)));
    expect_error("TypeError",
                 "random_key_data: a random key is wanted (kn_random_key makes one), but this is float64[2]");
    kn_add(key, 1);
    expect_error_with("TypeError", "add: ");
}

static kn_array permute_n(const kn_array *n) { return kn_random_permutation(kn_random_key(0), *n); }
KN_FUNCTION(permute_n, kn_array, kn_array)

static void the_length_of_a_permutation_has_to_be_known(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array n = kn_scalar(3), y;
    kn_call(kn_jit(KN_FN(permute_n)), &y, &n);
    expect_error_with("ConcretizationError", "random_permutation: ");
}

KN_TEST_GROUP(test_random)
{
    const struct CMUnitTest tests[] = {
        TEST(the_numbers_are_those_of_jax),
        TEST(they_are_the_same_without_fusion),
        TEST(uniform_numbers_have_derivatives_by_their_limits),
        TEST(noise_is_a_constant_of_the_derivative),
        TEST(keys_are_arrays),
        TEST(the_default_dtype_is_the_contexts),
        TEST(a_permutation_has_each_element_once),
        TEST(wrong_operands_are_errors),
        TEST(the_length_of_a_permutation_has_to_be_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
