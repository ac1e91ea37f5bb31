/* SPDX-License-Identifier: Apache-2.0
 * lanes.c -- the one definition of what each operation of the kernel IR does to a lane, as loops over lanes: the inner
 * loops of the interpreter, the folding of constants, and the few operations that machine code has no instructions
 * for. Where kernels become machine code they are compiled for size. Every operation here rounds once and nothing
 * contracts. */
#include "kernel/lanes.h"
#include "base/fma.h"
#include "base/half.h"
#include "kernel/internal.h"
#include <math.h>
#include <string.h>

#define BINARY(name, T, R, expr)                                  \
    BINARY1(name, T, R, expr)                                     \
    BINARY_FORM(name##_sv, T, R, sx, b[i], expr, const T sx = *a) \
    BINARY_FORM(name##_vs, T, R, a[i], sy, expr, const T sy = *b)
#define ROW1(name) \
    {              \
        [0] = name \
    }
#define ROW3(name)                                        \
    {                                                     \
        [0] = name##_vv, [1] = name##_sv, [2] = name##_vs \
    }
#define ROW1V(name)     \
    {                   \
        [0] = name##_vv \
    }

#define FMA_FORM(name, T, load_x, load_y, load_z, hoist, f)                              \
    static void name(void *d_, const void *a_, const void *b_, const void *c_, size_t n) \
    {                                                                                    \
        T *d = d_;                                                                       \
        const T *a = a_, *b = b_, *c = c_;                                               \
        hoist;                                                                           \
        LANES for (size_t i = 0; i < n; i++) d[i] = f(load_x, load_y, load_z);           \
    }
#define FMA(name, T, f)                                                      \
    FMA_FORM(name##_0, T, a[i], b[i], c[i], , f)                             \
    FMA_FORM(name##_1, T, sx, b[i], c[i], const T sx = *a, f)                \
    FMA_FORM(name##_2, T, a[i], sy, c[i], const T sy = *b, f)                \
    FMA_FORM(name##_3, T, sx, sy, c[i], const T sx = *a; const T sy = *b, f) \
    FMA_FORM(name##_4, T, a[i], b[i], sz, const T sz = *c, f)                \
    FMA_FORM(name##_5, T, sx, b[i], sz, const T sx = *a; const T sz = *c, f) \
    FMA_FORM(name##_6, T, a[i], sy, sz, const T sy = *b; const T sz = *c, f)
#define ROW7(name)                                                                 \
    {                                                                              \
        name##_0, name##_1, name##_2, name##_3, name##_4, name##_5, name##_6, NULL \
    }

/* select: the predicate has lanes, the others may be one value. */
#define SELECT_FORM(name, T, load_y, load_z, hoist)                                      \
    static void name(void *d_, const void *a_, const void *b_, const void *c_, size_t n) \
    {                                                                                    \
        T *d = d_;                                                                       \
        const uint8_t *a = a_;                                                           \
        const T *b = b_, *c = c_;                                                        \
        hoist;                                                                           \
        LANES for (size_t i = 0; i < n; i++)                                             \
        {                                                                                \
            const T y = load_y, z = load_z;                                              \
            d[i] = a[i] ? y : z;                                                         \
        }                                                                                \
    }
#define SELECT(name, T)                                 \
    SELECT_FORM(name##_0, T, b[i], c[i], )              \
    SELECT_FORM(name##_2, T, sy, c[i], const T sy = *b) \
    SELECT_FORM(name##_4, T, b[i], sz, const T sz = *c) \
    SELECT_FORM(name##_6, T, sy, sz, const T sy = *b; const T sz = *c)
#define ROWS(name)                                                     \
    {                                                                  \
        [0] = name##_0, [2] = name##_2, [4] = name##_4, [6] = name##_6 \
    }

/* 64 accumulators, each joined with every 64th element. */
#define ACCUMULATE(name, T, combine)                                                     \
    static void name(void *d_, const void *a_, const void *b_, const void *c_, size_t n) \
    {                                                                                    \
        T *d = d_;                                                                       \
        const T *a = a_;                                                                 \
        size_t i = 0;                                                                    \
        (void)b_, (void)c_;                                                              \
        for (; i + 64 <= n; i += 64)                                                     \
            LANES for (size_t j = 0; j < 64; j++)                                        \
            {                                                                            \
                const T x = d[j], y = a[i + j];                                          \
                d[j] = (T)(combine);                                                     \
            }                                                                            \
        LANES for (size_t j = 0; j < n - i; j++)                                         \
        {                                                                                \
            const T x = d[j], y = a[i + j];                                              \
            d[j] = (T)(combine);                                                         \
        }                                                                                \
    }

/* One loop per row. */
/* clang-format off */
/* Integers. The loops of unsigned and signed types are shared where the bits are the same. */
#define SHIFT(T, op) (T)((WIDE(T))y >= 8 * sizeof(T) ? 0 : (WIDE(T))x op ((WIDE(T))y & (8 * sizeof(T) - 1)))
#define INTEGER_BITS(T, FORM)                     \
    FORM(add_##T, T, T, WRAP(T, +))               \
    FORM(sub_##T, T, T, WRAP(T, -))               \
    FORM(mul_##T, T, T, WRAP(T, *))               \
    FORM(and_##T, T, T, x & y)                    \
    FORM(or_##T, T, T, x | y)                     \
    FORM(xor_##T, T, T, x ^ y)                    \
    FORM(shl_##T, T, T, SHIFT(T, <<))             \
    FORM(shr_##T, T, T, SHIFT(T, >>))             \
    FORM(eq_##T, T, uint8_t, x == y)              \
    FORM(ne_##T, T, uint8_t, x != y)              \
    UNARY(not_##T, T, T, ~x)                      \
    UNARY(neg_##T, T, T, (WIDE(T))0 - (WIDE(T))x) \
    SELECT(select_##T, T)                         \
    ACCUMULATE(accadd_##T, T, WRAP(T, +))         \
    ACCUMULATE(accmul_##T, T, WRAP(T, *))         \
    ACCUMULATE(accand_##T, T, x & y)              \
    ACCUMULATE(accor_##T, T, x | y)               \
    ACCUMULATE(accxor_##T, T, x ^ y)
#define INTEGER_ORDER(T, FORM)               \
    FORM(min_##T, T, T, x < y ? x : y)       \
    FORM(max_##T, T, T, x > y ? x : y)       \
    FORM(lt_##T, T, uint8_t, x < y)          \
    FORM(le_##T, T, uint8_t, x <= y)         \
    ACCUMULATE(accmin_##T, T, x < y ? x : y) \
    ACCUMULATE(accmax_##T, T, x > y ? x : y)
#define UNSIGNED(T)                           \
    BINARY1(div_##T, T, T, y ? x / y : (T)-1) \
    BINARY1(rem_##T, T, T, y ? x % y : x)     \
    UNARY(abs_##T, T, T, x)
#define SIGNED(T, U)                                                                     \
    BINARY1(div_##T, T, T, y == 0 ? -1 : y == -1 ? (T)((WIDE(U))0 - (WIDE(U))x) : x / y) \
    BINARY1(rem_##T, T, T, y == 0 ? x : y == -1 ? 0 : x % y)                             \
    UNARY(abs_##T, T, T, x < 0 ? (T)((WIDE(U))0 - (WIDE(U))x) : x)                       \
    BINARY(sar_##T, T, T, x >> ((U)y >= 8 * sizeof(T) ? 8 * sizeof(T) - 1 : (U)y))

INTEGER_BITS(u8, BINARY)
INTEGER_BITS(u16, BINARY1)
INTEGER_BITS(u32, BINARY)
INTEGER_BITS(u64, BINARY)
INTEGER_ORDER(u8, BINARY1)
INTEGER_ORDER(u16, BINARY1)
INTEGER_ORDER(u32, BINARY)
INTEGER_ORDER(u64, BINARY)
INTEGER_ORDER(i8, BINARY1)
INTEGER_ORDER(i16, BINARY1)
INTEGER_ORDER(i32, BINARY)
INTEGER_ORDER(i64, BINARY)
UNSIGNED(u8)
UNSIGNED(u16)
UNSIGNED(u32)
UNSIGNED(u64)
SIGNED(i8, u8)
SIGNED(i16, u16)
SIGNED(i32, u32)
SIGNED(i64, u64)
UNARY(not_bool, u8, u8, x ^ 1)
/* clang-format on */

/* p * 2^n in two exact-or-last steps: the first product is exact for p in [0.5, 2], the second rounds. */
static inline float power_f32(i32 n) { return knx_f32_from_bits((u32)(n + 127) << 23); }
static inline double power_f64(i64 n)
{
    const u64 u = (u64)(n + 1023) << 52;
    double d;
    memcpy(&d, &u, sizeof d);
    return d;
}
static inline float scalb_f32(float p, float n)
{
    const float low = n > -200.0f ? n : -200.0f, clamped = low < 200.0f ? low : 200.0f;
    const i32 whole = (i32)clamped, half = whole >> 1;
    return p * power_f32(half) * power_f32(whole - half);
}
static inline double scalb_f64(double p, double n)
{
    const double low = n > -1200.0 ? n : -1200.0, clamped = low < 1200.0 ? low : 1200.0;
    const i32 whole = (i32)clamped, half = whole >> 1;
    return p * power_f64(half) * power_f64(whole - half);
}
static inline float negate_f32(float x) { return knx_f32_from_bits(knx_f32_bits(x) ^ 0x80000000u); }
static inline double negate_f64(double x)
{
    u64 u;
    memcpy(&u, &x, sizeof u);
    u ^= (u64)1 << 63;
    memcpy(&x, &u, sizeof u);
    return x;
}

/* One loop per row. */
/* clang-format off */
#define FLOATING(T, f)                              \
    BINARY(add_##T, T, T, x + y)                    \
    BINARY(sub_##T, T, T, x - y)                    \
    BINARY(mul_##T, T, T, x * y)                     \
    BINARY(div_##T, T, T, x / y)                    \
    BINARY(min_##T, T, T, FLOAT_MIN(x, y))          \
    BINARY(max_##T, T, T, FLOAT_MAX(x, y))          \
    BINARY(minn_##T, T, T, FLOAT_MINN(x, y))        \
    BINARY(maxn_##T, T, T, FLOAT_MAXN(x, y))        \
    BINARY1(rem_##T, T, T, __builtin_fmod##f(x, y)) \
    BINARY(scalb_##T, T, T, scalb_##T(x, y))        \
    BINARY(eq_##T, T, u8, x == y)                   \
    BINARY(ne_##T, T, u8, x != y)                   \
    BINARY(lt_##T, T, u8, x < y)                    \
    BINARY(le_##T, T, u8, x <= y)                   \
    UNARY(neg_##T, T, T, negate_##T(x))             \
    UNARY(abs_##T, T, T, __builtin_fabs##f(x))      \
    UNARY(sqrt_##T, T, T, __builtin_sqrt##f(x))     \
    UNARY(rint_##T, T, T, __builtin_rint##f(x))     \
    UNARY(floor_##T, T, T, __builtin_floor##f(x))   \
    UNARY(trunc_##T, T, T, __builtin_trunc##f(x))   \
    FMA(fma_##T, T, knx_fma##f)                     \
    ACCUMULATE(accadd_##T, T, x + y)                \
    ACCUMULATE(accmul_##T, T, x * y)                 \
    ACCUMULATE(accmin_##T, T, FLOAT_MINN(x, y))     \
    ACCUMULATE(accmax_##T, T, FLOAT_MAXN(x, y))
FLOATING(f32, f)
FLOATING(f64, )

/* Casts, as knx_convert: a value is read into the widest type of its kind and written from there. */
static inline i32 f32_to_i32(float v) { return v >= -2147483648.0f && v < 2147483648.0f ? (i32)v : INT32_MIN; }
#define READ_INT(x)  (x)
#define READ_BOOL(x) ((x) != 0)
#define READ_F16(x)  knx_f16_to_f32(x)
#define READ_BF16(x) knx_bf16_to_f32(x)
#define CASTS_TO_INTEGERS(name, T, READ)     \
    UNARY(name##_truth, T, u8, READ(x) != 0) \
    UNARY(name##_u8, T, u8, READ(x))         \
    UNARY(name##_u16, T, u16, READ(x))       \
    UNARY(name##_u32, T, u32, READ(x))       \
    UNARY(name##_u64, T, u64, READ(x))
#define CASTS_TO_FLOATS(name, T, READ)                         \
    UNARY(name##_f16, T, u16, knx_f32_to_f16((float)READ(x)))   \
    UNARY(name##_bf16, T, u16, knx_f32_to_bf16((float)READ(x))) \
    UNARY(name##_f32, T, f32, READ(x))                         \
    UNARY(name##_f64, T, f64, READ(x))
#define CASTS_FROM_FLOAT(name, T, READ)                         \
    UNARY(name##_truth, T, u8, READ(x) != 0)                    \
    UNARY(name##_u8, T, u8, (u32)f32_to_i32(READ(x)))           \
    UNARY(name##_u16, T, u16, (u32)f32_to_i32(READ(x)))         \
    UNARY(name##_i32, T, i32, f32_to_i32(READ(x)))              \
    UNARY(name##_u32, T, u32, (u64)knx_to_i64((double)READ(x))) \
    UNARY(name##_i64, T, i64, knx_to_i64((double)READ(x)))      \
    UNARY(name##_u64, T, u64, knx_to_u64((double)READ(x)))      \
    CASTS_TO_FLOATS(name, T, READ)
#define CASTS_FROM_INTEGER(name, T, READ) CASTS_TO_INTEGERS(name, T, READ) CASTS_TO_FLOATS(name, T, READ)
CASTS_FROM_INTEGER(truth, u8, READ_BOOL)
CASTS_FROM_INTEGER(i8, i8, READ_INT)
CASTS_FROM_INTEGER(i16, i16, READ_INT)
CASTS_FROM_INTEGER(i32, i32, READ_INT)
CASTS_FROM_INTEGER(i64, i64, READ_INT)
CASTS_FROM_INTEGER(u8, u8, READ_INT)
CASTS_FROM_INTEGER(u16, u16, READ_INT)
CASTS_FROM_INTEGER(u32, u32, READ_INT)
CASTS_FROM_INTEGER(u64, u64, READ_INT)
CASTS_FROM_FLOAT(f16, u16, READ_F16)
CASTS_FROM_FLOAT(bf16, u16, READ_BF16)
CASTS_FROM_FLOAT(f32, f32, READ_INT)
UNARY(f64_truth, f64, u8, x != 0)
UNARY(f64_u8, f64, u8, (u32)knx_to_i32(x))
UNARY(f64_u16, f64, u16, (u32)knx_to_i32(x))
UNARY(f64_i32, f64, i32, knx_to_i32(x))
UNARY(f64_u32, f64, u32, (u64)knx_to_i64(x))
UNARY(f64_i64, f64, i64, knx_to_i64(x))
UNARY(f64_u64, f64, u64, knx_to_u64(x))
UNARY(f64_f16, f64, u16, knx_f64_to_f16(x))
UNARY(f64_bf16, f64, u16, knx_f64_to_bf16(x))
UNARY(f64_f32, f64, f32, x)
UNARY(f64_f64, f64, f64, x)
/* clang-format on */

/* Moving lanes. */
/* clang-format off */
static void copy_in(int size, void *d, const void *base, int64_t stride, size_t n)
{
    if (stride == 1) {
        memcpy(d, base, n * (size_t)size);
        return;
    }
    BY_SIZE(size, T *to = d; const T *s = base; for (size_t i = 0; i < n; i++, s += stride) to[i] = *s;)
}

static void copy_out(int size, void *base, int64_t stride, const void *s, size_t n)
{
    if (stride == 1) {
        memmove(base, s, n * (size_t)size);
        return;
    }
    BY_SIZE(size, T *to = base; const T *from = s; for (size_t i = 0; i < n; i++, to += stride) *to = from[i];)
}

static void gather(int size, void *d, const void *base, const int64_t *at, const uint8_t *pred, const void *other,
                   bool other_uniform, size_t n)
{
    if (!pred) {
        BY_SIZE(size, T *to = d; const T *s = base; for (size_t i = 0; i < n; i++) to[i] = s[at[i]];)
        return;
    }
    u64 one = 0; /* a single value may lie where the first result goes */
    size_t step = !other || other_uniform ? 0 : 1;
    if (other && other_uniform)
        memcpy(&one, other, (size_t)size);
    if (!step)
        other = &one;
    BY_SIZE(size, T *to = d; const T *s = base; const T *o = other;
            for (size_t i = 0; i < n; i++) to[i] = pred[i] ? s[at[i]] : o[i * step];)
}
/* clang-format on */

static void index_lanes(int64_t *d, int64_t start, int64_t stride, size_t n)
{
    const u64 first = (u64)start, by = (u64)stride;
    LANES for (size_t i = 0; i < n; i++) d[i] = (int64_t)(first + by * i);
}

static void add_index(int64_t *d, const int64_t *more, bool uniform, size_t n)
{
    if (uniform) {
        const u64 v = (u64)*more;
        LANES for (size_t i = 0; i < n; i++) d[i] = (int64_t)((u64)d[i] + v);
    } else {
        LANES for (size_t i = 0; i < n; i++) d[i] = (int64_t)((u64)d[i] + (u64)more[i]);
    }
}

static int any(const uint8_t *p, size_t n)
{
    u8 some = 0, all = 1;
    for (size_t i = 0; i < n; i++) {
        some |= p[i];
        all &= p[i];
    }
    return !some ? 0 : all ? 2 : 1;
}

/* The table. */
#define THREE(name)                                                                                  \
    [KN_ID_I8] = ROW3(name##_u8), [KN_ID_U8] = ROW3(name##_u8), [KN_ID_I16] = ROW1V(name##_u16),     \
    [KN_ID_U16] = ROW1V(name##_u16), [KN_ID_I32] = ROW3(name##_u32), [KN_ID_U32] = ROW3(name##_u32), \
    [KN_ID_I64] = ROW3(name##_u64), [KN_ID_U64] = ROW3(name##_u64)
#define ORDERED(name)                                                                                 \
    [KN_ID_BOOL] = ROW1V(name##_u8), [KN_ID_I8] = ROW1V(name##_i8), [KN_ID_U8] = ROW1V(name##_u8),    \
    [KN_ID_I16] = ROW1V(name##_i16), [KN_ID_U16] = ROW1V(name##_u16), [KN_ID_I32] = ROW3(name##_i32), \
    [KN_ID_U32] = ROW3(name##_u32), [KN_ID_I64] = ROW3(name##_i64), [KN_ID_U64] = ROW3(name##_u64)
#define BITS(name)                                                                                  \
    [KN_ID_I8] = ROW1(name##_u8), [KN_ID_U8] = ROW1(name##_u8), [KN_ID_I16] = ROW1(name##_u16),     \
    [KN_ID_U16] = ROW1(name##_u16), [KN_ID_I32] = ROW1(name##_u32), [KN_ID_U32] = ROW1(name##_u32), \
    [KN_ID_I64] = ROW1(name##_u64), [KN_ID_U64] = ROW1(name##_u64)
#define OWN(name)                                                                                    \
    [KN_ID_I8] = ROW1V(name##_i8), [KN_ID_I16] = ROW1V(name##_i16), [KN_ID_I32] = ROW1V(name##_i32), \
    [KN_ID_I64] = ROW1V(name##_i64), [KN_ID_U8] = ROW1V(name##_u8), [KN_ID_U16] = ROW1V(name##_u16), \
    [KN_ID_U32] = ROW1V(name##_u32), [KN_ID_U64] = ROW1V(name##_u64)
#define ACCUMULATORS(name)                                                                          \
    [KN_ID_BOOL] = ROW1(name##_u8), [KN_ID_I8] = ROW1(name##_i8), [KN_ID_U8] = ROW1(name##_u8),     \
    [KN_ID_I16] = ROW1(name##_i16), [KN_ID_U16] = ROW1(name##_u16), [KN_ID_I32] = ROW1(name##_i32), \
    [KN_ID_U32] = ROW1(name##_u32), [KN_ID_I64] = ROW1(name##_i64), [KN_ID_U64] = ROW1(name##_u64)
#define FLOATS3(name) [KN_ID_F32] = ROW3(name##_f32), [KN_ID_F64] = ROW3(name##_f64)
#define FLOATS1(name) [KN_ID_F32] = ROW1(name##_f32), [KN_ID_F64] = ROW1(name##_f64)
#define FLOATS7(name) [KN_ID_F32] = ROW7(name##_f32), [KN_ID_F64] = ROW7(name##_f64)
#define SIGNED_ROWS(name)                                                                         \
    [KN_ID_I8] = ROW3(name##_i8), [KN_ID_I16] = ROW3(name##_i16), [KN_ID_I32] = ROW3(name##_i32), \
    [KN_ID_I64] = ROW3(name##_i64)
#define CAST_ROW_INT(id, f)                                                                                \
    [KNK_LOOP_OPS + KN_ID_##                                                                               \
        id] = {[KN_ID_BOOL] = ROW1(f##_truth), [KN_ID_I8] = ROW1(f##_u8),     [KN_ID_I16] = ROW1(f##_u16), \
               [KN_ID_I32] = ROW1(f##_u32),    [KN_ID_I64] = ROW1(f##_u64),   [KN_ID_U8] = ROW1(f##_u8),   \
               [KN_ID_U16] = ROW1(f##_u16),    [KN_ID_U32] = ROW1(f##_u32),   [KN_ID_U64] = ROW1(f##_u64), \
               [KN_ID_F16] = ROW1(f##_f16),    [KN_ID_BF16] = ROW1(f##_bf16), [KN_ID_F32] = ROW1(f##_f32), \
               [KN_ID_F64] = ROW1(f##_f64)}
#define CAST_ROW_FLOAT(id, f)                                                                              \
    [KNK_LOOP_OPS + KN_ID_##                                                                               \
        id] = {[KN_ID_BOOL] = ROW1(f##_truth), [KN_ID_I8] = ROW1(f##_u8),     [KN_ID_I16] = ROW1(f##_u16), \
               [KN_ID_I32] = ROW1(f##_i32),    [KN_ID_I64] = ROW1(f##_i64),   [KN_ID_U8] = ROW1(f##_u8),   \
               [KN_ID_U16] = ROW1(f##_u16),    [KN_ID_U32] = ROW1(f##_u32),   [KN_ID_U64] = ROW1(f##_u64), \
               [KN_ID_F16] = ROW1(f##_f16),    [KN_ID_BF16] = ROW1(f##_bf16), [KN_ID_F32] = ROW1(f##_f32), \
               [KN_ID_F64] = ROW1(f##_f64)}

const knk_lane_loops knk_lanes =
    {
        .loop =
            {
                [KNK_ADD] = {THREE(add), [KN_ID_BOOL] = ROW3(or_u8), FLOATS3(add)},
                [KNK_SUB] = {THREE(sub), FLOATS3(sub)},
                [KNK_MUL] = {THREE(mul), [KN_ID_BOOL] = ROW3(and_u8), FLOATS3(mul)},
                [KNK_DIV] = {OWN(div), FLOATS3(div)},
                [KNK_REM] = {OWN(rem), [KN_ID_F32] = ROW1V(rem_f32), [KN_ID_F64] = ROW1V(rem_f64)},
                [KNK_NEG] = {BITS(neg), FLOATS1(neg)},
                [KNK_ABS] = {[KN_ID_I8] = ROW1(abs_i8),
                             [KN_ID_I16] = ROW1(abs_i16),
                             [KN_ID_I32] = ROW1(abs_i32),
                             [KN_ID_I64] = ROW1(abs_i64),
                             [KN_ID_U8] = ROW1(abs_u8),
                             [KN_ID_U16] = ROW1(abs_u16),
                             [KN_ID_U32] = ROW1(abs_u32),
                             [KN_ID_U64] = ROW1(abs_u64),
                             FLOATS1(abs)},
                [KNK_MIN] = {ORDERED(min), FLOATS3(min)},
                [KNK_MAX] = {ORDERED(max), FLOATS3(max)},
                [KNK_LOOP_MINN] = {ORDERED(min), FLOATS3(minn)},
                [KNK_LOOP_MAXN] = {ORDERED(max), FLOATS3(maxn)},
                [KNK_SQRT] = {FLOATS1(sqrt)},
                [KNK_RINT] = {FLOATS1(rint)},
                [KNK_FLOOR] = {FLOATS1(floor)},
                [KNK_TRUNC] = {FLOATS1(trunc)},
                [KNK_SCALB] = {FLOATS3(scalb)},
                [KNK_AND] = {THREE(and), [KN_ID_BOOL] = ROW3(and_u8)},
                [KNK_OR] = {THREE(or), [KN_ID_BOOL] = ROW3(or_u8)},
                [KNK_XOR] = {THREE(xor), [KN_ID_BOOL] = ROW3(xor_u8)},
                [KNK_NOT] = {BITS(not ), [KN_ID_BOOL] = ROW1(not_bool)},
                [KNK_SHL] = {THREE(shl)},
                [KNK_SHR] = {THREE(shr)},
                [KNK_SAR] = {SIGNED_ROWS(sar), [KN_ID_U8] = ROW3(sar_i8), [KN_ID_U16] = ROW3(sar_i16),
                             [KN_ID_U32] = ROW3(sar_i32), [KN_ID_U64] = ROW3(sar_i64)},
                [KNK_EQ] = {THREE(eq), [KN_ID_BOOL] = ROW3(eq_u8), FLOATS3(eq)},
                [KNK_NE] = {THREE(ne), [KN_ID_BOOL] = ROW3(ne_u8), FLOATS3(ne)},
                [KNK_LT] = {ORDERED(lt), FLOATS3(lt)},
                [KNK_LE] = {ORDERED(le), FLOATS3(le)},
                [KNK_LOOP_ACC + KNK_RED_ADD] = {BITS(accadd), [KN_ID_BOOL] = ROW1(accor_u8), FLOATS1(accadd)},
                [KNK_LOOP_ACC + KNK_RED_MUL] = {BITS(accmul), [KN_ID_BOOL] = ROW1(accand_u8), FLOATS1(accmul)},
                [KNK_LOOP_ACC + KNK_RED_MIN] = {ACCUMULATORS(accmin), FLOATS1(accmin)},
                [KNK_LOOP_ACC + KNK_RED_MAX] = {ACCUMULATORS(accmax), FLOATS1(accmax)},
                [KNK_LOOP_ACC + KNK_RED_AND] = {BITS(accand), [KN_ID_BOOL] = ROW1(accand_u8)},
                [KNK_LOOP_ACC + KNK_RED_OR] = {BITS(accor), [KN_ID_BOOL] = ROW1(accor_u8)},
                [KNK_LOOP_ACC + KNK_RED_XOR] = {BITS(accxor), [KN_ID_BOOL] = ROW1(accxor_u8)},
                CAST_ROW_INT(BOOL, truth),
                CAST_ROW_INT(I8, i8),
                CAST_ROW_INT(I16, i16),
                CAST_ROW_INT(I32, i32),
                CAST_ROW_INT(I64, i64),
                CAST_ROW_INT(U8, u8),
                CAST_ROW_INT(U16, u16),
                CAST_ROW_INT(U32, u32),
                CAST_ROW_INT(U64, u64),
                CAST_ROW_FLOAT(F16, f16),
                CAST_ROW_FLOAT(BF16, bf16),
                CAST_ROW_FLOAT(F32, f32),
                CAST_ROW_FLOAT(F64, f64),
            },
        .fma = {FLOATS7(fma)},
        .select = {[KN_ID_BOOL] = ROWS(select_u8),
                   [KN_ID_I8] = ROWS(select_u8),
                   [KN_ID_U8] = ROWS(select_u8),
                   [KN_ID_I16] = ROWS(select_u16),
                   [KN_ID_U16] = ROWS(select_u16),
                   [KN_ID_I32] = ROWS(select_u32),
                   [KN_ID_U32] = ROWS(select_u32),
                   [KN_ID_F32] = ROWS(select_u32),
                   [KN_ID_I64] = ROWS(select_u64),
                   [KN_ID_U64] = ROWS(select_u64),
                   [KN_ID_F64] = ROWS(select_u64)},
        .copy_in = copy_in,
        .copy_out = copy_out,
        .gather = gather,
        .index = index_lanes,
        .add_index = add_index,
        .any = any,
};
