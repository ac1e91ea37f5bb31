/* SPDX-License-Identifier: Apache-2.0
 * no_kn_function.c -- a C function that KN_FUNCTION has not described.
 * answer: why-kn_function
 * gcc: kn_function_of_f
 * clang: kn_function_of_f */
#include <kiln/kiln.h>

static kn_array f(const kn_array *a) { return kn_sum(kn_square(*a)); }

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), y;
    kn_call(kn_grad(KN_FN(f)), &y, &x);
    kn_print(y);
    return kn_finish();
}
