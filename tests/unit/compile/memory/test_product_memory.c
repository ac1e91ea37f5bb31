/* SPDX-License-Identifier: Apache-2.0
 * test_product_memory.c -- how much memory products, convolutions and attention need: a run takes as much as was said
 * before, touches nothing around its workspace, and reads nothing there that it has not written. */
#include "support/expect.h"
#include "support/group.h"
#include "support/sweep.h"
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct {
    kn_array a, b, c;
} Three;

/* ---- Functions of three arrays. */

static kn_array product(const Three *x) { return kn_matmul(x->a, x->b); }
static kn_array turned(const Three *x) { return kn_matmul(kn_matrix_transpose(x->a), kn_matrix_transpose(x->b)); }
static kn_array dense(const Three *x) { return kn_nn_relu(kn_add(kn_matmul(kn_mul(x->a, 0.5), x->b), x->c)); }
static kn_array chain(const Three *x) { return kn_matmul(kn_tanh(kn_matmul(x->a, x->b)), x->c); }
static kn_array attend(const Three *x)
{
    kn_array p = kn_nn_softmax(kn_mul(kn_matmul(x->a, kn_matrix_transpose(x->b)), 0.125), .axis = KN_AXIS(-1));
    return kn_matmul(p, x->c);
}
static kn_array convolve(const Three *x)
{
    kn_array y = kn_lax_conv_general_dilated(x->a, x->b, KN_SHAPE(1, 1), KN_SAME,
                                             .dimension_numbers = {.lhs = "NHWC", .rhs = "HWIO", .out = "NHWC"});
    return kn_nn_relu(kn_add(y, x->c));
}
static kn_array strided(const Three *x)
{
    return kn_lax_conv_general_dilated(x->a, x->b, KN_SHAPE(2, 2), KN_PADS({1, 0}, {2, 2}),
                                       .lhs_dilation = &KN_SHAPE(1, 2));
}
static kn_array sum_product(const Three *x) { return kn_sum(kn_mul(product(x), x->c)); }
static kn_array sum_chain(const Three *x) { return kn_sum(kn_sin(chain(x))); }
static kn_array sum_attend(const Three *x) { return kn_sum(kn_sin(attend(x))); }
static kn_array sum_convolve(const Three *x) { return kn_sum(kn_sin(convolve(x))); }
KN_FUNCTION(product, kn_array, Three)
KN_FUNCTION(turned, kn_array, Three)
KN_FUNCTION(dense, kn_array, Three)
KN_FUNCTION(chain, kn_array, Three)
KN_FUNCTION(attend, kn_array, Three)
KN_FUNCTION(convolve, kn_array, Three)
KN_FUNCTION(strided, kn_array, Three)
KN_FUNCTION(sum_product, kn_array, Three)
KN_FUNCTION(sum_chain, kn_array, Three)
KN_FUNCTION(sum_attend, kn_array, Three)
KN_FUNCTION(sum_convolve, kn_array, Three)

typedef struct situation {
    const char *name;
    const kn_function *f;
    bool grad;
    int dtype;
    kn_shape a, b, c;
} situation;

#define S(...)                                 \
    {                                          \
        KN_COUNT(__VA_ARGS__), { __VA_ARGS__ } \
    }
static const situation all[] = {
    {"product", &kn_function_of_product, false, KN_ID_F32, S(130, 300), S(300, 77), S(1)},
    {"product f64", &kn_function_of_product, false, KN_ID_F64, S(61, 515), S(515, 90), S(1)},
    {"product bf16", &kn_function_of_product, false, KN_ID_BF16, S(70, 300), S(300, 130), S(1)},
    {"product c64", &kn_function_of_product, false, KN_ID_C64, S(40, 270), S(270, 33), S(1)},
    {"product i8", &kn_function_of_product, false, KN_ID_I8, S(100, 130), S(130, 100), S(1)},
    {"product bool", &kn_function_of_product, false, KN_ID_BOOL, S(50, 60), S(60, 50), S(1)},
    {"row", &kn_function_of_product, false, KN_ID_F32, S(1, 1000), S(1000, 700), S(1)},
    {"column", &kn_function_of_product, false, KN_ID_F32, S(700, 1000), S(1000, 1), S(1)},
    {"dot", &kn_function_of_product, false, KN_ID_F32, S(5000), S(5000), S(1)},
    {"batch", &kn_function_of_product, false, KN_ID_F32, S(64, 33, 40), S(64, 40, 21), S(1)},
    {"large", &kn_function_of_product, false, KN_ID_F32, S(500, 700), S(700, 600), S(1)},
    {"turned", &kn_function_of_turned, false, KN_ID_F32, S(300, 130), S(77, 300), S(1)},
    {"turned f16", &kn_function_of_turned, false, KN_ID_F16, S(300, 50), S(77, 300), S(1)},
    {"dense", &kn_function_of_dense, false, KN_ID_F32, S(64, 784), S(784, 200), S(200)},
    {"chain", &kn_function_of_chain, false, KN_ID_F32, S(200, 30), S(30, 150), S(150, 40)},
    {"attention", &kn_function_of_attend, false, KN_ID_F32, S(4, 300, 32), S(4, 280, 32), S(4, 280, 20)},
    {"attention, long", &kn_function_of_attend, false, KN_ID_F32, S(2, 1000, 16), S(2, 1000, 16), S(2, 1000, 16)},
    {"attention bf16", &kn_function_of_attend, false, KN_ID_BF16, S(2, 200, 16), S(2, 300, 16), S(2, 300, 16)},
    {"convolution", &kn_function_of_convolve, false, KN_ID_F32, S(2, 20, 21, 17), S(3, 3, 17, 33), S(33)},
    {"strided", &kn_function_of_strided, false, KN_ID_F32, S(2, 6, 20, 21), S(40, 6, 3, 4), S(1)},
    {"gradient of a product", &kn_function_of_sum_product, true, KN_ID_F32, S(130, 300), S(300, 77), S(130, 77)},
    {"gradient of a chain", &kn_function_of_sum_chain, true, KN_ID_F32, S(200, 30), S(30, 150), S(150, 40)},
    {"gradient of attention", &kn_function_of_sum_attend, true, KN_ID_F32, S(4, 300, 32), S(4, 280, 32), S(4, 280, 20)},
    {"gradient of long attention", &kn_function_of_sum_attend, true, KN_ID_F32, S(2, 1000, 16), S(2, 1000, 16),
     S(2, 1000, 16)},
    {"gradient of a convolution", &kn_function_of_sum_convolve, true, KN_ID_F32, S(2, 20, 21, 17), S(3, 3, 17, 33),
     S(33)},
};
enum { SITUATIONS = sizeof all / sizeof *all, MOST_THREADS = 3 };

static kn_fn function_of(const situation *s)
{
    kn_fn f = kn_fn_of(s->f, NULL);
    return s->grad ? kn_grad(f) : f;
}

static kn_array operand(kn_shape shape, kn_dtype d)
{
    char *p = sweep_elements(d, sweep_product(shape.ndim, shape.dim), 8, SWEEP_COMMON);
    kn_array x = sweep_array(p, &shape, d);
    free(p);
    return x;
}
static Three operands(const situation *s)
{
    kn_dtype d = kn_dtype_builtin(s->dtype);
    sweep_begin((uint64_t)(s - all) + 1);
    return (Three){operand(s->a, d), operand(s->b, d), operand(s->c, d)};
}

/* ---- How much a run takes. */

static struct {
    size_t now, most;
} counted;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *count_alloc(void *env, size_t bytes, size_t alignment)
{
    (void)env;
    void *p = aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    pthread_mutex_lock(&lock);
    counted.now += p ? bytes : 0;
    counted.most = counted.now > counted.most ? counted.now : counted.most;
    pthread_mutex_unlock(&lock);
    return p;
}
static void count_free(void *env, void *p, size_t bytes)
{
    (void)env;
    pthread_mutex_lock(&lock);
    counted.now -= p ? bytes : 0;
    pthread_mutex_unlock(&lock);
    free(p);
}

static void call(const situation *s, kn_fn f, const Three *x, Three *out)
{
    *out = (Three){0};
    if (s->grad)
        kn_call(f, out, x);
    else
        kn_call(f, &out->a, x);
}

/* Bytes of the allocator at most, while f runs: its operands, its results and everything between. */
static size_t taken(const situation *s, kn_fn f, const Three *x, int threads)
{
    Three y;
    KN_THREADS(threads);
    for (int i = 0; i < 2; i++) { /* the first time it is compiled */
        KN_SCOPE;
        counted.most = counted.now;
        call(s, f, x, &y);
    }
    return counted.most;
}

static void a_run_takes_as_much_memory_as_was_said(void **state)
{
    (void)state;
    int bad = 0;
    kn_context mine = kn_context_new(.allocator = {count_alloc, count_free, NULL});
    for (int i = 0; i < SITUATIONS; i++) {
        KN_CONTEXT(mine);
        KN_SCOPE;
        const situation *s = &all[i];
        Three x = operands(s);
        kn_fn f = function_of(s), fast = kn_jit(f);
        for (int threads = 1; threads <= MOST_THREADS; threads++) {
            size_t said = kn_fn_peak_bytes(f, KN_ARGS(&x), threads), most = taken(s, fast, &x, threads);
            /* heads of blocks, and sizes rounded to lines of the cache */
            bool good = most <= said + 4096 && said <= most + most / 50 + 8192;
            if (!good)
                fprintf(stderr, "%s, %d threads: %zu bytes were taken, %zu said\n", s->name, threads, most, said);
            bad += !good;
        }
    }
    assert_int_equal(kn_context_free(mine), 0);
    assert_int_equal(bad, 0);
}

/* ---- The workspace. */

/* Memory of `bytes` that ends (after less than 64 more) where nothing may be touched, as before it. */
static char *fenced(size_t bytes, char **all_of_it, size_t *size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), inner = (bytes + page - 1) / page * page;
    *size = inner + 2 * page;
    *all_of_it = mmap(NULL, *size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(*all_of_it != MAP_FAILED);
    assert_int_equal(inner && mprotect(*all_of_it + page, inner, PROT_READ | PROT_WRITE), 0);
    return *all_of_it + page + (inner - bytes) / 64 * 64;
}

static bool runs_within(const situation *s, int threads)
{
    KN_SCOPE;
    Three x = operands(s), y;
    const kn_array *in = &x.a, *out = &y.a;
    call(s, kn_jit(function_of(s)), &x, &y);
    kn_prepared p = kn_prepare(function_of(s), KN_ARGS(&x), .threads = threads);
    if (!p)
        return false;
    const void *from[3] = {0};
    void *to[3] = {0};
    bool good = true;
    for (int i = 0; i < kn_prepared_n_in(p); i++)
        from[i] = kn_data_bytes(in[i], kn_dtype_of(in[i]));
    for (int i = 0; i < kn_prepared_n_out(p); i++)
        to[i] = aligned_alloc(64, (kn_prepared_out(p, i).bytes + 63) / 64 * 64 + 64);
    size_t bytes = kn_prepared_workspace_bytes(p), size;
    char *around, *work = fenced(bytes, &around, &size);
    static const int filling[] = {0xff, 0, 0x7f};
    for (int k = 0; k < 3 && good; k++) {
        memset(work, filling[k], bytes);
        good = kn_prepared_run(p, from, to, bytes ? work : NULL) == 0;
        for (int i = 0; i < kn_prepared_n_out(p) && good; i++) {
            kn_dtype d = kn_dtype_of(out[i]);
            good = fold_differs(d, to[i], kn_data_bytes(out[i], d), kn_size(out[i])) < 0;
        }
        if (!good)
            fprintf(stderr, "%s, %d threads: other results with a workspace full of %#x\n", s->name, threads,
                    (unsigned)filling[k]);
    }
    for (int i = 0; i < 3; i++)
        free(to[i]);
    munmap(around, size);
    kn_prepared_free(p);
    return good;
}

static void the_workspace_is_written_before_it_is_read_and_nothing_around_it(void **state)
{
    (void)state;
    int bad = 0;
    for (int i = 0; i < SITUATIONS; i++)
        for (int threads = 1; threads <= MOST_THREADS; threads++)
            bad += !runs_within(&all[i], threads);
    expect_no_error();
    assert_int_equal(bad, 0);
}

/* Attention keeps no matrix of queries times keys: its memory grows with the length, not with its square. */
static void memory_of_attention_grows_with_the_length(void **state)
{
    (void)state;
    KN_SCOPE;
    for (int grad = 0; grad < 2; grad++) {
        kn_fn f = grad ? kn_grad(KN_FN(sum_attend)) : KN_FN(attend);
        size_t peak[2];
        for (int i = 0; i < 2; i++) {
            kn_array x = kn_zeros(KN_SHAPE(4, 1024 << i, 64), .dtype = KN_F32);
            Three t = {x, x, x};
            peak[i] = kn_fn_peak_bytes(f, KN_ARGS(&t), 2);
        }
        assert_true(peak[1] < peak[0] * 5 / 2);
    }
}

KN_TEST_GROUP(test_product_memory)
{
    const struct CMUnitTest tests[] = {
        TEST(a_run_takes_as_much_memory_as_was_said),
        TEST(the_workspace_is_written_before_it_is_read_and_nothing_around_it),
        TEST(memory_of_attention_grows_with_the_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
