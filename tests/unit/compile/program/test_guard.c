/* SPDX-License-Identifier: Apache-2.0
 * test_guard.c -- loops whose steps may fail: they are kernels all the same, fail as loops with routine calls do, and under vmap
 * only where a lane that is not done fails. */
#include "support/expect.h"
#include "support/group.h"

/* ---- while, with a checked index */
typedef struct {
    kn_array i, best;
} Search;
static kn_array below(const kn_array *x, const Search *s) { return kn_less(s->i, (int)kn_size(*x)); }
static Search look(const kn_array *x, const Search *s)
{
    return (Search){kn_add(s->i, 1), kn_maximum(s->best, kn_at(*x, "%", s->i))};
}
static Search look_beyond(const kn_array *x, const Search *s)
{
    return (Search){kn_add(s->i, 1), kn_maximum(s->best, kn_at(*x, "%", kn_add(s->i, 2)))};
}
static kn_array until_negative(const kn_array *x, const Search *s) { return kn_greater(kn_at(*x, "%", s->i), 0); }
KN_CLOSURE(below, kn_array, kn_array, Search)
KN_CLOSURE(look, Search, kn_array, Search)
KN_CLOSURE(look_beyond, Search, kn_array, Search)
KN_CLOSURE(until_negative, kn_array, kn_array, Search)
static Search begin(void) { return (Search){kn_num(0), kn_num(0.0)}; }
static kn_array largest(const kn_array *x)
{
    Search s = begin(), y;
    kn_while_loop(KN_CLOSE(below, x), KN_CLOSE(look, x), &y, &s);
    return y.best;
}
static kn_array largest_beyond(const kn_array *x)
{
    Search s = begin(), y;
    kn_while_loop(KN_CLOSE(below, x), KN_CLOSE(look_beyond, x), &y, &s);
    return y.best;
}
static kn_array before_negative(const kn_array *x)
{
    Search s = begin(), y;
    kn_while_loop(KN_CLOSE(until_negative, x), KN_CLOSE(look, x), &y, &s);
    return y.best;
}
KN_FUNCTION(largest, kn_array, kn_array)
KN_FUNCTION(largest_beyond, kn_array, kn_array)
KN_FUNCTION(before_negative, kn_array, kn_array)

static void expect_compiled(kn_fn f, const kn_array *x)
{
    const char *text = kn_jaxpr_program(kn_make_jaxpr(f, KN_ARGS(x)));
    assert_non_null(text);
    assert_non_null(strstr(text, "a compiled loop"));
}

static void a_while_with_a_checked_index_is_a_kernel(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 7, 3, 5, 2), y;
    expect_compiled(KN_FN(largest), &x);
    kn_call(kn_jit(KN_FN(largest)), &y, &x);
    expect_values(y, 7);
    kn_call(KN_FN(largest), &y, &x);
    expect_values(y, 7);
}

static void its_error_is_that_of_the_step(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 7, 3, 5, 2), y;
    expect_compiled(KN_FN(largest_beyond), &x);
    kn_call(kn_jit(KN_FN(largest_beyond)), &y, &x);
    kn_eval(y);
    assert_int_equal(kn_error_line(), 18); /* where look_beyond reads */
    expect_error("IndexError", "largest_beyond: index 5 is out of bounds for axis 0 with size 5");
}

static void the_error_of_its_condition_is_found(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 7, -3, 5), positive = kn_of(double, 1, 7, 3), y;
    kn_fn f = kn_jit(KN_FN(before_negative));
    expect_compiled(KN_FN(before_negative), &x);
    kn_call(f, &y, &x);
    expect_values(y, 7);
    kn_call(f, &y, &positive);
    kn_eval(y);
    expect_error("IndexError", "before_negative: index 3 is out of bounds for axis 0 with size 3");
}

/* ---- scan: reads and writes at given places */
typedef struct {
    kn_array carry, y;
} Step;
static Step read_at(const kn_array *x, const kn_array *sum, const kn_array *i)
{
    kn_array v = kn_at(*x, "%", *i);
    return (Step){kn_add(*sum, v), kn_mul(v, 2)};
}
KN_CLOSURE(read_at, Step, kn_array, kn_array, kn_array)
static Step read_all(const kn_array *x, const kn_array *i)
{
    Step y;
    kn_array zero = kn_scalar(0.0);
    kn_scan(KN_CLOSE(read_at, x), &y, &zero, i, .accept = KN_SCAN_COMPILED_LOOP);
    return y;
}
KN_FUNCTION(read_all, Step, kn_array, kn_array)
static Step write_at(const kn_array *table, const kn_array *i)
{
    kn_array t = kn_copy(*table);
    kn_iadd_at(t, 1, "%", *i);
    return (Step){t, kn_at(t, "%", *i)};
}
KN_FUNCTION(write_at, Step, kn_array, kn_array)
static Step write_all(const kn_array *i)
{
    Step y;
    kn_array zero = kn_zeros(KN_SHAPE(3));
    kn_scan(KN_FN(write_at), &y, &zero, i, .accept = KN_SCAN_COMPILED_LOOP);
    return y;
}
KN_FUNCTION(write_all, Step, kn_array)

static void a_scan_reads_at_checked_places(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3);
    Step y;
    kn_fn f = kn_jit(KN_FN(read_all));
    kn_array i[] = {kn_of(int64_t, 2, 0, -1, 1), kn_of(int32_t, 2, 0, -1, 1), kn_of(uint8_t, 2, 0, 2, 1),
                    kn_of(int8_t, 2, 0, -1, 1), kn_of(uint64_t, 2, 0, 2, 1)};
    for (int k = 0; k < 5; k++) {
        kn_call(f, &y, &x, &i[k]);
        expect_values(y.carry, 9);
        expect_values(y.y, 6, 2, 6, 4);
    }
}

static void a_scan_says_which_place_is_none(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3);
    Step y;
    kn_fn f = kn_jit(KN_FN(read_all));
    const struct {
        kn_array i;
        const char *message;
    } cases[] = {
        {kn_of(int64_t, 0, 3, 1), "read_all: index 3 is out of bounds for axis 0 with size 3"},
        {kn_of(int64_t, 0, 1, -4), "read_all: index -4 is out of bounds for axis 0 with size 3"},
        {kn_of(int64_t, INT64_MAX, 0, 0),
         "read_all: index 9223372036854775807 is out of bounds for axis 0 with size 3"},
        {kn_of(uint8_t, 0, 255, 1), "read_all: index 255 is out of bounds for axis 0 with size 3"},
    };
    for (int k = 0; k < 4; k++) {
        kn_call(f, &y, &x, &cases[k].i);
        kn_eval(y.carry);
        expect_error("IndexError", cases[k].message);
    }
    kn_call(f, &y, &x, &(kn_array){kn_of(int64_t, 0, 1, 2)}); /* and goes on working */
    expect_values(y.carry, 6);
}

static void a_scan_writes_at_checked_places(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array i = kn_of(int64_t, 0, 2, 2, -3), out = kn_of(int64_t, 0, 2, 3);
    Step y;
    kn_fn f = kn_jit(KN_FN(write_all));
    kn_call(f, &y, &i);
    expect_values(y.carry, 2, 0, 2);
    expect_values(y.y, 1, 1, 2, 2);
    kn_call(f, &y, &out);
    kn_eval(y.carry);
    expect_error("IndexError", "write_all: index 3 is out of bounds for axis 0 with size 3");
}

static void many_points_have_a_flag_each(void **state)
{
    (void)state;
    KN_SCOPE;
    enum { POINTS = 1000 };
    kn_array x = kn_arange(0, 3, 1, .dtype = KN_F64),
             i = kn_remainder(kn_reshape(kn_arange(0, 4 * POINTS, 1), KN_SHAPE(POINTS, 4)), 3);
    Step y;
    kn_fn f = kn_jit(kn_vmap(KN_FN(read_all), .in_axes = {KN_UNMAPPED, KN_MAPPED(0)}));
    kn_call(f, &y, &x, &i);
    assert_true(kn_item(kn_all(kn_equal(y.carry, kn_sum(i, KN_AXIS(1))))) == 1);
    kn_array one = kn_copy(i);
    kn_set_at(one, 7, "500, 2");
    kn_call(f, &y, &x, &one);
    kn_eval(y.carry);
    expect_error("IndexError", "vmap: index 7 is out of bounds for axis 0 with size 3");
}

/* ---- branches and loops inside */
static kn_array second(const kn_array *x, const kn_array *i) { return kn_at(*x, "%", kn_add(*i, 1)); }
static kn_array zero_of(const kn_array *x, const kn_array *i) { return (void)x, kn_mul(kn_astype(*i, KN_F64), 0); }
KN_FUNCTION(second, kn_array, kn_array, kn_array)
KN_FUNCTION(zero_of, kn_array, kn_array, kn_array)
static Step branch_at(const kn_array *x, const kn_array *sum, const kn_array *i)
{
    kn_array v;
    kn_cond(kn_less(*i, 10), KN_FN(second), KN_FN(zero_of), &v, x, i);
    return (Step){kn_add(*sum, v), v};
}
KN_CLOSURE(branch_at, Step, kn_array, kn_array, kn_array)
static Step branches(const kn_array *x, const kn_array *i)
{
    Step y;
    kn_array zero = kn_scalar(0.0);
    kn_scan(KN_CLOSE(branch_at, x), &y, &zero, i, .accept = KN_SCAN_COMPILED_LOOP);
    return y;
}
KN_FUNCTION(branches, Step, kn_array, kn_array)
static Step row_at(const kn_array *x, const kn_array *sum, const kn_array *row)
{
    Step y;
    kn_scan(KN_CLOSE(read_at, x), &y, sum, row);
    return y;
}
KN_CLOSURE(row_at, Step, kn_array, kn_array, kn_array)
static Step rows(const kn_array *x, const kn_array *i)
{
    Step y;
    kn_array zero = kn_scalar(0.0);
    kn_scan(KN_CLOSE(row_at, x), &y, &zero, i, .accept = KN_SCAN_COMPILED_LOOP);
    return y;
}
KN_FUNCTION(rows, Step, kn_array, kn_array)

static void a_branch_fails_only_if_it_is_taken(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3), i = kn_of(int64_t, 0, 12, 1), out = kn_of(int64_t, 0, 2, 12);
    Step y;
    kn_fn f = kn_jit(KN_FN(branches));
    kn_call(f, &y, &x, &i);
    expect_values(y.y, 2, 0, 3);
    kn_call(f, &y, &x, &out);
    kn_eval(y.carry);
    expect_error("IndexError", "branches: index 3 is out of bounds for axis 0 with size 3");
}

static void a_loop_in_a_loop_fails_for_both(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3), i = kn_reshape(kn_of(int64_t, 0, 1, 2, 2, 1, 0), KN_SHAPE(2, 3)),
             out = kn_copy(i);
    kn_set_at(out, 5, "1, 2");
    Step y;
    kn_fn f = kn_jit(KN_FN(rows));
    kn_call(f, &y, &x, &i);
    expect_values(y.carry, 12);
    kn_call(f, &y, &x, &out);
    kn_eval(y.carry);
    expect_error("IndexError", "rows: index 5 is out of bounds for axis 0 with size 3");
}

/* ---- lanes */
typedef struct {
    kn_array i, best, n, step;
} Lane;
static kn_array goes_on(const kn_array *x, const Lane *s) { return (void)x, kn_less(s->i, s->n); }
static Lane stride(const kn_array *x, const Lane *s)
{
    return (Lane){kn_add(s->i, 1), kn_maximum(s->best, kn_at(*x, "%", kn_mul(s->i, s->step))), s->n, s->step};
}
KN_CLOSURE(goes_on, kn_array, kn_array, Lane)
KN_CLOSURE(stride, Lane, kn_array, Lane)
static kn_array lane(const kn_array *x, const kn_array *n, const kn_array *step)
{
    Lane s = {kn_num(0), kn_num(-1.0), *n, *step}, y;
    kn_while_loop(KN_CLOSE(goes_on, x), KN_CLOSE(stride, x), &y, &s);
    return y.best;
}
KN_FUNCTION(lane, kn_array, kn_array, kn_array, kn_array)

static void a_lane_that_is_done_does_not_fail(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_arange(0, 20, 1, .dtype = KN_F64), KN_SHAPE(4, 5)), y;
    kn_array n = kn_of(int64_t, 5, 5, 50, 3), step = kn_of(int64_t, 1, 1, 0, 2);
    kn_fn all = kn_vmap(KN_FN(lane)), ways[] = {all, kn_jit(all)};
    for (int k = 0; k < 2; k++) {
        kn_call(ways[k], &y, &x, &n, &step);
        expect_values(y, 4, 9, 10, 19);
    }
    kn_array more = kn_of(int64_t, 5, 6, 50, 3);
    for (int k = 0; k < 2; k++) {
        kn_call(ways[k], &y, &x, &more, &step);
        kn_eval(y);
        expect_error("IndexError", "vmap: index 5 is out of bounds for axis 0 with size 5");
    }
}

static void many_lanes_fail_alike(void **state)
{
    (void)state;
    KN_SCOPE;
    enum { LANES = 300 };
    kn_array x = kn_reshape(kn_arange(0, 3 * LANES, 1, .dtype = KN_F64), KN_SHAPE(LANES, 3)), y;
    kn_array n = kn_add(kn_remainder(kn_arange(0, LANES, 1), 3), 1), step = kn_ones(KN_SHAPE(LANES), .dtype = KN_I64);
    kn_fn f = kn_jit(kn_vmap(KN_FN(lane)));
    kn_call(f, &y, &x, &n, &step);
    kn_array want = kn_sub(kn_add(kn_mul(kn_arange(0, LANES, 1), 3), n), 1);
    assert_true(kn_item(kn_all(kn_equal(y, want))) == 1);
    kn_set_at(n, 4, "250");
    kn_call(f, &y, &x, &n, &step);
    kn_eval(y);
    expect_error("IndexError", "vmap: index 3 is out of bounds for axis 0 with size 3");
}

static kn_array large(const kn_array *x) { return kn_greater(*x, 1); }
static kn_array halved(const kn_array *x) { return kn_mul(*x, 0.5); }
KN_FUNCTION(large, kn_array, kn_array)
KN_FUNCTION(halved, kn_array, kn_array)
static kn_array halve(const kn_array *x)
{
    kn_array y;
    kn_while_loop(KN_FN(large), KN_FN(halved), &y, x);
    return y;
}
KN_FUNCTION(halve, kn_array, kn_array)

static kn_array transposed_flat(const kn_array *x)
{
    kn_array y, t = kn_transpose(*x), flat = kn_reshape(t, KN_SHAPE(-1));
    kn_call(kn_vmap(KN_FN(halve)), &y, &flat);
    return kn_reshape(y, KN_SHAPE(40, 30));
}
KN_FUNCTION(transposed_flat, kn_array, kn_array)

static void lanes_of_lanes_of_lanes_are_one_kernel(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_add(kn_reshape(kn_arange(0, 24000, 1, .dtype = KN_F64), KN_SHAPE(20, 30, 40)), 2), y, z;
    kn_fn nested = kn_vmap(kn_vmap(kn_vmap(KN_FN(halve)))), flat = kn_vmap(KN_FN(halve));
    expect_compiled(nested, &x);
    kn_call(kn_jit(nested), &y, &x);
    kn_call(kn_jit(flat), &z, &(kn_array){kn_reshape(x, KN_SHAPE(-1))});
    assert_true(kn_item(kn_all(kn_equal(kn_reshape(y, KN_SHAPE(-1)), z))) == 1);
    assert_true(kn_item(kn_max(y)) <= 1 && kn_item(kn_min(y)) > 0.5);
    kn_array slab = kn_at(x, "0");
    kn_call(kn_jit(kn_vmap(kn_vmap(KN_FN(halve)), .in_axes = {KN_MAPPED(1)})), &y, &slab);
    kn_call(KN_FN(transposed_flat), &z, &slab);
    assert_true(kn_item(kn_all(kn_equal(y, z))) == 1);
}

/* ---- effects */
static kn_array prints_and_asks(const kn_array *x)
{
    kn_debug_print("cond {}", *x);
    return kn_less(*x, 2);
}
static kn_array prints_and_adds(const kn_array *x)
{
    kn_debug_print("body {}", *x);
    return kn_add(*x, 1);
}
KN_FUNCTION(prints_and_asks, kn_array, kn_array)
KN_FUNCTION(prints_and_adds, kn_array, kn_array)
static kn_array counts(const kn_array *x)
{
    kn_array y;
    kn_while_loop(KN_FN(prints_and_asks), KN_FN(prints_and_adds), &y, x);
    return y;
}
KN_FUNCTION(counts, kn_array, kn_array)
static char printed[512];
static void collect(void *env, const char *text)
{
    (void)env;
    strncat(printed, text, sizeof printed - strlen(printed) - 1);
}

static void lanes_have_the_effects_of_their_own_steps(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(int64_t, 1, 5, 0), y;
    kn_set_print(collect, NULL);
    for (int jit = 0; jit < 2; jit++) {
        printed[0] = 0;
        kn_call(jit ? kn_jit(kn_vmap(KN_FN(counts))) : kn_vmap(KN_FN(counts)), &y, &x);
        expect_values(y, 2, 5, 2);
        assert_string_equal(printed, "cond 1\nbody 1\ncond 2\ncond 5\ncond 0\nbody 0\ncond 1\nbody 1\ncond 2\n");
    }
    kn_set_print(NULL, NULL);
}

KN_TEST_GROUP(test_guard)
{
    const struct CMUnitTest tests[] = {
        TEST(a_while_with_a_checked_index_is_a_kernel),
        TEST(its_error_is_that_of_the_step),
        TEST(the_error_of_its_condition_is_found),
        TEST(a_scan_reads_at_checked_places),
        TEST(a_scan_says_which_place_is_none),
        TEST(a_scan_writes_at_checked_places),
        TEST(many_points_have_a_flag_each),
        TEST(a_branch_fails_only_if_it_is_taken),
        TEST(a_loop_in_a_loop_fails_for_both),
        TEST(a_lane_that_is_done_does_not_fail),
        TEST(many_lanes_fail_alike),
        TEST(lanes_of_lanes_of_lanes_are_one_kernel),
        TEST(lanes_have_the_effects_of_their_own_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
