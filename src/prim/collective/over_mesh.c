/* SPDX-License-Identifier: Apache-2.0
 * over_mesh.c -- collectives over axes of a mesh. Each device runs the same program; the group of a collective are the
 * devices that differ from this one along the named axes alone. Bytes are moved by src/dist, and joined here.
 *
 * A reduction over several axes joins along the last axis of the mesh first, whatever the order of the names, so that
 * it has the bits of vmaps inside of each other, one for each axis. Each device joins a part of the elements, and all
 * gather the parts; where the elements are few, everyone joins all. The bits are the same.
 *
 * Each is two routines (columns `start` and `wait`): the first one says what this device moves, the second one waits
 * for what comes and makes the result of it. What they share lies at the beginning of the workspace. */
#include "prim/collective/over_mesh.h"
#include "dist/dist.h"
#include "host/routine/join_lanes.h"
#include <inttypes.h>
#include <string.h>

enum { FEW_BYTES = 4096 };

/* ---- Names. */

knx_error *knp_mesh_check(const kni_mesh *mesh, kni_names names, kni_ints sizes)
{
    knx_text t = {0};
    for (int i = 0; i < names.n; i++) {
        int axis = kni_mesh_axis(mesh, names.v[i], strlen(names.v[i]));
        if (axis < 0)
            return knx_error_new(KN_ERROR_NAME, "unbound axis name: %s is no axis of %s", names.v[i],
                                 kni_mesh_text(&t, mesh));
        if (sizes.n && !knx_dim_eq(sizes.v[i], mesh->size[axis]))
            return knx_error_new(KN_ERROR_VALUE, "axis size doesn't match: %s of %s", names.v[i],
                                 kni_mesh_text(&t, mesh));
        for (int k = 0; k < i; k++)
            if (!strcmp(names.v[i], names.v[k]))
                return knx_error_new(KN_ERROR_VALUE, "axis %s is named twice", names.v[i]);
    }
    return NULL;
}

static int64_t lanes_of(const kni_mesh *mesh, kni_names names)
{
    int64_t n = 1;
    for (int i = 0; i < names.n; i++)
        n *= mesh->size[kni_mesh_axis(mesh, names.v[i], strlen(names.v[i]))];
    return n;
}

/* ---- The group. */

typedef struct lanes {
    kndist_group g;
    int64_t n;
    int n_axis;
    int axis[KNI_MESH_AXES], size[KNI_MESH_AXES]; /* as they are named */
    void **part;                                  /* n, in the order of the mesh: of who joins */
    size_t *bytes, *at;                           /* 2 n each, for parts of different sizes */
    char *rest;                                   /* of the workspace */
    kndist_what what;
    kndist_flight *flight;
} lanes;

static size_t whole_lines(size_t bytes) { return (bytes + 63) & ~(size_t)63; }

static size_t lanes_bytes(int64_t n)
{
    return whole_lines(sizeof(lanes)) +
           whole_lines((size_t)n * (sizeof(void *) + 4 * sizeof(size_t) + sizeof(int32_t)));
}

/* Where this device is in the mesh. */
static knx_error *find_self(const kni_mesh *mesh, int64_t *at)
{
    const kndist_self *self = kndist_self_now();
    knx_text t = {0};
    if (!self)
        return knx_error_new(KN_ERROR_RUNTIME, "a collective over %s runs on no device of it", kni_mesh_text(&t, mesh));
    if (self->mesh == mesh && self->in_mesh >= 0 && self->in_mesh < mesh->n_device) {
        *at = self->in_mesh;
        return NULL;
    }
    for (*at = 0; *at < mesh->n_device; ++*at)
        if (mesh->device[*at] == self->device)
            return NULL;
    return knx_error_new(KN_ERROR_RUNTIME, "device %d is not in %s", self->device, kni_mesh_text(&t, mesh));
}

static int64_t stride_of(const kni_mesh *mesh, int axis)
{
    int64_t stride = 1;
    for (int i = axis + 1; i < mesh->n_axis; i++)
        stride *= mesh->size[i];
    return stride;
}

/* The devices of the group, the first name being the major one. */
static void fill_group(lanes *l, const kni_mesh *mesh, int64_t self, int32_t *device)
{
    int64_t first = self, stride[KNI_MESH_AXES], me = 0;
    for (int i = 0; i < l->n_axis; i++) {
        int64_t here = kni_mesh_position(mesh, self, l->axis[i]);
        stride[i] = stride_of(mesh, l->axis[i]);
        first -= here * stride[i];
        me = me * l->size[i] + here;
    }
    for (int64_t k = 0; k < l->n; k++) {
        int64_t at = first, rest = k;
        for (int i = l->n_axis; i-- > 0;) {
            at += rest % l->size[i] * stride[i];
            rest /= l->size[i];
        }
        device[k] = mesh->device[at];
    }
    l->g = (kndist_group){(int)l->n, (int)me, device};
}

static knx_error *begin(lanes **out, const kni_rule *r, const kni_mesh *mesh, kni_names names, void *workspace)
{
    int64_t self = 0;
    lanes *l = *out = workspace;
    *l = (lanes){.n = lanes_of(mesh, names), .n_axis = names.n, .what = {r->prim->name, r->place}};
    for (int i = 0; i < names.n; i++) {
        l->axis[i] = kni_mesh_axis(mesh, names.v[i], strlen(names.v[i]));
        l->size[i] = (int)mesh->size[l->axis[i]];
    }
    KN_TRY(find_self(mesh, &self));
    size_t n = (size_t)l->n;
    l->part = (void **)(void *)((char *)workspace + whole_lines(sizeof *l));
    l->bytes = (size_t *)(l->part + n);
    l->at = l->bytes + 2 * n;
    int32_t *device = (int32_t *)(l->at + 2 * n);
    l->rest = (char *)workspace + lanes_bytes(l->n);
    fill_group(l, mesh, self, device);
    return NULL;
}

static knx_error *start(lanes *l, kndist_move m)
{
    m.what = l->what;
    return kndist_start(&l->g, &m, &l->flight);
}

static knx_error *start_gather(lanes *l, const void *x, size_t bytes, void *to)
{
    return start(l, (kndist_move){.kind = KNDIST_GATHER, .send = x, .bytes = bytes, .recv = to});
}

static knx_error *start_exchange(lanes *l, const void *x, size_t bytes, void *to)
{
    return start(l, (kndist_move){.kind = KNDIST_EXCHANGE, .send = x, .bytes = bytes, .recv = to});
}

/* ---- Sizes. */

static size_t span(const int64_t *dim, int first, int end)
{
    size_t n = 1;
    for (int i = first; i < end; i++)
        n *= (size_t)dim[i];
    return n;
}

static size_t count_of(kni_type t) { return span(t.dim, 0, t.ndim); }
static size_t bytes_of(kni_type t) { return count_of(t) * t.dtype->size; }

static bool is_symbolic(kni_type t) { return knx_has_symbolic(t.ndim, t.dim); }

/* ---- Joining. */

static knr_lane_join sum_of(bool minus_zeros) { return minus_zeros ? KNR_LANES_ADD : KNR_LANES_SUM; }

static knr_lane_join join_of(const kni_rule *r)
{
    return r->prim == &knp_prim_pmax   ? KNR_LANES_MAX
           : r->prim == &knp_prim_pmin ? KNR_LANES_MIN
                                       : sum_of(((const kni_p_all_reduce *)r->params)->minus_zeros);
}

/* Lane k of the group, of the parts of `bytes` at p, has which place in the order of the mesh's axes? */
static void order_parts(lanes *l, char *p, size_t bytes)
{
    for (int64_t k = 0; k < l->n; k++) {
        int64_t place = 0, rest[KNI_MESH_AXES], left = k;
        for (int i = l->n_axis - 1; i >= 0; i--) {
            rest[i] = left % l->size[i];
            left /= l->size[i];
        }
        for (int axis = 0; axis < KNI_MESH_AXES; axis++)
            for (int i = 0; i < l->n_axis; i++)
                if (l->axis[i] == axis)
                    place = place * l->size[i] + rest[i];
        l->part[place] = p + (size_t)k * bytes;
    }
}

/* The join of the parts at p, which are lost: along the last axis of the mesh first. */
static void join(lanes *l, kn_dtype d, knr_lane_join how, char *p, size_t count, void *to)
{
    int64_t n = l->n, step = 1;
    int left = l->n_axis; /* the last one joins into place, which need not be the first with a single lane left */
    order_parts(l, p, count * d->size);
    for (int axis = KNI_MESH_AXES - 1; axis >= 0; axis--)
        for (int i = 0; i < l->n_axis; i++) {
            if (l->axis[i] != axis)
                continue;
            n /= l->size[i];
            left--;
            for (int64_t k = 0; k < n; k++) {
                void **lane = l->part + k * l->size[i] * step;
                knr_join_lanes(d, how, l->size[i], lane, step, count, left ? lane[0] : to);
            }
            step *= l->size[i];
        }
}

/* ---- psum, pmax, pmin. */

/* Elements of part k of `count` in n parts: all have the same number but the last ones. */
static size_t part_count(size_t count, int64_t n, int64_t k, size_t *at)
{
    size_t most = (count + (size_t)n - 1) / (size_t)n;
    *at = (size_t)k * most < count ? (size_t)k * most : count;
    return count - *at < most ? count - *at : most;
}

static bool is_small(kni_type t) { return bytes_of(t) <= FEW_BYTES; }

knx_bytes knp_all_reduce_workspace(const kni_rule *r)
{
    const kni_p_all_reduce *p = r->params;
    int64_t n = p->mesh ? lanes_of(p->mesh, p->axes) : 1;
    if (is_symbolic(*r->xt))
        return KN_NOT_KNOWN;
    size_t most = is_small(*r->xt) ? count_of(*r->xt) : (count_of(*r->xt) + (size_t)n - 1) / (size_t)n;
    return lanes_bytes(n) + (knx_bytes)n * most * r->xt->dtype->size;
}

/* Parts go to those who join them. */
static knx_error *start_parts(lanes *l, const kni_rule *r, const char *x)
{
    size_t size = r->xt->dtype->size, count = count_of(*r->xt), here, n = (size_t)l->n;
    size_t mine = part_count(count, l->n, l->g.me, &here);
    size_t *send = l->bytes, *send_at = l->at, *recv = send + n, *recv_at = send_at + n;
    for (size_t k = 0; k < n; k++) {
        send[k] = size * part_count(count, l->n, (int64_t)k, &send_at[k]);
        send_at[k] *= size;
        recv[k] = size * mine;
        recv_at[k] = k * size * mine;
    }
    return start(l, (kndist_move){.kind = KNDIST_PARTS,
                                  .send = x,
                                  .send_bytes = send,
                                  .send_at = send_at,
                                  .recv = l->rest,
                                  .recv_bytes = recv,
                                  .recv_at = recv_at});
}

knx_error *knp_all_reduce_start(const kni_rule *r, const kni_routine_args *args)
{
    const kni_p_all_reduce *p = r->params;
    lanes *l;
    KN_TRY(begin(&l, r, p->mesh, p->axes, args->workspace));
    return is_small(*r->xt) ? start_gather(l, args->x[0], bytes_of(*r->xt), l->rest) : start_parts(l, r, args->x[0]);
}

/* What this one has made of its part goes to all. */
knx_error *knp_all_reduce_wait(const kni_rule *r, const kni_routine_args *args)
{
    lanes *l = args->workspace;
    size_t size = r->xt->dtype->size, count = count_of(*r->xt), here = 0;
    char *y = args->y[0];
    KN_TRY(kndist_wait(l->flight));
    size_t mine = is_small(*r->xt) ? count : part_count(count, l->n, l->g.me, &here);
    join(l, r->xt->dtype, join_of(r), l->rest, mine, y + here * size);
    if (is_small(*r->xt))
        return NULL;
    return kndist_all_gather_v(&l->g, l->what, y + here * size, mine * size, y, l->bytes, l->at);
}

/* ---- Pieces along an axis: rows of an array and of its parts take turns. */

/* y (outer, n, row) from n parts (outer, row), one after the other; all in bytes. */
static void weave(char *y, const char *parts, size_t n, size_t outer, size_t row)
{
    for (size_t k = 0; k < n; k++)
        for (size_t a = 0; a < outer; a++)
            memcpy(y + (a * n + k) * row, parts + (k * outer + a) * row, row);
}

static void unweave(char *parts, const char *x, size_t n, size_t outer, size_t row)
{
    for (size_t k = 0; k < n; k++)
        for (size_t a = 0; a < outer; a++)
            memcpy(parts + (k * outer + a) * row, x + (a * n + k) * row, row);
}

/* ---- all_gather. */

knx_bytes knp_all_gather_workspace(const kni_rule *r)
{
    const kni_p_all_gather *p = r->params;
    int64_t n = p->mesh ? lanes_of(p->mesh, p->axis_name) : 1;
    if (is_symbolic(*r->xt))
        return KN_NOT_KNOWN;
    bool woven = span(r->xt->dim, 0, (int)p->all_gather_dimension) > 1;
    return lanes_bytes(n) + (woven ? (knx_bytes)n * bytes_of(*r->xt) : 0);
}

/* Rows in front of the gathered axis: what is gathered is woven, out of the workspace. */
static size_t gather_outer(const kni_rule *r)
{
    return span(r->xt->dim, 0, (int)((const kni_p_all_gather *)r->params)->all_gather_dimension);
}

knx_error *knp_all_gather_start(const kni_rule *r, const kni_routine_args *args)
{
    const kni_p_all_gather *p = r->params;
    lanes *l;
    KN_TRY(begin(&l, r, p->mesh, p->axis_name, args->workspace));
    return start_gather(l, args->x[0], bytes_of(*r->xt), gather_outer(r) > 1 ? l->rest : args->y[0]);
}

knx_error *knp_all_gather_wait(const kni_rule *r, const kni_routine_args *args)
{
    const kni_p_all_gather *p = r->params;
    lanes *l = args->workspace;
    size_t row = span(r->xt->dim, (int)p->all_gather_dimension, r->xt->ndim) * r->xt->dtype->size;
    KN_TRY(kndist_wait(l->flight));
    if (gather_outer(r) > 1)
        weave(args->y[0], l->rest, (size_t)l->n, gather_outer(r), row);
    return NULL;
}

/* ---- reduce_scatter. */

knx_bytes knp_reduce_scatter_workspace(const kni_rule *r)
{
    const kni_p_reduce_scatter *p = r->params;
    int64_t n = p->mesh ? lanes_of(p->mesh, p->axis_name) : 1;
    if (is_symbolic(*r->xt))
        return KN_NOT_KNOWN;
    bool woven = span(r->xt->dim, 0, (int)p->scatter_dimension) > 1;
    return lanes_bytes(n) + (woven ? 2 : 1) * whole_lines(bytes_of(*r->xt));
}

knx_error *knp_reduce_scatter_start(const kni_rule *r, const kni_routine_args *args)
{
    const kni_p_reduce_scatter *p = r->params;
    lanes *l;
    KN_TRY(begin(&l, r, p->mesh, p->axis_name, args->workspace));
    int d = (int)p->scatter_dimension;
    size_t n = (size_t)l->n, outer = span(r->xt->dim, 0, d), whole = bytes_of(*r->xt);
    size_t row = span(r->xt->dim, d, r->xt->ndim) / n * r->xt->dtype->size;
    const char *from = args->x[0];
    if (outer > 1) {
        unweave(l->rest + whole_lines(whole), from, n, outer, row);
        from = l->rest + whole_lines(whole);
    }
    return start_exchange(l, from, whole / n, l->rest);
}

knx_error *knp_reduce_scatter_wait(const kni_rule *r, const kni_routine_args *args)
{
    lanes *l = args->workspace;
    KN_TRY(kndist_wait(l->flight));
    join(l, r->xt->dtype, sum_of(((const kni_p_reduce_scatter *)r->params)->minus_zeros), l->rest,
         count_of(*r->xt) / (size_t)l->n, args->y[0]);
    return NULL;
}

/* ---- all_to_all. */

/* How x is cut (outer, n, row), and how y is put together. */
typedef struct exchange {
    size_t out_outer, out_row, in_outer, in_row;
} exchange;

static exchange exchange_of(const kni_rule *r)
{
    const kni_p_all_to_all *p = r->params;
    size_t size = r->xt->dtype->size;
    int64_t part[KN_MAX_NDIM + 1] = {0};
    int split = (int)p->split_axis, concat = (int)p->concat_axis;
    for (int i = 0; i < r->xt->ndim; i++)
        part[i] = r->xt->dim[i];
    part[split] /= p->axis_size;
    return (exchange){span(part, 0, split), span(part, split, r->xt->ndim) * size, span(part, 0, concat),
                      span(part, concat, r->xt->ndim) * size};
}

knx_bytes knp_all_to_all_workspace(const kni_rule *r)
{
    const kni_p_all_to_all *p = r->params;
    int64_t n = p->mesh ? lanes_of(p->mesh, p->axis_name) : 1;
    if (is_symbolic(*r->xt) || knx_is_symbolic(p->axis_size))
        return KN_NOT_KNOWN;
    exchange e = exchange_of(r);
    return lanes_bytes(n) + ((e.out_outer > 1) + (e.in_outer > 1)) * whole_lines(bytes_of(*r->xt));
}

/* Where what comes is put before it is woven, behind what goes if that was unwoven. */
static char *exchange_room(const lanes *l, const kni_rule *r, exchange e)
{
    return l->rest + (e.out_outer > 1 ? whole_lines(bytes_of(*r->xt)) : 0);
}

knx_error *knp_all_to_all_start(const kni_rule *r, const kni_routine_args *args)
{
    const kni_p_all_to_all *p = r->params;
    lanes *l;
    KN_TRY(begin(&l, r, p->mesh, p->axis_name, args->workspace));
    exchange e = exchange_of(r);
    size_t n = (size_t)l->n, whole = bytes_of(*r->xt);
    const char *from = args->x[0];
    if (e.out_outer > 1) {
        unweave(l->rest, from, n, e.out_outer, e.out_row);
        from = l->rest;
    }
    return start_exchange(l, from, whole / n, e.in_outer > 1 ? exchange_room(l, r, e) : args->y[0]);
}

knx_error *knp_all_to_all_wait(const kni_rule *r, const kni_routine_args *args)
{
    lanes *l = args->workspace;
    exchange e = exchange_of(r);
    KN_TRY(kndist_wait(l->flight));
    if (e.in_outer > 1)
        weave(args->y[0], exchange_room(l, r, e), (size_t)l->n, e.in_outer, e.in_row);
    return NULL;
}

/* ---- ppermute. */

knx_bytes knp_ppermute_workspace(const kni_rule *r)
{
    const kni_p_ppermute *p = r->params;
    return lanes_bytes(p->mesh ? lanes_of(p->mesh, p->axis_name) : 1);
}

/* Who gets mine, and whose I get: -1, nobody. */
static knx_error *partners(const kni_p_ppermute *p, int64_t n, int me, int *to, int *from)
{
    *to = *from = -1;
    for (int i = 0; i < p->perm.n; i++)
        if (p->perm.v[i] < 0 || p->perm.v[i] >= n)
            return knx_error_new(KN_ERROR_INDEX, "index %" PRId64 " is out of bounds for axis %s with size %" PRId64,
                                 p->perm.v[i], p->axis_name.v[0], n);
    for (int i = 0; i + 1 < p->perm.n; i += 2)
        for (int k = 0; k < i; k += 2)
            if (p->perm.v[k] == p->perm.v[i] || p->perm.v[k + 1] == p->perm.v[i + 1])
                return knx_error_new(KN_ERROR_VALUE, "ppermute sources and destinations must be unique");
    for (int i = 0; i + 1 < p->perm.n; i += 2) {
        *to = p->perm.v[i] == me ? (int)p->perm.v[i + 1] : *to;
        *from = p->perm.v[i + 1] == me ? (int)p->perm.v[i] : *from;
    }
    return NULL;
}

knx_error *knp_ppermute_start(const kni_rule *r, const kni_routine_args *args)
{
    const kni_p_ppermute *p = r->params;
    lanes *l;
    int to, from;
    KN_TRY(begin(&l, r, p->mesh, p->axis_name, args->workspace));
    KN_TRY(partners(p, l->n, l->g.me, &to, &from));
    return start(l, (kndist_move){.kind = KNDIST_PERMUTE,
                                  .send = args->x[0],
                                  .to = to,
                                  .recv = args->y[0],
                                  .from = from,
                                  .bytes = bytes_of(*r->xt)});
}

knx_error *knp_ppermute_wait(const kni_rule *r, const kni_routine_args *args)
{
    lanes *l = args->workspace;
    int to, from;
    KN_TRY(kndist_wait(l->flight));
    KN_TRY(partners(r->params, l->n, l->g.me, &to, &from));
    if (from < 0)
        memset(args->y[0], 0, bytes_of(*r->xt));
    return NULL;
}

/* ---- pbroadcast. */

knx_bytes knp_pbroadcast_workspace(const kni_rule *r)
{
    const kni_p_pbroadcast *p = r->params;
    return lanes_bytes(p->mesh ? lanes_of(p->mesh, p->axis_name) : 1);
}

knx_error *knp_pbroadcast_start(const kni_rule *r, const kni_routine_args *args)
{
    const kni_p_pbroadcast *p = r->params;
    lanes *l;
    KN_TRY(begin(&l, r, p->mesh, p->axis_name, args->workspace));
    if (p->source < 0 || p->source >= l->n)
        return knx_error_new(KN_ERROR_VALUE, "collective broadcast doesn't fit in the axis size!");
    memset(l->bytes, 0, (size_t)l->n * sizeof *l->bytes);
    memset(l->at, 0, (size_t)l->n * sizeof *l->at);
    l->bytes[p->source] = bytes_of(*r->xt);
    return start(l, (kndist_move){.kind = KNDIST_PARTS,
                                  .send = args->x[0],
                                  .bytes = l->bytes[l->g.me],
                                  .recv = args->y[0],
                                  .recv_bytes = l->bytes,
                                  .recv_at = l->at});
}

knx_error *knp_pbroadcast_wait(const kni_rule *r, const kni_routine_args *args)
{
    const lanes *l = args->workspace;
    (void)r;
    return kndist_wait(l->flight);
}

/* ---- Both at once. */

#define BOTH(name)                                                               \
    knx_error *knp_##name##_run(const kni_rule *r, const kni_routine_args *args) \
    {                                                                            \
        KN_TRY(knp_##name##_start(r, args));                                     \
        return knp_##name##_wait(r, args);                                       \
    }
BOTH(all_reduce)
BOTH(all_gather)
BOTH(reduce_scatter)
BOTH(all_to_all)
BOTH(ppermute)
BOTH(pbroadcast)
#undef BOTH

/* ---- axis_index. */

knx_error *knp_axis_index_run(const kni_rule *r, const kni_routine_args *args)
{
    const kni_p_axis_index *p = r->params;
    int64_t self = 0;
    KN_TRY(find_self(p->mesh, &self));
    int axis = kni_mesh_axis(p->mesh, p->axis_name.v[0], strlen(p->axis_name.v[0]));
    *(int32_t *)args->y[0] = (int32_t)kni_mesh_position(p->mesh, self, axis);
    return NULL;
}

/* ---- What is moved. */

static kni_moved moved(const kni_rule *r, double bytes, double messages)
{
    const kni_mesh *mesh = NULL;
    kni_names names = {0};
    for (const kni_param_field *f = r->prim->fields; f && f->name; f++) {
        const char *member = (const char *)r->params + f->offset;
        if (f->kind == KN_P_MESH)
            mesh = *(const kni_mesh *const *)member;
        else if (f->kind == KN_P_NAMES)
            names = *(const kni_names *)member;
    }
    double n = mesh ? (double)lanes_of(mesh, names) : 1, all = kni_type_count(*r->xt) * r->xt->dtype->size;
    return n < 2 ? (kni_moved){.devices = 1} : (kni_moved){bytes * all * (n - 1), messages * (n - 1), (int64_t)n};
}

kni_moved knp_all_gather_moves(const kni_rule *r) { return moved(r, 1, 1); }

kni_moved knp_all_reduce_moves(const kni_rule *r)
{
    kni_moved all = moved(r, 1, 1);
    double share = 2.0 / (double)all.devices;
    bool few = kni_type_count(*r->xt) * r->xt->dtype->size <= FEW_BYTES;
    return few ? all : (kni_moved){all.bytes * share, 2 * all.messages, all.devices};
}

kni_moved knp_exchange_moves(const kni_rule *r)
{
    kni_moved all = moved(r, 1, 1);
    return (kni_moved){all.bytes / (double)all.devices, all.messages, all.devices};
}

kni_moved knp_permute_moves(const kni_rule *r)
{
    kni_moved all = moved(r, 1, 1);
    double others = all.devices > 1 ? (double)(all.devices - 1) : 1;
    return (kni_moved){all.bytes / others, all.messages / others, all.devices};
}
