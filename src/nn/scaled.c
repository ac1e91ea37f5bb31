/* SPDX-License-Identifier: Apache-2.0
 * scaled.c -- products of stacks of matrices whose blocks have scales. */
#include "kiln/nn.h"
#include "nn/operand.h"

/* x in float32, its blocks along the last axis times their scales. */
static kni_atom scaled(kni_builder *b, kni_atom x, kni_atom scales)
{
    kni_type t = knb_type(b, x), ts = knb_type(b, scales);
    if (b->error || !ts.dim[2])
        return x;
    int64_t blocks[4] = {t.dim[0], t.dim[1], ts.dim[2], knx_dim_floordiv(t.dim[2], ts.dim[2])},
            dim[3] = {t.dim[0], t.dim[1], t.dim[2]};
    scales = knb_broadcast_in_dim(b, scales, 4, blocks, (int64_t[]){0, 1, 2});
    return knb_mul(b, x, knb_reshape(b, scales, 3, dim));
}

static bool shapes_fit(kna_op *op, const kni_type t[4])
{
    for (int i = 0; i < 4; i++)
        if (t[i].ndim != 3) {
            kna_fail(op, KN_ERROR_VALUE, "scaled_matmul requires all inputs to be 3-dimensional arrays");
            return false;
        }
    if (!knx_dim_eq(t[0].dim[0], t[1].dim[0]) || !knx_dim_eq(t[0].dim[2], t[1].dim[2]))
        kna_fail(op, KN_ERROR_VALUE,
                 "scaled_matmul requires inputs a and b to have matching batch (B) and contract (K) dimensions");
    else if (!knx_dim_eq(t[2].dim[0], t[3].dim[0]) || !knx_dim_eq(t[2].dim[2], t[3].dim[2]) ||
             !knx_dim_eq(t[2].dim[0], t[0].dim[0]))
        kna_fail(op, KN_ERROR_VALUE,
                 "scaled_matmul requires scales to have matching batch (B) and contract (K) dimensions");
    else if (!knx_dim_eq(t[2].dim[1], t[0].dim[1]) || !knx_dim_eq(t[3].dim[1], t[1].dim[1]))
        kna_fail(op, KN_ERROR_VALUE, "scaled_matmul requires scales to match non-contract dimensions of inputs");
    else if (!knx_dim_eq(t[2].dim[2] ? knx_dim_mod(t[0].dim[2], t[2].dim[2]) : t[0].dim[2], 0)) {
        knx_text s = {0}, u = {0};
        kna_fail(op, KN_ERROR_VALUE,
                 "scaled_matmul requires the contract (K) dimension %s to be a multiple of that of the scales, %s",
                 knx_dim_show(&s, t[0].dim[2]), knx_dim_show(&u, t[2].dim[2]));
    }
    return !kna_failed(op);
}

kn_array kn_nn_scaled_matmul(kn_array lhs, kn_array rhs, kn_array lhs_scales, kn_array rhs_scales,
                             const kn_nn_scaled_matmul_opts *opts)
{
    kna_op op;
    kna_begin(&op, "nn_scaled_matmul");
    kn_array given[4] = {lhs, rhs, lhs_scales, rhs_scales};
    kn_dtype result = kna_lookup_dtype(opts ? opts->preferred_element_type : NULL, KN_DT(F32));
    kni_atom x[4];
    kni_type t[4];
    for (int i = 0; i < 4; i++) {
        t[i] = kna_type(&op, given[i]);
        x[i] = kna_failed(&op) ? KN_ATOM_NONE : kna_in_as(&op, given[i], KN_DT(F32));
    }
    if (kna_failed(&op) || !shapes_fit(&op, t))
        return kna_end(&op, KN_ATOM_NONE);
    int64_t contract = 2, batch = 0;
    kni_p_dot_general p = {.lhs_contract = {1, &contract},
                           .rhs_contract = {1, &contract},
                           .lhs_batch = {1, &batch},
                           .rhs_batch = {1, &batch}};
    kni_atom y = knb_dot_general(op.b, scaled(op.b, x[0], x[2]), scaled(op.b, x[1], x[3]), &p);
    return kna_end(&op, knb_convert(op.b, y, result));
}
