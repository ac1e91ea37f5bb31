/* SPDX-License-Identifier: Apache-2.0
 * test_segments.c -- sums, products and extremes of segments: JAX's values and gradients (tests/golden/nn.npz), numbers
 * outside, empty segments, dtypes, jit and vmap, wrong operands. */
#include "support/expect.h"
#include "support/golden.h"
#include "support/group.h"

typedef kn_array (*function)(const kn_array *data, const kn_array *ids);
#define CASE(name, ...) \
    static kn_array name(const kn_array *data, const kn_array *ids) { return __VA_ARGS__; }
CASE(sum, kn_segment_sum(*data, *ids))
CASE(prod, kn_segment_prod(*data, *ids))
CASE(max, kn_segment_max(*data, *ids))
CASE(min, kn_segment_min(*data, *ids))
CASE(sum_4, kn_segment_sum(*data, *ids, .num_segments = 4))
CASE(prod_4, kn_segment_prod(*data, *ids, .num_segments = 4))
CASE(max_4, kn_segment_max(*data, *ids, .num_segments = 4))
CASE(min_4, kn_segment_min(*data, *ids, .num_segments = 4))
CASE(sum_clip, kn_segment_sum(*data, *ids, .num_segments = 4, .mode = "clip"))
CASE(prod_clip, kn_segment_prod(*data, *ids, .num_segments = 4, .mode = "clip"))
CASE(max_clip, kn_segment_max(*data, *ids, .num_segments = 4, .mode = "clip"))
CASE(min_clip, kn_segment_min(*data, *ids, .num_segments = 4, .mode = "clip"))
CASE(sum_bucket, kn_segment_sum(*data, *ids, .num_segments = 4, .bucket_size = 4))
CASE(prod_bucket, kn_segment_prod(*data, *ids, .num_segments = 4, .bucket_size = 4))
CASE(max_bucket, kn_segment_max(*data, *ids, .num_segments = 4, .bucket_size = 4))
CASE(min_bucket, kn_segment_min(*data, *ids, .num_segments = 4, .bucket_size = 4))
CASE(sum_7, kn_segment_sum(*data, *ids, .num_segments = 7))
CASE(prod_7, kn_segment_prod(*data, *ids, .num_segments = 7))
CASE(max_7, kn_segment_max(*data, *ids, .num_segments = 7))
CASE(min_7, kn_segment_min(*data, *ids, .num_segments = 7))
CASE(prod_unique, kn_segment_prod(*data, *ids, .num_segments = 7, .unique_indices = true))

static const struct {
    const char *name;
    function f;
} cases[] = {
    {"sum", sum},
    {"prod", prod},
    {"max", max},
    {"min", min},
    {"sum 4", sum_4},
    {"prod 4", prod_4},
    {"max 4", max_4},
    {"min 4", min_4},
    {"sum clip", sum_clip},
    {"prod clip", prod_clip},
    {"max clip", max_clip},
    {"min clip", min_clip},
    {"sum bucket", sum_bucket},
    {"prod bucket", prod_bucket},
    {"max bucket", max_bucket},
    {"min bucket", min_bucket},
    {"sum int8", sum_7},
    {"prod int8", prod_7},
    {"max int8", max_7},
    {"min int8", min_7},
    {"sum grad", sum_4},
    {"max grad", max_4},
    {"min grad", min_4},
    {"prod grad", prod_unique},
};
enum { N_CASES = sizeof cases / sizeof *cases };

typedef struct which {
    int i;
} which;
static kn_array segment(const which *w, const kn_array *data, const kn_array *ids) { return cases[w->i].f(data, ids); }
KN_FUNCTION_ENV(segment, kn_array, which, kn_array, kn_array)
static kn_array total(const which *w, const kn_array *data, const kn_array *ids)
{
    return kn_sum(kn_cos(segment(w, data, ids)));
}
KN_FUNCTION_ENV(total, kn_array, which, kn_array, kn_array)

static void values_and_gradients_are_those_of_jax(void **state)
{
    (void)state;
    golden g = golden_read("nn.npz");
    for (int i = 0; i < N_CASES; i++) {
        KN_SCOPE;
        char text[64];
        which w = {i};
        bool integers = strstr(cases[i].name, "int8"), grad = strstr(cases[i].name, "grad");
        kn_array data = golden_array(golden_find(&g, integers ? "integers" : "data")), y;
        kn_array ids = golden_array(golden_find(&g, cases[i].f == prod_unique ? "unique" : "ids"));
        if (grad)
            kn_call(kn_jit(kn_grad(KN_FN_ENV(total, &w))), &y, &data, &ids);
        else
            y = cases[i].f(&data, &ids);
        snprintf(text, sizeof text, "segment %s", cases[i].name);
        golden_close(text, y, golden_find(&g, text), 1e-14, 1e-14);
    }
    golden_free(&g);
}

static void jit_and_vmap_change_nothing(void **state)
{
    (void)state;
    golden g = golden_read("nn.npz");
    for (int i = 4; i < N_CASES; i++) { /* the first ones look at the numbers */
        KN_SCOPE;
        which w = {i};
        kn_array data = golden_array(golden_find(&g, "data")), ids = golden_array(golden_find(&g, "unique"));
        kn_array want = cases[i].f(&data, &ids), jitted, mapped;
        kn_array two = kn_stack(KN_LIST(data, data), KN_AXIS(1)), both = kn_stack(KN_LIST(ids, ids));
        kn_call(kn_jit(KN_FN_ENV(segment, &w)), &jitted, &data, &ids);
        kn_call(kn_vmap(KN_FN_ENV(segment, &w), .in_axes = {KN_MAPPED(1), KN_MAPPED(0)}), &mapped, &two, &both);
        assert_true(kn_array_equal(jitted, want));
        assert_true(kn_allclose(kn_at(mapped, "1"), want));
    }
    golden_free(&g);
}

static void empty_segments_have_what_is_neutral(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array ids = kn_of(int, 1), x = kn_of(double, 5);
    expect_values(kn_segment_sum(x, ids, .num_segments = 3), 0, 5, 0);
    expect_values(kn_segment_prod(x, ids, .num_segments = 3), 1, 5, 1);
    expect_values(kn_segment_max(x, ids, .num_segments = 3), -INFINITY, 5, -INFINITY);
    expect_values(kn_segment_min(x, ids, .num_segments = 3), INFINITY, 5, INFINITY);
    kn_array top = kn_segment_min(kn_of(int64_t, 5), ids), bottom = kn_segment_max(kn_of(int64_t, 5), ids);
    assert_true(kn_item_int(kn_at(top, "0")) == INT64_MAX && kn_item_int(kn_at(bottom, "0")) == INT64_MIN);
    expect_values(kn_segment_min(kn_of(uint16_t, 5), ids), 65535, 5);
    expect_values(kn_segment_max(kn_of(uint16_t, 5), ids), 0, 5);
    expect_values(kn_segment_max(kn_of(bool, true, false), kn_of(int, 0, 3)), 1, 0, 0, 0);
    expect_values(kn_segment_min(kn_of(bool, true, false), kn_of(int, 0, 3)), 1, 1, 1, 0);
    kn_array half = kn_segment_max(kn_astype(x, KN_F16), ids);
    assert_ptr_equal(kn_dtype_of(half), KN_F16);
    expect_values(half, -INFINITY, 5);
    expect_values(kn_segment_max(kn_of(double, 1, NAN, 3), kn_of(int, 0, 0, 1)), NAN, 3);
}

static void odd_numbers_and_shapes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array none = kn_zeros(KN_SHAPE(0)), no_ids = kn_zeros(KN_SHAPE(0), .dtype = KN_I64),
             three = kn_of(double, 1, 2, 3);
    expect_values(kn_segment_sum(none, no_ids, .num_segments = 2), 0, 0);
    expect_values(kn_segment_sum(none, no_ids, .num_segments = 2, .bucket_size = 3), 0, 0);
    assert_int_equal(kn_size(kn_segment_sum(three, kn_of(int, 0, 0, 0), .num_segments = 0)), 0);
    assert_int_equal(kn_size(kn_segment_sum(three, kn_of(int, -1, -2, -1))), 0);
    expect_values(kn_segment_sum(three, kn_of(uint64_t, 0, UINT64_MAX, 1), .num_segments = 2), 1, 3);
    expect_values(kn_segment_sum(three, kn_at(kn_of(int, 2, 1, 0), "::-1")), 1, 2, 3);
    expect_values(kn_segment_sum(three, kn_of(int, 0, 0, 1), .indices_are_sorted = true, .mode = "promise_in_bounds"),
                  3, 3);
    /* numbers of several axes: data broadcasts to them */
    kn_array y = kn_segment_sum(kn_ones(KN_SHAPE(2, 2)), kn_reshape(kn_of(int, 0, 1, 1, 0), KN_SHAPE(2, 2)));
    expect_values(y, 2, 2, 2, 2);
}

static kn_array untold(const kn_array *x, const kn_array *ids) { return kn_segment_sum(*x, *ids); }
KN_FUNCTION(untold, kn_array, kn_array, kn_array)

static void wrong_operands_are_errors(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(3)), ids = kn_of(int, 0, 0, 1), y;
    kn_segment_sum(x, ids, .num_segments = -1);
    expect_error("ValueError", "segment_sum: num_segments must be non-negative.");
    kn_segment_max(x, ids, .mode = "wrap");
    expect_error("ValueError", "segment_max: Unknown gather mode \"wrap\"");
    kn_segment_prod(x, x);
    expect_error("TypeError", "segment_prod: Indexer must have integer or boolean type, got indexer with type float64");
    kn_segment_min(x, kn_of(int, 0, 1));
    expect_error_with("ValueError", "segment_min: operands could not be broadcast together with shapes (3,) (2,)");
    kn_segment_sum(kn_zeros(KN_SHAPE(0)), kn_zeros(KN_SHAPE(0), .dtype = KN_I64));
    expect_error("ValueError", "segment_sum: zero-size array to reduction operation max which has no identity");
    kn_segment_sum(x, ids, .bucket_size = -2);
    expect_error("ValueError", "segment_sum: bucket_size must be positive, but is -2");
    kn_segment_sum(kn_scalar(1.0), ids, .num_segments = 2);
    expect_error("ValueError", "segment_sum: data and segment_ids must have at least one axis each");
    kn_segment_sum(KN_NONE, ids);
    expect_error("TypeError", "segment_sum: null array");
    kn_call(kn_jit(KN_FN(untold)), &y, &x, &ids);
    expect_error_with("ConcretizationError", "segment_sum: ");
}

KN_TEST_GROUP(test_segments)
{
    const struct CMUnitTest tests[] = {
        TEST(values_and_gradients_are_those_of_jax),
        TEST(jit_and_vmap_change_nothing),
        TEST(empty_segments_have_what_is_neutral),
        TEST(odd_numbers_and_shapes),
        TEST(wrong_operands_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
