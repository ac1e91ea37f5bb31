/* SPDX-License-Identifier: Apache-2.0
 * first.c -- the smallest program that differentiates and compiles something: how large it is, linked statically and
 * stripped, and how long it runs from start to end, is measured by the bench. */
#include <kiln/kiln.h>

static kn_array energy(const kn_array *x) { return kn_sum(kn_mul(kn_sin(*x), kn_exp(kn_neg(*x)))); }
KN_FUNCTION(energy, kn_array, kn_array)

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_arange(0, 10, 1, .dtype = KN_F32), g;
    kn_call(kn_jit(kn_grad(KN_FN(energy))), &g, &x);
    return kn_item(kn_sum(g)) > 0 ? 0 : 1;
}
