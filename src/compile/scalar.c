/* SPDX-License-Identifier: Apache-2.0
 * scalar.c -- loops and branches as kernels: what their jaxprs are at one point. */
#include "compile/scalar.h"

kn_error *knc_scalar_kernel(knc_plan *p, const kn_eqn *e, knc_scalar *out)
{
    (void)p, (void)e;
    *out = (knc_scalar){0};
    knx_text_add(&out->why, "nothing becomes a kernel yet");
    return NULL;
}
