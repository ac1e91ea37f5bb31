/* SPDX-License-Identifier: Apache-2.0
 * classes.c -- what the planner asks the rows of primitives: how an equation is lowered, which index map its view has,
 * which dtype a part of its elements has in memory. */
#include "compile/plan.h"
#include <string.h>

static bool pulls(const kni_jaxpr *j, const kni_eqn *e)
{
    kni_type x[8]; /* rows with `pulls` have few operands */
    for (uint32_t i = 0; i < e->n_in && i < 8; i++)
        x[i] = kni_atom_type(j, e->in[i]);
    kni_rule r = kni_rule_of(e, x, NULL);
    return e->prim->pulls(&r);
}

knc_class knc_class_of(const kni_jaxpr *j, const kni_eqn *e)
{
    const kni_prim *p = e->prim;
    if (p->bits & KN_IDENTITY)
        return KNC_IDENTITY;
    if (p->reduction) /* a reduction over no axes joins nothing */
        return ((const kni_p_reduce *)e->params)->axes.n ? KNC_REDUCE : KNC_IDENTITY;
    if (p->map) {
        kni_type x = kni_atom_type(j, e->in[0]), y = j->type[e->out];
        kni_rule r = kni_rule_of(e, &x, &y);
        return p->map_exists && !p->map_exists(&r) ? KNC_RESHAPE : KNC_VIEW;
    }
    if (p->pulls)
        return pulls(j, e) ? KNC_EITHER : KNC_RUN;
    return p->expr                                        ? KNC_ELEMENTWISE
           : p->pull                                      ? KNC_PULL
           : p->run || p->product || (p->bits & KN_LOOPS) ? KNC_RUN
                                                          : KNC_UNKNOWN;
}

atomic_uint_fast64_t knc_read_looked;

const bool *knc_find_read(const kni_jaxpr *j, knx_arena *a)
{
    bool *read = knx_arena_zero(a, (size_t)j->n_var + 1);
    for (uint32_t k = 0; read && k < j->n_eqn; k++)
        for (uint32_t i = 0; i < j->eqn[k].n_in; i++)
            if (kni_is_var(j->eqn[k].in[i]))
                read[j->eqn[k].in[i]] = true;
    for (uint32_t k = 0; read && k < j->n_out; k++)
        if (kni_is_var(j->out[k]))
            read[j->out[k]] = true;
    atomic_fetch_add_explicit(&knc_read_looked, j->n_eqn, memory_order_relaxed);
    return read;
}

const bool *knc_read(knc_plan *p)
{
    if (!p->read)
        p->read = knc_find_read(p->j, &p->scratch);
    return p->read;
}

knx_dtype_id knc_part(kn_dtype d) { return (knx_dtype_id)knx_part(d)->id; }

kni_index *knc_new_index(knx_arena *a, int n_loop, int ndim)
{
    kni_index *i = knx_arena_alloc(a, sizeof *i);
    kni_index_axis *axis = knx_arena_zero(a, (size_t)(ndim > 0 ? ndim : 1) * sizeof *axis);
    if (!i || !axis)
        return NULL;
    for (int d = 0; d < ndim; d++)
        axis[d].node = KNK_NONE;
    *i = (kni_index){n_loop, ndim, axis};
    return i;
}

kni_index *knc_view_map(const kni_jaxpr *j, const kni_eqn *e, knx_arena *a)
{
    kni_type x = kni_atom_type(j, e->in[0]), y = j->type[e->out];
    kni_index *out = knc_new_index(a, y.ndim, y.ndim), *in = out ? knc_new_index(a, y.ndim, x.ndim) : NULL;
    if (!in)
        return NULL;
    for (int d = 0; d < y.ndim; d++)
        out->axis[d].coef[d] = 1;
    kni_rule r = kni_rule_of(e, &x, &y);
    e->prim->map(&r, out, in);
    return in;
}

bool knc_lies_in_order(const kni_jaxpr *j, const kni_eqn *e, knx_arena *a, int64_t *first)
{
    *first = 0;
    knc_class c = knc_class_of(j, e);
    if (c == KNC_IDENTITY || c == KNC_RESHAPE)
        return true;
    kni_type x = kni_atom_type(j, e->in[0]), y = j->type[e->out];
    if (c != KNC_VIEW || x.dtype != y.dtype)
        return false;
    if (!kni_type_size(y))
        return !kni_type_size(x);
    kni_index *in = knc_view_map(j, e, a);
    if (!in)
        return false;
    int64_t stride = 1, flat[KN_MAX_NDIM] = {0};
    for (int d = x.ndim - 1; d >= 0; stride = knx_dim_mul(stride, x.dim[d--])) {
        *first = knx_dim_add(*first, knx_dim_mul(stride, in->axis[d].offset));
        for (int l = 0; l < y.ndim; l++)
            flat[l] = knx_dim_add(flat[l], knx_dim_mul(stride, in->axis[d].coef[l]));
    }
    stride = 1;
    for (int l = y.ndim - 1; l >= 0; stride = knx_dim_mul(stride, y.dim[l--]))
        if (y.dim[l] > 1 && flat[l] != stride)
            return false;
    return true;
}

bool knc_spreads_scalar(const kni_jaxpr *j, const kni_eqn *e)
{
    return e->n_in == 1 && e->n_out == 1 && knc_class_of(j, e) == KNC_VIEW && !kni_atom_type(j, e->in[0]).ndim;
}

unsigned knc_looks(const kni_jaxpr *j, const kni_eqn *e)
{
    kni_type x[8]; /* rows with `looks` have few operands */
    if (!e->prim->looks)
        return 1;
    for (uint32_t i = 0; i < e->n_in && i < 8; i++)
        x[i] = kni_atom_type(j, e->in[i]);
    kni_rule r = kni_rule_of(e, x, NULL);
    int64_t n = e->prim->looks(&r);
    return n < 1 ? 1 : n < KNC_MANY_LOOKS ? (unsigned)n : KNC_MANY_LOOKS;
}
