/* SPDX-License-Identifier: Apache-2.0
 * printf_of_array.c -- printf in place of kn_printf.
 * answer: how-do-i-print
 * gcc: expects argument of type 'double'
 * clang: format specifies type 'double' but the argument has type 'kn_array' */
#include <kiln/kiln.h>

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2);
    printf("%g\n", kn_sum(x));
    return kn_finish();
}
