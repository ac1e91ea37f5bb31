/* SPDX-License-Identifier: Apache-2.0
 * forgotten_star.c -- an argument of a function is a pointer, and is used as an array.
 * answer: why-do-arguments-have-an-ampersand
 * gcc: kn_array_or_number
 * clang: kn_array_or_number */
#include <kiln/kiln.h>

static kn_array f(const kn_array *a) { return kn_sum(kn_square(a)); }
KN_FUNCTION(f, kn_array, kn_array)

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2);
    kn_print(f(&x));
    return kn_finish();
}
