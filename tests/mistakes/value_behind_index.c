/* SPDX-License-Identifier: Apache-2.0
 * value_behind_index.c -- kn_set_at with the index before the value.
 * answer: how-do-i-index
 * gcc: kn_array_or_number
 * clang: kn_array_or_number */
#include <kiln/kiln.h>

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2);
    kn_set_at(x, "0", 7);
    kn_print(x);
    return kn_finish();
}
