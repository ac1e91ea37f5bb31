/* SPDX-License-Identifier: Apache-2.0
 * hello.c -- the first program: a function, its derivative over an array, compiled. */
#include <kiln/kiln.h>

static kn_array f(const kn_array *x) { return kn_sum(kn_mul(kn_sin(*x), kn_exp(kn_neg(*x)))); }
KN_FUNCTION(f, kn_array, kn_array)

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_linspace(0, 1, 5), slope;
    kn_call(kn_jit(kn_grad(KN_FN(f))), &slope, &x);
    kn_print(slope);
    return kn_finish();
}
