/* SPDX-License-Identifier: Apache-2.0
 * main.c -- the smallest program of a user: prints [1. 1. 1.]. */
#include <kiln/kiln.h>

int main(void)
{
    KN_SCOPE;
    kn_print(kn_add(kn_zeros(KN_SHAPE(3)), 1));
    return kn_shutdown();
}
