/* SPDX-License-Identifier: Apache-2.0
 * pooling.c -- windows of an array: their elements joined. Along the last axis many windows are worked on side by side;
 * where there are few, each runs over its own elements. */
#include "host/routine/pooling.h"
#include "base/half.h"
#include <math.h>
#include <string.h>

/* --- joining ---------------------------------------------------------------------------------- */

/* What a dtype and a way of joining need: accumulators of `size` bytes, set to the identity, joined with each other and
 * with elements that lie `step` apart, and stored. */
typedef struct joiner {
    size_t size;
    void (*clear)(void *acc, int64_t n);
    void (*lanes)(void *acc, const void *x, int64_t n, int64_t step); /* acc[i] with x[i * step] */
    void (*chain)(void *acc, const void *x, int64_t n, int64_t step); /* acc[0] with one after the other */
    void (*merge)(void *acc, const void *with, int64_t n);            /* acc[i] with with[i] */
    void (*store)(const void *acc, int64_t n, void *y);
} joiner;

enum { SIDE = 16 }; /* adjacent numbers that a compiler makes vectors of */

#define JOINER(name, T, number, LOAD, STORE, JOIN, IDENTITY)                       \
    static void name##_clear(void *acc, int64_t n)                                 \
    {                                                                              \
        for (int64_t i = 0; i < n; i++)                                            \
            ((number *)acc)[i] = IDENTITY;                                         \
    }                                                                              \
    static void name##_lanes(void *acc, const void *from, int64_t n, int64_t step) \
    {                                                                              \
        number *a = acc;                                                           \
        const T *x = from;                                                         \
        int64_t done = step == 1 ? n / SIDE * SIDE : 0;                            \
        for (int64_t i = 0; i < done; i += SIDE)                                   \
            for (int64_t k = 0; k < SIDE; k++)                                     \
                a[i + k] = (number)JOIN(a[i + k], LOAD(x[i + k]));                 \
        for (int64_t i = done; i < n; i++)                                         \
            a[i] = (number)JOIN(a[i], LOAD(x[i * step]));                          \
    }                                                                              \
    static void name##_chain(void *acc, const void *from, int64_t n, int64_t step) \
    {                                                                              \
        number a = *(number *)acc;                                                 \
        const T *x = from;                                                         \
        for (int64_t i = 0; i < n; i++)                                            \
            a = (number)JOIN(a, LOAD(x[i * step]));                                \
        *(number *)acc = a;                                                        \
    }                                                                              \
    static void name##_merge(void *acc, const void *with, int64_t n)               \
    {                                                                              \
        number *a = acc;                                                           \
        const number *b = with;                                                    \
        for (int64_t i = 0; i < n; i++)                                            \
            a[i] = (number)JOIN(a[i], b[i]);                                       \
    }                                                                              \
    static void name##_store(const void *acc, int64_t n, void *y)                  \
    {                                                                              \
        const number *a = acc;                                                     \
        for (int64_t i = 0; i < n; i++)                                            \
            ((T *)y)[i] = (T)STORE(a[i]);                                          \
    }                                                                              \
    static const joiner name = {sizeof(number), name##_clear, name##_lanes, name##_chain, name##_merge, name##_store};

#define AS_IT_IS(v)   (v)
#define PLUS(a, b)    ((a) + (b))
#define LARGER(a, b)  ((a) > (b) ? (a) : (b))
#define SMALLER(a, b) ((a) < (b) ? (a) : (b))
/* nan stays; the right one of equal zeros */
#define LARGER_NAN(a, b)                     ((a) > (b) || (a) != (a) ? (a) : (b))
#define SMALLER_NAN(a, b)                    ((a) < (b) || (a) != (a) ? (a) : (b))

#define SUMS(suffix, T, number, LOAD, STORE) JOINER(sum_##suffix, T, number, LOAD, STORE, PLUS, 0)
#define ORDERED(suffix, T, least, most)                           \
    JOINER(max_##suffix, T, T, AS_IT_IS, AS_IT_IS, LARGER, least) \
    JOINER(min_##suffix, T, T, AS_IT_IS, AS_IT_IS, SMALLER, most)
#define FLOATS(suffix, T, number, LOAD, STORE)                                  \
    SUMS(suffix, T, number, LOAD, STORE)                                        \
    JOINER(max_##suffix, T, number, LOAD, STORE, LARGER_NAN, -(number)INFINITY) \
    JOINER(min_##suffix, T, number, LOAD, STORE, SMALLER_NAN, (number)INFINITY)

SUMS(u8, uint8_t, uint32_t, AS_IT_IS, AS_IT_IS)
SUMS(u16, uint16_t, uint32_t, AS_IT_IS, AS_IT_IS)
SUMS(u32, uint32_t, uint32_t, AS_IT_IS, AS_IT_IS)
SUMS(u64, uint64_t, uint64_t, AS_IT_IS, AS_IT_IS)
ORDERED(bool, uint8_t, 0, 1)
ORDERED(i8, int8_t, INT8_MIN, INT8_MAX)
ORDERED(i16, int16_t, INT16_MIN, INT16_MAX)
ORDERED(i32, int32_t, INT32_MIN, INT32_MAX)
ORDERED(i64, int64_t, INT64_MIN, INT64_MAX)
ORDERED(u8, uint8_t, 0, UINT8_MAX)
ORDERED(u16, uint16_t, 0, UINT16_MAX)
ORDERED(u32, uint32_t, 0, UINT32_MAX)
ORDERED(u64, uint64_t, 0, UINT64_MAX)
FLOATS(f16, uint16_t, float, knx_f16_to_f32, knx_f32_to_f16)
FLOATS(bf16, uint16_t, float, knx_bf16_to_f32, knx_f32_to_bf16)
FLOATS(f32, float, float, AS_IT_IS, AS_IT_IS)
FLOATS(f64, double, double, AS_IT_IS, AS_IT_IS)

/* Complex numbers come part by part. */
static const joiner *const joiners[][KN_ID_COUNT] = {
    [KNR_POOL_SUM] = {[KN_ID_I8] = &sum_u8,
                      [KN_ID_I16] = &sum_u16,
                      [KN_ID_I32] = &sum_u32,
                      [KN_ID_I64] = &sum_u64,
                      [KN_ID_U8] = &sum_u8,
                      [KN_ID_U16] = &sum_u16,
                      [KN_ID_U32] = &sum_u32,
                      [KN_ID_U64] = &sum_u64,
                      [KN_ID_F16] = &sum_f16,
                      [KN_ID_BF16] = &sum_bf16,
                      [KN_ID_F32] = &sum_f32,
                      [KN_ID_F64] = &sum_f64},
    [KNR_POOL_MAX] = {[KN_ID_BOOL] = &max_bool,
                      [KN_ID_I8] = &max_i8,
                      [KN_ID_I16] = &max_i16,
                      [KN_ID_I32] = &max_i32,
                      [KN_ID_I64] = &max_i64,
                      [KN_ID_U8] = &max_u8,
                      [KN_ID_U16] = &max_u16,
                      [KN_ID_U32] = &max_u32,
                      [KN_ID_U64] = &max_u64,
                      [KN_ID_F16] = &max_f16,
                      [KN_ID_BF16] = &max_bf16,
                      [KN_ID_F32] = &max_f32,
                      [KN_ID_F64] = &max_f64},
    [KNR_POOL_MIN] = {[KN_ID_BOOL] = &min_bool,
                      [KN_ID_I8] = &min_i8,
                      [KN_ID_I16] = &min_i16,
                      [KN_ID_I32] = &min_i32,
                      [KN_ID_I64] = &min_i64,
                      [KN_ID_U8] = &min_u8,
                      [KN_ID_U16] = &min_u16,
                      [KN_ID_U32] = &min_u32,
                      [KN_ID_U64] = &min_u64,
                      [KN_ID_F16] = &min_f16,
                      [KN_ID_BF16] = &min_bf16,
                      [KN_ID_F32] = &min_f32,
                      [KN_ID_F64] = &min_f64},
};

/* --- windows side by side ----------------------------------------------------------------------- */

enum { LANES = 256, FEW = 8 }; /* windows that are worked on together; fewer run one after the other */

/* Windows first .. first + n of a row; the row's place along the other axes is `window`. */
typedef struct rows {
    const joiner *j;
    const knr_pooling *w;
    const knr_pooling_axis *last;
    size_t element;
    const char *x;
    int64_t window[KN_MAX_NDIM], first, n;
    _Alignas(64) char acc[LANES * sizeof(double)], total[LANES * sizeof(double)];
    bool blocks; /* total holds blocks that are done */
} rows;

static int64_t floor_div(int64_t a, int64_t b) { return b == 1 ? a : a / b - (a % b < 0); }
static int64_t ceil_div(int64_t a, int64_t b) { return b == 1 ? a : a / b + (a % b > 0); }

/* The element at position k of window o along an axis, -1 if there is none. */
static int64_t element_at(const knr_pooling_axis *a, int64_t o, int64_t k)
{
    int64_t at = o * a->stride + k * a->step - a->lo;
    if (a->base == 1)
        return at < a->extent ? at : -1; /* negative: outside, too */
    return at < 0 || at % a->base || at / a->base >= a->extent ? -1 : at / a->base;
}

/* Position k along the last axis, of all windows; the others' places lead to element number `line`. */
static void join_lanes(rows *r, int64_t k, int64_t line)
{
    const knr_pooling_axis *a = r->last;
    int64_t shift = k * a->step - a->lo, end = (a->extent - 1) * a->base - shift;
    int64_t from = ceil_div(-shift, a->stride), to = floor_div(end, a->stride) + 1;
    from = from > r->first ? from : r->first;
    to = to < r->first + r->n ? to : r->first + r->n;
    if (a->base == 1) {
        if (from < to)
            r->j->lanes(r->acc + (size_t)(from - r->first) * r->j->size,
                        r->x + (line + from * a->stride + shift) * (int64_t)r->element, to - from, a->stride);
        return;
    }
    for (int64_t o = from; o < to; o++) {
        int64_t e = element_at(a, o, k);
        if (e >= 0)
            r->j->lanes(r->acc + (size_t)(o - r->first) * r->j->size, r->x + (line + e) * (int64_t)r->element, 1, 1);
    }
}

/* Positions k .. end along the last axis, of each window in turn. */
static void join_chains(rows *r, int64_t k, int64_t end, int64_t line)
{
    const knr_pooling_axis *a = r->last;
    for (int64_t o = r->first; o < r->first + r->n; o++) {
        char *acc = r->acc + (size_t)(o - r->first) * r->j->size;
        int64_t begin = o * a->stride - a->lo, from = ceil_div(-begin, a->step);
        int64_t to = floor_div((a->extent - 1) * a->base - begin, a->step) + 1;
        from = from > k ? from : k;
        to = to < end ? to : end;
        if (a->base == 1 && from < to)
            r->j->chain(acc, r->x + (line + begin + from * a->step) * (int64_t)r->element, to - from, a->step);
        for (int64_t i = from; a->base != 1 && i < to; i++) {
            int64_t e = element_at(a, o, i);
            if (e >= 0)
                r->j->chain(acc, r->x + (line + e) * (int64_t)r->element, 1, 1);
        }
    }
}

static void end_block(rows *r)
{
    if (r->blocks)
        r->j->merge(r->total, r->acc, r->n);
    else
        memcpy(r->total, r->acc, (size_t)r->n * r->j->size);
    r->blocks = true;
    r->j->clear(r->acc, r->n);
}

/* The positions along the last axis, from number `position` of the window on. */
static void join_line(rows *r, int64_t position, int64_t line)
{
    int64_t size = r->last->size;
    for (int64_t k = 0, end; k < size; k = end) {
        int64_t room = KNR_POOL_BLOCK - (position + k) % KNR_POOL_BLOCK;
        end = size - k < room ? size : k + room;
        if (line >= 0 && r->n < FEW)
            join_chains(r, k, end, line);
        for (int64_t i = k; line >= 0 && r->n >= FEW && i < end; i++)
            join_lanes(r, i, line);
        if ((position + end) % KNR_POOL_BLOCK == 0 && position + end < r->w->positions)
            end_block(r);
    }
}

/* All positions of the windows. */
static void join_rows(rows *r)
{
    int64_t at[KN_MAX_NDIM] = {0}, position = 0;
    int outer = r->w->n - 1;
    r->blocks = false;
    r->j->clear(r->acc, r->n);
    for (int d = 0; d >= 0; position += r->last->size) {
        int64_t line = 0;
        for (int a = 0; a < outer && line >= 0; a++) {
            int64_t e = element_at(&r->w->axis[a], r->window[a], at[a]);
            line = e < 0 ? -1 : line * r->w->axis[a].extent + e;
        }
        join_line(r, position, line < 0 ? -1 : line * r->last->extent);
        for (d = outer - 1; d >= 0 && ++at[d] == r->w->axis[d].size; d--)
            at[d] = 0;
    }
    if (r->blocks)
        end_block(r);
}

static bool next_window(const knr_pooling *w, int n, int64_t *at)
{
    for (int d = n - 1; d >= 0; d--) {
        if (++at[d] < w->axis[d].count)
            return true;
        at[d] = 0;
    }
    return false;
}

static void reduce(const joiner *j, size_t element, const knr_pooling *w, const void *x, void *y)
{
    rows r = {.j = j, .w = w, .last = &w->axis[w->n - 1], .element = element, .x = x};
    char *to = y;
    for (int d = 0; d < w->n; d++)
        if (!w->axis[d].count)
            return;
    do
        for (r.first = 0; r.first < r.last->count; r.first += r.n) {
            r.n = r.last->count - r.first < LANES ? r.last->count - r.first : LANES;
            join_rows(&r);
            j->store(r.blocks ? r.total : r.acc, r.n, to);
            to += (size_t)r.n * element;
        }
    while (next_window(w, w->n - 1, r.window));
}

void knr_pooling_reduce(knr_pooling_how how, kn_dtype d, const knr_pooling *w, const void *x, void *y)
{
    kn_dtype part = knx_component(d);
    knr_pooling all = *w;
    if (part != d) /* an axis of parts */
        all.axis[all.n++] = (knr_pooling_axis){2, 1, 0, 1, 1, 2, 1};
    else if (!all.n)
        all.axis[all.n++] = (knr_pooling_axis){1, 1, 0, 1, 1, 1, 1};
    reduce(joiners[how][part->id], part->size, &all, x, y);
}
