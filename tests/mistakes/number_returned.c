/* SPDX-License-Identifier: Apache-2.0
 * number_returned.c -- a function returns a number in place of an array.
 * answer: when-do-i-need-kn_num
 * gcc: returning type 'double' but 'kn_array'
 * clang: with incompatible result type 'kn_array' */
#include <kiln/kiln.h>

static kn_array unit(void) { return 1.0; }

int main(void)
{
    KN_SCOPE;
    kn_print(unit());
    return kn_finish();
}
