/* SPDX-License-Identifier: Apache-2.0
 * shapes.c -- shapes that do not broadcast.
 * answer: why-is-my-array-an-error
 * says: ValueError: add: operands could not be broadcast together with shapes (3,4) (3,) */
#include <kiln/kiln.h>

int main(void)
{
    KN_SCOPE;
    kn_array m = kn_ones(KN_SHAPE(3, 4)), v = kn_ones(KN_SHAPE(3));
    kn_print(kn_add(m, v)); /* here */
    return kn_finish();
}
