/* SPDX-License-Identifier: Apache-2.0
 * test_eager_errors.c -- what tangents, tapes and batch axes refuse: the kind, the whole message and the user's line. */
#include "support/group.h"
#include "unit/eager/same.h"
#include <stdio.h>

#define HERE "test_eager_errors.c"
/* The call has this error, and tells of its own line. */
#define refuses(kind, message, ...) (__VA_ARGS__, is_error(__LINE__, kind, message))
static void is_error(int line, const char *kind, const char *message)
{
    if (!kn_error_file() || !strstr(kn_error_file(), HERE) || kn_error_line() != line)
        fail_msg("%s at %s:%d, not in line %d", kn_error_message(), kn_error_file(), kn_error_line(), line);
    expect_error_(kind, message, HERE, line);
}

typedef struct {
    kn_array a, b;
} Pair;

static void tangents(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3), i = kn_of(int, 1, 2, 3), f = kn_of(float, 1, 2, 3);
    refuses("TypeError", "with_tangent: int32[3] has no tangent: only arrays of floats and of complex numbers have",
            kn_with_tangent(i, i));
    refuses("TypeError", "tangent_of: int32[3] has no tangent: only arrays of floats and of complex numbers have",
            kn_tangent_of(i));
    refuses("TypeError", "with_tangent: the tangent is float32[3], but the array is float64[3]", kn_with_tangent(x, f));
    refuses("TypeError", "with_tangent: the tangent is int32[3], but the array is float64[3]", kn_with_tangent(x, i));
    refuses("ValueError", "with_tangent: the tangent is float64[2], but the array is float64[3]",
            kn_with_tangent(x, kn_of(double, 1, 2)));
    refuses("ValueError", "with_tangent: the tangent is float64[2,2,3], but the array is float64[3]",
            kn_with_tangent(x, kn_ones(KN_SHAPE(2, 2, 3))));
    kn_array two = kn_with_tangent(x, kn_ones(KN_SHAPE(2, 3))), three = kn_with_tangent(x, kn_ones(KN_SHAPE(3, 3)));
    refuses("ValueError", "add: tangents along different numbers of directions: 2 and 3", kn_add(two, three));
    refuses("ValueError", "add: tangents along different numbers of directions: 2 and 1",
            kn_add(two, kn_with_tangent(x, x)));
    refuses("TypeError", "with_tangent: null array", kn_with_tangent((kn_array)NULL, x));
    refuses("TypeError", "with_tangent: null array", kn_with_tangent(x, (kn_array)NULL));
    refuses("TypeError", "tangent_of: null array", kn_tangent_of((kn_array)NULL));
    refuses("TypeError", "primal_of: null array", kn_primal_of((kn_array)NULL));
    Pair p = {x, x};
    kn_array q[3] = {x, x, x};
    kn_tree_with_tangents(KN_TREE(&p), KN_TREE(&q));
    expect_error_with("ValueError", "different lengths of tuple");
    assert_false(kn_has_tangent(NULL));
    expect_error("TypeError", "has_tangent: null array");
}

static void watching(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3), i = kn_of(int, 1, 2);
    refuses("TypeError", "watch: int32[2] has no gradient: only arrays of floats and of complex numbers have",
            kn_watch(i));
    refuses("ValueError", "watch: a view cannot be watched, but what it is a view of, or its copy",
            kn_watch(kn_at(x, "1:")));
    refuses("ValueError", "grad_of: the array is not watched", kn_grad_of(x));
    refuses("ValueError", "clear_grad: the array is not watched", kn_clear_grad(x));
    refuses("TypeError", "grad_of: int32[2] has no gradient: only arrays of floats and of complex numbers have",
            kn_grad_of(i));
    refuses("TypeError", "watch: null array", kn_watch((kn_array)NULL));
    refuses("TypeError", "detach: null array", kn_detach((kn_array)NULL));
    refuses("TypeError", "watch_tree: null tree", kn_watch_tree((kn_tree)NULL));
    assert_false(kn_has_grad(x));
    expect_error("ValueError", "has_grad: the array is not watched");
    assert_false(kn_is_watched(NULL));
    expect_error("TypeError", "is_watched: null array");
}

static void a_watched_array_that_is_filled_tells_where_it_was_watched(void **state)
{
    (void)state;
    KN_SCOPE;
    char text[512];
    kn_array w = kn_of(double, 1, 2);
    int watched = __LINE__ + 1;
    kn_watch(w);
    kn_fill(w, 3);
    snprintf(text, sizeof text,
             "grad_of: the array is not watched any more: it was at %s:%d, and written to all over since, or that tape "
             "has ended",
             __FILE__, watched);
    refuses("ValueError", text, kn_grad_of(w));
}

static void a_watched_array_is_taken_to_the_host(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_watch(kn_of(double, 1, 2)), h = kn_device_get(kn_square(w));
    assert_false(kn_is_watched(h));
    assert_float_equal(kn_item(kn_sum(h)), 5, 0);
}

static kn_array outer_array;
static kn_array watches_from_outside(const kn_array *x)
{
    kn_watch(outer_array);
    return kn_add(*x, outer_array);
}
KN_FUNCTION(watches_from_outside, kn_array, kn_array)

static void arrays_from_outside_are_not_watched_inside(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1), y;
    outer_array = kn_of(double, 2);
    kn_call(kn_jit(KN_FN(watches_from_outside)), &y, &x);
    expect_error("MutationError", "watch: an array from outside cannot be watched under jit, but its copy");
}

static void going_backward(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3), w = kn_watch(kn_copy(x)), y = kn_square(w), i = kn_of(int, 1, 2, 3);
    refuses("ValueError", "backward: backward from an array that depends on no watched one", kn_backward(x));
    refuses("TypeError", "backward: int32[3] has no gradient: only arrays of floats and of complex numbers have",
            kn_backward(i));
    refuses("TypeError", "backward: null array", kn_backward((kn_array)NULL));
    refuses("ValueError", "backward: backward from float64[3] needs a .seed: only of one element it is 1",
            kn_backward(y));
    refuses("ValueError", "backward: the seed is float64[2], but the array is float64[3]",
            kn_backward(y, .seed = kn_of(double, 1, 2)));
    refuses("TypeError", "backward: the seed is float32[3], but the array is float64[3]",
            kn_backward(y, .seed = kn_of(float, 1, 2, 3)));
    refuses("TypeError", "backward: the seed is int32[3], but the array is float64[3]", kn_backward(y, .seed = i));
    assert_int_equal(kn_backward(y, .seed = x), 0); /* nothing was let go by those */
    assert_int_equal(kn_backward(x), -1);
    kn_error_clear();
}

static void what_was_let_go_and_what_was_changed(void **state)
{
    (void)state;
    KN_SCOPE;
    char text[512];
    kn_array w = kn_watch(kn_of(double, 1, 2, 3));
    int made = __LINE__ + 1;
    kn_array y = kn_square(w);
    int gone = __LINE__ + 1;
    kn_backward(kn_sum(y));
    snprintf(text, sizeof text,
             "backward: backward goes through 'square' at %s:%d for the second time: what it needs was let go by "
             "backward at "
             "%s:%d; .keep = true keeps it",
             __FILE__, made, __FILE__, gone);
    refuses("RuntimeError", text, kn_backward(kn_sum(y)));
    snprintf(text, sizeof text,
             "grad_of: the array made by 'square' at %s:%d is not watched itself: kn_watch it before backward",
             __FILE__, made);
    refuses("ValueError", text, kn_grad_of(y));
    int watched = __LINE__ + 1;
    kn_array v = kn_watch(kn_of(double, 1, 2, 3));
    int changed = __LINE__ + 1;
    kn_set_at(v, 3.0, "0");
    snprintf(text, sizeof text,
             "clear_grad: the array, watched at %s:%d, was changed by 'set_at' at %s:%d: the gradient is that of what "
             "it was "
             "before; watch it again, or change it where KN_NO_TAPE is",
             __FILE__, watched, __FILE__, changed);
    refuses("ValueError", text, kn_clear_grad(v));
    kn_grad_of(v);
    expect_error_with("ValueError", "was changed by 'set_at'");
}

static void batch_axes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3), b = kn_batch_in(kn_ones(KN_SHAPE(4, 3)), 0);
    double room[12];
    refuses("AxisError", "batch_in: axis 1 is out of bounds for array of dimension 1", kn_batch_in(x, 1));
    refuses("AxisError", "batch_in: axis -2 is out of bounds for array of dimension 1", kn_batch_in(x, -2));
    refuses("AxisError", "batch_in: axis 0 is out of bounds for array of dimension 0", kn_batch_in(kn_scalar(1.0), 0));
    refuses("AxisError", "batch_out: batch axis 0 is out of bounds for an array with 0 batch axes", kn_batch_out(x, 0));
    refuses("AxisError", "batch_out: batch axis 1 is out of bounds for an array with 1 batch axes",
            kn_batch_out(b, 0, .batch_axis = 1));
    refuses("AxisError", "batch_out: axis 2 is out of bounds for array of dimension 2", kn_batch_out(b, 2));
    refuses("ValueError", "incr_batch_dims: the array has no axis that could be a batch axis",
            kn_incr_batch_dims(kn_scalar(1.0)));
    refuses("ValueError", "decr_batch_dims: the array has no batch axis", kn_decr_batch_dims(x));
    refuses("ValueError", "add: batch axes of different sizes: 4 and 5",
            kn_add(b, kn_batch_in(kn_ones(KN_SHAPE(5, 3)), 0)));
    refuses("ValueError", "item: an array with batch axes cannot be looked at: kn_batch_out makes them axes",
            kn_item(b, 0));
    refuses("ValueError", "copy_to: an array with batch axes cannot be looked at: kn_batch_out makes them axes",
            kn_copy_to(b, room, sizeof room));
    refuses("ValueError", "array_repr: an array with batch axes cannot be looked at: kn_batch_out makes them axes",
            kn_array_repr(b));
    assert_int_equal(kn_batch_dims_of(NULL), -1);
    expect_error("TypeError", "batch_dims_of: null array");
    assert_int_equal(kn_physical_shape(NULL).ndim, -1);
    expect_error("TypeError", "physical_shape: null array");
}

static void batch_axes_of_sizes_that_differ_are_refused_everywhere(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_batch_in(kn_ones(KN_SHAPE(4, 3)), 0), b = kn_batch_in(kn_ones(KN_SHAPE(5, 3)), 0);
    kn_matmul(a, b);
    expect_error_with("ValueError", "batch axes of different sizes");
    kn_concatenate(KN_LIST(a, b));
    expect_error_with("ValueError", "batch axes of different sizes");
    kn_where(kn_greater(a, 0), b, 1);
    expect_error_with("ValueError", "batch axes of different sizes");
    kn_iadd(a, b);
    expect_error_with("ValueError", "batch axes of different sizes");
    kn_with_tangent(a, b);
    expect_error_with("ValueError", "batch axes of different sizes");
    expect_values(kn_batch_out(kn_sum(a), 0), 3, 3, 3, 3); /* it is as it was */
}

static void what_waits(void **state)
{
    (void)state;
    KN_SCOPE;
    refuses("TypeError", "pending_jaxpr: null array", kn_pending_jaxpr((kn_array)NULL));
    refuses("TypeError", "parents_of: null array", kn_parents_of((kn_array)NULL));
    refuses("TypeError", "siblings_of: null array", kn_siblings_of((kn_array)NULL));
    kn_operation_of(NULL);
    expect_error("TypeError", "operation_of: null array");
    assert_int_equal(kn_pending_step(NULL), -1);
    expect_error("TypeError", "pending_step: null array");
    assert_int_equal(kn_pending_memory_of(NULL).operations, 0);
    expect_error("TypeError", "pending_memory_of: null array");
}

static void errors_of_operands_go_through(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array bad = kn_add(kn_of(double, 1, 2), kn_of(double, 1, 2, 3));
    char *first = strdup(kn_error_message());
    kn_watch(bad);
    kn_with_tangent(bad, bad);
    kn_batch_in(bad, 0);
    kn_backward(bad);
    assert_string_equal(kn_error_message(), first); /* the first one is told */
    free(first);
    kn_error_clear();
}

static void expect_too_much(kn_array x)
{
    kn_array y = kn_exp(kn_broadcast_to(x, KN_SHAPE((int64_t)1 << 25, (int64_t)1 << 25)));
    assert_non_null(strstr(kn_error_of(y), "Unable to allocate"));
    assert_false(kn_ok(y));
    expect_error_with("MemoryError", "Unable to allocate");
}

static void errors_of_runs_are_those_of_the_array(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(2, 1));
    expect_too_much(kn_at(x, "0"));
    expect_too_much(kn_at(kn_watch(kn_copy(x)), "0"));
    expect_too_much(kn_with_tangent(kn_at(x, "0"), kn_at(x, "1")));
    expect_too_much(kn_batch_in(x, 0));
}

/* ---- Memory that others see. */

static void expect_no_room_for(kn_array y)
{
    kn_array x = kn_copy(kn_of(double, 1, 2));
    double *seen = kn_data_mut(x, double), own[] = {3, 4};
    kn_array wrapped = kn_wrap(own, KN_SHAPE(2), KN_F64);
    assert_int_equal(kn_iadd(x, y), -1);
    expect_error_with("ValueError", "memory that was given away cannot hold what is on a tape");
    assert_int_equal(kn_set_at(wrapped, kn_at(y, "0"), "1"), -1);
    expect_error_with("ValueError", "memory that was given away cannot hold what is on a tape");
    assert_true(seen[0] == 1 && seen[1] == 2 && own[0] == 3 && own[1] == 4);
    expect_values(x, 1, 2);
}

static void memory_that_others_see_holds_numbers_alone(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array one = kn_ones(KN_SHAPE(2)), w = kn_watch(kn_copy(one));
    expect_no_room_for(w);
    expect_no_room_for(kn_with_tangent(one, one));
    expect_no_room_for(kn_batch_in(kn_ones(KN_SHAPE(3, 2)), 0));
    double own[] = {3, 4};
    kn_array wrapped = kn_wrap(own, KN_SHAPE(2), KN_F64);
    KN_NO_TAPE;
    kn_iadd(wrapped, w);
    expect_values(wrapped, 4, 5);
    kn_copyto(wrapped, kn_detach(w));
    expect_values(wrapped, 1, 1);
}

/* ---- The error state. */

static void expect_division(kn_array x)
{
    kn_array y = kn_divide(x, kn_zeros(KN_SHAPE(2)));
    assert_false(kn_ok(y));
    expect_error("FloatingPointError", "divide: divide by zero encountered in divide");
}

static void events_are_told_of(void **state)
{
    (void)state;
    KN_SCOPE;
    KN_ERRSTATE(.divide = "raise");
    kn_array x = kn_copy(kn_of(double, 1, 2));
    expect_division(x);
    expect_division(kn_with_tangent(x, x));
    expect_division(kn_batch_in(kn_stack(KN_LIST(x, x)), 0));
    expect_division(kn_watch(x));
}

static void events_of_derivatives_are_told_of(void **state)
{
    (void)state;
    KN_SCOPE;
    KN_ERRSTATE(.divide = "raise");
    kn_array zero = kn_zeros(KN_SHAPE(2)), one = kn_ones(KN_SHAPE(2)), w = kn_watch(kn_copy(zero)),
             y = kn_sum(kn_sqrt(w));
    assert_false(kn_error_pending());
    assert_int_equal(kn_backward(y), -1);
    expect_error_with("FloatingPointError", "divide by zero encountered");
    kn_array t = kn_sqrt(kn_with_tangent(zero, one));
    assert_false(kn_ok(t) && kn_ok(kn_tangent_of(t)));
    expect_error("FloatingPointError", "sqrt: divide by zero encountered in sqrt");
}

KN_TEST_GROUP(test_eager_errors)
{
    const struct CMUnitTest tests[] = {
        TEST(tangents),
        TEST(watching),
        TEST(a_watched_array_that_is_filled_tells_where_it_was_watched),
        TEST(a_watched_array_is_taken_to_the_host),
        TEST(arrays_from_outside_are_not_watched_inside),
        TEST(going_backward),
        TEST(what_was_let_go_and_what_was_changed),
        TEST(batch_axes),
        TEST(batch_axes_of_sizes_that_differ_are_refused_everywhere),
        TEST(what_waits),
        TEST(errors_of_operands_go_through),
        TEST(errors_of_runs_are_those_of_the_array),
        TEST(memory_that_others_see_holds_numbers_alone),
        TEST(events_are_told_of),
        TEST(events_of_derivatives_are_told_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
