/* SPDX-License-Identifier: Apache-2.0
 * other_arguments.c -- KN_FUNCTION lists fewer arguments than the function has.
 * answer: why-kn_function
 * gcc: too few arguments to function
 * clang: too few arguments to function call, expected 2, have 1 */
#include <kiln/kiln.h>

static kn_array f(const kn_array *a, const kn_array *b) { return kn_dot(*a, *b); }
KN_FUNCTION(f, kn_array, kn_array)

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), y;
    kn_call(KN_FN(f), &y, &x, &x);
    kn_print(y);
    return kn_finish();
}
