/* SPDX-License-Identifier: Apache-2.0
 * param_text.c -- texts of parameters that are made of several members or of the operands: dimension numbers,
 * padding, shapes. */
#include "ir/host.h"
#include <inttypes.h>
#include <stdio.h>

void kni_show_int(knx_str *t, int64_t v)
{
    char digits[24];
    if (knx_is_symbolic(v)) {
        knx_dim_text(t, v);
        return;
    }
    int n = snprintf(digits, sizeof digits, "%" PRId64, v);
    knx_str_add(t, digits, (size_t)n);
}

void kni_show_ints(knx_str *t, const char *open, kni_ints v, const char *close, bool tuple)
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

static void show_member(knx_str *t, const char *name, kni_ints v)
{
    knx_str_puts(t, name);
    kni_show_ints(t, "=(", v, ")", true);
}

void kni_show_gather(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e)
{
    (void)form, (void)j;
    const kni_p_gather *p = e->params;
    show_member(t, "GatherDimensionNumbers(offset_dims", p->offset_dims);
    show_member(t, ", collapsed_slice_dims", p->collapsed_slice_dims);
    show_member(t, ", start_index_map", p->start_index_map);
    show_member(t, ", operand_batching_dims", p->operand_batching_dims);
    show_member(t, ", start_indices_batching_dims", p->start_indices_batching_dims);
    knx_str_puts(t, ")");
}

/* What stands where an index was out of bounds. */
void kni_show_fill_value(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e)
{
    int64_t mode = ((const kni_p_gather *)e->params)->mode;
    kn_dtype d = kni_atom_type(j, e->in[0]).dtype;
    int bits = 8 * d->size;
    (void)form;
    if (mode != KN_GATHER_FILL)
        knx_str_puts(t, mode == KN_GATHER_FILL_ZERO ? "0" : "None");
    else if (knx_is_inexact(d))
        knx_str_puts(t, "nan");
    else if (d->kind == KN_KIND_BOOL)
        knx_str_puts(t, "True");
    else if (d->kind == 'i')
        kni_show_int(t, INT64_MIN >> (64 - bits));
    else {
        char text[24];
        snprintf(text, sizeof text, "%llu", (unsigned long long)(UINT64_MAX >> (64 - bits)));
        knx_str_puts(t, text);
    }
}

void kni_show_scatter(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e)
{
    (void)form, (void)j;
    const kni_p_scatter *p = e->params;
    show_member(t, "ScatterDimensionNumbers(update_window_dims", p->update_window_dims);
    show_member(t, ", inserted_window_dims", p->inserted_window_dims);
    show_member(t, ", scatter_dims_to_operand_dims", p->scatter_dims_to_operand_dims);
    show_member(t, ", operand_batching_dims", p->operand_batching_dims);
    show_member(t, ", scatter_indices_batching_dims", p->scatter_indices_batching_dims);
    knx_str_puts(t, ")");
}

void kni_show_in_zeros(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e)
{
    (void)form, (void)j;
    const kni_p_custom_lin *p = e->params;
    knx_str_puts(t, "[");
    for (int i = 0; i < p->in_zeros.n; i++) {
        knx_str_puts(t, i ? ", " : "");
        knx_str_puts(t, p->in_zeros.v[i] ? "True" : "False");
    }
    knx_str_puts(t, "]");
}

static void show_truths(knx_str *t, kni_ints v)
{
    knx_str_puts(t, "(");
    for (int i = 0; i < v.n; i++) {
        knx_str_puts(t, i ? ", " : "");
        knx_str_puts(t, v.v[i] ? "True" : "False");
    }
    knx_str_puts(t, v.n == 1 ? ",)" : ")");
}

void kni_show_mapped(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e)
{
    (void)form, (void)j;
    show_truths(t, ((const kni_p_pmap *)e->params)->mapped);
}

void kni_show_mesh(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e)
{
    const kni_mesh *m = ((const kni_p_shard_map *)e->params)->mesh;
    (void)form, (void)j;
    knx_str_puts(t, "Mesh(");
    for (int i = 0; i < m->n_axis; i++)
        knx_str_printf(t, "'%s': %lld, ", m->name[i], (long long)m->size[i]);
    knx_str_puts(t, "axis_types=(");
    for (int i = 0; i < m->n_axis; i++)
        knx_str_puts(t, i ? ", Auto" : "Auto");
    knx_str_puts(t, m->n_axis == 1 ? ",))" : "))");
}

void kni_show_manual_axes(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e)
{
    const kni_mesh *m = ((const kni_p_shard_map *)e->params)->mesh;
    (void)form, (void)j;
    knx_str_puts(t, m->n_axis ? "frozenset({" : "frozenset(");
    for (int i = 0; i < m->n_axis; i++)
        knx_str_printf(t, "%s'%s'", i ? ", " : "", m->name[i]);
    knx_str_puts(t, m->n_axis ? "})" : ")");
}

/* Names, one a line, as a frozenset of Python. */
static void show_names(knx_str *t, const char *member, const char *names)
{
    knx_str_puts(t, member);
    knx_str_puts(t, names && *names ? "=frozenset({'" : "=frozenset()");
    for (const char *s = names; s && *s; s++)
        if (*s == '\n')
            knx_str_puts(t, "', '");
        else
            knx_str_add(t, s, 1);
    knx_str_puts(t, names && *names ? "'}))" : ")");
}

void kni_show_policy(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e)
{
    (void)form, (void)j;
    const kni_p_remat *p = e->params;
    switch ((kni_save_policy)p->policy) {
    case KN_SAVE_NOTHING: knx_str_puts(t, "None"); break;
    case KN_SAVE_EVERYTHING: knx_str_puts(t, "<function everything_saveable>"); break;
    case KN_SAVE_PRODUCTS: knx_str_puts(t, "DotsSaveable(only_if_no_batch_dims=False)"); break;
    case KN_SAVE_PRODUCTS_WITHOUT_BATCH: knx_str_puts(t, "DotsSaveable(only_if_no_batch_dims=True)"); break;
    case KN_SAVE_THESE_NAMES: show_names(t, "SaveOnlyTheseNames(saveable_names", p->names); break;
    case KN_SAVE_OTHER_NAMES: show_names(t, "SaveAnyNamesButThese(names", p->names); break;
    }
}

/* Lists today, tuples in 2020. */
void kni_show_dot_general(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e)
{
    (void)j;
    const kni_p_dot_general *p = e->params;
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

void kni_show_conv_numbers(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e)
{
    (void)form, (void)j;
    const kni_p_conv *p = e->params;
    show_member(t, "ConvDimensionNumbers(lhs_spec", p->lhs_spec);
    show_member(t, ", rhs_spec", p->rhs_spec);
    show_member(t, ", out_spec", p->out_spec);
    knx_str_puts(t, ")");
}

void kni_show_conv_padding(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e)
{
    (void)form, (void)j;
    const kni_p_conv *p = e->params;
    knx_str_puts(t, "(");
    for (int i = 0; i < p->lo.n; i++) {
        int64_t axis[2] = {p->lo.v[i], i < p->hi.n ? p->hi.v[i] : 0};
        knx_str_puts(t, i ? ", " : "");
        kni_show_ints(t, "(", (kni_ints){2, axis}, ")", true);
    }
    knx_str_puts(t, p->lo.n == 1 ? ",)" : ")");
}

void kni_show_conv_preferred(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e)
{
    kn_dtype d = ((const kni_p_conv *)e->params)->preferred_element_type;
    (void)form, (void)j;
    knx_str_puts(t, d ? d->name : "None");
}

void kni_show_pad(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e)
{
    (void)form, (void)j;
    const kni_p_pad *p = e->params;
    knx_str_puts(t, "(");
    for (int i = 0; i < p->lo.n; i++) {
        int64_t axis[3] = {p->lo.v[i], i < p->hi.n ? p->hi.v[i] : 0, i < p->interior.n ? p->interior.v[i] : 0};
        if (i)
            knx_str_puts(t, ", ");
        kni_show_ints(t, "(", (kni_ints){3, axis}, ")", true);
    }
    knx_str_puts(t, p->lo.n == 1 ? ",)" : ")");
}

void kni_show_window_padding(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e)
{
    (void)form, (void)j;
    const kni_p_window *p = e->params;
    knx_str_puts(t, "(");
    for (int i = 0; i < p->lo.n; i++) {
        int64_t axis[2] = {p->lo.v[i], i < p->hi.n ? p->hi.v[i] : 0};
        if (i)
            knx_str_puts(t, ", ");
        kni_show_ints(t, "(", (kni_ints){2, axis}, ")", true);
    }
    knx_str_puts(t, p->lo.n == 1 ? ",)" : ")");
}

void kni_show_in_shape(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e)
{
    (void)form;
    kni_type x = kni_atom_type(j, e->in[0]);
    kni_show_ints(t, "(", (kni_ints){x.ndim, x.dim}, ")", true);
}

void kni_show_second_shape(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e)
{
    (void)form;
    kni_type x = kni_atom_type(j, e->in[1]);
    kni_show_ints(t, "(", (kni_ints){x.ndim, x.dim}, ")", true);
}

void kni_show_in_dtype(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e)
{
    (void)form;
    knx_str_puts(t, kni_atom_type(j, e->in[0]).dtype->name);
}

void kni_show_pairs(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e)
{
    kni_ints v = ((const kni_p_ppermute *)e->params)->perm;
    (void)form, (void)j;
    knx_str_puts(t, "(");
    for (int i = 0; i + 1 < v.n; i += 2) {
        knx_str_puts(t, i ? ", (" : "(");
        kni_show_int(t, v.v[i]);
        knx_str_puts(t, ", ");
        kni_show_int(t, v.v[i + 1]);
        knx_str_puts(t, ")");
    }
    knx_str_puts(t, v.n == 2 ? ",)" : ")");
}

/* The user's code */

void kni_show_placeholders(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e)
{
    const char *s = ((const kni_p_callback *)e->params)->fmt;
    bool any = false;
    (void)form, (void)j;
    for (; *s && !any; s++) {
        any = *s == '{' && s[1] != '{';
        s += (*s == '{' || *s == '}') && s[1] == *s;
    }
    knx_str_puts(t, any ? "True" : "False");
}

void kni_show_in_tree(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e)
{
    (void)form, (void)j;
    knx_str_puts(t, "PyTreeDef(((");
    for (uint32_t i = 0; i < e->n_in; i++)
        knx_str_puts(t, i ? ", *" : "*");
    knx_str_puts(t, e->n_in == 1 ? ",), {}))" : "), {}))");
}

void kni_show_host(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e)
{
    const kni_host *h = kni_host_find(((const kni_p_callback *)e->params)->callback);
    (void)form, (void)j;
    knx_str_puts(t, "<host function ");
    if (h)
        kni_show_int(t, h->number);
    knx_str_puts(t, h ? ">" : "of another process>");
}

void kni_show_effect(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e)
{
    (void)form, (void)j;
    knx_str_puts(t, ((const kni_p_callback *)e->params)->ordered ? "OrderedDebug" : "Debug");
}

void kni_show_results(knx_str *t, kni_jaxpr_form form, const kni_jaxpr *j, const kni_eqn *e)
{
    kni_ints list = ((const kni_p_callback *)e->params)->results;
    int n = kni_types_count(list);
    (void)form, (void)j;
    knx_str_puts(t, "(");
    for (int i = 0; i < n; i++) {
        kni_type type = kni_types_get(list, i);
        knx_str_puts(t, i ? ", ShapedArray(" : "ShapedArray(");
        knx_str_puts(t, type.dtype->name);
        knx_str_puts(t, "[");
        for (int d = 0; d < type.ndim; d++) {
            knx_str_puts(t, d ? "," : "");
            kni_show_int(t, type.dim[d]);
        }
        knx_str_puts(t, "])");
    }
    knx_str_puts(t, n == 1 ? ",)" : ")");
}
