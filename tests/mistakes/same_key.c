/* SPDX-License-Identifier: Apache-2.0
 * same_key.c -- a key gives the same numbers each time.
 * answer: why-are-my-random-numbers-always-the-same
 * prints: equal: 1 */
#include <kiln/kiln.h>

int main(void)
{
    KN_SCOPE;
    kn_array key = kn_random_key(0); /* kn_random_fold_in(key, i), or kn_random_split */
    kn_array a = kn_random_normal(key, KN_SHAPE(3)), b = kn_random_normal(key, KN_SHAPE(3));
    kn_printf("equal: %d\n", kn_array_equal(a, b));
    return kn_finish();
}
