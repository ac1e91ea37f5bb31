/* SPDX-License-Identifier: Apache-2.0
 * test_integer_division.c -- quotients and remainders of integers by one number for all, which are computed by a
 * multiplication, and by one for each: those of C, rounded as NumPy does. */
#include "support/expect.h"
#include "support/group.h"
#include <stdlib.h>

enum { MOST = 1 << 16 };

/* What is expected of x / y, as numbers of 64 bits (unsigned ones are below 2^63 or compared as they are). */
typedef struct results {
    int64_t floor, rest, fmod;
} results;

static results of_signed(int64_t x, int64_t y, int64_t least)
{
    if (y == 0)
        return (results){0, 0, 0};
    if (y == -1)
        return (results){x == least ? least : -x, 0, 0};
    results r = {x / y, x % y, x % y};
    if (r.rest && (r.rest < 0) != (y < 0)) {
        r.floor--;
        r.rest += y;
    }
    return r;
}

static results of_unsigned(uint64_t x, uint64_t y)
{
    return y ? (results){(int64_t)(x / y), (int64_t)(x % y), (int64_t)(x % y)} : (results){0, 0, 0};
}

/* The elements of x by y, one number or as many as x has, against C. */
static void check(kn_dtype d, int64_t n, const int64_t *x, int64_t m, const int64_t *y)
{
    KN_SCOPE;
    const kn_shape many = {1, {n}}, one = {.ndim = 0};
    bool is_signed = kn_dtype_kind(d) == 'i';
    int64_t least = is_signed ? (int64_t)(UINT64_MAX << (8 * kn_dtype_size(d) - 1)) : 0;
    kn_array a = kn_astype(kn_from_memory(x, &many, KN_I64), d),
             b = kn_astype(kn_from_memory(y, m == 1 ? &one : &many, KN_I64), d);
    kn_eval(a), kn_eval(b);
    kn_array made[3] = {kn_floor_divide(a, b), kn_remainder(a, b), kn_fmod(a, b)};
    const int64_t *z[3];
    for (int i = 0; i < 3; i++)
        z[i] = kn_data(kn_astype(made[i], KN_I64), int64_t);
    for (int64_t i = 0; i < n; i++) {
        int64_t by = y[m == 1 ? 0 : i];
        results r = is_signed ? of_signed(x[i], by, least) : of_unsigned((uint64_t)x[i], (uint64_t)by);
        if (z[0][i] != r.floor || z[1][i] != r.rest || z[2][i] != r.fmod)
            fail_msg("%s %lld by %lld: %lld, %lld, %lld", kn_dtype_name(d), (long long)x[i], (long long)by,
                     (long long)z[0][i], (long long)z[1][i], (long long)z[2][i]);
    }
}

static int64_t room[MOST], divisors[MOST];

static void all_of_8_bits(void **state)
{
    (void)state;
    for (int is_signed = 0; is_signed < 2; is_signed++)
        for (int y = 0; y < 256; y++) {
            for (int x = 0; x < 256; x++) {
                room[x] = is_signed ? (int8_t)x : x;
                divisors[x] = is_signed ? (int8_t)y : y;
            }
            check(is_signed ? KN_I8 : KN_U8, 256, room, 1, divisors);
            check(is_signed ? KN_I8 : KN_U8, 256, room, 256, divisors);
        }
}

static void all_dividends_of_16_bits(void **state)
{
    (void)state;
    for (int is_signed = 0; is_signed < 2; is_signed++)
        for (int k = 0; k < 300; k++) {
            int y = k < 100 ? k : k < 200 ? 65536 - (k - 99) : (k * 7919) & 0xffff;
            for (int x = 0; x < MOST; x++)
                room[x] = is_signed ? (int16_t)x : x;
            divisors[0] = is_signed ? (int16_t)y : y;
            check(is_signed ? KN_I16 : KN_U16, MOST, room, 1, divisors);
        }
}

static uint64_t next(uint64_t *seed)
{
    *seed ^= *seed << 13, *seed ^= *seed >> 7, *seed ^= *seed << 17;
    return *seed;
}

static int64_t cut(uint64_t v, int bits, bool is_signed)
{
    return bits == 64  ? (int64_t)v
           : is_signed ? (int64_t)(v << (64 - bits)) >> (64 - bits)
                       : (int64_t)(v << (64 - bits) >> (64 - bits));
}

/* Products of the divisor and their neighbours, where a quotient changes; the ends of the dtype; anything. */
static void multiples_and_their_neighbours(int bits, bool is_signed, kn_dtype d)
{
    uint64_t seed = 88172645463325252u;
    for (int k = 0; k < 400; k++) {
        uint64_t ends[] = {0, 1, UINT64_MAX, (uint64_t)1 << (bits - 1), ((uint64_t)1 << (bits - 1)) - 1, 2, 3, 10};
        uint64_t y = k < 8 ? ends[k] : k < 24 ? (uint64_t)k - 5 : next(&seed) >> (next(&seed) % (unsigned)bits);
        enum { N = 3000 };
        for (int i = 0; i < N; i++) {
            uint64_t times = next(&seed) >> (next(&seed) % 64);
            uint64_t x = i < 8 ? ends[i] : i < 1000 ? next(&seed) : times * y + (uint64_t)(i % 3) - 1;
            room[i] = cut(x, bits, is_signed);
        }
        divisors[0] = cut(y, bits, is_signed);
        check(d, N, room, 1, divisors);
    }
}

static void of_32_bits(void **state)
{
    (void)state;
    multiples_and_their_neighbours(32, true, KN_I32);
    multiples_and_their_neighbours(32, false, KN_U32);
}

static void of_64_bits(void **state)
{
    (void)state;
    multiples_and_their_neighbours(64, true, KN_I64);
    multiples_and_their_neighbours(64, false, KN_U64);
}

KN_TEST_GROUP(test_integer_division)
{
    const struct CMUnitTest tests[] = {TEST(all_of_8_bits), TEST(all_dividends_of_16_bits), TEST(of_32_bits),
                                       TEST(of_64_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
