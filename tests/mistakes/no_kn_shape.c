/* SPDX-License-Identifier: Apache-2.0
 * no_kn_shape.c -- a shape is written as numbers.
 * answer: why-is-an-axis-a-list
 * gcc: invalid initializer
 * clang: initializing 'kn_shape' */
#include <kiln/kiln.h>

int main(void)
{
    KN_SCOPE;
    kn_print(kn_zeros(2, 3));
    return kn_finish();
}
