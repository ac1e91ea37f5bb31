/* SPDX-License-Identifier: Apache-2.0
 * float_env.h -- the default floating-point environment around a run: rounding to nearest, subnormals kept, nothing
 * traps. Exceptions that the caller's flags record stay his. */
#ifndef KN_BASE_FLOAT_ENV_H
#define KN_BASE_FLOAT_ENV_H
#include <stdint.h>

#if defined(__SSE__)
#include <xmmintrin.h>

enum { KNX_FLOAT_CONTROL = 0xffc0, KNX_FLOAT_DEFAULT = 0x1f80 };
/* What to restore afterwards; 0: nothing had to be set. */
static inline unsigned knx_float_enter(void)
{
    unsigned now = _mm_getcsr();
    if (__builtin_expect((now & KNX_FLOAT_CONTROL) == KNX_FLOAT_DEFAULT, 1))
        return 0;
    _mm_setcsr((now & ~(unsigned)KNX_FLOAT_CONTROL) | KNX_FLOAT_DEFAULT);
    return now | 1u << 31;
}
static inline void knx_float_leave(unsigned before)
{
    if (__builtin_expect(before != 0, 0))
        _mm_setcsr((before & KNX_FLOAT_CONTROL) | (_mm_getcsr() & 0x3f));
}

#elif defined(__aarch64__)

static inline unsigned knx_float_enter(void)
{
    uint64_t now, control = 0x7ff7f00; /* rounding, flush to zero, default NaN, alternative half precision, traps */
    __asm__ volatile("mrs %0, fpcr" : "=r"(now));
    if (!(now & control))
        return 0;
    __asm__ volatile("msr fpcr, %0" : : "r"(now & ~control));
    return (unsigned)now | 1u << 31;
}
static inline void knx_float_leave(unsigned before)
{
    if (before)
        __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)(before & ~(1u << 31))));
}

#else
#include <fenv.h>

static inline unsigned knx_float_enter(void)
{
    int now = fegetround();
    if (now == FE_TONEAREST)
        return 0;
    fesetround(FE_TONEAREST);
    return (unsigned)now | 1u << 31;
}
static inline void knx_float_leave(unsigned before)
{
    if (before)
        fesetround((int)(before & ~(1u << 31)));
}

#endif
#endif
