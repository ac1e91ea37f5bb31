/* SPDX-License-Identifier: Apache-2.0
 * named.c -- dtypes as texts, arrays and numbers give them; why Kiln lacks some that NumPy has. */
#include "numpy/dtypes/internal.h"
#include <string.h>

/* What np.dtype takes for the long double of C. */
static bool is_long_double(const char *text)
{
    static const char *const names[] = {"longdouble", "clongdouble", "float96", "float128", "complex192", "complex256"};
    static const char *const codes[] = {"g", "G", "f12", "f16", "c24", "c32"};
    bool is = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        is = is || !strcmp(text, names[i]);
    text += *text && strchr("<>=|", *text) ? 1 : 0;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        is = is || !strcmp(text, codes[i]);
    return is;
}

/* Names that NumPy 2 took away, and says so. */
static bool is_old_alias(const char *text)
{
    static const char *const names[] = {"int0", "uint0", "bool8"};
    bool is = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        is = is || !strcmp(text, names[i]);
    return is;
}

knx_error *knn_dtype_named(const char *text, kn_dtype *d)
{
    bool swapped = false;
    *d = NULL;
    if (!text)
        return knx_error_new(KN_ERROR_TYPE, "data type '(null)' not understood");
    kn_dtype found = knx_dtype_numpy(text, strlen(text), &swapped), meant = found ? NULL : knx_dtype_find(text);
    if (swapped)
        return knx_error_new(KN_ERROR_TYPE,
                             "data type '%s' is %s in the other byte order, which arrays never have here: kn_byteswap "
                             "turns bytes that come so",
                             text, found->name);
    *d = found;
    if (meant)
        return knx_error_new(KN_ERROR_TYPE, "data type '%s' not understood; %s is '%s'", text, meant->name,
                             meant->name);
    if (!*d && is_long_double(text))
        return knx_error_new(KN_ERROR_TYPE,
                             "data type '%s' is not here: the bits of long double are others on every machine; use "
                             "float64 or complex128",
                             text);
    if (!*d && is_old_alias(text))
        return knx_error_new(KN_ERROR_TYPE,
                             "Alias '%s' was removed in NumPy 2.0. Use a name without a digit at the end.", text);
    return *d ? NULL : knx_error_new(KN_ERROR_TYPE, "data type '%s' not understood", text);
}

kn_dtype kn_dtype_named(const char *name)
{
    kna_op op;
    kn_dtype d = NULL;
    knx_error *error;
    kna_begin(&op, "dtype");
    if ((error = knn_dtype_named(name, &d)))
        kna_fail_with(&op, error);
    return kna_end_plain(&op) ? d : NULL;
}

kni_type knn_type_like(kna_op *op, kn_dtype_like like)
{
    kn_dtype d = like.dtype;
    knx_error *error = NULL;
    if (like.array)
        return kna_type(op, like.array);
    if (like.text)
        error = knn_dtype_named(like.text, &d);
    if (error)
        kna_fail_with(op, error);
    else if (!d)
        kna_fail(op, KN_ERROR_TYPE, "a dtype is missing");
    return kni_scalar_type(error || !d ? KN_DT(F32) : d);
}

kn_dtype knn_dtype_like(kna_op *op, kn_dtype_like like)
{
    kni_type t = knn_type_like(op, like);
    return kna_failed(op) ? NULL : kna_strong_dtype(t);
}
