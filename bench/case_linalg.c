/* SPDX-License-Identifier: Apache-2.0
 * case_linalg.c -- factorisations, systems and eigenvalues: one matrix of 32 to 1024 rows in float32 and float64. The inputs are made of a hash, so that NumPy and JAX make the same. */
#include "lapack.h"
#include "small_inputs.h"

enum { SIDES = 8 };

static kn_array row_of(kn_array x) { return kn_mul(kn_at(x, "..., 0, :"), 0); } /* so that vectors are read */
static kn_array cholesky(const kn_array *x) { return kn_linalg_cholesky(*x); }
static kn_array lu(const kn_array *x) { return kn_lax_linalg_lu(*x).lu; }
static kn_array solve(const kn_array *x)
{
    return kn_linalg_solve(*x,
                           kn_at(kn_swapaxes(*x, -1, -2), "..., :%", (int64_t)(kn_dim(*x, -1) < SIDES ? 1 : SIDES)));
}
static kn_array qr(const kn_array *x)
{
    kn_linalg_qr_result y = kn_linalg_qr(*x);
    return kn_add(kn_abs(y.r), row_of(y.q));
}
static kn_array eigh(const kn_array *x)
{
    kn_linalg_eigh_result y = kn_linalg_eigh(*x);
    return kn_add(y.eigenvalues, row_of(y.eigenvectors));
}
static kn_array svd(const kn_array *x)
{
    kn_linalg_svd_result y = kn_linalg_svd(*x);
    return kn_add(y.s, kn_add(row_of(y.u), row_of(y.vh)));
}
static kn_array eig(const kn_array *x)
{
    kn_linalg_eig_result y = kn_linalg_eig(*x);
    return kn_add(kn_sort(kn_abs(y.eigenvalues)), kn_real(row_of(y.eigenvectors)));
}
static kn_array lstsq(const kn_array *x)
{
    int64_t half = kn_dim(*x, 1) / 2;
    return kn_linalg_lstsq(kn_at(*x, ":, :%", half), kn_at(*x, ":, %", half)).x;
}
static kn_array sum_of_factor(const kn_array *x) { return kn_sum(kn_linalg_cholesky(*x)); }
static kn_array sum_of_solution(const kn_array *x) { return kn_sum(solve(x)); }
KN_FUNCTION(sum_of_factor, kn_array, kn_array)
KN_FUNCTION(sum_of_solution, kn_array, kn_array)
/* Sums of functions of the matrix, which do not depend on which vectors there are. */
static kn_array sum_of_sine(const kn_array *x)
{
    kn_linalg_eigh_result y = kn_linalg_eigh(kn_mul(kn_add(*x, kn_transpose(*x)), 0.5));
    kn_array v = y.eigenvectors;
    return kn_sum(kn_matmul(kn_mul(v, kn_sin(y.eigenvalues)), kn_transpose(v)));
}
static kn_array sum_of_shrunk(const kn_array *x)
{
    kn_linalg_svd_result y = kn_linalg_svd(*x);
    return kn_sum(kn_matmul(kn_mul(y.u, kn_div(y.s, kn_add(y.s, 1))), y.vh));
}
KN_FUNCTION(sum_of_sine, kn_array, kn_array)
KN_FUNCTION(sum_of_shrunk, kn_array, kn_array)
KN_FUNCTION(cholesky, kn_array, kn_array)
KN_FUNCTION(lu, kn_array, kn_array)
KN_FUNCTION(solve, kn_array, kn_array)
KN_FUNCTION(qr, kn_array, kn_array)
KN_FUNCTION(eigh, kn_array, kn_array)
KN_FUNCTION(svd, kn_array, kn_array)
KN_FUNCTION(eig, kn_array, kn_array)
KN_FUNCTION(lstsq, kn_array, kn_array)

static void *setup(kn_shape shape, bench_matrices of, kn_dtype d, kn_fn (*f)(void))
{
    bench_call *s = bench_call_new();
    if (!s)
        return NULL;
    s->x = bench_hashed_matrices(shape, of, d);
    kn_eval(s->x);
    s->f = f();
    return s;
}

static int values(void *state, double *out)
{
    KN_SCOPE;
    return bench_picks(kn_astype(bench_call_value(state), KN_F32), out, 4);
}

/* LAPACK takes the elements of the matrix as they lie, so it works on the transpose. */
static double run_lapack(void *state, bench_library l, lapack_job job, int times)
{
    const bench_call *s = state;
    kn_dtype d = kn_dtype_of(s->x);
    int n = (int)kn_dim(s->x, -1);
    return lapack_run(l, job, d == KN_F64, n, n < SIDES ? 1 : SIDES, kn_data_bytes(s->x, d), times);
}

/* X(operation, input) */
#define OPERATIONS(X)     \
    X(cholesky, DEFINITE) \
    X(lu, GENERAL) X(solve, GENERAL) X(qr, GENERAL) X(eigh, SYMMETRIC) X(svd, GENERAL) X(eig, GENERAL) X(lstsq, GENERAL)

#define GRADIENTS(X)               \
    X(cholesky_gradient, DEFINITE) \
    X(solve_gradient, GENERAL) X(eigh_gradient, SYMMETRIC) X(svd_gradient, GENERAL)

#define SETUP(op, of, what, d, ...) \
    static void *setup_##op##_##what(void) { return setup(KN_SHAPE(__VA_ARGS__), of, d, make_##op); }
#define SETUPS(op, of)                          \
    SETUP(op, of, f32_32, KN_F32, 32, 32)       \
    SETUP(op, of, f32_64, KN_F32, 64, 64)       \
    SETUP(op, of, f32_256, KN_F32, 256, 256)    \
    SETUP(op, of, f32_1024, KN_F32, 1024, 1024) \
    SETUP(op, of, f64_32, KN_F64, 32, 32)       \
    SETUP(op, of, f64_64, KN_F64, 64, 64)       \
    SETUP(op, of, f64_256, KN_F64, 256, 256)    \
    SETUP(op, of, f64_1024, KN_F64, 1024, 1024)
#define GRADIENT_SETUPS(op, of) SETUP(op, of, f32_256, KN_F32, 256, 256) SETUP(op, of, f64_256, KN_F64, 256, 256)

#define LAPACK(op, job)                                                                                         \
    static double openblas_##op(void *state, int times) { return run_lapack(state, LIB_OPENBLAS, job, times); } \
    static double mkl_##op(void *state, int times) { return run_lapack(state, LIB_MKL, job, times); }
LAPACK(cholesky, LAPACK_CHOLESKY)
LAPACK(lu, LAPACK_LU)
LAPACK(solve, LAPACK_SOLVE)
LAPACK(qr, LAPACK_QR)
LAPACK(eigh, LAPACK_EIGH)
LAPACK(svd, LAPACK_SVD)
LAPACK(eig, LAPACK_EIG)
LAPACK(lstsq, LAPACK_LSTSQ)

#define MAKE(op) \
    static kn_fn make_##op(void) { return kn_jit(KN_FN(op)); }
MAKE(cholesky)
MAKE(lu)
MAKE(solve)
MAKE(qr)
MAKE(eigh)
MAKE(svd)
MAKE(eig)
MAKE(lstsq)
static kn_fn make_cholesky_gradient(void) { return kn_jit(kn_grad(KN_FN(sum_of_factor))); }
static kn_fn make_solve_gradient(void) { return kn_jit(kn_grad(KN_FN(sum_of_solution))); }
static kn_fn make_eigh_gradient(void) { return kn_jit(kn_grad(KN_FN(sum_of_sine))); }
static kn_fn make_svd_gradient(void) { return kn_jit(kn_grad(KN_FN(sum_of_shrunk))); }
OPERATIONS(SETUPS)
GRADIENTS(GRADIENT_SETUPS)

#define ROW(op, what, unit_, tolerance_, ...) \
    {.name = #op "_" #what,                   \
     .unit = unit_,                           \
     .threads = 2,                            \
     .tolerance = tolerance_,                 \
     .setup = setup_##op##_##what,            \
     .run = bench_call_run,                   \
     .values = values,                        \
     .teardown = bench_call_teardown,         \
     __VA_ARGS__},
#define BESIDE_LAPACK(op)                                \
    .ask = ASK_ALL, .ratio = 1,                          \
    .other = {                                           \
        {"openblas 1T", openblas_##op, 1, .peer = true}, \
        {"openblas 2T", openblas_##op, 2, .peer = true}, \
        {"mkl 1T", mkl_##op, 1, .peer = true},           \
        {"mkl 2T", mkl_##op, 2, .peer = true},           \
    }
#define ROWS(op, of)                                 \
    ROW(op, f32_32, "us", 2e-3, BESIDE_LAPACK(op))   \
    ROW(op, f32_64, "us", 2e-3, BESIDE_LAPACK(op))   \
    ROW(op, f32_256, "us", 1e-2, BESIDE_LAPACK(op))  \
    ROW(op, f32_1024, "ms", 5e-2, BESIDE_LAPACK(op)) \
    ROW(op, f64_32, "us", 1e-6, BESIDE_LAPACK(op))   \
    ROW(op, f64_64, "us", 1e-6, BESIDE_LAPACK(op))   \
    ROW(op, f64_256, "us", 1e-6, BESIDE_LAPACK(op)) ROW(op, f64_1024, "ms", 1e-6, BESIDE_LAPACK(op))
#define GRADIENT_ROWS(op, of) \
    ROW(op, f32_256, "us", 1e-2, .ask = ASK_JAX, .ratio = 1) ROW(op, f64_256, "us", 1e-6, .ask = ASK_JAX, .ratio = 1)
const bench_case bench_linalg[] = {OPERATIONS(ROWS) GRADIENTS(GRADIENT_ROWS){0}};
