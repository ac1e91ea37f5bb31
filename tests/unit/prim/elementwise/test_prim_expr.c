/* SPDX-License-Identifier: Apache-2.0
 * test_prim_expr.c -- the kernel expressions of elementwise rows, run alone by the interpreter of kernels; index maps of views; argmax. */
#include "ir/ops.h"
#include "ir/prim.h"
#include "prim/rules.h"
#include "support/group.h"
#include "support/scratch.h"
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
/* after the above */
#include <cmocka.h>

/* Loads element i of a buffer as rows see it: complex numbers and keys as two nodes, 16-bit floats as float32. */
static kni_pair load(knk_builder *k, kn_dtype d, int buffer, int map, int map_of_second)
{
    kni_pair v = {knk_load(k, buffer, map, KNK_NONE, KNK_NONE, KNK_NONE), KNK_NONE};
    if (map_of_second >= 0)
        v.im = knk_load(k, buffer, map_of_second, KNK_NONE, KNK_NONE, KNK_NONE);
    if (d->id == KN_ID_F16 || d->id == KN_ID_BF16)
        v.re = knk_cast(k, KN_ID_F32, v.re);
    return v;
}

enum { MOST_MAPS = 10 };

/* y = prim(x...) over n elements; each operand has n elements of its dtype. */
static void run(const kni_prim *p, const void *params, int64_t n, int n_in, const kn_dtype *xd, const void *const *x,
                void *y)
{
    static const int64_t one = 1, two = 2;
    const uint8_t any[] = {KNK_STRIDE_ANY};
    kni_type xt[4] = {0}, yt = {0};
    kni_pair in[4] = {0}, out;
    knx_arena arena = KN_ARENA_INIT;
    kni_rule r = {.prim = p, .params = params, .n_in = n_in, .n_out = 1, .xt = xt, .arena = &arena};
    for (int i = 0; i < n_in; i++)
        xt[i] = kni_scalar_type(xd[i]);
    assert_null(p->type(&r, &yt));
    knk_builder *k = knk_new(1);
    knk_begin_stage(k, 0);
    knk_map_values map[MOST_MAPS];
    void *buffer[5];
    int n_map = 0;
    for (int i = 0; i <= n_in; i++) {
        kn_dtype d = i < n_in ? xd[i] : yt.dtype;
        bool pair = knx_is_complex(d) || d->kind == KN_KIND_KEY;
        int b = knk_add_buffer(k, (knx_dtype_id)d->id, i == n_in), first = n_map;
        buffer[b] = i < n_in ? (void *)(uintptr_t)x[i] : y;
        for (int part = 0; part <= pair; part++, n_map++) {
            knk_add_map(k, any);
            map[n_map] = (knk_map_values){part, pair ? &two : &one};
        }
        if (i < n_in) {
            in[i] = load(k, d, b, first, pair ? first + 1 : -1);
            continue;
        }
        r.v = in;
        r.yt = &yt;
        p->expr(k, &r, &out);
        bool half = d->id == KN_ID_F16 || d->id == KN_ID_BF16;
        knk_store(k, b, first, half ? knk_cast(k, (knx_dtype_id)d->id, out.re) : out.re);
        if (pair)
            knk_store(k, b, first + 1, out.im);
    }
    knk_kernel *kernel = NULL;
    knx_error *e = knk_finish(k, &kernel);
    if (e)
        print_error("%s: %s\n", p->name, e->message);
    assert_null(e);
    knx_buffer *scratch = knx_buffer_new(interpreter_scratch(kernel));
    const int64_t *inner[] = {NULL};
    knk_interpret(kernel, &(knk_launch){buffer, map, &n, inner}, scratch->data);
    knx_buffer_release(scratch);
    knk_release(kernel);
    knx_arena_free(&arena);
}

#define RUN1(prim, dtype, y, x)                                                                    \
    run(&knp_prim_##prim, NULL, (int64_t)(sizeof(x) / sizeof *(x)), 1, (kn_dtype[]){KN_DT(dtype)}, \
        (const void *[]){x}, y)
#define RUN2(prim, dtype, y, a, b)                                                                               \
    run(&knp_prim_##prim, NULL, (int64_t)(sizeof(a) / sizeof *(a)), 2, (kn_dtype[]){KN_DT(dtype), KN_DT(dtype)}, \
        (const void *[]){a, b}, y)

static bool close_double(double got, double want, double relative)
{
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got);
    if (isinf(want) || want == 0)
        return got == want && signbit(got) == signbit(want);
    return fabs(got - want) <= relative * fabs(want);
}

/* Real numbers */

static void signs_and_extremes(void **state)
{
    (void)state;
    double x[] = {-2, -0.0, 0, 3, NAN, INFINITY}, zero[] = {0, 0, 0, 0, 0, NAN}, y[6];
    RUN1(sign, F64, y, x);
    assert_true(y[0] == -1 && y[1] == 0 && !signbit(y[1]) && y[2] == 0 && y[3] == 1 && isnan(y[4]) && y[5] == 1);
    RUN2(max, F64, y, x, zero);
    assert_true(y[0] == 0 && y[3] == 3 && isnan(y[4]) && isnan(y[5]));
    RUN2(min, F64, y, x, zero);
    assert_true(y[0] == -2 && y[3] == 0 && isnan(y[4]) && isnan(y[5]));
    uint8_t u[] = {0, 200}, v[2];
    RUN1(sign, U8, v, u);
    assert_true(v[0] == 0 && v[1] == 1);
    int8_t i[] = {-128, 0, 5}, j[3];
    RUN1(sign, I8, j, i);
    assert_true(j[0] == -1 && j[1] == 0 && j[2] == 1);
    uint8_t p[] = {0, 0, 1, 1}, q[] = {0, 1, 0, 1}, r[4];
    RUN2(max, BOOL, r, p, q);
    assert_memory_equal(r, ((uint8_t[]){0, 1, 1, 1}), 4);
    RUN2(add, BOOL, r, p, q);
    assert_memory_equal(r, ((uint8_t[]){0, 1, 1, 1}), 4);
    RUN2(mul, BOOL, r, p, q);
    assert_memory_equal(r, ((uint8_t[]){0, 0, 0, 1}), 4);
}

static void integer_arithmetic(void **state)
{
    (void)state;
    int64_t x[] = {7, -7, 5, INT64_MIN, (int64_t)1 << 60, 3}, z[] = {2, 2, 0, -1, 3, 4}, y[6];
    RUN2(div, I64, y, x, z);
    assert_true(y[0] == 3 && y[1] == -3 && y[2] == -1 && y[3] == INT64_MIN);
    int32_t base[] = {2, -3, 0, 0, 1, -1, -1, 7, 3}, power[] = {31, 3, 0, -1, -5, -5, -4, -1, 21}, to[9];
    RUN2(pow, I32, to, base, power);
    assert_memory_equal(to, ((int32_t[]){INT32_MIN, -27, 1, -1, 1, -1, 1, 0, (int32_t)10460353203u}), sizeof to);
    uint8_t small[] = {3, 2, 255}, times[] = {5, 8, 255}, result[3];
    RUN2(pow, U8, result, small, times);
    assert_true(result[0] == 243 && result[1] == 0 && result[2] == 255);
    int64_t n[] = {-3, 5}, cube[2];
    run(&knp_prim_integer_pow, &(kni_p_integer_pow){3}, 2, 1, (kn_dtype[]){KN_DT(I64)}, (const void *[]){n}, cube);
    assert_true(cube[0] == -27 && cube[1] == 125);
    uint32_t a[] = {1, 0x80000000u, 5}, count[] = {31, 4, 32}, shifted[3];
    RUN2(shift_left, U32, shifted, a, count);
    assert_memory_equal(shifted, ((uint32_t[]){0x80000000u, 0, 0}), sizeof shifted);
    RUN2(shift_right_logical, U32, shifted, a, count);
    assert_memory_equal(shifted, ((uint32_t[]){0, 0x08000000u, 0}), sizeof shifted);
}

static void choices(void **state)
{
    (void)state;
    int32_t which[] = {-1, 0, 1, 2, 9};
    float a[] = {1, 1, 1, 1, 1}, b[] = {2, 2, 2, 2, 2}, c[] = {3, 3, 3, 3, 3}, y[5];
    run(&knp_prim_select_n, NULL, 5, 4, (kn_dtype[]){KN_DT(I32), KN_DT(F32), KN_DT(F32), KN_DT(F32)},
        (const void *[]){which, a, b, c}, y);
    assert_memory_equal(y, ((float[]){1, 1, 2, 3, 3}), sizeof y);
    uint8_t p[] = {0, 1};
    uint32_t k0[] = {1, 2, 3, 4}, k1[] = {5, 6, 7, 8}, k[4];
    run(&knp_prim_select_n, NULL, 2, 3, (kn_dtype[]){KN_DT(BOOL), KN_DT(KEY), KN_DT(KEY)}, (const void *[]){p, k0, k1},
        k);
    assert_memory_equal(k, ((uint32_t[]){1, 2, 7, 8}), sizeof k);
}

/* Numbers that are hard to convert. */
static const double hard[] = {0,
                              -0.0,
                              1,
                              -1,
                              0.5,
                              1.5,
                              255,
                              256,
                              65504,
                              65519.999,
                              65520,
                              -32769,
                              2147483648.0,
                              4294967296.5,
                              1e19,
                              -1e19,
                              1e300,
                              1.0000000000000002,
                              2049,
                              2051,
                              0x1.002p0,
                              0x1.0020000000001p0,
                              0x1.00ffffffffp0,
                              6e-8,
                              INFINITY,
                              NAN};
enum { HARD = sizeof hard / sizeof *hard };

static void convert_hard_numbers(kn_dtype from, kn_dtype to, bool wraps)
{
    uint8_t x[16 * HARD] = {0}, y[16 * HARD] = {0}, want[16 * HARD] = {0};
    const size_t sx = from->size, sy = to->size;
    for (size_t i = 0; i < HARD; i++) {
        knx_convert(KN_DT(F64), &hard[i], from, x + sx * i);
        (wraps ? knx_convert : knx_saturate)(from, x + sx * i, to, want + sy * i);
    }
    run(&knp_prim_convert_element_type, &(kni_p_convert){.new_dtype = to, .wraps = wraps}, HARD, 1, (kn_dtype[]){from},
        (const void *[]){x}, y);
    for (size_t i = 0; i < HARD; i++)
        if (memcmp(y + sy * i, want + sy * i, sy)) {
            kn_c128 got, expected;
            knx_convert(to, y + sy * i, KN_DT(C128), &got);
            knx_convert(to, want + sy * i, KN_DT(C128), &expected);
            if (!isnan(got.re) || !isnan(expected.re))
                fail_msg("%s to %s of %.17g: %.17g", from->name, to->name, hard[i], got.re);
        }
}

/* Every pair of dtypes: as knx_convert or knx_saturate, bit for bit. */
static void conversions_are_those_of_the_base(void **state)
{
    (void)state;
    for (int from = 0; from < KN_ID_KEY; from++)
        for (int to = 0; to < KN_ID_KEY; to++) {
            convert_hard_numbers(&knx_dtype_table[from], &knx_dtype_table[to], false);
            convert_hard_numbers(&knx_dtype_table[from], &knx_dtype_table[to], true);
        }
}

static void bits_come_through(void **state)
{
    (void)state;
    uint16_t half[] = {0x3c00, 0x0001, 0x8000, 0x7c00, 0xfbff}, out16[5], back[5];
    for (int i = 0; i < 2; i++) {
        kn_dtype d = i ? KN_DT(BF16) : KN_DT(F16);
        run(&knp_prim_bitcast_convert_type, &(kni_p_bitcast){KN_DT(I16)}, 5, 1, &d, (const void *[]){half}, out16);
        assert_memory_equal(out16, half, sizeof half);
        run(&knp_prim_bitcast_convert_type, &(kni_p_bitcast){d}, 5, 1, (kn_dtype[]){KN_DT(U16)}, (const void *[]){half},
            back);
        assert_memory_equal(back, half, sizeof half);
    }
    uint64_t wide[] = {0x3ff0000000000000u, 0x0123456789abcdefu}, out64[2];
    kn_dtype kinds[] = {KN_DT(F64), KN_DT(C64), KN_DT(I64)};
    for (int i = 0; i < 3; i++) {
        run(&knp_prim_bitcast_convert_type, &(kni_p_bitcast){KN_DT(U64)}, 2, 1, &kinds[i], (const void *[]){wide},
            out64);
        assert_memory_equal(out64, wide, sizeof wide);
        run(&knp_prim_bitcast_convert_type, &(kni_p_bitcast){kinds[i]}, 2, 1, (kn_dtype[]){KN_DT(U64)},
            (const void *[]){wide}, out64);
        assert_memory_equal(out64, wide, sizeof wide);
    }
}

/* Complex numbers: against the C library, over points that meet every branch */

static const double parts[] = {0,  -0.0, 1,   -1,   0.5,   -2.25,  3,      1e-300,   -1e-8,
                               30, -25,  700, -715, 1e200, -1e308, 5e-324, INFINITY, -INFINITY};
enum { PARTS = sizeof parts / sizeof *parts, POINTS = PARTS * PARTS };

static double complex number(double re, double im) /* CMPLX, which clang 14 does not have */
{
    union {
        double part[2];
        double complex z;
    } u = {{re, im}};
    return u.z;
}

static void points(double complex *z)
{
    for (int i = 0; i < POINTS; i++)
        z[i] = number(parts[i / PARTS], parts[i % PARTS]);
}

/* An infinite real part has no angle: C leaves the signs of infinities and zeros open there. */
static bool near(double got, double want, double re)
{
    if (!isfinite(re) && (isinf(want) || want == 0))
        return fabs(got) == fabs(want);
    return close_double(got, want, 1e-13) || (got != want && fabs(got - want) <= 5e-324);
}

/* Each part is near the reference relative to itself, or (for functions that lose it there) to the whole. */
static int compare(const char *name, const double complex *x, const double complex *got, const double complex *want,
                   bool by_size)
{
    int bad = 0;
    for (int i = 0; i < POINTS; i++) {
        double size = cabs(want[i]), error = cabs(got[i] - want[i]);
        bool fine =
            near(creal(got[i]), creal(want[i]), creal(x[i])) && near(cimag(got[i]), cimag(want[i]), creal(x[i]));
        if (!fine && by_size && isfinite(size))
            fine = error <= 1e-13 * size + 1e-320;
        if (!fine && isnan(creal(want[i])) && isnan(cimag(want[i])))
            fine = isnan(creal(got[i])) || isnan(cimag(got[i])); /* C leaves the other part open */
        if (!fine && bad++ < 10)
            print_error("%s(%g %+gi) = %.17g %+.17gi, not %.17g %+.17gi\n", name, creal(x[i]), cimag(x[i]),
                        creal(got[i]), cimag(got[i]), creal(want[i]), cimag(want[i]));
    }
    return bad;
}

static void complex_functions_are_those_of_c(void **state)
{
    (void)state;
    static double complex x[POINTS], y[POINTS], want[POINTS];
    int bad = 0;
    points(x);
#define AGREES(prim, reference, by_size) \
    RUN1(prim, C128, y, x);              \
    for (int i = 0; i < POINTS; i++)     \
        want[i] = reference(x[i]);       \
    bad += compare(#prim, x, y, want, by_size);
    AGREES(sqrt, csqrt, false)
    AGREES(log, clog, true)
    AGREES(exp, cexp, false)
    AGREES(sin, csin, false)
    AGREES(cos, ccos, false)
    AGREES(tanh, ctanh, false)
    AGREES(conj, conj, false)
    assert_int_equal(bad, 0);
}

/* Single precision: the same programs with other thresholds. */
static void complex64_functions_agree_with_complex128(void **state)
{
    (void)state;
    static double complex x[POINTS], want[POINTS];
    static float complex narrow[POINTS], y[POINTS];
    static const double parts32[PARTS] = {0,  -0.0, 1,  -1,  0.5, -2.25, 3,     1e-30, -1e-4,
                                          12, -10,  80, -90, 100, -1e38, 1e-45, 3e38,  20};
    for (int i = 0; i < POINTS; i++) {
        volatile float re = (float)parts32[i / PARTS],
                       im = (float)parts32[i % PARTS]; /* gcc 12 -O2 drops the rounding */
        x[i] = number(re, im);
        narrow[i] = (float complex)x[i];
    }
    const kni_prim *all[] = {&knp_prim_sqrt, &knp_prim_log,  &knp_prim_exp,     &knp_prim_sin,
                             &knp_prim_cos,  &knp_prim_tanh, &knp_prim_logistic};
    for (int f = 0; f < 7; f++) {
        run(all[f], NULL, POINTS, 1, (kn_dtype[]){KN_DT(C64)}, (const void *[]){narrow}, y);
        run(all[f], NULL, POINTS, 1, (kn_dtype[]){KN_DT(C128)}, (const void *[]){x}, want);
        for (int i = 0; i < POINTS; i++) {
            double complex got = y[i], rounded = (float complex)want[i];
            double size = cabs(rounded);
            bool fine = isfinite(size) ? cabs(got - rounded) <= 2e-6 * size + 1e-44
                                       : isinf(creal(got)) == isinf(creal(rounded));
            if (!fine)
                print_error("%s(%g %+gi) = %g %+gi, not %g %+gi\n", all[f]->name, creal(x[i]), cimag(x[i]), creal(got),
                            cimag(got), creal(rounded), cimag(rounded));
            assert_true(fine);
        }
    }
}

static void complex_arithmetic(void **state)
{
    (void)state;
    double complex x[] = {number(3, 4), number(1, 2), number(1, 1), number(1e300, 1e300)},
                   z[] = {number(1, -2), number(0, 0), number(0, 2), number(1e300, 1e300)};
    double complex y[4];
    RUN2(mul, C128, y, x, z);
    assert_true(creal(y[0]) == 11 && cimag(y[0]) == -2);
    RUN2(div, C128, y, x, z);
    assert_true(creal(y[0]) == -1 && cimag(y[0]) == 2 && isinf(creal(y[1])) && isinf(cimag(y[1])));
    assert_true(creal(y[2]) == 0.5 && cimag(y[2]) == -0.5 && creal(y[3]) == 1 && cimag(y[3]) == 0);
    RUN1(sign, C128, y, x);
    assert_true(creal(y[0]) == 0.6 && cimag(y[0]) == 0.8);
    double size[4];
    RUN1(abs, C128, size, x);
    assert_true(size[0] == 5 && fabs(size[3] / 1e300 - sqrt(2)) < 1e-15);
    double complex base[] = {number(1, 2), number(0, 0), number(0, 0), number(2, -1), number(0, 1), number(2, 0)};
    double complex power[] = {2, 0, 2, -3, number(0, 1), 0.5}, p[6];
    RUN2(pow, C128, p, base, power);
    assert_true(p[0] == number(-3, 4) && p[1] == 1 && p[2] == 0);
    assert_true(cabs(p[3] - 1 / (base[3] * base[3] * base[3])) < 1e-16 && cabs(p[4] - exp(-M_PI / 2)) < 1e-15 &&
                cabs(p[5] - sqrt(2)) < 1e-15);
    run(&knp_prim_integer_pow, &(kni_p_integer_pow){-2}, 1, 1, (kn_dtype[]){KN_DT(C128)}, (const void *[]){base}, p);
    assert_true(cabs(p[0] - 1 / number(-3, 4)) < 1e-16);
    double complex v[] = {number(0.3, -0.7), number(-40, 1), number(800, 2), number(-800, 2)}, s[4];
    RUN1(logistic, C128, s, v);
    for (int i = 0; i < 2; i++)
        assert_true(cabs(s[i] - 1 / (1 + cexp(-v[i]))) <= 1e-15 * cabs(s[i]));
    assert_true(s[2] == 1 && cabs(s[3]) == 0);
}

static void complex_order_is_numpys(void **state)
{
    (void)state;
    double complex x[] = {number(1, 5), number(1, 5), number(1, 2), number(2, NAN), number(2, 0)},
                   z[] = {number(2, 0), number(1, 6), number(1, 2), number(1, 0), number(NAN, 0)};
    uint8_t y[5];
    double complex m[5];
    RUN2(lt, C128, y, x, z);
    assert_memory_equal(y, ((uint8_t[]){1, 1, 0, 0, 0}), 5);
    RUN2(ge, C128, y, x, z);
    assert_memory_equal(y, ((uint8_t[]){0, 0, 1, 0, 0}), 5);
    RUN2(eq, C128, y, x, z);
    assert_memory_equal(y, ((uint8_t[]){0, 0, 1, 0, 0}), 5);
    RUN2(ne, C128, y, x, z);
    assert_memory_equal(y, ((uint8_t[]){1, 1, 0, 1, 1}), 5);
    RUN2(max, C128, m, x, z);
    assert_true(m[0] == z[0] && m[1] == z[1] && isnan(cimag(m[3])) && isnan(creal(m[4])));
}

/* Index maps: the element that a view takes, position by position */

/* Where element `out` of the view lies in the operand, as an offset into its C order. */
static int64_t mapped(const kni_prim *p, const void *params, const kni_type *x, const kni_type *y, const int64_t *out)
{
    static kni_index_axis to[KN_MAX_NDIM], from[KN_MAX_NDIM];
    kni_index o = {y->ndim, y->ndim, to}, i = {.axis = from};
    memset(from, 0x55, sizeof from);
    for (int d = 0; d < y->ndim; d++) {
        to[d] = (kni_index_axis){.node = KNK_NONE};
        to[d].coef[d] = 1;
    }
    p->map(&(kni_rule){.prim = p, .params = params, .n_in = 1, .n_out = 1, .xt = x, .yt = y}, &o, &i);
    assert_int_equal(i.ndim, x->ndim);
    assert_int_equal(i.n_loop, y->ndim);
    int64_t offset = 0;
    for (int d = 0; d < x->ndim; d++) {
        int64_t at = from[d].offset;
        for (int l = 0; l < y->ndim; l++)
            at += from[d].coef[l] * out[l];
        assert_int_equal(from[d].node, KNK_NONE);
        assert_true(at >= 0 && at < x->dim[d]);
        offset = offset * x->dim[d] + at;
    }
    return offset;
}

#define SHAPE(...) kni_type_of(KN_DT(F32), sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (int64_t[]){__VA_ARGS__})
#define INTS(...)                                                                             \
    {                                                                                         \
        sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (const int64_t[]) { __VA_ARGS__ } \
    }
#define AT(...) ((int64_t[]){__VA_ARGS__})

static void views_map_positions(void **state)
{
    (void)state;
    kni_type x = SHAPE(2, 3), y = SHAPE(3, 2), b = SHAPE(4, 2, 3), one = SHAPE(1, 3), u = SHAPE(1, 2, 1, 3);
    assert_int_equal(mapped(&knp_prim_transpose, &(kni_p_transpose){INTS(1, 0)}, &x, &y, AT(2, 1)), 5);
    assert_int_equal(mapped(&knp_prim_transpose, &(kni_p_transpose){INTS(1, 0)}, &x, &y, AT(2, 0)), 2);
    assert_int_equal(mapped(&knp_prim_rev, &(kni_p_dims){INTS(1)}, &x, &x, AT(1, 0)), 5);
    assert_int_equal(
        mapped(&knp_prim_broadcast_in_dim, (&(kni_p_broadcast_in_dim){INTS(4, 2, 3), INTS(1, 2)}), &x, &b, AT(3, 1, 2)),
        5);
    assert_int_equal(mapped(&knp_prim_broadcast_in_dim, (&(kni_p_broadcast_in_dim){INTS(4, 2, 3), INTS(1, 2)}), &one,
                            &b, AT(3, 1, 2)),
                     2);
    assert_int_equal(mapped(&knp_prim_squeeze, &(kni_p_dims){INTS(0, 2)}, &u, &x, AT(1, 2)), 5);
    assert_int_equal(mapped(&knp_prim_reshape, &(kni_p_reshape){INTS(1, 2, 1, 3)}, &x, &u, AT(0, 1, 0, 1)), 4);
    assert_int_equal(mapped(&knp_prim_reshape, &(kni_p_reshape){INTS(2, 3)}, &u, &x, AT(1, 1)), 4);
    kni_type eight = SHAPE(8), two = SHAPE(2);
    assert_int_equal(mapped(&knp_prim_slice, (&(kni_p_slice){INTS(7), INTS(1), INTS(3)}), &eight, &two, AT(1)), 4);
}

static void a_reshape_that_splits_axes_is_mapped(void **state)
{
    (void)state;
    kni_type x = SHAPE(2, 3), u = SHAPE(1, 2, 1, 3, 1), six = SHAPE(6), turned = SHAPE(3, 2),
             none = {.dtype = KN_DT(F32)}, ones = SHAPE(1, 1), many = SHAPE(4, 6), split = SHAPE(1, 2, 2, 1, 3, 2, 1),
             empty = SHAPE(0, 3), other = SHAPE(3, 0);
    assert_true(knp_reshape_splits(&x, &u) && knp_reshape_splits(&u, &x) && knp_reshape_splits(&x, &x));
    assert_true(knp_reshape_splits(&none, &ones) && knp_reshape_splits(&ones, &none));
    assert_true(knp_reshape_splits(&six, &x) && knp_reshape_splits(&many, &split) &&
                knp_reshape_splits(&empty, &empty));
    assert_false(knp_reshape_splits(&x, &six) || knp_reshape_splits(&x, &turned) || knp_reshape_splits(&split, &many) ||
                 knp_reshape_splits(&empty, &other));
    assert_false(knp_prim_reshape.map_exists(&(kni_rule){.xt = &x, .yt = &six}));
    assert_int_equal(mapped(&knp_prim_reshape, &(kni_p_reshape){INTS(2, 3)}, &six, &x, AT(1, 1)), 4);
    assert_int_equal(mapped(&knp_prim_reshape, (&(kni_p_reshape){INTS(1, 2, 2, 1, 3, 2, 1)}), &many, &split,
                            AT(0, 1, 0, 0, 2, 1, 0)),
                     17);
}

/* argmax, argmin */

static void argmax_takes_the_first(void **state)
{
    (void)state;
    float x[] = {1, 5, 5, 2, NAN, 3, NAN, 9, -1, -1, -2, -2};
    kni_type xt = SHAPE(3, 4);
    int32_t rows[3], columns[4];
    kni_p_argreduce by_row = {INTS(1), KN_DT(I32)}, by_column = {INTS(0), KN_DT(I32)};
    kni_rule r = {.params = &by_row, .n_in = 1, .n_out = 1, .xt = &xt};
    kni_routine_args a = {(const void *[]){x}, (void *[]){rows}, NULL, 1};
    assert_null(knp_prim_argmax.run(&r, &a));
    assert_memory_equal(rows, ((int32_t[]){1, 0, 0}), sizeof rows);
    assert_null(knp_prim_argmin.run(&r, &a));
    assert_memory_equal(rows, ((int32_t[]){0, 0, 2}), sizeof rows);
    r.params = &by_column;
    a.y = (void *[]){columns};
    assert_null(knp_prim_argmax.run(&r, &a));
    assert_memory_equal(columns, ((int32_t[]){1, 0, 1, 1}), sizeof columns);
}

static void argmax_of_many_columns(void **state)
{
    (void)state;
    enum { OUTER = 2, N = 5, INNER = 70 };
    static int64_t x[OUTER][N][INNER];
    static uint8_t at[OUTER][INNER];
    for (int o = 0; o < OUTER; o++)
        for (int i = 0; i < INNER; i++)
            for (int j = 0; j < N; j++)
                x[o][j][i] = ((int64_t)1 << 60) + (j == (i + o) % N ? 1 : 0);
    kni_type xt = kni_type_of(KN_DT(I64), 3, AT(OUTER, N, INNER));
    kni_p_argreduce p = {INTS(1), KN_DT(U8)};
    kni_rule r = {.params = &p, .n_in = 1, .n_out = 1, .xt = &xt};
    assert_null(knp_prim_argmax.run(&r, &(kni_routine_args){(const void *[]){x}, (void *[]){at}, NULL, 1}));
    for (int o = 0; o < OUTER; o++)
        for (int i = 0; i < INNER; i++)
            assert_int_equal(at[o][i], (i + o) % N);
}

KN_TEST_GROUP(test_prim_expr)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signs_and_extremes),
        cmocka_unit_test(integer_arithmetic),
        cmocka_unit_test(choices),
        cmocka_unit_test(conversions_are_those_of_the_base),
        cmocka_unit_test(bits_come_through),
        cmocka_unit_test(complex_functions_are_those_of_c),
        cmocka_unit_test(complex64_functions_agree_with_complex128),
        cmocka_unit_test(complex_arithmetic),
        cmocka_unit_test(complex_order_is_numpys),
        cmocka_unit_test(views_map_positions),
        cmocka_unit_test(a_reshape_that_splits_axes_is_mapped),
        cmocka_unit_test(argmax_takes_the_first),
        cmocka_unit_test(argmax_of_many_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
