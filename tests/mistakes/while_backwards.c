/* SPDX-License-Identifier: Apache-2.0
 * while_backwards.c -- the gradient of a while without a bound.
 * answer: why-has-my-while-no-gradient
 * says: ValueError: grad: Reverse-mode differentiation does not work for lax.while_loop or lax.fori_loop with dynamic start/stop values. Try using lax.scan, or using fori_loop with static start/stop. */
#include <kiln/kiln.h>

static kn_array small(const kn_array *x) { return kn_less(*x, 100); }
static kn_array doubled(const kn_array *x) { return kn_mul(*x, 2); }
KN_FUNCTION(small, kn_array, kn_array)
KN_FUNCTION(doubled, kn_array, kn_array)

static kn_array f(const kn_array *x)
{
    kn_array y;
    kn_while_loop(KN_FN(small), KN_FN(doubled), &y, x); /* here */
    return y;
}
KN_FUNCTION(f, kn_array, kn_array)

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_scalar(3.0), y;
    kn_call(kn_grad(KN_FN(f)), &y, &x);
    return kn_finish();
}
