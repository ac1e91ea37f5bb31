/* SPDX-License-Identifier: Apache-2.0
 * permute.c -- ppermute and pbroadcast: what lanes send to one another as it is. Their rules are those that the head of
 * collective.c tells. */
#include "prim/collective/names.h"
#include "prim/collective/over_mesh.h"
#include <string.h>

/* ppermute ----------------------------------------------------------------------------------- */

static knx_error *ppermute_type(kni_rule *r, kni_type *y)
{
    const kni_p_ppermute *p = r->params;
    if (!p->axis_name.n)
        return knp_no_names();
    if (p->mesh)
        KN_TRY(knp_mesh_check(p->mesh, p->axis_name, p->sizes));
    else if (p->sizes.n && p->sizes.n != p->axis_name.n)
        return knx_error_new(KN_ERROR_VALUE, "%d axes are named, and %d sizes given", p->axis_name.n, p->sizes.n);
    if (p->perm.n % 2)
        return knx_error_new(KN_ERROR_VALUE, "perm must be pairs of source and destination");
    KN_TRY(knp_accepts(r->xt->dtype, KNP_NUMBERS | KNP_BOOL));
    return knp_type_like(r->arena, *r->xt, r->xt->dtype, y);
}

static knx_error *ppermute_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    const kni_p_ppermute *p = r->params;
    int64_t *back = knx_arena_alloc(&r->b->arena, ((size_t)p->perm.n + 1) * sizeof *back);
    if (!back)
        return knx_error_nomem();
    for (int i = 0; i < p->perm.n; i++)
        back[i] = p->perm.v[i ^ 1];
    ct_in[0] = knb_ppermute(r->b, ct[0], &(kni_p_ppermute){p->axis_name, {p->perm.n, back}, p->mesh, p->sizes});
    return NULL;
}

/* from[d]: where lane d gets its value from, -1: zeros. */
static knx_error *sources(const kni_p_ppermute *p, int64_t size, int64_t *from)
{
    for (int64_t d = 0; d < size; d++)
        from[d] = -1;
    for (int i = 0; i < p->perm.n; i++)
        if (p->perm.v[i] < 0 || p->perm.v[i] >= size)
            return knx_error_new(KN_ERROR_INDEX, "index %lld is out of bounds for axis %s with size %lld",
                                 (long long)p->perm.v[i], p->axis_name.v[0], (long long)size);
    for (int i = 0; i + 1 < p->perm.n; i += 2) {
        if (from[p->perm.v[i + 1]] >= 0)
            return knx_error_new(KN_ERROR_VALUE, "ppermute sources and destinations must be unique");
        from[p->perm.v[i + 1]] = p->perm.v[i];
    }
    return NULL;
}

static knx_error *sources_differ(const kni_p_ppermute *p, int64_t size, bool *seen)
{
    memset(seen, 0, (size_t)size);
    for (int i = 0; i + 1 < p->perm.n; i += 2) {
        if (seen[p->perm.v[i]])
            return knx_error_new(KN_ERROR_VALUE, "ppermute sources and destinations must be unique");
        seen[p->perm.v[i]] = true;
    }
    return NULL;
}

/* Elements first .. first + n - 1 of x along an axis. */
static kni_atom some_lanes(kni_builder *b, kni_atom x, int axis, int64_t first, int64_t n)
{
    kni_type t = knb_type(b, x);
    knp_dims start = {.n = t.ndim}, limit = knp_dims_of(t);
    if (b->error || (!first && n == t.dim[axis]))
        return x;
    start.v[axis] = first;
    limit.v[axis] = first + n;
    return knb_slice(b, x, start.v, limit.v, NULL);
}

static kni_atom no_lanes(kni_builder *b, kni_atom x, int axis, int64_t n)
{
    kni_type t = knb_type(b, x);
    knp_dims d = knp_dims_of(t);
    if (b->error)
        return KN_ATOM_NONE;
    d.v[axis] = n;
    t.dim = d.v;
    return knb_zeros(b, t);
}

/* The lanes in their new order: runs of neighbours that stay neighbours are one piece. */
static knx_error *reorder(const kni_rule *r, kni_atom x, int axis, int64_t size, const int64_t *from, kni_atom *y)
{
    kni_atom *piece = knx_arena_alloc(&r->b->arena, ((size_t)size + 1) * sizeof *piece);
    int n = 0;
    if (!piece)
        return knx_error_nomem();
    for (int64_t d = 0, run; d < size; d += run) {
        run = 1;
        while (d + run < size && (from[d] < 0 ? from[d + run] < 0 : from[d + run] == from[d] + run))
            run++;
        piece[n++] = from[d] < 0 ? no_lanes(r->b, x, axis, run) : some_lanes(r->b, x, axis, from[d], run);
    }
    *y = n == 0 ? x : n == 1 ? piece[0] : knb_concatenate(r->b, n, piece, axis);
    return NULL;
}

/* Over several axes, of which number `at` is batched: the lanes of all the others are gathered, and each of these takes
 * what its own get, which is a choice by where it is. */
typedef struct several {
    int64_t major, size, minor; /* of the names before, of this one, of those behind */
    kni_names rest;
    kni_ints sizes;
} several;

static knx_error *begin_several(const kni_rule *r, int at, int64_t size, several *s)
{
    const kni_p_ppermute *p = r->params;
    kni_builder *b = r->b;
    const char **name = knx_arena_alloc(&b->arena, (size_t)p->axis_name.n * sizeof *name);
    int64_t *sizes = knx_arena_alloc(&b->arena, (size_t)p->axis_name.n * sizeof *sizes);
    *s = (several){1, size, 1, {0, name}, {0, sizes}};
    if (!name || !sizes)
        return knx_error_nomem();
    if (!p->mesh && !p->sizes.n)
        return knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "ppermute over several axes of which nobody knows the sizes");
    KN_TRY(kni_dim_settle(size, &s->size));
    for (int i = 0; i < p->axis_name.n; i++) {
        const char *one = p->axis_name.v[i];
        if (i == at)
            continue;
        int64_t n = p->mesh ? p->mesh->size[kni_mesh_axis(p->mesh, one, strlen(one))] : p->sizes.v[i];
        KN_TRY(kni_dim_settle(n, &n));
        name[s->rest.n++] = one;
        sizes[s->sizes.n++] = n;
        *(i < at ? &s->major : &s->minor) *= n;
    }
    return NULL;
}

/* Where number i of all lanes, in the order of the names, is among those that were gathered. */
static int64_t gathered_at(const several *s, int64_t i)
{
    int64_t minor = i % s->minor, own = i / s->minor % s->size, major = i / s->minor / s->size;
    return (major * s->minor + minor) * s->size + own;
}

static knx_error *choose_lanes(const kni_rule *r, const several *s, kni_atom all, const int64_t *from, kni_atom *y)
{
    kni_builder *b = r->b;
    const kni_p_ppermute *p = r->params;
    int64_t n = s->major * s->minor;
    int64_t *mine = knx_arena_alloc(&b->arena, ((size_t)s->size + 1) * sizeof *mine);
    kni_atom *choice = knx_arena_alloc(&b->arena, ((size_t)n + 1) * sizeof *choice), number = KN_ATOM_NONE;
    if (!mine || !choice)
        return knx_error_nomem();
    for (int64_t k = 0; k < n; k++) {
        for (int64_t own = 0; own < s->size; own++) {
            int64_t source = from[(k / s->minor * s->size + own) * s->minor + k % s->minor];
            mine[own] = source < 0 ? -1 : gathered_at(s, source);
        }
        KN_TRY(reorder(r, all, 0, s->size, mine, &choice[k]));
    }
    for (int i = 0; i < s->rest.n; i++) {
        kni_atom at = knb_axis_index(b, (kni_names){1, &s->rest.v[i]}, p->mesh);
        number = i ? knb_add(b, knb_mul(b, number, knb_integer(b, KN_DT(I32), s->sizes.v[i])), at) : at;
    }
    *y = n == 1 ? choice[0] : knb_select_n(b, number, (int)n, choice);
    return NULL;
}

static knx_error *batch_of_several(const kni_rule *r, int at, int64_t size, int axis, kni_atom *y)
{
    const kni_p_ppermute *p = r->params;
    kni_builder *b = r->b;
    several s;
    KN_TRY(begin_several(r, at, size, &s));
    int64_t n = s.major * s.size * s.minor, *from = knx_arena_alloc(&b->arena, ((size_t)n + 1) * sizeof *from);
    bool *seen = knx_arena_alloc(&b->arena, (size_t)n + 1);
    if (!from || !seen)
        return knx_error_nomem();
    KN_TRY(sources(p, n, from));
    KN_TRY(sources_differ(p, n, seen));
    kni_atom x = knp_batched_at(r, 0, s.size, axis, 0);
    x = knb_all_gather(b, x, &(kni_p_all_gather){0, s.rest, s.sizes, s.major * s.minor, true, p->mesh});
    return choose_lanes(r, &s, x, from, y);
}

static knx_error *ppermute_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    const kni_p_ppermute *p = r->params;
    *axis_out = axis[0];
    if (knp_lane_position(r) < 0) {
        *y = knb_ppermute(r->b, r->x[0], p);
        return NULL;
    }
    if (p->axis_name.n > 1) {
        *axis_out = 0;
        return batch_of_several(r, knp_lane_position(r), size, axis[0], y);
    }
    KN_TRY(kni_dim_settle(size, &size)); /* lanes are told apart one by one */
    int64_t *from = knx_arena_alloc(&r->b->arena, ((size_t)size + 1) * sizeof *from);
    bool *seen = knx_arena_alloc(&r->b->arena, (size_t)size + 1);
    if (!from || !seen)
        return knx_error_nomem();
    KN_TRY(sources(p, size, from));
    KN_TRY(sources_differ(p, size, seen));
    if (axis[0] < 0 && p->perm.n == 2 * size) { /* all lanes have the same and get it */
        *y = r->x[0];
        return NULL;
    }
    *axis_out = axis[0] < 0 ? 0 : axis[0];
    return reorder(r, knp_batched_at(r, 0, size, axis[0], *axis_out), *axis_out, size, from, y);
}

const kni_prim knp_prim_ppermute = {
    .name = "ppermute",
    .n_in = 1,
    .n_out = 1,
    .bits = KN_NAMES | KN_FILLS_EARLY,
    .linear_in = 1,
    .factors = "... -> ...",
    .fields = kni_fields_ppermute,
    .params_size = sizeof(kni_p_ppermute),
    .doc = "x of the lane that sends to this one, zeros if none does (jax.lax.ppermute)",
    .type = ppermute_type,
    .jvp = knp_jvp_linear,
    .transpose = ppermute_transpose,
    .batch = ppermute_batch,
    .run = knp_ppermute_run,
    .start = knp_ppermute_start,
    .wait = knp_ppermute_wait,
    .workspace = knp_ppermute_workspace,
    .moves = knp_permute_moves,
    .expand = knp_unbound,
    .expands = knp_is_unbound,
};

/* pbroadcast --------------------------------------------------------------------------------- */

static knx_error *pbroadcast_type(kni_rule *r, kni_type *y)
{
    const kni_p_pbroadcast *p = r->params;
    if (!p->axis_name.n)
        return knp_no_names();
    if (p->mesh)
        KN_TRY(knp_mesh_check(p->mesh, p->axis_name, (kni_ints){0, NULL}));
    return knp_type_like(r->arena, *r->xt, r->xt->dtype, y);
}

/* The number of a lane among those of all names, the first one being the major one. */
static kni_atom rank_in(kni_builder *b, kni_names names, const kni_mesh *mesh)
{
    if (names.n == 1 || !mesh)
        return knb_axis_index(b, names, mesh);
    kni_atom rank = knb_axis_index(b, knp_names_part(names, 0, 1), mesh);
    for (int i = 1; i < names.n; i++) {
        int axis = kni_mesh_axis(mesh, names.v[i], strlen(names.v[i]));
        rank = knb_mul(b, rank, knb_integer(b, KN_DT(I32), mesh->size[axis]));
        rank = knb_add(b, rank, knb_axis_index(b, knp_names_part(names, i, i + 1), mesh));
    }
    return rank;
}

static knx_error *pbroadcast_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in)
{
    const kni_p_pbroadcast *p = r->params;
    kni_builder *b = r->b;
    kni_atom at_source = knb_eq(b, rank_in(b, p->axis_name, p->mesh), knb_integer(b, KN_DT(I32), p->source));
    kni_atom sum = knb_psum(b, ct[0], p->axis_name, p->mesh);
    if (b->error)
        return NULL;
    ct_in[0] = knb_select(b, at_source, sum, knb_zeros(b, knb_type(b, sum)));
    return NULL;
}

static knx_error *pbroadcast_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out)
{
    const kni_p_pbroadcast *p = r->params;
    int64_t where = axis[0];
    *axis_out = axis[0];
    if (knp_lane_position(r) < 0) {
        *y = knb_pbroadcast(r->b, r->x[0], p->axis_name, p->source, p->mesh);
        return NULL;
    }
    if (p->axis_name.n > 1)
        return knx_error_new(KN_ERROR_NOT_IMPLEMENTED, "pbroadcast batcher only supports a single axis");
    if (p->source < 0 || knx_dim_le(size, p->source))
        return knx_error_new(KN_ERROR_VALUE, "collective broadcast doesn't fit in the axis size!");
    *y = r->x[0];
    if (axis[0] >= 0)
        *y = knb_squeeze(r->b, some_lanes(r->b, *y, axis[0], p->source, 1), 1, &where);
    *axis_out = -1;
    return NULL;
}

const kni_prim knp_prim_pbroadcast = {
    .name = "pbroadcast",
    .n_in = 1,
    .n_out = 1,
    .bits = KN_NAMES | KN_FILLS_EARLY,
    .linear_in = 1,
    .factors = "... -> ...",
    .fields = kni_fields_pbroadcast,
    .params_size = sizeof(kni_p_pbroadcast),
    .doc = "x of one lane, for all (jax.lax.pbroadcast)",
    .type = pbroadcast_type,
    .jvp = knp_jvp_linear,
    .transpose = pbroadcast_transpose,
    .batch = pbroadcast_batch,
    .run = knp_pbroadcast_run,
    .start = knp_pbroadcast_start,
    .wait = knp_pbroadcast_wait,
    .workspace = knp_pbroadcast_workspace,
    .moves = knp_permute_moves,
    .expand = knp_unbound,
    .expands = knp_is_unbound,
};
