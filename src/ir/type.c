/* SPDX-License-Identifier: Apache-2.0
 * type.c -- comparing, copying, measuring and printing types. */
#include "ir/type.h"
#include <inttypes.h>
#include <string.h>

bool kni_type_equal(kni_type a, kni_type b)
{
    return a.dtype == b.dtype && a.weak == b.weak && a.sharding == b.sharding && kni_type_same_shape(a, b);
}

int64_t kni_type_size(kni_type t)
{
    int64_t n = 1;
    for (int i = 0; i < t.ndim; i++)
        if (t.dim[i] == 0)
            return 0;
    if (kni_type_is_symbolic(t))
        return knx_dim_size(t.ndim, t.dim);
    for (int i = 0; i < t.ndim; i++)
        if (__builtin_mul_overflow(n, t.dim[i], &n))
            return INT64_MAX; /* kni_type_check_size refuses it */
    return n;
}

size_t kni_type_bytes(kni_type t) { return (size_t)knx_dim_mul(kni_type_size(t), (int64_t)t.dtype->size); }

bool kni_type_copy(knx_arena *a, kni_type t, kni_type *out)
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
knx_error *kni_type_check_size(kni_type t)
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
