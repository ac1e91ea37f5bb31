/* SPDX-License-Identifier: Apache-2.0
 * float_as_index.c -- a floating-point number is given for a placeholder of an index.
 * answer: how-do-i-index
 * gcc: selector of type 'double' is not compatible with any association
 * clang: controlling expression type 'double' not compatible with any generic association type */
#include <kiln/kiln.h>

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_of(double, 1, 2);
    kn_print(kn_at(x, "%", 1.0));
    return kn_finish();
}
