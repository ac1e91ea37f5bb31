/* SPDX-License-Identifier: Apache-2.0
 * sort_image.h -- images of keys: unsigned numbers whose order is that of the keys, NaN last and -0 equal to +0. */
#ifndef KN_HOST_ROUTINE_SORT_IMAGE_H
#define KN_HOST_ROUTINE_SORT_IMAGE_H
#include "base/dtype.h"

static inline uint64_t knr_image_f64(uint64_t u)
{
    const uint64_t sign = (uint64_t)1 << 63, infinity = (uint64_t)0x7ff << 52;
    if ((u & ~sign) > infinity)
        return UINT64_MAX;
    if (u == sign)
        u = 0;
    return u & sign ? ~u : u | sign;
}

static inline uint32_t knr_image_f32(uint32_t u)
{
    const uint32_t sign = 0x80000000u;
    if ((u & ~sign) > 0x7f800000u)
        return UINT32_MAX;
    if (u == sign)
        u = 0;
    return u & sign ? ~u : u | sign;
}

/* A 16-bit float whose infinity has these bits. */
static inline uint16_t knr_image_16(uint16_t u, uint16_t infinity)
{
    const uint16_t sign = 0x8000u;
    if ((u & 0x7fffu) > infinity)
        return UINT16_MAX;
    if (u == sign)
        u = 0;
    return (uint16_t)(u & sign ? ~u : u | sign);
}

/* Of keys that are neither NaN nor -0 the image is u ^ (flip if u is negative) ^ bias, and so it is undone. */
typedef struct knr_image_code {
    uint64_t flip, bias;
    uint64_t infinity; /* bits above are NaN, but for the sign; 0: there are none, nor a -0 */
} knr_image_code;

static inline knr_image_code knr_image_code_of(kn_dtype d)
{
    uint64_t sign = (uint64_t)1 << (8 * d->size - 1);
    switch ((knx_dtype_id)d->id) {
    case KN_ID_I8:
    case KN_ID_I16:
    case KN_ID_I32:
    case KN_ID_I64: return (knr_image_code){.bias = sign};
    case KN_ID_F16: return (knr_image_code){sign - 1, sign, 0x7c00u};
    case KN_ID_BF16: return (knr_image_code){sign - 1, sign, 0x7f80u};
    case KN_ID_F32: return (knr_image_code){sign - 1, sign, 0x7f800000u};
    case KN_ID_F64: return (knr_image_code){sign - 1, sign, (uint64_t)0x7ff << 52};
    default: return (knr_image_code){0};
    }
}
#endif
