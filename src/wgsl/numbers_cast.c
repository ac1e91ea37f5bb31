/* SPDX-License-Identifier: Apache-2.0
 * numbers_cast.c -- casts and bitcasts as WGSL. A cast goes through float32 where a 16-bit float is on either side, as
 * knx_convert does: that is exact on the way in, and what it rounds to on the way out. */
#include "wgsl/numbers_internal.h"

/* Does every number of one integer dtype lie in the other's range? */
static bool fits(int from, int to)
{
    int less = knx_dtype_table[from].size < knx_dtype_table[to].size;
    return knw_is_signed(from) == knw_is_signed(to) ? less || knx_dtype_table[from].size == knx_dtype_table[to].size
                                                    : !knw_is_signed(from) && less;
}

static const char *to_bool(int from)
{
    return from == KN_ID_F32     ? "((bitcast<u32>($a) & 0x7fffffffu) != 0u)"
           : knw_is_wide(from)   ? "any($a != vec2<u32>(0u))"
           : knw_is_signed(from) ? "($a != 0i)"
                                 : "($a != 0u)";
}

static const char *to_wide(int from, int to)
{
    return from == KN_ID_F32     ? to == KN_ID_I64 ? "kn_f32_to_i64($a)" : "kn_f32_to_u64($a)"
           : from == KN_ID_BOOL  ? "vec2<u32>(u32($a), 0u)"
           : knw_is_wide(from)   ? "$a"
           : knw_is_signed(from) ? "kn_i64($a)"
                                 : "vec2<u32>($a, 0u)";
}

static const char *to_small(int from, int to)
{
    bool sign = knw_is_signed(to);
    if (from == KN_ID_BOOL)
        return sign ? "i32($a)" : "u32($a)";
    if (from == KN_ID_F32)
        return to == KN_ID_U32 ? "kn_f32_to_u32($a)" : sign ? "~kn_f32_to_i32($a)" : "~u32(kn_f32_to_i32($a))";
    if (knw_is_wide(from))
        return sign ? "~i32($a.x)" : "~$a.x";
    if (knw_is_signed(from) != sign)
        return fits(from, to) ? "i32($a)" : sign ? "~i32($a)" : "~u32($a)";
    return fits(from, to) ? "$a" : "~$a";
}

static const char *to_float(const knw_unit *u, int from)
{
    if (knw_is_wide(from))
        return from == KN_ID_I64 ? "kn_i64_to_f32($a)" : "kn_u64_to_f32($a)";
    bool rounds = u->exact && (from == KN_ID_I32 || from == KN_ID_U32);
    if (rounds && !knw_has(u, KNW_CONVERT))
        return from == KN_ID_I32 ? "kn_i32_to_f32($a)" : "kn_u32_to_f32($a)";
    return rounds && u->facts->joins ? "kn_hide(f32($a))" : "f32($a)";
}

static const char *cast_pattern(const knw_unit *u, int from, int to)
{
    switch (to) {
    case KN_ID_F16: return "kn_f32_to_f16($a)";
    case KN_ID_BF16: return "kn_f32_to_bf16($a)";
    case KN_ID_F32: return to_float(u, from);
    case KN_ID_BOOL: return to_bool(from);
    case KN_ID_I64:
    case KN_ID_U64: return to_wide(from, to);
    default: return to_small(from, to);
    }
}

void knw_cast(knw_unit *u, knx_str *t, int from, int to, const char *a)
{
    bool widen = knw_is_half(from), narrow = knw_is_half(to) && from != KN_ID_F32;
    if (from == to) {
        knx_str_puts(t, a);
        return;
    }
    if (!widen && !narrow) {
        knw_fill(u, t, cast_pattern(u, from, to), &(knw_operands){.dtype = to, .a = a});
        return;
    }
    knx_str mid = {0};
    if (widen)
        knw_fill(u, &mid, from == KN_ID_F16 ? "kn_f16_to_f32($a)" : "kn_bf16_to_f32($a)",
                 &(knw_operands){.dtype = KN_ID_F32, .a = a});
    else
        knw_cast(u, &mid, from, KN_ID_F32, a);
    t->failed |= mid.failed;
    if (!mid.failed)
        knw_cast(u, t, KN_ID_F32, to, mid.s);
    knx_str_free(&mid);
}

/* The bits of one dtype as another of the same size. */
const char *knw_bitcast_pattern(int from, int to)
{
    if (from == KN_ID_F32)
        return to == KN_ID_F32 ? "$a" : to == KN_ID_I32 ? "bitcast<i32>($a)" : "bitcast<u32>($a)";
    if (to == KN_ID_F32)
        return "bitcast<f32>($a)";
    if (from == KN_ID_BOOL || knw_is_wide(from) || knw_is_signed(from) == knw_is_signed(to))
        return "$a";
    return knw_is_signed(to) ? "~i32($a)" : "~u32($a)";
}
