/* SPDX-License-Identifier: Apache-2.0
 * product_convert.c -- elements of operands to the numbers of the inner loops, and these to elements of the result. */
#include "host/routine/product_convert.h"
#include "base/cpu.h"
#include "host/routine/product_half.h"
#include "host/routine/product_rectangle.h"
#include <string.h>

#define EACH(to_type, from_type, value)             \
    for (int64_t i = 0; i < n; i++) {               \
        from_type v = ((const from_type *)from)[i]; \
        ((to_type *)to)[i] = (to_type)(value);      \
    }                                               \
    break;
#define INTEGER(from_type)           \
    if (wide) {                      \
        EACH(uint64_t, from_type, v) \
    } else {                         \
        EACH(uint32_t, from_type, v) \
    }                                \
    break;
#define FLOATING(from_type, value)     \
    if (wide) {                        \
        EACH(double, from_type, value) \
    } else {                           \
        EACH(float, from_type, value)  \
    }                                  \
    break;

const knr_half_loops *knr_half(void)
{
#if defined(KN_HAVE_ISA_VARIANTS)
    static const knr_half_loops *const forms[] = {KNX_ISA_FORMS(&knr_half)};
    return forms[knx_cpu_chosen()];
#else
    return &knr_half_base;
#endif
}

static void widen_half(bool bfloat, const uint16_t *from, int64_t n, bool wide, void *to)
{
    float some[64];
    if (!wide) {
        knr_half()->widen(bfloat, from, n, to);
        return;
    }
    for (int64_t i = 0, m; i < n; i += m) {
        m = knr_least(n - i, 64);
        knr_half()->widen(bfloat, from + i, m, some);
        for (int64_t k = 0; k < m; k++)
            ((double *)to)[i + k] = some[k];
    }
}

/* n adjacent components. */
static void widen(kn_dtype part, const void *from, int64_t n, bool wide, void *to)
{
    switch ((knx_dtype_id)part->id) {
    case KN_ID_BOOL:
    case KN_ID_U8: INTEGER(uint8_t)
    case KN_ID_I8: INTEGER(int8_t)
    case KN_ID_I16: INTEGER(int16_t)
    case KN_ID_U16: INTEGER(uint16_t)
    case KN_ID_I32: INTEGER(int32_t)
    case KN_ID_U32: INTEGER(uint32_t)
    case KN_ID_I64: INTEGER(int64_t)
    case KN_ID_U64: INTEGER(uint64_t)
    case KN_ID_F16:
    case KN_ID_BF16: widen_half(part->id == KN_ID_BF16, from, n, wide, to); break;
    case KN_ID_F32: FLOATING(float, v)
    case KN_ID_F64: FLOATING(double, v)
    default: break; /* complex numbers come as their parts; keys have no products */
    }
}

/* Steps that lie side by side are bytes or shorts. */
static void widen_narrow(const knr_plan *p, kn_dtype d, const void *from, int64_t n, void *to)
{
    if (d->size == p->left_step) {
        memcpy(to, from, (size_t)(n * p->left_step));
    } else if (d->kind == 'i') {
        for (int64_t i = 0; i < n; i++)
            ((int16_t *)to)[i] = ((const int8_t *)from)[i];
    } else {
        for (int64_t i = 0; i < n; i++)
            ((int16_t *)to)[i] = ((const uint8_t *)from)[i];
    }
}

void knr_widen_row(const knr_plan *p, kn_dtype d, const void *from, int64_t n, void *to)
{
    if (p->group > 1) {
        size_t rest = (size_t)((knr_round_up(n, p->group) - n) * p->left_step);
        widen_narrow(p, d, from, n, to);
        memset((char *)to + n * p->left_step, 0, rest);
        return;
    }
    widen(knx_component(d), from, n * p->parts, p->size / p->parts == 8, to);
}

enum { CHUNK = 16 }; /* loops of this length become vectors */

typedef uint8_t bytes16 __attribute__((vector_size(16)));
typedef uint16_t pairs8 __attribute__((vector_size(16)));

/* Byte by byte in turn: those of the lower halves, and of the upper ones. */
static inline void zip_bytes(bytes16 a, bytes16 b, pairs8 *low, pairs8 *high)
{
    *low = (pairs8)__builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    *high = (pairs8)__builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

static inline void zip_pairs(pairs8 a, pairs8 b, uint32_t *to)
{
    pairs8 low = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11),
           high = __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
    memcpy(to, &low, sizeof low);
    memcpy(to + 4, &high, sizeof high);
}

static void weave_bytes(const uint8_t *from, int64_t line, int64_t width, int64_t steps, uint32_t *to)
{
    for (int64_t j = 0; j < width; j += CHUNK) {
        bytes16 x[4] = {{0}};
        pairs8 first[2], last[2];
        for (int i = 0; i < 4; i++)
            if (i < steps)
                memcpy(&x[i], from + j + i * line, sizeof x[i]);
        zip_bytes(x[0], x[1], &first[0], &first[1]);
        zip_bytes(x[2], x[3], &last[0], &last[1]);
        zip_pairs(first[0], last[0], to + j);
        zip_pairs(first[1], last[1], to + j + 8);
    }
}

static void weave_shorts(const uint16_t *from, int64_t line, int64_t width, int64_t steps, uint32_t *to)
{
    static const uint16_t zeros[CHUNK];
    for (int64_t j = 0; j < width; j += 8) {
        const uint16_t *x = from + j, *y = steps > 1 ? x + line : zeros;
        uint32_t sum[8];
        for (int i = 0; i < 8; i++)
            // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): widths are multiples of 8
            sum[i] = (uint32_t)x[i] | (uint32_t)y[i] << 16;
        memcpy(to + j, sum, sizeof sum);
    }
}

void knr_widen_panel(const knr_plan *p, kn_dtype d, const void *from, int64_t line, int64_t width, int64_t steps,
                     void *to)
{
    if (p->group == 4) {
        weave_bytes(from, line, width, steps, to);
    } else if (p->group == 2 && d->size == 2) {
        weave_shorts(from, line, width, steps, to);
    } else if (p->group == 2) {
        uint16_t wide[2 * KNR_MAX_WIDTH];
        for (int64_t g = 0; g < steps; g++)
            widen_narrow(p, d, (const char *)from + g * line, width, wide + g * width);
        weave_shorts(wide, width, width, steps, to);
    } else if (p->parts == 2) {
        widen(knx_component(d), from, 2 * width, p->size == 16, to);
        knr_transpose_complex(p->size == 16, width, to, (char *)to + width * p->size);
    } else {
        widen(d, from, width, p->size == 8, to);
    }
}

void knr_narrow(const knr_plan *p, const void *from, void *to, int64_t n)
{
    kn_dtype d = p->result;
    if (d->kind == 'b') {
        for (int64_t i = 0; i < n; i++)
            ((uint8_t *)to)[i] = ((const uint32_t *)from)[i] != 0;
    } else if (d->size == p->size) {
        if (to != from)
            memcpy(to, from, (size_t)n * d->size);
    } else if (knx_is_float(d)) {
        knr_half()->narrow(d->id == KN_ID_BF16, from, n, to);
    } else if (d->size == 2) {
        for (int64_t i = 0; i < n; i++)
            ((uint16_t *)to)[i] = (uint16_t)((const uint32_t *)from)[i];
    } else {
        for (int64_t i = 0; i < n; i++)
            ((uint8_t *)to)[i] = (uint8_t)((const uint32_t *)from)[i];
    }
}

void knr_widen_result(const knr_plan *p, void *at, int64_t n)
{
    if (p->result->size == p->size)
        return;
    for (int64_t i = n - 1; i >= 0; i--) /* integers and bools: from the end, over themselves */
        ((uint32_t *)at)[i] = p->result->size == 2 ? ((const uint16_t *)at)[i] : ((const uint8_t *)at)[i];
}
