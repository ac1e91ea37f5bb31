/* SPDX-License-Identifier: Apache-2.0
 * number_of_array.c -- an array of one element is assigned to a double.
 * answer: how-do-i-get-a-c-number
 * gcc: incompatible types when initializing type 'double' using type 'kn_array'
 * clang: initializing 'double' with an expression of incompatible type 'kn_array' */
#include <kiln/kiln.h>

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2);
    double total = kn_sum(x);
    printf("%g\n", total);
    return kn_finish();
}
