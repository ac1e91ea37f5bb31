/* SPDX-License-Identifier: Apache-2.0
 * product_half_isa.c -- runs of float16 and bfloat16 to float32 and back. */
#include "base/isa_name.h"
#include "base/half.h"
#include "host/routine/product_half.h"
#include <string.h>
#if defined(__F16C__)
#include <immintrin.h>
#endif

/* knx_f32_to_bf16 written out for vectors: `to` may be `from`, so the compiler makes none of a loop. */
enum { CHUNK = 16 };
typedef uint32_t words __attribute__((vector_size(4 * CHUNK)));
typedef uint16_t halves __attribute__((vector_size(2 * CHUNK)));

static void widen(bool bfloat, const uint16_t *from, int64_t n, float *to)
{
    int64_t i = 0;
    if (bfloat) {
        for (; i < n; i++)
            to[i] = knx_bf16_to_f32(from[i]);
        return;
    }
#if defined(__F16C__)
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(from + i))));
#endif
    for (; i < n; i++)
        to[i] = knx_f16_to_f32(from[i]);
}

static void narrow(bool bfloat, const float *from, int64_t n, uint16_t *to)
{
    int64_t i = 0;
    if (bfloat) {
        for (; i + CHUNK <= n; i += CHUNK) {
            words x;
            memcpy(&x, from + i, sizeof x);
            words nan = (words)((x & 0x7fffffff) > 0x7f800000), y = (x + 0x7fff + (x >> 16 & 1)) >> 16;
            y = ((x >> 16 | 0x40) & nan) | (y & ~nan);
            halves z = __builtin_convertvector(y, halves);
            memcpy(to + i, &z, sizeof z);
        }
        for (; i < n; i++)
            to[i] = knx_f32_to_bf16(from[i]);
        return;
    }
#if defined(__F16C__)
    for (; i + 8 <= n; i += 8)
        _mm_storeu_si128((__m128i *)(to + i), _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
#endif
    for (; i < n; i++)
        to[i] = knx_f32_to_f16(from[i]);
}

const knr_half_loops KN_ISA_NAME(knr_half) = {widen, narrow};
