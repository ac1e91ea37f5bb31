/* SPDX-License-Identifier: Apache-2.0
 * branch_on_value.c -- a C if looks at a value while the function is recorded.
 * answer: why-is-the-value-not-known
 * says: ConcretizationError: item: the value of float64[] is not known while f is traced by jit; use kn_cond or kn_where */
#include <kiln/kiln.h>

static kn_array f(const kn_array *a)
{
    if (kn_item(*a) > 0) /* here */
        return kn_sqrt(*a);
    return kn_neg(*a);
}
KN_FUNCTION(f, kn_array, kn_array)

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_scalar(4.0), y;
    kn_call(kn_jit(KN_FN(f)), &y, &x);
    return kn_finish();
}
