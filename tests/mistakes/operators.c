/* SPDX-License-Identifier: Apache-2.0
 * operators.c -- arrays are added with +.
 * answer: why-kn_add-and-not-a-plus
 * gcc: invalid operands to binary +
 * clang: invalid operands to binary expression */
#include <kiln/kiln.h>

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2);
    kn_print(x + x);
    return kn_finish();
}
