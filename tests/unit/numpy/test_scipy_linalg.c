/* SPDX-License-Identifier: Apache-2.0
 * test_scipy_linalg.c -- names of scipy.linalg beside those of NumPy: SciPy's numbers (scripts/golden/make_scipy_linalg.py)
 * in all dtypes, equations, stacks, empty matrices, derivatives against differences, errors. */
#include "support/expect.h"
#include "support/golden.h"
#include "support/group.h"

#include <complex.h>
#include <stdio.h>

/* ---- SciPy's numbers. */

/* The matrices of one entry, in a dtype, and where the numbers are. */
typedef struct entry {
    golden all;
    const char *tail; /* "real 3" */
    kn_dtype d;
    int64_t n;
    kn_array a, b, ab;
    double rtol;
} entry;

static kn_array input(const entry *e, const char *name)
{
    char full[64];
    snprintf(full, sizeof full, "%s %s", name, e->tail);
    return kn_astype(golden_array(golden_find(&e->all, full)), e->d);
}

/* Is it that, within so many times the tolerance? `size`: of the numbers; NULL: of those that are wanted. */
static void same(const entry *e, const char *name, kn_array got, double factor)
{
    char full[64];
    snprintf(full, sizeof full, "%s %s", name, e->tail);
    kn_array want = golden_array(golden_find(&e->all, full)), off;
    if (kn_error_pending())
        fail_msg("%s: %s", full, kn_error_message());
    if (kn_ndim(got) != kn_ndim(want) || kn_size(got) != kn_size(want))
        fail_msg("%s: another shape", full);
    want = kn_astype(want, KN_C128);
    off = kn_abs(kn_sub(kn_astype(got, KN_C128), want));
    double most = kn_item(kn_max(off)), size = kn_item(kn_max(kn_abs(want)));
    if (!(most <= e->rtol * factor * (size + 1e-300)))
        fail_msg("%s, %s: off by %g of %g", full, kn_dtype_name(e->d), most, size);
}

static kn_array adjoint(kn_array x) { return kn_conj(kn_swapaxes(x, -1, -2)); }
static kn_array identity(const entry *e) { return kn_eye(e->n, .dtype = e->d); }
static kn_array number(const entry *e, double v) { return kn_astype(kn_num(v), e->d); }

static void factors(const entry *e)
{
    char name[64];
    for (int k = 0; k < 4; k++) {
        bool lower = k % 2, hermitian = k / 2;
        kn_array x = kn_add(e->a, hermitian ? adjoint(e->a) : kn_swapaxes(e->a, -1, -2));
        kn_linalg_ldl_result y = kn_linalg_ldl(x, .lower = lower, .hermitian = hermitian);
        const char *part[] = {"l", "d", "p"};
        kn_array is[] = {y.lu, y.d, y.perm};
        for (int i = 0; i < 3; i++) {
            snprintf(name, sizeof name, "ldl %s %s %s", lower ? "lower" : "upper",
                     hermitian ? "hermitian" : "symmetric", part[i]);
            same(e, name, is[i], i < 2 ? 100 : 0);
        }
    }
    kn_array tall = kn_concatenate(KN_LIST(e->a, kn_swapaxes(e->b, -1, -2)), .axis = KN_AXIS(0));
    kn_linalg_lu_result f = kn_linalg_lu(tall, .p_indices = true);
    same(e, "lu p", f.p, 0);
    same(e, "lu l", f.l, 20);
    same(e, "lu u", f.u, 20);
    kn_linalg_orthogonal_procrustes_result p =
        kn_linalg_orthogonal_procrustes(e->a, kn_add(kn_matmul(e->a, e->a), identity(e)));
    same(e, "procrustes r", p.r, 1e4);
    same(e, "procrustes scale", p.scale, 50);
}

static kn_array over_twenty(const kn_array *x) { return kn_div(1, kn_add(20, *x)); }
KN_FUNCTION(over_twenty, kn_array, kn_array)

static void functions(const entry *e)
{
    kn_array quarter = kn_div(e->a, number(e, 4)), six = kn_add(e->a, kn_mul(identity(e), number(e, 6)));
    same(e, "cosm", kn_linalg_cosm(quarter), 1000);
    same(e, "sinm", kn_linalg_sinm(quarter), 1000);
    same(e, "tanm", kn_linalg_tanm(quarter), 1e4);
    same(e, "coshm", kn_linalg_coshm(quarter), 1000);
    same(e, "sinhm", kn_linalg_sinhm(quarter), 1000);
    same(e, "tanhm", kn_linalg_tanhm(quarter), 1e4);
    kn_array corner = kn_astype(kn_outer(kn_less(kn_arange(0, e->n, 1), 1), kn_less(kn_arange(0, e->n, 1), 1)), e->d);
    kn_array signs = kn_sub(kn_add(e->a, kn_mul(identity(e), number(e, 4))), kn_mul(corner, number(e, 8)));
    same(e, "signm", kn_linalg_signm(signs), 1e5);
    same(e, "power", kn_linalg_fractional_matrix_power(six, 0.3), 1000);
    same(e, "power -1.75", kn_linalg_fractional_matrix_power(six, -1.75), 1e5);
    kn_array far = kn_astype(kn_mul(4, kn_arange(0, e->n, 1)), e->d);
    kn_linalg_funm_result f = kn_linalg_funm(kn_add(e->a, kn_diag(far)), KN_FN(over_twenty));
    same(e, "funm", f.f, 1e5);
    assert_true(kn_item(f.errest) >= 0x1p-52 && kn_item(f.errest) <= 1);
}

static void systems(const entry *e)
{
    kn_array i = kn_arange(0, e->n, 1), first = kn_equal(i, 0), eight = kn_mul(kn_astype(first, e->d), number(e, 8));
    same(e, "solve_banded", kn_linalg_solve_banded(2, 1, e->ab, e->b), 100);
    kn_array main =
        kn_astype(kn_add(kn_real(kn_at(e->ab, "1:2")), kn_astype(number(e, 6), kn_dtype_of(kn_real(e->a)))), e->d);
    kn_array half = kn_concatenate(KN_LIST(main, kn_at(e->ab, "2:4")), .axis = KN_AXIS(0)),
             turned = kn_at(half, "::-1");
    same(e, "solveh_banded", kn_linalg_solveh_banded(half, e->b, .lower = true), 100);
    same(e, "solveh_banded upper", kn_linalg_solveh_banded(turned, e->b), 100);
    same(e, "eigvals_banded", kn_linalg_eigvals_banded(half, .lower = true), 50);
    if (e->n > 2) /* of fewer rows than diagonals SciPy reads others */
        same(e, "eigvals_banded upper", kn_linalg_eigvals_banded(turned), 50);
    kn_array c = kn_add(kn_at(e->a, "0"), eight), r = kn_at(e->a, ":, 0");
    same(e, "solve_toeplitz", kn_linalg_solve_toeplitz(c, r, e->b), 1e4);
    kn_array h = kn_where(first, kn_astype(kn_real(c), e->d), c);
    same(e, "solve_toeplitz hermitian", kn_linalg_solve_toeplitz(h, KN_NONE, e->b), 1e4);
    same(e, "matmul_toeplitz", kn_linalg_matmul_toeplitz(c, r, e->b), 100);
    same(e, "solve_circulant", kn_linalg_solve_circulant(c, e->b), 1e4);
    kn_array d = kn_real(kn_diag(e->a)), above = kn_real(kn_diag(e->a, .k = 1));
    same(e, "eigvalsh_tridiagonal", kn_linalg_eigvalsh_tridiagonal(d, above), 100);
    kn_array many = kn_tile(e->b, KN_SHAPE(1, e->n));
    same(e, "khatri_rao", kn_linalg_khatri_rao(e->a, kn_at(many, ":, :%", e->n)), 4);
    kn_linalg_bandwidth_result w = kn_linalg_bandwidth(kn_tril(kn_triu(kn_add(e->a, number(e, 10)), .k = -1), .k = 2));
    same(e, "bandwidth", kn_concatenate(KN_LIST(kn_reshape(w.lower, KN_SHAPE(1)), kn_reshape(w.upper, KN_SHAPE(1)))),
         0);
}

static void equations_of_riccati(const entry *e)
{
    kn_array w = kn_add(kn_matmul(e->b, adjoint(e->b)), identity(e)), s = kn_div(e->b, number(e, 8));
    kn_array r = kn_astype(kn_reshape(kn_of(double, 2, 0.5, 0.5, 1), KN_SHAPE(2, 2)), e->d),
             two = kn_mul(identity(e), number(e, 2));
    same(e, "continuous_are plain", kn_linalg_solve_continuous_are(e->a, identity(e), w, two), 1e4);
    same(e, "discrete_are plain", kn_linalg_solve_discrete_are(e->a, identity(e), w, two), 1e4);
    if (e->d == KN_F32 || e->d == KN_C64) /* the others are too ill conditioned */
        return;
    same(e, "continuous_are", kn_linalg_solve_continuous_are(e->a, e->b, w, r, .s = s), 1e6);
    same(e, "discrete_are", kn_linalg_solve_discrete_are(e->a, e->b, w, r, .s = s), 1e6);
}

static void each_entry(void (*check)(const entry *e))
{
    golden all = golden_read("scipy_linalg.npz");
    static const struct {
        const char *kind, *dtype;
    } kinds[] = {{"real", "f32"}, {"real", "f64"}, {"complex", "c64"}, {"complex", "c128"}};
    static const int sizes[] = {1, 2, 5, 9};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            KN_SCOPE;
            char tail[32];
            snprintf(tail, sizeof tail, "%s %d", kinds[k].kind, sizes[i]);
            entry e = {.all = all, .tail = tail, .d = golden_dtype(kinds[k].dtype), .n = sizes[i]};
            e.rtol = k % 2 ? 0x1p-52 : 0x1p-23;
            e.a = input(&e, "a"), e.b = input(&e, "b"), e.ab = input(&e, "ab");
            check(&e);
        }
    golden_free(&all);
    expect_no_error();
}
static void factors_are_those_of_scipy(void **state) { (void)state, each_entry(factors); }
static void functions_are_those_of_scipy(void **state) { (void)state, each_entry(functions); }
static void systems_are_those_of_scipy(void **state) { (void)state, each_entry(systems); }
static void riccati_equations_are_those_of_scipy(void **state) { (void)state, each_entry(equations_of_riccati); }

/* ---- Equations, stacks, nothing. */

static double far(kn_array x, kn_array y) { return kn_item(kn_max(kn_abs(kn_sub(x, y)), .initial = kn_num(0.0))); }
static kn_array normal(int seed, kn_shape shape)
{
    return kn_random_normal(kn_random_key(seed), shape, .dtype = KN_F64);
}

static void factors_of_stacks(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = normal(1, KN_SHAPE(2, 3, 7, 7)), z = kn_add(x, kn_mul(kn_flip(x), (double _Complex)I)), h;
    h = kn_add(z, adjoint(z));
    for (int lower = 0; lower < 2; lower++) {
        kn_linalg_ldl_result y = kn_linalg_ldl(h, .lower = lower);
        assert_true(far(kn_matmul(kn_matmul(y.lu, y.d), adjoint(y.lu)), h) < 1e-12);
        kn_linalg_ldl_result one = kn_linalg_ldl(kn_at(h, "1, 2"), .lower = lower);
        assert_true(kn_array_equal(one.lu, kn_at(y.lu, "1, 2")));
    }
    static const char *const modes[] = {"full", "economic"};
    for (int k = 0; k < 4; k++) {
        kn_array a = k < 2 ? kn_at(z, "..., :4, :") : kn_at(z, "..., :4");
        kn_linalg_rq_result y = kn_linalg_rq(a, .mode = modes[k % 2]);
        int64_t m = kn_dim(a, -2), n = kn_dim(a, -1), rows = k % 2 && m < n ? m : n;
        assert_int_equal(kn_dim(y.q, -2), rows);
        assert_true(far(kn_matmul(y.r, y.q), a) < 1e-13);
        assert_true(far(kn_matmul(y.q, adjoint(y.q)), kn_eye(rows)) < 1e-13);
        assert_true(far(kn_tril(y.r, .k = (int64_t)rows - m - 1), kn_zeros_like(y.r)) == 0);
    }
    kn_array ab = kn_add(normal(2, KN_SHAPE(3, 4, 6)), kn_reshape(kn_of(double, 0, 6, 0, 0), KN_SHAPE(4, 1)));
    kn_array b = normal(3, KN_SHAPE(6, 2)), y = kn_linalg_solve_banded(2, 1, ab, b);
    assert_true(kn_array_equal(kn_linalg_solve_banded(2, 1, kn_at(ab, "1"), b), kn_at(y, "1")));
    kn_array vector = kn_linalg_solve_banded(2, 1, ab, kn_at(b, ":, 0"));
    assert_true(kn_array_equal(vector, kn_at(y, "..., 0")));
    kn_linalg_eigh_result e = kn_linalg_eig_banded(kn_at(ab, "1, 1:"), .lower = true);
    assert_int_equal(kn_dim(e.eigenvectors, 1), 6);
    expect_values(kn_linalg_diagsvd(kn_of(double, 3, 2), 2, 3), 3, 0, 0, 0, 2, 0);
    expect_no_error();
}

static void functions_of_stacks(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = normal(4, KN_SHAPE(2, 5, 5)), one = kn_eye(5);
    kn_array c = kn_linalg_cosm(x), s = kn_linalg_sinm(x);
    assert_true(far(kn_add(kn_matmul(c, c), kn_matmul(s, s)), kn_broadcast_to(one, KN_SHAPE(2, 5, 5))) < 1e-11);
    assert_true(far(kn_matmul(kn_linalg_tanm(x), c), s) < 1e-10);
    kn_array sign = kn_linalg_signm(x);
    assert_true(far(kn_matmul(sign, sign), kn_broadcast_to(one, KN_SHAPE(2, 5, 5))) < 1e-12);
    assert_true(far(kn_matmul(sign, x), kn_matmul(x, sign)) < 1e-10);
    kn_linalg_funm_result f = kn_linalg_funm(x, KN_FN(over_twenty));
    kn_array inverse = kn_linalg_inv(kn_add(x, kn_mul(20, one)));
    assert_true(far(f.f, kn_astype(inverse, KN_C128)) < 1e-12);
    assert_int_equal(kn_ndim(f.errest), 1);
    kn_array power = kn_linalg_fractional_matrix_power(x, 3);
    assert_true(far(power, kn_linalg_matrix_power(x, 3)) == 0);
    kn_array symmetric = kn_add(x, kn_swapaxes(x, -1, -2));
    expect_values(kn_linalg_issymmetric(symmetric), 1, 1);
    expect_values(kn_linalg_issymmetric(kn_add(symmetric, kn_mul(1e-10, x))), 0, 0);
    expect_values(kn_linalg_issymmetric(kn_add(symmetric, kn_mul(1e-10, x)), .atol = 1e-8), 1, 1);
    expect_values(kn_linalg_issymmetric(kn_at(x, "0, :3")), 0);
    kn_array z = kn_mul(kn_sub(x, kn_swapaxes(x, -1, -2)), (double _Complex)I);
    expect_values(kn_linalg_ishermitian(z), 1, 1);
    expect_values(kn_linalg_issymmetric(z), 0, 0);
    expect_no_error();
}

static void nothing_gives_nothing(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array none = kn_zeros(KN_SHAPE(0, 0)), b = kn_zeros(KN_SHAPE(0, 2));
    kn_array of[] = {kn_linalg_ldl(none).lu,
                     kn_linalg_cosm(none),
                     kn_linalg_tanhm(none),
                     kn_linalg_signm(none),
                     kn_linalg_funm(none, KN_FN(over_twenty)).f,
                     kn_linalg_fractional_matrix_power(none, 0.5),
                     kn_linalg_solve_banded(1, 1, kn_zeros(KN_SHAPE(3, 0)), b),
                     kn_linalg_solveh_banded(kn_zeros(KN_SHAPE(2, 0)), b),
                     kn_linalg_eigvals_banded(kn_zeros(KN_SHAPE(2, 0))),
                     kn_linalg_solve_continuous_are(none, b, none, kn_eye(2)),
                     kn_linalg_rq(none).r,
                     kn_linalg_khatri_rao(none, none)};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (!kn_ok(of[i]) || kn_size(of[i]) != 0)
            fail_msg("case %d: %s", (int)i, kn_error_message());
    expect_values(kn_linalg_bandwidth(none).upper, 0);
    expect_values(kn_linalg_issymmetric(none), 1);
    expect_no_error();
}

/* ---- Pivots. */

/* Matrices that need blocks of two: without them elements grow, or there is a division by zero. */
static void indefinite_matrices_have_blocks(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array swap = kn_reshape(kn_of(double, 0, 1, 1, 0), KN_SHAPE(2, 2));
    kn_linalg_ldl_result y = kn_linalg_ldl(swap);
    expect_values(y.lu, 1, 0, 0, 1);
    expect_values(y.d, 0, 1, 1, 0);
    y = kn_linalg_ldl(kn_zeros(KN_SHAPE(3, 3)));
    expect_values(y.d, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    kn_array tiny = kn_reshape(kn_of(double, 1e-20, 1, 0, 1, 1e-20, 1, 0, 1, 1e-20), KN_SHAPE(3, 3));
    y = kn_linalg_ldl(tiny);
    assert_true(kn_item(kn_max(kn_abs(y.lu))) <= 2);
    assert_true(far(kn_matmul(kn_matmul(y.lu, y.d), adjoint(y.lu)), tiny) < 1e-15);
    for (int64_t n = 30; n <= 90; n += 30)
        for (int lower = 0; lower < 2; lower++) {
            kn_array x = normal((int)n, KN_SHAPE(n, n)), s = kn_add(x, kn_transpose(x));
            s = kn_sub(s, kn_diag(kn_diag(s))); /* nothing on the diagonal */
            y = kn_linalg_ldl(s, .lower = lower);
            assert_true(far(kn_matmul(kn_matmul(y.lu, y.d), adjoint(y.lu)), s) < 1e-12);
            kn_array l = kn_take(y.lu, y.perm, .axis = KN_AXIS(0));
            assert_true(far(l, lower ? kn_tril(l) : kn_triu(l)) == 0);
            expect_values(kn_sum(kn_diag(l)), (double)n);
        }
    expect_no_error();
}

/* ---- Derivatives. */

static kn_array weighted(kn_array x)
{
    x = kn_iscomplexobj(x) ? kn_add(kn_real(x), kn_mul(0.5, kn_imag(x))) : x;
    return kn_sum(kn_mul(kn_ravel(x), kn_sin(kn_add(1, kn_arange(0, kn_size(x), 1, .dtype = KN_F64)))));
}
static kn_array with_imaginary_part(kn_array x) { return kn_add(x, kn_mul(kn_square(kn_flip(x)), (double _Complex)I)); }
static kn_array of_ldl(const kn_array *x)
{
    kn_array s = kn_add(*x, kn_transpose(*x));
    kn_linalg_ldl_result low = kn_linalg_ldl(s), up = kn_linalg_ldl(s, .lower = false);
    return kn_add(kn_add(weighted(low.lu), weighted(low.d)), kn_add(weighted(up.lu), weighted(up.d)));
}
static kn_array of_complex_ldl(const kn_array *x)
{
    kn_array z = with_imaginary_part(*x);
    kn_linalg_ldl_result h = kn_linalg_ldl(kn_add(z, kn_conj(kn_transpose(z))));
    kn_linalg_ldl_result s = kn_linalg_ldl(kn_add(z, kn_transpose(z)), .hermitian = false);
    return kn_add(kn_add(weighted(h.lu), weighted(h.d)), kn_add(weighted(s.lu), weighted(s.d)));
}
static kn_array of_banded(const kn_array *x)
{
    kn_array ab = kn_add(*x, kn_reshape(kn_of(double, 0, 8, 0, 0), KN_SHAPE(4, 1))), b = kn_transpose(*x);
    return weighted(kn_linalg_solve_banded(2, 1, ab, b));
}
static kn_array of_definite(const kn_array *x)
{
    kn_array ab = kn_add(kn_at(*x, ":3"), kn_reshape(kn_of(double, 0, 0, 9), KN_SHAPE(3, 1)));
    kn_array z = kn_add(ab, kn_mul(kn_at(kn_square(*x), ":3"), (double _Complex)(0.25 * I)));
    z = kn_where(kn_reshape(kn_of(bool, 0, 0, 1), KN_SHAPE(3, 1)), kn_astype(ab, KN_C128), z);
    return weighted(kn_linalg_solveh_banded(z, kn_transpose(*x)));
}
static kn_array of_trigonometric(const kn_array *x)
{
    return kn_add(weighted(kn_linalg_cosm(*x)), weighted(kn_linalg_tanhm(with_imaginary_part(*x))));
}
static kn_array of_sign(const kn_array *x)
{
    kn_array far_ones = kn_add(kn_mul(0.25, *x), kn_diag(kn_of(double, 4, -4, 5)));
    return kn_add(weighted(kn_linalg_signm(far_ones)),
                  weighted(kn_linalg_fractional_matrix_power(kn_add(*x, kn_mul(6, kn_eye(3))), 1.25)));
}
static kn_array of_circulant(const kn_array *x)
{
    kn_array c = kn_add(kn_at(*x, "0"), kn_of(double, 8, 0, 0)), r = kn_at(*x, "1");
    return kn_add(weighted(kn_linalg_solve_circulant(c, *x)),
                  kn_add(weighted(kn_linalg_matmul_toeplitz(c, r, *x)), weighted(kn_linalg_solve_toeplitz(c, r, *x))));
}
static kn_array of_riccati(const kn_array *x)
{
    kn_array q = kn_add(kn_matmul(*x, kn_transpose(*x)), kn_eye(3)), b = kn_at(*x, ":, :2");
    kn_array y = kn_linalg_solve_continuous_are(*x, kn_eye(3), q, kn_add(kn_eye(3), q));
    return kn_add(weighted(y), weighted(kn_linalg_solve_discrete_are(kn_mul(0.25, *x), b, q, kn_eye(2))));
}
static kn_array of_rq(const kn_array *x)
{
    kn_linalg_rq_result y = kn_linalg_rq(*x, .mode = "economic");
    return kn_add(weighted(y.r), weighted(y.q));
}
KN_FUNCTION(of_ldl, kn_array, kn_array)
KN_FUNCTION(of_complex_ldl, kn_array, kn_array)
KN_FUNCTION(of_banded, kn_array, kn_array)
KN_FUNCTION(of_definite, kn_array, kn_array)
KN_FUNCTION(of_trigonometric, kn_array, kn_array)
KN_FUNCTION(of_sign, kn_array, kn_array)
KN_FUNCTION(of_circulant, kn_array, kn_array)
KN_FUNCTION(of_riccati, kn_array, kn_array)
KN_FUNCTION(of_rq, kn_array, kn_array)

static void derivatives_are_those_of_differences(void **state)
{
    (void)state;
    KN_SCOPE;
    const struct {
        kn_fn f;
        int m, n;
    } cases[] = {{KN_FN(of_ldl), 4, 4},       {KN_FN(of_complex_ldl), 3, 3},   {KN_FN(of_banded), 4, 5},
                 {KN_FN(of_definite), 4, 4},  {KN_FN(of_trigonometric), 3, 3}, {KN_FN(of_sign), 3, 3},
                 {KN_FN(of_circulant), 3, 3}, {KN_FN(of_riccati), 3, 3},       {KN_FN(of_rq), 3, 5},
                 {KN_FN(of_rq), 3, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        KN_SCOPE;
        kn_array x = normal((int)i + 30, KN_SHAPE(cases[i].m, cases[i].n));
        kn_testing_check_grads(cases[i].f, KN_ARGS(&x), 2, .atol = 1e-3, .rtol = 1e-3);
        if (kn_error_pending())
            fail_msg("case %d: %s", (int)i, kn_error_message());
    }
}

/* ---- Errors. */

static void errors(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array one = kn_eye(3), wide_one = kn_ones(KN_SHAPE(2, 3));
    kn_linalg_ldl(wide_one);
    expect_error("LinAlgError", "ldl: Last 2 dimensions of the array must be square");
    kn_linalg_cosm(wide_one);
    expect_error("LinAlgError", "cosm: Last 2 dimensions of the array must be square");
    kn_linalg_solve_banded(1, 1, kn_ones(KN_SHAPE(3, 4)), kn_ones(KN_SHAPE(3)));
    expect_error("ValueError", "solve_banded: shapes of ab and b are not compatible.");
    kn_linalg_solve_banded(1, 2, kn_ones(KN_SHAPE(3, 4)), kn_ones(KN_SHAPE(4)));
    expect_error("ValueError",
                 "solve_banded: invalid values for the number of lower and upper diagonals: l+u+1 (4) does "
                 "not equal ab.shape[0] (3)");
    kn_ok(kn_linalg_solve_banded(1, 1, kn_zeros(KN_SHAPE(3, 4)), kn_ones(KN_SHAPE(4))));
    expect_error("LinAlgError", "solve_banded: Singular matrix");
    kn_ok(kn_linalg_solveh_banded(kn_negative(kn_ones(KN_SHAPE(1, 4))), kn_ones(KN_SHAPE(4))));
    expect_error("LinAlgError", "solveh_banded: Matrix is not positive definite");
    kn_linalg_solve_circulant(kn_ones(KN_SHAPE(3)), kn_ones(KN_SHAPE(3)));
    expect_error("LinAlgError", "solve_circulant: singular circulant matrix.");
    kn_linalg_solve_circulant(kn_ones(KN_SHAPE(3)), kn_ones(KN_SHAPE(2)));
    expect_error_with("ValueError", "Incompatible dimensions");
    kn_linalg_solve_continuous_are(one, wide_one, one, one);
    expect_error("ValueError", "solve_continuous_are: Matrix a and b should have the same number of rows.");
    kn_linalg_orthogonal_procrustes(one, wide_one);
    expect_error("ValueError", "orthogonal_procrustes: the shapes of A and B differ ((3,3) vs (2,3))");
    kn_linalg_khatri_rao(one, kn_ones(KN_SHAPE(2, 2)));
    expect_error("ValueError", "khatri_rao: The number of columns for both arrays should be equal.");
    kn_linalg_rq(one, .mode = "some");
    expect_error("ValueError", "rq: Mode argument should be one of ['full', 'r', 'economic']");
    kn_linalg_diagsvd(kn_ones(KN_SHAPE(3)), 2, 4);
    expect_error("ValueError", "diagsvd: Length of s must be M or N.");
    kn_linalg_fractional_matrix_power(one, NAN);
    expect_error("ValueError", "fractional_matrix_power: the power must be a finite number");
    kn_ok(kn_linalg_signm(kn_zeros(KN_SHAPE(2, 2))));
    expect_error_with("LinAlgError", "Singular matrix");
    kn_lax_linalg_svd(one, .subset_by_index = KN_AXIS(0, 1));
    expect_error("ValueError", "lax.linalg.svd: full_matrices and subset_by_index cannot both be set");
    kn_lax_linalg_svd_result some =
        kn_lax_linalg_svd(kn_diag(kn_of(double, 1, 3, 2)), .full_matrices = false, .subset_by_index = KN_AXIS(1, 3));
    expect_values(some.s, 2, 1);
    assert_int_equal(kn_dim(some.u, 1), 2);
    assert_int_equal(kn_dim(some.vh, 0), 2);
}

KN_TEST_GROUP(test_scipy_linalg)
{
    const struct CMUnitTest tests[] = {
        TEST(factors_are_those_of_scipy),
        TEST(functions_are_those_of_scipy),
        TEST(systems_are_those_of_scipy),
        TEST(riccati_equations_are_those_of_scipy),
        TEST(factors_of_stacks),
        TEST(functions_of_stacks),
        TEST(nothing_gives_nothing),
        TEST(indefinite_matrices_have_blocks),
        TEST(derivatives_are_those_of_differences),
        TEST(errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
