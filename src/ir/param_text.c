/* SPDX-License-Identifier: Apache-2.0
 * param_text.c -- texts of parameters that are made of several members or of the operands: dimension numbers,
 * padding, shapes. */
#include "ir/params.h"
#include <inttypes.h>
#include <stdio.h>

void kni_show_int(kn_str *t, int64_t v)
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%" PRId64, v);
    knx_str_add(t, digits, (size_t)n);
}

void kni_show_ints(kn_str *t, const char *open, kn_ints v, const char *close, bool tuple)
{
    knx_str_puts(t, open);
    for (int i = 0; i < v.n; i++) {
        if (i)
            knx_str_puts(t, ", ");
        kni_show_int(t, v.v[i]);
    }
    if (tuple && v.n == 1)
        knx_str_puts(t, ",");
    knx_str_puts(t, close);
}

static void show_member(kn_str *t, const char *name, kn_ints v)
{
    knx_str_puts(t, name);
    kni_show_ints(t, "=(", v, ")", true);
}

void kni_show_gather(kn_str *t, kn_jaxpr_form form, const kni_jaxpr *j, const kn_eqn *e)
{
    (void)form, (void)j;
    const kn_p_gather *p = e->params;
    show_member(t, "GatherDimensionNumbers(offset_dims", p->offset_dims);
    show_member(t, ", collapsed_slice_dims", p->collapsed_slice_dims);
    show_member(t, ", start_index_map", p->start_index_map);
    show_member(t, ", operand_batching_dims", p->operand_batching_dims);
    show_member(t, ", start_indices_batching_dims", p->start_indices_batching_dims);
    knx_str_puts(t, ")");
}

void kni_show_scatter(kn_str *t, kn_jaxpr_form form, const kni_jaxpr *j, const kn_eqn *e)
{
    (void)form, (void)j;
    const kn_p_scatter *p = e->params;
    show_member(t, "ScatterDimensionNumbers(update_window_dims", p->update_window_dims);
    show_member(t, ", inserted_window_dims", p->inserted_window_dims);
    show_member(t, ", scatter_dims_to_operand_dims", p->scatter_dims_to_operand_dims);
    show_member(t, ", operand_batching_dims", p->operand_batching_dims);
    show_member(t, ", scatter_indices_batching_dims", p->scatter_indices_batching_dims);
    knx_str_puts(t, ")");
}

/* Lists today, tuples in 2020. */
void kni_show_dot_general(kn_str *t, kn_jaxpr_form form, const kni_jaxpr *j, const kn_eqn *e)
{
    (void)j;
    const kn_p_dot_general *p = e->params;
    bool tuple = form == KN_FORM_CLASSIC;
    const char *open = tuple ? "(" : "[", *close = tuple ? ")" : "]";
    knx_str_puts(t, "((");
    kni_show_ints(t, open, p->lhs_contract, close, tuple);
    knx_str_puts(t, ", ");
    kni_show_ints(t, open, p->rhs_contract, close, tuple);
    knx_str_puts(t, "), (");
    kni_show_ints(t, open, p->lhs_batch, close, tuple);
    knx_str_puts(t, ", ");
    kni_show_ints(t, open, p->rhs_batch, close, tuple);
    knx_str_puts(t, "))");
}

void kni_show_pad(kn_str *t, kn_jaxpr_form form, const kni_jaxpr *j, const kn_eqn *e)
{
    (void)form, (void)j;
    const kn_p_pad *p = e->params;
    knx_str_puts(t, "(");
    for (int i = 0; i < p->lo.n; i++) {
        int64_t axis[3] = {p->lo.v[i], i < p->hi.n ? p->hi.v[i] : 0, i < p->interior.n ? p->interior.v[i] : 0};
        if (i)
            knx_str_puts(t, ", ");
        kni_show_ints(t, "(", (kn_ints){3, axis}, ")", true);
    }
    knx_str_puts(t, p->lo.n == 1 ? ",)" : ")");
}

void kni_show_in_shape(kn_str *t, kn_jaxpr_form form, const kni_jaxpr *j, const kn_eqn *e)
{
    (void)form;
    kn_type x = kni_atom_type(j, e->in[0]);
    kni_show_ints(t, "(", (kn_ints){x.ndim, x.dim}, ")", true);
}

void kni_show_in_dtype(kn_str *t, kn_jaxpr_form form, const kni_jaxpr *j, const kn_eqn *e)
{
    (void)form;
    knx_str_puts(t, kni_atom_type(j, e->in[0]).dtype->name);
}
