/* SPDX-License-Identifier: Apache-2.0
 * float_into_integers.c -- a float is added to integers in place.
 * answer: why-does-a-write-keep-the-dtype
 * says: TypeError: iadd: Cannot cast ufunc 'add' output from dtype('float64') to dtype('int32') with casting rule 'same_kind' */
#include <kiln/kiln.h>

int main(void)
{
    KN_SCOPE;
    kn_array counts = kn_of(int, 1, 2);
    kn_iadd(counts, 0.5); /* here */
    return kn_finish();
}
