/* SPDX-License-Identifier: Apache-2.0
 * test_compositions_values.c -- programs that put several features together, with the numbers that JAX 0.10 gives for
 * the same program (float64). */
#include "support/expect.h"
#include "support/group.h"

typedef struct {
    kn_array a, b;
} Pair;
typedef struct {
    kn_array i, v;
} Round;
typedef struct {
    kn_array i, v, key;
} Walk;

static kn_array point(void) { return kn_of(double, 0.3, -1.2, 0.7); }

/* --- collectives and derivatives ---------------------------------------------------------------- */

static kn_array standardized(const kn_array *x)
{
    kn_array c = kn_sub(*x, kn_lax_pmean(*x, "i"));
    return kn_div(c, kn_sqrt(kn_lax_pmean(kn_square(c), "i")));
}
KN_FUNCTION(standardized, kn_array, kn_array)
static kn_array batch_loss(const kn_array *x)
{
    kn_array y = NULL;
    kn_call(kn_vmap(KN_FN(standardized), .axis_name = "i"), &y, x);
    return kn_sum(kn_mul(y, kn_arange(0, 3, 1.0), kn_sin(*x)));
}
KN_FUNCTION(batch_loss, kn_array, kn_array)

static void derivatives_of_a_batch_norm(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = point(), g = NULL;
    kn_call(kn_grad(KN_FN(batch_loss)), &g, &x);
    expect_near(g, 1e-11, -0.6019486649, -0.375406349149, 1.909164087023);
    kn_call(kn_jit(kn_hessian(KN_FN(batch_loss))), &g, &x);
    expect_near(g, 1e-11, -0.526919771318, -0.261818839378, -0.152664308204, -0.261818839378, -1.157967329484,
                0.326415631372, -0.152664308204, 0.326415631372, -0.638330719818);
}

static kn_array coupled(const kn_array *x) { return kn_mul(kn_square(*x), kn_lax_psum(kn_sin(*x), "i")); }
KN_FUNCTION(coupled, kn_array, kn_array)
static kn_array lane_gradients(const kn_array *x)
{
    kn_array g = NULL;
    kn_call(kn_vmap(kn_grad(KN_FN(coupled)), .axis_name = "i"), &g, x);
    return g;
}
static kn_array lane_hessians(const kn_array *x)
{
    kn_array g = NULL;
    kn_call(kn_vmap(kn_hessian(kn_checkpoint(kn_jit(KN_FN(coupled)))), .axis_name = "i"), &g, x);
    return g;
}
KN_FUNCTION(lane_gradients, kn_array, kn_array)
KN_FUNCTION(lane_hessians, kn_array, kn_array)

static void derivatives_inside_of_lanes_that_are_coupled(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = point(), g = NULL;
    kn_call(KN_FN(lane_gradients), &g, &x);
    expect_near(g, 1e-11, 1.934398992793, 0.713485525007, 1.555759549419);
    kn_fn jacobian[] = {kn_jit(kn_jacrev(KN_FN(lane_gradients))), kn_jacfwd(kn_jit(KN_FN(lane_gradients)))};
    for (int i = 0; i < 2; i++) {
        kn_call(jacobian[i], &g, &x);
        expect_near(g, 1e-11, 0.564850585358, -2.075392921215, 1.796376397147, -2.075392921215, 0.158799348029,
                    -1.328320393215, 1.796376397147, -1.328320393215, 0.85563601204);
    }
    kn_call(KN_FN(lane_hessians), &g, &x);
    expect_near(g, 1e-11, 0.28583406129, -3.244913966402, 1.323692015971);
    kn_call(kn_jacrev(KN_FN(lane_hessians)), &g, &x);
    expect_near(g, 1e-11, 5.820222944913, 3.903860434772, 2.640098451152, 3.903860434772, 0.035937968608,
                5.105377053247, 2.640098451152, 5.105377053247, 4.133337943226);
}

static kn_array rotated(const kn_array *x)
{
    return kn_mul(kn_lax_ppermute(*x, "i", KN_PAIRS({0, 1}, {1, 2}, {2, 0})), *x);
}
static kn_array exchanged(const kn_array *x) { return kn_mul(kn_lax_all_to_all(*x, "i", 0, 0), *x); }
KN_FUNCTION(rotated, kn_array, kn_array)
KN_FUNCTION(exchanged, kn_array, kn_array)
static kn_array rotated_loss(const kn_array *x)
{
    kn_array y = NULL;
    kn_call(kn_vmap(KN_FN(rotated), .axis_name = "i"), &y, x);
    return kn_sum(kn_mul(y, kn_arange(1, 4, 1.0)));
}
static kn_array exchanged_loss(const kn_array *x)
{
    kn_array y = NULL;
    kn_call(kn_jit(kn_vmap(KN_FN(exchanged), .axis_name = "i")), &y, x);
    return kn_sum(kn_sin(y));
}
KN_FUNCTION(rotated_loss, kn_array, kn_array)
KN_FUNCTION(exchanged_loss, kn_array, kn_array)

static void derivatives_of_what_moves_between_lanes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = point(), m = kn_sin(kn_reshape(kn_arange(0, 9, 1.0), KN_SHAPE(3, 3))), g = NULL;
    kn_call(kn_grad(KN_FN(rotated_loss)), &g, &x);
    expect_near(g, 1e-14, -1.7, 2.7, -3.3);
    kn_call(kn_hessian(KN_FN(rotated_loss)), &g, &x);
    expect_near(g, 1e-14, 0, 2, 1, 2, 0, 3, 1, 3, 0);
    kn_call(kn_grad(KN_FN(exchanged_loss)), &g, &m);
    expect_near(g, 1e-11, 0, 0.280252394693, -0.540890853092, 1.671090172109, -1.272054516264, 1.061726180893,
                1.760212529657, -1.549673935343, 1.104112055274);
}

/* --- loops -------------------------------------------------------------------------------------- */

static kn_array inside(const Walk *s)
{
    return kn_logical_and(kn_less(s->i, 8), kn_less(kn_abs(kn_at(s->v, "-1")), 2.0));
}
static Walk step(const Walk *s)
{
    kn_array keys = kn_random_split(s->key), by = kn_random_normal(kn_at(keys, "1"), KN_SHAPE()), v = kn_copy(s->v);
    kn_iadd_at(v, by, "-1");
    kn_set_at(v, kn_at(v, "-1"), "%", s->i);
    return (Walk){kn_add(s->i, 1), v, kn_at(keys, "0")};
}
KN_FUNCTION(inside, kn_array, Walk)
KN_FUNCTION(step, Walk, Walk)
static kn_array random_walk(const kn_array *key)
{
    Walk start = {kn_scalar(0), kn_zeros(KN_SHAPE(9)), *key}, end = {0};
    kn_while_loop(KN_FN(inside), KN_FN(step), &end, &start);
    return end.v;
}
KN_FUNCTION(random_walk, kn_array, kn_array)

static void a_random_walk_writes_its_history(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array key = kn_random_key(11), keys = kn_random_split(key, .num = 3), y = NULL;
    kn_call(KN_FN(random_walk), &y, &key);
    expect_near(y, 1e-11, -1.501435531198, -1.32473595863, -0.169993187966, -2.169784465412, 0, 0, 0, 0,
                -2.169784465412);
    kn_call(kn_jit(kn_vmap(kn_jit(KN_FN(random_walk)))), &y, &keys);
    expect_near(y, 1e-11, 0.176699572568, 1.331442343232, -0.668348934214, -0.903511049217, -1.993765898329,
                -2.819803673844, 0, 0, -2.819803673844, -0.010436956154, 0.027682576589, 1.905339497524, 0.573378763895,
                1.349073194506, 0.960588615417, 1.066193635956, 1.43724033051, 1.43724033051, 0.935629586288,
                1.35630809563, 1.634705603733, 1.370960981925, 2.234016555503, 0, 0, 0, 2.234016555503);
}

static kn_array all_below(const Round *r) { return kn_less(kn_lax_psum(r->v, "b"), 100); }
static kn_array one_below(const Round *r) { return kn_less(r->v, 100); }
static Round add_greatest(const Round *r) { return (Round){kn_add(r->i, 1), kn_add(r->v, kn_lax_pmax(r->v, "b"))}; }
KN_FUNCTION(all_below, kn_array, Round)
KN_FUNCTION(one_below, kn_array, Round)
KN_FUNCTION(add_greatest, Round, Round)
static Round together(const kn_array *v)
{
    Round start = {kn_scalar(0), *v}, end = {0};
    kn_while_loop(KN_FN(all_below), KN_FN(add_greatest), &end, &start);
    return end;
}
static Round alone(const kn_array *v)
{
    Round start = {kn_scalar(0), *v}, end = {0};
    kn_while_loop(KN_FN(one_below), KN_FN(add_greatest), &end, &start);
    return end;
}
KN_FUNCTION(together, Round, kn_array)
KN_FUNCTION(alone, Round, kn_array)

static void collectives_in_loops_see_all_lanes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3), z = kn_of(double, 1, 2, 30);
    Round end;
    kn_call(kn_vmap(KN_FN(together), .axis_name = "b"), &end, &x);
    expect_values(end.i, 4, 4, 4);
    expect_values(end.v, 46, 47, 48);
    kn_call(kn_jit(kn_vmap(KN_FN(alone), .axis_name = "b")), &end, &z);
    expect_values(end.i, 3, 3, 2);
    expect_values(end.v, 211, 212, 120);
}

static kn_array below_six(const Round *r) { return kn_less(r->i, 6); }
static Round logistic(const Round *r) { return (Round){kn_add(r->i, 1), kn_mul(3.7, r->v, kn_sub(1, r->v))}; }
KN_FUNCTION(below_six, kn_array, Round)
KN_FUNCTION(logistic, Round, Round)
static kn_array logistic_map(const kn_array *x)
{
    Round start = {kn_scalar(0), *x}, end = {0};
    kn_while_loop(KN_FN(below_six), KN_FN(logistic), &end, &start);
    return end.v;
}
KN_FUNCTION(logistic_map, kn_array, kn_array)

static void third_derivatives_of_a_loop(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(0.4), lanes = kn_of(double, 0.3, 0.7), y = NULL;
    kn_call(kn_jit(kn_jacfwd(kn_jacfwd(kn_jacfwd(KN_FN(logistic_map))))), &y, &x);
    expect_near(y, 1e-7, 20059.646008910553);
    kn_call(kn_vmap(kn_jacfwd(kn_jit(kn_jacfwd(KN_FN(logistic_map))))), &y, &lanes);
    expect_near(y, 1e-8, 1463.870397209, 1463.870397209);
}

/* --- writes, keys, integers --------------------------------------------------------------------- */

static kn_array accumulated(const kn_array *x)
{
    kn_array y = kn_zeros(KN_SHAPE(4)), back = kn_at(y, "::-1");
    for (int i = 0; i < 4; i++) {
        kn_iadd_at(y, kn_square(kn_at(*x, "%", i)), "%:", i);
        kn_imul(back, 0.5);
    }
    return kn_sum(kn_mul(y, *x));
}
KN_FUNCTION(accumulated, kn_array, kn_array)

static void derivatives_of_writes_through_views(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, -2, 0.5, 3), both = kn_stack(KN_LIST(x, x)), g = NULL;
    kn_call(kn_jit(kn_grad(KN_FN(accumulated))), &g, &x);
    expect_values(g, 0.375, -0.1875, 1.5, 14.125);
    kn_call(kn_vmap(kn_jit(kn_hessian(KN_FN(accumulated)))), &g, &both);
    expect_values(kn_at(g, "1"), 0.5625, 0.125, 0.125, 0.125, 0.125, -0.625, -0.5, -0.5, 0.125, -0.5, 2.25, 0.25, 0.125,
                  -0.5, 0.25, 9);
}

static kn_array dropped(const kn_array *x, const kn_array *key)
{
    kn_array keep = kn_less(kn_random_uniform(*key, KN_SHAPE(6)), 0.5);
    return kn_sum(kn_sin(kn_where(keep, kn_mul(*x, 2), 0.0)));
}
KN_FUNCTION(dropped, kn_array, kn_array, kn_array)

static void what_is_computed_again_draws_the_same_numbers(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_linspace(0, 1, 6), key = kn_random_key(5), keys = kn_random_split(key), g = NULL;
    kn_call(kn_jit(kn_grad(kn_checkpoint(KN_FN(dropped)))), &g, &x, &key);
    expect_near(g, 1e-11, 0, 1.842121988006, 0, 0, -0.058399044603, -0.832293673094);
    kn_call(kn_vmap(kn_grad(kn_checkpoint(KN_FN(dropped))), .in_axes = {KN_UNMAPPED, KN_MAPPED(0)}), &g, &x, &keys);
    expect_near(g, 1e-11, 2, 0, 0, 0.724715508953, -0.058399044603, 0, 2, 1.842121988006, 1.393413418694, 0, 0,
                -0.832293673094);
}

static Pair with_integers(const kn_array *x) { return (Pair){kn_mul(*x, 2), kn_astype(*x, KN_I64)}; }
KN_FUNCTION(with_integers, Pair, kn_array)

static void tangents_of_integer_results_are_zeros(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = point();
    Pair y, d;
    assert_int_equal(kn_jvp(KN_FN(with_integers), KN_ARGS(&x), KN_ARGS(&x), &y, &d), 0);
    expect_values(y.b, 0, -1, 0);
    expect_values(d.a, 0.6, -2.4, 1.4);
    expect_values(d.b, 0, 0, 0);
    assert_ptr_equal(kn_dtype_of(d.b), KN_I64);
    kn_call(kn_linearize(kn_jit(KN_FN(with_integers)), KN_ARGS(&x), &y), &d, &x);
    expect_values(d.b, 0, 0, 0);
    kn_call(kn_jacfwd(KN_FN(with_integers)), &d, &x);
    expect_values(d.a, 2, 0, 0, 0, 2, 0, 0, 0, 2);
    expect_values(d.b, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    kn_call(kn_jacrev(KN_FN(with_integers)), &d, &x);
    expect_error("TypeError",
                 "jacrev: with_integers must return real or complex floating point, but it returned int64[3]");
}

KN_TEST_GROUP(test_compositions_values)
{
    const struct CMUnitTest tests[] = {
        TEST(derivatives_of_a_batch_norm),
        TEST(derivatives_inside_of_lanes_that_are_coupled),
        TEST(derivatives_of_what_moves_between_lanes),
        TEST(a_random_walk_writes_its_history),
        TEST(collectives_in_loops_see_all_lanes),
        TEST(third_derivatives_of_a_loop),
        TEST(derivatives_of_writes_through_views),
        TEST(what_is_computed_again_draws_the_same_numbers),
        TEST(tangents_of_integer_results_are_zeros),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
