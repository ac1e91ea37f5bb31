/* SPDX-License-Identifier: Apache-2.0
 * conv.h -- dimension numbers of convolutions, as the parameters of the primitive have them. */
#ifndef KN_LAX_CONV_H
#define KN_LAX_CONV_H
#include "lax/internal.h"

/* Of lhs, rhs and the result. */
typedef struct knlax_conv_specs {
    int n[3];
    int64_t v[3][KN_MAX_NDIM];
} knlax_conv_specs;

/* What `given` means for arrays of these shapes: TypeError in JAX's words. */
void knlax_conv_specs_of(kna_op *op, const kn_lax_conv_numbers *given, int lhs_ndim, const int64_t *lhs, int rhs_ndim,
                         const int64_t *rhs, knlax_conv_specs *s);
#endif
