/* SPDX-License-Identifier: Apache-2.0
 * number_as_index.c -- an index is a number, not a string.
 * answer: how-do-i-index
 * gcc: from 'int' makes pointer from integer
 * clang: incompatible integer to pointer conversion */
#include <kiln/kiln.h>

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2);
    kn_print(kn_at(x, 1));
    return kn_finish();
}
