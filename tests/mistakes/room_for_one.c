/* SPDX-License-Identifier: Apache-2.0
 * room_for_one.c -- a function returns a structure of two arrays, and the call has room for one.
 * answer: how-do-i-take-several-results
 * says: TypeError: both: returns 2 arrays, but there is room for 1 */
#include <kiln/kiln.h>

typedef struct {
    kn_array sum, mean;
} Both;

static Both both(const kn_array *x) { return (Both){kn_sum(*x), kn_mean(*x)}; }
KN_FUNCTION(both, Both, kn_array)

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), y;
    kn_call(KN_FN(both), &y, &x); /* here */
    return kn_finish();
}
