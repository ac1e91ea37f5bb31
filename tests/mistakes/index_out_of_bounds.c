/* SPDX-License-Identifier: Apache-2.0
 * index_out_of_bounds.c -- an index beyond the end.
 * answer: how-do-i-index
 * says: IndexError: at: index 2 is out of bounds for axis 0 with size 2 */
#include <kiln/kiln.h>

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2);
    kn_print(kn_at(x, "2")); /* here */
    return kn_finish();
}
