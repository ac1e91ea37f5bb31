/* SPDX-License-Identifier: Apache-2.0
 * same.h -- two arrays are equal to the bit, in dtype and in shape. */
#ifndef KN_TEST_EAGER_SAME_H
#define KN_TEST_EAGER_SAME_H
#include "support/expect.h"
#include <stdlib.h>

/* The extents as an array. */
static inline kn_array shape_array(kn_array a)
{
    kn_shape s = kn_shape_of(a);
    return kn_from(s.dim, KN_SHAPE(s.ndim));
}

#define same(a, b) same_(a, b, #a " and " #b, __FILE__, __LINE__)
static inline void same_(kn_array a, kn_array b, const char *what, const char *file, int line)
{
    size_t n = (size_t)kn_nbytes(a);
    char *p = malloc(2 * n + 1);
    bool is = p && kn_dtype_of(a) == kn_dtype_of(b) && kn_nbytes(b) == (int64_t)n &&
              kn_array_equal(shape_array(a), shape_array(b)) && !kn_copy_to(a, p, n) && !kn_copy_to(b, p + n, n) &&
              !memcmp(p, p + n, n);
    free(p);
    if (!is) {
        print_error("%s differ: %s\n%s\n%s\n", what, kn_error_message(), kn_array_repr(a), kn_array_repr(b));
        _fail(file, line);
    }
}
#endif
