/* SPDX-License-Identifier: Apache-2.0
 * find_isa.c -- bits of elements that are not zero, and what they choose; compiled once per instruction set. */
#include "base/isa_name.h"
#include "host/routine/find_loops.h"
#include <stdbool.h>
#include <string.h>

#define ALWAYS static inline __attribute__((always_inline))

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#define VECTORS 1
#else
#define VECTORS 0
#endif

enum { BITS = 64 };

/* --- elements to bits --------------------------------------------------------------------------- */

/* Bits of 64 bytes that are 0 or 1. */
ALWAYS uint64_t bits_of(const uint8_t *t)
{
#if defined(__AVX512F__)
    __m512i v = _mm512_loadu_si512(t);
    return _mm512_test_epi8_mask(v, v);
#elif defined(__AVX2__)
    __m256i zero = _mm256_setzero_si256(), lo = _mm256_loadu_si256((const __m256i *)t),
            hi = _mm256_loadu_si256((const __m256i *)(t + 32));
    uint32_t a = (uint32_t)_mm256_movemask_epi8(_mm256_cmpgt_epi8(lo, zero));
    return a | (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpgt_epi8(hi, zero)) << 32;
#else
    uint64_t y = 0;
    for (int i = 0; i < BITS; i++)
        y |= (uint64_t)t[i] << i;
    return y;
#endif
}

/* The bits of 64 elements, of k words each. */
#define MARK(name, T, k)                                                       \
    ALWAYS uint64_t name(const T *x, uint64_t of)                              \
    {                                                                          \
        uint8_t t[BITS];                                                       \
        for (int i = 0; i < BITS; i++)                                         \
            t[i] = (((k) == 1 ? x[i] : x[2 * i] | x[2 * i + 1]) & (T)of) != 0; \
        return bits_of(t);                                                     \
    }
MARK(word_16, uint64_t, 2)
#if defined(__AVX512F__)
ALWAYS uint64_t word_1(const uint8_t *x, uint64_t of)
{
    return _mm512_test_epi8_mask(_mm512_loadu_si512(x), _mm512_set1_epi64((long long)of));
}
ALWAYS uint64_t word_2(const uint16_t *x, uint64_t of)
{
    __m512i m = _mm512_set1_epi64((long long)of);
    uint64_t low = _mm512_test_epi16_mask(_mm512_loadu_si512(x), m);
    return low | (uint64_t)_mm512_test_epi16_mask(_mm512_loadu_si512(x + 32), m) << 32;
}
ALWAYS uint64_t word_4(const uint32_t *x, uint64_t of)
{
    uint64_t y = 0;
    for (int i = 0; i < 4; i++)
        y |= (uint64_t)_mm512_test_epi32_mask(_mm512_loadu_si512(x + 16 * i), _mm512_set1_epi64((long long)of))
             << (16 * i);
    return y;
}
ALWAYS uint64_t word_8(const uint64_t *x, uint64_t of)
{
    uint64_t y = 0;
    for (int i = 0; i < 8; i++)
        y |= (uint64_t)_mm512_test_epi64_mask(_mm512_loadu_si512(x + 8 * i), _mm512_set1_epi64((long long)of))
             << (8 * i);
    return y;
}
#else
MARK(word_1, uint8_t, 1)
MARK(word_2, uint16_t, 1)
MARK(word_4, uint32_t, 1)
MARK(word_8, uint64_t, 1)
#endif

/* Elements behind the last whole word of bits: with zeros behind them. */
#define MARK_ALL(T, word, k)                                            \
    do {                                                                \
        const T *v = x;                                                 \
        for (; i + BITS <= n; i += BITS)                                \
            found += put(bits++, word(v + (k)*i, of));                  \
        if (i < n) {                                                    \
            T last[(k)*BITS] = {0};                                     \
            memcpy(last, v + (k)*i, (size_t)(n - i) * (k) * sizeof *v); \
            found += put(bits, word(last, of));                         \
        }                                                               \
    } while (0)

ALWAYS int64_t put(uint64_t *to, uint64_t bits)
{
    *to = bits;
    return __builtin_popcountll(bits);
}

static int64_t mark(int size, uint64_t of, const void *x, int64_t n, uint64_t *bits)
{
    int64_t i = 0, found = 0;
    switch (size) {
    case 1: MARK_ALL(uint8_t, word_1, 1); break;
    case 2: MARK_ALL(uint16_t, word_2, 1); break;
    case 4: MARK_ALL(uint32_t, word_4, 1); break;
    case 8: MARK_ALL(uint64_t, word_8, 1); break;
    default: MARK_ALL(uint64_t, word_16, 2); break;
    }
    return found;
}

/* --- bits to positions --------------------------------------------------------------------------- */

#if VECTORS && !defined(__AVX512F__)
/* Which of 8 the bits choose, a byte each, in order. */
ALWAYS uint64_t chosen(unsigned bits)
{
    return _pext_u64(0x0706050403020100u, _pdep_u64(bits, 0x0101010101010101u) * 0xff);
}
#endif

/* first + the number of each bit of a word; vectors write up to 8 numbers behind them. */
ALWAYS int64_t *list_word(uint64_t bits, int64_t first, int64_t *y)
{
#if defined(__AVX512F__)
    __m512i at = _mm512_add_epi64(_mm512_set1_epi64(first), _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
    for (int i = 0; i < 8; i++, bits >>= 8, at = _mm512_add_epi64(at, _mm512_set1_epi64(8))) {
        _mm512_storeu_si512(y, _mm512_maskz_compress_epi64((__mmask8)bits, at));
        y += __builtin_popcount((unsigned)bits & 0xff);
    }
#elif VECTORS
    for (int i = 0; i < 8; i++, bits >>= 8, first += 8) {
        __m128i which = _mm_cvtsi64_si128((long long)chosen((unsigned)bits & 0xff));
        __m256i base = _mm256_set1_epi64x(first), lo = _mm256_cvtepu8_epi64(which),
                hi = _mm256_cvtepu8_epi64(_mm_srli_si128(which, 4));
        _mm256_storeu_si256((__m256i *)y, _mm256_add_epi64(lo, base));
        _mm256_storeu_si256((__m256i *)(y + 4), _mm256_add_epi64(hi, base));
        y += __builtin_popcount((unsigned)bits & 0xff);
    }
#else
    (void)bits, (void)first;
#endif
    return y;
}

static int64_t *list(const uint64_t *bits, int64_t words, int64_t first, int64_t *y, int64_t room)
{
    int64_t *end = y + room;
    (void)end; /* words without vectors are told bit by bit */
    for (int64_t i = 0; i < words; i++, first += BITS) {
        uint64_t w = bits[i];
        if (VECTORS && end - y >= BITS + 8 && __builtin_popcountll(w) > 4)
            y = list_word(w, first, y);
        else
            for (; w; w &= w - 1)
                *y++ = first + __builtin_ctzll(w);
    }
    return y;
}

/* Quotients by the reciprocal, right or one off: numbers lie far below 2^51. */
static void split(const int64_t *p, int64_t n, int64_t by, int64_t *quotient, int64_t quotient_step, int64_t *rest,
                  int64_t rest_step)
{
    double inverse = 1 / (double)by;
    for (int64_t i = 0; i < n; i++) {
        int64_t q = (int64_t)((double)p[i] * inverse), r = p[i] - q * by;
        int64_t low = r < 0, high = r >= by;
        rest[i * rest_step] = r + (low - high) * by;
        quotient[i * quotient_step] = q - low + high;
    }
}

/* --- elements ------------------------------------------------------------------------------------- */

#if VECTORS
/* 64 elements: the chosen ones; writes up to 64 bytes behind them. */
ALWAYS char *keep_word_1(uint64_t bits, const char *x, char *y)
{
    for (int i = 0; i < 8; i++, bits >>= 8, x += 8) {
        uint64_t v;
        memcpy(&v, x, sizeof v);
        v = _pext_u64(v, _pdep_u64(bits & 0xff, 0x0101010101010101u) * 0xff);
        memcpy(y, &v, sizeof v);
        y += __builtin_popcount((unsigned)bits & 0xff);
    }
    return y;
}
ALWAYS char *keep_word_2(uint64_t bits, const char *x, char *y)
{
    for (int i = 0; i < 16; i++, bits >>= 4, x += 8) {
        uint64_t v;
        memcpy(&v, x, sizeof v);
        v = _pext_u64(v, _pdep_u64(bits & 0xf, 0x0001000100010001u) * 0xffff);
        memcpy(y, &v, sizeof v);
        y += 2 * __builtin_popcount((unsigned)bits & 0xf);
    }
    return y;
}
#if defined(__AVX512F__)
ALWAYS char *keep_word_4(uint64_t bits, const char *x, char *y)
{
    for (int i = 0; i < 4; i++, bits >>= 16, x += 64) {
        _mm512_storeu_si512(y, _mm512_maskz_compress_epi32((__mmask16)bits, _mm512_loadu_si512(x)));
        y += 4 * __builtin_popcount((unsigned)bits & 0xffff);
    }
    return y;
}
ALWAYS char *keep_word_8(uint64_t bits, const char *x, char *y)
{
    for (int i = 0; i < 8; i++, bits >>= 8, x += 64) {
        _mm512_storeu_si512(y, _mm512_maskz_compress_epi64((__mmask8)bits, _mm512_loadu_si512(x)));
        y += 8 * __builtin_popcount((unsigned)bits & 0xff);
    }
    return y;
}
#else
ALWAYS char *keep_word_4(uint64_t bits, const char *x, char *y)
{
    for (int i = 0; i < 8; i++, bits >>= 8, x += 32) {
        __m256i at = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)chosen((unsigned)bits & 0xff)));
        _mm256_storeu_si256((__m256i *)y, _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const __m256i *)x), at));
        y += 4 * __builtin_popcount((unsigned)bits & 0xff);
    }
    return y;
}
ALWAYS char *keep_word_8(uint64_t bits, const char *x, char *y)
{
    for (int i = 0; i < 16; i++, bits >>= 4, x += 32) {
        unsigned pairs = (unsigned)_pdep_u64(bits & 0xf, 0x55) * 3;
        __m256i at = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)chosen(pairs)));
        _mm256_storeu_si256((__m256i *)y, _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const __m256i *)x), at));
        y += 8 * __builtin_popcount((unsigned)bits & 0xf);
    }
    return y;
}
#endif
#else
#define keep_word_1(bits, x, y) (y)
#define keep_word_2(bits, x, y) (y)
#define keep_word_4(bits, x, y) (y)
#define keep_word_8(bits, x, y) (y)
#endif

#define KEEP(size, word)                                                                           \
    for (; n > 0; n -= BITS, x += BITS * (size)) {                                                 \
        uint64_t w = *bits++;                                                                      \
        if (VECTORS && n >= BITS && end - y >= BITS * ((size) + 1) && __builtin_popcountll(w) > 4) \
            y = word(w, x, y);                                                                     \
        else                                                                                       \
            for (; w; w &= w - 1, y += (size))                                                     \
                memcpy(y, x + (size_t)__builtin_ctzll(w) * (size), size);                          \
    }                                                                                              \
    return y

static char *keep(int size, const uint64_t *bits, const char *x, int64_t n, char *y, int64_t room)
{
    char *end = y + room * size;
    (void)end;
    switch (size) {
    case 1: KEEP(1, keep_word_1);
    case 2: KEEP(2, keep_word_2);
    case 4: KEEP(4, keep_word_4);
    default: KEEP(8, keep_word_8);
    }
}

const knr_find_loops KN_ISA_NAME(knr_find_loops) = {mark, list, keep, split};
