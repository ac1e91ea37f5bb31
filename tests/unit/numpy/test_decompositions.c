/* SPDX-License-Identifier: Apache-2.0
 * test_decompositions.c -- QR, eigenvalues, singular values and what is made of them: residuals and orthogonality within
 * bounds like those of LAPACK's own tests, for easy and hard matrices of all dtypes; known values; errors; derivatives
 * against differences. */
#include "support/expect.h"
#include "support/golden.h"
#include "support/group.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>

/* ---- Matrices. */

static const char *const dtypes[] = {"f32", "f64", "c64", "c128"};
static double epsilon(kn_dtype d) { return d == KN_F32 || d == KN_C64 ? 0x1p-23 : 0x1p-52; }

static kn_array numbers(int seed, kn_shape shape, kn_dtype d)
{
    kn_array key = kn_random_key(seed), x = kn_random_normal(key, shape, .dtype = KN_F64);
    if (kn_iscomplexobj(kn_zeros(KN_SHAPE(1), .dtype = d))) {
        kn_array y = kn_random_normal(kn_random_fold_in(key, 1), shape, .dtype = KN_F64);
        x = kn_add(x, kn_mul(y, (double _Complex)I));
    }
    return kn_astype(x, d);
}

static kn_array adjoint(kn_array x) { return kn_swapaxes(kn_conj(x), -1, -2); }
static double largest(kn_array x) { return kn_item(kn_max(kn_abs(x), .initial = kn_num(0.0))); }

/* |got - want| <= factor n eps |scale| */
static void near(const char *what, kn_array got, kn_array want, double scale, double factor, kn_dtype d)
{
    kn_array far = kn_abs(kn_sub(kn_astype(got, KN_C128), kn_astype(want, KN_C128)));
    double worst = kn_item(kn_max(far, .initial = kn_num(0.0)));
    int64_t n = 1;
    for (int i = 0; i < kn_ndim(got); i++)
        n = kn_dim(got, i) > n ? kn_dim(got, i) : n;
    n += 3;
    if (!(worst <= factor * (double)n * epsilon(d) * scale))
        fail_msg("%s, %s, %lld: off by %g, %g allowed", what, kn_dtype_name(d), (long long)n, worst,
                 factor * (double)n * epsilon(d) * scale);
}

static void orthonormal(const char *what, kn_array columns)
{
    kn_dtype d = kn_dtype_of(columns);
    columns = kn_astype(columns, KN_C128);
    kn_array p = kn_matmul(adjoint(columns), columns);
    near(what, p, kn_eye(kn_dim(columns, -1), .dtype = KN_C128), 1, 3, d);
}

static kn_array wide(kn_array x) { return kn_astype(x, KN_C128); }

/* ---- QR. */

static void check_qr(kn_array a)
{
    KN_SCOPE;
    kn_dtype d = kn_dtype_of(a);
    int64_t m = kn_dim(a, -2), n = kn_dim(a, -1), k = m < n ? m : n;
    for (int mode = 0; mode < 4; mode++) {
        kn_linalg_qr_result y = kn_linalg_qr(a, .mode = mode % 2 ? "complete" : "reduced", .pivoting = mode >= 2);
        assert_ptr_equal(kn_dtype_of(y.q), d);
        assert_int_equal(kn_dim(y.q, -1), mode % 2 ? m : k);
        assert_int_equal(kn_dim(y.r, -2), mode % 2 ? m : k);
        orthonormal("q", y.q);
        kn_array b = y.p ? kn_take(a, y.p, .axis = KN_AXIS(1)) : a;
        near("q r", kn_matmul(wide(y.q), wide(y.r)), b, largest(a), 3, d);
        assert_true(largest(kn_tril(y.r, .k = -1)) == 0);
        if (y.p && k > 1) {
            kn_array diagonal = kn_abs(kn_diagonal(y.r)), fall = kn_diff(diagonal);
            assert_true(kn_item(kn_max(fall)) <= 8 * epsilon(d) * largest(diagonal) * (double)k);
        }
    }
}

static void qr_of_all_shapes(void **state)
{
    (void)state;
    static const int shapes[][2] = {{1, 1},   {2, 1},   {1, 2},   {3, 3},    {5, 3},    {3, 5}, {31, 32},
                                    {33, 33}, {40, 70}, {70, 40}, {100, 64}, {65, 130}, {0, 3}, {3, 0}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int k = 0; k < 4; k++) {
            KN_SCOPE;
            check_qr(numbers((int)i, KN_SHAPE(shapes[i][0], shapes[i][1]), golden_dtype(dtypes[k])));
        }
    expect_no_error();
}

/* ---- Hermitian eigenvalues. */

static void check_eigh(const char *what, kn_array a)
{
    KN_SCOPE;
    kn_dtype d = kn_dtype_of(a);
    kn_linalg_eigh_result y = kn_linalg_eigh(a);
    double size = largest(y.eigenvalues);
    assert_ptr_equal(kn_dtype_of(y.eigenvectors), d);
    orthonormal(what, y.eigenvectors);
    double up = size > 0x1p500 ? 0x1p-500 : size < 0x1p-500 ? 0x1p400 : 1; /* the product must not overflow */
    kn_array scaled = kn_mul(wide(a), up), values = kn_mul(kn_astype(y.eigenvalues, KN_F64), up);
    kn_array left = kn_matmul(scaled, wide(y.eigenvectors));
    kn_array right = kn_mul(wide(y.eigenvectors), kn_expand_dims(values, KN_AXIS(-2)));
    near(what, left, right, size * up, 3, d);
    kn_array alone = kn_linalg_eigvalsh(a, .uplo = "U");
    near(what, kn_mul(kn_astype(alone, KN_F64), up), values, size * up, 3, d);
    if (kn_size(alone) > 1)
        assert_true(kn_item(kn_min(kn_diff(y.eigenvalues))) >= 0);
}

static kn_array hermitian(kn_array x) { return kn_astype(kn_div(kn_add(x, adjoint(x)), 2), kn_dtype_of(x)); }

/* q diag(w) q^H */
static kn_array with_eigenvalues(kn_array w, kn_dtype d, int seed)
{
    int64_t n = kn_size(w);
    kn_array q = kn_linalg_qr(numbers(seed, KN_SHAPE(n, n), d)).q;
    kn_array x = kn_matmul(kn_mul(wide(q), w), adjoint(wide(q)));
    return hermitian(d == KN_F32 || d == KN_F64 ? kn_astype(kn_real(x), d) : kn_astype(x, d));
}

static void eigenvalues_of_all_sizes(void **state)
{
    (void)state;
    static const int sizes[] = {0, 1, 2, 3, 4, 5, 8, 16, 24, 25, 32, 33, 50, 64, 65, 100, 130, 200};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int k = 0; k < 4; k++) {
            KN_SCOPE;
            check_eigh("random", hermitian(numbers((int)i, KN_SHAPE(sizes[i], sizes[i]), golden_dtype(dtypes[k]))));
        }
    expect_no_error();
}

static void eigenvalues_of_hard_matrices(void **state)
{
    (void)state;
    enum { N = 90 };
    for (int k = 0; k < 4; k++) {
        KN_SCOPE;
        kn_dtype d = golden_dtype(dtypes[k]);
        bool narrow = d == KN_F32 || d == KN_C64;
        kn_array i = kn_arange(0, N, 1, .dtype = KN_F64), x = numbers(5, KN_SHAPE(N, N), d);
        check_eigh("zero", kn_zeros(KN_SHAPE(N, N), .dtype = d));
        check_eigh("identity", kn_astype(kn_eye(N), d));
        check_eigh("ones", kn_ones(KN_SHAPE(N, N), .dtype = d));
        check_eigh("repeated", with_eigenvalues(kn_floor(kn_div(i, 10)), d, 1));
        check_eigh("clustered", with_eigenvalues(kn_add(1, kn_mul(i, narrow ? 1e-7 : 1e-15)), d, 2));
        check_eigh("graded", with_eigenvalues(kn_power(10, kn_div(i, narrow ? -10 : -6)), d, 3));
        check_eigh("rank one", hermitian(kn_matmul(kn_at(x, ":, :1"), adjoint(kn_at(x, ":, :1")))));
        check_eigh("two blocks", kn_astype(kn_diag(kn_where(kn_less(i, 40), 1.0, -1.0)), d));
        check_eigh("small", kn_astype(kn_mul(hermitian(x), narrow ? 1e-36 : 1e-300), d));
        check_eigh("large", kn_astype(kn_mul(hermitian(x), narrow ? 1e36 : 1e300), d));
        kn_array one = kn_astype(kn_add(kn_eye(N, .k = 1), kn_eye(N, .k = -1)), d); /* 1, -2, 1 and Wilkinson's */
        check_eigh("second differences", kn_sub(one, kn_astype(kn_mul(2, kn_eye(N)), d)));
        check_eigh("Wilkinson", kn_add(one, kn_astype(kn_diag(kn_abs(kn_sub(i, 44.5))), d)));
        kn_array powers = kn_power(2.0, kn_div(i, -2)), graded = kn_outer(powers, powers);
        check_eigh("rows graded", kn_astype(kn_mul(hermitian(x), kn_astype(graded, d)), d));
        check_eigh("rows graded upwards", kn_astype(kn_mul(hermitian(x), kn_astype(kn_flip(graded), d)), d));
    }
    expect_no_error();
}

/* ---- Singular values. */

static void check_svd(const char *what, kn_array a)
{
    KN_SCOPE;
    kn_dtype d = kn_dtype_of(a);
    int64_t m = kn_dim(a, -2), n = kn_dim(a, -1), k = m < n ? m : n;
    for (int full = 0; full < 2; full++) {
        kn_linalg_svd_result y = kn_linalg_svd(a, .full_matrices = full);
        double size = largest(y.s), up = size > 0x1p500 ? 0x1p-500 : size < 0x1p-500 ? 0x1p400 : 1;
        assert_int_equal(kn_dim(y.u, -1), full ? m : k);
        assert_int_equal(kn_dim(y.vh, -2), full ? n : k);
        orthonormal(what, y.u);
        orthonormal(what, adjoint(y.vh));
        kn_array u = kn_at(y.u, ":, :%", k), vh = kn_at(y.vh, ":%", k);
        kn_array product = kn_matmul(kn_mul(wide(u), kn_mul(kn_astype(y.s, KN_F64), up)), wide(vh));
        near(what, product, kn_mul(wide(a), up), size * up, 3, d);
        near(what, kn_mul(kn_astype(kn_linalg_svdvals(a), KN_F64), up), kn_mul(kn_astype(y.s, KN_F64), up), size * up,
             3, d);
        assert_true(k == 0 || kn_item(kn_min(y.s)) >= 0);
        assert_true(k < 2 || kn_item(kn_max(kn_diff(y.s))) <= 0);
    }
}

static void singular_values_of_all_shapes(void **state)
{
    (void)state;
    static const int shapes[][2] = {{1, 1},   {2, 2},   {2, 1},   {1, 2},    {3, 3},  {5, 3}, {3, 5}, {20, 20},
                                    {33, 33}, {40, 70}, {70, 40}, {100, 64}, {1, 30}, {0, 3}, {3, 0}, {0, 0}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int k = 0; k < 4; k++) {
            KN_SCOPE;
            check_svd("random", numbers((int)i, KN_SHAPE(shapes[i][0], shapes[i][1]), golden_dtype(dtypes[k])));
        }
    expect_no_error();
}

static void singular_values_of_hard_matrices(void **state)
{
    (void)state;
    enum { N = 60 };
    for (int k = 0; k < 4; k++) {
        KN_SCOPE;
        kn_dtype d = golden_dtype(dtypes[k]);
        bool narrow = d == KN_F32 || d == KN_C64;
        kn_array i = kn_arange(0, N, 1, .dtype = KN_F64), x = numbers(5, KN_SHAPE(N, N), d);
        check_svd("zero", kn_zeros(KN_SHAPE(N, 40), .dtype = d));
        check_svd("identity", kn_astype(kn_eye(N), d));
        check_svd("ones", kn_ones(KN_SHAPE(40, N), .dtype = d));
        check_svd("rank two", kn_matmul(kn_at(x, ":, :2"), kn_at(x, ":2")));
        check_svd("repeated", with_eigenvalues(kn_floor(kn_div(i, 10)), d, 1));
        check_svd("graded", with_eigenvalues(kn_power(10, kn_div(i, narrow ? -10 : -4)), d, 3));
        check_svd("nilpotent", kn_astype(kn_eye(N, .k = 1), d));
        check_svd("small", kn_astype(kn_mul(x, narrow ? 1e-36 : 1e-300), d));
        check_svd("large", kn_astype(kn_mul(x, narrow ? 1e36 : 1e300), d));
        check_svd("Hilbert", kn_astype(kn_div(1, kn_add(kn_add(i, 1), kn_expand_dims(i, KN_AXIS(1)))), d));
        check_svd("triangular ones", kn_astype(kn_triu(kn_ones(KN_SHAPE(N, N))), d));
    }
    expect_no_error();
}

/* The singular values of a graded bidiagonal matrix are right to their last digits, however small: their product is that
 * of the diagonal. */
static void small_singular_values_are_right(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array d = kn_power(10.0, kn_multiply(-4, kn_arange(0, 8, 1, .dtype = KN_F64)));
    kn_array a = kn_add(kn_diag(d), kn_diag(kn_at(d, "1:"), .k = 1));
    kn_array s = kn_linalg_svdvals(a), ratio = kn_div(s, d);
    assert_true(kn_item(kn_max(kn_abs(kn_sub(ratio, 1)))) < 2e-4); /* off-diagonals move them that much */
    double product = kn_item(kn_sum(kn_log(s))), want = kn_item(kn_sum(kn_log(d)));
    assert_true(fabs(product - want) < 1e-12);
}

/* ---- General matrices. */

static void check_eig(const char *what, kn_array a, bool well_conditioned)
{
    KN_SCOPE;
    kn_dtype d = kn_dtype_of(a);
    double size = largest(a);
    kn_linalg_schur_result s = kn_linalg_schur(a), c = kn_linalg_schur(a, .output = "complex");
    kn_linalg_schur_result both[] = {s, c, kn_linalg_rsf2csf(s.t, s.z)};
    for (int i = 0; i < 3; i++) {
        orthonormal(what, both[i].z);
        near(what, kn_matmul(kn_matmul(wide(both[i].z), wide(both[i].t)), adjoint(wide(both[i].z))), a, size, 5, d);
        assert_true(largest(kn_tril(both[i].t, .k = i ? -1 : -2)) == 0);
    }
    kn_linalg_hessenberg_result h = kn_linalg_hessenberg(a);
    orthonormal(what, h.q);
    near(what, kn_matmul(kn_matmul(wide(h.q), wide(h.h)), adjoint(wide(h.q))), a, size, 5, d);
    assert_true(largest(kn_tril(h.h, .k = -2)) == 0);
    kn_lax_linalg_eig_result e = kn_lax_linalg_eig(a);
    kn_array w = wide(e.w), right = wide(e.vr), left = wide(e.vl);
    near(what, kn_matmul(wide(a), right), kn_mul(right, w), size, 5, d);
    near(what, kn_matmul(adjoint(left), wide(a)), kn_mul(kn_expand_dims(w, KN_AXIS(1)), adjoint(left)), size, 5, d);
    near(what, kn_sum(kn_square(kn_abs(right)), KN_AXIS(0)), kn_ones_like(kn_real(w)), 1, 3, d);
    near(what, kn_sum(kn_square(kn_abs(left)), KN_AXIS(0)), kn_ones_like(kn_real(w)), 1, 3, d);
    near(what, kn_sum(w), kn_trace(wide(a)), size * (double)kn_dim(a, 0), 3, d);
    if (well_conditioned)
        near(what, kn_linalg_eigvals(a), e.w, size, 1000, d);
}

static void eigenvalues_of_general_matrices(void **state)
{
    (void)state;
    static const int sizes[] = {0, 1, 2, 3, 4, 5, 8, 20, 33, 64, 100};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int k = 0; k < 4; k++) {
            KN_SCOPE;
            check_eig("random", numbers((int)i, KN_SHAPE(sizes[i], sizes[i]), golden_dtype(dtypes[k])), sizes[i] < 9);
        }
    enum { N = 40 };
    for (int k = 0; k < 4; k++) {
        KN_SCOPE;
        kn_dtype d = golden_dtype(dtypes[k]);
        kn_array x = numbers(5, KN_SHAPE(N, N), d), i = kn_arange(0, N, 1, .dtype = KN_F64);
        check_eig("zero", kn_zeros(KN_SHAPE(N, N), .dtype = d), true);
        check_eig("identity", kn_astype(kn_eye(N), d), true);
        check_eig("one Jordan block", kn_astype(kn_eye(N, .k = 1), d), true);
        check_eig("Jordan block of 2", kn_astype(kn_add(kn_eye(N, .k = 1), kn_mul(2, kn_eye(N))), d), true);
        check_eig("triangular", kn_triu(x), true);
        check_eig("lower triangular", kn_tril(x), false);
        check_eig("cycle", kn_astype(kn_roll(kn_eye(N), 1, KN_AXIS(0)), d), false);
        check_eig("rotation", kn_linalg_qr(x).q, false);
        check_eig("rank one", kn_matmul(kn_at(x, ":, :1"), kn_at(x, ":1")), false);
        check_eig("companion",
                  kn_astype(kn_add(kn_eye(N, .k = -1), kn_mul(kn_at(kn_eye(N), ":1"), kn_real(kn_at(x, ":1")))), d),
                  false);
        check_eig("symmetric", hermitian(x), true);
        (void)i;
    }
    expect_no_error();
}

/* Rows and columns of very different sizes do not spoil small eigenvalues. */
static void badly_scaled_matrices_are_balanced(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_reshape(kn_of(double, 1, 1e10, 0, 1e-10, 2, 1e-8, 1e-12, 0, 3), KN_SHAPE(3, 3));
    kn_array w = kn_sort(kn_real(kn_linalg_eigvals(a)));
    expect_near(w, 1e-12, 0.38196601126718716, 2.618033988632813, 3.0000000001);
}

static void tridiagonal_and_updated_systems(void **state)
{
    (void)state;
    KN_SCOPE;
    for (int k = 0; k < 4; k++) {
        kn_dtype d = golden_dtype(dtypes[k]);
        enum { N = 30 };
        kn_array x = numbers(7, KN_SHAPE(3, N), d), b = numbers(8, KN_SHAPE(N, 2), d);
        kn_array low = kn_at(x, "0"), middle = kn_at(x, "1"), up = kn_at(x, "2");
        kn_array t =
            kn_add(kn_add(kn_diag(middle), kn_diag(kn_at(low, "1:"), .k = -1)), kn_diag(kn_at(up, ":-1"), .k = 1));
        kn_array y = kn_lax_linalg_tridiagonal_solve(low, middle, up, b);
        near("T x", kn_matmul(wide(t), wide(y)), b, largest(y), 20, d);
        kn_lax_linalg_tridiagonal_result q = kn_lax_linalg_tridiagonal(hermitian(numbers(9, KN_SHAPE(N, N), d)));
        kn_array form = kn_add(kn_diag(q.d), kn_add(kn_diag(q.e, .k = 1), kn_diag(q.e, .k = -1)));
        near("T", kn_linalg_eigvalsh(form), kn_linalg_eigvalsh(hermitian(numbers(9, KN_SHAPE(N, N), d))), 10, 5, d);
        if (k < 2) {
            kn_array r = kn_triu(numbers(11, KN_SHAPE(N, N), d)), w = numbers(12, KN_SHAPE(N), d);
            kn_array u = kn_lax_linalg_cholesky_update(r, w);
            kn_array want = kn_add(kn_matmul(adjoint(wide(r)), wide(r)), kn_outer(wide(w), wide(w)));
            near("u^T u", kn_matmul(adjoint(wide(u)), wide(u)), want, largest(want), 5, d);
        }
    }
    expect_no_error();
}

/* ---- Stacks, and the same bits alone and together. */

static void stacks_are_matrices_one_by_one(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = numbers(3, KN_SHAPE(2, 3, 5, 5), KN_F64), h = kn_add(a, adjoint(a));
    kn_linalg_eigh_result e = kn_linalg_eigh(h);
    kn_linalg_svd_result s = kn_linalg_svd(a);
    kn_linalg_qr_result q = kn_linalg_qr(a);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++) {
            kn_linalg_eigh_result one = kn_linalg_eigh(kn_at(h, "%, %", i, j));
            assert_true(kn_array_equal(one.eigenvectors, kn_at(e.eigenvectors, "%, %", i, j)));
            assert_true(kn_array_equal(one.eigenvalues, kn_at(e.eigenvalues, "%, %", i, j)));
            kn_linalg_svd_result two = kn_linalg_svd(kn_at(a, "%, %", i, j));
            assert_true(kn_array_equal(two.u, kn_at(s.u, "%, %", i, j)));
            assert_true(kn_array_equal(two.vh, kn_at(s.vh, "%, %", i, j)));
            assert_true(kn_array_equal(kn_linalg_qr(kn_at(a, "%, %", i, j)).q, kn_at(q.q, "%, %", i, j)));
        }
    expect_no_error();
}

/* ---- What is made of them. */

static void known_values(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_reshape(kn_of(double, 1, 2, 3, 4, 5, 6), KN_SHAPE(3, 2)); /* numbers of NumPy 2.4 */
    kn_array p = kn_of(double, -1.3333333333333333, -0.3333333333333333, 0.6666666666666666, 1.0833333333333333,
                       0.3333333333333333, -0.4166666666666667);
    near("pinv", kn_ravel(kn_linalg_pinv(a)), p, 1, 8, KN_F64);
    near("cond", kn_linalg_cond(a), kn_asarray(kn_num(18.521305341258135)), 19, 8, KN_F64);
    near("2", kn_linalg_norm(a, .ord = 2), kn_asarray(kn_num(9.525518091565104)), 9, 8, KN_F64);
    near("-2", kn_linalg_norm(a, .ord = -2), kn_asarray(kn_num(0.514300580658644)), 9, 8, KN_F64);
    near("nuc", kn_linalg_norm(a, .named = "nuc", .keepdims = true), kn_asarray(kn_num(10.039818672223749)), 9, 8,
         KN_F64);
    kn_linalg_lstsq_result l = kn_linalg_lstsq(a, kn_of(double, 1, 0, 2));
    near("x", l.x, kn_of(double, 0, 0.25), 1, 8, KN_F64);
    near("residuals", l.residuals, kn_of(double, 1.5), 1, 20, KN_F64);
    expect_values(l.rank, 2);
    expect_values(kn_linalg_matrix_rank(kn_ones(KN_SHAPE(3, 4))), 1);
    expect_values(kn_linalg_matrix_rank(kn_zeros(KN_SHAPE(4, 4))), 0);
    expect_values(kn_linalg_matrix_rank(kn_of(double, 0, 1)), 1);
    expect_values(kn_linalg_matrix_rank(kn_zeros(KN_SHAPE(2, 0, 3))), 0, 0);
    expect_values(kn_linalg_cond(kn_ones(KN_SHAPE(2, 2)), .p = 1), INFINITY);
    expect_no_error();
}

/* Deficient ones go by singular values, and take the others of their stack along. */
static void pseudoinverses_of_deficient_matrices(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_reshape(kn_of(double, 1, 2, 3, 4, 5, 6, 1, 2, 2, 4, 3, 6), KN_SHAPE(2, 3, 2)),
             p = kn_linalg_pinv(a);
    near("regular", kn_at(p, "0"), kn_linalg_pinv(kn_at(a, "0")), 2, 8, KN_F64);
    near("deficient", kn_at(p, "1"), kn_div(kn_swapaxes(kn_at(a, "1"), 0, 1), 70), 1, 8, KN_F64);
    near("wide", kn_linalg_pinv(kn_swapaxes(a, 1, 2)), kn_swapaxes(p, 1, 2), 2, 8, KN_F64);
    kn_array small = kn_diag(kn_of(double, 2, 0.5)), right = kn_of(double, 4, 1);
    near("counts", kn_linalg_lstsq(small, right).x, kn_of(double, 2, 2), 2, 4, KN_F64);
    near("does not", kn_linalg_lstsq(small, right, .rcond = 0.5).x, kn_of(double, 2, 0), 2, 4, KN_F64);
    near("zero", kn_linalg_pinv(kn_zeros(KN_SHAPE(3, 2))), kn_zeros(KN_SHAPE(2, 3)), 1, 1, KN_F64);
    expect_no_error();
}

/* Squares of these numbers leave float32's range. */
static void pseudoinverses_of_huge_and_tiny_matrices(void **state)
{
    (void)state;
    KN_SCOPE;
    static const double scales[] = {1e-30, 1e-12, 1e12, 1e30};
    kn_array a =
        kn_add(kn_reshape(kn_div(kn_arange(0, 20 * 18, 1), 360), KN_SHAPE(20, 18)), kn_at(kn_eye(20), ":, :18"));
    kn_array p = kn_linalg_pinv(kn_astype(a, KN_F32));
    for (int i = 0; i < 4; i++) {
        kn_array scaled = kn_astype(kn_mul(a, scales[i]), KN_F32);
        kn_array q = kn_mul(kn_astype(kn_linalg_pinv(scaled), KN_F64), scales[i]);
        near("scaled", kn_astype(q, KN_F32), p, 2, 100, KN_F32);
    }
    expect_no_error();
}

static void errors_are_those_of_numpy(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array bad = kn_reshape(kn_of(double, 1, NAN, NAN, 1), KN_SHAPE(2, 2));
    kn_ok(kn_linalg_eigvalsh(bad));
    expect_error("LinAlgError", "eigh: Eigenvalues did not converge");
    kn_ok(kn_linalg_svdvals(bad));
    expect_error("LinAlgError", "svd: SVD did not converge");
    kn_linalg_eigh(kn_ones(KN_SHAPE(2, 3)));
    expect_error("LinAlgError", "eigh: Last 2 dimensions of the array must be square");
    kn_linalg_eigh(kn_eye(2), .uplo = "X");
    expect_error("ValueError", "eigh: UPLO argument must be 'L' or 'U'");
    kn_linalg_qr(kn_eye(2), .mode = "some");
    expect_error("ValueError", "qr: Unrecognized mode 'some'");
    kn_linalg_qr(kn_ones(KN_SHAPE(2)));
    expect_error("LinAlgError", "qr: 1-dimensional array given. Array must be at least two-dimensional");
    kn_linalg_pinv(kn_eye(2), .rcond = 1, .rtol = 1);
    expect_error("ValueError", "pinv: `rtol` and `rcond` can't be both set.");
    kn_linalg_matrix_rank(kn_eye(2), .tol = 1, .rtol = 1);
    expect_error("ValueError", "matrix_rank: `tol` and `rtol` can't be both set.");
    kn_linalg_cond(kn_zeros(KN_SHAPE(0, 2)));
    expect_error("LinAlgError", "cond: cond is not defined on empty arrays");
    kn_ok(kn_linalg_lstsq(bad, kn_ones(KN_SHAPE(2))).s);
    expect_error("LinAlgError", "svd: SVD did not converge");
    kn_ok(kn_linalg_pinv(bad));
    expect_error("LinAlgError", "svd: SVD did not converge");
    kn_linalg_lstsq(kn_eye(2), kn_ones(KN_SHAPE(3)));
    expect_error("LinAlgError", "lstsq: Incompatible dimensions");
}

/* ---- Derivatives: both modes, first and second order, against differences. */

static kn_array square(kn_array x) { return kn_sum(kn_real(kn_mul(x, kn_conj(x)))); }
static kn_array weighted(kn_array x)
{
    return kn_sum(kn_mul(kn_ravel(x), kn_sin(kn_add(1, kn_arange(0, kn_size(x), 1, .dtype = KN_F64)))));
}

static kn_array of_q(const kn_array *x) { return weighted(kn_linalg_qr(*x).q); }
static kn_array of_full_q(const kn_array *x) { return weighted(kn_linalg_qr(*x, .mode = "complete").q); }
static kn_array of_r(const kn_array *x) { return weighted(kn_linalg_qr(*x).r); }
static kn_array of_pivoted(const kn_array *x) { return weighted(kn_linalg_qr(*x, .pivoting = true).r); }
static kn_array of_values(const kn_array *x) { return weighted(kn_linalg_eigvalsh(kn_add(*x, kn_transpose(*x)))); }
static kn_array of_vectors(const kn_array *x)
{
    kn_linalg_eigh_result e = kn_linalg_eigh(kn_add(*x, kn_transpose(*x)));
    return weighted(kn_square(e.eigenvectors));
}
static kn_array of_lower(const kn_array *x) { return square(kn_linalg_eigvalsh(*x)); }
static kn_array of_singular(const kn_array *x) { return weighted(kn_linalg_svdvals(*x)); }
static kn_array of_singular_vectors(const kn_array *x)
{
    kn_linalg_svd_result s = kn_linalg_svd(*x, .full_matrices = false);
    return kn_add(weighted(kn_square(s.u)), weighted(kn_square(s.vh)));
}
static kn_array of_pinv(const kn_array *x) { return weighted(kn_linalg_pinv(*x)); }
static kn_array of_nuclear(const kn_array *x) { return kn_linalg_norm(*x, .named = "nuc"); }
static kn_array of_lstsq(const kn_array *x) { return weighted(kn_linalg_lstsq(*x, kn_at(*x, ":, 0")).x); }
static kn_array of_eigenvalues(const kn_array *x) { return kn_sum(kn_abs(kn_linalg_eigvals(*x))); }
static kn_array of_right_vectors(const kn_array *x)
{
    kn_array v = kn_linalg_eig(*x).eigenvectors;
    return kn_add(weighted(kn_square(kn_abs(v))), kn_sum(kn_real(kn_mul(v, v))));
}
static kn_array of_left_vectors(const kn_array *x)
{
    return weighted(kn_square(kn_abs(kn_lax_linalg_eig(*x, .compute_right_eigenvectors = false).vl)));
}
static kn_array of_tridiagonal(const kn_array *x)
{
    kn_array a = kn_at(*x, "0"), b = kn_at(*x, "1"), c = kn_at(*x, "2");
    return weighted(kn_lax_linalg_tridiagonal_solve(a, kn_add(b, 4), c, kn_transpose(*x)));
}
KN_FUNCTION(of_eigenvalues, kn_array, kn_array)
KN_FUNCTION(of_right_vectors, kn_array, kn_array)
KN_FUNCTION(of_left_vectors, kn_array, kn_array)
KN_FUNCTION(of_tridiagonal, kn_array, kn_array)
KN_FUNCTION(of_q, kn_array, kn_array)
KN_FUNCTION(of_full_q, kn_array, kn_array)
KN_FUNCTION(of_r, kn_array, kn_array)
KN_FUNCTION(of_pivoted, kn_array, kn_array)
KN_FUNCTION(of_values, kn_array, kn_array)
KN_FUNCTION(of_vectors, kn_array, kn_array)
KN_FUNCTION(of_lower, kn_array, kn_array)
KN_FUNCTION(of_singular, kn_array, kn_array)
KN_FUNCTION(of_singular_vectors, kn_array, kn_array)
KN_FUNCTION(of_pinv, kn_array, kn_array)
KN_FUNCTION(of_nuclear, kn_array, kn_array)
KN_FUNCTION(of_lstsq, kn_array, kn_array)

static void derivatives_are_those_of_differences(void **state)
{
    (void)state;
    KN_SCOPE;
    const struct {
        kn_fn f;
        int m, n;
    } cases[] = {{KN_FN(of_q), 4, 3},
                 {KN_FN(of_q), 3, 3},
                 {KN_FN(of_q), 3, 4},
                 {KN_FN(of_full_q), 5, 3},
                 {KN_FN(of_r), 4, 3},
                 {KN_FN(of_r), 3, 5},
                 {KN_FN(of_pivoted), 4, 3},
                 {KN_FN(of_values), 4, 4},
                 {KN_FN(of_vectors), 4, 4},
                 {KN_FN(of_lower), 3, 3},
                 {KN_FN(of_singular), 3, 4},
                 {KN_FN(of_singular_vectors), 4, 3},
                 {KN_FN(of_singular_vectors), 3, 4},
                 {KN_FN(of_singular_vectors), 3, 3},
                 {KN_FN(of_pinv), 4, 3},
                 {KN_FN(of_pinv), 3, 4},
                 {KN_FN(of_nuclear), 3, 3},
                 {KN_FN(of_lstsq), 4, 2},
                 {KN_FN(of_eigenvalues), 4, 4},
                 {KN_FN(of_right_vectors), 4, 4},
                 {KN_FN(of_left_vectors), 3, 3},
                 {KN_FN(of_tridiagonal), 3, 5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        KN_SCOPE;
        kn_array x = numbers((int)i + 20, KN_SHAPE(cases[i].m, cases[i].n), KN_F64);
        kn_testing_check_grads(cases[i].f, KN_ARGS(&x), 2, .atol = 2e-4, .rtol = 2e-4);
        if (kn_error_pending())
            fail_msg("case %d: %s", (int)i, kn_error_message());
    }
}

KN_TEST_GROUP(test_decompositions)
{
    const struct CMUnitTest tests[] = {
        TEST(qr_of_all_shapes),
        TEST(eigenvalues_of_all_sizes),
        TEST(eigenvalues_of_hard_matrices),
        TEST(singular_values_of_all_shapes),
        TEST(singular_values_of_hard_matrices),
        TEST(small_singular_values_are_right),
        TEST(eigenvalues_of_general_matrices),
        TEST(badly_scaled_matrices_are_balanced),
        TEST(tridiagonal_and_updated_systems),
        TEST(stacks_are_matrices_one_by_one),
        TEST(known_values),
        TEST(pseudoinverses_of_deficient_matrices),
        TEST(pseudoinverses_of_huge_and_tiny_matrices),
        TEST(errors_are_those_of_numpy),
        TEST(derivatives_are_those_of_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
