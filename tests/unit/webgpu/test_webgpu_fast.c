/* SPDX-License-Identifier: Apache-2.0
 * test_webgpu_fast.c -- what a WebGPU device computes in fast mode: every elementwise function and its derivative, and
 * reductions, of special numbers and of numbers of all sizes, beside the host's results. How far apart they may be is
 * in fast.def and in determinism.md. With the argument "show" each function's largest distance is printed; a
 * function's name behind it: that one alone. */
#include "base/half.h"
#include "support/expect.h"
#include "support/group.h"
#include "support/webgpu_run.h"
#include <stdio.h>
#include <stdlib.h>

enum { MOST_OPERANDS = 3, RANDOM = 2500, CANNOT = 1000000000 };

typedef struct function {
    const char *name, *dtypes;
    int n;
    kn_array (*of)(const kn_array *x);
    double units, complex_units, slope;
    bool near_one;
} function;

#define A x[0]
#define B x[1]
#define C x[2]
#define FAST(name, dtypes, n, expression, units, complex_units, slope) \
    static kn_array fast_##name(const kn_array *x) { return expression; }
#include "fast.def"
#define FAST(name, dtypes, n, expression, units, complex_units, slope) \
    {#name, dtypes, n, fast_##name, units, complex_units, slope, false},
#define FAST_NEAR_ONE(name, dtypes, n, expression, units, complex_units, slope) \
    {#name, dtypes, n, fast_##name, units, complex_units, slope, true},
static const function functions[] = {
#include "fast.def"
};
#undef A
#undef B
#undef C
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static kng_gpu *g;
static bool show, flushes; /* subnormal numbers are zeros there */
static const char *chosen;

/* ---- operands ---- */

static const float special[] = {0,
                                -0.0f,
                                0x1p-149f,
                                -0x1p-149f,
                                0x1p-133f,
                                -0x1p-130f,
                                0x1p-126f,
                                -0x1p-126f,
                                0x1.fffffcp-127f,
                                INFINITY,
                                -INFINITY,
                                NAN,
                                0x1.fffffep127f,
                                -0x1.fffffep127f,
                                1,
                                -1,
                                2,
                                -2,
                                0.5f,
                                -0.5f,
                                3,
                                -3,
                                1e-30f,
                                -1e-30f,
                                1e30f,
                                -1e30f,
                                1e-10f,
                                1e10f,
                                -1e10f,
                                0x1.fffffep-1f,
                                0x1.000002p0f,
                                -0x1.fffffep-1f,
                                -0x1.000002p0f,
                                3.14159274f,
                                1.57079637f,
                                -1.57079637f,
                                88.7f,
                                -88.7f,
                                -103.9f,
                                17.9f,
                                18.1f,
                                -17.5f,
                                1e5f,
                                -1e5f,
                                16777216,
                                0.25f,
                                2.5f,
                                -2.5f,
                                10,
                                100,
                                -100};
enum { SPECIAL = sizeof special / sizeof *special };

static uint64_t state;
static uint64_t random64(void)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state >> 8;
}
static float between(double low, double high)
{
    return (float)(low + (high - low) * (double)(random64() & 0xffffff) * 0x1p-24);
}

/* A number near a multiple of 1/2 or of pi/4. */
static float near_kink(void)
{
    float f = (float)((int)(random64() % 17) - 8) * (random64() % 2 ? 0.5f : 0.785398185f);
    uint32_t u;
    memcpy(&u, &f, 4);
    u += f == 0 ? 0 : (uint32_t)(random64() % 9) - 4;
    memcpy(&f, &u, 4);
    return f;
}

static float any_number(void)
{
    switch (random64() % 10) {
    case 0: return special[random64() % SPECIAL];
    case 1:
    case 2: return between(-4, 4);
    case 3: return between(-20, 20);
    case 4: return between(-110, 110);
    case 5: return (float)((int)(random64() % 41) - 20) * 0.5f;
    case 6: return between(-1, 1);
    case 7: return near_kink();
    default: return (random64() % 2 ? 1.0f : -1.0f) * powf(10, between(-32, 32));
    }
}

static int64_t any_integer(size_t bytes)
{
    switch (random64() % 5) {
    case 0: return (int64_t)(random64() % 21) - 10;
    case 1: return 0;
    case 2: return (int64_t)((uint64_t)1 << (8 * bytes - 1));
    case 3: return -1;
    default: return (int64_t)(random64() << 20 ^ random64());
    }
}

/* Element i of operand k: all special numbers, all pairs of them (of complex numbers as their parts), then random ones. */
static float number_at(int n, int k, bool imag, int64_t i)
{
    if (i >= SPECIAL * SPECIAL || n > 2 || (imag && n > 1))
        return any_number();
    return special[k || imag ? i / SPECIAL : i % SPECIAL];
}

static int64_t count_of(const function *f) { return f->n > 2 ? 2 * RANDOM : SPECIAL * SPECIAL + RANDOM; }

static bool is_inexact(kn_dtype d) { return d == KN_F32 || d == KN_C64 || d == KN_F16 || d == KN_BF16; }

static kn_array operand(const function *f, int k, kn_dtype d)
{
    int64_t n = count_of(f);
    size_t bytes = kn_dtype_size(d);
    char *at = calloc((size_t)n, bytes);
    assert_non_null(at);
    bool floats = is_inexact(d) && d != KN_C64;
    float *number = calloc((size_t)n, 8);
    assert_non_null(number);
    for (int64_t i = 0; i < n; i++) {
        int64_t whole = d == KN_BOOL ? (int64_t)(random64() % 2) : any_integer(bytes);
        if (d == KN_C64)
            number[2 * i] = number_at(f->n, k, false, i), number[2 * i + 1] = number_at(f->n, k, true, i);
        else if (floats)
            number[i] = number_at(f->n, k, false, i);
        else
            memcpy(at + (size_t)i * bytes, &whole, bytes);
    }
    const kn_shape shape = {1, {n}};
    kn_array x = floats ? (kn_from_memory)(number, &shape, KN_F32)
                        : (kn_from_memory)(d == KN_C64 ? (char *)number : at, &shape, d);
    free(at);
    free(number);
    return floats ? kn_astype(x, d) : x;
}

/* ---- results ---- */

static int parts_of(kn_dtype d) { return d == KN_C64 ? 2 : 1; }

/* A part of element i of a float's or complex number's array. */
static double part_at(const void *from, kn_dtype d, int64_t i)
{
    if (d == KN_F32 || d == KN_C64)
        return ((const float *)from)[i];
    uint16_t h;
    memcpy(&h, (const char *)from + 2 * i, 2);
    return d == KN_F16 ? knx_f16_to_f32(h) : knx_bf16_to_f32(h);
}

static double unit_of(double x, kn_dtype d)
{
    int bits = d == KN_F16 ? 11 : d == KN_BF16 ? 8 : 24, least = d == KN_F16 ? -24 : d == KN_BF16 ? -133 : -149, e;
    if (x == 0 || !isfinite(x))
        return ldexp(1, least);
    frexp(x, &e);
    return ldexp(1, e - bits > least ? e - bits : least);
}

/* The largest number and one unit more stands for infinity, which a little error may make of it. */
static double or_more(double x, kn_dtype d) { return isinf(x) ? copysign(d == KN_F16 ? 65536 : 0x1p128, x) : x; }

/* How many units two numbers are apart; `size`: of what the units are, if it is larger. */
static double apart(double got, double want, double size, kn_dtype d)
{
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got) ? 0 : CANNOT;
    if (want == 0 && got == 0)
        return !signbit(want) == !signbit(got) ? 0 : CANNOT;
    if (want == got)
        return 0;
    double most = d == KN_F16 ? 65504 : 0x1.fffffep127, w = or_more(want, d),
           unit = unit_of(fmin(fmax(fabs(w), size), most), d);
    return fmin(fabs(or_more(got, d) - w) / unit, CANNOT);
}

/* Do drivers that flush subnormal numbers get by, with squares and inverses of it? */
static bool is_usual(double x) { return x == 0 || !isfinite(x) || (fabs(x) > 0x1p-60 && fabs(x) < 0x1p60); }

typedef struct results {
    kn_array host, far;
    const void *want, *got;
    kn_dtype d;
    int64_t n; /* elements */
} results;

static bool counts(const results *r, const kn_array *x, int n_operand, int64_t i)
{
    if (!flushes)
        return true;
    for (int k = 0; k < n_operand; k++) {
        kn_dtype d = kn_dtype_of(x[k]);
        if (!is_inexact(d))
            continue;
        const void *at = kn_data_bytes(x[k], d);
        for (int p = 0; p < parts_of(d); p++)
            if (!is_usual(part_at(at, d, i * parts_of(d) + p)))
                return false;
    }
    for (int p = 0; p < parts_of(r->d); p++) {
        double y = part_at(r->want, r->d, i * parts_of(r->d) + p);
        if (fabs(y) < 0x1p-110 || (r->d == KN_C64 && !isfinite(y))) /* a zero's sign may be that of a lost number */
            return false;
    }
    return true;
}

static double distance_at(const results *r, int64_t i, double size)
{
    double worst = 0;
    int parts = parts_of(r->d);
    bool all = true;
    if (!is_inexact(r->d)) {
        size_t bytes = kn_dtype_size(r->d);
        return memcmp((const char *)r->got + (size_t)i * bytes, (const char *)r->want + (size_t)i * bytes, bytes)
                   ? CANNOT
                   : 0;
    }
    for (int p = 0; p < parts; p++)
        all = all && isfinite(part_at(r->want, r->d, i * parts + p));
    if (parts == 2 && all)
        size = fmax(size, hypot(part_at(r->want, r->d, 2 * i), part_at(r->want, r->d, 2 * i + 1)));
    for (int p = 0; p < parts; p++)
        worst =
            fmax(worst, apart(part_at(r->got, r->d, i * parts + p), part_at(r->want, r->d, i * parts + p), size, r->d));
    return worst;
}

static void print_numbers(const void *at, kn_dtype d, int64_t i)
{
    for (int p = 0; p < parts_of(d); p++)
        print_message(" %.9g", is_inexact(d) ? part_at(at, d, i * parts_of(d) + p)
                                             : (double)((const uint8_t *)at)[(size_t)i * kn_dtype_size(d)]);
}

/* The element that is furthest from the host's; if that is too far, or all are shown, it is printed. */
static bool is_near(const char *name, const char *what, const results *r, const kn_array *x, int n_operand, double size,
                    double units)
{
    double worst = 0;
    int64_t at = 0;
    for (int64_t i = 0; i < r->n; i++) {
        double e = counts(r, x, n_operand, i) ? distance_at(r, i, size) : 0;
        if (e > worst)
            worst = e, at = i;
    }
    if (worst > units || show) {
        print_message("%s%s %s %s: %.3g units:", worst > units ? "WRONG " : "", name, what,
                      n_operand ? kn_dtype_name(kn_dtype_of(x[0])) : "", worst);
        for (int k = 0; k < n_operand; k++)
            print_numbers(kn_data_bytes(x[k], kn_dtype_of(x[k])), kn_dtype_of(x[k]), at);
        print_message(" is");
        print_numbers(r->got, r->d, at);
        print_message(", here");
        print_numbers(r->want, r->d, at);
        print_message("\n");
    }
    return worst <= units;
}

static kn_array there(kn_array x) { return kn_device_put(x, kn_find_device("webgpu:0")); }

static bool take(results *r, const char *name)
{
    kn_eval(r->host);
    kn_eval(r->far);
    r->far = kn_device_get(r->far);
    if (!kn_ok(r->host) || !kn_ok(r->far)) {
        print_message("WRONG %s: %s\n", name, kn_error_message());
        kn_error_clear();
        return false;
    }
    r->d = kn_dtype_of(r->host);
    r->n = kn_size(r->host);
    r->want = kn_data_bytes(r->host, r->d);
    r->got = kn_data_bytes(r->far, r->d);
    return kn_dtype_of(r->far) == r->d && kn_size(r->far) == r->n;
}

/* ---- functions ---- */

static bool check(const function *f, kn_dtype d)
{
    KN_SCOPE;
    kn_array x[MOST_OPERANDS], far[MOST_OPERANDS];
    double units = d == KN_C64 ? f->complex_units : d == KN_F32 ? f->units : f->units > 0;
    state = 88172645463325252u;
    for (int k = 0; k < f->n; k++) {
        x[k] = operand(f, k, d);
        kn_eval(x[k]);
        far[k] = there(x[k]);
    }
    results r = {.host = f->of(x), .far = f->of(far)};
    return take(&r, f->name) && is_near(f->name, "of", &r, x, f->n, f->near_one ? 1 : 0, units);
}

static void check_all(char letter, const kn_dtype *d, int n)
{
    int wrong = 0;
    for (int i = 0; i < FUNCTIONS; i++)
        if (strchr(functions[i].dtypes, letter) && (!chosen || strcmp(chosen, functions[i].name) == 0))
            for (int k = 0; k < n; k++)
                wrong += !check(&functions[i], d[k]);
    assert_int_equal(wrong, 0);
}

static void float32_is_near_the_hosts(void **test)
{
    (void)test;
    check_all('f', (const kn_dtype[]){KN_F32}, 1);
    check_all('F', (const kn_dtype[]){KN_F32}, 1);
}

static void halves_are_the_hosts_or_their_neighbours(void **test)
{
    (void)test;
    check_all('f', (const kn_dtype[]){KN_F16, KN_BF16}, 2);
}

static void complex64_is_near_the_hosts(void **test)
{
    (void)test;
    check_all('c', (const kn_dtype[]){KN_C64}, 1);
}

static void integers_and_bools_are_the_hosts(void **test)
{
    (void)test;
    check_all('i', (const kn_dtype[]){KN_I8, KN_I16, KN_I32, KN_I64, KN_U8, KN_U16, KN_U32, KN_U64}, 8);
    check_all('b', (const kn_dtype[]){KN_BOOL}, 1);
}

/* A power of complex numbers multiplies the logarithm's error by its exponent. */
static void complex_powers_lose_what_exponents_magnify(void **test)
{
    (void)test;
    KN_SCOPE;
    enum { N = 1000 };
    float *re_im = calloc(4 * N, sizeof *re_im);
    assert_non_null(re_im);
    state = 362436069;
    for (int i = 0; i < 4 * N; i++)
        re_im[i] = between(-4, 4);
    const kn_shape shape = {1, {N}};
    kn_array x[2] = {(kn_from_memory)(re_im, &shape, KN_C64), (kn_from_memory)(re_im + 2 * N, &shape, KN_C64)};
    free(re_im);
    results r = {.host = kn_power(x[0], x[1]), .far = kn_power(there(x[0]), there(x[1]))};
    assert_true(take(&r, "power"));
    assert_true(is_near("power", "of", &r, x, 2, 0, 64));
}

static void the_root_of_a_complex_number_has_both_parts(void **test)
{
    (void)test;
    KN_SCOPE;
    const float _Complex z[] = {3 + 4 * 1.0if, -3 - 4 * 1.0if, 5 + 12 * 1.0if};
    kn_array y = kn_sqrt(there(kn_from(z, KN_SHAPE(3))));
    expect_near(kn_real(y), 1e-6, 2, 1, 3);
    expect_near(kn_imag(y), 1e-6, 1, -2, 2);
}

/* ---- derivatives ---- */

typedef struct which {
    const function *f;
} which;

/* The operands are the rows of x. */
static kn_array total(const which *w, const kn_array *x)
{
    kn_array row[MOST_OPERANDS];
    for (int k = 0; k < w->f->n; k++)
        row[k] = kn_take(*x, k, .axis = KN_AXIS(0));
    return kn_sum(kn_astype(w->f->of(row), KN_F32));
}
KN_FUNCTION_ENV(total, kn_array, which, kn_array)

static bool check_slope(const function *f)
{
    KN_SCOPE;
    enum { N = 600 };
    float number[MOST_OPERANDS * N];
    state = 1234567891011;
    for (int i = 0; i < f->n * N; i++)
        number[i] = i % 4 ? between(-4, 4) : i % 8 ? between(0, 1) : between(-30, 30);
    const which w = {f};
    kn_fn slope = kn_grad(KN_FN_ENV(total, &w));
    kn_array x = (kn_from_memory)(number, &(kn_shape){2, {f->n, N}}, KN_F32), far = there(x);
    results r = {0};
    kn_call(slope, &r.host, &x);
    kn_call(slope, &r.far, &far);
    return take(&r, f->name) && is_near(f->name, "'s derivative at", &r, &x, 1, 1, f->slope);
}

static void derivatives_are_near_the_hosts(void **test)
{
    (void)test;
    int wrong = 0;
    for (int i = 0; i < FUNCTIONS; i++)
        if (functions[i].slope > 0 && strpbrk(functions[i].dtypes, "fF") &&
            (!chosen || strcmp(chosen, functions[i].name) == 0))
            wrong += !check_slope(&functions[i]);
    assert_int_equal(wrong, 0);
}

/* ---- reductions ---- */

typedef struct reduction {
    const char *name;
    kn_array (*of)(kn_array x);
    double units; /* results below 1 count as 1 */
} reduction;

#define REDUCTIONS(X)                                                         \
    X(sum, kn_sum(x, .axis = KN_AXIS(-1)), 4)                                 \
    X(mean, kn_mean(x, .axis = KN_AXIS(-1)), 4)                               \
    X(prod, kn_prod(kn_exp(kn_mul(x, 0.01f)), .axis = KN_AXIS(-1)), 64)       \
    X(var, kn_var(x, .axis = KN_AXIS(-1)), 8)                                 \
    X(std, kn_std(x, .axis = KN_AXIS(-1)), 8)                                 \
    X(max, kn_max(x, .axis = KN_AXIS(-1)), 0)                                 \
    X(argmax, kn_argmax(x, .axis = KN_AXIS(-1)), 0)                           \
    X(logsumexp, kn_nn_logsumexp(x, .axis = KN_AXIS(-1)), 4)                  \
    X(softmax, kn_nn_softmax(x), 4)                                           \
    X(log_softmax, kn_nn_log_softmax(x), 4)                                   \
    X(standardize, kn_nn_standardize(x), 16)                                  \
    X(cumsum, kn_cumsum(x, .axis = KN_AXIS(-1)), 4)                           \
    X(cumprod, kn_cumprod(kn_exp(kn_mul(x, 0.01f)), .axis = KN_AXIS(-1)), 64) \
    X(cumlogsumexp, kn_lax_cumlogsumexp(x, .axis = KN_AXIS(1)), 8)            \
    X(norm, kn_linalg_norm(x, .axis = KN_AXIS(-1)), 4)
#define X(name, expression, units) \
    static kn_array reduce_##name(kn_array x) { return expression; }
REDUCTIONS(X)
#undef X
#define X(name, expression, units) {#name, reduce_##name, units},
static const reduction reductions[] = {REDUCTIONS(X)};
#undef X

static bool check_reduction(const reduction *f, int rows, int n)
{
    KN_SCOPE;
    float *number = calloc((size_t)(rows * n), sizeof *number);
    assert_non_null(number);
    state = 521288629;
    for (int i = 0; i < rows * n; i++)
        number[i] = between(-4, 8);
    kn_array x = (kn_from_memory)(number, &(kn_shape){2, {rows, n}}, KN_F32);
    free(number);
    results r = {.host = f->of(x), .far = f->of(there(x))};
    return take(&r, f->name) && is_near(f->name, n > 1000 ? "of long rows" : "of rows", &r, &x, 0, 1, f->units);
}

static void reductions_are_near_the_hosts(void **test)
{
    (void)test;
    int wrong = 0;
    for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++)
        if (!chosen || strcmp(chosen, reductions[i].name) == 0) {
            wrong += !check_reduction(&reductions[i], 50, 30);
            wrong += !check_reduction(&reductions[i], 2, 40000);
        }
    assert_int_equal(wrong, 0);
}

/* Rows with NaN, infinities and zeros of both signs. */
#define ORDERS(X)                                                       \
    X(sum_of_special, kn_sum(x, .axis = KN_AXIS(-1)), 4)                \
    X(nansum, kn_nansum(x, .axis = KN_AXIS(-1)), 4)                     \
    X(max_of_special, kn_max(x, .axis = KN_AXIS(-1)), 0)                \
    X(min_of_special, kn_min(x, .axis = KN_AXIS(-1)), 0)                \
    X(nanmax, kn_nanmax(x, .axis = KN_AXIS(-1)), 0)                     \
    X(nanmin, kn_nanmin(x, .axis = KN_AXIS(-1)), 0)                     \
    X(argmax_of_special, kn_argmax(x, .axis = KN_AXIS(-1)), 0)          \
    X(argmin_of_special, kn_argmin(x, .axis = KN_AXIS(-1)), 0)          \
    X(any, kn_any(x, .axis = KN_AXIS(-1)), 0)                           \
    X(all, kn_all(x, .axis = KN_AXIS(-1)), 0)                           \
    X(count_nonzero, kn_count_nonzero(x, .axis = KN_AXIS(-1)), 0)       \
    X(cummax, kn_lax_cummax(x, .axis = KN_AXIS(1)), 0)                  \
    X(cummin, kn_lax_cummin(x, .axis = KN_AXIS(1)), 0)                  \
    X(cumsum_of_special, kn_cumsum(x, .axis = KN_AXIS(-1)), 4)          \
    X(sort, kn_sort(x), 0)                                              \
    X(argsort, kn_argsort(x, .stable = true), 0)                        \
    X(median, kn_median(x, .axis = KN_AXIS(-1)), 4)                     \
    X(logsumexp_of_special, kn_nn_logsumexp(x, .axis = KN_AXIS(-1)), 4) \
    X(softmax_of_special, kn_nn_softmax(x), 4)                          \
    X(var_of_special, kn_var(x, .axis = KN_AXIS(-1)), 8)                \
    X(diff, kn_diff(x), 1)
#define X(name, expression, units) \
    static kn_array order_##name(kn_array x) { return expression; }
ORDERS(X)
#undef X
#define X(name, expression, units) {#name, order_##name, units},
static const reduction orders[] = {ORDERS(X)};
#undef X

/* Row r without the special numbers that bit r of its number leaves out, so that rows with and without NaN are there. */
static float special_at(int row, int i)
{
    float f = i % 3 ? special[random64() % SPECIAL] : any_number();
    if ((row & 1 && isnan(f)) || (row & 2 && isinf(f)) || (row & 4 && f == 0) || (row & 8 && f < 0))
        return between(-2, 2);
    return f;
}

static bool check_order(const reduction *f)
{
    KN_SCOPE;
    enum { ROWS = 64, N = 37 };
    float number[ROWS * N];
    state = 521288629;
    for (int i = 0; i < ROWS * N; i++) {
        float x = special_at(i / N, i);
        number[i] = flushes && !is_usual(x) ? 1 : x;
    }
    kn_array x = kn_from(number, KN_SHAPE(ROWS, N));
    results r = {.host = f->of(x), .far = f->of(there(x))};
    return take(&r, f->name) && is_near(f->name, "of rows", &r, &x, 0, 1, f->units);
}

static void special_numbers_keep_their_places(void **test)
{
    (void)test;
    int wrong = 0;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        if (!chosen || strcmp(chosen, orders[i].name) == 0)
            wrong += !check_order(&orders[i]);
    assert_int_equal(wrong, 0);
}

KN_TEST_GROUP(test_webgpu_fast)
{
    if (!(g = webgpu_first()))
        return 77;
    knd_lock();
    knx_error *error = kng_bring_facts(g);
    knd_unlock();
    if (error)
        return 1;
    if (g->exact) { /* there other tests want the host's bits */
        printf("skipped: the device is exact\n");
        return 77;
    }
    flushes = !(g->facts.exact >> KNW_ADD & 1);
    show = argc > 1 && strcmp(argv[1], "show") == 0;
    chosen = show && argc > 2 ? argv[2] : NULL;
    const struct CMUnitTest tests[] = {
        TEST(the_root_of_a_complex_number_has_both_parts),
        TEST(float32_is_near_the_hosts),
        TEST(halves_are_the_hosts_or_their_neighbours),
        TEST(complex64_is_near_the_hosts),
        TEST(complex_powers_lose_what_exponents_magnify),
        TEST(integers_and_bools_are_the_hosts),
        TEST(derivatives_are_near_the_hosts),
        TEST(reductions_are_near_the_hosts),
        TEST(special_numbers_keep_their_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
