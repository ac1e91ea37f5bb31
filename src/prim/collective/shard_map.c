/* SPDX-License-Identifier: Apache-2.0
 * shard_map.c -- shard_map: a jaxpr that is written for one device of a mesh. Operands are whole; the body sees the
 * parts that their specs say, and the mesh's axes are bound in it; results are put together as their specs say.
 *
 *     type       of operands the parts have to be of one size
 *     linearize  of the body: shard_map_linear.c
 *     transpose  of the body
 *     batch      the body, batched; specs get an entry that cuts nothing, or that spreads the lanes over the axis of
 * the                mesh which has their name
 *     lower      a program for its mesh has the body itself (shard/manual.c). Elsewhere it expands to the body batched
 *                over the axes of the mesh by their names, the minor axis first: all devices at once
 */
#include "prim/collective/shard_map.h"
#include <string.h>

/* ---- Specs. */

uint32_t knp_spec_set(const kni_sharding *s)
{
    uint32_t set = 0;
    for (int d = 0; d < s->ndim; d++)
        set |= kni_mesh_axes_set(s->dim[d]);
    return set;
}

uint32_t knp_mesh_set(const kni_mesh *m) { return (1u << m->n_axis) - 1; }

kni_names knp_axis_names(kni_builder *b, const kni_mesh *m, uint32_t set)
{
    const char **v = knx_arena_alloc(&b->arena, ((size_t)m->n_axis + 1) * sizeof *v);
    int n = 0;
    if (!v)
        knb_fail(b, knx_error_nomem());
    for (int a = 0; v && a < m->n_axis; a++)
        if (set >> a & 1)
            v[n++] = m->name[a];
    return (kni_names){n, v};
}

static knx_error *too_long(const char *which, int i, const kni_sharding *s, kni_type t)
{
    knx_text spec = {0}, type = {0};
    return knx_error_new(KN_ERROR_VALUE, "%s %d of shard_map is (%s), of length %d, but has to do with %s", which, i,
                         kni_spec_text(&spec, s), s->ndim, kni_type_text(&type, t, true));
}

static knx_error *uneven(int i, kni_type t, int d, int64_t parts)
{
    knx_text type = {0};
    return knx_error_new(KN_ERROR_VALUE, "shard_map cuts dimension %d of operand %d, %s, into %lld equal parts", d, i,
                         kni_type_text(&type, t, true), (long long)parts);
}

knx_error *knp_manual_parts(const kni_p_shard_map *p, int n, const kni_type *whole, knx_arena *a, kni_type *part)
{
    for (int i = 0; i < n; i++) {
        const kni_sharding *s = p->in_specs.v[i];
        if (s->ndim > whole[i].ndim)
            return too_long("in_specs", i, s, whole[i]);
        for (int d = 0; d < s->ndim; d++) {
            int64_t parts = kni_mesh_parts(p->mesh, s->dim[d]);
            if (!knx_dim_eq(knx_dim_mod(whole[i].dim[d], parts), 0))
                return uneven(i, whole[i], d, parts);
        }
        if (!kni_local_type(a, whole[i], s, &part[i]))
            return knx_error_nomem();
    }
    return NULL;
}

/* ---- Types. */

static knx_error *check_specs(const char *what, const kni_p_shard_map *p, kni_shardings v, int n)
{
    if (!p->mesh)
        return knx_error_new(KN_ERROR_VALUE, "shard_map has no mesh");
    if (v.n != n)
        return knx_error_new(KN_ERROR_VALUE, "shard_map has %d %s, but %s of %d", n,
                             what[0] == 'i' ? "operands" : "results", what, v.n);
    for (int i = 0; i < n; i++)
        if (v.v[i]->mesh != p->mesh)
            return knx_error_new(KN_ERROR_VALUE, "%s %d of shard_map is of another mesh", what, i);
    return NULL;
}

static knx_error *whole_type(const kni_p_shard_map *p, int i, kni_type part, knx_arena *a, kni_type *y)
{
    const kni_sharding *s = p->out_specs.v[i];
    knp_dims d = knp_dims_of(part);
    if (s->ndim > part.ndim)
        return too_long("out_specs", i, s, part);
    for (int k = 0; k < s->ndim; k++) {
        int64_t parts = kni_mesh_parts(p->mesh, s->dim[k]);
        if (knx_is_symbolic(d.v[k]))
            d.v[k] = knx_dim_mul(d.v[k], parts);
        else if (__builtin_mul_overflow(d.v[k], parts, &d.v[k]))
            return knx_error_new(KN_ERROR_VALUE, "result %d of shard_map is too large", i);
    }
    return knp_type_dims(a, part.dtype, part.weak, part.ndim, d.v, y);
}

static knx_error *shard_map_type(kni_rule *r, kni_type *y)
{
    const kni_p_shard_map *p = r->params;
    kni_type *part = knx_arena_alloc(r->arena, ((size_t)r->n_in + 1) * sizeof *part);
    if (!part)
        return knx_error_nomem();
    KN_TRY(check_specs("in_specs", p, p->in_specs, r->n_in));
    KN_TRY(knp_manual_parts(p, r->n_in, r->xt, r->arena, part));
    kni_rule one = *r; /* device */
    one.xt = part;
    KN_TRY(knp_body_type("shard_map", p->jaxpr, &one, y));
    r->n_out = one.n_out;
    KN_TRY(check_specs("out_specs", p, p->out_specs, r->n_out));
    for (int i = 0; i < r->n_out; i++)
        KN_TRY(whole_type(p, i, y[i], r->arena, &y[i]));
    return NULL;
}

/* Parts that are not of one size are the type rule's to refuse, once the jaxpr was read. */
static int shard_map_body_types(const kni_rule *r, int which, kni_type *t)
{
    const kni_p_shard_map *p = r->params;
    (void)which;
    for (int i = 0; i < r->n_in; i++)
        if (i >= p->in_specs.n || !kni_local_type(r->arena, r->xt[i], p->in_specs.v[i], &t[i]))
            t[i] = r->xt[i];
    return r->n_in;
}

/* ---- All devices at once. */

/* The whole with its dimensions cut: the axes of the spec in the mesh's order, then the part's dimensions. */
static kni_atom apart(kni_builder *b, const kni_mesh *m, kni_atom x, const kni_sharding *s)
{
    kni_type t = knb_type(b, x);
    int64_t shape[2 * KN_MAX_NDIM], front[KNI_MESH_AXES], back[KN_MAX_NDIM], order[2 * KN_MAX_NDIM];
    int n = 0, k = 0;
    if (b->error)
        return KN_ATOM_NONE;
    for (int d = 0; d < t.ndim; d++) {
        kni_mesh_axes a = knp_spec_axes(s, d);
        for (int i = 0; i < a.n; i++) {
            front[a.axis[i]] = n;
            shape[n++] = m->size[a.axis[i]];
        }
        back[d] = n;
        shape[n++] = knx_dim_floordiv(t.dim[d], kni_mesh_parts(m, a));
    }
    if (n > KN_MAX_NDIM) {
        knb_fail(b, knx_error_new(KN_ERROR_VALUE, "maximum supported dimension for an array is %d, found %d",
                                  KN_MAX_NDIM, n));
        return KN_ATOM_NONE;
    }
    uint32_t set = knp_spec_set(s);
    for (int a = 0; a < m->n_axis; a++)
        if (set >> a & 1)
            order[k++] = front[a];
    for (int d = 0; d < t.ndim; d++)
        order[k++] = back[d];
    return knb_transpose(b, knb_reshape(b, x, n, shape), order);
}

/* Without the axis: its first element. */
static kni_atom first_lane(kni_builder *b, kni_atom x, int axis)
{
    kni_type t = knb_type(b, x);
    int64_t start[KN_MAX_NDIM] = {0}, where = axis;
    knp_dims limit = knp_dims_of(t);
    if (b->error)
        return KN_ATOM_NONE;
    limit.v[axis] = 1;
    return knb_squeeze(b, knb_slice(b, x, start, limit.v, NULL), 1, &where);
}

/* x has the axes of the mesh in `has` in front, in its order. Of those that the spec does not name all devices have the
 * same; those that only the spec names have copies. */
static kni_atom only_named(kni_builder *b, const kni_mesh *m, kni_atom x, uint32_t has, uint32_t want)
{
    for (int a = 0, at = 0; a < m->n_axis && !b->error; a++) {
        if ((has >> a & 1) && !(want >> a & 1)) {
            x = first_lane(b, x, at);
        } else if (!(has >> a & 1) && (want >> a & 1)) {
            kni_type t = knb_type(b, x);
            knp_dims shape = knp_insert((kni_ints){t.ndim, t.dim}, at, m->size[a]), from = {0};
            for (int d = 0; d < t.ndim; d++)
                from.v[d] = d + (d >= at);
            x = knb_broadcast_in_dim(b, x, t.ndim + 1, shape.v, from.v);
        }
        at += want >> a & 1;
    }
    return x;
}

static kni_atom together(kni_builder *b, const kni_mesh *m, kni_atom x, uint32_t has, const kni_sharding *s)
{
    uint32_t want = knp_spec_set(s);
    int64_t order[KN_MAX_NDIM], shape[KN_MAX_NDIM];
    int place[KNI_MESH_AXES] = {0}, n = 0, front = 0;
    x = only_named(b, m, x, has, want);
    kni_type t = knb_type(b, x);
    if (b->error)
        return KN_ATOM_NONE;
    for (int a = 0; a < m->n_axis; a++)
        if (want >> a & 1)
            place[a] = front++;
    for (int d = 0; d < t.ndim - front; d++) {
        kni_mesh_axes a = knp_spec_axes(s, d);
        for (int i = 0; i < a.n; i++)
            order[n++] = place[a.axis[i]];
        order[n++] = front + d;
        shape[d] = knx_dim_mul(t.dim[front + d], kni_mesh_parts(m, a));
    }
    return knb_reshape(b, knb_transpose(b, x, order), t.ndim - front, shape);
}

/* The body over all axes. has: per result, which of them it has in front. */
static knx_error *over_mesh(const kni_p_shard_map *p, uint32_t *has, kni_jaxpr **out)
{
    uint32_t n_in = p->jaxpr->n_in, n_out = p->jaxpr->n_out;
    int *axis = knx_alloc_zero((n_in + 1) * sizeof *axis);
    bool *was = knx_alloc_zero((size_t)n_out + 1);
    kni_jaxpr *j = kni_retain(p->jaxpr);
    knx_error *error = axis && was ? NULL : knx_error_nomem();
    for (int a = p->mesh->n_axis - 1; !error && a >= 0; a--) {
        kni_jaxpr *next = NULL;
        for (uint32_t i = 0; i < n_in; i++)
            axis[i] = knp_spec_set(p->in_specs.v[i]) >> a & 1 ? 0 : -1;
        error = knt_batch_lazily(j, p->mesh->size[a], p->mesh->name[a], axis, was, &next);
        kni_release(j);
        j = next;
        for (uint32_t i = 0; i < n_out; i++)
            has[i] |= (uint32_t)was[i] << a;
    }
    knx_free(axis);
    knx_free(was);
    if (error)
        kni_release(j);
    else
        *out = j;
    return error;
}

static knx_error *shard_map_expand(const kni_rule *r, kni_atom *y)
{
    const kni_p_shard_map *p = r->params;
    kni_jaxpr *j = NULL;
    kni_atom *x = knp_atoms(r->b, (size_t)r->n_in);
    uint32_t *has = knx_arena_zero(&r->b->arena, (p->jaxpr->n_out + 1) * sizeof *has);
    if (!x || !has)
        return knx_error_nomem();
    KN_TRY(over_mesh(p, has, &j));
    for (int i = 0; i < r->n_in; i++)
        x[i] = apart(r->b, p->mesh, r->x[i], p->in_specs.v[i]);
    knb_inline(r->b, j, x, y);
    for (uint32_t i = 0; i < j->n_out; i++)
        y[i] = together(r->b, p->mesh, y[i], has[i], p->out_specs.v[i]);
    kni_release(j);
    return NULL;
}

/* ---- Batching. */

/* The spec of an array that has a new axis there, cut by `cut`. */
static const kni_sharding *with_axis(kni_builder *b, const kni_sharding *s, int at, kni_mesh_axes cut)
{
    kni_mesh_axes dim[KN_MAX_NDIM + 1] = {{0}};
    const kni_sharding *out = s;
    int n = s->ndim > at ? s->ndim + 1 : at + 1;
    for (int d = 0; d < s->ndim; d++)
        dim[d + (d >= at)] = s->dim[d];
    dim[at] = cut;
    knx_error *error = kni_sharding_of(s->mesh, n, dim, &out);
    if (error)
        knb_fail(b, error);
    return out;
}

/* By which axis of the mesh the lanes can be cut: the one that has the name of theirs, if nothing else here uses it. So
 * kn_vmap with such a name spreads its lanes over devices. */
static kni_mesh_axes lanes_by(const kni_rule *r, int64_t size)
{
    const kni_p_shard_map *p = r->params;
    int a = r->axis_name ? kni_mesh_axis(p->mesh, r->axis_name, strlen(r->axis_name)) : -1;
    uint32_t used = a < 0 ? 0 : knp_named_in(p->jaxpr, p->mesh);
    for (int i = 0; i < r->n_in; i++)
        used |= knp_spec_set(p->in_specs.v[i]);
    for (int i = 0; i < r->n_out; i++)
        used |= knp_spec_set(p->out_specs.v[i]);
    if (a < 0 || used >> a & 1 || knx_is_symbolic(size) || size % p->mesh->size[a])
        return (kni_mesh_axes){0};
    return (kni_mesh_axes){.n = 1, .axis = {(uint8_t)a}};
}

static knx_error *shard_map_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    kni_p_shard_map p = *(const kni_p_shard_map *)r->params;
    kni_builder *b = r->b;
    const kni_sharding **in = knx_arena_alloc(&b->arena, ((size_t)r->n_in + 1) * sizeof *in),
                       **out = knx_arena_alloc(&b->arena, ((size_t)r->n_out + 1) * sizeof *out);
    bool *was = knx_arena_zero(&b->arena, (size_t)r->n_out + 1);
    kni_mesh_axes cut = lanes_by(r, size);
    bool hidden = r->axis_name && kni_mesh_axis(p.mesh, r->axis_name, strlen(r->axis_name)) >= 0;
    kni_jaxpr *batched = NULL;
    if (!in || !out || !was)
        return knx_error_nomem();
    KN_TRY(knt_batch_lazily(p.jaxpr, cut.n ? size / kni_mesh_parts(p.mesh, cut) : size, hidden ? NULL : r->axis_name,
                            axis, was, &batched));
    for (int i = 0; i < r->n_in; i++)
        in[i] = axis[i] < 0 ? p.in_specs.v[i] : with_axis(b, p.in_specs.v[i], axis[i], cut);
    for (int i = 0; i < r->n_out; i++) {
        out[i] = was[i] ? with_axis(b, p.out_specs.v[i], 0, cut) : p.out_specs.v[i];
        axis_out[i] = was[i] ? 0 : -1;
    }
    p.jaxpr = batched;
    p.in_specs.v = in;
    p.out_specs.v = out;
    knb_emit(b, r->prim, &p, r->n_in, r->x, y, r->n_out);
    kni_release(batched);
    return NULL;
}

static knx_error *shard_map_manual(const kni_rule *r, const kni_mesh *m, kni_manual *out)
{
    const kni_p_shard_map *p = r->params;
    *out = (kni_manual){.in = p->in_specs.v, .out = p->out_specs.v};
    out->body = p->mesh == m ? kni_retain(p->jaxpr) : NULL;
    return NULL;
}

static bool shard_map_may_fail(const kni_rule *r)
{
    return knp_body_may_fail(((const kni_p_shard_map *)r->params)->jaxpr);
}

const kni_prim knp_prim_shard_map = {
    .name = "shard_map",
    .n_in = -1,
    .n_out = -1,
    .bits = KN_CAN_FAIL | KN_ON_MESH,
    .linear_in = 0xffffffff,
    .fields = kni_fields_shard_map,
    .params_size = sizeof(kni_p_shard_map),
    .type = shard_map_type,
    .linearize = knp_shard_map_linearize,
    .transpose = knp_shard_map_transpose,
    .batch = shard_map_batch,
    .expand = shard_map_expand,
    .may_fail = shard_map_may_fail,
    .manual = shard_map_manual,
    .body_types = shard_map_body_types,
    .doc = "a jaxpr that each device of a mesh runs on its parts of the operands (jax.shard_map)",
};
