/* SPDX-License-Identifier: Apache-2.0
 * mesh_lanes.c -- collectives lose their mesh, also in loops, and each axis of the mesh becomes an axis of a vmap. */
#include "support/mesh_lanes.h"
#include "transform/replay.h"

static knx_error *unbind_params(const kni_prim *p, void *params)
{
    for (const kni_param_field *f = p->fields; f && f->name; f++) {
        if (f->kind == KN_P_MESH)
            *(const kni_mesh **)((char *)params + f->offset) = NULL;
        kni_jaxprs bodies = kni_field_jaxprs(f, params);
        for (int i = 0; i < bodies.n; i++) {
            kni_jaxpr *own;
            KN_TRY(mesh_unbind(bodies.v[i], &own));
            kni_release(bodies.v[i]);
            ((kni_jaxpr **)(uintptr_t)bodies.v)[i] = own;
        }
    }
    return NULL;
}

static knx_error *unbind_equation(knt_replay *r, const kni_eqn *e)
{
    const void *params = NULL;
    knt_operands(r, e);
    if (e->params && !kni_params_copy(&r->arena, e->prim, e->params, &params))
        return knx_error_nomem();
    knx_error *error = params ? unbind_params(e->prim, (void *)(uintptr_t)params) : NULL;
    if (!error) {
        knb_emit(&r->b, e->prim, params, (int)e->n_in, r->in, r->out, (int)e->n_out);
        knt_bind(r, e, r->out);
    }
    if (params)
        kni_params_drop(e->prim, params);
    return error;
}

knx_error *mesh_unbind(const kni_jaxpr *j, kni_jaxpr **out)
{
    knt_replay r;
    *out = NULL;
    knx_error *error = knt_replay_begin(&r, j, true);
    for (uint32_t i = 0; !error && i < j->n_eqn; i++)
        error = unbind_equation(&r, &j->eqn[i]);
    if (!error)
        error = knt_replay_finish(&r, out);
    knt_replay_end(&r);
    return error;
}

knx_error *mesh_lanes(const kni_jaxpr *local, const kni_mesh *m, kni_jaxpr **out)
{
    kni_jaxpr *next;
    int *axis = knx_alloc_zero(((size_t)local->n_in + local->n_out + 1) * sizeof *axis);
    knx_error *error = axis ? mesh_unbind(local, out) : knx_error_nomem();
    for (int a = m->n_axis - 1; !error && a >= 0; a--) {
        error = knt_batch(*out, m->size[a], m->name[a], axis, axis + local->n_in, &next);
        kni_release(*out);
        *out = next;
    }
    knx_free(axis);
    return error;
}

bool mesh_each_inside(kni_type t, kni_type part, const kni_sharding *s, int64_t device, mesh_element_fn *with,
                      void *data)
{
    int64_t at[KN_MAX_NDIM] = {0}, n = kni_type_size(part);
    for (int64_t i = 0; i < n; i++) {
        int64_t position = 0;
        bool inside = true;
        for (int d = 0; d < t.ndim; d++) {
            int64_t k = kni_mesh_part(s->mesh, s->dim[d], device) * part.dim[d] + at[d];
            inside = inside && k < t.dim[d];
            position = position * t.dim[d] + k;
        }
        if (inside && !with(data, position, i))
            return false;
        for (int d = t.ndim - 1; d >= 0 && ++at[d] == part.dim[d]; d--)
            at[d] = 0;
    }
    return true;
}
