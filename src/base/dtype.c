/* SPDX-License-Identifier: Apache-2.0
 * dtype.c -- the dtype table, promotion, casting rules and the conversion of single elements. */
#include "base/attributes.h"
#include "base/dtype.h"
#include "base/half.h"
#include <string.h>

const struct kn_dtype_s knx_dtype_table[KN_ID_ALL] = {
#define KN_DTYPE(ID, NAME, SHORT, KIND, SIZE, CTYPE, CODE) \
    [KN_ID_##ID] = {.id = KN_ID_##ID,                      \
                    .kind = KIND,                          \
                    .size = SIZE,                          \
                    .align = _Alignof(CTYPE),              \
                    .name = NAME,                          \
                    .short_name = SHORT,                   \
                    .code = CODE},
#define KN_STORED(ID, NAME, SHORT, LETTER, CODE, ...) \
    [KN_ID_##ID] = {.id = KN_ID_##ID,                 \
                    .kind = KN_KIND_KEY,              \
                    .size = 1,                        \
                    .align = 1,                       \
                    .name = NAME,                     \
                    .short_name = SHORT,              \
                    .code = CODE},
#include "base/dtypes.def"
#undef KN_DTYPE
#undef KN_STORED
};

static bool is_builtin(kn_dtype d) { return d->id < KN_ID_COUNT; }

kn_dtype knx_dtype_find(const char *name)
{
    for (kn_dtype d = knx_dtype_table; name && d < knx_dtype_table + KN_ID_ALL; d++)
        if (!strcmp(name, d->name) || !strcmp(name, d->short_name))
            return d;
    return NULL;
}

kn_dtype knx_component(kn_dtype d)
{
    if (!knx_is_complex(d))
        return d;
    return d == KN_DT(C64) ? KN_DT(F32) : KN_DT(F64);
}

kn_dtype knx_part(kn_dtype d) { return knx_is_stored(d) ? KN_DT(U8) : d == KN_DT(KEY) ? KN_DT(U32) : knx_component(d); }

kn_dtype knx_complex_of(kn_dtype d)
{
    if (d->kind == KN_KIND_KEY || knx_is_complex(d))
        return d->kind == KN_KIND_KEY ? NULL : d;
    return knx_is_float(d) && d != KN_DT(F64) ? KN_DT(C64) : KN_DT(C128);
}

/* Promotion. */

static kn_dtype signed_of_size(int bytes)
{
    switch (bytes) {
    case 1: return KN_DT(I8);
    case 2: return KN_DT(I16);
    case 4: return KN_DT(I32);
    case 8: return KN_DT(I64);
    }
    return KN_DT(F64); /* int64 with uint64: no integer holds both */
}

static kn_dtype promote_integers(kn_dtype a, kn_dtype b)
{
    kn_dtype larger = a->size >= b->size ? a : b;
    if (a->kind == b->kind)
        return larger;
    kn_dtype u = a->kind == KN_KIND_UINT ? a : b, i = u == a ? b : a;
    return i->size > u->size ? i : signed_of_size(2 * u->size);
}

/* The narrowest float that NumPy takes to hold an integer of that size, beside a 16-bit float `like`. */
static kn_dtype float_for_integer(kn_dtype integer, kn_dtype like)
{
    if (integer->size == 1)
        return like->size == 2 ? like : KN_DT(F16);
    return integer->size == 2 ? KN_DT(F32) : KN_DT(F64);
}

static kn_dtype promote_reals(kn_dtype a, kn_dtype b)
{
    if (a == b || b->kind == KN_KIND_BOOL)
        return a;
    if (a->kind == KN_KIND_BOOL)
        return b;
    if (knx_is_integer(a) && knx_is_integer(b))
        return promote_integers(a, b);
    if (knx_is_integer(a))
        a = float_for_integer(a, b);
    else if (knx_is_integer(b))
        b = float_for_integer(b, a);
    if (a == b)
        return a;
    if (a->size == b->size)
        return KN_DT(F32); /* float16 with bfloat16 */
    return a->size > b->size ? a : b;
}

kn_dtype knx_promote(kn_dtype a, kn_dtype b)
{
    if (a == b)
        return a;
    if (!is_builtin(a) || !is_builtin(b) || a->kind == KN_KIND_KEY || b->kind == KN_KIND_KEY)
        return NULL;
    if (!knx_is_complex(a) && !knx_is_complex(b))
        return promote_reals(a, b);
    if (a->kind == KN_KIND_BOOL || b->kind == KN_KIND_BOOL)
        return a->kind == KN_KIND_BOOL ? b : a;
    return knx_complex_of(promote_reals(knx_component(a), knx_component(b)));
}

KNX_HOT kn_dtype knx_promote_weak(kn_dtype strong, char weak_kind, kn_dtype default_float)
{
    if (!is_builtin(strong) || strong->kind == KN_KIND_KEY)
        return NULL;
    if (!default_float)
        default_float = KN_DT(F64);
    switch (weak_kind) {
    case KN_KIND_BOOL: return strong;
    case KN_KIND_INT: return strong->kind == KN_KIND_BOOL ? KN_DT(I64) : strong;
    case KN_KIND_FLOAT: return knx_is_inexact(strong) ? strong : default_float;
    case KN_KIND_COMPLEX: return knx_complex_of(knx_is_inexact(strong) ? strong : default_float);
    }
    return NULL;
}

static int kind_order(kn_dtype d) { return (int)(strchr("buifc", d->kind) - "buifc"); }

/* What is only stored goes safely where all its numbers are; all numbers are of its kind, if they are to be stored. */
static bool stored_fits(kn_dtype from, kn_dtype to, knx_casting how)
{
    if (knx_is_stored(to))
        return how == KN_CAST_SAME_KIND;
    uint8_t code = knx_coding_of(from)->code;
    if (code < KNX_SIGNED)
        return knx_is_inexact(to) && to->size >= 4;
    return knx_is_inexact(to) || to->kind == KN_KIND_INT || (to->kind == KN_KIND_UINT && code == KNX_UNSIGNED);
}

bool knx_can_cast(kn_dtype from, kn_dtype to, knx_casting how)
{
    if (from == to)
        return true;
    if (how > KN_CAST_EQUIV && (knx_is_stored(from) || knx_is_stored(to)))
        return from != KN_DT(KEY) && to != KN_DT(KEY) && (how >= KN_CAST_UNSAFE || stored_fits(from, to, how));
    if (how <= KN_CAST_EQUIV || !is_builtin(from) || !is_builtin(to) || from->kind == KN_KIND_KEY ||
        to->kind == KN_KIND_KEY)
        return false;
    if (how >= KN_CAST_UNSAFE || knx_promote(from, to) == to)
        return true;
    return how == KN_CAST_SAME_KIND && kind_order(from) <= kind_order(to);
}

/* Conversion: an element is read into the widest form of its kind, which is exact, and written from there. */

typedef struct {
    enum { INTEGER, UNSIGNED, REAL } form;
    uint64_t u;
    double re, im;
} wide;

/* Reads an element of C type T at p. */
#define LOAD(T, p)                         \
    ({                                     \
        T kn_x_;                           \
        memcpy(&kn_x_, (p), sizeof kn_x_); \
        kn_x_;                             \
    })

static wide wide_integer(int64_t v) { return (wide){INTEGER, (uint64_t)v, 0, 0}; }
static wide wide_real(double re, double im) { return (wide){REAL, 0, re, im}; }

static wide read_wide(kn_dtype d, const char *p)
{
    switch ((knx_dtype_id)d->id) {
    case KN_ID_BOOL: return wide_integer(*p != 0);
    case KN_ID_I8: return wide_integer(LOAD(int8_t, p));
    case KN_ID_I16: return wide_integer(LOAD(int16_t, p));
    case KN_ID_I32: return wide_integer(LOAD(int32_t, p));
    case KN_ID_I64: return wide_integer(LOAD(int64_t, p));
    case KN_ID_U8: return wide_integer(LOAD(uint8_t, p));
    case KN_ID_U16: return wide_integer(LOAD(uint16_t, p));
    case KN_ID_U32: return wide_integer(LOAD(uint32_t, p));
    case KN_ID_U64: return (wide){UNSIGNED, LOAD(uint64_t, p), 0, 0};
    case KN_ID_F16: return wide_real(knx_f16_to_f32(LOAD(uint16_t, p)), 0);
    case KN_ID_BF16: return wide_real(knx_bf16_to_f32(LOAD(uint16_t, p)), 0);
    case KN_ID_F32: return wide_real(LOAD(float, p), 0);
    case KN_ID_F64: return wide_real(LOAD(double, p), 0);
    case KN_ID_C64: return wide_real(LOAD(float, p), LOAD(float, p + 4));
    case KN_ID_C128: return wide_real(LOAD(double, p), LOAD(double, p + 8));
    case KN_ID_KEY:
    case KN_ID_COUNT: break;
    }
    return wide_integer(0);
}

static float wide_f32(wide w)
{
    if (w.form == REAL)
        return (float)w.re;
    return w.form == UNSIGNED ? (float)w.u : (float)(int64_t)w.u;
}

static double wide_f64(wide w)
{
    if (w.form == REAL)
        return w.re;
    return w.form == UNSIGNED ? (double)w.u : (double)(int64_t)w.u;
}

static KNX_HOT knx_scalar_bits write_wide(kn_dtype d, wide w)
{
    knx_scalar_bits s = {.u = {0, 0}};
    bool real = w.form == REAL;
    switch ((knx_dtype_id)d->id) {
    case KN_ID_BOOL: s.u8 = real ? w.re != 0 || w.im != 0 : w.u != 0; break;
    case KN_ID_I8:
    case KN_ID_U8: s.u8 = (uint8_t)(real ? (uint32_t)knx_to_i32(w.re) : w.u); break;
    case KN_ID_I16:
    case KN_ID_U16: s.u16 = (uint16_t)(real ? (uint32_t)knx_to_i32(w.re) : w.u); break;
    case KN_ID_I32: s.u32 = real ? (uint32_t)knx_to_i32(w.re) : (uint32_t)w.u; break;
    case KN_ID_U32: s.u32 = (uint32_t)(real ? (uint64_t)knx_to_i64(w.re) : w.u); break;
    case KN_ID_I64: s.u64 = real ? (uint64_t)knx_to_i64(w.re) : w.u; break;
    case KN_ID_U64: s.u64 = real ? knx_to_u64(w.re) : w.u; break;
    case KN_ID_F16: s.u16 = real ? knx_f64_to_f16(w.re) : knx_f32_to_f16(wide_f32(w)); break;
    case KN_ID_BF16: s.u16 = real ? knx_f64_to_bf16(w.re) : knx_f32_to_bf16(wide_f32(w)); break;
    case KN_ID_F32: s.f32 = wide_f32(w); break;
    case KN_ID_F64: s.f64 = wide_f64(w); break;
    case KN_ID_C64: s.c64 = (kn_c64){wide_f32(w), (float)w.im}; break;
    case KN_ID_C128: s.c128 = (kn_c128){wide_f64(w), w.im}; break;
    case KN_ID_KEY:
    case KN_ID_COUNT: break;
    }
    return s;
}

knx_scalar_bits knx_scalar_extreme(kn_dtype d, bool highest)
{
    if (knx_is_float(d))
        return knx_scalar_from_double(d, highest ? __builtin_inf() : -__builtin_inf());
    int64_t most = INT64_MAX >> (64 - 8 * d->size);
    return knx_scalar_from_int(d, d->kind == KN_KIND_INT ? (highest ? most : -most - 1) : highest ? -1 : 0);
}

uint64_t knx_scalar_word(size_t size, const void *element)
{
    knx_scalar_bits s;
    memcpy(&s, element, size);
    return size == 1 ? s.u8 : size == 2 ? s.u16 : size == 4 ? s.u32 : s.u64;
}

KNX_HOT void knx_convert(kn_dtype from, const void *src, kn_dtype to, void *dst)
{
    float stored;
    if (knx_is_stored(from) && from != to) {
        stored = knx_stored_value(from, *(const uint8_t *)src);
        from = KN_DT(F32);
        src = &stored;
    }
    if (from == to && from->kind != KN_KIND_BOOL) {
        memmove(dst, src, to->size);
    } else if (!is_builtin(from) || !is_builtin(to) || from->kind == KN_KIND_KEY || to->kind == KN_KIND_KEY) {
        memset(dst, 0, to->size);
    } else {
        knx_scalar_bits s = write_wide(to, read_wide(from, src));
        memcpy(dst, s.bytes, to->size);
    }
}

/* The integer dtype's number that is nearest to v, toward 0. */
static wide nearest(kn_dtype d, double v)
{
    const int bits = 8 * d->size;
    const bool is_unsigned = d->kind == KN_KIND_UINT;
    const double half = (double)((uint64_t)1 << (bits - 1)), end = is_unsigned ? 2 * half : half; /* above the range */
    if (is_unsigned)
        return v >= end ? (wide){UNSIGNED, UINT64_MAX >> (64 - bits), 0, 0}
                        : (wide){UNSIGNED, v > 0 ? knx_to_u64(v) : 0, 0, 0};
    if (v >= end)
        return wide_integer(INT64_MAX >> (64 - bits));
    return wide_integer(v < -end ? INT64_MIN >> (64 - bits) : v == v ? knx_to_i64(v) : 0);
}

void knx_saturate(kn_dtype from, const void *src, kn_dtype to, void *dst)
{
    if (!is_builtin(from) || !is_builtin(to) || !knx_is_inexact(from) || knx_is_inexact(to) ||
        to->kind == KN_KIND_KEY) {
        knx_convert(from, src, to, dst);
        return;
    }
    wide w = read_wide(from, src);
    knx_scalar_bits s = write_wide(to, to->kind == KN_KIND_BOOL ? wide_real(w.re, 0) : nearest(to, w.re));
    memcpy(dst, s.bytes, to->size);
}

int64_t knx_position(kn_dtype d, const void *at, int64_t most)
{
    int64_t v = 0;
    if (d->id == KN_ID_U64) {
        uint64_t u = LOAD(uint64_t, at);
        return u < (uint64_t)most ? (int64_t)u : most;
    }
    knx_convert(d, at, KN_DT(I64), &v);
    return v < 0 ? 0 : v < most ? v : most;
}

knx_scalar_bits knx_scalar_from_double(kn_dtype d, double v) { return write_wide(d, wide_real(v, 0)); }

KNX_HOT knx_scalar_bits knx_scalar_from_int(kn_dtype d, int64_t v) { return write_wide(d, wide_integer(v)); }

double knx_scalar_to_double(kn_dtype d, knx_scalar_bits s) { return wide_f64(read_wide(d, (const char *)s.bytes)); }

bool knx_int_fits(kn_dtype d, bool is_unsigned, uint64_t bits)
{
    bool negative = !is_unsigned && bits >> 63;
    switch (d->kind) {
    case KN_KIND_BOOL: return bits <= 1;
    case KN_KIND_UINT: return !negative && bits <= UINT64_MAX >> (64 - 8 * d->size);
    case KN_KIND_INT: {
        uint64_t max = (uint64_t)INT64_MAX >> (64 - 8 * d->size);
        return negative ? ~bits <= max : bits <= max;
    }
    }
    return false;
}

float knx_half_to_float(uint16_t h) { return knx_f16_to_f32(h); }
uint16_t knx_float_to_half(float f) { return knx_f32_to_f16(f); }
uint16_t knx_double_to_half(double f) { return knx_f64_to_f16(f); }
float knx_bf16_to_float(uint16_t h) { return knx_bf16_to_f32(h); }
uint16_t knx_float_to_bf16(float f) { return knx_f32_to_bf16(f); }
uint16_t knx_double_to_bf16(double f) { return knx_f64_to_bf16(f); }
