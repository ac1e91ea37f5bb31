/* SPDX-License-Identifier: Apache-2.0
 * option_misspelt.c -- an option that the function does not have.
 * answer: how-do-i-read-the-compilers-messages
 * gcc: has no member named 'axes'
 * clang: does not refer to any field */
#include <kiln/kiln.h>

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2);
    kn_print(kn_sum(x, .axes = KN_AXIS(0)));
    return kn_finish();
}
