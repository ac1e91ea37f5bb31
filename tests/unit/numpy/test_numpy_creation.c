/* SPDX-License-Identifier: Apache-2.0
 * test_numpy_creation.c -- array creation routines: calls whose results and errors NumPy gave, and what a golden file
 * cannot say. */
#include "support/bits.h"
#include "support/expect.h"
#include "support/group.h"
#include "support/numpy_calls.h"

#define ARRAY(name, call) \
    static numpy_result call_##name(const numpy_call *c) { return numpy_one(call); }
#define LIST(name, call) \
    static numpy_result call_##name(const numpy_call *c) { return numpy_list(call); }
#define X        c->array[0]
#define Y        c->array[1]
#define Z        c->array[2]
#define NUM      c->list[0].dim[0]
#define ALL      (kn_list_from)(c->array, c->n)
#define AXIS     numpy_axes(c, "axis")
#define K        .k = (int64_t)numpy_number(c, "k", 0)
#define ENDPOINT .endpoint = numpy_flag(c, "endpoint", true)

ARRAY(linspace, kn_linspace(X, Y, NUM, .axis = AXIS, ENDPOINT, .dtype = numpy_dtype(c)))
ARRAY(logspace, kn_logspace(X, Y, NUM, .axis = AXIS, ENDPOINT, .dtype = numpy_dtype(c), .base = numpy_array(c, "base")))
ARRAY(geomspace, kn_geomspace(X, Y, NUM, .axis = AXIS, ENDPOINT, .dtype = numpy_dtype(c)))
LIST(meshgrid, kn_meshgrid(ALL, .indexing = numpy_option(c, "indexing"), .sparse = numpy_flag(c, "sparse", false)))
ARRAY(mgrid1, kn_mgrid(KN_SLICE(X, Y, Z)))
ARRAY(mgrid2, kn_mgrid(KN_SLICE(X, Y, Z), KN_SLICE(0, 2, 1)))
LIST(ogrid1, kn_ogrid(KN_SLICE(X, Y, Z)))
LIST(ogrid2, kn_ogrid(KN_SLICE(X, Y, Z), KN_SLICE(0, 2, 1)))
ARRAY(mgrid_num, kn_mgrid(KN_SLICE_NUM(X, Y, NUM)))
ARRAY(mgrid_num2, kn_mgrid(KN_SLICE_NUM(X, Y, NUM), KN_SLICE(0, 3, 1)))
ARRAY(diag, kn_diag(X, K))
ARRAY(diagflat, kn_diagflat(X, K))
ARRAY(tril, kn_tril(X, K))
ARRAY(triu, kn_triu(X, K))
ARRAY(tri, kn_tri(NUM, .M = (int64_t)numpy_number(c, "M", -1), K, .dtype = numpy_dtype(c)))
ARRAY(vander, kn_vander(X, .N = (int64_t)numpy_number(c, "N", -1), .increasing = numpy_flag(c, "increasing", false)))
ARRAY(asarray, kn_asarray(X, .dtype = numpy_dtype(c), .copy = 1, .ndmin = (int)numpy_number(c, "ndmin", 0)))
ARRAY(asarray_chkfinite, kn_asarray_chkfinite(X))
ARRAY(ascontiguousarray, kn_ascontiguousarray(X))
ARRAY(asfortranarray, kn_asfortranarray(X))
ARRAY(require, kn_require(X, .requirements = c->text))
ARRAY(fromstring,
      kn_fromstring(c->texts[0], c->texts[1], .dtype = numpy_dtype(c), .count = (int64_t)numpy_number(c, "count", -1)))

/* The stored bytes have the lowest one first, and so has what was read from them. */
static numpy_result call_frombuffer(const numpy_call *c)
{
    int16_t bytes[6];
    memcpy(bytes, kn_data(X, int16_t), sizeof bytes);
    bits_from_little(bytes, sizeof *bytes, 6);
    kn_array y =
        kn_frombuffer(bytes, sizeof bytes, .dtype = numpy_dtype(c), .count = (int64_t)numpy_number(c, "count", -1),
                      .offset = (int64_t)numpy_number(c, "offset", 0));
    if (!BITS_BIG_ENDIAN || !kn_ok(y))
        return numpy_one(y);
    kn_shape shape = kn_shape_of(y);
    kn_dtype d = kn_dtype_of(y);
    char turned[sizeof bytes];
    memcpy(turned, kn_data_bytes(y, d), (size_t)kn_size(y) * kn_dtype_size(d));
    bits_from_little(turned, kn_dtype_size(d), (size_t)kn_size(y));
    return numpy_one((kn_from_memory)(turned, &shape, d));
}

static numpy_result call_linspace_step(const numpy_call *c)
{
    kn_array step = NULL, y = kn_linspace(X, Y, NUM, .retstep = &step);
    return (numpy_result){2, {y, step}};
}

static kn_shape shape_option(const numpy_call *c)
{
    kn_axes a = numpy_axes(c, "shape");
    kn_shape s = {.ndim = a.n - 1};
    for (int i = 0; i < s.ndim; i++)
        s.dim[i] = a.axis[i];
    return s;
}
#define LIKE(name, ...)                                                                                     \
    static numpy_result call_##name(const numpy_call *c)                                                    \
    {                                                                                                       \
        kn_shape s = shape_option(c);                                                                       \
        return numpy_one(kn_##name(__VA_ARGS__, .dtype = numpy_dtype(c), .order = numpy_option(c, "order"), \
                                   .shape = s.ndim >= 0 ? &s : NULL));                                      \
    }
LIKE(zeros_like, X)
LIKE(ones_like, X)
LIKE(full_like, X, Y)

static kn_array line1(const kn_array *i) { return kn_add(kn_mul(*i, 2), 1); }
KN_FUNCTION(line1, kn_array, kn_array)
static kn_array line2(const kn_array *i, const kn_array *j) { return kn_add(kn_mul(kn_add(*i, *j), 2), 1); }
KN_FUNCTION(line2, kn_array, kn_array, kn_array)
static kn_array line3(const kn_array *i, const kn_array *j, const kn_array *k)
{
    return kn_add(kn_mul(kn_add(*i, *j, *k), 2), 1);
}
KN_FUNCTION(line3, kn_array, kn_array, kn_array, kn_array)
static numpy_result call_fromfunction(const numpy_call *c)
{
    kn_shape s = c->list[0];
    kn_fn f = s.ndim == 1 ? KN_FN(line1) : s.ndim == 2 ? KN_FN(line2) : KN_FN(line3);
    return numpy_one(kn_fromfunction(f, s, .dtype = numpy_dtype(c)));
}

#define CALL(name, tolerance) {#name, call_##name, tolerance},
static const numpy_entry table[] = {
    CALL(linspace, 0) CALL(linspace_step, 0) CALL(logspace, 2) CALL(geomspace, 32) CALL(meshgrid, 0) CALL(mgrid1, 0)
        CALL(mgrid2, 0) CALL(ogrid1, 0) CALL(ogrid2, 0) CALL(mgrid_num, 0) CALL(mgrid_num2, 0) CALL(diag, 0)
            CALL(diagflat, 0) CALL(tril, 0) CALL(triu, 0) CALL(tri, 0) CALL(vander, 0) CALL(asarray, 0)
                CALL(asarray_chkfinite, 0) CALL(ascontiguousarray, 0) CALL(asfortranarray, 0) CALL(require, 0)
                    CALL(fromstring, 0) CALL(frombuffer, 0) CALL(zeros_like, 0) CALL(ones_like, 0) CALL(full_like, 0)
                        CALL(fromfunction, 0)};

static void results_are_those_of_numpy(void **state)
{
    (void)state;
    numpy_calls_check_with(KN_TEST_DIR "/golden/numpy_creation.txt", table, sizeof table / sizeof *table);
}

static kn_array powers(const int64_t *n, const kn_array *x) { return kn_vander(*x, .N = *n); }
KN_FUNCTION_ENV(powers, kn_array, int64_t, kn_array)

static void the_equations_of_vander_do_not_grow_with_the_powers(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(4));
    int64_t few = 3, many = 1000;
    assert_int_equal(kn_jaxpr_equation_count(kn_make_jaxpr(KN_FN_ENV(powers, &few), KN_ARGS(&x))),
                     kn_jaxpr_equation_count(kn_make_jaxpr(KN_FN_ENV(powers, &many), KN_ARGS(&x))));
}

/* ---- Memory orders. */

static void fortran_order_is_seen_in_the_strides(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a[] = {kn_zeros(KN_SHAPE(2, 3), .order = "F"), kn_eye(2, .M = 3, .order = "F"),
                    kn_asfortranarray(kn_ones(KN_SHAPE(2, 3))), kn_copy(kn_ones(KN_SHAPE(2, 3)), .order = "F"),
                    kn_require(kn_ones(KN_SHAPE(2, 3)), .requirements = "F")};
    for (int i = 0; i < 5; i++) {
        kn_strides s = kn_strides_of(a[i]);
        assert_int_equal(s.stride[0], 8);
        assert_int_equal(s.stride[1], 16);
    }
}

static void an_array_that_is_as_wanted_is_not_copied(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(2, 3)), f = kn_transpose(kn_ones(KN_SHAPE(3, 2)));
    assert_true(kn_shares_memory(x, kn_asarray(x)));
    assert_true(kn_shares_memory(x, kn_ascontiguousarray(x)));
    assert_true(kn_shares_memory(f, kn_asfortranarray(f)));
    assert_true(kn_shares_memory(x, kn_require(x, .requirements = "CW")));
    assert_false(kn_shares_memory(x, kn_asarray(x, .copy = 1)));
    assert_false(kn_shares_memory(x, kn_asfortranarray(x)));
    kn_array y = kn_asarray(x, .dtype = KN_F32, .copy = 0);
    assert_false(kn_ok(y));
    expect_error("ValueError", "asarray: Unable to avoid copy while creating an array as requested.");
}

static bool count_down(void *env, void *element)
{
    int *n = env;
    *(int32_t *)element = *n;
    return (*n)-- > 0;
}

static void fromiter_takes_what_the_function_gives(void **state)
{
    (void)state;
    KN_SCOPE;
    int n = 3;
    expect_values(kn_fromiter(count_down, &n, KN_I32, -1), 3, 2, 1);
    n = 3;
    expect_values(kn_fromiter(count_down, &n, KN_I32, 2), 3, 2);
    n = 3;
    kn_fromiter(count_down, &n, KN_I32, 5);
    expect_error("ValueError", "fromiter: iterator too short: Expected 5 but iterator had only 3 items.");
}

static void a_grid_has_no_negative_extents(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_mgrid(KN_SLICE(3, 0, 1), KN_SLICE(0, 2, 1));
    expect_error("ValueError", "mgrid: negative dimensions are not allowed");
}

KN_TEST_GROUP(test_numpy_creation)
{
    const struct CMUnitTest tests[] = {
        TEST(results_are_those_of_numpy),           TEST(the_equations_of_vander_do_not_grow_with_the_powers),
        TEST(fortran_order_is_seen_in_the_strides), TEST(an_array_that_is_as_wanted_is_not_copied),
        TEST(a_grid_has_no_negative_extents),       TEST(fromiter_takes_what_the_function_gives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
