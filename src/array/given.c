/* SPDX-License-Identifier: Apache-2.0
 * given.c -- what callers give beside arrays, checked where it comes in: pointers that may not be NULL, and counts in
 * structs and of lists, which index memory from here on. */
#include "array/op.h"
#include <inttypes.h>
#include <limits.h>

/* A macro's argument as the caller knows it: "o.strides" and "&p->strides" are "strides". */
static const char *plain_name(const char *name)
{
    const char *plain = name;
    for (const char *c = name; *c; c++)
        if (*c == '.' || *c == '>' || *c == '&')
            plain = c + 1;
    return plain;
}

void kna_null(kna_op *op, const char *name) { kna_fail(op, KN_ERROR_TYPE, "null %s", plain_name(name)); }

bool kna_given_pointer(kna_op *op, const void *p, const char *name)
{
    if (!p)
        kna_null(op, name);
    return p && !kna_failed(op);
}

bool kna_given_list(kna_op *op, int64_t n, const void *p, int64_t most, const char *name)
{
    if (n < 0)
        kna_fail(op, KN_ERROR_VALUE, "a negative number of %s: %" PRId64, name, n);
    else if (n > most)
        kna_fail(op, KN_ERROR_VALUE, "%" PRId64 " %s, but at most %" PRId64 " can be given", n, name, most);
    else if (n && !p)
        kna_null(op, name);
    return !kna_failed(op);
}

bool kna_report_list(const char *operation, int64_t n, const void *p, const char *name)
{
    kna_op op;
    if (n >= 0 && n <= INT_MAX && (p || !n)) /* usually: no operation to speak of it then */
        return true;
    kna_begin(&op, operation);
    kna_given_list(&op, n, p, INT_MAX, name);
    return kna_end_plain(&op);
}

const kn_shape *kna_given_shape(kna_op *op, const kn_shape *given, const char *name)
{
    static const kn_shape none;
    name = plain_name(name);
    if (!given)
        kna_null(op, name);
    else if (given->ndim < 0)
        kna_fail(op, KN_ERROR_VALUE, "%s: a negative number of dimensions: %d", name, given->ndim);
    else if (given->ndim > KN_MAX_NDIM)
        kna_fail(op, KN_ERROR_VALUE, "%s: maximum supported dimension for an ndarray is currently %d, found %d", name,
                 KN_MAX_NDIM, given->ndim);
    else
        return given;
    return &none;
}

KNX_HOT bool kna_axes_fit(kna_op *op, kn_axes given, const char *name)
{
    name = plain_name(name);
    if (given.n >= -1 && given.n <= KN_MAX_NDIM + 1)
        return true;
    kna_fail(op, KN_ERROR_VALUE, "%s: an array has at most %d axes, but %d were given", name, KN_MAX_NDIM,
             given.n < 0 ? given.n : given.n - 1);
    return false;
}

const kn_axes *kna_given_axes(kna_op *op, const kn_axes *given, const char *name)
{
    static const kn_axes none;
    if (!given)
        kna_null(op, name);
    return given && kna_axes_fit(op, *given, name) ? given : &none;
}
