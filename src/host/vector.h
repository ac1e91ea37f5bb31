/* SPDX-License-Identifier: Apache-2.0
 * vector.h -- for the files *_isa.c that copy and turn: registers of pieces of sixteen bytes, stores past the
 * caches. */
#ifndef KN_HOST_VECTOR_H
#define KN_HOST_VECTOR_H
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

typedef uint8_t knh_v16 __attribute__((vector_size(16), aligned(1)));
enum { KNH_V16 = 16, KNH_NO_BYTE = 0x80 };

static inline knh_v16 knh_load16(const char *from)
{
    knh_v16 x;
    memcpy(&x, from, sizeof x);
    return x;
}

/* A register of so many pieces of sixteen bytes; each of these functions does the same to all pieces. */
#if defined(__AVX512BW__)
typedef __m512i knh_wide;
enum { KNH_PIECES = 4 };
#elif defined(__AVX2__)
typedef __m256i knh_wide;
enum { KNH_PIECES = 2 };
#else
typedef knh_v16 knh_wide;
enum { KNH_PIECES = 1 };
#endif

static inline knh_wide knh_load_wide(const char *from)
{
    knh_wide x;
    memcpy(&x, from, sizeof x);
    return x;
}

/* Pieces so far apart. */
static inline knh_wide knh_load_pieces(const char *from, int64_t apart)
{
#if defined(__AVX512BW__)
    __m512i x = _mm512_castsi128_si512((__m128i)knh_load16(from));
    x = _mm512_inserti32x4(x, (__m128i)knh_load16(from + apart), 1);
    x = _mm512_inserti32x4(x, (__m128i)knh_load16(from + 2 * apart), 2);
    return _mm512_inserti32x4(x, (__m128i)knh_load16(from + 3 * apart), 3);
#elif defined(__AVX2__)
    return _mm256_inserti128_si256(_mm256_castsi128_si256((__m128i)knh_load16(from)),
                                   (__m128i)knh_load16(from + apart), 1);
#else
    (void)apart;
    return knh_load16(from);
#endif
}

static inline void knh_store_pieces(char *to, int64_t apart, knh_wide x)
{
    for (int i = 0; i < KNH_PIECES; i++)
        memcpy(to + i * apart, (const char *)&x + i * KNH_V16, KNH_V16);
}

/* Byte i of a piece is its byte number[i]; 0 where that is KNH_NO_BYTE. */
static inline knh_wide knh_shuffle_pieces(knh_wide x, knh_v16 number)
{
#if defined(__AVX512BW__)
    return _mm512_shuffle_epi8(x, _mm512_broadcast_i32x4((__m128i)number));
#elif defined(__AVX2__)
    return _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256((__m128i)number));
#elif defined(__SSSE3__)
    return (knh_v16)_mm_shuffle_epi8((__m128i)x, (__m128i)number);
#elif defined(__wasm_simd128__)
    return (knh_v16)wasm_i8x16_swizzle((v128_t)x, (v128_t)number);
#else
    knh_v16 y;
    for (int i = 0; i < KNH_V16; i++)
        y[i] = number[i] == KNH_NO_BYTE ? 0 : x[number[i]];
    return y;
#endif
}

/* Is that one instruction? */
#if defined(__AVX2__) || defined(__wasm_simd128__)
enum { KNH_SHUFFLES = true };
#else
enum { KNH_SHUFFLES = false };
#endif

/* The last piece first. */
static inline knh_wide knh_reverse_pieces(knh_wide x)
{
#if defined(__AVX512BW__)
    return _mm512_shuffle_i64x2(x, x, 0x1b);
#elif defined(__AVX2__)
    return _mm256_permute4x64_epi64(x, 0x4e);
#else
    return x;
#endif
}

/* bypass: past the caches, if the address is a multiple of the register */
static inline void knh_store_wide(char *to, knh_wide x, bool bypass)
{
    if (!bypass)
        memcpy(to, &x, sizeof x);
#if defined(__AVX512BW__)
    else
        _mm512_stream_si512((__m512i *)(void *)to, x);
#elif defined(__AVX2__)
    else
        _mm256_stream_si256((__m256i *)(void *)to, x);
#elif defined(__x86_64__)
    else
        _mm_stream_si128((__m128i *)(void *)to, (__m128i)x);
#else
    else
        memcpy(to, &x, sizeof x);
#endif
}

/* 64 bytes past the caches. */
static inline void knh_stream64(char *to, const char *from)
{
    for (int i = 0; i < 64; i += KNH_PIECES * KNH_V16)
        knh_store_wide(to + i, knh_load_wide(from + i), true);
}
#endif
