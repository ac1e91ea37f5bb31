/* SPDX-License-Identifier: Apache-2.0
 * function_of_libm.c -- sin of an array is asked of libm.
 * answer: why-kn_add-and-not-a-plus
 * gcc: incompatible type for argument 1 of 'sin'
 * clang: passing 'kn_array' */
#include <kiln/kiln.h>
#include <math.h>

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2);
    kn_print(sin(x));
    return kn_finish();
}
