/* SPDX-License-Identifier: Apache-2.0
 * case_small.c -- 100,000 small matrices at a time: products, systems, factors, eigenvalues and singular values of 3 x 3,
 * 4 x 4 and 8 x 8, beside C with the sizes as constants. The inputs are made of a hash, so that NumPy and JAX make the
 * same. */
#include "small_inputs.h"
#include "small_peers.h"
#include <pthread.h>

enum { MANY = 100000, SIDES = 8, LARGEST = 8 };

static kn_array row_of(kn_array x) { return kn_mul(kn_at(x, "..., 0, :"), 0); } /* so that vectors are read */
static kn_array matmul(const kn_array *x) { return kn_matmul(*x, *x); }
static kn_array matvec(const kn_array *x) { return kn_matvec(*x, kn_at(*x, "..., 0, :")); }
static kn_array inv(const kn_array *x) { return kn_linalg_inv(*x); }
static kn_array det(const kn_array *x) { return kn_linalg_det(*x); }
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
    return kn_add(kn_abs(y.r), kn_mul(kn_at(y.q, "..., :1, :"), 0));
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

/* X(operation, its number, input) */
#define OPERATIONS(X)                     \
    X(matmul, SMALL_MATMUL, GENERAL)      \
    X(matvec, SMALL_MATVEC, GENERAL)      \
    X(inv, SMALL_INV, GENERAL)            \
    X(det, SMALL_DET, GENERAL)            \
    X(solve, SMALL_SOLVE, GENERAL)        \
    X(cholesky, SMALL_CHOLESKY, DEFINITE) \
    X(lu, SMALL_LU, GENERAL)              \
    X(qr, SMALL_QR, GENERAL)              \
    X(eigh, SMALL_EIGH, SYMMETRIC)        \
    X(svd, SMALL_SVD, GENERAL)

typedef struct state {
    bench_call call; /* first: it is the state of a call, too */
    small_peer *peer;
    const void *from;
    void *to;
    size_t bytes;
} state;

static void *setup(small_operation op, bench_matrices of, kn_dtype d, int64_t n, kn_fn f)
{
    state *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->call.scope = kn_scope_begin();
    s->call.x = bench_hashed_matrices(KN_SHAPE(MANY, n, n), of, d);
    s->call.f = f;
    kn_eval(s->call.x);
    bool wide = d == KN_F64;
    s->peer = small_peers[op][wide][n == 3 ? 0 : n == 4 ? 1 : 2];
    s->from = wide ? (const void *)kn_data(s->call.x, double) : kn_data(s->call.x, float);
    s->bytes = (size_t)(n * n) * (wide ? 8 : 4);
    s->to = malloc(3 * MANY * s->bytes);
    return s;
}

static void teardown(void *of)
{
    state *s = of;
    free(s->to);
    bench_call_teardown(s);
}

static int values(void *of, double *out)
{
    KN_SCOPE;
    return bench_picks(kn_astype(bench_call_value(of), KN_F32), out, 4);
}

static void *half(void *of)
{
    const state *s = of;
    s->peer(MANY / 2, (const char *)s->from + MANY / 2 * s->bytes, (char *)s->to + 3 * (MANY / 2) * s->bytes);
    return NULL;
}
static double in_c(void *of, int times)
{
    const state *s = of;
    double start = bench_now();
    for (int i = 0; i < times && s->to; i++)
        s->peer(MANY, s->from, s->to);
    return s->to ? bench_now() - start : -1;
}
static double in_c_twice(void *of, int times)
{
    const state *s = of;
    double start = bench_now();
    for (int i = 0; i < times; i++) {
        pthread_t other;
        if (!s->to || pthread_create(&other, NULL, half, of))
            return -1;
        s->peer(MANY / 2, s->from, s->to);
        pthread_join(other, NULL);
    }
    return bench_now() - start;
}

#define SETUP(op, number, of, what, d, n) \
    static void *setup_##op##_##what(void) { return setup(number, of, d, n, kn_jit(KN_FN(op))); }
#define MAKE(op, number, of)                     \
    KN_FUNCTION(op, kn_array, kn_array)          \
    SETUP(op, number, of, f32_many_3, KN_F32, 3) \
    SETUP(op, number, of, f32_many_4, KN_F32, 4) \
    SETUP(op, number, of, f32_many_8, KN_F32, 8) \
    SETUP(op, number, of, f64_many_3, KN_F64, 3) \
    SETUP(op, number, of, f64_many_4, KN_F64, 4) \
    SETUP(op, number, of, f64_many_8, KN_F64, 8)
OPERATIONS(MAKE)

#define ROW(op, what, tolerance_)  \
    {.name = #op "_" #what,        \
     .unit = "us",                 \
     .threads = 2,                 \
     .ask = ASK_ALL,               \
     .tolerance = tolerance_,      \
     .setup = setup_##op##_##what, \
     .run = bench_call_run,        \
     .values = values,             \
     .teardown = teardown,         \
     .other = {{"c 1T", in_c, 1, false}, {"c 2T", in_c_twice, 2, false}}},
#define ROWS(op, number, of)  \
    ROW(op, f32_many_3, 1e-3) \
    ROW(op, f32_many_4, 1e-3) \
    ROW(op, f32_many_8, 1e-3) ROW(op, f64_many_3, 1e-6) ROW(op, f64_many_4, 1e-6) ROW(op, f64_many_8, 1e-6)
const bench_case bench_small[] = {OPERATIONS(ROWS){0}};
