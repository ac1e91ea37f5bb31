/* SPDX-License-Identifier: Apache-2.0
 * functions.c -- log1p of a float32 (K. C. Ng's, fdlibm), and which of the compiled functions are called. */
#include "rng/functions.h"
#include "host/routine/isa.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

_Atomic(const knrng_functions *) knrng_chosen = &knrng_functions_base;

void knrng_choose_functions(void)
{
    atomic_store_explicit(&knrng_chosen, &KNR_BY_ISA(knrng_functions), memory_order_relaxed);
}

float knrng_log1pf(float x)
{
    static const float ln2_high = 6.9313812256e-01f, ln2_low = 9.0580006145e-06f;
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    int32_t top = (int32_t)bits, magnitude = top & 0x7fffffff, k = 1, hu = 1;
    float f = x, c = 0;
    if (!(x > -1))
        return x == -1 ? -INFINITY : NAN;
    if (x == INFINITY)
        return x;
    if (magnitude < 0x31000000)
        return magnitude < 0x24800000 ? x : x - x * x * 0.5f;
    if (top < 0x3ed413d7 && (top > 0 || top <= (int32_t)0xbe95f61f))
        k = 0;
    if (k) {
        float u = top < 0x5a000000 ? 1.0f + x : x;
        memcpy(&bits, &u, sizeof bits);
        hu = (int32_t)bits;
        k = (hu >> 23) - 127;
        if (top < 0x5a000000)
            c = (k > 0 ? 1.0f - (u - x) : x - (u - 1.0f)) / u;
        hu &= 0x007fffff;
        bool below = hu < 0x3504f7;
        bits = (uint32_t)(hu | (below ? 0x3f800000 : 0x3f000000));
        k += !below;
        hu = below ? hu : (0x00800000 - hu) >> 2;
        memcpy(&u, &bits, sizeof u);
        f = u - 1.0f;
    }
    float half = 0.5f * f * f, n = (float)k;
    if (hu == 0) {
        if (f == 0)
            return k == 0 ? 0 : n * ln2_high + (c + n * ln2_low);
        float r = half * (1.0f - 0.66666666666666666f * f);
        return k == 0 ? f - r : n * ln2_high - ((r - (n * ln2_low + c)) - f);
    }
    float s = f / (2.0f + f), z = s * s;
    float r = 1.5313838422e-01f + z * 1.4798198640e-01f;
    r = z *
        (6.6666668653e-01f +
         z * (4.0000000596e-01f + z * (2.8571429849e-01f + z * (2.2222198546e-01f + z * (1.8183572590e-01f + z * r)))));
    return k == 0 ? f - (half - s * (half + r)) : n * ln2_high - ((half - (s * (half + r) + (n * ln2_low + c))) - f);
}
