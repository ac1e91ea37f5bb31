/* SPDX-License-Identifier: Apache-2.0
 * mesh_in.c -- the mesh that a program runs on because of what stands in it. */
#include "ir/mesh.h"
#include "ir/prim.h"

static knx_error *join(const kni_mesh *one, const kni_mesh **all)
{
    knx_text t = {0}, other = {0};
    if (!one || *all == one)
        return NULL;
    if (*all)
        return knx_error_new(KN_ERROR_VALUE, "a program runs on one mesh, this one names two: %s and %s",
                             kni_mesh_text(&t, *all), kni_mesh_text(&other, one));
    *all = one;
    return NULL;
}

knx_error *kni_mesh_in(const kni_prim *p, const void *params, const kni_mesh **out)
{
    for (const kni_param_field *f = params ? p->fields : NULL; f && f->name; f++) {
        const char *at = (const char *)params + f->offset;
        kni_jaxprs inner = kni_field_jaxprs(f, params);
        if (f->kind == KN_P_SHARDING)
            KN_TRY(join((*(const kni_sharding *const *)(const void *)at)->mesh, out));
        if (f->kind == KN_P_MESH && (p->bits & KN_ON_MESH))
            KN_TRY(join(*(const kni_mesh *const *)(const void *)at, out));
        for (int i = 0; i < inner.n; i++)
            KN_TRY(kni_mesh_of_jaxpr(inner.v[i], out));
    }
    return NULL;
}

knx_error *kni_mesh_of_jaxpr(const kni_jaxpr *j, const kni_mesh **out)
{
    for (uint32_t i = 0; (j->has & KN_ON_MESH) && i < j->n_eqn; i++)
        if (kni_bits(j->eqn[i].prim, j->eqn[i].params) & KN_ON_MESH)
            KN_TRY(kni_mesh_in(j->eqn[i].prim, j->eqn[i].params, out));
    return NULL;
}
