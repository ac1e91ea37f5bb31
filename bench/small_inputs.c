/* SPDX-License-Identifier: Apache-2.0
 * small_inputs.c -- matrices made of a hash. */
#include "small_inputs.h"

/* Numbers between -1/2 and 1/2. */
static kn_array hashed(kn_shape shape)
{
    int64_t count = 1, all = INT64_C(1) << 32;
    for (int i = 0; i < shape.ndim; i++)
        count *= shape.dim[i];
    kn_array z = kn_remainder(kn_mul(kn_arange(1, count + 1, 1), INT64_C(2654435761)), all);
    z = kn_remainder(kn_mul(kn_bitwise_xor(z, kn_right_shift(z, 15)), INT64_C(2246822519)), all);
    z = kn_bitwise_xor(z, kn_right_shift(z, 13));
    return (kn_reshape)(kn_sub(kn_div(z, (double)all), 0.5), &shape, NULL);
}

kn_array bench_hashed_matrices(kn_shape shape, bench_matrices of, kn_dtype d)
{
    int64_t n = shape.dim[shape.ndim - 1];
    kn_array m = hashed(shape), t = kn_swapaxes(m, -1, -2);
    m = of == GENERAL     ? kn_add(m, kn_mul(2, kn_eye(n)))
        : of == SYMMETRIC ? kn_div(kn_add(m, t), 2)
                          : kn_add(kn_div(kn_matmul(m, t), (double)n), kn_eye(n));
    return kn_astype(m, d);
}
