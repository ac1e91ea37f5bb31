/* SPDX-License-Identifier: Apache-2.0
 * core.c -- a program with the core alone: the derivative of a function that comes as text; prints [6. 3.]. */
#include <kiln/kiln.h>

int main(void)
{
    KN_SCOPE;
    kn_array x = kn_of(double, 3, 1.5), slope;
    kn_jaxpr squares = kn_jaxpr_parse_classic("{ lambda ; a.\n"
                                              "  let b = mul a a\n"
                                              "      c = reduce_sum[axes=(0,)] b\n"
                                              "  in c }",
                                              KN_LIST(x));
    kn_call(kn_jit(kn_grad(kn_fn_from_jaxpr(squares))), &slope, &x);
    kn_print(slope);
    return kn_shutdown();
}
