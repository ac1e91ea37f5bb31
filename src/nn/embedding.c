/* SPDX-License-Identifier: Apache-2.0
 * embedding.c -- rows of tables, and products with all of them. */
#include "kiln/nn.h"
#include "lib/compose.h"
#include "nn/operand.h"

/* ---- Tables. */

kn_array kn_nn_embed(kn_array table, kn_array ids, const kn_nn_embed_opts *opts)
{
    knl_body c;
    knl_begin(&c, "nn_embed");
    KNX_OPTS(kn_nn_embed_opts, o, opts);
    kni_type t = kna_type(&c.op, table);
    knnn_need_integers(&c.op, ids, "ids");
    if (!kna_failed(&c.op) && t.ndim == 0)
        kna_fail(&c.op, KN_ERROR_VALUE, "the table must have an axis for its rows, but is a scalar");
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    kn_array y = kn_take(table, ids, KNL_WITH(kn_take_opts, .axis = knl_one_axis(0), .mode = o.mode));
    if (!o.padding_id)
        return knl_end(&c, y);
    knnn_need_integers(&c.op, o.padding_id, "padding_id");
    kni_builder *b = c.op.b;
    kni_atom rows = kna_in(&c.op, y), id = kna_in_as(&c.op, ids, KN_DT(I64));
    kni_type ty = knb_type(b, rows), ti = knb_type(b, id);
    if (!kna_failed(&c.op) && kna_type(&c.op, o.padding_id).ndim)
        kna_fail(&c.op, KN_ERROR_VALUE, "padding_id must be a single number");
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    int64_t front[KN_MAX_NDIM];
    for (int i = 0; i < ti.ndim; i++)
        front[i] = i;
    kni_atom padding = knb_eq(b, id, kna_in_as(&c.op, o.padding_id, KN_DT(I64)));
    padding = knb_broadcast_in_dim(b, padding, ty.ndim, ty.dim, front);
    return knl_end(&c, knl_made(&c, knb_select(b, padding, knb_stop_gradient(b, rows), rows)));
}

kn_array kn_nn_embed_attend(kn_array x, kn_array table, const kn_nn_embed_attend_opts *opts)
{
    kna_op op;
    kna_begin(&op, "nn_embed_attend");
    KNX_OPTS(kn_nn_embed_attend_opts, o, opts);
    knnn_float d = knnn_floats(&op, 2, (kn_array[]){x, table});
    kni_type t = kna_type(&op, x), tt = kna_type(&op, table);
    knx_text s = {0}, u = {0};
    if (!kna_failed(&op) && (tt.ndim != 2 || t.ndim < 1 || !knx_dim_eq(t.dim[t.ndim - 1], tt.dim[1])))
        kna_fail(&op, KN_ERROR_VALUE, "x of shape (..., D) and a table of shape (V, D) are needed, but got %s and %s",
                 knx_show_shape(&s, t.ndim, t.dim), knx_show_shape(&u, tt.ndim, tt.dim));
    kn_dtype result = kna_failed(&op) ? d.stored : kna_lookup_dtype(o.dtype, d.stored);
    if (!kna_failed(&op) && !knx_is_float(result))
        kna_fail(&op, KN_ERROR_TYPE, "dtype must be a float, but is %s", result->name);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    int64_t last = t.ndim - 1, one = 1;
    kni_p_dot_general p = {.lhs_contract = {1, &last}, .rhs_contract = {1, &one}};
    p.preferred_element_type = result == d.stored ? NULL : result;
    kni_atom a = kna_in_as(&op, x, d.stored);
    return kna_end(&op, knb_dot_general(op.b, a, kna_in_as(&op, table, d.stored), &p));
}
