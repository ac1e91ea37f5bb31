/* SPDX-License-Identifier: Apache-2.0
 * arrays.c -- arrays, numbers and options. */
#include <kiln/kiln.h>

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_of(float, 1, 2, 3); /* a 1-d array of that C type */
    kn_array m = kn_reshape(kn_arange(0, 6, 1), KN_SHAPE(2, -1));
    kn_array y = kn_add(kn_mul(x, 2), 0.5); /* C numbers go where arrays go; y is float32 */
    kn_print(y);
    kn_print(kn_sum(m, KN_AXIS(0), .keepdims = true));
    printf("%s %s\n", kn_dtype_name(kn_dtype_of(y)), kn_dtype_name(kn_dtype_of(kn_add(y, m))));
    printf("%d %d\n", kn_allclose(1.0, 1.000001), kn_allclose(1.0, 1.000001, .rtol = 0));
    kn_printf("mean %.3f of %d numbers\n", kn_mean(y), kn_size(y));
    return kn_finish();
}
