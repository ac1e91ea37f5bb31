/* SPDX-License-Identifier: Apache-2.0
 * test_matrix_functions.c -- functions of matrices, spaces, special matrices and solving with factors: SciPy's numbers,
 * defining equations, derivatives against differences, errors. */
#include "support/expect.h"
#include "support/group.h"

#include <complex.h>
#include <math.h>

static kn_array example(void) { return kn_reshape(kn_of(double, 2, 1, 0, 0.5, 3, -1, 0, 0.25, 1), KN_SHAPE(3, 3)); }

static void numbers_are_those_of_scipy(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = example();
    expect_near(kn_linalg_expm(a), 1e-13, 10.111390926110515, 13.323648473608854, -4.12848952412791, 6.661824236804427,
                22.40291701868739, -9.195158949480945, 0.5160611905159888, 2.298789737370236,
                1.9483543576615479); /* of the series, in fractions */
    expect_near(kn_real(kn_linalg_sqrtm(a)), 1e-14, 1.3962434565340958, 0.31874239489098954, 0.048509550788054315,
                0.15937119744549424, 1.7271132391221002, -0.3672519456790449, -0.006063693848506887,
                0.09181298641976109, 1.0168641231580395);
    expect_near(kn_real(kn_linalg_logm(a)), 1e-13, 0.6455428398157433, 0.40772093830557066, 0.14486905021918076,
                0.20386046915278488, 1.0894810406761102, -0.5525899885247518, -0.018108631277397605,
                0.13814749713118782, 0.05673558873619812);
    kn_array b = kn_reshape(kn_of(double, 1, 2, 0, 3), KN_SHAPE(2, 2)),
             q = kn_reshape(kn_arange(0, 6, 1), KN_SHAPE(3, 2));
    expect_near(kn_linalg_solve_sylvester(a, b, q), 1e-14, -0.3368421052631581, 0.29700982014785376, 1.0105263157894737,
                0.18863510978704592, 1.873684210526316, 0.3013682003751518);
    kn_linalg_polar_result p = kn_linalg_polar(kn_at(a, ":, :2"));
    expect_near(p.u, 1e-14, 0.9947582664001905, 0.09971939960905744, -0.09729686827577029, 0.9911310685788084,
                -0.031453312261437986, 0.08783647442514037);
    expect_near(p.p, 1e-14, 1.9408680986624953, 0.695004333507519, 0.695004333507519, 3.0950717239517678);
    kn_linalg_expm_frechet_result f = kn_linalg_expm_frechet(a, kn_ones(KN_SHAPE(3, 3)));
    expect_near(f.derivative, 1e-13, 17.301131670178275, 29.23491264142206, 0.6452583963540237, 16.634729842871558,
                27.978553556613818, 0.8016729537626833, 8.715712947073843, 15.938081163054408, -1.340347759641986);
    kn_array turning = kn_reshape(kn_of(double, 0, 1e3, -1e3, 0), KN_SHAPE(2, 2));
    expect_near(kn_linalg_expm(turning), 1e-12, cos(1e3), sin(1e3), -sin(1e3), cos(1e3));
    expect_values(kn_linalg_expm(kn_zeros(KN_SHAPE(2, 2))), 1, 0, 0, 1);
    expect_near(kn_real(kn_linalg_logm(kn_linalg_expm(a))), 1e-12, 2, 1, 0, 0.5, 3, -1, 0, 0.25, 1);
}

static double far(kn_array x, kn_array y) { return kn_item(kn_max(kn_abs(kn_sub(x, y)))); }

static void equations_hold(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_random_normal(kn_random_key(1), KN_SHAPE(2, 12, 12), .dtype = KN_F64);
    kn_array z = kn_add(x, kn_mul(kn_flip(x), (double _Complex)I)), s = kn_linalg_sqrtm(z);
    assert_true(far(kn_matmul(s, s), z) < 1e-11);
    s = kn_linalg_sqrtm(x);
    assert_true(far(kn_matmul(s, s), x) < 1e-11);
    assert_true(far(kn_linalg_expm(kn_linalg_logm(z)), z) < 1e-10);
    kn_linalg_polar_result p = kn_linalg_polar(kn_at(z, "..., :5, :"), .side = "left");
    assert_true(far(kn_matmul(p.p, p.u), kn_at(z, "..., :5, :")) < 1e-12);
    assert_true(far(kn_matmul(p.u, kn_conj(kn_swapaxes(p.u, -1, -2))), kn_eye(5)) < 1e-13);
    kn_array low = kn_at(x, "0, :, :3"), space = kn_linalg_null_space(kn_matmul(low, kn_transpose(low)));
    assert_int_equal(kn_dim(space, 1), 9);
    assert_true(far(kn_matmul(kn_transpose(low), space), kn_zeros(KN_SHAPE(3, 9))) < 1e-12);
    kn_array basis = kn_linalg_orth(kn_matmul(low, kn_transpose(low)));
    assert_int_equal(kn_dim(basis, 1), 3);
    assert_true(far(kn_matmul(basis, kn_matmul(kn_transpose(basis), low)), low) < 1e-12);
}

static void systems_with_factors(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_random_normal(kn_random_key(2), KN_SHAPE(2, 5, 5), .dtype = KN_F64), one = kn_at(x, "0");
    kn_array z = kn_add(x, kn_mul(kn_flip(x), (double _Complex)I)), b = kn_at(x, "1, :, :2");
    kn_linalg_lu_result f = kn_linalg_lu(kn_at(z, "..., :3"));
    assert_true(far(kn_matmul(f.p, kn_matmul(f.l, f.u)), kn_at(z, "..., :3")) < 1e-13);
    f = kn_linalg_lu(kn_at(z, "..., :3, :"), .permute_l = true);
    assert_true(far(kn_matmul(f.l, f.u), kn_at(z, "..., :3, :")) < 1e-13);
    kn_linalg_lu_factor_result lu = kn_linalg_lu_factor(z);
    kn_array h = kn_conj(kn_swapaxes(z, -1, -2));
    assert_true(far(kn_matmul(z, kn_linalg_lu_solve(lu.lu, lu.piv, b)), kn_broadcast_to(b, KN_SHAPE(2, 5, 2))) < 1e-12);
    assert_true(far(kn_matmul(kn_swapaxes(z, -1, -2), kn_linalg_lu_solve(lu.lu, lu.piv, b, .trans = 1)),
                    kn_broadcast_to(b, KN_SHAPE(2, 5, 2))) < 1e-12);
    assert_true(far(kn_matmul(h, kn_linalg_lu_solve(lu.lu, lu.piv, b, .trans = 2)),
                    kn_broadcast_to(b, KN_SHAPE(2, 5, 2))) < 1e-12);
    kn_array definite = kn_add(kn_matmul(z, h), kn_eye(5));
    for (int lower = 0; lower < 2; lower++) {
        kn_array c = kn_linalg_cho_factor(definite, .lower = lower);
        kn_array y = kn_linalg_cho_solve(c, b, .lower = lower);
        assert_true(far(kn_matmul(definite, y), kn_broadcast_to(b, KN_SHAPE(2, 5, 2))) < 1e-12);
    }
    kn_array t = kn_add(kn_tril(one), kn_mul(4, kn_eye(5))), v = kn_at(b, ":, 0");
    assert_true(far(kn_matmul(t, kn_linalg_solve_triangular(t, v, .lower = true)), v) < 1e-13);
    assert_true(far(kn_matmul(kn_transpose(t), kn_linalg_solve_triangular(t, b, .lower = true, .trans = 1)), b) <
                1e-13);
    kn_linalg_solve_triangular(t, v, .trans = 3);
    expect_error("ValueError", "solve_triangular: trans must be 0, 1 or 2, got 3");
    kn_linalg_cho_factor(kn_negative(kn_eye(2)));
    expect_error_with("LinAlgError", "Matrix is not positive definite");
    kn_linalg_lu_solve(kn_eye(3), kn_of(int, 0, 1), v);
    expect_error("ValueError", "lu_solve: The pivots must be integers, one for each row of the matrices");
}

static void special_matrices(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array v = kn_of(double, 1, 2, 3);
    expect_values(kn_linalg_toeplitz(v, kn_of(double, 1, 4, 5, 6)), 1, 4, 5, 6, 2, 1, 4, 5, 3, 2, 1, 4);
    expect_values(kn_linalg_toeplitz(kn_of(double, 1, 2), KN_NONE), 1, 2, 2, 1);
    expect_values(kn_linalg_hankel(v, kn_of(double, 3, 4, 5, 6)), 1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6);
    expect_values(kn_linalg_hankel(v, KN_NONE), 1, 2, 3, 2, 3, 0, 3, 0, 0);
    expect_values(kn_linalg_circulant(v), 1, 3, 2, 2, 1, 3, 3, 2, 1);
    expect_values(kn_linalg_companion(kn_of(double, 2, 4, 6, 8)), -2, -3, -4, 1, 0, 0, 0, 1, 0);
    expect_values(kn_linalg_leslie(v, kn_of(double, 0.5, 0.25)), 1, 2, 3, 0.5, 0, 0, 0, 0.25, 0);
    expect_values(kn_linalg_fiedler(v), 0, 1, 2, 1, 0, 1, 2, 1, 0);
    expect_values(kn_linalg_convolution_matrix(v, 4, .mode = "same"), 2, 1, 0, 0, 3, 2, 1, 0, 0, 3, 2, 1, 0, 0, 3, 2);
    expect_values(kn_linalg_convolution_matrix(v, 2, .mode = "valid"), 2, 1, 3, 2);
    expect_values(kn_linalg_convolution_matrix(v, 2), 1, 0, 2, 1, 3, 2, 0, 3);
    expect_values(kn_linalg_convolution_matrix(kn_of(double, 1, 2, 3, 4), 2, .mode = "same"), 1, 0, 2, 1, 3, 2, 4, 3);
    expect_near(kn_linalg_hilbert(2), 1e-16, 1, 0.5, 0.5, 1.0 / 3);
    expect_values(kn_linalg_invhilbert(3), 9, -36, 30, -36, 192, -180, 30, -180, 180);
    expect_values(kn_linalg_hadamard(4), 1, 1, 1, 1, 1, -1, 1, -1, 1, 1, -1, -1, 1, -1, -1, 1);
    expect_values(kn_linalg_pascal(3), 1, 1, 1, 1, 2, 3, 1, 3, 6);
    expect_values(kn_linalg_pascal(3, .kind = "lower"), 1, 0, 0, 1, 1, 0, 1, 2, 1);
    expect_near(kn_linalg_helmert(3), 1e-15, 0.7071067811865475, -0.7071067811865475, 0, 0.4082482904638631,
                0.4082482904638631, -0.8164965809277261);
    expect_near(kn_imag(kn_linalg_dft(4, .scale = "n")), 1e-15, 0, 0, 0, 0, 0, -0.25, 0, 0.25, 0, 0, 0, 0, 0, 0.25, 0,
                -0.25);
    expect_values(kn_linalg_block_diag(KN_LIST(v, kn_eye(2), kn_asarray(kn_num(7.0)))), 1, 2, 3, 0, 0, 0, 0, 0, 0, 1, 0,
                  0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 7);
    expect_values(kn_linalg_invpascal(4), 4, -6, 4, -1, -6, 14, -11, 3, 4, -11, 10, -3, -1, 3, -3, 1);
    expect_values(kn_linalg_invpascal(4, .kind = "lower"), 1, 0, 0, 0, -1, 1, 0, 0, 1, -2, 1, 0, -1, 3, -3, 1);
    expect_values(kn_linalg_invpascal(4, .kind = "upper"), 1, -1, 1, -1, 0, 1, -2, 3, 0, 0, 1, -3, 0, 0, 0, 1);
    expect_values(kn_linalg_fiedler_companion(kn_of(double, 2, -16, 86, -176, 105, 3)), 8, -43, 1, 0, 0, 1, 0, 0, 0, 0,
                  0, 88, 0, -52.5, 1, 0, 1, 0, 0, 0, 0, 0, 0, -1.5, 0);
    expect_values(kn_linalg_fiedler_companion(kn_of(double, 2, -16)), 8);
    kn_array last = kn_at(kn_linalg_invhilbert(15), "14, 7:");
    expect_near(kn_div(last, 1e17), 1e-13, -4.64274058906944, 11.17159454244834, -19.03308699824532, 22.839704397894385,
                -18.8757887585904, 10.2243855775698, -3.2669634389868, 0.4667090627124);
    kn_linalg_pascal((int64_t)1 << 40);
    expect_error_with("MemoryError", "pascal");
    kn_linalg_hadamard(3);
    expect_error("ValueError", "hadamard: n must be an positive integer, and n must be a power of 2");
    kn_linalg_hilbert(-1);
    expect_error("ValueError", "hilbert: negative dimensions are not allowed");
    kn_linalg_companion(kn_of(double, 1));
    expect_error("ValueError", "companion: The length of `a` along the last axis must be at least 2.");
}

static kn_array weighted(kn_array x)
{
    return kn_sum(kn_mul(kn_ravel(x), kn_sin(kn_add(1, kn_arange(0, kn_size(x), 1, .dtype = KN_F64)))));
}
static kn_array of_expm(const kn_array *x) { return weighted(kn_linalg_expm(*x)); }
static kn_array of_sqrtm(const kn_array *x)
{
    return weighted(kn_real(kn_linalg_sqrtm(kn_add(*x, kn_mul(6, kn_eye(3))))));
}
static kn_array of_logm(const kn_array *x)
{
    return weighted(kn_real(kn_linalg_logm(kn_add(*x, kn_mul(6, kn_eye(3))))));
}
static kn_array of_polar(const kn_array *x)
{
    kn_linalg_polar_result p = kn_linalg_polar(*x);
    return kn_add(weighted(p.u), weighted(p.p));
}
static kn_array of_sylvester(const kn_array *x)
{
    kn_array a = kn_add(*x, kn_mul(6, kn_eye(3)));
    return weighted(kn_linalg_solve_sylvester(a, kn_matmul(a, a), kn_transpose(*x)));
}
static kn_array of_lu_solve(const kn_array *x)
{
    kn_linalg_lu_factor_result f = kn_linalg_lu_factor(*x);
    return weighted(kn_linalg_lu_solve(f.lu, f.piv, *x, .trans = 1));
}
KN_FUNCTION(of_expm, kn_array, kn_array)
KN_FUNCTION(of_sqrtm, kn_array, kn_array)
KN_FUNCTION(of_logm, kn_array, kn_array)
KN_FUNCTION(of_polar, kn_array, kn_array)
KN_FUNCTION(of_sylvester, kn_array, kn_array)
KN_FUNCTION(of_lu_solve, kn_array, kn_array)

static void derivatives_are_those_of_differences(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array square = kn_random_normal(kn_random_key(5), KN_SHAPE(3, 3), .dtype = KN_F64);
    kn_array tall = kn_random_normal(kn_random_key(6), KN_SHAPE(4, 3), .dtype = KN_F64), wide = kn_transpose(tall);
    const struct {
        kn_fn f;
        kn_array x;
    } cases[] = {{KN_FN(of_expm), square},      {KN_FN(of_sqrtm), square},   {KN_FN(of_logm), square},
                 {KN_FN(of_polar), square},     {KN_FN(of_polar), tall},     {KN_FN(of_polar), wide},
                 {KN_FN(of_sylvester), square}, {KN_FN(of_lu_solve), square}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kn_testing_check_grads(cases[i].f, KN_ARGS(&cases[i].x), 2, .atol = 2e-4, .rtol = 2e-4);
        if (kn_error_pending())
            fail_msg("case %d: %s", (int)i, kn_error_message());
    }
}

KN_TEST_GROUP(test_matrix_functions)
{
    const struct CMUnitTest tests[] = {
        TEST(numbers_are_those_of_scipy),
        TEST(equations_hold),
        TEST(systems_with_factors),
        TEST(special_matrices),
        TEST(derivatives_are_those_of_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
