/* SPDX-License-Identifier: Apache-2.0
 * gradient_of_integers.c -- kn_grad with respect to integers.
 * answer: why-does-kn_grad-refuse-integers
 * says: TypeError: grad: argument 0 of f must be real or complex floating point, but is int32[2] */
#include <kiln/kiln.h>

static kn_array f(const kn_array *a) { return kn_sum(kn_square(*a)); }
KN_FUNCTION(f, kn_array, kn_array)

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_of(int, 1, 2), y;
    kn_call(kn_grad(KN_FN(f)), &y, &x); /* here */
    return kn_finish();
}
