/* SPDX-License-Identifier: Apache-2.0
 * sort_search.c -- many searches side by side, without branches: each waits for its own memory, all of them at once. */
#include "host/routine/sort_search.h"
#include "base/pool.h"
#include "host/routine/sort_image.h"

enum { TOGETHER = 16, PART = 1 << 12 /* searches for each thread, at least */ };

typedef struct job {
    const knr_search *s;
    const char *a, *v;
    int64_t *y, parts; /* of each line */
} job;

static inline int64_t signed_64(uint64_t u) { return (int64_t)(u ^ (uint64_t)1 << 63); }
#define SEARCH(T, S, image)                                                                         \
    for (int64_t i = from; i < to; i += TOGETHER) {                                                 \
        int64_t found[TOGETHER] = {0}, rest = s->length, n = to - i < TOGETHER ? to - i : TOGETHER; \
        S wanted[TOGETHER];                                                                         \
        for (int64_t k = 0; k < TOGETHER; k++) {                                                    \
            T u = ((const T *)v)[i + (k < n ? k : 0)];                                              \
            wanted[k] = (S)(image);                                                                 \
        }                                                                                           \
        while (rest) {                                                                              \
            int64_t half = rest - rest / 2;                                                         \
            for (int k = 0; k < TOGETHER; k++) {                                                    \
                T u = ((const T *)a)[found[k] + half - 1];                                          \
                S here = (S)(image);                                                                \
                found[k] += half & -(int64_t)((here < wanted[k]) | ((here == wanted[k]) & right));  \
            }                                                                                       \
            rest -= half;                                                                           \
        }                                                                                           \
        for (int64_t k = 0; k < n; k++)                                                             \
            y[i + k] = found[k];                                                                    \
    }                                                                                               \
    break

static void search_part(void *arg, int64_t part, int worker)
{
    const job *j = arg;
    const knr_search *s = j->s;
    int64_t line = part / j->parts, p = part % j->parts, size = s->dtype->size;
    int64_t from = s->many * p / j->parts, to = s->many * (p + 1) / j->parts, *y = j->y + line * s->many;
    const char *a = j->a + line * s->length * size, *v = j->v + line * s->many * size;
    bool right = s->right;
    (void)worker;
    switch ((knx_dtype_id)s->dtype->id) {
    case KN_ID_BOOL:
    case KN_ID_U8: SEARCH(uint8_t, int32_t, u);
    case KN_ID_I8: SEARCH(int8_t, int32_t, u);
    case KN_ID_U16: SEARCH(uint16_t, int32_t, u);
    case KN_ID_I16: SEARCH(int16_t, int32_t, u);
    case KN_ID_F16: SEARCH(uint16_t, int32_t, knr_image_16(u, 0x7c00u));
    case KN_ID_BF16: SEARCH(uint16_t, int32_t, knr_image_16(u, 0x7f80u));
    case KN_ID_U32: SEARCH(uint32_t, int64_t, u);
    case KN_ID_I32: SEARCH(int32_t, int32_t, u);
    case KN_ID_F32: SEARCH(uint32_t, int64_t, knr_image_f32(u));
    case KN_ID_U64: SEARCH(uint64_t, int64_t, signed_64(u));
    case KN_ID_I64: SEARCH(int64_t, int64_t, u);
    case KN_ID_F64: SEARCH(uint64_t, int64_t, signed_64(knr_image_f64(u)));
    default: break;
    }
}

void knr_search_run(const knr_search *s, const void *a, const void *v, int64_t *y)
{
    if (!s->outer || !s->many)
        return;
    job j = {s, a, v, y, 1};
    int64_t parts = s->many / PART;
    j.parts = parts < 1 ? 1 : parts < 4 * (int64_t)s->threads ? parts : 4 * (int64_t)s->threads;
    knx_parallel(s->threads, s->outer * j.parts, search_part, &j);
}
