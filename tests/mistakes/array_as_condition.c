/* SPDX-License-Identifier: Apache-2.0
 * array_as_condition.c -- a handle is always true.
 * answer: why-is-my-if-always-taken
 * prints: taken */
#include <kiln/kiln.h>

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_scalar(1.0);
    if (kn_less(x, 0)) /* kn_item_bool(kn_less(x, 0)) */
        puts("taken");
    return kn_finish();
}
