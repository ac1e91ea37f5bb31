/* SPDX-License-Identifier: Apache-2.0
 * released.c -- an array of an inner scope is used after it.
 * answer: why-was-my-array-released
 * says: ValueError: print: this array was released: the scope that owned it has ended */
#include <kiln/kiln.h>

int main(void)
{
    KN_SCOPE;
    kn_array last = NULL;
    for (int i = 0; i < 3; i++) {
        KN_SCOPE;
        last = kn_full(KN_SHAPE(2), i);
    }
    kn_print(last); /* here */
    return kn_finish();
}
