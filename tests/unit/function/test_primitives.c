/* SPDX-License-Identifier: Apache-2.0
 * test_primitives.c -- primitives of the user's own: what every transformation makes of them. What a definition must
 * be, and what goes wrong, is in test_primitives_errors.c. */
#include "support/expect.h"
#include "support/group.h"
#include "support/primitives.h"

/* ---- Functions of them. */

static kn_array clip2(const kn_array *x) { return kn_bind(soft_clip(), KN_LIST(*x), &(soft_clip_params){2}); }
KN_FUNCTION(clip2, kn_array, kn_array)
static kn_array sum_clip2(const kn_array *x) { return kn_sum(clip2(x)); }
KN_FUNCTION(sum_clip2, kn_array, kn_array)
static kn_array plain2(const kn_array *x) { return kn_mul(2, kn_tanh(kn_div(*x, 2))); }
KN_FUNCTION(plain2, kn_array, kn_array)
static kn_array sum_plain2(const kn_array *x) { return kn_sum(plain2(x)); }
KN_FUNCTION(sum_plain2, kn_array, kn_array)
static kn_array blurred(const kn_array *x) { return kn_bind(blur(), KN_LIST(*x)); }
KN_FUNCTION(blurred, kn_array, kn_array)
static kn_array row_blurred(const kn_array *x) { return kn_bind(blur_rows(), KN_LIST(*x)); }
KN_FUNCTION(row_blurred, kn_array, kn_array)
static kn_array blurred_energy(const kn_array *x) { return kn_sum(kn_power(blurred(x), 3)); }
KN_FUNCTION(blurred_energy, kn_array, kn_array)
static kn_array formed(const kn_array *x, const kn_array *m, const kn_array *y)
{
    return kn_bind(form(), KN_LIST(*x, *m, *y));
}
KN_FUNCTION(formed, kn_array, kn_array, kn_array, kn_array)

static kn_array points(void) { return kn_of(double, -3, -0.5, 0, 0.25, 2); }

static void expect_same(kn_array x, kn_array y) { assert_true(kn_item_bool(kn_array_equal(x, y))); }
static void expect_close(kn_array x, kn_array y)
{
    assert_true(kn_item_bool(kn_all(kn_less(kn_abs(kn_sub(x, y)), 1e-12))));
}

/* ---- Values. */

static void an_expression_has_the_values_of_what_it_says(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = points(), y;
    expect_same(clip2(&x), plain2(&x));
    kn_call(kn_jit(KN_FN(clip2)), &y, &x);
    expect_same(y, plain2(&x));
}

static void defaults_stand_for_parameters(void **state)
{
    (void)state;
    KN_SCOPE;
    expect_same(kn_bind(soft_clip(), KN_LIST(points())), kn_tanh(points()));
}

static void c_code_runs_on_memory(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array y;
    expect_near(kn_bind(blur(), KN_LIST(kn_of(double, 3, 6, 9))), 1e-15, 3, 6, 5);
    kn_array m = kn_transpose(kn_reshape(kn_arange(0, 6, 1, .dtype = KN_F64), KN_SHAPE(3, 2))); /* not contiguous */
    kn_call(kn_jit(KN_FN(blurred)), &y, &m);
    expect_near(y, 1e-15, 2. / 3, 2, 2, 4. / 3, 3, 8. / 3);
}

static void several_results_come_as_a_list(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_list y = kn_bind_all(parts(), KN_LIST(kn_of(int64_t, 7, -7, 9), kn_of(int64_t, 2, 2, 3)));
    assert_int_equal(kn_list_count(y), 2);
    expect_values(kn_list_get(y, 0), 3, -3, 3);
    expect_values(kn_list_get(y, 1), 1, -1, 0);
}

static kn_array remainder_only(const kn_array *x)
{
    return kn_list_get(kn_bind_all(parts(), KN_LIST(*x, kn_add(kn_zeros_like(*x), 4))), 1);
}
KN_FUNCTION(remainder_only, kn_array, kn_array)
static void a_result_that_nobody_reads_may_be_null(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(int64_t, 7, 8), y;
    kn_call(kn_jit(KN_FN(remainder_only)), &y, &x);
    expect_values(y, 3, 0);
}

/* ---- Types. */

static void arrays_keep_their_dtype_and_numbers_follow(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_ptr_equal(kn_dtype_of(kn_bind(soft_clip(), KN_LIST(kn_of(float, 1)))), KN_F32);
    assert_ptr_equal(kn_dtype_of(kn_bind(soft_clip(), KN_LIST(kn_astype(points(), KN_F16)))), KN_F16);
    assert_ptr_equal(kn_dtype_of(kn_bind(soft_clip(), KN_LIST(kn_astype(kn_of(float, 1), KN_C64)))), KN_C64);
    assert_ptr_equal(kn_dtype_of(kn_bind(soft_clip(), KN_LIST(1.5))), KN_F64);
}

static int pick_expression(const kn_primitive_call *c, const kn_array *x, kn_array *y)
{
    (void)c;
    y[0] = kn_where(x[0], x[1], x[2]);
    return 0;
}
static kn_primitive pick(void) { return kn_primitive_new("pick", .n_in = 3, .expression = pick_expression); }
static void operands_of_an_expression_broadcast_and_may_differ_in_dtype(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array y = kn_bind(pick(), KN_LIST(kn_of(bool, 1, 0), kn_reshape(kn_of(float, 1, 2), KN_SHAPE(2, 1)), 7));
    assert_ptr_equal(kn_dtype_of(y), KN_F32);
    assert_int_equal(kn_ndim(y), 2);
    expect_values(y, 1, 7, 2, 7);
}

static int constant_expression(const kn_primitive_call *c, const kn_array *x, kn_array *y)
{
    (void)c;
    y[0] = kn_num(3);
    y[1] = x[0];
    return 0;
}
static void an_expression_may_give_a_number(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_primitive p = kn_primitive_new("constant3", .n_in = 1, .n_out = 2, .expression = constant_expression);
    kn_list y = kn_bind_all(p, KN_LIST(points()));
    expect_values(kn_list_get(y, 0), 3, 3, 3, 3, 3);
}

/* ---- Texts. */

static void it_prints_under_its_name_with_its_parameters(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(float, 1, 2, 3);
    assert_string_equal(kn_jaxpr_text(kn_make_jaxpr(KN_FN(clip2), KN_ARGS(&x)), KN_JAXPR_TYPED),
                        "{ lambda ; a:f32[3]. let b:f32[3] = soft_clip[limit=2.0] a in (b,) }");
    assert_string_equal(kn_jaxpr_text(kn_make_jaxpr(KN_FN(clip2), KN_ARGS(&x)), KN_JAXPR_CLASSIC),
                        "{ lambda ; a.\n  let b = soft_clip[ limit=2.0 ] a\n  in b }");
}

typedef struct {
    bool flag;
    int64_t n;
    const char *text;
    kn_dtype dtype;
    kn_int_list ints;
    double number;
    kn_double_list numbers;
} many_params;
#define MANY(m) KN_PARAM(many_params, m)
static int many_compute(const kn_primitive_call *c, const kn_array *x, kn_array *y)
{
    const many_params *p = c->params;
    kn_array sum = kn_astype(x[0], p->dtype);
    for (int i = 0; i < p->ints.n; i++)
        sum = kn_add(sum, p->ints.v[i]);
    for (int i = 0; i < p->numbers.n; i++)
        sum = kn_add(sum, p->numbers.v[i]);
    y[0] = kn_mul(kn_add(sum, p->n, p->number), p->flag ? strcmp(p->text, "a \"b\"") == 0 : 0);
    return 0;
}
static kn_primitive many(void)
{
    return kn_primitive_new("many", .n_in = 1, .compute = many_compute,
                            .params = KN_PARAMS(many_params, MANY(flag), MANY(n), MANY(text), MANY(dtype), MANY(ints),
                                                MANY(number), MANY(numbers)));
}
static kn_array of_many(const kn_array *x)
{
    int64_t ints[] = {1, -2};
    double numbers[] = {0.1};
    return kn_bind(many(), KN_LIST(*x), &(many_params){true, 3, "a \"b\"", KN_F32, {2, ints}, 1e-300, {1, numbers}});
}
KN_FUNCTION(of_many, kn_array, kn_array)

static void parameters_of_all_kinds_print_in_order(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(1.0f);
    assert_string_equal(kn_jaxpr_text(kn_make_jaxpr(KN_FN(of_many), KN_ARGS(&x)), KN_JAXPR_TYPED),
                        "{ lambda ; a:f32[]. let\n"
                        "    b:f32[] = many[\n"
                        "      dtype=float32\n"
                        "      flag=True\n"
                        "      ints=(1, -2)\n"
                        "      n=3\n"
                        "      number=1e-300\n"
                        "      numbers=(0.1,)\n"
                        "      text=a \"b\"\n"
                        "    ] a\n"
                        "  in (b,) }");
    expect_near(of_many(&x), 1e-6, 3.1);
}

static void what_is_printed_is_read_back(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(1.0f), y;
    kn_jaxpr j = kn_make_jaxpr(KN_FN(of_many), KN_ARGS(&x));
    kn_jaxpr again = kn_jaxpr_parse(kn_jaxpr_text(j, KN_JAXPR_FULL));
    assert_true(kn_jaxpr_equal(j, again));
    kn_call(kn_fn_from_jaxpr(again), &y, &x);
    expect_same(y, of_many(&x));
    again = kn_jaxpr_parse_classic(kn_jaxpr_text(j, KN_JAXPR_CLASSIC), KN_LIST(x));
    assert_true(kn_jaxpr_equal(j, again));
    kn_call(
        kn_grad(kn_fn_from_jaxpr(kn_jaxpr_parse("{ lambda ; a:f64[]. let b:f64[] = soft_clip[limit=2.0] a in (b) }"))),
        &y, &(kn_array){kn_scalar(0.0)});
    expect_values(y, 1);
}

static kn_array two_limits(const kn_array *x)
{
    return kn_add(clip2(x), kn_bind(soft_clip(), KN_LIST(*x), &(soft_clip_params){3}), clip2(x));
}
KN_FUNCTION(two_limits, kn_array, kn_array)
static void parameters_are_part_of_what_an_equation_is(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = points(), y;
    kn_call(kn_jit(KN_FN(two_limits)), &y, &x);
    expect_close(y, kn_add(kn_mul(2, plain2(&x)), kn_mul(3, kn_tanh(kn_div(x, 3)))));
}

/* ---- Compiling. */

static kn_array chain(const kn_array *x) { return kn_exp(kn_negative(clip2(&(kn_array){kn_square(*x)}))); }
KN_FUNCTION(chain, kn_array, kn_array)
static void an_expression_is_fused_with_what_is_around_it(void **state)
{
    (void)state;
    KN_SCOPE;
    int n = 0;
    kn_array x = kn_zeros(KN_SHAPE(1000));
    const kn_group *g = kn_jaxpr_groups(kn_make_jaxpr(KN_FN(chain), KN_ARGS(&x)), &n);
    assert_int_equal(n, 1);
    assert_int_equal(g->kind, KN_STEP_KERNEL);
}

static kn_array chain_of_c(const kn_array *x) { return kn_exp(blurred(&(kn_array){kn_square(*x)})); }
KN_FUNCTION(chain_of_c, kn_array, kn_array)
static void c_code_is_a_routine(void **state)
{
    (void)state;
    KN_SCOPE;
    int n = 0, routines = 0;
    kn_array x = kn_zeros(KN_SHAPE(1000));
    const kn_group *g = kn_jaxpr_groups(kn_make_jaxpr(KN_FN(chain_of_c), KN_ARGS(&x)), &n);
    for (int i = 0; i < n; i++)
        routines += g[i].kind == KN_STEP_ROUTINE && !strcmp(g[i].operations, "blur");
    assert_int_equal(routines, 1);
    assert_int_equal(n, 3);
}

/* ---- Derivatives. */

static void gradients_of_all_orders(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = points(), a, b;
    kn_call(kn_grad(KN_FN(sum_clip2)), &a, &x);
    kn_call(kn_grad(KN_FN(sum_plain2)), &b, &x);
    expect_close(a, b);
    kn_call(kn_hessian(KN_FN(sum_clip2)), &a, &x);
    kn_call(kn_hessian(KN_FN(sum_plain2)), &b, &x);
    expect_close(a, b);
    kn_array s = kn_scalar(0.7);
    kn_call(kn_grad(kn_grad(kn_grad(KN_FN(clip2)))), &a, &s);
    kn_call(kn_grad(kn_grad(kn_grad(KN_FN(plain2)))), &b, &s);
    expect_close(a, b);
}

static void jvp_vjp_and_linearize(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = points(), t = kn_of(double, 1, 2, 3, 4, 5), y, a, b;
    kn_jvp(KN_FN(clip2), KN_ARGS(&x), KN_ARGS(&t), KN_OUT(&y), KN_OUT(&a));
    expect_same(y, plain2(&x));
    kn_jvp(KN_FN(plain2), KN_ARGS(&x), KN_ARGS(&t), KN_OUT(&y), KN_OUT(&b));
    expect_close(a, b);
    kn_call(kn_vjp(KN_FN(clip2), KN_ARGS(&x), KN_OUT(&y)), &a, &t);
    expect_close(a, b);
    kn_call(kn_linearize(KN_FN(clip2), KN_ARGS(&x), KN_OUT(&y)), &a, &t);
    expect_close(a, b);
}

static void linear_c_code_is_its_own_derivative(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3), t = kn_of(double, 3, 0, 0), y, a;
    kn_jvp(KN_FN(blurred), KN_ARGS(&x), KN_ARGS(&t), KN_OUT(&y), KN_OUT(&a));
    expect_near(a, 1e-15, 1, 1, 0);
    kn_call(kn_grad(KN_FN(blurred_energy)), &a, &x); /* B (3 (B x)^2), B x = 1, 2, 5/3 */
    expect_near(a, 1e-12, 5, (3 + 12 + 25. / 3) / 3, (12 + 25. / 3) / 3);
    kn_call(kn_hessian(KN_FN(blurred_energy)), &a, &x); /* B 6 diag(B x) B */
    expect_near(kn_at(a, "0"), 1e-12, 2, 2, 4. / 3);
    kn_call(kn_linear_transpose(KN_FN(blurred), KN_ARGS(&x)), &a, &t);
    expect_near(a, 1e-15, 1, 1, 0);
}

static void products_are_linear_in_each_operand(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), m = kn_reshape(kn_of(double, 1, 2, 3, 4), KN_SHAPE(2, 2)),
             y = kn_of(double, 5, 6), g;
    expect_values(formed(&x, &m, &y), 95);
    kn_call(kn_grad(KN_FN(formed)), &g, &x, &m, &y);
    expect_values(g, 17, 39);
    kn_call(kn_grad(KN_FN(formed), .argnums = KN_ARGNUMS(1)), &g, &x, &m, &y);
    expect_values(g, 5, 6, 10, 12);
    kn_call(kn_grad(KN_FN(formed), .argnums = KN_ARGNUMS(2)), &g, &x, &m, &y);
    expect_values(g, 7, 10);
    kn_array dy;
    kn_jvp(KN_FN(formed), KN_ARGS(&x, &m, &y), KN_ARGS(&x, &m, &y), KN_OUT(&g), KN_OUT(&dy));
    expect_values(dy, 3 * 95);
    assert_non_null(strstr(
        kn_jaxpr_text(kn_make_jaxpr(kn_linearize(KN_FN(formed), KN_ARGS(&x, &m, &y), KN_OUT(&g)), KN_ARGS(&x, &m, &y)),
                      KN_JAXPR_TYPED),
        "form"));
}

static int total_compute(const kn_primitive_call *c, const kn_array *x, kn_array *y)
{
    y[0] = x[0];
    for (int i = 1; i < c->n_in; i++)
        y[0] = kn_add(y[0], x[i]);
    return 0;
}
static kn_array total(const kn_array *x, const kn_array *y)
{
    return kn_bind(kn_primitive_new("total", .n_in = -1, .compute = total_compute, .linear_in = ~0u),
                   KN_LIST(*x, *y, *x));
}
KN_FUNCTION(total, kn_array, kn_array, kn_array)
static void sums_are_linear_in_all_operands_together(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(3.0), y = kn_scalar(4.0), t = kn_scalar(1.0), g, dy;
    expect_values(total(&x, &y), 10);
    kn_jvp(KN_FN(total), KN_ARGS(&x, &y), KN_ARGS(&t, &t), KN_OUT(&g), KN_OUT(&dy));
    expect_values(dy, 3);
    kn_call(kn_grad(KN_FN(total)), &g, &x, &y);
    expect_values(g, 2);
}

/* Its derivative is a loop. */
static int power_compute(const kn_primitive_call *c, const kn_array *x, kn_array *y)
{
    (void)c;
    y[0] = kn_mul(x[0], x[0], x[0]);
    return 0;
}
static kn_array add_times(const kn_array *i, const kn_array *by, const kn_array *sum)
{
    (void)i;
    return kn_add(*sum, *by);
}
typedef struct {
    kn_array by, sum;
} Summing;
static Summing summing(const kn_array *i, const Summing *s) { return (Summing){s->by, add_times(i, &s->by, &s->sum)}; }
KN_FUNCTION(summing, Summing, kn_array, Summing)
static int power_jvp(const kn_primitive_call *c, const kn_array *x, const kn_array *y, int i, kn_array t, kn_array *ty)
{
    (void)c, (void)y, (void)i;
    Summing s = {kn_mul(kn_square(x[0]), t), kn_zeros_like(x[0])}, end;
    kn_fori_loop(0, 3, KN_FN(summing), &end, &s);
    ty[0] = end.sum;
    return 0;
}
static kn_array power(const kn_array *x)
{
    return kn_bind(kn_primitive_new("power3", .n_in = 1, .compute = power_compute, .jvp = power_jvp), KN_LIST(*x));
}
KN_FUNCTION(power, kn_array, kn_array)
static void a_derivative_may_be_a_loop(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(2.0), g;
    kn_call(kn_grad(KN_FN(power)), &g, &x);
    expect_values(g, 12);
    kn_call(kn_grad(kn_grad(KN_FN(power))), &g, &x);
    expect_values(g, 12);
    kn_call(kn_jit(kn_grad(KN_FN(power))), &g, &x);
    expect_values(g, 12);
}

/* ---- Batching. */

static void vmap_of_an_expression_is_itself(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array m = kn_reshape(kn_arange(0, 6, 1, .dtype = KN_F64), KN_SHAPE(2, 3)), y;
    kn_fn twice = kn_vmap(kn_vmap(KN_FN(clip2)));
    kn_call(twice, &y, &m);
    expect_same(y, plain2(&m));
    assert_string_equal(kn_jaxpr_text(kn_make_jaxpr(twice, KN_ARGS(&m)), KN_JAXPR_TYPED),
                        "{ lambda ; a:f64[2,3]. let b:f64[2,3] = soft_clip[limit=2.0] a in (b,) }");
}

static kn_array picked(const kn_array *which, const kn_array *x, const kn_array *y)
{
    return kn_bind(pick(), KN_LIST(*which, *x, *y));
}
KN_FUNCTION(picked, kn_array, kn_array, kn_array, kn_array)
static void lanes_of_scalars_line_up_with_arrays(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array which = kn_of(bool, 1, 0), x = kn_of(double, 1, 2, 3), y = kn_of(double, 10, 20), z;
    kn_call(kn_vmap(KN_FN(picked), .in_axes = {KN_MAPPED(0), KN_UNMAPPED, KN_MAPPED(0)}, .out_axes = {KN_MAPPED(1)}),
            &z, &which, &x, &y);
    expect_values(z, 1, 20, 2, 20, 3, 20);
}

static void c_code_is_batched_by_its_method(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array m = kn_reshape(kn_arange(0, 12, 1, .dtype = KN_F64), KN_SHAPE(2, 3, 2)), want, y;
    kn_array moved = kn_moveaxis(m, KN_AXIS(1), KN_AXIS(2));
    want = blurred(&moved);
    for (int rows = 0; rows < 2; rows++) {
        kn_fn f = kn_vmap(kn_vmap(rows ? KN_FN(row_blurred) : KN_FN(blurred), .in_axes = {KN_MAPPED(1)}));
        blur_calls = 0;
        kn_call(f, &y, &m);
        expect_same(y, want);
        assert_int_equal(blur_calls, rows ? 4 : 1);
    }
}

static kn_array energy_of_rows(const kn_array *m)
{
    kn_array y = NULL;
    kn_call(kn_vmap(KN_FN(row_blurred)), &y, m);
    return kn_sum(kn_power(y, 3));
}
KN_FUNCTION(energy_of_rows, kn_array, kn_array)
static void lanes_one_after_the_other_have_derivatives(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array m = kn_reshape(kn_of(double, 1, 2, 3, 1, 2, 3), KN_SHAPE(2, 3)), g;
    kn_call(kn_jit(kn_grad(KN_FN(energy_of_rows))), &g, &m);
    expect_near(kn_at(g, "1"), 1e-12, 5, (3 + 12 + 25. / 3) / 3, (12 + 25. / 3) / 3);
    kn_call(kn_vmap(kn_grad(KN_FN(blurred_energy))), &g, &m);
    expect_near(kn_at(g, "1"), 1e-12, 5, (3 + 12 + 25. / 3) / 3, (12 + 25. / 3) / 3);
}

static int row_sum_compute(const kn_primitive_call *c, const kn_array *x, kn_array *y)
{
    (void)c;
    y[0] = kn_sum(kn_mul(x[0], x[1]), KN_AXIS(-1));
    return 0;
}
static int batched_calls;
static int row_sum_batch(const kn_primitive_call *c, int64_t size, const int *axis, const kn_array *x, kn_array *y,
                         int *out_axis)
{
    batched_calls++;
    kn_array a = axis[0] < 0 ? x[0] : kn_moveaxis(x[0], KN_AXIS(axis[0]), KN_AXIS(0));
    kn_array b = axis[1] < 0 ? x[1] : kn_moveaxis(x[1], KN_AXIS(axis[1]), KN_AXIS(0));
    if (axis[0] < 0)
        a = kn_broadcast_to(a, KN_SHAPE(size, c->in[0].shape.dim[0]));
    y[0] = kn_bind(c->primitive, KN_LIST(a, b));
    out_axis[0] = 0;
    return 0;
}
static kn_array row_sum(const kn_array *x, const kn_array *y)
{
    return kn_bind(kn_primitive_new("row_sum", .n_in = 2, .compute = row_sum_compute, .batch = row_sum_batch),
                   KN_LIST(*x, *y));
}
KN_FUNCTION(row_sum, kn_array, kn_array, kn_array)
static void a_batch_rule_is_asked(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), m = kn_reshape(kn_of(double, 1, 2, 3, 4), KN_SHAPE(2, 2)), y;
    batched_calls = 0;
    kn_call(kn_vmap(KN_FN(row_sum), .in_axes = {KN_UNMAPPED, KN_MAPPED(1)}), &y, &x, &m);
    expect_values(y, 7, 10);
    kn_call(kn_vmap(KN_FN(row_sum), .in_axes = {KN_MAPPED(0), KN_UNMAPPED}), &y, &m, &x);
    expect_values(y, 5, 11);
    assert_int_equal(batched_calls, 2);
}

/* ---- Inside of loops, branches and checkpoints. */

static kn_array step(const kn_array *i, const kn_array *x)
{
    (void)i;
    kn_array y = clip2(x);
    return blurred(&y);
}
KN_FUNCTION(step, kn_array, kn_array, kn_array)
static kn_array three_steps(const kn_array *x)
{
    kn_array y = NULL;
    kn_fori_loop(0, 3, KN_FN(step), &y, x);
    return kn_sum(y);
}
KN_FUNCTION(three_steps, kn_array, kn_array)
static kn_array by_hand(const kn_array *x)
{
    kn_array y = *x;
    for (int i = 0; i < 3; i++)
        y = step(NULL, &y);
    return kn_sum(y);
}
KN_FUNCTION(by_hand, kn_array, kn_array)
static void loops_hold_them(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = points(), a, b;
    kn_fn ways[] = {kn_grad(KN_FN(three_steps)), kn_jit(kn_grad(KN_FN(three_steps))),
                    kn_grad(kn_checkpoint(KN_FN(three_steps))), kn_grad(kn_checkpoint(KN_FN(by_hand)))};
    kn_call(kn_grad(KN_FN(by_hand)), &b, &x);
    for (int i = 0; i < 4; i++) {
        kn_call(ways[i], &a, &x);
        expect_close(a, b);
    }
}

static kn_array is_large(const kn_array *x) { return kn_greater(kn_max(*x), 0.5); }
KN_FUNCTION(is_large, kn_array, kn_array)
static kn_array shrink(const kn_array *x) { return kn_mul(0.5, clip2(x)); }
KN_FUNCTION(shrink, kn_array, kn_array)
static void while_loops_and_branches_hold_them(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = points(), y, z = x;
    kn_while_loop(KN_FN(is_large), KN_FN(shrink), &y, &x);
    while (kn_item_bool(is_large(&z)))
        z = kn_mul(0.5, plain2(&z));
    expect_close(y, z);
    kn_cond(kn_less(kn_sum(x), 0), KN_FN(clip2), KN_FN(blurred), &y, &x);
    expect_same(y, plain2(&x));
    kn_array m = kn_reshape(kn_arange(0, 6, 1, .dtype = KN_F64), KN_SHAPE(2, 3));
    kn_call(kn_vmap(KN_FN(shrink)), &y, &m);
    expect_close(y, kn_mul(0.5, plain2(&m)));
}

/* ---- Effects, memory, contexts. */

static int64_t tallied[8], n_tallied;
static int tally_shape(const kn_primitive_call *c, kn_aval *out)
{
    out[0] = c->in[0];
    return 0;
}
static int tally_run(const kn_primitive_call *c, const void *const *x, void *const *y)
{
    tallied[n_tallied++ % 8] = *(const int64_t *)x[0];
    if (y[0])
        memcpy(y[0], x[0], sizeof(int64_t));
    return c->env == tallied ? 0 : 1;
}
static kn_primitive tally(void)
{
    return kn_primitive_new("tally", .n_in = 1, .run = tally_run, .shape = tally_shape, .effect = true, .env = tallied);
}
static kn_array tallies(const kn_array *x)
{
    kn_bind(tally(), KN_LIST(*x));
    kn_bind(tally(), KN_LIST(kn_add(*x, 1)));
    kn_bind(tally(), KN_LIST(*x));
    return *x;
}
KN_FUNCTION(tallies, kn_array, kn_array)
static void effects_are_kept_in_order(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar((int64_t)5), xs = kn_of(int64_t, 1, 2), y;
    n_tallied = 0;
    kn_call(kn_jit(KN_FN(tallies)), &y, &x);
    kn_eval(y);
    assert_int_equal(n_tallied, 3);
    assert_int_equal(tallied[1], 6);
    n_tallied = 0;
    kn_call(kn_vmap(KN_FN(tallies)), &y, &xs);
    kn_eval(y);
    assert_int_equal(n_tallied, 6);
}

static int kiln_inside_run(const kn_primitive_call *c, const void *const *x, void *const *y)
{
    KN_SCOPE;
    kn_array a = kn_mul(kn_from_memory(x[0], &c->in[0].shape, c->in[0].dtype), 2);
    return kn_copy_to(a, y[0], (size_t)kn_nbytes(a));
}
static void c_code_may_call_kiln(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_primitive p = kn_primitive_new("kiln_inside", .n_in = 1, .run = kiln_inside_run, .shape = blur_shape);
    kn_array x = points(), y = kn_bind(p, KN_LIST(kn_add(x, 1)));
    expect_close(y, kn_add(kn_mul(x, 2), 2));
}

static void it_belongs_to_all_contexts(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_primitive p = soft_clip();
    kn_context other = kn_context_new(.dtype = KN_F32);
    {
        KN_CONTEXT(other);
        KN_SCOPE;
        assert_ptr_equal(soft_clip(), p);
        kn_array x = kn_scalar(0.0), g;
        kn_call(kn_grad(KN_FN(clip2)), &g, &x);
        expect_values(g, 1);
        assert_ptr_equal(kn_dtype_of(g), KN_F32);
    }
    assert_int_equal(kn_context_free(other), 0);
}

static int recorded_times;
static int counted_compute(const kn_primitive_call *c, const kn_array *x, kn_array *y)
{
    (void)c;
    recorded_times++;
    y[0] = kn_add(x[0], 1);
    return 0;
}
static void functions_are_recorded_once_for_equal_types(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_primitive p = kn_primitive_new("counted", .n_in = 1, .compute = counted_compute);
    kn_array x = points();
    for (int i = 0; i < 5; i++)
        x = kn_bind(p, KN_LIST(x));
    expect_values(x, 2, 4.5, 5, 5.25, 7);
    assert_int_equal(recorded_times, 1);
    kn_bind(p, KN_LIST(kn_of(float, 1, 2)));
    assert_int_equal(recorded_times, 2);
}

static void it_is_found_by_its_name(void **state)
{
    (void)state;
    assert_ptr_equal(kn_primitive_named("soft_clip"), soft_clip());
    assert_null(kn_primitive_named("add"));
    assert_null(kn_primitive_named("nobody_made_this"));
    assert_string_equal(kn_primitive_name(soft_clip()), "soft_clip");
}

KN_TEST_GROUP(test_primitives)
{
    const struct CMUnitTest tests[] = {
        TEST(an_expression_has_the_values_of_what_it_says),
        TEST(defaults_stand_for_parameters),
        TEST(c_code_runs_on_memory),
        TEST(several_results_come_as_a_list),
        TEST(a_result_that_nobody_reads_may_be_null),
        TEST(arrays_keep_their_dtype_and_numbers_follow),
        TEST(operands_of_an_expression_broadcast_and_may_differ_in_dtype),
        TEST(an_expression_may_give_a_number),
        TEST(it_prints_under_its_name_with_its_parameters),
        TEST(parameters_of_all_kinds_print_in_order),
        TEST(what_is_printed_is_read_back),
        TEST(parameters_are_part_of_what_an_equation_is),
        TEST(an_expression_is_fused_with_what_is_around_it),
        TEST(c_code_is_a_routine),
        TEST(gradients_of_all_orders),
        TEST(jvp_vjp_and_linearize),
        TEST(linear_c_code_is_its_own_derivative),
        TEST(products_are_linear_in_each_operand),
        TEST(sums_are_linear_in_all_operands_together),
        TEST(a_derivative_may_be_a_loop),
        TEST(vmap_of_an_expression_is_itself),
        TEST(lanes_of_scalars_line_up_with_arrays),
        TEST(c_code_is_batched_by_its_method),
        TEST(lanes_one_after_the_other_have_derivatives),
        TEST(a_batch_rule_is_asked),
        TEST(loops_hold_them),
        TEST(while_loops_and_branches_hold_them),
        TEST(effects_are_kept_in_order),
        TEST(c_code_may_call_kiln),
        TEST(it_belongs_to_all_contexts),
        TEST(functions_are_recorded_once_for_equal_types),
        TEST(it_is_found_by_its_name),
    };
    return cmocka_run_group_tests_name("primitives", tests, NULL, NULL);
}
