/* SPDX-License-Identifier: Apache-2.0
 * number_too_large.c -- a number that does not fit the dtype.
 * answer: why-is-my-array-an-error
 * says: OverflowError: add: integer 300 out of bounds for uint8 */
#include <kiln/kiln.h>

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_of(unsigned char, 1, 2);
    kn_print(kn_add(x, 300)); /* here */
    return kn_finish();
}
