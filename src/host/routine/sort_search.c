/* SPDX-License-Identifier: Apache-2.0
 * sort_search.c -- many searches side by side, without branches: each waits for its own memory, all of them at once. In
 * lanes of registers where the processor has such loops. */
#include "host/routine/sort_search.h"
#include "base/pool.h"
#include "host/routine/isa.h"
#include "host/routine/sort_image.h"
#include "host/routine/sort_search_loops.h"

enum { TOGETHER = 16, PART = 1 << 12 /* searches for each thread, at least */ };

typedef struct job {
    const knr_search *s;
    const char *a, *v;
    int64_t *y, parts; /* of each line */
} job;

/* 16 bits: floats if there is an infinity. */
static inline int32_t number_16(uint16_t u, uint64_t flip, uint16_t infinity)
{
    return infinity ? knr_image_16(u, infinity) : (int16_t)(u ^ flip);
}

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

/* As many as there are loops for; how many. */
static int64_t search_lanes(const knr_search *s, const void *a, const void *v, int64_t n, uint64_t flip, int64_t *y)
{
    kn_dtype d = s->dtype;
    if (d->size < 4 || s->length > INT32_MAX)
        return 0;
    knr_search_line *line = KNR_BY_ISA(knr_search_loops).line[(d->size == 8) + 2 * knx_is_float(d)];
    return line ? line(a, s->length, v, n, s->right, flip, y) : 0;
}

static void search_part(void *arg, int64_t part, int worker)
{
    const job *j = arg;
    const knr_search *s = j->s;
    kn_dtype d = s->dtype;
    int64_t line = part / j->parts, p = part % j->parts, size = d->size;
    int64_t from = s->many * p / j->parts, to = s->many * (p + 1) / j->parts, *y = j->y + line * s->many;
    const char *a = j->a + line * s->length * size, *v = j->v + line * s->many * size;
    const bool right = s->right, is_signed = d->kind == KN_KIND_INT;
    const uint64_t flip = is_signed || knx_is_float(d) ? 0 : (uint64_t)1 << (8 * size - 1);
    const uint16_t infinity = d->id == KN_ID_F16 ? 0x7c00 : d->id == KN_ID_BF16 ? 0x7f80 : 0;
    (void)worker;
    from += search_lanes(s, a, v + from * size, to - from, flip, y + from);
    switch (size + (size > 2 && knx_is_float(d))) {
    case 1: SEARCH(uint8_t, int32_t, (int8_t)(u ^ flip));
    case 2: SEARCH(uint16_t, int32_t, number_16(u, flip, infinity));
    case 4: SEARCH(uint32_t, int32_t, u ^ flip);
    case 5: SEARCH(uint32_t, int64_t, knr_image_f32(u));
    case 8: SEARCH(uint64_t, int64_t, u ^ flip);
    default: SEARCH(uint64_t, int64_t, knr_image_f64(u) ^ (uint64_t)1 << 63);
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
