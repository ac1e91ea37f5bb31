/* SPDX-License-Identifier: Apache-2.0
 * number_as_option.c -- an option that may be an array is given as a number.
 * answer: when-do-i-need-kn_num
 * gcc: incompatible types when initializing type 'struct kn_array_s *' using type 'double'
 * clang: 'kn_array' (aka 'struct kn_array_s *') with an expression of incompatible type 'double' */
#include <kiln/kiln.h>

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2);
    kn_print(kn_sum(x, .initial = 1.0));
    return kn_finish();
}
