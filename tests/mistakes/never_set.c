/* SPDX-License-Identifier: Apache-2.0
 * never_set.c -- a variable that was never set.
 * answer: why-is-my-array-an-error
 * says: TypeError: add: null array */
#include <kiln/kiln.h>

int main(void)
{
    KN_SCOPE;
    kn_array x = NULL;
    kn_print(kn_add(x, 1)); /* here */
    return kn_finish();
}
