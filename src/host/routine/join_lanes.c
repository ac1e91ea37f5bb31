/* SPDX-License-Identifier: Apache-2.0
 * join_lanes.c -- joins of lanes. Some elements at a time are read from all lanes into accumulators, of which each lane
 * has its own up to 64, and these are joined: first groups of 16, then by halves. The order is that of
 * docs/determinism.md for the reduction of n elements; accumulators that no lane has come to are left out, since they
 * hold the identity. */
#include "host/routine/join_lanes.h"
#include "base/half.h"
#include <stdbool.h>
#include <string.h>

enum { SOME = 128, BLOCK = 16384, ACCUMULATORS = 64, GROUP = 16, LEVELS = 64 };

#define SUM(a, b)     ((a) + (b))
#define MAX(a, b)     ((a) > (b) ? (a) : (b))
#define MIN(a, b)     ((a) < (b) ? (a) : (b))
#define MAX_NAN(a, b) ((a) > (b) || (a) != (a) ? (a) : (b))
#define MIN_NAN(a, b) ((a) < (b) || (a) != (a) ? (a) : (b))
#define SAME(x)       (x)
#define NO_MINUS(x)   ((x) + 0) /* a sum begins with +0 */

/* One function for a kind of numbers: `stored` is how an element is in memory, `type` what it is joined in. */
#define JOIN(name, stored, type, up, down, first, combine)                                                         \
    static inline void name##_pair(type *a, const type *b, size_t some)                                            \
    {                                                                                                              \
        for (size_t i = 0; i < some; i++)                                                                          \
            a[i] = (type)combine(a[i], b[i]);                                                                      \
    }                                                                                                              \
    static void name##_block(int64_t n, void *const *lane, int64_t step, size_t at, size_t some, type acc[][SOME]) \
    {                                                                                                              \
        int64_t have = n < ACCUMULATORS ? n : ACCUMULATORS;                                                        \
        for (int64_t k = 0; k < n; k++) {                                                                          \
            const stored *x = (const stored *)lane[k * step] + at;                                                 \
            type *a = acc[k % ACCUMULATORS];                                                                       \
            for (size_t i = 0; k < ACCUMULATORS && i < some; i++)                                                  \
                a[i] = (type)first(up(x[i]));                                                                      \
            for (size_t i = 0; k >= ACCUMULATORS && i < some; i++)                                                 \
                a[i] = (type)combine(a[i], up(x[i]));                                                              \
        }                                                                                                          \
        for (int pair = 0; pair < 2; pair++) /* (0 1) (2 3) */                                                     \
            for (int64_t l = 0; l < GROUP && (2 * pair + 1) * GROUP + l < have; l++)                               \
                name##_pair(acc[2 * pair * GROUP + l], acc[(2 * pair + 1) * GROUP + l], some);                     \
        for (int64_t l = 0; l < GROUP && 2 * GROUP + l < have; l++)                                                \
            name##_pair(acc[l], acc[2 * GROUP + l], some);                                                         \
        for (int64_t h = GROUP / 2; h; h /= 2)                                                                     \
            for (int64_t l = 0; l < h && l + h < have; l++)                                                        \
                name##_pair(acc[l], acc[l + h], some);                                                             \
    }                                                                                                              \
    static void name##_some(int64_t n, void *const *lane, int64_t step, size_t at, size_t some, stored *to)        \
    {                                                                                                              \
        type acc[ACCUMULATORS][SOME], kept[8][SOME]; /* a million devices are 64 blocks */                         \
        int rank[8], top = 0;                                                                                      \
        for (int64_t k = 0; k < n; k += BLOCK) {                                                                   \
            name##_block(n - k < BLOCK ? n - k : BLOCK, lane + k * step, step, at, some, acc);                     \
            memcpy(kept[top], acc[0], some * sizeof(type));                                                        \
            rank[top++] = 0;                                                                                       \
            for (; top > 1 && rank[top - 2] == rank[top - 1]; top--, rank[top - 1]++)                              \
                name##_pair(kept[top - 2], kept[top - 1], some);                                                   \
        }                                                                                                          \
        for (; top > 1; top--)                                                                                     \
            name##_pair(kept[top - 2], kept[top - 1], some);                                                       \
        for (size_t i = 0; i < some; i++)                                                                          \
            to[at + i] = (stored)down(kept[0][i]);                                                                 \
    }                                                                                                              \
    static void name(int64_t n, void *const *lane, int64_t step, size_t count, void *to)                           \
    {                                                                                                              \
        for (size_t at = 0; at < count; at += SOME)                                                                \
            name##_some(n, lane, step, at, count - at < SOME ? count - at : SOME, to);                             \
    }

#define INTEGERS(id, type, unsigned_type)                               \
    JOIN(sum_##id, unsigned_type, unsigned_type, SAME, SAME, SAME, SUM) \
    JOIN(max_##id, type, type, SAME, SAME, SAME, MAX) JOIN(min_##id, type, type, SAME, SAME, SAME, MIN)
#define FLOATS(id, stored, type, up, down)                \
    JOIN(sum_##id, stored, type, up, down, NO_MINUS, SUM) \
    JOIN(add_##id, stored, type, up, down, SAME, SUM)     \
    JOIN(max_##id, stored, type, up, down, SAME, MAX_NAN) \
    JOIN(min_##id, stored, type, up, down, SAME, MIN_NAN)

INTEGERS(i8, int8_t, uint8_t)
INTEGERS(i16, int16_t, uint16_t)
INTEGERS(i32, int32_t, uint32_t)
INTEGERS(i64, int64_t, uint64_t)
INTEGERS(u8, uint8_t, uint8_t)
INTEGERS(u16, uint16_t, uint16_t)
INTEGERS(u32, uint32_t, uint32_t)
INTEGERS(u64, uint64_t, uint64_t)
FLOATS(f16, uint16_t, float, knx_f16_to_f32, knx_f32_to_f16)
FLOATS(bf16, uint16_t, float, knx_bf16_to_f32, knx_f32_to_bf16)
FLOATS(f32, float, float, SAME, SAME)
FLOATS(f64, double, double, SAME, SAME)

typedef void join_function(int64_t n, void *const *lane, int64_t step, size_t count, void *to);
#define ROW(ID, id)   [KN_ID_##ID] = {sum_##id, max_##id, min_##id, sum_##id}
#define FLOAT(ID, id) [KN_ID_##ID] = {sum_##id, max_##id, min_##id, add_##id}
static join_function *const functions[KN_ID_COUNT][4] = {
    ROW(BOOL, u8),   ROW(I8, i8),       ROW(I16, i16),   ROW(I32, i32),   ROW(I64, i64),
    ROW(U8, u8),     ROW(U16, u16),     ROW(U32, u32),   ROW(U64, u64),   FLOAT(F16, f16),
    FLOAT(F32, f32), FLOAT(BF16, bf16), FLOAT(F64, f64), FLOAT(C64, f32), FLOAT(C128, f64),
};

void knr_join_lanes(kn_dtype d, knr_lane_join join, int64_t n, void *const *lane, int64_t step, size_t count, void *to)
{
    size_t parts = knx_is_complex(d) ? 2 : 1; /* of an element */
    functions[d->id][join](n, lane, step, count * parts, to);
}
