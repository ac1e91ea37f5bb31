/* SPDX-License-Identifier: Apache-2.0
 * test_functions.c -- functions: calling, capturing, transforming, caching, and what goes wrong. */
#include "support/bits.h"
#include "support/expect.h"
#include "support/group.h"

typedef struct {
    kn_array a, b;
} Pair;

static kn_array sine(const kn_array *x) { return kn_sin(*x); }
static kn_array cube_sum(const kn_array *x) { return kn_sum(kn_mul(*x, *x, *x)); }
static kn_array identity(const kn_array *x) { return *x; }
static kn_array product(const kn_array *x, const kn_array *y) { return kn_sum(kn_mul(*x, *y)); }
static Pair swap(const Pair *p) { return (Pair){p->b, p->a}; }
static Pair twice(const kn_array *x) { return (Pair){*x, *x}; }
KN_FUNCTION(sine, kn_array, kn_array)
KN_FUNCTION(cube_sum, kn_array, kn_array)
KN_FUNCTION(identity, kn_array, kn_array)
KN_FUNCTION(product, kn_array, kn_array, kn_array)
KN_FUNCTION(swap, Pair, Pair)
KN_FUNCTION(twice, Pair, kn_array)

static void a_function_may_return_its_argument(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), out;
    kn_call(KN_FN(identity), &out, &x);
    expect_values(out, 1, 2);
    kn_call(kn_jit(KN_FN(identity)), &out, &x);
    expect_values(out, 1, 2);
    kn_call(kn_jit(kn_vmap(KN_FN(identity))), &out, &x);
    expect_values(out, 1, 2);
}

static void a_function_may_return_an_array_twice(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2);
    Pair out;
    kn_call(kn_jit(KN_FN(twice)), &out, &x);
    expect_values(out.a, 1, 2);
    expect_values(out.b, 1, 2);
}

static void arguments_may_be_the_same_array(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3), out;
    kn_call(kn_jit(KN_FN(product)), &out, &x, &x);
    expect_values(out, 14);
    kn_call(kn_grad(KN_FN(product)), &out, &x, &x); /* by the first argument alone */
    expect_values(out, 1, 2, 3);
}

static void structs_pass_through_jit(void **state)
{
    (void)state;
    KN_SCOPE;
    Pair p = {kn_of(double, 1), kn_of(float, 2, 3)}, out;
    kn_call(kn_jit(KN_FN(swap)), &out, &p);
    expect_values(out.a, 2, 3);
    expect_values(out.b, 1);
}

static void grad_of_every_order(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), out, h;
    kn_call(kn_grad(KN_FN(cube_sum)), &out, &x);
    expect_values(out, 3, 12);
    kn_call(kn_hessian(KN_FN(cube_sum)), &h, &x);
    expect_values(h, 6, 0, 0, 12);
    kn_call(kn_jacfwd(kn_hessian(KN_FN(cube_sum))), &h, &x);
    expect_values(h, 6, 0, 0, 0, 0, 0, 0, 6);
}

static void jit_traces_once_per_type(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), y = kn_of(double, 3, 4), z = kn_of(float, 1), out;
    kn_fn f = kn_jit(KN_FN(sine));
    int before = kn_fn_trace_count(f);
    kn_call(f, &out, &x);
    kn_call(f, &out, &y);
    kn_call(kn_jit(KN_FN(sine)), &out, &y); /* the same function again */
    assert_int_equal(kn_fn_trace_count(f) - before, 1);
    kn_call(f, &out, &z);
    assert_int_equal(kn_fn_trace_count(f) - before, 2);
}

typedef struct {
    double factor;
} Env;
static kn_array scaled(const Env *env, const kn_array *x) { return kn_mul(*x, env->factor); }
KN_FUNCTION_ENV(scaled, kn_array, Env, kn_array)

static void env_bytes_are_part_of_the_function(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), out;
    Env two = {2}, three = {3};
    kn_call(kn_jit(KN_FN_ENV(scaled, &two)), &out, &x);
    expect_values(out, 2, 4);
    kn_call(kn_jit(KN_FN_ENV(scaled, &three)), &out, &x);
    expect_values(out, 3, 6);
    kn_fn again = kn_jit(KN_FN_ENV(scaled, &two));
    int traces = kn_fn_trace_count(again);
    kn_call(again, &out, &x);
    assert_int_equal(kn_fn_trace_count(again), traces);
}

typedef struct {
    kn_array w;
} Captured;
static kn_array weighted(const Captured *c, const kn_array *x) { return kn_sum(kn_mul(c->w, kn_square(*x))); }
KN_CLOSURE(weighted, kn_array, Captured, kn_array)

static kn_array through_closure(const kn_array *w, const kn_array *x)
{
    Captured c = {*w};
    kn_array g;
    kn_call(kn_grad(KN_CLOSE(weighted, &c)), &g, x);
    return kn_sum(g);
}
KN_FUNCTION(through_closure, kn_array, kn_array, kn_array)

static void captured_arrays_are_operands(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), out;
    Captured c = {kn_of(double, 10, 20)}, d = {kn_of(double, 1, 1)};
    kn_fn f = kn_jit(kn_grad(KN_CLOSE(weighted, &c)));
    kn_call(f, &out, &x);
    expect_values(out, 20, 80);
    int traces = kn_fn_trace_count(f);
    kn_call(kn_jit(kn_grad(KN_CLOSE(weighted, &d))), &out, &x);
    expect_values(out, 2, 4);
    assert_int_equal(kn_fn_trace_count(f), traces);
}

static void derivatives_flow_through_captured_arrays(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_of(double, 3, 4), x = kn_of(double, 1, 2), out;
    kn_call(kn_grad(KN_FN(through_closure)), &out, &w, &x); /* d/dw sum(2 w x) */
    expect_values(out, 2, 4);
    kn_call(kn_jit(kn_grad(KN_FN(through_closure))), &out, &w, &x);
    expect_values(out, 2, 4);
}

static kn_array outside;
static kn_array uses_outside(const kn_array *x) { return kn_sum(kn_mul(*x, outside)); }
KN_FUNCTION(uses_outside, kn_array, kn_array)

static void outer_arrays_become_constants_of_a_trace(void **state)
{
    (void)state;
    KN_SCOPE;
    outside = kn_of(double, 5, 6);
    kn_array x = kn_of(double, 1, 1), out;
    kn_call(kn_jit(KN_FN(uses_outside)), &out, &x);
    expect_values(out, 11);
    outside = kn_of(double, 0, 0); /* the trace keeps the value that it saw */
    kn_call(kn_jit(KN_FN(uses_outside)), &out, &x);
    expect_values(out, 11);
    kn_call(kn_grad(KN_FN(uses_outside)), &out, &x); /* recorded anew */
    expect_values(out, 0, 0);
}

static kn_array inner_loss(const kn_array *x)
{
    kn_array g;
    kn_call(kn_jit(kn_grad(KN_FN(cube_sum))), &g, x);
    return kn_sum(g);
}
KN_FUNCTION(inner_loss, kn_array, kn_array)

static void transformations_nest_to_any_depth(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), batch = kn_reshape(kn_of(double, 1, 2, 3, 4), KN_SHAPE(2, 2)), out;
    kn_call(kn_grad(KN_FN(inner_loss)), &out, &x);
    expect_values(out, 6, 12);
    kn_call(kn_jit(kn_vmap(kn_jit(kn_grad(kn_jit(KN_FN(inner_loss)))))), &out, &batch);
    expect_values(out, 6, 12, 18, 24);
}

static void vmap_takes_axes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array m = kn_reshape(kn_arange(0, 6, 1, .dtype = KN_F64), KN_SHAPE(2, 3)), v = kn_of(double, 1, 10), out;
    kn_call(kn_vmap(KN_FN(product), .in_axes = {KN_MAPPED(1), KN_UNMAPPED}), &out, &m, &v);
    expect_values(out, 30, 41, 52);
    kn_call(kn_vmap(KN_FN(sine), .in_axes = {KN_MAPPED(1)}, .out_axes = {KN_MAPPED(1)}), &out, &m);
    assert_int_equal(kn_dim(out, 0), 2);
    kn_call(kn_vmap(KN_FN(sine), .in_axes = {KN_MAPPED(-1)}), &out, &m);
    assert_int_equal(kn_dim(out, 0), 3);
}

static void vmap_of_different_sizes_is_an_error(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_ones(KN_SHAPE(2)), b = kn_ones(KN_SHAPE(3)), out;
    kn_call(kn_vmap(KN_FN(product)), &out, &a, &b);
    assert_false(kn_ok(out));
    expect_error_with("ValueError", "vmap: the mapped axes differ in size");
}

static Pair loss_and_aux(const kn_array *x) { return (Pair){kn_sum(kn_square(*x)), kn_mul(*x, 10)}; }
KN_FUNCTION(loss_and_aux, Pair, kn_array)

static void aux_comes_beside_the_gradient(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), g, aux, value;
    kn_call(kn_grad(KN_FN(loss_and_aux), .has_aux = true), KN_OUT(&g, &aux), &x);
    expect_values(g, 2, 4);
    expect_values(aux, 10, 20);
    kn_call(kn_jit(kn_value_and_grad(KN_FN(loss_and_aux), .has_aux = true)), KN_OUT(&value, &aux, &g), &x);
    expect_values(value, 5);
    expect_values(aux, 10, 20);
    expect_values(g, 2, 4);
}

static void gradients_by_several_arguments(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), y = kn_of(double, 3, 4), gx, gy;
    kn_call(kn_grad(KN_FN(product), .argnums = KN_ARGNUMS(1, 0)), KN_OUT(&gy, &gx), &x, &y);
    expect_values(gy, 1, 2);
    expect_values(gx, 3, 4);
}

static void jvp_and_vjp_agree(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), t = kn_of(double, 1, 0), y, dy, pulled, one = kn_scalar(1.0);
    kn_jvp(KN_FN(cube_sum), KN_ARGS(&x), KN_ARGS(&t), &y, &dy);
    expect_values(y, 9);
    expect_values(dy, 3);
    kn_fn back = kn_vjp(KN_FN(cube_sum), KN_ARGS(&x), &y);
    kn_call(back, &pulled, &one);
    expect_values(pulled, 3, 12);
    kn_fn lin = kn_linearize(KN_FN(cube_sum), KN_ARGS(&x), &y);
    kn_call(lin, &dy, &t);
    expect_values(dy, 3);
    kn_call(kn_jit(lin), &dy, &t);
    expect_values(dy, 3);
}

static kn_array tripled(const kn_array *x) { return kn_mul(*x, 3); }
KN_FUNCTION(tripled, kn_array, kn_array)

static void linear_transpose_of_a_linear_function(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), out;
    kn_call(kn_linear_transpose(KN_FN(tripled), KN_ARGS(&x)), &out, &x);
    expect_values(out, 3, 6);
    kn_linear_transpose(KN_FN(sine), KN_ARGS(&x));
    expect_error_with("TypeError", "not linear");
}

static void eval_shape_gives_types_without_values(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(3, 4), .dtype = KN_F32), out;
    kn_eval_shape(KN_FN(sine), KN_ARGS(&x), &out);
    assert_int_equal(kn_ndim(out), 2);
    assert_string_equal(kn_dtype_name(kn_dtype_of(out)), "float32");
    assert_true(isnan(kn_item(kn_sum(out))));
    expect_error_with("ConcretizationError", "kn_eval_shape");
}

/* ---- What goes wrong. */

static kn_array leak;
static kn_array leaks(const kn_array *x)
{
    leak = kn_retain(kn_sin(*x));
    return kn_cos(*x);
}
KN_FUNCTION(leaks, kn_array, kn_array)

static void a_leaked_tracer_is_an_error_that_names_the_function(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1), out;
    kn_call(kn_jit(KN_FN(leaks)), &out, &x);
    expect_no_error();
    kn_array y = kn_add(leak, 1);
    assert_false(kn_ok(y));
    expect_error_with("LeakedTracerError", "escaped from leaks while it was traced by jit");
    kn_release(leak);
}

static kn_array calls_itself(const kn_array *x);
KN_FUNCTION(calls_itself, kn_array, kn_array)
static kn_array calls_itself(const kn_array *x)
{
    kn_array out;
    kn_call(kn_jit(KN_FN(calls_itself)), &out, x);
    return out;
}

static void a_function_that_calls_itself_under_jit_is_an_error(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1), out;
    kn_call(kn_jit(KN_FN(calls_itself)), &out, &x);
    assert_false(kn_ok(out));
    expect_error_with("ValueError", "calls itself while it is traced by jit");
}

static kn_array endless(const kn_array *x);
KN_FUNCTION(endless, kn_array, kn_array)
static kn_array endless(const kn_array *x)
{
    kn_array out;
    kn_call(kn_grad(KN_FN(endless)), &out, x);
    return kn_sum(out);
}

static void endless_recursion_is_an_error(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1), out;
    kn_call(kn_grad(KN_FN(endless)), &out, &x);
    assert_false(kn_ok(out));
    expect_error_with("ValueError", "deep");
}

static kn_array looks(const kn_array *x) { return kn_item(kn_sum(*x)) > 0 ? kn_sum(kn_sin(*x)) : kn_sum(kn_cos(*x)); }
KN_FUNCTION(looks, kn_array, kn_array)

static void values_can_be_looked_at_under_grad_but_not_under_jit(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 0.5), out;
    kn_call(kn_grad(KN_FN(looks)), &out, &x);
    expect_near(out, 1e-15, cos(0.5));
    kn_call(kn_hessian(KN_FN(looks)), &out, &x);
    expect_near(out, 1e-15, -sin(0.5));
    kn_call(kn_jit(KN_FN(looks)), &out, &x);
    expect_error("ConcretizationError",
                 "item: the value of float64[] is not known while looks is traced by jit; use kn_cond or kn_where");
    kn_array batch = kn_ones(KN_SHAPE(2, 1));
    kn_call(kn_vmap(KN_FN(looks)), &out, &batch);
    expect_error("ConcretizationError",
                 "item: the value of float64[] is not known while looks is traced by vmap; use kn_cond or kn_where");
    kn_call(kn_jit(kn_grad(KN_FN(looks))), &out, &x);
    expect_error_with("ConcretizationError", "while looks is traced by jit");
}

static void wrong_arguments_are_named(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), none = NULL, out;
    Pair two = {x, x};
    kn_call(KN_FN(sine), &out, &two);
    expect_error("TypeError", "sine: argument 0 has 1 array, but was given 2");
    kn_call(KN_FN(sine), &out, &x, &x);
    expect_error("TypeError", "sine: takes 1 argument, but was given 2");
    kn_call(kn_jit(KN_FN(sine)), &two, &x);
    expect_error("TypeError", "sine: returns 1 array, but there is room for 2");
    kn_call(kn_jit(KN_FN(sine)), &out, &none);
    expect_error("TypeError", "sine: argument 0 is null");
    kn_call(kn_grad(KN_FN(sine)), &out, &x);
    expect_error("TypeError", "grad: sine must return one scalar, but it returned float64[2]");
    kn_array ints = kn_of(int32_t, 1, 2);
    kn_call(kn_grad(KN_FN(cube_sum)), &out, &ints);
    expect_error("TypeError", "grad: argument 0 of cube_sum must be real or complex floating point, but is int32[2]");
    kn_grad(KN_FN(sine), .argnums = KN_ARGNUMS(1));
    expect_error("ValueError", "grad: argnums 1 is out of range: sine has 1 argument");
    kn_call((kn_fn)NULL, &out, &x);
    expect_error("TypeError", "call: null function");
}

static kn_array fails(const kn_array *x) { return kn_sum(kn_add(*x, kn_ones(KN_SHAPE(7)))); }
KN_FUNCTION(fails, kn_array, kn_array)

static void an_error_inside_a_trace_points_at_its_line(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), out;
    kn_call(kn_jit(kn_grad(KN_FN(fails))), &out, &x);
    assert_false(kn_ok(out));
    assert_non_null(strstr(kn_error_file(), "test_functions.c"));
    expect_error("ValueError", "add: operands could not be broadcast together with shapes (2,) (7,)");
    kn_call(kn_jit(KN_FN(sine)), &out, &x); /* everything still works */
    expect_near(out, 1e-15, sin(1), sin(2));
}

static kn_array returns_nothing(const kn_array *x)
{
    (void)x;
    return NULL;
}
KN_FUNCTION(returns_nothing, kn_array, kn_array)

static void a_null_result_is_an_error(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1), out;
    kn_call(kn_jit(KN_FN(returns_nothing)), &out, &x);
    expect_error_with("TypeError", "left array 0 of its result empty");
}

static kn_array returns_dead(const kn_array *x)
{
    KN_SCOPE;
    return kn_sin(*x); /* belongs to the scope that ends here */
}
KN_FUNCTION(returns_dead, kn_array, kn_array)

static void a_result_that_was_not_kept_is_an_error(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1), out;
    kn_call(kn_jit(KN_FN(returns_dead)), &out, &x);
    expect_error_with("ValueError", "was released: the scope that owned it has ended");
}

static void a_function_from_a_jaxpr_runs_and_differentiates(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), out;
    kn_jaxpr j = kn_make_jaxpr(KN_FN(cube_sum), KN_ARGS(&x));
    kn_jaxpr again = kn_jaxpr_parse(kn_jaxpr_text(j, KN_JAXPR_FULL));
    assert_true(kn_jaxpr_equal(j, again));
    kn_call(kn_grad(kn_fn_from_jaxpr(again)), &out, &x);
    expect_values(out, 3, 12);
    kn_array wrong = kn_of(float, 1);
    kn_call(kn_fn_from_jaxpr(again), &out, &wrong);
    expect_error_with("TypeError", "was recorded for float64[2]");
}

/* ---- Arguments that are no arrays are named. */

typedef struct {
    kn_array w;
    int n;
} Mixed;
static kn_array of_mixed(const Mixed *m) { return kn_mul(m->w, m->n); }
KN_FUNCTION(of_mixed, kn_array, Mixed)

static void arguments_that_are_no_arrays_are_named(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), y = NULL;
    Pair p = {x, NULL};
    kn_call(kn_jit(KN_FN(swap)), &p, &p);
    expect_error("TypeError", "swap: argument 0 array 1 is null");
    Mixed m;
    memset(&m, 0, sizeof m);
    m.w = x;
    m.n = BITS_BIG_ENDIAN ? INT32_MAX : 3; /* a small one lies where old handles have their generation, there */
    kn_call(kn_jit(KN_FN(of_mixed)), &y, &m);
    expect_error("TypeError",
                 "of_mixed: argument 0 array 1: this is not a handle of an array: was its variable set? (A "
                 "struct of arrays has no other fields.)");
    kn_call(kn_grad(KN_FN(of_mixed)), &m, &m);
    expect_error_with("TypeError", "argument 0 array 1");
}

KN_TEST_GROUP(test_functions)
{
    const struct CMUnitTest tests[] = {
        TEST(a_function_may_return_its_argument),
        TEST(a_function_may_return_an_array_twice),
        TEST(arguments_may_be_the_same_array),
        TEST(structs_pass_through_jit),
        TEST(grad_of_every_order),
        TEST(jit_traces_once_per_type),
        TEST(env_bytes_are_part_of_the_function),
        TEST(captured_arrays_are_operands),
        TEST(derivatives_flow_through_captured_arrays),
        TEST(outer_arrays_become_constants_of_a_trace),
        TEST(transformations_nest_to_any_depth),
        TEST(vmap_takes_axes),
        TEST(vmap_of_different_sizes_is_an_error),
        TEST(aux_comes_beside_the_gradient),
        TEST(gradients_by_several_arguments),
        TEST(jvp_and_vjp_agree),
        TEST(linear_transpose_of_a_linear_function),
        TEST(eval_shape_gives_types_without_values),
        TEST(a_leaked_tracer_is_an_error_that_names_the_function),
        TEST(a_function_that_calls_itself_under_jit_is_an_error),
        TEST(endless_recursion_is_an_error),
        TEST(values_can_be_looked_at_under_grad_but_not_under_jit),
        TEST(wrong_arguments_are_named),
        TEST(an_error_inside_a_trace_points_at_its_line),
        TEST(a_null_result_is_an_error),
        TEST(arguments_that_are_no_arrays_are_named),
        TEST(a_result_that_was_not_kept_is_an_error),
        TEST(a_function_from_a_jaxpr_runs_and_differentiates),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
