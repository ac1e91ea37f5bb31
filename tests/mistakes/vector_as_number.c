/* SPDX-License-Identifier: Apache-2.0
 * vector_as_number.c -- kn_printf of an array of several elements.
 * answer: how-do-i-print
 * says: TypeError: printf: only arrays with one element can be printed as numbers, not float64[2] */
#include <kiln/kiln.h>

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2);
    kn_printf("%g\n", x); /* here */
    return kn_finish();
}
