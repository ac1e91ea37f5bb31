/* SPDX-License-Identifier: Apache-2.0
 * test_optim_functions.c -- assignments, second derivatives, roots of matrices, and what optax makes of functions
 * (perturbed, microbatched, mapped over a state), with the numbers that optax 0.2 printed for the same calls. */
#include "support/expect.h"
#include "support/group.h"
#include <math.h>

/* ---- Assignments. */

typedef struct {
    kn_array i, j;
} Pairs;
static Pairs assigned(const kn_array *cost)
{
    kn_assignment_result r = kn_optim_hungarian_algorithm(*cost);
    return (Pairs){r.i, r.j};
}
KN_FUNCTION(assigned, Pairs, kn_array)
static Pairs base_assigned(const kn_array *cost)
{
    kn_assignment_result r = kn_optim_base_hungarian_algorithm(*cost);
    return (Pairs){r.i, r.j};
}
KN_FUNCTION(base_assigned, Pairs, kn_array)

static void assignments_are_those_of_optax(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array tall = kn_reshape(kn_of(int, 8, 4, 7, 5, 2, 3, 9, 6, 7, 9, 4, 8), KN_SHAPE(4, 3)),
             ties = kn_zeros(KN_SHAPE(3, 5));
    Pairs a = assigned(&tall), b = base_assigned(&tall), c = assigned(&ties), d = base_assigned(&ties);
    expect_values(a.i, 1, 3, 0);
    expect_values(a.j, 2, 1, 0);
    expect_values(b.i, 0, 1, 3);
    expect_values(b.j, 0, 2, 1);
    expect_values(c.i, 2, 1, 0);
    expect_values(c.j, 2, 1, 0);
    expect_values(d.i, 0, 1, 2);
    expect_values(d.j, 0, 1, 2);
}

static void infinite_costs_are_avoided(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array cost = kn_reshape(kn_of(double, 1, INFINITY, 3, INFINITY, 2, INFINITY), KN_SHAPE(2, 3));
    Pairs a = assigned(&cost), b = base_assigned(&cost);
    expect_values(a.i, 1, 0);
    expect_values(a.j, 1, 0);
    expect_values(b.j, 0, 1);
}

static void costs_without_an_assignment_end(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array far = kn_full(KN_SHAPE(3, 4), INFINITY), none = kn_full(KN_SHAPE(3, 4), NAN);
    Pairs all[] = {assigned(&far), assigned(&none), base_assigned(&far), base_assigned(&none)};
    for (int k = 0; k < 4; k++)
        assert_int_equal(kn_size(all[k].i) + kn_size(all[k].j), 6);
}

static void matrices_without_elements_have_no_pairs(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array none = kn_zeros(KN_SHAPE(0, 3));
    Pairs a = assigned(&none), b = base_assigned(&none);
    assert_int_equal(kn_size(a.i) + kn_size(a.j) + kn_size(b.i) + kn_size(b.j), 0);
}

static bool same(kn_array a, kn_array b) { return kn_item_bool(kn_all(kn_equal(a, b))); }

static void assignments_in_traces_and_under_vmap(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array costs = kn_sin(kn_mul(kn_reshape(kn_arange(0.0, 60.0, 1.0), KN_SHAPE(5, 4, 3)), 3));
    kn_fn fns[] = {KN_FN(assigned), KN_FN(base_assigned)};
    for (int f = 0; f < 2; f++) {
        Pairs all, one, jitted;
        kn_call(kn_vmap(fns[f]), &all, &costs);
        for (int k = 0; k < 5; k++) {
            kn_array cost = kn_take(costs, k, .axis = KN_AXIS(0));
            kn_call(fns[f], &one, &cost);
            kn_call(kn_jit(fns[f]), &jitted, &cost);
            assert_true(same(one.i, kn_take(all.i, k, .axis = KN_AXIS(0))));
            assert_true(same(one.j, kn_take(all.j, k, .axis = KN_AXIS(0))));
            assert_true(same(one.i, jitted.i) && same(one.j, jitted.j));
        }
    }
}

static kn_array least_cost(const kn_array *cost)
{
    Pairs p = assigned(cost);
    return kn_sum(kn_square(kn_take(kn_ravel(*cost), kn_add(kn_mul(p.i, kn_dim(*cost, 1)), p.j))));
}
KN_FUNCTION(least_cost, kn_array, kn_array)

static void chosen_costs_have_a_gradient(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array cost = kn_reshape(kn_of(double, 1, 5, 9, 7, 2, 8), KN_SHAPE(2, 3)), slope;
    kn_call(kn_jit(kn_grad(KN_FN(least_cost))), &slope, &cost);
    expect_values(slope, 2, 0, 0, 0, 4, 0);
}

static void wrong_costs(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_false(kn_ok(kn_optim_hungarian_algorithm(kn_zeros(KN_SHAPE(3))).i));
    expect_error("ValueError", "optim_hungarian_algorithm: expected a matrix (2-D array), got a 1-D array");
    assert_false(kn_ok(kn_optim_base_hungarian_algorithm(kn_zeros(KN_SHAPE(2, 2), .dtype = KN_C128)).j));
    expect_error("TypeError", "optim_base_hungarian_algorithm: costs are real numbers, but these are complex128");
}

/* ---- Roots of inverse matrices. */

typedef struct {
    kn_array root, error;
} Root;
static Root fourth_root(const kn_array *m)
{
    kn_matrix_inverse_pth_root_result r = kn_optim_matrix_inverse_pth_root(*m, 4);
    return (Root){r.root, r.error};
}
KN_FUNCTION(fourth_root, Root, kn_array)

static void roots_are_those_of_optax(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_reshape(kn_sin(kn_add(kn_mul(kn_arange(0.0, 4.0, 1.0), 1.3), 1)), KN_SHAPE(2, 2));
    kn_array m = kn_add(kn_matmul(a, kn_transpose(a)), kn_mul(kn_eye(2), 0.1));
    Root now = fourth_root(&m), jitted;
    expect_near(now.root, 1e-14, 1.126849542708302, 0.34050230410192717, 0.34050230410192733, 1.1586235873233055);
    kn_call(kn_jit(KN_FN(fourth_root)), &jitted, &m);
    assert_true(same(now.root, jitted.root) && same(now.error, jitted.error));
    kn_array half = kn_astype(m, KN_BF16);
    Root small = fourth_root(&half);
    assert_ptr_equal(kn_dtype_of(small.root), KN_BF16);
    expect_values(kn_astype(small.root, KN_F64), 1.125, 0.337890625, 0.337890625, 1.15625);
    kn_array one = kn_reshape(kn_of(double, 16), KN_SHAPE(1, 1));
    expect_near(fourth_root(&one).root, 1e-6, 0.5);
}

static void any_power_has_a_root(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array m = kn_reshape(kn_of(double, 5, 4, 4, 5), KN_SHAPE(2, 2));
    kn_array root = kn_optim_matrix_inverse_pth_root(m, 3, .ridge_epsilon = 0).root;
    expect_near(kn_matmul(kn_matmul(kn_matmul(root, root), root), m), 1e-6, 1, 0, 0, 1);
}

static void wrong_matrices(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_false(kn_ok(kn_optim_matrix_inverse_pth_root(kn_zeros(KN_SHAPE(2, 3)), 2).root));
    expect_error("ValueError", "optim_matrix_inverse_pth_root: the matrix is square, and of floats");
    assert_false(kn_ok(kn_optim_matrix_inverse_pth_root(kn_eye(2), 0).root));
    expect_error("ValueError", "optim_matrix_inverse_pth_root: p is a positive integer, but is 0");
}

static kn_array eigenvalue(const kn_array *m) { return kn_optim_power_iteration(*m).eigenvalue; }
KN_FUNCTION(eigenvalue, kn_array, kn_array)

static void power_iteration_ends_as_early_in_a_trace(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array m = kn_reshape(kn_of(double, 2, 1, 1, 2), KN_SHAPE(2, 2)), jitted;
    kn_call(kn_jit(KN_FN(eigenvalue)), &jitted, &m);
    assert_true(same(jitted, eigenvalue(&m)));
}

/* ---- Second derivatives. */

typedef struct {
    kn_array b, s, w;
} Net;
KN_FIELDS(Net, b, s, w)
static kn_array loss(const Net *p, const kn_array *x, const kn_array *y)
{
    kn_array guess = kn_mul(kn_tanh(kn_add(kn_matmul(*x, p->w), p->b)), p->s);
    return kn_mean(kn_square(kn_sub(guess, *y)));
}
KN_FUNCTION(loss, kn_array, Net, kn_array, kn_array)

static Net some_net(void)
{
    return (Net){kn_of(double, 0.1, -0.2), kn_scalar(1.5),
                 kn_reshape(kn_sin(kn_arange(0.0, 6.0, 1.0)), KN_SHAPE(3, 2))};
}
static kn_array some_inputs(void) { return kn_reshape(kn_cos(kn_arange(0.0, 12.0, 1.0)), KN_SHAPE(4, 3)); }
static kn_array some_targets(void) { return kn_reshape(kn_sin(kn_mul(kn_arange(0.0, 8.0, 1.0), 2)), KN_SHAPE(4, 2)); }

static kn_array second(const Net *p, const kn_array *x, const kn_array *y)
{
    Net net = *p;
    kn_tree t = KN_TREE(&net, Net), product = kn_optim_hvp(KN_FN(loss), kn_arange(-3.0, 6.0, 1.0), t, *x, *y);
    return kn_concatenate(KN_LIST(kn_tree_ravel(product), kn_optim_hessian_diag(KN_FN(loss), t, *x, *y),
                                  kn_optim_fisher_diag(KN_FN(loss), t, *x, *y)));
}
KN_FUNCTION(second, kn_array, Net, kn_array, kn_array)

static void second_derivatives_are_those_of_optax(void **state)
{
    (void)state;
    KN_SCOPE;
    Net net = some_net();
    kn_array x = some_inputs(), y = some_targets(), now = second(&net, &x, &y), jitted;
    expect_near(now, 1e-14, -0.9809196216887537, 2.4339867853230577, 1.2695039373752561, 0.7487766607649893,
                -3.4223558270929666, 0.5324454186069908, -2.8896075206874654, -0.17341368592042122, 0.299832614130255,
                0.28802158868695193, -0.7971148051194005, 1.0717926919897978, 0.2504846102929901, -0.7048181782656442,
                0.20037455669371715, -0.49148360972933114, -0.009374224401933896, -0.014954732561823584,
                0.00800781374211547, 0.0013546932701511778, 1.6483999452876272, 0.10415352125449595, 0.4802531033658572,
                0.044651197058548926, 0.3146826151840606, 0.008909004835561611, 0.00753784144179863);
    kn_call(kn_jit(KN_FN(second)), &jitted, &net, &x, &y);
    assert_true(same(now, jitted));
}

static void a_product_has_the_structure_of_the_parameters(void **state)
{
    (void)state;
    KN_SCOPE;
    Net net = some_net();
    kn_tree t = kn_optim_hvp(KN_FN(loss), kn_zeros(KN_SHAPE(9)), KN_TREE(&net, Net), some_inputs(), some_targets());
    assert_string_equal(kn_tree_keystr(t, 2), ".w");
    assert_int_equal(kn_dim(kn_tree_get(t, 2), 0), 3);
}

static kn_array without(const kn_tree *p, const kn_array *x, const kn_array *y)
{
    (void)p;
    return kn_sum(kn_mul(*x, *y));
}
KN_FUNCTION(without, kn_array, kn_tree, kn_array, kn_array)

static void no_parameters_have_an_empty_diagonal(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array one = kn_scalar(1.0), none = kn_zeros(KN_SHAPE(0));
    kn_tree t = kn_tree_list(none);
    assert_int_equal(kn_size(kn_optim_hessian_diag(KN_FN(without), t, one, one)), 0);
    assert_int_equal(kn_size(kn_optim_fisher_diag(KN_FN(without), t, one, one)), 0);
}

static void wrong_second_derivatives(void **state)
{
    (void)state;
    KN_SCOPE;
    Net net = some_net();
    kn_tree t = KN_TREE(&net, Net);
    kn_array x = some_inputs(), y = some_targets();
    assert_null(kn_optim_hvp(KN_FN(loss), kn_zeros(KN_SHAPE(3)), t, x, y));
    expect_error("ValueError",
                 "optim_hvp: the unravel function expected an input array of shape (9,), but got shape (3,)");
    assert_null(kn_optim_hvp(NULL, kn_zeros(KN_SHAPE(9)), t, x, y));
    expect_error_with("TypeError", "null function");
    assert_false(kn_ok(kn_optim_hessian_diag(KN_FN(loss), t, KN_NONE, y)));
    expect_error("TypeError", "optim_hessian_diag: null array");
    assert_false(kn_ok(kn_optim_fisher_diag(KN_FN(loss), NULL, x, y)));
    expect_error("TypeError", "optim_fisher_diag: null tree");
}

/* ---- Perturbed functions. */

static kn_array largest(const kn_array *x) { return kn_nn_one_hot(kn_argmax(*x), 4, .dtype = KN_F64); }
KN_FUNCTION(largest, kn_array, kn_array)

static kn_fn perturbed_largest(void)
{
    return kn_optim_make_perturbed_fun(KN_FN(largest), .num_samples = 50, .sigma = 0.3);
}

static kn_array weighted(const kn_array *key, const kn_array *x)
{
    kn_array y = NULL;
    kn_call(perturbed_largest(), &y, key, x);
    return kn_sum(kn_mul(kn_of(double, 1, 2, -1, 0.5), y));
}
KN_FUNCTION(weighted, kn_array, kn_array, kn_array)

static void perturbed_functions_are_those_of_optax(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array key = kn_random_key(3), x = kn_of(double, 0.1, 0.5, -0.2, 0.3), y, slope, curve, jitted;
    kn_call(perturbed_largest(), &y, &key, &x);
    expect_near(y, 1e-15, 0.12, 0.6, 0.04, 0.24);
    kn_fn by_x = kn_grad(KN_FN(weighted), .argnums = KN_ARGNUMS(1));
    kn_call(by_x, &slope, &key, &x);
    expect_near(slope, 1e-14, 0.19276920929251495, 1.0286411413592744, -0.9630664777266429, -0.672758880845751);
    kn_call(kn_jit(by_x), &jitted, &key, &x);
    assert_true(same(slope, jitted));
    kn_call(kn_hessian(KN_FN(weighted), .argnums = KN_ARGNUMS(1)), &curve, &key, &x);
    expect_near(kn_at(curve, "1"), 1e-13, 0.9812073140886828, 2.318119935745197, 1.741694051020521,
                0.021312199438212276);
}

static void a_perturbed_function_under_vmap(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array key = kn_random_key(3), x = kn_of(double, 0.1, 0.5, -0.2, 0.3), y;
    kn_array both = kn_stack(KN_LIST(x, kn_mul(x, 2)));
    kn_call(kn_vmap(perturbed_largest(), .in_axes = {KN_UNMAPPED, KN_MAPPED(0)}), &y, &key, &both);
    expect_near(y, 1e-15, 0.12, 0.6, 0.04, 0.24, 0.08, 0.8, 0, 0.12);
}

static void another_sigma_compiles_nothing_new(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array key = kn_random_key(3), x = kn_of(double, 0.1, 0.5, -0.2, 0.3), y;
    for (int k = 1; k <= 3; k++) {
        kn_fn f = kn_jit(kn_optim_make_perturbed_fun(KN_FN(largest), .num_samples = 5, .sigma = 0.1 * k));
        kn_call(f, &y, &key, &x);
        assert_int_equal(kn_fn_trace_count(f), 1);
    }
}

typedef struct {
    kn_array a, b;
} Two;
static Two of_struct(const Two *p) { return (Two){kn_mul(kn_sum(kn_maximum(p->a, 0)), p->b), kn_greater(p->a, 0)}; }
KN_FUNCTION(of_struct, Two, Two)
static kn_array first_of_struct(const kn_array *key, const Two *p)
{
    Two y = {NULL, NULL};
    kn_call(kn_optim_make_perturbed_fun(KN_FN(of_struct), .num_samples = 20, .sigma = 0.7), &y, key, p);
    return y.a;
}
KN_FUNCTION(first_of_struct, kn_array, kn_array, Two)

static void perturbed_functions_of_structs(void **state)
{
    (void)state;
    KN_SCOPE;
    Two p = {kn_reshape(kn_arange(-2.0, 4.0, 1.0), KN_SHAPE(2, 3)), kn_scalar(2.0)}, y, slope;
    kn_array key = kn_random_key(3);
    kn_call(kn_optim_make_perturbed_fun(KN_FN(of_struct), .num_samples = 20, .sigma = 0.7), &y, &key, &p);
    expect_near(y.a, 1e-13, 18.433347508212076);
    expect_near(y.b, 1e-15, 0, 0.35, 0.7, 1, 1, 1);
    kn_call(kn_grad(KN_FN(first_of_struct), .argnums = KN_ARGNUMS(1)), &slope, &key, &p);
    expect_near(slope.a, 1e-13, 0.18203777124129303, 3.8349102876058394, 4.530913088146879, 0.9908359911120573,
                -0.5515408053211405, 7.244125323992336);
    expect_near(slope.b, 1e-13, 9.579374958205033);
}

static kn_array shifted(const kn_array *by, const kn_array *x) { return kn_sum(kn_mul(*x, *by)); }
KN_CLOSURE(shifted, kn_array, kn_array, kn_array)

static void a_closure_keeps_what_it_captured(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array by = kn_scalar(3.0), key = kn_random_key(1), x = kn_of(double, 1, 2, 3, 4), y;
    kn_call(kn_optim_make_perturbed_fun(KN_CLOSE(shifted, &by), .num_samples = 2, .sigma = 0), &y, &key, &x);
    kn_call(kn_jit(kn_optim_microbatch(KN_CLOSE(shifted, &by), KN_ARGNUMS(0), 2)), &y, &x);
    expect_values(y, 30);
}

static void wrong_perturbed_functions(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_null(kn_optim_make_perturbed_fun(KN_FN(weighted)));
    expect_error("TypeError", "optim_make_perturbed_fun: fun is a function of one struct or tree, but weighted has 2 "
                              "arguments");
    assert_null(kn_optim_make_perturbed_fun(KN_FN(largest), .noise = "cauchy"));
    expect_error("ValueError", "optim_make_perturbed_fun: noise is \"gumbel\" or \"normal\", but is \"cauchy\"");
    assert_null(kn_optim_make_perturbed_fun(KN_FN(largest), .num_samples = 0));
    expect_error("ValueError", "optim_make_perturbed_fun: num_samples must be at least 1, but is 0");
    assert_null(kn_optim_make_perturbed_fun(NULL));
    expect_error("TypeError", "optim_make_perturbed_fun: null function");
    kn_array key = kn_random_key(1), whole = kn_of(int, 1, 2, 3, 4), y;
    assert_int_equal(kn_call(perturbed_largest(), &y, &key, &whole), -1);
    expect_error("ValueError", "optim_make_perturbed_fun: dtype argument to `gumbel` must be a float dtype, got int32");
}

KN_TEST_GROUP(test_optim_functions)
{
    const struct CMUnitTest tests[] = {
        TEST(assignments_are_those_of_optax),
        TEST(infinite_costs_are_avoided),
        TEST(costs_without_an_assignment_end),
        TEST(matrices_without_elements_have_no_pairs),
        TEST(assignments_in_traces_and_under_vmap),
        TEST(chosen_costs_have_a_gradient),
        TEST(wrong_costs),
        TEST(roots_are_those_of_optax),
        TEST(any_power_has_a_root),
        TEST(wrong_matrices),
        TEST(power_iteration_ends_as_early_in_a_trace),
        TEST(second_derivatives_are_those_of_optax),
        TEST(a_product_has_the_structure_of_the_parameters),
        TEST(no_parameters_have_an_empty_diagonal),
        TEST(wrong_second_derivatives),
        TEST(perturbed_functions_are_those_of_optax),
        TEST(a_perturbed_function_under_vmap),
        TEST(another_sigma_compiles_nothing_new),
        TEST(perturbed_functions_of_structs),
        TEST(a_closure_keeps_what_it_captured),
        TEST(wrong_perturbed_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
