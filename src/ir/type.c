/* SPDX-License-Identifier: Apache-2.0
 * type.c -- comparing, copying, measuring and printing types. */
#include "ir/type.h"
#include <inttypes.h>
#include <string.h>

bool kni_type_equal(kni_type a, kni_type b)
{
    return a.dtype == b.dtype && a.weak == b.weak && a.sharding == b.sharding && kni_type_same_shape(a, b);
}

bool kni_type_same_in_scope(kni_type a, kni_type b)
{
    for (int i = 0; i < a.ndim; i++)
        if (!knx_dim_same(a.dim[i], b.dim[i]))
            return false;
    return true;
}

static int64_t special_size(kni_type t)
{
    for (int i = 0; i < t.ndim; i++)
        if (t.dim[i] == 0)
            return 0;
    return kni_type_is_symbolic(t) ? knx_dim_size(t.ndim, t.dim) : INT64_MAX; /* kni_type_check_size refuses it */
}

static inline int64_t size_of(kni_type t)
{
    int64_t n = 1;
    for (int i = 0; i < t.ndim; i++)
        if (knx_is_symbolic(t.dim[i]) || __builtin_mul_overflow(n, t.dim[i], &n))
            return special_size(t);
    return n;
}

KNX_HOT int64_t kni_type_size(kni_type t) { return size_of(t); }

double kni_type_count(kni_type t)
{
    double n = 1;
    for (int i = 0; i < t.ndim; i++)
        n *= (double)knx_dim_hint(t.dim[i]);
    return n;
}

knx_error *kni_dim_settle(int64_t d, int64_t *n)
{
    knx_text t = {0};
    *n = knx_dim_taken(d);
    if (!knx_is_symbolic(*n))
        return NULL;
    *n = 0;
    return knx_error_new(KN_ERROR_DIMENSION, "Symbolic dimension '%s' used in a context that requires a constant",
                         knx_dim_show(&t, d));
}

int64_t kni_dim_dilated(int64_t extent, int64_t interior)
{
    int64_t n;
    if (interior == 0 || extent == 0)
        return extent;
    if (knx_any_symbolic(extent, interior)) /* of no elements it is 0, not less */
        return knx_dim_max(knx_dim_add(knx_dim_mul(extent - 1, interior), extent), 0);
    if (__builtin_mul_overflow(extent - 1, interior, &n) || __builtin_add_overflow(extent, n, &n))
        return INT64_MAX;
    return n;
}

KNX_HOT knx_bytes kni_type_bytes(kni_type t)
{
    int64_t n = size_of(t); /* bytes beyond those of int64 are asked for by who tries to make such an array */
    return knx_is_symbolic(n) ? (knx_bytes)knx_dim_mul(n, (int64_t)t.dtype->size) : (knx_bytes)n * t.dtype->size;
}

KNX_HOT bool kni_type_copy(knx_arena *a, kni_type t, kni_type *out)
{
    *out = t;
    if (!t.ndim) {
        out->dim = NULL;
        return true;
    }
    return (out->dim = knx_arena_copy(a, t.dim, (size_t)t.ndim * sizeof *t.dim)) != NULL;
}

const char *kni_type_text(knx_text *t, kni_type type, bool long_names)
{
    size_t start = t->length;
    knx_text_add(t, "%s[", long_names ? type.dtype->name : type.dtype->short_name);
    for (int i = 0; i < type.ndim; i++)
        knx_text_add(t, i ? "," : ""), knx_dim_show(t, type.dim[i]);
    knx_text_add(t, "]");
    return t->s + start;
}

/* Extents of 0 do not count, as in NumPy: the strides of such an array must fit too. */
knx_error *kni_type_refuse_size(kni_type t)
{
    size_t bytes = t.dtype->size;
    for (int i = 0; i < t.ndim; i++) {
        if (knx_is_symbolic(t.dim[i])) /* how large it is shows when it has a number */
            continue;
        if (t.dim[i] > 2 * KNX_DIM_FIRST && (uint64_t)t.dim[i] < 2 * (KNX_DIM_FIRST + KNX_DIM_ROOM)) /* two of them */
            return knx_error_new(KN_ERROR_DIMENSION,
                                 "an extent was made of dimension variables by C's own arithmetic, "
                                 "which may only add numbers to them: kn_dim_mul and its kin do more");
        if (t.dim[i] > 0 && (uint64_t)t.dim[i] <= PTRDIFF_MAX &&
            !__builtin_mul_overflow(bytes, (size_t)t.dim[i], &bytes) && bytes <= PTRDIFF_MAX)
            continue;
        if (t.dim[i] < 0)
            return knx_error_new(KN_ERROR_VALUE, "negative dimensions are not allowed");
        if (t.dim[i] > 0) {
            knx_text shape = {0};
            return knx_error_new(KN_ERROR_MEMORY, "array of shape %s and dtype %s is too large",
                                 knx_show_shape(&shape, t.ndim, t.dim), t.dtype->name);
        }
    }
    return NULL;
}
