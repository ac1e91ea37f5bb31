/* SPDX-License-Identifier: Apache-2.0
 * test_control_face.c -- scan, fori and bounded while as a user calls them: values by hand, in eager mode and under
 * transformations; trees, captured arrays, numbers that wait for a dtype. */
#include "support/expect.h"
#include "support/group.h"

/* ---- scan. */

typedef struct {
    kn_array sum, previous;
} Carry;
KN_FIELDS(Carry, sum, previous)
typedef struct {
    Carry carry;
    kn_array y;
} Step;
KN_FIELDS(Step, (carry, Carry), y)
static Step running(const Carry *c, const kn_array *x)
{
    kn_array sum = kn_add(c->sum, *x);
    return (Step){{sum, *x}, kn_add(kn_mul(sum, 10), c->previous)};
}
KN_FUNCTION(running, Step, Carry, kn_array)

static void a_scan_hands_its_carry_on_and_stacks_its_outputs(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array xs = kn_of(double, 1, 2, 3, 4);
    Carry start = {kn_scalar(0.0), kn_scalar(-1.0)};
    Step out;
    assert_int_equal(kn_scan(KN_FN(running), &out, &start, &xs), 0);
    expect_values(out.y, 9, 31, 62, 103);
    expect_values(out.carry.sum, 10);
    expect_values(out.carry.previous, 4);
}

static void a_reverse_scan_begins_at_the_end(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array xs = kn_of(double, 1, 2, 3, 4);
    Carry start = {kn_scalar(0.0), kn_scalar(-1.0)};
    Step out;
    kn_scan(KN_FN(running), &out, &start, &xs, .reverse = true);
    expect_values(out.y, 102, 93, 74, 39);
    expect_values(out.carry.previous, 1);
}

static void a_scan_of_no_steps_gives_the_carry_back(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array none = kn_zeros(KN_SHAPE(0));
    Carry start = {kn_scalar(5.0), kn_scalar(-1.0)};
    Step out;
    kn_scan(KN_FN(running), &out, &start, &none);
    expect_values(out.carry.sum, 5);
    expect_values(out.carry.previous, -1);
    assert_int_equal(kn_ndim(out.y), 1);
    assert_int_equal(kn_size(out.y), 0);
}

static void unroll_is_a_hint(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array xs = kn_of(double, 1, 2, 3, 4, 5);
    Carry start = {kn_scalar(0.0), kn_scalar(-1.0)};
    Step out, again;
    kn_scan(KN_FN(running), &out, &start, &xs);
    kn_scan(KN_FN(running), &again, &start, &xs, .unroll = 3);
    assert_true(kn_array_equal(out.y, again.y));
}

typedef struct {
    kn_array a, b;
} Pair;
typedef struct {
    Pair carry;
    kn_array y;
} PairStep;
static PairStep fibonacci(const Pair *p) { return (PairStep){{p->b, kn_add(p->a, p->b)}, p->a}; }
KN_FUNCTION(fibonacci, PairStep, Pair)

static void a_scan_of_nothing_needs_a_length(void **state)
{
    (void)state;
    KN_SCOPE;
    PairStep out;
    Pair ones = {kn_scalar(1), kn_scalar(1)};
    kn_scan(KN_FN(fibonacci), &out, &ones, KN_NOTHING, .length = 7);
    expect_values(out.y, 1, 1, 2, 3, 5, 8, 13);
    expect_values(out.carry.a, 21);
    assert_ptr_equal(kn_dtype_of(out.y), KN_I32);
}

typedef struct {
    kn_array c, d, y, z;
} Four;
static Four four(const kn_array *c, const kn_array *d, const kn_array *x, const kn_array *w)
{
    return (Four){kn_add(*c, *x), kn_mul(*d, *w), kn_sub(*c, *d), kn_sum(*w)};
}
KN_FUNCTION(four, Four, kn_array, kn_array, kn_array, kn_array)

static void carries_inputs_and_outputs_may_be_several(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array c = kn_scalar(0.0), d = kn_of(double, 1, 1), xs = kn_of(double, 1, 2),
             ws = kn_reshape(kn_of(double, 1, 2, 3, 4), KN_SHAPE(2, 2)), c2, d2, y, z;
    kn_scan(KN_FN(four), KN_OUT(&c2, &d2, &y, &z), KN_ARGS(&c, &d), KN_ARGS(&xs, &ws));
    expect_values(c2, 3);
    expect_values(d2, 3, 8);
    expect_values(y, -1, -1, 0, -1);
    expect_values(z, 3, 7);
}

typedef struct {
    kn_array carry, y;
} Out;
KN_FIELDS(Out, carry, y)
static Out weighted(const kn_array *w, const kn_array *c, const kn_array *x)
{
    kn_array next = kn_add(kn_mul(*c, *w), *x);
    return (Out){next, next};
}
KN_CLOSURE(weighted, Out, kn_array, kn_array, kn_array)
static kn_array horner(const kn_array *w, const kn_array *xs)
{
    kn_array zero = kn_scalar(0.0);
    Out out;
    kn_scan(KN_CLOSE(weighted, w), &out, &zero, xs);
    return out.carry;
}
KN_FUNCTION(horner, kn_array, kn_array, kn_array)

static void captured_arrays_of_a_scan_are_operands(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_scalar(10.0), xs = kn_of(double, 1, 2, 3), out;
    kn_fn f = kn_jit(KN_FN(horner));
    kn_call(f, &out, &w, &xs);
    expect_values(out, 123);
    w = kn_scalar(2.0);
    kn_call(f, &out, &w, &xs);
    expect_values(out, 11);
    assert_int_equal(kn_fn_trace_count(f), 1);
}

typedef struct {
    kn_array a, b, c;
} Three;
static Out last_first(const Three *t, const kn_array *s, const kn_array *x)
{
    return (Out){kn_add(kn_mul(*s, t->c), t->a), *x};
}
KN_CLOSURE(last_first, Out, Three, kn_array, kn_array)
static Out of_three(const Three *t, const kn_array *xs)
{
    kn_array zero = kn_scalar(0.0);
    Out out;
    kn_scan(KN_CLOSE(last_first, t), &out, &zero, xs);
    return out;
}
KN_FUNCTION(of_three, Out, Three, kn_array)
static const char *typed(kn_fn f, const kn_args *args) { return kn_jaxpr_text(kn_make_jaxpr(f, args), KN_JAXPR_TYPED); }

static void captured_arrays_stand_in_the_order_of_their_use_as_in_jax(void **state)
{
    (void)state;
    KN_SCOPE;
    Three t = {kn_scalar(1.0), kn_scalar(2.0), kn_scalar(3.0)};
    kn_array xs = kn_of(double, 1, 2, 3);
    assert_non_null(strstr(typed(KN_FN(of_three), KN_ARGS(&t, &xs)), "num_consts=2\n"));
    assert_non_null(strstr(typed(KN_FN(of_three), KN_ARGS(&t, &xs)), "] c a 0.0:f64[] d"));
}

static void a_scan_is_differentiated_by_captured_arrays_and_inputs(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_scalar(10.0), xs = kn_of(double, 1, 2, 3), dw, dxs;
    kn_call(kn_grad(KN_FN(horner)), &dw, &w, &xs); /* of w^2 + 2 w + 3 */
    expect_values(dw, 22);
    kn_call(kn_jit(kn_grad(KN_FN(horner), .argnums = KN_ARGNUMS(1))), &dxs, &w, &xs);
    expect_values(dxs, 100, 10, 1);
    kn_call(kn_grad(kn_grad(KN_FN(horner))), &dw, &w, &xs);
    expect_values(dw, 2);
}

static void a_scan_has_forward_derivatives(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_scalar(10.0), xs = kn_of(double, 1, 2, 3), dw = kn_scalar(1.0), dxs = kn_of(double, 0, 0, 1), y, dy;
    kn_jvp(KN_FN(horner), KN_ARGS(&w, &xs), KN_ARGS(&dw, &dxs), &y, &dy);
    expect_values(y, 123);
    expect_values(dy, 23);
}

static void a_scan_is_batched(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_of(double, 10, 2), xs = kn_of(double, 1, 2, 3), out;
    kn_call(kn_jit(kn_vmap(KN_FN(horner), .in_axes = {KN_MAPPED(0), KN_UNMAPPED})), &out, &w, &xs);
    expect_values(out, 123, 11);
    kn_array both = kn_reshape(kn_of(double, 1, 0, 2, 1, 3, 0), KN_SHAPE(3, 2)), ten = kn_scalar(10.0);
    kn_call(kn_vmap(KN_FN(horner), .in_axes = {KN_UNMAPPED, KN_MAPPED(1)}), &out, &ten, &both);
    expect_values(out, 123, 10);
}

static int64_t checkpoint;
static kn_array powers(const kn_array *w)
{
    kn_array one = kn_scalar(1.0), xs = kn_zeros(KN_SHAPE(7));
    Out out;
    kn_scan(KN_CLOSE(weighted, w), &out, &one, &xs, .checkpoint = checkpoint);
    return kn_sum(out.y);
}
KN_FUNCTION(powers, kn_array, kn_array)

static void checkpoints_change_no_gradient(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_scalar(2.0), g;
    const int64_t each[] = {0, 1, 3, 7, 100, KN_CHECKPOINT_SQRT};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        checkpoint = each[i];
        kn_call(kn_grad(KN_FN(powers)), &g, &w); /* sum of k 2^(k-1), k = 1 .. 7 */
        expect_values(g, 769);
    }
}

typedef struct {
    int n;
    int64_t step[8], length;
} Heard;
static void hear(void *env, int64_t step, int64_t length)
{
    Heard *h = env;
    if (h->n < 8)
        h->step[h->n++] = step;
    h->length = length;
}

static void each_step_is_told(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array xs = kn_of(double, 1, 2, 3);
    Carry start = {kn_scalar(0.0), kn_scalar(-1.0)};
    Step out;
    Heard h = {0};
    kn_scan(KN_FN(running), &out, &start, &xs, .reverse = true, .on_step = hear, .on_step_env = &h);
    assert_int_equal(h.n, 3); /* now, not when somebody looks */
    expect_values(out.carry.sum, 6);
    assert_int_equal(h.length, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(h.step[i], i + 1);
}

static void trees_are_carries_and_results(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_tree start = kn_tree_dict("previous", kn_scalar(-1.0), "sum", kn_scalar(0.0)), end;
    kn_array xs = kn_of(double, 1, 2), ys;
    kn_scan(KN_FN(running), KN_OUT(&end, &ys), start, &xs); /* sorted by name: previous is the sum */
    expect_values(kn_tree_at(end, "previous"), 2);
    expect_values(kn_tree_at(end, "sum"), 2);
    expect_values(ys, 0, 21);
    Carry c = {kn_scalar(0.0), kn_scalar(-1.0)};
    kn_tree whole;
    kn_scan(KN_FN(running), &whole, &c, &xs); /* the names of Step */
    expect_values(kn_tree_at(whole, "carry.sum"), 3);
    expect_values(kn_tree_at(whole, "y"), 9, 31);
}

static void a_number_in_the_carry_takes_the_dtype_that_comes_back(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array xs = kn_of(float, 1, 2, 3);
    Carry start = {kn_num(0), kn_num(1)};
    Step out;
    kn_scan(KN_FN(running), &out, &start, &xs);
    assert_ptr_equal(kn_dtype_of(out.carry.sum), KN_F32);
    assert_ptr_equal(kn_dtype_of(out.y), KN_F32);
    expect_values(out.y, 11, 31, 62);
}

static Out both_ways(const kn_array *c, const kn_array *x) { return (Out){kn_add(*c, *x), kn_mul(*c, *x)}; }
KN_FUNCTION(both_ways, Out, kn_array, kn_array)

static void a_number_meets_the_dtypes_inside_of_a_jitted_body(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array xs = kn_of(float, 1, 2, 3), zero = kn_num(0);
    Out out;
    kn_scan(kn_jit(KN_FN(both_ways)), &out, &zero, &xs);
    assert_ptr_equal(kn_dtype_of(out.carry), KN_F32);
    expect_values(out.y, 0, 2, 9);
}

static Out count_up(const kn_array *c, const kn_array *x) { return (Out){kn_add(*c, 1), kn_mul(*x, *c)}; }
KN_FUNCTION(count_up, Out, kn_array, kn_array)

static void a_number_alone_has_its_own_dtype(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array xs = kn_of(float, 1, 2, 3), zero = kn_num(0);
    Out out;
    kn_scan(KN_FN(count_up), &out, &zero, &xs);
    assert_ptr_equal(kn_dtype_of(out.carry), KN_I64);
    expect_values(out.carry, 3);
    expect_values(out.y, 0, 2, 6);
}

static Out constant_number(const kn_array *c, const kn_array *x)
{
    (void)c, (void)x;
    return (Out){kn_num(3), kn_num(2)};
}
KN_FUNCTION(constant_number, Out, kn_array, kn_array)

static void a_number_that_a_body_returns_takes_the_carrys_dtype(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array xs = kn_of(float, 1, 2), c = kn_scalar(0.5f);
    Out out;
    kn_scan(KN_FN(constant_number), &out, &c, &xs);
    assert_ptr_equal(kn_dtype_of(out.carry), KN_F32);
    expect_values(out.carry, 3);
    assert_ptr_equal(kn_dtype_of(out.y), KN_I64);
    expect_values(out.y, 2, 2);
}

/* ---- fori. */

static kn_array times_plus_i(const kn_array *w, const kn_array *i, const kn_array *c)
{
    return kn_add(kn_mul(*c, *w), *i);
}
KN_CLOSURE(times_plus_i, kn_array, kn_array, kn_array, kn_array)
static kn_array known_bounds(const kn_array *w)
{
    kn_array one = kn_scalar(1.0), out;
    kn_fori_loop(-1, 3, KN_CLOSE(times_plus_i, w), &out, &one);
    return out;
}
static kn_array upper_given(const kn_array *w, const kn_array *n)
{
    kn_array one = kn_scalar(1.0), out;
    kn_fori_loop(-1, *n, KN_CLOSE(times_plus_i, w), &out, &one);
    return out;
}
KN_FUNCTION(known_bounds, kn_array, kn_array)
KN_FUNCTION(upper_given, kn_array, kn_array, kn_array)

static void a_counted_loop_takes_the_index(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_scalar(2.0), n = kn_scalar(3), out; /* 1, 1, 2, 5, 12 */
    kn_call(KN_FN(known_bounds), &out, &w);
    expect_values(out, 12);
    kn_call(kn_jit(KN_FN(known_bounds)), &out, &w);
    expect_values(out, 12);
    kn_call(kn_jit(KN_FN(upper_given)), &out, &w, &n);
    expect_values(out, 12);
}

static void a_counted_loop_may_have_no_rounds(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_scalar(2.0), n = kn_scalar(-7), out;
    kn_call(KN_FN(upper_given), &out, &w, &n);
    expect_values(out, 1);
    kn_call(kn_jit(KN_FN(upper_given)), &out, &w, &n);
    expect_values(out, 1);
}

static void known_bounds_have_reverse_derivatives(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_scalar(2.0), n = kn_scalar(3), g; /* w^4 - w^3 + w + 2 */
    kn_call(kn_jit(kn_grad(KN_FN(known_bounds))), &g, &w);
    expect_values(g, 21);
    kn_call(kn_grad(KN_FN(upper_given)), &g, &w, &n); /* known here, too: nothing hides it */
    expect_values(g, 21);
}

static void unknown_bounds_have_forward_derivatives(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_scalar(2.0), n = kn_scalar(3), g;
    kn_call(kn_jit(kn_jacfwd(KN_FN(upper_given))), &g, &w, &n);
    expect_values(g, 21);
    kn_call(kn_jit(kn_grad(KN_FN(upper_given))), &g, &w, &n);
    expect_error_with("ValueError", "Reverse-mode differentiation does not work for lax.while_loop or lax.fori_loop "
                                    "with dynamic start/stop values.");
}

static void each_lane_has_its_own_bound(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_scalar(2.0), n = kn_of(int, 3, 0, -5, 2), out;
    kn_call(kn_vmap(KN_FN(upper_given), .in_axes = {KN_UNMAPPED, KN_MAPPED(0)}), &out, &w, &n);
    expect_values(out, 12, 1, 1, 5);
}

static kn_array index_alone(const kn_array *i, const kn_array *c)
{
    (void)c;
    return *i;
}
KN_FUNCTION(index_alone, kn_array, kn_array, kn_array)

static void the_index_has_the_dtype_of_the_bounds(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array out, c8 = kn_num(0), lower = kn_astype(kn_scalar(3), KN_I8);
    kn_fori_loop(lower, 7, KN_FN(index_alone), &out, &c8);
    assert_ptr_equal(kn_dtype_of(out), KN_I8);
    expect_values(out, 6);
    kn_fori_loop(3, 7, KN_FN(index_alone), &out, &c8);
    assert_ptr_equal(kn_dtype_of(out), KN_I64);
}

static void known_bounds_are_a_scan_as_in_jax(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_scalar(2.0);
    assert_string_equal(typed(KN_FN(known_bounds), KN_ARGS(&w)),
                        "{ lambda ; a:f64[]. let\n"
                        "    _:i64[] b:f64[] = scan[\n"
                        "      jaxpr={ lambda ; c:f64[] d:i64[] e:f64[]. let\n"
                        "          f:i64[] = add d 1:i64[]\n"
                        "          g:f64[] = mul e c\n"
                        "          h:f64[] = convert_element_type[new_dtype=float64 weak_type=False] d\n"
                        "          i:f64[] = add g h\n"
                        "        in (f, i) }\n"
                        "      length=4\n"
                        "      num_carry=2\n"
                        "      num_consts=1\n"
                        "      reverse=False\n"
                        "      unroll=1\n"
                        "    ] a -1:i64[] 1.0:f64[]\n"
                        "  in (b,) }");
}

static void unknown_bounds_are_a_while_as_in_jax(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_scalar(2.0), n = kn_scalar(3);
    assert_string_equal(typed(KN_FN(upper_given), KN_ARGS(&w, &n)),
                        "{ lambda ; a:f64[] b:i32[]. let\n"
                        "    _:i32[] _:i32[] c:f64[] = while[\n"
                        "      body_jaxpr={ lambda ; d:f64[] e:i32[] f:i32[] g:f64[]. let\n"
                        "          h:i32[] = add e 1:i32[]\n"
                        "          i:f64[] = mul g d\n"
                        "          j:f64[] = convert_element_type[new_dtype=float64 weak_type=False] e\n"
                        "          k:f64[] = add i j\n"
                        "        in (h, f, k) }\n"
                        "      body_nconsts=1\n"
                        "      cond_jaxpr={ lambda ; l:i32[] m:i32[] n:f64[]. let\n"
                        "          o:bool[] = lt l m\n"
                        "        in (o,) }\n"
                        "      cond_nconsts=0\n"
                        "    ] a -1:i32[] b 1.0:f64[]\n"
                        "  in (c,) }");
}

/* ---- while with a bound. */

static kn_array below_hundred(const kn_array *x) { return kn_less(*x, 100); }
static kn_array doubled(const kn_array *x) { return kn_mul(*x, 2); }
KN_FUNCTION(below_hundred, kn_array, kn_array)
KN_FUNCTION(doubled, kn_array, kn_array)
static kn_array bounded(const kn_array *x)
{
    kn_array out;
    kn_while_loop(KN_FN(below_hundred), KN_FN(doubled), &out, x, .max_steps = 5);
    return out;
}
KN_FUNCTION(bounded, kn_array, kn_array)

static void a_bounded_loop_ends_at_its_bound(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array one = kn_scalar(1.0), many = kn_of(double, 1, 50, 200), out;
    kn_call(KN_FN(bounded), &out, &one);
    expect_values(out, 32);
    kn_call(kn_vmap(KN_FN(bounded)), &out, &many);
    expect_values(out, 32, 100, 200);
}

static kn_array always(const kn_array *x)
{
    (void)x;
    return KN_TRUE;
}
KN_FUNCTION(always, kn_array, kn_array)

static void a_condition_may_be_a_truth_value(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array one = kn_scalar(1.0), out;
    kn_while_loop(KN_FN(always), KN_FN(doubled), &out, &one, .max_steps = 10);
    expect_values(out, 1024);
}

static void a_bounded_loop_has_reverse_derivatives(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array many = kn_of(double, 1, 50, 200), g;
    kn_call(kn_vmap(kn_grad(KN_FN(bounded))), &g, &many);
    expect_values(g, 32, 2, 1);
}

static void a_number_that_a_loop_begins_with_takes_the_dtype_that_comes_back(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array w = kn_scalar(3.0f), zero = kn_num(0), out;
    kn_fori_loop(0, 3, KN_CLOSE(times_plus_i, &w), &out, &zero); /* float32 and an int64 index */
    assert_ptr_equal(kn_dtype_of(out), KN_F64);
    expect_values(out, 5);
}

KN_TEST_GROUP(test_control_face)
{
    const struct CMUnitTest tests[] = {
        TEST(a_scan_hands_its_carry_on_and_stacks_its_outputs),
        TEST(a_reverse_scan_begins_at_the_end),
        TEST(a_scan_of_no_steps_gives_the_carry_back),
        TEST(unroll_is_a_hint),
        TEST(a_scan_of_nothing_needs_a_length),
        TEST(carries_inputs_and_outputs_may_be_several),
        TEST(captured_arrays_of_a_scan_are_operands),
        TEST(captured_arrays_stand_in_the_order_of_their_use_as_in_jax),
        TEST(a_scan_is_differentiated_by_captured_arrays_and_inputs),
        TEST(a_scan_has_forward_derivatives),
        TEST(a_scan_is_batched),
        TEST(checkpoints_change_no_gradient),
        TEST(each_step_is_told),
        TEST(trees_are_carries_and_results),
        TEST(a_number_in_the_carry_takes_the_dtype_that_comes_back),
        TEST(a_number_meets_the_dtypes_inside_of_a_jitted_body),
        TEST(a_number_alone_has_its_own_dtype),
        TEST(a_number_that_a_body_returns_takes_the_carrys_dtype),
        TEST(a_counted_loop_takes_the_index),
        TEST(a_counted_loop_may_have_no_rounds),
        TEST(known_bounds_have_reverse_derivatives),
        TEST(unknown_bounds_have_forward_derivatives),
        TEST(each_lane_has_its_own_bound),
        TEST(the_index_has_the_dtype_of_the_bounds),
        TEST(known_bounds_are_a_scan_as_in_jax),
        TEST(unknown_bounds_are_a_while_as_in_jax),
        TEST(a_bounded_loop_ends_at_its_bound),
        TEST(a_condition_may_be_a_truth_value),
        TEST(a_bounded_loop_has_reverse_derivatives),
        TEST(a_number_that_a_loop_begins_with_takes_the_dtype_that_comes_back),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
