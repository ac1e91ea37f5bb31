/* SPDX-License-Identifier: Apache-2.0
 * pooling_choice.c -- windows of an array: which element of each one is chosen, and the way to it and back. */
#include "base/half.h"
#include "host/routine/pooling.h"
#include <math.h>
#include <string.h>

/* Window number `window` of an array, and a position `at` in it. */
typedef struct place {
    int64_t window[KN_MAX_NDIM + 1], at[KN_MAX_NDIM + 1];
} place;

static bool next_window(const knr_pooling *w, int64_t *at)
{
    for (int d = w->n - 1; d >= 0; d--) {
        if (++at[d] < w->axis[d].count)
            return true;
        at[d] = 0;
    }
    return false;
}

static void next_position(const knr_pooling *w, int64_t *at)
{
    for (int d = w->n - 1; d >= 0 && ++at[d] == w->axis[d].size; d--)
        at[d] = 0;
}

static bool any_windows(const knr_pooling *w)
{
    for (int d = 0; d < w->n; d++)
        if (!w->axis[d].count)
            return false;
    return true;
}

/* The number of the element there, -1 if there is none. */
static int64_t element_at(const knr_pooling *w, const place *p)
{
    int64_t e = 0;
    for (int d = 0; d < w->n; d++) {
        const knr_pooling_axis *a = &w->axis[d];
        int64_t at = p->window[d] * a->stride + p->at[d] * a->step - a->lo;
        if (at < 0 || at % a->base || at / a->base >= a->extent)
            return -1;
        e = e * a->extent + at / a->base;
    }
    return e;
}

static int64_t load_index(kn_dtype d, const void *at, int64_t i)
{
    switch (d->size) {
    case 1: return ((const int8_t *)at)[i];
    case 2: return ((const int16_t *)at)[i];
    case 4: return ((const int32_t *)at)[i];
    default: return ((const int64_t *)at)[i];
    }
}

static void store_index(kn_dtype d, void *at, int64_t i, int64_t v)
{
    switch (d->size) {
    case 1: ((int8_t *)at)[i] = (int8_t)v; break;
    case 2: ((int16_t *)at)[i] = (int16_t)v; break;
    case 4: ((int32_t *)at)[i] = (int32_t)v; break;
    default: ((int64_t *)at)[i] = v;
    }
}

/* The position that stays in one window; `at` is 0 before and after. */
typedef int64_t chooser(const knr_pooling *w, place *p, const void *x, bool largest, bool identity);

#define CHOOSER(name, T, number, LOAD, LEAST, MOST)                                                    \
    static int64_t name(const knr_pooling *w, place *p, const void *from, bool largest, bool identity) \
    {                                                                                                  \
        const T *x = from;                                                                             \
        number none = largest ? LEAST : MOST, best = none;                                             \
        int64_t chosen = identity ? -1 : 0;                                                            \
        for (int64_t i = 0; i < w->positions; i++, next_position(w, p->at)) {                          \
            int64_t e = element_at(w, p);                                                              \
            number v = e < 0 ? none : LOAD(x[e]);                                                      \
            bool stays = largest ? best >= v : best <= v;                                              \
            if (!stays || (i == 0 && !identity)) {                                                     \
                best = v;                                                                              \
                chosen = i;                                                                            \
            }                                                                                          \
        }                                                                                              \
        return chosen;                                                                                 \
    }
#define AS_IT_IS(v)                        (v)
#define CHOOSER_OF(suffix, T, least, most) CHOOSER(choose_##suffix, T, T, AS_IT_IS, least, most)
#define CHOOSER_OF_FLOATS(suffix, T, number, LOAD) \
    CHOOSER(choose_##suffix, T, number, LOAD, -(number)INFINITY, (number)INFINITY)
CHOOSER_OF(bool, uint8_t, 0, 1)
CHOOSER_OF(i8, int8_t, INT8_MIN, INT8_MAX)
CHOOSER_OF(i16, int16_t, INT16_MIN, INT16_MAX)
CHOOSER_OF(i32, int32_t, INT32_MIN, INT32_MAX)
CHOOSER_OF(i64, int64_t, INT64_MIN, INT64_MAX)
CHOOSER_OF(u8, uint8_t, 0, UINT8_MAX)
CHOOSER_OF(u16, uint16_t, 0, UINT16_MAX)
CHOOSER_OF(u32, uint32_t, 0, UINT32_MAX)
CHOOSER_OF(u64, uint64_t, 0, UINT64_MAX)
CHOOSER_OF_FLOATS(f16, uint16_t, float, knx_f16_to_f32)
CHOOSER_OF_FLOATS(bf16, uint16_t, float, knx_bf16_to_f32)
CHOOSER_OF_FLOATS(f32, float, float, AS_IT_IS)
CHOOSER_OF_FLOATS(f64, double, double, AS_IT_IS)

static chooser *const choosers[KN_ID_COUNT] = {
    [KN_ID_BOOL] = choose_bool, [KN_ID_I8] = choose_i8,   [KN_ID_I16] = choose_i16,   [KN_ID_I32] = choose_i32,
    [KN_ID_I64] = choose_i64,   [KN_ID_U8] = choose_u8,   [KN_ID_U16] = choose_u16,   [KN_ID_U32] = choose_u32,
    [KN_ID_U64] = choose_u64,   [KN_ID_F16] = choose_f16, [KN_ID_BF16] = choose_bf16, [KN_ID_F32] = choose_f32,
    [KN_ID_F64] = choose_f64};

void knr_pooling_choose(bool largest, bool identity, kn_dtype d, const knr_pooling *w, const void *x, kn_dtype index,
                        void *y)
{
    place p = {{0}, {0}};
    int64_t o = 0;
    if (any_windows(w))
        do
            store_index(index, y, o++, choosers[d->id](w, &p, x, largest, identity));
        while (next_window(w, p.window));
}

/* Where position number i is. */
static void read_position(const knr_pooling *w, int64_t i, int64_t *at)
{
    for (int d = w->n - 1; d >= 0; d--) {
        at[d] = i % w->axis[d].size;
        i /= w->axis[d].size;
    }
}

static int64_t chosen_element(const knr_pooling *w, place *p, int64_t i)
{
    if (i < 0 || i >= w->positions)
        return -1;
    read_position(w, i, p->at);
    return element_at(w, p);
}

void knr_pooling_pick(size_t size, const knr_pooling *w, const void *x, kn_dtype index, const void *choice, void *y)
{
    place p = {{0}, {0}};
    char *to = y;
    int64_t o = 0;
    if (any_windows(w))
        do {
            int64_t e = chosen_element(w, &p, load_index(index, choice, o++));
            if (e >= 0)
                memcpy(to, (const char *)x + (size_t)e * size, size);
            else
                memset(to, 0, size);
            to += size;
        } while (next_window(w, p.window));
}

/* y[e] += source[o] */
typedef void adder(void *y, int64_t e, const void *source, int64_t o);
#define ADDER(suffix, T, number, LOAD, STORE)                                    \
    static void add_##suffix(void *to, int64_t e, const void *source, int64_t o) \
    {                                                                            \
        T *y = to;                                                               \
        number a = LOAD(y[e]), b = LOAD(((const T *)source)[o]);                 \
        y[e] = (T)STORE((number)(a + b));                                        \
    }
ADDER(u8, uint8_t, uint32_t, AS_IT_IS, AS_IT_IS)
ADDER(u16, uint16_t, uint32_t, AS_IT_IS, AS_IT_IS)
ADDER(u32, uint32_t, uint32_t, AS_IT_IS, AS_IT_IS)
ADDER(u64, uint64_t, uint64_t, AS_IT_IS, AS_IT_IS)
ADDER(f16, uint16_t, float, knx_f16_to_f32, knx_f32_to_f16)
ADDER(bf16, uint16_t, float, knx_bf16_to_f32, knx_f32_to_bf16)
ADDER(f32, float, float, AS_IT_IS, AS_IT_IS)
ADDER(f64, double, double, AS_IT_IS, AS_IT_IS)

static void add_bool(void *y, int64_t e, const void *source, int64_t o)
{
    ((uint8_t *)y)[e] |= ((const uint8_t *)source)[o];
}
static void add_c64(void *y, int64_t e, const void *source, int64_t o)
{
    add_f32(y, 2 * e, source, 2 * o);
    add_f32(y, 2 * e + 1, source, 2 * o + 1);
}
static void add_c128(void *y, int64_t e, const void *source, int64_t o)
{
    add_f64(y, 2 * e, source, 2 * o);
    add_f64(y, 2 * e + 1, source, 2 * o + 1);
}

static adder *const adders[KN_ID_COUNT] = {
    [KN_ID_BOOL] = add_bool, [KN_ID_I8] = add_u8,   [KN_ID_I16] = add_u16,   [KN_ID_I32] = add_u32,
    [KN_ID_I64] = add_u64,   [KN_ID_U8] = add_u8,   [KN_ID_U16] = add_u16,   [KN_ID_U32] = add_u32,
    [KN_ID_U64] = add_u64,   [KN_ID_F16] = add_f16, [KN_ID_BF16] = add_bf16, [KN_ID_F32] = add_f32,
    [KN_ID_F64] = add_f64,   [KN_ID_C64] = add_c64, [KN_ID_C128] = add_c128};

void knr_pooling_place(kn_dtype d, const knr_pooling *w, const void *source, kn_dtype index, const void *choice,
                       void *y)
{
    place p = {{0}, {0}};
    int64_t o = 0, all = 1;
    for (int i = 0; i < w->n; i++)
        all *= w->axis[i].extent;
    memset(y, 0, (size_t)all * d->size);
    if (any_windows(w))
        do {
            int64_t e = chosen_element(w, &p, load_index(index, choice, o));
            if (e >= 0)
                adders[d->id](y, e, source, o);
            o++;
        } while (next_window(w, p.window));
}
