/* SPDX-License-Identifier: Apache-2.0
 * forgotten_ampersand.c -- an argument of kn_call without &.
 * answer: why-do-arguments-have-an-ampersand
 * gcc: invalid application of 'sizeof' to incomplete type 'struct kn_array_s'
 * clang: invalid application of 'sizeof' to an incomplete type 'struct kn_array_s' */
#include <kiln/kiln.h>

static kn_array f(const kn_array *a) { return kn_sum(kn_square(*a)); }
KN_FUNCTION(f, kn_array, kn_array)

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), y;
    kn_call(KN_FN(f), &y, x);
    kn_print(y);
    return kn_finish();
}
