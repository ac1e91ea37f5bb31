/* SPDX-License-Identifier: Apache-2.0
 * pmap.c -- xla_pmap, as jaxprs of 2020 have it: a jaxpr for each lane of a named axis. On a mesh that has this axis
 * alone each device has a lane; elsewhere they are computed together, as kn_vmap does it.
 *
 *     type       mapped operands have the lanes in front; so have all results
 *     linearize  of the batched body
 *     batch      the batched body, batched
 *     lower      a program for such a mesh has the body itself (shard/manual.c), else expands to the batched body
 */
#include "prim/body.h"
#include "prim/frame.h"
#include "transform/transform.h"
#include <string.h>

/* The type of one lane. */
static kni_type lane(kni_type t, bool mapped)
{
    if (mapped && t.ndim) {
        t.ndim--;
        t.dim++;
    }
    return t;
}

static knx_error *check_lanes(const kni_p_pmap *p, int n_in, const kni_type *x)
{
    if (p->mapped.n != n_in)
        return knx_error_new(KN_ERROR_VALUE, "xla_pmap has %d operands, but mapped_invars of %d", n_in, p->mapped.n);
    knx_text size = {0};
    if (knx_dim_lt(p->axis_size, 0))
        return knx_error_new(KN_ERROR_VALUE, "axis_size must not be negative, but is %s",
                             knx_dim_show(&size, p->axis_size));
    for (int i = 0; i < n_in; i++)
        if (p->mapped.v[i] && (!x[i].ndim || !knx_dim_eq(x[i].dim[0], p->axis_size))) {
            knx_text t = {0};
            return knx_error_new(KN_ERROR_VALUE, "xla_pmap of %s lanes was given %s as operand %d",
                                 knx_dim_show(&size, p->axis_size), kni_type_text(&t, x[i], true), i);
        }
    return NULL;
}

static knx_error *pmap_type(kni_rule *r, kni_type *y)
{
    const kni_p_pmap *p = r->params;
    kni_type *in = knx_arena_alloc(r->arena, ((size_t)r->n_in + 1) * sizeof *in);
    if (!in)
        return knx_error_nomem();
    KN_TRY(check_lanes(p, r->n_in, r->xt));
    for (int i = 0; i < r->n_in; i++)
        in[i] = lane(r->xt[i], p->mapped.v[i]);
    kni_rule one = *r; /* lane */
    one.xt = in;
    KN_TRY(knp_body_type("xla_pmap", p->call_jaxpr, &one, y));
    r->n_out = one.n_out;
    for (int i = 0; i < r->n_out; i++) {
        if (y[i].ndim == KN_MAX_NDIM)
            return knx_error_new(KN_ERROR_VALUE, "maximum supported dimension for an array is %d, found %d",
                                 KN_MAX_NDIM, KN_MAX_NDIM + 1);
        int64_t *dim = knx_arena_alloc(r->arena, ((size_t)y[i].ndim + 1) * sizeof *dim);
        if (!dim)
            return knx_error_nomem();
        dim[0] = p->axis_size;
        for (int d = 0; d < y[i].ndim; d++)
            dim[d + 1] = y[i].dim[d];
        y[i].dim = dim;
        y[i].ndim++;
    }
    return NULL;
}

static int pmap_body_types(const kni_rule *r, int which, kni_type *t)
{
    const kni_p_pmap *p = r->params;
    (void)which;
    for (int i = 0; i < r->n_in; i++)
        t[i] = lane(r->xt[i], i < p->mapped.n && p->mapped.v[i]);
    return r->n_in;
}

/* The body over all lanes. */
static knx_error *lanes(const kni_p_pmap *p, kni_jaxpr **out)
{
    int *axis = knx_alloc_zero(((size_t)p->call_jaxpr->n_in + p->call_jaxpr->n_out + 1) * sizeof *axis);
    if (!axis)
        return knx_error_nomem();
    for (int i = 0; i < p->mapped.n; i++)
        axis[i] = p->mapped.v[i] ? 0 : -1;
    knx_error *error = knt_batch(p->call_jaxpr, p->axis_size, p->axis_name, axis, axis + p->call_jaxpr->n_in, out);
    knx_free(axis);
    return error;
}

static knx_error *pmap_linearize(const kni_rule *r, const kni_atom *tx, kni_atom *y, kni_atom *ty)
{
    kni_jaxpr *j = NULL;
    KN_TRY(lanes(r->params, &j));
    knx_error *error = knp_linearize_instead(r, j, tx, y, ty);
    kni_release(j);
    return error;
}

static knx_error *pmap_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    kni_jaxpr *j = NULL, *batched = NULL;
    bool *was = knx_arena_zero(&r->b->arena, (size_t)r->n_out + 1);
    KN_TRY(was ? lanes(r->params, &j) : knx_error_nomem());
    knx_error *error = knt_batch_lazily(j, size, r->axis_name, axis, was, &batched);
    if (!error) {
        knb_inline(r->b, batched, r->x, y);
        for (int i = 0; i < r->n_out; i++)
            axis_out[i] = was[i] ? 0 : -1;
    }
    kni_release(j);
    kni_release(batched);
    return error;
}

static knx_error *pmap_expand(const kni_rule *r, kni_atom *y)
{
    kni_jaxpr *j = NULL;
    KN_TRY(lanes(r->params, &j));
    knb_inline(r->b, j, r->x, y);
    kni_release(j);
    return NULL;
}

/* One device's lane: arrays of one. */
static knx_error *one_lane(const kni_rule *r, kni_jaxpr **out)
{
    const kni_p_pmap *p = r->params;
    const kni_jaxpr *j = p->call_jaxpr;
    const int64_t front = 0;
    knp_frame f;
    knx_error *error = knp_frame_begin(&f, j->n_in, j->n_out) ? NULL : knx_error_nomem();
    for (uint32_t i = 0; !error && i < j->n_in; i++) {
        kni_type t = kni_in_type(j, i);
        knp_dims d = knp_insert((kni_ints){t.ndim, t.dim}, 0, 1);
        knp_frame_input(&f, p->mapped.v[i] ? kni_type_of(t.dtype, t.ndim + 1, d.v) : t);
        if (p->mapped.v[i])
            f.in[i] = knb_squeeze(&f.b, f.in[i], 1, &front);
    }
    if (!error)
        knb_inline(&f.b, j, f.in, f.out);
    for (uint32_t i = 0; !error && i < j->n_out; i++) {
        kni_type t = kni_out_type(j, i);
        knp_dims d = knp_insert((kni_ints){t.ndim, t.dim}, 0, 1), from = {0};
        for (int k = 0; k < t.ndim; k++)
            from.v[k] = k + 1;
        f.out[i] = knb_broadcast_in_dim(&f.b, f.out[i], t.ndim + 1, d.v, from.v);
    }
    if (!error)
        error = knp_frame_finish(&f, j->n_out, f.out, j->name, out);
    knp_frame_end(&f);
    return error;
}

/* A mesh whose only axis is this one. */
static knx_error *pmap_manual(const kni_rule *r, const kni_mesh *m, kni_manual *out)
{
    const kni_p_pmap *p = r->params;
    const kni_mesh_axes first = {.n = 1};
    const kni_sharding *cut, *whole, **in = knx_arena_alloc(r->arena, ((size_t)r->n_in + 1) * sizeof *in),
                                     **y = knx_arena_alloc(r->arena, ((size_t)r->n_out + 1) * sizeof *y);
    *out = (kni_manual){.in = in, .out = y};
    if (!in || !y)
        return knx_error_nomem();
    if (!m || !p->axis_name || m->n_axis != 1 || strcmp(m->name[0], p->axis_name) || m->size[0] != p->axis_size)
        return NULL;
    KN_TRY(kni_sharding_of(m, 1, &first, &cut));
    KN_TRY(kni_sharding_of(m, 0, NULL, &whole));
    for (int i = 0; i < r->n_in; i++)
        in[i] = p->mapped.v[i] ? cut : whole;
    for (int i = 0; i < r->n_out; i++)
        y[i] = cut;
    return one_lane(r, &out->body);
}

static bool pmap_may_fail(const kni_rule *r) { return knp_body_may_fail(((const kni_p_pmap *)r->params)->call_jaxpr); }

const kni_prim knp_prim_xla_pmap = {
    .name = "xla_pmap",
    .n_in = -1,
    .n_out = -1,
    .bits = KN_CAN_FAIL | KN_MAY_MESH,
    .fields = kni_fields_pmap,
    .params_size = sizeof(kni_p_pmap),
    .type = pmap_type,
    .linearize = pmap_linearize,
    .batch = pmap_batch,
    .expand = pmap_expand,
    .may_fail = pmap_may_fail,
    .manual = pmap_manual,
    .body_types = pmap_body_types,
    .doc = "a jaxpr for each lane of a named axis (jax.pmap of 2020); on a mesh with this axis each device has one, "
           "else they are worked out together",
};
