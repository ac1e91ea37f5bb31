/* SPDX-License-Identifier: Apache-2.0
 * result_ignored.c -- kn_add gives a new array.
 * answer: why-did-nothing-change
 * prints: [1. 2.] */
#include <kiln/kiln.h>

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2);
    kn_add(x, 1); /* kn_iadd(x, 1), or x = kn_add(x, 1) */
    kn_print(x);
    return kn_finish();
}
