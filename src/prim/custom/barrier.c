/* SPDX-License-Identifier: Apache-2.0
 * barrier.c -- copy and optimization_barrier: their operands, under other names.
 *
 *     type       the operands'
 *     jvp        the same of the tangents; optimization_barrier: zeros where there is none
 *     transpose  the same of the cotangents
 *     batch      every operand keeps its axis
 *     lower      copy is an alias; optimization_barrier expands into one for each operand. What is computed from an
 *                operand and what is computed from its other name are never made one.
 */
#include "prim/rules.h"

static knx_error *same_types(kni_rule *r, kni_type *y)
{
    r->n_out = r->n_in; /* there is room for as many results as operands */
    for (int i = 0; i < r->n_in; i++)
        KN_TRY(knp_type_like(r->arena, r->xt[i], r->xt[i].dtype, &y[i]));
    return NULL;
}

const kni_prim knp_prim_copy = {
    .name = "copy",
    .n_in = 1,
    .n_out = 1,
    .bits = KN_ELEMENTWISE | KN_CHEAP | KN_IDENTITY,
    .linear_in = 1,
    .factors = "... -> ...",
    .type = same_types,
    .jvp = knp_jvp_linear,
    .transpose = knp_transpose_same,
    .batch = knp_batch_elementwise,
    .expr = knp_expr_same,
    .cost = knp_cost_none,
    .doc = "x itself (np.copy of an array that nobody writes to)",
};

/* The barrier over the operands that have cotangents or tangents `t`, zeros standing for KN_ATOM_ZERO; `to` are those
 * of the others left alone. */
static knx_error *over_tangents(const kni_rule *r, const bool *wanted, const kni_atom *t, kni_atom *to)
{
    kni_atom *in = knx_arena_alloc(&r->b->arena, ((size_t)r->n_in + 1) * sizeof *in);
    if (!in)
        return knx_error_nomem();
    int n = 0;
    for (int i = 0; i < r->n_in; i++)
        if (wanted[i])
            in[n++] = knb_instantiate(r->b, t[i], r->xt[i]);
    knb_emit(r->b, r->prim, NULL, n, in, in, n);
    for (int i = 0, k = 0; i < r->n_in; i++)
        if (wanted[i])
            to[i] = in[k++];
    return NULL;
}

static void barrier_jvp(const kni_rule *r, const kni_atom *tx, kni_atom *ty)
{
    bool *wanted = knx_arena_alloc(&r->b->arena, (size_t)r->n_in + 1);
    for (int i = 0; wanted && i < r->n_in; i++)
        wanted[i] = kni_has_tangent(r->xt[i]);
    knx_error *e = wanted ? over_tangents(r, wanted, tx, ty) : knx_error_nomem();
    if (e)
        knb_fail(r->b, e);
}

static knx_error *barrier_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    bool *wanted = knx_arena_alloc(&r->b->arena, (size_t)r->n_in + 1);
    for (int i = 0; wanted && i < r->n_in; i++)
        wanted[i] = r->x[i] == KN_ATOM_LINEAR;
    return wanted ? over_tangents(r, wanted, ct, ct_in) : knx_error_nomem();
}

static knx_error *barrier_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    (void)size;
    knb_emit(r->b, r->prim, NULL, r->n_in, r->x, y, r->n_out);
    for (int i = 0; i < r->n_in; i++)
        axis_out[i] = axis[i];
    return NULL;
}

static knx_error *barrier_expand(const kni_rule *r, kni_atom *y)
{
    for (int i = 0; i < r->n_in; i++)
        y[i] = knb_copy(r->b, r->x[i]);
    return NULL;
}

static void barrier_spread(const kni_rule *r, kni_spread *s)
{
    for (int i = 0; i < r->n_in; i++)
        for (int d = 0; d < r->xt[i].ndim; d++)
            knp_spread_pair(s, r->xt[i].dim[d], i, d, i, d);
}

const kni_prim knp_prim_optimization_barrier = {
    .name = "optimization_barrier",
    .n_in = -1,
    .n_out = -1,
    .linear_in = UINT32_MAX,
    .factors = "... -> ...",
    .type = same_types,
    .jvp = barrier_jvp,
    .transpose = barrier_transpose,
    .batch = barrier_batch,
    .expand = barrier_expand,
    .spread = barrier_spread,
    .cost = knp_cost_none,
    .doc = "its operands; no pass merges what is before with what is behind (jax.lax.optimization_barrier)",
};
