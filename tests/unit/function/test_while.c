/* SPDX-License-Identifier: Apache-2.0
 * test_while.c -- loops that stay inside a trace: values, captured arrays, jit, vmap lane by lane, forward derivatives,
 * what is refused, and that long loops need no memory. */
#include "support/group.h"
#include "support/programs.h"
#include "support/expect.h"

typedef struct {
    kn_array a, x, previous;
} Newton;
static kn_array moving(const Newton *n) { return kn_greater(kn_abs(kn_sub(n->x, n->previous)), 1e-12); }
static Newton improve(const Newton *n) { return (Newton){n->a, kn_mul(0.5, kn_add(n->x, kn_div(n->a, n->x))), n->x}; }
KN_FUNCTION(moving, kn_array, Newton)
KN_FUNCTION(improve, Newton, Newton)
static kn_array newton_sqrt(const kn_array *a)
{
    Newton start = {*a, *a, kn_scalar(0.0)}, end;
    kn_while_loop(KN_FN(moving), KN_FN(improve), &end, &start);
    return end.x;
}
KN_FUNCTION(newton_sqrt, kn_array, kn_array)

typedef struct {
    kn_array i, x;
} Counted;
typedef struct {
    kn_array n, w;
} Given;
static kn_array below_n(const Given *g, const Counted *c) { return kn_less(c->i, g->n); }
static Counted add_w(const Given *g, const Counted *c)
{
    return (Counted){kn_add(c->i, 1), kn_add(kn_mul(c->x, 0.5), g->w)};
}
KN_CLOSURE(below_n, kn_array, Given, Counted)
KN_CLOSURE(add_w, Counted, Given, Counted)
static kn_array recur(const Given *g, const kn_array *x)
{
    Counted start = {kn_scalar(0), *x}, end;
    kn_while_loop(KN_CLOSE(below_n, g), KN_CLOSE(add_w, g), &end, &start);
    return end.x;
}
KN_FUNCTION(recur, kn_array, Given, kn_array)

static void a_loop_runs_until_its_condition_fails(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array two = kn_scalar(2.0), out;
    kn_call(KN_FN(newton_sqrt), &out, &two);
    expect_values(out, 1.414213562373095);
    kn_call(kn_jit(KN_FN(newton_sqrt)), &out, &two);
    expect_values(out, 1.414213562373095);
}

static void a_loop_that_never_starts_gives_its_beginning(void **state)
{
    (void)state;
    KN_SCOPE;
    Given g = {kn_scalar(-1), kn_scalar(5.0)};
    kn_array x = kn_of(double, 1, 2, 3), out;
    kn_call(KN_FN(recur), &out, &g, &x);
    expect_values(out, 1, 2, 3);
    kn_array none = kn_zeros(KN_SHAPE(0));
    g.n = kn_scalar(3);
    kn_call(KN_FN(recur), &out, &g, &none);
    assert_int_equal(kn_size(out), 0);
}

static void captured_arrays_are_operands(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), out;
    Given g = {kn_scalar(2), kn_of(double, 10, 20)};
    kn_fn f = kn_jit(KN_FN(recur));
    kn_call(f, &out, &g, &x);
    expect_values(out, 15.25, 30.5);
    g.n = kn_scalar(1);
    kn_call(f, &out, &g, &x);
    expect_values(out, 10.5, 21);
    assert_int_equal(kn_fn_trace_count(f), 1);
}

static kn_array under_ten(const kn_array *x, const kn_array *y) { return kn_less(kn_sum(kn_add(*x, *y)), 10); }
static Counted trade(const kn_array *x, const kn_array *y) { return (Counted){*y, kn_add(*x, 1)}; }
KN_FUNCTION(under_ten, kn_array, kn_array, kn_array)
KN_FUNCTION(trade, Counted, kn_array, kn_array)

static void carries_may_trade_places(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(1.0), y = kn_scalar(2.0);
    Counted end;
    kn_while_loop(KN_FN(under_ten), KN_FN(trade), &end, KN_ARGS(&x, &y)); /* 1 2, 2 2, 2 3, 3 3, 3 4, 4 4, 4 5, 5 5 */
    expect_values(end.i, 5);
    expect_values(end.x, 5);
}

/* An update in the body is made in the carry's own memory. */
static kn_array not_full(const Counted *c) { return kn_less(c->i, 1000); }
static Counted set_one(const Counted *c)
{
    kn_array x = kn_add(c->x, 0);
    kn_set_at(x, c->i, "%", c->i);
    return (Counted){kn_add(c->i, 1), x};
}
KN_FUNCTION(not_full, kn_array, Counted)
KN_FUNCTION(set_one, Counted, Counted)

static void a_body_may_update_its_carry(void **state)
{
    (void)state;
    KN_SCOPE;
    Counted start = {kn_scalar(0), kn_zeros(KN_SHAPE(1000))}, end;
    kn_while_loop(KN_FN(not_full), KN_FN(set_one), &end, &start);
    assert_true(kn_array_equal(end.x, kn_arange(0, 1000, 1)));
    assert_true(kn_array_equal(start.x, kn_zeros(KN_SHAPE(1000))));
}

/* --- nested ----------------------------------------------------------------------------------- */

static kn_array inner_goes(const Counted *c) { return kn_greater(c->i, 0); }
static Counted inner_step(const Counted *c) { return (Counted){kn_sub(c->i, 1), kn_add(c->x, c->i)}; }
KN_FUNCTION(inner_goes, kn_array, Counted)
KN_FUNCTION(inner_step, Counted, Counted)
static Counted outer_step(const Counted *c)
{
    Counted start = {c->i, c->x}, end;
    kn_while_loop(KN_FN(inner_goes), KN_FN(inner_step), &end, &start);
    return (Counted){kn_sub(c->i, 1), end.x};
}
KN_FUNCTION(outer_step, Counted, Counted)
static kn_array tetrahedral(const kn_array *n)
{
    Counted start = {*n, kn_scalar((int64_t)0)}, end;
    kn_while_loop(KN_FN(inner_goes), KN_FN(outer_step), &end, &start);
    return end.x;
}
KN_FUNCTION(tetrahedral, kn_array, kn_array)

static void loops_nest(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array n = kn_scalar((int64_t)4), many = kn_of(int64_t, 4, 0, 1, 10), out;
    kn_call(KN_FN(tetrahedral), &out, &n);
    expect_values(out, 20);
    kn_call(kn_jit(kn_vmap(KN_FN(tetrahedral))), &out, &many);
    expect_values(out, 20, 0, 1, 220);
}

/* --- vmap ------------------------------------------------------------------------------------- */

static void each_lane_stops_when_it_is_done(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array many = kn_of(double, 4, 9, 2, 1e6, 0.3), out, one;
    kn_call(kn_jit(kn_vmap(KN_FN(newton_sqrt))), &out, &many);
    for (int i = 0; i < 5; i++) {
        kn_array x = kn_at(many, "%", i);
        kn_call(kn_jit(KN_FN(newton_sqrt)), &one, &x);
        assert_true(kn_array_equal(one, kn_at(out, "%", i)));
    }
}

static void every_choice_of_batched_operands_is_a_loop_over_lanes(void **state)
{
    (void)state;
    KN_SCOPE;
    Given all = {kn_of(int64_t, 3, 0, 7), kn_reshape(kn_arange(0, 6, 1.0), KN_SHAPE(3, 2))};
    kn_array xs = kn_reshape(kn_arange(5, 11, 1.0), KN_SHAPE(3, 2));
    for (int mask = 1; mask < 4; mask++) {
        kn_mapping g_axis = mask & 1 ? KN_MAPPED(0) : KN_UNMAPPED, x_axis = mask & 2 ? KN_MAPPED(0) : KN_UNMAPPED;
        Given g0 = {kn_at(all.n, "0"), kn_at(all.w, "0")}, g = mask & 1 ? all : g0;
        kn_array x0 = kn_at(xs, "0"), x = mask & 2 ? xs : x0, out, one;
        kn_call(kn_vmap(KN_FN(recur), .in_axes = {g_axis, x_axis}), &out, &g, &x);
        for (int i = 0; i < 3; i++) {
            Given gi = mask & 1 ? (Given){kn_at(all.n, "%", i), kn_at(all.w, "%", i)} : g0;
            kn_array xi = mask & 2 ? kn_at(xs, "%", i) : x0;
            kn_call(KN_FN(recur), &one, &gi, &xi);
            assert_true(kn_array_equal(one, kn_at(out, "%", i)));
        }
    }
}

/* --- derivatives ------------------------------------------------------------------------------ */

static void forward_derivatives_go_through_a_loop(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_scalar(2.0), da = kn_scalar(1.0), y, dy;
    kn_jvp(KN_FN(newton_sqrt), KN_ARGS(&a), KN_ARGS(&da), &y, &dy);
    expect_near(y, 1e-15, sqrt(2));
    expect_near(dy, 1e-12, 0.5 / sqrt(2));
    kn_call(kn_jit(kn_jacfwd(KN_FN(newton_sqrt))), &dy, &a);
    expect_near(dy, 1e-12, 0.5 / sqrt(2));
    kn_call(kn_linearize(KN_FN(newton_sqrt), KN_ARGS(&a), &y), &dy, &da);
    expect_near(dy, 1e-12, 0.5 / sqrt(2));
    kn_call(kn_jacfwd(kn_jacfwd(KN_FN(newton_sqrt))), &dy, &a);
    expect_near(dy, 1e-10, -0.25 * pow(2, -1.5));
}

static void derivatives_agree_with_differences(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array n = kn_scalar(5), zero = kn_scalar(0), x = kn_of(double, 1, -2), dx = kn_of(double, 0.5, 1), up, down, y,
             dy;
    Given g = {n, kn_of(double, 3, 0.25)}, dg = {zero, kn_of(double, -1, 2)};
    Given g_up = {n, kn_add(g.w, kn_mul(dg.w, 1e-6))}, g_down = {n, kn_sub(g.w, kn_mul(dg.w, 1e-6))};
    kn_array x_up = kn_add(x, kn_mul(dx, 1e-6)), x_down = kn_sub(x, kn_mul(dx, 1e-6));
    kn_call(KN_FN(recur), &up, &g_up, &x_up);
    kn_call(KN_FN(recur), &down, &g_down, &x_down);
    kn_jvp(KN_FN(recur), KN_ARGS(&g, &x), KN_ARGS(&dg, &dx), &y, &dy);
    assert_true(kn_allclose(dy, kn_div(kn_sub(up, down), 2e-6), .atol = 1e-8));
    kn_call(kn_jit(kn_vmap(kn_jacfwd(KN_FN(newton_sqrt)))), &dy, &(kn_array){kn_of(double, 4, 9, 100)});
    expect_near(dy, 1e-12, 0.25, 1.0 / 6, 0.05);
}

static kn_array jitted_sqrt(const kn_array *a)
{
    kn_array y;
    kn_call(kn_jit(KN_FN(newton_sqrt)), &y, a);
    return y;
}
KN_FUNCTION(jitted_sqrt, kn_array, kn_array)
static Counted sqrt_and_slope(const kn_array *a)
{
    kn_array one = kn_scalar(1.0);
    Counted out;
    kn_jvp(KN_FN(jitted_sqrt), KN_ARGS(a), KN_ARGS(&one), &out.i, &out.x);
    return out;
}
KN_FUNCTION(sqrt_and_slope, Counted, kn_array)

static int occurrences(const char *text, const char *part)
{
    int n = 0;
    for (const char *p = text; (p = strstr(p, part)); p++)
        n++;
    return n;
}

static void a_jitted_loop_runs_once_for_value_and_tangent(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_scalar(2.0);
    Counted out;
    kn_call(KN_FN(sqrt_and_slope), &out, &a);
    expect_near(out.i, 1e-15, sqrt(2));
    expect_near(out.x, 1e-12, 0.5 / sqrt(2));
    const char *text = kn_jaxpr_text(kn_make_jaxpr(KN_FN(sqrt_and_slope), KN_ARGS(&a)), KN_JAXPR_TYPED);
    assert_int_equal(occurrences(text, "while["), 1);
    assert_int_equal(occurrences(text, "jit["), 1);
    kn_call(kn_jacfwd(KN_FN(sqrt_and_slope)), &out, &a); /* and is divided again where that is needed */
    expect_near(out.x, 1e-10, -0.25 * pow(2, -1.5));
}

static kn_array count_only(const kn_array *x)
{
    Counted start = {kn_scalar(3), kn_scalar(0)}, end;
    kn_while_loop(KN_FN(inner_goes), KN_FN(inner_step), &end, &start);
    return kn_mul(*x, end.x);
}
KN_FUNCTION(count_only, kn_array, kn_array)

static void a_loop_without_tangents_is_a_constant(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(2.0), g;
    kn_call(kn_grad(KN_FN(count_only)), &g, &x);
    expect_values(g, 6);
}

static void reverse_derivatives_are_refused(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_scalar(2.0), g;
    kn_call(kn_grad(KN_FN(newton_sqrt)), &g, &a);
    expect_error_with("ValueError",
                      "Reverse-mode differentiation does not work for lax.while_loop or lax.fori_loop with dynamic "
                      "start/stop values. Try using lax.scan, or using fori_loop with static start/stop.");
    kn_call(kn_jit(kn_grad(kn_jit(KN_FN(newton_sqrt)))), &g, &a);
    expect_error_with("ValueError", "Reverse-mode differentiation does not work");
}

/* --- texts ------------------------------------------------------------------------------------ */

static void a_loop_prints_as_in_jax(void **state)
{
    (void)state;
    KN_SCOPE;
    Given g = {kn_scalar(3), kn_scalar(1.0)};
    kn_array x = kn_scalar(2.0);
    kn_jaxpr j = kn_make_jaxpr(KN_FN(recur), KN_ARGS(&g, &x));
    assert_string_equal(kn_jaxpr_text(j, KN_JAXPR_TYPED), "{ lambda ; a:i32[] b:f64[] c:f64[]. let\n"
                                                          "    _:i32[] d:f64[] = while[\n"
                                                          "      body_jaxpr={ lambda ; e:f64[] f:i32[] g:f64[]. let\n"
                                                          "          h:i32[] = add f 1:i32[]\n"
                                                          "          i:f64[] = mul g 0.5:f64[]\n"
                                                          "          j:f64[] = add i e\n"
                                                          "        in (h, j) }\n"
                                                          "      body_nconsts=1\n"
                                                          "      cond_jaxpr={ lambda ; k:i32[] l:i32[] m:f64[]. let\n"
                                                          "          n:bool[] = lt l k\n"
                                                          "        in (n,) }\n"
                                                          "      cond_nconsts=1\n"
                                                          "    ] a b 0:i32[] c\n"
                                                          "  in (d,) }");
    kn_jaxpr again = kn_jaxpr_parse(kn_jaxpr_text(j, KN_JAXPR_FULL));
    assert_true(kn_jaxpr_equal(j, again));
}

/* --- what is refused -------------------------------------------------------------------------- */

static Counted widen(const Counted *c) { return (Counted){c->i, kn_add(c->x, kn_of(double, 1, 2))}; }
static Counted to_float(const Counted *c) { return (Counted){kn_mul(c->i, 0.5), c->x}; }
static kn_array both(const Counted *c) { return kn_greater(kn_add(c->x, kn_of(double, 1, 2)), 0); }
static kn_array number(const Counted *c) { return c->x; }
static Counted ask(const Counted *c) { return kn_item(c->x) > 0 ? *c : *c; }
static kn_array below_two(const Counted *c) { return kn_less(c->x, 2); }
static Counted ones(const Counted *c) { return (void)c, (Counted){kn_num(1), kn_num(2)}; }
KN_FUNCTION(below_two, kn_array, Counted)
KN_FUNCTION(ones, Counted, Counted)
KN_FUNCTION(widen, Counted, Counted)
KN_FUNCTION(to_float, Counted, Counted)
KN_FUNCTION(both, kn_array, Counted)
KN_FUNCTION(number, kn_array, Counted)
KN_FUNCTION(ask, Counted, Counted)

static void messages_name_the_array_and_both_types(void **state)
{
    (void)state;
    KN_SCOPE;
    Counted start = {kn_scalar(3), kn_scalar(1.0)}, end;
    assert_int_equal(kn_while_loop(KN_FN(inner_goes), KN_FN(widen), &end, &start), -1);
    expect_error("TypeError",
                 "while_loop: body function carry input and carry output must have equal types, but they differ: the "
                 "input carry component carry[1] has type float64[] but the corresponding output carry component has "
                 "type float64[2], so the shapes do not match");
    assert_int_equal(kn_while_loop(KN_FN(inner_goes), KN_FN(to_float), &end, &start), -1);
    expect_error_with("TypeError", "carry[0] has type int32[] but the corresponding output carry component has type "
                                   "float64[], so the dtypes do not match");
    assert_int_equal(kn_while_loop(KN_FN(both), KN_FN(inner_step), &end, &start), -1);
    expect_error("TypeError", "while_loop: cond_fun must return a boolean scalar, but got output type bool[2]");
    assert_int_equal(kn_while_loop(KN_FN(number), KN_FN(inner_step), &end, &start), -1);
    expect_error("TypeError", "while_loop: cond_fun must return a boolean scalar, but got output type float64[]");
    assert_int_equal(kn_while_loop(KN_FN(inner_step), KN_FN(inner_step), &end, &start), -1);
    expect_error("TypeError", "while_loop: cond_fun must return a boolean scalar, but got 2 arrays");
    assert_int_equal(kn_while_loop(KN_FN(inner_goes), KN_FN(number), &end, &start), -1);
    expect_error("TypeError",
                 "while_loop: body function carry input and carry output must have the same structure, but they "
                 "differ: number takes 2 arrays and returns 1");
    kn_array x = kn_scalar(1.0);
    assert_int_equal(kn_while_loop(KN_FN(under_ten), KN_FN(inner_step), &end, &x), -1);
    expect_error("TypeError", "while_loop: cond_fun under_ten and body_fun inner_step must take the same arguments");
}

static void values_are_not_known_in_a_loop(void **state)
{
    (void)state;
    KN_SCOPE;
    Counted start = {kn_scalar(3), kn_scalar(1.0)}, end;
    kn_while_loop(KN_FN(inner_goes), KN_FN(ask), &end, &start);
    expect_error_with("ConcretizationError", "is not known while ask is traced by while_loop");
}

static void numbers_that_a_body_returns_take_the_carrys_dtype(void **state)
{
    (void)state;
    KN_SCOPE;
    Counted start = {kn_scalar(0.0f), kn_scalar(0)}, end;
    kn_while_loop(KN_FN(below_two), KN_FN(ones), &end, &start);
    expect_values(end.i, 1);
    expect_values(end.x, 2);
    assert_ptr_equal(kn_dtype_of(end.i), KN_F32);
}

static Counted take_row(const Counted *c)
{
    kn_array table = kn_of(double, 1, 2, 3);
    return (Counted){kn_add(c->i, 1), kn_add(c->x, kn_at(table, "%", c->i))};
}
KN_FUNCTION(take_row, Counted, Counted)

static void an_error_in_the_body_stops_the_loop(void **state)
{
    (void)state;
    KN_SCOPE;
    Counted start = {kn_scalar(0), kn_scalar(0.0)}, end;
    kn_while_loop(KN_FN(not_full), KN_FN(take_row), &end, &start);
    kn_eval(end.x);
    expect_error_with("IndexError", "index 3 is out of bounds");
    assert_false(kn_ok(end.x));
}

/* --- long loops, failing memory ----------------------------------------------------------------- */

/* The allocations that a call of f makes. */
static int64_t allocations(kn_fn f, const Given *g, const kn_array *x)
{
    kn_array out;
    int64_t before = knx_alloc_count();
    kn_call(f, &out, g, x);
    kn_eval(out);
    return knx_alloc_count() - before;
}

static void a_million_rounds_need_no_memory(void **state)
{
    (void)state;
    KN_SCOPE;
    Given few = {kn_scalar(3), kn_scalar(1.0)}, many = {kn_scalar(1000000), few.w};
    kn_array x = kn_of(double, 0, 1), out;
    kn_fn f = kn_jit(KN_FN(recur));
    allocations(f, &few, &x);
    allocations(f, &few, &x);
    assert_int_equal(allocations(f, &many, &x), allocations(f, &few, &x));
    kn_call(f, &out, &many, &x);
    expect_values(out, 2, 2);
}

static void each_allocation_of_a_loop_may_fail(void **state)
{
    (void)state;
    for (int64_t k = 0, done = 0; !done; k++) {
        KN_SCOPE;
        kn_array many = kn_of(double, 4, 9, 2), tangent = kn_of(double, 1, 1, 1), out, slope;
        kn_fn f = kn_vmap(KN_FN(newton_sqrt));
        knx_fail_after(k, true);
        kn_jvp(f, KN_ARGS(&many), KN_ARGS(&tangent), &out, &slope);
        kn_eval(slope);
        knx_fail_after(-1, false);
        done = !kn_error_pending();
        kn_error_clear();
        if (done)
            expect_near(slope, 1e-12, 0.25, 1.0 / 6, 0.5 / sqrt(2));
    }
}

static void the_first_number_that_is_none_is_found_in_the_body(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_scalar(-1.0), out;
    kn_check_nans(true);
    Newton start = {a, kn_scalar(0.0), kn_scalar(1.0)}, end;
    kn_while_loop(KN_FN(moving), KN_FN(improve), &end, &start); /* -1 / 0 is no NaN, but what follows is */
    out = end.x;
    kn_eval(out);
    kn_check_nans(false);
    expect_error_with("ValueError", "inf encountered in div");
}

/* --- random loops ----------------------------------------------------------------------------- */

/* The bodies take i and some carries of few types; the next carries are any values of their types: themselves, each
 * other, twice the same one, updates of one, values of long chains. */
static kni_jaxpr *random_body(uint64_t seed, int n, const kni_type *type)
{
    kni_builder b;
    knb_init(&b);
    test_maker m = {.b = &b, .state = seed};
    kni_atom i = knb_invar(&b, SCALAR(I32)), out[8] = {knb_add(&b, i, knb_integer(&b, KN_DT(I32), 1))};
    for (int k = 0; k < n; k++)
        m.pool[m.n++] = knb_invar(&b, type[k]);
    for (int e = 0, many = test_below(&m.state, 14); e < many; e++) {
        kni_atom x = test_pick(&m);
        switch (test_below(&m.state, 4)) {
        case 0: test_views(&m); break;
        case 1:
            if (knb_type(&b, x).ndim == 1 && knb_type(&b, x).dtype == KN_DT(F32)) {
                kni_atom one = knb_broadcast_in_dim(&b, knb_convert(&b, i, KN_DT(F32)), 1, (const int64_t[]){1}, NULL);
                test_keep(&m, knb_dynamic_update_slice(&b, x, one, &i));
            }
            break;
        default: test_elementwise(&m); break;
        }
        knx_error_release(knb_take_error(&b));
    }
    for (int k = 0; k < n; k++) {
        do
            out[k + 1] = test_below(&m.state, 3) ? test_pick(&m) : m.pool[test_below(&m.state, n)];
        while (knb_type(&b, out[k + 1]).dtype != type[k].dtype ||
               !kni_type_same_shape(knb_type(&b, out[k + 1]), type[k]));
    }
    return test_finish(&b, n + 1, out);
}

static kni_jaxpr *below_limit(int n, const kni_type *type)
{
    kni_builder b;
    knb_init(&b);
    kni_atom limit = knb_invar(&b, SCALAR(I32)), i = knb_invar(&b, SCALAR(I32));
    for (int k = 0; k < n; k++)
        knb_invar(&b, type[k]);
    return FINISH(&b, knb_lt(&b, i, limit));
}

/* As a loop, or as rounds in a row. */
static kni_jaxpr *rounds(kni_jaxpr *body, int n, const kni_type *type, int how_many, bool loop)
{
    kni_builder b;
    knb_init(&b);
    kni_atom limit = knb_integer(&b, KN_DT(I32), how_many), at[8] = {limit, knb_integer(&b, KN_DT(I32), 0)};
    for (int k = 0; k < n; k++)
        at[k + 2] = knb_invar(&b, type[k]);
    if (loop) {
        kni_jaxpr *condition = below_limit(n, type);
        knb_while(&b, &(kni_p_while){body, 0, condition, 1, 0, 0, 0}, at, at + 1);
        kni_release(condition);
    }
    for (int i = 0; !loop && i < how_many; i++)
        knb_inline(&b, body, at + 1, at + 1);
    return test_finish(&b, n, at + 2);
}

static void random_loops_are_their_rounds_in_a_row(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        uint64_t r = seed * 977;
        int n = 1 + test_below(&r, 5), how_many = test_below(&r, 5);
        kni_type type[5], some[] = {F32(6), F32(6), SCALAR(F32), F32(2, 3), test_type(KN_DT(I32), 1, (int64_t[]){6})};
        for (int k = 0; k < n; k++)
            type[k] = some[test_below(&r, 5)];
        kni_jaxpr *body = random_body(seed, n, type), *j[2];
        knx_buffer *out[4][8];
        for (int how = 0; how < 4; how++) {
            j[how & 1] = rounds(body, n, type, how_many, how & 1);
            test_operands x = test_make_operands(j[how & 1], seed);
            knd_loaded *p = test_compile(j[how & 1], how & 2);
            test_ok(knd_run(p, x.in, out[how], NULL));
            for (int k = 0; how && k < n; k++)
                if (test_difference(type[k], out[0][k]->data, out[how][k]->data) >= 0)
                    fail_msg("seed %d: carry %d differs (%d)", (int)seed, k, how);
            knd_release(p);
            test_free_operands(&x);
            kni_release(j[how & 1]);
        }
        for (int how = 0; how < 4; how++)
            test_release(n, out[how]);
        kni_release(body);
    }
}

static void an_update_of_a_carry_copies_nothing(void **state)
{
    (void)state;
    kni_type type[1] = {F32(1000)};
    kni_builder b;
    knb_init(&b);
    kni_atom i = knb_invar(&b, SCALAR(I32)), x = knb_invar(&b, type[0]);
    kni_atom one = knb_broadcast_in_dim(&b, knb_convert(&b, i, KN_DT(F32)), 1, (const int64_t[]){1}, NULL);
    kni_atom next = knb_add(&b, i, knb_integer(&b, KN_DT(I32), 1));
    kni_jaxpr *body = FINISH(&b, next, knb_dynamic_update_slice(&b, x, one, &i)), *j = rounds(body, 1, type, 5, true);
    knd_loaded *p = test_compile(j, true);
    const knc_loop *l = NULL;
    for (uint32_t s = 0; s < p->program->n_step; s++)
        if (p->program->step[s].kind == KNC_LOOP)
            l = p->program->step[s].u.r.loop;
    assert_non_null(l);
    assert_int_equal(knc_copied_bytes(l->body), 0);
    assert_true(l->second[1] == KNC_IN_PLACE);
    assert_true(l->second[0] != KNC_IN_PLACE);
    knd_release(p);
    kni_release(j);
    kni_release(body);
}

KN_TEST_GROUP(test_while)
{
    const struct CMUnitTest tests[] = {
        TEST(a_loop_runs_until_its_condition_fails),
        TEST(a_loop_that_never_starts_gives_its_beginning),
        TEST(captured_arrays_are_operands),
        TEST(carries_may_trade_places),
        TEST(a_body_may_update_its_carry),
        TEST(loops_nest),
        TEST(each_lane_stops_when_it_is_done),
        TEST(every_choice_of_batched_operands_is_a_loop_over_lanes),
        TEST(forward_derivatives_go_through_a_loop),
        TEST(derivatives_agree_with_differences),
        TEST(a_jitted_loop_runs_once_for_value_and_tangent),
        TEST(a_loop_without_tangents_is_a_constant),
        TEST(reverse_derivatives_are_refused),
        TEST(a_loop_prints_as_in_jax),
        TEST(messages_name_the_array_and_both_types),
        TEST(values_are_not_known_in_a_loop),
        TEST(numbers_that_a_body_returns_take_the_carrys_dtype),
        TEST(an_error_in_the_body_stops_the_loop),
        TEST(a_million_rounds_need_no_memory),
        TEST(each_allocation_of_a_loop_may_fail),
        TEST(an_update_of_a_carry_copies_nothing),
        TEST(random_loops_are_their_rounds_in_a_row),
        TEST(the_first_number_that_is_none_is_found_in_the_body),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
