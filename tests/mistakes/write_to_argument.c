/* SPDX-License-Identifier: Apache-2.0
 * write_to_argument.c -- a transformed function writes to its argument.
 * answer: why-may-i-not-write-to-an-argument
 * says: MutationError: f: write to argument 0 (float64[2]) under jit: the caller would see it; copy it first with kn_copy */
#include <kiln/kiln.h>

static kn_array f(const kn_array *a)
{
    kn_set_at(*a, 0, "0"); /* here */
    return *a;
}
KN_FUNCTION(f, kn_array, kn_array)

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), y;
    kn_call(kn_jit(KN_FN(f)), &y, &x);
    return kn_finish();
}
