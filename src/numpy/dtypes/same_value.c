/* SPDX-License-Identifier: Apache-2.0
 * same_value.c -- casts that are errors where they change a value. */
#include "lib/compose.h"

/* NumPy's name of the dtype in its texts: that of C, mostly. */
static const char *name_in_c(kn_dtype d)
{
    static const char *const names[KN_ID_COUNT] = {
        [KN_ID_I8] = "byte",      [KN_ID_I16] = "short",  [KN_ID_I32] = "int",    [KN_ID_I64] = "long",
        [KN_ID_U8] = "ubyte",     [KN_ID_U16] = "ushort", [KN_ID_U32] = "uint",   [KN_ID_U64] = "ulong",
        [KN_ID_F16] = "half",     [KN_ID_F32] = "float",  [KN_ID_F64] = "double", [KN_ID_C64] = "cfloat",
        [KN_ID_C128] = "cdouble",
    };
    return !knx_is_stored(d) && names[d->id] ? names[d->id] : d->name;
}

static bool is_any(kna_op *op, kn_array truth)
{
    kni_type t;
    const bool *at = kna_failed(op) ? NULL : kna_look(op, kn_any(truth, NULL), &t);
    return at && *at;
}

/* Where the elements are others after they were cast to `to`: what comes back differs, but for NaN that comes back, or
 * an integer changed its sign on the way, or became an infinity. */
static kn_array changed(kn_array x, kn_dtype from, kn_dtype to)
{
    kn_array there = kn_astype(x, to, NULL), back = kn_astype(there, from, NULL), other = kn_not_equal(back, x);
    if (knx_is_inexact(from))
        return kn_logical_and(other, kn_logical_not(kn_logical_and(kn_isnan(back), kn_isnan(x))));
    if (knx_is_inexact(to))
        return kn_logical_or(other, kn_isinf(there));
    if (!knx_is_integer(to) || from->kind == to->kind)
        return other;
    kn_array was = kn_less(x, kn_like_int(0)), is = kn_less(there, kn_like_int(0));
    return kn_logical_or(other, kn_not_equal(was, is));
}

void knl_check_same_value(kna_op *op, kn_array x, kn_dtype to)
{
    kni_type t = kna_type(op, x);
    kn_dtype from = kna_failed(op) ? to : kna_strong_dtype(t);
    if (from == to || from->kind == KN_KIND_BOOL || to->kind == KN_KIND_BOOL || to->kind == KN_KIND_KEY)
        return; /* no number is lost among truth values: NumPy asks for none */
    kn_scope scope = kn_scope_begin();
    const char *also = "";
    bool differs = false;
    x = kn_astype(x, from, NULL);
    bool apart = knx_is_complex(from) && !knx_is_complex(to);
    kn_array whole = x;
    if (knx_is_stored(from)) { /* float32 has its numbers, and compares */
        from = KN_DT(F32);
        x = kn_astype(x, from, NULL);
    }
    if (apart) {
        x = kn_real(x);
        from = knx_component(from);
    }
    differs = from != to && is_any(op, changed(x, from, to));
    if (!differs && apart && is_any(op, kn_not_equal(kn_imag(whole), kn_like_int(0)))) {
        differs = true;
        also = ": imag is not 0";
    }
    if (differs && !kna_failed(op))
        kna_fail(op, KN_ERROR_VALUE, "could not cast 'same_value' %s to %s%s", name_in_c(kna_strong_dtype(t)),
                 name_in_c(to), also);
    kn_scope_end(&scope);
}
