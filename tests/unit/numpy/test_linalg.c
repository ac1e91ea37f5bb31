/* SPDX-License-Identifier: Apache-2.0
 * test_linalg.c -- linear algebra: NumPy's values (tests/golden/linalg.npz), NumPy's errors at the caller's line,
 * derivatives against differences, vmap and stacks against loops bit for bit. */
#include "support/expect.h"
#include "support/golden.h"
#include "support/group.h"

#include <complex.h>
#include <stdio.h>

/* ---- Values. */

static const char *const dtypes[] = {"f32", "f64", "c64", "c128"};
static const char *const sizes[] = {"0",  "1",  "2",  "3",  "4",  "5",  "8",    "16",
                                    "31", "32", "33", "48", "64", "70", "batch"};
typedef struct set {
    const golden *g;
    const char *size, *dtype;
    double tolerance; /* of the largest element */
} set;

static const knio_npy *stored(const set *s, const char *what)
{
    char name[64];
    snprintf(name, sizeof name, "%s %s %s", what, s->dtype, s->size);
    return golden_find(s->g, name);
}

static kn_array part(const set *s, const char *what)
{
    char name[64];
    snprintf(name, sizeof name, "%s %s", what, s->size);
    return kn_div(golden_array(golden_find(s->g, name)), 16.0);
}

/* Elements differ by `tolerance` of the largest one at most; infinities and NaN are equal. */
static void compare(const set *s, const char *what, kn_array got)
{
    const knio_npy *want = stored(s, what);
    kn_array w = golden_array(want);
    if (want->ndim >= 2 && want->dim[want->ndim - 1] != kn_dim(got, want->ndim - 1))
        got = kn_at(got, "..., ::7, ::5");
    else if (want->ndim >= 2 && want->dim[0] != kn_dim(got, 0))
        got = kn_at(got, "::7, ::5");
    assert_ptr_equal(kn_dtype_of(got), want->dtype);
    assert_int_equal(kn_ndim(got), want->ndim);
    for (int i = 0; i < want->ndim; i++)
        assert_int_equal(kn_dim(got, i), want->dim[i]);
    kn_array far = kn_where(kn_equal(got, w), 0.0, kn_abs(kn_sub(got, w)));
    double worst = kn_item(kn_max(far, .initial = kn_num(0.0)));
    double largest = kn_item(kn_max(kn_abs(w), .initial = kn_num(0.0)));
    if (!(worst <= s->tolerance * largest))
        fail_msg("%s %s %s: off by %g of %g", what, s->dtype, s->size, worst, largest);
}

static void check_set(const set *s)
{
    KN_SCOPE;
    bool is_complex = s->dtype[0] == 'c', batch = strcmp(s->size, "batch") == 0;
    kn_dtype d = golden_dtype(s->dtype);
    kn_array a = part(s, "re"), b = part(s, "b");
    if (is_complex)
        a = kn_add(a, kn_mul(part(s, "im"), (double _Complex)I));
    int64_t n = kn_dim(a, -1);
    kn_array other = kn_swapaxes(kn_conj(a), -1, -2);
    kn_array symmetric = kn_astype(kn_add(kn_matmul(a, other), kn_mul((double)n, kn_eye(n))), d);
    a = kn_astype(a, d);
    b = kn_astype(b, d);
    compare(s, "inv", kn_linalg_inv(a));
    compare(s, "solve", kn_linalg_solve(a, b));
    compare(s, "cholesky", kn_linalg_cholesky(symmetric));
    compare(s, "upper", kn_linalg_cholesky(symmetric, .upper = true));
    if (n <= 32)
        compare(s, "det", kn_linalg_det(a));
    compare(s, "sign", kn_linalg_slogdet(a).sign);
    compare(s, "log", kn_linalg_slogdet(a).logabsdet);
    if (!batch)
        compare(s, "solve1", kn_linalg_solve(a, kn_at(b, ":, 0")));
}

static void values_are_those_of_numpy(void **state)
{
    (void)state;
    golden g = golden_read("linalg.npz");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t k = 0; k < 4; k++) {
            bool narrow = strcmp(dtypes[k], "f32") == 0 || strcmp(dtypes[k], "c64") == 0;
            check_set(&(set){&g, sizes[i], dtypes[k], narrow ? 5e-4 : 2e-12});
        }
    golden_free(&g);
}

/* ---- Dtypes and shapes. */

static kn_array matrix(double a, double b, double c, double d)
{
    return kn_reshape(kn_of(double, a, b, c, d), KN_SHAPE(2, 2));
}

static void dtypes_are_those_of_numpy(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = matrix(2, 1, 1, 3), i8 = kn_astype(a, KN_I8), f32 = kn_astype(a, KN_F32), c64 = kn_astype(a, KN_C64);
    assert_ptr_equal(kn_dtype_of(kn_linalg_inv(i8)), KN_F64);
    assert_ptr_equal(kn_dtype_of(kn_linalg_inv(f32)), KN_F32);
    assert_ptr_equal(kn_dtype_of(kn_linalg_det(c64)), KN_C64);
    assert_ptr_equal(kn_dtype_of(kn_linalg_slogdet(c64).sign), KN_C64);
    assert_ptr_equal(kn_dtype_of(kn_linalg_slogdet(c64).logabsdet), KN_F32);
    assert_ptr_equal(kn_dtype_of(kn_linalg_solve(f32, i8)), KN_F64);
    assert_ptr_equal(kn_dtype_of(kn_linalg_solve(f32, f32)), KN_F32);
    assert_ptr_equal(kn_dtype_of(kn_linalg_solve(f32, c64)), KN_C64);
    assert_ptr_equal(kn_dtype_of(kn_linalg_solve(c64, a)), KN_C128);
    expect_values(kn_linalg_solve(kn_astype(kn_eye(2), KN_BOOL), kn_of(int, 5, 7)), 5, 7);
    expect_values(kn_linalg_det(i8), 5);
    kn_linalg_inv(kn_astype(a, KN_F16));
    expect_error("TypeError", "inv: array type float16 is unsupported in linalg");
    kn_linalg_solve(a, kn_astype(a, KN_F16));
    expect_error("TypeError", "solve: array type float16 is unsupported in linalg");
    kn_linalg_det(kn_astype(a, KN_BF16));
    expect_error("TypeError", "det: array type bfloat16 is unsupported in linalg");
    kn_linalg_inv(kn_reshape(kn_random_split(kn_random_key(0), .num = 4), KN_SHAPE(2, 2)));
    expect_error_with("TypeError", "inv: ");
}

static void shapes_that_do_not_fit(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_eye(2), wide = kn_ones(KN_SHAPE(2, 3));
    kn_linalg_inv(kn_ones(KN_SHAPE(2)));
    expect_error("LinAlgError", "inv: 1-dimensional array given. Array must be at least two-dimensional");
    kn_linalg_det(3.0);
    expect_error("LinAlgError", "det: 0-dimensional array given. Array must be at least two-dimensional");
    kn_linalg_cholesky(wide);
    expect_error("LinAlgError", "cholesky: Last 2 dimensions of the array must be square");
    kn_linalg_slogdet(wide);
    expect_error("LinAlgError", "slogdet: Last 2 dimensions of the array must be square");
    kn_linalg_solve(wide, a);
    expect_error("LinAlgError", "solve: Last 2 dimensions of the array must be square");
    kn_linalg_solve(a, kn_ones(KN_SHAPE(3)));
    expect_error("ValueError", "solve: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
                               "(m,m),(m)->(m) (size 3 is different from 2)");
    kn_linalg_solve(a, kn_ones(KN_SHAPE(3, 2)));
    expect_error("ValueError", "solve: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
                               "(m,m),(m,n)->(m,n) (size 3 is different from 2)");
    kn_linalg_solve(a, 3.0);
    expect_error("ValueError", "solve: Input operand 1 does not have enough dimensions (has 0, gufunc core with "
                               "signature (m,m),(m,n)->(m,n) requires 2)");
    kn_linalg_solve(kn_ones(KN_SHAPE(2, 3, 3)), kn_ones(KN_SHAPE(3, 3, 1)));
    expect_error("ValueError", "solve: operands could not be broadcast together with shapes (2,3,3) (3,3,1)");
    kn_linalg_inv(KN_NONE);
    expect_error_with("TypeError", "inv: ");
}

static void empty_arrays(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array none = kn_zeros(KN_SHAPE(0, 0)), stack = kn_zeros(KN_SHAPE(0, 3, 3)), rows = kn_zeros(KN_SHAPE(2, 0, 0));
    assert_int_equal(kn_size(kn_linalg_inv(none)), 0);
    assert_int_equal(kn_size(kn_linalg_cholesky(none)), 0);
    expect_values(kn_linalg_det(none), 1);
    expect_values(kn_linalg_det(rows), 1, 1);
    expect_values(kn_linalg_slogdet(rows).sign, 1, 1);
    expect_values(kn_linalg_slogdet(rows).logabsdet, 0, 0);
    assert_int_equal(kn_size(kn_linalg_det(stack)), 0);
    assert_int_equal(kn_ndim(kn_linalg_inv(stack)), 3);
    assert_int_equal(kn_dim(kn_linalg_solve(none, kn_zeros(KN_SHAPE(0, 2))), 1), 2);
    assert_int_equal(kn_ndim(kn_linalg_solve(none, kn_zeros(KN_SHAPE(0)))), 1);
    assert_int_equal(kn_dim(kn_linalg_solve(kn_eye(2), kn_zeros(KN_SHAPE(2, 0))), 0), 2);
    kn_array x = kn_linalg_solve(kn_zeros(KN_SHAPE(0, 1, 2, 2)), kn_zeros(KN_SHAPE(3, 2, 4)));
    assert_int_equal(kn_ndim(x), 4);
    assert_int_equal(kn_dim(x, 0), 0);
    assert_int_equal(kn_dim(x, 1), 3);
    expect_no_error();
}

/* ---- Values without a result. */

enum { INVERSE_LINE = __LINE__ + 1, ROOT_LINE };
static kn_array inverse(const kn_array *x) { return kn_linalg_inv(*x); }
static kn_array root(const kn_array *x) { return kn_linalg_cholesky(*x); }
static kn_array first_root(const kn_array *x)
{
    kn_linalg_cholesky(*x); /* nobody reads it: it fails all the same */
    return kn_add(*x, 1);
}
KN_FUNCTION(inverse, kn_array, kn_array)
KN_FUNCTION(root, kn_array, kn_array)
KN_FUNCTION(first_root, kn_array, kn_array)

static void fails_at(kn_fn f, kn_array x, const char *message, int line)
{
    KN_SCOPE;
    kn_array y;
    kn_call(f, &y, &x);
    kn_ok(y);
    if (line)
        assert_int_equal(kn_error_line(), line);
    expect_error("LinAlgError", message);
}

static void errors_come_while_running(void **state)
{
    (void)state;
    KN_SCOPE;
    const char *singular = "inv: Singular matrix", *indefinite = "cholesky: Matrix is not positive definite";
    kn_array zeros = kn_zeros(KN_SHAPE(2, 2)), saddle = matrix(1, 2, 2, 1);
    int line = __LINE__ + 1;
    kn_linalg_inv(zeros);
    assert_int_equal(kn_error_line(), line);
    expect_error("LinAlgError", singular);
    line = __LINE__ + 1;
    kn_linalg_solve(matrix(1, 2, 2, 4), kn_of(double, 1, 2));
    assert_int_equal(kn_error_line(), line);
    expect_error("LinAlgError", "solve: Singular matrix");
    kn_linalg_solve(zeros, kn_zeros(KN_SHAPE(2, 0)));
    expect_error("LinAlgError", "solve: Singular matrix");
    kn_linalg_cholesky(saddle);
    expect_error("LinAlgError", indefinite);
    kn_linalg_cholesky(zeros, .upper = true);
    expect_error("LinAlgError", indefinite);
    kn_linalg_inv(kn_stack(KN_LIST(kn_eye(2), zeros)));
    expect_error("LinAlgError", singular);
    fails_at(kn_jit(KN_FN(inverse)), zeros, singular, INVERSE_LINE);
    fails_at(kn_jit(KN_FN(root)), saddle, indefinite, ROOT_LINE);
    fails_at(kn_jit(KN_FN(first_root)), saddle, indefinite, 0);
    fails_at(kn_vmap(KN_FN(inverse)), kn_stack(KN_LIST(kn_eye(2), zeros)), singular, INVERSE_LINE);
    fails_at(kn_jit(kn_vmap(KN_FN(root))), kn_stack(KN_LIST(kn_eye(2), saddle)), indefinite, ROOT_LINE);
    kn_fn f = kn_jit(KN_FN(inverse)); /* a failure leaves it usable */
    kn_array y, x = kn_mul(2.0, kn_eye(2));
    fails_at(f, zeros, singular, INVERSE_LINE);
    kn_call(f, &y, &x);
    expect_values(y, 0.5, 0, 0, 0.5);
}

static void singular_and_nan(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array flat = matrix(1, 2, 2, 4), nan = matrix(NAN, 1, 1, 2);
    expect_values(kn_linalg_det(flat), 0);
    expect_values(kn_linalg_det(kn_stack(KN_LIST(kn_zeros(KN_SHAPE(2, 2)), kn_eye(2)))), 0, 1);
    expect_values(kn_linalg_slogdet(flat).sign, 0);
    expect_values(kn_linalg_slogdet(flat).logabsdet, -INFINITY);
    expect_values(kn_linalg_slogdet(kn_astype(flat, KN_C128)).logabsdet, -INFINITY);
    expect_values(kn_linalg_det(nan), NAN);
    expect_values(kn_linalg_slogdet(nan).logabsdet, NAN);
    expect_values(kn_linalg_inv(nan), NAN, NAN, NAN, NAN);
    expect_values(kn_linalg_cholesky(nan), NAN, 0, NAN, NAN);
    expect_values(kn_linalg_cholesky(matrix(1, 0, NAN, 1)), 1, 0, NAN, NAN);
    expect_values(kn_linalg_inv(matrix(INFINITY, 1, 1, 2)), 0, 0, 0, 0.5);
    expect_values(kn_linalg_det(matrix(0, 1, 1, 0)), -1);
    expect_values(kn_linalg_slogdet(matrix(0, 1, 1, 0)).sign, -1);
    /* one triangle alone is read */
    expect_values(kn_linalg_cholesky(matrix(4, NAN, 2, 5)), 2, 0, 1, 2);
    expect_values(kn_linalg_cholesky(matrix(4, 2, NAN, 5), .upper = true), 2, 1, 0, 2);
}

/* ---- Derivatives: along a direction, against differences. */

typedef struct system {
    kn_array a, b;
} system_t;
static kn_array positive(kn_array a)
{
    return kn_add(kn_matmul(a, kn_swapaxes(a, -1, -2)), kn_mul(0.5, kn_eye(kn_dim(a, -1))));
}
static kn_array of_inv(const system_t *s) { return kn_sum(kn_cos(kn_linalg_inv(s->a))); }
static kn_array of_solve(const system_t *s) { return kn_sum(kn_cos(kn_linalg_solve(s->a, s->b))); }
static kn_array of_vector(const system_t *s)
{
    return kn_sum(kn_cos(kn_linalg_solve(s->a, kn_at(s->b, "..., 0")))); /* of a stack: 2-d right-hand sides */
}
static kn_array of_det(const system_t *s) { return kn_sum(kn_mul(kn_at(s->b, "..., 0, 0"), kn_linalg_det(s->a))); }
static kn_array of_log(const system_t *s) { return kn_sum(kn_cos(kn_linalg_slogdet(s->a).logabsdet)); }
static kn_array of_lower(const system_t *s) { return kn_sum(kn_cos(kn_linalg_cholesky(positive(s->a)))); }
static kn_array of_upper(const system_t *s)
{
    return kn_sum(kn_sin(kn_linalg_cholesky(positive(s->a), .upper = true)));
}
static kn_array of_triangle(const system_t *s) /* not symmetric: the derivative is that of what is read */
{
    return kn_sum(kn_cos(kn_linalg_cholesky(kn_add(s->a, kn_mul(8.0, kn_eye(kn_dim(s->a, -1)))))));
}
KN_FUNCTION(of_inv, kn_array, system_t)
KN_FUNCTION(of_solve, kn_array, system_t)
KN_FUNCTION(of_vector, kn_array, system_t)
KN_FUNCTION(of_det, kn_array, system_t)
KN_FUNCTION(of_log, kn_array, system_t)
KN_FUNCTION(of_lower, kn_array, system_t)
KN_FUNCTION(of_upper, kn_array, system_t)
KN_FUNCTION(of_triangle, kn_array, system_t)

static double value_at(kn_fn f, const system_t *s, const system_t *u, double t)
{
    KN_SCOPE;
    system_t at = {kn_add(s->a, kn_mul(t, u->a)), kn_add(s->b, kn_mul(t, u->b))};
    kn_array y;
    kn_call(f, &y, &at);
    return kn_item(y);
}

static double inner(const system_t *x, const system_t *y)
{
    return kn_item(kn_add(kn_sum(kn_mul(x->a, y->a)), kn_sum(kn_mul(x->b, y->b))));
}

static void check_gradient(const char *name, kn_fn f, kn_shape shape, uint64_t seed)
{
    KN_SCOPE;
    const double h = 1e-3;
    kn_array key = kn_random_split(kn_random_key(seed), .num = 4);
    kn_shape right = shape;
    right.dim[right.ndim - 1] = 2;
    system_t s = {kn_random_normal(kn_at(key, "0"), shape), kn_random_normal(kn_at(key, "1"), right)};
    system_t u = {kn_random_normal(kn_at(key, "2"), shape), kn_random_normal(kn_at(key, "3"), right)}, g, g2;
    int64_t n = shape.dim[shape.ndim - 1]; /* eigenvalues in a disk of radius 1 around 2 */
    s.a = kn_add(kn_div(s.a, sqrt((double)n)), kn_mul(2.0, kn_eye(n)));
    u.a = kn_div(u.a, sqrt((double)n));
    kn_array y, dy;
    kn_call(kn_grad(f), &g, &s);
    kn_call(kn_jit(kn_grad(f)), &g2, &s);
    kn_jvp(f, KN_ARGS(&s), KN_ARGS(&u), &y, &dy);
    double near = value_at(f, &s, &u, h) - value_at(f, &s, &u, -h);
    double far = value_at(f, &s, &u, 2 * h) - value_at(f, &s, &u, -2 * h);
    double slope = (8 * near - far) / (12 * h), got = inner(&g, &u);
    if (!(fabs(got - slope) <= 1e-6 * fmax(1, fabs(slope))) ||
        !(fabs(kn_item(dy) - slope) <= 1e-6 * fmax(1, fabs(slope))))
        fail_msg("%s: %.12g by the gradient, %.12g by jvp, %.12g by differences", name, got, kn_item(dy), slope);
    assert_true(kn_array_equal(g.a, g2.a) && kn_array_equal(g.b, g2.b));
}

static void derivatives_follow_values(void **state)
{
    (void)state;
    KN_SCOPE;
    const struct {
        const char *name;
        kn_fn f;
    } f[] = {
        {"inv", KN_FN(of_inv)},     {"solve", KN_FN(of_solve)},       {"vector", KN_FN(of_vector)},
        {"det", KN_FN(of_det)},     {"slogdet", KN_FN(of_log)},       {"cholesky", KN_FN(of_lower)},
        {"upper", KN_FN(of_upper)}, {"triangle", KN_FN(of_triangle)},
    };
    for (size_t i = 0; i < sizeof f / sizeof *f; i++) {
        check_gradient(f[i].name, f[i].f, KN_SHAPE(1, 1), 1 + i);
        check_gradient(f[i].name, f[i].f, KN_SHAPE(4, 4), 11 + i);
        if (strcmp(f[i].name, "vector") != 0)
            check_gradient(f[i].name, f[i].f, KN_SHAPE(2, 3, 3), 21 + i);
    }
    check_gradient("inv", KN_FN(of_inv), KN_SHAPE(40, 40), 5);
    check_gradient("cholesky", KN_FN(of_lower), KN_SHAPE(40, 40), 6);
}

static kn_array entry(const kn_array *x) { return kn_at(kn_linalg_inv(*x), "0, 0"); }
KN_FUNCTION(entry, kn_array, kn_array)

static void second_derivatives(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array h, x = kn_reshape(kn_of(double, 2), KN_SHAPE(1, 1));
    kn_call(kn_hessian(KN_FN(entry)), &h, &x);
    expect_near(h, 1e-15, 0.25); /* of 1 / x: 2 / x^3 */
}

/* ---- vmap and stacks against loops. */

static kn_array just_solve(const kn_array *a, const kn_array *b) { return kn_linalg_solve(*a, *b); }
static kn_array just_det(const kn_array *a) { return kn_linalg_det(*a); }
KN_FUNCTION(just_solve, kn_array, kn_array, kn_array)
KN_FUNCTION(just_det, kn_array, kn_array)

static void same(const char *name, kn_array got, kn_array want)
{
    if (!kn_array_equal(got, want))
        fail_msg("%s: a stack and a loop differ", name);
}

static void stacks_are_loops(void **state)
{
    (void)state;
    const int64_t n[] = {3, 40, 70};
    for (int k = 0; k < 3; k++) {
        KN_SCOPE;
        kn_array key = kn_random_split(kn_random_key(k)), first, second, both, dets, inverses, roots;
        kn_array a = kn_random_normal(kn_at(key, "0"), KN_SHAPE(4, n[k], n[k]));
        kn_array b = kn_random_normal(kn_at(key, "1"), KN_SHAPE(4, n[k], 5)), one = kn_at(a, "0"),
                 right = kn_at(b, "0");
        kn_array s = positive(a);
        kn_call(kn_vmap(KN_FN(just_solve)), &both, &a, &b);
        kn_call(kn_vmap(KN_FN(just_solve), .in_axes = {KN_MAPPED(0), KN_UNMAPPED}), &first, &a, &right);
        kn_call(kn_jit(kn_vmap(KN_FN(just_solve), .in_axes = {KN_UNMAPPED, KN_MAPPED(0)})), &second, &one, &b);
        kn_call(kn_vmap(KN_FN(just_det)), &dets, &a);
        kn_call(kn_vmap(KN_FN(inverse)), &inverses, &a);
        kn_call(kn_vmap(KN_FN(root)), &roots, &s);
        same("solve", kn_linalg_solve(a, b), both);
        same("solve", kn_linalg_solve(a, right), first);
        same("solve", kn_linalg_solve(one, b), second);
        same("det", kn_linalg_det(a), dets);
        same("inv", kn_linalg_inv(a), inverses);
        same("cholesky", kn_linalg_cholesky(s), roots);
        for (int i = 0; i < 4; i++) {
            kn_array m = kn_at(a, "%, ...", i), y = kn_at(b, "%, ...", i);
            same("vmap of solve", kn_at(both, "%, ...", i), kn_linalg_solve(m, y));
            same("vmap of solve", kn_at(first, "%, ...", i), kn_linalg_solve(m, right));
            same("vmap of solve", kn_at(second, "%, ...", i), kn_linalg_solve(one, y));
            same("vmap of det", kn_at(dets, "%", i), kn_linalg_det(m));
            same("vmap of inv", kn_at(inverses, "%, ...", i), kn_linalg_inv(m));
            same("vmap of cholesky", kn_at(roots, "%, ...", i), kn_linalg_cholesky(kn_at(s, "%, ...", i)));
            same("one column", kn_linalg_solve(m, kn_at(y, ":, 2")), kn_at(kn_linalg_solve(m, y), ":, 2"));
        }
        same("transposed memory", kn_linalg_inv(kn_swapaxes(kn_copy(kn_swapaxes(a, 1, 2)), 1, 2)), inverses);
    }
}

KN_TEST_GROUP(test_linalg)
{
    const struct CMUnitTest tests[] = {
        TEST(values_are_those_of_numpy), TEST(dtypes_are_those_of_numpy),
        TEST(shapes_that_do_not_fit),    TEST(empty_arrays),
        TEST(errors_come_while_running), TEST(singular_and_nan),
        TEST(derivatives_follow_values), TEST(second_derivatives),
        TEST(stacks_are_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
