/* SPDX-License-Identifier: Apache-2.0
 * sharding.c -- sharding_constraint: its operand, which has to lie over a mesh in a given way (docs/sharding.md).
 *
 *     type       the operand's; the sharding has an entry for each dimension
 *     jvp        the same of the tangent
 *     transpose  the same of the cotangent
 *     batch      the new axis is whole
 *     lower      an alias: only the partition of a program asks for the sharding
 */
#include "prim/rules.h"
#include "ir/mesh.h"
#include <string.h>

static const kni_sharding *wanted(const kni_rule *r)
{
    return ((const kni_p_sharding_constraint *)r->params)->sharding;
}

static knx_error *constraint_type(kni_rule *r, kni_type *y)
{
    const kni_sharding *s = wanted(r);
    knx_text t = {0};
    if (s->ndim != r->xt[0].ndim)
        return knx_error_new(KN_ERROR_VALUE, "%s is for arrays of %d dimensions, this one has %d",
                             kni_sharding_text(&t, s), s->ndim, r->xt[0].ndim);
    return knp_type_like(r->arena, r->xt[0], r->xt[0].dtype, y);
}

static knx_error *constraint_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    const kni_sharding *s = wanted(r), *more;
    kni_mesh_axes dim[KN_MAX_NDIM] = {{0}};
    (void)size;
    int at = axis[0] < 0 ? s->ndim : axis[0];
    for (int d = 0; d < s->ndim; d++)
        dim[d + (d >= at)] = s->dim[d];
    KN_TRY(kni_sharding_of(s->mesh, s->ndim + (axis[0] >= 0), dim, &more));
    *y = knb_sharding_constraint(r->b, r->x[0], &(kni_p_sharding_constraint){more});
    *axis_out = axis[0];
    return NULL;
}

/* On one device it is nothing, and must not stay where passes carry other shapes past it. */
static knx_error *constraint_expand(const kni_rule *r, kni_atom *y)
{
    *y = r->x[0];
    return NULL;
}

static bool always(const kni_rule *r) { return (void)r, true; }

const kni_prim knp_prim_sharding_constraint = {
    .name = "sharding_constraint",
    .n_in = 1,
    .n_out = 1,
    .bits = KN_ELEMENTWISE | KN_CHEAP | KN_IDENTITY | KN_ON_MESH,
    .linear_in = 1,
    .factors = "... -> ...",
    .lays = wanted,
    .fields = kni_fields_sharding_constraint,
    .params_size = sizeof(kni_p_sharding_constraint),
    .type = constraint_type,
    .jvp = knp_jvp_linear,
    .transpose = knp_transpose_same,
    .batch = constraint_batch,
    .expr = knp_expr_same,
    .expand = constraint_expand,
    .expands = always,
    .cost = knp_cost_none,
    .doc = "x itself, which has to lie over a mesh of devices in this way (jax.lax.with_sharding_constraint)",
};
