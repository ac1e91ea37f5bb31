/* SPDX-License-Identifier: Apache-2.0
 * test_linalg_derivatives.c -- derivatives through factorisations: JAX's gradients and second derivatives
 * (scripts/golden/make_linalg_derivatives.py, where the functions are the same), differences, stacks; where eigenvalues are
 * equal or a matrix has not full rank, and JAX gives NaN, what calculus says. */
#include "support/expect.h"
#include "support/golden.h"
#include "support/group.h"

#include <complex.h>
#include <stdio.h>

static kn_array weighted(kn_array y)
{
    y = kn_ravel(kn_iscomplexobj(y) ? kn_add(kn_real(y), kn_mul(0.5, kn_imag(y))) : y);
    return kn_sum(kn_mul(y, kn_sin(kn_add(1, kn_arange(0, kn_size(y), 1, .dtype = KN_F64)))));
}
static kn_array adjoint(kn_array z) { return kn_conj(kn_swapaxes(z, -1, -2)); }
static kn_array definite(kn_array z)
{
    int64_t n = kn_dim(z, -1);
    return kn_add(kn_matmul(z, adjoint(z)), kn_mul((double)n, kn_eye(n)));
}
static kn_array hermitian(kn_array z) { return kn_add(z, adjoint(z)); }
static kn_array raised(kn_array z) { return kn_add(z, kn_mul(3, kn_eye(kn_dim(z, -1)))); }
static kn_array square(kn_array y) { return kn_real(kn_mul(y, kn_conj(y))); }

/* ---- The functions, of real or complex z. */

static kn_array cholesky(kn_array z) { return weighted(kn_linalg_cholesky(definite(z))); }
static kn_array lu(kn_array z) { return weighted(kn_lax_linalg_lu(raised(z)).lu); }
static kn_array solve(kn_array z) { return weighted(kn_linalg_solve(raised(z), kn_transpose(z))); }
static kn_array inv(kn_array z) { return weighted(kn_linalg_inv(raised(z))); }
static kn_array det(kn_array z) { return weighted(kn_linalg_det(z)); }
static kn_array slogdet(kn_array z) { return kn_linalg_slogdet(z).logabsdet; }
static kn_array triangular(kn_array z) { return weighted(kn_linalg_solve_triangular(raised(z), z, .lower = true)); }
static kn_array qr(kn_array z)
{
    kn_linalg_qr_result y = kn_linalg_qr(z);
    return kn_add(weighted(square(y.q)), weighted(square(y.r)));
}
static kn_array eigh(kn_array z)
{
    kn_linalg_eigh_result y = kn_linalg_eigh(hermitian(z));
    return kn_add(weighted(y.eigenvalues), weighted(square(y.eigenvectors)));
}
static kn_array svd(kn_array z)
{
    kn_linalg_svd_result y = kn_linalg_svd(z, .full_matrices = false);
    return kn_add(weighted(square(y.u)), kn_add(weighted(y.s), weighted(square(y.vh))));
}
static kn_array pinv(kn_array z) { return weighted(kn_linalg_pinv(z)); }
static kn_array lstsq(kn_array z)
{
    int64_t m = kn_dim(z, 0);
    kn_array b = kn_reshape(kn_sin(kn_arange(0, 2 * m, 1, .dtype = KN_F64)), KN_SHAPE(m, 2));
    return weighted(kn_linalg_lstsq(z, b).x);
}
static kn_array expm(kn_array z) { return weighted(kn_linalg_expm(kn_div(z, 4))); }
static kn_array norm(kn_array z)
{
    return kn_add(kn_add(kn_linalg_norm(z, .ord = 2), kn_linalg_norm(z, .named = "nuc")),
                  kn_add(kn_linalg_norm(z), kn_linalg_norm(z, .ord = 1)));
}
static kn_array power(kn_array z)
{
    return kn_add(weighted(kn_linalg_matrix_power(z, 5)), weighted(kn_linalg_matrix_power(raised(z), -2)));
}
static kn_array eigvals(kn_array z) { return kn_sum(kn_power(kn_abs(kn_linalg_eigvals(z)), 1.5)); }

static kn_array with_imaginary_part(kn_array x) { return kn_add(x, kn_mul(kn_square(x), (double _Complex)I)); }

#define SUBJECT(f)                                                                        \
    static kn_array real_##f(const kn_array *x) { return f(*x); }                         \
    static kn_array complex_##f(const kn_array *x) { return f(with_imaginary_part(*x)); } \
    KN_FUNCTION(real_##f, kn_array, kn_array)                                             \
    KN_FUNCTION(complex_##f, kn_array, kn_array)
SUBJECT(cholesky)
SUBJECT(lu)
SUBJECT(solve)
SUBJECT(inv)
SUBJECT(det)
SUBJECT(slogdet)
SUBJECT(triangular)
SUBJECT(qr)
SUBJECT(eigh)
SUBJECT(svd)
SUBJECT(pinv)
SUBJECT(lstsq)
SUBJECT(expm)
SUBJECT(norm)
SUBJECT(power)
SUBJECT(eigvals)

typedef struct subject {
    const char *name; /* in the file; NULL: JAX has none */
    kn_fn f[2];
    int m, n;
} subject;
#define BOTH(f)                             \
    {                                       \
        KN_FN(real_##f), KN_FN(complex_##f) \
    }
enum { SUBJECTS = 17 };
static void subjects(subject s[SUBJECTS])
{
    const subject all[SUBJECTS] = {{"cholesky", BOTH(cholesky), 4, 4},
                                   {"lu", BOTH(lu), 4, 4},
                                   {"solve", BOTH(solve), 4, 4},
                                   {"inv", BOTH(inv), 4, 4},
                                   {"det", BOTH(det), 4, 4},
                                   {"slogdet", BOTH(slogdet), 4, 4},
                                   {"triangular", BOTH(triangular), 4, 4},
                                   {"qr", BOTH(qr), 5, 3},
                                   {"eigh", BOTH(eigh), 4, 4},
                                   {"svd", BOTH(svd), 5, 3},
                                   {"svd wide", BOTH(svd), 3, 5},
                                   {"pinv", BOTH(pinv), 5, 3},
                                   {"lstsq", BOTH(lstsq), 5, 3},
                                   {"expm", BOTH(expm), 4, 4},
                                   {"norm", BOTH(norm), 4, 4},
                                   {"power", BOTH(power), 4, 4},
                                   {NULL, BOTH(eigvals), 4, 4}};
    memcpy(s, all, sizeof all);
}

static const knio_npy *of(const golden *g, const char *what, const char *name, bool is_complex)
{
    char full[64];
    snprintf(full, sizeof full, "%s %s%s", what, name, is_complex ? " complex" : "");
    return golden_find(g, full);
}

static void gradients_are_those_of_jax(void **state)
{
    (void)state;
    KN_SCOPE;
    golden g = golden_read("linalg_derivatives.npz");
    subject s[SUBJECTS];
    subjects(s);
    for (int i = 0; i < SUBJECTS; i++)
        for (int k = 0; k < 2 && s[i].name; k++) {
            KN_SCOPE;
            kn_array x = golden_array(of(&g, "x", s[i].name, k)), y, ds, dg;
            kn_array v = kn_reshape(kn_cos(kn_arange(0, kn_size(x), 1, .dtype = KN_F64)), KN_SHAPE(s[i].m, s[i].n));
            kn_fn grad = kn_grad(s[i].f[k]);
            kn_call(grad, &y, &x);
            golden_close(s[i].name, y, of(&g, "g", s[i].name, k), 1e-9, 1e-9);
            kn_jvp(grad, KN_ARGS(&x), KN_ARGS(&v), &ds, &dg);
            golden_close(s[i].name, dg, of(&g, "h", s[i].name, k), 1e-8, 1e-8);
            kn_call(kn_jit(grad), &y, &x); /* in one program, too */
            golden_close(s[i].name, y, of(&g, "g", s[i].name, k), 1e-9, 1e-9);
        }
    golden_free(&g);
    expect_no_error();
}

static void derivatives_are_those_of_differences(void **state)
{
    (void)state;
    KN_SCOPE;
    subject s[SUBJECTS];
    subjects(s);
    for (int i = 0; i < SUBJECTS; i++)
        for (int k = 0; k < 2; k++) {
            KN_SCOPE;
            kn_array x = kn_random_normal(kn_random_key(40 + i), KN_SHAPE(s[i].m, s[i].n), .dtype = KN_F64);
            kn_testing_check_grads(s[i].f[k], KN_ARGS(&x), 2, .atol = 2e-3, .rtol = 2e-3);
            if (kn_error_pending())
                fail_msg("%s, %d: %s", s[i].name ? s[i].name : "eigvals", k, kn_error_message());
        }
}

/* Under vmap the derivatives of a stack are those of its matrices. */
static void stacks_have_the_derivatives_of_their_matrices(void **state)
{
    (void)state;
    KN_SCOPE;
    subject s[SUBJECTS];
    subjects(s);
    for (int i = 0; i < SUBJECTS; i++)
        for (int k = 0; k < 2; k++) {
            KN_SCOPE;
            kn_array x = kn_random_normal(kn_random_key(60 + i), KN_SHAPE(3, s[i].m, s[i].n), .dtype = KN_F64), all,
                     one;
            kn_fn grad = kn_grad(s[i].f[k]);
            kn_call(kn_jit(kn_vmap(grad)), &all, &x);
            for (int j = 0; j < 3; j++) {
                kn_array xj = kn_at(x, "%", j);
                kn_call(grad, &one, &xj);
                double off = kn_item(kn_max(kn_abs(kn_sub(one, kn_at(all, "%", j))))),
                       size = kn_item(kn_max(kn_abs(one)));
                if (!(off <= 1e-10 * (1 + size)))
                    fail_msg("%s, %d: off by %g of %g", s[i].name ? s[i].name : "eigvals", k, off, size);
            }
        }
    expect_no_error();
}

/* ---- Equal eigenvalues, and less than full rank. */

static kn_array fixed(int64_t m, int64_t n, int seed)
{
    return kn_random_normal(kn_random_key(seed), KN_SHAPE(m, n), .dtype = KN_F64);
}

/* The sum of a function of the eigenvalues, whichever vectors there are. */
static kn_array sum_of_values(const kn_array *x) { return kn_sum(kn_sin(kn_linalg_eigvalsh(hermitian(*x)))); }
/* On the space of the eigenvalues above 1, whose basis is free. */
static kn_array of_projection(const kn_array *x)
{
    kn_linalg_eigh_result y = kn_linalg_eigh(hermitian(*x));
    kn_array v = kn_at(y.eigenvectors, ":, 2:");
    return weighted(kn_matmul(v, kn_transpose(v)));
}
/* u vh, which does not depend on the choice of vectors among those of one singular value */
static kn_array of_unitary_factor(const kn_array *x)
{
    kn_linalg_svd_result y = kn_linalg_svd(*x, .full_matrices = false);
    return weighted(kn_matmul(y.u, y.vh));
}
static kn_array nuclear(const kn_array *x) { return kn_linalg_norm(*x, .named = "nuc"); }
static kn_array sum_of_squares(const kn_array *x) { return kn_sum(kn_square(kn_linalg_svdvals(*x))); }
static kn_array of_pinv(const kn_array *x) /* of rank 2 whatever x is */
{
    return weighted(kn_linalg_pinv(kn_matmul(*x, fixed(2, 4, 3)), .rcond = 1e-9));
}
static kn_array of_lstsq(const kn_array *x)
{
    kn_linalg_lstsq_result y = kn_linalg_lstsq(kn_matmul(*x, fixed(2, 4, 3)), fixed(5, 1, 4), .rcond = 1e-9);
    return kn_add(weighted(y.x), kn_sum(y.residuals));
}
static kn_array of_polar(const kn_array *x)
{
    kn_linalg_polar_result y = kn_linalg_polar(*x);
    return kn_add(weighted(y.u), weighted(y.p));
}
static kn_array of_expm(const kn_array *x) { return weighted(kn_linalg_expm(hermitian(*x))); }
static kn_array of_sqrtm(const kn_array *x) { return weighted(kn_linalg_sqrtm(hermitian(*x))); }
static kn_array of_determinant(const kn_array *x) { return kn_linalg_det(*x); }
KN_FUNCTION(sum_of_values, kn_array, kn_array)
KN_FUNCTION(of_projection, kn_array, kn_array)
KN_FUNCTION(of_unitary_factor, kn_array, kn_array)
KN_FUNCTION(nuclear, kn_array, kn_array)
KN_FUNCTION(sum_of_squares, kn_array, kn_array)
KN_FUNCTION(of_pinv, kn_array, kn_array)
KN_FUNCTION(of_lstsq, kn_array, kn_array)
KN_FUNCTION(of_polar, kn_array, kn_array)
KN_FUNCTION(of_expm, kn_array, kn_array)
KN_FUNCTION(of_sqrtm, kn_array, kn_array)
KN_FUNCTION(of_determinant, kn_array, kn_array)

/* Both modes against central differences along one direction. */
static void along_one_direction(const char *name, kn_fn f, kn_array x)
{
    KN_SCOPE;
    const double h = 1e-5;
    kn_array v = kn_reshape(kn_cos(kn_add(0.3, kn_arange(0, kn_size(x), 1, .dtype = KN_F64))),
                            KN_SHAPE(kn_dim(x, 0), kn_dim(x, 1)));
    kn_array y, dy, g, up, down, more = kn_add(x, kn_mul(h, v)), less = kn_sub(x, kn_mul(h, v));
    kn_call(f, &up, &more);
    kn_call(f, &down, &less);
    double slope = (kn_item(up) - kn_item(down)) / (2 * h);
    kn_jvp(f, KN_ARGS(&x), KN_ARGS(&v), &y, &dy);
    kn_call(kn_grad(f), &g, &x);
    double forward = kn_item(dy), reverse = kn_item(kn_sum(kn_mul(g, v)));
    if (!(fabs(forward - slope) <= 1e-6 * (1 + fabs(slope)) && fabs(reverse - slope) <= 1e-6 * (1 + fabs(slope))))
        fail_msg("%s: %.12g forward, %.12g reverse, differences say %.12g", name, forward, reverse, slope);
}

static void equal_eigenvalues_and_lost_rank(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array q = kn_linalg_qr(fixed(4, 4, 1)).q, w = kn_of(double, 0.25, 0.25, 2, 2), one = kn_eye(4);
    kn_array twice = kn_matmul(kn_mul(q, w), kn_transpose(q)), low = kn_matmul(fixed(5, 2, 2), fixed(2, 4, 3));
    kn_array wide_one = kn_concatenate(KN_LIST(kn_mul(2, kn_eye(3)), kn_zeros(KN_SHAPE(3, 2))), .axis = KN_AXIS(1));
    along_one_direction("sin of equal eigenvalues", KN_FN(sum_of_values), twice);
    along_one_direction("sin of the identity's", KN_FN(sum_of_values), one);
    along_one_direction("projection", KN_FN(of_projection), twice);
    along_one_direction("u vh of equal values", KN_FN(of_unitary_factor), q);
    along_one_direction("u vh of twice two equal values", KN_FN(of_unitary_factor), twice);
    along_one_direction("u vh, wide", KN_FN(of_unitary_factor), wide_one);
    along_one_direction("nuclear norm of equal values", KN_FN(nuclear), q);
    along_one_direction("nuclear norm, wide", KN_FN(nuclear), wide_one);
    along_one_direction("squares of singular values", KN_FN(sum_of_squares), low);
    along_one_direction("squares of singular values, wide", KN_FN(sum_of_squares), kn_transpose(low));
    along_one_direction("pseudoinverse of rank 2", KN_FN(of_pinv), fixed(5, 2, 5));
    along_one_direction("least squares of rank 2", KN_FN(of_lstsq), fixed(5, 2, 5));
    along_one_direction("polar factors of equal values", KN_FN(of_polar), q);
    along_one_direction("polar factors, wide", KN_FN(of_polar), wide_one);
    along_one_direction("expm of the identity", KN_FN(of_expm), one);
    along_one_direction("expm of equal eigenvalues", KN_FN(of_expm), twice);
    along_one_direction("sqrtm of equal eigenvalues", KN_FN(of_sqrtm), twice);
    along_one_direction("determinant of rank 2", KN_FN(of_determinant), kn_at(low, ":4"));
    along_one_direction("determinant of rank 3", KN_FN(of_determinant),
                        kn_add(kn_at(low, ":4"), kn_outer(kn_of(double, 1, 0, 2, 1), kn_of(double, 0, 1, 1, 3))));
    along_one_direction("determinant of zeros", KN_FN(of_determinant), kn_zeros(KN_SHAPE(4, 4)));
    expect_no_error();
}

/* ---- NaN and errors under transformations. */

static kn_array values_of(const kn_array *x) { return kn_linalg_eigvalsh(*x); }
static kn_array singular_values_of(const kn_array *x) { return kn_linalg_svdvals(*x); }
static kn_array general_values_of(const kn_array *x) { return kn_linalg_eigvals(*x); }
static kn_array solution_of(const kn_array *x) { return kn_linalg_solve(*x, kn_ones(KN_SHAPE(2))); }
static kn_array banded_solution_of(const kn_array *x) { return kn_linalg_solve_banded(1, 0, *x, kn_ones(KN_SHAPE(2))); }
static kn_array lax_values_of(const kn_array *x) { return kn_lax_linalg_eigh(*x).w; }
static kn_array lax_singular_values_of(const kn_array *x) { return kn_lax_linalg_svd(*x, .compute_uv = false).s; }
static kn_array lax_factor_of(const kn_array *x) { return kn_lax_linalg_cholesky(*x); }
KN_FUNCTION(values_of, kn_array, kn_array)
KN_FUNCTION(singular_values_of, kn_array, kn_array)
KN_FUNCTION(general_values_of, kn_array, kn_array)
KN_FUNCTION(solution_of, kn_array, kn_array)
KN_FUNCTION(banded_solution_of, kn_array, kn_array)
KN_FUNCTION(lax_values_of, kn_array, kn_array)
KN_FUNCTION(lax_singular_values_of, kn_array, kn_array)
KN_FUNCTION(lax_factor_of, kn_array, kn_array)

/* np.linalg's functions raise NumPy's error while they run, inside of jit and vmap, too; those of jax.lax give NaN. */
static void errors_come_through_transformations(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array bad = kn_reshape(kn_of(double, 1, NAN, NAN, 1), KN_SHAPE(2, 2)), good = kn_eye(2), y;
    kn_array zero = kn_zeros(KN_SHAPE(2, 2));
    const struct {
        kn_fn f;
        kn_array x;
        const char *message;
    } raises[] = {{KN_FN(values_of), bad, "Eigenvalues did not converge"},
                  {KN_FN(singular_values_of), bad, "SVD did not converge"},
                  {KN_FN(general_values_of), bad, "Array must not contain infs or NaNs"},
                  {KN_FN(solution_of), zero, "Singular matrix"},
                  {KN_FN(banded_solution_of), zero, "Singular matrix"}};
    for (size_t i = 0; i < sizeof raises / sizeof *raises; i++) {
        kn_array stack = kn_stack(KN_LIST(good, raises[i].x));
        kn_fn ways[] = {raises[i].f, kn_jit(raises[i].f), kn_vmap(raises[i].f), kn_jit(kn_vmap(raises[i].f))};
        for (int k = 0; k < 4; k++) {
            kn_call(ways[k], &y, k < 2 ? &raises[i].x : &stack);
            kn_ok(y);
            expect_error_with("LinAlgError", raises[i].message);
        }
        kn_call(ways[3], &y, &stack);
        kn_ok(y);
        expect_error_with("LinAlgError", raises[i].message);
        kn_array ones = kn_ones(KN_SHAPE(2, 2, 2)), two = i == 4 ? ones : kn_stack(KN_LIST(good, good));
        kn_call(ways[3], &y, &two); /* a failure leaves the function usable */
        assert_true(kn_ok(y));
    }
    const kn_fn nan[] = {KN_FN(lax_values_of), KN_FN(lax_singular_values_of), KN_FN(lax_factor_of)};
    for (size_t i = 0; i < sizeof nan / sizeof *nan; i++) {
        kn_array stack = kn_stack(KN_LIST(good, bad));
        kn_call(kn_jit(kn_vmap(nan[i])), &y, &stack);
        assert_true(kn_item(kn_all(kn_isfinite(kn_at(y, "0")))) == 1); /* the other matrix is what it was */
        assert_true(kn_item(kn_any(kn_isnan(kn_at(y, "1")))) == 1);
    }
    expect_no_error();
}

KN_TEST_GROUP(test_linalg_derivatives)
{
    const struct CMUnitTest tests[] = {
        TEST(gradients_are_those_of_jax),
        TEST(derivatives_are_those_of_differences),
        TEST(stacks_have_the_derivatives_of_their_matrices),
        TEST(equal_eigenvalues_and_lost_rank),
        TEST(errors_come_through_transformations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
