/* SPDX-License-Identifier: Apache-2.0
 * test_kernel_math.c -- the functions written in the kernel IR against libm in a wider type: largest errors over dense
 * samples, special values. */
#include "ir/prim.h"
#include "kernel/internal.h"
#include "support/group.h"
#include "support/scratch.h"
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { LANES = 4096 };
typedef knk_node unary(knk_builder *, knk_node);
typedef knk_node binary(knk_builder *, knk_node, knk_node);

static knk_kernel *kernel_of(unary *f, binary *g, knx_dtype_id d)
{
    static const uint8_t cls[] = {KNK_STRIDE_ONE};
    knk_builder *b = knk_new(1);
    knk_begin_stage(b, 0);
    int x = knk_add_buffer(b, d, false), y = knk_add_buffer(b, d, false), out = knk_add_buffer(b, d, true),
        m = knk_add_map(b, cls);
    knk_node u = knk_load(b, x, m, KNK_NONE, KNK_NONE, KNK_NONE);
    knk_store(b, out, m, f ? f(b, u) : g(b, u, knk_load(b, y, m, KNK_NONE, KNK_NONE, KNK_NONE)));
    knk_kernel *k;
    knx_error *e = knk_finish(b, &k);
    if (e)
        fail_msg("%s", e->message);
    return k;
}

static void run(const knk_kernel *k, void *x, void *y, void *out, int64_t n)
{
    static void *scratch;
    static size_t room;
    if (room < interpreter_scratch(k)) {
        free(scratch);
        room = (interpreter_scratch(k) + 63) / 64 * 64;
        scratch = aligned_alloc(64, room);
    }
    int64_t stride[] = {1};
    knk_map_values map = {0, stride};
    void *buffer[] = {x, y, out};
    knk_launch l = {buffer, &map, &n, NULL};
    knk_interpret(k, &l, scratch);
}

/* The distance of got from want in units of the last place of the dtype; 0 for two NaNs, huge where one is infinite or
 * NaN alone. */
static double ulps(double got, long double want, bool f32)
{
    if (got != got || want != want)
        return (got != got) && (want != want) ? 0 : 1e9;
    if (isinf(got) && (f32 ? isinf((float)want) : isinf((double)want)))
        return !signbit(got) == !signbit(want) ? 0 : 1e9;
    int digits = f32 ? 24 : 53, least = f32 ? -149 : -1074, e;
    long double limit = f32 ? FLT_MAX : DBL_MAX;
    if (isinf(got)) /* the value is in the last half place above the largest number, or not */
        got = (double)copysignl(f32 ? 0x1p128 : DBL_MAX, got),
        want = fabsl(want) > limit ? copysignl(limit, want) : want;
    (void)frexpl(want, &e);
    int place = e - digits > least ? e - digits : least;
    return (double)ldexpl(fabsl(want - got), -place);
}

static float next_input32(uint64_t *state, int i, float lo, float hi)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    uint32_t bits = (uint32_t)(*state >> 32);
    float f;
    memcpy(&f, &bits, 4);
    if (i % 2 == 0 && f >= lo && f <= hi)
        return f; /* every exponent */
    return (float)(lo + (hi - lo) * ((double)bits / 4294967296.0));
}

static double next_input64(uint64_t *state, int i, double lo, double hi)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    uint64_t bits = *state ^ (*state >> 29);
    double f;
    memcpy(&f, &bits, 8);
    if (i % 2 == 0 && f >= lo && f <= hi)
        return f;
    return lo + (hi - lo) * ((double)(bits >> 11) / 9007199254740992.0);
}

typedef struct row {
    const char *name;
    unary *f;
    long double (*wide)(long double);
    double lo32, hi32, bound32, lo64, hi64, bound64;
} row;

static long double logistic_wide(long double x) { return x < 0 ? expl(x) / (1 + expl(x)) : 1 / (1 + expl(-x)); }

static long double rsqrt_wide(long double x) { return 1 / sqrtl(x); }

static const row table[] = {
    {"exp", knk_exp, expl, -110, 95, 1, -760, 715, 1},
    {"expm1", knk_expm1, expm1l, -50, 95, 1, -60, 715, 1},
    {"logistic", knk_logistic, logistic_wide, -110, 60, 1, -750, 60, 1},
    {"tanh", knk_tanh, tanhl, -12, 12, 1, -25, 25, 1},
    {"log", knk_log, logl, 0, 3.4e38, 1, 0, 1.7e308, 1},
    {"log near 1", knk_log, logl, 0.5, 2, 1, 0.5, 2, 1},
    {"log1p", knk_log1p, log1pl, -1, 3.4e38, 1, -1, 1.7e308, 1},
    {"log1p near 0", knk_log1p, log1pl, -0.5, 1, 1, -0.5, 1, 1},
    {"sin", knk_sin, sinl, -100, 100, 1, -100, 100, 1},
    {"cos", knk_cos, cosl, -100, 100, 1, -100, 100, 1},
    {"sin to 2^20", knk_sin, sinl, -1048576, 1048576, 1, -1048576, 1048576, 1},
    {"cos to 2^20", knk_cos, cosl, -1048576, 1048576, 1, -1048576, 1048576, 1},
    {"sin, huge", knk_sin, sinl, -3.4e38, 3.4e38, 1, -1.7e308, 1.7e308, 1},
    {"exp2", knk_exp2, exp2l, -152, 130, 1, -1076, 1026, 1},
    {"erf", knk_erf, erfl, -7, 7, 1, -7, 7, 1},
    {"erfc", knk_erfc, erfcl, -7, 10.5, 1, -7, 27.4, 1},
    {"lgamma", knk_lgamma, lgammal, 0, 3.4e38, 4, 0, 1.7e308, 4},
    {"lgamma near 2", knk_lgamma, lgammal, 0.5, 4, 4, 0.5, 4, 4},
    {"log2", knk_log2, log2l, 0, 3.4e38, 1, 0, 1.7e308, 1},
    {"log2 near 1", knk_log2, log2l, 0.5, 2, 1, 0.5, 2, 1},
    {"log10", knk_log10, log10l, 0, 3.4e38, 1, 0, 1.7e308, 1},
    {"log10 near 1", knk_log10, log10l, 0.5, 2, 1, 0.5, 2, 1},
    {"tan", knk_tan, tanl, -100, 100, 1, -100, 100, 1},
    {"tan, huge", knk_tan, tanl, -3.4e38, 3.4e38, 1, -1.7e308, 1.7e308, 1},
    {"asin", knk_asin, asinl, -1, 1, 1, -1, 1, 1},
    {"acos", knk_acos, acosl, -1, 1, 1, -1, 1, 1},
    {"atan", knk_atan, atanl, -10, 10, 1, -10, 10, 1},
    {"atan, huge", knk_atan, atanl, -3.4e38, 3.4e38, 1, -1.7e308, 1.7e308, 1},
    {"sinh", knk_sinh, sinhl, -90, 90, 1, -711, 711, 1},
    {"sinh near 0", knk_sinh, sinhl, -1, 1, 1, -1, 1, 1},
    {"cosh", knk_cosh, coshl, -90, 90, 1, -711, 711, 1},
    {"asinh", knk_asinh, asinhl, -10, 10, 1, -10, 10, 1},
    {"asinh, huge", knk_asinh, asinhl, -3.4e38, 3.4e38, 1, -1.7e308, 1.7e308, 1},
    {"acosh", knk_acosh, acoshl, 1, 10, 1, 1, 10, 1},
    {"acosh, huge", knk_acosh, acoshl, 1, 3.4e38, 1, 1, 1.7e308, 1},
    {"atanh", knk_atanh, atanhl, -1, 1, 1, -1, 1, 1},
    {"cbrt", knk_cbrt, cbrtl, -3.4e38, 3.4e38, 0.51, -1.7e308, 1.7e308, 0.51},
    {"rsqrt", knk_rsqrt, rsqrt_wide, 0, 3.4e38, 0.51, 0, 1.7e308, 0.51},
    {"cos, huge", knk_cos, cosl, -3.4e38, 3.4e38, 1, -1.7e308, 1.7e308, 1},
};

static double worst32(const knk_kernel *k, const row *r, int rounds, float *where)
{
    static float x[LANES], y[LANES];
    double worst = 0;
    uint64_t state = 1;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < LANES; i++)
            x[i] = next_input32(&state, i, (float)r->lo32, (float)r->hi32);
        run(k, x, x, y, LANES);
        for (int i = 0; i < LANES; i++) {
            double u = ulps(y[i], r->wide(x[i]), true);
            if (u > worst)
                worst = u, *where = x[i];
        }
    }
    return worst;
}

static double worst64(const knk_kernel *k, const row *r, int rounds, double *where)
{
    static double x[LANES], y[LANES];
    double worst = 0;
    uint64_t state = 2;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < LANES; i++)
            x[i] = next_input64(&state, i, r->lo64, r->hi64);
        run(k, x, x, y, LANES);
        for (int i = 0; i < LANES; i++) {
            double u = ulps(y[i], r->wide(x[i]), false);
            if (u > worst)
                worst = u, *where = x[i];
        }
    }
    return worst;
}

static int rounds(void) { return getenv("KILN_TEST_LONG") ? 2000 : 60; }

static void functions_stay_within_their_bounds(void **state)
{
    (void)state;
    bool fine = true;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const row *r = &table[i];
        float at32 = 0;
        double at64 = 0;
        knk_kernel *k32 = kernel_of(r->f, NULL, KN_ID_F32), *k64 = kernel_of(r->f, NULL, KN_ID_F64);
        double u32 = worst32(k32, r, rounds(), &at32), u64 = LDBL_MANT_DIG >= 64 ? worst64(k64, r, rounds(), &at64) : 0;
        print_message("%-14s f32 %.3f ulp at %a (%d nodes)   f64 %.3f ulp at %a (%d nodes)\n", r->name, u32,
                      (double)at32, k32->n_node, u64, at64, k64->n_node);
        fine &= u32 <= r->bound32 && u64 <= r->bound64;
        knk_release(k32);
        knk_release(k64);
    }
    assert_true(fine);
}

static long double hypot_wide(long double x, long double y) { return hypotl(x, y); }
typedef struct row2 {
    const char *name;
    binary *g;
    long double (*wide)(long double, long double);
    double lo[2], hi[2], bound32, bound64;
} row2;
static const row2 table2[] = {
    {"pow", knk_pow, powl, {0, -20}, {100, 20}, 1, 1},
    {"pow, near 1", knk_pow, powl, {0.9, -5000}, {1.1, 5000}, 1, 1},
    {"pow, small base", knk_pow, powl, {0, -10}, {1e-30, 10}, 1, 1},
    {"atan2", knk_atan2, atan2l, {-2, -2}, {2, 2}, 1, 1},
    {"hypot", knk_hypot, hypot_wide, {-1e5, -1e5}, {1e5, 1e5}, 0.52, 1},
    {"rem", knk_rem, fmodl, {-50, 0.1}, {50, 7}, 0, 0},
    {"rem, far", knk_rem, fmodl, {-1e20, 1e-3}, {1e20, 1}, 0, 0},
};

static void functions_of_two_stay_within_their_bounds(void **state)
{
    (void)state;
    static float x[LANES], y[LANES], z[LANES];
    static double p[LANES], q[LANES], s[LANES];
    bool fine = true;
    for (size_t t = 0; t < sizeof table2 / sizeof *table2; t++) {
        const row2 *r = &table2[t];
        knk_kernel *k32 = kernel_of(NULL, r->g, KN_ID_F32), *k64 = kernel_of(NULL, r->g, KN_ID_F64);
        double w32 = 0, w64 = 0;
        double at[4] = {0};
        uint64_t seed = 3;
        for (int round = 0; round < rounds(); round++) {
            for (int i = 0; i < LANES; i++) {
                x[i] = next_input32(&seed, i, (float)r->lo[0], (float)r->hi[0]);
                y[i] = next_input32(&seed, i >> 1, (float)r->lo[1], (float)r->hi[1]);
                p[i] = next_input64(&seed, i, r->lo[0], r->hi[0]);
                q[i] = next_input64(&seed, i >> 1, r->lo[1], r->hi[1]);
            }
            run(k32, x, y, z, LANES);
            run(k64, p, q, s, LANES);
            for (int i = 0; i < LANES; i++) {
                double u = ulps(z[i], r->wide(x[i], y[i]), true),
                       v = LDBL_MANT_DIG >= 64 ? ulps(s[i], r->wide(p[i], q[i]), false) : 0;
                if (u > w32)
                    w32 = u, at[0] = x[i], at[1] = y[i];
                if (v > w64)
                    w64 = v, at[2] = p[i], at[3] = q[i];
            }
        }
        print_message("%-16s f32 %.3f ulp at %a, %a (%d nodes)  f64 %.3f ulp at %a, %a (%d nodes)\n", r->name, w32,
                      at[0], at[1], k32->n_node, w64, at[2], at[3], k64->n_node);
        fine &= w32 <= r->bound32 && w64 <= r->bound64;
        knk_release(k32);
        knk_release(k64);
    }
    assert_true(fine);
}

static const double special[] = {0.0,
                                 -0.0,
                                 1,
                                 -1,
                                 2,
                                 -2,
                                 0.5,
                                 -0.5,
                                 3,
                                 -3,
                                 1.5,
                                 -1.5,
                                 1e10,
                                 -1e10,
                                 1e300,
                                 -1e300,
                                 1e-300,
                                 -1e-300,
                                 0x1p-149,
                                 -0x1p-149,
                                 0x1p-1074,
                                 -0x1p-1074,
                                 INFINITY,
                                 -INFINITY,
                                 NAN,
                                 9007199254740993.0,
                                 -9007199254740992.0,
                                 16777217.0,
                                 16777215.0,
                                 -16777215.0,
                                 4503599627370497.0,
                                 FLT_MAX,
                                 -FLT_MAX,
                                 DBL_MAX,
                                 -DBL_MAX,
                                 FLT_MIN,
                                 DBL_MIN,
                                 0.9999999,
                                 1.0000001,
                                 88.8,
                                 104,
                                 -104,
                                 710,
                                 -746};
enum { N_SPECIAL = sizeof special / sizeof *special };

/* Infinities, NaN and signed zeros must be exactly libm's; other values within 2 ulp. */
static void expect_special(const char *name, double got, long double want, bool f32, double x, double y)
{
    long double narrow = f32 ? (long double)(float)want : (long double)(double)want;
    bool fine;
    if (narrow != narrow || isinf(narrow) || narrow == 0)
        fine = narrow != narrow ? got != got : got == (double)narrow && (signbit(got) != 0) == (signbit(narrow) != 0);
    else
        fine = ulps(got, want, f32) <= 2;
    if (!fine)
        fail_msg("%s %s(%a, %a) = %a, not %La", f32 ? "f32" : "f64", name, x, y, got, want);
}

static void special_values_are_those_of_libm(void **state)
{
    (void)state;
    for (size_t t = 0; t < sizeof table / sizeof *table; t++) {
        float x[N_SPECIAL], y[N_SPECIAL];
        double p[N_SPECIAL], q[N_SPECIAL];
        knk_kernel *k32 = kernel_of(table[t].f, NULL, KN_ID_F32), *k64 = kernel_of(table[t].f, NULL, KN_ID_F64);
        for (int i = 0; i < N_SPECIAL; i++)
            p[i] = special[i], x[i] = (float)special[i];
        run(k32, x, x, y, N_SPECIAL);
        run(k64, p, p, q, N_SPECIAL);
        for (int i = 0; i < N_SPECIAL; i++) {
            expect_special(table[t].name, y[i], table[t].wide(x[i]), true, x[i], 0);
            expect_special(table[t].name, q[i], table[t].wide(p[i]), false, p[i], 0);
        }
        knk_release(k32);
        knk_release(k64);
    }
}

static void special_values_of_two_are_those_of_libm(void **state)
{
    (void)state;
    for (size_t t = 0; t < sizeof table2 / sizeof *table2; t++) {
        static float x[N_SPECIAL * N_SPECIAL], y[N_SPECIAL * N_SPECIAL], z[N_SPECIAL * N_SPECIAL];
        static double p[N_SPECIAL * N_SPECIAL], q[N_SPECIAL * N_SPECIAL], s[N_SPECIAL * N_SPECIAL];
        knk_kernel *k32 = kernel_of(NULL, table2[t].g, KN_ID_F32), *k64 = kernel_of(NULL, table2[t].g, KN_ID_F64);
        for (int i = 0; i < N_SPECIAL * N_SPECIAL; i++) {
            p[i] = special[i / N_SPECIAL], q[i] = special[i % N_SPECIAL];
            x[i] = (float)p[i], y[i] = (float)q[i];
        }
        run(k32, x, y, z, N_SPECIAL * N_SPECIAL);
        run(k64, p, q, s, N_SPECIAL * N_SPECIAL);
        for (int i = 0; i < N_SPECIAL * N_SPECIAL; i++) {
            expect_special(table2[t].name, z[i], table2[t].wide(x[i], y[i]), true, x[i], y[i]);
            expect_special(table2[t].name, s[i], table2[t].wide(p[i], q[i]), false, p[i], q[i]);
        }
        knk_release(k32);
        knk_release(k64);
    }
}

static int64_t exponent;
static bool differ(double a, double b) { return (a == a || b == b) && (a != b || !signbit(a) != !signbit(b)); }

/* Of the numbers around x and y. */
static void compare_rests(const knk_kernel *k32, const knk_kernel *k64, double x, double y)
{
    static float x32[LANES], y32[LANES], r32[LANES];
    static double x64[LANES], y64[LANES], r64[LANES];
    int n = 0;
    for (int i = -3; i <= 3; i++)
        for (int j = -3; j <= 3; j++, n++) {
            float fx = (float)x, fy = (float)y;
            x64[n] = x, y64[n] = y;
            for (int s = 0; s < abs(i); s++)
                fx = nextafterf(fx, i < 0 ? -INFINITY : INFINITY),
                x64[n] = nextafter(x64[n], i < 0 ? -INFINITY : INFINITY);
            for (int s = 0; s < abs(j); s++)
                fy = nextafterf(fy, j < 0 ? -INFINITY : INFINITY),
                y64[n] = nextafter(y64[n], j < 0 ? -INFINITY : INFINITY);
            x32[n] = fx, y32[n] = fy;
        }
    run(k32, x32, y32, r32, n);
    run(k64, x64, y64, r64, n);
    for (int i = 0; i < n; i++) {
        if (differ(r32[i], fmodf(x32[i], y32[i])))
            fail_msg("f32: %a, %a: %a", x32[i], y32[i], r32[i]);
        if (differ(r64[i], fmod(x64[i], y64[i])))
            fail_msg("f64: %a, %a: %a", x64[i], y64[i], r64[i]);
    }
}

/* Beside whole multiples the rounded quotient may be one too large; zeros keep the sign of x. */
static void rests_of_divisions_are_exact(void **state)
{
    (void)state;
    knk_kernel *k32 = kernel_of(NULL, knk_rem, KN_ID_F32), *k64 = kernel_of(NULL, knk_rem, KN_ID_F64);
    static const double size[] = {1, 3, 0.1, 1e-44, 1e-38, 1e30, 0x1.fffffep-1, 0x1.fffffffffffffp-1, 7e-320, 1e307};
    uint64_t seed = 5;
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        for (int bits = 0; bits < 60; bits++) {
            double y = size[i] * next_input64(&seed, 1, 1, 2);
            double n = floor(ldexp(next_input64(&seed, 1, 1, 2), bits));
            compare_rests(k32, k64, n * y, y);
            compare_rests(k32, k64, -(double)(float)(n * (float)y), (float)y);
            compare_rests(k32, k64, n * size[i], -size[i]);
        }
    for (int i = 0; i < N_SPECIAL; i++)
        for (int j = 0; j < N_SPECIAL; j++)
            compare_rests(k32, k64, special[i], special[j]);
    knk_release(k32);
    knk_release(k64);
}

/* What a device without float64 can run, and what keeps lanes as they are. */
static void functions_of_float32_have_no_wider_floats(void **state)
{
    (void)state;
#define UNARY(name, ...) &knp_prim_##name,
    static const kni_prim *const all[] = {
#include "ir/unary.def"
        &knp_prim_pow, &knp_prim_atan2, &knp_prim_hypot, &knp_prim_rem};
#undef UNARY
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        kni_type t[2] = {kni_scalar_type(KN_DT(F32)), kni_scalar_type(KN_DT(F32))};
        knk_builder *k = knk_new(0);
        knk_begin_stage(k, 0);
        int buffer[] = {knk_add_buffer(k, KN_ID_F32, false), knk_add_buffer(k, KN_ID_F32, false)},
            map = knk_add_map(k, NULL);
        kni_pair x[2], y = {KNK_NONE, KNK_NONE};
        for (int j = 0; j < 2; j++)
            x[j] = (kni_pair){knk_load(k, buffer[j], map, KNK_NONE, KNK_NONE, KNK_NONE), KNK_NONE};
        kni_rule e = {.n_in = all[i]->n_in, .n_out = 1, .v = x, .xt = t, .yt = t};
        all[i]->expr(k, &e, &y);
        for (knk_node n = 0; n <= y.re; n++)
            if (knk_nodes(k)[n].dtype == KN_ID_F64)
                fail_msg("%s has float64", all[i]->name);
        knk_delete(k);
    }
}

knk_node knk_gamma(knk_builder *k, knk_node x);

static void gamma_of_whole_numbers_is_exact(void **state)
{
    (void)state;
    knk_kernel *k = kernel_of(knk_gamma, NULL, KN_ID_F32);
    float x[13], y[13], product = 1;
    for (int i = 0; i < 13; i++)
        x[i] = (float)(i + 1);
    run(k, x, NULL, y, 13);
    for (int i = 0; i < 13; product *= x[i++])
        assert_true(y[i] == product);
    knk_release(k);
}

static void logarithms_of_powers_of_their_base_are_exact(void **state)
{
    (void)state;
    static double x[2200], y[2200];
    knk_kernel *two = kernel_of(knk_log2, NULL, KN_ID_F64), *ten = kernel_of(knk_log10, NULL, KN_ID_F64);
    for (int i = 0; i < 2098; i++)
        x[i] = ldexp(1, i - 1074);
    run(two, x, NULL, y, 2098);
    for (int i = 0; i < 2098; i++)
        assert_true(y[i] == i - 1074);
    for (int i = 0; i < 23; i++)
        x[i] = i ? 10 * x[i - 1] : 1;
    run(ten, x, NULL, y, 23);
    for (int i = 0; i < 23; i++)
        assert_true(y[i] == i);
    knk_release(two);
    knk_release(ten);
}

static void logarithms_of_float32_of_powers_of_their_base_are_exact(void **state)
{
    (void)state;
    static float x[300], y[300];
    knk_kernel *two = kernel_of(knk_log2, NULL, KN_ID_F32), *ten = kernel_of(knk_log10, NULL, KN_ID_F32);
    for (int i = 0; i < 277; i++)
        x[i] = ldexpf(1, i - 149);
    run(two, x, NULL, y, 277);
    for (int i = 0; i < 277; i++)
        assert_true(y[i] == (float)(i - 149));
    for (int i = 0; i < 11; i++)
        x[i] = i ? 10 * x[i - 1] : 1;
    run(ten, x, NULL, y, 11);
    for (int i = 0; i < 11; i++)
        assert_true(y[i] == (float)i);
    knk_release(two);
    knk_release(ten);
}

static knk_node fixed_power(knk_builder *k, knk_node x) { return knk_integer_pow(k, x, exponent); }

/* Powers beyond 2^53: an even part that a float keeps, and the rest. */
static long double wide_power(long double x, int64_t n)
{
    int64_t rest = n % 1024;
    return powl(x, (long double)(n - rest)) * powl(x, (long double)rest);
}

static void whole_powers_stay_within_a_unit(void **state)
{
    (void)state;
    if (LDBL_MANT_DIG < 64) /* the reference is no better than what it judges */
        skip();
    static const int64_t n[] = {0,
                                1,
                                2,
                                3,
                                4,
                                5,
                                7,
                                8,
                                10,
                                16,
                                31,
                                63,
                                64,
                                65,
                                99,
                                100,
                                1000,
                                1001,
                                4097,
                                65537,
                                1 << 24,
                                16777217,
                                (1LL << 53) - 1,
                                9007199254740993};
    static double x64[LANES], y64[LANES];
    static float x32[LANES], y32[LANES];
    uint64_t seed = 5;
    for (size_t e = 0; e < 2 * sizeof n / sizeof *n; e++) {
        exponent = e % 2 ? -n[e / 2] : n[e / 2];
        double far = exponent ? fmin(1000, 740 / fabs((double)exponent)) : 1, worst32 = 0, worst64 = 0;
        for (int i = 0; i < LANES; i++) { /* results of all sizes, and of both signs */
            double size = exp2(next_input64(&seed, 1, -1.46 * far, 1.46 * far)), sign = i % 3 ? 1 : -1;
            x64[i] = i < N_SPECIAL ? special[i] : sign * size;
            x32[i] = (float)(i < N_SPECIAL ? special[i] : sign * pow(size, 0.125));
        }
        knk_kernel *k64 = kernel_of(fixed_power, NULL, KN_ID_F64), *k32 = kernel_of(fixed_power, NULL, KN_ID_F32);
        run(k64, x64, x64, y64, LANES);
        run(k32, x32, x32, y32, LANES);
        for (int i = 0; i < LANES; i++) {
            worst64 = fmax(worst64, ulps(y64[i], wide_power(x64[i], exponent), false));
            worst32 = fmax(worst32, ulps(y32[i], wide_power(x32[i], exponent), true));
            if (!(worst64 < 1) || !(worst32 < 1))
                fail_msg("to the power %lld: of %a %a, of %ga %a", (long long)exponent, x64[i], y64[i], x32[i], y32[i]);
        }
        knk_release(k64);
        knk_release(k32);
    }
}

static void maximum_and_minimum_pass_nan_on(void **state)
{
    (void)state;
    float x[] = {NAN, 1, NAN, 2, -0.0f, 0.0f}, y[] = {1, NAN, NAN, 3, 0.0f, -0.0f}, z[6];
    knk_kernel *k = kernel_of(NULL, knk_max_nan, KN_ID_F32);
    run(k, x, y, z, 6);
    assert_true(z[0] != z[0] && z[1] != z[1] && z[2] != z[2] && z[3] == 3);
    assert_true(!signbit(z[4]) && signbit(z[5])); /* the right one of equals */
    knk_release(k);
    k = kernel_of(NULL, knk_min_nan, KN_ID_F32);
    run(k, x, y, z, 6);
    assert_true(z[0] != z[0] && z[1] != z[1] && z[2] != z[2] && z[3] == 2);
    knk_release(k);
}

KN_TEST_GROUP(test_kernel_math)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_stay_within_their_bounds),
        cmocka_unit_test(functions_of_two_stay_within_their_bounds),
        cmocka_unit_test(special_values_are_those_of_libm),
        cmocka_unit_test(special_values_of_two_are_those_of_libm),
        cmocka_unit_test(functions_of_float32_have_no_wider_floats),
        cmocka_unit_test(logarithms_of_powers_of_their_base_are_exact),
        cmocka_unit_test(logarithms_of_float32_of_powers_of_their_base_are_exact),
        cmocka_unit_test(gamma_of_whole_numbers_is_exact),
        cmocka_unit_test(whole_powers_stay_within_a_unit),
        cmocka_unit_test(rests_of_divisions_are_exact),
        cmocka_unit_test(maximum_and_minimum_pass_nan_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
