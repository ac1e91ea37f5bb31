/* SPDX-License-Identifier: Apache-2.0
 * indexing.c -- reading parts of arrays, written as in Python. */
#include <kiln/kiln.h>

int main(void)
{
    KN_SCOPE;
    kn_array m = kn_reshape(kn_arange(0, 6, 1), KN_SHAPE(2, 3)), rows = kn_of(int64_t, 2, 0, 0);
    kn_print(kn_at(m, "1, ::-1")); /* m[1, ::-1] */
    for (int i = 0; i < 2; i++)
        kn_print(kn_at(m, "..., %:%", i, i + 2)); /* each % takes the next argument */
    kn_print(kn_at(m, "%", kn_greater(m, 2)));    /* a mask */
    kn_print(kn_at(m, ":, %", rows));             /* an array of positions */
    kn_print(kn_at(m, "None, 0"));                /* a new axis */
    return kn_finish();
}
