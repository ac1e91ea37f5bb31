/* SPDX-License-Identifier: Apache-2.0
 * extreme_isa.c -- the largest keys of columns and where they stand, compiled once per instruction set. */
#include "base/isa_name.h"
#include "host/routine/extreme_loops.h"
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define HEAD(name)                                                                                                \
    static void name(const knr_extreme_code *code, const void *memory, int64_t rows, int64_t step, int64_t width, \
                     int64_t first, void *best_memory, void *at_memory)

/* The magnitude of a float with its sign; NaN is above all. */
#define FLOAT_KEY(bits, K)                                                      \
    static inline K key_##bits(K v, K infinity)                                 \
    {                                                                           \
        K most = INT##bits##_MAX, sign = v >> (bits - 1), magnitude = v & most; \
        K is_nan = -(K)(magnitude > infinity);                                  \
        return (((magnitude ^ sign) - sign) & ~is_nan) | (most & is_nan);       \
    }
FLOAT_KEY(16, int32_t)
FLOAT_KEY(32, int32_t)
FLOAT_KEY(64, int64_t)

/* Without a choice of stores, which compilers would turn into a branch. */
#define TAKE(lane, v, mask) lane ^= (lane ^ (v)) & (mask)

/* Lanes of keys of type K, from elements of type T. */
#define ROWS(name, T, K, KEY)                                        \
    HEAD(name)                                                       \
    {                                                                \
        const T *x = memory, flip = (T)code->flip;                   \
        const K infinity = (K)code->infinity;                        \
        K *restrict best = best_memory, *restrict at = at_memory;    \
        (void)infinity;                                              \
        for (int64_t i = 0; i < rows; i++, x += step)                \
            for (int64_t c = 0; c < width; c++) {                    \
                K v = (T)(x[c] ^ flip), key = KEY, before = best[c]; \
                K mask = -(K)(key > before);                         \
                best[c] = key > before ? key : before;               \
                TAKE(at[c], (K)(first + i), mask);                   \
            }                                                        \
    }
ROWS(integers_8, int8_t, int32_t, v)
ROWS(integers_16, int16_t, int32_t, v)
ROWS(integers_32, int32_t, int32_t, v)
ROWS(integers_64, int64_t, int64_t, v)
ROWS(floats_16, int16_t, int32_t, key_16(v, infinity))

/* Lanes of floats of type F, whose bits are a K. */
#define FLOAT_ROWS(name, F, K)                                      \
    HEAD(name)                                                      \
    {                                                               \
        const K *x = memory, flip = (K)code->flip;                  \
        K *restrict best = best_memory, *restrict at = at_memory;   \
        for (int64_t i = 0; i < rows; i++, x += step)               \
            for (int64_t c = 0; c < width; c++) {                   \
                K bits = x[c] ^ flip;                               \
                F v, before;                                        \
                memcpy(&v, &bits, sizeof v);                        \
                memcpy(&before, &best[c], sizeof before);           \
                K mask = -(K)(!(v <= before) & (before == before)); \
                TAKE(best[c], bits, mask);                          \
                TAKE(at[c], (K)(first + i), mask);                  \
            }                                                       \
    }
FLOAT_ROWS(floats_32, float, int32_t)
FLOAT_ROWS(floats_64, double, int64_t)

/* --- lines ---------------------------------------------------------------------------------------- */

enum { BLOCK = 1024, FEW = 128 };

/* The first largest key of n elements, of which BLOCK are looked at before it is looked for. */
#define AS_IT_IS(v, infinity) ((void)(infinity), (v))
#define LINE(name, T, KEY)                                                                                \
    static int64_t name##_line(const knr_extreme_code *code, const void *memory, int64_t n, int64_t *key) \
    {                                                                                                     \
        const T *x = memory, flip = (T)code->flip, infinity = (T)code->infinity;                          \
        T best = 0;                                                                                       \
        int64_t at = -1;                                                                                  \
        for (int64_t i = 0; i < n; i += BLOCK) {                                                          \
            int64_t end = n - i < BLOCK ? n : i + BLOCK;                                                  \
            T here = (T)KEY((T)(x[i] ^ flip), infinity);                                                  \
            for (int64_t j = i; j < end; j++) {                                                           \
                T other = (T)KEY((T)(x[j] ^ flip), infinity);                                             \
                here = other > here ? other : here;                                                       \
            }                                                                                             \
            at = at < 0 || here > best ? i : at;                                                          \
            best = at == i ? here : best;                                                                 \
        }                                                                                                 \
        for (int found = 0;; at += FEW) {                                                                 \
            int64_t end = n - at < FEW ? n : at + FEW;                                                    \
            for (int64_t j = at; j < end; j++)                                                            \
                found |= KEY((T)(x[j] ^ flip), infinity) == best;                                         \
            if (found)                                                                                    \
                break;                                                                                    \
        }                                                                                                 \
        while (KEY((T)(x[at] ^ flip), infinity) != best)                                                  \
            at++;                                                                                         \
        *key = best;                                                                                      \
        return at;                                                                                        \
    }
LINE(integers_8, int8_t, AS_IT_IS)
LINE(integers_16, int16_t, AS_IT_IS)
LINE(integers_32, int32_t, AS_IT_IS)
LINE(integers_64, int64_t, AS_IT_IS)
LINE(floats_16, int16_t, key_16)
LINE(floats_32, int32_t, key_32)
LINE(floats_64, int64_t, key_64)

#define BOTH(name)        \
    {                     \
        name, name##_line \
    }
const knr_extreme_loops KN_ISA_NAME(knr_extreme_loops)[8] = {BOTH(integers_8),  BOTH(integers_16), BOTH(integers_32),
                                                             BOTH(integers_64), {NULL, NULL},      BOTH(floats_16),
                                                             BOTH(floats_32),   BOTH(floats_64)};
