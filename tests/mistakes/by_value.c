/* SPDX-License-Identifier: Apache-2.0
 * by_value.c -- a function takes an array by value.
 * answer: why-do-arguments-have-an-ampersand
 * gcc: incompatible pointer type
 * clang: incompatible pointer type */
#include <kiln/kiln.h>

static kn_array f(kn_array a) { return kn_sum(kn_square(a)); }
KN_FUNCTION(f, kn_array, kn_array)

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), y;
    kn_call(KN_FN(f), &y, &x);
    kn_print(y);
    return kn_finish();
}
