/* SPDX-License-Identifier: Apache-2.0
 * lanes.h -- how the inner loops are written that do one operation to many lanes: lanes.c and joins_isa.c. */
#ifndef KN_KERNEL_LANES_H
#define KN_KERNEL_LANES_H
#include <stddef.h>
#include <stdint.h>

/* A lane depends on no other: d may be the same memory as an operand. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" /* where it does not vectorise (fmod), that is right */
#define LANES _Pragma("clang loop vectorize(assume_safety)")
#else
#define LANES _Pragma("GCC ivdep")
#endif

/* What one lane does. Unsigned arithmetic wraps; 32 bits at least, so that small types do not become int. */
#define WIDE(T)          __typeof__(__builtin_choose_expr(sizeof(T) == 8, (uint64_t)0, (uint32_t)0))
#define FLOAT_MIN(x, y)  ((x) < (y) ? (x) : (y))
#define FLOAT_MAX(x, y)  ((x) > (y) ? (x) : (y))
#define FLOAT_MINN(x, y) ((x) < (y) || (x) != (x) ? (x) : (y))
#define FLOAT_MAXN(x, y) ((x) > (y) || (x) != (x) ? (x) : (y))

#define UNARY(name, T, R, expr)                                                          \
    static void name(void *d_, const void *a_, const void *b_, const void *c_, size_t n) \
    {                                                                                    \
        R *d = d_;                                                                       \
        const T *a = a_;                                                                 \
        (void)b_, (void)c_;                                                              \
        LANES for (size_t i = 0; i < n; i++)                                             \
        {                                                                                \
            const T x = a[i];                                                            \
            d[i] = (R)(expr);                                                            \
        }                                                                                \
    }
#define BINARY_FORM(name, T, R, load_x, load_y, expr, hoist)                             \
    static void name(void *d_, const void *a_, const void *b_, const void *c_, size_t n) \
    {                                                                                    \
        R *d = d_;                                                                       \
        const T *a = a_, *b = b_;                                                        \
        (void)c_;                                                                        \
        hoist;                                                                           \
        LANES for (size_t i = 0; i < n; i++)                                             \
        {                                                                                \
            const T x = load_x, y = load_y;                                              \
            d[i] = (R)(expr);                                                            \
        }                                                                                \
    }
#define BINARY1(name, T, R, expr) BINARY_FORM(name##_vv, T, R, a[i], b[i], expr, )
/* Integers wrap modulo 2^bits. */
#define WRAP(T, op) (T)((WIDE(T))x op (WIDE(T))y)

/* The statements with T as the unsigned type of this size. */
#define BY_SIZE(size, body)               \
    switch (size) {                       \
    case 1: { typedef u8 T; body } break; \
    case 2: { typedef u16 T; body } break;\
    case 4: { typedef u32 T; body } break;\
    default: { typedef u64 T; body }      \
    }

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;
typedef float f32;
typedef double f64;
#endif
