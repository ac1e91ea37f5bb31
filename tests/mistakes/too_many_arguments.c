/* SPDX-License-Identifier: Apache-2.0
 * too_many_arguments.c -- kn_call with more arguments than the function takes.
 * answer: why-kn_function
 * says: TypeError: f: takes 1 argument, but was given 2 */
#include <kiln/kiln.h>

static kn_array f(const kn_array *a) { return kn_sum(kn_square(*a)); }
KN_FUNCTION(f, kn_array, kn_array)

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), y;
    kn_call(KN_FN(f), &y, &x, &x); /* here */
    return kn_finish();
}
