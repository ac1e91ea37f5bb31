/* SPDX-License-Identifier: Apache-2.0
 * promotion.c -- which dtype several have in common, and which one may become another. */
#include "lib/internal.h"
#include "numpy/dtypes/internal.h"
#include <limits.h>
#include <math.h>
#include <string.h>

kn_dtype kn_result_type(int n, const kn_dtype_like *operands)
{
    kna_op op;
    kn_dtype d = NULL;
    kna_begin(&op, "result_type");
    if (n == 0)
        kna_fail(&op, KN_ERROR_VALUE, "at least one array or dtype is required");
    bool given = kna_given_list(&op, n, operands, INT_MAX, "operands");
    kni_type *t = given ? knx_arena_alloc(&op.b->arena, (size_t)n * sizeof *t) : NULL;
    if (given && !t)
        kna_fail_with(&op, knx_error_nomem());
    for (int i = 0; i < n && !kna_failed(&op); i++)
        t[i] = knn_type_like(&op, operands[i]);
    if (!kna_failed(&op))
        d = kna_result_type_of(&op, n, t);
    return kna_end_plain(&op) ? d : NULL;
}

kn_dtype kn_promote_types(kn_dtype_like type1, kn_dtype_like type2)
{
    kna_op op;
    kna_begin(&op, "promote_types");
    kn_dtype a = knn_dtype_like(&op, type1), b = knn_dtype_like(&op, type2), d = NULL;
    if (!kna_failed(&op) && !(d = knx_promote(a, b)))
        kna_fail(&op, KN_ERROR_TYPE, "the dtypes %s and %s do not promote to a common dtype", a->name, b->name);
    return kna_end_plain(&op) ? d : NULL;
}

bool kn_can_cast(kn_dtype_like from, kn_dtype_like to, const char *casting)
{
    kna_op op;
    kna_begin(&op, "can_cast");
    kni_type t = knn_type_like(&op, from);
    kn_dtype d = knn_dtype_like(&op, to);
    knx_casting how = KN_CAST_SAFE;
    if (!kna_failed(&op) && t.weak)
        kna_fail(&op, KN_ERROR_TYPE,
                 "can_cast() does not support ints, floats, and complex because the result used to depend on the "
                 "value.\nThis change was part of adopting NEP 50, we may explicitly allow them again in the future.");
    if (!kna_failed(&op) && kna_given_pointer(&op, casting, "casting"))
        how = knl_casting(&op, casting, how, KN_CAST_UNSAFE);
    bool yes = !kna_failed(&op) && knx_can_cast(t.dtype, d, how);
    return kna_end_plain(&op) && yes;
}

/* ---- The smallest dtype of a number. */

static kn_dtype least_integer(kn_dtype d, const void *at)
{
    int64_t v = 0;
    knx_convert(d, at, KN_DT(I64), &v);
    if (d->kind == KN_KIND_INT && v < 0)
        return v >= INT8_MIN ? KN_DT(I8) : v >= INT16_MIN ? KN_DT(I16) : v >= INT32_MIN ? KN_DT(I32) : KN_DT(I64);
    uint64_t u = (uint64_t)v;
    return u <= UINT8_MAX ? KN_DT(U8) : u <= UINT16_MAX ? KN_DT(U16) : u <= UINT32_MAX ? KN_DT(U32) : KN_DT(U64);
}

static bool within(double v, double bound) { return v > -bound && v < bound; }

/* The bounds are NumPy's, which are not the largest numbers of the dtypes. */
static kn_dtype least_float(kn_dtype d, double v)
{
    if (d->size == 2 || within(v, 65000) || !isfinite(v))
        return d->size == 2 ? d : KN_DT(F16);
    return within(v, 3.4e38) ? KN_DT(F32) : d;
}

static kn_dtype least_dtype(kn_dtype d, const void *at)
{
    kn_c128 z = {0, 0};
    if (knx_is_integer(d))
        return least_integer(d, at);
    if (knx_is_inexact(d))
        knx_convert(d, at, KN_DT(C128), &z);
    if (knx_is_float(d))
        return least_float(d, z.re);
    return knx_is_complex(d) && within(z.re, 3.4e38) && within(z.im, 3.4e38) ? KN_DT(C64) : d;
}

kn_dtype kn_min_scalar_type(kn_array a)
{
    kna_op op;
    kna_begin(&op, "min_scalar_type");
    kni_type t = kna_type(&op, a);
    kn_dtype d = kna_failed(&op) ? NULL : kna_strong_dtype(t);
    bool number = !kna_failed(&op) && t.ndim == 0 && (knx_is_integer(d) || knx_is_inexact(d));
    const void *at = number ? kna_look(&op, a, &t) : NULL;
    if (at)
        d = least_dtype(t.dtype, at);
    return kna_end_plain(&op) ? d : NULL;
}

/* ---- Inexact dtypes for all. */

/* 0 float16, 1 float32, 2 float64; -1: none. */
static int precision_of(kn_dtype d)
{
    kn_dtype part = knx_component(d);
    if (knx_is_integer(d))
        return 2;
    return part == KN_DT(F16) ? 0 : part == KN_DT(F32) ? 1 : part == KN_DT(F64) ? 2 : -1;
}

kn_dtype kn_common_type(int n, const kn_array *arrays)
{
    static const kn_dtype real[] = {KN_DT(F16), KN_DT(F32), KN_DT(F64)},
                          complex[] = {KN_DT(C64), KN_DT(C64), KN_DT(C128)};
    kna_op op;
    bool is_complex = false;
    int most = 0;
    kna_begin(&op, "common_type");
    if (!kna_given_list(&op, n, arrays, INT_MAX, "arrays"))
        n = 0;
    for (int i = 0; i < n && !kna_failed(&op); i++) {
        kni_type t = kna_type(&op, arrays[i]);
        kn_dtype d = kna_failed(&op) ? NULL : kna_strong_dtype(t);
        int precision = d ? precision_of(d) : 0;
        if (precision < 0)
            kna_fail(&op, KN_ERROR_TYPE, "can't get common type for non-numeric array");
        is_complex = is_complex || (d && knx_is_complex(d));
        most = precision > most ? precision : most;
    }
    return kna_end_plain(&op) ? (is_complex ? complex : real)[most] : NULL;
}

char kn_mintypecode(const char *typechars, const kn_mintypecode_opts *opts)
{
    static const char by_size[] = "GDFgdfQqLlIiHhBb?";
    KNX_OPTS(kn_mintypecode_opts, o, opts);
    kna_op op;
    kna_begin(&op, "mintypecode");
    bool given = kna_given_pointer(&op, typechars, "typechars") && kna_given_pointer(&op, o.typeset, "typeset");
    bool complex = false, twice = false;
    const char *least = NULL;
    for (const char *c = given ? typechars : ""; *c && !kna_failed(&op); c++) {
        const char *at = strchr(o.typeset, *c) ? strchr(by_size, *c) : NULL;
        if (!at && strchr(o.typeset, *c))
            kna_fail(&op, KN_ERROR_VALUE, "substring not found");
        complex = complex || (at && *c == 'F');
        twice = twice || (at && *c == 'd');
        least = at && (!least || at < least) ? at : least;
    }
    char found = complex && twice ? 'D' : least ? *least : o.default_;
    return (char)(kna_end_plain(&op) ? found : 0);
}
