/* SPDX-License-Identifier: Apache-2.0
 * test_control_errors.c -- what loops and branches refuse: the whole message, the user's line, and that outputs carry it;
 * memory that runs out. */
#include "base/memory.h"
#include "support/expect.h"
#include "support/group.h"

typedef struct {
    kn_array sum, previous;
} Carry;
KN_FIELDS(Carry, sum, previous)
typedef struct {
    Carry carry;
    kn_array y;
} Step;
static Step running(const Carry *c, const kn_array *x)
{
    kn_array sum = kn_add(c->sum, *x);
    return (Step){{sum, *x}, kn_add(kn_mul(sum, 10), c->previous)};
}
static Step widens(const Carry *c, const kn_array *x) { return (Step){{c->sum, kn_add(*x, kn_of(double, 1, 2))}, *x}; }
static Step rounds(const Carry *c, const kn_array *x) { return (Step){{kn_astype(c->sum, KN_I32), c->previous}, *x}; }
KN_FUNCTION(running, Step, Carry, kn_array)
KN_FUNCTION(widens, Step, Carry, kn_array)
KN_FUNCTION(rounds, Step, Carry, kn_array)

typedef struct {
    kn_array a, b;
} Pair;
static kn_array one_out(const Pair *p) { return p->a; }
static Pair swap(const Pair *p) { return (Pair){p->b, p->a}; }
static Pair grow(const Pair *p) { return (Pair){p->a, kn_of(double, 1, 2)}; }
KN_FUNCTION(one_out, kn_array, Pair)
KN_FUNCTION(swap, Pair, Pair)
KN_FUNCTION(grow, Pair, Pair)
static kn_array add(const kn_array *x, const kn_array *y) { return kn_add(*x, *y); }
static kn_array halve(const kn_array *x) { return kn_mul(*x, 0.5); }
static kn_array first(const kn_array *x) { return kn_at(*x, "0"); }
static kn_array whole(const kn_array *x) { return kn_astype(*x, KN_I64); }
static Pair two(const kn_array *x) { return (Pair){*x, *x}; }
static Carry carry(const kn_array *x) { return (Carry){*x, *x}; }
static Carry short_carry(const kn_array *x) { return (Carry){*x, kn_at(*x, "0")}; }
KN_FUNCTION(add, kn_array, kn_array, kn_array)
KN_FUNCTION(halve, kn_array, kn_array)
KN_FUNCTION(first, kn_array, kn_array)
KN_FUNCTION(whole, kn_array, kn_array)
KN_FUNCTION(two, Pair, kn_array)
KN_FUNCTION(carry, Carry, kn_array)
KN_FUNCTION(short_carry, Carry, kn_array)

#define START                                                 \
    Carry start = {kn_scalar(0.0), kn_scalar(-1.0)};          \
    kn_array xs = kn_of(double, 1, 2, 3), x = kn_scalar(1.0); \
    Step out;                                                 \
    (void)start, (void)xs, (void)x, (void)out

/* ---- scan. */

static void a_carry_that_changes_its_shape_is_named(void **state)
{
    (void)state;
    KN_SCOPE;
    START;
    int line = __LINE__ + 1;
    assert_int_equal(kn_scan(KN_FN(widens), &out, &start, &xs), -1);
    assert_int_equal(kn_error_line(), line);
    assert_non_null(strstr(kn_error_file(), "test_control_errors.c"));
    expect_error("TypeError",
                 "scan: body function carry input and carry output must have equal types, but they differ: the input "
                 "carry component carry.previous has type float64[] but the corresponding output carry component has "
                 "type float64[2], so the shapes do not match");
}

static void a_carry_that_changes_its_dtype_is_named(void **state)
{
    (void)state;
    KN_SCOPE;
    START;
    kn_scan(KN_FN(rounds), &out, &start, &xs);
    expect_error("TypeError",
                 "scan: body function carry input and carry output must have equal types, but they differ: the input "
                 "carry component carry.sum has type float64[] but the corresponding output carry component has type "
                 "int32[], so the dtypes do not match");
}

static void a_truth_value_waits_for_nothing(void **state)
{
    (void)state;
    KN_SCOPE;
    START;
    kn_array no = KN_FALSE, y;
    kn_fori_loop(0, 3, KN_FN(add), &y, &no);
    expect_error_with("TypeError", "the input carry component carry has type bool[] but the corresponding output carry "
                                   "component has type int64[]");
}

static void outputs_carry_the_error(void **state)
{
    (void)state;
    KN_SCOPE;
    START;
    kn_scan(KN_FN(rounds), &out, &start, &xs);
    assert_non_null(strstr(kn_error_of(out.y), "carry.sum has type"));
    assert_non_null(strstr(kn_error_of(out.carry.previous), "carry.sum has type"));
    kn_error_clear();
}

static void arrays_of_a_struct_without_names_are_counted(void **state)
{
    (void)state;
    KN_SCOPE;
    Pair p = {kn_scalar(1.0), kn_scalar(2.0)}, out;
    kn_scan(KN_FN(grow), &out, &p, KN_NOTHING, .length = 2);
    expect_error_with("TypeError", "the input carry component carry[1] has type float64[] but");
}

static void a_leaf_of_a_tree_has_its_path(void **state)
{
    (void)state;
    KN_SCOPE;
    Pair out;
    kn_tree t = kn_tree_dict("left", kn_scalar(1.0), "right", kn_scalar(2.0));
    kn_scan(KN_FN(grow), &out, t, KN_NOTHING, .length = 2);
    expect_error_with("TypeError", "the input carry component carry['right'] has type float64[] but");
}

static kn_array grows(const kn_array *c, const kn_array *x) { return kn_add(kn_expand_dims(*c, KN_AXIS(0)), *x); }
KN_FUNCTION(grows, kn_array, kn_array, kn_array)

static void a_carry_of_one_array_is_the_carry(void **state)
{
    (void)state;
    KN_SCOPE;
    START;
    kn_array y;
    kn_scan(KN_FN(grows), &y, &x, &xs);
    expect_error_with("TypeError", "the input carry component carry has type float64[] but the corresponding output "
                                   "carry component has type float64[1], so the shapes do not match");
}

static void inputs_must_have_one_length(void **state)
{
    (void)state;
    KN_SCOPE;
    START;
    kn_array four = kn_of(double, 1, 2, 3, 4), y, c;
    Pair both = {xs, four}, scalar = {xs, x};
    kn_scan(KN_FN(one_out), &y, KN_NOTHING, &both);
    expect_error("ValueError", "scan: got values with different leading axis sizes: 3, 4.");
    kn_scan(KN_FN(add), &c, &x, &x);
    expect_error("ValueError", "scan: got value with no leading axis to scan over: xs is float64[]");
    kn_scan(KN_FN(one_out), &y, KN_NOTHING, &scalar);
    expect_error("ValueError", "scan: got value with no leading axis to scan over: xs[1] is float64[]");
}

static void a_length_must_be_that_of_the_inputs(void **state)
{
    (void)state;
    KN_SCOPE;
    START;
    kn_scan(KN_FN(running), &out, &start, &xs, .length = 5);
    expect_error("ValueError", "scan: got `length` argument of 5 which disagrees with leading axis sizes [3].");
    Pair p = {x, x}, q;
    kn_scan(KN_FN(swap), &q, &p, KN_NOTHING);
    expect_error("ValueError", "scan: got no values to scan over and `length` not provided.");
    kn_scan(KN_FN(swap), &q, &p, KN_NOTHING, .length = -2);
    expect_error("ValueError", "scan: `length` must not be negative, but is -2");
}

static void options_of_a_scan_are_checked(void **state)
{
    (void)state;
    KN_SCOPE;
    START;
    kn_scan(KN_FN(running), &out, &start, &xs, .unroll = -1);
    expect_error("ValueError", "scan: `unroll` must be a non-negative integer, but is -1");
    kn_scan(KN_FN(running), &out, &start, &xs, .accept = 9);
    expect_error("ValueError", "scan: accept must be made of KN_SCAN_COMPILED_LOOP, KN_SCAN_ROUTINE_CALLS and "
                               "KN_SCAN_STEPWISE, but is 9");
    kn_scan(KN_FN(running), &out, &start, &xs, .checkpoint = -2);
    expect_error("ValueError", "scan: checkpoint must be a number of steps, 0 or KN_CHECKPOINT_SQRT, but is -2");
}

static Step sorts(const Carry *c, const kn_array *x) { return (Step){*c, kn_sort(*x)}; }
KN_FUNCTION(sorts, Step, Carry, kn_array)

static void a_path_that_is_not_accepted_is_an_error_at_once(void **state)
{
    (void)state;
    KN_SCOPE;
    START;
    kn_array rows = kn_reshape(kn_of(double, 2, 1, 4, 3), KN_SHAPE(2, 2));
    int line = __LINE__ + 1;
    assert_int_equal(kn_scan(KN_FN(sorts), &out, &start, &rows, .accept = KN_SCAN_COMPILED_LOOP), -1);
    assert_int_equal(kn_error_line(), line);
    expect_error("ValueError",
                 "scan: scan would run as a loop with routine calls, which .accept does not allow: the body has sort");
    assert_int_equal(kn_scan(KN_FN(sorts), &out, &start, &rows, .accept = KN_SCAN_ROUTINE_CALLS), 0);
    expect_values(out.y, 1, 2, 3, 4);
}

static void arguments_and_results_of_a_scan_are_counted(void **state)
{
    (void)state;
    KN_SCOPE;
    START;
    Carry few;
    kn_scan(KN_FN(running), &few, &start, &xs);
    expect_error("TypeError", "scan: returns 3 arrays, but there is room for 2");
    kn_scan(KN_FN(running), &out, &start, KN_NOTHING, .length = 3);
    expect_error("TypeError",
                 "scan: running must take the carry, then elements: 1 and 0 arguments, but it takes 2 arguments");
    kn_scan(KN_FN(running), &out, &x, &xs);
    expect_error("TypeError", "scan: argument 0 has 2 arrays, but was given 1");
    Pair p = {x, x};
    kn_scan(KN_FN(one_out), &x, &p, KN_NOTHING, .length = 3);
    expect_error("TypeError", "scan: body function must return the carry, then outputs, but one_out takes a carry of 2 "
                              "arrays and returns 1");
}

static void null_pointers_are_refused(void **state)
{
    (void)state;
    KN_SCOPE;
    START;
    assert_int_equal((kn_scan)(NULL, KN_OUT(&out), KN_ARGS(&start), KN_ARGS(&xs), NULL), -1);
    expect_error("TypeError", "scan: null function");
    assert_int_equal((kn_scan)(KN_FN(running), NULL, KN_ARGS(&start), KN_ARGS(&xs), NULL), -1);
    expect_error("TypeError", "scan: the result is null");
    assert_int_equal((kn_scan)(KN_FN(running), KN_OUT(&out), NULL, KN_ARGS(&xs), NULL), -1);
    expect_error("TypeError", "scan: the arguments are null");
    assert_int_equal((kn_scan)(KN_FN(running), KN_OUT(&out), KN_ARGS(&start), NULL, NULL), -1);
    expect_error("TypeError", "scan: the arguments are null");
    assert_int_equal((kn_fori_loop)(x, x, NULL, KN_OUT(&x), KN_ARGS(&x), NULL), -1);
    expect_error("TypeError", "fori_loop: null function");
    x = kn_scalar(1.0);
    assert_int_equal((kn_fori_loop)(NULL, x, KN_FN(add), KN_OUT(&x), KN_ARGS(&xs), NULL), -1);
    expect_error("TypeError", "fori_loop: argument 0 is null");
    x = kn_scalar(1.0);
    assert_int_equal((kn_cond)(x, KN_FN(halve), NULL, KN_OUT(&x), KN_ARGS(&xs)), -1);
    expect_error("TypeError", "cond: null function");
    assert_int_equal((kn_cond)(NULL, KN_FN(halve), KN_FN(halve), KN_OUT(&x), KN_ARGS(&xs)), -1);
    expect_error("TypeError", "cond: null array");
    assert_int_equal((kn_cond)(xs, KN_FN(halve), KN_FN(halve), KN_OUT(&x), NULL), -1);
    expect_error_with("TypeError", "cond: ");
    assert_int_equal((kn_switch)(xs, NULL, 2, KN_OUT(&x), KN_ARGS(&xs)), -1);
    expect_error("TypeError", "switch: the branches are null");
    assert_int_equal((kn_lax_map)(NULL, KN_OUT(&x), KN_ARGS(&xs), NULL), -1);
    expect_error("TypeError", "map: null function");
    assert_int_equal((kn_while_loop)(NULL, KN_FN(halve), KN_OUT(&x), KN_ARGS(&xs), NULL), -1);
    expect_error("TypeError", "while_loop: null function");
}

static void errors_of_operands_are_handed_on(void **state)
{
    (void)state;
    KN_SCOPE;
    START;
    kn_array bad = kn_add(kn_of(double, 1, 2), kn_of(double, 1, 2, 3));
    kn_error_clear();
    assert_int_equal(kn_scan(KN_FN(running), &out, &start, &bad), -1);
    expect_no_error(); /* it was told */
    assert_non_null(strstr(kn_error_of(out.y), "add: operands could not be broadcast together with shapes (2,) (3,)"));
}

static kn_array adds_three(const kn_array *x) { return kn_add(*x, kn_of(double, 1, 2, 3)); }
KN_FUNCTION(adds_three, kn_array, kn_array)

static void an_error_in_a_body_has_its_line(void **state)
{
    (void)state;
    KN_SCOPE;
    START;
    kn_array two_rows = kn_ones(KN_SHAPE(2, 2)), y;
    kn_lax_map(KN_FN(adds_three), &y, &two_rows);
    assert_int_equal(kn_error_line(), __LINE__ - 10);
    expect_error("ValueError", "add: operands could not be broadcast together with shapes (2,) (3,)");
}

/* ---- fori and while. */

static void bounds_must_be_integers_of_one_dtype(void **state)
{
    (void)state;
    KN_SCOPE;
    START;
    kn_array y;
    kn_fori_loop(0.0, 2, KN_FN(add), &y, &x);
    expect_error("TypeError",
                 "fori_loop: lower and upper arguments to fori_loop must be integers, got float64 and int64");
    kn_fori_loop(kn_scalar((int64_t)0), kn_scalar(3), KN_FN(add), &y, &x);
    expect_error("TypeError",
                 "fori_loop: lower and upper arguments to fori_loop must have equal types, got int64 and int32");
    kn_fori_loop(0, kn_of(int, 1, 2), KN_FN(add), &y, &x);
    expect_error("TypeError",
                 "fori_loop: lower and upper arguments to fori_loop must be scalars, got int64[] and int32[2]");
    kn_fori_loop(KN_FALSE, 2, KN_FN(add), &y, &x);
    expect_error_with("TypeError", "must be integers, got bool and int64");
    kn_fori_loop(kn_astype(kn_scalar(0), KN_I8), 300, KN_FN(add), &y, &x);
    expect_error("OverflowError", "fori_loop: integer 300 out of bounds for int8");
}

static void the_body_of_a_counted_loop_is_checked(void **state)
{
    (void)state;
    KN_SCOPE;
    START;
    kn_array y;
    int line = __LINE__ + 1;
    kn_fori_loop(0, 3, KN_FN(halve), &y, &x);
    assert_int_equal(kn_error_line(), line);
    expect_error("TypeError", "fori_loop: body_fun halve must take the index, then the carry of 1 argument, but it "
                              "takes 1 argument");
    kn_fori_loop(0, 3, KN_FN(grows), &y, &x);
    expect_error_with("TypeError", "the input carry component carry has type float64[] but the corresponding output "
                                   "carry component has type float64[1]");
    kn_fori_loop(0, 3, KN_FN(add), KN_OUT(&y, &y), &x);
    expect_error("TypeError", "fori_loop: returns 1 array, but there is room for 2");
    kn_fori_loop(0, 3, KN_FN(add), &y, &x, .checkpoint = -9);
    expect_error_with("ValueError", "fori_loop: checkpoint must be a number of steps");
}

static kn_array positive(const kn_array *x) { return kn_greater(*x, 0); }
KN_FUNCTION(positive, kn_array, kn_array)

static void a_bound_is_not_negative(void **state)
{
    (void)state;
    KN_SCOPE;
    START;
    kn_array y;
    kn_while_loop(KN_FN(positive), KN_FN(halve), &y, &x, .max_steps = -1);
    expect_error("ValueError", "while_loop: max_steps must not be negative, but is -1");
}

static Carry counts(const Carry *c) { return (Carry){kn_sum(kn_of(int, 1, 2)), c->previous}; }
static kn_array goes_on(const Carry *c) { return kn_less(c->sum, 1); }
KN_FUNCTION(counts, Carry, Carry)
KN_FUNCTION(goes_on, kn_array, Carry)

static void the_carry_of_a_while_is_named_too(void **state)
{
    (void)state;
    KN_SCOPE;
    START;
    Carry end;
    kn_while_loop(KN_FN(goes_on), KN_FN(counts), &end, &start);
    expect_error_with("TypeError", "the input carry component carry.sum has type float64[] but the corresponding "
                                   "output carry component has type int64[], so the dtypes do not match");
}

/* ---- cond and switch. */

static void a_predicate_must_be_a_scalar(void **state)
{
    (void)state;
    KN_SCOPE;
    START;
    kn_array y;
    int line = __LINE__ + 1;
    kn_cond(xs, KN_FN(halve), KN_FN(halve), &y, &x);
    assert_int_equal(kn_error_line(), line);
    expect_error("TypeError", "cond: Pred must be a scalar, got float64[3]");
    kn_cond(kn_astype(x, KN_C128), KN_FN(halve), KN_FN(halve), &y, &x);
    expect_error("TypeError", "cond: Pred type must be either boolean or number, got complex128");
}

static void branches_must_return_the_same_types(void **state)
{
    (void)state;
    KN_SCOPE;
    START;
    kn_array y;
    kn_cond(KN_TRUE, KN_FN(halve), KN_FN(first), &y, &xs);
    expect_error("TypeError", "cond: branches must have equal output types but they differ: the output of true_fun "
                              "halve has type float64[3] but the corresponding output of false_fun first has type "
                              "float64[], so the shapes do not match");
    kn_cond(KN_TRUE, KN_FN(whole), KN_FN(halve), &y, &xs);
    expect_error("TypeError", "cond: branches must have equal output types but they differ: the output of true_fun "
                              "whole has type int64[3] but the corresponding output of false_fun halve has type "
                              "float64[3], so the dtypes do not match");
    Carry c;
    kn_cond(KN_TRUE, KN_FN(carry), KN_FN(short_carry), &c, &xs);
    expect_error_with("TypeError", "the output of true_fun carry at path .previous has type float64[3] but the "
                                   "corresponding output of false_fun short_carry has type float64[]");
    const kn_fn three[] = {KN_FN(halve), KN_FN(halve), KN_FN(whole)};
    kn_switch(0, three, 3, &y, &xs);
    expect_error("TypeError", "switch: branches must have equal output types but they differ: the output of branch 0 "
                              "(halve) has type float64[3] but the corresponding output of branch 2 (whole) has type "
                              "int64[3], so the dtypes do not match");
}

static void branches_must_have_the_same_arguments_and_results(void **state)
{
    (void)state;
    KN_SCOPE;
    START;
    kn_array y;
    kn_cond(KN_TRUE, KN_FN(halve), KN_FN(two), &y, &xs);
    expect_error("TypeError", "cond: branch outputs must have the same structure, but they differ: true_fun halve "
                              "returns 1 array, false_fun two returns 2");
    kn_cond(KN_TRUE, KN_FN(halve), KN_FN(add), &y, &xs);
    expect_error("TypeError",
                 "cond: branches must take the same arguments, but true_fun halve and false_fun add do not");
    kn_cond(KN_TRUE, KN_FN(halve), KN_FN(halve), &y, &xs, &x);
    expect_error("TypeError", "cond: takes 1 argument, but was given 2");
    Pair p;
    kn_cond(KN_TRUE, KN_FN(halve), KN_FN(halve), &p, &xs);
    expect_error("TypeError", "cond: returns 1 array, but there is room for 2");
}

static void an_index_must_be_an_integer_scalar(void **state)
{
    (void)state;
    KN_SCOPE;
    START;
    kn_array y;
    const kn_fn both[] = {KN_FN(halve), KN_FN(first)}, none[] = {KN_FN(halve), NULL};
    kn_switch(1.0, both, 2, &y, &xs);
    expect_error("TypeError", "switch: Index type must be an integer, got float64[]");
    kn_switch(KN_TRUE, both, 2, &y, &xs);
    expect_error("TypeError", "switch: Index type must be an integer, got bool[]");
    kn_switch(kn_of(int, 1, 2), both, 2, &y, &xs);
    expect_error("TypeError", "switch: Branch index must be scalar, got int32[2]");
    kn_switch(1, both, 0, &y, &xs);
    expect_error("ValueError", "switch: Empty branch sequence");
    kn_switch(1, both, -3, &y, &xs);
    expect_error("ValueError", "switch: Empty branch sequence");
    kn_switch(1, none, 2, &y, &xs);
    expect_error("TypeError", "switch: null function");
}

/* ---- map. */

static void arguments_of_map_are_checked(void **state)
{
    (void)state;
    KN_SCOPE;
    START;
    kn_array y;
    kn_lax_map(KN_FN(halve), &y, &xs, .batch_size = -1);
    expect_error("ValueError", "map: batch_size must not be negative, but is -1");
    kn_lax_map(KN_FN(halve), &y, &x);
    expect_error("ValueError", "map: got value with no leading axis to scan over: xs is float64[]");
    kn_lax_map(KN_FN(add), &y, KN_ARGS(&xs, &(kn_array){kn_of(double, 1, 2)}));
    expect_error("ValueError", "map: got values with different leading axis sizes: 3, 2.");
    kn_lax_map(KN_FN(halve), &y, KN_NOTHING);
    expect_error_with("TypeError", "map: halve must take");
}

/* ---- A value that is not known. */

static kn_array looks(const kn_array *x) { return kn_item(*x) > 0 ? *x : kn_negative(*x); }
KN_FUNCTION(looks, kn_array, kn_array)

static void values_are_not_known_in_a_branch(void **state)
{
    (void)state;
    KN_SCOPE;
    START;
    kn_array y;
    kn_cond(KN_TRUE, KN_FN(looks), KN_FN(halve), &y, &x);
    expect_error_with("ConcretizationError", "the value of float64[] is not known while looks is traced by cond");
}

/* ---- Memory. */

static kn_array everything(const kn_array *x)
{
    kn_array a, b, c;
    Carry start = {kn_num(0), *x};
    Step out;
    kn_array xs = kn_of(double, 1, 2, 3, 4, 5);
    kn_scan(KN_FN(running), &out, &start, &xs);
    kn_fori_loop(0, 3, KN_FN(add), &a, x);
    kn_cond(kn_greater(*x, 0), KN_FN(halve), KN_FN(halve), &b, &a);
    const kn_fn both[] = {KN_FN(halve), KN_FN(halve)};
    kn_switch(1, both, 2, &c, &b);
    kn_lax_map(KN_FN(halve), &xs, &xs, .batch_size = 2);
    return kn_add(kn_add(kn_sum(out.y), c), kn_sum(xs));
}
KN_FUNCTION(everything, kn_array, kn_array)

static void each_allocation_may_fail(void **state)
{
    (void)state;
    for (int64_t k = 0, done = 0; !done; k += 1 + k / 64) {
        KN_SCOPE;
        kn_array x = kn_scalar(2.0), y = NULL;
        knx_fail_after(k, true);
        kn_call(KN_FN(everything), &y, &x);
        if (y)
            kn_eval(y);
        knx_fail_after(-1, false);
        done = !kn_error_pending();
        kn_error_clear();
        if (done)
            expect_values(y, 350 + 2 + 1 + 2 + 3 + 4 + 1.25 + 7.5);
    }
}

KN_TEST_GROUP(test_control_errors)
{
    const struct CMUnitTest tests[] = {
        TEST(a_carry_that_changes_its_shape_is_named),
        TEST(a_carry_that_changes_its_dtype_is_named),
        TEST(a_truth_value_waits_for_nothing),
        TEST(outputs_carry_the_error),
        TEST(arrays_of_a_struct_without_names_are_counted),
        TEST(a_leaf_of_a_tree_has_its_path),
        TEST(a_carry_of_one_array_is_the_carry),
        TEST(inputs_must_have_one_length),
        TEST(a_length_must_be_that_of_the_inputs),
        TEST(options_of_a_scan_are_checked),
        TEST(a_path_that_is_not_accepted_is_an_error_at_once),
        TEST(arguments_and_results_of_a_scan_are_counted),
        TEST(null_pointers_are_refused),
        TEST(errors_of_operands_are_handed_on),
        TEST(an_error_in_a_body_has_its_line),
        TEST(bounds_must_be_integers_of_one_dtype),
        TEST(the_body_of_a_counted_loop_is_checked),
        TEST(a_bound_is_not_negative),
        TEST(the_carry_of_a_while_is_named_too),
        TEST(a_predicate_must_be_a_scalar),
        TEST(branches_must_return_the_same_types),
        TEST(branches_must_have_the_same_arguments_and_results),
        TEST(an_index_must_be_an_integer_scalar),
        TEST(arguments_of_map_are_checked),
        TEST(values_are_not_known_in_a_branch),
        TEST(each_allocation_may_fail),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
