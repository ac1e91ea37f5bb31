/* SPDX-License-Identifier: Apache-2.0
 * test_elements.c -- single elements read and written: without a plan where the elements are in memory, and as through
 * any other path everywhere. */
#include "support/bits.h"
#include "support/expect.h"
#include "support/group.h"
#include "support/steps.h"
#include "support/view_model.h"
#include "host/native.h"
#include <kiln/random.h>
#include <stdlib.h>

static void expect_complex(kn_array z, double re, double im)
{
    kn_c128 c = kn_item_complex(z);
    assert_true(c.re == re && c.im == im);
}

/* ---- Without a plan. */

static void a_read_of_what_is_there_runs_nothing(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_arange(0, 24, 1), m = kn_reshape(x, KN_SHAPE(2, 3, 4)), t = kn_transpose(m), r = kn_flip(m);
    kn_eval(x);
    double got[6];
    assert_int_equal(STEPS(got[0] = kn_item(kn_at(x, "5")), got[1] = kn_item(kn_at(x, "%", -1)),
                           got[2] = kn_item(kn_at(m, "1, %, -2", 2)), got[3] = kn_item(kn_at(t, "%,1,0", 3)),
                           got[4] = kn_item(kn_at(r, "0, 0, 1")), got[5] = kn_item(kn_at(kn_at(m, "1, ::2"), "1, 3"))),
                     0);
    const double want[] = {5, 23, 22, 7, 22, 23};
    for (int i = 0; i < 6; i++)
        assert_true(got[i] == want[i]);
}

static void a_write_into_what_is_there_runs_nothing(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_zeros(KN_SHAPE(2, 3)), v = kn_scalar(7.5);
    kn_eval(x);
    assert_int_equal(STEPS(kn_set_at(x, 1, "0, 0"), kn_set_at(kn_transpose(x), v, "%, -1", 1),
                           kn_set_at(kn_at(x, "::-1, ::-1"), kn_at(x, "1, 1"), "0, 0")),
                     0);
    expect_values(x, 1, 0, 0, 0, 7.5, 7.5);
}

static void a_loop_over_elements_runs_nothing_that_grows(void **state)
{
    (void)state;
    KN_SCOPE;
    enum { N = 300 };
    kn_array y = kn_zeros(KN_SHAPE(N + 1)), w = kn_zeros(KN_SHAPE(N)); /* both wait */
    int run = STEPS(for (int i = 0; i < N; i++) {
        KN_SCOPE;
        kn_set_at(w, i, "%", i);
        kn_set_at(y, kn_add(kn_at(y, "%", i), kn_at(w, "%", i)), "%", i + 1);
    });
    assert_true(run <= N + 8); /* one for the sum of each round */
    assert_true(kn_item(kn_at(y, "%", N)) == N * (N - 1) / 2.0);
}

/* ---- Arithmetic with them: what comes often runs nothing. */

enum { OFTEN = 20 }; /* and more */

static void arithmetic_with_elements_runs_nothing_once_it_comes_often(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_arange(0, 6, 1, .dtype = KN_F64), y = kn_zeros(KN_SHAPE(6)), b = kn_scalar(0.5);
    kn_eval(x), kn_eval(y), kn_eval(b);
    int run = -1;
    for (int k = 0; k < OFTEN; k++) {
        KN_SCOPE;
        int i = k % 6;
        run = STEPS(kn_iadd_at(y, 2, "%", i), kn_isub_at(y, 0.5, "%", i), kn_imul_at(y, b, "%", i),
                    kn_idiv_at(y, kn_at(x, "%", 4), "%", i), kn_ufunc_at(kn_ufunc_maximum, y, -1.0, "%", i),
                    kn_ufunc_at(kn_ufunc_add, y, b, "%", i), kn_set_at(y, kn_mul(2, kn_at(y, "%", i)), "%", i),
                    kn_set_at(y, kn_where(kn_less(kn_at(y, "%", i), b), b, kn_sin(kn_at(y, "%", i))), "%", i),
                    kn_item(kn_sub(kn_add(kn_mul(b, b), 1), b)), kn_item_bool(kn_greater_equal(kn_at(x, "%", i), 3)));
    }
    assert_int_equal(run, knh_generator_best() == &knh_interpreter ? 10 : 0); /* without machine code each is a step */
}

/* A value's bytes where it is a scalar, or one element of an array, and what was complained about. */
static kn_array complain(kn_array z, char error[200])
{
    snprintf(error, 200, "%s", kn_error_pending() ? kn_error_message() : "");
    kn_error_clear();
    return z;
}

/* Values of each dtype, with the NaNs of other machines. */
static kn_array interesting(kn_dtype d, int i)
{
    static const uint64_t f64[] = {0x3ff8000000000000, 0xc008000000000000, 0,
                                   0x8000000000000000, 0x7ff0000000000000, 0x7ff8000000000123,
                                   0xfff8000000000456, 0x3fe0000000000000, 0x4000000000000000};
    static const uint32_t f32[] = {0x3fc00000, 0xc0400000, 0,          0x80000000, 0x7f800000,
                                   0x7fc00123, 0xffc00456, 0x3f000000, 0x40000000};
    static const uint16_t f16[] = {0x3e00, 0xc200, 0, 0x8000, 0x7c00, 0x7e12, 0xfe45, 0x3800, 0x4000};
    static const int64_t whole[] = {0, 1, 2, 3, 7, 100, -1, -3, INT64_MIN};
    const kn_shape one = KN_SHAPE(1);
    const uint16_t bf16 = (uint16_t)(f32[i] >> 16);
    const uint32_t c64[] = {f32[i], f32[8 - i]};
    const uint64_t c128[] = {f64[i], f64[8 - i]};
    const void *from = d == KN_F64    ? (const void *)&f64[i]
                       : d == KN_F32  ? (const void *)&f32[i]
                       : d == KN_F16  ? (const void *)&f16[i]
                       : d == KN_BF16 ? (const void *)&bf16
                       : d == KN_C64  ? (const void *)c64
                       : d == KN_C128 ? (const void *)c128
                                      : NULL;
    return from ? kn_from_memory(from, &one, d) : kn_astype(kn_from_memory(&whole[i], &one, KN_I64), d);
}

/* f of scalars and of arrays of one element: the same dtype, bits and errors, however often it was asked for. */
static void check_scalars(kn_array (*f)(kn_array, kn_array), kn_dtype d, kn_dtype e)
{
    for (int k = 0; k < 2 * 9; k++) {
        KN_SCOPE;
        kn_array x = interesting(d, k % 9), y = interesting(e, k * 4 % 9);
        kn_array xs = kn_copy(kn_at(x, "0")), ys = kn_copy(kn_at(y, "0"));
        kn_eval(x), kn_eval(y), kn_eval(xs), kn_eval(ys);
        char want[200], got[200];
        kn_array z = complain(f(x, y), want), zs = complain(f(xs, ys), got);
        assert_string_equal(got, want);
        if (*want)
            continue;
        assert_true(kn_dtype_of(z) == kn_dtype_of(zs));
        assert_int_equal(kn_ndim(zs), 0);
        z = kn_copy(z), zs = kn_copy(zs);
        assert_memory_equal(kn_data_bytes(zs, kn_dtype_of(z)), kn_data_bytes(z, kn_dtype_of(z)),
                            (size_t)kn_itemsize(z));
    }
}

static void scalars_have_the_bits_of_arrays(void **state)
{
    (void)state;
    const kn_dtype all[] = {KN_BOOL, KN_I8,  KN_I16,  KN_I32, KN_I64, KN_U8,  KN_U16, KN_U32,
                            KN_U64,  KN_F16, KN_BF16, KN_F32, KN_F64, KN_C64, KN_C128};
    kn_array (*const functions[])(kn_array, kn_array) = {
        kn_add,     kn_subtract,     kn_multiply, kn_divide,        kn_power,       kn_maximum,
        kn_minimum, kn_floor_divide, kn_fmax,     kn_remainder,     kn_copysign,    kn_logaddexp,
        kn_arctan2, kn_hypot,        kn_gcd,      kn_left_shift,    kn_equal,       kn_not_equal,
        kn_less,    kn_less_equal,   kn_greater,  kn_greater_equal, kn_bitwise_and, kn_nextafter};
    enum { DTYPES = sizeof all / sizeof *all };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        for (int d = 0; d < DTYPES; d++) {
            check_scalars(functions[i], all[d], all[d]);
            check_scalars(functions[i], all[d], all[(d * 4 + (int)i) % DTYPES]);
        }
}

static void c_numbers_beside_scalars_are_looked_at_each_time(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array u = kn_scalar((uint8_t)200);
    kn_eval(u);
    for (int k = 0; k < OFTEN; k++) {
        KN_SCOPE;
        assert_true(kn_item(kn_add(u, k)) == 200 + k);
        assert_true(kn_dtype_of(kn_add(u, k)) == KN_U8);
        assert_true(kn_item(kn_mul(u, 0.5)) == 100);
        kn_add(u, 256 + k);
        char error[80];
        snprintf(error, sizeof error, "add: integer %d out of bounds for uint8", 256 + k);
        expect_error("OverflowError", error);
        assert_true(kn_item_bool(kn_less(u, 1000 + k)));
    }
}

static kn_array of_scalars(const kn_array *x) { return kn_add(kn_mul(*x, *x), kn_sin(*x)); }
KN_FUNCTION(of_scalars, kn_array, kn_array)

static void recordings_hold_what_outside_is_worked_out_at_once(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(2.0), y, g;
    kn_eval(x);
    const char *before = kn_jaxpr_text(kn_make_jaxpr(KN_FN(of_scalars), KN_ARGS(&x)), KN_JAXPR_FULL);
    for (int k = 0; k < OFTEN; k++)
        kn_item(of_scalars(&x));
    assert_string_equal(kn_jaxpr_text(kn_make_jaxpr(KN_FN(of_scalars), KN_ARGS(&x)), KN_JAXPR_FULL), before);
    kn_call(kn_jit(KN_FN(of_scalars)), &y, &x);
    kn_call(kn_grad(KN_FN(of_scalars)), &g, &x);
    assert_true(kn_item(y) == kn_item(of_scalars(&x)));
    assert_true(fabs(kn_item(g) - (4 + cos(2.0))) < 1e-15);
}

static void what_is_worked_out_is_an_array_like_any_other(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_scalar(2.0), z = NULL, same;
    kn_eval(x);
    for (int k = 0; k < OFTEN; k++)
        z = kn_add(x, x);
    same = z;
    kn_iadd(z, 1);
    assert_true(kn_item(same) == 5);
    assert_true(kn_item(x) == 2);
    kn_set_at(z, 7, "");
    expect_values(kn_broadcast_to(z, KN_SHAPE(2)), 7, 7);
    *kn_data_mut(z, double) = 9;
    kn_touch(z);
    assert_true(kn_item(kn_add(z, x)) == 11);
}

/* ---- What is read and written. */

static void every_dtype_keeps_its_elements(void **state)
{
    (void)state;
    const kn_dtype all[] = {KN_BOOL, KN_I8,  KN_I16,  KN_I32, KN_I64, KN_U8,  KN_U16, KN_U32,
                            KN_U64,  KN_F16, KN_BF16, KN_F32, KN_F64, KN_C64, KN_C128};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        KN_SCOPE;
        kn_array x = kn_zeros(KN_SHAPE(5), .dtype = all[k]), y = kn_ones(KN_SHAPE(2), .dtype = all[k]);
        kn_eval(x), kn_eval(y);
        kn_set_at(x, 1, "3");
        kn_set_at(x, kn_at(y, "1"), "-5");
        assert_true(kn_dtype_of(kn_at(x, "3")) == all[k]);
        expect_values(kn_astype(x, KN_F64), 1, 0, 0, 1, 0);
    }
}

static void numbers_are_cast_as_numpy_casts_them(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array h = kn_zeros(KN_SHAPE(1), .dtype = KN_F16), u = kn_zeros(KN_SHAPE(1), .dtype = KN_U8),
             z = kn_zeros(KN_SHAPE(1), .dtype = KN_C64), b = kn_zeros(KN_SHAPE(1), .dtype = KN_BOOL),
             l = kn_zeros(KN_SHAPE(1), .dtype = KN_I64);
    kn_eval(h), kn_eval(u), kn_eval(z), kn_eval(b), kn_eval(l);
    kn_set_at(h, 2049, "0"); /* halfway between 2048 and 2050 */
    expect_values(h, 2048);
    kn_set_at(u, kn_of(int64_t, 300), "0");
    expect_values(u, 44);
    kn_set_at(u, kn_scalar((int64_t)-1), "0");
    expect_values(u, 255);
    kn_set_at(z, kn_like_complex(1, -2), "0");
    expect_complex(z, 1, -2);
    kn_set_at(b, 0.5, "0");
    expect_values(b, 1);
    kn_set_at(l, kn_scalar(-2.9), "0");
    expect_values(l, -2);
    kn_set_at(l, INT64_MAX, "0");
    assert_true(kn_item_int(kn_at(l, "0")) == INT64_MAX);
}

static void errors_are_those_of_every_write(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array u = kn_zeros(KN_SHAPE(2), .dtype = KN_U8), x = kn_zeros(KN_SHAPE(2)), wide;
    kn_eval(u), kn_eval(x);
    assert_int_equal(kn_set_at(u, 300, "0"), -1);
    expect_error("OverflowError", "set_at: integer 300 out of bounds for uint8");
    kn_set_at(u, NAN, "0");
    expect_error("ValueError", "set_at: cannot convert float NaN to integer");
    kn_set_at(u, INFINITY, "0");
    expect_error("OverflowError", "set_at: cannot convert float infinity to integer");
    kn_set_at(x, kn_like_complex(1, 1), "0");
    expect_error("TypeError", "set_at: float() argument must be a string or a real number, not 'complex'");
    kn_set_at(x, 1, "-3");
    expect_error("IndexError", "set_at: index -3 is out of bounds for axis 0 with size 2");
    kn_set_at(x, kn_of(double, 1, 2), "0");
    expect_error("ValueError", "set_at: setting an array element with a sequence.");
    kn_iadd_at(u, 0.5, "1");
    expect_error("TypeError", "iadd_at: Cannot cast ufunc 'add' output from dtype('float64') to dtype('uint8') with "
                              "casting rule 'same_kind'");
    kn_iadd_at(u, 300, "1");
    expect_error("OverflowError", "iadd_at: integer 300 out of bounds for uint8");
    wide = kn_broadcast_to(x, KN_SHAPE(3, 2));
    kn_set_at(wide, 1, "0, 0");
    expect_error("ValueError", "set_at: assignment destination is read-only");
    kn_at(x, "2");
    expect_error("IndexError", "at: index 2 is out of bounds for axis 0 with size 2");
    expect_values(x, 0, 0);
    expect_values(u, 0, 0);
}

static void operators_at_one_element(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(int64_t, 7, 7, 7, 7, 7, 7, 7, 7), f = kn_of(float, 0.1f);
    kn_eval(x), kn_eval(f);
    kn_iadd_at(x, 1, "0"), kn_isub_at(x, 1, "1"), kn_imul_at(x, 3, "%", 2), kn_ipow_at(x, 2, "3");
    kn_ifloordiv_at(x, -2, "4"), kn_imod_at(x, -4, "5"), kn_ilshift_at(x, 2, "6"), kn_ixor_at(x, kn_at(x, "0"), "-1");
    expect_values(x, 8, 6, 21, 49, -4, -1, 28, 15);
    kn_ufunc_at(kn_ufunc_maximum, x, 9, "0");
    expect_values(kn_at(x, "0"), 9);
    kn_iadd_at(f, 0.2, "0"); /* a C number takes part as float32 */
    assert_true((float)kn_item(f) == 0.1f + 0.2f);
}

/* ---- Who sees it. */

static void views_see_it_and_copies_do_not(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_arange(0, 6, 1), m = kn_reshape(x, KN_SHAPE(2, 3)), tail = kn_at(x, "3:");
    kn_array copy = kn_copy(x), waits = kn_mul(tail, 10), same = kn_zeros(KN_SHAPE(6), .dtype = KN_I64);
    kn_set_at(same, x, "...");
    kn_eval(x), kn_eval(m), kn_eval(tail), kn_eval(copy);
    kn_array before = kn_at(x, "4");
    kn_set_at(m, 70, "1, 1");
    expect_values(tail, 3, 70, 5);
    expect_values(x, 0, 1, 2, 3, 70, 5);
    kn_set_at(tail, 80, "-1");
    expect_values(m, 0, 1, 2, 3, 70, 80);
    expect_values(copy, 0, 1, 2, 3, 4, 5);
    expect_values(same, 0, 1, 2, 3, 4, 5);
    expect_values(waits, 30, 40, 50);
    expect_values(before, 4);
    kn_set_at(copy, -1, "0"), kn_set_at(same, -2, "0");
    expect_values(kn_at(x, ":1"), 0);
}

static kn_array reads_constant;
static kn_array uses_constant(const kn_array *x) { return kn_add(*x, reads_constant); }
KN_FUNCTION(uses_constant, kn_array, kn_array)

static void what_a_function_captured_stays(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array one = kn_scalar(1.0), y, z;
    reads_constant = kn_of(double, 10, 20);
    kn_eval(reads_constant);
    kn_fn f = kn_jit(KN_FN(uses_constant));
    kn_call(f, &y, &one);
    kn_set_at(reads_constant, 99, "0");
    kn_call(f, &z, &one);
    expect_values(y, 11, 21);
    expect_values(z, 11, 21); /* as JAX: what was there when it was recorded */
    expect_values(reads_constant, 99, 20);
}

static kn_array reads_and_writes(const kn_array *x)
{
    kn_array y = kn_copy(*x);
    kn_set_at(y, kn_mul(kn_at(*x, "0"), kn_at(*x, "-1")), "1");
    kn_iadd_at(y, kn_at(y, "1"), "0");
    return kn_sum(kn_mul(y, y));
}
KN_FUNCTION(reads_and_writes, kn_array, kn_array)

static void traces_record_them(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 2, 5, 3), y, g; /* y = (2 + 6, 6, 3) */
    kn_eval(x);
    expect_values(reads_and_writes(&x), 109);
    kn_call(kn_jit(KN_FN(reads_and_writes)), &y, &x);
    expect_values(y, 109);
    kn_call(kn_grad(KN_FN(reads_and_writes)), &g, &x); /* of (a + ac)^2 + (ac)^2 + c^2 */
    expect_values(g, 2 * 8 * 4 + 2 * 6 * 3, 0, 2 * 8 * 2 + 2 * 6 * 2 + 2 * 3);
    kn_call(kn_vmap(KN_FN(reads_and_writes)), &y, &(kn_array){kn_stack(KN_LIST(x, x))});
    expect_values(y, 109, 109);
    expect_values(x, 2, 5, 3);
}

static void memory_that_others_see(void **state)
{
    (void)state;
    KN_SCOPE;
    double mine[] = {1, 2, 3};
    {
        KN_SCOPE;
        kn_array w = kn_wrap(mine, KN_SHAPE(3), KN_F64), old = kn_mul(w, 10), c = kn_copy(w);
        kn_eval(w);
        kn_set_at(w, 20, "1");
        kn_eval(w);
        assert_true(mine[1] == 20);
        kn_touch(w);
        mine[2] = 30;
        assert_true(kn_item(kn_at(w, "2")) == 30);
        expect_values(old, 10, 20, 30);
        expect_values(c, 1, 2, 3);
        kn_set_at(kn_at(w, "::-1"), 11, "-1");
    }
    assert_true(mine[0] == 11);
    kn_array x = kn_of(double, 1, 2, 3);
    double *p = kn_data_mut(x, double);
    kn_set_at(x, 7, "0");
    kn_eval(x);
    assert_true(p[0] == 7);
    kn_array r = kn_wrap(mine, KN_SHAPE(3), KN_F64, .readonly = true);
    kn_set_at(r, 1, "0");
    expect_error("ValueError", "set_at: assignment destination is read-only");
    assert_true(mine[0] == 11);
}

/* ---- Kinds of elements that are no plain memory. */

static void parts_of_elements(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array z = kn_zeros(KN_SHAPE(2), .dtype = KN_C128), f = kn_of(float, 1, 2), b = kn_of(bool, false, true);
    kn_eval(z), kn_eval(f), kn_eval(b);
    kn_set_at(kn_real(z), 3, "1"), kn_set_at(kn_imag(z), -4, "1");
    expect_complex(kn_at(z, "1"), 3, -4);
    assert_true(kn_item(kn_at(kn_imag(z), "-1")) == -4);
    kn_array bits = kn_view(f, KN_U32), bytes = kn_view(b, KN_U8);
    assert_true(kn_item(kn_at(bits, "1")) == 0x40000000);
    kn_set_at(bits, 0x40400000, "0");
    expect_values(f, 3, 2);
    kn_set_at(bytes, 1, "0");
    expect_values(b, 1, 1);
    assert_true(kn_item(kn_at(bytes, "1")) == 1);
    kn_array pairs = kn_view(f, KN_U64);
    assert_true(kn_item_int(kn_at(pairs, "0")) == (BITS_BIG_ENDIAN ? 0x4040000040000000 : 0x4000000040400000));
}

static void keys(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array k = kn_random_split(kn_random_key(5), 3), other = kn_random_key(8), a, b;
    kn_eval(k), kn_eval(other);
    a = kn_random_uniform(kn_at(k, "1"), KN_SHAPE(4));
    b = kn_random_uniform(kn_squeeze(kn_at(k, "1:2"), KN_AXIS(0)), KN_SHAPE(4));
    assert_true(kn_array_equal(a, b));
    kn_set_at(k, other, "0");
    assert_true(kn_array_equal(kn_random_uniform(kn_at(k, "0"), KN_SHAPE(4)), kn_random_uniform(other, KN_SHAPE(4))));
    kn_set_at(k, 1, "0");
    expect_error("TypeError", "set_at: cannot convert int64 to key<fry>");
}

static void scalars_and_themselves(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array s = kn_scalar(2.0), t = kn_copy(kn_at(kn_of(double, 4, 5), "1")), n = kn_like_double(1);
    kn_eval(t);
    kn_set_at(t, t, "");
    kn_iadd_at(t, t, "");
    expect_values(t, 10);
    kn_set_at(s, t, "...");
    kn_imul_at(s, 3, "");
    expect_values(s, 30);
    expect_values(kn_at(s, ""), 30);
    kn_set_at(n, 4, "");
    expect_values(n, 4);
}

static void checked_for_nans(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(double, 1, -1);
    kn_eval(x);
    kn_check_nans(true);
    kn_set_at(x, NAN, "0");
    assert_true(isnan(kn_item(kn_at(x, "0"))));
    expect_no_error();
    kn_ipow_at(x, 0.5, "1");
    kn_eval(x);
    kn_check_nans(false);
    assert_true(kn_error_pending());
    kn_error_clear();
}

static void failures_stay_with_the_array(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_matmul(kn_ones(KN_SHAPE(2)), kn_ones(KN_SHAPE(3)));
    assert_true(kn_error_pending());
    kn_error_clear();
    kn_set_at(x, 1, "");
    assert_false(kn_ok(kn_at(x, "")));
    kn_error_clear();
}

/* ---- Random programs against plain memory. */

enum { ROWS = 4, COLS = 6 };

static void one_of_many(kn_array x, double *memory)
{
    KN_SCOPE;
    model m;
    kn_array v = random_view(x, ROWS, COLS, 2, &m);
    int64_t i = draw(m.dim[0]), j = draw(m.dim[1]);
    double *e = &memory[place(&m, i, j)], value = (double)draw(1000);
    int64_t i_given = draw(2) ? i : i - m.dim[0], j_given = draw(2) ? j : j - m.dim[1];
    switch (draw(12)) {
    case 0: kn_set_at(v, value, "%, %", i_given, j_given), *e = value; break;
    case 1: kn_iadd_at(v, value, "%, %", i_given, j_given), *e += value; break;
    case 2: assert_true(kn_item(kn_at(v, "%, %", i_given, j_given)) == *e); break;
    case 3: /* a value that waits */
        kn_set_at(v, kn_mul(kn_at(v, "%, %", i_given, j_given), 2), "%, %", i, j), *e *= 2;
        *e = fmod(*e, 4096) < 0 ? fmod(*e, 4096) + 4096 : fabs(fmod(*e, 4096)); /* NumPy's, and its 0 */
        kn_imod_at(v, 4096, "%, %", i, j);
        break;
    case 4:
        kn_set_at(v, value, "%", i); /* a whole row */
        for (int64_t k = 0; k < m.dim[1]; k++)
            memory[place(&m, i, k)] = value;
        break;
    case 5: kn_set_at(v, kn_sum(kn_ones(KN_SHAPE(5))), "%, %", i, j), *e = 5; break;
    case 6: kn_eval(x); break;
    case 7: kn_isub_at(v, value, "%, %", i, j), *e -= value; break;
    case 8: kn_imul_at(v, -1, "%, %", i, j), *e *= -1; break;
    case 9: /* by a power of two: no digits are lost */
        kn_idiv_at(v, kn_scalar(2.0), "%, %", i_given, j_given), *e /= 2;
        *e = floor(*e);
        kn_set_at(v, kn_floor(kn_at(v, "%, %", i, j)), "%, %", i, j);
        break;
    case 10: kn_ufunc_at(kn_ufunc_maximum, v, value + 1, "%, %", i, j), *e = fmax(*e, value + 1); break;
    case 11: { /* with another element */
        int64_t k = draw(m.dim[0]), l = draw(m.dim[1]);
        double other = memory[place(&m, k, l)];
        kn_array here = kn_at(v, "%, %", i, j), there = kn_at(v, "%, %", k, l);
        assert_true(kn_item_bool(kn_less(here, there)) == (*e < other));
        kn_set_at(v, kn_where(kn_less(here, there), kn_sub(there, here), 3), "%, %", i, j);
        *e = *e < other ? other - *e : 3;
        break;
    }
    }
}

static void random_programs(void **state)
{
    (void)state;
    seed = 7;
    for (int program = 0; program < 200; program++) {
        KN_SCOPE;
        double memory[ROWS * COLS];
        kn_array x = kn_reshape(kn_arange(0, ROWS * COLS, 1, .dtype = KN_F64), KN_SHAPE(ROWS, COLS)), held = NULL;
        double old[ROWS * COLS];
        for (int i = 0; i < ROWS * COLS; i++)
            memory[i] = i;
        for (int k = 0; k < 30; k++) {
            if (k == 10 + program % 10) { /* what waits keeps what it saw */
                held = program % 2 ? kn_sub(x, 0.0) : kn_copy(x);
                memcpy(old, memory, sizeof old);
            }
            one_of_many(x, memory);
        }
        const double *now = kn_data(x, double), *then = kn_data(held, double);
        assert_memory_equal(now, memory, sizeof memory);
        assert_memory_equal(then, old, sizeof old);
    }
}

KN_TEST_GROUP(test_elements)
{
    const struct CMUnitTest tests[] = {
        TEST(a_read_of_what_is_there_runs_nothing),
        TEST(a_write_into_what_is_there_runs_nothing),
        TEST(a_loop_over_elements_runs_nothing_that_grows),
        TEST(arithmetic_with_elements_runs_nothing_once_it_comes_often),
        TEST(scalars_have_the_bits_of_arrays),
        TEST(c_numbers_beside_scalars_are_looked_at_each_time),
        TEST(recordings_hold_what_outside_is_worked_out_at_once),
        TEST(what_is_worked_out_is_an_array_like_any_other),
        TEST(every_dtype_keeps_its_elements),
        TEST(numbers_are_cast_as_numpy_casts_them),
        TEST(errors_are_those_of_every_write),
        TEST(operators_at_one_element),
        TEST(views_see_it_and_copies_do_not),
        TEST(what_a_function_captured_stays),
        TEST(traces_record_them),
        TEST(memory_that_others_see),
        TEST(parts_of_elements),
        TEST(keys),
        TEST(scalars_and_themselves),
        TEST(checked_for_nans),
        TEST(failures_stay_with_the_array),
        TEST(random_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
