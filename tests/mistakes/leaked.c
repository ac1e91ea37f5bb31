/* SPDX-License-Identifier: Apache-2.0
 * leaked.c -- a traced array is kept in a global variable.
 * answer: what-is-a-leaked-tracer
 * says: LeakedTracerError: print: a traced value of type float64[2] escaped from f while it was traced by jit; return it from the function instead */
#include <kiln/kiln.h>

static kn_array kept;
static kn_array f(const kn_array *a)
{
    kn_assign(&kept, kn_mul(*a, 2));
    return kn_sum(kept);
}
KN_FUNCTION(f, kn_array, kn_array)

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), y;
    kn_call(kn_jit(KN_FN(f)), &y, &x);
    kn_print(kept); /* here */
    return kn_finish();
}
