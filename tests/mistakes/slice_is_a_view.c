/* SPDX-License-Identifier: Apache-2.0
 * slice_is_a_view.c -- a slice sees later writes.
 * answer: why-did-another-array-change
 * prints: [9. 2.] */
#include <kiln/kiln.h>

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2, 3), first = kn_at(x, ":2"); /* kn_copy(kn_at(x, ":2")) */
    kn_set_at(x, 9, "0");
    kn_print(first);
    return kn_finish();
}
