/* SPDX-License-Identifier: Apache-2.0
 * gradient_of_many.c -- kn_grad of a function of many results.
 * answer: why-does-kn_grad-want-one-number
 * says: TypeError: grad: f must return one scalar, but it returned float64[2] */
#include <kiln/kiln.h>

static kn_array f(const kn_array *a) { return kn_square(*a); }
KN_FUNCTION(f, kn_array, kn_array)

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), y;
    kn_call(kn_grad(KN_FN(f)), &y, &x); /* here */
    return kn_finish();
}
