/* SPDX-License-Identifier: Apache-2.0
 * test_callbacks.c -- debug_print, debug_callback, pure_callback and io_callback: when they run, how often, in which
 * order, and what goes wrong. Texts are JAX's. */
#include "support/expect.h"
#include "support/group.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- What was printed. */

static char printed[4096];

static void note(void *env, const char *text)
{
    (void)env;
    snprintf(printed + strlen(printed), sizeof printed - strlen(printed), "%s", text);
}

static void expect_printed(const char *text)
{
    assert_string_equal(printed, text);
    printed[0] = '\0';
}

static int listen_setup(void **state)
{
    printed[0] = '\0';
    kn_set_print(note, NULL);
    return expect_setup(state);
}

static int listen_teardown(void **state)
{
    kn_set_print(NULL, NULL);
    return expect_teardown(state);
}
#define PRINTS(f) cmocka_unit_test_setup_teardown(f, listen_setup, listen_teardown)

/* ---- Formats: JAX's output for the same call. */

static void scalars_print_as_python_numbers(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_debug_print("{} {} {}", kn_scalar(3), kn_of(int8_t, -3), KN_TRUE);
    expect_printed("3 [-3] True\n");
    kn_debug_print("{} {} {}", kn_astype(kn_scalar(3.14159), KN_BF16), kn_astype(kn_scalar(-3.1), KN_F16),
                   kn_scalar(0.1f));
    expect_printed("3.140625 -3.099609375 0.10000000149011612\n");
    kn_debug_print("{} {} {}", 3, 2.5, kn_scalar((int64_t)1 << 60));
    expect_printed("3 2.5 1152921504606846976\n");
    kn_debug_print("{} {} {} {}", kn_scalar(-0.0), kn_scalar((double)NAN), kn_scalar(-(double)INFINITY),
                   kn_scalar(1e22));
    expect_printed("-0.0 nan -inf 1e+22\n");
    kn_debug_print("{} {}", kn_astype(kn_scalar(1.0), KN_C64), kn_scalar((uint64_t)UINT64_MAX));
    expect_printed("(1+0j) 18446744073709551615\n");
}

static void arrays_print_as_numpy_prints_them(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_div(kn_reshape(kn_arange(0, 6, 1, .dtype = KN_F32), KN_SHAPE(2, 3)), 3);
    kn_debug_print("{}", x);
    expect_printed("[[0.         0.33333334 0.6666667 ]\n [1.         1.3333334  1.6666666 ]]\n");
    kn_debug_print("a {0} {0:.3f} {{}} {1}", kn_scalar(1.5f), kn_of(bool, 1, 0));
    expect_printed("a 1.5 1.500 {} [ True False]\n");
    kn_debug_print("{!r}", kn_of(double, 1, 2));
    expect_printed("array([1., 2.])\n");
    kn_debug_print("{} {}", kn_zeros(KN_SHAPE(0)), kn_zeros(KN_SHAPE(0, 2)));
    expect_printed("[] []\n");
}

static void specifications_are_pythons(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array i = kn_scalar(3), f = kn_scalar(3.5f);
    kn_debug_print("{:5d}|{:<5}|{:>5}|{:+}|{:e}|{:05d}|{:x}|{:,}", i, i, i, i, f, i, kn_scalar(255),
                   kn_scalar(1234567));
    expect_printed("    3|3    |    3|+3|3.500000e+00|00003|ff|1,234,567\n");
    kn_debug_print("{:8.3f}|{:<8.3f}|{:^8.3f}|{:g}|{:.3g}|{:%}|{:*>8}|{:8}", f, f, f, f, f, f, f, f);
    expect_printed("   3.500|3.500   | 3.500  |3.5|3.5|350.000000%|*****3.5|     3.5\n");
    kn_debug_print("{:.3}|{:.3}|{:.0f}|{:.0e}|{:#x}|{:b}|{:.2f}", kn_scalar(100.0), kn_scalar(10.0), kn_scalar(2.5),
                   kn_scalar(12345.0), kn_scalar(255), kn_scalar(5), kn_scalar(-0.001));
    expect_printed("1e+02|10.0|2|1e+04|0xff|101|-0.00\n");
    kn_debug_print("{:g}|{:g}|{:g}|{:G}|{:,.2f}|{: d}", kn_scalar(1e-5), kn_scalar(123456789.0), kn_scalar(100000.0),
                   kn_scalar(1e300), kn_scalar(1234567.891), kn_scalar(7));
    expect_printed("1e-05|1.23457e+08|100000|1E+300|1,234,567.89| 7\n");
}

static void a_format_may_have_no_fields(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_debug_print("hello");
    expect_printed("hello\n");
}

static void bad_formats(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_int_equal(kn_debug_print("{} {}", 1), -1);
    expect_error("IndexError", "debug_print: tuple index out of range");
    kn_debug_print("{}", 1, 2);
    expect_error("ValueError", "debug_print: Unused positional arguments: 1 of 2");
    kn_debug_print("{", 1);
    expect_error("ValueError", "debug_print: Single '{' encountered in format string");
    kn_debug_print("}", 1);
    expect_error("ValueError", "debug_print: Single '}' encountered in format string");
    kn_debug_print("{a}", 1);
    expect_error("KeyError", "debug_print: 'a'");
    kn_debug_print("{:.2f}", kn_of(double, 1, 2));
    expect_error("TypeError", "debug_print: unsupported format string passed to numpy.ndarray.__format__");
    kn_debug_print("{:q}", 1);
    expect_error("ValueError", "debug_print: Unknown format code 'q' for object of type 'int'");
    kn_debug_print("{:.2d}", 1);
    expect_error("ValueError", "debug_print: Precision not allowed in integer format specifier");
    kn_debug_print("{} {0}", 1);
    expect_error("ValueError",
                 "debug_print: cannot switch from automatic field numbering to manual field specification");
    expect_printed("");
}

/* ---- Prints in compiled programs. */

static kn_array shown(const kn_array *x)
{
    kn_debug_print("x {}", *x);
    return kn_mul(*x, *x);
}
static kn_array shown_twice(const kn_array *x)
{
    kn_debug_print("a {}", *x);
    kn_debug_print("b {}", *x);
    return kn_add(*x, 1);
}
static kn_array greeting(const kn_array *x)
{
    kn_debug_print("hi");
    return kn_add(*x, 1);
}
static kn_array shown_beside(const kn_array *x, const kn_array *y)
{
    kn_debug_print("{} {}", *x, *y);
    return kn_add(*x, *y);
}
static kn_array only_second(const kn_array *x, const kn_array *y)
{
    kn_debug_print("u {}", *y);
    return kn_add(*x, *y);
}
KN_FUNCTION(shown, kn_array, kn_array)
KN_FUNCTION(shown_twice, kn_array, kn_array)
KN_FUNCTION(greeting, kn_array, kn_array)
KN_FUNCTION(shown_beside, kn_array, kn_array, kn_array)
KN_FUNCTION(only_second, kn_array, kn_array, kn_array)

static void outside_of_traces_a_print_is_at_once(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_add(kn_of(double, 1, 2), 1);
    kn_debug_print("{}", x);
    expect_printed("[2. 3.]\n");
    kn_eval(x);
    expect_printed("");
}

static void a_compiled_program_prints_each_time(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(float, 0, 1, 2), y;
    for (int i = 0; i < 2; i++) {
        kn_call(kn_jit(KN_FN(shown)), &y, &x);
        expect_printed("x [0. 1. 2.]\n");
    }
    kn_call(kn_jit(KN_FN(shown_twice)), &y, &x); /* equal prints stay two, in order */
    expect_printed("a [0. 1. 2.]\nb [0. 1. 2.]\n");
    kn_call(kn_jit(KN_FN(greeting)), &y, &x);
    kn_call(kn_jit(KN_FN(greeting)), &y, &x);
    expect_printed("hi\nhi\n");
}

static void vmap_prints_once_for_each_lane(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(float, 0, 1, 2), two = kn_scalar(2.0f), y;
    kn_call(kn_vmap(KN_FN(shown)), &y, &x);
    expect_printed("x 0.0\nx 1.0\nx 2.0\n");
    kn_call(kn_jit(kn_vmap(KN_FN(shown_twice))), &y, &x);
    expect_printed("a 0.0\na 1.0\na 2.0\nb 0.0\nb 1.0\nb 2.0\n");
    kn_call(kn_vmap(KN_FN(greeting)), &y, &x); /* nothing is mapped */
    expect_printed("hi\n");
    kn_call(kn_vmap(KN_FN(shown_beside), .in_axes = {KN_MAPPED(0), KN_UNMAPPED}), &y, &x, &two);
    expect_printed("0.0 2.0\n1.0 2.0\n2.0 2.0\n");
    kn_call(kn_vmap(KN_FN(only_second), .in_axes = {KN_MAPPED(0), KN_UNMAPPED}), &y, &x, &two);
    expect_printed("u 2.0\n");
    kn_array none = kn_zeros(KN_SHAPE(0));
    kn_call(kn_vmap(KN_FN(shown)), &y, &none);
    expect_printed("");
}

static void nested_vmaps_print_in_jaxs_order(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_reshape(kn_arange(0, 4, 1, .dtype = KN_F64), KN_SHAPE(2, 2)), y;
    kn_call(kn_vmap(kn_vmap(KN_FN(shown_twice))), &y, &x);
    expect_printed("a 0.0\na 2.0\na 1.0\na 3.0\nb 0.0\nb 2.0\nb 1.0\nb 3.0\n");
    kn_array rows = kn_of(double, 0, 1), columns = kn_of(double, 5, 6);
    kn_call(kn_vmap(kn_vmap(KN_FN(shown_beside), .in_axes = {KN_UNMAPPED, KN_MAPPED(0)}),
                    .in_axes = {KN_MAPPED(0), KN_UNMAPPED}),
            &y, &rows, &columns);
    expect_printed("0.0 5.0\n1.0 5.0\n0.0 6.0\n1.0 6.0\n");
}

static void derivatives_print_what_the_function_prints(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(2.0), one = kn_scalar(1.0), y, dy;
    kn_call(kn_grad(KN_FN(shown)), &y, &x);
    expect_values(y, 4);
    expect_printed("x 2.0\n");
    kn_jvp(KN_FN(shown), KN_ARGS(&x), KN_ARGS(&one), &y, &dy);
    expect_values(dy, 4);
    expect_printed("x 2.0\n");
    kn_call(kn_jit(kn_value_and_grad(kn_jit(KN_FN(shown)))), KN_OUT(&y, &dy), &x);
    expect_printed("x 2.0\n");
    kn_call(kn_grad(kn_grad(KN_FN(shown))), &y, &x);
    expect_values(y, 2);
    expect_printed("x 2.0\n");
    kn_fn back = kn_vjp(KN_FN(shown), KN_ARGS(&x), &y);
    expect_printed("x 2.0\n");
    kn_call(back, &dy, &one);
    expect_values(dy, 4);
    expect_printed("");
}

static kn_array rounds_left(const kn_array *n) { return kn_greater(*n, 0); }
static kn_array next_round(const kn_array *n)
{
    kn_debug_print("n {}", *n);
    return kn_sub(*n, 1);
}
KN_FUNCTION(rounds_left, kn_array, kn_array)
KN_FUNCTION(next_round, kn_array, kn_array)
static kn_array counted_down(const kn_array *n)
{
    kn_array end;
    kn_debug_print("before");
    kn_while_loop(KN_FN(rounds_left), KN_FN(next_round), &end, n);
    kn_debug_print("after");
    return end;
}
KN_FUNCTION(counted_down, kn_array, kn_array)

static void loops_print_each_round(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array n = kn_scalar(3), y;
    kn_call(kn_jit(KN_FN(counted_down)), &y, &n);
    expect_printed("before\nn 3\nn 2\nn 1\nafter\n");
    kn_call(KN_FN(counted_down), &y, &n);
    expect_printed("before\nn 3\nn 2\nn 1\nafter\n");
}

static void a_print_shows_in_the_jaxpr(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(float, 1, 2);
    kn_jaxpr j = kn_make_jaxpr(KN_FN(shown), KN_ARGS(&x));
    assert_string_equal(
        kn_jaxpr_text(j, KN_JAXPR_TYPED),
        "{ lambda ; a:f32[2]. let\n"
        "    debug_print[\n"
        "      fmt=x {}\n"
        "      has_placeholders=True\n"
        "      in_tree=PyTreeDef(((*,), {}))\n"
        "      logging_record=None\n"
        "      np_printoptions=(('edgeitems', 3), ('threshold', 1000), ('floatmode', 'maxprec'), ('precision', 8), "
        "('suppress', False), ('linewidth', 75), ('nanstr', 'nan'), ('infstr', 'inf'), ('sign', '-'), ('formatter', "
        "None), ('legacy', False), ('override_repr', None))\n"
        "      ordered=False\n"
        "      partitioned=False\n"
        "      static_args=()\n"
        "    ] a\n"
        "    b:f32[2] = mul a a\n"
        "  in (b,) }");
    kn_jaxpr back = kn_jaxpr_parse(kn_jaxpr_text(j, KN_JAXPR_FULL));
    assert_true(kn_jaxpr_equal(j, back));
    kn_array y;
    kn_call(kn_fn_from_jaxpr(back), &y, &x);
    expect_printed("x [1. 2.]\n");
}

static void printing_arrays_goes_the_same_way(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_print(kn_of(double, 1, 2));
    kn_printf("loss %.2f\n", kn_scalar(0.5));
    expect_printed("[1. 2.]\nloss 0.50\n");
}

/* ---- Callbacks. */

static _Atomic int calls;
static double seen[16];

static int see(void *env, int n_in, const kn_array *in, int n_out, kn_array *out)
{
    (void)env, (void)n_in, (void)n_out, (void)out;
    seen[calls++ % 16] = kn_item(kn_sum(in[0]));
    return 0;
}

static int halve(void *env, int n_in, const kn_array *in, int n_out, kn_array *out)
{
    (void)env, (void)n_in, (void)n_out;
    calls++;
    out[0] = kn_div(in[0], 2); /* Kiln inside of a callback */
    return 0;
}

static int add_both(void *env, int n_in, const kn_array *in, int n_out, kn_array *out)
{
    (void)n_in, (void)n_out;
    calls++;
    if (env)
        snprintf(env, 64, "%d: %lld, %d: %lld", kn_ndim(in[0]), (long long)kn_size(in[0]), kn_ndim(in[1]),
                 (long long)kn_size(in[1]));
    out[0] = kn_add(in[0], in[1]);
    return 0;
}

static int sum_and_count(void *env, int n_in, const kn_array *in, int n_out, kn_array *out)
{
    (void)env, (void)n_in, (void)n_out;
    out[0] = kn_sum(in[0]);
    out[1] = kn_scalar((int64_t)kn_size(in[0]));
    return 0;
}

static int next_number(void *env, int n_in, const kn_array *in, int n_out, kn_array *out)
{
    (void)n_in, (void)in, (void)n_out;
    out[0] = kn_scalar((double)++*(int *)env);
    return 0;
}

static int fail_with_three(void *env, int n_in, const kn_array *in, int n_out, kn_array *out)
{
    (void)env, (void)n_in, (void)in, (void)n_out, (void)out;
    calls++;
    return 3;
}

static int leave_empty(void *env, int n_in, const kn_array *in, int n_out, kn_array *out)
{
    (void)env, (void)n_in, (void)in, (void)n_out, (void)out;
    return 0;
}

static int wrong_shape(void *env, int n_in, const kn_array *in, int n_out, kn_array *out)
{
    (void)env, (void)n_in, (void)in, (void)n_out;
    out[0] = kn_of(float, 1, 2, 3);
    return 0;
}

static kn_array observed(const kn_array *x)
{
    kn_debug_callback(see, NULL, KN_LIST(*x));
    return kn_mul(*x, 2);
}
static kn_array halved(const kn_array *x)
{
    return kn_list_get(kn_pure_callback(halve, NULL, KN_LIST(*x), KN_LIST(*x)), 0);
}
static kn_array half_unread(const kn_array *x)
{
    kn_pure_callback(halve, NULL, KN_LIST(*x), KN_LIST(*x));
    return kn_add(*x, 1);
}
static kn_array half_twice(const kn_array *x) { return kn_add(halved(x), halved(x)); }
KN_FUNCTION(observed, kn_array, kn_array)
KN_FUNCTION(halved, kn_array, kn_array)
KN_FUNCTION(half_unread, kn_array, kn_array)
KN_FUNCTION(half_twice, kn_array, kn_array)

static void a_debug_callback_sees_values(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), y;
    calls = 0;
    assert_int_equal(kn_debug_callback(see, NULL, KN_LIST(x)), 0);
    assert_int_equal(calls, 1);
    kn_call(kn_jit(KN_FN(observed)), &y, &x);
    assert_int_equal(calls, 2);
    assert_true(seen[1] == 3);
    kn_call(kn_vmap(KN_FN(observed)), &y, &x);
    assert_int_equal(calls, 4);
    assert_true(seen[2] == 1 && seen[3] == 2);
    expect_values(y, 2, 4);
}

static void a_pure_callback_computes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), y;
    kn_call(KN_FN(halved), &y, &x);
    expect_values(y, 0.5, 1);
    kn_call(kn_jit(KN_FN(halved)), &y, &x);
    expect_values(y, 0.5, 1);
    kn_list both = kn_pure_callback(
        sum_and_count, NULL,
        KN_LIST(kn_shape_dtype_struct(KN_SHAPE(), KN_F64), kn_shape_dtype_struct(KN_SHAPE(), KN_I64)), KN_LIST(x));
    assert_int_equal(kn_list_count(both), 2);
    expect_values(kn_list_get(both, 0), 3);
    expect_values(kn_list_get(both, 1), 2);
}

static void what_is_pure_may_be_left_out_or_shared(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), y;
    calls = 0;
    kn_call(kn_jit(KN_FN(half_unread)), &y, &x);
    assert_int_equal(calls, 0);
    kn_call(kn_jit(KN_FN(half_twice)), &y, &x);
    assert_int_equal(calls, 1);
    expect_values(y, 1, 2);
}

static kn_array sequential(const kn_array *x, const kn_array *y)
{
    return kn_list_get(kn_pure_callback(add_both, NULL, KN_LIST(*x), KN_LIST(*x, *y)), 0);
}
static char shapes[64];
static kn_array expanded(const kn_array *x, const kn_array *y)
{
    return kn_list_get(kn_pure_callback(add_both, shapes, KN_LIST(*x), KN_LIST(*x, *y), .vmap_method = "expand_dims"),
                       0);
}
static kn_array broadcast(const kn_array *x, const kn_array *y)
{
    return kn_list_get(kn_pure_callback(add_both, shapes, KN_LIST(*x), KN_LIST(*x, *y), .vmap_method = "broadcast_all"),
                       0);
}
KN_FUNCTION(sequential, kn_array, kn_array, kn_array)
KN_FUNCTION(expanded, kn_array, kn_array, kn_array)
KN_FUNCTION(broadcast, kn_array, kn_array, kn_array)

static void vmap_methods(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 0, 1, 2), one = kn_scalar(1.0), two = kn_of(double, 0, 1), y;
    kn_vmap_opts mapped = {.size_ = sizeof mapped, .in_axes = {KN_MAPPED(0), KN_UNMAPPED}};
    kn_vmap_opts other = {.size_ = sizeof other, .in_axes = {KN_UNMAPPED, KN_MAPPED(0)}};
    calls = 0;
    kn_call((kn_vmap)(KN_FN(sequential), &mapped), &y, &x, &one);
    expect_values(y, 1, 2, 3);
    assert_int_equal(calls, 3);
    kn_call((kn_vmap)((kn_vmap)(KN_FN(sequential), &mapped), &other), &y, &x, &two);
    expect_values(y, 0, 1, 2, 1, 2, 3);
    calls = 0;
    kn_call((kn_vmap)(KN_FN(expanded), &mapped), &y, &x, &one);
    expect_values(y, 1, 2, 3);
    assert_string_equal(shapes, "1: 3, 1: 1");
    assert_int_equal(calls, 1);
    kn_call(kn_jit((kn_vmap)((kn_vmap)(KN_FN(expanded), &mapped), &other)), &y, &x, &two);
    expect_values(y, 0, 1, 2, 1, 2, 3);
    assert_string_equal(shapes, "2: 3, 2: 2");
    kn_call((kn_vmap)(KN_FN(broadcast), &mapped), &y, &x, &one);
    expect_values(y, 1, 2, 3);
    assert_string_equal(shapes, "1: 3, 1: 3");
    kn_pure_callback(halve, NULL, KN_LIST(x), KN_LIST(x), .vmap_method = "bogus");
    expect_error("ValueError",
                 "pure_callback: vmap_method must be on of the allowed methods ['sequential', 'sequential_unrolled', "
                 "'expand_dims', 'broadcast_all'], but got: bogus");
}

static int counter;
static kn_array numbered(const kn_array *x)
{
    kn_list y = kn_io_callback(next_number, &counter, KN_LIST(kn_shape_dtype_struct(KN_SHAPE(), KN_F64)), KN_LIST(*x));
    return kn_add(kn_list_get(y, 0), kn_mul(*x, 0));
}
static kn_array two_numbers(const kn_array *x) { return kn_sub(kn_mul(numbered(x), 10), numbered(x)); }
static kn_array in_order(const kn_array *x)
{
    return kn_list_get(kn_io_callback(next_number, &counter, KN_LIST(kn_shape_dtype_struct(KN_SHAPE(), KN_F64)),
                                      KN_LIST(*x), .ordered = true),
                       0);
}
static kn_array unread(const kn_array *x) { return (void)numbered(x), kn_add(*x, 1); }
KN_FUNCTION(numbered, kn_array, kn_array)
KN_FUNCTION(two_numbers, kn_array, kn_array)
KN_FUNCTION(in_order, kn_array, kn_array)
KN_FUNCTION(unread, kn_array, kn_array)

static void io_callbacks_happen_once_each(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(1.0), three = kn_of(double, 1, 2, 3), y;
    counter = 0;
    kn_call(kn_jit(KN_FN(numbered)), &y, &x);
    expect_values(y, 1);
    kn_call(kn_jit(KN_FN(two_numbers)), &y, &x); /* two equal calls stay two */
    expect_values(y, 17);
    kn_call(kn_jit(KN_FN(unread)), &y, &x);
    assert_int_equal(counter, 4);
    kn_call(kn_vmap(KN_FN(numbered)), &y, &three);
    expect_values(y, 5, 6, 7);
    kn_call(KN_FN(numbered), &y, &x); /* at once */
    assert_int_equal(counter, 8);
    kn_call(kn_vmap(KN_FN(in_order)), &y, &three);
    expect_error("ValueError", "vmap: Cannot `vmap` ordered IO callback.");
}

static void callbacks_have_no_derivatives(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(1.0), y;
    kn_call(kn_grad(KN_FN(halved)), &y, &x);
    expect_error("ValueError", "grad: Pure callbacks do not support JVP. Please use `jax.custom_jvp` to use callbacks "
                               "while taking gradients.");
    kn_call(kn_grad(KN_FN(numbered)), &y, &x);
    expect_error("ValueError", "grad: IO callbacks do not support JVP.");
}

/* ---- What goes wrong. */

static kn_array failing(const kn_array *x)
{
    kn_debug_callback(fail_with_three, NULL, KN_LIST(*x));
    return kn_add(*x, 1);
}
KN_FUNCTION(failing, kn_array, kn_array)

static void a_failure_is_an_error_of_the_call(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), y;
    calls = 0;
    kn_call(kn_jit(KN_FN(failing)), &y, &x);
    expect_error("RuntimeError", "failing: the callback returned 3");
    assert_false(kn_ok(y));
    assert_int_equal(calls, 1);
    kn_call(kn_vmap(KN_FN(failing)), &y, &x); /* the first lane that fails is the last one */
    expect_error("RuntimeError", "vmap: the callback returned 3");
    assert_int_equal(calls, 2);
    assert_int_equal(kn_debug_callback(fail_with_three, NULL, KN_LIST(x)), -1);
    expect_error("RuntimeError", "debug_callback: the callback returned 3");
    assert_int_equal(calls, 3);
}

static void wrong_results(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2);
    kn_list y = kn_pure_callback(leave_empty, NULL, KN_LIST(x), KN_LIST(x));
    expect_error("TypeError", "pure_callback: the callback left result 0 empty (null)");
    assert_false(kn_ok(kn_list_get(y, 0)));
    kn_pure_callback(wrong_shape, NULL, KN_LIST(x), KN_LIST(x));
    expect_error("TypeError",
                 "pure_callback: result 0 of the callback has type float32[3], but float64[2] was promised");
    kn_pure_callback(NULL, NULL, KN_LIST(x), KN_LIST(x));
    expect_error("TypeError", "pure_callback: null callback");
}

static kn_array looks_at_an_effect(const kn_array *x)
{
    kn_array n = numbered(x);
    return kn_item(n) > 0 ? kn_mul(*x, 2) : *x;
}
KN_FUNCTION(looks_at_an_effect, kn_array, kn_array)

static void the_result_of_an_effect_cannot_be_looked_at_under_grad(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(1.0), y;
    counter = 0;
    kn_call(kn_grad(KN_FN(looks_at_an_effect)), &y, &x);
    expect_error("ConcretizationError", "item: the result of io_callback is not known while looks_at_an_effect is "
                                        "traced by grad: it runs once, with the rest");
    assert_int_equal(counter, 0);
}

/* ---- Kiln inside of callbacks. */

static int busy(void *env, int n_in, const kn_array *in, int n_out, kn_array *out)
{
    (void)env, (void)n_in, (void)n_out;
    KN_SCOPE;
    kn_array g, x = kn_of(double, 1, 2, 3);
    kn_call(kn_jit(kn_grad(KN_FN(shown))), &g, &x); /* an error, and other programs */
    kn_error_clear();
    kn_call(kn_vmap(KN_FN(halved)), &g, &x);
    kn_debug_print("busy {}", kn_sum(g));
    out[0] = kn_keep(kn_add(in[0], kn_item(kn_sum(g))));
    return 0;
}
static kn_array made_by_busy(const kn_array *x)
{
    kn_array before = kn_mul(*x, 2);
    kn_array y = kn_list_get(kn_pure_callback(busy, NULL, KN_LIST(*x), KN_LIST(before)), 0);
    return kn_add(y, before);
}
KN_FUNCTION(made_by_busy, kn_array, kn_array)

static void callbacks_call_kiln(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), y;
    kn_call(KN_FN(made_by_busy), &y, &x);
    expect_values(y, 7, 11); /* 2 x + 3 + 2 x */
    kn_call(kn_jit(KN_FN(made_by_busy)), &y, &x);
    expect_values(y, 7, 11);
    kn_call(kn_jit(kn_vmap(KN_FN(made_by_busy))), &y, &x);
    expect_values(y, 7, 11);
    expect_printed("busy 3.0\nbusy 3.0\nbusy 3.0\nbusy 3.0\n");
}

static kn_array depends(const kn_array *x)
{
    kn_array a = kn_sin(*x);
    kn_debug_print("first {:.3f}", kn_sum(a));
    kn_array b = kn_list_get(kn_io_callback(halve, NULL, KN_LIST(*x), KN_LIST(a)), 0);
    kn_debug_print("second {:.3f}", kn_sum(b));
    kn_array c = kn_mul(kn_cos(*x), kn_add(b, 1));
    kn_debug_print("third {:.3f}", kn_sum(kn_add(a, c)));
    return kn_add(c, a);
}
KN_FUNCTION(depends, kn_array, kn_array)

static void effects_keep_their_order_among_fused_kernels(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), y, z;
    kn_call(KN_FN(depends), &y, &x);
    kn_eval(y);
    expect_printed("first 1.751\nsecond 0.875\nthird 1.913\n");
    kn_call(kn_jit(KN_FN(depends)), &z, &x);
    expect_printed("first 1.751\nsecond 0.875\nthird 1.913\n");
    assert_true(kn_array_equal(y, z));
    bool lazy = kn_set_lazy(false);
    kn_call(kn_jit(KN_FN(depends)), &z, &x);
    kn_set_lazy(lazy);
    expect_printed("first 1.751\nsecond 0.875\nthird 1.913\n");
    assert_true(kn_array_equal(y, z));
}

static void effects_happen_once_where_nans_are_looked_for(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), y;
    kn_check_nans(true);
    kn_debug_print("{}", kn_mul(x, 2));
    kn_call(kn_jit(KN_FN(shown)), &y, &x);
    kn_call(kn_vmap(KN_FN(shown)), &y, &x);
    kn_check_nans(false);
    expect_printed("[2. 4.]\nx [1. 2.]\nx 1.0\nx 2.0\n");
}

static void *run_in_a_thread(void *wrong)
{
    KN_SCOPE;
    for (int i = 0; i < 50; i++) {
        kn_array x = kn_of(double, i, i + 1), y;
        kn_call(kn_jit(KN_FN(halved)), &y, &x);
        *(int *)wrong += kn_item(kn_sum(y)) != i + 0.5; /* NOLINT: exact */
        kn_call(kn_jit(KN_FN(shown)), &y, &x);
    }
    *(int *)wrong += kn_error_pending();
    return NULL;
}

static void ignore(void *env, const char *text) { (void)env, (void)text; }

static void threads_have_callbacks_of_their_own(void **state)
{
    (void)state;
    pthread_t thread[2];
    int wrong[2] = {0, 0};
    kn_set_print(ignore, NULL);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, run_in_a_thread, &wrong[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert_int_equal(wrong[0] + wrong[1], 0);
}

KN_TEST_GROUP(test_callbacks)
{
    const struct CMUnitTest tests[] = {
        PRINTS(scalars_print_as_python_numbers),
        PRINTS(arrays_print_as_numpy_prints_them),
        PRINTS(specifications_are_pythons),
        PRINTS(a_format_may_have_no_fields),
        PRINTS(bad_formats),
        PRINTS(outside_of_traces_a_print_is_at_once),
        PRINTS(a_compiled_program_prints_each_time),
        PRINTS(vmap_prints_once_for_each_lane),
        PRINTS(nested_vmaps_print_in_jaxs_order),
        PRINTS(derivatives_print_what_the_function_prints),
        PRINTS(loops_print_each_round),
        PRINTS(a_print_shows_in_the_jaxpr),
        PRINTS(printing_arrays_goes_the_same_way),
        TEST(a_debug_callback_sees_values),
        TEST(a_pure_callback_computes),
        TEST(what_is_pure_may_be_left_out_or_shared),
        TEST(vmap_methods),
        TEST(io_callbacks_happen_once_each),
        TEST(callbacks_have_no_derivatives),
        TEST(a_failure_is_an_error_of_the_call),
        TEST(wrong_results),
        TEST(the_result_of_an_effect_cannot_be_looked_at_under_grad),
        PRINTS(callbacks_call_kiln),
        PRINTS(effects_happen_once_where_nans_are_looked_for),
        PRINTS(threads_have_callbacks_of_their_own),
        PRINTS(effects_keep_their_order_among_fused_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
