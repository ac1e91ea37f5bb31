/* SPDX-License-Identifier: Apache-2.0
 * errors.c -- an error is carried by its result, and waits until somebody looks. */
#include <kiln/kiln.h>

int main(void)
{
    KN_SCOPE;
    kn_array bad = kn_add(kn_ones(KN_SHAPE(3, 4)), kn_ones(KN_SHAPE(3)));
    kn_array after = kn_sum(kn_sqrt(bad)); /* skipped */
    if (!kn_ok(after))
        printf("%s: %s (line %d)\n", kn_error_kind_name(), kn_error_message(), kn_error_line());
    kn_error_clear();
    kn_print(kn_sum(kn_ones(KN_SHAPE(3)))); /* everything still works */
    return kn_finish();
}
