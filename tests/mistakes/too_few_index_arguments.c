/* SPDX-License-Identifier: Apache-2.0
 * too_few_index_arguments.c -- an index has more placeholders than arguments.
 * answer: how-do-i-index
 * says: TypeError: at: index "%, %" has 2 placeholders, but was given 1 argument */
#include <kiln/kiln.h>

int main(void)
{
    KN_SCOPE;
    kn_array m = kn_ones(KN_SHAPE(2, 3));
    int i = 1;
    kn_print(kn_at(m, "%, %", i)); /* here */
    return kn_finish();
}
