/* SPDX-License-Identifier: Apache-2.0
 * pointer_of_another_type.c -- kn_data with another C type than the dtype.
 * answer: how-do-i-get-a-c-number
 * says: TypeError: data: the array has dtype float64, not float32 */
#include <kiln/kiln.h>

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2);
    const float *p = kn_data(x, float); /* here */
    (void)p;
    return kn_finish();
}
