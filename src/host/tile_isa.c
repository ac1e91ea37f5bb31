/* SPDX-License-Identifier: Apache-2.0
 * tile_isa.c -- turning rectangles of memory in registers: square blocks whose halves change places, with GNU vectors.
 * Compiled once per instruction set (KN_ISA = base, avx2, avx512). */
#include "base/isa_name.h"
#include "host/tile.h"
#include "host/vector.h"

/* One element after the other: what no block has room in. */
static void edge(int size, char *to, int64_t to_step, const char *from, int64_t from_step, int64_t rows,
                 int64_t columns)
{
    for (int64_t j = 0; j < columns; j++) {
        const char *x = from + j * size;
        char *y = to + j * to_step;
        for (int64_t i = 0; i < rows; i++, x += from_step, y += size) {
            switch (size) {
            case 1: memcpy(y, x, 1); break;
            case 2: memcpy(y, x, 2); break;
            case 4: memcpy(y, x, 4); break;
            case 8: memcpy(y, x, 8); break;
            default: memcpy(y, x, 16); break;
            }
        }
    }
}

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

#if defined(__x86_64__) && !defined(__AVX2__) /* processors that few have: small rather than fast */
#define UNROLLED
#else
#define UNROLLED _Pragma("GCC unroll 32")
#endif

/* The new row i and the new row i + H. */
#define SWAP(V, x, H, LOW, HIGH, N)                    \
    UNROLLED for (int i = 0; i < N; i++) if (!(i & H)) \
    {                                                  \
        V a = x[i], b = x[i + H];                      \
        x[i] = SHUFFLE(a, b, LOW);                     \
        x[i + H] = SHUFFLE(a, b, HIGH);                \
    }

#define BLOCK(name, V, N, STEPS)                                                             \
    static inline void name(char *to, int64_t to_step, const char *from, int64_t from_step)  \
    {                                                                                        \
        V x[N];                                                                              \
        UNROLLED for (int i = 0; i < N; i++) memcpy(&x[i], from + i * from_step, sizeof(V)); \
        STEPS                                                                                \
        UNROLLED for (int i = 0; i < N; i++) memcpy(to + i * to_step, &x[i], sizeof(V));     \
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

static inline int64_t lesser(int64_t a, int64_t b) { return a < b ? a : b; }

/* Tiles that a few pages of either side hold; the last blocks end with the rectangle and share elements with those
 * before. With `bypass` as many blocks as fill lines of 64 bytes are turned into a buffer, and the lines then go to
 * memory as a whole: 3 times as fast where the caches would be of no use. */
#define TURN(T)                                                                                                \
    static void turn_##T(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t rows,         \
                         int64_t columns, bool bypass)                                                         \
    {                                                                                                          \
        enum { N = N_##T, S = sizeof(T), LINE = 64 / S, TILE = 64 };                                           \
        int64_t lines = bypass ? rows / LINE * LINE : 0, last_row = rows - N, last = columns - N;              \
        _Alignas(64) char line[N][64];                                                                         \
        for (int64_t i = 0; i < lines; i += LINE)                                                              \
            for (int64_t q = 0; q < columns; q += N) {                                                         \
                int64_t j = lesser(q, last);                                                                   \
                for (int k = 0; k < LINE; k += N)                                                              \
                    block_##T(line[0] + k * S, 64, from + (i + k) * from_step + j * S, from_step);             \
                for (int k = 0; k < N; k++)                                                                    \
                    knh_stream64(to + (j + k) * to_step + i * S, line[k]);                                     \
            }                                                                                                  \
        for (int64_t p = lines; p < rows; p += TILE)                                                           \
            for (int64_t q = 0; q < columns; q += TILE)                                                        \
                for (int64_t r = p; r < lesser(p + TILE, rows); r += N)                                        \
                    for (int64_t c = q; c < lesser(q + TILE, columns); c += N) {                               \
                        int64_t i = lesser(r, last_row), j = lesser(c, last);                                  \
                        block_##T(to + j * to_step + i * S, to_step, from + i * from_step + j * S, from_step); \
                    }                                                                                          \
    }
TURN(uint8_t)
TURN(uint16_t)
TURN(uint32_t)
TURN(uint64_t)

typedef void turn_loop(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t rows, int64_t columns,
                       bool bypass);

void KN_ISA_NAME(knh_transpose)(int size, void *to_, int64_t to_step, const void *from_, int64_t from_step,
                                int64_t rows, int64_t columns, bool bypass)
{
    static const struct {
        turn_loop *turn;
        int64_t side;
    } by_size[] = {{turn_uint8_t, N_uint8_t},
                   {turn_uint16_t, N_uint16_t},
                   {turn_uint32_t, N_uint32_t},
                   {turn_uint64_t, N_uint64_t}};
    const int log = size > 4 ? 3 : size / 2;
    const int64_t side = by_size[log].side;
    char *to = to_;
    const char *from = from_;
    if (size < 16 && rows >= side && columns >= side) {
        by_size[log].turn(to, to_step, from, from_step, rows, columns,
                          bypass && ((uintptr_t)to | (uintptr_t)to_step) % 64 == 0);
        return;
    }
    const int64_t done = KN_ISA_NAME(knh_weave)(size, to, to_step, from, from_step, rows, columns, bypass);
    if (knh_weaves_rows(size, to_step, rows))
        edge(size, to + done * to_step, to_step, from + done * size, from_step, rows, columns - done);
    else
        edge(size, to + done * size, to_step, from + done * from_step, from_step, rows - done, columns);
}
