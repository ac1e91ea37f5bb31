/* SPDX-License-Identifier: Apache-2.0
 * test_numpy_manipulation.c -- array manipulation routines: calls whose results and errors NumPy gave, and what they do
 * under transformations. */
#include "support/expect.h"
#include "support/group.h"
#include "support/numpy_calls.h"

#define ARRAY(name, call) \
    static numpy_result call_##name(const numpy_call *c) { return numpy_one(call); }
#define LIST(name, call) \
    static numpy_result call_##name(const numpy_call *c) { return numpy_list(call); }
#define X    c->array[0]
#define Y    c->array[1]
#define ALL  (kn_list_from)(c->array, c->n)
#define AXIS numpy_axes(c, "axis")

ARRAY(rot90, kn_rot90(X, .k = (int64_t)numpy_number(c, "k", 1), .axes = numpy_axes(c, "axes")))
ARRAY(roll, kn_roll(X, Y, AXIS))
ARRAY(fliplr, kn_fliplr(X))
ARRAY(flipud, kn_flipud(X))
ARRAY(atleast_1d, kn_atleast_1d(X))
ARRAY(atleast_2d, kn_atleast_2d(X))
ARRAY(atleast_3d, kn_atleast_3d(X))
ARRAY(matrix_transpose, kn_matrix_transpose(X))
ARRAY(rollaxis, kn_rollaxis(X, (int)c->list[0].dim[0], .start = (int)numpy_number(c, "start", 0)))
ARRAY(reshape, kn_reshape(X, c->list[0], .order = numpy_option(c, "order")))
ARRAY(ravel, kn_ravel(X, .order = numpy_option(c, "order")))
ARRAY(flatten, kn_flatten(X, .order = numpy_option(c, "order")))
LIST(unstack, kn_unstack(X, AXIS))
ARRAY(dstack, kn_dstack(ALL))
ARRAY(column_stack, kn_column_stack(ALL))
ARRAY(vstack, kn_vstack(ALL, .dtype = numpy_dtype(c), .casting = numpy_option(c, "casting")))
ARRAY(hstack, kn_hstack(ALL, .dtype = numpy_dtype(c), .casting = numpy_option(c, "casting")))
ARRAY(stack, kn_stack(ALL, AXIS, .dtype = numpy_dtype(c), .casting = numpy_option(c, "casting")))
ARRAY(concatenate, kn_concatenate(ALL, AXIS, .dtype = numpy_dtype(c), .casting = numpy_option(c, "casting")))
ARRAY(concat, kn_concat(ALL, AXIS))
ARRAY(block, c->n == 4 ? kn_block(KN_LIST(X, Y), KN_LIST(c->array[2], c->array[3])) : kn_block(ALL))
LIST(broadcast_arrays, kn_broadcast_arrays(ALL))
LIST(array_split, kn_array_split(X, Y, AXIS))
LIST(split, kn_split(X, Y, AXIS))
LIST(hsplit, kn_hsplit(X, Y))
LIST(vsplit, kn_vsplit(X, Y))
LIST(dsplit, kn_dsplit(X, Y))
ARRAY(append, kn_append(X, Y, AXIS))
ARRAY(delete, kn_delete(X, Y, AXIS))
ARRAY(insert, kn_insert(X, Y, c->array[2], AXIS))
ARRAY(resize, kn_resize(X, c->list[0]))
ARRAY(repeat, kn_repeat(X, Y, AXIS))
ARRAY(trim_zeros, kn_trim_zeros(X, AXIS, .trim = numpy_option(c, "trim")))
ARRAY(pad, kn_pad(X, Y, .mode = numpy_option(c, "mode"), .constant_values = numpy_array(c, "constant_values"),
                  .end_values = numpy_array(c, "end_values"), .stat_length = numpy_array(c, "stat_length"),
                  .reflect_type = numpy_option(c, "reflect_type")))
ARRAY(unique_values, kn_unique_values(X))
ARRAY(diagonal, kn_diagonal(X, .offset = (int64_t)numpy_number(c, "offset", 0),
                            .axis1 = (int)numpy_number(c, "axis1", 0), .axis2 = (int)numpy_number(c, "axis2", 1)))
ARRAY(trace, kn_trace(X, .offset = (int64_t)numpy_number(c, "offset", 0), .axis1 = (int)numpy_number(c, "axis1", 0),
                      .axis2 = (int)numpy_number(c, "axis2", 1), .dtype = numpy_dtype(c)))

/* Alone, or with all that it can tell. */
static numpy_result call_unique(const numpy_call *c)
{
    numpy_result r = {.n = 4};
    if (strncmp(c->result, "list ", 5) != 0)
        return numpy_one(kn_unique(X, AXIS, .equal_nan = numpy_flag(c, "equal_nan", true)));
    r.x[0] = kn_unique(X, AXIS, .return_index = &r.x[1], .return_inverse = &r.x[2], .return_counts = &r.x[3]);
    return r;
}
static numpy_result call_unique_all(const numpy_call *c)
{
    kn_unique_all_result u = kn_unique_all(X);
    return (numpy_result){4, {u.values, u.indices, u.inverse_indices, u.counts}};
}
static numpy_result call_unique_counts(const numpy_call *c)
{
    kn_unique_counts_result u = kn_unique_counts(X);
    return (numpy_result){2, {u.values, u.counts}};
}
static numpy_result call_unique_inverse(const numpy_call *c)
{
    kn_unique_inverse_result u = kn_unique_inverse(X);
    return (numpy_result){2, {u.values, u.inverse_indices}};
}

ARRAY(union1d, kn_union1d(X, Y))
ARRAY(setdiff1d, kn_setdiff1d(X, Y, .assume_unique = numpy_flag(c, "assume_unique", false)))
ARRAY(setxor1d, kn_setxor1d(X, Y))
ARRAY(isin, kn_isin(X, Y, .invert = numpy_flag(c, "invert", false)))
static numpy_result call_intersect1d(const numpy_call *c)
{
    numpy_result r = {.n = 3};
    if (strncmp(c->result, "list ", 5) != 0)
        return numpy_one(kn_intersect1d(X, Y));
    r.x[0] = kn_intersect1d(X, Y, .return_indices = {&r.x[1], &r.x[2]});
    return r;
}

#define CALL(name, tolerance) {#name, call_##name, tolerance},
static const numpy_entry table[] = {
    CALL(rot90, 0) CALL(roll, 0) CALL(fliplr, 0) CALL(flipud, 0) CALL(atleast_1d, 0) CALL(atleast_2d, 0)
        CALL(atleast_3d, 0) CALL(matrix_transpose, 0) CALL(rollaxis, 0) CALL(reshape, 0) CALL(ravel, 0) CALL(flatten, 0)
            CALL(unstack, 0) CALL(dstack, 0) CALL(column_stack, 0) CALL(vstack, 0) CALL(hstack, 0) CALL(stack, 0)
                CALL(concatenate, 0) CALL(concat, 0) CALL(block, 0) CALL(broadcast_arrays, 0) CALL(array_split, 0)
                    CALL(split, 0) CALL(hsplit, 0) CALL(vsplit, 0) CALL(dsplit, 0) CALL(append, 0) CALL(delete, 0)
                        CALL(insert, 0) CALL(resize, 0) CALL(repeat, 0) CALL(trim_zeros, 0) CALL(pad, 1) CALL(unique, 0)
                            CALL(unique_all, 0) CALL(unique_counts, 0) CALL(unique_inverse, 0) CALL(unique_values, 0)
                                CALL(diagonal, 0) CALL(trace, 0) CALL(union1d, 0) CALL(intersect1d, 0)
                                    CALL(setdiff1d, 0) CALL(setxor1d, 0) CALL(isin, 0)};

static void results_are_those_of_numpy(void **state)
{
    (void)state;
    numpy_calls_check_with(KN_TEST_DIR "/golden/numpy_manipulation.txt", table, sizeof table / sizeof *table);
}

/* ---- Views. */

static void parts_and_turns_are_views(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_arange(0, 12, 1), m = kn_reshape(x, KN_SHAPE(3, 4));
    kn_array views[] = {kn_rot90(m),
                        kn_fliplr(m),
                        kn_flipud(m),
                        kn_rollaxis(m, 1),
                        kn_atleast_3d(m),
                        kn_list_get(kn_unstack(m), 1),
                        kn_list_get(kn_hsplit(m, 2), 1),
                        kn_trim_zeros(x),
                        kn_reshape(m, KN_SHAPE(4, 3)),
                        kn_diag(m),
                        kn_matrix_transpose(m)};
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        assert_true(kn_shares_memory(m, views[i]));
    kn_set_at(views[0], 100, "0, 0"); /* the last element of the first row */
    expect_values(kn_at(m, "0"), 0, 1, 2, 100);
    assert_false(kn_shares_memory(m, kn_roll(m, 1)));
    assert_false(kn_shares_memory(m, kn_reshape(m, KN_SHAPE(4, 3), .copy = 1)));
    kn_array copied = kn_reshape(kn_transpose(m), KN_SHAPE(12), .copy = 0);
    assert_false(kn_ok(copied));
    expect_error("ValueError", "reshape: Unable to avoid creating a copy while reshaping.");
}

/* ---- Under transformations. */

static kn_array weighted(kn_array y) { return kn_sum(kn_mul(y, kn_arange(1, (double)(kn_size(y) + 1), 1))); }
static kn_array padded(const kn_array *x) { return weighted(kn_pad(*x, 1, .mode = "reflect")); }
KN_FUNCTION(padded, kn_array, kn_array)
static kn_array rolled(const kn_array *x) { return weighted(kn_roll(*x, 1)); }
KN_FUNCTION(rolled, kn_array, kn_array)
static kn_array inserted(const kn_array *x) { return weighted(kn_insert(*x, 1, kn_at(*x, "0"))); }
KN_FUNCTION(inserted, kn_array, kn_array)
static kn_array differing(const kn_array *x) { return weighted(kn_unique(*x)); }
KN_FUNCTION(differing, kn_array, kn_array)
static kn_array turned(const kn_array *x) { return kn_roll(kn_pad(*x, 1, .mode = "edge"), 1); }
KN_FUNCTION(turned, kn_array, kn_array)

static kn_array gradient(kn_fn f, kn_array x)
{
    kn_array g = NULL;
    kn_call(kn_jit(kn_grad(f)), &g, &x);
    return g;
}

static void derivatives_follow_the_elements(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 5, 7, 6), g = NULL;
    expect_values(gradient(KN_FN(padded), x), 2, 9, 4); /* 7 5 7 6 7, weights 1 to 5 */
    expect_values(gradient(KN_FN(rolled), x), 2, 3, 1);
    expect_values(gradient(KN_FN(inserted), x), 3, 3, 4);
    kn_array y = kn_of(double, 3, 1, 3);
    kn_call(kn_grad(KN_FN(differing)), &g, &y); /* 1, 3: the first of the equal ones */
    expect_values(g, 2, 1, 0);
}

static void rows_are_mapped(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_arange(0, 4, 1), KN_SHAPE(2, 2)), y = NULL;
    kn_call(kn_vmap(KN_FN(turned)), &y, &x);
    expect_values(y, 1, 0, 0, 1, 3, 2, 2, 3);
}

static void sizes_that_depend_on_values_cannot_be_traced(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 3, 1, 3), y = NULL;
    kn_call(kn_jit(KN_FN(differing)), &y, &x);
    expect_error_with("ConcretizationError", "is not known while differing is traced by jit");
}

static void shapes_are_broadcast_without_arrays(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_shape s = kn_broadcast_shapes(KN_SHAPE(2, 1), KN_SHAPE(3), KN_SHAPE());
    assert_int_equal(s.ndim, 2);
    assert_int_equal(s.dim[0], 2);
    assert_int_equal(s.dim[1], 3);
    assert_int_equal(kn_broadcast_shapes(KN_SHAPE(2), KN_SHAPE(3)).ndim, -1);
    expect_error("ValueError", "broadcast_shapes: shape mismatch: objects cannot be broadcast to a single shape.  "
                               "Mismatch is between arg 0 with shape (2,) and arg 1 with shape (3,).");
    kn_broadcast_result b = kn_broadcast(KN_LIST(kn_ones(KN_SHAPE(2, 1)), kn_ones(KN_SHAPE(3))));
    assert_int_equal(b.size, 6);
    assert_int_equal(b.numiter, 2);
}

/* Very many places, from the last to the first: i goes before the old element n - 1 - i. */
static void many_insertions_in_any_order(void **state)
{
    (void)state;
    KN_SCOPE;
    enum { N = 200000 };
    kn_array at = kn_arange(N - 1, -1, -1), y = kn_insert(kn_zeros(KN_SHAPE(N), .dtype = KN_I64), at, at);
    kn_array new = kn_at(y, "::2"), old = kn_at(y, "1::2");
    assert_true(kn_array_equal(new, kn_arange(0, N, 1)));
    assert_true(kn_item(kn_any(old)) == 0);
}

KN_TEST_GROUP(test_numpy_manipulation)
{
    const struct CMUnitTest tests[] = {
        TEST(results_are_those_of_numpy),
        TEST(parts_and_turns_are_views),
        TEST(derivatives_follow_the_elements),
        TEST(rows_are_mapped),
        TEST(sizes_that_depend_on_values_cannot_be_traced),
        TEST(shapes_are_broadcast_without_arrays),
        TEST(many_insertions_in_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
