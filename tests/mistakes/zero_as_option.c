/* SPDX-License-Identifier: Apache-2.0
 * zero_as_option.c -- .initial = 0 is a null pointer, that is: not given.
 * answer: when-do-i-need-kn_num
 * prints: -1.0 */
#include <kiln/kiln.h>

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_of(double, -3, -1);
    kn_print(kn_max(x, .initial = 0)); /* .initial = kn_num(0) */
    return kn_finish();
}
