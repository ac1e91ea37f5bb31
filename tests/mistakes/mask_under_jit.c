/* SPDX-License-Identifier: Apache-2.0
 * mask_under_jit.c -- how many elements a mask takes depends on values.
 * answer: why-is-the-value-not-known
 * says: ConcretizationError: at: the value of bool[2] is not known while f is traced by jit; use kn_cond or kn_where */
#include <kiln/kiln.h>

static kn_array f(const kn_array *a) { return kn_sum(kn_at(*a, "%", kn_greater(*a, 0))); /* here */ }
KN_FUNCTION(f, kn_array, kn_array)

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_of(double, -1, 2), y;
    kn_call(kn_jit(KN_FN(f)), &y, &x);
    return kn_finish();
}
