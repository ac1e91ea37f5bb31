/* SPDX-License-Identifier: Apache-2.0
 * test_prepared.c -- prepared functions: their values, their checks, that running one asks nobody for anything, and
 * how much memory functions need. */
#include "support/expect.h"
#include "support/group.h"
#include "base/memory.h"
#include <fenv.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if !defined(SANITIZED) && defined(__GLIBC__)
#define COUNTS_CALLS 1
#endif

/* ---- Who asks for memory. */

static atomic_int asked;

#ifdef COUNTS_CALLS
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t alignment, size_t n);
void __libc_free(void *p);
void *malloc(size_t n)
{
    atomic_fetch_add(&asked, 1);
    return __libc_malloc(n);
}
void *calloc(size_t n, size_t size)
{
    atomic_fetch_add(&asked, 1);
    return __libc_calloc(n, size);
}
void *realloc(void *p, size_t n)
{
    atomic_fetch_add(&asked, 1);
    return __libc_realloc(p, n);
}
int posix_memalign(void **p, size_t alignment, size_t n)
{
    atomic_fetch_add(&asked, 1);
    *p = __libc_memalign(alignment, n);
    return *p ? 0 : 12;
}
void free(void *p)
{
    atomic_fetch_add(&asked, 1);
    __libc_free(p);
}
#endif

static void *workspace_for(kn_prepared p)
{
    size_t bytes = (kn_prepared_workspace_bytes)(p);
    return aligned_alloc(64, bytes ? bytes : 64);
}

/* ---- Functions. */

typedef struct Pair {
    kn_array a, b;
} Pair;
typedef struct Four {
    kn_array x, twice, again, ones;
} Four;

static kn_array scaled(const kn_array *x) { return kn_add(kn_mul(*x, 2), 1); }
static Pair both(const kn_array *x, const kn_array *y) { return (Pair){kn_sum(kn_add(*x, *y)), kn_matmul(*x, *y)}; }
static kn_array weighted(const kn_array *w, const kn_array *x) { return kn_mul(*w, *x); }
static kn_array root(const kn_array *x) { return kn_linalg_cholesky(*x); }
static kn_array sum_of(const kn_array *x) { return kn_sum(*x); }
static kn_array shown(const kn_array *x)
{
    kn_debug_print("{}", *x);
    return kn_neg(*x);
}
static Four same(const kn_array *x)
{
    kn_array y = kn_mul(*x, 2);
    return (Four){*x, y, y, kn_ones(KN_SHAPE(3), .dtype = KN_F32)};
}
KN_FUNCTION(scaled, kn_array, kn_array)
KN_FUNCTION(both, Pair, kn_array, kn_array)
KN_CLOSURE(weighted, kn_array, kn_array, kn_array)
KN_FUNCTION(root, kn_array, kn_array)
KN_FUNCTION(sum_of, kn_array, kn_array)
KN_FUNCTION(shown, kn_array, kn_array)
KN_FUNCTION(same, Four, kn_array)

/* Routines alone. */
static kn_array spectrum(const kn_array *x) { return kn_fft_fft(*x); }
static kn_array real_spectrum(const kn_array *x) { return kn_fft_rfft(*x); }
static kn_array in_order(const kn_array *x) { return kn_sort(*x); }
KN_FUNCTION(spectrum, kn_array, kn_array)
KN_FUNCTION(real_spectrum, kn_array, kn_array)
KN_FUNCTION(in_order, kn_array, kn_array)

/* Temporaries, reductions, routines and a loop. */
static kn_array goes_on(const Pair *r) { return kn_less(r->a, 5); }
static Pair next_round(const Pair *r) { return (Pair){kn_add(r->a, 1), kn_nn_softmax(kn_matmul(r->b, r->b))}; }
KN_FUNCTION(goes_on, kn_array, Pair)
KN_FUNCTION(next_round, Pair, Pair)
static kn_array busy(const kn_array *x)
{
    Pair begin = {kn_scalar(0), *x}, end;
    kn_while_loop(KN_FN(goes_on), KN_FN(next_round), &end, &begin);
    return kn_sort(kn_cumsum(kn_add(end.b, kn_sum(kn_sin(*x)))));
}
KN_FUNCTION(busy, kn_array, kn_array)

/* ---- Values. */

static void it_gives_what_a_call_gives(void **state)
{
    (void)state;
    KN_SCOPE;
    const float x[] = {1, 2, 3, 4}, y[] = {5, 6, 7, 8};
    float sum = 0, product[4];
    kn_array a = kn_reshape(kn_of(float, 1, 1, 1, 1), KN_SHAPE(2, 2));
    kn_prepared p = kn_prepare(KN_FN(both), KN_ARGS(&a, &a), .threads = 1);
    assert_non_null(p);
    assert_int_equal(kn_prepared_n_in(p), 2);
    assert_int_equal(kn_prepared_n_out(p), 2);
    kn_prepared_array in = kn_prepared_in(p, 1), out = kn_prepared_out(p, 0);
    assert_true(in.dtype == KN_F32 && in.shape.ndim == 2 && in.shape.dim[1] == 2 && in.bytes == 16);
    assert_true(out.dtype == KN_F32 && out.shape.ndim == 0 && out.bytes == 4);
    assert_null(kn_prepared_in(p, 2).dtype);
    assert_null(kn_prepared_out(p, -1).dtype);
    void *w = workspace_for(p);
    assert_int_equal(kn_prepared_run(p, (const void *[]){x, y}, (void *[]){&sum, product}, w), 0);
    assert_true(sum == 36 && product[0] == 19 && product[1] == 22 && product[2] == 43 && product[3] == 50);
    free(w);
    kn_prepared_free(p);
    kn_prepared_free(NULL);
}

static void transformed_functions_can_be_prepared(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_of(double, 1, 2, 3);
    kn_fn f[] = {kn_grad(KN_FN(sum_of)), kn_jit(kn_vmap(KN_FN(scaled))), KN_FN(scaled)};
    const double want[3][3] = {{1, 1, 1}, {11, 13, 15}, {11, 13, 15}};
    for (int i = 0; i < 3; i++) {
        double x[] = {5, 6, 7}, y[3];
        kn_prepared p = kn_prepare(f[i], KN_ARGS(&a));
        void *w = workspace_for(p);
        assert_int_equal(kn_prepared_run(p, (const void *[]){x}, (void *[]){y}, w), 0);
        assert_memory_equal(y, want[i], sizeof y);
        free(w);
        kn_prepared_free(p);
    }
}

static void results_may_be_the_same_or_an_argument(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_of(float, 1, 2, 3);
    kn_prepared p = kn_prepare(KN_FN(same), KN_ARGS(&a));
    float x[] = {4, 5, 6}, y[4][3];
    void *w = workspace_for(p);
    assert_int_equal(kn_prepared_run(p, (const void *[]){x}, (void *[]){y[0], y[1], y[2], y[3]}, w), 0);
    assert_memory_equal(y, ((float[]){4, 5, 6, 8, 10, 12, 8, 10, 12, 1, 1, 1}), sizeof y);
    free(w);
    kn_prepared_free(p);
}

/* One that waits to run, the user's memory, and one that is written to afterwards. */
static void captured_arrays_keep_their_values(void **state)
{
    (void)state;
    KN_SCOPE;
    float memory[] = {10, 20, 30};
    kn_array a = kn_of(float, 1, 2, 3);
    kn_array w[] = {kn_add(kn_of(float, 9, 18, 27), a), kn_wrap(memory, KN_SHAPE(3), KN_F32), kn_of(float, 10, 20, 30)};
    float x[] = {1, 2, 3}, y[3];
    for (int i = 0; i < 3; i++) {
        kn_prepared p = kn_prepare(KN_CLOSE(weighted, &w[i]), KN_ARGS(&a));
        assert_int_equal(kn_prepared_n_in(p), 1);
        memory[0] = i == 1 ? 99 : 10;
        if (i == 2)
            kn_set_at(w[i], 0, "0");
        void *room = workspace_for(p);
        assert_int_equal(kn_prepared_run(p, (const void *[]){x}, (void *[]){y}, room), 0);
        assert_memory_equal(y, ((float[]){10, 40, 90}), sizeof y);
        free(room);
        kn_prepared_free(p);
    }
}

/* ---- What goes wrong. */

static void bad_pointers_are_refused(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_of(double, 1, 2, 3);
    kn_prepared p = kn_prepare(KN_FN(same), KN_ARGS(&a));
    double x[8] = {0}, y[8], z[8], t[8];
    float o[3];
    char *w = workspace_for(p);
    const void *in[] = {x};
    void *out[] = {y, z, t, o};
    assert_int_equal(kn_prepared_run(p, in, out, w), 0);
    assert_int_equal(kn_prepared_run(NULL, in, out, w), -1);
    expect_error("TypeError", "prepared_run: null function");
    assert_int_equal(kn_prepared_run(p, NULL, out, w), -1);
    expect_error("TypeError", "prepared_run: null list of addresses");
    assert_int_equal(kn_prepared_run(p, (const void *[]){NULL}, out, w), -1);
    expect_error("TypeError", "prepared_run: the address of argument 0 is null");
    assert_int_equal(kn_prepared_run(p, (const void *[]){(char *)x + 4}, out, w), -1);
    expect_error("ValueError", "prepared_run: the address of argument 0 is not aligned as its dtype wants it");
    assert_int_equal(kn_prepared_run(p, in, (void *[]){y, NULL, t, o}, w), -1);
    expect_error("TypeError", "prepared_run: the address of result 1 is null");
    assert_int_equal(kn_prepared_run(p, in, (void *[]){y, z, t, (char *)o + 1}, w), -1);
    expect_error("ValueError", "prepared_run: the address of result 3 is not aligned as its dtype wants it");
    assert_int_equal(kn_prepared_run(p, in, (void *[]){x + 2, z, t, o}, w), -1);
    expect_error("ValueError", "prepared_run: result 0 overlaps argument 0");
    assert_int_equal(kn_prepared_run(p, in, (void *[]){y, y + 2, t, o}, w), -1);
    expect_error("ValueError", "prepared_run: result 1 overlaps result 0");
    free(w);
    kn_prepared_free(p);
    a = kn_reshape(kn_arange(0, 16, 1, .dtype = KN_F64), KN_SHAPE(4, 4));
    p = kn_prepare(KN_FN(busy), KN_ARGS(&a));
    w = workspace_for(p);
    double m[16] = {0}, r[16];
    assert_int_equal(kn_prepared_run(p, (const void *[]){m}, (void *[]){r}, NULL), -1);
    expect_error("TypeError", "prepared_run: the workspace is null");
    assert_int_equal(kn_prepared_run(p, (const void *[]){m}, (void *[]){r}, w + 8), -1);
    expect_error("ValueError", "prepared_run: the workspace is not aligned to 64 bytes");
    assert_int_equal(kn_prepared_run(p, (const void *[]){m}, (void *[]){w}, w), -1);
    expect_error("ValueError", "prepared_run: result 0 overlaps the workspace");
    assert_int_equal(kn_prepared_run(p, (const void *[]){w}, (void *[]){r}, w), -1);
    expect_error("ValueError", "prepared_run: argument 0 overlaps the workspace");
    free(w);
    kn_prepared_free(p);
}

static void errors_come_out(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_reshape(kn_of(double, 1, 0, 0, 1), KN_SHAPE(2, 2));
    kn_prepared p = kn_prepare(KN_FN(root), KN_ARGS(&a));
    double good[] = {4, 0, 0, 9}, bad[] = {-1, 0, 0, 1}, y[4];
    void *w = workspace_for(p);
    assert_int_equal(kn_prepared_run(p, (const void *[]){bad}, (void *[]){y}, w), -1);
    assert_string_equal(kn_error_kind_name(), "LinAlgError");
    kn_error_clear();
    assert_int_equal(kn_prepared_run(p, (const void *[]){good}, (void *[]){y}, w), 0);
    assert_true(y[0] == 2 && y[1] == 0 && y[2] == 0 && y[3] == 3);
    free(w);
    kn_prepared_free(p);
}

static void what_cannot_be_prepared(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_of(double, 1, 2, 3);
    assert_null(kn_prepare(KN_FN(shown), KN_ARGS(&a)));
    expect_error("ValueError", "prepare: shown calls back into the user's code, which needs a context");
    assert_null(kn_prepare(KN_FN(scaled), KN_ARGS(&a), .threads = -1));
    expect_error("ValueError", "prepare: -1 threads");
    assert_null(kn_prepare(KN_FN(scaled), KN_ARGS(&a, &a)));
    expect_error("TypeError", "prepare: takes 1 argument, but was given 2");
    assert_null((kn_prepare)(KN_FN(scaled), NULL, NULL));
    expect_error("TypeError", "prepare: the arguments are null");
    assert_null(kn_prepare(NULL, KN_ARGS(&a)));
    expect_error_with("TypeError", "null");
}

/* ---- Nobody is asked for anything. */

typedef struct Job {
    kn_prepared p;
    double x[64], y[64];
    void *w;
} Job;

static Job busy_job(int threads)
{
    kn_array a = kn_reshape(kn_arange(0, 64, 1, .dtype = KN_F64), KN_SHAPE(8, 8));
    Job j = {.p = kn_prepare(KN_FN(busy), KN_ARGS(&a), .threads = threads)};
    assert_non_null(j.p);
    for (int i = 0; i < 64; i++)
        j.x[i] = (double)i / 7 - 3;
    j.w = workspace_for(j.p);
    return j;
}

static int run_thousand(Job *j)
{
    int bad = 0;
    for (int i = 0; i < 1000; i++)
        bad |= kn_prepared_run(j->p, (const void *[]){j->x}, (void *[]){j->y}, j->w);
    return bad;
}

static void end_job(Job *j)
{
    free(j->w);
    kn_prepared_free(j->p);
}

static void a_run_allocates_nothing(void **state)
{
    (void)state;
#ifndef COUNTS_CALLS
    skip();
#endif
    KN_SCOPE;
    Job j = busy_job(1);
    int64_t blocks = knx_alloc_count();
    int before = atomic_load(&asked);
    assert_true(before > 0);
    assert_int_equal(run_thousand(&j), 0);
    assert_int_equal(atomic_load(&asked), before);
    assert_int_equal(knx_alloc_count(), blocks);
    end_job(&j);
}

#if defined(__linux__) && !defined(SANITIZED)
/* In a child that may read, write and end, and nothing else. */
static bool survives(Job *j, bool forbidden)
{
    pid_t child = fork();
    if (child == 0) {
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
            syscall(SYS_exit, 3);
        int bad = run_thousand(j);
        if (forbidden)
            syscall(SYS_getppid);
        syscall(SYS_exit, bad ? 1 : 0);
    }
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
#endif

/* One call of a routine: as a call gives it, and without asking for memory. */
static void a_routine_alone_allocates_nothing(void **state)
{
    (void)state;
    KN_SCOPE;
    static const kn_shape shapes[] = {{1, {64}}, {1, {1000}}, {1, {5000}}, {2, {3, 64}}};
    const kn_fn functions[] = {KN_FN(spectrum), KN_FN(real_spectrum), KN_FN(in_order)};
    for (int i = 0; i < 12; i++) {
        KN_SCOPE;
        kn_shape shape = shapes[i % 4];
        int64_t n = shape.dim[0] * (shape.ndim > 1 ? shape.dim[1] : 1);
        kn_array x =
            kn_astype(kn_reshape(kn_sin(kn_arange(0, n, 1, .dtype = KN_F64)), shape), i < 4 ? KN_C128 : KN_F64);
        kn_array want;
        kn_call(functions[i / 4], &want, &x);
        want = kn_copy(want), x = kn_copy(x);
        kn_prepared p = kn_prepare(functions[i / 4], KN_ARGS(&x), .threads = 1);
        void *w = workspace_for(p), *y = malloc((size_t)kn_nbytes(want));
        const void *from = kn_data_bytes(x, kn_dtype_of(x));
        int64_t blocks = knx_alloc_count();
        assert_int_equal(kn_prepared_run(p, &from, &y, w), 0);
        assert_int_equal(knx_alloc_count(), blocks);
        assert_memory_equal(y, kn_data_bytes(want, kn_dtype_of(want)), (size_t)kn_nbytes(want));
        free(w), free(y);
        kn_prepared_free(p);
    }
}

static void a_run_calls_no_system(void **state)
{
    (void)state;
#if !defined(__linux__) || defined(SANITIZED)
    skip();
#else
    if (getenv("KILN_TEST_EMULATOR")) /* it lets everything through */
        skip();
    KN_SCOPE;
    Job j = busy_job(1);
    int allowed = -1;
    pid_t child = fork();
    if (child == 0)
        syscall(SYS_exit, prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) ? 1 : 0);
    waitpid(child, &allowed, 0);
    bool can = WIFEXITED(allowed) && WEXITSTATUS(allowed) == 0;
    if (can) {
        assert_false(survives(&j, true)); /* the filter works */
        assert_true(survives(&j, false));
    }
    end_job(&j);
    if (!can)
        skip();
#endif
}

/* ---- Threads. */

static void *runs_it(void *env)
{
    Job mine = *(Job *)env;
    mine.w = workspace_for(mine.p);
    intptr_t bad = run_thousand(&mine);
    if (memcmp(mine.y, ((Job *)env)->y, sizeof mine.y))
        bad = 1;
    free(mine.w);
    return (void *)bad;
}

/* The floating-point environment is looked at in the first call of a thread, and for as long as it is not the usual one:
 * what was set before it changes nothing, and is there afterwards. */
typedef struct rounding {
    kn_prepared p;
    void *workspace;
    int before, after;
    double usual, odd[2];
} rounding;

static void *calls_with_rounding(void *env)
{
    rounding *r = env;
    double x = 1;
    const void *in[] = {&x};
    fesetround(r->before);
    for (int i = 0; i < 2; i++)
        kn_prepared_run(r->p, in, (void *[]){&r->odd[i]}, r->workspace);
    r->after = fegetround();
    fesetround(FE_TONEAREST);
    kn_prepared_run(r->p, in, (void *[]){&r->usual}, r->workspace);
    return NULL;
}

static kn_array tenth(const kn_array *x) { return kn_div(*x, 10.0); }
KN_FUNCTION(tenth, kn_array, kn_array)

static void a_new_thread_is_looked_at(void **state)
{
    (void)state;
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST};
    KN_SCOPE;
    kn_array example = kn_zeros(KN_SHAPE(1), .dtype = KN_F64);
    kn_prepared p = kn_prepare(KN_FN(tenth), KN_ARGS(&example), .threads = 1);
    assert_non_null(p);
    void *workspace = aligned_alloc(64, kn_prepared_workspace_bytes(p) + 64);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        rounding r = {.p = p, .workspace = workspace, .before = modes[i]};
        pthread_t t;
        assert_int_equal(pthread_create(&t, NULL, calls_with_rounding, &r), 0);
        pthread_join(t, NULL);
        assert_int_equal(r.after, modes[i]);
        assert_true(r.odd[0] == 0.1 && r.odd[1] == 0.1 && r.usual == 0.1);
    }
    free(workspace);
    kn_prepared_free(p);
}

static void several_threads_may_run_one(void **state)
{
    (void)state;
    KN_SCOPE;
    Job j = busy_job(0);
    assert_int_equal(run_thousand(&j), 0);
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&t[i], NULL, runs_it, &j), 0);
    for (int i = 0; i < 4; i++) {
        void *bad;
        pthread_join(t[i], &bad);
        assert_null(bad);
    }
    end_job(&j);
}

static void the_number_of_threads_changes_no_bits(void **state)
{
    (void)state;
    enum { N = 300000 };
    KN_SCOPE;
    kn_array a = kn_zeros(KN_SHAPE(N), .dtype = KN_F32);
    float *x = malloc(N * sizeof *x), one = 0, many = 0;
    for (int i = 0; i < N; i++)
        x[i] = (float)(i % 1000) * 0.37f;
    for (int threads = 1; threads <= 8; threads++) {
        kn_prepared p = kn_prepare(KN_FN(sum_of), KN_ARGS(&a), .threads = threads);
        void *w = workspace_for(p);
        assert_int_equal(kn_prepared_run(p, (const void *[]){x}, (void *[]){threads == 1 ? &one : &many}, w), 0);
        assert_true(threads == 1 || one == many);
        free(w);
        kn_prepared_free(p);
    }
    free(x);
}

/* ---- Extents up to a bound. */

static kn_array attention(const kn_array *x, const kn_array *w)
{
    kn_array scores = kn_nn_softmax(kn_matmul(kn_matmul(*x, *w), kn_transpose(*x)));
    return kn_matmul(kn_cumsum(scores, KN_AXIS(0)), *x);
}
KN_FUNCTION(attention, kn_array, kn_array, kn_array)

enum { BOUND = 24, WIDTH = 8 };

static kn_prepared attention_up_to_bound(void)
{
    kn_array x = kn_zeros(KN_SHAPE(3, WIDTH), .dtype = KN_F32), w = kn_zeros(KN_SHAPE(WIDTH, WIDTH), .dtype = KN_F32);
    kn_prepared p =
        kn_prepare(KN_FN(attention), KN_ARGS(&x, &w), .threads = 1, .symbolic = "b 8, 8 8", .constraints = "b <= 24");
    assert_non_null(p);
    return p;
}

static void fill(float *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = (float)(i * 37 % 101) * 0.01f - 0.5f;
}

static void extents_are_arguments(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_prepared p = attention_up_to_bound();
    assert_int_equal(kn_prepared_in(p, 0).bytes, BOUND * WIDTH * 4);
    assert_int_equal(kn_prepared_out(p, 0).shape.dim[0], BOUND);
    float x[BOUND * WIDTH], w[WIDTH * WIDTH], y[BOUND * WIDTH + 1];
    fill(x, BOUND * WIDTH);
    fill(w, WIDTH * WIDTH);
    void *room = workspace_for(p);
    for (int64_t b = 1; b <= BOUND; b++) {
        KN_SCOPE;
        kn_prepared q = kn_prepared_for(p, &b);
        assert_true(kn_prepared_workspace_bytes(q) <= kn_prepared_workspace_bytes(p));
        assert_int_equal(kn_prepared_out(q, 0).shape.dim[0], b);
        y[b * WIDTH] = 77;
        assert_int_equal(kn_prepared_run(q, (const void *[]){x, w}, (void *[]){y}, room), 0);
        kn_array a = kn_from(x, KN_SHAPE(b, WIDTH)), m = kn_from(w, KN_SHAPE(WIDTH, WIDTH)), z;
        kn_call(kn_jit(KN_FN(attention)), &z, &a, &m);
        assert_memory_equal(kn_data(z, float), y, (size_t)b * WIDTH * 4);
        assert_true(y[b * WIDTH] == 77);
    }
    free(room);
    kn_prepared_free(p);
}

static kn_array flat(const kn_array *x) { return kn_ravel(kn_mul(*x, 2)); }
KN_FUNCTION(flat, kn_array, kn_array)

static void several_extents_with_constraints(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array example = kn_zeros(KN_SHAPE(2, 4), .dtype = KN_F64);
    kn_prepared p =
        kn_prepare(KN_FN(flat), KN_ARGS(&example), .symbolic = "b t", .constraints = "b <= 5; t <= 8; mod(t, 4) == 0");
    double x[40], y[40];
    for (int i = 0; i < 40; i++)
        x[i] = i;
    void *room = workspace_for(p);
    for (int64_t b = 1; b <= 5; b++)
        for (int64_t t = 4; t <= 8; t += 4) {
            kn_prepared q = kn_prepared_for(p, (int64_t[]){b, t});
            assert_int_equal(kn_prepared_out(q, 0).shape.dim[0], b * t);
            assert_int_equal(kn_prepared_run(q, (const void *[]){x}, (void *[]){y}, room), 0);
            assert_true(y[b * t - 1] == 2 * (double)(b * t - 1));
        }
    assert_null(kn_prepared_for(p, (int64_t[]){2, 3}));
    expect_error("ValueError", "prepared_for: a constraint of dimensions does not hold for b = 2, t = 3");
    assert_null(kn_prepared_for(p, (int64_t[]){6, 4}));
    expect_error("ValueError", "prepared_for: b is 6, and may be 1 to 5");
    assert_null(kn_prepared_for(p, (int64_t[]){1, INT64_MIN}));
    expect_error("ValueError", "prepared_for: t is -9223372036854775808, and may be 1 to 8");
    assert_null(kn_prepared_for(p, NULL));
    expect_error("TypeError", "prepared_for: null extents");
    assert_null(kn_prepared_for(NULL, (int64_t[]){1}));
    expect_error("TypeError", "prepared_for: null function");
    assert_int_equal(kn_prepared_run(p, (const void *[]){x}, (void *[]){y}, room), -1);
    expect_error_with("ValueError", "a function of extents is run for some");
    kn_prepared_free(kn_prepared_for(p, (int64_t[]){1, 4}));
    expect_error_with("ValueError", "prepared_free: it belongs to a function of extents");
    free(room);
    kn_prepared_free(p);
}

static void a_variable_that_constraints_name_alone(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array example = kn_zeros(KN_SHAPE(8, 1), .dtype = KN_F64);
    kn_prepared p = kn_prepare(KN_FN(flat), KN_ARGS(&example), .symbolic = "b t",
                               .constraints = "4*c == b; b <= 12; t <= 2; c >= 2");
    assert_non_null(p);
    for (int64_t b = 1; b <= 12; b++) {
        kn_prepared q = kn_prepared_for(p, (int64_t[]){b, 2});
        if (b == 8 || b == 12)
            assert_int_equal(kn_prepared_out(q, 0).shape.dim[0], b * 2);
        else
            expect_error_with("ValueError", b < 4 ? "b is" : "a constraint of dimensions does not hold");
    }
    kn_prepared_free(p);
}

static void extents_need_bounds(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_zeros(KN_SHAPE(2, 4)), none = kn_zeros(KN_SHAPE(0, 4));
    assert_null(kn_prepare(KN_FN(flat), KN_ARGS(&x), .symbolic = "b 4"));
    expect_error_with("ValueError", "the dimension variable b needs an upper bound among .constraints: b <= 64");
    assert_null(kn_prepare(KN_FN(flat), KN_ARGS(&x), .symbolic = "b t", .constraints = "b <= 300; t <= 300"));
    expect_error_with("ValueError", "more than 65536 sets of extents");
    assert_null(kn_prepare(KN_FN(flat), KN_ARGS(&x), .constraints = "b <= 300"));
    expect_error_with("ValueError", ".constraints are of dimension variables, which .symbolic names");
    assert_null(kn_prepare(KN_FN(flat), KN_ARGS(&x), .symbolic = "b 5", .constraints = "b <= 3"));
    expect_error_with("ValueError", "is not 5");
    assert_null(kn_prepare(KN_FN(flat), KN_ARGS(&none), .symbolic = "b 4", .constraints = "b <= 3"));
    expect_error_with("ValueError", "the dimension variable b is 0, and has to be at least 1");
    kn_prepared p = kn_prepare(KN_FN(flat), KN_ARGS(&x)); /* without variables it is the function for all */
    assert_ptr_equal(kn_prepared_for(p, (int64_t[]){7}), p);
    kn_prepared_free(p);
}

static void choosing_extents_allocates_nothing(void **state)
{
    (void)state;
#ifndef COUNTS_CALLS
    skip();
#endif
    KN_SCOPE;
    kn_prepared p = attention_up_to_bound();
    float x[BOUND * WIDTH], w[WIDTH * WIDTH], y[BOUND * WIDTH];
    fill(x, BOUND * WIDTH);
    fill(w, WIDTH * WIDTH);
    void *room = workspace_for(p);
    int64_t blocks = knx_alloc_count();
    int before = atomic_load(&asked), bad = 0;
    for (int64_t b = 1; b <= BOUND; b++)
        bad |= kn_prepared_run(kn_prepared_for(p, &b), (const void *[]){x, w}, (void *[]){y}, room);
    assert_int_equal(atomic_load(&asked), before);
    assert_int_equal(knx_alloc_count(), blocks);
    assert_int_equal(bad, 0);
    free(room);
    kn_prepared_free(p);
}

/* ---- How much memory a function needs. */

static void the_peak_is_known(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array a = kn_zeros(KN_SHAPE(1000), .dtype = KN_F32), m = kn_zeros(KN_SHAPE(20, 20), .dtype = KN_F64);
    kn_prepared p = kn_prepare(KN_FN(scaled), KN_ARGS(&a), .threads = 1), q = kn_prepare(KN_FN(busy), KN_ARGS(&m));
    assert_int_equal(kn_fn_peak_bytes(KN_FN(scaled), KN_ARGS(&a), 1), 8000 + kn_prepared_workspace_bytes(p));
    assert_int_equal(kn_fn_peak_bytes(kn_jit(KN_FN(busy)), KN_ARGS(&m), 0), 6400 + kn_prepared_workspace_bytes(q));
    kn_array w = kn_ones(KN_SHAPE(1000), .dtype = KN_F32);
    assert_true(kn_fn_peak_bytes(KN_CLOSE(weighted, &w), KN_ARGS(&a), 1) >= 12000); /* what is captured counts */
    assert_int_equal(kn_fn_peak_bytes(KN_FN(scaled), KN_ARGS(&a), -1), 0);
    expect_error("ValueError", "fn_peak_bytes: -1 threads");
    kn_prepared_free(p);
    kn_prepared_free(q);
}

KN_TEST_GROUP(test_prepared)
{
    const struct CMUnitTest tests[] = {
        TEST(it_gives_what_a_call_gives),
        TEST(transformed_functions_can_be_prepared),
        TEST(results_may_be_the_same_or_an_argument),
        TEST(captured_arrays_keep_their_values),
        TEST(bad_pointers_are_refused),
        TEST(errors_come_out),
        TEST(what_cannot_be_prepared),
        TEST(a_run_allocates_nothing),
        TEST(a_routine_alone_allocates_nothing),
        TEST(a_run_calls_no_system),
        TEST(several_threads_may_run_one),
        TEST(a_new_thread_is_looked_at),
        TEST(the_number_of_threads_changes_no_bits),
        TEST(extents_are_arguments),
        TEST(several_extents_with_constraints),
        TEST(a_variable_that_constraints_name_alone),
        TEST(extents_need_bounds),
        TEST(choosing_extents_allocates_nothing),
        TEST(the_peak_is_known),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? failed : kn_shutdown();
}
