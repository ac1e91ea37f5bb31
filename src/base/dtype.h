/* SPDX-License-Identifier: Apache-2.0
 * dtype.h -- interned dtype descriptors, promotion, casts of scalars. */
#ifndef KN_BASE_DTYPE_H
#define KN_BASE_DTYPE_H
#include "kiln/types.h"

typedef enum knx_dtype_id {
#define KN_DTYPE(id, ...) KN_ID_##id,
#include "base/dtypes.def"
#undef KN_DTYPE
    KN_ID_COUNT, /* those that compute, and keys; what is only stored comes behind them */
} knx_dtype_id;

enum {
    KN_ID_BEFORE_STORED_ = KN_ID_COUNT - 1,
#define KN_STORED(id, ...) KN_ID_##id,
#include "base/dtypes.def"
#undef KN_STORED
    KN_ID_ALL,
};

typedef enum {
    KN_KIND_BOOL = 'b', KN_KIND_INT = 'i', KN_KIND_UINT = 'u', KN_KIND_FLOAT = 'f',
    KN_KIND_COMPLEX = 'c', KN_KIND_KEY = 'k', /* no numbers: keys and what is only stored */
} knx_kind;

struct kn_dtype_s {
    uint8_t id;             /* knx_dtype_id for the built-in ones */
    char kind;              /* knx_kind */
    uint16_t size, align;   /* bytes */
    const char *name;       /* "float32" */
    const char *short_name; /* "f32", as in jaxprs */
    const char *code;       /* "f4", as in npy headers, without byte order */
    const char *unit;       /* datetime unit; NULL for all built-in ones */
    const void *fields;     /* of a structured dtype; NULL for all built-in ones */
};
extern const struct kn_dtype_s knx_dtype_table[KN_ID_ALL];
#define KN_DT(ID) (&knx_dtype_table[KN_ID_##ID]) /* KN_DT(F32) */

/* The bits of one element of any built-in dtype; unused bytes are zero, so scalars compare with memcmp. */
typedef union kn_scalar {
    uint8_t bytes[16];
    uint64_t u[2];
    int64_t i64; uint64_t u64; int32_t i32; uint32_t u32; int16_t i16; uint16_t u16; int8_t i8; uint8_t u8;
    float f32; double f64; kn_c64 c64; kn_c128 c128;
} knx_scalar_bits;

/* By name or short name ("float32", "f32"), as jaxprs and kernels have them: "i8" has 8 bits. NULL if unknown. */
kn_dtype knx_dtype_find(const char *name);
/* By what np.dtype takes, n characters: a name ("float32", "half", "bfloat16"), a letter ("d") or a kind and a number
 * of bytes ("i8" has 64 bits), these two with a byte order before them or without. *swapped: it is not the machine's.
 * NULL if Kiln has none of that name. */
kn_dtype knx_dtype_numpy(const char *s, size_t n, bool *swapped);
static inline bool knx_is_stored(kn_dtype d) { return d->id >= KN_ID_COUNT; }
/* Two parts make an element: of complex numbers, and of keys. knx_part: what lies in memory once or twice. */
static inline bool knx_is_pair(kn_dtype d) { return d->kind == 'c' || d->id == KN_ID_KEY; }
kn_dtype knx_part(kn_dtype d);
static inline bool knx_is_float(kn_dtype d) { return d->kind == 'f'; }
static inline bool knx_is_complex(kn_dtype d) { return d->kind == 'c'; }
static inline bool knx_is_inexact(kn_dtype d) { return d->kind == 'f' || d->kind == 'c'; }
static inline bool knx_is_integer(kn_dtype d) { return d->kind == 'i' || d->kind == 'u'; }
kn_dtype knx_component(kn_dtype d);                     /* complex64 -> float32; itself for the others */
/* float32 -> complex64, f16 and bf16 too; float64, integers and bool -> complex128; NULL for keys. */
kn_dtype knx_complex_of(kn_dtype d);

/* np.promote_types of two strong dtypes; NULL where there is none (keys). bfloat16 with float16 gives float32, with
 * wider floats those. */
kn_dtype knx_promote(kn_dtype a, kn_dtype b);
/* A weak scalar of the given kind ('b','i','f','c') beside an array dtype (NEP 50); default_float is the context's,
 * NULL for float64. NULL where there is none (keys). */
kn_dtype knx_promote_weak(kn_dtype strong, char weak_kind, kn_dtype default_float);
/* The last one is as unsafe, and looks at the values afterwards. */
typedef enum {
    KN_CAST_NO, KN_CAST_EQUIV, KN_CAST_SAFE, KN_CAST_SAME_KIND, KN_CAST_UNSAFE, KN_CAST_SAME_VALUE,
} knx_casting;
bool knx_can_cast(kn_dtype from, kn_dtype to, knx_casting how);

/* How the byte of a number that is only stored is coded: a sign, exponent and fraction. */
typedef enum {
    KNX_IEEE,     /* the largest exponent is for infinities and NaN */
    KNX_FN,       /* no infinities; all ones is NaN */
    KNX_FNUZ,     /* no infinities and no -0, whose bits are NaN */
    KNX_FINITE,   /* numbers alone */
    KNX_SCALE,    /* a power of two without sign or zero; all ones is NaN */
    KNX_SIGNED, KNX_UNSIGNED, /* integers in the low bits, as many as `fraction` */
} knx_code;
typedef struct knx_coding { uint8_t exponent, fraction, bias, code; } knx_coding;
const knx_coding *knx_coding_of(kn_dtype d);            /* of what is only stored */
float knx_stored_value(kn_dtype d, uint8_t byte);

/* The integer at `at` as a position: moved to lie between 0 and most. */
int64_t knx_position(kn_dtype d, const void *at, int64_t most);
/* Converts one element as NumPy on x86-64 does, computed portably (the array casts of the kernels agree bit for
 * bit): float to integer drops the fraction; out of range or NaN gives the minimum of int32 or int64, narrower
 * integers are the low bits of the int32 (i8, i16, u8, u16) or int64 (u32) conversion, u64 is NumPy's two steps
 * (knx_to_u64). Anything but zero is true, NaN too. Floats round half to even, once; integers become float16 and
 * bfloat16 through float32. Complex to real drops the imaginary part. A key converts to keys only: other pairs give
 * zero bits. src and dst may be unaligned and may be the same place. */
void knx_convert(kn_dtype from, const void *src, kn_dtype to, void *dst);
static inline int32_t knx_to_i32(double v) { return v > -2147483649.0 && v < 2147483648.0 ? (int32_t)v : INT32_MIN; }
static inline int64_t knx_to_i64(double v) { return v >= -0x1p63 && v < 0x1p63 ? (int64_t)v : INT64_MIN; }
static inline uint64_t knx_to_u64(double v) /* from 2^63 on: what is above it, converted and put on top */
{
    return v >= 0x1p63 ? (uint64_t)knx_to_i64(v - 0x1p63) ^ (uint64_t)1 << 63 : (uint64_t)knx_to_i64(v);
}
/* The same as XLA does: a float becomes the nearest number of the integer's range, NaN 0, and complex numbers leave
 * their imaginary part behind on the way to bool, too. */
void knx_saturate(kn_dtype from, const void *src, kn_dtype to, void *dst);
knx_scalar_bits knx_scalar_from_double(kn_dtype d, double v);
knx_scalar_bits knx_scalar_from_int(kn_dtype d, int64_t v); /* for u64 give the bits */
double knx_scalar_to_double(kn_dtype d, knx_scalar_bits s); /* real part of complex numbers */
/* The highest or lowest number of a real dtype: infinities, true and false, the ends of the range. */
knx_scalar_bits knx_scalar_extreme(kn_dtype d, bool highest);
uint64_t knx_scalar_word(size_t size, const void *element); /* an element of 1, 2, 4 or 8 bytes as an unsigned number */
bool knx_int_fits(kn_dtype d, bool is_unsigned, uint64_t bits); /* does the integer fit into bool or integer dtype d? */

/* The same conversions inline, for loops: half.h. */
float knx_half_to_float(uint16_t h);
uint16_t knx_float_to_half(float f);      /* round half to even, subnormals right */
uint16_t knx_double_to_half(double f);    /* rounds once */
float knx_bf16_to_float(uint16_t h);
uint16_t knx_float_to_bf16(float f);
uint16_t knx_double_to_bf16(double f);    /* rounds once */
#endif
