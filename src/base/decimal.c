/* SPDX-License-Identifier: Apache-2.0
 * decimal.c -- w * 10^q = w * 5^b * 5^(27 a) * 2^q with q = 27 a + b. The first product is exact, in 128 bits; the
 * second one is by the upper 128 bits of a power of five, so that the result is between what is computed here and that
 * plus 4 units of its lowest bit. */
#include "base/decimal.h"

#ifdef __SIZEOF_INT128__
typedef unsigned __int128 wide;

enum { STEP = 27, LEAST = -13, MOST = 11, SLACK = 4 };

/* The upper bits of 5^(27 a), a from LEAST to MOST. */
static const uint64_t power[MOST - LEAST + 1][2] = {
    {0x8049a4ac0c5811ae, 0x205b896d777d6278}, {0xcf42894a5dce35ea, 0x52064cac828675b9},
    {0xa76c582338ed2621, 0xaf2af2b80af6f24e}, {0x873e4f75e2224e68, 0x5a7744a6e804a291},
    {0xda7f5bf590966848, 0xaf39a475506a899e}, {0xb080392cc4349dec, 0xbd8d794d96aacfb3},
    {0x8e938662882af53e, 0x547eb47b7282ee9c}, {0xe65829b3046b0afa, 0x0cb4a5a3112a5112},
    {0xba121a4650e4ddeb, 0x92f34d62616ce413}, {0x964e858c91ba2655, 0x3a6a07f8d510f86f},
    {0xf2d56790ab41c2a2, 0xfae27299423fb9c3}, {0xc428d05aa4751e4c, 0xaa97e14c3c26b886},
    {0x9e74d1b791e07e48, 0x775ea264cf55347d}, {0x8000000000000000, 0x0000000000000000},
    {0xcecb8f27f4200f3a, 0x0000000000000000}, {0xa70c3c40a64e6c51, 0x999090b65f67d924},
    {0x86f0ac99b4e8dafd, 0x69a028bb3ded71a3}, {0xda01ee641a708de9, 0xe80e6f4820cc9495},
    {0xb01ae745b101e9e4, 0x5ec05dcff72e7f8f}, {0x8e41ade9fbebc27d, 0x14588f13be847307},
    {0xe5d3ef282a242e81, 0x8f1668c8a86da5fa}, {0xb9a74a0637ce2ee1, 0x6d953e2bd7173692},
    {0x95f83d0a1fb69cd9, 0x4abdaf101564f98e}, {0xf24a01a73cf2dccf, 0xbc633b39673c8cec},
    {0xc3b8358109e84f07, 0x0a862f80ec4700c8}};

static const uint64_t small_power[STEP] = {1,
                                           5,
                                           25,
                                           125,
                                           625,
                                           3125,
                                           15625,
                                           78125,
                                           390625,
                                           1953125,
                                           9765625,
                                           48828125,
                                           244140625,
                                           1220703125,
                                           6103515625,
                                           30517578125,
                                           152587890625,
                                           762939453125,
                                           3814697265625,
                                           19073486328125,
                                           95367431640625,
                                           476837158203125,
                                           2384185791015625,
                                           11920928955078125,
                                           59604644775390625,
                                           298023223876953125,
                                           1490116119384765625};

static int leading_zeros(wide v)
{
    uint64_t high = (uint64_t)(v >> 64);
    return high ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)v);
}

/* The upper 128 bits of a product of 256, at most one too small. */
static wide upper_product(wide a, wide b)
{
    uint64_t a1 = (uint64_t)(a >> 64), a0 = (uint64_t)a, b1 = (uint64_t)(b >> 64), b0 = (uint64_t)b;
    wide low = (wide)a0 * b0, middle = (wide)a1 * b0, other = (wide)a0 * b1;
    wide carry = (low >> 64) + (uint64_t)middle + (uint64_t)other;
    return (wide)a1 * b1 + (middle >> 64) + (other >> 64) + (carry >> 64);
}

/* v * 2^exponent, with the highest bit of v set; without an error if `exact`. */
static bool multiply(uint64_t w, int64_t q, wide *v, int64_t *exponent, bool *exact)
{
    if (q < STEP * LEAST || q >= STEP * (MOST + 1))
        return false;
    int a = (int)((q + STEP * -LEAST) / STEP) + LEAST, b = (int)q - STEP * a;
    *v = (wide)w * small_power[b];
    int up = leading_zeros(*v);
    *v <<= up;
    *exponent = q - up + ((152170 * (int64_t)(STEP * a)) >> 16); /* the power of five is from 1 to 2, times this */
    *exact = a == 0;
    if (*exact)
        return true;
    const uint64_t *p = power[a - LEAST];
    *v = upper_product(*v, (wide)p[0] << 64 | p[1]);
    bool high = *v >> 127;
    *v <<= !high;
    *exponent += high;
    return true;
}

bool knx_decimal_bits(uint64_t w, int64_t q, uint64_t *mantissa, int64_t *exponent, bool *more)
{
    wide v;
    bool exact;
    if (!multiply(w, q, &v, exponent, &exact))
        return false;
    uint64_t low = (uint64_t)v;
    if (!exact && (low == 0 || low > UINT64_MAX - SLACK))
        return false;
    *mantissa = (uint64_t)(v >> 64);
    *exponent += 64;
    *more = low != 0;
    return true;
}

bool knx_decimal_round(uint64_t w, int64_t e, int64_t q, uint64_t *whole)
{
    wide v;
    bool exact;
    int64_t exponent;
    if (!multiply(w, q, &v, &exponent, &exact))
        return false;
    int64_t drop = -(exponent + e);
    if (drop < 64 || drop > 127)
        return false;
    uint64_t n = (uint64_t)(v >> drop);
    wide rest = v & (((wide)1 << drop) - 1), half = (wide)1 << (drop - 1);
    if (!exact && rest <= half && half - rest <= SLACK)
        return false;
    n += rest > half || (rest == half && n % 2);
    *whole = n;
    return n != 0;
}
#else /* a product of 128 bits takes the processor as long as the big integers that decide otherwise */
bool knx_decimal_bits(uint64_t w, int64_t q, uint64_t *mantissa, int64_t *exponent, bool *more)
{
    return (void)w, (void)q, (void)mantissa, (void)exponent, (void)more, false;
}

bool knx_decimal_round(uint64_t w, int64_t e, int64_t q, uint64_t *whole)
{
    return (void)w, (void)e, (void)q, (void)whole, false;
}
#endif
