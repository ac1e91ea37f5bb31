/* SPDX-License-Identifier: Apache-2.0
 * carry_of_another_dtype.c -- the body of a loop returns another dtype than it takes.
 * answer: why-does-a-carry-keep-its-type
 * says: TypeError: fori_loop: body function carry input and carry output must have equal types, but they differ: the input carry component carry has type int32[1] but the corresponding output carry component has type float64[1], so the dtypes do not match */
#include <kiln/kiln.h>

static kn_array half(const kn_array *i, const kn_array *x) { return (void)i, kn_div(*x, 2); }
KN_FUNCTION(half, kn_array, kn_array, kn_array)

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_of(int, 8), y;
    kn_fori_loop(0, 3, KN_FN(half), &y, &x); /* here */
    return kn_finish();
}
