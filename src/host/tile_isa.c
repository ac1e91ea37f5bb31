/* SPDX-License-Identifier: Apache-2.0
 * tile_isa.c -- turning rectangles of memory in registers: square blocks whose halves change places, with GNU vectors.
 * Compiled once per instruction set (KN_ISA = base, avx2, avx512). */
#include "host/tile.h"
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#ifndef KN_ISA
#define KN_ISA base
#endif
#define KN_ISA_JOIN2(f, isa) f##_##isa
#define KN_ISA_JOIN(f, isa)  KN_ISA_JOIN2(f, isa)
#define KN_ISA_NAME(f)       KN_ISA_JOIN(f, KN_ISA)

/* One element after the other: what is left at the edges. */
#define EDGE(T)                                                                                                  \
    static void edge_##T(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t rows,           \
                         int64_t columns)                                                                        \
    {                                                                                                            \
        for (int64_t j = 0; j < columns; j++)                                                                    \
            for (int64_t i = 0; i < rows; i++)                                                                   \
                memcpy(to + j * to_step + i * (int64_t)sizeof(T), from + i * from_step + j * (int64_t)sizeof(T), \
                       sizeof(T));                                                                               \
    }
EDGE(uint8_t)
EDGE(uint16_t)
EDGE(uint32_t)
EDGE(uint64_t)

/* A block of N x N elements of type T in N vectors: for H = N/2 .. 1, rows i and i + H exchange those of their
 * elements whose number has the bit H (rows i) or has not (rows i + H). */
typedef uint8_t v8 __attribute__((vector_size(16), aligned(1)));
typedef uint16_t v16 __attribute__((vector_size(16), aligned(2)));
typedef uint32_t v32 __attribute__((vector_size(64), aligned(4)));
typedef uint64_t v64 __attribute__((vector_size(64), aligned(8)));
typedef uint32_t v32s __attribute__((vector_size(32), aligned(4)));
typedef uint64_t v64s __attribute__((vector_size(32), aligned(8)));

#if defined(__clang__)
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (__typeof__(a)){__VA_ARGS__})
#endif

/* The new row i and the new row i + H. */
#define SWAP(V, x, H, LOW, HIGH, N)                                    \
    _Pragma("GCC unroll 32") for (int i = 0; i < N; i++) if (!(i & H)) \
    {                                                                  \
        V a = x[i], b = x[i + H];                                      \
        x[i] = SHUFFLE(a, b, LOW);                                     \
        x[i + H] = SHUFFLE(a, b, HIGH);                                \
    }

#define BLOCK(name, V, N, STEPS)                                                                             \
    static inline void name(char *to, int64_t to_step, const char *from, int64_t from_step)                  \
    {                                                                                                        \
        V x[N];                                                                                              \
        _Pragma("GCC unroll 32") for (int i = 0; i < N; i++) memcpy(&x[i], from + i * from_step, sizeof(V)); \
        STEPS                                                                                                \
        _Pragma("GCC unroll 32") for (int i = 0; i < N; i++) memcpy(to + i * to_step, &x[i], sizeof(V));     \
    }
#define ARG(...) __VA_ARGS__

/* clang-format off */
#define STEPS4(V)                                                                     \
    SWAP(V, x, 2, ARG(0, 1, 4, 5), ARG(2, 3, 6, 7), 4)                                \
    SWAP(V, x, 1, ARG(0, 4, 2, 6), ARG(1, 5, 3, 7), 4)
#define STEPS8(V)                                                                     \
    SWAP(V, x, 4, ARG(0, 1, 2, 3, 8, 9, 10, 11), ARG(4, 5, 6, 7, 12, 13, 14, 15), 8)  \
    SWAP(V, x, 2, ARG(0, 1, 8, 9, 4, 5, 12, 13), ARG(2, 3, 10, 11, 6, 7, 14, 15), 8)  \
    SWAP(V, x, 1, ARG(0, 8, 2, 10, 4, 12, 6, 14), ARG(1, 9, 3, 11, 5, 13, 7, 15), 8)
#define STEPS16(V)                                                                    \
    SWAP(V, x, 8, ARG(0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23),        \
         ARG(8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31), 16)       \
    SWAP(V, x, 4, ARG(0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27),      \
         ARG(4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31), 16)         \
    SWAP(V, x, 2, ARG(0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29),      \
         ARG(2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31), 16)         \
    SWAP(V, x, 1, ARG(0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30),     \
         ARG(1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31), 16)
BLOCK(block_uint8_t, v8, 16, STEPS16(v8))
BLOCK(block_uint16_t, v16, 8, STEPS8(v16))
#if defined(__AVX512F__)
enum { N_uint8_t = 16, N_uint16_t = 8, N_uint32_t = 16, N_uint64_t = 8 };
BLOCK(block_uint32_t, v32, 16, STEPS16(v32))
BLOCK(block_uint64_t, v64, 8, STEPS8(v64))
#else
enum { N_uint8_t = 16, N_uint16_t = 8, N_uint32_t = 8, N_uint64_t = 4 };
BLOCK(block_uint32_t, v32s, 8, STEPS8(v32s))
BLOCK(block_uint64_t, v64s, 4, STEPS4(v64s))
#endif
/* clang-format on */

/* 64 bytes past the caches. */
static inline void stream_line(char *to, const char *from)
{
#if defined(__AVX512F__)
    _mm512_stream_si512((__m512i *)(void *)to, _mm512_loadu_si512(from));
#elif defined(__AVX2__)
    for (int i = 0; i < 64; i += 32)
        _mm256_stream_si256((__m256i *)(void *)(to + i),
                            _mm256_loadu_si256((const __m256i_u *)(const void *)(from + i)));
#elif defined(__x86_64__)
    for (int i = 0; i < 64; i += 16)
        _mm_stream_si128((__m128i *)(void *)(to + i), _mm_loadu_si128((const __m128i_u *)(const void *)(from + i)));
#else
    memcpy(to, from, 64);
#endif
}

/* Tiles that a few pages of either side hold. With `bypass` as many blocks as fill lines of 64 bytes are turned into
 * a buffer, and the lines then go to memory as a whole: 3 times as fast where the caches would be of no use. */
#define TURN(T)                                                                                                       \
    static void turn_##T(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t rows,                \
                         int64_t columns, bool bypass)                                                                \
    {                                                                                                                 \
        enum { N = N_##T, S = sizeof(T), LINE = 64 / S, TILE = 64 };                                                  \
        int64_t whole_rows = rows / N * N, whole = columns / N * N, lines = bypass ? rows / LINE * LINE : 0;          \
        _Alignas(64) char line[N][64];                                                                                \
        for (int64_t i = 0; i < lines; i += LINE)                                                                     \
            for (int64_t j = 0; j < whole; j += N) {                                                                  \
                for (int k = 0; k < LINE; k += N)                                                                     \
                    block_##T(line[0] + k * S, 64, from + (i + k) * from_step + j * S, from_step);                    \
                _Pragma("GCC unroll 16") for (int k = 0; k < N; k++)                                                  \
                    stream_line(to + (j + k) * to_step + i * S, line[k]);                                             \
            }                                                                                                         \
        for (int64_t p = lines; p < whole_rows; p += TILE)                                                            \
            for (int64_t q = 0; q < whole; q += TILE)                                                                 \
                for (int64_t i = p; i < whole_rows && i < p + TILE; i += N)                                           \
                    for (int64_t j = q; j < whole && j < q + TILE; j += N)                                            \
                        block_##T(to + j * to_step + i * S, to_step, from + i * from_step + j * S, from_step);        \
        edge_##T(to + whole * to_step, to_step, from + whole * S, from_step, whole_rows, columns - whole);            \
        edge_##T(to + whole_rows * S, to_step, from + whole_rows * from_step, from_step, rows - whole_rows, columns); \
    }
TURN(uint8_t)
TURN(uint16_t)
TURN(uint32_t)
TURN(uint64_t)

void KN_ISA_NAME(knh_transpose)(int size, void *to, int64_t to_step, const void *from, int64_t from_step, int64_t rows,
                                int64_t columns, bool bypass)
{
    bypass = bypass && ((uintptr_t)to | (uintptr_t)to_step) % 64 == 0;
    switch (size) {
    case 1: turn_uint8_t(to, to_step, from, from_step, rows, columns, bypass); break;
    case 2: turn_uint16_t(to, to_step, from, from_step, rows, columns, bypass); break;
    case 4: turn_uint32_t(to, to_step, from, from_step, rows, columns, bypass); break;
    default: turn_uint64_t(to, to_step, from, from_step, rows, columns, bypass); break;
    }
}
