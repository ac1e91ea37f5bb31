/* SPDX-License-Identifier: Apache-2.0
 * returned_without_keep.c -- a function with a scope returns without kn_keep.
 * answer: why-was-my-array-released
 * says: ValueError: print: this array was released: the scope that owned it has ended */
#include <kiln/kiln.h>

static kn_array twice(kn_array x)
{
    KN_SCOPE;
    return kn_mul(x, 2);
}

int main(void)
{
    KN_SCOPE;
    kn_array y = twice(kn_of(double, 1, 2));
    kn_print(y); /* here */
    return kn_finish();
}
