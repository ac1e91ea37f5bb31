/* SPDX-License-Identifier: Apache-2.0
 * test_stored.c -- dtypes that are only stored: float8, int4 and their kin become others and come of others as in
 * ml_dtypes (scripts/golden/make_stored_dtypes.py), are moved, shown and saved, and compute nothing. */
#define _DEFAULT_SOURCE     /* mkstemps */
#include "support/golden.h" /* first */
#include "support/expect.h"
#include "support/group.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { FIRST_STORED = 16 };
static const char *const codes[] = {"b1", "i1", "i2", "i4", "i8", "u1", "u2",
                                    "u4", "u8", "f2", "f4", "f8", "c8", "c16"};
enum { N_CODES = sizeof codes / sizeof *codes };
static golden stored;

static const knio_npy *found(const char *a, const char *between, const char *b)
{
    char name[64];
    snprintf(name, sizeof name, "%s%s%s", a, between, b);
    return golden_find(&stored, name);
}

static kn_array all_bytes(kn_dtype d) { return kn_view(kn_arange(0, 256, 1, .dtype = KN_U8), d); }

/* ---- Casts. */

static void numbers_are_stored_as_ml_dtypes_stores_them(void **state)
{
    (void)state;
    for (int id = FIRST_STORED; kn_dtype_builtin(id); id++)
        for (int c = 0; c < N_CODES; c++) {
            KN_SCOPE;
            kn_dtype d = kn_dtype_builtin(id);
            char name[64];
            snprintf(name, sizeof name, "%s to %s", codes[c], kn_dtype_name(d));
            kn_array x = golden_array(found("values ", "", codes[c])), y = kn_astype(x, d);
            assert_ptr_equal(kn_dtype_of(y), d);
            golden_same_bits(name, kn_view(y, KN_U8), golden_find(&stored, name));
        }
}

/* What C leaves open, ml_dtypes leaves to its compiler: floats that are no numbers of an integer dtype. */
static kn_array where_numbers_fit(kn_dtype from, kn_array y, kn_array other)
{
    kn_dtype d = kn_dtype_of(y);
    kn_array x = kn_astype(all_bytes(from), KN_F64);
    if (!kn_issubdtype(d, KN_INTEGER))
        return y;
    kn_iinfo_result i = kn_iinfo(d);
    kn_array fits = kn_logical_and(kn_greater(x, (double)i.min - 1), kn_less(x, (double)i.max));
    return kn_where(fits, y, other);
}

static void bytes_are_the_numbers_of_ml_dtypes(void **state)
{
    (void)state;
    for (int id = FIRST_STORED; kn_dtype_builtin(id); id++)
        for (int c = 0; c < N_CODES - 2; c++) {
            KN_SCOPE;
            kn_dtype d = kn_dtype_builtin(id);
            const knio_npy *want = found(kn_dtype_name(d), " to ", codes[c]);
            kn_array y = kn_astype(all_bytes(d), kn_dtype_named(codes[c]));
            golden_close(kn_dtype_name(d), where_numbers_fit(d, y, golden_array(want)), want, 0, 0);
        }
}

/* Elements that are looked at one by one are read by other code. */
static void an_item_is_that_number(void **state)
{
    (void)state;
    for (int id = FIRST_STORED; kn_dtype_builtin(id); id++) {
        KN_SCOPE;
        kn_array x = all_bytes(kn_dtype_builtin(id));
        const float *want = found(kn_dtype_name(kn_dtype_builtin(id)), " from bytes", "")->buffer->data;
        for (int i = 0; i < 256; i++) {
            double has = kn_item(x, i);
            if (isnan(want[i]) ? !isnan(has) : has != (double)want[i] || !signbit(has) != !signbit(want[i]))
                fail_msg("byte %d of %s is %g, not %g", i, kn_dtype_name(kn_dtype_builtin(id)), has, (double)want[i]);
        }
    }
}

static kn_array through(const kn_array *x) { return kn_astype(kn_astype(*x, KN_F8_E4M3FN), KN_F32); }
static kn_array from_small(const kn_array *x) { return kn_mul(kn_astype(*x, KN_F32), 2); }
KN_FUNCTION(through, kn_array, kn_array)
KN_FUNCTION(from_small, kn_array, kn_array)

static void casts_are_traced(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_of(float, 1, 0.3f, -500, 7.1f), y = NULL, z = NULL,
             small = kn_astype(kn_of(float, 0.5f, 3), KN_F4_E2M1FN);
    kn_call(kn_jit(KN_FN(through)), &y, &x);
    expect_values(y, 1, 0.3125, NAN, 7);
    kn_call(kn_vmap(KN_FN(through)), &z, &x);
    expect_values(z, 1, 0.3125, NAN, 7);
    kn_call(kn_jit(kn_vmap(KN_FN(from_small))), &z, &small);
    expect_values(z, 1, 6);
}

static void stored_to_stored(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_astype(kn_of(float, 1, 0.3f, 6), KN_F8_E5M2);
    expect_values(kn_astype(kn_astype(x, KN_F4_E2M1FN), KN_F32), 1, 0.5, 6);
    expect_values(kn_astype(kn_astype(x, KN_I4), KN_I64), 1, 0, 6);
    assert_ptr_equal(kn_dtype_of(kn_astype(x, KN_F8_E5M2, .copy = false)), KN_F8_E5M2);
}

/* ---- Moving. */

static void made_and_moved(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array zeros = kn_zeros(KN_SHAPE(2, 3), .dtype = KN_F8_E4M3FN),
             ones = kn_ones(KN_SHAPE(2, 3), .dtype = KN_F8_E4M3FN),
             full = kn_full(KN_SHAPE(3), 0.3, .dtype = KN_F8_E4M3FN), like = kn_full_like(ones, 2),
             one = kn_ones_like(zeros);
    expect_values(kn_astype(kn_concatenate(KN_LIST(zeros, ones)), KN_F32), 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1);
    expect_values(kn_astype(full, KN_F32), 0.3125, 0.3125, 0.3125);
    expect_values(kn_astype(kn_at(like, "1, ::-1"), KN_F32), 2, 2, 2);
    expect_values(kn_astype(kn_where(kn_of(bool, 1, 0, 1), full, one), KN_F32), 0.3125, 1, 0.3125, 0.3125, 1, 0.3125);
    kn_array x = kn_astype(kn_reshape(kn_arange(0, 6, 1), KN_SHAPE(2, 3)), KN_I4), rows = kn_of(int, 1, 0, 1);
    expect_values(kn_astype(kn_at(x, "%", rows), KN_I64), 3, 4, 5, 0, 1, 2, 3, 4, 5);
    expect_values(kn_astype(kn_transpose(x), KN_I64), 0, 3, 1, 4, 2, 5);
    kn_set_at(x, kn_astype(kn_of(int, 7, 6, 5), KN_I4), "0");
    expect_values(kn_astype(kn_roll(x, 1), KN_I64), 5, 7, 6, 5, 3, 4);
    expect_values(kn_astype(kn_take(x, kn_of(int, 5, 0)), KN_I64), 5, 7);
    expect_values(kn_astype(kn_pad(kn_at(x, "1"), kn_num(1)), KN_I64), 0, 3, 4, 5, 0);
    assert_int_equal(kn_nbytes(x), 6);
    assert_true(kn_shares_memory(kn_view(x, KN_U8), x));
    uint8_t bytes[] = {0x38, 0x40};
    expect_values(kn_astype(kn_frombuffer(bytes, sizeof bytes, .dtype = KN_F8_E4M3FN), KN_F64), 1, 2);
}

static void nothing_computes(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_ones(KN_SHAPE(2), .dtype = KN_F8_E4M3FN);
    kn_add(x, x);
    expect_error("TypeError",
                 "add: add is not defined for dtype float8_e4m3fn, which is only stored: convert it with kn_astype");
    kn_sum(x);
    expect_error_with("TypeError", "float8_e4m3fn");
    kn_exp(x);
    expect_error_with("TypeError", "float8_e4m3fn");
    kn_matmul(x, x);
    expect_error_with("TypeError", "float8_e4m3fn");
    kn_add(x, kn_ones(KN_SHAPE(2)));
    expect_error("TypeError", "add: the dtypes float8_e4m3fn and float64 do not promote to a common dtype");
    kn_add(x, 1);
    expect_error("TypeError", "add: float8_e4m3fn does not mix with numbers");
    kn_set_at(x, 1.0, "0");
    expect_error_with("TypeError", "cannot convert float64 to float8_e4m3fn here; kn_astype does");
    kn_random_bits(x, KN_SHAPE(2));
    expect_error_with("TypeError", "a random key is wanted");
    kn_astype(kn_random_key(1), KN_F8_E4M3FN);
    expect_error_with("TypeError", "Cannot cast scalar from dtype('key<fry>') to dtype('float8_e4m3fn')");
}

/* ---- Texts and files. */

static void shown(void **state)
{
    (void)state;
    KN_SCOPE;
    kn_array x = kn_astype(kn_of(float, 1, 0.3f, -7, NAN), KN_F8_E5M2);
    assert_string_equal(kn_repr(x), "array([1, 0.3125, -7, nan], dtype='float8_e5m2')");
    assert_string_equal(kn_array_str(kn_astype(kn_of(int, 1, -8, 7), KN_I4)), "[1 -8 7]");
    assert_string_equal(kn_repr(kn_astype(kn_of(int, 1, -8, 7), KN_I4)), "array([1, -8, 7], dtype=int4)");
}

static void saved_and_read_back(void **state)
{
    char path[] = "/tmp/kiln-stored-XXXXXX.npy";
    (void)state;
    KN_SCOPE;
    int file = mkstemps(path, 4);
    assert_true(file >= 0);
    close(file);
    kn_array x = kn_astype(kn_of(float, 1, 0.3f, -7), KN_F8_E5M2), y = kn_astype(x, KN_F8_E4M3FN);
    kn_save(path, x);
    assert_true(kn_array_equal(kn_view(kn_load(path), KN_U8), kn_view(x, KN_U8)));
    assert_ptr_equal(kn_dtype_of(kn_load(path)), KN_F8_E5M2);
    kn_save(path, y); /* the file says that it is bytes */
    assert_ptr_equal(kn_dtype_of(kn_load(path)), KN_U8);
    expect_values(kn_astype(kn_view(kn_load(path), KN_F8_E4M3FN), KN_F32), 1, 0.3125, -7);
    unlink(path);
}

static void casts_have_rules(void **state)
{
    (void)state;
    KN_SCOPE;
    assert_true(kn_can_cast(KN_F8_E4M3FN, KN_F32, "safe"));
    assert_false(kn_can_cast(KN_F8_E4M3FN, KN_F16, "safe"));
    assert_true(kn_can_cast(KN_U4, KN_U8, "safe"));
    assert_false(kn_can_cast(KN_I4, KN_U8, "safe"));
    assert_false(kn_can_cast(KN_F32, KN_F8_E4M3FN, "safe"));
    assert_true(kn_can_cast(KN_F32, KN_F8_E4M3FN, "same_kind"));
    assert_false(kn_can_cast(KN_KEY, KN_F8_E4M3FN, "unsafe"));
    assert_true(kn_issubdtype(KN_F8_E4M3FN, KN_FLOATING));
    assert_true(kn_isdtype(KN_U4, "unsigned integer"));
    assert_ptr_equal(kn_dtype_named("float8_e4m3fn"), KN_F8_E4M3FN);
    assert_ptr_equal(kn_dtype_named("int4"), KN_I4);
    assert_ptr_equal(kn_dtype_named("i4"), KN_I32);
    assert_int_equal(kn_dtype_kind(KN_F8_E4M3FN), 'V');
    kn_astype(kn_of(float, 1, 0.3f), KN_F8_E4M3FN, .casting = "safe");
    expect_error(
        "TypeError",
        "astype: Cannot cast array data from dtype('float32') to dtype('float8_e4m3fn') according to the rule 'safe'");
}

KN_TEST_GROUP(test_stored)
{
    const struct CMUnitTest tests[] = {
        TEST(numbers_are_stored_as_ml_dtypes_stores_them),
        TEST(bytes_are_the_numbers_of_ml_dtypes),
        TEST(an_item_is_that_number),
        TEST(casts_are_traced),
        TEST(stored_to_stored),
        TEST(made_and_moved),
        TEST(nothing_computes),
        TEST(shown),
        TEST(saved_and_read_back),
        TEST(casts_have_rules),
    };
    stored = golden_read("stored_dtypes.npz");
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    golden_free(&stored);
    return failed;
}
