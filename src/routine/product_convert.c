/* SPDX-License-Identifier: Apache-2.0
 * product_convert.c -- elements of operands to the numbers of the inner loops, and these to elements of the result. */
#include "routine/product_convert.h"
#include "base/cpu.h"
#include "routine/product_half.h"
#include "routine/product_rectangle.h"
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
    static const knr_half_loops *const forms[] = {&knr_half_base, &knr_half_avx2, &knr_half_avx512};
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
    switch ((kn_dtype_id)part->id) {
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

static void weave_bytes(const uint8_t *from, int64_t line, int64_t width, int64_t steps, uint32_t *to)
{
    static const uint8_t zeros[CHUNK];
    for (int64_t j = 0; j < width; j += CHUNK) {
        const uint8_t *x = from + j, *y = steps > 1 ? x + line : zeros, *z = steps > 2 ? x + 2 * line : zeros;
        const uint8_t *w = steps > 3 ? x + 3 * line : zeros;
        uint32_t sum[CHUNK];
        for (int i = 0; i < CHUNK; i++)
            sum[i] = (uint32_t)x[i] | (uint32_t)y[i] << 8 | (uint32_t)z[i] << 16 | (uint32_t)w[i] << 24;
        memcpy(to + j, sum, sizeof sum);
    }
}

static void weave_shorts(const uint16_t *from, int64_t line, int64_t width, int64_t steps, uint32_t *to)
{
    static const uint16_t zeros[CHUNK];
    for (int64_t j = 0; j < width; j += 8) {
        const uint16_t *x = from + j, *y = steps > 1 ? x + line : zeros;
        uint32_t sum[8];
        for (int i = 0; i < 8; i++)
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
        knr_turn_complex(p->size == 16, width, to, (char *)to + width * p->size);
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
