/* SPDX-License-Identifier: Apache-2.0
 * changed_global.c -- a global variable is read while the function is recorded, and never again.
 * answer: why-does-my-function-not-see-a-change
 * prints: [2. 3.] [2. 3.] */
#include <kiln/kiln.h>

static double step = 1;
static kn_array f(const kn_array *a) { return kn_add(*a, step); } /* make it an argument, or KN_FUNCTION_ENV */
KN_FUNCTION(f, kn_array, kn_array)

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2), before, after;
    kn_call(kn_jit(KN_FN(f)), &before, &x);
    step = 10;
    kn_call(kn_jit(KN_FN(f)), &after, &x);
    printf("%s %s\n", (kn_array_str)(before, NULL), (kn_array_str)(after, NULL));
    return kn_finish();
}
