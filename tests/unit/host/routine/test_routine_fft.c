/* SPDX-License-Identifier: Apache-2.0
 * test_routine_fft.c -- Fourier transforms: every length up to 300, every prime below 1000 and lengths of all kinds
 * of plans against the definition in long double; the same bits for any instruction set, number of threads and place
 * in memory; plans that are kept, and no memory. */
#include "base/memory.h"
#include "host/routine/fft.h"
#include "host/routine/fft_plan.h"
#include "host/routine/isa.h"
#include "support/group.h"
// clang-format off
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef long double wide;

static uint64_t state = 88172645463325252u;
static double noise(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(int64_t)state / 9223372036854775808.0;
}

static bool complex_in(knr_fft_type t) { return t != KNR_RFFT; }
static bool complex_out(knr_fft_type t) { return t != KNR_IRFFT; }
static int64_t extent_in(knr_fft_type t, int64_t n) { return t == KNR_IRFFT ? n / 2 + 1 : n; }
static int64_t extent_out(knr_fft_type t, int64_t n) { return t == KNR_RFFT ? n / 2 + 1 : n; }

static void put_number(void *at, int bytes, int64_t i, double v)
{
    if (bytes == 4)
        ((float *)at)[i] = (float)v;
    else
        ((double *)at)[i] = v;
}
static double number(const void *at, int bytes, int64_t i)
{
    return bytes == 4 ? (double)((const float *)at)[i] : ((const double *)at)[i];
}

static void *noise_new(int bytes, int64_t n)
{
    void *x = malloc((size_t)(n + 1) * (size_t)bytes);
    for (int64_t i = 0; i < n; i++)
        put_number(x, bytes, i, noise());
    return x;
}

/* outer x n x inner, along the middle axis */
static void *run(knr_fft_type type, int bytes, int64_t outer, int64_t n, int64_t inner, const void *x, int threads)
{
    int64_t dim[] = {outer, extent_in(type, n), inner}, axis = 1;
    const knr_fft f = {type, bytes, 3, 1, dim, &axis, &n};
    int64_t parts = outer * extent_out(type, n) * inner * (complex_out(type) ? 2 : 1);
    void *y = malloc((size_t)(parts + 1) * (size_t)bytes);
    assert_null(knr_fft_run(&f, x, y, NULL, threads));
    return y;
}

/* --- values ----------------------------------------------------------------------------------- */

/* The error's root mean square over that of the result, in units of the last place: of random numbers and some of the
 * results, by the definition. */
static double error_of(knr_fft_type type, int bytes, int64_t n, int64_t results)
{
    int64_t n_x = extent_in(type, n), n_y = extent_out(type, n), parts = complex_in(type) ? 2 : 1;
    void *x = noise_new(bytes, n_x * parts), *y = run(type, bytes, 1, n, 1, x, 1);
    wide(*w)[2] = malloc((size_t)n * sizeof *w), wrong = 0, all = 0, most = 0;
    for (int64_t k = 0; k < n; k++) {
        w[k][0] = cosl(2 * 3.14159265358979323846264338328L * (wide)k / (wide)n);
        w[k][1] = sinl(2 * 3.14159265358979323846264338328L * (wide)k / (wide)n);
    }
    int sign = type == KNR_FFT || type == KNR_RFFT ? -1 : 1;
    for (int64_t i = 0; i < n_y && i < results; i++) {
        int64_t k = n_y <= results ? i : i * (n_y / results) + i % 3;
        wide re = 0, im = 0;
        for (int64_t j = 0, e = 0; j < n_x; j++, e = e + k < n ? e + k : e + k - n) {
            wide a = number(x, bytes, parts * j), b = parts == 2 ? number(x, bytes, 2 * j + 1) : 0;
            bool end = j == 0 || 2 * j == n;
            if (type == KNR_IRFFT) {
                re += (end ? 1 : 2) * (a * w[e][0] - (end ? 0 : b * w[e][1]));
                continue;
            }
            re += a * w[e][0] - sign * b * w[e][1];
            im += sign * a * w[e][1] + b * w[e][0];
        }
        wide by = sign > 0 ? 1 / (wide)n : 1;
        int of = complex_out(type) ? 2 : 1;
        wide dr = re * by - number(y, bytes, of * k), di = of == 2 ? im * by - number(y, bytes, 2 * k + 1) : 0;
        wrong += dr * dr + di * di;
        all += (re * re + im * im) * by * by;
        most = fmaxl(most, fabsl(re * by));
    }
    free(x), free(y), free(w);
    assert_true(most < 1e30L);
    return all > 0 ? (double)(sqrtl(wrong / all)) * (bytes == 4 ? 16777216.0 : 9007199254740992.0) : 0;
}

static void check_error(int64_t n, int64_t results, double most)
{
    for (int t = KNR_FFT; t <= KNR_IRFFT; t++)
        for (int bytes = 4; bytes <= 8; bytes += 4) {
            double e = error_of((knr_fft_type)t, bytes, n, results);
            if (!(e <= most))
                fail_msg("type %d of %d bytes, %lld numbers: off by %g units", t, bytes, (long long)n, e);
        }
}

/* Units of the last place that a transform may be off by, by docs/fft.md. */
static double promised(int64_t n, bool chirp) { return (chirp ? 2 : 1) * (1 + 0.35 * log2((double)n + 1)); }

static bool is_prime(int64_t n)
{
    for (int64_t q = 2; q * q <= n; q++)
        if (n % q == 0)
            return false;
    return n > 1;
}

static void every_short_length_is_right(void **unused)
{
    (void)unused;
    for (int64_t n = 1; n <= 300; n++)
        check_error(n, n, promised(n, true));
}

static void every_prime_below_1000_is_right(void **unused)
{
    (void)unused;
    for (int64_t n = 301; n < 1000; n++)
        if (is_prime(n))
            check_error(n, 60, promised(n, true));
}

static void errors_grow_as_the_logarithm(void **unused)
{
    (void)unused;
    for (int64_t n = 2; n <= 1 << 18; n *= 2)
        check_error(n, 40, promised(n, false));
    static const int64_t other[] = {1000,  1500,  1920,  3125,  6561,   9000,  10000,
                                    16807, 14641, 50000, 44100, 100000, 59049, 61 * 61 * 16};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        check_error(other[i], 40, promised(other[i], false));
    static const int64_t prime[] = {1009, 2 * 997, 1009 * 101, 32 * 1009, 10007, 65537, 2 * 40009};
    for (size_t i = 0; i < sizeof prime / sizeof *prime; i++)
        check_error(prime[i], 40, promised(prime[i], true));
}

static void roots_of_unity_are_right_to_the_last_bit_or_so(void **unused)
{
    (void)unused;
    static const int64_t lengths[] = {1, 2, 3, 4, 5, 7, 8, 12, 16, 97, 1000, 4096, 65537, 1 << 20};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int64_t k = 0; k < lengths[i]; k += 1 + lengths[i] / 500) {
            double w[2];
            knr_fft_root(k, lengths[i], w);
            wide angle = 2 * 3.14159265358979323846264338328L * (wide)k / (wide)lengths[i];
            assert_true(fabsl(cosl(angle) - w[0]) < 0.8L / 9007199254740992.0L);
            assert_true(fabsl(-sinl(angle) - w[1]) < 0.8L / 9007199254740992.0L);
        }
    double w[2];
    knr_fft_root(1, 4, w);
    assert_true(w[0] == 0 && w[1] == -1);
    knr_fft_root(3, 6, w);
    assert_true(w[0] == -1 && w[1] == 0);
}

/* --- the same bits ---------------------------------------------------------------------------- */

typedef struct layout {
    int64_t outer, inner;
} layout;

/* Line l of `lines` in an array [outer][n][inner]: number j of `parts` real ones */
static int64_t place(layout a, int64_t n, int64_t l, int64_t j, int64_t parts)
{
    return ((l / a.inner * n + j) * a.inner + l % a.inner) * parts;
}

static void check_layout(knr_fft_type type, int bytes, int64_t n, int64_t lines, const void *x, const void *y, layout a,
                         int threads)
{
    int64_t n_x = extent_in(type, n), n_y = extent_out(type, n), p_x = complex_in(type) ? 2 : 1,
            p_y = complex_out(type) ? 2 : 1;
    char *laid = calloc((size_t)(lines * n_x * p_x * bytes) + 1, 1), *from = NULL;
    for (int64_t l = 0; l < lines; l++)
        for (int64_t j = 0; j < n_x; j++)
            memcpy(laid + place(a, n_x, l, j, p_x) * bytes, (const char *)x + (l * n_x + j) * p_x * bytes,
                   (size_t)(p_x * bytes));
    from = run(type, bytes, a.outer, n, a.inner, laid, threads);
    for (int64_t l = 0; l < lines; l++)
        for (int64_t k = 0; k < n_y; k++)
            if (memcmp(from + place(a, n_y, l, k, p_y) * bytes, (const char *)y + (l * n_y + k) * p_y * bytes,
                       (size_t)(p_y * bytes)) != 0)
                fail_msg("type %d of %d bytes, %lld numbers, line %lld of [%lld][n][%lld] on %d threads: %lld differs",
                         type, bytes, (long long)n, (long long)l, (long long)a.outer, (long long)a.inner, threads,
                         (long long)k);
    free(laid), free(from);
}

static void check_bits(int64_t n, int64_t lines)
{
    for (int t = KNR_FFT; t <= KNR_IRFFT; t++)
        for (int bytes = 4; bytes <= 8; bytes += 4) {
            knr_fft_type type = (knr_fft_type)t;
            int64_t n_x = extent_in(type, n) * (complex_in(type) ? 2 : 1);
            int64_t n_y = extent_out(type, n) * (complex_out(type) ? 2 : 1);
            void *x = noise_new(bytes, lines * n_x);
            char *y = malloc((size_t)(lines * n_y * bytes) + 1);
            for (int64_t l = 0; l < lines; l++) { /* each line alone; short ones on the plainest instruction set */
                knr_isa_limit(n <= 64 ? KNR_ISA_BASE : KNR_ISA_AVX2);
                char *one = run(type, bytes, 1, n, 1, (char *)x + l * n_x * bytes, 1);
                memcpy(y + l * n_y * bytes, one, (size_t)(n_y * bytes));
                free(one);
            }
            /* Without fused instructions each product and sum is a call of libm: a few lines, or this takes minutes. */
            knr_isa_limit(KNR_ISA_BASE);
            check_layout(type, bytes, n, 3, x, y, (layout){3, 1}, 3);
            check_layout(type, bytes, n, 3, x, y, (layout){1, 3}, 1);
            for (int isa = KNR_ISA_AVX2; isa <= KNR_ISA_AVX512; isa++) {
                knr_isa_limit((knr_isa_kind)isa);
                check_layout(type, bytes, n, lines, x, y, (layout){lines, 1}, 1);
                check_layout(type, bytes, n, lines, x, y, (layout){lines, 1}, 3);
                check_layout(type, bytes, n, lines, x, y, (layout){1, lines}, 2);
                check_layout(type, bytes, n, 1, x, y, (layout){1, 1}, 4);
                if (lines % 3 == 0)
                    check_layout(type, bytes, n, lines, x, y, (layout){lines / 3, 3}, 1);
            }
            free(x), free(y);
        }
}

static void bits_do_not_depend_on_place_threads_and_instructions(void **unused)
{
    (void)unused;
    for (int64_t n = 1; n <= 64; n++)
        check_bits(n, 18);
    static const int64_t more[] = {67,  75,  96,  100, 120,  128,  160,  225,  243,  250,  256,  289,
                                   360, 512, 625, 997, 1000, 1001, 1024, 1500, 1920, 1994, 2048, 3232};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        check_bits(more[i], 18);
    static const int64_t large[] = {8192, 10000, 20000, 16384, 10007, 32 * 1009};
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        check_bits(large[i], 3);
}

/* --- several axes ----------------------------------------------------------------------------- */

static void axes_are_transformed_one_after_the_other(void **unused)
{
    (void)unused;
    int64_t dim[] = {6, 20, 5, 9}, axes[] = {3, 0, 1}, lengths[] = {9, 6, 20}, axis = 0;
    int64_t all = 6 * 20 * 5 * 9;
    double *x = noise_new(8, 2 * all), *y = malloc((size_t)all * 16), *z = malloc((size_t)all * 16);
    for (int t = KNR_FFT; t <= KNR_IFFT; t++)
        for (int threads = 1; threads <= 3; threads += 2) {
            const knr_fft f = {(knr_fft_type)t, 8, 4, 3, dim, axes, lengths};
            assert_null(knr_fft_run(&f, x, y, NULL, threads));
            const double *from = x;
            for (int i = 2; i >= 0; i--) {
                axis = axes[i];
                const knr_fft one = {(knr_fft_type)t, 8, 4, 1, dim, &axis, &dim[axis]};
                double *to = malloc((size_t)all * 16);
                assert_null(knr_fft_run(&one, from, to, NULL, 1));
                memcpy(z, to, (size_t)all * 16);
                free(to);
                from = z;
            }
            assert_memory_equal(y, z, (size_t)all * 16);
        }
    free(x), free(y), free(z);
}

static void an_inverse_gives_the_operand_back(void **unused)
{
    (void)unused;
    for (int64_t n = 1; n < 40; n++)
        for (int64_t m = 1; m < 8; m++) {
            int64_t dim[] = {n, m}, half[] = {n, m / 2 + 1}, axes[] = {0, 1};
            double *x = noise_new(8, n * m);
            double *y = malloc((size_t)(n * (m / 2 + 1)) * 16), *z = malloc((size_t)(n * m) * 8 + 1);
            assert_null(knr_fft_run(&(knr_fft){KNR_RFFT, 8, 2, 2, dim, axes, dim}, x, y, NULL, 1));
            assert_null(knr_fft_run(&(knr_fft){KNR_IRFFT, 8, 2, 2, half, axes, dim}, y, z, NULL, 1));
            for (int64_t i = 0; i < n * m; i++)
                assert_true(fabs(x[i] - z[i]) < 1e-14);
            free(x), free(y), free(z);
        }
}

/* --- memory ----------------------------------------------------------------------------------- */

static void plans_are_kept_and_go_when_asked(void **unused)
{
    (void)unused;
    knr_fft_forget();
    int64_t live = knx_alloc_live();
    const knr_fft_plan *a = knr_fft_find(1000, 8, false), *b = knr_fft_find(1000, 8, false),
                       *c = knr_fft_find(997, 4, true);
    assert_non_null(a);
    assert_non_null(c);
    assert_ptr_equal(a, b);
    assert_int_equal(c->kind, KNR_FFT_CHIRP);
    knr_fft_leave(a);
    knr_fft_leave(c);
    size_t gone = knr_fft_forget(); /* of 997; the other one is held */
    assert_true(gone > 997 * 8);
    knr_fft_leave(b);
    assert_true(knr_fft_forget() > 1000 * 16);
    assert_int_equal(knr_fft_forget(), 0);
    assert_true(knx_alloc_live() == live);
    for (int64_t n = 100000; n < 100030; n++) { /* what nobody uses is bounded */
        const knr_fft_plan *p = knr_fft_find(n, 8, true);
        assert_non_null(p);
        knr_fft_leave(p);
    }
    assert_true(knr_fft_forget() <= (size_t)52 << 20);
    assert_true(knx_alloc_live() == live);
}

static void without_memory_there_is_an_error_and_nothing_is_lost(void **unused)
{
    (void)unused;
    static const int64_t lengths[] = {12, 72, 97, 1994, 16384};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        int64_t n = lengths[i], axis = 0, dim[] = {n};
        double *x = noise_new(8, 2 * n), *y = malloc((size_t)n * 16 + 32);
        knr_fft_forget();
        knx_buffer_trim();
        int64_t live = knx_alloc_live(), fails = 0;
        for (int64_t k = 0;; k++) {
            knx_fail_pieces(true);
            knx_fail_after(k, true);
            knx_error *e = knr_fft_run(&(knr_fft){KNR_RFFT, 8, 1, 1, dim, &axis, &n}, x, y, NULL, 1);
            knx_fail_after(-1, false);
            knx_fail_pieces(false);
            bool failed = e != NULL;
            if (failed)
                assert_int_equal(e->kind, KN_ERROR_MEMORY);
            knx_error_release(e);
            knr_fft_forget();
            assert_true(knx_alloc_live() == live);
            fails += failed;
            if (!failed)
                break;
        }
        assert_true(fails > 2);
        free(x), free(y);
    }
}

static void a_short_line_needs_no_memory(void **unused)
{
    (void)unused;
    if (!knr_fft_loops_of(8)->lines)
        return;
    int64_t n = 32, axis = 0, dim[] = {n};
    double *x = noise_new(8, 2 * n), *y = malloc((size_t)n * 16 + 32);
    knr_fft_forget();
    knx_fail_pieces(true);
    knx_fail_after(0, true);
    knx_error *e = knr_fft_run(&(knr_fft){KNR_RFFT, 8, 1, 1, dim, &axis, &n}, x, y, NULL, 1);
    knx_fail_after(-1, false);
    knx_fail_pieces(false);
    assert_null(e);
    assert_int_equal(knr_fft_forget(), 0);
    free(x), free(y);
}

/* --- lines found out beforehand --------------------------------------------------------------- */

static void check_held_line(knr_fft_type type, int bytes, int64_t n)
{
    int64_t axis = 1, dim[] = {1, extent_in(type, n)};
    const knr_fft f = {type, bytes, 2, 1, dim, &axis, &n};
    size_t n_y = (size_t)(extent_out(type, n) * (complex_out(type) ? 2 : 1) * bytes);
    void *x = noise_new(bytes, dim[1] * (complex_in(type) ? 2 : 1));
    char *want = malloc(n_y + 1), *y = malloc(n_y + 1);
    void *room = aligned_alloc(64, knr_fft_workspace(&f, 1) / 64 * 64 + 64);
    assert_null(knr_fft_run(&f, x, want, NULL, 1));
    knr_fft_line *l = knr_fft_line_new(&f);
    if (l) {
        assert_true(knr_fft_line_run(l, x, y, room));
        assert_memory_equal(y, want, n_y);
        memset(y, 1, n_y);
        if (knr_fft_line_run(l, x, y, NULL))
            assert_memory_equal(y, want, n_y);
    }
    knr_fft_line_free(l);
    free(x), free(y), free(want), free(room);
}

static void lines_that_are_held_have_the_bits_of_any_other(void **unused)
{
    (void)unused;
    static const int64_t lengths[] = {1,   2,   3,   6,   8,   14,   16,   32,   63,  64,
                                      100, 128, 256, 512, 997, 1000, 1024, 2048, 8192};
    for (int isa = KNR_ISA_BASE; isa <= KNR_ISA_AVX512; isa++)
        for (int t = KNR_FFT; t <= KNR_IRFFT; t++)
            for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
                knr_isa_limit((knr_isa_kind)isa);
                check_held_line((knr_fft_type)t, 4, lengths[i]);
                check_held_line((knr_fft_type)t, 8, lengths[i]);
            }
}

static void what_is_held_is_small_and_stays_until_it_is_freed(void **unused)
{
    (void)unused;
    int64_t axis = 0, n = 64, many = 65536, rows[] = {2, 64}, last = 1;
    knr_fft_forget();
    int64_t live = knx_alloc_live();
    assert_null(knr_fft_line_new(&(knr_fft){KNR_FFT, 8, 1, 1, &many, &axis, &many}));
    assert_null(knr_fft_line_new(&(knr_fft){KNR_FFT, 8, 2, 1, rows, &last, &n}));
    knr_fft_forget();
    assert_true(knx_alloc_live() == live);
    for (int64_t k = 0; k < 20; k++) {
        knx_fail_pieces(true);
        knx_fail_after(k, true);
        knr_fft_line *l = knr_fft_line_new(&(knr_fft){KNR_FFT, 8, 1, 1, &n, &axis, &n});
        knx_fail_after(-1, false);
        knx_fail_pieces(false);
        assert_true(l || k < 15);
        assert_true(!l || knr_fft_forget() == 0);
        knr_fft_line_free(l);
        knr_fft_forget();
        assert_true(knx_alloc_live() == live);
    }
}

KN_TEST_GROUP(test_routine_fft)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_of_unity_are_right_to_the_last_bit_or_so),
        cmocka_unit_test(every_short_length_is_right),
        cmocka_unit_test(every_prime_below_1000_is_right),
        cmocka_unit_test(errors_grow_as_the_logarithm),
        cmocka_unit_test(bits_do_not_depend_on_place_threads_and_instructions),
        cmocka_unit_test(axes_are_transformed_one_after_the_other),
        cmocka_unit_test(an_inverse_gives_the_operand_back),
        cmocka_unit_test(plans_are_kept_and_go_when_asked),
        cmocka_unit_test(without_memory_there_is_an_error_and_nothing_is_lost),
        cmocka_unit_test(a_short_line_needs_no_memory),
        cmocka_unit_test(lines_that_are_held_have_the_bits_of_any_other),
        cmocka_unit_test(what_is_held_is_small_and_stays_until_it_is_freed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
