/* SPDX-License-Identifier: Apache-2.0
 * same.h -- are two arrays the same as docs/determinism.md means it: type, layout, and bits, but those of a NaN. */
#ifndef KN_TEST_SAME_H
#define KN_TEST_SAME_H
#include "support/bits.h"
#include <kiln/kiln.h>

/* Of a float of so many bytes with these bits of its exponent. */
static inline bool same_float(const char *x, const char *y, size_t size, uint64_t exponent)
{
    uint64_t a = bits_at(x, size), b = bits_at(y, size), sign = (uint64_t)1 << (8 * size - 1);
    return a == b || ((a & ~sign) > exponent && (b & ~sign) > exponent);
}

static inline bool same_elements(kn_array x, kn_array y)
{
    kn_dtype d = kn_dtype_of(x);
    char kind = kn_dtype_kind(d);
    x = kn_copy(x), y = kn_copy(y);
    const char *a = kn_data_bytes(x, d), *b = kn_data_bytes(y, d);
    size_t n = (size_t)kn_nbytes(y), size = kn_dtype_size(d) / (kind == 'c' ? 2 : 1);
    uint64_t exponent = d == KN_F16    ? 0x7c00
                        : d == KN_BF16 ? 0x7f80
                        : size == 4    ? 0x7f800000
                                       : 0x7ff0000000000000;
    if (kind != 'c' && d != KN_F16 && d != KN_BF16 && d != KN_F32 && d != KN_F64)
        return !memcmp(a, b, n);
    for (size_t i = 0; i < n; i += size)
        if (!same_float(a + i, b + i, size, exponent))
            return false;
    return true;
}

static inline bool same_array(kn_array x, kn_array y)
{
    bool same = kn_dtype_of(x) == kn_dtype_of(y) && kn_ndim(x) == kn_ndim(y) && kn_size(x) == kn_size(y);
    for (int d = 0; same && d < kn_ndim(x); d++)
        same = kn_dim(x, d) == kn_dim(y, d) && kn_strides_of(x).stride[d] == kn_strides_of(y).stride[d];
    return same && same_elements(x, y);
}
#endif
