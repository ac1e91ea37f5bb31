/* SPDX-License-Identifier: Apache-2.0
 * test_matrix_equations.c -- generalised and partial Hermitian problems, systems whose structure is known, Lyapunov's
 * equations, angles between spaces, Halley's iteration: SciPy's numbers, defining equations, derivatives, errors. */
#include "support/expect.h"
#include "support/group.h"

#include <complex.h>
#include <math.h>

static kn_array general(void) { return kn_reshape(kn_of(double, 2, 1, 0, 0.5, 3, -1, 0, 0.25, 1), KN_SHAPE(3, 3)); }
static kn_array definite(void)
{
    return kn_reshape(kn_of(double, 4, 1, 0.5, 1, 3, 0.25, 0.5, 0.25, 2), KN_SHAPE(3, 3));
}
static kn_array counted(void) { return kn_reshape(kn_arange(0.0, 9, 1), KN_SHAPE(3, 3)); }
static double far(kn_array x, kn_array y) { return kn_item(kn_max(kn_abs(kn_sub(x, y)))); }
static kn_array adjoint(kn_array x) { return kn_conj(kn_swapaxes(x, -1, -2)); }
static kn_array numbers(int seed, kn_shape shape)
{
    kn_array key = kn_random_key(seed), x = kn_random_normal(key, shape, .dtype = KN_F64);
    return kn_add(x, kn_mul(kn_random_normal(kn_random_fold_in(key, 1), shape, .dtype = KN_F64), (double _Complex)I));
}

static void generalised_problems(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = general(), b = definite();
    expect_near(kn_linalg_eigvalsh(a, .b = b), 1e-14, 0.41988807956577623, 0.6, 1.050700155728341);
    expect_near(kn_linalg_eigvalsh(a, .b = b, .uplo = "U"), 1e-14, 0.22566944647770365, 0.4623022956364335,
                1.353204728474098);
    kn_linalg_eigh_result y = kn_linalg_eigh(a, .b = b);
    expect_near(kn_abs(y.eigenvectors), 1e-14, 0.32677537628650805, 0.38069349381344053, 0.16643942419634053,
                0.05486212907244648, 0.0761386987626882, 0.5965726508123751, 0.47783829140543116, 0.5329708913388167,
                0.0725234794792344);
    y = kn_linalg_eigh(a, .b = b, .type = 2);
    expect_near(y.eigenvalues, 1e-13, 1.8590698497574198, 4.760919234387657, 13.505010915854918);
    y = kn_linalg_eigh(a, .b = b, .type = 3);
    expect_near(kn_abs(y.eigenvectors), 1e-13, 0.026965784977592718, 1.288249338809908, 1.5296033758776737,
                0.16594737016531147, 0.9418560327227291, 1.4440805669902972, 1.3727442221065003, 0.01352512486271834,
                0.3396915831613537);
    kn_array x = numbers(1, KN_SHAPE(2, 1, 6, 6)), z = numbers(2, KN_SHAPE(3, 6, 6)), c, d;
    c = kn_add(x, adjoint(x));
    d = kn_add(kn_matmul(z, adjoint(z)), kn_eye(6));
    for (int type = 1; type <= 3; type++)
        for (int upper = 0; upper < 2; upper++) {
            y = kn_linalg_eigh(c, .b = d, .type = type, .uplo = upper ? "U" : "L");
            kn_array v = y.eigenvectors,
                     left = kn_matmul(type == 3 ? d : c, type == 1 ? v : kn_matmul(type == 3 ? c : d, v));
            kn_array right = kn_mul(v, kn_expand_dims(y.eigenvalues, KN_AXIS(-2)));
            assert_true(far(left, type == 1 ? kn_matmul(d, right) : right) < 1e-11);
            kn_array weight = type == 3 ? kn_linalg_inv(d) : d;
            assert_true(far(kn_matmul(adjoint(v), kn_matmul(weight, v)), kn_eye(6)) < 1e-12);
        }
    kn_linalg_eigh(a, .b = b, .type = 4);
    expect_error("ValueError", "eigh: \"type\" keyword only accepts 1, 2, and 3.");
    kn_linalg_eigh(a, .b = kn_eye(2));
    expect_error("ValueError", "eigh: wrong b dimensions (2,2), should be (3,3)");
    kn_linalg_eigh(a, .b = kn_negative(b));
    expect_error_with("LinAlgError", "Matrix is not positive definite");
}

static void some_eigenvalues(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array b = definite(), w = kn_linalg_eigvalsh(b, .subset_by_index = KN_AXIS(1, 2));
    expect_near(w, 1e-14, 2.386760374377888, 4.731559415452213);
    kn_linalg_eigh_result y = kn_linalg_eigh(b, .subset_by_index = KN_AXIS(2, 2));
    assert_int_equal(kn_dim(y.eigenvectors, 1), 1);
    assert_true(far(kn_matmul(b, y.eigenvectors), kn_mul(y.eigenvectors, y.eigenvalues)) < 1e-14);
    y = kn_linalg_eigh(b, .subset_by_value = kn_of(double, 2, 3));
    expect_near(y.eigenvalues, 1e-14, 2.3867603743778876);
    assert_int_equal(kn_dim(y.eigenvectors, 1), 1);
    assert_int_equal(kn_size(kn_linalg_eigvalsh(b, .subset_by_value = kn_of(double, -INFINITY, 2))), 1);
    assert_int_equal(kn_size(kn_linalg_eigvalsh(b, .subset_by_value = kn_of(double, 10, 20))), 0);
    y = kn_linalg_eigh_tridiagonal(kn_of(double, 1, 2, 3, 4), kn_of(double, 0.5, -1, 2));
    expect_near(y.eigenvalues, 1e-14, 0.5875622478550293, 1.1645693696177102, 2.5771823752799983, 5.670686007247262);
    expect_near(kn_abs(kn_at(y.eigenvectors, "0")), 1e-14, 0.663036877633634, 0.7057452186191079, 0.2489113978145271,
                0.018678900720540584);
    y = kn_linalg_eigh_tridiagonal(kn_of(double, 1, 2, 3, 4), kn_of(double, 0.5, -1, 2),
                                   .subset_by_index = KN_AXIS(0, 1));
    expect_near(y.eigenvalues, 1e-14, 0.5875622478550293, 1.1645693696177102);
    kn_lax_linalg_eigh_result z = kn_lax_linalg_eigh(b, .subset_by_index = KN_AXIS(1, 3));
    expect_near(z.w, 1e-14, 2.386760374377888, 4.731559415452213);
    kn_linalg_eigh(b, .subset_by_index = KN_AXIS(1, 3));
    expect_error("ValueError",
                 "eigh: Requested eigenvalue indices are not valid. Valid range is [0, 2] and start <= end");
    kn_linalg_eigvalsh(b, .subset_by_value = kn_of(double, 3, 3));
    expect_error_with("ValueError", "Requested eigenvalue bounds are not valid.");
    kn_linalg_eigh(b, .subset_by_index = KN_AXIS(1, 1), .subset_by_value = kn_of(double, 2, 3));
    expect_error("ValueError", "eigh: Either index or value subset can be requested.");
    kn_linalg_eigh_tridiagonal(kn_of(double, 1, 2), kn_of(double, 1, 2));
    expect_error_with("ValueError", "must have one more element");
}

static void systems_of_known_structure(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_add(definite(), kn_triu(kn_full(KN_SHAPE(3, 3), 0.125), .k = 1)), b = kn_of(double, 0, 3, 6);
    const struct {
        const char *is;
        double plain[3], transposed[3];
    } cases[] = {
        {"gen",
         {-0.7209913631242959, 0.8561772437101014, 3.073225685317311},
         {-0.6218550506947051, 0.9823507322568532, 3.010138941043935}},
        {"sym",
         {-0.6176470588235293, 0.9529411764705882, 3.0352941176470583},
         {-0.6176470588235293, 0.9529411764705882, 3.0352941176470583}},
        {"pos",
         {-0.6176470588235293, 0.9529411764705882, 3.0352941176470583},
         {-0.6176470588235293, 0.9529411764705882, 3.0352941176470583}},
        {"diagonal", {0, 1, 3}, {0, 1, 3}},
        {"tridiagonal",
         {-0.1973684210526316, 0.7017543859649124, 2.912280701754386},
         {-0.21052631578947367, 0.8421052631578947, 2.8421052631578947}},
        {"upper triangular", {-0.64453125, 0.625, 3}, {0, 1, 2.8125}},
        {"lower triangular", {0, 1, 2.875}, {-0.5625, 0.75, 3}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double *p = cases[i].plain, *q = cases[i].transposed;
        expect_near(kn_linalg_solve(a, b, .assume_a = cases[i].is, .lower = true), 1e-14, p[0], p[1], p[2]);
        expect_near(kn_linalg_solve(a, b, .assume_a = cases[i].is, .lower = true, .transposed = true), 1e-14, q[0],
                    q[1], q[2]);
    }
    kn_array x = numbers(3, KN_SHAPE(2, 5, 5)), h = kn_add(kn_matmul(x, adjoint(x)), kn_eye(5)),
             y = numbers(4, KN_SHAPE(5, 2));
    for (int upper = 0; upper < 2; upper++)
        for (int k = 0; k < 2; k++) {
            kn_array half = upper ? kn_triu(h) : kn_tril(h);
            kn_array z = kn_linalg_solve(half, y, .assume_a = k ? "her" : "pos", .lower = !upper);
            assert_true(far(kn_matmul(h, z), kn_broadcast_to(y, KN_SHAPE(2, 5, 2))) < 1e-12);
        }
    kn_array s = kn_add(x, kn_swapaxes(x, -1, -2));
    assert_true(far(kn_matmul(s, kn_linalg_solve(kn_triu(s), y, .assume_a = "sym")),
                    kn_broadcast_to(y, KN_SHAPE(2, 5, 2))) < 1e-12);
    kn_linalg_solve(a, b, .assume_a = "round");
    expect_error("ValueError", "solve: round is not a recognized matrix structure");
    kn_linalg_solve(kn_negative(a), b, .assume_a = "pos");
    expect_error_with("LinAlgError", "Matrix is not positive definite");
}

static void equations_of_lyapunov(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = general(), q = counted();
    expect_near(kn_linalg_solve_continuous_lyapunov(a, q), 1e-13, -0.12820512820512855, -0.05982905982906054,
                -0.004273504273504798, 0.5726495726495717, 1.3589743589743588, 2.027777777777778, 1.158119658119658,
                2.382478632478633, 3.44871794871795);
    expect_near(kn_linalg_solve_discrete_lyapunov(a, q), 1e-12, -6.11497975708502, 8.011605937921729,
                11.194062078272605, 6.216734143049932, -10.11174089068826, -14.671929824561404, 8.219703103913625,
                -14.80013495276653, -21.62914979757085);
    kn_array x = numbers(5, KN_SHAPE(2, 4, 4)), y = numbers(6, KN_SHAPE(2, 4, 4)), z;
    z = kn_linalg_solve_continuous_lyapunov(x, y);
    assert_true(far(kn_add(kn_matmul(x, z), kn_matmul(z, adjoint(x))), y) < 1e-11);
    z = kn_linalg_solve_discrete_lyapunov(x, y);
    assert_true(far(kn_sub(z, kn_matmul(kn_matmul(x, z), adjoint(x))), y) < 1e-10);
    kn_linalg_solve_discrete_lyapunov(a, kn_eye(2));
    expect_error("ValueError", "solve_discrete_lyapunov: Matrix a and q should have the same shape.");
}

static void spaces_and_products(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = general(), b = definite();
    expect_near(kn_linalg_subspace_angles(kn_at(a, ":, :2"), kn_at(b, ":, 1:")), 1e-14, 1.4221597118522666, 0);
    expect_near(kn_linalg_subspace_angles(kn_at(b, ":, :1"), kn_at(a, ":, :2")), 1e-14, 0.12014962519732156);
    kn_linalg_subspace_angles(a, kn_eye(2));
    expect_error_with("ValueError", "the same number of rows");
    kn_linalg_qr_multiply_result y = kn_linalg_qr_multiply(kn_at(a, ":, :2"), counted());
    expect_near(y.cq, 1e-13, -0.24253562503633297, -1.1525073729836972, -3.8805700005813284, -3.6057016383347107,
                -7.518604376126323, -6.058895903685723);
    expect_near(y.r, 1e-14, -2.0615528128088303, -1.6977493752543307, 0, -2.679579642187097);
    y = kn_linalg_qr_multiply(kn_at(a, ":, :2"), kn_at(counted(), ":2"), .mode = "left", .pivoting = true);
    expect_near(y.cq, 1e-13, 2.846222367837924, 3.479718994621593, 4.11321562140526, -0.9362573578414235,
                -2.194075631275485, -3.451893904709547, -0.14980117725462772, -0.2785459436300803,
                -0.40729071000553296);
    expect_values(y.p, 1, 0);
    y = kn_linalg_qr_multiply(kn_at(a, ":, :2"), kn_at(counted(), "0"));
    expect_near(y.cq, 1e-13, -0.24253562503633297, -1.1525073729836972);
    kn_linalg_qr_multiply(kn_at(a, ":, :2"), kn_ones(KN_SHAPE(2, 2)));
    expect_error_with("ValueError", "objects are not aligned");
}

static void halleys_iteration(void **state)
{
    (void)state;
    KN_SCOPE;
    for (int dtype = 0; dtype < 4; dtype++) {
        kn_dtype d = (kn_dtype[]){KN_F32, KN_F64, KN_C64, KN_C128}[dtype];
        double eps = dtype % 2 ? 0x1p-52 : 0x1p-23;
        kn_array z = numbers(7, KN_SHAPE(2, 8, 5)), x = kn_astype(dtype < 2 ? kn_real(z) : z, d);
        x = kn_mul(x, kn_astype(kn_of(double, 1, 1e-2, 1e-3, 10, 1), d));
        kn_lax_linalg_qdwh_result y = kn_lax_linalg_qdwh(x);
        assert_true(far(kn_matmul(y.u, y.h), x) < 100 * eps);
        assert_true(far(kn_matmul(adjoint(y.u), y.u), kn_eye(5)) < 20 * eps);
        assert_true(kn_item(kn_min(kn_linalg_eigvalsh(y.h))) > 0);
        expect_values(y.is_converged, 1, 1);
        assert_true(kn_item(kn_max(y.num_iters)) <= 7);
        kn_linalg_polar_result p = kn_linalg_polar(x, .method = "qdwh"), q = kn_linalg_polar(x);
        assert_true(far(p.u, q.u) < 1e5 * eps && far(p.p, q.p) < 400 * eps);
    }
    kn_lax_linalg_qdwh_result y = kn_lax_linalg_qdwh(general(), .max_iterations = 2);
    expect_values(y.is_converged, 0);
    expect_values(y.num_iters, 2);
    kn_lax_linalg_qdwh(kn_ones(KN_SHAPE(2, 3)));
    expect_error_with("ValueError", "must have M >= N");
    kn_linalg_polar(general(), .method = "newton");
    expect_error("ValueError", "polar: Unknown polar decomposition method newton.");
}

/* Everything that is made of a stack, joined. */
static kn_array all_of(kn_array x, kn_array b)
{
    kn_array h = kn_matmul(x, kn_swapaxes(x, -1, -2)),
             definite_ones = kn_add(h, kn_eye(kn_dim(x, -1), .dtype = kn_dtype_of(x)));
    kn_lax_linalg_lu_result f = kn_lax_linalg_lu(x);
    kn_array part[] = {
        kn_linalg_cholesky(definite_ones),
        kn_lax_linalg_cholesky(h), /* of matrices without full rank NaN */
        f.lu,
        kn_astype(f.pivots, KN_F64),
        kn_astype(f.permutation, KN_F64),
        kn_lax_linalg_triangular_solve(x, b, .left_side = true, .lower = true),
        kn_lax_linalg_triangular_solve(x, b, .left_side = true, .transpose_a = true, .unit_diagonal = true),
        kn_lax_linalg_triangular_solve(x, kn_swapaxes(b, -1, -2), .lower = true, .transpose_a = true),
        kn_lax_linalg_triangular_solve(x, kn_swapaxes(b, -1, -2)),
        kn_linalg_eigvalsh(h),
        kn_lax_linalg_qr(x).q,
    };
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        int64_t n = 1;
        for (int k = 1; k < kn_ndim(part[i]); k++)
            n *= kn_dim(part[i], k);
        part[i] = kn_astype(kn_reshape(part[i], KN_SHAPE(kn_dim(x, 0), n)), KN_F64);
    }
    return kn_concatenate(kn_list_from(part, sizeof part / sizeof *part), .axis = KN_AXIS(1));
}

static void stacks_have_the_bits_of_single_matrices(void **state)
{
    (void)state;
    enum { STACK = 37 };
    for (int n = 1; n <= 17; n += n < 5 ? 1 : 3)
        for (int single = 0; single < 2; single++) {
            KN_SCOPE;
            kn_dtype d = single ? KN_F32 : KN_F64;
            kn_array key = kn_random_key(n), x = kn_random_normal(key, KN_SHAPE(STACK, n, n), .dtype = d);
            x = kn_mul(x, kn_astype(kn_reshape(kn_greater(kn_arange(0, STACK, 1), 2), KN_SHAPE(STACK, 1, 1)), d));
            kn_array b = kn_random_normal(kn_random_fold_in(key, 1), KN_SHAPE(STACK, n, 5), .dtype = d);
            kn_set_threads(1);
            kn_array stack = all_of(x, b);
            kn_eval(stack);
            kn_set_threads(3);
            kn_array shared = all_of(x, b);
            assert_true(kn_array_equal(stack, shared, .equal_nan = true));
            kn_set_threads(1);
            for (int k = 0; k < STACK; k += 6) {
                kn_array one = all_of(kn_at(x, "%:%", k, k + 1), kn_at(b, "%:%", k, k + 1));
                assert_true(kn_array_equal(one, kn_at(stack, "%:%", k, k + 1), .equal_nan = true));
            }
        }
}

static kn_array weighted(kn_array x)
{
    return kn_sum(kn_mul(kn_ravel(x), kn_sin(kn_add(1, kn_arange(0, kn_size(x), 1, .dtype = KN_F64)))));
}
static kn_array of_values(const kn_array *x)
{
    kn_array b = kn_add(kn_matmul(*x, kn_transpose(*x)), kn_eye(3));
    return weighted(kn_linalg_eigvalsh(*x, .b = b));
}
static kn_array of_vectors(const kn_array *x)
{
    kn_array b = kn_add(kn_matmul(*x, kn_transpose(*x)), kn_eye(3));
    return weighted(kn_square(kn_linalg_eigh(*x, .b = b, .type = 3).eigenvectors));
}
static kn_array of_systems(const kn_array *x)
{
    kn_array b = kn_add(kn_matmul(*x, kn_transpose(*x)), kn_eye(3)), y = kn_linalg_solve(b, *x, .assume_a = "pos");
    return weighted(kn_add(y, kn_linalg_solve(kn_add(*x, kn_mul(8, kn_eye(3))), *x, .assume_a = "tridiagonal")));
}
static kn_array of_lyapunov(const kn_array *x)
{
    kn_array a = kn_add(*x, kn_mul(4, kn_eye(3)));
    return weighted(kn_add(kn_linalg_solve_continuous_lyapunov(a, *x), kn_linalg_solve_discrete_lyapunov(a, *x)));
}
static kn_array of_halley(const kn_array *x)
{
    kn_lax_linalg_qdwh_result y = kn_lax_linalg_qdwh(*x);
    return kn_add(weighted(y.u), weighted(y.h));
}
KN_FUNCTION(of_values, kn_array, kn_array)
KN_FUNCTION(of_vectors, kn_array, kn_array)
KN_FUNCTION(of_systems, kn_array, kn_array)
KN_FUNCTION(of_lyapunov, kn_array, kn_array)
KN_FUNCTION(of_halley, kn_array, kn_array)

static void derivatives_are_those_of_differences(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_random_normal(kn_random_key(8), KN_SHAPE(3, 3), .dtype = KN_F64);
    kn_fn cases[] = {KN_FN(of_values), KN_FN(of_vectors), KN_FN(of_systems), KN_FN(of_lyapunov), KN_FN(of_halley)};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kn_testing_check_grads(cases[i], KN_ARGS(&x), 2, .atol = 1e-3, .rtol = 1e-3);
        if (kn_error_pending())
            fail_msg("case %d: %s", (int)i, kn_error_message());
    }
}

KN_TEST_GROUP(test_matrix_equations)
{
    const struct CMUnitTest tests[] = {
        TEST(generalised_problems),
        TEST(some_eigenvalues),
        TEST(systems_of_known_structure),
        TEST(equations_of_lyapunov),
        TEST(spaces_and_products),
        TEST(halleys_iteration),
        TEST(derivatives_are_those_of_differences),
        TEST(stacks_have_the_bits_of_single_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
