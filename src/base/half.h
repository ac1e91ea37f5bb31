/* SPDX-License-Identifier: Apache-2.0
 * half.h -- float16 and bfloat16 to and from wider floats, inline for loops. Every conversion rounds once, half to
 * even. A NaN stays a NaN with its sign and the payload bits that fit, made quiet where the hardware's F16C
 * instructions make it quiet. */
#ifndef KN_BASE_HALF_H
#define KN_BASE_HALF_H
#include <stdint.h>
#include <string.h>

static inline uint32_t knx_f32_bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

static inline float knx_f32_from_bits(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

static inline float knx_f16_to_f32(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16, rest = h & 0x7fffu;
    if (rest >= 0x7c00u)
        return knx_f32_from_bits(sign | 0x7f800000u | (rest > 0x7c00u) << 22 | (rest & 0x3ffu) << 13);
    if (rest >= 0x0400u)
        return knx_f32_from_bits(sign | ((rest << 13) + (112u << 23)));
    return knx_f32_from_bits(sign | knx_f32_bits((float)rest * 0x1p-24f));
}

static inline uint16_t knx_f32_to_f16(float f)
{
    uint32_t bits = knx_f32_bits(f), sign = bits >> 16 & 0x8000u, a = bits & 0x7fffffffu;
    if (a > 0x7f800000u)
        return (uint16_t)(sign | 0x7e00u | (a >> 13 & 0x3ffu));
    if (a >= 0x47800000u) /* 65536 and more, infinity */
        return (uint16_t)(sign | 0x7c00u);
    if (a < 0x38800000u) /* below 2^-14: adding a half leaves multiples of 2^-24, rounded by the addition */
        return (uint16_t)(sign | (knx_f32_bits(knx_f32_from_bits(a) + 0.5f) - 0x3f000000u));
    return (uint16_t)(sign | (a - (112u << 23) + 0xfffu + (a >> 13 & 1u)) >> 13);
}

static inline float knx_bf16_to_f32(uint16_t h) { return knx_f32_from_bits((uint32_t)h << 16); }

static inline uint16_t knx_f32_to_bf16(float f)
{
    uint32_t bits = knx_f32_bits(f);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return (uint16_t)(bits >> 16 | 0x40u);
    return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

/* The float32 next to d whose last bit is set where d is between two floats: rounding it again, to 22 bits or
 * fewer, gives what rounding d at once would give. */
static inline float knx_f64_to_f32_odd(double d)
{
    float f = (float)d;
    uint32_t bits = knx_f32_bits(f);
    double back = f;
    if (d != d || back == d || (bits & 1u))
        return f;
    return knx_f32_from_bits(__builtin_fabs(back) > __builtin_fabs(d) ? bits - 1 : bits | 1);
}

static inline uint16_t knx_f64_to_f16(double d) { return knx_f32_to_f16(knx_f64_to_f32_odd(d)); }
static inline uint16_t knx_f64_to_bf16(double d) { return knx_f32_to_bf16(knx_f64_to_f32_odd(d)); }
#endif
