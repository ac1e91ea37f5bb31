/* SPDX-License-Identifier: Apache-2.0
 * case_fft.c -- Fourier transforms of one line, of the rows and of all of a matrix, complex and real, in both precisions. */
#include "bench.h"
#include "fftw.h"
#include "inputs.h"
#include "libraries.h"
#include <math.h>

typedef struct transform {
    kn_scope scope;
    kn_array x;
    kn_fn f;
    fftw_kind kind;
    void *from, *to; /* of the libraries */
    size_t bytes;    /* of x, and of what comes of it at most */
    fftw_transform *plan[FFTW_COUNT][LIB_MAX_THREADS];
    bool tried[FFTW_COUNT][LIB_MAX_THREADS];
} transform;

static kn_array lines(const kn_array *x) { return kn_fft_fft(*x); }
static kn_array matrix(const kn_array *x) { return kn_fft_fft2(*x); }
static kn_array real_lines(const kn_array *x) { return kn_fft_rfft(*x); }
static kn_array real_matrix(const kn_array *x) { return kn_fft_rfft2(*x); }
KN_FUNCTION(lines, kn_array, kn_array)
KN_FUNCTION(matrix, kn_array, kn_array)
KN_FUNCTION(real_lines, kn_array, kn_array)
KN_FUNCTION(real_matrix, kn_array, kn_array)

static void *setup(kn_shape shape, kn_dtype d, kn_fn f, bool planes)
{
    transform *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->scope = kn_scope_begin();
    kn_array re = bench_wave_of(shape, 1.7);
    bool complex = d == KN_C64 || d == KN_C128;
    s->x = kn_astype(complex ? kn_lax_complex(re, bench_wave_of(shape, 0.9)) : re, d);
    kn_eval(s->x);
    s->f = f;
    s->kind = (fftw_kind){.single = d == KN_C64 || d == KN_F32, .real = !complex, .rank = 1, .rows = 1};
    s->kind.n[0] = (int)shape.dim[0];
    if (shape.ndim == 2 && planes) {
        s->kind.rank = 2;
        s->kind.n[1] = (int)shape.dim[1];
    } else if (shape.ndim == 2) {
        s->kind.rows = (int)shape.dim[0];
        s->kind.n[0] = (int)shape.dim[1];
    }
    s->bytes = (size_t)kn_nbytes(s->x);
    s->from = aligned_alloc(64, (s->bytes + 63) / 64 * 64);
    s->to = aligned_alloc(64, (s->bytes * 2 / 64 + 4096) * 64); /* half as many of twice the size, and a column more */
    return s;
}

static void teardown(void *state)
{
    transform *s = state;
    for (int l = 0; l < FFTW_COUNT; l++)
        for (int t = 0; t < LIB_MAX_THREADS; t++)
            fftw_free(s->plan[l][t]);
    free(s->from);
    free(s->to);
    kn_scope_end(&s->scope);
    free(s);
}

static const fftw_transform *plan(transform *s, fftw_library l, int threads)
{
    if (!s->tried[l][threads - 1] && s->from && s->to) {
        s->tried[l][threads - 1] = true;
        s->plan[l][threads - 1] = fftw_new(l, &s->kind, threads, s->from, s->to);
        kn_copy_to(s->x, s->from, s->bytes);
    }
    return s->plan[l][threads - 1];
}

static double run_library(transform *s, fftw_library l)
{
    const fftw_transform *p = plan(s, l, libraries_threads());
    double start = bench_now();
    if (p)
        fftw_run(p);
    return p ? bench_now() - start : -1;
}

static double run_times(void *state, fftw_library l, int times)
{
    double sum = 0;
    for (int i = 0; i < times && sum >= 0; i++) {
        double one = run_library(state, l);
        sum = one < 0 ? -1 : sum + one;
    }
    return sum;
}
static double run_fftw(void *state, int times) { return run_times(state, FFTW_ITSELF, times); }
static double run_mkl(void *state, int times) { return run_times(state, FFTW_OF_MKL, times); }

/* The largest difference, over 4 (1 + log2 n) units in the last place of the largest number. */
static double differs(void *state, int other)
{
    KN_SCOPE;
    transform *s = state;
    if (run_library(s, (fftw_library)(other % FFTW_COUNT)) < 0)
        return -1;
    kn_array mine;
    kn_call(s->f, &mine, &s->x);
    kn_array theirs = kn_wrap(s->to, kn_shape_of(mine), kn_dtype_of(mine), .readonly = true);
    double gap = kn_item(kn_max(kn_abs(kn_sub(kn_astype(mine, KN_C128), kn_astype(theirs, KN_C128)))));
    double most = kn_item(kn_max(kn_abs(kn_astype(mine, KN_C128))));
    double steps = log2((double)s->kind.n[0] * (s->kind.rank == 2 ? s->kind.n[1] : 1));
    return gap / (4 * (1 + steps) * (s->kind.single ? 0x1p-24 : 0x1p-53) * most);
}

static double run(void *state, int times)
{
    transform *s = state;
    double start = bench_now();
    for (int i = 0; i < times; i++) {
        KN_SCOPE;
        kn_array y;
        kn_call(s->f, &y, &s->x);
    }
    return bench_now() - start;
}

static int values(void *state, double *out)
{
    KN_SCOPE;
    transform *s = state;
    kn_array y;
    kn_call(s->f, &y, &s->x);
    return bench_picks(kn_abs(y), out, 4);
}

#define LENGTHS(ROW, dtype, D, kind)      \
    ROW(dtype, D, kind, 64, 64)           \
    ROW(dtype, D, kind, 256, 256)         \
    ROW(dtype, D, kind, 1024, 1024)       \
    ROW(dtype, D, kind, 4096, 4096)       \
    ROW(dtype, D, kind, 16384, 16384)     \
    ROW(dtype, D, kind, 65536, 65536)     \
    ROW(dtype, D, kind, 262144, 262144)   \
    ROW(dtype, D, kind, 1048576, 1048576) \
    ROW(dtype, D, kind, 4194304, 4194304) \
    ROW(dtype, D, kind, 1000000, 1000000) \
    ROW(dtype, D, kind, 997, 997) ROW(dtype, D, kind, 1018081, 1018081) ROW(dtype, D, kind, rows, 1024, 1024)
#define COMPLEX(ROW, dtype, D) LENGTHS(ROW, dtype, D, lines) ROW(dtype, D, matrix, matrix, 1024, 1024)
#define REAL(ROW, dtype, D)    LENGTHS(ROW, dtype, D, real_lines) ROW(dtype, D, real_matrix, matrix, 1024, 1024)
#define ALL(ROW)               COMPLEX(ROW, c64, KN_C64) COMPLEX(ROW, c128, KN_C128) REAL(ROW, f32, KN_F32) REAL(ROW, f64, KN_F64)

#define SETUP(dtype, D, kind, label, ...)                                                \
    static void *setup_##dtype##_##label(void)                                           \
    {                                                                                    \
        return setup(KN_SHAPE(__VA_ARGS__), D, kn_jit(KN_FN(kind)), (#label)[0] == 'm'); \
    }
ALL(SETUP)

#define LIBRARIES(T, threads_)                                               \
    {.name = "fftw " T, .run = run_fftw, .threads = threads_, .peer = true}, \
    {                                                                        \
        .name = "mkl " T, .run = run_mkl, .threads = threads_, .peer = true  \
    }
#define ROW(dtype, D, kind, label, ...) \
    {.name = "fft_" #dtype "_" #label,  \
     .unit = "us",                      \
     .threads = 2,                      \
     .ask = ASK_ALL,                    \
     .tolerance = 1e-4,                 \
     .setup = setup_##dtype##_##label,  \
     .run = run,                        \
     .values = values,                  \
     .teardown = teardown,              \
     .differs = differs,                \
     .ratio = 1,                        \
     .other = {LIBRARIES("1T", 1), LIBRARIES("2T", 2)}},
const bench_case bench_transforms[] = {ALL(ROW){0}};
